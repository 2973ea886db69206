"""Comparisons of what runs make and write, and of classes that change between calls."""

import dataclasses
import enum

import pytest

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, agrees, summing
from tests.convert.compared.nodes import Base


class Point:
  def __init__(self, x, y):
    self.x, self.y = x, y

  def __eq__(self, other):
    return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)

  def __lt__(self, other):
    return (self.x, self.y) < (other.x, other.y)

  __hash__ = None


@dataclasses.dataclass(order=True)
class Pair:
  x: int
  y: float


class Level(enum.Enum):
  LOW = 1
  MIDDLE = 2
  HIGH = 3

  def __lt__(self, other):
    return self.value < other.value


class Levelled(Base):
  def __init__(self, level, *kids):
    super().__init__(level.value, *kids)
    self.level = level


class Valued(Base):
  def __eq__(self, other):
    return self.v == other.v

  def __lt__(self, other):
    return self.v < other.v

  __hash__ = None


ONE, TWO = Point(1, 1), Point(2, 1)


def _weighted(points):
  return sum(i * point.x for i, point in enumerate(points))


def where(n):
  pairs = [Pair(kid.v, 0.5) for kid in n.kids]
  return pairs.index(Pair(3, 0.5)) if Pair(3, 0.5) in pairs else -1


MADE = {
  "equal": lambda n: 1 if Point(n.v, 1) == Point(len(n.kids), 1) else 0,
  "sorted": lambda n: _weighted(sorted([Point(kid.v, n.v) for kid in n.kids])),
  "max": lambda n: max([Point(kid.v, n.v) for kid in n.kids]).x if n.kids else 0,
  "max of two": lambda n: max(Point(n.v, 1), Point(2, n.v)).x,
  "records": lambda n: 1 if Pair(n.v, 0.5) < Pair(1, n.v / 2) else 0,
  "records in a list": where,
  "records sorted": lambda n: _weighted(sorted([Pair(kid.v, n.v / 2) for kid in n.kids])),
  "a known one": lambda n: 1 if ONE == Point(n.v, 1) else 0,
  "known ones": lambda n: 1 if ONE == TWO else n.v,
}
LEVELS = {
  "less": lambda n: sum(1 if kid.level < n.level else 0 for kid in n.kids),
  "less than a known one": lambda n: 1 if n.level < Level.HIGH else 0,
  "max": lambda n: max(kid.level for kid in n.kids).value if n.kids else 0,
  "sorted": lambda n: sum(
    i * kid.v for i, kid in enumerate(sorted(n.kids, key=lambda kid: kid.level))
  ),
}


def _trees(kind=Base):
  return [(kind(1, kind(3), kind(2, kind(1), kind(0)), kind(3)),), (kind(2),)]


@pytest.mark.parametrize("ask", MADE)
def test_what_a_run_makes_is_compared(ask):
  agrees(summing(MADE[ask]), _trees, CONVERTED)


@pytest.mark.parametrize("ask", LEVELS)
def test_members_of_enumerations_are_compared(ask):
  low, middle, high = Level
  calls = [(Levelled(low, Levelled(middle), Levelled(high, Levelled(low)), Levelled(low)),)]
  agrees(summing(LEVELS[ask]), lambda: [*calls, (Levelled(high),)], CONVERTED)


def test_an_object_in_a_list_that_the_run_makes_may_be_the_same_one():
  agrees(summing(lambda n: 1 if Point(n.v, 1) in [Point(k.v, 1) for k in n.kids] else 0), _trees)


def sorting(recursive):
  @recursive
  def f(n):
    n.kids.sort()
    return n.v + sum([f(kid) for kid in n.kids])

  return f


def writing_what_is_compared(recursive):
  @recursive
  def f(n):
    n.v += len(n.kids)
    return (1 if n in n.kids else 0) + n.kids.count(n) + sum([f(kid) for kid in n.kids])

  return f


def comparing_lists_of_what_is_written(recursive):
  @recursive
  def f(n):
    n.v += 1
    return (1 if n.kids == n.kids[1:] else 0) + sum([f(kid) for kid in n.kids])

  return f


def removing(recursive):
  @recursive
  def f(n):
    if n in n.kids:
      n.kids.remove(n)
    return n.v + sum([f(kid) for kid in n.kids])

  return f


def choosing(recursive):
  @recursive
  def f(n):
    found = n
    for kid in n.kids:
      best = f(kid)
      if found < best:
        found = best
    return found

  return f


def choosing_among_all(recursive):
  @recursive
  def f(n):
    return max([n] + [f(kid) for kid in n.kids])

  return f


def changing_a_known_one(recursive):
  known, other = Valued(1), Valued(2)

  @recursive
  def f(n):
    known.v = n.v
    return (1 if known == other else 0) + sum([f(kid) for kid in n.kids])

  return f, [known]


@pytest.mark.parametrize(
  "build",
  [
    *(sorting, writing_what_is_compared, comparing_lists_of_what_is_written, removing),
    *(choosing, choosing_among_all, changing_a_known_one),
  ],
)
def test_nodes_are_compared_between_writes(build):
  agrees(build, lambda: _trees(Valued), CONVERTED)


def test_what_is_collected_is_compared():
  def build(recursive):
    @recursive
    def f(n, seen):
      if n not in seen:
        seen.append(n)
      for kid in n.kids:
        f(kid, seen)
      return seen

    return f

  agrees(build, lambda: [(*args, []) for args in _trees(Valued)], CONVERTED)


def _equal_by_less(one, two, number):
  if number == 2:
    one.__eq__ = lambda self, other: self.v < other.v
  if number == 4:
    del two.__eq__


def _answers_come_and_go(one, two, number):
  if number == 2:
    del one.__eq__
  if number == 3:
    one.__ne__ = lambda self, other: True
  if number == 4:
    two.__eq__ = lambda self, other: NotImplemented


def _orders_come(one, two, number):
  if number == 0:
    one.__lt__ = lambda self, other: self.v < other.v
  if number == 2:
    two.__gt__ = lambda self, other: True
  if number == 4:
    two.__lt__ = lambda self, other: False


@pytest.mark.parametrize(
  ("change", "ask"),
  [
    (_equal_by_less, lambda n: sum(1 if kid == n else 0 for kid in n.kids)),
    (_answers_come_and_go, lambda n: sum(1 if kid != n else 0 for kid in n.kids)),
    (_answers_come_and_go, lambda n: 1 if n in n.kids else 0),
    (_orders_come, lambda n: sum(1 if kid < n else 0 for kid in n.kids)),
    (_orders_come, lambda n: sum(i * kid.v for i, kid in enumerate(sorted(n.kids)))),
  ],
)
def test_classes_that_change_are_asked_anew(change, ask):
  spec = (1, (1,), (3, (1,), (3,)), (2, (2,)), (4, (1,)))
  found = []
  for decorate in (lambda f: f, lambda f: rtf.recursive(f, verify=False)):

    class One(Base):
      def __eq__(self, other):
        return self.v == other.v

      __hash__ = None

    class Two(One):
      def __eq__(self, other):
        return self.v != other.v

      __hash__ = None

    f = summing(ask)(decorate)

    def tree(part, one=One, two=Two):
      kind = one if part[0] % 2 else two
      return kind(part[0], *(tree(inner, one, two) for inner in part[1:]))

    results = []
    for number in range(6):
      change(One, Two, number)
      results.append(f(tree(spec)))
    found.append(results)
  assert found[0] == found[1]
  assert f.stats.num_converted_runs
