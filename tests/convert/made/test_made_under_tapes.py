"""Tensors in objects that a run makes, under a tape: gradients are plain Python's."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import Node
from tests.convert.made import under_tapes
from tests.convert.made.trees import check_same

left = tf.Variable([[0.3, -0.2], [0.1, 0.4]])
right = tf.Variable([[0.2, 0.5], [-0.3, 0.1]])
table = tf.Variable([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6], [-0.1, 0.2], [0.7, 0.3], [0.2, 0.2]])
wide = tf.Variable([[0.3, -0.2], [0.1, 0.4]], dtype=tf.float64)
weights = [left, right, table, wide]


class State:
  def __init__(self, vector, kids=()):
    self.vector = vector
    self.kids = list(kids)


@dataclasses.dataclass
class Pair:
  hidden: Any
  cell: Any
  name: str = ""
  kids: tuple[Any, ...] = ()


def nested_dict(n):
  state = tf.tanh(table[n.v % 6])
  out = {"state": state, "label": tf.argmax(state), "v": n.v}
  if n.kids:
    out["kids"] = [nested_dict(k) for k in n.kids]
  return out


def down(n, state):
  own = State(state)
  for k in n.kids:
    own.kids.append(down(k, tf.tanh(tf.linalg.matvec(left, state) + table[k.v % 6])))
  return own


def down_from_start(n):
  return down(n, tf.ones([2]))


def of_two_types(n):
  a = tf.tanh(table[n.v % 6])
  b = tf.tanh(tf.linalg.matvec(wide, tf.cast(a, tf.float64)))
  return Pair(a, b, n.name, tuple(of_two_types(k) for k in n.kids))


def floats_beside(n):
  return {"x": 0.5 * n.v, "t": table[n.v % 6] * 2.0, "k": [floats_beside(k) for k in n.kids]}


def old_or_new(n):
  if not n.kids:
    return n
  return State(tf.reduce_sum(table[: len(n.kids)], 0), [old_or_new(k) for k in n.kids])


def up(n, into):
  kids = [up(k, into) for k in n.kids]
  own = table[n.v % 6]
  if kids:
    scores = tf.nn.softmax(tf.tensordot(tf.stack(kids), tf.linalg.matvec(left, own), 1))
    into[n.name] = scores
    own = own + tf.tensordot(scores, tf.stack(kids), 1)
  return own


def filled(n):
  into = {}
  return up(n, into), into


def with_loss(n):
  state = tf.tanh(table[n.v % 6])
  made, loss = [], tf.reduce_sum(state**2)
  for k in n.kids:
    one, more = with_loss(k)
    made.append(one)
    loss += more
  return State(state, made), loss


def maybe(n):
  if n.v % 2:
    return None
  return {"t": left @ right * float(n.v), "kids": [maybe(k) for k in n.kids]}


def ragged(n):
  return State(table[: len(n.kids) + 1] * 3.0, [ragged(k) for k in n.kids])


def lists_of_tensors(n):
  return {"all": [table[n.v % 6], table[(n.v + 1) % 6]], "k": [lists_of_tensors(k) for k in n.kids]}


def while_loop(n):
  made, i, state = [], 0, table[n.v % 6]
  while i < len(n.kids):
    state = tf.tanh(tf.linalg.matvec(right, state))
    made.append({"s": state, "of": while_loop(n.kids[i])})
    i += 1
  return made


def binary(n):
  if len(n.kids) < 2:
    return ("leaf", table[n.v % 6])
  return ("node", binary(n.kids[0]), left @ right, binary(n.kids[1]))


def unused(n):
  """Of what nobody gets nothing flows back."""
  made = State(tf.exp(table[n.v % 6]))
  kids = [unused(k) for k in n.kids]
  return {"made": made, "kids": kids} if n.v % 3 else {"other": left @ right, "kids": kids}


def kept(n, found):
  found.append({"name": n.name, "t": tf.tanh(table[n.v % 6])})
  for k in n.kids:
    kept(k, found)


def appended(n):
  found = []
  kept(n, found)
  return found


PROGRAMS = {
  f.__name__: f
  for f in (
    *(nested_dict, down_from_start, of_two_types, floats_beside, old_or_new, filled, with_loss),
    *(maybe, ragged, lists_of_tensors, while_loop, binary, unused, appended),
  )
}
RECURSIVE = {"down_from_start": "down", "filled": "up", "appended": "kept"}


def random_tree(draw, depth=4):
  kids = [random_tree(draw, depth - 1) for _ in range(draw.choice([0, 1, 2, 2, 3]) if depth else 0)]
  return Node(draw.randrange(10), False, f"n{draw.randrange(1000)}", *kids)


def tensors_in(value, found):
  if isinstance(value, tf.Tensor):
    if value.dtype.is_floating:
      found.append(tf.cast(value, tf.float64))
  elif isinstance(value, dict):
    [tensors_in(one, found) for one in value.values()]
  elif isinstance(value, (list, tuple)):
    [tensors_in(one, found) for one in value]
  elif isinstance(value, (State, Pair)):
    tensors_in(vars(value), found)
  return found


def trained(function, tree):
  return under_tapes.trained(function, tree, tensors_in, weights)


def decorated(name, monkeypatch, **options):
  return under_tapes.decorated(globals(), name, monkeypatch, **options)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_plain_python(name, monkeypatch):
  function, converted = decorated(name, monkeypatch)
  draw = random.Random(name)
  trees = [random_tree(draw) for _ in range(4)]
  for tree in trees:
    made, gradients = trained(PROGRAMS[name], tree)
    found, others = trained(function, tree)
    check_same(made, found)
    for one, other in zip(gradients, others, strict=True):
      tf.debugging.assert_near(one, other, atol=1e-5, rtol=1e-4)
  assert not converted.stats.fallbacks, converted.explain()


@pytest.mark.parametrize("name", PROGRAMS)
def test_inference_is_of_a_program_of_its_own(name, monkeypatch):
  function, converted = decorated(name, monkeypatch)
  tree = random_tree(random.Random(3))
  for _ in range(2):
    check_same(PROGRAMS[name](tree), function(tree))
    check_same(*(trained(f, tree)[0] for f in (PROGRAMS[name], function)))
  count = converted.stats.num_conversions
  check_same(PROGRAMS[name](tree), function(tree))
  trained(function, tree)
  assert converted.stats.num_conversions == count


def test_checks_compare_the_gradients():
  function = rtf.recursive(strict=True, verify=True)(nested_dict)
  for seed in range(3):
    trained(function, random_tree(random.Random(seed)))
  assert function.stats.num_verified_runs == 3


def test_what_is_not_used_does_not_spoil_the_gradients():
  zeros = tf.Variable([0.0, 0.0])

  def visit(n):
    norm = tf.sqrt(tf.reduce_sum(zeros**2))
    return {"r": zeros * 3.0, "norm": norm, "kids": [visit(k) for k in n.kids]}

  tree = Node(0, False, "a", Node(1, False, "b"), Node(2, False, "c"))
  with tf.GradientTape() as tape:
    loss = tf.reduce_sum(rtf.recursive(strict=True, verify=False)(visit)(tree)["r"])
  tf.debugging.assert_near(tape.gradient(loss, zeros), [3.0, 3.0])


def test_a_persistent_tape_and_the_jacobian_see_them():
  function = rtf.recursive(strict=True, verify=False)(nested_dict)
  tree = random_tree(random.Random(5), 2)
  found = []
  for f in (nested_dict, function):
    with tf.GradientTape(persistent=True) as tape:
      made = f(tree)
      first, second = tf.reduce_sum(made["state"]), tf.reduce_sum(made["kids"][0]["state"] ** 2)
    found.append([tf.convert_to_tensor(tape.gradient(loss, table)) for loss in (first, second)])
  for one, other in zip(*found, strict=True):
    tf.debugging.assert_near(one, other)
