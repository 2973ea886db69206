"""What an imperative program of the benchmark is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Step = Callable[..., Any]


class Missing(RuntimeError):
  """A program cannot be had here; the message says why."""


def _as_it_is(decorate: Callable[[Step], Step], step: Step) -> Step:
  return decorate(step)


@dataclasses.dataclass
class Program:
  """One program.

  Attributes:
    step: the imperative step; returns the loss.
    batches: arguments of steps, one after the other.
    graph_step: the same for `tf.function`, written by hand.
    variables: what it trains.
    reset: starts a new sequence of steps, for programs that carry a state.
    around: the plain Python around the step, of programs that have any: takes what makes a graph of
      a function, and the step; returns what is called for each batch.
    cycle: how many steps make a round, of programs whose steps are not all alike.
    packed_step: `graph_step` again, of programs whose batches are objects: `around` gives it what
      was read of them before, not in the step.
    left_out: in which ways it is not run, and why.
  """

  step: Step
  batches: Sequence[tuple[Any, ...]]
  graph_step: Step
  variables: Sequence[Any]
  reset: Callable[[], None] = lambda: None
  around: Callable[[Callable[[Step], Step], Step], Step] = _as_it_is
  cycle: int = 1
  packed_step: Step | None = None
  left_out: Mapping[str, str] = dataclasses.field(default_factory=dict)
