"""Gradients that are tensors though only rows of a variable are read.

`variable[i]` reads all of a variable in eager TensorFlow, and so its gradient is a tensor; a graph
that reads the row alone would give `tf.IndexedSlices`, with which a program cannot compute.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi

_GRADIENT = "RecursiveTf>DenseRows"


class DenseRows:
  """Reads rows of variables, whose gradients are tensors outside of one graph.

  Args:
    graph: the graph; inside it the rows alone have gradients.
  """

  def __init__(self, graph: tfi.Graph):
    self._graph = graph
    self._handles: dict[int, tf.Tensor] = {}

  def gather(self, variable: tf.Variable, index: tf.Tensor) -> tf.Tensor:
    """Returns a row, or several, in the current graph: this one, or one inside it."""
    tfi.variable_accessed(variable)
    handle = self._handles.get(id(variable))
    if handle is None:
      with self._graph.as_default(), tf.control_dependencies(None):
        handle = tf.raw_ops.Identity(input=variable.handle, name="whole")
      tfi.copy_handle_data(variable.handle, handle)
      tfi.set_attr(handle.op, "_gradient_op_type", tf.compat.v1.AttrValue(s=_GRADIENT.encode()))
      self._handles[id(variable)] = handle
    row = tf.raw_ops.ResourceGather(resource=handle, indices=index, dtype=variable.dtype)
    row.set_shape(index.shape.concatenate(variable.shape[1:]))
    return row


@tf.RegisterGradient(_GRADIENT)
def _dense_gradient(_: tfi.Operation | None, gradient: Any) -> Any:
  return None if gradient is None else tf.convert_to_tensor(gradient)
