"""Objects of dataclasses that a run makes are compared by their fields, however deep they lie."""

import dataclasses
import math

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, of_text


@dataclasses.dataclass(frozen=True)
class Name:
  """What has a name."""

  name: object


@dataclasses.dataclass(frozen=True)
class Pair:
  """Two of anything."""

  a: object
  b: object


@dataclasses.dataclass(frozen=True)
class Other(Pair):
  """Equals no pair."""


@dataclasses.dataclass(order=True)
class Noted:
  """One of anything, with a note that nobody compares."""

  a: object
  note: object = dataclasses.field(default=0, compare=False)


@dataclasses.dataclass(frozen=True)
class Asking(Pair):
  """A pair that says by itself what it equals."""

  def __eq__(self, other):
    return self is other


@dataclasses.dataclass(eq=False)
class Itself:
  """Equals itself alone."""

  a: object


_CLASSES = {kind.__name__: kind for kind in (Name, Pair, Other, Noted, Asking, Itself)}
# What is made of a leaf `e`, and of the parts `a` and `b` of `e`, which are made already.
LEAVES = {
  "old": "e",
  "name": "Name(e)",
  "name or old": 'Name(e) if e == "x" else e',
  "noted": "Noted(e, e)",
  "None or name": 'None if e == "x" else Name(e)',
}
MADE = {
  "pair": "Pair(a, b)",
  "pair or other": "Other(a, b) if e[0] == '+' else Pair(a, b)",
  "noted": "Noted(Pair(a, b), e[0])",
  "list": "Pair([a, b], e[0])",
  "tuple": "Pair((a, b), e[0])",
  "in a tuple": "(a, Pair(b, a))",
  "old or new": "a if a == b else Pair(a, b)",
}
ASKED = {
  "equal": "a == b",
  "unequal": "a != b",
  "turned": "Pair(a, b) == Pair(b, a)",
  "of tuples": "(a, b) == (b, a)",
  "member": "a in [b, Name('x')]",
  "count": "[a, b, a].count(a)",
  "to a new one": "a == Name('x')",
  "to the old": "(a == e[1], e[2] == b)",
  "of a field": "isinstance(a, Pair) and a.a == b",
  "to None": "(a == None, None != b)",
}


def _tree(leaves, depth, number=0):
  if depth == 0:
    return leaves[number % 3]
  first = _tree(leaves, depth - 1, number)
  return "+-*"[(number + depth) % 3], first, _tree(leaves, depth - 1, number + number * depth % 2)


def _check(made, asked, leaf, leaves=("x", "y", "x"), expect=None):
  text = f"""
def f(e, seen):
  if not isinstance(e, tuple):
    return {LEAVES.get(leaf, leaf)}
  a, b = f(e[1], seen), f(e[2], seen)
  seen.append({ASKED.get(asked, asked)})
  return {MADE.get(made, made)}
"""

  calls = [(_tree(leaves, depth, number), []) for number, depth in enumerate((3, 0, 2, 4))]
  return agrees(of_text(text, **_CLASSES), lambda: calls, expect)


@pytest.mark.parametrize("leaf", LEAVES)
@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("made", MADE)
def test_comparisons_are_pythons(made, asked, leaf):
  _check(made, asked, leaf)


@pytest.mark.parametrize("asked", ["equal", "turned", "member"])
@pytest.mark.parametrize("made", ["pair", "pair or other", "old or new"])
def test_are_converted(made, asked):
  _check(made, asked, "name", expect=CONVERTED)


@pytest.mark.parametrize(
  ("made", "leaf"), [("Asking(a, b)", "name"), ("Itself(a)", "name"), ("pair", "Itself(e)")]
)
def test_what_asks_which_object_it_is_is_left_to_python(made, leaf):
  _check(made, "equal", leaf, expect=_LEFT)


_LEFT = {Reason.MADE_OBJECT, Reason.UNSUPPORTED_OPERATION, Reason.CHECK_FAILED}


def test_order_of_made_objects_is_left_to_python():
  _check("Noted(a)", "a < b", "noted", leaves=("x", "y", "z"))


def test_a_nan_within_is_left_to_python():
  nan = math.nan
  _check("pair", "equal", "name", leaves=(nan, 1.5, nan))
  _check("pair", "equal", "name", leaves=(2.5, 1.5, 2.5), expect=CONVERTED)
