"""Programs as they are written over ints, floats, bools, strings and None, each of them a graph."""

import pytest

from tests.convert.scalars.values import Node, Tally, compare

JSON = (
  {"a": [1, 2.5, "abc", None, True], "b": {"c": 3, "d": {"e": -0.0}}},
  [1, 2, [3, "x"], False],
  [True, None],
  {"a": [2**40, 1.0, [[]]]},
)
EXPRESSIONS = (
  *(("+", "x", ("*", "y", 2)), ("if", ("<", "x", 5), "x", 2.0), ("not", "t"), ("neg", "t")),
  *(("max", "x", ("-", "y", -1)), ("and", "t", ("==", "x", 3.0)), ("neg", ("+", 1, "t"))),
  *(("/", 4, 2), ("//", 7.5, 2), ("**", 2, ("neg", 1)), ("*", ("<", 1, 2), 3.5), 5, 2.5, True),
)
VALUES = ((1, 2.5, 3), (True, 1, 1.5), (2.0, 0, 2), (0, True, -0.0), (4, 2, 2**40))
OPTIONAL = ((1, None, 2), (None, None, None), (2.5, 1, None), (True, 1, None))


def tree(values, is_deep=True):
  """Returns a node of three values; below it nodes of the others."""
  turned = [values[i:] + values[:i] for i in (1, 2)] if is_deep else []
  kids = [tree(one, False) for one in turned]
  return Node(values[0], bool(values[1]), list(values), {"k": values[2]}, kids)


def trees(*values):
  return lambda: [(tree(one),) for one in values]


def documents():
  return [(one,) for one in JSON]


def expressions():
  return [(one, {"x": 3, "y": 2.5, "t": True}) for one in EXPRESSIONS]


PROGRAMS = {
  "total of a document": (
    documents,
    """
@recursive
def f(x):
  if isinstance(x, dict):
    return sum([f(v) for v in x.values()])
  if isinstance(x, list):
    t = 0
    for v in x:
      t += f(v)
    return t
  if isinstance(x, bool):
    return 1 if x else 0
  if isinstance(x, (int, float)):
    return x
  if x is None:
    return 0
  return len(x)
""",
  ),
  "document as text": (
    documents,
    """
@recursive
def f(x):
  if x is None: return "null"
  if x is True: return "true"
  if x is False: return "false"
  if isinstance(x, str): return '"' + x + '"'
  if isinstance(x, (int, float)): return str(x)
  if isinstance(x, list): return "[" + ",".join([f(k) for k in x]) + "]"
  return "{" + ",".join(['"' + k + '":' + f(v) for k, v in x.items()]) + "}"
""",
  ),
  "evaluator": (
    expressions,
    """
@recursive
def f(e, env):
  if isinstance(e, str): return env[e]
  if isinstance(e, (int, float, bool)): return e
  op = e[0]
  if op == "if": return f(e[2], env) if f(e[1], env) else f(e[3], env)
  a = f(e[1], env)
  if op == "not": return not a
  if op == "neg": return -a
  b = f(e[2], env)
  if op == "+": return a + b
  if op == "-": return a - b
  if op == "*": return a * b
  if op == "/": return a / b
  if op == "//": return a // b
  if op == "**": return a ** b
  if op == "<": return a < b
  if op == "and": return a and b
  if op == "max": return max(a, b)
  return a == b
""",
  ),
  "running total": (
    trees(*VALUES),
    """
@recursive
def f(n, total=0):
  total = total + n.v
  for k in n.kids:
    total = f(k, total)
  return total
""",
  ),
  "a flag, a fraction or a count": (
    trees(*VALUES),
    """
@recursive
def f(n):
  if not n.kids: return n.v == 1
  if len(n.kids) == 1: return 2.5
  t = 0
  for k in n.kids:
    t = t + f(k)
  return t if t > 0 else False
""",
  ),
  "smallest and greatest": (
    trees(*VALUES),
    """
@recursive
def f(n):
  low = high = n.v
  for k in n.kids:
    a, b = f(k)
    low = min(low, a)
    high = max(high, b)
  return low, high
""",
  ),
  "best that there is": (
    trees(*VALUES, *OPTIONAL),
    """
@recursive
def f(n):
  best = None
  for k in n.kids:
    r = f(k)
    if r is not None and (best is None or r > best):
      best = r
  if n.v is None: return best
  return n.v if best is None else max(best, n.v)
""",
  ),
  "division that may give nothing": (
    trees(*VALUES),
    """
@recursive
def f(n):
  if n.v == 0: return None
  x = 10 / n.v
  for k in n.kids:
    r = f(k)
    if r is None: return None
    x = x + r
  return x
""",
  ),
  "labels": (
    trees(*VALUES, *OPTIONAL, ("a", 1, "b")),
    """
@recursive
def f(n):
  s = str(n.v) + f"<{n.v}>"
  for k in n.kids:
    s = s + "," + f(k)
  return s
""",
  ),
  "everything in a list, in order": (
    trees(*VALUES),
    """
@recursive
def f(n):
  out = [n.v]
  for k in n.kids:
    out = out + f(k)
  return sorted(out)
""",
  ),
  "how often": (
    lambda: [(tree(one), {}) for one in (*VALUES, ("a", 1, "b"))],
    """
@recursive
def f(n, counts):
  counts[n.v] = counts.get(n.v, 0) + 1
  for k in n.kids:
    f(k, counts)
  return counts
""",
  ),
  "names of values": (
    trees(*VALUES, *OPTIONAL, ("a", 1, "b")),
    """
NAMES = {1: "one", "a": "letter", 2.5: "fraction", None: "nothing"}
@recursive
def f(n):
  s = NAMES.get(n.v, "?")
  for k in n.kids:
    s = s + f(k)
  return s
""",
  ),
  "attributes become others": (
    trees(*VALUES),
    """
@recursive
def f(n):
  if isinstance(n.v, bool): n.v = "yes" if n.v else "no"
  elif isinstance(n.v, int): n.v = n.v / 2
  elif isinstance(n.v, float): n.v = round(n.v)
  for k in n.kids:
    f(k)
""",
  ),
  "half or three times": (
    lambda: [(3,), (4,), (2.0,), (1,), (5,)],
    """
@recursive
def f(n):
  x, steps = n, 0
  while x > 1 and steps < 20:
    x = x / 2 if x % 2 == 0 else 3 * x + 1
    steps += 1
  return x if n <= 0 else x + f(n - 1)
""",
  ),
  "first that is true": (
    trees((2, 0, 4), (0, 0.0, 5), (True, 1, ""), ("", 4, True), (None, 1, 2)),
    """
@recursive
def f(n):
  x = n.v or 5
  for k in n.kids:
    x = f(k) and x
  return x
""",
  ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_as_a_graph(name):
  calls, source = PROGRAMS[name]
  tally = Tally()
  compare(source, calls, tally)
  assert tally.num_returned and not tally.num_plain, [*tally.reasons]


def test_what_is_left_of_a_scalar_may_be_none():
  source = """
@recursive
def f(n, p):
  v = n.v
  if isinstance(v, (int, float)):
    v = v + 1
  for kid in n.kids:
    f(kid, p)
  return v
"""

  def leaf(value):
    return Node(value, True, [], {}, [])

  def calls():
    made = [leaf(1), leaf(None), leaf("a"), leaf(2.5)]
    made += [Node(1.5, True, [], {}, [leaf(None)]), Node(None, True, [], {}, [leaf("a")])]
    return [(one, 0) for one in [*made, *reversed(made)]]

  tally = Tally()
  compare(source, calls, tally)
  assert not tally.num_plain, tally.reasons
