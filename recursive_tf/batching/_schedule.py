"""Records what ran together, step by step, for pictures of a schedule."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from recursive_tf._ops import kernels


@dataclasses.dataclass(frozen=True)
class ScheduleStep:
  """One step: a block that ran for some frames at once.

  Attributes:
    block: name of the block.
    shard: which part of the call it belongs to; parts run on different threads.
    is_backward: whether it is of the backward pass.
    num_rows: for how many frames it ran.
    start_us, duration_us: when, in microseconds since the first step began, and for how long.
    trees: int [num_rows], the row of the outermost call that each frame descends from; empty in the
      backward pass of a run that was not recorded itself.
    depths: int [num_rows], each frame's depth; empty where `trees` is.
  """

  block: str
  shard: int
  is_backward: bool
  num_rows: int
  start_us: int
  duration_us: int
  trees: np.ndarray
  depths: np.ndarray


@dataclasses.dataclass
class Schedule:
  """The steps of one run, those of its backward passes last.

  Attributes:
    steps: in the order in which they ran, shard by shard.
  """

  steps: list[ScheduleStep] = dataclasses.field(default_factory=list)

  def save_chrome_trace(self, path: str | pathlib.Path) -> None:
    """Writes it as a Chrome trace (JSON), for chrome://tracing or ui.perfetto.dev."""
    events: list[dict[str, Any]] = [
      {
        "name": step.block,
        "cat": "backward" if step.is_backward else "forward",
        "ph": "X",
        "ts": step.start_us,
        "dur": step.duration_us,
        "pid": 0,
        "tid": step.shard,
        "args": {"frames": step.num_rows, "depths": sorted(set(step.depths.tolist()))},
      }
      for step in self.steps
    ]
    pathlib.Path(path).write_text(json.dumps({"traceEvents": events}) + "\n")


@contextlib.contextmanager
def record_schedule() -> Iterator[Schedule]:
  """Records the schedule of the batched run that finishes last inside the `with` block.

  ```python
  with rtf.record_schedule() as schedule:
    f.map(roots)
  print(len(schedule.steps))
  ```

  Recording is a switch of the whole process, and slows every step down by a few microseconds.

  Yields:
    A `Schedule`, filled when the block ends; empty if nothing ran under the batched scheduler.
  """
  schedule = Schedule()
  kernels.recursive_tf_set_tracing(is_enabled=True)
  try:
    yield schedule
    schedule.steps[:] = _last_steps()
  finally:
    kernels.recursive_tf_set_tracing(is_enabled=False)


def _last_steps() -> list[ScheduleStep]:
  names, steps, splits, rows = (tensor.numpy() for tensor in kernels.recursive_tf_run_trace())
  first = int(steps[:, 3].min(initial=np.iinfo(np.int64).max)) if len(steps) else 0
  found = []
  for i, (shard, block, num_rows, start, duration, is_backward, _, _) in enumerate(steps.tolist()):
    of_step = rows[splits[i] : splits[i + 1]]
    name = names[block].decode()
    found.append(
      ScheduleStep(
        block=name,
        shard=shard,
        is_backward=bool(is_backward),
        num_rows=num_rows,
        start_us=start - first,
        duration_us=duration,
        trees=of_step[:, 0],
        depths=of_step[:, 1],
      )
    )
  return found
