"""What TensorFlow's arithmetic optimizer makes other numbers of: stacks of one tensor.

`tf.stack([c, c])` of a later result of an op, or of anything in a branch, is made a copy of the
op's first result (TensorFlow 2.21). Converted programs are run without that optimizer.
"""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.function import harness


def later_result(x):
  _, _, c = tf.unstack(x)
  return tf.stack([c, c])


def later_result_times_one(x):
  _, _, c = tf.unstack(x)
  return tf.stack([c, c * 1.0])


def in_a_branch(x):
  if tf.reduce_sum(x) > 0:
    return tf.stack([x, x * 1.0])
  return tf.stack([x, x * 2.0])


def in_a_branch_of_a_loop(x):
  y = tf.zeros([2, 3])
  for row in x:
    if tf.reduce_sum(row) > 0:
      y = y + tf.stack([row, row * 1.0])
  return y


def the_largest_of_each_row(x):
  return [max([row, row * 1.0], key=lambda t: float(tf.reduce_sum(t))) for row in x]


def numbers_in_a_branch(x):
  n = 0
  if tf.reduce_sum(x) > 0:
    n = sum([len(x), len(x)])
  return tf.fill([n + 1, n + 1], 0.5)


def gradient_inside(x):
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.zeros([3])
    if tf.reduce_sum(x) > 0:
      a, b, _ = tf.unstack(x)
      y = a + b
    loss = tf.reduce_sum(y * y)
  return tape.gradient(loss, x, unconnected_gradients="zero")


PROGRAMS = [
  later_result, later_result_times_one, in_a_branch, in_a_branch_of_a_loop,
  the_largest_of_each_row, numbers_in_a_branch, gradient_inside,
]  # fmt: skip
X = [[0.1, -0.4, 0.7], [0.5, 0.2, -0.3], [1.0, 2.0, 3.0]]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_stacks_of_one_tensor_are_what_they_are_in_python(program):
  x = tf.constant(X)
  report = harness.run("stacks", lambda: (program, [(x,), (-x,), (x + 1.0,)], None))
  assert (report.difference, report.num_plain_runs) == (None, 0), report


def halves(x):
  if tf.reduce_sum(x) > 0:
    a, b = tf.unstack(x[:2])
    return a + b
  return x[0]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_tape_outside_sees_the_gradient_of_a_branch(sign):
  found = []
  for function in (halves, rtf.function(halves, verify=False)):
    x = tf.constant(X) * sign
    with tf.GradientTape() as tape:
      tape.watch(x)
      loss = tf.reduce_sum(function(x) ** 2)
    found.append(tape.gradient(loss, x))
  tf.debugging.assert_near(*found)


@pytest.mark.parametrize("scheduler", ["batched", "concurrent"])
def test_bodies_of_subgraphs_stack_what_they_are_given(scheduler):
  with rtf.SubGraph(scheduler=scheduler) as f:
    n, x = f.input(tf.int32), f.input(tf.float32, [3, 3])

    def end():
      _, _, c = tf.unstack(x)
      return tf.concat([tf.stack([c, c * 1.0]), c[tf.newaxis]], 0)

    f.output(tf.cond(n <= 0, end, lambda: f(n - 1, x * 2.0)))
  for call in (f, tf.function(f)):
    tf.debugging.assert_near(call(2, X), [[4.0, 8.0, 12.0]] * 3)


def test_tensorflow_is_still_wrong():
  """When this fails, TensorFlow is mended: `_tf_internals.call_exactly` may go."""
  x = tf.constant(X)
  assert not tf.reduce_all(tf.function(later_result)(x) == later_result(x))
