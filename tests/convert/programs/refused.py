"""Programs that run as plain Python, each with the reason that is counted."""

import random

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


@program("try/except", expect=Reason.NO_BASE_CASE)
def try_around_recursion(w):
  """Shows an exception as control flow: what has no children is a leaf."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    try:
      return encode(node.left) + encode(node.right)
    except AttributeError:
      return table[node.word]

  return Case(encode, trees.binary(w.rng))


@program("a generator as the entry", expect=Reason.SYNTAX, gradients=False)
def generator_of_leaves_itself(w):
  """Shows a decorated generator: its calls are suspended, whoever goes over them."""

  @w.recursive
  def leaves(node):
    if node.is_leaf:
      yield node.word
    else:
      yield from leaves(node.left)
      yield from leaves(node.right)

  return Case(leaves, trees.binary(w.rng))


@program("str()", expect=Reason.NEEDS_VALUE)
def text_of_a_tensor(w):
  """Shows a tensor's value used by Python: `str(h)`."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word]
    h = encode(node.left) - encode(node.right)
    return h / (1.0 + len(str(h)))

  return Case(encode, trees.binary(w.rng))


@program("random", expect=Reason.OPAQUE_CALL)
def dropout_by_random(w):
  """Shows `random.random()`: words dropped by Python's generator, whose state moves on."""
  table = w.embedding()
  generator = random.Random(int(w.rng.integers(1000)))

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word] if generator.random() < 0.5 else -table[node.word]
    return encode(node.left) + tf.tanh(encode(node.right))

  return Case(encode, trees.binary(w.rng), state=[lambda: list(generator.getstate()[1])])


@program("variable.assign_add", expect=Reason.STATEFUL_OP)
def assign_inside(w):
  """Shows a variable that counts words, assigned inside the recursion."""
  table = w.embedding()
  seen = tf.Variable(0.0)

  @w.recursive
  def encode(node):
    if node.is_leaf:
      seen.assign_add(1.0)
      return table[node.word] / seen
    return encode(node.left) * encode(node.right)

  return Case(encode, trees.binary(w.rng), state=[seen])


@program("files", expect=Reason.OPAQUE_CALL, gradients=False)
def reads_files(w):
  """Shows a node's text read from a file."""
  path = __file__

  @w.recursive
  def size(node):
    if node.is_leaf:
      return open(path).read().count("yield") + node.word
    return size(node.left) + size(node.right)

  return Case(size, trees.binary(w.rng))


@program("eval", expect=Reason.OPAQUE_CALL, gradients=False)
def evaluates_text(w):
  """Shows `eval` of a node's text."""

  @w.recursive
  def value(node):
    if node.is_leaf:
      return eval("word * 2 + 1", {"word": node.word})
    return value(node.left) - value(node.right)

  return Case(value, trees.binary(w.rng))


@program("exec", expect=Reason.SOURCE_MISSING, gradients=False)
def made_by_exec(w):
  """Shows a function made by `exec`: there is no source to read."""
  text = "def size(node):\n  return 1 if node.is_leaf else size(node.left) + size(node.right)\n"
  scope = {}
  exec(text, scope)
  return Case(scope["size"], trees.binary(w.rng))


@program("setattr", "computed name", expect=Reason.UNSUPPORTED_WRITE)
def computed_attribute_name(w):
  """Shows `setattr` with a name that is made of the node's tag."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    h = table[node.word] if node.is_leaf else encode(node.left) + encode(node.right)
    setattr(node, "state_" + node.tag.lower(), h)
    return h

  return Case(encode, trees.binary(w.rng))


@program("mixed attribute", "array or list", expect=Reason.MIXED_ATTRIBUTE)
def array_or_list_attribute(w):
  """Shows a vector that is a NumPy array in some leaves and a list in others."""
  mix = w.weight(D)

  def make(word=None, tag="X", **kwargs):
    node = trees.Node(word, tag=tag, **kwargs)
    numbers = [0.5 * len(tag), 1.0, -0.25]
    node.vector = numbers if tag == "NP" else np.float32(numbers)
    return node

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return mix * tf.convert_to_tensor(node.vector)
    return encode(node.left) + tf.tanh(encode(node.right))

  def mutate(rng, root):
    root.vector = [1.0, 2.0, 3.0]

  return Case(encode, trees.binary(w.rng, make), mutate=mutate)
