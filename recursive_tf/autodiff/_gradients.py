"""Registered gradients of the ops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import UnsupportedGradientError
from recursive_tf._graph_lock import locked
from recursive_tf._ops import kernels
from recursive_tf.autodiff._backward import backward_bodies
from recursive_tf.autodiff._backward_graph import enclosing_backward_graph
from recursive_tf.autodiff._imported import bodies_of_launch
from recursive_tf.autodiff._made import reads_made
from recursive_tf.autodiff._taps import Slot
from recursive_tf.nn._row_product import row_product
from recursive_tf.subgraph._body import name_of


def result_gradients(results: Iterable[tf.Tensor], gradients: Iterable[Any]) -> list[tf.Tensor]:
  """Returns the gradients of all trainable results, with zeros for missing ones."""
  return [
    tf.zeros_like(result) if gradient is None else tf.convert_to_tensor(gradient)
    for result, gradient in zip(results, gradients, strict=True)
    if tfi.is_trainable(result)
  ]


@tf.RegisterGradient("RecursiveTf>Invoke")
def _invoke_gradient(op: tfi.Operation, *gradients: Any) -> list[Any]:
  return _call_gradient(op, gradients, kernels.recursive_tf_invoke_backward)


@tf.RegisterGradient("RecursiveTf>InvokeMap")
def _invoke_map_gradient(op: tfi.Operation, *gradients: Any) -> list[Any]:
  _, *found = _call_gradient(op, gradients, kernels.recursive_tf_invoke_map_backward)
  args = op.outputs[0].op.inputs[1:]
  of_args = [g if g is None else _of_no_rows(g, arg) for g, arg in zip(found, args, strict=True)]
  return [None, *of_args]


def _call_gradient(
  op: tfi.Operation, gradients: tuple[Any, ...], emit: Callable[..., Any]
) -> list[Any]:
  """Emits the backward call of a call in a body."""
  backward = enclosing_backward_graph()
  real_op = op.outputs[0].op  # Under a tape, `op` is a stand-in.
  *results, key = real_op.outputs
  args = real_op.inputs[1:]
  body_key = real_op.get_attr("body_key").decode()
  connected = backward.connected[body_key]
  arg_gradients = emit(
    frame=backward.frame_here(),
    key=key,
    gradients=result_gradients(results, gradients[:-1]),
    Targ_gradients=[args[i].dtype for i in connected],
    output_shapes=[args[i].shape for i in connected],
    body_key=body_key,
    name=f"{body_key}_backward",
  )
  by_position = dict(zip(connected, arg_gradients, strict=True)) if connected else {}
  return [None, *(by_position.get(i) for i in range(len(args)))]


@tf.RegisterGradient("RecursiveTf>Launch")
@locked
def _launch_gradient(op: tfi.Operation, *gradients: Any) -> list[Any]:
  """Starts the backward run, and makes the forward run keep residuals."""
  launch = op.outputs[0].op
  *results, run = launch.outputs
  bodies = bodies_of_launch(launch)
  backwards = backward_bodies(bodies)
  switch_to_training(launch, "bodies", [b.training_function for b in backwards])

  keys = [body.key for body in bodies]
  entry = launch.get_attr("entry").decode()
  mapped = launch.get_attr("mapped")
  connected = backwards[keys.index(entry)].connected
  num_args = len(launch.get_attr("Targs"))
  args, captures = launch.inputs[:num_args], launch.inputs[num_args:]
  first = [sum(len(body.captures) for body in bodies[:i]) for i in range(len(bodies))]
  slots = [
    (slot, first[i] + slot.capture)
    for i, backward in enumerate(backwards)
    for slot in backward.slots
  ]
  graph = tf.compat.v1.get_default_graph()
  for backward in backwards:
    tfi.add_function(graph, backward.function)
  outputs = kernels.recursive_tf_launch_backward(
    run=run,
    gradients=result_gradients(results, gradients[:-1]),
    extras=[extra for backward in backwards for extra in backward.extras],
    Targ_gradients=[args[i].dtype for i in connected],
    Tslots=[dtype for slot, _ in slots for dtype in slot.dtypes],
    output_shapes=[args[i].shape for i in connected],
    bodies=[backward.function.name.decode() for backward in backwards],
    body_keys=keys,
    num_capture_inputs=[len(backward.capture_inputs) for backward in backwards],
    capture_inputs=[
      first[i] + position
      for i, backward in enumerate(backwards)
      for position in backward.capture_inputs
    ],
    num_extras=[len(backward.extras) for backward in backwards],
    num_slots=[len(backward.slots) for backward in backwards],
    slot_kinds=[slot.kind for slot, _ in slots],
    slot_captures=[capture for _, capture in slots],
    slot_shapes=[static_shape(captures[capture]) for _, capture in slots],
    entry=entry,
    mapped=mapped,
    policy=launch.get_attr("policy").decode(),
    has_made=reads_made(body.graph for body in bodies),
    name=f"{entry}_backward",
  )
  of_captures = capture_gradients(captures, slots, list(outputs.slots))
  of_args = list(outputs.arg_gradients)
  if mapped:
    of_args = [_of_no_rows(g, args[i]) for i, g in zip(connected, of_args, strict=True)]
  return argument_gradients(args, connected, of_args) + of_captures


def _of_no_rows(gradient: tf.Tensor, arg: tf.Tensor) -> tf.Tensor:
  """Returns a gradient in the shape of its argument, which a run without frames does not know."""
  is_known = arg.shape.rank is not None and arg.shape[1:].is_fully_defined()
  return gradient if is_known else tf.reshape(gradient, tf.shape(arg))


def argument_gradients(
  args: Sequence[tf.Tensor], connected: Iterable[int], gradients: Iterable[tf.Tensor]
) -> list[Any]:
  """Returns the gradient of each argument: those at `connected` have one, the others None."""
  found: list[Any] = [None] * len(args)
  for position, gradient in zip(connected, gradients, strict=True):
    gradient.set_shape(args[position].shape)
    found[position] = gradient
  return found


def switch_to_training(
  launch: tfi.Operation, attribute: str, functions: list[tfi.Function]
) -> None:
  """Makes a launch that has been emitted keep residuals; inference keeps none.

  Args:
    launch: the op.
    attribute: the one that names its functions.
    functions: those that also return the residuals.
  """
  if launch.get_attr("keeps_residuals"):
    return
  tfi.set_function_list(launch, attribute, functions)
  tfi.set_attr(launch, "keeps_residuals", tf.compat.v1.AttrValue(b=True))


def capture_gradients(
  captures: Sequence[tf.Tensor], slots: list[tuple[Slot, int]], tensors: list[tf.Tensor]
) -> list[Any]:
  """Returns the gradient of each capture from the accumulators' tensors, None if it has none."""
  dense: list[list[tf.Tensor]] = [[] for _ in captures]
  sparse: list[list[tf.IndexedSlices]] = [[] for _ in captures]
  for slot, capture in slots:
    parts = [tensors.pop(0) for _ in slot.dtypes]
    shape = static_shape(captures[capture])
    if slot.kind == "dense":
      parts[0].set_shape(shape)
      dense[capture].append(parts[0])
    elif slot.kind != "slices":
      left, right = parts
      product = row_product(left, right, slot.kind == "rounded_product")
      product.set_shape(shape)
      dense[capture].append(product)
    else:
      values, indices = parts
      values.set_shape(tf.TensorShape([None]).concatenate(shape[1:]))
      indices.set_shape([None])
      sparse[capture].append(
        tf.IndexedSlices(values, indices, _dense_shape(captures[capture], shape))
      )
  return [_sum(d, s) for d, s in zip(dense, sparse, strict=True)]


def _sum(
  dense: list[tf.Tensor], sparse: list[tf.IndexedSlices]
) -> tf.Tensor | tf.IndexedSlices | None:
  """Adds gradients of several kinds; the sum is sparse if all of them are."""
  if not dense and len(sparse) > 1:
    return tf.IndexedSlices(
      tf.concat([part.values for part in sparse], 0),
      tf.concat([tf.cast(part.indices, tf.int64) for part in sparse], 0),
      sparse[0].dense_shape,
    )
  if not dense:
    return sparse[0] if sparse else None
  terms = dense + [tf.convert_to_tensor(part) for part in sparse]
  return tf.add_n(terms) if len(terms) > 1 else terms[0]


def static_shape(capture: tf.Tensor) -> tf.TensorShape:
  """Returns the shape of an outer reference: of the variable behind a handle, else its own."""
  if capture.dtype != tf.resource:
    return capture.shape
  data = tfi.get_handle_data(capture)
  if data is None or not data.is_set or not data.shape_and_type:
    return tf.TensorShape(None)
  return tf.TensorShape(data.shape_and_type[0].shape)


def _dense_shape(capture: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
  if shape.is_fully_defined():
    return tf.constant(shape.as_list(), tf.int32)
  if capture.dtype == tf.resource:
    return tf.raw_ops.VariableShape(input=capture)
  return tf.shape(capture)


@tf.RegisterGradient("RecursiveTf>LaunchBackward")
def second_order(op: tfi.Operation, *unused_gradients: Any) -> list[Any]:
  """Refuses. For an eager tape that has not been asked for it yet, refuses when it runs."""
  name = name_of(op.get_attr("entry").decode())
  message = (
    f"The gradient of a gradient through SubGraph '{name}' is not supported."
    " Compute the inner gradient in closed form, or run this part as plain TensorFlow (unrolled or"
    " with tf.while_loop)."
  )
  if not _is_precaution():
    raise UnsupportedGradientError(message)

  def refuse() -> None:
    raise UnsupportedGradientError(message)

  with tf.control_dependencies([tf.py_function(refuse, [], [])]):
    return [tf.identity(value) if tfi.is_trainable(value) else None for value in op.inputs]


def _is_precaution() -> bool:
  """Tells whether TensorFlow makes a gradient that it may never need.

  Eager tapes record a call of a function with its gradient, so that of a backward function with its
  second order, whether they will be asked for it or not.
  """
  graph = tf.compat.v1.get_default_graph()
  while isinstance(graph.outer_graph, tfi.FuncGraph):
    graph = graph.outer_graph
  return graph.name.startswith(tfi.BACKWARD_FUNCTION)


@tf.RegisterGradient("RecursiveTf>InvokeBackward")
@tf.RegisterGradient("RecursiveTf>InvokeMapBackward")
def _inner_second_order(op: tfi.Operation, *unused_gradients: Any) -> None:
  name = name_of(op.get_attr("body_key").decode())
  raise UnsupportedGradientError(
    f"The gradient of the backward body of SubGraph '{name}' is not supported."
  )
