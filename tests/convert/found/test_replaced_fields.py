"""`_replace` of named tuples: of nodes, of what a run makes, of classes with a `__new__`."""

import collections
import typing

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees
from tests.convert.found.collected import collector

programs, program = collector()


class Tree(typing.NamedTuple):
  key: int
  value: typing.Any
  left: typing.Any = None
  right: typing.Any = None


class Doubling(collections.namedtuple("Doubling", "a b")):
  __slots__ = ()

  def __new__(cls, a, b=5):
    return super().__new__(cls, a * 2, b)


class Turned(collections.namedtuple("Turned", "a b")):
  __slots__ = ()

  def __iter__(self):
    return reversed([self[0], self[1]])


def tree():
  return Tree(5, "five", Tree(3, "three"), Tree(8, "eight", Tree(7, "seven")))


def keys():
  return [(tree(), 4, "new"), (tree(), 7, "other"), (None, 1, "only"), (Tree(1, "one"), 1, "two")]


@program(CONVERTED, keys)
def inserted(recursive):
  @recursive
  def insert(t, key, value):
    if t is None:
      return Tree(key, value)
    if key < t.key:
      return t._replace(left=insert(t.left, key, value))
    if key > t.key:
      return t._replace(right=insert(t.right, key, value))
    return t._replace(value=value)

  return insert


@program(CONVERTED, lambda: [(tree(),), (Tree(1, None),)])
def several_fields(recursive):
  @recursive
  def twice(t):
    if t is None:
      return None
    more = t._replace(key=t.key * 2, left=twice(t.left), right=twice(t.right))
    fields = {"value": more.key}
    return more._replace(), more._replace(**fields), more

  return twice


@program(CONVERTED, lambda: [(Doubling(1, 2),), (Doubling(3),)])
def nothing_is_made_by_new(recursive):
  @recursive
  def changed(t):
    return t._replace(a=t.b)

  return changed


@program(Reason.OPAQUE_CALL, lambda: [(Turned(1, 2),)])
def elements_of_ones_own(recursive):
  @recursive
  def changed(t):
    return t._replace(a=7)

  return changed


@program(None, lambda: [(tree(),), (None,)])
def no_such_field(recursive):
  @recursive
  def changed(t):
    return t._replace(nothing=7)

  return changed


@pytest.mark.parametrize(("build", "expect", "calls"), programs)
def test_replace_is_pythons(build, expect, calls):
  agrees(build, calls, expect)
