"""How many runs are in memory, for tests of what lets go of them."""

import gc
import time

import recursive_tf as rtf


def alive(expected=(0, 0), seconds=60.0):
  """Returns (live runs, live stash entries), once they are as expected or the time is over.

  The last thread of a run may let go of it a moment after the results are there, and tapes of
  earlier tests may wait for the garbage collector.
  """
  end = time.monotonic() + seconds
  while True:
    gc.collect()
    stats = rtf.last_run_stats()
    found = stats.live_runs, stats.live_stash_entries
    if found == expected or time.monotonic() > end:
      return found
    time.sleep(0.005)
