"""Programs of bodies: what conditionals choose is made in place, what nobody needs is not kept.

Values are compared with those of the concurrent scheduler, which has no such program.
"""

import itertools

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.batching import _program

ROW = tf.TensorSpec([1, 2])


def units_of(f):
  """Returns the units of a body as (kind, payload)."""

  @tf.function
  def run(roots):
    return f.map(roots)

  graph = run.get_concrete_function(tf.TensorSpec([None], tf.int32)).graph
  (launch,) = [op for op in graph.get_operations() if op.type == "RecursiveTf>LaunchBatched"]
  reader = iter(launch.get_attr("program"))

  def read(count=1):
    taken = list(itertools.islice(reader, count))
    found.extend(taken)
    return taken

  found = []
  num_units = read(5 + 6)[-1]
  units = []
  for _ in range(num_units):
    kind, _ = read(2)
    begin = len(found)
    _program._READERS[kind](read)
    units.append((kind, found[begin:]))
  return units


def countdown(choose, scheduler="batched", scale=1.5):
  """Returns a recursion over n; `choose` makes the two rows that a frame with n > 0 returns."""
  with rtf.SubGraph("countdown", scheduler=scheduler, outputs=(ROW, ROW)) as f:
    n = f.input(tf.int32)
    x = tf.reshape(tf.cast(n + 1, tf.float32), [1, 1]) * tf.constant([[0.1, 0.2]]) * scale
    weights = tf.constant([[0.5, -0.25], [0.125, 1.0]]) * scale
    leaf = lambda: (tf.exp(x * scale), tf.cos(x))  # noqa: E731
    f.output(tf.cond(n <= 0, leaf, lambda: choose(f, n, x, weights)))
  return f


def made_by_a_block(f, n, x, weights):
  a, _ = f(n - 1)
  return tf.tanh(tf.matmul(a, weights)), a * x


def one_value_twice(f, n, x, weights):
  a, _ = f(n - 1)
  h = tf.tanh(tf.matmul(a, weights) + x)
  return h, h


def used_in_the_branch_too(f, n, x, weights):
  a, b = f(n - 1)
  h = tf.tanh(a + x)
  c, _ = f(tf.cast(h[0, 0] * 0.0, tf.int32))
  return h, b + c


def what_a_call_returned(f, n, x, weights):
  a, b = f(n - 1)
  return b, a


def from_outside(f, n, x, weights):
  a, _ = f(n - 1)
  return x, a + 1.0


def constants(f, n, x, weights):
  a, _ = f(n - 1)
  return tf.ones([1, 2]), tf.sin(a)


def another_conditional(f, n, x, weights):
  a, b = f(n - 1)

  def odd():
    c, _ = f(n - 2)
    return tf.sin(a) + c, b

  return tf.cond(n % 2 == 1, odd, lambda: (tf.cos(b), a * weights[0]))


def in_a_loop(f, n, x, weights):
  a, b = f(n - 1)

  def turn(i, total, last):
    low = tf.reduce_sum(total) < 1.0
    total, last = tf.cond(low, lambda: (tf.exp(total), b), lambda: (last, tf.sin(total)))
    return i + 1, total, last

  return tf.while_loop(lambda i, *_: i < 2, turn, (0, x, a))[1:]


CHOICES = [
  made_by_a_block,
  one_value_twice,
  used_in_the_branch_too,
  what_a_call_returned,
  from_outside,
  constants,
  another_conditional,
  in_a_loop,
]


@pytest.mark.parametrize("choose", CHOICES, ids=lambda choose: choose.__name__)
def test_what_branches_return_is_the_same_under_both_schedulers(choose):
  roots = tf.constant([0, 3, 1, 4, 2, 3], tf.int32)

  def run(scheduler):
    scale = tf.constant(1.5)
    with tf.GradientTape() as tape:
      tape.watch(scale)
      h, other = countdown(choose, scheduler, scale).map(roots)
      loss = tf.reduce_sum(h * h) + tf.reduce_sum(other * [[[1.0, -2.0]]])
    return h, other, tape.gradient(loss, scale)

  batched, concurrent = tf.function(run)("batched"), tf.function(run)("concurrent")
  assert abs(float(concurrent[2])) > 0.1
  for ours, expected in zip(batched, concurrent, strict=True):
    np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)


def num_copied(choose):
  units = units_of(countdown(choose))
  return sum(payload[0] for kind, payload in units if kind == _program.COPY)


def test_what_a_branch_makes_is_not_copied():
  assert num_copied(made_by_a_block) == 0
  assert num_copied(what_a_call_returned) == 0
  assert num_copied(one_value_twice) == 2
  assert num_copied(from_outside) == 1


def test_a_block_is_all_that_a_branch_needs():
  with rtf.SubGraph("count", outputs=tf.TensorSpec([])) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: tf.exp(tf.cast(n, tf.float32)), lambda: f(n - 1) * 0.5))
  kinds = [kind for kind, _ in units_of(f)]
  expected = [*[_program.BLOCK] * 4, _program.SWITCH, _program.CALL, _program.RETURN]
  assert sorted(kinds) == sorted(expected)
  np.testing.assert_allclose(f.map(tf.constant([0, 3])), [1.0, 0.125])


def test_a_result_that_no_caller_reads_has_no_register():
  calls = [p for kind, p in units_of(countdown(made_by_a_block)) if kind == _program.CALL]
  (payload,) = calls
  # The callee, its arguments, its results.
  assert payload[0] == 0 and payload[1] == 1 and payload[3] == 2
  assert payload[4] >= 0 and payload[5] == -1
