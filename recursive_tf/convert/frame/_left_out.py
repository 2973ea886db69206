"""Branches that a program leaves out: a run that takes one fails, and has done nothing.

What one branch of a conditional does may be beyond any graph, or give what fits no value that the
other one gives. JANUS (Jeong et al., NSDI 2019, section 3.1) assumes that a branch which has always
gone one way goes there again. Here a program is made without the branch, and the run checks that.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeVar

from recursive_tf.convert._refusal import ConversionRefused, Origin

T = TypeVar("T")
_TEXT = "takes branch {} that is left out"
_FOUND = re.compile(_TEXT.format(r"(\d+)"))


@dataclasses.dataclass(frozen=True)
class Site:
  """A conditional that the run decides.

  Attributes:
    origin: where it is.
    number: which of those that a conversion meets there, loops and calls that are inlined included;
      0 stands for all of them.
  """

  origin: Origin
  number: int

  @property
  def all(self) -> Site:
    """All conditionals that are met there, in whatever turn of a loop."""
    return Site(self.origin, 0)


@dataclasses.dataclass(frozen=True)
class LeftOut:
  """A branch that is left out.

  Attributes:
    value: of the condition, in that branch.
    refusal: why there is no graph with it.
    is_final: whether there is none without the other one either.
  """

  value: bool
  refusal: ConversionRefused
  is_final: bool


def at(left_out: Mapping[Site, T], site: Site) -> T | None:
  """Returns what is known of a conditional, or of all that are met there; None if nothing is."""
  return left_out[site] if site in left_out else left_out.get(site.all)


def with_more(
  left_out: dict[Site, LeftOut], site: Site, found: LeftOut
) -> dict[Site, LeftOut] | None:
  """Returns what a program leaves out if it leaves out one branch more; None if it did already.

  A branch that is refused in two turns of a loop is left out in all: each costs a conversion.
  """
  same = [s for s, known in left_out.items() if s.origin == site.origin and _is_same(known, found)]
  if site in left_out or any(s.number == 0 for s in same):
    return None
  if same:
    site = site.all
  return {**{s: known for s, known in left_out.items() if s not in same}, site: found}


def _is_same(known: LeftOut, found: LeftOut) -> bool:
  return known.is_final and found.is_final and known.value is found.value


class Branches:
  """The branches that one program leaves out."""

  def __init__(self, left_out: dict[Site, LeftOut]):
    self.left_out = left_out
    self._counts: Counter[Origin] = Counter()
    self._num_keeping = 0

  def begin_attempt(self) -> None:
    """Counts conditionals from the beginning."""
    self._counts.clear()

  @contextlib.contextmanager
  def keeping(self, keeps: bool = True) -> Iterator[None]:
    """Leaves nothing out meanwhile: a loop without its only end would go on for ever."""
    self._num_keeping += keeps
    try:
      yield
    finally:
      self._num_keeping -= keeps

  def site(self, origin: Origin | None) -> Site | None:
    """Returns the conditional that is met next; None if none of its branches may be left out."""
    if origin is None or self._num_keeping:
      return None
    self._counts[origin] += 1
    return Site(origin, self._counts[origin])

  def message(self, site: Site) -> str:
    """Returns what a run says that takes the branch."""
    known = site if site in self.left_out else site.all
    return _TEXT.format(list(self.left_out).index(known))

  def taken(self, message: str) -> Site | None:
    """Returns the conditional whose branch a run took, from what it said."""
    found = _FOUND.search(message)
    return list(self.left_out)[int(found[1])] if found and self.left_out else None
