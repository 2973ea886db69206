"""Whether two graphs compute the same, whatever their nodes and functions are called."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

# What tells the copies of one program apart, and does nothing.
_NAMES_IN_ATTRIBUTES = ("_user_specified_name", "entry", "_construction_context")


def identity_of(function: Any) -> tuple[str, tuple[int, ...]]:
  """Returns what concrete functions have in common that compute the same of the same.

  It is made of all their ops, attributes and functions; names are replaced by numbers in the order
  in which they occur. Functions that are written otherwise differ, also where they do the same.

  Returns:
    A digest, and the numbers of what is captured, which lives as long as the function.
  """
  definition = function.graph.as_graph_def()
  functions = {one.signature.name: one for one in definition.library.function}
  found = hashlib.sha256()
  called: dict[str, int] = {}
  for part in _lines(definition.node, [], [], called, functions):
    found.update(f"{part}\n".encode())
  done = 0
  while done < len(called):  # Those that are called are called by others.
    one = functions[list(called)[done]]
    arguments = [argument.name for argument in one.signature.input_arg]
    results = [one.ret[result.name] for result in one.signature.output_arg]
    for part in _lines(one.node_def, arguments, results, called, functions):
      found.update(f"{part}\n".encode())
    found.update(repr(_attributes(one.attr, called, functions)).encode())
    done += 1
  return found.hexdigest(), tuple(id(captured) for captured in function.captured_inputs)


def _lines(
  nodes: Iterable[Any],
  arguments: list[str],
  results: list[str],
  called: dict[str, int],
  functions: dict[str, Any],
) -> Iterator[object]:
  """Yields what a graph, or the body of a function, is made of."""
  nodes = list(nodes)
  names = {name: i for i, name in enumerate([*arguments, *(node.name for node in nodes)])}

  def source(text: str) -> object:
    name, *output = text.removeprefix("^").split(":")
    return text.startswith("^"), names[name], output

  yield len(arguments), [source(result) for result in results]
  for node in nodes:
    kind = _number(node.op, called) if node.op in functions else node.op
    yield (
      kind,
      node.device,
      [source(text) for text in node.input],
      _attributes(node.attr, called, functions),
    )


def _attributes(attributes: Any, called: dict[str, int], functions: dict[str, Any]) -> object:
  return [
    (key, _value(attributes[key], called, functions))
    for key in sorted(attributes)
    if key not in _NAMES_IN_ATTRIBUTES
  ]


def _value(value: Any, called: dict[str, int], functions: dict[str, Any]) -> object:
  """Returns an attribute's value, functions by number."""
  lists = list(value.list.func) if value.HasField("list") else []
  if value.HasField("func") or lists:
    return [
      (
        _number(one.name, called) if one.name in functions else one.name,
        _attributes(one.attr, called, functions),
      )
      for one in ([value.func] if value.HasField("func") else lists)
    ]
  return value.SerializeToString(deterministic=True)


def _number(name: str, called: dict[str, int]) -> int:
  return called.setdefault(name, len(called))
