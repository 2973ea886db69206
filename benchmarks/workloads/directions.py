"""Steps with branches and loops of the run, and what is left of them if they go one way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

import recursive_tf as rtf
from benchmarks.worker import Workload

KINDS = ("branch", "branch under a tape", "update in a branch", "loop", "loop under a tape")
ARMS = ("eager", "as it is", "one way")
_WIDTH, _ROWS, _TURNS, _EPOCHS = 32, 8, 5, 4


class _Steps:
  """The steps, by kind; `one way` says the same of a run that goes as all before, else it fails."""

  def __init__(self) -> None:
    self.v = tf.Variable(tf.random.normal([_WIDTH, _WIDTH]) * 0.1)
    self.w = tf.Variable(tf.random.normal([_WIDTH, _WIDTH]) * 0.1)
    self.turns = tf.constant(_TURNS)
    self.optimizer = tf.keras.optimizers.Adam(0.001)
    self.optimizer.build([self.v, self.w])

  def branch(self, x, is_one_way):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean(tf.square(tf.tanh(x @ self.v) @ self.w))
    gradients = tape.gradient(loss, [self.v, self.w])
    norm = tf.linalg.global_norm(gradients)
    if is_one_way:
      if norm > 100.0:
        raise ValueError("clipped")
    elif norm > 100.0:
      gradients = [gradient * (100.0 / norm) for gradient in gradients]
    self.v.assign_sub(0.01 * gradients[0])
    self.w.assign_sub(0.01 * gradients[1])
    return loss

  def branch_under_a_tape(self, x, is_one_way):
    with tf.GradientTape() as tape:
      h = tf.tanh(x @ self.v)
      if is_one_way:
        if tf.reduce_max(h) < 0.0:
          raise ValueError("negative")
      elif tf.reduce_max(h) < 0.0:
        h = h * 0.5 + tf.sin(h)
      loss = tf.reduce_mean(tf.square(h @ self.w))
    gradients = tape.gradient(loss, [self.v, self.w])
    self.v.assign_sub(0.01 * gradients[0])
    self.w.assign_sub(0.01 * gradients[1])
    return loss

  def update_in_a_branch(self, x, is_one_way):
    for _ in range(_EPOCHS):  # As PPO learns.
      with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(tf.tanh(x @ self.v) @ self.w))
      gradients = tape.gradient(loss, [self.v, self.w])
      if loss > 100.0:
        if is_one_way:
          raise ValueError("too far")
        break
      self.optimizer.apply_gradients(zip(gradients, [self.v, self.w], strict=True))
    return loss

  def loop(self, x, is_one_way):
    i = tf.constant(0)
    if is_one_way:
      for _ in range(_TURNS):
        if i >= self.turns:
          raise ValueError("fewer turns")
        x = tf.tanh(x @ self.w)
        i += 1
      if i < self.turns:
        raise ValueError("more turns")
    else:
      while i < self.turns:
        x = tf.tanh(x @ self.w)
        i += 1
    return tf.reduce_mean(x)

  def loop_under_a_tape(self, x, is_one_way):
    with tf.GradientTape() as tape:
      loss = self.loop(x, is_one_way)
    self.w.assign_sub(0.01 * tape.gradient(loss, self.w))
    return loss


class Directions(Workload):
  """Calls by kind and arm."""

  def __init__(self):
    super().__init__()
    self._functions = []
    for kind in KINDS:
      for arm in ARMS:
        tf.random.set_seed(0)
        steps, x = _Steps(), tf.random.normal([_ROWS, _WIDTH])
        self._add(f"{kind}, {arm}", getattr(steps, kind.replace(" ", "_")), x, arm)

  def _add(self, name: str, step: Callable[..., Any], x: Any, arm: str) -> None:
    function = step
    if arm != "eager":
      function = rtf.function(step, verify=False)
      self._functions.append(function)

    def call() -> Any:
      return function(x, arm == "one way").numpy()

    self.calls[name] = call
    for _ in range(3):  # Conversion, and what comes once.
      call()

  def results(self) -> dict[str, float]:
    """Returns what each call gives."""
    return {name: float(call()) for name, call in self.calls.items()}

  def runs(self) -> tuple[int, int]:
    """Returns how many runs were graphs, and how many plain Python."""
    stats = [function.stats for function in self._functions]
    return sum(s.num_converted_runs for s in stats), sum(s.num_fallback_runs for s in stats)
