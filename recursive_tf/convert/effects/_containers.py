"""Lists and dicts of the heap that are known at conversion and that the program changes."""

from __future__ import annotations

import collections
from collections.abc import Callable

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.effects._places import DICT, HISTORY, LIST, Places, Store, generalized
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host, State
from recursive_tf.convert.frame._keys import find, keeps_its_own, key_of, unless_none
from recursive_tf.convert.frame._kinds import MAKERS
from recursive_tf.convert.frame._rows import (
  concatenated,
  rows_cleared,
  rows_of_items,
  rows_replaced,
  rows_without,
)
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  LocalList,
  Made,
  Raises,
  Rows,
  named,
)
from recursive_tf.convert.values._forms import RowsForm, part_of
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._signatures import check_count

DICTS = (dict, collections.Counter, collections.defaultdict)
TABLES = (*DICTS, set)  # Known by their keys.
_OF_SETS = frozenset(["add", "discard", "remove"])
_READING = frozenset(["get", "keys", "values", "items", "copy", "index", "count"])


class ContainerEffects(Places):
  """Changes of lists and dicts."""

  def content_of(self, frame: Frame, owner: object) -> object:
    """Returns the content that a known list or dict has in the run, None if it does not change."""
    keys = [(kind, id(owner)) for kind in (LIST, DICT)] if type(owner) in (list, *TABLES) else []
    return next((frame.stores[key].content for key in keys if key in frame.stores), None)

  # --- Lists

  def _list_store(self, ip: Host, owner: object, is_read: bool) -> Store:
    place = self._place((LIST, id(owner)), LIST, owner, None, RowsForm(None))
    try:
      return self.store(ip.frame, place, is_read)
    except _forms.Mismatch as error:
      raise ip.frame.refuse(Reason.KINDS_DIFFER, f"The elements of a list are {error}.") from None

  def call_static(
    self, ip: Host, owner: object, name: str, args: list[object], kwargs: dict[str, object]
  ) -> State | None:
    """Calls a changing method of a list or dict of the heap that is known at conversion."""
    kind = type(owner)
    if isinstance(owner, (list, dict)):
      check_count(isinstance(owner, dict), name, args, kwargs)
    if isinstance(owner, (list, dict)) and _libraries.is_library(kind):
      if name not in _READING:  # They note what they hold in further places.
        raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f".{name} of a library's {kind.__name__}.")
    if isinstance(owner, list):
      return self._call_list(ip, owner, name, args)
    if isinstance(owner, dict):
      return self._call_dict(ip, owner, name, args)
    if type(owner) is set and name in _OF_SETS and len(args) == 1 and not kwargs:
      self._change_set(ip, owner, name, args[0])
      return State(None)
    if isinstance(owner, set):
      raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, "A set of the heap is changed.")
    return None

  def _change_set(self, ip: Host, owner: set[object], name: str, key: object) -> None:
    """Does `add`, `discard` or `remove` of a known set.

    In which order Python shows the members depends on all that was done to it. So where any are
    taken out, all that is done is noted in order, and done again after the run.
    """
    place = self._place((DICT, id(owner)), DICT, owner, None, RowsForm(None))
    history = (HISTORY, place.key)
    if name != "add":
      self._place(history, HISTORY, place, None, RowsForm(None))
    key = key_of(ip, key)
    if history in self.places:
      store = self.store(ip.frame, self.places[history], False)
      self.append(ip, store, (key, Number(tf.constant(name == "add"), bool)))
    if name == "add":
      self._write_dict(ip, owner, key, Number(tf.constant(True), bool))
    else:
      self._remove(ip, owner, "__delitem__", key, *([None] if name == "discard" else []))

  def _call_list(
    self, ip: Host, owner: list[object], name: str, args: list[object]
  ) -> State | None:
    if name in ("append", "extend"):
      store = self._list_store(ip, owner, False)
      is_one = name == "append"
      given = self._kept(ip, args[0], is_whole=is_one)
      rows = None if is_one else ip.rows_of(given)
      if rows is None:
        items = [given] if is_one else ip.fixed_items(given)
        rows = rows_of_items(ip.frame, [generalized(ip.frame, item) for item in items])
      self._extend(ip, store, rows)
      return State(None)
    if name in ("pop", "insert", "clear", "reverse", "__delitem__", "__imul__"):
      return self._change_list(ip, owner, name, args)
    if name in ("copy", "index", "count", "__len__", "__getitem__"):
      return None
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"list.{name} of a list of the heap.")

  def _change_list(self, ip: Host, owner: list[object], name: str, args: list[object]) -> State:
    """Does what a list made in the run does, and notes which of the first elements stay."""
    store = self._list_store(ip, owner, True)
    gone, kept, content = store.content
    changed = ip.frame.new(LocalList(content.content))
    if name == "insert":
      args = [args[0], generalized(ip.frame, self._kept(ip, args[1]))]
    found = ip.method(changed, name, args, {})
    if (
      name == "pop" and args and type(args[0]) is int and args[0] == 0
    ):  # The first of those that stay, if any stay.
      is_kept = tf.cast(kept.tensor > 0, tf.int64)
      gone, kept = Number(gone.tensor + is_kept, int), Number(kept.tensor - is_kept, int)
    elif name == "pop" and not args:
      rows = changed.content
      assert isinstance(rows, Rows)  # As it was.
      kept = _at_most(kept, rows.length)
    else:
      kept = Number(tf.constant(0, tf.int64), int)
    self.set(ip, store, (gone, kept, changed))
    return State(found)

  def _extend(self, ip: Host, store: Store, rows: Rows) -> None:
    if store.place.is_log:
      content = LocalList(concatenated(ip.frame, store.content.content, rows))
      self.set(ip, store, content)
      return
    gone, kept, content = store.content
    more = LocalList(concatenated(ip.frame, content.content, rows))
    self.set(ip, store, (gone, kept, more))

  def read_static_elements(self, ip: Host, owner: object) -> State | None:
    """Returns the elements of a known list that the program changes."""
    if (LIST, id(owner)) in self.places:
      return State(self._list_store(ip, owner, True).content[2].content)
    if (DICT, id(owner)) in self.places:
      if type(owner) is set:
        raise ip.frame.refuse(Reason.EFFECT_ORDER, "The order of a set is Python's own.")
      return State(part_of(self._dict_rows(ip, owner), 0))
    return None

  def is_changed(self, owner: object) -> bool:
    """Tells whether the program changes a known list or dict."""
    return (LIST, id(owner)) in self.places or (DICT, id(owner)) in self.places

  def read_static_length(self, ip: Host, owner: object) -> State | None:
    """Returns the length of a known list or dict that the program changes."""
    if (LIST, id(owner)) in self.places:
      return State(Number(self._list_store(ip, owner, True).content[2].content.length, int))
    if (DICT, id(owner)) in self.places:
      return State(Number(self._dict_rows(ip, owner).length, int))
    return None

  def _kept(self, ip: Host, value: object, is_whole: bool = True) -> object:
    """Returns a value that is put into a list or dict outside.

    Args:
      ip: the interpreter.
      value: the value.
      is_whole: whether it is put there itself, and not only its elements.
    """
    frame = ip.frame
    if is_whole and frame.conversion.made_kinds.is_wide:
      form = _forms.form_of(value, frame)
      if frame.conversion.made_kinds.ended(form) == _forms.MadeForm():
        return Made(frame.handle(value))  # The same object, wherever else it is.
    frame.sharing.keep(value, f"line {frame.line} keeps it in a list or dict of the heap")
    return value

  # --- Dicts

  def _dict_store(self, ip: Host, owner: object, is_read: bool) -> Store:
    place = self._place((DICT, id(owner)), DICT, owner, None, RowsForm(None))
    keys = owner if isinstance(owner, (dict, set)) else ()
    why = next(filter(None, map(_libraries.why_no_tensor, keys)), None)
    if why is not None:
      raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, why)
    try:
      return self.store(ip.frame, place, is_read)
    except _forms.Mismatch as error:
      raise ip.frame.refuse(Reason.KINDS_DIFFER, f"The items of a dict are {error}.") from None

  def _dict_rows(self, ip: Host, owner: object) -> Rows:
    rows = self._dict_store(ip, owner, True).content.content
    assert isinstance(rows, Rows)  # Stores of dicts hold rows.
    return rows

  def read_membership(self, ip: Host, owner: object, value: object) -> State | None:
    """Returns `value in owner` for a known dict that the program changes."""
    if not isinstance(owner, (dict, set)) or (DICT, id(owner)) not in self.places:
      return None
    return State(self.membership(ip, owner, value))

  def membership(self, ip: Host, owner: object, value: object) -> object:
    """Returns `value in owner` for a known dict, from its items as the run has them."""
    rows = self._dict_rows(ip, owner)
    if rows.form is None:
      key_of(ip, value)  # That it is a key at all.
      return False
    keys = part_of(rows, 0)
    return unless_none(ip, keys, value, lambda: find(ip, keys, key_of(ip, value))[0], lambda: False)

  def read_table(self, ip: Host, owner: object, key: object) -> State | None:
    """Returns `owner[key]` for a known list or dict that the program changes."""
    if (LIST, id(owner)) in self.places:
      content = self._list_store(ip, owner, True).content[2]
      return State(ip.item(content, key))
    if (DICT, id(owner)) not in self.places:
      return None
    return State(self._lookup(ip, owner, key, None))

  def item_of_dict(self, ip: Host, owner: object, key: object, *default: object) -> object:
    """Returns an item of a known dict, from its items as the run has them."""
    return self._lookup(ip, owner, key, (lambda: default[0]) if default else None)

  def item_or_made(self, ip: Host, owner: object, key: object) -> object:
    """Returns an item of a `Counter`, or of a `defaultdict`, which makes those that are missing."""
    if type(owner) is collections.Counter:
      return self.item_of_dict(ip, owner, key, 0)
    maker: object = None
    if type(owner) is collections.defaultdict:
      factories = ip.conversion.factories  # Each call's has the same.
      is_given = id(owner) in factories
      guards = ip.conversion.guards
      maker = factories[id(owner)] if is_given else guards.attribute(owner, "default_factory")
    if maker not in MAKERS:
      raise ip.frame.refuse(
        Reason.OPAQUE_READ, f"A {type(owner).__name__} makes items when they are read."
      )
    found = self._call_dict(ip, owner, "setdefault", [key, ip.call(maker, [], {})])
    assert found is not None  # It is done here.
    return found.value

  def _lookup(
    self, ip: Host, owner: object, key: object, default: Callable[[], object] | None
  ) -> object:
    frame = ip.frame
    rows = self._dict_rows(ip, owner)
    form = rows.form
    if form is None:
      if default is not None:
        return default()
      raise Raises
    keys = part_of(rows, 0)

    def look() -> object:
      found, place = find(ip, keys, key_of(ip, key))
      if default is not None:
        return frame.cond(found, lambda: read(place), default)
      return read(frame.check(place, found.tensor, "a dict has no such key"))

    def read(place: tf.Tensor) -> object:
      tensors = [tf.gather(tensor, place) for tensor in rows.tensors]
      return frame.adopt(_forms.unflatten(form, iter(tensors)))[1]

    return unless_none(ip, keys, key, look, default)

  def write_container(self, ip: Host, owner: object, key: object, value: object) -> None:
    """Does `owner[key] = value` for a known list or dict."""
    frame = ip.frame
    value = self._kept(ip, value)
    if type(owner) in DICTS:
      self._write_dict(ip, owner, key, generalized(frame, value))
    elif type(owner) is list:
      self._write_list_item(ip, owner, frame.resolve(key), generalized(frame, value))
    else:
      raise frame.refuse(
        Reason.UNSUPPORTED_WRITE, f"An item of a {type(owner).__name__} of the heap is written."
      )

  def _write_dict(self, ip: Host, owner: object, key: object, value: object) -> None:
    frame = ip.frame
    store = self._dict_store(ip, owner, False)
    key = key_of(ip, key)
    if store.place.is_log:
      self.append(ip, store, (key, value))
      return
    rows = self._dict_rows(ip, owner)
    new = rows_of_items(frame, [(key, value)])
    if rows.form is None:
      self.set(ip, store, LocalList(new))
      return
    keys = part_of(rows, 0)
    found, index = find(ip, keys, key)

    def replace() -> object:
      changed = new
      if keys.form is not None and keeps_its_own(keys.form, _forms.form_of(key, frame)):
        own = _forms.unflatten(keys.form, iter([tf.gather(t, index) for t in keys.tensors]))
        changed = rows_of_items(frame, [(frame.adopt(own), value)])
      return LocalList(rows_replaced(frame, rows, index, changed))

    def add() -> object:
      return LocalList(concatenated(frame, rows, new))

    self.set(ip, store, frame.cond(found, replace, add))

  def _write_list_item(self, ip: Host, owner: object, key: object, value: object) -> None:
    frame = ip.frame
    is_run_int = isinstance(key, Number) and key.type is not float
    if not is_run_int and type(key) not in (int, bool):
      raise frame.refuse(
        Reason.UNSUPPORTED_WRITE, f"Items of a list of the heap are written, by a {named(key)}."
      )
    store = self._list_store(ip, owner, True)
    gone, kept, content = store.content
    rows = content.content
    index = frame.place(key, rows.length, "list assignment index out of range")
    new = LocalList(rows_replaced(frame, rows, index, rows_of_items(frame, [value])))
    self.set(ip, store, (gone, _at_most(kept, index), new))

  def _call_dict(self, ip: Host, owner: object, name: str, args: list[object]) -> State | None:
    key = (DICT, id(owner))
    if name == "get" and key in self.places:
      default = args[1] if len(args) > 1 else None
      return State(self._lookup(ip, owner, args[0], lambda: default))
    if name == "setdefault" and len(args) == 2:
      there = self.read_membership(ip, owner, args[0])
      if there is None:
        self._dict_store(ip, owner, True)
        there = State(False)

      def add() -> object:
        value = self._kept(ip, args[1])
        self._write_dict(ip, owner, args[0], generalized(ip.frame, value))
        return value

      pred = there.value
      return State(ip.frame.cond(pred, lambda: self._lookup(ip, owner, args[0], None), add))
    if name in ("pop", "__delitem__", "clear") and type(owner) not in DICTS:
      raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f".{name} of a {named(owner)}.")
    if name in ("pop", "__delitem__") and 1 <= len(args) <= (2 if name == "pop" else 1):
      return State(self._remove(ip, owner, name, *args))
    if name == "clear" and not args:
      store = self._dict_store(ip, owner, True)
      self.set(ip, store, LocalList(rows_cleared(self._dict_rows(ip, owner))))
      return State(None)
    if name in ("get", "keys", "values", "items", "copy", "__getitem__", "__len__"):
      return None
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"dict.{name} of a dict of the heap.")

  def _remove(self, ip: Host, owner: object, name: str, key: object, *default: object) -> object:
    """Does `owner.pop(key, ...)` or `del owner[key]`; returns what was there, or the default."""
    frame = ip.frame
    store = self._dict_store(ip, owner, True)
    found = None
    if name == "pop":
      found = self._lookup(ip, owner, key, (lambda: default[0]) if default else None)
    rows = self._dict_rows(ip, owner)
    if rows.form is None:
      if default:
        return found
      raise Raises  # A KeyError.
    is_there, index = find(ip, part_of(rows, 0), key_of(ip, key))
    if not default and not (type(owner) is collections.Counter and name == "__delitem__"):
      frame.demand(is_there.tensor)

    def removed() -> object:
      return LocalList(rows_without(frame, rows, index))

    self.set(ip, store, frame.cond(is_there, removed, lambda: LocalList(rows)))
    return found


def _at_most(number: Number, most: tf.Tensor) -> Number:
  return Number(tf.minimum(number.tensor, tf.cast(most, tf.int64)), int)
