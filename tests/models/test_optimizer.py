"""The optimizer follows its formulas, and its ops equal TensorFlow's."""

import concurrent.futures

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.models.optimizer import Adagrad, ParameterGroup, linear_decay

RATE, L2, SUM, EPSILON = 0.2, 0.01, 0.05, 1e-3
ONE = tf.constant(1.0)
# Of the ops. Relative to values of about 1; TensorFlow's rounds once more.
TOLERANCE = {tf.float32: 1e-6, tf.float64: 1e-14}
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: dtype.name)
INDEX_TYPES = pytest.mark.parametrize("index_type", [tf.int32, tf.int64], ids=lambda t: t.name)


def make(values, l2=0.0):
  variable = tf.Variable(tf.constant(values, tf.float64))
  group = ParameterGroup((variable,), RATE, l2)
  return variable, Adagrad([group], initial_sum=SUM, epsilon=EPSILON)


def test_dense_steps_follow_the_formula(mode):
  start = np.random.uniform(-1, 1, [3, 4])
  variable, optimizer = make(start, L2)
  apply = mode(optimizer.apply)
  weights, total = start.copy(), np.full_like(start, SUM)
  for step in range(3):
    gradient = np.random.uniform(-1, 1, start.shape)
    apply([tf.constant(gradient)], tf.constant(1.0 - 0.25 * step))
    regularised = gradient + L2 * weights
    total += regularised**2
    weights -= (1.0 - 0.25 * step) * RATE * regularised / (np.sqrt(total) + EPSILON)
  np.testing.assert_allclose(variable, weights, rtol=1e-6)


def test_sparse_rows_move_as_a_dense_gradient_moves_them(mode):
  start = np.random.uniform(-1, 1, [6, 2])
  sparse, sparse_optimizer = make(start)
  dense, dense_optimizer = make(start)
  apply = mode(sparse_optimizer.apply)
  for rows in ([1, 4, 1, 1], [4, 0]):  # Row 1 occurs three times: it is one gradient.
    slices = tf.IndexedSlices(
      tf.constant(np.random.uniform(-1, 1, [len(rows), 2])), tf.constant(rows), tf.constant([6, 2])
    )
    apply([slices], ONE)
    dense_optimizer.apply([tf.convert_to_tensor(slices)], ONE)
  np.testing.assert_allclose(sparse, dense, rtol=1e-12)
  touched = (sparse.numpy() != start).any(axis=1)
  assert touched.tolist() == [True, True, False, False, True, False]


def test_a_sparse_step_without_rows_changes_nothing():
  variable, optimizer = make(np.ones([3, 2]))
  empty = tf.IndexedSlices(tf.zeros([0, 2], tf.float64), tf.zeros([0], tf.int32))
  optimizer.apply([empty], ONE)
  np.testing.assert_array_equal(variable, np.ones([3, 2]))


def test_groups_have_their_own_rates():
  slow, fast = tf.Variable([1.0]), tf.Variable([1.0])
  groups = [ParameterGroup((slow,), 0.01), ParameterGroup((fast,), 0.1)]
  optimizer = Adagrad(groups, initial_sum=0.0)
  optimizer.apply([tf.constant([2.0]), tf.constant([2.0])], ONE)
  np.testing.assert_allclose([slow[0], fast[0]], [0.99, 0.9], rtol=1e-5)


def test_a_checkpoint_holds_the_sums(tmp_path):
  variable, optimizer = make(np.ones([2, 2]))
  optimizer.apply([tf.ones([2, 2], tf.float64)], ONE)
  path = tf.train.Checkpoint(optimizer=optimizer).save(str(tmp_path / "c"))
  _, fresh = make(np.ones([2, 2]))
  tf.train.Checkpoint(optimizer=fresh).restore(path).assert_existing_objects_matched()
  np.testing.assert_allclose(fresh.sums[0], 1.0 + SUM)


@pytest.mark.parametrize("step, factor", [(0, 1.0), (50, 0.55), (100, 0.1), (150, 0.1)])
def test_learning_rates_fall_linearly(step, factor):
  np.testing.assert_allclose(linear_decay(tf.constant(step), 100.0, 0.1), factor, rtol=1e-6)


class Pair:
  """A variable with its sums, and a copy of both for TensorFlow's op."""

  def __init__(self, shape, dtype):
    self.dtype = dtype
    start = tf.random.normal(shape, dtype=dtype)
    sums = tf.random.uniform(shape, 0.01, 2.0, dtype=dtype)
    self.ours, self.theirs = ([tf.Variable(start), tf.Variable(sums)] for _ in range(2))

  def _common(self, variables):
    rate, epsilon = (tf.constant(x, self.dtype) for x in (RATE, EPSILON))
    handles = {"var": variables[0].handle, "accum": variables[1].handle}
    return handles | {"lr": rate, "epsilon": epsilon}

  def step(self, grad, l2=0.0):
    l2 = tf.constant(l2, self.dtype)
    kernels.recursive_tf_apply_adagrad(grad=grad, l2=l2, **self._common(self.ours))

  def their_step(self, grad, l2=0.0):
    grad = grad + tf.constant(l2, self.dtype) * self.theirs[0]
    tf.raw_ops.ResourceApplyAdagradV2(grad=grad, **self._common(self.theirs))

  def step_rows(self, values, indices):
    inputs = self._common(self.ours)
    kernels.recursive_tf_apply_adagrad_rows(values=values, indices=indices, **inputs)

  def their_step_rows(self, values, indices):
    rows, position = tf.unique(indices)
    sums = tf.math.unsorted_segment_sum(values, position, tf.size(rows))
    inputs = self._common(self.theirs)
    tf.raw_ops.ResourceSparseApplyAdagradV2(grad=sums, indices=rows, **inputs)

  def assert_equal(self):
    tolerance = TOLERANCE[self.dtype]
    for ours, theirs in zip(self.ours, self.theirs, strict=True):
      np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance)


@DTYPES
@pytest.mark.parametrize("l2", [0.0, 0.03])
@pytest.mark.parametrize("shape", [[], [0], [1], [7], [3, 21], [600, 750]])
def test_the_dense_op_equals_tensorflows(shape, l2, dtype, mode):
  pair = Pair(shape, dtype)
  step, their_step = mode(pair.step), mode(pair.their_step)
  for _ in range(3):
    grad = tf.random.normal(shape, dtype=dtype)
    step(grad, l2)
    their_step(grad, l2)
    pair.assert_equal()


@DTYPES
@INDEX_TYPES
@pytest.mark.parametrize("num_values", [0, 1, 5, 40, 1500])
@pytest.mark.parametrize("row", [[], [1], [19], [2, 3], [300]], ids=str)
def test_the_op_for_rows_equals_tensorflows(row, num_values, index_type, dtype, mode):
  pair = Pair([30, *row], dtype)
  step, their_step = mode(pair.step_rows), mode(pair.their_step_rows)
  for _ in range(2):
    indices = tf.random.uniform([num_values], 0, 30, index_type)
    # Some share of a sum of up to 100, so that it rounds like one of few.
    values = tf.random.normal([num_values, *row], dtype=dtype) / max(1, num_values // 30)
    step(values, indices)
    their_step(values, indices)
    pair.assert_equal()


def test_infinite_weights_stay_without_l2():
  pair = Pair([20], tf.float32)
  pair.ours[0].assign(tf.fill([20], np.inf))
  pair.step(tf.ones([20]))
  np.testing.assert_array_equal(pair.ours[0], np.full([20], np.inf))


@pytest.mark.parametrize("wrong", [-1, 4, 2**31 - 1])
@INDEX_TYPES
def test_an_index_out_of_range_is_an_error_and_changes_nothing(wrong, index_type):
  pair = Pair([4, 2], tf.float32)
  before = [variable.numpy() for variable in pair.ours]
  with pytest.raises(
    tf.errors.InvalidArgumentError, match=rf"indices\[1\] = {wrong} is not in \[0, 4\)"
  ):
    pair.step_rows(tf.ones([3, 2]), tf.constant([1, wrong, 2], index_type))
  for variable, value in zip(pair.ours, before, strict=True):
    np.testing.assert_array_equal(variable, value)


def test_tensors_read_before_a_step_keep_their_values():
  for step in (
    lambda pair: pair.step(tf.ones([5, 4])),
    lambda pair: pair.step_rows(tf.ones([2, 4]), tf.constant([3, 1])),
    # The very tensor that was read, as the gradient.
    lambda pair: pair.step(pair.ours[0].read_value()),
    lambda pair: pair.step_rows(pair.ours[1].read_value(), tf.range(5)),
  ):
    pair = Pair([5, 4], tf.float32)
    read = [variable.read_value() for variable in pair.ours]
    before = [np.array(tensor) for tensor in read]
    step(pair)
    for variable, tensor, value in zip(pair.ours, read, before, strict=True):
      np.testing.assert_array_equal(tensor, value)
      assert (variable.numpy() != value).any()


def test_steps_mix_with_tensorflows_ops_on_rows():
  # Those put a variable into the mode in which reads copy.
  pair = Pair([6, 3], tf.float64)
  for variable in pair.ours + pair.theirs:
    variable.scatter_add(tf.IndexedSlices(tf.ones([1, 3], tf.float64), tf.constant([2])))
  values = tf.random.normal([6, 3], dtype=tf.float64)
  for _ in range(2):
    pair.step_rows(values, tf.constant([5, 0, 2, 2, 2, 5]))
    pair.their_step_rows(values, tf.constant([5, 0, 2, 2, 2, 5]))
    pair.step(values)
    pair.their_step(values)
    pair.assert_equal()


def test_steps_in_a_function_are_taken_in_order():
  pair = Pair([6, 3], tf.float64)
  grad = tf.random.normal([6, 3], dtype=tf.float64)

  def steps(step, step_rows, variable):
    step(grad)
    between = variable.read_value()
    step_rows(grad, tf.constant([5, 0, 2, 2, 2, 5]))
    step(between)

  tf.function(steps)(pair.step, pair.step_rows, pair.ours[0])
  steps(pair.their_step, pair.their_step_rows, pair.theirs[0])
  pair.assert_equal()


def test_steps_and_reads_from_several_threads():
  # sum += 1 and no decay of the rate: what remains of 400 steps is in the sums.
  pair = Pair([2000, 64], tf.float32)
  weights, sums = pair.ours
  sums.assign(tf.zeros_like(sums))
  weights.assign(tf.zeros_like(weights))
  ones, rows = tf.ones([2000, 64]), tf.range(2000)
  torn = []

  def take_steps():
    for _ in range(50):
      pair.step(ones)
      pair.step_rows(ones, rows)

  def read():
    for _ in range(100):
      value = sums.read_value().numpy()
      torn.extend([value] if (value != value[0, 0]).any() else [])

  with concurrent.futures.ThreadPoolExecutor(6) as pool:
    jobs = [pool.submit(work) for work in [take_steps] * 4 + [read] * 2]
    for job in jobs:
      job.result(timeout=200)
  np.testing.assert_array_equal(sums, np.full([2000, 64], 400.0))
  assert not torn


@pytest.mark.parametrize(
  "grad, var, accum, message",
  [
    ([3], [2], [2], "grad has shape"),
    ([2], [2], [3], "accum has shape"),
    ([2, 1], [2], [2], "grad has shape"),
  ],
)
def test_wrong_shapes_are_errors_early_and_late(grad, var, accum, message):
  weights, sums = tf.Variable(tf.zeros(var)), tf.Variable(tf.zeros(accum))

  def step(gradient):
    kernels.recursive_tf_apply_adagrad(weights.handle, sums.handle, 0.1, 0.1, 0.0, gradient)

  with pytest.raises(tf.errors.InvalidArgumentError, match=message):
    step(tf.zeros(grad))
  with pytest.raises(ValueError, match=message):
    tf.function(step)(tf.zeros(grad))


@pytest.mark.parametrize(
  "values, indices, message",
  [
    ([2, 3], [2], "values has shape"),
    ([3, 2], [2], "values has shape"),
    ([2], [2], "values has shape"),
    ([2, 2], [2, 1], "indices has shape|must be rank 1"),
    ([2], [], "indices has shape|must be rank 1"),
  ],
)
def test_wrong_shapes_of_rows_are_errors_early_and_late(values, indices, message):
  pair = Pair([4, 2], tf.float32)
  with pytest.raises(tf.errors.InvalidArgumentError, match=message):
    pair.step_rows(tf.zeros(values), tf.zeros(indices, tf.int32))
  with pytest.raises(ValueError, match=message):
    tf.function(pair.step_rows)(tf.zeros(values), tf.zeros(indices, tf.int32))


def test_wrong_variables_are_errors():
  weights, scalar = tf.Variable([1.0]), tf.Variable(1.0)
  other = tf.Variable([1.0], dtype=tf.float64)

  def step(var, accum):
    kernels.recursive_tf_apply_adagrad(var.handle, accum.handle, 0.1, 0.1, 0.0, [1.0])

  with pytest.raises(tf.errors.InvalidArgumentError, match="are the same variable"):
    step(weights, weights)
  with pytest.raises(tf.errors.InvalidArgumentError, match="accum has type double"):
    step(weights, other)
  with pytest.raises(tf.errors.InvalidArgumentError, match="it has no rows|at least rank 1"):
    sums = tf.Variable(1.0)
    kernels.recursive_tf_apply_adagrad_rows(scalar.handle, sums.handle, 0.1, 0.1, [1.0], [0])
  np.testing.assert_array_equal(weights, [1.0])
