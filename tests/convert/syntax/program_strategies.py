"""Random small programs with every way to leave a block, as text, for Hypothesis.

All numbers are ints. `note(k, value)` writes down that it was called and returns the value;
`note.held(value)` is a context manager that writes down when it is entered and left;
`tick()` raises when it has been called too often.
"""

import dataclasses

from hypothesis import strategies as st

ALWAYS_BOUND = ("a", "b", "c")
MAYBE_BOUND = ("u", "v")


@dataclasses.dataclass(frozen=True)
class Scope:
  """What a statement may mention: names to read, whether it is in a loop, functions to call."""

  depth: int = 0
  in_loop: bool = False
  reads: tuple[str, ...] = ALWAYS_BOUND + MAYBE_BOUND
  functions: tuple[str, ...] = ()
  is_inner: bool = False


@st.composite
def programs(draw):
  """Returns the text of `def f(a, b, note, tick)`."""
  body = draw(blocks(Scope()))
  return "\n".join(["def f(a, b, note, tick):", "  c = a = a + 1", *_indented(body)]) + "\n"


def _indented(lines):
  return ["  " + line for line in lines]


@st.composite
def expressions(draw, scope, depth=0):
  """Returns an int expression."""
  kinds = ["name", "name", "constant", "note"]
  if depth < 2:
    kinds += ["sum", "conditional", "walrus", "lambda", "listed", "generated"]
    kinds += ["call"] if scope.functions else []
  kind = draw(st.sampled_from(kinds))
  sub = expressions(scope, depth + 1)
  if kind == "name":
    # Names that are surely bound more often, else most programs end at once.
    bound = [name for name in scope.reads if name not in MAYBE_BOUND]
    return draw(st.sampled_from(bound * 4 + list(scope.reads)))
  if kind == "constant":
    return str(draw(st.integers(0, 4)))
  if kind == "note":
    return f"note({draw(st.integers(0, 99))}, {draw(st.sampled_from(ALWAYS_BOUND))})"
  if kind == "conditional":
    return f"({draw(sub)} if {draw(conditions(scope, depth + 1))} else {draw(sub)})"
  if kind == "walrus":
    return f"({draw(st.sampled_from(ALWAYS_BOUND + MAYBE_BOUND))} := {draw(sub)})"
  if kind == "lambda":
    return f"(lambda z: z + {draw(st.sampled_from(scope.reads))})({draw(sub)})"
  if kind == "call":
    return f"{draw(st.sampled_from(scope.functions))}({draw(sub)})"
  if kind in ("listed", "generated"):
    inner = dataclasses.replace(scope, reads=(*scope.reads, "q"), functions=())
    element = draw(expressions(inner, 2))
    text = f"{element} for q in range(3) if {draw(conditions(inner, 2))}"
    return f"sum([{text}])" if kind == "listed" else f"sum({text})"
  return f"({draw(sub)} + {draw(sub)})"


@st.composite
def conditions(draw, scope, depth=0):
  """Returns a condition, often a chained comparison."""
  operand = expressions(scope, depth + 1)
  operators = st.sampled_from(["<", "<=", "==", "!=", ">"])
  count = draw(st.integers(2, 4))
  text = draw(operand)
  for _ in range(count - 1):
    text += f" {draw(operators)} {draw(operand)}"
  if depth < 2 and draw(st.integers(0, 3)) == 0:
    joined = draw(st.sampled_from(["and", "or"]))
    return f"not ({text} {joined} {draw(conditions(scope, depth + 2))})"
  return text


@st.composite
def blocks(draw, scope):
  """Returns the lines of a block."""
  lines = []
  for _ in range(draw(st.integers(1, 4 if scope.depth < 2 else 2))):
    new, scope = draw(statements(scope))
    lines += new
  return lines


@st.composite
def statements(draw, scope):
  """Returns the lines of a statement, and the scope after it."""
  kinds = ["assign", "assign", "augment", "several", "return", "raise", "pair"]
  kinds += ["break", "break", "continue", "continue"] if scope.in_loop else []
  if scope.depth < 3:
    kinds += ["if", "if", "if", "if else", "if else", "for", "for", "while", "map", "map"]
    kinds += ["with", "with"]
    kinds += ["def"] if not scope.is_inner else []
  kind = draw(st.sampled_from(kinds))
  deeper = dataclasses.replace(scope, depth=scope.depth + 1)
  value = expressions(scope)
  target = draw(st.sampled_from(ALWAYS_BOUND + MAYBE_BOUND))
  if kind in ("if", "if else"):
    lines = [f"if {draw(conditions(scope))}:", *_indented(draw(blocks(deeper)))]
    if kind == "if else":
      lines += ["else:", *_indented(draw(blocks(deeper)))]
    return lines, scope
  if kind == "with":
    managers = [f"note.held({draw(value)})", f"note.held({draw(value)}) as {target}"]
    head = ", ".join(managers[draw(st.integers(0, 1)) : draw(st.integers(1, 2))] or managers)
    return [f"with {head}:", *_indented(draw(blocks(deeper)))], scope
  if kind in ("for", "while"):
    looped = dataclasses.replace(deeper, in_loop=True)
    name = f"t{scope.depth}"
    if kind == "for":
      looped = dataclasses.replace(looped, reads=(*scope.reads, name))
      head = f"for {name} in range({draw(st.integers(0, 3))}):"
    else:
      head = draw(st.sampled_from(["while True:", f"while {draw(conditions(scope))}:"]))
    lines = [head, "  tick()", *_indented(draw(blocks(looped)))]
    if draw(st.booleans()):
      lines += ["else:", *_indented(draw(blocks(deeper)))]
    after = dataclasses.replace(scope, reads=looped.reads)
    return lines, after
  if kind == "map":
    return draw(map_loops(scope)), scope
  if kind == "def":
    inner = Scope(scope.depth + 1, reads=(*ALWAYS_BOUND, "p"), is_inner=True)
    shared = draw(st.sampled_from([[], ["a"], ["b", "c"]]))
    own = [f"{name} = p" for name in ALWAYS_BOUND if name not in shared]
    own = [f"nonlocal {', '.join(shared)}"] + own if shared else own
    lines = ["def g(p):", *_indented([*own, *draw(blocks(inner))])]
    lines = [*lines, "  return 1"] if draw(st.booleans()) else lines
    return lines, dataclasses.replace(scope, functions=("g",))
  one_line = {
    "assign": f"{target} = {draw(value)}",
    "augment": f"{target} += {draw(value)}",
    "several": f"{target} = {draw(st.sampled_from(ALWAYS_BOUND))} = {draw(value)}",
    "pair": f"({target}, *_), b = [{draw(value)}, 1], {draw(value)}",
    "return": f"return {draw(value)}",
    "raise": f"raise ValueError({draw(value)})",
    "break": "break",
    "continue": "continue",
  }
  return [one_line[kind]], scope


@st.composite
def map_loops(draw, scope):
  """Returns a loop that is a map, or nearly."""
  looped = dataclasses.replace(scope, reads=(*scope.reads, "m", "h"))
  lines = ["xs = []", f"for m in range({draw(st.integers(0, 3))}):"]
  lines.append(f"  h = {draw(expressions(dataclasses.replace(scope, reads=(*scope.reads, 'm'))))}")
  if draw(st.booleans()):
    lines.append(f"  h = {draw(expressions(looped))}")
  outputs = [f"  xs.append({draw(expressions(looped))})", f"  a += {draw(expressions(looped))}"]
  outputs.append(f"  b = b + {draw(expressions(looped))}")
  chosen = draw(st.lists(st.sampled_from(outputs), min_size=1, max_size=3))
  return [*lines, *chosen, "c = note(len(xs), sum(xs))"]
