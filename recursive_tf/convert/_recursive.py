"""`@rtf.recursive`: plain recursive Python over objects, run as a recursive graph.

A call finds the program for its kind of arguments, or converts the function. It checks what the
program relies on, reads the objects into columns, runs the graph, and only then lets its effects
happen. What cannot be converted runs as the plain Python it is, and is counted.

After Jeong et al., NSDI 2019 (JANUS): profile, assumptions, guards, fallback.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import logging
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from recursive_tf._errors import RecursiveTFError
from recursive_tf.convert import _encode, _forms, _results
from recursive_tf.convert._arguments import (
  CONTAINER,
  OBJECT,
  STATIC,
  Argument,
  classify,
  classify_rows,
  objects_of,
)
from recursive_tf.convert._checks import CHECK_FAILED, is_check_failure
from recursive_tf.convert._conversion import PromoteArgument, Sources
from recursive_tf.convert._explain import Report, report_of
from recursive_tf.convert._packed import Packed, PackedType
from recursive_tf.convert._profile import Profile
from recursive_tf.convert._program import Outdated, Program, rows_of_call
from recursive_tf.convert._refusal import ConversionRefused, Reason

_MAX_CONVERSIONS = 8  # For one kind of arguments: after that its assumptions never settle.
_MAX_REFUSALS = 3  # Then it is not tried again: layers that make weights at first have made them.
_LOGGER = logging.getLogger("recursive_tf")
# What setting attributes and items raises; nothing has been written then.
_COMMIT_ERRORS = (AttributeError, TypeError, ValueError, KeyError, IndexError)
_TOO_DEEP = "the recursion is deeper than max_depth"


class RecursionDepthError(RecursiveTFError, RecursionError):
  """The recursion of a converted program is deeper than `max_depth`."""


@dataclasses.dataclass
class Stats:
  """Counters of one decorated function.

  Attributes:
    num_converted_runs: calls that ran as a graph.
    num_fallback_runs: calls that ran as plain Python.
    num_conversions: conversions, successful or not.
    num_graphs: graphs made.
    walk_seconds: time that reading objects took.
    walked_objects: objects read.
    fallbacks: plain runs by reason.
  """

  num_converted_runs: int = 0
  num_fallback_runs: int = 0
  num_conversions: int = 0
  num_graphs: int = 0
  walk_seconds: float = 0.0
  walked_objects: int = 0
  fallbacks: dict[Reason, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class _Entry:
  """What is known for one kind of arguments."""

  programs: list[Program] = dataclasses.field(default_factory=list)
  num_conversions: int = 0
  num_refusals: int = 0
  refusal: ConversionRefused | None = None
  root_types: dict[str, frozenset[type]] = dataclasses.field(default_factory=dict)
  changed: dict[Any, Any] = dataclasses.field(default_factory=dict)
  containers: dict[str, Any] = dataclasses.field(default_factory=dict)

  def container(self, name: str, values: list[Any]) -> Argument:
    """Returns a list argument with the form that covers all lists seen."""
    try:
      form = _encode.joined_rows(values)
      form = _forms.join(self.containers.get(name, form), form)
    except _forms.Mismatch as error:
      raise ConversionRefused.of(
        Reason.KINDS_DIFFER, f"The elements of the list {name!r} are {error}."
      ) from None
    self.containers[name] = form
    return Argument(CONTAINER, form)


def recursive(function: Callable[..., Any] | None = None, *, strict: bool = False) -> Any:
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

  Returns:
    A `RecursiveFunction`.
  """
  if function is None:
    return lambda fn: recursive(fn, strict=strict)
  if isinstance(function, types.MethodType):
    return BoundRecursiveFunction(RecursiveFunction(function.__func__, strict), function.__self__)
  return RecursiveFunction(function, strict)


class RecursiveFunction:
  """What `@rtf.recursive` returns. Thread-safe; calls of one function run one after the other.

  Attributes:
    python: the plain function.
    stats: counters.
  """

  _is_recursive_function = True
  __name__: str

  def __init__(self, function: Callable[..., Any], strict: bool = False):
    functools.update_wrapper(self, function)
    self.python = function
    self.stats = Stats()
    self._strict = strict
    self._signature = inspect.signature(function)
    self._sources = Sources()
    self._profile = Profile()
    self._changing: dict[Any, Any] = {}
    self._entries: dict[Any, _Entry] = {}
    self._versions: list[Program] = []
    self._refusals: list[ConversionRefused] = []
    self._lock = threading.RLock()
    self._plain = threading.local()
    self._promoted: set[str] = set()
    self._packed_types: dict[int, PackedType] = {}  # By version of the program.

  def __get__(self, owner: Any, type_: type | None = None) -> Any:
    """Binds a method to its object."""
    return self if owner is None else BoundRecursiveFunction(self, owner)

  def __call__(self, *args: Any, **kwargs: Any) -> Any:
    """Calls the function once."""
    if getattr(self._plain, "is_running", False):
      return self.python(*args, **kwargs)
    if args and isinstance(args[-1], Packed):
      return self._run_packed(args[-1])
    try:
      values = self._bind(args, kwargs)
    except TypeError:
      return self.python(*args, **kwargs)  # Raises Python's own message.
    arguments = self._classify(values)
    return self._call(arguments, values, lambda: self.python(*args, **kwargs))

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
    if isinstance(args[0], Packed):
      return self._run_packed(args[0])
    lists = [arg if isinstance(arg, tf.Tensor) else list(arg) for arg in args]
    counts = {len(values) for values in lists}
    if len(counts) != 1:
      raise ValueError(
        f"{self.__name__}.map: lists of {sorted(counts)} elements; pass lists of one length."
      )
    (count,) = counts

    def plain() -> Any:
      rows = [[*owner, *row] for row in zip(*lists, strict=True)]
      return _results.stacked([self.python(*row, **kwargs) for row in rows])

    if count == 0:
      raise ValueError(f"{self.__name__}.map: no elements; pass at least one.")
    values = self._bind((*owner, *lists), kwargs)
    arguments = self._classify_rows(values, len(owner), len(lists))
    if arguments is None:
      refusal = ConversionRefused.of(
        Reason.MIXED_ATTRIBUTE, f"The elements given to {self.__name__}.map are of different kinds."
      )
      return self._fall_back(refusal, plain)
    return self._call(arguments, values, plain)

  def pack(self, *args: Any, **kwargs: Any) -> Packed:
    """Reads objects into tensors that can be passed into a tf.function, and there to `map`.

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
    lists = [arg if isinstance(arg, tf.Tensor) else list(arg) for arg in args]
    values = self._bind((*owner, *lists), kwargs)
    arguments = self._classify_rows(values, len(owner), len(lists))
    if arguments is None:
      raise ConversionRefused.of(Reason.MIXED_ATTRIBUTE, "The elements are of different kinds.")
    with self._lock:
      program, tensors, _ = self._prepare(arguments, values)
      if not program.effects.is_pure:
        raise ConversionRefused.of(
          Reason.INSIDE_FUNCTION, f"{self.__name__} writes or prints: it has to be called eagerly."
        )
      graph = self._graph(program, arguments)
      type_ = self._packed_types.get(program.version)
      if type_ is None:
        specs = tuple(graph.keep.input_signature)
        type_ = self._packed_types[program.version] = PackedType(self, program.version, True, specs)
    return Packed(tuple(tensors), type_)

  def _run_packed(self, packed: Packed) -> Any:
    if packed.type.function is not self:
      raise ValueError(
        f"{self.__name__}.map: these objects were packed by {packed.type.function.__name__}."
        f" Pack them with {self.__name__}.pack."
      )
    program = self._versions[packed.type.version]
    graph = program.graphs()[packed.type.is_mapped]
    self.stats.num_converted_runs += 1
    return _results.as_tensors(graph.form, iter(graph.function(*packed.tensors)))

  def explain(self) -> Report:
    """Tells what was converted, what objects are read for, and what was not and why; print it."""
    with self._lock:
      entries = {id(entry): entry for entry in self._entries.values()}.values()
      programs = [program for entry in entries for program in entry.programs]
      return report_of(self.__name__, programs, self.stats, self._refusals)

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
    # `model.encode(tree)` is about the tree, `node.encode()` about the node.
    others = [argument for name, argument in found.items() if name != "self"]
    if "self" in found and any(argument.kind == OBJECT for argument in others):
      found["self"] = Argument(STATIC, values["self"])
    return found

  def _classify_rows(
    self, values: dict[str, Any], num_fixed: int, num_lists: int
  ) -> dict[str, Argument] | None:
    found: dict[str, Argument] = {}
    for position, (name, value) in enumerate(values.items()):
      if num_fixed <= position < num_fixed + num_lists:
        rows = classify_rows(value, position == num_fixed)
        if rows is None:
          return None
        found[name] = rows
      else:
        is_owner = name == "self"
        found[name] = Argument(STATIC, value) if is_owner else classify(value, False)
    return found

  # --- Running

  def _call(
    self, arguments: dict[str, Argument], values: dict[str, Any], plain: Callable[[], Any]
  ) -> Any:
    if not tf.executing_eagerly():
      refusal = ConversionRefused.of(
        Reason.INSIDE_FUNCTION, f"{self.__name__} is called while a graph is made."
      )
      return self._fall_back(refusal, plain)
    is_mapped = any(argument.is_mapped for argument in arguments.values())
    with self._lock:
      try:
        program, tensors, objects = self._prepare(arguments, values)
        if is_mapped and not (
          _results.is_stackable(program.result_form) and program.effects.is_pure
        ):
          return _results.stacked(self._one_by_one(arguments, values))
        graph = self._graph(program, arguments)
      except ConversionRefused as refusal:
        return self._fall_back(refusal, plain)
      try:
        found = graph.function(*tensors)
      except tf.errors.OpError as error:
        return self._explain_failure(error, plain)
      self.stats.num_converted_runs += 1
      count = None
      if is_mapped:
        name = next(n for n, argument in arguments.items() if argument.is_mapped)
        count = len(values[name])
      try:
        return program.finish(graph, found, objects, values, count)
      except _COMMIT_ERRORS as error:
        text = f"{type(error).__name__}: {error}"
        failed = ConversionRefused.of(Reason.UNSUPPORTED_WRITE, f"A write failed: {text}")
        return self._fall_back(failed, plain, is_rerun=True)

  def _one_by_one(self, arguments: dict[str, Argument], values: dict[str, Any]) -> list[Any]:
    single = {name: _single(argument) for name, argument in arguments.items()}
    return [
      self._call(single, row, functools.partial(self._call_plain, row))
      for row in rows_of_call(arguments, values)
    ]

  def _call_plain(self, values: dict[str, Any]) -> Any:
    bound = self._signature.bind_partial()
    bound.arguments.update(values)
    return self.python(*bound.args, **bound.kwargs)

  def _graph(self, program: Program, arguments: dict[str, Argument]) -> Any:
    before = program.num_graphs
    graph = program.graph(arguments)
    self.stats.num_graphs += program.num_graphs - before
    return graph

  def _prepare(
    self, arguments: dict[str, Argument], values: dict[str, Any]
  ) -> tuple[Program, list[Any], Sequence[Any]]:
    """Finds or makes the program and reads the objects.

    Raises:
      ConversionRefused: If the function cannot be converted for these arguments.
    """
    arguments = self._with_containers(arguments, values)
    entry = self._entry(arguments)
    if entry.num_refusals >= _MAX_REFUSALS and entry.refusal is not None:
      raise entry.refusal
    roots: list[Any] = [
      obj for name, argument in arguments.items() for obj in objects_of(argument, values[name])
    ]
    learnt: list[Any] = []
    for program in list(entry.programs):  # The last one that fitted first.
      if not program.takes(arguments):
        continue
      changed = program.check_guards()
      if changed:
        entry.changed |= dict(changed)
        continue
      try:
        fed = self._feed(program, arguments, values)
      except Outdated as outdated:
        learnt += outdated.objects
        continue
      entry.programs.remove(program)
      entry.programs.insert(0, program)
      return (program, *fed)
    while True:
      # A number that was another one before is read anew for each run from now on. The owner is
      # kept: its identity is part of the place.
      self._changing |= entry.changed
      try:
        program = self._convert(entry, arguments, values, [*roots, *learnt])
      except PromoteArgument as promoted:
        self._promoted.add(promoted.args[0])
        self.stats.num_conversions -= 1  # It goes on, with one thing more known.
        return self._prepare(arguments, values)
      try:
        return (program, *self._feed(program, arguments, values))
      except Outdated as outdated:
        learnt += outdated.objects
        entry.programs.remove(program)

  def _entry(self, arguments: dict[str, Argument]) -> _Entry:
    key = tuple((name, _single(argument).key) for name, argument in arguments.items())
    if key not in self._entries:
      found = (e for e in self._entries.values() if any(p.takes(arguments) for p in e.programs))
      self._entries[key] = next(found, None) or _Entry()
    return self._entries[key]

  def _with_containers(
    self, arguments: dict[str, Argument], values: dict[str, Any]
  ) -> dict[str, Argument]:
    """Returns the arguments, lists that the program changes as what they are."""
    if not self._promoted:
      return arguments
    return {
      name: Argument(CONTAINER, _forms.RowsForm(None))
      if name in self._promoted and type(values[name]) is list
      else argument
      for name, argument in arguments.items()
    }

  def _feed(
    self, program: Program, arguments: dict[str, Argument], values: dict[str, Any]
  ) -> tuple[list[Any], Sequence[Any]]:
    seconds, count = program.walk_seconds, program.walked_objects
    try:
      return program.feed(arguments, values)
    finally:
      self.stats.walk_seconds += program.walk_seconds - seconds
      self.stats.walked_objects += program.walked_objects - count

  def _convert(
    self,
    entry: _Entry,
    arguments: dict[str, Argument],
    values: dict[str, Any],
    roots: list[Any],
  ) -> Program:
    entry.num_conversions += 1
    self.stats.num_conversions += 1
    try:
      if entry.num_conversions > _MAX_CONVERSIONS:
        entry.num_refusals = _MAX_REFUSALS
        raise ConversionRefused.of(
          Reason.NOT_SETTLED,
          f"{self.__name__}: converted {_MAX_CONVERSIONS} times, types and values it relies on"
          " still change.",
        )
      single: dict[str, Argument] = {}
      for name, argument in arguments.items():
        single[name] = argument
        if argument.kind == CONTAINER:
          single[name] = entry.container(name, values[name])
        types = {type(obj) for obj in objects_of(single[name], values[name])}
        entry.root_types[name] = entry.root_types.get(name, frozenset()) | types
      single = {name: _single(argument) for name, argument in single.items()}
      try:
        program = self._program(entry, single, roots)
      except ConversionRefused as refusal:
        wider = {name: argument.without_zeros() for name, argument in single.items()}
        if refusal.reason != Reason.TENSORFLOW_ERROR or wider == single:
          raise
        program = self._program(entry, wider, roots)  # What TensorFlow refuses may not be reached.
    except ConversionRefused as refusal:
      entry.num_refusals += 1
      entry.refusal = refusal
      raise
    entry.programs.insert(0, program)
    self._versions.append(program)
    return program

  def _program(self, entry: _Entry, arguments: dict[str, Argument], roots: list[Any]) -> Program:
    return Program(
      len(self._versions),
      self._sources(self.python),
      arguments,
      self._profile,
      self._sources,
      self._changing,
      roots,
      dict(entry.root_types),
    )

  def _explain_failure(
    self, error: tf.errors.OpError, plain: Callable[[], Any]
  ) -> Any:
    """Raises what plain Python raises where a run failed."""
    if isinstance(error, tf.errors.CancelledError):
      raise error
    if _TOO_DEEP in error.message:
      raise RecursionDepthError(_line_of(error, _TOO_DEEP)) from None
    reason = Reason.CHECK_FAILED if is_check_failure(error) else Reason.GRAPH_ERROR
    refusal = ConversionRefused.of(reason, _line_of(error, CHECK_FAILED))
    return self._fall_back(refusal, plain, is_rerun=True)

  def _fall_back(
    self, refusal: ConversionRefused, plain: Callable[[], Any], is_rerun: bool = False
  ) -> Any:
    """Runs the plain function, counted; under `strict` the refusal is raised instead.

    A run that failed is done again either way: it is Python's exception that the user gets.
    """
    if self._strict and not is_rerun:
      raise refusal
    self._plain.is_running = True
    try:
      result = plain()
    finally:
      self._plain.is_running = False
    if self._strict:
      raise refusal
    self.stats.num_fallback_runs += 1
    self.stats.fallbacks[refusal.reason] = self.stats.fallbacks.get(refusal.reason, 0) + 1
    if all(str(refusal) != str(known) for known in self._refusals[-20:]):
      _LOGGER.warning("%s runs as plain Python (told once): %s", self.__name__, refusal)
      self._refusals.append(refusal)
      del self._refusals[:-100]
    return result


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


def _single(argument: Argument) -> Argument:
  return dataclasses.replace(argument, is_mapped=False)

