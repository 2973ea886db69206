"""Tapes: persistent, several, nested; what has no gradient; and second order's named error."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import WAYS, normal, value_and_gradients
from tests.reference import as_subgraph

F64 = tf.float64
COUNT = tf.TensorSpec([], tf.int32)
ROW = tf.TensorSpec([1, 3], F64)


@pytest.fixture
def f(w):
  """f(n, x) = tanh(f(n - 1, x) w), f(0, x) = x."""
  return as_subgraph(
    lambda f, n, x: tf.cond(n == 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w)), [COUNT, ROW]
  )


def oracle(n, x, w):
  for _ in range(n):
    x = tf.tanh(x @ w)
  return x


def oracle_gradients(n, x, w, of=tf.reduce_sum):
  with tf.GradientTape() as tape:
    tape.watch(x)
    loss = of(oracle(n, x, w))
  return tape.gradient(loss, [x, w])


def assert_close(actual, expected):
  for a, e in zip(actual, expected, strict=True):
    np.testing.assert_allclose(a, e, rtol=1e-9, atol=1e-12)
    assert np.abs(e).max() > 1e-3


def test_a_persistent_tape_gives_gradients_again_and_again(f, w, mode):
  @mode
  def run(x):
    with tf.GradientTape(persistent=True) as tape:
      tape.watch(x)
      y = f(4, x)
      total, square = tf.reduce_sum(y), tf.reduce_sum(y**2)
    return (
      tape.gradient(total, [x, w]),
      tape.gradient(square, [x, w]),
      tape.gradient(total, [x, w]),
    )

  x = normal(1, 3)
  first, square, again = run(x)
  assert_close(first, oracle_gradients(4, x, w))
  assert_close(square, oracle_gradients(4, x, w, lambda y: tf.reduce_sum(y**2)))
  assert_close(again, oracle_gradients(4, x, w))


def test_two_tapes_over_one_call_give_the_same(f, w, mode):
  @mode
  def run(x):
    with tf.GradientTape() as one, tf.GradientTape() as two:
      one.watch(x)
      two.watch(x)
      y = tf.reduce_sum(f(4, x))
    return one.gradient(y, [x, w]), two.gradient(y, [x, w])

  x = normal(1, 3)
  for gradients in run(x):
    assert_close(gradients, oracle_gradients(4, x, w))


def test_several_calls_under_one_tape(f, w, mode):
  @mode
  def run(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = tf.reduce_sum(f(2, x) * f(4, tf.sin(x)) + f.map([1], x[tf.newaxis])[0])
    return tape.gradient(y, [x, w])

  x = normal(1, 3)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(oracle(2, x, w) * oracle(4, tf.sin(x), w) + oracle(1, x, w))
  assert_close(run(x), tape.gradient(y, [x, w]))


def test_tf_gradients_twice_of_one_call(f, w):
  @tf.function
  def run(x):
    y = f(4, x)
    return tf.gradients(tf.reduce_sum(y), [x, w]), tf.gradients(tf.reduce_sum(y**2), [x, w])

  x = normal(1, 3)
  first, square = run(x)
  assert_close(first, oracle_gradients(4, x, w))
  assert_close(square, oracle_gradients(4, x, w, lambda y: tf.reduce_sum(y**2)))


def test_output_gradients_weight_the_results(f, w, mode):
  @mode
  def run(x, dy):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(3, x)
    return tape.gradient(y, [x, w], output_gradients=dy)

  x, dy = normal(1, 3), normal(1, 3, seed=9)
  assert_close(run(x, dy), oracle_gradients(3, x, w, lambda y: tf.reduce_sum(dy * y)))


def test_a_jacobian_row_by_row(f, w):
  x = normal(1, 3)
  with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = f(3, x)
  jacobian = tape.jacobian(y, x, experimental_use_pfor=False)
  with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = oracle(3, x, w)
  np.testing.assert_allclose(jacobian, tape.jacobian(y, x), rtol=1e-9)
  assert np.abs(jacobian).max() > 1e-3


def test_only_what_is_asked_for_is_given(f, w, mode):
  @mode
  def run(x):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
      tape.watch(x)
      y = tf.reduce_sum(f(3, x))
    return tape.gradient(y, {"x": x, "w": w})

  x = normal(1, 3)
  gradients = run(x)
  assert gradients["w"] is None
  assert_close([gradients["x"]], oracle_gradients(3, x, w)[:1])


def test_the_same_results_eagerly_twice(f, w):
  x = normal(1, 3)
  one = value_and_gradients(f, [4, x], [w])
  two = value_and_gradients(f, [4, x], [w])
  for a, b in zip(tf.nest.flatten(one), tf.nest.flatten(two), strict=True):
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("way", WAYS)
def test_integer_and_string_inputs_and_results_pass_through(way):
  with rtf.SubGraph("mixed") as f:
    n, x, name = f.input(tf.int32), f.input(F64), f.input(tf.string)

    def step():
      y, m, label = f(n - 1, 2 * x, name + "!")
      return y * x, m + 1, label

    f.output(tf.cond(n == 0, lambda: (x, tf.constant(0, tf.int64), name), step))
  x = tf.constant(0.5, F64)
  (y, m, label), (gradient,), _ = value_and_gradients(f, [3, x, "a"], [], way)
  direction = tf.random.stateless_normal([], [7, 0], dtype=F64).numpy()
  # y = 8x * 4x * 2x * x = 64 x^4
  assert (y.numpy(), m.numpy(), label.numpy()) == (4.0, 3, b"a!!!")
  np.testing.assert_allclose(gradient, direction * 256 * 0.5**3, rtol=1e-9)


def test_tables_and_other_resources_have_no_gradient(mode):
  table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer([1, 2], [0.5, 0.25], tf.int32, tf.float32), 1.0
  )
  steps = tf.Variable(0)

  @mode
  def run(x):
    with rtf.SubGraph("scaled") as f:
      n, z = f.input(tf.int32), f.input(tf.float32)
      steps.assign_add(1)
      f.output(tf.cond(n == 0, lambda: z, lambda: table.lookup(n) * f(n - 1, z)))
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(3, x)
    return tape.gradient(y, x)

  assert run(tf.constant(3.0)).numpy() == 0.125
  assert steps.numpy() == 4


def test_unconnected_sources_have_none(w, way):
  other, unused = tf.Variable(normal(3)), tf.constant(1.0, F64)

  def body(f, n, x, y):
    return tf.cond(n == 0, lambda: x, lambda: tf.stop_gradient(f(n - 1, x, y)) @ w + 0 * other[0])

  f = as_subgraph(body, [COUNT, ROW, tf.TensorSpec([], F64)])
  _, (of_x, of_unused), (of_w, of_stranger) = value_and_gradients(
    f, [2, normal(1, 3), unused], [w, tf.Variable(1.0)], way
  )
  assert of_unused is None, "an input that reaches no result"
  assert of_stranger is None, "a variable that no body reads"
  assert of_w is not None and of_x is not None


def test_an_input_that_only_feeds_the_recursion_has_none(way):
  def body(f, n, x, idle):
    return tf.cond(n == 0, lambda: x, lambda: 2.0 * f(n - 1, x, idle + 1))

  number = tf.TensorSpec([], F64)
  f = as_subgraph(body, [COUNT, number, number])
  x, idle = tf.constant(1.0, F64), tf.constant(1.0, F64) + 1
  _, (of_x, of_idle), _ = value_and_gradients(f, [3, x, idle], [], way)
  assert of_x is not None and of_idle is None


def test_results_without_any_trainable_source_have_none(mode):
  @mode
  def run(x):
    with rtf.SubGraph("count") as f:
      n, z = f.input(tf.int32), f.input(tf.float32)
      f.output(tf.cond(n == 0, lambda: tf.cast(z, tf.int32), lambda: f(n - 1, z)))
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = tf.cast(f(2, x), tf.float32)
    return tape.gradient(y, x)

  assert run(tf.constant(3.0)) is None


def test_a_gradient_of_a_gradient_raises_the_named_error(f, mode):
  @mode
  def run(x):
    with tf.GradientTape() as outer:
      outer.watch(x)
      with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.reduce_sum(f(2, x))
      first = inner.gradient(y, x)
    return outer.gradient(first, x)

  message = "gradient of a gradient through SubGraph 'program' is not supported"
  # An eager tape has TensorFlow make all gradients in advance; that of second order refuses when
  # it runs, and TensorFlow raises its own type with our name and message in it.
  error = tf.errors.UnimplementedError if mode.is_eager else rtf.UnsupportedGradientError
  with pytest.raises(error, match=message) as raised:
    run(normal(1, 3))
  assert "UnsupportedGradientError" in str(raised.value)


def test_a_gradient_of_a_function_that_takes_gradients_raises_the_named_error_when_asked(f):
  @tf.function
  def first(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = tf.reduce_sum(f(2, x) ** 2)
    return tape.gradient(y, x)

  x = normal(1, 3)
  with tf.GradientTape() as outer:
    outer.watch(x)
    gradient = first(x)  # Under a tape, yet fine: nobody asks for its gradient.
  np.testing.assert_allclose(gradient, first(x))
  with pytest.raises(tf.errors.UnimplementedError, match="UnsupportedGradientError"):
    outer.gradient(gradient, x)


def test_nested_tapes_of_first_order_work(f, w, mode):
  @mode
  def run(x):
    with tf.GradientTape() as outer:
      outer.watch(x)
      with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.reduce_sum(f(3, x))
      first = inner.gradient(y, [x, w])
    return first, outer.gradient(y, [x, w])

  x = normal(1, 3)
  inner, outer = run(x)
  assert_close(inner, oracle_gradients(3, x, w))
  assert_close(outer, oracle_gradients(3, x, w))


def test_a_penalty_on_a_gradient_of_something_else_works(f, w, mode):
  @mode
  def run(x):
    with tf.GradientTape() as outer:
      outer.watch(x)
      with tf.GradientTape() as inner:
        inner.watch(x)
        z = tf.reduce_sum(x**3)
      penalty = tf.reduce_sum(inner.gradient(z, x) ** 2)
      loss = tf.reduce_sum(f(3, x)) + penalty
    return outer.gradient(loss, x)

  x = normal(1, 3)
  np.testing.assert_allclose(
    run(x), oracle_gradients(3, x, w)[0] + 36 * x**3, rtol=1e-9, atol=1e-12
  )


def test_forward_mode_raises_an_error():
  f = as_subgraph(lambda f, x: tf.sin(x), [tf.TensorSpec([], F64)])
  x = tf.constant(1.0, F64)
  with pytest.raises(tf.errors.UnimplementedError, match="UnsupportedGradientError"):
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0, F64)):
      f(x)


def test_a_tape_inside_a_body_over_plain_ops_works(mode):
  @mode
  def run(n, x):
    with rtf.SubGraph("newton") as f:
      m, z = f.input(tf.int32), f.input(F64)

      def step():
        with tf.GradientTape() as tape:
          tape.watch(z)
          value = z**2 - 2
        return f(m - 1, z - value / tape.gradient(value, z))

      f.output(tf.cond(m == 0, lambda: z, step))
    return f(n, x)

  np.testing.assert_allclose(run(tf.constant(6), tf.constant(1.0, F64)), 2**0.5, rtol=1e-12)


def test_a_tape_inside_a_body_over_a_call_raises_the_named_error(mode):
  @mode
  def run(x):
    with rtf.SubGraph("inner_tape") as f:
      n, z = f.input(tf.int32), f.input(F64)

      def step():
        with tf.GradientTape() as tape:
          tape.watch(z)
          y = f(n - 1, z)
        return tape.gradient(y, z)

      f.output(tf.cond(n == 0, lambda: z * z, step))
    return f(2, x)

  with pytest.raises(rtf.UnsupportedGradientError, match="outside of the SubGraph"):
    run(tf.constant(1.0, F64))
