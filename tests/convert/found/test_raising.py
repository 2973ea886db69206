"""After an exception nothing goes on: no recursion, no loop."""

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import Node, agrees

XS = [1, 2]


def fails(n):
  raise ValueError("negative")


def checks(n):
  if n < 0:
    raise ValueError("negative")


def by_raise(n):
  if n < 0:
    raise ValueError("negative")
  return 0


def by_assertion(n):
  if n < 0:
    assert False, "negative"  # noqa: B011, PT015 - as users write it
  return 0


def by_helper(n):
  checks(n)
  return 0


def by_result(n):
  return fails(n) if n < 0 else 0


def by_else(n):
  if n >= 0:
    pass
  else:
    raise ValueError("negative")
  return 0


def by_division(n):
  if n < 0:
    n // 0
  return 0


def by_item(n):
  if n < 0:
    XS[n * 10]
  return 0


def by_loop(n):
  for x in (3, 2, 1):
    if x > n + 3:
      raise ValueError("too large")
  return 0


def by_while(n):
  i = 0
  while i != n:
    if i > 20:
      raise ValueError("never")
    i += 1
  return 0


GUARDS = [
  by_raise, by_assertion, by_helper, by_result, by_else, by_division, by_item, by_loop, by_while
]  # fmt: skip


@pytest.mark.parametrize("guard", GUARDS)
def test_a_recursion_ends_at_an_exception(guard):
  def build(recursive):
    @recursive
    def factorial(n):
      zero = guard(n)
      if n == 0:
        return 1
      return n * factorial(n - 1) + zero

    return factorial

  agrees(build, lambda: [(4,), (-2,)], Reason.CHECK_FAILED)


@pytest.mark.parametrize("guard", [by_raise, by_helper, by_loop])
def test_a_loop_does_not_begin_after_an_exception(guard):
  def build(recursive):
    seen = []

    @recursive
    def digits(node):
      n, s = node.v, 0
      guard(n)
      while n != 0:  # For ever, below 0: -1 // 10 == -1.
        s += n % 10
        n //= 10
      seen.append(s)
      return s + sum(digits(kid) for kid in node.kids)

    return digits, [seen]

  def tree(last):
    return Node(12, True, "a", Node(345, True, "b"), Node(last, False, "c"))

  agrees(build, lambda: [(tree(6),), (tree(-3),)], Reason.CHECK_FAILED)


@pytest.mark.parametrize("is_endless", [False, True])
def test_the_test_of_a_loop_may_raise(is_endless):
  def goes_on(i, n):
    if i == 3:
      raise ValueError("three")
    return i != n if is_endless else i < n

  def build(recursive):
    @recursive
    def count(node):
      i = 0
      while goes_on(i, node.v):
        i += 1
      return i + sum(count(kid) for kid in node.kids)

    return count

  calls = [(Node(2, True, "a"),), (Node(-1 if is_endless else 5, True, "b"),)]
  agrees(build, lambda: calls, Reason.CHECK_FAILED)


def test_a_loop_over_elements_may_raise():
  def build(recursive):
    @recursive
    def f(xs, n):
      for x in xs:
        if x > n:
          raise ValueError("too large")
      return 0 if n == 3 else 1 + f(xs, n - 1)

    return f

  agrees(build, lambda: [([1, 2, 3], 5), ([1, 2, 3], 2)], Reason.CHECK_FAILED)


def test_a_test_on_tensors_may_raise():
  def build(recursive):
    @recursive
    def f(x):
      if x < 0.0:
        raise ValueError("negative")
      if x == 0.0:
        return x
      return f(x - 1.0) + x

    return f

  agrees(
    build,
    lambda: [(tf.constant(3.0),), (tf.constant(-3.0),)],
    Reason.CHECK_FAILED,
  )


def test_calls_in_the_branch_after_an_exception_do_not_begin():
  def build(recursive):
    @recursive
    def visit(node, left):
      if left == 0:
        raise ValueError(node.name)
      total = node.v
      if node.kids:
        for kid in node.kids:
          total += visit(kid, left - 1)
      else:
        total += visit(node, left - 1) if left > 2 else 1
      return total

    return visit

  tree = Node(1, True, "a", Node(2, True, "b"))
  agrees(build, lambda: [(tree, 4), (tree, 1)], Reason.CHECK_FAILED)


class Slotted:
  __slots__ = ("v", "kids")

  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


class Frozen(Slotted):
  __slots__ = ()

  @property
  def seen(self):
    return self.v


def test_writes_that_python_refuses():
  def build(recursive):
    @recursive
    def mark(n):
      n.v += 1
      if n.v > 5:
        n.missing = 1
      return n.v + sum([mark(kid) for kid in n.kids])

    return mark

  agrees(build, lambda: [(Slotted(1, Slotted(2)),), (Slotted(1, Slotted(7)),), (Slotted(3),)])


def test_properties_that_cannot_be_written():
  def build(recursive):
    @recursive
    def mark(n):
      if n.v > 5:
        n.seen = 1
      return n.v + sum([mark(kid) for kid in n.kids])

    return mark

  agrees(build, lambda: [(Frozen(1, Frozen(2)),), (Frozen(1, Frozen(7)),), (Frozen(3),)])


def ignored(unused, value):
  """Returns its second argument."""
  return value


@pytest.mark.parametrize(
  "own",
  [
    lambda n: ignored(tf.gather([1.0, 2.0], n.v), 1.0),
    lambda n: (tf.gather([1.0, 2.0], n.v), 1.0)[1],
    lambda n: ignored(10 // (n.v - 5), 1.0),
    lambda n: ignored(XS[n.v], 1.0),
    lambda n: ignored([tf.gather([1.0, 2.0], n.v)], 1.0),
  ],
)
def test_what_is_computed_and_then_dropped_raises(own):
  def build(recursive):
    @recursive
    def total(n):
      return own(n) + sum([total(k) for k in n.kids])

    return total

  calls = lambda: [(Node(v, True, "n", Node(1, True, "k")),) for v in (1, 5, 0)]  # noqa: E731
  agrees(build, calls, Reason.CHECK_FAILED)
