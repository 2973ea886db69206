"""What is known for a model lives as long as the model.

A program holds on to the objects that it is for: it compares their attributes before each run. So
what is kept of it must not be what keeps the model. A dictionary with weak keys is not enough,
since its values lead back to the keys. Instead a variable of the model keeps the programs, and the
function knows them weakly: who lets go of the model lets go of both, and Python's collector finds
the cycle.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator

import keras
import numpy as np
import tensorflow as tf

_MAX_PARTS = 200  # Objects among which state is looked for.
_ATOMS = (str, bytes, int, float, complex, type(None), tf.Tensor, np.ndarray, np.generic)
_NAME = "_recursive_tf_kept"  # Of the attribute of a variable.


class Weak:
  """An object that is known as long as others keep it, or itself where that cannot be known."""

  def __init__(self, value: object):
    self._read: Callable[[], object]
    try:
      self._read = weakref.ref(value)
    except TypeError:
      self._read = lambda: value

  def __call__(self) -> object:
    """Returns the object; None if it is gone."""
    return self._read()


def keep(variable: object, by: object, key: object, value: object) -> None:
  """Has a variable keep a value, as long as there is the one who asks for it.

  Args:
    variable: the variable.
    by: who asks.
    key: what the value is kept for.
    value: the value; it may lead to the variable, not to `by`.
  """
  kept = vars(variable).setdefault(_NAME, weakref.WeakKeyDictionary())
  kept.setdefault(by, {})[key] = value


def let_go(variable: object, by: object, key: object) -> None:
  """Has a variable keep a value no longer."""
  vars(variable).get(_NAME, {}).get(by, {}).pop(key, None)


def variable_of(values: Iterable[object]) -> object:
  """Returns the first variable that some objects hold; None if they have none."""
  for value in values:
    for part in parts_of(value):
      found = part
      if isinstance(part, (tf.Module, keras.layers.Layer, keras.optimizers.Optimizer)):
        found = next(iter(part.variables), None)
      found = found.value if isinstance(found, keras.Variable) else found
      if isinstance(found, tf.Variable) and hasattr(found, "__dict__"):
        return found
  return None


def parts_of(value: object) -> Iterator[object]:
  """Yields an object and what it holds, in its attributes, elements and what these hold."""
  seen: set[int] = set()
  agenda = [value]
  while agenda and len(seen) < _MAX_PARTS:
    value = agenda.pop()
    if id(value) in seen or isinstance(value, _ATOMS):
      continue
    seen.add(id(value))
    yield value
    if isinstance(value, (list, tuple, set, frozenset)):
      agenda.extend(value)
    elif isinstance(value, dict):
      agenda.extend(value.values())
    agenda += getattr(value, "__dict__", {}).values() if not isinstance(value, type) else ()
    agenda += [
      getattr(value, name, None)
      for base in type(value).__mro__
      for name in vars(base).get("__slots__", ())
    ]
