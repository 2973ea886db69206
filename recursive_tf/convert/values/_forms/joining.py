"""Forms of values, and what two forms have in common: the one place that knows all kinds."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.values._abstract import (
  VIEWS,
  Abstract,
  Array,
  BoundMethod,
  Container,
  IntOrFloat,
  LocalDict,
  LocalList,
  LocalObject,
  Made,
  Maybe,
  MaybeUnbound,
  Missing,
  Ref,
  Rows,
  Undefined,
  Unset,
  Weak,
)
from recursive_tf.convert.values._forms.base import (
  EAGER_TENSOR,
  NUMBERS,
  Mismatch,
  Reader,
  is_heap_object,
  is_tensor_like,
)
from recursive_tf.convert.values._forms.data import (
  ArrayForm,
  IntOrFloatForm,
  NumberForm,
  RefForm,
  StaticForm,
  TensorForm,
  WeakForm,
)
from recursive_tf.convert.values._forms.made import MadeForm
from recursive_tf.convert.values._forms.maybe import (
  MaybeForm,
  MaybeUnboundForm,
  UndefinedForm,
  UnsetForm,
)
from recursive_tf.convert.values._forms.nest import NestForm
from recursive_tf.convert.values._forms.rows import RowsForm
from recursive_tf.convert.values._forms.text import TextForm
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._text import Text

Form = Any  # One of those of `forms/`; None where nothing is known.


def form_of(value: object, reader: Reader) -> Form:
  """Returns the most specific form of one value."""
  value = reader.optional(value)
  if isinstance(value, Maybe):
    return MaybeForm(form_of(value.value, reader))
  if isinstance(value, keras.Variable):
    reader.note_copied(value.value)
  if isinstance(value, tf.Variable):
    reader.note_copied(value)
    return ArrayForm(_spec(value), frozenset([type(value)]), False)
  value = reader.resolve(value)
  if isinstance(value, Number):
    return NumberForm(value.type, reader.source(value) is not None)
  if isinstance(value, IntOrFloat):
    return IntOrFloatForm()
  if isinstance(value, Weak):
    return WeakForm(_spec(value.tensor), value.type)
  if isinstance(value, Ref):
    types = reader.types_of(value)
    if reader.is_made_string(value):
      return TextForm()
    return RefForm(types - {Missing} or types)  # What is missing fails as it is passed on.
  if isinstance(value, Array):
    return ArrayForm(_spec(value.tensor), value.types, value.is_new)
  if isinstance(value, Text):
    return TextForm()
  if isinstance(value, Made) or (isinstance(value, Container) and reader.has_handle(value)):
    return MadeForm()
  if isinstance(value, Abstract):
    raise reader.refuse(Reason.UNSUPPORTED_OPERATION, f"{value.description} is passed on.")
  if isinstance(value, Undefined):
    return UndefinedForm(value.name)
  if isinstance(value, MaybeUnbound):
    return MaybeUnboundForm(value.name, form_of(value.value, reader))
  if isinstance(value, Unset):
    return UnsetForm()
  if isinstance(value, LocalList):
    if value.is_iterator:
      text = "An iterator is passed on, returned or kept. Make it a list where it is made."
      raise reader.refuse(Reason.UNSUPPORTED_OPERATION, text)
    if isinstance(value.content, Rows):
      return RowsForm(value.content.form)
    parts = tuple(form_of(item, reader) for item in value.content)
    return NestForm(value.type, tuple(range(len(parts))), parts)
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
    if isinstance(one, (UndefinedForm, MaybeUnboundForm)):
      return _join_unbound(one.name, a, b)
  for one, other in ((a, b), (b, a)):
    found = _join_as(one, other)
    if found is not None:
      return found
  if can_be_made(a) and can_be_made(b) and (_is_structured(a) or _is_structured(b)):
    return MadeForm()
  raise Mismatch(f"{describe(a)} and {describe(b)}")


def _join_unbound(name: str, a: Form, b: Form) -> Form:
  """Returns the form of a variable that is not defined on some paths.

  Where there is nothing to put in its place it is undefined on all.
  """
  values = [form.value if isinstance(form, MaybeUnboundForm) else form for form in (a, b)]
  known = [form for form in values if not isinstance(form, UndefinedForm)]
  try:
    value = functools.reduce(join, known)
  except Mismatch:
    return UndefinedForm(name)
  return MaybeUnboundForm(name, value) if _can_be_unbound(value) else UndefinedForm(name)


def _can_be_unbound(form: Form) -> bool:
  if isinstance(form, MaybeForm):
    return _can_be_unbound(form.value)
  if isinstance(form, NestForm):
    return issubclass(form.type, tuple) and all(map(_can_be_unbound, form.parts))
  return isinstance(form, (RefForm, StaticForm)) or can_be_none(form)


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
  kinds = _number_types(a), _number_types(b)
  if all(kinds) and len(kinds[0] | kinds[1]) == 2 and not (_is_of_heap(a) and _is_of_heap(b)):
    return IntOrFloatForm()
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
  if isinstance(a, TextForm) and _is_of_strings(b):
    return a
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


def can_be_made(form: Form) -> bool:
  """Tells whether a value of a form can be an object that a run makes, or is one of the heap."""
  if isinstance(form, NestForm):
    return is_data(form) and all(map(can_be_made, form.parts))
  if isinstance(form, RowsForm):
    return form.type is not None and (form.element is None or can_be_made(form.element))
  if isinstance(form, MaybeForm):
    return can_be_made(form.value)
  if isinstance(form, StaticForm):
    return form.value is None or is_heap_object(form.value)
  kinds = (MadeForm, RefForm, NumberForm, IntOrFloatForm, TextForm, TensorForm, ArrayForm, WeakForm)
  return isinstance(form, kinds) and all(spec.shape.rank is not None for spec in specs(form))


def is_data(form: NestForm) -> bool:
  """Tells whether what is of a form can be kept: no method, no view of a dict."""
  return form.type is not BoundMethod and form.type not in VIEWS.values()


def _is_structured(form: Form) -> bool:
  """Tells whether a value of a form is, or may be, a tuple, list, dict or object of a program."""
  if isinstance(form, MaybeForm):
    return _is_structured(form.value)
  return isinstance(form, (NestForm, RowsForm, MadeForm))


def _number_types(form: Form) -> frozenset[type]:
  """Returns the types that ints and floats of a form have; none for all else."""
  if isinstance(form, IntOrFloatForm) or (isinstance(form, RefForm) and form.types == {int, float}):
    return frozenset([int, float])
  kind = number_type(form)
  return frozenset([kind]) if kind in (int, float) else frozenset()


def _is_of_strings(form: Form) -> bool:
  """Tells whether all values of a form are strings that the heap or the program has."""
  is_constant = isinstance(form, StaticForm) and type(form.value) is str
  return is_constant or (isinstance(form, RefForm) and form.types == {str})


def _is_of_heap(form: Form) -> bool:
  return isinstance(form, RefForm) or (isinstance(form, NumberForm) and form.is_read)


def can_be_none(form: Form) -> bool:
  """Tells whether a value of this form may be None in its place on other paths."""
  if isinstance(form, NestForm):
    return all(can_be_none(part) or isinstance(part, StaticForm) for part in form.parts)
  if not isinstance(form, (NumberForm, IntOrFloatForm, TensorForm, ArrayForm, TextForm)):
    return False
  return all(spec.shape.rank is not None for spec in specs(form))


def _join_static(a: object, b: object) -> Form | None:
  if type(a) is type(b) and type(a) in NUMBERS:
    return NumberForm(type(a))
  if {type(a), type(b)} == {int, float}:
    return IntOrFloatForm()
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


def flatten(value: object, form: Form, reader: Reader) -> list[tf.Tensor]:
  """Returns the tensors of `value`, brought into `form`, which covers it."""
  found: list[tf.Tensor] = form.flatten(value, reader)
  return found


def unflatten(form: Form, tensors: Iterator[tf.Tensor]) -> Any:
  """Makes a value of this form, taking its tensors from an iterator."""
  return form.unflatten(tensors)


def specs(form: Form) -> Iterator[tf.TensorSpec]:
  """Yields the specs of the tensors that a value of this form has; none of an unknown form."""
  if form is not None:
    yield from form.specs()


def sequence_type(form: Form) -> object:
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
    return form.type in VIEWS.values() or any(map(has_views, form.parts))
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


def number_type(form: Form) -> type | None:
  """Returns the type of the numbers of a form, None if they are none."""
  if isinstance(form, NumberForm):
    return form.type
  if isinstance(form, StaticForm) and type(form.value) in NUMBERS:
    return type(form.value)
  return None


def has_made(form: Form) -> bool:
  """Tells whether there is anything in values of this form that only the run knows."""
  if isinstance(form, NestForm):
    return any(map(has_made, form.parts))
  if isinstance(form, RowsForm):
    return has_made(form.element)
  return isinstance(form, MadeForm) or (isinstance(form, MaybeForm) and has_made(form.value))


def has_gradients(form: Form) -> bool:
  """Tells whether there are tensors, other than Python's numbers, that may have a gradient."""
  if isinstance(form, NestForm):
    return any(map(has_gradients, form.parts))
  if isinstance(form, RowsForm):
    return has_gradients(form.element)
  if isinstance(form, MaybeForm):
    return has_gradients(form.value)
  dtypes = form.dtypes() if isinstance(form, (TensorForm, ArrayForm, WeakForm)) else []
  return any(dtype.is_floating or dtype.is_complex for dtype in dtypes)


def ended(form: Form) -> Form:
  """Returns the form, without an end, as one that has one: a tuple stays one, of such parts."""
  if not isinstance(form, NestForm) or not issubclass(form.type, tuple):
    return MadeForm()
  parts = tuple(MadeForm() if _is_structured(part) else part for part in form.parts)
  found = NestForm(form.type, form.keys, parts)
  # Tensors of other shapes in each could not be elements of one list.
  return found if all(spec.shape.is_fully_defined() for spec in specs(found)) else MadeForm()


def depth(form: Form) -> int:
  """Returns how deep containers of the program's lie in each other in values of this form."""
  if isinstance(form, NestForm):
    return 1 + max(map(depth, form.parts), default=0)
  if isinstance(form, RowsForm):
    return 1 + depth(form.element)
  return depth(form.value) if isinstance(form, MaybeForm) else 0


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


def describe(form: Form) -> str:
  """Returns what messages call a value of this form."""
  return "nothing" if form is None else str(form.describe())


def _forms(values: Iterable[object], reader: Reader) -> tuple[Form, ...]:
  return tuple(form_of(value, reader) for value in values)


def _is_plain(value: object) -> bool:
  """Tells whether a tuple is known at conversion, numbers and names only."""
  if isinstance(value, tuple):
    return all(_is_plain(item) for item in value)
  return value is None or isinstance(value, (*NUMBERS, str, type))


def _spec(value: Any) -> tf.TensorSpec:
  return tf.TensorSpec(value.shape, tf.as_dtype(value.dtype))


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


def part_of(rows: Rows, position: int) -> Rows:
  """Returns part `position` of elements that are nests; of none as none are known."""
  if rows.form is None:
    return rows
  forms = parts_of_form(rows.form) or rows.form.parts
  first = sum(len(list(specs(part))) for part in forms[:position])
  count = len(list(specs(forms[position])))
  return Rows(rows.length, rows.tensors[first : first + count], forms[position])
