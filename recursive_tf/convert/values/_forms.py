"""Forms: what several values of one place have in common, and how they travel as tensors.

Two branches of a conditional, the calls of one function and the turns of a loop each give values of
one form: the same nest, with the same kind at each leaf. `join` finds the form, `flatten` brings a
value into it in the graph that is being built, `unflatten` makes a value of tensors again.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.values import _checks
from recursive_tf.convert.values._abstract import (
  Abstract,
  Array,
  Base,
  BoundMethod,
  Builtin,
  Closure,
  LocalDict,
  LocalList,
  LocalObject,
  Maybe,
  Missing,
  Ref,
  Rows,
  Undefined,
  Unset,
  Weak,
  shown,
)
from recursive_tf.convert.values._numbers import Number

NoneType = type(None)
EAGER_TENSOR = tf.__internal__.EagerTensor  # Making one would start TensorFlow's threads.
NUMBERS = (bool, int, float)


class Mismatch(Exception):  # noqa: N818 - control flow, becomes a refusal where the place is known
  """Two values have no form in common."""


class Reader(Protocol):
  """What forms need of the frame in which a value is brought into a form."""

  def resolve(self, value: Any) -> Any:
    """Returns a `Ref` to a number or an array as what it is; other values as they are."""

  def optional(self, value: Any) -> Any:
    """Returns a read of a number or array or None as a `Maybe`; all else as it is."""

  def base(self, value: Any) -> Base:
    """Returns the object behind a `Ref` or a static object with its handle."""

  def types_of(self, ref: Ref) -> frozenset[type]:
    """Returns the exact types that a `Ref` can have."""

  def source(self, value: Any) -> Ref | None:
    """Returns the read that gave a number."""

  def tensor(self, value: Any) -> tf.Tensor:
    """Returns a value as TensorFlow would take it."""

  def pin(self, value: Any, holder: Any) -> None:
    """Notes that the containers in a value become elements of a list of unknown length."""

  def refuse(self, reason: Reason, explanation: str) -> ConversionRefused:
    """Returns the refusal of what is being converted; raise it."""


@dataclasses.dataclass(frozen=True)
class StaticForm:
  """The same Python object each time."""

  value: Any

  def __eq__(self, other: object) -> bool:
    return isinstance(other, StaticForm) and same_static(self.value, other.value)

  def __hash__(self) -> int:
    return hash(type(self.value))


@dataclasses.dataclass(frozen=True)
class TensorForm:
  """A tensor."""

  spec: tf.TensorSpec


@dataclasses.dataclass(frozen=True)
class ArrayForm:
  """An array or a scalar of NumPy, or a variable of an object; see `Array`."""

  spec: tf.TensorSpec
  types: frozenset[type]
  is_new: bool


@dataclasses.dataclass(frozen=True)
class NumberForm:
  """A Python number.

  Attributes:
    type: int, float or bool.
    is_read: whether it was read from the heap, so that it is an object there, too.
  """

  type: type
  is_read: bool = False


@dataclasses.dataclass(frozen=True)
class WeakForm:
  """A tensor, or a Python number of this type."""

  spec: tf.TensorSpec
  type: type


@dataclasses.dataclass(frozen=True)
class RefForm:
  """An object of the heap, with the exact types it can have."""

  types: frozenset[type]


@dataclasses.dataclass(frozen=True)
class NestForm:
  """A container with parts known at conversion.

  Attributes:
    type: tuple, a named tuple, list, dict, or the class of a `LocalObject`.
    keys: names of the parts; positions for sequences.
    parts: their forms.
  """

  type: type
  keys: tuple[Any, ...]
  parts: tuple[Any, ...]


@dataclasses.dataclass(frozen=True)
class RowsForm:
  """Elements of one form, as many as the run finds.

  Attributes:
    element: their form; None while none has been seen.
    type: list or tuple; None for a range or a view of a dict, which no result can be.
  """

  element: Any
  type: type | None = list


@dataclasses.dataclass(frozen=True)
class ClosureForm:
  """A function that is defined inside another, whose variables travel beside it."""

  node: ast.AST


@dataclasses.dataclass(frozen=True)
class UndefinedForm:
  """Nothing that may be used."""

  name: str


@dataclasses.dataclass(frozen=True)
class MaybeForm:
  """None, or a value of this form."""

  value: Any


@dataclasses.dataclass(frozen=True)
class UnsetForm:
  """Nothing yet; it takes any form."""


Form = Any


def same_static(a: Any, b: Any) -> bool:
  """Tells whether two objects known at conversion are the same to the program."""
  if a is b:
    return True
  if type(a) is not type(b):
    return False
  if isinstance(a, tuple):
    return len(a) == len(b) and all(map(same_static, a, b))
  if isinstance(a, types.MethodType):
    return a.__func__ is b.__func__ and a.__self__ is b.__self__
  kinds = (*NUMBERS, str, bytes, range, slice, tf.DType, tf.TensorShape)
  return isinstance(a, kinds) and (
    a == b and repr(a) == repr(b)
  )


def form_of(value: Any, reader: Reader) -> Form:
  """Returns the most specific form of one value."""
  value = reader.optional(value)
  if isinstance(value, Maybe):
    return MaybeForm(form_of(value.value, reader))
  if isinstance(value, tf.Variable):
    return ArrayForm(_spec(value), frozenset([type(value)]), False)
  value = reader.resolve(value)
  if isinstance(value, Number):
    return NumberForm(value.type, reader.source(value) is not None)
  if isinstance(value, Weak):
    return WeakForm(_spec(value.tensor), value.type)
  if isinstance(value, Ref):
    types = reader.types_of(value)
    return RefForm(types - {Missing} or types)  # What is missing fails as it is passed on.
  if isinstance(value, Array):
    return ArrayForm(_spec(value.tensor), value.types, value.is_new)
  if isinstance(value, Abstract):
    raise reader.refuse(Reason.UNSUPPORTED_OPERATION, f"{value.description} is passed on.")
  if isinstance(value, Undefined):
    return UndefinedForm(value.name)
  if isinstance(value, Unset):
    return UnsetForm()
  if isinstance(value, LocalList):
    if isinstance(value.content, Rows):
      return RowsForm(value.content.form)
    parts = tuple(form_of(item, reader) for item in value.content)
    return NestForm(list, tuple(range(len(parts))), parts)
  if isinstance(value, Rows):
    return RowsForm(value.form, value.type)
  if isinstance(value, LocalDict):
    return NestForm(dict, tuple(value.items), _forms(value.items.values(), reader))
  if isinstance(value, LocalObject):
    return NestForm(value.type, tuple(value.fields), _forms(value.fields.values(), reader))
  if isinstance(value, BoundMethod):
    return NestForm(BoundMethod, (0, 1), _forms((value.function, value.owner), reader))
  if isinstance(value, tuple):
    if _is_plain(value):
      return StaticForm(value)
    return NestForm(type(value), tuple(range(len(value))), _forms(value, reader))
  if isinstance(value, (np.ndarray, np.generic)):
    return ArrayForm(_spec(value), frozenset([type(value)]), False)
  if is_tensor_like(value):
    return TensorForm(_spec(value))
  return StaticForm(value)


def join(a: Form, b: Form) -> Form:
  """Returns the most specific form that covers both.

  Raises:
    Mismatch: If there is none.
  """
  if a == b:
    return a
  for one, other in ((a, b), (b, a)):
    if isinstance(one, UnsetForm):
      return other
  for one in (a, b):
    if isinstance(one, UndefinedForm):
      return one
  for one, other in ((a, b), (b, a)):
    found = _join_as(one, other)
    if found is not None:
      return found
  raise Mismatch(f"{describe(a)} and {describe(b)}")


def _join_as(a: Form, b: Form) -> Form | None:
  """Returns the join if `a` is of the kind that takes the other in."""
  if isinstance(a, StaticForm) and isinstance(b, StaticForm):
    return _join_static(a.value, b.value)
  if isinstance(a, MaybeForm):
    if isinstance(b, StaticForm) and b.value is None:
      return a
    return MaybeForm(join(a.value, b.value if isinstance(b, MaybeForm) else b))
  if isinstance(a, StaticForm) and a.value is None and can_be_none(b):
    return MaybeForm(b)
  if isinstance(a, NumberForm) and number_type(b) is a.type:
    return NumberForm(a.type)
  if isinstance(a, NumberForm) and a.is_read and isinstance(b, NumberForm) and b.is_read:
    return RefForm(frozenset([a.type, b.type]))
  if isinstance(a, ArrayForm) and isinstance(b, (ArrayForm, TensorForm)):
    types = b.types if isinstance(b, ArrayForm) else frozenset([EAGER_TENSOR])
    is_new = a.is_new and getattr(b, "is_new", True)
    return ArrayForm(_join_specs(a.spec, b.spec), a.types | types, is_new)
  if isinstance(a, TensorForm):
    if isinstance(b, TensorForm):
      return TensorForm(_join_specs(a.spec, b.spec))
    number = number_type(b)
    if number in (int, float) and _takes(a.spec.dtype, number):
      return WeakForm(a.spec, number)
  if isinstance(a, WeakForm):
    if isinstance(b, (TensorForm, WeakForm)):
      if isinstance(b, WeakForm) and b.type is not a.type:
        return None
      return WeakForm(_join_specs(a.spec, b.spec), a.type)
    if number_type(b) is a.type:
      return a
  if isinstance(a, RefForm):
    if isinstance(b, RefForm):
      return RefForm(a.types | b.types)
    if isinstance(b, StaticForm) and (b.value is None or is_heap_object(b.value)):
      return RefForm(a.types | {type(b.value)})
    if isinstance(b, NumberForm) and b.is_read:
      return RefForm(a.types | {b.type})
  if isinstance(a, NestForm) and isinstance(b, NestForm):
    if (a.type, a.keys) == (b.type, b.keys):
      return NestForm(a.type, a.keys, tuple(map(join, a.parts, b.parts)))
    if a.type is list and b.type is list:
      return RowsForm(_join_elements([*a.parts, *b.parts]))
  if isinstance(a, NestForm) and isinstance(b, StaticForm) and isinstance(b.value, tuple):
    parts = tuple(StaticForm(item) for item in b.value)
    return join(a, NestForm(type(b.value), tuple(range(len(parts))), parts))
  if isinstance(a, RowsForm):
    others = [b.element] if isinstance(b, RowsForm) and b.element is not None else parts_of_form(b)
    if others is not None and a.type is sequence_type(b):
      known = [] if a.element is None else [a.element]
      return RowsForm(_join_elements([*known, *others]), a.type)
  return None


def can_be_none(form: Form) -> bool:
  """Tells whether a value of this form may be None in its place on other paths."""
  if isinstance(form, NestForm):
    return all(can_be_none(part) or isinstance(part, StaticForm) for part in form.parts)
  if not isinstance(form, (NumberForm, TensorForm, ArrayForm)):
    return False
  return all(spec.shape.rank is not None for spec in specs(form))


def _join_static(a: Any, b: Any) -> Form | None:
  if type(a) is type(b) and isinstance(a, NUMBERS):
    return NumberForm(type(a))
  if isinstance(a, tuple) and isinstance(b, tuple):
    if type(a) is type(b) and len(a) == len(b):
      parts = [join(StaticForm(x), StaticForm(y)) for x, y in zip(a, b, strict=True)]
      return NestForm(type(a), tuple(range(len(parts))), tuple(parts))
    return None
  if all(x is None or is_heap_object(x) for x in (a, b)):
    return RefForm(frozenset([type(a), type(b)]))
  return None


def _join_elements(forms: list[Form]) -> Form:
  """Returns the form of a list's elements; numbers and objects stay what the run decides."""
  if not forms:
    return None
  found = forms[0]
  for form in forms[1:]:
    found = join(found, form)
  return found


def flatten(value: Any, form: Form, reader: Reader) -> list[tf.Tensor]:
  """Returns the tensors of `value`, brought into `form`, which covers it."""
  if isinstance(form, (StaticForm, ClosureForm, UndefinedForm, UnsetForm)):
    return []
  if isinstance(value, Unset):
    return [tf.zeros([size or 0 for size in s.shape.as_list()], s.dtype) for s in specs(form)]
  if isinstance(form, MaybeForm):
    return _flatten_maybe(value, form, reader)
  if isinstance(form, NestForm):
    parts = parts_of(value)
    return [
      t for v, f in zip(parts, form.parts, strict=True) for t in flatten(v, f, reader)
    ]
  if isinstance(form, RowsForm):
    return _flatten_rows(value, form, reader)
  if isinstance(form, RefForm):
    return [reader.base(value).handle]
  value = reader.resolve(value)
  if isinstance(form, NumberForm):
    return [tf.cast(as_number(value).tensor, dtype_of_number(form.type))]
  if isinstance(form, WeakForm):
    return _flatten_weak(value, form)
  return [tf.convert_to_tensor(reader.tensor(value))]


def _flatten_maybe(value: Any, form: MaybeForm, reader: Reader) -> list[tf.Tensor]:
  value = reader.optional(value)
  if isinstance(value, Maybe):
    return [value.is_there, *flatten(value.value, form.value, reader)]
  if value is None:
    return [tf.constant(False), *flatten(Unset(), form.value, reader)]
  return [tf.constant(True), *flatten(value, form.value, reader)]


def _flatten_weak(value: Any, form: WeakForm) -> list[tf.Tensor]:
  if isinstance(value, Weak):
    return [value.tensor, value.is_number]
  number = number_of(value)
  if number is None:
    return [tf.convert_to_tensor(value), tf.constant(False)]
  shape = [1 if size is None else size for size in form.spec.shape.as_list()]
  tensor = tf.cast(number.tensor, form.spec.dtype)
  if not is_exact(value, form.spec.dtype):
    exact = tf.equal(tf.cast(tensor, number.tensor.dtype), number.tensor)
    tensor = _checks.check(tensor, exact, "a number that the tensor in its place cannot hold")
  return [tf.fill(shape, tensor), tf.constant(True)]


def is_exact(value: Any, dtype: tf.DType) -> bool:
  """Tells whether a value is a Python number that is known and that a tensor's type can hold."""
  if type(value) not in NUMBERS or not (dtype.is_floating or dtype.is_integer):
    return False
  try:
    return bool(np.array(value, dtype.as_numpy_dtype).item() == value)
  except OverflowError:
    return False


def _flatten_rows(value: Any, form: RowsForm, reader: Reader) -> list[tf.Tensor]:
  rows = value.content if isinstance(value, LocalList) else value
  if isinstance(rows, Rows):
    if rows.form == form.element or form.element is None:
      return [rows.length, *rows.tensors]
    return [rows.length, *_convert_rows(rows, form.element, reader)]
  items = [] if form.element is None else list(rows)
  for item in items:
    reader.pin(item, value)
  columns = [flatten(item, form.element, reader) for item in items]
  tensors = []
  for position, spec in enumerate(specs(form.element) if form.element is not None else []):
    if columns:
      parts = [column[position] for column in columns]
      check_shapes([part.shape for part in parts])
      tensors.append(tf.stack(parts))
    else:
      shape = [0 if size is None else size for size in spec.shape.as_list()]
      tensors.append(tf.zeros([0, *shape], spec.dtype))
  return [tf.constant(len(items), tf.int32), *tensors]


def check_shapes(shapes: list[tf.TensorShape]) -> None:
  """Checks that elements of one list can be one tensor, as far as is known.

  Raises:
    Mismatch: If they have different shapes, or are lists of different lengths.
  """
  for shape in shapes[1:]:
    if not shape.is_compatible_with(shapes[0]):
      raise Mismatch(f"of different lengths or shapes, {shapes[0]} and {shape}")


def _convert_rows(rows: Rows, element: Form, reader: Reader) -> list[tf.Tensor]:
  """Returns the tensors of rows in a wider form."""
  if rows.form is None:
    return [
      tf.zeros([0, *(s or 0 for s in spec.shape.as_list())], spec.dtype) for spec in specs(element)
    ]
  return _widened(rows.form, element, iter(rows.tensors), rows.length, reader)


def _widened(
  old: Form, new: Form, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
) -> list[tf.Tensor]:
  """Returns stacked tensors of one form in one that covers it."""
  if isinstance(old, StaticForm) or isinstance(old, UnsetForm):
    value = Unset() if isinstance(old, UnsetForm) else old.value
    return [tf.repeat(t[tf.newaxis], length, axis=0) for t in flatten(value, new, reader)]
  if isinstance(new, MaybeForm):
    if isinstance(old, MaybeForm):
      there = next(tensors)
      return [there, *_widened(old.value, new.value, tensors, length, reader)]
    return [tf.fill([length], True), *_widened(old, new.value, tensors, length, reader)]
  if isinstance(new, WeakForm) and not isinstance(old, WeakForm):
    if not isinstance(old, TensorForm):
      raise Mismatch(f"elements {describe(old)} and {describe(new)}")
    return [next(tensors), tf.fill([length], False)]
  if isinstance(new, NestForm):
    return [
      tensor
      for a, b in zip(old.parts, new.parts, strict=True)
      for tensor in _widened(a, b, tensors, length, reader)
    ]
  if isinstance(new, UndefinedForm):
    raise Mismatch(f"elements {describe(old)} and nothing")
  if isinstance(new, RowsForm) and type(old) is not type(new):
    raise reader.refuse(Reason.DYNAMIC_LIST, "A list of lists of which only the run knows lengths.")
  if type(old) is not type(new) or _dtypes(old) != _dtypes(new):
    raise Mismatch(f"{describe(old)} and {describe(new)}")
  return [next(tensors) for _ in specs(new)]


def unflatten(form: Form, tensors: Iterator[tf.Tensor]) -> Any:
  """Makes a value of this form, taking its tensors from an iterator."""
  if isinstance(form, StaticForm):
    return form.value
  if isinstance(form, UndefinedForm):
    return Undefined(form.name)
  if isinstance(form, ClosureForm):
    return Undefined("function")  # It is made again with its scopes.
  if isinstance(form, UnsetForm):
    return Unset()
  if isinstance(form, MaybeForm):
    is_there = next(tensors)
    return Maybe(unflatten(form.value, tensors), is_there)
  if isinstance(form, NumberForm):
    return Number(next(tensors), form.type)
  if isinstance(form, WeakForm):
    return Weak(next(tensors), next(tensors), form.type)
  if isinstance(form, RefForm):
    return Ref(Base(next(tensors), form.types))
  if isinstance(form, NestForm):
    return build(form, [unflatten(part, tensors) for part in form.parts])
  if isinstance(form, RowsForm):
    length = next(tensors)
    count = 0 if form.element is None else len(list(specs(form.element)))
    found = tuple(next(tensors) for _ in range(count))
    if form.type is not list:
      return Rows(length, found, form.element, form.type)
    return LocalList(Rows(length, found, form.element))
  tensor = next(tensors)
  tensor.set_shape(form.spec.shape)
  return Array(tensor, form.types, form.is_new) if isinstance(form, ArrayForm) else tensor


def build(form: NestForm, parts: list[Any]) -> Any:
  """Makes a container of this form."""
  if form.type is list:
    return LocalList(parts)
  if form.type is dict:
    return LocalDict(dict(zip(form.keys, parts, strict=True)))
  if form.type is tuple:
    return tuple(parts)
  if form.type is BoundMethod:
    return BoundMethod(*parts)
  if issubclass(form.type, tuple):
    return form.type(*parts)
  return LocalObject(form.type, dict(zip(form.keys, parts, strict=True)))


def specs(form: Form) -> Iterator[tf.TensorSpec]:
  """Yields the specs of the tensors that a value of this form has."""
  if isinstance(form, NestForm):
    for part in form.parts:
      yield from specs(part)
  elif isinstance(form, MaybeForm):
    yield tf.TensorSpec([], tf.bool)
    yield from specs(form.value)
  elif isinstance(form, RowsForm):
    yield tf.TensorSpec([], tf.int32)
    if form.element is not None:
      for spec in specs(form.element):
        yield tf.TensorSpec(tf.TensorShape([None]).concatenate(spec.shape), spec.dtype)
  elif isinstance(form, RefForm):
    yield tf.TensorSpec([], tf.int32)
  elif isinstance(form, NumberForm):
    yield tf.TensorSpec([], dtype_of_number(form.type))
  elif isinstance(form, WeakForm):
    yield form.spec
    yield tf.TensorSpec([], tf.bool)
  elif isinstance(form, (TensorForm, ArrayForm)):
    yield form.spec


def sequence_type(form: Form) -> Any:
  """Returns list, tuple or the named tuple that values of a form are; None if they are none."""
  found: type | None = None
  if isinstance(form, StaticForm):
    found = type(form.value)
  elif isinstance(form, (NestForm, RowsForm)):
    found = form.type
  return found if found is not None and issubclass(found, (list, tuple)) else None


def parts_of_form(form: Form) -> tuple[Form, ...] | None:
  """Returns the forms of the elements of a list or tuple of known length; None of all else."""
  if isinstance(form, StaticForm) and isinstance(form.value, tuple):
    return tuple(map(StaticForm, form.value))
  if isinstance(form, RowsForm):
    return () if form.element is None else None
  return form.parts if sequence_type(form) and isinstance(form, NestForm) else None


def has_rows(form: Form) -> bool:
  """Tells whether there is a list of unknown length in values of this form."""
  if isinstance(form, NestForm):
    return any(map(has_rows, form.parts))
  return isinstance(form, RowsForm) or (isinstance(form, MaybeForm) and has_rows(form.value))


def has_views(form: Form) -> bool:
  """Tells whether values of this form hold a range or a view of a dict."""
  if isinstance(form, NestForm):
    return any(map(has_views, form.parts))
  if isinstance(form, RowsForm):
    return form.type is None or has_views(form.element)
  return isinstance(form, MaybeForm) and has_views(form.value)


def has_containers_in_rows(form: Form) -> bool:
  """Tells whether lists of unknown length in values of this form have containers in them."""
  if isinstance(form, RowsForm):
    return has_containers(form.element)
  if isinstance(form, NestForm):
    return any(map(has_containers_in_rows, form.parts))
  return isinstance(form, MaybeForm) and has_containers_in_rows(form.value)


def has_containers(form: Form) -> bool:
  """Tells whether there are lists, dicts or objects that the program makes in such values."""
  if isinstance(form, NestForm):
    return not issubclass(form.type, tuple) or any(map(has_containers, form.parts))
  if isinstance(form, RowsForm):
    return form.type is list or has_containers(form.element)
  return isinstance(form, MaybeForm) and has_containers(form.value)


def generalized(form: Form, is_argument: bool = False) -> Form:
  """Returns the form that a recursive function takes: numbers may change from call to call."""
  if is_argument and isinstance(form, StaticForm) and type(form.value) in (int, float):
    return NumberForm(type(form.value))
  if isinstance(form, NestForm):
    parts = tuple(generalized(part, is_argument) for part in form.parts)
    return NestForm(form.type, form.keys, parts)
  return form


def parts_of(value: Any) -> list[Any]:
  """Returns the parts of a container in the order of its form."""
  if isinstance(value, LocalList):
    assert value.items is not None  # Its form is a NestForm.
    return list(value.items)
  if isinstance(value, LocalDict):
    return list(value.items.values())
  if isinstance(value, LocalObject):
    return list(value.fields.values())
  if isinstance(value, BoundMethod):
    return [value.function, value.owner]
  return list(value)


def as_number(value: Any) -> Number:
  """Returns a Python number as a `Number`."""
  if isinstance(value, Number):
    return value
  return Number(tf.constant(value, dtype_of_number(type(value))), type(value))


def number_of(value: Any) -> Number | None:
  """Returns a number, static or not, as a `Number`; None if it is none."""
  if isinstance(value, Number):
    return value
  return as_number(value) if type(value) in NUMBERS else None


def number_type(form: Form) -> type | None:
  """Returns the type of the numbers of a form, None if they are none."""
  if isinstance(form, NumberForm):
    return form.type
  if isinstance(form, StaticForm) and type(form.value) in NUMBERS:
    return type(form.value)
  return None


def dtype_of_number(type_: type) -> tf.DType:
  """Returns how a Python number travels."""
  return {int: tf.int64, float: tf.float64, bool: tf.bool}[type_]


def arrays(form: Form) -> Iterator[ArrayForm]:
  """Yields the forms of arrays in a form."""
  if isinstance(form, ArrayForm):
    yield form
  elif isinstance(form, NestForm):
    for part in form.parts:
      yield from arrays(part)
  elif isinstance(form, RowsForm):
    yield from arrays(form.element)
  elif isinstance(form, MaybeForm):
    yield from arrays(form.value)


def is_tensor_like(value: Any) -> bool:
  """Tells whether a value is a tensor, known or not, or something that TensorFlow reads as one."""
  return isinstance(value, (tf.Tensor, np.ndarray, np.generic))


def is_heap_object(value: Any) -> bool:
  """Tells whether a static object can be a row: a plain instance, string or container."""
  if isinstance(value, (type, Closure, BoundMethod, Builtin)) or callable(value):
    return False
  module = type(value).__module__.partition(".")[0]
  return module not in ("tensorflow", "keras", "numpy", "recursive_tf")


def describe(form: Form) -> str:
  """Returns what messages call a value of this form."""
  if isinstance(form, StaticForm):
    return f"the constant {shown(form.value)}"
  if isinstance(form, NumberForm):
    return f"a Python {form.type.__name__}"
  if isinstance(form, ArrayForm):
    names = " or ".join(sorted(kind.__name__ for kind in form.types))
    return f"an array ({names}) {form.spec.dtype.name}{form.spec.shape}"
  if isinstance(form, (TensorForm, WeakForm)):
    return f"a tensor {form.spec.dtype.name}{form.spec.shape}"
  if isinstance(form, RefForm):
    return f"an object ({', '.join(sorted(t.__name__ for t in form.types))})"
  if isinstance(form, NestForm):
    return f"a {form.type.__name__} of {len(form.parts)}"
  if isinstance(form, RowsForm):
    return f"a {'view' if form.type is None else form.type.__name__}"
  if isinstance(form, MaybeForm):
    return f"None or {describe(form.value)}"
  return "nothing"


def _forms(values: Any, reader: Reader) -> tuple[Form, ...]:
  return tuple(form_of(value, reader) for value in values)


def _is_plain(value: Any) -> bool:
  """Tells whether a tuple is known at conversion, numbers and names only."""
  if isinstance(value, tuple):
    return all(_is_plain(item) for item in value)
  return value is None or isinstance(value, (*NUMBERS, str, type))


def _spec(value: Any) -> tf.TensorSpec:
  return tf.TensorSpec(value.shape, tf.as_dtype(value.dtype))


def _dtypes(form: Form) -> list[tf.DType]:
  return [spec.dtype for spec in specs(form)]


def _takes(dtype: tf.DType, number: type | None) -> bool:
  return dtype.is_floating or (dtype.is_integer and number is int)


def _join_specs(a: tf.TensorSpec, b: tf.TensorSpec) -> tf.TensorSpec:
  if a.dtype != b.dtype:
    raise Mismatch(f"a tensor {a.dtype.name}{a.shape} and a tensor {b.dtype.name}{b.shape}")
  return tf.TensorSpec(join_shapes(a.shape, b.shape), a.dtype)


def join_shapes(a: tf.TensorShape, b: tf.TensorShape) -> tf.TensorShape:
  """Returns the most specific shape that both have."""
  if a.rank is None or a.rank != b.rank:
    return tf.TensorShape(None)
  return tf.TensorShape([m if m == n else None for m, n in zip(a, b, strict=True)])
