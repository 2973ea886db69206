"""Sets that nodes have: looked into, gone through, compared, put together."""

import pytest

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, agrees


class Node:
  def __init__(self, words, *kids, name="a"):
    self.words, self.kids, self.name = words, list(kids), name


ASKED = {
  "constant": lambda n, w: 1 if "a" in n.words else 0,
  "argument": lambda n, w: 1 if w in n.words else 0,
  "attribute": lambda n, w: 1 if n.name in n.words else 0,
  "not_in": lambda n, w: 1 if w not in n.words else 0,
  "made": lambda n, w: 1 if n.name + "" in n.words else 0,
  "of_kid": lambda n, w: sum([1 for k in n.kids if w in k.words]),
  "len": lambda n, w: len(n.words),
  "truth": lambda n, w: 1 if n.words else 0,
  "loop": lambda n, w: sum([len(x) for x in n.words]),
  "loop_in_order": lambda n, w: "".join([x for x in n.words]),
  "ends_early": lambda n, w: 1 if next((x for x in n.words if x != w), "") else 0,
  "sorted": lambda n, w: "".join(sorted(n.words)),
  "any": lambda n, w: 1 if any(x == w for x in n.words) else 0,
  "union": lambda n, w: len(n.words | {"a", w}),
  "intersection": lambda n, w: len({"a"} & n.words),
  "difference": lambda n, w: sorted(n.words - {w}),
  "of_two": lambda n, w: [len(n.words & k.words) for k in n.kids],
  "method": lambda n, w: [n.words.isdisjoint({w}), len(n.words.union([w]))],
  "subset": lambda n, w: [n.words.issubset({"a", "b"}), n.words.issuperset([w])],
  "equal": lambda n, w: [n.words == {"b"}, n.words != {"a", "b"}],
  "copy": lambda n, w: [len(set(n.words)), len(n.words.copy()), len(list(n.words))],
  "none": lambda n, w: 1 if None in n.words else 0,
  "of_ints": lambda n, w: 1 if len(w) in n.words else 0,
  "node": lambda n, w: 1 if n in n.words else 0,
  "kid": lambda n, w: sum([1 for k in n.kids if k in n.words]),
  "tuple": lambda n, w: 1 if (1, w) in n.words else 0,
  "list": lambda n, w: 1 if [w] in n.words else 0,
  "kids": lambda n, w: 1 if n.kids in n.words else 0,
  "backwards": lambda n, w: len(list(reversed(n.words))),
  "changed": lambda n, w: n.words.add(w),
}


def words():
  inner = Node(set(), name="z")
  return Node({"a", "b"}, Node({"b"}, inner, name="b"), Node({"c", "a", "b"}, name="c"))


def ints():
  return Node(
    {1, 2}, Node({3, True}, Node(frozenset(), name=3), name=2), Node({2.0}, name=2), name=1
  )


def mixed():
  tuples = Node({2.5, "a", (1, "a")})
  return Node({1, "a"}, Node({None, "b"}, name=None), tuples, Node(frozenset(["a"])), name=1)


def nodes():
  a, b = Node({"a"}), Node(set())
  return Node({a, b}, a, Node({a}, b, a))


TREES = {tree.__name__: tree for tree in (words, ints, mixed, nodes)}
OF_WORDS = {*ASKED} - {
  "node",
  "kid",
  "tuple",
  "list",
  "kids",
  "changed",
  "backwards",
  "loop_in_order",
}


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("asked", ASKED)
def test_what_is_asked_of_sets(asked, tree):
  ask = ASKED[asked]

  def build(recursive):
    @recursive
    def f(n, w):
      return [ask(n, w), [f(k, w) for k in n.kids]]

    return f

  is_sure = tree == "words" and asked in OF_WORDS - {"of_two", "difference"}
  expect = CONVERTED if is_sure else None
  agrees(build, lambda: [(TREES[tree](), w) for w in ("a", "qq", "a")], expect=expect)


def test_objects_are_found_in_sets_by_identity():
  def build(recursive):
    @recursive
    def f(n, one):
      return int(one in n.words) + sum([f(k, one) for k in n.kids])

    return f

  def calls():
    leaf, other = Node({"x"}), Node(set())
    tree = Node({leaf, other}, Node({leaf}, leaf), Node({other}), other)
    tree.words.add(tree)
    return [(tree, leaf), (tree, other), (tree, tree), (tree, Node(set()))]

  agrees(build, calls)


def test_members_change_between_calls():
  def build(recursive):
    @recursive
    def f(n, w):
      return int(w in n.words) + 10 * len(n.words) + sum([f(k, w) for k in n.kids])

    return f, [words(), iter([["x"], ["a", "y"], [], [1], [None], ["b"], ["q"], ["a"]] * 3)]

  (plain, mine), (other, its) = build(lambda function: function), build(rtf.recursive(verify=False))
  for w in "abxyqabxyqabxy":
    for tree, more in (mine, its):
      tree.words.update(next(more))
      tree.kids[0].words ^= {"b"}
    assert plain(mine[0], w) == other(its[0], w)
  assert other.stats.num_converted_runs


def test_a_set_that_is_written_elsewhere_is_read_as_python_does():
  """The set of a node is that which is passed in and added to."""

  def build(recursive):
    @recursive
    def f(n, seen):
      seen.add(n.name)
      return [int("b" in n.words), [f(k, seen) for k in n.kids]]

    return f

  def calls():
    seen = {"q"}
    return [(Node({"a"}, Node(seen, name="b"), Node(seen)), seen), (words(), {"a"})]

  agrees(build, calls)
