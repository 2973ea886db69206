"""The plain programs under `tf.function`, which traces each tree object anew.

What runs: loss and gradients of one tree, in two ways. "step": the training step is the
tf.function, and the recursion unrolls into one graph for the tree. "decorated": the recursive
function itself is the tf.function, so that every subtree becomes a function of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.peers import plain_programs, tf_cells
from benchmarks.worker import Workload

FORMS = ("step", "decorated")


class AutoGraph(Workload):
  """A plain program, traced by TensorFlow."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self._model = tf_cells.Model(model, weights)
    self._packed = packed

  def seconds(self, objects: str, form: str, count: int) -> dict[str, Any]:
    """Times `count` trees, the first time each is met and the second time.

    Returns:
      "new" and "seen": seconds by tree; "losses", by tree; "error": the message of the error that
      ended this, or None.
    """
    program = plain_programs.program(self._model, objects)
    step = self._step(program.encode_and_score, form)
    found: dict[str, Any] = {"new": [], "seen": [], "losses": [], "error": None}
    for tree in plain_programs.trees(self._packed, objects)[:count]:
      try:
        for times in ("new", "seen"):
          start = time.perf_counter()
          loss = float(step(tree)[0])
          found[times].append(time.perf_counter() - start)
      except (AttributeError, RecursionError, TypeError, ValueError) as error:
        # The last line of AutoGraph's report of the user's code.
        found["error"] = str(error).strip().splitlines()[-1].strip()
        break
      found["losses"].append(loss)
    return found

  def loss(self, objects: str, index: int) -> float:
    """Returns the loss of one tree, computed eagerly."""
    program = plain_programs.program(self._model, objects)
    tree = plain_programs.trees(self._packed, objects)[index]
    return float(program.encode_and_score(tree)[1][0])

  def _step(self, encode_and_score: Callable[[Any], Any], form: str) -> Callable[[Any], Any]:
    if form == "decorated":
      traced = tf.function(encode_and_score)
      # As a decorator would have it: the name by which the function calls itself.
      names = encode_and_score.__code__.co_freevars
      encode_and_score.__closure__[names.index("encode_and_score")].cell_contents = traced
      encode_and_score = traced

    def step(tree):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum(encode_and_score(tree)[1])
      return loss, tape.gradient(loss, self._model.variables)

    return step if form == "decorated" else tf.function(step)
