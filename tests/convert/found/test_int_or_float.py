"""Numbers of which the run decides whether they are ints or floats: 0 beside 0.5, inf beside 3."""

import math

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees


class Tree:
  """A binary tree of numbers."""

  def __init__(self, val, left=None, right=None):
    self.val, self.left, self.right = val, left, right


def ints():
  return Tree(5, Tree(3, Tree(1), Tree(4)), Tree(8, None, Tree(9)))


def floats():
  return Tree(5.5, Tree(3.5, Tree(1.5), Tree(-0.0)), Tree(8.0, None, Tree(9.5)))


def mixed():
  return Tree(5, Tree(3.5, Tree(1), Tree(0.0)), Tree(8, None, Tree(-9.5)))


TREES = {"ints, then floats": [ints, floats], "floats": [floats], "mixed": [mixed]}


# --- Programs as they are written


def is_search_tree(valid):
  def check(n, lo=float("-inf"), hi=float("inf")):
    if n is None:
      return True
    if not lo < n.val < hi:
      return False
    return valid()(n.left, lo, n.val) and valid()(n.right, n.val, hi)

  return check


def bounds(f):
  def measure(n):
    if n is None:
      return 0, math.inf, -math.inf
    a, b = f()(n.left), f()(n.right)
    return a[0] + b[0] + 1, min(n.val, a[1], b[1]), max(n.val, a[2], b[2])

  return measure


def halves(f):
  def total(n):
    if n is None:
      return 0
    return n.val * 0.5 + f()(n.left) - f()(n.right)

  return total


def best_path(f):
  def best(n):
    if n is None:
      return 0
    return n.val + max(0, f()(n.left), f()(n.right))

  return best


def running_sum(f):
  def total(n):
    found = 0
    for kid in (n.left, n.right):
      if kid is not None:
        found += f()(kid) / 2
    return -found + abs(n.val)

  return total


def listed(f):
  def total(n):
    kids = [kid for kid in (n.left, n.right) if kid is not None]
    return sum([f()(kid) for kid in kids]) + (n.val if n.val > 2 else 0.5)

  return total


def kept(f):
  def mean(n):
    if n is None:
      return 0, 0
    (s, c), (t, d) = f()(n.left), f()(n.right)
    n.total = s + t + n.val
    n.mean = n.total / (c + d + 1)
    return n.total, c + d + 1

  return mean


@pytest.mark.parametrize("trees", TREES)
@pytest.mark.parametrize(
  "make", [is_search_tree, bounds, halves, best_path, running_sum, listed, kept]
)
def test_programs_convert_for_trees_of_ints_and_of_floats(make, trees):
  def build(recursive):
    f = recursive(make(lambda: f))
    return f

  agrees(build, lambda: [(tree(),) for tree in TREES[trees]], CONVERTED)


# --- Each operation


def either(n):
  """Returns an int or a float, by the tree."""
  return n.val if n.left is None else n.val / 2


CONVERTING = {
  "with a constant": lambda x, y: (x + 1, 1 - x, x * 3, x / 4, 0 * x, x + 0.5, 2.0 - x, x * -1),
  "with another": lambda x, y: (x + y, x - y, y - x, x * y, x - x, (x + y) / 2),
  "alone": lambda x, y: (-x, +x, abs(x), bool(x), not x, float(x), int(x), round(x)),
  "comparison": lambda x, y: (x < y, x <= y, x == y, x != y, x > 3, 2.5 >= x, x == 0, 0 < x < 9),
  "extreme": lambda x, y: (min(x, y), max(x, y), max(0, x), min(x, 0.0), max([x, y, 2])),
  "type": lambda x, y: (
    isinstance(x, int),
    isinstance(x, float),
    isinstance(x, (int, float)),
    isinstance(x, str),
  ),
  "none": lambda x, y: (x is None, x is not None, x == None),  # noqa: E711
  "truth": lambda x, y: (x and y, x or y, 1 if x else 2.0, x if x > y else y),
  "tensor": lambda x, y: (tf.constant([1.5, 2.0]) * x, x + tf.constant(0.5)),
  "math": lambda x, y: (math.floor(x), math.sqrt(abs(x)), math.exp(-abs(x)), math.isinf(x)),
  "containers": lambda x, y: ([x, y], (x, 0.5), {"a": x}, sum([x, y]), sum([x, 1, 0.5])),
  "sequence": lambda x, y: (max([x, y]), min((y, x)), [z + 1 for z in (x, y)], [x, y][0]),
}
OTHERS = {
  "floor division": lambda x, y: x // 2,
  "rest": lambda x, y: x % 3,
  "power": lambda x, y: x**2,
  "root": lambda x, y: x**0.5 if x > 0 else 0,
  "text": lambda x, y: str(x),
  "formatted": lambda x, y: f"{x:.2f}",
  "index": lambda x, y: [1, 2, 3][x] if isinstance(x, int) and 0 <= x < 3 else 0,
  "in": lambda x, y: x in (1, 2.5, 4),
  "key": lambda x, y: {1: "a", 0.75: "b"}.get(x, "c"),
  "range": lambda x, y: len(range(x)) if isinstance(x, int) else 0,
  "sorted": lambda x, y: sorted([x, y, 2]),
  "identity": lambda x, y: x is y,
  "new tensor": lambda x, y: tf.constant(x),
  "bool": lambda x, y: (x + True, True * x),
  "times a list": lambda x, y: [0] * x if isinstance(x, int) else [],
}


@pytest.mark.parametrize("operation", [*CONVERTING, *OTHERS])
def test_operations(operation):
  compute = (CONVERTING | OTHERS)[operation]

  def build(recursive):
    seen = []

    @recursive
    def visit(n):
      found = compute(either(n), n.val)
      seen.append(found)
      print(either(n))
      for kid in (n.left, n.right):
        if kid is not None:
          visit(kid)
      return either(n)

    return visit, [seen]

  expect = CONVERTED if operation in CONVERTING else None  # Refused, or in a part of the runs.
  agrees(build, lambda: [(ints(),), (mixed(),), (floats(),)], expect)


EXTREMES = [0, 0.0, -0.0, math.inf, -math.inf, math.nan, 2**53, 2**53 + 1, -(2**60), 2**80]


@pytest.mark.parametrize("val", EXTREMES, ids=str)
def test_values_at_the_edges(val):
  def build(recursive):
    @recursive
    def visit(n):
      x = n.val if n.left is None else 0.5
      y = 0 if n.left is None else n.val * 1.0
      return [x, y, x + y, x * y, x - y, -x, x < y, x == y, max(x, y), min(x, y), x * 2, abs(x)]

    return visit

  agrees(build, lambda: [(Tree(val),), (Tree(2, Tree(val)),), (Tree(val, Tree(1.5)),)])


def test_a_sum_grows_beyond_what_floats_hold():
  def build(recursive):
    @recursive
    def total(n):
      if n is None:
        return 0
      found = n.val + total(n.left) + total(n.right)
      return found if n.val > 0 else found / 2

    return total

  big = 2**30
  chain = Tree(big)
  for _ in range(5):
    chain = Tree(big, chain, chain)
  agrees(build, lambda: [(chain,), (Tree(3, Tree(-1)),)])


def test_state_is_an_int_first_and_a_float_later():
  def build(recursive):
    state = {"total": 0}
    sums = [0, 1]

    @recursive
    def visit(n):
      state["total"] += n.val / 2
      sums[0] = sums[0] + n.val
      for kid in (n.left, n.right):
        if kid is not None:
          visit(kid)
      return state["total"]

    return visit, [state, sums]

  agrees(build, lambda: [(ints(),), (mixed(),), (ints(),)])


def test_packed_results_have_one_type():
  def build(recursive):
    @recursive
    def total(n):
      return 0 if n is None else n.val * 0.5 + total(n.left) + total(n.right)

    return total

  f = agrees(build, lambda: [(ints(),)], CONVERTED)
  with pytest.raises(Exception, match="a Python int or float, which no graph can hold") as raised:
    f.pack([ints()])
  assert raised.value.reason is Reason.INSIDE_FUNCTION


BEYOND = 2**53 + 1


def wide_argument(x, y):
  return x if y > 0 else 0.5


def wide_sum(x, y):
  return (x if y > 0 else 0.5) + 1


def wide_extreme(x, y):
  return max(x if y > 0 else 0.5, BEYOND)


def wide_total(x, y):
  return sum([0.5 for _ in range(y - 1)], x)


@pytest.mark.parametrize("compute", [wide_argument, wide_sum, wide_extreme, wide_total])
def test_ints_that_floats_would_round_are_left_to_python(compute):
  def build(recursive):
    @recursive
    def f(x, y):
      return compute(x, y) if y < 3 else f(x, y - 1)

    return f

  agrees(build, lambda: [(x, y) for x in (3, 2**53 - 1, 2**53, BEYOND) for y in (1, 4)])


def test_wide_ints_in_state_and_in_trees():
  def build(recursive):
    state = {"t": 0}

    @recursive
    def f(n):
      state["t"] = n.val
      total = n.val
      for kid in (n.left, n.right):
        if kid is not None:
          total = total + f(kid)
      return total

    return f, [state]

  agrees(build, lambda: [(Tree(1.5, Tree(BEYOND)),), (Tree(0.5, Tree(2**53)),), (mixed(),)])
