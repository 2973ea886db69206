"""Which functions do the same: those that one definition makes anew, with equal constants around.

`find(tree, lambda node: node.size > limit)` makes a function for each call. Programs that do
nothing with it but call it serve all whose code, defaults and captured variables are alike.
"""

from __future__ import annotations

import dis
import functools
import types
import weakref
from collections.abc import Set

_BY_VALUE = (type(None), bool, int, str, bytes)
_REBINDING = ("STORE_DEREF", "DELETE_DEREF")


class _One:
  """An object, equal to itself only. It may go; then this equals nothing."""

  def __init__(self, value: object):
    self._ref = weakref.ref(value)
    self._hash = id(value)

  def __eq__(self, other: object) -> bool:
    value = self._ref()
    return isinstance(other, _One) and value is not None and other._ref() is value

  def __hash__(self) -> int:
    return self._hash


def content_of(function: object) -> tuple[object, ...] | None:
  """Returns what functions that do the same have in common; None if only it does what it does.

  That is one that has attributes, rebinds variables around it, or captures a list or dict.
  """
  if type(function) is not types.FunctionType or function.__dict__ or _rebinds(function.__code__):
    return None
  try:
    captured = [cell.cell_contents for cell in function.__closure__ or ()]
  except ValueError:  # One is not bound yet.
    return None
  named = function.__kwdefaults__ or {}
  values = [*captured, *(function.__defaults__ or ()), *named.values()]
  parts = [_content_of_value(value) for value in values]
  if None in parts:
    return None
  names = function.__name__, function.__qualname__, function.__module__, tuple(named)
  around = id(function.__globals__)  # Programs keep the first.
  return (_One(function.__code__), around, names, len(captured), tuple(parts))


def copy_of(function: types.FunctionType) -> types.FunctionType:
  """Returns a function that does the same whatever becomes of the variables around this one."""
  cells = tuple(types.CellType(cell.cell_contents) for cell in function.__closure__ or ())
  found = types.FunctionType(
    function.__code__,
    function.__globals__,
    function.__name__,
    function.__defaults__,
    cells or None,
  )
  found.__kwdefaults__ = dict(function.__kwdefaults__) if function.__kwdefaults__ else None
  found.__qualname__, found.__module__ = function.__qualname__, function.__module__
  return found


def captures_any(function: types.FunctionType, variables: Set[int]) -> bool:
  """Tells whether a function reads one of some variables around it, by their cells' numbers."""
  return any(id(cell) in variables for cell in function.__closure__ or ())


def _content_of_value(value: object) -> object:
  if type(value) is float:
    return float, value.hex()  # Also 0.0 and -0.0 are two, and nan is one.
  if type(value) in _BY_VALUE:
    return type(value), value
  try:
    return _One(value)
  except TypeError:  # It cannot be referred to so.
    return None


@functools.lru_cache(maxsize=256)
def _rebinds(code: types.CodeType) -> bool:
  """Tells whether a function, or one defined in it, gives a captured variable another value."""
  inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
  return any(map(_rebinds, inner)) or any(
    step.opname in _REBINDING and step.argval in code.co_freevars
    for step in dis.get_instructions(code)
  )
