"""A converted program: what it is fed, its graphs, and how a call runs it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf import _walk
from recursive_tf.convert import _forms, _results
from recursive_tf.convert._arguments import (
  Argument,
  objects_of,
  tensors_of,
)
from recursive_tf.convert._columns import Column, Columns
from recursive_tf.convert._conversion import Conversion, Sources
from recursive_tf.convert._frame import NONE
from recursive_tf.convert._inputs import Layout
from recursive_tf.convert._loops import Mapped
from recursive_tf.convert._profile import Profile
from recursive_tf.convert._source import FunctionSource
from recursive_tf.convert._values import Rows


class Outdated(Exception):  # noqa: N818 - control flow, never reaches the user
  """An assumption of the program does not hold any more.

  Attributes:
    objects: those that broke it, to learn from.
  """

  objects: Sequence[Any] = ()


@dataclasses.dataclass
class _Graph:
  """One graph: of a single call, or of a mapped one.

  Attributes:
    function: takes and returns flat lists of tensors.
    form: what it returns, of one row.
    keep: the tf.function behind it.
  """

  function: Callable[..., Any]
  form: Any
  keep: Any


class Program:
  """One conversion of a function for one kind of arguments. Not thread-safe.

  Attributes:
    version: tells the programs of one function apart.
    walk_seconds, walked_objects: what the walks took, and the objects they visited.
    effects: what it writes and prints.
  """

  def __init__(
    self,
    version: int,
    source: FunctionSource,
    arguments: dict[str, Argument],
    profile: Profile,
    sources: Sources,
    changing: dict[Any, Any],
    roots: Sequence[Any],
    root_types: frozenset[type],
  ):
    """Converts the function.

    Raises:
      ConversionRefused: If it cannot be converted.
    """
    self.version = version
    self.walk_seconds = 0.0
    self.walked_objects = 0
    self._source = source
    self._arguments = {
      name: dataclasses.replace(argument, is_mapped=False)
      for name, argument in arguments.items()
    }
    self._root_types = root_types | {type(root) for root in roots}
    self.conversion = Conversion(profile, sources, changing)
    profile.begin(roots)
    try:
      self.conversion.settle(lambda ip: self._enter(ip, self._arguments))
    finally:
      profile.end()
    layout = self.conversion.layout
    layout.arguments = [s for argument in self._arguments.values() for s in argument.specs()]
    self.layout: Layout = layout
    self.effects = self.conversion.effects
    self.guards = self.conversion.guards
    self._walker = _make_walker(layout.columns, profile, self._root_types, layout)
    self._graphs: dict[bool, _Graph] = {}
    self.result_form = self._result_form()

  def _result_form(self) -> Any:
    node = self._source.node
    return next(i.result for i in self.conversion.instances.values() if i.node is node)

  @property
  def num_graphs(self) -> int:
    """The graphs made so far."""
    return len(self._graphs)

  def _enter(self, ip: Any, arguments: dict[str, Argument], length: Any = None) -> Any:
    """Makes the call of the entry function."""
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
      form = argument.form(self._root_types)
      if argument.is_mapped:
        if length is None:
          length = tf.shape(tensors[0])[0]
        names[name] = Mapped(Rows(length, tuple(tensors), form))
      else:
        names[name] = ip.frame.adopt(_forms.unflatten(form, iter(tensors)))
    found = self.conversion.call_instance(
      ip, self._source.function, self._source, self._source.node, None, names
    )
    return found

  def graphs(self) -> dict[bool, _Graph]:
    """Returns the graphs made so far, by whether they are mapped."""
    return self._graphs

  def graph(self, arguments: dict[str, Argument]) -> _Graph:
    """Returns the graph for arguments of which some are mapped, or none."""
    is_mapped = any(argument.is_mapped for argument in arguments.values())
    if is_mapped not in self._graphs:
      self._graphs[is_mapped] = self._make_graph(arguments, is_mapped)
    return self._graphs[is_mapped]

  def _make_graph(self, arguments: dict[str, Argument], is_mapped: bool) -> _Graph:
    specs = self.layout.specs(False)
    specs["arguments"] = [
      tf.TensorSpec(
        (tf.TensorShape([None]) if argument.is_mapped else tf.TensorShape([])).concatenate(s.shape),
        s.dtype,
      )
      for argument in arguments.values()
      for s in argument.specs()
    ]
    forms = []

    def run(*tensors: tf.Tensor) -> list[tf.Tensor]:
      fed = tf.nest.pack_sequence_as(specs, tensors)
      found = self.conversion.build(fed, lambda ip: self._enter(ip, arguments))
      if is_mapped:
        assert isinstance(found, Rows)  # An argument is mapped.
        forms[:] = [found.form]
        return list(found.tensors)
      frame = _Reader()
      form = self.result_form
      forms[:] = [form]
      return _forms.flatten(found, form, frame)  # type: ignore[arg-type]

    function = tf.function(run, input_signature=tf.nest.flatten(specs), autograph=False)
    return _Graph(function.get_concrete_function(), forms[0], function)

  # --- Running

  def feed(
    self, arguments: dict[str, Argument], values: dict[str, Any]
  ) -> tuple[list[Any], Sequence[Any]]:
    """Reads the objects; returns what to feed, and the objects by handle.

    Raises:
      Outdated: If an assumption does not hold.
    """
    roots = [
      obj for name, argument in arguments.items() for obj in objects_of(argument, values[name])
    ]
    constants = list(self.layout.constants.values())
    start = time.perf_counter()
    found = self._walker.walk([*roots, *constants])
    self.walk_seconds += time.perf_counter() - start
    if isinstance(found, _walk.Surprise):
      error = Outdated()
      error.objects = [*roots, found.object, found.value]
      raise error
    self.walked_objects += len(found.objects)
    handles = np.frombuffer(found.roots, np.int32)
    columns = self.layout.columns
    fed: dict[str, Any] = {}
    if columns.num_ints:
      fed["ints"] = np.frombuffer(found.ints, np.int32).reshape(-1, columns.num_ints)
    if columns.num_floats:
      fed["floats"] = np.frombuffer(found.floats, np.float64).reshape(-1, columns.num_floats)
    if columns.uses_items:
      fed["items"] = np.frombuffer(found.items, np.int32)
    if constants:
      fed["constants"] = handles[len(roots) :]
    fed["strings"] = [tf.constant(strings, tf.string) for strings in found.strings]
    fed["arrays"] = [
      _stack(column, arrays) for column, arrays in zip(columns.tensors, found.tensors, strict=True)
    ]
    fed["changing"] = [_read(changing) for changing in self.layout.changing.values()]
    numbers = iter(handles.tolist())
    fed["arguments"] = [
      tensor
      for name, argument in arguments.items()
      for tensor in tensors_of(argument, values[name], numbers)
    ]
    return [_as_tensor(value) for value in tf.nest.flatten(fed)], found.objects

  def check_guards(self) -> list[Any]:
    """Returns the places outside of the objects that changed; see `Guards.changed`."""
    return self.guards.changed()

  def finish(
    self, graph: _Graph, tensors: Sequence[tf.Tensor], objects: Sequence[Any], count: int | None
  ) -> Any:
    """Returns the result of a run as plain Python would."""

    def object_of(handle: int) -> Any:
      return None if handle == NONE else objects[handle]

    if count is None:
      return _results.rebuild(graph.form, iter(tensors), object_of)
    return _results.rebuild_rows(graph.form, iter(tensors), object_of, count)


class _Reader:
  """What `flatten` asks of a frame, where all is resolved."""

  def resolve(self, value: Any) -> Any:
    """Returns the value."""
    return value

  def base(self, value: Any) -> Any:
    """Returns the object behind a read without a path."""
    return value.base

  def tensor(self, value: Any) -> Any:
    """Returns the tensor."""
    return value


def _as_tensor(value: Any) -> Any:
  return value if isinstance(value, tf.Tensor) else tf.convert_to_tensor(value)


def _read(changing: Any) -> Any:
  value = changing.read()
  now = np.asarray(value) if isinstance(value, np.ndarray) else value
  shape_ok = not hasattr(now, "shape") or changing.spec.shape.is_compatible_with(now.shape)
  if type(value) is not type(changing.example) or not shape_ok:
    raise Outdated
  if isinstance(value, (tf.Tensor, np.ndarray)):
    return tf.convert_to_tensor(value)
  return np.asarray(value, changing.spec.dtype.as_numpy_dtype)


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
    if not arrays:
      return (tf.zeros([0, *spec.shape], spec.dtype),)
    return (np.stack(arrays) if isinstance(arrays[0], np.ndarray) else tf.stack(arrays),)
  rank = spec.shape.rank
  if rank is None:
    raise Outdated
  shapes = np.array([tuple(array.shape) for array in arrays], np.int32).reshape(-1, rank)
  sizes = shapes.prod(axis=1, dtype=np.int64)
  starts = (np.cumsum(sizes) - sizes).astype(np.int32)
  flat = [tf.reshape(array, [-1]) for array in arrays]
  values = tf.concat(flat, 0) if flat else tf.zeros([0], spec.dtype)
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
    entry = (column.kind, column.index, column.path, *more)
    for type_ in column.types:
      types.setdefault(type_, []).append(entry)
  types.pop(type(None), None)
  return _walk.Walker(
    list(types.items()),
    columns.num_ints,
    columns.num_floats,
    columns.num_strings,
    len(columns.tensors),
  )


def rows_of_call(arguments: dict[str, Argument], values: dict[str, Any]) -> Iterator[dict[str, Any]]:
  """Yields the arguments of each row of a mapped call."""
  mapped = [name for name, argument in arguments.items() if argument.is_mapped]
  for position in range(len(values[mapped[0]])):
    yield {
      name: value[position] if name in mapped else value for name, value in values.items()
    }

