"""Errors that handlers of signals raise: a timeout of the user's may come anywhere."""

from __future__ import annotations

import signal
from types import CodeType

from recursive_tf.convert._refusal import ConversionRefused


def let_out(error: BaseException) -> None:
  """Raises what a handler of a signal has raised, if that is behind an error."""
  interruption = _raised_by_handler(error)
  if interruption is not None:
    raise interruption from None


def _raised_by_handler(error: BaseException | None) -> BaseException | None:
  """Returns the error behind an error that a handler of a signal raised; None if there is none.

  `signal.alarm` and the like run a function of the user's between any two steps of ours. What it
  raises is no error of the step that it happens to interrupt.
  """
  if isinstance(error, ConversionRefused) and error.__context__ is None:
    return None  # One that is known from before: each such call asks.
  codes = _codes_of_handlers()
  seen: set[int] = set()
  while codes and error is not None and id(error) not in seen:
    seen.add(id(error))
    trace = error.__traceback__
    while trace is not None:
      if trace.tb_frame.f_code in codes:
        return error
      trace = trace.tb_next
    error = error.__cause__ or error.__context__
  return None


def _codes_of_handlers() -> set[CodeType]:
  """Returns the code of the handlers that are set now and written in Python."""
  found = set()
  for number in signal.valid_signals():
    handler: object = signal.getsignal(number)
    while hasattr(handler, "func"):  # A functools.partial.
      handler = handler.func
    for function in (handler, getattr(type(handler), "__dict__", {}).get("__call__")):
      code = getattr(function, "__code__", None)
      if isinstance(code, CodeType):
        found.add(code)
  return found
