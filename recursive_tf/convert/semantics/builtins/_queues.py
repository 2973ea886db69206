"""`collections.deque`, and what `bisect` and `heapq` do to lists."""

from __future__ import annotations

from collections.abc import Callable

import tensorflow as tf

from recursive_tf._ops import kernels
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import concatenated, rows_of_items, rows_without_last
from recursive_tf.convert.semantics import _maps, _ordering
from recursive_tf.convert.values import _forms, _numbers, _stand_ins
from recursive_tf.convert.values._abstract import LocalList, Raises, Rows


def by(function: Callable[..., object]) -> Callable[..., object]:
  """Returns what does a function of a library by the Python that stands for it."""
  return lambda ip, *args, **kwargs: ip.call(function, list(args), kwargs)


def to_deque(ip: Host, iterable: object = (), maxlen: object = None) -> object:
  """Does `collections.deque(iterable, maxlen)`."""
  maxlen = ip.frame.resolve(maxlen)
  if maxlen is None:
    made = ip.call(_stand_ins.Deque, [], {})
  elif _numbers.type_of(maxlen) is int:
    ip.frame.demand(_forms.as_number(maxlen).tensor >= 0)  # Else Python raises.
    made = ip.call(_stand_ins.BoundedDeque, [maxlen], {})
  else:
    text = "A deque whose maxlen may be an int, or None, or anything else."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  ip.call(ip.attribute(made, "extend"), [iterable], {})
  return made


_TAKING = ("pop", "replace", "pushpop")  # An item out of the heap.


def of_heap(step: str) -> Callable[..., object]:
  """Returns what does a function of `heapq`: it compares by ranks, as it compares by `<`."""

  def call(ip: Host, heap: object, /, *item: object) -> object:
    frame = ip.frame
    if not isinstance(heap, LocalList) or heap.type is not list or heap.is_iterator:
      text = "heapq of what is no list that the program makes: one of the tree, or passed in."
      raise frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
    if len(item) != (step in ("push", "replace", "pushpop")):
      raise Raises  # A TypeError.
    rows = heap.content
    if not isinstance(rows, Rows):
      rows = rows_of_items(frame, list(rows))
    if step in ("pop", "replace"):
      frame.demand(rows.length > 0)
    if item:
      rows = concatenated(frame, rows, rows_of_items(frame, [*item]))
    if rows.form is None:
      if step == "heapify":
        return None
      raise Raises  # An IndexError, as far as is known yet.
    if step == "push" and isinstance(heap.content, tuple) and not heap.content:
      heap.content = item
      return None
    rows = _maps.numbers_of(ip, rows)
    order = kernels.recursive_tf_heap_order(_ordering.ranks(ip, rows), step=step)
    rows = Rows(rows.length, tuple(tf.gather(t, order) for t in rows.tensors), rows.form)
    if step not in _TAKING:
      heap.content = rows
      return None
    found = ip.item(frame.new(LocalList(rows)), -1)
    heap.content = rows_without_last(rows)
    return found

  return call
