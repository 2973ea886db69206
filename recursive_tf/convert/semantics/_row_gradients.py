"""Gradients of variables that are read by rows, which plain Python has as `tf.IndexedSlices`.

TensorFlow adds them up into a tensor where they come out of a loop or a branch of a graph. That is
another value: an optimizer such as Adam takes repeated rows one by one, and a tensor as their sum.
"""

from __future__ import annotations

import types
from collections.abc import Mapping

import keras
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import LocalDict, LocalList, tuple_of
from recursive_tf.convert.values._containers import leaves
from recursive_tf.convert.values._operands import RowGradient

# Optimizers that add the gradients up, so that rows one by one are as good as their sum.
_LINEAR = (keras.optimizers.SGD, keras.optimizers.Lion)
_CLIPPING = ("clipnorm", "clipvalue", "global_clipnorm")
_ReadsBySource = Mapping[tfi.Source, tfi.Reads]
_WRITES = ("assign", "assign_add", "assign_sub")


def noted(ip: Host, sources: object, found: object) -> object:
  """Returns gradients in the form of their sources, with those marked that may differ in kind.

  Args:
    ip: the interpreter.
    sources: a variable, or a nest of variables.
    found: the gradients.
  """
  here = tfi.reads_of_variables(tf.compat.v1.get_default_graph())
  return _noted(ip, here, sources, found)


def _noted(ip: Host, here: _ReadsBySource, sources: object, found: object) -> object:
  if isinstance(sources, LocalList):
    sources = sources.items or ()
  elif isinstance(sources, LocalDict):
    sources = sources.items
  if isinstance(found, LocalList) and isinstance(sources, (list, tuple)):
    pairs = zip(sources, found.items or (), strict=True)
    return ip.frame.new(LocalList([_noted(ip, here, *pair) for pair in pairs]))
  if isinstance(found, LocalDict) and isinstance(sources, dict):
    parts = {key: _noted(ip, here, sources[key], part) for key, part in found.items.items()}
    return ip.frame.new(LocalDict(parts))
  if isinstance(found, (list, tuple)) and isinstance(sources, (list, tuple)):
    new = [_noted(ip, here, *pair) for pair in zip(sources, found, strict=True)]
    if type(found) is tuple or hasattr(type(found), "_fields"):
      return tuple_of(type(found), new)
    return _unmarked_nest(ip, found, new)
  if isinstance(found, dict) and isinstance(sources, dict):
    return _unmarked_nest(ip, found, [_noted(ip, here, sources[key], found[key]) for key in found])
  variable = sources.value if isinstance(sources, keras.Variable) else sources
  if not isinstance(variable, tf.Variable) or found is None:
    return found
  is_same = _is_same_kind(ip, here, variable, isinstance(found, tf.IndexedSlices))
  return found if is_same else RowGradient(found)


def _unmarked_nest(ip: Host, nest: object, parts: list[object]) -> object:
  """Returns a nest of TensorFlow's own class, which no marked part can be put into."""
  if any(map(_is_marked, parts)):
    text = f"{RowGradient.description} is in a {type(nest).__name__}."
    raise ip.frame.refuse(Reason.NEEDS_VALUE, text)
  return nest


def _is_same_kind(ip: Host, here: _ReadsBySource, variable: tf.Variable, is_rows: bool) -> bool:
  """Tells whether a gradient is of the kind that it is in plain Python.

  There it is rows if all that was read of the variable was rows, and a tensor otherwise. What is
  read in the graph itself, and in none inside, is differentiated as there.
  """
  key = id(variable.handle)
  known = tfi.Reads()
  known.add(here.get(key, tfi.Reads()))
  known.add(ip.conversion.reads.get(key, tfi.Reads()), is_inside=key in ip.conversion.reads)
  if key in ip.conversion.handed_on:  # It may be what any argument is.
    known.is_inside = True
    for source, reads in (*here.items(), *ip.conversion.reads.items()):
      if isinstance(source, tf.TensorSpec) and _may_be(variable, source):
        known.add(reads)
  if not known.is_inside:
    return True
  if not known.has_rows:
    return not is_rows
  return is_rows and not known.has_whole and key not in ip.conversion.handed_on


def _may_be(variable: tf.Variable, spec: tf.TensorSpec) -> bool:
  return variable.dtype == spec.dtype and variable.shape.is_compatible_with(spec.shape)


def taken(ip: Host, function: object, values: list[object]) -> list[object]:
  """Returns arguments as a library's function takes them, if gradients of any kind are alike to it.

  Else what is marked stays, which no library takes.
  """
  if not any(map(_is_marked, values)) or not _is_any_kind_alike(function):
    return values
  return [_unmarked(ip, value) for value in values]


def _is_any_kind_alike(function: object) -> bool:
  owner = getattr(function, "__self__", None)
  if type(owner) in _LINEAR:
    return all(getattr(owner, name, None) is None for name in _CLIPPING)
  if isinstance(function, types.MethodType) and isinstance(owner, (tf.Variable, keras.Variable)):
    return function.__name__ in _WRITES
  return function is tf.convert_to_tensor


def _is_marked(value: object) -> bool:
  return any(isinstance(part, RowGradient) for part in leaves(value))


def _unmarked(ip: Host, value: object) -> object:
  if isinstance(value, RowGradient):
    return value.gradient
  if not _is_marked(value):
    return value
  if isinstance(value, LocalDict):
    parts = {key: _unmarked(ip, part) for key, part in value.items.items()}
    return ip.frame.new(LocalDict(parts))
  if isinstance(value, tuple):
    return tuple_of(type(value), [_unmarked(ip, part) for part in value])
  assert isinstance(value, LocalList) and value.items is not None
  return ip.frame.new(LocalList([_unmarked(ip, part) for part in value.items]))
