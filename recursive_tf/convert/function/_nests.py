"""Arguments that are lists, dicts and tuples of tensors: passed part by part."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import tensorflow as tf

from recursive_tf.convert.program._arguments import NEST, OBJECT, Argument, classify
from recursive_tf.convert.values._abstract import has_more

_KEYS = (str, int)


def nested(value: object, seen: set[int]) -> Argument | None:
  """Returns a value that holds tensors by its parts.

  Args:
    value: any value.
    seen: numbers of the lists and dicts that were met in this call: none may come twice.

  Returns:
    None of what cannot be taken apart: it holds objects, or no tensor, or a list twice.
  """
  if not isinstance(value, (list, dict, tuple)) or (isinstance(value, tuple) and has_more(value)):
    found = classify(value, False)
    return None if found.kind == OBJECT else found
  kind = type(value)
  if kind not in (list, dict, tuple) and not hasattr(kind, "_fields"):
    return None
  if not isinstance(value, tuple):
    if id(value) in seen:
      return None
    seen.add(id(value))
  if kind is dict and not all(type(key) in _KEYS for key in value):
    return None
  if not _holds_tensors(value):
    return None
  parts = [nested(part, seen) for part in _parts(value)]
  if any(part is None for part in parts):
    return None
  keys = tuple(value) if kind is dict else ()
  return Argument(NEST, kind, parts=tuple(part for part in parts if part is not None), keys=keys)


def structure_of(argument: Argument) -> object:
  """Returns what nests have in common whose tensors have different shapes."""
  parts = tuple(map(structure_of, argument.parts))
  return argument.kind, argument.value if argument.kind == NEST else None, argument.keys, parts


def _parts(value: Iterable[object]) -> list[object]:
  return list(value.values() if isinstance(value, dict) else value)


def _holds_tensors(value: Iterable[object]) -> bool:
  return any(
    isinstance(part, (tf.Tensor, np.ndarray))
    or (isinstance(part, (list, dict, tuple)) and _holds_tensors(part))
    for part in _parts(value)
  )
