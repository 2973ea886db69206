"""Calls of the raw ops, as a graph that no SubGraph has made may hold them."""

import tensorflow as tf

from recursive_tf._ops import kernels

ANY = tf.TensorShape(None)
FLOAT = tf.TensorSpec([], tf.float32)
FRAME = tf.TensorSpec([], tf.variant)

# A batched program of one body: result = block 0 (argument).
PROGRAM = [
  *[1, 0, 1, 1, 0],  # version, entry, bodies, blocks, captures
  *[1, 2, 2, 1, 1, 2],  # arguments, registers, events, groups, results, units
  *[0, 1, 0, 1],  # unit 0: after one event, run block 0, fire event 1
  *[5, 1, 0, 1, 1, 0],  # unit 1: after one event, return group 0: register 1 is result 0
  *[1, 0, 1, 1],  # event 0 lets unit 0 go on, event 1 unit 1
  *[0, 0, 0, 1, 0, 0, 0, 1, 1, 1],  # block 0: function 0, body 0, input, no captures, output
]
# Its gradient: function 0 takes that of output 0 and returns that of input 0.
GRADIENT_PROGRAM = [1, 1, 0, 1, 0, 0, 1, 0, 0]


def body(function, *specs):
  """A body: `function(frame, ...)` of one float, unless `specs` say more."""
  return concrete(function, FRAME, *(specs or [FLOAT]))


def concrete(function, *specs):
  """A function with an input for each spec."""
  return tf.function(function, input_signature=specs).get_concrete_function()


def _run(op, functions, attributes):
  @tf.function(autograph=False)
  def run():
    for function in functions:
      function.add_to_graph(tf.compat.v1.get_default_graph())
    return op(**attributes)

  return run()


def launch(bodies=None, args=(1.0,), **attributes):
  """Runs a Launch; by default of the body x + 1, key "f_0"."""
  bodies = bodies or [body(lambda frame, x: x + 1.0)]
  defaults = {
    "args": [tf.convert_to_tensor(arg) for arg in args],
    "captures": [],
    "Tresults": [tf.float32],
    "bodies": [function.name for function in bodies],
    "body_keys": [f"f_{i}" for i in range(len(bodies))],
    "num_captures": [0] * len(bodies),
    "num_results": [1] * len(bodies),
    "entry": "f_0",
  }
  attributes = defaults | attributes
  attributes.setdefault("output_shapes", [ANY] * len(attributes["Tresults"]))
  return _run(kernels.recursive_tf_launch, bodies, attributes)


def trained():
  """The `run` of a Launch that kept residuals."""
  return launch(keeps_residuals=True).run


def launch_backward(run, bodies=None, gradients=(1.0,), **attributes):
  """Runs a LaunchBackward; by default of the backward body 2 * dy."""
  bodies = bodies or [body(lambda frame, dy: 2.0 * dy)]
  defaults = {
    "run": run,
    "gradients": [tf.convert_to_tensor(gradient) for gradient in gradients],
    "extras": [],
    "Targ_gradients": [tf.float32],
    "Tslots": [],
    "output_shapes": [ANY],
    "bodies": [function.name for function in bodies],
    "body_keys": [f"f_{i}" for i in range(len(bodies))],
    "num_capture_inputs": [0] * len(bodies),
    "capture_inputs": [],
    "num_extras": [0] * len(bodies),
    "num_slots": [0] * len(bodies),
    "slot_kinds": [],
    "slot_captures": [],
    "slot_shapes": [],
    "entry": "f_0",
  }
  return _run(kernels.recursive_tf_launch_backward, bodies, defaults | attributes)


def invoke(frame, x, key="f_0", mapped=False, dtypes=(tf.float32,), shapes=None):
  """Emits an Invoke or InvokeMap and returns its results."""
  op = kernels.recursive_tf_invoke_map if mapped else kernels.recursive_tf_invoke
  shapes = [ANY] * len(dtypes) if shapes is None else shapes
  return op(frame, [x], Tresults=list(dtypes), output_shapes=shapes, body_key=key).results


def invoke_backward(frame, key, dy, mapped=False, dtypes=(tf.float32,), shapes=(ANY,)):
  """Emits an InvokeBackward or InvokeMapBackward and returns the first gradient."""
  ops = kernels.recursive_tf_invoke_backward, kernels.recursive_tf_invoke_map_backward
  key = tf.constant(key, tf.int64)
  return ops[mapped](
    frame, key, [dy], Targ_gradients=list(dtypes), output_shapes=list(shapes), body_key="f_0"
  )[0]


def launch_with_caller(function):
  """Runs the body `function(frame, x)`, which may call the body x + 1, key "f_0"."""
  return launch([body(lambda frame, x: x + 1.0), body(function)], entry="f_1").results[0]


def launch_batched(program=None, function=None, args=(1.0,), bodies=1, **attributes):
  """Runs a LaunchBatched; by default of PROGRAM with the function x + 1."""
  function = function or concrete(lambda x: x + 1.0, tf.TensorSpec([None], tf.float32))
  defaults = {
    "args": [tf.convert_to_tensor(arg) for arg in args],
    "captures": [],
    "Tresults": [tf.float32],
    "output_shapes": [ANY],
    "functions": [function.name],
    "body_names": ["f", "g"][:bodies],
    "block_names": ["block"],
    "program": PROGRAM if program is None else program,
    "entry": "f_0",
  }
  return _run(kernels.recursive_tf_launch_batched, [function], defaults | attributes)


def trained_batched(**attributes):
  """The `run` of a LaunchBatched that kept its tape."""
  return launch_batched(keeps_residuals=True, **attributes).run


def launch_batched_backward(run, function=None, gradients=(1.0,), **attributes):
  """Runs a LaunchBatchedBackward; by default of GRADIENT_PROGRAM with the function dy."""
  function = function or concrete(lambda dy: dy * 1.0, tf.TensorSpec([None], tf.float32))
  defaults = {
    "run": run,
    "gradients": [tf.convert_to_tensor(gradient) for gradient in gradients],
    "Targ_gradients": [tf.float32],
    "Tslots": [],
    "output_shapes": [ANY],
    "functions": [function.name],
    "program": GRADIENT_PROGRAM,
    "arg_positions": [0],
    "slot_kinds": [],
    "slot_captures": [],
    "slot_shapes": [],
    "entry": "f_0",
  }
  return _run(kernels.recursive_tf_launch_batched_backward, [function], defaults | attributes)
