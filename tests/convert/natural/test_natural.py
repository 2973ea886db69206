"""Programs as users write them: results, state, prints and exceptions are plain Python's."""

import pathlib
import re

import pytest

from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD, INVALID

_PROGRAMS = [
  pytest.param(path, name, id=f"{path.stem}-{name}")
  for path in sorted(pathlib.Path(__file__).parent.glob("*.py"))
  for name in re.findall(r"^def build_(\w+)\(", path.read_text(), re.MULTILINE)
]


@pytest.mark.parametrize(("path", "name"), _PROGRAMS)
def test_program_agrees_with_python(path, name):
  report = runner.run(path, name, verify=True)
  assert report.status not in (*BAD, INVALID), report.detail
