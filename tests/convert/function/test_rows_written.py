"""Rows that a step writes to a variable: where it is, if nothing can fail then; else in a copy."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

_COPY = "VarHandleOp"


def _types(function):
  graph = next(iter(function._programs)).graphs()[frozenset()].keep.get_concrete_function().graph
  return [op.type for op in graph.get_operations()]


class Words:
  """A table of rows, and a count that is written before them."""

  def __init__(self, shape=(4, 2)):
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) + 1
    self.table = tf.Variable(values)
    self.count = tf.Variable(0.0)

  def held(self):
    return self.table.numpy().tolist(), float(self.count)


def _learn(words, indices):
  with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.gather(words.table, indices) ** 2)
  gradient = tape.gradient(loss, words.table)
  words.table.scatter_sub(tf.IndexedSlices(0.1 * gradient.values, gradient.indices))
  return loss


def _write(method, words, indices, rows):
  words.count.assign_add(1.0)
  getattr(words.table, method)(tf.IndexedSlices(rows, indices))


def _outcome(function, words, *args):
  try:
    result = function(words, *args)
  except tf.errors.InvalidArgumentError:
    return "error", words.held()
  return None if result is None else result.numpy().tolist(), words.held()


def _is_copied(function):
  return any("anonymous" in kind.lower() for kind in _types(function)) or _COPY in _types(function)


def test_rows_of_a_gradient_are_written_in_place():
  step = rtf.function(_learn, strict=True, verify=False)
  plain, mine = Words(), Words()
  for indices in ([0, 1], [1], [2, 2], [], [3, 0, 1], [0, 0, 0]):
    expected = _outcome(_learn, plain, tf.constant(indices, tf.int32))
    assert _outcome(step, mine, tf.constant(indices, tf.int32)) == expected
  assert not _is_copied(step)


@pytest.mark.parametrize("kind", ["sub", "add", "mul", "min", "max", "update", "div"])
@pytest.mark.parametrize("shape", [(4,), (4, 2), (3, 2, 2)])
@pytest.mark.parametrize("of", ["int32", "int64"])
def test_each_write_of_rows_is_pythons(kind, shape, of):
  def write(words, indices, rows):
    _write(f"scatter_{kind}", words, indices, rows)

  step = rtf.function(write, verify=False)
  plain, mine = Words(shape), Words(shape)
  rng = np.random.default_rng(0)
  # The last are out of bounds on either side: nothing is written by the graph, Python raises.
  for indices in ([0, 2], [1], [1, 1, 0], [], [[0, 1], [2, 0]], [0, shape[0]], [1, -1], [2]):
    at = tf.constant(indices, of)
    rows = tf.constant(rng.normal(size=[*at.shape, *shape[1:]]), tf.float32)
    assert _outcome(step, mine, at, rows) == _outcome(write, plain, at, rows)


def test_a_write_out_of_bounds_leaves_what_came_before_it_to_python():
  def write(words, indices, rows):
    _write("scatter_add", words, indices, rows)

  step = rtf.function(write, strict=True, verify=False)
  words = Words()
  for indices in ([0], [1], [2, 3]):
    step(words, tf.constant(indices), tf.ones([len(indices), 2]))
  assert float(words.count) == 3.0
  with pytest.raises(tf.errors.InvalidArgumentError):
    step(words, tf.constant([0, 4]), tf.ones([2, 2]))
  assert float(words.count) == 4.0  # Python's own, once.
  assert step.stats.num_converted_runs == 3


@pytest.mark.parametrize("num_rows", [1, 3])
def test_as_many_rows_as_indices_are_written(num_rows):
  def write(words, indices, rows):
    _write("scatter_add", words, indices, rows)

  step = rtf.function(write, verify=False)
  plain, mine = Words(), Words()
  for count in (2, 3, 4):
    args = tf.zeros([count], tf.int32), tf.ones([count, 2])
    assert _outcome(step, mine, *args) == _outcome(write, plain, *args)
  args = tf.constant([0, 1]), tf.ones([num_rows, 2])
  assert _outcome(step, mine, *args) == _outcome(write, plain, *args)


def _twice(words, indices, rows):
  _write("scatter_add", words, indices, rows)
  _write("scatter_sub", words, indices, 2.0 * rows)


def _read_after(words, indices, rows):
  before = tf.reduce_sum(words.table)
  _write("scatter_mul", words, indices, rows)
  return before + tf.reduce_sum(words.table) + tf.gather(words.table, 0)[0]


def _read_before(words, indices, rows):
  before = words.table * 2.0
  _write("scatter_update", words, indices, rows)
  return before


def _in_a_branch(words, indices, rows):
  if tf.reduce_sum(rows) > 0.0:
    _write("scatter_sub", words, indices, rows)


def _narrow(words, indices, rows):
  _write("scatter_add", words, indices, tf.reduce_sum(rows))  # One number for all.


@pytest.mark.parametrize("write", [_twice, _read_after, _read_before, _in_a_branch, _narrow])
@pytest.mark.parametrize("verify", [True, False])
def test_other_uses_of_the_variable_are_in_pythons_order(write, verify):
  step = rtf.function(write, verify=verify)
  plain, mine = Words(), Words()
  rng = np.random.default_rng(1)
  for indices in ([0, 1], [3, 3, 2], [1], [2, 0]):
    args = tf.constant(indices), tf.constant(rng.normal(size=[len(indices), 2]), tf.float32)
    ours, expected = _outcome(step, mine, *args), _outcome(write, plain, *args)
    np.testing.assert_allclose(ours[1][0], expected[1][0], rtol=1e-6)
    assert ours[1][1] == expected[1][1]
    if expected[0] is not None:
      np.testing.assert_allclose(ours[0], expected[0], rtol=1e-6)


def test_what_was_read_before_a_write_stays_as_it_was():
  step = rtf.function(_read_before, strict=True, verify=False)
  words = Words()
  kept = []
  for value in range(4):
    kept.append(
      (words.table.numpy() * 2.0, step(words, tf.constant([value]), tf.fill([1, 2], 7.0)))
    )
  for expected, found in kept:
    np.testing.assert_array_equal(found, expected)
