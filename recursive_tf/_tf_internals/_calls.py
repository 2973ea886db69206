"""Calls of functions and tensors of Python's numbers, without what TensorFlow does beside."""

import itertools
import threading
from typing import Any

import numpy as np
from tensorflow.core.protobuf import config_pb2
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow.python.eager import cancellation, context, execute, record
from tensorflow.python.eager.polymorphic_function import atomic_function, concrete_function
from tensorflow.python.framework import (
  constant_op,
  errors_impl,
  ops,
)
from tensorflow.python.ops import (
  gradients_util,
)

from recursive_tf._graph_lock import graph_lock
from recursive_tf._tf_internals._tapes import variable_accessed

# The executor of kernels/runtime/ordered_executor.cc.
_ORDERED = "RECURSIVE_TF_ORDERED"


def call_flat(function: Any, args: list[Any], captures: list[Any], is_ordered: bool = False) -> Any:
  """Calls a concrete function on tensors, without binding them to parameters, which takes longer.

  Any number of threads may call one function for the first time, under tapes or not; TensorFlow's
  own concrete functions make their gradient without a lock.

  Args:
    function: a concrete function.
    args: its arguments, flat.
    captures: what it captures.
    is_ordered: whether its ops are to run one after the other on this thread, where the call only
      has to run and the user has asked for no other executor.
  """
  ctx = context.context()
  if _is_only_run(ctx):
    options = _options(ctx)
    attrs = options.ordered_attrs if is_ordered else options.attrs
    found = _execute(ctx, function, args + captures, attrs)
    if found is not None:
      return function.function_type.pack_output(found)
  return _call_by_tensorflow(function, args, captures)


def _call_by_tensorflow(function: Any, args: list[Any], captures: list[Any]) -> Any:
  if record.could_possibly_record() and context.executing_eagerly():
    _make_gradient(function, args + captures)
  return function._call_flat(args, captures)


def sizes_of(tensor: Any) -> tuple[int, ...]:
  """Returns the shape of an eager tensor; ten times as fast as the first `tensor.shape`."""
  sizes: tuple[int, ...] = tensor._shape_tuple()
  return sizes


def fixed_captures(function: Any) -> list[Any] | None:
  """Returns what a concrete function captures; None if that may be another in each call."""
  # To ask for `captured_inputs` takes a flattening of all of them in each call.
  if any(map(callable, function._captured_inputs)):
    return None
  return list(function.captured_inputs)


def glance_of(tensor: Any) -> tuple[tuple[int, ...], int]:
  """Returns the shape of an eager tensor and the number of its type, which `dtype` looks up."""
  return tensor._shape_tuple(), tensor._datatype_enum()


def scalar(value: float, dtype: Any) -> Any:
  """Returns a Python number as an eager tensor; a tenth of what `tf.constant` takes.

  Raises:
    ValueError: If it is an int that the type does not hold; of 32 bits, this is not checked.
  """
  ctx = context.context()
  ctx.ensure_initialized()
  if value or dtype.is_integer:
    return ops.EagerTensor(value, ctx.device_name, dtype.as_datatype_enum)
  # TensorFlow keeps tensors of Python's numbers by value, and 0.0 equals -0.0.
  return ops.EagerTensor(np.asarray(value, dtype.as_numpy_dtype), None, None)


def tensor_of(array: Any) -> Any:
  """Returns an array of numbers that nobody else will write as a tensor, eager if that may be.

  A fifth of what `tf.constant` takes, which copies it first, and asks for a copy on the device
  where the call is: who is given the tensor asks for that where it is another one.
  """
  ctx = context.context()
  if not ctx.executing_eagerly():
    return constant_op.constant(array)
  ctx.ensure_initialized()
  return ops.EagerTensor(array, None, None)


class _Options(threading.local):
  """What calls of this thread ask of TensorFlow, made anew where its options are others."""

  given: Any = None
  executor_type: str | None = None  # `tf.experimental.function_executor_type` changes it in place.
  exact: Any = None
  attrs: tuple[Any, ...] = ()
  ordered_attrs: tuple[Any, ...] = ()
  exact_attrs: tuple[Any, ...] = ()
  exact_ordered_attrs: tuple[Any, ...] = ()


_OPTIONS = _Options()
# What TensorFlow optimizes graphs by on CPUs, in its order, but for the arithmetic. To switch that
# off is not enough: equal ops (each constant is one) are then no longer merged.
_OPTIMIZERS = (
  "pruning function common_subgraph_elimination constfold shape remap loop dependency".split()
)


def call_exactly(
  function: Any, args: list[Any], captures: list[Any], is_ordered: bool = False
) -> Any:
  """Calls a function of a list of results, and has TensorFlow keep the arithmetic of the graph.

  The arithmetic optimizer of TensorFlow 2.21 makes `tf.stack([c, c])` of a later result of an op
  (`a, b, c = tf.unstack(x)`, or anything in a branch) a copy of the first: other numbers, or none.
  Each call has to ask: how a graph is optimized is part of what it is known by. `is_ordered` is as
  in `call_flat`.
  """
  ctx = context.context()
  options = _options(ctx)
  if _is_only_run(ctx):
    attrs = options.exact_ordered_attrs if is_ordered else options.exact_attrs
    found = _execute(ctx, function, args + captures, attrs)
    if found is not None:
      return found
  given = ctx.function_call_options
  ctx.function_call_options = options.exact
  try:
    return _call_by_tensorflow(function, args, captures)
  finally:
    ctx.function_call_options = given


def _options(ctx: Any) -> _Options:
  given = ctx.function_call_options
  if given is not _OPTIONS.given or given.executor_type != _OPTIONS.executor_type:
    ordered_type = given.executor_type or _ORDERED
    settings = None  # Graphs are not optimized.
    if given.config_proto_serialized is not None:
      settings = config_pb2.ConfigProto.FromString(given.config_proto_serialized)
    _OPTIONS.attrs = _attrs(given)
    _OPTIONS.ordered_attrs = _attrs(context.FunctionCallOptions(ordered_type, settings))
    if settings is not None:
      options = settings.graph_options.rewrite_options
      if options.ByteSize():  # The user's own.
        options.arithmetic_optimization = RewriterConfig.OFF
      else:
        options.optimizers[:] = _OPTIMIZERS
    _OPTIONS.exact = context.FunctionCallOptions(given.executor_type, settings)
    _OPTIONS.exact_attrs = _attrs(_OPTIONS.exact)
    _OPTIONS.exact_ordered_attrs = _attrs(context.FunctionCallOptions(ordered_type, settings))
    _OPTIONS.given, _OPTIONS.executor_type = given, given.executor_type
  return _OPTIONS


def _attrs(options: Any) -> tuple[Any, ...]:
  return tuple(itertools.chain(*options.as_attrs().items()))


def _is_only_run(ctx: Any) -> bool:
  """Tells whether a call only has to run: no tape records, no graph is made, none can cancel it."""
  return (
    not record.could_possibly_record()
    and ctx.executing_eagerly()
    and cancellation.context() is None
    and not ops.get_default_graph().building_function  # Else it notes variables, in init_scope.
  )


def _execute(
  ctx: Any, function: Any, inputs: list[Any], attrs: tuple[Any, ...]
) -> list[Any] | None:
  """Runs a concrete function; None if TensorFlow's call does what matters beside that.

  It describes handles in the results, and functions that were loaded have a call of their own.
  What `_call_flat` does beside it is for tapes and graphs; for a small function that takes a third
  of the call.
  """
  known = function.__dict__.get("_recursive_tf_run")
  if known is None:
    run = function._inference_function
    specs = run.function_type.flat_outputs
    is_run = (
      type(function)._call_flat is concrete_function.ConcreteFunction._call_flat
      and not run._call_options.control_captures
      and not any(spec.dtype._handle_data for spec in specs)
    )
    known = run.name.decode(), len(specs), is_run
    function.__dict__["_recursive_tf_run"] = known
  name, num_outputs, is_run = known
  if not is_run:
    return None
  try:
    return execute.execute(name, num_outputs, inputs, attrs, ctx) or []
  except errors_impl.OpError:
    # Says where in the user's code the op was made.
    with atomic_function.InterpolateRuntimeError(function._inference_function):
      raise


def _make_gradient(function: Any, inputs: list[Any]) -> None:
  """Makes what a call under the tapes that watch needs beside the graph, unless it is there."""
  for variable in function.graph.variables:  # The tape watches those that it has seen.
    variable_accessed(variable)
  kind = gradients_util.PossibleTapeGradientTypes(inputs)
  made = function.__dict__.setdefault("_recursive_tf_gradients", set())
  if kind == gradients_util.POSSIBLE_GRADIENT_TYPES_NONE or kind in made:
    return
  with graph_lock:
    function._select_forward_and_backward_functions(inputs, kind, True).forward()
    made.add(kind)
