"""Random trees and random recursive programs, for Hypothesis."""

import dataclasses

import tensorflow as tf
from hypothesis import strategies as st

VOCABULARY, WIDTH, NUM_WEIGHTS = 6, 3, 3

# A leaf is a word, an inner node a tuple of children.
words = st.integers(0, VOCABULARY - 1)
binary_trees = st.recursive(words, lambda t: st.tuples(t, t), max_leaves=20)
any_trees = st.recursive(words, lambda t: st.lists(t, max_size=4).map(tuple), max_leaves=20)


@dataclasses.dataclass(frozen=True)
class Packed:
  """Trees as arrays: node i has the children flat[splits[i]:splits[i + 1]]; its word or -1."""

  word: tf.Tensor
  splits: tf.Tensor
  flat: tf.Tensor
  roots: tf.Tensor


def pack(trees):
  """Packs trees, the children of a node after it."""
  nodes, children, roots = [], [], []

  def add(tree):
    index = len(nodes)
    nodes.append(tree if isinstance(tree, int) else -1)
    children.append([])
    if not isinstance(tree, int):
      children[index] = [add(child) for child in tree]
    return index

  for tree in trees:
    roots.append(add(tree))
  splits = [0]
  for row in children:
    splits.append(splits[-1] + len(row))
  flat = [child for row in children for child in row]
  return Packed(*(tf.constant(v, tf.int32, shape=[len(v)]) for v in (nodes, splits, flat, roots)))


# A random program's expressions as nested tuples: (op, operands...). `n` counts down, x is [1, D].
_atoms = st.sampled_from([("x",), ("bias", 0), ("row", 1), ("row", 2)])


def _grow(calls):
  def extend(inner):
    options = [
      st.tuples(st.just("tanh"), inner),
      st.tuples(st.just("sin"), inner),
      st.tuples(st.just("stop"), inner),
      st.tuples(st.just("matmul"), inner, st.integers(0, NUM_WEIGHTS - 1)),
      st.tuples(st.just("transposed"), inner, st.integers(0, NUM_WEIGHTS - 1)),
      st.tuples(st.just("add"), inner, inner),
      st.tuples(st.just("multiply"), inner, inner),
      st.tuples(st.just("if_odd"), inner, inner),
      st.tuples(st.just("if_positive"), inner, inner, inner),
      st.tuples(st.just("case"), inner, inner, inner),
      st.tuples(st.just("loop"), inner, inner),
    ]
    if calls:
      options += [
        st.tuples(st.just("call"), inner, st.integers(1, 2)),
        st.tuples(st.just("map"), inner, inner),
      ]
    return st.one_of(options)

  return extend


base_cases = st.recursive(_atoms, _grow(calls=False), max_leaves=4)
recursive_cases = st.recursive(
  st.one_of(_atoms, st.tuples(st.just("call"), _atoms, st.integers(1, 2))),
  _grow(calls=True),
  max_leaves=5,
)


def make_program(base, inner, weights, table):
  """Returns the program: `base` where n <= 0, else `inner`; both use weights and table."""

  def evaluate(expression, f, n, x):
    op, *operands = expression
    go = lambda e, x=x: evaluate(e, f, n, x)  # noqa: E731
    match op:
      case "x":
        return x
      case "bias":
        return weights[operands[0]][:1]
      case "row":
        return tf.nn.embedding_lookup(table, [(n * operands[0]) % VOCABULARY])
      case "tanh":
        return tf.tanh(go(operands[0]))
      case "sin":
        return tf.sin(go(operands[0]))
      case "stop":
        return tf.stop_gradient(go(operands[0]))
      case "matmul":
        return 0.5 * go(operands[0]) @ weights[operands[1]]
      case "transposed":
        return 0.5 * tf.matmul(go(operands[0]), weights[operands[1]], transpose_b=True)
      case "add":
        return go(operands[0]) + go(operands[1])
      case "multiply":
        return tf.tanh(go(operands[0])) * go(operands[1])
      case "if_odd":
        return tf.cond(n % 2 == 1, lambda: go(operands[0]), lambda: go(operands[1]))
      case "if_positive":
        predicate = tf.reduce_sum(go(operands[0])) > 0
        return tf.cond(predicate, lambda: go(operands[1]), lambda: go(operands[2]))
      case "case":
        return tf.switch_case(n, [lambda e=e: go(e) for e in operands])
      case "loop":
        return tf.while_loop(
          lambda i, _: i < 2,
          lambda i, z: (i + 1, tf.tanh(go(operands[1], x=z))),
          (0, tf.identity(go(operands[0]))),
        )[1]
      case "call":
        return tf.tanh(f(n - operands[1], go(operands[0])))
      case "map":
        rows = tf.stack([go(operands[0]), go(operands[1])])
        return tf.reduce_mean(f.map(tf.stack([n - 1, n - 2]), rows), 0)

  def body(f, n, x):
    return tf.cond(n <= 0, lambda: evaluate(base, f, n, x), lambda: evaluate(inner, f, n, x))

  return body
