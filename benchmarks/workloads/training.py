"""A small TreeLSTM that is trained, run, broken and dropped over and over: does memory grow?"""

from __future__ import annotations

import gc

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks import environment
from benchmarks.peers import weights as w
from benchmarks.peers.recursive_tf_models import RecursiveTF


class Training:
  """Phases of work on one model; each returns how much memory is resident as it goes on."""

  def __init__(self, packed: dict[str, np.ndarray], vocab_size: int, batch_size: int, seed: int):
    self._num_trees = len(packed["node_splits"]) - 1
    self._batch_size = batch_size
    self._rng = np.random.default_rng(seed)
    sizes = {"embedding": 32, "state": 32}
    weights = w.make_weights("treelstm", vocab_size, sizes, seed)
    self._model = RecursiveTF("treelstm", weights, packed)
    table = tf.constant([1.0, 2.0, 3.0])
    with rtf.SubGraph("bad_index") as f:
      n, index = f.input(tf.int32), f.input(tf.int32)
      f.output(tf.cond(n <= 0, lambda: tf.gather(table, index), lambda: tf.tanh(f(n - 1, index))))

    def gradient(n, index):
      with tf.GradientTape() as tape:
        tape.watch(table)
        y = f(n, index)
      return tape.gradient(y, table)

    int32 = tf.TensorSpec([], tf.int32)
    self._gradient = tf.function(gradient, input_signature=[int32, int32])
    self._deep = f

  def train(self, steps: int) -> None:
    """Takes training steps on random batches, some of them of another size."""
    for _ in range(steps):
      self._model.train(self._batch())

  def infer(self, steps: int) -> None:
    """Runs inference on random batches."""
    for _ in range(steps):
      self._model.infer(self._batch())

  def fail(self, steps: int) -> None:
    """Runs forward passes under a tape that end in an error 50 frames down."""
    for _ in range(steps):
      try:
        self._gradient(tf.constant(50), tf.constant(9))
      except tf.errors.OpError:
        continue
      raise AssertionError("no error")

  def drop_tape(self, steps: int) -> None:
    """Runs eager forward passes under a tape that is dropped unused."""
    x = tf.constant(1)
    for _ in range(steps):
      with tf.GradientTape() as tape:
        self._deep(tf.constant(50), x)
      del tape

  def resident(self) -> int:
    """Returns the bytes that are resident after Python's garbage is gone."""
    gc.collect()
    return environment.resident_bytes()

  def live(self) -> tuple[int, int]:
    """Returns (live runs, live stash entries)."""
    stats = rtf.last_run_stats()
    return stats.live_runs, stats.live_stash_entries

  def _batch(self) -> np.ndarray:
    size = self._rng.integers(1, self._batch_size + 1)
    return self._rng.integers(0, self._num_trees, size)
