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
from collections.abc import Iterator

from recursive_tf.convert._refusal import ConversionRefused, Origin

_TEXT = "takes branch {} that is left out"
_FOUND = re.compile(_TEXT.format(r"(\d+)"))


@dataclasses.dataclass(frozen=True)
class Site:
  """A conditional that the run decides.

  Attributes:
    origin: where it is.
    number: which of those that a conversion meets there, loops and calls that are inlined included.
  """

  origin: Origin
  number: int


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
    return _TEXT.format(list(self.left_out).index(site))

  def taken(self, message: str) -> Site | None:
    """Returns the conditional whose branch a run took, from what it said."""
    found = _FOUND.search(message)
    return list(self.left_out)[int(found[1])] if found and self.left_out else None
