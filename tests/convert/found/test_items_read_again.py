"""`d[key]` by a key of the run, read twice: a test of it holds, and what changes it shows."""

import copy

import pytest

from tests.convert.agreement import agrees, of_text

TREES = [
  {"a": 1, "b": {"c": "x", "d": {}}, "e": None},
  {},
  {"x": {"y": {"z": 1.5}}, "b": [1, 2]},
  {"a": {"a": {"a": 2, "b": None}}, "b": "text", "c": {"c": [3]}},
]
TESTED = {
  "class": "isinstance(d[k], dict)",
  "not_class": "not isinstance(d[k], (int, float, str, list, type(None)))",
  "and": "k in d and isinstance(d[k], dict)",
  "type": "type(d[k]) is dict",
  "get": "isinstance(d.get(k), dict)",
  "or": "d[k] is not None and isinstance(d[k], dict) or False",
}
KEYS = {
  "own": ("for k in d:", "k"),
  "sorted": ("for k in sorted(d):", "k"),
  "of_items": ("for k, _ in d.items():", "k"),
  "list": ("for k in [k for k in ['a', 'b', 'x', 'y', 'c', 'd'] if k in d]:", "k"),
  "enumerated": ("for i, k in enumerate(d):", "k"),
}


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("tested", TESTED)
def test_a_test_holds_where_it_is_read_again(tested, keys):
  text = f"""
def f(d):
  found = []
  {KEYS[keys][0]}
    if {TESTED[tested]}:
      found.append((k, f(d[k])))
    elif d[k] is None:
      found.append((k, 'none'))
    elif isinstance(d[k], str):
      found.append((k, d[k].upper()))
    elif isinstance(d[k], list):
      found.append((k, len(d[k])))
    else:
      found.append((k, d[k] * 2))
  return found
"""
  agrees(of_text(text), lambda: [(copy.deepcopy(tree),) for tree in [*TREES, *TREES]])


BETWEEN = {
  "written_by_the_key": "d[k] = 7",
  "written_by_a_constant": "d['a'] = 7",
  "written_by_another_key": "d[other] = 7",
  "removed": "d.pop(k)",
  "deleted": "del d[k]",
  "deleted_constant": "d.pop('a', None)",
  "updated": "d.update(a=7)",
  "replaced": "d = {**d, k: 7}",
  "another_dict": "d = n['more']",
  "another_key": "k = other",
  "in_a_branch": "d[other] = 7 if n['flag'] else 8",
  "key_in_a_branch": "k = other if n['flag'] else k",
  "by_a_call": "change(d, k)",
  "by_an_alias": "n['items'][other] = 7",
  "nothing": "pass",
}


@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize(
  "first", ["isinstance(d[k], int) and d[k] > 1", "d[k] == 1", "k in d and d[k]"]
)
def test_what_comes_between_is_seen(first, between):
  text = f"""
def change(d, k):
  d[k] = 9

def f(n):
  d, k, other = n["items"], n["key"], n["other"]
  found = []
  if {first}:
    found.append(1)
  {BETWEEN[between]}
  found.append(d[k] if k in d else 'no')
  return [found] + [f(kid) for kid in n["kids"]]
"""

  def tree(i, *kids):
    return {
      "items": {"a": i % 3, "b": 2, "c": 1},
      "more": {"a": 5, "b": 6, "c": 3},
      "key": "abc"[i % 3],
      "other": "abca"[(i + i // 2) % 4],
      "flag": i % 2 == 0,
      "kids": list(kids),
    }

  def calls():
    return [(tree(i, tree(i + 1), tree(i + 2, tree(i + 3))),) for i in range(6)]

  agrees(of_text(text), calls)
