"""Dicts of the heap that the program changes by keys of the run, whichever of them the run finds.

They are known as lists are (`_heap_lists.py`): of each object that is a dict whether it has been
changed, and the number of the row that holds its items since. What the program does to one is done
to a dict of its own with these items, which then becomes the next row.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterable, Sequence

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.effects._heap_lists import HeapLists
from recursive_tf.convert.effects._places import DICT_STEP, Place
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import read_numbers
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  VIEWS,
  LocalList,
  LocalTable,
  Missing,
  Ref,
  Rows,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._paths import Path

CHANGED_DICTS = frozenset[type]([dict, collections.defaultdict])
_REMOVING = ("pop", "clear", "__delitem__")
_METHODS = frozenset(["setdefault", "update", *_REMOVING])
# What a read does with an object that tells nothing of what is in it.
_OUTSIDE = frozenset(["attr", "isinstance", "in", "lookup"])


class HeapDicts(HeapLists):
  """What dicts of the heap hold, where the program changes any by keys of the run.

  Attributes:
    dicts_shrink: whether items are taken out of any.
    dicts_are_whole: whether items by known keys are a part of all that a dict holds, so that new
      ones come in Python's order.
    keys_before: by such a key, those that each dict has surely been given before it.
  """

  def __init__(self, note_news: Callable[[], None], add_root: Callable[[object], None]):
    super().__init__(note_news, add_root)
    self.dicts_shrink = self.dicts_are_whole = False
    self.keys_before: dict[object, frozenset[object]] = {}

  def in_order(self, new: Iterable[object]) -> list[object] | None:
    """Returns new keys of one dict in Python's order; None if that is not known."""
    before = {key: self.keys_before.get(key, frozenset()) for key in new}
    found = sorted(before, key=lambda key: len(before[key] & before.keys()))
    is_sure = all(one in before[other] for one, other in itertools.combinations(found, 2))
    return found if is_sure else None

  def changed_dicts(self, kinds: Collection[type]) -> frozenset[type]:
    """Returns which of some types are those of dicts of the heap that the program changes."""
    return CHANGED_DICTS.intersection(kinds) if DICT_STEP in self.places else frozenset()

  def table_of_dict(self, ip: Host, ref: Ref) -> LocalTable | None:
    """Returns a dict with what one of the heap holds now; None if the program changes none such."""
    frame = ip.frame
    kinds = frame.types_of(ref) - {NoneType, Missing}
    if not self.changed_dicts(kinds):
      return None
    if len(kinds) > 1:
      text = "What may be a dict or something else is read: dicts change."
      raise frame.refuse(Reason.EFFECT_ORDER, text)
    return self._table(ip, ref)

  def taken_dict(self, ip: Host, ref: Ref) -> LocalTable | None:
    """Returns a dict as if the program changed such, for a key that no other way looks up.

    None where it cannot: of what may be something else, and where dicts are not changed so. One
    that is passed in is a place of its own, which knows tuples as keys, too.
    """
    kinds = ip.frame.types_of(ref) - {NoneType, Missing}
    if not ref.path or len(kinds) != 1 or not kinds <= CHANGED_DICTS or ip.conversion.is_step:
      return None
    self.store(ip.frame, self.place_of_dicts(), True)
    return self._table(ip, ref)

  def _table(self, ip: Host, ref: Ref) -> LocalTable:
    """Returns what a dict holds now, also of a `defaultdict`: what is missing is made elsewhere."""
    frame = ip.frame
    place = self.places[DICT_STEP]
    state = self._state(ip, place, ref)
    first = frame.memo(("first items", *ref.key), lambda: self._first_items(ip, ref))
    form = _form_of(place, ref)
    if form is None:  # No such dict is changed; but this one may also be one of others.
      frame.demand(tf.logical_not(state[0]))
      return frame.new(LocalTable(dict, first))
    found = self._content(ip, state, form, first)
    return frame.new(LocalTable(dict, found))

  def _first_items(self, ip: Host, ref: Ref) -> Rows:
    """Returns the items that a dict held as the run began, as a dict of the run has them."""
    frame = ip.frame
    before = Ref(dataclasses.replace(ref.base, is_before=True), ref.path)
    keys, values = (frame.elements(before.step(part)) for part in ("keys", "values"))
    if keys.form is None or values.form is None:
      return Rows(keys.length, (), None)
    values = read_numbers(frame, values)
    assert values.form is not None  # It is what it was, or a number.
    form = _forms.NestForm(tuple, (0, 1), (keys.form, values.form))
    pairs = Rows(keys.length, (*keys.tensors, *values.tensors), form)
    found = ip.call(dict, [frame.new(LocalList(pairs))], {})
    assert isinstance(found, LocalTable)  # Of pairs only the run knows.
    return found.rows

  def view_of_dict(self, ip: Host, ref: Ref, table: LocalTable, name: str) -> LocalList:
    """Returns the keys, values or items of a dict of the heap that may change.

    It cannot be read any more once a dict has changed; a loop over it fails where this one does.
    """
    view = ip.method(table, name, [], {})
    assert isinstance(view, LocalList)  # As every view.
    view.of_heap = ref
    place = self.places[DICT_STEP]
    content = self.store(ip.frame, place, True).content
    frame = ip.frame
    frame.sharing.note_opened(view, lambda: self.store(ip.frame, place, True).content is content)
    return view

  def read_of_dict(self, ip: Host, ref: Ref, name: str, args: Sequence[object]) -> object:
    """Calls a method that changes nothing, of a dict of the heap that may change."""
    table = self.table_of_dict(ip, ref)
    assert table is not None  # Who calls it has asked.
    if name == "__getitem__" and len(args) == 1:
      return ip.item(ref, args[0])
    if name == "copy" and dict not in ip.frame.types_of(ref):
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A copy of a defaultdict of the tree.")
    if name in VIEWS and not args:
      return self.view_of_dict(ip, ref, table, name)
    return ip.method(table, name, args, {})

  def watched(self, ip: Host, value: object) -> Callable[[], tf.Tensor] | None:
    """Returns what tells whether a list or dict of the heap is as it is now."""
    ref = value.of_heap if isinstance(value, LocalList) and value.of_heap is not None else value
    if not isinstance(ref, Ref):
      return super().watched(ip, value)
    if not self.changed_dicts(ip.frame.types_of(ref) - {NoneType, Missing}):
      return super().watched(ip, value)
    table = self.table_of_dict(ip, ref)
    assert table is not None  # Else it is as ever.
    place = self.places[DICT_STEP]
    was_changed, old = self._state(ip, place, ref)

    def is_as_before() -> tf.Tensor:
      is_changed, new = self._state(ip, place, ref)
      same = tf.logical_and(tf.equal(was_changed, is_changed), tf.equal(old, new))
      if value is not ref or self.dicts_shrink:
        return same
      # Values may be others: a loop over keys sees none of them.
      length = self._table(ip, ref).rows.length
      return tf.logical_or(same, tf.equal(length, table.rows.length))

    return is_as_before

  def write_dict(self, ip: Host, ref: Ref, table: LocalTable) -> None:
    """Lets a dict of the heap hold the items of one of the run."""
    rows = table.rows
    if rows.form is None:
      return  # There is nothing in it, and there was not.
    place = self.place_of_dicts()
    self.write_content(ip, place, ref, rows, _family_of(ref))

  def place_of_dicts(self) -> Place:
    """Returns the place of what dicts of the heap hold."""
    return self.place_of_content(DICT_STEP, CHANGED_DICTS)

  def call_method_of_dict(
    self, ip: Host, ref: Ref, name: str, args: Sequence[object], kwargs: dict[str, object]
  ) -> object:
    """Calls a changing method of a dict of the heap."""
    frame = ip.frame
    if name not in _METHODS:
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, f".{name} of a dict of the tree.")
    if name in _REMOVING and not self.dicts_shrink:
      self.dicts_shrink = True
      self._note_news()
    place = self.place_of_dicts()
    store = self.store(frame, place, True)
    before = store.content
    table = self._table(ip, ref)
    found = ip.method(table, name, list(args), kwargs)
    if store.content is not before:
      text = f"dict.{name} with what changes dicts meanwhile."
      raise frame.refuse(Reason.EFFECT_ORDER, text)
    self.write_dict(ip, ref, table)
    return found

  def write_dict_item(self, ip: Host, ref: Ref, key: object, value: object) -> None:
    """Does `owner[key] = value` of a dict of the heap."""
    self.store(ip.frame, self.place_of_dicts(), True)
    table = self._table(ip, ref)
    ip.write_item(table, key, value)
    self.write_dict(ip, ref, table)

  def note_passed(
    self, path: Path, types: frozenset[type], types_of: Callable[[Path], frozenset[type]]
  ) -> None:
    """Notes a read of what a dict had in it before the run, whatever the run has written.

    Args:
      path: the read.
      types: of the objects that it begins with.
      types_of: gives the types of what a part of it reads.
    """
    if DICT_STEP not in self.places:
      return
    for i, step in enumerate(path):
      if step[0] in _OUTSIDE or step == ("eq", None):
        continue
      kinds = types_of(path[:i]) if i else types
      if not CHANGED_DICTS.isdisjoint(kinds):
        self._passed_by.append(self.places[DICT_STEP])


def _form_of(place: Place, ref: Ref) -> _forms.RowsForm | None:
  """Returns the form of what a dict may hold; of one that is passed on, if all have the same."""
  family = _family_of(ref)
  if family in place.rows or ref.path:
    return place.rows.get(family)
  forms = {*place.rows.values()}
  return forms.pop() if len(forms) == 1 else None


def _family_of(ref: Ref) -> frozenset[object]:
  """Returns what dicts are known by that hold alike items: the attribute that they are read as.

  What a dict holds is read as what those of its family hold; the run fails if it is another.
  """
  is_attribute = bool(ref.path) and ref.path[-1][0] == "attr"
  return frozenset([ref.path[-1] if is_attribute else None])
