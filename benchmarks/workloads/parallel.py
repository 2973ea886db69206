"""Frames that can run at once, with one intra-op thread, so that only frames do."""

from __future__ import annotations

import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers.recursive_tf_models import RecursiveTF
from benchmarks.worker import Workload


class ParallelTrees(RecursiveTF):
  """A model of `recursive_tf.models`."""

  def __init__(self, **arguments):
    one_intra_op_thread()
    super().__init__(**arguments)


class ParallelProducts(Workload):
  """A balanced binary recursion; each frame multiplies matrices of `width` x `width`."""

  def __init__(self, depth: int, width: int):
    super().__init__()
    one_intra_op_thread()
    # Orthogonal: products stay finite.
    matrix = tf.linalg.qr(tf.random.stateless_normal([width, width], [1, 2]))[0]
    with rtf.SubGraph("products") as f:
      n = f.input(tf.int32)
      f.output(
        tf.cond(n <= 0, lambda: matrix, lambda: tf.matmul(f(n - 1) + f(n - 1), matrix) / 2.0)
      )
    forward = tf.function(lambda n: f(n), input_signature=[tf.TensorSpec([], tf.int32)])
    argument = tf.constant(depth)

    def call():
      norm = float(tf.norm(forward(argument)))
      if abs(norm - width**0.5) > 1e-3 * width**0.5:
        raise AssertionError(f"the norm is {norm}, not {width**0.5}")

    self.calls["forward"] = call


def one_intra_op_thread() -> None:
  """Sets it, if TensorFlow is not running yet."""
  try:
    tf.config.threading.set_intra_op_parallelism_threads(1)
  except RuntimeError:
    pass  # In the process of the smoke test, where figures mean nothing.
