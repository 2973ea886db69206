"""The order in which dicts of the tree, or passed in, get new keys by known names."""

import textwrap

import pytest

import recursive_tf as rtf
from tests.convert.agreement import agrees, of_text
from tests.convert.syntax.lowering import defined

WRITES = {
  "one or the other first": """
  if n.v > 1:
    d["x"] = n.v
  d["y"] = 2.0
  if n.v <= 1:
    d["x"] = 3.0""",
  "one or the other": """
  if n.v > 1:
    d["x"] = n.v
  else:
    d["y"] = 1.0""",
  "one of three": """
  if "x" in d:
    d["y"] = n.v
  elif n.v > 1:
    d["x"] = 1.0
  else:
    d["z"] = 2.0""",
  "by class": """
  d[type(n).__name__] = n.v""",
  "counted": """
  d[type(n).__name__] = d.get(type(n).__name__, 0) + 1""",
  "always the same": """
  d["h"] = n.v
  d["c"] = 2.0""",
  "the same, then some": """
  d["h"] = n.v
  if n.v > 1:
    d["c"] = 2.0
    d["e"] = 3.0
  else:
    d["f"] = 4.0""",
  "in a loop": """
  d["h"] = n.v
  for kid in n.kids:
    if kid.v > 1:
      d["x"] = kid.v
    else:
      d["y"] = kid.v
  d["z"] = 1.0""",
  "numbers and names": """
  if n.v > 1:
    d[1] = n.v
  d["y"] = 2.0
  if n.v <= 1:
    d[1] = 2.5""",
}
EITHER_FIRST = """
  if n.v > 1:
    n.d["x"] = n.v
    n.d["y"] = 1.0
  else:
    n.d["y"] = n.v
    n.d["x"] = 2.0"""
WHOSE = {
  "of the node": ("d = n.d", "f(kid)", "(n)"),
  "passed in": ("pass", "f(kid, d)", "(n, d)"),
  "of the root": ("d = root.d", "f(kid, root)", "(n, root)"),
  "in the parent": ("d = n.d", "kid.d['p'] = n.v\n    f(kid)", "(n)"),
  "in a list": ("d = n.dicts[0]", "f(kid)", "(n)"),
}
WHEN = {
  "before": "{writes}\n  for kid in n.kids:\n    {call}\n",
  "after": "  for kid in n.kids:\n    {call}\n{writes}\n",
}


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids, self.d, self.dicts = v, list(kids), {}, [{}]


class Leaf(Node):
  pass


class Other(Node):
  pass


def trees():
  leaf, other = Leaf, Other
  yield leaf(1.0)
  yield other(2.0)
  yield Node(2.0, leaf(1.0))
  yield Node(1.0, leaf(2.0), other(3.0, leaf(1.0)))
  yield other(3.0, Node(2.0, leaf(1.0)), leaf(0.5, Node(1.5), other(1.0)))
  yield other(1.0, other(2.0), leaf(1.0), Node(1.0, leaf(4.0)))


@pytest.mark.parametrize("when", WHEN)
@pytest.mark.parametrize("whose", WHOSE)
@pytest.mark.parametrize("writes", WRITES)
def test_it_is_pythons(writes, whose, when):
  begin, call, parameters = WHOSE[whose]
  body = WHEN[when].format(writes=WRITES[writes], call=call)
  text = f"def f{parameters}:\n  {begin}\n{body}"

  def calls():
    more = {"passed in": lambda tree: ({},), "of the root": lambda tree: (tree,)}
    return [(tree, *more.get(whose, lambda tree: ())(tree)) for tree in trees()]

  other = agrees(of_text(text), calls)
  assert other.stats.num_converted_runs >= 4  # Of twelve, in those that get keys of two types.


def test_keys_that_are_there_change_no_order():
  text = f"def f(n):{EITHER_FIRST}\n  for kid in n.kids:\n    f(kid)\n"

  def calls():
    found = [*trees()]
    agenda = list(found)
    while agenda:
      node = agenda.pop()
      node.d.update(y=0.0, x=0.0)
      agenda += node.kids
    return [(tree,) for tree in found]

  other = agrees(of_text(text), calls)
  assert not other.stats.fallbacks


def test_what_always_comes_first_is_told_at_conversion():
  text = """
def f(n):
  n.d["h"] = n.v
  for kid in n.kids:
    f(kid)
  n.d["c"] = sum(kid.d["h"] for kid in n.kids)
"""
  other = agrees(of_text(text), lambda: [(tree,) for tree in trees()])
  assert not other.stats.fallbacks


def test_a_step_is_refused_where_it_is_not_known():
  text = f"def f(nodes):\n  for n in nodes:{textwrap.indent(EITHER_FIRST, '  ')}\n"
  plain, step = defined(text), rtf.function(defined(text), verify=False)
  for _ in range(2):
    a, b = ([Leaf(1.0), Leaf(2.0), Leaf(0.5)] for _ in range(2))
    plain(a)
    step(b)
    assert [list(one.d.items()) for one in a] == [list(one.d.items()) for one in b]
