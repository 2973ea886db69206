"""A converted program: what it is fed, its graphs, and how a call runs it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._commit import Outcome, Write, prints_of, writes_of
from recursive_tf.convert.frame._budget import Budget
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._inputs import Layout
from recursive_tf.convert.frame._left_out import LeftOut, Site, at
from recursive_tf.convert.frame._sharing import containers
from recursive_tf.convert.heap._columns import NONE
from recursive_tf.convert.heap._origins import Origins
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.program._alike import captures_any
from recursive_tf.convert.program._arguments import (
  ALIKE,
  CONTAINER,
  GIVEN,
  OBJECT,
  Argument,
  constants_of,
  mapped_names,
)
from recursive_tf.convert.program._conversion import Conversion
from recursive_tf.convert.program._feeding import Feeder
from recursive_tf.convert.program._findings import Findings
from recursive_tf.convert.program._graph import Graph, GraphMaker
from recursive_tf.convert.program._learnt import RESULT
from recursive_tf.convert.program._made import with_made
from recursive_tf.convert.program._rebinding import Rebinding
from recursive_tf.convert.program._settled import check_settled
from recursive_tf.convert.program._sources import Sources
from recursive_tf.convert.program._stats import Stats
from recursive_tf.convert.program._steps import Step, Variables
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Rows
from recursive_tf.convert.values._operands import Mapped


class Program:
  """One conversion of a function for one kind of arguments. Not thread-safe.

  Attributes:
    version: tells the programs of one function apart.
    conversion: what made it.
    step: what it does to variables, if it runs in the graph itself.
    layout: what there is to feed.
    guards: what it relies on.
    result_form: of what a single call returns.
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
    changing: dict[tuple[int, object], object],
    roots: Sequence[object],
    root_types: dict[str, frozenset[type]],
    budget: Budget,
    step: Step | None = None,
    left_out: dict[Site, LeftOut] | None = None,
    is_wide: bool = False,
    is_ragged: bool = False,
    is_traced: bool = False,
    origins: Origins | None = None,
    hands_numbers: bool = True,
    findings: Findings | None = None,
    leaves_branches: bool = False,
  ):
    """Converts the function.

    With a `step` its entry function runs in the graph itself, where it may write variables, and
    where branches may be left out. With `is_wide` values of any forms may meet, and with
    `is_ragged` tensors of several sizes in one list. With `is_traced` a tape sees the tensors in
    what runs make. With `hands_numbers` callers may pass the numbers of lists, too.
    `findings` are what runs have found. With `leaves_branches` it is made without the branches that
    are refused, and runs that take one fail.

    Raises:
      ConversionRefused: If it cannot be converted.
    """
    self.version = version
    self._source = source
    self._arguments = {
      name: dataclasses.replace(argument, is_mapped=False) for name, argument in arguments.items()
    }
    self.root_types = {name: profile.family(types) for name, types in root_types.items()}
    all_types = frozenset[type]().union(*self.root_types.values())
    self.step = step
    self.left_out = left_out or {}
    self.conversion = Conversion(
      profile,
      sources,
      changing,
      all_types,
      source.node,
      budget,
      step,
      self.left_out,
      is_wide,
      is_ragged,
      is_traced,
      origins,
      hands_numbers,
      findings,
      leaves_branches,
    )
    profile.begin(roots)
    given = [a for a in self._arguments.values() if a.kind == GIVEN]
    self.conversion.given = [a.value for a in given]
    self.conversion.factories = {id(a.value): a.keys[0] for a in given}
    try:
      self.conversion.settle(lambda ip: self._enter(ip, self._arguments))
      check_settled(self.conversion, source, self._arguments, profile)
    finally:
      profile.end()
      if origins is not None:
        origins.end()
    entry = self.conversion.entry_of(source.node)
    forms = dict(zip(entry.lifted.values, entry.forms, strict=True))
    self._arguments = {n: argument.widened(forms[n]) for n, argument in self._arguments.items()}
    layout = self.conversion.layout
    layout.arguments = [s for argument in self._arguments.values() for s in argument.specs()]
    self.layout: Layout = layout
    self.effects = self.conversion.effects
    self.guards = self.conversion.guards
    self._written = {id(place.owner) for place in self.effects.places.values()}
    if self._writes_around(self._arguments):
      text = "A function that is passed in reads a variable that the program writes."
      raise ConversionRefused.of(Reason.OPAQUE_READ, text)
    self.is_packed = False
    self.result_form = self.conversion.entry_of(source.node).result
    self._feeder = Feeder(self.conversion, self._arguments, self.root_types, profile)
    self._maker = GraphMaker(self.conversion, self._enter, self.result_form)
    self._graphs: dict[frozenset[str], Graph] = {}
    self._rebinding = self._make_rebinding(profile)

  def _make_rebinding(self, profile: Profile) -> Rebinding:
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
      [column.path for column in profile.reads(self.layout.columns.all.values())],
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
    form = self.result_form
    for name, argument in self._arguments.items():
      if argument.kind == GIVEN and isinstance(form, _forms.StaticForm):
        if form.value is argument.value:
          return name
    return None

  def _returns_list(self) -> str | None:
    """Returns the name of a list that is passed in, may be changed, and is returned."""
    position = self.conversion.returned(self._source.node)
    arguments = enumerate(self._arguments.items())
    return next((n for i, (n, a) in arguments if i == position and a.kind == CONTAINER), None)

  @functools.cached_property
  def _returned(self) -> str | None:
    """The name of a list or dict that is passed in and that the program returns."""
    return self._returns_given() or self._returns_list()

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

  @functools.cached_property
  def strategies(self) -> list[tf.distribute.Strategy]:
    """Those of the variables that a run may write; none of what was made outside of all."""
    written = {} if self.step is None else self.step.written
    given = constants_of(self._arguments.values())
    return [
      variable.distribute_strategy
      for variable in (self.guards.all_variables(given) if written else ())
      if isinstance(variable, tf.distribute.DistributedValues)
      and any(id(part.handle) in written for part in variable.values)
    ]

  @property
  def is_seen_by_tapes(self) -> bool:
    """Whether a tape outside would see what a run has written to variables."""
    return self.step is not None and self.step.is_seen_by_tapes

  @property
  def makes_tensors(self) -> bool:
    """Whether runs make objects of which tensors are parts: a tape does not see where from."""
    return any(map(_forms.has_gradients, self.conversion.made_kinds.used))

  @property
  def is_traced(self) -> bool:
    """Whether runs make objects of which tensors are parts, and a tape sees these."""
    return self.conversion.made_kinds.is_traced and self.makes_tensors

  @property
  def is_seen_in_full(self) -> bool:
    """Whether a tape sees all tensors in what runs make."""
    return self.is_traced or not self.makes_tensors

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

  def _enter(self, ip: Host, arguments: dict[str, Argument]) -> tuple[object, dict[str, object]]:
    """Makes the call of the entry function; returns its result and its arguments."""
    length = None
    position = 0
    names: dict[str, object] = {}
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
        value = ip.frame.adopt(_forms.unflatten(form, iter(tensors)))
        names[name] = ip.frame.from_source(name, value) if argument.kind == OBJECT else value
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
    is_taken = self._arguments.keys() == arguments.keys() and all(
      own.takes(arguments[name]) for name, own in self._arguments.items()
    )
    return is_taken and not self._writes_around(arguments)

  def _writes_around(self, arguments: dict[str, Argument]) -> bool:
    """Tells whether it writes a variable that a function which is called by a copy reads."""
    return any(a.kind == ALIKE and captures_any(a.value, self._written) for a in arguments.values())

  def taken(self, error: tf.errors.OpError) -> Site | None:
    """Returns the conditional of which a run took the branch that is left out, None of all else."""
    return self.conversion.branches.taken(error.message)

  def found(self, error: tf.errors.OpError) -> tuple[str, str] | None:
    """Returns the place at which a run found an object of a kind not read there, and the kind."""
    return self.conversion.made_kinds.found_in(error.message)

  def agrees(self, values: dict[Site, bool]) -> bool:
    """Tells whether it has these branches of conditionals, by the values of their conditions."""
    pairs = ((at(self.left_out, site), value) for site, value in values.items())
    return all(found is None or found.value is not value for found, value in pairs)

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
      self._graphs[mapped] = self._maker.make(self.own(arguments), bool(mapped))
    return self._graphs[mapped]

  # --- Running

  def feed(
    self, arguments: dict[str, Argument], values: dict[str, object], stats: Stats
  ) -> tuple[list[object], Sequence[object]]:
    """Reads the objects; returns what to feed, and the objects by handle; see `Feeder.feed`.

    Raises:
      Outdated: If an assumption does not hold.
      ConversionRefused: If the objects have no end.
    """
    return self._feeder.feed(self.own(arguments), values, stats)

  def _traces(self, graph: Graph, tensors: Sequence[tf.Tensor]) -> dict[str, dict[str, tf.Tensor]]:
    """Returns the tensors in what a run has made, as a tape sees them."""
    before = [graph.form, *graph.containers.values()]
    count = sum(len([*_forms.specs(form)]) for form in before)
    return self.effects.traces(iter(tensors[count:]))

  def check_guards(self, values: dict[str, object]) -> list[tuple[tuple[int, object], object]]:
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
    object_of = with_made(
      objects,
      self.conversion.made_kinds.forms,
      lambda handle: None if handle == NONE else objects[handle],
      self._traces(graph, tensors) if self.is_traced else None,
    )
    source, parts = _forms.Source(object_of), iter(tensors)
    if count is not None:
      return Outcome(graph.form.rebuild_rows(parts, source, count))
    result = graph.form.rebuild(parts, source)
    if self._returned is not None:
      result = values[self._returned]
    if self.effects.is_pure and not graph.containers:
      return Outcome(result)
    contents = [
      Write(values[name], ("tail", 0), form.rebuild(parts, source))
      for name, form in graph.containers.items()
    ]
    places = self.effects.returned(None)
    writes, logs, are_ordered, is_unsure = writes_of(
      places, parts, source, objects, {RESULT: result}, self.effects.in_order
    )
    prints = prints_of(self.effects, logs)
    return Outcome(result, [*writes, *contents], prints, not are_ordered, is_unsure)
