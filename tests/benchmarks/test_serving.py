"""Arms of the benchmark that do not agree are never timed."""

import numpy as np
import pytest

from benchmarks.serving import largest_difference

BATCHES = (1, 2)
EXPECTED = np.array([[0.25, 0.75], [0.5, 0.5]], np.float32)


def found(**others):
  return {"predict, 1": EXPECTED, "C++, 1": EXPECTED, **others}


def test_the_largest_difference_of_all_arms_is_said():
  other = EXPECTED + np.array([[0, 0], [0, 2**-22]], np.float32)
  assert largest_difference(found(), BATCHES) == 0
  assert largest_difference(found(**{"C++, 2": other}), BATCHES) == 2**-22


@pytest.mark.parametrize(
  "other",
  [EXPECTED[::-1], EXPECTED + np.float32(2e-6), EXPECTED[:1], EXPECTED * np.float32(np.nan)],
  ids=["another order", "too far", "too few", "not a number"],
)
def test_an_arm_that_does_not_agree_is_an_error(other):
  with pytest.raises(AssertionError, match=r"C\+\+, 2"):
    largest_difference(found(**{"C++, 2": other}), BATCHES)
