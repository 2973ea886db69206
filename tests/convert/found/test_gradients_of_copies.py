"""Tapes of steps that are asked for tensors which objects, lists, branches and loops hand on.

In Python these are the very objects that the loss was computed of; in a graph they are copies.
Found as gradients that were None, or smaller than eager's.
"""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.compare import Comparison

V = tf.Variable([1.0, 2.0])
TABLE = {"a": tf.constant([1.0, 2.0]), "b": tf.constant([0.5, -1.0])}


class Node:
  def __init__(self, tag, *kids):
    self.tag, self.x, self.kids = tag, tf.constant([len(kids) + 1.0, 2.0]), list(kids)


def tree():
  return Node("a", Node("b", Node("b"), Node("a")), Node("a", Node("b")))


def encode(n):
  h = tf.ones([2])
  for k in n.kids:
    h += encode(k)
  return h * n.x


def look_up(n):
  h = tf.ones([2])
  for k in n.kids:
    h += look_up(k)
  return h * TABLE[n.tag]


def branch(x):
  with tf.GradientTape() as tape:
    a, b = V * 2.0, V * 3.0
    w = a if tf.reduce_sum(x) > 0 else b
    loss = tf.reduce_sum(a * b)
  return loss, tape.gradient(loss, w)


def made_list(n):
  with tf.GradientTape() as tape:
    xs = [V * float(i + 1) for i in range(n)]
    loss = tf.reduce_sum(tf.add_n([x * x for x in xs]))
  return loss, tape.gradient(loss, xs[-1])


def maybe(n):
  with tf.GradientTape() as tape:
    h = None
    if n > 1:
      h = V * 1.0
    loss = tf.reduce_sum(V * 2.0 + (0.0 if h is None else h * 3.0))
  return loss, tape.gradient(loss, h) if h is not None else loss


def loop(n):
  with tf.GradientTape() as tape:
    a = V * 2.0
    b = a
    for _ in range(n):
      b = b * 2.0
    loss = tf.reduce_sum(a * a + b)
  return loss, tape.gradient(loss, b)


def call(n):
  with tf.GradientTape() as tape:
    h = encode(n) * V
    g = same(n, h)
    loss = tf.reduce_sum(h * h)
  return loss, tape.gradient(loss, g)


def same(n, h):
  return same(n.kids[0], h) if n.kids else h


def watched_branch(x):
  with tf.GradientTape() as tape:
    a, b = x * 2.0, x * 3.0
    w = a if tf.reduce_sum(x) > 0 else b
    tape.watch(w)
    loss = tf.reduce_sum(a * b)
  return loss, tape.gradient(loss, w)


def watched_object(n):
  with tf.GradientTape() as tape:
    tape.watch(n.x)
    loss = tf.reduce_sum(encode(n))
  return loss, tape.gradient(loss, n.x)


def watched_kid(n):
  with tf.GradientTape() as tape:
    w = n.kids[0].x if n.kids else n.x
    tape.watch(w)
    loss = tf.reduce_sum(encode(n))
  return loss, tape.gradient(loss, w)


def watched_table(n):
  ws = list(TABLE.values())
  with tf.GradientTape() as tape:
    tape.watch(ws)
    loss = tf.reduce_sum(look_up(n))
  return loss, tape.gradient(loss, ws)


def operation(x):
  with tf.GradientTape() as tape:
    y = x * 2.0
    tape.watch(y)
    a, b = tf.split(y, 2)
    loss = tf.reduce_sum(y * y) + tf.reduce_sum(a * b)
  return loss, tape.gradient(loss, [y, a])


def argument(x):
  with tf.GradientTape() as tape:
    tape.watch(x)
    loss = tf.reduce_sum(x * x)
  return loss, tape.gradient(loss, x)


_TENSORS = [tf.constant([1.0, 2.0]), tf.constant([-3.0, 1.0])]
_CALLS = {
  branch: _TENSORS,
  made_list: [2, 3, 1],
  maybe: [2, 1, 3],
  loop: [2, 0, 1],
  call: [tree(), Node("a")],
  watched_branch: _TENSORS,
  watched_object: [tree(), Node("a")],
  watched_kid: [tree(), Node("a")],
  watched_table: [tree(), Node("a")],
}


@pytest.mark.parametrize("step", _CALLS, ids=lambda step: step.__name__)
def test_a_gradient_is_eagers(step):
  function = rtf.function(step, verify=False)
  for given in [*_CALLS[step], *_CALLS[step]]:
    Comparison().check(step(given), function(given), step.__name__)


@pytest.mark.parametrize("step", [operation, argument], ids=lambda step: step.__name__)
def test_what_is_computed_or_given_has_its_gradient_in_the_graph(step):
  function = rtf.function(step, verify=False, strict=True)
  for given in [*_TENSORS, *_TENSORS]:
    Comparison().check(step(given), function(given), step.__name__)
  assert function.stats.num_converted_runs > 0
