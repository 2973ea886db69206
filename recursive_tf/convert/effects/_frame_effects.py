"""Attributes and variables that a program writes, and what it prints."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Collection, Iterable, Iterator, Sequence, Set

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.effects import _output
from recursive_tf.convert.effects._heap_dicts import CHANGED_DICTS, HeapDicts
from recursive_tf.convert.effects._heap_lists import there
from recursive_tf.convert.effects._places import (
  ATTRIBUTE,
  CONTENT_STEPS,
  DICT,
  DICT_STEP,
  LIST,
  LOG,
  TRACE,
  VARIABLE,
  Place,
  check_no_variable,
  element_form,
  generalized,
  is_entry,
  table_form,
  value_of_variable,
)
from recursive_tf.convert.frame._access import is_plain_write, keeps_own_space, space_of
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host, State
from recursive_tf.convert.frame._sharing import containers, kind_of
from recursive_tf.convert.heap import _libraries
from recursive_tf.convert.heap._columns import Column
from recursive_tf.convert.heap._guards import CONTENT, Guards
from recursive_tf.convert.heap._profile import Facts
from recursive_tf.convert.values import _encode, _forms
from recursive_tf.convert.values._abstract import (
  Base,
  Bottom,
  BoundMethod,
  Container,
  Held,
  LocalDict,
  LocalList,
  LocalObject,
  Made,
  Maybe,
  Missing,
  Path,
  Ref,
  Rows,
  Step,
  named,
)
from recursive_tf.convert.values._forms import BaseForm, NoneType, RowsForm, UnsetForm
from recursive_tf.convert.values._numbers import Number


class Effects(HeapDicts):
  """All that one program writes."""

  # --- Attributes of heap objects

  def read_heap(self, ip: Host, ref: Ref, name: str) -> State | None:
    """Returns an attribute of a heap object, if the program writes such attributes."""
    return self._read_step(ip, ref, ("attr", name))

  def read_item(self, ip: Host, ref: Ref, key: object) -> State | None:
    """Returns an item of a heap object, if the program writes such items."""
    table = self.table_of_dict(ip, ref)
    if table is not None:
      return State(ip.item(table, key))
    self._check_one_end(ip, ip.frame.types_of(ref), key)
    return self._read_step(ip, ref, ("item", key))

  def _read_step(self, ip: Host, ref: Ref, step: tuple[object, ...]) -> State | None:
    place = self.places.get(step)
    if place is None:
      return None
    frame = ip.frame
    rows = self.store(frame, place, True).content.content
    base = there(frame, ref)
    element = element_form(place.form)
    plain = _before(base).step(*step)
    initial = frame.types_of(plain)
    if isinstance(element, UnsetForm):
      if tuple in initial:
        raise Bottom  # What is written, and so the tuple's parts, is not known yet.
      return State(frame.resolve(plain))
    present, *tensors = (tf.gather(tensor, base.handle) for tensor in rows.tensors)
    frame.partial()
    pred = Number(present, bool)
    written = frame.adopt(_forms.unflatten(element, iter(tensors)))
    frame.sharing.note_written(written, step)
    if initial <= {Missing}:
      return State(frame.there(Maybe(written, present), f"{step[1]} is not there"))
    if initial == {NoneType} and _forms.can_be_none(element):
      return State(Maybe(written, present))
    return State(frame.cond(pred, lambda: written, lambda: _initial(frame, plain, element)))

  def hold_numbers(self, step: object) -> bool:
    """Lets objects hold the numbers of what is written so; tells whether that is new."""
    place, form = self.places[step], table_form(_forms.MadeForm())
    is_new = place.next_form != form
    place.next_form = form
    return is_new

  def is_there(self, ip: Host, ref: Ref, step: tuple[object, ...]) -> object:
    """Tells whether a heap object has an attribute that the program writes; None if it does not."""
    table = self.table_of_dict(ip, ref) if step[0] == "item" else None
    if table is not None:
      return ip.contains(table, step[1])
    place = self.places.get(step)
    if place is None:
      return None
    frame = ip.frame
    rows = self.store(frame, place, True).content.content
    base = there(frame, ref)
    frame.partial()
    present = Number(tf.gather(rows.tensors[0], base.handle), bool)
    return ip.both(present, False, lambda: frame.is_there(_before(base).step(*step)))

  def write_step(self, ip: Host, ref: Ref, step: Step, value: object) -> None:
    frame = ip.frame
    kinds = frame.types_of(ref) - {NoneType, Missing}
    for kind in kinds:
      if issubclass(kind, _WITH_NAMES) or keeps_own_space(kind):
        text = f"{step[1]!r} of a {kind.__name__} that only the run finds is written."
        raise frame.refuse(Reason.UNSUPPORTED_WRITE, text)
      if step[0] == "attr" and not is_plain_write(kind, step[1]):
        found = inspect.getattr_static(kind, step[1], None)
        if isinstance(found, property) and found.fset is not None and len(kinds) == 1:
          ip.call(BoundMethod(found.fset, ref), [value], {})
          return
        raise frame.refuse(
          Reason.UNSUPPORTED_WRITE, f"{kind.__name__}.{step[1]} is not a plain attribute."
        )
      if step[0] == "item" and kind not in (dict, list):
        raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"An item of a {kind.__name__} is written.")
    place = self._place(step, ATTRIBUTE, None, step, RowsForm(None))
    if step[0] == "item" and not kinds <= place.item_kinds:
      place.item_kinds |= kinds
      self._note_news()
    store = self.store(frame, place, False)
    value = generalized(frame, value)
    element = frame.conversion.made_kinds.ended(_forms.form_of(value, frame))
    if isinstance(element_form(place.form), _forms.MadeForm) or element == _forms.MadeForm():
      value = Made(frame.handle(value))  # From then on it is the same object wherever it is put.
    else:
      frame.sharing.keep(value, f"line {frame.line} keeps it as {step[1]!r} of an object")
    if place.is_log:
      self.append(ip, store, (Ref(frame.base(ref)), value))
      return
    frame.partial()
    element = _forms.form_of(value, frame)
    try:
      element = frame.join(element_form(place.next_form), element)
    except _forms.Mismatch as error:
      raise frame.refuse(
        Reason.KINDS_DIFFER, f"{step[1]!r} is {error} at different times."
      ) from None
    check_no_variable(frame, element, self.describe(place))
    for path, facts in _facts_of(element, (step,)):  # The next run finds what this one has written.
      frame.profile.expect(kinds, path, facts)
    base = there(frame, ref)
    shapes = [spec.shape for spec in _forms.specs(element)]
    is_new = element != element_form(place.form)  # Sizes may differ until the form is known.
    if any(shape.rank is None or not (is_new or shape.is_fully_defined()) for shape in shapes):
      raise frame.refuse(
        Reason.UNSUPPORTED_WRITE, f"{step[1]!r} is written with shapes that vary, and read."
      )
    if is_new:
      place.next_form = table_form(element)
      self._note_news()
      raise Bottom
    new = [tf.constant(True), *_forms.flatten(value, element, frame)]
    self.write_row(store, base, new)

  def write_attribute(self, ip: Host, owner: object, name: str, value: object) -> None:
    """Does `owner.name = value`."""
    frame = ip.frame
    if isinstance(owner, Ref):
      self.write_step(ip, owner, ("attr", name), value)
      return
    if isinstance(owner, _ABSTRACT_OWNERS) or owner is None:
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"Attribute {name!r} of this is written.")
    if isinstance(owner, type):
      if not _is_plain_data(owner, name) or _forms.number_of(frame.resolve(value)) is None:
        text = f"{owner.__name__}.{name}, of a class, is written, and is no number of its own."
        raise frame.refuse(Reason.UNSUPPORTED_WRITE, text)
      self.write_variable(ip, owner, name, value)
      return
    if isinstance(owner, types.ModuleType) or _libraries.is_library(owner):
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"{name!r} of a {named(owner)} is written.")
    found = inspect.getattr_static(type(owner), name, None)
    if isinstance(found, property) and found.fset is not None:
      ip.call(BoundMethod(found.fset, owner), [value], {})
      return
    if not is_plain_write(type(owner), name):
      raise frame.refuse(Reason.UNSUPPORTED_WRITE, f"{name!r} is not a plain attribute.")
    if self._is_walked(frame, owner):
      self.write_step(ip, Ref(frame.base(owner)), ("attr", name), value)
      return
    self.write_variable(ip, owner, name, value)

  def write_item(self, ip: Host, owner: object, key: object, value: object) -> None:
    """Does `owner[key] = value`."""
    if not isinstance(owner, Ref):
      self.write_container(ip, owner, key, value)
      return
    key = ip.frame.resolve(key)
    is_of_run = not isinstance(key, (str, int))
    kinds = self._demand_taking(ip, owner, key)
    is_of_dict = len(kinds) == 1 and kinds <= CHANGED_DICTS
    is_whole = is_of_run or (is_of_dict and self.dicts_are_whole)
    if is_whole:
      ip.conversion.promote(ip, owner)
    if kinds == {list} and not ip.conversion.is_step:
      if is_of_run or self.lists_are_whole or self.has_changed_lists(kinds):
        self.write_list_item(ip, owner, key, value)
        return
    if is_of_dict and not ip.conversion.is_step:
      if is_whole or self.changed_dicts(kinds):
        self.write_dict_item(ip, owner, key, value)
        return
    if is_of_run:
      raise ip.frame.refuse(
        Reason.UNSUPPORTED_WRITE, "An item of a heap object, by a key of the run."
      )
    self._check_one_end(ip, kinds, key)
    before = ip.frame.note_item(owner, key)
    self.keys_before[key] = self.keys_before.get(key, before) & before
    self.write_step(ip, owner, ("item", key), value)

  def _demand_taking(self, ip: Host, ref: Ref, key: object) -> frozenset[type]:
    """Returns of which types an object may be whose item is written.

    Where that is a list, or a dict, and all else would raise, the run fails if it is anything else.
    """
    frame = ip.frame
    kinds = frame.types_of(ref) - {NoneType, Missing}
    taking = frozenset(kind for kind in kinds if hasattr(kind, "__setitem__"))
    if isinstance(key, str):
      taking -= {list}
    if taking == kinds or len(taking) != 1 or not taking <= {list, dict}:
      return kinds
    found = ip.kind_of(ref).is_instance((*taking,))
    if isinstance(found, Number):
      frame.demand(found.tensor)
    frame.narrow([(ref, taking)])
    return taking

  def _is_walked(self, frame: Frame, owner: object) -> bool:
    """Tells whether an object known at conversion may be one of the walked ones, too."""
    return type(owner) in frame.profile.followed_types() | frame.conversion.root_types

  # --- Variables: attributes of known objects, variables of enclosing functions

  def read_static(self, ip: Host, owner: object, name: str) -> State | None:
    """Returns an attribute of a known object, if the program writes it."""
    if self.places.get(("attr", name)) is not None and self._is_walked(ip.frame, owner):
      return self._read_step(ip, Ref(ip.frame.base(owner)), ("attr", name))
    return self.read_variable(ip, owner, name)

  def read_variable(self, ip: Host, owner: object, name: str) -> State | None:
    """Returns a variable, if the program writes it."""
    place = self.places.get(_key_of_variable(owner, name))
    if place is None:
      return None
    if place.is_absent_at_first:
      raise ip.frame.refuse(Reason.OPAQUE_READ, f"{name!r} is read, and may not be set yet.")
    return State(self.store(ip.frame, place, True).content)

  def written_names(self, start: str) -> set[str]:
    """Returns the names of attributes and variables that the program writes, of such a start."""
    names = {p.name[1] if p.kind == ATTRIBUTE else p.name for p in self.places.values()}
    return {name for name in names if isinstance(name, str) and name.startswith(start)}

  def write_variable(self, ip: Host, owner: object, name: str, value: object) -> None:
    """Sets an attribute of a known object, or a variable of an enclosing function."""
    is_absent = False
    try:
      now = value_of_variable(owner, name)
      initial = _encode.form_of_python(now, by_parts=is_entry(ip.frame))
      self._add_roots(initial, now)
    except (AttributeError, ValueError):
      initial = _forms.MaybeForm(UnsetForm())
      is_absent = True
    place = self._place(_key_of_variable(owner, name), VARIABLE, owner, name, initial)
    place.is_absent_at_first = is_absent
    value = generalized(ip.frame, value)
    is_own = self._is_own(ip.frame, place)
    made = ip.frame.conversion.made_kinds
    if made.is_wide and not is_own and isinstance(value, Container) and not _wraps(owner):
      if made.ended(_forms.form_of(value, ip.frame)) == _forms.MadeForm():
        value = Made(ip.frame.handle(value))
    if is_absent and _may_be_none(value, ip.frame):  # Which stands for what was not written.
      text = f"{name!r} is not set yet, and may become None."
      raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, text)
    for _, container in containers(value):
      if not is_own or (_wraps(owner) and not isinstance(container, LocalObject)):
        text = f"A new {kind_of(container)} is kept in {name!r}"
        text += f" of a {named(owner)}, which makes another of it." if is_own else "."
        raise ip.frame.refuse(Reason.UNSUPPORTED_WRITE, text)
    self.set(ip, self.store(ip.frame, place, True), value)

  # --- What is refused, and the output

  def changed_constant(
    self, guards: Guards, walked: Set[type], columns: Iterable[Column]
  ) -> str | None:
    """Returns what a program changes and relies on as it is at another time; None if nothing.

    All reads of what is written have to ask this class first. One that does not has left a guard
    on what was there before the run. What is printed is shown as it is after the run.
    """
    changed = [place for place in self.places.values() if place.kind not in (LOG, TRACE)]
    if self.shows_objects and changed:
      return self.describe(changed[0])
    if self._passed_by:
      return self.describe(self._passed_by[0])
    held = [part.value for column in columns for part in _held(column)]
    for one in changed:
      if one.kind == DICT and any(
        other.kind == VARIABLE and space_of(other.owner) is one.owner for other in changed
      ):
        return self.describe(one)
      if type(one.owner) is set and any(one.owner is value for value in held):
        return self.describe(one)
      if isinstance(one.owner, type) and self._is_found_elsewhere(one, guards, columns):
        return self.describe(one)
    for owner, name in guards.relied():
      is_item = isinstance(name, tuple) and name[0] == "item"
      kinds = (LIST, DICT) if name is CONTENT or is_item else ()
      places: list[object] = [*((kind, id(owner)) for kind in kinds), _key_of_variable(owner, name)]
      places += self._places_of_space(owner, name)
      if type(owner) in walked:
        places += [("attr", name), name]
        if name is CONTENT:
          kind = type(owner)
          # Of lists that are changed in place each call looks whether they are this one.
          items = [key for key, place in self.places.items() if kind in place.item_kinds]
          places += [key for key in items if key not in CONTENT_STEPS]
      place = next((self.places[key] for key in places if key in self.places), None)
      if place is not None:
        return self.describe(place)
    return None

  def _places_of_space(self, owner: object, name: object) -> Iterator[object]:
    """Yields the keys of the same as an item of the dict that attributes are kept in, or back."""
    if type(owner) is set:
      return  # It has no attributes.
    if not isinstance(owner, dict):
      yield DICT, id(space_of(owner))
    elif name is CONTENT:
      yield from (
        key
        for key, one in self.places.items()
        if one.kind == VARIABLE and isinstance(key, tuple) and key[1] == id(owner)
      )
    elif isinstance(name, tuple) and name[0] == "item":
      yield _key_of_variable(owner, name[1])

  def _is_found_elsewhere(self, place: Place, guards: Guards, columns: Iterable[Column]) -> bool:
    """Tells whether a class's attribute may be read or hidden under another owner's name."""
    names = [name for _, name in guards.relied()]
    names += [name[1] for name in names if isinstance(name, tuple) and len(name) == 2]
    names += [other.name for other in self.places.values() if other is not place]
    steps = [step for column in columns for step in column.path]
    return place.name in names or ("attr", place.name) in [*names, *steps]

  def items_written(self, kinds: Collection[type]) -> list[Step]:
    """Returns which items the program writes of containers of the heap of these exact types."""
    places = [place for place in self.places.values() if place.kind == ATTRIBUTE]
    return [p.name for p in places if p.name[0] == "item" and not p.item_kinds.isdisjoint(kinds)]

  def _check_one_end(self, ip: Host, kinds: Collection[type], key: object) -> None:
    """Refuses an item of a list by a place from one end where others go by the other end."""
    if list not in kinds or not isinstance(key, int):
      return
    of_lists = [other for _, other in self.items_written([list])]
    if any(isinstance(other, int) and (other < 0) != (key < 0) for other in of_lists):
      self.check_unchanged(ip, [list])

  def check_unchanged(self, ip: Host, kinds: Collection[type] | None = None) -> None:
    """Refuses to read a container of the heap as a whole if the program writes items of such.

    Args:
      ip: the interpreter.
      kinds: the exact types that the container can have; None if they are not known.
    """
    steps = [p for p in self.places.values() if p.kind == ATTRIBUTE]
    items = [place for place in steps if place.name[0] in ("item", "content")]
    written = frozenset[type]().union(*(place.item_kinds for place in items))
    if list in (kinds or ()) and list in written and not ip.conversion.is_step:
      self.lists_are_whole = True
      for place in items:
        place.item_kinds -= {list}
      self._note_news()
      raise Bottom  # The next attempt changes lists as a whole.
    if dict in (kinds or ()) and dict in written and not ip.conversion.is_step:
      if DICT_STEP not in self.places:
        self.place_of_dicts()
        raise Bottom  # The next attempt changes dicts as a whole.
    if items and (kinds is None or not written.isdisjoint(kinds)):
      raise ip.frame.refuse(
        Reason.EFFECT_ORDER, "Items of lists or dicts are written, and such are read as a whole."
      )

  def call_method(
    self, ip: Host, ref: Ref, name: str, args: Sequence[object], kwargs: dict[str, object]
  ) -> object:
    """Calls a method of a builtin container on the heap that changes it."""
    ip.conversion.promote(ip, ref)
    kinds = ip.frame.types_of(ref) - {NoneType, Missing}
    if kinds == {list} and not ip.conversion.is_step:
      return self.call_method_of_list(ip, ref, name, args, kwargs)
    if kinds <= CHANGED_DICTS and len(kinds) == 1 and not ip.conversion.is_step:
      return self.call_method_of_dict(ip, ref, name, args, kwargs)
    text = " or ".join(sorted(kind.__name__ for kind in kinds))
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_WRITE, f".{name} of a {text} of the tree, or that is passed in."
    )

  def print(self, ip: Host, values: tuple[object, ...], kwargs: dict[str, object]) -> None:
    """Does `print(*values, **kwargs)` when the run has succeeded."""
    site, operands = _output.site_of(ip, values, kwargs)
    if site.key not in self.sites:
      self.sites[site.key] = site
    number = list(self.sites).index(site.key)
    order = self._place((LOG, "order"), LOG, None, "order", RowsForm(None))
    self.append(ip, self.store(ip.frame, order, False), _forms.as_number(number))
    if operands:
      place = self._place((LOG, site.key), LOG, None, site.key, RowsForm(None))
      with ip.frame.sharing.copying():
        self.append(ip, self.store(ip.frame, place, False), tuple(operands))


_WITH_NAMES = (type, types.ModuleType, types.FunctionType)  # Which programs know by name, too.
_ABSTRACT_OWNERS = (Number, tf.Tensor, LocalList, LocalDict, Rows, Maybe)


def _before(base: Base) -> Ref:
  """Returns an object as it was before the run."""
  return Ref(dataclasses.replace(base, is_before=True))


def _initial(frame: Frame, ref: Ref, form: _forms.BaseForm) -> object:
  """Returns what an object had when the run began; tuples part by part, as they are written."""
  kinds = frame.types_of(ref) - {Missing}
  if not isinstance(form, _forms.NestForm) or form.type is not tuple or tuple not in kinds:
    return frame.resolve(ref)

  def parts() -> object:
    frame.narrow([(ref, frozenset([tuple]))])
    return tuple(frame.resolve(ref.step("item", i)) for i in form.keys)

  if kinds == {tuple}:
    return parts()
  if kinds == {tuple, NoneType}:
    return frame.cond(frame.is_none(ref), lambda: None, parts)
  return frame.resolve(ref)


def _held(column: Column) -> Iterator[Held]:
  """Yields the known objects that a read is done with."""
  return (part for step in column.path for part in step if isinstance(part, Held))


def _is_plain_data(owner: type, name: str) -> bool:
  """Tells whether a class has a number of its own under a name, and nothing sees it written."""
  kept = vars(owner).get(name)
  return type(owner) is type and not _libraries.is_library(owner) and type(kept) in _forms.NUMBERS


def _key_of_variable(owner: object, name: object) -> tuple[str, int, object]:
  """Returns the key of the place of an attribute or variable, by whatever owner it is known."""
  return VARIABLE, id(space_of(owner)), name


def _facts_of(form: BaseForm, path: Path) -> Iterator[tuple[Path, Facts]]:
  """Yields what the profile says of values of a form that `path` leads to, and of their parts."""
  for steps, kinds, spec in form.seen():
    yield (*path, *steps), Facts(kinds, spec)


def _may_be_none(value: object, frame: Frame) -> bool:
  if isinstance(value, Ref):
    return NoneType in frame.types_of(value)
  return value is None or isinstance(value, Maybe)


def _wraps(owner: object) -> bool:
  """Tells whether an object's class keeps lists as lists of its own, as TensorFlow's do."""
  return _libraries.is_library(type(owner).__setattr__) and not isinstance(owner, types.CellType)
