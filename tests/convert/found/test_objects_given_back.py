"""A variable or an array that something holds and a program gives back: that very object.

Python returns the `tf.Variable` of a learned initial state itself, on the paths that return it. A
graph has only what it holds, so that a number beside it says which object it is.
"""

import re

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


class Node:
  """A node with a vector, or None, and any number of children."""

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def _vector(i):
  return tf.constant([0.5 * i, -1.0, 2.0])


def _tree():
  return Node(_vector(1), Node(None), Node(_vector(2), Node(None), Node(_vector(3))))


class Encoder(tf.Module):
  """A model with a learned state for what is not there."""

  def __init__(self):
    self.empty = tf.Variable([0.1, 0.2, 0.3])
    self.weights = tf.Variable(tf.reshape(tf.range(9.0), [3, 3]) * 0.1)

  @rtf.recursive(strict=True, verify=False)
  def encode(self, n):
    if n.v is None:
      return self.empty
    below = n.v
    for kid in n.kids:
      below = below + self.encode(kid)
    return tf.tanh(tf.linalg.matvec(self.weights, below))


def test_a_learned_state_is_the_variable_itself():
  model = Encoder()
  assert model.encode(Node(None)) is model.empty
  found, plain = (f(_tree()) for f in (model.encode, lambda n: Encoder.encode.python(model, n)))
  assert isinstance(found, tf.Tensor)
  np.testing.assert_allclose(found, plain, rtol=1e-5)


@pytest.mark.parametrize("make", [_tree, lambda: Node(None)])
def test_gradients_go_to_the_variable(make):
  model = Encoder()
  gradients = []
  for encode in (model.encode, lambda n: Encoder.encode.python(model, n)):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(encode(make()) ** 2)
    gradients.append(
      tape.gradient(loss, [model.empty, model.weights], unconnected_gradients="zero")
    )
  for one, other in zip(*gradients, strict=True):
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
  assert float(tf.reduce_sum(abs(gradients[0][0]))) > 0.0


def test_what_is_assigned_between_calls_is_seen():
  model = Encoder()
  kept = model.encode(Node(None))
  before = model.encode(_tree())
  model.empty.assign([1.0, 1.0, 1.0])
  assert kept.numpy().tolist() == [1.0, 1.0, 1.0]
  wanted = Encoder.encode.python(model, _tree())
  np.testing.assert_allclose(model.encode(_tree()), wanted, rtol=1e-5)
  assert not np.allclose(before, model.encode(_tree()))


def test_of_several_variables_it_is_the_one_that_python_gives():
  held = [tf.Variable(_vector(i)) for i in range(3)]

  @rtf.recursive(strict=True, verify=False)
  def best(n, found):
    if found is None or tf.reduce_sum(n.v) > tf.reduce_sum(found):
      found = n.v
    for kid in n.kids:
      found = best(kid, found)
    return found

  assert best(Node(held[0], Node(held[2]), Node(held[1])), None) is held[2]
  assert best(Node(held[1], Node(held[0])), None) is held[1]


def test_in_dicts_lists_and_objects_it_is_that_object():
  held = tf.Variable([1.0, 2.0, 3.0])

  @rtf.recursive(strict=True, verify=False)
  def states(n):
    if n.v is None:
      return {"h": held, "below": []}
    return {"h": n.v * 2.0, "below": [states(kid) for kid in n.kids]}

  found = states(_tree())
  assert found["below"][0]["h"] is held and found["below"][1]["below"][0]["h"] is held
  assert isinstance(found["h"], tf.Tensor)


def test_what_is_written_and_read_again_is_that_object():
  held = tf.Variable([1.0, 2.0, 3.0])
  log = []

  @rtf.recursive(strict=True, verify=False)
  def fill(n):
    n.state = held if n.v is None else n.v + 1.0
    log.append(n.state)
    for kid in n.kids:
      fill(kid)
    return n.state

  tree = _tree()
  fill(tree)
  assert tree.kids[0].state is held and log[1] is held and log[3] is held
  assert fill(Node(None)) is held


def test_an_array_of_a_leaf_is_that_array():
  class Leaf:
    def __init__(self, a):
      self.a = a

  @rtf.recursive(strict=True, verify=False)
  def total(n):
    if isinstance(n, Leaf):
      return n.a
    return total(n[0]) + total(n[1])

  a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
  assert total(Leaf(a)) is a
  found = total([Leaf(a), [Leaf(b), Leaf(a)]])
  assert type(found) is np.ndarray and found.tolist() == [5.0, 8.0]


def test_an_array_among_the_objects_that_are_made_is_that_array():
  class Leaf:
    def __init__(self, a, *kids):
      self.a, self.kids = a, list(kids)

  @rtf.recursive(strict=True, verify=False)
  def collect(n):
    return {"a": n.a, "below": [collect(kid) for kid in n.kids]}

  a = np.array([1.0, 2.0])
  found = collect(Leaf(np.zeros(2), Leaf(a), Leaf(np.ones(2), Leaf(a))))
  assert found["below"][0]["a"] is a and found["below"][1]["below"][0]["a"] is a


def test_map_stacks_variables_and_tensors():
  model = Encoder()
  found = model.encode.map([_tree(), Node(None), _tree()])
  wanted = tf.stack([Encoder.encode.python(model, n) for n in [_tree(), Node(None), _tree()]])
  np.testing.assert_allclose(found, wanted, rtol=1e-5)


class _Unlike:
  """What a variable has not, or does otherwise than a tensor."""

  @staticmethod
  def in_place(h, x):
    h += x
    return h

  @staticmethod
  def length(h, x):
    return x * len(h)

  @staticmethod
  def rank(h, x):
    return x * h.ndim


@pytest.mark.parametrize("name", ["in_place", "length", "rank"])
def test_what_a_variable_has_not_raises_as_in_python(name):
  """The graph took the variable for a tensor, whose value it went on with."""
  use = getattr(_Unlike, name)
  held = tf.Variable([1.0, 2.0, 3.0])

  @rtf.recursive(verify=False)
  def f(n):
    if n.v is None:
      return held
    return use(f(n.kids[0]), n.v) if n.kids else n.v

  with pytest.raises((RuntimeError, TypeError, AttributeError)) as caught:
    f(Node(_vector(1), Node(None)))
  with pytest.raises(caught.type, match=re.escape(str(caught.value)[:12])):
    f.python(Node(_vector(1), Node(None)))
  found = f(Node(_vector(1), Node(_vector(2))))
  np.testing.assert_allclose(found, f.python(Node(_vector(1), Node(_vector(2)))))


def test_a_test_says_which_of_the_two_it_is():
  held = tf.Variable([1.0, 2.0, 3.0])

  @rtf.recursive(strict=True, verify=False)
  def f(n):
    if n.v is None:
      return held
    h = f(n.kids[0]) if n.kids else n.v
    return h * (2.0 if isinstance(h, tf.Variable) else 3.0)

  for tree in (Node(_vector(1), Node(None)), Node(_vector(1), Node(_vector(2)))):
    np.testing.assert_allclose(f(tree), f.python(tree))


@pytest.mark.parametrize(
  "give", [lambda a: (a, a[1:]), lambda a: a[1:], lambda a: (a + 1.0, a + 2.0)]
)
def test_views_and_several_new_arrays_are_refused(give):
  """Which of them share what they hold, no number tells."""

  class Leaf:
    def __init__(self, a, *kids):
      self.a, self.kids = a, kids

  @rtf.recursive(verify=False)
  def f(n):
    return give(n.a) if not n.kids else f(n.kids[0])

  f(Leaf(np.ones(3), Leaf(np.zeros(3))))
  assert Reason.UNSUPPORTED_OPERATION in f.stats.fallbacks
