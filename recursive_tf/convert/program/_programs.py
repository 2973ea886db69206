"""The programs of one decorated function: found for the arguments of a call, or made."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
from collections.abc import Iterable, Iterator, Sequence

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import LASTING, ConversionRefused, Reason
from recursive_tf.convert._signals import let_out
from recursive_tf.convert.effects._containers import TABLES
from recursive_tf.convert.frame._budget import Budget, Limits
from recursive_tf.convert.frame._left_out import LeftOut, Site, at, with_more
from recursive_tf.convert.heap._examples import with_examples
from recursive_tf.convert.heap._origins import OF_KINDS, Origins
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.program._arguments import (
  CONTAINER,
  GIVEN,
  OBJECT,
  STATIC,
  Argument,
  constants_of,
  mapped_names,
  objects_of,
)
from recursive_tf.convert.program._assumptions import (
  GRAPH,
  INPUT,
  PYTHON,
  Assumptions,
  is_number,
  shown,
  what_of,
)
from recursive_tf.convert.program._conversion import PromoteArgument
from recursive_tf.convert.program._entry import (
  MAX_REFUSALS,
  MAX_SECONDS_REFUSED,
  OF_FORMS,
  PATIENCE,
  Entry,
)
from recursive_tf.convert.program._feeding import Outdated
from recursive_tf.convert.program._graph import Graph
from recursive_tf.convert.program._kinds import Key, Kinds, key_of
from recursive_tf.convert.program._lifetime import Weak, variable_of
from recursive_tf.convert.program._program import Program
from recursive_tf.convert.program._sources import Sources
from recursive_tf.convert.program._stats import Stats
from recursive_tf.convert.program._steps import Step
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.syntax.source import suspended
from recursive_tf.convert.syntax.written import written_parameters
from recursive_tf.convert.values import _forms

_MAX_CONVERSIONS = 8  # For one kind of arguments: after that its assumptions never settle.
_MAX_LEFT_OUT = 4  # Branches that one program leaves out.
# Refusals of a program with a branch: what it makes in its first call is there in the second.
_MAX_HOPELESS = 2
_MAX_SECONDS_IN_VAIN = 10.0  # Of conversions without branches that each call takes.
_NOT_TAKEN = "no run takes the branch that is refused"
_LEAST_SECONDS = 1.0  # Of processor time that a conversion may take.


@dataclasses.dataclass(frozen=True)
class _Making:
  """What a program is made of.

  Attributes:
    entry: where it is kept.
    roots: objects to begin with, those of the arguments by the time that it is converted.
    budget: what it may cost.
    leaves_out: whether branches that are refused may be left out: with all it was refused before.
    taken: those of which the call is known to take them.
    insists: whether it is made however often there was another.
    is_traced: whether a tape is to see the tensors in what runs make.
    named: the objects that each argument is.
    leaves_branches: whether runs may fail where they take a branch that is refused.
  """

  entry: Entry
  roots: list[object]
  budget: Budget
  leaves_out: bool
  taken: dict[Site, bool]
  insists: bool
  is_traced: bool
  named: dict[str, list[object]]
  leaves_branches: bool = False

  def left_out(self, refusal: ConversionRefused) -> tuple[Site, LeftOut] | None:
    """Returns the branch to leave out where a program with it is refused; None if there is none."""
    if not self.leaves_out or refusal.without is None or refusal.reason in LASTING:
      return None
    site, value = refusal.without
    is_final = value is not None
    if is_final and at(self.taken, site) is value:
      return None
    found = value if is_final else not self.taken.get(site, True)
    return site, LeftOut(found, refusal.again(), is_final)


@dataclasses.dataclass(slots=True, eq=False)
class Prepared:
  """A program that is ready to run. Never changed, but not frozen: that takes three times as long.

  Attributes:
    entry: where it is kept.
    program: the program.
    arguments: of the call.
    mapped: those of which there is one for each row.
    key: what the entry is kept for.
    tensors: what to feed.
    objects: the objects by handle.
  """

  entry: Entry
  program: Program
  arguments: dict[str, Argument]
  mapped: frozenset[str]
  key: Key
  tensors: list[object]
  objects: Sequence[object]


class Programs:
  """Finds and makes the programs of one function. Not thread-safe.

  Attributes:
    versions: the programs that are kept, by version; none where no call is packed.
    assumptions: what graphs rely on, and what became of it.
  """

  def __init__(
    self, function: object, name: str, stats: Stats, limits: Limits, runs_in_graph: bool = False
  ):
    """Begins without any.

    Args:
      function: the plain function.
      name: what messages call it.
      stats: its counters.
      limits: what a conversion may cost.
      runs_in_graph: whether it runs in the graph itself and may write variables.
    """
    self._runs_in_graph = runs_in_graph
    self._function = function
    self._name = name
    self._stats = stats
    self._limits = limits
    self._num_too_slow = 0  # Conversions that were given up for the time that they took.
    self.versions: dict[int, Program] = {}
    self._num_versions = 0
    self._seconds_in_vain = 0.0  # Of conversions without branches, since a run counted.
    self._sources = Sources()
    self._profile = Profile()
    self._changing: dict[tuple[int, object], Weak] = {}  # By place, its owner.
    self._entries: Kinds[Entry] = Kinds(calls_alike=not runs_in_graph)
    self._promoted: set[str] = set()
    self._are_accumulators_tried = False
    self._needs_origins = False  # Whether some program tells objects apart by origin.
    self.assumptions = Assumptions()

  def __iter__(self) -> Iterator[Program]:
    """Yields the programs in use."""
    for entry in self._entries.values():
      yield from entry.programs

  def note_run(self, entry: Entry) -> None:
    """Notes that a run of one of an entry's programs counted."""
    entry.note_run()
    self._seconds_in_vain = 0.0

  @property
  def leaves_out(self) -> bool:
    """Whether programs without branches are still made: not if none of them is of any use."""
    return self._seconds_in_vain < _MAX_SECONDS_IN_VAIN

  def _next_limits(self) -> Limits:
    """Returns what the next conversion may take: half the time for each that took too long.

    A function that is too large for one kind of arguments mostly is for others as well.
    """
    seconds = max(_LEAST_SECONDS, self._limits.seconds / 2**self._num_too_slow)
    return dataclasses.replace(self._limits, seconds=min(seconds, self._limits.seconds))

  def _refused(self, entry: Entry, refusal: ConversionRefused) -> ConversionRefused:
    """Notes a refusal; returns what to tell."""
    self._num_too_slow += refusal.is_of_machine
    return entry.refused(refusal, self._stats.total_seconds, self._limits)

  def prepare(
    self,
    arguments: dict[str, Argument],
    values: dict[str, object],
    budget: Budget | None = None,
    leaves_out: bool = False,
    taken: dict[Site, bool] | None = None,
    insists: bool = False,
    is_traced: bool = False,
  ) -> Prepared:
    """Finds or makes the program and reads the objects.

    Args:
      arguments: what kinds of things the values are.
      values: of the parameters.
      budget: what conversions of this call may still cost; None as a call begins.
      leaves_out: whether a program may be made without a branch that is refused.
      taken: branches that this call is known to take.
      insists: whether it is tried however often other objects were refused: nothing else will do.
      is_traced: whether a tape has to see the tensors in what runs make.

    Raises:
      ConversionRefused: If the function cannot be converted for these arguments.
    """
    budget = budget or Budget(self._next_limits())
    arguments, key = self._entries.generalized(self._with_containers(arguments, values))
    entry = self._entry(arguments, key)
    if entry.is_given_up and not (insists and entry.may_insist):
      if not entry.retries(self._stats.total_seconds):
        assert entry.refusal is not None  # It says so.
        raise entry.refusal.again()
      patient = dataclasses.replace(self._limits, seconds=PATIENCE * self._limits.seconds)
      budget = Budget(patient)
    named = _objects_by_name(arguments, values)
    learnt: list[object] = []
    passed_over = []
    for program in _for_tapes(entry.programs, is_traced):  # The last one that fitted first.
      if not program.takes(arguments) or not program.agrees(taken or {}):
        continue
      changed = program.guards.still_changed()
      if changed:
        passed_over.append(program)
      else:
        changed = program.check_guards(values)
      if changed:
        entry.changed |= dict(changed)
        self._note_changed(program, changed)
        continue
      try:
        fed = self.feed(program, arguments, values)
      except Outdated as outdated:
        learnt += outdated.objects
        self.assumptions.broke(outdated.what, GRAPH)
        continue
      entry.programs.remove(program)
      entry.programs.insert(0, program)
      return Prepared(entry, program, arguments, mapped_names(arguments), key, *fed)
    for program in passed_over:  # A new program is made: all that has changed counts.
      entry.changed |= dict(program.check_guards(values))
    while True:
      # A number that was another one before is read anew for each run from now on. While there is
      # a program that says so, it keeps the owner, whose identity is part of the place.
      self._changing |= {place: Weak(owner) for place, owner in entry.changed.items()}
      try:
        making = _Making(entry, learnt, budget, leaves_out, taken or {}, insists, is_traced, named)
        program = self._convert(making, arguments, values)
      except PromoteArgument as promoted:
        (name,) = promoted.args
        text = None
        if arguments[name].is_mapped:
          text = f"The lists or dicts given to map as {name!r} are changed. Call it for each."
        elif name in self._promoted:  # Asked for already: it is of another class.
          text = f"A {type(values[name]).__name__} that is passed in as {name!r} is changed."
        if text is not None:
          refusal = ConversionRefused.of(Reason.UNSUPPORTED_WRITE, text)
          raise self._refused(entry, refusal) from None
        self._promoted.add(name)
        self._stats.num_conversions -= 1  # It goes on, with one thing more known.
        return self.prepare(arguments, values, budget, leaves_out, taken, insists, is_traced)
      except ConversionRefused:
        # What is read of a dict may be taken for an item of another one, until it is written to.
        names = self._accumulators(arguments, values)
        if not names or taken:
          raise
        self._promoted |= names
        self._are_accumulators_tried = True
        with contextlib.suppress(ConversionRefused):
          return self.prepare(arguments, values, budget, leaves_out, taken, insists, is_traced)
        self._promoted -= names
        raise
      try:
        fed = self.feed(program, arguments, values)
        self._discard_outlived(entry, program)
        return Prepared(entry, program, arguments, mapped_names(arguments), key, *fed)
      except Outdated as outdated:
        learnt += outdated.objects
        self.assumptions.broke(outdated.what, GRAPH)
        entry.programs.remove(program)

  @property
  def num_promoted(self) -> int:
    """How many arguments are known to be lists or dicts that change, which decides on calls."""
    return len(self._promoted)

  def note_rows(self, count: int) -> None:
    """Notes of how many rows a call is, before it is prepared."""
    self._entries.note_rows(count)

  def again(self, before: Sequence[Prepared], values: dict[str, object]) -> Prepared | None:
    """Does as `prepare` for a call like some before, which took programs of one entry.

    Returns:
      None if another program may be the first to fit, or none of theirs does: `prepare` says.
    """
    if not before or before[0].entry.is_gone or before[0].entry.is_given_up:
      return None
    entry = before[0].entry
    known = {id(one.program): one for one in before}
    for program in _for_tapes(entry.programs):
      found = known.get(id(program))
      if found is None:
        return None
      changed = program.guards.still_changed()
      if changed:
        self._note_changed(program, changed)
        continue
      if program.check_guards(values):
        return None
      try:
        fed = self.feed(program, found.arguments, values)
      except (Outdated, ConversionRefused):
        return None
      if program is not entry.programs[0]:
        entry.programs.remove(program)
        entry.programs.insert(0, program)
      self._entries.note_call(found.key)
      return Prepared(entry, program, found.arguments, found.mapped, found.key, *fed)
    return None

  def of_program(
    self, program: Program, arguments: dict[str, Argument], values: dict[str, object]
  ) -> Prepared | None:
    """Reads the objects for one program, and makes no other.

    Returns:
      None if something else that the program relies on has changed.

    Raises:
      Outdated: If it is not for these objects.
      ConversionRefused: If the objects have no end.
    """
    arguments, key = self._entries.generalized(self._with_containers(arguments, values))
    if not program.takes(arguments):
      raise Outdated
    if program.guards.still_changed() or program.check_guards(values):
      return None
    fed = self.feed(program, arguments, values)
    return Prepared(
      self._entry(arguments, key), program, arguments, mapped_names(arguments), key, *fed
    )

  def _discard_outlived(self, entry: Entry, program: Program) -> None:
    """Lets go of graphs that rely on a number which a new program is fed: it does their calls."""
    if not self._runs_in_graph or program.left_out:
      return
    fed = program.layout.changing.keys()
    outlived = [
      old
      for old in entry.programs
      if old is not program
      and any(
        key in fed and type(value) is type(program.layout.changing[key].example)
        for key, _, value, _ in old.guards.reliances()
      )
    ]
    for old in outlived:
      entry.programs.remove(old)

  def _note_changed(
    self, program: Program, changed: Iterable[tuple[tuple[int, object], object]]
  ) -> None:
    """Notes which places are no longer what a program relies on."""
    for key, owner in changed:
      reliance = program.guards.reliance(key)
      if reliance is None:  # Lists and dicts, which are looked after elsewhere.
        self.assumptions.broke(what_of(owner, key[1]) or "lists and dicts outside", GRAPH)
        continue
      value, origin = reliance
      relaxed = INPUT if is_number(value) else GRAPH
      what = what_of(owner, key[1]) or "what is read of objects and classes"
      # A graph for another value relies on that, not on what was found at first.
      if self.assumptions.is_first(what, shown(value), origin):
        self.assumptions.broke(what, relaxed, shown(value), origin)

  def note_left(self, prepared: Prepared) -> ConversionRefused:
    """Notes that a call took a branch that its program does without, or fails; returns why."""
    refusal = prepared.program.conversion.left_branches[0].again()  # It stands for all.
    self.assumptions.broke(_NOT_TAKEN, f"{PYTHON}, for such calls", "", refusal.origin)
    return refusal

  def drop_left(self, prepared: Prepared) -> None:
    """Lets the next call be converted anew, once: its branches may not be refused then."""
    entry, program = prepared.entry, prepared.program
    is_first = entry.num_refusals + 1 < MAX_REFUSALS
    if program.conversion.left_branches and is_first and program in entry.programs:
      entry.programs.remove(program)
      entry.num_refusals += 1

  def note_taken(self, site: Site, left_out: LeftOut, is_plain: bool) -> None:
    """Notes that a call took a branch that is left out, and whether plain Python does it."""
    what = f"the condition is {not left_out.value}, where the other branch is left out"
    self.assumptions.broke(what, PYTHON if is_plain else GRAPH, "", site.origin)

  def of_any_forms(
    self, prepared: Prepared, arguments: dict[str, Argument], values: dict[str, object]
  ) -> Prepared | None:
    """Makes a program in which elements of lists may have any forms, after a run in which they had.

    Args:
      prepared: what ran.
      arguments: of the call.
      values: theirs.

    Returns:
      It; None if there is none.
    """
    entry = prepared.entry
    if entry.has_widened or self._runs_in_graph or prepared.mapped or prepared.program.left_out:
      return None
    entry.is_wide = entry.has_widened = True
    before = list(entry.programs)
    entry.programs.clear()
    # Of several sizes are those of several ranks, too, of which no one tensor is known to be.
    for entry.findings.has_ranks in (True, False):
      found = self._tried(entry, arguments, values)
      if found is not None:
        break
    if found is None:
      entry.is_wide, entry.programs[:] = False, before
    return found

  def traced(
    self, prepared: Prepared, arguments: dict[str, Argument], values: dict[str, object]
  ) -> Prepared | ConversionRefused | None:
    """Makes a program of which a tape sees the tensors in what runs make.

    Args:
      prepared: what a tape does not see so.
      arguments: of the call.
      values: theirs.

    Returns:
      It; why there is none, or None if there is none for such calls.
    """
    entry = prepared.entry
    if self._runs_in_graph or prepared.mapped:
      return None
    if entry.num_traced >= _MAX_CONVERSIONS:
      return entry.traced_refusal
    found = self._tried(entry, arguments, values, is_traced=True)
    if found is None:
      entry.num_traced += _MAX_CONVERSIONS // 2  # It is tried once more.
      return entry.traced_refusal
    return found

  def _tried(
    self,
    entry: Entry,
    arguments: dict[str, Argument],
    values: dict[str, object],
    is_traced: bool = False,
  ) -> Prepared | None:
    """Prepares a call in another way; None if that is refused, which is not counted."""
    counts = entry.num_refusals, entry.refusal
    try:
      return self.prepare(arguments, values, is_traced=is_traced)
    except ConversionRefused as refusal:
      entry.num_refusals, entry.refusal = counts
      if is_traced:
        entry.traced_refusal = refusal.again()
      return None

  def of_other_kinds(
    self, prepared: Prepared, arguments: dict[str, Argument], values: dict[str, object]
  ) -> Prepared | None:
    """Makes a program for objects of other kinds, after a run that was told what kinds come where.

    Args:
      prepared: what ran.
      arguments: of the call.
      values: theirs.

    Returns:
      It; None if no read that was told apart gives another kind.
    """
    origins, entry = prepared.program.conversion.origins, prepared.entry
    if origins is None or prepared.mapped:
      return None
    if not origins.learn(_objects_by_name(prepared.arguments, values)):
      return None
    self.assumptions.broke("of which kinds items are, by where they come from", GRAPH)
    if prepared.program in entry.programs:
      entry.programs.remove(prepared.program)
    try:
      return self.prepare(arguments, values)
    except ConversionRefused:
      return None

  def of_found(
    self,
    prepared: Prepared,
    arguments: dict[str, Argument],
    values: dict[str, object],
    error: tf.errors.OpError,
  ) -> Prepared | None:
    """Makes a program that reads objects of a run as what a run has found them to be.

    Args:
      prepared: what ran.
      arguments: of the call.
      values: theirs.
      error: what it failed with.

    Returns:
      It; None if that is not why it failed, or there is none.
    """
    found, entry = prepared.program.found(error), prepared.entry
    if found is None or prepared.mapped:
      return None
    place, kind = found
    known = entry.findings.kinds.setdefault(place, [])
    if kind in known:
      return None
    known.insert(0, kind)
    self.assumptions.broke("what objects of the run are, where they are read", GRAPH)
    before = list(entry.programs)
    entry.programs[:] = [program for program in before if program is not prepared.program]
    other = self._tried(entry, arguments, values)
    if other is None:
      entry.programs[:] = before
    return other

  def note_unordered_keys(self, prepared: Prepared) -> None:
    """Notes that a run gave a dict new keys in an order that is not known: it has not counted."""
    entry = prepared.entry
    self.assumptions.broke("in which order dicts get new keys", GRAPH)
    if not entry.findings.has_unordered_keys:
      entry.findings.has_unordered_keys = entry.findings.has_whole_dicts = True
      entry.programs.clear()

  def other(
    self, prepared: Prepared, values: dict[str, object], taken: dict[Site, bool]
  ) -> Prepared | None:
    """Finds or makes the program for a call that took a branch which one program leaves out.

    Args:
      prepared: what ran.
      values: of the parameters.
      taken: branches that this call is known to take, last the one that `prepared` leaves out.

    Returns:
      It; None if there is none, and plain Python takes the branch.
    """
    entry, program, branches = prepared.entry, prepared.program, tuple(taken.items())
    if entry.hopeless[branches] >= _MAX_HOPELESS:
      return None
    last, _ = branches[-1]
    if program.left_out[last].is_final and not entry.hopeless[branches]:
      entry.hopeless[branches] += 1  # That was tried when the program was made.
      return None
    try:
      found = self.prepare(prepared.arguments, values, None, True, taken)
    except ConversionRefused:
      return None
    if not found.program.left_out and program in entry.programs:
      entry.programs.remove(program)
    return found

  def _entry(self, arguments: dict[str, Argument], key: Key) -> Entry:
    """Returns what is known for arguments of one kind.

    Raises:
      ConversionRefused: If constants among them are ever others.
    """
    known = self._entries.get(key)
    if known is None:
      # A function's shapes are open where they may be; a size of 1 beside them is its own case.
      others = () if self._runs_in_graph else self._entries.values()
      known = next((e for e in others if any(p.takes(arguments) for p in e.programs)), Entry())
      for gone in self._entries.add(key, known):
        gone.is_gone = True
        for program in gone.programs:
          if not program.is_packed:
            self.versions.pop(program.version, None)
    self._entries.use(key)
    return known

  def note_failure(self, arguments: dict[str, Argument], refusal: ConversionRefused) -> None:
    """Notes that a call with these arguments failed by an error of ours."""
    _, key = self._entries.generalized(arguments)
    entry = self._entries.get(key)
    if entry is not None:
      entry.note_failure(refusal)

  def graph(self, program: Program, arguments: dict[str, Argument]) -> Graph:
    """Returns a program's graph for these arguments."""
    before = program.num_graphs
    try:
      graph = program.graph(arguments)
    except ConversionRefused as refusal:
      for entry in self._entries.values():
        if program in entry.programs and refusal.reason in LASTING:
          entry.programs.remove(program)
          refusal = self._refused(entry, refusal)
      raise refusal from None
    self._stats.num_graphs += program.num_graphs - before
    return graph

  def feed(
    self, program: Program, arguments: dict[str, Argument], values: dict[str, object]
  ) -> tuple[list[object], Sequence[object]]:
    """Reads the objects; see `Program.feed`."""
    return program.feed(arguments, values, self._stats)

  def _with_containers(
    self, arguments: dict[str, Argument], values: dict[str, object]
  ) -> dict[str, Argument]:
    """Returns the arguments, lists that the program changes as what they are."""
    if not self._promoted:
      return arguments
    found = dict(arguments)
    for name in self._promoted & arguments.keys():
      if self._is_default(values[name]):  # Which calls inside are given, too: it is known.
        found[name] = Argument(STATIC, values[name])
      elif not arguments[name].is_mapped and type(values[name]) is list:
        found[name] = Argument(CONTAINER, _forms.RowsForm(None))
      elif not arguments[name].is_mapped and type(values[name]) in TABLES:
        factory = getattr(values[name], "default_factory", None)
        found[name] = Argument(GIVEN, values[name], keys=(factory,))
    return found

  def _accumulators(
    self, arguments: dict[str, Argument], values: dict[str, object]
  ) -> frozenset[str]:
    """Returns the arguments that may be lists or dicts which the function fills, as it reads.

    Those are what it writes to, and what is empty.
    """
    if self._are_accumulators_tried:
      return frozenset()
    written = written_parameters(self._sources(self._function).node)
    return frozenset(
      name
      for name, argument in arguments.items()
      if argument.kind == OBJECT
      and not argument.is_mapped
      and (type(values[name]) is list or type(values[name]) in TABLES)
      and (name in written or not values[name])
    )

  def _is_default(self, value: object) -> bool:
    """Tells whether a list or dict is a default argument of the function, a single object."""
    function = getattr(self._function, "__func__", self._function)
    defaults = [*(getattr(function, "__defaults__", None) or ())]
    defaults += (getattr(function, "__kwdefaults__", None) or {}).values()
    return type(value) in (list, *TABLES) and any(value is default for default in defaults)

  def _convert(
    self, making: _Making, arguments: dict[str, Argument], values: dict[str, object]
  ) -> Program:
    entry = making.entry
    root_types, containers = dict(entry.root_types), dict(entry.containers)
    known = self._profile.known()
    is_counted = not making.leaves_out and not making.is_traced
    entry.num_conversions += is_counted
    entry.num_traced += making.is_traced
    self._stats.num_conversions += 1
    begin = time.thread_time()
    try:
      if entry.num_conversions > _MAX_CONVERSIONS and not making.insists:
        entry.num_refusals = MAX_REFUSALS
        raise ConversionRefused.of(
          Reason.NOT_SETTLED,
          f"{self._name}: converted {_MAX_CONVERSIONS} times, types and values it relies on"
          " still change.",
        )
      single: dict[str, Argument] = {}
      objects: list[object] = []
      for name, argument in arguments.items():
        single[name] = argument
        given = values[name]
        if argument.kind == CONTAINER and isinstance(given, list):
          # What is in a list is known only by its form.
          single[name] = entry.container(name, given)
        own = list(objects_of(single[name], values[name]))
        entry.root_types[name] = entry.root_types.get(name, frozenset()) | {*map(type, own)}
        objects += own
      making = dataclasses.replace(making, roots=[*objects, *making.roots])
      single = {name: argument.single() for name, argument in single.items()}
      program = self._of_all_or_most(making, single)
    except BaseException as error:
      # Objects that no program was made of say nothing about others.
      entry.root_types, entry.containers = root_types, containers
      self._profile.go_back_to(known)
      if not isinstance(error, ConversionRefused):
        entry.num_conversions -= is_counted and not isinstance(error, PromoteArgument)
        raise
      if making.leaves_out:
        entry.hopeless[tuple(making.taken.items())] += 1
        raise
      entry.seconds_refused += time.thread_time() - begin
      raise self._refused(entry, error) from error.__cause__
    finally:
      if making.leaves_out:
        self._seconds_in_vain += time.thread_time() - begin
    if making.leaves_out:
      entry.num_refusals, entry.refusal = 0, None
    entry.programs.insert(0, program)
    if self._runs_in_graph:
      variable = variable_of(constants_of(arguments.values()))
      if variable is not None:
        self._entries.keep_with(key_of(arguments), variable)
    else:
      self.versions[program.version] = program
    self._num_versions += 1
    for (_, part), owner, value, origin in program.guards.reliances():
      if (what := what_of(owner, part)) != "":
        self.assumptions.note(what, shown(value), origin)
    for refused in program.conversion.left_branches:
      self.assumptions.note(_NOT_TAKEN, refused.reason.code, refused.origin)
    for site, found in program.left_out.items():
      what = f"the condition is {not found.value}, where the other branch is left out"
      self.assumptions.note(what, "", site.origin)
    return program

  def _of_all_or_most(self, making: _Making, arguments: dict[str, Argument]) -> Program:
    """Makes a program; in the end without the branches that are refused."""
    try:
      return self._of_any_length(making, arguments)
    except ConversionRefused as refusal:
      if self._runs_in_graph or not making.entry.may_leave_branches or refusal.reason in LASTING:
        raise
      with contextlib.suppress(ConversionRefused):
        return self._program(dataclasses.replace(making, leaves_branches=True), arguments)
      raise

  def _of_any_length(self, making: _Making, arguments: dict[str, Argument]) -> Program:
    """Makes a program for arguments as they are, or for lists that are not empty."""
    try:
      return self._by_findings(making, arguments)
    except ConversionRefused as refusal:
      wider = {name: argument.without_zeros() for name, argument in arguments.items()}
      if refusal.reason != Reason.TENSORFLOW_ERROR or wider == arguments:
        raise
      # What TensorFlow refuses may not be reached.
      return self._program(making, wider)

  def _by_findings(self, making: _Making, arguments: dict[str, Argument]) -> Program:
    """Makes a program by what runs have found, or without that where it is refused."""
    findings = making.entry.findings
    try:
      return self._program(making, arguments)
    except ConversionRefused:
      if not findings.has_whole_dicts:
        raise
      findings.has_whole_dicts = False
      return self._program(making, arguments)

  def _program(self, making: _Making, arguments: dict[str, Argument]) -> Program:
    """Makes a program; without branches that are refused, where these may be left out."""
    self._changing = {
      place: owner for place, owner in self._changing.items() if owner() is not None
    }
    changing = {place: owner() for place, owner in self._changing.items()}
    if making.entry.is_wide:
      return self._of_branches(
        making, arguments, changing, self._profile, is_wide=True, is_ragged=True
      )
    if making.entry.has_origins:
      return self._by_origin(making, arguments, changing)
    if self._needs_origins:  # For arguments of another kind it was so.
      with contextlib.suppress(ConversionRefused):
        return self._by_origin(making, arguments, changing, tries_wide=False)
    try:
      return self._of_branches(making, arguments, changing, self._profile)
    except ConversionRefused as refusal:
      # Objects of other calls may have other things in their attributes: those have a program.
      is_alone = refusal.reason not in LASTING and self._num_versions > 0
      reasons = refusal.reason, refusal.with_numbers
      is_wide = not self._runs_in_graph and not {*reasons}.isdisjoint(OF_FORMS)
      if is_alone and making.entry.programs:
        with contextlib.suppress(ConversionRefused, PromoteArgument):
          return self._of_branches(making, arguments, changing, Profile())
      is_mixed = refusal.reason in OF_KINDS and not self._runs_in_graph and self._profile.is_mixed()
      if is_mixed and not self._needs_origins:
        with contextlib.suppress(ConversionRefused):
          return self._by_origin(making, arguments, changing, tries_wide=False)
      if is_wide:
        with contextlib.suppress(ConversionRefused):
          return self._wide(making, arguments, changing)
      if is_mixed and is_wide:
        with contextlib.suppress(ConversionRefused):
          return self._by_origin(making, arguments, changing, tries_precise=False)
      # What is refused for a layer without weights is tried again once a plain run has made them.
      if is_alone and not making.entry.programs and refusal.unbuilt is None:
        with contextlib.suppress(ConversionRefused, PromoteArgument):
          return self._of_branches(making, arguments, changing, Profile())
      raise

  def _wide(
    self,
    making: _Making,
    arguments: dict[str, Argument],
    changing: dict[tuple[int, object], object],
  ) -> Program:
    """Makes a program in which values of any forms may meet; tensors of any ranks if need be."""
    made = functools.partial(
      self._of_branches, making, arguments, changing, self._profile, is_wide=True
    )
    try:
      return made()
    except ConversionRefused as refusal:
      if refusal.reason is not Reason.KINDS_DIFFER:
        raise
    findings = making.entry.findings
    had_ranks, findings.has_ranks = findings.has_ranks, True
    try:
      return made(is_ragged=True)
    except ConversionRefused:
      findings.has_ranks = had_ranks
      raise

  def _by_origin(
    self,
    making: _Making,
    arguments: dict[str, Argument],
    changing: dict[tuple[int, object], object],
    tries_precise: bool = True,
    tries_wide: bool = True,
  ) -> Program:
    """Makes a program that tells objects apart by where they come from."""

    def made(is_wide: bool) -> Program:
      origins = Origins(making.entry.learnt, making.named)
      profile = self._profile
      found = self._of_branches(making, arguments, changing, profile, is_wide, origins=origins)
      making.entry.has_origins = self._needs_origins = True
      return found

    if not tries_precise:
      return made(is_wide=True)
    try:
      return made(is_wide=False)
    except ConversionRefused as refusal:
      if not tries_wide or {refusal.reason, refusal.with_numbers}.isdisjoint(OF_FORMS):
        raise
      return made(is_wide=True)

  def _of_branches(
    self,
    making: _Making,
    arguments: dict[str, Argument],
    changing: dict[tuple[int, object], object],
    profile: Profile,
    is_wide: bool = False,
    is_ragged: bool = False,
    origins: Origins | None = None,
  ) -> Program:
    """Makes a program for objects as a profile has them, without branches that are refused."""
    source = self._sources(self._function)
    if annotation(source.node, Annotation.GENERATOR) is not None:
      raise suspended(source.name, "a generator", source.origin(source.node))
    left_out: dict[Site, LeftOut] = {}
    first: ConversionRefused | None = None
    while True:
      try:
        return Program(
          self._num_versions,
          source,
          arguments,
          profile,
          self._sources,
          changing,
          making.roots,
          dict(making.entry.root_types),
          making.budget,
          Step(self._name) if self._runs_in_graph else None,
          dict(left_out),
          is_wide,
          is_ragged,
          making.is_traced,
          origins,
          making.entry.seconds_refused < MAX_SECONDS_REFUSED,
          making.entry.findings,
          making.leaves_branches,
        )
      except BaseException as error:
        let_out(error)
        if not isinstance(error, ConversionRefused):
          raise
        first = first or error
        more = making.left_out(error)
        now = None if more is None else with_more(left_out, *more)
        if now is None or len(now) > _MAX_LEFT_OUT:
          raise with_examples(first, making.named) from error.__cause__
        left_out = now


def _for_tapes(programs: Sequence[Program], is_traced: bool = False) -> list[Program]:
  """Returns the programs that may do a call, those that a tape sees all of first if one records.

  Args:
    programs: all.
    is_traced: whether a tape has to see the tensors in what runs make.
  """
  if not (is_traced or tfi.is_recording()):
    return [program for program in programs if not program.is_traced]
  found = [program for program in programs if not is_traced or program.is_seen_in_full]
  return sorted(found, key=lambda program: not program.is_seen_in_full)


def _objects_by_name(
  arguments: dict[str, Argument], values: dict[str, object]
) -> dict[str, list[object]]:
  """Returns the objects that each argument is, or holds."""
  return {name: list(objects_of(argument, values[name])) for name, argument in arguments.items()}
