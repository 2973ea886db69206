"""Decorated generators: where all elements are taken at once, they are the list of them.

Who else has a generator may change what it reads between two elements, send or throw something into
it, or take no more of them: that is plain Python.
"""

from __future__ import annotations

import inspect
import itertools
import linecache
import sys
import types
import weakref
from collections.abc import Callable, Iterator

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.decorated._decorated import BoundDecorated
from recursive_tf.convert.frame._budget import Limits
from recursive_tf.convert.program._explain import Report
from recursive_tf.convert.recursive._function import RecursiveFunction
from recursive_tf.convert.recursive._takers import takes_all_at_once

_COUNT = itertools.count()
_KINDS = inspect.Parameter
_PASSED = {
  _KINDS.POSITIONAL_ONLY: "{0}",
  _KINDS.POSITIONAL_OR_KEYWORD: "{0}",
  _KINDS.VAR_POSITIONAL: "*{0}",
  _KINDS.KEYWORD_ONLY: "{0}={0}",
  _KINDS.VAR_KEYWORD: "**{0}",
}


class RecursiveGenerator(RecursiveFunction[..., Iterator[object]]):
  """What `@rtf.recursive` returns of a generator function. Thread-safe."""

  def __init__(
    self,
    function: Callable[..., object],
    strict: bool = False,
    verify: bool | None = None,
    limits: Limits | None = None,
  ):
    super().__init__(function, strict, verify, limits)
    assert isinstance(function, types.FunctionType)  # Others are no generators by themselves.
    self._list_function = _listing(function)
    self._listing: RecursiveFunction[..., list[object]] = RecursiveFunction(
      self._list_function, strict, verify, limits
    )
    self.stats = self._listing.stats

  def __call__(self, /, *args: object, **kwargs: object) -> Iterator[object]:
    """Calls the generator function once."""
    if self._listing.is_plain(args) or self.is_plain(args):
      return self._suspended(args, kwargs)
    self._list_function.__defaults__ = self.python.__defaults__
    self._list_function.__kwdefaults__ = self.python.__kwdefaults__
    caller = sys._getframe(1)
    if caller.f_code is BoundDecorated.__call__.__code__ and caller.f_back is not None:
      caller = caller.f_back
    if not takes_all_at_once(caller):
      refusal = ConversionRefused.of(
        Reason.SYNTAX,
        f"{self.__name__} is a generator, and who calls it may not take all elements at once: a"
        " graph has no suspended calls. Make it a list there: list(...).",
      )
      self._fall_back(refusal, lambda: None)
      return self._suspended(args, kwargs)
    return _given(self._listing(*args, **kwargs))

  def _suspended(self, args: tuple[object, ...], kwargs: dict[str, object]) -> Iterator[object]:
    generator: Iterator[object] = self.python(*args, **kwargs)
    return generator

  def explain(self) -> Report:
    """Tells what was converted, what objects are read for, and what was not and why; print it."""
    return self._listing.explain() if self.stats.num_conversions else super().explain()


def _given(elements: list[object]) -> Iterator[object]:
  yield from elements


def _listing(function: types.FunctionType) -> types.FunctionType:
  """Returns a function that gives the elements of a generator as a list.

  Its text is where Python looks for that of a function: converting it is converting any other.
  """
  parameters = inspect.signature(function).parameters.values()
  bare = [one.replace(default=_KINDS.empty, annotation=_KINDS.empty) for one in parameters]
  name = function.__name__ if function.__name__.isidentifier() else "elements"
  given = ", ".join(_PASSED[one.kind].format(one.name) for one in bare)
  taken = {name, *(one.name for one in bare)}
  generator = next(one for one in _names() if one not in taken)
  text = (
    f"def around({generator}):\n"
    f"  def {name}{inspect.Signature(bare)}:\n"
    f"    return [*{generator}({given})]\n"
    f"  return {name}\n"
  )
  filename = f"<elements of {function.__qualname__} {next(_COUNT)}>"
  linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
  names: dict[str, object] = {"__name__": function.__module__}
  exec(compile(text, filename, "exec"), names)
  around = names["around"]
  assert isinstance(around, types.FunctionType)  # As the text says.
  made: types.FunctionType = around(function)
  weakref.finalize(made, linecache.cache.pop, filename, None)
  return made


def _names() -> Iterator[str]:
  return (f"generator_{i}" for i in itertools.count())
