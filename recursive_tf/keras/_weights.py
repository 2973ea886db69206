"""Which weights a function reads, and whether a layer knows of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import keras
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import DefinitionError


def adopted(variable: Any) -> Any:
  """Returns a variable as Keras has them; one of TensorFlow's is shared, not copied."""
  if isinstance(variable, keras.Variable):
    return variable
  if not isinstance(variable, tf.Variable):
    raise DefinitionError(
      f"Recursive: `variables` holds {variable!r}: expected tf.Variables or keras.Variables; layers"
      " go into `layers`."
    )
  return keras.Variable(
    variable,
    trainable=variable.trainable,
    dtype=variable.dtype.name,
    name=variable.name.split(":")[0].replace("/", "_"),
  )


def check_weights_are_known(
  name: str, function: Callable[[Any], Any], inputs: Any, known: Iterable[Any]
) -> None:
  """Raises if a function reads a variable that its layer does not have.

  Such a variable would not be trained, nor saved, and nothing would say so.

  Args:
    name: of the layer.
    function: takes one nest of tensors. Its layers make their weights here.
    inputs: `tf.TensorSpec`s in that nest.
    known: the layer's variables, of Keras; read after the function was traced.

  Raises:
    DefinitionError: If there is one.
  """
  traced = tf.function(function, autograph=False).get_concrete_function(inputs)
  handles = {id(handle) for variable in known for handle in _handles(variable)}
  unknown = [
    spec
    for captured, _ in traced.graph.captures
    if (spec := tfi.spec_of_variable(captured)) is not None and id(captured) not in handles
  ]
  if unknown:
    shapes = ", ".join(f"{spec.dtype.name} {list(spec.shape)}" for spec in unknown)
    raise DefinitionError(
      f"Layer '{name}': its function reads {len(unknown)} variable(s) that the layer does not know"
      f" ({shapes}): they would be neither trained nor saved. Give it what they belong to:"
      " Recursive(function, layers={'name': layer}), which are passed to the function by name, or"
      " layers=[layer], or variables=[variable]."
    )


def _handles(variable: Any) -> Sequence[Any]:
  value = variable.value
  # Under a tf.distribute strategy there is one for each replica.
  parts = [value, *getattr(value, "values", ())] if hasattr(value, "handle") else []
  return [part.handle for part in parts]
