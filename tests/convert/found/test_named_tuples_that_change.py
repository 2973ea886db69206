"""What classes of tuples say is followed: methods, properties, defaults, class attributes."""

import collections
import functools
import typing

import keras
import numpy as np
import pytest

import recursive_tf as rtf


def _ten(_):
  return 10.0


def _named():
  kind = collections.namedtuple("Named", "a b", defaults=(2.0,))

  class Named(kind):
    rate = 3.0

    def total(self):
      return self.a + self.b

    @property
    def half(self):
      return self.a / 2

  return Named


def _typed():
  class Typed(typing.NamedTuple):
    a: float
    b: float = 2.0

    def total(self):
      return self.a * self.b

    @property
    def half(self):
      return self.a / 2

  Typed.rate = 3.0
  return Typed


def _of_tuple():
  class Of(tuple):
    a, b, rate = 1.0, 2.0, 3.0

    def __new__(cls, *parts):
      return tuple.__new__(cls, parts or (1.0,))

    def total(self):
      return len(self) + 0.5

    @property
    def half(self):
      return self[0] / 2

  return Of


CHANGES = {
  "method": lambda kind: setattr(kind, "total", _ten),
  "property": lambda kind: setattr(kind, "half", property(_ten)),
  "field": lambda kind: setattr(kind, "a", property(_ten)),
  "rate": lambda kind: setattr(kind, "rate", 7.0),
  "default": lambda kind: setattr(kind.__new__, "__defaults__", (100.0,)),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("make", [_named, _typed, _of_tuple])
@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize("place", ["made", "known"])
def test_a_class_that_changes_is_seen(place, decorate, make, change):
  kind = make()
  known = kind(1.5)

  def plain(x):
    found = kind(x) if place == "made" else known
    return found.total() + found.half + found.rate + found.a + found.b + x

  converted = decorate(plain, verify=False)
  for x in (1.0, 2.0):
    assert float(converted(x)) == pytest.approx(float(plain(x)))
  if change == "default" and kind.__new__.__module__.startswith("namedtuple") is False:
    pytest.skip("its __new__ has no defaults")
  CHANGES[change](kind)
  assert float(converted(2.0)) == pytest.approx(float(plain(2.0)))


def _scaled(x, by=2.0):
  return x * by


def test_a_partial_that_gets_another_state_is_seen():
  part = functools.partial(_scaled, by=3.0)
  converted = rtf.recursive(lambda x: part(x) + 1.0, verify=False)
  assert [converted(x) for x in (1.0, 2.0)] == [4.0, 7.0]
  part.__setstate__((_scaled, (), {"by": 10.0}, {}))
  assert converted(2.0) == 21.0


def test_numpy_numbers_beside_variables_of_keras():
  variable = keras.Variable([1.0, 2.0])
  for plain in (lambda k: k * variable, lambda k: variable * k):
    converted = rtf.function(plain)
    for k in (np.float32(0.5), np.float64(2.0)):
      assert type(converted(k)) is type(plain(k))
    assert "internal-error" not in {reason.code for reason in converted.stats.fallbacks}


class Hidden(collections.namedtuple("Hidden", "a b")):
  """What it is asked for by others says nothing of its elements."""

  __slots__ = ()

  def __iter__(self):
    return iter((0, 0))

  def __len__(self):
    return 0


class Open(collections.namedtuple("Open", "a b")):
  """It may have attributes beside its elements."""

  def total(self):
    return self.a + self.b


class Word(str):
  """A string that may have attributes."""

  weight = 1.0


class Same(int):
  """A number that equals all others, and looks like them."""

  def __eq__(self, other):
    return True

  def __hash__(self):
    return 1

  def __repr__(self):
    return "Same"

  def doubled(self):
    return int(self) * 2


def _with(value, **attributes):
  vars(value).update(attributes)
  return value


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize(
  ("read", "values"),
  [
    (lambda p: p.a * 1.0, [lambda: Hidden(1.0, 2.0), lambda: Hidden(3.0, 4.0)]),
    (lambda p: p.total(), [lambda: Open(1.0, 2.0), lambda: _with(Open(1.0, 2.0), total=_five)]),
    (lambda p: p.weight, [lambda: Word("a"), lambda: _with(Word("a"), weight=5.0)]),
    (lambda p: p.doubled() * 1.0, [lambda: Same(1), lambda: Same(4)]),
    (lambda p: p[0].weight, [lambda: (Word("a"), 1), lambda: (_with(Word("a"), weight=5.0), 1)]),
  ],
)
def test_what_looks_the_same_but_is_another_is_seen(read, values, decorate):
  held = values[0]()

  def plain(x):
    return read(held) + x

  converted = decorate(plain, verify=False)
  for make in (values[0], values[0], values[1], values[1], values[0]):
    held = make()
    assert float(converted(1.0)) == pytest.approx(float(plain(1.0)))


def _five():
  return 5.0


def test_tuples_in_tuples_in_tuples_have_no_end():
  held = ()
  for _ in range(5_000):
    held = (held,)
  converted = rtf.recursive(lambda x: x + len(held), verify=False)
  assert [converted(x) for x in (1.0, 2.0, 2.0)] == [2.0, 3.0, 3.0]
  assert "internal-error" not in {reason.code for reason in converted.stats.fallbacks}
