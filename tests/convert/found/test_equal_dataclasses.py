"""Objects of dataclasses are equal as their fields are, where the class says nothing else."""

import dataclasses
import itertools
import math

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, agrees


@dataclasses.dataclass
class Plain:
  x: object
  y: object


@dataclasses.dataclass(frozen=True, order=True)
class Frozen:
  x: object
  y: object


@dataclasses.dataclass(slots=True)
class Slotted:
  x: object
  y: object


@dataclasses.dataclass
class InPart:
  x: object
  y: object = dataclasses.field(compare=False)


@dataclasses.dataclass
class Derived(Plain):
  pass


class Inherits(Plain):
  pass


@dataclasses.dataclass(eq=False)
class Single:
  x: object
  y: object


@dataclasses.dataclass
class Own:
  x: object
  y: object

  def __eq__(self, other):
    return self.x == other.x


class Asked(Plain):
  def __getattribute__(self, name):
    return object.__getattribute__(self, name)


_KINDS = [Plain, Frozen, Slotted, InPart, Derived, Inherits, Single, Own, Asked]
_FIELDS = {
  "ints": [(1, 2), (1, 3), (2, 2), (1, 2)],
  "strings": [("a", "b"), ("a", "c"), ("b", "b"), ("a", "b")],
  "floats": [(0.0, 1.5), (-0.0, 1.5), (1.0, 2.5), (0.0, 1.5)],
  "nan": [(1.0, math.nan), (math.nan, 1.0), (1.0, 2.0), (1.0, math.nan)],
  "none": [(1, None), (None, 1), (1, 1), (1, None)],
  "tuples": [((1, 2), 3), ((1, 3), 3), ((1, 2), 4), ((1, 2), 3)],
  "mixed": [(1, "a"), (1.0, "a"), (True, "a"), ("1", "a")],
  "tensors": [(tf.constant(1.0), 1), (tf.constant(2.0), 1), (tf.constant(1.0), 2), (1.0, 1)],
}


class Node:
  def __init__(self, pos, *kids):
    self.pos, self.kids = pos, list(kids)


def equal(pos, target):
  return 1 if pos == target else 0


def unequal(pos, target):
  return 1 if pos != target else 0


def in_tuple(pos, target):
  return 1 if pos in (target, pos) else 0


_USES = [equal, unequal, in_tuple]


def _calls(kind, fields):
  def make(values):
    return kind(*values)

  def calls():
    tree = Node(
      make(fields[0]), Node(make(fields[1])), Node(make(fields[2]), Node(make(fields[3])))
    )
    return [*((tree, make(values)) for values in fields), (tree, tree.pos)]

  return calls


@pytest.mark.parametrize("kind, fields", list(itertools.product(_KINDS, _FIELDS)))
def test_objects_of_a_dataclass_are_compared(kind, fields):
  use = _USES[(_KINDS.index(kind) + list(_FIELDS).index(fields)) % len(_USES)]

  def build(recursive):
    @recursive
    def count(n, target):
      return use(n.pos, target) + sum([count(k, target) for k in n.kids])

    return count

  is_converted = kind in _KINDS[:6] and fields in ("ints", "strings") and use is not in_tuple
  agrees(build, _calls(kind, _FIELDS[fields]), expect=CONVERTED if is_converted else None)


def test_a_comparison_that_is_replaced():
  @dataclasses.dataclass
  class Changing:
    x: int

  def build(recursive):
    @recursive
    def count(n, target):
      return (1 if n.pos == target else 0) + sum([count(k, target) for k in n.kids])

    return count

  plain = build(lambda function: function)
  ours = build(lambda function: rtf.recursive(function, verify=False))
  tree, generated = Node(Changing(1), Node(Changing(2))), Changing.__eq__
  for own in (generated, lambda self, other: True, lambda self, other: self.x > 1, generated):
    Changing.__eq__ = own
    assert ours(tree, Changing(1)) == plain(tree, Changing(1))
  assert ours.stats.num_converted_runs >= 2


def test_two_classes_are_not_equal():
  def build(recursive):
    @recursive
    def count(n, target):
      return (1 if n.pos == target else 0) + sum([count(k, target) for k in n.kids])

    return count

  tree = Node(Plain(1, 2), Node(Derived(1, 2)), Node(Frozen(1, 2)))
  agrees(build, lambda: [(tree, Plain(1, 2)), (tree, Derived(1, 2)), (Node(Plain(1, 2)), None)])


def test_tensors_that_are_no_numbers_are_equal_where_they_are_the_same():
  nan, other = tf.constant(math.nan), tf.constant(math.nan)

  def build(recursive):
    @recursive
    def count(n, target):
      return (1 if n.pos == target else 0) + sum([count(k, target) for k in n.kids])

    return count

  tree = Node(Plain(nan, 2), Node(Plain(other, 2)), Node(Plain(tf.constant(1.0), 2)))
  agrees(build, lambda: [(tree, Plain(nan, 2)), (tree, Plain(tf.constant(1.0), 2))])
