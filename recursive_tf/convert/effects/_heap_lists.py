"""Lists of the heap that the program changes in place, whichever of them the run finds.

What such a list holds is one place of the whole program, as one attribute is: of each object that
is a list whether it has been changed, and what it holds since. That is a row of the table of made
objects (`frame/_making.py`), made anew by each change, so that two states are one if they have one
number. After the run each list gets the elements of its last row.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection, Iterator, Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.effects._made_changes import MadeChanges
from recursive_tf.convert.effects._places import (
  ATTRIBUTE,
  CONTENT_STEP,
  CONTENT_STEPS,
  Place,
  Store,
  table_form,
)
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import read_numbers, rows_of_items
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import Base, Bottom, LocalList, Made, Missing, Ref, Rows
from recursive_tf.convert.values._forms import NoneType, RowsForm
from recursive_tf.convert.values._numbers import Number

_METHODS = frozenset(
  """append extend pop insert clear reverse sort remove __delitem__ __imul__""".split()
)


class HeapLists(MadeChanges):
  """What lists of the heap hold, where the program changes any."""

  lists_are_whole = False  # Whether items by known places are a part of all that a list holds.

  def has_changed_lists(self, kinds: Collection[type]) -> bool:
    """Tells whether the program changes lists of the heap, of which something may be one."""
    return list in kinds and CONTENT_STEP in self.places

  def rows_of_list(self, ip: Host, ref: Ref) -> Rows | None:
    """Returns what a list of the heap holds now; None if the program changes no such list."""
    frame = ip.frame
    kinds = frame.types_of(ref) - {NoneType, Missing}
    if not self.has_changed_lists(kinds):
      return None
    if kinds != {list}:
      raise frame.refuse(
        Reason.EFFECT_ORDER, "What may be a list or a tuple is read: lists change."
      )
    return self._rows(ip, ref)

  def _rows(self, ip: Host, ref: Ref) -> Rows:
    frame = ip.frame
    place = self.places[CONTENT_STEP]
    state = self._state(ip, place, ref)
    first = self._first(frame, ref)
    form = place.rows.get(self._family(place, frame.elements(ref).form))
    if form is None:  # No such list is changed; but this one may also be one of others.
      frame.demand(tf.logical_not(state[0]))
      return first
    return self._content(ip, state, form, first)

  def _content(
    self, ip: Host, state: tuple[tf.Tensor, tf.Tensor], form: RowsForm, first: Rows
  ) -> Rows:
    """Returns what a list or dict holds now: what the table has of it, or what it had at first."""
    frame = ip.frame
    is_changed, row = state

    def now() -> LocalList:
      value = frame.row_of(frame.conversion.made_kinds.number(form, is_hidden=True), row)
      assert isinstance(value, LocalList)
      return frame.new(value)

    found = frame.cond(Number(is_changed, bool), now, lambda: frame.new(LocalList(first)))
    assert isinstance(found, LocalList)
    rows = found.content
    return rows if isinstance(rows, Rows) else rows_of_items(frame, rows)

  def _state(self, ip: Host, place: Place, ref: Ref) -> tuple[tf.Tensor, tf.Tensor]:
    """Returns whether a list or dict has been changed, and the number of what it holds since."""
    return self._state_of(ip, place, there(ip.frame, ref).handle)

  def _state_of(self, ip: Host, place: Place, handle: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Does the same of an object by its number."""
    frame = ip.frame
    rows = self.store(frame, place, True).content.content
    frame.partial()
    if len(rows.tensors) < 2:
      raise Bottom  # Nothing is known to be written yet.
    is_changed, row = (tf.gather(tensor, handle) for tensor in rows.tensors)
    return is_changed, row

  @contextlib.contextmanager
  def going_over(self, ip: Host, value: object) -> Iterator[None]:
    """Fails the run if a list of the heap is changed meanwhile, as Python would see."""
    is_as_before = self.watched(ip, value)
    yield
    if is_as_before is not None:
      ip.frame.demand(is_as_before())

  def watched(self, ip: Host, value: object) -> Callable[[], tf.Tensor] | None:
    """Returns what tells whether a list of the heap is as it is now; None if it cannot change."""
    if isinstance(value, Made):
      places = [self.places[step] for step in CONTENT_STEPS if step in self.places]
      if not places and not self.changes_made:
        return None
      return _unless_changed(functools.partial(self._states_of_made, ip, value.handle, places))
    if not isinstance(value, Ref):
      return None
    if not self.has_changed_lists(ip.frame.types_of(value) - {NoneType, Missing}):
      return None
    return _unless_changed(functools.partial(self._state, ip, self.places[CONTENT_STEP], value))

  def _states_of_made(
    self, ip: Host, handle: tf.Tensor, places: Sequence[Place]
  ) -> list[tf.Tensor]:
    """Returns what tells what may be an object of the run, or one of the heap, from a changed one.

    Args:
      ip: the interpreter.
      handle: its number.
      places: of what lists and dicts of the heap hold.
    """
    found = [self.current_made(ip, handle)] if self.changes_made else []
    old = tf.maximum(ip.frame.handle_of_old(handle), 0)
    for place in places:
      is_changed, row = self._state_of(ip, place, old)
      # Of an object of the run the row of another one says nothing.
      found += [(handle >= 0) & is_changed, tf.where(handle >= 0, row, tf.zeros_like(row))]
    return found

  def write_list(self, ip: Host, ref: Ref, content: LocalList) -> None:
    """Lets a list of the heap hold what another one holds."""
    frame = ip.frame
    place = self._content_place()
    rows = content.content
    if not isinstance(rows, Rows):
      rows = rows_of_items(frame, list(rows))
    if rows.form is None:
      return  # There is nothing in it, and there was not.
    self.write_content(ip, place, ref, rows, self._family(place, frame.elements(ref).form))

  def write_content(
    self, ip: Host, place: Place, ref: Ref, rows: Rows, family: frozenset[object]
  ) -> None:
    """Lets a list or dict of the heap hold these elements or items from now on."""
    frame = ip.frame
    store = self.store(frame, place, True)
    form = self._noted(frame, place, family, rows)
    if form != place.rows.get(family):
      raise Bottom  # The next attempt knows what lists hold.
    frame.partial()
    parts = _forms.flatten(LocalList(rows), form, frame)
    row = frame.made_row(form, parts)
    self.write_row(store, there(frame, ref), [tf.constant(True), row])

  def write_row(self, store: Store, base: Base, new: Sequence[tf.Tensor]) -> None:
    """Sets what a store of all objects has for one of them."""
    rows = store.content.content
    index = tf.reshape(base.handle, [1, 1])
    tensors = tuple(
      tf.tensor_scatter_nd_update(old, index, tensor[tf.newaxis])
      for old, tensor in zip(rows.tensors, new, strict=True)
    )
    store.content = LocalList(Rows(rows.length, tensors, rows.form))

  def _content_place(self) -> Place:
    return self.place_of_content(CONTENT_STEP, frozenset([list]))

  def place_of_content(self, step: tuple[str, type], kinds: frozenset[type]) -> Place:
    """Returns the place of what lists, or dicts, of the heap hold."""
    place = self._place(step, ATTRIBUTE, None, step, table_form(_forms.MadeForm()))
    place.item_kinds = kinds
    return place

  def _first(self, frame: Frame, ref: Ref) -> Rows:
    """Returns what a list held as the run began: numbers beside all else by their numbers."""
    first = read_numbers(frame, frame.elements(ref))
    if not isinstance(first.form, _forms.RefForm) or not _is_mixed(first.form):
      return first
    frame.note_old(first.form.types)
    numbers = tuple(tf.cast(handles, _forms.NUMBER) for handles in first.tensors)
    return Rows(first.length, numbers, _forms.MadeForm())

  def _family(self, place: Place, first: _forms.Form) -> frozenset[object]:
    """Returns what lists of these elements are known by: all types that some have in common.

    What a list holds is read as what lists of its family hold; the run fails if it is another.
    """
    types = frozenset[object](first.types) if isinstance(first, _forms.RefForm) else frozenset()
    known = [one for one in place.next_rows if one == types or not one.isdisjoint(types)]
    return types.union(*known)

  def _noted(self, frame: Frame, place: Place, family: frozenset[object], rows: Rows) -> RowsForm:
    """Returns the form of all that lists of a family hold, with these elements noted."""
    form = rows.form
    if _forms.has_containers(form):
      text = "A list or dict of the tree gets lists, dicts or objects that the run makes."
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, text)
    try:
      for one, known in place.next_rows.items():
        if one <= family and known.element is not None:
          form = known.element if form is None else frame.join(known.element, form)
    except _forms.Mismatch as error:
      raise frame.refuse(Reason.KINDS_DIFFER, f"The elements of lists are {error}.") from None
    found = RowsForm(form)
    if place.next_rows.get(family) != found:
      place.next_rows = {k: v for k, v in place.next_rows.items() if not k <= family or k == family}
      place.next_rows[family] = found
      self._note_news()
    return found

  def _kept_element(self, ip: Host, ref: Ref, value: object) -> object:
    """Returns an element that is put into a list of the heap: containers by their numbers."""
    frame = ip.frame
    form = _forms.form_of(value, frame)
    if _is_mixed(frame.elements(ref).form) or _forms.has_containers(form) or _forms.has_rows(form):
      return Made(frame.handle(value))
    return value

  def call_method_of_list(
    self, ip: Host, ref: Ref, name: str, args: Sequence[object], kwargs: dict[str, object]
  ) -> object:
    """Calls a changing method of a list of the heap."""
    frame = ip.frame
    if name not in _METHODS:
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, f".{name} of a list of the tree.")
    place = self._content_place()
    self.store(frame, place, True)
    content = frame.new(LocalList(self._rows(ip, ref)))
    if name in ("append", "insert") and args:
      args = [*args[:-1], self._kept_element(ip, ref, args[-1])]
    store = self.store(frame, place, True)
    before = store.content
    with self.noting_reads() as read:
      found = ip.method(content, name, list(args), kwargs)
    is_seen = name == "sort" and place.key in read  # Python empties it while it sorts.
    is_read = any(store in getattr(getattr(arg, "lazy", None), "stores", ()) for arg in args)
    if is_seen or is_read or store.content is not before:
      text = f"list.{name} with what reads or changes lists meanwhile."
      raise frame.refuse(Reason.EFFECT_ORDER, text)
    self.write_list(ip, ref, content)
    return found

  def write_list_item(self, ip: Host, ref: Ref, key: object, value: object) -> None:
    """Does `owner[key] = value` of a list of the heap."""
    frame = ip.frame
    self.store(frame, self._content_place(), True)
    content = frame.new(LocalList(self._rows(ip, ref)))
    ip.write_item(content, key, self._kept_element(ip, ref, value))
    self.write_list(ip, ref, content)


def _is_mixed(form: _forms.Form) -> bool:
  """Tells whether elements are numbers or strings, and others besides."""
  types = form.types - {NoneType} if isinstance(form, _forms.RefForm) else frozenset[type]()
  return len(types) > 1 and bool(types & {str, *_forms.NUMBERS})


def there(frame: Frame, ref: Ref) -> Base:
  """Returns the object behind a read; the run fails where it is None, which has no row."""
  base = frame.base(ref)
  if NoneType not in base.types:
    return base
  handle = frame.check(base.handle, base.handle >= 0, "an attribute of None is used")
  return Base(handle, base.types - {NoneType})


def _unless_changed(states: Callable[[], Sequence[tf.Tensor]]) -> Callable[[], tf.Tensor]:
  """Returns what tells whether something gives what it gives now."""
  before = states()
  return lambda: functools.reduce(
    tf.logical_and, (tf.equal(old, new) for old, new in zip(before, states(), strict=True))
  )
