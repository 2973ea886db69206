"""Calls with as little Python as can be: one signature, found once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import SignatureError
from recursive_tf.subgraph._arguments import name_of_callable
from recursive_tf.subgraph._body import all_ops
from recursive_tf.subgraph._calls import LAUNCH_OPS
from recursive_tf.subgraph._no_copies import NotCopied
from recursive_tf.subgraph._ordered import may_run_in_order
from recursive_tf.subgraph._run_errors import told_first
from recursive_tf.subgraph._scope import check_by_position, check_not_compiled, check_usable
from recursive_tf.subgraph._signature import Signature, num_arguments, user_location

_FIX = "Give what it was prepared for, or prepare it for this too."


def prepare(function: Callable[..., Any], *specs: tf.TensorSpec) -> Prepared:
  """Makes a graph of `function` for arguments of `specs`, to be called many times.

  A call of a `tf.function` looks for the graph that fits its arguments, and for what the graph
  uses from outside; at one tree a call that takes as long as the tree. Here both were found before:

  ```python
  classify = rtf.prepare(lambda roots: f.map(roots), tf.TensorSpec([None], tf.int32))
  for roots in requests:
    classify(roots)
  ```

  Variables are read, and written, at each call, as ever. All else of Python that `function` uses is
  as it was when it was prepared; arguments without a spec have their defaults. Python is traced as
  it is, without AutoGraph: an `if` on a tensor is a `tf.cond`, or `function` a `tf.function`.

  Args:
    function: takes and returns tensors, such as a SubGraph `f`, `f.map`, a model's method, or a
      `tf.function`.
    *specs: the type and shape of each argument; None where a size may differ from call to call.

  Returns:
    A function of tensors, or of what can be made tensors of these specs, by position. It may be
    called in other graphs, under tapes, and from several threads.

  Raises:
    SignatureError: If `function` is none, or takes other arguments, or a spec is no
      `tf.TensorSpec`.
    tf.errors.OperatorNotAllowedInGraphError: If it uses a tensor as Python's numbers.
  """
  if not callable(function):
    raise SignatureError(
      f"rtf.prepare: {function!r} is no function. Give a SubGraph, a function of tensors or a"
      " method, then the specs."
    )
  for spec in specs:
    if not isinstance(spec, tf.TensorSpec):
      raise SignatureError(f"rtf.prepare: {spec!r} is no tf.TensorSpec. {_FIX}")
  _check_takes(function, specs)
  return Prepared(function, specs)


class Prepared(NotCopied):
  """A function whose graph is made; what `prepare` returns."""

  def __init__(self, function: Callable[..., Any], specs: tuple[tf.TensorSpec, ...]):
    """Traces the function. Use `prepare`."""
    traced: Any = function
    if not hasattr(function, "get_concrete_function"):
      traced = tf.function(function, autograph=False)
    self._traced = traced  # Kept: the graph's own references to variables are weak.
    self._function = _trace(traced, specs, is_as_given=traced is function)
    self._captures = self._function.captured_inputs
    self._is_ordered = may_run_in_order(self._function.graph)
    self._signature = Signature.of(specs)
    self._dtypes = tuple(self._signature.dtypes)
    self._array_dtypes = tuple(_array_dtype(dtype) for dtype in self._dtypes)
    self._sizes = tuple(
      None if shape.rank is None else tuple(shape.as_list()) for shape in self._signature.shapes
    )

  def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
    """Runs the graph.

    Args:
      *args: one for each spec.
      **kwargs: none: specs have no names.

    Returns:
      What the function returns.

    Raises:
      SignatureError: If there are more or fewer arguments, or one is of another type or shape. In a
        graph that does not know a shape its run fails, with `tf.errors.InvalidArgumentError`.
    """
    if tf.executing_eagerly():
      return self._call_eagerly(args, kwargs)
    location = user_location()
    if any(op.type in LAUNCH_OPS for op in all_ops(self._function.graph)):
      check_not_compiled("prepared function", location)
    check_usable("prepared function", location, (args, self._captures))
    args = self._flatten(args, kwargs, location)
    # Where the graph took a size as known, nothing else may wait for the check of that size.
    with tf.control_dependencies([_always_run(arg) for arg in args if _is_checked(arg)]):
      return tfi.call_flat(self._function, list(args), self._captures)

  def _call_eagerly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tensors = None
    if len(args) == len(self._dtypes) and not kwargs:
      tensors = self._as_they_are(args)
    if tensors is None:
      tensors = list(self._flatten(args, kwargs, user_location()))
    try:
      return tfi.call_flat(self._function, tensors, self._captures, self._is_ordered)
    except tf.errors.OpError as error:
      raise told_first(error) from None

  def _as_they_are(self, args: tuple[Any, ...]) -> list[tf.Tensor] | None:
    """Returns the arguments as tensors if they are surely of the specs; None where they may be."""
    tensors = []
    specs = zip(self._dtypes, self._array_dtypes, self._sizes, strict=True)
    for value, (dtype, array_dtype, sizes) in zip(args, specs, strict=True):
      is_array = type(value) is np.ndarray
      if is_array:
        has_type = array_dtype is not None and value.dtype == array_dtype
      else:
        has_type = isinstance(value, tf.__internal__.EagerTensor) and value.dtype == dtype
      if not has_type or not _has_sizes(value.shape, sizes):
        return None
      tensors.append(tf.constant(value) if is_array else value)
    return tensors

  def _flatten(
    self, args: tuple[Any, ...], kwargs: dict[str, Any], location: str
  ) -> tuple[tf.Tensor, ...]:
    check_by_position("prepared function", location, kwargs)
    if len(args) != len(self._dtypes):
      raise SignatureError(
        f"prepared function call site ({location}): {num_arguments(len(args))}, expected"
        f" {len(self._dtypes)}: ({self._taken()}). {_FIX}"
      )
    what = f"prepared function call site ({location}): argument"
    return tuple(self._signature.flatten(args, what, _FIX))

  def _taken(self) -> str:
    return ", ".join(f"{spec.dtype.name}{spec.shape}" for spec in self._signature.specs)

  def __repr__(self) -> str:
    """Describes it by what it takes."""
    return f"<prepared function of ({self._taken()})>"


def _check_takes(function: Callable[..., Any], specs: tuple[tf.TensorSpec, ...]) -> None:
  try:
    signature = inspect.signature(function)
  except (TypeError, ValueError):  # Of a function that does not say.
    return
  try:
    signature.bind(*specs)
  except TypeError as error:
    raise SignatureError(
      f"rtf.prepare: {name_of_callable(function)}{signature} does not take"
      f" {num_arguments(len(specs))}: {error}. Give one spec for each argument without a default."
    ) from None


def _trace(traced: Any, specs: tuple[tf.TensorSpec, ...], is_as_given: bool) -> Any:
  try:
    return traced.get_concrete_function(*specs)
  except tf.errors.OperatorNotAllowedInGraphError as error:
    if is_as_given:
      raise
    raise tf.errors.OperatorNotAllowedInGraphError(
      "rtf.prepare traces Python without AutoGraph. Write the `if`, `while` or `for` on a tensor as"
      " tf.cond, tf.while_loop or tf.map_fn; or prepare tf.function(function), which AutoGraph"
      f" converts. TensorFlow says: {error}"
    ) from error


def _is_checked(tensor: tf.Tensor) -> bool:
  is_eager = isinstance(tensor, tf.__internal__.EagerTensor)
  return not is_eager and bool(tensor.op.type == "EnsureShape")


def _always_run(check: tf.Tensor) -> tf.Operation:
  """Has a check run where the graph took the size as known, and so reads nothing else of it.

  TensorFlow leaves out what is computed for nobody, but no Assert.
  """
  return tf.raw_ops.Assert(condition=True, data=[check])


def _array_dtype(dtype: tf.DType) -> np.dtype[np.generic] | None:
  """Returns the type of arrays that are tensors of `dtype` as they are; None if there is none.

  Of other types, such as strings, an array may hold what is no tensor.
  """
  is_number = dtype.is_integer or dtype.is_floating or dtype.is_bool
  return np.dtype(dtype.as_numpy_dtype) if is_number else None


def _has_sizes(
  found: tuple[int, ...] | tf.TensorShape, sizes: tuple[int | None, ...] | None
) -> bool:
  """Tells whether a shape is as a spec says; None where that says nothing."""
  if sizes is None:
    return True
  return len(found) == len(sizes) and all(
    wanted is None or size == wanted for size, wanted in zip(found, sizes, strict=True)
  )
