"""A training step of the TreeLSTM in parts that can be timed apart."""

from __future__ import annotations

import collections

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.worker import Workload
from recursive_tf.datasets import PackedTrees
from recursive_tf.models.optimizer import Adagrad
from recursive_tf.models.treelstm import TreeLSTM


class TrainingStep(Workload):
  """Calls: the whole step, and the parts that are outside of the recursion."""

  def __init__(self, packed: dict[str, np.ndarray], vocab_size: int, batch: int):
    super().__init__()
    trees = PackedTrees(**packed)
    table, numbers = trees.table(), tf.range(batch)
    self._model = TreeLSTM(vocab_size)
    optimizer = Adagrad(self._model.parameter_groups())
    leaves = int(np.sum(trees.left[: trees.node_splits[batch]] < 0))
    operands = [
      tuple(tf.random.normal([rows, width]) for width in widths)
      for rows, widths in ((leaves, (300, 450)), (leaves - batch, (300, 750)))
    ]

    @tf.function
    def gradients():
      with tf.GradientTape() as tape:
        loss = self._model.loss(table.select(numbers))
      return tape.gradient(loss, optimizer.variables_to_train)

    @tf.function
    def step():
      optimizer.apply(gradients(), tf.constant(1.0))

    known = gradients()
    self._step = step
    self.calls = {
      "step": step,
      "optimizer": tf.function(lambda: optimizer.apply(known, tf.constant(1.0))),
      "weights": tf.function(lambda: [tf.matmul(x, dy, transpose_a=True) for x, dy in operands]),
      "call": tf.function(lambda: numbers + 1),
    }

  def steps(self) -> dict[str, float]:
    """Returns microseconds in each kind of block in one step, by "forward BLOCK"."""
    times: dict[str, float] = collections.defaultdict(float)
    with rtf.record_schedule() as schedule:
      self._step()
    for each in schedule.steps:
      direction = "backward" if each.is_backward else "forward"
      times[f"{direction} {each.block}"] += each.duration_us
    return dict(times)
