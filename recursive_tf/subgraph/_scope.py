"""Finds who calls a SubGraph: a body, whose run the call joins, or nobody, so that a run starts."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import GraphScopeError, SignatureError
from recursive_tf.subgraph._body import BodyGraph
from recursive_tf.subgraph._signature import user_location


def current_graph() -> tfi.Graph | None:
  """Returns the graph being built, None when executing eagerly."""
  return None if tf.executing_eagerly() else tf.compat.v1.get_default_graph()


def enclosing_graphs(graph: tfi.Graph | None) -> list[tfi.Graph]:
  """Returns `graph` and the graphs around it, innermost first; eager execution is no graph."""
  graphs = []
  while graph is not None:
    graphs.append(graph)
    graph = graph.outer_graph if isinstance(graph, tfi.FuncGraph) else None
  is_global = graphs and not isinstance(graphs[-1], tfi.FuncGraph)
  if is_global and tf.compat.v1.executing_eagerly_outside_functions():
    graphs.pop()  # The graph that stands behind functions traced from eager code.
  return graphs


def check_not_compiled(what: str, location: str) -> None:
  """Checks that the graph being built is none that XLA compiles.

  Args:
    what: what is called.
    location: where.

  Raises:
    GraphScopeError: If it is.
  """
  if not tf.executing_eagerly() and tfi.is_compiled_by_xla():
    raise GraphScopeError(
      f"{what} is called at {location} in a function that XLA compiles (jit_compile=True), which"
      " cannot run recursion. Leave jit_compile out of the tf.function, and give"
      " model.compile(..., jit_compile=False) in Keras, which else chooses XLA by itself where"
      " there is a GPU."
    )


def check_usable(what: str, location: str, values: Any) -> None:
  """Checks that the graph being built can use tensors and variables.

  Args:
    what: what is called.
    location: where.
    values: a nest of what it is given, or uses from outside.

  Raises:
    GraphScopeError: If the graph is a `tf.Graph`, which nothing made eagerly can enter.
  """
  if tf.executing_eagerly() or isinstance(current_graph(), tfi.FuncGraph):
    return
  for value in tf.nest.flatten(values, expand_composites=True):
    tensor = value.handle if isinstance(value, tf.Variable) else value
    if isinstance(tensor, tf.__internal__.EagerTensor):
      raise GraphScopeError(
        f"{what} is called at {location} in a tf.Graph, which cannot use a variable or tensor that"
        f" was made eagerly ({tensor.dtype.name}{tensor.shape}). Call it eagerly or in a"
        " tf.function, or make all that it uses in that graph."
      )


def check_by_position(what: str, location: str, kwargs: dict[str, Any]) -> None:
  """Checks that no argument is passed by name.

  Raises:
    SignatureError: If one is.
  """
  if kwargs:
    raise SignatureError(
      f"{what} call site ({location}): got {', '.join(kwargs)} by name, but its arguments have no"
      " names. Pass them by position."
    )


def find_caller(name: str, outer_graph: tfi.Graph | None) -> BodyGraph | None:
  """Returns the BodyGraph whose frames call the SubGraph now, None outside all bodies.

  A body can call what is defined beside it or around it.

  Args:
    name: the SubGraph, for messages.
    outer_graph: the graph it is defined in, None for eager.

  Raises:
    GraphScopeError: If the call is outside the graph in which the SubGraph is defined, or inside a
      SubGraph that is nested in the caller's body.
  """
  graphs = enclosing_graphs(current_graph())
  if outer_graph is not None and outer_graph not in graphs:
    raise GraphScopeError(
      f"SubGraph '{name}' is called at {user_location()}, outside the graph it was defined in"
      f" ('{getattr(outer_graph, 'name', 'graph')}'). A SubGraph lives as long as that graph:"
      " define it where it is called, or outside of any tf.function to use it everywhere."
    )
  if outer_graph is not None:
    graphs = graphs[: graphs.index(outer_graph)]
  bodies = [graph for graph in graphs if isinstance(graph, BodyGraph)]
  if not bodies:
    return None
  if len(bodies) > 1:
    raise GraphScopeError(
      f"SubGraph '{name}' is called at {user_location()} from the body of '{bodies[0].key}', which"
      f" is defined inside the body of '{bodies[-1].key}'. Define '{bodies[0].key}' beside"
      f" '{bodies[-1].key}', not in it, and pass what it needs as inputs."
    )
  return bodies[0]
