"""Objects that a program makes, of classes that run code when attributes are read and written."""

import dataclasses
import functools

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees


class _Plain:
  base = 5

  def __init__(self, v):
    self.v = v

  @classmethod
  def next(cls, v):
    return cls(v + cls.base)

  @functools.cached_property
  def double(self):
    return self.v * 2


class _SetsAttributes(_Plain):
  def __setattr__(self, name, value):
    object.__setattr__(self, name, value + 1)


class _GetsAll(_Plain):
  def __getattribute__(self, name):
    found = object.__getattribute__(self, name)
    return found * 3 if name == "v" else found


class _GetsOthers(_Plain):
  def __getattr__(self, name):
    return 7


class _Deleted(_Plain):
  count = 0

  def __del__(self):
    _Deleted.count += 1


class _Offset:
  def __set_name__(self, owner, name):
    self.name = "_" + name

  def __get__(self, owner, kind=None):
    return getattr(owner, self.name) + 1

  def __set__(self, owner, value):
    setattr(owner, self.name, value)


class _Described(_Plain):
  v = _Offset()


@dataclasses.dataclass
class _Data:
  v: int

  def __setattr__(self, name, value):
    object.__setattr__(self, name, -value)


@dataclasses.dataclass(frozen=True)
class _Frozen:
  v: int


def _made(kind, n):
  return kind(n.v)


def _read(kind, n):
  return kind(n.v).v


def _written(kind, n):
  found = kind(n.v)
  found.v = found.v + 10
  return found.v


def _missing(kind, n):
  return getattr(kind(n.v), "other", 3)


_KINDS = [_SetsAttributes, _GetsAll, _GetsOthers, _Deleted, _Described, _Data, _Frozen, _Plain]


def _seen(function, n):
  try:
    found = function(n)
  except Exception as error:
    return type(error)
  return (
    found if isinstance(found, int) else (type(found), object.__getattribute__(found, "__dict__"))
  )


@pytest.mark.parametrize("use", [_made, _read, _written, _missing])
@pytest.mark.parametrize("kind", _KINDS)
def test_code_that_attributes_run(kind, use):
  def f(n):
    return use(kind, n)

  converted = rtf.recursive(f, verify=False)
  for v in (3, 4):
    assert _seen(converted, Node(v, True, "a")) == _seen(f, Node(v, True, "a"))
  if kind not in (_Plain, _Frozen):
    assert Reason.OPAQUE_CALL in converted.stats.fallbacks


@pytest.mark.parametrize(
  ("use", "is_converted"),
  [
    (lambda n: _Plain(n.v).next(3).v, True),
    (lambda n: _Plain.next(n.v).v, True),
    (lambda n: _Plain(n.v).__class__.base + n.v, True),
    (lambda n: _Plain(n.v).double, False),
  ],
)
def test_what_a_class_gives(use, is_converted):
  converted = rtf.recursive(use, verify=False)
  for v in (3, 4):
    assert converted(Node(v, True, "a")) == use(Node(v, True, "a"))
  assert converted.stats.num_converted_runs == (2 if is_converted else 0)


class _Base:
  base = 2


def _changed_class(name, value):
  def change(kind):
    setattr(kind, name, value)

  return change


@pytest.mark.parametrize(
  "change",
  [
    _changed_class("k", 5),
    _changed_class("k", "s"),
    _changed_class("k", [7]),
    _changed_class("base", 9),
    _changed_class("other", 4),
    _changed_class("twice", property(lambda self: 4)),
    _changed_class("__setattr__", lambda self, name, value: object.__setattr__(self, name, 8)),
    lambda kind: setattr(kind.__mro__[1], "base", 6),
    lambda kind: delattr(kind, "k"),
  ],
)
@pytest.mark.parametrize(
  "use",
  [
    lambda made, n: made.k,
    lambda made, n: made.base,
    lambda made, n: made.twice,
    lambda made, n: getattr(made, "k", 3),
    lambda made, n: getattr(made, "other", 3),
    lambda made, n: hasattr(made, "other"),
    lambda made, n: made.v,
    lambda made, n: (made.v, hasattr(n, "other_of_node")),
  ],
)
def test_class_attributes_that_change(use, change):
  class Of(_Base):
    k = 1

    def __init__(self, v):
      self.v = v

    @property
    def twice(self):
      return self.k

  def f(n):
    return use(Of(n.v), n)

  def seen(function, n):
    try:
      return function(n)
    except AttributeError as error:
      return type(error)

  converted = rtf.recursive(f, verify=False)
  before = _Base.base
  try:
    for turn in range(4):
      if turn == 2:
        change(Of)
      expected, found = seen(f, Node(turn, True, "a")), seen(converted, Node(turn, True, "a"))
      assert (type(found), found) == (type(expected), expected)
  finally:
    _Base.base = before
  assert converted.stats.num_converted_runs >= 2 or Reason.NO_BASE_CASE in converted.stats.fallbacks


def test_a_class_of_nodes_gets_an_attribute():
  class Kind(Node):
    pass

  def f(n):
    return hasattr(n, "other")

  converted = rtf.recursive(f, verify=False)
  for turn in range(4):
    if turn == 2:
      Kind.other = 1
    assert converted(Kind(turn, True, "a")) == (turn >= 2)
  assert converted.stats.num_converted_runs >= 2 or Reason.NO_BASE_CASE in converted.stats.fallbacks


class Slots:
  __slots__ = ("kept", "unset")

  def __init__(self, kept):
    self.kept = kept


def test_a_slot_that_is_not_set_is_not_there():
  def build(recursive):
    @recursive
    def f(n):
      made = Slots(n.v)
      before = hasattr(made, "unset"), getattr(made, "unset", 5), hasattr(made, "kept")
      made.unset = 3
      return [before, hasattr(made, "unset"), getattr(made, "unset", 5), [f(k) for k in n.kids]]

    return f

  agrees(build, expect=CONVERTED)
