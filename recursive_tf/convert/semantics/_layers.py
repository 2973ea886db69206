"""Calls of Keras' layers: what `Layer.__call__` does beside `call`, or a refusal where it matters.

A library's layer is called as it is; of a user's own layer the `call` is looked into. Keras tells
layers inside whether they train by the call that is going on; it converts inputs, and collects
losses and masks. Layers that do the latter are refused: it would be seen when the graph is made.
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.heap._acting import code_of_parts
from recursive_tf.convert.semantics._native import native, watch_code
from recursive_tf.convert.values._abstract import (
  Array,
  LocalDict,
  LocalList,
  Raises,
  Ref,
  Weak,
)
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._value import Value

# What `Layer.__call__` goes by.
_SETTINGS = (
  *("activity_regularizer", "autocast", "built", "compute_dtype", "dtype_policy", "input_dtype"),
  *("input_spec", "quantization_mode", "variable_dtype", "_allow_non_tensor_positional_args"),
  *("_convert_input_args", "_remat_mode"),
)


def call(
  ip: Host, layer: tf.keras.layers.Layer, args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a layer of Keras."""
  if not layer.built:
    refusal = ip.frame.refuse(
      Reason.OPAQUE_CALL, f"Layer {layer.name!r} makes its weights in its first call."
    )
    refusal.unbuilt = layer
    raise refusal
  kind: type[keras.layers.Layer] = ip.conversion.guards.type_of(layer)
  ip.conversion.guards.settings()
  if _libraries.is_users(kind.__call__):
    return ip.call_function(kind.__call__, [layer, *args], kwargs)
  args = [_positional(ip, layer, arg) for arg in args]
  _check_training(ip, layer, kwargs)
  if _libraries.is_users(kind.call):
    ip.conversion.guards.own(layer, "call")
    if "call" in vars(layer):
      text = f"Layer {layer.name!r} has a `call` of its own, which hides its class's."
      raise ip.frame.refuse(Reason.OPAQUE_CALL, text)
    return _call_users(ip, layer, kind.call, args, kwargs)
  code = code_of_parts(layer)
  if code.acting is not None:
    raise ip.frame.refuse(
      Reason.OPAQUE_CALL,
      f"Layer {layer.name!r} runs code of the user's with effects: {code.acting}.",
    )
  watch_code(ip, code)
  _check_steps(ip, layer, args)
  found = native(ip, layer, args, kwargs)
  _check_left(ip, layer, found)
  return found


def _check_steps(ip: Host, layer: tf.keras.layers.Layer, args: list[object]) -> None:
  """Refuses a `TimeDistributed` of as many steps as the run finds.

  In a graph Keras 3 then takes as many steps as the layer was built with, and leaves out the rest.
  """
  parts = layer._flatten_layers()
  if any(isinstance(part, keras.layers.TimeDistributed) for part in parts):
    shapes = [arg.shape for arg in args if isinstance(arg, tf.Tensor)]
    if not all(shape.rank is not None and None not in shape[1:] for shape in shapes):
      raise ip.frame.refuse(
        Reason.UNSUPPORTED_OPERATION, "TimeDistributed of as many steps as only the run knows."
      )


def check_outside(ip: Host) -> None:
  """Refuses a recursive call from inside of a layer that trains: the body is made outside of it."""
  if bool(tfi.training_of_call()) != ip.conversion.guards.is_training:
    raise ip.frame.refuse(
      Reason.OPAQUE_CALL, "A layer that is called for training calls a recursive function."
    )


def is_lowered(value: object) -> bool:
  """Tells whether a library would get a tensor for a value that is none in Python."""
  if isinstance(value, (LocalList, LocalDict)):
    content = value.snapshot()
    parts = content.values() if isinstance(content, dict) else content
    return not isinstance(parts, tuple) or any(map(is_lowered, parts))
  if isinstance(value, tuple) and not isinstance(value, tf.TensorShape):
    return any(map(is_lowered, value))
  return isinstance(value, Value) and value.is_lowered()


def _positional(ip: Host, layer: tf.keras.layers.Layer, value: object) -> object:
  """Returns a positional argument, of which Keras takes tensors only.

  Raises:
    Raises: If Python raises.
  """
  value = ip.frame.resolve(value)
  if layer._allow_non_tensor_positional_args:
    return value
  if isinstance(value, LocalList) and value.items is not None:
    return ip.frame.new(LocalList([_positional(ip, layer, part) for part in value.items]))
  if isinstance(value, tuple):
    return tuple(_positional(ip, layer, part) for part in value)
  if isinstance(value, (Number, str, int, float, bytes)) and not isinstance(value, np.generic):
    raise Raises
  return value


def _check_training(ip: Host, layer: tf.keras.layers.Layer, kwargs: dict[str, object]) -> None:
  """Refuses a call for training inside of a call that is not, or the other way round.

  Keras keeps that for whatever layer is called next, in the order of the run.
  """
  training = kwargs.get("training", False)
  is_known = training is None or isinstance(training, (bool, int))
  if not is_known or (tfi.is_in_call() and "training" in kwargs):
    if not is_known or bool(training) != bool(tfi.training_of_call()):
      raise ip.frame.refuse(
        Reason.OPAQUE_CALL, f"Layer {layer.name!r} and the one around differ in `training`."
      )


def _call_users(
  ip: Host,
  layer: tf.keras.layers.Layer,
  method: object,
  args: list[object],
  kwargs: dict[str, object],
) -> object:
  """Calls a user's own layer, as `Layer.__call__` does."""
  parameters = layer._call_signature.parameters
  _watch_settings(ip, layer)
  is_special = (
    layer.compute_dtype != layer.variable_dtype
    or layer.activity_regularizer is not None
    or getattr(layer, "quantization_mode", None) is not None
    or layer._remat_mode is not None
    or layer._call_context_args != {"training"}
    or keras.distribution.distribution() is not None
  )
  takes_masks = any(name == "mask" or name.endswith("_mask") for name in parameters)
  if is_special or (takes_masks and (len(args) != 1 or not isinstance(args[0], tf.Tensor))):
    raise ip.frame.refuse(
      Reason.OPAQUE_CALL, f"Layer {layer.name!r} has a type, a mask or a loss that Keras sees to."
    )
  args = [_converted(ip, layer, arg) for arg in args]
  kwargs = {name: _converted(ip, layer, arg) for name, arg in kwargs.items()}
  _check_inputs(ip, layer, args)
  has_training = "training" in parameters
  training = tfi.training_of_call()
  if has_training and training is None:
    default = parameters["training"].default
    training = None if default is parameters["training"].empty else default
  training = kwargs.pop("training") if "training" in kwargs else training
  if has_training and training is not None:
    kwargs["training"] = training
  with tfi.layer_call(layer, training):
    return ip.call_function(method, [layer, *args], kwargs)


def _watch_settings(ip: Host, layer: tf.keras.layers.Layer) -> None:
  """Guards what `Layer.__call__` reads of a user's own layer, beside what its `call` does."""
  guards = ip.conversion.guards
  for name in _SETTINGS:
    if hasattr(layer, name):
      guards.attribute(layer, name)
  for spec in tf.nest.flatten(layer.input_spec):
    for name in getattr(spec, "__dict__", {}):
      guards.attribute(spec, name)


def _converted(ip: Host, layer: tf.keras.layers.Layer, value: object) -> object:
  """Returns an argument in the type that the layer computes in."""
  value = ip.frame.resolve(value) if not isinstance(value, Ref) else value
  if isinstance(value, LocalList) and value.items is not None:
    return ip.frame.new(LocalList([_converted(ip, layer, part) for part in value.items]))
  if isinstance(value, tuple) and not isinstance(value, tf.TensorShape):
    return tuple(_converted(ip, layer, part) for part in value)
  return _leaf_converted(ip, layer, value)


def _leaf_converted(ip: Host, layer: tf.keras.layers.Layer, value: object) -> object:
  if isinstance(value, (Array, Weak, np.ndarray, np.generic, tf.Variable, keras.Variable)):
    value = tf.convert_to_tensor(ip.frame.tensor(value))
  if isinstance(value, tf.Tensor) and layer._convert_input_args:
    return layer.dtype_policy.convert_input(value, layer.autocast, layer.input_dtype)
  return value


def _check_inputs(ip: Host, layer: tf.keras.layers.Layer, args: list[object]) -> None:
  """Refuses inputs that do not fit what the layer says of them."""
  if layer.input_spec is not None and args:
    try:
      layer._assert_input_compatibility(args[0])
    except (ValueError, AttributeError) as error:
      raise ip.frame.refuse(Reason.TENSORFLOW_ERROR, f"{layer.name}: {error}") from None


def _check_left(ip: Host, layer: tf.keras.layers.Layer, found: object) -> None:
  """Refuses a layer that has left losses or masks, which hold tensors of the graph."""
  parts = [part for part in layer._flatten_layers() if part._losses]
  for part in parts:
    part._losses.clear()
    part._loss_ids.clear()
  if parts:
    raise ip.frame.refuse(Reason.OPAQUE_CALL, f"Layer {layer.name!r} adds losses to itself.")
  if any(getattr(value, "_keras_mask", None) is not None for value in tf.nest.flatten(found)):
    raise ip.frame.refuse(Reason.OPAQUE_CALL, f"Layer {layer.name!r} gives tensors with masks.")
