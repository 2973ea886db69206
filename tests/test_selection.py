"""The choice among the cases of a matrix: always the same, with each level, and nothing lost."""

import collections
import itertools
import types

import pytest

from tests.selection import chosen, long_first, refuse_addresses, thin_out

ROWS, COLUMNS = range(12), "abcdefg"
MATRIX = {
  f"test[{row}-{column}]": {("row", row), ("column", column)}
  for row, column in itertools.product(ROWS, COLUMNS)
}


class Item:
  """A test as pytest collects it, as far as it is looked at."""

  def __init__(self, nodeid, params, *marks):
    self.nodeid, self.callspec = nodeid, types.SimpleNamespace(params=params)
    self.marks = {mark.name: mark.mark for mark in marks}

  def get_closest_marker(self, name):
    return self.marks.get(name)

  def add_marker(self, mark):
    self.marks[mark.name] = mark.mark


def items_of(test, *marks, **params):
  """Returns the tests of a matrix, of which one in three is to run unless marks are given."""
  rows = [dict(zip(params, values, strict=True)) for values in itertools.product(*params.values())]
  marks = marks or (pytest.mark.one_in(3),)
  return [Item(f"{test}[{n}]", row, *marks) for n, row in enumerate(rows)]


def ran(items):
  return [item for item in items if item.get_closest_marker("slow") is None]


@pytest.mark.parametrize("number", [0, 1, 20, 84])
def test_each_level_occurs_among_those_chosen(number):
  found = chosen(MATRIX, number)
  assert set().union(*(MATRIX[name] for name in found)) == set().union(*MATRIX.values())
  assert len(found) == len(set(found)) == max(number, len(ROWS))


def test_the_choice_is_the_same_whatever_the_order_and_the_process():
  assert chosen(dict(reversed(MATRIX.items())), 20) == chosen(MATRIX, 20)
  assert chosen({name: {name} for name in "abcdefgh"}, 3) == ["g", "c", "b"]


def test_what_is_left_out_is_slow_and_tests_do_not_share_their_choice():
  items = [*items_of("a", x=range(5), y=range(6)), *items_of("b", x=range(2), y=range(6))]
  plain = Item("c", {})
  thin_out([*items, plain])
  assert [sum(item.nodeid.startswith(test) for item in ran(items)) for test in "ab"] == [10, 6]
  assert plain.marks == {}


def test_one_case_of_each_test_of_the_converter_runs_unless_it_is_marked():
  other = pytest.mark.long
  tests = {
    "tests/convert/a.py::large": dict(x=range(5), y=range(6)),
    "tests/convert/a.py::list": dict(x=range(30)),
    "tests/convert/a.py::two": dict(x=range(2)),
    "tests/convert/a.py::one": dict(x=range(1)),
    "tests/convert/syntax/a.py::list": dict(x=range(30)),
    "tests/nn/a.py::large": dict(x=range(5), y=range(6)),
  }
  items = [item for name, params in tests.items() for item in items_of(name, other, **params)]
  whole = items_of("tests/convert/a.py::whole", pytest.mark.one_in(1), x=range(5), y=range(6))
  thin_out([*items, *whole])
  found = collections.Counter(item.nodeid.partition("[")[0] for item in ran(items))
  assert list(found.values()) == [1, 1, 1, 1, 30, 30]
  assert ran(whole) == whole


def test_levels_are_compared_by_type_and_by_identity_where_they_have_no_hash():
  values = [1, 1.0, True, [1], [1]]
  items = items_of("a", x=values, y=range(4))
  thin_out(items)
  assert {id(item.callspec.params["x"]) for item in ran(items)} == set(map(id, values))


def test_what_is_slow_anyhow_is_not_taken_for_its_level():
  items = items_of("a", x=range(4), y=range(3))
  for item in items[::5]:
    item.add_marker(pytest.mark.slow)
  thin_out(items)
  assert {item.callspec.params["x"] for item in ran(items)} == set(range(4))
  assert {item.callspec.params["y"] for item in ran(items)} == set(range(3))


def test_a_case_that_is_asked_for_by_its_id_runs():
  (item, *_) = items_of("a", x=range(5), y=range(5))
  thin_out([item])
  assert ran([item]) == [item]


def test_what_takes_long_comes_first_and_the_rest_stays_in_order():
  long = Item("long", {}, pytest.mark.long)
  others = [Item(name, {}) for name in "abc"]
  items = [*others[:2], long, *others[2:]]
  long_first(items)
  assert items == [long, *others]


def test_what_is_named_by_an_address_is_refused():
  refuse_addresses([Item("a[at 0x]", {}), Item("b[<zero at 0>]", {})])
  with pytest.raises(pytest.UsageError, match=r"b\[<memory at 0x7f1a>\] and 0 more.*give .* `ids`"):
    refuse_addresses([Item("a[1]", {}), Item("b[<memory at 0x7f1a>]", {})])
