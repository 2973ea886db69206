"""Random training steps mean under `rtf.function` what they mean without."""

import pytest

from tests.convert.function import random_steps

QUICK = (0, 1, 4, 5)


@pytest.mark.parametrize(
  "seed", [pytest.param(seed, marks=[pytest.mark.slow] * (seed not in QUICK)) for seed in range(60)]
)
def test_a_random_step_means_what_it_means_in_plain_python(seed):
  text, report = random_steps.compared(seed)
  assert report.difference is None, f"{report.difference}\n{text}\n{report.explanation}"


def test_a_seed_gives_one_program():
  assert random_steps.program(7) == random_steps.program(7) != random_steps.program(8)
