"""What the command line asks of a benchmark."""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Mapping


@dataclasses.dataclass(frozen=True)
class Options:
  """Options of one run; the same for all benchmarks.

  Attributes:
    size: "full", "quick" (a minute or two) or "smoke" (as small as can be, figures mean nothing).
    threads: thread counts to run with, one after the other.
    repetitions: timings of each arm.
    seed: decides the order of arms, the weights and the choice of sentences.
    out: folder for NAME.json and NAME.png.
    data: "sst", "sample" for the bundled trees, or a folder with a treebank.
    seeds: seeds of training_time, a run each; empty for `seed` alone.
    models: those of the zoo, or programs of the converter's benchmarks, to run; empty for all.
    sizes: "small" or "large" programs of `converter`; empty for both.
    batches: sizes of batches to run in throughput benchmarks; empty for all.
    clock: "wall", or "processor" for the processor time of one thread, on a machine that is shared.
    old: the other checkout of `against`, with a .venv of its own; None for this one.
    verify: whether `converter_convergence` also compares each step with plain Python.
    in_process: run the arms in this process, with the threads that it has; for the smoke test.
  """

  size: str = "full"
  threads: tuple[int, ...] = (1, 2)
  repetitions: int = 9
  seed: int = 0
  out: pathlib.Path = pathlib.Path("build/benchmarks")
  data: str = "sst"
  in_process: bool = False
  seeds: tuple[int, ...] = ()
  models: tuple[str, ...] = ()
  sizes: tuple[str, ...] = ()
  batches: tuple[int, ...] = ()
  clock: str = "wall"
  verify: bool = False
  old: pathlib.Path | None = None

  def pick(self, full, quick, smoke):
    """Returns the value for this size."""
    return {"full": full, "quick": quick, "smoke": smoke}[self.size]

  @property
  def min_seconds(self) -> float:
    """Shortest timing: loops are added until one takes this long."""
    return self.pick(0.1, 0.02, 0.0)

  def named(self, names: tuple[str, ...]) -> tuple[str, ...]:
    """Returns those of `names` that `models` asks for."""
    return tuple(name for name in names if not self.models or name in self.models)

  def chosen(self, counts: Mapping[int, int]) -> dict[int, int]:
    """Returns those of `counts`, by size of a batch, whose size is to run."""
    return {size: n for size, n in counts.items() if not self.batches or size in self.batches}
