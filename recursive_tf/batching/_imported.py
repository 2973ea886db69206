"""Plans of ops that a SavedModel brought into this process: what their gradients need."""

from __future__ import annotations

from recursive_tf import _tf_internals as tfi
from recursive_tf.batching import _program
from recursive_tf.batching._gradients import (
  BlockGradient,
  differentiate,
  make_training_functions,
)


class ImportedBlock:
  """A block's graph, rebuilt from its function; stands for a `BlockFunction`."""

  def __init__(self, launch: tfi.Operation, name: str, arity: _program.BlockArity, body: str):
    self.graph = tfi.function_graph(launch.graph, name)
    self.body = body
    self.inputs = list(self.graph.inputs[: arity.num_inputs])
    self.captures = list(self.graph.inputs[arity.num_inputs :])
    self.capture_indices = arity.captures
    self.outputs = list(self.graph.outputs[: arity.num_outputs])
    first = len(launch.get_attr("Targs"))
    for index, placeholder in zip(arity.captures, self.captures, strict=True):
      tfi.copy_handle_data(launch.inputs[first + index], placeholder)


class ImportedPlan:
  """What the gradient of a launch needs, from the attributes of the op.

  Attributes:
    connected: positions of the arguments that have a gradient: all of a type that can.
  """

  def __init__(self, launch: tfi.Operation):
    names = [function.name for function in launch.get_attr("functions")]
    body = launch.get_attr("entry").decode()
    arities = _program.block_arities(launch.get_attr("program"))
    blocks = [
      ImportedBlock(launch, name, arity, body) for name, arity in zip(names, arities, strict=True)
    ]
    self._gradients = [differentiate(block) for block in blocks]
    self._training_functions = make_training_functions(blocks, self._gradients)
    args = launch.inputs[: len(launch.get_attr("Targs"))]
    self.connected = [i for i, arg in enumerate(args) if tfi.is_trainable(arg)]

  def gradients(self) -> list[BlockGradient | None]:
    """Returns the gradient of each block."""
    return self._gradients

  def training_functions(self) -> list[tfi.Function]:
    """Returns the functions of the blocks that also return the residuals."""
    return self._training_functions
