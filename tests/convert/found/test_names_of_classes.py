"""What the class of a node says (`type(n).__name__`), kept, returned, and put into strings."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text

SAID = {
  "name": "type(n).__name__",
  "its class's": "n.__class__.__name__",
  "lower": "type(n).__name__.lower()",
  "first letter": "type(n).__name__[0]",
  "qualified": "type(n).__qualname__",
  "class": "type(n)",
  "of a class attribute": "n.label",
}
USED = {
  "returned": "return {said}",
  "in a tuple": "return {said}, n.v, [f(kid) for kid in n.kids]",
  "in a dict": "return {{'type': {said}, 'kids': [f(kid) for kid in n.kids]}}",
  "in a list": """
  found = [{said}]
  for kid in n.kids:
    found += f(kid)
  return found""",
  "collected": "return [{said}] + [one for kid in n.kids for one in f(kid)]",
  "in a variable": """
  said = {said}
  rest = [f(kid) for kid in n.kids]
  return (said, rest)""",
  "on some paths": "return {said} if n.v > 1 else None",
  "on others": "return {said} if n.v > 1 else 'small'",
  "written": """
  n.said = {said}
  for kid in n.kids:
    f(kid)""",
  "noted": """
  SEEN.append({said})
  for kid in n.kids:
    f(kid)""",
  "given on": "return g({said}, n)",
  "compared": "return {said} == {said}, [{said} == type(kid).__name__ for kid in n.kids]",
  "formatted": "return f'{{{said}}}({{n.v}}, ' + ', '.join(str(f(kid)) for kid in n.kids) + ')'",
  "twice": "return f'<{{{said}}}>' + str(n.v) + f'</{{{said}}}>'",
  "shown": "return repr({said}), f'{{{said}!r:>12}}'",
  "as a key": "return {{{said}: n.v}}",
  "counted": """
  counts = {{}}
  for kid in [n, *n.kids]:
    n = kid
    counts[{said}] = counts.get({said}, 0) + 1
  return counts""",
}
HELPER = """
def g(said, n):
  if not n.kids:
    return [said]
  return [said, *g(said, n.kids[-1])]

def f(n):
  {used}
"""


class Node:
  label = "node"

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


class Leaf(Node):
  label = "leaf"


class Pair(Node):
  label = "pair"


def trees():
  found = [
    Leaf(1.0),
    Pair(2.0, Leaf(1.0), Node(3.0)),
    Node(1.5, Pair(0.5, Leaf(2.0), Leaf(3.0)), Leaf(1.0)),
    Pair(1.0, Pair(4.0, Node(1.0), Leaf(0.0)), Node(2.0, Pair(1.0))),
    Node(0.0),
  ]
  return [(tree,) for tree in found]


@pytest.mark.parametrize("said", SAID)
@pytest.mark.parametrize("used", USED)
def test_it_is_pythons(said, used):
  def build(recursive):
    seen = []
    text = HELPER.format(used=USED[used].format(said=SAID[said]))
    return of_text(text, SEEN=seen)(recursive), [seen]

  agrees(build, trees)


@pytest.mark.parametrize(
  "used", ["returned", "in a tuple", "in a dict", "in a list", "on others", "written", "formatted"]
)
def test_it_is_converted(used):
  text = HELPER.format(used=USED[used].format(said=SAID["name"]))
  agrees(of_text(text), trees, CONVERTED)


def test_kinds_of_data():
  text = """
def f(value):
  if isinstance(value, dict):
    return {key: f(part) for key, part in value.items()}
  if isinstance(value, list):
    return [f(part) for part in value]
  return type(value).__name__
"""
  data = [{"a": 1, "b": [1, 2.5, "x", None, True]}, {"n": {"m": {"z": [], "y": {}}}}, ["x", None]]
  agrees(of_text(text), lambda: [(part,) for part in data * 2], CONVERTED)
