"""Makes Python values of what a run returns."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import BoundMethod, tuple_of
from recursive_tf.convert.values._forms import (
  ArrayForm,
  Form,
  IntOrFloatForm,
  MadeForm,
  MaybeForm,
  NestForm,
  NumberForm,
  RefForm,
  RowsForm,
  StaticForm,
  TensorForm,
  TextForm,
  WeakForm,
)


def rebuild(form: Form, tensors: Iterator[tf.Tensor], object_of: Callable[[int], object]) -> Any:
  """Returns the value that plain Python would have returned.

  Args:
    form: its form.
    tensors: its tensors.
    object_of: gives the object of a handle.
  """
  if isinstance(form, StaticForm):
    return form.value
  if isinstance(form, NumberForm):
    return form.type(next(tensors).numpy())
  if isinstance(form, IntOrFloatForm):
    return _int_or_float(next(tensors).numpy(), next(tensors).numpy())
  if isinstance(form, ArrayForm):
    return next(tensors).numpy()
  if isinstance(form, TextForm):
    return next(tensors).numpy().decode()
  if isinstance(form, MaybeForm):
    is_there = bool(next(tensors))
    value = rebuild(form.value, tensors, object_of)
    return value if is_there else None
  if isinstance(form, WeakForm):
    tensor, is_number = next(tensors), next(tensors)
    return form.type(tensor.numpy().reshape(-1)[0]) if bool(is_number) else tensor
  if isinstance(form, (RefForm, MadeForm)):
    return object_of(int(next(tensors)))
  if isinstance(form, NestForm):
    return container(form, [rebuild(part, tensors, object_of) for part in form.parts])
  if isinstance(form, RowsForm):
    length = int(next(tensors))
    assert form.type is not None  # Views are refused.
    if form.element is None:
      return form.type()
    columns = [tf.unstack(next(tensors), num=length) for _ in _forms.specs(form.element)]
    return form.type(
      rebuild(form.element, iter([column[i] for column in columns]), object_of)
      for i in range(length)
    )
  return next(tensors)


def rebuild_rows(
  form: Form, tensors: Iterator[tf.Tensor], object_of: Callable[[int], object], count: int
) -> object:
  """Returns the values of `count` rows: tensors stacked, anything else as a list."""
  if isinstance(form, StaticForm):
    return stacked([form.value] * count)
  if isinstance(form, NumberForm):
    return [form.type(value) for value in next(tensors).numpy().tolist()]
  if isinstance(form, IntOrFloatForm):
    numbers, are_ints = next(tensors).numpy(), next(tensors).numpy()
    return [_int_or_float(*pair) for pair in zip(numbers, are_ints, strict=True)]
  if isinstance(form, ArrayForm):
    return [tensor.numpy() for tensor in tf.unstack(next(tensors), num=count)]
  if isinstance(form, TextForm):
    return [value.decode() for value in next(tensors).numpy()]
  if isinstance(form, (RefForm, MadeForm)):
    return [object_of(int(handle)) for handle in next(tensors).numpy()]
  if isinstance(form, NestForm):
    if form.type is list and not any(isinstance(p, TensorForm) for p in form.parts):
      columns = [next(tensors) for _ in _forms.specs(form)]
      rows = ([column[i] for column in columns] for i in range(count))
      return [rebuild(form, iter(row), object_of) for row in rows]  # As `stacked` has it.
    return container(form, [rebuild_rows(p, tensors, object_of, count) for p in form.parts])
  return next(tensors)


def _int_or_float(number: np.generic, is_int: object) -> int | float:
  return int(number) if is_int else float(number)


def as_tensors(form: Form, tensors: Iterator[tf.Tensor], count: tf.Tensor) -> object:
  """Returns the values of `count` rows inside a graph, where Python's numbers stay tensors."""
  if isinstance(form, StaticForm):
    kind = type(form.value)
    dtype = _forms.dtype_of_number(kind) if kind in _forms.NUMBERS else None
    return tf.repeat(tf.convert_to_tensor(form.value, dtype)[tf.newaxis], count, axis=0)
  if isinstance(form, NestForm):
    return container(form, [as_tensors(part, tensors, count) for part in form.parts])
  found, *_ = [next(tensors) for _ in _forms.specs(form)]  # A `Weak` is its number as a tensor.
  return found


def not_of_tensors(form: Form) -> Iterator[Form]:
  """Yields the parts of results that cannot be tensors in a graph: objects, lists, what is None."""
  if isinstance(form, NestForm):
    for part in form.parts:
      yield from not_of_tensors(part)
  elif isinstance(form, StaticForm):
    kinds = (*_forms.NUMBERS, str, bytes, tf.Tensor, tf.Variable, np.ndarray, np.generic)
    if not isinstance(form.value, kinds):
      yield form
  elif not isinstance(form, (TensorForm, ArrayForm, NumberForm, WeakForm)):
    yield form


def stacked(values: list[Any]) -> Any:
  """Returns what a mapped call gives, of the values of its rows as plain Python gave them."""
  first = values[0]
  if all(isinstance(value, (tf.Tensor, tf.Variable)) for value in values):
    return tf.stack(values)
  same = all(type(value) is type(first) for value in values)
  if same and isinstance(first, tuple) and all(len(value) == len(first) for value in values):
    parts = [stacked(list(part)) for part in zip(*values, strict=True)]
    return tuple_of(type(first), parts)
  if same and isinstance(first, list) and all(len(value) == len(first) for value in values):
    if any(isinstance(part, tf.Tensor) for part in first):
      return [stacked(list(part)) for part in zip(*values, strict=True)]
    return values
  if same and type(first) is dict and all(value.keys() == first.keys() for value in values):
    return {key: stacked([value[key] for value in values]) for key in first}
  if same and hasattr(type(first), "__dataclass_fields__"):
    names = [_attributes_of(value) for value in values]
    if all(set(found) == set(names[0]) for found in names):
      form = NestForm(type(first), tuple(names[0]), ())
      parts = [stacked([getattr(value, name) for value in values]) for name in names[0]]
      return container(form, parts)
  return values


def _attributes_of(value: Any) -> list[str]:
  """Returns the names of what an object of a dataclass has, in slots or not."""
  own = getattr(value, "__dict__", {})
  slots = [name for name in value.__dataclass_fields__ if name not in own]
  return [*own, *(name for name in slots if hasattr(value, name))]


def is_same(old: Any, new: Any) -> bool:
  """Tells whether a value that a run returned is the one that was there before."""
  if isinstance(new, tf.Tensor) or isinstance(old, tf.Tensor):
    if not isinstance(new, tf.Tensor) or not isinstance(old, tf.Tensor):
      return False
    same = old.dtype == new.dtype and old.shape == new.shape
    return same and bool(tf.reduce_all(tf.equal(old, new)))
  if type(old) is not type(new) or not isinstance(old, (int, float, bool, str, bytes, tuple)):
    return old is new
  if isinstance(old, tuple):
    return len(old) == len(new) and all(map(is_same, old, new))
  return bool(old == new)


def is_stackable(form: Form) -> bool:
  """Tells whether a mapped call gives one structure of stacked rows, as `stacked` does."""
  if isinstance(form, (MaybeForm, RowsForm, WeakForm)):
    return False
  if isinstance(form, NestForm):
    is_structure = issubclass(form.type, (tuple, list, dict)) or dataclasses.is_dataclass(form.type)
    return is_structure and all(map(is_stackable, form.parts))
  return all(spec.shape.is_fully_defined() for spec in _forms.specs(form))


def container(form: NestForm, parts: list[Any]) -> Any:
  """Makes the container of a form of Python values."""
  if form.type is list:
    return parts
  if form.type is dict:
    return dict(zip(form.keys, parts, strict=True))
  if form.type is BoundMethod:
    return types.MethodType(*parts)
  if issubclass(form.type, tuple):
    return tuple_of(form.type, parts)
  made = object.__new__(form.type)
  for name, value in zip(form.keys, parts, strict=True):
    object.__setattr__(made, name, value)
  return made
