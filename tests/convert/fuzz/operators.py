"""Random classes with methods for operators, and programs that ask their objects.

Which method Python asks depends on both operands' classes, on what is inherited, and on what the
first one returns. Each method says who it is: in its result, in a log, or by what it raises.
"""

import contextlib
import itertools
import random
import sys
import types

_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "matmul": "@"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BASES = {"A": "", "B": "(A)", "C": "", "D": "(B)"}
_HEAD = '''"""Random classes with operators."""

import dataclasses
import functools

LOG = []


def value_of(x):
  return x.v if hasattr(x, "v") else x


'''
_INIT = ["def __init__(self, v, *kids):", "  self.v, self.kids = v, list(kids)"]


def generate(seed):
  """Returns the source of the program of a seed: one of few in which Python raises nothing."""
  sources = (_Program(random.Random(f"operators {seed} {n}")).source() for n in itertools.count())
  return next(source for source in sources if _num_sound(source) > 3)


def _num_sound(source):
  """Returns in how many calls plain Python raises nothing."""
  module = types.ModuleType("drawn")
  sys.modules["drawn"] = module  # Dataclasses look there.
  exec(source, vars(module))
  function, _ = module.build(lambda f: f)
  count = 0
  for args in module.calls():
    with contextlib.suppress(Exception):
      function(*args)
      count += 1
  return count


class _Program:
  def __init__(self, pick):
    self._random = pick
    self._codes = iter(range(100, 10000, 100))
    self._has_log, self._is_data = self._chance(0.3), self._chance(0.3)
    self._signs = {kind: [] for kind in ("comparison", "arithmetic")}
    self._has = set()
    self._names = self._some(list(_BASES), 1, 3)
    if "B" in self._names or "D" in self._names:
      self._names = sorted({"A", *self._names} | ({"B"} if "D" in self._names else set()))

  def source(self):
    classes = "\n\n".join(self._class_of(name) for name in self._names)
    return f"{_HEAD}{classes}\n\n{self._function()}\n\n{self._calls()}\n"

  # --- Classes

  def _class_of(self, name):
    lines, decorators = [], []
    is_dataclass = name == "C" and self._is_data
    if is_dataclass:
      order = self._pick(["", "order=True", "eq=False", "eq=True, frozen=False"])
      decorators.append(f"@dataclasses.dataclass({order})")
      lines += ["v: int", "kids: list"]
    elif not _BASES[name] or self._chance(0.2):
      lines += _INIT
    if not is_dataclass and name == "A" and self._chance(0.2):
      decorators.append("@functools.total_ordering")
      lines += self._method("lt", name, is_comparison=True)
      lines += self._method("eq", name, is_comparison=True)
    else:
      for method in self._some(list(_COMPARISONS), 0, 3):
        if not (is_dataclass and method != "eq" and "order" in decorators[0]):
          lines += self._method(method, name, is_comparison=True)
    for method in self._some(list(_ARITHMETIC), 0, 2):
      for prefix in self._some(["", "r", "i"], 1, 2):
        lines += self._method(prefix + method, name, is_comparison=False)
    if "def __eq__(self, other):" in lines and self._chance(0.3):
      lines += ["def __hash__(self):", "  return hash(self.v)"]
    for method in self._some(["len", "bool", "contains", "getitem", "iter", "call", "neg"], 0, 2):
      lines += self._other_method(method)
    if not _BASES[name]:
      lines += ["def __repr__(self):", '  return f"<{type(self).__name__} {self.v}>"']
    body = "\n".join(f"  {line}" for line in lines or ["pass"])
    return "\n".join([*decorators, f"class {name}{_BASES[name]}:", body, ""])

  def _method(self, method, owner, is_comparison):
    code, lines = next(self._codes), [f"def __{method}__(self, other):"]
    if self._has_log and self._chance(0.6):
      lines.append(f'  LOG.append("{owner}.{method}")')
    if self._chance(0.5):
      classes = self._pick([*self._names, "int", f"({', '.join(self._names)},)"])
      lines += [f"  if not isinstance(other, {classes}):", "    return NotImplemented"]
    plain = method[1:] if method[1:] in _ARITHMETIC else method
    sign = (_COMPARISONS | _ARITHMETIC)[plain]
    self._signs["comparison" if is_comparison else "arithmetic"].append(sign)
    sign = sign if sign not in ("@", "//") else "+"
    choices = [f"return self.v {sign} value_of(other)"] * 2
    if is_comparison:
      choices += ["return self.v == value_of(other) and len(self.kids) < 3", "return True"]
      choices += [f"return self.v % 2 {sign} value_of(other) % 2", f"return {code} + self.v"]
      if plain == "eq":
        choices += ["return self.v == other.v and self.kids == other.kids"] * 2
      if plain in ("ne", "gt", "ge"):
        choices += [f"return not self.__{'eq' if plain == 'ne' else 'lt'}__(other)"]
    else:
      choices += [f"return {code} + self.v", f"return {self._owned(owner)}"] * 2
      if method[0] == "i":
        choices += ["self.v += value_of(other)\n    return self"]
    if _BASES[owner]:
      choices += [f"return super().__{method}__(other)"]
    return [*lines, f"  {self._pick(choices)}"]

  def _owned(self, owner):
    rest = ", []" if owner == "C" and self._is_data else ""
    return f"{owner}(self.v + value_of(other){rest})"

  def _other_method(self, method):
    self._has.add(method)
    bodies = {
      "len": ["return len(self.kids)", "return self.v"],
      "bool": ["return self.v > 2", "return not self.kids"],
      "contains": ["return self.v == value_of(x)", "return x in self.kids"],
      "getitem": ["return (self.v, 7)[x]", "return self.kids[x]"],
      "iter": ["return iter(self.kids)", "yield self.v\n    yield 7"],
      "call": ["return self.v * 3 + x", "return self"],
      "neg": ["return -self.v", "return type(self)(-self.v)"],
    }[method]
    argument = ", x" if method in ("contains", "getitem", "call") else ""
    return [f"def __{method}__(self{argument}):", f"  {self._pick(bodies)}"]

  # --- The function

  def _function(self):
    lines = ["def f(node):", "  out = []"]
    if self._chance(0.3):
      lines.append(f"  out.append({self._expression(['node', self._made('node.v')], 2)})")
    lines.append("  for k in node.kids:")
    operands = ["node", "k", "k", "node", self._made("k.v"), self._pick(["2", "None", "node.v"])]
    for _ in range(self._random.randrange(1, 4)):
      if self._chance(0.15):
        sign = self._sign("arithmetic")
        lines += [f"    x = {self._pick(operands)}", f"    x {sign}= {self._pick(operands)}"]
        lines += ["    out.append(value_of(x))"]
      elif self._chance(0.2):
        lines += [f"    if {self._expression(operands, 1)}:", "      out.append(k.v)"]
      else:
        lines.append(f"    out.append({self._expression(operands, 2)})")
    lines += ["    out.append(f(k))", "  return out"]
    body = "\n".join(f"  {line}" if line else line for line in lines)
    return f"def build(decorate):\n{body}\n  f = decorate(f)\n  return f, [lambda: LOG]\n"

  def _expression(self, operands, depth):
    a, b, c = (self._pick(operands) for _ in range(3))
    comparison, arithmetic = self._sign("comparison"), self._sign("arithmetic")
    choices = [f"{a} {comparison} {b}"] * 8
    choices += [f"value_of({a} {arithmetic} {b})"] * 4
    thing = self._pick([o for o in operands if o not in ("2", "None", "node.v")])
    special = {
      "len": f"len({thing})",
      "bool": f"bool({thing})",
      "contains": f"2 in {thing}",
      "getitem": f"{thing}[0]",
      "iter": f"[value_of(x) for x in {thing}]",
      "call": f"value_of({thing}(2))",
      "neg": f"value_of(-{thing})",
    }
    choices += [special[name] for name in sorted(self._has)] * 3
    choices += [f"{a} in node.kids", f"{a} not in [{b}, {c}]", f"node.kids.index({a})"]
    choices += [f"node.kids.count({a})", "max(node.kids).v", "min(node.kids).v"]
    choices += ["[c.v for c in sorted(node.kids)]", "[c.v for c in sorted(node.kids)[::-1]]"]
    choices += [f"max({a}, {b}).v", f"value_of({a} and {b})", f"value_of({a} or {b})"]
    choices += [f"not {a}", f"bool({a})", f"1 if {a} else 2"]
    choices += [f"{a} {comparison} {b} {comparison} {c}", f"[{a}, 1] {comparison} [{b}, 2]"]
    choices += [f"({a},) == ({b},)", f"any(c == {a} for c in node.kids)", f"{a} is {b}"]
    choices += [f"sum(1 for c in node.kids if c {comparison} {a})", f"type({a} {comparison} {b})"]
    choices += [f"sorted([{a}, {b}], key=lambda c: c.v)[0].v", "node.kids == k.kids"]
    choices += [f"({a} {comparison} {b}) == ({b} {comparison} {a})"]
    found = self._pick(choices)
    if found.startswith("type("):
      found += ".__name__"
    if depth > 1 and self._chance(0.2):
      found = f"({found}, {self._expression(operands, 1)})"
    return found

  # --- Calls

  def _calls(self):
    lines = ["def calls():"]
    lines += [f"  yield ({self._tree(depth)},)" for depth in (1, 2, 3, 2)]
    lines += [f"  tree = {self._tree(2)}", "  yield (tree,)"]
    lines += [f"  tree.kids.append({self._tree(1)})", "  yield (tree,)"]
    return "\n".join(lines)

  def _tree(self, depth):
    count = self._random.randrange(1, 4) if depth else 0
    kids = [self._tree(depth - 1 if self._chance(0.8) else 0) for _ in range(count)]
    return self._made(self._random.randrange(4), kids)

  def _made(self, value, kids=()):
    name = self._pick(self._names)
    is_data = name == "C" and self._is_data
    given = f"[{', '.join(kids)}]" if is_data else ", ".join(kids)
    return f"{name}({value}{', ' if given else ''}{given})"

  # --- Choices

  def _sign(self, kind):
    everything = _COMPARISONS if kind == "comparison" else _ARITHMETIC
    found = self._signs[kind] or (["=="] if kind == "comparison" else [])
    return self._pick(found if found and self._chance(0.8) else list(everything.values()))

  def _pick(self, options):
    return options[self._random.randrange(len(options))]

  def _some(self, options, least, most):
    count = min(self._random.randrange(least, most + 1), len(options))
    chosen = self._random.sample(options, count)
    return [option for option in options if option in chosen]

  def _chance(self, share):
    return self._random.random() < share
