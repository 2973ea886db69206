"""Gradients with respect to inputs and outer references equal those of plain Python recursion."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import assert_not_about_zero, check, normal, value_and_gradients
from tests.reference import as_subgraph

F64 = tf.float64
COUNT = tf.TensorSpec([], tf.int32)
NUMBER = tf.TensorSpec([], F64)
ROW = tf.TensorSpec([1, 3], F64)


def test_of_an_input_through_a_chain(way):
  def body(f, n, x):
    return tf.cond(n == 0, lambda: x, lambda: tf.sin(f(n - 1, 1.5 * x)))

  _, gradients, _ = check(body, [COUNT, NUMBER], [5, 0.3], way=way)
  assert_not_about_zero(gradients)


def test_of_an_input_through_a_tree(way):
  def body(f, n, x):
    return tf.cond(
      n < 2, lambda: tf.exp(-x), lambda: f(n - 1, 0.5 * x) * tf.tanh(1 + f(n - 2, x - 0.1))
    )

  _, gradients, _ = check(body, [COUNT, NUMBER], [7, 0.3], way=way)
  assert_not_about_zero(gradients)


def test_of_a_variable(way):
  w = tf.Variable(0.7, dtype=F64)

  def body(f, n, x):
    return tf.cond(n == 0, lambda: x, lambda: tf.tanh(w * f(n - 1, x)))

  _, gradients, ref_gradients = check(body, [COUNT, NUMBER], [4, 0.9], [w], way=way)
  assert_not_about_zero(gradients + ref_gradients)


def test_of_a_matrix_and_a_bias(way):
  w, b = tf.Variable(normal(3, 3)), tf.Variable(normal(3))

  def body(f, n, x):
    return tf.cond(n == 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w + b))

  args = [4, normal(1, 3, seed=2)]
  _, gradients, ref_gradients = check(body, [COUNT, ROW], args, [w, b], way=way)
  assert_not_about_zero(gradients + ref_gradients)


@pytest.mark.parametrize(
  "use",
  [
    lambda w, x: x @ w @ w,
    lambda w, x: x @ tf.transpose(w),
    lambda w, x: tf.matmul(x, w, transpose_b=True),
    lambda w, x: tf.matmul(w, x, transpose_b=True)[:, 0][tf.newaxis],
    lambda w, x: tf.transpose(tf.matmul(w, x, transpose_a=True, transpose_b=True)),
    lambda w, x: 0.5 * x + 0.3 * w[:1] + 0.3 * w[2:3],
    lambda w, x: x @ w + tf.reduce_sum(w),
    lambda w, x: tf.linalg.matvec(w, x[0])[tf.newaxis],
    lambda w, x: tf.einsum("bi,ij->bj", x, w),
    lambda w, x: x @ (w * w),
    lambda w, x: tf.concat([x @ w, x @ tf.linalg.inv(w)], 0)[:1],
  ],
)
def test_of_a_weight_however_it_is_used(use):
  w = tf.Variable(normal(3, 3))

  def body(f, n, x):
    return tf.cond(n == 0, lambda: use(w, x), lambda: tf.tanh(use(w, f(n - 1, x))))

  _, gradients, ref_gradients = check(
    body, [COUNT, ROW], [3, normal(1, 3, seed=2)], [w], way="function"
  )
  assert_not_about_zero(gradients + ref_gradients)


def test_of_products_of_many_rows(way):
  w = tf.Variable(normal(3, 2))

  def body(f, n, x):  # The number of rows grows on the way down.
    return tf.cond(
      n == 0,
      lambda: tf.reduce_sum(tf.tanh(x @ w)),
      lambda: f(n - 1, tf.concat([x, 0.5 * x], 0)) + tf.reduce_sum(x @ w),
    )

  spec = tf.TensorSpec([None, 3], F64)
  _, gradients, ref_gradients = check(body, [COUNT, spec], [3, normal(1, 3)], [w], way=way)
  assert_not_about_zero(gradients + ref_gradients)


def test_of_a_weight_in_one_branch_another_in_the_other(way):
  w, v = tf.Variable(normal(3, 3)), tf.Variable(normal(3, 3, seed=3))

  def body(f, n, x):
    def even():
      return f(n - 1, x @ w)

    def odd():
      return tf.tanh(f(n - 1, x) @ v)

    return tf.cond(n == 0, lambda: x, lambda: tf.cond(n % 2 == 0, even, odd))

  _, gradients, ref_gradients = check(body, [COUNT, ROW], [5, normal(1, 3)], [w, v], way=way)
  assert_not_about_zero(gradients + ref_gradients)


def test_a_weight_of_a_branch_that_never_ran_has_a_zero_gradient(way):
  w = tf.Variable(normal(3, 3))

  def body(f, n, x):
    return tf.cond(n == 0, lambda: tf.sin(x), lambda: f(n - 1, x) @ w)

  f = as_subgraph(body, [COUNT, ROW])
  _, _, (gradient,) = value_and_gradients(f, [0, normal(1, 3)], [w], way)
  assert gradient.shape == [3, 3] and not gradient.numpy().any()


def test_of_eager_tensors_around_the_body():
  table = normal(40, 3)

  def body(f, n, x):
    return tf.cond(n < 0, lambda: x, lambda: f(n - 1, x * 0.9) + table[n] * x)

  for way in ("eager", "function", "around"):
    _, gradients, ref_gradients = check(body, [COUNT, ROW], [3, normal(1, 3)], [table], way=way)
    assert_not_about_zero(gradients + ref_gradients)


def test_of_tensors_of_the_function_around_the_body():
  x0, w0 = normal(1, 3), normal(3, 3)

  def loss_of(x, w, define):
    w2 = tf.sin(w)

    def body(f, n, x):
      return tf.cond(n == 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w2) * tf.reduce_sum(w))

    return tf.reduce_sum(define(body)(4, x) ** 2)

  @tf.function
  def by_subgraph(x, w):
    return tf.gradients(loss_of(x, w, lambda body: as_subgraph(body, [COUNT, ROW])), [x, w])

  with tf.GradientTape() as tape:
    tape.watch([x0, w0])
    z, w2 = x0, tf.sin(w0)
    for _ in range(4):
      z = tf.tanh(z @ w2) * tf.reduce_sum(w0)
    loss = tf.reduce_sum(z**2)
  expected = tape.gradient(loss, [x0, w0])
  for actual, gradient in zip(by_subgraph(x0, w0), expected, strict=True):
    np.testing.assert_allclose(actual, gradient, rtol=1e-9, atol=1e-12)
    assert np.abs(gradient).max() > 1e-3


def test_of_nests(way):
  specs = {"h": ROW, "c": (ROW, COUNT)}

  def body(f, n, state):
    def step():
      h, (c, k) = state["h"], state["c"]
      return f(n - 1, {"h": tf.sin(c) * h, "c": (h + c, k + 1)})

    return tf.cond(n == 0, lambda: state, step)

  state = {"h": normal(1, 3), "c": (normal(1, 3, seed=5), tf.constant(2))}
  (results, gradients, _) = check(body, [COUNT, specs], [3, state], way=way)
  assert results["c"][1].numpy() == 5
  assert_not_about_zero(gradients)


def test_of_mutual_recursion(way):
  w = tf.Variable(0.8, dtype=F64)

  def define():
    f, g = (rtf.SubGraph(name, outputs=NUMBER) for name in "fg")
    with f:
      n, x = f.input(tf.int32), f.input(F64)
      f.output(tf.cond(n == 0, lambda: x, lambda: tf.sin(g(x, n - 1))))
    with g:
      x, n = g.input(F64), g.input(tf.int32)
      g.output(tf.cond(n == 0, lambda: w * x, lambda: w * f(n - 1, x * x) + f(n // 2, x)))
    return f

  def oracle_f(n, x):
    return x if n == 0 else tf.sin(oracle_g(x, n - 1))

  def oracle_g(x, n):
    return w * x if n == 0 else w * oracle_f(n - 1, x * x) + oracle_f(n // 2, x)

  f = define()
  for n in (1, 6):
    actual = value_and_gradients(f, [n, tf.constant(0.7, F64)], [w], way)
    expected = value_and_gradients(
      lambda n, x: oracle_f(int(n), x), [n, tf.constant(0.7, F64)], [w]
    )
    np.testing.assert_allclose(actual[0], expected[0], rtol=1e-12)
    np.testing.assert_allclose(actual[1], expected[1], rtol=1e-9)
    np.testing.assert_allclose(actual[2], expected[2], rtol=1e-9)
    assert_not_about_zero(expected[1])


def test_of_a_body_that_calls_another_subgraph(way):
  w = tf.Variable(0.4, dtype=F64)
  inner = as_subgraph(
    lambda f, n, x: tf.cond(n == 0, lambda: x, lambda: w * tf.sin(f(n - 1, x))), [COUNT, NUMBER]
  )

  def body(f, n, x):
    return tf.cond(n == 0, lambda: w * x, lambda: inner(n, x) + f(n - 1, 0.5 * x))

  def oracle(n, x):
    if n == 0:
      return w * x
    z = x
    for _ in range(n):
      z = w * tf.sin(z)
    return z + oracle(n - 1, 0.5 * x)

  args = [4, tf.constant(0.7, F64)]
  actual = value_and_gradients(as_subgraph(body, [COUNT, NUMBER]), args, [w], way)
  expected = value_and_gradients(lambda n, x: oracle(int(n), x), args, [w])
  for a, e in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
    np.testing.assert_allclose(a, e, rtol=1e-9)
  assert_not_about_zero(expected[1] + expected[2])


def test_agrees_with_finite_differences():
  w = tf.Variable(normal(2, 2))

  def body(f, n, x):
    return tf.cond(n == 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w + f(n // 2, x)))

  f = as_subgraph(body, [COUNT, tf.TensorSpec([1, 2], F64)])
  x, w0 = normal(1, 2), tf.constant(w.numpy())
  theory, numeric = tf.test.compute_gradient(lambda v: f(3, v), [x])
  np.testing.assert_allclose(theory[0], numeric[0], atol=1e-6)
  assert np.abs(theory[0]).max() > 1e-3

  def of_w(value):
    w.assign(value)
    return f(3, x)

  with tf.GradientTape(persistent=True) as tape:
    y = f(3, x)
    components = [y[0, i] for i in range(2)]
  theory = [tf.reshape(tape.gradient(c, w), [-1]) for c in components]
  step = 1e-6
  for j in range(4):
    shift = tf.reshape(tf.one_hot(j, 4, dtype=F64), [2, 2]) * step
    numeric = (of_w(w0 + shift) - of_w(w0 - shift))[0] / (2 * step)
    np.testing.assert_allclose([t[j] for t in theory], numeric, atol=1e-8)
  assert np.abs(theory).max() > 1e-3


@pytest.mark.parametrize(
  "dtype", [tf.float16, tf.bfloat16, tf.float32, tf.complex64, tf.complex128]
)
def test_of_other_types(dtype):
  w = tf.Variable(tf.cast(0.5, dtype))
  with rtf.SubGraph("f") as f:
    n, x = f.input(tf.int32), f.input(dtype)
    f.output(tf.cond(n == 0, lambda: x, lambda: w * f(n - 1, x)))
  x = tf.cast(2.0, dtype)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(3, x)
  gradients = tape.gradient(y, [x, w])
  assert [g.dtype for g in gradients] == [dtype, dtype]
  assert [complex(g.numpy()).real for g in gradients] == [0.125, 1.5]
