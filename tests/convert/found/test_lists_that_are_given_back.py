"""A list that is passed in, changed and returned is the caller's own list."""

import itertools

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def appended(out, n):
  out.append(n.v)


def extended(out, n):
  out.extend([n.v, n.v + 1])


def added(out, n):
  out += [n.v]


def inserted(out, n):
  out.insert(0, n.v)


def popped(out, n):
  out.append(n.v)
  if len(out) > 3:
    out.pop(0)


def nodes(out, n):
  out.append(n)


_CHANGES = [appended, extended, added, inserted, popped, nodes]


def always(visit, n, out, change):
  change(out, n)
  for kid in n.kids:
    visit(kid, out)
  return out


def handed_on(visit, n, out, change):
  change(out, n)
  for kid in n.kids:
    out = visit(kid, out)
  return out


def at_leaves(visit, n, out, change):
  if not n.kids:
    change(out, n)
    return out
  for kid in n.kids:
    visit(kid, out)
  return out


def a_copy_at_leaves(visit, n, out, change):
  if not n.kids:
    return list(out)
  change(out, n)
  for kid in n.kids:
    visit(kid, out)
  return out


def none_at_leaves(visit, n, out, change):
  if not n.kids:
    return None
  change(out, n)
  for kid in n.kids:
    visit(kid, out)
  return out


def with_a_number(visit, n, out, change):
  change(out, n)
  for kid in n.kids:
    visit(kid, out)
  return out, len(out)


def twice(visit, n, out, change):
  change(out, n)
  for kid in n.kids:
    visit(kid, out)
  return [out, out]


_CONVERTED = [always, handed_on, at_leaves]
_OTHERS = [a_copy_at_leaves, none_at_leaves, with_a_number, twice]


def program(way, change):
  def build(recursive):
    @recursive
    def visit(n, out):
      return way(visit, n, out, change)

    return visit

  return build


def calls():
  kept = [10, 20]
  trees = [Node(7, True, "l"), root(), lopsided(), bushy()]
  # One list for several calls, too: what one returns is what the next is given.
  return [(tree, []) for tree in trees] + [(tree, kept) for tree in trees]


@pytest.mark.parametrize("way, change", list(itertools.product(_CONVERTED, _CHANGES[:-1])))
def test_the_list_itself_is_returned(way, change):
  agrees(program(way, change), calls, expect=CONVERTED)


@pytest.mark.parametrize("way, change", list(itertools.product(_OTHERS, _CHANGES[::2])))
def test_what_is_not_always_the_list(way, change):
  agrees(program(way, change), calls)


def test_lists_of_nodes():
  trees = [Node(7, True, "l"), root(), lopsided(), bushy()]
  agrees(program(always, nodes), lambda: [(t, []) for t in trees], expect=CONVERTED)


def test_one_of_two_lists():
  def build(recursive):
    @recursive
    def visit(n, small, large):
      (small if n.v < 3 else large).append(n.v)
      for kid in n.kids:
        visit(kid, small, large)
      return small if n.flag else large

    return visit

  agrees(build, lambda: [(t, [], []) for t in (root(), lopsided(), bushy())])


def test_a_list_that_is_only_read():
  def build(recursive):
    @recursive
    def visit(n, out):
      for kid in n.kids:
        visit(kid, out)
      return out

    return visit

  agrees(build, lambda: [(t, [1, 2]) for t in (root(), lopsided(), bushy())])


def test_a_list_that_is_kept_as_well():
  def build(recursive):
    kept = []

    @recursive
    def visit(n, out):
      out.append(n.v)
      kept.append(out)
      for kid in n.kids:
        visit(kid, out)
      return out

    return visit, [kept]

  agrees(build, lambda: [(t, []) for t in (root(), lopsided())])


def test_mapped_calls():
  def build(recursive):
    @recursive
    def visit(n, out):
      out.append(n.v)
      for kid in n.kids:
        visit(kid, out)
      return out

    return visit

  visit = build(__import__("recursive_tf").recursive)
  lists = [[], [5], []]
  found = visit.map([root(), lopsided(), bushy()], lists)
  assert found == lists
  assert lists[0] == [1, 2, 3]


def test_a_visited_list():
  def build(recursive):
    @recursive
    def visit(graph, name, seen):
      if name in seen:
        return seen
      seen.append(name)
      for other in graph[name]:
        visit(graph, other, seen)
      return seen

    return visit

  graphs = [{"a": ["b", "c"], "b": ["c"], "c": ["a"]}, {"a": []}, {"a": ["a"]}]
  agrees(build, lambda: [(graph, "a", []) for graph in graphs])
