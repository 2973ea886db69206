"""Adagrad with sparse rows: a step touches only the rows of an embedding that occurred.

Duchi, Hazan and Singer, JMLR 12 (2011). Keras' optimizers make a sparse gradient dense, which for
an embedding of 15,000 words costs more than the rest of the step; TensorFlow's own Adagrad takes
several passes over the weights. These steps are one op for a variable, and one pass.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import tensorflow as tf

from recursive_tf._ops import kernels


@dataclasses.dataclass(frozen=True)
class ParameterGroup:
  """Variables that are trained alike.

  Attributes:
    variables: the variables.
    learning_rate: step size before decay.
    l2: L2 regularisation, `l2 * w` added to dense gradients; sparse gradients take none.
  """

  variables: tuple[tf.Variable, ...]
  learning_rate: float
  l2: float = 0.0


class Adagrad(tf.Module):
  """`sum += g^2; w -= rate * g / (sqrt(sum) + epsilon)`, element by element.

  The sums are variables of this module, so that a checkpoint of it holds them.
  """

  def __init__(
    self,
    groups: Sequence[ParameterGroup],
    initial_sum: float = 0.01,
    epsilon: float = 1e-7,
  ):
    """Makes the sums.

    Args:
      groups: all variables to train.
      initial_sum: value that the sums of squares start from.
      epsilon: keeps the division finite.
    """
    super().__init__(name="adagrad")
    self._groups = tuple(groups)
    self._epsilon = epsilon
    self.variables_to_train = tuple(v for group in self._groups for v in group.variables)
    self.sums = [
      tf.Variable(tf.fill(v.shape, tf.cast(initial_sum, v.dtype)), trainable=False)
      for v in self.variables_to_train
    ]

  def apply(self, gradients: Sequence[tf.Tensor | tf.IndexedSlices], scale: tf.Tensor) -> None:
    """Takes one step.

    Args:
      gradients: one for each of `variables_to_train`, dense or sparse.
      scale: float [], factor on the learning rates (their decay).
    """
    remaining = list(zip(self.variables_to_train, gradients, self.sums, strict=True))
    for group in self._groups:
      for _ in group.variables:
        variable, gradient, total = remaining.pop(0)
        rate = tf.cast(group.learning_rate * scale, variable.dtype)
        apply_adagrad(variable, gradient, total, rate, self._epsilon, group.l2)


def apply_adagrad(
  variable: tf.Variable,
  gradient: tf.Tensor | tf.IndexedSlices,
  total: tf.Variable,
  rate: tf.Tensor,
  epsilon: float,
  l2: float,
) -> None:
  """Takes one step of one variable; see `Adagrad`.

  Args:
    variable: the weights.
    gradient: theirs, dense or sparse.
    total: the sums of squares, of the same shape.
    rate: float [] of the variable's type, the learning rate.
    epsilon: keeps the division finite.
    l2: added to a dense gradient, times the weights.
  """
  epsilon = tf.constant(epsilon, variable.dtype)
  if isinstance(gradient, tf.IndexedSlices):
    # Rows that occur twice are added first: the square is that of the sum.
    kernels.recursive_tf_apply_adagrad_rows(
      var=variable.handle,
      accum=total.handle,
      lr=rate,
      epsilon=epsilon,
      values=gradient.values,
      indices=gradient.indices,
    )
    return
  kernels.recursive_tf_apply_adagrad(
    var=variable.handle,
    accum=total.handle,
    lr=rate,
    epsilon=epsilon,
    l2=tf.constant(l2, variable.dtype),
    grad=gradient,
  )


def linear_decay(step: tf.Tensor, num_steps: float, final_share: float) -> tf.Tensor:
  """Returns the factor on the learning rate in step `step` = 1, 2, ...: 1 down to `final_share`."""
  done = tf.minimum(tf.cast(step, tf.float32) / num_steps, 1.0)
  return 1.0 - (1.0 - final_share) * done
