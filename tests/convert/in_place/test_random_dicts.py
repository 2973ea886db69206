"""Dicts of nodes, and of the program, changed by keys of the run: random programs, not verified."""

import pytest

from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD, INVALID
from tests.convert.in_place.random_dicts import program

_NUM_PROGRAMS = 120


@pytest.mark.parametrize("seed", range(_NUM_PROGRAMS))
def test_a_random_program_does_what_python_does(seed, tmp_path):
  report = runner.run_text(program(seed), tmp_path / f"dicts_{seed}.py", verify=False)
  assert report.status not in BAD, report.detail
  is_raising = "Error" in report.detail or "always raises" in report.detail
  assert report.status != INVALID or is_raising, report.detail
