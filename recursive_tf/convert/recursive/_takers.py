"""What becomes of a call's result: whether the caller takes all its elements at once.

A generator that `list(f(x))` goes over at once can as well make all its elements when it is called:
nothing else happens between them, and nobody else has it. The instructions behind the call say so.
"""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import sys
import types

_TAKERS = (list, tuple, sorted)  # What they do with the elements comes after the last one.
_CALLS = ("CALL", "CALL_FUNCTION_EX", "CALL_KW", "PRECALL")
_BETWEEN = ("CACHE", "NOP", "PRECALL")
_NAMES = ("LOAD_GLOBAL", "LOAD_NAME")
_OF_OWNERS = ("LOAD_ATTR", "LOAD_METHOD")  # It is a method that is called.
_DISPLAY = "[*]"


def takes_all_at_once(caller: types.FrameType) -> bool:
  """Tells whether a frame takes all elements of what it calls now, and does nothing else with it.

  Args:
    caller: the frame, in the call.
  """
  if sys.version_info < (3, 11):  # Instructions do not say which part of a line they are of.
    return False
  name = _taker(caller.f_code, caller.f_lasti)
  if name is None or name == _DISPLAY:
    return name is not None
  is_function = caller.f_code.co_flags & inspect.CO_OPTIMIZED  # Its locals are not read by name.
  own = {} if is_function else caller.f_locals
  for names in (own, caller.f_globals, vars(builtins)):
    if name in names:
      return any(names[name] is taker for taker in _TAKERS)
  return False


@functools.lru_cache(maxsize=512)
def _taker(code: types.CodeType, position: int) -> str | None:
  """Returns the name of what is called with nothing but a call's result, if anything is."""
  instructions = list(dis.get_instructions(code))
  behind = [one for one in instructions if one.offset >= position]
  if not behind or behind[0].opname not in _CALLS:
    return None
  if behind[0].opname == "PRECALL":
    behind = behind[1:]
  following = next((one for one in behind[1:] if one.opname not in _BETWEEN), None)
  if following is None:
    return None
  if following.opname == "LIST_EXTEND" and following.arg == 1:
    return _DISPLAY
  if following.opname != "CALL" or following.arg != 1:
    return None
  before = [one for one in instructions if one.offset < position and one.opname not in _BETWEEN]
  for one, then in zip(reversed(before[:-1]), reversed(before), strict=False):
    if one.opname in _NAMES and _start(one) == _start(following) is not None:
      return None if then.opname in _OF_OWNERS else str(one.argval)
  return None


def _start(instruction: dis.Instruction) -> tuple[int, int] | None:
  """Returns where the expression of an instruction begins."""
  place = getattr(instruction, "positions", None)
  if place is None or place.lineno is None or place.col_offset is None:
    return None
  return place.lineno, place.col_offset
