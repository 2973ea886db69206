"""The attributes and operands of a StridedSlice as what one writes between brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Item = int | slice | None
MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def parse_slices(operands: Sequence[Any], masks: dict[str, int], rank: int) -> list[Item] | None:
  """Returns an int, a slice or None (a new axis) for each dimension; None if any is not constant.

  Args:
    operands: begin, end and strides, None where not constant.
    masks: the op's MASKS.
    rank: of what is sliced.
  """
  if any(operand is None for operand in operands):
    return None
  begin, end, strides = operands
  positions = range(len(begin))

  def is_in(mask: str, i: int) -> bool:
    return bool(masks[mask] >> i & 1)

  num_used = sum(not is_in("ellipsis_mask", i) and not is_in("new_axis_mask", i) for i in positions)
  items: list[Item] = []
  for i in positions:
    if is_in("ellipsis_mask", i):
      items += [slice(None)] * (rank - num_used)
      num_used = rank
    elif is_in("new_axis_mask", i):
      items.append(None)
    elif is_in("shrink_axis_mask", i):
      items.append(int(begin[i]))
    else:
      first = None if is_in("begin_mask", i) else int(begin[i])
      last = None if is_in("end_mask", i) else int(end[i])
      items.append(slice(first, last, int(strides[i])))
  return items + [slice(None)] * (rank - num_used)


def num_indices(count: int, masks: dict[str, int]) -> int | None:
  """Returns how many dimensions `x[i, j]` or `x[i, j, :]` takes one entry of; None of all else.

  Args:
    count: of what there is between the brackets.
    masks: the op's MASKS.
  """
  taken = masks["shrink_axis_mask"]
  number = taken.bit_length()
  rest = (1 << count) - 1 - taken
  is_leading = taken == (1 << number) - 1 and 0 < number <= count
  is_whole_rest = masks["begin_mask"] == masks["end_mask"] == rest
  others = masks["ellipsis_mask"] | masks["new_axis_mask"]
  return number if is_leading and is_whole_rest and not others else None


def is_whole(item: Item, size: int | None) -> bool:
  """Whether a slice leaves a dimension as it is."""
  if not isinstance(item, slice):
    return False
  if item.start in (None, 0) and item.stop is None and item.step in (None, 1):
    return True
  return size is not None and range(size)[item] == range(size)


def sizes_of(items: list[Item], shape: list[int | None]) -> list[tuple[int, int]] | None:
  """Returns (first, size) of what is cut of each dimension; None if not every one is taken.

  The first dimension is whole, or else the answer is None.
  """
  found = []
  used = [item for item in items if item is not None]
  if not used or not is_whole(used[0], None):
    return None
  for item, size in zip(used[1:], shape[1:], strict=True):
    assert size is not None
    if isinstance(item, int):
      found.append((item % size, 1))
      continue
    taken = range(size)[item]
    if taken.step != 1:
      return None
    found.append((min(taken.start, size), len(taken)))
  return [(0, 0), *found]


def margins_of(items: list[Item]) -> list[tuple[int, int]] | None:
  """Returns how much is cut off of each dimension, at its begin and its end, whatever its size.

  None if that depends on the size, as of `x[:3]` and `x[-3:]`, or if a dimension comes or goes.
  """
  found = []
  for item in items:
    if not isinstance(item, slice) or item.step not in (None, 1):
      return None
    first, last = item.start or 0, item.stop
    if first < 0 or (last is not None and last >= 0):
      return None
    found.append((first, 0 if last is None else -last))
  return found
