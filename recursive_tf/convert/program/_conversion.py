"""Makes SubGraphs of a function and all that it calls recursively.

What a recursive call returns, which functions are recursive and which types a parameter sees is
only known when all bodies are there. So a conversion tries: each attempt makes all bodies in a
graph that is thrown away, with what the attempts before it found out, until nothing new is found.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

import numpy as np
import tensorflow as tf

from recursive_tf import _collection
from recursive_tf import _tf_internals as tfi
from recursive_tf._config import config
from recursive_tf.autodiff import DenseRows, TappedRows
from recursive_tf.convert._refusal import LASTING, ConversionRefused, Reason
from recursive_tf.convert._stack import DEEPER
from recursive_tf.convert.effects._containers import TABLES
from recursive_tf.convert.effects._frame_effects import Effects
from recursive_tf.convert.frame._budget import Budget
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._inputs import ARRAY, Inputs, Layout, MetConstants
from recursive_tf.convert.frame._left_out import Branches, LeftOut, Site
from recursive_tf.convert.frame._lifting import Lifted
from recursive_tf.convert.frame._made_kinds import MadeKinds
from recursive_tf.convert.frame._sharing import Slot, name_of
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.heap._columns import Columns
from recursive_tf.convert.heap._guards import Guards, number
from recursive_tf.convert.heap._origins import Origins
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.program._bodies import Bodies
from recursive_tf.convert.program._calls import Calls
from recursive_tf.convert.program._findings import Findings
from recursive_tf.convert.program._instances import Instance
from recursive_tf.convert.program._learnt import RESULT, Learnt
from recursive_tf.convert.program._logits import Logits
from recursive_tf.convert.program._sources import Sources
from recursive_tf.convert.program._steps import Step
from recursive_tf.convert.program._variants import Endless
from recursive_tf.convert.semantics._interpreter import Interpreter
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Base,
  Bottom,
  Closure,
  Container,
  Held,
  Path,
  Provenance,
  Ref,
  Scope,
)

_Found = TypeVar("_Found")
_MAX_ATTEMPTS = 40
_FOR_WANT_OF_NUMBERS = (Reason.MADE_OBJECT, Reason.SHARED_CONTAINER)
_FRAMES_BELOW = 200  # Of Python's stack, where a call begins.


class PromoteArgument(Exception):  # noqa: N818 - control flow, never reaches the user
  """An argument is a list that the program changes: its content has to be passed.

  The argument's name is its only argument.
  """


class Conversion:
  """The conversion of one entry function for one kind of arguments.

  Attributes:
    profile, guards, effects, inputs, columns, recursive: what its parts say.
    bodies: those of the last attempt.
    budget: what its attempts may still cost.
    has_handlers: whether a part of it catches exceptions.
    catches_depth: whether one of them may be Python's for a recursion that is too deep.
    branches: those that it leaves out.
    stand_ins: lists and dicts that it knows, by the number of what is in their place by now.
    given: dicts among the arguments, in whose place each call has its own.
    factories: by their numbers, what these call for what is missing.
    made_kinds: what the objects that runs make may be.
    origins: where objects come from; None if nobody asks.
    dense_rows: reads rows of variables where plain Python reads all; None while it is tried out.
    tapped: the rows that tapes of the program see, in an attempt.
    reads: how the bodies read variables.
    handed_on: the handles' numbers of variables of which what they hold goes on, in calls, too.
    left_branches: why branches are refused that the program does without.
  """

  def __init__(
    self,
    profile: Profile,
    sources: Sources,
    changing: dict[tuple[int, object], object],
    root_types: frozenset[type],
    entry_node: ast.AST,
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
      is_wide: whether values of any forms may meet, as objects that runs make.
      is_ragged: whether tensors of several sizes may be elements of one list, as such objects.
      is_traced: whether a tape is to see the tensors in such objects.
      origins: where objects come from, if their kinds are told apart by that.
      hands_numbers: whether callers may pass the numbers of lists, too.
      findings: what runs have found.
      leaves_branches: whether a run may fail where it takes a branch that is refused.
    """
    self.budget = budget
    self._leaves_branches = leaves_branches
    self.branches = Branches(left_out or {})
    self.step = step
    self.has_handlers = self.catches_depth = False
    self._stack_needed = 0
    self._made: list[object] = []
    self.root_types = root_types
    self.origins = origins
    self.entry_node = entry_node
    self.profile = profile
    self._sources = sources
    self.recursive: set[ast.AST] = set()
    self.converted: dict[tuple[str, int, str], str] = {}
    self._changing = changing
    self._doubled: str | None = None
    self._hands_numbers = hands_numbers
    self._without_numbers: ConversionRefused | None = None  # Why it was before callers had any.
    self._wants_changes = False
    self._wanted_in: dict[object, None] = {}
    self._met_constants = MetConstants()
    self.layout = Layout(self._met_constants)
    self.stand_ins: dict[int, object] = {}
    self.given: list[object] = []
    self.factories: dict[int, object] = {}
    self.dense_rows: DenseRows | None = None
    self.reads: dict[tfi.Source, tfi.Reads] = {}
    self.handed_on: set[int] = set()
    self._learnt = Learnt()
    findings = findings or Findings()
    self.made_kinds = MadeKinds(
      is_wide, self._learnt.note_news, is_ragged, is_traced, findings.kinds
    )
    self._logits = Logits(self._learnt)
    self.effects = Effects(self._learnt.note_news, profile.add_root)
    self.made_kinds.has_ranks = is_ragged and findings.has_ranks
    self.effects.dicts_are_whole = findings.has_whole_dicts
    self.bodies = Bodies(self, self._learnt, self.effects, self._logits, entry_node)
    self._calls = Calls(self._learnt, self.bodies, self.effects, step is not None)

  # --- Attempts

  def settle(self, entry: Callable[[Interpreter], object]) -> None:
    """Tries until nothing new is found out.

    Args:
      entry: makes the call of the entry function.

    Raises:
      ConversionRefused: If it cannot be converted.
    """
    try:
      with self._running(), tfi.building(), _collection.paused():
        self._settle(entry)
    except Endless as endless:
      raise endless.args[0] from None
    except ConversionRefused as refusal:
      if self._without_numbers is None:
        raise
      # Numbers are of no use: it is refused as if there were none.
      self._without_numbers.with_numbers = refusal.reason
      raise self._without_numbers from None

  @contextlib.contextmanager
  def _running(self) -> Iterator[None]:
    """Takes what happens inside from the budget, and refuses what has no form in common."""
    with self.budget.running():
      try:
        yield
      except _forms.Mismatch as error:
        text = f"Values meet that are {error}."
        raise ConversionRefused.of(Reason.KINDS_DIFFER, text, self.budget.origin()) from None

  def _settle(self, entry: Callable[[Interpreter], object]) -> None:
    for _ in range(_MAX_ATTEMPTS):
      self.layout = Layout(self._met_constants)
      self._met_constants.has_news = False
      self._learnt.begin_attempt()
      self.profile.restart()
      if self.origins is not None:
        self.origins.restart()
      graph = tfi.OwnGraph("trial")
      tfi.share_stack(graph)
      with graph.as_default(), tfi.stop_recording():
        with contextlib.nullcontext() if self.step is None else self.step.watching(graph):
          try:
            missing = self._attempt(graph, None, entry)
          except ConversionRefused as refusal:
            if not self._takes_numbers(refusal):
              raise
            self.budget.done(graph)
            continue
        if self.step is not None and self.step.learn(graph):
          self._learnt.note_news()
      if self._met_constants.has_news:
        self._learnt.note_news()
      self.budget.done(graph)
      _collection.look(is_end=True)
      is_settled = self.profile.is_settled()
      are_known = self.origins is None or self.origins.is_settled()
      if not is_settled:
        self._learnt.forget_results()
      elif missing and self._learnt.has_new_calls_only and not self._learnt.skips_loops:
        self._learnt.skips_loops = True
        continue
      if not self._learnt.has_news and is_settled and are_known:
        postponed = [*self._refused_bodies, *self._postponed]
        refused = [*postponed, *self.left_branches]
        if refused and self._takes_numbers(refused[0]):
          continue
        if postponed:
          raise postponed[0]
        if missing and not self._learnt.may_fail:
          self._learnt.may_fail = True  # Some calls never return: runs that get there fail.
          continue
        if missing and not self._returns:
          text = f"{missing.name} calls itself, or fails, on every path."
          if missing.source.has_handlers:
            text += (
              " What is raised in a `try`, but for an item that it begins with, fails a graph."
            )
          origin = missing.source.origin(missing.node)
          raise ConversionRefused.of(Reason.NO_BASE_CASE, text, origin)
        if self.step is not None and not self._returns:
          raise ConversionRefused.of(Reason.NO_BASE_CASE, "The function fails on every path.")
        self._check_constants()
        return
    raise ConversionRefused.of(Reason.NOT_SETTLED, f"Not settled after {_MAX_ATTEMPTS} attempts.")

  def _takes_numbers(self, refusal: ConversionRefused) -> bool:
    """Tells whether the next attempt goes on with numbers for want of which this one is refused."""
    if not self._hands_numbers or refusal.reason not in _FOR_WANT_OF_NUMBERS:
      return False
    changes = self._wants_changes and self.made_kinds.used and not self.made_kinds.are_changed
    if changes:
      self.made_kinds.are_changed = True
    holds = [*map(self.effects.hold_numbers, self._wanted_in)]
    if not self._learnt.take_numbers() and not changes and not any(holds):
      return False
    self._without_numbers = self._without_numbers or refusal
    return True

  def build(
    self, fed: dict[str, object], entry: Callable[[Interpreter], _Found]
  ) -> tuple[_Found, Frame]:
    """Makes the program in the current graph, after `settle`.

    Args:
      fed: the tensors of `Layout.specs`.
      entry: makes the call of the entry function.

    Returns:
      What `entry` returns, and the frame outside of all bodies that it was called in.
    """
    before = self.layout.columns.signature()
    self.layout.columns.are_final = True
    self._learnt.begin_attempt()
    result: list[tuple[_Found, Frame]] = []
    # A tape around the call would have TensorFlow make its loops for gradients of gradients, if it
    # is persistent or one of two. It records the finished graph.
    differs = ConversionRefused.of(Reason.NOT_SETTLED, "The program differs from its trial.")
    with self._running(), tfi.stop_recording():
      try:
        missing = self._attempt(
          tf.compat.v1.get_default_graph(), fed, lambda ip: result.append((entry(ip), ip.frame))
        )
      except Bottom:  # Objects are known by now that the trial knew nothing of.
        raise differs from None
    is_made = missing is None or (self._learnt.may_fail and self._returns)
    if not is_made or self._learnt.has_news or self.layout.columns.signature() != before:
      raise differs
    return result[0]

  def _attempt(
    self, graph: object, fed: dict[str, object] | None, entry: Callable[[Interpreter], object]
  ) -> Instance | None:
    """Makes all bodies; returns an instance whose result stays unknown."""
    self.branches.begin_attempt()
    self._learnt.is_trial = fed is None
    self._postponed: list[ConversionRefused] = []
    self._refused_bodies: list[ConversionRefused] = []
    self.left_branches: list[ConversionRefused] = []
    self.inputs = Inputs(self.layout, graph, fed)
    self.guards = Guards(self._changing, self._changing_input, self.stand_ins, self.budget.origin)
    if fed is None:  # Else there may be graphs already, which go on to use theirs.
      self.made_kinds.begin_attempt()
    self.bodies.begin_attempt(graph)
    self._made = []
    self.tapped = TappedRows(graph)
    frame = Frame(self)
    interpreter = Interpreter(frame, self)
    self.effects.begin_attempt()
    self.effects.begin(frame, lambda place: self.effects.initial_state(frame, place))
    self._calls.only_make_known = self.step is None
    self._calls.has_unknown_results = False
    try:
      entry(interpreter)  # Makes the entry's instance known; its call waits for the bodies.
    except Bottom:
      pass
    except ConversionRefused as refusal:
      self.postpone(refusal)
    self._calls.only_make_known = False
    self.bodies.make()
    missing = self.bodies.missing()
    if self._returns and fed is not None and self.step is None:
      entry(interpreter)
    return missing

  @property
  def _returns(self) -> bool:
    """Whether the function that is called first is known to return anything."""
    if self.step is not None:
      return self.bodies.entry is not None
    return any(i.result is not None for i in list(self.bodies.instances.values())[:1])

  @property
  def has_unknown_results(self) -> bool:
    """Whether this attempt has gone on without what a call gives that nobody knows yet."""
    return self._calls.has_unknown_results

  @property
  def num_postponed(self) -> int:
    """How many parts of this attempt are refused so far."""
    return len(self._refused_bodies) + len(self._postponed) + len(self.left_branches)

  def postpone(self, refusal: ConversionRefused) -> None:
    """Lets an attempt go on without a part that is refused.

    What is learnt in the other parts may change what is known of this one: a first object alone
    does not show all that an attribute can be. In the last attempt a refusal is final.
    """
    self._put_off(refusal, self._postponed)

  def _put_off(self, refusal: ConversionRefused, refusals: list[ConversionRefused]) -> None:
    if not self._learnt.is_trial:
      raise refusal
    refusals.append(refusal)

  def leave_branch(self, refusal: ConversionRefused) -> None:
    """Lets an attempt go on without a branch that is refused, and the program if it may.

    A run that takes the branch fails, as where Python raises, and has done nothing.
    """
    if not self._leaves_branches or refusal.reason in LASTING:
      self.postpone(refusal)
    else:
      self.left_branches.append(refusal.again())

  def leave_body(self, refusal: ConversionRefused) -> bool:
    """Lets all branches that call a function be as if refused, whose body is; tells whether it may.

    Else the attempt goes on without what it returns, as without a branch that is refused.

    Raises:
      ConversionRefused: The refusal, in the last attempt or for a lasting reason.
    """
    if refusal.reason in LASTING:
      raise refusal
    if self._leaves_branches:
      self.left_branches.append(refusal.again())
    else:
      self._put_off(refusal, self._refused_bodies)
    return self._leaves_branches

  # --- Instances

  @property
  def loses_logits(self) -> bool:
    """Whether a tensor with logits of Keras' goes on as another one, without them."""
    return self._logits.are_lost

  def note_logits(self) -> None:
    """Notes that a tensor with logits of Keras' goes on as another one, without them."""
    self._logits.note()

  def note_copied(self, variable: object) -> None:
    """Notes that what a variable holds goes on in its place."""
    assert isinstance(variable, tf.Variable)
    self.handed_on.add(id(variable.handle))
    if self.step is not None and not self._calls.is_calling:
      self.step.note_copied(variable)

  @property
  def copied(self) -> Mapping[int, object]:
    """Variables of which what they hold goes on in their place, by the number of the handle."""
    return {} if self.step is None else self.step.as_values

  def note_reads(self, reads: Mapping[tfi.Source, tfi.Reads]) -> None:
    """Notes how a body reads variables."""
    for key, one in reads.items():
      now = tfi.Reads()
      now.add(self.reads.get(key, tfi.Reads()))
      now.add(one)
      if now != self.reads.get(key):
        self.reads[key] = now
        if self._learnt.is_trial:  # The last attempt has other placeholders, and asks again.
          self._learnt.note_news()

  @property
  def tables(self) -> Collection[object]:
    """Where the program makes dicts whose keys only the run knows: expressions; None, anywhere."""
    return self._learnt.tables

  @property
  def has_unordered_sets(self) -> bool:
    """Whether the program makes sets otherwise than by adding one member after the other."""
    return self._learnt.has_unordered_sets

  def note_unordered(self) -> None:
    """Notes that it does."""
    self._learnt.has_unordered_sets = True

  def note_table(self, site: object) -> bool:
    """Notes where such a dict is made; tells whether the next attempt will make it so."""
    is_new = site not in self._learnt.tables_so_far
    self._learnt.tables.add(site)
    if is_new:
      self._learnt.note_news()
    return is_new

  @property
  def consumers(self) -> Collection[object]:
    """The loops that run in the generators that they go over."""
    return self._learnt.consumers

  def note_consumer(self, loop: object) -> bool:
    """Notes such a loop; tells whether that is new."""
    is_new = loop not in self._learnt.consumers
    self._learnt.consumers.add(loop)
    if is_new:
      self._learnt.note_news()
    return is_new

  def note_generator(self, may_be_endless: bool = False, ends_early: bool = False) -> None:
    """Notes of generators whose elements are made at once what must not be true of both."""
    self._learnt.may_be_endless |= may_be_endless
    self._learnt.ends_early |= ends_early

  def want_number(self, key: object, slot: Slot) -> None:
    """Notes that a body could do with the number of an argument."""
    if self._learnt.is_trial and key is not None:  # Else it is the entry of a step.
      self._learnt.wanted[key, slot] = None

  def want_early(self, key: object, name: object) -> None:
    """Notes that a body could do with the number of a variable's container before it branches."""
    if self._learnt.is_trial:
      self._learnt.wanted_early[key, name] = None

  def want_numbers_in(self, step: object) -> None:
    """Notes that a body could do with the numbers of what objects hold as an attribute or item."""
    self._wanted_in[step] = None

  def want_changes(self) -> None:
    """Notes that a body could do with changing by its number what it has under a name."""
    self._wants_changes = True

  def early_names(self, key: object) -> Collection[object]:
    """Returns the variables of a body whose containers get numbers before branches and loops."""
    return self._learnt.early.get(key, ())

  def note_doubled(self, container: Container | None) -> None:
    """Notes that a container, or what is in it, may be in two lists of unknown length."""
    self._doubled = "A container" if container is None else name_of(container)

  def entry_of(self, node: ast.AST) -> Instance:
    """Returns the instance of an entry function."""
    return self.bodies.entry_of(node)

  def returned(self, node: ast.AST) -> object:
    """Returns the position of the argument that an entry function returns on all paths, or None."""
    entry = self.entry_of(node)
    is_list = isinstance(entry.result, _forms.RowsForm)  # And surely is there.
    return self._learnt.crossing(entry.key).returned(RESULT) if is_list else None

  def check_result(self, node: ast.AST, given: Collection[object]) -> None:
    """Refuses what leaves the program of the entry function as an object that it was before.

    Args:
      node: the function.
      given: positions of arguments that may be returned.

    Raises:
      ConversionRefused: If a container would be returned, or kept, more than once.
    """
    entry = self.entry_of(node)
    crossing = self._learnt.crossing(entry.key)
    given = [position for position in given if position == self.returned(node)]
    shared = crossing.shared_result(RESULT, given) or crossing.kept_argument(RESULT)
    kept = [place.left_form for place in self.effects.places.values()]
    nested = [f.element if isinstance(f, _forms.RowsForm) else f for f in kept]
    if shared is None and self._doubled is not None:
      leaving = (entry.result, *nested, *self.changed(node), *self.made_kinds.used)
      if any(map(_forms.has_containers_in_rows, leaving)):
        shared = f"{self._doubled} may be in two lists, of which one is returned or kept"
    if shared is not None:
      raise ConversionRefused.of(
        Reason.SHARED_CONTAINER, f"{shared}.", entry.source.origin(entry.node)
      )

  def leaving(self, node: ast.AST) -> list[_forms.Form]:
    """Returns the forms of what the program of an entry function returns and leaves changed."""
    entry = self.entry_of(node)
    places = self.effects.places.values()
    left = [place.left_form for place in places]
    return [entry.result, *self.changed(node), *left, *self.made_kinds.used]

  def changed(self, node: ast.AST) -> list[_forms.BaseForm]:
    """Returns the forms of the arguments that the program of an entry function changes."""
    entry = self.entry_of(node)
    return self._learnt.changed_forms(entry.key)

  def changed_positions(self, node: ast.AST) -> list[object]:
    """Returns the positions of the arguments that the program of an entry function changes."""
    return list(self._learnt.changed.get(self.entry_of(node).key, {}))

  def _check_constants(self) -> None:
    """Refuses a program that relies on what it changes itself."""
    if self._learnt.may_be_endless and self._learnt.ends_early:
      entry = self.entry_of(self.entry_node)
      text = "A generator with a `while` may have no end, and may not be run to it."
      raise ConversionRefused.of(Reason.EFFECT_ORDER, text, entry.source.origin(entry.node))
    walked = self.profile.followed_types() | self.root_types
    changed = self.effects.changed_constant(self.guards, walked, self.columns.all.values())
    if changed is not None:
      entry = self.entry_of(self.entry_node)
      raise ConversionRefused.of(
        Reason.EFFECT_ORDER,
        f"{changed} is also read or printed in a way that supports only what does not change.",
        entry.source.origin(entry.node),
      )

  def is_recursive(self, ip: Host, function: object) -> bool:
    """Tells whether calls of a function are calls of the graph."""
    if isinstance(function, Closure):
      node: ast.AST = function.node
    elif hasattr(function, "__code__") and not _libraries.is_library(function):
      node = self.source(function).node
    else:
      return False
    is_generator = annotation(node, Annotation.GENERATOR) is not None
    return not is_generator and (node in self.recursive or node in ip.active)

  def variant(self, node: ast.FunctionDef, key: object) -> ast.FunctionDef:
    """Returns a copy of a definition, which is a function of its own; the same one each time."""
    return self._sources.variant(node, key)

  def note_recursion(self, cycle: list[ast.AST]) -> None:
    """Notes that functions call each other in a cycle."""
    new = set(cycle) - self.recursive
    if new:
      self.recursive |= new
      self._learnt.note_call()

  def max_depth(self) -> int | None:
    """Returns how deep frames may be for which Python's limit is surely not met; None for any.

    Only what catches a RecursionError sees the limit: deeper runs of it are plain Python's. One
    level has a frame of Python's for each function, at most, and for each of its comprehensions.
    """
    if not self.catches_depth:
      return None
    limit = DEEPER.limit()
    self._stack_needed = limit - min(_FRAMES_BELOW, limit // 2)
    most = self._stack_needed // (3 * (len(self.converted) + 1))
    return max(min(most, config().max_depth), 1)

  def has_stack(self) -> bool:
    """Tells whether as much of Python's stack is left as `max_depth` takes for granted."""
    return not self.catches_depth or self._stack_needed <= DEEPER.left()

  def note_converted(self, source: FunctionSource, node: ast.FunctionDef, how: str) -> None:
    """Notes for `explain` what was converted."""
    self.has_handlers |= source.has_handlers
    self.catches_depth |= source.catches_depth
    key = source.filename, node.lineno, node.name if node.name != "_rtf_lambda" else "<lambda>"
    if self.converted.get(key) != "SubGraph":
      self.converted[key] = how

  def run_entry(self, ip: Host, source: FunctionSource, names: dict[str, object]) -> object:
    """Runs the entry function in the graph itself, and returns its result.

    Args:
      ip: of the frame outside of all bodies.
      source: the function.
      names: its arguments.
    """
    lifted = Lifted(names, None, source.function)
    with self._calls.calling():
      forms = [_forms.form_of(value, ip.frame) for value in names.values()]
    return self.bodies.run_entry(ip, source, lifted, forms)

  @property
  def is_random(self) -> bool:
    """Whether it draws random numbers."""
    return self.bodies.is_random

  @property
  def is_step(self) -> bool:
    """Whether the entry function runs in the graph itself, where it may write variables."""
    return self.step is not None

  def note_made(self, value: object) -> None:
    """Notes an object of a library that the program makes and uses as it is."""
    self._made.append(value)

  def has_made(self, value: object) -> bool:
    """Tells whether the program has made such an object itself."""
    return any(value is made for made in self._made)

  def call_instance(
    self,
    ip: Host,
    function: object,
    source: FunctionSource,
    node: ast.FunctionDef,
    outer: Scope | None,
    names: dict[str, object],
    ask: bool = False,
  ) -> object:
    """Calls a function as a SubGraph, once, or once for each row of a `Mapped` argument.

    With `ask` it is not called: returns whether it changes anything, as far as is known yet.
    """
    return self._calls.call(ip, function, source, node, outer, names, ask)

  # --- What frames ask for

  def source(self, function: object) -> FunctionSource:
    """Returns the source of a function of the user's, and guards that it stays this function."""
    self.guards.function(function)
    return self._sources(function)

  @property
  def columns(self) -> Columns:
    """The columns of the program."""
    return self.layout.columns

  def promote(self, ip: Host, ref: Ref) -> None:
    """Asks for an argument of the entry function as what it is, if it is a list or a dict."""
    instance = self.bodies.instances.get(ip.frame.key)
    is_entry = self.step is not None and ip.frame.key is None
    if instance is not None:
      is_entry = instance.node is self.entry_node
    if ref.path or not is_entry:
      return
    kinds = ip.frame.types_of(ref)
    if kinds != {list} and (len(kinds) > 1 or not kinds <= {*TABLES} or self.step is not None):
      return
    for name, handle in ip.frame.parameters.items():
      if handle is ref.base.handle:
        raise PromoteArgument(name)

  def constant_root(self, value: object) -> Base:
    """Returns an object of the program itself with its handle."""
    self.profile.add_root(value)
    handle = self.inputs.constant(value)
    return Base(handle, frozenset([type(value)]), origin=self.origin_of(value))

  def origin_of(self, value: object) -> Provenance | None:
    """Returns where an object of the program itself comes from; None if nobody asks."""
    is_given = any(value is one for one in self.given)  # Each call has its own in its place.
    return None if self.origins is None or is_given else Provenance(Held(value))

  def note_read(self, path: Path, types: frozenset[type]) -> None:
    """Notes a read of what an object had before the run, whatever the run has written."""
    self.effects.note_read(path)
    self.effects.note_passed(path, types, lambda part: self.profile.facts(types, part).types)

  def trace_made(self, frame: object, handles: tf.Tensor, values: tf.Tensor) -> None:
    """Lets a run return the tensors in what it makes."""
    assert isinstance(frame, Frame)  # The body that makes it.
    self.effects.trace_made(frame, handles, values)

  def volatile(self, value: object) -> tf.Tensor:
    """Returns an array of the program itself, whose content may change from run to run."""
    assert isinstance(value, np.ndarray)
    if self.guards.is_made(value):
      return tf.constant(value)
    return self.inputs.changing((id(value), ARRAY), lambda: value, value)

  def _changing_input(
    self, key: tuple[int, object], owner: object, read: Callable[[], object], value: object
  ) -> object:
    del owner
    return number(value, self.inputs.changing(key, read, value))
