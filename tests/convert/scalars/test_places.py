"""Each operation of scalars of several kinds, wherever these come from."""

import pytest

from tests.convert.scalars.values import Node, Tally, compare

# How a program comes by a scalar `x` of a kind that only the run knows.
PLACES = {
  "branch": "  x = n.v\n  if n.flag:\n    x = n.kids[0].v if n.kids else n.v\n",
  "attribute": "  x = n.v\n",
  "element": "  x = n.vals[len(n.kids)]\n",
  "item": "  x = n.items['k']\n",
  "parameter": "  x = p\n",
  "result": "  x = n.v if not n.kids else f(n.kids[0], n.v)\n",
  "carried": "  x = n.v\n  for y in n.vals:\n    x = y if n.flag else x\n",
  "tuple": "  pair = (n.v, p) if n.flag else (p, n.v)\n  x = pair[0]\n",
  "list": "  xs = [k.v for k in n.kids] + [n.v]\n  x = xs[0]\n",
}
NUMBERS = (
  *("x + 1", "1.5 - x", "x * x", "x / 2", "x // 2", "x % 3", "2.0 ** x", "x ** 2", "2 ** x"),
  *("x < 2", "2 >= x", "x == 1", "x != True", "x == None", "x is True", "x is False", "not x"),
  *("-x", "+x", "abs(x)", "round(x)", "round(x, 1)", "int(x)", "float(x)", "bool(x)"),
  *("str(x)", "f'{x}'", "f'{x:.2f}'", "max(x, 1)", "min(1.0, x, 2)", "sum([True, x, 2])"),
  *("x in (1, 2.5)", "x in [True, 'a']"),
  *("sorted([x, 1, 1.0, True])", "divmod(x, 2)", "(x, [x])", "{'k': x}", "x or 7", "x and 7"),
  *("isinstance(x, int)", "isinstance(x, (bool, float))", "type(x) is int", "type(x) == bool"),
  *("x if isinstance(x, float) else x + 1", "x if x is not None else 0", "x + p if p else x"),
)
INTS = ("x & 1", "x | True", "x ^ x", "x << 1", "8 >> x", "[1, 2, 3, 4, 5][x]", "'ab' * x")
OF_ANY = (
  *("x == 'a'", "x != 1", "x in ('a', 1, None)", "str(x)", "f'<{x}>'", "bool(x)", "x is None"),
  *("len(x) if isinstance(x, str) else x", "x + x if not isinstance(x, bool) else 'no'"),
  *("x.upper() if isinstance(x, str) else -x", "x * 2", "[x, 1]", "'' if x is None else x"),
  *("type(x) is str", "(x, x == x)"),
)
POOLS = {
  "numbers": ((1, True, 2.5, 0, False, -0.0, 3.0), NUMBERS),
  "ints": ((True, 2, False, 3, 0), INTS + NUMBERS[:9]),
  "ints and floats": ((1, 2.0, -3, 0.5, 2**52), NUMBERS),
  "strings": (("a", 2, "", 1.5, True), OF_ANY[:-5] + OF_ANY[-4:]),
  "none": ((None, 1, 2.5, None, True), OF_ANY[:7] + ("x or 1", "x if x is not None else 0")),
}


def node(values, at, depth=2):
  """Returns a chain of nodes with values from a place on."""

  def value(i):
    return values[i % len(values)]

  kids = [node(values, at + 1, depth - 1)] if depth else []
  vals = [value(at + i) for i in range(4)]
  return Node(value(at), at % 2 == 0, vals, {"k": value(at + 2)}, kids)


def cases():
  for place in PLACES:
    for pool, (_, operations) in POOLS.items():
      for operation in operations:
        if pool != "ints and floats" or operation != "2 ** x":  # 2**52 bits.
          yield place, pool, operation


@pytest.mark.one_in(100)
@pytest.mark.parametrize(("place", "pool", "operation"), [*cases()])
def test_an_operation_gives_what_python_gives(place, pool, operation):
  values, _ = POOLS[pool]
  source = f"@recursive\ndef f(n, p):\n{PLACES[place]}  return {_wrapped(place, operation)}\n"

  def calls():
    return [(node(values, i), values[(i + 1) % len(values)]) for i in range(len(values))]

  tally = Tally()
  compare(source, calls, tally)
  assert tally.num_returned
  if place != "result":  # There a result may be a string, which not all operations are done of.
    assert tally.num_plain <= tally.num_returned // 2, [*tally.reasons]


def _wrapped(place, operation):
  """Returns what a function returns; where its own result is the scalar, that stays one."""
  return f"x if n.flag else ({operation})" if place == "result" else operation
