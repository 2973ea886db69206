"""Random trees for random programs, and how they change between two calls."""

import numpy as np
import tensorflow as tf

D = 3
TAGS = ("NP", "VP", "PP")


class Node:
  """A node of a binary tree, or of one with lists of children."""

  def __init__(self, rng, children=None):
    self.label, self.tag = int(rng.integers(4)), TAGS[int(rng.integers(3))]
    self.flag, self.scale = bool(rng.integers(2)), float(np.round(rng.normal(), 2))
    self.extra = int(rng.integers(3)) if rng.integers(2) else None
    self.vector = rng.normal(size=D).astype(np.float32)

  @property
  def is_leaf(self):
    """Whether it has no children."""
    return not self.kids()

  def size(self):
    """Returns a number that depends on its kind."""
    return self.label + 2


class Binary(Node):
  """A node with two children or none."""

  def __init__(self, rng, children=()):
    super().__init__(rng)
    self.left, self.right = children or (None, None)
    self.word = None if children else int(rng.integers(6))

  def kids(self):
    """Returns the children."""
    return [] if self.left is None else [self.left, self.right]


class Leaf(Binary):
  """Another class of leaves."""

  def size(self):
    """Returns a number that depends on its kind."""
    return 1


class Nary(Node):
  """A node with a list of children."""

  def __init__(self, rng, children=()):
    super().__init__(rng)
    self.children, self.word = list(children), int(rng.integers(6))

  def kids(self):
    """Returns the children."""
    return self.children


def tree(rng, is_binary, size):
  """Returns a random tree with `size` leaves, or `size` nodes where not binary."""
  if not is_binary:
    children, left = [], size - 1
    while left > 0:
      part = int(rng.integers(1, left + 1))
      children.append(tree(rng, False, part))
      left -= part
    return Nary(rng, children)
  if size == 1:
    return Leaf(rng) if rng.integers(3) == 0 else Binary(rng)
  split = int(rng.integers(1, size))
  return Binary(rng, (tree(rng, True, split), tree(rng, True, size - split)))


def mutate(rng, root):
  """Changes a tree in place: values, a new subtree, a shared one."""
  nodes = [root]
  for node in nodes:
    nodes += node.kids()
  node = nodes[int(rng.integers(len(nodes)))]
  node.label, node.flag, node.scale = int(rng.integers(4)), not node.flag, node.scale + 0.5
  node.extra = int(rng.integers(3)) if node.extra is None else None
  inner = [node for node in nodes if node.kids()]
  if not inner:
    return
  host = inner[int(rng.integers(len(inner)))]
  choice = int(rng.integers(3))
  if isinstance(host, Nary):
    host.children.append(tree(rng, False, 2) if choice else host.children[0])
  elif choice:
    host.left = tree(rng, True, choice)
  else:
    host.right = host.left


def vector():
  """Returns the tensor argument of programs that take one."""
  return tf.constant([0.1, -0.4, 0.7])
