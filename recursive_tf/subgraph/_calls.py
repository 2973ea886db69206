"""Emits the ops that call a SubGraph: Invoke and InvokeMap in bodies, Launch outside of them."""

from __future__ import annotations

from typing import Any, NoReturn

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import DefinitionError, GraphScopeError
from recursive_tf._ops import kernels
from recursive_tf.subgraph._body import Body, BodyGraph, name_of
from recursive_tf.subgraph._signature import Signature, location_of

# Where a Launch op keeps its bodies for differentiation, beside the names in its attributes.
BODIES = "_recursive_tf_bodies"
LAUNCH_OPS = ("RecursiveTf>Launch", "RecursiveTf>LaunchBatched")


def _refuse_to_vectorize(call: Any) -> NoReturn:
  name = call.op.name.rpartition("/")[2]
  raise GraphScopeError(
    f"SubGraph '{name_of(name)}' is called at {location_of(call.op)} in tf.vectorized_map, which"
    " cannot vectorise recursion. Use f.map, which batches the calls, or tf.map_fn."
  )


tfi.register_vectorizer(LAUNCH_OPS, _refuse_to_vectorize)


def emit_invoke(
  caller: BodyGraph, key: str, args: list[tf.Tensor], results: Signature, mapped: bool
) -> list[tf.Tensor]:
  """Emits the call of body `key` from `caller`'s frames and returns its flat results."""
  emit = kernels.recursive_tf_invoke_map if mapped else kernels.recursive_tf_invoke
  outputs = emit(
    frame=caller.frame,
    args=args,
    Tresults=results.dtypes,
    output_shapes=results.mapped_shapes() if mapped else results.shapes,
    body_key=key,
    name=key,
  )
  # Calls of one frame are independent: program order would run them one after the other.
  tfi.acd_run_independently(outputs.key.op)
  return list(outputs.results)


def emit_launch(
  entry: Body,
  bodies: list[Body],
  functions: list[tfi.Function],
  args: list[tf.Tensor],
  results: Signature,
  mapped: bool,
  max_depth: int,
  policy: str,
  serialized: bool,
) -> list[tf.Tensor]:
  """Emits the op that starts a run in the current graph and returns its flat results.

  Args:
    entry: the body to run first.
    bodies: all bodies that can be reached, `entry` among them.
    functions: their functions, in the same order.
    args: flat arguments.
    results: signature of one frame's results.
    mapped: whether to run one frame per row of `args`.
    max_depth: deepest allowed frame.
    policy: "deepest_first" or "fifo".
    serialized: whether frames take turns at their calls.
  """
  graph = tf.compat.v1.get_default_graph()
  for function in functions:
    tfi.add_function(graph, function)
  for body in bodies:
    for variable in tfi.watched_variables(body.graph):
      tfi.variable_accessed(variable)
  shapes = results.refined_by(entry.results)  # Which no rows have, too.
  outputs = kernels.recursive_tf_launch(
    args=args,
    captures=[outer for body in bodies for outer, _ in body.captures],
    Tresults=results.dtypes,
    output_shapes=shapes.mapped_shapes() if mapped else shapes.shapes,
    bodies=[function.name.decode() for function in functions],
    body_keys=[body.key for body in bodies],
    num_captures=[len(body.captures) for body in bodies],
    num_results=[len(body.results) for body in bodies],
    entry=entry.key,
    mapped=mapped,
    max_depth=max_depth,
    policy=policy,
    serialized=serialized,
    name=entry.key,
  )
  op = outputs.run.op
  setattr(op, BODIES, bodies)
  order_by_effects(op, bodies, len(args))
  return list(outputs.results)


def order_by_effects(op: tfi.Operation, bodies: list[Body], num_args: int) -> None:
  """Orders a Launch against other ops only by the variables that its bodies write."""
  read_only, first = [], num_args
  for body in bodies:
    read_only += [first + position for position in body.read_only_captures]
    first += len(body.captures)
  attr = tf.compat.v1.AttrValue(list=tf.compat.v1.AttrValue.ListValue(i=read_only))
  tfi.set_attr(op, tfi.READ_ONLY_RESOURCE_INPUTS, attr)
  has_resources = any(tensor.dtype == tf.resource for tensor in op.inputs)
  if not has_resources and not any(body.has_effects for body in bodies):
    tfi.acd_run_independently(op)


def check_base_case(bodies: list[Body], names: dict[str, str]) -> None:
  """Checks that every body has a path on which all calls can end.

  A body can end if the bodies that it always calls can, with one branch of each conditional to
  choose. What is left when no more can be added has no base case. Loops and maps may run zero
  times, so calls in them count as ending.

  Args:
    bodies: the bodies of one run; those they call and that are not among them count as ending.
    names: what the user calls each, by key.

  Raises:
    DefinitionError: If there is a body without such a path.
  """
  endless = {body.key: body for body in bodies}
  changed = True
  while changed:
    changed = False
    for key, body in list(endless.items()):
      if _can_end(body.graph, endless):
        del endless[key]
        changed = True
  for key, body in endless.items():
    if _reaches(key, endless):
      raise DefinitionError(
        f"SubGraph '{names[key]}' has no base case: it calls"
        f" {'itself' if key in body.callees else 'a SubGraph that calls it'} on every path, so"
        " the recursion could never end. Put the recursive call in one branch of a tf.cond, and"
        " a result that needs no call in the other."
      )


def _can_end(graph: tfi.Graph, endless: dict[str, Body]) -> bool:
  for op in graph.get_operations():
    if op.type == "RecursiveTf>Invoke" and op.get_attr("body_key").decode() in endless:
      return False
    if op.type in tfi.LOOPS:
      continue
    parts = [_can_end(part, endless) for part in tfi.nested_graphs(op)]
    is_call = op.type in tfi.FUNCTION_CALLS
    if parts and not (all(parts) if is_call else any(parts)):
      return False
  return True


def _reaches(start: str, endless: dict[str, Body]) -> bool:
  """Tells whether calls among the endless bodies lead from `start` back to it."""
  seen: set[str] = set()
  agenda = [start]
  while agenda:
    found = {key for key in endless[agenda.pop()].callees if key in endless} - seen
    seen |= found
    agenda.extend(found)
  return start in seen
