"""The graphs of a program: one of a single call, others for rows of arguments."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Sequence

import tensorflow as tf

from recursive_tf import _collection
from recursive_tf import _tf_internals as tfi
from recursive_tf._config import config
from recursive_tf.autodiff import DenseRows
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.program._arguments import CONTAINER, Argument
from recursive_tf.convert.program._conversion import Conversion
from recursive_tf.convert.program._ops import has_nested_control
from recursive_tf.convert.program._steps import Kept
from recursive_tf.convert.program._transposed import fold_transposes
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Rows
from recursive_tf.convert.values._logits import LOGITS
from recursive_tf.subgraph import may_run_in_order

# Calls the entry function in a graph with arguments of these kinds: gives its result, and the
# arguments as they are then.
Enter = Callable[[Host, dict[str, Argument]], tuple[object, dict[str, object]]]
_IN_PARALLEL = contextlib.nullcontext()  # Graphs run as TensorFlow's executor does by itself.


@dataclasses.dataclass
class Graph:
  """One graph: of a single call, or of a mapped one.

  Attributes:
    function: the concrete function: takes and returns flat lists of tensors; a mapped one's last is
      the number of rows.
    form: what it returns, of one row.
    containers: forms of the lists that it was given and returns changed, by argument.
    keep: the tf.function behind it.
    given: by position, which of its results are what it was fed, at which position.
    same: by position, which of its results are an earlier one, at which position.
    logits: by position, where the logits are of results that are Keras' softmax or sigmoid.
    captures: what the function captures, if that is always the same.
    is_nested: whether there are loops or branches in its loops and branches.
    is_ordered: whether its ops may run in order on the thread that calls.
  """

  function: tf.types.experimental.ConcreteFunction
  form: _forms.BaseForm
  containers: dict[str, _forms.BaseForm]
  keep: tf.types.experimental.PolymorphicFunction
  given: dict[int, int] = dataclasses.field(default_factory=dict)
  same: dict[int, int] = dataclasses.field(default_factory=dict)
  logits: dict[int, int] = dataclasses.field(default_factory=dict)
  captures: list[object] | None = None
  is_nested: bool = False
  is_ordered: bool = False

  def run(self, tensors: Sequence[tf.Tensor]) -> list[object]:
    """Runs it on what `Program.feed` has returned."""
    captures = self.function.captured_inputs if self.captures is None else self.captures
    with _IN_PARALLEL if self.is_nested else executor():
      found = list(tfi.call_exactly(self.function, list(tensors), captures, self.is_ordered))
    for position, source in self.given.items():
      found[position] = tensors[source]  # To a tape, and to `is`, it is that very tensor.
    for position, source in self.same.items():
      found[position] = found[source]
    for position, source in self.logits.items():  # A loss of Keras' outside looks for them.
      setattr(found[position], LOGITS, found[source])
    return found


def executor() -> contextlib.AbstractContextManager[None]:
  """Has graphs run op by op where they are not to run in parallel, for measuring.

  Each branch or loop keeps a thread of TensorFlow's waiting there, so not for nested ones.
  """
  if "parallel" in config().optimizations:
    return _IN_PARALLEL
  return tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR")


class GraphMaker:
  """Makes the graphs of one program.

  Args:
    conversion: of the program, which has settled.
    enter: calls the entry function.
    result: the form of what it returns.
  """

  def __init__(self, conversion: Conversion, enter: Enter, result: _forms.Form):
    self._conversion = conversion
    self._enter = enter
    self._result = result

  def make(self, arguments: dict[str, Argument], is_mapped: bool) -> Graph:
    """Returns the graph for arguments of which some are mapped, or none.

    Raises:
      ConversionRefused: If it is not what its conversion found.
    """
    specs = self._conversion.layout.specs()
    specs["arguments"] = [
      tf.TensorSpec(
        (tf.TensorShape([None]) if argument.is_mapped else tf.TensorShape([])).concatenate(s.shape),
        s.dtype,
      )
      for argument in arguments.values()
      for s in argument.specs()
    ]
    made: list[Graph] = []
    step = self._conversion.step

    def compute(tensors: tuple[tf.Tensor, ...]) -> tuple[list[tf.Tensor], Frame]:
      fed = tf.nest.pack_sequence_as(specs, tensors)
      outputs, graph, frame = self._compute(fed, arguments, is_mapped)
      made.append(graph)
      return outputs, frame

    def run(*tensors: tf.Tensor) -> list[tf.Tensor]:
      self._conversion.dense_rows = DenseRows(tf.compat.v1.get_default_graph())
      return compute(tensors)[0]

    def run_step(*tensors: tf.Tensor) -> list[tf.Tensor]:
      assert step is not None  # Else it is not called.
      graph = tf.compat.v1.get_default_graph()
      with step.kept(graph) as kept:
        outputs, frame = compute(tensors)
        folded = fold_transposes(graph, step.writes(graph))
        if not is_mapped:
          outputs = self._leave(made[-1], frame, tensors, outputs, kept)
      step.finish(graph, outputs, kept, folded)
      return outputs

    run_all = run if step is None else run_step
    function = tf.function(run_all, input_signature=tf.nest.flatten(specs), autograph=False)
    # Its loops and branches are made for the executor that runs them.
    with executor(), tfi.building(), _collection.paused():
      concrete = function.get_concrete_function()
    captures = tfi.fixed_captures(concrete)
    return dataclasses.replace(
      made[-1],
      function=concrete,
      keep=function,
      captures=captures,
      is_nested=has_nested_control(concrete.graph),
      is_ordered=may_run_in_order(concrete.graph),
    )

  def _compute(
    self, fed: dict[str, object], arguments: dict[str, Argument], is_mapped: bool
  ) -> tuple[list[tf.Tensor], Graph, Frame]:
    """Makes the program in the current graph; returns what it gives, and what that is."""
    conversion = self._conversion
    (found, names), frame = conversion.build(fed, lambda ip: self._enter(ip, arguments))
    containers = {
      name: _forms.form_of(names[name], frame)
      for name, argument in arguments.items()
      if argument.kind == CONTAINER
    }
    if is_mapped:
      assert isinstance(found, Rows) and found.form is not None  # An argument is mapped.
      return [*found.tensors, found.length], Graph(None, found.form, containers, None), frame
    assert self._result is not None  # It has a graph.
    outputs = _forms.flatten(found, self._result, frame)
    for name, form in containers.items():
      outputs += _forms.flatten(names[name], form, frame)
    outputs += conversion.effects.results(frame, None)
    return outputs, Graph(None, self._result, containers, None), frame

  def _leave(
    self,
    graph: Graph,
    frame: Frame,
    tensors: Sequence[tf.Tensor],
    outputs: list[tf.Tensor],
    kept: Kept,
  ) -> list[tf.Tensor]:
    """Notes which results of a step are what it was fed, or each other; returns all that it gives.

    Args:
      graph: notes it.
      frame: outside of all bodies.
      tensors: what it is fed.
      outputs: the results.
      kept: what the step keeps of the graph.
    """
    step = self._conversion.step
    assert step is not None  # It is one.
    places = {id(tensor): position for position, tensor in enumerate(tensors)}
    graph.given = {i: places[id(t)] for i, t in enumerate(outputs) if id(t) in places}
    first = {id(t): i for i, t in reversed(list(enumerate(outputs)))}
    graph.same = {i: first[id(t)] for i, t in enumerate(outputs) if first[id(t)] < i}
    with_logits = {i: t for i, t in enumerate(outputs) if hasattr(t, LOGITS)}
    graph.logits = {i: len(outputs) + n for n, i in enumerate(with_logits)}
    outputs += [getattr(t, LOGITS) for t in with_logits.values()]
    awaited = step.awaited(tf.compat.v1.get_default_graph(), kept)
    return frame.tied(outputs or [tf.zeros([])], computed=awaited)
