"""Failures: an error in the deepest frame, a depth limit, a cancellation."""

from __future__ import annotations

import threading
import time

import tensorflow as tf
from tensorflow.python.eager import cancellation  # The public API has no way to cancel a call.

import recursive_tf as rtf

_ENDLESS = 60  # 2^60 frames: nobody waits for the end.


class Failures:
  """Times failures, and calls that succeed after them."""

  def __init__(self):
    table = tf.constant([1.0, 2.0, 3.0])

    with rtf.SubGraph("bad_index", max_depth=1_000_000) as bad:
      n, index = bad.input(tf.int32), bad.input(tf.int32)
      # Only the deepest frame looks the index up.
      bad.output(tf.cond(n <= 0, lambda: tf.gather(table, index), lambda: bad(n - 1, index)))

    with rtf.SubGraph("limited", max_depth=1_000) as limited:
      m = limited.input(tf.int32)
      limited.output(tf.cond(m <= 0, lambda: 0, lambda: limited(m - 1)))

    with rtf.SubGraph("endless") as endless:
      k = endless.input(tf.int32)
      endless.output(tf.cond(k <= 0, lambda: 1.0, lambda: endless(k - 1) + endless(k - 1)))

    int32 = tf.TensorSpec([], tf.int32)
    self._bad = tf.function(lambda n, i: bad(n, i), input_signature=[int32, int32])
    self._limited = tf.function(lambda n: limited(n), input_signature=[int32])
    self._endless = tf.function(lambda n: endless(n), input_signature=[int32])

    def gradient(n, i):
      with tf.GradientTape() as tape:
        tape.watch(table)
        y = bad(n, i)
      return tape.gradient(y, table)

    self._gradient = tf.function(gradient, input_signature=[int32, int32])

  def bad_index(self, depth: int, loops: int) -> float:
    """Returns seconds from call to error, the deepest of `depth` frames having a bad index."""
    return sum(self._time_error(self._bad, depth, "bad_index") for _ in range(loops))

  def bad_index_under_tape(self, depth: int, loops: int) -> float:
    """As `bad_index`, in a run that fills a stash for a backward pass."""
    return sum(self._time_error(self._gradient, depth, "bad_index") for _ in range(loops))

  def too_deep(self, loops: int) -> float:
    """Returns seconds from call to error, the limit being 1,000 frames."""

    def call(n, _):
      return self._limited(n)

    return sum(self._time_error(call, 2_000, "limited") for _ in range(loops))

  def good_call(self, depth: int, loops: int) -> float:
    """Returns seconds for the same call with a good index: what an error is measured against."""
    start = time.perf_counter()
    for _ in range(loops):
      if float(self._bad(tf.constant(depth), tf.constant(1))) != 2.0:
        raise AssertionError("the call after an error is wrong")
    return time.perf_counter() - start

  def cancel(self, delay: float, loops: int) -> float:
    """Returns seconds from a cancellation, `delay` s into an endless call, to the error."""
    return sum(self._time_cancel(delay) for _ in range(loops))

  def message(self, depth: int) -> str:
    """Returns the message of the error that `bad_index` meets."""
    return self._fail(self._bad, depth)

  def live(self) -> tuple[int, int]:
    """Returns (live runs, live stash entries), a second after the last failure at the latest."""
    deadline = time.perf_counter() + 1.0
    # An error is reported at once; the frames that were running then end a moment later.
    while (stats := rtf.last_run_stats()).live_runs and time.perf_counter() < deadline:
      time.sleep(0.01)
    return stats.live_runs, stats.live_stash_entries

  def _time_error(self, call, depth: int, name: str) -> float:
    start = time.perf_counter()
    message = self._fail(call, depth)
    seconds = time.perf_counter() - start
    if name not in message:
      raise AssertionError(f"the error does not name SubGraph '{name}': {message}")
    return seconds

  def _fail(self, call, depth: int) -> str:
    try:
      float(tf.reduce_sum(call(tf.constant(depth), tf.constant(7))))
    except tf.errors.OpError as error:
      return str(error)
    raise AssertionError("no error")

  def _time_cancel(self, delay: float) -> float:
    manager = cancellation.CancellationManager()
    call = manager.get_cancelable_function(self._endless.get_concrete_function())
    errors = []

    def run():
      try:
        call(tf.constant(_ENDLESS))
      except tf.errors.CancelledError:
        errors.append(time.perf_counter())

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(delay)
    start = time.perf_counter()
    manager.start_cancel()
    thread.join()
    if not errors:
      raise AssertionError("the cancelled call did not raise CancelledError")
    return errors[0] - start
