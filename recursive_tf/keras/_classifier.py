"""The models of binary trees as Keras models."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import keras
import tensorflow as tf

from recursive_tf import models
from recursive_tf._errors import ConfigError, DataError
from recursive_tf.datasets import PackedTrees, make_dataset, num_batches
from recursive_tf.datasets.batch import NODE_COLUMNS, TreeBatch, TreeSelection
from recursive_tf.keras._inputs import as_inputs, as_selection
from recursive_tf.keras._layer import Layer, Model
from recursive_tf.keras._metrics import shares
from recursive_tf.keras._optimizer import Adagrad
from recursive_tf.keras._weights import adopted
from recursive_tf.models.labels import Task, task_named

_Trees = (TreeBatch, TreeSelection)


class TreeClassifier(Model):
  """Predicts classes of binary trees: a model of `recursive_tf.models`, with Keras' methods.

  Called on trees it returns the probabilities of the classes at the roots, float [B, K].

  - `compile()` alone trains as `recursive-tf train` does: the loss is the sum of the
    cross-entropies at all nodes that have a class, by tree; metrics are the shares of right answers
    "root", "node", "binary_root", "binary_node". Data sets give `TreeBatch`es, without targets.
  - `compile(loss=..., metrics=...)` trains on what is predicted at the roots, with targets, as any
    Keras model: data sets give pairs, as of `root_labels`.

  `fit`, `evaluate` and `predict` take `PackedTrees` as well, which are batched and shuffled as they
  should be, each epoch in another order.

  Attributes:
    net: the model, whose weights are this one's: not copies.
    parameters: its variables, as Keras has them.
  """

  net_class: ClassVar[Any]
  config_class: ClassVar[Any]

  def __init__(
    self,
    vocab_size: int,
    config: Any = None,
    task: Task | str | None = None,
    seed: int = 0,
    *,
    net: models.TreeClassifier | None = None,
    name: str | None = None,
    dtype: Any = None,
    **kwargs: Any,
  ):
    """Makes the weights, or takes those of `net`.

    Args:
      vocab_size: number of word ids.
      config: hyperparameters, an object of the model's config class; or None for the defaults.
      task: `models.FINE`, `models.BINARY` or their names; None for the model's default.
      seed: decides the initial weights, dropout, and the order of `PackedTrees`.
      net: a model whose weights to use; the arguments above are taken from it then.
      name: as for `keras.Model`.
      dtype: float32 or float64, or such a policy.
      **kwargs: as for `keras.Model`.

    Raises:
      ConfigError: If an argument is not one of these.
    """
    super().__init__(name=name, dtype=dtype, **kwargs)
    self.net = net or self._new_net(vocab_size, config, task, seed)
    self.seed = seed
    self.parameters = [adopted(variable) for variable in self.net.trainable_variables]
    self._dropout = keras.layers.Dropout(self.net.dropout, seed=seed, dtype=self.dtype_policy)
    self._has_loss = False
    self._own_metrics = _Untracked([keras.metrics.Mean(name="loss"), *shares()])
    self.built = True

  @classmethod
  def of(cls, net: models.TreeClassifier, **kwargs: Any) -> TreeClassifier:
    """Returns `net` as a Keras model: the same weights, seen by both."""
    if type(net) is not cls.net_class:
      raise ConfigError(
        f"{cls.__name__}.of: expected a models.{cls.net_class.__name__}, got {type(net).__name__}."
      )
    return cls(net.embedding.shape[0], net=net, **kwargs)

  def _new_net(self, vocab_size: int, config: Any, task: Any, seed: int) -> Any:
    if self.compute_dtype != self.variable_dtype:
      raise ConfigError(
        f"{type(self).__name__}: the policy {self.dtype_policy.name} computes in"
        f" {self.compute_dtype} with weights in {self.variable_dtype}; expected one type for both,"
        " 'float32' or 'float64'."
      )
    if config is not None and not isinstance(config, self.config_class):
      raise ConfigError(
        f"{type(self).__name__}: `config` is {config!r}, expected a {self.config_class.__name__}."
      )
    chosen = task_named(task) if isinstance(task, str) else task
    given = {} if chosen is None else {"task": chosen}
    dtype = tf.as_dtype(self.variable_dtype)
    return self.net_class(vocab_size, config, seed=seed, dtype=dtype, **given)

  # --- Calls

  def call(self, inputs: Any, training: bool | None = None) -> tf.Tensor:
    """Returns the probabilities of the classes at the roots, float [B, K]."""
    h = self.net.encode(as_selection(inputs))
    return tf.nn.softmax(self.net.classify(self._dropout(h, training=training)))

  def encoder(self, name: str | None = None) -> TreeEncoder:
    """Returns a layer, with this model's weights, that gives the states of roots, float [B, D]."""
    return TreeEncoder(self, name=name)

  # --- Training

  def compile(self, optimizer: Any = None, loss: Any = None, **kwargs: Any) -> None:
    """Configures training, as `keras.Model.compile`.

    Args:
      optimizer: as in Keras; None for `Adagrad.of(model)`.
      loss: as in Keras, of what is predicted at the roots; None for the loss over all nodes.
      **kwargs: as in Keras. `metrics` go with a loss.
    """
    if loss is None and kwargs.get("metrics") is not None:
      raise ConfigError(
        f"{type(self).__name__}.compile: metrics={kwargs['metrics']!r} need targets, and so a loss"
        " of the roots. Without a loss the shares of right answers are counted as they are."
      )
    self._has_loss = loss is not None
    super().compile(optimizer or Adagrad.of(self), loss, **kwargs)

  def compile_from_config(self, config: dict[str, Any]) -> None:
    """Compiles a loaded model as it was; Keras does not, where `compile` is not its own."""
    self.compile(**keras.saving.deserialize_keras_object(config))
    self.optimizer.build(self.trainable_variables)

  @property
  def metrics(self) -> list[Any]:
    """The mean loss of a tree and the shares; or those that `compile` was given."""
    return super().metrics if self._has_loss else self._own_metrics.value

  def train_step(self, data: Any) -> dict[str, Any]:
    """Takes one step."""
    if self._has_loss:
      return super().train_step(_as_pairs(data))
    trees = self._trees_of(data)
    seed = tf.stack(
      [tf.constant(self.seed, tf.int64), tf.cast(self.optimizer.iterations, tf.int64)]
    )
    variables = self.trainable_variables
    with tf.GradientTape() as tape:
      loss, counts = self.net.loss_and_metrics(trees, training=True, seed=seed)
    gradients = tape.gradient(loss, [variable.value for variable in variables])
    self.optimizer.apply(gradients, variables)
    return self._update_metrics(trees, loss, counts)

  def test_step(self, data: Any) -> dict[str, Any]:
    """Evaluates one batch."""
    if self._has_loss:
      return super().test_step(_as_pairs(data))
    trees = self._trees_of(data)
    return self._update_metrics(trees, *self.net.loss_and_metrics(trees))

  def _trees_of(self, data: Any) -> TreeBatch | TreeSelection:
    if isinstance(data, _Trees):
      return data
    inputs, targets, weights = keras.utils.unpack_x_y_sample_weight(data)
    if targets is not None or weights is not None:
      raise ConfigError(
        f"{type(self).__name__}: the data has targets or weights, but compile() was given no loss"
        " for them. Leave them out, to learn the classes of all nodes; or"
        " compile(loss='sparse_categorical_crossentropy')."
      )
    return inputs if isinstance(inputs, _Trees) else as_selection(inputs)

  def _update_metrics(self, trees: Any, loss: tf.Tensor, counts: Any) -> dict[str, Any]:
    mean, *others = self.metrics
    mean.update_state(loss, sample_weight=trees.num_trees)
    for metric in others:
      metric.update_state(counts)
    return {metric.name: metric.result() for metric in self.metrics}

  # --- Data

  def fit(
    self,
    x: Any = None,
    y: Any = None,
    batch_size: int | None = None,
    epochs: int = 1,
    *args: Any,
    **kwargs: Any,
  ) -> Any:
    """Trains, as `keras.Model.fit`.

    Args:
      x: `PackedTrees`; or a data set.
      y: as in Keras; None with these.
      batch_size: trees in a step, with `PackedTrees`; None for the config's.
      epochs: passes over the data.
      *args: as in Keras.
      **kwargs: as in Keras. `validation_data` may be `PackedTrees`.

    Raises:
      DataError: If there are no trees.
    """
    size = batch_size or self.net.config.batch_size
    first = kwargs.get("initial_epoch", 0)
    if isinstance(x, PackedTrees):
      per_epoch = num_batches(len(x), size)
      trees = _not_empty(x)
      x = make_dataset(trees, size, seed=self.seed, epoch=first, epochs=max(0, epochs - first))
      kwargs.setdefault("steps_per_epoch", per_epoch)
      x, batch_size = self._with_targets(x), None
    _not_empty(x)
    if "validation_data" in kwargs:
      kwargs["validation_data"] = self._as_dataset(kwargs["validation_data"], size)
    if isinstance(x, tf.data.Dataset):
      kwargs.setdefault("shuffle", False)  # Keras warns that it does not shuffle data sets.
    return super().fit(x, y, batch_size, epochs, *args, **kwargs)

  def evaluate(self, x: Any = None, y: Any = None, batch_size: Any = None, **kwargs: Any) -> Any:
    """Returns loss and metrics, as `keras.Model.evaluate`; `x` as in `fit`."""
    x, size = self._as_dataset(x, batch_size), None if _is_dataset(x) else batch_size
    return super().evaluate(x, y, size, **kwargs)

  def predict(self, x: Any, batch_size: int | None = None, **kwargs: Any) -> Any:
    """Returns probabilities at the roots, float [T, K], in the order of `x`; `x` as in `fit`."""
    x, size = self._as_dataset(x, batch_size, False), None if _is_dataset(x) else batch_size
    return super().predict(x, size, **kwargs)

  def _as_dataset(self, x: Any, batch_size: int | None, has_targets: bool = True) -> Any:
    if not isinstance(x, PackedTrees):
      return _not_empty(x)
    size = batch_size or self.net.config.batch_size
    found = make_dataset(_not_empty(x), size, shuffle=False)
    return self._with_targets(found) if has_targets else found

  def _with_targets(self, dataset: tf.data.Dataset) -> tf.data.Dataset:
    """Adds the classes of the roots, where `compile` was given a loss for them."""
    if not self._has_loss:
      return dataset
    if self.net.task.is_binary:
      raise ConfigError(
        f"{type(self).__name__}: with a loss of its own, the binary task needs targets of yours:"
        " neutral trees have none. Give a data set of pairs (trees, targets)."
      )
    return dataset.map(lambda batch: (as_inputs(batch), tf.gather(batch.label, batch.root)))

  # --- Saving

  def export(
    self,
    filepath: Any,
    format: str = "tf_saved_model",
    verbose: bool | None = None,
    input_signature: Any = None,
    **kwargs: Any,
  ) -> None:
    """Writes a SavedModel of the inputs "root" and "nodes"; see `as_inputs`."""
    signature = input_signature or [
      (
        keras.InputSpec(shape=(None,), dtype="int32", name="root"),
        keras.InputSpec(shape=(None, len(NODE_COLUMNS)), dtype="int32", name="nodes"),
      )
    ]
    super().export(filepath, format, verbose, signature, **kwargs)

  def get_config(self) -> dict[str, Any]:
    """Returns the arguments."""
    return {
      **super().get_config(),
      "name": self.name,
      "vocab_size": int(self.net.embedding.shape[0]),
      "config": dataclasses.asdict(self.net.config),
      "task": self.net.task.name,
      "seed": self.seed,
    }

  @classmethod
  def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
    """Makes a model of `get_config`."""
    return cls(**{**config, "config": cls.config_class(**config["config"])})


@keras.saving.register_keras_serializable("recursive_tf")
class TreeLSTM(TreeClassifier):
  """Binary Tree-LSTM (Tai et al. 2015); see `TreeClassifier` and `models.TreeLSTM`."""

  net_class = models.TreeLSTM
  config_class = models.TreeLSTMConfig


@keras.saving.register_keras_serializable("recursive_tf")
class TreeRNN(TreeClassifier):
  """Recursive neural network (Socher et al. 2011); see `TreeClassifier` and `models.TreeRNN`."""

  net_class = models.TreeRNN
  config_class = models.TreeRNNConfig


@keras.saving.register_keras_serializable("recursive_tf")
class RNTN(TreeClassifier):
  """Recursive neural tensor network (Socher et al. 2013); see `TreeClassifier`, `models.RNTN`."""

  net_class = models.RNTN
  config_class = models.RNTNConfig


@keras.saving.register_keras_serializable("recursive_tf")
class MVRNN(TreeClassifier):
  """Matrix-vector recursive network (Socher et al. 2012); see `TreeClassifier`, `models.MVRNN`."""

  net_class = models.MVRNN
  config_class = models.MVRNNConfig


@keras.saving.register_keras_serializable("recursive_tf")
class TreeEncoder(Layer):
  """The states of the roots of trees, float [B, D], by a model whose weights it has."""

  def __init__(self, classifier: TreeClassifier, **kwargs: Any):
    super().__init__(dtype=kwargs.pop("dtype", None) or classifier.dtype_policy, **kwargs)
    self._classifier = _Untracked(classifier)
    # Without the output layer: it has no gradient here, of which Keras would warn in each step.
    net = classifier.net
    output = {id(net.output_weights), id(net.output_bias)}
    self._parameters = [v for v in classifier.parameters if id(v.value) not in output]

  def call(self, inputs: Any) -> tf.Tensor:
    """Returns the states."""
    return self._classifier.value.net.encode(as_selection(inputs))

  def get_config(self) -> dict[str, Any]:
    """Returns the model."""
    config = super().get_config()
    return {**config, "classifier": keras.saving.serialize_keras_object(self._classifier.value)}

  @classmethod
  def from_config(cls, config: dict[str, Any]) -> TreeEncoder:
    """Makes a layer of `get_config`."""
    classifier = keras.saving.deserialize_keras_object(config["classifier"])
    return cls(**{**config, "classifier": classifier})


class _Untracked:
  """Holds what Keras should not find: metrics of the moment, layers whose weights are elsewhere."""

  def __init__(self, value: Any):
    self.value = value


def _as_pairs(data: Any) -> Any:
  """Returns (inputs, targets, weights) with trees as pairs of tensors, the roots first."""
  inputs, targets, weights = keras.utils.unpack_x_y_sample_weight(data)
  inputs = as_inputs(inputs) if isinstance(inputs, _Trees) else inputs
  return inputs, targets, weights


def _is_dataset(x: Any) -> bool:
  return isinstance(x, (PackedTrees, tf.data.Dataset))


def _not_empty(x: Any) -> Any:
  """Returns `x`; Keras itself would run zero steps and report a loss of 0."""
  is_empty = isinstance(x, tf.data.Dataset) and int(x.cardinality()) == 0
  if is_empty or (isinstance(x, PackedTrees) and not len(x)):
    raise DataError("There are no trees in the data: give at least one.")
  return x
