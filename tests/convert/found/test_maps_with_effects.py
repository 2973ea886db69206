"""Loops over `map`, `filter` and generator expressions whose elements have effects."""

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def trees():
  return [(root(),), (lopsided(),), (bushy(),), (Node(7, True, "l"),), (root(),)]


def kept_if_there(n):
  if n.v == 2:
    return None
  found = [x for x in map(kept_if_there, n.kids) if x is not None]
  n.name = "z"
  return n.v + sum(found)


def kept_if_true(n):
  if n.v == 2:
    return None
  found = list(filter(None, map(kept_if_true, n.kids)))
  n.name += "z"
  return n.v + sum(found)


def summed(n):
  n.name += "p"
  return n.v + sum(x for x in (summed(k) for k in n.kids) if x)


def most(n):
  n.v += 1
  return n.v + max(map(most, n.kids), default=0)


def remainders(n):
  n.v += 1
  return sum(x * 2 for x in map(remainders, n.kids) if x % 3) + n.v


def printing(n):
  print(n.name)
  return sum(x for x in map(printing, n.kids) if x) + n.v


def collecting(n):
  found = []

  def go(m):
    found.append(m.v)
    return m.v

  return [x + 1 for x in map(go, n.kids) if x > 1], found


_CONVERTED = (kept_if_there, kept_if_true, summed, most, remainders, printing, collecting)


def reading_what_is_written(n):
  n.v += 1
  return sum(x + k for x in map(reading_what_is_written, n.kids) for k in [n.v]) + n.v


def beside_what_is_written(n):
  n.v += 1
  return (
    sum(x + k.v for x, k in zip(map(beside_what_is_written, n.kids), n.kids, strict=True)) + n.v
  )


def reading_in_a_loop(n):
  n.v += 1
  total = 0
  for x in map(reading_in_a_loop, n.kids):
    total += x * sum(k.v for k in n.kids)
  return total + n.v


def reading_what_is_collected(n):
  found = []

  def go(m):
    found.append(m.v)
    for k in m.kids:
      go(k)
    return m.v

  return [x + len(found) for x in map(go, n.kids)], [x + found[-1] for x in map(go, n.kids)]


def counting(n):
  count = 0

  def go(m):
    nonlocal count
    count += 1
    return m.v

  return [x + count for x in map(go, n.kids)], count


def written_in_between(n):
  total = n.v
  for x in map(written_in_between, n.kids):
    total += x
    n.name = n.name + "q"
  return total


def ending_early(n):
  total = n.v
  for x in map(ending_early, n.kids):
    if x > 3:
      break
    total += x
  n.name = "q"
  return total


def asking_for_any(n):
  n.name = "w"
  return any(x > 5 for x in map(asking_for_any, n.kids)) + n.v


def printing_in_between(n):
  print(n.name)
  return sum(x for x in map(printing_in_between, n.kids) if print(x) is None) + n.v


def calling_what_reads(n):
  n.v += 1
  return sum(x * values(n) for x in map(calling_what_reads, n.kids)) + n.v


def values(n):
  return n.v + sum(values(k) for k in n.kids)


def of_nothing_but_none(n):
  return sum([None for _ in n.kids]) if n.flag else n.v


_OTHERS = (
  *(reading_what_is_written, beside_what_is_written, reading_in_a_loop, reading_what_is_collected),
  *(counting, written_in_between, ending_early, asking_for_any, printing_in_between),
  *(calling_what_reads, of_nothing_but_none),
)


@pytest.mark.one_in(1)
@pytest.mark.parametrize("program", [*_CONVERTED, *_OTHERS], ids=lambda f: f.__name__)
def test_elements_are_made_as_if_one_by_one(program):
  expect = CONVERTED if program in _CONVERTED else None
  agrees(lambda recursive: recursive(program), trees, expect=expect)
