"""Objects that are put somewhere first, and then changed under the name that they have."""

import pytest

from tests.convert.agreement import agrees, of_text


class Node:
  def __init__(self, name, *kids):
    self.name, self.kids, self.marks, self.v = name, list(kids), 0, len(kids)


CHANGED = {
  "list": "copy.kids.append(f(kid, memo))",
  "attribute": "copy.marks += len(f(kid, memo).kids) + 1",
  "both": "copy.marks += 1\n    copy.kids.append(f(kid, memo))",
  "replaced": "copy.kids = copy.kids + [f(kid, memo)]",
  "by_a_method": "copy.kids.insert(0, f(kid, memo))",
  "named_by_it": "copy.name = copy.name + f(kid, memo).name",
}
READ = {
  "it": "copy",
  "its_list": "copy.kids",
  "length": "len(copy.kids)",
  "marks": "copy.marks",
}
KNOWN_BY = {"name": "n.name", "object": "n", "both": "(n.name, n.v)"}
PROGRAM = """
def f(n, memo):
  if {key} in memo:
    return memo[{key}]
  copy = Node(n.name.upper())
  memo[{key}] = copy
  n.marks += 1
  for kid in n.kids:
    {changed}
  return copy

def g(n):
  copy = f(n, {{}})
  return {read}
"""


def _graphs():
  shared = Node("d")
  diamond = Node("a", Node("b", shared), Node("c", shared), shared)
  loop = Node("a")
  loop.kids.append(Node("b", loop))
  return [(one, {}) for one in (Node("a"), diamond, loop, Node("x", Node("y"), Node("z")), diamond)]


@pytest.mark.parametrize("key", KNOWN_BY)
@pytest.mark.parametrize("changed", CHANGED)
def test_copies_known_by_what_they_are_of_are_pythons(changed, key):
  text = PROGRAM.format(key=KNOWN_BY[key], changed=CHANGED[changed], read="copy")
  other = agrees(of_text(text, Node=Node), _graphs)
  assert other.stats.num_converted_runs


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("changed", CHANGED)
def test_what_is_read_of_them_later_is_pythons(changed, read):
  text = PROGRAM.format(key="id(n)", changed=CHANGED[changed], read=READ[read])
  text = text.replace("f(", "inner(").replace("def g(n)", "def f(n, _)")
  agrees(of_text(text, Node=Node), _graphs)
