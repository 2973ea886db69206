"""What becomes of rows that are not converted wholly by themselves, and which pairs there are."""

from tests.convert.function.constructs import ROWS, pieces

REFUSED = {
  "except group": "syntax",
  "class in the function": "syntax",
  "coroutine": "syntax",
  "await": "syntax",
  "async for and async with": "syntax",
  "async comprehension": "syntax",
  "formatted string": "needs-value",
  "del of a slice": "syntax",
  "del of an attribute": "syntax",
}
PART = {
  "try and except": "calls that are caught",
  "except without a name": "calls that are caught",
  "gradient through a branch": "calls with a gradient of zeros",
}
_SIZE = 6  # Rows of a program.


def pairs():
  """Returns programs in which each pair of rows occurs that are converted."""
  return pieces.covering([name for name in ROWS if name not in REFUSED], _SIZE)


def pairs_of_refused():
  """Returns programs in which each row that is refused occurs with each other row."""
  refused = list(REFUSED)
  others = [name for name in ROWS if name not in REFUSED]
  return pieces.covering(refused, 16, others) + [tuple(refused)]
