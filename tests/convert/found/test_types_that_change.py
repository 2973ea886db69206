"""Attributes that are of another type in each call: a program for each, as for arguments."""

import pytest

import recursive_tf as rtf


class _Node:
  def __init__(self, value, child=None):
    self.value, self.child = value, child


def _twice(node):
  return node.value + node.value


def _total(node):
  return node.value if node.child is None else node.value + _total(node.child)


def _folded(values):
  found = values[0]
  for value in values[1:]:
    found = found + value
  return found


def _looked_up(table, node):
  return table[node.value]


def _kinds(function):
  if function is _folded:
    return [(["a", "b"],), ([1, 2],), ([0.5, 2.0],)]
  if function is _looked_up:
    return [({"a": 1.0}, _Node("a")), ({1: 2.0}, _Node(1))]
  return [(_Node(v, _Node(v)),) for v in ("a", 1, 0.5)]


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize("function", [_twice, _total, _folded])
@pytest.mark.parametrize("order", [(0, 1, 0, 2, 1, 0), (1, 0, 2, 2, 1)])
def test_each_type_has_a_program(function, order, decorate):
  kinds, ours = _kinds(function), decorate(function, strict=True, verify=False)
  for i in order:
    found, expected = ours(*kinds[i]), function(*kinds[i])
    assert (type(found), found) == (type(expected), expected)
  assert ours.stats.num_converted_runs == len(order)
  assert ours.stats.num_conversions <= 4


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
def test_what_is_refused_for_one_type_stays_converted_for_the_other(decorate):
  (first, second), ours = _kinds(_looked_up), decorate(_looked_up)
  for args in (first, second, first, second, first):
    assert ours(*args) == _looked_up(*args)
  assert ours.stats.num_converted_runs >= 3, ours.explain()


def test_both_types_in_one_call_are_refused():
  ours = rtf.recursive(_total)
  for value in ("a", 1):
    ours(_Node(value, _Node(value)))
  with pytest.raises(TypeError, match="concatenate"):
    ours(_Node("a", _Node(1)))
  assert ours(_Node(2, _Node(3))) == 5
