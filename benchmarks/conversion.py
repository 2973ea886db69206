"""What conversion costs: the first calls, the walk over the objects, and whether anything grows.

The plain TreeLSTM of `recursive_python` over a class of the user's own and over `nltk.Tree`, on
random trees that are new in every call.

First calls: in fresh processes, seconds of each call of `.map` on a batch, of inference and of
training (loss and gradients). Batches differ in size, so calls are compared by the node. The steady
state is the median of the last third; it is reached with the first call within 20% of it, and what
all calls before that one take is the cost. "slowest later" would show a conversion that came later.

Walk: nanoseconds a node in the steady state, by the counters of `encode.stats`.

Growth: a small TreeLSTM in training over many trees, made on the fly and dropped: graphs,
conversions, tracked Python objects and nodes that are still alive, resident memory.
"""

from __future__ import annotations

import statistics

import numpy as np
import tqdm

from benchmarks import plot, worker
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report, print_table

_TARGET = "benchmarks.workloads.conversion:Conversion"
OBJECTS = ("node", "nltk")
MODES = ("infer", "train")
WITHIN = 0.2
GOAL_FIRST_SECONDS = 5.0
GOAL_WALK_NANOS = 1_000.0
GOAL_MIB_PER_10000 = 1.0
GOAL_OBJECTS = 1_000
_INTERVALS = 10


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("conversion", options)
  for threads in options.threads:
    _first_calls(threads, report)
    _walk(threads, report)
  # Nothing of what may grow depends on the threads.
  _growth(max(options.threads), report)
  return report


def _start(objects: str, threads: int, options: Options, sizes: dict[str, int]):
  return worker.start(
    _TARGET,
    threads,
    in_process=options.in_process,
    objects=objects,
    sizes=sizes,
    batch_size=options.pick(25, 25, 5),
    seed=options.seed,
  )


def _first_calls(threads: int, report: Report) -> None:
  options = report.options
  num_processes = min(options.repetitions, options.pick(5, 2, 1))
  sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)["treelstm"]
  count = options.pick(60, 40, 6)
  rows: list[list[object]] = []
  for objects in OBJECTS:
    for mode in MODES:
      found = []
      for _ in range(num_processes):
        with _start(objects, threads, options, sizes) as program:
          found.append(settling(program.call("call_seconds", mode, count)))
      report.figures[f"first calls, {objects}, {mode}, {threads} threads"] = found
      worst = max(each["seconds"] for each in found)
      middle = [statistics.median(each[key] for each in found) for key in ("first", "seconds")]
      calls, later = (max(each[key] for each in found) for key in ("calls", "slowest later"))
      steady = statistics.median(each["steady"] for each in found)
      rows.append([objects, mode, *middle, worst, calls, later, 1e6 * steady])
      claim = f"{objects} {mode}, {threads} threads: at most {GOAL_FIRST_SECONDS} s until steady"
      report.goal(claim, worst, worst <= GOAL_FIRST_SECONDS)
  header = ["objects", "mode", "first call s", "until steady s", "worst s", "calls"]
  header += ["slowest later s", "us/node then"]
  title = f"First calls in a fresh process, {threads} threads, medians of {num_processes}"
  print_table(header, rows, title)


def settling(calls: list[tuple[float, int]]) -> dict[str, float]:
  """Returns how long it takes until calls are steady.

  Args:
    calls: seconds and nodes of each call, in order.

  Returns:
    "first": seconds of the first call; "steady": seconds a node in the end; "calls": how many come
    before one is within `WITHIN` of that; "seconds": of those; "slowest later": the most seconds
    that a call took after those.
  """
  per_node = [seconds / nodes for seconds, nodes in calls]
  steady = statistics.median(per_node[-max(len(calls) // 3, 1) :])
  settled = next(i for i, value in enumerate(per_node) if value <= (1 + WITHIN) * steady)
  return {
    "first": calls[0][0],
    "steady": steady,
    "calls": settled,
    "seconds": sum(seconds for seconds, _ in calls[:settled]),
    "slowest later": max(seconds for seconds, _ in calls[settled:]),
  }


def _walk(threads: int, report: Report) -> None:
  options = report.options
  count = options.pick(40, 20, 2)
  sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)["treelstm"]
  rows: list[list[object]] = []
  for objects in OBJECTS:
    with _start(objects, threads, options, sizes) as program:
      program.call("walk", count)  # The conversion, and the steps that grow what is kept.
      found = [program.call("walk", count) for _ in range(options.repetitions)]
    nanos = [1e9 * seconds / nodes for seconds, nodes, _ in found]
    met = sum(met for _, _, met in found) / sum(nodes for _, nodes, _ in found)
    value = statistics.median(nanos)
    report.figures[f"walk, ns a node, {objects}, {threads} threads"] = nanos
    rows.append([objects, value, min(nanos), max(nanos), met])
    claim = f"walk, {objects}, {threads} threads: below {GOAL_WALK_NANOS:.0f} ns a node"
    report.goal(claim, value, value < GOAL_WALK_NANOS)
  header = ["objects", "ns/node", "least", "most", "objects/node"]
  print_table(header, rows, f"Walk in the steady state, {threads} threads")


def _growth(threads: int, report: Report) -> None:
  options = report.options
  num_trees = options.pick(100_000, 5_000, 50)
  interval = num_trees // _INTERVALS
  rows: list[list[object]] = []
  curves = {}
  for objects in OBJECTS:
    with _start(objects, threads, options, {"embedding": 8, "state": 8}) as program:
      curve = [(0, program.call("state"))]
      with tqdm.tqdm(
        total=num_trees, desc=f"growth, {objects}", unit="tree", disable=None, leave=False
      ) as bar:
        for done in range(interval, num_trees + 1, interval):
          program.call("train", interval)
          curve.append((done, program.call("state")))
          bar.update(interval)
    curves[objects] = curve
    rows.append([objects, *_check_growth(curve, objects, report)])
  report.figures[f"growth, {threads} threads"] = curves
  header = ["objects", "trees", "graphs", "conversions", "nodes alive", "new objects"]
  header += ["MiB", "MiB/10,000 trees"]
  print_table(header, rows, f"Growth over distinct trees, {threads} threads")
  if options.size != "smoke":
    _plot(report, curves)


def _check_growth(curve: list, objects: str, report: Report) -> list[object]:
  """Adds the goals of one curve; returns its row of the table."""
  num_trees, end = curve[-1]
  num_alive = end["tree_nodes"] - curve[0][1]["tree_nodes"]
  # A third for warm-up: by then batches of all sizes have been met.
  warm = curve[max(len(curve) // 3, 1) :]
  start = warm[0][1]
  steps = [trees for trees, _ in warm]
  resident = [state["resident_bytes"] / 2**20 for _, state in warm]
  slope = 1e4 * float(np.polyfit(steps, resident, 1)[0])
  new_objects = end["objects"] - start["objects"]
  new_graphs = end["num_graphs"] - start["num_graphs"]
  new_conversions = end["num_conversions"] - start["num_conversions"]
  where = f"{objects}, trees {steps[0]:,} to {num_trees:,}"
  report.goal(f"{where}: new graphs", new_graphs, new_graphs == 0)
  report.goal(f"{where}: new conversions", new_conversions, new_conversions == 0)
  report.goal(f"{objects}: nodes alive in the end", num_alive, num_alive == 0)
  claim = f"{where}: new tracked objects, fewer than {GOAL_OBJECTS}"
  report.goal(claim, new_objects, new_objects < GOAL_OBJECTS)
  if report.options.size == "full":  # Fewer trees say nothing: the allocator has not settled.
    claim = f"{where}: below {GOAL_MIB_PER_10000} MiB in 10,000 trees"
    report.goal(claim, slope, slope < GOAL_MIB_PER_10000)
  return [
    f"{num_trees:,}",
    end["num_graphs"],
    end["num_conversions"],
    num_alive,
    new_objects,
    resident[-1],
    slope,
  ]


def _plot(report: Report, curves: dict) -> None:
  path = report.options.out / "conversion.png"
  with plot.figure(path, 1, "Resident memory over distinct trees") as (axis,):
    for objects, curve in curves.items():
      trees = [number for number, _ in curve]
      resident = [state["resident_bytes"] / 2**20 for _, state in curve]
      axis.plot(trees, resident, marker=".", label=objects)
    axis.set(xlabel="trees", ylabel="MiB", ylim=(0, None))
    axis.legend(fontsize=7)
