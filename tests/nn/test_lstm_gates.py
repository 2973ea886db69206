"""The fused gates equal the composed ones: values, gradients, shapes, errors."""

import gc

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

# Relative to the largest entry of what is compared.
TOLERANCE = {tf.float32: 2e-6, tf.float64: 1e-14}
DTYPES = pytest.mark.parametrize("dtype", TOLERANCE, ids=lambda dtype: dtype.name)


def composed(gates, memories, bias=None):
  """The same from TensorFlow's own ops."""
  if bias is not None:
    gates = gates + bias
  i, o, *forget, u = tf.split(gates, 3 + len(memories), axis=-1)
  c = tf.sigmoid(i) * tf.tanh(u)
  for f, memory in zip(forget, memories, strict=True):
    c += tf.sigmoid(f) * memory
  return tf.sigmoid(o) * tf.tanh(c), c


def make_inputs(leading, num_memories, width, dtype, scale=2.0):
  """Returns random (gates, memories, bias)."""
  gates = tf.random.normal([*leading, (3 + num_memories) * width], stddev=scale, dtype=dtype)
  memories = [tf.random.normal([*leading, width], dtype=dtype) for _ in range(num_memories)]
  return gates, memories, tf.random.normal(gates.shape[-1:], dtype=dtype)


def value_and_gradients(gates_fn, inputs, directions=None):
  """Returns (h, c) and the gradients of their projection on two fixed random directions."""
  with tf.GradientTape() as tape:
    tape.watch(inputs)
    h, c = gates_fn(*inputs)
    # Drawn as float32: the same numbers in both types.
    dh = tf.cast(tf.random.stateless_normal(tf.shape(h), [1, 2]), h.dtype)
    dc = tf.cast(tf.random.stateless_normal(tf.shape(c), [3, 4]), c.dtype)
    loss = tf.reduce_sum(dh * h) + tf.reduce_sum(dc * c)
  return (h, c), tf.nest.flatten(tape.gradient(loss, inputs))


def assert_close(actual, expected, dtype, factor=1.0):
  tf.nest.assert_same_structure(actual, expected)
  pairs = zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True)
  for a, b in pairs:
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    a, b = a.numpy(), b.numpy()
    bound = factor * TOLERANCE[dtype] * max(1.0, np.abs(b).max(initial=0.0))
    assert np.abs(a - b).max(initial=0.0) <= bound


def check(inputs, dtype, mode=lambda fn: fn, has_bias=True):
  inputs = inputs if has_bias else inputs[:2]
  actual = mode(lambda *inputs: value_and_gradients(rtf.nn.lstm_gates, inputs))(*inputs)
  # float32 against float64: the composed version rounds, too.
  exact = tf.nest.map_structure(lambda x: tf.cast(x, tf.float64), inputs)
  (h, c), gradients = value_and_gradients(composed, exact)
  expected = tf.nest.map_structure(lambda x: tf.cast(x, dtype), ((h, c), gradients))
  num_rows = max(1, int(np.prod(inputs[0].shape[:-1])))
  assert_close(actual[0], expected[0], dtype)
  assert_close(actual[1], expected[1], dtype, factor=1.0 + 0.1 * num_rows)  # Sums over rows.
  return actual


@DTYPES
@pytest.mark.parametrize("width", [1, 7, 150])
@pytest.mark.parametrize("num_rows", [0, 1, 3, 257])
@pytest.mark.parametrize("num_memories", [0, 1, 2, 5])
def test_equals_the_composed_version(num_memories, num_rows, width, dtype):
  check(make_inputs([num_rows], num_memories, width, dtype), dtype)


@DTYPES
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.parametrize("leading", [[], [4], [4, 1], [2, 3, 1]])
def test_takes_any_leading_shape(leading, has_bias, dtype, mode):
  (h, c), gradients = check(make_inputs(leading, 2, 5, dtype), dtype, mode, has_bias)
  assert h.shape == c.shape == [*leading, 5]
  assert len(gradients) == 3 + has_bias
  assert all(float(tf.reduce_max(tf.abs(gradient))) > 1e-3 for gradient in gradients)


@DTYPES
def test_many_rows_are_shared_by_threads(dtype):
  check(make_inputs([1500], 2, 40, dtype), dtype)


@DTYPES
def test_the_gradient_is_that_of_the_values(dtype):
  gates, memories, bias = make_inputs([3], 2, 3, dtype, scale=1.0)

  def project(*inputs):
    h, c = rtf.nn.lstm_gates(inputs[0], inputs[1:3], inputs[3])
    return tf.reduce_sum(h * h) + tf.reduce_sum(c * c * c)

  theoretical, numerical = tf.test.compute_gradient(
    project, [gates, *memories, bias], delta=1e-5 if dtype == tf.float64 else 1e-2
  )
  for a, b in zip(theoretical, numerical, strict=True):
    assert np.abs(a).max() > 1e-3
    np.testing.assert_allclose(a, b, atol=1e-8 if dtype == tf.float64 else 5e-3)


@DTYPES
def test_large_inputs_saturate(dtype):
  values = [-1e30, -800.0, -100.0, -20.0, 0.0, 20.0, 100.0, 800.0, 1e30]
  grid = np.stack(np.meshgrid(values, values, values, values), axis=-1).reshape(-1, 4)
  gates = tf.constant(grid, dtype)  # i, o, f, u of width 1.
  memories = [tf.constant(np.resize([1.5, -0.5, 0.25], [len(grid), 1]), dtype)]
  (h, c), gradients = value_and_gradients(rtf.nn.lstm_gates, (gates, memories))
  expected = value_and_gradients(composed, (gates, memories))
  assert_close(((h, c), gradients), expected, dtype)
  assert all(np.isfinite(x).all() for x in tf.nest.flatten([h, c, gradients]))


@DTYPES
def test_infinite_gates_are_saturated_ones(dtype):
  gates = tf.constant([[np.inf, np.inf, -np.inf, -np.inf]], dtype)
  h, c = rtf.nn.lstm_gates(gates, [tf.constant([[3.0]], dtype)])
  assert float(c[0, 0]) == pytest.approx(-1.0, abs=1e-6)
  assert float(h[0, 0]) == pytest.approx(np.tanh(-1.0), abs=1e-6)


@DTYPES
@pytest.mark.parametrize("part", range(7), ids=["i", "o", "f1", "f2", "u", "c1", "c2"])
@pytest.mark.parametrize("column", [0, 16, 18])
def test_nan_goes_where_it_is_used_and_nowhere_else(column, part, dtype):
  width = 19
  gates, memories, _ = make_inputs([3], 2, width, dtype)
  arrays = [gates.numpy(), *(memory.numpy() for memory in memories)]
  array, at = (arrays[0], part * width + column) if part < 5 else (arrays[part - 4], column)
  array[1, at] = np.nan
  (h, c), gradients = value_and_gradients(
    rtf.nn.lstm_gates, (tf.constant(arrays[0]), [tf.constant(a) for a in arrays[1:]])
  )
  expected = np.zeros([3, width], bool)
  expected[1, column] = True
  np.testing.assert_array_equal(np.isnan(h), expected)
  np.testing.assert_array_equal(np.isnan(c), expected & (part != 1))
  for gradient in gradients:
    found = np.isnan(gradient.numpy()).reshape(3, -1, width).any(axis=1)
    assert not (found & ~expected).any()
  assert np.isnan(gradients[0]).any()


@DTYPES
def test_inputs_that_are_used_again_keep_their_values(dtype, mode):
  """The op may write over its inputs' buffers, but only over those that nobody else reads."""

  def run(x, weights, memories):
    gates = tf.matmul(x, weights)
    twice = [memory * 2 for memory in memories]
    h, c = rtf.nn.lstm_gates(gates, twice)
    h2, c2 = rtf.nn.lstm_gates(gates, twice)
    return (h, c), (h2, c2), gates, twice

  _, memories, _ = make_inputs([4], 2, 6, dtype)
  x, weights = tf.random.normal([4, 5], dtype=dtype), tf.random.normal([5, 30], dtype=dtype)
  first, second, gates, twice = mode(run)(x, weights, memories)
  assert_close(first, second, dtype, factor=0.0)
  assert_close(first, composed(gates, twice), dtype)
  assert_close((gates, twice), (tf.matmul(x, weights), [2 * m for m in memories]), dtype)


@DTYPES
def test_buffers_of_dead_inputs_are_used_again(dtype):
  """In a graph, where gates and memories die with the op; and the gradient's inputs with it."""

  @tf.function
  def run(x, weights, memories, bias):
    results = []
    for gates_fn in (rtf.nn.lstm_gates, composed):

      def doubled(x, memories, gates_fn=gates_fn):
        return gates_fn(tf.matmul(x, weights), [2 * memory for memory in memories], bias)

      results.append(doubled(x, memories))
      results.append(value_and_gradients(doubled, (x, memories)))
    return results

  _, memories, bias = make_inputs([4], 3, 6, dtype)
  x, weights = tf.random.normal([4, 5], dtype=dtype), tf.random.normal([5, 36], dtype=dtype)
  fused, fused_gradients, reference, reference_gradients = run(x, weights, memories, bias)
  assert_close(fused, reference, dtype, factor=2.0)
  assert_close(fused_gradients, reference_gradients, dtype, factor=5.0)


@pytest.mark.parametrize("unused", ["h", "c"])
def test_one_of_the_results_may_have_no_gradient(unused, mode):
  gates, memories, bias = make_inputs([3], 2, 4, tf.float64)

  def gradient(gates_fn):
    with tf.GradientTape() as tape:
      tape.watch([gates, *memories, bias])
      h, c = gates_fn(gates, memories, bias)
      loss = tf.reduce_sum(tf.square(c if unused == "h" else h))
    return tape.gradient(loss, [gates, *memories, bias])

  actual = mode(lambda: gradient(rtf.nn.lstm_gates))()
  assert_close(actual, gradient(composed), tf.float64, factor=10.0)


def test_tf_gradients_works():
  @tf.function
  def run(gates, memories, bias):
    inputs = [gates, *memories, bias]
    return [
      tf.gradients(tf.nest.flatten(gates_fn(gates, memories, bias)), inputs)
      for gates_fn in (rtf.nn.lstm_gates, composed)
    ]

  actual, expected = run(*make_inputs([3], 2, 4, tf.float64))
  assert_close(actual, expected, tf.float64, factor=10.0)


@pytest.mark.parametrize("scheduler", ["concurrent", "auto"])
def test_in_a_recursion(scheduler):
  def make(gates_fn):
    weights = tf.Variable(tf.random.stateless_normal([4, 20], [5, 6], dtype=tf.float64))
    bias = tf.Variable(tf.random.stateless_normal([20], [7, 8], dtype=tf.float64))
    state = tf.TensorSpec([1, 4], tf.float64)
    with rtf.SubGraph("Chain", outputs=(state, state), scheduler=scheduler) as f:
      n, h, c = f.input(tf.int32, []), f.input(tf.float64, [1, 4]), f.input(tf.float64, [1, 4])
      w, b = tf.convert_to_tensor(weights), tf.convert_to_tensor(bias)

      def step():
        below, memory = f(n - 1, h, c)
        return gates_fn(tf.matmul(below, w), [memory, c], b)

      f.output(tf.cond(n == 0, lambda: (h, c), step))

    @tf.function
    def run(h, c):
      with tf.GradientTape() as tape:
        tape.watch([h, c])
        results = f(tf.constant(5), h, c)
        loss = tf.add_n([tf.reduce_sum(r * r) for r in results])
      return results, tape.gradient(loss, [h, c, weights, bias])

    h = tf.random.stateless_normal([1, 4], [1, 2], dtype=tf.float64)
    return run(h, 0.5 * h)

  assert_close(make(rtf.nn.lstm_gates), make(composed), tf.float64, factor=10.0)


@pytest.mark.parametrize(
  "gates, memories, bias, message",
  [
    ([2, 7], [[2, 1], [2, 1]], None, r"gates has shape \[2,7\]; with 2 memories .* multiple of 5"),
    ([], [], None, r"gates has shape \[\]; with 0 memories .* multiple of 3"),
    ([2, 8], [[2, 3]], None, r"a memory has shape \[2,3\], expected \[2,2\]"),
    ([2, 8], [[3, 2]], None, r"a memory has shape \[3,2\], expected \[2,2\]"),
    ([2, 8], [[2]], None, r"a memory has shape \[2\], expected \[2,2\]"),
    ([2, 10], [[2, 2], [1, 2]], None, r"a memory has shape \[1,2\], expected \[2,2\]"),
    ([2, 6], [], [2, 6], r"bias has shape \[2,6\], expected \[6\]"),
    ([2, 6], [], [2], r"bias has shape \[2\], expected \[6\]"),
  ],
)
@pytest.mark.parametrize("way", ["eager", "tracing", "running"])
def test_shapes_that_do_not_fit_are_named(gates, memories, bias, message, way):
  inputs = [tf.zeros(gates), [tf.zeros(m) for m in memories]]
  inputs += [] if bias is None else [tf.zeros(bias)]

  def run(*inputs):
    return rtf.nn.lstm_gates(*inputs)

  if way == "running":
    unknown = tf.nest.map_structure(lambda x: tf.TensorSpec(None), inputs)
    run = tf.function(run, input_signature=unknown)
  elif way == "tracing":
    run = tf.function(run)
  error = ValueError if way == "tracing" else tf.errors.InvalidArgumentError
  with pytest.raises(error, match=message):
    run(*inputs)


def test_other_types_are_refused():
  with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError), match="half|float16"):
    rtf.nn.lstm_gates(tf.zeros([2, 6], tf.float16), [])


def test_static_shapes_are_inferred():
  @tf.function(
    input_signature=[tf.TensorSpec([None, 1, 20]), tf.TensorSpec(None), tf.TensorSpec([7, 1, 4])]
  )
  def run(gates, left, right):
    h, c = rtf.nn.lstm_gates(gates, [left, right])
    assert h.shape.as_list() == c.shape.as_list() == [7, 1, 4]
    d_left, d_gates = tf.gradients(h, [left, gates])
    assert d_left.shape.as_list() == [7, 1, 4]
    assert d_gates.shape.as_list()[1:] == [1, 20]
    return h

  run(tf.zeros([7, 1, 20]), tf.zeros([7, 1, 4]), tf.zeros([7, 1, 4]))


def test_second_order_is_refused_by_name():
  gates = tf.ones([1, 3])
  with tf.GradientTape() as outer:
    outer.watch(gates)
    with tf.GradientTape() as inner:
      inner.watch(gates)
      h, _ = rtf.nn.lstm_gates(gates, [])
    gradient = inner.gradient(h, gates)
  with pytest.raises(rtf.UnsupportedGradientError, match="rtf.nn.lstm_gates"):
    outer.gradient(gradient, gates)


def test_memory_does_not_grow():
  @tf.function
  def run(inputs):
    return value_and_gradients(rtf.nn.lstm_gates, inputs)

  inputs = make_inputs([64], 2, 150, tf.float32)

  def resident_kib():
    with open("/proc/self/statm") as file:
      return int(file.read().split()[1]) * 4

  for _ in range(50):
    run(inputs)
  gc.collect()
  before = resident_kib()
  for _ in range(400):
    run(inputs)
  gc.collect()
  # One run's activations alone are 190 KiB.
  assert resident_kib() - before < 16 * 1024
