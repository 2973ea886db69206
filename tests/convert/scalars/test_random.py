"""Random programs over scalars of several kinds, in all places, give what Python gives."""

import random

import pytest

from tests.convert.scalars.values import Node, Tally, compare

POOLS = {
  "numbers": (True, False, 0, 1, -1, 2, 7, -5, 0.0, -0.0, 0.5, 2.0, -1.5, 1e16, 2**40, 2**31),
  "none": (None, 0, 1, 2.5, -3, None, True),
  "strings": ("a", "bc", "", 0, 1, 2.5, True),
  "all": (None, "a", "xy", 0, 3, -2, 0.5, True, False),
  "ints": (True, False, 0, 1, 5, -3),
  "edges": (float("nan"), float("inf"), 2**53 - 1, -(2**52), 1.5, 0, True, 5e-324),
}


class Writer:
  """Writes a program.

  Args:
    seed: of what is random.
  """

  def __init__(self, seed):
    self._random = random.Random(seed)
    self.pool = self._pick([*POOLS])

  def _pick(self, options):
    return options[self._random.randrange(len(options))]

  def _leaf(self, names):
    name = self._pick(names)
    if self._random.random() < 0.25:
      return self._pick(["0", "1", "2", "True", "1.5", "-1", "0.0"])
    if self.pool in ("numbers", "ints", "edges") or self._random.random() < 0.1:
      return name
    is_number = f"isinstance({name}, (int, float))"
    return f"({name} if {is_number} else {self._pick(['1', '2.5', 'True'])})"

  def expression(self, names, depth=2):
    """Returns an expression over some variables."""
    if depth <= 0:
      return self._leaf(names)
    a, b = (self.expression(names, depth - 1) for _ in range(2))
    x = self._pick(names)
    kind = self._pick(["int", "float", "bool", "str", "(int, float)", "(bool, str)"])
    options = [
      *(f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} * {b} % 7)", f"({a} + {b})"),
      *(f"({a} / {b})", f"({a} // {b})", f"({a} ** 2)", f"({a} == {b})", f"({a} < {b})"),
      *(f"({a} >= {b})", f"({a} and {b})", f"({a} or {b})", f"({a} if {x} else {b})"),
      *(f"({a} if isinstance({x}, {kind}) else {b})", f"abs({a})", f"round({a}, 1)", f"-({a})"),
      *(f"(not {a})", f"max({a}, {b})", f"min({a}, {b}, 1)", f"len(str({x}))"),
      *(f"({x} if {x} is not None else {a})", f"({x} is True)", f"({x} in (1, 'a', 2.5, None))"),
      *(f"(type({x}) is {self._pick(['int', 'float', 'bool', 'str'])})", f"({x} == {b})"),
      *(f"sum([{a}, {b}, True])", f"sorted([{a}, {b}])[0]", f"float({a})", f"bool({a})"),
      f"{{1: 2, 'a': True, 2.5: -1}}.get({x}, {a})",
    ]
    return self._pick(options)

  def source(self):
    """Returns a program with scalars in all places."""
    names = ["a", "b"]
    lines = ["  a = n.v", "  b = p"]
    if self._random.random() < 0.6:
      then, other = self.expression(names), self.expression(names)
      lines += ["  if n.flag:", f"    c = {then}", "  else:", f"    c = {other}"]
      names.append("c")
    if self._random.random() < 0.5:
      lines += [f"  d = {self.expression(names, 1)}", "  for x in n.vals:"]
      lines += [f"    d = {self.expression(['d', 'x', 'a'])}"]
      names.append("d")
    if self._random.random() < 0.5:
      lines += ["  e = n.items['k']"]
      names.append("e")
    lines += [f"  t = {self._pick(names)}", "  for k in n.kids:"]
    lines += [f"    r = f(k, {self._pick([*names, 't', '2.5'])})"]
    lines += [f"    t = {self.expression(['t', 'r', self._pick(names)])}"]
    lines += [f"  return {self.expression([*names, 't'])}"]
    return "@recursive\ndef f(n, p):\n" + "\n".join(lines) + "\n"

  def calls(self, seed):
    """Returns arguments of the program."""
    source = random.Random(seed)

    def value():
      return source.choice(POOLS[self.pool])

    def node(depth):
      kids = [node(depth - 1) for _ in range(source.choice([0, 1, 2]) if depth else 0)]
      vals = [value() for _ in range(source.choice([0, 1, 3]))]
      return Node(value(), source.random() < 0.5, vals, {"k": value()}, kids)

    return [(node(2), value()) for _ in range(6)]


@pytest.mark.parametrize("group", range(80))
def test_random_programs_give_what_python_gives(group):
  tally = Tally()
  for seed in range(2 * group, 2 * group + 2):
    writer = Writer(seed)
    compare(writer.source(), lambda writer=writer, seed=seed: writer.calls(seed), tally)
  assert tally.num_plain <= tally.num_returned // 4 + 4, [*tally.reasons]
