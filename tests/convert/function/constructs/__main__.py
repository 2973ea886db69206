"""Prints how each construct goes: `python -m tests.convert.function.constructs`.

All programs are compared with plain Python over calls between which shapes, numbers, flags,
attributes and globals change. `wholly`: all calls ran as graphs, but for those in which Python
raises.
"""

import argparse
import collections
import logging
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from tests.convert.function.constructs import ROWS, TABLES, pieces
from tests.convert.function.constructs.expected import PART, REFUSED, pairs, pairs_of_refused


def main():
  """Runs the programs, tells how they went, and counts."""
  options = _options()
  logging.getLogger("recursive_tf").setLevel(logging.CRITICAL)
  if options.table:
    print_table()
    return
  programs = {
    "alone": lambda: [(name,) for name in ROWS],
    "pairs": pairs,
    "refused": pairs_of_refused,
  }[options.which]()
  if options.only:
    programs = [names for names in programs if any(options.only in name for name in names)]
  first, last = (len(programs) * n // options.parts for n in (options.part, options.part + 1))
  counts, reasons, calls = collections.Counter(), collections.Counter(), collections.Counter()
  for names in programs[first:last]:
    text, report = pieces.compared(names)
    found = pieces.outcome(report)
    counts[found] += 1
    codes = {reason.code: count for reason, count in report.reasons.items()}
    reasons.update({(found, code): 1 for code in codes})
    calls.update(graph=report.num_graph_runs, plain=report.num_plain_runs)
    if found != pieces.WHOLE or options.all:
      said = " ".join(f"{code}:{count}" for code, count in codes.items())
      print(f"{found}: {report.name}: {report.num_graph_runs} graphs, {said}", flush=True)
    if report.difference is not None:
      print(f"  {report.difference}", flush=True)
      if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / f"different_{sum(counts.values())}.py").write_text(text)
    if options.explain:
      print(text[text.index("@decorate") :], report.explanation, flush=True)
  print(f"{sum(counts.values())} programs: {dict(counts)}; calls {dict(calls)}")
  for (found, code), count in sorted(reasons.items()):
    print(f"  {count:4d} {found}, {code}")


def print_table():
  """Prints the rows, and what becomes of each."""
  for table, module in TABLES.items():
    print(f"{table}: {module.__doc__}")
    for name in module.ROWS:
      found = pieces.WHOLE
      if name in REFUSED:
        found = f"{pieces.NONE}, {REFUSED[name]}"
      elif name in PART:
        found = f"{pieces.PART}, not {PART[name]}"
      print(f"  {name:48} {found}")


def _options():
  parser = argparse.ArgumentParser(prog="python -m tests.convert.function.constructs",
                                   description=__doc__)  # fmt: skip
  parser.add_argument("which", nargs="?", default="alone", choices=["alone", "pairs", "refused"],
                      help="each row by itself, pairs of those that convert, or with one that does"
                      " not")  # fmt: skip
  parser.add_argument("--table", action="store_true", help="prints the rows, and runs nothing")
  parser.add_argument("--only", help="programs with a row whose name has this")
  parser.add_argument("--part", type=int, default=0, help="which part of the programs, from 0")
  parser.add_argument("--parts", type=int, default=1, help="of how many parts")
  parser.add_argument("--all", action="store_true", help="prints those that convert wholly, too")
  parser.add_argument("--explain", action="store_true", help="prints program and explain() of each")
  parser.add_argument("--keep", type=pathlib.Path, help="a folder for programs that differ")
  return parser.parse_args()


if __name__ == "__main__":
  main()
