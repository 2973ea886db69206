"""Conversions and walks end: what would grow without end is refused, soon, and with the line."""

import gc
import itertools
import time
import weakref

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._budget import Limits, resident_bytes
from recursive_tf.convert.recursive._function import RecursiveFunction
from tests.convert.agreement import CONVERTED, Node, agrees, root
from tests.convert.compiled import compiled


def refusal_of(function, *args, limits=None):
  """Returns why a function is refused, after checks that it was refused soon and with little."""
  begin, before = time.thread_time(), resident_bytes()
  with pytest.raises(ConversionRefused) as found:
    RecursiveFunction(function, strict=True, limits=limits)(*args)
  assert time.thread_time() - begin < 10
  assert resident_bytes() - before < 200_000_000
  return found.value


def small(**limits):
  """Returns limits that are reached within a second."""
  return Limits(**{"num_steps": 2_000, "num_nodes": 600, "seconds": 5.0, **limits})


def h1(n):
  return n.v + 1


def h2(n):
  return h1(n) + h1(n)


def h3(n):
  return h2(n) + h2(n)


def h4(n):
  return h3(n) + h3(n)


def h5(n):
  return h4(n) + h4(n)


def h6(n):
  return h5(n) + h5(n)


def h7(n):
  return h6(n) + h6(n)


def test_helpers_that_call_helpers_twice_are_refused_by_the_innermost():
  def f(n):
    return h7(n) + sum(f(k) for k in n.kids)

  refusal = refusal_of(f, root(), limits=small())
  assert refusal.reason == Reason.TOO_LARGE
  assert refusal.origin.function in ("h1", "h2") and "return" in refusal.origin.text


def test_loops_in_loops_are_refused_by_the_innermost():
  def f(n):
    total = 0
    for a in n.kids:
      for b in n.kids:
        for c in n.kids:
          for d in n.kids:
            total += a.v * b.v * c.v * d.v
    return total + sum(f(k) for k in n.kids)

  refusal = refusal_of(f, root(), limits=small(seconds=2.0))
  assert refusal.reason == Reason.TOO_LARGE
  assert refusal.origin.text in ("for d in n.kids:", "total += a.v * b.v * c.v * d.v")


@pytest.mark.slow
def test_a_long_unrolled_loop_is_refused_by_its_body():
  def f(n):
    total = 0
    for i in range(30_000):
      if i % 7 == 0:
        total += n.v
    return total + sum(f(k) for k in n.kids)

  refusal = refusal_of(f, root())
  assert refusal.reason == Reason.TOO_LARGE
  assert refusal.origin.text in ("if i % 7 == 0:", "total += n.v")
  assert "steps" in refusal.explanation


def test_loops_too_long_to_list_are_refused_before_they_are_listed():
  def f(n):
    total = n.v
    for _ in range(10**12):
      total += 1
    return total + sum(f(k) for k in n.kids)

  assert refusal_of(f, root()).reason == Reason.TOO_LARGE


def test_nesting_beyond_the_stack_of_python_is_refused():
  lines = [f"  {'el' if i else ''}if v == {i}: return {i} + v" for i in range(300)]
  chain = _function("chain", ["def chain(v):", *lines, "  return 0"])

  def f(n):
    return chain(n.v) + sum(f(k) for k in n.kids)

  refusal = refusal_of(f, root())
  assert refusal.reason == Reason.TOO_LARGE and "stack" in refusal.explanation


def _function(name, lines):
  """Returns a function of a module that is made here, with its source."""
  return compiled("\n".join(lines) + "\n", name, f"<{name}>")


def test_what_is_too_large_is_not_tried_again():
  def f(n):
    return h7(n) + sum(f(k) for k in n.kids)

  function = RecursiveFunction(f, limits=small())
  results = [function(root()) for _ in range(3)]
  assert results == [f(root())] * 3
  assert function.stats.num_conversions == 1
  assert function.stats.fallbacks == {Reason.TOO_LARGE: 3}


def test_the_conversions_of_one_call_share_their_budget():
  class Leaf:
    def __init__(self, v):
      self.v = v

  class Other(Leaf):
    pass

  def f(n):
    return h4(n) if isinstance(n, Leaf) else sum(f(k) for k in n.kids)

  tree = Node(0, True, "", Leaf(1), Other(2), Leaf(2.0))
  refusal = refusal_of(f, tree, limits=small(num_nodes=100))
  assert refusal.reason == Reason.TOO_LARGE


# --- Data without end


def test_data_sets_are_refused():
  data = tf.data.Dataset.range(5)

  def build(recursive):
    @recursive
    def f(n):
      total = tf.constant(n.v, tf.int64)
      for batch in data:
        total += batch
      return total + sum(f(k) for k in n.kids)

    return f

  function = agrees(build, expect=Reason.UNSUPPORTED_OPERATION)
  assert "RangeDataset" in str(function.explain())


@pytest.mark.parametrize(
  "wrap",
  [list, sum, sorted, lambda d: list(zip(d, [1], strict=False)), lambda d: list(enumerate(d)), max],
  ids=["list", "sum", "sorted", "zip", "enumerate", "max"],
)
def test_endless_data_sets_are_refused_by_whatever_takes_them_apart(wrap):
  data = tf.data.Dataset.range(5).repeat()

  def f(n):
    found = wrap(data)
    return found[0] if n.v > 1 else sum(f(k) for k in n.kids)

  assert refusal_of(f, root()).reason == Reason.UNSUPPORTED_OPERATION


@pytest.mark.parametrize(
  "make",
  [
    itertools.count,
    lambda: iter(int, 1),
    lambda: (x for x in itertools.repeat(1)),
    lambda: iter(tf.data.Dataset.range(3).repeat()),
    lambda: open(__file__),
  ],
  ids=["count", "callable", "generator", "dataset", "file"],
)
def test_iterators_are_refused_and_left_as_they_are(make):
  source = make()

  def f(n):
    total = n.v
    for _ in source:
      total += 1
    return total + sum(f(k) for k in n.kids)

  assert refusal_of(f, root()).reason == Reason.UNSUPPORTED_OPERATION
  if hasattr(source, "close"):
    source.close()


# --- Loops with an exit


def test_long_loops_with_break_are_loops_of_the_graph():
  def build(recursive):
    @recursive
    def f(n):
      total = 0
      for i in range(100):
        if i > n.v:
          break
        total += i
      return total + sum(f(k) for k in n.kids)

    return f

  agrees(build, lambda: [(root(),), (Node(150, True, "r", Node(98, True, "a")),)], CONVERTED)


def test_long_loops_with_return_are_loops_of_the_graph():
  def first(n):
    for i in range(60):
      if i * i > n.v * 7:
        return i
    return -1

  def build(recursive):
    @recursive
    def f(n):
      return first(n) * 2 + sum(f(k) for k in n.kids)

    return f

  agrees(build, lambda: [(root(),), (Node(10_000, True, "r"),)], CONVERTED)


def test_loops_with_break_over_a_longer_table_go_turn_by_turn():
  table = [(chr(97 + i), i) for i in range(15)]

  def build(recursive):
    @recursive
    def f(n):
      found = 0
      for name, number in table:
        if name == n.name:
          found = number
          break
      return found + sum(f(k) for k in n.kids)

    return f

  agrees(build, expect=CONVERTED)


# --- Walks


def test_strings_made_of_strings_are_not_walked():
  def build(recursive):
    @recursive
    def f(t):
      if isinstance(t, str):
        return f([t.upper(), t[0]]) if len(t) > 20 else t.upper()
      return f(t[0])

    return f

  begin = time.thread_time()
  refusals = {Reason.UNSUPPORTED_OPERATION, Reason.CHECK_FAILED}
  agrees(build, lambda: [(["ähnlich", ["bc", "d"]],)], refusals)
  assert time.thread_time() - begin < 10


def test_a_tree_of_lists_and_strings_may_ask_its_strings():
  def build(recursive):
    @recursive
    def f(t):
      if isinstance(t, str):
        return len(t.upper()) + (t.lower() == "a")
      return sum(f(c) for c in t)

    return f

  agrees(build, lambda: [(["a", ["bc", "ö"]],)], CONVERTED)


def test_strings_made_of_attributes_are_objects():
  def build(recursive):
    @recursive
    def f(n):
      return [n.name.upper()] + [x for k in n.kids for x in f(k)]

    return f

  agrees(build)


# --- Ever other constants


def test_many_strings_are_data():
  def f(n, word):
    return (n.name == word) + sum(f(k, word) for k in n.kids)

  function = rtf.recursive(f)
  words = ["a", "b", "r"] + [f"w{i}" for i in range(1_000)]
  assert [function(root(), word) for word in words[:30]] == [1, 1, 1] + [0] * 27
  before = resident_bytes()
  assert [function(root(), word) for word in words[30:]] == [0] * 973
  assert function.stats.num_conversions <= 6 and not function.stats.fallbacks
  assert resident_bytes() - before < 50_000_000


def test_strings_that_cannot_be_data_are_refused_without_being_tried_again():
  def f(n, word):
    return word[: n.v] == n.name or any(f(k, word) for k in n.kids)

  function = rtf.recursive(f)
  for i in range(100):
    assert function(root(), f"w{i}") == f(root(), f"w{i}")
  assert function.stats.num_conversions <= 8


def test_a_new_function_in_each_call_is_refused_and_none_is_kept():
  def f(n, change):
    return change(n.v) + sum(f(k, change) for k in n.kids)

  function = rtf.recursive(f)
  kept = []
  for i in range(100):

    def change(v, i=i):
      return v + i

    kept.append(weakref.ref(change))
    assert function(root(), change) == f(root(), change)
  del change
  gc.collect()
  assert function.stats.num_conversions < 16
  assert sum(each() is not None for each in kept) < 20
  assert function.stats.fallbacks.keys() == {Reason.TOO_MANY_VARIANTS}
  assert "'change'" in str(function.explain())


def test_models_in_turn_are_converted_if_they_are_used():
  class Model:
    def __init__(self, scale):
      self.scale = scale

    @rtf.recursive
    def f(self, n):
      return n.v * self.scale + sum(self.f(k) for k in n.kids)

  for scale in range(20):
    model = Model(scale)
    assert [model.f(root()) for _ in range(20)] == [6 * scale] * 20
  assert not Model.f.stats.fallbacks and len(list(Model.f._programs)) <= 17
