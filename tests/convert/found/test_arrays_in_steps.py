"""A step that reads an array of NumPy from outside is a graph, and sees what becomes of it."""

import types

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.compare import Comparison


def loop(w, x):
  for a in w.many:
    x = x * a
  return x


def turns(w, x):
  for i in w.ints:
    x = x + w.a[i]
  return x


def descent(w, x):
  with tf.GradientTape() as tape:
    loss = tf.reduce_sum(w.weights * w.a * x)
  gradient = tape.gradient(loss, w.weights)
  w.weights.assign_sub(0.1 * gradient)
  return loss, gradient


def branch(w, x):
  y = w.a
  if tf.reduce_sum(x) > 11.0:
    y = w.a * 2.0
  return x + y


STEPS = (
  lambda w, x: x + w.a,
  lambda w, x: (w.a is w.same, x + w.a + w.same),
  lambda w, x: x * w.table["a"] + w.table["b"],
  lambda w, x: tf.gather(x, w.ints),
  lambda w, x: (isinstance(w.a, np.ndarray), isinstance(x, np.ndarray), x + w.a.shape[0]),
  lambda w, x: (w.a * 2.0, x),
  lambda w, x: tf.reduce_all(w.a == x),
  loop,
  turns,
  descent,
  branch,
)


def _world():
  a = np.float32([1, 2])
  return types.SimpleNamespace(
    a=a,
    same=a,
    ints=np.array([0, 1, 1]),
    table={"a": np.float32([1, 2]), "b": np.float32([3, 4])},
    many=[np.float32([1, 2]), np.float32([5, 6])],
    weights=tf.Variable([[1.0, 2.0], [3.0, 4.0]]),
  )


def _changed_in_place(w):
  w.a[0], w.ints[2], w.table["b"][0], w.many[1][1] = 9, 0, -1, 0.5


def _replaced(w):
  w.a, w.same = np.float32([4, 4]), np.float32([4, 4])


def _of_two_axes(w):
  w.a = np.float32([[1, 1], [2, 2]])


def _a_tensor(w):
  w.a = tf.constant([1.0, 2.0])


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("change", [_changed_in_place, _replaced, _of_two_axes, _a_tensor])
def test_a_step_sees_the_array_as_it_is_now(step, change):
  worlds = _world(), _world()
  function = rtf.function(lambda x: step(worlds[1], x))
  x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

  def compare(of_world):
    expected = step(worlds[0], of_world(worlds[0]))
    got = function(of_world(worlds[1]))
    Comparison().check([worlds[0], expected], [worlds[1], got], "state and result")

  compare(lambda w: x)
  compare(lambda w: x + 1.0)
  assert function.stats.num_converted_runs == 2, function.explain()
  compare(lambda w: w.a)  # One array under two names.
  for w in worlds:
    change(w)
  compare(lambda w: x)
  compare(lambda w: x + 1.0)
  compare(lambda w: w.a)
