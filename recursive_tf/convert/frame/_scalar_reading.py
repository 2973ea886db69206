"""Reading Python scalars of several kinds: numbers and strings of objects, and what tests say."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable

import tensorflow as tf

from recursive_tf.convert.frame._reading import Reading
from recursive_tf.convert.values import _forms, _scalars
from recursive_tf.convert.values._abstract import Base, IntOrFloat, Missing, Path, Ref, shown
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import Text, tensor_of
from recursive_tf.convert.values._value import nearest


class ScalarReading(Reading):
  """What a body reads and knows of scalars; the attributes are those of `Reading`."""

  def scalar_or_none(self, value: object) -> object:
    """Returns a read of a scalar or None as a `Maybe`; all else as it is."""
    value = self.optional(value)
    if not isinstance(value, Ref):
      return value
    types = self.types_of(value)
    kinds = types - {NoneType, Missing}
    is_either = NoneType in types and bool(kinds) and kinds <= _forms.SCALARS
    return self.or_none(value, kinds) if is_either else value

  def kinds_of(self, scalar: Scalar) -> frozenset[type]:
    """Returns the kinds that a scalar can be of here."""
    return self.narrowed(scalar) or scalar.kinds

  def view(self, scalar: Scalar) -> object:
    """Returns a scalar as what it is here: a number or a string, if there is one kind only."""
    kinds = self.kinds_of(scalar)
    if len(kinds) > 1:
      return scalar if kinds == scalar.kinds else dataclasses.replace(scalar, kinds=kinds)
    (kind,) = kinds
    key = "view", id(scalar.kind), kind
    made = self.memo(
      key, lambda: (scalar, Text((scalar.text,)) if kind is str else scalar.number(kind))
    )
    return made[1]

  def scalar(self, value: object) -> Scalar:
    """Returns what is a Python bool, int, float or string, known or not, as one of any kind."""
    found = self.as_scalar(value)
    if found is None:
      raise _forms.Mismatch(f"a Python scalar and {shown(value)}")
    return found

  def as_scalar(self, value: object) -> Scalar | None:
    """Returns what is a Python bool, int, float or string as a `Scalar`; None of all else."""
    value = self.resolve(value)
    return nearest(_SCALARS, value)(self, value)

  def scalar_of_read(self, ref: Ref) -> Scalar | None:
    """Returns a read as a scalar; None if it may be anything else."""
    kinds = self.types_of(ref) - {NoneType, Missing}
    if not kinds or not kinds <= _forms.SCALARS:
      return None
    key = "scalar", *ref.key, kinds, self._gathering.is_sure(ref)
    found: tuple[Ref, Scalar] = self.memo(key, lambda: (ref, self._checked_scalar(ref, kinds)))
    return found[1]

  def _checked_scalar(self, ref: Ref, kinds: frozenset[type]) -> Scalar:
    """Returns a read as a scalar; the run fails where it gives None."""
    if NoneType not in self.types_of(ref):
      return _scalars.of_text(self.string(ref)) if kinds == {str} else self.read_scalar(ref, kinds)
    handle = self.base(ref).handle
    handle = self.check(handle, handle >= 0, "None where a value is needed")
    return self.read_scalar(Ref(Base(handle, kinds)), kinds)

  def read_scalar(self, ref: Ref, kinds: frozenset[type]) -> Scalar:
    """Returns a read of what is no None as a scalar, or any where it is None.

    The object is read; of other kinds it has no such number, or string, but another one is there.
    """
    self.partial()
    handle = self.base(ref).handle
    parts = self.scalars(tf.maximum(handle, 0) if ref.path else handle, kinds)
    return Scalar(*parts, kinds)

  def scalars(
    self, handles: tf.Tensor, kinds: frozenset[type]
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns scalars of the heap, of one handle or of [N]: their kinds, bits and texts."""
    handles = tf.identity(handles)  # What a test has said of the object is of all its kinds.
    # What is last of these is all that is none of those before.
    first, *others = [kind for kind in (int, bool, float, str) if kind in kinds]
    kind = tf.fill(tf.shape(handles), _scalars.code(first))
    kind.set_shape(handles.shape)
    for other in others:
      is_other = self._column(handles, kinds, (("isinstance", (other,)),), bool)
      kind = tf.where(is_other, _scalars.code(other), kind)
    numbers = kinds - {str}
    if float in numbers and len(numbers) > 1:
      values = self._column(handles, numbers, (("float",),), float)
      if int in numbers:
        values = _forms.checked_ints(values, tf.equal(kind, _scalars.code(int)))
      are_floats = tf.equal(kind, _scalars.code(float))
      bits = _scalars.parts_of_either(values, tf.logical_not(are_floats))[1]
    elif len(numbers) > 1:
      bits = tf.cast(self._column(handles, numbers, (("int",),), int), tf.int64)
    elif numbers:
      (own,) = numbers
      bits = _scalars.bits_of(Number(self._column(handles, numbers, (), own), own))
    else:
      bits = tf.zeros_like(kind, tf.int64)
    if str not in kinds:
      return kind, bits, _scalars.no_text()
    return kind, bits, self.string(Ref(Base(handles, frozenset([str]))))

  def _column(
    self, handles: tf.Tensor, types: frozenset[type], path: Path, type_: type
  ) -> tf.Tensor:
    """Returns a number that is read of one object or of several."""
    ref = Ref(Base(handles, types), path)
    if Missing in self.types_of(ref):
      raise self.mixed(ref, "a number")
    if handles.shape.rank == 0:
      return self.number(ref).tensor
    if self.is_wide(ref, type_):
      return self.wide(self._gathering.numbers(ref.step("float"), float))
    return self._gathering.numbers(ref, type_)


def _of_text(body: ScalarReading, value: object) -> Scalar:
  return _scalars.of_text(tensor_of(value, body))


def _of_known(body: ScalarReading, value: object) -> Scalar | None:
  number = _forms.number_of(value)
  return None if number is None else _scalars.of_number(number)


# By class of the value, or the nearest of its bases.
_SCALARS = types.MappingProxyType[type, Callable[..., Scalar | None]](
  {
    Scalar: lambda body, value: value,
    Ref: ScalarReading.scalar_of_read,
    IntOrFloat: lambda body, value: _scalars.of_either(value),
    Text: _of_text,
    str: lambda body, value: _of_text(body, value) if type(value) is str else None,
    object: _of_known,
  }
)
