"""Runs a program twice, plainly and by `rtf.function`, and compares all that a user could see.

A program is a function without parameters, or with one, the decorator, that returns what to call,
the calls and a function that gives the state. Calls are tuples of arguments, `Call`s, and functions
without parameters, which change something before the next call.
"""

import collections
import contextlib
import dataclasses
import inspect
import os
import random
import re
import sys
import tempfile
import time
from typing import Any

import numpy as np
import tensorflow as tf

import recursive_tf as rtf

TOLERANCES = {"float16": 2e-2, "bfloat16": 2e-2, "float32": 1e-5, "complex64": 1e-5}
OTHER_TOLERANCE = 1e-9
_TENSOR = re.compile(r"(?<=tf\.Tensor\()[^,()\[\]]+(?=, shape=\(\), dtype=float32\))")


class Call:
  """One call with keyword arguments.

  Args:
    *args: positional arguments.
    **kwargs: keyword arguments.
  """

  def __init__(self, *args, **kwargs):
    self.args, self.kwargs = args, kwargs


@dataclasses.dataclass(frozen=True)
class Outcome:
  """What one call showed.

  Attributes:
    error: type and text of the exception that was raised, or None.
    result: the result, described.
    state: the state and the arguments after the call, described.
    printed: what was printed.
  """

  error: tuple | None
  result: Any
  state: Any
  printed: str


@dataclasses.dataclass(frozen=True)
class Report:
  """How a program went.

  Attributes:
    name: of the program.
    difference: the first difference from plain Python, or None.
    num_graph_runs: calls that ran as a graph.
    num_plain_runs: calls that ran as plain Python.
    num_raised: calls that raised an exception, as in plain Python.
    reasons: reason codes of the latter, with their numbers.
    explanation: the text of `explain()`.
    seconds: that the decorated side took.
  """

  name: str
  difference: str | None
  num_graph_runs: int
  num_plain_runs: int
  num_raised: int
  reasons: dict
  explanation: str
  seconds: float


def run(name, make, float_tolerance=1e-12):
  """Runs a program on both sides and returns the `Report`.

  Args:
    name: of the program.
    make: makes the program.
    float_tolerance: relative, of Python's floats: those that were float32 tensors are less exact.
  """
  plain, _ = _outcomes(make, lambda f: f)
  begin = time.perf_counter()
  decorated = []

  def decorate(function):
    decorated.append(rtf.function(function, verify=False))
    return decorated[-1]

  ours, function = _outcomes(make, decorate)
  seconds = time.perf_counter() - begin
  difference = None
  for i, (expected, got) in enumerate(zip(plain, ours, strict=True)):
    difference = _difference(expected, got, float_tolerance)
    if difference:
      difference = f"call {i}: {difference}"
      break
  stats = function.stats
  return Report(
    name,
    difference,
    stats.num_converted_runs,
    stats.num_fallback_runs,
    sum(outcome.error is not None for outcome in plain),
    dict(stats.fallbacks),
    str(function.explain()),
    seconds,
  )


def _outcomes(make, decorate):
  """Returns the outcomes of all calls of a new program, and what was called."""
  random.seed(0)
  np.random.seed(0)
  tf.keras.utils.set_random_seed(0)
  takes_decorator = bool(inspect.signature(make).parameters)
  function, calls, state = make(decorate) if takes_decorator else make()
  if not takes_decorator:
    function = decorate(function)
  outcomes, kept = [], []
  with _captured() as printed:
    for call in calls:
      if callable(call) and not isinstance(call, Call):
        call()
        continue
      call = call if isinstance(call, Call) else Call(*call)
      error, result = None, None
      try:
        result = function(*call.args, **call.kwargs)
      except Exception as raised:  # Whatever a program raises is compared.
        error = (type(raised).__name__, str(raised))
      kept += [(t, t.numpy().copy()) for t in _tensors_of(result)]
      described = Description()
      outcomes.append(
        Outcome(
          error,
          described(result),
          described([state() if state else None, call.args, call.kwargs]),
          printed(),
        )
      )
  # A tensor that was returned stays what it was, whatever later calls write.
  for tensor, numbers in kept:
    assert np.array_equal(tensor.numpy(), numbers, equal_nan=numbers.dtype.kind in "fc")
  return outcomes, function


def _tensors_of(result):
  """Returns the eager tensors, no variables, of a result that have a NumPy form of numbers."""
  return [
    t
    for t in tf.nest.flatten(result)
    if isinstance(t, tf.Tensor) and hasattr(t, "numpy") and t.dtype.name != "string"
    if t.shape.rank
  ]


@contextlib.contextmanager
def _captured():
  """Captures what is printed to standard output, also by TensorFlow's kernels.

  Yields:
    A function that returns what was printed since it was called last.
  """
  saved, stream = os.dup(1), sys.stdout
  with tempfile.TemporaryFile() as file:
    position = 0

    def printed():
      nonlocal position
      sys.stdout.flush()
      file.seek(position)
      text = file.read()
      position += len(text)
      file.seek(0, os.SEEK_END)
      return text.decode()

    os.dup2(file.fileno(), 1)
    sys.stdout = open(1, "w", closefd=False)  # One for all calls, as in any program.
    try:
      yield printed
    finally:
      sys.stdout.flush()
      sys.stdout = stream
      os.dup2(saved, 1)
      os.close(saved)


class Description:
  """Copies values into tuples that can be compared later; knows which objects are the same."""

  def __init__(self):
    self._seen = {}
    self._held = []

  def __call__(self, value):
    """Returns the description of `value`."""
    kind = type(value).__name__
    if value is None or isinstance(value, (bool, int, str, bytes, float, complex)):
      return (kind, value)
    if isinstance(value, (np.ndarray, np.generic)):
      return (kind, _Numbers(value))
    if isinstance(value, tf.IndexedSlices):
      return (kind, self(value.indices), self(value.values), self(value.dense_shape))
    if isinstance(value, tf.RaggedTensor):
      return (kind, self(value.values), self(value.row_splits))
    if isinstance(value, tf.TensorShape | tf.DType):
      return (kind, repr(value))
    if tf.is_tensor(value):
      # A symbolic tensor that got out has no numbers: it is described as what it is.
      is_eager = hasattr(value, "numpy")
      name = "Variable" if isinstance(value, tf.Variable) else "Tensor"
      return (name, _Numbers(value.numpy()) if is_eager else f"{kind}, symbolic")
    if isinstance(value, type) or inspect.isroutine(value):
      return (kind, value.__qualname__)
    if isinstance(value, tuple):  # Known by what it holds.
      return (kind, *(self(v) for v in value))
    if id(value) in self._seen:
      return ("same", self._seen[id(value)])
    self._seen[id(value)] = len(self._seen)
    self._held.append(value)
    if isinstance(value, (set, frozenset)):
      return (kind, *sorted(map(repr, value)))
    if isinstance(value, tf.keras.optimizers.Optimizer):
      return (kind, *(self(v) for v in value.variables))
    if isinstance(value, (tf.keras.Variable, tf.keras.metrics.Metric, tf.keras.layers.Layer)):
      variables = [value] if isinstance(value, tf.keras.Variable) else value.variables
      return (kind, *(("Variable", _Numbers(np.asarray(v))) for v in variables))
    if isinstance(value, tf.random.Generator):
      return (kind, self(value.state))
    if isinstance(value, dict) or type(value).__name__ == "_DictWrapper":
      return (kind, *((self(k), self(v)) for k, v in value.items()))
    if isinstance(value, (list, collections.deque)):
      return (kind, *(self(v) for v in value))
    names = [n for n in getattr(value, "__slots__", ()) if hasattr(value, n)]
    held = {**{n: getattr(value, n) for n in names}, **getattr(value, "__dict__", {})}
    # In no order: attributes written in branches may be made in another one.
    held = {k: v for k, v in sorted(held.items()) if not k.startswith(("_self_", "_tf_", "_obj_"))}
    return (kind, *((k, self(v)) for k, v in held.items()))


class _Numbers:
  """An array with the tolerance of its type."""

  def __init__(self, array):
    self.array = np.array(array)

  def difference(self, other):
    """Returns what differs, or None."""
    a, b = self.array, other.array
    if a.dtype != b.dtype or a.shape != b.shape:
      return f"{a.dtype}{list(a.shape)} became {b.dtype}{list(b.shape)}"
    if a.dtype.kind not in "fcV":
      return None if (a == b).all() else f"{a} became {b}"
    tolerance = TOLERANCES.get(a.dtype.name, OTHER_TOLERANCE)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    a, b = a.astype(wide), b.astype(wide)
    # What would be zero but for rounding is something like 1e-8.
    largest = np.abs(a[np.isfinite(a)]).max(initial=0.0)
    if np.allclose(b, a, rtol=tolerance, atol=tolerance * (largest + 1e-2), equal_nan=True):
      return None
    return f"{a} became {b}"

  def __repr__(self):
    return repr(self.array)


def _difference(expected, got, float_tolerance):
  """Returns what differs between two outcomes, in words, or None."""
  if expected.error != got.error:
    return f"raised {expected.error}, ours {got.error}"
  if not _is_same_text(expected.printed, got.printed):
    return f"printed {expected.printed!r}, ours {got.printed!r}"
  return _unequal(expected.result, got.result, "result", float_tolerance) or _unequal(
    expected.state, got.state, "state", float_tolerance
  )


def _is_same_text(a, b):
  """Tells whether two texts are the same but for the last digits of float32 tensors in them."""
  if _TENSOR.sub("", a) != _TENSOR.sub("", b):
    return False
  numbers = ([float(one) for one in _TENSOR.findall(text)] for text in (a, b))
  tolerance = TOLERANCES["float32"]
  return np.allclose(*numbers, rtol=tolerance, atol=tolerance * 1e-2, equal_nan=True)


def _unequal(a, b, where, float_tolerance):
  if isinstance(a, _Numbers) and isinstance(b, _Numbers):
    difference = a.difference(b)
    return difference and f"{where}: {difference}"
  if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
      difference = _unequal(x, y, f"{where}.{i}" if i else where, float_tolerance)
      if difference:
        return difference
    return None
  if isinstance(a, float) and isinstance(b, float):
    close = np.isclose(b, a, rtol=float_tolerance, atol=float_tolerance * 1e-2, equal_nan=True)
    return None if close else f"{where}: {a!r} became {b!r}"
  if type(a) is type(b) and a == b:
    return None
  return f"{where}: {a!r} became {b!r}"
