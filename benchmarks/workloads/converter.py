"""One imperative program, run in each way that TensorFlow programs are run."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.worker import Workload

ARMS = ("eager", "rtf.function", "by hand", "AutoGraph")
PACKED = "by hand, packed"  # Of programs whose batches are objects.
_GUARD_LOOPS = 100
_LAST_DIGIT = np.float32(1 + 2**-23)


class Converter(Workload):
  """Calls: a round of steps by each of `arms`, each with weights of its own."""

  def __init__(self, program, size, verify=False):
    super().__init__()
    self._verify = verify
    from benchmarks.peers import imperative

    self._make = lambda: imperative.make(program, size)
    self._converted: dict[str, list[Any]] = {}
    self._missing: str | None = None
    self._weights: np.ndarray | None = None
    self._first: dict[str, float] = {}
    self.cycle = 1
    self._arms = ARMS
    self._notes: list[str] = []
    try:
      made = self._make()
      self.cycle = made.cycle
      self._arms = ARMS if made.packed_step is None else (*ARMS, PACKED)
      self._arms = tuple(arm for arm in self._arms if arm not in made.left_out)
      self._notes = [f"{arm} is left out: {why}" for arm, why in made.left_out.items()]
    except imperative.Missing as missing:
      self._missing = str(missing)

  def missing(self):
    """Returns why there is no such program here; None if there is."""
    return self._missing

  def arms(self):
    """Returns in which ways the program is run, eager first."""
    return self._arms

  def notes(self):
    """Returns what there is to say of those that are left out."""
    return self._notes

  def prepare(self, arm):
    """Makes an arm ready to be timed; returns how many steps its call takes, which is a round."""
    made, step = self._started(arm)
    batches = itertools.cycle(made.batches)

    def turn() -> None:
      for _ in range(self.cycle):
        loss = step(*next(batches))
      loss.numpy()

    for _ in range(1 if arm == "eager" else 3):  # Conversion, tracing, and what comes once.
      turn()
    self.calls[arm] = turn
    return self.cycle

  def train(self, arm, count):
    """Trains from the same weights as every arm.

    Args:
      arm: one of `arms`, or "nudged": eager, from weights that differ in their last digit.
      count: how many steps.

    Returns:
      (losses, difference, error): the losses; how far all weights are from those of "eager", which
      is trained first, as a share of their norm; what an arm that fails says, or None.
    """
    made, step = self._started("eager" if arm == "nudged" else arm)
    if arm == "nudged":
      for variable in made.variables:
        variable.assign(variable * _LAST_DIGIT)
    made.reset()
    batches = itertools.cycle(made.batches)
    losses: list[float] = []
    start = time.perf_counter()
    try:
      for number in range(count):
        losses.append(float(step(*next(batches))))
        if number == 0:
          self._first[arm] = time.perf_counter() - start
    except Exception as error:
      if arm != "AutoGraph":
        raise
      # The last line is TensorFlow's, those before are the user's code.
      lines = [line for line in str(error).strip().splitlines() if "Error:" in line]
      return losses, None, (lines or [str(error)])[-1].strip()
    weights = np.concatenate([np.ravel(variable.numpy()) for variable in made.variables])
    if arm == "eager":
      self._weights = weights
    assert self._weights is not None  # Eager is first.
    difference = np.linalg.norm(weights - self._weights) / np.linalg.norm(self._weights)
    return losses, float(difference), None

  def runs(self):
    """Returns how many runs of converted functions were graphs, and how many plain Python."""
    stats = [function.stats for function in self._converted["rtf.function"]]
    return sum(s.num_converted_runs for s in stats), sum(s.num_fallback_runs for s in stats)

  def verified(self):
    """Tells what comes of comparing runs with plain Python.

    Returns:
      (compared, different, notes): how many runs were compared; how many calls were left to plain
      Python because one has differed; what could not be compared.
    """
    from recursive_tf.convert import Reason

    functions = self._converted["rtf.function"]
    notes = sorted({note for function in functions for note in function.explain().notes})
    compared = sum(function.stats.num_verified_runs for function in functions)
    failed = Reason.VERIFICATION_FAILED
    return compared, sum(f.stats.fallbacks.get(failed, 0) for f in functions), notes

  def first_seconds(self, arm):
    """Returns the seconds of the first step that an arm has trained: tracing, conversion, a run."""
    return self._first[arm]

  def guards(self):
    """Returns how many things graphs rely on, and the seconds to compare them in a call."""
    functions = self._converted["rtf.function"]
    # Of each function one program: where it has several, they rely on as many things.
    programs = [next(iter(function._programs)) for function in functions]
    number = sum(len(function.explain().assumptions) for function in functions)
    start = time.perf_counter()
    for _ in range(_GUARD_LOOPS):
      for program in programs:
        program.guards.changed()
    return number, (time.perf_counter() - start) / _GUARD_LOOPS

  def conditionals_and_loops(self):
    """Returns how many conditionals and loops of the run the graphs have, SubGraphs left out."""
    programs = [program for function in self._converted["rtf.function"]
                for program in function._programs]  # fmt: skip
    graphs = [g.function.graph for program in programs for g in program.graphs().values()]
    kinds = [op.type for graph in graphs for op in graph.get_operations()]
    return tuple(sum(k in (n, f"Stateless{n}") for k in kinds) for n in ("If", "While"))

  def explained(self):
    """Returns what the converted functions say of themselves."""
    return "\n".join(str(function.explain()) for function in self._converted["rtf.function"])

  def _started(self, arm: str) -> tuple[Any, Callable[..., Any]]:
    import tensorflow as tf

    import recursive_tf as rtf

    made = self._make()
    converted = self._converted[arm] = []

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
      if arm == "eager":
        return function
      if arm == "rtf.function":
        converted.append(rtf.function(function, verify=self._verify))
        return converted[-1]
      is_by_hand = arm != "AutoGraph"
      return tf.function(function, autograph=not is_by_hand, reduce_retracing=is_by_hand)

    by_hand = {"by hand": made.graph_step, PACKED: made.packed_step}
    return made, made.around(decorate, by_hand.get(arm, made.step))
