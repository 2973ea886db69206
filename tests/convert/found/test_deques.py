"""`collections.deque` that a program makes: searches, windows, and all its methods."""

import collections
from collections import deque

import pytest

from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def trees():
  return [(Node(7, True, "l"),), (root(),), (lopsided(),), (bushy(),)]


def level_by_level(n):
  queue, found = deque([n]), []
  while queue:
    m = queue.popleft()
    found.append(m.v)
    queue.extend(m.kids)
  return found


def with_depths(n):
  queue, levels = deque([(n, 0)]), collections.defaultdict(list)
  while queue:
    m, depth = queue.popleft()
    levels[depth].append(m.name)
    for k in m.kids:
      queue.append((k, depth + 1))
  return dict(levels)


def levels_apart(n):
  queue, found = deque([n]), []
  while len(queue) > 0:
    level = []
    for _ in range(len(queue)):
      m = queue.popleft()
      level.append(m.v)
      queue += m.kids
    found.append(level)
  return found


def from_both_ends(n):
  queue, most = deque([(0, n)]), 0
  while queue:
    steps, m = queue.popleft() if most < 3 else queue.pop()
    most = max(most, steps)
    for i, k in enumerate(m.kids):
      if i == 0:
        queue.appendleft((steps, k))
      else:
        queue.append((steps + 1, k))
  return most


def window(n):
  last = deque(maxlen=2)
  for k in n.kids:
    last.append(k.v)
  for k in n.kids:
    last.appendleft(k.v + 1)
  last.extend(k.v for k in n.kids)
  return list(last), len(last), last.maxlen


def passed_on(n):
  found = []

  def go(m, queue):
    queue.extend(m.kids)
    found.append(m.name)
    if queue:
      go(queue.popleft(), queue)

  go(n, deque())
  return found


def all_else(n):
  queue = deque(k.v for k in n.kids)
  queue.appendleft(5)
  queue.rotate(1)
  other = queue.copy()
  other.reverse()
  is_same = queue == other, queue != other, queue is other
  removed = queue.count(5), queue.index(5), 5 in queue, 77 in queue
  queue.remove(5)
  first = queue[0] if queue else None
  last = queue[-1] if queue else None
  again = [x for x in other], [x for _, x in enumerate(queue)], sum(queue), sorted(other)
  other.clear()
  return is_same, removed, first, last, again, list(queue), bool(other), other.maxlen


def two_names(n):
  a = deque([n.v])
  b = a
  c = a if n.flag else deque()
  b.append(1)
  a += [2]
  c.append(3)
  return list(a), list(b), list(c), a is b


def what_it_is(n):
  queue = deque([n.v])
  kinds = isinstance(queue, deque), isinstance(queue, list), type(queue) is deque
  return kinds, hasattr(queue, "items"), hasattr(queue, "popleft"), isinstance(n, deque)


def by_pattern(n):
  match deque([n.v, *[k.v for k in n.kids[:1]]]):
    case [a]:
      return a
    case [a, b]:
      return a * 10 + b
  return 0


def in_order(n):
  a, b = deque([n.v, 1]), deque([3, n.v])
  return a < b, a <= b, a > b, a >= b, list(max(a, b))


def inserted(n):
  queue = deque([n.v, 1])
  queue.insert(1, 7)
  queue.insert(-1, 8)
  queue.insert(9, n.v)
  return list(queue), queue.index(7)


_CONVERTED = (
  *(level_by_level, with_depths, levels_apart, from_both_ends, window, passed_on, all_else),
  *(two_names, what_it_is, in_order, inserted),
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("program", [*_CONVERTED, by_pattern], ids=lambda f: f.__name__)
def test_a_deque_is_pythons(program):
  agrees(
    lambda recursive: recursive(program), trees, expect=CONVERTED if program in _CONVERTED else None
  )


def returned(n):
  return deque([n.v])


def kept(n):
  n.name = deque([n.v])


def printed(n):
  print(deque([n.v]))


def shown(n):
  return str(deque([n.v])), f"{deque([n.name])}"


def in_a_list(n):
  return [deque([n.v])]


def in_a_table(n):
  rows = {k.name: deque([k.v]) for k in n.kids}
  return [list(row) for row in rows.values()]


def added(n):
  return list(deque([n.v]) + deque([1])), list(deque([n.v]) * 2)


def sliced(n):
  return deque([n.v])[0:1]


def empty(n):
  return deque().popleft() if n.flag else n.v


def changed_meanwhile(n):
  queue = deque([1, 2])
  for x in queue:
    if x == n.v:
      queue.append(x)
  return list(queue)


def too_short(n):
  return list(deque([n.v], maxlen=-1))


def new_attribute(n):
  queue = deque([n.v])
  queue.owner = n
  return 1


def written(n):
  queue = deque([n.v, 2])
  queue[0] = 5
  del queue[1]
  return list(queue)


def compared(n):
  return deque([n.v]) < deque([3]), deque([n.v]) == [n.v], deque([n.v]) == n.kids


def hashed(n):
  return {deque([n.v]): 1}


def backwards(n):
  return [x for x in reversed(deque([n.v, 2]))]


def found_later(n):
  return deque([n.v, 2, 3]).index(3, 1)


def inserted_into_a_full_one(n):
  queue = deque([1, 2], maxlen=n.v)
  queue.insert(0, n.v)
  return list(queue)


_LEFT = (
  *(found_later, inserted_into_a_full_one),
  *(returned, kept, printed, shown, in_a_list, in_a_table, added, sliced, empty),
  *(changed_meanwhile, too_short, new_attribute, written, compared, hashed, backwards),
)


@pytest.mark.one_in(1)
@pytest.mark.parametrize("program", _LEFT, ids=lambda f: f.__name__)
def test_what_a_deque_does_not_do_in_a_graph_is_pythons(program):
  agrees(lambda recursive: recursive(program), trees)
