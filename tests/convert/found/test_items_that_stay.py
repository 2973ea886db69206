"""What a dict holds when a call begins is in it afterwards, the very same lists, sets and dicts."""

import collections

import pytest

from tests.convert.agreement import agrees, of_text


class Node:
  def __init__(self, key, *kids, d=None):
    self.key, self.kids, self.d = key, list(kids), d


VALUES = [
  "[]",
  "{}",
  "set()",
  "[1]",
  "([],)",
  "[[]]",
  "{'x': []}",
  "[1, [2]]",
  "{n.key: []}",
  "[n.key]",
  "defaultdict(list)",
]
CHANGES = {
  "set where missing": "d.setdefault(n.key, VALUE)",
  "asked first": "if n.key not in d:\n    d[n.key] = VALUE",
  "got": "if d.get(n.key) is None:\n    d[n.key] = VALUE",
  "counted": "size = len(d.setdefault(n.key, VALUE))",
  "shown": "shown = str(d.setdefault(n.key, VALUE))",
}
SOURCES = {
  "passed in": ("n, d", "d", "(k, d)"),
  "attribute": ("n", "n.d", "(k)"),
  "outside": ("n", "D", "(k)"),
}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("source", SOURCES)
def test_what_was_there_stays_the_same_object(source, change, value):
  parameters, d, arguments = SOURCES[source]
  text = f"""
def f({parameters}):
  d = {d}
  {CHANGES[change].replace("VALUE", value)}
  return [len(d)] + [f{arguments} for k in n.kids]
"""

  def build(recursive):
    outside = {}
    names = {"D": outside, "defaultdict": collections.defaultdict}
    return of_text(text, **names)(recursive), [outside]

  def calls():
    own = {}
    for i in range(4):
      kids = [Node(f"b{i // 2}", d=own), Node(f"c{i}", d=own)]
      yield (Node(f"a{i // 2}", *kids, d=own), *([own] if source == "passed in" else []))

  agrees(build, calls)


@pytest.mark.parametrize("read", ["d[n.key]", "len(d[n.key])", "not d[n.key]", "d[n.key] == []"])
@pytest.mark.parametrize("factory", [list, dict, set])
def test_items_that_a_defaultdict_makes_stay(factory, read):
  text = f"""
def f(n, d):
  found = {read}
  return [found] + [f(k, d) for k in n.kids]
"""

  def calls():
    own = collections.defaultdict(factory)
    for i in range(4):
      yield Node(f"a{i // 2}", Node(f"b{i // 2}"), Node(f"c{i}")), own

  agrees(of_text(text), calls)
