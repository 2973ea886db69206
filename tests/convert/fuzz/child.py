"""Runs the programs named on standard input one by one and says so on standard output."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import dataclasses
import gc
import json
import logging
import pathlib
import sys
import tempfile

from tests.convert.fuzz import runner
from tests.convert.fuzz.generator import generate
from tests.convert.fuzz.levels import Spec
from tests.convert.fuzz.report import BAD

_COLLECTING = 10  # After so many programs their graphs are let go of, which takes as long as one.


def main():
  """Reads the jobs, and writes a line of JSON as each begins and as each ends."""
  out = os.fdopen(os.dup(1), "w")
  os.dup2(2, 1)  # What programs print at the wrong time is not for the parent.
  logging.disable(logging.CRITICAL)
  request = json.load(sys.stdin)
  options = {} if request["verify"] is None else {"verify": request["verify"]}

  def say(value):
    out.write(json.dumps(value) + "\n")
    out.flush()

  gc.collect()
  gc.freeze()  # Collecting looks at what programs made, not at all of TensorFlow.

  def run(path, name):
    say({})
    reference = runner.run_reference(path, name)
    return reference if reference.status in BAD else runner.run(path, name, **options)

  for number, job in enumerate(request["jobs"]):
    if number % _COLLECTING == 0:
      gc.collect()
    report = run(pathlib.Path(job["path"]), job["name"])
    found = dataclasses.asdict(report)
    if request["shrink"] and report.status in BAD and job["levels"]:
      found["shrunk"] = _shrink(job, report, run)
    say(found)


def _shrink(job, report, run):
  """Returns the simplest spec found that is bad in the same way, with its source and detail."""
  spec = Spec(job["seed"], tuple(map(tuple, job["levels"])))
  detail, is_simpler = report.detail, True
  with tempfile.TemporaryDirectory() as folder:
    number = 0
    while is_simpler:
      is_simpler = False
      for simpler in spec.simpler():
        number += 1
        path = pathlib.Path(folder, f"shrunk_{number}.py")
        path.write_text(generate(simpler))
        tried = run(path, "")
        if tried.status == report.status:
          spec, detail, is_simpler = simpler, tried.detail, True
          break
  return {"spec": str(spec), "source": generate(spec), "detail": detail}


if __name__ == "__main__":
  main()
