"""Sets that a program captures, or that are global: visited objects, names and numbers."""

import copy

import pytest

from tests.convert.agreement import agrees
from tests.convert.syntax.lowering import defined


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


class Point:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  def __eq__(self, other):
    return isinstance(other, Point) and self.v == other.v

  def __hash__(self):
    return hash(self.v)


def graphs(kind):
  shared = kind(3, kind(4))
  return [kind(1), kind(1, kind(2, shared), shared), kind(5, shared, kind(5, kind(1)))]


MEMBERS = {
  "object": "n",
  "number": "n.v",
  "text": "str(n.v)",
  "pair": "(n.v, len(n.kids))",
}
CHANGES = {
  "add": "seen.add({})",
  "nothing": "pass",
  "discard": "seen.discard({})",
  "remove": "seen.remove({}) if {} in seen else seen.add({})",
  "update": "seen.update([{}])",
  "add_before_the_calls": "seen.add({}); found.append(len(seen))",
}


@pytest.mark.parametrize("kind", [Node, Point])
@pytest.mark.parametrize("test", ["in", "not in"])
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("member", MEMBERS)
def test_members_are_pythons(member, change, test, kind):
  member = MEMBERS[member]
  change = CHANGES[change].replace("{}", member)

  def build(recursive):
    seen, found = set(), []
    names = {"seen": seen, "found": found}
    text = f"""
def f(n):
  is_one = {member} {test} seen
  if is_one != ({test!r} == "in") or len(found) < 2:
    {change}
    for kid in n.kids:
      f(kid)
    found.append(n.v)
  else:
    found.append(-n.v)
  return is_one
"""
    function = defined(text, **names)
    function.__globals__["f"] = recursive(function)
    return function.__globals__["f"], [seen, found]

  agrees(build, lambda: [(one,) for one in copy.deepcopy(graphs(kind) * 2)])
