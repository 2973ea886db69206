"""Lists and dicts that Keras and TensorFlow keep for a model, in classes of their own."""

from __future__ import annotations

import keras
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import Node


class Model(keras.Model):
  def __init__(self):
    super().__init__()
    self.names = ["a", "b", "c"]
    self.sizes = [1.0, 2.0, 3.0]
    self.cells = [keras.layers.Dense(2), keras.layers.Dense(2)]
    self.named = {"a": keras.layers.Dense(2), "b": keras.layers.Dense(2)}
    for cell in (*self.cells, *self.named.values()):
      cell.build([1, 2])

  def apply(self, cell, state):
    return cell(state)


class Module(tf.Module):
  def __init__(self):
    super().__init__()
    self.names = ["a", "b", "c"]
    self.sizes = [1.0, 2.0, 3.0]
    draw = tf.random.Generator.from_seed(1)
    self.cells = [tf.Variable(draw.normal([2, 2])) for _ in range(2)]
    self.named = {name: tf.Variable(draw.normal([2, 2])) for name in "ab"}

  def apply(self, cell, state):
    return state @ cell


def place_of_name(m, n):
  number = m.names.index(n.name) if n.name in m.names else 0
  return tf.one_hot([number], 2) + sum([place_of_name(m, k) for k in n.kids], tf.zeros([1, 2]))


def counted(m, n):
  return tf.fill([1, 2], float(m.names.count(n.name) + m.sizes.index(2.0)))


def over_cells(m, n):
  state = tf.ones([1, 2]) * float(n.v)
  for k in n.kids:
    state += over_cells(m, k)
  for cell in m.cells:
    state = tf.tanh(m.apply(cell, state))
  return state


def numbered_cells(m, n):
  state = tf.ones([1, 2])
  for i, k in enumerate(n.kids[:2]):
    state += m.apply(m.cells[i], numbered_cells(m, k))
  for (i, cell), size in zip(enumerate(m.cells), m.sizes):  # noqa: B905 - as written.
    state = tf.tanh(m.apply(cell, state)) * size + i
  for cell in reversed(m.cells):
    state = m.apply(cell, state)
  return state + sum(m.sizes) + max(m.sizes) + len(m.cells)


def cell_of_name(m, n):
  state = tf.ones([1, 2])
  for k in n.kids:
    state += cell_of_name(m, k)
  state = m.apply(m.named[n.name], state) if n.name in m.named else state
  return m.apply(m.cells[len(n.kids) % 2], state)


def all_named(m, n):
  state = tf.ones([1, 2])
  for k in n.kids:
    state += all_named(m, k)
  for name, cell in m.named.items():
    state = tf.tanh(m.apply(cell, state)) * float(len(name))
  return state


PROGRAMS = {
  f.__name__: f
  for f in (place_of_name, counted, over_cells, numbered_cells, cell_of_name, all_named)
}


def tree():
  leaves = [Node(i, False, name) for i, name in enumerate("abcd")]
  return Node(1, False, "a", Node(2, False, "b", *leaves[:2]), Node(3, False, "x", *leaves[2:]))


@pytest.mark.parametrize("kind", [Model, Module])
@pytest.mark.parametrize("name", PROGRAMS)
def test_is_read_as_plain_lists_and_dicts_are(name, kind, monkeypatch):
  model, plain = kind(), PROGRAMS[name]
  function = rtf.recursive(strict=True, verify=False)(plain)
  found = []
  for f in (plain, function):
    monkeypatch.setitem(globals(), name, f)
    with tf.GradientTape() as tape:
      result = f(model, tree())
    weights = [w.value if isinstance(w, keras.Variable) else w for w in model.trainable_variables]
    found.append([result, *tape.gradient(result, weights, unconnected_gradients="zero")])
  for one, other in zip(*found, strict=True):
    tf.debugging.assert_near(one, other)


def another_name(model):
  model.names[1], model.names[0] = model.names[0], model.names[1]


def one_more_name(model):
  model.names.insert(0, "new")


def other_cells(model):
  model.cells = [*reversed(model.cells)]


def no_cells(model):
  model.cells = []


@pytest.mark.parametrize("kind", [Model, Module])
@pytest.mark.parametrize("change", [another_name, one_more_name, other_cells, no_cells])
@pytest.mark.parametrize("name", ["place_of_name", "counted", "over_cells"])
def test_changes_between_calls_are_seen(name, change, kind, monkeypatch):
  model, plain = kind(), PROGRAMS[name]
  function = rtf.recursive(verify=False)(plain)
  for changes in ([], [change], [change]):
    for one in changes:
      one(model)
    found = []
    for f in (plain, function):
      monkeypatch.setitem(globals(), name, f)
      found.append(f(model, tree()))
    tf.debugging.assert_near(*found)
  assert function.stats.num_converted_runs


class Unbuilt(keras.Model):
  """Its layers make their weights in the first call, as Python runs it."""

  def __init__(self):
    super().__init__()
    self.words = ["<pad>", "a", "b"]
    self.embedding = keras.layers.Embedding(3, 2)
    self.inner = keras.layers.Dense(2)

  @rtf.recursive(verify=False)
  def encode(self, n):
    number = self.words.index(n.name) if n.name in self.words else 0
    state = self.embedding(tf.constant([number]))
    for k in n.kids:
      state += self.inner(self.encode(k))
    return tf.tanh(state)


def test_a_model_without_weights_is_converted_from_the_second_call_on():
  model = Unbuilt()
  first = model.encode(tree())
  assert Unbuilt.encode.stats.num_converted_runs == 0
  for _ in range(2):
    tf.debugging.assert_near(model.encode(tree()), first)
  assert Unbuilt.encode.stats.num_converted_runs == 2
