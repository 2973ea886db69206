"""Calls with as little Python as can be: one signature, found once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import SignatureError
from recursive_tf.subgraph._signature import Signature, user_location

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
  as it was when it was prepared.

  Args:
    function: takes and returns tensors, such as a SubGraph `f`, `f.map`, a model's method, or a
      `tf.function`.
    *specs: the type and shape of each argument; None where a size may differ from call to call.

  Returns:
    A function of tensors, or of what can be made tensors of these specs. It may be called in other
    graphs, under tapes, and from several threads.

  Raises:
    SignatureError: If a spec is no `tf.TensorSpec`.
  """
  for spec in specs:
    if not isinstance(spec, tf.TensorSpec):
      raise SignatureError(f"rtf.prepare: {spec!r} is no tf.TensorSpec. {_FIX}")
  return Prepared(function, specs)


class Prepared:
  """A function whose graph is made; what `prepare` returns."""

  def __init__(self, function: Callable[..., Any], specs: tuple[tf.TensorSpec, ...]):
    """Traces the function. Use `prepare`."""
    traced: Any = function
    if not hasattr(function, "get_concrete_function"):
      traced = tf.function(function, autograph=False)
    self._traced = traced  # Kept: the graph's own references to variables are weak.
    self._function = traced.get_concrete_function(*specs)
    self._captures = self._function.captured_inputs
    self._signature = Signature.of(specs)
    self._dtypes = tuple(self._signature.dtypes)
    self._sizes = tuple(
      None if shape.rank is None else tuple(shape.as_list()) for shape in self._signature.shapes
    )

  def __call__(self, *args: Any) -> Any:
    """Runs the graph.

    Args:
      *args: one for each spec.

    Returns:
      What the function returns.

    Raises:
      SignatureError: If there are more or fewer arguments, or one is of another type or shape. In a
        graph that does not know a shape its run fails, with `tf.errors.InvalidArgumentError`.
    """
    if len(args) != len(self._dtypes) or not all(map(_fits, args, self._dtypes, self._sizes)):
      what = "prepared function"
      if not tf.executing_eagerly():  # Its run may fail, far from here.
        what += f" call site ({user_location()})"
      args = tuple(self._signature.flatten(args, f"{what}: argument", _FIX))
    if tf.executing_eagerly():
      return tfi.call_flat(self._function, list(args), self._captures)
    with tf.control_dependencies([_always_run(arg) for arg in args if _is_checked(arg)]):
      return tfi.call_flat(self._function, list(args), self._captures)

  def __repr__(self) -> str:
    """Describes it by what it takes."""
    taken = ", ".join(f"{spec.dtype.name}{spec.shape}" for spec in self._signature.specs)
    return f"<prepared function of ({taken})>"


def _is_checked(tensor: tf.Tensor) -> bool:
  is_eager = isinstance(tensor, tf.__internal__.EagerTensor)
  return not is_eager and bool(tensor.op.type == "EnsureShape")


def _always_run(check: tf.Tensor) -> tf.Operation:
  """Has a check run where the graph took the size as known, and so reads nothing else of it.

  TensorFlow leaves out what is computed for nobody, but no Assert.
  """
  return tf.raw_ops.Assert(condition=True, data=[check])


def _fits(value: Any, dtype: tf.DType, sizes: tuple[int | None, ...] | None) -> bool:
  """Tells whether a value is surely a tensor of that type and shape; False where it may be."""
  if not isinstance(value, tf.__internal__.EagerTensor) or value.dtype != dtype:
    return False
  if sizes is None:
    return True
  found = value.shape
  return len(found) == len(sizes) and all(
    wanted is None or size == wanted for size, wanted in zip(found, sizes, strict=True)
  )
