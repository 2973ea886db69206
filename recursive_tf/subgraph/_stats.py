"""Counters of runs, for tests, benchmarks and curious users."""

from __future__ import annotations

import dataclasses

from recursive_tf._ops import kernels


@dataclasses.dataclass(frozen=True)
class RunStats:
  """Counters of the forward run that finished last in this process, and of the process.

  Attributes:
    frames: frames that ran.
    max_depth: depth of the deepest frame; the outermost call's has depth 1.
    stash_entries: frames whose residuals were in the stash when the run ended; under the batched
      scheduler, steps on the run's tape.
    stash_bytes: bytes of those residuals; buffers shared by frames count once.
    stash_peak_bytes: the most there were at any time of the run.
    live_runs: runs that are still in memory, because they run or because a tape holds them.
    live_stash_entries: stash entries of all those runs.
    steps: executions of blocks by the batched scheduler; 0 under the concurrent one.
    rows: frames in all those steps; rows / steps is the mean number of frames that ran as one.
  """

  frames: int
  max_depth: int
  stash_entries: int
  stash_bytes: int
  stash_peak_bytes: int
  live_runs: int
  live_stash_entries: int
  steps: int
  rows: int


def last_run_stats() -> RunStats:
  """Returns the counters; thread-safe. Call it outside of tf.functions."""
  return RunStats(*(int(value) for value in kernels.recursive_tf_run_stats().numpy()))
