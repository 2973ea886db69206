"""A check passes its value on or fails the run, batched and not, and only in branches taken."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.batching._plan import plan_for
from recursive_tf.convert.values import _checks
from recursive_tf.convert.values._checks import check, check_nest, is_check_failure

MESSAGE = "check failed: the sky is 100% grün"


def failing():
  """Expects a failed check."""
  return pytest.raises(tf.errors.InvalidArgumentError, match=MESSAGE)


def run_check(value, ok):
  return check(value, ok, "the sky is 100% grün")


@pytest.mark.parametrize("value", ["text", 3, 2.5, True, [1 + 2j], np.zeros([0, 2], np.int8)])
@pytest.mark.parametrize("ok", [True, [True, True], np.ones([2, 0, 3], bool)])
def test_a_value_of_any_type_passes(value, ok, mode):
  found = mode(run_check)(tf.constant(value), tf.constant(ok))
  assert found.dtype == tf.constant(value).dtype
  np.testing.assert_array_equal(found, tf.constant(value))


def test_a_list_of_tensors_passes_and_keeps_its_element_shape(mode):
  @mode
  def run(x, ok):
    items = tf.raw_ops.TensorListFromTensor(tensor=x, element_shape=[2])
    items = run_check(items, ok)
    return tf.raw_ops.TensorListStack(
      input_handle=items, element_shape=[2], element_dtype=tf.float32
    )

  np.testing.assert_array_equal(run(tf.ones([3, 2]), tf.constant(True)), np.ones([3, 2]))
  with failing():
    run(tf.ones([3, 2]), tf.constant(False))


@pytest.mark.parametrize("ok", [False, [True, False], [[False], [True]]])
def test_one_false_fails_with_the_message(ok, mode):
  with failing() as error:
    mode(run_check)(tf.constant(1), tf.constant(ok))
  assert is_check_failure(error.value)


def test_other_errors_are_no_check_failures():
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    tf.reshape(tf.constant([1, 2]), [3])
  assert not is_check_failure(error.value)
  assert not is_check_failure(ValueError(MESSAGE))


def test_the_shape_is_the_values():
  @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec(None, tf.bool)])
  def run(value, ok):
    assert run_check(value, ok).shape.as_list() == [None, 3]
    return value

  run(tf.zeros([1, 3]), tf.constant(True))


def test_the_gradient_is_the_identity(mode):
  @mode
  def run(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = run_check(x * x, x > 0) * 2.0
    return tape.gradient(y, x)

  np.testing.assert_array_equal(run(tf.constant([1.0, 3.0])), [4.0, 12.0])


def test_a_check_of_constants_is_not_folded_away():
  with failing():
    tf.function(lambda: run_check(tf.constant(1), tf.constant(False)) + 1)()


def test_a_check_in_the_branch_not_taken_does_not_run():
  @tf.function
  def run(taken):
    return tf.cond(taken, lambda: run_check(tf.constant(1), tf.constant(False)), lambda: 2)

  assert run(tf.constant(False)).numpy() == 2
  with failing():
    run(tf.constant(True))


def test_in_nested_values_the_first_tensor_is_checked(mode):
  @mode
  def run(x, ok):
    return check_nest({"b": (3, x), "a": None}, ok, "the sky is 100% grün")["b"][1]

  assert run(tf.constant(2), tf.constant(True)).numpy() == 2
  with failing():
    run(tf.constant(2), tf.constant(False))
  with pytest.raises(ValueError, match="no tensor"):
    check_nest([1, 2], True, "")


# --- In bodies. The first input, n [], is positive where all is well.


def countdown(step):
  """Defines a body that goes down from n to 0 and makes `step(n, x)` of x on the way."""
  with rtf.SubGraph("countdown") as f:
    n, x = f.input(tf.int32), f.input(tf.float32, [1, 2])
    f.output(tf.cond(n == 0, lambda: x, lambda: step(n, f(n - 1, x))))
  return f


WEIGHTS = tf.constant([[3.0, 4.0]])
CHECK = "RecursiveTf>Check"
STEPS = {
  "rows": lambda n, x: run_check(x * 2.0, n < 7),
  "shared_ok": lambda n, x: run_check(x * 2.0, WEIGHTS > 0) * run_check(x, n < 7) / x,
  "shared_value": lambda n, x: x + run_check(WEIGHTS, n < 7),
  "shared": lambda n, x: run_check(x, n < 7) + run_check(WEIGHTS, WEIGHTS > 0),
  "many_oks": lambda n, x: x * run_check(2.0, [n < 7, n > 0]),
  "empty_branch": lambda n, x: tf.cond(n < 7, lambda: x, lambda: run_check(WEIGHTS, False)),
}
CHECKS_IN = {step: 2 if name in ("shared_ok", "shared") else 1 for name, step in STEPS.items()}


@pytest.mark.usefixtures("scheduler")
@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_one_frame_of_many_fails_the_run(step, mode):
  f = countdown(step)
  run = mode(lambda n: f.map(n, tf.fill([tf.size(n), 1, 2], 1.0)))
  good = run(tf.constant([0, 1, 6, 3]))
  for n, row in zip([0, 1, 6, 3], good, strict=True):
    np.testing.assert_allclose(row, f(n, tf.ones([1, 2])))
  with failing() as error:
    run(tf.constant([0, 1, 6, 7, 3]))
  assert is_check_failure(error.value)
  assert "[SubGraph 'countdown', frame at depth 1]" in str(error.value)
  np.testing.assert_array_equal(run(tf.constant([0, 1, 6, 3])), good)


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_check_serves_many_frames_as_one_op(step):
  plan = plan_for([countdown(step)._body])
  assert not plan.serial_ops
  assert all(value.node.op.type != CHECK for value in plan.hoisted)
  graphs = [function.graph for function in plan.functions.values()]
  num_checks = sum(op.type == CHECK for graph in graphs for op in graph.get_operations())
  assert num_checks == CHECKS_IN[step]


@pytest.mark.usefixtures("scheduler")
def test_gradients_pass_checks_of_shared_values_and_rows():
  weights = tf.Variable([[3.0, 4.0]])

  def gradients(check_with):
    with rtf.SubGraph("f") as f:
      n, x = f.input(tf.int32), f.input(tf.float32, [1, 2])

      def leaf():
        return check_with(weights, n > -1)  # For all frames the same, a result by itself.

      f.output(tf.cond(n == 0, leaf, lambda: check_with(x * f(n - 1, x), n < 9) * weights))
    x = tf.constant([[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]])
    with tf.GradientTape() as tape:
      tape.watch(x)
      loss = tf.reduce_sum(f.map([0, 1, 3], x))
    return tape.gradient(loss, [x, weights])

  for found, expected in zip(gradients(run_check), gradients(lambda value, ok: value), strict=True):
    np.testing.assert_allclose(tf.convert_to_tensor(found), tf.convert_to_tensor(expected))


@pytest.mark.usefixtures("scheduler")
def test_a_failing_check_of_outer_values_runs_only_where_it_is_needed(mode):
  @mode
  def run(n, outer):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)

      def negative():
        return run_check(outer, outer > 5)

      f.output(tf.cond(m < 0, negative, lambda: tf.cond(m == 0, lambda: 1, lambda: f(m - 1) + 1)))
    return f.map(n)

  assert run(tf.constant([3, 4]), tf.constant(1)).numpy().tolist() == [4, 5]
  assert run(tf.constant([3, -4]), tf.constant(6)).numpy().tolist() == [4, 6]
  with failing():
    run(tf.constant([3, -4]), tf.constant(1))


@pytest.mark.parametrize("dtype", _checks.OF_NONZERO, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize(
  "values", [[], [0.0, -0.0], [[0.0], [0.0]], [0.0, 0.0, 1.0], [1e-3, 0.0], [0.0, float("nan")]]
)
def test_any_nonzero(values, dtype):
  value = tf.cast(tf.constant(values), dtype)
  expected = tf.reduce_any(tf.not_equal(value, tf.zeros([], dtype)))
  found = _checks.any_nonzero(value)
  assert found.shape == [] and bool(found) == bool(expected)
