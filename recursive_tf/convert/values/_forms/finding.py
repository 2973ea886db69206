"""The most specific form of one value: each kind of value has one."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.values._abstract import (
  Abstract,
  Array,
  BoundMethod,
  Builtin,
  Container,
  IntOrFloat,
  LocalDict,
  LocalList,
  LocalObject,
  LocalTable,
  Made,
  Maybe,
  MaybeUnbound,
  Missing,
  Ref,
  Rows,
  Undefined,
  Unset,
  Weak,
  is_static,
)
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._forms.base import NUMBERS, BaseForm, Reader
from recursive_tf.convert.values._forms.choice import of_entry
from recursive_tf.convert.values._forms.data import (
  ArrayForm,
  IntOrFloatForm,
  NumberForm,
  RefForm,
  StaticForm,
  TensorForm,
  WeakForm,
)
from recursive_tf.convert.values._forms.either import EitherForm
from recursive_tf.convert.values._forms.made import MadeForm
from recursive_tf.convert.values._forms.maybe import (
  MaybeForm,
  MaybeUnboundForm,
  UndefinedForm,
  UnsetForm,
)
from recursive_tf.convert.values._forms.nest import NestForm
from recursive_tf.convert.values._forms.rows import RowsForm
from recursive_tf.convert.values._forms.scalars import ScalarForm
from recursive_tf.convert.values._forms.table import TableForm
from recursive_tf.convert.values._forms.text import TextForm
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Alike, ByKey
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import Text
from recursive_tf.convert.values._value import nearest

_ContainerT = TypeVar("_ContainerT", bound=Container)
# Where the classes are of the lists, tuples and dicts that attributes of a tf.Module become.
_TRACKABLE = "tensorflow.python.trackable.data_structures"


def form_of(value: object, reader: Reader) -> BaseForm:
  """Returns the most specific form of one value."""
  value = reader.optional(value)
  if isinstance(value, Maybe):
    form = form_of(value.value, reader)
    return form if form.covers_none() else MaybeForm(form)
  if isinstance(value, keras.Variable):
    reader.note_copied(value.value)
  if isinstance(value, tf.Variable):
    reader.note_copied(value)
    return ArrayForm(_spec(value), frozenset([type(value)]), False, True)
  value = reader.resolve(value)
  return nearest(_FORMS, value)(value, reader)


def _of_number(value: Number, reader: Reader) -> BaseForm:
  return NumberForm(value.type, reader.source(value) is not None)


def _of_ref(value: Ref, reader: Reader) -> BaseForm:
  types = reader.types_of(value)
  if reader.is_made_string(value):
    return TextForm()
  return RefForm(types - {Missing} or types)  # What is missing fails as it is passed on.


def _of_list(value: LocalList, reader: Reader) -> BaseForm:
  if value.is_iterator:
    text = "An iterator is passed on, returned or kept. Make it a list where it is made."
    raise reader.refuse(Reason.UNSUPPORTED_OPERATION, text)
  content = value.content
  if isinstance(content, Rows):
    return RowsForm(content.form)
  return NestForm(value.type, tuple(range(len(content))), _forms(content, reader))


def _of_dict(value: LocalDict, reader: Reader) -> BaseForm:
  return NestForm(dict, tuple(value.items), _forms(value.items.values(), reader))


def _of_object(value: LocalObject, reader: Reader) -> BaseForm:
  return NestForm(value.type, tuple(value.fields), _forms(value.fields.values(), reader))


def _of_method(value: BoundMethod, reader: Reader) -> BaseForm:
  return NestForm(type(value), (0, 1), _forms((value.function, value.owner), reader))


def _of_builtin(value: Builtin, reader: Reader) -> BaseForm:
  text = f"The method {value.name.rpartition('.')[2]} is passed on without being called"
  raise reader.refuse(Reason.UNSUPPORTED_OPERATION, f"{text}. Call it where it is read.")


def _of_tuple(value: tuple[object, ...], reader: Reader) -> BaseForm:
  if _is_plain(value):
    return StaticForm(value)
  _refuse_trackable(value, reader)
  return NestForm(type(value), tuple(range(len(value))), _forms(value, reader))


def _of_numpy(value: np.ndarray | np.generic, reader: Reader) -> BaseForm:
  is_new = reader.is_new_array(value)
  has_number = isinstance(value, np.ndarray) and not is_new
  return ArrayForm(_spec(value), frozenset([type(value)]), is_new, has_number)


def _of_array(value: Array, reader: Reader) -> BaseForm:
  spec = _spec(value.tensor)
  if value.number is None:
    return ArrayForm(spec, value.types, value.is_new)
  return ArrayForm(spec, value.types, value.may_be_new, True)


def _of_known(value: object, reader: Reader) -> BaseForm:
  _refuse_trackable(value, reader)
  return StaticForm(value)


def is_trackable(kind: type) -> bool:
  """Tells whether a class is one of those of the lists, tuples and dicts of a tf.Module."""
  return kind.__module__ == _TRACKABLE


def _refuse_trackable(value: object, reader: Reader) -> None:
  """Refuses a list, tuple or dict of a tf.Module's class, in which a library returns tensors."""
  if not is_trackable(type(value)) or not isinstance(value, (list, tuple, dict)):
    return
  parts = value.values() if isinstance(value, dict) else value
  if not all(map(is_static, parts)):
    text = f"A {type(value).__name__} of tensors. Give TensorFlow a list, tuple or dict of your own"
    raise reader.refuse(Reason.KINDS_DIFFER, f"{text}: list(self.weights).")


def _of_abstract(value: Abstract, reader: Reader) -> BaseForm:
  raise reader.refuse(Reason.UNSUPPORTED_OPERATION, f"{value.description} is passed on.")


def _of_entry(value: ByKey, reader: Reader) -> BaseForm:
  return of_entry(value) or _of_abstract(value, reader)


def _or_made(
  of_container: Callable[[_ContainerT, Reader], BaseForm],
) -> Callable[[_ContainerT, Reader], BaseForm]:
  """Returns what gives the form of a container that may be known by its number."""

  def found(value: _ContainerT, reader: Reader) -> BaseForm:
    return MadeForm() if reader.has_handle(value) else of_container(value, reader)

  return found


# By class of the value, or the nearest of its bases; all else is a constant.
_FORMS = types.MappingProxyType[type, Callable[[Any, Reader], BaseForm]](
  {
    Number: _of_number,
    IntOrFloat: lambda value, reader: IntOrFloatForm(reader.source(value) is not None),
    Weak: lambda value, reader: WeakForm(_spec(value.tensor), value.type),
    Ref: _of_ref,
    Array: _of_array,
    PythonOrNumpy: lambda value, reader: EitherForm(value.scalar, value.python),
    Text: lambda value, reader: TextForm(),
    Scalar: lambda value, reader: ScalarForm(value.kinds),
    Made: lambda value, reader: MadeForm(),
    Abstract: _of_abstract,
    Alike: _of_abstract,
    ByKey: _of_entry,
    Undefined: lambda value, reader: UndefinedForm(value.name),
    MaybeUnbound: lambda value, reader: MaybeUnboundForm(value.name, form_of(value.value, reader)),
    Unset: lambda value, reader: UnsetForm(),
    LocalList: _or_made(_of_list),
    Rows: lambda value, reader: RowsForm(value.form, value.type),
    LocalDict: _or_made(_of_dict),
    LocalTable: lambda value, reader: TableForm(
      value.type, RowsForm(value.rows.form, tuple), value.factory
    ),
    LocalObject: _or_made(_of_object),
    BoundMethod: _of_method,
    Builtin: _of_builtin,
    tuple: _of_tuple,
    np.ndarray: _of_numpy,
    np.generic: _of_numpy,
    tf.Tensor: lambda value, reader: TensorForm(_spec(value)),
    object: _of_known,
  }
)


def _forms(values: Iterable[object], reader: Reader) -> tuple[BaseForm, ...]:
  return tuple(form_of(value, reader) for value in values)


def _is_plain(value: object) -> bool:
  """Tells whether a tuple is known at conversion, numbers and names only."""
  if isinstance(value, tuple):
    return all(_is_plain(item) for item in value)
  return value is None or isinstance(value, (*NUMBERS, str, type))


def _spec(value: tf.Tensor | np.ndarray | np.generic) -> tf.TensorSpec:
  return tf.TensorSpec(value.shape, tf.as_dtype(value.dtype))
