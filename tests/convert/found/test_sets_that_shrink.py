"""Sets that are passed in and made smaller, frozen sets, and operators of sets of several kinds."""

from __future__ import annotations

import random
from typing import Any

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


class Node:
  def __init__(self, name: Any, *kids: Node, words: Any = ()):
    self.name = name
    self.kids = list(kids)
    self.words = set(words)
    self.frozen = frozenset(words)


def random_tree(draw: random.Random, names: list[Any], depth: int = 4) -> Node:
  count = draw.choice([0, 1, 2, 3]) if depth else 0
  kids = [random_tree(draw, names, depth - 1) for _ in range(count)]
  return Node(draw.choice(names), *kids, words=draw.sample(names, draw.randrange(len(names))))


def on_the_way(n, path):
  """Backtracking: what is on the way down is taken out on the way up."""
  if n.name in path:
    return 1
  path.add(n.name)
  found = 0
  for k in n.kids:
    found += on_the_way(k, path)
  path.discard(n.name)
  return found


def removed(n, left):
  if n.name in left:
    left.remove(n.name)
  count = len(left)
  for k in n.kids:
    count += removed(k, left)
  return count


def to_and_fro(n, seen):
  for k in n.kids:
    if k.name in seen:
      seen.discard(k.name)
    else:
      seen.add(k.name)
    to_and_fro(k, seen)
  return seen


def added_again(n, seen):
  seen.add(n.name)
  seen.discard(n.name)
  seen.add(n.name)
  for k in n.kids:
    added_again(k, seen)
  return len(seen)


def order_of(n, done, active, order):
  """A topological order, which raises for what is in a cycle."""
  if n.name in done:
    return order
  if n.name in active:
    raise ValueError(f"cycle at {n.name}")
  active.add(n.name)
  for k in n.kids:
    order_of(k, done, active, order)
  active.discard(n.name)
  done.add(n.name)
  order.append(n.name)
  return order


OF_A_SET = {f.__name__: f for f in (on_the_way, removed, to_and_fro, added_again)}
NAMES = {
  "ints": [0, 8, 16, 24, -1, 7, 15, 1000003, 2**40],
  "strings": ["a", "b", "c", "dd", "eee", "", "x y"],
}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("name", OF_A_SET)
def test_sets_are_left_as_python_leaves_them(name, names):
  program = OF_A_SET[name]
  function = rtf.recursive(verify=False)(program)
  draw = random.Random(name + names)
  for _ in range(5):
    tree = random_tree(draw, NAMES[names])
    begin = draw.sample(NAMES[names], draw.randrange(len(NAMES[names])))
    plain, other = set(begin), set(begin)
    expected, found = program(tree, plain), function(tree, other)
    assert found is other if expected is plain else found == expected
    assert list(plain) == list(other), "the order in which Python shows the members"
  assert not function.stats.fallbacks, function.explain()


def test_a_member_that_is_not_there_is_python_s_error():
  def visit(n, left):
    left.remove(n.name)
    for k in n.kids:
      visit(k, left)
    return len(left)

  function = rtf.recursive(verify=False)(visit)
  tree = Node(1, Node(2), Node(3))
  for names in ({1, 2, 3, 4}, {1, 2, 4}):
    plain, other = set(names), set(names)
    results = []
    for f, left in ((visit, plain), (function, other)):
      try:
        results.append(f(tree, left))
      except KeyError as error:
        results.append(repr(error))
    assert results[0] == results[1]
    assert list(plain) == list(other)
  assert function.stats.num_converted_runs == 1


def test_several_sets_and_a_list_of_one_call():
  function = rtf.recursive(verify=False)(order_of)
  draw = random.Random(1)
  for _ in range(5):
    tree = random_tree(draw, list(range(40)), 3)
    outcomes = []
    for f in (order_of, function):
      sets = set(), set(), []
      try:
        result = f(tree, *sets)
      except ValueError as error:
        result = str(error)
      outcomes.append((result, *map(list, sets)))
    assert outcomes[0] == outcomes[1]
  assert set(function.stats.fallbacks) <= {Reason.CHECK_FAILED}


def test_checked_runs_are_not_suspected():
  function = rtf.recursive(strict=True, verify=True)(to_and_fro)
  draw = random.Random(2)
  for _ in range(4):
    tree = random_tree(draw, NAMES["strings"])
    assert to_and_fro(tree, {"a"}) == function(tree, {"a"})
  assert function.stats.num_verified_runs == 4


# --- Frozen sets


def queens(n, row=0, cols=frozenset(), d1=frozenset(), d2=frozenset()):
  if row == n:
    return 1
  count = 0
  for c in range(n):
    if c in cols or row - c in d1 or row + c in d2:
      continue
    count += queens(n, row + 1, cols | {c}, d1 | {row - c}, d2 | {row + c})
  return count


def cycles(n, path=frozenset()):
  if n.name in path:
    return [n.name]
  return [name for k in n.kids for name in cycles(k, path | {n.name})]


def with_union(n, path=frozenset()):
  now = path.union([n.name])
  return len(now) + sum(with_union(k, now) for k in n.kids)


def in_place(n, path=frozenset()):
  before = path
  path |= frozenset([n.name])
  return len(path) - len(before) + sum(in_place(k, path) for k in n.kids)


def of_frozen(n):
  both = n.frozen & n.words
  own = frozenset(n.words) - {n.name}
  here = len(both) + 10 * len(own) + 100 * (both == n.frozen) + 1000 * len(n.words ^ {n.name})
  return here + sum(of_frozen(k) for k in n.kids)


def among_kids(n):
  names = frozenset(k.name for k in n.kids)
  return (n.name in names) + len(names) + sum(among_kids(k) for k in n.kids)


def subsets(n):
  is_sub = frozenset([n.name]).issubset(n.words)
  return is_sub + isinstance(n.frozen | {n.name}, frozenset) + sum(subsets(k) for k in n.kids)


def symmetric(n):
  one = set(n.words)
  one ^= n.frozen | {n.name}
  both = one.symmetric_difference(n.words)
  return sorted(one) + sorted(both) + [x for k in n.kids for x in symmetric(k)]


def ordered(n):
  own = {n.name, len(n.kids)}
  found = (own <= n.words) + 2 * (n.words < n.frozen) + 4 * (n.frozen >= n.words)
  found += 8 * (n.words > own) + 16 * ({n.name} <= own) + 32 * (own < {n.name, 1, 2})
  return found + sum(ordered(k) for k in n.kids)


FROZEN = {
  f.__name__: f for f in (cycles, with_union, in_place, of_frozen, among_kids, subsets, symmetric)
}


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("name", FROZEN)
def test_frozen_sets_are_those_of_plain_python(name, names):
  program = FROZEN[name]
  function = rtf.recursive(verify=False)(program)
  draw = random.Random(name + names)
  for _ in range(4):
    tree = random_tree(draw, NAMES[names], 3)
    expected, found = program(tree), function(tree)
    assert (type(expected), expected) == (type(found), found)
  assert not function.stats.fallbacks, function.explain()


def test_sets_are_parts_of_others():
  function = rtf.recursive(strict=True, verify=False)(ordered)
  draw = random.Random(8)
  for _ in range(5):
    tree = random_tree(draw, [0, 1, 2, 3])
    assert ordered(tree) == function(tree)


def test_queens():
  function = rtf.recursive(strict=True, verify=False)(queens)
  assert [function(n) for n in (1, 3, 4, 5, 6)] == [1, 0, 2, 10, 4]


def test_a_frozen_set_that_is_returned_is_one():
  def names(n):
    return frozenset([n.name, len(n.kids)])

  def visit(n):
    return [names(n), *[one for k in n.kids for one in visit(k)]]

  function = rtf.recursive(verify=False)(visit)
  tree = Node(3, Node(4), Node(5, Node(3)))
  expected, found = visit(tree), function(tree)
  assert expected == found and {*map(type, found)} == {frozenset}


def test_a_frozen_set_does_not_change():
  def visit(n):
    names = frozenset([n.name])
    if len(n.kids) > 1:
      names.add(3)
    return len(names) + sum(visit(k) for k in n.kids)

  function = rtf.recursive(verify=False)(visit)
  assert function(Node(1, Node(2))) == 2
  with pytest.raises(AttributeError, match="add"):
    function(Node(1, Node(2), Node(3)))
