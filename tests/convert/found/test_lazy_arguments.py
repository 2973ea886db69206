"""Iterators as arguments: Python makes their elements between what the callee does, and after the
other arguments."""

import pytest

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, lopsided


def check(build, expect):
  agrees(build, lambda: [(lopsided(),), (lopsided(),)], expect)


EXTENDING = {
  "recursion": lambda f, q, n: q.extend(f(c) for c in n.kids),
  "map": lambda f, q, n: q.extend(map(f, n.kids)),
  "length": lambda f, q, n: q.extend(len(q) + c.v for c in n.kids),
  "augmented": lambda f, q, n: q.__iadd__(f(c) for c in n.kids),
}


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("extend", EXTENDING)
def test_a_list_is_extended_while_its_new_elements_are_made(extend, is_read):
  def build(recursive):
    q = []

    @recursive
    def f(n):
      q.append(n.v)
      EXTENDING[extend](f, q, n)
      return n.v + (len(q) if is_read else 0)

    return f, [q]

  agrees(build, lambda: [(lopsided(),), (lopsided(),)])


def test_another_list_is_extended_by_what_has_effects():
  def build(recursive):
    q, log = [], []

    @recursive
    def f(n):
      log.append(n.v)
      q.extend(c.v * 2 for c in n.kids)
      return n.v + sum(f(c) for c in n.kids)

    return f, [q, log]

  check(build, CONVERTED)


@pytest.mark.parametrize("choose", [min, max])
@pytest.mark.parametrize("make", ["generator", "map"])
def test_keys_are_asked_for_as_elements_are_made(choose, make):
  def build(recursive):
    log = []

    def key(x):
      log.append(100 + x)
      return -x

    @recursive
    def f(n):
      log.append(n.v)
      if not n.kids:
        return n.v
      if make == "map":
        return choose(map(f, n.kids), key=key) + 1
      return choose((f(c) for c in n.kids), key=key) + 1

    return f, [log]

  check(build, Reason.EFFECT_ORDER)


def test_keys_without_effects_are_asked_for_at_once():
  def build(recursive):
    log = []

    @recursive
    def f(n):
      log.append(n.v)
      return n.v + (max((f(c) for c in n.kids), key=lambda x: -x) if n.kids else 0)

    return f, [log]

  check(build, CONVERTED)


OTHERS = {
  "a variable": (lambda n, count, f: sum((f(c) for c in n.kids), count()), Reason.EFFECT_ORDER),
  "a constant": (lambda n, count, f: sum((f(c) for c in n.kids), 1), CONVERTED),
  "a keyword": (
    lambda n, count, f: sum((f(c) for c in n.kids), start=count()),
    Reason.EFFECT_ORDER,
  ),
  "an attribute": (lambda n, count, f: sum((f(c) for c in n.kids), n.v), CONVERTED),
}


@pytest.mark.parametrize("other", OTHERS)
def test_arguments_behind_an_iterator_are_evaluated_before_its_elements(other):
  total, expect = OTHERS[other]

  def build(recursive):
    state = {"count": 0}
    seen = 0

    @recursive
    def f(n):
      nonlocal seen
      seen += 1
      return n.v + total(n, lambda: seen, f)

    return f, [state, lambda: seen]

  check(build, expect)


def test_a_local_counter_behind_an_iterator_is_read_before():
  def build(recursive):
    @recursive
    def f(n):
      count = 0

      def turn(c):
        nonlocal count
        count += 1
        return f(c) + count

      return sum((turn(c) for c in n.kids), count) + n.v

    return f

  check(build, {Reason.EFFECT_ORDER, Reason.DYNAMIC_LIST})


# --- What making elements reads by way of a helper, with arguments, of a known number of elements


def of_two(recursive, consume):
  """Builds a program of a total that making elements reads, and that `consume` changes."""
  state = {"t": 0}
  q = []
  total = 0

  def reads(v):
    return v + total + state["t"] + len(q)

  def add(x):
    nonlocal total
    total += x
    state["t"] += x
    q.append(x)
    return x

  @recursive
  def f(n):
    two = (n.v, n.v + 1)
    found = consume(two, reads, add, q)
    for kid in n.kids:
      found += f(kid)
    return found + total

  return f, [state, q, lambda: total]


def by_loop(two, reads, add, q):
  found = 0
  for x in (reads(v) for v in two):
    found += add(x)
  return found


def by_extend(two, reads, add, q):
  q.extend(reads(v) for v in two)
  return len(q)


def by_key(two, reads, add, q):
  return max((reads(v) for v in two), key=lambda x: -add(x))


def by_sum(two, reads, add, q):
  return sum([add(x) for x in (reads(v) for v in two)])


def by_start(two, reads, add, q):
  return sum((add(v) for v in two), reads(1))


def by_default(two, reads, add, q):
  return max((add(v) for v in two if v > 100), default=reads(1))


def by_nested_start(two, reads, add, q):
  return sum((add(v) for v in two), abs(abs(2) + reads(1)))


CONSUMERS = [by_loop, by_extend, by_key, by_sum, by_start, by_default, by_nested_start]


@pytest.mark.parametrize("consume", CONSUMERS)
def test_helpers_between_elements_see_what_python_shows_them(consume):
  agrees(lambda recursive: of_two(recursive, consume), lambda: [(lopsided(),), (lopsided(),)])
