"""Equal constants are different tensors where one is differentiated."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import _tf_internals as tfi


def of_a_tape(x):
  one, other = tf.constant(3.0), tf.constant(3.0)
  with tf.GradientTape() as tape:
    tape.watch(one)
    y = one * other * x
  return tape.gradient(y, one)


def of_the_graph(x):
  one, other = tf.constant([3.0]), tf.constant([3.0])
  return tf.gradients(one * other * x, one)[0]


@pytest.mark.parametrize("function", [of_a_tape, of_the_graph])
def test_a_gradient_in_a_body(function):
  with rtf.SubGraph("body") as f:
    f.output(function(f.input(tf.float32, [])))
  assert f(2.0).numpy() == 6.0


def test_a_gradient_in_a_branch_and_a_loop():
  def steps(xs):
    found = []
    for x in xs:
      if x > 0:
        one, other = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
          tape.watch(one)
          y = tf.reduce_sum(one * other) * x
        found.append(tape.gradient(y, one))
      else:
        found.append(tf.zeros([2]))
    return tf.stack(found)

  converted = rtf.function(steps, verify=False)
  for xs in ([1.0, -1.0, 2.0], [1.0], [2.0, 3.0]):
    np.testing.assert_allclose(converted(tf.constant(xs)), steps(tf.constant(xs)))
  assert converted.stats.num_fallback_runs == 0


def test_only_ints_bools_and_strings_are_shared_in_a_graph():
  with tfi.OwnGraph("own").as_default() as graph:
    for value in (3, True, "a", 3.0, 3j):
      first, second = tf.constant(value), tf.constant(value)
      assert (first is second) is not isinstance(value, (float, complex))
    assert tf.constant(3) is not tf.constant(3, tf.int64)
    assert tf.constant([3]) is not tf.constant(3)
  assert len(graph.get_operations()) == 3 + 2 * 2 + 2
