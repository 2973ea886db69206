"""Two threads against one: is any model, at any batch size, slower with two?

`recursive-tf`'s models, training and inference, on SST; and one balanced tree of 1,000 words. A
process for each number of threads, which take turns. Other processes on the machine take a core
from the two threads now and then, never from the one: so the fastest of many calls of one batch is
compared, and the processor time of all threads is beside it.
"""

from __future__ import annotations

import contextlib

import tqdm

from benchmarks import worker
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report, print_table
from benchmarks.treebanks import joined, load_trees, reshaped_trees

# Timers, and where the second thread's memory lies: less is no difference.
TOLERANCE = 0.05
_THREADS = (1, 2)
_TARGET = "benchmarks.workloads.shards:TimedModel"


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report; `options.threads` does not matter."""
  report = Report("shards", options)
  batches = options.pick((1, 10, 25, 256), (1, 25, 256), (2,))
  packed, vocab_size = load_trees(options, max(batches))
  large, _ = reshaped_trees(options, "balanced", [options.pick(1_000, 1_000, 8)])
  packed = joined(packed, large)
  num_trees = len(packed["node_splits"]) - 1
  names = {f"batch {batch}": list(range(min(batch, num_trees))) for batch in batches}
  names["one tree of 1,000 words"] = [num_trees - 1]
  sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)
  rows = []
  for model in options.pick(w.MODELS, w.MODELS, w.MODELS[:1]):
    weights = w.make_weights(model, vocab_size, sizes[model], options.seed)
    with contextlib.ExitStack() as stack:
      workers = [
        stack.enter_context(
          worker.start(
            _TARGET,
            threads,
            in_process=options.in_process,
            model=model,
            weights=weights,
            packed=packed,
          )
        )
        for threads in _THREADS
      ]
      for mode in ("infer", "train"):
        for name, batch in tqdm.tqdm(names.items(), f"{model} {mode}", disable=None, leave=False):
          rows.append([model, mode, name, *_compare(workers, mode, name, batch, options)])
          speed_up = rows[-1][5]
          report.figures[f"{model}, {mode}, {name}: speed-up by a second thread"] = speed_up
          claim = f"{model}, {mode}, {name}: two threads at least as fast as one"
          report.goal(claim, speed_up, speed_up >= 1 - TOLERANCE)
  header = ["model", "mode", "rows", "ms, 1 thread", "2 threads", "speed-up"]
  print_table([*header, "processor ms, 1", "2"], rows, "A call, the fastest of many")
  return report


def _compare(workers, mode: str, name: str, batch: list[int], options: Options) -> list[float]:
  """Returns milliseconds by both numbers of threads, the speed-up, and processor milliseconds."""
  for each in workers:
    each.call("add", f"{mode} {name}", mode, [batch])
    each.call("fastest", f"{mode} {name}", options.min_seconds)
  found: list[list[tuple[float, float]]] = [[] for _ in workers]
  for round_ in range(options.repetitions):
    for i in (0, 1) if round_ % 2 else (1, 0):
      found[i].append(workers[i].call("fastest", f"{mode} {name}", options.min_seconds))
  walls = [1e3 * min(wall for wall, _ in each) for each in found]
  processors = [1e3 * min(processor for _, processor in each) for each in found]
  return [*walls, walls[0] / walls[1], *processors]
