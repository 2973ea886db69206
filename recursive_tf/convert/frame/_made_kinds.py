"""What the objects that runs make may be, in all of one program: kinds of rows, and old objects."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._forms import BaseForm, NestForm, RowsForm, StaticForm, WeakForm

_NUM_ALIKE = 3  # Of objects of one class, each form of which is a kind of its own.
_NUM_LENGTHS = 4  # Of lists, or tuples, each of which is a kind of its own.
_OTHER = "an object of the run is another one than it is read as, {}"
_NUM_PRECISE = 8  # Attempts; from then on what was found once stays, so that they come to an end.


class MadeKinds:
  """The forms of what runs make, and the types of the old objects beside them.

  Numbers stay what they are. What an attempt finds is read in the next one, so that the last one
  reads all that there is.

  Attributes:
    is_wide: whether values of any forms meet as such objects, and lists in lists are some.
    is_ragged: whether tensors of sizes that only the run knows are such objects in lists.
    has_ranks: whether tensors of several ranks or dtypes meet as such objects.
    is_traced: whether runs also return the tensors in what they make, so that a tape sees them.
    forms: by number.
    known: the numbers of those that the attempt before made, or this one.
    are_read_under_tapes: whether gradients go back from where such objects are read to where they
      are made; as all that is found, it is known from the next attempt on.
    are_changed: whether the program changes such objects after they have got their numbers.
    hidden: the numbers of what is no object by itself, but what a list of the heap holds.
    types: exact types of old objects that are known by numbers, `NoneType` among them.
    preferred: by place, the kinds that runs have found there, the last one first.
  """

  def __init__(
    self,
    is_wide: bool,
    note_news: Callable[[], None],
    is_ragged: bool = False,
    is_traced: bool = False,
    preferred: Mapping[str, Sequence[str]] | None = None,
  ):
    self.is_wide = is_wide
    self.is_ragged = is_ragged
    self.has_ranks = False
    self.is_traced = is_traced
    self.forms: list[BaseForm] = []
    self.known: dict[int, None] = {}
    self.are_read_under_tapes = False
    self.are_changed = False
    self.hidden: set[int] = set()
    self.types: frozenset[type] = frozenset()
    self.preferred = preferred or {}
    self._left_out: list[tuple[str, str]] = []
    self._used: dict[int, None] = {}
    self._seen: frozenset[type] = frozenset()
    self._num_attempts = 0
    # By place, the last attempt in which all kinds were, and which were known.
    self._refused: dict[str, tuple[int, frozenset[int]]] = {}
    self._note_news = note_news

  def begin_attempt(self) -> None:
    """Begins an attempt, in which nothing has been made."""
    self._num_attempts += 1
    if self._num_attempts <= _NUM_PRECISE:
      self.known, self.types = dict(sorted(self._used.items())), self._seen
    self._used, self._seen = {}, frozenset()

  @property
  def used(self) -> list[BaseForm]:
    """The forms of what this attempt makes."""
    return [self.forms[number] for number in self._used]

  def class_of(self, number: int) -> type | None:
    """Returns the class of what has a form, None where several have."""
    form = self.forms[number]
    found = None if isinstance(form, WeakForm) else getattr(form, "type", None)
    return found if isinstance(found, type) else None

  def classes_of(self, number: int) -> frozenset[type]:
    """Returns the exact types of what has a form; none where these are not known."""
    form = self.forms[number]
    kind = type(form.value) if isinstance(form, StaticForm) else self.class_of(number)
    return form.scalar_kinds() or frozenset([kind] if kind is not None else [])

  def is_constant(self, number: int) -> bool:
    """Tells whether what has a form is one object, of which each row has a number of its own."""
    form = self.forms[number]
    return isinstance(form, StaticForm) and not form.scalar_kinds()

  def join(self, a: BaseForm, b: BaseForm) -> BaseForm:
    """Returns the form that two values of one place have in common, if they have any."""
    if self.has_ranks:
      return _forms.met_by_rank(a, b)
    return _forms.met(a, b) if self.is_wide else _forms.join(a, b)

  def ended(self, form: BaseForm) -> BaseForm:
    """Returns the form of what is returned or becomes an element: of what has lists in it."""
    is_open = _forms.has_containers(form) or _forms.has_rows(form)
    is_open |= self.is_ragged and not all(s.shape.is_fully_defined() for s in _forms.specs(form))
    return _forms.ended(form) if self.is_wide and is_open and _forms.can_be_made(form) else form

  def bounded(self, form: BaseForm) -> BaseForm:
    """Returns the form of a row: of lists and tuples of many lengths that of any length.

    Of objects of one class with many forms it is the one that all of them have in common, and so
    is that of tuples of one length, and of scalars: operators ask for each pair of kinds.
    """
    if self.is_ragged and self._is_ragged_list(form):
      return RowsForm(_forms.MadeForm(), list)  # Its elements may be added to those of another.
    if form.scalar_kinds():
      return self._of_scalars(form)
    if not isinstance(form, NestForm):
      return form
    alike = [one for one in self.forms if isinstance(one, NestForm) and one.type is form.type]
    is_own = form.type not in (list, tuple)
    if issubclass(form.type, tuple):
      same = [one for one in alike if len(one.parts) == len(form.parts)]
      if same:
        return self._in_common([form, *same])
    if form in self.forms and not (is_own and self.are_changed):
      return form
    if is_own:
      # A change makes a row of the form that the object has then: each would be a kind.
      is_few = len(alike) < (1 if self.are_changed else _NUM_ALIKE)
      return form if is_few else self._in_common([form, *alike])
    lengths = {len(one.parts) for one in alike}
    if len(lengths) < _NUM_LENGTHS:
      return form
    return RowsForm(_forms.MadeForm(), form.type)

  def _of_scalars(self, form: BaseForm) -> BaseForm:
    """Returns the form that scalars have in common with those that are made already."""
    found = form
    for i, other in enumerate(self.forms):
      if other.scalar_kinds() and i not in self.hidden:
        with contextlib.suppress(_forms.Mismatch):
          joined = self.join(found, other)
          found = joined if joined.scalar_kinds() else found
    return found

  def _is_ragged_list(self, form: BaseForm) -> bool:
    """Tells whether it is that of a list with elements of several sizes, or of such as may be."""
    if not isinstance(form, (NestForm, RowsForm)) or form.type is not list:
      return False
    return any(part is not None and self.ended(part) != part for part in form.children())

  def _in_common(self, forms: list[NestForm]) -> BaseForm:
    found: BaseForm = forms[0]
    for other in forms[1:]:
      try:
        found = self.join(found, other)
      except _forms.Mismatch:
        return forms[0]
    return found if isinstance(found, NestForm) and found.type is forms[0].type else forms[0]

  def number(self, form: BaseForm, is_hidden: bool = False) -> int:
    """Returns the number of a form, and notes that it is made.

    Args:
      form: the form.
      is_hidden: whether no value of the program is such an object.
    """
    known = [i for i, f in enumerate(self.forms) if f == form and (i in self.hidden) is is_hidden]
    found = known[0] if known else len(self.forms)
    if not known:
      self.forms.append(form)
    if is_hidden:
      self.hidden.add(found)
    if found not in self.known:
      self._replace(form)
    self._used[found] = None
    if found not in self.known:
      self.known[found] = None
      self._note_news()
    return found

  def _replace(self, form: BaseForm) -> None:
    """Forgets forms in place of which another one is there: the next attempt makes none of them."""
    if not self.are_changed or not isinstance(form, NestForm) or form.type in (list, tuple):
      return
    for number in [*self.known]:
      old = self.forms[number]
      if not isinstance(old, NestForm) or old.type is not form.type or old == form:
        continue
      if self._in_common([old, form]) == form:
        self.known.pop(number)
        self._used.pop(number, None)

  def note_read_under_tapes(self) -> None:
    """Notes that tensors are read of such objects, and that a tape sees the run."""
    if not self.are_read_under_tapes:
      self.are_read_under_tapes = True
      self._note_news()

  def note(self, types: Iterable[type]) -> None:
    """Notes what old objects may be."""
    self._seen |= {*types}
    if not self._seen <= self.types:
      self.types |= self._seen
      self._note_news()

  def may_be_early(self, place: str) -> bool:
    """Tells whether a place at which all kinds are refused may know more in the next attempt.

    That is tried as long as there are more and more kinds: a body is made before the calls that say
    what it is given.
    """
    last, known = self._refused.get(place, (0, frozenset()))
    if last != self._num_attempts:
      if known == self.known.keys():
        return False
      self._refused[place] = self._num_attempts, frozenset(self.known)
      self._note_news()
    return True

  def leave_out(self, place: str, kind: str) -> str:
    """Notes that a kind is not read at a place; returns what a run says that finds it there."""
    if (place, kind) not in self._left_out:
      self._left_out.append((place, kind))
    return _OTHER.format(self._left_out.index((place, kind)))

  def found_in(self, message: str) -> tuple[str, str] | None:
    """Returns the place, and the kind found there, of which a failed run says so; else None."""
    found = re.search(_OTHER.format(r"(\d+)"), message)
    return None if found is None else self._left_out[int(found[1])]
