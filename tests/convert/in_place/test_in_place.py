"""What is changed in place where only the run knows which object it is, and what goes with it.

Each program is compared with plain Python call by call: results, state, identity, prints, errors.
"""

import dataclasses
import pathlib

import pytest

from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD, INVALID
from tests.convert.natural import programs

_HERE = pathlib.Path(__file__).parent
# Programs that are not converted, or not in all calls in which Python raises nothing.
_PLAIN = frozenset((_HERE / "not_converted.txt").read_text().split())


def _label(path, name):
  return f"{path.stem}:{name}"


_PROGRAMS = programs.all_of(_HERE / "programs")


@pytest.mark.one_in(100)
@pytest.mark.parametrize(
  ("path", "name"),
  [pytest.param(path, name, id=_label(path, name)) for path, name in _PROGRAMS],
)
def test_program_agrees_with_python(path, name):
  report = runner.run(path, name, verify=True)
  assert report.status not in (*BAD, INVALID), report.detail
  found = programs.judged(dataclasses.asdict(report))
  assert (found != programs.WHOLE) == (_label(path, name) in _PLAIN), report.detail


def test_programs_that_are_not_converted_are_there():
  assert {_label(path, name) for path, name in _PROGRAMS} >= _PLAIN
