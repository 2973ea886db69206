"""The graph of a backward body while it is built, and how gradient functions find it."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import UnsupportedGradientError

# Where the graph of a body keeps its BackwardGraph while that is built.
BACKWARD_GRAPH = "_recursive_tf_backward_graph"


class BackwardGraph(tfi.OwnGraph):
  """The FuncGraph of one body's backward pass.

  Attributes:
    frame: the backward frame tensor, the first input.
    connected: for each body of the run, the positions of the arguments that have a gradient.
    slots: the body's accumulators in order.
  """

  def __init__(self, name: str, connected: dict[str, list[int]]):
    super().__init__(name)
    self.connected = connected
    self.slots: dict[Any, int] = {}  # By Slot; _taps.py, which imports this file.
    with self.as_default():
      self.frame = tf.compat.v1.placeholder(tf.variant, shape=(), name="backward_frame")

  def frame_here(self) -> tf.Tensor:
    """Returns the frame as known in the graph being built, which is this one or one inside it.

    The gradients of TensorFlow's conditionals want captures to come from the graph next to them,
    so the frame is handed down level by level.
    """
    graph = tf.compat.v1.get_default_graph()
    levels = self._levels_to(graph)
    if levels is not None:
      return _hand_down(self.frame, levels)
    # The backward pass of a tf.function that the body calls: its graph does not lie in this one,
    # but what it captures is handed over where its call is emitted. One level down, the frame can
    # be captured as it is, and then serves all calls of the tf.function.
    levels = []
    while graph is not None:
      levels.append(graph)
      if graph.name.startswith(tfi.BACKWARD_FUNCTION):
        break
      graph = graph.outer_graph
    to_call = next(filter(None, map(self._levels_to, tfi.graphs_being_built())), [])
    frame = _hand_down(self.frame, to_call) if len(to_call) > 1 else self.frame
    return _hand_down(frame, levels)

  def _levels_to(self, graph: tfi.Graph) -> list[tfi.Graph] | None:
    """Returns the graphs from `graph` out to this one, this one excluded; None if not inside."""
    levels = []
    while graph is not None and graph is not self:
      levels.append(graph)
      graph = getattr(graph, "outer_graph", None)
    return None if graph is None else levels

  def slot(self, slot: Any) -> int:
    """Returns the position of an accumulator, making it if it is new."""
    return self.slots.setdefault(slot, len(self.slots))


def enclosing_backward_graph() -> BackwardGraph:
  """Returns the BackwardGraph that the graph being built belongs to.

  Raises:
    UnsupportedGradientError: If a body is differentiated by something else than recursive_tf.
  """
  graph = tf.compat.v1.get_default_graph()
  while graph is not None:
    if isinstance(graph, BackwardGraph):
      return graph
    if hasattr(graph, BACKWARD_GRAPH):
      return getattr(graph, BACKWARD_GRAPH)
    graph = getattr(graph, "outer_graph", None)
  raise UnsupportedGradientError(
    "The inside of a SubGraph is differentiated on its own: a GradientTape or tf.gradients in a"
    " body cannot go through a call in the same body. Take the gradient outside of the SubGraph."
    " A tf.cond or tf.while_loop with a call in it is differentiated so, too, where the SubGraph is"
    " defined under a persistent tape, or under two tapes: define it, or call the tf.function that"
    " defines it, once before, outside of the tapes."
  )


def _hand_down(tensor: tf.Tensor, levels: list[tfi.Graph]) -> tf.Tensor:
  """Captures a tensor from graph to graph; `levels` has the innermost first."""
  for graph in reversed(levels):
    tensor = graph.capture(tensor)
  return tensor
