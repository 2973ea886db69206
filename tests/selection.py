"""Which cases of large matrices run by default, and which tests begin first.

`@pytest.mark.one_in(n)` above the parameters of a test: about one case in n runs with `make test`,
always the same ones, and together they have each value of a parameter that several cases share.
The others are marked slow: `make test-slow` runs them, as does asking for a case by its id.

The converter has more than a thousand tests, many of hundreds of programs that somebody could
write, and a case takes a third of a second: of each of these tests one case runs, unless it is
marked.

`@pytest.mark.long`: takes so long that the end of a run would wait for it, had it not begun first.
"""

import collections
import re
import zlib

import pytest

_CONVERTER = "tests/convert/"
_NO_PROGRAMS = "tests/convert/syntax/"


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
    marker = next(iter(cases.values())).get_closest_marker("one_in")
    if marker is not None:
      levels = {name: _levels(item) for name, item in cases.items()}
      left = chosen(levels, -(-len(cases) // marker.args[0]))
    elif test.startswith(_CONVERTER) and not test.startswith(_NO_PROGRAMS):
      left = [min(cases, key=_drawn)]
    else:
      continue
    for name in cases.keys() - set(left):
      cases[name].add_marker(pytest.mark.slow)


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
  waiting = sorted(levels, key=_drawn)
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


def _drawn(name):
  """Returns where a case is in an order that is always the same, and no other."""
  return zlib.crc32(name.encode()), name


def _levels(item):
  """Returns the parameters of a test with their values, in a form that can be compared."""
  return {(name, *_comparable(value)) for name, value in item.callspec.params.items()}


def _comparable(value):
  try:
    hash(value)
  except (TypeError, ValueError):  # The latter by a memoryview.
    return id(value), "by identity"
  return value, type(value)
