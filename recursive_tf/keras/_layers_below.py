"""Building the layers in a layer again, in another process, without running its `call`."""

from __future__ import annotations

from typing import Any

import keras

_DEFAULT_BUILDS = (keras.layers.Layer.build, keras.Model.build)


def builds_below(layer: Any) -> list[Any]:
  """Returns what the layers that `layer` has were built for, in order, for `build_below`."""
  return [_build_of(child) for child in _children(layer)]


def build_below(layer: Any, configs: list[Any]) -> None:
  """Builds the layers that `layer` has.

  Args:
    layer: has the layers that it makes when it is made.
    configs: from `builds_below`.
  """
  # Layers made later than in __init__ are there after their owner was built.
  for child, config in zip(_children(layer), configs, strict=False):
    if child.built or config is None:
      continue
    if "own" in config:
      child.build_from_config(config["own"])
    else:
      build_below(child, config["layers"])
    child.built = True


def all_below(layer: Any) -> list[Any]:
  """Returns the layers that `layer` is made of, itself left out."""
  found: list[Any] = []
  agenda = _children(layer)
  while agenda:
    child = agenda.pop()
    if all(child is not known for known in found):
      found.append(child)
      agenda += _children(child)
  return found


def _children(layer: Any) -> list[Any]:
  # Keras names a layer's layers in public for models only.
  return list(layer._layers)


def _build_of(layer: Any) -> dict[str, Any] | None:
  if not layer.built:
    return None
  # Other layers that build their layers by running `call` cannot do so from shapes, either.
  if type(layer).build in _DEFAULT_BUILDS and type(layer).build_from_config in _DEFAULT_CONFIGS:
    return {"layers": builds_below(layer)}
  own = layer.get_build_config()
  return None if own is None else {"own": own}


_DEFAULT_CONFIGS = (keras.layers.Layer.build_from_config, keras.Model.build_from_config)
