"""Classes and functions of Python's library, most written in C, as the Python that stands for them.

The interpreter runs it in their place, as it runs what is the user's.
"""

from __future__ import annotations

import ast
import collections
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from typing import Protocol, TypeVar

import tensorflow as tf


class _Ordered(Protocol):
  def __lt__(self, other: object, /) -> object: ...


_T = TypeVar("_T", bound=_Ordered)


class Deque:
  """A `collections.deque`; it is read, changed and passed on, but never leaves a program."""

  __slots__ = ("_items",)

  def __init__(self) -> None:
    self._items: list[object] = []

  @property
  def maxlen(self) -> int | None:
    return None

  def append(self, x: object) -> None:
    self._items.append(x)

  def appendleft(self, x: object) -> None:
    self._items.insert(0, x)

  def extend(self, iterable: Iterable[object]) -> None:
    for x in iterable:
      self._items.append(x)

  def extendleft(self, iterable: Iterable[object]) -> None:
    for x in iterable:
      self.appendleft(x)

  def pop(self) -> object:
    return self._items.pop()

  def popleft(self) -> object:
    return self._items.pop(0)

  def clear(self) -> None:
    self._items.clear()

  def reverse(self) -> None:
    self._items.reverse()

  def rotate(self, n: int = 1) -> None:
    if len(self._items) > 0:
      start = -n % len(self._items)
      turned = self._items[start:] + self._items[:start]
      self._items.clear()
      self._items.extend(turned)

  def copy(self) -> Deque:
    found = Deque()
    found._items = self._items[:]
    return found

  def count(self, x: object) -> int:
    return self._items.count(x)

  def index(self, x: object, *bounds: int) -> int:
    return self._items.index(x, *bounds)

  def insert(self, i: int, x: object) -> None:
    self._items.insert(i, x)

  def remove(self, x: object) -> None:
    self._items.remove(x)

  def __len__(self) -> int:
    return len(self._items)

  def __iter__(self) -> Iterator[object]:
    return iter(self._items)

  def __contains__(self, x: object) -> bool:
    return x in self._items

  def __getitem__(self, i: int) -> object:
    return self._items[0 + i]  # A slice is a TypeError, as that of a deque.

  def __iadd__(self, iterable: Iterable[object]) -> Deque:
    self.extend(iterable)
    return self

  def __eq__(self, other: object) -> bool:
    return self._items == other._items if isinstance(other, Deque) else NotImplemented

  def __lt__(self, other: object) -> bool:
    if not isinstance(other, Deque):
      return NotImplemented
    return self._items < other._items

  def __le__(self, other: object) -> bool:
    if not isinstance(other, Deque):
      return NotImplemented
    return self._items <= other._items

  def __gt__(self, other: object) -> bool:
    if not isinstance(other, Deque):
      return NotImplemented
    return self._items > other._items

  def __ge__(self, other: object) -> bool:
    if not isinstance(other, Deque):
      return NotImplemented
    return self._items >= other._items


class BoundedDeque(Deque):
  """A `collections.deque` of at most `maxlen` elements: what is too many goes at the other end."""

  __slots__ = ("_maxlen",)

  def __init__(self, maxlen: int) -> None:
    self._items: list[object] = []
    self._maxlen = maxlen

  @property
  def maxlen(self) -> int | None:
    return self._maxlen

  def append(self, x: object) -> None:
    self._items.append(x)
    if len(self._items) > self._maxlen:
      self._items.pop(0)

  def appendleft(self, x: object) -> None:
    self._items.insert(0, x)
    if len(self._items) > self._maxlen:
      self._items.pop()

  def extend(self, iterable: Iterable[object]) -> None:
    for x in iterable:
      self.append(x)

  def insert(self, i: int, x: object) -> None:
    if len(self._items) >= self._maxlen:
      raise IndexError
    self._items.insert(i, x)

  def copy(self) -> Deque:
    found = BoundedDeque(self._maxlen)
    found._items = self._items[:]
    return found


STANDS_FOR: dict[type, type] = {Deque: collections.deque, BoundedDeque: collections.deque}


def python_type(kind: type) -> type:
  """Returns the class whose objects those of a class stand for: of all others itself."""
  return STANDS_FOR.get(kind, kind)


def path_join(a: str, *p: str) -> str:
  path = a
  for b in p:
    if b.startswith("/"):
      path = b
    elif path == "" or path.endswith("/"):
      path = path + b
    else:
      path = path + "/" + b
  return path


def path_basename(p: str) -> str:
  return p[p.rfind("/") + 1 :]


def path_dirname(p: str) -> str:
  head = p[: p.rfind("/") + 1]
  stripped = head.rstrip("/")
  return stripped if stripped else head


def path_splitext(p: str) -> tuple[str, str]:
  dot = p.rfind(".")
  name = p[p.rfind("/") + 1 : max(dot, 0)]
  if name.strip(".") == "":  # No dot in the name, or only some that it begins with.
    return p, ""
  return p[:dot], p[dot:]


def concat(values: Sequence[object], axis: object) -> object:
  found = tf.identity(values[0])
  for i in range(1, len(values)):
    found = tf.concat([found, values[i]], axis)
  return found


def stack(values: Sequence[object], axis: object = 0) -> object:
  found = tf.expand_dims(values[0], axis)
  for i in range(1, len(values)):
    found = tf.concat([found, tf.expand_dims(values[i], axis)], axis)
  return found


def bisect_left(a: Sequence[_T], x: _T, lo: int = 0, hi: int | None = None) -> int:
  if lo < 0:
    raise ValueError
  end = len(a) if hi is None else hi
  while lo < end:
    middle = (lo + end) // 2
    if a[middle] < x:
      lo = middle + 1
    else:
      end = middle
  return lo


def bisect_right(a: Sequence[_T], x: _T, lo: int = 0, hi: int | None = None) -> int:
  if lo < 0:
    raise ValueError
  end = len(a) if hi is None else hi
  while lo < end:
    middle = (lo + end) // 2
    if x < a[middle]:
      end = middle
    else:
      lo = middle + 1
  return lo


def insort_left(a: MutableSequence[_T], x: _T, lo: int = 0, hi: int | None = None) -> None:
  a.insert(bisect_left(a, x, lo, hi), x)


def insort_right(a: MutableSequence[_T], x: _T, lo: int = 0, hi: int | None = None) -> None:
  a.insert(bisect_right(a, x, lo, hi), x)


def generic_visit(self: ast.NodeVisitor, node: ast.AST) -> None:
  """Does `ast.NodeVisitor.generic_visit`: visits the nodes in a node."""
  for child in ast.iter_child_nodes(node):
    self.visit(child)


def visit_constant(self: ast.NodeVisitor, node: ast.Constant) -> object:
  """Does `ast.NodeVisitor.visit_Constant` where there are no visitors of its old names."""
  return self.generic_visit(node)
