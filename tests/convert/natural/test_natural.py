"""Programs as users write them: results, state, prints and exceptions are plain Python's."""

import pathlib
import re

import pytest

from tests.convert.fuzz import runner
from tests.convert.fuzz.report import BAD, INVALID

# Where comparing with plain Python has to step in. Whoever mends one takes it out.
_KNOWN = {
  "expressions-bst_range": "an argument that is appended to and returned is another list",
  "expressions-bst_vertical": "lists in a dict that are appended to stay empty",
  "trees_write-levels_list": "lists in a list that are appended to stay empty",
  "trees_write-default_list": "a default value that is appended to is not kept",
  "trees_write-class_counter": "a class attribute that is added to is not kept",
  "trees_write-return_state": "an error of ours in the conversion",
}


def _parameters():
  for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
    for name in re.findall(r"^def build_(\w+)\(", path.read_text(), re.MULTILINE):
      label = f"{path.stem}-{name}"
      known = _KNOWN.get(label)
      marks = [pytest.mark.xfail(strict=True, reason=known)] if known else []
      yield pytest.param(path, name, id=label, marks=marks)


@pytest.mark.parametrize(("path", "name"), _parameters())
def test_program_agrees_with_python(path, name):
  report = runner.run(path, name, verify=True)
  assert report.status not in (*BAD, INVALID), report.detail
