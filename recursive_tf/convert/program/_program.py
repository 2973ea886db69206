"""A converted program: what it is fed, its graphs, and how a call runs it."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf import _walk
from recursive_tf._config import config
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._commit import Outcome, Write, prints_of, writes_of
from recursive_tf.convert.effects._frame_effects import value_of_variable
from recursive_tf.convert.effects._places import DICT, LIST, VARIABLE, Place
from recursive_tf.convert.frame._budget import Budget
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._inputs import Layout
from recursive_tf.convert.frame._left_out import LeftOut, Site
from recursive_tf.convert.frame._sharing import containers
from recursive_tf.convert.heap._columns import NONE, Column, Columns, path_text
from recursive_tf.convert.heap._profile import Profile, reaches
from recursive_tf.convert.program._arguments import (
  CONTAINER,
  GIVEN,
  NEST,
  OBJECT,
  STATIC,
  Argument,
  objects_of,
  tensors_of,
)
from recursive_tf.convert.program._conversion import RESULT, Conversion, PromoteArgument
from recursive_tf.convert.program._given import Given, check_tensors, number_as_tensor
from recursive_tf.convert.program._leaving import check_results
from recursive_tf.convert.program._ops import has_nested_control
from recursive_tf.convert.program._rebinding import Rebinding
from recursive_tf.convert.program._sources import Sources
from recursive_tf.convert.program._steps import Kept, Step, Variables
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values import _encode, _forms, _results
from recursive_tf.convert.values._abstract import Rows, plain_path
from recursive_tf.convert.values._logits import LOGITS
from recursive_tf.convert.values._operands import Mapped


class Outdated(Exception):  # noqa: N818 - control flow, never reaches the user
  """An assumption of the program does not hold any more.

  Attributes:
    objects: those that broke it, to learn from.
    what: the assumption, in words.
  """

  objects: Sequence[Any] = ()
  what: str = "types, shapes and sizes of what is read anew for each run"


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
  """

  function: Any
  form: Any
  containers: dict[str, Any]
  keep: Any
  given: dict[int, int] = dataclasses.field(default_factory=dict)
  same: dict[int, int] = dataclasses.field(default_factory=dict)
  logits: dict[int, int] = dataclasses.field(default_factory=dict)
  captures: list[Any] | None = None
  is_nested: bool = False

  def run(self, tensors: Sequence[tf.Tensor]) -> list[Any]:
    """Runs it on what `Program.feed` has returned."""
    captures = self.function.captured_inputs if self.captures is None else self.captures
    with contextlib.nullcontext() if self.is_nested else _executor():
      found = list(tfi.call_exactly(self.function, list(tensors), captures))
    for position, source in self.given.items():
      found[position] = tensors[source]  # To a tape, and to `is`, it is that very tensor.
    for position, source in self.same.items():
      found[position] = found[source]
    for position, source in self.logits.items():  # A loss of Keras' outside looks for them.
      setattr(found[position], LOGITS, found[source])
    return found


def _executor() -> contextlib.AbstractContextManager[None]:
  """Has graphs run op by op where they are not to run in parallel, for measuring.

  Each branch or loop keeps a thread of TensorFlow's waiting there, so not for nested ones.
  """
  if "parallel" in config().optimizations:
    return contextlib.nullcontext()
  return tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR")


class Program:
  """One conversion of a function for one kind of arguments. Not thread-safe.

  Attributes:
    version: tells the programs of one function apart.
    walk_seconds, walked_objects: what the walks took, and the objects they visited.
    effects: what it writes and prints.
    is_packed: whether packed objects need it.
    root_types: the types that objects given as arguments can have, by argument.
    left_out: the branches that it leaves out.
  """

  def __init__(
    self,
    version: int,
    source: FunctionSource,
    arguments: dict[str, Argument],
    profile: Profile,
    sources: Sources,
    changing: dict[object, object],
    roots: Sequence[object],
    root_types: dict[str, frozenset[type]],
    budget: Budget,
    step: Step | None = None,
    left_out: dict[Site, LeftOut] | None = None,
  ):
    """Converts the function.

    With a `step` its entry function runs in the graph itself, where it may write variables, and
    where branches may be left out.

    Raises:
      ConversionRefused: If it cannot be converted.
    """
    self.version = version
    self.walk_seconds = 0.0
    self.walked_objects = 0
    self._source = source
    self._arguments = {
      name: dataclasses.replace(argument, is_mapped=False) for name, argument in arguments.items()
    }
    self.root_types = {name: profile.family(types) for name, types in root_types.items()}
    all_types = frozenset[type]().union(*self.root_types.values())
    self.step = step
    self.left_out = left_out or {}
    self.conversion = Conversion(
      profile, sources, changing, all_types, source.node, budget, step, self.left_out
    )
    profile.begin(roots)
    self.conversion.given = [a.value for a in self._arguments.values() if a.kind == GIVEN]
    try:
      self.conversion.settle(lambda ip: self._enter(ip, self._arguments))
      self.conversion.check_result(source.node)
      self._check_aliases(profile)
      self._check_views()
      self._check_nests(source.node)
      self._check_replicas()
      if self.has_prints and self.conversion.effects.sites:
        text = "print and tf.print in one run: what the graph prints comes before."
        raise ConversionRefused.of(Reason.EFFECT_ORDER, text)
      changed = self.conversion.changed(source.node)
      check_results(self._result_form(), changed, self.conversion.effects.places.values())
    finally:
      profile.end()
    entry = self.conversion.entry_of(source.node)
    forms = dict(zip(entry.lifted.values, entry.forms, strict=True))
    self._arguments = {n: argument.widened(forms[n]) for n, argument in self._arguments.items()}
    layout = self.conversion.layout
    layout.arguments = [s for argument in self._arguments.values() for s in argument.specs()]
    self.layout: Layout = layout
    self.effects = self.conversion.effects
    self.guards = self.conversion.guards
    self._walker = _make_walker(layout.columns, profile, all_types, layout)
    self._all_root_types = all_types | profile.root_types
    self._graphs: dict[frozenset[str], Graph] = {}
    self._refusal: ConversionRefused | None = None  # Of the walk.
    self.is_packed = False
    self._known_tensors: dict[int, Any] | None = None
    self._given = Given(self._arguments)
    self._has_containers = any(map(_may_be_container, self._arguments.values())) or any(
      place.kind in (LIST, DICT) for place in self.effects.places.values()
    )
    self.result_form = self._result_form()
    self._rebinding = self._make_rebinding()
    self._reads_nothing = (
      self.step is not None
      and not (layout.columns.all or layout.constants or layout.state)
      and all(map(_is_of_tensors, self._arguments.values()))
    )

  def _check_nests(self, node: ast.AST) -> None:
    """Asks for a list that is changed as what it is; refuses all else that is changed."""
    names = list(self._arguments)
    for position in self.conversion.changed_positions(node):
      if not isinstance(position, int) or position >= len(names):
        continue
      argument = self._arguments[names[position]]
      if argument.kind == NEST and argument.value is list:
        raise PromoteArgument(names[position])
      if argument.kind == NEST:
        kind = argument.value.__name__
        raise ConversionRefused.of(
          Reason.UNSUPPORTED_WRITE, f"A {kind} that is passed in as {names[position]!r} is changed."
        )

  def _check_replicas(self) -> None:
    """Refuses variables of which there are several: a graph would write one of them."""
    given = [a.value for a in self._arguments.values() if a.kind == STATIC]
    for variable in self.conversion.guards.all_variables(given):
      is_distributed = isinstance(variable, tf.distribute.DistributedValues)
      if is_distributed and variable.distribute_strategy.num_replicas_in_sync > 1:
        text = f"Variable {variable.name!r} is one of a strategy of several replicas."
        raise ConversionRefused.of(Reason.STATEFUL_OP, text)

  def _check_aliases(self, profile: Profile) -> None:
    """Refuses a list or dict that is changed under one name and read as a part of an object."""
    places = self.conversion.effects.places.values()
    owners = [place.owner for place in places if place.kind in (LIST, DICT)]
    if owners and profile.reaches(owners, self.conversion.columns.all.values()):
      raise ConversionRefused.of(
        Reason.EFFECT_ORDER, "A list or dict is changed that is also a part of an object."
      )

  def _check_views(self) -> None:
    """Refuses a range or a view of a dict, of a length that the run finds, that would be seen."""
    if any(map(_forms.has_views, self.conversion.leaving(self._source.node))):
      raise ConversionRefused.of(
        Reason.UNSUPPORTED_OPERATION,
        "A range or a view of a dict is returned or kept. Make it a list or a tuple.",
        self._source.origin(self._source.node),
      )

  def _check_containers(
    self, values: dict[str, object], state: list[object], objects: Sequence[object]
  ) -> None:
    """Refuses this call if a list or dict that changes is also elsewhere in what it is given.

    Args:
      values: the arguments.
      state: lists and dicts in what the places of the program hold.
      objects: all that was walked.
    """
    if not (self._has_containers or state):
      return
    given = [values[name] for name, a in self._arguments.items() if a.kind == CONTAINER] + state
    given += [one for n, a in self._arguments.items() for one in a.containers(values[n])]
    places = self.effects.places.values()
    changed = given + [place.owner for place in places if place.kind in (LIST, DICT)]
    if not changed:
      return
    known = {id(owner) for owner in self.guards.owners()}
    is_twice = len({id(one) for one in changed}) < len(changed)
    if is_twice or any(id(one) in known for one in given):
      raise ConversionRefused.of(
        Reason.SHARED_CONTAINER, "A list that is passed in and changed is used under another name."
      )
    if reaches(objects, changed, self.conversion.columns.all.values()):
      raise ConversionRefused.of(
        Reason.EFFECT_ORDER, "A list or dict is changed that is also a part of an object."
      )

  def _check_tensors(self, values: dict[str, object], others: Sequence[Sequence[object]]) -> None:
    """Refuses this call if `check_tensors` does; `others` is what is fed beside the arguments."""
    if self._known_tensors is None:
      self._known_tensors = self.guards.tensors()
    given = self._given.tensors(values)
    for more in others:
      given += more
    check_tensors(given, self._known_tensors.keys())

  def _make_rebinding(self) -> Rebinding:
    result, *leaving = self.conversion.leaving(self._source.node)
    given = {name: a.value for name, a in self._arguments.items() if a.kind == GIVEN}
    if not self._returns_given():
      leaving.append(result)
    found = Rebinding(
      self.guards,
      self.effects.places.values(),
      self.conversion.stand_ins,
      self.layout.constants.values(),
      leaving,
      [column.path for column in self.layout.columns.all.values()],
      given,
    )
    for name in found.unbound():
      raise ConversionRefused.of(
        Reason.UNSUPPORTED_WRITE,
        f"The dict that is passed in as {name!r} is used otherwise than item by item.",
        self._source.origin(self._source.node),
      )
    return found

  def _returns_given(self) -> str | None:
    """Returns the name of a given dict that the program returns as it is."""
    form = self._result_form()
    for name, argument in self._arguments.items():
      if argument.kind == GIVEN and isinstance(form, _forms.StaticForm):
        if form.value is argument.value:
          return name
    return None

  def _result_form(self) -> Any:
    return self.conversion.entry_of(self._source.node).result

  @property
  def own_arguments(self) -> dict[str, Argument]:
    """The arguments of a single call as this program takes them."""
    return self._arguments

  @property
  def is_pure(self) -> bool:
    """Whether it changes nothing, neither outside nor in what it is given."""
    is_given = any(argument.kind == CONTAINER for argument in self._arguments.values())
    return self.effects.is_pure and not is_given and not self.has_acted

  @property
  def has_prints(self) -> bool:
    """Whether a run prints from within the graph: that cannot be held back."""
    return self.step is not None and self.step.has_prints

  @property
  def is_seen_by_tapes(self) -> bool:
    """Whether a tape outside would see what a run has written to variables."""
    return self.step is not None and self.step.is_seen_by_tapes

  @property
  def has_acted(self) -> bool:
    """Whether a run has written variables or printed by its end; plain Python would do it again."""
    return self.has_prints or (self.step is not None and bool(self.step.written))

  @property
  def variables(self) -> Variables | None:
    """The variables that a run may write, and those of what it hands to libraries; None if none."""
    if self.step is None:
      return None
    return Variables([*self.step.written.values(), *self.guards.variables()])

  @property
  def num_graphs(self) -> int:
    """The graphs made so far."""
    return len(self._graphs)

  def _enter(self, ip: Host, arguments: dict[str, Argument]) -> Any:
    """Makes the call of the entry function; returns its result and its arguments."""
    length = None
    position = 0
    names: dict[str, Any] = {}
    inputs = self.conversion.inputs
    for name, argument in arguments.items():
      tensors = []
      for spec in argument.specs():
        if argument.is_mapped:
          spec = tf.TensorSpec(tf.TensorShape([None]).concatenate(spec.shape), spec.dtype)
        tensors.append(inputs.argument(position, spec))
        position += 1
      form = argument.form(self.root_types[name])
      if argument.is_mapped:
        if length is None:
          length = tf.shape(tensors[0])[0]
        names[name] = Mapped(Rows(length, tuple(tensors), form))
      else:
        names[name] = ip.frame.adopt(_forms.unflatten(form, iter(tensors)))
        for _, container in containers(names[name]):  # Each is another one; `feed` checks it.
          ip.frame.sharing.release(container)
    self.conversion.guards.function(self._source.function)
    if self.step is not None:
      return self.conversion.run_entry(ip, self._source, names), names
    found = self.conversion.call_instance(
      ip, self._source.function, self._source, self._source.node, None, names
    )
    return found, names

  def takes(self, arguments: dict[str, Argument]) -> bool:
    """Tells whether it is for arguments of these kinds and shapes."""
    return self._arguments.keys() == arguments.keys() and all(
      own.takes(arguments[name]) for name, own in self._arguments.items()
    )

  def taken(self, error: tf.errors.OpError) -> Site | None:
    """Returns the conditional of which a run took the branch that is left out, None of all else."""
    return self.conversion.branches.taken(error.message)

  def agrees(self, values: dict[Site, bool]) -> bool:
    """Tells whether it has these branches of conditionals, by the values of their conditions."""
    left_out = self.left_out
    return all(s not in left_out or left_out[s].value is not value for s, value in values.items())

  def own(self, arguments: dict[str, Argument]) -> dict[str, Argument]:
    """Returns the arguments of a call as this program takes them."""
    if not any(argument.is_mapped for argument in arguments.values()):
      return self._arguments
    return {
      name: dataclasses.replace(self._arguments[name], is_mapped=argument.is_mapped)
      for name, argument in arguments.items()
    }

  def graphs(self) -> dict[frozenset[str], Graph]:
    """Returns the graphs made so far, by the names of the arguments that are mapped."""
    return self._graphs

  def graph(self, arguments: dict[str, Argument]) -> Graph:
    """Returns the graph for arguments of which some are mapped, or none."""
    mapped = mapped_names(arguments)
    if mapped not in self._graphs:
      if self._graphs:  # Made in another call.
        self.conversion.budget = Budget(self.conversion.budget.limits)
      self._graphs[mapped] = self._make_graph(self.own(arguments), bool(mapped))
    return self._graphs[mapped]

  def _make_graph(self, arguments: dict[str, Argument], is_mapped: bool) -> Graph:
    specs = self.layout.specs(False)
    specs["arguments"] = [
      tf.TensorSpec(
        (tf.TensorShape([None]) if argument.is_mapped else tf.TensorShape([])).concatenate(s.shape),
        s.dtype,
      )
      for argument in arguments.values()
      for s in argument.specs()
    ]
    made: list[Graph] = []
    effects = self.effects

    def run(*tensors: tf.Tensor) -> list[tf.Tensor]:
      return compute(tensors, None)

    def compute(tensors: tuple[tf.Tensor, ...], kept: Kept | None) -> list[tf.Tensor]:
      fed = tf.nest.pack_sequence_as(specs, tensors)
      (found, names), frame = self.conversion.build(fed, lambda ip: self._enter(ip, arguments))
      containers = {
        name: _forms.form_of(names[name], frame)
        for name, argument in arguments.items()
        if argument.kind == CONTAINER
      }
      if is_mapped:
        assert isinstance(found, Rows)  # An argument is mapped.
        made.append(Graph(run, found.form, containers, None))
        return [*found.tensors, found.length]
      made.append(Graph(run, self.result_form, containers, None))
      outputs = _forms.flatten(found, self.result_form, frame)
      for name, form in containers.items():
        outputs += _forms.flatten(names[name], form, frame)
      outputs += effects.results(frame, None)
      if self.step is None or kept is None:
        return outputs
      places = {id(tensor): position for position, tensor in enumerate(tensors)}
      made[-1].given = {i: places[id(t)] for i, t in enumerate(outputs) if id(t) in places}
      first = {id(t): i for i, t in reversed(list(enumerate(outputs)))}
      made[-1].same = {i: first[id(t)] for i, t in enumerate(outputs) if first[id(t)] < i}
      with_logits = {i: t for i, t in enumerate(outputs) if hasattr(t, LOGITS)}
      made[-1].logits = {i: len(outputs) + n for n, i in enumerate(with_logits)}
      outputs += [getattr(t, LOGITS) for t in with_logits.values()]
      awaited = self.step.awaited(tf.compat.v1.get_default_graph(), kept)
      return frame.tied(outputs or [tf.zeros([])], computed=awaited)

    def run_step(*tensors: tf.Tensor) -> list[tf.Tensor]:
      assert self.step is not None  # Else it is not called.
      graph = tf.compat.v1.get_default_graph()
      with self.step.kept(graph) as kept:
        outputs = compute(tensors, kept)
      self.step.finish(graph, outputs, kept)
      return outputs

    run_all = run if self.step is None else run_step
    function = tf.function(run_all, input_signature=tf.nest.flatten(specs), autograph=False)
    with _executor():  # Its loops and branches are made for the executor that runs them.
      concrete = function.get_concrete_function()
    captures = tfi.fixed_captures(concrete)
    is_nested = has_nested_control(concrete.graph)
    return dataclasses.replace(
      made[-1], function=concrete, keep=function, captures=captures, is_nested=is_nested
    )

  # --- Running

  def feed(
    self, arguments: dict[str, Argument], values: dict[str, object]
  ) -> tuple[list[Any], Sequence[Any]]:
    """Reads the objects; returns what to feed, and the objects by handle.

    Raises:
      Outdated: If an assumption does not hold.
      ConversionRefused: If the objects have no end.
    """
    if self._refusal is not None:
      raise self._refusal.again()
    arguments = self.own(arguments)
    if self._reads_nothing:
      return self._feed_arguments(values), ()
    roots = [
      obj for name, argument in arguments.items() for obj in objects_of(argument, values[name])
    ]
    places = [self.effects.places[key] for key in self.layout.state]
    try:
      state = [initial_value(place) for place in places]
      by_parts: list[Any] = []
      for place, value in zip(places, state, strict=True):
        roots += _encode.objects_in(place.form, value)
        if place.kind == VARIABLE:
          by_parts += _encode.containers_in(place.form, value)
    except (_encode.DoesNotFit, TypeError, ValueError):
      raise Outdated from None
    num_own = len(roots)
    constants = list(self.layout.constants.values())
    is_known = all(
      set(map(type, objects_of(argument, values[name]))) <= self.root_types[name]
      for name, argument in arguments.items()
    )
    if not is_known or not {*map(type, roots)} - {type(None)} <= self._all_root_types:
      unknown = Outdated()
      unknown.objects = roots
      unknown.what = "the classes of the objects that are passed in"
      raise unknown
    start = time.perf_counter()
    try:
      found = self._walker.walk([*roots, *constants])
    except OverflowError as too_many:
      raise ConversionRefused.of(Reason.TOO_LARGE, str(too_many)) from None
    self.walk_seconds += time.perf_counter() - start
    if isinstance(found, _walk.Surprise) and found.reason == "fresh":
      self._refusal = ConversionRefused.of(
        Reason.TOO_LARGE,
        f"Reading {path_text(found.path)} gives new objects each time, without end.",
      )
      raise self._refusal
    if isinstance(found, _walk.Surprise):
      error = Outdated()
      error.objects = [*roots, found.object, found.value]
      error.what = f"what {path_text(found.path)} is: type, range, shape"
      raise error
    self.walked_objects += len(found.objects)
    self._check_containers(values, by_parts, found.objects)
    changing = [one.read() for one in self.layout.changing.values()]
    handles = np.frombuffer(found.roots, np.int32)
    columns = self.layout.columns
    if columns.num_ints:
      ints = _rows_of(np.frombuffer(found.ints, np.int32), columns.num_ints)
    else:
      ints = _no_ints(len(found.objects))
    fed: dict[str, Any] = {"ints": ints}
    if columns.num_floats:
      fed["floats"] = _rows_of(np.frombuffer(found.floats, np.float64), columns.num_floats)
    if columns.uses_items:
      fed["items"] = np.frombuffer(found.items, np.int32)
    if constants:
      fed["constants"] = handles[num_own:]
    fed["strings"] = list(map(_encode.strings, found.strings))
    fed["arrays"] = [
      _stack(column, arrays) for column, arrays in zip(columns.tensors, found.tensors, strict=True)
    ]
    fed["changing"] = [
      _changed(one, value)
      for one, value in zip(self.layout.changing.values(), changing, strict=True)
    ]
    numbers = iter(handles.tolist())
    try:
      fed["arguments"] = [
        tensor
        for name, argument in arguments.items()
        for tensor in tensors_of(argument, values[name], numbers)
      ]
      begun = [
        _encode.encode(place.form, value, numbers)
        for place, value in zip(places, state, strict=True)
      ]
    except _encode.DoesNotFit:
      raise Outdated from None
    fed["state"] = [tensor for tensors in begun for tensor in tensors]
    if self.step is not None:
      variables = [t for p, ts in zip(places, begun, strict=True) if p.kind == VARIABLE for t in ts]
      self._check_tensors(values, [changing, variables, *found.tensors])
    # As `tf.nest.flatten` would, which takes longer than all else here.
    leaves = [_as_tensor(value) for name in sorted(fed) for value in _leaves(fed[name])]
    return leaves, found.objects

  def _feed_arguments(self, values: dict[str, object]) -> list[Any]:
    """Returns what to feed where no objects are read; as `feed`."""
    self._check_containers(values, [], ())
    changing = [one.read() for one in self.layout.changing.values()]
    try:
      leaves = self._given.leaves(values)
    except _encode.DoesNotFit:
      raise Outdated from None
    if changing:
      leaves += map(_changed, self.layout.changing.values(), changing)
    self._check_tensors(values, [changing])
    return [*map(_as_tensor, leaves), _no_ints(0)]

  def check_guards(self, values: dict[str, object]) -> list[Any]:
    """Returns the places outside of the objects that changed; see `Guards.changed`.

    Args:
      values: the arguments of the call.
    """
    return self.guards.changed() + self._rebinding.bind(values)

  def outcome(
    self,
    graph: Graph,
    tensors: Sequence[tf.Tensor],
    objects: Sequence[object],
    values: dict[str, object],
    count: int | None,
  ) -> Outcome:
    """Returns what a run did, none of which has happened yet.

    Args:
      graph: what ran.
      tensors: what it returned.
      objects: the objects by handle.
      values: the arguments.
      count: the number of rows; None for a single call.
    """

    def object_of(handle: int) -> Any:
      return None if handle == NONE else objects[handle]

    source = iter(tensors)
    if count is not None:
      return Outcome(_results.rebuild_rows(graph.form, source, object_of, count))
    result = _results.rebuild(graph.form, source, object_of)
    returned = self._returns_given()
    if returned is not None:
      result = values[returned]
    if self.effects.is_pure and not graph.containers:
      return Outcome(result)
    contents = [
      Write(values[name], ("tail", 0), _results.rebuild(form, source, object_of))
      for name, form in graph.containers.items()
    ]
    places = self.effects.returned(None)
    writes, logs = writes_of(places, source, object_of, objects, {RESULT: result})
    return Outcome(result, [*writes, *contents], prints_of(self.effects, logs))


def _is_of_tensors(argument: Argument) -> bool:
  """Tells whether there is no object in an argument, to be read by the program."""
  return argument.kind not in (OBJECT, CONTAINER) and all(map(_is_of_tensors, argument.parts))


def _may_be_container(argument: Argument) -> bool:
  """Tells whether an argument is a list or dict, or is taken apart and may be or hold one."""
  return argument.kind in (CONTAINER, NEST)


def initial_value(place: Place) -> Any:
  """Returns what a place holds as a run begins."""
  if place.kind == LIST:
    return 0, len(place.owner), place.owner
  if place.kind == DICT:
    return tuple(place.owner.items())
  try:
    return value_of_variable(place.owner, place.name)
  except (AttributeError, ValueError):
    if place.is_absent_at_first:
      return None
    raise _encode.DoesNotFit from None


def _rows_of(numbers: np.ndarray, num_columns: int) -> np.ndarray:
  """Returns a row for each object; where there is none, one that is read in the place of None's."""
  if not numbers.size:
    return np.zeros([1, num_columns], numbers.dtype)
  return numbers.reshape(-1, num_columns)


@functools.lru_cache(maxsize=64)
def _no_ints(num_objects: int) -> tf.Tensor:
  """Returns what says only how many objects there are."""
  with tf.init_scope():
    return tf.zeros([num_objects, 0], tf.int32)


def _leaves(value: object) -> Iterator[Any]:
  if isinstance(value, (list, tuple)):
    for part in value:
      yield from _leaves(part)
  else:
    yield value


def _as_tensor(value: object) -> Any:
  return value if isinstance(value, tf.Tensor) else tf.constant(value)


def _changed(changing: Any, value: Any) -> Any:
  """Returns the tensor of a value that is read anew for each run."""
  now = np.asarray(value) if isinstance(value, np.ndarray) else value
  shape_ok = not hasattr(now, "shape") or changing.spec.shape.is_compatible_with(now.shape)
  dtype_ok = not hasattr(now, "dtype") or changing.spec.dtype == now.dtype
  if type(value) is not type(changing.example) or not shape_ok or not dtype_ok:
    raise Outdated
  if isinstance(value, (tf.Tensor, np.ndarray)):
    return tf.convert_to_tensor(value)
  return number_as_tensor(value, changing.spec.dtype, "A variable")


def _stack(column: Column, arrays: list[Any]) -> tuple[Any, ...]:
  """Returns the tensors to feed for a column's different arrays."""
  spec = column.spec
  assert spec is not None  # A tensor column.
  for array in arrays:
    wrong_type = tf.as_dtype(array.dtype) != spec.dtype
    if wrong_type or not spec.shape.is_compatible_with(array.shape):
      error = Outdated()
      error.objects = [array]
      raise error
  if spec.shape.is_fully_defined():
    if not arrays:  # There is always one, which may be read where there is None.
      return (tf.zeros([1, *spec.shape], spec.dtype),)
    is_numpy = all(isinstance(array, (np.ndarray, np.generic)) for array in arrays)
    return (np.stack(arrays) if is_numpy else tf.stack(arrays),)
  rank = spec.shape.rank
  if rank is None:
    raise Outdated
  arrays = arrays or [tf.zeros([size or 0 for size in spec.shape], spec.dtype)]
  shapes = np.array([tuple(array.shape) for array in arrays], np.int32).reshape(-1, rank)
  sizes = shapes.prod(axis=1, dtype=np.int64)
  starts = (np.cumsum(sizes) - sizes).astype(np.int32)
  values = tf.concat([tf.reshape(array, [-1]) for array in arrays], 0)
  return values, starts, shapes


def _make_walker(
  columns: Columns, profile: Profile, root_types: frozenset[type], layout: Layout
) -> _walk.Walker:
  """Makes the walker for the columns; types without any column still get a row."""
  types: dict[type, list[Any]] = {type_: [] for type_ in root_types}
  for value in layout.constants.values():
    types.setdefault(type(value), [])
  for type_ in profile.followed_types():
    types.setdefault(type_, [])
  for column in columns.all.values():
    more = [] if column.pointer is None else [column.pointer]
    more += [] if column.state is None else [column.state]
    entry = (column.kind, column.index, plain_path(column.path), *more)
    for type_ in column.types:
      types.setdefault(type_, []).append(entry)
  for type_, guard in profile.guards(columns.all.values()):
    types.setdefault(type_, []).append(guard)
  types.pop(type(None), None)
  return _walk.Walker(
    list(types.items()),
    columns.num_ints,
    columns.num_floats,
    columns.num_strings,
    len(columns.tensors),
  )


def mapped_names(arguments: dict[str, Argument]) -> frozenset[str]:
  """Returns the arguments of which a mapped call has one for each row; none in a single call."""
  return frozenset(name for name, argument in arguments.items() if argument.is_mapped)


def num_rows(arguments: dict[str, Argument], values: dict[str, Any]) -> int | None:
  """Returns the number of rows of a mapped call, None for a single one."""
  mapped = [name for name, argument in arguments.items() if argument.is_mapped]
  return len(values[mapped[0]]) if mapped else None


def rows_of_call(
  arguments: dict[str, Argument], values: dict[str, Any]
) -> Iterator[dict[str, Any]]:
  """Yields the arguments of each row of a mapped call."""
  constants = {name: a.value for name, a in arguments.items() if a.kind == STATIC}
  for position in range(num_rows(arguments, values) or 0):
    row = {
      name: value[position] if arguments[name].is_mapped else value
      for name, value in values.items()
    }
    yield {**row, **constants}  # A list of one constant was given for it.
