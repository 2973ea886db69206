"""One small program with checks of what it computes, in each way that Python has for them."""

from __future__ import annotations

import contextlib
import os
import pathlib
from collections.abc import Callable
from typing import Any

import tensorflow as tf

import recursive_tf as rtf
from benchmarks.worker import Workload

NUM_CHECKS = 8  # One for each layer.
CYCLE = 4  # Calls of which one fails.
_WIDTH, _ROWS = 16, 4
_LIMIT = 10.0


def _none(weights, x):
  for weight in weights:
    x = tf.tanh(x @ weight)
  return x


def _raise(weights, x):
  for weight in weights:
    if tf.reduce_max(tf.abs(x)) > _LIMIT:
      raise ValueError("too large")
    x = tf.tanh(x @ weight)
  return x


def _assert(weights, x):
  for weight in weights:
    assert tf.reduce_max(tf.abs(x)) <= _LIMIT, "too large"
    x = tf.tanh(x @ weight)
  return x


def _file(weights, x):
  for weight in weights:
    if tf.reduce_max(tf.abs(x)) > _LIMIT:  # No graph can have this branch.
      pathlib.Path(os.devnull).write_text(str(float(tf.reduce_max(x))))
    x = tf.tanh(x @ weight)
  return x


def _by_hand(weights, x):
  for weight in weights:
    largest = tf.reduce_max(tf.abs(x))
    tf.debugging.Assert(largest <= _LIMIT, [largest])
    x = tf.tanh(x @ weight)
  return x


_KINDS: dict[str, Callable[..., Any]] = {
  "none": _none,
  "raise": _raise,
  "assert": _assert,
  "file": _file,
}


class Checks(Workload):
  """Calls by kind of check and arm; with ", fails" a round of `CYCLE` calls of which one fails."""

  def __init__(self):
    super().__init__()
    tf.random.set_seed(0)
    self._weights = tuple(
      tf.Variable(tf.random.normal([_WIDTH, _WIDTH])) for _ in range(NUM_CHECKS)
    )
    self._x = tf.random.normal([_ROWS, _WIDTH])
    self._functions = {}
    for kind, function in _KINDS.items():
      self._functions[kind] = rtf.function(function, verify=False)
      hand = tf.function(_none if kind == "none" else _by_hand, autograph=False)
      self._add(kind, "eager", function)
      self._add(kind, "rtf.function", self._functions[kind])
      self._add(kind, "by hand", hand)

  def _add(self, kind: str, arm: str, function: Callable[..., Any]) -> None:
    weights, x, large = self._weights, self._x, self._x * 1e3

    def call() -> Any:
      return function(weights, x).numpy()

    def cycle() -> None:
      for _ in range(CYCLE - 1):
        call()
      with contextlib.suppress(ValueError, AssertionError, tf.errors.InvalidArgumentError):
        function(weights, large).numpy()

    self.calls[f"{kind}, {arm}"] = call
    if kind != "none":
      self.calls[f"{kind}, {arm}, fails"] = cycle
    for _ in range(3):  # Conversion, tracing, and what comes once.
      call()

  def sizes(self) -> tuple[list[str], int, int]:
    """Returns the kinds of checks, how many a call makes, and how many calls a round has."""
    return list(_KINDS), NUM_CHECKS, CYCLE

  def results(self) -> dict[str, list[float]]:
    """Returns what each call gives; a round of some that fail is not among them."""
    return {n: call().tolist() for n, call in self.calls.items() if not n.endswith("fails")}

  def runs(self) -> dict[str, tuple[int, int]]:
    """Returns by kind how many runs were graphs, and how many plain Python."""
    found = {kind: function.stats for kind, function in self._functions.items()}
    return {k: (s.num_converted_runs, s.num_fallback_runs) for k, s in found.items()}
