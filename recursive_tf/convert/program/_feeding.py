"""What a run is fed: the user's objects as columns, the arguments, and what is read anew."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf import _walk
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.effects._places import (
  DICT,
  LIST,
  VARIABLE,
  Place,
  first_content,
  value_of_variable,
)
from recursive_tf.convert.frame._inputs import ChangingInput, Layout
from recursive_tf.convert.heap._columns import Column, Columns, path_text
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.program._arguments import (
  CONTAINER,
  OBJECT,
  Argument,
  objects_of,
  tensors_of,
)
from recursive_tf.convert.program._conversion import Conversion
from recursive_tf.convert.program._distinct import Distinct
from recursive_tf.convert.program._given import Given, number_as_tensor
from recursive_tf.convert.program._made import Objects, new_table
from recursive_tf.convert.program._stats import Stats
from recursive_tf.convert.values import _encode, _forms
from recursive_tf.convert.values._abstract import plain_path


class Outdated(Exception):  # noqa: N818 - control flow, never reaches the user
  """An assumption of the program does not hold any more.

  Attributes:
    objects: those that broke it, to learn from.
    what: the assumption, in words.
    found: the read that broke it, if it was one of an object.
    is_outside: whether it is of something that is not passed in, nor found in what is.
  """

  def __init__(
    self,
    objects: Sequence[object] = (),
    what: str = "types, shapes and sizes of what is read anew for each run",
    found: _walk.Surprise | None = None,
    is_outside: bool = False,
  ):
    super().__init__(what)
    self.objects = objects
    self.what = what
    self.found = found
    self.is_outside = is_outside


class Feeder:
  """Reads what a run of one program is fed. Not thread-safe."""

  def __init__(
    self,
    conversion: Conversion,
    arguments: dict[str, Argument],
    root_types: dict[str, frozenset[type]],
    profile: Profile,
  ):
    """Makes the walker.

    Args:
      conversion: of the program, which has settled.
      arguments: of a single call.
      root_types: the types that objects given as arguments can have, by argument.
      profile: what is known of the user's objects.
    """
    self._layout = conversion.layout
    self._met_types = conversion.made_kinds.types
    self._state = [conversion.effects.places[key] for key in self._layout.state]
    self._constants = list(self._layout.constants.values())
    self._changing = list(self._layout.changing.values())
    self._is_step = conversion.is_step
    self._root_types = root_types
    all_types = frozenset[type]().union(*root_types.values())
    self._all_root_types = all_types | profile.root_types | {type(None)}
    self._walker = _make_walker(self._layout.columns, profile, all_types, self._layout)
    self._given = Given(arguments)
    self._distinct = Distinct(arguments, conversion, self._given)
    self._refusal: ConversionRefused | None = None  # Of the walk.
    self._reads_nothing = (
      conversion.is_step
      and not (self._layout.columns.all or self._layout.constants or self._layout.state)
      and not self._layout.makes_objects
      and all(map(_is_of_tensors, arguments.values()))
    )

  def feed(
    self, arguments: dict[str, Argument], values: dict[str, object], stats: Stats
  ) -> tuple[list[object], Sequence[object]]:
    """Reads the objects; returns what to feed, and the objects by handle.

    Args:
      arguments: of the call, as the program takes them.
      values: theirs.
      stats: counts the objects that are read, and the time of that.

    Raises:
      Outdated: If an assumption does not hold.
      ConversionRefused: If the objects have no end.
    """
    if self._refusal is not None:
      raise self._refusal.again()
    if self._reads_nothing:
      return self._feed_arguments(values), ()
    roots, is_known = self._roots(arguments, values)
    state: list[object] = []
    containers: list[object] = []
    if self._state:
      state, containers = self._begin(roots)
      is_known = is_known and {*map(type, roots)} <= self._all_root_types
    if not is_known:
      raise Outdated(roots, "the classes of the objects that are passed in")
    found = self._read_objects(roots, stats)
    self._distinct.check_containers(values, containers, found.objects)
    changing = [one.read() for one in self._changing]
    arrays = [
      tensor
      for column, objects in zip(self._layout.columns.tensors, found.tensors, strict=True)
      for tensor in _stack(column, objects)
    ]
    changed = list(map(_changed, self._changing, changing))
    handles = memoryview(found.roots).cast("i")
    numbers = iter(handles)
    try:
      # As `tf.nest.flatten` gives `Layout.specs`, by name: that takes longer than all else here.
      leaves = [
        tensor
        for name, argument in arguments.items()
        for tensor in tensors_of(argument, values[name], numbers)
      ]
      begun = [
        place.form.encode(value, numbers) for place, value in zip(self._state, state, strict=True)
      ]
    except _forms.DoesNotFit:
      raise Outdated from None
    if self._is_step:
      variables = [
        tensor
        for place, tensors in zip(self._state, begun, strict=True)
        if place.kind == VARIABLE
        for tensor in tensors
      ]
      self._distinct.check_tensors(values, [changing, variables, *found.tensors])
    leaves += arrays + changed
    if self._constants:
      leaves.append(tfi.tensor_of(np.array(handles[len(roots) :], np.int32)))
    leaves += self._numbers(found)
    objects: Sequence[object] = found.objects
    if self._layout.makes_objects:
      objects = Objects(objects)
      objects.table = new_table()
      leaves.append(objects.table)
    for tensors in begun:
      leaves += tensors
    for strings in found.strings:
      # Where there is no object one is read in the place of None's.
      leaves.append(_encode.strings(strings or [""]))
    return list(map(_as_tensor, leaves)), objects

  def _feed_arguments(self, values: dict[str, object]) -> list[object]:
    """Returns what to feed where no objects are read; as `feed`."""
    self._distinct.check_containers(values, [], ())
    changing = [one.read() for one in self._changing]
    try:
      leaves = self._given.leaves(values)
    except _forms.DoesNotFit:
      raise Outdated from None
    if changing:
      leaves += map(_changed, self._changing, changing)
    self._distinct.check_tensors(values, [changing])
    return [*map(_as_tensor, leaves), _no_ints(0)]

  def _roots(
    self, arguments: dict[str, Argument], values: dict[str, object]
  ) -> tuple[list[object], bool]:
    """Returns the objects passed in, and whether the program knows their classes."""
    roots: list[object] = []
    is_known = True
    try:
      for name, argument in arguments.items():
        own = [*objects_of(argument, values[name])]
        is_known = is_known and {*map(type, own)} <= self._root_types[name]
        roots += own
    except _forms.DoesNotFit:
      raise Outdated from None
    return roots, is_known

  def _begin(self, roots: list[object]) -> tuple[list[object], list[object]]:
    """Returns what places hold as a run begins, and the lists and dicts in it that are taken apart.

    Args:
      roots: the objects in them are added here.
    """
    containers: list[object] = []
    try:
      state = [initial_value(place) for place in self._state]
      for place, value in zip(self._state, state, strict=True):
        roots += place.form.objects_in(value)
        if not {*map(type, place.form.met_in(value))} <= self._met_types:
          what = "the classes of the objects that are known by numbers"
          raise Outdated([*place.form.met_in(value)], what, is_outside=True)
        if place.kind == VARIABLE:
          containers += _encode.containers_in(place.form, value)
        if place.kind == DICT and _forms.has_containers_in_rows(place.form):
          _check_no_containers(place, value)
    except (_forms.DoesNotFit, TypeError, ValueError):
      raise Outdated from None
    return state, containers

  def _read_objects(self, roots: list[object], stats: Stats) -> _walk.Rows:
    """Reads all objects that the program may reach from these."""
    start = time.perf_counter()
    try:
      found = self._walker.walk([*roots, *self._constants])
    except OverflowError as too_many:
      raise ConversionRefused.of(Reason.TOO_LARGE, str(too_many)) from None
    stats.walk_seconds += time.perf_counter() - start
    if isinstance(found, _walk.Surprise) and found.reason == "fresh":
      self._refusal = ConversionRefused.of(
        Reason.TOO_LARGE,
        f"Reading {path_text(found.path)} gives new objects each time, without end.",
      )
      raise self._refusal
    if isinstance(found, _walk.Surprise):
      raise Outdated(
        [*roots, found.object, found.value],
        f"what {path_text(found.path)} is: type, range, shape",
        found,
        is_outside=any(found.object is one for one in self._constants),
      )
    stats.walked_objects += len(found.objects)
    return found

  def _numbers(self, found: _walk.Rows) -> list[object]:
    """Returns the numbers that a walk has read, as what is fed of them: floats, ints, items."""
    columns = self._layout.columns
    fed: list[object] = []
    if columns.num_floats:
      fed.append(_rows_of(found.floats, np.float64, columns.num_floats))
    if columns.num_ints:
      fed.append(_rows_of(found.ints, np.int32, columns.num_ints))
    else:
      fed.append(_no_ints(len(found.objects)))
    if columns.uses_items:
      fed.append(tfi.tensor_of(np.frombuffer(found.items, np.int32)))
    return fed


def _is_of_tensors(argument: Argument) -> bool:
  """Tells whether there is no object in an argument, to be read by the program."""
  return argument.kind not in (OBJECT, CONTAINER) and all(map(_is_of_tensors, argument.parts))


def _check_no_containers(place: Place, pairs: object) -> None:
  """Raises where a dict holds lists or dicts that the run would know by their parts.

  All items are put back when it is over: these would be replaced by new ones.

  Raises:
    Outdated: If there is one.
  """
  found = [one for one in _encode.containers_in(place.form, pairs) if one is not pairs]
  if found:
    what = "the lists and dicts in a dict that changes, which were there before"
    raise Outdated(found, what, is_outside=True)


def initial_value(place: Place) -> object:
  """Returns what a place holds as a run begins."""
  if place.kind in (LIST, DICT):
    return first_content(place)
  try:
    return value_of_variable(place.owner, place.name)
  except (AttributeError, ValueError):
    if place.is_absent_at_first:
      return None
    raise _forms.DoesNotFit from None


def _rows_of(read: bytearray, dtype: type[np.number], num_columns: int) -> tf.Tensor:
  """Returns a row for each object; where there is none, one that is read in the place of None's."""
  numbers = np.frombuffer(read, dtype)
  if not numbers.size:
    return tfi.tensor_of(np.zeros([1, num_columns], dtype))
  return tfi.tensor_of(numbers.reshape(-1, num_columns))


def _no_ints(num_objects: int) -> object:
  """Returns what says only how many objects there are."""
  if tf.executing_eagerly():
    return _kept_no_ints(num_objects)
  return np.zeros([num_objects, 0], np.int32)


@functools.lru_cache(maxsize=64)
def _kept_no_ints(num_objects: int) -> tf.Tensor:
  return tfi.tensor_of(np.zeros([num_objects, 0], np.int32))


def _as_tensor(value: object) -> object:
  return value if isinstance(value, tf.Tensor) else tf.constant(value)


def _changed(changing: ChangingInput, value: object) -> object:
  """Returns the tensor of a value that is read anew for each run."""
  now = np.asarray(value) if isinstance(value, np.ndarray) else value
  shape_ok = not hasattr(now, "shape") or changing.spec.shape.is_compatible_with(now.shape)
  dtype_ok = not hasattr(now, "dtype") or changing.spec.dtype == now.dtype
  if type(value) is not type(changing.example) or not shape_ok or not dtype_ok:
    raise Outdated(is_outside=True)
  if isinstance(value, (tf.Tensor, np.ndarray)):
    return tf.convert_to_tensor(value)
  return number_as_tensor(value, changing.spec.dtype, "A variable")


def _stack(column: Column, arrays: list[tf.Tensor]) -> tuple[object, ...]:
  """Returns the tensors to feed for a column's different arrays."""
  spec = column.spec
  assert spec is not None  # A tensor column.
  for array in arrays:
    # The walk takes anything here: what has no type is no tensor at all.
    dtype = getattr(array, "dtype", None)
    wrong_type = dtype is None or tf.as_dtype(dtype) != spec.dtype
    if wrong_type or not spec.shape.is_compatible_with(array.shape):
      raise Outdated([array])
  if spec.shape.is_fully_defined():
    if not arrays:  # There is always one, which may be read where there is None.
      return (tf.zeros([1, *spec.shape], spec.dtype),)
    is_numpy = all(isinstance(array, (np.ndarray, np.generic)) for array in arrays)
    return (np.stack(arrays) if is_numpy else tf.stack(arrays),)
  rank = spec.shape.rank
  arrays = arrays or [tf.zeros([size or 0 for size in spec.shape] if rank else [], spec.dtype)]
  sizes = np.array([np.prod(array.shape, dtype=np.int64) for array in arrays])
  starts = (np.cumsum(sizes) - sizes).astype(np.int32)
  values = tf.concat([tf.reshape(array, [-1]) for array in arrays], 0)
  if rank is not None:
    return values, starts, np.array([tuple(a.shape) for a in arrays], np.int32).reshape(-1, rank)
  shapes = np.array([size for array in arrays for size in array.shape], np.int32)
  ranks = np.array([len(array.shape) for array in arrays], np.int32)
  return values, starts, shapes, np.stack([np.cumsum(ranks) - ranks, ranks], 1).astype(np.int32)


def _in_order(entries: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
  """Returns the columns of a type in the order in which the walk takes them.

  What a value is is checked before its attributes are read: objects of a class that is not known
  there may have code for an attribute, which no walk runs. Other checks follow the column of the
  same value, of which the walk makes them a part.
  """
  paths = [path for _, _, path, *_ in entries]
  steps = [path for path in paths if isinstance(path, tuple)]
  begun = [path[:i] for path in steps for i, step in enumerate(path) if step[0] == "attr"]
  checks = "types", "types?"

  def place(entry: tuple[object, ...]) -> tuple[bool, int]:
    return entry[0] not in checks or entry[2] not in begun, paths.index(entry[2])

  return sorted(entries, key=place)


def _make_walker(
  columns: Columns, profile: Profile, root_types: frozenset[type], layout: Layout
) -> _walk.Walker:
  """Makes the walker for the columns; types without any column still get a row."""
  types: dict[type, list[tuple[object, ...]]] = {type_: [] for type_ in root_types}
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
    [(type_, _in_order(entries)) for type_, entries in types.items()],
    columns.num_ints,
    columns.num_floats,
    columns.num_strings,
    len(columns.tensors),
  )
