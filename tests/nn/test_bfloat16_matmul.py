"""Products in bfloat16 equal float64's of rounded operands, gradients too; refusals."""

import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf._errors import ConfigError, ProcessorError, SignatureError

needs_processor = pytest.mark.skipif(
  not rtf.nn.has_bfloat16_products(), reason="the processor has no AVX512-BF16"
)
TRANSPOSES = pytest.mark.parametrize("transpose", [False, True], ids=["plain", "transposed"])


def product(x, weights, transpose=False):
  return rtf.nn.matmul(x, weights, transpose, precision="bfloat16")


def rounded(tensor):
  return tf.cast(tf.cast(tensor, tf.bfloat16), tf.float64)


def assert_close(actual, expected, num_terms):
  """Of products of standard normal numbers: their sums are rounded, their operands exactly."""
  assert (actual.dtype, actual.shape) == (tf.float32, expected.shape)
  error = np.abs(actual.numpy() - expected.numpy()).max(initial=0.0)
  assert error <= 1e-6 * (1 + 4 * num_terms)


@needs_processor
@TRANSPOSES
@pytest.mark.parametrize(
  "leading, depth, width",
  [([0], 3, 4), ([1], 1, 1), ([3], 17, 5), ([2, 3, 1], 6, 33), ([29], 300, 750), ([257], 301, 333)],
)
def test_equals_the_product_of_rounded_operands(leading, depth, width, transpose):
  x = tf.random.stateless_normal([*leading, depth], [1, 2])
  weights = tf.random.stateless_normal([width, depth] if transpose else [depth, width], [3, 4])
  expected = tf.tensordot(rounded(x), rounded(tf.transpose(weights) if transpose else weights), 1)
  actual = product(x, weights, transpose)
  assert_close(actual, expected, depth)
  if actual.shape.num_elements():  # Not float32's product, which is more exact than this.
    exact = tf.tensordot(x, tf.transpose(weights) if transpose else weights, 1)
    assert np.abs(actual - exact).max() > 1e-4 * np.abs(exact).max()


@needs_processor
@TRANSPOSES
@pytest.mark.parametrize("leading", [[], [4], [2, 3, 1]])
def test_gradients_are_products_of_rounded_operands(leading, transpose, mode):
  x = tf.random.stateless_normal([*leading, 7], [1, 2])
  weights = tf.random.stateless_normal([5, 7] if transpose else [7, 5], [3, 4])
  dy = tf.random.stateless_normal([*leading, 5], [5, 6])

  def run():
    with tf.GradientTape() as tape:
      tape.watch([x, weights])
      y = product(x, weights, transpose)
    return tape.gradient(y, [x, weights], output_gradients=dy)

  dx, dweights = mode(run)()
  matrix = rounded(tf.transpose(weights) if transpose else weights)
  rows, dy_rows = (tf.reshape(rounded(t), [-1, t.shape[-1]]) for t in (x, dy))
  assert_close(dx, tf.tensordot(rounded(dy), matrix, [[-1], [1]]), 5)
  expected = tf.matmul(rows, dy_rows, transpose_a=True)
  assert_close(dweights, tf.transpose(expected) if transpose else expected, 6)


@needs_processor
@TRANSPOSES
def test_second_derivatives(transpose, mode):
  """Of small whole numbers, which bfloat16 has: equal to float32's."""
  rng = np.random.default_rng(0)
  x = tf.constant(rng.integers(-1, 2, [4, 3]), tf.float32)
  weights = tf.constant(rng.integers(-1, 2, [5, 3] if transpose else [3, 5]), tf.float32)

  def run(precision):
    with tf.GradientTape() as outer:
      outer.watch([x, weights])
      with tf.GradientTape() as inner:
        inner.watch([x, weights])
        y = rtf.nn.matmul(x, weights, transpose, precision=precision)
        loss = tf.reduce_sum(y * y)
      gradients = inner.gradient(loss, [x, weights])
      total = tf.add_n([tf.reduce_sum(g) for g in gradients])
    return outer.gradient(total, [x, weights])

  actual, expected = mode(lambda: run("bfloat16"))(), run("float32")
  for a, b in zip(actual, expected, strict=True):
    assert float(tf.reduce_max(tf.abs(b))) > 1
    np.testing.assert_array_equal(a, b)


def rounding_product(x, weights):
  """The same by TensorFlow's ops."""

  @tf.custom_gradient
  def run(x, weights):
    def gradient(dy):
      dx = tf.matmul(rounded(dy), rounded(weights), transpose_b=True)
      dweights = tf.matmul(rounded(x), rounded(dy), transpose_a=True)
      return tf.cast(dx, tf.float32), tf.cast(dweights, tf.float32)

    return tf.cast(tf.matmul(rounded(x), rounded(weights)), tf.float32), gradient

  return run(x, weights)


@needs_processor
@pytest.mark.parametrize("scheduler", ["concurrent", "batched"])
def test_in_a_recursion(scheduler):
  weights = tf.Variable(0.5 * tf.random.stateless_normal([4, 4], [5, 6]))
  spec = tf.TensorSpec([1, 4])
  with rtf.SubGraph("Tree", outputs=spec, scheduler=scheduler) as f:
    n, x = f.input(tf.int32, []), f.input(tf.float32, [1, 4])
    w = tf.convert_to_tensor(weights)
    f.output(
      tf.cond(n == 0, lambda: x, lambda: tf.tanh(product(f(n - 1, x) + f(n - 1, x * 0.5), w)))
    )

  def plain(n, x):
    below = plain(n - 1, x) + plain(n - 1, x * 0.5) if n else None
    return x if below is None else tf.tanh(rounding_product(below, weights))

  def run(call):
    x = tf.random.stateless_normal([1, 4], [1, 2])
    with tf.GradientTape() as tape:
      tape.watch(x)
      loss = tf.reduce_sum(call(3, x))
    return loss, *tape.gradient(loss, [x, weights])

  # A sum rounded in another order may make an operand round to a neighbour: 1/256 of it.
  for a, b in zip(run(lambda n, x: f(tf.constant(n), x)), run(plain), strict=True):
    assert float(tf.reduce_max(tf.abs(b))) > 1e-2
    np.testing.assert_allclose(a, b, rtol=1e-2, atol=1e-3)


@needs_processor
@TRANSPOSES
@pytest.mark.parametrize("scheduler", ["concurrent", "batched"])
def test_the_weights_gradient_sums_rounded_rows_of_all_frames(scheduler, transpose):
  weights = tf.Variable(tf.random.stateless_normal([5, 7] if transpose else [7, 5], [5, 6]))
  x = tf.random.stateless_normal([9, 1, 7], [1, 2])
  dy = tf.random.stateless_normal([9, 1, 5], [3, 4])
  with rtf.SubGraph("Rows", outputs=tf.TensorSpec([1, 5]), scheduler=scheduler) as f:
    f.output(product(f.input(tf.float32, [1, 7]), weights, transpose))
  with tf.GradientTape() as tape:
    y = f.map(x)
  gradient = tape.gradient(y, weights, output_gradients=dy)
  expected = tf.einsum("nik,nim->km", rounded(x), rounded(dy))
  assert_close(tf.convert_to_tensor(gradient), tf.transpose(expected) if transpose else expected, 9)


@needs_processor
def test_weights_are_rounded_once_a_run():
  weights = tf.Variable(tf.ones([4, 4]))
  with rtf.SubGraph("Once", outputs=tf.TensorSpec([1, 4]), scheduler="batched") as f:
    n, x = f.input(tf.int32, []), f.input(tf.float32, [1, 4])
    f.output(tf.cond(n == 0, lambda: x, lambda: product(f(n - 1, x), weights)))
  assert f(tf.constant(3), tf.ones([1, 4])).numpy().tolist() == [[64.0] * 4]
  ops = [op for block in f.explain().blocks for op in block.ops]
  assert "RecursiveTf>Bfloat16MatMul" in ops
  assert "Cast" not in ops


@needs_processor
@TRANSPOSES
def test_nan_stays_in_its_row(transpose):
  array = np.ones([3, 5], np.float32)
  array[1, 4] = np.nan
  found = np.isnan(product(tf.constant(array), tf.ones([5, 5]), transpose))
  assert found.tolist() == [[False] * 5, [True] * 5, [False] * 5]


@needs_processor
def test_operands_of_other_types_and_shapes_are_refused():
  with pytest.raises(SignatureError, match="float64, weights are float32; expected float32"):
    product(tf.ones([2, 3], tf.float64), tf.ones([3, 4]))
  with pytest.raises(tf.errors.InvalidArgumentError, match="do not fit"):
    product(tf.ones([2, 3]), tf.ones([4, 3]))


def test_unknown_precisions_are_refused():
  with pytest.raises(ConfigError, match="'float16': expected one of float32, bfloat16"):
    rtf.nn.matmul(tf.ones([2, 3]), tf.ones([3, 4]), precision="float16")


def test_float32_is_the_product_without_a_precision():
  x, weights = tf.random.normal([2, 3]), tf.random.normal([3, 4])
  expected = rtf.nn.matmul(x, weights)
  np.testing.assert_array_equal(rtf.nn.matmul(x, weights, precision="float32"), expected)


def test_a_processor_without_them_is_named(monkeypatch):
  monkeypatch.setattr("recursive_tf.nn._precision.has_bfloat16_products", lambda: False)
  with pytest.raises(ProcessorError, match="AVX512-BF16, which this one is not"):
    product(tf.ones([2, 3]), tf.ones([3, 4]))


def test_asking_for_them_does_not_start_tensorflow():
  """Whose threads could then not be set any more: the command line asks first."""
  code = """
import tensorflow as tf
import recursive_tf as rtf

rtf.nn.has_bfloat16_products()
tf.config.threading.set_intra_op_parallelism_threads(1)
"""
  done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
  assert done.returncode == 0, done.stderr
