"""`@rtf.recursive`: calls that look like ones before take their program, and no other."""

import gc

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import _tf_internals as tfi


class Node:
  """A node with a number."""

  def __init__(self, word, left=None, right=None):
    self.word, self.left, self.right = word, left, right


class Other(Node):
  pass


class Callable(Node):
  """A node that can be called."""

  def __call__(self):
    return self.word


def tree(first=1):
  return Node(0, Node(first), Node(0, Node(2), Node(3)))


def counted(function):
  """Returns a function, and a list to which each call adds that was classified."""
  found = rtf.recursive(function, strict=True, verify=False)
  classified = []
  one, rows = found._classify, found._classify_rows
  found._classify = lambda *args: (classified.append("one"), one(*args))[1]
  found._classify_rows = lambda *args, **kwargs: (classified.append("rows"), rows(*args, **kwargs))[
    1
  ]
  return found, classified


TABLE = tf.constant([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])


def total(node):
  if node.left is None:
    return TABLE[node.word]
  return total(node.left) + total(node.right)


def test_calls_that_look_the_same_are_not_classified_again():
  fast, classified = counted(total)
  for first in range(1, 5):
    assert float(fast(tree(first))[0]) == first + 5
    found = fast.map([tree(first), Node(first)])
    assert found[:, 0].numpy().tolist() == [first + 5, first]
    assert fast.map(fast.pack([tree(first)]))[0].numpy().tolist() == [first + 5]
  assert classified == ["one", "rows"]  # To pack is to map.


def test_objects_of_other_classes_are_another_call():
  fast, classified = counted(total)
  for turn in range(4):
    for nodes in ([Node(1)], [Other(2)], [Node(3), Other(4)], [Other(5), Node(1)]):
      assert fast.map(nodes)[:, 0].numpy().tolist() == [node.word for node in nodes]
    if turn == 0:
      assert len(classified) >= 3  # The last two are of the same classes.
    if turn == 2:
      classified.clear()
  assert classified == []


def test_what_is_decided_by_what_it_holds_is_classified_each_time():
  def size(node, own):
    return (1.0 if node.left is None else size(node.left, own)) + (0.0 if own is None else 1.0)

  fast, classified = counted(size)
  for given in ((1.0, 2.0), np.float32(2.0), (tf.constant(1.0),), Callable(3)):
    before = len(classified)
    for _ in range(3):
      assert float(fast(Node(1), given)) == 2.0
    assert len(classified) == before + (1 if isinstance(given, Callable) else 3)


def test_constants_are_told_apart_by_type_and_value():
  def scaled(node, k):
    own = TABLE[node.word] * (3.0 if isinstance(k, bool) else 2.0 if isinstance(k, str) else 1.0)
    return own if node.left is None else own + scaled(node.left, k) + scaled(node.right, k)

  fast, _ = counted(scaled)
  for _ in range(2):
    for k in (True, 1, 1.0, "a", b"a", None, False):
      assert float(fast(tree(), k)[0]) == float(scaled(tree(), k)[0])
      assert float(fast.map([tree()], k=k)[0, 0]) == float(scaled(tree(), k)[0])


class Model:
  """A model that is no module."""

  def __init__(self, scale):
    self.scale = scale
    self.weight = tf.Variable(float(scale))

  @rtf.recursive(strict=True, verify=False)
  def encode(self, node):
    if node.left is None:
      return self.weight * node.word + self.scale
    return self.encode(node.left) + self.encode(node.right)


def test_each_model_has_its_own_program():
  first, second = Model(2), Model(3)
  for _ in range(3):
    for model in (first, second):
      assert float(model.encode(Node(5))) == 6 * model.scale
      assert float(model.encode.map([Node(1)])[0]) == 2 * model.scale
      assert model.encode.map(model.encode.pack([Node(1)]))[0] == 2 * model.scale


def test_a_model_in_the_place_of_one_that_is_gone_has_its_own_program():
  for scale in range(1, 5):
    model = Model(scale)
    for _ in range(2):
      assert float(model.encode(Node(5))) == 6 * scale
    del model
    gc.collect()


def test_what_is_relied_on_is_compared_in_calls_that_look_the_same():
  model = Model(2)
  assert [float(model.encode(Node(1))) for _ in range(3)] == [4.0] * 3
  model.scale = 5
  assert [float(model.encode(Node(1))) for _ in range(3)] == [7.0] * 3
  assert float(model.encode.map(model.encode.pack([Node(1)]))[0]) == 7.0
  model.weight.assign(4.0)
  assert float(model.encode(Node(1))) == 9.0


def test_what_objects_hold_is_looked_at_in_calls_that_look_the_same():
  fast = rtf.recursive(lambda node: TABLE[node.word] * 2.0, verify=False)
  for word in (1, 2, 3, tf.constant(4), 5, np.int32(2), 1):
    assert float(fast(Node(word))[0]) == 2.0 * int(word)


def test_a_list_that_the_program_changes_is_what_it_is():
  def collect(node, found):
    if node.left is None:
      found.append(node.word)
    else:
      collect(node.left, found)
      collect(node.right, found)

  fast, _ = counted(collect)
  for first in (1, 2, 3):
    found = []
    fast(tree(first), found)
    assert found == [first, 2, 3]


def test_what_was_packed_stays_what_it_was():
  fast = rtf.recursive(total, strict=True, verify=False)
  trees = [tree(first) for first in range(1, 5)]
  packed = [fast.pack([one, Node(2)]) for one in trees]
  for one in trees:
    one.left.word = 0
  for _ in range(5):
    fast.pack([tree(5), tree(5)])
  for first, one in enumerate(packed, 1):
    assert fast.map(one)[:, 0].numpy().tolist() == [first + 5, 2.0]


def test_objects_are_packed_where_a_graph_is_made():
  fast = rtf.recursive(total, strict=True, verify=False)

  @tf.function
  def run():
    return fast.map(fast.pack([tree(1), Node(4)]))

  for _ in range(2):
    assert run()[:, 0].numpy().tolist() == [6.0, 4.0]
  assert fast.map(fast.pack([Node(3)]))[0].numpy().tolist() == [3.0]


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_a_tensor_of_numbers_is_what_tensorflow_makes(dtype):
  for shape in ([0], [3], [0, 2], [2, 3]):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    found = tfi.tensor_of(array)
    assert found.dtype == dtype and found.shape == tuple(shape)
    np.testing.assert_array_equal(found, array)


def test_no_more_is_kept_the_more_calls_there_are():
  fast = rtf.recursive(total, strict=True, verify=False)
  for i in range(600):
    kind = type(f"Node{i % 3}", (Node,), {})
    if i < 6:
      assert float(fast(kind(1))[0]) == 1.0
    fast(Node(i % 5))
  assert len(fast._calls._known) < 20
