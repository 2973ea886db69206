"""Recursions whose work gets ready in different ways, each under any policy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.worker import Workload
from recursive_tf.datasets import PackedTrees

_DEEPEST = 12  # Of generated trees.


class Schedules(Workload):
  """Calls whose result, or its gradient for the weights, is checked once against the others'."""

  def __init__(self, packed: dict[str, np.ndarray], width: int, seed: int):
    super().__init__()
    self._trees = PackedTrees(**packed)
    self._rng = np.random.default_rng(seed)
    self._width = width
    self._vectors = tf.Variable(self._random(1_000, width, 1.0))
    self._cells = [tf.Variable(self._random(2 * width, width, width**-0.5)) for _ in range(3)]
    self._score = tf.Variable(self._random(width, 1, width**-0.5))
    self._expected: dict[str, float] = {}

  def add(
    self, name: str, workload: str, direction: str, policy: str, batch: int
  ) -> dict[str, int]:
    """Adds a call; returns its frames, steps and rows in all steps."""
    make, arguments = {
      "trees": (self._over_trees, lambda: self._trees.batch(range(batch)).root[:, tf.newaxis]),
      "dag": (self._dag, lambda: tf.range(3, 3 + batch)),
      "top_down": (self._top_down, lambda: self._vectors[:batch, tf.newaxis]),
    }[workload]
    rows = arguments()
    function = self._function(make, policy, direction)

    def call():
      return float(function(rows))

    result = call()
    stats = rtf.last_run_stats()
    # The order of additions differs between policies.
    expected = self._expected.setdefault(f"{workload} {direction}", result)
    if not np.isclose(result, expected, rtol=1e-3):
      raise AssertionError(f"{name} gives {result}, another policy {expected}")
    self.calls[name] = call
    return {"frames": stats.frames, "steps": stats.steps, "rows": stats.rows}

  def _function(self, make: Callable, policy: str, direction: str):
    """Returns a tf.function from rows to the sum of results, or to a norm of its gradient."""

    @tf.function
    def forward(rows):
      return make(policy, rows)

    @tf.function
    def backward(rows):
      with tf.GradientTape() as tape:
        total = make(policy, rows)
      return tf.linalg.global_norm(tape.gradient(total, self._cells[:1]))

    return forward if direction == "forward" else backward

  def _over_trees(self, policy: str, roots: tf.Tensor) -> tf.Tensor:
    """Leaves and inner nodes, and at each node a score that nothing waits for."""
    batch = self._trees.batch(range(roots.shape[0]))
    table = tf.stack([batch.word, batch.left, batch.right], 1)
    vectors, cell, score = map(tf.convert_to_tensor, (self._vectors, self._cells[0], self._score))
    outputs = (tf.TensorSpec([1, self._width]), tf.TensorSpec([1, 1]))
    with rtf.SubGraph("trees", outputs=outputs, policy=policy) as f:
      node = f.input(tf.int32, [1])
      word, left, right = tf.unstack(tf.gather(table, node), axis=1)

      def leaf():
        return tf.tanh(tf.gather(vectors, word % 1_000)), tf.zeros([1, 1])

      def inner():
        (a, below_a), (b, below_b) = f(left), f(right)
        return tf.tanh(tf.matmul(tf.concat([a, b], 1), cell)), below_a + below_b

      state, below = tf.cond(tf.reshape(left < 0, []), leaf, inner)
      f.output((state, below + tf.tanh(tf.matmul(state, score))))
    return tf.reduce_sum(f.map(roots)[1])

  def _dag(self, policy: str, lengths: tf.Tensor) -> tf.Tensor:
    """Frame n needs n - 1, a chain of one cell n mod 3 deep, and one of another n mod 5 deep."""
    first, second, joint = map(tf.convert_to_tensor, self._cells)
    start = tf.ones([1, self._width])

    def chain(name: str, cell: tf.Tensor) -> rtf.SubGraph:
      with rtf.SubGraph(name, policy=policy) as f:
        n, x = f.input(tf.int32), f.input(tf.float32, [1, self._width])
        pair = tf.concat([x, x], 1)
        f.output(tf.cond(n <= 0, lambda: x, lambda: f(n - 1, tf.tanh(tf.matmul(pair, cell)))))
      return f

    short, long = chain("short", first), chain("long", second)
    with rtf.SubGraph("dag", policy=policy) as dag:
      n = dag.input(tf.int32)

      def step():
        below = dag(n - 1)
        pair = tf.concat([short(n % 3, below), long(n % 5, start)], 1)
        return tf.tanh(tf.matmul(pair, joint))

      dag.output(tf.cond(n <= 0, lambda: start, step))
    return tf.reduce_sum(dag.map(lengths))

  def _top_down(self, policy: str, states: tf.Tensor) -> tf.Tensor:
    """A node makes the states of its children, and has them if a score of its own says so."""
    left, right, _ = map(tf.convert_to_tensor, self._cells)
    score = tf.convert_to_tensor(self._score)
    with rtf.SubGraph("top_down", outputs=tf.TensorSpec([1, 1]), policy=policy) as f:
      state, depth = f.input(tf.float32, [1, self._width]), f.input(tf.int32)
      own = tf.matmul(state, score)
      pair = tf.concat([state, state], 1)

      def children():
        a, b = tf.tanh(tf.matmul(pair, left)), tf.tanh(tf.matmul(pair, right))
        return f(a, depth + 1) + f(b, depth + 1)

      wanted = tf.logical_or(depth < 3, tf.reshape(own, []) > 0.0)
      grows = tf.logical_and(wanted, depth < _DEEPEST)
      f.output(tf.tanh(own) + tf.cond(grows, children, lambda: tf.zeros([1, 1])))
    return tf.reduce_sum(f.map(states, tf.zeros([tf.shape(states)[0]], tf.int32)))

  def _random(self, rows: int, columns: int, bound: float) -> np.ndarray:
    return self._rng.uniform(-bound, bound, (rows, columns)).astype(np.float32)
