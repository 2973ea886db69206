"""Objects of the run that the program changes after they have got a number.

A row of the table of made objects never changes (`frame/_making.py`). What is changed gets another
row, which says what it is from then on; its own number stays what it is known by. Which row that is
for which number is one place of the whole program, read and written in Python's order. After the
run the object of each number gets what the object of its last row holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import tensorflow as tf

from recursive_tf.convert.effects._containers import ContainerEffects
from recursive_tf.convert.effects._places import CHANGED, TRACE, Place
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import concatenated, rows_of_items
from recursive_tf.convert.values._abstract import Container, LocalList, Made, Rows
from recursive_tf.convert.values._forms import MadeForm, NestForm, NumberForm, RowsForm, TensorForm
from recursive_tf.convert.values._numbers import Number

_KEY = (CHANGED,)
_FORM = RowsForm(NestForm(tuple, (0, 1), (NumberForm(int), MadeForm())))


class MadeChanges(ContainerEffects):
  """What objects of the run have become."""

  @property
  def changes_made(self) -> bool:
    """Whether the program changes objects of the run that are known by numbers."""
    return _KEY in self.places

  def made_as_now(self, ip: Host) -> Callable[[], bool]:
    """Returns what tells whether no object of the run has been changed since."""

    def state() -> object:
      return self._changed_rows(ip) if self.changes_made else None

    now = state()
    return lambda: state() is now

  def current_made(self, ip: Host, handle: tf.Tensor) -> tf.Tensor:
    """Returns the number of what an object is now, which is another one once it has changed."""
    if not self.changes_made:
      return handle
    rows = self._changed_rows(ip)
    key = "current made", id(handle), *map(id, rows.tensors)
    kept = ip.frame.memo(key, lambda: (self._current(ip, handle, rows), handle, rows))
    found: tf.Tensor = kept[0]
    return found

  def _current(self, ip: Host, handle: tf.Tensor, rows: Rows) -> tf.Tensor:
    ip.frame.partial()
    numbers, states = rows.tensors
    is_one = tf.concat([[True], tf.equal(numbers, tf.cast(handle, tf.int64))], 0)
    last = tf.reduce_max(tf.where(is_one, tf.range(tf.size(is_one)), 0))
    return tf.gather(tf.concat([tf.reshape(handle, [1]), states], 0), last)

  def _changed_rows(self, ip: Host) -> Rows:
    place = self._changes()
    rows = self.store(ip.frame, place, True).content.content
    assert isinstance(rows, Rows)  # As it is made.
    return rows

  def _changes(self) -> Place:
    return self._place(_KEY, CHANGED, None, None, _FORM)

  def change_made(self, ip: Host, handle: tf.Tensor, content: Container) -> None:
    """Lets the object of a number be what a container is that nothing else has."""
    frame = ip.frame
    frame.conversion.made_kinds.are_changed = True
    before = self._changed_rows(ip)
    state = frame.handle(content)
    pair = Number(tf.cast(handle, tf.int64), int), Made(state)
    rows = concatenated(frame, before, rows_of_items(frame, [pair]))
    self.set(ip, self.store(frame, self._changes(), True), LocalList(rows))

  def trace_made(self, frame: Frame, handles: tf.Tensor, values: tf.Tensor) -> None:
    """Lets a run return the tensors in what it makes, so that a tape around it sees them.

    The table of what is made knows no gradients. So the numbers of objects, and what their tensors
    of one type hold, are two logs beside it; which is whose the table says after the run.
    """
    for name, tensor in (("numbers", handles), ("values", values)):
      form = TensorForm(tf.TensorSpec([], tensor.dtype))
      key = TRACE, values.dtype.name, name
      place = self._place(key, TRACE, None, key[1:], RowsForm(form))
      store = self.store(frame, place, False)
      rows = Rows(tf.size(tensor), (tensor,), form)
      store.content = LocalList(concatenated(frame, store.content.content, rows))

  def traces(self, tensors: Iterator[tf.Tensor]) -> dict[str, dict[str, tf.Tensor]]:
    """Returns what such logs hold, by the type and "numbers" or "values".

    Args:
      tensors: the state of all places, as a run leaves it.
    """
    found: dict[str, dict[str, tf.Tensor]] = {}
    for place in self.returned(None):
      parts = [next(tensors) for _ in place.left_form.specs()]
      if place.kind == TRACE:
        dtype, name = place.name
        found.setdefault(dtype, {})[name] = parts[1]
    return found
