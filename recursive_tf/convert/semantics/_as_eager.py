"""What a graph would take, and eager execution takes for another type or not at all: refused.

TensorFlow makes a tensor of a list in two ways. In a graph each element is brought to the type that
is wanted, a float to an int, too; eager execution goes by the first number and raises where others
do not fit. `tests/convert/found/test_as_eager.py` compares all pairs.
"""

from __future__ import annotations

import array
import inspect
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, TypeGuard

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.values._abstract import Array, LocalList, is_static
from recursive_tf.convert.values._forms import NUMBERS
from recursive_tf.convert.values._logits import LOGITS, may_have_lost, reads_logits
from recursive_tf.convert.values._numbers import is_bool
from recursive_tf.convert.values._operands import Shape

_WITH_LOGITS = ("Softmax", "Sigmoid")
TENSOR, _NUMPY = "tensor", "numpy"
_BUFFERS = (bytearray, memoryview, array.array)  # Of which a graph takes the type of their items.
# NumPy's scalars of which a list is a tensor of the same type.
_KEPT = (np.float16, np.float32, np.float64, np.int32, np.bool_)
# They take ints of NumPy's among ints for what they are: sizes and axes.
_OF_SIZES = frozenset(
  """reshape zeros ones fill broadcast_to tile slice pad transpose expand_dims squeeze uniform
  normal truncated_normal reduce_sum reduce_mean reduce_max reduce_min reduce_prod""".split()
)
# They look at rates and sizes that are numbers, and raise for some, but not in a graph.
_LOOKING = frozenset("dropout dropout_v2 general_dropout stateless_dropout to_tensor".split())
_GREATEST = float(tf.float32.max)
_OPERANDS = frozenset(
  "x y a b t value values input inputs tensor clip_value_min clip_value_max updates other".split()
)
_OF_STRUCTURES = frozenset(
  "while_loop map_structure flatten pack_sequence_as assert_same_structure".split()
)


def check_arguments(
  ip: Host, function: Callable[..., object], args: Sequence[object], kwargs: dict[str, object]
) -> None:
  """Refuses what a library would take in a graph, and not, or not as that, in eager execution."""
  values = (*args, *kwargs.values())
  _check_numbers(ip, function, [*args[1:], *kwargs.values()])
  _check_ints(ip, function, values)
  if _of_tensors(function) and not _consumes(function):
    for value in values:
      _check_iterators(ip, function, value)
  for value in values:
    leaves = list(_leaves(value))
    for leaf in leaves:
      if isinstance(leaf, _BUFFERS):
        raise _refusal(ip, f"A {type(leaf).__name__} in place of a tensor")
      if _is_too_large(leaf, values) and not _libraries.is_of(function, "numpy"):
        raise _refusal(ip, f"A number as large as {leaf:.3g}")
    if _is_list(value):
      _check_list(ip, function, leaves)


def check_sizes(ip: Host, function: Callable[..., object], values: Sequence[object]) -> None:
  """Refuses a loss of one row and of as many as the run has: Keras raises, or repeats the one.

  In a graph it does not see which.
  """
  shapes = [value.shape for value in values[:2] if isinstance(value, tf.Tensor)]
  if len(shapes) < 2 or None in (shapes[0].rank, shapes[1].rank):
    return
  for sizes in zip(*(shape.as_list() for shape in shapes), strict=False):
    if set(sizes) == {1, None}:
      what = f"{_name(function)} of a size 1 beside one that only the run knows"
      raise _refusal(ip, what)


def check_axis(
  ip: Host, function: Callable[..., object], args: Sequence[object], kwargs: dict[str, object]
) -> None:
  """Fails the run if an axis that only the run knows is none of a tensor's.

  TensorFlow's optimizer takes all axes where there is one, whatever it is asked for.
  """
  if not _name(function).startswith("reduce_"):
    return
  value = args[0] if args else kwargs.get("input_tensor")
  axis = args[1] if len(args) > 1 else kwargs.get("axis")
  if isinstance(value, tf.Tensor) and isinstance(axis, tf.Tensor) and tf.is_symbolic_tensor(axis):
    rank = tf.cast(tf.rank(value), axis.dtype)
    ip.frame.demand(tf.reduce_all((axis >= -rank) & (axis < rank)))


def check_mask(
  ip: Host, function: Callable[..., object], args: Sequence[object], kwargs: dict[str, object]
) -> None:
  """Fails the run if a mask has not the sizes of what it chooses from, which only the run knows."""
  if function is not tf.boolean_mask:
    return
  bound = inspect.signature(tf.boolean_mask).bind(*args, **kwargs).arguments
  mask = tf.shape(bound["mask"])
  first = bound.get("axis")
  if tf.is_symbolic_tensor(first):
    raise _refusal(ip, "An axis of boolean_mask that only the run knows")
  first = first or 0
  if mask.shape[0] is not None:
    sizes = tf.shape(bound["tensor"])[first : first + mask.shape[0]]
    if tf.get_static_value(sizes) is None or tf.get_static_value(mask) is None:
      ip.frame.demand(tf.reduce_all(tf.equal(sizes, mask)))


def operands(kwargs: dict[str, object]) -> list[object]:
  """Returns what is given by names that are those of tensors; a bool by another one is a switch."""
  return [value for name, value in kwargs.items() if name in _OPERANDS]


def check_bool(ip: Host, values: Sequence[object]) -> None:
  """Refuses a Python bool beside a tensor of bytes, which eager execution does not take for one."""
  has_bool = any(is_bool(value) for value in values)
  if has_bool and any(getattr(value, "dtype", None) == tf.uint8 for value in values):
    raise _refusal(ip, "A bool of Python's beside a tensor uint8")


def check_scalars(ip: Host, spec: tf.TensorSpec) -> None:
  """Refuses a list of scalars of NumPy's that are another type in a tensor."""
  if spec.shape.rank == 0 and spec.dtype.as_numpy_dtype not in _KEPT:
    raise _refusal(ip, "Scalars of NumPy's in a list, of a type that changes")


class Elements:
  """The elements of the lists that a library is given."""

  def __init__(self, ip: Host, values: Sequence[object]):
    """Notes what they are, before they become tensors."""
    self._kinds = [ip.kind_of(leaf).listed() for leaf in _leaves(list(filter(_is_list, values)))]
    self._tensors: list[tuple[object, object]] = []

  def __bool__(self) -> bool:
    """Whether there are any."""
    return bool(self._kinds)

  def lowered(self, values: Sequence[object]) -> None:
    """Notes the tensors that they have become."""
    leaves = list(_leaves(list(filter(_is_list, values))))
    is_known = len(leaves) == len(self._kinds)
    kinds = self._kinds if is_known else [TENSOR] * len(leaves)
    self._tensors = list(zip(leaves, kinds, strict=True))

  def are_taken_otherwise(self, op: tfi.Operation) -> bool:
    """Tells whether an op of the library makes another type of one, as eager execution does not."""
    if op.type != "Cast":
      return False
    after = op.outputs[0].dtype
    # A float is one of float32 by now, and was rounded to that: eager execution rounds it once.
    fitting = (int,) if after.is_floating or after.is_integer else ()
    return any(tensor is op.inputs[0] and kind not in fitting for tensor, kind in self._tensors)


def refuse_elements(ip: Host) -> ConversionRefused:
  """Returns the refusal of a list with elements that become another type in a graph."""
  return _refusal(ip, "A list of another type than is wanted there")


def hide_source(value: Any) -> Any:
  """Returns what Keras is given without the op that made it.

  In a graph Keras' losses find the logits behind a softmax or sigmoid by its op. In eager execution
  they know those that Keras itself has made, by an attribute of the tensor, and no others.
  """
  if tf.is_symbolic_tensor(value):
    is_found = value.op.type in _WITH_LOGITS and not hasattr(value, LOGITS)
    return tf.identity(value) if is_found else value
  if type(value) in (list, tuple):
    return type(value)(map(hide_source, value))
  if type(value) is dict:
    return {key: hide_source(part) for key, part in value.items()}
  return value


def check_logits(
  ip: Host, function: Callable[..., object], args: Sequence[object], kwargs: dict[str, object]
) -> None:
  """Refuses a loss of Keras' of what may have had logits, and lost them on its way."""
  if not ip.frame.conversion.loses_logits or not reads_logits(function):
    return
  if any(map(may_have_lost, tf.nest.flatten([*args, *kwargs.values()]))):
    raise ip.frame.refuse(
      Reason.OPAQUE_READ,
      "A result of Keras' softmax or sigmoid leaves a branch, loop, list or call, and a loss of"
      " Keras' looks for its logits. Compute the loss where the result is, or from logits.",
    )


def is_iterator(value: object) -> bool:
  """Tells whether a value is what Python gives elements of one by one, and once."""
  return isinstance(value, LocalList) and value.is_iterator


def is_no_list(value: object) -> TypeGuard[LocalList]:
  """Tells whether a value is an iterator, or a view of a dict."""
  return isinstance(value, LocalList) and (value.is_iterator or value.type is not list)


def _check_iterators(ip: Host, function: object, value: object) -> None:
  if is_no_list(value):
    kind = "An iterator" if value.is_iterator else f"A {value.type.__name__}"
    raise _refusal(ip, f"{kind} that {_name(function)} is given. Make it a list")
  if isinstance(value, LocalList):
    value = value.items or ()
  if isinstance(value, tuple) and not isinstance(value, tf.TensorShape):
    for part in value:
      _check_iterators(ip, function, part)


def _check_numbers(ip: Host, function: object, values: Sequence[object]) -> None:
  """Refuses numbers of the run that eager execution looks at, and a graph does not."""
  if _name(function) not in _LOOKING or not _libraries.is_of(function, "tensorflow"):
    return
  for value in values:
    if not all(map(is_static, _leaves(ip.frame.concrete(value)))):
      raise _refusal(ip, f"A number of {_name(function)} that only the run knows")


def _check_ints(ip: Host, function: object, values: Sequence[object]) -> None:
  """Refuses a number that has to be an int, and may be a float or a bool."""
  if function is not tf.eye:
    return
  for kind in (ip.kind_of(value).listed() for value in values):
    if isinstance(kind, type) and issubclass(kind, (float, bool, np.floating)):
      raise _refusal(ip, f"A {kind.__name__} as a size")


def _check_list(ip: Host, function: object, leaves: list[object]) -> None:
  found = [ip.kind_of(leaf).listed() for leaf in leaves]
  kinds = {kind for kind in found if kind is not None}
  name = _name(function)
  if name in _OF_STRUCTURES:
    return
  numpys = {kind for kind in kinds if isinstance(kind, type) and issubclass(kind, np.generic)}
  if numpys and not (len(kinds) == 1 and kinds <= {*_KEPT}):
    is_of_ints = all(
      kind is int or (isinstance(kind, type) and issubclass(kind, np.integer))
      for kind in kinds - {TENSOR}
    )
    if not (name in _OF_SIZES and is_of_ints and not any(isinstance(v, Array) for v in leaves)):
      raise _refusal(ip, "Scalars of NumPy's in a list beside others, or of a type that changes")
  if not all(map(is_static, leaves)) and not all(map(_fits_in_32_bits, leaves)):
    raise _refusal(ip, "A number beyond 32 bits in a list beside what only the run knows")
  if bool in kinds and len(kinds) > 1:
    raise _refusal(ip, "A bool beside other numbers in a list")
  if complex in map(type, leaves) and kinds - {TENSOR}:
    raise _refusal(ip, "A complex number beside others in a list")
  if any(isinstance(leaf, np.ndarray) and leaf.ndim == 0 for leaf in leaves):
    raise _refusal(ip, "An array without axes in a list")
  if function is tf.constant and TENSOR in kinds and len(kinds) > 1:
    raise _refusal(ip, "tf.constant of a list of tensors and numbers")
  if function in (tf.zeros, tf.ones) and float in kinds:
    raise _refusal(ip, "A float as a size")


def _is_too_large(leaf: object, values: Sequence[object]) -> bool:
  """Tells whether eager execution raises for a number, which overflows in a graph.

  Args:
    leaf: what may be a number that is known.
    values: the arguments of a call; with one of float64 floats are not rounded to float32.
  """
  if type(leaf) is int:
    return not -(2**63) <= leaf < 2**63
  return not _fits_in_32_bits(leaf) and not any(map(_is_of_doubles, values))


def _is_of_doubles(value: object) -> bool:
  is_type = isinstance(value, (tf.DType, str, type))
  try:
    dtype = tf.as_dtype(value if is_type else getattr(value, "dtype", None))
  except TypeError:
    return False
  return bool(dtype in (tf.float64, tf.complex128))


def _fits_in_32_bits(leaf: object) -> bool:
  """Tells whether a number that is known is one of int32, or does not overflow in float32."""
  if type(leaf) is int:
    return bool(tf.int32.min <= leaf <= tf.int32.max)
  return type(leaf) is not float or not math.isfinite(leaf) or abs(leaf) <= _GREATEST


def _leaves(value: object) -> Iterator[object]:
  if isinstance(value, LocalList):
    value = value.items or ()
  if isinstance(value, Shape):
    value = value.dims
  if isinstance(value, (list, tuple)) and not isinstance(value, tf.TensorShape):
    for part in value:
      yield from _leaves(part)
  else:
    yield value


def _is_list(value: object) -> bool:
  is_of_python = isinstance(value, (list, tuple)) and not isinstance(value, tf.TensorShape)
  return is_of_python or isinstance(value, (LocalList, Shape))


def listed(kinds: Collection[type]) -> object:
  """Returns what an object of these classes is in a list; see `Kind.listed`."""
  if float in kinds:
    return float
  numbers = [kind for kind in kinds if kind in NUMBERS or issubclass(kind, np.generic)]
  return numbers[0] if numbers else TENSOR if _has_tensors(kinds) else None


def _has_tensors(kinds: Iterable[type]) -> bool:
  return any(issubclass(kind, (tf.Tensor, tf.Variable)) for kind in kinds)


def _of_tensors(function: object) -> bool:
  return any(_libraries.is_of(function, library) for library in ("tensorflow", "keras", "numpy"))


def _consumes(function: object) -> bool:
  """Tells whether a library's function takes elements one by one."""
  return function is tf.add_n or _name(function) in ("apply_gradients", "apply")


def _name(function: object) -> str:
  return str(getattr(function, "__name__", type(function).__name__))


def _refusal(ip: Host, what: str) -> ConversionRefused:
  return ip.frame.refuse(Reason.TENSORFLOW_ERROR, f"{what}: eager execution takes it otherwise.")
