"""How many runs are in memory, for tests of what lets go of them."""

import gc
import time

import recursive_tf as rtf


def alive(seconds=5.0):
  """Returns (live runs, live stash entries), once there are none or the time is over.

  The last thread of a run may let go of it a moment after the results are there, and tapes of
  earlier tests may wait for the garbage collector.
  """
  end = time.monotonic() + seconds
  while True:
    gc.collect()
    stats = rtf.last_run_stats()
    if stats.live_runs == 0 or time.monotonic() > end:
      return stats.live_runs, stats.live_stash_entries
    time.sleep(0.005)
