"""Lists and dicts that a condition chooses, and that are changed at once."""

import itertools

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, bushy, lopsided, root
from tests.convert.syntax.lowering import defined

CHOSEN = {
  "expression": "t = {a} if {test} else {b}\n  t.append(n.v)",
  "statement": "if {test}:\n    t = {a}\n  else:\n    t = {b}\n  t.append(n.v)",
  "at once": "({a} if {test} else {b}).append(n.v)",
  "one list": "t = {a} if {test} else {a}\n  t.append(n.v)",
  "two changes": "t = {a} if {test} else {b}\n  t.append(n.v)\n  {a}.append(7)\n  t.append(1)",
  "in a loop": "for k in n.kids:\n    ({a} if k.v < 4 else {b}).append(k.name)",
  "another name": "t = {a} if {test} else {b}\n  {a}.append(5)\n  t.append(len(t))",
}
TESTS = {"of the run": "n.v % 2", "known": "True", "of a loop": "len(n.kids) > 1"}
WHERE = {
  "own": ("", "a, b = [], []\n  {change}\n  return a, b, [f(k) for k in n.kids]"),
  "passed down": (
    ", a, b",
    "{change}\n  for k in n.kids:\n    f(k, a, b)\n  return len(a), len(b)",
  ),
  "from below": (
    "",
    "a, b = [], []\n  {change}\n  for k in n.kids:\n    c, d = f(k)\n    a += c\n    b += d\n"
    "  return a, b",
  ),
}
ROWS = list(itertools.product(CHOSEN, TESTS, WHERE))


def _source(chosen, test, where):
  parameters, body = WHERE[where]
  change = CHOSEN[chosen].format(a="a", b="b", test=TESTS[test])
  return f"def f(n{parameters}):\n  {body.format(change=change)}\n"


def _agrees(text, where, expect):
  def build(recursive):
    cells = {}
    function = defined(text)
    function.__globals__["f"] = cells["f"] = recursive(function)
    return cells["f"]

  def calls():
    lists = ([], []) if where == "passed down" else ()
    return [(tree, *lists) for tree in (root(), bushy(), lopsided(), root())]

  return agrees(build, calls, expect)


@pytest.mark.parametrize(("chosen", "test", "where"), ROWS)
def test_as_in_python(chosen, test, where):
  names = chosen == "in a loop" and where == "passed down"  # Names beside ints.
  kept = chosen == "another name"
  expect = None if names or kept else CONVERTED
  _agrees(_source(chosen, test, where), where, expect)


def test_what_is_chosen_and_changed_later_is_refused():
  text = (
    "def f(n):\n  a, b = [], []\n  t = a if n.v % 2 else b\n  for k in n.kids:\n"
    "    t.append(k.v)\n  return a, b\n"
  )
  _agrees(text, "own", Reason.SHARED_CONTAINER)
