"""What NumPy computes of arrays that only the run knows: type, shape, value or exception."""

import random
import re
import types
import warnings

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, bushy, lopsided, of_one
from tests.convert.arrays.expressions import GROUPS
from tests.convert.arrays.values import KINDS, PLACES, SHAPES, is_same, node, outcome
from tests.convert.compiled import compiled

G = np.array([1.0, -2.0, 3.0])
_FAULTS = Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED


def compare(expression, place, kind, shape, wild=False, other=None):
  """Compares three calls; returns how many ran as a graph, and how many should have."""
  plain = compiled(PLACES[place].format(expression), "f", np=np, tf=tf, G=G)
  function = rtf.recursive(plain, verify=False)
  num_plain = 0
  for call in range(3):
    ours, theirs = (node(f"{expression}{call}", kind, shape, wild, other) for _ in range(2))
    expected = outcome(plain, theirs, theirs.a, theirs.b)
    got = outcome(function, ours, ours.a, ours.b)
    assert is_same(expected, got), (expression, ours.a, ours.b, ours.k, ours.f, expected, got)
    num_plain += isinstance(expected, BaseException)
  assert not any(function.stats.fallbacks.get(fault) for fault in _FAULTS), function.explain()
  return function.stats.num_converted_runs, 3 - num_plain


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("group", GROUPS)
def test_expressions_of_each_kind(group, kind, place):
  draw = random.Random(f"{group}{kind}{place}")
  for expression in draw.sample(GROUPS[group], 6):
    shape = draw.choice([*SHAPES.values()])
    other = draw.choice([None, *KINDS.values()])
    compare(expression, place, KINDS[kind], shape, kind.startswith("float"), other)


# What NumPy warns of, or may warn of, with such arrays; and views of arrays of the heap.
_LEFT_TO_PYTHON = re.compile(
  r"/|%|\*\*|remainder|sqrt|log|x\.T|x\.ravel|reshape|\[1:\]|\[::-1\]|None|\.\.\.|x\[:, 0"
  r"|for v in x|list\(x| or 5"
)


@pytest.mark.parametrize("group", GROUPS)
def test_most_is_a_graph(group):
  usual = [text for text in GROUPS[group] if not _LEFT_TO_PYTHON.search(text)]
  for expression in random.Random(group).sample(usual, 8):
    found = [compare(expression, "attribute", np.float64, shape) for shape in ((3,), (3, 3))]
    if any(wanted for _, wanted in found):
      assert any(converted for converted, _ in found), expression


def test_arrays_of_children_are_added_up_in_order():
  def total(f, n):
    return n.v * G * 0.1 + sum((f(kid) for kid in n.kids), np.zeros(3))

  function = agrees(of_one(total), lambda: [(bushy(),), (lopsided(),)], expect=CONVERTED)
  assert np.array_equal(function(bushy()), function.python(bushy()))  # To the last digit.


def test_the_median_of_nothing_fails_the_run():
  function = rtf.recursive(lambda n: np.median(n.a[n.a > 1.0]), verify=False)
  for values in ([1.0, 2.0, 5.0], [2.0], [], [0.5]):
    given = types.SimpleNamespace(a=np.array(values))
    with warnings.catch_warnings():
      warnings.simplefilter("ignore")
      assert str(function(given)) == str(function.python(given))
  assert set(function.stats.fallbacks) == {Reason.CHECK_FAILED}, function.explain()
