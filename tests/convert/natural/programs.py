"""Where the natural programs are."""

import re


def all_of(*folders):
  """Returns (file, name) of all programs in folders: `build_x` is the program x."""
  return [
    (path, name)
    for folder in folders
    for path in sorted(folder.glob("*.py"))
    for name in re.findall(r"^def build_(\w+)\(", path.read_text(), re.MULTILINE)
  ]
