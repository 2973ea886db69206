"""Dicts that are passed in and looked into, or filled, by keys that only the run knows."""

import collections

import pytest

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, of_text, root


def trees():
  return [Node(7, True, "l"), root(), lopsided(), bushy(), root()]


def histogram(recursive):
  @recursive
  def visit(n, counts):
    counts[n.v % 3] = counts.get(n.v % 3, 0) + 1
    for k in n.kids:
      visit(k, counts)
    return counts

  return visit


def by_name(recursive):
  @recursive
  def visit(n, counts):
    if n.name not in counts:
      counts[n.name] = 0
    counts[n.name] += n.v
    return n.v + sum([visit(k, counts) for k in n.kids])

  return visit


def written_only(recursive):
  @recursive
  def visit(n, sizes):
    size = 1
    for k in n.kids:
      size += visit(k, sizes)
    sizes[n.name] = size
    return size

  return visit


def counted(recursive):
  @recursive
  def visit(n, counts):
    counts[n.v % 4] += 1
    for k in n.kids:
      visit(k, counts)
    return counts

  return visit


@pytest.mark.parametrize("build", [histogram, by_name, written_only], ids=lambda f: f.__name__)
def test_dicts_that_are_filled(build):
  found = agrees(build, lambda: [(tree, {}) for tree in trees()], expect=CONVERTED)
  assert found.stats.num_conversions <= 3, found.explain()


def test_dicts_that_hold_something_before():
  agrees(histogram, lambda: [(root(), {5: 1}), (bushy(), {1: 4, 0: 2}), (root(), {})], CONVERTED)


@pytest.mark.parametrize(
  "make",
  [
    collections.Counter,
    lambda: collections.defaultdict(int),
    lambda: collections.Counter({2: 5}),
    lambda: collections.defaultdict(float),
  ],
  ids=["counter", "int", "filled", "float"],
)
def test_dicts_that_make_missing_items(make):
  is_of_floats = type(make()[1]) is float
  expect = None if is_of_floats else CONVERTED
  agrees(counted, lambda: [(tree, make()) for tree in trees()], expect=expect)


def test_dicts_of_several_classes():
  def calls():
    dicts = [collections.Counter(), collections.defaultdict(int), {0: 0, 1: 0, 2: 0, 3: 0}, {}]
    return [(root(), counts) for counts in dicts]

  agrees(counted, calls)


def test_one_dict_for_all_calls():
  def calls():
    counts = {}
    return [(tree, counts) for tree in trees()]

  agrees(histogram, calls, expect=CONVERTED)


def test_a_memo():
  def build(recursive):
    @recursive
    def fibonacci(n, memo):
      if n in memo:
        return memo[n]
      if n < 2:
        return n
      memo[n] = fibonacci(n - 1, memo) + fibonacci(n - 2, memo)
      return memo[n]

    return fibonacci

  agrees(build, lambda: [(n, {}) for n in (7, 0, 1, 12)] + [(9, {5: 100})], expect=CONVERTED)


def _is_kept(n, counts, kept):
  kept.append(counts)


def _is_compared(n, counts, kept):
  if len(kept) > 0 and kept[0] is counts:
    counts[100] = 1


def _has_a_length(n, counts, kept):
  counts[len(counts)] = n.v


def _is_gone_through(n, counts, kept):
  for key in counts:
    kept.append(key)


def _has_items(n, counts, kept):
  kept.append(sum(counts.values()))


def _is_copied(n, counts, kept):
  kept.append(len(dict(counts)))


def _is_true(n, counts, kept):
  if not counts:
    kept.append(n.v)


def _has_a_constant_key(n, counts, kept):
  counts["all"] = n.v
  kept.append(counts["all"])


def _is_printed(n, counts, kept):
  print(counts)


def _is_returned_inside(n, counts, kept):
  return counts, n.v


USES = [
  *(_is_kept, _is_compared, _has_a_length, _is_gone_through, _has_items, _is_copied, _is_true),
  *(_has_a_constant_key, _is_printed, _is_returned_inside),
]


@pytest.mark.parametrize("use", USES, ids=lambda f: f.__name__[1:])
@pytest.mark.parametrize("is_first", [True, False])
def test_other_uses_of_the_dict(use, is_first):
  """Whatever else is done with it: another dict in the next call is another dict."""

  def build(recursive):
    kept = []

    @recursive
    def visit(n, counts):
      found = use(n, counts, kept) if is_first else None
      counts[n.v] = counts.get(n.v, 0) + 1
      for k in n.kids:
        visit(k, counts)
      return found if is_first else use(n, counts, kept)

    return visit, [kept]

  agrees(build, lambda: [(root(), {}), (bushy(), {}), (root(), {3: 4}), (root(), {})])


def test_the_dict_is_also_a_global_one():
  def build(recursive):
    known = {1: 10}

    @recursive
    def visit(n, counts):
      counts[n.v] = known.get(n.v, 0) + 1
      for k in n.kids:
        visit(k, counts)
      return len(counts)

    return visit, [known]

  agrees(build, lambda: [(root(), {}), (bushy(), {})])
  for order in ((True, False), (False, True)):
    results = []
    for decorate in (lambda f: f, _recursive):
      visit, (known,) = build(decorate)
      results.append([visit(root(), known if is_known else {}) for is_known in order] + [known])
    assert results[0] == results[1]


def _recursive(function):
  return rtf.recursive(function, verify=False)


def test_one_dict_for_two_parameters():
  def build(recursive):
    @recursive
    def visit(n, a, b):
      a[n.v] = b.get(n.v, 0) + 1
      b[n.v] = a[n.v] + 10
      for k in n.kids:
        visit(k, a, b)

    return visit

  def calls():
    one = {}
    return [(root(), {}, {}), (root(), one, one), (root(), {}, {})]

  agrees(build, calls)


def test_the_dict_is_a_part_of_the_tree():
  def build(recursive):
    @recursive
    def visit(n, counts):
      counts[n.v] = counts.get(n.v, 0) + 1
      found = n.table[2] if n.table else 0
      return found + sum([visit(k, counts) for k in n.kids])

    return visit

  def calls():
    table = {2: 5}
    tree = root()
    for n in (tree, *tree.kids):
      n.table = table
    return [(tree, {}), (tree, table)]

  agrees(build, calls)


def test_a_missing_key():
  def build(recursive):
    @recursive
    def visit(n, table):
      return table[n.v] + sum([visit(k, table) for k in n.kids])

    return visit

  agrees(build, lambda: [(root(), {1: 1, 2: 2, 3: 3}), (root(), {1: 1, 2: 2}), (root(), {})])


def test_trees_of_dicts_stay_trees():
  def build(recursive):
    @recursive
    def visit(tree):
      tree["size"] = 1 + sum([visit(kid) for kid in tree["kids"]])
      return tree["size"]

    return visit

  def tree(depth):
    return {"kids": [tree(depth - 1) for _ in range(depth)], "size": 0}

  agrees(build, lambda: [(tree(2),), (tree(0),), (tree(3),)])


def test_map_is_plain_python():
  def build(recursive):
    @recursive
    def visit(n, counts):
      counts[n.v] = counts.get(n.v, 0) + 1
      return n.v + sum([visit(k, counts) for k in n.kids])

    return visit

  visit = build(_recursive)
  counts = [{}, {}]
  assert [int(total) for total in visit.map([root(), bushy()], counts)] == [6, 21]
  assert counts == [{1: 1, 2: 1, 3: 1}, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1}]
  assert Reason.UNSUPPORTED_WRITE in {reason for reason, n in visit.stats.fallbacks.items() if n}


@pytest.mark.parametrize("written", ["c[n.name] += 1", "c[n.name] += n.v", "x = c[n.name] + 1"])
@pytest.mark.parametrize("factory", [int, float, bool])
@pytest.mark.parametrize("first", [{}, {"b": 2}])
def test_a_defaultdict_that_is_passed_in_may_be_empty(first, factory, written):
  text = f"""
def f(n, c):
  {written}
  for k in n.kids:
    f(k, c)
  return len(c)
"""

  def calls():
    trees = [bushy(), lopsided(), root(), bushy()]
    return [(tree, collections.defaultdict(factory, first)) for tree in trees]

  other = agrees(of_text(text), calls)
  assert other.stats.num_converted_runs
