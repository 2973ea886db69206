"""A list that is passed in and is also somewhere else is the one that `is` finds there."""

import itertools

import pytest
import tensorflow as tf

import recursive_tf as rtf


class Owner:
  """An object of the user's."""


_OUTSIDE = []

_PLACES = {
  "attribute": lambda s: s.kept,
  "item of a tuple": lambda s: s.pair[0],
  "value of a dict": lambda s: s.table["kept"],
  "global": lambda s: _OUTSIDE,
}


def changed(a):
  a.append(tf.constant([2.0]))


def cleared(a):
  a.clear()


def unchanged(a):
  pass


_CHANGES = [unchanged, changed, cleared]
_TESTS = {
  "is": lambda a, b: a is b,
  "other way round": lambda a, b: b is a,
  "is not": lambda a, b: a is not b,
  "any": lambda a, b: any(one is b for one in [a]),
  "condition": lambda a, b: len(a) + 1 if a is b else tf.constant(5.0),
}


def _told(value):
  return value.numpy().tolist() if isinstance(value, tf.Tensor) else value


def _found(make, place):
  """Returns what a function gives for lists that are the one of a place, and others."""

  def anew():
    return [tf.constant([1.0]), tf.constant([3.0])]

  s = Owner()
  found = []
  f = make()
  for is_the_one in (False, False, False, True, False, True, True, False):
    s.kept, s.pair, s.table, _OUTSIDE[:] = anew(), (anew(), 1), {"kept": anew()}, anew()
    given = place(s) if is_the_one else anew()
    found.append((_told(f(s, given)), len(given), len(place(s))))
  return found


@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive])
@pytest.mark.parametrize("where, change, test", list(itertools.product(_PLACES, _CHANGES, _TESTS)))
def test_a_list_is_the_one_that_it_is(where, change, test, decorator):
  place, compare = _PLACES[where], _TESTS[test]

  def f(s, given):
    change(given)
    return compare(given, place(s))

  expected = _found(lambda: f, place)
  assert _found(lambda: decorator(f, verify=False), place) == expected


@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive])
def test_lists_that_are_elsewhere_cost_only_the_calls_that_are_given_them(decorator):
  def is_kept(s, given):
    return given is s.kept

  f = decorator(is_kept, verify=False)
  assert [found for found, *_ in _found(lambda: f, _PLACES["attribute"])].count(True) == 3
  assert f.stats.num_converted_runs >= 5, f.explain()
