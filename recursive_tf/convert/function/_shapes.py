"""The shapes of a function's arguments: exact at first, then open where they differ.

The lattice of JANUS (Jeong et al., NSDI 2019, section 3.2): (4, 8), then (None, 8), (None, None).
Sizes of 0 and 1 stay: Keras squeezes axes of size 1, and of no rows there is no mean.
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

from recursive_tf._config import config
from recursive_tf.convert.program._arguments import STATIC, TENSOR, Argument
from recursive_tf.convert.program._assumptions import Assumptions
from recursive_tf.convert.program._kinds import key_of

_MAX_LATEST = 64
_MAX_KNOWN = 256  # Structures with constants; the one met first is forgotten.
_MAX_EXACT = 8  # Programs of one shape each, where those of open shapes cannot be had.


class Shapes:
  """What shapes a function has been called with. Not thread-safe.

  Attributes:
    version: changes whenever calls of a shape that was there before may be given other dimensions.
  """

  def __init__(self, assumptions: Assumptions) -> None:
    self.version = 0
    self._assumptions = assumptions
    self._known: dict[object, dict[str, Argument]] = {}
    self._exact: set[object] = set()
    self._latest: dict[object, dict[str, Argument]] = {}  # By the exact shapes, as they are now.

  def widened(self, arguments: dict[str, Argument]) -> dict[str, Argument]:
    """Returns the arguments of a call, dimensions open that have been others in other calls."""
    if "specialize" not in config().optimizations:
      return {name: _opened(argument) for name, argument in arguments.items()}
    exact = key_of(arguments)
    latest = self._latest.get(exact)
    if latest is not None:
      return {name: arguments[name] if a.kind == STATIC else a for name, a in latest.items()}
    key = key_of({name: _opened(argument) for name, argument in arguments.items()})
    known = self._known.get(key)
    if known is not None:
      arguments = {name: _joined(known[name], argument) for name, argument in arguments.items()}
    shapes = {name: _without_constant(argument) for name, argument in arguments.items()}
    for name, argument in shapes.items():
      what, seen = f"the shape of argument {name!r}", _shapes_text(argument)
      if known is None and seen:
        self._assumptions.note(what, seen)
      elif known is not None and known[name] != argument:
        self._assumptions.broke(what, seen, _shapes_text(known[name]))
    if known != shapes or len(self._latest) >= _MAX_LATEST:
      self._known[key] = shapes
      if len(self._known) > _MAX_KNOWN:
        del self._known[next(iter(self._known))]
      self._latest.clear()
      self.version += known is not None and known != shapes
    self._latest[exact] = shapes
    return arguments

  def admits(self, arguments: dict[str, Argument]) -> bool:
    """Tells whether a program may be made for these shapes alone."""
    key = key_of(arguments)
    if key not in self._exact and len(self._exact) < _MAX_EXACT:
      self._exact.add(key)
    return key in self._exact


def _without_constant(argument: Argument) -> Argument:
  """Returns what is known of an argument's shapes, which keeps no model alive."""
  return Argument(STATIC) if argument.kind == STATIC else argument


def _shapes_text(argument: Argument) -> str:
  """Returns the shapes in an argument, as a report has them; empty if it has none."""
  if argument.spec is not None:
    return str(argument.spec.shape)
  return ", ".join(filter(None, map(_shapes_text, argument.parts)))


def _opened(argument: Argument) -> Argument:
  spec = argument.spec
  if spec is not None and spec.shape.rank is not None:
    sizes = [size if size in (0, 1) else None for size in spec.shape.as_list()]
    spec = tf.TensorSpec(sizes, spec.dtype)
  parts = tuple(map(_opened, argument.parts))
  return dataclasses.replace(argument, spec=spec, parts=parts)


def _joined(known: Argument, now: Argument) -> Argument:
  """Returns an argument with the dimensions that two of one rank have in common."""
  parts = tuple(_joined(a, b) for a, b in zip(known.parts, now.parts, strict=True))
  spec = now.spec
  if now.kind == TENSOR and spec is not None and known.spec is not None and spec != known.spec:
    pairs = zip(known.spec.shape, spec.shape, strict=True)
    spec = tf.TensorSpec([a if a == b else None for a, b in pairs], spec.dtype)
  return dataclasses.replace(now, spec=spec, parts=parts)
