"""Tuples of many lengths, in objects that runs make: a sum of two is one of any length."""

import dataclasses

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text, trees


@dataclasses.dataclass
class Plan:
  """What something costs, and the names in it."""

  cost: int
  names: tuple = ()

  def __add__(self, other):
    return Plan(self.cost + other.cost, self.names + other.names)


PLANS = """
def g(n):
  if not n.kids:
    return Plan(n.v, (n.name,)) if n.flag else Plan(0)
  {body}

def f(n):
  found = g(n)
  return found.cost, found.names
"""

BODIES = {
  "in_place": """
  path = ()
  for part in [g(k) for k in n.kids]:
    path += part.names
  return Plan(len(path), path)""",
  "behind": """
  longest = Plan(0)
  for k in n.kids:
    part = g(k)
    if part.cost >= longest.cost:
      longest = part
  return Plan(longest.cost + n.v, longest.names + (n.name,))""",
  "in_front": """
  best = max([g(k) for k in n.kids], key=lambda part: part.cost)
  return Plan(best.cost, (n.name, *best.names))""",
  "by_operator": """
  total = Plan(n.v, (n.name, "x"))
  for k in n.kids:
    total = total + g(k)
  return total""",
  "repeated": """
  total = g(n.kids[0])
  return Plan(total.cost, total.names * 2 + (n.name,))""",
}


@pytest.mark.parametrize("body", BODIES)
def test_tuples_of_strings(body):
  agrees(of_text(PLANS.format(body=BODIES[body]), Plan=Plan), trees, CONVERTED)


def test_a_list_is_changed_in_place_and_a_tuple_is_not():
  text = """
def f(n):
  old = n.name[0:1], n.name
  kept = old
  for k in n.kids:
    old += (k.name,)
  return kept, old, [f(k) for k in n.kids]
"""
  agrees(of_text(text), trees, CONVERTED)
