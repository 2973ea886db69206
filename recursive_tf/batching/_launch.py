"""Calls under the batched scheduler, and their gradients."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._graph_lock import locked
from recursive_tf._ops import kernels
from recursive_tf.autodiff import (
  argument_gradients,
  capture_gradients,
  reads_made,
  result_gradients,
  second_order,
  static_shape,
  switch_to_training,
)
from recursive_tf.batching._imported import ImportedPlan
from recursive_tf.batching._plan import Plan, encode_backward
from recursive_tf.subgraph import order_by_effects
from recursive_tf.subgraph._body import name_of
from recursive_tf.subgraph._signature import Signature

# Where the op keeps its plan for differentiation.
_PLAN = "_recursive_tf_plan"


def emit_launch(
  plan: Plan,
  args: list[tf.Tensor],
  results: Signature,
  mapped: bool,
  max_depth: int,
  policy: str,
) -> list[tf.Tensor]:
  """Emits the op that runs a plan in the current graph and returns its flat results.

  Args:
    plan: how the bodies run; the first of them is called.
    args: flat arguments.
    results: signature of one frame's results.
    mapped: whether to run one frame per row of `args`.
    max_depth: deepest allowed frame.
    policy: which block runs next, one of BATCHED_POLICIES.
  """
  graph = tf.compat.v1.get_default_graph()
  for function in plan.runtime_functions:
    tfi.add_function(graph, function)
  for body in plan.bodies:
    for variable in tfi.watched_variables(body.graph):
      tfi.variable_accessed(variable)
  entry = plan.irs[0]
  arguments = [
    tf.squeeze(tensor, int(mapped)) if value.is_merged else tensor
    for tensor, value in zip(args, entry.args, strict=True)
  ]
  values = entry.root.results
  shapes = [value.shape for value in values]
  outputs = kernels.recursive_tf_launch_batched(
    args=arguments,
    captures=plan.emit_captures(),
    Tresults=results.dtypes,
    output_shapes=[tf.TensorShape([None]).concatenate(s) for s in shapes] if mapped else shapes,
    functions=[function.name.decode() for function in plan.runtime_functions],
    body_names=[name_of(body.key) for body in plan.bodies],
    block_names=plan.block_names,
    program=plan.program,
    entry=plan.bodies[0].key,
    mapped=mapped,
    max_depth=max_depth,
    policy=policy,
    num_shards=1 if plan.is_exclusive else 0,
    frame_work=plan.frame_work,
    frames_per_row=plan.frames_per_row,
    merged=[value.is_merged for value in values],
    name=plan.bodies[0].key,
  )
  op = outputs.run.op
  setattr(op, _PLAN, plan)
  order_by_effects(op, plan.bodies, len(args))
  final = []
  for tensor, spec in zip(outputs.results, results.specs, strict=True):
    tensor = tf.identity(tensor)
    tensor.set_shape(tf.TensorShape([None]).concatenate(spec.shape) if mapped else spec.shape)
    final.append(tensor)
  return final


@tf.RegisterGradient("RecursiveTf>LaunchBatched")
@locked
def _launch_gradient(op: tfi.Operation, *gradients: Any) -> list[Any]:
  """Replays the steps of the forward run in reverse, and makes it keep what that needs."""
  launch = op.outputs[0].op
  *results, run = launch.outputs
  plan: Plan | ImportedPlan | None = getattr(launch, _PLAN, None)
  if plan is None:
    plan = ImportedPlan(launch)
    setattr(launch, _PLAN, plan)
  blocks = plan.gradients()
  switch_to_training(launch, "functions", plan.training_functions())

  num_args = len(launch.get_attr("Targs"))
  args, captures = launch.inputs[:num_args], launch.inputs[num_args:]
  connected = plan.connected
  program, slots = encode_backward(blocks)
  functions = [block.function for block in blocks if block is not None]
  graph = tf.compat.v1.get_default_graph()
  for function in functions:
    tfi.add_function(graph, function)
  outputs = kernels.recursive_tf_launch_batched_backward(
    run=run,
    gradients=result_gradients(results, gradients[:-1]),
    Targ_gradients=[args[i].dtype for i in connected],
    Tslots=[dtype for slot in slots for dtype in slot.dtypes],
    output_shapes=[args[i].shape for i in connected],
    functions=[function.name.decode() for function in functions],
    program=program,
    arg_positions=connected,
    slot_kinds=[slot.kind for slot in slots],
    slot_captures=[slot.capture for slot in slots],
    slot_shapes=[static_shape(captures[slot.capture]) for slot in slots],
    mapped=launch.get_attr("mapped"),
    has_made=isinstance(plan, Plan) and reads_made(body.graph for body in plan.bodies),
    entry=launch.get_attr("entry").decode(),
    name=f"{launch.get_attr('entry').decode()}_backward",
  )
  pairs = [(slot, slot.capture) for slot in slots]
  of_captures = capture_gradients(captures, pairs, list(outputs.slots))
  return argument_gradients(args, connected, outputs.arg_gradients) + of_captures


tf.RegisterGradient("RecursiveTf>LaunchBatchedBackward")(second_order)
