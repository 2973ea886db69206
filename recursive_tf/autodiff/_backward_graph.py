"""The graph of a backward body while it is built, and how gradient functions find it."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import UnsupportedGradientError


class BackwardGraph(tfi.FuncGraph):
  """The FuncGraph of one body's backward pass.

  Attributes:
    frame: the backward frame tensor, the first input.
    connected: for each body of the run, the positions of the arguments that have a gradient.
    slots: the body's accumulators in order.
  """

  def __init__(self, name: str, connected: dict[str, list[int]]):
    super().__init__(name)
    self.connected = connected
    self.slots: dict = {}
    with self.as_default():
      self.frame = tf.compat.v1.placeholder(tf.variant, shape=(), name="backward_frame")

  def frame_here(self) -> tf.Tensor:
    """Returns the frame as known in the graph being built, which is this one or one inside it.

    The gradients of TensorFlow's conditionals want captures to come from the graph next to them,
    so the frame is handed down level by level.
    """
    levels = []
    graph = tf.compat.v1.get_default_graph()
    while graph is not self:
      levels.append(graph)
      graph = graph.outer_graph
    frame = self.frame
    for graph in reversed(levels):
      frame = graph.capture(frame)
    return frame

  def slot(self, slot) -> int:
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
    graph = getattr(graph, "outer_graph", None)
  raise UnsupportedGradientError(
    "The inside of a SubGraph is differentiated on its own: a GradientTape or tf.gradients in a"
    " body cannot go through a call in the same body. Take the gradient outside of the SubGraph."
  )
