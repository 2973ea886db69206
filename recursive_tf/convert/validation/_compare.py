"""Compares what plain Python did with what a graph would have done: values, types, identity."""

from __future__ import annotations

import collections
import enum
import math
import re
import types
from collections.abc import Iterator
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt
import tensorflow as tf

from recursive_tf.convert.validation._state import Contents, Snapshot, contents_of

# What values of a type may differ by, relative to the largest of the tensor: sums may be added in
# another order. Below the floor differences are rounding.
TOLERANCE = {
  "float64": 1e-7, "complex128": 1e-7, "float32": 1e-3, "complex64": 1e-3, "float16": 2e-2,
  "bfloat16": 1e-1,
}  # fmt: skip
FLOOR = {"float64": 1e-10, "complex128": 1e-10}
_OTHER_FLOOR = 1e-5
GRADIENT_FACTOR = 10.0  # Gradients add up more terms.
_PYTHON_FLOAT = 1e-9
_OF_TENSOR = 1e-4  # Of Python's floats that `float(tensor)` gives, of 32 bits.
_TEXT_FLOAT = 1e-3  # Of floats in printed text.
_NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")
_EXACT = (bool, int, str, bytes, type(None), range, slice, tf.DType, tf.TensorShape, tf.TensorSpec)
_BY_IDENTITY = (
  types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType, tf.Variable, types.CodeType
)  # fmt: skip


class Difference(Exception):  # noqa: N818 - control flow, becomes the report
  """Plain Python and the graph differ; the text says where and how."""


class Comparison:
  """One comparison of two outcomes that start from one state.

  What was there before has to be the same object on both sides; for what was made since, an object
  of the one side stands for one of the other.

  Attributes:
    pairs: float tensors that were compared, Python's and the graph's, in order.
    notes: what could not be compared.
  """

  def __init__(self, snapshot: Snapshot, is_random: bool):
    """Starts a comparison.

    Args:
      snapshot: the state before.
      is_random: whether values depend on random numbers: then types and shapes are compared alone.
    """
    self.pairs: list[tuple[tf.Tensor, tf.Tensor]] = []
    self.notes: set[str] = set()
    self._snapshot = snapshot
    self._is_random = is_random
    self._partners: dict[int, object] = {}
    self._partners_back: dict[int, object] = {}
    self._alive: list[object] = []

  def check(self, plain: object, graph: object, where: str) -> None:
    """Compares two values.

    Args:
      plain: Python's.
      graph: the graph's.
      where: the place, for the message.

    Raises:
      Difference: If they differ.
    """
    agenda = collections.deque([(plain, graph, where)])
    while agenda:
      a, b, place = agenda.popleft()
      if a is b:
        continue
      agenda.extend(self._one(a, b, place))

  def check_text(self, plain: str, graph: str) -> None:
    """Compares what was printed; last digits of floats may differ.

    Raises:
      Difference: If it differs.
    """
    if plain == graph:
      return
    same = _NUMBER.sub("#", plain) == _NUMBER.sub("#", graph)
    if same and self._is_random:
      return
    pairs = zip(_NUMBER.findall(plain), _NUMBER.findall(graph), strict=False)
    if not (same and all(_are_close(a, b) for a, b in pairs)):
      raise Difference(f"it prints {plain!r}, the graph {graph!r}")

  def _one(self, a: object, b: object, where: str) -> Iterator[tuple[object, object, str]]:
    """Compares two values without their parts, which are yielded."""
    if type(a) is not type(b):
      if self._is_random and (a is None or b is None):
        return
      raise _differ(where, f"{describe(a)} ({_kind(a)})", f"{describe(b)} ({_kind(b)})")
    if isinstance(a, tf.Tensor):
      self._tensors(a, b, where)
      return
    if isinstance(a, _BY_IDENTITY) or a in self._snapshot or b in self._snapshot:
      raise _differ(where, *_which(a, b, self._snapshot))
    if isinstance(a, (float, complex, *_EXACT, enum.Enum, np.generic)):
      self._plain_values(a, b, where)
      return
    if not isinstance(a, tuple) and self._is_seen(a, b, where):
      return
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
      self._arrays(a, b, where)
      return
    if isinstance(a, types.MethodType) and isinstance(b, types.MethodType):
      yield a.__func__, b.__func__, where
      yield a.__self__, b.__self__, f"{where}.__self__"
      return
    yield from self._parts(a, b, where)

  def _parts(self, a: object, b: object, where: str) -> Iterator[tuple[object, object, str]]:
    own, other = contents_of(a), contents_of(b)
    if not own and not isinstance(a, (tuple, list, dict, set, frozenset)) and not vars_of(a):
      if a != b:
        self.notes.add(f"values of type {_kind(a)} cannot be compared")
      return
    if list(own) != list(other):
      if self._is_random:
        return
      raise _differ(where, f"{_kind(a)} with {keys_text(own)}", f"with {keys_text(other)}")
    for slot, value in own.items():
      name = f".{slot[1]}" if slot[0] == "attr" else f"[{slot[1]!r}]"
      yield value, other[slot], f"{where}{name}"

  def _is_seen(self, a: object, b: object, where: str) -> bool:
    if id(a) not in self._partners and id(b) not in self._partners_back:
      self._partners[id(a)], self._partners_back[id(b)] = b, a
      self._alive += [a, b]  # So that no id is given twice.
      return False
    if self._partners.get(id(a)) is not b:
      if self._is_random:
        return True
      has = "is an object that is elsewhere, too" if id(a) in self._partners else "is a new object"
      raise Difference(f"{where} {has}: {describe(a)}; by the graph it is not")
    return True

  def _plain_values(self, a: object, b: Any, where: str) -> None:
    if isinstance(a, float) and (a == b or (math.isnan(a) and math.isnan(b))):
      return
    if _is_of_tensor(a) and _is_of_tensor(b) and not self._is_random:
      same = math.isclose(a, b, rel_tol=_OF_TENSOR)
    elif isinstance(a, (float, complex)) and not self._is_random:
      same = bool(np.isclose(a, b, rtol=_PYTHON_FLOAT, atol=0.0))
    elif isinstance(a, np.generic) and a.dtype.kind in "fc":
      same = bool(_is_close(np.asarray(a), np.asarray(b), 1.0))
    else:
      same = bool(a == b)
    if not same and not (self._is_random and isinstance(a, (int, float, complex, np.generic))):
      raise _differ(where, describe(a), describe(b))

  def _tensors(self, a: tf.Tensor, b: tf.Tensor, where: str) -> None:
    if a.dtype != b.dtype:
      raise _differ(where, f"a tensor of {a.dtype.name}", b.dtype.name)
    if a.shape != b.shape:
      raise _differ(where, f"a tensor of shape {a.shape}", b.shape)
    if a.dtype in (tf.variant, tf.resource):
      self.notes.add(f"tensors of {a.dtype.name} cannot be compared")
      return
    if a.dtype.is_floating:
      self.pairs.append((a, b))
    self._arrays(a.numpy(), b.numpy(), where)

  def _arrays(self, a: object, b: object, where: str) -> None:
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
      raise _differ(where, f"{a.dtype} of shape {a.shape}", f"{b.dtype} of shape {b.shape}")
    if not self._is_random and not _is_close(a, b, 1.0):
      raise _differ(where, _numbers(a), _numbers(b))

  def check_gradient(self, plain: object, graph: object, where: str) -> None:
    """Compares two gradients of one source: tensors, `tf.IndexedSlices` or None.

    Raises:
      Difference: If they differ.
    """
    if self._is_random or (plain is None and graph is None):
      return
    a, b = _dense(plain, graph)
    if a.shape != b.shape or not _is_close(a, b, GRADIENT_FACTOR):
      raise _differ(f"the gradient of {where}", _numbers(a), _numbers(b))


def vars_of(value: object) -> bool:
  """Tells whether an object is one with attributes, if only it had any."""
  return hasattr(value, "__dict__") or bool(getattr(type(value), "__slots__", ()))


def _is_of_tensor(value: object) -> TypeGuard[float]:
  """Tells whether a Python float has 32 bits, as `float(tensor)` has, and is no round number."""
  if type(value) is not float or not math.isfinite(value) or (value * 1024).is_integer():
    return False
  with np.errstate(over="ignore"):
    return float(np.float32(value)) == value


def _dense(a: object, b: object) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.generic]]:
  """Returns gradients as arrays; of sparse ones only the rows that occur."""
  if not isinstance(a, tf.IndexedSlices) or not isinstance(b, tf.IndexedSlices):
    arrays = [None if g is None else tf.convert_to_tensor(g).numpy() for g in (a, b)]
    shape_of = next(array for array in arrays if array is not None)
    found = [np.zeros_like(shape_of) if array is None else array for array in arrays]
    return found[0], found[1]
  rows, inverse = np.unique(np.concatenate([a.indices, b.indices]), return_inverse=True)
  parts = np.split(inverse.reshape(-1), [int(a.indices.shape[0])])
  summed = []
  for gradient, positions in zip((a, b), parts, strict=True):
    values = gradient.values.numpy()
    total = np.zeros((len(rows), *values.shape[1:]), values.dtype)
    np.add.at(total, positions, values)
    summed.append(total)
  return summed[0], summed[1]


def _is_close(a: npt.NDArray[np.generic], b: npt.NDArray[np.generic], factor: float) -> bool:
  if a.dtype.kind in "OUSV" and str(a.dtype) != "bfloat16":
    return bool(np.array_equal(a, b))
  name = str(a.dtype)
  if name not in TOLERANCE:
    return bool(np.array_equal(a, b))
  if a.size == 0:
    return True
  wide = np.complex128 if a.dtype.kind == "c" else np.float64
  a, b = a.astype(wide), b.astype(wide)
  finite = np.abs(a[np.isfinite(a)])
  scale = float(finite.max()) if finite.size else 0.0
  bound = factor * TOLERANCE[name] * scale + FLOOR.get(name, _OTHER_FLOOR)
  return bool(np.allclose(a, b, rtol=0.0, atol=bound, equal_nan=True))


def _are_close(a: str, b: str) -> bool:
  if a == b:
    return True
  are_floats = all("." in text or "e" in text for text in (a, b))
  return are_floats and math.isclose(float(a), float(b), rel_tol=_TEXT_FLOAT, abs_tol=_OTHER_FLOOR)


def _differ(where: str, plain: object, graph: object) -> Difference:
  return Difference(f"{where} is {plain}, by the graph {graph}")


def _which(a: object, b: object, snapshot: Snapshot) -> tuple[str, str]:
  def text(value: object) -> str:
    is_old = value in snapshot or isinstance(value, _BY_IDENTITY)
    return f"{'an object that was there before' if is_old else 'a new object'}, {describe(value)}"

  return text(a), text(b)


def keys_text(contents: Contents) -> str:
  names = [str(name) for _, name in contents]
  if names and all(kind == "item" for kind, _ in contents) and names[0] == "0":
    return f"{len(names)} elements"
  shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
  return f"{len(names)} values ({shown})" if names else "nothing"


def _kind(value: object) -> str:
  if isinstance(value, tf.Tensor):
    return "a tensor"
  return type(value).__name__


def _numbers(array: object) -> str:
  with np.printoptions(precision=6, threshold=8, edgeitems=3):
    return " ".join(str(array).split())[:160]


def describe(value: object, depth: int = 2) -> str:
  """Returns a value for people, without running code of the user's."""
  if isinstance(value, tf.Tensor):
    return _numbers(value.numpy()) if hasattr(value, "numpy") else "a tensor of a graph"
  if isinstance(value, (np.ndarray, np.generic)):
    return _numbers(value)
  if isinstance(value, (float, complex, *_EXACT)):
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."
  if isinstance(value, (types.FunctionType, type, types.ModuleType)):
    return str(value.__name__)
  contents = contents_of(value)
  if depth == 0:
    return f"{type(value).__name__}(...)" if contents else f"{type(value).__name__}()"
  parts = [
    f"{name}={describe(part, depth - 1)}" if kind == "attr"
    else f"{name!r}: {describe(part, depth - 1)}" if isinstance(value, dict)
    else describe(part, depth - 1)
    for (kind, name), part in list(contents.items())[:6]
  ]  # fmt: skip
  inside = ", ".join([*parts, "..."] if len(contents) > 6 else parts)
  if type(value) is tuple:
    return f"({inside})"
  if type(value) is list:
    return f"[{inside}]"
  if type(value) in (dict, set):
    return f"{{{inside}}}"
  return f"{type(value).__name__}({inside})"
