"""Which code is called as it is, and which is looked into."""

from __future__ import annotations

import types
from typing import Any

import keras
import numpy as np
import tensorflow as tf

LIBRARIES = frozenset(["tensorflow", "keras", "numpy", "math", "recursive_tf", "operator"])
# Part of a library, but programs like the user's: looked into.
_LOOKED_INTO = ("recursive_tf.datasets", "recursive_tf.models")
# What gives another value each time must not be called once and kept.
_CHANGING = ("numpy.random", "random", "time", "datetime", "secrets", "uuid", "os")


def is_library(thing: Any) -> bool:
  """Tells whether a module, class, function, or an object by its class, belongs to a library."""
  if isinstance(thing, types.ModuleType):
    name = thing.__name__
  else:
    name = getattr(thing, "__module__", None) or ""
    if not isinstance(thing, (type, types.FunctionType, types.BuiltinFunctionType)):
      owner = getattr(thing, "__self__", None)
      if isinstance(thing, types.MethodType) or (owner is not None and callable(thing)):
        return is_library(thing.__func__) if isinstance(thing, types.MethodType) else True
      name = name if isinstance(name, str) and _is_function_like(thing) else type(thing).__module__
  if not isinstance(name, str):
    name = type(thing).__module__
  if name.startswith(_LOOKED_INTO):
    return False
  return name.partition(".")[0] in LIBRARIES


def _is_function_like(thing: Any) -> bool:
  return isinstance(thing, np.ufunc) or hasattr(thing, "__wrapped__")


def is_changing(function: Any) -> bool:
  """Tells whether a function gives another value each time."""
  module = getattr(function, "__module__", None) or ""
  owner = getattr(function, "__self__", None)
  if owner is not None and not isinstance(owner, types.ModuleType):
    module = type(owner).__module__ or module
  return isinstance(module, str) and module.startswith(_CHANGING)


def makes_state(function: Any) -> bool:
  """Tells whether a class of a library makes variables or layers, which a graph cannot."""
  return isinstance(function, type) and issubclass(
    function, (tf.Variable, tf.Module, keras.layers.Layer, tf.GradientTape)
  )
