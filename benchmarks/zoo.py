"""Samples a second of recursive models beside TreeLSTM: ours against what others batch.

Arms: recursive_tf as its user writes the model, PyTorch and JAX batched by hand, DyNet batched
automatically; `peers/zoo/` says what each runs. And recursive_tf under the concurrent scheduler, up
to batch 25: whether `auto`, which chooses the batched one, has chosen the faster.

All start from the same weights and have to agree with the definitions, run node by node in eager
TensorFlow, before anything is timed. Planning and padding are inside the timings; JAX's compiling
is not, and is in the JSON. Real data: SST, UD's English Web Treebank, MNIST. Loss at every node,
Adagrad with sparse rows.

A second table has the lines of code of each arm's model, without blank lines, comments and
docstrings, and without what the models share.
"""

from __future__ import annotations

import contextlib
import io
import pathlib
import tokenize
from collections.abc import Sequence

from benchmarks import arms, throughput, worker
from benchmarks.batched_throughput import AUTO_GOAL
from benchmarks.harness import Arm, Timing, measure
from benchmarks.options import Options
from benchmarks.peers.zoo import weights as zoo_weights
from benchmarks.peers.zoo.catalogue import (
  MODELS,
  NEEDS,
  OURS,
  REFERENCE,
  TIMED,
  is_installed,
)
from benchmarks.report import Report, print_table

CONCURRENT = "concurrent"
_LARGEST_CONCURRENT = 25


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("zoo", options)
  names = options.models or tuple(MODELS)
  unknown = sorted(set(names) - set(MODELS))
  if unknown:
    raise ValueError(f"zoo: no model {', '.join(unknown)}; there are {', '.join(MODELS)}.")
  present = [arm for arm in TIMED if is_installed(arm)]
  report.notes += [
    f"arm {arm} left out: {NEEDS[arm]} is not installed" for arm in TIMED if arm not in present
  ]
  for threads in options.threads:
    for name in names:
      written = [arm for arm in present if lines_of(MODELS[name].target(arm)) is not None]
      timings = _measure(name, written, threads, report)
      title = f"{MODELS[name].title}, {threads} threads"
      throughput.print_rates(timings, OURS, title, "mode", "batch")
      _check_goals(name, timings, threads, report)
  lines = {name: {arm: lines_of(MODELS[name].target(arm)) for arm in TIMED} for name in names}
  report.figures["lines of code"] = lines
  print_table(
    ["model", *TIMED],
    [[name, *(_shown(lines[name][arm]) for arm in TIMED)] for name in names],
    "lines of code of the model alone",
  )
  return report


def _shown(count: int | None) -> object:
  return "-" if count is None else count


def _measure(model: str, names: Sequence[str], threads: int, report: Report) -> list[Timing]:
  """Times a model in training and inference and adds the timings to the report."""
  options, entry = report.options, MODELS[model]
  counts = options.pick(entry.counts, {b: n // 2 for b, n in entry.counts.items()}, {3: 3})
  counts = options.chosen(counts)
  packed, vocab_size = entry.load(options, max(counts.values()))
  available = len(packed["node_splits"]) - 1
  sizes = options.pick(zoo_weights.FULL_SIZES, zoo_weights.FULL_SIZES, zoo_weights.SMALL_SIZES)
  weights = zoo_weights.make_weights(model, vocab_size, sizes[model], options.seed)
  common = {"model": model, "weights": weights, "packed": packed}
  with contextlib.ExitStack() as stack:
    workers = {
      arm: stack.enter_context(
        worker.start(entry.target(arm), threads, in_process=options.in_process, **common)
      )
      for arm in (REFERENCE, *names)
    }
    workers[CONCURRENT] = stack.enter_context(
      worker.start(
        entry.target(OURS),
        threads,
        in_process=options.in_process,
        environ={"RECURSIVE_TF_SCHEDULER": CONCURRENT},
        **common,
      )
    )
    for arm in (OURS, CONCURRENT):
      if (workers[arm].call("steps") > 0) != (arm == OURS):
        raise arms.Disagreement(f"arm {arm} of {model} does not run under its scheduler.")
    some = list(range(min(6, available)))
    arms.check_agreement({arm: each.call("check", some) for arm, each in workers.items()})
    timed = []
    for batch_size, wanted in counts.items():
      count = min(wanted, available)
      batches = throughput.batches_of(batch_size, count)
      for mode in throughput.MODES:
        timed_here = [*names, CONCURRENT] if batch_size <= _LARGEST_CONCURRENT else names
        for arm in timed_here:
          call = f"{mode} {batch_size}"
          workers[arm].call("add", call, mode, batches)
          label = {"model": model, "mode": mode, "batch": batch_size, "arm": arm}
          timed.append(Arm({**label, "threads": threads}, worker.timer(workers[arm], call), count))
    timings = measure(
      timed,
      repetitions=options.repetitions,
      seed=options.seed,
      min_seconds=options.min_seconds,
      description=f"{model}, {threads} threads",
    )
    for arm in names:
      if seconds := workers[arm].call("set_up_seconds"):
        report.figures[f"{model}, {arm}: seconds to set up, {threads} threads"] = seconds
  report.timings += timings
  return timings


def _check_goals(model: str, timings: list[Timing], threads: int, report: Report) -> None:
  for (mode, batch), group in throughput.groups_of(timings, "mode", "batch").items():
    peers = [t.per_second for arm, t in group.items() if arm not in (OURS, CONCURRENT)]
    if peers:
      value = group[OURS].per_second / max(peers)
      claim = f"{model}, {mode}, batch {batch}, {threads} threads: as fast as the best peer"
      report.goal(claim, value, value >= 1)
    value = throughput.ratio(group, OURS, CONCURRENT)
    if value is not None:
      claim = f"{model}, {mode}, batch {batch}, {threads} threads: auto is at least {AUTO_GOAL} x"
      report.goal(f"{claim} concurrent", value, value >= AUTO_GOAL)


def lines_of(target: str) -> int | None:
  """Returns the lines of code of the class "module:class"; None where there is no such class.

  The file is read, not imported: what it needs may not be installed.
  """
  module, name = target.split(":")
  path = pathlib.Path(__file__).resolve().parents[1] / (module.replace(".", "/") + ".py")
  lines = path.read_text().splitlines(keepends=True) if path.exists() else []
  begin = next((i for i, line in enumerate(lines) if line.startswith(f"class {name}(")), None)
  if begin is None:
    return None
  ends = (i for i in range(begin + 1, len(lines)) if lines[i][:1].strip())
  text = "".join(lines[begin : next(ends, len(lines))])
  found: set[int] = set()
  is_start = True
  for token in tokenize.generate_tokens(io.StringIO(text).readline):
    if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
      is_start = True
    elif token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.ENDMARKER):
      if not (token.type == tokenize.STRING and is_start):  # A docstring.
        found.update(range(token.start[0], token.end[0] + 1))
      is_start = False
  return len(found)
