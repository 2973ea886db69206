"""Sentences a second of several arms: what the throughput benchmarks have in common.

All arms start from the same weights and must agree in loss, gradient norms and predictions before
anything is timed. A timing runs the same sentences for every arm; batching, planning and padding
are inside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks import plot
from benchmarks.arms import CONTENDERS, Arms
from benchmarks.harness import Arm, Timing, measure
from benchmarks.report import Report, print_table
from benchmarks.treebanks import Packed

MODES = ("train", "infer")


def measure_model(
  names: Sequence[str],
  model: str,
  trees: tuple[Packed, int],
  num_trees: Mapping[int, int],
  threads: int,
  report: Report,
  **labels: object,
) -> list[Timing]:
  """Times a model in training and inference and adds the timings to the report.

  Args:
    names: the arms.
    model: the model.
    trees: the packed trees, and the size of their vocabulary.
    num_trees: how many of the trees a timing takes, by batch size.
    threads: threads of each arm.
    report: gets the timings, and what setting up took.
    **labels: more labels for the timings.
  """
  options = report.options
  with Arms(names, model, *trees, threads, options) as arms:
    available = len(trees[0]["node_splits"]) - 1
    arms.check(list(range(min(10, available))))
    timed = []
    for batch_size, wanted in options.chosen(num_trees).items():
      count = min(wanted, available)
      batches = batches_of(batch_size, count)
      for mode in MODES:
        for name in arms.workers:
          if batch_size <= CONTENDERS[name].largest_batch:
            label = {"model": model, **labels, "mode": mode, "batch": batch_size, "arm": name}
            run = arms.add(name, f"{mode} {batch_size}", mode, batches)
            timed.append(Arm({**label, "threads": threads}, run, work=count))
    timings = measure(
      timed,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"{model}, {threads} threads",
    )
    for name, each in arms.workers.items():
      if CONTENDERS[name].is_model and (seconds := each.call("set_up_seconds")):
        report.figures[f"{name}: seconds to set up, {threads} threads"] = seconds
  report.timings += timings
  return timings


def batches_of(batch_size: int, num_trees: int) -> list[list[int]]:
  """Returns the trees 0 .. `num_trees` - 1 in batches, the last one smaller if need be."""
  return [
    list(range(begin, min(begin + batch_size, num_trees)))
    for begin in range(0, num_trees, batch_size)
  ]


def groups_of(timings: Sequence[Timing], *keys: str) -> dict[tuple, dict[str, Timing]]:
  """Returns the timings by their labels `keys`, and of each group by arm."""
  groups: dict[tuple, dict[str, Timing]] = {}
  for timing in timings:
    group = groups.setdefault(tuple(timing.labels[key] for key in keys), {})
    group[str(timing.labels["arm"])] = timing
  return groups


def ratio(group: Mapping[str, Timing], arm: str, other: str) -> float | None:
  """Returns how many times faster `arm` is than `other`, or None where one was not timed."""
  if arm in group and other in group:
    return group[arm].per_second / group[other].per_second
  return None


def print_rates(timings: Sequence[Timing], ours: str, title: str, *keys: str) -> None:
  """Prints a row for each value of the labels `keys`, with the ratios of `ours` to the others."""
  arms = list(dict.fromkeys(str(timing.labels["arm"]) for timing in timings))
  others = [arm for arm in arms if arm != ours]
  rows = []
  for key, group in groups_of(timings, *keys).items():
    ratios = [ratio(group, ours, arm) for arm in others]
    rates = [rate(group[arm]) if arm in group else "-" for arm in arms]
    rows.append([*key, *rates, *("-" if value is None else value for value in ratios)])
  header = [*keys, *arms, *(f"x {arm}" for arm in others)]
  print_table(header, rows, f"{title}: sentences/s (spread in %, ! unstable)")


def rate(timing: Timing) -> str:
  """Returns sentences a second and the spread in percent, marked where it is too large."""
  mark = "!" if timing.is_unstable else ""
  return f"{timing.per_second:8.1f} ({100 * timing.spread:.0f}{mark})"


def plot_rates(report: Report, mode: str) -> None:
  """Draws sentences a second by batch size, a panel for each model and thread count."""
  own = [timing for timing in report.timings if timing.labels["mode"] == mode]
  panels = list(dict.fromkeys((t.labels["model"], t.labels["threads"]) for t in own))
  path = report.options.out / f"{report.name}_{mode}.png"
  with plot.figure(path, len(panels), f"SST, {mode}: median and range") as axes:
    for axis, (model, threads) in zip(axes, panels, strict=True):
      here = [t for t in own if (t.labels["model"], t.labels["threads"]) == (model, threads)]
      for arm in dict.fromkeys(str(timing.labels["arm"]) for timing in here):
        line = [timing for timing in here if timing.labels["arm"] == arm]
        plot.ranges(
          axis,
          [timing.labels["batch"] for timing in line],
          [[timing.work / seconds for seconds in timing.seconds] for timing in line],
          arm,
        )
      axis.set(xscale="log", yscale="log", xlabel="batch", ylabel="sentences/s")
      axis.set_title(f"{model}, {threads} threads")
      axis.legend(fontsize=7)
