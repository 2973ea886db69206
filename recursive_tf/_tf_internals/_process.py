"""What is set once for the process: collective ops, AutoGraph, what is saved."""

from collections.abc import Callable
from typing import Any

from tensorflow.core.protobuf import config_pb2
from tensorflow.python.autograph.core import config as autograph_config
from tensorflow.python.distribute import distribute_lib
from tensorflow.python.eager import context
from tensorflow.python.framework import (
  errors_impl,
  ops,
)
from tensorflow.python.trackable import autotrackable


def leave_out_coordination_service() -> None:
  """Keeps `MultiWorkerMirroredStrategy` from starting TensorFlow's coordination service.

  Its agent takes SIGTERM for itself, waits an hour for workers that never come, and ends the
  process with a stack trace when another worker is lost. Without it the strategy checks the others'
  health from a thread, and their loss is an error of the collective op under way. To be called
  before TensorFlow starts.
  """
  context.context().configure_coordination_service("")


def abort_collective_ops(message: str) -> None:
  """Has the collective ops under way, and all later ones, fail with a DeadlineExceededError.

  May be called from any thread.
  """
  context.context().abort_collective_ops(errors_impl.DEADLINE_EXCEEDED, message)


def set_chunk_bytes(num_bytes: int) -> None:
  """Sets how much of a tensor collective ops put into one string of a message, 4096 by default.

  To be called before TensorFlow starts.
  """
  known = context.context()
  if known._config is None:
    known._config = config_pb2.ConfigProto()
  known._config.experimental.recv_buf_max_chunk = num_bytes


def has_strategy() -> bool:
  """Does as `tf.distribute.has_strategy`, which takes ten times as long where there is none."""
  stack = ops.get_default_graph()._distribution_strategy_stack
  return bool(stack) and distribute_lib.has_strategy()


def before_saving(kind: type, tell: Callable[[Any], None]) -> None:
  """Has `tell(saved)` called where an object of a class goes into a SavedModel.

  Every object that does is asked for its `_trackable_children`. There is no public place that could
  say what is left out.
  """
  if not issubclass(kind, autotrackable.AutoTrackable):
    return
  own = vars(kind).get("_trackable_children")

  def _trackable_children(self: Any, save_type: str = "checkpoint", **kwargs: Any) -> Any:
    if save_type == "savedmodel":
      tell(self)
    if own is not None:
      return own(self, save_type, **kwargs)
    return super(kind, self)._trackable_children(save_type, **kwargs)  # type: ignore[arg-type]

  kind._trackable_children = _trackable_children  # type: ignore[attr-defined]


def keep_out_of_autograph(module: str) -> None:
  """Makes AutoGraph call the functions of `module` as they are, as it does TensorFlow's own."""
  rule = autograph_config.DoNotConvert(module)
  if all(str(known) != str(rule) for known in autograph_config.CONVERSION_RULES):
    autograph_config.CONVERSION_RULES = (rule, *autograph_config.CONVERSION_RULES)
