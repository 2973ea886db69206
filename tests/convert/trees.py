"""Random object trees as users have them, and how they change between two calls."""

import copy

import nltk

VOCABULARY = 6
WORDS = ("the", "cat", "sat", "on", "a", "mat")
TAGS = ("NP", "VP", "PP")
# Leaves per tree: the single leaf first, then several shapes of 3 to 11 nodes.
SIZES = (1, 2, 4, 6, 3)


class Node:
  """A binary node: a leaf has a word, an inner node two children; both have a tag."""

  def __init__(self, word=None, left=None, right=None, tag="X", label=0):
    self.word, self.left, self.right = word, left, right
    self.tag, self.label = tag, label

  @property
  def is_leaf(self):
    """Whether it has no children."""
    return self.left is None


class Nary:
  """A node with a word of its own and any number of children."""

  def __init__(self, word, children=(), tag="X"):
    self.word, self.children, self.tag = word, list(children), tag
    self.parent = None
    for child in self.children:
      child.parent = self

  @property
  def num_children(self):
    """How many children it has."""
    return len(self.children)


def word(rng):
  """Returns a word's index."""
  return int(rng.integers(VOCABULARY))


def tag(rng):
  """Returns a phrase's tag."""
  return TAGS[int(rng.integers(len(TAGS)))]


def binary_shape(rng, num_leaves):
  """Returns nested pairs with words at the leaves."""
  if num_leaves == 1:
    return word(rng)
  split = int(rng.integers(1, num_leaves))
  return binary_shape(rng, split), binary_shape(rng, num_leaves - split)


def nary_shape(rng, num_nodes):
  """Returns `(word, [shape of each child])`."""
  children, left = [], num_nodes - 1
  while left > 0:
    size = int(rng.integers(1, left + 1))
    children.append(nary_shape(rng, size))
    left -= size
  return word(rng), children


def fold(shape, leaf, inner):
  """Builds objects from a binary shape."""
  if isinstance(shape, int):
    return leaf(shape)
  return inner(*(fold(child, leaf, inner) for child in shape))


def binary(rng, make=Node, sizes=SIZES):
  """Returns random binary trees of class `make`, one of each size."""

  def leaf(index):
    return make(word=index, tag=tag(rng), label=int(rng.integers(3)))

  def inner(left, right):
    return make(left=left, right=right, tag=tag(rng), label=int(rng.integers(3)))

  return [fold(binary_shape(rng, size), leaf, inner) for size in sizes]


def nary(rng, make=Nary, sizes=(1, 3, 7, 10, 2)):
  """Returns random trees with lists of children."""

  def build(shape):
    return make(shape[0], [build(child) for child in shape[1]], tag(rng))

  return [build(nary_shape(rng, size)) for size in sizes]


def dicts(rng, sizes=SIZES):
  """Returns trees as read from JSON: `{"word": 3}` or `{"left": ..., "right": ...}`."""
  return [
    fold(binary_shape(rng, n), lambda i: {"word": i}, lambda a, b: {"left": a, "right": b})
    for n in sizes
  ]


def lists(rng, sizes=SIZES):
  """Returns nested lists: `["NP", ["DT", "the"], ["NN", "cat"]]`."""
  return [
    fold(binary_shape(rng, n), lambda i: ["W", WORDS[i]], lambda a, b: [tag(rng), a, b])
    for n in sizes
  ]


def tuples(rng, sizes=SIZES):
  """Returns nested pairs with integers at the leaves; a tree may be just an integer."""
  return [binary_shape(rng, n) for n in sizes]


def phrases(rng, sizes=SIZES):
  """Returns `nltk.Tree`s as the Penn Treebank's: preterminals over words, phrases above."""
  return [
    fold(
      binary_shape(rng, n),
      lambda i: nltk.Tree("W", [WORDS[i]]),
      lambda a, b: nltk.Tree(tag(rng), [a, b]),
    )
    for n in sizes
  ]


def chains(rng, make, lengths=(1, 2, 5, 8)):
  """Returns linked lists: `make(word, rest)` with None at the end."""
  found = []
  for length in lengths:
    chain = None
    for _ in range(length):
      chain = make(word(rng), chain)
    found.append(chain)
  return found


def _nodes(root, is_node, children):
  agenda, found, seen = [root], [], set()
  while agenda:
    node = agenda.pop()
    if not is_node(node) or id(node) in seen:
      continue
    seen.add(id(node))
    found.append(node)
    agenda.extend(children(node))
  return found


def mutate(rng, *roots):
  """Changes trees in place: another word at some leaf, and a leaf grafted somewhere.

  Args:
    rng: a NumPy generator; equal ones change equal trees equally.
    *roots: the trees; what cannot be changed (numbers, tuples, tensors) is left.
  Returns:
    How many changes were made.
  """
  return sum(_mutate(rng, root) for root in roots)


def deepen(rng, root):
  """Makes a binary tree deeper in place, on both sides; a leaf becomes an inner node."""
  if root.left is None:
    root.left, root.right = Node(word(rng)), Node(word(rng))
  else:
    root.left = Node(left=root.left, right=Node(word(rng)))
    root.right = Node(left=Node(word(rng)), right=Node(left=root.right, right=Node(word(rng))))


def _mutate(rng, root):
  if isinstance(root, nltk.Tree):
    return _mutate_phrase(rng, root)
  if isinstance(root, dict):
    return _mutate_dict(rng, root)
  if isinstance(root, list):
    return _mutate_list(rng, root)
  if hasattr(root, "children"):
    return _mutate_nary(rng, root)
  if hasattr(root, "left") and hasattr(root, "word"):
    return _mutate_binary(rng, root)
  return 0


def _pick(rng, items):
  return items[int(rng.integers(len(items)))]


def _mutate_binary(rng, root):
  nodes = _nodes(root, lambda n: hasattr(n, "left"), lambda n: (n.left, n.right))
  leaves = [n for n in nodes if n.left is None]
  leaf = _pick(rng, leaves)
  graft = copy.copy(leaf)
  leaf.word = (leaf.word + 1) % VOCABULARY
  inner = [n for n in nodes if n.left is not None]
  if inner:
    _pick(rng, inner).left = graft
  return 2 if inner else 1


def _mutate_nary(rng, root):
  nodes = _nodes(root, lambda n: hasattr(n, "children"), lambda n: n.children)
  node = _pick(rng, nodes)
  node.word = (node.word + 1) % VOCABULARY
  graft = copy.copy(_pick(rng, [n for n in nodes if not n.children]))
  graft.children = []
  host = _pick(rng, nodes)
  if hasattr(graft, "parent"):
    graft.parent = host
  host.children.append(graft)
  return 2


def _mutate_dict(rng, root):
  nodes = _nodes(root, lambda n: isinstance(n, dict), lambda n: n.values())
  leaf = _pick(rng, [n for n in nodes if "word" in n])
  leaf["word"] = (leaf["word"] + 1) % VOCABULARY
  inner = [n for n in nodes if "left" in n]
  if inner:
    _pick(rng, inner)["right"] = {"word": 0}
  return 1 + bool(inner)


def _mutate_list(rng, root):
  nodes = _nodes(root, lambda n: isinstance(n, list) and n and isinstance(n[0], str), list)
  leaves = [n for n in nodes if len(n) == 2 and isinstance(n[1], str)]
  if not leaves:
    return 0
  _pick(rng, leaves)[1] = "mat"
  inner = [n for n in nodes if len(n) == 3]
  if inner:
    _pick(rng, inner)[1] = ["W", "a"]
  return 1 + bool(inner)


def _mutate_phrase(rng, root):
  nodes = list(root.subtrees())
  _pick(rng, [n for n in nodes if isinstance(n[0], str)])[0] = "mat"
  inner = [n for n in nodes if len(n) == 2]
  if inner:
    _pick(rng, inner)[0] = nltk.Tree("W", ["a"])
  return 1 + bool(inner)
