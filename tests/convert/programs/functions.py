"""Ways to define, call and pass functions, and what they return."""

import collections
import dataclasses
import functools

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, call, program


@program("defaults", "keyword arguments", "keyword-only")
def keywords_and_defaults(w):
  """Shows defaults, keywords in another order, and a keyword-only argument."""
  table = w.embedding()

  @w.recursive
  def encode(node, scale=0.5, *, shift=0.0, sign=1):
    if node.is_leaf:
      return table[node.word] * scale * sign + shift
    left = encode(node.left, sign=-sign, scale=scale * 0.5)
    return left + encode(node.right, shift=shift + 0.25)

  roots = trees.binary(w.rng)
  calls = [call(root) for root in roots[:3]] + [call(root, shift=2.0) for root in roots[3:]]
  return Case(encode, calls, map=False)


@program("mutual recursion")
def mutual_recursion(w):
  """Shows two functions that call each other level by level; and/or trees."""
  table = w.embedding()

  def both(node):
    return table[node.word] if node.is_leaf else either(node.left) * either(node.right)

  @w.recursive
  def either(node):
    if node.is_leaf:
      return tf.sigmoid(table[node.word])
    a, b = both(node.left), both(node.right)
    return a + b - a * b

  return Case(either, trees.binary(w.rng))


@program("mutual recursion", "int", "bool", gradients=False)
def even_and_odd(w):
  """Shows is_even/is_odd of a number of nodes on a chain, the textbook's mutual recursion."""

  class Link:
    def __init__(self, word, rest):
      self.word, self.rest = word, rest

  def is_odd(link):
    return False if link is None else is_even(link.rest)

  @w.recursive
  def is_even(link):
    return True if link is None else is_odd(link.rest)

  def mutate(rng, root):
    root.rest = None

  return Case(is_even, trees.chains(w.rng, Link), mutate=mutate)


@program("lambda", "helper")
def lambda_helpers(w):
  """Shows lambdas as helpers and as a table of functions by tag."""
  table, mix = w.embedding(), w.dense(D)
  squash = lambda x: tf.tanh(mix(x[tf.newaxis]))[0]  # noqa: E731
  combine = {"NP": lambda a, b: a + b, "VP": lambda a, b: a * b, "PP": lambda a, b: a - b}

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word]
    return squash(combine[node.tag](encode(node.left), encode(node.right)))

  return Case(encode, trees.binary(w.rng))


@program("lambda", "recursive lambda", gradients=False)
def recursive_lambda(w):
  """Shows a recursive function that is itself a lambda."""
  depth = w.recursive(lambda n: 0 if n.is_leaf else 1 + max(depth(n.left), depth(n.right)))
  return Case(depth, trees.binary(w.rng), mutate=trees.deepen)


@program("nested function", "closure over arguments")
def inner_recursion(w):
  """Shows an outer function that defines the recursive one inside, closing over its arguments."""
  table = w.embedding()

  @w.recursive
  def encode(root, scale):
    def go(node, depth):
      if node.is_leaf:
        return table[node.word] * (scale / (1 + depth))
      return go(node.left, depth + 1) + tf.tanh(go(node.right, depth + 1))

    return go(root, 0)

  return Case(encode, [(root, 2.0) for root in trees.binary(w.rng)])


@program("higher order", "function argument")
def function_arguments(w):
  """Shows a fold that is passed its functions: catamorphisms."""
  table = w.embedding()

  def cata(node, leaf, inner):
    if node.is_leaf:
      return leaf(node.word)
    return inner(cata(node.left, leaf, inner), cata(node.right, leaf, inner))

  @w.recursive
  def encode(root):
    return cata(root, lambda word: table[word], lambda a, b: tf.tanh(a) - b)

  return Case(encode, trees.binary(w.rng))


@program("functools.partial", "map")
def partial_and_map(w):
  """Shows `functools.partial` and the builtin `map` over children."""
  table = w.embedding()

  @w.recursive
  def encode(scale, node):
    rest = list(map(functools.partial(encode, scale * 0.5), node.children))
    return tf.add_n([table[node.word] * scale, *rest])

  return Case(encode, [(1.0, root) for root in trees.nary(w.rng)], map=False)


@program("star arguments")
def star_arguments(w):
  """Shows `*args` and `**kwargs` in helpers and calls."""
  table = w.embedding()

  def compose(*states, gain=1.0, **options):
    total = states[0]
    for state in states[1:]:
      total = total * 0.5 + state
    return tf.tanh(total * gain) if options.get("squash") else total

  @w.recursive
  def encode(node):
    options = {"gain": 2.0, "squash": True}
    children = [node.left, node.right]
    if node.is_leaf:
      return table[node.word]
    return compose(*[encode(child) for child in children], **options)

  return Case(encode, trees.binary(w.rng))


@program("static method", "class method", "super")
def inherited_methods(w):
  """Shows `@staticmethod`, `@classmethod`, `super()` and an overridden method."""

  class Encoder:
    gain = 0.5

    def __init__(self):
      self.table = w.embedding()

    @staticmethod
    def squash(x):
      return tf.tanh(x)

    @classmethod
    def scaled(cls, x):
      return cls.gain * x

    def leaf(self, node):
      return self.table[node.word]

    @w.recursive
    def encode(self, node):
      if node.is_leaf:
        return self.leaf(node)
      return self.squash(self.encode(node.left) + self.scaled(self.encode(node.right)))

  class Loud(Encoder):
    gain = 2.0

    def leaf(self, node):
      return -super().leaf(node)

  return Case(Loud().encode, trees.binary(w.rng))


@program("recursion through a method", "plain method decorated outside")
def wrapped_bound_method(w):
  """Shows an undecorated class whose bound method is wrapped where it is used."""

  class Model:
    def __init__(self):
      self.table = w.embedding()

    def encode(self, node):
      if node.is_leaf:
        return self.table[node.word]
      return tf.nn.softmax(self.encode(node.left)) * self.encode(node.right)

  return Case(Model().encode, trees.binary(w.rng))


@dataclasses.dataclass
class State:
  """A Tree-LSTM's state."""

  h: tf.Tensor
  c: tf.Tensor
  size: int = 1


@program("dataclass result")
def dataclass_result(w):
  """Shows a dataclass as state, made by keywords and read by name."""
  table, mix = w.embedding(), w.dense(D)

  @w.recursive
  def encode(node):
    if node.is_leaf:
      x = table[node.word][tf.newaxis]
      return State(h=tf.tanh(x), c=x)
    a, b = encode(node.left), encode(node.right)
    c = a.c + tf.sigmoid(mix(a.h + b.h)) * b.c
    return State(tf.tanh(c), c, size=a.size + b.size)

  return Case(encode, trees.binary(w.rng))


@program("dict result")
def dict_result(w):
  """Shows a dict as result: `{"h": ..., "loss": ...}`."""
  table, mix = w.embedding(), w.weight(D)

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return {"h": table[node.word], "loss": tf.zeros([]), "leaves": 1}
    a, b = encode(node.left), encode(node.right)
    h = tf.tanh(a["h"] * mix + b["h"])
    loss = a["loss"] + b["loss"] + tf.nn.l2_loss(h)
    return {"h": h, "loss": loss, "leaves": a["leaves"] + b["leaves"]}

  return Case(encode, trees.binary(w.rng))


Gates = collections.namedtuple("Gates", ["h", "c"])


@program("namedtuple result")
def namedtuple_result(w):
  """Shows a namedtuple as state, `_replace` included."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return Gates(h=table[node.word], c=tf.ones([D]))
    a, b = encode(node.left), encode(node.right)
    state = Gates(tf.tanh(a.h + b.h), a.c * b.h)
    return state._replace(c=state.c + state.h)

  return Case(encode, trees.binary(w.rng))


class Summary:
  """What is known of a subtree; a plain class."""

  def __init__(self, h, words, deepest=0):
    self.h, self.words, self.deepest = h, words, deepest

  def merged(self, other, h):
    """Returns the summary of a node from its children's."""
    return Summary(h, self.words + other.words, 1 + max(self.deepest, other.deepest))


@program("plain class as result", "objects made in the recursion", "methods of results")
def plain_class_result(w):
  """Shows a plain class as state, made by its `__init__`, with a method that makes another."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return Summary(table[node.word], words=1)
    a, b = encode(node.left), encode(node.right)
    return a.merged(b, tf.tanh(a.h + 2.0 * b.h))

  def loss(result, root):
    return tf.reduce_sum(result.h * [1.0, 2.0, 3.0])

  return Case(encode, trees.binary(w.rng), map=False, loss=loss)


@program("list result", "fixed length")
def list_result(w):
  """Shows a list of fixed length as result, nested in a tuple."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return [table[node.word], table[node.word] ** 2], 0
    (a, b), i = encode(node.left)
    (c, d), j = encode(node.right)
    return [a + c, b * d], 1 + max(i, j)

  return Case(encode, trees.binary(w.rng), map=False)


@program("list result", "concatenation", "length varies", gradients=False)
def leaves_as_list(w):
  """Shows lists that grow: `leaves(left) + leaves(right)`, the fringe of a tree."""

  @w.recursive
  def leaves(node):
    if node.is_leaf:
      return [node.word]
    return leaves(node.left) + leaves(node.right)

  return Case(leaves, trees.binary(w.rng), map=False)


@program("list result", "tensors", "extend")
def hidden_states_as_list(w):
  """Shows a list of all hidden states, extended child by child; syntax_tree_network's style."""
  table = w.embedding()

  @w.recursive
  def states(node):
    found = [tf.tanh(table[node.word])]
    for child in node.children:
      found.extend(states(child))
    return found

  return Case(states, trees.nary(w.rng), map=False)


@program("tf.function helper", "keras activation")
def tf_function_helper(w):
  """Shows a cell that is a tf.function already, inside plain recursion."""
  table, mix = w.embedding(), w.weight(2 * D, D)

  @tf.function
  def cell(a, b):
    return tf.keras.activations.gelu(tf.linalg.matvec(mix, tf.concat([a, b], 0), transpose_a=True))

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word]
    return cell(encode(node.left), encode(node.right))

  return Case(encode, trees.binary(w.rng))


@program("global functions", "helper with early returns", "recursion in a helper")
def helper_of_module(w):
  """Shows module-level helpers, one of them recursive over another structure than the caller."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return table[node.word]
    sign = 1.0 if leaf_count(node) > 2 else -1.0
    return sign * encode(node.left) + describe(node.tag) * encode(node.right)

  return Case(encode, trees.binary(w.rng))


def leaf_count(node):
  """Counts leaves."""
  return 1 if node.is_leaf else leaf_count(node.left) + leaf_count(node.right)


def describe(tag):
  """Returns a number for a tag."""
  if tag == "NP":
    return 2.0
  if tag == "VP":
    return 3.0
  return 0.5


@program("two trees", "parallel recursion")
def tree_kernel(w):
  """Shows recursion over two trees at once: a tree kernel, Collins and Duffy."""
  decay = w.weight()

  @w.recursive
  def kernel(a, b):
    if a.is_leaf or b.is_leaf:
      return decay * (1.0 if a.word == b.word else 0.0)
    if a.tag != b.tag:
      return 0.5 * decay
    return decay * (1.0 + kernel(a.left, b.left)) * (1.0 + kernel(a.right, b.right))

  first, second = trees.binary(w.rng), trees.binary(w.rng)
  return Case(kernel, list(zip(first, second, strict=True)), map=True)


@program("tensor argument", "map over two lists")
def tensor_beside_tree(w):
  """Shows a query tensor per tree, mapped together with the trees."""
  table = w.embedding()

  @w.recursive
  def score(node, query):
    if node.is_leaf:
      return tf.tensordot(table[node.word], query, 1)
    return tf.maximum(score(node.left, query), score(node.right, query * 0.5))

  return Case(score, [(tree, w.tensor(D)) for tree in trees.binary(w.rng)], map=True)


@program("yield", "generator", gradients=False)
def generator_of_leaves(w):
  """Shows `yield from`: the leaves as a generator."""

  def leaves(node):
    if node.is_leaf:
      yield node.word
    else:
      yield from leaves(node.left)
      yield from leaves(node.right)

  @w.recursive
  def total(node):
    return sum(leaves(node))

  return Case(total, trees.binary(w.rng))
