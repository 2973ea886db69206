"""What is put back into variables and dicts after a branch."""

from __future__ import annotations

from typing import TypeVar

_Key = TypeVar("_Key")


def is_middle(name: object) -> bool:
  """Tells whether a variable holds the middle of a chained comparison."""
  return isinstance(name, str) and name.startswith("_rtf_middle")


class Update(dict[_Key, object]):
  """Items that replace some of a container's, not all."""


def merged(old: dict[_Key, object], content: dict[_Key, object]) -> dict[_Key, object]:
  """Returns what a dict becomes when `content` is put back."""
  return {**old, **content} if isinstance(content, Update) else dict(content)


def same_content(a: object, b: object) -> bool:
  """Tells whether two snapshots of a container are of the same parts."""
  if isinstance(a, dict) and isinstance(b, dict):
    return a.keys() == b.keys() and all(a[key] is b[key] for key in a)
  if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
    return len(a) == len(b) and all(x is y for x, y in zip(a, b, strict=True))
  return a is b
