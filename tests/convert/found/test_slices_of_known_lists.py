"""Slices of lists and tuples of known length by what only the run knows: they were refused."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_one

BOUNDS = (-5, -3, -1, 0, 1, 2, 7)


class Node:
  def __init__(self, name, value, bound, *kids):
    self.name, self.value, self.bound, self.kids = name, value, bound, list(kids)


def tree(bound):
  inner = Node("i", 5, -bound, Node("x", 1, bound), Node("y", 2, 0))
  return Node("r", 3, bound, inner, Node("b", -2, 2), Node("c", 4, -1))


OWNERS = {
  "strings": lambda n: [n.name, "u", "w"],
  "numbers": lambda n: [n.value, 2, 3],
  "ints and floats": lambda n: [n.value, n.value * 0.5, 9],
  "kinds": lambda n: [n.value, n.name, None],
  "objects": lambda n: [n, n.kids, n],
  "nodes": lambda n: [n, n, n],
  "lists": lambda n: [[n.value], [2], [3]],
  "dicts": lambda n: [{"a": n.value}, {"a": 2}],
  "made": lambda n: [Node("m", n.value, 1), Node("o", 1, n.bound)],
  "tuples": lambda n: [(n.value, n.name), (2, "z")],
  "a tuple": lambda n: (n.value, 2, 3),
  "a tuple of kinds": lambda n: (n.value, n.name),
  "an empty list": lambda n: [],
}
SLICES = {
  "from": lambda xs, n: xs[n.bound :],
  "to": lambda xs, n: xs[: n.bound],
  "between": lambda xs, n: xs[n.bound : n.value],
  "back": lambda xs, n: xs[2 : n.bound : -1],
  "last": lambda xs, n: xs[-n.bound :],
}


@pytest.mark.parametrize("owner", OWNERS)
@pytest.mark.parametrize("sliced", SLICES)
def test_slices_are_returned(owner, sliced):
  make, take = OWNERS[owner], SLICES[sliced]

  def build(recursive):
    @recursive
    def f(n):
      xs = make(n)
      found = take(xs, n)
      return len(found), found, xs, [f(kid) for kid in n.kids]

    return f

  agrees(build, lambda: [(tree(bound),) for bound in BOUNDS])
  agrees(build, lambda: [(tree(1),)], expect=CONVERTED)


def joined(f, n):
  return "-".join(["a", n.name][-n.bound :]) + "/" + "".join([f(kid) for kid in n.kids])


def looped(f, n):
  seen, total = [n.name], ""
  for kid in n.kids:
    seen.append(kid.name)
    total += "|".join(seen[-n.bound :]) + ";"
  return total + "".join([f(kid) for kid in n.kids])


def compared(f, n):
  xs = [n.value, 2]
  return xs[n.bound :] == [2], 2 in xs[: n.bound], (n.value, 2)[: n.bound] < (3,), [*map(f, n.kids)]


def changed(f, n):
  xs = [n.value, 2]
  ys = xs[n.bound :]
  ys.append(7)
  return xs, ys, [f(kid) for kid in n.kids]


def changed_inside(f, n):
  xs = [[n.value], [2], [3]]
  for x in xs[n.bound :]:
    x.append(1)
  return xs, [f(kid) for kid in n.kids]


def added_up(f, n):
  return sum([n.value, 2, 3][n.bound :]) + sum(f(kid) for kid in n.kids)


def printed(f, n):
  for x in [n.value, n.name, 9][n.bound :]:
    print(x)
  return 1 + sum(f(kid) for kid in n.kids)


def grown(f, n):
  kept = [n.value]
  return f(n.kids[0]) + kept[n.bound :] if n.kids else kept[: n.bound]


@pytest.mark.parametrize(
  "program", [joined, looped, compared, changed, changed_inside, added_up, printed, grown]
)
def test_slices_are_used(program):
  agrees(of_one(program), lambda: [(tree(bound),) for bound in BOUNDS], expect=CONVERTED)


def test_a_step_of_none_raises():
  def build(recursive):
    @recursive
    def f(n):
      return [n.value, 2, 3][:: n.bound], [f(kid) for kid in n.kids]

    return f

  agrees(build, lambda: [(Node("a", 1, bound),) for bound in (2, -1, 0, 1)])
  agrees(build, lambda: [(Node("a", 1, bound),) for bound in (2, -1, 1)], expect=CONVERTED)


def test_strings_are_no_bounds():
  def build(recursive):
    @recursive
    def f(n, seen):
      found = seen + [n.value]
      return [found[n.bound :], *(part for kid in n.kids for part in f(kid, found))]

    return f

  agrees(build, lambda: [(Node("a", 1, bound, Node("b", 2, bound)), []) for bound in (1, "x", 0)])
