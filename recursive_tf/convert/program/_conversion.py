"""Makes SubGraphs of a function and all that it calls recursively.

What a recursive call returns, which functions are recursive and which types a parameter sees is
only known when all bodies are there. So a conversion tries: each attempt makes all bodies in a
graph that is thrown away, with what the attempts before it found out, until nothing new is found.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._containers import DICTS
from recursive_tf.convert.effects._frame_effects import Effects
from recursive_tf.convert.effects._places import check_no_variable
from recursive_tf.convert.frame._budget import Budget
from recursive_tf.convert.frame._crossing import Crossing
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._inputs import Inputs, Layout
from recursive_tf.convert.frame._left_out import Branches, LeftOut, Site
from recursive_tf.convert.frame._lifting import Lifted, Rebuilt
from recursive_tf.convert.frame._rows import repeated
from recursive_tf.convert.frame._sharing import Slot, name_of
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.heap._guards import Guards, number
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.program._instances import NOTHING, Instance, name_of_function
from recursive_tf.convert.program._ops import check_stateful, gathered
from recursive_tf.convert.program._sources import Sources
from recursive_tf.convert.program._steps import Step
from recursive_tf.convert.program._variants import Endless, Variants, skeleton
from recursive_tf.convert.semantics import _graph_loops
from recursive_tf.convert.semantics._interpreter import Interpreter
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Base,
  Bottom,
  Closure,
  Container,
  Dear,
  Ref,
  Rows,
  Scope,
)
from recursive_tf.convert.values._logits import has_logits, may_have_lost
from recursive_tf.convert.values._operands import Mapped
from recursive_tf.subgraph import SubGraph

_MAX_ATTEMPTS = 40


class PromoteArgument(Exception):  # noqa: N818 - control flow, never reaches the user
  """An argument is a list that the program changes: its content has to be passed.

  The argument's name is its only argument.
  """


class Conversion:
  """The conversion of one entry function for one kind of arguments.

  Attributes:
    profile, guards, effects, inputs, columns, recursive: what its parts say.
    is_random: whether it draws random numbers.
    budget: what its attempts may still cost.
    has_handlers: whether a part of it catches exceptions.
    branches: those that it leaves out.
    stand_ins: lists and dicts that it knows, by the number of what is in their place by now.
    loses_logits: whether a tensor with logits of Keras' goes on as another one, without them.
    given: dicts among the arguments, in whose place each call has its own.
  """

  def __init__(
    self,
    profile: Profile,
    sources: Sources,
    changing: dict[Any, Any],
    root_types: frozenset[type],
    entry_node: ast.AST,
    budget: Budget,
    step: Step | None = None,
    left_out: dict[Site, LeftOut] | None = None,
  ):
    """Begins it.

    Args:
      profile: what is known of the user's objects.
      root_types: the types of the objects that the entry function is called with.
      budget: what its attempts may cost.
      sources: the user's functions after the passes.
      changing: places whose numbers change from run to run.
      entry_node: the definition of the entry function.
      step: what it does to variables, if it runs in the graph itself and not as a SubGraph.
      left_out: branches of the entry function that it leaves out.
    """
    self.budget = budget
    self.branches = Branches(left_out or {})
    self.step = step
    self.has_handlers = False
    self._entry: Instance | None = None
    self._made: list[Any] = []
    self._is_calling = False  # A call is done with what it is given before anything is written.
    self.root_types = root_types
    self.entry_node = entry_node
    self.profile = profile
    self._sources = sources
    self.effects = Effects(self._note_news, profile.add_root)
    self.recursive: set[ast.AST] = set()
    self.converted: dict[tuple[str, int, str], str] = {}
    self._changing = changing
    self._results: dict[Any, Any] = {}
    self._changed: dict[Any, dict[int, Any]] = {}
    self._variants = Variants()
    self._read_at_once: dict[Any, frozenset[int]] = {}  # By instance: positions of parameters.
    self._crossings: dict[Any, Crossing] = {}
    self._has_news = True
    self._is_outside = False
    self._may_fail = False
    self._doubled: str | None = None
    self.layout = Layout()
    self.stand_ins: dict[int, Any] = {}
    self.given: list[Any] = []
    self.instances: dict[Any, Instance] = {}
    self.is_random = False
    self.loses_logits = False
    self._is_leaving = False  # What leaves the program as it is, is brought into its form.

  # --- Attempts

  def settle(self, entry: Callable[[Interpreter], Any]) -> None:
    """Tries until nothing new is found out.

    Args:
      entry: makes the call of the entry function.

    Raises:
      ConversionRefused: If it cannot be converted.
    """
    try:
      with self.budget.running():
        self._settle(entry)
    except Endless as endless:
      raise endless.args[0] from None

  def _settle(self, entry: Callable[[Interpreter], Any]) -> None:
    for _ in range(_MAX_ATTEMPTS):
      self.layout = Layout()
      self._has_news = False
      self.profile.restart()
      graph = tfi.FuncGraph("trial")
      with graph.as_default(), tfi.stop_recording():
        with contextlib.nullcontext() if self.step is None else self.step.watching(graph):
          missing = self._attempt(graph, None, entry)
        if self.step is not None and self.step.learn(graph):
          self._has_news = True
      self.budget.done(graph)
      if not self._has_news and self.profile.is_settled():
        if self._postponed:
          raise self._postponed[0]
        if missing and not self._may_fail:
          self._may_fail = True  # Some calls never return: runs that get there fail.
          continue
        if missing and not self._returns:
          raise ConversionRefused.of(
            Reason.NO_BASE_CASE,
            f"{missing.name} calls itself, or fails, on every path.",
            missing.source.origin(missing.node),
          )
        if self.step is not None and not self._returns:
          raise ConversionRefused.of(Reason.NO_BASE_CASE, "The function fails on every path.")
        self._check_constants()
        return
    raise ConversionRefused.of(Reason.NOT_SETTLED, f"Not settled after {_MAX_ATTEMPTS} attempts.")

  def build(self, fed: dict[str, Any], entry: Callable[[Interpreter], Any]) -> tuple[Any, Frame]:
    """Makes the program in the current graph, after `settle`.

    Args:
      fed: the tensors of `Layout.specs`.
      entry: makes the call of the entry function.

    Returns:
      What `entry` returns, and the frame outside of all bodies that it was called in.
    """
    before = self.layout.columns.signature()
    self._has_news = False
    result: list[tuple[Any, Frame]] = []
    # A tape around the call would have TensorFlow make its loops for gradients of gradients, if it
    # is persistent or one of two. It records the finished graph.
    with self.budget.running(), tfi.stop_recording():
      missing = self._attempt(
        tf.compat.v1.get_default_graph(), fed, lambda ip: result.append((entry(ip), ip.frame))
      )
    is_made = missing is None or (self._may_fail and self._returns)
    if not is_made or self._has_news or self.layout.columns.signature() != before:
      raise ConversionRefused.of(Reason.NOT_SETTLED, "The program differs from its trial.")
    return result[0]

  def _attempt(
    self, graph: Any, fed: dict[str, Any] | None, entry: Callable[[Interpreter], Any]
  ) -> Instance | None:
    """Makes all bodies; returns an instance whose result stays unknown."""
    self._graph = graph
    self.branches.begin_attempt()
    self._is_trial = fed is None
    self._postponed: list[ConversionRefused] = []
    self.inputs = Inputs(self.layout, graph, fed)
    self.guards = Guards(self._changing, self._changing_input, self.stand_ins, self.budget.origin)
    self.instances = {}
    self._queue: list[Instance] = []
    self._entry, self._made = None, []
    frame = Frame(self)
    interpreter = Interpreter(frame, self)
    self.effects.begin_attempt()
    self.effects.begin(frame, lambda place: self.effects.initial_state(frame, place))
    self._is_outside = self.step is None
    try:
      entry(interpreter)  # Makes the entry's instance known; its call waits for the bodies.
    except Bottom:
      pass
    except ConversionRefused as refusal:
      self.postpone(refusal)
    self._is_outside = False
    self._trace_queue()
    missing = next((i for i in self.instances.values() if i.result is None), None)
    if self._returns and fed is not None and self.step is None:
      entry(interpreter)
    return missing

  def _trace_queue(self) -> None:
    """Makes the bodies of all instances that are known by now."""
    with tfi.stop_recording(), self._graph.as_default():
      while self._queue:
        self._trace(self._queue.pop(0))

  @property
  def _returns(self) -> bool:
    """Whether the function that is called first is known to return anything."""
    if self.step is not None:
      return self._entry is not None
    return any(i.result is not None for i in list(self.instances.values())[:1])

  @property
  def num_postponed(self) -> int:
    """How many parts of this attempt are refused so far."""
    return len(self._postponed)

  def postpone(self, refusal: ConversionRefused) -> None:
    """Lets an attempt go on without a part that is refused.

    What is learnt in the other parts may change what is known of this one: a first object alone
    does not show all that an attribute can be. In the last attempt a refusal is final.
    """
    if not self._is_trial:
      raise refusal
    self._postponed.append(refusal)

  # --- Instances

  def _note_news(self) -> None:
    self._has_news = True

  def note_logits(self) -> None:
    """Notes that a tensor with logits of Keras' goes on as another one, without them."""
    if self._is_trial and not self._is_leaving and not self.loses_logits:
      self.loses_logits = self._has_news = True

  def _check_logits(self, frame: Frame, outputs: list[tf.Tensor]) -> None:
    """Refuses tensors that leave without the logits that they have in Python."""
    if not self.loses_logits:
      return
    is_lost = any(may_have_lost(tensor, is_stored=True) for tensor in outputs)
    # A step's results are given their logits again.
    if is_lost or (not self.is_step and any(map(has_logits, outputs))):
      raise frame.refuse(
        Reason.OPAQUE_READ,
        "A result of Keras' softmax or sigmoid leaves a branch, loop, list or call, and then the"
        " program: a loss of Keras' would look for its logits.",
      )

  def note_copied(self, variable: Any) -> None:
    """Notes that what a variable holds goes on in its place."""
    if self.step is not None and not self._is_calling:
      self.step.note_copied(variable)

  @property
  def copied(self) -> Mapping[int, Any]:
    """Variables of which what they hold goes on in their place, by the number of the handle."""
    return {} if self.step is None else self.step.as_values

  @contextlib.contextmanager
  def _calling(self) -> Iterator[None]:
    """Lets what variables hold go into a call."""
    self._is_calling = True
    try:
      yield
    finally:
      self._is_calling = False

  def note_doubled(self, container: Container | None) -> None:
    """Notes that a container, or what is in it, may be in two lists of unknown length."""
    self._doubled = "A container" if container is None else name_of(container)

  def entry_of(self, node: ast.AST) -> Instance:
    """Returns the instance of an entry function."""
    if self._entry is not None:
      return self._entry
    return next(i for i in self.instances.values() if i.node is node)

  def check_result(self, node: ast.AST) -> None:
    """Refuses what leaves the program of the entry function as an object that it was before.

    Raises:
      ConversionRefused: If a container would be returned, or kept, more than once.
    """
    entry = self.entry_of(node)
    shared = self._crossings[entry.key].shared_result(RESULT)
    kept = [place.left_form for place in self.effects.places.values()]
    nested = [f.element if isinstance(f, _forms.RowsForm) else f for f in kept]
    if shared is None and self._doubled is not None:
      if any(_forms.has_containers_in_rows(form) for form in (entry.result, *nested)):
        shared = f"{self._doubled} may be in two lists, of which one is returned or kept"
    if shared is not None:
      raise ConversionRefused.of(
        Reason.SHARED_CONTAINER, f"{shared}.", entry.source.origin(entry.node)
      )

  def leaving(self, node: ast.AST) -> list[Any]:
    """Returns the forms of what the program of an entry function returns and leaves changed."""
    entry = self.entry_of(node)
    places = self.effects.places.values()
    return [entry.result, *self.changed(node), *(place.left_form for place in places)]

  def changed(self, node: ast.AST) -> list[Any]:
    """Returns the forms of the arguments that the program of an entry function changes."""
    entry = self.entry_of(node)
    return list(self._changed.get(entry.key, {}).values())

  def changed_positions(self, node: ast.AST) -> list[Any]:
    """Returns the positions of the arguments that the program of an entry function changes."""
    return list(self._changed.get(self.entry_of(node).key, {}))

  def _check_constants(self) -> None:
    """Refuses a program that relies on what it changes itself."""
    walked = self.profile.followed_types() | self.root_types
    changed = self.effects.changed_constant(self.guards, walked)
    if changed is not None:
      entry = self.entry_of(self.entry_node)
      raise ConversionRefused.of(
        Reason.EFFECT_ORDER,
        f"{changed} is also read or printed in a way that supports only what does not change.",
        entry.source.origin(entry.node),
      )

  def is_recursive(self, ip: Host, function: Any) -> bool:
    """Tells whether calls of a function are calls of the graph."""
    if isinstance(function, Closure):
      node: ast.AST = function.node
    elif hasattr(function, "__code__") and not _libraries.is_library(function):
      node = self.source(function).node
    else:
      return False
    return node in self.recursive or node in ip.active

  def note_recursion(self, cycle: list[ast.AST]) -> None:
    """Notes that functions call each other in a cycle."""
    new = set(cycle) - self.recursive
    if new:
      self.recursive |= new
      self._has_news = True

  def note_converted(self, source: FunctionSource, node: ast.FunctionDef, how: str) -> None:
    """Notes for `explain` what was converted."""
    self.has_handlers |= source.has_handlers
    key = source.filename, node.lineno, node.name if node.name != "_rtf_lambda" else "<lambda>"
    if self.converted.get(key) != "SubGraph":
      self.converted[key] = how

  def run_entry(self, ip: Host, source: FunctionSource, names: dict[str, Any]) -> Any:
    """Runs the entry function in the graph itself, and returns its result.

    Args:
      ip: of the frame outside of all bodies.
      source: the function.
      names: its arguments.
    """
    frame, node = ip.frame, source.node
    lifted = Lifted(names, None, source.function)
    rebuilt = lifted.rebuild(list(names.values()), frame)
    with self._calling():
      forms = tuple(_forms.form_of(value, frame) for value in names.values())
    key = id(node), "entry"
    crossing = self._crossings.setdefault(key, Crossing())
    crossing.begin(frame.sharing, rebuilt.containers)
    frame.parameters = {
      name: value.base.handle for name, value in names.items() if isinstance(value, Ref)
    }
    self.note_converted(source, node, "graph")
    found = ip.run(node, frame.new(Scope(dict(rebuilt.names), None, source)))
    name = name_of_function(node)
    entry = Instance(key, name, node, source, lifted, forms, self._results.get(key), None)
    try:
      form = _forms.form_of(found, frame)
      entry.result = form if entry.result is None else self._join(entry, form)
    except _forms.Mismatch as error:
      raise frame.refuse(Reason.KINDS_DIFFER, f"{name} returns {error}.") from None
    if entry.result != self._results.get(key):
      self._results[key] = entry.result
      self._has_news = True
    self._note_changed(entry, rebuilt, frame)
    now = rebuilt.now()
    results: dict[Any, Any] = {i: now[i] for i in self._changed[key]}
    results[RESULT] = found
    self._has_news |= crossing.end(frame.sharing, rebuilt.containers, rebuilt.contents, results)
    self.effects.note_left(frame, results, rebuilt.containers.values())
    self._entry = entry
    if self._is_trial and not self._has_news:  # What is read only to be returned is read, too.
      self._is_leaving = True
      try:
        outputs = _forms.flatten(found, entry.result, frame)
        for position, form in self._changed[key].items():
          outputs += _forms.flatten(now[position], form, frame)
        outputs += self.effects.results(frame, None)
      finally:
        self._is_leaving = False
      self._check_logits(frame, outputs)
      frame.tied(outputs)
    return found

  @property
  def is_step(self) -> bool:
    """Whether the entry function runs in the graph itself, where it may write variables."""
    return self.step is not None

  def note_made(self, value: Any) -> None:
    """Notes an object of a library that the program makes and uses as it is."""
    self._made.append(value)

  def has_made(self, value: Any) -> bool:
    """Tells whether the program has made such an object itself."""
    return any(value is made for made in self._made)

  def call_instance(
    self,
    ip: Host,
    function: Any,
    source: FunctionSource,
    node: ast.FunctionDef,
    outer: Scope | None,
    names: dict[str, Any],
    ask: bool = False,
  ) -> Any:
    """Calls a function as a SubGraph, once, or once for each row of a `Mapped` argument.

    With `ask` it is not called: returns whether it changes anything, as far as is known yet.
    """
    frame = ip.frame
    if frame.num_trials:
      raise Dear
    lifted = Lifted(names, outer, function)
    with self._calling():
      forms = tuple(self._form(node, name, value, frame) for name, value in lifted.values.items())
    key = self._key(node, lifted, forms)
    instance = self._instance(key, source, node, lifted, forms, frame)
    if self.step is not None and frame.key is None:  # A tape may need the body at once.
      self._trace_queue()
    if ask:
      return self._changed.get(instance.key) or self.effects.returned(instance.key)
    rows = next((v.rows for v in lifted.values.values() if isinstance(v, Mapped)), None)
    crossing, containers = self._crossings[key], lifted.containers()
    mapped = [
      i
      for i, value in enumerate(lifted.values.values())
      if isinstance(value, Mapped) and _forms.has_containers(value.rows.form)
    ]
    for container in containers.values():
      if container.sharing is not frame.sharing:
        raise frame.sharing.refuse("The default of a function that calls itself may be changed")
    self._has_news |= crossing.call(frame.sharing, containers, mapped, is_many=rows is not None)
    tensors = self._arguments(lifted, instance, frame, rows)
    if rows is not None and instance.result is None and not (self._is_outside or self._may_fail):
      return Rows(tf.constant(0), (), None)  # As far as is known yet.
    if self._is_outside or instance.result is None:
      raise Bottom
    frame.partial()
    key, changed = instance.key, self._changed.get(instance.key, {})
    if self.step is not None:
      for form in (instance.result, *changed.values()):
        check_no_variable(frame, form, f"What {instance.name} returns")
    if rows is not None and _forms.has_rows(instance.result):
      raise frame.refuse(
        Reason.DYNAMIC_LIST, f"{instance.name} returns a list for each element of a list."
      )
    if rows is not None and (changed or self.effects.returned(key)):

      def call_one(value: Any) -> Any:
        one = {n: value if isinstance(v, Mapped) else v for n, v in names.items()}
        return self.call_instance(ip, function, source, node, outer, one)

      return _graph_loops.one_by_one(ip, rows, call_one)
    tensors += self.effects.arguments(frame, key)
    tensors = frame.gated(tensors[:1]) + tensors[1:]
    assert instance.subgraph is not None  # Only the entry may have none.
    call = instance.subgraph if rows is None else instance.subgraph.map
    found = list(tf.nest.flatten(call(*tensors)))
    frame.compute(tuple(found))
    if rows is None:
      return self._received(ip, instance, lifted, containers, iter(found))
    count = len(list(_forms.specs(instance.result)))
    crossing.receive_rows(frame.sharing, containers)
    return Rows(rows.length, tuple(found[:count]), instance.result)

  def _received(
    self,
    ip: Host,
    instance: Instance,
    lifted: Lifted,
    containers: dict[Slot, Container],
    tensors: Iterator[tf.Tensor],
  ) -> Any:
    """Takes over what a call returned and left changed; returns its result."""
    frame, key = ip.frame, instance.key
    result = frame.adopt(_forms.unflatten(instance.result, tensors))
    left: dict[Any, Any] = {
      position: frame.adopt(_forms.unflatten(form, tensors))
      for position, form in self._changed.get(key, {}).items()
    }
    self.effects.receive(ip, key, tensors)
    left = self._crossings[key].receive(frame.sharing, containers, {**left, RESULT: result})
    result = left.pop(RESULT)
    for position, value in left.items():
      lifted.update(position, value)
    return result

  def _form(self, node: ast.AST, name: Any, value: Any, frame: Frame) -> Any:
    if isinstance(value, Mapped):
      return value.rows.form
    if isinstance(value, Closure):
      return _forms.ClosureForm(value.node)
    form = _forms.generalized(_forms.form_of(value, frame), is_argument=True)
    return self._variants.opened(id(node), name, form)

  def _key(self, node: ast.AST, lifted: Lifted, forms: tuple[Any, ...]) -> Any:
    parts = tuple((name, skeleton(form)) for name, form in zip(lifted.values, forms, strict=True))
    return id(node), parts

  def _instance(
    self,
    key: Any,
    source: FunctionSource,
    node: ast.FunctionDef,
    lifted: Lifted,
    forms: tuple[Any, ...],
    frame: Frame,
  ) -> Instance:
    known = self._variants.forms.get(key)
    try:
      joined = forms if known is None else tuple(map(_forms.join, known, forms))
    except _forms.Mismatch as error:
      raise frame.refuse(
        Reason.KINDS_DIFFER, f"Calls of {node.name} pass {error} for one parameter."
      ) from None
    if joined != known:
      self._has_news = True
      if known is None:
        self._variants.admit(frame, key, joined, node)
      self._variants.forms[key] = joined
    self._crossings.setdefault(key, Crossing())
    if key not in self.instances:
      result = self._results.get(key)
      outputs = None if result is None else self._outputs(key, result)
      name = name_of_function(node)
      with self._graph.as_default():
        subgraph = SubGraph(name, inputs=self._inputs_of(key, joined), outputs=outputs)
      instance = Instance(key, name, node, source, lifted, joined, result, subgraph)
      self.instances[key] = instance
      self._queue.append(instance)
      self.note_converted(source, node, "SubGraph")
    instance = self.instances[key]
    if instance.forms != joined:
      raise Bottom  # The next attempt begins with the wider form.
    return instance

  def _inputs_of(self, key: Any, forms: tuple[Any, ...]) -> list[tf.TensorSpec]:
    """Returns the specs of an instance's arguments, and of the state that it is given."""
    specs = [spec for form in forms for spec in _forms.specs(form)] or [NOTHING]
    return specs + [s for place in self.effects.passed(key) for s in _forms.specs(place.form)]

  def _outputs(self, key: Any, result: Any) -> tuple[tf.TensorSpec, ...]:
    """Returns the specs of an instance's result, changed arguments, and changed state."""
    specs = [*_forms.specs(result)]
    specs += [spec for form in self._changed.get(key, {}).values() for spec in _forms.specs(form)]
    specs += [s for place in self.effects.returned(key) for s in _forms.specs(place.form)]
    return tuple(specs) or (NOTHING,)

  def _arguments(
    self, lifted: Lifted, instance: Instance, frame: Frame, rows: Rows | None
  ) -> list[tf.Tensor]:
    tensors: list[tf.Tensor] = []
    at_once = self._read_at_once.get(instance.key, frozenset())
    for position, (value, form) in enumerate(
      zip(lifted.values.values(), instance.forms, strict=True)
    ):
      if position in at_once and isinstance(value, Ref):
        value = frame.unchecked(value)
      if isinstance(value, Mapped):
        length, *found = _forms.flatten(value.rows, _forms.RowsForm(form), frame)
        tensors += found
        continue
      found = _forms.flatten(value, form, frame)
      if rows is not None:
        found = [repeated(tensor, rows.length) for tensor in found]
      tensors += found
    if not tensors:
      tensors = [tf.zeros([] if rows is None else [rows.length], tf.int32)]
    return tensors

  def _trace(self, instance: Instance) -> None:
    frame = Frame(self, instance.key)
    interpreter = Interpreter(frame, self)
    subgraph = instance.subgraph
    assert subgraph is not None  # Only the entry may have none.
    try:
      with subgraph:
        graph = tf.compat.v1.get_default_graph()
        specs = self._inputs_of(instance.key, instance.forms)
        source = iter([subgraph.input(spec) for spec in specs])
        values = [frame.adopt(_forms.unflatten(form, source)) for form in instance.forms]
        if not any(list(_forms.specs(form)) for form in instance.forms):
          next(source)  # The argument of functions without any.
        self.effects.begin(frame, lambda place: source)
        rebuilt = instance.lifted.rebuild(values, frame)
        self._crossings[instance.key].begin(frame.sharing, rebuilt.containers)
        scope = frame.new(Scope(dict(rebuilt.names), rebuilt.outer, instance.source))
        frame.parameters = {
          name: value.base.handle for name, value in rebuilt.names.items() if isinstance(value, Ref)
        }
        result = interpreter.run(instance.node, scope)
        form = _forms.form_of(result, frame)
        joined = form if instance.result is None else self._join(instance, form)
        if joined != instance.result:
          self._results[instance.key] = joined
          self._has_news = True
        self._note_changed(instance, rebuilt, frame)
        now = rebuilt.now()
        results: dict[Any, Any] = {i: now[i] for i in self._changed[instance.key]}
        results[RESULT] = result
        self._has_news |= self._crossings[instance.key].end(
          frame.sharing, rebuilt.containers, rebuilt.contents, results
        )
        if self._has_news:
          raise Bottom
        outputs = _forms.flatten(result, joined, frame)
        for position, form in self._changed.get(instance.key, {}).items():
          outputs += _forms.flatten(now[position], form, frame)
        outputs += self.effects.results(frame, instance.key)
        if instance.node is self.entry_node:
          self._check_logits(frame, outputs)
        outputs = frame.tied(outputs or [tf.zeros([], tf.int32)])
        self._note_read_at_once(instance, values, outputs)
        subgraph.output(tuple(outputs))
        origin = instance.source.origin(instance.node)
        self.is_random |= check_stateful(graph, instance.name, origin)
    except Bottom:
      instance.result = None
    except _forms.Mismatch as error:
      instance.result = None
      self.postpone(frame.refuse(Reason.KINDS_DIFFER, f"{instance.name} returns {error}."))
    self.budget.done(graph)

  def _note_read_at_once(
    self, instance: Instance, values: list[Any], outputs: list[tf.Tensor]
  ) -> None:
    """Notes which objects a body reads whatever happens.

    Such a read fails by itself if there is no object, so that calls need not check it before: that
    would be a step more on the way down.
    """
    graph = tf.compat.v1.get_default_graph()
    handles = gathered([tensor for tensor in outputs if tensor.graph is graph])
    found = frozenset(
      position
      for position, value in enumerate(values)
      if isinstance(value, Ref) and not value.path and id(value.base.handle) in handles
    )
    known = self._read_at_once.get(instance.key)
    joined = found if known is None else found & known
    if joined != (known or frozenset()):
      self._has_news = True
    self._read_at_once[instance.key] = joined

  def _note_changed(self, instance: Instance, rebuilt: Rebuilt, frame: Frame) -> None:
    """Notes which arguments a function changes for its caller, and the forms they have then."""
    known = self._changed.setdefault(instance.key, {})
    now = rebuilt.now()
    for position in {*rebuilt.changed(), *known}:
      form = _forms.generalized(_forms.form_of(now[position], frame), is_argument=True)
      try:
        joined = _forms.join(known.get(position, form), form)
      except _forms.Mismatch as error:
        raise frame.refuse(
          Reason.KINDS_DIFFER, f"{instance.name} leaves {error} in a variable around it."
        ) from None
      if known.get(position) != joined:
        known[position] = joined
        self._has_news = True

  def _join(self, instance: Instance, form: Any) -> Any:
    try:
      return _forms.join(instance.result, form)
    except _forms.Mismatch as error:
      raise ConversionRefused.of(
        Reason.KINDS_DIFFER,
        f"{instance.name} returns {error} on different paths.",
        instance.source.origin(instance.node),
      ) from None

  # --- What frames ask for

  def source(self, function: Any) -> FunctionSource:
    """Returns the source of a function of the user's, and guards that it stays this function."""
    self.guards.function(function)
    return self._sources(function)

  @property
  def columns(self) -> Any:
    """The columns of the program."""
    return self.layout.columns

  def promote(self, ip: Host, ref: Ref) -> None:
    """Asks for an argument of the entry function as what it is, if it is a list or a dict."""
    instance = self.instances.get(ip.frame.key)
    is_entry = self.step is not None and ip.frame.key is None
    if instance is not None:
      is_entry = instance.node is self.entry_node
    if ref.path or not is_entry:
      return
    kinds = ip.frame.types_of(ref)
    if kinds != {list} and (len(kinds) > 1 or not kinds <= {*DICTS} or self.step is not None):
      return
    for name, handle in ip.frame.parameters.items():
      if handle is ref.base.handle:
        raise PromoteArgument(name)

  def constant_root(self, value: Any) -> Base:
    """Returns an object of the program itself with its handle."""
    self.profile.add_root(value)
    return Base(self.inputs.constant(value), frozenset([type(value)]))

  def volatile(self, value: Any) -> tf.Tensor:
    """Returns an array of the program itself, whose content may change from run to run."""
    if self.guards.is_made(value):
      return tf.constant(value)
    return self.inputs.changing((id(value), "array"), lambda: value, value)

  def _changing_input(self, key: Any, owner: Any, read: Callable[[], Any], value: Any) -> Any:
    del owner
    return number(value, self.inputs.changing(key, read, value))


RESULT = "result"  # Beside the positions of arguments.
