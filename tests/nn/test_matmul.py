"""The product for few rows equals tf.matmul: values, gradients of both orders, shapes, errors."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

# Relative to the sums of absolute products.
TOLERANCE = {tf.float32: 1e-6, tf.float64: 2e-15}
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: dtype.name)
TRANSPOSES = pytest.mark.parametrize("transpose", [False, True], ids=["plain", "transposed"])


def make_inputs(leading, depth, width, transpose, dtype):
  x = tf.random.normal([*leading, depth], dtype=dtype)
  return x, tf.random.normal([width, depth] if transpose else [depth, width], dtype=dtype)


def expected_product(x, weights, transpose):
  rows = tf.reshape(x, [int(np.prod(x.shape[:-1])), x.shape[-1]])
  product = tf.matmul(rows, weights, transpose_b=transpose)
  return tf.reshape(product, [*x.shape[:-1], product.shape[-1]])


def assert_close(actual, expected, dtype, size):
  assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
  error = np.abs(actual.numpy() - expected.numpy()).max(initial=0.0)
  assert error <= TOLERANCE[dtype] * (1 + 4 * size)


@DTYPES
@TRANSPOSES
@pytest.mark.parametrize("width", [1, 5, 64, 750])
@pytest.mark.parametrize("depth", [0, 1, 17, 300])
@pytest.mark.parametrize("num_rows", [0, 1, 3, 14, 29, 100])
def test_equals_matmul(num_rows, depth, width, transpose, dtype):
  x, weights = make_inputs([num_rows], depth, width, transpose, dtype)
  actual = rtf.nn.matmul(x, weights, transpose)
  exact = expected_product(tf.cast(x, tf.float64), tf.cast(weights, tf.float64), transpose)
  assert_close(actual, tf.cast(exact, dtype), dtype, size=depth)


@DTYPES
@TRANSPOSES
def test_large_products_are_shared_by_threads(transpose, dtype):
  x, weights = make_inputs([257], 301, 333, transpose, dtype)
  expected = expected_product(x, weights, transpose)
  assert_close(rtf.nn.matmul(x, weights, transpose), expected, dtype, size=301)


@DTYPES
@TRANSPOSES
@pytest.mark.parametrize("leading", [[], [4], [4, 1], [2, 3, 1]])
def test_gradients_with_any_leading_shape(leading, transpose, dtype, mode):
  x, weights = make_inputs(leading, 6, 5, transpose, dtype)

  def run(product):
    with tf.GradientTape() as tape:
      tape.watch([x, weights])
      y = product(x, weights, transpose)
      loss = tf.reduce_sum(tf.sin(y))
    return y, *tape.gradient(loss, [x, weights])

  actual = mode(lambda: run(rtf.nn.matmul))()
  for a, b in zip(actual, run(expected_product), strict=True):
    assert float(tf.reduce_max(tf.abs(b))) > 1e-3
    assert_close(a, b, dtype, size=30)


@TRANSPOSES
def test_second_derivatives(transpose, mode):
  x, weights = make_inputs([4], 3, 5, transpose, tf.float64)

  def run(product):
    with tf.GradientTape() as outer:
      outer.watch([x, weights])
      with tf.GradientTape() as inner:
        inner.watch([x, weights])
        loss = tf.reduce_sum(tf.sin(product(x, weights, transpose)))
      gradients = inner.gradient(loss, [x, weights])
      total = tf.add_n([tf.reduce_sum(g * g) for g in gradients])
    return outer.gradient(total, [x, weights])

  for a, b in zip(mode(lambda: run(rtf.nn.matmul))(), run(expected_product), strict=True):
    assert_close(a, b, tf.float64, size=1000)


def test_the_weights_gradient_is_an_ordinary_product():
  """The backward pass of a recursion recognises it, and hands on its operands."""

  @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([3, 5])])
  def run(x, weights):
    gradient = tf.gradients(rtf.nn.matmul(x, weights), weights)[0]
    assert gradient.op.type == "MatMul"
    assert gradient.op.get_attr("transpose_a")
    assert gradient.op.inputs[0] is x
    return gradient

  run(tf.ones([2, 3]), tf.ones([3, 5]))


@pytest.mark.parametrize("scheduler", ["concurrent", "auto"])
def test_in_a_recursion(scheduler):
  def make(product):
    weights = tf.Variable(tf.random.stateless_normal([4, 4], [5, 6], dtype=tf.float64))
    spec = tf.TensorSpec([1, 4], tf.float64)
    with rtf.SubGraph("Chain", outputs=spec, scheduler=scheduler) as f:
      n, x = f.input(tf.int32, []), f.input(tf.float64, [1, 4])
      w = tf.convert_to_tensor(weights)
      f.output(tf.cond(n == 0, lambda: x, lambda: tf.tanh(product(f(n - 1, x), w))))

    @tf.function
    def run(x):
      with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(f(tf.constant(5), x))
      return loss, *tape.gradient(loss, [x, weights])

    return run(tf.random.stateless_normal([1, 4], [1, 2], dtype=tf.float64))

  for a, b in zip(make(rtf.nn.matmul), make(tf.matmul), strict=True):
    assert_close(a, b, tf.float64, size=30)


@pytest.mark.parametrize(
  "x, weights, transpose, message",
  [
    ([2, 4], [3, 5], False, r"x \[2,4\] and weights \[3,5\] do not fit"),
    ([2, 3], [3, 5], True, r"x \[2,3\] and transposed weights \[3,5\] do not fit"),
    ([], [3, 5], False, "do not fit|rank 1"),
    ([2, 3], [3], False, "do not fit|rank 2"),
  ],
)
@pytest.mark.parametrize("way", ["eager", "tracing", "running"])
def test_shapes_that_do_not_fit_are_named(x, weights, transpose, message, way):
  def run(x, weights):
    return rtf.nn.matmul(x, weights, transpose)

  if way != "eager":
    signature = [tf.TensorSpec(None)] * 2 if way == "running" else None
    run = tf.function(run, input_signature=signature)
  error = ValueError if way == "tracing" else tf.errors.InvalidArgumentError
  with pytest.raises(error, match=message):
    run(tf.zeros(x), tf.zeros(weights))


def test_static_shapes_are_inferred():
  @tf.function(input_signature=[tf.TensorSpec([None, 1, 3]), tf.TensorSpec([3, 5])])
  def run(x, weights):
    y = rtf.nn.matmul(x, weights)
    assert y.shape.as_list() == [None, 1, 5]
    return y

  run(tf.ones([2, 1, 3]), tf.ones([3, 5]))


@DTYPES
@TRANSPOSES
def test_nan_stays_in_its_row(transpose, dtype):
  x, weights = make_inputs([20], 19, 35, transpose, dtype)
  array = x.numpy()
  array[7, 18] = np.nan
  found = np.isnan(rtf.nn.matmul(tf.constant(array), weights, transpose))
  assert found[7].all()
  assert found.sum() == 35
