"""What the tree-shaped networks share: trees, calls on them, and weights."""

import numpy as np
import tensorflow as tf

D = 3


class Tree:
  def __init__(self, word=None, children=(), label=0):
    self.word, self.children, self.label = word, list(children), label

  @property
  def is_leaf(self):
    return not self.children

  @property
  def left(self):
    return self.children[0]

  @property
  def right(self):
    return self.children[1]


def ternary():
  return Tree(
    None, [Tree(1, label=1), Tree(None, [Tree(2), Tree(3, label=1), Tree(0)], 1), Tree(4)], 2
  )


def binary():
  return Tree(None, [Tree(1), Tree(None, [Tree(2, label=1), Tree(3)], 2)], 1)


def calls():
  yield (binary(),)
  yield (Tree(2),)
  tree = binary()
  yield (tree,)
  tree.children[1] = Tree(4)
  yield (tree,)


def wide_calls():
  yield (ternary(),)
  yield (Tree(2),)
  tree = ternary()
  tree.children[0] = Tree(None, [Tree(3)], 1)
  yield (tree,)
  tree.children.pop()
  yield (tree,)


def v(*shape, seed=0):
  rng = np.random.default_rng(seed + sum(shape))
  return tf.Variable(rng.normal(size=shape).astype(np.float32) * 0.5)
