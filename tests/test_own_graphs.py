"""Graphs of ours have the ops that TensorFlow's have, made with less around each of them."""

import gc
import threading

import pytest
import tensorflow as tf
from tensorflow.core.config import flags
from tensorflow.python.framework import auto_control_deps, errors_impl, func_graph, ops

import recursive_tf as rtf
from recursive_tf import _collection
from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason


def arithmetic(x):
  with tf.name_scope("scope"):
    y = tf.add(x, 1.0, name="sum")
  return tf.add(y, x, name="sum") * y


def lists(x):
  parts = tf.split(x, 2)
  return tf.concat([tf.stack(parts), tf.stack([x[:1], x[1:]])], 0), tf.meshgrid(x, x)


def controls(x):
  with tf.control_dependencies([tf.identity(x, name="first")]):
    y = x + 1.0
    return y * 2.0


def placed(x):
  with tf.device("/device:CPU:0"):
    y = x + 1.0
  with tf.compat.v1.get_default_graph().colocate_with(y.op):
    return y * 2.0


def branches(x):
  return tf.cond(x[0] > 0.0, lambda: x + 1.0, lambda: tf.while_loop(any_left, halved, [x])[0])


def any_left(x):
  return x[0] > 0.5


def halved(x):
  return [x / 2.0]


VARIABLE = tf.Variable([1.0, 2.0])
LARGE = tf.constant(tf.range(400.0))


def captures(x):
  return VARIABLE + x, LARGE[:2] + x, tf.gather(VARIABLE, [1]), tf.constant(3.0)


def scoped(x):
  graph = tf.compat.v1.get_default_graph()
  with graph._attr_scope({"_mine": ops.attr_value_pb2.AttrValue(i=3)}):
    y = x + 1.0
  with graph.gradient_override_map({"Square": "Identity"}):
    return tf.square(y)


PROGRAMS = (arithmetic, lists, controls, placed, branches, captures, scoped)


def made(graph, program):
  with tf.Graph().as_default() as outer, tf.device(None):
    outside = tf.constant([1.0, 2.0])
    with graph.as_default():
      graph.outer_graph = outer
      x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
      program(x + outside)
  found = graph.as_graph_def()
  for node in found.node:
    for value in node.attr.values():
      value.func.ClearField("name")  # Of all functions, no two have one name.
      if value.s.isdigit():
        value.ClearField("s")
  return [node for node in found.node if not node.name.isdigit()]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_its_ops_are_those_of_tensorflow(program):
  with tfi.building():
    ours = made(tfi.OwnGraph("same"), program)
  theirs = made(func_graph.FuncGraph("same"), program)
  # Equal constants of ints are one op here.
  names = {node.name for node in ours}
  left_out = [node for node in theirs if node.name not in names]
  assert len(ours) > 3 and all(node.op in ("Const", "Placeholder") for node in left_out)
  kinds = sorted(node.op for node in ours if node.op not in ("Const", "Placeholder"))
  assert kinds == sorted(node.op for node in theirs if node.op not in ("Const", "Placeholder"))
  inner = {node.name: node for node in theirs}
  for node in (node for node in ours if node.op != "Placeholder"):  # By numbers of the process.
    same = inner[node.name]
    assert node.device == same.device and dict(node.attr) == dict(same.attr)
    assert [i for i in node.input if i.startswith("^")] == [
      i for i in same.input if i.startswith("^")
    ]


def test_an_op_takes_nothing_of_what_tensorflow_does_for_it(monkeypatch):
  def fail(*args, **kwargs):
    raise AssertionError("made by TensorFlow")

  graph = tfi.OwnGraph("own")
  monkeypatch.setattr(func_graph.FuncGraph, "_create_op_internal", fail)
  with graph.as_default():
    x = tfi.placeholder(tf.float32, [2], "x")
    tf.concat([x + x, tf.gather(x, [1])], 0)
    with tf.control_dependencies([x]):
      tf.identity(x)
    with pytest.raises(AssertionError, match="made by TensorFlow"), tf.device("/device:CPU:0"):
      tf.identity(x)


def plain(x):
  return x + 1.0


def written(x):
  return VARIABLE.assign(x) + VARIABLE


def read(x):
  return x + VARIABLE


def printed(x):
  tf.print(x)
  return x


@pytest.mark.parametrize("program", [plain, read, written, printed])
def test_effects_are_ordered_as_by_tensorflow(program, monkeypatch):
  asked, ask = [], auto_control_deps._get_resource_inputs
  monkeypatch.setattr(
    auto_control_deps, "_get_resource_inputs", lambda op: asked.append(op) or ask(op)
  )
  found = []
  for order in (tfi.ControlDependencies(), auto_control_deps.AutomaticControlDependencies()):
    graph = tfi.OwnGraph("body")
    asked.clear()
    with graph.as_default():
      x = tfi.placeholder(tf.float32, [2], "x")
      with order:
        assert graph._add_control_dependencies
        order.mark_as_return(program(x))
    assert not graph._add_control_dependencies and graph.experimental_acd_manager is None
    must_run = sorted(op.type for op in order.ops_which_must_run)
    controls = [
      (op.type, sorted(c.type for c in op.control_inputs)) for op in graph.get_operations()
    ]
    found.append((must_run, controls, order.collective_manager_ids_used))
    if order.__class__ is tfi.ControlDependencies:
      assert bool(asked) == (program is not plain)
  assert found[0] == found[1]


def test_wrong_types_are_the_same_errors():
  texts = []
  for graph in (tfi.OwnGraph("own"), func_graph.FuncGraph("theirs")):
    with graph.as_default():
      x = tf.constant([1, 2])
      with pytest.raises(TypeError) as error:
        tf.raw_ops.AddV2(x=x, y=tf.constant([1.0]))
      with pytest.raises(ValueError, match="must be rank|Dimensions must be equal") as shapes:
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
      with pytest.raises(ValueError) as name:
        graph._create_op_internal("Identity", [x], name="a b/")
    texts.append((str(error.value), str(shapes.value), str(name.value)))
  assert texts[0] == texts[1]


def test_refusals_list_types_in_one_order():
  text = "f: Value has DataType int32 not in list of allowed values: half, float32, bfloat16"
  refusal = ConversionRefused.of(Reason.TENSORFLOW_ERROR, text)
  assert refusal.explanation.endswith("values: bfloat16, float32, half")


def test_ops_of_a_graph_show_one_stack_and_those_inside_it(monkeypatch):
  graph = tfi.OwnGraph("own")
  tfi.share_stack(graph)
  with graph.as_default():
    first = tf.constant([1.0])
    inner = tfi.OwnGraph("inner")
    with inner.as_default():
      second = tf.constant([1.0])
  assert first.op.traceback[-1].lineno == second.op.traceback[-1].lineno
  lines = []
  with tfi.OwnGraph("other").as_default():
    lines.append(tf.constant([1.0]).op.traceback)
    lines.append(tf.constant([1.0]).op.traceback)
  ours = [[entry.lineno for entry in each if entry.filename == __file__] for each in lines]
  assert ours[0][-1] + 1 == ours[1][-1]


# --- While graphs are made


def is_on():
  return flags.config().graph_building_optimization.value()


def test_the_switch_is_left_as_it_was():
  assert not is_on()
  with pytest.raises(KeyError), tfi.building():
    with tfi.building():
      assert is_on()
    assert is_on()
    raise KeyError
  assert not is_on()


def test_the_switch_stays_on_while_another_thread_needs_it():
  entered, go_on = threading.Event(), threading.Event()

  def other():
    with tfi.building():
      entered.set()
      go_on.wait(30)

  thread = threading.Thread(target=other)
  with tfi.building():
    thread.start()
    assert entered.wait(30)
  assert is_on()
  go_on.set()
  thread.join()
  assert not is_on()


def test_collection_goes_on_as_it_was():
  with pytest.raises(KeyError), _collection.paused():
    with _collection.paused():
      assert not gc.isenabled()
    assert not gc.isenabled()
    raise KeyError
  assert gc.isenabled()
  gc.disable()
  try:
    with _collection.paused():
      pass
    assert not gc.isenabled()  # The program wants it so.
  finally:
    gc.enable()


@pytest.mark.parametrize("is_end", [False, True])
def test_garbage_of_an_attempt_goes_before_the_next(is_end):
  class Loop:
    alive = 0

    def __init__(self):
      self.me = self
      Loop.alive += 1

    def __del__(self):
      Loop.alive -= 1

  with _collection.paused():
    for _ in range(100_000):
      Loop()
    assert Loop.alive == 100_000
    _collection.look(is_end)
    assert Loop.alive == 0


class Node:
  def __init__(self, value, kids=()):
    self.value, self.kids = value, list(kids)


def test_a_conversion_looks_through_nothing_that_was_there_before():
  @rtf.recursive(strict=True, verify=False)
  def total(node):
    found = float(node.value)
    for kid in node.kids:
      if kid.value > 1:
        found = found * 2 + total(kid)
      else:
        found = found - total(kid)
    return found

  found = []

  def note(phase, info):
    if phase == "start" and not gc.isenabled():
      found.append(info["generation"])

  gc.callbacks.append(note)
  try:
    total(Node(1, [Node(2), Node(0)]))
  finally:
    gc.callbacks.remove(note)
  assert 2 not in found and gc.isenabled() and not is_on()


def doubled_until(loop, x, w):
  def body(i, y):
    return [i + 1, tf.cond(y[0] < 4.0, lambda: y * 2.0 + x, lambda: y[::-1] * w)]

  return loop(lambda i, y: tf.logical_and(i < 5, y[1] < 30.0), body, [tf.constant(0), x])[1]


def test_loops_are_made_by_us_and_compute_what_those_of_tensorflow_do():
  found = []
  for loop in (tfi.while_loop, tf.while_loop):

    @tf.function
    def run(x, w, loop=loop):
      with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = doubled_until(loop, x, w)
      return [y, *tape.gradient(y, [x, w])]

    x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 0.5])
    graph = run.get_concrete_function(x, w).graph
    (op,) = [op for op in graph.get_operations() if op.type == "StatelessWhile"][:1]
    is_ours = isinstance(op._body_graph, tfi.OwnGraph.__mro__[1])
    assert (
      is_ours == isinstance(op._cond_graph, tfi.OwnGraph.__mro__[1]) == (loop is not tf.while_loop)
    )
    found.append([value.numpy() for value in run(x, w)])
  for ours, expected in zip(*found, strict=True):
    assert ours.tolist() == expected.tolist()


@pytest.mark.parametrize("dtype", [tf.float32, tf.string, tf.int64])
@pytest.mark.parametrize("shape", [[2, None], [], None])
def test_what_is_captured_is_described_as_by_tensorflow(dtype, shape):
  described = []
  for graph in (tfi.OwnGraph("same"), func_graph.FuncGraph("same")):
    with tf.Graph().as_default() as outer:
      outside = tf.compat.v1.placeholder(dtype, shape, name="outside")
      graph.outer_graph = outer
      with graph.as_default(), tf.control_dependencies([tf.constant(1.5)]):
        inside = graph.capture(outside)
        assert graph.capture(outside) is inside and graph.capture(inside) is inside
        assert graph.inputs == [inside] and not inside.op.control_inputs
    assert graph.captures == [(outside, inside)] or graph.captures[0][1] is inside
    (kind,) = graph.function_captures.capture_types.values()
    described.append((kind, kind.name, inside.op.node_def, inside.shape.rank))
  assert described[0] == described[1]


def test_what_is_out_of_scope_is_not_captured():
  graph = tfi.OwnGraph("outer")
  with graph.as_default():
    inner = tfi.OwnGraph("inner")
    with inner.as_default():
      x = tf.constant(1.0)
    with pytest.raises(errors_impl.InaccessibleTensorError, match="out of scope"):
      graph.capture(x)
