"""What all stand-ins for values of a program have, and how tables are asked for their kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

import tensorflow as tf

Entry = TypeVar("Entry")


class Ours:
  """An object of the converter where a program has a value.

  Attributes:
    has_operators: whether Python or TensorFlow might compute with it.
    has_identity: whether `is` can be told of it, where it is no object of the heap.
    is_new: whether it is made in this run, and not yet where something is read.
  """

  has_operators = True
  has_identity = True
  is_new = False

  def named(self) -> str:
    """Returns what messages call it: by its Python type, which is none of ours."""
    return "value"

  def within(self) -> Iterable[object]:
    """Returns what a program finds in it: tensors, and other values."""
    return ()

  def is_lowered(self) -> bool:
    """Tells whether a library would get a tensor for it that is none in Python."""
    return False


class Checks(Protocol):
  """A frame, to a value that is a tensor in some runs only."""

  def check(self, value: tf.Tensor, ok: tf.Tensor, message: str) -> tf.Tensor:
    """Returns the tensor; the run fails where `ok` is not true, whoever uses the tensor."""


class Value(Ours):
  """A value of the program that is no Python object."""

  def taken(self, checks: Checks) -> object:
    """Returns it as TensorFlow takes it: a tensor, if it is one or a number."""
    return self


def nearest(table: Mapping[type, Entry], value: object) -> Entry:
  """Returns what a table has for the class of a value, or for the nearest of its bases.

  The table has an entry for `object`. A proxy, as the dicts and tuples that TensorFlow keeps, is
  what it says that it is.
  """
  found = _of_class(table, type(value))
  if found is table[object] and value.__class__ is not type(value):
    return _of_class(table, value.__class__)
  return found


def _of_class(table: Mapping[type, Entry], class_: type) -> Entry:
  return next(table[base] for base in class_.__mro__ if base in table)
