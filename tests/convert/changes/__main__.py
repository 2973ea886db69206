"""Changes one thing after another around programs, and says where they differ from Python then.

python -m tests.convert.changes tests/convert/natural/users/classes.py --most 10
"""

import argparse
import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import recursive_tf as rtf
from tests.convert.changes import sweep
from tests.convert.fuzz.runner import load, programs_of


def main():
  """Prints each difference; returns 1 if there are any."""
  parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
  here = pathlib.Path(__file__).parent
  parser.add_argument("files", nargs="*", type=pathlib.Path, default=[here / "basics.py"])
  parser.add_argument(
    "--decorator", choices=("recursive", "function"), default="recursive", help="of the programs"
  )
  parser.add_argument("--most", type=int, default=20, help="changes of a program")
  parser.add_argument("--seed", type=int, default=0, help="of what is chosen if there are more")
  args = parser.parse_args()
  decorator = getattr(rtf, args.decorator)
  num_changes = num_different = 0
  for path in args.files:
    for name in programs_of(load(path)):
      texts = sweep.changes_of(path, name, decorator, verify=False)
      for number in sweep.sample(texts, args.most, args.seed):
        found = sweep.run(path, name, number, decorator, verify=False)
        num_changes += 1
        if found.difference:
          num_different += 1
          print(f"DIFFERENT {found.program} | {found.fact} | {found.difference}", flush=True)
      print(f"{path.stem} {name}: {len(texts)} changes", flush=True)
  print(f"{num_changes} changes made, {num_different} programs different after one")
  return 1 if num_different else 0


if __name__ == "__main__":
  sys.exit(main())
