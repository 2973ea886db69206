"""Forms of single values: constants, tensors, arrays, numbers, objects of the heap, functions."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert.values import _checks, _scalars
from recursive_tf.convert.values._abstract import (
  ABSTRACT,
  Array,
  Base,
  IntOrFloat,
  Provenance,
  Ref,
  Undefined,
  Weak,
  shown,
)
from recursive_tf.convert.values._containers import stacked
from recursive_tf.convert.values._forms.base import (
  EAGER_TENSOR,
  NONE,
  NUMBERS,
  SCALARS,
  BaseForm,
  Class,
  DoesNotFit,
  Encoded,
  HandleForm,
  Join,
  Mismatch,
  NoneType,
  Parts,
  Reader,
  Seen,
  Source,
  as_int_or_float,
  as_number,
  dtype_of_number,
  exact_float,
  fits,
  is_exact,
  is_heap_object,
  join_specs,
  number_of,
  same_static,
)
from recursive_tf.convert.values._forms.maybe import MaybeForm
from recursive_tf.convert.values._forms.nest import NestForm
from recursive_tf.convert.values._logits import has_logits
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Alike
from recursive_tf.convert.values._scalars import Scalar


@dataclasses.dataclass(frozen=True)
class StaticForm(BaseForm):
  """The same Python object each time."""

  is_static = True
  value: object

  def __eq__(self, other: object) -> bool:
    return isinstance(other, StaticForm) and same_static(self.value, other.value)

  def __hash__(self) -> int:
    return hash(type(self.value))

  def flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return []

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return self.value

  def constant(self) -> tuple[object, ...]:
    return (self.value,)

  def describe(self) -> str:
    return f"the constant {shown(self.value)}"

  def number_type(self) -> type | None:
    return type(self.value) if type(self.value) in NUMBERS else None

  def scalar_kinds(self) -> frozenset[type]:
    return frozenset([type(self.value)]) & SCALARS

  def sequence_type(self) -> type | None:
    kind = type(self.value)
    return kind if issubclass(kind, (list, tuple)) else None

  def elements(self) -> tuple[BaseForm, ...] | None:
    return tuple(map(StaticForm, self.value)) if isinstance(self.value, tuple) else None

  def is_of_strings(self) -> bool:
    return type(self.value) is str

  def is_repeatable(self) -> bool:
    return True

  def skeleton(self) -> object:
    value = self.value
    if type(value) is tuple:
      return tuple, tuple(StaticForm(part).skeleton() for part in value)
    if value is None or isinstance(value, (str, int, float, bool, bytes)):
      return type(value), value
    return "object", id(value)

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if isinstance(other, StaticForm):
      return _join_static(self.value, other.value, join)
    if self.value is None and other is not None and other.can_be_none():
      return MaybeForm(other)
    if isinstance(other, NestForm) and isinstance(self.value, tuple):
      parts = tuple(StaticForm(item) for item in self.value)
      found: BaseForm = join(other, NestForm(type(self.value), tuple(range(len(parts))), parts))
      return found
    return _join_numbers(self, other)

  def can_be_unbound(self) -> bool:
    return True

  def can_be_made(self) -> bool:
    return self.value is None or is_heap_object(self.value)

  def not_made(self) -> str | None:
    return "A function" if isinstance(self.value, ABSTRACT) else None

  def rebuild(self, parts: Parts, source: Source) -> object:
    return self.value

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    return stacked([self.value] * count)

  def is_of_tensors(self) -> bool:
    kinds = (*NUMBERS, str, bytes, tf.Tensor, tf.Variable, np.ndarray, np.generic)
    return isinstance(self.value, kinds)

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    if not same_static(self.value, value):
      raise DoesNotFit
    return []


def _join_static(a: object, b: object, join: Join) -> BaseForm | None:
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


def _join_numbers(a: BaseForm, b: BaseForm | None) -> BaseForm | None:
  """Returns the form of ints and floats; None if these are others, or objects of the heap."""
  if b is None or (a.is_of_heap() and b.is_of_heap()):
    return None
  kinds = a.number_types(), b.number_types()
  return IntOrFloatForm() if all(kinds) and len(kinds[0] | kinds[1]) == 2 else None


def _noted(tensor: object, reader: Reader) -> object:
  """Returns a tensor that is brought into a form, noted if it is another one behind that."""
  if has_logits(tensor):
    reader.note_logits()
  return tensor


@dataclasses.dataclass(frozen=True)
class TensorForm(BaseForm):
  """A tensor."""

  is_tensor = True
  spec: tf.TensorSpec

  def is_value(self) -> bool:
    return True

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield self.spec

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return [_noted(tf.convert_to_tensor(reader.tensor(reader.resolve(value))), reader)]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    tensor = next(tensors)
    tensor.set_shape(self.spec.shape)
    return tensor

  def describe(self) -> str:
    return f"a tensor {self.spec.dtype.name}{self.spec.shape}"

  def is_repeatable(self) -> bool:
    return self.has_ranks()

  def seen(self) -> Iterator[Seen]:
    yield (), frozenset([EAGER_TENSOR]), self.spec

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, RefForm) and old.types == {EAGER_TENSOR}:
      return [reader.tensors(next(tensors), self.spec)]
    return super()._widened(old, tensors, length, reader)

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if isinstance(other, TensorForm):
      return TensorForm(join_specs(self.spec, other.spec))
    if isinstance(other, RefForm) and other.types == {EAGER_TENSOR} and self.has_ranks():
      return self  # Elements of a list of the heap, which are read.
    number = None if other is None else other.number_type()
    is_taken = number is int and self.spec.dtype.is_integer
    if number in (int, float) and (self.spec.dtype.is_floating or is_taken):
      return WeakForm(self.spec, number)
    return None

  def can_be_none(self) -> bool:
    return self.has_ranks()

  def can_be_made(self) -> bool:
    return self.has_ranks()

  def rebuild(self, parts: Parts, source: Source) -> object:
    return source.tensor(next(parts), self.spec.dtype)

  def is_of_tensors(self) -> bool:
    return True

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    if not isinstance(value, tf.Tensor) or not fits(self.spec, value):
      raise DoesNotFit
    return [value]


@dataclasses.dataclass(frozen=True)
class ArrayForm(BaseForm):
  """An array or a scalar of NumPy, or a variable; see `Array`.

  Attributes:
    has_number: whether a number says which object of the heap it is, `NONE` of tensors and of what
      the run makes.
    is_new: whether the program computes it; with a number, whether it may be such an array.
  """

  spec: tf.TensorSpec
  types: frozenset[type]
  is_new: bool
  has_number: bool = False

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield self.spec
    if self.has_number:
      yield tf.TensorSpec([], tf.int32)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    found = [tf.convert_to_tensor(reader.tensor(reader.resolve(value)))]
    return [*found, reader.array_number(value)] if self.has_number else found

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    tensor = next(tensors)
    tensor.set_shape(self.spec.shape)
    if self.has_number:
      return Array(tensor, self.types, False, next(tensors), self.is_new)
    return Array(tensor, self.types, self.is_new)

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if not isinstance(old, (ArrayForm, TensorForm)) or old.spec.dtype != self.spec.dtype:
      return super()._widened(old, tensors, length, reader)
    found = next(tensors)
    has_number = isinstance(old, ArrayForm) and old.has_number
    numbers = next(tensors) if has_number else tf.fill([length], NONE)
    return [found, numbers] if self.has_number else [found]

  @property
  def is_of_tensors_or_variables(self) -> bool:
    """Whether all values are tensors or variables."""
    return all(issubclass(kind, (tf.Tensor, tf.Variable)) for kind in self.types)

  @property
  def is_known(self) -> bool:
    """Whether all values but tensors are objects that their numbers tell."""
    return self.has_number and not self.is_new

  def describe(self) -> str:
    names = " or ".join(sorted(kind.__name__ for kind in self.types))
    return f"an array ({names}) {self.spec.dtype.name}{self.spec.shape}"

  def seen(self) -> Iterator[Seen]:
    yield (), self.types, self.spec

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if not isinstance(other, (ArrayForm, TensorForm)):
      return None
    spec = join_specs(self.spec, other.spec)
    if isinstance(other, TensorForm):
      return ArrayForm(spec, self.types | {EAGER_TENSOR}, self.is_new, self.has_number)
    both = self, other
    types = self.types | other.types
    # Views are no objects of the heap, nor are they new.
    has_number = any(f.has_number for f in both) and all(f.has_number or f.is_new for f in both)
    is_new = any(f.is_new for f in both) if has_number else all(f.is_new for f in both)
    return ArrayForm(spec, types, is_new, has_number)

  def can_be_none(self) -> bool:
    return self.has_ranks()

  def can_be_made(self) -> bool:
    return self.has_ranks()

  def not_made(self) -> str | None:
    return super().not_made() if self.is_known else "An array, or a variable,"

  def rebuild(self, parts: Parts, source: Source) -> object:
    part = next(parts)
    number = int(next(parts)) if self.has_number else NONE
    return self._object(part, number, source)

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    part = next(parts)
    if not self.has_number:
      return [self._array(source.numbers(one)) for one in source.elements(part, count)]
    numbers = source.numbers(next(parts))
    if not any(issubclass(kind, np.ndarray) for kind in self.types):
      return part  # Stacked, tensors and variables are one tensor.
    elements = source.elements(part, count)
    return [self._object(*pair, source) for pair in zip(elements, numbers, strict=True)]

  def _object(self, part: object, number: int, source: Source) -> object:
    """Returns the object that a number tells, or what the run has made."""
    if number >= 0:
      return source.object_of(int(number))
    if EAGER_TENSOR in self.types:  # Of which a tape knows where it is from.
      return source.tensor(part, self.spec.dtype)
    return self._array(source.numbers(part))

  def _array(self, numbers: object) -> object:
    is_array = self.types == {np.ndarray} and self.spec.shape.rank == 0
    return np.array(numbers) if is_array else numbers  # TensorFlow gives a scalar.

  def is_of_tensors(self) -> bool:
    return True

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    if type(value) not in self.types or not fits(self.spec, value):
      raise DoesNotFit
    if not self.has_number:
      return [value]
    return [value, np.int32(NONE if isinstance(value, tf.Tensor) else next(handles))]

  def objects_in(self, value: object) -> Iterator[object]:
    if self.has_number and not isinstance(value, tf.Tensor):
      yield value


class _OfNumbers(BaseForm):
  """Python numbers of some type."""

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    return _join_numbers(self, other)

  def is_value(self) -> bool:
    return True

  def can_be_none(self) -> bool:
    return True

  def can_be_made(self) -> bool:
    return True


@dataclasses.dataclass(frozen=True)
class NumberForm(_OfNumbers):
  """A Python number.

  Attributes:
    type: int, float or bool.
    is_read: whether it was read from the heap, so that it is an object there, too.
  """

  type: type
  is_read: bool = False

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], dtype_of_number(self.type))

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    value = reader.resolve(value)
    if isinstance(value, Scalar):  # A test has said that it is of this kind.
      value = value.number(self.type)
    return [tf.cast(as_number(value).tensor, dtype_of_number(self.type))]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Number(next(tensors), self.type)

  def describe(self) -> str:
    return f"a Python {self.type.__name__}"

  def number_type(self) -> Class | None:
    return self.type

  def scalar_kinds(self) -> frozenset[Class]:
    return frozenset([self.type])

  def scalar_rows(
    self, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    kinds = tf.fill([length], _scalars.code(self.type))
    return kinds, _scalars.bits_of(Number(next(tensors), self.type)), _scalars.no_text()

  def is_of_heap(self) -> bool:
    return self.is_read

  def is_key(self) -> bool:
    return self.type in (int, bool)

  def in_rows(self) -> NumberForm:
    return NumberForm(self.type)

  def is_repeatable(self) -> bool:
    return True

  def seen(self) -> Iterator[Seen]:
    yield (), frozenset([self.type]), None

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if other is not None and other.number_type() is self.type:
      return NumberForm(self.type)
    if self.is_read and isinstance(other, NumberForm) and other.is_read:
      return RefForm(frozenset([self.type, other.type]))
    if isinstance(other, RefForm) and not self.is_read and other.types <= {*NUMBERS}:
      types = other.types | {self.type}
      if len(types) == 1:
        return NumberForm(self.type)
      return IntOrFloatForm() if types == {int, float} else None
    return super().joined(other, join)

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, RefForm) and old.types == {self.type}:
      (numbers,) = reader.numbers(next(tensors), old.types)
      return [tf.cast(numbers, dtype_of_number(self.type))]
    return super()._widened(old, tensors, length, reader)

  def rebuild(self, parts: Parts, source: Source) -> object:
    return self.type(source.numbers(next(parts)))

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    return [self.type(value) for value in source.numbers(next(parts)).tolist()]

  def is_of_tensors(self) -> bool:
    return True

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    is_own = type(value) is self.type
    if isinstance(value, int) and is_own and self.type is int:
      is_own = -(2**63) <= value < 2**63
    if not is_own:
      raise DoesNotFit
    return [np.asarray(value, dtype_of_number(self.type).as_numpy_dtype)]


@dataclasses.dataclass(frozen=True)
class IntOrFloatForm(_OfNumbers):
  """A Python int or float; see `IntOrFloat`.

  Attributes:
    is_read: whether it was read from the heap, so that it is an object there, too.
  """

  is_read: bool = False

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.float64)
    yield tf.TensorSpec([], tf.bool)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    found = as_int_or_float(reader.resolve(value))
    return [found.value.tensor, found.is_int]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, RefForm) and old.types == {int, float}:
      return reader.numbers(next(tensors), old.types)
    if isinstance(old, RefForm) and len(old.types) == 1 and old.types <= {int, float}:
      (kind,) = old.types
      (numbers,) = reader.numbers(next(tensors), old.types)
    elif isinstance(old, NumberForm) and old.type is not bool:
      kind, numbers = old.type, next(tensors)
    else:
      return super()._widened(old, tensors, length, reader)
    is_int = kind is int
    return [exact_float(numbers) if is_int else numbers, tf.fill([length], is_int)]

  def is_repeatable(self) -> bool:
    return True

  def is_of_heap(self) -> bool:
    return self.is_read

  def in_rows(self) -> IntOrFloatForm:
    return IntOrFloatForm()

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return IntOrFloat(Number(next(tensors), float), next(tensors))

  def describe(self) -> str:
    return "a Python int or float"

  def number_types(self) -> frozenset[type]:
    return frozenset([int, float])

  def scalar_kinds(self) -> frozenset[type]:
    return frozenset([int, float])

  def scalar_rows(
    self, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    kinds, bits = _scalars.parts_of_either(next(tensors), next(tensors))
    return kinds, bits, _scalars.no_text()

  def seen(self) -> Iterator[Seen]:
    yield (), frozenset([int, float]), None
    yield (("float",),), frozenset([float]), None
    yield (("isinstance", (int,)),), frozenset([bool]), None

  def rebuild(self, parts: Parts, source: Source) -> object:
    number, is_int = source.numbers(next(parts)), source.numbers(next(parts))
    return int(number) if is_int else float(number)

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    numbers, are_ints = source.numbers(next(parts)), source.numbers(next(parts))
    pairs = zip(numbers, are_ints, strict=True)
    return [int(number) if is_int else float(number) for number, is_int in pairs]

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    if type(value) is float:
      return [np.float64(value), np.bool_(False)]
    if type(value) is int and abs(value) < 2**53:
      return [np.float64(value), np.bool_(True)]
    raise DoesNotFit


def _held(tensor: tf.Tensor, numbers: tf.Tensor) -> tf.Tensor:
  """Returns numbers as a tensor of another type; the run fails if it cannot hold them."""
  again = tf.cast(tensor, numbers.dtype)
  exact = tf.equal(again, numbers)
  if numbers.dtype.is_floating:
    exact |= tf.math.is_nan(numbers)
  message = "a number that the tensor in its place cannot hold"
  return _checks.check(tensor, tf.reduce_all(exact), message)


@dataclasses.dataclass(frozen=True)
class WeakForm(BaseForm):
  """A tensor, or a Python number of this type."""

  spec: tf.TensorSpec
  type: type

  def __post_init__(self) -> None:
    """Leaves sizes of 0 open: a number is kept in the elements of the tensor in its place."""
    if self.spec.shape.rank is not None and 0 in self.spec.shape.as_list():
      sizes = [size or None for size in self.spec.shape.as_list()]
      object.__setattr__(self, "spec", tf.TensorSpec(sizes, self.spec.dtype))

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield self.spec
    yield tf.TensorSpec([], tf.bool)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    value = reader.resolve(value)
    if isinstance(value, Weak):
      return [value.tensor, value.is_number]
    number = number_of(value)
    if number is None:
      return [_noted(tf.convert_to_tensor(value), reader), tf.constant(False)]
    if self.spec.shape.rank is None:
      raise Mismatch(f"a Python {self.type.__name__} and tensors of several ranks")
    shape = [1 if size is None else size for size in self.spec.shape.as_list()]
    tensor = tf.cast(number.tensor, self.spec.dtype)
    if not is_exact(value, self.spec.dtype):
      tensor = _held(tensor, number.tensor)
    return [tf.fill(shape, tensor), tf.constant(True)]

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if isinstance(old, WeakForm):
      return super()._widened(old, tensors, length, reader)
    if isinstance(old, NumberForm) and old.type is self.type and self.spec.shape.rank == 0:
      numbers = next(tensors)
      return [_held(tf.cast(numbers, self.spec.dtype), numbers), tf.fill([length], True)]
    if not isinstance(old, TensorForm):
      raise Mismatch(f"elements {old.describe()} and {self.describe()}")
    return [next(tensors), tf.fill([length], False)]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Weak(next(tensors), next(tensors), self.type)

  def describe(self) -> str:
    return f"a tensor {self.spec.dtype.name}{self.spec.shape}"

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    if isinstance(other, WeakForm) and other.type is not self.type:
      return None
    if isinstance(other, (TensorForm, WeakForm)):
      return WeakForm(join_specs(self.spec, other.spec), self.type)
    return self if other is not None and other.number_type() is self.type else None

  def can_be_made(self) -> bool:
    return self.has_ranks()

  def rebuild(self, parts: Parts, source: Source) -> object:
    tensor, is_number = next(parts), next(parts)
    if bool(is_number):
      return self.type(source.numbers(tensor).reshape(-1)[0])
    return source.tensor(tensor, self.spec.dtype)

  def is_stackable(self) -> bool:
    return False

  def is_of_tensors(self) -> bool:
    return True

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    dtype, shape = self.spec.dtype, self.spec.shape
    if isinstance(value, tf.Tensor):
      if value.dtype != dtype or not shape.is_compatible_with(value.shape):
        raise DoesNotFit
      return [value, np.False_]
    if type(value) is not self.type or not is_exact(value, dtype) or shape.rank is None:
      raise DoesNotFit
    sizes = [1 if size is None else size for size in shape.as_list()]
    return [np.full(sizes, value, dtype.as_numpy_dtype), np.True_]


@dataclasses.dataclass(frozen=True)
class RefForm(HandleForm):
  """An object of the heap, with the exact types it can have.

  Attributes:
    types: these.
    origin: where it comes from, if that is known; see `Base`.
  """

  types: frozenset[type]
  origin: Provenance | None = None

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return [reader.base(value).handle]

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Ref(Base(next(tensors), self.types, origin=self.origin))

  def describe(self) -> str:
    return f"an object ({', '.join(sorted(t.__name__ for t in self.types))})"

  def number_types(self) -> frozenset[type]:
    return self.types if self.types == {int, float} else frozenset()

  def there(self) -> BaseForm:
    return RefForm(self.types - {NoneType}, self.origin)

  def scalar_kinds(self) -> frozenset[type]:
    return self.types if self.types <= SCALARS else frozenset()

  def scalar_rows(
    self, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    return reader.scalars(next(tensors), self.types)

  def is_of_strings(self) -> bool:
    return self.types == {str}

  def is_key(self) -> bool:
    return True

  def is_of_heap(self) -> bool:
    return True

  def covers_none(self) -> bool:
    return NoneType in self.types

  def is_repeatable(self) -> bool:
    return True

  def seen(self) -> Iterator[Seen]:
    yield (), self.types, None

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    found = _join_numbers(self, other)
    if found is not None:
      return found
    if isinstance(other, RefForm):
      return RefForm(self.types | other.types)
    if isinstance(other, StaticForm) and (other.value is None or is_heap_object(other.value)):
      return RefForm(self.types | {type(other.value)})
    if other is not None and other.is_of_heap() and other.scalar_kinds():  # A number.
      return RefForm(self.types | other.scalar_kinds())
    return None

  def can_be_unbound(self) -> bool:
    return True

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    if type(value) not in self.types:
      raise DoesNotFit
    return [np.int32(next(handles))]

  def objects_in(self, value: object) -> Iterator[object]:
    yield value


@dataclasses.dataclass(frozen=True, eq=False)
class AlikeForm(BaseForm):
  """A function from outside in whose place each call has another one that does the same."""

  function: object

  def __eq__(self, other: object) -> bool:
    return isinstance(other, AlikeForm) and other.function is self.function

  def __hash__(self) -> int:
    return id(self.function)

  def flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return []

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Alike(tf.constant(0), (self.function,))

  def describe(self) -> str:
    return Alike.description

  def skeleton(self) -> object:
    return "alike", id(self.function)


@dataclasses.dataclass(frozen=True)
class ClosureForm(BaseForm):
  """A function that is defined inside another, whose variables travel beside it."""

  node: ast.AST

  def flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return []

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    return Undefined("function")  # It is made again with its scopes.

  def skeleton(self) -> object:
    return "function", id(self.node)
