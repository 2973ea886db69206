"""What is true: of all values, and `and`, `or` and `not` of tests."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kinds import is_builtin_container
from recursive_tf.convert.frame._layers import Fact
from recursive_tf.convert.semantics import _attributes
from recursive_tf.convert.semantics._protocols import own_truth
from recursive_tf.convert.values import _numbers
from recursive_tf.convert.values._abstract import (
  Maybe,
  Missing,
  Ref,
)
from recursive_tf.convert.values._forms import NoneType, number_of
from recursive_tf.convert.values._numbers import Number, unary


def truth(ip: Host, value: object) -> object:
  """Returns `bool(value)`: a bool, or a bool `Number`."""
  frame = ip.frame
  if isinstance(value, Maybe):
    is_there = Number(value.is_there, bool)
    return ip.both(is_there, True, lambda: truth(ip, frame.there(value)))
  if isinstance(value, Number) and value.type is bool:
    return value
  return ip.kind_of(frame.resolve(value)).truth()


def of_tensor(ip: Host, value: tf.Tensor) -> Number:
  """Returns the truth of a tensor of one element."""
  if value.dtype in (tf.string, tf.variant, tf.resource):
    raise ip.frame.refuse(Reason.NEEDS_VALUE, f"The truth of a tensor {value.dtype.name}.")
  if value.shape.rank != 0 and value.shape.num_elements() != 1:
    raise ip.frame.refuse(
      Reason.TENSORFLOW_ERROR, f"The truth of a tensor of shape {value.shape} is not one value."
    )
  scalar = tf.reshape(value, [])
  return Number(scalar if value.dtype == tf.bool else tf.not_equal(scalar, 0), bool)


def of_ref(ip: Host, ref: Ref) -> object:
  """Returns the truth of an object of the heap."""
  frame = ip.frame
  kinds = frame.types_of(ref)
  others = kinds - {NoneType, Missing}
  effects = ip.conversion.effects
  is_changed = effects.has_changed_lists(others) or effects.changed_dicts(others)
  if is_changed or (dict in others and effects.items_written([dict])):
    return _of_changed(ip, ref, kinds)
  effects.check_unchanged(ip, [kind for kind in others if issubclass(kind, dict)])
  if all(kind.__module__ == "builtins" for kind in others):
    if NoneType not in kinds and all(_is_sized(kind) for kind in others):
      return _numbers.to_bool(frame.length(ref))
    return frame.number(ref.step("truth"))
  has = _attributes.in_class
  own = [kind for kind in others if has(kind, "__bool__") or has(kind, "__len__")]
  if own:
    builtin = [k for k in own if is_builtin_container(k) and not has(k, "__bool__")]
    if len(builtin) == len(own) and len(own) == len(others):
      return frame.number(ref.step("truth"))
    groups = [[kind] for kind in sorted(others, key=repr)]
    if NoneType in kinds:
      there = ip.negated(frame.is_none(ref))
      return ip.both(there, True, lambda: _attributes.by_type(ip, ref, groups, _own_truth(ip)))
    return _attributes.by_type(ip, ref, groups, _own_truth(ip))
  if NoneType not in kinds:
    if Missing in kinds:
      frame.base(ref)
    return True
  return ip.negated(frame.is_none(ref))


def _of_changed(ip: Host, ref: Ref, kinds: frozenset[type]) -> object:
  """Returns the truth of what may be a list or a dict, where such are changed."""
  frame, effects = ip.frame, ip.conversion.effects
  if NoneType in kinds:

    def there() -> object:
      frame.narrow([(ref, kinds - {NoneType})])
      return truth(ip, ref)

    return ip.both(ip.negated(frame.is_none(ref)), True, there)
  others = kinds - {Missing}
  if others == {list}:
    length = number_of(ip.kind_of(ref).length())
    assert length is not None  # Only the run knows it.
    return _numbers.to_bool(length)
  table = effects.table_of_dict(ip, ref) if len(others) == 1 else None
  if table is not None:
    return truth(ip, table)
  if others == {dict}:
    return _of_dict(ip, ref)
  groups = [[kind] for kind in sorted(others, key=repr)]
  return _attributes.by_type(ip, ref, groups, lambda one, _: of_ref(ip, one))


def _of_dict(ip: Host, ref: Ref) -> object:
  """Returns the truth of a dict of the heap: it has what it had, and what was put into it."""
  found: object = _numbers.to_bool(ip.frame.length(ref))
  effects = ip.conversion.effects
  for step in effects.items_written([dict]):
    found = ip.both(found, False, functools.partial(effects.is_there, ip, ref, step))
  return found


def _own_truth(ip: Host) -> Callable[[Ref, list[type]], object]:
  def found(ref: Ref, group: list[type]) -> object:
    for name in ("__bool__", "__len__"):
      if _attributes.in_class(group[0], name):
        if is_builtin_container(group[0]):
          return ip.frame.number(ref.step("truth"))
        return own_truth(ip, ip.attribute(ref, name), name)
    return True

  return found


def _is_sized(kind: type) -> bool:
  return issubclass(kind, (list, tuple, dict))


def negated(ip: Host, pred: object) -> object:
  """Returns `not pred`; what it says of types is turned round."""
  if not isinstance(pred, Number):
    return not pred
  meaning = ip.frame.meaning(pred)
  found = unary(ast.Not, pred)
  assert found is not None  # Every bool can be negated.
  return ip.frame.note(found, meaning.if_false, meaning.if_true)


def both(ip: Host, left: object, is_and: bool, right: Callable[[], object]) -> object:
  """Returns `left and right()`, or `left or right()`, evaluating what Python would."""
  if not isinstance(left, Number):
    return right() if bool(left) is is_and else left
  frame = ip.frame
  meaning = frame.meaning(left)
  facts = meaning.if_true if is_and else meaning.if_false

  def attempt() -> object:
    frame.narrow(facts)
    return right()

  # Evaluated here if it may be; else only where Python would.
  found = frame.tried(attempt)
  if found is None:
    return _both_in_branch(ip, left, is_and, right)
  if not isinstance(found, Number):
    return left if bool(found) is is_and else found
  combined = tf.logical_and if is_and else tf.logical_or
  return _note_both(ip, Number(combined(left.tensor, found.tensor), bool), left, is_and, found)


def _both_in_branch(ip: Host, left: Number, is_and: bool, right: Callable[[], object]) -> object:
  evaluated: list[object] = []

  def evaluate() -> object:
    evaluated.append(right())
    return evaluated[0]

  frame = ip.frame
  if is_and:
    result = frame.cond(left, evaluate, lambda: False)
  else:
    result = frame.cond(left, lambda: True, evaluate)
  if not isinstance(result, Number) or not evaluated:
    return result
  return _note_both(ip, result, left, is_and, evaluated[0])


def _note_both(ip: Host, result: Number, left: Number, is_and: bool, right: object) -> Number:
  frame = ip.frame
  meaning, inner = frame.meaning(left), frame.meaning(right)
  if is_and:
    either = _either(meaning.if_false, inner.if_false)
    return frame.note(result, [*meaning.if_true, *inner.if_true], either)
  either = _either(meaning.if_true, inner.if_true)
  return frame.note(result, either, [*meaning.if_false, *inner.if_false])


def _either(facts: list[Fact], others: list[Fact]) -> list[Fact]:
  """Returns what is sure of types where one of two tests says it, and nobody knows which."""
  said = {ref.key: types for ref, types in facts if not isinstance(types, Ref)}
  either: list[Fact] = []
  for ref, types in others:
    if ref.key in said and not isinstance(types, Ref):
      either.append((ref, said[ref.key] | types))
  return either
