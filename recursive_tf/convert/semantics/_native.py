"""Calls of libraries on the tensors of the graph: what they take, and what they give."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Callable, Iterator

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.autodiff import gives_rows
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _acting, _libraries
from recursive_tf.convert.heap._fingerprint import TooLarge
from recursive_tf.convert.semantics import _as_eager, _row_gradients
from recursive_tf.convert.values._abstract import (
  LocalDict,
  LocalList,
  Raises,
  Rows,
  as_rows,
  is_static,
)
from recursive_tf.convert.values._checks import OF_USUAL_SIZES
from recursive_tf.convert.values._logits import LOGITS, has_logits
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Slice

# What libraries raise for arguments that they cannot take.
LIBRARY_ERRORS = (
  TypeError,
  ValueError,
  AttributeError,
  IndexError,
  KeyError,
  NotImplementedError,
  RuntimeError,
  ArithmeticError,
  AssertionError,
  tf.errors.OpError,
)
_NUMBER = "RecursiveTf>PythonUnary"  # What makes a number another type, or fails.
_TENSOR = re.compile(r"<tf\.Tensor '[^']*' (shape=\(.*?\) dtype=\w+)>")


def native(
  ip: Host, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a library's function on the tensors of the graph."""
  frame = ip.frame
  frame.partial()
  if ip.conversion.is_step:  # Others have no gradients of their own.
    args = _row_gradients.taken(ip, function, args)
    kwargs = dict(zip(kwargs, _row_gradients.taken(ip, function, [*kwargs.values()]), strict=True))
  watch_calls(ip, getattr(function, "__self__", function))
  _as_eager.check_arguments(ip, function, args, kwargs)
  elements = _as_eager.Elements(ip, [*args, *kwargs.values()])
  lower = _lowered_for_rows if _libraries.reads_rows(function) else lowered
  is_empty = any(map(_is_empty, [*args, *kwargs.values()]))
  args = [lower(ip, arg) for arg in args]
  kwargs = {name: lower(ip, arg) for name, arg in kwargs.items()}
  _as_eager.check_bool(ip, [*args, *_as_eager.operands(kwargs)])
  elements.lowered([*args, *kwargs.values()])
  _refuse_numpy(ip, function, [*args, *kwargs.values()])
  if _libraries.is_of(function, "keras"):
    _as_eager.check_logits(ip, function, args, kwargs)
    args, kwargs = _as_eager.hide_source(args), _as_eager.hide_source(kwargs)
  _compute_numbers(ip, args, kwargs)
  _as_eager.check_axis(ip, function, args, kwargs)
  _as_eager.check_mask(ip, function, args, kwargs)
  if _libraries.decides_by_shapes(function):
    _as_eager.check_sizes(ip, function, [*args, *kwargs.values()])
    args = [_of_usual_sizes(ip, arg) for arg in args]
    kwargs = {name: _of_usual_sizes(ip, arg) for name, arg in kwargs.items()}
  try:
    with _watched(function, elements) as seen, _reading_rows(ip):
      result = _tapped(ip, function, args, kwargs)
  except RecursionError:
    raise
  except LIBRARY_ERRORS as error:
    if is_empty or ip.conversion.has_unknown_results:
      raise Raises from None  # As Python would, unless more comes to be known of what it is given.
    name = getattr(function, "__qualname__", repr(function))
    text = str(error).strip().splitlines() or [type(error).__name__]
    # Names of the graph's are not the user's.
    said = _TENSOR.sub(r"a tensor (\1)", text[0]).replace("SymbolicTensor", "Tensor")
    raise frame.refuse(Reason.TENSORFLOW_ERROR, f"{name}: {said}") from error
  if seen.draws:
    ip.conversion.guards.seed_generator()
  if seen.takes_otherwise:
    raise _as_eager.refuse_elements(ip)
  for tensor in seen.reduced:
    _demand_elements(ip, tensor)
  _check_proxies(ip, [*args, *kwargs.values()], result)
  found = lifted(ip, result)
  for one in result if isinstance(result, (list, tuple)) else (result,):
    frame.note_result(one)
  frame.compute(found)  # Also an argument that the function called does not use.
  return found


def _compute_numbers(ip: Host, *values: object) -> None:
  """Notes numbers of Python's that are tensors by now: one that does not fit raises.

  Of some the function needs the shape alone, and the graph would not make them.
  """
  agenda = list(values)
  while agenda:
    value = agenda.pop()
    if isinstance(value, (list, tuple, dict)):
      agenda.extend(value.values() if isinstance(value, dict) else value)
    elif isinstance(value, tf.Tensor) and not is_static(value) and value.op.type == _NUMBER:
      ip.frame.compute(value)


def _is_empty(value: object) -> bool:
  """Tells whether a value is a list in which nothing is known to be, or not yet."""
  rows = as_rows(value) if isinstance(value, (LocalList, Rows)) else None
  return (rows is not None and rows.form is None) or (
    isinstance(value, LocalList) and value.items == ()
  )


def _check_proxies(ip: Host, args: list[object], result: object) -> None:
  """Refuses a dict that a library makes after one of a tf.Module: its class is TensorFlow's."""
  if not isinstance(result, dict) and not (
    isinstance(result, (list, tuple)) and any(isinstance(part, dict) for part in result)
  ):
    return
  agenda = list(args)
  while agenda:
    value = agenda.pop()
    if ip.conversion.guards.is_in_proxy(value):
      text = "A dict is made as the one that is an attribute of a tf.Module. Give dict(...) of it."
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
    if isinstance(value, (list, tuple, dict)):
      agenda.extend(value.values() if isinstance(value, dict) else value)


@dataclasses.dataclass
class _Seen:
  """What a library has done in a graph, and would not have done in eager execution.

  Attributes:
    reduced: the tensors of which Keras took the greatest or the least element.
    takes_otherwise: whether elements of a list became another type.
    draws: whether Keras has drawn from the generator that all share.
  """

  reduced: list[tf.Tensor] = dataclasses.field(default_factory=list)
  takes_otherwise: bool = False
  draws: bool = False


@contextlib.contextmanager
def _watched(function: Callable[..., object], elements: _as_eager.Elements) -> Iterator[_Seen]:
  """Notes what a library does meanwhile with what it is given."""
  found = _Seen()
  is_of_keras = _libraries.is_of(function, "keras")
  if not is_of_keras and not elements:
    yield found
    return

  def make(
    op_type: str, inputs: list[object], create: Callable[[], tfi.Operation]
  ) -> tfi.Operation:
    op = create()
    if is_of_keras and op_type in ("Max", "Min"):
      found.reduced.append(inputs[0])
    found.draws |= is_of_keras and any(map(_is_seed, inputs))
    found.takes_otherwise |= elements.are_taken_otherwise(op)
    return op

  with tfi.making_ops(tf.compat.v1.get_default_graph(), make):
    yield found


def _is_seed(tensor: tf.Tensor) -> bool:
  """Tells whether a tensor is the state of the generator that all of Keras shares."""
  if tensor.dtype != tf.resource:
    return False
  generator = tfi.keras_seed_generator()
  return generator is not None and tfi.outermost(tensor) is generator.state.value.handle


@contextlib.contextmanager
def _reading_rows(ip: Host) -> Iterator[None]:
  """Has the rows that a library takes of what a variable holds read from the variable itself.

  So the other rows are not copied. Not where a program may write the variable after the read: there
  a tape of the program's is to see them as rows.
  """
  tapped = ip.conversion.tapped
  if ip.conversion.is_step and not (ip.frame.key is None and tapped.is_recording()):
    yield
    return

  def make(
    op_type: str, inputs: list[tf.Tensor], create: Callable[[], tfi.Operation]
  ) -> tfi.Operation:
    if op_type == "GatherV2" and ip.conversion.is_step:
      return tapped.gather(inputs, create)
    op = create()
    if op_type != "GatherV2" or op.inputs[0].op.type != "ReadVariableOp":
      return op
    values, indices, axis = op.inputs
    if op.get_attr("batch_dims") or tf.get_static_value(axis) != 0:
      return op
    (handle,) = values.op.inputs
    return tf.raw_ops.ResourceGather(resource=handle, indices=indices, dtype=values.dtype).op

  with tfi.making_ops(tf.compat.v1.get_default_graph(), make):
    yield


def _tapped(
  ip: Host, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a library's function, and leads the rows that it reads of a variable past the tape."""
  tapped = ip.conversion.tapped
  variable = next((v for v in args[:1] if tfi.is_plain_variable(v)), None)
  is_here = ip.conversion.is_step and ip.frame.key is None and _libraries.reads_rows(function)
  if variable is None or not is_here or not tapped.is_tapping(variable):
    return function(*args, **kwargs)
  with tfi.stop_recording():
    rows = function(*args, **kwargs)
  return tapped.rows(variable, rows) if gives_rows(rows, variable) else function(*args, **kwargs)


def _demand_elements(ip: Host, tensor: tf.Tensor) -> None:
  """Fails the run if a tensor has no elements: Keras asks for some, but not while it is traced."""
  count = tensor.shape.num_elements()
  if count == 0:
    raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, "The max or min of an empty tensor.")
  if count is None:
    ip.frame.demand(tf.size(tensor) > 0)


def _of_usual_sizes(ip: Host, value: object) -> object:
  """Returns a tensor, failing the run if it has fewer than two of what only the run counts."""
  if not isinstance(value, tf.Tensor) or is_static(value):
    return value
  outer = tfi.outermost(value)
  if outer.op.type == "Placeholder":
    # The function's own arguments of such sizes have graphs of their own; not where a program is
    # by itself, which checks them.
    setattr(outer, OF_USUAL_SIZES, True)
    return value
  shape = value.shape
  if shape.rank is None or shape.is_fully_defined():
    return value
  sizes = tf.gather(tf.shape(value), [i for i in range(shape.rank) if shape[i] is None])
  ok = tf.reduce_all(sizes > 1)
  checked = ip.frame.assume(value, ok, "a loss or metric of fewer than two rows")
  checked.set_shape(shape)
  if has_logits(value):  # What Keras' losses go by is behind the very result.
    setattr(checked, LOGITS, getattr(value, LOGITS))
  return checked


def _refuse_numpy(ip: Host, function: object, values: list[object]) -> None:
  """Refuses NumPy's functions of what only the run knows: they take the tensors for objects."""
  owner = getattr(function, "__module__", None) or type(function).__module__
  if owner.partition(".")[0] == "numpy" and not all(is_static(v) for v in tf.nest.flatten(values)):
    name = getattr(function, "__name__", "a function")
    raise ip.frame.refuse(
      Reason.OPAQUE_CALL, f"NumPy's {name} of what only the run knows. Use TensorFlow's."
    )


def watch_calls(ip: Host, value: object) -> None:
  """Guards what an object holds, and what code of the user's in it reads, which a library may run.

  Raises:
    ConversionRefused: If that code does more than compute.
  """
  watch(ip, value)
  found = _acting.code_of_objects(ip.conversion.guards.newly_run(value))
  if found.acting is not None:
    raise ip.frame.refuse(
      Reason.OPAQUE_CALL,
      f"A {type(value).__name__} is used by a library, which may run code of the user's in it with"
      f" effects: {found.acting}.",
    )
  watch_code(ip, found)


def watch_code(ip: Host, code: _acting.Code) -> None:
  """Guards what code of the user's reads that a library runs."""
  for function in code.functions:
    watch(ip, function)
  for kind, name in code.members:
    watch(ip, ip.conversion.guards.member(kind, name))


def watch(ip: Host, value: object) -> None:
  """Guards all that an object known at conversion holds."""
  try:
    ip.conversion.guards.watch(value)
  except TooLarge as error:
    kind = type(value).__name__
    raise ip.frame.refuse(
      Reason.OPAQUE_CALL, f"A {kind} is used by a library, and {error} to watch for changes."
    ) from None


def lowered(ip: Host, value: object) -> object:
  """Returns a value as a library takes it: tensors, and Python lists and dicts of them."""
  if not _is_of_run(value):
    ip.conversion.effects.check_unchanged(ip)
  return ip.kind_of(value).lowered()


def _is_of_run(value: object) -> bool:
  """Tells whether a value is a tensor or number, or a list of such that the program makes."""
  if isinstance(value, (LocalList, tuple)) and type(value) in (LocalList, tuple):
    content = value if isinstance(value, tuple) else value.content
    return _is_of_run(content) if isinstance(content, Rows) else all(map(_is_of_run, content))
  if isinstance(value, Rows):
    form = value.form
    return form is not None and (form.is_tensor or form.number_type() is not None)
  if isinstance(value, Slice):
    return all(map(_is_of_run, (value.lower, value.upper, value.step)))
  if isinstance(value, slice):
    return all(map(_is_of_run, (value.start, value.stop, value.step)))
  return value is None or value is ... or isinstance(value, _PLAIN)


_PLAIN = (tf.Tensor, tf.Variable, Number, int, float, str, tf.DType)


def _lowered_for_rows(ip: Host, value: object) -> object:
  """Returns a value as a library takes it that reads rows of a variable, and not all of it."""
  if tfi.is_plain_variable(value):
    watch_calls(ip, value)
    return value
  return lowered(ip, value)


def lifted(ip: Host, value: object) -> object:
  """Returns what a library gave as abstract values."""
  if type(value) is list:
    return ip.frame.new(LocalList([lifted(ip, part) for part in value]))
  if type(value) is dict:
    return ip.frame.new(LocalDict({key: lifted(ip, part) for key, part in value.items()}))
  if type(value) is tuple:
    return tuple(lifted(ip, part) for part in value)
  if isinstance(value, np.ndarray):
    ip.conversion.guards.note_made(value)
  # What only acts gives an op in a graph, and nothing in eager execution.
  return None if isinstance(value, tf.Operation) else value
