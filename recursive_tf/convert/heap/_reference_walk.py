"""The walk in plain Python: the oracle of `recursive_tf._walk`, and single reads for profiling.

`recursive_tf/_walk.pyi` says what a walk does. Here every column reads its whole path, where the
C++ walk reads what paths share only once; and no argument is checked.
"""

from __future__ import annotations

import array
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from recursive_tf._walk import Rows, Surprise
from recursive_tf.convert.values._paths import Path, Step

Column = tuple[Any, ...]

_SIZED = (list, tuple, dict, str, bytes, set, frozenset)
_COMPARABLE = (str, int, bool, float)
_PLAIN_CONTAINERS = (tuple, list, dict)
_SETS = (set, frozenset)
_NONE_HANDLE, _MISSING_HANDLE = -1, -2
_MAX_FRESH = 2**19
_STATUS_OK, _STATUS_NONE, _STATUS_MISSING = 0, 1, 2
_VALUE_TYPES = {"int": int, "bool": bool, "float": float, "str": str}


class _Missing:
  """The type of `MISSING`."""

  def __repr__(self) -> str:
    return "MISSING"


MISSING: Final = _Missing()


class UnsupportedReadError(Exception):
  """A step would have to run code that the type of `value` defines.

  Attributes:
    value: what the step was applied to.
  """

  def __init__(self, step: Step, value: object):
    super().__init__(f"step {step!r} cannot read {type(value)!r} without running its code")
    self.value = value


def evaluate(obj: object, path: Path) -> object:
  """Reads `path` from one object.

  Args:
    obj: where the first step begins.
    path: steps, as `recursive_tf/_walk.pyi` lists them.

  Returns:
    The value, or `MISSING`.

  Raises:
    UnsupportedReadError: Only code of a value's type knows what a step gives.
  """
  for step in path:
    if obj is MISSING:
      break
    obj = _apply(step, obj)
  return obj


def _apply(step: Step, value: object) -> object:
  match step:
    case ("isinstance", classes):
      return any(cls in type(value).__mro__ for cls in classes)
    case ("truth",):
      return _truth(step, value)
    case ("eq", constant):
      if type(value) in _PLAIN_CONTAINERS and type(constant) in _COMPARABLE:
        return False
      if value is not None and type(value) not in _COMPARABLE:
        if type(value).__eq__ is object.__eq__:
          return False  # It equals nothing but itself.
        raise UnsupportedReadError(step, value)
      return value == constant
    case ("lookup", table, *default):
      try:
        return table.get(value, default[0] if default else MISSING)
      except TypeError:
        return MISSING
    case ("in", container):
      try:
        return value in container
      except TypeError:
        return MISSING
    case _ if value is None:
      return MISSING
    case ("attr", name):
      try:
        return getattr(value, name)
      except AttributeError:
        return MISSING
    case ("item", key):
      return _item(step, value, key)
    case ("len",):
      return _length(step, value)
    case ("id",):
      return id(value)
    case ("children", cls):
      return _children(step, value, cls)
    case ("keys",) | ("values",):
      return _contents(step, value)
    case ("method", name, found):
      try:
        method, expected = getattr(value, name), found.__get__(value, type(value))
      except (AttributeError, TypeError):  # It has no such attribute, or is of another class.
        return MISSING
      parts = [
        getattr(method, part, MISSING) is getattr(expected, part, None)
        for part in ("__func__", "__self__")
      ]
      is_same = method == expected or all(parts)
      return True if type(method) is type(expected) and is_same else MISSING
    case ("call", name, *arguments):
      if type(value) is not str:  # Programs do this where they have found a string.
        return MISSING
      try:
        return getattr(value, name)(*arguments)
      except (TypeError, ValueError):
        return MISSING
    case ("int",) | ("float",):
      if type(value) not in _COMPARABLE or not isinstance(value, _COMPARABLE):
        raise UnsupportedReadError(step, value)
      try:
        return (int if step[0] == "int" else float)(value)
      except (ValueError, OverflowError):
        return MISSING
  raise ValueError(f"no such step: {step!r}")


def _contents(step: Step, value: object) -> object:
  if step[0] == "keys" and isinstance(value, (set, frozenset)) and type(value) in _SETS:
    return list(value)
  if dict in type(value).__mro__ and isinstance(value, dict):
    return list((dict.keys if step[0] == "keys" else dict.values)(value))
  if hasattr(value, step[0]):
    raise UnsupportedReadError(step, value)
  return MISSING


def _children(step: Step, value: object, cls: type) -> object:
  names = getattr(value, "_fields", None)
  if not isinstance(value, cls) or type(names) is not tuple:
    raise UnsupportedReadError(step, value)
  found: list[object] = []
  for name in names:
    field = getattr(value, name, None)
    if isinstance(field, list) and not isinstance(field, cls):
      if type(field) is not list:
        raise UnsupportedReadError(step, value)
      found += field
    else:
      found.append(field)
  return [one for one in found if isinstance(one, cls)]


def _item(step: Step, value: object, key: object) -> object:
  bases = type(value).__mro__
  if type(value) is str and not isinstance(key, slice):
    if isinstance(key, int) and -len(value) <= key < len(value):
      return value[key]
    return MISSING
  if (list in bases or tuple in bases) and isinstance(value, (list, tuple)):
    if not isinstance(key, int):
      if hasattr(key, "__index__") or isinstance(key, slice):
        raise UnsupportedReadError(step, value)
      return MISSING
    try:
      if isinstance(value, list):
        return list.__getitem__(value, key)
      return tuple.__getitem__(value, key)
    except IndexError:
      return MISSING
  if dict in bases and isinstance(value, dict):
    try:
      found = dict.get(value, key, MISSING)
    except TypeError:
      return MISSING
    if found is MISSING and hasattr(type(value), "__missing__"):
      raise UnsupportedReadError(step, value)
    return found
  if type in bases or hasattr(type(value), "__getitem__"):
    raise UnsupportedReadError(step, value)
  return MISSING


def _builtin_size(value: Any) -> int | None:
  for cls in _SIZED:
    if cls in type(value).__mro__:
      return cls.__len__(value)
  return None


def _length(step: Step, value: object) -> object:
  size = _builtin_size(value)
  if size is not None:
    return size
  if hasattr(type(value), "__len__"):
    raise UnsupportedReadError(step, value)
  return MISSING


def _truth(step: Step, value: object) -> bool:
  if value is None or type(value) in (bool, int, float):
    return bool(value)
  size = _builtin_size(value)
  if hasattr(type(value), "__bool__") or (size is None and hasattr(type(value), "__len__")):
    raise UnsupportedReadError(step, value)
  return size != 0


class _SurprisedError(Exception):
  """Carries a surprise out of the walk."""

  def __init__(self, reason: str, value: object, element: Path = ()):
    super().__init__(reason)
    self.reason, self.value, self.element = reason, value, element


@dataclasses.dataclass
class _Tables:
  """What one walk collects; attributes as `Rows` has them, but in Python's lists."""

  strings: list[list[str]]
  tensors: list[list[object]]
  ints: list[list[int]] = dataclasses.field(default_factory=list)
  floats: list[list[float]] = dataclasses.field(default_factory=list)
  items: list[int] = dataclasses.field(default_factory=list)
  objects: list[object] = dataclasses.field(default_factory=list)
  roots: list[int] = dataclasses.field(default_factory=list)
  row_of: dict[int, int] = dataclasses.field(default_factory=dict)
  agenda: list[int] = dataclasses.field(default_factory=list)
  num_fresh: int = 0


def _check_type(value: object, classes: tuple[type, ...], may_be_missing: bool) -> None:
  if value is MISSING:
    if not may_be_missing:
      raise _SurprisedError("missing", None)
  elif type(value) not in classes:
    raise _SurprisedError("none" if value is None else "kind", value)


def _elements(value: object) -> Iterator[object] | None:
  """Returns the elements of a list or tuple, whatever its class says of them; None of all else."""
  bases = type(value).__mro__
  if list in bases and isinstance(value, list):
    return list.__iter__(value)
  return tuple.__iter__(value) if tuple in bases and isinstance(value, tuple) else None


def _check_item_types(value: object, classes: tuple[type, ...]) -> None:
  for place, element in enumerate(_elements(value) or ()):
    if type(element) not in classes:
      raise _SurprisedError("kind", element, (("item", place),))


class ReferenceWalker:
  """`recursive_tf._walk.Walker`, in Python."""

  def __init__(
    self,
    types: Sequence[tuple[type, Sequence[Column]]],
    num_int_columns: int,
    num_float_columns: int,
    num_string_columns: int,
    num_tensor_columns: int,
  ):
    self._columns = dict(types)
    self._num_floats = num_float_columns
    self._num_strings = num_string_columns
    self._num_tensors = num_tensor_columns
    self._default_ints = [0] * num_int_columns
    for _, columns in types:
      for kind, index, _, *more in columns:
        if kind == "handle":
          self._default_ints[index] = _MISSING_HANDLE
        elif kind == "items":
          self._default_ints[index + 1] = _MISSING_HANDLE
        elif kind.startswith("tensor"):
          self._default_ints[more[0]] = -1
        if kind.endswith("?") and kind != "types?":
          self._default_ints[more[-1]] = _STATUS_MISSING

  def walk(self, roots: Sequence[object]) -> Rows | Surprise:
    """Visits what is reachable from the roots and fills the columns."""
    tables = _Tables(
      strings=[[] for _ in range(self._num_strings)],
      tensors=[[] for _ in range(self._num_tensors)],
    )
    for root in roots:
      try:
        tables.roots.append(self._add(tables, root))
      except _SurprisedError as surprised:
        return Surprise((surprised.reason, None, (), -1, surprised.value))
      while tables.agenda:
        surprise = self._visit(tables, tables.agenda.pop())
        if surprise is not None:
          return surprise
    return Rows(
      (
        bytearray(array.array("i", [cell for row in tables.ints for cell in row])),
        bytearray(array.array("d", [cell for row in tables.floats for cell in row])),
        tables.strings,
        tables.tensors,
        bytearray(array.array("i", tables.items)),
        tables.objects,
        bytearray(array.array("i", tables.roots)),
      )
    )

  def _add(self, tables: _Tables, value: object) -> int:
    if value is None:
      return _NONE_HANDLE
    if type(value) not in self._columns:
      raise _SurprisedError("type", value)
    row = tables.row_of.setdefault(id(value), len(tables.objects))
    if row == len(tables.objects):
      tables.objects.append(value)
      tables.agenda.append(row)
      tables.ints.append(list(self._default_ints))
      tables.floats.append([0.0] * self._num_floats)
      for strings in tables.strings:
        strings.append("")
    return row

  def _visit(self, tables: _Tables, row: int) -> Surprise | None:
    obj = tables.objects[row]
    for place, column in enumerate(self._columns[type(obj)]):
      path = column[2]
      try:
        value = evaluate(obj, path)
        is_fresh = column[0] == "handle" and sys.getrefcount(value) == 2  # Ours and the argument.
        self._fill(tables, row, column, value)
        tables.num_fresh += is_fresh
        if tables.num_fresh > _MAX_FRESH:
          raise _SurprisedError("fresh", value)
      except UnsupportedReadError as error:
        return Surprise(("unsupported", obj, path, place, error.value))
      except _SurprisedError as surprised:
        path += surprised.element
        return Surprise((surprised.reason, obj, path, place, surprised.value))
    return None

  def _fill(self, tables: _Tables, row: int, column: Column, value: object) -> None:
    kind, index, _, *more = column
    ints = tables.ints[row]
    if kind == "handle":
      ints[index] = _MISSING_HANDLE if value is MISSING else self._add(tables, value)
    elif kind == "items":
      ints[index : index + 2] = self._add_items(tables, value)
    elif kind in ("types", "types?"):
      (types,) = more
      _check_type(value, types, may_be_missing=kind == "types?")
    elif kind == "item types":
      _check_item_types(value, *more)
    elif value is MISSING or value is None:
      if not kind.endswith("?"):
        raise _SurprisedError("missing" if value is MISSING else "none", None)
      ints[more[-1]] = _STATUS_MISSING if value is MISSING else _STATUS_NONE
    else:
      if kind.endswith("?"):
        ints[more[-1]] = _STATUS_OK
      self._fill_value(tables, row, (kind.rstrip("?"), index, *more), value)

  def _fill_value(self, tables: _Tables, row: int, column: Column, value: object) -> None:
    kind, index, *more = column
    if kind in _VALUE_TYPES and type(value) is not _VALUE_TYPES[kind]:
      raise _SurprisedError("kind", value)
    if kind == "tensor":
      distinct = tables.tensors[index]
      places = [i for i, other in enumerate(distinct) if other is value]
      if not places:
        distinct.append(value)
      tables.ints[row][more[0]] = places[0] if places else len(distinct) - 1
    elif kind == "float" and isinstance(value, float):
      tables.floats[row][index] = value
    elif kind == "str" and isinstance(value, str):
      tables.strings[index][row] = value
    else:
      assert isinstance(value, int)
      if not -(2**31) <= value < 2**31:
        raise _SurprisedError("range", value)
      tables.ints[row][index] = int(value)

  def _add_items(self, tables: _Tables, value: object) -> tuple[int, int]:
    if value is MISSING or value is None:
      return 0, (_MISSING_HANDLE if value is MISSING else _NONE_HANDLE)
    elements = _elements(value)
    if elements is None:
      raise _SurprisedError("kind", value)
    start = len(tables.items)
    for place, element in enumerate(elements):
      try:
        tables.items.append(self._add(tables, element))
      except _SurprisedError as surprised:
        raise _SurprisedError("type", element, (("item", place),)) from surprised
    return start, len(tables.items) - start
