"""`next` of a generator expression in its place; strings of the run in strings that are known."""

import itertools

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def trees():
  return [(Node(7, True, "l"),), (root(),), (lopsided(),), (bushy(),)]


_GENERATED = {
  "node": lambda n: next((k for k in n.kids if k.v > 2), None),
  "number": lambda n: next((k.v for k in n.kids if k.flag), -1),
  "name": lambda n: next((k.name for k in n.kids if k.flag), "none"),
  "made": lambda n: next((k.v * 2 for k in n.kids), 0),
  "map": lambda n: next(map(lambda k: k.v + 1, n.kids), 0),
  "filter": lambda n: next(filter(lambda k: k.flag, n.kids), n),
  "known": lambda n: next((x for x in (1, 2, 3)), 0),
  "other kind": lambda n: next((k.v for k in n.kids if k.v > 3), None),
}


@pytest.mark.parametrize("kind", _GENERATED)
def test_the_first_or_a_default(kind):
  def build(recursive):
    @recursive
    def visit(n):
      return [_GENERATED[kind](n)] + [u for k in n.kids for u in visit(k)]

    return visit

  agrees(build, trees, expect=CONVERTED if kind in ("number", "made", "map", "known") else None)


def test_a_search():
  def build(recursive):
    @recursive
    def find(n, name):
      if n.name == name:
        return n
      return next((r for r in (find(k, name) for k in n.kids) if r), None)

    return find

  agrees(
    build, lambda: [(t, s) for (t,) in trees() for s in ("l", "b", "e", "?")], expect=CONVERTED
  )


def test_without_a_default_it_raises():
  def build(recursive):
    @recursive
    def visit(n):
      return next(k.v for k in n.kids if k.v > 1) + sum([visit(k) for k in n.kids if k.kids])

    return visit

  agrees(build, trees)


def twice(n):
  values = (k.v for k in n.kids)
  return next(values, 0) * 10 + next(values, 0)


def named_on_the_way(n):
  found = next((values := (k.v for k in n.kids)), 0)
  return found * 10 + next(values, 0)


def passed_on(n):
  def both(values):
    return next(values, 0) * 10 + sum(values)

  return both(k.v for k in n.kids)


def of_a_list(n):
  return next(iter([k.v for k in n.kids]), 0)


def that_writes(n):
  seen = []
  return next((seen.append(k.v) or k.v for k in n.kids), 0) + len(seen)


def that_asks(n):
  values = iter(n.kids)
  first = next(values, None)
  return sum(k.v for k in values) + (first.v if first else 0)


@pytest.mark.parametrize(
  "use", [twice, named_on_the_way, passed_on, of_a_list, that_writes, that_asks]
)
def test_iterators_that_are_asked_again(use):
  def build(recursive):
    @recursive
    def visit(n):
      return use(n) + sum([visit(k) for k in n.kids])

    return visit

  agrees(build, trees)


_STRINGS = ["+-", "", "aab", "äö€", "x" * 29, "abc" * 11]
_PARTS = {
  "read": lambda n: n.name,
  "made": lambda n: n.name + n.name,
  "cut": lambda n: n.name[:1],
  "joined": lambda n: "".join([k.name for k in n.kids]),
}


@pytest.mark.parametrize("whole, part", list(itertools.product(_STRINGS, _PARTS)))
def test_parts_of_known_strings(whole, part):
  def build(recursive):
    @recursive
    def visit(n):
      found = 1 if _PARTS[part](n) in whole else 0
      if _PARTS[part](n) not in whole:
        found += 10
      return [found] + [u for k in n.kids for u in visit(k)]

    return visit

  names = ["+", "-", "+-", "", "a", "ab", "aab", "ba", "ä", "€", "ö€", "ä€", "xxx", "bca"]
  calls = [(Node(1, True, s, Node(2, True, t)),) for s, t in itertools.pairwise(names)]
  agrees(build, lambda: calls, expect=CONVERTED if len(whole) <= 30 else None)
