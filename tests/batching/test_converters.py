"""Each op for many frames at once gives what it gives frame by frame, and so does its gradient."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

W = np.linspace(-1, 1, 12).reshape(3, 4)
V = np.linspace(-1, 1, 3)
TABLE = np.linspace(-2, 2, 15).reshape(5, 3)


def constant(value):
  return tf.constant(np.asarray(value), tf.float64)


# On x [1, 3], y [1, 3]: values that are merged.
ROWS = {
  "add": lambda x, y: x + y,
  "broadcast": lambda x, y: x * constant(V) + constant([V]),
  "taller_constant": lambda x, y: x * constant(W[:2, :3]),
  "scalar": lambda x, y: 2.0 * x - y / 3.0,
  "unary": lambda x, y: tf.tanh(x) + tf.sigmoid(y) * tf.exp(-tf.square(x)),
  "maximum": lambda x, y: tf.maximum(x, y) - tf.minimum(x, 0.1),
  "where": lambda x, y: tf.where(x > y, x, 2 * y),
  "where_row": lambda x, y: tf.where(constant(V) > 0, x, y),
  "matmul": lambda x, y: tf.matmul(x, constant(W)),
  "matmul_transposed": lambda x, y: tf.matmul(x, constant(W.T), transpose_b=True),
  "outer_product": lambda x, y: tf.matmul(x, y, transpose_a=True),
  "einsum": lambda x, y: tf.einsum("bi,ij->bj", x, constant(W)),
  "tensordot": lambda x, y: tf.tensordot(x, constant(W), 1),
  "bias_add": lambda x, y: tf.nn.bias_add(x, constant(V)),
  "softmax": lambda x, y: tf.nn.softmax(x) + tf.nn.log_softmax(y),
  "softmax_loss": lambda x, y: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(y), x),
  "concat": lambda x, y: tf.concat([x, y], 1),
  "concat_rows": lambda x, y: tf.concat([x, y], 0),
  "concat_constant": lambda x, y: tf.concat([x, constant([V])], 1),
  "split": lambda x, y: tf.split(x, 3, axis=1)[1],
  "split_sizes": lambda x, y: tf.split(x, [1, 2], axis=-1)[1],
  "unstack": lambda x, y: tf.unstack(x, axis=1)[2],
  "unstack_rows": lambda x, y: tf.unstack(x, axis=0)[0],
  "stack": lambda x, y: tf.stack([x, y]),
  "stack_inner": lambda x, y: tf.stack([x, y], 1),
  "reshape": lambda x, y: tf.reshape(x, [3, 1]) * 2.0,
  "reshape_flat": lambda x, y: tf.reshape(x, [-1]) + constant(V),
  "squeeze": lambda x, y: tf.squeeze(x, 0) * tf.squeeze(y),
  "expand": lambda x, y: tf.expand_dims(x, 0) * x[:, tf.newaxis, :],
  "transpose": lambda x, y: tf.transpose(x) @ x,
  "sum_all": lambda x, y: tf.reduce_sum(x * y),
  "sum_inner": lambda x, y: tf.reduce_sum(x, 1),
  "mean_keep": lambda x, y: tf.reduce_mean(x, -1, keepdims=True) * y,
  "max_rows": lambda x, y: tf.reduce_max(x, 0) + y,
  "slice": lambda x, y: x[:, 1:] + y[:, :2],
  "slice_row": lambda x, y: x[0] * y[0, 1],
  "tile": lambda x, y: tf.tile(x, [1, 2]),
  "tile_rows": lambda x, y: tf.tile(x, [2, 1]),
  "pad": lambda x, y: tf.pad(x, [[0, 1], [1, 0]]),
  "cumsum": lambda x, y: tf.cumsum(x, axis=1),
  "gather_inner": lambda x, y: tf.gather(x, [2, 0], axis=1),
  "norm": lambda x, y: x / tf.norm(y + 3.0),
  "l2_normalize": lambda x, y: tf.math.l2_normalize(x, 1) + y,
  "clip": lambda x, y: tf.clip_by_value(x, -0.5, 0.5) * y,
  "cast": lambda x, y: tf.cast(tf.cast(x, tf.float32), tf.float64) + y,
  "zeros_like": lambda x, y: tf.zeros_like(x) + tf.ones_like(y) * x,
  "fill": lambda x, y: x + tf.fill(tf.shape(x), tf.constant(2.0, tf.float64)),
  "stop_gradient": lambda x, y: tf.stop_gradient(x) * y,
  "shape": lambda x, y: x * tf.cast(tf.shape(y)[1], tf.float64),
  "relu": lambda x, y: tf.nn.relu(x) + tf.nn.leaky_relu(y) + tf.nn.elu(x),
  "roll": lambda x, y: tf.roll(x, 1, 1),
  "dropped": lambda x, y: y * 2.0,
  "lstm_gates": lambda x, y: tf.concat(rtf.nn.lstm_gates(tf.tile(x, [1, 3]), []), 1) + 0 * y[0, 0],
}
FOR_ONE_ROW = set(
  "concat_constant l2_normalize lstm_gates reshape reshape_flat slice_row squeeze transpose"
  " unstack_rows".split()
)
# On x [], i int32 []: values that are stacked.
SCALARS = {
  "arithmetic": lambda x, i: x * tf.cast(i, tf.float64) - 1.0,
  "row_of_table": lambda x, i: x * constant(TABLE)[i],
  "negative_index": lambda x, i: x * constant(TABLE)[i - 5],
  "gather": lambda x, i: x * tf.gather(constant(TABLE), i),
  "gather_column": lambda x, i: x * tf.gather(constant(TABLE.T), i, axis=1),
  "vector": lambda x, i: x * constant(V),
  "stack": lambda x, i: tf.stack([x, x * 2.0]),
  "one_hot": lambda x, i: x * tf.one_hot(i, 5, dtype=tf.float64),
  "comparison": lambda x, i: tf.where(i > 2, x, -x),
  "modulo": lambda x, i: x * tf.cast(i % 2, tf.float64),
  "expand": lambda x, i: x[tf.newaxis] * constant([V]),
  "matvec": lambda x, i: tf.linalg.matvec(constant(W.T), x * constant(V)),
  "power": lambda x, i: (x * x + 1.0) ** tf.cast(i, tf.float64),
}


def run(program, scheduler, *args):
  @tf.function(autograph=False)
  def call(*args):
    with rtf.SubGraph("body", scheduler=scheduler) as f:
      f.output(program(*(f.input(arg.dtype, arg.shape[1:]) for arg in args)))
    with tf.GradientTape() as tape:
      tape.watch(args)
      results = f.map(*args)
      weighted = tf.cast(results, tf.float64)
      loss = tf.reduce_sum(weighted * tf.cos(weighted))
    gradients = tape.gradient(loss, args, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return results, [g for g in gradients if g.dtype.is_floating]

  return call(*args)


def assert_agree(program, *args):
  batched, batched_gradients = run(program, "batched", *args)
  expected, expected_gradients = run(program, "concurrent", *args)
  assert batched.shape == expected.shape
  np.testing.assert_allclose(batched, expected, rtol=1e-9, atol=1e-12)
  for found, wanted in zip(batched_gradients, expected_gradients, strict=True):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("num_rows", [1, 4])
def test_rows_of_one(name, num_rows):
  values = np.random.default_rng(0).normal(size=(2, num_rows, 1, 3))
  assert_agree(ROWS[name], *(constant(value) for value in values))


@pytest.mark.parametrize("name", sorted(set(ROWS) - FOR_ONE_ROW))
def test_matrices(name):
  values = np.random.default_rng(1).normal(size=(2, 3, 2, 3))
  program = ROWS[name]
  assert_agree(program, *(constant(value) for value in values))


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name):
  x = constant(np.random.default_rng(2).normal(size=4))
  assert_agree(SCALARS[name], x, tf.constant([4, 0, 3, 1]))


def test_tables_and_variables():
  keys = tf.constant(["a", "b"])
  table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(keys, tf.constant([1, 2], tf.int64)), 0
  )
  weights = tf.Variable(TABLE)

  def run(scheduler):
    with rtf.SubGraph(scheduler=scheduler) as f:
      word = f.input(tf.string)
      f.output(tf.gather(weights, table.lookup(word)))
    with tf.GradientTape() as tape:
      rows = f.map(tf.constant(["b", "a", "x", "b"]))
    gradient = tape.gradient(rows, weights)
    assert isinstance(gradient, tf.IndexedSlices)
    return rows, tf.convert_to_tensor(gradient)

  for batched, expected in zip(run("batched"), run("concurrent"), strict=True):
    np.testing.assert_allclose(batched, expected)
