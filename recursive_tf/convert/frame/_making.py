"""Objects that a run makes: rows of a table, each known by a number.

A value becomes one where it meets values of other forms, or where its form has no end: a new node
beside an old one, a tree that a function returns. Each container is a row of its own, made once;
what it holds does not change any more. Python makes the objects of the rows after the run.
"""

from __future__ import annotations

from collections.abc import Sequence

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._ops import kernels
from recursive_tf.autodiff import trace_made
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._scalar_reading import ScalarReading
from recursive_tf.convert.frame._sharing import MADE_WHERE, containers, name_of, parts_of
from recursive_tf.convert.heap._columns import NONE
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Container,
  Dear,
  LocalDict,
  LocalTable,
  Made,
  Maybe,
  Missing,
  Ref,
  tuple_of,
)
from recursive_tf.convert.values._forms import NoneType

_WHERE = "line {} " + MADE_WHERE
_LIST_OF_ANY = _forms.RowsForm(_forms.MadeForm())


class Making(ScalarReading):
  """What a body makes; the attributes are those of `Reading`."""

  def handles_of_rows(
    self, form: _forms.BaseForm, tensors: list[tf.Tensor], length: tf.Tensor
  ) -> tf.Tensor:
    """Returns the numbers of values without identity, each of which becomes an object."""
    if self.num_trials:
      raise Dear
    self._check(form)
    found = kernels.recursive_tf_make_rows(
      table=self.conversion.inputs.made(),
      length=length,
      parts=tensors,
      site=self.conversion.made_kinds.number(form),
    )
    tfi.acd_run_independently(found.op)
    self._let_gradients_back(form, found.op)
    self._let_tapes_see(form, found, tensors)
    return found

  def opened(self, kind: int, handle: tf.Tensor, own: tf.Tensor) -> object:
    """Returns an object that the run has made, as what it was when it was made.

    Args:
      kind: what it is; the run fails if it is another one.
      handle: the number of what it is now.
      own: its own number.
    """
    value = self.adopt(self.row_of(kind, handle))
    if isinstance(value, Container):  # It is the same object, whatever it is put into.
      self._layers[-1].memo["made", id(value)] = value, own
    return value

  def row_of(self, kind: int, handle: tf.Tensor) -> object:
    """Returns what a row of the table holds; the arguments are those of `opened`."""
    form = self.conversion.made_kinds.forms[kind]
    if self.conversion.made_kinds.is_traced and _forms.has_gradients(form):
      if self.conversion.is_step:
        text = "An object of which tensors are parts is made and read in a step that a tape sees."
        refusal = self.refuse(Reason.MADE_OBJECT, text)
        self.conversion.postpone(refusal)  # Also where a branch could do without.
        raise refusal
      self.conversion.made_kinds.note_read_under_tapes()
    specs = [*_forms.specs(form)]
    parts: list[tf.Tensor] = []
    if specs:
      table = self.conversion.inputs.made()
      parts = kernels.recursive_tf_made_parts(
        table=table, handle=handle, Tparts=[spec.dtype for spec in specs], site=kind
      )
      self._let_gradients_back(form, parts[0].op)
    for part, spec in zip(parts, specs, strict=True):
      part.set_shape(spec.shape)
    return _forms.unflatten(form, iter(parts))

  def made_row(self, form: _forms.BaseForm, parts: list[tf.Tensor]) -> tf.Tensor:
    """Returns the number of what a list of the heap holds from now on, another one each time."""
    if self.num_trials:
      raise Dear
    self._check(form)
    return self._added(form, parts, is_hidden=True)

  def handle_of_old(self, number: tf.Tensor) -> tf.Tensor:
    """Returns the number of an object of the heap as `Base` has it, int32 []."""
    return self.memo(("handle of old", id(number)), lambda: (number, tf.cast(number, tf.int32)))[1]

  def kind_of_made(self, handle: tf.Tensor) -> tf.Tensor:
    """Returns what kind of object of the run a number is of, int32 []; -1 of all others."""
    return self.memo(
      ("kind of made", id(handle)),
      lambda: (handle, kernels.recursive_tf_made_site(self.conversion.inputs.made(), handle)),
    )[1]

  def has_handle(self, container: object) -> bool:
    """Tells whether a container has a number already."""
    return self._known(("made", id(container))) is not None

  def by_number(self, value: object) -> object:
    """Returns a container by its number, if it has one, where the program changes such objects."""
    if not self.conversion.made_kinds.are_changed or not isinstance(value, Container):
      return value
    known = self._known(("made", id(value)))
    if known is None or getattr(value, "is_iterator", False):
      return value
    return Made(known, dict if isinstance(value, LocalDict) else getattr(value, "type", None))

  def handle(self, value: object) -> tf.Tensor:
    """Returns the number of a value, float64 []; what is none of the heap's becomes an object."""
    if isinstance(value, Made):
      return value.handle
    value = self.optional(value)
    if isinstance(value, Maybe):
      self.note_old([NoneType])
      return tf.where(value.is_there, self.handle(value.value), tf.constant(NONE, _forms.NUMBER))
    if isinstance(value, tf.Variable):  # It stays that object.
      return self._new(value)
    value = self.resolve(value)
    if value is None:
      self.note_old([NoneType])
      return tf.constant(NONE, _forms.NUMBER)
    if isinstance(value, Ref) and not self.is_made_string(value):
      self.note_old(self.types_of(value) - {Missing})
      return tf.cast(self.base(value).handle, _forms.NUMBER)
    return self._new(value)

  def _new(self, value: object) -> object:
    """Returns the number of what is no object of the heap."""
    if self.num_trials:
      raise Dear
    if isinstance(value, Container):
      return self._handle_of(value, make=True)
    return self._make(self._with_handles(value))

  def made(self, value: object, form: _forms.Form) -> object:
    """Returns a result in which what its form has by numbers is known by them.

    Args:
      value: the result.
      form: its form.
    """
    if isinstance(form, _forms.MadeForm):
      return self._as_made(value)
    if form == _LIST_OF_ANY and self._is_given(value):
      return value  # Its elements are known by numbers where it leaves the body.
    if form is None or not _forms.has_made(form) or not any(True for _ in containers(value)):
      return value
    if isinstance(value, Maybe):
      return Maybe(self.made(value.value, _of_value(form)), value.is_there)
    form = _of_value(form)
    parts = dict(parts_of(value))
    forms = form.parts if isinstance(form, _forms.NestForm) else [*form.children()] * len(parts)
    new = [self.made(p, f) for p, f in zip(parts.values(), forms, strict=True)]
    return self._with_parts(value, dict(zip(parts, new, strict=True)))

  def _with_parts(self, value: object, parts: dict[object, object]) -> object:
    """Returns a tuple of other parts, or a container that has got them."""
    if isinstance(value, LocalTable):
      return value  # What it holds is known by numbers already.
    if isinstance(value, tuple):
      return tuple_of(type(value), list(parts.values()))
    assert isinstance(value, Container)  # All else has no containers within.
    if self._is_given(value):
      text = f"{name_of(value)}, which was passed in, is returned with old and new objects in it."
      raise self.refuse(Reason.MADE_OBJECT, text)
    if parts:
      value.restore(parts if isinstance(value.snapshot(), dict) else list(parts.values()))
    return value

  def _is_given(self, container: object) -> bool:
    """Tells whether a container is an argument, or in one: it stays the caller's own."""
    return any(container is one for one in self.given.values())

  def note_number(self, container: Container, handle: tf.Tensor) -> None:
    """Notes the number that the caller has given an argument, which is that object from then on."""
    self._layers[-1].memo["made", id(container)] = container, handle
    self.sharing.book.pinned[container] = f"the caller {MADE_WHERE}"

  def number_early(self) -> None:
    """Gives containers their numbers before a branch or a loop, each turn of which made its own."""
    early = self.conversion.early_names(self.key)
    if not early:
      return
    for one in [one for one in self.locals if isinstance(one, Container)]:
      is_free = not (self.sharing.is_pinned(one) or self.has_handle(one) or self._is_given(one))
      if one.called in early and is_free:
        self.handle(one)

  def _as_made(self, value: object) -> Made:
    return value if isinstance(value, Made) else Made(self.handle(value))

  def _handle_of(self, container: Container, make: bool = False) -> object:
    key = "made", id(container)
    known = self._known(key)
    if known is not None or not make:
      return known
    for one in self.sharing.linked(container):
      if self._is_given(one):
        slot = next(slot for slot, given in self.given.items() if given is one)
        self.conversion.want_number(self.key, slot)
        text = f"{name_of(container)}, which is passed in, becomes an object that the run makes."
        raise self.refuse(Reason.MADE_OBJECT, text)
      if one in self.sharing.book.pinned:
        for called in (container.called, one.called):
          if called is not None and MADE_WHERE in self.sharing.book.pinned[one]:
            self.conversion.want_early(self.key, called)
        self.sharing.want_number(one)
        text = f"{name_of(container)} becomes an object that the run makes"
        raise self.sharing.refuse(f"{text}, and {self.sharing.book.pinned[one]}.")
    handle: tf.Tensor = self._make(self._with_handles(container))
    self._layers[-1].memo[key] = container, handle  # Kept, so that no id is given twice.
    self.sharing.pin(container, _WHERE.format(self.line))
    return handle

  def _known(self, key: object) -> tf.Tensor | None:
    for layer in reversed(self._layers):
      found = layer.memo.get(key)
      if isinstance(found, tuple):
        handle: tf.Tensor = found[1]
        return handle
    return None

  def _with_handles(self, value: object) -> object:
    """Returns a value in which the containers within are known by their numbers."""
    if isinstance(value, Container):
      return value.mapped(self._part)
    if isinstance(value, tuple) and any(True for _ in containers(value)):
      parts = [self._part(part) for part in value]
      return tuple_of(type(value), parts)
    return value

  def _part(self, value: object) -> object:
    if isinstance(value, Container) and not getattr(value, "is_iterator", False):
      return Made(self.handle(value))
    if isinstance(value, Maybe) and any(True for _ in containers(value)):
      return Made(self.handle(value))
    return self._with_handles(value) if isinstance(value, tuple) else value

  def _make(self, value: object) -> tf.Tensor:
    """Makes an object of a value without containers within."""
    if any(one is not value for _, one in containers(value)):
      raise self.refuse(Reason.MADE_OBJECT, "A container within becomes a part of an object.")
    form = self.conversion.made_kinds.bounded(_forms.form_of(value, self))
    self._check(form)
    return self._added(form, _forms.flatten(value, form, self))

  def _added(
    self, form: _forms.BaseForm, parts: list[tf.Tensor], is_hidden: bool = False
  ) -> tf.Tensor:
    """Returns the number of a new row of the table."""
    kind = self.conversion.made_kinds.number(form, is_hidden)
    table = self.conversion.inputs.made()
    handle = kernels.recursive_tf_make(table=table, parts=parts, site=kind)
    tfi.acd_run_independently(handle.op)
    self._let_gradients_back(form, handle.op)
    self._let_tapes_see(form, handle, parts)
    return handle

  def _let_gradients_back(self, form: _forms.BaseForm, op: tfi.Operation) -> None:
    """Lets gradients go back through an op that makes or reads objects, if any are to."""
    has_floats = any(spec.dtype.is_floating for spec in _forms.specs(form))
    if self.conversion.made_kinds.are_read_under_tapes and has_floats:
      trace_made(op)

  def _let_tapes_see(
    self, form: _forms.BaseForm, handles: tf.Tensor, parts: Sequence[tf.Tensor]
  ) -> None:
    """Lets a run return the tensors of new rows, or of one, if a tape is to see them."""
    kinds = self.conversion.made_kinds
    if not kinds.is_traced or not _forms.has_gradients(form):
      return
    if any(part.dtype.is_complex for part in parts):
      raise self.refuse(Reason.MADE_OBJECT, "A complex tensor becomes a part of an object.")
    handles = tf.cast(tf.reshape(handles, [-1]), tf.int32)
    dtypes = dict.fromkeys(part.dtype for part in parts if part.dtype.is_floating)
    for dtype in dtypes:
      flat = [tf.reshape(p, [tf.size(handles), -1]) for p in parts if p.dtype == dtype]
      self.conversion.trace_made(self, handles, tf.reshape(tf.concat(flat, 1), [-1]))

  def _check(self, form: _forms.BaseForm) -> None:
    """Refuses what cannot be an object that a run makes, or a part of one."""
    what = form.not_made()
    if what is not None:
      raise self.refuse(Reason.MADE_OBJECT, f"{what} becomes a part of an object that is made.")


def _of_value(form: _forms.BaseForm) -> _forms.BaseForm:
  """Returns the form of what is there, where it may be None."""
  return form.value if isinstance(form, _forms.MaybeForm) else form
