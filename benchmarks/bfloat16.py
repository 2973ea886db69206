"""Products in bfloat16 against float32's: kernel by kernel, and in whole steps of models on SST.

Both are ours, in turn in the same run; a kernel's weights are rounded before, as the batched
scheduler does once a run, its rows within the timing. Needs a processor with AVX512-BF16; on others
there is nothing to measure, and the report says so.

"times" is float32's time over bfloat16's: of kernels the fastest repetitions', of models' steps the
medians'.
"""

from __future__ import annotations

import tqdm

from benchmarks import throughput, worker
from benchmarks.arms import Arms, Disagreement
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees
from recursive_tf.nn import has_bfloat16_products

GOAL, _GOAL_BATCH = 1.4, 256
ARMS = ("float32", "bfloat16")
_NAMES = {"float32": "batched", "bfloat16": "batched_bfloat16"}
_LOSS_TOLERANCE = 0.01
_SHAPES = {
  "matmul": {"RNTN": (2500, 25), "LSTM leaf": (300, 450), "LSTM inner": (300, 750)},
  "transposed matmul": {"RNTN": (25, 2500), "LSTM leaf": (450, 300), "LSTM inner": (750, 300)},
  "row product": {"RNTN": (2500, 25), "LSTM leaf": (300, 450), "LSTM inner": (300, 750)},
}


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("bfloat16", options)
  if not has_bfloat16_products():
    report.notes.append("nothing measured: the processor has no AVX512-BF16")
    return report
  for threads in options.threads:
    _measure_kernels(threads, report)
    for model in options.pick(("treelstm", "rntn"), ("treelstm",), ("treelstm",)):
      _measure_model(model, threads, report)
  return report


def _measure_kernels(threads: int, report: Report) -> None:
  options = report.options
  table = []
  cases = [
    (kernel, name, shape, rows)
    for kernel, shapes in _SHAPES.items()
    for name, shape in shapes.items()
    for rows in options.pick((1, 2, 4, 8, 25, 64, 256, 1024), (1, 8, 256), (7,))
  ]
  with worker.start(
    "benchmarks.workloads.kernels:Kernels",
    threads,
    in_process=options.in_process,
    max_copies=options.pick(64, 64, 2),
    keeps_memory=not options.in_process,
  ) as kernels:
    for kernel, name, shape, rows in tqdm.tqdm(cases, "kernels", disable=None, leave=False):
      labels = {"kernel": kernel, "name": name, "rows": rows, "threads": threads}
      copies = kernels.call("add_bfloat16", kernel, shape, rows)
      timings = measure(
        [
          Arm(
            {**labels, "arm": arm}, lambda loops, arm=arm: kernels.call("time", arm, loops), copies
          )
          for arm in ARMS
        ],
        repetitions=options.repetitions,
        seed=options.seed,
        min_seconds=0.2 * options.min_seconds,
      )
      report.timings += timings
      micros = [1e6 * min(timing.seconds) / timing.work for timing in timings]
      spread = max(timing.spread for timing in timings)
      table.append(
        [kernel, name, f"{shape[0]} x {shape[1]}", rows, *micros, micros[0] / micros[1], spread]
      )
  header = ["kernel", "model", "shape", "rows", *ARMS, "times", "spread"]
  print_table(header, table, f"Microseconds, the fastest repetition, {threads} threads")


def _measure_model(model: str, threads: int, report: Report) -> None:
  options = report.options
  num_trees = options.pick({1: 50, 25: 200, 256: 1024}, {1: 20, 25: 100, 256: 512}, {3: 3})
  packed, vocab_size = load_trees(options, max(num_trees.values()))
  timed = []
  with Arms(list(_NAMES.values()), model, packed, vocab_size, threads, options) as arms:
    arms.check_schedulers()
    available = len(packed["node_splits"]) - 1
    _check_agreement(arms, list(range(min(50, available))))
    for batch_size, wanted in num_trees.items():
      count = min(wanted, available)
      batches = throughput.batches_of(batch_size, count)
      for mode in throughput.MODES:
        for arm, name in _NAMES.items():
          label = {"model": model, "mode": mode, "batch": batch_size, "arm": arm}
          run = arms.add(name, f"{mode} {batch_size}", mode, batches)
          timed.append(Arm({**label, "threads": threads}, run, work=count))
    timings = measure(
      timed,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"{model}, {threads} threads",
    )
  report.timings += timings
  title = f"{model}, {threads} threads"
  throughput.print_rates(timings, "bfloat16", title, "mode", "batch")
  _check_goals(model, timings, threads, report)


def _check_agreement(arms: Arms, indices: list[int]) -> None:
  """Raises `Disagreement` unless losses are within a hundredth: roundings differ, no more."""
  expected, found = (arms.workers[name].call("check", indices) for name in _NAMES.values())
  if abs(found["loss"] - expected["loss"]) > _LOSS_TOLERANCE * expected["loss"]:
    raise Disagreement(f"loss: bfloat16 has {found['loss']:.6g}, float32 {expected['loss']:.6g}.")
  if found["loss"] == expected["loss"]:
    raise Disagreement("The losses are the same to the last digit: nothing is rounded.")


def _check_goals(model: str, timings: list[Timing], threads: int, report: Report) -> None:
  for (mode, batch), group in throughput.groups_of(timings, "mode", "batch").items():
    value = throughput.ratio(group, "bfloat16", "float32")
    if batch == _GOAL_BATCH and value is not None:
      claim = f"{model}, {mode}, batch {batch}, {threads} threads: at least {GOAL} x float32"
      report.goal(claim, value, value >= GOAL)
