"""Tries random programs on the converter: `python -m tests.convert.fuzz --count 500 --seed 1`."""

import argparse
import ast
import collections
import json
import pathlib
import tempfile

from tests.convert.fuzz import campaign, operators
from tests.convert.fuzz import report as outcome
from tests.convert.fuzz.generator import generate
from tests.convert.fuzz.levels import draw


def main():
  """Makes the programs, runs them, prints a summary and writes the report."""
  options = _options()
  folder = pathlib.Path(options.keep or tempfile.mkdtemp(prefix="fuzz_"))
  folder.mkdir(parents=True, exist_ok=True)
  if options.operators:
    jobs = make_operator_jobs(options.seed, options.count, folder)
  else:
    jobs = make_jobs(options.seed, options.count, folder, options.new)
  bad = folder / "bad"
  bad.mkdir(exist_ok=True)

  out = options.out and open(options.out, "w")

  def on_report(job, report):
    if out:
      print(json.dumps({"program": job.label(), **report}), file=out, flush=True)
    if report["status"] in outcome.BAD:
      print(f"{report['status']}: {job.label()}: {report['detail'].splitlines()[:1]}", flush=True)
      _save(bad, job, report)

  limits = campaign.Limits(options.seconds)
  reports = campaign.run_all(
    jobs, options.verify, limits, options.shrink, options.jobs, on_report
  )  # fmt: skip
  print(campaign.summary(jobs, reports))
  shrunk = collections.Counter(
    (report["status"], report["shrunk"]["spec"].split(": ", 1)[1])
    for report in reports
    if "shrunk" in report
  )
  for (status, spec), count in sorted(shrunk.items()):
    print(f"{count:4d} {status}: {spec}")
  print("sources of the bad ones:", bad)
  return any(report["status"] in outcome.BAD for report in reports)


def make_jobs(seed, count, folder, num_new=0):
  """Writes the programs of a seed into a folder and returns the jobs; see `levels.draw`."""
  jobs = []
  for spec in draw(seed, count, num_new):
    path = folder / f"p{spec.seed.replace('.', '_')}.py"
    source = generate(spec)
    ast.parse(source)
    path.write_text(source)
    jobs.append(campaign.Job(str(path), "", list(spec.levels), spec.seed))
  return jobs


def make_operator_jobs(seed, count, folder):
  """Writes programs whose objects have operators into a folder and returns the jobs."""
  jobs = []
  for number in range(count):
    path = folder / f"operators_{seed}_{number}.py"
    path.write_text(operators.generate(f"{seed} {number}"))
    jobs.append(campaign.Job(str(path), seed=str(number)))
  return jobs


def _save(folder, job, report):
  source, detail = pathlib.Path(job.path).read_text(), report["detail"]
  if "shrunk" in report:
    source, detail = report["shrunk"]["source"], report["shrunk"]["detail"]
  commented = "".join(f"# {line}\n" for line in detail.splitlines())
  (folder / f"{job.label()}_{report['status']}.py").write_text(f"{source}\n\n{commented}")


def _options():
  parser = argparse.ArgumentParser(prog="python -m tests.convert.fuzz", description=__doc__)
  parser.add_argument("--count", type=int, default=200)
  parser.add_argument("--seed", type=int, default=0)
  parser.add_argument("--new", type=int, default=0, metavar="K",
                      help="only programs with K or more of the newest levels")  # fmt: skip
  parser.add_argument("--operators", action="store_true",
                      help="classes with methods for operators, instead of levels")  # fmt: skip
  parser.add_argument("--verify", action=argparse.BooleanOptionalAction, default=False,
                      help="check every run against plain Python (--no-verify: never)")  # fmt: skip
  parser.add_argument("--shrink", action="store_true", help="make bad programs simpler")
  parser.add_argument("--jobs", type=int, default=1, help="processes side by side")
  parser.add_argument("--seconds", type=float, default=60.0, help="limit of a program")
  parser.add_argument("--keep", help="folder for the programs' sources")
  parser.add_argument("--out", help="file for the report, a line of JSON for each program")
  return parser.parse_args()


if __name__ == "__main__":
  raise SystemExit(main())
