"""Dicts of the heap by tuples that the run makes: memos of two indices, counts of pairs."""

import collections
import functools
import itertools

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root

_KEYS = {
  "ints": lambda n: (n.v, n.v % 3),
  "name and int": lambda n: (n.name, len(n.kids)),
  "three, one known": lambda n: ("s", n.v % 2, n.name),
  "nested": lambda n: (n.name, (n.v % 2, (n.v % 3,))),
  "object": lambda n: (n, 1),
}


def counted(n, d, key):
  if key in d:
    d[key] += 1
  else:
    d[key] = 1
  return 0


def memo(n, d, key):
  if key in d:
    return d[key]
  d[key] = n.v * 2
  return d[key]


def got(n, d, key):
  d[key] = d.get(key, 0) + n.v
  return d[key] + len(d)


def default(n, d, key):
  return d.setdefault(key, n.v)


def written(n, d, key):
  d[key] = n.v
  return 1


def gone_through(n, d, key):
  d[key] = n.v
  total = 0
  for one in d.values():
    total += one
  return total


_USES = [counted, memo, got, default, written, gone_through]


def program(key_of, use, is_given):
  """Returns what builds a program with a dict that is passed down, or that is around it."""

  def build(recursive):
    table = {}

    @recursive
    def passing(n, d):
      return use(n, d, key_of(n)) + sum([passing(k, d) for k in n.kids])

    @recursive
    def around(n):
      return use(n, table, key_of(n)) + sum([around(k) for k in n.kids])

    return passing if is_given else (around, [table])

  return build


def trees():
  return [Node(7, True, "l"), root(), lopsided(), bushy(), root()]


@pytest.mark.parametrize(
  "use, key", [*itertools.product(_USES[:-1], _KEYS), (gone_through, "ints")]
)
def test_keys_of_the_run(use, key):
  is_given = (_USES.index(use) + list(_KEYS).index(key)) % 2 == 0

  def calls():
    return [(tree, {}) if is_given else (tree,) for tree in trees()]

  expect = Reason.EFFECT_ORDER if use is gone_through else CONVERTED  # Whatever the keys are.
  agrees(program(_KEYS[key], use, is_given), calls, expect=expect)


@pytest.mark.parametrize(
  "held, is_converted",
  [
    ({(3, 0): 5, (7, 1): 2}, True),
    ({(3.0, 0): 5}, False),
    ({(True, 0): 5}, False),
    ({(3, 0, 0): 5}, False),
    ({3: 5}, False),
    ({"a": 5}, False),
    ({("3", 0): 5}, False),
    ({(3, 0): 5, (3,): 5}, False),
  ],
  ids=str,
)
@pytest.mark.parametrize("use", [counted, memo, got, default])
def test_dicts_that_hold_something_before(use, held, is_converted):
  expect = CONVERTED if is_converted else None
  agrees(
    program(_KEYS["ints"], use, True), lambda: [(t, dict(held)) for t in trees()], expect=expect
  )


def test_a_memo_of_two_indices():
  def build(recursive):
    @recursive
    def distance(a, b, i, j, memo):
      if i == 0 or j == 0:
        return i + j
      if (i, j) in memo:
        return memo[i, j]
      cost = 0 if a[i - 1] == b[j - 1] else 1
      memo[i, j] = min(
        distance(a, b, i - 1, j, memo) + 1,
        distance(a, b, i, j - 1, memo) + 1,
        distance(a, b, i - 1, j - 1, memo) + cost,
      )
      return memo[i, j]

    return distance

  words = [("kit", "sits"), ("", "ab"), ("abc", "abc"), ("ab", "b")]
  agrees(build, lambda: [(a, b, len(a), len(b), {}) for a, b in words], expect=CONVERTED)


def test_a_table_without_entries_has_none():
  def build(recursive):
    @recursive
    def seek(n, table):
      return table[n.v, n.v] if n.v > 100 else sum([seek(k, table) for k in n.kids])

    return seek

  agrees(build, lambda: [(tree, {}) for tree in trees()])


def test_keys_of_other_kinds_are_refused():
  def build(recursive):
    @recursive
    def visit(n, d):
      d[n.v, 0.5 * n.v] = 1
      return sum([visit(k, d) for k in n.kids])

    return visit

  agrees(build, lambda: [(tree, {}) for tree in trees()], expect=Reason.UNSUPPORTED_OPERATION)


@pytest.mark.parametrize(
  "kind", [collections.Counter, functools.partial(collections.defaultdict, int)]
)
@pytest.mark.parametrize("key", _KEYS)
def test_counts_of_a_dict_that_is_given(key, kind):
  key_of = _KEYS[key]

  def build(recursive):
    @recursive
    def count(n, counts):
      counts[key_of(n)] += 1
      for k in n.kids:
        count(k, counts)

    return count

  agrees(build, lambda: [(tree, kind()) for tree in trees()])
