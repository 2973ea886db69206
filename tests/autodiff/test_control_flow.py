"""Gradients through control flow and functions, inside bodies and around calls."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import assert_not_about_zero, check, normal, value_and_gradients
from tests.reference import Unrolled, as_subgraph, assert_same

F64 = tf.float64
COUNT = tf.TensorSpec([], tf.int32)
NUMBER = tf.TensorSpec([], F64)
ROW = tf.TensorSpec([1, 3], F64)


@pytest.fixture
def w():
  return tf.Variable(0.5 * normal(3, 3))


def check_chain(step, w, way, n=5):
  """Checks f(n, x) = step(f, n, x) with f(0, x) = x."""

  def body(f, n, x):
    return tf.cond(n == 0, lambda: x, lambda: step(f, n, x))

  args = [n, normal(1, 3, seed=4)]
  _, gradients, ref_gradients = check(body, [COUNT, ROW], args, [w], way=way, outputs=ROW)
  assert_not_about_zero(gradients + ref_gradients)


def test_a_cond_in_a_cond_in_a_cond(w, way):
  def step(f, n, x):
    def odd():
      return tf.cond(
        n % 3 == 0, lambda: tf.tanh(f(n - 1, x @ w)), lambda: tf.sin(f(n - 1, x)) @ w + x
      )

    return tf.cond(n % 2 == 0, lambda: f(n - 1, x) + x @ w, odd)

  check_chain(step, w, way, n=7)


def test_a_cond_that_calls_in_its_predicates_value(w, way):
  def step(f, n, x):
    below = f(n - 1, x)
    return tf.cond(tf.reduce_sum(below) > 0, lambda: tf.tanh(below @ w), lambda: below - x @ w)

  check_chain(step, w, way)


def test_a_case(w, way):
  def step(f, n, x):
    return tf.case(
      [(n % 3 == 0, lambda: f(n - 1, x @ w)), (n % 3 == 1, lambda: tf.tanh(f(n - 1, x)))],
      default=lambda: f(n - 1, x) @ w,
    )

  check_chain(step, w, way)


def test_a_switch_case(w, way):
  def step(f, n, x):
    branches = [lambda: f(n - 1, x @ w), lambda: tf.tanh(f(n - 1, x)), lambda: f(n - 1, x) @ w + x]
    return tf.switch_case(n % 3, branches)

  check_chain(step, w, way)


def test_a_while_loop_that_does_not_call(w, way):
  def step(f, n, x):
    z = f(n - 1, x)
    return tf.while_loop(lambda i, _: i < n, lambda i, z: (i + 1, tf.tanh(z @ w)), (0, z))[1]

  check_chain(step, w, way, n=3)


def test_a_while_loop_that_calls(w, way):
  def step(f, n, x):
    return tf.while_loop(
      lambda i, _: i < n,
      lambda i, z: (i + 1, tf.tanh(z @ w) + f(i, z)),
      (0, x),
      shape_invariants=(tf.TensorShape([]), tf.TensorShape([1, 3])),
    )[1]

  check_chain(step, w, way, n=3)


def test_a_while_loop_of_conds_that_call(w, way):
  def step(f, n, x):
    def turn(i, z):
      return i + 1, tf.cond(i % 2 == 0, lambda: f(i // 2, z @ w), lambda: tf.tanh(z))

    return tf.while_loop(lambda i, _: i < n, turn, (0, x))[1]

  check_chain(step, w, way, n=4)


def test_a_while_loop_around_calls(w, way):
  f = as_subgraph(
    lambda f, n, x: tf.cond(n == 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w)), [COUNT, ROW]
  )

  def by_subgraph(x):
    return tf.while_loop(lambda i, _: i < 4, lambda i, z: (i + 1, x + f(i, z)), (0, x))[1]

  def oracle(x):
    z = x
    for i in range(4):
      y = z
      for _ in range(i):
        y = tf.tanh(y @ w)
      z = x + y
    return z

  x = normal(1, 3)
  actual = value_and_gradients(by_subgraph, [x], [w], way)
  expected = value_and_gradients(oracle, [x], [w])
  assert_same(actual, expected)
  assert_not_about_zero(expected[1] + expected[2])


def test_a_cond_around_calls(w, way):
  f = as_subgraph(
    lambda f, n, x: tf.cond(n == 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w)), [COUNT, ROW]
  )

  def run(call, x):
    return tf.cond(tf.reduce_sum(x) > 100, lambda: x, lambda: call(3, x) * call(1, x))

  def oracle(n, x):
    return x if n == 0 else tf.tanh(oracle(n - 1, x) @ w)

  x = normal(1, 3)
  actual = value_and_gradients(lambda x: run(f, x), [x], [w], way)
  expected = value_and_gradients(lambda x: run(oracle, x), [x], [w])
  assert_same(actual, expected)
  assert_not_about_zero(expected[1] + expected[2])


def test_a_function_in_a_body(w, way):
  cell = tf.function(lambda z, x: tf.tanh(z @ w) + x)
  check_chain(lambda f, n, x: cell(f(n - 1, x), x), w, way)


def test_a_function_in_a_body_that_calls_back(w, way):
  def step(f, n, x):
    return tf.function(lambda k, z: tf.tanh(f(k, z) @ w))(n - 1, x) + x

  check_chain(step, w, way)


def test_a_function_that_calls_back_from_a_cond_in_a_cond(w, way):
  def step(f, n, x):
    again = tf.function(lambda k, z: tf.tanh(f(k, z) @ w))
    return tf.cond(n % 2 == 0, lambda: again(n - 1, x), lambda: tf.sin(f(n - 1, x)) + x * w[:1])

  check_chain(step, w, way)


def test_a_function_around_a_function_around_calls(w, way):
  f = as_subgraph(
    lambda f, n, x: tf.cond(n == 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w)), [COUNT, ROW]
  )
  inner = tf.function(lambda x: f(3, x) + x)
  outer = tf.function(lambda x: inner(tf.sin(x)) @ w)

  def oracle(x):
    z = tf.sin(x)
    for _ in range(3):
      z = tf.tanh(z @ w)
    return (z + tf.sin(x)) @ w

  x = normal(1, 3)
  actual = value_and_gradients(outer, [x], [w], way)
  expected = value_and_gradients(oracle, [x], [w])
  assert_same(actual, expected)
  assert_not_about_zero(expected[1] + expected[2])


@pytest.mark.parametrize("num_rows", [0, 1, 4])
def test_a_map_from_outside(num_rows, w, way):
  def body(f, n, x):
    return tf.cond(n == 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w))

  args = [tf.range(num_rows), normal(num_rows, 1, 3)]
  _, (gradient,), (of_w,) = check(body, [COUNT, ROW], args, [w], way=way, outputs=ROW, mapped=True)
  assert gradient.shape == [num_rows, 1, 3] and of_w.shape == [3, 3]
  if num_rows > 1:
    assert_not_about_zero([gradient, of_w])


def test_a_map_inside_a_body(w, way):
  def body(f, n, x):  # No row where n is 0: that is the base case.
    rows = tf.repeat(x[tf.newaxis], n, axis=0)
    return tf.tanh(x @ w + 0.3 * tf.reduce_sum(f.map(tf.range(n), rows), 0))

  args = [4, normal(1, 3)]
  _, gradients, ref_gradients = check(body, [COUNT, ROW], args, [w], way=way, outputs=ROW)
  assert_not_about_zero(gradients + ref_gradients)


def test_stop_gradient_stops(w, way):
  def step(f, n, x):
    return tf.tanh(f(n - 1, tf.stop_gradient(x)) @ tf.stop_gradient(w)) + x * w[:1]

  check_chain(step, w, way)


def test_a_custom_gradient_is_used(w, way):
  @tf.custom_gradient
  def clipped(z):
    return tf.tanh(z), lambda dy: tf.clip_by_value(3 * dy, -0.5, 0.5)

  check_chain(lambda f, n, x: clipped(f(n - 1, x) @ w) + x, w, way)


def test_a_custom_gradient_around_a_recursive_call(w, way):
  def step(f, n, x):
    @tf.custom_gradient
    def scaled(z):
      return 2 * z, lambda dy: 5 * dy

    return tf.tanh(scaled(f(n - 1, x)) @ w)

  check_chain(step, w, way, n=3)


def test_a_custom_gradient_that_looks_out_of_its_branch_is_an_error_that_says_what_to_do(w):
  @tf.custom_gradient
  def cubed(x):
    return x**3, lambda dy: 3 * dy * x**2

  def body(f, n, x):
    return tf.cond(n == 0, lambda: cubed(x), lambda: f(n - 1, x) @ w)

  args = [2, normal(1, 3)]
  with pytest.raises(rtf.UnsupportedGradientError, match="'program'.*tf.identity"):
    value_and_gradients(as_subgraph(body, [COUNT, ROW]), args, [w])

  def mended(f, n, x):
    return tf.cond(n == 0, lambda: cubed(tf.identity(x)), lambda: f(n - 1, x) @ w)

  check(mended, [COUNT, ROW], args, [w])


def test_tensor_arrays_and_gathers(w, way):
  def step(f, n, x):
    array = tf.TensorArray(F64, size=2, element_shape=[1, 3])
    array = array.write(0, f(n - 1, x)).write(1, x @ w)
    parts = tf.gather(tf.concat([array.stack(), w[tf.newaxis, :1]], 0), [n % 3, 0])
    return tf.tanh(tf.reduce_sum(parts, 0))

  check_chain(step, w, way, n=6)


def test_a_dynamic_number_of_rows(way):
  table = tf.Variable(normal(5, 2))
  spec = tf.TensorSpec([None, 2], F64)

  def body(f, n, x):
    return tf.cond(n == 0, lambda: tf.sin(x), lambda: f(n - 1, tf.concat([x, table[n : n + 1]], 0)))

  _, gradients, ref_gradients = check(
    body, [COUNT, spec], [3, normal(1, 2)], [table], way=way, outputs=spec
  )
  assert_not_about_zero(gradients + ref_gradients)
  assert Unrolled(body, [COUNT, spec])(3, normal(1, 2)).shape == [4, 2]
