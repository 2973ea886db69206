"""How many arguments builtin functions, and methods of lists and dicts, take."""

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
_OF_FUNCTIONS: dict[object, tuple[int, int]] = {
  **dict.fromkeys([len, abs, repr, any, all, id, ord, chr, callable, hash, bin, hex, oct], (1, 1)),
  **dict.fromkeys([sorted, reversed], (1, 1)),
  **dict.fromkeys([bool, float, list, tuple, set, frozenset, dict], (0, 1)),
  **dict.fromkeys([hasattr, isinstance, issubclass, divmod, filter], (2, 2)),
  **dict.fromkeys([sum, round, enumerate, iter, next], (1, 2)),
  **{int: (0, 2), str: (0, 3), getattr: (2, 3), setattr: (3, 3), pow: (2, 3), range: (1, 3)},
}


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


def check_count_of_function(
  function: object, args: Sequence[object], kwargs: Mapping[str, object]
) -> None:
  """Checks that a builtin function is given by their places no more than it takes, and not too few.

  Raises:
    Raises: If it is not: a TypeError.
  """
  if function in (min, max):
    if "default" in kwargs and len(args) > 1:
      raise Raises
    return
  least, most = _OF_FUNCTIONS.get(function, (0, len(args)))
  if len(args) > most or (len(args) < least and not kwargs):
    raise Raises
