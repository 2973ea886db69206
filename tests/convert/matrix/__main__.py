"""Runs the matrix and prints what came of each level: `python -m tests.convert.matrix`."""

import argparse
import json
import pathlib
import tempfile

from tests.convert.fuzz import campaign
from tests.convert.fuzz import report as outcome
from tests.convert.matrix.matrix import LIMITS, make_jobs, rows, rows_alone


def main():
  """Runs the programs and prints what differs as it comes, then the table."""
  options = _options()
  folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="matrix_"))
  folder.mkdir(parents=True, exist_ok=True)
  found = rows_alone() if options.alone else rows()
  chosen = [row for row in found if row.label in options.rows or not options.rows]
  jobs = make_jobs(chosen, folder)
  out = options.out and open(options.out, "w")

  def on_report(job, report):
    if out:
      print(json.dumps({"program": job.label(), **report}), file=out, flush=True)
    if report["status"] in outcome.BAD or options.rows:
      print(f"{report['status']}: {job.label()}: {report['detail']}\n", flush=True)

  reports = campaign.run_all(jobs, options.verify, LIMITS, num_processes=options.jobs,
                             on_report=on_report)  # fmt: skip
  print(campaign.summary(jobs, reports))
  print("sources:", folder)
  return any(report["status"] in outcome.BAD for report in reports)


def _options():
  parser = argparse.ArgumentParser(prog="python -m tests.convert.matrix", description=__doc__)
  parser.add_argument("rows", nargs="*", help="labels such as m007; all if none are given")
  parser.add_argument("--alone", action="store_true",
                      help="each pair of levels, with the simplest of all others")  # fmt: skip
  parser.add_argument("--verify", action=argparse.BooleanOptionalAction, default=False,
                      help="check every run against plain Python (--no-verify: never)")  # fmt: skip
  parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
  parser.add_argument("--keep", help="folder for the programs' sources")
  parser.add_argument("--out", help="file for the report, a line of JSON for each program")
  return parser.parse_args()


if __name__ == "__main__":
  raise SystemExit(main())
