"""Finds who calls a SubGraph: a body, whose run the call joins, or nobody, so that a run starts."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import GraphScopeError
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
