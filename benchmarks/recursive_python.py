"""Sentences a second of plain recursive Python on SST: eager, under `rtf.recursive`, hand-written.

The programs are in `peers/plain_programs.py`, over a class of the user's own and over `nltk.Tree`.
The arms, whose names tell what they run:

  plain_eager               the program as it is, one tree at a time
  recursive                 the same function under `rtf.recursive`, `.map` under an eager tape
  recursive_packed          the same, trees packed and passed to all of a step, prepared
  recursive_fused[_packed]  the same program with the ops of `rtf.nn` in its cells
  recursive_fused_packed_once  all trees are packed before; a batch is numbers of them
  handwritten               the SubGraph of `recursive_tf.models`, all of a step, prepared
  handwritten_eager_tape    the same, called as `recursive` is: tape and optimizer outside
  eager                     eager recursion tuned by hand: one softmax layer for the batch

"_nltk": over `nltk.Tree`. The walk over the objects of a batch is in the time of every step, but
where they are packed once, and the hand-written ones, which have the treebank in a table. Sizes,
loss, optimizer and weights are those of `sst_throughput`. A timing of what is fast takes several
batches, so that trees are read that are not in the caches from just before. AutoGraph retraces for
each tree, so it has a table of its own: seconds for a tree that is new, and for one that was traced
before.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from benchmarks import arms, throughput
from benchmarks.harness import Timing
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.sst_throughput import GOALS_OVER_EAGER
from benchmarks.treebanks import Packed, load_trees

OBJECTS = ("", "_nltk")
SLOW_ARMS = (*(f"plain_eager{objects}" for objects in OBJECTS), "eager")
FAST_ARMS = (
  *(f"recursive{objects}" for objects in OBJECTS),
  *(f"recursive_packed{objects}" for objects in OBJECTS),
  *(f"recursive_fused{objects}" for objects in OBJECTS),
  *(f"recursive_fused_packed{objects}" for objects in OBJECTS),
  *(f"recursive_fused_packed_once{objects}" for objects in OBJECTS),
  "handwritten_eager_tape",
  "handwritten",
)
GOAL_BATCH = 25
GOAL_OF_HANDWRITTEN = 0.95
# Of what runs the very function of the eager arm.
UNCHANGED = ("recursive", "recursive_packed")
# What is compared with what: the same ops, and the same calls.
HANDWRITTEN = {
  "recursive_fused": "handwritten_eager_tape",
  "recursive_fused_packed": "handwritten",
  "recursive_fused_packed_once": "handwritten",
}
_AUTOGRAPH_FORMS = ("step", "decorated")


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("recursive_python", options)
  num_trees = options.pick({1: 50, 25: 50}, {1: 25, 25: 25}, {1: 1, 3: 3})
  more_trees = options.pick({1: 100, 25: 500}, {1: 50, 25: 250}, {1: 2, 3: 6})
  trees = load_trees(options, max(more_trees.values()))
  for threads in options.threads:
    for model in options.models or GOALS_OVER_EAGER:
      timings = [
        timing
        for arms_, counts in ((SLOW_ARMS, num_trees), (FAST_ARMS, more_trees))
        for timing in throughput.measure_model(arms_, model, trees, counts, threads, report)
      ]
      _print(timings, f"{model}, {threads} threads")
      _check_goals(timings, model, threads, report)
  for model in options.models or GOALS_OVER_EAGER:
    _autograph(model, trees, max(options.threads), report)
  if options.size != "smoke":
    for mode in throughput.MODES:
      throughput.plot_rates(report, mode)
  return report


def _print(timings: list[Timing], title: str) -> None:
  """Prints a table for each mode and batch size, an arm a row."""
  for (mode, batch), group in throughput.groups_of(timings, "mode", "batch").items():
    rows = [
      [arm, throughput.rate(timing), *_shares(group, arm, ("plain_eager", "plain_eager_nltk"))]
      + _shares(group, arm, ("handwritten_eager_tape", "handwritten"))
      for arm, timing in group.items()
    ]
    header = ["arm", "sentences/s", "x plain_eager", "x plain_eager_nltk"]
    header += ["x handwritten_eager_tape", "x handwritten"]
    print_table(header, rows, f"{title}, {mode}, batch {batch} (spread in %, ! unstable)")


def _shares(group: Mapping[str, Timing], arm: str, others: tuple[str, ...]) -> list[object]:
  ratios = [throughput.ratio(group, arm, other) for other in others]
  return ["-" if value is None else value for value in ratios]


def _check_goals(timings: list[Timing], model: str, threads: int, report: Report) -> None:
  for (mode, batch), group in throughput.groups_of(timings, "mode", "batch").items():
    if mode != "train" or batch != GOAL_BATCH:
      continue
    over_eager = GOALS_OVER_EAGER[model]
    where = f"{model} train, batch {batch}, {threads} threads"
    for objects in OBJECTS:
      pairs = [(f"{arm}{objects}", f"plain_eager{objects}", over_eager) for arm in UNCHANGED]
      pairs += [(f"{arm}{objects}", o, GOAL_OF_HANDWRITTEN) for arm, o in HANDWRITTEN.items()]
      for arm, other, goal in pairs:
        value = throughput.ratio(group, arm, other)
        if value is not None:
          report.goal(f"{where}: {arm} at least {goal} x {other}", value, value >= goal)


def _autograph(model: str, trees: tuple[Packed, int], threads: int, report: Report) -> None:
  options = report.options
  count = options.pick(10, 3, 1)
  rows: list[list[object]] = []
  with arms.Arms(["autograph"], model, *trees, threads, options) as workers:
    worker = workers.workers["autograph"]
    for objects in ("node", "nltk"):
      for form in _AUTOGRAPH_FORMS:
        found = worker.call("seconds", objects, form, count)
        _check_losses(found["losses"], worker, objects)
        report.figures[f"autograph {model} {objects} {form}, {threads} threads"] = found
        medians = [statistics.median(found[k]) if found[k] else "-" for k in ("new", "seen")]
        rows.append([objects, form, len(found["losses"]), *medians, found["error"] or ""])
        if found["error"]:
          note = f"autograph, {model}, {objects}, {form}: {found['error']}"
          report.notes.append(note)
  header = ["objects", "tf.function is", "trees", "s, new tree", "s, seen tree", "ended by"]
  title = f"AutoGraph, {model}, loss and gradients of one tree, {threads} threads: medians"
  print_table(header, rows, title)


def _check_losses(losses: list[float], worker, objects: str) -> None:
  for index, loss in enumerate(losses):
    expected = worker.call("loss", objects, index)
    if abs(loss - expected) > arms.TOLERANCE * expected:
      raise arms.Disagreement(f"loss: autograph has {loss:.8g}, Python has {expected:.8g}.")
