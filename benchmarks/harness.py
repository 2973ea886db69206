"""Times arms against each other: warm-up, calibrated loops, interleaved repetitions, spread.

Every repetition times every arm once, in an order shuffled anew, so that a machine that is slow for
a while is slow for all of them (google/benchmark calls it random interleaving). A result whose
timings differ much among themselves says so (as in pyperf).
"""

from __future__ import annotations

import dataclasses
import random
import statistics
from collections.abc import Callable, Sequence

import tqdm

UNSTABLE_SPREAD = 0.10
_MAX_LOOPS = 1 << 20


@dataclasses.dataclass(frozen=True)
class Arm:
  """One thing to time.

  Attributes:
    labels: what tells it from the other arms, such as {"arm": "eager", "batch": 25}.
    run: runs it as often as told and returns the seconds that took.
    work: units of work in one loop, such as frames or sentences.
  """

  labels: dict[str, object]
  run: Callable[[int], float]
  work: float = 1.0

  @property
  def name(self) -> str:
    """The labels in one line."""
    return _name(self.labels)


@dataclasses.dataclass(frozen=True)
class Timing:
  """What the repetitions of one arm gave.

  Attributes:
    labels, work: those of the arm.
    loops: loops in each timing.
    seconds: seconds per loop, one for each repetition.
  """

  labels: dict[str, object]
  work: float
  loops: int
  seconds: tuple[float, ...]

  @property
  def name(self) -> str:
    """The labels in one line."""
    return _name(self.labels)

  @property
  def median(self) -> float:
    """Median seconds per loop."""
    return statistics.median(self.seconds)

  @property
  def quartiles(self) -> tuple[float, float]:
    """First and third quartile of the seconds per loop."""
    if len(self.seconds) < 2:
      return self.seconds[0], self.seconds[0]
    first, _, third = statistics.quantiles(self.seconds, n=4, method="inclusive")
    return first, third

  @property
  def spread(self) -> float:
    """Interquartile range as a share of the median."""
    first, third = self.quartiles
    return (third - first) / self.median

  @property
  def is_unstable(self) -> bool:
    """Whether the spread is too large for the median to be trusted."""
    return self.spread >= UNSTABLE_SPREAD

  @property
  def per_second(self) -> float:
    """Units of work in a second, by the median."""
    return self.work / self.median

  @property
  def micros_per_unit(self) -> float:
    """Microseconds for one unit of work, by the median."""
    return 1e6 * self.median / self.work

  def to_json(self) -> dict[str, object]:
    """Returns the labels, the summary and every timing."""
    first, third = self.quartiles
    return {
      **self.labels,
      "work": self.work,
      "loops": self.loops,
      "median_seconds": self.median,
      "min_seconds": min(self.seconds),
      "max_seconds": max(self.seconds),
      "quartiles_seconds": [first, third],
      "units_per_second": self.per_second,
      "spread": self.spread,
      "is_unstable": self.is_unstable,
      "seconds": list(self.seconds),
    }


def measure(
  arms: Sequence[Arm],
  *,
  repetitions: int,
  seed: int,
  min_seconds: float,
  description: str = "",
) -> list[Timing]:
  """Times `arms`, interleaved.

  Args:
    arms: what to time. Each runs once before, for warm-up: traces, caches, lazy set-up.
    repetitions: timings of each arm; at least 9 before two arms are called different.
    seed: decides the orders.
    min_seconds: loops are added to a timing until it takes this long.
    description: stands before the progress bar.

  Returns:
    One `Timing` for each arm, in the order given.
  """
  rng = random.Random(seed)
  steps = len(arms) * (repetitions + 1)
  with tqdm.tqdm(total=steps, desc=description, unit="timing", disable=None, leave=False) as bar:
    loops = []
    for arm in arms:
      arm.run(1)
      loops.append(_calibrate(arm, min_seconds))
      bar.update()
    seconds: list[list[float]] = [[] for _ in arms]
    for _ in range(repetitions):
      order = list(range(len(arms)))
      rng.shuffle(order)
      for index in order:
        bar.set_postfix_str(arms[index].name)
        seconds[index].append(arms[index].run(loops[index]) / loops[index])
        bar.update()
  return [
    Timing(arm.labels, arm.work, count, tuple(values))
    for arm, count, values in zip(arms, loops, seconds, strict=True)
  ]


def _name(labels: dict[str, object]) -> str:
  return " ".join(f"{key}={value}" for key, value in labels.items())


def _calibrate(arm: Arm, min_seconds: float) -> int:
  """Returns the loops for a timing of at least `min_seconds`."""
  loops = 1
  while min_seconds > 0 and loops < _MAX_LOOPS:
    seconds = arm.run(loops)
    if seconds >= min_seconds:
      break
    # Aim a little past the goal, and never trust one short timing with a large jump.
    loops = max(loops + 1, min(10 * loops, int(1.2 * loops * min_seconds / max(seconds, 1e-9))))
  return min(loops, _MAX_LOOPS)
