"""The product for few rows equals tf.matmul: values, gradients of both orders, shapes, errors."""

import functools

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


# --- Of the first rows of the weights alone


@DTYPES
@TRANSPOSES
@pytest.mark.parametrize("num_rows", [0, 1, 5, 16, 33, 40])
@pytest.mark.parametrize("leading", [[0], [1], [3], [40], [2, 3]], ids=str)
def test_of_the_first_rows_of_the_weights(leading, num_rows, transpose, dtype, mode):
  weights = tf.random.normal([40, 21], dtype=dtype)
  x = tf.random.normal([*leading, 21 if transpose else num_rows], dtype=dtype)

  def run(product):
    with tf.GradientTape() as tape:
      tape.watch([x, weights])
      y = product()
      loss = tf.reduce_sum(tf.sin(y))
    return y, *tape.gradient(loss, [x, weights])

  def ours():
    count = tf.constant(num_rows)
    return rtf.nn.matmul(x, weights, transpose, num_rows=count)

  expected = run(lambda: expected_product(x, weights[:num_rows], transpose))
  for a, b in zip(mode(lambda: run(ours))(), expected, strict=True):
    assert_close(a, b, dtype, size=200)


@TRANSPOSES
def test_second_derivatives_of_the_first_rows(transpose, mode):
  x, weights = make_inputs([4], 3, 5, transpose, tf.float64)
  more = tf.concat([weights, tf.ones([2, weights.shape[1]], tf.float64)], 0)

  def run(product):
    with tf.GradientTape() as outer:
      outer.watch([x, more])
      with tf.GradientTape() as inner:
        inner.watch([x, more])
        loss = tf.reduce_sum(tf.sin(product()))
      gradients = inner.gradient(loss, [x, more])
      total = tf.add_n([tf.reduce_sum(g * g) for g in gradients])
    return outer.gradient(total, [x, more])

  num_rows = weights.shape[0]
  actual = mode(lambda: run(lambda: rtf.nn.matmul(x, more, transpose, num_rows=num_rows)))()
  expected = run(lambda: expected_product(x, more[:num_rows], transpose))
  for a, b in zip(actual, expected, strict=True):
    assert float(tf.reduce_max(tf.abs(b))) > 1e-3
    assert_close(a, b, tf.float64, size=1000)


@pytest.mark.parametrize("scheduler", ["concurrent", "auto"])
@pytest.mark.parametrize("by_shape", [True, False], ids=["by shape", "by a value of the frame"])
def test_of_as_many_rows_as_a_frame_has_children(by_shape, scheduler):
  """Trees whose nodes have none to three children; rows of one step may have other numbers."""
  children = tf.constant([[1, 2, 3], [4, -1, -1], [5, 6, -1], *[[-1] * 3] * 4])
  start = tf.random.stateless_normal([7, 1, 4], [1, 2], dtype=tf.float64)
  weights = tf.Variable(tf.random.stateless_normal([12, 4], [5, 6], dtype=tf.float64))

  def padded(x, w, count):
    return tf.matmul(tf.pad(x, [[0, 0], [0, 12 - count]]), w)

  def first(x, w, count):
    return rtf.nn.matmul(x, w, num_rows=count)

  def make(product):
    with rtf.SubGraph("tree", outputs=tf.TensorSpec([1, 4], tf.float64), scheduler=scheduler) as f:
      node = f.input(tf.int32, [])
      w = tf.convert_to_tensor(weights)
      own = tf.gather(children, node)
      count = tf.reduce_sum(tf.cast(own >= 0, tf.int32))

      def inner():
        below = f.map(own[:count])
        used = tf.shape(below)[0] if by_shape else count
        return tf.tanh(product(tf.reshape(below, [1, -1]), w, 4 * used) + tf.gather(start, node))

      f.output(tf.cond(count > 0, inner, lambda: tf.gather(start, node)))

    @tf.function
    def run(roots):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum(f.map(roots))
      return loss, tape.gradient(loss, weights)

    return run(tf.constant([0, 1, 2, 3]))

  for a, b in zip(make(first), make(padded), strict=True):
    assert float(tf.reduce_max(tf.abs(b))) > 1e-3
    assert_close(a, b, tf.float64, size=30)


@pytest.mark.parametrize(
  "x, transpose, num_rows, message",
  [
    ([2, 4], False, 4, r"the first .*4.* rows of (weights )?\[3,5\] were asked for"),
    ([2, 3], False, -1, "the first .*-1|negative"),
    ([2, 3], False, 2, r"x \[2,3\] and weights \[3,5\] do not fit"),
    ([2, 3], True, 2, r"x \[2,3\] and transposed weights \[3,5\] do not fit"),
    ([2, 3], False, [3], "the first .*3|scalar"),
  ],
)
@pytest.mark.parametrize("way", ["eager", "tracing", "running"])
def test_first_rows_that_there_are_not_are_named(x, transpose, num_rows, message, way):
  def run(x, weights, num_rows):
    return rtf.nn.matmul(x, weights, transpose, num_rows=num_rows)

  arguments = [tf.zeros(x), tf.zeros([3, 5])]
  if way == "running":
    specs = [tf.TensorSpec(None), tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)]
    run = tf.function(run, input_signature=specs)
    arguments.append(tf.constant(num_rows))
  elif way == "tracing":
    run = tf.function(functools.partial(run, num_rows=num_rows))
  else:
    arguments.append(num_rows)
  error = ValueError if way == "tracing" else tf.errors.InvalidArgumentError
  with pytest.raises(error, match=message):
    run(*arguments)


def test_static_shapes_of_the_first_rows_are_inferred():
  @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([3, 5])])
  def run(x, weights):
    assert rtf.nn.matmul(x, weights, num_rows=2).shape.as_list() == [None, 5]
    y = rtf.nn.matmul(tf.ones([4, 5]), weights, True, num_rows=2)
    assert y.shape.as_list() == [4, 2]
    y = rtf.nn.matmul(tf.ones([4, 5]), weights, True, num_rows=tf.shape(x)[1])
    return y

  assert run(tf.ones([2, 2]), tf.ones([3, 5])).shape == [4, 2]


def test_first_rows_in_bfloat16_are_refused():
  with pytest.raises(rtf.SignatureError, match="num_rows and precision"):
    rtf.nn.matmul(tf.ones([2, 2]), tf.ones([3, 5]), precision="bfloat16", num_rows=2)
  y = rtf.nn.matmul(tf.ones([2, 2]), tf.ones([3, 5]), precision="float32", num_rows=2)
  np.testing.assert_array_equal(y, np.full([2, 5], 2.0))


@DTYPES
@TRANSPOSES
def test_nan_stays_in_its_row(transpose, dtype):
  x, weights = make_inputs([20], 19, 35, transpose, dtype)
  array = x.numpy()
  array[7, 18] = np.nan
  found = np.isnan(rtf.nn.matmul(tf.constant(array), weights, transpose))
  assert found[7].all()
  assert found.sum() == 35
