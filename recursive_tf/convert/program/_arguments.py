"""The arguments of a call from outside: objects, numbers, tensors, and what stays the same."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.heap._profile import check_class
from recursive_tf.convert.program._alike import copy_of
from recursive_tf.convert.values import _encode, _forms
from recursive_tf.convert.values._abstract import has_more
from recursive_tf.convert.values._forms import dtype_of_number

OBJECT, NUMBER, TENSOR, STATIC, NEST = "object", "number", "tensor", "static", "nest"
CONTAINER = "container"  # A list that the program changes.
ALIKE = "alike"  # A function in whose place each call has another one that does the same.
GIVEN = "given"  # A dict that the program looks into or changes by keys of the run.


@dataclasses.dataclass(frozen=True)
class Argument:
  """What kind of thing a parameter is given.

  Attributes:
    kind: one of the kinds above.
    value: of a static argument, a given dict or a function among alike ones, it; of a number, its
      type; of an array of NumPy, its type; of a container, its form.
    spec: of a tensor.
    parts: of a nest, its parts.
    keys: of a nest that is a dict, its keys; of a function among alike ones, what these share; of a
      given dict, what a `defaultdict` calls for what is missing, which may be another later.
    is_mapped: whether there is one for each row of a mapped call.
  """

  kind: str
  value: Any = None
  spec: tf.TensorSpec | None = None
  parts: tuple[Argument, ...] = ()
  keys: tuple[object, ...] = ()
  is_mapped: bool = False

  @functools.cached_property
  def key(self) -> object:
    """What calls of one program have in common."""
    if self.kind == STATIC:
      value = self.value
      if type(value) is float:
        return STATIC, float, value.hex()  # Also 0.0 and -0.0 are two, and nan is one.
      # What is of a class derived from these may have attributes, or be equal to what it is not.
      is_plain = value is None or type(value) in (str, bool, bytes, int)
      return STATIC, type(value), value if is_plain else id(value)
    if self.kind == NUMBER:
      return NUMBER, self.value, self.is_mapped
    if self.kind == ALIKE:
      return ALIKE, self.keys
    if self.kind == CONTAINER:
      return CONTAINER
    if self.kind == GIVEN:
      return GIVEN, type(self.value), *map(id, self.keys)
    if self.kind == TENSOR:
      assert self.spec is not None  # A tensor.
      return TENSOR, self.value, self.spec.dtype, str(self.spec.shape), self.is_mapped
    parts = tuple(part.key for part in self.parts)
    return self.kind, self.value, parts, self.keys, self.is_mapped

  @functools.cached_property
  def called(self) -> types.FunctionType:
    """Of a function among alike ones, the one that a program calls in its place."""
    return copy_of(self.value)

  def specs(self) -> Iterator[tf.TensorSpec]:
    """Yields the specs of its tensors, of one row."""
    if self.kind == OBJECT:
      yield tf.TensorSpec([], tf.int32)
    elif self.kind == NUMBER:
      yield tf.TensorSpec([], dtype_of_number(self.value))
    elif self.kind == CONTAINER:
      yield from _forms.specs(self.value)
    elif self.kind == TENSOR:
      assert self.spec is not None  # A tensor.
      yield self.spec
    for part in self.parts:
      yield from part.specs()

  def single(self) -> Argument:
    """Returns the argument of one row."""
    if not self.is_mapped:
      return self
    return dataclasses.replace(self, is_mapped=False)

  def widened(self, form: _forms.Form) -> Argument:
    """Returns the argument with the shapes of a form, which a recursion has made wider."""
    if self.kind == TENSOR and isinstance(form, (_forms.TensorForm, _forms.ArrayForm)):
      return dataclasses.replace(self, spec=form.spec)
    if self.kind == NEST and isinstance(form, _forms.NestForm):
      parts = tuple(a.widened(b) for a, b in zip(self.parts, form.parts, strict=True))
      return dataclasses.replace(self, parts=parts)
    return self

  def without_zeros(self) -> Argument:
    """Returns the argument with dimensions of size 0 left open."""
    parts = tuple(part.without_zeros() for part in self.parts)
    spec = self.spec
    if spec is not None and spec.shape.rank is not None and 0 in spec.shape.as_list():
      spec = tf.TensorSpec([size or None for size in spec.shape.as_list()], spec.dtype)
    return dataclasses.replace(self, parts=parts, spec=spec)

  def takes(self, other: Argument) -> bool:
    """Tells whether a program for this argument can be given another one, row by row or not."""
    if self is other or (self.kind == TENSOR and self.spec is other.spec):
      return self.value is other.value
    if self.kind == other.kind == TENSOR:
      assert self.spec is not None and other.spec is not None  # They are tensors.
      is_same = self.value is other.value and self.spec.dtype == other.spec.dtype
      return is_same and _includes(self.spec.shape, other.spec.shape)
    if self.kind == other.kind == NEST:
      same = self.value is other.value and self.keys == other.keys
      same = same and len(self.parts) == len(other.parts)
      return same and all(a.takes(b) for a, b in zip(self.parts, other.parts, strict=True))
    return self.single().key == other.single().key

  def form(self, root_types: frozenset[type]) -> _forms.BaseForm:
    """Returns the form of the value inside the program."""
    if self.kind == OBJECT:
      return _forms.RefForm(root_types)
    if self.kind == NUMBER:
      return _forms.NumberForm(self.value)
    if self.kind == CONTAINER:
      return self.value
    if self.kind == TENSOR:
      if self.value is not None:
        return _forms.ArrayForm(self.spec, frozenset([self.value]), False)
      return _forms.TensorForm(self.spec)
    if self.kind == ALIKE:
      return _forms.AlikeForm(self.called)
    if self.kind in (STATIC, GIVEN):
      return _forms.StaticForm(self.value)
    parts = tuple(part.form(root_types) for part in self.parts)
    return _forms.NestForm(self.value, self.keys or tuple(range(len(parts))), parts)

  def inner(self, value: Any) -> Iterator[tuple[Argument, object]]:
    """Yields the parts of a nest with those of its value."""
    values = value.values() if isinstance(value, dict) else value
    yield from zip(self.parts, values if self.parts else (), strict=True)

  def tensors(self, value: object) -> Iterator[object]:
    """Yields the tensors and arrays in a value that are passed as such."""
    if self.kind == TENSOR:
      yield value
    for part, inner in self.inner(value):
      yield from part.tensors(inner)

  def containers(self, value: object) -> Iterator[object]:
    """Yields the lists and dicts in a value that are taken apart."""
    if self.kind == NEST and self.value in (list, dict):
      yield value
    for part, inner in self.inner(value):
      yield from part.containers(inner)


def _includes(shape: tf.TensorShape, other: tf.TensorShape) -> bool:
  """Tells whether whatever has the other shape has this one, too."""
  if shape.rank is None or shape.rank != other.rank:
    return shape.rank is None
  return all(m is None or m == n for m, n in zip(shape.as_list(), other.as_list(), strict=True))


@functools.lru_cache(maxsize=256)
def _of_tensor(kind: type | None, sizes: tuple[int, ...], dtype: object) -> Argument:
  return Argument(TENSOR, kind, tf.TensorSpec(sizes, tf.as_dtype(dtype)))


def classify(value: object, is_first: bool) -> Argument:
  """Returns what kind of argument a value is.

  Args:
    value: the value.
    is_first: whether it is for the first parameter after `self`: there even a string or None is an
      object, a node of the structure.

  Raises:
    ConversionRefused: If its class cannot be told from others.
  """
  check_class(type(value))
  if isinstance(value, (tf.Tensor, np.ndarray, np.generic)):
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "OUSMmV":
      return Argument(OBJECT)
    kind: object = None if isinstance(value, tf.Tensor) else type(value)
    return _of_tensor(kind, tuple(value.shape), value.dtype)
  if type(value) in (int, float):
    return Argument(NUMBER, type(value))
  if isinstance(value, tuple) and _holds_tensors(value):
    if has_more(value):
      text = f"A {type(value).__name__} with attributes beside its elements."
      raise ConversionRefused.of(Reason.UNSUPPORTED_OPERATION, text)
    parts = tuple(classify(part, False) for part in value)
    return Argument(NEST, type(value), parts=parts)
  if is_first and (value is None or type(value) is str):
    return Argument(OBJECT)
  if value is None or isinstance(value, (str, bool, bytes, type, types.ModuleType)):
    return Argument(STATIC, value)
  if callable(value) or isinstance(value, tf.Module) or _libraries.is_library(value):
    return Argument(STATIC, value)
  return Argument(OBJECT)


def classify_positional(values: object, is_first: bool) -> Argument:
  """Returns what kind of argument `*values` are: each by itself."""
  assert isinstance(values, tuple)  # As Python makes it.
  parts = tuple(classify(value, is_first and i == 0) for i, value in enumerate(values))
  return Argument(NEST, tuple, parts=parts)


def classify_keywords(values: object) -> Argument:
  """Returns what kind of argument `**keywords` are: by name, a dict that no one else has."""
  assert isinstance(values, dict)  # As Python makes it.
  parts = tuple(classify(value, False) for value in values.values())
  return Argument(NEST, dict, parts=parts, keys=tuple(values))


def with_structure(
  found: dict[str, Argument], values: dict[str, object], is_owned: bool = False
) -> dict[str, Argument]:
  """Returns the arguments of a call, of which one is a node that can be called, or none.

  Such an object is a constant beside another structure, and if it may be a function with a state.
  The node is the first argument, or else `self`.

  Args:
    found: by parameter, what they are but for that.
    values: by parameter; lists of them where they are mapped.
    is_owned: whether `self` is the same for all calls.
  """
  if any(argument.kind == OBJECT for argument in found.values()):
    return found
  first = next((name for name in found if name != "self"), None)
  for name in (first, None if is_owned else "self"):
    if name is None or name not in found or found[name].kind != STATIC:
      continue
    value = found[name].value
    # A method of a model computes with what it is given.
    is_node = name == first or first is None or _may_have_nodes(value)
    if is_node and _is_callable_node(value):
      return {**found, name: Argument(OBJECT, is_mapped=values[name] is not value)}
  return found


def _may_have_nodes(value: object) -> bool:
  """Tells whether an object holds others of its class, or what may hold them in other objects."""
  parts = _parts(value)
  if any(type(part) is type(value) for part in _with_elements(parts)):
    return True
  return any(p is None or (type(p) in (list, tuple, dict) and not p) for p in parts)


def _is_callable_node(value: object) -> bool:
  """Tells whether an object of a class of the user's can be called, and holds nothing but data."""
  call = inspect.getattr_static(type(value), "__call__", None)
  if not isinstance(call, types.FunctionType) or isinstance(value, tf.Module):
    return False
  if _libraries.is_library(value):
    return False
  parts = _with_elements(_parts(value))
  return bool(parts) and all(_is_data(part) for part in parts)


def holds_data_only(value: object) -> bool:
  """Tells whether an object of a class of the user's is none that a program computes with.

  That is one without variables, layers, functions, tensors and arrays: a visitor, an interpreter.
  """
  if value is None or isinstance(value, _DATA):
    return False
  return not any(map(_is_computed_with, [value, *_with_elements(_parts(value))]))


def _is_computed_with(value: object) -> bool:
  if value is None or isinstance(value, _DATA):
    return isinstance(value, _ARRAYS)
  return callable(value) or _is_of_library(value)


def _parts(value: object) -> list[object]:
  """Returns the attributes of an object."""
  own = list(getattr(value, "__dict__", {}).values())
  return own + [getattr(value, name, None) for name in _slots(type(value))]


def _with_elements(parts: list[object]) -> list[object]:
  """Returns objects, and those in the lists, tuples and dicts among them."""
  found = list(parts)
  for part in parts:
    if isinstance(part, (list, tuple)):
      found += part
    elif isinstance(part, dict):
      found += part.values()
  return found


def _slots(kind: type) -> list[str]:
  return [name for base in kind.__mro__ for name in vars(base).get("__slots__", ())]


_ARRAYS = (np.ndarray, np.generic, tf.Tensor)
_DATA = (int, float, str, list, tuple, dict, *_ARRAYS)


def _is_data(value: object) -> bool:
  """Tells whether a value is none that programs call: a function, a layer, variables."""
  if value is None or isinstance(value, _DATA):
    return True
  if _is_of_library(value):
    return False
  call = inspect.getattr_static(type(value), "__call__", None)
  return call is None or isinstance(call, types.FunctionType)


def _is_of_library(value: object) -> bool:
  """Tells whether a value is a class or a module, or a library's, such as a layer or a variable."""
  is_other = isinstance(value, (type, types.ModuleType, tf.Module, tf.Variable))
  return is_other or _libraries.is_library(value)


def _holds_tensors(value: tuple[object, ...]) -> bool:
  return any(
    isinstance(part, (tf.Tensor, np.ndarray)) or (isinstance(part, tuple) and _holds_tensors(part))
    for part in value
  )


def classify_rows(values: Sequence[object], is_first: bool) -> Argument | None:
  """Returns what kind of argument the values of a mapped call are; None if they differ."""
  if isinstance(values, (tf.Tensor, np.ndarray)):
    spec = tf.TensorSpec(values.shape[1:], tf.as_dtype(values.dtype))
    kind = None if isinstance(values, tf.Tensor) else type(values[0])
    return Argument(TENSOR, kind, spec, is_mapped=True)
  if len(set(map(type, values))) == 1 and not isinstance(values[0], tuple):
    found = classify(values[0], is_first)
    if found.kind in (OBJECT, NUMBER):  # So are all others of the type.
      return dataclasses.replace(found, is_mapped=True)
  kinds = {classify(value, is_first).key: classify(value, is_first) for value in values}
  if len(kinds) != 1 and is_first and all(map(_is_callable_node, values)):
    return Argument(OBJECT, is_mapped=True)
  if len(kinds) != 1:
    # Nodes of a structure whose leaves are numbers or strings.
    are_nodes = any(found.kind == OBJECT for found in kinds.values()) and all(
      type(value) in (int, float, bool, str) or classify(value, True).kind == OBJECT
      for value in values
    )
    return Argument(OBJECT, is_mapped=True) if is_first and are_nodes else None
  (found,) = kinds.values()
  if found.kind in (STATIC, NEST):
    return found if found.kind == STATIC else None
  return dataclasses.replace(found, is_mapped=True)


def objects_of(argument: Argument, value: Any) -> Iterator[object]:
  """Yields the objects in a value, in the order of their handles."""
  if argument.kind == OBJECT:
    if argument.is_mapped:
      yield from value
    else:
      yield value
  elif argument.kind == CONTAINER:
    yield from argument.value.objects_in(value)
  elif argument.parts:
    for part, inner in argument.inner(value):
      yield from objects_of(part, inner)


def tensors_of(argument: Argument, value: Any, handles: Iterator[int]) -> Iterator[object]:
  """Yields the tensors to feed for a value, objects by the handles the walk gave them."""
  if argument.kind == OBJECT:
    if argument.is_mapped:
      yield tfi.tensor_of(np.array([next(handles) for _ in value], np.int32))
    else:
      yield _handle(next(handles))
  elif argument.kind == NUMBER:
    yield _encode.as_array(value, dtype_of_number(argument.value), "An argument")
  elif argument.kind == CONTAINER:
    yield from argument.value.encode(value, handles)
  elif argument.kind == TENSOR:
    if argument.is_mapped and not isinstance(value, (tf.Tensor, np.ndarray)):
      value = tf.stack(value)
    yield value
  elif argument.parts:
    for part, inner in argument.inner(value):
      yield from tensors_of(part, inner, handles)


def _handle(number: int) -> object:
  """Returns the handle of an object that is passed in, mostly of the first one that is read."""
  if not tf.executing_eagerly():
    return np.int32(number)
  return _first_handle() if number == 0 else tfi.scalar(number, tf.int32)


@functools.cache
def _first_handle() -> tf.Tensor:
  return tfi.tensor_of(np.zeros([], np.int32))


def constants_of(arguments: Iterable[Argument]) -> list[object]:
  """Returns those that conversion knows: models, functions, strings."""
  return [argument.value for argument in arguments if argument.kind in (STATIC, ALIKE)]


def mapped_names(arguments: dict[str, Argument]) -> frozenset[str]:
  """Returns the arguments of which a mapped call has one for each row; none in a single call."""
  return frozenset(name for name, argument in arguments.items() if argument.is_mapped)


def num_rows(arguments: dict[str, Argument], values: dict[str, Any]) -> int | None:
  """Returns the number of rows of a mapped call, None for a single one."""
  mapped = [name for name, argument in arguments.items() if argument.is_mapped]
  return len(values[mapped[0]]) if mapped else None


def rows_of_call(
  arguments: dict[str, Argument], values: dict[str, Any]
) -> Iterator[dict[str, object]]:
  """Yields the arguments of each row of a mapped call."""
  constants = {name: a.value for name, a in arguments.items() if a.kind == STATIC}
  for position in range(num_rows(arguments, values) or 0):
    row = {
      name: value[position] if arguments[name].is_mapped else value
      for name, value in values.items()
    }
    yield {**row, **constants}  # A list of one constant was given for it.
