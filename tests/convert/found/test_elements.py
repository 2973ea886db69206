"""Elements of lists that are nests themselves come back whole: Child-Sum models, records, pairs."""

import dataclasses
import operator
from typing import NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, root
from tests.convert.compare import Comparison

D = 3


class Named(NamedTuple):
  h: tf.Tensor
  c: tf.Tensor


@dataclasses.dataclass
class Data:
  h: tf.Tensor
  c: tf.Tensor


@dataclasses.dataclass(frozen=True)
class Frozen:
  h: tf.Tensor
  c: tf.Tensor


class Plain:
  def __init__(self, h, c):
    self.h, self.c = h, c


def leaf():
  return Node(7, False, "z")


def chain(depth):
  node = Node(1, True, "end")
  for i in range(depth):
    node = Node(i + 2, i % 2 == 0, f"n{i}", node)
  return node


def trees():
  return [(root(),), (leaf(),), (bushy(),), (chain(30),)]


def zeros():
  return tf.zeros([D], tf.float64)


# --- What Child-Sum models do with the states of the children: pairs (h, c) -> sums of both


def by_item(states):
  hs, cs = zeros(), zeros()
  for s in states:
    hs, cs = hs + s[0], cs + tf.sigmoid(s[0]) * s[1]
  return hs, cs


def by_target(states):
  hs, cs = zeros(), zeros()
  for h, c in states:
    hs += h
    cs += c
  return hs, cs


def by_position(states):
  hs, cs = zeros(), zeros()
  for i in range(len(states)):
    hs += states[i][0]
    cs += states[i][1]
  return hs, cs


def by_zip(states):
  if not states:
    return zeros(), zeros()
  hs, cs = zip(*states)  # noqa: B905 - as people write it
  return tf.add_n(hs), tf.reduce_sum(tf.stack(cs), 0)


def by_zip_of_lists(states):
  if len(states) == 0:
    return zeros(), zeros()
  hs, cs = map(list, zip(*states))  # noqa: B905
  return tf.add_n(hs), tf.add_n(cs)


def by_stack(states):
  if not states:
    return zeros(), zeros()
  h = tf.stack([h for h, _ in states])
  c = tf.stack([c for _, c in states], axis=1)
  return tf.reduce_sum(tf.tanh(h), 0), tf.reduce_sum(c, 1)


def by_add_n(states):
  if not states:
    return zeros(), zeros()
  return tf.add_n([s[0] for s in states]), tf.add_n([s[1] for s in states])


def by_sum(states):
  return sum((h for h, _ in states), zeros()), sum([s[1] for s in states], zeros())


def by_bare_sum(states):
  return sum(s[0] for s in states) + zeros(), sum(c for _, c in states) + zeros()


def by_ends(states):
  if not states:
    return zeros(), zeros()
  (h, _), c = states[0], states[-1][1]
  return h, c


def by_rest(states):
  if not states:
    return zeros(), zeros()
  (h, c), *rest = states
  return h * (1.0 + len(rest)), c


def by_enumerate(states):
  hs, cs = zeros(), zeros()
  for i, (h, c) in enumerate(states):
    hs += h * tf.cast(i + 1, tf.float64)
    cs += c
  return hs, cs


def by_reversed(states):
  hs, cs = zeros(), zeros()
  for h, c in reversed(states):
    hs, cs = tf.tanh(hs + h), 0.5 * cs + c
  return hs, cs


COMBINED = (
  by_item, by_target, by_position, by_zip, by_zip_of_lists, by_stack, by_add_n, by_sum, by_bare_sum,
  by_ends, by_rest, by_enumerate, by_reversed,
)  # fmt: skip


def child_sum(recursive, combine, make=None, parts=None):
  """Returns a Child-Sum TreeLSTM whose states are appended, and its weights."""
  w = tf.Variable(np.linspace(-1.0, 1.0, D * D).reshape(D, D))
  u = tf.Variable(np.linspace(-0.5, 0.7, D * D).reshape(D, D))

  @recursive
  def encode(node):
    states = []
    for child in node.kids:
      states.append(encode(child))
    if parts is not None:
      states = [parts(state) for state in states]
    hs, cs = combine(states)
    x = tf.stack([tf.cast(node.v, tf.float64)] * D) * 0.1
    gate = tf.tanh(tf.linalg.matvec(w, x) + tf.linalg.matvec(u, hs))
    c = cs + gate
    return (gate * 0.5, c) if make is None else make(gate * 0.5, c)

  return encode, [w, u]


def weights(_, state):
  return state


@pytest.mark.parametrize("combine", COMBINED, ids=lambda f: f.__name__)
def test_child_sum_with_appended_states(combine):
  agrees(lambda recursive: child_sum(recursive, combine), trees, CONVERTED, weights)


def as_dict(h, c):
  return {"h": h, "c": c}


def as_list(h, c):
  return [h, c]


def by_field(state):
  return state.h, state.c


def by_key(state):
  return state["h"], state["c"]


def by_index(state):
  return state[0], state[1]


@pytest.mark.parametrize(
  ("make", "parts"),
  [(Named, by_field), (Named, by_index), (Data, by_field), (Frozen, by_field), (Plain, by_field),
   (as_dict, by_key), (as_list, by_index)],
)  # fmt: skip
def test_child_sum_with_states_of_any_kind(make, parts):
  agrees(lambda recursive: child_sum(recursive, by_target, make, parts), trees, CONVERTED, weights)


def test_child_sum_with_an_explicit_leaf_test():
  def build(recursive):
    u = tf.Variable(np.linspace(-0.5, 0.7, D * D).reshape(D, D))

    @recursive
    def encode(node):
      x = tf.stack([tf.cast(node.v, tf.float64)] * D)
      if not node.kids:
        return tf.tanh(x), x
      states = []
      for child in node.kids:
        h, c = encode(child)
        states.append((h, c))
      total = x
      for h, c in states:
        total += tf.sigmoid(tf.linalg.matvec(u, h)) * c
      return tf.tanh(total), total

    return encode, [u]

  agrees(build, trees, CONVERTED, weights)


def test_child_sum_mapped_packed_and_changed_between_calls():
  encode, _ = child_sum(lambda f: f, by_target)
  converted, _ = child_sum(rtf.recursive(strict=True), by_target)
  forest = [tree for (tree,) in trees()]

  def check(got, where):
    expected = [tf.stack(part) for part in zip(*map(encode, forest), strict=True)]
    Comparison().check(tuple(expected), got, where)

  check(converted.map(forest), "map")
  forest[0].kids.append(Node(9, True, "new", leaf()))
  forest[2].kids[0].kids.clear()
  forest[3].v = 100
  check(converted.map(forest), "map after changes")
  check(tf.function(converted.map)(converted.pack(forest)), "pack")
  Comparison().check(encode(forest[0]), converted(forest[0]), "call")


# --- Records of what is read


def records(recursive, make):
  @recursive
  def listed(node):
    rows = []
    for kid in node.kids:
      rows.append(make(kid))
    return rows

  return listed


def deep_record(kid):
  return kid.flag, kid.v, 2.5, None, "s", (1, (kid.name, [kid, kid.v + 1]))


RECORDS = {
  "pair": lambda kid: (kid.v, kid.name),
  "list": lambda kid: [kid.v, kid.v + 1],
  "dict": lambda kid: {"v": kid.v, "name": kid.name},
  "named": lambda kid: Named(kid.v, kid.name),
  "dataclass": lambda kid: Data(kid.v, kid.name),
  "object": lambda kid: Plain(kid.v, kid.name),
  "constant": lambda kid: (1, "a"),
  "none": lambda kid: (kid.v, None),
  "choice": lambda kid: (kid.v, kid.name) if kid.flag else (0, "none"),
  "maybe": lambda kid: (kid.v, 1.0 if kid.flag else None),
  "deep": deep_record,
  "method": lambda kid: (kid.name.upper(), kid.v),
}


@pytest.mark.parametrize("make", RECORDS.values(), ids=RECORDS)
def test_appended_records_are_returned_whole(make):
  agrees(lambda recursive: records(recursive, make), trees, CONVERTED)


def pairs_used(recursive):
  @recursive
  def total(node):
    pairs = []
    for kid in node.kids:
      h = total(kid)
      pairs.append((h, h * 10.0))
    a = b = tf.cast(node.v, tf.float32)
    for x, y in pairs:
      a += x
      b += y
    return a + b

  return total


def two_lists_of_pairs(recursive):
  @recursive
  def listed(node):
    xs, ys, count = [], [], 0
    for kid in node.kids:
      xs.append((1, kid.v))
      ys.append(("a", kid.name))
      count += kid.v
    return xs, ys, count

  return listed


def two_lists_of_constants(recursive):
  @recursive
  def listed(node):
    xs, ys = [], []
    for _ in node.kids:
      xs.append(1)
      ys.append("a")
    return xs, ys, sum(xs)

  return listed


def constants_taken_apart(recursive):
  @recursive
  def listed(node):
    pairs = []
    for _ in node.kids:
      pairs.append((1, 2))
    total = 0
    for x, y in pairs:
      total += x * 10 + y
    if pairs:
      xs, ys = zip(*pairs)  # noqa: B905
      total += sum(xs) + sum(ys)
    return total, [x for x, _ in pairs], [pair[1] for pair in pairs]

  return listed


def nested_targets(recursive):
  @recursive
  def listed(node):
    rows = []
    for kid in node.kids:
      rows.append((kid.v, (kid.name, (kid.flag, kid))))
    return [(a, c, d) for a, (_, (c, d)) in rows], rows[:1], rows[::-1], list(reversed(rows))

  return listed


def best_of_states(recursive):
  @recursive
  def best(node):
    states = []
    for kid in node.kids:
      states.append(best(kid))
    found = (node.v, node)
    for state in states:
      if state[0] > found[0]:
        found = state
    return found

  return best


def fold_over_pairs(recursive):
  def fold(states, i):
    if i >= len(states):
      return 0.0
    a, b = states[i]
    return a * b + fold(states, i + 1)

  @recursive
  def total(node):
    states = []
    for kid in node.kids:
      states.append((total(kid), 0.5))
    return fold(states, 0) + node.v * 1.0

  return total


def all_arguments_in_one(recursive):
  @recursive
  def total(*args):
    return args[0].v + sum([total(kid) for kid in args[0].kids])

  return total


def fields_of_dicts(recursive):
  @recursive
  def listed(node):
    rows = [{"h": kid.v, "c": kid.name} for kid in node.kids]
    return [row["h"] for row in rows], [row["c"] for row in rows]

  return listed


@pytest.mark.parametrize(
  "build",
  [pairs_used, two_lists_of_pairs, two_lists_of_constants, constants_taken_apart, nested_targets,
   best_of_states, fold_over_pairs, all_arguments_in_one, fields_of_dicts],
)  # fmt: skip
def test_elements_keep_their_parts(build):
  agrees(build, trees, CONVERTED)


def test_a_method_in_a_record_is_pythons_own():
  def build(recursive):
    @recursive
    def listed(node):
      return [(kid.v, operator.add) for kid in node.kids]

    return listed

  agrees(build, trees, CONVERTED)
