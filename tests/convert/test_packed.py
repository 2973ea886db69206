"""Packed objects are arguments of a tf.function, which is traced once for all of them."""

import pytest
import tensorflow as tf

import recursive_tf as rtf


class Node:
  def __init__(self, value, *children):
    self.value = value
    self.left, self.right = children or (None, None)


def total(node):
  own = tf.constant([1.0]) * node.value
  if node.left is None:
    return own
  return own + total(node.left) + total(node.right)


def trees(count):
  return [Node(i, Node(2, Node(1), Node(3)), Node(4)) for i in range(count)]


def test_one_trace_serves_all_batches():
  fast = rtf.recursive(total, strict=True)
  traces = []

  @tf.function
  def run(packed):
    traces.append(packed)
    return tf.reduce_sum(fast.map(packed))

  for count in (1, 3, 2, 7):
    assert float(run(fast.pack(trees(count)))) == sum(range(count)) + 10 * count
  assert len(traces) == 1
  assert fast.stats.num_graphs == 1


def test_gradients_flow_through_packed_objects():
  scale = tf.Variable([2.0])

  def scaled(node):
    own = scale * node.value
    return own if node.left is None else own + scaled(node.left) + scaled(node.right)

  fast = rtf.recursive(scaled, strict=True)

  @tf.function
  def gradient(packed):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(fast.map(packed))
    return tape.gradient(loss, scale)

  assert gradient(fast.pack(trees(3))).numpy().tolist() == [33.0]


def test_objects_packed_by_another_function_are_refused():
  first, second = rtf.recursive(total, strict=True), rtf.recursive(total, strict=True)
  with pytest.raises(ValueError, match="packed by total"):
    second.map(first.pack(trees(2)))
