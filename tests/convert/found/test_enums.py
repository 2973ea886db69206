"""Members of enumerations: compared, looked up, named, of plain ones and of `IntEnum` and such."""

import enum
import operator

import pytest

from tests.convert.agreement import CONVERTED, agrees


class Plain(enum.Enum):
  NUMBER = 1
  ADD = 2
  PLUS = 2  # Another name of ADD.
  NEG = "neg"


class Int(enum.IntEnum):
  NUMBER = 1
  ADD = 2
  PLUS = 2
  NEG = 5


class Str(str, enum.Enum):
  NUMBER = "number"
  ADD = "add"
  PLUS = "add"
  NEG = "neg"


class OtherInt(enum.IntEnum):
  NUMBER = 1
  ADD = 7


class Loose(enum.Enum):
  NUMBER = 1
  ADD = 2
  PLUS = 3
  NEG = 4

  def __eq__(self, other):
    return isinstance(other, Loose) and self.value % 2 == other.value % 2

  def __hash__(self):
    return 1


class Shifted(enum.IntEnum):
  """Its values are not the ints that its members are."""

  NUMBER = 1
  ADD = 2
  PLUS = 3
  NEG = 4

  def __new__(cls, value):
    made = int.__new__(cls, value % 2)
    made._value_ = value
    return made


class E:
  def __init__(self, kind, v=0, *kids):
    self.kind, self.v, self.kids = kind, v, list(kids)


KINDS = [Plain, Int, Str, Loose, Shifted]
EXACT = [Plain, Int, Str]


def trees(kind):
  def number(v):
    return E(kind.NUMBER, v)

  inner = E(kind.ADD, 0, number(2), E(kind.NEG, 0, number(3)))
  return [number(4), E(kind.NEG, 0, number(1)), inner, E(kind.PLUS, 1, inner, inner, number(9))]


def _equal(kind, e, visit):
  if e.kind == kind.NUMBER:
    return e.v
  if e.kind == kind.ADD:
    return sum([visit(k) for k in e.kids])
  return -visit(e.kids[0]) if e.kind != kind.PLUS else 100


def _identical(kind, e, visit):
  if e.kind is kind.NUMBER:
    return e.v
  return (3 if e.kind is not kind.NEG else 2) + sum([visit(k) for k in e.kids])


def _match(kind, e, visit):
  match e.kind:
    case kind.NUMBER:
      return e.v
    case kind.NEG:
      return -visit(e.kids[0])
    case _:
      return sum([visit(k) for k in e.kids])


def _in_a_tuple(kind, e, visit):
  return (e.kind in (kind.ADD, kind.NEG)) + 2 * sum([visit(k) for k in e.kids])


def _in_a_set(kind, e, visit):
  return (e.kind in {1: {kind.ADD, kind.NEG}}[1]) + 2 * sum([visit(k) for k in e.kids])


def _same_as_the_kids(kind, e, visit):
  return sum([(k.kind == e.kind) * 3 + visit(k) for k in e.kids])


def _passed(kind, e, visit):
  def count(one, wanted):
    return (1 if one.kind == wanted else 0) + sum([count(k, wanted) for k in one.kids])

  return count(e, kind.NUMBER) * 10 + count(e, kind.PLUS)


def _named(kind, e, visit):
  return (3 if e.kind.name == "ADD" else 1) * 5 + sum([visit(k) for k in e.kids])


WAYS = [
  *(_equal, _identical, _match, _in_a_tuple, _in_a_set, _same_as_the_kids, _passed, _named),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("way", WAYS, ids=lambda f: f.__name__[1:])
def test_members(kind, way):
  def build(recursive):
    @recursive
    def visit(e):
      return way(kind, e, visit)

    return visit

  is_exact = kind in EXACT and way is not _in_a_set
  agrees(build, lambda: [(t,) for t in trees(kind)], expect=CONVERTED if is_exact else None)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_tables_of_members(kind):
  costs = {kind.NUMBER: 1, kind.ADD: 20, kind.NEG: 300}

  def build(recursive):
    @recursive
    def visit(e):
      return costs[e.kind] + sum([visit(k) for k in e.kids])

    return visit

  agrees(build, lambda: [(t,) for t in trees(kind)], expect=CONVERTED if kind is Plain else None)


def test_tables_of_functions():
  apply = {Plain.ADD: operator.add, Plain.NEG: lambda a, b: -a}

  def build(recursive):
    @recursive
    def visit(e):
      if e.kind == Plain.NUMBER:
        return e.v
      return apply[e.kind](visit(e.kids[0]), visit(e.kids[-1]))

    return visit

  agrees(build, lambda: [(t,) for t in trees(Plain)], expect=CONVERTED)


def test_a_table_that_changes():
  costs = {Plain.NUMBER: 1, Plain.ADD: 20, Plain.NEG: 300}

  def build(recursive):
    own = dict(costs)

    @recursive
    def visit(e):
      return own[e.kind] + sum([visit(k) for k in e.kids])

    return visit, [own]

  def change(own):
    own[Plain.ADD] += 5

  agrees(build, lambda: [(t,) for t in trees(Plain)], before=change)


@pytest.mark.parametrize("field", ["value", "_value_", "name"])
def test_names_and_values(field):
  def build(recursive):
    @recursive
    def visit(e):
      return [getattr(e.kind, field), *[x for k in e.kids for x in visit(k)]]

    return visit

  agrees(build, lambda: [(t,) for t in trees(Int)], expect=CONVERTED)
  agrees(build, lambda: [(t,) for t in trees(Plain)])
  agrees(build, lambda: [(t,) for t in trees(Shifted)])


def test_ints_and_members():
  def build(recursive):
    @recursive
    def visit(e):
      found = (e.kind == 1) + 2 * (e.kind < Int.NEG) + 4 * (2 <= e.kind) + 8 * (e.kind != e.v)
      return found + 16 * sum([visit(k) for k in e.kids])

    return visit

  agrees(build, lambda: [(t,) for t in trees(Int)], expect=CONVERTED)
  agrees(build, lambda: [(t,) for t in trees(Shifted)])


def test_strings_and_members():
  def build(recursive):
    @recursive
    def visit(e):
      return (e.kind == "add") + 2 * ("neg" == e.kind) + 4 * sum([visit(k) for k in e.kids])

    return visit

  agrees(build, lambda: [(t,) for t in trees(Str)], expect=CONVERTED)


def test_members_of_two_enumerations():
  def build(recursive):
    @recursive
    def visit(e):
      return (e.kind == OtherInt.NUMBER) + 2 * sum([visit(k) for k in e.kids])

    return visit

  def mixed():
    return [(E(Int.NUMBER, 0, E(OtherInt.NUMBER), E(OtherInt.ADD)),), (E(Plain.ADD, 0),)]

  agrees(build, lambda: [(t,) for t in trees(Int)], expect=CONVERTED)
  agrees(build, mixed)


def test_no_member():
  def build(recursive):
    @recursive
    def visit(e):
      found = (e.kind == Plain.ADD) + 2 * (e.kind is None) + 4 * (e.kind in (Plain.NEG, None))
      return found + 8 * sum([visit(k) for k in e.kids])

    return visit

  agrees(build, lambda: [(E(None, 0, E(Plain.ADD), E(Plain.NEG)),), (E(Plain.ADD),)])


def test_a_class_with_its_own_value():
  class Named(enum.Enum):
    A = 1
    B = 2

    @property
    def value(self):
      return 7

  def build(recursive):
    @recursive
    def visit(e):
      return e.kind.value + sum([visit(k) for k in e.kids])

    return visit

  agrees(build, lambda: [(E(Named.A, 0, E(Named.B)),)])


def test_members_that_carry_more():
  """What a member has of its own may be changed between calls."""

  class Weighted(enum.Enum):
    A = 1
    B = 2

    @property
    def weight(self):
      return self._value_ * 10

  def build(recursive):
    @recursive
    def visit(e):
      return e.kind.weight + sum([visit(k) for k in e.kids])

    return visit

  agrees(build, lambda: [(E(Weighted.A, 0, E(Weighted.B)),)], expect=CONVERTED)


def _made(kind, e, visit):
  """A member that a condition chooses, in a list, passed on and returned."""
  found = [kind.ADD if k.v > 1 else kind.NEG for k in e.kids]
  both = (kind.NEG if found and found[0] == kind.ADD else kind.ADD, sum([visit(k) for k in e.kids]))
  return both[1] * 2 + (1 if both[0] is kind.ADD else 3) + len([x for x in found if x == kind.NEG])


def _returned(kind, e, visit):
  return kind.ADD if e.v > 1 else kind.NEG


def _handed_down(kind, e, visit):
  def walk(one, last):
    found = 1 if last == kind.ADD else 2
    return found + 3 * sum([walk(k, kind.NEG if last is kind.ADD else kind.ADD) for k in one.kids])

  return walk(e, kind.ADD)


@pytest.mark.parametrize("way", [_made, _returned, _handed_down], ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", EXACT, ids=lambda kind: kind.__name__)
def test_members_that_the_program_chooses(kind, way):
  def build(recursive):
    @recursive
    def visit(e):
      return way(kind, e, visit)

    return visit

  agrees(build, lambda: [(tree,) for tree in trees(kind)], expect=CONVERTED)
