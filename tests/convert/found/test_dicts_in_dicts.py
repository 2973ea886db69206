"""Dicts and sets as the values of dicts whose keys only the run knows."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text, trees

BODIES = {
  "groups": """
  groups = {}
  for k in n.kids:
    groups.setdefault(k.name[0], {})[k.name] = f(k)
  return groups""",
  "counted": """
  table = {}
  for k in n.kids:
    row = table.setdefault(str(k.flag), {})
    row[k.v % 3] = row.get(k.v % 3, 0) + 1
  return table, [f(k) for k in n.kids]""",
  "sets": """
  reached = {n.name: {k.name for k in n.kids}}
  for k in n.kids:
    reached[k.name] = {k.v, n.v}
  return [len(v) + (n.v in v) for v in reached.values()], [f(k) for k in n.kids]""",
  "two_names": """
  inner = {}
  outer = {n.name: inner, "again": inner}
  for k in n.kids:
    outer[k.name] = inner
    inner[k.name] = k.v
  outer["other"] = dict(inner)
  inner["last"] = n.v
  return outer, [f(k) for k in n.kids]""",
  "returned": """
  children = {k.name: f(k) for k in n.kids}
  children["size"] = len(n.kids)
  return children""",
  "empty_or_not": """
  found = {n.name: {}} if n.flag else {n.name: n.v}
  for k in n.kids:
    found.update(f(k))
  return found""",
}


@pytest.mark.parametrize("body", BODIES)
def test_values_that_are_dicts_and_sets(body):
  agrees(of_text(f"def f(n):{BODIES[body]}\n"), trees, CONVERTED)


def test_a_set_in_a_dict_is_not_added_to():
  """What it is kept under besides would not show it."""
  text = """
def f(n):
  own, kept = {n.v}, {}
  kept[n.name] = own
  for k in n.kids:
    kept.setdefault(k.name, own).add(k.v)
  return len(own), [f(k) for k in n.kids]
"""
  agrees(of_text(text), trees)


def test_a_dict_that_is_passed_in_is_filled_with_dicts():
  text = """
def f(n, out):
  own = {}
  for k in n.kids:
    own[k.name] = len(k.kids)
    f(k, out)
  out[n.name] = own
  return out
"""
  agrees(of_text(text), lambda: [(tree, {}) for (tree,) in trees()], CONVERTED)
