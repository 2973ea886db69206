"""Which Python floats of a run and of plain Python are taken for the same."""

import math

import numpy as np
import pytest

from recursive_tf.convert.validation._compare import Comparison, Difference
from recursive_tf.convert.validation._state import Snapshot

SINGLE = float(np.float32(0.043006140738725))
NEXT = float(np.nextafter(np.float32(SINGLE), np.float32(1.0)))


def _are_same(a, b):
  comparison = Comparison(Snapshot([]), is_random=False)
  try:
    comparison.check(a, b, "x")
  except Difference:
    return False
  return True


@pytest.mark.parametrize(
  ("a", "b"), [(SINGLE, NEXT), (1.0, 1.0 + 1e-10), (0.1, 0.1), (math.nan, math.nan), (0.0, -0.0)]
)
def test_last_digits_may_differ(a, b):
  assert _are_same(a, b) and _are_same(b, a)


@pytest.mark.parametrize(
  ("a", "b"),
  [
    (SINGLE, SINGLE * 1.001),  # Not of 32 bits.
    (SINGLE, float(np.float32(SINGLE * 1.01))),
    (0.1, 0.1000001),
    (0.5, 0.5 + 2.0**-20),
    (3.0, 3.0 + 2.0**-20),
    (SINGLE, math.nan),
    (SINGLE, math.inf),
    (SINGLE, 0),
    (1e300, float(np.float32(1e30))),
  ],
)
def test_other_floats_are_others(a, b):
  assert not _are_same(a, b) and not _are_same(b, a)
