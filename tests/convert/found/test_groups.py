"""Dicts by keys of the run whose values are lists, dicts and objects: groups, levels, indices."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, lopsided


class Group:
  """What a dict holds for each key."""

  def __init__(self, first):
    self.first, self.items = first, []


def by_setdefault(d, n):
  d.setdefault(n.v % 2, []).append(n.v)


def by_test(d, n):
  if n.v % 2 not in d:
    d[n.v % 2] = []
  d[n.v % 2].append(n)


def by_new_list(d, n):
  d[n.v % 2] = d.get(n.v % 2, []) + [n.v]


def by_object(d, n):
  d.setdefault(n.v % 2, Group(n)).items.append(n.v)


def by_node(d, n):
  d[n] = [kid.v for kid in n.kids]


FILLS = (by_setdefault, by_test, by_new_list, by_object, by_node)


def itself(d):
  return d


def lists(d):
  return list(d.values()), len(d)


def twice(d):
  return d, dict(d), [d[key] for key in d]


ENDS = (itself, lists, twice)


def build_of(fill, end, in_turn):
  def build(recursive):
    @recursive
    def f(n):
      d = {}

      def go(m):
        fill(d, m)
        for kid in m.kids:
          go(kid)

      if in_turn:
        for kid in n.kids:
          fill(d, kid)
      else:
        go(n)
      return end(d)

    return f

  return build


@pytest.mark.parametrize("in_turn", [True, False])
@pytest.mark.parametrize("end", ENDS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("fill", FILLS, ids=lambda f: f.__name__)
def test_groups_are_those_of_python(fill, end, in_turn):
  agrees(build_of(fill, end, in_turn), lambda: [(lopsided(),), (Node(1, True, "l"),)])


@pytest.mark.parametrize("in_turn", [True, False])
@pytest.mark.parametrize("fill", [by_setdefault, by_test], ids=lambda f: f.__name__)
def test_groups_are_converted(fill, in_turn):
  agrees(build_of(fill, itself, in_turn), lambda: [(lopsided(),), (lopsided(),)], CONVERTED)


def test_values_of_copies_are_the_same_objects():
  def build(recursive):
    @recursive
    def f(n):
      d = {}
      for kid in n.kids:
        d.setdefault(kid.v, []).append(kid)
      copy = {**d}
      for kid in n.kids:
        copy[kid.v].append(None)
      return d, copy

    return f

  agrees(build, lambda: [(lopsided(),), (lopsided(),)], CONVERTED)


def test_a_list_that_has_a_name_may_be_changed_by_it():
  def build(recursive):
    @recursive
    def f(n):
      d = {}
      for kid in n.kids:
        found = [kid.v]
        d[kid.v] = found
        found.append(2)
      return d

    return f

  agrees(build, lambda: [(lopsided(),), (lopsided(),)], CONVERTED)


def test_one_list_under_all_keys_is_one_list():
  def build(recursive):
    @recursive
    def f(n):
      d, found = {}, [1]
      for kid in n.kids:
        d[kid.v] = found
      return d

    return f

  agrees(build, lambda: [(lopsided(),), (lopsided(),)])
