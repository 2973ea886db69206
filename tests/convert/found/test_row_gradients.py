"""Steps that train a table of which rows are read, with every optimizer, words twice in a sentence.

The gradient is `tf.IndexedSlices` in plain Python, and a tensor where it comes out of a loop or a
branch of a graph. Adam takes repeated rows one by one and a tensor as their sum: weights differed.
"""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.compare import Comparison

TABLE = tf.Variable(tf.zeros([5, 2]))
LAYER = tf.keras.layers.Embedding(5, 2)


class Node:
  def __init__(self, word, mark, *kids):
    self.word, self.mark, self.kids = word, mark, list(kids)


def trees():
  for words in ([0, 1, 2], [2, 1], [3, 3, 3, 4], [1, 1], [2, 2, 1, 2], [0, 1, 2]):
    kids = [Node(word, float(word % 3 - 1)) for word in words]
    inner = Node(words[-1], 1.0, *(Node(word, float(word - 1)) for word in words))
    yield Node(words[0], float(len(words) - 3), *kids, inner)


def energy(rows):
  return tf.reduce_sum(tf.tanh(rows) ** 2 + 0.5 * rows)


def loop_with_state(n):
  h, loss = tf.zeros([1, 2]), 0.0
  for k in n.kids:
    h = tf.tanh(h + tf.gather(TABLE, [k.word]))
    loss += tf.reduce_sum(h)
  return loss


def loop_with_a_branch(n):
  loss = 0.0
  for k in n.kids:
    if k.mark > -1.0:
      loss += energy(tf.gather(TABLE, [k.word]))
  return loss


def loop_over_words(n):
  h = tf.zeros([1, 2])
  for word in [k.word for k in n.kids]:
    h = tf.tanh(h + tf.nn.embedding_lookup(TABLE, [word]))
  return tf.reduce_sum(h)


def while_of_tensors(n):
  i, loss = tf.constant(0), tf.constant(0.0)
  while i < 3:
    loss = loss * 0.5 + energy(tf.gather(TABLE, [n.word, tf.minimum(i, 1)]))
    i += 1
  return loss


def branch(n):
  if n.mark > 0.0:
    return energy(tf.gather(TABLE, [n.word, n.word]))
  return energy(tf.gather(TABLE, [n.kids[0].word, n.word])) * 2.0


def branch_with_all(n):
  if n.mark > 0.0:
    return energy(tf.gather(TABLE, [n.word, n.word]))
  return energy(TABLE)


def all_in_a_branch(n):
  loss = energy(tf.gather(TABLE, [n.word, n.word]))
  if n.mark > 0.0:
    loss += energy(TABLE)
  return loss


def all_and_rows(n):
  return energy(tf.gather(TABLE, [n.word, n.word])) + energy(TABLE)


def all_and_rows_of_a_loop(n):
  return loop_with_state(n) + energy(TABLE)


def comprehension(n):
  return tf.add_n([energy(tf.gather(TABLE, [k.word])) for k in n.kids])


def stacked(n):
  return energy(tf.stack([tf.gather(TABLE, k.word) for k in n.kids]))


def row(n):
  return energy(TABLE[n.word])


def layer(n):
  return energy(LAYER(tf.constant([[1, 1, 2]]))) * n.mark + energy(LAYER(tf.constant([n.word])))


def layer_in_a_loop(n):
  h = tf.zeros([1, 2])
  for k in n.kids:
    h = tf.tanh(h + LAYER(tf.constant([k.word])))
  return tf.reduce_sum(h)


def encoded(n):
  h = tf.gather(TABLE, [n.word])
  for k in n.kids:
    h = tf.tanh(h + encoded(k))
  return h


def recursion(n):
  return tf.reduce_sum(encoded(n))


def leaves(n):
  if not n.kids:
    return tf.gather(TABLE, n.word)
  return tf.tanh(tf.add_n([leaves(k) for k in n.kids]))


def recursion_to_leaves(n):
  return tf.reduce_sum(leaves(n))


def mixed(n):
  h = tf.gather(TABLE, n.word) if n.mark > 0.0 else TABLE[n.word] * 2.0
  for k in n.kids:
    h = tf.tanh(h + mixed(k))
  return h


def recursion_by_rows_and_items(n):
  return tf.reduce_sum(mixed(n))


def items(n):
  h = TABLE[n.word]
  for k in n.kids:
    h = tf.tanh(h + items(k))
  return h


def recursion_by_items(n):
  return tf.reduce_sum(items(n))


def items_of_a_comprehension(n):
  return tf.add_n([energy(TABLE[k.word]) for k in n.kids])


def given(n, table):
  h = tf.gather(table, [n.word])
  for k in n.kids:
    h = tf.tanh(h + given(k, table))
  return h


def recursion_with_the_table_as_an_argument(n):
  return tf.reduce_sum(given(n, TABLE))


def beside_a_test_of_all(n):
  return tf.where(tf.reduce_any(tf.math.is_nan(TABLE)), 0.0, loop_with_state(n))


def beside_what_has_no_gradient(n):
  return loop_with_state(n) + 0.0 * tf.cast(tf.argmax(TABLE[:, 0]), tf.float32)


def beside_what_is_rounded(n):
  return loop_with_state(n) + tf.reduce_sum(tf.round(TABLE))


def negative_in_a_loop(n):
  h = tf.zeros([1, 2])
  for k in n.kids:
    h = tf.tanh(h + tf.gather(-TABLE, [k.word]))
  return tf.reduce_sum(h)


def cast_in_a_loop(n):
  h = tf.zeros([1, 2], tf.float64)
  for k in n.kids:
    h = tf.tanh(h + tf.gather(tf.cast(TABLE, tf.float64), [k.word]))
  return tf.cast(tf.reduce_sum(h), tf.float32)


def sum_in_a_loop(n):
  h = tf.zeros([1, 2])
  for k in n.kids:
    h = tf.tanh(h + tf.gather(TABLE + 0.1, [k.word]))
  return tf.reduce_sum(h)


def columns_in_a_loop(n):
  h = tf.zeros([5, 1])
  for k in n.kids:
    h = tf.tanh(h + tf.gather(TABLE, [k.word % 2], axis=1))
  return tf.reduce_sum(h)


def points(n):
  return energy(tf.gather_nd(TABLE, [[n.word, 0], [n.word, 0]]))


def words_in_a_node(n):
  h = tf.zeros([1, 2])
  i = tf.constant(0)
  while i < 2:
    h = tf.tanh(h + tf.gather(TABLE, [n.word]))
    i += 1
  for k in n.kids:
    h += words_in_a_node(k)
  return h


def recursion_of_loops(n):
  return tf.reduce_sum(words_in_a_node(n))


def recursion_with_a_table_of_its_own(n):
  table = TABLE

  def encode(node):
    h = tf.gather(table, [node.word])
    for k in node.kids:
      h = tf.tanh(h + encode(k))
    return h

  return tf.reduce_sum(encode(n))


LOSSES = [
  *(loop_with_state, loop_with_a_branch, loop_over_words, while_of_tensors, branch),
  *(branch_with_all, all_in_a_branch, all_and_rows, all_and_rows_of_a_loop, comprehension),
  *(stacked, row, layer, layer_in_a_loop, recursion, recursion_to_leaves),
  *(recursion_by_rows_and_items, recursion_of_loops, recursion_with_a_table_of_its_own),
  *(recursion_by_items, items_of_a_comprehension, recursion_with_the_table_as_an_argument),
  *(beside_a_test_of_all, beside_what_has_no_gradient, beside_what_is_rounded),
  *(negative_in_a_loop, cast_in_a_loop, sum_in_a_loop, columns_in_a_loop, points),
]


def by_optimizer(make):
  def update(made, variable, gradient):
    made.apply_gradients([(gradient, variable)])

  return make, update


def by_kind(made, variable, gradient):
  if isinstance(gradient, tf.IndexedSlices):
    variable.scatter_sub(tf.IndexedSlices(gradient.values**2 * 0.1, gradient.indices))
  else:
    variable.assign_sub(gradient * 0.1)


def by_norm(made, variable, gradient):
  clipped, _ = tf.clip_by_global_norm([gradient], 0.3)
  variable.assign_sub(0.1 * tf.convert_to_tensor(clipped[0]))


def by_tensor(made, variable, gradient):
  gradient = tf.convert_to_tensor(gradient)
  variable.assign_sub(gradient * 0.1 + gradient**2)


OPTIMIZERS = tf.keras.optimizers
UPDATES = {
  "SGD": by_optimizer(lambda: OPTIMIZERS.SGD(0.1, momentum=0.9)),
  "clipped": by_optimizer(lambda: OPTIMIZERS.SGD(0.1, clipnorm=0.2)),
  "clipped_all": by_optimizer(lambda: OPTIMIZERS.SGD(0.1, global_clipnorm=0.2)),
  "Lion": by_optimizer(lambda: OPTIMIZERS.Lion(0.05)),
  "Adam": by_optimizer(lambda: OPTIMIZERS.Adam(0.05)),
  "Adagrad": by_optimizer(lambda: OPTIMIZERS.Adagrad(0.3)),
  "RMSprop": by_optimizer(lambda: OPTIMIZERS.RMSprop(0.05)),
  "Adamax": by_optimizer(lambda: OPTIMIZERS.Adamax(0.05)),
  "Ftrl": by_optimizer(lambda: OPTIMIZERS.Ftrl(0.1)),
  "by_kind": (lambda: None, by_kind),
  "by_norm": (lambda: None, by_norm),
  "by_tensor": (lambda: None, by_tensor),
}


def trained(loss, name, decorate):
  """Returns what a table holds after each step, and the step."""
  is_layer = "layer" in loss.__name__
  if is_layer and not LAYER.built:
    LAYER.build([None])
  variable = LAYER.embeddings.value if is_layer else TABLE
  variable.assign(tf.reshape(tf.range(10.0) * 0.1 - 0.4, [5, 2]))
  make, update = UPDATES[name]
  made = make()
  if made is not None:
    made.build([variable])

  def step(n):
    with tf.GradientTape() as tape:
      value = loss(n)
    update(made, variable, tape.gradient(value, variable))
    return value

  step = decorate(step)
  return [(step(n), variable.numpy()) for n in trees()], step


@pytest.mark.parametrize("name", UPDATES)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)
def test_tables_are_trained_as_in_python(loss, name):
  expected, _ = trained(loss, name, lambda step: step)
  got, step = trained(loss, name, lambda step: rtf.function(step, verify=False))
  for number, (one, other) in enumerate(zip(expected, got, strict=True)):
    Comparison().check(one, other, f"call {number}")
  faults = {Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED}
  assert not faults & step.stats.fallbacks.keys(), step.explain()


@pytest.mark.parametrize("name", ["SGD", "Lion", "by_tensor"])
@pytest.mark.parametrize("loss", [loop_with_state, while_of_tensors, branch_with_all])
def test_where_the_kind_does_not_matter_steps_are_converted(loss, name):
  _, step = trained(loss, name, lambda step: rtf.function(step, verify=False))
  assert step.stats.num_converted_runs == 6, step.explain()


@pytest.mark.parametrize(
  "loss", [recursion, recursion_to_leaves, recursion_of_loops, all_and_rows, points]
)
def test_where_the_kind_is_known_steps_are_converted(loss):
  _, step = trained(loss, "Adam", lambda step: rtf.function(step, verify=False))
  assert step.stats.num_converted_runs == 6, step.explain()


@pytest.mark.parametrize("name", ["Adam", "Adagrad", "clipped_all"])
@pytest.mark.parametrize(
  "loss",
  [loop_with_state, loop_with_a_branch, while_of_tensors, branch, comprehension, layer_in_a_loop],
)
def test_rows_leave_loops_and_branches_as_rows(loss, name):
  _, step = trained(loss, name, lambda step: rtf.function(step, verify=False))
  assert step.stats.num_converted_runs == 6, step.explain()


@pytest.mark.parametrize(
  "make",
  [lambda: OPTIMIZERS.Adagrad(0.1, epsilon=0.0), lambda: OPTIMIZERS.RMSprop(0.1, centered=True)],
  ids=["no_epsilon", "centered"],
)
def test_what_may_divide_by_zero_is_left_to_python(make):
  """There a row of zeros, which only the graph has, is not a number."""
  optimizer = make()
  optimizer.build([TABLE])

  @rtf.function(verify=False)
  def step(n):
    with tf.GradientTape() as tape:
      value = loop_with_state(n)
    optimizer.apply_gradients([(tape.gradient(value, TABLE), TABLE)])
    return value

  for n in trees():
    step(n)
  assert step.stats.num_converted_runs == 0
  assert {*step.stats.fallbacks} == {Reason.NEEDS_VALUE}
