"""Named tuples with code of their own, classes with slots, attributes by default, mixed arrays."""

import collections
import dataclasses
import typing

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.function.harness import Description


class _Node:
  def __init__(self, value, child=None):
    self.value, self.child = value, child


class _Pair(collections.namedtuple("_Pair", "a b")):
  __slots__ = ()

  def __new__(cls, a):
    return super().__new__(cls, a, a * 2)


class _Base(typing.NamedTuple):
  a: object
  b: object = 3


class _Inited(_Base):
  def __init__(self, *args):
    self.more = 5.0


class _Open(_Base):
  pass


class _Slots:
  __slots__ = ("a", "b")

  def __init__(self, a):
    self.a = a


@dataclasses.dataclass(slots=True)
class _Data:
  a: object


def _open(a, b, more):
  found = _Open(a, b)
  found.more = more
  return found


_X, _Y = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])


def _last(node):
  return _Pair(node.value) if node.child is None else _last(node.child)


def _last_inited(node):
  return _Inited(node.value, 1.0) if node.child is None else _last_inited(node.child)


def _beside(pair, x):
  return pair, pair.a * x


def _replaced(pair, x):
  return pair._replace(a=x)


def _one_of(pair, x):
  return pair if tf.reduce_sum(x) > 0 else pair._replace(b=x)


def _mapped(pair, x):
  return tf.nest.map_structure(lambda part: part + x, pair)


def _more(pair, x):
  return pair.more * x


def _itself(pair, x):
  return pair


def _no_slot(x):
  made = _Slots(x)
  made.c = x
  return made


def _no_slot_that_is_read(x):
  made = _Slots(x)
  made.c = x
  return made.c


def _no_slot_on_a_path(node):
  made = _Slots(node.value)
  if node.child is not None:
    made.c = node.value
  return made


def _slot(node):
  made = _Slots(node.value)
  made.b = made.a
  return made


def _by_default(node):
  made = _Slots(node.value)
  return getattr(made, "other", 7.0) + (0.0 if node.child is None else _by_default(node.child))


def _by_default_of_a_result(node):
  if node.child is None:
    return _Slots(node.value)
  made = _by_default_of_a_result(node.child)
  return _Slots(getattr(made, "other", 1.0) + getattr(made, "a", 0.5))


def _constant(node):
  found = tf.reduce_sum(tf.constant(node.value))
  return found if node.child is None else found + _constant(node.child)


_CHAIN = _Node(1.0, _Node(2.0))
_MIXED = _Node(np.ones([2, 3], np.float32), _Node(np.ones([4], np.float32)))
_ROWS = _Node(np.ones([2, 3], np.float32), _Node(np.ones([4, 3], np.float32)))
_CASES = [  # The function, its arguments, why it is not converted (None: it is).
  (_last, (_CHAIN,), Reason.OPAQUE_CALL),
  (_last_inited, (_CHAIN,), Reason.OPAQUE_CALL),
  (_beside, (_Pair(_X), _Y), None),
  (_replaced, (_Pair(_X), _Y), None),
  (_one_of, (_Pair(_X), _Y), None),
  (_mapped, (_Pair(_X), _Y), Reason.OPAQUE_CALL),
  (_mapped, (_Base(_X, _X * 2), _Y), None),
  (_more, (_open(_X, 1.0, 3.0), _Y), Reason.UNSUPPORTED_OPERATION),
  (_itself, (_open(_X, 1.0, 3.0), _Y), Reason.UNSUPPORTED_OPERATION),
  (_no_slot, (_X,), Reason.NO_BASE_CASE),
  (_no_slot_that_is_read, (_X,), Reason.NO_BASE_CASE),
  (_no_slot_on_a_path, (_CHAIN,), Reason.NO_BASE_CASE),
  (_no_slot_on_a_path, (_Node(1.0),), None),
  (_slot, (_CHAIN,), None),
  (_by_default, (_CHAIN,), None),
  (_by_default_of_a_result, (_CHAIN,), None),
  (_constant, (_MIXED,), None),
  (_constant, (_ROWS,), None),
]


def _outcome(function, args):
  try:
    found = function(*args)
  except (AttributeError, TypeError) as error:
    return str(error)
  return repr(Description()([found, getattr(found, "__dict__", None)]))


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize(
  ("function", "args", "reason"),
  _CASES,
  ids=[f"{f.__name__}{i}" for i, (f, *_) in enumerate(_CASES)],
)
def test_it_is_what_python_gives_or_refused_with_its_reason(function, args, reason, decorate):
  ours = decorate(function, verify=False)
  for _ in range(2):
    assert _outcome(ours, args) == _outcome(function, args)
  reasons = {*ours.stats.fallbacks}
  assert reasons == (set() if reason is None else {reason}), ours.explain()


def _data(node):
  return _Data(node.value)


def _data_refused(node):
  open("/dev/null").close()
  return _Data(node.value)


@pytest.mark.parametrize("function", [_data, _data_refused])
def test_mapped_results_of_a_dataclass_with_slots(function):
  found = rtf.recursive(function).map([_Node(1.0), _Node(2.0)])
  assert isinstance(found, _Data) and found.a == [1.0, 2.0]
