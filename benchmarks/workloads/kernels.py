"""Single kernels, ours and TensorFlow's, many times in one graph: what a step of a recursion takes.

Copies of an op, each with rows of its own and one after the other, are one graph, so that the call
from Python is shared by all of them. What is left of it, and the executor's work for an op, is the
same for each arm but XLA's, which compiles all copies to one program.
"""

from __future__ import annotations

import ctypes
import dataclasses
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.worker import Workload
from recursive_tf import nn
from recursive_tf._ops import kernels
from recursive_tf.models.optimizer import apply_adagrad
from recursive_tf.nn._row_product import row_product

ARMS = ("ours", "tensorflow", "xla")
_MAX_COMPOSED_COPIES = 16  # Of kernels that are a dozen of TensorFlow's ops.
_BYTES = 1 << 22  # Of operands and results of all copies: about what the caches hold.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # Of mallopt.
_TOLERANCE = 1e-4
_RATE, _EPSILON, _INITIAL_SUM = 0.05, 1e-7, 0.01

Tensors = Sequence[tf.Tensor]


@dataclasses.dataclass(frozen=True)
class Kernel:
  """One kernel in one shape.

  Attributes:
    ours, tensorflow: functions of the same tensors, with results that agree.
    rows: shapes of a row of each operand that has rows.
    shared: shapes of the operands that all copies have in common: weights.
  """

  ours: Callable[..., Any]
  tensorflow: Callable[..., Any]
  rows: Sequence[Sequence[int]]
  shared: Sequence[Sequence[int]] = ()


def _matmul(depth: int, width: int) -> Kernel:
  return Kernel(nn.matmul, tf.matmul, [[depth]], [[depth, width]])


def _transposed_matmul(depth: int, width: int) -> Kernel:
  return Kernel(
    lambda x, w: nn.matmul(x, w, transpose_weights=True),
    lambda x, w: tf.matmul(x, w, transpose_b=True),
    [[depth]],
    [[width, depth]],
  )


def _row_product(height: int, width: int) -> Kernel:
  return Kernel(
    row_product,
    lambda left, right: tf.matmul(left, right, transpose_a=True),
    [[height], [width]],
  )


def _gates(num_memories: int, width: int) -> Kernel:
  def ours(*operands):
    gates, *memories, bias = operands
    return nn.lstm_gates(gates, memories, bias)

  def composed(*operands):
    gates, *memories, bias = operands
    i, o, *forget, u = tf.split(tf.nn.bias_add(gates, bias), 3 + num_memories, axis=1)
    c = tf.sigmoid(i) * tf.tanh(u)
    for f, memory in zip(forget, memories, strict=True):
      c += tf.sigmoid(f) * memory
    return tf.sigmoid(o) * tf.tanh(c), c

  columns = (3 + num_memories) * width
  return Kernel(ours, composed, [[columns], *[[width]] * num_memories], [[columns]])


def _gates_grad(num_memories: int, width: int) -> Kernel:
  def ours(*operands):
    activations, *memories, c, dh, dc = operands
    dgates, dmemories, dbiases = kernels.recursive_tf_lstm_gates_grad(
      activations, memories, c, dh, dc, num_biases=1
    )
    return dgates, *dmemories, *dbiases

  def composed(*operands):
    activations, *memories, c, dh, dc = operands
    i, o, *forget, u = tf.split(activations, 3 + num_memories, axis=1)
    tanh_c = tf.tanh(c)
    dc += tf.raw_ops.TanhGrad(y=tanh_c, dy=dh * o)
    sigmoids = [(i, dc * u), (o, dh * tanh_c)]
    sigmoids += [(f, dc * memory) for f, memory in zip(forget, memories, strict=True)]
    parts = [tf.raw_ops.SigmoidGrad(y=y, dy=dy) for y, dy in sigmoids]
    dgates = tf.concat([*parts, tf.raw_ops.TanhGrad(y=u, dy=dc * i)], axis=1)
    return dgates, *[dc * f for f in forget], tf.reduce_sum(dgates, axis=0)

  own = [[width]] * (num_memories + 3)
  return Kernel(ours, composed, [[(3 + num_memories) * width], *own])


def _bfloat16(kernel: str, shared: Tensors) -> Callable[..., Any]:
  """Returns a product of rounded operands; weights are rounded here, rows in the product."""
  if kernel == "row product":
    return lambda left, right: row_product(left, right, rounds_to_bfloat16=True)
  rounded = tf.cast(shared[0], tf.bfloat16)
  return lambda x, w: kernels.recursive_tf_bfloat16_mat_mul(
    x, w, rounded, transpose_weights=kernel == "transposed matmul"
  )


KERNELS = {
  "matmul": _matmul,
  "transposed matmul": _transposed_matmul,
  "row product": _row_product,
  "gates": _gates,
  "gates, backward": _gates_grad,
}


class Kernels(Workload):
  """Calls "ours", "tensorflow" and "xla" of one case at a time."""

  def __init__(self, max_copies: int, keeps_memory: bool):
    """Prepares nothing yet.

    Args:
      max_copies: how many copies of a kernel a call has at most.
      keeps_memory: whether to keep what is freed for the next call, in all of this process: else
        the system clears new pages for each result, which can take as long as the kernel.
    """
    super().__init__()
    self._max_copies = max_copies
    if keeps_memory:
      libc = ctypes.CDLL("libc.so.6")
      for option in (_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD):
        libc.mallopt(option, 1 << 30)

  def add(self, kernel: str, shape: tuple[int, int], rows: int, arms: Sequence[str]) -> int:
    """Replaces the calls by those of one kernel; returns how many copies of it each of them has.

    Raises:
      AssertionError: If an arm's result differs from that of NumPy's float64.
    """
    made = KERNELS[kernel](*shape)
    copies = min(self._max_copies, _copies(made, rows))
    if kernel.startswith("gates"):
      copies = min(copies, _MAX_COMPOSED_COPIES)
    rng = np.random.default_rng(0)
    shared = [_operand(rng, size) for size in made.shared]
    operands = [
      [*(_operand(rng, [rows, *size]) for size in made.rows), *shared] for _ in range(copies)
    ]
    self.calls = {
      arm: _repeated(made.ours if arm == "ours" else made.tensorflow, operands, arm == "xla")
      for arm in arms
    }
    expected = made.tensorflow(*(tf.cast(each, tf.float64) for each in operands[0]))
    for arm, call in self.calls.items():
      _check(f"{arm}, {kernel} {shape}, {rows} rows", call()[0], expected)
    return copies

  def add_adagrad(
    self, shape: tuple[int, int], indices: np.ndarray | None, l2: float, arms: Sequence[str]
  ) -> int:
    """As `add`, for Adagrad's step of a variable; `indices`: rows that occur, None for all."""
    rng = np.random.default_rng(0)
    size = shape if indices is None else (len(indices), shape[1])
    gradient = _operand(rng, size)
    if indices is not None:
      gradient = tf.IndexedSlices(gradient, tf.constant(indices), tf.constant(shape))
    weights = _operand(rng, shape)
    copies = max(1, min(self._max_copies, _BYTES // (4 * size[0] * size[1])))
    self.calls = {}
    results = {}
    for arm in ("float64", *arms):
      dtype = tf.float64 if arm == "float64" else tf.float32
      sums = tf.fill(shape, tf.constant(_INITIAL_SUM, dtype))
      variables = [tf.Variable(tf.cast(weights, dtype)), tf.Variable(sums)]
      step = _adagrad_step(arm, variables, _cast(gradient, dtype), l2)
      step()
      results[arm] = variables[0].numpy()
      if arm != "float64":
        _check(f"{arm}, Adagrad {shape}", [results[arm]], [results["float64"]])
        self.calls[arm] = _in_turn(step, copies, arm == "xla")
    return copies

  def add_bfloat16(self, kernel: str, shape: tuple[int, int], rows: int) -> int:
    """As `add`, with the calls "float32" and "bfloat16" of a product, both ours."""
    made = KERNELS[kernel](*shape)
    copies = min(self._max_copies, _copies(made, rows))
    rng = np.random.default_rng(0)
    shared = [_operand(rng, size) for size in made.shared]
    operands = [
      [*(_operand(rng, [rows, *size]) for size in made.rows), *shared] for _ in range(copies)
    ]
    self.calls = {
      "float32": _repeated(made.ours, operands, False),
      "bfloat16": _repeated(_bfloat16(kernel, shared), operands, False),
    }
    rounded = [tf.cast(tf.cast(each, tf.bfloat16), tf.float64) for each in operands[0]]
    _check(f"bfloat16, {kernel}", self.calls["bfloat16"]()[0], made.tensorflow(*rounded))
    return copies

  def first_calls(
    self, kernel: str, shape: tuple[int, int], rows: Sequence[int]
  ) -> dict[str, float]:
    """Returns median microseconds of calls, each with a number of rows that is new; by arm."""
    made = KERNELS[kernel](*shape)
    rng = np.random.default_rng(0)
    shared = [_operand(rng, size) for size in made.shared]
    specs = [tf.TensorSpec([None, *size], tf.float32) for size in made.rows]
    functions = {
      arm: tf.function(lambda *own, run=run: run(*own, *shared), specs)
      for arm, run in (("ours", made.ours), ("tensorflow", made.tensorflow))
    }
    found: dict[str, list[float]] = {arm: [] for arm in functions}
    for count in rows:
      own = [_operand(rng, [count, *size]) for size in made.rows]
      for arm, function in functions.items():
        start = time.perf_counter()
        function(*own)
        found[arm].append(time.perf_counter() - start)
    # The first call traces.
    return {arm: 1e6 * statistics.median(seconds[1:]) for arm, seconds in found.items()}


def _operand(rng: np.random.Generator, shape: Sequence[int]) -> tf.Tensor:
  return tf.constant(rng.uniform(-0.5, 0.5, shape).astype(np.float32))


def _copies(kernel: Kernel, rows: int) -> int:
  own = 4 * rows * sum(int(np.prod(size)) for size in kernel.rows)
  if not kernel.shared:  # Results of gradients are as large as weights.
    own += 4 * int(np.prod([size[0] for size in kernel.rows[:2]]))
  return max(1, _BYTES // (2 * own))


def _repeated(run: Callable[..., Any], operands: Sequence[Tensors], is_compiled: bool):
  """Returns a call that runs every copy once, one after the other."""

  @tf.function(jit_compile=is_compiled)
  def all_copies():
    results: list[Any] = []
    for own in operands:
      with tf.control_dependencies(tf.nest.flatten(results[-1:])):
        results.append(tf.nest.flatten(run(*(tf.convert_to_tensor(each) for each in own))))
    return results

  return all_copies.get_concrete_function()


def _check(what: str, results: Tensors, expected: Any) -> None:
  for result, wanted in zip(results, tf.nest.flatten(expected), strict=True):
    scale = np.max(np.abs(wanted))
    error = np.max(np.abs(np.asarray(result, np.float64) - wanted)) / scale
    if not error < _TOLERANCE:
      raise AssertionError(f"{what}: differs by {error:.2g} of the largest value.")


def _adagrad_step(arm: str, variables: Sequence[tf.Variable], gradient: Any, l2: float):
  """Returns a function that takes one step by the arm's ops."""
  weights, sums = variables
  rate = tf.constant(_RATE, weights.dtype)
  epsilon = tf.constant(_EPSILON, weights.dtype)

  def ours():
    apply_adagrad(weights, gradient, sums, rate, _EPSILON, l2)

  def tensorflow():
    handles = {"var": weights.handle, "accum": sums.handle, "lr": rate, "epsilon": epsilon}
    if isinstance(gradient, tf.IndexedSlices):
      # As Keras did it: rows that occur twice are added first.
      indices, positions = tf.unique(gradient.indices)
      values = tf.math.unsorted_segment_sum(gradient.values, positions, tf.shape(indices)[0])
      tf.raw_ops.ResourceSparseApplyAdagradV2(**handles, grad=values, indices=indices)
    else:
      total = gradient + l2 * weights if l2 else gradient
      tf.raw_ops.ResourceApplyAdagradV2(**handles, grad=total)

  return ours if arm == "ours" else tensorflow


def _cast(gradient: Any, dtype: tf.DType) -> Any:
  if not isinstance(gradient, tf.IndexedSlices):
    return tf.cast(gradient, dtype)
  values = tf.cast(gradient.values, dtype)
  return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)


def _in_turn(step: Callable[[], None], copies: int, is_compiled: bool) -> Callable[[], Any]:
  @tf.function(jit_compile=is_compiled)
  def steps():
    for _ in range(copies):
      step()

  return steps.get_concrete_function()
