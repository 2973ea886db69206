"""The classes of one tree's root: by a `tf.function`, and by what `rtf.prepare` makes of it."""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers.recursive_tf_models import RecursiveTF
from benchmarks.worker import Workload

_ROOTS = tf.TensorSpec([None], tf.int32)


class PreparedCalls(Workload):
  """Calls "tf.function", "prepare" and "not in order", each of all trees one by one.

  And an empty graph by the first two.
  """

  def __init__(self, num_trees: int, **arguments):
    super().__init__()
    model = RecursiveTF(**arguments)
    trees = [np.array([i], np.int32) for i in range(num_trees)]
    for prefix, function in ("", model.classes), ("empty, ", tf.function(lambda x: x, [_ROOTS])):
      self._add(f"{prefix}tf.function", function, trees)
      self._add(f"{prefix}prepare", rtf.prepare(function, _ROOTS), trees)

    by_tensorflow = rtf.prepare(model.classes, _ROOTS)
    by_tensorflow._graph = dataclasses.replace(by_tensorflow._graph, is_ordered=False)
    self._add("not in order", by_tensorflow, trees)

  def _add(self, name, function, trees):
    def call():
      return [function(tree).numpy()[0] for tree in trees]

    self.calls[name] = call

  def results(self) -> dict[str, list[int]]:
    """Returns what each call gives for each tree."""
    return {name: [int(value) for value in call()] for name, call in self.calls.items()}
