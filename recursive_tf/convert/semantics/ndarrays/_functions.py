"""Which functions, methods and attributes of NumPy's are done here."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Hashable

import numpy as np

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics.ndarrays import (
  _choosing,
  _making,
  _reductions,
  _shaping,
  _ufuncs,
)
from recursive_tf.convert.semantics.ndarrays._operands import refuse
from recursive_tf.convert.values._abstract import Array, Builtin, Raises

_Function = Callable[..., object]

_OF_NUMPY: types.MappingProxyType[object, _Function] = types.MappingProxyType(
  {
    np.sum: _reductions.total,
    np.prod: _reductions.product,
    np.mean: _reductions.mean,
    np.std: _reductions.standard_deviation,
    np.var: _reductions.variance,
    np.max: _reductions.greatest,
    np.amax: _reductions.greatest,
    np.min: _reductions.least,
    np.amin: _reductions.least,
    np.ptp: _reductions.ptp,
    np.median: _reductions.median,
    np.linalg.norm: _reductions.norm,
    np.any: _reductions.some,
    np.all: _reductions.every,
    np.argmax: _reductions.place_of_greatest,
    np.argmin: _reductions.place_of_least,
    np.cumsum: _reductions.running_sum,
    np.cumprod: _reductions.running_product,
    np.count_nonzero: _reductions.count_nonzero,
    np.array_equal: _reductions.array_equal,
    np.isclose: _reductions.isclose,
    np.allclose: _reductions.allclose,
    np.array: _making.array_of,
    np.asarray: _making.as_array,
    np.copy: _making.copied,
    np.zeros: _making.zeros,
    np.ones: _making.ones,
    np.full: _making.full,
    np.zeros_like: _making.zeros_like,
    np.ones_like: _making.ones_like,
    np.full_like: _making.full_like,
    np.arange: _making.arange,
    np.eye: _making.eye,
    np.identity: _making.eye,
    np.reshape: _shaping.reshape,
    np.ravel: _shaping.ravel,
    np.transpose: _shaping.transpose,
    np.swapaxes: _shaping.swapaxes,
    np.expand_dims: _shaping.expand_dims,
    np.squeeze: _shaping.squeeze,
    np.concatenate: _shaping.concatenate,
    np.stack: _shaping.stack,
    np.vstack: _shaping.vstack,
    np.hstack: _shaping.hstack,
    np.column_stack: _shaping.column_stack,
    np.block: _shaping.block,
    np.flip: _shaping.flip,
    np.flipud: _shaping.flipud,
    np.fliplr: _shaping.fliplr,
    np.rot90: _shaping.rot90,
    np.roll: _shaping.roll,
    np.repeat: _shaping.repeat,
    np.tile: _shaping.tile,
    np.take: _shaping.take,
    np.diff: _shaping.diff,
    np.diag: _shaping.diagonal,
    np.trace: _shaping.trace,
    np.tril: _shaping.lower_triangle,
    np.triu: _shaping.upper_triangle,
    np.matmul: _shaping.matmul,
    np.dot: _shaping.dot,
    np.outer: _shaping.outer,
    np.kron: _shaping.kron,
    np.shape: _shaping.shape_of,
    np.size: _shaping.size_of,
    np.broadcast_to: _shaping.broadcast_to,
    np.where: _choosing.where,
    np.nonzero: _choosing.nonzero,
    np.argwhere: _choosing.argwhere,
    np.flatnonzero: _choosing.flatnonzero,
    np.sort: _choosing.sort,
    np.argsort: _choosing.argsort,
    np.unique: _choosing.unique,
    np.clip: _choosing.clip,
    np.round: _choosing.rounded,
    np.around: _choosing.rounded,
    **{kind: _making.scalar(kind) for kind in (np.float32, np.float64, np.int32, np.int64)},
    np.bool_: _making.scalar(np.bool_),
  }
)
_METHODS: types.MappingProxyType[str, _Function] = types.MappingProxyType(
  {
    "sum": _reductions.total,
    "prod": _reductions.product,
    "mean": _reductions.mean,
    "std": _reductions.standard_deviation,
    "var": _reductions.variance,
    "max": _reductions.greatest,
    "min": _reductions.least,
    "any": _reductions.some,
    "all": _reductions.every,
    "argmax": _reductions.place_of_greatest,
    "argmin": _reductions.place_of_least,
    "cumsum": _reductions.running_sum,
    "cumprod": _reductions.running_product,
    "astype": _making.as_type,
    "copy": _making.copy_of,
    "tolist": _making.to_list,
    "item": _making.item,
    "reshape": _shaping.reshaped,
    "ravel": _shaping.ravel,
    "flatten": _shaping.flatten,
    "transpose": _shaping.transposed,
    "swapaxes": _shaping.swapaxes,
    "squeeze": _shaping.squeeze,
    "repeat": _shaping.repeat,
    "take": _shaping.take,
    "trace": _shaping.trace,
    "dot": _shaping.dot,
    "nonzero": _choosing.nonzero,
    "argsort": _choosing.argsort,
    "clip": _choosing.clip,
    "round": _choosing.rounded,
  }
)
_READ: types.MappingProxyType[str, _Function] = types.MappingProxyType(
  {"T": _shaping.transpose, "size": _shaping.size_of}
)


_NEW = frozenset[object]((np.zeros, np.ones, np.full, np.array, np.arange, np.eye, np.identity))


def makes_new(function: object) -> bool:
  """Tells whether a function gives an array that shares its memory with no other."""
  return isinstance(function, Hashable) and function in _NEW


def knows(function: object) -> bool:
  """Tells whether a function of NumPy's is done here."""
  try:
    return function in _OF_NUMPY or function in _ufuncs.UFUNCS
  except TypeError:
    return False  # It has no hash.


def call(ip: Host, function: object, args: list[object], kwargs: dict[str, object]) -> object:
  """Calls a function of NumPy's on what only the run knows."""
  if isinstance(function, np.ufunc) and function not in _OF_NUMPY:
    if kwargs or len(args) != function.nin:
      raise refuse(ip, f"{function.__name__} with such arguments")
    return _ufuncs.call(ip, function, args)
  name = getattr(function, "__name__", "")
  return _called(ip, name, _OF_NUMPY[function], args, kwargs)


def has(name: str) -> bool:
  """Tells whether an attribute of arrays is done here."""
  return name in _METHODS or name in _READ


def attribute(ip: Host, value: Array, name: str) -> object:
  """Returns an attribute of an array, a method among them; refuses those that are not done."""
  if not any(hasattr(kind, name) for kind in value.types):
    raise Raises  # Scalars have no `dot`, for one.
  if name in _READ:
    return _READ[name](ip, value)
  if name not in _METHODS:
    raise refuse(ip, f".{name}")
  method = _METHODS[name]
  return Builtin(name, lambda *args, **kwargs: _called(ip, name, method, [value, *args], kwargs))


def _called(
  ip: Host, name: str, function: _Function, args: list[object], kwargs: dict[str, object]
) -> object:
  try:
    inspect.signature(function).bind(ip, *args, **kwargs)
  except TypeError as error:
    text = f"NumPy's {name} with these arguments: {error}."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text) from None
  return function(ip, *args, **kwargs)
