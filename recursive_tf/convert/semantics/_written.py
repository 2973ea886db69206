"""Functions of `itertools`, `functools` and `math`, and what a `Counter` does, as written Python.

They are never run as they are: the interpreter runs them in place of the library's, on lists. What
the library makes one by one is made at once; `_itertools.py` says when that is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

_Operand = Any  # Of which an operator is asked.


def reduced(
  function: Callable[[object, object], object], values: Iterable[object], total: object
) -> object:
  for value in values:
    total = function(total, value)
  return total


def reduced_from_first(function: Callable[..., object], values: Sequence[object]) -> object:
  total = values[0]
  for value in values[1:]:
    total = function(total, value)
  return total


def accumulated(
  function: Callable[[object, object], object], values: Iterable[object], total: object
) -> list[object]:
  found = [total]
  for value in values:
    total = function(total, value)
    found.append(total)
  return found


def accumulated_from_first(function: Callable[..., object], values: list[object]) -> list[object]:
  found = values[:1]
  if values:
    total = values[0]
    for value in values[1:]:
      total = function(total, value)
      found.append(total)
  return found


def first_ones(values: Sequence[object], count: int) -> Sequence[object]:
  return values[:count]


def added(values: Iterable[int], total: int) -> int:
  for value in values:
    more = total + value
    total = more  # A loop of `total = total + value` is a sum, which is done by this one.
  return total


def multiplied(values: _Operand, total: object) -> object:
  for value in values:
    total = total * value
  return total


def handed_on(values: Iterable[object], consumer: Callable[[object], bool]) -> bool:
  for value in values:
    if consumer(value):
      return True
  return False


def chained(lists: Iterable[Iterable[object]]) -> list[object]:
  return [value for values in lists for value in values]


def kept(function: Callable[[object], object], values: Iterable[object]) -> list[object]:
  return [value for value in values if function(value)]


def kept_true(values: Iterable[object]) -> list[object]:
  return [value for value in values if value]


def starred(function: Callable[..., object], values: Iterable[Iterable[object]]) -> list[object]:
  return [function(*args) for args in values]


def dropped(function: Callable[[object], object], values: Iterable[object]) -> list[object]:
  return [value for value in values if not function(value)]


def taken_while(function: Callable[[object], object], values: Iterable[object]) -> list[object]:
  found = []
  for value in values:
    if not function(value):
      break
    found.append(value)
  return found


def dropped_while(function: Callable[[object], object], values: Iterable[object]) -> list[object]:
  found = []
  is_dropping = True
  for value in values:
    if is_dropping:
      is_dropping = bool(function(value))
    if not is_dropping:
      found.append(value)
  return found


def pairs(first: Iterable[object], second: Iterable[object]) -> list[tuple[object, object]]:
  return [(a, b) for a in first for b in second]


def triples(
  first: Iterable[object], second: Iterable[object], third: Iterable[object]
) -> list[tuple[object, object, object]]:
  return [(a, b, c) for a in first for b in second for c in third]


def of_each(lists: Sequence[Sequence[object]], times: int) -> list[tuple[object, ...]]:
  if times < 0:
    raise ValueError
  sizes = [len(values) for values in lists]  # Python asks all of them before it makes anything.
  found: list[tuple[object, ...]] = [] if times > 0 and 0 in sizes else [()]
  for _ in range(times):
    for values in lists:
      found = [(*taken, value) for taken in found for value in values]
  return found


def lengths(lists: Sequence[Sequence[object]]) -> object:
  return [len(one) for one in lists]


def flattened(lists: Sequence[Sequence[object]]) -> object:
  return [value for one in lists for value in one]


def combined(values: Sequence[object]) -> object:
  count = len(values)
  return [(values[i], values[j]) for i in range(count) for j in range(i + 1, count)]


def permuted(values: Sequence[object]) -> object:
  count = len(values)
  return [(values[i], values[j]) for i in range(count) for j in range(count) if i != j]


def zipped_to_longest(first: Sequence[object], second: Sequence[object], fill: object) -> object:
  count = max(len(first), len(second))
  return [
    (first[i] if i < len(first) else fill, second[i] if i < len(second) else fill)
    for i in range(count)
  ]


def same_or_equal(one: object, other: object) -> bool:
  """Stands for how containers compare their elements; the interpreter does it itself."""
  return one is other or bool(one == other)


def are_equal(first: Sequence[object], second: Sequence[object]) -> bool:
  return len(first) == len(second) and all(
    same_or_equal(a, b) for a, b in zip(first, second, strict=False)
  )


def are_equal_in_turn(first: Sequence[object], second: Sequence[object]) -> bool:
  if len(first) != len(second):
    return False
  for a, b in zip(first, second, strict=False):
    if not same_or_equal(a, b):
      return False
  return True


def dicts_are_equal(first: _Operand, second: _Operand) -> bool:
  return len(first) == len(second) and all(
    same_or_equal(value, second[key]) if key in second else False for key, value in first.items()
  )


def contains(values: Iterable[object], wanted: object) -> bool:
  for value in values:
    if same_or_equal(value, wanted):
      return True
  return False


def position(values: Iterable[object], wanted: object) -> int:
  for i, value in enumerate(values):
    if same_or_equal(value, wanted):
      return i
  raise ValueError


def counted(values: Iterable[object], wanted: object) -> int:
  total = 0
  for value in values:
    if same_or_equal(value, wanted):
      total = total + 1
  return total


def is_less(first: Sequence[_Operand], second: Sequence[_Operand]) -> object:
  for a, b in zip(first, second, strict=False):
    if not same_or_equal(a, b):
      return a < b
  return len(first) < len(second)


def is_at_most(first: Sequence[_Operand], second: Sequence[_Operand]) -> object:
  for a, b in zip(first, second, strict=False):
    if not same_or_equal(a, b):
      return a <= b
  return len(first) <= len(second)


def is_greater(first: Sequence[_Operand], second: Sequence[_Operand]) -> object:
  for a, b in zip(first, second, strict=False):
    if not same_or_equal(a, b):
      return a > b
  return len(first) > len(second)


def is_at_least(first: Sequence[_Operand], second: Sequence[_Operand]) -> object:
  for a, b in zip(first, second, strict=False):
    if not same_or_equal(a, b):
      return a >= b
  return len(first) >= len(second)


def greatest(values: Sequence[_Operand]) -> object:
  best = values[0]
  for value in values[1:]:
    if value > best:
      best = value
  return best


def least(values: Sequence[_Operand]) -> object:
  best = values[0]
  for value in values[1:]:
    if value < best:
      best = value
  return best


def of_ones(values: _Operand) -> list[tuple[object, ...]]:
  return [(a,) for (a,) in values]


def of_twos(values: _Operand) -> list[tuple[object, ...]]:
  return [(a, b) for a, b in values]


def of_threes(values: _Operand) -> list[tuple[object, ...]]:
  return [(a, b, c) for a, b, c in values]


def of_fours(values: _Operand) -> list[tuple[object, ...]]:
  return [(a, b, c, d) for a, b, c, d in values]


TUPLES = {1: of_ones, 2: of_twos, 3: of_threes, 4: of_fours}


def tallied(counter: _Operand, values: _Operand) -> None:
  for value in values:
    counter[value] = counter.get(value, 0) + 1


def taken_off(counter: _Operand, values: _Operand) -> None:
  for value in values:
    counter[value] = counter.get(value, 0) - 1


def added_to_counts(counter: _Operand, items: _Operand) -> None:
  for key, count in items:
    counter[key] = count + counter.get(key, 0)


def taken_off_counts(counter: _Operand, items: _Operand) -> None:
  for key, count in items:
    counter[key] = counter.get(key, 0) - count


def ranked(items: _Operand, second: _Operand) -> object:
  return sorted(items, key=second, reverse=True)


def first_of(values: _Operand, count: int) -> object:
  return values[: max(count, 0)]


def sum_of_counts(counter: _Operand, first: _Operand, second: _Operand) -> None:
  for key, count in first.items():
    found = count + second.get(key, 0)
    if found > 0:
      counter[key] = found
  for key, count in second.items():
    if key not in first and count > 0:
      counter[key] = count


def difference_of_counts(counter: _Operand, first: _Operand, second: _Operand) -> None:
  for key, count in first.items():
    found = count - second.get(key, 0)
    if found > 0:
      counter[key] = found
  for key, count in second.items():
    if key not in first and count < 0:
      counter[key] = 0 - count


def union_of_counts(counter: _Operand, first: _Operand, second: _Operand) -> None:
  for key, count in first.items():
    other = second.get(key, 0)
    found = other if count < other else count
    if found > 0:
      counter[key] = found
  for key, count in second.items():
    if key not in first and count > 0:
      counter[key] = count


def intersection_of_counts(counter: _Operand, first: _Operand, second: _Operand) -> None:
  for key, count in first.items():
    other = second.get(key, 0)
    found = count if count < other else other
    if found > 0:
      counter[key] = found


def summed_in_place(counter: _Operand, other: _Operand) -> None:
  for key, count in other.items():
    counter[key] = counter.get(key, 0) + count
  for key in [key for key, count in counter.items() if not count > 0]:
    del counter[key]


def subtracted_in_place(counter: _Operand, other: _Operand) -> None:
  for key, count in other.items():
    counter[key] = counter.get(key, 0) - count
  for key in [key for key, count in counter.items() if not count > 0]:
    del counter[key]
