"""Finds the result signature of a SubGraph whose body calls it before its output is known.

A recursive body chooses between base case and recursion with a conditional, and both branches
return the same nest. So when the recursive branch is being traced, the base case tells the
signature: it has been traced already, or it can be traced now, in a graph that is thrown away. The
running `tf.cond` is found on the Python stack; TensorFlow offers no other way to it. What is found
is an assumption: `SubGraph.output` checks it, and a wrong one is an error there, never a wrong
graph.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from recursive_tf import _tf_internals as tfi
from recursive_tf.subgraph._signature import Signature

# Names in `tensorflow.python.autograph.operators.control_flow`, which turns a Python `if` into a
# tf.cond whose branches return all the variables they assign.
_AUTOGRAPH_IF = "_tf_if_stmt"
_AUTOGRAPH_RETURN_VALUE = "retval_"


class Unknown(Exception):  # noqa: N818 - control flow, never reaches the user
  """The signature cannot be found: the user has to declare it."""


def infer_results(body_graph: tfi.Graph) -> Signature:
  """Returns the result signature of the body that is being traced.

  Args:
    body_graph: its BodyGraph.

  Raises:
    Unknown: If no enclosing conditional has a base case that can be traced by itself.
  """
  conds = _running_conds(body_graph)
  for frame, symbols in conds:  # Outermost first: closest to the body's output.
    sibling = frame.f_locals.get("true_graph")
    if sibling is not None:
      nest = sibling.structured_outputs
    else:
      nest = _probe(frame, body_graph)
    if nest is not None:
      nest = _select(nest, symbols)
    if nest is not None:
      return Signature.of(nest)
  raise Unknown


def _running_conds(body_graph: tfi.Graph) -> list[tuple[FrameType, tuple[str, ...] | None]]:
  """Returns the `tf.cond` calls now being traced inside the body, outermost first."""
  conds: list[tuple[FrameType, tuple[str, ...] | None]] = []
  autograph_symbols = None
  pending = None
  frame: FrameType | None = sys._getframe(1)
  while frame is not None:
    if frame.f_code is tfi.cond_code:
      if pending is not None:
        conds.append((pending, None))
      pending = frame if _is_inside(frame, body_graph) else None
    elif frame.f_code.co_name == _AUTOGRAPH_IF and pending is not None:
      autograph_symbols = tuple(frame.f_locals.get("symbol_names", ()))
      conds.append((pending, autograph_symbols))
      pending = None
    frame = frame.f_back
  if pending is not None:
    conds.append((pending, None))
  return conds[::-1]


def _is_inside(frame: FrameType, body_graph: tfi.Graph) -> bool:
  """Tells whether the graph that a `tf.cond` is added to is the body or inside it."""
  true_graph = frame.f_locals.get("true_graph")
  graph = true_graph.outer_graph if true_graph is not None else _graph_of_first_branch(frame)
  while graph is not None:
    if graph is body_graph:
      return True
    graph = getattr(graph, "outer_graph", None)
  return False


def _graph_of_first_branch(cond_frame: FrameType) -> tfi.Graph | None:
  """Returns the graph a `tf.cond` is added to whose first branch is being traced."""
  predicate = cond_frame.f_locals.get("pred")
  return getattr(predicate, "graph", None)


def _probe(cond_frame: FrameType, body_graph: tfi.Graph) -> Any:
  """Traces the second branch of a `tf.cond` whose first is being traced; None if it fails."""
  if body_graph.is_probing:
    raise Unknown
  body_graph.is_probing = True
  try:
    return tfi.trace_branch(
      cond_frame.f_locals["false_fn"], _graph_of_first_branch(cond_frame) or body_graph
    )
  except Unknown:  # That branch calls the SubGraph, too.
    return None
  finally:
    body_graph.is_probing = False


def _select(nest: Any, symbols: tuple[str, ...] | None) -> Any:
  """Picks the branch's value out of what AutoGraph makes it return."""
  if symbols is None:
    return nest
  values = list(nest) if isinstance(nest, (list, tuple)) else [nest]
  if len(values) != len(symbols):
    return None
  if _AUTOGRAPH_RETURN_VALUE in symbols:
    return values[symbols.index(_AUTOGRAPH_RETURN_VALUE)]
  return values[0] if len(values) == 1 else None
