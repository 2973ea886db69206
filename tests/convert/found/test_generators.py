"""Generators that are consumed where they are made: Python runs them between what consumes them."""

import itertools

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, lopsided


class Walked(Node):
  """A node that goes over itself."""

  def walk(self):
    yield self.v
    for kid in self.kids:
      yield from kid.walk()

  def __iter__(self):
    for kid in self.kids:
      yield from kid
    yield self.v


class Leaf(Walked):
  """One that has a walk of its own."""

  def walk(self):
    yield -self.v


def walked():
  inner = Walked(3, False, "i", Leaf(5, True, "x"), Walked(2, False, "y"))
  return Walked(1, True, "r", inner, Leaf(4, True, "b"))


def build_of(make):
  """Returns a builder: `make(state)` gives a generator, and the test says what consumes it."""

  def with_consumer(consume):
    def build(recursive):
      log, state = [], {"k": 2}
      generator = make(log, state)

      @recursive
      def f(n):
        return consume(generator, n, log, state)

      return f, [log, state]

    return build

  return with_consumer


def plain(log, state):
  def walk(n):
    yield n.v
    for kid in n.kids:
      yield from walk(kid)

  return walk


def after_kids(log, state):
  def walk(n):
    for kid in n.kids:
      for v in walk(kid):
        if v > 4:
          continue
        yield v
    if n.v > 1:
      yield n.v

  return walk


def logging(log, state):
  def walk(n):
    log.append(n.v)
    yield n.v
    for kid in n.kids:
      yield from walk(kid)
    log.append(-n.v)

  return walk


def reading(log, state):
  def walk(n):
    yield n.v * state["k"]
    for kid in n.kids:
      yield from walk(kid)

  return walk


def counting(log, state):
  def walk(n):
    state["k"] += 1
    yield n.v * state["k"]
    for kid in n.kids:
      yield from walk(kid)

  return walk


def down(log, state):
  def walk(n):
    while n is not None:
      yield n.v
      n = n.kids[0] if n.kids else None

  return walk


def endless(log, state):
  def walk(n):
    v = n.v
    while True:
      yield v
      v += 1

  return walk


def failing(log, state):
  def walk(n):
    if n.v == 5:
      raise ValueError(n.v)
    yield n.v
    for kid in n.kids:
      yield from walk(kid)

  return walk


def leaving(log, state):
  def walk(n):
    if n.v == 4:
      return
    yield n.v
    for kid in n.kids:
      for v in walk(kid):
        if v == 2:
          return
        yield v

  return walk


def from_others(log, state):
  def walk(n):
    yield from (kid.v for kid in n.kids)
    yield from range(n.v)
    yield from [n.v, 1]
    yield from sorted(kid.v for kid in n.kids)

  return walk


GENERATORS = (
  *(plain, after_kids, logging, reading, counting, down, endless, failing, leaving, from_others),
)


def summed(g, n, log, state):
  return sum(g(n))


def listed(g, n, log, state):
  return [*g(n), 0], list(g(n)), tuple(v + 1 for v in g(n))


def logged(g, n, log, state):
  for v in g(n):
    log.append(v * 10)


def broken(g, n, log, state):
  total = 0
  for v in g(n):
    total = total * 2 + v
    if total > 8:
      break
  else:
    total = -total
  return total


def returned(g, n, log, state):
  for v in g(n):
    log.append(v)
    if v > 2:
      return v
  return None


def last(g, n, log, state):
  v = 0
  for v in g(n):
    if v > 3:
      break
  return v


def writing(g, n, log, state):
  total = 0
  for v in g(n):
    total += v
    state["k"] += 1
    n.kids[-1].v += 1
  return total


def growing(g, n, log, state):
  count = 0
  for _ in g(n):
    count += 1
    if count < 3:
      n.kids.append(Node(count, True, "new"))
  return count


def searching(g, n, log, state):
  return any(v > 3 for v in g(n)), all(v > 0 for v in g(n)), 3 in list(g(n))


def noted_search(g, n, log, state):
  return any(log.append(v) or v > 2 for v in g(n))


def first(g, n, log, state):
  return next(g(n), None), next((v * 2 for v in g(n) if v > 2), -1)


def first_of_some(g, n, log, state):
  return next(v for v in g(n) if v > 1)


def numbered(g, n, log, state):
  for i, v in enumerate(g(n), 1):
    if v > 2:
      return i
  return -1


def numbered_all(g, n, log, state):
  return [i * v for i, v in enumerate(g(n))]


def noted(g, n, log, state):
  return [log.append(v) or v for v in g(n) if v > 1]


def by_key(g, n, log, state):
  def key(v):
    log.append(v)
    return -v

  return max(g(n), key=key), sorted(g(n), key=key)


def pairs(g, n, log, state):
  return [a - b for a, b in zip(g(n), g(n), strict=False)], list(zip(g(n), range(2), strict=False))


def some(g, n, log, state):
  return list(itertools.islice(g(n), 2))


def apart(g, n, log, state):
  a, *b = g(n)
  return a, b


def crossed(g, n, log, state):
  for a in g(n):
    for b in g(n):
      if a * b == 6:
        return a, b
  return None


def joined(g, n, log, state):
  return ",".join(str(v) for v in g(n)), {v: v for v in g(n)}


def extended(g, n, log, state):
  log.extend(g(n))
  log += g(n)
  return len(log)


def unused(g, n, log, state):
  g(n)
  if g(n):
    return 1
  return 0


def kept(g, n, log, state):
  walk = g(n)
  return next(walk), next(walk)


def in_recursion(g, n, log, state):
  total = 0
  for v in g(n):
    if v > 3:
      break
    total += v
  return total


CONSUMERS = (
  *(summed, listed, logged, broken, returned, last, writing, growing, searching, noted_search),
  *(first, first_of_some, numbered, numbered_all, noted, by_key, pairs, some, apart, crossed),
  *(joined, extended, unused, kept, in_recursion),
)
# What runs a generator to its end, which Python does not survive.
WHOLE = {summed, listed, logged, writing, growing, numbered_all, noted, by_key, apart, joined}
WHOLE |= {extended, searching, pairs, crossed}


@pytest.mark.parametrize("consume", CONSUMERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("make", GENERATORS, ids=lambda f: f.__name__)
def test_elements_are_made_between_what_consumes_them(make, consume):
  if make is endless and consume in WHOLE:
    pytest.skip("It has no end.")
  agrees(build_of(make)(consume), lambda: [(lopsided(),), (Node(3, True, "l"),), (lopsided(),)])


def test_a_list_that_grows_under_a_generator_is_seen():
  agrees(build_of(reading)(growing), lambda: [(lopsided(),), (Node(3, True, "l"),)])


@pytest.mark.parametrize(
  ("make", "consume"),
  [
    *((make, summed) for make in (plain, after_kids, logging, reading, counting, down, leaving)),
    *((make, broken) for make in (plain, logging, counting, endless, leaving)),
    *((plain, one) for one in CONSUMERS if one not in (growing, unused, kept)),
    *((logging, one) for one in (logged, returned, numbered, noted, noted_search, first)),
    *((reading, writing), (counting, writing), (endless, first), (endless, numbered)),
  ],
  ids=lambda f: f.__name__,
)
def test_programs_that_are_converted(make, consume):
  agrees(build_of(make)(consume), lambda: [(lopsided(),), (lopsided(),)], CONVERTED)


@pytest.mark.parametrize("consume", [unused, kept], ids=lambda f: f.__name__)
def test_generators_that_are_kept_are_refused(consume):
  build = build_of(logging)(consume)
  agrees(build, lambda: [(lopsided(),), (lopsided(),)], {Reason.UNSUPPORTED_OPERATION: 2})


def test_methods_of_several_classes_and_nodes_that_go_over_themselves():
  def build(recursive):
    @recursive
    def f(n):
      found = [v for v in n.walk() if v != 2]
      for v in n:
        if v == 2:
          break
        found.append(v)
      return found, sum(n), any(v == 4 for v in n.walk()), next(n.walk())

    return f

  agrees(build, lambda: [(walked(),), (walked(),)], CONVERTED)


def test_a_generator_inside_changes_variables_around_it():
  def build(recursive):
    @recursive
    def f(n):
      count = 0

      def walk(m):
        nonlocal count
        count += 1
        yield count * m.v
        for kid in m.kids:
          yield from walk(kid)

      for v in walk(n):
        if v > 6:
          break
      return v, count, max(walk(n)), count

    return f

  agrees(build, lambda: [(lopsided(),), (Node(7, True, "l"),)], CONVERTED)


def test_elements_keep_their_identity():
  def build(recursive):
    def walk(n):
      yield n
      for kid in n.kids:
        yield from walk(kid)

    @recursive
    def f(n):
      best = None
      for m in walk(n):
        m.v += 1
        if best is None or m.v > best.v:
          best = m
      return best, [m for m in walk(n) if m.flag], next((m for m in walk(n) if m.v == 3), None)

    return f

  agrees(build, lambda: [(lopsided(),), (lopsided(),)], CONVERTED)


def test_lists_that_are_yielded():
  def build(recursive):
    def paths(n, path=()):
      path = [*path, n.v]
      if not n.kids:
        yield path
      for kid in n.kids:
        yield from paths(kid, path)

    @recursive
    def f(n):
      return list(paths(n)), max(len(path) for path in paths(n)), next(paths(n))

    return f

  agrees(build, lambda: [(lopsided(),), (lopsided(),)], CONVERTED)


def test_two_generators_call_each_other():
  def build(recursive):
    def even(n):
      yield n.v
      for kid in n.kids:
        yield from odd(kid)

    def odd(n):
      for kid in n.kids:
        yield from even(kid)

    @recursive
    def f(n):
      for v in odd(n):
        if v > 3:
          return v, list(even(n))
      return 0, list(even(n))

    return f

  agrees(build, lambda: [(lopsided(),), (Node(7, True, "l"),)], CONVERTED)
