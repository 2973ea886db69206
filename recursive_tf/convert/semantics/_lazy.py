"""Iterators over what the program computes: made at once here, element by element in Python.

Both are the same as long as making the elements changes nothing, and as long as nothing that they
are made of changes meanwhile. Where that does not hold, and the consumer does more than run the
iterator to its end, the program is refused.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._sharing import Iterated
from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.values._abstract import (
  BoundMethod,
  Closure,
  Container,
  Local,
  LocalList,
  LocalObject,
  LocalTable,
  Made,
  Ref,
  Scope,
  has_changed,
)
from recursive_tf.convert.values._operands import several

_T = TypeVar("_T")


@dataclasses.dataclass(frozen=True)
class Used:
  """Variables and other resources of TensorFlow that ops use.

  Attributes:
    read: the numbers of their handles.
    written: of those that may be written.
  """

  read: frozenset[int] = frozenset()
  written: frozenset[int] = frozenset()

  @property
  def is_any(self) -> bool:
    """Whether there is any."""
    return bool(self.read or self.written)

  def meets(self, other: Used) -> bool:
    """Tells whether the order of both matters."""
    return not (
      self.written.isdisjoint(other.read | other.written) and other.written.isdisjoint(self.read)
    )

  def __or__(self, other: Used) -> Used:
    return Used(self.read | other.read, self.written | other.written)


class _Using:
  """What is done while this is entered, as its ops show it; `used` says what they use."""

  def __init__(self, ip: Host):
    self._is_step = ip.conversion.is_step  # Elsewhere variables are only read.
    self.used = Used()

  def __enter__(self) -> _Using:
    if self._is_step:
      self._graph = tf.compat.v1.get_default_graph()
      self._count = len(self._graph.get_operations())
    return self

  def __exit__(self, *error: object) -> None:
    if self._is_step:
      self.used = Used(*tfi.resources_used(self._graph.get_operations()[self._count :]))


@dataclasses.dataclass(frozen=True, eq=False)
class Lazy:
  """How the elements of an iterator are made.

  Attributes:
    changed: the scopes, containers and stores that making them changes.
    reads: the variables they are made of, as (scope, name).
    stores: those of the places that making them reads.
    sources: the containers that were there before and are gone through as elements are taken.
    variables: which variables and the like ops for that read, and which they write.
    of_generator: whether a generator of the user's makes them, which may do so without end.
    enumerated: the list of the heap whose elements they number, nothing else; or None.
  """

  changed: tuple[Local, ...]
  reads: tuple[tuple[Scope, str], ...] = ()
  stores: tuple[Local, ...] = ()
  sources: tuple[Container, ...] = ()
  variables: Used = Used()
  of_generator: bool = False
  enumerated: object = None

  @property
  def runs_code(self) -> bool:
    """Whether code of the program makes elements, or places are read for them."""
    return bool(self.changed or self.reads or self.stores or self.variables.is_any)


def made_by(
  ip: Host,
  make: Callable[[], Any],
  reads: tuple[tuple[Scope, str], ...],
  values: tuple[object, ...],
  of_generator: bool = False,
  enumerated: object = None,
) -> LocalList:
  """Returns an iterator over what `make` gives, of the elements of other iterables or not."""
  frame = ip.frame
  before = frame.snapshot()
  there = {id(local) for local in frame.locals}
  with (
    ip.conversion.effects.noting_reads() as read,
    frame.sharing.reads() as gone_through,
    _Using(ip) as using,
  ):
    found = make()
  changed = _changed_since(ip, before)
  stores = _stores(ip, read)
  sources = [c for c in dict.fromkeys(gone_through) if id(c) in there and not _is_iterator(c)]
  inner = [lazy for value in values if (lazy := of(value)) is not None]
  if _meet(filter(_is_gone_over, values), changed):  # Python would see that, element by element.
    raise _refused(ip)
  if (changed and inner) or (len(values) > 1 and any(lazy.changed for lazy in inner)):
    raise _refused(ip)
  seen = [*stores, *map(_local, _watched(reads))]
  if any(_meet(seen, lazy.changed) for lazy in inner):
    raise _refused(ip)
  of_generator |= any(lazy.of_generator for lazy in inner)
  used = using.used
  for lazy in inner:
    if used.meets(lazy.variables) or (len(values) > 1 and lazy.variables.written):
      raise _refused(ip)
    used |= lazy.variables
  result: LocalList = found if isinstance(found, LocalList) else ip.frame.new(LocalList(found))
  result.is_iterator = True
  if changed or reads or inner or stores or sources or of_generator or used.is_any:
    result.lazy = Lazy(
      (*changed, *(local for lazy in inner for local in lazy.changed)),
      (*reads, *(read for lazy in inner for read in lazy.reads)),
      (*stores, *(store for lazy in inner for store in lazy.stores)),
      (*sources, *(source for lazy in inner for source in lazy.sources)),
      used,
      of_generator,
      enumerated if isinstance(enumerated, (Ref, Made)) else None,
    )
  return result


def _is_gone_over(value: object) -> bool:
  return isinstance(value, Container) and not _is_iterator(value)


def _is_iterator(container: Container) -> bool:
  return isinstance(container, LocalList) and container.is_iterator


def _changed_since(ip: Host, before: list[object]) -> tuple[Local, ...]:
  return tuple(
    local
    for local, old in zip(ip.frame.locals, before, strict=False)
    if has_changed([old], [local.snapshot()])
  )


def _stores(ip: Host, keys: Iterable[object]) -> tuple[Local, ...]:
  return tuple(ip.frame.stores[key] for key in keys if key in ip.frame.stores)


def of(value: object) -> Lazy | None:
  """Returns how an iterator's elements are made; None for all else."""
  lazy = value.lazy if isinstance(value, LocalList) else None
  return lazy if isinstance(lazy, Lazy) else None


def reads_of_expression(node: ast.GeneratorExp, scope: Scope) -> tuple[tuple[Scope, str], ...]:
  """Returns the variables that a generator expression reads while it runs."""
  return _found(scopes.lazy_reads(node), scope)


def reads_of_function(function: object) -> tuple[tuple[Scope, str], ...]:
  """Returns the variables of enclosing functions that a function reads."""
  while isinstance(function, BoundMethod):
    function = function.function
  if isinstance(function, Closure):
    return _found(scopes.free_names(function.node), function.scope)
  return tuple(read for one in several(function) for read in reads_of_function(one))


def _found(names: Iterable[str], scope: Scope) -> tuple[tuple[Scope, str], ...]:
  return tuple((found, name) for name in sorted(names) if (found := scope.find(name)) is not None)


def check_at_once(ip: Host, value: object) -> None:
  """Refuses an iterator that may not be run to its end, if that makes a difference."""
  lazy = of(value)
  if lazy is None:
    return
  if lazy.changed or lazy.variables.written:
    raise _refused(ip)
  note_early_end(ip, value)


def note_early_end(ip: Host, *values: object) -> None:
  """Notes that iterators may not be run to their end, which one of a generator need not have."""
  if any(lazy.of_generator for value in values if (lazy := of(value)) is not None):
    ip.conversion.note_generator(ends_early=True)


def interleaved(ip: Host, value: object, consume: Callable[[], _T], function: object = None) -> _T:
  """Returns what `consume` gives, which Python does step by step, as each element is made.

  Here all elements are made before. That is the same if neither changes what the other one reads
  or changes.

  Args:
    ip: the interpreter.
    value: the iterator, which is run to its end.
    consume: does it.
    function: what it calls for each element, of the program.
  """
  lazy = of(value)
  if lazy is None:
    return consume()
  before = ip.frame.snapshot()
  with ip.conversion.effects.noting_reads() as read, _Using(ip) as using:
    found = consume()
  if using.used.meets(lazy.variables):
    raise _refused(ip)
  made_of = [*lazy.changed, *lazy.stores, *lazy.sources, *map(_local, _watched(lazy.reads))]
  seen = [*_stores(ip, read), *map(_local, _watched(reads_of_function(function)))]
  if _meet(_changed_since(ip, before), made_of) or _meet(seen, lazy.changed):
    raise _refused(ip)
  return found


def _local(watched: object) -> object:
  return watched[0] if isinstance(watched, tuple) else watched


def _meet(some: Iterable[object], others: Iterable[object]) -> bool:
  return not {id(one) for one in some}.isdisjoint({id(one) for one in others})


def gone_over(value: object) -> object:
  """Returns the list whose elements a loop over a value takes one after the other."""
  lazy = of(value)
  return value if lazy is None or lazy.enumerated is None else lazy.enumerated


def consumed(
  ip: Host, value: object, consume: Callable[[], _T], is_whole: bool, is_watched: bool = False
) -> _T:
  """Returns what `consume` gives, which runs code of the program between two elements.

  Args:
    ip: the interpreter.
    value: what is iterated over.
    consume: does it.
    is_whole: whether it surely runs to the end.
    is_watched: whether the run fails where `gone_over(value)` changes between two elements.
  """
  lazy = of(value)
  if lazy is None:
    return consume()
  unread = [local for local in lazy.changed if not _is_only_written(local)]
  if lazy.changed and not (is_whole and all(map(_tells_of_reads, unread))):
    raise _refused(ip)
  if not is_whole:
    if lazy.variables.written:
      raise _refused(ip)
    note_early_end(ip, value)
  stores = () if is_watched and lazy.enumerated is not None else lazy.stores
  watched = [*_watched(lazy.reads), *stores, *lazy.changed]
  before = [_content(one) for one in watched]
  with (
    ip.conversion.effects.noting_reads() as read,
    ip.frame.sharing.reads() as gone_through,
    _Using(ip) as using,
  ):
    found = consume()
  if _meet([*_stores(ip, read), *gone_through], unread):
    raise _refused(ip)
  is_changed = has_changed(before, [_content(one) for one in watched])
  if is_changed or using.used.meets(lazy.variables):
    raise _refused(ip)
  return found


def _is_only_written(local: object) -> bool:
  """Tells whether a container is the store of a place that the program never reads."""
  return hasattr(local, "place") and not local.place.next_is_read


def _tells_of_reads(local: object) -> bool:
  """Tells whether it is noted where a program reads what is changed: not so of variables."""
  return isinstance(local, Container) or hasattr(local, "place")


class Order:
  """The order in which the arguments of a call are evaluated, where some are iterators.

  What comes after an iterator is evaluated before its elements are made, but here after it.
  """

  def __init__(self, ip: Host):
    self._ip = ip
    self._iterators: list[Lazy] = []
    self._before: list[object] | None = None  # All containers, after the first iterator.
    self._sources: list[tuple[Container, object]] = []  # What iterators go through, as it was.

  def evaluate(
    self, evaluate: Callable[[ast.expr, Scope], object], node: ast.expr, scope: Scope
  ) -> object:
    """Returns the next argument."""
    with self._ip.conversion.effects.noting_reads() as read, _Using(self._ip) as using:
      value = evaluate(node, scope)
    if any(using.used.meets(lazy.variables) for lazy in self._iterators):
      raise _refused(self._ip)
    if isinstance(node, ast.Name):  # What is in the container that it names is read later.
      seen: list[object] = [*_stores(self._ip, read), scope.find(node.id)]
    else:
      names = _found(scopes.names_in(node)[1], scope) if self._iterators else ()
      seen = [*_stores(self._ip, read), *map(_local, _watched(names))]
    if any(_meet(seen, lazy.changed) for lazy in self._iterators):
      raise _refused(self._ip)
    lazy = of(value)
    if lazy is not None:
      self._sources += [(source, source.snapshot()) for source in lazy.sources]
    if lazy is not None and lazy.runs_code:
      self._iterators.append(lazy)
      if self._before is None:
        self._before = self._ip.frame.snapshot()
    return value

  def check(self) -> None:
    """Refuses iterators among the arguments if something has changed since they were made."""
    sources = [source.snapshot() for source, _ in self._sources]
    is_changed = has_changed([content for _, content in self._sources], sources)
    if self._before is not None:
      is_changed |= has_changed(self._before, self._ip.frame.snapshot())
    if is_changed:
      raise _refused(self._ip)


def _watched(reads: tuple[tuple[Scope, str], ...]) -> Iterator[Local | tuple[Scope, str]]:
  """Yields the variables, and the containers in them."""
  agenda: list[object] = list(reads)
  seen: dict[int, object] = {}  # Kept, so that no id is given twice.
  while agenda:
    one = agenda.pop()
    if id(one) in seen:
      continue
    seen[id(one)] = one
    if isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], Scope):
      yield one[0], one[1]
      agenda.append(one[0].names.get(one[1]))
    elif not isinstance(one, Scope):
      if isinstance(one, Local):
        yield one
      agenda += _held(one)


def _held(value: object) -> Iterable[object]:
  """Returns the variables that a function reads, and the parts of what is no function."""
  if isinstance(value, Closure):
    return reads_of_function(value)
  if isinstance(value, BoundMethod):
    return (value.function, value.owner)
  if found := several(value):
    return found
  content = value.snapshot() if isinstance(value, Local) else value
  if isinstance(value, Local) and isinstance(content, dict):
    return content.values()
  return content if isinstance(content, tuple) else ()


def _content(one: Local | tuple[Scope, str]) -> object:
  if isinstance(one, Local):
    return one.snapshot()
  scope, name = one
  return {name: scope.names.get(name)}


def _refused(ip: Host) -> ConversionRefused:
  return ip.frame.refuse(
    Reason.EFFECT_ORDER,
    "An iterator's elements are made one by one, between other changes. Make a list of it first.",
  )


def _is_plain_object(container: Container) -> bool:
  """Tells whether nothing goes over an object: that an attribute was read of it is past."""
  ways = ("__iter__", "__getitem__")
  return isinstance(container, LocalObject) and not any(hasattr(container.type, w) for w in ways)


def iteration_of(node: ast.expr, iterable: object, read: list[Container]) -> Iterated:
  """Returns the containers that a loop goes over."""
  if not isinstance(iterable, Container):
    return Iterated([])
  lazy = of(iterable)
  if lazy is not None:
    sources: list[Container] = list(lazy.sources)
  else:
    sources = [one for one in read if not _is_plain_object(one)] if _is_iterator(iterable) else []
  is_forward = not any(isinstance(n, ast.Name) and n.id == "reversed" for n in ast.walk(node))
  is_of_keys = isinstance(iterable, LocalTable) and iterable.type is not set
  return Iterated([iterable, *sources], 0 if is_forward else -1, is_of_keys)
