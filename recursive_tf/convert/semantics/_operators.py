"""Python's operators on abstract values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._access import is_generated
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import (
  _arrays,
  _as_eager,
  _containers,
  _counters,
  _either,
  _heap_operators,
  _heap_tensors,
  _int_or_float,
  _narrowing,
  _of_kinds,
  _opened,
  _shapes,
  _tables,
  _text,
)
from recursive_tf.convert.semantics._protocols import (
  asked_alone,
  by_method_of_known,
  by_method_of_local,
  by_own_method,
  check_variables,
  is_own,
  operator_method,
  own_method,
)
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import (
  Array,
  Container,
  IntOrFloat,
  LocalList,
  LocalObject,
  LocalTable,
  Made,
  Maybe,
  Missing,
  Raises,
  Ref,
  Rows,
  Scope,
  Weak,
  is_static,
  named,
)
from recursive_tf.convert.values._forms import NoneType, number_of
from recursive_tf.convert.values._numbers import Number, as_tensor
from recursive_tf.convert.values._operands import Shape
from recursive_tf.convert.values._text import Text
from recursive_tf.convert.values._value import Value

_OPERATORS = {
  ast.Add: (operator.add, operator.iadd, "add"),
  ast.Sub: (operator.sub, operator.isub, "sub"),
  ast.Mult: (operator.mul, operator.imul, "mul"),
  ast.Div: (operator.truediv, operator.itruediv, "truediv"),
  ast.FloorDiv: (operator.floordiv, operator.ifloordiv, "floordiv"),
  ast.Mod: (operator.mod, operator.imod, "mod"),
  ast.Pow: (operator.pow, operator.ipow, "pow"),
  ast.MatMult: (operator.matmul, operator.imatmul, "matmul"),
  ast.LShift: (operator.lshift, operator.ilshift, "lshift"),
  ast.RShift: (operator.rshift, operator.irshift, "rshift"),
  ast.BitAnd: (operator.and_, operator.iand, "and"),
  ast.BitOr: (operator.or_, operator.ior, "or"),
  ast.BitXor: (operator.xor, operator.ixor, "xor"),
}
UNARY: dict[type[ast.unaryop], Callable[..., object]] = {
  ast.USub: operator.neg,
  ast.UAdd: operator.pos,
  ast.Invert: operator.invert,
}
PRIMITIVE = (str, int, float, bool, NoneType, bytes)


def name_of(op: type[ast.operator]) -> str:
  """Returns what an operator is called in the names of its methods."""
  return _OPERATORS[op][2]


def binary(ip: Host, op: type[ast.operator], left: Any, right: object) -> Any:
  """Returns `left op right`."""
  frame = ip.frame
  found = _by_method_of_known(ip, op, left, right)  # Which is given a variable itself.
  if found is not NotImplemented:
    return found
  check_variables(ip, op.__name__, left, right)
  left, right = _table_there(ip, left), _table_there(ip, right)
  if op in (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor):
    left, right = _tables.set_of_heap(ip, left), _tables.set_of_heap(ip, right)
  if _counters.is_counter(left):
    return _counters.binary(ip, op, left, right)
  if any(_as_eager.is_no_list(one) or _tables.is_keys(one) for one in (left, right)):
    return _tables.binary(ip, op, left, right)
  left, right = frame.concrete(left), frame.concrete(right)
  if isinstance(left, Ref) or isinstance(right, Ref):
    if _heap_tensors.is_number_or_tensor(ip, left):
      return _heap_tensors.of_each(ip, left, lambda one: binary(ip, op, one, right))
    if _heap_tensors.is_number_or_tensor(ip, right):
      return _heap_tensors.of_each(ip, right, lambda one: binary(ip, op, left, one))
    left, right = _narrowing.operands(ip, op, _OPERATORS[op][2], left, right)
  if _either.is_one(left, right):
    return _either.binary(ip, op, left, right)
  of_values = _of_kinds.binary, _of_ints_or_floats
  of_objects = _by_own_method, _by_method_of_heap, _by_method_of_known
  for rule in (*of_values, *of_objects, _of_shapes):
    found = rule(ip, op, left, right)
    if found is not NotImplemented:
      return found
  left, right = as_array(ip, left, right), as_array(ip, right, left)
  for rule in (_of_arrays, _of_numbers, _of_weak, _of_objects):
    found = rule(ip, op, left, right)
    if found is not NotImplemented:
      return found
  left, right = _heap_tensors.operand(ip, left, right), _heap_tensors.operand(ip, right, left)
  if op is ast.Add and all(isinstance(v, (Ref, LocalList, Rows, tuple)) for v in (left, right)):
    left, right = (_containers.as_sequence(ip, value) for value in (left, right))
  if op is ast.Mult:
    left, right = (_repeatable(ip, value) for value in (left, right))
  if any(
    isinstance(v, (LocalList, Rows)) or (op is ast.Mult and type(v) is tuple) for v in (left, right)
  ):
    joined = _containers.binary(ip, op, left, right)
    if joined is not None:
      return joined
  if isinstance(left, tuple) and isinstance(right, tuple) and op is ast.Add:
    return left + right
  text = _text.binary(ip, op, left, right)
  if text is not None:
    return text
  is_of_run = not is_static(right) or _shows_itself(right)
  if op is ast.Mod and isinstance(left, (str, bytes)) and is_of_run:
    filled = _text.percent(ip, left, right) if isinstance(left, str) else None
    if filled is None:
      raise frame.refuse(Reason.NEEDS_VALUE, "Text is formatted with a value of the run.")
    return filled
  if isinstance(left, Ref) or isinstance(right, Ref):
    raise unsupported(ip, op.__name__, left, right)
  if type(left) in PRIMITIVE and type(right) in PRIMITIVE:
    try:
      return _OPERATORS[op][0](left, right)
    except (TypeError, ValueError, ArithmeticError):
      raise Raises from None
  return natively(ip, _OPERATORS[op][0], left, right)


def _table_there(ip: Host, value: object) -> object:
  """Returns a dict or set of the run, where it may be None, for which operators raise."""
  is_one = isinstance(value, Maybe) and isinstance(value.value, LocalTable)
  return ip.frame.resolve(value) if is_one else value


def product_mod(ip: Host, left: object, right: object, divisor: Callable[[], object]) -> object:
  """Returns `left * right % divisor()`; of ints also where the product has more than 64 bits."""
  factors = ip.frame.concrete(left), ip.frame.concrete(right)
  are_ints = all(_numbers.type_of(one) in (int, bool) for one in factors)
  if not are_ints or not any(isinstance(one, Number) for one in factors):
    product = ip.binary(ast.Mult, left, right)
    return ip.binary(ast.Mod, product, divisor())
  last = divisor()
  first, second, by = map(number_of, (*factors, ip.frame.concrete(last)))
  if first is None or second is None or by is None or by.type is float:
    return ip.binary(ast.Mod, ip.binary(ast.Mult, left, right), last)
  ip.frame.partial()
  found = _numbers.multiply_mod(first, second, by)
  assert found is not None  # They are ints.
  return found


def _repeatable(ip: Host, value: object) -> object:
  """Returns a list or tuple of the heap as one of the program, to be repeated.

  And an object of a class derived from tuple, without a product of its own, as a tuple.
  """
  if isinstance(value, Ref) and ip.frame.types_of(value) - {Missing} <= {list, tuple}:
    return _containers.as_sequence(ip, value)
  if isinstance(value, tuple) and type(value).__mul__ is tuple.__mul__:
    return tuple.__getitem__(value, slice(None))
  return value


# What these do not compute is `NotImplemented`: the next one does, or TensorFlow, or Python.


def _of_ints_or_floats(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  is_text = op is ast.Mod and isinstance(left, str)
  if isinstance(left, IntOrFloat) or (isinstance(right, IntOrFloat) and not is_text):
    return _int_or_float.binary(ip, op, left, right)
  return NotImplemented


def _by_own_method(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  name = _OPERATORS[op][2]
  found: object = by_own_method(ip, f"__{name}__", f"__r{name}__", left, right)
  return NotImplemented if found is None else found


def _by_method_of_heap(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  return _heap_operators.binary(ip, _OPERATORS[op][2], left, right)


def _by_method_of_known(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  if op is ast.Mod and isinstance(left, (str, bytes, Text)):
    return NotImplemented  # Text is formatted, whatever the right one says.
  name = _OPERATORS[op][2]
  return by_method_of_known(ip, f"__{name}__", f"__r{name}__", left, right)


def _shows_itself(value: object) -> bool:
  """Tells whether a known object's class says how it is written, or that of one in a tuple."""
  for part in value if type(value) is tuple else (value,):
    methods = [operator_method(part, name) for name in ("__str__", "__repr__")]
    if any(method is not None and not is_generated(method) for method in methods):
      return True
  return False


def _of_shapes(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  if op is ast.Add and (isinstance(left, Shape) or isinstance(right, Shape)):
    return _shapes.joined(ip, left, right)
  return NotImplemented


def _of_arrays(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  if isinstance(left, Array) or isinstance(right, Array):
    return with_array(ip, op, _OPERATORS[op][0], left, right)
  return NotImplemented


def _of_numbers(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  if not isinstance(left, Number) and not isinstance(right, Number):
    return NotImplemented
  if not _forms.is_number(left) or not _forms.is_number(right):
    return NotImplemented
  ip.frame.partial()
  found = _numbers.binary(op, left, right)
  if found is None:
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, f"{op.__name__} of these Python numbers, in the run."
    )
  return found


def _of_weak(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  if isinstance(left, Weak) or isinstance(right, Weak):
    return _weak_binary(ip, op, left, right)
  return NotImplemented


def _of_objects(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  if isinstance(left, LocalObject) or isinstance(right, LocalObject):
    return _own_operator(ip, op, left, right)
  return NotImplemented


def as_array(ip: Host, value: object, other: object) -> object:
  """Returns what is known of NumPy as an `Array`, for it may change between runs or meet one."""
  is_number = type(other) in PRIMITIVE or isinstance(other, np.generic)
  if isinstance(value, np.ndarray) or (isinstance(value, np.generic) and not is_number):
    tensor = tf.convert_to_tensor(ip.frame.tensor(value))
    return Array(tensor, frozenset([type(value)]), False)
  return value


def with_array(
  ip: Host,
  op: type[ast.operator] | type[ast.cmpop],
  function: Callable[..., object],
  left: object,
  right: object,
) -> object:
  """Computes with an array of NumPy: with TensorFlow if the other one is a tensor."""
  left, right = (ip.frame.strong(v) if isinstance(v, Weak) else v for v in (left, right))
  found = _arrays.operands(ip, left, right)
  if found is not None:
    return natively(ip, function, *found)
  computed = _arrays.binary(ip, op, left, right)
  if computed is None:
    raise _arrays.refuse(ip, function.__name__)
  return computed


def natively(ip: Host, function: Callable[..., object], left: object, right: object) -> object:
  """Computes with TensorFlow, or with Python where both are known."""
  _as_eager.check_bool(ip, (left, right))
  _as_eager.check_arguments(ip, function, (left, right), {})
  for i, (value, other) in enumerate(((left, right), (right, left))):
    if isinstance(value, Number) and isinstance(other, tf.Tensor):
      try:
        value = as_tensor(value, other.dtype)
      except TypeError as error:
        raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, str(error)) from None
      left, right = (value, right) if i == 0 else (left, value)
  for value, other in ((left, right), (right, left)):
    if isinstance(value, Value) and not value.has_operators:
      raise unsupported(ip, function.__name__, left, right)
    if (isinstance(value, Number) or _is_of_program(value)) and not _takes_tensors(other):
      raise unsupported(ip, function.__name__, left, right)  # It would be run, on tensors.
  if is_own(right, "__len__", "__array__") and not is_own(left, "__add__"):
    raise unsupported(ip, function.__name__, left, right)  # TensorFlow asks for its elements.
  left, right = ip.frame.tensor(left), ip.frame.tensor(right)
  if function is operator.pow and _is_square(left, right):
    return ip.native(tf.square, [left], {})
  return ip.native(function, [left, right], {})


def _is_of_program(value: object) -> bool:
  """Tells whether a value is a list, tuple, dict or object that the program makes."""
  return isinstance(value, (Container, Rows)) or (type(value) is tuple and not is_static(value))


def _is_square(base: object, exponent: object) -> bool:
  """Tells whether a power is a square.

  It is much faster, and rounded once: of a power in eager execution the last digit may be off by
  one. `tf.function` takes a square, too.
  """
  is_float = isinstance(base, tf.Tensor) and base.dtype in (tf.float32, tf.float64)
  return is_float and type(exponent) in (int, float) and exponent == 2


def _takes_tensors(value: object) -> bool:
  """Tells whether an operator of a value with a tensor is TensorFlow's."""
  return isinstance(value, (tf.Tensor, tf.Variable, keras.Variable)) or (
    _forms.is_tensor_like(value) or tf.is_tensor(value)
  )


def _weak_binary(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  """Computes with what is a tensor or a Python number; see `Weak`."""
  weak, other = (left, right) if isinstance(left, Weak) else (right, left)
  assert isinstance(weak, Weak)  # One is.
  if not _numbers.computes_with(weak.tensor.dtype, weak.type):
    pass  # Of both kinds no operator takes one each.
  elif isinstance(other, Weak):
    found = _of_both(ip, op, left, right)
    if found is not None:
      return found
  elif isinstance(other, tf.Tensor):
    tensor = weak.tensor
    if other.dtype == tensor.dtype and _covers(other.shape, tensor.shape):
      function = _OPERATORS[op][0]
      operands = [_filled(ip, v) if isinstance(v, Weak) else v for v in (left, right)]
      return ip.native(function, operands, {})
  elif (number := number_of(other)) is not None and number.type is not bool:
    if op is ast.Mult:
      return _scaled(ip, weak, number)
    found = _beside_number(ip, op, left, right)
    if found is not None:
      return found
  operands = [ip.frame.strong(v) if isinstance(v, Weak) else v for v in (left, right)]
  return binary(ip, op, *operands)


def _of_both(ip: Host, op: type[ast.operator], left: object, right: object) -> Weak | None:
  """Computes with two values that are tensors or Python numbers; None if that is not possible.

  If both are numbers, the tensor has to hold what comes out exactly.
  """
  if not (isinstance(left, Weak) and isinstance(right, Weak)):
    return None
  if op not in (ast.Add, ast.Sub, ast.Mult) or not _same_shape(left.tensor, right.tensor):
    return None
  kind = float if float in (left.type, right.type) else int
  if not _numbers.computes_with(left.tensor.dtype, kind):
    return None
  function = _OPERATORS[op][0]
  both = tf.logical_and(left.is_number, right.is_number)
  found = ip.native(function, [_filled(ip, left), _filled(ip, right)], {})
  a, b, c = (tf.cast(t, tf.float64) for t in (left.tensor, right.tensor, found))
  exact = tf.reduce_all(tf.equal(function(a, b), c))
  ok = tf.logical_or(tf.logical_not(both), exact)
  found = ip.frame.assume(found, ok, "a sum or product of numbers among tensors")
  return Weak(found, both, kind)


def _beside_number(ip: Host, op: type[ast.operator], left: object, right: object) -> Weak | None:
  """Computes with a tensor or Python number and a number that the tensor's type can hold."""
  weak, other = (left, right) if isinstance(left, Weak) else (right, left)
  assert isinstance(weak, Weak)  # One is.
  number, dtype = number_of(other), weak.tensor.dtype
  assert number is not None  # The other one is.
  if not _forms.is_exact(other, dtype):
    return None
  value = tf.cast(number.tensor, dtype)
  if op is ast.Add and other == 0:  # But for the sign of a zero nothing changes.
    kind = float if float in (weak.type, number.type) else int
    can = _numbers.computes_with(dtype, kind)
    return Weak(weak.tensor + value, weak.is_number, kind) if can else None
  filled = Weak(tf.fill(tf.shape(weak.tensor), value), tf.constant(True), number.type)
  filled.tensor.set_shape(weak.tensor.shape)
  return _of_both(ip, op, *((weak, filled) if left is weak else (filled, weak)))


def _scaled(ip: Host, weak: Weak, factor: Number) -> Weak:
  """Returns a product with a number; a `Weak` that is a number itself has to be 0, as sums are."""
  kind = float if float in (weak.type, factor.type) else int
  is_zero = tf.reduce_all(tf.equal(weak.tensor, tf.zeros([], weak.tensor.dtype)))
  ok = tf.logical_or(tf.logical_not(weak.is_number), is_zero)
  tensor = ip.frame.assume(weak.tensor, ok, "a product of numbers among tensors")
  return Weak(natively(ip, operator.mul, tensor, factor), weak.is_number, kind)


def _covers(shape: tf.TensorShape, other: tf.TensorShape) -> bool:
  """Tells whether broadcasting with a number, filled up to `other`, gives `shape` in each run."""
  if shape.rank is None or other.rank is None or other.rank > shape.rank:
    return False
  sizes = zip(shape.as_list()[::-1], other.as_list()[::-1], strict=False)
  return all(n in (None, 1, m) for m, n in sizes)


def _same_shape(a: tf.Tensor, b: tf.Tensor) -> bool:
  is_known = a.dtype == b.dtype and a.shape.rank is not None
  return is_known and a.shape.rank == b.shape.rank and a.shape.as_list() == b.shape.as_list()


def _filled(ip: Host, weak: Weak) -> tf.Tensor:
  """Returns the tensor of what may be a number; of that, sizes that nobody knows have to be 1."""
  sizes = weak.tensor.shape.as_list()
  unknown = [axis for axis, size in enumerate(sizes) if size is None]
  if not unknown:
    return weak.tensor
  are_one = tf.reduce_all(tf.equal(tf.gather(tf.shape(weak.tensor), unknown), 1))
  ok = tf.logical_or(tf.logical_not(weak.is_number), are_one)
  return ip.frame.assume(weak.tensor, ok, "a number among tensors of no size")


def _own_operator(ip: Host, op: type[ast.operator], left: object, right: object) -> object:
  name = _OPERATORS[op][2]
  found = by_method_of_local(ip, f"__{name}__", f"__r{name}__", left, right)
  if found is NotImplemented:
    raise unsupported(ip, op.__name__, left, right)
  return found


def unary_value(ip: Host, op: type[ast.unaryop], value: object) -> object:
  """Returns `op value` of -, + or ~."""
  value = ip.frame.concrete(value)
  if _heap_tensors.is_number_or_tensor(ip, value):
    return _heap_tensors.of_each(ip, value, lambda one: unary_value(ip, op, one))
  if type(value) in PRIMITIVE:
    try:
      return UNARY[op](value)
    except TypeError:
      raise Raises from None
  name = f"__{UNARY[op].__name__}__"
  own = own_method(value, name)
  if own is not None:
    return ip.call(own, [], {})
  found = asked_alone(ip, name, value)
  if found is not NotImplemented:
    return found
  return ip.kind_of(_of_kinds.as_made(ip, value)).unary(op)


def augmented(ip: Host, node: ast.AugAssign, scope: Scope) -> None:
  """Does `target op= value`."""
  op, target = type(node.op), node.target
  if isinstance(target, ast.Name):
    old = ip.eval(ast.copy_location(ast.Name(target.id, ast.Load()), target), scope)
    new = _applied(ip, op, old, ip.elements(node.value, scope))
    if type(old) is not list or new is not old:  # A list is changed, and stays where it is.
      ip.bind(target.id, new, scope)
    return
  owner = ip.eval(target.value, scope)
  if isinstance(target, ast.Attribute):
    old = ip.attribute(owner, target.attr)
    new = _applied(ip, op, old, ip.elements(node.value, scope))
    if new is not old or not (type(old) is list or isinstance(old, Ref)):
      ip.write_attribute(owner, target.attr, new)
    return
  key = ip.eval(target.slice, scope)
  old = ip.item(owner, key)
  ip.write_item(owner, key, _applied(ip, op, old, ip.elements(node.value, scope)))


def _applied(ip: Host, op: type[ast.operator], old: object, value: object) -> object:
  """Returns what `op=` gives of two values."""
  if isinstance(old, Made):
    made = old

    def of_one(one: object) -> object:
      if op is not ast.Add or not isinstance(one, LocalList):
        return _in_place(ip, op, one, value)
      copy = ip.frame.new(LocalList(one.content))
      ip.extend(copy, value)
      ip.conversion.effects.change_made(ip, made.handle, copy)
      return made

    return _opened.for_each(ip, old, of_one, has_tuples=op is not ast.Add)
  return _in_place(ip, op, old, value)


def _in_place(ip: Host, op: type[ast.operator], old: object, value: object) -> object:
  own = f"__i{_OPERATORS[op][2]}__"
  kinds = ip.frame.types_of(old) if isinstance(old, Ref) else {type(old)}
  if any(issubclass(kind, (tf.Variable, keras.Variable)) and hasattr(kind, own) for kind in kinds):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{own} of a variable, which may raise.")
  old = ip.frame.concrete(old)
  if _is_taken_over(ip, op, old, value):
    return ip.binary(op, old, value)
  if isinstance(old, Ref):
    old, value = _narrowing.operands(ip, op, _OPERATORS[op][2], old, ip.frame.concrete(value))
  if own_method(old, own) is not None:
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{own} of a {named(old)}.")
  for rule in (_list_in_place, _array_in_place, _object_in_place, _builtin_in_place):
    found = rule(ip, op, old, value)
    if found is not NotImplemented:
      return found
  return ip.binary(op, old, value)


def _is_taken_over(ip: Host, op: type[ast.operator], old: object, value: object) -> bool:
  """Tells whether `xs += x` is an operator of `x`, which Python asks before it changes the list.

  So it is for tensors, arrays and objects with an `__radd__` of their own, though `xs` is a list.
  """
  name = f"__r{_OPERATORS[op][2]}__"
  if op not in (ast.Add, ast.Mult) or not any(issubclass(kind, list) for kind in _kinds(ip, old)):
    return False
  builtin = {getattr(kind, name, None) for kind in _NEVER_TAKING}  # None among them.
  return any(getattr(kind, name, None) not in builtin for kind in _kinds(ip, value))


_NEVER_TAKING = (int, float, complex, list, tuple, str, bytes)


def _kinds(ip: Host, value: object) -> Collection[type]:
  return ip.kind_of(value).classes() or [type(value)]


def _list_in_place(ip: Host, op: type[ast.operator], old: object, value: object) -> object:
  if _counters.is_counter(old):
    return _counters.in_place(ip, op, old, value)
  if isinstance(old, LocalTable) and old.type is frozenset:
    return ip.binary(op, old, value)
  if isinstance(old, LocalTable):
    return _tables.in_place(ip, op, old, _table_there(ip, value))
  if isinstance(old, LocalList) and op is ast.Add:
    ip.extend(old, value)
    return old
  if isinstance(old, LocalList) and op is ast.Mult:
    old.content = binary(ip, op, old, value).content
    return old
  return NotImplemented


def _array_in_place(ip: Host, op: type[ast.operator], old: object, value: object) -> object:
  if isinstance(old, (Array, np.ndarray)):
    if isinstance(old, Array):
      _arrays.demand_no_variable(ip, old)  # `+=` of one raises.
    value = ip.frame.concrete(value)
    types = old.types if isinstance(old, Array) else {np.ndarray}
    if np.ndarray in types and not isinstance(value, (tf.Tensor, tf.Variable)):
      raise ip.frame.refuse(
        Reason.UNSUPPORTED_WRITE,
        f"{op.__name__} changes an array of NumPy in place. Make a new one: x = x + y.",
      )
    return binary(ip, op, old, value)
  return NotImplemented


def _object_in_place(ip: Host, op: type[ast.operator], old: object, value: object) -> object:
  own = f"__i{_OPERATORS[op][2]}__"
  if isinstance(old, Ref) and any(hasattr(t, own) for t in ip.frame.types_of(old) - {list}):
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"{own} of an object of the heap.")
  if isinstance(old, LocalObject) and hasattr(old.type, own):
    return ip.call(ip.attribute(old, own), [value], {})
  return asked_alone(ip, own, old, value)


_IN_PLACE: dict[type[ast.operator], str] = {ast.Add: "extend", ast.Mult: "__imul__"}  # Of lists.


def _builtin_in_place(ip: Host, op: type[ast.operator], old: object, value: object) -> object:
  method = _IN_PLACE.get(op)
  if type(old) is list and method is not None:
    ip.call(ip.attribute(old, method), [value], {})
    return old
  if isinstance(old, (list, dict, set)):
    text = f"{op.__name__} changes a {type(old).__name__}."
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, text)
  if isinstance(old, Ref) and any(issubclass(t, list) for t in ip.frame.types_of(old)):
    ip.conversion.promote(ip, old)
    is_list = ip.frame.types_of(old) == {list} and not ip.conversion.is_step
    if is_list and method is not None:
      ip.call(ip.attribute(old, method), [value], {})
      return old
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"{op.__name__} changes a list of the heap.")
  return NotImplemented


def unsupported(ip: Host, name: str, left: object, right: object) -> ConversionRefused:
  """Returns the refusal of an operator of these values; raise it."""
  names = " and ".join(_name(ip, value) for value in (left, right))
  return ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name} of {names}.")


def _name(ip: Host, value: object) -> str:
  if isinstance(value, Ref):
    return _forms.describe(_forms.RefForm(ip.frame.types_of(value)))
  return named(value)
