"""Graphs that are made by ourselves, op by op, with less around each op than TensorFlow has.

A conversion makes some hundred ops, most of them in graphs that are thrown away. TensorFlow takes
0.4 ms for one of them, most of it in Python, for what is not there: devices, kernel labels, groups
of control flow, a stack of Python for each op. So these graphs look for that once, and make the op
by the same calls of the C API as TensorFlow does, in the same order. Where any of it is there, they
leave the op to TensorFlow.
"""

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.client import pywrap_tf_session as c_api
from tensorflow.python.eager import context
from tensorflow.python.framework import (
  auto_control_deps,
  constant_op,
  errors,
  func_graph,
  op_callbacks,
  op_def_registry,
  ops,
  tensor_shape,
  tensor_util,
)
from tensorflow.python.framework.dtypes import as_dtype, resource, string, variant
from tensorflow.python.ops import control_flow_util_v2
from tensorflow.python.ops import while_loop as while_loop_lib
from tensorflow.python.util import tf_stack

_MOST_BYTES = 64  # Of a constant that is looked for among those that a graph has.
_STACK = "_recursive_tf_stack"
_WITH_HANDLES = (resource, variant)  # What is behind them is known, too.
# What of a graph's own state has TensorFlow do more for each op than `_make` does.
_MORE_STATE = (
  "_attr_scope_map",
  "_op_to_kernel_label_map",
  "_gradient_function_map",
  "_gradient_override_map",
  "_container",
  "_default_original_op",
  "_finalized",
  "capture_by_value",
)


class _MadeByUs:
  """A FuncGraph whose ops cost less.

  It is not entered again where it is entered already. TensorFlow does so for each op that it makes,
  to find there what it has put there: a tenth of the time that making an op takes.
  """

  def as_default(self) -> Any:
    """Returns a context in which this is the default graph."""
    stack = ops._default_graph_stack.stack
    if stack and stack[-1] is self and not context.executing_eagerly():
      return contextlib.nullcontext(self)
    return super().as_default()  # type: ignore[misc]

  def _create_op_internal(self, op_type: str, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns a new op, or one that is there where it is a constant and the same.

    Not of floats: a gradient with respect to one constant is none with respect to its like.
    """
    value = (kwargs.get("attrs") or {}).get("value") if op_type == "Const" else None
    if value is None or (known := self.shared_constants()) is None:
      return self._make(op_type, inputs, *args, **kwargs)
    dtype = as_dtype(value.tensor.dtype)
    is_shared = dtype.is_integer or dtype.is_bool or dtype == string
    if not is_shared or value.ByteSize() > _MOST_BYTES:
      return self._make(op_type, inputs, *args, **kwargs)
    key = value.SerializeToString()
    if key not in known:
      known[key] = self._make(op_type, inputs, *args, **kwargs)
    return known[key]

  def shared_constants(self) -> dict[object, Any] | None:
    """Returns the constants that all of a graph may use; None where ops are made for a part."""
    if self._control_dependencies_stack or self._get_control_flow_context():  # type: ignore[attr-defined]
      return None
    found: dict[object, Any] = self.__dict__.setdefault("_recursive_tf_constants", {})
    return found

  def _make(
    self,
    op_type: str,
    inputs: Any,
    dtypes: Any = None,
    input_types: Any = None,
    name: str | None = None,
    attrs: Any = None,
    op_def: Any = None,
    compute_device: bool = True,
  ) -> Any:
    """Makes an op as `FuncGraph` does."""
    graph: Any = self
    make_slowly = super()._create_op_internal  # type: ignore[misc]
    given = op_type, inputs, dtypes, input_types, name, attrs, op_def, compute_device
    name = name or op_type
    is_whole = name.endswith("/")  # A scope's name, which is used as it is.
    name = name[:-1] if is_whole else name
    if not self._is_plain(op_type) or not ops._VALID_OP_NAME_REGEX.match(name):
      return make_slowly(*given)
    taken = [
      tensor
      if isinstance(tensor, ops.SymbolicTensor) and tensor.graph is self
      else graph.capture(tensor)
      for tensor in inputs
    ]
    if any(t.dtype is not dtype for t, dtype in zip(taken, input_types or (), strict=False)):
      return make_slowly(*given)
    name = name if is_whole else graph.unique_name(name)
    controllers = graph._control_dependencies_stack
    before = graph._control_dependencies_for_inputs({t.op for t in taken}) if controllers else []
    c_op = _new_c_op(graph, op_type, name, taken, before, attrs or {})
    c_api.TF_SetOpStackTrace(c_op, self._stack())
    op = ops.Operation(c_op, ops.SymbolicTensor)
    op._init(graph)
    for controller in controllers:
      controller.add_op(op)
    return op

  def capture(self, tensor: Any, name: str | None = None, shape: Any = None) -> Any:
    """Returns what stands for a tensor inside, as `FuncGraph` does."""
    graph: Any = self
    if not isinstance(tensor, ops.SymbolicTensor):
      return super().capture(tensor, name, shape)  # type: ignore[misc]
    if tensor.graph is self:
      return tensor
    captures = graph._function_captures
    known = captures._by_val_internal.get(id(tensor))
    if known is None:
      if tensor.dtype in _WITH_HANDLES:
        return super().capture(tensor, name, shape)  # type: ignore[misc]
      graph._validate_in_scope(tensor)
      known = self.stand_in(tensor, name or tensor.op.name)
      # TensorFlow makes this description of the tensor twice, and finds out how each time.
      captures.add_or_replace(id(tensor), tensor, known, tensor.__tf_tracing_type__(None))
      graph.inputs.append(known)
    known._record_tape(tensor)
    return known

  def stand_in(self, tensor: Any, name: str) -> Any:
    """Returns a new placeholder for a tensor of a graph around."""
    graph: Any = self
    attrs = _attrs_of_placeholder(tensor.dtype, tensor.shape)
    attrs["_user_specified_name"] = attr_value_pb2.AttrValue(s=name.encode())
    if not graph._control_dependencies_stack:
      return self._make("Placeholder", [], name=name, attrs=attrs).outputs[0]
    with graph.control_dependencies(None):
      return self._make("Placeholder", [], name=name, attrs=attrs).outputs[0]

  def _is_plain(self, op_type: str) -> bool:
    """Tells whether an op needs nothing that only TensorFlow does."""
    graph: Any = self
    if op_type == "Enter" or any(getattr(graph, name) for name in _MORE_STATE):
      return False
    if op_def_registry.get(op_type) is None:  # A function's name.
      return False
    stacks = graph._device_function_stack, graph._colocation_stack
    is_placed = any(next(stack.peek_objs(), None) is not None for stack in stacks)
    return not is_placed and graph._get_control_flow_context() is None

  def _stack(self) -> Any:
    """Returns the Python stack that a new op of this graph shows."""
    return _shared_stack(self) or tf_stack.extract_stack(stacklevel=3)


def _shared_stack(graph: Any) -> Any:
  """Returns the Python stack that all ops of a graph show; None if each has its own."""
  while graph is not None and not hasattr(graph, _STACK):
    graph = getattr(graph, "outer_graph", None)
  return getattr(graph, _STACK, None)


class ControlDependencies(auto_control_deps.AutomaticControlDependencies):
  """Program order for side effects inside a body or a branch, as tf.function gives it.

  Where no op has any, there is nothing to order; TensorFlow asks each op for the resources that it
  uses, a tenth of the time of a program with many branches.
  """

  def __exit__(self, *error: Any) -> None:
    """Orders the ops."""
    graph = self._graph
    is_here = graph is ops.get_default_graph() and not context.executing_eagerly()
    if not is_here or self._independent_ops or self.ops_which_must_run or self._has_effects():
      super().__exit__(*(error or (None, None, None)))
      return
    outer = getattr(graph, "outer_graph", None)
    graph._add_control_dependencies = outer is not None and outer._add_control_dependencies
    graph.experimental_acd_manager = None
    self.collective_manager_ids_used: dict[int, Any] = {}

  def _has_effects(self) -> bool:
    all_ops = self._graph.get_operations()
    if any(t.dtype == resource for op in all_ops for t in op.outputs):
      return True
    types = {op.type for op in all_ops[self._n_operations :]}
    known = [op_def_registry.get(op_type) for op_type in types]
    return bool(types & _ORDERED) or any(one is None or one.is_stateful for one in known)


# What TensorFlow orders though it has no state.
_ORDERED = {"Merge", "Switch", "NoOp"}


def share_stack(graph: Any) -> None:
  """Has the ops that a graph, and graphs of ours inside, get from now on show one Python stack.

  Where no line of the user's makes an op, all of them show the same one, that of the call; taking
  it for each op is a twelfth of a conversion's time.
  """
  setattr(graph, _STACK, tf_stack.extract_stack())


class OwnGraph(_MadeByUs, func_graph.FuncGraph):
  """A FuncGraph that is made by ourselves, op by op."""


class BranchGraph(_MadeByUs, control_flow_util_v2.CondBranchFuncGraph):
  """A branch of a conditional."""


class _LoopTest(_MadeByUs, control_flow_util_v2.WhileCondFuncGraph):
  """The test of a loop."""


class _LoopBody(_MadeByUs, control_flow_util_v2.WhileBodyFuncGraph):
  """The body of a loop."""


_OF_LOOPS = {
  control_flow_util_v2.WhileCondFuncGraph: _LoopTest,
  control_flow_util_v2.WhileBodyFuncGraph: _LoopBody,
}


def while_loop(
  test: Callable[..., Any], body: Callable[..., Any], *args: Any, **options: Any
) -> Any:
  """Does as `tf.while_loop`; what the two functions make is made by ourselves, op by op."""
  return while_loop_lib.while_loop_v2(_by_us(test), _by_us(body), *args, **options)


def _by_us(function: Callable[..., Any]) -> Callable[..., Any]:
  def made(*args: Any) -> Any:
    graph = ops.get_default_graph()
    ours = _OF_LOOPS.get(type(graph))
    if ours is not None:  # TensorFlow makes the graph, and lets nobody choose its class.
      graph.__class__ = ours
    return function(*args)

  return made


@functools.cache
def _sequences_of(op_type: str) -> tuple[tuple[str, str] | None, ...] | None:
  """Returns, for each input of an op that is a list, the attributes that say how long it is.

  None where no input is one.
  """
  op_def = op_def_registry.get(op_type)
  assert op_def is not None  # Else there would be no op.
  found = tuple(
    (arg.number_attr, arg.type_list_attr) if arg.number_attr or arg.type_list_attr else None
    for arg in op_def.input_arg
  )
  return found if any(found) else None


def _new_c_op(
  graph: Any, op_type: str, name: str, inputs: list[Any], before: list[Any], attrs: dict[str, Any]
) -> Any:
  """Adds an op to what is behind a graph in C.

  Args:
    graph: the graph.
    op_type: the op's type.
    name: its name, which no other op has.
    inputs: tensors of the graph.
    before: ops that have to run before it.
    attrs: its attributes, as protocol buffers.
  """
  with graph._c_graph.get() as c_graph:
    description = c_api.TF_NewOperation(c_graph, op_type, name)
  sequences = _sequences_of(op_type)
  if sequences is None:
    for tensor in inputs:
      c_api.TF_AddInput(description, tensor._as_tf_output())
  else:
    _add_sequences(description, sequences, [t._as_tf_output() for t in inputs], attrs)
  for op in before:
    c_api.TF_AddControlInput(description, op._c_op)
  for key, value in attrs.items():
    c_api.TF_SetAttrValueProto(description, key, value.SerializeToString())
  try:
    return c_api.TF_FinishOperation(description)
  except errors.InvalidArgumentError as error:
    raise ValueError(error.message) from None  # As TensorFlow has it.


def _add_sequences(
  description: Any,
  sequences: tuple[tuple[str, str] | None, ...],
  inputs: list[Any],
  attrs: dict[str, Any],
) -> None:
  begin = 0
  for lengths in sequences:
    if lengths is None:
      c_api.TF_AddInput(description, inputs[begin])
      begin += 1
      continue
    number, types = lengths
    size = attrs[number].i if number else len(attrs[types].list.type)
    c_api.TF_AddInputList(description, inputs[begin : begin + size])
    begin += size


def constant(value: float, dtype: Any) -> Any:
  """Returns a Python number as a tensor: of a graph of our own always the same one.

  A third of the ops of a converted function would be constants, mostly 0, 1 and -1.
  """
  array = np.array(value, dtype.as_numpy_dtype)  # Eager TensorFlow takes -0.0 for 0.0.
  graph = ops.get_default_graph()
  is_own = isinstance(graph, _MadeByUs) and not context.executing_eagerly()
  known = graph.shared_constants() if is_own else None
  if known is None or op_callbacks.should_invoke_op_callbacks():
    return constant_op.constant(array)
  key = dtype, array.tobytes()
  if key not in known:
    known[key] = graph._create_op_internal("Const", [], attrs=_attrs_of_constant(*key)).outputs[0]
  return known[key]


@functools.lru_cache(maxsize=256)
def _attrs_of_constant(dtype: Any, content: bytes) -> dict[str, Any]:
  """Returns the attributes of a constant without axes; nobody may change them."""
  value = np.frombuffer(content, dtype.as_numpy_dtype).reshape(())
  number = dtype.as_datatype_enum
  return {
    "value": attr_value_pb2.AttrValue(tensor=tensor_util.make_tensor_proto(value)),
    "dtype": attr_value_pb2.AttrValue(type=number),
  }


def placeholder(dtype: Any, shape: Any, name: str) -> Any:
  """Returns a placeholder of the current graph, which is one of ours, as `tf.compat.v1` makes it.

  Args:
    dtype: its type.
    shape: its shape.
    name: its name, if nobody else has it.
  """
  attrs = _attrs_of_placeholder(as_dtype(dtype), tensor_shape.as_shape(shape))
  graph = ops.get_default_graph()
  return graph._create_op_internal("Placeholder", [], attrs=attrs, name=name).outputs[0]


def _attrs_of_placeholder(dtype: Any, shape: Any) -> dict[str, Any]:
  return {
    "dtype": attr_value_pb2.AttrValue(type=dtype.as_datatype_enum),
    "shape": attr_value_pb2.AttrValue(shape=shape.as_proto()),
  }


def ensured(tensor: Any, shape: Any) -> Any:
  """Returns an int tensor of a graph of ours, checked to have a shape, as `tf.ensure_shape` does.

  Args:
    tensor: a tensor without a gradient.
    shape: the shape.
  """
  attrs = {
    "T": attr_value_pb2.AttrValue(type=tensor.dtype.as_datatype_enum),
    "shape": attr_value_pb2.AttrValue(shape=tensor_shape.as_shape(shape).as_proto()),
  }
  graph = ops.get_default_graph()
  return graph._create_op_internal("EnsureShape", [tensor], attrs=attrs).outputs[0]
