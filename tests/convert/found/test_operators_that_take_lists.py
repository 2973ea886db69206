"""`xs += x`, where `x` has an operator of its own: Python asks that before it changes the list."""

import enum

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, of_one, root

T = tf.constant([1.0, 2.0])
V = tf.Variable([0.5, 2.0])
A = np.array([1.0, 2.0])


class Taking:
  """Takes lists, and can be gone over."""

  def __init__(self, *parts):
    self.parts = parts

  def __radd__(self, other):
    return (len(other), self.parts)

  def __rmul__(self, other):
    return [*other, "taken"]

  def __iter__(self):
    return iter(self.parts)


def pair(v):
  found = root()
  found.pair = [v, 2.0]
  found.kids = []
  return found


def trees():
  return [(pair(1.0),), (pair(2.5),), (pair(-1.0),)]


def of_the_tree(f, n):
  found = n.pair
  found += T
  return found


def an_attribute(f, n):
  n.pair += T
  return n.v


def made(f, n):
  found = [n.v, 1]
  found += T
  return found


def by_a_variable(f, n):
  found = n.pair
  found += V
  return found


def by_an_array(f, n):
  found = n.pair
  found += A
  return found


def by_an_object(f, n):
  found = [n.v]
  found += Taking(1, 2)
  return found


class TakingList(list):
  """A list that takes others."""

  def __radd__(self, other):
    return ("taken", len(other))


TAKING_LIST = TakingList([1, 2])


def by_a_derived_list(f, n):
  found = [n.v]
  found += TAKING_LIST
  return found


def multiplied(f, n):
  found = n.pair
  found *= T
  return found


def multiplied_by_an_object(f, n):
  found = [n.v]
  found *= Taking(1, 2)
  return found


_OTHERS = (of_the_tree, an_attribute, made, by_a_variable, by_an_array, by_an_object, multiplied)
_OTHERS += (multiplied_by_an_object, by_a_derived_list)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", _OTHERS, ids=lambda f: f.__name__)
def test_such_an_operator_is_asked_first(program):
  agrees(of_one(program), trees)


def by_lists(f, n):
  found = [n.v]
  found += [n.name, n.flag]
  found += (n.v, n.v + 1)
  found += (k.v for k in n.kids)
  found += {"a": 1, "b": 2}
  found += n.name
  found *= 2
  return found, [f(k) for k in n.kids]


def test_what_has_none_is_added_in_place():
  agrees(of_one(by_lists), lambda: [(root(),), (bushy(),), (Node(1, True, "xyz"),)])


def counted(f, n):
  found = [n.v]
  same = found
  found += [k.v for k in n.kids]
  return len(same) + sum(f(k) for k in n.kids)


def test_the_list_stays_the_one_it_is():
  agrees(of_one(counted), lambda: [(root(),), (bushy(),)], expect=CONVERTED)


class OnlyTaking:
  """Has operators for what is left of it, and says so."""

  def __init__(self):
    self.count = 0

  def __radd__(self, other):
    self.count += 1
    print("taken", len(other))
    return self.count

  __rmul__ = __rsub__ = __ror__ = __rmatmul__ = __radd__


class Derived(list):
  pass


class Level(enum.IntEnum):
  LOW = 1
  HIGH = 2


DERIVED = Derived([1])
_OPERATORS = {
  "list": lambda n, taking: [n.v] + taking,
  "tuple": lambda n, taking: (n.v,) + taking,
  "known": lambda n, taking: [1, 2] + taking,
  "times": lambda n, taking: [n.v] * taking,
  "minus": lambda n, taking: [n.v] - taking,
  "dict": lambda n, taking: {"a": n.v} | taking,
  "derived": lambda n, taking: DERIVED + [n.v],
  "beside derived": lambda n, taking: [n.v] + DERIVED,
}
_REPEATED = {
  "bool": lambda n: True * [n.v],
  "bool behind": lambda n: [n.v, n.name] * True,
  "tuple": lambda n: (n.v, n.name) * True,
  "nested": lambda n: [[n.v]] * True,
  "none": lambda n: False * [n.v],
  "member": lambda n: [n.v] * Level.HIGH,
  "summed": lambda n: sum([n.v] * True),
}


def _of(ask):
  return of_one(lambda f, n: (ask(n), [f(k) for k in n.kids]))


def _taking(ask):
  def build(recursive):
    taking = OnlyTaking()

    @recursive
    def f(n):
      return ask(n, taking), [f(k) for k in n.kids]

    return f, [taking]

  return build


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", _OPERATORS)
def test_no_operator_of_the_users_is_run_while_converting(name):
  agrees(_taking(_OPERATORS[name]), lambda: [(root(),), (bushy(),)])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", _REPEATED)
def test_a_bool_or_a_member_repeats_as_the_int_that_it_is(name):
  agrees(_of(_REPEATED[name]), lambda: [(root(),), (bushy(),)])
