"""What people reported of tf.function and AutoGraph on programs like these."""

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


@program("default argument", "int", gradients=False)
def recursion_with_default_depth(w):
  """Shows `func(depth=0)` that calls itself: deadlocked once (tensorflow issue 35540)."""

  @w.recursive
  def func(depth=0):
    if depth > 4:
      return depth
    return func(depth + 1)

  return Case(func, [(), (3,), (9,)], map=False)


@program("attributes of self", "read afresh")
def attribute_changed_between_calls(w):
  """Shows a model's attribute that the user sets between calls (tensorflow issue 44980)."""

  class Network:
    def __init__(self):
      self.table, self.scale, self.negate = w.embedding(), 1.0, False

    @w.recursive
    def encode(self, node):
      if node.is_leaf:
        h = self.table[node.word] * self.scale
        return -h if self.negate else h
      return self.encode(node.left) * self.encode(node.right)

  model = Network()

  def mutate(rng, root):
    model.scale += 0.5
    model.negate = not model.negate

  return Case(model.encode, trees.binary(w.rng), mutate=mutate)


@program("closure variable", "read afresh")
def closure_changed_between_calls(w):
  """Shows a closed-over number that changes between calls: tf.function keeps the first."""
  table, temperature = w.embedding(), 1.0

  def mutate(rng, root):
    nonlocal temperature
    temperature += 1.0

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word] / temperature
    return encode(node.left) + tf.tanh(encode(node.right))

  return Case(encode, trees.binary(w.rng), mutate=mutate)


@program("writes", "int on argument object", gradients=False)
def side_effect_each_time(w):
  """Shows `o.value += 1` on an argument, each time and not once (tensorflow issue 31362)."""

  class Box:
    def __init__(self):
      self.value = 0

  box = Box()

  @w.recursive
  def walk(node, o):
    o.value += 1
    if node.is_leaf:
      return o.value
    return walk(node.left, o) * walk(node.right, o)

  return Case(walk, [(tree, box) for tree in trees.binary(w.rng)], state=[box])


@program("dict of tables", "read afresh", "string keys")
def vocabulary_that_grows(w):
  """Shows a vocabulary dict that gains words and moves others between calls."""
  vocabulary = {word: i for i, word in enumerate(trees.WORDS)}
  table = w.weight(trees.VOCABULARY + 2, D)

  @w.recursive
  def encode(tree):
    if isinstance(tree[1], str):
      return table[vocabulary.get(tree[1], 0)]
    return encode(tree[1]) - 0.5 * encode(tree[2])

  def mutate(rng, root):
    vocabulary["the"] = 6
    vocabulary["dog"] = 7
    trees.mutate(rng, root)
    if isinstance(root[1], str):
      root[1] = "dog"

  return Case(encode, trees.lists(w.rng), mutate=mutate)


@program("None or tensor attribute", "is None")
def optional_tensor(w):
  """Shows a field that is None in some nodes and a tensor in others: retraced, or wrong."""
  table = w.embedding()

  def make(word=None, tag="X", **kwargs):
    node = trees.Node(word, tag=tag, **kwargs)
    node.extra = w.tensor(D) if tag == "NP" else None
    return node

  @w.recursive
  def encode(node):
    h = table[node.word] if node.is_leaf else encode(node.left) + encode(node.right)
    if node.extra is not None:
      h = h * node.extra
    return h

  return Case(encode, trees.binary(w.rng, make))


@program("float where int was", "relaxed assumption")
def int_then_float_attribute(w):
  """Shows an attribute that is an int in all trees, and a float from the second round on."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word] * node.label
    return encode(node.left) - encode(node.right)

  def mutate(rng, root):
    while not root.is_leaf:
      root = root.left
    root.label = root.label + 0.5

  return Case(encode, trees.binary(w.rng), mutate=mutate, max_conversions=4)


@program("dtype of attributes", "tf.cast")
def casts(w):
  """Shows `tf.cast` of Python numbers and bools read of nodes; dtype errors in graph mode."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    gate = tf.cast(node.is_leaf, tf.float32) + tf.cast(node.label, tf.float32)
    if node.is_leaf:
      return gate * table[node.word]
    return gate * (encode(node.left) + encode(node.right))

  return Case(encode, trees.binary(w.rng))


@program("tf.TensorArray-free stacking", "empty list", "conditional")
def stack_or_zeros(w):
  """Shows `tf.stack(states) if states else zeros`: children lists that may be empty."""
  table, mix = w.embedding(), w.dense(D)

  @w.recursive
  def encode(node):
    states = [encode(child) for child in node.children if child.tag != "VP"]
    stacked = tf.stack(states) if states else tf.zeros([1, D])
    return tf.tanh(table[node.word] + tf.reduce_mean(mix(stacked), axis=0))

  return Case(encode, trees.nary(w.rng))


@program("sum() of tensors", "start value 0")
def builtin_sum_of_tensors(w):
  """Shows the builtin `sum` over recursive tensors, which starts at the int 0."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    return table[node.word] + 0.5 * sum(encode(child) for child in node.children)

  return Case(encode, trees.nary(w.rng))


@program("deep tree", "chain")
def long_chain(w):
  """Shows a degenerate tree 60 levels deep: graphs that grow with depth get slow here."""
  mix = w.weight(D, D)

  class Link:
    def __init__(self, word, rest):
      self.word, self.rest = word, rest

  @w.recursive
  def encode(link):
    if link is None:
      return tf.ones([D])
    return tf.tanh(tf.linalg.matvec(mix, encode(link.rest)) + 0.1 * link.word)

  def mutate(rng, root):
    root.word += 1

  return Case(encode, trees.chains(w.rng, Link, lengths=(1, 60)), mutate=mutate)
