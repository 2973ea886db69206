"""Where the natural programs are, and what becomes of them."""

import pathlib
import re

from tests.convert.fuzz.report import BAD, INVALID

_HERE = pathlib.Path(__file__).parent
# What became of a program, from the best to the worst.
WHOLE, LATER, PART, PLAIN = "converted", "after a plain first call", "in part", "refused"


def judged(report):
  """Returns what became of a program, a report's dict.

  Only calls in which Python raises nothing count: an exception is Python's, with its traceback.
  """
  if report["status"] in (*BAD, INVALID):
    return report["status"]
  plain = [bool(reasons) for raised, reasons in report["calls"] if not raised]
  if not any(plain):
    return WHOLE
  if all(plain):
    return PLAIN
  return LATER if plain[0] and not any(plain[1:]) else PART


def all_of(*folders):
  """Returns (file, name) of all programs in folders: `build_x` is the program x."""
  return [
    (path, name)
    for folder in folders
    for path in sorted(folder.glob("*.py"))
    for name in re.findall(r"^def build_(\w+)\(", path.read_text(), re.MULTILINE)
  ]


def label(path, name):
  """Returns what to call a program: its file, as seen from here, and its name."""
  return f"{pathlib.Path(path).relative_to(_HERE).with_suffix('')}:{name}"
