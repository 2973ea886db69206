"""TensorFlow's functions of lists, on lists whose length only the run knows; `tf.constant`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import all_there
from recursive_tf.convert.semantics import _arrays, _as_eager, _data, _heap_tensors, _maps
from recursive_tf.convert.semantics._native import lowered
from recursive_tf.convert.values import _forms, _numbers, _stand_ins
from recursive_tf.convert.values._abstract import (
  Array,
  Bottom,
  IntOrFloat,
  LocalList,
  Maybe,
  Missing,
  Ref,
  Rows,
  Weak,
  as_rows,
)
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number, as_tensor


def is_hashable(function: object) -> bool:
  """Tells whether something may be looked up in a dict."""
  try:
    hash(function)
  except TypeError:
    return False
  return True


def call_on_rows(
  ip: Host, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a TensorFlow function on a list of unknown length; None if no argument is one."""
  if not args and not kwargs:
    return None
  if is_hashable(function) and function in _TAKE_INDICES:
    return _by_indices(ip, function, args, kwargs)
  values = args or [next(iter(kwargs.values()))]
  if function is tf.stack and _as_eager.is_no_list(values[0]):
    return None  # It asks a view of a dict for its first item.
  rows = _rows_of_list(ip, values[0])
  if rows is None and isinstance(values[0], list) and ip.conversion.effects.is_changed(values[0]):
    rows = ip.rows_of(values[0])  # Of the heap, and changed by the program.
  if rows is None:
    return None
  rest = args[1:]
  if not args:
    kwargs = dict(list(kwargs.items())[1:])
  if "dtype_hint" in kwargs:
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "dtype_hint= for a list of unknown length.")
  if function in (tf.concat, tf.stack) and isinstance(rows.form, _forms.MadeForm):
    by = _stand_ins.concat if function is tf.concat else _stand_ins.stack
    named = {key: value for key, value in kwargs.items() if key != "name"}
    return ip.call(by, [values[0], *rest], named)
  stacked = _stacked(ip, rows, function)
  if function is tf.stack:
    return _stack(ip, stacked, *rest, **kwargs)
  if function is tf.add_n or (function is tf.math.accumulate_n and not rest and not kwargs):
    if stacked.dtype in (tf.string, tf.bool):
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"tf.add_n of {stacked.dtype.name}s.")
    stacked = ip.frame.check(stacked, rows.length > 0, "tf.add_n of an empty list")
    return tf.reduce_sum(stacked, 0)
  if function is tf.concat:
    stacked = ip.frame.check(stacked, rows.length > 0, "tf.concat of an empty list")
    return _concat(ip, stacked, *rest, **kwargs)
  if is_hashable(function) and function in _TAKE_STACKED:
    if not (isinstance(rows.form, _forms.NumberForm) and rows.form.type is float):
      # To TensorFlow an empty list is a tensor of floats with the shape [0], whatever it is for.
      stacked = ip.frame.check(stacked, rows.length > 0, "an empty list for a tensor")
    return ip.native(function, [stacked, *rest], kwargs)
  raise ip.frame.refuse(
    Reason.DYNAMIC_LIST, f"{getattr(function, '__name__', function)} of a list of unknown length."
  )


def _by_indices(
  ip: Host, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a function whose second argument is a list of ints; None if it is not of the run's."""
  name = _TAKE_INDICES[function]
  given = args[1] if len(args) > 1 else kwargs.get(name)
  rows = _rows_of_list(ip, given)
  if rows is None or _rows_of_list(ip, args[0] if args else None) is not None:
    return None
  rows = _without_nodes(ip, rows)
  if rows.form is None:
    raise Bottom  # What the elements are is not known yet.
  if not isinstance(rows.form, _forms.NumberForm) or rows.form.type is not int:
    return None
  indices = ip.frame.check(
    _stacked(ip, rows, function), rows.length > 0, "an empty list, which is one of floats"
  )
  if len(args) > 1:
    return ip.native(function, [args[0], indices, *args[2:]], kwargs)
  return ip.native(function, args, {**kwargs, name: indices})


def _rows_of_list(ip: Host, value: object) -> Rows | None:
  """Returns the elements of a list or tuple, as many as the run finds; None of all else."""
  if isinstance(value, Ref):
    kinds = ip.frame.types_of(value) - {NoneType, Missing}
    is_list = bool(kinds) and all(issubclass(kind, (list, tuple)) for kind in kinds)
    return ip.rows_of(value) if is_list else None
  return as_rows(value)


def _stacked(ip: Host, rows: Rows, function: object) -> tf.Tensor:
  rows = all_there(ip.frame, _without_nodes(ip, rows))
  form = rows.form
  if form is None:
    raise Bottom  # What the elements are is not known yet.
  if isinstance(form, (_forms.TensorForm, _forms.ArrayForm)):
    if isinstance(form, _forms.ArrayForm):
      _as_eager.check_scalars(ip, form.spec)
    return rows.tensors[0]
  if function is tf.stack and _are_floats_or_tensors(form):
    tensors, are_numbers = rows.tensors
    if tensors.shape.rank == 1:  # A scalar each, a float's too.
      return tensors
    none = tf.logical_not(tf.reduce_any(are_numbers))
    return ip.frame.check(tensors, none, "a Python number where a tensor is needed")
  if isinstance(form, _forms.NumberForm):
    return as_tensor(Number(rows.tensors[0], form.type))
  table = _table_of_numbers(ip, rows, None)
  if table is None and form.is_of_heap():
    table = _heap_tensors.tensor_of(ip, rows, None)
  if table is not None:
    return table
  name = getattr(function, "__name__", function)
  raise ip.frame.refuse(Reason.DYNAMIC_LIST, f"{name} of a list of {_forms.describe(form)}.")


def _table_of_numbers(ip: Host, rows: Rows, dtype: tf.DType | None) -> tf.Tensor | None:
  """Returns the tensor that TensorFlow makes of lists or tuples of as many numbers each.

  Args:
    ip: the interpreter.
    rows: the lists or tuples; that there is one is for the caller to check.
    dtype: the tensor's type; None for the one that TensorFlow finds.

  Returns:
    The tensor; None if they hold something else.
  """
  columns = _columns_of_numbers(ip, rows)
  kinds = {column.type for column in columns or ()}
  if not columns or len(kinds - {int, float}) > 0:
    return None
  if dtype is None:
    dtype = tf.float32 if float in kinds else tf.int32
  try:
    return tf.stack([as_tensor(column, dtype) for column in columns], 1)
  except TypeError as error:
    raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, str(error)) from None


def _columns_of_numbers(ip: Host, rows: Rows) -> list[Number] | None:
  """Returns the parts of lists or tuples of numbers, each of all rows; None of all else."""
  form = rows.form
  if not isinstance(form, _forms.NestForm) or form.type not in (list, tuple):
    return None
  parts = [_forms.part_of(rows, i) for i in range(len(form.parts))]
  found = []
  for part in parts:
    numbers = _maps.numbers_of(ip, all_there(ip.frame, part))
    if not isinstance(numbers.form, _forms.NumberForm):
      return None
    found.append(Number(numbers.tensors[0], numbers.form.type))
  return found


def _are_floats_or_tensors(form: _forms.Form) -> bool:
  """Tells whether each is a float, or a tensor of the type that floats become."""
  is_one = isinstance(form, _forms.WeakForm) and form.type is float
  return is_one and form is not None and form.dtypes()[0] == tf.float32


def _without_nodes(ip: Host, rows: Rows) -> Rows:
  """Returns numbers of the heap, all of one type, as these numbers; all else as it is."""
  if isinstance(rows.form, _forms.RefForm):
    kinds = rows.form.types - {NoneType, Missing}
    if len(kinds) == 1 and kinds <= {*_forms.NUMBERS}:
      return _maps.read_each(ip, rows)
  return rows


def _stack(ip: Host, stacked: tf.Tensor, axis: object = 0, name: object = None) -> tf.Tensor:
  if type(axis) is not int:
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "tf.stack with an axis of the run.")
  stacked = ip.frame.check(stacked, tf.shape(stacked)[0] > 0, "tf.stack of an empty list")
  if axis == 0:
    return stacked
  rank = stacked.shape.rank
  place = axis % rank
  order = [*range(1, place + 1), 0, *range(place + 1, rank)]
  return tf.transpose(stacked, order)


def _concat(ip: Host, stacked: tf.Tensor, axis: object = None, name: object = None) -> tf.Tensor:
  rank = None if stacked.shape.rank is None else stacked.shape.rank - 1
  if type(axis) is not int or not rank:
    raise ip.frame.refuse(Reason.NEEDS_VALUE, "tf.concat with an axis of the run.")
  place = axis % rank
  order = [*range(1, place + 1), 0, *range(place + 1, rank + 1)]
  moved = tf.transpose(stacked, order) if place else stacked
  shape = [
    tf.shape(stacked)[i + 1] if s is None else s for i, s in enumerate(stacked.shape[1:].as_list())
  ]
  shape[place] = -1
  result = tf.reshape(moved, shape)
  known = stacked.shape[1:].as_list()
  known[place] = None
  result.set_shape(known)
  return result


_TAKE_STACKED = {
  tf.reduce_sum,
  tf.reduce_mean,
  tf.reduce_max,
  tf.reduce_min,
  tf.reduce_prod,
  tf.reduce_any,
  tf.reduce_all,
  tf.convert_to_tensor,
  tf.squeeze,
  tf.reshape,
  tf.nn.softmax,
  tf.one_hot,
  tf.cast,
  tf.identity,
  tf.math.log,
  tf.exp,
  tf.square,
  tf.sqrt,
  tf.cumsum,
  tf.norm,
  tf.argmax,
  tf.argmin,
  tf.sort,
  tf.argsort,
  tf.math.top_k,
  tf.math.cumprod,
  tf.math.reduce_logsumexp,
  tf.math.reduce_std,
  tf.math.reduce_variance,
  tf.math.l2_normalize,
  tf.nn.l2_loss,
  tf.nn.log_softmax,
  tf.nn.relu,
  tf.abs,
  tf.negative,
  tf.sigmoid,
  tf.tanh,
  tf.clip_by_value,
  tf.expand_dims,
  tf.reverse,
  tf.transpose,
  tf.shape,
  tf.size,
}


_TAKE_INDICES: dict[object, str] = {tf.gather: "indices", tf.nn.embedding_lookup: "ids"}


def constant(
  ip: Host, value: object, dtype: object = None, shape: object = None, name: object = "Const"
) -> object:
  """Returns `tf.constant(value)` of a list with Python numbers that only the run knows."""
  frame = ip.frame
  value = frame.concrete(value)
  if not isinstance(value, IntOrFloat) or dtype is None:
    value = frame.concrete(_data.taken(ip, value))
  is_rounded = shape is None and dtype is not None
  is_rounded = is_rounded and tf.as_dtype(dtype) in (tf.float32, tf.float64)
  if is_rounded:
    value = _of_python(ip, value)
  _as_eager.check_arguments(ip, tf.constant, [value], {})
  if is_rounded:
    of_numpy = _of_numpy(ip, value, tf.as_dtype(dtype))
    if of_numpy is not None:
      return of_numpy
  rows = _rows_of_list(ip, value)
  rows = None if rows is None else all_there(frame, rows)
  if rows is not None and _are_tensors(rows.form):
    raise frame.refuse(Reason.TENSORFLOW_ERROR, "tf.constant of a list of tensors.")
  numbers = None if shape is not None else _rows_of_numbers(ip, value)
  if numbers is not None:
    return _tensor_of_numbers(ip, numbers, None if dtype is None else tf.as_dtype(dtype))
  if rows is not None and shape is None and dtype is not None:
    wanted = tf.as_dtype(dtype)
    table = _table_of_numbers(ip, rows, wanted)
    if table is None and _heap_tensors.can_be(wanted) and rows.form is not None:
      table = _heap_tensors.tensor_of(ip, rows, wanted)
    if table is not None:
      return frame.check(table, rows.length > 0, "an empty list for a tensor")
  stacked = call_on_rows(ip, tf.convert_to_tensor, [value], {"dtype": dtype} if dtype else {})
  if stacked is not None and shape is None:
    return stacked
  as_floats = dtype is None and shape is None and _are_with_float(ip, value)
  found = _with_numbers(ip, value, tf.float32 if as_floats else dtype and tf.as_dtype(dtype))
  if not any(isinstance(part, tf.Tensor) for part in tf.nest.flatten(found)):
    return ip.native(tf.constant, [value], {"dtype": dtype, "shape": shape, "name": name})
  is_same = isinstance(value, tf.Tensor) and dtype in (None, value.dtype)
  if is_same and shape is None:
    return value  # As TensorFlow does; an array of the heap is a tensor by now.
  if shape is not None or isinstance(value, tf.Tensor):
    raise frame.refuse(Reason.TENSORFLOW_ERROR, "tf.constant of a tensor.")
  return ip.native(tf.convert_to_tensor, [found], {"dtype": dtype})


def unstack(
  ip: Host, value: object, num: object = None, axis: object = 0, name: object = "unstack"
) -> object:
  """Returns `tf.unstack(value)` of a tensor of as many rows as the run finds."""
  value, num = ip.frame.concrete(value), ip.frame.concrete(num)
  if isinstance(value, tf.Tensor) and value.shape.rank and axis == 0:
    is_open = value.shape[0] is None
    if num is not None and (is_open or isinstance(num, Number)):
      ip.frame.demand(tf.equal(tf.shape(value)[0], ip.frame.tensor(num)))
      num = None
    if is_open:
      return ip.call(list, [value], {})
  return ip.native(tf.unstack, [value], {"num": num, "axis": axis, "name": name})


def _are_tensors(form: _forms.Form) -> bool:
  """Tells whether elements are tensors or variables, or may be."""
  if isinstance(form, _forms.ArrayForm):
    return not _arrays.is_numpy(form.types)
  return isinstance(form, (_forms.TensorForm, _forms.WeakForm))


def _are_with_float(ip: Host, value: object) -> bool:
  """Tells whether nested lists hold Python's ints and floats: ints beside floats become such."""
  leaves = list(_leaves(ip, value))
  are_numbers = all(type(v) in (int, float) or isinstance(v, (Number, IntOrFloat)) for v in leaves)
  are_floats = (type(v) is float or (isinstance(v, Number) and v.type is float) for v in leaves)
  return are_numbers and any(are_floats)


def _leaves(ip: Host, value: object) -> Iterator[object]:
  value = ip.frame.concrete(value)
  items: object = value
  if isinstance(value, LocalList):
    items = None if _as_eager.is_no_list(value) else value.items
  if isinstance(items, (list, tuple)) and type(items) in (list, tuple):
    for item in items:
      yield from _leaves(ip, item)
  else:
    yield value


def _of_numpy(ip: Host, value: object, dtype: tf.DType) -> tf.Tensor | None:
  """Returns numbers of NumPy's as floats of some type; None of all else."""
  if isinstance(value, PythonOrNumpy) and value.number.type is not bool:
    ip.frame.partial()
    return as_tensor(value.number, dtype)
  if not isinstance(value, Array) or not _arrays.is_numpy(value.types):
    return None
  is_number = value.tensor.dtype.is_floating or value.tensor.dtype.is_integer
  return tf.cast(value.tensor, dtype) if is_number else None


def _of_python(ip: Host, value: object) -> object:
  """Returns a list with floats of Python in place of those of NumPy: rounded, they are equal."""
  items: Sequence[object] | None = None
  if isinstance(value, LocalList):
    items = None if _as_eager.is_no_list(value) else value.items
  elif isinstance(value, (list, tuple)) and type(value) in (list, tuple):
    items = value
  if not items:
    return value
  parts = [ip.frame.concrete(part) for part in items]
  floats = [_python_float(ip, part) for part in parts]
  found = [
    _of_python(ip, part) if one is None else one for part, one in zip(parts, floats, strict=True)
  ]
  return value if all(a is b for a, b in zip(parts, found, strict=True)) else found


def _python_float(ip: Host, value: object) -> Number | float | None:
  """Returns a float of NumPy's as one of Python's; None of all else."""
  if isinstance(value, (np.float16, np.float32, np.float64)):
    return float(value)
  if not isinstance(value, Array) or not all(issubclass(t, np.floating) for t in value.types):
    return None
  ip.frame.partial()
  return Number(tf.cast(value.tensor, tf.float64), float)


def of_number(ip: Host, function: object, args: list[object], kwargs: dict[str, object]) -> object:
  """Returns the tensor that TensorFlow makes of a number as one of a given type; None of all else.

  `tf.convert_to_tensor` makes what `tf.constant` does. `tf.cast` makes float32 of a float first, so
  that only to float32 what may be an int or a float is cast.
  """
  if function is not tf.convert_to_tensor and function is not tf.cast:
    return None
  given = [*args, *kwargs.values()]
  if len(given) != 2 or not args or not kwargs.keys() <= {"dtype"}:
    return None
  value, dtype = ip.frame.concrete(given[0]), given[1]
  if not isinstance(dtype, (tf.DType, str, type)):
    return None
  if function is tf.convert_to_tensor:
    return constant(ip, value, dtype) if isinstance(value, (Number, IntOrFloat)) else None
  if not isinstance(value, IntOrFloat) or dtype != tf.float32:
    return None
  return ip.native(tf.cast, [value.value, dtype], {})


def _rows_of_numbers(ip: Host, value: object) -> Rows | None:
  """Returns the elements of a list of numbers, as many as the run finds; None of all else."""
  rows = _rows_of_list(ip, value)
  if rows is None:
    return None
  rows = _without_nodes(ip, rows)
  if rows.form is None:
    raise Bottom  # What the elements are is not known yet.
  return rows if isinstance(rows.form, _forms.NumberForm) else None


def _tensor_of_numbers(ip: Host, rows: Rows, dtype: tf.DType | None) -> object:
  """Returns the tensor that TensorFlow makes of a list of numbers."""
  form = rows.form
  if dtype is not None and dtype.is_floating and isinstance(form, _forms.NumberForm):
    if form.type in (int, float):
      return tf.cast(rows.tensors[0], dtype)
  return call_on_rows(ip, tf.convert_to_tensor, [rows], {"dtype": dtype} if dtype else {})


def _part_with_numbers(ip: Host, given: object, dtype: tf.DType | None) -> object:
  """Returns an element of a list as `_with_numbers` does."""
  value = ip.frame.concrete(given)
  value = value.value if isinstance(value, Maybe) else value
  if isinstance(value, tf.Tensor) or _may_be_tensor(value):
    # Python raises; a graph would put them together.
    raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, "tf.constant of a list of tensors.")
  return _with_numbers(ip, given, dtype)


def _may_be_tensor(value: object) -> bool:
  """Tells whether what the run finds out about is, or may be, a tensor or variable."""
  if isinstance(value, Array):
    return not _arrays.is_numpy(value.types)
  return isinstance(value, Weak)


def _with_numbers(ip: Host, given: object, dtype: tf.DType | None) -> object:
  """Returns nested lists with numbers of the run as tensors of a type."""
  value = ip.frame.concrete(given)
  if isinstance(value, LocalList) and value.items is not None:
    return [_part_with_numbers(ip, part, dtype) for part in value.items]
  if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
    return [_part_with_numbers(ip, part, dtype) for part in value]
  rows = _rows_of_numbers(ip, value)
  if rows is not None:
    return _tensor_of_numbers(ip, rows, dtype)
  rows = _rows_of_list(ip, value)
  if rows is not None and (dtype is None or _heap_tensors.can_be(dtype)):
    found = _heap_tensors.tensor_of(ip, rows, dtype)
    if found is not None:
      return found
  if isinstance(value, IntOrFloat) and dtype in (tf.float32, tf.float64):
    value = value.value
  if isinstance(value, Number):
    try:
      return _numbers.as_tensor(value, dtype)
    except TypeError as error:
      raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, str(error)) from None
  return lowered(ip, value)
