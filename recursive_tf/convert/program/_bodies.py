"""The bodies of one attempt: a SubGraph for each function and kind of arguments."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Sequence

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._frame_effects import Effects
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Conversion, Host
from recursive_tf.convert.frame._lifting import Lifted
from recursive_tf.convert.program._instances import NOTHING, Instance, name_of_function
from recursive_tf.convert.program._learnt import RESULT, Learnt
from recursive_tf.convert.program._logits import Logits
from recursive_tf.convert.program._ops import check_stateful
from recursive_tf.convert.semantics._interpreter import Interpreter
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Bottom, Ref, Scope
from recursive_tf.subgraph import SubGraph


class Bodies:
  """Makes the bodies of one conversion, anew in each attempt.

  Attributes:
    instances: those of this attempt, by key.
    entry: of an entry function that runs in the graph itself, once it has run in this attempt.
    is_random: whether any draws random numbers.
  """

  def __init__(
    self,
    conversion: Conversion,
    learnt: Learnt,
    effects: Effects,
    logits: Logits,
    entry_node: ast.AST,
  ):
    """Begins without any.

    Args:
      conversion: what they are part of.
      learnt: what attempts have found out.
      effects: what they write.
      logits: the tensors with logits in them.
      entry_node: the definition of the entry function.
    """
    self.instances: dict[object, Instance] = {}
    self.entry: Instance | None = None
    self.is_random = False
    self._conversion = conversion
    self._learnt = learnt
    self._effects = effects
    self._logits = logits
    self._entry_node = entry_node
    self._graph: tfi.Graph = None
    self._queue: list[Instance] = []

  def begin_attempt(self, graph: object) -> None:
    """Forgets all bodies; those to come are for this graph."""
    self.instances, self._queue, self.entry = {}, [], None
    self._graph = graph

  def entry_of(self, node: ast.AST) -> Instance:
    """Returns the instance of an entry function."""
    if self.entry is not None:
      return self.entry
    return next(i for i in self.instances.values() if i.node is node)

  def missing(self) -> Instance | None:
    """Returns an instance of which it is not known what it returns; None if there is none."""
    return next((i for i in self.instances.values() if i.result is None), None)

  def instance(
    self,
    key: Hashable,
    source: FunctionSource,
    node: ast.FunctionDef,
    lifted: Lifted,
    forms: tuple[_forms.BaseForm, ...],
    frame: Frame,
  ) -> Instance:
    """Returns the instance of a function for arguments of these forms; its body is made later.

    Args:
      key: of the instance.
      source: where the function is.
      node: its definition.
      lifted: the arguments.
      forms: theirs.
      frame: where it is called.

    Raises:
      Bottom: If the next attempt makes it for wider forms.
      ConversionRefused: If other calls pass other things.
    """
    learnt = self._learnt
    known = learnt.variants.forms.get(key)
    try:
      joined = forms if known is None else tuple(map(frame.join, known, forms))
    except _forms.Mismatch as error:
      raise frame.refuse(
        Reason.KINDS_DIFFER, f"Calls of {node.name} pass {error} for one parameter."
      ) from None
    if joined != known:
      learnt.note_call()
      if known is None:
        learnt.variants.admit(frame, key, joined, node)
      learnt.variants.forms[key] = joined
    if key not in self.instances:
      result = learnt.results.get(key)
      outputs = None if result is None else self._outputs(key, result)
      name = name_of_function(node)
      with self._graph.as_default():
        inputs, max_depth = self._inputs_of(key, joined), self._conversion.max_depth()
        subgraph = SubGraph(name, inputs=inputs, outputs=outputs, max_depth=max_depth)
      instance = Instance(key, name, node, source, lifted, joined, result, subgraph)
      self.instances[key] = instance
      self._queue.append(instance)
      self._conversion.note_converted(source, node, "SubGraph")
    instance = self.instances[key]
    if instance.forms != joined:
      raise Bottom  # The next attempt begins with the wider form.
    return instance

  def _inputs_of(self, key: Hashable, forms: tuple[_forms.BaseForm, ...]) -> list[tf.TensorSpec]:
    """Returns the specs of an instance's arguments, and of the state that it is given."""
    specs = [spec for form in forms for spec in _forms.specs(form)] or [NOTHING]
    specs += [tf.TensorSpec([], _forms.NUMBER)] * len(self._learnt.crossing(key).numbered)
    return specs + [s for place in self._effects.passed(key) for s in _forms.specs(place.form)]

  def _outputs(self, key: Hashable, result: _forms.Form) -> tuple[tf.TensorSpec, ...]:
    """Returns the specs of an instance's result, changed arguments, and changed state."""
    specs = [*_forms.specs(result)]
    specs += [spec for form in self._learnt.changed_forms(key) for spec in _forms.specs(form)]
    specs += [s for place in self._effects.returned(key) for s in _forms.specs(place.form)]
    return tuple(specs) or (NOTHING,)

  def make(self) -> None:
    """Makes the bodies of all instances that are known by now."""
    with tfi.stop_recording(), self._graph.as_default():
      while self._queue:
        self._trace(self._queue.pop(0))

  def _trace(self, instance: Instance) -> None:
    frame = Frame(self._conversion, instance.key)
    subgraph = instance.subgraph
    assert subgraph is not None  # Only the entry may have none.
    if instance.key in self._learnt.left:
      self._conversion.leave_body(self._learnt.left[instance.key])
      return
    try:
      with subgraph:
        graph = tf.compat.v1.get_default_graph()
        outputs = self._outputs_of(instance, subgraph, frame)
        subgraph.output(tuple(outputs))
        origin = instance.source.origin(instance.node)
        self.is_random |= check_stateful(graph, instance.name, origin)
        if self._conversion.is_step:
          self._conversion.note_reads(tfi.reads_of_variables(graph, is_inside=True))
    except Bottom:
      instance.result = None
    except _forms.Mismatch as error:
      instance.result = None
      refusal = frame.refuse(Reason.KINDS_DIFFER, f"{instance.name} returns {error}.")
      self._conversion.postpone(refusal)
    except ConversionRefused as refusal:
      instance.result = None
      if self._conversion.leave_body(refusal):
        self._learnt.leave(instance.key, refusal)
    self._conversion.budget.done(graph)

  def _outputs_of(self, instance: Instance, subgraph: SubGraph, frame: Frame) -> list[tf.Tensor]:
    """Runs a function in the graph of its body; returns what that gives.

    Raises:
      Bottom: If anything new was found out, or is not known yet.
    """
    learnt = self._learnt
    specs = self._inputs_of(instance.key, instance.forms)
    source = iter([subgraph.input(spec) for spec in specs])
    values = [frame.adopt(_forms.unflatten(form, source)) for form in instance.forms]
    names = zip(instance.lifted.values, values, strict=True)
    values = [frame.from_source((instance.node, name), value) for name, value in names]
    if not any(list(_forms.specs(form)) for form in instance.forms):
      next(source)  # The argument of functions without any.
    crossing = learnt.crossing(instance.key)
    numbers = dict(zip(crossing.numbered, source, strict=False))
    self._effects.begin(frame, lambda place: source)
    rebuilt = instance.lifted.rebuild(values, frame)
    crossing.begin(frame.sharing, rebuilt.containers)
    frame.given = rebuilt.containers
    for slot, handle in numbers.items():
      if slot in rebuilt.containers:
        frame.note_number(rebuilt.containers[slot], handle)
    scope = frame.new(Scope(dict(rebuilt.names), rebuilt.outer, instance.source))
    frame.parameters = {
      name: value.base.handle for name, value in rebuilt.names.items() if isinstance(value, Ref)
    }
    result = Interpreter(frame, self._conversion).run(instance.node, scope)
    joined = learnt.joined_result(instance, result, frame)
    result = frame.made(result, joined)
    learnt.note_changed(instance, rebuilt, frame)
    self._effects.note_written(frame, instance.key)
    now = rebuilt.now()
    results: dict[object, object] = {i: now[i] for i in learnt.changed[instance.key]}
    results[RESULT] = result
    if crossing.end(frame.sharing, rebuilt.containers, rebuilt.contents, results):
      learnt.note_news()
    if learnt.has_news:
      raise Bottom
    outputs = _forms.flatten(result, joined, frame)
    for position, form in learnt.changed[instance.key].items():
      outputs += _forms.flatten(now[position], form, frame)
    outputs += self._effects.results(frame, instance.key)
    if instance.node is self._entry_node:
      self._logits.check(frame, outputs, self._conversion.is_step)
    outputs = frame.tied(outputs or [tf.zeros([], tf.int32)])
    learnt.note_read_at_once(instance, values, outputs)
    return outputs

  def run_entry(
    self, ip: Host, source: FunctionSource, lifted: Lifted, forms: Sequence[_forms.BaseForm]
  ) -> object:
    """Runs the entry function in the graph itself, and returns its result.

    Args:
      ip: of the frame outside of all bodies.
      source: the function.
      lifted: its arguments.
      forms: theirs.
    """
    learnt, frame, node = self._learnt, ip.frame, source.node
    rebuilt = lifted.rebuild(list(lifted.values.values()), frame)
    key = id(node), "entry"
    crossing = learnt.crossing(key)
    crossing.begin(frame.sharing, rebuilt.containers)
    frame.given = rebuilt.containers
    frame.parameters = {
      name: value.base.handle for name, value in lifted.values.items() if isinstance(value, Ref)
    }
    self._conversion.note_converted(source, node, "graph")
    found = ip.run(node, frame.new(Scope(dict(rebuilt.names), None, source)))
    name = name_of_function(node)
    known = learnt.results.get(key)
    entry = Instance(key, name, node, source, lifted, tuple(forms), known, None)
    try:
      entry.result = learnt.joined_result(entry, found, frame)
      found = frame.made(found, entry.result)
    except _forms.Mismatch as error:
      raise frame.refuse(Reason.KINDS_DIFFER, f"{name} returns {error}.") from None
    learnt.note_changed(entry, rebuilt, frame)
    now = rebuilt.now()
    results: dict[object, object] = {i: now[i] for i in learnt.changed[key]}
    results[RESULT] = found
    if crossing.end(frame.sharing, rebuilt.containers, rebuilt.contents, results):
      learnt.note_news()
    self._effects.note_left(frame, results, rebuilt.containers.values())
    self.entry = entry
    if learnt.is_trial and not learnt.has_news:  # What is read only to be returned is read, too.
      with self._logits.leaving():
        outputs = _forms.flatten(found, entry.result, frame)
        for position, form in learnt.changed[key].items():
          outputs += _forms.flatten(now[position], form, frame)
        outputs += self._effects.results(frame, None)
      self._logits.check(frame, outputs, is_step=True)
      frame.tied(outputs)
    return found
