"""Rows of a variable are read from the variable itself: no read, and no copy, of all the others."""

import collections

import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason

SIZE, WIDTH = 7, 3


class Node:
  """A node of a binary tree with the number of a word."""

  def __init__(self, word, left=None, right=None, chosen=False):
    self.word, self.left, self.right, self.chosen = word, left, right, chosen


def forest():
  return [
    Node(3),
    Node(0, Node(1), Node(6)),
    Node(0, Node(0, Node(2), Node(2)), Node(0, Node(5), Node(0, Node(4), Node(0)))),
  ]


class Net:
  """A table, what goes with it, and a layer of Keras that holds the same."""

  def __init__(self):
    values = np.random.default_rng(0).normal(size=[SIZE, WIDTH]).astype(np.float32)
    self.table = tf.Variable(values)
    self.mix = tf.Variable(np.eye(2 * WIDTH, WIDTH, dtype=np.float32) * 0.5)
    self.layer = keras.layers.Embedding(SIZE, WIDTH)
    self.layer.build(None)
    self.layer.embeddings.assign(values)

  def variables(self, name):
    return [self.layer.embeddings.value if name.startswith("keras") else self.table, self.mix]


def helper(table, i):
  return tf.gather(table, [i])


LOOKUPS = {
  "gather of a list": lambda net, i: tf.gather(net.table, [i]),
  "gather of a number": lambda net, i: tf.gather(net.table, i)[None],
  "gather by name": lambda net, i: tf.gather(indices=[i], params=net.table),
  "gather of an axis": lambda net, i: tf.gather(net.table, [i], axis=0),
  "gather of several": lambda net, i: tf.gather(net.table, [[i, 0]])[:, 0],
  "embedding lookup": lambda net, i: tf.nn.embedding_lookup(net.table, [i]),
  "a helper": lambda net, i: helper(net.table, i),
  "in a lambda": lambda net, i: (lambda table: tf.gather(table, [i]))(net.table),
  "what it holds": lambda net, i: tf.gather(net.table.value(), [i]),
  "keras": lambda net, i: net.layer(tf.constant([i])),
  "keras, its variable": lambda net, i: tf.gather(net.layer.embeddings, [i]),
}
# TensorFlow's gradient of an item is a tensor as large as the variable.
ITEMS = {
  "item": lambda net, i: net.table[i][tf.newaxis],
  "negative item": lambda net, i: net.table[i - SIZE][tf.newaxis],
}
BY_ROWS = [name for name in (*LOOKUPS, *ITEMS) if not name.startswith(("keras", "what"))]


def program(net, look):
  def encode(node):
    if node.left is None:
      return look(net, node.word)
    return tf.tanh(tf.concat([encode(node.left), encode(node.right)], axis=1) @ net.mix)

  return encode


def results_and_gradients(variables, run):
  with tf.GradientTape() as tape:
    found = run()
    loss = tf.reduce_sum(found**2)
  return found, tape.gradient(loss, variables)


def check(found, expected, kinds=True):
  """Compares what two programs gave, values and gradients."""
  np.testing.assert_allclose(found[0], expected[0], rtol=1e-5, atol=1e-6)
  for ours, plain in zip(found[1], expected[1], strict=True):
    assert not kinds or isinstance(ours, tf.IndexedSlices) == isinstance(plain, tf.IndexedSlices)
    ours, plain = tf.convert_to_tensor(ours), tf.convert_to_tensor(plain)
    assert np.abs(plain).max() > 0.01
    np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=1e-6)


def op_types(function):
  """Returns how many ops of each type the bodies have, branches included."""
  found = collections.Counter()
  (made,) = function._programs
  for instance in made.conversion.bodies.instances.values():
    agenda = [instance.subgraph._body.graph]
    while agenda:
      for op in agenda.pop().get_operations():
        found[op.type] += 1
        agenda += tfi.nested_graphs(op)
  return found


@pytest.mark.usefixtures("scheduler")
@pytest.mark.parametrize("name", [*LOOKUPS, *ITEMS])
def test_values_and_gradients_are_those_of_plain_python(name):
  net = Net()
  encode, variables = program(net, {**LOOKUPS, **ITEMS}[name]), net.variables(name)
  fast = rtf.recursive(encode, strict=True, verify=False)
  trees = forest()

  def plain():
    return tf.concat([encode(tree) for tree in trees], 0)

  expected = results_and_gradients(variables, plain)
  ways = {
    "one by one": lambda: tf.concat([fast(tree) for tree in trees], 0),
    "mapped": lambda: fast.map(trees)[:, 0],
  }
  for run in ways.values():
    check(results_and_gradients(variables, run), expected)

  @tf.function
  def step(packed):
    return results_and_gradients(variables, lambda: fast.map(packed)[:, 0])

  check(step(fast.pack(trees)), expected)
  assert fast.stats.num_fallback_runs == 0


@pytest.mark.parametrize("name", [*LOOKUPS, *ITEMS])
def test_rows_are_read_from_the_variable(name):
  net = Net()
  fast = rtf.recursive(program(net, {**LOOKUPS, **ITEMS}[name]), strict=True, verify=False)
  fast(forest()[1])
  types = op_types(fast)
  assert types["ResourceGather"] == 1
  if name in BY_ROWS:
    assert types["ReadVariableOp"] == 1  # Of `mix`.


@pytest.mark.parametrize("name", [*LOOKUPS, *ITEMS])
def test_what_is_assigned_between_calls_is_seen(name):
  net, trees = Net(), forest()
  encode = program(net, {**LOOKUPS, **ITEMS}[name])
  fast = rtf.recursive(encode, strict=True, verify=False)
  packed = fast.pack(trees)
  run = tf.function(fast.map)
  table = net.variables(name)[0]
  changes = [
    lambda: None,
    lambda: table.assign(tf.ones_like(table) * 0.25),
    lambda: table.scatter_update(tf.IndexedSlices([[1.0, 2.0, 3.0]], [5])),
    lambda: table.assign_add(tf.ones_like(table)),
  ]
  for change in changes:
    change()
    expected = tf.concat([encode(tree) for tree in trees], 0)
    np.testing.assert_allclose(fast.map(trees)[:, 0], expected, rtol=1e-5)
    np.testing.assert_allclose(run(packed)[:, 0], expected, rtol=1e-5)
  if not name.startswith("keras"):
    net.table = tf.Variable(tf.ones([SIZE, WIDTH]) * 0.5)
    expected = tf.concat([encode(tree) for tree in trees], 0)
    np.testing.assert_allclose(fast.map(trees)[:, 0], expected, rtol=1e-5)


@pytest.mark.parametrize("name", [*LOOKUPS, *ITEMS])
def test_an_index_out_of_range_is_as_in_python(name):
  net = Net()
  encode = program(net, {**LOOKUPS, **ITEMS}[name])
  fast = rtf.recursive(encode, verify=False)
  fast(Node(1))
  for word in (SIZE, -1, -SIZE - 1, 2 * SIZE, 2**31 - 1):
    for tree in (Node(word), Node(0, Node(1), Node(word))):
      try:
        expected = encode(tree)
      except tf.errors.InvalidArgumentError:
        with pytest.raises(tf.errors.InvalidArgumentError):
          fast(tree)
      else:
        np.testing.assert_allclose(fast(tree), expected, rtol=1e-5)
  assert fast.stats.num_conversions <= 2


def test_rows_without_elements_have_their_range_all_the_same():
  table = tf.Variable(tf.zeros([3, 0]))
  fast = rtf.recursive(lambda node: table[node.word], strict=True, verify=False)
  assert fast(Node(2)).shape == [0]
  with pytest.raises(tf.errors.InvalidArgumentError):
    fast(Node(3))


@pytest.mark.parametrize(
  "values",
  [
    [1.5, 2.5, 3.5],
    [1, 2, 3],
    [True, False, True],
    ["a", "b", "c"],
    np.arange(24).reshape(3, 2, 4),
  ],
  ids=str,
)
@pytest.mark.parametrize("look", [lambda t, i: tf.gather(t, i), lambda t, i: t[i]])
def test_variables_of_all_types_and_ranks(values, look):
  table = tf.Variable(values)

  def last(node):
    return look(table, node.word) if node.left is None else last(node.left)

  fast = rtf.recursive(last, strict=True, verify=False)
  for word in range(3):
    tree = Node(0, Node(1, Node(word)))
    np.testing.assert_array_equal(fast(tree), last(tree))
    np.testing.assert_array_equal(fast.map([tree, tree])[1], last(tree))


def test_a_variable_can_be_changed_by_the_gradient_of_its_items():
  net = Net()

  def total(node):
    found = net.table[node.word]
    return found if node.left is None else found + total(node.left) + total(node.right)

  fast = rtf.recursive(total, verify=False)
  tree = forest()[2]
  before = net.table.numpy()
  for function in (total, fast):
    net.table.assign(before)
    for _ in range(4):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum(function(tree) ** 2)
      net.table.assign_sub(0.01 * tape.gradient(loss, net.table))
    if function is total:
      expected = net.table.numpy()
  np.testing.assert_allclose(net.table, expected, rtol=1e-5)
  assert fast.stats.num_converted_runs > 0


def test_a_variable_read_by_items_and_by_rows_has_one_gradient():
  net = Net()

  def total(node):
    found = net.table[node.word] + tf.gather(net.table, node.word + 1)
    return found if node.left is None else found + total(node.left)

  fast = rtf.recursive(total, strict=True, verify=False)
  tree = Node(1, Node(2))
  variables = [net.table]
  expected = results_and_gradients(variables, lambda: total(tree))
  check(results_and_gradients(variables, lambda: fast(tree)), expected)


def test_a_slice_is_no_row():
  table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

  def rest(node):
    return table[node.word :][0] + table[node.word, 1] + table[:, node.word]

  fast = rtf.recursive(rest, verify=False)
  for tree in (Node(1), Node(0)):
    np.testing.assert_array_equal(fast(tree), rest(tree))


def test_a_constant_index_reads_once_for_all_frames():
  net = Net()
  encode = program(net, lambda net, i: tf.gather(net.table, [2]) + float(i))
  fast = rtf.recursive(encode, strict=True, verify=False)
  trees = forest()
  expected = results_and_gradients(
    net.variables(""), lambda: tf.concat([encode(tree) for tree in trees], 0)
  )
  found = results_and_gradients(net.variables(""), lambda: fast.map(trees)[:, 0])
  check(found, expected)


def test_chosen_variables():
  first, second = tf.Variable(tf.ones([SIZE, 2])), tf.Variable(tf.ones([SIZE, 2]) * 3.0)

  def encode(node):
    table = first if node.chosen else second
    own = tf.gather(table, [node.word]) * (1.0 + node.word)
    return own if node.left is None else own + encode(node.left) + encode(node.right)

  fast = rtf.recursive(encode, strict=True, verify=False)
  trees = [Node(1, Node(2, chosen=True), Node(3)), Node(1, chosen=True), Node(4)]
  for tree in trees:
    np.testing.assert_allclose(fast(tree), encode(tree))
  expected = results_and_gradients(
    [first, second], lambda: tf.concat([encode(tree) for tree in trees], 0)
  )
  found = results_and_gradients([first, second], lambda: fast.map(trees)[:, 0])
  check(found, expected, kinds=False)  # Of a branch they are tensors.


def test_variables_that_are_arguments():
  first, second = tf.Variable(tf.ones([SIZE, 2])), tf.Variable(tf.ones([SIZE, 2]) * 3.0)

  def encode(node, own, other):
    found = tf.gather(own, [node.word]) + other[node.word]
    if node.left is None:
      return found
    return found + encode(node.left, other, own) + encode(node.right, own, other)

  fast = rtf.recursive(encode, verify=False)
  tree = Node(1, Node(2, Node(1), Node(4)), Node(3))
  np.testing.assert_allclose(fast(tree, first, second), encode(tree, first, second))
  np.testing.assert_allclose(fast(tree, second, first), encode(tree, second, first))


def test_a_program_that_assigns_is_plain_python():
  table = tf.Variable(tf.zeros([SIZE, 2]))

  def count(node):
    before = tf.gather(table, [node.word])
    table.scatter_nd_add([[node.word]], [[1.0, 1.0]])
    after = table[node.word]
    return before + after if node.left is None else before + after + count(node.left)

  fast = rtf.recursive(count, verify=False)
  tree = Node(1, Node(1, Node(2)))
  found = [count(tree).numpy().tolist(), count(tree).numpy().tolist()]
  table.assign(tf.zeros([SIZE, 2]))
  assert [fast(tree).numpy().tolist(), fast(tree).numpy().tolist()] == found
  assert fast.stats.fallbacks == {Reason.STATEFUL_OP: 2}


READS = {
  "rows": lambda table, i: tf.gather(table, [i])[0],
  "item": lambda table, i: table[i],
  "value": lambda table, i: tf.gather(table.value(), [i])[0],
}


@pytest.mark.parametrize("first", READS)
@pytest.mark.parametrize("second", READS)
def test_a_function_that_assigns_reads_in_order(first, second):
  table = tf.Variable(tf.ones([SIZE, 2]))

  def encode(node):
    own = READS[first](table, node.word)
    return own if node.left is None else own + encode(node.left) + encode(node.right)

  def step(node):
    held = table.value()
    before = encode(node)
    table.assign_add(tf.ones([SIZE, 2]))
    after = READS[second](table, node.word)
    table.assign(tf.reshape(tf.range(2.0 * SIZE), [SIZE, 2]))
    return before, after, tf.gather(held, [node.word]), READS[first](table, node.word)

  fast = rtf.function(step, verify=False)
  tree = Node(1, Node(2, Node(1), Node(4)), Node(3))
  expected = [step(tree), step(tree)]
  table.assign(tf.ones([SIZE, 2]))
  for plain in expected:
    for ours, value in zip(fast(tree), plain, strict=True):
      np.testing.assert_allclose(ours, value)


def test_a_variable_that_is_not_one_of_tensorflows_own_is_read():
  strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
  with strategy.scope():
    table = tf.Variable(tf.ones([SIZE, 2]) * 2.0)

  def encode(node):
    own = tf.gather(table, [node.word])
    return own if node.left is None else own + encode(node.left) + encode(node.right)

  fast = rtf.recursive(encode, verify=False)
  tree = Node(1, Node(2), Node(3))
  np.testing.assert_allclose(fast(tree), encode(tree))
