"""Graphs, their ops and their functions, as TensorFlow makes and differentiates them."""

import contextlib
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tensorflow.core.framework import attr_value_pb2
from tensorflow.python.eager import backprop_util, context, execute
from tensorflow.python.eager.polymorphic_function import atomic_function, concrete_function
from tensorflow.python.framework import (
  auto_control_deps_utils,
  dtypes,
  func_graph,
  function_def_to_graph,
  op_def_registry,
  ops,
  tensor_shape,
)
from tensorflow.python.ops import (
  cond_v2,
  control_flow_util,
  control_flow_util_v2,
  gradients_util,
  handle_data_util,
  variable_scope,
)
from tensorflow.python.ops.parallel_for import pfor as pfor_lib
from tensorflow.python.util import nest, tf_stack

from recursive_tf._tf_internals._own_graphs import BranchGraph, ControlDependencies

# Types for annotations only: TensorFlow ships none, and Operation may be an eager tape's stand-in.
Graph = Any
Operation = Any
Function = Any
# A body is a FuncGraph: captures of outer tensors and nested control flow then work by themselves.
FuncGraph = func_graph.FuncGraph
# Turns a FuncGraph into a runtime function without the calling machinery of tf.function.
from_func_graph = atomic_function.from_func_graph
# Rebuilds a graph from a function that a SavedModel brought along.
function_def_to_func_graph = function_def_to_graph.function_def_to_graph
# Differentiates a body's graph into another graph, as tf.function's backward pass does.
gradients = gradients_util._GradientsHelper
# Residuals of the branch not taken as dummy tensors instead of Optionals: two ops less for each,
# and a seventh of the memory for small ones. A switch of the whole process, but whatever another
# thread traces meanwhile means the same either way.
# A dummy's unknown sizes are said to be 0, for XLA; they stay unknown elsewhere, or else a residual
# of another size does not fit a loop that collects it.
plain_residuals = context.temporarily_disable_optionals_in_gradients
_sizes_for_xla = cond_v2._convert_dynamic_dimension_to_zero


def _sizes_of_dummy(shape: Any) -> Any:
  return _sizes_for_xla(shape) if is_compiled_by_xla() else shape


cond_v2._convert_dynamic_dimension_to_zero = _sizes_of_dummy
# Which types carry gradients; frames (variants) must count among them.
is_trainable = backprop_util.IsTrainable
# The code object by which a running `tf.cond` is recognised on the Python stack.
cond_code = cond_v2.cond_v2.__code__
# Shapes and types behind a resource handle.
copy_handle_data = handle_data_util.copy_handle_data
get_handle_data = handle_data_util.get_resource_handle_data
# Resource inputs that a body only reads need no ordering among calls.
read_only_resource_inputs = auto_control_deps_utils.get_read_only_resource_input_indices_graph
READ_ONLY_RESOURCE_INPUTS = auto_control_deps_utils.READ_ONLY_RESOURCE_INPUTS_ATTR
note_read_only_op = auto_control_deps_utils.register_read_only_resource_op
# How the graph begins its name in which the backward pass of a tf.function is made.
BACKWARD_FUNCTION = concrete_function._BACKWARD_PREFIX
# The ops with graphs inside, which nested_graphs knows.
CONDITIONALS = ("If", "StatelessIf", "Case", "StatelessCase")
LOOPS = ("While", "StatelessWhile")
FUNCTION_CALLS = ("PartitionedCall", "StatefulPartitionedCall")
# The registered gradient of an op, None if it has none.
get_gradient_function = ops.get_gradient_function
# The Python stack with lines that AutoGraph generated mapped to those they came from.
extract_stack = tf_stack.extract_stack


def is_compiled_by_xla() -> bool:
  """Tells whether the graph being built belongs to a function with `jit_compile=True`.

  TensorFlow says it by a context that it enters while it traces such a function.
  """
  return control_flow_util.GraphOrParentsInXlaContext(ops.get_default_graph())


def graphs_being_built() -> list[Graph]:
  """Returns the default graphs of this thread, innermost first."""
  return ops._default_graph_stack.stack[::-1]


def trace_branch(branch_fn: Callable[[], Any], outer_graph: Graph) -> Any:
  """Traces one branch of a `tf.cond` into a graph of its own and returns what it returned."""
  with outer_graph.as_default():
    graph = func_graph.func_graph_from_py_func("probe", branch_fn, [], {})
  return graph.structured_outputs


def function_graph(graph: Graph, name: str) -> Graph:
  """Returns the FuncGraph of function `name` as known to `graph` or to one around it."""
  function = _known_function(name, graph)
  if function is not None:
    return function_def_to_func_graph(function.cached_definition)
  definition = context.context().get_function_def(name)
  return function_def_to_func_graph(definition)


def _known_function(name: str, graph: Graph) -> Function | None:
  """Returns the function `name` that `graph` knows, or one around it, None if none does."""
  while graph is not None:
    if graph._is_function(name):
      return graph._get_function(name)
    graph = getattr(graph, "outer_graph", None)
  return None


def is_stateful(op: Operation) -> bool:
  """Tells whether an op does more than compute its outputs, as far as TensorFlow knows."""
  known = op_def_registry.get(op.type) if isinstance(op, ops.Operation) else None
  op_def = op.op_def if known is None else known  # The op reads its own anew each time.
  return op_def is not None and op_def.is_stateful


def op_types(graph: Graph) -> dict[str, bool]:
  """Returns the types of the ops of a graph and of the functions that it may call.

  And whether they have a state, as far as TensorFlow knows.
  """
  types = {op.type for op in graph.get_operations()}
  for function in graph._functions.values():
    types.update(node.op for node in function.cached_definition.node_def)
  known = {name: op_def_registry.get(name) for name in types}
  return {name: op_def is None or op_def.is_stateful for name, op_def in known.items()}


def add_function(graph: Graph, function: Function) -> None:
  """Makes a runtime function known to `graph`, and with it those that it calls."""
  graph._add_function_recursive(function)


def called_graph(op: Operation) -> Graph | None:
  """Returns the live graph of the tf.function that `op` calls, None if there is none."""
  function = _known_function(op.get_attr("f").name, op.graph)
  return None if function is None else function.graph


def nested_graphs(op: Operation) -> list[Graph]:
  """Returns the live graphs inside an op: branches, loop bodies, the function it calls."""
  names = ["_true_graph", "_false_graph", "_cond_graph", "_body_graph"]
  if op.type in ("Case", "StatelessCase"):
    names += [f"_branch_graph_{i}" for i in range(len(op.get_attr("branches")))]
  graphs = [getattr(op, name, None) for name in names]
  if op.type in FUNCTION_CALLS:
    graphs.append(called_graph(op))
  return [graph for graph in graphs if graph is not None]


def load_branches(op: Operation) -> list[Graph]:
  """Returns the branch graphs of a conditional and keeps them on the op, as `tf.cond` does."""
  if op.type in ("If", "StatelessIf"):
    names = {"_true_graph": "then_branch", "_false_graph": "else_branch"}
    functions = {name: op.get_attr(attr) for name, attr in names.items()}
  else:
    functions = {f"_branch_graph_{i}": f for i, f in enumerate(op.get_attr("branches"))}
  for name, function in functions.items():
    if getattr(op, name, None) is None:
      shapes = [tensor.shape for tensor in op.inputs[1:]]
      setattr(op, name, _import_graph(op, op.inputs[1:], shapes, function.name))
  return list(cond_v2.get_func_graphs(op))


def _import_graph(op: Operation, inputs: Any, shapes: list[Any], name: str) -> Graph:
  """Returns the graph of a function that `op` calls on `inputs`.

  A variable behind an input is not known yet: by the shape of the handle alone, [], TensorFlow
  would refuse what writes to a part of it.
  """
  unknown = tensor_shape.TensorShape(None)
  shapes = [
    unknown if tensor.dtype == dtypes.resource else tensor_shape.TensorShape(shape)
    for tensor, shape in zip(inputs, shapes, strict=True)
  ]
  return control_flow_util_v2.get_func_graph(op, shapes, name)


def begin_branch(name: str, trace: Callable[[], None]) -> Graph:
  """Traces one branch of a conditional into a graph of its own, without its outputs.

  `tf.cond` wants both branches to return the same; what that is may only be known after both.
  """
  outer = ops.get_default_graph()
  name = control_flow_util_v2.unique_fn_name(outer.get_name_scope() + "/", name)
  graph = BranchGraph(name, collections=outer._collections)
  order = ControlDependencies() if outer._add_control_dependencies else None

  # As `func_graph_from_py_func` for a function that takes and returns nothing.
  with graph.as_default():
    scope = variable_scope.get_variable_scope()
    before = scope.use_resource
    scope.set_use_resource(True)
    graph.structured_input_signature = ((), {})
    try:
      with order or contextlib.nullcontext():
        trace()
    finally:
      scope.set_use_resource(before)
    graph.inputs = graph.internal_captures + nest.flatten(
      graph.deferred_internal_captures, expand_composites=True
    )
    graph.structured_outputs = None
    graph.variables = graph._watched_variables
  if order is not None:
    graph.control_outputs.extend(order.ops_which_must_run)
  return graph


def finish_cond(pred: Any, branches: Iterable[tuple[Graph, list[Any]]]) -> list[Any]:
  """Makes the conditional of two branches from `begin_branch`, true first, with their outputs."""
  graphs = []
  for graph, outputs in branches:
    graph.outputs = [graph.capture(tensor) for tensor in outputs]
    graph.structured_outputs = list(graph.outputs)
    graphs.append(graph)
  captures = [graph.external_captures for graph in graphs]
  found = cond_v2._build_cond(pred, *graphs, *captures, building_gradient=False)
  return list(found) if isinstance(found, (list, tuple)) else [found]


# What TensorFlow's vectorising converters raise for what they cannot do.
PFOR_ERRORS = (
  pfor_lib.ConversionNotImplementedError,
  ValueError,
  TypeError,
  IndexError,  # While it looks for words to say so.
  NotImplementedError,
  AssertionError,
)


def register_vectorizer(op_types: Iterable[str], convert: Callable[[Any], Any]) -> None:
  """Has `tf.vectorized_map` call `convert` with ops of these types: its `op` is the op."""
  for op_type in op_types:
    pfor_lib.RegisterPFor(op_type)(convert)


def make_pfor(num_rows: Any) -> Any:
  """Returns what TensorFlow's vectorising converters need for `num_rows` rows, an int tensor []."""
  loop_var = ops.get_default_graph().create_op(
    "PlaceholderWithDefault",
    [ops.convert_to_tensor(0)],
    [ops.convert_to_tensor(0).dtype],
    attrs={"shape": _attr_value(shape=())},
  )
  return pfor_lib.PFor(loop_var.outputs[0], num_rows, [], fallback_to_while_loop=False)


def pfor_convert(
  pfor: Any, op: Operation, inputs: list[tuple[Any, bool]]
) -> list[tuple[Any, bool]] | None:
  """Emits the vectorised form of `op` that `tf.vectorized_map` would use.

  Args:
    pfor: from `make_pfor`.
    op: an op of another graph.
    inputs: pairs (tensor, whether it has a leading dimension more than the op's own input).

  Returns:
    The same of the outputs; None if TensorFlow has no vectorised form.
  """
  converter = pfor_lib._pfor_converter_registry.get(op.type)
  if converter is None:
    return None
  wrapped = [pfor_lib.wrap(tensor, is_stacked) for tensor, is_stacked in inputs]
  outputs = converter(pfor_lib._PforInput(pfor, op, wrapped))
  if isinstance(outputs, pfor_lib.WrappedTensor):
    outputs = [outputs]
  if not isinstance(outputs, (list, tuple)):
    return None
  return [(output.t, output.is_stacked) for output in outputs]


def copy_op(op: Operation, inputs: list[Any], gradient: str | None = None) -> Operation:
  """Emits `op` again, in the graph being built, with other inputs.

  Args:
    op: an op of another graph.
    inputs: its inputs.
    gradient: the name of the registered gradient to use in place of the op's own.
  """
  graph = ops.get_default_graph()
  attrs = {name: value for name, value in op.node_def.attr.items() if name not in _GRAPH_ATTRS}
  for value in attrs.values():
    for name in filter(None, [value.func.name, *(f.name for f in value.list.func)]):
      function = _known_function(name, op.graph)
      if function is not None:
        add_function(graph, function)
  if gradient is not None:
    attrs["_gradient_op_type"] = _attr_value(s=gradient.encode())
  outputs = [out.dtype for out in op.outputs]
  # As `create_op`, which looks each time for arguments that are not used any more.
  copy = graph._create_op_internal(op.type, inputs, outputs, name=op.name, attrs=attrs)
  # A tape around does not see ops that are made this way unless it is told.
  flat_attrs = [item for name in attrs for item in (name, copy.get_attr(name))]
  execute.record_gradient(op.type, copy.inputs, tuple(flat_attrs), copy.outputs[:])
  for old, new in zip(op.outputs, copy.outputs, strict=True):
    copy_handle_data(old, new)
  if op.type in LOOPS:
    _load_loop(copy)
  return copy


def _load_loop(op: Operation) -> None:
  """Keeps the graphs inside a loop on its ops, as `tf.while_loop` does, if it takes variables.

  The graphs that TensorFlow's gradient makes know nothing of the variables behind their inputs.
  """
  agenda = [op]
  while agenda:
    op = agenda.pop()
    if op.type in LOOPS:
      if all(tensor.dtype != dtypes.resource for tensor in op.inputs):
        continue
      for part in ("cond", "body"):
        shapes = op.get_attr("output_shapes")
        graph = _import_graph(op, op.inputs, shapes, op.get_attr(part).name)
        setattr(op, f"_{part}_graph", graph)
        graph._while = op
        for outer, inner in zip(op.inputs, graph.inputs, strict=True):
          copy_handle_data(outer, inner)
        agenda += graph.get_operations()
    elif op.type in CONDITIONALS:
      agenda += [inner for graph in load_branches(op) for inner in graph.get_operations()]


# What an op's attributes say about the graph it is in.
_GRAPH_ATTRS = ("_class", "_output_shapes", "_xla_inferred_shapes")


def _attr_value(**value: Any) -> Any:
  if "shape" in value:
    shape = tensor_shape.TensorShape(value["shape"]).as_proto()
    return attr_value_pb2.AttrValue(shape=shape)
  return attr_value_pb2.AttrValue(**value)


def set_function_list(op: Operation, name: str, functions: Iterable[Function]) -> None:
  """Points the list(func) attribute `name` of an existing op at other functions."""
  for function in functions:
    add_function(op.graph, function)
  op._set_func_list_attr(name, [function.name for function in functions])


def set_attr(op: Operation, name: str, value: Any) -> None:
  """Sets an attribute of an existing op; `value` is an AttrValue."""
  op._set_attr(name, value)


def clear_attr(op: Operation, name: str) -> None:
  """Removes an attribute of an existing op."""
  op._clear_attr(name)


def update_input(op: Operation, index: int, tensor: Any) -> None:
  """Feeds input `index` of an existing op from `tensor`."""
  op._update_input(index, tensor)


def add_control_input(op: Operation, before: Operation) -> None:
  """Makes an existing op wait for another one of its graph."""
  op._add_control_input(before)


def renew_functions(op: Operation) -> None:
  """Makes a conditional or loop run the live graphs inside it as they are now."""
  names = []
  for graph in nested_graphs(op):
    names.append(f"{graph.name}_renewed")
    add_function(op.graph, from_func_graph(names[-1], graph, {}))
  if op.type in ("Case", "StatelessCase"):
    op._set_func_list_attr("branches", names)
    return
  attributes = ("cond", "body") if op.type in LOOPS else ("then_branch", "else_branch")
  for attribute, name in zip(attributes, names, strict=True):
    op._set_func_attr(attribute, name)


def acd_run_independently(op: Operation) -> None:
  """Exempts `op` from program order if its graph keeps one."""
  manager = getattr(op.graph, "experimental_acd_manager", None)
  if manager is not None:
    manager.run_independently(op)


def captured(graph: Graph) -> list[tuple[Any, Any]]:
  """Returns what a FuncGraph takes from around it: pairs of a tensor and its stand-in inside."""
  return list(graph.captures)


@contextlib.contextmanager
def standing_in(graph: Graph, stand_ins: Iterable[tuple[Any, Any]]) -> Iterator[None]:
  """Has a FuncGraph use other tensors for some that it captures, while this is entered.

  Args:
    graph: the graph.
    stand_ins: pairs of a tensor that the graph has captured, and one of its own.
  """
  captures = graph.function_captures
  pairs = [(outer, captures.by_val_internal[id(outer)], inner) for outer, inner in stand_ins]
  for outer, _, inner in pairs:
    captures.add_or_replace(id(outer), outer, inner)
  try:
    yield
  finally:
    for outer, placeholder, _ in pairs:
      captures.add_or_replace(id(outer), outer, placeholder)


def outermost(tensor: Any) -> Any:
  """Returns the tensor outside of all FuncGraphs that one inside stands for; else itself."""
  while not isinstance(tensor, ops.EagerTensor):
    captures = getattr(tensor.graph, "captures", ())
    outer = next((outer for outer, inner in captures if inner is tensor), None)
    if outer is None:
      return tensor
    tensor = outer
  return tensor


@contextlib.contextmanager
def making_ops(graph: Graph, make: Callable[..., Any]) -> Iterator[None]:
  """Has `make` decide on each op that a FuncGraph is about to get, while this is entered.

  Every op of a graph comes through this one method.

  Args:
    graph: the graph.
    make: takes the op's type, its inputs, and a function that makes the op as it would be made;
      returns an op.
  """
  create = graph._create_op_internal

  def decided(op_type: str, inputs: Any, *args: Any, **kwargs: Any) -> Any:
    return make(op_type, list(inputs), lambda: create(op_type, inputs, *args, **kwargs))

  graph._create_op_internal = decided
  try:
    yield
  finally:
    if isinstance(create, types.MethodType):
      del graph._create_op_internal
    else:  # Somebody further out decides, too.
      graph._create_op_internal = create
