"""`Recursive`: a user's own recursion as a Keras layer."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import keras
import tensorflow as tf

from recursive_tf._errors import DefinitionError
from recursive_tf.convert.decorated._decorated import BoundDecorated
from recursive_tf.convert.program._packed import Packed
from recursive_tf.keras._layer import Layer
from recursive_tf.keras._layers_below import all_below
from recursive_tf.keras._objects import ObjectProgram
from recursive_tf.keras._python_ops import check_graph
from recursive_tf.keras._weights import adopted, check_weights_are_known
from recursive_tf.subgraph import SubGraph


@keras.saving.register_keras_serializable("recursive_tf")
class Recursive(Layer):
  """A layer that runs a recursion.

  ```python
  @keras.saving.register_keras_serializable("my_models")
  def power(x, *, mix):                              # x: [B, 1, 4]
    with rtf.SubGraph("power") as f:
      n, y = f.input(tf.int32), f.input(tf.float32, [1, 4])
      f.output(tf.cond(n == 0, lambda: y, lambda: mix(f(n - 1, y))))
    return f.map(tf.fill(tf.shape(x)[:1], 3), x)

  layer = rtf.keras.Recursive(power, layers={"mix": keras.layers.Dense(4)})
  ```

  The function may be

  - a function of tensors that builds a SubGraph and calls it, or an `@rtf.subgraph` function: it is
    called with the layer's input, one nest of tensors; with `training` if it has such an argument;
    and with `layers` by name.
  - a SubGraph: it is mapped over the rows of the input; of a tuple or list, one for each `input`.
  - a function or method under `@rtf.recursive`: it is mapped over objects. A model is fed with
    columns that are read of them: `layer.dataset(trees, labels)`; called eagerly, the layer also
    takes a list of objects.

  All weights that the function reads have to be known to the layer, else it says so when it is
  built. Layers and models saved with `model.save` need a function that is registered with
  `keras.saving.register_keras_serializable`, with its layers given by name; else saving says so.
  `save_weights` and `export` work with all.
  """

  def __init__(
    self,
    function: Any,
    *,
    layers: Mapping[str, keras.layers.Layer] | Sequence[keras.layers.Layer] = (),
    variables: Sequence[Any] = (),
    **kwargs: Any,
  ):
    """Makes the layer.

    Args:
      function: as above.
      layers: those that the function uses. Given by name, they are passed to it as keyword
        arguments, and saved with the layer.
      variables: `tf.Variable`s or `keras.Variable`s that it reads besides.
      **kwargs: as for `keras.layers.Layer`: `name`, `dtype`, `trainable`.

    Raises:
      DefinitionError: If an argument is not of these kinds.
    """
    super().__init__(**kwargs)
    if not callable(function):
      raise DefinitionError(f"Recursive: expected a function or a SubGraph, got {function!r}.")
    by_name = dict(layers) if isinstance(layers, Mapping) else {}
    self._function = _Held(function)
    self._by_name = by_name
    self._used = [] if by_name else list(layers)
    for layer in [*by_name.values(), *self._used]:
      if not isinstance(layer, keras.layers.Layer):
        raise DefinitionError(f"Recursive: `layers` holds {layer!r}: expected Keras layers.")
    self._owner = _Held(_owner_of(function))
    modules = [self._owner.value] if isinstance(self._owner.value, tf.Module) else []
    own = [variable for module in modules for variable in module.variables]
    self._adopted = [adopted(variable) for variable in [*variables, *own]]
    is_recursive = getattr(function, "_is_recursive_function", False)
    self._program = _Held(ObjectProgram(function) if is_recursive else None)
    if is_recursive:
      self.autocast = False  # Floats of objects are those of Python.
    if is_recursive and by_name:
      raise DefinitionError(
        "Recursive: layers by name are for functions of tensors. An @rtf.recursive function uses"
        " its layers as they are: pass a method of a model, or layers=[...]."
      )
    if isinstance(self._owner.value, keras.layers.Layer):
      self._note_program(self)  # The owner's call runs this layer, and is saved.
    self._takes_training = not is_recursive and _has_argument(function, "training")

  # --- Calls

  def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls the layer on a nest of tensors; on trees or a list of objects, where it takes these."""
    program = self._program.value
    if program is not None:
      inputs = _columns(program, inputs)
    return super().__call__(inputs, *args, **kwargs)

  def build(self, input_shape: Any) -> None:
    """Lets the layers make their weights, and checks that all weights are known."""
    owner = self._owner.value
    if isinstance(owner, keras.layers.Layer) and not _has_below(owner, self):
      self._used.append(owner)
    if self._called_with is not None:
      specs = keras.tree.map_structure(_tensor_spec, self._called_with.value)
      known = _Variables(self, owner)
      check_weights_are_known(self.name, self._run, specs, known)

  def call(self, inputs: Any, training: bool | None = None) -> Any:
    """Runs the recursion."""
    return self._run(inputs, training)

  def _run(self, inputs: Any, training: bool | None = None) -> Any:
    function, program = self._function.value, self._program.value
    if program is not None:
      return program.run(inputs)
    if isinstance(function, SubGraph):
      return function.map(*inputs) if isinstance(inputs, (tuple, list)) else function.map(inputs)
    given = {"training": bool(training)} if self._takes_training else {}
    return function(inputs, **self._by_name, **given)

  # --- Objects

  def adapt(self, objects: Sequence[Any]) -> None:
    """Finds out what an `@rtf.recursive` function reads of objects; once, before models use it.

    Args:
      objects: of all kinds that it will be given: classes, attributes, shapes.

    Raises:
      DefinitionError: If the function is one of tensors.
      ConversionRefused: If the function cannot be converted; it says why.
    """
    self._objects("adapt").adapt(objects)

  @property
  def specs(self) -> tuple[tf.TensorSpec, ...]:
    """Types and shapes of the columns that are read of objects."""
    return self._objects("specs").specs

  def pack(self, objects: Sequence[Any]) -> tuple[tf.Tensor, ...]:
    """Reads B objects into columns, which the layer takes as its input; errors as `adapt`."""
    return self._objects("pack").pack(objects)

  def dataset(
    self,
    objects: Sequence[Any],
    targets: Any = None,
    batch_size: int = 25,
    *,
    shuffle: bool | None = None,
    seed: int = 0,
  ) -> tf.data.Dataset:
    """Returns batches of objects as columns, to fit, evaluate and predict on.

    Args:
      objects: T objects.
      targets: array [T, ...]; without it, batches are (columns,).
      batch_size: objects in a batch; the last may have fewer.
      shuffle: whether each pass is in another order. By default with targets only, so that
        `predict` gives its results in the order of the objects; with targets it wants False.
      seed: decides the orders.

    Raises:
      DataError: If there are no objects, or another number of targets.
    """
    program = self._objects("dataset")
    return program.dataset(objects, targets, batch_size, shuffle, seed)

  def program(self) -> Any:
    """Returns the recursion over columns as a `tf.function`, for `tf.saved_model.save`.

    ```python
    module.encode_columns = layer.program()
    tf.saved_model.save(module, path)
    ```

    Raises:
      DefinitionError: If it calls Python while it runs, or there is no program yet.
    """
    program = self._objects("program")
    function = tf.function(
      lambda *columns: program.run(columns), input_signature=program.specs, autograph=False
    )
    check_graph(self.name, function.get_concrete_function().graph)
    self._note_program(function)
    return function

  def _note_program(self, program: Any) -> None:
    """Notes where the program of a method is saved, so that nobody is told that it is not."""
    function = self._function.value
    if isinstance(function, BoundDecorated):
      function.note_program(program)

  def _objects(self, method: str) -> ObjectProgram:
    if self._program.value is None:
      raise DefinitionError(
        f"Layer '{self.name}' is over tensors: `{method}` is for @rtf.recursive functions."
      )
    return self._program.value

  # --- Saving

  def get_config(self) -> dict[str, Any]:
    """Returns what makes the layer again.

    Raises:
      DefinitionError: If it could not be made again in another process.
    """
    function = self._function.value
    reason = _why_not_saved(function, self._used, self._adopted, self._program.value is not None)
    if reason:
      raise DefinitionError(
        f"Layer '{self.name}' cannot be saved with `model.save`: {reason} `save_weights` and"
        " `export` work as it is."
      )
    layers = {
      name: keras.saving.serialize_keras_object(layer) for name, layer in self._by_name.items()
    }
    registered = keras.saving.get_registered_name(function)
    return {**super().get_config(), "function": registered, "layers": layers}

  @classmethod
  def from_config(cls, config: dict[str, Any]) -> Recursive:
    """Makes the layer of its config.

    Raises:
      DefinitionError: If the function is not registered in this process.
    """
    config = dict(config)
    name = config.pop("function")
    function = keras.saving.get_registered_object(name)
    if function is None:
      raise DefinitionError(
        f"Layer '{config.get('name')}' needs the function {name!r}: import the module that"
        " registers it (keras.saving.register_keras_serializable) before the model is loaded."
      )
    layers = {
      key: keras.saving.deserialize_keras_object(layer)
      for key, layer in config.pop("layers").items()
    }
    return cls(function, layers=layers, **config)


class _Held:
  """Something that Keras and TensorFlow should not track: a layer's owner, a function."""

  def __init__(self, value: Any):
    self.value = value


class _Variables:
  """The variables of a layer and its owner, as they are when they are asked for."""

  def __init__(self, layer: keras.layers.Layer, owner: Any):
    self._layers = [layer, owner] if isinstance(owner, keras.layers.Layer) else [layer]

  def __iter__(self) -> Iterator[Any]:
    for layer in self._layers:
      yield from layer.variables


def _why_not_saved(function: Any, used: Any, adopted_variables: Any, is_recursive: bool) -> str:
  """Returns why a layer cannot be made again of its config; nothing if it can."""
  if isinstance(function, SubGraph):
    return (
      "it was made of a SubGraph, which is a graph and no program text. Give it the function that"
      " builds the SubGraph."
    )
  if is_recursive or used or adopted_variables:
    return (
      "its function uses layers or variables that are not passed to it by name. Pass layers={...}"
      " by name; for @rtf.recursive methods, derive a model from `rtf.keras.Model` that makes the"
      " layer in its __init__."
    )
  name = getattr(function, "__name__", None)
  is_known = name is not None and (
    keras.saving.get_registered_object(keras.saving.get_registered_name(function)) is function
  )
  if not is_known:
    return (
      f"its function {name or function!r} is not registered. Write"
      " @keras.saving.register_keras_serializable('my_models') above it."
    )
  return ""


def _owner_of(function: Any) -> Any:
  """Returns the object that a method is of, or None."""
  if getattr(function, "_is_recursive_function", False) and hasattr(function, "__func__"):
    return function.python.args[0]
  return getattr(function, "__self__", None)


def _has_below(owner: keras.layers.Layer, layer: keras.layers.Layer) -> bool:
  """Tells whether a layer is one of those that `owner` is made of."""
  return any(found is layer for found in all_below(owner))


def _has_argument(function: Callable[..., Any], name: str) -> bool:
  try:
    return name in inspect.signature(function).parameters
  except (TypeError, ValueError):
    return False


def _tensor_spec(tensor: Any) -> tf.TensorSpec:
  return tf.TensorSpec(tensor.shape, tensor.dtype)


def _columns(program: ObjectProgram, inputs: Any) -> Any:
  """Returns objects as columns; columns as they are."""
  if isinstance(inputs, Packed):
    return program.unpacked(inputs)
  if isinstance(inputs, tuple) and all(hasattr(part, "dtype") for part in inputs):
    return inputs
  if isinstance(inputs, list) and not any(keras.ops.is_tensor(part) for part in inputs):
    is_symbolic = any(isinstance(part, keras.KerasTensor) for part in inputs)
    return tuple(inputs) if is_symbolic else program.pack(inputs, is_own=True)
  return inputs
