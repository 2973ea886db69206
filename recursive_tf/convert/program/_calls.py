"""Calls of the graph: a SubGraph on the tensors of its arguments, and what it gives back."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
from collections.abc import Iterator

import tensorflow as tf

from recursive_tf._errors import DefinitionError
from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.effects._frame_effects import Effects
from recursive_tf.convert.effects._places import check_no_variable
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._lifting import Lifted
from recursive_tf.convert.frame._rows import repeated
from recursive_tf.convert.frame._sharing import Slot
from recursive_tf.convert.heap._columns import NONE
from recursive_tf.convert.program._bodies import Bodies
from recursive_tf.convert.program._instances import Instance
from recursive_tf.convert.program._learnt import RESULT, Learnt
from recursive_tf.convert.program._variants import skeleton
from recursive_tf.convert.semantics import _graph_loops
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Bottom,
  Closure,
  Container,
  Dear,
  Made,
  Ref,
  Rows,
  Scope,
)
from recursive_tf.convert.values._operands import Alike, Mapped


class Calls:
  """Makes the calls of one conversion.

  Attributes:
    only_make_known: whether calls only make their instance known, and wait for its body.
    has_unknown_results: whether this attempt has gone on without a result that is not known yet.
    is_calling: whether what variables hold goes into a call, which is done with it before anything
      is written.
  """

  def __init__(self, learnt: Learnt, bodies: Bodies, effects: Effects, is_step: bool):
    self.only_make_known = False
    self.has_unknown_results = False
    self.is_calling = False
    self._learnt = learnt
    self._bodies = bodies
    self._effects = effects
    self._is_step = is_step

  @contextlib.contextmanager
  def calling(self) -> Iterator[None]:
    """Lets what variables hold go into a call."""
    self.is_calling = True
    try:
      yield
    finally:
      self.is_calling = False

  def call(
    self,
    ip: Host,
    function: object,
    source: FunctionSource,
    node: ast.FunctionDef,
    outer: Scope | None,
    names: dict[str, object],
    ask: bool = False,
  ) -> object:
    """Calls a function as a SubGraph, once, or once for each row of a `Mapped` argument.

    With `ask` it is not called: returns whether it changes anything, as far as is known yet.
    """
    frame, learnt = ip.frame, self._learnt
    if frame.num_trials:
      raise Dear
    lifted = Lifted(names, outer, function)
    with self.calling():
      forms = tuple(self._form(node, name, value, frame) for name, value in lifted.values.items())
    if ip.conversion.origins is not None:
      for name, value in lifted.values.items():
        _pass_on(frame, (node, name), value)
    key = self._key(node, lifted, forms)
    instance = self._bodies.instance(key, source, node, lifted, forms, frame)
    if self._is_step and frame.key is None:  # A tape may need the body at once.
      self._bodies.make()
    if ask:
      return learnt.changed.get(instance.key) or self._effects.returned(instance.key)
    rows = next((v.rows for v in lifted.values.values() if isinstance(v, Mapped)), None)
    crossing, containers = learnt.crossing(key), lifted.containers()
    mapped = [
      i
      for i, value in enumerate(lifted.values.values())
      if isinstance(value, Mapped) and _forms.has_containers(value.rows.form)
    ]
    for container in containers.values():
      if container.sharing is not frame.sharing:
        raise frame.sharing.refuse("The default of a function that calls itself may be changed")
    numbers = self._numbers(frame, instance, lifted, containers)
    if crossing.call(frame.sharing, containers, mapped, is_many=rows is not None):
      learnt.note_news()
    tensors = self._arguments(lifted, instance, frame, rows)
    tensors += numbers if rows is None else [repeated(one, rows.length) for one in numbers]
    is_unknown = instance.result is None
    skips = learnt.skips_loops and not (self.only_make_known or learnt.may_fail)
    if rows is not None and is_unknown and skips:
      return Rows(tf.constant(0), (), None)  # As far as is known yet.
    if self.only_make_known or is_unknown:
      self.has_unknown_results |= not self.only_make_known
      raise Bottom
    frame.partial()
    self._check(frame, instance, rows is not None)
    if rows is not None and (learnt.changed.get(key) or self._effects.returned(key)):

      def call_one(value: object) -> object:
        one = {n: value if isinstance(v, Mapped) else v for n, v in names.items()}
        return self.call(ip, function, source, node, outer, one)

      return _graph_loops.one_by_one(ip, rows, call_one)
    tensors += self._effects.arguments(frame, key)
    tensors = frame.gated(tensors[:1]) + tensors[1:]
    assert instance.subgraph is not None  # Only the entry may have none.
    call = instance.subgraph if rows is None else instance.subgraph.map
    try:
      found = list(tf.nest.flatten(call(*tensors)))
    except DefinitionError as error:
      # What it calls has no body in this attempt: it is not known yet, or was refused.
      if learnt.has_news or ip.conversion.num_postponed:
        raise Bottom from None
      raise frame.refuse(Reason.NOT_SETTLED, f"A part of {instance.name} is not made.") from error
    frame.compute(tuple(found))
    if rows is None:
      return self._received(ip, instance, lifted, containers, iter(found))
    count = len(list(_forms.specs(instance.result)))
    crossing.receive_rows(frame.sharing, containers)
    return Rows(rows.length, tuple(found[:count]), instance.result)

  def _numbers(
    self, frame: Frame, instance: Instance, lifted: Lifted, containers: dict[Slot, Container]
  ) -> list[tf.Tensor]:
    """Returns the numbers of the arguments that a body makes parts of other objects."""
    numbers: list[tf.Tensor] = []
    is_user_s = frame.key is None and not self._is_step
    values = list(lifted.values.values())
    for slot in self._learnt.crossing(instance.key).numbered:
      if slot in containers and not is_user_s:
        numbers.append(frame.handle(containers[slot]))
      elif len(slot) == 1 and values[slot[0]] is None:  # type: ignore[call-overload]
        numbers.append(tf.constant(NONE, _forms.NUMBER))
      else:
        text = f"What is passed to {instance.name} becomes an object that the run makes."
        raise frame.refuse(Reason.MADE_OBJECT, text)
    return numbers

  def _check(self, frame: Frame, instance: Instance, is_mapped: bool) -> None:
    """Refuses calls whose result cannot be brought to the caller."""
    if self._is_step:
      for form in (instance.result, *self._learnt.changed_forms(instance.key)):
        check_no_variable(frame, form, f"What {instance.name} returns")
    if is_mapped and _forms.has_rows(instance.result):
      if instance.result is not None and instance.result.can_be_made():
        self._learnt.note_made(instance.key, instance.result)
        raise Bottom  # The next attempt has it by a number for each element.
      raise frame.refuse(
        Reason.DYNAMIC_LIST, f"{instance.name} returns a list for each element of a list."
      )

  def _received(
    self,
    ip: Host,
    instance: Instance,
    lifted: Lifted,
    containers: dict[Slot, Container],
    tensors: Iterator[tf.Tensor],
  ) -> object:
    """Takes over what a call returned and left changed; returns its result."""
    frame, key = ip.frame, instance.key
    assert instance.result is not None  # It has outputs.
    result = frame.adopt(_forms.unflatten(instance.result, tensors))
    if isinstance(result, Made) and self._learnt.makes_lists.get(key):
      result = dataclasses.replace(result, type=list)
    changed = self._learnt.changed.get(key, {})
    left: dict[int | str, object] = {
      position: frame.adopt(_forms.unflatten(form, tensors)) for position, form in changed.items()
    }
    self._effects.receive(ip, key, tensors)
    left = self._learnt.crossing(key).receive(frame.sharing, containers, {**left, RESULT: result})
    for position in changed:
      lifted.update(position, left[position])
    return left[RESULT]

  def _form(self, node: ast.AST, name: object, value: object, frame: Frame) -> _forms.BaseForm:
    if isinstance(value, Mapped):
      assert value.rows.form is not None  # There is an element.
      return value.rows.form
    if isinstance(value, Closure):
      return _forms.ClosureForm(value.node)
    if isinstance(value, Alike):
      return _forms.AlikeForm(value.values[0])
    if self._learnt.variants.is_made(id(node), name):
      return _forms.MadeForm()
    form = _forms.generalized(_forms.form_of(value, frame), is_argument=True)
    return self._learnt.variants.opened(id(node), name, form)

  def _key(self, node: ast.AST, lifted: Lifted, forms: tuple[_forms.BaseForm, ...]) -> object:
    parts = tuple((name, skeleton(form)) for name, form in zip(lifted.values, forms, strict=True))
    return id(node), parts

  def _arguments(
    self, lifted: Lifted, instance: Instance, frame: Frame, rows: Rows | None
  ) -> list[tf.Tensor]:
    tensors: list[tf.Tensor] = []
    at_once = self._learnt.read_at_once.get(instance.key, frozenset())
    for position, (value, form) in enumerate(
      zip(lifted.values.values(), instance.forms, strict=True)
    ):
      if isinstance(value, Ref) and frame.may_be_missing(value):
        self._learnt.relied_on.add((instance.key, position))
        value = frame.unchecked(value) if position in at_once else value
      if isinstance(value, Mapped):
        length, *found = _forms.flatten(value.rows, _forms.RowsForm(form), frame)
        tensors += found
        continue
      found = _forms.flatten(value, form, frame)
      if rows is not None:
        found = [repeated(tensor, rows.length) for tensor in found]
      tensors += found
    if not tensors:
      tensors = [tf.zeros([] if rows is None else [rows.length], tf.int32)]
    return tensors


def _pass_on(frame: Frame, parameter: object, value: object) -> None:
  """Notes where objects come from that are passed."""
  if not isinstance(value, Mapped):
    frame.note_origin(parameter, value)
  elif isinstance(value.rows.form, _forms.RefForm):
    assert frame.conversion.origins is not None  # Somebody asks.
    frame.conversion.origins.pass_on(parameter, value.rows.form.origin)
