"""Rows of variables whose gradients leave loops and branches of a graph as rows.

TensorFlow adds the gradient of a variable up, as a tensor as large as it, where it comes out of a
loop or a branch. Here each read of rows is led past a token of the variable and the tape, too. The
token's gradient is a list of the rows, a variant, of which TensorFlow adds lists up as it adds up
tensors: one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import UnsupportedGradientError
from recursive_tf._ops import kernels

# Ops of what a variable holds that have no gradient.
_OF_SHAPE = ("Shape", "Size", "Rank", "VariableShape")


class TappedRows:
  """The reads of rows that the tapes of a graph see.

  Args:
    graph: where the tapes are made. Those of graphs inside are left alone.
  """

  def __init__(self, graph: tfi.Graph):
    self._graph = graph
    self._tapes: list[tf.GradientTape] = []
    self._others: list[tf.GradientTape] = []
    self._tokens: dict[tuple[int, int], tf.Tensor] = {}

  def note(self, tape: tf.GradientTape) -> None:
    """Notes a tape of the program."""
    is_here = tf.compat.v1.get_default_graph() is self._graph
    (self._tapes if is_here else self._others).append(tape)

  def rows(self, variable: tf.Variable, rows: tf.Tensor) -> tf.Tensor:
    """Returns rows that were read of a variable while nothing was recorded, as the tape sees them.

    Args:
      variable: it.
      rows: what `tf.gather` gives of it.
    """
    token = self._token(variable.handle)
    read = _read_behind(rows)
    assert token is not None and read is not None  # `is_tapping`, `gives_rows`.
    return kernels.recursive_tf_tap_rows(rows, read.inputs[1], variable.handle, token)

  def is_recording(self) -> bool:
    """Tells whether one of the tapes records, and no other one."""
    return self._recording() is not None

  def is_tapping(self, variable: tf.Variable) -> bool:
    """Tells whether a tape records alone, and sees what is read of a variable."""
    if self._recording() is None or not _is_table(tfi.spec_of_variable(variable.handle)):
      return False
    tfi.variable_accessed(variable)
    return self._token(variable.handle) is not None

  def gather(
    self, inputs: Sequence[tf.Tensor], create: Callable[[], tfi.Operation]
  ) -> tfi.Operation:
    """Makes a "GatherV2", of rows that are led past a token if they are those of a variable.

    Args:
      inputs: its inputs.
      create: makes it.
    """
    values, _, axis = inputs
    if hasattr(values, "numpy"):  # Known at conversion.
      return create()
    read = values.op
    while read.type == "Identity":
      read = read.inputs[0].op
    if read.type != "ReadVariableOp" or tf.get_static_value(axis) != 0:
      return create()
    handle = tfi.outermost(read.inputs[0])
    token = self._token(handle) if _is_table(tfi.spec_of_variable(handle)) else None
    if token is None:
      return create()
    # First: how variables are read is told in the order in which ops were made.
    tapped = kernels.recursive_tf_tap_table(values, token)
    op = create()
    if not op.get_attr("batch_dims"):
      tfi.update_input(op, 0, tapped)
    return op

  def token(self, tape: tf.GradientTape, variable: tf.Variable) -> tf.Tensor | None:
    """Returns what has the gradient of all that a tape sees of a variable, if it is rows alone."""
    token = self._tokens.get((id(tape), id(variable.handle)))
    if token is None or not self._reads_rows_alone(variable.handle):
      return None
    return token

  def gradient(self, listed: tf.Tensor, variable: tf.Variable) -> tf.IndexedSlices:
    """Returns the gradient of a token as that of the variable: in some order of its rows."""
    spec = tfi.spec_of_variable(variable.handle)
    values, indices = kernels.recursive_tf_listed_rows(
      listed, T=spec.dtype, row_shape=spec.shape[1:]
    )
    return tf.IndexedSlices(values, indices, tf.constant(spec.shape.as_list(), tf.int32))

  def _recording(self) -> tf.GradientTape | None:
    recording = [tape for tape in self._tapes if tfi.records(tape)]
    if len(recording) != 1 or any(map(tfi.records, self._others)) or not tfi.is_recording():
      return None
    return recording[0]

  def _token(self, handle: tf.Tensor) -> tf.Tensor | None:
    tape = self._recording()
    if tape is None or all(each.handle is not handle for each in tape.watched_variables()):
      return None
    key = id(tape), id(handle)
    if key not in self._tokens:
      with self._graph.as_default(), tf.control_dependencies(None):
        self._tokens[key] = kernels.recursive_tf_row_token()
      tape.watch(self._tokens[key])
    return self._tokens[key]

  def _reads_rows_alone(self, handle: tf.Tensor) -> bool:
    """Tells whether all that the graph, and those inside, read of a variable is tapped."""
    agenda = [(self._graph.capture(handle), False)]
    while agenda:
      tensor, is_carried = agenda.pop()
      if _is_given(tensor, is_carried):
        return False
      for op in tensor.consumers():
        is_loop = op.type in tfi.LOOPS
        inner = _inside(op, tensor)
        agenda += [(inside, is_loop) for inside in inner]
        if is_loop:  # What it gives on unchanged, too.
          agenda += [(op.outputs[place], False) for place in _places(op, tensor)]
        elif inner:
          continue
        elif op.type in ("ReadVariableOp", "Identity"):
          agenda += [(output, False) for output in op.outputs]
        elif not _is_tapped(op) and op.outputs and op.type not in _OF_SHAPE:
          return False
    return True


def _is_table(spec: tf.TensorSpec | None) -> bool:
  """Tells whether a variable has rows of a known size, of numbers that have gradients."""
  if spec is None or not spec.shape.rank or not spec.shape.is_fully_defined():
    return False
  return spec.dtype.is_floating and 0 not in spec.shape


def gives_rows(rows: object, variable: tf.Variable) -> bool:
  """Tells whether a tensor is what was read of a variable by rows."""
  read = _read_behind(rows) if isinstance(rows, tf.Tensor) else None
  return read is not None and tfi.outermost(read.inputs[0]) is variable.handle


def _read_behind(rows: tf.Tensor) -> tfi.Operation | None:
  op = rows.op
  while op.type == "Identity":
    op = op.inputs[0].op
  is_read = op.type == "ResourceGather" and not op.get_attr("batch_dims")
  return op if is_read else None


def _places(op: tfi.Operation, tensor: tf.Tensor) -> list[int]:
  """Returns where a tensor is among what an op gives the graphs inside it."""
  inputs = op.inputs[1:] if op.type in tfi.CONDITIONALS else op.inputs
  return [index for index, each in enumerate(inputs) if each is tensor]


def _inside(op: tfi.Operation, tensor: tf.Tensor) -> list[tf.Tensor]:
  """Returns what stands for an op's input in the graphs inside it."""
  graphs = tfi.nested_graphs(op)
  return [graph.inputs[place] for graph in graphs for place in _places(op, tensor)]


def _is_given(tensor: tf.Tensor, is_carried: bool) -> bool:
  """Tells whether a graph inside gives a tensor; not as what a loop carries from turn to turn."""
  inputs, outputs = tensor.graph.inputs, tensor.graph.outputs
  places = [index for index, output in enumerate(outputs) if output is tensor]
  return any(not is_carried or inputs[index] is not tensor for index in places)


def _is_tapped(op: tfi.Operation) -> bool:
  """Tells whether the gradient of what an op reads goes to a token, too."""
  if op.type.startswith("RecursiveTf>Tap"):
    return True
  if op.type != "ResourceGather":
    return False
  agenda = list(op.outputs)
  while agenda:
    for user in agenda.pop().consumers():
      if user.type == "Identity":
        agenda += user.outputs
      elif user.type != "RecursiveTf>TapRows":
        return False
  return True


tfi.note_read_only_op("RecursiveTf>TapRows")
# TensorFlow makes gradients of gradients of loops under a persistent tape, wanted or not. What is
# read of a list has no gradient, and says so: none can come back to what was put into it.
tf.no_gradient("RecursiveTf>ListRows")


@tf.RegisterGradient("RecursiveTf>TapRows")
def _gradient_of_rows(op: tfi.Operation, gradient: Any) -> list[Any]:
  """Returns what the gradient of the read is, and a list of it for the token."""
  _, indices, table, _ = op.inputs
  gradient = tf.convert_to_tensor(gradient)
  shape = tfi.spec_of_variable(table).shape
  values = tf.reshape(gradient, [-1, *shape[1:]])
  numbers = tf.reshape(indices, [-1])
  slices = tf.IndexedSlices(values, numbers, tf.constant(shape.as_list(), tf.int32))
  return [None, None, slices, kernels.recursive_tf_list_rows(gradient, indices)]


@tf.RegisterGradient("RecursiveTf>TapTable")
def _gradient_of_table(_: tfi.Operation, gradient: Any) -> list[Any]:
  if not isinstance(gradient, tf.IndexedSlices):
    raise UnsupportedGradientError("The gradient of rows that were read is no rows.")
  return [gradient, kernels.recursive_tf_list_rows(gradient.values, gradient.indices)]
