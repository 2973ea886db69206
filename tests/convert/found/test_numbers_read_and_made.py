"""Lists of numbers of which some are read from lists of the heap and others are made."""

import itertools

import pytest

from tests.convert.agreement import CONVERTED, agrees
from tests.convert.natural.searches import build_merge_sort


class Holder:
  def __init__(self, values, *kids):
    self.values, self.kids = values, kids


_KINDS = {
  "ints": ([3, -1, 7], [2**30], []),
  "floats": ([0.5, -0.25], [], [1e300]),
  "bools": ([True, False], [True], []),
  "both": ([1, 2.5], [3], [0.25, 2**40]),
}


def _made(x):
  return not x if isinstance(x, bool) else x + x


def concatenated(values, kids, collect):
  return [_made(v) for v in values] + values[:1] + [u for k in kids for u in collect(k)]


def extended(values, kids, collect):
  out = [_made(v) for v in values]
  out.extend(values)
  for k in kids:
    out.extend(collect(k))
  return out


def prepended(values, kids, collect):
  out = values[:2]
  for v in values:
    out = out + [_made(v)]
  for k in kids:
    out = collect(k) + out
  return out


def appended(values, kids, collect):
  out = []
  for v in values:
    out.append(_made(v))
    out.append(v)
  for k in kids:
    for u in collect(k):
      out.append(u)
  return out


def chosen(values, kids, collect):
  out = values[1:] if len(kids) > 1 else [_made(v) for v in values]
  for k in kids:
    out += collect(k)
  return out


def in_tuples(values, kids, collect):
  out = [(v, _made(v)) for v in values] + [(_made(v), v) for v in values]
  return [b for _, b in out] + [a for a, _ in out] + [u for k in kids for u in collect(k)]


def returned_as_is(values, kids, collect):
  if not kids:
    return values[:]
  out = [_made(v) for v in values]
  for k in kids:
    out = out + collect(k)
  return out


_WAYS = [concatenated, extended, prepended, appended, chosen, in_tuples, returned_as_is]


def trees(kind):
  first, second, third = _KINDS[kind]
  leaf = lambda values: Holder(list(values))  # noqa: E731
  return [
    Holder(list(first), leaf(second), leaf(third)),
    Holder([], leaf(first)),
    leaf(second),
    Holder(list(second), Holder(list(third), leaf(first), leaf(first)), leaf(second)),
  ]


@pytest.mark.parametrize("kind, way", list(itertools.product(_KINDS, _WAYS)))
def test_lists_of_read_and_made_numbers(kind, way):
  def build(recursive):
    @recursive
    def collect(n):
      return way(n.values, n.kids, collect)

    return collect

  agrees(build, lambda: [(tree,) for tree in trees(kind)], expect=CONVERTED)


@pytest.mark.parametrize("values", [[3, 1, 2, 5, 4], [2.5, 1.5, 2.0], [1, 0.5, 2]])
def test_merge_sort(values):
  agrees(build_merge_sort, lambda: [(list(values),), (values[:1],), ([],)], expect=CONVERTED)
