"""Bodies of Launch ops, also of those that a SavedModel brought into this process."""

from __future__ import annotations

from recursive_tf import _tf_internals as tfi
from recursive_tf.subgraph._body import Body
from recursive_tf.subgraph._calls import BODIES


def bodies_of_launch(launch: tfi.Operation) -> list[Body]:
  """Returns the bodies of a Launch op in the order of its attributes.

  An op that was traced in this process keeps its bodies. For one that was loaded they are made from
  the functions that it names, once.
  """
  bodies = getattr(launch, BODIES, None)
  if bodies is None:
    bodies = _import_bodies(launch)
    setattr(launch, BODIES, bodies)
  return bodies


def _import_bodies(launch: tfi.Operation) -> list[Body]:
  """Rebuilds bodies from functions of (frame, args, captures)."""
  functions = launch.get_attr("bodies")
  keys = [key.decode() for key in launch.get_attr("body_keys")]
  counts = zip(launch.get_attr("num_captures"), launch.get_attr("num_results"), strict=True)
  outer = list(launch.inputs[len(launch.get_attr("Targs")) :])
  bodies = []
  for function, key, (num_captures, num_results) in zip(functions, keys, counts, strict=True):
    graph = tfi.function_graph(launch.graph, function.name)
    frame, *inputs = graph.inputs
    captures, outer = outer[:num_captures], outer[num_captures:]
    placeholders = inputs[len(inputs) - num_captures :]
    for capture, placeholder in zip(captures, placeholders, strict=True):
      tfi.copy_handle_data(capture, placeholder)
    _load_all_branches(graph)
    args = inputs[: len(inputs) - num_captures]
    results = list(graph.outputs[:num_results])
    bodies.append(
      Body(key, graph, frame, args, results, [(None, internal) for internal in placeholders])
    )
  return bodies


def _load_all_branches(graph: tfi.Graph) -> None:
  agenda = [graph]
  while agenda:
    for op in agenda.pop().get_operations():
      if op.type in tfi.CONDITIONALS:
        agenda.extend(tfi.load_branches(op))
