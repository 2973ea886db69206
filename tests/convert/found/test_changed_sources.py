"""A list that is changed while an iterator over it is used: Python goes on with the longer list."""

# ruff: noqa: B905

import itertools

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, bushy, root

REFUSED = {Reason.SHARED_CONTAINER, Reason.EFFECT_ORDER}


def _grow(xs, y):
  if len(xs) < 6:
    xs.append(y)


def mapped(xs, c):
  for y in map(lambda v: v + c, xs):
    _grow(xs, y)


def generated(xs, c):
  for y in (v + c for v in xs):
    _grow(xs, y)


def generated_pairs(xs, c):
  for y, z in zip((v + c for v in xs), [1, 2, 3, 4, 5, 6]):
    _grow(xs, y + z)


def pairs_with_generated(xs, c):
  for y, z in zip(xs, (v + c for v in [1, 2, 3, 4, 5, 6])):
    _grow(xs, y + z)


def filtered(xs, c):
  for y in filter(lambda v: v != c, xs):
    _grow(xs, y)


def chained(xs, c):
  for y in itertools.chain(xs, [c]):
    _grow(xs, y)


def cut(xs, c):
  for y in itertools.islice(xs, 4):
    _grow(xs, y + c)


def taken(xs, c):
  for y in itertools.takewhile(lambda v: v < c + 9, xs):
    _grow(xs, y + c)


def extended_by_its_own_part(xs, c):
  xs.extend(itertools.islice(xs, 5))


def extended_by_pairs(xs, c):
  ys = list(xs)
  xs.extend(a + b for a, b in zip(xs, [1, 2, 3, 4]))
  xs.extend(ys)


def added_by_its_own_part(xs, c):
  xs += itertools.islice(xs, c + 4)


def searched(xs, c):
  xs.append(c)
  any(_grow(xs, v) is not None for v in xs)


def searched_all(xs, c):
  xs.append(c)
  all(_grow(xs, v) is None for v in xs)


def collected(xs, c):
  ys = [_grow(xs, y) for y in (v + c for v in xs)]
  xs.append(len(ys))


CHANGES = [
  *(mapped, generated, generated_pairs, pairs_with_generated, filtered, chained, cut, taken),
  *(extended_by_its_own_part, extended_by_pairs, added_by_its_own_part),
  *(searched, searched_all, collected),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda f: f.__name__)
def test_changes_of_what_an_iterator_goes_through(change):
  def build(recursive):
    @recursive
    def visit(n, c):
      xs = [k.v for k in n.kids]
      change(xs, c)
      total = 0
      for x in xs:
        total = total * 3 + x
      return total + sum([visit(k, c) for k in n.kids])

    return visit

  agrees(build, lambda: [(root(), 2), (bushy(), 1), (root(), 3)], expect=REFUSED)


def other_list(xs, c):
  ys = []
  for y in map(lambda v: v + c, xs):
    ys.append(y)
  xs.extend(ys)


def own_copy(xs, c):
  xs.extend(itertools.islice(list(xs), 2))
  xs.extend([v + c for v in xs])


@pytest.mark.parametrize("change", [other_list, own_copy], ids=lambda f: f.__name__)
def test_changes_of_other_lists_are_converted(change):
  def build(recursive):
    @recursive
    def visit(n, c):
      xs = [k.v for k in n.kids]
      change(xs, c)
      return sum(xs) + sum([visit(k, c) for k in n.kids])

    return visit

  agrees(build, lambda: [(root(), 2), (bushy(), 1)], expect=CONVERTED)
