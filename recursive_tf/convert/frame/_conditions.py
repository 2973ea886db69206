"""What must hold where a body runs: checks of values, and demands whatever becomes of values."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import tensorflow as tf

from recursive_tf.convert.frame._layers import Layer
from recursive_tf.convert.values import _checks, _unused
from recursive_tf.convert.values._abstract import Dear, Ref
from recursive_tf.convert.values._numbers import Number

_RAISES = "the program raises an exception here"


class Conditions:
  """The conditions on each path through a body while it is made.

  Attributes:
    num_partial: ops so far that may fail or cost more than a few numbers.
    num_trials: trials that are going on.
  """

  def __init__(self) -> None:
    self.num_partial = 0
    self.num_trials = 0
    self._layers = [Layer()]
    self._unused = _unused.Unused()

  def partial(self) -> None:
    """Notes an op that may fail or costs more than a few numbers; a trial ends with it."""
    self.num_partial += 1
    if self.num_trials:
      raise Dear

  def check(self, value: tf.Tensor, ok: tf.Tensor, message: str) -> tf.Tensor:
    """Returns the tensor; the run fails where `ok` is not true, since Python raises there."""
    found = self.assume(value, ok, message)
    self._layers[-1].computed.append(found)
    return found

  def assume(self, value: tf.Tensor, ok: tf.Tensor, message: str) -> tf.Tensor:
    """Returns the tensor; the run fails where it is used and `ok` is not true."""
    self.partial()
    return _checks.check(value, ok, message)

  def check_read(self, ref: Ref, value: tf.Tensor, ok: tf.Tensor, message: str) -> tf.Tensor:
    """Does `check` of what was read, of which nothing else has to be said then."""
    self._layers[-1].checked.add(ref.key)
    return self.check(value, ok, message)

  def is_there(self, ref: Ref) -> Number | bool:
    """Tells whether a read gives anything, where Python's would not raise."""
    raise NotImplementedError  # `Reading` does.

  def demand(self, ok: tf.Tensor) -> None:
    """Lets the run fail if `ok`, bool [], is false when this branch is taken."""
    self.partial()
    self._layers[-1].demands.append(ok)

  def _demand_unused(self, outputs: list[tf.Tensor]) -> None:
    """Lets the run fail where something fails that was computed and that no output needs."""
    layer = self._layers[-1]
    for ref in {ref.key: ref for ref in layer.reads}.values():
      if not any(ref.key in other.checked for other in self._layers):
        is_there = self.is_there(ref)
        if isinstance(is_there, Number):
          self.demand(is_there.tensor)
    layer.reads = []
    for tensor in self._unused.of(layer.computed, [*outputs, *layer.demands]):
      self.demand(_unused.is_done(tensor))

  @property
  def is_demanding(self) -> bool:
    """Whether this branch may raise an exception, whatever becomes of its values."""
    return bool(self._layers[-1].demands)

  def demand_done(self, tensor: tf.Tensor) -> None:
    """Lets the run fail, and all that comes later wait, until a tensor is there."""
    self.demand(_unused.is_done(tensor))

  def tied(
    self, tensors: list[tf.Tensor], is_turn: bool = False, computed: Sequence[tf.Tensor] = ()
  ) -> list[tf.Tensor]:
    """Returns the outputs of this branch, of which the first fails if a demand is not met.

    Those of a loop's turn all do: whichever of them the loop's test reads, there is no next turn.
    What is `computed` is so whatever becomes of the outputs.
    """
    self._demand_unused([*tensors, *computed])
    demands = self._layers[-1].demands
    if not demands or not tensors:
      return tensors
    ok = functools.reduce(tf.logical_and, demands)
    self._layers[-1].demands = []
    count = len(tensors) if is_turn else 1
    return [_checks.check(t, ok, _RAISES) for t in tensors[:count]] + tensors[count:]

  def gated(self, tensors: list[tf.Tensor]) -> list[tf.Tensor]:
    """Returns what goes into a call or a loop, which begins only if all demands so far are met.

    Else a recursion that Python leaves by an exception would go on for ever.
    """
    demands = [ok for layer in self._layers for ok in layer.demands]
    if not demands:
      return tensors
    ok = functools.reduce(tf.logical_and, demands)
    return [_checks.check(tensor, ok, _RAISES) for tensor in tensors]
