"""Floats beside all else in lists and dicts that are compared; a NaN is found by its identity."""

import math

import numpy as np
import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, of_two

# What is asked of two lists.
ASKED = {
  "equal": lambda f, a, b: a == b,
  "unequal": lambda f, a, b: a != b,
  "member": lambda f, a, b: [x in b for x in a],
  "of tuples": lambda f, a, b: (a[0], a[-1]) == (b[0], b[-1]),
  "of pairs": lambda f, a, b: [1 for x, y in zip(a, b, strict=False) if (x,) != (y,)],
  "of dicts": lambda f, a, b: {i: x for i, x in enumerate(a)} == {i: x for i, x in enumerate(b)},
}
# What lists hold beside 0.5 and 2.5.
BESIDE = {
  "int": (1, 2),
  "truth": (True, 1),
  "None": (None, 0.0),
  "word": ("x", "0.5"),
  "word or None": ("x", None),
  "list": ([0.5], []),
  "dict": ({"a": 0.5}, {}),
  "list or None": ([2.5], None),
  "tuple": ((0.5, 1), (1,)),
  "float": (0.0, -0.0),
}


def _calls(x, y, last=0.5):
  """Makes pairs of lists that are equal, differ in a float, or in another one, or in length."""

  def make():
    lists = [x, 0.5, y, last], [x, 2.5, y, last], [y, 0.5, y, last], [x, 0.5, y, last]
    yield from ((lists[0], other) for other in lists[1:])
    yield lists[0], [x, 0.5]
    yield {"a": x, "b": 0.5}, {"a": x, "b": 0.5}
    yield {"a": x, "b": 0.5}, {"a": x, "b": y}

  return make


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("beside", BESIDE)
def test_floats_beside_all_else_are_compared(asked, beside):
  calls = _calls(*BESIDE[beside])
  lists = [args for args in calls() if isinstance(args[0], list)]
  agrees(of_two(ASKED[asked]), lambda: lists, CONVERTED)


@pytest.mark.parametrize("beside", BESIDE)
def test_dicts_with_floats_are_compared(beside):
  dicts = [args for args in _calls(*BESIDE[beside])() if isinstance(args[0], dict)]
  agrees(of_two(ASKED["equal"]), lambda: dicts, CONVERTED)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("beside", BESIDE)
def test_a_nan_is_left_to_python(asked, beside):
  nan = math.nan

  def calls():
    yield from (args for args in _calls(*BESIDE[beside], nan)() if isinstance(args[0], list))
    yield [nan, *BESIDE[beside]], [float("nan"), *BESIDE[beside]]

  agrees(of_two(ASKED[asked]), calls)


class Held:
  """What has a value."""

  def __init__(self, v):
    self.v = v


@pytest.mark.parametrize(
  "asked", [lambda f, a, b: (a.v,) == (b.v,), lambda f, a, b: a.v in [b.v, 1]]
)
@pytest.mark.parametrize("kind", [np.float32, np.float64, np.array, lambda x: np.array([x])])
def test_numpys_nan_is_left_to_python(asked, kind):
  nan = kind(math.nan)
  agrees(of_two(asked), lambda: [(Held(nan), Held(nan))], Reason.CHECK_FAILED)
  agrees(of_two(asked), lambda: [(Held(kind(1.5)), Held(kind(1.5)))], CONVERTED)
