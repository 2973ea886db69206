"""What runs have found of a program that no conversion knows: the next one is made by it."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass
class Findings:
  """What runs have found.

  Attributes:
    kinds: of which kinds objects of the run are, by the place where they are read, the one that
      was found last first; see `MadeKinds`.
    has_ranks: whether tensors of several ranks meet, where that was refused before.
    has_unordered_keys: whether a dict got new keys in an order that no conversion knows.
    has_whole_dicts: whether the next program is to know it: unless that has been refused.
  """

  kinds: dict[str, list[str]] = dataclasses.field(default_factory=dict)
  has_ranks: bool = False
  has_unordered_keys: bool = False
  has_whole_dicts: bool = False
