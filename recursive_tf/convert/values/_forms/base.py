"""What all forms offer, what they need of a frame, and the numbers and objects that they know."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, TypeGuard

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.values import _checks
from recursive_tf.convert.values._abstract import (
  Base,
  BoundMethod,
  Builtin,
  Closure,
  IntOrFloat,
  Path,
  Ref,
  Unset,
  has_more,
)
from recursive_tf.convert.values._containers import stacked
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByType
from recursive_tf.convert.values._scalars import KINDS, Scalar

NoneType = type(None)
EAGER_TENSOR = tf.__internal__.EagerTensor  # Making one would start TensorFlow's threads.
NUMBERS = (bool, int, float)
_VALUES = (*NUMBERS, str, bytes, range, slice, tf.DType, tf.TensorShape)
SCALARS = frozenset([*KINDS, NoneType])
NONE = -1  # The handle of None, and of what is no object of the heap.
_LIBRARIES = ("numpy", "tensorflow")  # Theirs are plain values, too.


class Mismatch(Exception):  # noqa: N818 - control flow, becomes a refusal where the place is known
  """Two values have no form in common."""


class Reader(Protocol):
  """What forms need of the frame in which a value is brought into a form."""

  def assume(self, value: tf.Tensor, ok: tf.Tensor, message: str) -> tf.Tensor:
    """Returns the tensor; the run fails where it is used and `ok` is not true."""

  def resolve(self, value: object) -> object:
    """Returns a `Ref` to a number or an array as what it is; other values as they are."""

  def optional(self, value: object) -> object:
    """Returns a read of a number or array or None as a `Maybe`; all else as it is."""

  def base(self, value: object) -> Base:
    """Returns the object behind a `Ref` or a static object with its handle."""

  def types_of(self, ref: Ref) -> frozenset[type]:
    """Returns the exact types that a `Ref` can have."""

  def source(self, value: object) -> Ref | None:
    """Returns the read that gave a number."""

  def tensor(self, value: object) -> tf.Tensor:
    """Returns a value as TensorFlow would take it."""

  def array_number(self, value: object) -> tf.Tensor:
    """Returns the number of an array or a variable; `NONE` of tensors and of what the run makes."""

  def note_copied(self, variable: object) -> None:
    """Notes that what a variable holds goes on in its place."""

  def note_logits(self) -> None:
    """Notes that a tensor with logits of Keras' goes on as another one, without them."""

  def string(self, ref: Ref) -> tf.Tensor:
    """Returns a read as the string tensor that TensorFlow makes of it."""

  def numbers(self, handles: tf.Tensor, types: frozenset[type]) -> list[tf.Tensor]:
    """Returns numbers of the heap: [N] of one type, or of ints and floats [N], and which are ints.

    Args:
      handles: theirs, int32 [N].
      types: their exact types, which are those of numbers.
    """

  def tensors(self, handles: tf.Tensor, spec: tf.TensorSpec) -> tf.Tensor:
    """Returns tensors of the heap as one, [N, ...].

    Args:
      handles: theirs, int32 [N].
      spec: what each of them has to be.

    Raises:
      Mismatch: If they may be others.
    """

  def count(self, number: Number) -> tf.Tensor:
    """Returns how often something is repeated, int32 []."""

  def scalar(self, value: object) -> Scalar:
    """Returns what is a Python bool, int, float or string, known or not, as one of any kind."""

  def as_scalar(self, value: object) -> Scalar | None:
    """Returns what is a Python bool, int, float or string as a `Scalar`; None of all else."""

  def scalars(
    self, handles: tf.Tensor, kinds: frozenset[type]
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns scalars of the heap, of one handle or of [N]: their kinds, bits and texts."""

  def scalar_or_none(self, value: object) -> object:
    """Returns a read of a scalar or None as a `Maybe`; all else as it is."""

  def is_new_array(self, value: object) -> bool:
    """Tells whether a known array of NumPy is one that each call makes anew."""

  def is_made_string(self, ref: Ref) -> bool:
    """Tells whether a read makes a string of another one, which is no object of the heap."""

  def handle(self, value: object) -> tf.Tensor:
    """Returns the number of a value, int32 []; one that is none of the heap's becomes an object."""

  def handles_of_rows(
    self, form: BaseForm, tensors: list[tf.Tensor], length: tf.Tensor
  ) -> tf.Tensor:
    """Returns the numbers of values of one form [N], each of which becomes an object.

    Args:
      form: theirs; they have no identity.
      tensors: theirs, stacked.
      length: the number of them.
    """

  def note_old(self, types: Iterable[type]) -> None:
    """Notes of which types the old objects are that are known by their numbers."""

  def has_handle(self, container: object) -> bool:
    """Tells whether a container has a number already."""

  def pin(self, value: object, holder: object) -> None:
    """Notes that the containers in a value become elements of a list of unknown length."""

  def refuse(self, reason: Reason, explanation: str) -> ConversionRefused:
    """Returns the refusal of what is being converted; raise it."""


class DoesNotFit(Exception):  # noqa: N818 - control flow, becomes an outdated assumption
  """A value is not of the form."""


class Source:
  """Where Python values are made: of the tensors that a run returned.

  Args:
    object_of: gives the object of a handle.
  """

  def __init__(self, object_of: Callable[[int], object]):
    self.object_of = object_of

  def numbers(self, part: tf.Tensor) -> Any:
    """Returns a part as NumPy has it."""
    return part.numpy()

  def tensor(self, part: object, dtype: tf.DType) -> object:
    """Returns a part as a tensor."""
    return part

  def elements(self, part: object, length: int) -> Sequence[object]:
    """Returns the parts of which one is a stack."""
    found: list[object] = tf.unstack(part, num=length)
    return found


class BaseForm:
  """What several values of one place have in common; by itself a form without tensors.

  Attributes:
    is_static: whether all values are one Python object.
    is_tensor: whether all values are tensors.
  """

  is_static = False
  is_tensor = False

  # --- What it is of

  def specs(self) -> Iterator[tf.TensorSpec]:
    """Yields the specs of the tensors that a value of this form has."""
    yield from ()

  def flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    """Returns the tensors of `value`, brought into this form, which covers it."""
    if isinstance(value, Unset):
      if any(spec.shape.rank is None for spec in self.specs()):
        raise Mismatch("nothing and tensors of several ranks")
      return [tf.zeros([size or 0 for size in s.shape.as_list()], s.dtype) for s in self.specs()]
    return self._flatten(reader.resolve(value) if isinstance(value, ByType) else value, reader)

  def _flatten(self, value: object, reader: Reader) -> list[tf.Tensor]:
    return []

  def unflatten(self, tensors: Iterator[tf.Tensor]) -> object:
    """Makes a value of this form, taking its tensors from an iterator."""
    raise NotImplementedError

  def widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    """Returns stacked tensors of another form in this one, which covers it."""
    for value in old.constant():
      return [tf.repeat(t[tf.newaxis], length, axis=0) for t in self.flatten(value, reader)]
    return self._widened(old, tensors, length, reader)

  def _widened(
    self, old: BaseForm, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> list[tf.Tensor]:
    if type(old) is not type(self) or old.dtypes() != self.dtypes():
      raise Mismatch(f"{old.describe()} and {self.describe()}")
    return [next(tensors) for _ in self.specs()]

  def constant(self) -> tuple[object, ...]:
    """Returns the one value that all values of this form are, if it says so."""
    return ()

  def dtypes(self) -> list[tf.DType]:
    """Returns the types of the tensors."""
    return [spec.dtype for spec in self.specs()]

  def describe(self) -> str:
    """Returns what messages call a value of this form."""
    return "nothing"

  def children(self) -> tuple[BaseForm | None, ...]:
    """Returns the forms of what lies in a value, or may be there; None if it is not known yet."""
    return ()

  def has_ranks(self) -> bool:
    """Tells whether at least the ranks of its tensors are known."""
    return all(spec.shape.rank is not None for spec in self.specs())

  def has_rows(self) -> bool:
    """Tells whether there is a list of unknown length in a value."""
    return any(child is not None and child.has_rows() for child in self.children())

  def number_type(self) -> type | None:
    """Returns the type of the numbers that values are, None if they are none."""
    return None

  def number_types(self) -> frozenset[type]:
    """Returns the types that values have that are ints and floats; none for all else."""
    kind = self.number_type()
    return frozenset([kind]) if kind in (int, float) else frozenset()

  def there(self) -> BaseForm:
    """Returns the form of those values of the heap that are not None."""
    return self

  def scalar_kinds(self) -> frozenset[type]:
    """Returns the types that values have that are Python's scalars, or None; none of all else."""
    return frozenset()

  def scalar_rows(
    self, tensors: Iterator[tf.Tensor], length: tf.Tensor, reader: Reader
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns stacked scalars by their kinds, bits and texts, of which two may be one for all."""
    raise Mismatch(f"elements {self.describe()} and scalars")

  def sequence_type(self) -> type | None:
    """Returns list, tuple or the named tuple that values are; None if they are none."""
    return None

  def elements(self) -> tuple[BaseForm, ...] | None:
    """Returns the forms of the elements of a list or tuple of known length; None of all else."""
    return None

  def is_of_strings(self) -> bool:
    """Tells whether all values are strings that the heap or the program has."""
    return False

  def is_of_heap(self) -> bool:
    """Tells whether a value is an object of the heap that was read."""
    return False

  def is_key(self) -> bool:
    """Tells whether values are equal where their tensors are, and hashed by that alone."""
    return False

  def in_rows(self) -> BaseForm:
    """Returns the form of such values as elements of one tensor, which hold no handles beside."""
    return self

  def is_structured(self) -> bool:
    """Tells whether a value is, or may be, a tuple, list, dict or object of a program."""
    return False

  def is_value(self) -> bool:
    """Tells whether values are numbers, strings, tensors or tuples of such: without identity."""
    return False

  def is_repeatable(self) -> bool:
    """Tells whether it makes no difference whether elements are one object or equal ones."""
    return False

  def skeleton(self) -> object:
    """Returns what of it is no data."""
    return "data"

  def seen(self) -> Iterator[Seen]:
    """Yields what is known of values, and of their parts, for those who read them."""
    yield from ()

  # --- What it can be on other paths

  def joined(self, other: BaseForm | None, join: Join) -> BaseForm | None:
    """Returns the form that covers both if this one is of the kind that takes the other in.

    Args:
      other: another form.
      join: returns what two parts have in common.
    """
    return None

  def can_be_none(self) -> bool:
    """Tells whether a value may be None in its place on other paths."""
    return False

  def covers_none(self) -> bool:
    """Tells whether None is such a value itself: then nothing else may say whether it is None."""
    return False

  def can_be_unbound(self) -> bool:
    """Tells whether a variable with such a value may be undefined on other paths."""
    return self.can_be_none()

  def can_be_made(self) -> bool:
    """Tells whether a value can be an object that a run makes, or is one of the heap."""
    return False

  def is_empty_view(self) -> bool:
    """Tells whether a value is a view of a dict in which nothing is, as `{}.items()`."""
    return False

  def not_made(self) -> str | None:
    """Returns what of it no object can be made of; None if all is fine."""
    return None if self.has_ranks() else "A tensor of which not even the rank is known"

  # --- Python values of it

  def rebuild(self, parts: Parts, source: Source) -> object:
    """Returns the value that plain Python would have returned, of its parts."""
    return next(parts)

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    """Returns the values of `count` rows: tensors stacked, anything else as a list."""
    return next(parts)

  def is_stackable(self) -> bool:
    """Tells whether a mapped call gives one structure of stacked rows."""
    return all(spec.shape.is_fully_defined() for spec in self.specs())

  def is_of_tensors(self) -> bool:
    """Tells whether a value can be tensors in a graph."""
    return False

  def encode(self, value: object, handles: Iterator[int]) -> Encoded:
    """Returns the tensors of a value.

    Args:
      value: the value.
      handles: the handles of its objects, from `objects_in`.

    Raises:
      DoesNotFit: If it is not of this form.
    """
    raise DoesNotFit

  def objects_in(self, value: object) -> Iterator[object]:
    """Yields the objects in a value that need handles, in the order in which `encode` asks."""
    yield from ()

  def met_in(self, value: object) -> Iterator[object]:
    """Yields the parts of a value that are known by numbers, whatever they are."""
    yield from ()

  def zeros(self) -> Encoded:
    """Returns tensors that nobody will read."""
    found: Encoded = []
    for spec in self.specs():
      shape = [] if spec.shape.rank is None else [size or 0 for size in spec.shape]
      is_text = spec.dtype == tf.string
      dtype: tf.DType = spec.dtype.as_numpy_dtype
      found.append(np.full(shape, b"", object) if is_text else np.zeros(shape, dtype))
    return found


class HandleForm(BaseForm):
  """An object that is known by its number: of the heap, or one that the run makes."""

  def specs(self) -> Iterator[tf.TensorSpec]:
    yield tf.TensorSpec([], tf.int32)

  def can_be_made(self) -> bool:
    return True

  def rebuild(self, parts: Parts, source: Source) -> object:
    return source.object_of(int(next(parts)))

  def rebuild_rows(self, parts: Parts, source: Source, count: int) -> object:
    return stacked([source.object_of(int(handle)) for handle in source.numbers(next(parts))])


# Of what reading finds: the steps that lead there, the exact types, and of tensors the spec.
Seen: TypeAlias = tuple[Path, frozenset[type], tf.TensorSpec | None]
Form: TypeAlias = BaseForm | None  # None where nothing is known.
Class: TypeAlias = type  # Where a field has that name.
Join: TypeAlias = Callable[[BaseForm, BaseForm], BaseForm]
# The parts of values, as a run left them.
Encoded: TypeAlias = list[tf.Tensor | np.ndarray]
Parts: TypeAlias = Iterator[tf.Tensor | np.ndarray]


def join_specs(a: tf.TensorSpec, b: tf.TensorSpec) -> tf.TensorSpec:
  """Returns the most specific spec of tensors of both.

  Raises:
    Mismatch: If these are of several types.
  """
  if a.dtype != b.dtype:
    raise Mismatch(f"a tensor {a.dtype.name}{a.shape} and a tensor {b.dtype.name}{b.shape}")
  return tf.TensorSpec(join_shapes(a.shape, b.shape), a.dtype)


def join_shapes(a: tf.TensorShape, b: tf.TensorShape) -> tf.TensorShape:
  """Returns the most specific shape that both have."""
  if a.rank is None or a.rank != b.rank:
    return tf.TensorShape(None)
  return tf.TensorShape([m if m == n else None for m, n in zip(a, b, strict=True)])


def fits(spec: tf.TensorSpec, value: tf.Tensor | np.ndarray | np.generic) -> bool:
  """Tells whether a tensor or an array is one of these."""
  if value.dtype is not spec.dtype and tf.as_dtype(value.dtype) != spec.dtype:
    return False
  shape = spec.shape
  if shape.rank is None or not isinstance(value, tf.Tensor):
    return bool(shape.is_compatible_with(value.shape))
  sizes = tfi.sizes_of(value)
  return len(sizes) == shape.rank and all(
    size is None or size == own for size, own in zip(shape.as_list(), sizes, strict=True)
  )


def same_static(a: Any, b: Any) -> bool:
  """Tells whether two objects known at conversion are the same to the program."""
  if a is b:
    return True
  if type(a) is not type(b):
    return False
  if isinstance(a, tuple):
    return _same_tuples(a, b)
  if isinstance(a, types.MethodType):
    return a.__func__ is b.__func__ and a.__self__ is b.__self__
  if isinstance(a, types.BuiltinMethodType):  # Of a class or an object: another one at each read.
    return a.__self__ is b.__self__ and a == b
  if not isinstance(a, _VALUES):
    return False
  # Of a class of the user's it may have attributes, and says itself what it equals.
  is_users = type(a) not in _VALUES and type(a).__module__.partition(".")[0] not in _LIBRARIES
  return not is_users and a == b and repr(a) == repr(b)


def _same_tuples(a: Any, b: Any) -> bool:
  """Tells the same of tuples: by their elements, whatever their class says of these."""
  if tuple not in type(a).__mro__:  # A proxy of one.
    return len(a) == len(b) and all(map(same_static, a, b))
  if has_more(a) or has_more(b):
    return False
  is_as_long = tuple.__len__(a) == tuple.__len__(b)
  return is_as_long and all(map(same_static, tuple.__iter__(a), tuple.__iter__(b)))


def is_exact(value: object, dtype: tf.DType) -> bool:
  """Tells whether a value is a Python number that is known and that a tensor's type can hold."""
  if type(value) not in NUMBERS or not (dtype.is_floating or dtype.is_integer):
    return False
  try:
    return bool(np.array(value, dtype.as_numpy_dtype).item() == value)
  except OverflowError:
    return False


def as_number(value: object) -> Number:
  """Returns a Python number as a `Number`.

  Raises:
    Mismatch: If it is an int that no tensor holds.
  """
  if isinstance(value, Number):
    return value
  if type(value) is int and not -(2**63) <= value < 2**63:
    raise Mismatch("an int beyond 64 bits and others")
  dtype = dtype_of_number(type(value))
  assert isinstance(value, (int, float))  # It has such a type.
  return Number(tfi.constant(value, dtype), type(value))


def as_int_or_float(value: object) -> IntOrFloat:
  """Returns a Python int or float as what may be either; the run fails for ints beyond 53 bits."""
  if isinstance(value, IntOrFloat):
    return value
  if isinstance(value, Scalar):  # A test has said that it is a number of these kinds.
    is_int = value.is_of([int])
    whole = tf.where(is_int, value.bits, tf.zeros_like(value.bits))
    floats = tf.where(is_int, exact_float(whole), value.number(float).tensor)
    return IntOrFloat(Number(floats, float), is_int)
  number = as_number(value)
  if number.type is float:
    return IntOrFloat(number, tfi.constant(False, tf.bool))
  return IntOrFloat(Number(exact_float(number.tensor), float), tfi.constant(True, tf.bool))


def exact_float(ints: tf.Tensor) -> tf.Tensor:
  """Returns ints as floats that say the same; the run fails for others."""
  return checked_ints(tf.cast(ints, tf.float64))


def checked_ints(floats: tf.Tensor, are_ints: object = True) -> tf.Tensor:
  """Returns floats; the run fails if one that stands for an int may have been rounded.

  2**53 itself may be a rounded 2**53 + 1.
  """
  ok = tf.abs(floats) < 2.0**53
  if are_ints is not True:
    ok = tf.logical_or(tf.logical_not(are_ints), ok)
  ok = ok if ok.shape.rank == 0 else tf.reduce_all(ok)
  return _checks.check(floats, ok, "an int beyond 53 bits among floats")


def number_of(value: object) -> Number | None:
  """Returns a number, static or not, as a `Number`; None if it is none."""
  if isinstance(value, Number):
    return value
  return as_number(value) if type(value) in NUMBERS else None


def is_number(value: object) -> TypeGuard[Number | int | float | bool]:
  """Tells whether a value is a number, static or not."""
  return number_of(value) is not None


def dtype_of_number(type_: type) -> tf.DType:
  """Returns how a Python number travels."""
  return {int: tf.int64, float: tf.float64, bool: tf.bool}[type_]


def is_tensor_like(value: object) -> bool:
  """Tells whether a value is a tensor, known or not, or something that TensorFlow reads as one."""
  return isinstance(value, (tf.Tensor, np.ndarray, np.generic))


def is_heap_object(value: object) -> bool:
  """Tells whether a static object can be a row: a plain instance, string or container."""
  if isinstance(value, (type, Closure, BoundMethod, Builtin)) or callable(value):
    return False
  module = type(value).__module__.partition(".")[0]
  return module not in ("tensorflow", "keras", "numpy", "recursive_tf")
