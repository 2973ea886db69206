"""`tf.control_dependencies` in a body: what is to come after a call does."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

INT = tf.TensorSpec([], tf.int32)
pytestmark = pytest.mark.parametrize("scheduler", ["auto", "concurrent"])


def in_a_branch(f, n):
  return tf.cond(n <= 0, lambda: 0, lambda: f(n - 1))


def in_a_case(f, n):
  return tf.switch_case(tf.minimum(n, 1), [lambda: 0, lambda: f(n - 1)])


def mapped_in_a_branch(f, n):
  return tf.cond(n <= 0, lambda: 0, lambda: tf.reduce_sum(f.map([n - 1])))


CALLS = [in_a_branch, in_a_case, mapped_in_a_branch]


class Last:
  """Notes what came last, in one of several ways."""

  def __init__(self):
    self.value = tf.Variable(-1)
    self.row = tf.Variable([-1, -1])
    self.table = tf.lookup.experimental.MutableHashTable(tf.int32, tf.int32, -1)
    self.queue = tf.queue.FIFOQueue(9, [tf.int32], [[]])

  def assign(self, n):
    self.value.assign(n)

  def scatter(self, n):
    self.row.scatter_update(tf.IndexedSlices(n[tf.newaxis], [0]))

  def insert(self, n):
    self.table.insert(0, n)

  def enqueue(self, n):
    self.queue.enqueue(n)

  def read(self, note):
    if note == "enqueue":
      return self.queue.dequeue_many(4).numpy()[-1]
    found = {"assign": lambda: self.value, "scatter": lambda: self.row[0]}
    return found.get(note, lambda: self.table.lookup(0))().numpy()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("note", ["assign", "scatter", "insert", "enqueue"])
@pytest.mark.parametrize("named", [False, True])
def test_an_effect_waits_for_a_call(scheduler, call, note, named):
  last = Last()
  with rtf.SubGraph("f", scheduler=scheduler, outputs=INT) as f:
    n = f.input(tf.int32)
    below = call(f, n)
    with tf.control_dependencies([below]):
      if named:
        n = tf.identity(n)
      else:
        getattr(last, note)(n)
    if named:
      getattr(last, note)(n)
    f.output(below)
  for _ in range(5):
    f(3)
    assert last.read(note) == 3


@pytest.mark.parametrize("call", CALLS)
def test_a_read_waits_for_a_call(scheduler, call):
  count = tf.Variable(0)
  with rtf.SubGraph("f", scheduler=scheduler, outputs=INT) as f:
    n = f.input(tf.int32)
    count.assign_add(1)
    below = call(f, n)
    with tf.control_dependencies([below]):
      f.output(count.read_value() + 0 * below)
  for _ in range(5):
    count.assign(0)
    assert f(3).numpy() == 4


@pytest.mark.parametrize("is_explicit", [True, False])
@pytest.mark.parametrize("python", [tf.py_function, tf.numpy_function])
def test_reads_before_and_after_what_python_writes(scheduler, python, is_explicit):
  count = tf.Variable(0)

  def add():
    count.assign_add(1)
    return np.int32(0)

  with rtf.SubGraph("f", scheduler=scheduler, outputs=INT) as f:
    n = f.input(tf.int32)
    before = count.read_value()
    with tf.control_dependencies([before] if is_explicit else []):
      done = python(add, [], tf.int32)
    with tf.control_dependencies([done] if is_explicit else []):
      written = count.read_value() - before
    f.output(tf.cond(n <= 0, lambda: written, lambda: written + f(n - 1)))
  for _ in range(5):
    assert f(3).numpy() == 4
  assert f.map([3, 3, 0]).numpy().tolist() == [4, 4, 1]


def test_a_body_that_the_other_scheduler_has_differentiated(scheduler):
  with rtf.SubGraph("inner", scheduler="concurrent") as inner:
    n, x = inner.input(tf.int32), inner.input(tf.float32)
    inner.output(tf.cond(n <= 0, lambda: x, lambda: inner(n - 1, x * x)))
  inputs = tf.constant(1.5)
  for _ in range(2):
    with tf.GradientTape() as tape:
      tape.watch(inputs)
      y = inner(2, inputs)
    np.testing.assert_allclose(tape.gradient(y, inputs), 4 * 1.5**3)
    assert "many frames at once" in str(inner.explain())
  with rtf.SubGraph("outer", scheduler=scheduler) as outer:
    m, z = outer.input(tf.int32), outer.input(tf.float32)
    outer.output(tf.cond(m <= 0, lambda: inner(1, z), lambda: outer(m - 1, 2.0 * z)))
  np.testing.assert_allclose(outer(2, inputs), 36.0)
