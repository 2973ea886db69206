"""Trees of dicts, lists, tuples and strings, and classes that act like them."""

import collections

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


@program("dict trees", "in", "string keys")
def json_trees(w):
  """Shows trees as read from JSON: `t["left"]`, `"word" in t`."""
  table, mix = w.embedding(), w.dense(2 * D)

  @w.recursive
  def encode(t):
    if "word" in t:
      return table[t["word"]][tf.newaxis]
    return mix(tf.concat([encode(t["left"]), encode(t["right"])], 1))

  return Case(encode, trees.dicts(w.rng))


@program("dict trees", "get")
def json_get(w):
  """Shows `t.get("left")`, with None and with a default where there is none."""
  table = w.embedding()

  @w.recursive
  def encode(t, sign=1.0):
    left = t.get("left")
    if left is None:
      return sign * table[t.get("word", 0)]
    return encode(left, sign) + encode(t.get("right"), -sign)

  return Case(encode, trees.dicts(w.rng))


@program("list trees", "strings", "len")
def list_trees(w):
  """Shows parses as nested lists, `["NP", ["W", "the"], ["W", "cat"]]`; s-expression readers."""
  index = {word: i for i, word in enumerate(trees.WORDS)}
  table = w.embedding()

  @w.recursive
  def encode(parse):
    tag, *rest = parse
    if len(rest) == 1:
      return table[index[rest[0]]]
    both = encode(rest[0]) + encode(rest[1])
    return tf.tanh(both) if tag == "NP" else both

  return Case(encode, trees.lists(w.rng))


@program("tuple trees", "unpacking", "isinstance")
def tuple_trees(w):
  """Shows nested pairs unpacked: `left, right = tree`."""
  table = w.embedding()

  @w.recursive
  def encode(tree):
    if not isinstance(tree, tuple):
      return table[tree]
    left, right = tree
    return tf.tanh(encode(left) + 2 * encode(right))

  return Case(encode, [(tree,) for tree in trees.tuples(w.rng)])


Branch = collections.namedtuple("Branch", "left right tag")


@program("namedtuple nodes", "isinstance")
def namedtuple_nodes(w):
  """Shows namedtuples with integers as leaves, read by name and by place."""
  table = w.embedding()

  @w.recursive
  def encode(tree):
    if isinstance(tree, Branch):
      h = encode(tree.left) - encode(tree[1])
      return tf.abs(h) if tree.tag == "VP" else h
    return table[tree]

  def build(size):
    shape = trees.binary_shape(w.rng, size)
    return trees.fold(shape, int, lambda a, b: Branch(a, b, trees.tag(w.rng)))

  return Case(encode, [(build(size),) for size in trees.SIZES])


class Forest:
  """A node that is a sequence of its children: `len`, items and iteration."""

  def __init__(self, word, children=(), tag="X"):
    self.word, self.children = word, list(children)

  def __len__(self):
    return len(self.children)

  def __getitem__(self, index):
    return self.children[index]

  def __iter__(self):
    return iter(self.children)


@program("__len__", "__getitem__", "__iter__")
def sequence_protocol(w):
  """Shows nodes with their own `__len__`, `__getitem__` and `__iter__`."""
  table = w.embedding()

  @w.recursive
  def encode(node):
    if len(node) == 0:
      return table[node.word]
    rest = [encode(child) for child in node]
    return tf.add_n(rest) + encode(node[0])

  return Case(encode, trees.nary(w.rng, Forest, sizes=(1, 3, 6)))


class Trie:
  """A node of a prefix tree: children by letter."""

  def __init__(self):
    self.next, self.count = {}, 0


@program("dict attribute", "items()", "sorted insertion order", gradients=False)
def trie(w):
  """Shows a loop over `node.next.items()`: words counted in a prefix tree."""

  def make(words):
    root = Trie()
    for text in words:
      node = root
      for letter in text:
        node = node.next.setdefault(letter, Trie())
      node.count += 1
    return root

  @w.recursive
  def total(node, depth=0):
    found = node.count * (depth + 1)
    for letter, child in node.next.items():
      found += total(child, depth + (2 if letter == "a" else 1))
    return found

  def mutate(rng, root):
    root.next["a"] = make(["b"])

  inputs = [make(words) for words in ([], ["a"], ["cat", "car", "mat"], list(trees.WORDS))]
  return Case(total, inputs, mutate=mutate)


@program("strings", "startswith", "string result", gradients=False)
def bracketed(w):
  """Shows strings passed through: the last word of a phrase, and tests on its tag."""

  @w.recursive
  def head(tree):
    if isinstance(tree[1], str):
      return tree[1]
    return head(tree[1]) if tree[0].startswith("N") else head(tree[-1])

  return Case(head, trees.lists(w.rng), map=False)


@program("sorted", "key", gradients=False)
def sorts_results(w):
  """Shows `sorted` by a key over recursive results: the Strahler number of a tree."""

  @w.recursive
  def strahler(node):
    orders = sorted([strahler(child) for child in node.children], key=lambda order: -order)
    if not orders:
      return 1
    return orders[0] + 1 if len(orders) > 1 and orders[0] == orders[1] else orders[0]

  return Case(strahler, trees.nary(w.rng))
