"""The recursion that all models share: one SubGraph whose frames are the nodes of the trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.datasets import NODE_COLUMNS, TreeBatch, TreeSelection
from recursive_tf.datasets.nary import NARY_COLUMNS, NaryBatch, NarySelection

Tensors = tuple[tf.Tensor, ...]
Trees = TreeBatch | TreeSelection
NaryTrees = NaryBatch | NarySelection


class Cell(Protocol):
  """What makes the states of nodes. A state is a tuple of tensors, `h` [1, D] first."""

  @property
  def state_spec(self) -> Any:
    """Types and shapes of a state."""

  def leaf(self, x: tf.Tensor) -> Any:
    """Returns the state of a leaf from its word's vector [1, D_word]."""

  def inner(self, left: Any, right: Any) -> Any:
    """Returns the state of an inner node from the states of its children."""


class Node:
  """One node in the body: reads its integers.

  Attributes:
    index: position in the batch's flat arrays, int32 [1].
  """

  def __init__(self, index: tf.Tensor, nodes: tf.Tensor):
    self.index = index
    # All columns in one gather: in a frame, the number of ops is what costs.
    values = tf.unstack(tf.gather(nodes, index), num=len(NODE_COLUMNS), axis=1)
    self._columns = dict(zip(NODE_COLUMNS, values, strict=True))

  def __getitem__(self, name: str) -> tf.Tensor:
    """Returns the node's entry in a column, one of NODE_COLUMNS, int32 [1]."""
    return self._columns[name]


class NaryCells(Protocol):
  """What makes the states of nodes with words and any number of children; as `Cell`."""

  @property
  def state_spec(self) -> Any:
    """Types and shapes of a state."""

  def gates(self, x: tf.Tensor) -> tf.Tensor:
    """Returns what a word's vector [1, D_word] adds to the gates."""

  def leaf(self, gates: tf.Tensor) -> Any:
    """Returns the state of a node without children."""

  def inner(self, gates: tf.Tensor, children: Any) -> Any:
    """Returns the state of a node from the states of its K children, [K, 1, D] each."""


# (node, its h [1, D]) -> (values to sum up the tree, a value of this node alone).
Head = Callable[[Node, tf.Tensor], tuple[Tensors, tf.Tensor]]


def run_over_trees(
  name: str,
  batch: Trees,
  cell: Cell,
  embedding: tf.Variable,
  head: Head,
  sum_specs: tuple[tf.TensorSpec, ...],
  own_spec: tf.TensorSpec,
) -> tuple[Tensors, tf.Tensor]:
  """Computes all nodes of B trees: each tree, and both children of a node, concurrently.

  Args:
    name: names the SubGraph.
    batch: the trees.
    cell: makes the states.
    embedding: the words' vectors, float [V, D_word].
    head: is called once for the node of a frame, with its state's h.
    sum_specs: of the values of `head` to sum up.
    own_spec: of its value of the node alone.

  Returns:
    (sums, own): the values of `head`, summed over each tree, [B, ...]; and those of the roots.
  """
  nodes = batch.nodes
  # The results are declared because the calls come before the head, which makes them.
  with rtf.SubGraph(name, outputs=(cell.state_spec, sum_specs, own_spec)) as f:
    node = Node(f.input(tf.int32, [1]), nodes)

    def leaf() -> Any:
      zeros = tuple(tf.zeros(spec.shape, spec.dtype) for spec in sum_specs)
      return cell.leaf(tf.gather(embedding, node["word"])), zeros

    def inner() -> Any:
      left, left_sums, _ = f(node["left"])
      right, right_sums, _ = f(node["right"])
      return cell.inner(left, right), _add(left_sums, right_sums)

    is_leaf = tf.reshape(node["left"] < 0, [])
    state, below = tf.cond(is_leaf, leaf, inner)
    summands, own = head(node, state[0])
    f.output((state, _add(below, summands), own))
  _, sums, own = f.map(batch.root[:, tf.newaxis])
  return sums, own


def _add(left: Tensors, right: Tensors) -> Tensors:
  return tuple(a + b for a, b in zip(left, right, strict=True))


# (word's vector [1, D_word], children, their h [K, D]) -> values to sum up the tree.
ChildrenHead = Callable[[tf.Tensor, tf.Tensor, tf.Tensor], Tensors]


def run_over_nary_trees(
  name: str,
  batch: NaryTrees,
  cell: NaryCells,
  embedding: tf.Variable,
  head: ChildrenHead,
  sum_specs: tuple[tf.TensorSpec, ...],
) -> tuple[tf.Tensor, Tensors]:
  """Computes the states of all nodes of B trees, the children of a node concurrently.

  Args:
    name: names the SubGraph.
    batch: the trees.
    cell: makes the states.
    embedding: the words' vectors, float [V, D_word]; nodes without a word have zeros.
    head: is called once for a node that has K > 0 children, these being indices of nodes, int32
      [K].
    sum_specs: of the values of `head`.

  Returns:
    (h, sums): the states of the roots, float [B, D]; and the values of `head`, summed over each
    tree, [B, ...].
  """
  width = embedding.shape[1]
  with rtf.SubGraph(name, outputs=(cell.state_spec, sum_specs)) as f:
    row = tf.gather(batch.nodes, f.input(tf.int32, [1]))
    columns = tf.unstack(row, num=len(NARY_COLUMNS), axis=1)
    node = dict(zip(NARY_COLUMNS, columns, strict=True))

    def word() -> tf.Tensor:
      return tf.gather(embedding, node["word"])

    def no_word() -> tf.Tensor:
      return tf.zeros([1, width], embedding.dtype)

    x = tf.cond(tf.reshape(node["word"] >= 0, []), word, no_word)
    gates = cell.gates(x)

    def leaf() -> Any:
      return cell.leaf(gates), tuple(tf.zeros(spec.shape, spec.dtype) for spec in sum_specs)

    def inner() -> Any:
      below = tf.slice(batch.children, node["first_child"], node["num_children"])
      states, sums = f.map(below[:, tf.newaxis])
      own = head(x, below, tf.squeeze(states[0], 1))
      return cell.inner(gates, states), tuple(
        tf.reduce_sum(below, 0) + value for below, value in zip(sums, own, strict=True)
      )

    f.output(tf.cond(tf.reshape(node["num_children"] == 0, []), leaf, inner))
  state, sums = f.map(batch.root[:, tf.newaxis])
  return tf.squeeze(state[0], 1), sums


def encode_nary_trees(
  name: str, batch: NaryTrees, cell: NaryCells, embedding: tf.Variable
) -> tf.Tensor:
  """Computes the states `h` of the roots, float [B, D]; arguments as `run_over_nary_trees`."""
  h, _ = run_over_nary_trees(name, batch, cell, embedding, lambda *_: (), ())
  return h
