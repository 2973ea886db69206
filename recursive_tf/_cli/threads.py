"""Threads of a command."""

from __future__ import annotations

import tensorflow as tf

from recursive_tf._cli.quiet import without_start_notes
from recursive_tf._config import config
from recursive_tf._errors import ConfigError

_MOST = 1024  # What TensorFlow would start, and more than machines have cores.


def check_threads(num_threads: int) -> None:
  """Checks the number.

  Raises:
    ConfigError: If it is out of range.
  """
  if not 1 <= num_threads <= _MOST:
    raise ConfigError(f"--threads is {num_threads}, expected 1 to {_MOST}.")


def choose_threads(num_threads: int) -> None:
  """Has TensorFlow use `num_threads` threads once it starts.

  The batched scheduler divides the trees of a batch among the threads that ops compute on. The
  concurrent one runs that many frames at once, each op on one thread: the products of one frame are
  far too small to be divided.

  Raises:
    ConfigError: If the number is out of range, or TensorFlow already runs with another.
  """
  check_threads(num_threads)
  num_intra = 1 if config().scheduler == "concurrent" else num_threads
  try:
    tf.config.threading.set_intra_op_parallelism_threads(num_intra)
    tf.config.threading.set_inter_op_parallelism_threads(num_threads)
  except RuntimeError as error:
    raise ConfigError(
      f"--threads {num_threads}: TensorFlow already runs in this process with other threads. Run "
      "the command in a process of its own."
    ) from error


def set_threads(num_threads: int) -> None:
  """Starts TensorFlow with `num_threads` threads; errors as `choose_threads`."""
  choose_threads(num_threads)
  with without_start_notes():
    tf.config.list_logical_devices()
