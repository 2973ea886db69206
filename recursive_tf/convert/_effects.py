"""What a program does to Python's heap and output.

A place that the program writes (an attribute, a list, a dict, a variable, the output) has a *store*
in each frame. A place that it also reads is passed down with every call and comes back changed, so
that calls happen in Python's order. One that it only writes is a *log*: each call returns what it
added, the caller puts that after its own, and calls stay parallel. After the run, and only if all
of it succeeded, the stores are committed to the real objects.
"""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from recursive_tf.convert import _attributes, _calls, _encode, _forms, _libraries, _output
from recursive_tf.convert import _sequences as seq
from recursive_tf.convert._forms import NestForm, NoneType, NumberForm, RefForm, RowsForm, UnsetForm
from recursive_tf.convert._numbers import Number
from recursive_tf.convert._profile import Facts
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert._values import (
  Bottom,
  BoundMethod,
  Local,
  LocalDict,
  LocalList,
  LocalObject,
  Maybe,
  Missing,
  Ref,
  Rows,
  merged,
)

ATTRIBUTE, VARIABLE, LIST, DICT, LOG = "attribute", "variable", "list", "dict", "log"


@dataclasses.dataclass
class Place:
  """Something that a program writes.

  Attributes:
    key: what it is, the same in each attempt.
    kind: one of the kinds above.
    owner: the object that it belongs to: None for attributes of heap objects, and the output.
    name: of attributes and variables; for items of heap objects the step.
    form: of a store's content, in this attempt.
    is_read: whether the program reads it, so that it is passed down, in this attempt.
    next_form, next_is_read: what this attempt found them to be.
    is_absent_at_first: whether there is no such variable when a run begins.
  """

  key: Any
  kind: str
  owner: Any
  name: Any
  form: Any
  is_read: bool = False
  is_absent_at_first: bool = False
  next_form: Any = None
  next_is_read: bool = False

  @property
  def is_log(self) -> bool:
    """Whether calls return what they added, rather than all of it."""
    return not self.is_read


class Store(Local):
  """What a frame knows of a place.

  Attributes:
    place: the place.
    content: its state; of a log, what this frame added so far.
  """

  def __init__(self, place: Place, content: Any):
    self.place = place
    self.content = content

  def snapshot(self) -> dict[str, Any]:
    """Returns the content."""
    return {"content": self.content}

  def restore(self, content: dict[str, Any]) -> None:
    """Puts back the content."""
    self.content = merged({"content": self.content}, content)["content"]


@dataclasses.dataclass(frozen=True)
class State:
  """The value of a place that the program writes, as it is at this point of the run."""

  value: Any


class Effects:
  """The places of one conversion.

  Attributes:
    places: by key, in the order in which they were found; kept from attempt to attempt.
    uses: the places that an instance, or what it calls, writes or reads.
  """

  def __init__(self, note_news: Callable[[], None], add_root: Callable[[Any], None]):
    self.places: dict[Any, Place] = {}
    self.uses: dict[Any, dict[Any, None]] = {}
    self._next_uses: dict[Any, dict[Any, None]] = {}
    self.sites: dict[Any, _output.Site] = {}
    self.shows_objects = False
    self._note_news = note_news
    self._add_root = add_root

  def begin_attempt(self) -> None:
    """Starts an attempt with all that the one before found out."""
    self.uses = {key: dict(places) for key, places in self._next_uses.items()}
    self.uses[None] = dict.fromkeys(self.places)
    for place in self.places.values():
      place.form, place.is_read = place.next_form, place.next_is_read

  @property
  def is_pure(self) -> bool:
    """Whether the program writes nothing."""
    return not self.places

  is_unordered = is_pure

  # --- Stores

  def _place(self, key: Any, kind: str, owner: Any, name: Any, form: Any) -> Place:
    if key not in self.places:
      self.places[key] = Place(key, kind, owner, name, form, next_form=form)
      self._note_news()
    return self.places[key]

  def store(self, frame: Any, place: Place, is_read: bool) -> Store:
    """Returns a place's store in a frame; it is made when it is first asked for."""
    if is_read and not place.next_is_read:
      place.next_is_read = True
      if place.kind == LIST:
        place.next_form = NestForm(tuple, (0, 1), (NumberForm(int), self._initial_rows(place)))
      elif place.kind == DICT:
        place.next_form = self._initial_rows(place)
      elif place.kind == ATTRIBUTE:
        place.next_form = _table_form(_element_form(place.next_form))
      self._note_news()
    known = self._next_uses.setdefault(frame.key, {})
    if frame.key is not None and place.key not in known:
      known[place.key] = None
      self._note_news()
    if place.key not in frame.stores or (is_read and not place.is_read):
      raise Bottom  # The next attempt passes it.
    return frame.stores[place.key]

  def begin(self, frame: Any, tensors: Callable[[Place], Iterator[tf.Tensor]]) -> None:
    """Makes the stores of a frame.

    Args:
      frame: the frame; its `key` says whose.
      tensors: gives the tensors of the state of a place that is passed down.
    """
    for place in self.returned(frame.key):
      if place.is_log:
        content = self._empty()
      else:
        content = _forms.unflatten(place.form, tensors(place))
      store = Store(place, content)
      frame.stores[place.key] = store
      frame.locals.append(store)

  def _empty(self) -> LocalList:
    return LocalList(Rows(tf.constant(0), (), None))

  def _initial_rows(self, place: Place) -> RowsForm:
    values = list(place.owner.items()) if place.kind == DICT else list(place.owner)
    found = _encode.joined_rows(values)
    if place.kind == DICT:
      found = _rows_of_pairs(found)
    self._add_roots(found, values)
    return found

  def _add_roots(self, form: Any, value: Any) -> None:
    for obj in _encode.objects_in(form, value):
      self._add_root(obj)

  def set(self, ip: Any, store: Store, content: Any) -> None:
    """Puts a new content into a store."""
    try:
      form = _forms.generalized(_forms.form_of(content, ip.frame), is_argument=True)
      form = _forms.join(store.place.next_form, form)
    except _forms.Mismatch as error:
      raise ip.frame.refuse(
        Reason.KINDS_DIFFER, f"{self.describe(store.place)} is {error} at different times."
      ) from None
    if form != store.place.next_form:
      store.place.next_form = form
      self._note_news()
    if form != store.place.form:
      raise Bottom  # The next attempt begins with the wider form.
    store.content = content

  def describe(self, place: Place) -> str:
    """Returns what messages call a place."""
    if place.kind == ATTRIBUTE:
      return f"The {place.name[0]} {place.name[1]!r} that is written"
    if place.kind == VARIABLE:
      return f"The variable {place.name!r}"
    return f"The {place.kind} that is changed"

  # --- Passing stores with calls

  def passed(self, key: Any) -> list[Place]:
    """Returns the places whose state an instance is given."""
    return [self.places[k] for k in self.uses.get(key, {}) if not self.places[k].is_log]

  def returned(self, key: Any) -> list[Place]:
    """Returns the places whose state, or what was added, an instance returns."""
    return [self.places[k] for k in self.uses.get(key, {})]

  def arguments(self, frame: Any, key: Any) -> list[tf.Tensor]:
    """Returns the tensors of the state that a call passes."""
    return [
      tensor
      for place in self.passed(key)
      for tensor in _forms.flatten(self.store(frame, place, True).content, place.form, frame)
    ]

  def receive(self, ip: Any, key: Any, tensors: Iterator[tf.Tensor]) -> None:
    """Takes over the state that a call returned."""
    for place in self.returned(key):
      store = self.store(ip.frame, place, place.is_read)
      content = _forms.unflatten(place.form, tensors)
      if place.is_log:
        content = LocalList(seq.concatenated(ip, store.content.content, content.content))
      store.content = content

  def results(self, frame: Any, key: Any) -> list[tf.Tensor]:
    """Returns the tensors of the state that an instance returns."""
    return [
      tensor
      for place in self.returned(key)
      for tensor in _forms.flatten(
        self.store(frame, place, place.is_read).content, place.form, frame
      )
    ]

  def initial_state(self, frame: Any, place: Place) -> Iterator[tf.Tensor]:
    """Returns the state of a place as a run begins."""
    inputs = frame.conversion.inputs
    if place.kind != ATTRIBUTE:
      return inputs.state(place.key, place.form)
    count = inputs.num_objects()
    tensors = [
      tf.zeros([count, *(size or 0 for size in spec.shape.as_list())], spec.dtype)
      for spec in _forms.specs(place.form.element)
    ]
    for tensor, spec in zip(tensors, _forms.specs(place.form.element), strict=True):
      tensor.set_shape(tf.TensorShape([None]).concatenate(spec.shape))
    return iter([count, *tensors])

  # --- Attributes of heap objects

  def read_heap(self, ip: Any, ref: Ref, name: str) -> State | None:
    """Returns an attribute of a heap object, if the program writes such attributes."""
    return self._read_step(ip, ref, ("attr", name))

  def read_item(self, ip: Any, ref: Ref, key: Any) -> State | None:
    """Returns an item of a heap object, if the program writes such items."""
    return self._read_step(ip, ref, ("item", key))

  def _read_step(self, ip: Any, ref: Ref, step: tuple[Any, ...]) -> State | None:
    place = self.places.get(step)
    if place is None:
      return None
    frame = ip.frame
    rows = self.store(frame, place, True).content.content
    base = frame.base(ref)
    element = _element_form(place.form)
    plain = Ref(base).step(*step)
    initial = frame.types_of(plain)
    if isinstance(element, UnsetForm):
      return State(frame.resolve(plain))
    present, *tensors = (tf.gather(tensor, base.handle) for tensor in rows.tensors)
    frame.num_partial += 1
    pred = Number(present, bool)
    written = frame.adopt(_forms.unflatten(element, iter(tensors)))
    if initial <= {Missing}:
      form = _forms.form_of(written, frame)
      checked = [
        frame.check(t, present, f"{step[1]} is not there") for t in
        _forms.flatten(written, form, frame)
      ]
      return State(frame.adopt(_forms.unflatten(form, iter(checked))))
    if initial == {NoneType} and _forms.can_be_none(element):
      return State(Maybe(written, present))
    return State(frame.cond(pred, lambda: written, lambda: frame.resolve(plain)))

  def is_there(self, ip: Any, ref: Ref, step: tuple[Any, ...]) -> Any:
    """Tells whether a heap object has an attribute that the program writes; None if it does not."""
    place = self.places.get(step)
    if place is None:
      return None
    frame = ip.frame
    rows = self.store(frame, place, True).content.content
    base = frame.base(ref)
    frame.num_partial += 1
    present = Number(tf.gather(rows.tensors[0], base.handle), bool)
    return ip._both(present, False, lambda: frame.is_there(Ref(base).step(*step)))

  def _write_step(self, ip: Any, ref: Ref, step: tuple[Any, ...], value: Any) -> None:
    frame = ip.frame
    kinds = frame.types_of(ref) - {NoneType, Missing}
    for kind in kinds:
      if step[0] == "attr" and not _is_plain_write(kind, step[1]):
        found = inspect.getattr_static(kind, step[1], None)
        if isinstance(found, property) and found.fset is not None and len(kinds) == 1:
          _calls.call(ip, BoundMethod(found.fset, ref), [value], {})
          return
        raise frame.refuse(
          Reason.UNSUPPORTED_WRITE, f"{kind.__name__}.{step[1]} is not a plain attribute."
        )
      if step[0] == "item" and kind not in (dict, list):
        raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"An item of a {kind.__name__} is written.")
    place = self._place(step, ATTRIBUTE, None, step, RowsForm(None))
    store = self.store(frame, place, False)
    base = frame.base(ref)
    value = _generalized(frame, value)
    if place.is_log:
      self._append(ip, store, (Ref(base), value))
      return
    frame.num_partial += 1
    element = _forms.form_of(value, frame)
    try:
      element = _forms.join(_element_form(place.next_form), element)
    except _forms.Mismatch as error:
      raise frame.refuse(
        Reason.KINDS_DIFFER, f"{step[1]!r} is {error} at different times."
      ) from None
    for facts in _facts_of(element):  # The next run finds what this one has written.
      frame.profile.expect(kinds, (step,), facts)
    rows = store.content.content
    index = tf.reshape(base.handle, [1, 1])
    ok = tf.reduce_all(base.handle >= 0)
    index = frame.check(index, ok, "an attribute of None is written")
    if element != _element_form(place.form):
      place.next_form = _table_form(element)
      self._note_news()
      raise Bottom
    if any(not spec.shape.is_fully_defined() for spec in _forms.specs(element)):
      raise frame.refuse(
        Reason.UNSUPPORTED_WRITE, f"{step[1]!r} is written with shapes that vary, and read."
      )
    new = [tf.constant(True), *_forms.flatten(value, element, frame)]
    tensors = tuple(
      tf.tensor_scatter_nd_update(old, index, tensor[tf.newaxis])
      for old, tensor in zip(rows.tensors, new, strict=True)
    )
    store.content = LocalList(Rows(rows.length, tensors, rows.form))

  def write_attribute(self, ip: Any, owner: Any, name: str, value: Any) -> None:
    """Does `owner.name = value`."""
    frame = ip.frame
    if isinstance(owner, Ref):
      self._write_step(ip, owner, ("attr", name), value)
      return
    if isinstance(owner, _ABSTRACT_OWNERS) or owner is None:
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"Attribute {name!r} of this is written.")
    if isinstance(owner, types.ModuleType) or _libraries.is_library(owner):
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"{name!r} of {owner!r} is written.")
    found = inspect.getattr_static(type(owner), name, None)
    if isinstance(found, property) and found.fset is not None:
      _calls.call(ip, BoundMethod(found.fset, owner), [value], {})
      return
    if not isinstance(owner, type) and not _is_plain_write(type(owner), name):
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"{name!r} is not a plain attribute.")
    if self._is_walked(frame, owner):
      self._write_step(ip, Ref(frame.base(owner)), ("attr", name), value)
      return
    self.write_variable(ip, owner, name, value)

  def _is_walked(self, frame: Any, owner: Any) -> bool:
    """Tells whether an object known at conversion may be one of the walked ones, too."""
    return type(owner) in frame.profile.followed_types() | frame.conversion.root_types

  # --- Variables: attributes of known objects, variables of enclosing functions

  def read_static(self, ip: Any, owner: Any, name: str) -> State | None:
    """Returns an attribute of a known object, if the program writes it."""
    if self.places.get(("attr", name)) is not None and self._is_walked(ip.frame, owner):
      return self._read_step(ip, Ref(ip.frame.base(owner)), ("attr", name))
    return self.read_variable(ip, owner, name)

  def read_variable(self, ip: Any, owner: Any, name: str) -> State | None:
    """Returns a variable, if the program writes it."""
    place = self.places.get((VARIABLE, id(owner), name))
    if place is None:
      return None
    if place.is_absent_at_first:
      raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"{name!r} is read, and may not be set yet.")
    return State(self.store(ip.frame, place, True).content)

  def write_variable(self, ip: Any, owner: Any, name: str, value: Any) -> None:
    """Sets an attribute of a known object, or a variable of an enclosing function."""
    is_absent = False
    try:
      now = value_of_variable(owner, name)
      initial = _encode.form_of_python(now)
      self._add_roots(initial, now)
    except (AttributeError, ValueError):
      initial = _forms.MaybeForm(UnsetForm())
      is_absent = True
    place = self._place((VARIABLE, id(owner), name), VARIABLE, owner, name, initial)
    place.is_absent_at_first = is_absent
    value = _generalized(ip.frame, value)
    if isinstance(value, (LocalList, LocalDict, LocalObject)):
      raise ip.frame.refuse(
        Reason.UNSUPPORTED_WRITE, f"A new {type(value).__name__[5:].lower()} is kept in {name!r}."
      )
    store = self.store(ip.frame, place, True)
    self.set(ip, store, value)

  # --- Lists

  def _list_store(self, ip: Any, owner: Any, is_read: bool) -> Store:
    place = self._place((LIST, id(owner)), LIST, owner, None, RowsForm(None))
    try:
      return self.store(ip.frame, place, is_read)
    except _forms.Mismatch as error:
      raise ip.frame.refuse(Reason.KINDS_DIFFER, f"The elements of a list are {error}.") from None

  def call_static(
    self, ip: Any, owner: Any, name: str, args: list[Any], kwargs: dict[str, Any]
  ) -> State | None:
    """Calls a changing method of a list or dict of the heap that is known at conversion."""
    if type(owner) is list or isinstance(owner, list):
      return self._call_list(ip, owner, name, args)
    if isinstance(owner, dict):
      return self._call_dict(ip, owner, name, args)
    if isinstance(owner, set):
      raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, "A set of the heap is changed.")
    return None

  def _call_list(self, ip: Any, owner: list[Any], name: str, args: list[Any]) -> State | None:
    if name in ("append", "extend"):
      store = self._list_store(ip, owner, False)
      values = [args[0]] if name == "append" else args[0]
      rows = seq.rows_of(ip, values) if name == "extend" else None
      items = values if name == "append" else None
      if rows is None:
        items = items if items is not None else seq.fixed_items(ip, values)
        rows = seq.rows_of_items(ip, [_generalized(ip.frame, item) for item in items])
      self._extend(ip, store, rows)
      return State(None)
    if name == "pop" and not args:
      store = self._list_store(ip, owner, True)
      kept, content = store.content
      rows = content.content
      found = seq.item(ip, content, -1)
      length = rows.length - 1
      kept = Number(tf.minimum(kept.tensor, tf.cast(length, tf.int64)), int)
      shorter = Rows(length, tuple(t[:-1] for t in rows.tensors), rows.form)
      store.content = (kept, LocalList(shorter))
      return State(found)
    if name in ("copy", "index", "count", "__len__", "__getitem__"):
      return None
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"list.{name} of a list of the heap.")

  def _extend(self, ip: Any, store: Store, rows: Rows) -> None:
    if store.place.is_log:
      content = LocalList(seq.concatenated(ip, store.content.content, rows))
      self.set(ip, store, content)
      return
    kept, content = store.content
    more = LocalList(seq.concatenated(ip, content.content, rows))
    self.set(ip, store, (kept, more))

  def _append(self, ip: Any, store: Store, value: Any) -> None:
    rows = seq.rows_of_items(ip, [value])
    self.set(ip, store, LocalList(seq.concatenated(ip, store.content.content, rows)))

  def read_static_elements(self, ip: Any, owner: Any) -> State | None:
    """Returns the elements of a known list that the program changes."""
    if (LIST, id(owner)) in self.places:
      return State(self._list_store(ip, owner, True).content[1].content)
    if (DICT, id(owner)) in self.places:
      from recursive_tf.convert import _loops

      return State(_loops.part_of(self._dict_rows(ip, owner), 0))
    return None

  def read_static_length(self, ip: Any, owner: Any) -> State | None:
    """Returns the length of a known list or dict that the program changes."""
    if (LIST, id(owner)) in self.places:
      return State(Number(self._list_store(ip, owner, True).content[1].content.length, int))
    if (DICT, id(owner)) in self.places:
      return State(Number(self._dict_rows(ip, owner).length, int))
    return None

  # --- Dicts

  def _dict_store(self, ip: Any, owner: Any, is_read: bool) -> Store:
    place = self._place((DICT, id(owner)), DICT, owner, None, RowsForm(None))
    try:
      return self.store(ip.frame, place, is_read)
    except _forms.Mismatch as error:
      raise ip.frame.refuse(Reason.KINDS_DIFFER, f"The items of a dict are {error}.") from None

  def _dict_rows(self, ip: Any, owner: Any) -> Rows:
    rows = self._dict_store(ip, owner, True).content.content
    assert isinstance(rows, Rows)  # Stores of dicts hold rows.
    return rows

  def _key(self, ip: Any, key: Any) -> Any:
    """Returns a key as a tensor: of an int, of a string, or the handle of an object."""
    frame = ip.frame
    key = frame.concrete(key)
    if isinstance(key, Number) and key.type is int:
      return Number(tf.cast(key.tensor, tf.int64), int)
    if isinstance(key, Ref):
      kinds = frame.types_of(key) - {Missing}
      if kinds == {str}:
        return frame.string(key)
      if not any(seq_has_own_eq(kind) for kind in kinds):
        return Ref(frame.base(key))
    if type(key) is int:
      return _forms.as_number(key)
    if type(key) is str:
      return tf.constant(key)
    raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"A dict's item by {type(key).__name__}.")

  def _find(self, ip: Any, rows: Rows, key: Any) -> tuple[Number, tf.Tensor]:
    """Returns whether a key is in the rows of a dict, and where."""
    wanted = key.base.handle if isinstance(key, Ref) else getattr(key, "tensor", key)
    keys = rows.tensors[0]
    if keys.dtype != wanted.dtype:
      raise ip.frame.refuse(Reason.KINDS_DIFFER, "A dict has keys of several types.")
    ip.frame.num_partial += 1
    equal = tf.equal(keys, wanted)
    index = tf.argmax(tf.concat([tf.cast(equal, tf.int32), [0]], 0), output_type=tf.int32)
    return Number(tf.reduce_any(equal), bool), index

  def read_membership(self, ip: Any, owner: Any, value: Any) -> State | None:
    """Returns `value in owner` for a known dict that the program changes."""
    if not isinstance(owner, dict) or (DICT, id(owner)) not in self.places:
      return None
    return State(self.membership(ip, owner, value))

  def membership(self, ip: Any, owner: Any, value: Any) -> Any:
    """Returns `value in owner` for a known dict, from its items as the run has them."""
    rows = self._dict_rows(ip, owner)
    if rows.form is None:
      return False
    return self._find(ip, rows, self._key(ip, value))[0]

  def read_table(self, ip: Any, owner: Any, key: Any) -> State | None:
    """Returns `owner[key]` for a known list or dict that the program changes."""
    if (LIST, id(owner)) in self.places:
      content = self._list_store(ip, owner, True).content[1]
      return State(seq.item(ip, content, key))
    if (DICT, id(owner)) not in self.places:
      return None
    return State(self._lookup(ip, owner, key, None))

  def item_of_dict(self, ip: Any, owner: Any, key: Any, *default: Any) -> Any:
    """Returns an item of a known dict, from its items as the run has them."""
    return self._lookup(ip, owner, key, (lambda: default[0]) if default else None)

  def _lookup(self, ip: Any, owner: Any, key: Any, default: Callable[[], Any] | None) -> Any:
    frame = ip.frame
    rows = self._dict_rows(ip, owner)
    if rows.form is None:
      if default is not None:
        return default()
      raise _attributes._raises()
    found, index = self._find(ip, rows, self._key(ip, key))

    def read() -> Any:
      tensors = [tf.gather(tensor, index) for tensor in rows.tensors]
      return frame.adopt(_forms.unflatten(rows.form, iter(tensors)))[1]

    if default is not None:
      return frame.cond(found, read, default)
    index = frame.check(index, found.tensor, "a dict has no such key")
    return read()

  def write_item(self, ip: Any, owner: Any, key: Any, value: Any) -> None:
    """Does `owner[key] = value`."""
    frame = ip.frame
    if isinstance(owner, Ref):
      key = frame.resolve(key)
      if isinstance(key, (str, int)):
        self._write_step(ip, owner, ("item", key), value)
        return
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, "An item of a heap object, by a key of the run.")
    if type(owner) is dict:
      self._write_dict(ip, owner, key, _generalized(frame, value))
    elif type(owner) is list:
      self._write_list_item(ip, owner, frame.resolve(key), _generalized(frame, value))
    else:
      raise frame.refuse(
        Reason.UNSUPPORTED_WRITE, f"An item of a {type(owner).__name__} of the heap is written."
      )

  def _write_dict(self, ip: Any, owner: Any, key: Any, value: Any) -> None:
    frame = ip.frame
    store = self._dict_store(ip, owner, False)
    key = self._key(ip, key)
    if store.place.is_log:
      self._append(ip, store, (key, value))
      return
    rows = self._dict_rows(ip, owner)
    one = seq.rows_of_items(ip, [(key, value)])
    if rows.form is None:
      self.set(ip, store, LocalList(one))
      return
    found, index = self._find(ip, rows, key)

    def replace() -> Any:
      tensors = tuple(
        tf.tensor_scatter_nd_update(old, tf.reshape(index, [1, 1]), new)
        for old, new in zip(rows.tensors, one.tensors, strict=True)
      )
      return LocalList(Rows(rows.length, tensors, rows.form))

    def add() -> Any:
      return LocalList(seq.concatenated(ip, rows, one))

    if one.form != rows.form:
      self.set(ip, store, add())  # Another attempt follows with the wider form.
    else:
      self.set(ip, store, frame.cond(found, replace, add))

  def _write_list_item(self, ip: Any, owner: Any, key: Any, value: Any) -> None:
    frame = ip.frame
    store = self._list_store(ip, owner, True)
    kept, content = store.content
    rows = content.content
    index = key.tensor if isinstance(key, Number) else tf.constant(key)
    index = tf.cast(index, tf.int32)
    index = tf.where(index < 0, index + rows.length, index)
    ok = tf.logical_and(index >= 0, index < rows.length)
    index = frame.check(index, ok, "list assignment index out of range")
    one = seq.rows_of_items(ip, [value])
    if one.form != rows.form:
      self.set(ip, store, (kept, LocalList(seq.concatenated(ip, rows, one))))
      return
    tensors = tuple(
      tf.tensor_scatter_nd_update(old, tf.reshape(index, [1, 1]), new)
      for old, new in zip(rows.tensors, one.tensors, strict=True)
    )
    kept = Number(tf.minimum(kept.tensor, tf.cast(index, tf.int64)), int)
    self.set(ip, store, (kept, LocalList(Rows(rows.length, tensors, rows.form))))

  def _call_dict(self, ip: Any, owner: Any, name: str, args: list[Any]) -> State | None:
    key = (DICT, id(owner))
    if name == "get" and key in self.places:
      default = args[1] if len(args) > 1 else None
      return State(self._lookup(ip, owner, args[0], lambda: default))
    if name == "setdefault" and len(args) == 2:
      there = self.read_membership(ip, owner, args[0])
      if there is None:
        self._dict_store(ip, owner, True)
        there = State(False)

      def add() -> Any:
        self._write_dict(ip, owner, args[0], _generalized(ip.frame, args[1]))
        return args[1]

      pred = there.value
      return State(ip.frame.cond(pred, lambda: self._lookup(ip, owner, args[0], None), add))
    if name in ("get", "keys", "values", "items", "copy", "__getitem__", "__len__"):
      return None
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f"dict.{name} of a dict of the heap.")

  # --- What is refused, and the output

  def read_elements(self, ip: Any, ref: Ref) -> State | None:
    """Returns the elements of a heap list, if the program changes such lists."""
    return None

  def read_length(self, ip: Any, ref: Ref) -> State | None:
    """Returns the length of a heap container, if the program changes such containers."""
    return None

  def augmented_attribute(
    self, ip: Any, op: Any, owner: Any, name: str, node: Any, scope: Any
  ) -> Any:
    """Does `owner.name op= value` where that is more than reading and writing; None if not."""
    return None

  def call_method(self, ip: Any, ref: Ref, name: str, args: Any) -> Any:
    """Calls a method of a builtin container on the heap that changes it."""
    ip.frame.conversion.promote(ip, ref)
    raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, f".{name} of a container of the heap.")

  def print(self, ip: Any, values: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Does `print(*values, **kwargs)` when the run has succeeded."""
    site, operands = _output.site_of(ip, values, kwargs)
    if site.key not in self.sites:
      self.sites[site.key] = site
    number = list(self.sites).index(site.key)
    order = self._place((LOG, "order"), LOG, None, "order", RowsForm(None))
    self._append(ip, self.store(ip.frame, order, False), _forms.as_number(number))
    if operands:
      place = self._place((LOG, site.key), LOG, None, site.key, RowsForm(None))
      self._append(ip, self.store(ip.frame, place, False), tuple(operands))


_EAGER_TENSOR = type(tf.constant(0))
_ABSTRACT_OWNERS = (Number, tf.Tensor, LocalList, LocalDict, Rows, Maybe)


def value_of_variable(owner: Any, name: str) -> Any:
  """Returns what a variable is now."""
  if isinstance(owner, types.CellType):
    return owner.cell_contents
  if isinstance(owner, dict):  # A module's variables.
    if name not in owner:
      raise AttributeError(name)
    return owner[name]
  return getattr(owner, name)


def _generalized(frame: Any, value: Any) -> Any:
  """Returns a value that is kept: numbers may be others the next time."""
  value = frame.optional(value)
  if isinstance(value, Maybe):
    return value
  value = frame.resolve(value)
  return _forms.as_number(value) if type(value) in _forms.NUMBERS else value


def _facts_of(form: Any) -> Iterator[Facts]:
  """Yields what the profile says of values of a form."""
  if isinstance(form, _forms.MaybeForm):
    yield Facts(frozenset([NoneType]))
    yield from _facts_of(form.value)
  elif isinstance(form, _forms.TensorForm):
    yield Facts(frozenset([_EAGER_TENSOR]), form.spec)
  elif isinstance(form, NumberForm):
    yield Facts(frozenset([form.type]))
  elif isinstance(form, RefForm):
    yield Facts(form.types)


def _is_plain_write(kind: type, name: str) -> bool:
  own = inspect.getattr_static(kind, "__setattr__")
  is_users = isinstance(own, types.FunctionType) and not _libraries.is_library(own)
  found = inspect.getattr_static(kind, name, None)
  has_setter = hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType)
  return not is_users and not has_setter


def seq_has_own_eq(kind: type) -> bool:
  """Tells whether keys of a type are found by more than identity."""
  return kind.__eq__ is not object.__eq__ or kind.__hash__ is not object.__hash__


def _table_form(element: Any) -> RowsForm:
  return RowsForm(NestForm(tuple, (0, 1), (NumberForm(bool), element)))


def _element_form(form: RowsForm) -> Any:
  return UnsetForm() if form.element is None else form.element.parts[1]


def _rows_of_pairs(form: RowsForm) -> RowsForm:
  """Returns the form of a dict's rows: strings as keys are tensors, not objects."""
  if form.element is None:
    return form
  key, value = form.element.parts
  if isinstance(key, RefForm) and key.types == {str}:
    key = _forms.TensorForm(tf.TensorSpec([], tf.string))
  return RowsForm(NestForm(tuple, (0, 1), (key, value)))


