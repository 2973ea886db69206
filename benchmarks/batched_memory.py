"""Memory of both schedulers: bytes a frame, peaks, and whether thousands of steps need more.

Peak memory beyond what was resident before, of a chain of frames and of a TreeLSTM on batches of
SST, forward and with backward, in calls of their own; the TreeLSTM's where memory is given back at
once, so that what an allocator keeps does not count as resident before. Then resident memory over
training steps on batches of random sizes, from step 200 on, when all is traced and the allocator
has settled.
"""

from __future__ import annotations

from benchmarks import arms, plot, worker
from benchmarks.memory import GOAL_GROWTH, run_phase
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

# With oneDNN, TensorFlow keeps all memory of 256 KiB and more that was ever asked for; malloc keeps
# smaller pieces. What a call has then is mostly there before it.
_GIVES_BACK = {
  "TF_ENABLE_ONEDNN_OPTS": "0",
  "MALLOC_MMAP_THRESHOLD_": "4096",
  "MALLOC_TRIM_THRESHOLD_": "0",
  "MALLOC_TOP_PAD_": "0",
  "MALLOC_ARENA_MAX": "1",
}
_FRAMES = "benchmarks.workloads.frames:Frames"
_TRAINING = "benchmarks.workloads.training:Training"


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("batched_memory", options)
  batches = options.pick((1, 25, 256), (1, 25, 256), (3,))
  trees = load_trees(options, options.pick(500, 300, 5))
  for threads in options.threads:
    rows = []
    for scheduler in arms.SCHEDULERS:
      rows += _chain(scheduler, threads, options)
      for batch in batches:
        rows += _sst(scheduler, trees, batch, threads, options)
    report.figures[f"peaks, {threads} threads"] = rows
    header = ["scheduler", "what", "frames", "peak MiB", "B/frame"]
    print_table(header, rows, f"Peak memory beyond what was resident, {threads} threads")
    _steps(trees, threads, report)
  if options.size != "smoke":
    _plot(report)
  return report


def _chain(scheduler: str, threads: int, options: Options) -> list[list]:
  length = options.pick(100_000, 20_000, 20)
  rows = []
  for direction in ("forward", "backward"):
    with _start(_FRAMES, scheduler, threads, options) as frames:
      count = frames.call("add", "chain", None, direction, length)
      # The first call has grown what is kept between calls; this process runs nothing else.
      peak = frames.call("peak", f"chain None {direction} {length}")
    rows.append([scheduler, f"chain, {direction}", count, peak / 2**20, peak / count])
  return rows


def _sst(scheduler: str, trees, batch: int, threads: int, options: Options) -> list[list]:
  rows = []
  num_nodes = int(trees[0]["node_splits"][batch])
  for mode in ("infer", "train"):
    with arms.Arms([scheduler], "treelstm", *trees, threads, options, _GIVES_BACK) as workers:
      workers.add(scheduler, mode, mode, [list(range(batch))])
      model = workers.workers[scheduler]
      model.call("time", mode, 2)
      peak = model.call("peak", mode)
    what = f"SST batch {batch}, {mode}"
    rows.append([scheduler, what, num_nodes, peak / 2**20, peak / num_nodes])
  return rows


def _steps(trees, threads: int, report: Report) -> None:
  options = report.options
  packed, vocab_size = trees
  num_steps = options.pick(2_000, 400, 4)
  warm_up = max(num_steps // 10, 1)
  rows = []
  for scheduler in arms.SCHEDULERS:
    with _start(
      _TRAINING,
      scheduler,
      threads,
      options,
      packed=packed,
      vocab_size=vocab_size,
      batch_size=options.pick(10, 10, 2),
      seed=options.seed,
    ) as training:
      curve = run_phase(training, "train", num_steps, warm_up, threads)
      live_runs, live_entries = training.call("live")
    report.figures[f"resident bytes by step, {scheduler}, {threads} threads"] = curve
    start, end = curve[1][1], curve[-1][1]
    growth = end / start - 1
    rows.append([scheduler, start / 2**20, end / 2**20, 100 * growth, live_runs, live_entries])
    name = f"{scheduler}, {threads} threads"
    claim = f"{name}: growth from step {warm_up} to {num_steps} below {GOAL_GROWTH}"
    report.goal(claim, growth, growth < GOAL_GROWTH)
    report.goal(f"{name}: runs left", live_runs, live_runs == 0)
    report.goal(f"{name}: stash entries left", live_entries, live_entries == 0)
  header = ["scheduler", f"MiB at {warm_up}", f"MiB at {num_steps}", "growth %", "runs", "stash"]
  print_table(header, rows, f"Resident memory in training, {threads} threads")


def _start(target: str, scheduler: str, threads: int, options: Options, **arguments):
  environ = arms.CONTENDERS[scheduler].environ
  return worker.start(target, threads, in_process=options.in_process, environ=environ, **arguments)


def _plot(report: Report) -> None:
  path = report.options.out / "batched_memory.png"
  with plot.figure(path, 1, "Resident memory in training") as (axis,):
    for name, curve in report.figures.items():
      if name.startswith("resident"):
        steps, resident = zip(*curve, strict=True)
        label = name.removeprefix("resident bytes by step, ")
        axis.plot(steps, [value / 2**20 for value in resident], marker=".", label=label)
    axis.set(xlabel="steps", ylabel="MiB", ylim=(0, None))
    axis.legend(fontsize=7)
