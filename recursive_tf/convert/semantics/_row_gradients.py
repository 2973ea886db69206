"""Gradients of variables that are read by rows, which plain Python has as `tf.IndexedSlices`.

TensorFlow adds them up into a tensor where they come out of a loop or a branch of a graph. That is
another value: an optimizer such as Adam takes repeated rows one by one, and a tensor as their sum.
"""

from __future__ import annotations

import types

import keras
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import LocalDict, LocalList, tuple_of
from recursive_tf.convert.values._operands import RowGradient

# Optimizers that add the gradients up, so that rows one by one are as good as their sum.
_LINEAR = (keras.optimizers.SGD, keras.optimizers.Lion)
_CLIPPING = ("clipnorm", "clipvalue", "global_clipnorm")
_WRITES = ("assign", "assign_add", "assign_sub")
# Ops through which no gradient comes.
_NO_GRADIENT = frozenset(["StopGradient", "Shape", "ZerosLike", "OnesLike"])


def noted(ip: Host, targets: list[tf.Tensor], sources: object, found: object) -> object:
  """Returns gradients in the form of their sources, with those marked that may differ in kind.

  Args:
    ip: the interpreter.
    targets: what was differentiated.
    sources: a variable, or a nest of variables.
    found: the gradients.
  """
  if isinstance(sources, LocalList):
    sources = sources.items or ()
  elif isinstance(sources, LocalDict):
    sources = sources.items
  if isinstance(found, LocalList) and isinstance(sources, (list, tuple)):
    pairs = zip(sources, found.items or (), strict=True)
    return ip.frame.new(LocalList([noted(ip, targets, *pair) for pair in pairs]))
  if isinstance(found, LocalDict) and isinstance(sources, dict):
    parts = {key: noted(ip, targets, sources[key], part) for key, part in found.items.items()}
    return ip.frame.new(LocalDict(parts))
  if isinstance(found, tuple) and isinstance(sources, (list, tuple)):
    pairs = zip(sources, found, strict=True)
    return tuple_of(type(found), [noted(ip, targets, *pair) for pair in pairs])
  variable = sources.value if isinstance(sources, keras.Variable) else sources
  if not isinstance(variable, tf.Variable):
    return found
  is_same = _is_same_kind(ip, targets, variable, isinstance(found, tf.IndexedSlices))
  return found if is_same or found is None else RowGradient(found)


def _is_same_kind(ip: Host, targets: list[tf.Tensor], variable: tf.Variable, is_rows: bool) -> bool:
  """Tells whether a gradient is of the kind that it is in plain Python.

  There it is rows if all that was read of the variable was rows, and a tensor otherwise.
  """
  key = id(variable.handle)
  found = [tfi.reads_of_variables(tf.compat.v1.get_default_graph()), ip.conversion.reads]
  here = found[0].get(key, tfi.Reads())
  reads = [here, found[1].get(key, tfi.Reads())]
  if key in ip.conversion.handed_on:  # It may be what any argument is.
    reads += [one.get(tfi.ARGUMENT, tfi.Reads()) for one in found]
  if not any(one.has_rows for one in reads):
    return not is_rows
  if not any(one.has_whole for one in reads):
    return is_rows and key not in ip.conversion.handed_on
  return not is_rows and _reaches(targets, here.whole)


def _reaches(targets: list[tf.Tensor], ops: list[tfi.Operation]) -> bool:
  """Tells whether targets are computed of what one of some ops gives, in each run."""
  agenda, seen = [tensor.op for tensor in targets], set()
  while agenda:
    op = agenda.pop()
    if op in seen or op.type in _NO_GRADIENT:
      continue
    seen.add(op)
    if op in ops:
      return True
    # A branch or loop may take it for a part that is not run.
    if not tfi.nested_graphs(op) and "RecursiveTf>Launch" not in op.type:
      agenda += [tensor.op for tensor in op.inputs]
  return False


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
  if isinstance(value, RowGradient):
    return True
  return any(map(_is_marked, _parts(value)))


def _parts(value: object) -> list[object]:
  if isinstance(value, LocalList):
    return list(value.items or ())
  if isinstance(value, LocalDict):
    return list(value.items.values())
  return list(value) if type(value) is tuple else []


def _unmarked(ip: Host, value: object) -> object:
  if isinstance(value, RowGradient):
    return value.gradient
  if not _is_marked(value):
    return value
  parts = [_unmarked(ip, part) for part in _parts(value)]
  if isinstance(value, LocalDict):
    return ip.frame.new(LocalDict(dict(zip(value.items, parts, strict=True))))
  return tuple(parts) if type(value) is tuple else ip.frame.new(LocalList(parts))
