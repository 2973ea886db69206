"""Encoders of trees with any number of children, as Keras layers."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import keras
import tensorflow as tf

from recursive_tf import models
from recursive_tf._errors import ConfigError
from recursive_tf.keras._inputs import as_nary_selection
from recursive_tf.keras._layer import Layer
from recursive_tf.keras._weights import adopted
from recursive_tf.models import NaryTreeLSTMConfig


class NaryTreeEncoder(Layer):
  """Encodes trees: a model of `recursive_tf.models` as a Keras layer, float [B, D].

  Called on a `NaryBatch`, or on what `nary_inputs` stands for.

  Attributes:
    net: the model, whose weights are this layer's: not copies.
  """

  net_class: ClassVar[Any]

  def __init__(
    self,
    vocab_size: int,
    config: NaryTreeLSTMConfig | None = None,
    seed: int = 0,
    **kwargs: Any,
  ):
    """Makes the weights.

    Args:
      vocab_size: number of word ids.
      config: sizes.
      seed: decides the initial weights.
      **kwargs: as for `keras.layers.Layer`: `name`, `dtype` (float32 or float64), `trainable`.

    Raises:
      ConfigError: If a size is not positive, or the type of weights is not that of results.
    """
    super().__init__(**kwargs)
    if self.compute_dtype != self.variable_dtype:
      raise ConfigError(
        f"{type(self).__name__}: the policy {self.dtype_policy.name} computes in another type than"
        " weights have; expected 'float32' or 'float64'."
      )
    dtype = tf.as_dtype(self.variable_dtype)
    self.net = self.net_class(vocab_size, config, seed, dtype)
    self.seed = seed
    self._parameters = [adopted(variable) for variable in self.net.trainable_variables]
    self.built = True

  def call(self, inputs: Any) -> tf.Tensor:
    """Returns the states of the roots, float [B, D]."""
    return self.net.encode(as_nary_selection(inputs))

  def get_config(self) -> dict[str, Any]:
    """Returns the arguments."""
    return {
      **super().get_config(),
      "vocab_size": int(self.net.embedding.shape[0]),
      "config": dataclasses.asdict(self.net.config),
      "seed": self.seed,
    }

  @classmethod
  def from_config(cls, config: dict[str, Any]) -> NaryTreeEncoder:
    """Makes a layer of `get_config`."""
    return cls(**{**config, "config": NaryTreeLSTMConfig(**config["config"])})


@keras.saving.register_keras_serializable("recursive_tf")
class ChildSumTreeLSTM(NaryTreeEncoder):
  """Child-Sum Tree-LSTM (Tai et al. 2015): see `NaryTreeEncoder`, `models.ChildSumTreeLSTM`."""

  net_class = models.ChildSumTreeLSTM


@keras.saving.register_keras_serializable("recursive_tf")
class NaryTreeLSTM(NaryTreeEncoder):
  """N-ary Tree-LSTM (Tai et al. 2015): see `NaryTreeEncoder` and `models.NaryTreeLSTM`."""

  net_class = models.NaryTreeLSTM
