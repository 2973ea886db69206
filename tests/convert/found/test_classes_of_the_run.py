"""`type(x)` where the run finds objects of several classes: compared, looked up, called."""

import operator

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Num:
  def __init__(self, v):
    self.v = v


class Neg:
  def __init__(self, a):
    self.a = a


class Add:
  def __init__(self, a, b):
    self.a, self.b = a, b


class Mul(Add):
  pass


def trees():
  inner = Mul(Num(2), Neg(Num(3)))
  return [(Add(inner, Num(5)),), (Num(1),), (Neg(Mul(Num(4), Add(Num(1), Num(2)))),)]


def by_identity(recursive):
  @recursive
  def value(e):
    if type(e) is Num:
      return e.v
    if type(e) is Neg:
      return -value(e.a)
    if type(e) is Mul:
      return value(e.a) * value(e.b)
    return value(e.a) + value(e.b)

  return value


def by_equality(recursive):
  @recursive
  def value(e):
    kind = type(e)
    if kind == Num:
      return e.v
    if kind != Add and kind != Mul:
      return -value(e.a)
    return value(e.a) * (1 if kind == Add else 2) + value(e.b)

  return value


def by_membership(recursive):
  @recursive
  def size(e):
    if type(e) in (Add, Mul):
      return 1 + size(e.a) + size(e.b)
    return 1 if type(e) not in (Neg,) else 1 + size(e.a)

  return size


def by_exact_class(recursive):
  @recursive
  def count(e):
    if isinstance(e, Add):
      return (10 if type(e) is Add else 1) + count(e.a) + count(e.b)
    return count(e.a) if isinstance(e, Neg) else 0

  return count


def by_name(recursive):
  @recursive
  def value(e):
    name = type(e).__name__
    if name == "Num":
      return e.v
    if name in ("Add", "Mul"):
      return value(e.a) * 3 + value(e.b)
    return -value(e.a)

  return value


def by_table(recursive):
  table = {
    Num: lambda e: e.v,
    Neg: lambda e: -value(e.a),
    Add: lambda e: value(e.a) + value(e.b),
    Mul: lambda e: value(e.a) * value(e.b),
  }

  @recursive
  def value(e):
    return table[type(e)](e)

  return value


def by_table_with_default(recursive):
  def other(e):
    return value(e.a) + value(e.b)

  table = {Num: lambda e: e.v, Neg: lambda e: -value(e.a)}

  @recursive
  def value(e):
    return table.get(type(e), other)(e)

  return value


def by_weights(recursive):
  weights = {"Num": 1, "Neg": 2, "Add": 3, "Mul": 4}

  @recursive
  def total(e):
    own = weights[type(e).__name__] + 0
    if type(e) is Num:
      return own
    return own + total(e.a) + (total(e.b) if type(e) in (Add, Mul) else 0)

  return total


class Visitor:
  def __init__(self):
    self.seen = 0

  def visit_Num(self, e):  # noqa: N802
    self.seen += 1
    return e.v

  def visit_Neg(self, e):  # noqa: N802
    return -self.visit(e.a)

  def generic(self, e):
    return self.visit(e.a) + self.visit(e.b)


def by_visitor(recursive):
  class Own(Visitor):
    @recursive
    def visit(self, e):
      method = getattr(self, "visit_" + type(e).__name__, self.generic)
      return method(e)

  own = Own()
  return own.visit, [own]


def by_visitor_and_format(recursive):
  class Own(Visitor):
    visit_Add = visit_Mul = Visitor.generic  # noqa: N815

    @recursive
    def visit(self, e):
      return getattr(self, f"visit_{type(e).__name__}")(e)

  own = Own()
  return own.visit, [own]


def by_subclass(recursive):
  @recursive
  def size(e):
    if issubclass(type(e), Add):
      return 1 + size(e.a) + size(e.b)
    return 1 + size(e.a) if issubclass(type(e), Neg) else 1

  return size


def by_printing(recursive):
  @recursive
  def show(e):
    print(type(e).__name__)
    if type(e) is not Num:
      show(e.a)
    return 0

  return show


def by_histogram(recursive):
  counts = {"Num": 0, "Neg": 0, "Add": 0, "Mul": 0}

  @recursive
  def visit(e):
    counts[type(e).__name__] += 1
    if type(e) is Num:
      return e.v
    return visit(e.a) + (visit(e.b) if type(e) is not Neg else 0)

  return visit, [counts]


CONVERTING = [
  by_identity,
  by_equality,
  by_membership,
  by_exact_class,
  by_name,
  by_table,
  by_table_with_default,
  by_weights,
  by_histogram,
  by_visitor,
  by_visitor_and_format,
  by_subclass,
  by_printing,
]


@pytest.mark.parametrize("build", CONVERTING)
def test_classes_are_told_apart(build):
  agrees(build, trees, CONVERTED)


class Leaf:
  def __init__(self, x):
    self.x = tf.constant([float(x)])


class Pair:
  def __init__(self, a, b):
    self.a, self.b = a, b


def test_a_class_that_is_not_in_the_table_raises():
  def build(recursive):
    log = []
    table = {Leaf: lambda e: e.x, Pair: lambda e: value(e.a) + value(e.b)}

    @recursive
    def value(e):
      log.append(1)
      found = table[type(e)]
      log.append(2)
      return found(e)

    return value, [log]

  good = Pair(Leaf(1), Pair(Leaf(2), Leaf(3)))
  agrees(build, lambda: [(good,), (Pair(Leaf(1), Num(2)),), (good,), (Leaf(4),)])


class Tree:
  rank = 1

  def __init__(self, v, *kids):
    self.v, self.kids, self.best = v, list(kids), None


class Special(Tree):
  rank = 5


def by_class_attribute(recursive):
  @recursive
  def visit(n):
    return type(n).rank * n.v + sum([visit(kid) for kid in n.kids])

  return visit


def of_none(recursive):
  @recursive
  def visit(n):
    kind = type(n.best)
    found = 1 if kind is Tree else 2 if kind is type(None) else 3
    if n.kids:
      n.best = n.kids[-1]
    return found + sum([visit(kid) for kid in n.kids])

  return visit


def returned(recursive):
  @recursive
  def visit(n):
    return type(n) if not n.kids else visit(n.kids[0])

  return visit


def kept(recursive):
  seen = []

  @recursive
  def visit(n):
    seen.append(type(n))
    seen.append(type(n).__name__)
    n.best = type(n)
    for kid in n.kids:
      visit(kid)

  return visit, [seen]


def made(recursive):
  @recursive
  def visit(n):
    new = type(n)(n.v + 1)
    return new.v + sum([visit(kid) for kid in n.kids])

  return visit


def carried(recursive):
  @recursive
  def visit(n):
    last, same = type(n), 0
    for kid in n.kids:
      same += 1 if type(kid) is last else 0
      last = type(kid)
    return same + sum([visit(kid) for kid in n.kids])

  return visit


def of_both(recursive):
  @recursive
  def visit(n):
    return sum([1 if type(kid) is type(n) else 10 for kid in n.kids]) + sum(map(visit, n.kids))

  return visit


def as_a_key(recursive):
  counts = {}

  @recursive
  def visit(n):
    counts[type(n).__name__] = counts.get(type(n).__name__, 0) + 1
    for kid in n.kids:
      visit(kid)

  return visit, [counts]


class Small:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  def meet_Small(self, other):  # noqa: N802
    return self.v + other.v

  def meet_Large(self, other):  # noqa: N802
    return self.v - other.v


class Large(Small):
  def meet_Small(self, other):  # noqa: N802
    return self.v * other.v


def by_methods_of_the_nodes(recursive):
  @recursive
  def visit(n):
    met = [getattr(n, "meet_" + type(kid).__name__)(kid) for kid in n.kids]
    return sum(met) + sum([visit(kid) for kid in n.kids])

  return visit


def test_methods_of_the_nodes_agree_or_are_refused():
  def calls():
    root = Small(3, Large(5, Small(7), Large(11)), Small(13))
    return [(root,), (Large(2),), (root,)]

  agrees(by_methods_of_the_nodes, calls)


def equal_trees(recursive):
  @recursive
  def equal(a, b):
    if type(a) is not type(b):
      return False
    if type(a) is Num:
      return a.v == b.v
    if type(a) is Neg:
      return equal(a.a, b.a)
    return equal(a.a, b.a) and equal(a.b, b.b)

  return equal


def classes_of_two(recursive):
  log = []

  @recursive
  def both(a, b):
    log.append(type(a) == type(b))  # noqa: E721
    if type(a).__name__ != type(b).__name__ or type(a) is Num:
      return 1
    return 10 + both(a.a, b.a)

  return both, [log]


@pytest.mark.parametrize("build", [equal_trees, classes_of_two])
def test_the_classes_of_two_objects_are_compared(build):
  def calls():
    pairs = [(first, second) for (first,) in trees() for (second,) in trees()]
    return [*pairs, (Mul(Num(1), Num(2)), Add(Num(1), Num(2))), (Neg(Num(1)), Neg(Neg(Num(1))))]

  agrees(build, calls, CONVERTED)


def compared_by_operator(recursive):
  @recursive
  def visit(n):
    return int(operator.eq(type(n), Special)) + sum([visit(kid) for kid in n.kids])

  return visit


@pytest.mark.parametrize(
  "build",
  [
    by_class_attribute,
    of_none,
    returned,
    kept,
    made,
    carried,
    of_both,
    as_a_key,
    compared_by_operator,
  ],
)
def test_other_uses_agree_or_are_refused(build):
  def calls():
    root = Tree(1, Special(2, Tree(3), Special(4)), Tree(5))
    return [(root,), (Special(6),), (root,)]

  agrees(build, calls)


class EqualToOthers(type):
  def __eq__(cls, other):
    return isinstance(other, EqualToOthers) or other is int

  def __hash__(cls):
    return 7


class Odd(Tree, metaclass=EqualToOthers):
  pass


class Even(Tree, metaclass=EqualToOthers):
  rank = 2


def by_equal_classes(recursive):
  @recursive
  def visit(n):
    own = type(n).rank * (3 if type(n) == Even else 1) + (7 if type(n) is Odd else 0)  # noqa: E721
    return own * n.v + sum([visit(kid) for kid in n.kids])

  return visit


@pytest.mark.parametrize("build", [by_equal_classes, by_class_attribute, made, as_a_key])
def test_classes_that_are_equal_to_others(build):
  def calls():
    return [(Odd(1, Even(2)),), (Tree(3, Odd(4), Tree(5, Even(6))),), (Even(7),)]

  agrees(build, calls)
