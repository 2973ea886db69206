"""The rows of the matrix as jobs of the campaign that also runs random programs."""

from tests.convert.fuzz.campaign import Job, Limits
from tests.convert.matrix.covering import all_pairs, covering_rows
from tests.convert.matrix.levels import DIMENSIONS, SIMPLEST, Row
from tests.convert.matrix.source import generate

LIMITS = Limits(seconds=15.0)  # Of each program; of processor time.


def rows():
  """Returns the rows of the matrix."""
  all_levels = covering_rows(DIMENSIONS)
  return [Row(f"m{number:03}", levels) for number, levels in enumerate(all_levels)]


def rows_alone():
  """Returns a row for each pair of levels, with the simplest level of all other dimensions.

  In a row of the matrix a level that is refused hides what the converter makes of the others.
  """
  names, found = list(DIMENSIONS), {}
  for pair in sorted(all_pairs(DIMENSIONS)):
    levels = SIMPLEST | {names[number]: level for number, level in pair}
    found.setdefault(tuple(levels[name] for name in names))
  return [Row(f"a{number:04}", levels) for number, levels in enumerate(found)]


def make_jobs(rows, folder):
  """Writes the programs of rows into a folder and returns their jobs."""
  jobs = []
  for row in rows:
    path = folder / f"{row.label}.py"
    path.write_text(generate(row))
    jobs.append(Job(str(path), "", list(row.named())))
  return jobs
