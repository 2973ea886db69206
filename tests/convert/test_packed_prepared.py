"""Packed objects are arguments of prepared functions."""

import re
import threading

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import SignatureError


class Node:
  def __init__(self, value, *children):
    self.value = value
    self.left, self.right = children or (None, None)


class Doubled(Node):
  """Another kind of node, with which there is another program."""

  def __init__(self, value, factor):
    super().__init__(value)
    self.factor = factor


SCALE = tf.Variable([2.0])
RATE = tf.TensorSpec([], tf.float32)


def total(node):
  own = SCALE * node.value
  if isinstance(node, Doubled):
    own = own * node.factor
  if node.left is None:
    return own
  return own + total(node.left) + total(node.right)


def trees(count):
  return [Node(i, Node(2, Node(1), Node(3)), Node(4)) for i in range(count)]


def with_doubled(count):
  return [Node(i, Doubled(2, 0.5), Node(4)) for i in range(count)]


def sums(batch):
  return [total(tree).numpy().tolist() for tree in batch]


@pytest.fixture(autouse=True)
def _weight():
  SCALE.assign([2.0])


@pytest.mark.parametrize("is_traced", [False, True])
def test_all_that_is_packed_is_taken(is_traced):
  fast = rtf.recursive(total, strict=True)
  call = rtf.prepare(tf.function(fast.map) if is_traced else fast.map, fast.pack(trees(1)))
  for count in (1, 4, 2):
    assert call(fast.pack(trees(count))).numpy().tolist() == sums(trees(count))
  SCALE.assign([-3.0])
  assert call(fast.pack(trees(3))).numpy().tolist() == sums(trees(3))
  assert repr(call) == "<prepared function of (packed objects)>"


def test_a_step_is_taken_on_packed_objects_beside_tensors():
  fast = rtf.recursive(total, strict=True)

  def step(packed, rate):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(fast.map(packed))
    SCALE.assign_sub(rate * tape.gradient(loss, SCALE))
    return loss

  call = rtf.prepare(step, fast.pack(trees(2)), RATE)
  for count in (3, 1):
    before = SCALE.numpy()
    expected = sum(value for (value,) in sums(trees(count)))
    gradient = sum(range(count)) + 10 * count
    assert float(call(fast.pack(trees(count)), 0.25)) == expected
    assert SCALE.numpy().tolist() == (before - 0.25 * gradient).tolist()


def test_tapes_outside_and_other_graphs_call_it():
  fast = rtf.recursive(total, strict=True)
  call = rtf.prepare(fast.map, fast.pack(trees(1)))
  with tf.GradientTape() as tape:
    loss = tf.reduce_sum(call(fast.pack(trees(2))))
  assert tape.gradient(loss, SCALE).numpy().tolist() == [21.0]
  outer = tf.function(lambda packed: tf.reduce_sum(call(packed)))
  assert float(outer(fast.pack(trees(2)))) == 42.0
  assert float(outer(fast.pack(with_doubled(2)))) == 2 * (2 * 5.0 + 1.0)


def test_trees_of_another_kind_have_a_graph_of_their_own():
  fast = rtf.recursive(total, strict=True)
  traces = []

  def run(packed):
    traces.append(packed)
    return fast.map(packed)

  call = rtf.prepare(run, fast.pack(trees(1)))
  for batch in (trees(2), with_doubled(3), trees(3), with_doubled(1)):
    assert call(fast.pack(batch)).numpy().tolist() == sums(batch)
  assert len(traces) == 2


def test_two_arguments_may_be_packed():
  left, right = rtf.recursive(total, strict=True), rtf.recursive(total, strict=True)
  call = rtf.prepare(
    lambda a, x, b: (left.map(a) + x, right.map(b)),
    left.pack(trees(1)),
    RATE,
    right.pack(trees(1)),
  )
  first, second = call(left.pack(trees(2)), 1.0, right.pack(trees(3)))
  assert first.numpy().tolist() == [[value + 1.0] for (value,) in sums(trees(2))]
  assert second.numpy().tolist() == sums(trees(3))
  with pytest.raises(ValueError, match="packed by total"):
    call(right.pack(trees(2)), 1.0, left.pack(trees(3)))


@pytest.mark.parametrize(
  ("make", "message"),
  [
    (lambda packed: (packed,), "1 argument, expected 2: (packed objects, float32())"),
    (lambda packed: (*packed.tensors, 1.0), "3 arguments, expected 2"),
    (lambda packed: (packed.tensors[0], 1.0), "argument 0 is of type EagerTensor, expected"),
    (lambda packed: (trees(1), 1.0), "argument 0 is of type list, expected packed objects."),
    (lambda packed: (packed, tf.zeros([], tf.int32)), "argument 1 has type int32, expected float"),
    (lambda packed: (packed, [1.0]), "argument 1 has shape (1,), expected ()"),
    (lambda packed: (packed, packed), "argument 1 is of type Packed, expected float32()"),
  ],
)
def test_other_arguments_are_refused(make, message):
  fast = rtf.recursive(total, strict=True)
  packed = fast.pack(trees(1))
  call = rtf.prepare(lambda some, rate: fast.map(some) * rate, packed, RATE)
  with pytest.raises(SignatureError, match=re.escape(message)):
    call(*make(packed))
  assert call(packed, 1.0).numpy().tolist() == sums(trees(1))


def test_threads_make_one_graph_for_another_kind():
  fast = rtf.recursive(total, strict=True)
  traces, found = [], {}

  def run(packed):
    traces.append(packed)
    return fast.map(packed)

  call = rtf.prepare(run, fast.pack(trees(1)))
  packed = [fast.pack(with_doubled(count)) for count in (1, 2, 3, 4)]

  def use(position):
    found[position] = call(packed[position]).numpy().tolist()

  threads = [threading.Thread(target=use, args=(i,)) for i in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert found == {i: sums(with_doubled(i + 1)) for i in range(4)}
  assert len(traces) == 2
