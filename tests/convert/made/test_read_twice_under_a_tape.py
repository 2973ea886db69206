"""What one call has kept on nodes is read by the next one, under one tape."""

import collections

import numpy as np
import tensorflow as tf

import recursive_tf as rtf

State = collections.namedtuple("State", "h c")
W = tf.Variable([[0.5, -0.3], [0.2, 0.7]])


class Node:
  def __init__(self, v, *kids):
    self.emb = tf.constant([0.1 * v, 0.3 - 0.2 * v])
    self.kids = list(kids)
    self.state = None


def _tree():
  shared = Node(5, Node(1))
  return Node(1, shared, Node(2, shared), Node(3))


def _program(recursive):
  @recursive
  def encode(n):
    states = [encode(k) for k in n.kids]
    h = tf.add_n([s.h for s in states]) if states else tf.zeros(2)
    c = tf.sigmoid(tf.linalg.matvec(W, n.emb) + h) * tf.tanh(h + n.emb)
    for s in states:
      c = c + tf.sigmoid(tf.linalg.matvec(W, s.h)) * s.c
    n.state = State(tf.tanh(c), c)
    return n.state

  @recursive
  def attend(n, query):
    found = tf.reduce_sum(n.state.h * query.h) * n.state.c
    for k in n.kids:
      found = found + attend(k, n.state)
    return found

  @recursive
  def top(n):
    return attend(n, encode(n))

  return top


def test_calls_on_what_calls_have_kept_have_pythons_gradients():
  found = []
  for recursive in (lambda f: f, rtf.recursive(verify=False)):
    top, tree = _program(recursive), _tree()
    with tf.GradientTape(persistent=True) as tape:
      first, second = top(tree), top(tree)
      kept = tree.kids[0].state.c
      total = tf.reduce_sum(first * second) + tf.reduce_sum(kept**2)
    results = [first, second, kept, *(tape.gradient(x, W) for x in (total, first, second, kept))]
    found.append([np.array(result) for result in results])
  for expected, got in zip(*found, strict=True):
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
  assert top.stats.num_converted_runs == 2, top.explain()
