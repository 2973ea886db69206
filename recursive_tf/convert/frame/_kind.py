"""What a value of the program answers: each kind of value does the operations of the language."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Protocol

from recursive_tf.convert.values._abstract import Ref, Rows


class Kind(Protocol):
  """A value of the program, asked by the interpreter.

  The value is resolved before: a number or an array that is read is what it is, where Python would
  use it as that.
  """

  def truth(self) -> object:
    """Returns `bool(value)`: a bool, or a bool `Number`."""

  def length(self) -> object:
    """Returns `len(value)`: an int, or an int `Number`."""

  def attribute(self, name: str) -> object:
    """Returns `value.name`."""

  def item(self, key: object) -> object:
    """Returns `value[key]`."""

  def write_item(self, key: object, new: object) -> None:
    """Does `value[key] = new`."""

  def entry(self, table: dict[object, object]) -> object:
    """Returns `table[value]` of a dict that is known."""

  def entry_of_heap(self, ref: Ref) -> object:
    """Returns `table[value]` of a container of the heap, as the builtin type has it."""

  def rows(self, one_by_one: bool) -> Rows | None:
    """Returns the elements of what has as many as the run finds; None if they are known.

    Args:
      one_by_one: whether code of the program sees each of them by itself, and all that it keeps.
    """

  def fixed_items(self, count: int | None) -> list[object]:
    """Returns the elements of what has a known number of them, or is taken apart into `count`."""

  def is_none(self) -> object:
    """Returns `value is None`; the value is as it is, and not resolved."""

  def classes(self) -> Collection[type] | None:
    """Returns of which classes the value may be, as it is compared; None if that is not known."""

  def may_equal_number(self) -> bool:
    """Tells whether the value may equal a number of the run that it is no number beside."""

  def unary(self, op: type[ast.unaryop]) -> object:
    """Returns `op value` of -, + or ~."""

  def class_of(self) -> object:
    """Returns `type(value)`."""

  def is_instance(self, classes: tuple[type, ...]) -> object:
    """Returns `isinstance(value, classes)`."""

  def is_callable(self) -> object:
    """Returns `callable(value)`: a bool, or a bool `Number`."""

  def call(self, args: list[object], kwargs: dict[str, object]) -> object:
    """Returns `value(*args, **kwargs)`."""

  def plain(self) -> object:
    """Returns a number or an array as Python and TensorFlow compute with it; all else as it is."""

  def absolute(self) -> object:
    """Returns `abs(value)`."""

  def converted(self, kind: type, is_alone: bool) -> object:
    """Returns `int(value)` or `float(value)` of what only the run knows.

    Args:
      kind: int or float.
      is_alone: whether there is no other argument.
    """

  def listed(self) -> object:
    """Returns what it is in a list that TensorFlow makes a tensor of.

    The class of a number, Python's or NumPy's, or that it is a tensor; None of others.
    """

  def lowered(self) -> object:
    """Returns the value as a library takes it: tensors, and Python lists and dicts of them."""
