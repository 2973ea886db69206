"""What layers of Keras know of the calls around them."""

import contextlib
from collections.abc import Iterator
from typing import Any

from keras.src.backend.common import global_state
from keras.src.layers.layer import CallContext

_CALL_CONTEXT = "current_call_ctx"  # Keras' name for the layer call that is going on.
_SEED_GENERATOR = "global_seed_generator"


def training_of_call() -> Any:
  """Returns the `training` that layers of Keras find in the layer call around them, or None."""
  return getattr(global_state.get_global_attribute(_CALL_CONTEXT), "training", None)


def keras_seed_generator() -> Any:
  """Returns what Keras' functions without a seed draw from; None if it is yet to be made."""
  return global_state.get_global_attribute(_SEED_GENERATOR)


def is_in_call() -> bool:
  """Tells whether a layer of Keras is being called."""
  return global_state.get_global_attribute(_CALL_CONTEXT) is not None


@contextlib.contextmanager
def layer_call(layer: Any, training: Any) -> Iterator[None]:
  """Is to the layers that are called inside like a call of `layer`."""
  outer = global_state.get_global_attribute(_CALL_CONTEXT)
  found = CallContext(entry_layer=layer) if outer is None else outer
  before = getattr(found, "training", None)
  found.set_value("training", training)
  global_state.set_global_attribute(_CALL_CONTEXT, found)
  try:
    yield
  finally:
    global_state.set_global_attribute(_CALL_CONTEXT, outer)
    found.set_value("training", before)
