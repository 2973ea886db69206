"""What a program does to Python's heap and output."""

from __future__ import annotations

from typing import Any

from recursive_tf.convert._refusal import Reason


class Effects:
  """Writes and prints of one program."""

  is_pure = True
  is_unordered = True

  def begin(self) -> None:
    """Starts an attempt."""

  def read_static(self, ip: Any, owner: Any, name: str) -> Any:
    return None

  def read_heap(self, ip: Any, ref: Any, name: str) -> Any:
    return None

  def read_item(self, ip: Any, ref: Any, key: Any) -> Any:
    return None

  def read_table(self, ip: Any, owner: Any, key: Any) -> Any:
    return None

  def read_elements(self, ip: Any, ref: Any) -> Any:
    return None

  def read_length(self, ip: Any, ref: Any) -> Any:
    return None

  def read_static_length(self, ip: Any, owner: Any) -> Any:
    return None

  def read_membership(self, ip: Any, owner: Any, value: Any) -> Any:
    return None

  def augmented_attribute(self, ip: Any, op: Any, owner: Any, name: str, node: Any, scope: Any) -> Any:
    return None

  def write_attribute(self, ip: Any, owner: Any, name: str, value: Any) -> None:
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"attribute {name!r} is written.")

  def write_item(self, ip: Any, owner: Any, key: Any, value: Any) -> None:
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, "an item is written.")

  def call_method(self, ip: Any, ref: Any, name: str, args: Any) -> Any:
    raise ip.frame.refuse(Reason.OPAQUE_CALL, f".{name} of an object of the heap.")

  def call_static(self, ip: Any, owner: Any, name: str, args: Any, kwargs: Any) -> Any:
    return None

  def print(self, ip: Any, values: Any, kwargs: Any) -> None:
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, "print.")
