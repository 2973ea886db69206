"""Tapes, and the variables that they see."""

import contextlib
from collections.abc import Iterator
from typing import Any

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import context, record
from tensorflow.python.framework import (
  dtypes,
  ops,
  tensor_spec,
)
from tensorflow.python.ops import (
  gen_resource_variable_ops,
  handle_data_util,
  resource_variable_ops,
  script_ops,
)

from recursive_tf._tf_internals._graphs import Graph, Operation

# Tells the tapes and graphs around a call which variables it reads.
variable_accessed = resource_variable_ops.variable_accessed


def is_gradient_of_python(op: Operation) -> bool:
  """Tells whether `op` is what TensorFlow gives a `tf.py_function` as its gradient.

  It is a `tf.py_function` itself: only the registered Python function tells them apart.
  """
  if op.type != "EagerPyFunc":
    return False
  function = script_ops._py_funcs.get(op.get_attr("token").decode())  # None if of another process.
  return function is not None and bool(function._is_grad_func)


def watched_variables(graph: Graph) -> list[Any]:
  """Returns the variables that were read while `graph` was built."""
  return list(graph._watched_variables)


def is_recording() -> bool:
  """Tells whether a tape of this thread may record what is computed now.

  No public name says so, and gradients are compared only where somebody may ask for them.
  """
  return record.could_possibly_record()


def records(tape: Any) -> bool:
  """Tells whether a tape records now: it was entered, and is not stopped."""
  return bool(tape._recording)


def stop_recording() -> Any:
  """Returns a context in which no tape of this thread records."""
  return record.stop_recording()


@contextlib.contextmanager
def resume_recording() -> Iterator[None]:
  """Lets the tapes of this thread record inside `stop_recording`.

  A program that is converted has tapes of its own, inside a conversion that hides those around it.
  """
  was_stopped = pywrap_tfe.TFE_Py_TapeSetIsStopped()
  if was_stopped:
    pywrap_tfe.TFE_Py_TapeSetRestartOnThread()
  try:
    yield
  finally:
    if was_stopped:
      pywrap_tfe.TFE_Py_TapeSetStopOnThread()


def anonymous_variable(spec: Any) -> Any:
  """Makes the handle of a variable that each run of the graph has for itself.

  TensorFlow makes a new one for this name, and drops it when the run does.
  """
  return gen_resource_variable_ops.var_handle_op(
    dtype=spec.dtype, shape=spec.shape, shared_name=context.anonymous_name()
  )


def is_plain_variable(value: object) -> bool:
  """Tells whether a value is a variable of one device that hands out what it holds, as it is."""
  return type(value) is resource_variable_ops.ResourceVariable


def spec_of_variable(handle: Any) -> Any:
  """Returns the type and shape of the variable that a tensor is the handle of, or None.

  A concrete function names what it captures by handles only; tables have handles, too, but no
  shapes.
  """
  if handle.dtype != dtypes.resource:
    return None
  is_eager = isinstance(handle, ops.EagerTensor)
  data = handle._handle_data if is_eager else handle_data_util.get_resource_handle_data(handle)
  if data is None or not data.is_set or not data.shape_and_type:
    return None
  found = data.shape_and_type[0]
  return tensor_spec.TensorSpec(found.shape, dtypes.as_dtype(found.dtype))
