"""Every private name of TensorFlow that we use still does what we use it for.

A TensorFlow release that moves or changes one should fail here, by name, and not in the middle of a
recursion.
"""

import inspect
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import keras
import numpy as np
import pytest
import tensorflow as tf

from recursive_tf import _tf_internals as tfi


@pytest.fixture
def graph():
  """A FuncGraph of y = w tanh(x), and the tensors (x, y, the captured w)."""
  w = tf.constant([2.0, 3.0])
  graph = tfi.FuncGraph("example")
  with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, [2])
    y = w * tf.tanh(x)
  graph.inputs = [x, *graph.internal_captures]
  graph.outputs = [y]
  graph.tensors = x, y, graph.captures[0][1]
  return graph


def test_every_use_of_private_python_api_is_in_the_one_package(repository):
  folders = [repository / name for name in ("recursive_tf", "datasets", "models")]
  paths = [path for folder in folders for path in folder.rglob("*.py")]
  users = {path.parent.name for path in paths if "tensorflow.python" in _imports(path)}
  assert len(paths) > 20
  assert users == {"_tf_internals"}


def _imports(path):
  lines = path.read_text().splitlines()
  return "\n".join(line for line in lines if line.lstrip().startswith(("import ", "from ")))


def test_func_graph_captures_outer_tensors(graph):
  ((outer, inner),) = graph.captures
  assert outer.numpy().tolist() == [2, 3] and inner.graph is graph
  assert isinstance(graph.outer_graph, tf.Graph)
  with graph.as_default():
    inside = tfi.FuncGraph("inside")
  assert inside.outer_graph is graph
  outside = tf.Graph()
  inside.outer_graph = outside
  assert inside.outer_graph is outside


def test_from_func_graph_makes_a_function_that_runs(graph):
  function = tfi.from_func_graph("made_of_a_graph", graph, {})

  @tf.function
  def call(x):
    default = tf.compat.v1.get_default_graph()
    tfi.add_function(default, function)
    (y,) = tf.raw_ops.PartitionedCall(
      args=[x, tf.constant([1.0, 1.0])], Tout=[tf.float32], f=function.name.decode()
    )
    (call,) = [op for op in default.get_operations() if op.type == "PartitionedCall"]
    assert tfi.called_graph(call) is graph and tfi.nested_graphs(call) == [graph]
    loaded = tfi.function_graph(default, function.name.decode())
    assert len(loaded.inputs) == 2 and len(loaded.outputs) == 1
    return y

  assert call(tf.constant([0.0, 100.0])).numpy().tolist() == [0, 1]


def test_gradients_of_one_graph_are_made_in_another_and_capture_what_they_need(graph):
  x, y, w = graph.tensors
  backward = tfi.FuncGraph("backward")
  with backward.as_default():
    dy = tf.compat.v1.placeholder(tf.float32, [2])
    dx, dw = tfi.gradients([y], [x, w], grad_ys=[dy], src_graph=graph)
  assert dx.graph is backward and dw.graph is backward
  assert all(outer.graph is graph for outer, _ in backward.captures)
  assert len(backward.captures) >= 1


def test_control_dependencies_keep_program_order(graph):
  v = tf.Variable(1.0)
  with graph.as_default():
    with tfi.ControlDependencies() as order:
      v.assign(2.0)
      read = v.read_value()
      result = order.mark_as_return(read)
  assert order.ops_which_must_run
  assert result.op.type == "Identity" or result is not None
  assign = next(op for op in graph.get_operations() if op.type == "AssignVariableOp")
  reads = [op for op in graph.get_operations() if op.type == "ReadVariableOp"]
  assert any(assign in op.control_inputs for op in reads)


def test_variants_count_as_trainable_and_integers_do_not(graph):
  with graph.as_default():
    types = {t: tf.compat.v1.placeholder(t) for t in (tf.float32, tf.variant, tf.int32, tf.string)}
  trainable = {t for t, tensor in types.items() if tfi.is_trainable(tensor)}
  assert trainable == {tf.float32, tf.variant}


def test_a_running_cond_shows_on_the_stack_with_its_branches():
  seen = {}

  def look():
    frame = sys._getframe()
    while frame is not None:
      if frame.f_code is tfi.cond_code:
        seen[frame.f_locals.get("true_graph") is not None] = frame.f_locals["false_fn"]
        assert frame.f_locals["pred"].dtype == tf.bool
      frame = frame.f_back
    return tf.constant(1)

  tf.function(lambda x: tf.cond(x > 0, look, look), autograph=False)(tf.constant(1))
  assert set(seen) == {False, True}  # In the first branch there is no true_graph yet.
  assert all(callable(branch) for branch in seen.values())


def test_the_names_that_show_an_autograph_conditional_are_there():
  from tensorflow.python.autograph.operators import control_flow

  parameters = inspect.signature(control_flow._tf_if_stmt).parameters
  assert "symbol_names" in parameters


def test_autograph_keeps_out_of_our_modules_and_maps_lines_back():
  from tensorflow.python.autograph.impl import conversion

  import recursive_tf as rtf

  assert conversion.is_allowlisted(rtf.SubGraph.output)
  assert conversion.is_allowlisted(rtf.SubGraph.__call__)
  assert not conversion.is_allowlisted(test_variants_count_as_trainable_and_integers_do_not)
  lines = []

  @tf.function
  def run(x):
    if x > 0:
      lines.append([(e.filename, e.lineno) for e in tfi.extract_stack()])
    return x

  run(tf.constant(1))
  assert any(filename == __file__ for filename, _ in lines[0])


def test_handle_data_tells_the_shape_behind_a_resource():
  v = tf.Variable(tf.zeros([4, 5]))
  graph = tfi.FuncGraph("handles")
  with graph.as_default():
    handle = graph.capture(v.handle)
    placeholder = tf.compat.v1.placeholder(tf.resource, [])
    tfi.copy_handle_data(handle, placeholder)
  for tensor in (handle, placeholder):
    data = tfi.get_handle_data(tensor)
    assert data.is_set and tf.TensorShape(data.shape_and_type[0].shape) == [4, 5]


def test_reading_a_variable_is_noted_by_tapes_and_graphs():
  v = tf.Variable(1.0)
  graph = tfi.FuncGraph("reads")
  with graph.as_default(), tf.GradientTape() as tape:
    tfi.variable_accessed(v)
  assert [x is v for x in tfi.watched_variables(graph)] == [True]
  assert [x is v for x in tape.watched_variables()] == [True]


def test_the_gradient_of_a_py_function_is_told_from_a_py_function():
  graph = tfi.FuncGraph("python")
  with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, [])
    y = tf.py_function(lambda t: t * t, [x], tf.float32)
    z = tf.numpy_function(lambda t: t, [x], tf.float32)
    tfi.gradients([y], [x], grad_ys=[tf.ones([])], src_graph=graph)
  found = [tfi.is_gradient_of_python(op) for op in graph.get_operations() if "PyFunc" in op.type]
  assert found == [False, False, True] and not tfi.is_gradient_of_python(z.op)


def test_resources_that_are_only_read_are_told_from_those_written():
  read, written = tf.Variable(1.0), tf.Variable(2.0)

  @tf.function
  def both():
    written.assign_add(read)

  graph = both.get_concrete_function().graph
  handles = {id(outer): i for i, (outer, _) in enumerate(graph.captures)}
  found = tfi.read_only_resource_inputs(graph)
  assert found == [handles[id(read.handle)]]
  assert tfi.READ_ONLY_RESOURCE_INPUTS == "_read_only_resource_inputs"


def test_registered_gradients_are_found_by_op(graph):
  x, y, _ = graph.tensors
  tanh = next(op for op in graph.get_operations() if op.type == "Tanh")
  assert callable(tfi.get_gradient_function(tanh))
  with graph.as_default():
    rounded = tf.raw_ops.Shape(input=x)
  assert tfi.get_gradient_function(rounded.op) is None


def test_branches_and_loops_have_live_graphs():
  graph = tfi.FuncGraph("control")
  with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, [])
    tf.cond(x > 0, lambda: x, lambda: -x)
    tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: 2 * x, lambda: 3 * x])
    tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), [0])
  counts = {op.type: len(tfi.nested_graphs(op)) for op in graph.get_operations()}
  conditionals = {t: n for t, n in counts.items() if n}
  assert sorted(conditionals.values()) == [2, 2, 3]
  for op in graph.get_operations():
    if "If" in op.type or "Case" in op.type:
      assert len(tfi.load_branches(op)) == counts[op.type]


def test_an_op_that_exists_can_be_changed():
  @tf.function(autograph=False)
  def run():
    x = tf.raw_ops.Identity(input=tf.constant(10.0))
    tfi.set_attr(x.op, "_note", tf.compat.v1.AttrValue(i=7))
    assert x.op.get_attr("_note") == 7
    tfi.clear_attr(x.op, "_note")
    assert "_note" not in x.op.node_def.attr
    tfi.update_input(x.op, 0, tf.constant(20.0))
    return x

  assert run().numpy() == 20


def test_a_list_of_functions_of_an_op_can_be_changed():
  import recursive_tf as rtf

  graph = tfi.FuncGraph("launches")
  with graph.as_default():
    with rtf.SubGraph("f") as f:
      f.output(f.input(tf.float32))
    (op,) = [f(1.0).op]
    (before,) = op.get_attr("bodies")
    other = tfi.from_func_graph("other", _constant_graph(1.0), {})
    tfi.set_function_list(op, "bodies", [other])
    (after,) = op.get_attr("bodies")
  assert after.name == other.name.decode() != before.name


def test_a_branch_is_traced_without_leaving_a_trace():
  graph = tfi.FuncGraph("probed")
  with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, [])
  num_ops = len(graph.get_operations())
  nest = tfi.trace_branch(lambda: {"y": 2 * x}, graph)
  assert nest["y"].dtype == tf.float32
  assert len(graph.get_operations()) == num_ops


def test_graphs_being_built_are_listed_innermost_first():
  outer, inner = tfi.FuncGraph("outer"), tfi.FuncGraph("inner")
  with outer.as_default(), inner.as_default():
    assert tfi.graphs_being_built()[:2] == [inner, outer]


def test_a_graph_is_entered_once_and_is_what_it_was_when_it_is_left():
  ours, other = tfi.OwnGraph("ours"), tfi.FuncGraph("other")
  with ours.as_default(), tf.device("/cpu:0"), tf.name_scope("scope"):
    with ours.as_default() as again:
      assert again is ours and tfi.graphs_being_built()[:2].count(ours) == 1
      x = tf.constant(1.0)
      with tf.init_scope():
        assert tf.executing_eagerly()
        with ours.as_default():  # It is the default graph, but nothing is put there.
          assert not tf.executing_eagerly()
      with other.as_default():
        y = 2 * x  # Captured: the op that it is goes to the other graph.
        with ours.as_default():
          z = x + 1
      assert tf.compat.v1.get_default_graph() is ours
  assert tf.executing_eagerly() and tf.compat.v1.get_default_graph() is not ours
  assert (x.graph, y.graph, z.graph) == (ours, other, ours)
  assert x.op.name.startswith("scope/") and "CPU:0" in z.op.device


def test_a_number_is_one_constant_of_a_graph_of_our_own():
  values = [0.0, -0.0, 1.0, float("nan")]
  graph = tfi.OwnGraph("constants")
  with graph.as_default():
    first = [tfi.constant(value, tf.float64) for value in values]
    again = [tfi.constant(value, tf.float64) for value in values]
    assert all(a is b for a, b in zip(first, again, strict=True)) and first[0] is not first[1]
    assert tfi.constant(1, tf.int32) is not tfi.constant(1, tf.int64)
    assert tfi.constant(True, tf.bool) is not tfi.constant(False, tf.bool)
    with tf.control_dependencies([first[0]]):
      assert tfi.constant(1.0, tf.float64) is not first[2]
  found = [tf.get_static_value(tensor) for tensor in first]
  assert np.array_equal(np.signbit(found[:3]), [False, True, False]) and np.isnan(found[3])
  with tfi.FuncGraph("of TensorFlow's").as_default():
    assert tfi.constant(1, tf.int32) is not tfi.constant(1, tf.int32)
  assert np.signbit(tfi.constant(-0.0, tf.float32).numpy())


def test_the_backward_pass_of_a_function_has_its_known_name():
  names = []

  @tf.custom_gradient
  def spy(x):
    def gradient(dy):
      names.append(tf.compat.v1.get_default_graph().name)
      return dy

    return tf.identity(x), gradient

  x = tf.constant(1.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.function(spy)(x)
  tape.gradient(y, x)
  assert names and names[0].startswith(tfi.BACKWARD_FUNCTION)


def test_calls_are_exempt_from_program_order():
  @tf.function
  def run():
    first = tf.raw_ops.RandomUniform(shape=[1], dtype=tf.float32, name="first")
    return first, _independent()

  graph = run.get_concrete_function().graph
  (op,) = [op for op in graph.get_operations() if op.name == "independent"]
  assert not op.control_inputs  # Without the exemption it would wait for "first".


def _independent():
  op = tf.raw_ops.RandomUniform(shape=[1], dtype=tf.float32, name="independent").op
  tfi.acd_run_independently(op)
  return op.outputs[0]


def _constant_graph(value):
  graph = tfi.FuncGraph(f"constant_{value}")
  with graph.as_default():
    x = tf.compat.v1.placeholder(tf.float32, [])
    y = tf.constant(value)
  graph.inputs, graph.outputs = [x], [y]
  return graph


def test_an_op_is_emitted_again_with_other_inputs_and_another_gradient():
  @tf.RegisterGradient("TestTenfold")
  def tenfold(op, dy):
    return 10 * dy

  source = tf.Graph()
  with source.as_default():
    op = tf.square(tf.constant(1.0)).op

  @tf.function
  def call(x):
    return tfi.copy_op(op, [x]).outputs[0], tfi.copy_op(op, [x], "TestTenfold").outputs[0]

  x = tf.constant(3.0)
  with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    plain, other = call(x)
  assert plain == other == 9.0
  assert tape.gradient(plain, x) == 6.0 and tape.gradient(other, x) == 10.0


def test_an_op_with_functions_brings_them_along():
  source = tfi.FuncGraph("source")
  with source.as_default():
    value = tf.compat.v1.placeholder(tf.float32, [])
    switch = tf.cond(value > 0, lambda: value * 2, lambda: value * 3).op.inputs[0].op

  @tf.function
  def call(x):
    return tfi.copy_op(switch, [x > 0, x]).outputs[0]

  assert switch.type in ("If", "StatelessIf")
  assert call(tf.constant(-1.0)) == -3.0


def test_a_loop_that_is_copied_keeps_the_variables_of_its_conditionals():
  table = tf.Variable([[1.0], [2.0]])
  source = tfi.FuncGraph("source")
  with source.as_default():
    value = tf.compat.v1.placeholder(tf.float32, [1, 1])

    def turn(i, z):
      row = lambda: tf.nn.embedding_lookup(table, [1])  # noqa: E731
      return i + 1, tf.cond(i > 0, lambda: z * row(), lambda: z)

    tf.while_loop(lambda i, _: i < 2, turn, (0, value))
  (loop,) = [op for op in source.get_operations() if op.type == "While"]

  @tf.function
  def call(x):
    known = {tf.resource: table.handle, tf.float32: x}
    inputs = [known.get(t.dtype, tf.get_static_value(t)) for t in loop.inputs]
    inputs = [tf.convert_to_tensor(t) for t in inputs]
    (result,) = [t for t in tfi.copy_op(loop, inputs).outputs if t.dtype == tf.float32]
    return tf.gradients(result, table.handle)[0]

  gradient = tf.convert_to_tensor(call(tf.constant([[3.0]])))
  assert gradient.numpy().tolist() == [[0.0], [3.0]]


def test_tensorflows_vectorising_converters_are_there():
  source = tf.Graph()
  with source.as_default():
    op = tf.cumsum(tf.compat.v1.placeholder(tf.float32, [3]), axis=0).op
    unknown = tf.compat.v1.placeholder(tf.float32, [3]).op

  @tf.function
  def call(x):
    pfor = tfi.make_pfor(tf.shape(x)[0])
    axis = tf.constant(0)
    assert tfi.pfor_convert(pfor, unknown, []) is None
    ((tensor, is_stacked),) = tfi.pfor_convert(pfor, op, [(x, True), (axis, False)])
    assert is_stacked
    return tensor

  rows = call(tf.constant([[1.0, 2, 3], [4, 5, 6]]))
  assert rows.numpy().tolist() == [[1, 3, 6], [4, 9, 15]]
  assert all(issubclass(error, Exception) for error in tfi.PFOR_ERRORS)


def test_a_function_that_xla_compiles_is_known_by_its_context():
  found = []

  @tf.function
  def inner():
    found.append(tfi.is_compiled_by_xla())

  def outer():
    found.append(tfi.is_compiled_by_xla())
    inner()

  tf.function(outer, jit_compile=True).get_concrete_function()
  tf.function(outer).get_concrete_function()
  assert found == [True, True, False]  # The inner one is traced once.


def test_conditionals_and_loops_run_their_graphs_as_they_are_now():
  first, second = tf.Variable(0), tf.Variable(0)

  def body(n):
    first.assign_add(1)
    second.assign_add(1)  # Another variable: in no order with the first.
    return n + 1

  def run(n):
    n = tf.cond(n > 0, lambda: body(n), lambda: n)
    n = tf.switch_case(tf.minimum(n, 0), [lambda: body(n), lambda: n])
    (n,) = tf.while_loop(lambda n: n < 5, lambda n: [body(n)], [n])
    for op in tf.compat.v1.get_default_graph().get_operations():
      graphs = tfi.nested_graphs(op)
      for graph in graphs:
        writes = [inner for inner in graph.get_operations() if inner.type == "AssignAddVariableOp"]
        if writes:
          tfi.add_control_input(writes[1], writes[0])
      if graphs:
        tfi.renew_functions(op)
    return n

  function = tf.function(run, autograph=False).get_concrete_function(tf.TensorSpec([], tf.int32))
  assert function(tf.constant(1)).numpy() == 5
  assert first.numpy() == second.numpy() == 4
  ordered = [
    node
    for known in function.graph.as_graph_def().library.function
    if known.signature.name.endswith("_renewed")
    for node in known.node_def
    if node.op == "AssignAddVariableOp" and any("AssignAdd" in name for name in node.input)
  ]
  assert len(ordered) == 3


def test_handles_of_variables_are_told_from_those_of_tables():
  variable = tf.Variable([[1.0, 2.0]])
  table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer([0], [1], tf.int32, tf.int32), 0
  )
  assert tfi.spec_of_variable(variable.handle) == tf.TensorSpec([1, 2], tf.float32)
  assert tfi.spec_of_variable(table.resource_handle) is None
  assert tfi.spec_of_variable(tf.constant(1.0)) is None
  inner = tfi.FuncGraph("inner")
  with inner.as_default():
    variable.read_value()
  (placeholder,) = inner.internal_captures
  assert tfi.spec_of_variable(placeholder) == tf.TensorSpec([1, 2], tf.float32)


def test_layers_inside_are_told_of_a_call_of_keras():
  dropout, around = tf.keras.layers.Dropout(0.9), tf.keras.layers.ReLU()
  ones = tf.ones([100])

  def is_training():
    return not np.array_equal(dropout(ones), ones)

  assert not tfi.is_in_call() and tfi.training_of_call() is None
  with tfi.layer_call(around, True):
    assert tfi.is_in_call() and tfi.training_of_call() is True and is_training()
    with tfi.layer_call(around, False):
      assert tfi.training_of_call() is False and not is_training()
    assert tfi.training_of_call() is True
  assert not tfi.is_in_call() and not is_training()


def test_the_strategy_starts_no_coordination_service_that_was_left_out(monkeypatch):
  # What MultiWorkerMirroredStrategy looks at: None, and it starts one.
  monkeypatch.setattr(tfi.context.context(), "_coordination_service_config", None)
  assert tfi.context.context().coordination_service is None
  tfi.leave_out_coordination_service()
  assert tfi.context.context().coordination_service.service_type == ""


def test_a_graph_uses_what_stands_in_for_a_captured_tensor_and_ops_are_decided_on():
  variable = tf.Variable(3.0)
  spec = tfi.spec_of_variable(variable.handle)
  made = []

  def make(op_type, inputs, create):
    made.append((op_type, len(inputs)))
    return create()

  @tf.function(autograph=False)
  def run():
    graph = tf.compat.v1.get_default_graph()
    inner = graph.capture(variable.handle)
    copy = tfi.anonymous_variable(spec)
    tfi.copy_handle_data(variable.handle, copy)
    tf.raw_ops.AssignVariableOp(resource=copy, value=tf.constant(5.0))
    with tfi.standing_in(graph, [(variable.handle, copy)]), tfi.making_ops(graph, make):
      variable.assign_add(1.0)
      found = variable.read_value()
    assert graph.capture(variable.handle) is inner
    assert [handle for handle, _ in tfi.captured(graph)] == [variable.handle]
    return found

  concrete = run.get_concrete_function()
  assert ("AssignAddVariableOp", 2) in made and ("ReadVariableOp", 1) in made
  for _ in range(2):  # Each run has a variable of its own.
    assert float(tfi.call_flat(concrete, [], concrete.captured_inputs)) == 6.0
  assert float(variable) == 3.0


def test_what_is_called_exactly_keeps_the_arithmetic_of_its_graph():
  @tf.function
  def later_twice(x):
    _, c = tf.unstack(x)
    return [tf.stack([c, c])]

  options = tfi.context.context().function_call_options
  x = tf.constant([[1.0], [2.0]])
  concrete = later_twice.get_concrete_function(x)
  (found,) = tfi.call_exactly(concrete, [x], concrete.captured_inputs)
  assert found.numpy().tolist() == [[2.0], [2.0]]
  with tf.GradientTape() as tape:
    tape.watch(x)
    (seen,) = tfi.call_exactly(concrete, [x], concrete.captured_inputs)
  assert seen.numpy().tolist() == [[2.0], [2.0]]
  assert tape.gradient(seen, x).numpy().tolist() == [[0.0], [2.0]]
  assert tfi.context.context().function_call_options is options


def test_what_only_runs_says_where_it_failed_and_returns_handles_and_nothing():
  @tf.function
  def inverse(x):
    return [tf.linalg.inv(x)]

  @tf.function
  def handles(variable):
    return [tf.identity(variable.handle)]

  concrete = inverse.get_concrete_function(tf.TensorSpec([2, 2]))
  with pytest.raises(tf.errors.InvalidArgumentError, match="Detected at node"):
    tfi.call_exactly(concrete, [tf.zeros([2, 2])], [])
  variable = tf.Variable(tf.ones([3]))
  concrete = handles.get_concrete_function(variable)
  (handle,) = tfi.call_exactly(concrete, [variable.handle], [])
  read = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
  assert read.numpy().tolist() == [1.0, 1.0, 1.0]
  concrete = tf.function(lambda: []).get_concrete_function()
  assert tfi.call_exactly(concrete, [], []) == []


def test_how_calls_run_follows_the_options_of_tensorflow():
  double = tf.function(lambda x: [x + x]).get_concrete_function(tf.TensorSpec([]))
  x = tf.constant(2.0)
  calls = [
    lambda: tfi.call_flat(double, [x], []),
    lambda: tfi.call_flat(double, [x], [], True),
    lambda: tfi.call_exactly(double, [x], []),
  ]
  for call in calls:
    assert float(call()[0]) == 4.0
    with tf.experimental.function_executor_type("NO_SUCH_EXECUTOR"):
      with pytest.raises(tf.errors.NotFoundError, match="NO_SUCH_EXECUTOR"):
        call()
    assert float(call()[0]) == 4.0
  known = tfi.context.context()
  given = known.function_call_options
  known.function_call_options = tfi.context.FunctionCallOptions("NO_SUCH_EXECUTOR", None)
  try:
    for call in calls:
      with pytest.raises(tf.errors.NotFoundError, match="NO_SUCH_EXECUTOR"):
        call()
  finally:
    known.function_call_options = given


def test_ops_of_functions_that_a_graph_calls_are_among_its_types():
  inner = tf.function(lambda x: tf.random.uniform([]) + tf.tanh(x))
  concrete = tf.function(lambda x: inner(x) * x).get_concrete_function(tf.TensorSpec([]))
  types = tfi.op_types(concrete.graph)
  assert not types["Tanh"] and not types["Mul"] and types["RandomUniform"]


def test_a_glance_at_a_tensor_is_its_shape_and_the_number_of_its_type():
  dtypes = tf.float32, tf.float64
  seen = [tfi.glance_of(tf.zeros(shape, dtype)) for shape in ([2, 3], []) for dtype in dtypes]
  assert [shape for shape, _ in seen] == [(2, 3), (2, 3), (), ()]
  assert [tf.as_dtype(number) for _, number in seen] == [*dtypes, *dtypes]


@pytest.mark.parametrize("value", [0.1, 0.0, -0.0, 0, 3, -(2**63), 2**63 - 1, float("inf")])
def test_a_number_is_a_tensor_of_the_very_number(value):
  dtype = tf.int64 if isinstance(value, int) else tf.float64
  tf.constant(0.0, tf.float64)  # TensorFlow keeps it, and takes it for -0.0.
  found = tfi.scalar(value, dtype)
  assert found.dtype == dtype and found.shape == []
  assert repr(found.numpy().item()) == repr(value)


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_an_array_is_a_tensor_that_any_device_takes(dtype):
  array = np.arange(6, dtype=dtype).reshape(2, 3)
  doubled = tf.function(lambda x: x + x).get_concrete_function(tf.TensorSpec([2, 3], dtype))
  for device in tf.config.list_logical_devices("CPU"):
    with tf.device(device.name):
      found = tfi.tensor_of(array)
      assert found.dtype == dtype and found.numpy().tolist() == array.tolist()
      (total,) = tfi.call_exactly(doubled, [found], [])
      assert total.device.endswith(device.name.strip("/")) and total.numpy().sum() == 30
  with tf.Graph().as_default():
    assert not hasattr(tfi.tensor_of(array), "numpy")


def test_the_strategy_of_a_scope_is_known():
  assert not tfi.has_strategy() and not tf.distribute.has_strategy()
  with tf.distribute.OneDeviceStrategy("/CPU:0").scope():
    assert tfi.has_strategy()
    with tf.Graph().as_default():
      assert tfi.has_strategy() == tf.distribute.has_strategy()
  assert not tfi.has_strategy()


def test_tapes_record_again_where_recording_was_stopped():
  x = tf.constant(3.0)
  with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    with tfi.stop_recording():
      hidden = x * x
      with tfi.resume_recording():
        seen = x * x
      assert not tfi.is_recording()
  assert tape.gradient(hidden, x) is None
  assert float(tape.gradient(seen, x)) == 6.0


def test_the_size_of_chunks_is_part_of_the_configuration(monkeypatch):
  known = tfi.context.context()
  monkeypatch.setattr(known, "_config", None)
  assert known.config.experimental.recv_buf_max_chunk == 0
  tfi.set_chunk_bytes(12345)
  tfi.set_chunk_bytes(1 << 16)
  assert known.config.experimental.recv_buf_max_chunk == 1 << 16


@pytest.mark.parametrize("is_persistent", [False, True])
def test_one_thread_makes_the_gradient_of_a_function_that_all_call(monkeypatch, is_persistent):
  variable, made = tf.Variable(3.0), []
  square = tf.function(lambda: variable * variable).get_concrete_function()
  kind = tfi.concrete_function._TapeGradientFunctions
  build = kind._build_functions_for_outputs

  def built(self, *args):
    made.append(threading.get_ident())
    time.sleep(0.2)  # The others come meanwhile.
    return build(self, *args)

  monkeypatch.setattr(kind, "_build_functions_for_outputs", built)

  def gradient():
    with tf.GradientTape(is_persistent) as tape:
      result = tfi.call_flat(square, [], square.captured_inputs)
    return float(tape.gradient(result, variable))

  with ThreadPoolExecutor(4) as pool:
    assert [f.result() for f in [pool.submit(gradient) for _ in range(4)]] == [6.0] * 4
  assert len(set(made)) == 1


def test_the_generator_of_keras_is_another_one_after_a_new_seed():
  keras.utils.set_random_seed(3)
  assert tfi.keras_seed_generator() is None
  keras.random.uniform([1])
  generator = tfi.keras_seed_generator()
  assert isinstance(generator, keras.random.SeedGenerator)
  handle = generator.state.value.handle
  found = []

  @tf.function
  def read():
    @tf.function
    def inner():
      graph = tf.compat.v1.get_default_graph()
      found.append(tfi.outermost(graph.capture(handle)))
      return generator.state.value.read_value()

    return inner()

  read()
  assert found[0] is handle


def test_a_residual_of_the_branch_not_taken_has_sizes_that_nobody_knows():
  @tf.function(input_signature=[tf.TensorSpec([None, None])])
  def f(x):
    with tfi.plain_residuals():
      y = tf.cond(tf.reduce_sum(x) < 0.0, lambda: x[0, 0], lambda: tf.reduce_sum(tf.tanh(x * x)))
      return tf.gradients(y, x)[0]

  graph = f.get_concrete_function().graph
  found = [op for op in graph.get_operations() if op.type in tfi.CONDITIONALS]
  residuals = [out for op in found for out in op.outputs if out.shape.rank == 2]
  assert residuals and all(out.shape.as_list() == [None, None] for out in residuals)
