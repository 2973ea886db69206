"""Empty frames: a chain, a balanced binary recursion and Fibonacci's, forward and backward."""

from __future__ import annotations

import tensorflow as tf

import recursive_tf as rtf
from benchmarks.worker import Workload

_MAX_DEPTH = 2_000_000


def chain(policy: str | None) -> rtf.SubGraph:
  """Returns a SubGraph whose call with (n, x) makes n + 1 nested frames and returns x."""
  with rtf.SubGraph("chain", max_depth=_MAX_DEPTH, policy=policy) as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(tf.cond(n <= 0, lambda: x, lambda: f(n - 1, x)))
  return f


def wide(policy: str | None) -> rtf.SubGraph:
  """Returns a SubGraph whose call with (n, x) makes 2^(n+1) - 1 frames and returns 2^n x."""
  with rtf.SubGraph("wide", max_depth=_MAX_DEPTH, policy=policy) as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(tf.cond(n <= 0, lambda: x, lambda: f(n - 1, x) + f(n - 1, x)))
  return f


def fibonacci(policy: str | None) -> rtf.SubGraph:
  """Returns a SubGraph whose call with (n, x) returns F x, the frames being Fibonacci's.

  F is the number of leaves: that of n - 1 and of n - 2 together, from 1 and 1 on.
  """
  with rtf.SubGraph("fibonacci", max_depth=_MAX_DEPTH, policy=policy) as f:
    n, x = f.input(tf.int32), f.input(tf.float32)
    f.output(tf.cond(n < 2, lambda: x, lambda: f(n - 1, x) + f(n - 2, x)))
  return f


class Frames(Workload):
  """Calls named "{shape} {policy} {direction} {n}"; each checks its result."""

  SHAPES = {"chain": chain, "wide": wide, "fibonacci": fibonacci}

  def __init__(self):
    super().__init__()
    self._functions = {}

  def add(self, shape: str, policy: str | None, direction: str, n: int) -> int:
    """Adds a call and returns the number of frames that it makes, counted by the run itself."""
    forward, backward = self._function(shape, policy)
    # Sums over all paths are exact in float32 here, so the check needs no tolerance.
    expected = float(_num_leaves(shape, n))
    argument, one = tf.constant(n), tf.constant(1.0)

    def call():
      result = (forward if direction == "forward" else backward)(argument, one)
      if float(result) != expected:
        raise AssertionError(f"{shape} of {n}, {direction}: got {float(result)}, not {expected}")

    call()
    self.calls[f"{shape} {policy} {direction} {n}"] = call
    return rtf.last_run_stats().frames

  def peak_and_stash(self, name: str) -> dict[str, int]:
    """Runs a call once and returns its peak memory beyond what was resident, and its stash's."""
    peak_bytes = self.peak(name)
    stats = rtf.last_run_stats()
    return {
      "peak_bytes": peak_bytes,
      "stash_peak_bytes": stats.stash_peak_bytes,
      "frames": stats.frames,
      "max_depth": stats.max_depth,
    }

  def last_steps(self) -> dict[str, int]:
    """Returns the steps, and the rows of all of them, of the call before."""
    stats = rtf.last_run_stats()
    return {"steps": stats.steps, "rows": stats.rows}

  def _function(self, shape: str, policy: str | None):
    """Returns (forward, forward and backward) as tf.functions of (n, x)."""
    if (shape, policy) not in self._functions:
      f = self.SHAPES[shape](policy)

      @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)])
      def forward(n, x):
        return f(n, x)

      @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)])
      def backward(n, x):
        with tf.GradientTape() as tape:
          tape.watch(x)
          y = f(n, x)
        return tape.gradient(y, x)

      self._functions[shape, policy] = forward, backward
    return self._functions[shape, policy]


def _num_leaves(shape: str, n: int) -> int:
  if shape != "fibonacci":
    return 2**n if shape == "wide" else 1
  before, last = 1, 1
  for _ in range(n - 1):
    before, last = last, before + last
  return last
