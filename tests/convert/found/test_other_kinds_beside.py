"""Values beside others of a kind that an operation does not take: `is`, keys, indices."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, bushy, root
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
