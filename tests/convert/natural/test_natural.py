"""Programs as users write them: results, state, prints and exceptions are plain Python's.

Those in `users/` were written by somebody who knew only the documents. They take minutes, and so
do the others: one in three of these runs by default.
"""

import dataclasses
import pathlib

import pytest

from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD, INVALID
from tests.convert.natural import programs

_HERE = pathlib.Path(__file__).parent
# Programs that are not converted, or not in all calls; what is mended goes, and none comes.
_PLAIN = frozenset((_HERE / "not_converted.txt").read_text().split())


def _programs(folder, *marks):
  return [
    pytest.param(path, name, id=programs.label(path, name).replace(":", "-"), marks=marks)
    for path, name in programs.all_of(folder)
  ]


@pytest.mark.parametrize(
  ("path", "name"),
  [
    *_programs(_HERE, pytest.mark.one_in(8)),
    *_programs(_HERE / "users", pytest.mark.slow),
  ],
)
def test_program_agrees_with_python(path, name):
  report = runner.run(path, name, verify=True)
  assert report.status not in (*BAD, INVALID), report.detail
  found = programs.judged(dataclasses.asdict(report))
  is_plain = programs.label(path, name) in _PLAIN
  assert (found != programs.WHOLE) == is_plain, report.detail


def test_programs_that_are_not_converted_are_there():
  found = {programs.label(*one) for one in programs.all_of(_HERE, _HERE / "users")}
  assert found >= _PLAIN
