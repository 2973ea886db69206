"""Time and memory of frames that do nothing: what the recursion itself costs.

A linear chain of N frames (`tf.cond(n <= 0, base, f(n - 1))`) and a balanced binary recursion,
forward alone and forward with backward, under both ready policies of the concurrent scheduler.
Frames are counted by the run; memory is the peak beyond what was resident before the call, measured
in calls of its own.
"""

from __future__ import annotations

from benchmarks import plot, worker
from benchmarks.harness import Arm, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table

_TARGET = "benchmarks.workloads.frames:Frames"
_ENVIRON = {"RECURSIVE_TF_SCHEDULER": "concurrent"}
_DIRECTIONS = ("forward", "backward")
_POLICIES = ("deepest_first", "fifo")
GOAL_MICROS = 25.0
GOAL_RATIO = 1.5


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("frame_overhead", options)
  for threads in options.threads:
    with worker.start(_TARGET, threads, in_process=options.in_process, environ=_ENVIRON) as frames:
      _run_threads(frames, threads, options, report)
  if options.size != "smoke":
    _plot(report)
  return report


def _run_threads(frames, threads: int, options: Options, report: Report) -> None:
  chains = options.pick([1_000, 10_000, 100_000], [1_000, 10_000, 100_000], [10, 20])
  depths = options.pick([10, 14], [10, 13], [2, 3])
  cases = [("chain", n) for n in chains] + [("wide", n) for n in depths]
  arms, peaks = [], {}
  for shape, n in cases:
    # A chain has one ready frame at any time: the policies differ only where it is wide.
    for policy in _POLICIES if shape == "wide" else _POLICIES[:1]:
      for direction in _DIRECTIONS:
        labels = {"shape": shape, "policy": policy, "direction": direction, "n": n}
        name = " ".join(str(value) for value in labels.values())
        num_frames = frames.call("add", shape, policy, direction, n)
        peaks[name] = frames.call("peak_and_stash", name)
        run = _timer(frames, name)
        arms.append(Arm({**labels, "threads": threads}, run, work=num_frames))
  timings = measure(
    arms,
    repetitions=options.repetitions,
    seed=options.seed,
    min_seconds=options.min_seconds,
    description=f"frame_overhead, {threads} threads",
  )
  report.timings += timings
  report.figures[f"peaks, {threads} threads"] = peaks
  _print(timings, peaks, threads)
  _check_goals(timings, threads, report)


def _timer(frames, name: str):
  return lambda loops: frames.call("time", name, loops)


def _print(timings, peaks, threads: int) -> None:
  rows = []
  for timing in timings:
    label = timing.labels
    name = " ".join(str(label[key]) for key in ("shape", "policy", "direction", "n"))
    peak = peaks[name]
    rows.append(
      [label["shape"], label["policy"], label["direction"], label["n"], peak["frames"]]
      + [timing.micros_per_unit, 100 * timing.spread]
      + [peak["peak_bytes"] / 2**20, peak["peak_bytes"] / peak["frames"]]
    )
  print_table(
    ["shape", "policy", "direction", "n", "frames", "us/frame", "spread %", "peak MiB", "B/frame"],
    rows,
    f"Empty frames, {threads} threads (backward: forward and backward)",
  )


def _check_goals(timings, threads: int, report: Report) -> None:
  chains = [timing for timing in timings if timing.labels["shape"] == "chain"]
  for direction in _DIRECTIONS:
    group = [timing for timing in chains if timing.labels["direction"] == direction]
    short, long = group[0], group[-1]
    ratio = long.micros_per_unit / short.micros_per_unit
    claim = (
      f"chain {direction}, {threads} threads: time per frame at {long.labels['n']:,} over that at"
      f" {short.labels['n']:,} is at most {GOAL_RATIO}"
    )
    report.goal(claim, ratio, ratio <= GOAL_RATIO)
  worst = max(t.micros_per_unit for t in chains if t.labels["direction"] == "forward")
  claim = f"empty frame forward, {threads} threads: at most {GOAL_MICROS} us"
  report.goal(claim, worst, worst <= GOAL_MICROS)


def _plot(report: Report) -> None:
  path = report.options.out / "frame_overhead.png"
  with plot.figure(path, 2, "Empty frames: median and range") as axes:
    for axis, shape in zip(axes, ("chain", "wide"), strict=True):
      lines: dict[str, list] = {}
      for timing in report.timings:
        label = timing.labels
        if label["shape"] == shape:
          policy = f" {label['policy']}" if shape == "wide" else ""
          name = f"{label['direction']}{policy}, {label['threads']} threads"
          lines.setdefault(name, []).append(timing)
      for name, group in lines.items():
        micros = [[1e6 * seconds / t.work for seconds in t.seconds] for t in group]
        plot.ranges(axis, [t.work for t in group], micros, name)
      axis.set(xscale="log", xlabel="frames", ylabel="us per frame", title=shape, ylim=(0, None))
      axis.legend(fontsize=7)
