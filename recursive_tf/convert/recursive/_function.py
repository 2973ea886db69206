"""`@rtf.recursive`: plain recursive Python over objects, run as a recursive graph."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Sequence, Sized
from typing import Any, Generic, ParamSpec, TypeVar

import tensorflow as tf

from recursive_tf._errors import DataError
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.decorated._decorated import (
  BoundDecorated,
  Decorated,
  is_comparing,
)
from recursive_tf.convert.decorated._known_calls import KnownCalls, glance_at_objects
from recursive_tf.convert.frame._budget import Limits
from recursive_tf.convert.program._arguments import (
  OBJECT,
  STATIC,
  Argument,
  classify,
  classify_keywords,
  classify_positional,
  classify_rows,
  rows_of_call,
  with_structure,
)
from recursive_tf.convert.program._feeding import Outdated
from recursive_tf.convert.program._packed import Packed, PackedType
from recursive_tf.convert.program._program import Program
from recursive_tf.convert.program._programs import Prepared
from recursive_tf.convert.program._unfit import text_of
from recursive_tf.convert.values import _containers, _forms, _results

_P = ParamSpec("_P")
_R = TypeVar("_R")


class RecursiveFunction(Decorated, Generic[_P, _R]):
  """What `@rtf.recursive` returns. Thread-safe.

  Graphs of one function run one after the other; calls that are plain Python run at once.

  Attributes:
    python: the plain function.
    stats: counters.
  """

  _is_recursive_function = True
  _how_to_save = (
    "Give the module its program, over columns: layer = rtf.keras.Recursive(module.{name});"
    " layer.adapt(objects); module.{name}_columns = layer.program()."
  )

  def __init__(
    self,
    function: Callable[..., object],
    strict: bool = False,
    verify: bool | None = None,
    limits: Limits | None = None,
  ):
    super().__init__(function, strict, verify, limits)
    # By version of the program, and the arguments that are mapped.
    self._packed_types: dict[tuple[int, frozenset[str]], PackedType] = {}
    self._calls = KnownCalls(is_of_objects=True)

  def _bound(self, owner: object) -> BoundRecursiveFunction:
    return BoundRecursiveFunction(self, owner)

  def __call__(self, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
    """Calls the function once."""
    if self.is_plain(args):  # Here, too: a frame less in each level of plain Python.
      return self.python(*args, **kwargs)
    if args and isinstance(args[-1], Packed):
      return self._run_packed(args[:-1], args[-1])
    return self._called(args, kwargs)

  def is_plain(self, args: tuple[object, ...]) -> bool:
    """Tells whether a call is to be plain Python: one within a run that is, but of no `pack`."""
    if not super().is_plain(args):
      return False
    return is_comparing() or not (args and isinstance(args[-1], Packed))

  def __repr__(self) -> str:
    """Describes the function by name."""
    return f"<recursive function '{self.__name__}'>"

  def map(self, /, *args: object, **kwargs: object) -> Any:
    """Calls the function for each element of lists, in one run.

    Args:
      *args: a list for each positional argument, all of one length; or what `pack` returned.
      **kwargs: the same for all calls.

    Returns:
      The results as one nest: tensors stacked to [B, ...], other values in lists.
    """
    return self._map((), args, kwargs)

  def _map(
    self, owner: tuple[object, ...], args: tuple[object, ...], kwargs: dict[str, object]
  ) -> object:
    if args and isinstance(args[0], Packed):
      if len(args) > 1 or kwargs:
        raise ValueError(_beside_packed(self.__name__))
      return self._run_packed(owner, args[0])
    lists = self._lists(args)

    def plain() -> object:
      rows = [[*owner, *row] for row in zip(*lists, strict=True)]
      return _containers.stacked([self.python(*row, **kwargs) for row in rows])

    if is_comparing():
      return plain()
    values = self._bind((*owner, *lists), kwargs)
    classified = functools.partial(self._classify_rows, num_fixed=len(owner), num_lists=len(lists))
    places = tuple(range(len(owner), len(owner) + len(lists)))
    return self._call(classified, values, plain, places)

  def _lists(self, args: tuple[Any, ...]) -> list[object]:
    """Returns the lists of a mapped call."""
    for arg in args:
      if isinstance(arg, Packed):
        raise ValueError(_beside_packed(self.__name__))
      if not isinstance(arg, (Iterable, tf.Tensor)) and not hasattr(arg, "__getitem__"):
        raise TypeError(
          f"{self.__name__}: map and pack take a list of trees, and one for each other argument,"
          f" but got {type(arg).__name__}. For one tree pass a list of it."
        )
    lists = [arg if isinstance(arg, tf.Tensor) else list(arg) for arg in args]
    counts = sorted({len(values) for values in lists})
    if len(counts) > 1:
      raise ValueError(
        f"{self.__name__}.map: lists of {counts} elements; pass lists of one length."
      )
    if counts in ([], [0]):
      raise ValueError(f"{self.__name__}.map: no elements; pass at least one.")
    return lists

  def pack(self, /, *args: object, **kwargs: object) -> Packed:
    """Reads objects into tensors that can be passed into a tf.function, and there to `map`.

    A run inside a tf.function cannot be compared with plain Python, so that is done here, with
    gradients, as often as `verify` says.

    Args:
      *args: lists, as for `map`.
      **kwargs: as for `map`.

    Returns:
      The objects as they are now, as one argument of a tf.function, or of what `rtf.prepare` makes;
      `.take(indices)` of it is some of the rows, `len` of it their number.

    Raises:
      ConversionRefused: If the function cannot be converted.
    """
    return self._pack((), args, kwargs)

  def _pack(
    self, owner: tuple[object, ...], args: tuple[object, ...], kwargs: dict[str, object]
  ) -> Packed:
    lists = self._lists(args)
    values = self._bind((*owner, *lists), kwargs)
    places = tuple(range(len(owner), len(owner) + len(lists)))
    with self._lock, self._turn():
      prepared = self._again(values, places)
      if prepared is None:
        arguments = self._classify_rows(values, len(owner), len(lists))
        prepared = self._programs.prepare(arguments, values, insists=True)
        self._note(prepared, values)
      if prepared.program.conversion.left_branches:  # There is no plain Python in a graph.
        raise prepared.program.conversion.left_branches[0].again()
      key = prepared.program.version, prepared.mapped
      type_ = self._packed_types.get(key) or self._type_of_packed(prepared, owner)
      self._check_packed(prepared, values)
      prepared.program.is_packed = True
      self._packed_types[key] = type_
    return Packed(tuple(prepared.tensors), type_)

  def _check_packed(self, prepared: Prepared, values: dict[str, object]) -> None:
    """Compares what was packed with plain Python, where that is due."""
    key = prepared.program.version, prepared.mapped, "pack"
    if not (tf.executing_eagerly() and self._schedule.is_due(key)):
      return
    try:
      verdict = self._check(prepared, values, key, is_recording=True)
    except tf.errors.OpError:
      for row in rows_of_call(prepared.arguments, values):
        self._compared(row)  # Python's own error says what is wrong, with None among the trees.
      raise
    if verdict.difference is not None:
      raise self._verification_failed(prepared, verdict)

  def pack_as(self, type_: PackedType, objects: Sequence[object]) -> Packed | None:
    """Reads objects for a program that there is; of a method for the object that it is of.

    Args:
      type_: of what `pack` returned for one list.
      objects: a list for `pack`.

    Returns:
      The objects, of this type; None if the function or what it reads outside of them has changed.

    Raises:
      DataError: If they are not such as the program reads; it says which one, and why.
    """
    owner = type_.owner()
    rows, fixed = list(objects), () if owner == () else (owner,)
    values = self._bind((*fixed, rows), {})
    program = self._programs.versions[type_.version]

    def reads(some: Sequence[object]) -> Prepared | None:
      given = {**values, list(values)[len(fixed)]: list(some)}
      arguments = self._known_arguments(program, given, len(fixed))
      if arguments is None:
        raise Outdated
      return self._programs.of_program(program, arguments, given)

    with self._lock, self._turn():
      self._programs.note_rows(len(rows))
      try:
        prepared = reads(rows)
      except Outdated as outdated:
        if outdated.is_outside or (outdated.found and outdated.found.object is owner):
          return None
        why = text_of(outdated, rows, reads)
        raise DataError(f"{self.__name__} does not read {why}.") from None
      if prepared is None:
        return None
      self._check_packed(prepared, values)
    return Packed(tuple(prepared.tensors), type_)

  def _known_arguments(
    self, program: Program, values: dict[str, object], num_fixed: int
  ) -> dict[str, Argument] | None:
    """Returns the arguments of a mapped call, found quickly if the program had such; or None."""
    before = self._calls.find(glance_at_objects(values, (num_fixed,)), self._programs.num_promoted)
    for one in before:
      if one.program is program:
        return one.arguments
    try:
      return self._classify_rows(values, num_fixed, 1)
    except ConversionRefused:
      return None  # They are of different kinds.

  def graph_of(self, type_: PackedType) -> tf.types.experimental.ConcreteFunction:
    """Returns the graph that runs what is packed."""
    return self._programs.versions[type_.version].graphs()[type_.mapped].function

  def _type_of_packed(self, prepared: Prepared, owner: tuple[object, ...]) -> PackedType:
    """Returns what a tf.function is traced for that is given what a program is fed.

    Raises:
      ConversionRefused: If the program cannot be a part of another graph.
    """
    program = prepared.program
    if not program.is_pure:
      raise ConversionRefused.of(
        Reason.INSIDE_FUNCTION, f"{self.__name__} writes or prints: it has to be called eagerly."
      )
    if program.layout.makes_objects:
      raise ConversionRefused.of(
        Reason.INSIDE_FUNCTION, f"{self.__name__} makes objects: it has to be called eagerly."
      )
    graph = self._programs.graph(program, prepared.arguments)
    for part in _results.not_of_tensors(graph.form):
      raise ConversionRefused.of(
        Reason.INSIDE_FUNCTION,
        f"{self.__name__} returns {_forms.describe(part)}, which no graph can hold: return"
        " tensors and numbers only.",
      )
    specs = tuple(graph.keep.input_signature)
    are_rows = [a.is_mapped for a in prepared.arguments.values() for _ in a.specs()]
    rows = frozenset(i for i, is_row in enumerate(are_rows) if is_row)  # Arguments are fed first.
    # A program of a method is of its object.
    kept = _weakly(owner[0]) if owner else tuple
    return PackedType(self, kept, program.version, prepared.mapped, specs, rows)

  def _run_packed(self, owner: tuple[object, ...], packed: Packed) -> Any:
    if packed.type.function is not self:
      raise ValueError(
        f"{self.__name__}.map: these objects were packed by {packed.type.function.__name__}."
        f" Pack them with {self.__name__}.pack."
      )
    packed_for = packed.type.owner()
    if len(owner) > (packed_for != ()):
      raise ValueError(_beside_packed(self.__name__))
    if packed_for != () and not (owner and owner[0] is packed_for):
      raise ValueError(
        f"{self.__name__}.map: these objects were packed by the method of another"
        f" {type(owner[0]).__name__ if owner else 'object'}, with its attributes. Pack them with"
        " the pack of this one."
      )
    program = self._programs.versions[packed.type.version]
    graph = program.graphs()[packed.type.mapped]
    self.stats.num_converted_runs += 1
    is_eager = tf.executing_eagerly()
    *tensors, count = graph.run(packed.tensors) if is_eager else graph.function(*packed.tensors)
    return _results.as_tensors(graph.form, iter(tensors), count)

  # --- Arguments

  def _classify(self, values: dict[str, object]) -> dict[str, Argument]:
    found: dict[str, Argument] = {}
    is_first = True
    rest, keywords = self._signature.positional(), self._signature.keywords()
    for name, value in values.items():
      if name == keywords:
        found[name] = classify_keywords(value)
        continue
      if name == rest:
        found[name] = classify_positional(value, is_first)
        continue
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
    keywords = self._signature.keywords()
    for position, (name, value) in enumerate(values.items()):
      if name == keywords:
        found[name] = classify_keywords(value)
      elif num_fixed <= position < num_fixed + num_lists:
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

  # --- Calls like ones before

  def _again(self, values: dict[str, object], lists: Sequence[int]) -> Prepared | None:
    if lists:
      rows = list(values.values())[lists[0]]
      self._programs.note_rows(len(rows) if isinstance(rows, Sized) else 1)
    if self._has_keywords(values):
      return None
    before = self._calls.find(glance_at_objects(values, lists), self._programs.num_promoted)
    return self._programs.again(before, values)

  def _has_keywords(self, values: dict[str, object]) -> bool:
    """Tells whether `**keywords` got any: the type of their dict says not what they are.

    Nor does that of the tuple of `*args` which stands for the parameters of a wrapped function.
    """
    if self._signature.names() is not None:
      return False  # It has neither; this is asked in each call.
    names = self._signature.keywords(), self._signature.positional()
    return any(name is not None and bool(values.get(name)) for name in names)

  def _note(self, prepared: Prepared, values: dict[str, object]) -> None:
    if self._has_keywords(values):
      return
    lists = tuple(i for i, a in enumerate(prepared.arguments.values()) if a.is_mapped)
    glance = glance_at_objects(values, lists)
    self._calls.note(glance, self._programs.num_promoted, prepared, values)

  def _one_by_one(
    self, arguments: dict[str, Argument], values: dict[str, object]
  ) -> Callable[[], object]:
    single = {name: argument.single() for name, argument in arguments.items()}

    def calls() -> object:
      return _containers.stacked(
        [
          self._call(lambda _: single, row, functools.partial(self._call_plain, row))
          for row in rows_of_call(arguments, values)
        ]
      )

    return calls


def _beside_packed(name: str) -> str:
  """Returns what is said where arguments stand beside what `pack` gave."""
  return f"{name}: pass all arguments to pack, and to map what it gave, alone."


def _weakly(owner: object) -> Callable[[], object]:
  """Returns what finds an object without keeping it, where that can be."""
  try:
    return weakref.ref(owner)
  except TypeError:  # Its class has slots.
    return lambda: owner


class BoundRecursiveFunction(BoundDecorated):
  """A recursive method of one object."""

  _function: RecursiveFunction[..., object]
  _is_recursive_function = True

  def map(self, /, *args: object, **kwargs: object) -> Any:
    """Calls the method for each element of lists; see `RecursiveFunction.map`."""
    return self._function._map((self._owner,), args, kwargs)

  def pack(self, /, *args: object, **kwargs: object) -> Packed:
    """Reads objects into tensors; see `RecursiveFunction.pack`."""
    return self._function._pack((self._owner,), args, kwargs)

  def pack_as(self, type_: PackedType, objects: Sequence[object]) -> Packed | None:
    """Reads objects for a program that there is; see `RecursiveFunction.pack_as`."""
    return self._function.pack_as(type_, objects)

  def graph_of(self, type_: PackedType) -> tf.types.experimental.ConcreteFunction:
    """Returns the graph that runs what is packed."""
    return self._function.graph_of(type_)
