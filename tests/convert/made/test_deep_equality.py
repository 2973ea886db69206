"""What a run makes is compared with what it makes, however deep one lies in the other."""

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_text

# What `f` gives of a nested tuple or list `e` whose parts are already `a` and `b`.
MADE = {
  "tuple": "(op, a, b)",
  "list": "[op, a, b]",
  "turned": "(op, b, a)",
  "old or new": "e if a == e[1] and b == e[2] else (op, a, b)",
  "number or new": '0 if op == "-" and a == b else (op, a, b)',
  "other numbers": '(1.0 if op == "+" else True) if a == b else (op, a, b)',
  "None or new": "None if a == b else (op, a, b)",
  "called again": 'f(("*", 2, a), seen) if op == "+" and a == b else (op, a, b)',
}
# What is asked of them.
ASKED = {
  "equal": "a == b",
  "unequal": "a != b",
  "to the old": "a == e[1]",
  "to a display": '(op, a) == ("+", b)',
  "of lists": "[a, [b]] == [b, [a]]",
  "member": "a in [b, e[1]]",
  "no member": "a not in (b, op)",
  "place": "[op, b, a].index(a)",
  "count": "[a, b, e[1], 0].count(a)",
  "to numbers": "(a == 0, 1 == b, a == 1.0, a != True)",
  "to text": '(a == "x", "y" != b)',
  "to None": "(a == None, b is None)",
}
LEAVES = {
  "words": ("x", "y", "x"),
  "numbers": (1, 0, 1.0),
  "numbers and words": ("x", 2, "x"),
  "truths": (True, 1, "x"),
  "mixed": (0, 1.5, None),
}


def _tree(leaves, depth, number=0):
  if depth == 0:
    return leaves[number % 3]
  first = _tree(leaves, depth - 1, number)
  return "+-*"[(number + depth) % 3], first, _tree(leaves, depth - 1, number + number * depth % 2)


def _calls(leaves):
  return [(_tree(leaves, depth, number), []) for number, depth in enumerate((3, 0, 2, 4))]


def _check(made, asked, leaves, expect=None):
  text = f"""
def f(e, seen):
  if not isinstance(e, tuple):
    return e
  op, a, b = e[0], f(e[1], seen), f(e[2], seen)
  seen.append({ASKED[asked]})
  return {MADE[made]}
"""

  return agrees(of_text(text), lambda: _calls(LEAVES[leaves]), expect)


@pytest.mark.slow
@pytest.mark.parametrize("leaves", LEAVES)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("made", MADE)
def test_comparisons_are_pythons(made, asked, leaves):
  _check(made, asked, leaves)


@pytest.mark.parametrize("made", ["tuple", "old or new", "called again"])
def test_are_converted(made):
  _check(made, "equal", "words", expect=CONVERTED)
