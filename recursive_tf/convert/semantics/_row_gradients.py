"""Gradients of variables that are read by rows, which plain Python has as `tf.IndexedSlices`.

TensorFlow adds them up into a tensor where they come out of a loop or a branch of a graph. That is
another value: an optimizer such as Adam takes repeated rows one by one, and a tensor as their sum.
Where all that a tape sees of a variable is rows that the program itself reads, they come out as
rows (`recursive_tf.autodiff.TappedRows`), in some order, and with zeros for what is read in vain.
Optimizers take that as Python's: they add what they compute of each row up.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping

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
# Those that compute of each row by itself, nothing of zeros, and add that up.
_BY_ROWS = (
  *_LINEAR,
  keras.optimizers.Adam,
  keras.optimizers.AdamW,
  keras.optimizers.Adagrad,
  keras.optimizers.Adadelta,
  keras.optimizers.Adamax,
  keras.optimizers.Ftrl,
  keras.optimizers.Nadam,
  keras.optimizers.RMSprop,
)
_CLIPPING = ("clipnorm", "clipvalue", "global_clipnorm")
_ReadsBySource = Mapping[tfi.Source, tfi.Reads]
_WRITES = ("assign", "assign_add", "assign_sub")
_UPDATES = ("apply", "apply_gradients")
_WRITES_OF_ROWS = ("scatter_add", "scatter_sub")
# By the number of a variable's handle: the variable, and its token.
Tokens = dict[int, tuple[tf.Variable, tf.Tensor]]


def tokens_of(ip: Host, tape: tf.GradientTape, sources: object) -> Tokens:
  """Returns the tokens of those variables whose gradients would not be Python's by themselves."""
  found: Tokens = {}
  here: _ReadsBySource | None = None
  for source in leaves(sources):
    variable = _variable_of(source)
    if variable is None:
      continue
    key = id(variable.handle)
    if key in ip.conversion.handed_on or key in ip.conversion.reads:
      continue
    token = ip.conversion.tapped.token(tape, variable)
    if token is None:
      continue
    if here is None:
      here = tfi.reads_of_variables(tf.compat.v1.get_default_graph())
    if here.get(key, tfi.Reads()).is_inside:
      found[key] = variable, token
  return found


def with_tokens(ip: Host, sources: object, tokens: Tokens) -> object:
  """Returns sources with tokens in the place of the variables that have one."""

  def token_of(source: object) -> object:
    variable = _variable_of(source)
    return source if variable is None else tokens.get(id(variable.handle), (None, source))[1]

  if not tokens:
    return sources
  return _mapped(ip, lambda source, _: token_of(source), sources, sources)


def listed(ip: Host, sources: object, found: object, tokens: Tokens) -> object:
  """Returns gradients with those of tokens as what they are of the variables: rows."""

  def rows_of(source: object, gradient: object) -> object:
    variable = _variable_of(source)
    if variable is None or gradient is None or id(variable.handle) not in tokens:
      return gradient
    assert isinstance(gradient, tf.Tensor)
    return ip.conversion.tapped.gradient(gradient, variable)

  return _mapped(ip, rows_of, sources, found)


def _mapped(
  ip: Host, function: Callable[[object, object], object], sources: object, found: object
) -> object:
  """Returns a nest of what a function gives of each source, and what is in its place in `found`."""
  if isinstance(sources, LocalList):
    sources = sources.items or ()
  elif isinstance(sources, LocalDict):
    sources = sources.items
  if isinstance(found, LocalList):
    found = list(found.items or ())
  elif isinstance(found, LocalDict):
    found = found.items
  if isinstance(found, (list, tuple)) and isinstance(sources, (list, tuple)):
    new = [_mapped(ip, function, *pair) for pair in zip(sources, found, strict=True)]
    is_tuple = isinstance(found, tuple) and type(found).__name__ != "ListWrapper"
    return tuple_of(type(found), new) if is_tuple else ip.frame.new(LocalList(new))
  if isinstance(found, dict) and isinstance(sources, dict):
    parts = {key: _mapped(ip, function, sources[key], part) for key, part in found.items()}
    return ip.frame.new(LocalDict(parts))
  return function(sources, found)


def _variable_of(source: object) -> tf.Variable | None:
  variable = source.value if isinstance(source, keras.Variable) else source
  return variable if isinstance(variable, tf.Variable) else None


def noted(ip: Host, sources: object, found: object, tokens: Tokens) -> object:
  """Returns gradients in the form of their sources, with those marked that may differ in kind.

  Args:
    ip: the interpreter.
    sources: a variable, or a nest of variables.
    found: the gradients.
    tokens: of those whose gradients are rows, in another order than Python's.
  """
  here = tfi.reads_of_variables(tf.compat.v1.get_default_graph())
  return _noted(ip, here, sources, found, tokens)


def _noted(
  ip: Host, here: _ReadsBySource, sources: object, found: object, tokens: Tokens
) -> object:
  if isinstance(sources, LocalList):
    sources = sources.items or ()
  elif isinstance(sources, LocalDict):
    sources = sources.items
  if isinstance(found, LocalList) and isinstance(sources, (list, tuple)):
    pairs = zip(sources, found.items or (), strict=True)
    return ip.frame.new(LocalList([_noted(ip, here, *pair, tokens) for pair in pairs]))
  if isinstance(found, LocalDict) and isinstance(sources, dict):
    parts = {key: _noted(ip, here, sources[key], p, tokens) for key, p in found.items.items()}
    return ip.frame.new(LocalDict(parts))
  if isinstance(found, (list, tuple)) and isinstance(sources, (list, tuple)):
    new = [_noted(ip, here, *pair, tokens) for pair in zip(sources, found, strict=True)]
    if type(found) is tuple or hasattr(type(found), "_fields"):
      return tuple_of(type(found), new)
    return _unmarked_nest(ip, found, new)
  if isinstance(found, dict) and isinstance(sources, dict):
    new = [_noted(ip, here, sources[key], found[key], tokens) for key in found]
    return _unmarked_nest(ip, found, new)
  variable = _variable_of(sources)
  if variable is None or found is None:
    return found
  if id(variable.handle) in tokens:
    return RowGradient(found, is_rows=True)
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
  marked = [part for value in values for part in leaves(value) if isinstance(part, RowGradient)]
  if not marked:
    return values
  is_taken = _is_any_kind_alike(function) or (
    all(gradient.is_rows for gradient in marked) and _is_any_order_alike(function)
  )
  return [_unmarked(ip, value) for value in values] if is_taken else values


def _is_any_order_alike(function: object) -> bool:
  """Tells whether a function takes rows in any order, and rows of zeros, as the same."""
  if not isinstance(function, types.MethodType):
    return False
  owner = function.__self__
  if isinstance(owner, tf.Variable):
    return function.__name__ in _WRITES_OF_ROWS
  is_alike = type(owner) in _BY_ROWS and function.__name__ in _UPDATES
  # A row of zeros, divided by what no other row makes zero or less, is zeros.
  return is_alike and getattr(owner, "epsilon", 1.0) > 0 and not getattr(owner, "centered", False)


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
