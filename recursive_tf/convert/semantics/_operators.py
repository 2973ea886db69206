"""Python's operators on abstract values."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._sharing import name_of
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.semantics import _arrays, _attributes, _calls, _sequences, _shapes
from recursive_tf.convert.values import _forms, _numbers
from recursive_tf.convert.values._abstract import (
  Abstract,
  Array,
  BoundMethod,
  Builtin,
  Closure,
  Container,
  IntOrFloat,
  LocalDict,
  LocalList,
  LocalObject,
  Maybe,
  Missing,
  Ref,
  Rows,
  Scope,
  Weak,
  is_static,
  named,
)
from recursive_tf.convert.values._forms import NoneType, number_of
from recursive_tf.convert.values._numbers import Number, as_tensor

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
_COMPARISONS = {
  ast.Eq: (operator.eq, "eq"),
  ast.NotEq: (operator.ne, "ne"),
  ast.Lt: (operator.lt, "lt"),
  ast.LtE: (operator.le, "le"),
  ast.Gt: (operator.gt, "gt"),
  ast.GtE: (operator.ge, "ge"),
}
_UNARY: dict[type[ast.unaryop], Any] = {
  ast.USub: operator.neg,
  ast.UAdd: operator.pos,
  ast.Invert: operator.invert,
}
_PRIMITIVE = (str, int, float, bool, NoneType, bytes)


def binary(ip: Any, op: type[ast.operator], left: Any, right: Any) -> Any:
  """Returns `left op right`."""
  frame = ip.frame
  if isinstance(left, IntOrFloat) or isinstance(right, IntOrFloat):
    return _binary_of_either(ip, op, left, right)
  left, right = frame.concrete(left), frame.concrete(right)
  left, right = _as_float(ip, left, right), _as_float(ip, right, left)
  if op is ast.Add and any(isinstance(value, _shapes.Shape) for value in (left, right)):
    return _shapes.joined(ip, left, right)
  left, right = _as_array(ip, left, right), _as_array(ip, right, left)
  if isinstance(left, Array) or isinstance(right, Array):
    return _with_array(ip, op, _OPERATORS[op][0], left, right)
  if isinstance(left, Number) or isinstance(right, Number):
    if number_of(left) is not None and number_of(right) is not None:
      frame.partial()
      found = _numbers.binary(op, left, right)
      if found is None:
        raise frame.refuse(
          Reason.UNSUPPORTED_OPERATION, f"{op.__name__} of these Python numbers, in the run."
        )
      return found
  if isinstance(left, Weak) or isinstance(right, Weak):
    return _weak_binary(ip, op, left, right)
  if isinstance(left, LocalObject) or isinstance(right, LocalObject):
    return _own_operator(ip, op, left, right)
  if any(isinstance(v, (LocalList, Rows)) or (op is ast.Mult and type(v) is tuple)
         for v in (left, right)):
    found = _sequences.binary(ip, op, left, right)
    if found is not None:
      return found
  if isinstance(left, tuple) and isinstance(right, tuple) and op is ast.Add:
    return left + right
  text = _sequences.text_binary(ip, op, left, right)
  if text is not None:
    return text
  if op is ast.Mod and isinstance(left, (str, bytes)) and not is_static(right):
    raise frame.refuse(Reason.NEEDS_VALUE, "Text is formatted with a value of the run.")
  if isinstance(left, Ref) or isinstance(right, Ref):
    raise _unsupported(ip, op.__name__, left, right)
  return _native(ip, _OPERATORS[op][0], left, right)


def _as_array(ip: Any, value: Any, other: Any) -> Any:
  """Returns what is known of NumPy as an `Array`, for it may change between runs or meet one."""
  is_number = type(other) in _PRIMITIVE or isinstance(other, np.generic)
  if isinstance(value, np.ndarray) or (isinstance(value, np.generic) and not is_number):
    tensor = tf.convert_to_tensor(ip.frame.tensor(value))
    return Array(tensor, frozenset([type(value)]), False)
  return value


def _with_array(ip: Any, op: Any, function: Any, left: Any, right: Any) -> Any:
  """Computes with an array of NumPy: with TensorFlow if the other one is a tensor."""
  found = _arrays.operands(ip, op, *(
    ip.frame.strong(value) if isinstance(value, Weak) else value for value in (left, right)
  ))
  if found is None:
    raise _arrays.refuse(ip, function.__name__)
  left, right, result = found
  return result(_native(ip, function, left, right))


def _binary_of_either(ip: Any, op: type[ast.operator], left: Any, right: Any) -> Any:
  """Computes with what is an int or a float, as far as that makes no other difference."""
  frame = ip.frame
  left, right = (v if isinstance(v, IntOrFloat) else frame.concrete(v) for v in (left, right))
  are_ints = [_is_int(value) for value in (left, right)]
  if op in (ast.Add, ast.Sub, ast.Mult, ast.Div) and None not in are_ints:
    operands = [v.value if isinstance(v, IntOrFloat) else v for v in (left, right)]
    found = _numbers.binary(op, *operands)
    assert found is not None  # One of them is a float.
    if op is ast.Div:
      return found
    is_int = tf.logical_and(*are_ints)
    ok = tf.logical_or(tf.logical_not(is_int), tf.abs(found.tensor) <= 2.0**53)
    tensor = frame.check(found.tensor, ok, "an int beyond 53 bits among floats")
    is_zero = tf.logical_and(is_int, tf.equal(tensor, 0.0))  # Ints have no -0.0.
    return IntOrFloat(Number(tf.where(is_zero, tf.zeros_like(tensor), tensor), float), is_int)
  for one, other in ((left, right), (right, left)):
    kind = other.dtype if isinstance(other, tf.Tensor) else _numbers.type_of(other)
    if isinstance(one, IntOrFloat) and (kind is float or getattr(kind, "is_floating", False)):
      left, right = (one.value, other) if one is left else (other, one.value)
      return binary(ip, op, left, right)
  return binary(ip, op, frame.resolve(left), frame.resolve(right))


def _is_int(value: Any) -> Any:
  """Tells whether what is an int or a float, or an int, is an int; None for all else."""
  if isinstance(value, IntOrFloat):
    return value.is_int
  return True if _numbers.type_of(value) is int else None


def _as_float(ip: Any, value: Any, other: Any) -> Any:
  """Returns an operand that is an int or a float as a float, where the other one makes it one."""
  if not isinstance(value, Ref):
    return value
  if isinstance(other, tf.Tensor):
    makes_float = other.dtype.is_floating
  else:
    makes_float = (other.type if isinstance(other, Number) else type(other)) is float
  is_either = ip.frame.types_of(value) - {NoneType, Missing} == {int, float}
  return ip.frame.number(value.step("float")) if makes_float and is_either else value


def _native(ip: Any, function: Any, left: Any, right: Any) -> Any:
  """Computes with TensorFlow, or with Python where both are known."""
  is_tensor = [isinstance(value, tf.Tensor) for value in (left, right)]
  for i, (value, other) in enumerate(((left, right), (right, left))):
    if isinstance(value, Number) and is_tensor[1 - i]:
      try:
        value = as_tensor(value, other.dtype)
      except TypeError as error:
        raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, str(error)) from None
      left, right = (value, right) if i == 0 else (left, value)
  for value, other in ((left, right), (right, left)):
    if isinstance(value, (Closure, BoundMethod, Builtin, LocalDict, Abstract)):
      raise _unsupported(ip, function.__name__, left, right)
    if isinstance(value, Number) and not _takes_tensors(other):
      raise _unsupported(ip, function.__name__, left, right)
  left, right = ip.frame.tensor(left), ip.frame.tensor(right)
  if isinstance(left, LocalList) or isinstance(right, LocalList):
    left, right = (_sequences.lowered(ip, value) for value in (left, right))
  return _calls.native(ip, function, [left, right], {})


def _takes_tensors(value: Any) -> bool:
  """Tells whether an operator of a value with a tensor is TensorFlow's."""
  return isinstance(value, (tf.Tensor, tf.Variable, keras.Variable)) or (
    _forms.is_tensor_like(value) or tf.is_tensor(value)
  )


def _weak_binary(ip: Any, op: type[ast.operator], left: Any, right: Any) -> Any:
  """Computes with what is a tensor or a Python number; see `Weak`."""
  other = right if isinstance(left, Weak) else left
  weak = left if isinstance(left, Weak) else right
  if isinstance(other, Weak):
    if op is ast.Add and other.type is weak.type and _same_shape(other.tensor, weak.tensor):
      both = tf.logical_and(left.is_number, right.is_number)
      total = left.tensor + right.tensor
      a, b, c = (tf.cast(t, tf.float64) for t in (left.tensor, right.tensor, total))
      exact = tf.reduce_all(tf.equal(a + b, c))
      ok = tf.logical_or(tf.logical_not(both), exact)
      total = ip.frame.check(total, ok, "a sum of numbers among tensors")
      return Weak(total, both, weak.type)
  elif isinstance(other, tf.Tensor):
    tensor = weak.tensor
    if other.dtype == tensor.dtype and _covers(other.shape, tensor.shape):
      function = _OPERATORS[op][0]
      operands = [v.tensor if isinstance(v, Weak) else v for v in (left, right)]
      return _calls.native(ip, function, operands, {})
  elif type(other) in (int, float) and other == 0 and op is ast.Add and type(other) is weak.type:
    return weak
  elif (factor := number_of(other)) is not None and op is ast.Mult:
    return _scaled(ip, weak, factor)
  operands = [ip.frame.strong(v) if isinstance(v, Weak) else v for v in (left, right)]
  return binary(ip, op, *operands)


def _scaled(ip: Any, weak: Weak, factor: Number) -> Weak:
  """Returns a product with a number; a `Weak` that is a number itself has to be 0, as sums are."""
  kind = float if float in (weak.type, factor.type) else int
  is_zero = tf.reduce_all(tf.equal(weak.tensor, tf.zeros([], weak.tensor.dtype)))
  ok = tf.logical_or(tf.logical_not(weak.is_number), is_zero)
  tensor = ip.frame.check(weak.tensor, ok, "a product of numbers among tensors")
  return Weak(_native(ip, operator.mul, tensor, factor), weak.is_number, kind)


def _covers(shape: tf.TensorShape, other: tf.TensorShape) -> bool:
  """Tells whether broadcasting with `other` gives `shape`, whatever the run brings."""
  if not shape.is_fully_defined() or not other.is_fully_defined() or other.rank > shape.rank:
    return False
  return all(n in (1, m) for m, n in zip(shape[::-1], other[::-1], strict=False))


def _same_shape(a: tf.Tensor, b: tf.Tensor) -> bool:
  return a.dtype == b.dtype and a.shape.is_fully_defined() and a.shape == b.shape


def _own_operator(ip: Any, op: type[ast.operator], left: Any, right: Any) -> Any:
  name = _OPERATORS[op][2]
  for value, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
    if isinstance(value, LocalObject) and hasattr(value.type, method):
      return _calls.call(ip, _attributes.read(ip, value, method), [other], {})
  raise _unsupported(ip, op.__name__, left, right)


def unary_value(ip: Any, op: type[ast.unaryop], value: Any) -> Any:
  """Returns `op value` of -, + or ~."""
  value = ip.frame.concrete(value)
  if isinstance(value, Number):
    found = _numbers.unary(op, value)
    if found is None:
      raise _unsupported(ip, op.__name__, value, value)
    return found
  if isinstance(value, Weak):
    value = ip.frame.strong(value)
  if isinstance(value, (Array, np.ndarray)):
    raise _arrays.refuse(ip, op.__name__)
  if isinstance(value, (Ref, LocalList, LocalObject, LocalDict)):
    raise _unsupported(ip, op.__name__, value, value)
  return _calls.native(ip, _UNARY[op], [ip.frame.tensor(value)], {})


def augmented(ip: Any, node: ast.AugAssign, scope: Scope) -> None:
  """Does `target op= value`."""
  op, target = type(node.op), node.target
  if isinstance(target, ast.Name):
    old = ip.eval(ast.copy_location(ast.Name(target.id, ast.Load()), target), scope)
    ip.bind(target.id, _in_place(ip, op, old, ip.eval(node.value, scope)), scope)
    return
  owner = ip.eval(target.value, scope)
  if isinstance(target, ast.Attribute):
    old = _attributes.read(ip, owner, target.attr)
    new = _in_place(ip, op, old, ip.eval(node.value, scope))
    _attributes.write(ip, owner, target.attr, new)
    return
  key = ip.eval(target.slice, scope)
  old = _sequences.item(ip, owner, key)
  _sequences.write_item(ip, owner, key, _in_place(ip, op, old, ip.eval(node.value, scope)))


def _in_place(ip: Any, op: type[ast.operator], old: Any, value: Any) -> Any:
  if isinstance(old, IntOrFloat):
    return binary(ip, op, old, value)
  old = ip.frame.concrete(old)
  if isinstance(old, LocalList) and op is ast.Add:
    _sequences.extend(ip, old, value)
    return old
  if isinstance(old, LocalList) and op is ast.Mult:
    old.content = binary(ip, op, old, value).content
    return old
  if isinstance(old, (Array, np.ndarray)):
    value = ip.frame.concrete(value)
    types = old.types if isinstance(old, Array) else {np.ndarray}
    if np.ndarray in types and not isinstance(value, (tf.Tensor, tf.Variable)):
      raise ip.frame.refuse(
        Reason.UNSUPPORTED_WRITE,
        f"{op.__name__} changes an array of NumPy in place. Make a new one: x = x + y.",
      )
    return binary(ip, op, old, value)
  own = f"__i{_OPERATORS[op][2]}__"
  if isinstance(old, LocalObject) and hasattr(old.type, own):
    return _calls.call(ip, _attributes.read(ip, old, own), [value], {})
  if isinstance(old, (list, dict, set)):
    text = f"{op.__name__} changes a {type(old).__name__}."
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, text)
  if isinstance(old, Ref) and any(issubclass(t, list) for t in ip.frame.types_of(old)):
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"{op.__name__} changes a list of the heap.")
  return binary(ip, op, old, value)


# --- Truth and comparison


def truth(ip: Any, value: Any) -> Any:
  """Returns `bool(value)`: a bool, or a bool `Number`."""
  frame = ip.frame
  if isinstance(value, IntOrFloat):
    value = value.value
  if isinstance(value, Maybe):
    is_there = Number(value.is_there, bool)
    return ip._both(is_there, True, lambda: truth(ip, frame.there(value)))
  if isinstance(value, Number) and value.type is bool:
    return value
  value = frame.resolve(value)
  if isinstance(value, Number):
    found = _numbers.to_bool(value)
    return found
  if isinstance(value, Weak):
    value = frame.strong(value)
  if isinstance(value, (Array, np.ndarray)):
    value = frame.tensor(value)
  if isinstance(value, tf.Tensor):
    return _truth_of_tensor(ip, value)
  if isinstance(value, Ref):
    return _truth_of_ref(ip, value)
  if isinstance(value, LocalList) and value.is_iterator:
    return True
  if isinstance(value, (LocalList, Rows)):
    content = value.content if isinstance(value, LocalList) else value
    if isinstance(content, Rows):
      return Number(tf.greater(content.length, 0), bool)
    return bool(content)
  if isinstance(value, LocalDict):
    return bool(value.items)
  if isinstance(value, LocalObject):
    for name in ("__bool__", "__len__"):
      if hasattr(value.type, name):
        return truth(ip, _calls.call(ip, _attributes.read(ip, value, name), [], {}))
    return True
  if isinstance(value, (Closure, BoundMethod, Builtin)):
    return True
  if isinstance(value, _shapes.Shape):
    return True  # Also of a scalar: its rank is known.
  if isinstance(value, Abstract):
    raise frame.refuse(Reason.NEEDS_VALUE, f"{value.description} is tested.")
  if isinstance(value, (list, dict, set)):
    length = _sequences.length_of_static(ip, value)
    return _numbers.to_bool(length) if isinstance(length, Number) else length > 0
  for name in ("__bool__", "__len__"):
    method = getattr(frame.conversion.guards.type_of(value), name, None)
    if method is not None and not _libraries.is_library(value) and hasattr(method, "__code__"):
      return truth(ip, _calls.call(ip, BoundMethod(method, value), [], {}))
  return bool(value)


def _truth_of_tensor(ip: Any, value: tf.Tensor) -> Number:
  if value.shape.rank != 0 and value.shape.num_elements() != 1:
    raise ip.frame.refuse(
      Reason.TENSORFLOW_ERROR, f"The truth of a tensor of shape {value.shape} is not one value."
    )
  scalar = tf.reshape(value, [])
  return Number(scalar if value.dtype == tf.bool else tf.not_equal(scalar, 0), bool)


def _truth_of_ref(ip: Any, ref: Ref) -> Any:
  frame = ip.frame
  kinds = frame.types_of(ref)
  others = kinds - {NoneType, Missing}
  if all(kind.__module__ == "builtins" for kind in others):
    if NoneType not in kinds and all(_attributes_is_sized(kind) for kind in others):
      return _numbers.to_bool(frame.length(ref))
    return frame.number(ref.step("truth"))
  own = [kind for kind in others if hasattr(kind, "__bool__") or hasattr(kind, "__len__")]
  if own:
    builtin = [k for k in own if _sequences.is_builtin_container(k) and not hasattr(k, "__bool__")]
    if len(builtin) == len(own) and len(own) == len(others):
      return frame.number(ref.step("truth"))
    groups = [[kind] for kind in sorted(others, key=repr)]
    if NoneType in kinds:
      there = ip._not(frame.is_none(ref))
      return ip._both(there, True, lambda: _attributes.by_type(ip, ref, groups, _own_truth(ip)))
    return _attributes.by_type(ip, ref, groups, _own_truth(ip))
  if NoneType not in kinds:
    if Missing in kinds:
      frame.base(ref)
    return True
  return ip._not(frame.is_none(ref))


def _own_truth(ip: Any) -> Any:
  def found(ref: Ref, group: list[type]) -> Any:
    for name in ("__bool__", "__len__"):
      if hasattr(group[0], name):
        if _sequences.is_builtin_container(group[0]):
          return ip.frame.number(ref.step("truth"))
        return truth(ip, _calls.call(ip, _attributes.read(ip, ref, name), [], {}))
    return True

  return found


def _attributes_is_sized(kind: type) -> bool:
  return issubclass(kind, (list, tuple, dict))


def compare(ip: Any, op: type[ast.cmpop], left: Any, right: Any) -> Any:
  """Returns `left op right`."""
  frame = ip.frame
  left, right = (v.value if isinstance(v, IntOrFloat) and op in _COMPARISONS else v for v in
                 (left, right))
  if op in (ast.Is, ast.IsNot):
    found = _identical(ip, left, right)
    return found if op is ast.Is else ip._not(found)
  if op in (ast.In, ast.NotIn):
    found = _sequences.contains(ip, right, left)
    return found if op is ast.In else ip._not(found)
  for one, other in ((left, right), (right, left)):
    if isinstance(one, Maybe) and other is None and op in (ast.Eq, ast.NotEq):
      found = _identical(ip, one, None)
      return found if op is ast.Eq else ip._not(found)
  read = frame.resolve if op in (ast.Eq, ast.NotEq) else frame.concrete
  left, right = read(left), read(right)
  if isinstance(left, _shapes.Shape) or isinstance(right, _shapes.Shape):
    if op not in (ast.Eq, ast.NotEq):
      raise _unsupported(ip, op.__name__, left, right)
    found = _shapes.is_equal(ip, left, right)
    return found if op is ast.Eq else ip._not(found)
  if isinstance(left, Number) or isinstance(right, Number):
    if number_of(left) is not None and number_of(right) is not None:
      found = _numbers.compare(op, left, right)
      if found is not None:
        return found
      raise _unsupported(ip, op.__name__, left, right)
    if op in (ast.Eq, ast.NotEq) and not any(
      isinstance(v, (tf.Tensor, tf.Variable, np.ndarray, np.generic, Array, Ref, Weak))
      for v in (left, right)
    ):
      return op is ast.NotEq  # A number equals nothing else.
  if isinstance(left, Ref) or isinstance(right, Ref):
    return _compare_refs(ip, op, left, right)
  if isinstance(left, tuple) and isinstance(right, tuple) and op in (ast.Eq, ast.NotEq):
    return _compare_tuples(ip, op, left, right)
  if isinstance(left, LocalObject) or isinstance(right, LocalObject):
    name = f"__{_COMPARISONS[op][1]}__"
    if isinstance(left, LocalObject) and hasattr(vars(left.type).get(name), "__code__"):
      return _calls.call(ip, _attributes.read(ip, left, name), [right], {})
    raise _unsupported(ip, op.__name__, left, right)
  if isinstance(left, (LocalList, LocalDict)) or isinstance(right, (LocalList, LocalDict)):
    raise _unsupported(ip, op.__name__, left, right)
  left, right = (frame.strong(v) if isinstance(v, Weak) else v for v in (left, right))
  left, right = _as_array(ip, left, right), _as_array(ip, right, left)
  if isinstance(left, Array) or isinstance(right, Array):
    return _with_array(ip, op, _COMPARISONS[op][0], left, right)
  return _native(ip, _COMPARISONS[op][0], left, right)


def _compare_tuples(ip: Any, op: type[ast.cmpop], left: Any, right: Any) -> Any:
  result: Any = len(left) == len(right)
  if result:
    for a, b in zip(left, right, strict=True):
      result = ip._both(result, True, functools.partial(same_or_equal, ip, a, b))
  return result if op is ast.Eq else ip._not(result)


def same_or_equal(ip: Any, left: Any, right: Any) -> Any:
  """Returns `left is right or left == right`, by which containers compare their elements."""
  if left is right and not isinstance(left, Number):
    return True
  found = compare(ip, ast.Eq, left, right)
  if all(_numbers.type_of(value) is float for value in (left, right)) and isinstance(found, Number):
    (left, right) = (_forms.as_number(value).tensor for value in (left, right))
    is_nan = tf.logical_and(tf.math.is_nan(left), tf.math.is_nan(right))
    ok = tf.logical_not(is_nan)
    return Number(ip.frame.check(found.tensor, ok, "whether two NaN are the same one"), bool)
  return truth(ip, found)


def _compare_refs(ip: Any, op: type[ast.cmpop], left: Any, right: Any) -> Any:
  frame = ip.frame
  if not isinstance(left, Ref):
    left, right = right, left
  kinds, others = _kinds(ip, left), _kinds(ip, right)
  if op not in (ast.Eq, ast.NotEq) or kinds is None or others is None:
    raise _unsupported(ip, op.__name__, left, right)
  if right is None and all(kind in _PRIMITIVE or not has_own_eq(kind) for kind in kinds):
    found = frame.is_none(left)
  elif type(right) in (str, int, float, bool) and kinds <= set(_PRIMITIVE):
    found = frame.number(left.step("eq", right))
  elif len(kinds) == len(others) == 1 and kinds | others <= set(_forms.NUMBERS):
    found = _compare_optional(ip, left, right, lambda: compare(
      ip, ast.Eq, frame.concrete(left), frame.concrete(right)))
  elif kinds == others == {str}:
    found = _compare_optional(ip, left, right, lambda: Number(
      tf.equal(frame.string(left), frame.string(right)), bool))
  elif not any(has_own_eq(kind) for kind in kinds | others):
    found = _identical(ip, left, right)
  else:
    raise _unsupported(ip, op.__name__, left, right)
  return found if op is ast.Eq else ip._not(found)


def _kinds(ip: Any, value: Any) -> frozenset[type] | None:
  """Returns the types a value can have apart from None; None for what is no Python object."""
  if isinstance(value, Ref):
    return ip.frame.types_of(value) - {NoneType, Missing}
  if isinstance(value, Number):
    return frozenset([value.type])
  return frozenset([type(value)]) - {NoneType} if _forms.is_heap_object(value) else None


def _compare_optional(ip: Any, left: Any, right: Any, equal: Callable[[], Any]) -> Any:
  """Returns `left == right` of what may be None, by `equal` where neither is."""
  frame = ip.frame
  are_none = [frame.is_none(v) if isinstance(v, Ref) else False for v in (left, right)]
  return frame.cond(
    are_none[0], lambda: are_none[1], lambda: ip._both(ip._not(are_none[1]), True, equal)
  )


def has_own_eq(kind: type) -> bool:
  """Tells whether `==` of a type is more than identity."""
  plain: Any = object.__eq__
  return kind.__eq__ is not plain


def _identical(ip: Any, left: Any, right: Any) -> Any:
  frame = ip.frame
  for one, other in ((left, right), (right, left)):
    if other is None and isinstance(one, Maybe):
      return Number(tf.logical_not(one.is_there), bool)
    if other is None:
      return frame.is_none(one) if isinstance(one, Ref) else frame.resolve(one) is None
  if not isinstance(left, Ref) and not isinstance(right, Ref):
    if isinstance(left, Number) or isinstance(right, Number):
      numbers = [number_of(left), number_of(right)]
      if all(number is not None and number.type is bool for number in numbers):
        return _numbers.compare(ast.Eq, left, right)
      raise _unsupported(ip, "is", left, right)
    return _is_one_object(ip, left, right)
  for one, other in ((left, right), (right, left)):
    if isinstance(one, Ref) and type(other) is bool:
      resolved = frame.resolve(one)
      if isinstance(resolved, Number) and resolved.type is bool:
        return _numbers.compare(ast.Eq, resolved, other)
  for value in (left, right):
    if isinstance(value, Ref):
      if any(kind in _PRIMITIVE for kind in frame.types_of(value) - {NoneType}):
        raise frame.refuse(Reason.UNSUPPORTED_OPERATION, "`is` of strings or numbers.")
    elif not _forms.is_heap_object(value):
      return False
  equal = tf.equal(frame.base(left).handle, frame.base(right).handle)
  return Number(equal, bool)


def _is_one_object(ip: Any, left: Any, right: Any) -> bool:
  """Returns `left is right` of what is not on the heap, where it is known."""
  if isinstance(left, (list, dict)) and isinstance(right, (list, dict)):
    for value in (left, right):
      ip.frame.conversion.guards.identify(value)
  if left is right:
    return True
  if isinstance(left, Container) and isinstance(right, Container):
    sharing = ip.frame.sharing
    if sharing.may_be_one(left, right) or sharing.is_pinned(left) or sharing.is_pinned(right):
      raise ip.frame.refuse(
        Reason.SHARED_CONTAINER,
        f"Whether {name_of(left)} is {name_of(right)} only the run knows.",
      )
    return False
  values = (left, right)
  if any(isinstance(v, (Maybe, Weak, Abstract)) for v in values) or (
    type(left) is type(right) and not (is_static(left) and is_static(right))
  ):
    raise _unsupported(ip, "is", left, right)
  return False


def _unsupported(ip: Any, name: str, left: Any, right: Any) -> Exception:
  names = " and ".join(_name(ip, value) for value in (left, right))
  return ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"{name} of {names}.")


def _name(ip: Any, value: Any) -> str:
  if isinstance(value, Ref):
    return _forms.describe(_forms.RefForm(ip.frame.types_of(value)))
  return named(value)
