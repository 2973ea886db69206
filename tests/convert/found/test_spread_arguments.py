"""`f(*xs)` with as many arguments as the run finds: by name, by default, with others after it."""

import dataclasses
import operator
import typing

import pytest

from tests.convert.agreement import CONVERTED, agrees


class N:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


class Left:
  def __init__(self, v, left=None, right=None):
    self.v, self.left, self.right = v, left, right


class Pair(typing.NamedTuple):
  a: object
  b: object = 5


@dataclasses.dataclass
class Data:
  a: object
  b: object = None
  c: object = 3


def two(a, b):
  return a * 10 + b


def with_defaults(a, b=7, c=9):
  return a + 10 * b + 100 * c


def with_rest(a, *rest):
  return a + 100 * len(rest) + sum(rest)


def with_keyword(a, b=2, *, c=1):
  return a + b * c


def any_number(*xs):
  return sum(xs)


def in_pairs(*xs):
  return sum([x is not y for x, y in zip(xs, xs[1:], strict=False)])


BOTH = lambda a, b=1, *c: a - b + len(c)  # noqa: E731 - it is to be one


class Counter:
  def __init__(self):
    self.total = 0

  def add(self, a, b=0):
    self.total += a + b
    return self


def tree(*nums):
  """Returns a tree whose levels have these numbers of children."""
  return N(0.5 * len(nums) + 1, *[tree(*nums[1:]) for _ in range(nums[0])] if nums else [])


def trees():
  """Returns trees of two children, of one, of three, and of each."""
  return [tree(2, 2), tree(1), tree(3, 1), tree(2, 1, 3), tree(), tree(4)]


def calling(call, of_leaves=False):
  """Returns a program that does `call(f, node)` of nodes with children, or of all."""

  def build(recursive):
    @recursive
    def f(n):
      return call(f, n) if n.kids or of_leaves else n.v

    return f

  return build


CALLS = {
  "two": lambda f, n: two(*[f(k) for k in n.kids]),
  "of_a_generator": lambda f, n: two(*(f(k) for k in n.kids)),
  "of_map": lambda f, n: two(*map(f, n.kids)),
  "with_defaults": lambda f, n: with_defaults(*[f(k) for k in n.kids]),
  "defaults_behind": lambda f, n: with_defaults(1, *[f(k) for k in n.kids]),
  "last_by_name": lambda f, n: with_defaults(*[f(k) for k in n.kids], c=4),
  "second_by_name": lambda f, n: with_defaults(*[f(k) for k in n.kids], b=4),
  "first_by_name": lambda f, n: with_rest(*[f(k) for k in n.kids], a=4),
  "with_rest": lambda f, n: with_rest(*[f(k) for k in n.kids]),
  "keyword_only": lambda f, n: with_keyword(*[f(k) for k in n.kids], c=3),
  "builtin": lambda f, n: operator.add(*[f(k) for k in n.kids]),
  "named_tuple": lambda f, n: sum(Pair(*[f(k) for k in n.kids])),
  "dataclass": lambda f, n: Data(*[f(k) for k in n.kids]).a,
  "method": lambda f, n: Counter().add(*[f(k) for k in n.kids]).total,
  "only_where_it_fits": lambda f, n: two(*map(f, n.kids)) if len(n.kids) == 2 else f(n.kids[0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_elements_get_names(name):
  build = calling(CALLS[name])
  for first in range(3):
    agrees(build, lambda first=first: [(root,) for root in trees()[first:]])


ALWAYS = {
  "with_rest": CALLS["with_rest"],
  "others_after": lambda f, n: any_number(*[f(k) for k in n.kids], 1.5, *[k.v for k in n.kids]),
  "others_around": lambda f, n: any_number(2.0, *map(f, n.kids), n.v),
  "nodes": lambda f, n: in_pairs(*n.kids, n, *n.kids) + sum(map(f, n.kids)),
  "lambda": lambda f, n: BOTH(*[f(k) for k in n.kids]),
  "object": lambda f, n: len(N(n.v, *[f(k) for k in n.kids]).kids),
}


@pytest.mark.parametrize("name", ALWAYS)
def test_any_number_of_them_converts(name):
  agrees(calling(ALWAYS[name]), lambda: [(root,) for root in trees()], expect=CONVERTED)


NEW_TREES = {
  "as_they_are": lambda f, n: N(n.v + 1, *[f(k) for k in n.kids]),
  "of_map": lambda f, n: N(n.v + 1, *map(f, n.kids)),
  "old_nodes": lambda f, n: N(n.v, *n.kids, n),
}


@pytest.mark.parametrize("name", NEW_TREES)
def test_new_trees(name):
  agrees(
    calling(NEW_TREES[name], of_leaves=True),
    lambda: [(root,) for root in trees()],
    expect=CONVERTED,
  )


@pytest.mark.parametrize("make", [Left, Data])
def test_new_trees_of_another_make(make):
  def build(recursive):
    @recursive
    def f(n):
      return make(n.v + 1, *[f(k) for k in n.kids])

    return f

  agrees(build, lambda: [(tree(2, 2),), (tree(1, 2),)], expect=CONVERTED)
  agrees(build, lambda: [(root,) for root in trees()])


def test_a_path_in_arguments():
  def build(recursive):
    @recursive
    def f(n, *path):
      if not n.kids:
        return [one.v for one in path]
      found = []
      for kid in n.kids:
        found += f(kid, *path, n)
      return found

    return f

  agrees(build, lambda: [(root,) for root in trees()], expect=CONVERTED)


def test_a_list_behind_others_is_changed():
  def put(*lists):
    lists[-1].append(len(lists))
    return lists[-1]

  def build(recursive):
    @recursive
    def f(n):
      mine = [n.v]
      last = put(*[f(kid) for kid in n.kids], mine)
      return mine if last is mine else []

    return f

  agrees(build, lambda: [(root,) for root in trees()])
