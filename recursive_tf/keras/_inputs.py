"""Trees as Keras takes them: tensors whose first dimension comes first.

Keras flattens what a model is given, takes the first tensor's length for the size of the batch, and
names inputs in a saved model. So a batch of trees is a pair of tensors, the roots first.
"""

from __future__ import annotations

from typing import Any

import keras
import tensorflow as tf

from recursive_tf._errors import SignatureError
from recursive_tf.datasets.batch import NODE_COLUMNS, TreeBatch, TreeSelection
from recursive_tf.datasets.nary import NARY_COLUMNS, NaryBatch, NarySelection

Trees = TreeBatch | TreeSelection | NaryBatch | NarySelection

_HOW = (
  "Give a TreeBatch, or the pair (root, nodes) that `rtf.keras.as_inputs(batch)` makes of one:"
  f" int32 [B] and int32 [N, {len(NODE_COLUMNS)}]."
)


def tree_inputs() -> tuple[Any, Any]:
  """Returns the inputs of a functional model over trees: `keras.Input`s "root" and "nodes".

  ```python
  inputs = rtf.keras.tree_inputs()
  model = keras.Model(inputs, keras.layers.Dense(5)(rtf.keras.Recursive(encode)(inputs)))
  ```
  """
  return (
    keras.Input(shape=(), dtype="int32", name="root"),
    keras.Input(shape=(len(NODE_COLUMNS),), dtype="int32", name="nodes"),
  )


def nary_inputs() -> tuple[Any, Any, Any]:
  """Returns the inputs of a functional model over trees with any number of children.

  They are `keras.Input`s "root", "nodes" and "children": the fields of a `NaryBatch`.
  """
  return (
    keras.Input(shape=(), dtype="int32", name="root"),
    keras.Input(shape=(len(NARY_COLUMNS),), dtype="int32", name="nodes"),
    keras.Input(shape=(), dtype="int32", name="children"),
  )


def as_inputs(batch: Trees) -> tuple[tf.Tensor, ...]:
  """Returns trees as a Keras model takes them.

  Args:
    batch: B trees with N nodes in all.

  Returns:
    (root, nodes): int32 [B], the nodes that are roots; and int32 [N, 4], a row of
    `datasets.NODE_COLUMNS` for each node. Of a `NaryBatch` its fields: (root, nodes, children).
  """
  if isinstance(batch, (NaryBatch, NarySelection)):
    return batch.root, batch.nodes, batch.children
  return batch.root, batch.nodes


def as_batch(inputs: Any) -> TreeBatch:
  """Returns trees as a recursion reads them; the inverse of `as_inputs`.

  Args:
    inputs: the pair (root, nodes); or a TreeBatch, which is returned as it is.

  Raises:
    SignatureError: If it is something else.
  """
  if isinstance(inputs, TreeBatch):
    return inputs
  selection = as_selection(inputs)
  columns = dict(zip(NODE_COLUMNS, tf.unstack(selection.nodes, axis=1), strict=True))
  return TreeBatch(**columns, is_leaf=columns["left"] < 0, root=selection.root)


def as_selection(inputs: Any) -> TreeSelection:
  """Returns a pair (root, nodes), or a TreeBatch, as what the models of trees take."""
  if isinstance(inputs, (TreeBatch, TreeSelection)):
    return TreeSelection(inputs.nodes, inputs.root)
  if not isinstance(inputs, (tuple, list)) or len(inputs) != 2:
    raise SignatureError(f"Trees were expected, got {_described(inputs)}. {_HOW}")
  root, nodes = (tf.convert_to_tensor(part) for part in inputs)
  is_pair = root.shape.rank == 1 and nodes.shape.rank == 2 and nodes.shape[1] == len(NODE_COLUMNS)
  if not is_pair or not (root.dtype.is_integer and nodes.dtype.is_integer):
    raise SignatureError(
      f"Trees were expected, got tensors {root.dtype.name} {root.shape} and"
      f" {nodes.dtype.name} {nodes.shape}. {_HOW}"
    )
  return TreeSelection(tf.cast(nodes, tf.int32), tf.cast(root, tf.int32))


def as_nary_selection(inputs: Any) -> NarySelection:
  """Returns (root, nodes, children), or a NaryBatch, as what the models of such trees take."""
  if isinstance(inputs, (NaryBatch, NarySelection)):
    return NarySelection(inputs.root, inputs.nodes, inputs.children)
  if not isinstance(inputs, (tuple, list)) or len(inputs) != 3:
    raise SignatureError(
      f"Trees with any number of children were expected, got {_described(inputs)}. Give a"
      " NaryBatch, or the three tensors that `rtf.keras.as_inputs(batch)` makes of one."
    )
  return NarySelection(*(tf.cast(part, tf.int32) for part in inputs))


def root_labels(batch: TreeBatch | NaryBatch) -> tuple[tuple[tf.Tensor, ...], tf.Tensor]:
  """Returns (inputs, labels): trees with the classes of their roots, int32 [B], to learn.

  ```python
  dataset = datasets.make_dataset(packed, 25).map(rtf.keras.root_labels)
  ```
  """
  is_nary = isinstance(batch, NaryBatch)
  labels = batch.nodes[:, NARY_COLUMNS.index("label")] if is_nary else batch.label
  return as_inputs(batch), tf.gather(labels, batch.root)


def _described(value: Any) -> str:
  if isinstance(value, (tuple, list)):
    return f"a {type(value).__name__} of {len(value)}"
  return f"a {type(value).__name__}"
