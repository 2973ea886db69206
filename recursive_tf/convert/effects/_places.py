"""The places that a program writes, and how frames hand their state on.

A place (an attribute, a list, a dict, a variable, the output) has a *store* in each frame. A place
that the program also reads is passed down with every call and comes back changed, so that calls
happen in Python's order. One that it only writes is a *log*: each call returns what it added, the
caller puts that after its own, and calls stay parallel. After the run, and only if all of it
succeeded, the stores are committed to the real objects (`_commit.py`).
"""

from __future__ import annotations

import contextlib
import dataclasses
import types
from collections.abc import Callable, Collection, Iterator
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.effects import _output
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import concatenated, rows_of_items
from recursive_tf.convert.frame._sharing import containers
from recursive_tf.convert.values import _encode, _forms
from recursive_tf.convert.values._abstract import (
  Bottom,
  Container,
  Local,
  LocalList,
  Maybe,
  Path,
  Rows,
  merged,
)
from recursive_tf.convert.values._forms import (
  BaseForm,
  NestForm,
  NumberForm,
  RefForm,
  RowsForm,
  StaticForm,
  UnsetForm,
)

ATTRIBUTE, VARIABLE, LIST, DICT, LOG = "attribute", "variable", "list", "dict", "log"
CHANGED = "object of the run"
TRACE = "tensors in objects of the run"
HISTORY = "what is done to a set, in order"
CONTENT_STEP = ("content", list)  # All that a list of the heap holds.
DICT_STEP = ("content", dict)  # All that a dict of the heap holds.
CONTENT_STEPS = (CONTENT_STEP, DICT_STEP)


@dataclasses.dataclass
class Place:
  """Something that a program writes.

  Attributes:
    key: what it is, the same in each attempt.
    kind: one of the kinds above.
    owner: the object that it belongs to: None for attributes of heap objects, and the output.
    name: of attributes and variables; for items of heap objects the step.
    form: of a store's content, in this attempt.
    left: the form of what a run leaves, where it is another one than a run begins with.
    left_as: what else leaves the run as the same object: the key of an earlier place, or a name.
    is_read: whether the program reads it, so that it is passed down, in this attempt.
    next_form, next_is_read: what this attempt found them to be.
    is_absent_at_first: whether there is no such variable when a run begins.
    item_kinds: of items of heap objects, the types of these: the program's, in all attempts.
    rows, next_rows: of lists of the heap, by the types of elements that they began with, and of
      dicts, by the attribute, the form of what they hold, in this attempt and the next.
  """

  key: object
  kind: str
  owner: Any
  name: Any
  form: BaseForm
  next_form: BaseForm
  left: _forms.Form = None
  left_as: object = None
  is_read: bool = False
  is_absent_at_first: bool = False
  next_is_read: bool = False
  item_kinds: frozenset[type] = frozenset()
  rows: dict[frozenset[object], RowsForm] = dataclasses.field(default_factory=dict)
  next_rows: dict[frozenset[object], RowsForm] = dataclasses.field(default_factory=dict)

  @property
  def is_log(self) -> bool:
    """Whether calls return what they added, rather than all of it."""
    return not self.is_read

  @property
  def left_form(self) -> BaseForm:
    """The form of what a run leaves."""
    return self.form if self.left is None else self.left


class Store(Local):
  """What a frame knows of a place.

  Attributes:
    place: the place.
    content: its state; of a log, what this frame added so far.
    first: its state as the frame began.
  """

  def __init__(self, place: Place, content: Any):
    self.place = place
    self.content = self.first = content

  @property
  def is_trace(self) -> bool:  # type: ignore[override]
    """Whether it only notes what is made."""
    return self.place.kind == TRACE

  def snapshot(self) -> dict[str, object]:
    """Returns the content."""
    return {"content": self.content}

  def restore(self, content: dict[str, object]) -> None:
    """Puts back the content."""
    self.content = merged({"content": self.content}, content)["content"]


class Places:
  """The places of one conversion.

  Attributes:
    places: by key, in the order in which they were found; kept from attempt to attempt.
    uses: the places that an instance, or what it calls, writes or reads.
    writes: those that it writes.
    shows_objects: whether objects are printed that a write may make look different.
  """

  def __init__(self, note_news: Callable[[], None], add_root: Callable[[object], None]):
    self.places: dict[object, Place] = {}
    self.uses: dict[object, dict[object, None]] = {}
    self._next_uses: dict[object, dict[object, None]] = {}
    self._next_writes: dict[object, set[object]] = {}
    self._callers: dict[object, dict[object, None]] = {}
    self.sites: dict[object, _output.Site] = {}
    self.shows_objects = False
    self._reads: dict[object, None] = {}  # Of places, since somebody asked.
    self._passed_by: list[Place] = []  # Those that a read of an object has not asked.
    self._note_news = note_news
    self._add_root = add_root

  def begin_attempt(self) -> None:
    """Starts an attempt with all that the one before found out."""
    self.uses = {key: dict(places) for key, places in self._next_uses.items()}
    self.writes = {key: frozenset(places) for key, places in self._next_writes.items()}
    self.uses[None] = dict.fromkeys(self.places)
    self._passed_by = []
    for place in self.places.values():
      place.form, place.is_read = place.next_form, place.next_is_read
      place.rows = dict(place.next_rows)

  @property
  def is_pure(self) -> bool:
    """Whether the program writes nothing."""
    return not self.places

  is_unordered = is_pure

  def note_read(self, path: Path) -> None:
    """Notes a read of what an object had before the run, whatever the run has written."""
    self._passed_by += [self.places[step] for step in path if step in self.places]

  @contextlib.contextmanager
  def noting_reads(self) -> Iterator[dict[object, None]]:
    """Gives the keys of the places that are read meanwhile."""
    outer, self._reads = self._reads, {}
    try:
      yield self._reads
    finally:
      outer.update(self._reads)  # Who asked further out has hold of that one.
      self._reads = outer

  # --- Stores

  def _place(
    self, key: object, kind: str, owner: object, name: object, form: _forms.BaseForm
  ) -> Place:
    if key not in self.places:
      self.places[key] = Place(key, kind, owner, name, form, next_form=form)
      self._note_news()
    return self.places[key]

  def store(self, frame: Frame, place: Place, is_read: bool) -> Store:
    """Returns a place's store in a frame; it is made when it is first asked for."""
    if is_read:
      self._reads[place.key] = None
    if is_read and not place.next_is_read:
      if place.kind == LIST:
        numbers = NumberForm(int), NumberForm(int)
        initial = self._initial_rows(place, frame)
        place.next_form = NestForm(tuple, (0, 1, 2), (*numbers, initial))
      elif place.kind == DICT:
        place.next_form = self._initial_rows(place, frame)
      elif place.kind == ATTRIBUTE:
        place.next_form = table_form(element_form(place.next_form))
      place.next_is_read = True  # Only where what it holds now has a form.
      self._note_news()
    known = self._next_uses.setdefault(frame.key, {})
    if frame.key is not None and place.key not in known:
      known[place.key] = None
      self._note_news()
    if place.key not in frame.stores or (is_read and not place.is_read):
      raise Bottom  # The next attempt passes it.
    return frame.stores[place.key]

  def begin(self, frame: Frame, tensors: Callable[[Place], Iterator[tf.Tensor]]) -> None:
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
      if place.kind == VARIABLE:
        content = frame.adopt(content)
        for _, container in containers(content):
          frame.sharing.book.pinned[container] = "it was there before the call"
      store = Store(place, content)
      frame.stores[place.key] = store
      frame.locals.append(store)

  def _empty(self) -> LocalList:
    return LocalList(Rows(tfi.constant(0, tf.int32), (), None))

  def _initial_rows(self, place: Place, frame: Frame) -> RowsForm:
    values: list[object] = list(place.owner)
    if place.kind == DICT:
      values = list(_pairs_of(place.owner))
    found = _encode.joined_rows(values, frame.conversion.made_kinds.join)
    if place.kind == DICT:
      found = _rows_of_pairs(found)
    self._add_roots(found, values)
    return found

  def _add_roots(self, form: BaseForm, value: object) -> None:
    for obj in form.objects_in(value):
      self._add_root(obj)

  def set(self, ip: Host, store: Store, content: object) -> None:
    """Puts a new content into a store."""
    if store.place.next_is_read and not store.place.is_read:
      raise Bottom  # The next attempt begins with all of it, not with what was added.
    if self._is_own(ip.frame, store.place):
      store.content = content  # What is there in the end counts.
      return
    try:
      form = _forms.generalized(_forms.form_of(content, ip.frame), is_argument=True)
      form = _forms.join(store.place.next_form, form)
      check_no_variable(ip.frame, form, self.describe(store.place))
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

  def _is_own(self, frame: Frame, place: Place) -> bool:
    """Tells whether only the entry function, in the graph itself, knows a variable."""
    if place.kind != VARIABLE or place.is_absent_at_first or not is_entry(frame):
      return False
    return not any(place.key in places for key, places in self.uses.items() if key is not None)

  def note_left(
    self, frame: Frame, leaving: dict[object, object], given: Collection[Container]
  ) -> None:
    """Notes the forms of what the entry function leaves in its variables, and what is one object.

    Args:
      frame: of the entry function.
      leaving: what else leaves the program, by name.
      given: the containers among its arguments.

    Raises:
      ConversionRefused: If a container would be left as a copy, or twice.
    """
    places = []
    for place in self.returned(None):
      if self._is_own(frame, place):
        places.append(place)
      elif place.left is not None:  # A call knows it by now.
        place.left = place.left_as = None
        self._note_news()
    stores = [self.store(frame, place, place.is_read) for place in places]
    known = {one for store in stores for _, one in containers(store.first)} | {*given}
    roots = {value: name for name, value in leaving.items() if isinstance(value, Container)}
    gone = {one for value in leaving.values() for _, one in containers(value)}
    for place, store in zip(places, stores, strict=True):
      form = _forms.generalized(_forms.form_of(store.content, frame), is_argument=True)
      check_no_variable(frame, form, self.describe(place))
      joined = _joined(place.next_form, form)
      found = (form, place.next_form) if joined is None else (None, joined)
      if found != (place.left, place.next_form):
        place.left, place.next_form = found
        self._note_news()
      inside = {one for _, one in containers(store.content)}
      place.left_as = roots.get(store.content) if isinstance(store.content, Container) else None
      others = known if place.left_as is not None else known | gone
      if any(not others.isdisjoint(frame.sharing.linked(one)) for one in inside) or any(
        map(frame.sharing.is_pinned, inside)
      ):
        text = f"{self.describe(place)} is left with what is, or may be, also elsewhere"
        raise frame.sharing.refuse(text)
      if isinstance(store.content, Container):
        roots.setdefault(store.content, place.key)
      gone |= inside

  def describe(self, place: Place) -> str:
    """Returns what messages call a place."""
    if place.kind == ATTRIBUTE:
      return f"The {place.name[0]} {place.name[1]!r} that is written"
    if place.kind == VARIABLE:
      return f"The variable {place.name!r}"
    return f"The {place.kind} that is changed"

  def append(self, ip: Host, store: Store, value: object) -> None:
    """Adds an element to a store of rows."""
    rows = rows_of_items(ip.frame, [value])
    self.set(ip, store, LocalList(concatenated(ip.frame, store.content.content, rows)))

  # --- Passing stores with calls

  def passed(self, key: object) -> list[Place]:
    """Returns the places whose state an instance is given."""
    return [self.places[k] for k in self.uses.get(key, {}) if not self.places[k].is_log]

  def returned(self, key: object) -> list[Place]:
    """Returns the places whose state, or what was added, an instance returns."""
    return [self.places[k] for k in self.uses.get(key, {})]

  def arguments(self, frame: Frame, key: object) -> list[tf.Tensor]:
    """Returns the tensors of the state that a call passes."""
    return [
      tensor
      for place in self.passed(key)
      for tensor in _forms.flatten(self.store(frame, place, True).content, place.form, frame)
    ]

  def receive(self, ip: Host, key: object, tensors: Iterator[tf.Tensor]) -> None:
    """Takes over the state that a call returned."""
    self._callers.setdefault(key, {})[ip.frame.key] = None
    for place in self.returned(key):
      store = self.store(ip.frame, place, place.is_read)
      content = _forms.unflatten(place.form, tensors)
      if place.is_log:
        content = LocalList(concatenated(ip.frame, store.content.content, content.content))
      if place.is_log or place.key in self.writes.get(key, ()):
        store.content = content

  def note_written(self, frame: Frame, key: object) -> None:
    """Notes the places whose state is another one than it was as the frame of an instance began."""
    for place in self.returned(key):
      store = frame.stores[place.key]
      if store.content is not store.first:
        self._note_written(key, place)

  def _note_written(self, key: object, place: Place) -> None:
    agenda = [key]
    while agenda:
      key = agenda.pop()
      written = self._next_writes.setdefault(key, set())
      if place.key not in written:
        written.add(place.key)
        self._note_news()
        agenda += self._callers.get(key, ())

  def results(self, frame: Frame, key: object) -> list[tf.Tensor]:
    """Returns the tensors of the state that an instance returns."""
    return [
      tensor
      for place in self.returned(key)
      for tensor in _forms.flatten(
        self.store(frame, place, place.is_read).content,
        place.form if key is not None else place.left_form,
        frame,
      )
    ]

  def initial_state(self, frame: Frame, place: Place) -> Iterator[tf.Tensor]:
    """Returns the state of a place as a run begins."""
    inputs = frame.conversion.inputs
    if place.kind in (LIST, DICT) and _forms.has_made(place.form):
      frame.note_old(map(type, place.form.met_in(first_content(place))))
    if place.kind == VARIABLE and place.form == _forms.MadeForm() and not place.is_absent_at_first:
      frame.note_old([type(value_of_variable(place.owner, place.name))])
    if place.kind == CHANGED:
      numbers = [*_forms.specs(place.form)][1:]  # Behind the length.
      return iter([tfi.constant(0, tf.int32), *(tf.zeros([0], spec.dtype) for spec in numbers)])
    if place.kind != ATTRIBUTE:
      return inputs.state(place.key, place.form)
    count = inputs.num_objects()
    assert isinstance(place.form, RowsForm)
    specs = [*_forms.specs(place.form.element)]
    if any(spec.shape.rank is None for spec in specs):
      text = f"{self.describe(place)} is tensors of several ranks."
      raise frame.refuse(Reason.MIXED_ATTRIBUTE, text)
    tensors = [
      tf.zeros([count, *(size or 0 for size in spec.shape.as_list())], spec.dtype) for spec in specs
    ]
    for tensor, spec in zip(tensors, specs, strict=True):
      tensor.set_shape(tf.TensorShape([None]).concatenate(spec.shape))
    return iter([count, *tensors])


def first_content(place: Place) -> object:
  """Returns what a list or dict holds as a run begins, as the form of its place has it."""
  if place.kind == DICT:
    return tuple(_pairs_of(place.owner))
  return 0, len(place.owner), place.owner


def _pairs_of(owner: dict[object, object] | set[object]) -> list[tuple[object, object]]:
  """Returns the items of a dict; members of a set are keys without values."""
  return [(key, True) for key in owner] if isinstance(owner, set) else list(owner.items())


def value_of_variable(owner: object, name: str) -> object:
  """Returns what a variable is now."""
  if isinstance(owner, types.CellType):
    return owner.cell_contents
  if isinstance(owner, dict):  # A module's variables.
    if name not in owner:
      raise AttributeError(name)
    return owner[name]
  return getattr(owner, name)


def is_entry(frame: Frame) -> bool:
  """Tells whether a frame is that of an entry function which runs in the graph itself."""
  return frame.key is None and frame.conversion.is_step


def _joined(first: _forms.BaseForm, left: _forms.BaseForm) -> _forms.Form:
  """Returns a form for what a run begins with and what it leaves; None if these are not alike.

  What is None or empty is not like what is not: a run before there is anything is its own case.
  """
  if _is_nothing(first) is not _is_nothing(left):
    return None
  try:
    joined = _forms.join(first, left)
    return joined if _forms.has_made(first) or not _forms.has_made(joined) else None
  except _forms.Mismatch:
    return None


def _is_nothing(form: _forms.BaseForm) -> bool:
  if isinstance(form, NestForm):
    return form.type in (list, dict) and not form.parts
  return isinstance(form, StaticForm) and form.value is None


def generalized(frame: Frame, value: object) -> object:
  """Returns a value that is kept: numbers may be others the next time."""
  value = frame.optional(value)
  if isinstance(value, (Maybe, tf.Variable)):
    return value
  value = frame.resolve(value)
  return _forms.as_number(value) if type(value) in _forms.NUMBERS else value


def check_no_variable(frame: Frame, form: _forms.Form, what: str) -> None:
  """Raises `ConversionRefused` if a variable is kept: the tensors that a run leaves are copies.

  Where nothing is assigned to it, its number tells which one it is.
  """
  arrays = [*_forms.arrays(form)]
  if not frame.conversion.is_step:
    arrays = [array for array in arrays if not array.is_known]
  kinds = {kind for array in arrays for kind in array.types}
  if any(issubclass(kind, tf.Variable) for kind in kinds):
    text = f"{what} keeps a tf.Variable, of which a graph has the value only."
    raise frame.refuse(Reason.UNSUPPORTED_WRITE, text)


def table_form(element: BaseForm) -> RowsForm:
  return RowsForm(NestForm(tuple, (0, 1), (NumberForm(bool), element)))


def element_form(form: BaseForm) -> BaseForm:
  assert isinstance(form, RowsForm)  # Attributes are tables of what objects have.
  return UnsetForm() if form.element is None else _pair(form)[1]


def is_table_of_made(form: BaseForm) -> bool:
  """Tells whether what objects have in an attribute is known by numbers."""
  return isinstance(element_form(form), _forms.MadeForm)


def _pair(form: RowsForm) -> tuple[BaseForm, ...]:
  """Returns the forms of what the elements, which are pairs, are made of."""
  assert isinstance(form.element, NestForm)
  return form.element.parts


def _rows_of_pairs(form: RowsForm) -> RowsForm:
  """Returns the form of a dict's rows: strings as keys are compared, not told apart as objects."""
  if form.element is None:
    return form
  key, value = _pair(form)
  return RowsForm(NestForm(tuple, (0, 1), (_form_of_keys(key), value)))


def _form_of_keys(form: BaseForm) -> BaseForm:
  if isinstance(form, NestForm) and form.type is tuple:
    return NestForm(tuple, form.keys, tuple(map(_form_of_keys, form.parts)))
  return _forms.TextForm() if isinstance(form, RefForm) and form.types == {str} else form
