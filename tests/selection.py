"""Which cases of large matrices run by default, and which tests begin first.

`@pytest.mark.one_in(n)` above the parameters of a test: about one case in n runs with `make test`,
always the same ones, and together they have each value of a parameter that several cases share.
The others are marked slow: `make test-slow` runs them, as does asking for a case by its id. Tests
of the converter, each of which converts a program or several, are so with n = 6 if they have two
parameters or more and do not say otherwise: together their cases are half of all tests' time.

`@pytest.mark.long`: takes so long that the end of a run would wait for it, had it not begun first.
"""

import collections
import re
import zlib

import pytest

_THINNED_OUT = "tests/convert/"
_ONE_IN = 6
_FEW = 6  # Cases of which none is left out.


def refuse_addresses(items):
  """Raises where a test is named by an address: processes that share the work need equal names."""
  named = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]+", item.nodeid)]
  if named:
    raise pytest.UsageError(
      f"{named[0]} and {len(named) - 1} more tests are named by an address in memory, which is "
      "another in each process: give the parameters `ids`"
    )


def thin_out(items):
  """Marks as slow what `one_in` leaves out of the tests."""
  matrices = collections.defaultdict(dict)
  for item in items:
    if hasattr(item, "callspec") and item.get_closest_marker("slow") is None:
      matrices[item.nodeid.partition("[")[0]][item.nodeid] = item
  for test, cases in matrices.items():
    n = _one_in(test, list(cases.values()))
    if n == 1:
      continue
    levels = {name: _levels(item) for name, item in cases.items()}
    for name in cases.keys() - set(chosen(levels, -(-len(cases) // n))):
      cases[name].add_marker(pytest.mark.slow)


def _one_in(test, cases):
  """Returns of how many cases of a test one is to run."""
  marker = cases[0].get_closest_marker("one_in")
  if marker is not None:
    return marker.args[0]
  is_matrix = len(cases) >= _FEW and len(cases[0].callspec.params) > 1
  return _ONE_IN if test.startswith(_THINNED_OUT) and is_matrix else 1


def long_first(items):
  """Moves what takes long to the front."""
  items.sort(key=lambda item: item.get_closest_marker("long") is None)


def chosen(levels, number):
  """Returns the names of `number` cases, or of more if not each level occurs among as many.

  A level that only one case has is no level of a matrix. The choice depends on nothing but the
  arguments: processes that share the work agree on it.

  Args:
    levels: for each case its set of levels, by its name.
    number: how many cases are wanted.
  """
  waiting = sorted(levels, key=lambda name: (zlib.crc32(name.encode()), name))
  counts = collections.Counter(level for of_case in levels.values() for level in of_case)
  missing = {level for level, count in counts.items() if count > 1}
  found = []
  while missing or len(found) < number:
    # The first of those that add most; any, once nothing is missing.
    best = max(waiting, key=lambda name: len(levels[name] & missing))
    waiting.remove(best)
    missing -= levels[best]
    found.append(best)
  return found


def _levels(item):
  """Returns the parameters of a test with their values, in a form that can be compared."""
  return {(name, *_comparable(value)) for name, value in item.callspec.params.items()}


def _comparable(value):
  try:
    hash(value)
  except TypeError:
    return id(value), "by identity"
  return value, type(value)
