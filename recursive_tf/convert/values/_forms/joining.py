"""Forms of values, and what two forms have in common: the one place that knows all kinds."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from recursive_tf.convert.values._abstract import (
  SETS,
  VIEWS,
  Rows,
)
from recursive_tf.convert.values._forms.base import (
  BaseForm,
  Form,
  Join,
  Mismatch,
  Reader,
)
from recursive_tf.convert.values._forms.choice import joined as joined_choice
from recursive_tf.convert.values._forms.data import (
  ArrayForm,
  NumberForm,
  StaticForm,
  TensorForm,
  WeakForm,
)
from recursive_tf.convert.values._forms.either import joined as joined_either
from recursive_tf.convert.values._forms.made import MadeForm
from recursive_tf.convert.values._forms.maybe import (
  MaybeUnboundForm,
  UndefinedForm,
  UnsetForm,
)
from recursive_tf.convert.values._forms.nest import NestForm
from recursive_tf.convert.values._forms.rows import RowsForm
from recursive_tf.convert.values._forms.scalars import joined as joined_scalars
from recursive_tf.convert.values._forms.table import TableForm


def join(a: BaseForm, b: BaseForm) -> BaseForm:
  """Returns the most specific form that covers both.

  Raises:
    Mismatch: If there is none.
  """
  return _joined(a, b, join)


def met(a: BaseForm, b: BaseForm) -> BaseForm:
  """Returns a form that covers both: values of any two may meet as objects that runs make.

  So may lists of several lengths as the elements of one list.

  Raises:
    Mismatch: If one of them cannot be such an object.
  """
  return _with_ended_elements(_joined(a, b, met))


def met_by_rank(a: BaseForm, b: BaseForm) -> BaseForm:
  """Returns what `met` does, but tensors of several ranks or dtypes meet as such objects, too."""
  return _with_ended_elements(_joined(a, b, met_by_rank))


def _with_ended_elements(form: BaseForm) -> BaseForm:
  if not isinstance(form, RowsForm) or form.element is None:
    return form
  element = form.element
  if has_containers(element) or has_rows(element):
    return RowsForm(ended(element), form.type)
  return form


def _are_of_ranks(a: BaseForm, b: BaseForm) -> bool:
  """Tells whether both are tensors, of ranks or dtypes that differ."""
  specs = [one.spec for one in (a, b) if isinstance(one, (TensorForm, ArrayForm, WeakForm))]
  kinds = {(spec.dtype, spec.shape.rank) for spec in specs}
  return len(specs) == 2 and len(kinds) == 2


def _joined(a: BaseForm, b: BaseForm, join: Join) -> BaseForm:
  if a == b:
    return a
  if join is met_by_rank and _are_of_ranks(a, b) and can_be_made(a) and can_be_made(b):
    return MadeForm()
  for one, other in ((a, b), (b, a)):
    if isinstance(one, UnsetForm):
      return other
  for one in (a, b):
    if isinstance(one, (UndefinedForm, MaybeUnboundForm)):
      return _join_unbound(one.name, a, b)
  for one, other in ((a, b), (b, a)):
    found = one.joined(other, join)
    if found is not None:
      return found
  either = joined_either(a, b)
  if either is not None:
    return either
  scalars = joined_scalars(a, b)
  if scalars is not None:
    return scalars
  choice = joined_choice(a, b)
  if choice is not None:
    return choice
  if can_be_made(a) and can_be_made(b):
    if join in (met, met_by_rank) or a.is_structured() or b.is_structured():
      return MadeForm()
  raise Mismatch(f"{describe(a)} and {describe(b)}")


def _join_unbound(name: str, a: BaseForm, b: BaseForm) -> BaseForm:
  """Returns the form of a variable that is not defined on some paths.

  Where there is nothing to put in its place it is undefined on all.
  """
  values = [form.value if isinstance(form, MaybeUnboundForm) else form for form in (a, b)]
  known = [form for form in values if not isinstance(form, UndefinedForm)]
  try:
    value = functools.reduce(join, known)
  except Mismatch:
    return UndefinedForm(name)
  return MaybeUnboundForm(name, value) if value.can_be_unbound() else UndefinedForm(name)


def flatten(value: object, form: BaseForm, reader: Reader) -> list[tf.Tensor]:
  """Returns the tensors of `value`, brought into `form`, which covers it."""
  found: list[tf.Tensor] = form.flatten(value, reader)
  return found


def unflatten(form: BaseForm, tensors: Iterator[tf.Tensor]) -> Any:
  """Makes a value of this form, taking its tensors from an iterator."""
  return form.unflatten(tensors)


def specs(form: Form) -> Iterator[tf.TensorSpec]:
  """Yields the specs of the tensors that a value of this form has; none of an unknown form."""
  if form is not None:
    yield from form.specs()


def can_be_made(form: Form) -> bool:
  """Tells whether a value of a form can be an object that a run makes, or is one of the heap."""
  return form is not None and form.can_be_made()


def can_be_none(form: Form) -> bool:
  """Tells whether a value of this form may be None in its place on other paths."""
  return form is not None and form.can_be_none()


def sequence_type(form: Form) -> object:
  """Returns list, tuple or the named tuple that values of a form are; None if they are none."""
  return None if form is None else form.sequence_type()


def parts_of_form(form: Form) -> tuple[Form, ...] | None:
  """Returns the forms of the elements of a list or tuple of known length; None of all else."""
  return None if form is None else form.elements()


def number_type(form: Form) -> type | None:
  """Returns the type of the numbers of a form, None if they are none."""
  return None if form is None else form.number_type()


def _children(form: Form) -> tuple[Form, ...]:
  return () if form is None else form.children()


def has_rows(form: Form) -> bool:
  """Tells whether there is a list of unknown length in values of this form."""
  return form is not None and form.has_rows()


def has_views(form: Form) -> bool:
  """Tells whether values of this form hold a range or a view of a dict."""
  if isinstance(form, NestForm) and form.type in VIEWS.values():
    return True
  if isinstance(form, RowsForm) and form.type is None:
    return True
  return any(map(has_views, _children(form)))


def has_sets(form: Form) -> bool:
  """Tells whether there are sets in values of this form."""
  is_set = isinstance(form, TableForm) and form.type in SETS
  return is_set or any(map(has_sets, _children(form)))


def has_own_factories(form: Form) -> bool:
  """Tells whether there are dicts that call functions which are others in each run."""
  is_one = isinstance(form, TableForm) and form.has_own_factory()
  return is_one or any(map(has_own_factories, _children(form)))


def has_containers_in_rows(form: Form) -> bool:
  """Tells whether lists of unknown length in values of this form have containers in them."""
  if isinstance(form, RowsForm):
    return has_containers(form.element)
  return any(map(has_containers_in_rows, _children(form)))


def has_containers(form: Form) -> bool:
  """Tells whether there are lists, dicts or objects that the program makes in such values."""
  if isinstance(form, TableForm) or (
    isinstance(form, NestForm) and not issubclass(form.type, tuple)
  ):
    return True
  if isinstance(form, RowsForm) and form.type is list:
    return True
  return any(map(has_containers, _children(form)))


def has_made(form: Form) -> bool:
  """Tells whether there is anything in values of this form that only the run knows."""
  return isinstance(form, MadeForm) or any(map(has_made, _children(form)))


def has_gradients(form: Form) -> bool:
  """Tells whether there are tensors, other than Python's numbers, that may have a gradient."""
  dtypes = form.dtypes() if isinstance(form, (TensorForm, ArrayForm, WeakForm)) else []
  is_one = any(dtype.is_floating or dtype.is_complex for dtype in dtypes)
  return is_one or any(map(has_gradients, _children(form)))


def depth(form: Form) -> int:
  """Returns how deep containers of the program's lie in each other in values of this form."""
  is_container = isinstance(form, (NestForm, RowsForm))
  return is_container + max(map(depth, _children(form)), default=0)


def arrays(form: Form) -> Iterator[ArrayForm]:
  """Yields the forms of arrays in a form."""
  if isinstance(form, ArrayForm):
    yield form
  for child in _children(form):
    yield from arrays(child)


def constants(form: Form) -> Iterator[object]:
  """Yields the constants in values of a form."""
  if isinstance(form, StaticForm):
    yield form.value
  for child in _children(form):
    yield from constants(child)


def classes_of_parts(form: Form) -> Iterator[type]:
  """Yields the classes of containers whose parts are known at conversion, in a form."""
  if isinstance(form, NestForm):
    yield form.type
  for child in _children(form):
    yield from classes_of_parts(child)


def is_stackable(form: Form) -> bool:
  """Tells whether a mapped call gives one structure of stacked rows, as `stacked` does."""
  return form is None or form.is_stackable()


def generalized(form: BaseForm, is_argument: bool = False) -> BaseForm:
  """Returns the form that a recursive function takes: numbers may change from call to call."""
  if is_argument and isinstance(form, StaticForm) and type(form.value) in (int, float):
    return NumberForm(type(form.value))
  if isinstance(form, NestForm):
    parts = tuple(generalized(part, is_argument) for part in form.parts)
    return NestForm(form.type, form.keys, parts)
  return form


def ended(form: BaseForm) -> BaseForm:
  """Returns the form, without an end, as one that has one: a tuple stays one, of such parts."""
  if not isinstance(form, NestForm) or not issubclass(form.type, tuple):
    return MadeForm()
  return NestForm(form.type, form.keys, tuple(map(_of_one_size, form.parts)))


def _of_one_size(part: BaseForm) -> BaseForm:
  """Returns the form of a part of an element: tensors of other sizes could not be in one list."""
  is_open = part.is_structured() or not all(spec.shape.is_fully_defined() for spec in specs(part))
  return MadeForm() if is_open else part


def holds_numbers(form: BaseForm) -> bool:
  """Tells whether it is that of a list or dict of objects of the run, each known by its number."""
  element = form.rows.element if isinstance(form, TableForm) else None
  if isinstance(element, NestForm) and isinstance(form, TableForm) and form.type is not set:
    return not has_made(element.parts[0]) and element.parts[1] == MadeForm()
  return form == RowsForm(MadeForm())


def describe(form: Form) -> str:
  """Returns what messages call a value of this form."""
  return "nothing" if form is None else str(form.describe())


def part_of(rows: Rows, position: int) -> Rows:
  """Returns part `position` of elements that are nests; of none as none are known."""
  if rows.form is None:
    return rows
  forms = rows.form.elements()
  if not forms:
    assert isinstance(rows.form, NestForm)  # A dict, or an object.
    forms = rows.form.parts
  first = sum(len(list(specs(part))) for part in forms[:position])
  count = len(list(specs(forms[position])))
  return Rows(rows.length, rows.tensors[first : first + count], forms[position])
