"""Says where a decorated method does not go into a SavedModel.

`tf.saved_model.save` writes those methods of a module that are `tf.function`s, and leaves out all
others without a word. A decorated method is Python around its graphs: it compares what they rely
on, reads objects, falls back. So it is left out, too, and whoever loads the module would find no
method. A program of it can be given to the module; where that was not done, saving says so.
"""

from __future__ import annotations

import functools
import warnings
import weakref

from recursive_tf import _tf_internals as tfi


class ProgramsByThemselves:
  """The programs of a function that are somewhere by themselves, by the object of the method."""

  def __init__(self) -> None:
    self._pairs: list[tuple[weakref.ref[object], weakref.ref[object]]] = []

  def note(self, owner: object, program: object) -> None:
    """Notes a program of the method of an object; neither is kept alive."""
    self._pairs = [pair for pair in self._pairs if None not in (pair[0](), pair[1]())]
    self._pairs.append((weakref.ref(owner), weakref.ref(program)))

  def has(self, owner: object) -> bool:
    """Tells whether there still is a program of the method of an object."""
    return any(known() is owner and program() is not None for known, program in self._pairs)


def say_when_not_saved(
  kind: type, name: str, function: object, programs: ProgramsByThemselves, advice: str
) -> None:
  """Has a class warn as one of its objects is saved without a method.

  Args:
    kind: the class.
    name: of the method.
    function: what the class has under that name.
    programs: those of the function that are by themselves.
    advice: how to make one.
  """
  tfi.before_saving(kind, functools.partial(_tell, name, weakref.ref(function), programs, advice))


def _tell(
  name: str,
  function: weakref.ref[object],
  programs: ProgramsByThemselves,
  advice: str,
  saved: object,
) -> None:
  found = getattr(type(saved), name, None)
  if found is not None and found is function() and not programs.has(saved):
    warnings.warn(
      f"{type(saved).__name__}.{name} is not saved: it is Python around its graphs, and"
      f" tf.saved_model.save leaves it out. {advice.format(name=name)}",
      stacklevel=4,
    )
