"""Initial values of weights: a pure function of a seed and the order in which they are made."""

from __future__ import annotations

import math

import numpy as np
import tensorflow as tf


class Initializer:
  """Draws initial values; the k-th draw depends on the seed and k alone."""

  def __init__(self, seed: int, dtype: tf.DType):
    self._seed = seed
    self._count = 0
    self._dtype = dtype

  def uniform(self, shape: tuple[int, ...], bound: float) -> tf.Tensor:
    """Returns values uniform in [-bound, bound)."""
    # Drawn in float32, so that models of both types start from the same values.
    values = tf.random.stateless_uniform(shape, self._next_seed(), -bound, bound, tf.float32)
    return tf.cast(values, self._dtype)

  def normal(self, shape: tuple[int, ...], stddev: float) -> tf.Tensor:
    """Returns normal values of mean 0."""
    values = tf.random.stateless_normal(shape, self._next_seed(), 0.0, stddev, tf.float32)
    return tf.cast(values, self._dtype)

  def glorot(self, fan_in: int, fan_out: int, num_blocks: int = 1) -> tf.Tensor:
    """Returns [fan_in, num_blocks * fan_out], each block uniform by Glorot and Bengio (2010)."""
    return self.uniform((fan_in, num_blocks * fan_out), math.sqrt(6 / (fan_in + fan_out)))

  def constant(self, values: np.ndarray | list[float]) -> tf.Tensor:
    """Returns `values` in the type of the model."""
    return tf.constant(values, self._dtype)

  def _next_seed(self) -> list[int]:
    self._count += 1
    return [self._seed, self._count]
