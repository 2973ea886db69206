"""Operators of strings that are None in other nodes."""

import pytest

from tests.convert.agreement import agrees, of_text

DONE = {
  "added_to": "'undefined ' + n.name",
  "added": "n.name + '!'",
  "two": "n.name + n.other",
  "of_a_call": "n.name + str(n.v)",
  "repeated": "n.name * 2",
  "repeated_by": "n.v * n.name",
  "formatted": "'%s' % n.name",
  "a_format": "n.name % n.v",
  "grown": "grown(n)",
  "number_added": "n.v + n.name",
}
PROGRAM = """
def grown(n):
  text = "x"
  text += n.name
  return text

def f(n, found):
  if n.kind == "use":
    {done}
  for kid in n.kids:
    f(kid, found)
"""
HOW = {
  "kept": "found.append({})",
  "unused": "{}",
  "tried": "try:\n      found.append({})\n    except TypeError:\n      found.append('none')",
}


class Node:
  def __init__(self, kind, name, *kids):
    self.kind, self.name, self.kids = kind, name, list(kids)
    self.v, self.other = len(kids) + 2, name


def _trees():
  some = Node("b", None, Node("use", "x"), Node("b", None, Node("use", "y")))
  none = Node("b", "b", Node("use", "%d"), Node("use", None))
  return [(t, []) for t in (Node("use", "a"), some, none, Node("use", None), some)]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("done", DONE)
def test_they_are_pythons(done, how):
  other = agrees(of_text(PROGRAM.format(done=HOW[how].format(DONE[done]))), _trees)
  assert other.stats.num_converted_runs or done in ("a_format", "number_added") or how == "tried"
