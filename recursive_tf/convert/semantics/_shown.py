"""`repr` of containers as the Python that it stands for, never run as it is: see `_written.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def shown_list(values: Sequence[object]) -> str:
  return "[" + ", ".join([repr(value) for value in values]) + "]"


def shown_tuple(values: Sequence[object]) -> str:
  end = ",)" if len(values) == 1 else ")"
  return "(" + ", ".join([repr(value) for value in values]) + end


def shown_dict(values: Mapping[object, object]) -> str:
  return "{" + ", ".join([repr(k) + ": " + repr(v) for k, v in values.items()]) + "}"
