"""What a handler of a signal raises in the middle of a call is what the caller gets."""

import contextlib
import functools
import signal

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.program._conversion import Conversion
from recursive_tf.convert.validation._compare import Comparison
from tests.convert.trees import Node


class Handler:
  """Raises; as an object, a method, or a function."""

  def __init__(self, error):
    self.error = error

  def __call__(self, number, frame):
    raise self.error

  def method(self, number, frame):
    raise self.error

  def function(self):
    return lambda number, frame: self(number, frame)


@contextlib.contextmanager
def handled(handler):
  before = signal.signal(signal.SIGUSR1, handler)
  try:
    yield
  finally:
    signal.signal(signal.SIGUSR1, before)


def interrupting(monkeypatch, owner, name):
  """Has a signal come at the end of a method."""
  method = getattr(owner, name)

  def interrupted(*args, **kwargs):
    result = method(*args, **kwargs)
    signal.raise_signal(signal.SIGUSR1)
    return result

  monkeypatch.setattr(owner, name, interrupted)


def program():
  weight = tf.Variable(2.0)

  @rtf.recursive
  def total(node):
    if node.left is None:
      return weight * node.label
    return total(node.left) + total(node.right)

  @rtf.function
  def doubled(x):
    return x * weight

  tree = Node(0, Node(label=1.0), Node(label=2.0))
  return {
    "call": (total, lambda: total(tree), 6.0),
    "map": (total, lambda: total.map([tree])[0], 6.0),
    "pack": (total, lambda: total.map(total.pack([tree]))[0], 6.0),
    "function": (doubled, lambda: doubled(tf.constant(3.0)), 6.0),
  }


@pytest.mark.parametrize("call", ["call", "map", "pack", "function"])
@pytest.mark.parametrize(
  ("owner", "name"),
  [(Profile, "begin"), (Conversion, "settle"), (Conversion, "build"), (Comparison, "check")],
)
@pytest.mark.parametrize("error", [TimeoutError("late"), ValueError("late"), KeyboardInterrupt()])
def test_the_error_leaves_the_call_and_nothing_stays(monkeypatch, call, owner, name, error):
  function, run, expected = program()[call]
  error = type(error)(*error.args)  # The parameter would keep its traceback, and what runs in it.
  for handler in (Handler(error), Handler(error).method, Handler(error).function()):
    with monkeypatch.context() as patch, handled(handler):
      interrupting(patch, owner, name)
      for _ in range(3):
        with pytest.raises(type(error)) as caught:
          run()
        assert caught.value is error
  assert run().numpy() == expected
  stats = function.stats
  assert (stats.num_fallback_runs, stats.num_converted_runs > 0) == (0, True), stats
  assert "late" not in str(function.explain())


def test_an_error_of_a_partial_handler_is_known(monkeypatch):
  def raising(what, number, frame):
    raise TimeoutError(what)

  _, run, _ = program()["call"]
  interrupting(monkeypatch, Conversion, "settle")
  with handled(functools.partial(raising, "late")), pytest.raises(TimeoutError, match="late"):
    run()


def test_errors_of_ours_are_none_of_a_handler(monkeypatch):
  def broken(*args, **kwargs):
    raise ValueError("ours")

  function, run, expected = program()["call"]
  monkeypatch.setattr(Conversion, "settle", broken)
  with handled(Handler(TimeoutError())):
    assert run().numpy() == expected
  assert function.stats.num_fallback_runs == 1
