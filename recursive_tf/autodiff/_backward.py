"""Backward bodies: from the graph of a body, the function that runs its backward pass.

Jeong et al., EuroSys 2018, section 3.3: the backward pass of a recursive function is a recursive
function; each call in the body becomes a call of the backward body with the same frame key, and the
forward values it needs come from the stash. TensorFlow's own gradient functions do the rest: what
the backward graph captures from the forward graph are the residuals.
"""

from __future__ import annotations

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import UnsupportedGradientError
from recursive_tf._graph_lock import graph_lock
from recursive_tf.autodiff._backward_graph import BACKWARD_GRAPH, BackwardGraph
from recursive_tf.autodiff._connectivity import connected_args
from recursive_tf.autodiff._taps import insert_taps, untap
from recursive_tf.subgraph._accesses import check_gradient
from recursive_tf.subgraph._body import Body, function_name, name_of

_BACKWARD = "_recursive_tf_backward"


class BackwardBody:
  """The backward function of one body.

  Attributes:
    function: runtime function (frame, result gradients, residuals, captures, extras) -> gradients
      of the connected arguments.
    training_function: the forward function that also returns the residuals.
    connected: positions of the arguments it returns gradients for.
    capture_inputs: positions of the forward captures it takes.
    extras: other outer tensors it takes.
    slots: its accumulators.
  """

  def __init__(self, body: Body, connected: dict[str, list[int]]):
    self.connected = connected[body.key]
    insert_taps(body)
    graph = BackwardGraph(f"{body.key}_backward", connected)
    setattr(body.graph, BACKWARD_GRAPH, graph)
    try:
      with graph.as_default():
        gradients, result_gradients = self._differentiate(body, graph)
    finally:
      delattr(body.graph, BACKWARD_GRAPH)
    inputs = self._sort_captures(body, graph)
    graph.inputs = [graph.frame, *result_gradients, *inputs]
    graph.outputs = gradients
    self.slots = list(graph.slots)
    self.training_function = body.make_function("training", self._residuals)
    self.function = tfi.from_func_graph(function_name(body.key, "backward"), graph, {})

  def _differentiate(
    self, body: Body, graph: BackwardGraph
  ) -> tuple[list[tf.Tensor], list[tf.Tensor]]:
    results = [tensor for tensor in body.results if tfi.is_trainable(tensor)]
    result_gradients = [
      tf.compat.v1.placeholder(tensor.dtype, tensor.shape, name="result_gradient")
      for tensor in results
    ]
    wanted = [body.args[position] for position in self.connected]
    # The frame carries no gradient, but it is the path to calls that take no trainable argument.
    sources = [body.frame, *wanted]
    sources += [internal for _, internal in body.captures if tfi.is_trainable(internal)]
    found = []
    if results:
      try:
        with tfi.plain_residuals():
          found = tfi.gradients(results, sources, grad_ys=result_gradients, src_graph=body.graph)
      except AssertionError as error:  # All that TensorFlow's conditionals say; in 2.21.
        raise UnsupportedGradientError(
          f"SubGraph '{name_of(body.key)}': TensorFlow cannot differentiate a conditional"
          " of the body: the gradient function of a tf.custom_gradient in a branch uses a tensor"
          " from outside of that branch. Give it tf.identity(tensor), made in the branch, instead."
        ) from error
      except AttributeError as error:  # The same, for an eager tensor or a variable.
        if "eager execution" not in str(error):
          raise
        raise UnsupportedGradientError(
          f"SubGraph '{name_of(body.key)}': TensorFlow cannot differentiate a conditional of the"
          " body: the gradient function of a tf.custom_gradient in a branch uses a variable or an"
          " eager tensor. Read it in the forward function, `value = variable.read_value()`, and use"
          " `value` in the gradient function; or call the function outside of the conditional."
        ) from error
      check_gradient(graph, name_of(body.key))
      found = found[1 : 1 + len(wanted)]
    gradients = [
      tf.zeros_like(arg) if gradient is None else tf.convert_to_tensor(gradient)
      for arg, gradient in zip(wanted, found, strict=True)
    ]
    return gradients, result_gradients

  def _sort_captures(self, body: Body, graph: BackwardGraph) -> list[tf.Tensor]:
    """Divides what the backward graph captured; returns its placeholders in calling order."""
    position_of = {id(internal): i for i, (_, internal) in enumerate(body.captures)}
    outer_position = {id(outer): i for i, (outer, _) in enumerate(body.captures)}
    residuals, captures, extras = [], [], []
    for outer, internal in list(graph.captures):
      source = outer if isinstance(outer, tf.__internal__.EagerTensor) else untap(outer)
      position = position_of.get(id(source), outer_position.get(id(source)))
      if position is not None:
        captures.append((position, internal))
      elif getattr(source, "graph", None) is body.graph:
        residuals.append((source, internal))
      else:
        extras.append((source, internal))
    self._residuals = [source for source, _ in residuals]
    self.capture_inputs = [position for position, _ in captures]
    self.extras = [source for source, _ in extras]
    return [internal for _, internal in residuals + captures + extras]


def backward_bodies(bodies: list[Body]) -> list[BackwardBody]:
  """Returns the backward bodies of all bodies of a run, building those that are new.

  Thread-safe. `bodies` must be closed under calls.
  """
  with graph_lock:
    if any(not hasattr(body, _BACKWARD) for body in bodies):
      connected = connected_args(bodies)
      for body in bodies:
        if not hasattr(body, _BACKWARD):
          setattr(body, _BACKWARD, BackwardBody(body, connected))
    return [getattr(body, _BACKWARD) for body in bodies]
