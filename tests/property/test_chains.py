"""Short random chains of ops for many frames at once give what they give frame by frame."""

import numpy as np
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import recursive_tf as rtf

CI = settings.default.max_examples < 100
F64 = tf.float64

UNARY = {
  "tanh": tf.tanh,
  "negative": tf.negative,
  "softmax": tf.nn.softmax,
  "cumsum": lambda x: tf.cumsum(x, axis=-1),
  "reverse": lambda x: tf.reverse(x, [-1]),
  "sum_last": lambda x: tf.reduce_sum(x, -1, keepdims=True) + tf.zeros_like(x),
  "mean_first": lambda x: x - tf.reduce_mean(x, 0, keepdims=True),
  "max_all": lambda x: x / (1.0 + tf.abs(tf.reduce_max(x))),
  "roll": lambda x: tf.roll(x, 1, -1),
  "expand_squeeze": lambda x: tf.squeeze(tf.sin(tf.expand_dims(x, 0)), 0),
  "flatten_back": lambda x: tf.reshape(tf.tanh(tf.reshape(x, [-1])), tf.shape(x)),
  "transpose_twice": lambda x: tf.transpose(tf.square(tf.transpose(x))),
  "unstack": lambda x: tf.stack([2.0 * part for part in tf.unstack(x, axis=-1)], axis=-1),
  "first_row": lambda x: x + x[:1],
  "last_column": lambda x: x * x[..., -1:],
  "tile_slice": lambda x: tf.tile(x, [1] * (len(x.shape) - 1) + [2])[..., 1 : x.shape[-1] + 1],
  "where": lambda x: tf.where(x > 0.1, x, 0.5 * x),
  "gather": lambda x: tf.gather(x, [x.shape[-1] - 1] * x.shape[-1], axis=-1),
}
BINARY = {
  "add": tf.add,
  "multiply": tf.multiply,
  "maximum": tf.maximum,
  "concat_split": lambda x, y: tf.split(tf.concat([x, y], -1), 2, -1)[1] + x,
  "concat_first": lambda x, y: tf.reduce_mean(tf.concat([x, y], 0), 0, keepdims=True) + x,
  "stack": lambda x, y: tf.reduce_sum(tf.stack([x, y], 1), 1),
  "column_scale": lambda x, y: x * tf.reduce_sum(y, -1, keepdims=True),
}
# What a second operand is: the chain's other argument, a constant of the frame's shape, a vector
# along the last dimension, a number.
OPERANDS = ("argument", "constant", "vector", "number")

shapes = st.lists(st.integers(1, 3), min_size=1, max_size=3)
links = st.one_of(
  st.tuples(st.sampled_from(sorted(UNARY))),
  st.tuples(st.sampled_from(sorted(BINARY)), st.sampled_from(OPERANDS)),
  st.just(("matmul",)),
)


def apply(chain, x, y):
  for name, *operand in chain:
    if name in UNARY:
      x = UNARY[name](x)
    elif name == "matmul":
      size = x.shape[-1]
      weights = tf.constant(np.linspace(-1, 1, size * size).reshape(size, size))
      x = tf.tensordot(x, weights, 1)
    else:
      x = BINARY[name](x, _operand(operand[0], x, y))
  return x


def _operand(kind, x, y):
  count = {"constant": x.shape.num_elements(), "vector": x.shape[-1], "number": 1}
  if kind == "argument":
    return y
  values = np.linspace(-1, 1.5, count[kind])
  # Broadcast here, as not all of BINARY do.
  shape = {"constant": x.shape, "vector": x.shape[-1:], "number": []}[kind]
  constant = tf.constant(values.reshape(shape))
  return constant if kind == "constant" else constant + tf.zeros(x.shape, F64)


def run(chain, scheduler, x, y):
  @tf.function(autograph=False)
  def call(x, y):
    with rtf.SubGraph("chain", scheduler=scheduler) as f:
      f.output(apply(chain, f.input(F64, x.shape[1:]), f.input(F64, y.shape[1:])))
    with tf.GradientTape() as tape:
      tape.watch([x, y])
      z = f.map(x, y)
      loss = tf.reduce_sum(z * tf.cos(z))
    zero = tf.UnconnectedGradients.ZERO
    return [z, *tape.gradient(loss, [x, y], unconnected_gradients=zero)]

  return call(x, y)


@given(st.lists(links, min_size=1, max_size=5), shapes, st.integers(1, 4))
@settings(max_examples=25 if CI else 1000)
def test_a_chain_for_many_frames_equals_that_of_each(chain, shape, num_rows):
  random = np.random.default_rng(0)
  x, y = (tf.constant(random.normal(size=(num_rows, *shape))) for _ in range(2))
  for batched, expected in zip(
    run(chain, "batched", x, y), run(chain, "concurrent", x, y), strict=True
  ):
    assert batched.shape == expected.shape
    np.testing.assert_allclose(batched, expected, rtol=1e-9, atol=1e-12)
