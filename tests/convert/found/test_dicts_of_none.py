"""Dicts passed in whose values are None, or of another class, in some calls: not in all."""

import itertools

import pytest

from tests.convert.agreement import agrees, of_text


class Node:
  def __init__(self, k, w=None, *kids):
    self.k, self.w, self.tag, self.kids = k, w, None, list(kids)


TESTED = {
  "is_not_none": "if d[n.k] is not None: d[n.k] = 7",
  "is_none": "if d[n.k] is None: d[n.w] = 7",
  "class": "if isinstance(d[n.k], int): d[n.k] = 7\n  else: n.tag = d[n.k]",
  "true": "if d[n.k]: d[n.k] = 7",
  "get": "if d.get(n.k) is not None: d[n.k] = 1",
  "named": "x = d[n.k]\n  if x is not None: d[n.k] = 7",
  "removed": "if d[n.w] is None: d.pop(n.w, None); n.tag = d[n.w]",
  "counted": "if d[n.k] is None: d[n.k] = 0\n  d[n.k] += 1",
  "read": "n.tag = d[n.k] is not None",
  "in": "if n.k in d and d[n.k] is not None: d[n.k] = 3\n  d.setdefault(n.w, None)",
  "values": "n.tag = [v for v in d.values() if v is not None]; d[n.k] = 1",
  "added": "d[n.w] = d[n.k]",
}
PAIRS = {
  "int": [(1, 1), (None, 1), (1, None), (None, None), (1, 1)],
  "none_first": [(None, None), (None, 1), (1, None), (None, None), (2, 3)],
  "text": [("s", None), (None, "s"), (None, None), ("s", "s")],
  "float_and_bool": [(1.5, None), (None, True), (True, None), (None, 2)],
  "dict": [({"x": 1}, None), (None, {"x": 1}), (None, None), ({"x": 1}, {})],
  "list": [([1], None), (None, None), (None, [1])],
  "int_and_dict": [({"x": 1}, 1), (1, {"x": 1}), (1, 1), ({"x": 1}, {}), (2, 3)],
  "int_and_text": [("s", 1), (1, "s"), (1, 1), ("s", "t"), (0, 0.0)],
  "object": [(Node(1), None), (None, None), (None, Node(1))],
}


@pytest.mark.parametrize("pairs", PAIRS)
@pytest.mark.parametrize("tested", TESTED)
def test_they_are_looked_at_in_each_call(tested, pairs):
  text = f"""
def f(n, d):
  {TESTED[tested]}
  for c in n.kids:
    f(c, d)
  return n.tag
"""

  def calls():
    trees = [lambda: Node("a", "b"), lambda: Node("a", "b", Node("b", "a"))]
    values = itertools.product(trees, PAIRS[pairs])
    return [(tree(), {"a": a, "b": b}) for tree, (a, b) in values]

  agrees(of_text(text), calls)
