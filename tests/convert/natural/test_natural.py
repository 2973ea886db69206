"""Programs as users write them: results, state, prints and exceptions are plain Python's.

Those in `users/` were written by somebody who knew only the documents. They take minutes, and so
do the others: one in three of these runs by default.
"""

import pathlib
import re

import pytest

from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD, INVALID

_HERE = pathlib.Path(__file__).parent


def _programs(folder, *marks):
  return [
    pytest.param(path, name, id=f"{path.stem}-{name}", marks=marks)
    for path in sorted(folder.glob("*.py"))
    for name in re.findall(r"^def build_(\w+)\(", path.read_text(), re.MULTILINE)
  ]


@pytest.mark.parametrize(
  ("path", "name"),
  [
    *_programs(_HERE, pytest.mark.one_in(3)),
    *_programs(_HERE / "users", pytest.mark.slow),
  ],
)
def test_program_agrees_with_python(path, name):
  report = runner.run(path, name, verify=True)
  assert report.status not in (*BAD, INVALID), report.detail
