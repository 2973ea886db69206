"""Products with transposed matrices take the matrices as they are, and give what they gave."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


def made(rows, columns, seed):
  return tf.constant(np.random.default_rng(seed).normal(size=[rows, columns]), tf.float64)


def product_ops(function):
  """Returns of each product of the function's graph how it takes its operands, and of what op."""
  (program,) = function._programs
  (graph,) = program.graphs().values()
  used = [op for op in graph.function.graph.get_operations() if op.type == "MatMul"]
  return [
    (op.get_attr("transpose_a"), op.get_attr("transpose_b"), *(t.op.type for t in op.inputs))
    for op in used
    if op.outputs[0].consumers() or any(op.outputs[0] is t for t in graph.function.outputs)
  ]


def both(make, *args):
  """Returns the graph of a step, after three steps have been compared with plain Python."""
  plain, step = make(), make()
  converted = rtf.function(step, strict=True, verify=False)
  for _ in range(3):
    for one, other in zip(
      tf.nest.flatten(plain(*args)), tf.nest.flatten(converted(*args)), strict=True
    ):
      np.testing.assert_allclose(one, other, rtol=1e-12)
  return converted


X, Y = made(4, 3, 0), made(4, 3, 1)


@pytest.mark.parametrize("of_b", [False, True])
@pytest.mark.parametrize("of_a", [False, True])
@pytest.mark.parametrize("is_b", [False, True])
@pytest.mark.parametrize("is_a", [False, True])
def test_all_ways(is_a, is_b, of_a, of_b):
  """`is_a`: the first matrix is transposed by an op; `of_a`: by the product."""

  def make():
    def step(a, b):
      a = tf.transpose(a) if is_a else a
      b = tf.transpose(b) if is_b else b
      return tf.matmul(a, b, transpose_a=of_a, transpose_b=of_b) * 2.0

    return step

  a = X if is_a == of_a else tf.transpose(X)  # [4, 3] times [3, 4].
  b = tf.transpose(Y) if is_b == of_b else Y
  kinds = "Placeholder", "Placeholder"
  assert product_ops(both(make, a, b)) == [(is_a != of_a, is_b != of_b, *kinds)]


def test_weights_and_their_gradients():
  def make():
    w = tf.Variable(made(5, 3, 2))

    def step(x):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum((x @ tf.transpose(w)) ** 2)
      gradient = tape.gradient(loss, w)
      w.assign_sub(0.01 * gradient)
      return loss, gradient, w.read_value()

    return step

  ops = product_ops(both(make, X))
  assert (False, True, "Placeholder", "ReadVariableOp") in ops
  assert len(ops) == 2


def test_the_gradient_by_the_transposed_matrix_itself():
  def make():
    w = tf.Variable(made(5, 3, 2))

    def step(x):
      with tf.GradientTape() as tape:
        transposed = tf.transpose(w)
        loss = tf.reduce_sum((x @ transposed) ** 2)
      return tape.gradient(loss, transposed), transposed

    return step

  assert (False, True, "Placeholder", "ReadVariableOp") in product_ops(both(make, X))


@pytest.mark.parametrize("is_rows", [False, True])
def test_what_was_read_before_a_write(is_rows):
  def make():
    w = tf.Variable(made(5, 3, 2))

    def step(x):
      transposed = tf.transpose(w)
      if is_rows:
        w.scatter_update(tf.IndexedSlices(x[:2], tf.constant([0, 2])))
      else:
        w.assign_add(x[:1] * tf.ones([5, 1], tf.float64))
      return x @ transposed, x @ tf.transpose(w)

    return step

  both(make, X)


def test_a_product_that_is_returned_itself():
  def make():
    return lambda x, y: (x @ tf.transpose(y), (x @ tf.transpose(y)) + 1.0)

  both(make, X, Y)


def test_an_outer_tape_sees_the_product():
  w = tf.Variable(made(5, 3, 2))
  step = rtf.function(lambda x: tf.reduce_sum((x @ tf.transpose(w)) ** 2) * 2.0, strict=True)
  for _ in range(3):
    with tf.GradientTape() as tape:
      loss = step(X)
    with tf.GradientTape() as plain:
      expected = tf.reduce_sum((X @ tf.transpose(w)) ** 2) * 2.0
    np.testing.assert_allclose(tape.gradient(loss, w), plain.gradient(expected, w), rtol=1e-12)


def test_other_permutations_stay():
  def make():
    return lambda x, y: (tf.transpose(x, [0, 1]) @ tf.transpose(y, tf.constant([1, 0]))) * 2.0

  ops = product_ops(both(make, X, Y))
  assert ops == [(False, True, "Transpose", "Placeholder")]
