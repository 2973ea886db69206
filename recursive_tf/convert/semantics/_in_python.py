"""Runs Python that stands for what a library does: the functions of `_written.py`."""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterator

from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values._abstract import Scope


def run_written(ip: Host, function: Callable[..., object], /, **names: object) -> object:
  """Runs one of `_written` on abstract values; refusals name the user's line, not its.

  It is no call of the program's: two of them, one in the other, are no recursion.
  """
  source = ip.conversion.source(function)
  with naming_callers_line(ip, source):
    return ip.run(source.node, ip.frame.new(Scope(dict(names), None, source)))


@contextlib.contextmanager
def naming_callers_line(ip: Host, source: FunctionSource) -> Iterator[None]:
  """Lets refusals name the line that calls a function of ours, also those of its loops."""
  try:
    yield
  except ConversionRefused as refusal:
    is_within = refusal.origin is not None and refusal.origin.file == source.filename
    if source.is_users or not is_within:
      raise
    raise ip.frame.refuse(refusal.reason, refusal.explanation) from None


def called(
  ip: Host, stand_in: Callable[[str, object, object], object], how: str, one: object, other: object
) -> object:
  """Calls what stands for a piece of the interpreter as a function that may call itself.

  Args:
    ip: the interpreter.
    stand_in: what the interpreter does in its place is told by `builtins/_table.py`.
    how: its first argument; for each there is another function.
    one: its second argument.
    other: its third.
  """
  source, origin = ip.source, ip.frame.origin
  assert source is not None  # Something is being run.
  name = stand_in.__name__
  node = ip.conversion.variant(_definition(name, how), how)
  if origin is not None and node.lineno == 1:
    ast.increment_lineno(node, origin.line - 1)  # Where it is needed first.
  ip.conversion.note_recursion([node])  # Inline it would be done anew in each place.
  function = ip.closure(node, ip.frame.new(Scope({name: stand_in}, None, source)))
  return ip.call_function(function, [one, other], {})


@functools.cache
def _definition(name: str, how: str) -> ast.FunctionDef:
  (made,) = ast.parse(f"def compared(one, other): return {name}({how!r}, one, other)").body
  assert isinstance(made, ast.FunctionDef)
  return made
