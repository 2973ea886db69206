"""`Layer` and `Model`: what to derive from where a call runs a recursion."""

from __future__ import annotations

import os
from typing import Any

import keras
import tensorflow as tf

from recursive_tf._errors import DefinitionError
from recursive_tf.datasets.batch import TreeBatch, TreeSelection
from recursive_tf.datasets.nary import NaryBatch, NarySelection
from recursive_tf.keras._inputs import as_inputs
from recursive_tf.keras._layers_below import build_below, builds_below
from recursive_tf.keras._python_ops import check_runs_without_python


class _Recursion:
  """What a Keras layer needs to have a recursion in it.

  - XLA cannot run recursion: `compile(jit_compile="auto")`, which is XLA where there is a GPU,
    leaves it off, as Keras does for all layers without `supports_jit`.
  - A TreeBatch given to the layer arrives in `call` as its pair of tensors.
  - It is saved with what its layers were built for: Keras itself would call the model on floats to
    find that out again, and those are no trees.
  """

  name: str

  def __init__(self, *args: Any, **kwargs: Any):
    super().__init__(*args, **kwargs)
    self.supports_jit = False
    self._called_with: Any = None

  def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls the layer; trees may be a TreeBatch."""
    if isinstance(inputs, (TreeBatch, TreeSelection, NaryBatch, NarySelection)):
      inputs = as_inputs(inputs)
    before = self._called_with
    # The last ones: columns of objects are others where the program is another one.
    self._called_with = _Specs(keras.tree.map_structure(_spec_of, inputs))
    try:
      return super().__call__(inputs, *args, **kwargs)  # type: ignore[misc]
    except BaseException:
      self._called_with = before
      raise

  def get_build_config(self) -> dict[str, Any] | None:
    """Returns what the layers below were built for."""
    return {"layers": builds_below(self)} if self.built else None

  def build_from_config(self, config: dict[str, Any]) -> None:
    """Builds the layers below as they were."""
    build_below(self, config["layers"])
    self.built = True

  def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
    # TensorFlow asks this of every object that goes into a SavedModel, before anything is written;
    # neither it nor Keras has a public place for saying that something cannot be saved.
    if save_type == "savedmodel" and self._called_with is not None:
      check_runs_without_python(self.name, self, self._called_with.value)
    return super()._trackable_children(save_type, **kwargs)  # type: ignore[misc]


class Layer(_Recursion, keras.layers.Layer):
  """A `keras.layers.Layer` whose `call` runs a recursion.

  ```python
  @keras.saving.register_keras_serializable("my_models")
  class TreeEncoder(rtf.keras.Layer):

    def __init__(self, width=32, **kwargs):
      super().__init__(**kwargs)
      self.width = width
      self.embedding = keras.layers.Embedding(1000, width)
      self.mix = keras.layers.Dense(width, activation="tanh")

    def call(self, inputs):
      tree = rtf.keras.as_batch(inputs)
      with rtf.SubGraph("encode") as f:
        i = f.input(tf.int32)
        def leaf():
          return self.embedding(tree.word[i][tf.newaxis])
        def inner():
          return self.mix(tf.concat([f(tree.left[i]), f(tree.right[i])], axis=1))
        f.output(tf.cond(tree.is_leaf[i], leaf, inner))
      return tf.squeeze(f.map(tree.root), 1)

    def get_config(self):
      return {**super().get_config(), "width": self.width}
  ```
  """


class Model(_Recursion, keras.Model):
  """A `keras.Model` whose `call` runs a recursion; as `Layer`."""

  def save(
    self, filepath: Any, overwrite: bool = True, zipped: bool | None = None, **kwargs: Any
  ) -> None:
    """Writes a `.keras` file, as `keras.Model.save`, completely or not at all.

    Raises:
      DefinitionError: If it could not be loaded again: what is at `filepath` stays as it is then.
    """
    path = str(filepath)
    # Keras opens the file before it asks the layers for what goes into it.
    is_asked = not overwrite and os.path.exists(path)
    if is_asked or zipped is False or "://" in path or not path.endswith(".keras"):
      super().save(filepath, overwrite, zipped, **kwargs)
      return
    part = f"{path}.{os.getpid()}.part.keras"
    try:
      super().save(part, True, zipped, **kwargs)
      os.replace(part, path)
    finally:
      if os.path.exists(part):
        os.unlink(part)

  def export(
    self,
    filepath: Any,
    format: str = "tf_saved_model",
    verbose: bool | None = None,
    input_signature: Any = None,
    **kwargs: Any,
  ) -> None:
    """Writes a SavedModel, as `keras.Model.export`; its inputs are those that it was called with.

    Raises:
      DefinitionError: If the model calls Python while it runs: nothing is written then.
    """
    if input_signature is None and self._called_with is not None:
      input_signature = [keras.tree.map_structure(_input_spec, self._called_with.value)]
    super().export(filepath, format, verbose, input_signature, **kwargs)


class _Specs:
  """Specs of inputs; in an object, because Keras tracks what is in lists and tuples."""

  def __init__(self, value: Any):
    self.value = value


def _spec_of(value: Any) -> Any:
  if not hasattr(value, "shape") or not hasattr(value, "dtype"):
    try:
      value = tf.convert_to_tensor(value)
    except (TypeError, ValueError):
      raise DefinitionError(
        f"A {type(value).__name__} is given to a model, which takes tensors. Objects are read into"
        " columns by a `Recursive` layer: give it encoder.pack(objects), or fit and predict on"
        " encoder.dataset(objects)."
      ) from None
  shape = tuple(value.shape)
  # The first dimension is that of the batch, or of its nodes: another one each time.
  return keras.KerasTensor(
    (None, *shape[1:]) if shape else (), keras.backend.standardize_dtype(value.dtype)
  )


def _input_spec(tensor: Any) -> Any:
  return keras.InputSpec(shape=tensor.shape, dtype=tensor.dtype)
