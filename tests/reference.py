"""The oracle: recursive programs as plain Python recursion, without SubGraphs, batching or stash.

A program is a function `body(call, *args)` that calls `call(...)` or `call.map(...)` where it
recurs. `Unrolled` runs it by Python's own recursion over eager TensorFlow ops; `as_subgraph` makes
a SubGraph of the same text. Everything the core computes is compared with the former.
"""

import tensorflow as tf

import recursive_tf as rtf

# By type: what two evaluations of one program may differ by, relative to the larger value and 1.
TOLERANCE = {tf.float64: 1e-9, tf.float32: 1e-4}


class Unrolled:
  """Runs `body` by Python recursion.

  Attributes:
    num_calls: bodies run so far.
  """

  def __init__(self, body, inputs, outputs=None):
    self.body, self.inputs, self.outputs = body, inputs, outputs
    self.num_calls = 0

  def __call__(self, *args):
    """Runs the body once, and all it calls."""
    self.num_calls += 1
    args = [convert(a, s) for a, s in zip(args, self.inputs, strict=True)]
    if self.num_calls > 1:
      return self.body(self, *args)
    tf.config.run_functions_eagerly(True)  # A tf.function in the body is Python, too.
    try:
      return self.body(self, *args)
    finally:
      tf.config.run_functions_eagerly(False)

  def map(self, *args):
    """Runs the body row by row and stacks the results."""
    args = [convert(a, s) for a, s in zip(args, self.inputs, strict=True)]
    num_rows = len(tf.nest.flatten(args)[0])
    if num_rows == 0:
      return tf.nest.map_structure(lambda s: tf.zeros([0, *s.shape], s.dtype), self.outputs)
    rows = [self(*tf.nest.map_structure(lambda a, i=i: a[i], args)) for i in range(num_rows)]
    return tf.nest.map_structure(lambda *parts: tf.stack(parts), *rows)


def as_subgraph(body, inputs, outputs=None, name="program", **options):
  """Returns the SubGraph of `body`.

  Args:
    body: the program.
    inputs: list of specs or nests of specs.
    outputs: nest of specs, or None to have it found.
    name: the SubGraph's name.
    **options: as for `rtf.SubGraph`.
  """
  with rtf.SubGraph(name, outputs=outputs, **options) as f:
    args = [f.input(spec) for spec in inputs]
    f.output(body(f, *args))
  return f


def assert_same(actual, expected):
  """Compares two nests of tensors: types, shapes, and values within TOLERANCE.

  Where the oracle never came by, it has no gradient (None); a graph, which has to be ready to come
  by, may say None or zero.
  """
  tf.nest.assert_same_structure(actual, expected, expand_composites=False)
  for a, e in zip(tf.nest.flatten(actual), tf.nest.flatten(expected), strict=True):
    if a is None and e is None:
      continue
    assert a is not None, f"got None, expected {e}"
    a = tf.convert_to_tensor(a)
    e = tf.zeros_like(a) if e is None else tf.convert_to_tensor(e)
    assert a.dtype == e.dtype and a.shape == e.shape, f"got {a}, expected {e}"
    if e.dtype not in TOLERANCE:
      assert (a.numpy() == e.numpy()).all(), f"got {a}, expected {e}"
      continue
    scale = max(1.0, float(tf.reduce_max(tf.abs(e)))) if tf.size(e) else 1.0
    error = float(tf.reduce_max(tf.abs(a - e))) if tf.size(e) else 0.0
    assert error <= TOLERANCE[e.dtype] * scale, f"off by {error}: got {a}, expected {e}"


def convert(value, spec):
  """Makes tensors of the spec's types of a nest of values."""
  return tf.nest.map_structure(lambda v, s: tf.convert_to_tensor(v, s.dtype), value, spec)
