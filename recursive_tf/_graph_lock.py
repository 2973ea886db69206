"""The lock on what threads share while graphs are made: bodies, and graphs made of them.

The gradient of a body changes its graph, and the gradient of a call changes the call. TensorFlow
reads graphs without a lock: a thread that looks at one meanwhile fails, or misses an op, and with
it a gradient. So one thread at a time traces functions, makes calls and gradients; runs take no
lock. It is one lock, since each of these may be asked for while another one is made.
"""

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

graph_lock = threading.RLock()


def locked(function: Callable[P, R]) -> Callable[P, R]:
  """Returns `function`, which one thread at a time runs."""

  @functools.wraps(function)
  def with_lock(*args: P.args, **kwargs: P.kwargs) -> R:
    with graph_lock:
      return function(*args, **kwargs)

  return with_lock
