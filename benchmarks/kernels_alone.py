"""Our kernels one by one, at the shapes that occur, against what else TensorFlow has for them.

Products with weights, transposed (the gradient of their rows) and not; the product of rows that is
the gradient of weights; the gates of an LSTM, forward and backward; Adagrad. Against TensorFlow's
ops by Eigen and by oneDNN (TF_ENABLE_ONEDNN_OPTS=0 and 1, a process for each), and against XLA's
(jit_compile). Ours is timed in both processes: that the two agree says how far to trust the rest.

"times" is the fastest of the others over ours. A kernel is worth having on a shape from GOAL on.
"""

from __future__ import annotations

import contextlib

import numpy as np
import tqdm

from benchmarks import plot, worker
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table

GOAL = 1.15
_TARGET = "benchmarks.workloads.kernels:Kernels"
# Other processes take the processor for milliseconds: many short timings, of which the fastest is
# compared, find it free now and then.
_REPETITIONS, _SHARE = 3, 0.1
_LIBRARIES = {"eigen": "0", "onednn": "1"}
_OTHERS = (*_LIBRARIES, "xla")
# Inner size and columns; or, of gates, children and state.
SHAPES = {
  "matmul": {
    "TreeRNN": (50, 25),
    "RNTN": (2500, 25),
    "LSTM leaf": (300, 450),
    "LSTM inner": (300, 750),
  },
  "transposed matmul": {
    "TreeRNN": (25, 50),
    "RNTN": (25, 2500),
    "LSTM leaf": (450, 300),
    "LSTM inner": (750, 300),
  },
  "row product": {
    "TreeRNN": (50, 25),
    "RNTN": (2500, 25),
    "LSTM leaf": (300, 450),
    "LSTM inner": (300, 750),
  },
  "gates": {"LSTM leaf": (0, 150), "LSTM inner": (2, 150)},
  "gates, backward": {"LSTM leaf": (0, 150), "LSTM inner": (2, 150)},
}
_SMALL_SHAPES = {
  "matmul": {"small": (4, 3)},
  "transposed matmul": {"small": (4, 3)},
  "row product": {"small": (4, 3)},
  "gates": {"leaf": (0, 3), "inner": (2, 3)},
  "gates, backward": {"leaf": (0, 3), "inner": (2, 3)},
}
_VOCABULARY, _WORD = 16_000, 300


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("kernels_alone", options)
  for threads in options.threads:
    with contextlib.ExitStack() as stack:
      workers = {
        library: stack.enter_context(
          worker.start(
            _TARGET,
            threads,
            in_process=options.in_process,
            environ={"TF_ENABLE_ONEDNN_OPTS": value},
            max_copies=options.pick(64, 64, 2),
            keeps_memory=not options.in_process,
          )
        )
        for library, value in _LIBRARIES.items()
      }
      _measure_rows(workers, threads, report)
      _measure_adagrad(workers, threads, report)
      _measure_first_calls(workers, threads, report)
  if options.size != "smoke":
    _plot(report)
  return report


def _measure_rows(workers, threads: int, report: Report) -> None:
  options = report.options
  all_rows = options.pick((1, 2, 4, 8, 16, 25, 64, 256, 1024), (1, 8, 25, 256), (7,))
  for kernel, shapes in options.pick(SHAPES, SHAPES, _SMALL_SHAPES).items():
    table = []
    cases = [(name, shape, rows) for name, shape in shapes.items() for rows in all_rows]
    for name, shape, rows in tqdm.tqdm(cases, kernel, disable=None, leave=False):
      labels = {"kernel": kernel, "name": name, "rows": rows, "threads": threads}
      timings = _time(workers, labels, options, "add", kernel, shape, rows)
      report.timings += timings
      table.append([name, f"{shape[0]} x {shape[1]}", rows, *_cells(timings)])
    _print(f"{kernel}, {threads} threads", ["model", "shape", "rows"], table)
    best = max(row[-2] for row in table)
    report.goal(f"{kernel}, {threads} threads: {GOAL} times on some shape", best, best >= GOAL)


def _measure_adagrad(workers, threads: int, report: Report) -> None:
  options = report.options
  rng = np.random.default_rng(options.seed)
  shapes = options.pick([(50, 25), (2500, 25), (300, 450), (300, 750)], [(50, 25), (300, 750)], [])
  cases = [(f"dense, l2 {l2:g}", shape, None, l2) for shape in shapes for l2 in (0.0, 1e-4)]
  for count in options.pick((20, 480, 4_900), (20, 480), (5,)):  # Words of 1, 25, 256 sentences.
    words = np.minimum(rng.zipf(1.3, count), _VOCABULARY) - 1
    shape = (_VOCABULARY, options.pick(_WORD, _WORD, 3))
    cases.append((f"{count} rows", shape, words.astype(np.int32), 0.0))
  table = []
  for name, shape, words, l2 in tqdm.tqdm(cases, "Adagrad", disable=None, leave=False):
    labels = {"kernel": "Adagrad", "name": name, "shape": shape, "threads": threads}
    timings = _time(workers, labels, options, "add_adagrad", shape, words, l2)
    report.timings += timings
    table.append([name, f"{shape[0]} x {shape[1]}", *_cells(timings)])
  _print(f"Adagrad, {threads} threads", ["gradient", "variable"], table)
  best = max(row[-2] for row in table)
  report.goal(f"Adagrad, {threads} threads: {GOAL} times on some shape", best, best >= GOAL)


def _measure_first_calls(workers, threads: int, report: Report) -> None:
  """With a number of rows that no call had before, as nearly every batch has."""
  table = []
  count = report.options.pick(100, 20, 2)
  sizes = report.options.pick((20, 450), (20, 450), (2,))
  for kernel, shape in ("matmul", (300, 750)), ("row product", (300, 750)):
    for rows in sizes:
      counts = range(rows, rows + count)
      micros = {
        library: each.call("first_calls", kernel, shape, counts)
        for library, each in workers.items()
      }
      ours = min(each["ours"] for each in micros.values())
      others = [each["tensorflow"] for each in micros.values()]
      table.append([kernel, f"{rows} and more", ours, *others, min(others) / ours])
      for library, value in zip(workers, others, strict=True):
        report.figures[f"first calls, {kernel}, {rows} rows, {threads} threads, {library}"] = value
      report.figures[f"first calls, {kernel}, {rows} rows, {threads} threads, ours"] = ours
  title = (
    f"Microseconds of a call from Python with a new number of rows, {threads} threads: medians"
  )
  print_table(["300 x 750", "rows", "ours", *workers, "times"], table, title)


def _time(workers, labels: dict, options: Options, method: str, *case) -> list[Timing]:
  """Times all arms on one case; the workers know it by what `method` is given."""
  is_sparse = method == "add_adagrad" and case[1] is not None
  arms = []
  for library, each in workers.items():
    # XLA has no kernel for what a sparse step needs.
    own = ["ours", "tensorflow", *(["xla"] if library == "eigen" and not is_sparse else [])]
    copies = each.call(method, *case, own)
    for arm in own:
      run = lambda loops, each=each, arm=arm: each.call("time", arm, loops)  # noqa: E731
      name = {"tensorflow": library, "ours": f"ours, {library}"}.get(arm, arm)
      arms.append(Arm({**labels, "arm": name}, run, copies))
  return measure(
    arms,
    repetitions=_REPETITIONS * options.repetitions,
    seed=options.seed,
    min_seconds=_SHARE * options.min_seconds,
  )


def _cells(timings: list[Timing]) -> list[object]:
  """Returns microseconds of ours and of the others, ours in the other process, times, spread."""
  fastest = {t.labels["arm"]: 1e6 * min(t.seconds) / t.work for t in timings}
  ours = [fastest.pop(f"ours, {library}") for library in _LIBRARIES]
  times = min(fastest.values()) / min(ours)
  spread = sorted(t.spread for t in timings)[len(timings) // 2]
  others = [fastest.get(arm, "") for arm in _OTHERS]
  return [min(ours), *others, max(ours) / min(ours), times, spread]


def _print(title: str, names: list[str], table: list) -> None:
  header = [*names, "ours", *_OTHERS, "ours/ours", "times", "spread"]
  print_table(header, table, f"{title}: microseconds, the fastest repetition")


def _plot(report: Report) -> None:
  threads = max(report.options.threads)
  path = report.options.out / "kernels_alone.png"
  title = f"The fastest of the others over our kernel, {threads} threads, by rows"
  with plot.figure(path, len(SHAPES), title) as axes:
    for axis, (kernel, shapes) in zip(axes, SHAPES.items(), strict=True):
      for name in shapes:
        wanted = {"kernel": kernel, "name": name, "threads": threads}
        found = [t for t in report.timings if wanted.items() <= t.labels.items()]
        rows = sorted({t.labels["rows"] for t in found})
        times = [_cells([t for t in found if t.labels["rows"] == count])[-2] for count in rows]
        axis.plot(rows, times, marker="o", label=name)
      axis.axhline(GOAL, color="gray", linestyle="--")
      axis.set(xscale="log", xlabel="rows", ylabel="times", ylim=(0, None), title=kernel)
      axis.legend(fontsize=7)
