"""`heapq` and `bisect` on lists that a program makes; heaps are the same lists as Python's."""

import bisect
import dataclasses
import heapq

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf._ops import kernels
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def trees():
  return [(Node(7, True, "l"),), (root(),), (lopsided(),), (bushy(),)]


_STEPS = {
  "push": lambda heap, item: heapq.heappush(heap, item),
  "pop": lambda heap, item: heapq.heappop(heap),
  "replace": heapq.heapreplace,
  "pushpop": heapq.heappushpop,
  "heapify": lambda heap, item: heapq.heapify(heap),
}


@pytest.mark.one_in(1)
@pytest.mark.parametrize("step", _STEPS)
def test_the_order_is_heapqs(step):
  rng = np.random.default_rng(3)
  for count in [*range(1, 9), 20, 50] * 4:
    # Ranks of which many are equal: which element is where is told by their places.
    ranks = rng.integers(0, max(count // 2, 1) + 1, count)
    before = [_Known(int(rank), place) for place, rank in enumerate(ranks)]
    puts_in = step in ("push", "replace", "pushpop")
    heap = before[:-1] if puts_in else list(before)
    if step != "heapify":
      heapq.heapify(heap)
    given = [*heap, before[-1]] if puts_in else list(heap)
    if step == "replace" and not heap:
      continue
    out = _STEPS[step](heap, before[-1])
    after = heap if step in ("push", "heapify") else [*heap, out]
    order = kernels.recursive_tf_heap_order(
      tf.constant([one.rank for one in given], tf.int32), step=step
    )
    assert [given[i].place for i in order.numpy()] == [one.place for one in after]


@dataclasses.dataclass
class _Known:
  rank: int
  place: int

  def __lt__(self, other):
    return self.rank < other.rank


def test_ranks_are_a_vector():
  with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="rank|vector"):
    kernels.recursive_tf_heap_order(tf.zeros([2, 2], tf.int32), step="pop")


def of_pairs(n):
  heap = [(n.v, n.name)]
  for k in n.kids:
    heapq.heappush(heap, (k.v, k.name))
  seen, found = list(heap), []
  while heap:
    found.append(heapq.heappop(heap)[1])
  return found, seen


def cheapest_first(n):
  heap, found, count = [(0, 0, n)], {}, 1
  while heap:
    cost, _, m = heapq.heappop(heap)
    if m.name in found:
      continue
    found[m.name] = cost
    for k in m.kids:
      heapq.heappush(heap, (cost + k.v, count, k))
      count += 1
  return found


def floats_with_nodes(n):
  heap, found = [(0.5, n)], []
  while heap:
    cost, m = heapq.heappop(heap)
    found.append((cost, m.name))
    for i, k in enumerate(m.kids):
      heapq.heappush(heap, (cost + k.v + i / 10, k))
  return found


def codes(n):
  heap = [(k.v, i, k.name) for i, k in enumerate(n.kids)]
  heapq.heapify(heap)
  total = 0
  while len(heap) > 1:
    a, b = heapq.heappop(heap), heapq.heappop(heap)
    total += a[0] + b[0]
    heapq.heappush(heap, (a[0] + b[0], a[1], a[2] + b[2]))
  return total, heap


def greatest(n):
  heap = []

  def go(m):
    if len(heap) < 3:
      heapq.heappush(heap, m.v)
    else:
      heapq.heappushpop(heap, m.v)
    for k in m.kids:
      go(k)

  go(n)
  return sorted(heap), heap


def replaced(n):
  heap = [3, 5, n.v]
  heapq.heapify(heap)
  out = [heapq.heapreplace(heap, k.v) for k in n.kids]
  return out, heap


def names(n):
  heap = []
  for k in n.kids:
    heapq.heappush(heap, k.name)
  return [heapq.heappop(heap) for _ in range(len(heap))]


def of_tensors(n):
  heap = [(k.v, i, tf.constant([1.0, 2.0]) * k.v) for i, k in enumerate(n.kids)]
  heapq.heapify(heap)
  total = tf.zeros([2])
  while heap:
    total = total * 0.5 + heapq.heappop(heap)[2]
  return total


class Task:
  def __init__(self, cost, name):
    self.cost, self.name = cost, name

  def __lt__(self, other):
    return self.cost < other.cost


def of_objects(n):
  heap = []
  for k in n.kids:
    heapq.heappush(heap, Task(k.v, k.name))
  return [heapq.heappop(heap).name for _ in range(len(heap))]


def of_lists(n):
  heap = []
  for k in n.kids:
    heapq.heappush(heap, (k.v, k.name, [k.v]))
  found = []
  while heap:
    cost, _, path = heapq.heappop(heap)
    path.append(cost)
    found.append(path)
  return found


def equal_nodes(n):  # Python raises a TypeError where two costs are equal.
  heap = []
  for k in n.kids:
    heapq.heappush(heap, (1, k))
  return len(heap)


def from_nothing(n):
  return heapq.heappop([]) if n.flag else n.v


def not_a_number(n):
  heap = [float("nan"), float(n.v)]
  heapq.heapify(heap)
  return [str(x) for x in heap]


def of_the_tree(n):
  heapq.heapify(n.kids)
  return len(n.kids)


def inserted(n):
  found = []
  for k in n.kids:
    bisect.insort(found, (k.v % 3, k.name))
  bisect.insort_left(found, (1, n.name))
  return found


def halved(n):
  values = sorted(k.v for k in n.kids)
  left, right = bisect.bisect_left(values, 3), bisect.bisect(values, 3)
  known = bisect.bisect_right([1, 3, 5, 9], n.v), bisect.bisect_left([1, 3, 5, 9], n.v, 1, hi=3)
  return left, right, known, bisect.bisect_left([0.5, 2.5], n.v / 2)


def before_the_first(n):
  return bisect.bisect_left([1, 3], n.v, -1 if n.flag else 0)


_CONVERTED = (
  *(of_pairs, cheapest_first, floats_with_nodes, codes, greatest, replaced, names, of_tensors),
  *(inserted, halved),
)
_OTHERS = (
  *(of_objects, of_lists, equal_nodes, from_nothing, not_a_number, of_the_tree),
  before_the_first,
)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("program", [*_CONVERTED, *_OTHERS], ids=lambda f: f.__name__)
def test_heaps_and_places_are_pythons(program):
  agrees(
    lambda recursive: recursive(program), trees, expect=CONVERTED if program in _CONVERTED else None
  )
