"""What the objects that runs make may be, in all of one program: kinds of rows, and old objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._forms import BaseForm


class MadeKinds:
  """The forms of what runs make, and the types of the old objects beside them.

  They are kept from attempt to attempt, so that numbers stay what they are; what was found once is
  read from then on, and makes another attempt necessary.

  Attributes:
    is_wide: whether values of any forms meet as such objects, and lists in lists are some.
    forms: by number.
    types: exact types of old objects that are known by numbers, `NoneType` among them.
  """

  def __init__(self, is_wide: bool, note_news: Callable[[], None]):
    self.is_wide = is_wide
    self.forms: list[BaseForm] = []
    self.types: set[type] = set()
    self._used: dict[int, None] = {}
    self._note_news = note_news

  def begin_attempt(self) -> None:
    """Begins an attempt, in which nothing has been made."""
    self._used.clear()

  @property
  def used(self) -> list[BaseForm]:
    """The forms of what this attempt makes."""
    return [self.forms[number] for number in self._used]

  def join(self, a: BaseForm, b: BaseForm) -> BaseForm:
    """Returns the form that two values of one place have in common, if they have any."""
    return _forms.met(a, b) if self.is_wide else _forms.join(a, b)

  def ended(self, form: BaseForm) -> BaseForm:
    """Returns the form of what is returned or becomes an element: of what has lists in it."""
    is_ended = self.is_wide and _forms.has_containers(form) and _forms.can_be_made(form)
    return _forms.ended(form) if is_ended else form

  def number(self, form: BaseForm) -> int:
    """Returns the number of a form, and notes that it is made."""
    if form not in self.forms:
      self.forms.append(form)
      self._note_news()
    found = self.forms.index(form)
    self._used[found] = None
    return found

  def note(self, types: Iterable[type]) -> None:
    """Notes what old objects may be."""
    new = {*types} - self.types
    if new:
      self.types |= new
      self._note_news()
