"""Finds ops that call Python, which a SavedModel cannot hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import keras
import tensorflow as tf

from recursive_tf._errors import DefinitionError

_PYTHON_OPS = ("PyFunc", "PyFuncStateless", "EagerPyFunc")


def check_runs_without_python(name: str, function: Any, inputs: Any) -> None:
  """Raises if a program calls Python while it runs.

  Args:
    name: of what is saved.
    function: takes one nest of tensors.
    inputs: KerasTensors in that nest.

  Raises:
    DefinitionError: If it does.
  """
  specs = keras.tree.map_structure(lambda x: tf.TensorSpec(x.shape, x.dtype), inputs)
  graph = tf.function(function, autograph=False).get_concrete_function(specs).graph
  check_graph(name, graph)


def check_graph(name: str, graph: Any) -> None:
  """Raises if a graph calls Python; `name` is what is saved. See `check_runs_without_python`."""
  found = sorted({op for op in _ops(graph) if op in _PYTHON_OPS})
  if found:
    raise DefinitionError(
      f"'{name}' cannot be saved as a program: it calls Python while it runs (tf.py_function or"
      f" tf.numpy_function; op {', '.join(found)}), and where the program is loaded there is no"
      " such Python. Write that part with TensorFlow ops; `save_weights` works as it is."
    )


def _ops(graph: Any) -> Iterator[str]:
  """Yields the types of all ops of a graph and of the functions that it can call."""
  definition = graph.as_graph_def()
  for node in definition.node:
    yield node.op
  for function in definition.library.function:
    for node in function.node_def:
      yield node.op
