"""What is read of objects: attributes and methods of all kinds."""

import dataclasses
import enum

import numpy as np
import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


class Slotted:
  """A node with `__slots__` and no dict."""

  __slots__ = ("word", "left", "right", "tag", "label")

  def __init__(self, word=None, left=None, right=None, tag="X", label=0):
    self.word, self.left, self.right, self.tag, self.label = word, left, right, tag, label


@program("__slots__")
def slots(w):
  """Shows nodes with `__slots__`, as libraries write them for memory."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.left is None:
      return table[node.word]
    return tf.tanh(encode(node.left) - 2.0 * encode(node.right))

  return Case(encode, trees.binary(w.rng, Slotted))


class Base:
  """What the node classes below inherit: a scale, and who counts as a leaf."""

  scale = 0.5
  left = right = None

  def is_terminal(self):
    """Whether it has no children."""
    return self.left is None

  @property
  def width(self):
    """The number of children, computed."""
    return 0 if self.is_terminal() else 2


class Phrase(Base):
  """Sets attributes only where they differ from the class's."""

  def __init__(self, word=None, left=None, right=None, tag="X", label=0):
    self.word = word
    if left is not None:
      self.left, self.right = left, right
    if tag == "NP":
      self.scale = 2.0


@program("class attributes", "inheritance", "properties", "methods")
def inherited_attributes(w):
  """Shows class constants that some instances override, an inherited property and method."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_terminal():
      return table[node.word] * node.scale
    return (encode(node.left) + encode(node.right)) * (node.scale * node.width)

  return Case(encode, trees.binary(w.rng, Phrase))


class Accessors:
  """A node behind zero-argument accessors, Java's style."""

  def __init__(self, word=None, left=None, right=None, tag="X", label=0):
    self._word, self._kids, self._tag = word, [k for k in (left, right) if k], tag

  def get_word(self):
    """The word's index."""
    return self._word

  def get_left(self):
    """The first child."""
    return self._kids[0]

  def get_right(self):
    """The last child."""
    return self._kids[-1]

  def num_kids(self):
    """How many children it has."""
    return len(self._kids)


@program("accessor methods", "items of lists", "negative index")
def accessor_methods(w):
  """Shows `node.get_left()` and what lies behind it."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.num_kids() == 0:
      return table[node.get_word()]
    return tf.sigmoid(encode(node.get_left())) * encode(node.get_right())

  def mutate(rng, root):
    while root._kids:
      root = root._kids[0]
    root._word = 0

  return Case(encode, trees.binary(w.rng, Accessors), mutate=mutate)


class Leaf:
  """A leaf that encodes itself."""

  def __init__(self, word):
    self.word = word

  def encode(self, model):
    """Returns its vector."""
    return model.table[self.word]


class Pair:
  """An inner node that encodes itself."""

  def __init__(self, left, right):
    self.left, self.right = left, right

  def encode(self, model):
    """Returns its vector from its children's."""
    return model.compose(self.left.encode(model), self.right.encode(model))


class Negation:
  """A node with one child."""

  def __init__(self, child):
    self.child = child

  def encode(self, model):
    """Returns minus its child's vector."""
    return -self.child.encode(model)


def polymorphic(rng):
  """Returns trees of the three classes."""

  def pair(left, right):
    return Pair(Negation(left) if rng.random() < 0.5 else left, right)

  return [trees.fold(trees.binary_shape(rng, n), Leaf, pair) for n in trees.SIZES]


def change_leaf(rng, root):
  """Changes the word at the end of the leftmost path."""
  while not isinstance(root, Leaf):
    root = root.child if isinstance(root, Negation) else root.left
  root.word = (root.word + 1) % trees.VOCABULARY


@program("polymorphism", "methods of nodes")
def polymorphic_nodes(w):
  """Shows node classes that each define `encode(self, model)`: the interpreter pattern."""

  class Model:
    table, mix = w.embedding(), w.weight(D, D)

    def compose(self, a, b):
      return tf.tanh(tf.linalg.matvec(self.mix, a) + b)

  model = Model()

  @w.recursive
  def encode(node):
    return node.encode(model)

  return Case(encode, polymorphic(w.rng), mutate=change_leaf, max_conversions=4)


@program("isinstance", "visitor", "several classes")
def visitor(w):
  """Shows a visitor that tells node classes apart with `isinstance`; compilers' style."""

  class Visitor:
    def __init__(self):
      self.table = w.embedding()

    @w.recursive
    def visit(self, node):
      if isinstance(node, Leaf):
        return self.visit_leaf(node)
      if isinstance(node, Negation):
        return 1.0 - self.visit(node.child)
      return self.visit_pair(node)

    def visit_leaf(self, leaf):
      return tf.sigmoid(self.table[leaf.word])

    def visit_pair(self, pair):
      return self.visit(pair.left) * self.visit(pair.right)

  return Case(Visitor().visit, polymorphic(w.rng), mutate=change_leaf)


@program("numpy attributes", "shape")
def numpy_attributes(w):
  """Shows NumPy vectors on the leaves, from precomputed features."""
  mix = w.weight(2, D)

  def make(word=None, **kwargs):
    node = trees.Node(word, **kwargs)
    node.feature = None if word is None else np.float32([word, 0.5 * word])
    return node

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return tf.linalg.matvec(mix, node.feature, transpose_a=True)
    return tf.maximum(encode(node.left), 0.5 * encode(node.right))

  def mutate(rng, root):
    while not root.is_leaf:
      root = root.right
    root.feature[0] += 1.0  # In place: the array is the same object.

  return Case(encode, trees.binary(w.rng, make), mutate=mutate)


@program("tensor attributes", "shapes that vary")
def tensor_attributes_of_varying_shape(w):
  """Shows a tensor [T, 2] on each leaf, T from 1 to 4: frames of speech, patches of an image."""
  mix = w.weight(2, D)

  def make(word=None, **kwargs):
    node = trees.Node(word, **kwargs)
    node.frames = None if word is None else w.tensor(word % 4 + 1, 2)
    return node

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return tf.reduce_mean(tf.tanh(node.frames @ mix), axis=0)
    return encode(node.left) * 0.5 - encode(node.right)

  return Case(encode, trees.binary(w.rng, make))


@program("numpy scalars", "np.float32", "np.int64")
def numpy_scalars(w):
  """Shows NumPy scalars on nodes: pandas rows turned into trees."""
  table = w.embedding()

  def make(word=None, **kwargs):
    node = trees.Node(word, **kwargs)
    node.row = np.int64(-1 if word is None else word)
    node.weight = np.float32(0.25 if word is None else 0.5 + word)
    return node

  @w.recursive
  def encode(node):
    if node.row < 0:
      return (encode(node.left) + encode(node.right)) * node.weight
    return table[node.row] * node.weight

  def mutate(rng, root):
    root.weight = root.weight + np.float32(1)

  return Case(encode, trees.binary(w.rng, make), mutate=mutate)


@dataclasses.dataclass
class Record:
  """A dataclass node."""

  word: int | None = None
  left: "Record | None" = None
  right: "Record | None" = None
  tag: str = "X"
  label: int = 0
  weights: tuple[float, float] = (0.5, 2.0)


@program("dataclass nodes", "tuple attribute")
def dataclass_nodes(w):
  """Shows dataclasses as nodes, with a tuple among the fields."""
  table = w.embedding()

  @w.recursive
  def encode(node: Record) -> tf.Tensor:
    match_weight, rest = node.weights
    if node.left is None or node.right is None:
      return table[node.word] * rest
    return encode(node.left) * match_weight + encode(node.right)

  return Case(encode, trees.binary(w.rng, Record))


class Kind(enum.Enum):
  """What a node is."""

  WORD = "word"
  SUM = "sum"
  PRODUCT = "product"


@program("enum", "is", "==")
def enum_kinds(w):
  """Shows nodes whose kind is an `enum.Enum` member; parsers and sum-product networks."""
  table = w.embedding()

  def make(word=None, tag="X", **kwargs):
    node = trees.Node(word, tag=tag, **kwargs)
    node.kind = Kind.WORD if word is not None else Kind.SUM if tag == "NP" else Kind.PRODUCT
    return node

  @w.recursive
  def encode(node):
    if node.kind is Kind.WORD:
      return table[node.word]
    if node.kind == Kind.PRODUCT:
      return encode(node.left) * encode(node.right)
    return encode(node.left) + encode(node.right)

  return Case(encode, trees.binary(w.rng, make))


@program("optional child", "missing attribute", "hasattr")
def optional_attributes(w):
  """Shows `hasattr` and `getattr` with a default: attributes that only some nodes have."""
  table = w.embedding()

  def make(word=None, tag="X", **kwargs):
    node = trees.Node(word, tag=tag, **kwargs)
    if tag == "NP":
      node.head = True
    if tag == "VP":
      node.gain = 3.0
    return node

  @w.recursive
  def encode(node):
    h = table[node.word] if node.is_leaf else encode(node.left) + tf.tanh(encode(node.right))
    if hasattr(node, "head"):
      h = -h
    return h * getattr(node, "gain", 1.0)

  return Case(encode, trees.binary(w.rng, make))


@program("object result", "identity", gradients=False)
def returns_a_node(w):
  """Shows a node as result: the very object, not a copy."""

  @w.recursive
  def rightmost(node):
    return node if node.is_leaf else rightmost(node.right)

  return Case(rightmost, trees.binary(w.rng), map=False, mutate=trees.deepen)


@program("None or tensor")
def zero_or_tensor(w):
  """Shows a function that returns None for no node, and a vector otherwise."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node is None:
      return None
    left, right = encode(node.left), encode(node.right)
    if left is None or right is None:
      return table[node.word]
    return tf.tanh(left + 2.0 * right)

  return Case(encode, trees.binary(w.rng))


@program("mixed attribute", "int or string")
def int_or_string_attribute(w):
  """Shows a field that holds an index in some leaves and a string in others."""
  table = w.embedding()
  index = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, "cat": 1, "mat": 5}

  def make(word=None, tag="X", **kwargs):
    return trees.Node("cat" if tag == "NP" and word is not None else word, tag=tag, **kwargs)

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[index[node.word]]
    return encode(node.left) + tf.tanh(encode(node.right))

  def mutate(rng, root):
    while not root.is_leaf:
      root = root.right
    root.word = "mat" if root.word == "cat" else 0

  return Case(encode, trees.binary(w.rng, make), mutate=mutate)


@program("objects made in the recursion", gradients=False)
def builds_a_new_tree(w):
  """Shows a recursion that returns new node objects: a mirrored copy."""

  @w.recursive
  def copy_of(node):
    if node.is_leaf:
      return trees.Node(node.word, tag=node.tag)
    return trees.Node(left=copy_of(node.right), right=copy_of(node.left), tag=node.tag)

  return Case(copy_of, trees.binary(w.rng), map=False)
