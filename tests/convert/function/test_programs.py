"""Every program means under `rtf.function` what it means without; a sixth of them by default."""

import zlib

import pytest

from tests.convert.function import harness
from tests.convert.function.programs import all_programs


def _parameters():
  for name, make in all_programs().items():
    # A hash that is the same in each process, so that the choice is, too.
    marks = [] if zlib.crc32(name.encode()) % 6 == 0 else [pytest.mark.slow]
    yield pytest.param(name, make, id=name, marks=marks)


@pytest.mark.parametrize("name, make", list(_parameters()))
def test_program_means_what_it_means_in_plain_python(name, make):
  report = harness.run(name, make)
  assert report.difference is None, f"{report.difference}\n{report.explanation}"
