"""What it costs that `rtf.recursive` compares its runs with plain Python.

An epoch of the plain programs of `recursive_python` on SST, batch 25, from the first call on, each
in a fresh process: `RECURSIVE_TF_VERIFY=never`, and `auto`, which is the default. "first ten" is
the seconds of the first ten steps, conversion included; "share" what comparing took of all steps,
by the function's own clock (`stats.verify_seconds`), one run against itself.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
import tqdm

from benchmarks import arms, worker
from benchmarks.options import Options
from benchmarks.peers import weights as w
from benchmarks.report import Report, print_table
from benchmarks.treebanks import load_trees

FORMS = ("recursive", "recursive_packed")
POLICIES = ("never", "auto")
MODELS = ("treernn", "treelstm")
BATCH = 25
GOAL_SHARE = 0.02
_FIRST = 10


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report."""
  report = Report("verification", options)
  trees, vocab_size = load_trees(options, options.pick(8_544, 2_000, 6))
  num_trees = len(trees["node_splits"]) - 1
  order = np.random.default_rng(options.seed).permutation(num_trees).tolist()
  size = min(BATCH, num_trees // 2)
  batches = [order[i : i + size] for i in range(0, num_trees - size + 1, size)]
  num_rounds = options.pick(3, 1, 1)
  rows: list[list[object]] = []
  for threads in options.threads:
    for model in MODELS:
      for form in FORMS:
        found: dict[str, list[dict[str, float]]] = {policy: [] for policy in POLICIES}
        for _ in range(num_rounds):
          for policy in POLICIES:
            found[policy].append(
              _epoch(form, model, policy, trees, vocab_size, batches, threads, options)
            )
        report.figures[f"{model}, {form}, {threads} threads"] = found
        rows += [_row(model, form, policy, threads, found[policy]) for policy in POLICIES]
        share = max(each["share"] for each in found["auto"])
        claim = f"{model}, {form}, {threads} threads: at most {GOAL_SHARE:.0%} of an epoch"
        report.goal(claim, share, share <= GOAL_SHARE)
  header = ["model", "form", "policy", "threads", "epoch s", "first ten s", "share", "compared"]
  print_table(header, rows, f"An epoch of {len(batches)} steps of {size} trees")
  return report


def _epoch(form, model, policy, trees, vocab_size, batches, threads, options) -> dict[str, float]:
  contender = arms.CONTENDERS[form]
  sizes = options.pick(w.FULL_SIZES, w.FULL_SIZES, w.SMALL_SIZES)[model]
  with worker.start(
    contender.target,
    threads,
    in_process=options.in_process,
    environ={"RECURSIVE_TF_VERIFY": policy},
    model=model,
    weights=w.make_weights(model, vocab_size, sizes, options.seed),
    packed=trees,
    **contender.arguments,
  ) as program:
    seconds = []
    name = f"{model}, {form}, {policy}"
    for batch in tqdm.tqdm(batches, desc=name, unit="step", disable=None, leave=False):
      start = time.perf_counter()
      program.call("train", batch)
      seconds.append(time.perf_counter() - start)
    stats = program.call("stats")
  return {
    "epoch": sum(seconds),
    "first": sum(seconds[:_FIRST]),
    "share": stats["verify_seconds"] / sum(seconds),
    "verify_seconds": stats["verify_seconds"],
    "num_verified_runs": stats["num_verified_runs"],
  }


def _row(model, form, policy, threads, found: list[dict[str, float]]) -> list[object]:
  middle = [statistics.median(each[key] for each in found) for key in ("epoch", "first", "share")]
  return [model, form, policy, threads, *middle, found[0]["num_verified_runs"]]
