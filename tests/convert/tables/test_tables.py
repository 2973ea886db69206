"""Tables of weights, layers and functions, by what the run finds: every pair of levels."""

import pytest

from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD, INVALID
from tests.convert.matrix.covering import all_pairs, covering_rows, pairs_of
from tests.convert.tables.source import DIMENSIONS, generate

_ROWS = covering_rows(DIMENSIONS)
# Of the rows so many run as no graph at most: arrays that are written, tuples of a tf.Module.
_NUM_REFUSED = 12
_HOWS = ("alone", "verified")


def _run(number, folder, **options):
  return runner.run_text(generate(*_ROWS[number]), folder / f"tables_{number}.py", **options)


def test_every_pair_of_levels_occurs():
  assert set().union(*(pairs_of(row) for row in _ROWS)) == all_pairs(DIMENSIONS)


@pytest.mark.one_in(48)
@pytest.mark.parametrize("row", [f"{n} {how}" for n in range(len(_ROWS)) for how in _HOWS])
def test_a_program_of_the_matrix_does_what_python_does(row, tmp_path):
  number, verify = int(row.split()[0]), row.endswith("verified")
  report = _run(number, tmp_path, verify=verify)
  assert report.status not in (*BAD, INVALID), report.detail


@pytest.mark.slow
def test_most_programs_of_the_matrix_are_converted(tmp_path):
  reports = [_run(number, tmp_path, verify=False) for number in range(len(_ROWS))]
  refused = [row for row, report in zip(_ROWS, reports, strict=True) if not report.num_converted]
  assert len(refused) <= _NUM_REFUSED, refused
