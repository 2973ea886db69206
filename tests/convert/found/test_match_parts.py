"""`match`: patterns of sequences and mappings, of what a run makes, and what they must not do."""

import collections
import dataclasses
import enum

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees
from tests.convert.found.collected import Pair, collector

programs, program = collector()


@dataclasses.dataclass
class Num:
  v: object


@dataclasses.dataclass
class Add:
  a: object
  b: object


class Color(enum.Enum):
  RED = 0
  BLACK = 1


@dataclasses.dataclass
class Tree:
  color: Color
  left: object
  key: float
  right: object


class Holder:
  """Counts how often its number is read."""

  __match_args__ = ("v", "w")

  def __init__(self, v, w=None):
    self._v, self._w, self.reads = v, w, 0

  @property
  def v(self):
    self.reads += 1
    return self._v

  @property
  def w(self):
    if self._w == "none":
      raise KeyError("w")
    return self._w


class Asked:
  """Counts how often it is compared."""

  def __init__(self, v):
    self.v, self.asked = v, 0

  def __eq__(self, other):
    self.asked += 1
    return self.v == other


class Items(list):
  """A list that gives other elements one by one."""

  def __iter__(self):
    return iter([7, 8])


Point = collections.namedtuple("Point", "x y")
RED, BLACK = Color.RED, Color.BLACK


def formulas():
  inner = ("not", ("and", "p", ("or", ("not", "q"), "r")))
  return [(f,) for f in (inner, "p", ("not", ("not", "x")), ("or", inner, inner))]


@program(CONVERTED, formulas)
def tuples_in_tuples(recursive):
  @recursive
  def nnf(f):
    match f:
      case ("not", ("not", g)):
        return nnf(g)
      case ("not", ("and", a, b)):
        return ("or", nnf(("not", a)), nnf(("not", b)))
      case ("not", ("or", a, b)):
        return ("and", nnf(("not", a)), nnf(("not", b)))
      case ("and" | "or" as op, a, b):
        return (op, nnf(a), nnf(b))
      case _:
        return f

  return nnf


def sums():
  deep = Add(Num(3.0), Add(Num(0.0), Add(Num(1.0), Num(0.0))))
  return [(deep,), (Num(0.0),), (Add(Num(0.0), Num(5.0)),)]


@program(CONVERTED, sums)
def what_calls_return(recursive):
  @recursive
  def simplify(e):
    match e:
      case Add(a, b):
        match simplify(a), simplify(b):
          case Num(p), Num(q):
            return Num(p + q)
          case (Num(0), x) | (x, Num(0)):
            return x
          case x, y:
            return Add(x, y)
      case _:
        return e

  return simplify


def search_trees():
  leaf = Tree(RED, None, 1.0, None)
  left = Tree(BLACK, Tree(RED, leaf, 2.0, None), 3.0, None)
  return [(None, 1.0), (leaf, 0.5), (left, 0.5)]


@program(CONVERTED, search_trees)
def balanced(recursive):
  def balance(t):
    match t:
      case Tree(Color.BLACK, Tree(Color.RED, Tree(Color.RED, a, x, b), y, c), z, d):
        pass
      case Tree(Color.BLACK, a, x, Tree(Color.RED, b, y, Tree(Color.RED, c, z, d))):
        pass
      case _:
        return t
    return Tree(RED, Tree(BLACK, a, x, b), y, Tree(BLACK, c, z, d))

  @recursive
  def insert(t, key):
    if t is None:
      return Tree(RED, None, key, None)
    if key < t.key:
      return balance(Tree(t.color, insert(t.left, key), t.key, t.right))
    return balance(Tree(t.color, t.left, t.key, insert(t.right, key)))

  return insert


@program(CONVERTED, lambda: [([1, [2, 3], [[4], 5]],), ([],), (7,), ([[]],), ((1, [2]),)])
def lists_in_lists(recursive):
  @recursive
  def value(e):
    match e:
      case int():
        return e
      case []:
        return 0
      case [x]:
        return 10 * value(x)
      case [x, *xs]:
        return value(x) + 2 * value(xs)

  return value


KINDS = "abc", [1, 2, 3], (1, 2), {"a": 1}, {}, None, 5, 2.5, True, [], (), Point(4, 5)


@program(CONVERTED, lambda: [(Pair([Num(v) for v in KINDS]),)])
def what_matches_what(recursive):
  def kind(v):
    match v:
      case Point(x=_):
        return "point"
      case [_, _, _]:
        return "three"
      case [_, _]:
        return "two"
      case []:
        return "empty"
      case {"a": _}:
        return "a"
      case {}:
        return "mapping"
      case None | True:
        return "one of them"
      case str():
        return "text"
      case int(i):
        return str(i)
      case float():
        return "float"

  @recursive
  def kinds(e):
    return [kind(one.v) for one in e.a]

  return kinds


def terms():
  product = {"op": "mul", "args": [{"op": "num", "v": 2}, {"op": "num", "v": 5}]}
  return [({"op": "add", "args": [{"op": "num", "v": 3}, product]},), ({"op": "num", "v": 7},)]


@program(CONVERTED, terms)
def dicts(recursive):
  @recursive
  def value(e):
    match e:
      case {"op": "num", "v": v}:
        return v
      case {"op": "add", "args": [a, b]}:
        return value(a) + value(b)
      case {"op": "mul", "args": [first, *rest]}:
        return value(first) * value(rest[0])

  return value


@program(CONVERTED, lambda: [({"a": 1, "b": 2, "c": 3},), ({"a": 1, "b": 2},), ({"a": 4},), ({},)])
def the_rest_of_a_dict(recursive):
  @recursive
  def parts(e):
    match e:
      case {"a": x, "b": y, **rest}:
        return x + y, rest
      case {"a": 1, **rest}:
        return rest, 0
      case {**rest}:
        return rest, e

  return parts


@program(CONVERTED, lambda: [([1, 2, 3],), ([1],), ([],), ((1, 2),), ("ab",)])
def the_rest_is_a_new_list(recursive):
  @recursive
  def parts(e):
    match e:
      case [a, *rest, _]:
        rest.append(a)
        return e, rest
      case [*rest]:
        rest.append(0)
        return e, rest
    return e, [1]

  return parts


def pairs():
  return [
    (Pair(Num(1), Num(2)),),
    (Pair(Num(9), Num(2)),),
    (Pair(Add(3, 4), Num(0)),),
    (Pair(1, Pair(Num(5), 0)),),
  ]


@program(CONVERTED, pairs)
def names_in_alternatives_and_a_guard(recursive):
  @recursive
  def value(e):
    x = -1
    match e:
      case Pair(Num(x) | Add(x, _), Num(y)) if x > 2:
        return x, y
      case Pair(Num(y)):
        return x, y  # The guard has bound x.
    return value(e.b)

  return value


@program(CONVERTED, pairs)
def a_guard_with_effects(recursive):
  log = []

  def large(x):
    log.append(x)
    return x > 2

  @recursive
  def value(e):
    match e:
      case Pair(Num(x), Num(y)) if large(x) and large(y):
        return 1
      case Pair(_, Num(y)) if large(y + 2):
        return y
      case Pair(b=Pair() as other):
        return value(other)
    return len(log)

  return value, [log]


@program(None, lambda: [(Pair(2, [1]),), (Pair(5, [7]),)])
def a_guard_that_changes_what_it_asks_of(recursive):
  @recursive
  def value(e):
    made = Pair(e.a, [e.a, 7]) if e.a > 2 else Pair(e.a, [3])

    def changes():
      made.b = [5, 5]
      return True

    match made:
      case Pair(2 | 5, kept) if changes():
        return kept, made.b

  return value


@program(Reason.EFFECT_ORDER, lambda: [(Holder([1, 2]),), (Holder([3]),)])
def a_property_that_would_be_read_twice(recursive):
  @recursive
  def value(e):
    match e:
      case Holder(v=[a, b]):
        return a + b
    return 0

  return value


@program(Reason.EFFECT_ORDER, lambda: [(Pair(Asked(1), 2),), (Pair(Asked(2), 3),)])
def a_comparison_that_counts(recursive):
  @recursive
  def value(e):
    match e:
      case Pair(a=1, b=y):
        return y
    return 0

  return value


@program(None, lambda: [(Pair(Holder(1, "none"), 0),), (Pair(Holder(2, 3), 0),)])
def a_property_that_raises_though_another_part_does_not_match(recursive):
  @recursive
  def value(e):
    match e.a:
      case Holder(w=y, _v=2):
        return y
    return 0

  return value


@program(None, lambda: [(Pair(1, 2),), (Num(1),), (Items([1, 2]),), ({"a": 3},)])
def errors_and_items_of_ones_own(recursive):
  key = Num

  @recursive
  def value(e):
    match e:
      case Pair(x, a=1):
        return x
      case Num(1, 2):
        return 0
      case {"a": x, key.__name__: _}:
        return x
      case {Reason.SYNTAX: x, Reason.SYNTAX: _}:
        return x
      case [a, b]:
        return a + b

  return value


@pytest.mark.parametrize(("build", "expect", "calls"), programs)
def test_a_match_is_pythons(build, expect, calls):
  agrees(build, calls, expect)
