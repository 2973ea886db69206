"""Packed objects are arguments of a tf.function, which is traced once for all of them."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import ConversionRefused


class Node:
  def __init__(self, value, *children):
    self.value = value
    self.left, self.right = children or (None, None)


def total(node):
  own = tf.constant([1.0]) * node.value
  if node.left is None:
    return own
  return own + total(node.left) + total(node.right)


CONSTANT = tf.constant([1.0, 2.0])


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


def test_a_number_in_a_tensors_place_is_a_tensor_in_a_graph():
  def sums(node):
    result = 0.0
    if node.left is not None:
      result = tf.constant(2.0) * node.value + sums(node.left)[0] + sums(node.right)[0]
    return result, node.value

  fast = rtf.recursive(sums, strict=True)
  leaf, inner = Node(7), trees(1)[0]
  for batch in ([leaf, inner], [inner, leaf], [inner]):
    found = tf.function(fast.map)(fast.pack(batch))
    expected = [sums(tree) for tree in batch]
    assert found[0].numpy().tolist() == [float(one) for one, _ in expected]
    assert found[1].numpy().tolist() == [value for _, value in expected]


def leftmost(node):
  return node if node.left is None else leftmost(node.left)


def half(node):
  found = node.value / 2 if node.left is None else half(node.left)[0]
  return None if node.value == 7 else found, 1


@pytest.mark.parametrize("function", [leftmost, half])
def test_results_that_no_graph_can_hold_are_refused(function):
  fast = rtf.recursive(function, strict=True)
  with pytest.raises(ConversionRefused, match="which no graph can hold"):
    fast.pack([Node(7), *trees(2)])


def test_results_that_are_constant_have_a_row_for_each_tree():
  @rtf.recursive(strict=True)
  def depth(node):
    below = 0 if node.left is None else depth(node.left)["below"]
    return {"below": below, "one": 1, "half": 0.5, "yes": True, "h": CONSTANT, "name": "x"}

  batch = trees(3)
  for found in (depth.map(depth.pack(batch)), tf.function(depth.map)(depth.pack(batch))):
    eager = depth.map(batch)
    assert {key: value.numpy().tolist() for key, value in found.items()} == {
      "below": eager["below"],
      "one": eager["one"],
      "half": eager["half"],
      "yes": eager["yes"],
      "h": eager["h"].numpy().tolist(),
      "name": [b"x"] * 3,
    }
    assert found["one"].dtype == found["below"].dtype == tf.int64


def test_none_is_no_result_in_a_graph():
  @rtf.recursive(strict=True)
  def nothing(node):
    return tf.constant([1.0]) * node.value, None

  with pytest.raises(ConversionRefused, match="which no graph can hold"):
    nothing.pack(trees(2))


def test_what_is_packed_is_as_it_was():
  scale, weight = 1.0, tf.Variable([2.0])

  @rtf.recursive(strict=True)
  def scaled(node):
    return weight * node.value * scale

  for scale in (1.0, 2.0, 3.0):
    packed = scaled.pack([Node(5)])
    expected = 10.0 * scale
    scale = 7.0
    assert scaled.map(packed).numpy().tolist() == [[expected]]
  weight.assign([4.0])
  assert scaled.map(packed).numpy().tolist() == [[60.0]]


def weighed(node, weights, bias):
  return total(node) * weights + bias


@pytest.mark.parametrize("is_traced", [False, True])
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_some_of_what_is_packed_is_taken(is_traced, dtype):
  fast = rtf.recursive(weighed, strict=True)
  batch, weights = trees(5), [tf.constant([i + 0.5]) for i in range(5)]
  packed = fast.pack(batch, weights, bias=tf.constant([7.0]))

  def some(indices):
    return fast.map(packed.take(indices))

  run = tf.function(some, reduce_retracing=True) if is_traced else some
  for indices in ([2], [4, 0], [1, 1, 3, 1], [0, 1, 2, 3, 4]):
    expected = [weighed(batch[i], weights[i], tf.constant([7.0])).numpy().tolist() for i in indices]
    assert run(tf.constant(indices, dtype)).numpy().tolist() == expected
  assert run(tf.zeros([0], dtype)).shape == [0, 1]
  expected = weighed(batch[2], weights[2], tf.constant([7.0])).numpy().tolist()
  assert fast.map(packed.take([3, 2]).take([1, 1])).numpy().tolist() == [expected] * 2


@pytest.mark.parametrize("indices", [[5], [0, -1]])
def test_trees_that_are_not_packed_are_not_taken(indices):
  packed = rtf.recursive(total, strict=True).pack(trees(5))
  with pytest.raises(tf.errors.InvalidArgumentError, match="there is no tree (5|-1); 5 are packed"):
    packed.take(indices)


@pytest.mark.parametrize("indices", [3, [[1]], [1.0], [True], tf.ragged.constant([[1], [0, 1]])])
def test_what_are_no_numbers_of_trees_are_refused(indices):
  packed = rtf.recursive(total, strict=True).pack(trees(5))
  with pytest.raises(ValueError, match="Give numbers of trees"):
    packed.take(indices)


def test_arguments_beside_what_is_packed_are_refused():
  fast = rtf.recursive(weighed, strict=True)
  packed = fast.pack(trees(2), [tf.constant([1.0])] * 2, bias=tf.constant([7.0]))
  assert fast.map(packed.take([])).shape == [0, 1]
  for args, kwargs in (((1.0,), {}), ((), {"bias": 1.0}), ((packed,), {})):
    with pytest.raises(ValueError, match="pass all arguments to pack"):
      fast.map(packed, *args, **kwargs)


class Scaled:
  def __init__(self, scale):
    self.scale = scale

  @rtf.recursive(strict=True)
  def sums(self, node):
    own = self.scale * node.value
    return own if node.left is None else own + self.sums(node.left) + self.sums(node.right)


def test_what_a_method_packs_is_for_its_object_alone():
  one, other = Scaled(1.0), Scaled(3.0)
  packed = one.sums.pack(trees(2))
  assert one.sums.map(packed).numpy().tolist() == [10.0, 11.0]
  assert tf.function(one.sums.map)(packed.take([1])).numpy().tolist() == [11.0]
  for wrong in (other.sums.map, Scaled.sums.map, tf.function(other.sums.map)):
    with pytest.raises(ValueError, match="packed by the method of another"):
      wrong(packed)
  with pytest.raises(ValueError, match="pass all arguments to pack"):
    one.sums(2.0, packed)


def test_what_is_packed_is_no_tuple_and_counts_its_trees():
  packed = rtf.recursive(total, strict=True).pack(trees(3))
  assert (len(packed), len(packed.take([0])), bool(packed)) == (3, 1, True)
  assert repr(packed) == "<objects packed for 'total'>"
  with pytest.raises(TypeError):
    iter(packed)

  @tf.function
  def count(batch):
    assert batch
    return len(batch)

  with pytest.raises(ValueError, match="not known while a tf.function is traced"):
    count(packed)


@pytest.mark.parametrize("wrong, error, message", [
  (Node(1), TypeError, "total: map and pack take a list of trees, .* but got Node"),
  (None, TypeError, "but got NoneType"),
  ([], ValueError, "no elements"),
  ([Node(1), None], AttributeError, "'NoneType' object has no attribute 'value'"),
])  # fmt: skip
def test_what_cannot_be_packed_is_told(wrong, error, message):
  with pytest.raises(error, match=message):
    rtf.recursive(total, verify=True).pack(wrong)


def test_small_integers_are_numbers_of_trees():
  fast = rtf.recursive(total, strict=True)
  packed = fast.pack(trees(3))
  for dtype in (tf.uint8, tf.int16):
    found = fast.map(packed.take(tf.constant([2, 0], dtype)))
    assert found.numpy().tolist() == [[12.0], [10.0]]


class Weighted(tf.Module):
  def __init__(self, weight):
    self.weight = tf.Variable(weight)

  @rtf.recursive
  def sums(self, node):
    own = self.weight * node.value
    return own if node.left is None else own + self.sums(node.left) + self.sums(node.right)


def test_each_of_many_models_is_converted_that_is_given_many_trees():
  batch = trees(20)
  for number in range(20):
    model = Weighted(float(number))
    found = model.sums.map(batch) if number % 2 else model.sums.map(model.sums.pack(batch))
    assert found.numpy().tolist() == [number * (i + 10.0) for i in range(20)]
  assert Weighted.sums.stats.num_fallback_runs == 0


def test_what_is_packed_in_a_graph_leaves_nothing_to_later_calls():
  def added(node, other):
    return node.value + other.value if node.left is None else added(node.left, other)

  leaf, fast = Node(2), rtf.recursive(total, strict=True)
  with tf.Graph().as_default():
    rtf.recursive(added).pack([leaf], other=leaf)
  assert fast(leaf).numpy().tolist() == [2.0]
  assert rtf.recursive(added, strict=True)(leaf, leaf) == 4
