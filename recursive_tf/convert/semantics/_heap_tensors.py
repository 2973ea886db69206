"""Lists of numbers that objects of the tree hold, and lists of such, as the tensors made of them.

`point - node.offset` and `tf.matmul(x, node.weights)`, where an attribute is a list, or a list of
lists: TensorFlow makes a tensor of it. Which type that has says the tensor beside it, as far as the
numbers become it, or else what they are.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import all_there
from recursive_tf.convert.semantics import _written
from recursive_tf.convert.semantics._attributes import by_type
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import LocalList, Missing, Raises, Ref, Rows
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number, as_tensor

_FLOATS = (tf.float32, tf.float64)  # Shorter ones are rounded in another way.
_LISTS = (list, tuple)
_NUMBERS: frozenset[type] = frozenset([int, float])
# Functions that make tensors of all of their arguments; the type of the first one is a hint for the
# others, where it says anything.
_WITH_HINT = {
  *(tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.minimum, tf.pow, tf.matmul),
  tf.math.squared_difference,
}
_OF_TENSORS = _WITH_HINT | {tf.linalg.matvec, tf.tensordot, tf.where}
_OF_LISTS = {tf.stack, tf.concat}  # Of the elements of the first one.
# Functions that make a tensor of a number as they do of no other argument.
_OF_NUMBERS = {
  *(tf.exp, tf.math.log, tf.sqrt, tf.square, tf.abs, tf.negative, tf.sin, tf.cos, tf.math.log1p),
  *(tf.sigmoid, tf.tanh, tf.nn.relu, tf.nn.softplus, tf.nn.sigmoid, tf.nn.tanh, tf.math.expm1),
  *(tf.identity, tf.convert_to_tensor, tf.zeros_like, tf.ones_like, tf.reduce_sum, tf.reshape),
  *(tf.expand_dims, tf.stop_gradient),
}


def with_tensors(
  ip: Host, function: Callable[..., object], args: list[object], kwargs: Mapping[str, object]
) -> list[object]:
  """Returns the arguments of a function of TensorFlow's, lists of the tree as tensors."""
  if not args or not isinstance(function, types.FunctionType):
    return args
  if function in _OF_LISTS:
    parts = args[0].items if isinstance(args[0], LocalList) else args[0]
    if type(parts) is not tuple:
      return args
    found = [_tensor_or_number(ip, _tensor_or_itself(ip, part, None)) for part in parts]
    are_same = all(new is old for new, old in zip(found, parts, strict=True))
    return args if are_same else [found, *args[1:]]
  if function in _OF_NUMBERS and not kwargs:
    return [_tensor_or_number(ip, args[0]), *args[1:]]
  if function not in _OF_TENSORS:
    return args
  dtype = _dtype_of(args[0]) if function in _WITH_HINT else None
  return [_tensor_or_number(ip, _tensor_or_itself(ip, arg, dtype)) for arg in args]


def can_be(dtype: tf.DType) -> bool:
  """Tells whether all numbers become ones of a type, as TensorFlow makes them."""
  return dtype in _FLOATS


def operand(ip: Host, value: object, other: object) -> object:
  """Returns an operand beside a tensor, a list of the tree as the tensor that becomes of it."""
  dtype = _dtype_of(other)
  if dtype is None:
    return value
  parts = value.items if isinstance(value, LocalList) else value
  if type(parts) is tuple and parts and all(_is_list(ip, part) for part in parts):
    return tf.stack([_tensor_or_itself(ip, part, dtype) for part in parts])
  return _tensor_or_itself(ip, value, dtype)


def is_number_or_tensor(ip: Host, value: object) -> bool:
  """Tells whether a value is a tensor, a variable or a number, of which the run finds one."""
  groups = _groups(ip, value) if isinstance(value, Ref) else []
  return len(groups) > 1 and not {*groups[-1]} <= _NUMBERS


def of_each(ip: Host, value: object, then: Callable[[Ref], object]) -> object:
  """Does `then` with what is a number or a tensor, by which of both the run finds."""
  assert isinstance(value, Ref)  # As `is_number_or_tensor` has found.
  return by_type(ip, value, _groups(ip, value), lambda one, _: then(one))


def _groups(ip: Host, ref: Ref) -> list[list[type]]:
  """Returns the types of numbers, one by one, those of variables and those of tensors.

  None are there if it may be anything else.
  """
  kinds: list[type] = sorted(ip.frame.types_of(ref) - {Missing}, key=repr)
  groups = [[kind] for kind in kinds if kind in _NUMBERS]
  for base in (tf.Variable, tf.Tensor):
    groups.append([kind for kind in kinds if issubclass(kind, base)])
  return [*filter(None, groups)] if sum(map(len, groups)) == len(kinds) else []


def _tensor_or_number(ip: Host, value: object) -> object:
  """Returns the tensor that becomes of what may be a number; all else as it is."""
  return of_each(ip, value, ip.frame.tensor) if is_number_or_tensor(ip, value) else value


def _dtype_of(value: object) -> tf.DType | None:
  """Returns the type of a tensor or variable of floats; None of all else."""
  if not isinstance(value, (tf.Tensor, tf.Variable)):
    return None
  return value.dtype if can_be(value.dtype) else None


def _is_list(ip: Host, value: object) -> bool:
  if not isinstance(value, Ref):
    return False
  kinds = ip.frame.types_of(value) - {NoneType, Missing}
  return bool(kinds) and kinds <= {*_LISTS}


def _tensor_or_itself(ip: Host, value: object, dtype: tf.DType | None) -> object:
  if not _is_list(ip, value):
    return value
  rows = ip.rows_of(value)
  found = None if rows is None else tensor_of(ip, rows, dtype)
  if found is None:
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "A list of the tree is used as a tensor.")
  return found


def tensor_of(ip: Host, rows: Rows, dtype: tf.DType | None) -> tf.Tensor | None:
  """Returns the tensor that TensorFlow makes of the elements of a list; the run fails if of none.

  Args:
    ip: the interpreter.
    rows: the elements: numbers, or lists of as many each, and these.
    dtype: floats of 32 or 64 bits, which all of them become; None for what they are.

  Returns:
    The tensor; None if they are anything else.
  """
  sizes: list[tf.Tensor] = []
  while isinstance(rows.form, _forms.RefForm) and rows.form.types <= {*_LISTS}:
    rows = _without_level(ip, rows, sizes)
  rows = _numbers_of(ip, all_there(ip.frame, rows))
  if rows.form is None:
    raise Raises  # Nothing is known to be in there, or not yet.
  found = _tensor_of_numbers(ip, rows, dtype)
  return found if found is None or not sizes else tf.reshape(found, [*sizes, -1])


def _numbers_of(ip: Host, rows: Rows) -> Rows:
  """Returns numbers of the tree as these numbers; all else as it is."""
  form = rows.form
  if not isinstance(form, _forms.RefForm) or not form.types <= _NUMBERS:
    return rows
  read: _forms.BaseForm = _forms.IntOrFloatForm()
  if len(form.types) == 1:
    (kind,) = form.types
    read = _forms.NumberForm(kind)
  tensors = read.widened(form, iter(rows.tensors), rows.length, ip.frame)
  return Rows(rows.length, tuple(tensors), read)


def _without_level(ip: Host, rows: Rows, sizes: list[tf.Tensor]) -> Rows:
  """Returns the elements of lists, all of one length, one after the other; notes how many lists."""
  rows = all_there(ip.frame, rows)
  lists = ip.frame.new(LocalList(rows))
  lengths = ip.rows_of(run_written(ip, _written.lengths, lists=lists))
  found = ip.rows_of(run_written(ip, _written.flattened, lists=lists))
  assert lengths is not None and found is not None  # Only the run knows how many there are.
  if lengths.form is None or found.form is None:
    raise Raises
  (counts,) = lengths.tensors
  ip.frame.demand(tf.reduce_all(tf.equal(counts, counts[:1])))
  ip.frame.demand(found.length > 0)
  sizes.append(rows.length if not sizes else tf.cast(rows.length, tf.int32) // _product(sizes))
  return found


def _product(sizes: Sequence[tf.Tensor]) -> tf.Tensor:
  return tf.reduce_prod(tf.stack(sizes))


def _tensor_of_numbers(ip: Host, rows: Rows, dtype: tf.DType | None) -> tf.Tensor | None:
  form = rows.form
  if isinstance(form, _forms.IntOrFloatForm):
    numbers, are_ints = rows.tensors
    if dtype is None:
      ip.frame.demand(tf.logical_not(tf.reduce_all(are_ints)))  # These would be a tensor of ints.
    return as_tensor(Number(numbers, float), dtype)
  if not isinstance(form, _forms.NumberForm) or form.type not in (int, float):
    return None
  ip.frame.demand(rows.length > 0)
  return as_tensor(Number(rows.tensors[0], form.type), dtype)
