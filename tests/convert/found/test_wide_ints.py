"""Ints beyond 32 bits in the heap: read as floats while these say the same."""

import itertools

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Item:
  def __init__(self, v, *kids):
    self.v, self.kids = v, kids


_EXACT = [2**31, -(2**31) - 1, 2**40 + 1, 2**53 - 1, -(2**53) + 1]
_OTHERS = [2**53, 2**53 + 1, -(2**53), 2**63 - 1, 2**63, 10**25, 10**400, -(10**400)]


def added(v):
  return v + 1


def multiplied(v):
  return v * 2 - v


def divided(v):
  return v // 3 + v % 7


def shifted(v):
  return (v >> 3) ^ (v & 255)


def true_divided(v):
  return v / 4


def compared(v):
  return 1 if v > 2**31 else 2 if v == -(2**31) - 1 else 3


def as_float(v):
  return float(v) * 0.5


def truth(v):
  return 1 if v else 0


def beside_tensor(v):
  return tf.constant([1.0, 2.0], tf.float64) * v


def of_list(v):
  return max([v, 5]) - min([v, -5])


_USES = [added, multiplied, divided, shifted, true_divided, compared, as_float, truth]
_USES += [beside_tensor, of_list]
_HOLDERS = {
  "attribute": (lambda v: v, lambda n: n.v),
  "list": (lambda v: [v, 1], lambda n: n.v[0]),
  "dict": (lambda v: {"a": v}, lambda n: n.v["a"]),
  "elements": (lambda v: [v, v], lambda n: sum(n.v)),
  "loop": (lambda v: (1, v), lambda n: [u + 1 for u in n.v][1]),
}


def _program(use, read):
  def build(recursive):
    @recursive
    def total(n):
      found = use(read(n))
      for kid in n.kids:
        found = found + total(kid)
      return found

    return total

  return build


def _trees(hold, values):
  first = [(Item(hold(3), Item(hold(-4))),)]
  return first + [(Item(hold(1), Item(hold(v)), Item(hold(2))),) for v in values]


@pytest.mark.parametrize("use, holder", list(itertools.product(_USES, _HOLDERS)))
def test_ints_of_53_bits_are_converted(use, holder):
  hold, read = _HOLDERS[holder]
  # The quotient of a sum beyond 53 bits is Python's.
  expect = None if use is true_divided and holder == "elements" else CONVERTED
  agrees(_program(use, read), lambda: _trees(hold, _EXACT), expect=expect)


@pytest.mark.parametrize("use", _USES)
@pytest.mark.parametrize("holder", ["attribute", "elements"])
def test_ints_that_floats_cannot_say_are_pythons(use, holder):
  hold, read = _HOLDERS[holder]
  agrees(_program(use, read), lambda: _trees(hold, _OTHERS))


@pytest.mark.parametrize("use", [added, compared])
@pytest.mark.parametrize("value", [2**31, 2**53 + 1])
def test_where_some_have_none(use, value):
  def build(recursive):
    @recursive
    def total(n):
      found = 0 if n.v is None else use(n.v)
      return found + sum([total(kid) for kid in n.kids])

    return total

  agrees(build, lambda: [(Item(None, Item(value), Item(2)),), (Item(value),), (Item(None),)])


def test_lists_with_wide_and_made_ints():
  def build(recursive):
    @recursive
    def collect(n):
      return n.v + [u + 1 for u in n.v] + [u for kid in n.kids for u in collect(kid)]

    return collect

  calls = lambda: [(Item([2**40], Item([1]), Item([])),), (Item([2**31]),)]  # noqa: E731
  agrees(build, calls, expect=CONVERTED)
