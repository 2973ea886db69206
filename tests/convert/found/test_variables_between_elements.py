"""A step's iterators read and write variables one element after the other, as Python makes them."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


def scaled(w, xs):
  for x in xs:
    yield x * w


def added(w, xs):
  for x in xs:
    w.assign_add(x)
    yield w + 0.0


def loop(w, xs):
  total = tf.constant(0.0)
  for y in scaled(w, xs):
    w.assign_add(y)
    total += y
  return total


def loop_over_writes(w, xs):
  total = tf.constant(0.0)
  for y in added(w, xs):
    w.assign(y * 2.0)
    total += y
  return total


def left_early(w, xs):
  for y in added(w, xs):
    if y > 3.0:
      return y
  return tf.constant(0.0)


def first(w, xs):
  return next(added(w, xs)), w + 0.0


def search(w, xs):
  return any(y > 3.0 for y in added(w, xs)), w + 0.0


def total(w, xs):
  return sum(y * w for y in added(w, xs))


def gradient(w, xs):
  with tf.GradientTape() as tape:
    loss = tf.add_n([y * y for y in scaled(w, xs)])
  found = tape.gradient(loss, w)
  w.assign_sub(0.1 * found)
  return loss, found


def loop_over_an_expression(w, xs):
  result = tf.constant(0.0)
  for y in (x * w for x in xs):
    w.assign_add(y)
    result += y
  return result


def two_at_once(w, xs):
  return [a + b for a, b in zip(scaled(w, xs), added(w, xs), strict=True)]


def argument_behind(w, xs):
  return sum((x * w for x in xs), w.assign_add(1.0) + 0.0)


def mapped(w, xs):
  return [y + w.assign_add(1.0) for y in map(lambda x: x * w, xs)]


GRAPHS = (loop, loop_over_writes, left_early, first, search, total, gradient)
REFUSED = (loop_over_an_expression, two_at_once, argument_behind, mapped)


@pytest.mark.parametrize("step", [*GRAPHS, *REFUSED], ids=lambda f: f.__name__)
def test_steps_do_what_python_does(step):
  variables = tf.Variable(1.0), tf.Variable(1.0)
  function = rtf.function(step, verify=False)
  for numbers in ([1.0, 2.0, 3.0], [2.0, 0.5, 1.5], [0.25, 0.5, 0.25]):
    xs = [tf.constant(x) for x in numbers]
    expected, got = step(variables[0], xs), function(variables[1], xs)
    tf.nest.map_structure(lambda a, b: tf.debugging.assert_equal(a, b), expected, got)
    tf.debugging.assert_equal(*variables)
  reasons = {reason for reason, count in function.stats.fallbacks.items() if count}
  assert reasons == ({Reason.EFFECT_ORDER} if step in REFUSED else set()), function.explain()
