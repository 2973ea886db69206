"""Calls with as little Python as can be: one signature, found once."""

from __future__ import annotations

import dataclasses
import inspect
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

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

_EAGER = tf.__internal__.EagerTensor
_FIX = "Give what it was prepared for, or prepare it for this too."


class Objects(Protocol):
  """Objects that are read into tensors, as `pack` of an `@rtf.recursive` function gives them.

  Attributes:
    tensors: what they are.
    type: by which graphs are told apart; as a key, by identity.
  """

  @property
  def tensors(self) -> tuple[tf.Tensor, ...]: ...

  @property
  def type(self) -> TypeOfObjects: ...


class TypeOfObjects(Protocol):
  """What a graph knows of objects.

  Attributes:
    specs: of their tensors.
  """

  @property
  def specs(self) -> tuple[tf.TensorSpec, ...]: ...


def prepare(function: Callable[..., Any], *specs: tf.TensorSpec | Objects) -> Prepared:
  """Makes a graph of `function` for arguments of `specs`, to be called many times.

  A call of a `tf.function` looks for the graph that fits its arguments, and for what the graph
  uses from outside; at one tree a call that takes as long as the tree. Here both were found before:

  ```python
  classify = rtf.prepare(lambda roots: f.map(roots), tf.TensorSpec([None], tf.int32))
  for roots in requests:
    classify(roots)
  ```

  What `pack` of an `@rtf.recursive` function gave stands for all that it gives:

  ```python
  step = rtf.prepare(train_step, encode.pack(trees[:1]), tf.TensorSpec([]))
  for batch in batches:
    step(encode.pack(batch), learning_rate)
  ```

  Where trees are of another kind than those before, for which the recursive function has another
  program, the graph is made anew for them, and kept beside the first.

  Variables are read, and written, at each call, as ever. All else of Python that `function` uses is
  as it was when it was prepared; arguments without a spec have their defaults. Python is traced as
  it is, without AutoGraph: an `if` on a tensor is a `tf.cond`, or `function` a `tf.function`.

  Args:
    function: takes and returns tensors, such as a SubGraph `f`, `f.map`, a model's method, or a
      `tf.function`.
    *specs: the type and shape of each argument; None where a size may differ from call to call. Or
      packed objects, as an example of such.

  Returns:
    A function of tensors, or of what can be made tensors of these specs, by position. It may be
    called in other graphs, under tapes, and from several threads.

  Raises:
    SignatureError: If `function` is none, or takes other arguments, or a spec is no
      `tf.TensorSpec` and nothing packed.
    tf.errors.OperatorNotAllowedInGraphError: If it uses a tensor as Python's numbers.
  """
  if not callable(function):
    raise SignatureError(
      f"rtf.prepare: {function!r} is no function. Give a SubGraph, a function of tensors or a"
      " method, then the specs."
    )
  for spec in specs:
    if not isinstance(spec, tf.TensorSpec) and not _is_packed(spec):
      raise SignatureError(f"rtf.prepare: {spec!r} is no tf.TensorSpec. {_FIX}")
  _check_takes(function, specs)
  return Prepared(function, specs)


@dataclasses.dataclass(frozen=True)
class _Graph:
  """A graph of a prepared function, for objects of certain types where it takes any.

  Attributes:
    function: the concrete function.
    captures: what it uses from outside.
    is_ordered: whether it runs in order on the thread that calls it.
    signature: of its tensors, those of objects in the objects' place.
    checks: the type, the type of arrays, and the sizes (None where unknown) of each tensor.
    positions: of the argument that each tensor is or is part of.
  """

  function: Any
  captures: list[Any]
  is_ordered: bool
  signature: Signature
  checks: tuple[tuple[tf.DType, np.dtype[np.generic] | None, tuple[int | None, ...] | None], ...]
  positions: tuple[int, ...]


class Prepared(NotCopied):
  """A function whose graph is made; what `prepare` returns."""

  def __init__(self, function: Callable[..., Any], specs: tuple[tf.TensorSpec | Objects, ...]):
    """Traces the function. Use `prepare`."""
    traced: Any = function
    if not hasattr(function, "get_concrete_function"):
      traced = tf.function(function, autograph=False)
    self._traced = traced  # Kept: the graph's own references to variables are weak.
    self._is_as_given = traced is function
    self._num_arguments = len(specs)
    # None where objects are.
    self._specs = [spec if isinstance(spec, tf.TensorSpec) else None for spec in specs]
    self._packed = tuple(i for i, spec in enumerate(self._specs) if spec is None)
    self._lock = threading.Lock()
    self._graph = self._make(specs)
    # By the types of the objects; of graphs of tensors alone there is one.
    self._graphs = {tuple(specs[i].type for i in self._packed): self._graph}

  def _make(self, args: Sequence[Any]) -> _Graph:
    """Makes the graph for arguments, specs or packed objects."""
    flat: list[tf.TensorSpec] = []
    positions: list[int] = []
    for position, arg in enumerate(args):
      specs = arg.type.specs if position in self._packed else [arg]
      flat += specs
      positions += [position] * len(specs)
    function = _trace(self._traced, args, self._is_as_given)
    signature = Signature.of(tuple(flat))
    checks = tuple((s.dtype, _array_dtype(s.dtype), _sizes_of(s.shape)) for s in signature.specs)
    captures, is_ordered = function.captured_inputs, may_run_in_order(function.graph)
    return _Graph(function, captures, is_ordered, signature, checks, tuple(positions))

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
    graph, values = self._graph_for(args, kwargs)
    if any(op.type in LAUNCH_OPS for op in all_ops(graph.function.graph)):
      check_not_compiled("prepared function", location)
    check_usable("prepared function", location, (values, graph.captures))
    tensors = self._flatten(graph, values, location)
    # Where the graph took a size as known, nothing else may wait for the check of that size.
    with tf.control_dependencies([_always_run(one) for one in tensors if _is_checked(one)]):
      return tfi.call_flat(graph.function, tensors, graph.captures)

  def _call_eagerly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    graph, values = self._graph_for(args, kwargs)
    tensors = _as_they_are(graph, values)
    if tensors is None:
      tensors = self._flatten(graph, values, user_location())
    try:
      return tfi.call_flat(graph.function, tensors, graph.captures, graph.is_ordered)
    except tf.errors.OpError as error:
      raise told_first(error) from None

  def _graph_for(
    self, args: tuple[Any, ...], kwargs: dict[str, Any]
  ) -> tuple[_Graph, Sequence[Any]]:
    """Returns the graph for arguments, and these with the tensors of objects in their place."""
    if kwargs:
      check_by_position("prepared function", user_location(), kwargs)
    if len(args) != self._num_arguments:
      raise SignatureError(
        f"prepared function call site ({user_location()}): {num_arguments(len(args))}, expected"
        f" {self._num_arguments}: ({self._taken()}). {_FIX}"
      )
    if not self._packed:
      return self._graph, args
    types: list[TypeOfObjects] = []
    values: list[Any] = []
    for position, (value, spec) in enumerate(zip(args, self._specs, strict=True)):
      if _is_packed(value) != (spec is None):
        fix = "Pass what `pack` returns." if spec is None else _FIX
        raise SignatureError(
          f"prepared function call site ({user_location()}): argument {position} is of"
          f" type {type(value).__name__}, expected {_describe(spec)}. {fix}"
        )
      if spec is not None:
        values.append(value)
        continue
      types.append(value.type)
      values += value.tensors
    return self._graphs.get(tuple(types)) or self._make_other(tuple(types), args), values

  def _make_other(self, types: tuple[TypeOfObjects, ...], args: tuple[Any, ...]) -> _Graph:
    """Makes the graph for objects of other types."""
    with self._lock:
      graph = self._graphs.get(types)
      if graph is None:
        given = zip(args, self._specs, strict=True)
        graph = self._make([arg if spec is None else spec for arg, spec in given])
        self._graphs[types] = graph
    return graph

  def _flatten(self, graph: _Graph, values: Sequence[Any], location: str) -> list[tf.Tensor]:
    what = f"prepared function call site ({location}): argument"
    return graph.signature.flatten(tuple(values), what, _FIX, positions=graph.positions)

  def _taken(self) -> str:
    return ", ".join(_describe(spec) for spec in self._specs)

  def __repr__(self) -> str:
    """Describes it by what it takes."""
    return f"<prepared function of ({self._taken()})>"


def _describe(spec: tf.TensorSpec | None) -> str:
  return "packed objects" if spec is None else f"{spec.dtype.name}{spec.shape}"


def _is_packed(value: Any) -> bool:
  """Tells whether a value is objects read into tensors."""
  return isinstance(getattr(value, "type", None), tf.types.experimental.TraceType)


def _as_they_are(graph: _Graph, values: Sequence[Any]) -> list[tf.Tensor] | None:
  """Returns values as tensors if they are surely what a graph takes; None where they may be."""
  tensors = []
  for value, (dtype, array_dtype, sizes) in zip(values, graph.checks, strict=True):
    if isinstance(value, _EAGER):
      found, number = tfi.glance_of(value)
      has_type = number == dtype.as_datatype_enum
    elif type(value) is np.ndarray:
      found, has_type = value.shape, array_dtype is not None and value.dtype == array_dtype
    else:
      return None
    if not has_type or not _has_sizes(found, sizes):
      return None
    tensors.append(value if isinstance(value, _EAGER) else tf.constant(value))
  return tensors


def _check_takes(function: Callable[..., Any], specs: tuple[tf.TensorSpec | Objects, ...]) -> None:
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


def _trace(traced: Any, args: Sequence[tf.TensorSpec | Objects], is_as_given: bool) -> Any:
  try:
    return traced.get_concrete_function(*args)
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


def _sizes_of(shape: tf.TensorShape) -> tuple[int | None, ...] | None:
  return None if shape.rank is None else tuple(shape.as_list())


def _has_sizes(found: tuple[int, ...], sizes: tuple[int | None, ...] | None) -> bool:
  """Tells whether a shape is as a spec says; None where that says nothing."""
  if sizes is None:
    return True
  return len(found) == len(sizes) and all(
    wanted is None or size == wanted for size, wanted in zip(found, sizes, strict=True)
  )
