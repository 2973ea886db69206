"""What changes between two calls, or hangs on the tape, besides the trees themselves."""

import numpy as np
import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


@program("variables", "training step")
def weights_change_between_calls(w):
  """Shows an optimizer's step between calls: weights are read in the run."""
  table, mix = w.embedding(), w.dense(2 * D, activation="tanh")

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word][tf.newaxis]
    return mix(tf.concat([encode(node.left), encode(node.right)], 1))

  def mutate(rng, root):
    for variable in w.variables:
      variable.assign_sub(0.1 * tf.ones_like(variable))

  return Case(encode, trees.binary(w.rng), mutate=mutate)


@program("variables", "attributes of self")
def variable_replaced_between_calls(w):
  """Shows another variable put in the model's attribute: loading a checkpoint by hand."""
  first, second = w.embedding(), w.embedding()

  class Model:
    def __init__(self):
      self.table = first

    @w.recursive
    def encode(self, node):
      if node.is_leaf:
        return self.table[node.word]
      return self.encode(node.left) - tf.tanh(self.encode(node.right))

  model = Model()

  def mutate(rng, root):
    model.table = second

  return Case(model.encode, trees.binary(w.rng), mutate=mutate)


@program("functions as attributes", "tf.nn")
def activation_swapped_between_calls(w):
  """Shows `self.activation = tf.nn.relu`, another function later."""
  table = w.embedding()

  class Model:
    activation = staticmethod(tf.tanh)

    @w.recursive
    def encode(self, node):
      if node.is_leaf:
        return table[node.word]
      return self.activation(self.encode(node.left) + self.encode(node.right))

  model = Model()

  def mutate(rng, root):
    model.activation = tf.nn.softplus

  return Case(model.encode, trees.binary(w.rng), mutate=mutate)


@program("class attributes")
def class_constant_changed(w):
  """Shows a constant of the class that changes between calls, for all instances."""
  table = w.embedding()

  class Model:
    gain, bias = 0.5, 0

    @w.recursive
    def encode(self, node):
      if node.is_leaf:
        return table[node.word] + self.bias
      return self.encode(node.left) * self.gain + self.encode(node.right)

  def mutate(rng, root):
    Model.gain += 0.25
    Model.bias = 1

  return Case(Model().encode, trees.binary(w.rng), mutate=mutate)


@program("numpy", "closure", "changed in place")
def closed_over_array_changed_in_place(w):
  """Shows a NumPy array and a list that the function closes over, changed in place."""
  table, bias, gains = w.embedding(), np.zeros(D, np.float32), [1.0, 2.0]

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word] + bias
    return gains[0] * encode(node.left) - gains[1] * encode(node.right)

  def mutate(rng, root):
    bias[1] += 1.0
    gains[1] = 0.5

  return Case(encode, trees.binary(w.rng), mutate=mutate)


class Word:
  """A leaf."""

  def __init__(self, word):
    self.word = word


class Both:
  """An inner node."""

  def __init__(self, left, right):
    self.left, self.right = left, right


class Not:
  """A node with one child, which comes up late."""

  def __init__(self, child):
    self.child = child


@program("new class", "isinstance", "relaxed assumption")
def new_class_after_first_calls(w):
  """Shows a node class that no tree had at first."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if isinstance(node, Word):
      return table[node.word]
    if isinstance(node, Not):
      return -encode(node.child)
    return tf.tanh(encode(node.left)) + encode(node.right)

  def mutate(rng, root):
    if isinstance(root, Both):
      root.left = Not(root.left)

  inputs = [trees.fold(trees.binary_shape(w.rng, n), Word, Both) for n in trees.SIZES]
  return Case(encode, inputs, mutate=mutate, max_conversions=4)


@program("gradients", "tensor attributes", "prepare")
def features_from_an_encoder(w):
  """Shows leaf features that a network computed under the same tape: gradients flow into it."""
  pixels, project = w.tensor(trees.VOCABULARY, 4), w.dense(4)

  def prepare(root):
    agenda = [root]
    while agenda:
      node = agenda.pop()
      if node.is_leaf:
        node.feature = tf.tanh(project(pixels[node.word][tf.newaxis]))
      else:
        agenda += [node.left, node.right]

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return node.feature
    return encode(node.left) * 0.5 + tf.square(encode(node.right))

  return Case(encode, trees.binary(w.rng), prepare=prepare)


@program("gradients", "tensor argument")
def gradients_of_tensor_arguments(w):
  """Shows gradients with respect to a tensor that is passed down."""
  table, queries = w.embedding(), [w.tensor(D) for _ in trees.SIZES]

  @w.recursive
  def score(node, query):
    if node.is_leaf:
      return tf.reduce_sum(table[node.word] * query)
    return score(node.left, tf.tanh(query)) * score(node.right, query)

  inputs = list(zip(trees.binary(w.rng), queries, strict=True))
  return Case(score, inputs, variables=[*w.variables, *queries], map=True)


@program("gradients", "tensor attributes", "closure tensors")
def gradients_of_tensors_around(w):
  """Shows gradients with respect to a node's tensor and to a tensor of the closure."""
  scale, watched = w.tensor(D), []

  def make(word=None, **kwargs):
    node = trees.Node(word, **kwargs)
    node.vector = None if word is None else w.tensor(D)
    watched.extend([] if word is None else [node.vector])
    return node

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return node.vector * scale
    return encode(node.left) * encode(node.right)

  inputs = trees.binary(w.rng, make)
  return Case(encode, inputs, variables=[scale, *watched])


@program("writes", "read by the next call", "tensor")
def state_carried_between_calls(w):
  """Shows what one call wrote and the next one reads: the tree keeps a moving average."""
  table = w.embedding()

  def make(word=None, **kwargs):
    node = trees.Node(word, **kwargs)
    node.mean = tf.zeros([D])
    return node

  @w.recursive
  def encode(node):
    h = table[node.word] if node.is_leaf else encode(node.left) - encode(node.right)
    node.mean = 0.5 * node.mean + 0.5 * tf.stop_gradient(h)
    return h + node.mean

  return Case(encode, trees.binary(w.rng, make))
