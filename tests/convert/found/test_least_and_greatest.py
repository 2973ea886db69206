"""`min` and `max` of as many tuples, strings or bools as the run finds, or of some of them."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, of_one


def cheapest(f, n):
  if not n.kids:
    return n.v, n.name
  found = []
  for k in n.kids:
    cost, name = f(k)
    found.append((cost + n.v % 3, name + "/" + n.name))
  return min(found)


def latest(f, n):
  best = max((f(k) for k in n.kids), default=("", -1))
  return max(best, (n.name, len(n.kids)))


def first_name(f, n):
  return min([n.name] + [f(k) for k in n.kids])


def any_flag(f, n):
  return max([n.flag] + [f(k) for k in n.kids])


def deepest(f, n):
  depth, weight, name = max([f(k) for k in n.kids], default=(0, 0.5, ""))
  return depth + 1, weight + n.v / 4, n.name


def nested(f, n):
  return min([((n.v % 2, n.flag), n.name), *[f(k) for k in n.kids]])


def of_three(f, n):
  found = [f(k) for k in n.kids]
  rest = max(found) if found else (0.0, "none")
  return max((float(n.v), n.name), rest, (2.0, "two"))


def with_list(f, n):
  best = min([f(k) for k in n.kids], default=(9, ["none"]))
  return min((n.v, [n.name]), best)


def equals(f, n):
  found = [(1.0 if n.flag else True, n.name)] + [f(k) for k in n.kids]
  return min(found)


def signs(f, n):
  return max([(-0.0 if n.flag else 0.0, 0), *[f(k) for k in n.kids]])


PROGRAMS = {
  "cheapest": cheapest,
  "latest": latest,
  "first name": first_name,
  "any flag": any_flag,
  "deepest": deepest,
  "nested": nested,
  "of three": of_three,
  "equals": equals,
  "signs": signs,
  "with list": with_list,
}
SURELY = set(PROGRAMS) - {"equals", "with list"}


def trees():
  leaf = Node(3, True, "x"), Node(3, False, "x"), Node(-1, True, "b"), Node(0, False, "")
  inner = Node(1, False, "m", *leaf), Node(2, True, "a", leaf[0], leaf[1])
  return [(leaf[0],), (leaf[3],), (inner[0],), (Node(5, False, "top", *inner, leaf[2]),)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_least_and_greatest(name):
  agrees(of_one(PROGRAMS[name]), trees, CONVERTED if name in SURELY else None)


def test_of_none_python_raises():
  def build(recursive):
    @recursive
    def f(n):
      return (
        (n.v, max([f(k)[0] for k in n.kids if k.flag] or [0]))
        if n.v
        else min([(k.v, k.name) for k in n.kids])
      )

    return f

  agrees(build, lambda: [*trees(), (Node(0, True, "e", Node(2, True, "k")),)])
