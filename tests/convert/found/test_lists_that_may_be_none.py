"""None, or a list or tuple of a length that only the run knows: paths, and what was found."""

import itertools

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root

_ELEMENTS = {
  "number": lambda n: n.v,
  "made": lambda n: n.v * 2 + 1,
  "name": lambda n: n.name,
  "node": lambda n: n,
  "pair": lambda n: (n.v, n.name),
  "tensor": lambda n: tf.fill([2], float(n.v)),
  "flag": lambda n: n.flag,
}


def before(one, found):
  return [one] + found


def after(one, found):
  return found + [one]


def appended(one, found):
  found.append(one)
  return found


def inserted(one, found):
  found.insert(0, one)
  return found


def extended(one, found):
  out = [one]
  out.extend(found)
  return out


def in_tuple(one, found):
  return (one, *found)


def copied(one, found):
  other = list(found)
  found.append(one)
  return other + found


_WAYS = [before, after, appended, inserted, extended, in_tuple, copied]
_TESTS = ["is not None", "is None", "truth", "or"]


def path(element, way, test):
  """Returns what builds a search for the first leaf of a value that returns the way to it."""

  def build(recursive):
    @recursive
    def seek(n, wanted):
      if n.v == wanted:
        return (element(n),) if way is in_tuple else [element(n)]
      for kid in n.kids:
        found = seek(kid, wanted)
        if test == "is not None":
          if found is not None:
            return way(element(n), found)
        elif test == "is None":
          if found is None:
            continue
          return way(element(n), found)
        elif test == "truth":
          if found:
            return way(element(n), found)
        elif len(found or ()) > 0:
          return way(element(n), found)
      return None

    return seek

  return build


def calls():
  trees = [Node(7, True, "l"), root(), lopsided(), bushy()]
  return [(tree, wanted) for tree in trees for wanted in (5, 1, 99, 7)]


def _cases():
  for i, (element, way) in enumerate(itertools.product(_ELEMENTS, _WAYS)):
    yield element, way, _TESTS[(i + i // len(_WAYS)) % len(_TESTS)]


@pytest.mark.parametrize("element, way, test", list(_cases()))
def test_the_way_to_what_is_sought(element, way, test):
  agrees(path(_ELEMENTS[element], way, test), calls)


@pytest.mark.parametrize("element", ["number", "name", "node", "pair"])
@pytest.mark.parametrize("way", [before, after])
def test_ways_that_are_made_anew_are_converted(element, way):
  agrees(path(_ELEMENTS[element], way, "is not None"), calls, expect=CONVERTED)


def best_and_line(recursive):
  @recursive
  def best(n, depth):
    if depth == 0 or not n.kids:
      return n.v, []
    chosen, line = -100, None
    for i, kid in enumerate(n.kids):
      value, rest = best(kid, depth - 1)
      if -value > chosen:
        chosen, line = -value, [i] + rest
    return chosen, line

  return best


def shortest(recursive):
  @recursive
  def way(n, wanted):
    if n.v >= wanted:
      return [n.name]
    best = None
    for kid in n.kids:
      found = way(kid, wanted)
      if found is not None and (best is None or len(found) < len(best)):
        best = found
    return None if best is None else [n.name] + best

  return way


def kept_and_changed(recursive):
  @recursive
  def way(n, wanted):
    if n.v >= wanted:
      return [n.v]
    best, last = None, None
    for kid in n.kids:
      found = way(kid, wanted)
      if found is not None:
        best = found
      last = found
    if last is not None:
      last.append(n.v)
    return best

  return way


def the_same_twice(recursive):
  @recursive
  def way(n, wanted):
    found = None if n.v < wanted else [n.v, n.v]
    for kid in n.kids:
      found = way(kid, wanted) if found is None else found
    other = found
    if other is not None:
      other.append(n.v)
    return found, other

  return way


def given_or_none(recursive):
  @recursive
  def way(n, wanted, out):
    if n.v >= wanted:
      out.append(n.v)
      return out
    for kid in n.kids:
      if way(kid, wanted, out) is not None:
        return out
    return None

  return way


@pytest.mark.parametrize("build", [best_and_line, shortest, kept_and_changed, the_same_twice])
def test_lists_that_are_chosen(build):
  agrees(build, lambda: [(t, w) for t in (root(), lopsided(), bushy()) for w in (2, 0, 4, 50)])


@pytest.mark.parametrize("build", [best_and_line, shortest])
def test_the_best_is_converted(build):
  agrees(build, lambda: [(t, w) for t in (root(), bushy()) for w in (2, 4)], expect=CONVERTED)


def test_a_list_that_is_passed_in_or_none():
  trees = (root(), lopsided(), bushy())
  agrees(given_or_none, lambda: [(t, w, []) for t in trees for w in (3, 50)])
