"""How the C++ walk runs: depth, memory, threads, signals; and it gives what its oracle gives."""

import gc
import signal
import sys
import threading
import tracemalloc
import weakref

import hypothesis
import hypothesis.strategies as st
import nltk
import numpy as np
import pytest

from recursive_tf import _walk
from recursive_tf.convert.heap._reference_walk import ReferenceWalker


class Node:
  """A node with any attributes."""


class Slotted:
  """A node with room for some attributes."""

  __slots__ = ("left", "right", "word", "kids")


class Tagged(str):
  """A str, but not exactly."""


LEFT, RIGHT = (("attr", "left"),), (("attr", "right"),)
WORD, KIDS = (("attr", "word"),), (("attr", "kids"),)
EDGES = [("handle", 0, LEFT), ("handle", 1, RIGHT)]
# Each with cells of its own: any choice of them fits together.
COLUMNS = [
  *EDGES,
  ("items", 2, KIDS),
  ("int?", 4, WORD, 5),
  ("str?", 0, (*LEFT, *WORD), 6),
  ("float?", 0, (*RIGHT, *WORD), 7),
  ("int", 8, (*KIDS, ("len",))),
  ("bool", 9, (*WORD, ("truth",))),
  ("bool?", 10, (*WORD, ("eq", "b")), 11),
  ("tensor?", 0, WORD, 12, 13),
  ("handle", 14, (*KIDS, ("item", -1))),
  ("bool?", 15, (*LEFT, ("isinstance", (Node, nltk.Tree))), 16),
  ("tensor?", 1, (*WORD, ("lookup", {"a": 1, 3: None}, 5)), 17, 18),
  ("bool?", 19, (*KIDS, ("item", 0), *WORD, ("in", {"a", 3})), 20),
]
# They fill nothing, and are of values that columns above read.
CHECKS = [
  ("types", 0, LEFT, (Node, Slotted, nltk.Tree, type(None))),
  ("types?", 0, LEFT, (nltk.Tree, Slotted, Node, type(None), str, int)),
  ("types", 0, RIGHT, (Node, type(None))),
  ("types?", 0, RIGHT, (Node, Slotted, nltk.Tree)),
  ("types", 0, WORD, (int, type(None))),
  ("types?", 0, WORD, (int,)),
  ("types", 0, (*LEFT, *WORD), (str, int, type(None))),
  ("item types", 0, KIDS, (Node, Slotted)),
]
TREE_COLUMNS = [
  ("items", 2, ()),
  ("int", 8, (("len",),)),
  ("handle", 14, (("item", 0),)),
  ("str?", 0, (("attr", "_label"), ("call", "upper")), 6),
  ("types?", 0, (("item", 0),), (nltk.Tree, Node, Slotted, type(None))),
  ("types", 0, (("method", "label", nltk.Tree.label),), (bool,)),
]
COUNTS = (21, 1, 1, 2)


@st.composite
def graphs(draw):
  """Objects that refer to each other in any way, and the columns of their types."""
  kinds = draw(st.lists(st.sampled_from([Node, Slotted, nltk.Tree]), min_size=1, max_size=12))
  nodes = [kind("x", []) if kind is nltk.Tree else kind() for kind in kinds]
  leaves = ["a", "b", 3, 10**6, None, None, None]
  rare = [True, 2.5, 2**40, Tagged("a"), (), [], {"a": 1}]
  values = st.sampled_from(leaves + (rare if draw(st.booleans()) else []))
  children = st.sampled_from([*nodes, *nodes, None])
  for node in nodes:
    if isinstance(node, nltk.Tree):
      node.extend(draw(st.lists(children, max_size=3)))
      continue
    names = ["left", "right", "word", "kids"]
    for name in names if draw(st.booleans()) else draw(st.sets(st.sampled_from(names))):
      if name == "word":
        setattr(node, name, draw(values))
      elif name == "kids":
        setattr(node, name, draw(st.lists(children, max_size=3) | st.tuples(children)))
      else:
        setattr(node, name, draw(children | st.none() | values))
  types = []
  for kind in (Node, Slotted):
    columns = draw(st.lists(st.sampled_from(COLUMNS), unique_by=id))
    checks = draw(st.lists(st.sampled_from(CHECKS), unique_by=id))
    columns = draw(st.sampled_from([checks + columns, columns + checks]))
    if draw(st.booleans()):  # What is of one value is side by side.
      paths = [column[2] for column in columns]
      columns.sort(key=lambda column: paths.index(column[2]))
    types.append((kind, columns))
  types.append((nltk.Tree, draw(st.lists(st.sampled_from(TREE_COLUMNS), unique_by=id))))
  types += draw(st.sampled_from([[], [(str, []), (int, [])]]))
  roots = draw(st.lists(st.sampled_from([*nodes, None]), max_size=4)) + nodes[:1]
  return types, roots


def identities(result):
  """Returns a result to compare, its objects by identity."""
  if isinstance(result, _walk.Surprise):
    reason, obj, path, column, value = result
    return reason, id(obj), path, column, value if isinstance(value, (int, float)) else id(value)
  objects = [id(obj) for obj in result.objects]
  tensors = [[id(obj) for obj in column] for column in result.tensors]
  return (*result[:3], tensors, result.items, objects, result.roots)


@hypothesis.settings(max_examples=500)
@hypothesis.given(graphs())
def test_gives_what_the_reference_gives(graph):
  types, roots = graph
  expected = ReferenceWalker(types, *COUNTS).walk(roots)
  walker = _walk.Walker(types, *COUNTS)
  for _ in range(2):
    assert identities(walker.walk(roots)) == identities(expected)


def chain(length):
  """Returns the nodes of a chain, the first one first."""
  nodes = [Slotted() for _ in range(length)]
  for node, following in zip(nodes, [*nodes[1:], None], strict=True):
    node.left, node.right = following, None
  return nodes


def test_a_million_deep_chain_is_walked():
  nodes = chain(10**6)
  rows = _walk.Walker([(Slotted, EDGES)], 2, 0, 0, 0).walk(nodes[:1])
  left, right = np.frombuffer(rows.ints, np.int32).reshape(-1, 2).T
  assert (left[:-1] == np.arange(1, 10**6)).all() and left[-1] == -1 and (right == -1).all()
  assert rows.objects[-1] is nodes[-1]


def test_small_walks_work_after_large_ones():
  walker = _walk.Walker([(Slotted, EDGES)], 2, 0, 0, 0)
  nodes = chain(300_000)
  for length in (300_000, 3, 2, 300_000, 1):
    assert len(walker.walk(nodes[-length:]).objects) == length


class Counting:
  """Counts how often an attribute is read."""

  num_reads = 0

  @property
  def kids(self):
    self.num_reads += 1
    return [None, None]


def test_paths_that_begin_alike_read_once():
  columns = [("items", 0, KIDS), ("int", 2, (*KIDS, ("len",))), ("handle", 3, (*KIDS, ("item", 0)))]
  rows = _walk.Walker([(Counting, columns)], 4, 0, 0, 0).walk([root := Counting()])
  assert np.frombuffer(rows.ints, np.int32).tolist() == [0, 2, 2, -1]
  assert root.num_reads == 1


@pytest.mark.parametrize("num_missing", [0, 1, 10, 20, 90, 100])
def test_any_share_of_attributes_may_be_missing(num_missing):
  nodes = [Node() for _ in range(100)]
  for node in nodes[: 100 - num_missing]:
    node.word = 7
  roots = (nodes + nodes[::-1]) * 2
  walker = _walk.Walker([(Node, [("int?", 0, WORD, 1)])], 2, 0, 0, 0)
  expected = [[7, 0]] * (100 - num_missing) + [[0, 2]] * num_missing
  for _ in range(3):
    rows = walker.walk(roots)
    assert np.frombuffer(rows.ints, np.int32).reshape(-1, 2).tolist() == expected


class Fresh:
  """Makes new objects when it is read."""

  num_alive = 0

  def __init__(self, depth=0):
    self.depth = depth
    Fresh.num_alive += 1

  def __del__(self):
    Fresh.num_alive -= 1

  @property
  def left(self):
    return Fresh(self.depth + 1) if self.depth < 50 else None


FRESH_COLUMNS = [
  ("handle", 0, LEFT),
  ("int", 1, (("attr", "depth"),)),
  ("tensor", 0, LEFT, 2),
  ("str", 0, (*LEFT, ("attr", "depth"))),
]


@pytest.mark.parametrize(
  "chosen, outcome", [([0, 1], _walk.Rows), ([0, 1, 2], _walk.Surprise), ([0, 3], _walk.Surprise)]
)
def test_objects_made_by_the_walk_die_with_its_result(chosen, outcome):
  columns = [FRESH_COLUMNS[i] for i in chosen]
  walker = _walk.Walker([(Fresh, columns)], 3, 0, 1, 1)
  result = walker.walk([Fresh()])
  assert isinstance(result, outcome)
  if outcome is _walk.Rows:
    assert [obj.depth for obj in result.objects] == list(range(51))
  del result
  assert Fresh.num_alive == 0


def outcomes_that_hold_references():
  """Walks that end in every way, with what they read."""
  node, failing = Node(), Node()
  node.left, node.right, node.word, node.kids = node, None, "word" * 3, [node, "leaf" * 3]
  columns = [c for c in COLUMNS if c[0] != "int?" and c[2][:2] != (*LEFT, *WORD)]
  failing.left, failing.word = Counting(), 10**9
  return [
    (_walk.Walker([(Node, columns), (str, [])], *COUNTS), [node, None, node]),
    (_walk.Walker([(Node, columns)], *COUNTS), [node]),
    (_walk.Walker([(Node, COLUMNS)], *COUNTS), [failing]),
    (_walk.Walker([(Node, COLUMNS)], *COUNTS), [object()]),
  ]


def test_references_are_all_given_back():
  walks = outcomes_that_hold_references()
  held = [root for _, roots in walks for root in roots if root is not None]
  held += [x for root in held if isinstance(root, Node) for x in vars(root).values()]

  def count():
    return [sys.getrefcount(x) for x in held if x is not None]

  before = count()
  results = [walker.walk(roots) for walker, roots in walks]
  assert [type(r).__name__ for r in results] == ["Rows", *["Surprise"] * 3]
  assert count() != before
  del results
  assert count() == before


def test_many_walks_take_no_more_memory():
  walks = outcomes_that_hold_references()

  def run(times):
    for _ in range(times):
      for walker, roots in walks:
        walker.walk(roots)
      _walk.Walker([(Node, COLUMNS)], *COUNTS)
      with pytest.raises(ValueError, match="no such kind"):
        _walk.Walker([(Node, [*COLUMNS, ("none", 0, ())])], *COUNTS)

  run(10)
  gc.collect()
  tracemalloc.start()
  try:
    run(10)
    before = tracemalloc.get_traced_memory()[0]
    run(300)
    gc.collect()
    assert tracemalloc.get_traced_memory()[0] - before < 20_000
  finally:
    tracemalloc.stop()


def test_a_walker_and_its_type_are_collected():
  class Owner:
    """Refers to the walker that refers to it."""

  Owner.walker = _walk.Walker([(Owner, [])], 0, 0, 0, 0)
  watch = weakref.ref(Owner)
  del Owner
  gc.collect()
  assert watch() is None


class Nested:
  """Walks itself when it is read."""

  def __init__(self, depth):
    self.depth = depth

  @property
  def left(self):
    if self.depth:
      nested = Nested(self.depth - 1)
      assert len(NESTED_WALKER.walk([nested, nested, None]).objects) == 2 - (self.depth == 1)
    return Nested(0) if self.depth else None


NESTED_WALKER = _walk.Walker([(Nested, [("handle", 0, LEFT)])], 1, 0, 0, 0)


def test_an_attribute_may_walk():
  for _ in range(3):
    rows = NESTED_WALKER.walk([Nested(4), None])
    assert [obj.depth for obj in rows.objects] == [4, 0]


def test_threads_may_share_a_walker():
  failures = []
  walker = _walk.Walker([(Fresh, FRESH_COLUMNS[:2])], 2, 0, 0, 0)

  def run():
    for _ in range(100):
      rows = walker.walk([Fresh(), Fresh(40)])
      cells = np.frombuffer(rows.ints, np.int32).reshape(-1, 2)
      depths = [*range(51), *range(40, 51)]
      if cells[:, 1].tolist() != depths or [obj.depth for obj in rows.objects] != depths:
        failures.append(cells)

  interval = sys.getswitchinterval()
  sys.setswitchinterval(1e-6)
  try:
    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
  finally:
    sys.setswitchinterval(interval)
  assert failures == []


def test_a_signal_ends_a_long_walk():
  class Alarm(Exception):  # noqa: N818
    pass

  def ring(*_):
    raise Alarm

  nodes = chain(10**6)
  walker = _walk.Walker([(Slotted, EDGES)], 2, 0, 0, 0)
  before = signal.signal(signal.SIGALRM, ring)
  try:
    with pytest.raises(Alarm):
      signal.setitimer(signal.ITIMER_REAL, 0.005)
      walker.walk(nodes[:1])
      pytest.fail("The walk took no notice.")
  finally:
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
  assert len(walker.walk(nodes[-2:]).objects) == 2
