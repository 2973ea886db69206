"""Numbers as strings by a format: f-strings, `format` and `%`, also of None and by none it has."""

import math

import pytest

from tests.convert.agreement import CONVERTED, agrees

NUMBERS = [0.0, -0.0, 1.0, -1.5, 100000.0, 1e6, 1234567.0, 1e16, 1e-5, 0.0001, 2.5, 1 / 3, 1e300]
NUMBERS += [
  5e-324,
  1e22,
  math.pi * 1e10,
  math.inf,
  -math.inf,
  math.nan,
  0.5,
  3.5,
  999999.5,
  99999.95,
]


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


WRITTEN = {
  "g": lambda x: f"{x:g}",
  "f": lambda x: f"{x:f}",
  "e": lambda x: f"{x:e}",
  "digits": lambda x: f"{x:.3g} {x:.0g} {x:.1e} {x:.0e} {x:.17g} {x:.2f}",
  "format": lambda x: format(x, ".4g") + format(x) + format(x, ""),
  "percent": lambda x: "%g %.3e %.2f" % (x, x, x),  # noqa: UP031 - another way to write it.
  "method": lambda x: "{:g} {:.2e}".format(x, x),  # noqa: UP032 - another way to write it.
}
OTHERS = {
  "width": lambda x: f"{x:8.2f}",
  "upper": lambda x: f"{x:G}",
  "wrong": lambda x: f"{x:q}",
  "string": lambda x: f"{x:s}",
  "int": lambda x: f"{x:d}",
  "shown": lambda x: f"{x!r:.3}",
  "by_value": lambda x: format(x, ".2f" if x else ".1f"),
  "of_known": lambda x: f"{'a':.2f}" if x else "",
  "of_none": lambda x: format(None, ".2f") if x else f"{None}",
}


SHOWN = {
  "none": lambda n: f"{None:.2f}" if n.v == 2 else "",
  "of_float": lambda n: f"{n.v:d}",
  "of_string": lambda n: f"{'a':d}" if n.v == 2 else f"{n.v}",
  "of_repr": lambda n: f"{n.v!r:.2f}",
  "of_either": lambda n: f"{n.v if n.v < 3 else 2.5:d}",
}


@pytest.mark.parametrize("shown", SHOWN)
def test_formats_that_a_value_does_not_have_in_what_is_printed(shown):
  def build(recursive):
    @recursive
    def f(n):
      n.seen = 1
      print(SHOWN[shown](n))
      for k in n.kids:
        f(k)

    return f

  trees = [([1, 4],), ([1, 2],), ([1.5],), ([2],), ([3, 3],)]
  agrees(build, lambda: [(tree(*one),) for one in trees])


def tree(values):
  return Node(values[0], *[Node(v) for v in values[1:]])


VALUES = {
  "floats": [tree(NUMBERS), tree(NUMBERS[3:5])],
  "ints": [tree([0, -7, 10**6, 123456789]), tree([3])],
  "both": [tree([0, 2.5, -7, 1e6]), tree([3, 2.0]), tree([0.5])],
  "none": [tree([0.5, 2.0]), tree([0.5, None]), tree([None]), tree([1.0])],
  "bools": [tree([True, False]), tree([True])],
  "strings": [tree(["a", "b"]), tree([1.5, "c"]), tree([2.5])],
}


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("written", [*WRITTEN, *OTHERS])
def test_formats_write_what_python_writes(written, values):
  write = WRITTEN.get(written) or OTHERS[written]

  def build(recursive):
    @recursive
    def f(n):
      return write(n.v) + ";" + ";".join([f(k) for k in n.kids])

    return f

  is_sure = written in WRITTEN and (values == "floats" or (values, written) == ("ints", "g"))
  agrees(build, lambda: [(one,) for one in VALUES[values]], expect=CONVERTED if is_sure else None)
