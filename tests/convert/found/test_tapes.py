"""A function may be converted under any tapes: persistent, nested, with loops over children."""

import contextlib

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


class Node:
  """A node with a row and children."""

  def __init__(self, v, *kids):
    self.row, self.kids = tf.constant([[v, 1.0]]), list(kids)


def tree():
  return Node(1.0, Node(2.0), Node(3.0, Node(4.0), Node(0.5)))


def run(decorate, tapes, call):
  w = tf.Variable([[0.5, -0.2], [0.3, 0.4]])

  @decorate
  def encode(node):
    h = node.row
    for kid in node.kids:
      h = tf.tanh(h + encode(kid) @ w)
    return h

  with contextlib.ExitStack() as stack:
    made = [stack.enter_context(tf.GradientTape(persistent=tape)) for tape in tapes]
    found = tf.reduce_sum(call(encode))
    double = 2 * found
  # Of two tapes the outer one has recorded what the inner one is asked for, too.
  wanted = [(made[-1], found)] + ([(made[-1], double)] if tapes[-1] else [])
  return encode, [tape.gradient(value, w).numpy() for tape, value in wanted]


@pytest.mark.parametrize("tapes", [[False], [True], [False, False], [True, True]], ids=str)
def test_the_first_call_is_made_under_tapes(tapes):
  _, expected = run(lambda function: function, tapes, lambda f: f(tree()))
  for verify in (False, True):
    encode, found = run(rtf.recursive(verify=verify, strict=True), tapes, lambda f: f(tree()))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert encode.stats.num_converted_runs == 1


def test_map_is_first_called_under_a_persistent_tape():
  _, expected = run(lambda f: f, [True], lambda f: tf.stack([f(tree()), f(tree())]))
  _, found = run(rtf.recursive(strict=True), [True], lambda f: f.map([tree(), tree()]))
  np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_forward_mode_is_plain_python_and_nothing_to_report():
  w = tf.Variable(2.0)

  @rtf.recursive(verify=False)
  def product(node):
    result = w * tf.reduce_sum(node.row)
    for kid in node.kids:
      result = result + product(kid) * w
    return result

  with tf.autodiff.ForwardAccumulator(w, tf.constant(1.0)) as forward:
    slope = forward.jvp(product(tree()))
  with tf.GradientTape() as tape:
    value = product(tree())
  assert float(slope) == pytest.approx(float(tape.gradient(value, w)))
  reasons = {reason for reason, count in product.stats.fallbacks.items() if count}
  assert reasons == {Reason.UNSUPPORTED_OPERATION}
