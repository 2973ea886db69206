"""Prints a table of all programs: `python -m tests.convert.function.programs`."""

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import logging

from tests.convert.function import harness
from tests.convert.function.programs import all_programs


def main():
  """Runs the programs whose names contain one of the given words, or all."""
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("--only", nargs="*", default=[""], help="parts of names")
  parser.add_argument("--explain", action="store_true", help="shows explain() of each")
  parser.add_argument("--repeat", type=int, default=1, help="runs of each program")
  options = parser.parse_args()
  logging.getLogger("recursive_tf").setLevel(logging.CRITICAL)
  reports = []
  for name, make in all_programs().items():
    if not any(word in name for word in options.only):
      continue
    for _ in range(options.repeat):
      report = harness.run(name, make)
      reports.append(report)
      verdict = "DIFFERENT" if report.difference else "same"
      counts = f"{report.num_graph_runs} graph {report.num_plain_runs} plain"
      reasons = " ".join(f"{k}:{v}" for k, v in report.reasons.items())
      print(f"{verdict:9} {name:52} {counts:18} {report.seconds:5.1f} s  {reasons}", flush=True)
      if report.difference:
        print(f"          {report.difference}", flush=True)
      if options.explain:
        print(report.explanation, flush=True)
  num_graph = sum(r.num_graph_runs for r in reports)
  num_plain = sum(r.num_plain_runs for r in reports)
  num_different = sum(r.difference is not None for r in reports)
  print(
    f"{len(reports)} programs, {num_different} different;"
    f" {num_graph} calls as graphs, {num_plain} plain"
  )


if __name__ == "__main__":
  main()
