"""Keras' softmax and sigmoid leave logits with their result, by which losses go: also by branches.

What leaves a branch, a loop or a recursive call of a graph is another tensor, without them. Where
a loss would look, plain Python does the call.
"""

import keras
import pytest
import tensorflow as tf

import recursive_tf as rtf

_softmax, _sigmoid = keras.activations.softmax, keras.activations.sigmoid
_loss = keras.losses.SparseCategoricalCrossentropy()
_binary = keras.losses.BinaryCrossentropy()
_Y = tf.constant([1])


def expression(z):
  p = _softmax(z) if tf.reduce_sum(z) > 0 else _softmax(z * 2.0)
  return _loss(_Y, p)


def assigned(z):
  if tf.reduce_sum(z) > 0:
    p = _softmax(z)
  else:
    p = _softmax(-z)
  return _loss(_Y, p)


def rescaled(z):
  p = _softmax(z)
  if tf.reduce_sum(z) > 1000:
    p = p * 0.5
  return _loss(_Y, p)


def again(z):
  p = _softmax(z)
  while tf.reduce_sum(z) < -5.0:
    z = z + 1.0
    p = _softmax(z)
  return _loss(_Y, p)


def in_a_tuple(z):
  found = (_softmax(z), z) if tf.reduce_sum(z) > 0 else (z, z)
  return _loss(_Y, found[0])


def in_a_list(z):
  found = []
  while tf.reduce_sum(z) < 500.0:
    z = z * 2.0
    found.append(_softmax(z))
  return _loss(_Y, found[-1])


def in_the_next_turn(z):
  p, total = _softmax(z), 0.0
  while tf.reduce_sum(z) < 500.0:
    total = total + _loss(_Y, p)
    z = z * 2.0
    p = _softmax(z)
  return total


def of_sigmoid(z):
  p = _sigmoid(z) if tf.reduce_sum(z) > 0 else _sigmoid(-z)
  return _binary(tf.constant([[0.0, 1.0]]), p)


def by_a_function(z):
  p = _softmax(z) if tf.reduce_sum(z) > 0 else _softmax(z * 2.0)
  return tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(_Y, p))


def of_recursion(z):
  def deep(n, z):
    return _softmax(z) if n <= 0 else deep(n - 1, z * 1.0)

  return _loss(_Y, deep(2, z))


def inside(z):
  p = _softmax(z)
  return _loss(_Y, p) if tf.reduce_sum(z) > 0 else _loss(_Y, p) * 2.0


_DIFFERENT = [
  expression, assigned, rescaled, again, in_a_tuple, in_a_list, in_the_next_turn, of_sigmoid,
  by_a_function, of_recursion,
]  # fmt: skip


@pytest.mark.parametrize("function", [*_DIFFERENT, inside])
def test_a_loss_of_what_had_logits_is_pythons(function):
  ours = rtf.function(function, verify=False)
  for z in ([[1.0, 2.0]], [[1.0, 2.0]], [[100.0, 12.0]]):
    assert float(ours(tf.constant(z))) == pytest.approx(float(function(tf.constant(z))), rel=1e-5)


def test_a_loss_inside_the_branch_is_still_a_graph():
  ours = rtf.function(inside, strict=True, verify=False)
  assert float(ours(tf.constant([[100.0, 12.0]]))) == pytest.approx(88.0)


def chosen(z):
  return _softmax(z) if tf.reduce_sum(z) > 0 else _softmax(z * 2.0)


def several(z):
  found = []
  while tf.reduce_sum(z) < 500.0:
    z = z * 2.0
    found.append(_softmax(z))
  return found


@pytest.mark.parametrize("function", [chosen, lambda z: several(z)[-1]])
def test_what_is_returned_has_its_logits(function):
  ours = rtf.function(function, verify=False)
  z = tf.constant([[100.0, 12.0]])
  for _ in range(2):
    assert float(_loss(_Y, ours(z))) == pytest.approx(float(_loss(_Y, function(z))), rel=1e-5)


class _Kept:
  last = None


def test_what_is_kept_has_its_logits():
  box = _Kept()

  @rtf.function(verify=False)
  def keep(z):
    box.last = _softmax(z) if tf.reduce_sum(z) > 0 else _softmax(z * 2.0)
    return z * 2.0

  for _ in range(2):
    keep(tf.constant([[100.0, 12.0]]))
    assert float(_loss(_Y, box.last)) == pytest.approx(88.0)


class _Tree:
  def __init__(self, left=None):
    self.left = left


@rtf.recursive(verify=False)
def _of_tree(node, z):
  return _softmax(z) if node.left is None else _of_tree(node.left, z)


def test_what_a_recursive_function_returns_has_its_logits():
  for _ in range(2):
    found = _of_tree(_Tree(_Tree()), tf.constant([[100.0, 12.0]]))
    assert float(_loss(_Y, found)) == pytest.approx(88.0)


def test_programs_that_only_compute_with_a_softmax_of_a_branch_are_graphs():
  dense = keras.layers.Dense(2)
  dense.build((None, 2))

  @rtf.function(strict=True, verify=False)
  def attention(z):
    weights = _softmax(z) if tf.reduce_sum(z) > 0 else _softmax(z * 2.0)
    mean = dense(weights)
    return tf.reduce_sum(mean * z)

  z = tf.constant([[1.0, 2.0]])
  assert float(attention(z)) == pytest.approx(float(attention.python(z)), rel=1e-5)


def _dense():
  net = keras.Sequential([keras.layers.Dense(2, activation="softmax", kernel_initializer="ones")])
  net.build((None, 2))
  net.layers[0].kernel.assign([[1.0, 0.0], [0.0, 1.0]])
  return net


@pytest.mark.parametrize("make", [lambda: _softmax, _dense, lambda: keras.layers.Softmax()])
def test_a_loss_of_as_many_rows_as_the_run_has_goes_by_the_logits(make):
  softmax = make()

  @rtf.function(strict=True, verify=False)
  def loss(x, y):
    with tf.GradientTape() as tape:
      tape.watch(x)
      found = _loss(y, softmax(x))
    return found, tape.gradient(found, x)

  for count, size in ((2, 1.0), (3, 1.0), (4, 1.0), (5, 88.0)):
    x, y = tf.tile([[size, 0.0]], [count, 1]), tf.ones([count], tf.int64)
    ours, plain = loss(x, y), loss.python(x, y)
    assert float(ours[0]) == pytest.approx(float(plain[0]), rel=1e-5)
    assert ours[1].numpy() == pytest.approx(plain[1].numpy(), rel=1e-5)
  assert loss.stats.num_graphs < 4


def test_a_concrete_program_of_any_number_of_rows_goes_by_the_logits():
  step = rtf.function(lambda x, y: _loss(y, _softmax(x)), strict=True, verify=False)
  program = step.concrete(tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int64))
  x, y = tf.tile([[88.0, 0.0]], [5, 1]), tf.ones([5], tf.int64)
  assert float(program(x, y)) == pytest.approx(88.0)
