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
