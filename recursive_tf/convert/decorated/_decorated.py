"""What all decorated functions have in common: the door through which every call goes.

A call finds the program for its kind of arguments, or converts the function. It checks what the
program relies on, reads the objects into columns, runs the graph, and only then lets its effects
happen. What cannot be converted runs as the plain Python it is, and is counted. The first runs of
each graph, and then ever fewer, are compared with plain Python before they count.

After Jeong et al., NSDI 2019 (JANUS): profile, assumptions, guards, fallback.
"""

from __future__ import annotations

import contextvars
import functools
import logging
import threading
import time
import traceback
import types
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._config import config
from recursive_tf._errors import RecursiveTFError, UnsupportedGradientError
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert._signals import let_out
from recursive_tf.convert._stack import DEEPER
from recursive_tf.convert.decorated._saving import ProgramsByThemselves, say_when_not_saved
from recursive_tf.convert.decorated._subjects import subject_of
from recursive_tf.convert.effects._commit import Outcome
from recursive_tf.convert.frame._budget import Limits
from recursive_tf.convert.frame._left_out import Site
from recursive_tf.convert.program._arguments import Argument, num_rows
from recursive_tf.convert.program._assumptions import PYTHON
from recursive_tf.convert.program._explain import Report, report_of
from recursive_tf.convert.program._programs import Prepared, Programs
from recursive_tf.convert.program._stats import Stats
from recursive_tf.convert.syntax.source import LiveSignature
from recursive_tf.convert.validation._verification import Schedule, Verdict, check
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._checks import CHECK_FAILED, is_check_failure, is_ragged

_LOGGER = logging.getLogger("recursive_tf")
# What setting attributes and items raises; nothing has been written then.
_COMMIT_ERRORS = (AttributeError, TypeError, ValueError, KeyError, IndexError)
_TOO_DEEP = "the recursion is deeper than max_depth"
# Set while plain Python is run to be compared: then all decorated functions are plain.
_IS_COMPARING = contextvars.ContextVar("recursive_tf_is_comparing", default=False)


def is_comparing() -> bool:
  """Tells whether plain Python is run to be compared."""
  return _IS_COMPARING.get()


class RecursionDepthError(RecursiveTFError, RecursionError):
  """The recursion of a converted program is deeper than `max_depth`."""


def decorated(
  kind: type[Decorated], function: Callable[..., object] | None, strict: bool, verify: bool | None
) -> object:
  """Returns what a decorator returns, with and without arguments, of functions and methods."""
  if function is None:
    return lambda found: decorated(kind, found, strict, verify)
  if isinstance(function, types.MethodType):
    return kind(function.__func__, strict, verify)._bound(function.__self__)
  return kind(function, strict, verify)


class Decorated:
  """A decorated function. Thread-safe; calls of one function run one after the other.

  Attributes:
    python: the plain function.
    stats: counters.
  """

  _is_decorated = True
  _runs_in_graph = False  # Whether the function runs in the graph itself, not as a SubGraph.
  _how_to_save = ""  # Of a method `name`.
  __name__: str

  def __init__(
    self,
    function: Callable[..., Any],
    strict: bool = False,
    verify: bool | None = None,
    limits: Limits | None = None,
  ):
    functools.update_wrapper(self, function)
    self._partial = _partial_of_function(function)
    named = function if self._partial is None else self._partial.func
    self.__name__ = getattr(named, "__name__", type(function).__name__)
    self.python = function
    self.stats = Stats()
    self._strict = strict
    if self._partial is not None:  # What it gives is an argument like others.
      function = self._partial.func
    self._function = function
    self._signature = LiveSignature(function)
    self._programs = Programs(
      function, self.__name__, self.stats, limits or Limits(), self._runs_in_graph
    )
    self._schedule = Schedule(config().verify if verify is None else verify, self.stats)
    self._refusals: list[ConversionRefused] = []
    self._notes: list[str] = []
    self._lock = threading.RLock()
    self._thread = _Thread()
    self._saved = ProgramsByThemselves()

  def __copy__(self) -> Decorated:
    """Returns itself, as functions do; so does `copy.deepcopy`."""
    return self

  def __deepcopy__(self, memo: object) -> Decorated:
    """Returns itself."""
    return self

  def __reduce__(self) -> str:
    """Pickles it by its name, as functions are."""
    name: str = vars(self)["__qualname__"]
    return name

  def __set_name__(self, owner: type, name: str) -> None:
    """Learns of which class it is a method."""
    say_when_not_saved(owner, name, self, self._saved, self._how_to_save)

  def __get__(self, owner: object, type_: type | None = None) -> Any:
    """Binds a method to its object."""
    return self if owner is None else self._bound(owner)

  def _bound(self, owner: object) -> BoundDecorated:
    return BoundDecorated(self, owner)

  def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
    """Calls the function once."""
    if self.is_plain(args):
      return self.python(*args, **kwargs)
    return self._called(args, kwargs)

  def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Calls the function once, where plain Python is not all that may be."""
    try:
      values = self._bind(args, kwargs)
    except TypeError:
      values = None
    if values is None:  # Out of the handler: Python's own message is the only one.
      return self.python(*args, **kwargs)
    return self._call(self._classify, values, lambda: self.python(*args, **kwargs))

  def is_plain(self, args: tuple[object, ...]) -> bool:
    """Tells whether a call is to be plain Python: one within a run that is."""
    del args
    return _IS_COMPARING.get() or self._thread.is_running

  def explain(self) -> Report:
    """Tells what was converted, what objects are read for, and what was not and why; print it."""
    with self._lock:
      programs = list(self._programs)
      assumptions = tuple(self._programs.assumptions)
      return report_of(
        self.__name__, programs, self.stats, self._refusals, self._notes, assumptions
      )

  def __repr__(self) -> str:
    """Describes the function by name."""
    return f"<converted function '{self.__name__}'>"

  # --- Arguments

  def _bind(self, args: tuple[object, ...], kwargs: dict[str, object]) -> dict[str, object]:
    if self._partial is not None:
      args, kwargs = (*self._partial.args, *args), {**self._partial.keywords, **kwargs}
    names = self._signature.names()
    if names is not None and not kwargs and len(names) == len(args):
      return dict(zip(names, args, strict=True))  # As below, in a tenth of the time.
    bound = self._signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)

  def _classify(self, values: dict[str, object]) -> dict[str, Argument]:
    """Returns what kinds of arguments these are."""
    raise NotImplementedError

  # --- Running

  def _call(
    self,
    classified: Callable[[dict[str, object]], dict[str, Argument]],
    values: dict[str, object],
    plain: Callable[[], object],
    lists: Sequence[int] = (),
  ) -> object:
    """Runs the graph, or plain Python; the one door through which every call goes.

    Args:
      classified: tells what kinds of arguments the values are.
      values: by parameter.
      plain: makes the call as plain Python.
      lists: the places of those parameters that are given a list, one for each row.
    """
    if not tf.executing_eagerly():
      inside = ConversionRefused.of(
        Reason.INSIDE_FUNCTION, f"{self.__name__} is called while a graph is made."
      )
      return self._fall_back(inside, plain)
    if tfi.has_strategy() and tf.distribute.get_strategy().num_replicas_in_sync > 1:
      # Replicas wait for each other in the middle of a call: no lock may be taken.
      replica = ConversionRefused.of(
        Reason.INSIDE_FUNCTION,
        f"{self.__name__} is called in a strategy of several replicas.",
      )
      return self._fall_back(replica, plain)
    with self._turn():
      arguments: dict[str, Argument] = {}
      self._programs.assumptions.begin_call()
      try:
        prepared = self._again(values, lists)
        rest = None
        if prepared is not None:
          arguments = prepared.arguments
          rest = self._run_again(prepared, values, plain)
        if rest is None:
          arguments = classified(values)
          rest = self._attempt(arguments, values, plain)
      except Exception as error:  # Nothing has happened yet: no error of ours leaves a call.
        let_out(error)
        if not isinstance(error, ConversionRefused):
          error = self._internal_error(error, arguments)
        same = error.again()  # Its traceback would hold the arguments, and this frame it.
        same.__cause__ = error.__cause__
        rest = functools.partial(self._fall_back, same, plain)
      return rest()

  def _again(self, values: dict[str, object], lists: Sequence[int]) -> Prepared | None:
    """Returns what is ready to run for a call like one before; None if that has to be found."""
    del values, lists
    return None

  def _note(self, prepared: Prepared, values: dict[str, object]) -> None:
    """Notes what was prepared for a call, for `_again` to find."""
    del prepared, values

  def _run_again(
    self, prepared: Prepared, values: dict[str, object], plain: Callable[[], object]
  ) -> Callable[[], object] | None:
    """Runs what `_again` returned; None if it is refused, and another graph may do."""
    try:
      return self._run(prepared, prepared.arguments, values, plain, {})
    except ConversionRefused:
      return None

  def _attempt(
    self,
    arguments: dict[str, Argument],
    values: dict[str, object],
    plain: Callable[[], object],
    leaves_out: bool = False,
  ) -> Callable[[], object]:
    """Runs the graph; returns what is left to do, where the user's own errors may be raised.

    Raises:
      Exception: Whatever goes wrong; nothing has happened then.
    """
    prepared = self._programs.prepare(arguments, values, leaves_out=leaves_out)
    self._note(prepared, values)
    return self._run(prepared, arguments, values, plain, {})

  def _run(
    self,
    prepared: Prepared,
    arguments: dict[str, Argument],
    values: dict[str, object],
    plain: Callable[[], object],
    taken: dict[Site, bool],
  ) -> Callable[[], object]:
    """Runs a graph; as `_attempt`, with the branches that this call has been found to take."""
    program = prepared.program
    count = num_rows(prepared.arguments, values) if prepared.mapped else None
    is_mapped = count is not None
    if is_mapped and not (_forms.is_stackable(program.result_form) and program.is_pure):
      return self._one_by_one(arguments, values)
    graph = program.graphs().get(prepared.mapped)
    if graph is None:
      graph = self._programs.graph(program, prepared.arguments)
    is_recording = tfi.is_recording()
    if is_recording and program.is_seen_by_tapes:
      seen = ConversionRefused.of(
        Reason.STATEFUL_OP,
        f"{self.__name__} computes with variables that it has written, and a tape outside records.",
      )
      return functools.partial(self._fall_back, seen, plain)
    if not program.conversion.has_stack():
      deep = ConversionRefused.of(
        Reason.CHECK_FAILED,
        f"{self.__name__} may catch a RecursionError, and is called so deep in Python's stack, or"
        " with so low a limit, that Python may raise one.",
      )
      return functools.partial(self._fall_back, deep, plain)
    if program.strategies and tfi.has_strategy():
      here = tf.distribute.get_strategy()
      if any(strategy is not here for strategy in program.strategies):
        other = ConversionRefused.of(
          Reason.INSIDE_FUNCTION,
          f"{self.__name__} writes variables of one strategy within another.",
        )
        return functools.partial(self._fall_back, other, plain)
    if is_recording and not program.is_seen_in_full:
      traced = self._programs.traced(prepared, arguments, values)
      if isinstance(traced, Prepared):
        return self._run(traced, arguments, values, plain, taken)
      text = f"{self.__name__} makes objects of which tensors are parts, and a tape records."
      reason, origin = Reason.MADE_OBJECT, None
      if traced is not None:
        reason, origin, text = traced.reason, traced.origin, f"{text} {traced.explanation}"
      lost = ConversionRefused.of(reason, text, origin)
      return functools.partial(self._fall_back, lost, plain)
    key = program.version, prepared.mapped, is_recording
    try:
      if not program.has_prints and self._schedule.is_due(key):  # A check would print again.
        verdict = self._check(prepared, values, key, is_recording)
        return self._judged(prepared, verdict, plain)
      found = graph.run(prepared.tensors)
    except tf.errors.OpError as error:
      site = program.taken(error)
      if site is not None and site not in taken:
        taken = {**taken, site: program.left_out[site].value}
        other = self._programs.other(prepared, values, taken)
        if other is not None:
          self._programs.note_taken(site, program.left_out[site], is_plain=False)
          return self._run(other, arguments, values, plain, taken)
      if is_ragged(error):
        wider = self._programs.of_any_forms(prepared, arguments, values)
        if wider is not None:
          return self._run(wider, arguments, values, plain, taken)
      found_else = self._programs.of_found(prepared, arguments, values, error)
      if found_else is not None:
        return self._run(found_else, arguments, values, plain, taken)
      others = self._programs.of_other_kinds(prepared, arguments, values)
      if others is not None:
        return self._run(others, arguments, values, plain, taken)
      return self._explain_failure(error, prepared, plain)
    try:
      outcome = program.outcome(graph, found, prepared.objects, values, count)
    except Exception as error:
      if not program.has_acted:
        raise
      return functools.partial(_return_or_raise, None, error)
    return self._committed(prepared, outcome, plain)

  def _committed(
    self, prepared: Prepared, outcome: Outcome, plain: Callable[[], object]
  ) -> Callable[[], object]:
    """Lets the effects of a run happen."""
    if outcome.is_result_alone:
      self._note_converted(prepared)
      return functools.partial(_return_or_raise, outcome.result, None)

    def not_done(text: str) -> Callable[[], object]:
      failed = ConversionRefused.of(Reason.UNSUPPORTED_WRITE, text)
      return functools.partial(self._fall_back, failed, plain, is_rerun=True)

    if outcome.has_unordered_keys:
      self._programs.note_unordered_keys(prepared)
      text = "A dict got several new keys, whose order only plain Python knows."
      unordered = ConversionRefused.of(Reason.EFFECT_ORDER, text)
      return functools.partial(self._fall_back, unordered, plain, is_rerun=True)
    if outcome.is_unsure and not prepared.program.has_acted:
      return not_done("An attribute that only a class has may have been written, or not.")
    texts = None if prepared.program.has_acted else outcome.taken_texts()
    if texts is None and not prepared.program.has_acted:
      return not_done("What is printed raises, or its stream is closed or lacks a character of it.")
    try:
      outcome.commit()
    except _COMMIT_ERRORS as error:
      if prepared.program.has_acted:
        return functools.partial(_return_or_raise, None, error)
      return not_done(f"A write failed: {type(error).__name__}: {error}")
    self._note_converted(prepared)

    def shown() -> object:
      for site, lines in outcome.texts() if texts is None else texts:
        site.print(lines)
      return outcome.result

    return shown

  def _note_converted(self, prepared: Prepared) -> None:
    """Notes a run that counts."""
    self.stats.num_converted_runs += 1
    self._programs.note_run(prepared.entry)

  # --- Comparing with plain Python

  def _check(
    self, prepared: Prepared, values: dict[str, object], key: object, is_recording: bool
  ) -> Verdict:
    """Runs the graph and plain Python and compares them."""
    start = time.perf_counter()
    subject = subject_of(
      self.__name__, self._function, self._programs, prepared, values, self._compared, is_recording
    )
    try:
      verdict = check(subject, self._schedule.allowance)
    except BaseException:  # A user who interrupts it, too.
      self._schedule.failed(key)
      raise
    self._schedule.note(key, time.perf_counter() - start - verdict.graph_seconds)
    for note in sorted(verdict.notes.difference(self._notes)):
      self._notes.append(note)
      _LOGGER.info("%s is compared with plain Python, but (told once): %s", self.__name__, note)
    return verdict

  def _judged(
    self, prepared: Prepared, verdict: Verdict, plain: Callable[[], object]
  ) -> Callable[[], object]:
    """Returns what is left to do after a check."""
    done = functools.partial(_return_or_raise, verdict.result, verdict.error)
    if verdict.difference is not None:
      refusal = self._verification_failed(prepared, verdict)
      again = done if verdict.has_python_run else plain
      return functools.partial(self._fall_back, refusal, again, is_rerun=True)
    if verdict.has_python_run:
      if verdict.outcome.has_unordered_keys:
        self._programs.note_unordered_keys(prepared)
      self._note_converted(prepared)
      return done
    return self._committed(prepared, verdict.outcome, plain)

  def _compared(self, values: dict[str, object]) -> object:
    """Calls the plain function, and plainly whatever decorated function it calls."""
    token = _IS_COMPARING.set(True)
    try:
      with DEEPER:
        return self._call_plain(values)
    finally:
      _IS_COMPARING.reset(token)

  def _verification_failed(self, prepared: Prepared, verdict: Verdict) -> ConversionRefused:
    refusal = ConversionRefused.of(
      Reason.VERIFICATION_FAILED,
      f"The graph of {self.__name__} does not do what plain Python does: {verdict.difference}",
    )
    prepared.entry.give_up(refusal)
    return refusal

  # --- Plain Python

  def _one_by_one(
    self, arguments: dict[str, Argument], values: dict[str, object]
  ) -> Callable[[], object]:
    """Returns what makes the calls of a mapped one; only recursive functions have such."""
    raise NotImplementedError

  def _call_plain(self, values: dict[str, object]) -> object:
    bound = self._signature.bind_partial()
    bound.arguments.update(values)
    return self._function(*bound.args, **bound.kwargs)

  def _explain_failure(
    self, error: tf.errors.OpError, prepared: Prepared, plain: Callable[[], object]
  ) -> Callable[[], object]:
    """Returns what raises what plain Python raises where a run failed."""
    if isinstance(error, tf.errors.CancelledError):
      return functools.partial(_return_or_raise, None, error)
    if _TOO_DEEP in error.message:
      return functools.partial(self._run_too_deep, error, prepared, plain)
    reason = Reason.DYNAMIC_LIST if is_ragged(error) else Reason.GRAPH_ERROR
    has_handlers = prepared.program.conversion.has_handlers
    reason = Reason.CHECK_FAILED if is_check_failure(error) or has_handlers else reason
    if UnsupportedGradientError.__name__ in error.message:
      reason = Reason.UNSUPPORTED_OPERATION
    line = _line_of(error, CHECK_FAILED)
    text = f"The elements of one list have different shapes: {line}" if is_ragged(error) else line
    refusal = ConversionRefused.of(reason, text)
    site = prepared.program.taken(error)
    if site is not None:
      refusal = prepared.program.left_out[site].refusal
      self._programs.note_taken(site, prepared.program.left_out[site], is_plain=True)
    elif prepared.program.conversion.left_branches and reason == Reason.CHECK_FAILED:
      refusal = self._programs.note_left(prepared)
    else:
      self._programs.assumptions.broke("nothing fails in the run", f"{PYTHON}, for such calls")

    def again() -> object:
      if site is not None and self._strict:  # As where there is no graph: before Python acts.
        prepared.entry.note_failure(refusal, is_left_out=True)
        raise refusal
      return self._run_foreseen(prepared, refusal, plain, is_left_out=site is not None)

    return again

  def _run_foreseen(
    self,
    prepared: Prepared,
    refusal: ConversionRefused,
    plain: Callable[[], object],
    is_left_out: bool = False,
  ) -> object:
    """Returns what plain Python gives where a run failed; if it does not fail, that is told."""
    try:
      result = self._run_plain(plain)
    except Exception:  # The program's own, which the run foresaw.
      self._count(Reason.CHECK_FAILED)
      raise
    prepared.entry.note_failure(refusal, is_left_out)
    self._programs.drop_left(prepared)
    self._tell(refusal)
    if self._strict:
      raise refusal
    return result

  def _run_too_deep(
    self, error: tf.errors.OpError, prepared: Prepared, plain: Callable[[], object]
  ) -> object:
    """Returns what plain Python gives where a run was too deep; what it changes stays.

    Raises:
      RecursionDepthError: If it is too deep for Python, too.
    """
    frames = _line_of(error, _TOO_DEEP).partition(" frames.")[0].rpartition("max_depth=")[2]
    refusal = ConversionRefused.of(Reason.CHECK_FAILED, f"{_TOO_DEEP}={frames} frames")
    try:
      return self._run_foreseen(prepared, refusal, plain)
    except RecursionError as found:
      raise RecursionDepthError(
        f"{self.__name__}: {_TOO_DEEP}={frames} frames, and than Python's limit. Either its base"
        " case is never reached for this input, or the limit is too low: raise it with"
        " RECURSIVE_TF_MAX_DEPTH."
      ) from found

  def _internal_error(self, error: Exception, arguments: dict[str, Argument]) -> ConversionRefused:
    """Returns the refusal for an error of ours."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
    text = (str(error).splitlines() or [""])[0]
    refusal = ConversionRefused.of(
      Reason.INTERNAL_ERROR, f"{self.__name__}: {type(error).__name__} at {where}: {text}"
    )
    refusal.__cause__ = error if self._strict else None  # It holds on to frames and tensors.
    if arguments:
      self._programs.note_failure(arguments, refusal)
    return refusal

  def _fall_back(
    self, refusal: ConversionRefused, plain: Callable[[], object], is_rerun: bool = False
  ) -> object:
    """Runs the plain function, counted; under `strict` the refusal is raised instead.

    A run that failed is done again either way: it is Python's exception that the user gets.
    """
    if self._strict and not is_rerun:
      raise refusal
    self._tell(refusal)
    result = self._run_plain(plain)
    if self._strict:
      raise refusal
    return result

  def _run_plain(self, plain: Callable[[], object]) -> object:
    """Runs the plain function; other threads may call it meanwhile, as they may undecorated.

    It may wait for them: for a pool to which it gives its children, or for a lock of theirs.
    """
    was_running, num_locks = self._thread.is_running, self._thread.num_locks
    self._thread.is_running = True
    self._thread.num_locks = 0
    for _ in range(num_locks):
      self._lock.release()
    try:
      with DEEPER:
        return plain()
    finally:
      for _ in range(num_locks):
        self._lock.acquire()
      self._thread.num_locks = num_locks
      self._thread.is_running = was_running

  def _tell(self, refusal: ConversionRefused) -> None:
    """Counts a plain run, and says why, once."""
    self._count(refusal.reason)
    if all(str(refusal) != str(known) for known in self._refusals[-20:]):
      _LOGGER.warning("%s runs as plain Python (told once): %s", self.__name__, refusal)
      self._refusals.append(refusal.again())
      del self._refusals[:-100]

  def _count(self, reason: Reason) -> None:
    self.stats.num_fallback_runs += 1
    self.stats.fallbacks[reason] = self.stats.fallbacks.get(reason, 0) + 1

  def _turn(self) -> _Turn:
    """Holds the lock of the function, and adds the time of an outermost call to its own.

    Plain runs within give it away meanwhile: who must not lose it holds the lock beside.
    """
    return _Turn(self._lock, self._thread, self.stats)


class _Thread(threading.local):
  """What a thread does with a function.

  Attributes:
    is_running: whether it runs it as plain Python.
    num_locks: how often it holds its lock.
    is_timed: whether the time of a call is taken.
  """

  is_running = False
  num_locks = 0
  is_timed = False


class _Turn:
  """A call that holds the lock of its function. No generator: each call makes one."""

  __slots__ = ("_is_outermost", "_lock", "_start", "_stats", "_thread")

  def __init__(self, lock: threading.RLock, thread: _Thread, stats: Stats):
    self._lock = lock
    self._thread = thread
    self._stats = stats

  def __enter__(self) -> None:
    self._lock.acquire()
    self._thread.num_locks += 1
    self._is_outermost = not self._thread.is_timed
    self._thread.is_timed = True
    self._start = time.perf_counter()

  def __exit__(self, *error: object) -> None:
    if self._is_outermost:
      self._thread.is_timed = False
      self._stats.total_seconds += time.perf_counter() - self._start
    self._thread.num_locks -= 1
    self._lock.release()


class BoundDecorated:
  """A decorated method of one object."""

  _is_decorated = True

  def __init__(self, function: Decorated, owner: object):
    self._function = function
    self._owner = owner
    self.__name__ = function.__name__

  def __call__(self, /, *args: object, **kwargs: object) -> Any:
    """Calls the method once."""
    if self._function.is_plain(args):
      return self._function.python(self._owner, *args, **kwargs)
    return self._function(self._owner, *args, **kwargs)

  def __eq__(self, other: object) -> bool:
    """Tells whether it is the same method of the same object, as bound methods do."""
    if not isinstance(other, BoundDecorated):
      return NotImplemented
    return self._owner is other._owner and self._function is other._function

  def __hash__(self) -> int:
    """By the object's identity, as bound methods have it."""
    return hash((id(self._owner), id(self._function)))

  def explain(self) -> Report:
    """Tells what was converted and what was not; see `Decorated.explain`."""
    report: Report = self._function.explain()
    return report

  @property
  def python(self) -> Any:
    """The plain method."""
    return functools.partial(self._function.python, self._owner)

  @property
  def __func__(self) -> object:
    """The function that the class has, as bound methods name it."""
    return self._function

  @property
  def __self__(self) -> object:
    """The object, as bound methods name it."""
    return self._owner

  def note_program(self, program: object) -> None:
    """Notes that a program of the method is somewhere by itself, where it can be saved."""
    self._function._saved.note(self._owner, program)

  @property
  def stats(self) -> Stats:
    """The counters, of all objects."""
    found: Stats = self._function.stats
    return found


def _partial_of_function(function: object) -> functools.partial[object] | None:
  if type(function) is functools.partial and isinstance(function.func, types.FunctionType):
    return function
  return None


def _line_of(error: tf.errors.OpError, text: str) -> str:
  """Returns the line of an error's message that has the text, or the first that says anything."""
  lines = [line.strip() for line in error.message.splitlines() if line.strip()]
  found = [line for line in lines if text in line] or [
    # The op's own message, after what TensorFlow says about where it was made.
    before
    for before, line in zip(lines, [*lines[1:], ""], strict=True)
    if line.startswith("[[{{node")
  ]
  return found[0] if found else lines[-1] if lines else error.message


def _return_or_raise(result: object, error: Exception | None) -> object:
  if error is not None:
    raise error
  return result
