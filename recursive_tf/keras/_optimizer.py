"""Adagrad as a Keras optimizer, with sparse rows and learning rates by variable."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from recursive_tf._errors import ConfigError
from recursive_tf.models.optimizer import ParameterGroup, apply_adagrad, linear_decay


@keras.saving.register_keras_serializable("recursive_tf")
class LinearDecay(keras.optimizers.schedules.LearningRateSchedule):
  """Goes from `initial` in the first step down to `final_share` of it in step `num_steps`."""

  def __init__(self, num_steps: float, final_share: float = 0.1, initial: float = 1.0):
    if not num_steps > 0:
      raise ConfigError(f"LinearDecay: num_steps must be positive, got {num_steps}.")
    self.num_steps, self.final_share, self.initial = num_steps, final_share, initial

  def __call__(self, step: Any) -> tf.Tensor:
    """Returns the rate after `step` steps, int []."""
    return self.initial * linear_decay(step + 1, self.num_steps, self.final_share)

  def get_config(self) -> dict[str, Any]:
    """Returns the arguments."""
    return {
      "num_steps": self.num_steps,
      "final_share": self.final_share,
      "initial": self.initial,
    }


@keras.saving.register_keras_serializable("recursive_tf")
class Adagrad(keras.optimizers.Optimizer):
  """`sum += g^2; w -= rate * g / (sqrt(sum) + epsilon)`: `models.Adagrad`, for Keras.

  A step touches only the rows of an embedding that occurred, in one op for each variable
  (Duchi, Hazan and Singer, JMLR 12, 2011). Keras' own Adagrad adds epsilon inside of the root.
  """

  def __init__(
    self,
    learning_rate: Any = 0.05,
    *,
    rates: Mapping[str, Sequence[float]] | None = None,
    initial_sum: float = 0.01,
    epsilon: float = 1e-7,
    name: str = "adagrad",
    **kwargs: Any,
  ):
    """Makes the optimizer.

    Args:
      learning_rate: a number, or a Keras schedule.
      rates: for variables by name: (factor on the learning rate, L2 regularisation: `l2 * w` is
        added to a dense gradient). Others have (1, 0).
      initial_sum: value that the sums of squares start from.
      epsilon: keeps the division finite.
      name: its name.
      **kwargs: as for `keras.optimizers.Optimizer`.
    """
    super().__init__(learning_rate=learning_rate, name=name, **kwargs)
    pairs = {key: tuple(map(float, pair)) for key, pair in (rates or {}).items()}
    wrong = [key for key, pair in pairs.items() if len(pair) != 2 or not all(map(_is_rate, pair))]
    if wrong:
      raise ConfigError(
        f"Adagrad: rates[{wrong[0]!r}] is {pairs[wrong[0]]}: expected (factor, l2), numbers of at"
        " least 0."
      )
    self._rates = pairs
    self._initial_sum, self._epsilon = initial_sum, epsilon

  @classmethod
  def of(cls, model: Any, num_steps: float | None = None, **kwargs: Any) -> Adagrad:
    """Returns the optimizer that `recursive-tf train` uses for a model.

    Args:
      model: one of this package's.
      num_steps: steps over which the learning rates fall to a tenth; None: they stay.
      **kwargs: as for the constructor.
    """
    groups: Sequence[ParameterGroup] = model.net.parameter_groups()
    rates = {
      variable.name.split(":")[0]: (group.learning_rate, group.l2)
      for group in groups
      for variable in group.variables
    }
    return cls(1.0 if num_steps is None else LinearDecay(num_steps), rates=rates, **kwargs)

  def build(self, variables: list[Any]) -> None:
    """Makes the sums of squares."""
    if self.built:
      return
    super().build(variables)
    initializer = keras.initializers.Constant(self._initial_sum)
    self._sums = [
      self.add_variable_from_reference(variable, "sum", initializer=initializer)
      for variable in variables
    ]
    names = [variable.name for variable in variables]
    twice = [name for name in self._rates if names.count(name) > 1]
    if twice:
      raise ConfigError(f"Adagrad: `rates` names {twice[0]!r}, but two variables have that name.")
    self._by_variable = [self._rates.get(name, (1.0, 0.0)) for name in names]

  def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
    """Takes one step of one variable."""
    index = self._get_variable_index(variable)
    factor, l2 = self._by_variable[index]
    rate = tf.cast(factor * tf.cast(learning_rate, tf.float32), variable.dtype)
    apply_adagrad(variable, gradient, self._sums[index].value, rate, self._epsilon, l2)

  def get_config(self) -> dict[str, Any]:
    """Returns the arguments."""
    return {
      **super().get_config(),
      "rates": {name: list(pair) for name, pair in self._rates.items()},
      "initial_sum": self._initial_sum,
      "epsilon": self._epsilon,
    }


def _is_rate(value: float) -> bool:
  return math.isfinite(value) and value >= 0
