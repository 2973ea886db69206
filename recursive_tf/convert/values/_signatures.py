"""How many arguments the methods of lists and dicts take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recursive_tf.convert.values._abstract import Raises

# At least, at most.
_COUNTS = {
  **dict.fromkeys(["append", "extend", "remove", "count", "__delitem__", "__imul__"], (1, 1)),
  **dict.fromkeys(["clear", "reverse", "copy", "popitem", "keys", "values", "items"], (0, 0)),
  **dict.fromkeys(["get", "setdefault"], (1, 2)),
  **{"insert": (2, 2), "index": (1, 3), "sort": (0, 0), "update": (0, 1)},
}
_BY_NAME = ("sort", "update")


def check_count(
  is_of_dict: bool, name: str, args: Sequence[object], kwargs: Mapping[str, object]
) -> None:
  """Checks that a method is given what it takes, if it is known here.

  Raises:
    Raises: If it is not: a TypeError.
  """
  counts = ((1, 2) if is_of_dict else (0, 1)) if name == "pop" else _COUNTS.get(name)
  if counts is None:
    return
  least, most = counts
  if not least <= len(args) <= most or (kwargs and name not in _BY_NAME):
    raise Raises
