"""Values beside others of a kind that an operation does not take: `is`, keys, indices."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, root
from tests.convert.found.collected import collector

MISSING = object()
GRAMMAR = {"S": [["NP", "VP"]], "NP": [["det", "N"], ["name"]], "N": [["noun"]], "VP": [["verb"]]}
TABLE = tf.reshape(tf.range(40.0), [20, 2])

programs, program = collector()


def trees():
  return [(root(),), (bushy(),)]


# --- `is` of a number or a string, and an object that is neither


@program(CONVERTED, lambda: [(root(), d) for d in (1, 2.5, "a", None, True, (1,), MISSING)])
def given_or_default(recursive):
  @recursive
  def ask(n, default):
    below = [ask(kid, default) for kid in n.kids]
    return ["none" if default is MISSING else "some", n.v is MISSING, n.name is MISSING, *below]

  return ask


@program(CONVERTED, lambda: [(root(),), (mixed(),)])
def one_of_several_kinds_or_an_object(recursive):
  @recursive
  def ask(n):
    return [n.v is MISSING, n.v is None, MISSING is not n.v, *[ask(kid) for kid in n.kids]]

  return ask


def mixed():
  tree = bushy()
  tree.v, tree.kids[0].v, tree.kids[1].v = MISSING, "s", None
  return tree


# --- Keys that may be lists


@program(CONVERTED, lambda: [("S", depth) for depth in range(4)])
def lists_of_lists_of_keys(recursive):
  @recursive
  def count(symbol, depth):
    if symbol not in GRAMMAR:
      return 1
    if depth == 0:
      return 0
    total = 0
    for right in GRAMMAR[symbol]:
      product = 1
      for one in right:
        product *= count(one, depth - 1)
      total += product
    return total

  return count


# --- Indices that are a list of ints


@program(CONVERTED, trees)
def rows_by_a_list_of_ints(recursive):
  @recursive
  def f(n):
    ids = [kid.v for kid in n.kids]
    if not ids:
      return tf.zeros([2])
    rows = tf.gather(TABLE, ids) + tf.nn.embedding_lookup(TABLE, ids=[i + 1 for i in ids])
    return tf.reduce_sum(rows, 0) + tf.add_n([f(kid) for kid in n.kids])

  return f


@program(Reason.CHECK_FAILED, lambda: [(root(),)])
def rows_by_an_empty_list(recursive):
  @recursive
  def f(n):
    rows = tf.gather(TABLE, [kid.v for kid in n.kids])
    return tf.reduce_sum(rows) + sum([f(kid) for kid in n.kids])

  return f


@pytest.mark.parametrize(("build", "expect", "calls"), programs)
def test_other_kinds_are_none_of_these(build, expect, calls):
  agrees(build, calls, expect)


@pytest.mark.parametrize("ask", ["in", "item", "get"])
def test_a_list_is_no_key(ask):
  asks = {
    "in": lambda one: one in GRAMMAR,
    "item": lambda one: len(GRAMMAR[one]),
    "get": lambda one: len(GRAMMAR.get(one, ())),
  }
  asked = asks[ask]

  def f(n):
    return [asked(one) for one in n.kids] if type(n) is Keys else 0

  plain, other = f, rtf.recursive(f, verify=False)
  for keys in (["S", "N"], ["S", ["S"]], [["N"]], ["NP"]):
    outcomes = []
    for run in (plain, other):
      try:
        outcomes.append(run(Keys(keys)))
      except TypeError as error:
        outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
  assert other.stats.num_converted_runs == 2, other.explain()


class Keys:
  """What has keys."""

  def __init__(self, kids):
    self.kids = kids


# --- An attribute that is a tensor, or something else


@pytest.mark.parametrize("other", ["s", 2, 2.5, True, None])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("array", [tf.constant, np.float32])
def test_a_tensor_or_a_value_of_another_kind(other, is_first, array):
  def calls():
    of_arrays, of_both = bushy(), bushy()
    for n, node in enumerate([*nodes(of_arrays), *nodes(of_both)]):
      node.v = array([1.0 * n, 2.0])
    of_both.kids[0].v = other
    trees = [(of_both,), (of_arrays,)]
    return trees if is_first else trees[::-1]

  def build(recursive):
    @recursive
    def f(n):
      if n.v is None or isinstance(n.v, (str, int, float)):
        return tf.constant(1.0)
      return tf.reduce_sum(n.v) + sum([f(kid) for kid in n.kids])

    return f

  agrees(build, calls, CONVERTED)


def nodes(tree):
  yield tree
  for kid in tree.kids:
    yield from nodes(kid)


# --- An attribute that is a list, or something else


def unpacked(f, n):
  first, *rest = n.v
  return [f(first), len(rest), *map(f, rest)]


def appended_to(f, n):
  n.v.append(Node(1, True, "new"))
  return [f(kid) for kid in n.v]


def by_two_names(f, n):
  kids = n.v
  kids.append(Node(1, True, "new"))
  return [*[f(kid) for kid in n.v], len(kids), kids is n.v]


def replaced(f, n):
  found = [f(kid) for kid in n.v]
  n.v = "done"
  return found


LISTED = {
  "loop": lambda f, n: [f(kid) for kid in n.v],
  "numbered": lambda f, n: [(i, f(kid)) for i, kid in enumerate(n.v)],
  "in_pairs": lambda f, n: [(f(a), b.name) for a, b in zip(n.v, n.v[1:], strict=False)],
  "reversed": lambda f, n: [f(kid) for kid in reversed(n.v)],
  "length": lambda f, n: len(n.v) + len(n.v[1:]),
  "last": lambda f, n: f(n.v[-1]),
  "in": lambda f, n: [n.v[0] in n.v, n in n.v, *[f(kid) for kid in n.v]],
  "unpacked": unpacked,
  "appended_to": appended_to,
  "by_two_names": by_two_names,
  "replaced": replaced,
}


@pytest.mark.parametrize("use", LISTED)
@pytest.mark.parametrize("other", ["word", 3, 2.5, None])
@pytest.mark.parametrize("container", [list, tuple])
def test_a_list_or_a_value_of_another_kind(use, other, container):
  def calls():
    trees = [root(), bushy(), root()]
    for node in [node for tree in trees for node in nodes(tree)]:
      node.v = container(node.kids) or other
    return [(tree,) for tree in trees]

  def build(recursive):
    @recursive
    def f(n):
      if n.v is None or isinstance(n.v, (str, int, float)):
        return n.v
      return LISTED[use](f, n)

    return f

  may_be_plain = use in ("appended_to", "by_two_names", "replaced", "in")
  agrees(build, calls, None if may_be_plain else CONVERTED)
