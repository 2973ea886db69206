"""How a Python function's arguments become a SubGraph's, and whose method a function is."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf._errors import SignatureError
from recursive_tf.subgraph._signature import Signature, user_location


@dataclasses.dataclass(frozen=True)
class Arguments:
  """The arguments of one call, in the order in which the SubGraph takes them.

  Attributes:
    values: those passed by position, then those passed by name.
    names: the names of the latter.
  """

  values: tuple[Any, ...]
  names: tuple[str, ...]

  @classmethod
  def of(
    cls,
    function: str,
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    mapped: bool,
    has_specs: bool = False,
  ) -> Arguments:
    """Returns the arguments of a call, defaults included.

    Args:
      function: its name, for messages.
      signature: of the Python function.
      args: what is passed by position.
      kwargs: what is passed by name.
      mapped: whether the arguments have a row for each of many calls; defaults are the same in all.
      has_specs: whether it is known which arguments are nests. If not, a list of numbers is rows in
        a mapped call: a number has none.

    Raises:
      SignatureError: If an argument is None.
      TypeError: If the function does not take these arguments.
    """
    if mapped and not has_specs:
      args, kwargs = _rows_of(args), _rows_of(kwargs)
    bound = signature.bind(*args, **kwargs)
    given = set(bound.arguments)
    bound.apply_defaults()
    if mapped:
      rows = next(iter(tf.nest.flatten([args, kwargs], expand_composites=True)), None)
      for name in set(bound.arguments) - given:
        if signature.parameters[name].kind in _VARIADIC or rows is None:
          continue
        bound.arguments[name] = tf.nest.map_structure(
          functools.partial(_in_each_row, rows=rows), bound.arguments[name]
        )
    for name, value in bound.arguments.items():
      if any(leaf is None for leaf in tf.nest.flatten(value)):
        raise SignatureError(
          f"SubGraph '{function}' call site ({user_location()}): argument '{name}' is None, or has"
          " None in it. All arguments are tensors: pass one, or make two functions."
        )
    by_name = bound.kwargs
    keyword_only = [name for name in by_name if name in signature.parameters]
    names = keyword_only + sorted(set(by_name) - set(keyword_only))
    return cls((*bound.args, *(by_name[name] for name in names)), tuple(names))

  def signature(self, mapped: bool) -> Signature:
    """Returns the signature of one frame's arguments.

    Args:
      mapped: whether the arguments have one leading dimension more.
    """
    signature = Signature.of(self.values)
    if not mapped:
      return signature
    specs = [tf.TensorSpec(spec.shape[1:], spec.dtype) for spec in signature.specs]
    return Signature.of(signature.pack(specs))

  def unpack(self, values: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Returns other `values`, in the same order, as the function's args and kwargs."""
    count = len(values) - len(self.names)
    return values[:count], dict(zip(self.names, values[count:], strict=True))


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _rows_of(nest: Any) -> Any:
  """Returns the arguments of a mapped call, lists of numbers as tensors."""
  if isinstance(nest, dict):
    return {name: _row_of(value) for name, value in nest.items()}
  return tuple(_row_of(value) for value in nest)


def _row_of(value: Any) -> Any:
  if type(value) is dict:
    return _rows_of(value)
  if type(value) not in (list, tuple) or not _has_numbers_only(value):
    return value
  try:
    return tf.convert_to_tensor(value)
  except (
    ValueError,
    TypeError,
  ):  # Rows of different lengths: no tensor, and the error of a nest says more.
    return value


def _has_numbers_only(value: Any) -> bool:
  if type(value) in (list, tuple):
    return len(value) > 0 and all(map(_has_numbers_only, value))
  return isinstance(value, (bool, int, float, complex, str, bytes, np.generic))


def _in_each_row(value: Any, rows: Any) -> tf.Tensor:
  tensor = tf.convert_to_tensor(value)
  return tf.repeat(tensor[tf.newaxis], tf.shape(rows)[0], axis=0)


def name_of_callable(function: Any) -> str:
  """Returns what to call the SubGraph of a function, a partial, or an object that is called."""
  while isinstance(function, functools.partial):
    function = function.func
  return getattr(function, "__name__", type(function).__name__)


def bound_weakly(function: Callable[..., Any], receiver: Any) -> Callable[..., Any]:
  """Returns the method of `receiver`, without keeping it alive where that can be."""
  try:
    reference = weakref.ref(receiver)
  except TypeError:
    return function.__get__(receiver)

  @functools.wraps(function)
  def method(*args: Any, **kwargs: Any) -> Any:
    return function.__get__(reference())(*args, **kwargs)

  signature = inspect.signature(function.__get__(receiver))
  method.__signature__ = signature  # type: ignore[attr-defined]
  return method


class Receivers:
  """What is made for each object, by its identity: objects may be equal or without a hash.

  Thread-safe. An entry goes when its object does; one that cannot be referred to weakly stays.
  """

  def __init__(self) -> None:
    self._lock = threading.RLock()
    self._found: dict[int, tuple[Any, Any]] = {}  # By id: something to hold, and what was made.

  def find(self, receiver: Any, make: Callable[[Any], Any]) -> Any:
    """Returns what `make` made for `receiver`."""
    with self._lock:
      key = id(receiver)
      if key not in self._found:
        try:
          holder = weakref.ref(receiver, lambda _: self._found.pop(key, None))
        except TypeError:
          holder = receiver
        self._found[key] = (holder, make(receiver))
      return self._found[key][1]
