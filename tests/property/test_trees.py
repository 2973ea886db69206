"""Recursion over random trees equals the oracle: results and every gradient, traced and eager."""

import functools

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import recursive_tf as rtf
from tests.autodiff.vjp import value_and_gradients
from tests.property.strategies import VOCABULARY, WIDTH, any_trees, binary_trees, pack
from tests.reference import assert_same

CI = settings.default.max_examples < 100
INDEX = tf.TensorSpec([None], tf.int32)
NODE = tf.TensorSpec([], tf.int32)


class Cell:
  """A Tree-LSTM with shared weights in the parameters' own type."""

  def __init__(self, dtype):
    self.dtype = dtype
    shapes = {"table": [VOCABULARY, WIDTH], "w": [2 * WIDTH, 4 * WIDTH], "b": [4 * WIDTH]}
    self.variables = {
      name: tf.Variable(tf.random.stateless_normal(shape, [i, 1], dtype=dtype))
      for i, (name, shape) in enumerate(shapes.items())
    }

  def leaf(self, word):
    h = tf.nn.embedding_lookup(self.variables["table"], [word])
    return tf.tanh(h), h

  def inner(self, left, right):
    x = tf.concat([left[0], right[0]], 1) @ self.variables["w"] + self.variables["b"]
    i, f, o, u = tf.split(x, 4, axis=1)
    c = tf.sigmoid(i) * tf.tanh(u) + tf.sigmoid(f) * (left[1] + right[1])
    return tf.sigmoid(o) * tf.tanh(c), c

  @property
  def refs(self):
    return list(self.variables.values())


@functools.cache
def binary_subgraph(dtype):
  """The cell, and f(node, word, splits, flat) over binary trees."""
  cell = Cell(dtype)
  with rtf.SubGraph("tree_lstm") as f:
    node, word, splits, flat = f.input(NODE), f.input(INDEX), f.input(INDEX), f.input(INDEX)

    def inner():
      first = splits[node]
      return cell.inner(f(flat[first], word, splits, flat), f(flat[first + 1], word, splits, flat))

    f.output(tf.cond(word[node] >= 0, lambda: cell.leaf(word[node]), inner))
  return cell, f


@functools.cache
def nary_subgraph(dtype):
  """The cell, and f(node, word, splits, flat) over trees of any arity, through `f.map`."""
  cell = Cell(dtype)
  state = tf.TensorSpec([1, WIDTH], dtype)
  with rtf.SubGraph("n_ary", outputs=(state, state)) as f:
    node, word, splits, flat = f.input(NODE), f.input(INDEX), f.input(INDEX), f.input(INDEX)

    def inner():
      children = flat[splits[node] : splits[node + 1]]
      repeat = lambda t: tf.repeat(t[tf.newaxis], tf.size(children), 0)  # noqa: E731
      h, c = f.map(children, repeat(word), repeat(splits), repeat(flat))
      total = tf.reduce_sum(h, 0), tf.reduce_sum(c, 0)
      return cell.inner(total, total)

    f.output(tf.cond(word[node] >= 0, lambda: cell.leaf(word[node]), inner))
  return cell, f


def fold_binary(cell, tree):
  if isinstance(tree, int):
    return cell.leaf(tree)
  return cell.inner(*(fold_binary(cell, child) for child in tree))


def fold_nary(cell, tree):
  if isinstance(tree, int):
    return cell.leaf(tree)
  states = [fold_nary(cell, child) for child in tree]
  zero = tf.zeros([1, WIDTH], cell.dtype)
  total = tuple(tf.add_n([zero] + [state[k] for state in states]) for k in (0, 1))
  return cell.inner(total, total)


@functools.cache
def traced_step(make, dtype, num_roots):
  """A tf.function from packed trees to results and gradients of all variables."""
  cell, f = make(dtype)

  @tf.function(reduce_retracing=True, autograph=False)
  def step(word, splits, flat, roots):
    def call():
      results = [f(roots[i], word, splits, flat) for i in range(num_roots)]
      return [tf.concat([r[k] for r in results], 0) for k in (0, 1)]

    return value_and_gradients(call, [], cell.refs)

  return step


def check(make, fold, trees, dtype, is_traced):
  cell, f = make(dtype)
  packed = pack(trees)
  args = packed.word, packed.splits, packed.flat, packed.roots
  if is_traced:
    actual = traced_step(make, dtype, len(trees))(*(tf.constant(a) for a in args))
  else:

    def call():
      results = [f(root, *args[:3]) for root in packed.roots]
      return [tf.concat([r[k] for r in results], 0) for k in (0, 1)]

    actual = value_and_gradients(call, [], cell.refs)

  def oracle():
    results = [fold(cell, tree) for tree in trees]
    return [tf.concat([r[k] for r in results], 0) for k in (0, 1)]

  assert_same(actual, value_and_gradients(oracle, [], cell.refs))


@pytest.mark.parametrize("dtype", [tf.float64, tf.float32], ids=lambda t: t.name)
@pytest.mark.parametrize("is_traced", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize(
  "make, fold, trees",
  [(binary_subgraph, fold_binary, binary_trees), (nary_subgraph, fold_nary, any_trees)],
  ids=["binary", "n-ary"],
)
def test_results_and_gradients_equal_the_oracle(make, fold, trees, is_traced, dtype):
  @given(st.lists(trees, min_size=1, max_size=2))
  @settings(max_examples=15 if CI else 200)
  def run(trees):
    check(make, fold, trees, dtype, is_traced)

  run()
