"""Each op for many frames at once gives what it gives frame by frame, and so does its gradient."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.batching._plan import plan_for

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
  "index": lambda x, y: x[:, 1] * y[:, -1],
  "index_keep": lambda x, y: x[:, 1:2] * y[..., tf.newaxis, 0, tf.newaxis][:, 0],
  "slice_strided": lambda x, y: x[:, ::2] + y[:, ::-2],
  "slice_back": lambda x, y: x[:, :0:-1] * y[:, -2:],
  "slice_rows": lambda x, y: x[:1] + y[-1:],
  "slice_no_rows": lambda x, y: tf.concat([x[1:], y], 0),
  "slice_new_axes": lambda x, y: x[tf.newaxis, :, 1:, tf.newaxis] + y[:, tf.newaxis, :2],
  "slice_op": lambda x, y: tf.slice(x, [0, 1], [1, 2]) * tf.slice(y, [0, 0], [-1, 2]),
  "concat_three": lambda x, y: tf.concat([x[0], constant(V), y[-1]], 0),
  "concat_constants": lambda x, y: tf.concat([x, tf.ones_like(y), y[:, :1]], 1),
  "stack_constant": lambda x, y: tf.stack([x, tf.ones_like(x), y], 1),
  "stack_vectors": lambda x, y: tf.stack([x[0], constant(V), y[0]]),
  "add_n": lambda x, y: tf.add_n([x, y, tf.ones_like(x), constant(W[:1, :1]) * tf.ones_like(x)]),
  "add_n_constants": lambda x, y: tf.add_n([x, tf.ones_like(x)]) * y,
  "scalar_of_frame": lambda x, y: x * tf.reduce_sum(y) + y[0, 0],
  "vector_of_frame": lambda x, y: x * y[0] - x[0] / (3.0 + y),
  "column_of_frame": lambda x, y: x * y[:, :1] + tf.reduce_sum(x, 1, keepdims=True) - y,
  "squared_difference": lambda x, y: tf.math.squared_difference(x, y[:, :1]) + (x - 0.5) ** 2,
  "select_scalar": lambda x, y: tf.where(tf.reduce_sum(x) > 0, x, y),
  "select_constant": lambda x, y: tf.where(x > 0, x, constant(V)) * tf.where(y > 0, constant(2), y),
  "select_old": lambda x, y: tf.raw_ops.Select(condition=x > y, x=x, y=y),
  "select_old_scalar": lambda x, y: tf.raw_ops.Select(condition=x[0, 0] > 0, x=x, y=y),
  "sigmoid_loss": lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid(y), x),
  "sparse_loss": lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.argmax(y, 1), x),
  "max_columns": lambda x, y: tf.reduce_max(x, 1) + tf.reduce_min(y, -1),
  "max_ties": lambda x, y: tf.reduce_max(tf.maximum(x, y[:, :1]), 1, keepdims=True) * x,
  "mean_all": lambda x, y: tf.reduce_mean(x * y) + tf.reduce_mean(y[:, 1:], [0, 1]),
  "prod": lambda x, y: tf.reduce_prod(x, 1) * tf.reduce_logsumexp(y, 1),
  "all": lambda x, y: tf.reduce_all(x > y, 1) | tf.reduce_any(x > 1, 1),
  "argmax": lambda x, y: tf.argmax(x, 1) - tf.argmin(y, -1),
  "argmax_rows": lambda x, y: tf.argmax(x, 0),
  "top_k": lambda x, y: tf.math.top_k(x, 2).values + tf.math.top_k(y, 2).values,
  "in_top_k": lambda x, y: tf.math.in_top_k(tf.argmax(y, 1), tf.cast(x, tf.float32), 2),
  "one_hot": lambda x, y: tf.one_hot(tf.argmax(x, 1), 4, dtype=tf.float64),
  "one_hot_first": lambda x, y: tf.one_hot(tf.argmax(x, 1), 4, axis=0, dtype=tf.float64),
  "cumsum_rows": lambda x, y: tf.cumsum(x, axis=0) + tf.cumsum(y, axis=-1, reverse=True),
  "transpose_inner": lambda x, y: tf.transpose(tf.stack([x, y], 1), [0, 2, 1]),
  "transpose_outer": lambda x, y: tf.transpose(tf.stack([x, y], 1), [2, 0, 1]),
  "pad_columns": lambda x, y: (
    tf.pad(x, [[0, 0], [1, 2]]) + tf.pad(y, [[0, 0], [3, 0]], "CONSTANT", 2)
  ),
  "pad_by_own": lambda x, y: tf.pad(x, [[0, 1], [2, 0]], constant_values=y[0, 1]) * y[0, 2],
  "pad_columns_by_own": lambda x, y: tf.pad(x, [[0, 0], [1, 1]], constant_values=y[0, 1]),
  "pad_by_shared": lambda x, y: (
    tf.pad(x, [[0, 1], [1, 0]], constant_values=tf.reduce_sum(constant(V))) * y[0, 0]
  ),
  "pad_shared_by_own": lambda x, y: tf.pad(constant(W), [[1, 0], [0, 1]], constant_values=y[0, 1]),
  "mirror_pad": lambda x, y: tf.pad(x, [[0, 0], [1, 1]], "REFLECT"),
  "reverse": lambda x, y: tf.reverse(x, [1]) * tf.reverse(y, [0]),
  "gather_twice": lambda x, y: tf.gather(x, [2, 0, 2], axis=1) * y,
  "gather_rows": lambda x, y: tf.gather(x, [0, 0], axis=0),
  "gather_own": lambda x, y: tf.gather(x, tf.argmax(y, 1), axis=1, batch_dims=1),
  "gather_own_entries": lambda x, y: tf.gather(x[0], tf.math.top_k(y[0], 2).indices),
  "gather_nd": lambda x, y: y + tf.gather_nd(constant(TABLE), tf.argmax(x, 1)[:, tf.newaxis]),
  "broadcast_to": lambda x, y: tf.broadcast_to(x[:1, :1], [2, 3]) * y[0],
  "fill_own": lambda x, y: tf.fill([2, 3], x[0, 0]),
  "dot_product": lambda x, y: tf.matmul(x[:1], y[:1], transpose_b=True),
  "product_of_two": lambda x, y: tf.matmul(tf.tile(x[:1], [2, 1]), tf.reshape(y[0], [3, 1])),
  "product_of_rows": lambda x, y: tf.matmul(tf.tile(x[:1], [2, 1]) + y[0], constant(W)),
  "product_from_left": lambda x, y: tf.matmul(
    constant(W), tf.tile(x, [3, 1])[:3], transpose_a=True
  ),
  "products_of_batches": lambda x, y: tf.matmul(x[tf.newaxis], tf.stack([y, x]), transpose_b=True),
  "einsum_own": lambda x, y: tf.einsum("bi,bi->b", x, y),
  "einsum_outer": lambda x, y: tf.einsum("bi,bj->bij", x, y),
  "einsum_stacked": lambda x, y: tf.einsum("i,ij->j", x[0], constant(W)),
  "einsum_transposed": lambda x, y: tf.einsum("bi,ji->bj", x, constant(W.T)),
  "bilinear": lambda x, y: tf.einsum("bi,ijk,bj->bk", x, constant(np.ones([3, 3, 2])), y),
  "l2_loss": lambda x, y: tf.nn.l2_loss(x) * y,
  "layer_norm": lambda x, y: (
    (x - tf.reduce_mean(x, 1, keepdims=True))
    * tf.math.rsqrt(tf.math.reduce_variance(y, 1, keepdims=True) + 1e-3)
  ),
  "sizes": lambda x, y: x * tf.cast(tf.size(y) * tf.rank(x), tf.float64),
  "clip_norm": lambda x, y: tf.clip_by_norm(x, 0.5) + y,
  "lstm_gates": lambda x, y: tf.concat(rtf.nn.lstm_gates(tf.tile(x, [1, 3]), []), 1) + 0 * y[0, 0],
}
FOR_ONE_ROW = set(
  "argmax_rows bilinear broadcast_to concat_constant einsum_stacked l2_normalize lstm_gates reshape"
  " reshape_flat slice_row squeeze transpose unstack_rows".split()
)
# On x [], i int32 []: values that are stacked.
SCALARS = {
  "arithmetic": lambda x, i: x * tf.cast(i, tf.float64) - 1.0,
  "row_of_table": lambda x, i: x * constant(TABLE)[i],
  "negative_index": lambda x, i: x * constant(TABLE)[i - 5],
  "entry_of_table": lambda x, i: x * constant(TABLE)[i, i % 3],
  "entry_of_column": lambda x, i: x * constant(TABLE)[i, 1] + x * constant(TABLE)[2, i % 3],
  "negative_entry": lambda x, i: x * constant(TABLE)[i - 5, -1 - i % 3],
  "whole_row": lambda x, i: x * constant(TABLE)[i, :],
  "row_of_tables": lambda x, i: x * constant([TABLE, -TABLE])[i % 2, i],
  "row_of_a_table": lambda x, i: x * constant([TABLE, -TABLE])[i % 2, 3, :],
  "gather": lambda x, i: x * tf.gather(constant(TABLE), i),
  "gather_column": lambda x, i: x * tf.gather(constant(TABLE.T), i, axis=1),
  "vector": lambda x, i: x * constant(V),
  "stack": lambda x, i: tf.stack([x, x * 2.0]),
  "one_hot": lambda x, i: x * tf.one_hot(i, 5, dtype=tf.float64),
  "comparison": lambda x, i: tf.where(i > 2, x, -x),
  "modulo": lambda x, i: x * tf.cast(i % 2, tf.float64),
  "expand": lambda x, i: x[tf.newaxis] * constant([V]),
  "matvec": lambda x, i: tf.linalg.matvec(constant(W.T), x * constant(V)),
  "table_of_frame": lambda x, i: tf.stack([x, 2.0 * x, x * x, -x, 0.5 * x])[i],
  "entry_of_frame": lambda x, i: tf.gather(x * constant(TABLE), i),
  "concat": lambda x, i: tf.concat([x * constant(V), constant(V), x[tf.newaxis]], 0),
  "vectors": lambda x, i: tf.nn.softmax(x * constant(V)) * tf.reduce_max(x * constant(V)),
  "vector_sums": lambda x, i: tf.reduce_sum(x * constant(TABLE), 0) + tf.cumsum(x * constant(V)),
  "vector_slice": lambda x, i: (x * constant(TABLE))[1:, 2] + (x * constant(V))[tf.newaxis, 0],
  "vector_parts": lambda x, i: (
    tf.add_n(tf.unstack(x * constant(TABLE))) * tf.split(x * constant(V), 3)[1]
  ),
  "row_parts": lambda x, i: tf.split(x * constant(W), 3, axis=0)[1] * 2.0,
  "loss": lambda x, i: tf.nn.sparse_softmax_cross_entropy_with_logits(
    i, x * constant(W[0, :1] + np.arange(5))
  ),
  "weights": lambda x, i: tf.linalg.matvec(constant(W), x * constant(V), transpose_a=True),
  "one_hot_first": lambda x, i: x * tf.one_hot([i, 4 - i], 5, axis=0, dtype=tf.float64),
  "stack_constant": lambda x, i: tf.stack([x, constant(2.0)]),
  "argmax": lambda x, i: tf.argmax(x * constant(TABLE), 0),
  "power": lambda x, i: (x * x + 1.0) ** tf.cast(i, tf.float64),
}


# On x [1, ?]: merged, and of a length that only the run knows.
UNKNOWN = {
  "slice": lambda x: x[:, 1:] * x[:, -1:],
  "index": lambda x: x[0, 1] + x[:, 0],
  "elementwise": lambda x: tf.where(x > 0, x, constant(2.0)) * x - x / 3.0,
  "sums": lambda x: tf.reduce_sum(x, 1) + tf.reduce_max(x, 1) * tf.reduce_mean(x),
  "softmax": lambda x: tf.nn.softmax(x),
  "expand": lambda x: tf.squeeze(tf.expand_dims(x, 0) + x[:, tf.newaxis], [1]),
  "flat": lambda x: tf.reshape(x, [-1]) * 2.0,
  "reshape": lambda x: tf.reshape(x, [2, -1]) * tf.reshape(x, [1, 2, 2])[0],
  "concat": lambda x: tf.concat([x, 2.0 * x, constant([V])], 1),
  "concat_rows": lambda x: tf.concat([x, x], 0),
  "stack": lambda x: tf.stack([x, x * x]),
  "parts": lambda x: tf.split(x, 2, 1)[0],
  "transpose": lambda x: tf.transpose(x),
  "tile": lambda x: tf.tile(x, [1, 2]),
  "pad": lambda x: tf.pad(x, [[0, 0], [1, 0]]),
  "matmul": lambda x: tf.matmul(x, x, transpose_b=True),
  "shape": lambda x: x * tf.cast(tf.shape(x)[1], tf.float64),
  "one_more": lambda x: tf.ones_like(x) + x,
  "argmax": lambda x: tf.argmax(x, 1),
  "gather": lambda x: tf.gather(x, [1, 0], axis=1),
  "add_n": lambda x: tf.add_n([x, tf.ones_like(x)]),
}


def run(program, scheduler, *args, shapes=None):
  shapes = shapes or [arg.shape[1:] for arg in args]

  @tf.function(autograph=False)
  def call(*args):
    with rtf.SubGraph("body", scheduler=scheduler) as f:
      inputs = [f.input(arg.dtype, shape) for arg, shape in zip(args, shapes, strict=True)]
      f.output(program(*inputs))
    with tf.GradientTape() as tape:
      tape.watch(args)
      results = f.map(*args)
      weighted = tf.cast(results, tf.float64)
      loss = tf.reduce_sum(weighted * tf.cos(weighted))
    gradients = tape.gradient(loss, args, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    return results, [g for g in gradients if g.dtype.is_floating]

  return call(*args)


def assert_agree(program, *args, shapes=None):
  batched, batched_gradients = run(program, "batched", *args, shapes=shapes)
  expected, expected_gradients = run(program, "concurrent", *args, shapes=shapes)
  assert batched.shape == expected.shape
  np.testing.assert_allclose(batched, expected, rtol=1e-9, atol=1e-12)
  for found, wanted in zip(batched_gradients, expected_gradients, strict=True):
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
  ("name", "num_rows"), [(n, 4) for n in ROWS] + [(n, 1) for n in sorted(ROWS)[::6]]
)
def test_rows_of_one(name, num_rows):
  values = np.random.default_rng(0).normal(size=(2, num_rows, 1, 3))
  assert_agree(ROWS[name], *(constant(value) for value in values))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", sorted(set(ROWS) - FOR_ONE_ROW))
def test_matrices(name):
  values = np.random.default_rng(1).normal(size=(2, 3, 2, 3))
  program = ROWS[name]
  assert_agree(program, *(constant(value) for value in values))


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name):
  x = constant(np.random.default_rng(2).normal(size=4))
  assert_agree(SCALARS[name], x, tf.constant([4, 0, 3, 1]))


@pytest.mark.parametrize("name", UNKNOWN)
def test_rows_of_unknown_length(name):
  x = constant(np.random.default_rng(3).normal(size=(3, 1, 4)))
  assert_agree(UNKNOWN[name], x, shapes=[[1, None]])


# On x [?, 2]: of as many rows as only the run knows, from none on.
UNKNOWN_ROWS = {
  "slice_begin": lambda x: x[1:] * 2.0,
  "slice_end": lambda x: tf.square(x[:-1]),
  "slice_both": lambda x: x[2:-1, 1:],
  "slice_columns": lambda x: x[:, 1:] * x[..., :1],
  "slice_first": lambda x: x[:2] * 3.0,
  "slice_last": lambda x: x[-2:] * 3.0,
  "slice_strided": lambda x: x[::2] + x[::-2],
  "slice_new_axis": lambda x: x[tf.newaxis, 1:] * 2.0,
  "slice_neighbours": lambda x: tf.add_n([x[2:], x[:-2], x[1:-1]]) * x[1:-1],
  "slice_slices": lambda x: x[1:][:-1][1:],
  "slice_op": lambda x: tf.slice(x, [1, 0], [-1, 2]) * 2.0,
  "pad": lambda x: tf.pad(x, [[1, 2], [0, 1]]) ** 2,
  "pad_begin": lambda x: tf.pad(x, [[1, 0], [2, 0]], constant_values=2.0) ** 2,
  "pad_by_own": lambda x: (
    tf.pad(x, [[1, 2], [0, 1]], constant_values=tf.reduce_sum(tf.sin(x)) + 1.0) ** 2
  ),
  "pad_end": lambda x: tf.pad(x, [[0, 1], [0, 0]]) ** 2,
  "pad_cut": lambda x: tf.pad(x, [[1, 1], [0, 0]])[1:-1] * x,
  "weights": lambda x: rtf.nn.matmul(x, constant(W[:2])),
  "weights_sliced": lambda x: rtf.nn.matmul(x[1:, tf.newaxis], constant(W[:2])),
}


@pytest.mark.parametrize("name", UNKNOWN_ROWS)
def test_as_many_rows_as_only_the_run_knows(name):
  program = UNKNOWN_ROWS[name]
  for num_rows in (2, 3, 5) if name in ("slice_neighbours", "slice_op") else (0, 1, 2, 5):
    x = constant(np.random.default_rng(4).normal(size=(3, num_rows, 2)))
    assert_agree(program, x, shapes=[[None, 2]])


# On x and y [r, 3] and a number of each frame, along every axis.
ALONG = {
  "roll": lambda x, y, i, axis: tf.roll(x, 1, axis),
  "roll_own": lambda x, y, i, axis: tf.roll(x, i, axis),
  "roll_own_twice": lambda x, y, i, axis: tf.roll(x, [i, 1], [axis, axis]),
  "roll_both": lambda x, y, i, axis: tf.roll(x, [i, -i], [axis, 0]),
  "roll_constant": lambda x, y, i, axis: tf.roll(constant(W), i, axis) * x[0, 0],
  "gather": lambda x, y, i, axis: tf.gather(x, [0, 0], axis=axis),
  "gather_own": lambda x, y, i, axis: tf.gather(x, i % tf.shape(x)[axis], axis=axis),
  "gather_constant": lambda x, y, i, axis: tf.gather(constant(W), i % 3, axis=axis) * x[0, 0],
  "gather_two": lambda x, y, i, axis: tf.gather(x, [i % tf.shape(x)[axis], 0], axis=axis),
  "reverse": lambda x, y, i, axis: tf.reverse(x, [axis]),
  "cumsum": lambda x, y, i, axis: tf.cumsum(x, axis, reverse=True, exclusive=True),
  "cumprod": lambda x, y, i, axis: tf.math.cumprod(x, axis),
  "cumulative_logsumexp": lambda x, y, i, axis: tf.math.cumulative_logsumexp(x, axis),
  "argmax": lambda x, y, i, axis: tf.argmax(x, axis) - tf.argmin(y, axis),
  "one_hot": lambda x, y, i, axis: x[0, 0]
  * tf.one_hot([i, 1], 4, 2.0, 0.5, max(axis, -1), tf.float64),
  "stack": lambda x, y, i, axis: tf.stack([x, y], axis),
  "unstack": lambda x, y, i, axis: tf.unstack(x, axis=axis)[0],
  "split": lambda x, y, i, axis: tf.split(x, [1, x.shape[axis] - 1], axis)[0],
  "concat": lambda x, y, i, axis: tf.concat([x, tf.sin(y), x], axis),
  "expand": lambda x, y, i, axis: tf.expand_dims(x, axis) * y[0, 0],
  "squeeze": lambda x, y, i, axis: tf.squeeze(tf.expand_dims(x, axis), axis),
  "sum": lambda x, y, i, axis: tf.reduce_sum(x, axis, keepdims=True) * y,
  "mean": lambda x, y, i, axis: tf.reduce_mean(x * y, axis),
  "max": lambda x, y, i, axis: tf.reduce_max(x, axis) + tf.reduce_min(y, axis),
  "logsumexp": lambda x, y, i, axis: tf.reduce_logsumexp(x, axis),
  "any": lambda x, y, i, axis: tf.reduce_any(x > y, axis),
  "std": lambda x, y, i, axis: tf.math.reduce_std(tf.concat([x, y], axis), axis),
  "norm": lambda x, y, i, axis: tf.norm(x, axis=axis),
  "normalize": lambda x, y, i, axis: tf.math.l2_normalize(x, axis),
  "softmax": lambda x, y, i, axis: tf.nn.softmax(x, axis) + tf.nn.log_softmax(y, axis),
  "sort": lambda x, y, i, axis: tf.sort(x, axis),
  "argsort": lambda x, y, i, axis: tf.argsort(x, axis),
  "repeat": lambda x, y, i, axis: tf.repeat(x, 2, axis),
  "moments": lambda x, y, i, axis: tf.stack(tf.nn.moments(x, [axis])),
  "tensordot": lambda x, y, i, axis: tf.tensordot(x, y, [[axis], [axis]]),
  "slice_own": lambda x, y, i, axis: tf.slice(constant(W), [i % 2, i % 3], [1, 2]) * x[0, axis],
  "entry": lambda x, y, i, axis: x[axis % x.shape[0], i % 3] * y[0, axis],
  "scatter_own": lambda x, y, i, axis: tf.tensor_scatter_nd_add(
    x, [[0, i % 3], [0, axis % 3]], [y[0, 1], y[0, 2]]
  ),
  "reverse_sequence": lambda x, y, i, axis: tf.reverse_sequence(
    x, tf.fill([x.shape[0]], 1 + i % 3), seq_axis=1, batch_axis=0
  ) * y[0, axis],
  "cumsum_of_where": lambda x, y, i, axis: tf.cumsum(tf.where(x > y, x, 0.0), axis),
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("axis", [0, 1, -1, -2])
@pytest.mark.parametrize("name", ALONG)
def test_along_every_axis(name, axis):
  program = ALONG[name]
  for num_rows in (1, 2):
    values = np.random.default_rng(5).normal(size=(2, 4, num_rows, 3))
    args = [constant(value) for value in values] + [tf.constant([1, 0, 2, 4])]
    assert_agree(lambda x, y, i: program(x, y, i, axis), *args)


# On x and y [?, ?]: of values without elements, too.
EMPTY = {
  "product": lambda x, y: tf.matmul(x, constant(W)),
  "product_from_left": lambda x, y: tf.matmul(constant(W), x, transpose_a=True, transpose_b=True),
  "product_of_two": lambda x, y: tf.matmul(x, y, transpose_b=True),
  "product_through_nothing": lambda x, y: tf.matmul(x @ constant(W[:, :0]), constant(W[:0, :2])),
  "product_of_numbers": lambda x, y: tf.matmul(tf.cast(x, tf.int32), tf.cast(y, tf.int32), True),
  "products_of_batches": lambda x, y: tf.matmul(tf.stack([x, y]), x, transpose_b=True),
  "matvec": lambda x, y: tf.linalg.matvec(x, constant(V)),
  "layer": lambda x, y: tf.nn.bias_add(x @ constant(W), constant(np.ones(4))),
  "stack": lambda x, y: tf.stack([x, y]) * 2.0,
  "stack_inner": lambda x, y: tf.stack([x, y], 1) * tf.stack([y, x], 1),
  "squeeze": lambda x, y: tf.squeeze(x),
  "gather": lambda x, y: tf.gather(x, tf.range(tf.shape(x)[0])) * y,
  "gather_columns": lambda x, y: tf.gather(x, [0, 0, 1], axis=1),
  "gather_own": lambda x, y: tf.gather(x, tf.argsort(y, 1), axis=1, batch_dims=1),
  "gather_own_rows": lambda x, y: tf.gather(tf.concat([x, constant([V])], 0), tf.argmax(y, 1) * 0),
  "gather_own_columns": lambda x, y: tf.gather(constant(TABLE), tf.argmax(x, 1), axis=1),
  "largest": lambda x, y: tf.argmax(x[:1], 0) + tf.argmin(y, 0),
  "loss": lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.argmax(y, 1), x),
  "convolution": lambda x, y: tf.nn.conv1d(x[:, :, None], constant(np.ones([2, 1, 2])), 1, "SAME"),
  "sums": lambda x, y: tf.reduce_sum(x, 0) + tf.reduce_prod(y, 0) + tf.reduce_max(x, 0),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", EMPTY)
@pytest.mark.parametrize(
  "shape", [[None, 3], [None, None], [1, None], [0, 3], [1, 0]], ids=lambda s: f"{s[0]}_{s[1]}"
)
def test_values_without_elements(name, shape):
  rng = np.random.default_rng(4)
  sizes = [(0, 3), (1, 0), (1, 1), (2, 3), (0, 0)]
  fits = lambda size: all(want in (None, got) for want, got in zip(shape, size, strict=True))  # noqa: E731
  checked = 0
  for size in filter(fits, sizes):
    args = [constant(rng.normal(size=(3, *size))) for _ in range(2)]
    try:
      run(EMPTY[name], "concurrent", *args, shapes=[shape] * 2)
    except (ValueError, tf.errors.InvalidArgumentError):
      continue  # Not something that TensorFlow does.
    assert_agree(EMPTY[name], *args, shapes=[shape] * 2)
    checked += 1
  assert checked or None not in shape or shape[0] == 1


def count_ops(program, *specs):
  """Returns how many ops one block takes for many frames, and how many its gradient.

  Constants are free: they are made once.
  """
  with rtf.SubGraph("counted", scheduler="batched") as f:
    f.output(program(*(f.input(spec.dtype, spec.shape) for spec in specs)))
  plan = plan_for([f._body])
  (function,), (gradient,) = plan.functions.values(), plan.gradients()
  assert not plan.serial_ops
  backward = needed(gradient.function.graph) if gradient else []
  return needed(function.graph), [name for name in backward if name != "Identity"]


def needed(graph):
  """Returns the types of the ops that the results of a graph need."""
  found, agenda = {}, [tensor.op for tensor in graph.outputs]
  while agenda:
    op = agenda.pop()
    if id(op) not in found:
      found[id(op)] = op
      agenda += [tensor.op for tensor in op.inputs] + list(op.control_inputs)
  return sorted(op.type for op in found.values() if op.type not in ("Const", "Placeholder"))


ROW, SCALAR = tf.TensorSpec([1, 3], tf.float64), tf.TensorSpec([], tf.float64)
UNKNOWN_ROW = tf.TensorSpec([None, 3], tf.float64)
# Programs, their specs, and how many ops they may take, forward and backward.
COUNTS = {
  "index": (lambda x: x[:, 1], [ROW], 1, 2),
  "index_all": (lambda x: x[0, 1], [ROW], 1, 2),
  "slice": (lambda x: x[:, 1:], [ROW], 1, 1),
  "only_row": (lambda x: 2.0 * x[0], [ROW], 1, 1),
  "views": (lambda x: 2.0 * tf.squeeze(tf.expand_dims(tf.reshape(x, [3]), 1), 1), [ROW], 1, 1),
  "scaled": (lambda x, s: x * s, [ROW, SCALAR], 2, 5),
  "shared_bias": (lambda x: x + constant(V), [ROW], 1, 0),
  "concat": (lambda x, y: tf.concat([x, y], 1), [ROW, ROW], 1, 1),
  "concat_rows": (lambda x, y: tf.concat([x, y], 0), [ROW, ROW], 1, 1),
  "stack": (lambda s, t: tf.stack([s, t, s]), [SCALAR, SCALAR], 1, 2),
  "sum": (lambda x: tf.reduce_sum(x, 1), [ROW], 1, 2),
  "mean": (lambda x: tf.reduce_mean(x), [ROW], 1, 3),
  "matvec": (lambda x: tf.linalg.matvec(constant(W.T), x[0]), [ROW], 1, 1),
  "dot_product": (lambda x, y: tf.matmul(x, y, transpose_b=True), [ROW, ROW], 2, 3),
  "select": (lambda x, s: tf.where(s > 0, x, constant(0.0)), [ROW, SCALAR], 3, 1),
  "tile": (lambda x: tf.tile(x, [1, 2]), [ROW], 1, 2),
  "transpose": (lambda x: tf.transpose(x), [ROW], 1, 1),
  "pad": (lambda x: tf.pad(x, [[0, 0], [1, 0]]), [ROW], 1, 1),
  "gather": (lambda x: tf.gather(x, [2, 0], axis=1), [ROW], 1, 2),
  "shape": (lambda x: x * tf.ones(tf.shape(x), x.dtype), [ROW], 2, 1),
  "slice_unknown": (lambda x: x[1:-1], [UNKNOWN_ROW], 2, 2),  # The shape is kept, not x.
  "pad_unknown": (lambda x: tf.pad(x, [[1, 2], [0, 0]]), [UNKNOWN_ROW], 1, 1),
  "weights_unknown": (lambda x: rtf.nn.matmul(x, constant(W)), [UNKNOWN_ROW], 1, 1),
}


@pytest.mark.parametrize("name", COUNTS)
def test_few_ops(name):
  program, specs, most_forward, most_backward = COUNTS[name]
  forward, backward = count_ops(program, *specs)
  assert len(forward) <= most_forward, forward
  assert len(backward) <= most_backward, backward


@pytest.mark.parametrize(
  "entry",
  [
    lambda t, i: t[i],
    lambda t, i: t[i, i % 3],
    lambda t, i: t[i, 1],
    lambda t, i: t[1, i],
    lambda t, i: t[i, :],
  ],
)
def test_an_entry_of_a_table_is_read_for_all_frames_at_once(entry):
  table = constant(TABLE)
  with rtf.SubGraph("entry", scheduler="batched") as f:
    f.output(entry(table, f.input(tf.int32, [])))
  assert not plan_for([f._body]).serial_ops
  taken = np.array([2, 0, -1])
  np.testing.assert_allclose(f.map(taken), np.stack([entry(TABLE, i) for i in taken]))
  with pytest.raises(tf.errors.InvalidArgumentError):
    f.map([0, 5])


@pytest.mark.parametrize("entry", [lambda t, i: t[i], lambda t, i: t[i, :], lambda t, i: t[i, i]])
def test_an_index_out_of_range_is_an_error_where_rows_have_no_elements(entry):
  table = tf.zeros([3, 3, 0])
  with rtf.SubGraph("entry", scheduler="batched") as f:
    f.output(entry(table, f.input(tf.int32, [])))
  assert f.map([2, 0]).shape == [2, *entry(table, tf.constant(0)).shape]
  with pytest.raises(tf.errors.InvalidArgumentError):
    f.map([0, 7])


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


def test_strings_of_which_there_are_none():
  with rtf.SubGraph("no_strings", scheduler="batched") as f:
    x = f.input(tf.float32, [3])
    f.output((tf.concat([tf.zeros([0], tf.string), ["a"]], 0), x, tf.zeros([0], tf.string)))
  words, rows, none = f.map(tf.ones([2, 3]))
  assert words.numpy().tolist() == [[b"a"], [b"a"]]
  assert none.shape == [2, 0]
  assert rows.shape == [2, 3]


def test_strings_of_many_frames():
  texts = tf.constant([" ab", "c é", "", "Abc7", "-12"])
  places = tf.constant([0, 1, 0, 2, 1])

  def run(scheduler):
    with rtf.SubGraph("strings", scheduler=scheduler) as f:
      text, at = f.input(tf.string), f.input(tf.int32)
      shared = tf.strings.join(["x", tf.constant("y")])
      parts = [
        tf.strings.substr(text, at, 2, unit="UTF8_CHAR"),
        tf.strings.substr(text, 0, at),
        tf.strings.substr("abcdef", at, 3),
        tf.strings.substr("abcdef", 1, at),
        tf.strings.substr(text, at, at + 1),
        tf.strings.join([text, "|", shared, tf.strings.as_string(at)]),
        tf.strings.upper(tf.strings.strip(text)),
        tf.strings.regex_replace(text, r"\d", "#"),
        tf.where(tf.strings.regex_full_match(text, r"[a-z ]*"), "words", tf.strings.lower(text)),
      ]
      number = tf.strings.to_number(tf.strings.join(["1", tf.strings.as_string(at)]), tf.int64)
      f.output((*parts, tf.strings.length(text, unit="UTF8_CHAR"), number))
    return f, f.map(texts, places)

  (f, found), (_, expected) = run("batched"), run("concurrent")
  assert not plan_for([f._body]).serial_ops
  for one, other in zip(found, expected, strict=True):
    assert one.numpy().tolist() == other.numpy().tolist()
