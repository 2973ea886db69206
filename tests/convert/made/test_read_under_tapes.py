"""Tensors in objects that a run makes and reads again under a tape: gradients are Python's."""

from __future__ import annotations

import dataclasses
import random
import threading
from typing import Any

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import Node
from tests.convert.made import under_tapes
from tests.convert.made.test_made_under_tapes import random_tree
from tests.convert.made.trees import check_same

left = tf.Variable([[0.3, -0.2], [0.1, 0.4]])
right = tf.Variable([[0.2, 0.5], [-0.3, 0.1]])
table = tf.Variable([[0.1, 0.2], [0.3, -0.4], [0.5, 0.6], [-0.1, 0.2], [0.7, 0.3], [0.2, 0.2]])
wide = tf.Variable([[0.3, -0.2], [0.1, 0.4]], dtype=tf.float64)
query = tf.Variable([0.4, -0.3])
weights = [left, right, table, wide, query]


class State:
  def __init__(self, vector, kids=()):
    self.vector = vector
    self.kids = list(kids)


@dataclasses.dataclass
class Cell:
  hidden: Any
  cell: Any
  kids: list[Any]


def times(matrix, vector):
  return tf.linalg.matvec(matrix, vector)


def upwards(n):
  kids = [upwards(k) for k in n.kids]
  vector = table[n.v % 6]
  for kid in kids:
    vector = vector + tf.tanh(times(left, kid.vector))
  return State(vector, kids)


def changed_after(n):
  own = State(tf.tanh(table[n.v % 6]), [changed_after(k) for k in n.kids])
  for kid in own.kids:
    own.vector = own.vector + times(left, kid.vector)
  return own


def grandchildren(n):
  own = State(tf.tanh(table[n.v % 6]), [grandchildren(k) for k in n.kids])
  total = tf.zeros([2])
  for kid in own.kids:
    for below in kid.kids:
      total += times(right, below.vector) * kid.vector
  own.total = total
  return own


def attended(n):
  out = {"kids": [attended(k) for k in n.kids]}
  state = table[n.v % 6]
  if out["kids"]:
    stacked = tf.stack([k["state"] for k in out["kids"]])
    out["scores"] = tf.nn.softmax(times(stacked, query))
    state = state + tf.linalg.matvec(stacked, out["scores"], transpose_a=True)
  out["state"] = tf.tanh(state)
  return out


def remembered(n):
  kids = [remembered(k) for k in n.kids]
  memory = [one for _, below in kids for one in below]
  state = table[n.v % 6]
  if memory:
    stacked = tf.stack(memory)
    scores = tf.nn.softmax(times(stacked, times(left, state)))
    state = state + tf.linalg.matvec(stacked, scores, transpose_a=True)
  state = tf.tanh(state)
  return state, memory + [state]


def all_scores(n):
  if not n.kids:
    return table[n.v % 6], []
  found = [all_scores(k) for k in n.kids]
  stacked = tf.stack([one[0] for one in found])
  scores = tf.nn.softmax(times(stacked, query))
  below = [scores]
  for _, more in found:
    below.extend(more)
  return tf.linalg.matvec(stacked, scores, transpose_a=True), below


def of_two_types(n):
  kids = [of_two_types(k) for k in n.kids]
  hidden, cell = table[n.v % 6], times(wide, tf.cast(table[n.v % 6], tf.float64))
  for kid in kids:
    hidden += times(left, kid.hidden)
    cell += times(wide, kid.cell)
  return Cell(tf.tanh(hidden), tf.tanh(cell), kids)


def built(n):
  return State(tf.tanh(table[n.v % 6]), [built(k) for k in n.kids])


def downwards(state, above):
  own = tf.tanh(times(left, above) + state.vector)
  total = tf.reduce_sum(own * query)
  for kid in state.kids:
    total += downwards(kid, own)
  return total


def up_and_down(n):
  return downwards(built(n), tf.ones([2]))


def decoded(n, state):
  node = {"state": state, "out": times(right, state)}
  node["kids"] = [decoded(k, tf.tanh(times(left, node["state"]) + table[k.v % 6])) for k in n.kids]
  node["loss"] = tf.reduce_sum(node["out"] ** 2)
  for kid in node["kids"]:
    node["loss"] += kid["loss"]
  return node


def decoder(n):
  return decoded(n, tf.ones([2]))


def old_or_new(n):
  if not n.kids:
    return n
  made = [old_or_new(k) for k in n.kids]
  vector = table[n.v % 6]
  for one in made:
    vector += times(left, one.vector) if isinstance(one, State) else table[one.v % 6]
  return State(tf.tanh(vector), made)


def maybe(n):
  if n.v % 3 == 0:
    return None
  kids = [maybe(k) for k in n.kids]
  vector = table[n.v % 6]
  for kid in kids:
    if kid is not None:
      vector = vector * kid.vector + query
  return State(vector, kids)


def chosen_by_score(n):
  """The best child alone is read: the others have no share in its gradient."""
  best = State(table[n.v % 6])
  for k in n.kids:
    other = chosen_by_score(k)
    if tf.reduce_sum(other.vector * query) > tf.reduce_sum(best.vector * query):
      best = State(tf.tanh(times(left, other.vector)) + best.vector, [other])
  return best


def chained(n):
  """A list as long as only the run knows, each element of which is made of the one before."""
  state = State(table[n.v % 6])
  i = 0
  while i < len(n.kids):
    below = chained(n.kids[i])
    state = State(tf.tanh(times(left, state.vector) + times(right, below.vector)), [state, below])
    i += 1
  return state


def kept(n, found):
  for k in n.kids:
    kept(k, found)
  vector = table[n.v % 6]
  if found:
    vector = vector + times(left, found[-1]["t"]) * times(right, found[0]["t"])
  found.append({"name": n.name, "t": tf.tanh(vector)})


def appended(n):
  found = []
  kept(n, found)
  return found


def floats_beside(n):
  kids = [floats_beside(k) for k in n.kids]
  vector = table[n.v % 6] * (0.5 * n.v)
  for kid in kids:
    vector += times(left, kid["t"]) * kid["x"]
  return {"x": 0.25 * n.v, "t": tf.tanh(vector), "k": kids}


def stopped(n):
  kids = [stopped(k) for k in n.kids]
  vector = table[n.v % 6]
  for kid in kids:
    vector += tf.stop_gradient(times(left, kid.vector)) + kid.vector
  return State(tf.tanh(vector), kids)


def ragged(n):
  kids = [ragged(k) for k in n.kids]
  rows = table[: len(n.kids) + 1] * 3.0
  for kid in kids:
    rows = rows + tf.reduce_sum(kid.vector, 0)
  return State(rows, kids)


def binary(n):
  if len(n.kids) < 2:
    return ("leaf", table[n.v % 6])
  a, b = binary(n.kids[0]), binary(n.kids[1])
  return ("node", tf.tanh(times(left, a[1]) + times(right, b[1])), a, b)


def grouped(n):
  """Objects that are changed through their numbers, and read again."""
  groups = {}
  for k in n.kids:
    if k.v not in groups:
      groups[k.v] = State(table[k.v % 6])
    own = groups[k.v]
    own.vector = own.vector * query + times(left, table[k.v % 6])
  return {"groups": groups, "kids": [grouped(k) for k in n.kids]}


def renewed(n):
  """Objects that are changed after they have got their numbers."""
  own = State(tf.tanh(table[n.v % 6]), [renewed(k) for k in n.kids])
  for kid in own.kids:
    kid.vector = kid.vector * times(left, own.vector)
  for kid in own.kids:
    own.vector = own.vector + times(right, kid.vector)
  return own


def unused(n):
  """Of what is read for nothing no gradient comes."""
  kids = [unused(k) for k in n.kids]
  made = State(tf.exp(table[n.v % 6]))
  made.other = table[0]
  for kid in kids:
    made.other = kid.vector * 2.0
  return State(made.vector * query, kids)


PROGRAMS = {
  f.__name__: f
  for f in (
    *(upwards, changed_after, grandchildren, attended, remembered, all_scores, of_two_types),
    *(up_and_down, decoder, old_or_new, maybe, chosen_by_score, chained, appended),
    *(floats_beside, stopped, ragged, binary, grouped, renewed, unused),
  )
}
RECURSIVE = {"decoder": "decoded", "appended": "kept"}
PLAIN = {"chained", "ragged"}  # Python alone runs them, without a tape, too.


def tensors_in(value, found, seen=None):
  seen = {} if seen is None else seen
  if isinstance(value, tf.Tensor):
    if value.dtype.is_floating:
      found.append(tf.cast(value, tf.float64))
  elif id(value) in seen:
    return found
  elif isinstance(value, dict):
    [tensors_in(one, found, seen) for one in value.values()]
  elif isinstance(value, (list, tuple)):
    [tensors_in(one, found, seen) for one in value]
  elif isinstance(value, (State, Cell)):
    seen[id(value)] = value
    tensors_in(vars(value), found, seen)
  return found


def trained(function, tree, which=None):
  return under_tapes.trained(function, tree, tensors_in, weights, which)


def decorated(name, monkeypatch, **options):
  return under_tapes.decorated(globals(), name, monkeypatch, **options)


@pytest.mark.usefixtures("scheduler")
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_plain_python(name, monkeypatch):
  function, converted = decorated(name, monkeypatch)
  draw = random.Random(name)
  trees = [random_tree(draw) for _ in range(4)]
  for tree in trees:
    for which in (None, 0):
      made, gradients = trained(PROGRAMS[name], tree, which)
      found, others = trained(function, tree, which)
      check_same(made, found)
      check_near(gradients, others)
  assert name in PLAIN or not converted.stats.fallbacks, converted.explain()


def check_near(gradients, others):
  for one, other in zip(gradients, others, strict=True):
    one, other = (tf.cast(gradient, tf.float32) for gradient in (one, other))
    tf.debugging.assert_near(one, other, atol=1e-5, rtol=1e-4)


def test_each_of_several_gradients_of_one_tape_counts_anew():
  function = rtf.recursive(strict=True, verify=False)(upwards)
  tree = random_tree(random.Random(5), 3)
  found = []
  for f in (upwards, function):
    with tf.GradientTape(persistent=True) as tape:
      made = f(tree)
      first, second = tf.reduce_sum(made.vector), tf.reduce_sum(made.kids[0].vector ** 2)
      losses = (first, second, first, first + second)
    found.append([tf.convert_to_tensor(tape.gradient(loss, table)) for loss in losses])
    found[-1].append(tf.convert_to_tensor(tape.gradient(second, left)))
  check_near(*found)


def test_threads_take_gradients_of_one_call_at_once():
  function = rtf.recursive(strict=True, verify=False)(upwards)
  tree = random_tree(random.Random(5), 4)
  with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_sum(function(tree).vector)
  first = tf.convert_to_tensor(tape.gradient(loss, table))
  found = []

  def work():
    found.extend(tf.convert_to_tensor(tape.gradient(loss, table)) for _ in range(5))

  threads = [threading.Thread(target=work) for _ in range(4)]
  [thread.start() for thread in threads]
  [thread.join() for thread in threads]
  assert len(found) == 20
  for one in found:
    tf.debugging.assert_near(one, first)


@pytest.mark.usefixtures("scheduler")
def test_the_jacobian_of_what_was_read_again():
  function = rtf.recursive(strict=True, verify=False)(attended)
  tree = random_tree(random.Random(5), 3)
  found = []
  for f in (attended, function):
    with tf.GradientTape(persistent=True) as tape:
      state = f(tree)["state"]
    found.append(tape.jacobian(state, [query, left], unconnected_gradients="zero"))
  check_near(*found)


def test_checks_compare_the_gradients():
  function = rtf.recursive(strict=True, verify=True)(up_and_down)
  for seed in range(3):
    tree = random_tree(random.Random(seed))
    with tf.GradientTape() as tape:
      loss = function(tree)
    tape.gradient(loss, weights)
  assert function.stats.num_verified_runs == 3


def test_the_gradient_of_a_gradient_is_refused():
  function = rtf.recursive(strict=True, verify=False)(up_and_down)
  with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
      loss = function(random_tree(random.Random(1), 2))
    norm = tf.reduce_sum(inner.gradient(loss, query) ** 2)
  errors = rtf.UnsupportedGradientError, tf.errors.UnimplementedError
  with pytest.raises(errors, match="gradient of a gradient"):
    outer.gradient(norm, query)


def with_a_tape_inside(n):
  kids = [with_a_tape_inside(k) for k in n.kids]
  with tf.GradientTape() as tape:
    vector = table[n.v % 6]
    for kid in kids:
      vector = vector + times(left, kid.vector)
    made = State(tf.tanh(vector), kids)
    again = State(made.vector * query)
    loss = tf.reduce_sum(again.vector**2)
  return State(vector + tape.gradient(loss, query), kids)


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_tape_inside_gives_what_it_gives_in_python(is_recorded):
  function = rtf.recursive(verify=False)(with_a_tape_inside)
  for seed in range(3):
    tree = random_tree(random.Random(seed), 3)
    if is_recorded:
      made, gradients = trained(with_a_tape_inside, tree)
      found, others = trained(function, tree)
      check_near(gradients, others)
    else:
      made, found = with_a_tape_inside(tree), function(tree)
    check_same(made, found)


def test_a_long_chain_is_read_to_its_end():
  tree = Node(0, False, "a")
  for i in range(100):
    tree = Node(i % 7, False, "b", tree)
  function = rtf.recursive(strict=True, verify=False)(upwards)
  (_, gradients), (_, others) = (trained(f, tree, 0) for f in (upwards, function))
  check_near(gradients, others)
