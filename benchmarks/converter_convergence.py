"""Whether imperative programs learn by `rtf.function` what they learn eagerly.

After figure 3.6 of JANUS (Jeong et al., NSDI 2019): 200 steps of each program of `converter`, the
small ones, from the same weights on the same batches, with the same random numbers. Losses and
weights are compared as there, and drift apart by rounding: no faster than eager execution does from
itself when the last digit of its weights is another one.

With `--verify`, each step by `rtf.function` is also done by plain Python from the same state, and
compared with it before it counts: results, variables, attributes, output.
"""

from __future__ import annotations

import math
from typing import Any

from benchmarks import plot, worker
from benchmarks.converter import PROGRAMS, SMOKE, TARGET, differences, trained
from benchmarks.options import Options
from benchmarks.report import Report, print_table

ARMS = ("eager", "rtf.function")
_NUM_COLUMNS = 3


def run(options: Options) -> Report:
  """Runs the benchmark and returns its report; the last of `options.threads` counts."""
  report = Report("converter_convergence", options)
  programs = options.named(options.pick(PROGRAMS, PROGRAMS, SMOKE))
  found = {name: compared(name, report) for name in programs}
  rows = [row for row in found.values() if row]
  header = ["program", "steps", "first loss", "last loss", "last of ours", "loss", "weights"]
  header += ["compared", "different"] if options.verify else []
  print_table(header, rows, "Largest relative differences from eager execution")
  if options.size != "smoke" and rows:
    _plot(report)
  return report


def compared(program: str, report: Report) -> list[object]:
  """Trains one program in both ways; returns the row of the table, empty if it is not there."""
  options = report.options
  count = options.pick(200, 20, 3)
  with worker.start(
    TARGET,
    options.threads[-1],
    in_process=options.in_process,
    program=program,
    size="small",
    verify=options.verify,
  ) as steps:
    missing = steps.call("missing")
    if missing:
      report.notes.append(f"{program}: left out: {missing}")
      return []
    loss, weights = trained(steps, ARMS, count, program, report)["rtf.function"]
    num_graph, num_plain = steps.call("runs")
    num_compared, num_different, notes = steps.call("verified")
    if num_plain:
      report.notes.append(f"{program}: {steps.call('explained')}")
  report.goal(f"{program}: runs left to plain Python", num_plain, num_plain == 0 < num_graph)
  eager, ours = (_losses(report, program)[arm] for arm in ARMS)
  row = [program, count, eager[0], eager[-1], ours[-1], f"{loss:.1e}", f"{weights:.1e}"]
  if not options.verify:
    return row
  report.notes += [f"{program}: compared, but: {note}" for note in notes]
  all_same = num_different == 0 < num_compared == num_graph
  report.goal(f"{program}: runs that differ from plain Python", num_different, all_same)
  return [*row, num_compared, num_different]


def _losses(report: Report, program: str) -> dict[str, list[float]]:
  found: Any = report.figures.get(f"{program}: losses", {})
  return found


def _plot(report: Report) -> None:
  shown = {name: losses for name in PROGRAMS if (losses := _losses(report, name))}
  path = report.options.out / "converter_convergence.png"
  num_rows = math.ceil(len(shown) / _NUM_COLUMNS)
  title = "Loss by step; right, its distance from eager's: rtf.function, eager nudged (gray)"
  with plot.figure(path, _NUM_COLUMNS, title, num_rows) as axes:
    for axis, (name, losses) in zip(axes, shown.items(), strict=False):
      axis.plot(losses["eager"], label="eager", linewidth=3, alpha=0.4)
      axis.plot(losses["rtf.function"], label="rtf.function", linewidth=1)
      axis.set(title=name, xlabel="step", ylabel="loss")
      axis.legend(loc="upper right", fontsize="small")
      beside = axis.twinx()
      for arm, color in (("rtf.function", "tab:red"), ("nudged", "tab:gray")):
        if arm in losses:
          found = [max(value, 1e-9) for value in differences(losses[arm], losses["eager"])]
          beside.plot(found, color=color, linewidth=0.5)
      beside.set(yscale="log", ylim=(1e-9, 10))
    for axis in axes[len(shown) :]:
      axis.set_visible(False)
