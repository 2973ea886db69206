"""Rows are divided between threads where there is work enough, and it makes no difference."""

import os

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.batching import _work
from recursive_tf.batching._plan import plan_for
from recursive_tf.batching._work import frame_work  # Before the fixture that all tests have.

needs_two = pytest.mark.skipif(
  len(os.sched_getaffinity(0)) < 2, reason="with one core nothing is divided"
)


@pytest.fixture
def counted(monkeypatch):
  """Work counts, as it does outside of tests."""
  monkeypatch.setattr(_work, "frame_work", frame_work)


def normal(shape, dtype=tf.float32):
  return tf.random.stateless_normal(shape, [1, 2], dtype=dtype)


def products(width, dtype=tf.float32):
  """A SubGraph that multiplies x [1, D] with a matrix [D, D] n times; and the matrix."""
  weights = tf.Variable(tf.linalg.qr(normal([width, width], dtype))[0])
  with rtf.SubGraph("products") as f:
    n, x = f.input(tf.int32), f.input(dtype, [1, width])
    f.output(tf.cond(n <= 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ weights)))
  return f, weights


def num_shards(call):
  with rtf.record_schedule() as schedule:
    call()
  assert schedule.steps
  return len({step.shard for step in schedule.steps})


def call_of(f, counts, width):
  x = normal([len(counts), 1, width])
  return lambda: f.map(tf.constant(counts), x)


def work_of(f):
  return plan_for([f._body]).frame_work


@pytest.mark.usefixtures("counted")
def test_work_of_a_frame_is_that_of_its_products_on_average_over_branches():
  frame = work_of(products(1)[0])
  assert frame - _work._FRAME < 20
  # One branch of two has the product, and a tanh of each number.
  wide = work_of(products(64)[0])
  assert wide - frame == pytest.approx(64 * 64 / 2, rel=0.1)


@pytest.mark.usefixtures("counted")
def test_gathering_of_a_large_table_is_little_work():
  table = tf.Variable(tf.zeros([100_000, 8]))
  with rtf.SubGraph("lookup") as f:
    i = f.input(tf.int32)
    f.output(tf.gather(table, i))
  assert work_of(f) - _work._FRAME < 100
  assert plan_for([f._body]).frames_per_row == 1


@needs_two
@pytest.mark.usefixtures("counted")
def test_little_work_is_one_part_and_much_is_several():
  f, _ = products(16)
  assert num_shards(call_of(f, [1] * 25, 16)) == 1
  f, _ = products(512)
  assert num_shards(call_of(f, [1] * 2, 512)) == 1
  assert num_shards(call_of(f, [1] * 25, 512)) > 1


@needs_two
@pytest.mark.usefixtures("counted")
def test_training_is_divided_where_inference_is_not():
  f, weights = products(256)
  call = call_of(f, [1] * 20, 256)
  assert num_shards(call) == 1

  def train():
    with tf.GradientTape() as tape:
      y = call()
    assert tape.gradient(y, weights) is not None

  assert num_shards(train) > 1


@needs_two
@pytest.mark.usefixtures("counted")
def test_a_recursion_that_turned_out_very_large_is_divided_the_next_time():
  f, _ = products(1)
  call = call_of(f, [5_000] * 2, 1)
  assert [num_shards(call) for _ in range(2)] == [1, 2]
  assert num_shards(call_of(f, [1] * 2, 1)) == 2  # As the last call was.
  assert num_shards(call_of(f, [1] * 2, 1)) == 1


def test_parts_give_the_numbers_of_the_whole(monkeypatch):
  counts = [3, 0, 2, 1, 4, 2, 5]
  x = normal([len(counts), 1, 8], tf.float64)

  def values(work):
    monkeypatch.setattr(_work, "frame_work", lambda *_: work)
    f, weights = products(8, tf.float64)
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f.map(tf.constant(counts), x)
      loss = tf.reduce_sum(y**2)
    return [y, *tape.gradient(loss, [x, weights])]

  for whole, parts in zip(values(1), values(0), strict=True):
    np.testing.assert_allclose(whole, parts, rtol=1e-12, atol=1e-14)
