"""Tallies how the converter does on the natural programs: `python -m tests.convert.natural`."""

import argparse
import collections
import json
import pathlib
import re

from tests.convert.fuzz import campaign
from tests.convert.natural import programs

_HERE = pathlib.Path(__file__).parent
def main():
  """Runs the programs and prints those that are not converted, then the tally."""
  options = _options()
  jobs = [
    campaign.Job(str(path), name)
    for path, name in programs.all_of(_HERE, _HERE / "users")
    if re.search(options.select, programs.label(path, name))
  ]
  first, last = (len(jobs) * n // options.parts for n in (options.part, options.part + 1))
  jobs = jobs[first:last]
  out = options.out and open(options.out, "a")
  counts = collections.Counter()

  def on_report(job, report):
    found, label = programs.judged(report), programs.label(job.path, job.name)
    counts[found] += 1
    if out:
      print(json.dumps({"program": label, "found": found, **report}), file=out, flush=True)
    if found != programs.WHOLE:
      print(f"{found}: {label}: {report['calls']}\n{report['detail']}\n", flush=True)

  campaign.run_all(jobs, options.verify, campaign.Limits(), on_report=on_report)
  print(", ".join(f"{count} {found}" for found, count in counts.most_common()))


def _options():
  parser = argparse.ArgumentParser(prog="python -m tests.convert.natural", description=__doc__)
  parser.add_argument("select", nargs="?", default="", help="a regular expression of file:program")
  parser.add_argument("--part", type=int, default=0, help="which part of them, from 0")
  parser.add_argument("--parts", type=int, default=1, help="of how many parts")
  parser.add_argument("--verify", action=argparse.BooleanOptionalAction, default=False,
                      help="check every run against plain Python (--no-verify: never)")  # fmt: skip
  parser.add_argument("--out", help="file for the report, a line of JSON for each program")
  return parser.parse_args()


if __name__ == "__main__":
  main()
