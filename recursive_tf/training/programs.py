"""Trained models as functions that are saved: from tables of nodes to probabilities.

Each checks what it is given, in the graph: rows that are no trees would get numbers that mean
nothing, or recurse for ever.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import tensorflow as tf

from recursive_tf._errors import ConfigError
from recursive_tf.datasets import (
  NARY_COLUMNS,
  NODE_COLUMNS,
  UD_RELATIONS,
  PairBatch,
  RelationBatch,
  TreeBatch,
)
from recursive_tf.models import (
  RelatednessTreeLSTM,
  RelationTreeLSTM,
  Trainable,
  TreeClassifier,
)

ROOT = tf.TensorSpec([None], tf.int32, "root")
NODES = tf.TensorSpec([None, len(NODE_COLUMNS)], tf.int32, "nodes")
NARY_NODES = tf.TensorSpec([None, len(NARY_COLUMNS)], tf.int32, "nodes")
CHILDREN = tf.TensorSpec([None], tf.int32, "children")
IS_LEFT = tf.TensorSpec([None], tf.int32, "is_left")
_NARY_INPUTS = {
  "root": "int32 [B]",
  "nodes": f"int32 [N, 4]: {', '.join(NARY_COLUMNS)}",
  "children": "int32 [N - B]",
}


class TreeProgram(tf.Module):
  """Classes of phrases, of binary trees.

  Both functions take `root`, int32 [B], the rows of `nodes` that are roots; and `nodes`, int32
  [N, 4], a row of NODE_COLUMNS for each node, children before their parent. `word` is an id at
  leaves; `left` and `right` are rows, or -1 at leaves; `label` is not used.
  """

  inputs = {"root": "int32 [B]", "nodes": "int32 [N, 4]: word, left, right, label"}

  def __init__(self, net: TreeClassifier):
    super().__init__()
    self.net = net

  @tf.function(input_signature=[ROOT, NODES], autograph=False)
  def classify(self, root: tf.Tensor, nodes: tf.Tensor) -> dict[str, tf.Tensor]:
    """Returns "probabilities" of the K classes at all nodes, float [N, K], and those of roots."""
    probabilities = tf.nn.softmax(self.net.node_logits(self._batch(root, nodes)))
    roots = tf.gather(probabilities, root)
    return {"probabilities": probabilities, "root_probabilities": roots}

  @tf.function(input_signature=[ROOT, NODES], autograph=False)
  def classify_roots(self, root: tf.Tensor, nodes: tf.Tensor) -> dict[str, tf.Tensor]:
    """Returns "root_probabilities" alone, float [B, K], which takes a fraction of the time."""
    return {"root_probabilities": tf.nn.softmax(self.net.logits(self._batch(root, nodes)))}

  def signatures(self) -> dict[str, Any]:
    """Returns the functions by name."""
    return {"serving_default": self.classify, "roots": self.classify_roots}

  def outputs(self, num_classes: int) -> dict[str, dict[str, str]]:
    """Returns what each function gives."""
    nodes, roots = (f"float32 [{count}, {num_classes}]" for count in "NB")
    return {
      "serving_default": {"probabilities": nodes, "root_probabilities": roots},
      "roots": {"root_probabilities": roots},
    }

  def _batch(self, root: tf.Tensor, nodes: tf.Tensor) -> TreeBatch:
    columns = dict(zip(NODE_COLUMNS, tf.unstack(nodes, axis=1), strict=True))
    with tf.control_dependencies(_checks(root, columns, self.net.embedding.shape[0])):
      columns = {name: tf.identity(column) for name, column in columns.items()}
    return TreeBatch(**columns, is_leaf=columns["left"] < 0, root=root)


class PairProgram(tf.Module):
  """The relatedness of sentences, of dependency trees.

  `root`, int32 [2 B], are the rows of `nodes` that are roots, both sentences of a pair in turn;
  `nodes`, int32 [N, 4], has a row of NARY_COLUMNS for each word, children before their parent;
  `children`, int32 [N - 2 B], the rows of all children, those of a word side by side.
  """

  inputs = {**_NARY_INPUTS, "root": "int32 [2 B]", "children": "int32 [N - 2 B]"}

  def __init__(self, net: RelatednessTreeLSTM):
    super().__init__()
    self.net = net

  @tf.function(input_signature=[ROOT, NARY_NODES, CHILDREN], autograph=False)
  def compare(self, root: tf.Tensor, nodes: tf.Tensor, children: tf.Tensor) -> dict[str, tf.Tensor]:
    """Returns "relatedness", 1 .. 5, float [B], and "probabilities" of the scores, [B, 5]."""
    is_even = _asserts({"root has both sentences of each pair": tf.size(root) % 2 == 0})
    with tf.control_dependencies(is_even):
      root = tf.identity(root)
    nodes = _checked_nary(root, nodes, children, self.net.embedding.shape[0])
    batch = PairBatch(root, nodes, children, tf.zeros([tf.size(root) // 2]))
    probabilities = tf.nn.softmax(self.net.logits(batch))
    scores = tf.range(1.0, tf.cast(tf.shape(probabilities)[1], tf.float32) + 1.0)
    relatedness = tf.linalg.matvec(probabilities, scores)
    return {"relatedness": relatedness, "probabilities": probabilities}

  def signatures(self) -> dict[str, Any]:
    """Returns the functions by name."""
    return {"serving_default": self.compare}

  def outputs(self, num_classes: int) -> dict[str, dict[str, str]]:
    """Returns what each function gives."""
    probabilities = f"float32 [B, {num_classes}]"
    return {"serving_default": {"relatedness": "float32 [B]", "probabilities": probabilities}}


class RelationProgram(tf.Module):
  """The relations of words to their heads, of dependency trees.

  `root`, int32 [B], `nodes`, int32 [N, 4], and `children`, int32 [N - B], are as in `PairProgram`;
  `is_left`, int32 [N], is 1 for words that stand left of their head, else 0.
  """

  inputs = {**_NARY_INPUTS, "is_left": "int32 [N]"}

  def __init__(self, net: RelationTreeLSTM):
    super().__init__()
    self.net = net

  @tf.function(input_signature=[ROOT, NARY_NODES, CHILDREN, IS_LEFT], autograph=False)
  def label(
    self, root: tf.Tensor, nodes: tf.Tensor, children: tf.Tensor, is_left: tf.Tensor
  ) -> dict[str, tf.Tensor]:
    """Returns "probabilities" of the relations of all words, float [N, K]; zeros at roots."""
    sides = {
      "is_left has a value for each node": tf.equal(tf.size(is_left), tf.shape(nodes)[0]),
      "is_left is 0 or 1": tf.equal(is_left * is_left, is_left),
    }
    with tf.control_dependencies(_asserts(sides)):
      is_left = tf.identity(is_left)
    nodes = _checked_nary(root, nodes, children, self.net.embedding.shape[0])
    probabilities = tf.nn.softmax(self.net.logits(RelationBatch(root, nodes, children, is_left)))
    nothing = tf.zeros([tf.size(root), len(UD_RELATIONS)], probabilities.dtype)
    found = tf.tensor_scatter_nd_update(probabilities, root[:, tf.newaxis], nothing)
    return {"probabilities": found}

  def signatures(self) -> dict[str, Any]:
    """Returns the functions by name."""
    return {"serving_default": self.label}

  def outputs(self, num_classes: int) -> dict[str, dict[str, str]]:
    """Returns what each function gives."""
    return {"serving_default": {"probabilities": f"float32 [N, {num_classes}]"}}


Program: TypeAlias = TreeProgram | PairProgram | RelationProgram


def program_of(model: Trainable, name: str) -> Program:
  """Returns what is saved of a model.

  Raises:
    ConfigError: If the model, called `name`, has no classes.
  """
  if isinstance(model, TreeClassifier):
    return TreeProgram(model)
  if isinstance(model, RelatednessTreeLSTM):
    return PairProgram(model)
  if isinstance(model, RelationTreeLSTM):
    return RelationProgram(model)
  raise ConfigError(
    f"{name} has no classes: it makes trees, which is not exported. Use a run of another "
    "model than top-down-treelstm; or, in Python, methods of `load_run(dir).model`."
  )


def _checks(root: tf.Tensor, columns: dict[str, tf.Tensor], num_words: int) -> list[Any]:
  """Returns assertions that the rows are binary trees."""
  word, left, right = (columns[name] for name in ("word", "left", "right"))
  row = tf.range(tf.shape(word)[0])
  is_leaf = left < 0
  children = tf.concat([tf.boolean_mask(c, ~is_leaf) for c in (left, right)], 0)
  below = tf.concat([children, root], 0)
  return _asserts(
    {
      f"the word of a leaf is in 0..{num_words - 1}": ~is_leaf | ((word >= 0) & (word < num_words)),
      "a node has both children or none": tf.equal(is_leaf, right < 0),
      "children come before their parent": is_leaf | ((left < row) & (right < row)),
      **_each_once(below, tf.size(row)),
    }
  )


def _checked_nary(
  root: tf.Tensor, nodes: tf.Tensor, children: tf.Tensor, num_words: int
) -> tf.Tensor:
  """Returns `nodes`, after assertions that the rows are trees of any number of children."""
  word, _, first, count = tf.unstack(nodes, axis=1)
  num_rows, num_edges = tf.size(word), tf.size(children)
  rows = {
    f"the word of a node is in 0..{num_words - 1}": (word >= 0) & (word < num_words),
    "num_children is 0 or more": count >= 0,
    "first_child is the number of children of the rows before": tf.equal(
      first, tf.cumsum(count, exclusive=True)
    ),
    "children has those of all rows": tf.equal(tf.reduce_sum(count), num_edges),
  }
  with tf.control_dependencies(_asserts(rows)):
    count = tf.identity(count)
  parents = tf.repeat(tf.range(num_rows), count)
  edges = {
    "children come before their parent": children < parents,
    **_each_once(tf.concat([children, root], 0), num_rows),
  }
  with tf.control_dependencies(_asserts(edges)):
    return tf.identity(nodes)


def _each_once(below: tf.Tensor, num_rows: tf.Tensor) -> dict[str, tf.Tensor]:
  """Returns what holds if `below`, all children and roots, are all rows, each once."""
  is_row = (below >= 0) & (below < num_rows)
  num_uses = tf.math.unsorted_segment_sum(
    tf.ones_like(below), tf.where(is_row, below, -1), num_rows
  )
  return {
    "a child or root is the number of a row": is_row,
    "each row is the child of one node, or a root, once": tf.equal(num_uses, 1),
  }


def _asserts(rules: dict[str, tf.Tensor]) -> list[Any]:
  return [
    tf.debugging.Assert(tf.reduce_all(holds), [f"nodes: expected that {what}."])
    for what, holds in rules.items()
  ]
