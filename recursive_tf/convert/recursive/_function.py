"""`@rtf.recursive`: plain recursive Python over objects, run as a recursive graph.

A call finds the program for its kind of arguments, or converts the function. It checks what the
program relies on, reads the objects into columns, runs the graph, and only then lets its effects
happen. What cannot be converted runs as the plain Python it is, and is counted. The first runs of
each graph, and then ever fewer, are compared with plain Python before they count.

After Jeong et al., NSDI 2019 (JANUS): profile, assumptions, guards, fallback.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import logging
import threading
import time
import traceback
import types
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._config import config
from recursive_tf._errors import RecursiveTFError, UnsupportedGradientError
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._commit import Outcome
from recursive_tf.convert.frame._budget import Limits
from recursive_tf.convert.program._arguments import (
  OBJECT,
  STATIC,
  Argument,
  classify,
  classify_rows,
  with_structure,
)
from recursive_tf.convert.program._explain import Report, report_of
from recursive_tf.convert.program._packed import Packed, PackedType
from recursive_tf.convert.program._program import num_rows, rows_of_call
from recursive_tf.convert.program._programs import Prepared, Programs
from recursive_tf.convert.program._stats import Stats
from recursive_tf.convert.recursive._subjects import subject_of
from recursive_tf.convert.syntax.source import LiveSignature
from recursive_tf.convert.validation._verification import Schedule, Verdict, check
from recursive_tf.convert.values import _forms, _results
from recursive_tf.convert.values._checks import CHECK_FAILED, is_check_failure, is_ragged

_LOGGER = logging.getLogger("recursive_tf")
# What setting attributes and items raises; nothing has been written then.
_COMMIT_ERRORS = (AttributeError, TypeError, ValueError, KeyError, IndexError)
_TOO_DEEP = "the recursion is deeper than max_depth"
# Set while plain Python is run to be compared: then all decorated functions are plain.
_IS_COMPARING = contextvars.ContextVar("recursive_tf_is_comparing", default=False)


class RecursionDepthError(RecursiveTFError, RecursionError):
  """The recursion of a converted program is deeper than `max_depth`."""


def recursive(
  function: Callable[..., Any] | None = None,
  *,
  strict: bool = False,
  verify: bool | None = None,
) -> Any:
  """Runs a recursive Python function over objects as one recursive graph.

  ```python
  @rtf.recursive
  def encode(node):
    if node.is_leaf:
      return cell.leaf(embedding(node.word))
    return cell.inner(encode(node.left), encode(node.right))

  h, c = encode(tree)
  states = encode.map(trees)
  ```

  Values, gradients, exceptions, output and the state of objects afterwards are those of plain
  Python. docs/recursive.md says what is converted; `encode.explain()` what was, and what was not.

  Args:
    function: the function or method.
    strict: raise `ConversionRefused` where the plain function would be run instead.
    verify: whether runs of the graph are compared with plain Python before they count: True for
      all, False for none, None for the first run of each graph and then ever fewer, as long as they
      take at most 2% of the function's time. RECURSIVE_TF_VERIFY says what None means.

  Returns:
    A `RecursiveFunction`.
  """
  if function is None:
    return lambda fn: recursive(fn, strict=strict, verify=verify)
  if isinstance(function, types.MethodType):
    found = RecursiveFunction(function.__func__, strict, verify)
    return BoundRecursiveFunction(found, function.__self__)
  return RecursiveFunction(function, strict, verify)


class RecursiveFunction:
  """What `@rtf.recursive` returns. Thread-safe; calls of one function run one after the other.

  Attributes:
    python: the plain function.
    stats: counters.
  """

  _is_recursive_function = True
  __name__: str

  def __init__(
    self,
    function: Callable[..., Any],
    strict: bool = False,
    verify: bool | None = None,
    limits: Limits | None = None,
  ):
    functools.update_wrapper(self, function)
    self.__name__ = getattr(function, "__name__", type(function).__name__)
    self.python = function
    self.stats = Stats()
    self._strict = strict
    self._signature = LiveSignature(function)
    self._programs = Programs(function, self.__name__, self.stats, limits or Limits())
    self._schedule = Schedule(config().verify if verify is None else verify, self.stats)
    self._refusals: list[ConversionRefused] = []
    self._notes: list[str] = []
    self._lock = threading.RLock()
    self._plain = threading.local()
    self._packed_types: dict[int, PackedType] = {}  # By version of the program.

  def __get__(self, owner: Any, type_: type | None = None) -> Any:
    """Binds a method to its object."""
    return self if owner is None else BoundRecursiveFunction(self, owner)

  def __call__(self, *args: Any, **kwargs: Any) -> Any:
    """Calls the function once."""
    if getattr(self._plain, "is_running", False) or _IS_COMPARING.get():
      return self.python(*args, **kwargs)
    if args and isinstance(args[-1], Packed):
      return self._run_packed(args[-1])
    try:
      values = self._bind(args, kwargs)
    except TypeError:
      return self.python(*args, **kwargs)  # Raises Python's own message.
    return self._call(self._classify, values, lambda: self.python(*args, **kwargs))

  def map(self, *args: Any, **kwargs: Any) -> Any:
    """Calls the function for each element of lists, in one run.

    Args:
      *args: a list for each positional argument, all of one length; or what `pack` returned.
      **kwargs: the same for all calls.

    Returns:
      The results as one nest: tensors stacked to [B, ...], other values in lists.
    """
    return self._map((), args, kwargs)

  def _map(self, owner: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if args and isinstance(args[0], Packed):
      return self._run_packed(args[0])
    lists = self._lists(args)

    def plain() -> Any:
      rows = [[*owner, *row] for row in zip(*lists, strict=True)]
      return _results.stacked([self.python(*row, **kwargs) for row in rows])

    if _IS_COMPARING.get():
      return plain()
    values = self._bind((*owner, *lists), kwargs)
    classified = functools.partial(self._classify_rows, num_fixed=len(owner), num_lists=len(lists))
    return self._call(classified, values, plain)

  def _lists(self, args: tuple[Any, ...]) -> list[Any]:
    """Returns the lists of a mapped call."""
    lists = [arg if isinstance(arg, tf.Tensor) else list(arg) for arg in args]
    counts = sorted({len(values) for values in lists})
    if len(counts) > 1:
      raise ValueError(
        f"{self.__name__}.map: lists of {counts} elements; pass lists of one length."
      )
    if counts in ([], [0]):
      raise ValueError(f"{self.__name__}.map: no elements; pass at least one.")
    return lists

  def pack(self, *args: Any, **kwargs: Any) -> Packed:
    """Reads objects into tensors that can be passed into a tf.function, and there to `map`.

    A run inside a tf.function cannot be compared with plain Python, so that is done here, with
    gradients, as often as `verify` says.

    Args:
      *args: lists, as for `map`.
      **kwargs: as for `map`.

    Returns:
      A nest of tensors.

    Raises:
      ConversionRefused: If the function cannot be converted.
    """
    return self._pack((), args, kwargs)

  def _pack(self, owner: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Packed:
    lists = self._lists(args)
    values = self._bind((*owner, *lists), kwargs)
    with self._lock, self._timed():
      arguments = self._classify_rows(values, len(owner), len(lists))
      prepared = self._programs.prepare(arguments, values)
      program = prepared.program
      if not program.is_pure:
        raise ConversionRefused.of(
          Reason.INSIDE_FUNCTION, f"{self.__name__} writes or prints: it has to be called eagerly."
        )
      graph = self._programs.graph(program, prepared.arguments)
      for part in _results.not_of_tensors(graph.form):
        raise ConversionRefused.of(
          Reason.INSIDE_FUNCTION,
          f"{self.__name__} returns {_forms.describe(part)}, which no graph can hold: return"
          " tensors and numbers only.",
        )
      if tf.executing_eagerly() and self._schedule.is_due((program.version, "pack")):
        verdict = self._check(prepared, values, (program.version, "pack"), is_recording=True)
        if verdict.difference is not None:
          raise self._verification_failed(prepared, verdict)
      type_ = self._packed_types.get(program.version)
      if type_ is None:
        specs = tuple(graph.keep.input_signature)
        program.is_packed = True
        type_ = self._packed_types[program.version] = PackedType(self, program.version, True, specs)
    return Packed(tuple(prepared.tensors), type_)

  def _run_packed(self, packed: Packed) -> Any:
    if packed.type.function is not self:
      raise ValueError(
        f"{self.__name__}.map: these objects were packed by {packed.type.function.__name__}."
        f" Pack them with {self.__name__}.pack."
      )
    program = self._programs.versions[packed.type.version]
    graph = program.graphs()[packed.type.is_mapped]
    self.stats.num_converted_runs += 1
    *tensors, count = graph.function(*packed.tensors)
    return _results.as_tensors(graph.form, iter(tensors), count)

  def explain(self) -> Report:
    """Tells what was converted, what objects are read for, and what was not and why; print it."""
    with self._lock:
      programs = list(self._programs)
      return report_of(self.__name__, programs, self.stats, self._refusals, self._notes)

  def __repr__(self) -> str:
    """Describes the function by name."""
    return f"<recursive function '{self.__name__}'>"

  # --- Arguments

  def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    bound = self._signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)

  def _classify(self, values: dict[str, Any]) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    is_first = True
    for name, value in values.items():
      found[name] = classify(value, is_first and name != "self")
      is_first = is_first and (name == "self" or found[name].kind == STATIC)
    found = with_structure(found, values)
    # `model.encode(tree)` is about the tree, `node.encode()` about the node.
    others = [argument for name, argument in found.items() if name != "self"]
    if "self" in found and any(argument.kind == OBJECT for argument in others):
      found["self"] = Argument(STATIC, values["self"])
    return found

  def _classify_rows(
    self, values: dict[str, Any], num_fixed: int, num_lists: int
  ) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    for position, (name, value) in enumerate(values.items()):
      if num_fixed <= position < num_fixed + num_lists:
        rows = classify_rows(value, position == num_fixed)
        if rows is None:
          raise ConversionRefused.of(
            Reason.MIXED_ATTRIBUTE,
            f"The elements given to {self.__name__}.map are of different kinds.",
          )
        found[name] = rows
      else:
        is_owner = name == "self"
        found[name] = Argument(STATIC, value) if is_owner else classify(value, False)
    return with_structure(found, values, is_owned=num_fixed > 0)

  # --- Running

  def _call(
    self,
    classified: Callable[[dict[str, Any]], dict[str, Argument]],
    values: dict[str, Any],
    plain: Callable[[], Any],
  ) -> Any:
    """Runs the graph, or plain Python; the one door through which every call goes."""
    if not tf.executing_eagerly():
      inside = ConversionRefused.of(
        Reason.INSIDE_FUNCTION, f"{self.__name__} is called while a graph is made."
      )
      return self._fall_back(inside, plain)
    with self._lock, self._timed():
      arguments: dict[str, Argument] = {}
      try:
        arguments = classified(values)
        rest = self._attempt(arguments, values, plain)
      except ConversionRefused as refusal:
        rest = functools.partial(self._fall_back, refusal, plain)
      except Exception as error:  # Nothing has happened yet: no error of ours leaves a call.
        internal = self._internal_error(error, arguments)
        rest = functools.partial(self._fall_back, internal, plain)
      return rest()

  def _attempt(
    self, arguments: dict[str, Argument], values: dict[str, Any], plain: Callable[[], Any]
  ) -> Callable[[], Any]:
    """Runs the graph; returns what is left to do, where the user's own errors may be raised.

    Raises:
      Exception: Whatever goes wrong; nothing has happened then.
    """
    prepared = self._programs.prepare(arguments, values)
    program = prepared.program
    count = num_rows(prepared.arguments, values)
    is_mapped = count is not None
    if is_mapped and not (_results.is_stackable(program.result_form) and program.is_pure):
      return lambda: _results.stacked(self._one_by_one(arguments, values))
    graph = self._programs.graph(program, prepared.arguments)
    is_recording = tfi.is_recording()
    key = program.version, is_mapped, is_recording
    try:
      if self._schedule.is_due(key):
        verdict = self._check(prepared, values, key, is_recording)
        return self._judged(prepared, verdict, plain)
      found = graph.function(*prepared.tensors)
    except tf.errors.OpError as error:
      return self._explain_failure(error, prepared, plain)
    outcome = program.outcome(graph, found, prepared.objects, values, count)
    return self._committed(prepared, outcome, plain)

  def _committed(
    self, prepared: Prepared, outcome: Outcome, plain: Callable[[], Any]
  ) -> Callable[[], Any]:
    """Lets the effects of a run happen."""
    try:
      outcome.commit()
    except _COMMIT_ERRORS as error:
      text = f"A write failed: {type(error).__name__}: {error}"
      failed = ConversionRefused.of(Reason.UNSUPPORTED_WRITE, text)
      return functools.partial(self._fall_back, failed, plain, is_rerun=True)
    self.stats.num_converted_runs += 1
    prepared.entry.note_run()

    def shown() -> Any:
      outcome.print()
      return outcome.result

    return shown

  # --- Comparing with plain Python

  def _check(
    self, prepared: Prepared, values: dict[str, Any], key: Any, is_recording: bool
  ) -> Verdict:
    """Runs the graph and plain Python and compares them."""
    start = time.perf_counter()
    subject = subject_of(
      self.__name__, self.python, self._programs, prepared, values, self._compared, is_recording
    )
    verdict = check(subject, self._schedule.allowance)
    self._schedule.note(key, time.perf_counter() - start - verdict.graph_seconds)
    for note in sorted(verdict.notes.difference(self._notes)):
      self._notes.append(note)
      _LOGGER.info("%s is compared with plain Python, but (told once): %s", self.__name__, note)
    return verdict

  def _judged(
    self, prepared: Prepared, verdict: Verdict, plain: Callable[[], Any]
  ) -> Callable[[], Any]:
    """Returns what is left to do after a check."""
    done = functools.partial(_return_or_raise, verdict.result, verdict.error)
    if verdict.difference is not None:
      refusal = self._verification_failed(prepared, verdict)
      again = done if verdict.has_python_run else plain
      return functools.partial(self._fall_back, refusal, again, is_rerun=True)
    if verdict.has_python_run:
      self.stats.num_converted_runs += 1
      prepared.entry.note_run()
      return done
    return self._committed(prepared, verdict.outcome, plain)

  def _compared(self, values: dict[str, Any]) -> Any:
    """Calls the plain function, and plainly whatever decorated function it calls."""
    token = _IS_COMPARING.set(True)
    try:
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

  def _one_by_one(self, arguments: dict[str, Argument], values: dict[str, Any]) -> list[Any]:
    single = {name: argument.single() for name, argument in arguments.items()}
    return [
      self._call(lambda _: single, row, functools.partial(self._call_plain, row))
      for row in rows_of_call(arguments, values)
    ]

  def _call_plain(self, values: dict[str, Any]) -> Any:
    bound = self._signature.bind_partial()
    bound.arguments.update(values)
    return self.python(*bound.args, **bound.kwargs)

  def _explain_failure(
    self, error: tf.errors.OpError, prepared: Prepared, plain: Callable[[], Any]
  ) -> Callable[[], Any]:
    """Returns what raises what plain Python raises where a run failed."""
    if isinstance(error, tf.errors.CancelledError):
      return functools.partial(_return_or_raise, None, error)
    if _TOO_DEEP in error.message:
      too_deep = RecursionDepthError(_line_of(error, _TOO_DEEP))
      return functools.partial(_return_or_raise, None, too_deep)
    reason = Reason.DYNAMIC_LIST if is_ragged(error) else Reason.GRAPH_ERROR
    reason = Reason.CHECK_FAILED if is_check_failure(error) else reason
    if UnsupportedGradientError.__name__ in error.message:
      reason = Reason.UNSUPPORTED_OPERATION
    line = _line_of(error, CHECK_FAILED)
    text = f"The elements of one list have different shapes: {line}" if is_ragged(error) else line
    refusal = ConversionRefused.of(reason, text)

    def again() -> Any:
      try:
        result = self._run_plain(plain)
      except Exception:  # The program's own, which the run foresaw.
        self._count(Reason.CHECK_FAILED)
        raise
      prepared.entry.note_failure(refusal)
      self._tell(refusal)
      if self._strict:
        raise refusal
      return result

    return again

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
    self, refusal: ConversionRefused, plain: Callable[[], Any], is_rerun: bool = False
  ) -> Any:
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

  def _run_plain(self, plain: Callable[[], Any]) -> Any:
    was_running = getattr(self._plain, "is_running", False)
    self._plain.is_running = True
    try:
      return plain()
    finally:
      self._plain.is_running = was_running

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

  @contextlib.contextmanager
  def _timed(self) -> Iterator[None]:
    """Adds the time of an outermost call to the function's."""
    is_outermost = not getattr(self._plain, "is_timed", False)
    start = time.perf_counter()
    self._plain.is_timed = True
    try:
      yield
    finally:
      if is_outermost:
        self._plain.is_timed = False
        self.stats.total_seconds += time.perf_counter() - start


class BoundRecursiveFunction:
  """A recursive method of one object."""

  _is_recursive_function = True

  def __init__(self, function: RecursiveFunction, owner: Any):
    self._function = function
    self._owner = owner
    self.__name__ = function.__name__

  def __call__(self, *args: Any, **kwargs: Any) -> Any:
    """Calls the method once."""
    return self._function(self._owner, *args, **kwargs)

  def map(self, *args: Any, **kwargs: Any) -> Any:
    """Calls the method for each element of lists; see `RecursiveFunction.map`."""
    return self._function._map((self._owner,), args, kwargs)

  def pack(self, *args: Any, **kwargs: Any) -> Packed:
    """Reads objects into tensors; see `RecursiveFunction.pack`."""
    return self._function._pack((self._owner,), args, kwargs)

  def explain(self) -> Report:
    """Tells what was converted and what was not; see `RecursiveFunction.explain`."""
    return self._function.explain()

  @property
  def python(self) -> Any:
    """The plain method."""
    return functools.partial(self._function.python, self._owner)

  @property
  def __func__(self) -> RecursiveFunction:
    """The function that the class has, as bound methods name it."""
    return self._function

  @property
  def stats(self) -> Stats:
    """The counters, of all objects."""
    return self._function.stats


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


def _return_or_raise(result: Any, error: Exception | None) -> Any:
  if error is not None:
    raise error
  return result
