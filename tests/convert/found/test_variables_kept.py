"""Variables that a program keeps, gives back or puts in order: the variable itself, never a copy.

Python keeps the `tf.Variable`; what a later call assigns to it is seen through both names. A graph
has only its value, so what would keep that is refused.
"""

import pytest
import tensorflow as tf

from tests.convert.agreement import agrees
from tests.convert.function import harness


class Box:
  """Anything that things are kept in."""


class Pair:
  """Two values."""

  def __init__(self, first, second):
    self.first, self.second = first, second


class Model:
  """Two weights, another object that has one, and places to keep things in."""

  def __init__(self):
    self.w = tf.Variable([1.0, 2.0])
    self.v = tf.Variable([3.0, -4.0])
    self.box = Box()
    self.box.w = tf.Variable([5.0, 6.0])
    self.last = None
    self.list, self.dict = [], {}
    self.full, self.known = [tf.zeros([2])], {"a": tf.zeros([2])}


def itself(m, x):
  return m.w


def of_another_object(m, x):
  return m.box.w


def in_a_tuple(m, x):
  return m.w, x


def in_a_list(m, x):
  return [x, m.w]


def in_a_list_of_lists(m, x):
  return [[m.w], [m.v]]


def in_a_dict(m, x):
  return {"w": m.w}


def in_an_object(m, x):
  return Pair(m.w, x)


def by_condition(m, x):
  return m.w if tf.reduce_sum(x) > 0 else m.v


def or_a_tensor(m, x):
  return m.w if tf.reduce_sum(x) > 0 else x


def or_none(m, x):
  return m.w if tf.reduce_sum(x) > 0 else None


def the_largest(m, x):
  return max([m.w, m.v], key=lambda one: float(tf.reduce_sum(one)))


def in_order(m, x):
  return sorted([m.w, m.v], key=lambda one: float(tf.reduce_sum(one)))


def of_a_loop(m, x):
  found = []
  for one in (m.w, m.v):
    found.append(one)
  return found


def as_attribute(m, value):
  m.last = value


def as_new_attribute(m, value):
  m.new = value


def of_a_box(m, value):
  m.box.last = value


def by_append(m, value):
  m.list.append(value)


def by_extend(m, value):
  m.list.extend([value, value])


def by_insert(m, value):
  m.full.insert(0, value)


def as_item_of_a_list(m, value):
  m.full[0] = value


def by_key(m, value):
  m.dict["k"] = value


def by_known_key(m, value):
  m.known["a"] = value


def by_default(m, value):
  m.dict.setdefault("k", value)


def given_back(m, value):
  return value


def given_back_and_kept(m, value):
  m.last = value
  return value


WHAT = [
  itself, of_another_object, in_a_tuple, in_a_list, in_a_list_of_lists, in_a_dict, in_an_object,
  by_condition, or_a_tensor, or_none, the_largest, in_order, of_a_loop,
]  # fmt: skip
HOW = [
  as_attribute, as_new_attribute, of_a_box, by_append, by_extend, by_insert, as_item_of_a_list,
  by_key, by_known_key, by_default, given_back, given_back_and_kept,
]  # fmt: skip


def name_of(function):
  return function.__name__


@pytest.mark.parametrize("how", HOW, ids=name_of)
@pytest.mark.parametrize("what", WHAT, ids=name_of)
def test_a_variable_that_is_kept_is_the_variable(what, how):
  def make():
    m = Model()

    def step(x):
      return how(m, what(m, x))

    def assign():
      for one in (m.w, m.v, m.box.w):
        one.assign_add([1.0, 1.0])

    x = tf.constant([1.0, 2.0])
    return step, [(x,), assign, (x,), (-x,), assign, (x,)], lambda: vars(m)

  report = harness.run(name_of(how), make)
  assert report.difference is None, report


@pytest.mark.parametrize("how", HOW, ids=name_of)
def test_what_a_variable_holds_may_be_kept(how):
  def make():
    m = Model()

    def step(x):
      m.w.assign_add(x)
      return how(m, m.w + 0.0)

    x = tf.constant([1.0, 2.0])
    return step, [(x,), (x,), (-x,), (x,)], lambda: vars(m)

  report = harness.run(name_of(how), make)
  assert report.difference is None, report
  assert report.num_graph_runs, report.explanation


class Node:
  """A node with a variable of its own."""

  def __init__(self, v, *kids):
    self.w, self.kids, self.last = tf.Variable([float(v), 1.0]), list(kids), None


def tree():
  return Node(1, Node(2), Node(3, Node(4), Node(5)))


@pytest.mark.parametrize("kept", ["node", "model", "list", "dict", "pair"])
@pytest.mark.parametrize("of", ["node", "model"])
def test_a_recursive_function_keeps_the_variable(kept, of):
  def build(recursive):
    m = Model()

    @recursive
    def visit(n):
      w = n.w if of == "node" else m.w
      if kept == "node":
        n.last = w
      elif kept == "model":
        m.last = w
      elif kept == "list":
        m.list.append(w)
      elif kept == "dict":
        m.dict["w"] = w
      else:
        n.last = (w, tf.reduce_sum(w))
      total = tf.reduce_sum(w)
      for kid in n.kids:
        total += visit(kid)
      return total

    return visit, [m]

  def between(m):
    for one in (m.w, m.v):
      one.assign_add([1.0, 1.0])

  agrees(build, lambda: [(tree(),), (tree(),)], before=between)


def test_a_variable_replaced_by_a_tensor_in_one_branch_stays_in_the_other():
  def make():
    m = Model()

    def step(x):
      if tf.reduce_sum(x) > 0:
        m.w = x
      return tf.reduce_sum(m.w)

    x = tf.constant([1.0, 2.0])
    return step, [(-x,), lambda: m.w.assign_add(x), (-x,), (x,), (x,)], lambda: vars(m)

  report = harness.run("branch", make)
  assert report.difference is None, report
