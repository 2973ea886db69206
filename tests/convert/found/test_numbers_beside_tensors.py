"""Python's numbers given to TensorFlow's functions beside a tensor: they take its type."""

import itertools

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_one

BY_EITHER = (
  *(tf.equal, tf.not_equal, tf.less, tf.less_equal, tf.greater, tf.greater_equal),
  *(tf.maximum, tf.minimum, tf.subtract, tf.multiply, tf.pow, tf.math.floordiv, tf.math.floormod),
  *(tf.math.squared_difference, tf.math.atan2),
)
BY_FIRST = tf.add, tf.divide, tf.math.divide_no_nan, tf.math.multiply_no_nan
TYPES = tf.float32, tf.float64, tf.int32, tf.int64, tf.float16, tf.uint8, tf.bool
NUMBERS = {
  "ints": (1, 2, -3),
  "floats": (1.5, 0.1, -2.0),
  "large": (2**40, 1, 300),
  "bools": (True, True),
}


class Node:
  def __init__(self, value, *kids):
    self.value, self.kids = value, list(kids)


def _trees(values):
  nodes = [Node(value) for value in values]
  return [(Node(values[0], *nodes),), (nodes[0],), (Node(values[-1], Node(values[0], nodes[-1])),)]


def _of(function, dtype, order):
  def program(f, n):
    own = tf.cast([1, 3, 2], dtype)
    if order == "tensor_first":
      found = function(own, n.value)
    elif order == "number_first":
      found = function(n.value, own)
    else:
      found = function(own, y=n.value)
    return found, [f(k) for k in n.kids]

  return of_one(program)


@pytest.mark.one_in(60)
@pytest.mark.parametrize("order", ["tensor_first", "number_first", "by_name"])
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("function", [*BY_EITHER, *BY_FIRST], ids=lambda f: f.__name__)
def test_types_are_those_of_eager_execution(function, dtype, numbers, order):
  agrees(_of(function, dtype, order), lambda: _trees(NUMBERS[numbers]))


@pytest.mark.parametrize(
  ("function", "order"),
  [*itertools.product(BY_EITHER, ["tensor_first", "number_first"]), (tf.add, "tensor_first")],
  ids=lambda one: one if isinstance(one, str) else one.__name__,
)
def test_numbers_of_nodes_are_converted(function, order):
  agrees(_of(function, tf.float64, order), lambda: _trees((1, 2, 3)), CONVERTED)


def test_choices_by_a_mask_take_numbers():
  def program(f, n):
    own = tf.constant([0.5, 2.0])
    return tf.where(own > 1, own, n.value), tf.where(own > 1, n.value, own), [f(k) for k in n.kids]

  agrees(of_one(program), lambda: _trees((1, 2.5, -3)))
  agrees(of_one(program), lambda: _trees((1, 2, -3)), CONVERTED)


def test_a_hit_is_told_by_the_label():
  def program(f, n):
    logits = tf.one_hot(n.value, 4) + tf.range(4, dtype=tf.float32)
    hit = tf.cast(tf.equal(tf.argmax(logits), n.value), tf.int32)
    return hit + tf.add_n([f(k) for k in n.kids]) if n.kids else hit

  agrees(of_one(program), lambda: _trees((1, 3, 2)), CONVERTED)
