"""Arrays of a type that is asked for: what does not fit raises, or wraps around in arrays."""

import math
import random

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.arrays.values import is_same, outcome
from tests.convert.compiled import compiled

_FAULTS = Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED
_INTS = 5, 2**31 + 7, -(2**31) - 1, 2**60 + 2**36 + 1, 2**31 - 1, -1, 0, 2**53 + 1
_FLOATS = 1.5, 3e9, math.nan, 1e39, -3.7, 2.0**31, 1e20, math.inf, 2147483647.5
_TYPES = "np.int32|np.int64|np.float32|np.float64|bool|int|float|'int32'|np.uint8|None".split("|")
_VALUES = """n.i|n.x|n.b|n.s|n.sx|n.a[1]|n.ax[0]|n.a.sum()|n.i * 2|-n.i|n.i if n.b else n.s
n.x if n.b else n.sx""".replace("\n", "|").split("|")
_LISTS = """[{v}]|[{v}, 1]|[[{v}], [2]]|({v}, 0.5)|[{v} for _ in range(2)]|[{v} for _ in n.kids]
[n.a, n.a]|[n.a, [{v}, 1]]|n.a|n.ax|[k.i for k in n.kids]|[k.s for k in n.kids]
[k.a for k in n.kids]|[k.x for k in n.kids]|[{v}, n.s]|[np.array({v})]|[k.i * 2 for k in n.kids]
list(n.a)|[{v}] + [3]|[{v}, None]""".replace("\n", "|").split("|")
_EXPRESSIONS = """np.array({l}, {d})|np.array({l}, dtype={d})|np.asarray({l}, {d})
np.array({v}, {d})
np.array({l}).astype({d})|np.full(2, {v}, {d})|np.full((2, 1), fill_value={v}, dtype={d})
np.full_like(n.a32, {v})|np.full_like(n.a, {v}, {d})|np.full_like(n.ax, {v}, np.float32)
np.zeros_like(n.a32) + {v}|np.ones_like(n.a, {d}) * {v}|np.int32({v})|np.int64({v})|np.float32({v})
np.maximum(n.a32, {v})|np.power(n.a32, {v})|np.where(n.a32 > 1, n.a32, {v})|np.clip(n.a32, 0, {v})
np.concatenate([n.a32, {l}])|np.arange({v}, {v} + 2, dtype={d})|n.a32 == {v}|np.zeros(2, {d}) + {v}
np.array([{l}, {l}], {d})""".replace("\n", "|").split("|")
_USES = [
  "def f(n):\n  return {}\n",
  "def f(n):\n  x = {}\n  return [tf.convert_to_tensor(x)] + [f(k) for k in n.kids]\n",
  "def f(n):\n  {}\n  return 1 + sum(f(k) for k in n.kids)\n",
  "def f(n):\n  try: x = {}\n  except (OverflowError, ValueError): return -1\n  return x.shape\n",
]


class Node:
  """A node with Python's numbers, NumPy's, arrays of both and children."""

  def __init__(self, number, real, truth, *kids):
    self.i, self.x, self.b, self.kids = number, real, truth, list(kids)
    self.s, self.sx = np.int64(number), np.float64(real)
    self.a, self.ax = np.array([1, number]), np.array([real, 0.5])
    self.s2 = [1, 2]
    self.a32 = np.array([1, 2], np.int32)


def _compare(source, calls):
  plain, given = (compiled(source, "f", np=np, tf=tf) for _ in range(2))
  function = rtf.recursive(given, verify=False)
  for one, *others in calls:
    ours, theirs = (Node(*one, *(Node(*other) for other in others)) for _ in range(2))
    with np.errstate(all="ignore"):
      expected, found = outcome(plain, theirs), outcome(function, ours)
    assert is_same(expected, found), (source, one, others, expected, found)
  assert not any(function.stats.fallbacks.get(fault) for fault in _FAULTS), function.explain()
  return function


@pytest.mark.parametrize("expression", _EXPRESSIONS)
@pytest.mark.parametrize("use", range(len(_USES)))
def test_what_does_not_fit_is_as_in_numpy(expression, use):
  draw = random.Random(f"{expression}{use}")
  for _ in range(4):
    value = draw.choice(_VALUES)
    made = expression.format(v=value, l=draw.choice(_LISTS).format(v=value), d=draw.choice(_TYPES))
    calls = [[(3, 0.5, True)] * 3] * 2
    for _ in range(5):
      calls.append([(draw.choice(_INTS), draw.choice(_FLOATS), draw.random() < 0.5)] * 3)
    _compare(_USES[use].format(made), calls)


@pytest.mark.parametrize(
  "expression",
  [
    *("np.array([n.i, 1], np.int32)", "np.array([n.i], dtype='int32')", "np.array(n.i, np.int32)"),
    *("np.full(2, n.i, np.int32)", "np.full_like(n.a32, n.i)", "np.asarray([[n.i]], np.int32)"),
    *("np.array([n.i for _ in n.s2], np.int32)", "np.array([n.s], np.int32)"),
    *("np.array([n.s for _ in n.s2], np.int32)", "np.array((n.i, 0.5), np.int32)"),
  ],
)
def test_an_int_that_does_not_fit_fails_the_run(expression):
  calls = [[(number, 0.5, True)] * 2 for number in (3, 2**31 + 7, 3, -(2**31) - 1, 5)]
  for use in _USES[1:3]:
    function = _compare(use.format(expression), calls)
    assert set(function.stats.fallbacks) == {Reason.CHECK_FAILED}, function.explain()
    assert function.stats.num_converted_runs == 3, function.explain()


@pytest.mark.parametrize(
  "expression",
  [
    *("np.array(n.a, np.int32)", "np.asarray(n.a, np.int32)", "n.a.astype(np.int32)"),
    *("np.array(n.s, np.int32)", "np.full(2, n.s, np.int32)", "np.full_like(n.a32, n.s)"),
    *("np.array([n.a, n.a], np.int32)", "np.int32(n.s)", "np.array([n.s], np.float32)"),
    "np.array([k.a for k in n.kids], np.int32)",
  ],
)
def test_what_numpy_casts_is_cast_by_the_graph(expression):
  calls = [[(number, 0.5, True), (3, 0.5, True)] for number in (3, *_INTS)]
  source = f"def f(n):\n  return tf.convert_to_tensor({expression})\n"
  function = _compare(source, calls)
  assert not function.stats.fallbacks, function.explain()


@pytest.mark.parametrize("expression", ["np.array([n.i], np.float32)", "np.float32(n.i)"])
def test_an_int_of_python_is_a_double_before_it_is_less(expression):
  calls = [[(number, 0.5, True)] for number in (3, 5, *_INTS)]
  _compare(f"def f(n):\n  return tf.convert_to_tensor({expression})\n", calls)


def test_arrays_of_objects_are_plain_pythons():
  for expression in ("np.array([None])", "np.full(2, n.none)", "np.array([n.none, 1.0])"):
    source = f"def f(n):\n  x = {expression}\n  return [x] + [f(k) for k in n.kids]\n"
    function = rtf.recursive(compiled(source, "f", np=np), verify=False)
    node = Node(3, 0.5, True, Node(3, 0.5, True))
    node.none = node.kids[0].none = None
    (first, (second,)) = function(node)
    assert first.dtype == second.dtype == object
    assert set(function.stats.fallbacks) == {Reason.UNSUPPORTED_OPERATION}, function.explain()


def test_a_number_of_python_or_numpy_beside_a_smaller_array_is_plain_pythons():
  for expression in ("np.maximum(n.a32, n.i if n.b else n.s)", "n.a32 + (n.i if n.b else n.s)"):
    _compare(_USES[0].format(expression), [[(3, 0.5, truth)] for truth in (True, False, True)])
