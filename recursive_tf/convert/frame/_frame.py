"""One body while it is made: branches, and what they have in common afterwards."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._layers import Fact, Layer
from recursive_tf.convert.frame._left_out import LeftOut, Site, at
from recursive_tf.convert.frame._making import Making
from recursive_tf.convert.frame._sharing import Rejoin
from recursive_tf.convert.values import _checks, _forms
from recursive_tf.convert.values._abstract import (
  Bottom,
  Container,
  Dear,
  Local,
  LocalDict,
  LocalList,
  Scope,
  Undefined,
  Update,
  same_content,
)
from recursive_tf.convert.values._numbers import Number

_Live = tuple[Scope, frozenset[str]] | None  # A scope, and which of its variables are used later.
_VALUE = -1  # The position of a branch's value, before those of the containers.


@dataclasses.dataclass
class _Outcome:
  """What one branch left behind.

  Attributes:
    graph: its graph, without outputs.
    layer: what it knew.
    value: its result, None if it has none.
    after: contents of all containers at its end, by position; None where nothing comes after.
    contents: the same, as `snapshot` gave them.
  """

  graph: tfi.Graph
  layer: Layer
  value: object = None
  after: list[_Frozen] | None = None
  contents: list[Any] = dataclasses.field(default_factory=list)


class Frame(Making):
  """The body of one function instance while it is made; the attributes are those of `Reading`."""

  def cond(
    self,
    pred: object,
    then: Callable[[], object],
    otherwise: Callable[[], object],
    live: _Live = None,
  ) -> object:
    """Does one or the other: in Python if the truth is known, else as a conditional of the graph.

    Args:
      pred: bool or `Number`.
      then: gives the value if true, may change containers.
      otherwise: gives the value if false.
      live: a scope, and those of its variables that are read afterwards.

    Returns:
      The value of either, in the form they have in common.
    """
    meaning = self.meaning(pred)
    if not isinstance(pred, Number):
      return then() if pred else otherwise()
    if self.num_trials:
      raise Dear
    self.number_early()
    site, origin = self._site(), self.origin
    left_out = None if site is None else at(self.conversion.branches.left_out, site)
    before = self.snapshot()
    outcomes = [
      self._trace(value, function, facts, site)
      if left_out is None or left_out.value is not value
      else self._trace(value, _leave, facts, None)
      for value, function, facts in (
        (True, then, meaning.if_true),
        (False, otherwise, meaning.if_false),
      )
    ]
    if left_out is not None:
      self._demand_other(pred.tensor, site, left_out)
    if all(outcome.after is None for outcome in outcomes):
      raise Bottom
    self.origin = origin
    try:
      return self._met(pred, before, outcomes, live)
    except _forms.Mismatch as error:
      refusal = self.refuse(Reason.KINDS_DIFFER, f"Values meet that are {error}.")
      raise _without(refusal, site, None) from None
    except ConversionRefused as refusal:
      _without(refusal, site, None)  # Either of the two would do.
      raise

  def _site(self) -> Site | None:
    """Returns the conditional that is met now, if one of its branches may be left out."""
    is_entry = self.conversion.is_step and self.key is None
    return self.conversion.branches.site(self.origin) if is_entry else None

  def _demand_other(self, pred: tf.Tensor, site: Site | None, left_out: LeftOut) -> None:
    """Fails a run that takes a branch which is left out."""
    assert site is not None  # Else nothing is left out.
    ok = tf.logical_not(pred) if left_out.value else pred
    text = self.conversion.branches.message(site)
    self.demand(_checks.check(tf.constant(True), ok, text))

  def _met(
    self, pred: Number, before: list[object], outcomes: list[_Outcome], live: _Live
  ) -> object:
    """Makes the conditional of its branches; returns its value."""
    changed = self._changed(before, outcomes, live)
    forms, parted = self._join(outcomes, changed)
    changed = [i for i in changed if i not in parted]
    outputs = [self._outputs(outcome, changed, forms) for outcome in outcomes]
    traces = self._traces(before, outcomes)  # Bringing values into their forms has added to them.
    for outcome, tensors in zip(outcomes, outputs, strict=True):
      with outcome.graph.as_default():
        tensors += self._trace_outputs(outcome, traces)
    is_demanding = any(o.after is None or o.layer.demands for o in outcomes)
    # A conditional that gives nothing is not made, but for what its branches do.
    is_demanding |= not any(outputs) and any(_does_something(o.graph) for o in outcomes)
    branches = []
    for outcome, tensors in zip(outcomes, outputs, strict=True):
      met = [self._are_met(outcome)] if is_demanding else []
      branches.append((outcome.graph, [*tensors, *met]))
    has_outputs = any(tensors for _, tensors in branches)
    found = tfi.finish_cond(pred.tensor, branches) if has_outputs else []
    if is_demanding:
      self.demand(found.pop())
    self._layers[-1].computed += found
    sure = [o for o in outcomes if o.after is not None]
    if len(sure) == 1:  # The other branch fails the run: what this one knew stays true.
      self._layers[-1].narrowed.update(sure[0].layer.narrowed)
      self._layers[-1].alike += sure[0].layer.alike
    tensors_of_all = iter(found)
    result = self._take_over(tensors_of_all, forms, changed, sure, len(before))
    for i, form in traces.items():
      self.locals[i].restore({"content": _forms.unflatten(form, tensors_of_all)})
    for i, text in parted.items():
      container = self.locals[i]
      assert isinstance(container, Container)  # All else has to have a form.
      self.sharing.part(container, text)
    return result

  def _traces(self, before: list[object], outcomes: list[_Outcome]) -> dict[int, _forms.BaseForm]:
    """Returns the forms of what notes things that a branch has made, by position."""
    found: dict[int, _forms.BaseForm] = {}
    for i, old in enumerate(before):
      if self.locals[i].is_trace:
        new = [outcome.contents[i] for outcome in outcomes if outcome.after is not None]
        if not all(same_content(one, old) for one in new):
          found[i] = functools.reduce(
            self.join, [_forms.form_of(content["content"], self) for content in new]
          )
    return found

  def _trace_outputs(
    self, outcome: _Outcome, traces: dict[int, _forms.BaseForm]
  ) -> list[tf.Tensor]:
    """Returns what a branch leaves there, in its graph."""
    if outcome.after is None:
      return self.failing(traces.values())
    return [
      tensor
      for i, form in traces.items()
      for tensor in _forms.flatten(outcome.contents[i]["content"], form, self)
    ]

  def _take_over(
    self,
    tensors: Iterator[tf.Tensor],
    forms: list[_forms.BaseForm],
    changed: list[int],
    outcomes: list[_Outcome],
    count: int,
  ) -> object:
    """Puts what the branches left into the containers, and returns the value of either."""
    value, *contents = (self.adopt(_forms.unflatten(form, tensors)) for form in forms)
    self.sharing.restore(outcomes[0].contents[0])
    for outcome in outcomes[1:]:
      self.sharing.book.add(outcome.contents[0])
    self.sharing.adopt((value, *contents))
    join = Rejoin(self.sharing, self.locals[:count])
    for position, content in zip(changed, contents, strict=True):
      originals = [_unfrozen(o.after[position]) for o in outcomes if o.after is not None]
      self.locals[position].restore(_thaw(join.content(content, originals)))
    return join.value(value, [outcome.value for outcome in outcomes])

  def _trace(
    self,
    value: bool,
    function: Callable[[], object],
    facts: list[Fact],
    site: Site | None,
  ) -> _Outcome:
    outcome = _Outcome(None, Layer())

    def trace() -> None:
      self.narrow(facts)
      try:
        outcome.value = function()
        outcome.contents = self.snapshot()
        outcome.after = [_frozen(local.snapshot(), local) for local in self.locals]
      except Bottom:
        pass
      except ConversionRefused as refusal:
        self.conversion.leave_branch(_without(refusal, site, value))

    name = "true" if value else "false"
    outcome.graph = tfi.begin_branch(name, lambda: self.isolated(trace, outcome.layer))
    self.conversion.budget.done(outcome.graph)
    return outcome

  def _changed(self, before: list[object], outcomes: list[_Outcome], live: _Live) -> list[int]:
    """Returns the positions of what a branch changed and is still needed; the rest is fixed up."""
    changed = []
    for position, (local, content) in enumerate(zip(self.locals, before, strict=True)):
      if local is self.sharing or local.is_trace:
        continue
      old = _frozen(content, local)
      new = [o.after[position] for o in outcomes if o.after is not None]
      if isinstance(local, Scope):
        names = _changed_names(local, old, new)
        if live is not None and live[0] is local:
          for name in names - live[1]:
            local.names.pop(name, None)
            local.names[name] = Undefined(name)
          names &= live[1]
        if names:
          for outcome in outcomes:
            if outcome.after is not None:
              after = outcome.after[position].parts
              parts = {n: after.get(n, Undefined(n)) for n in sorted(names)}
              outcome.after[position] = _Frozen(False, parts)
          changed.append(position)
      elif any(not same_content(content_.parts, old.parts) for content_ in new):
        changed.append(position)
    return changed

  def _join(
    self, outcomes: list[_Outcome], changed: list[int]
  ) -> tuple[list[_forms.BaseForm], dict[int, str]]:
    """Returns the forms that the branches have in common, value first, then containers.

    And why containers have none, by position: nobody reads these any more.
    """
    parted: dict[int, str] = {}
    found: list[dict[int, _forms.BaseForm]] = []
    for outcome in outcomes:
      if outcome.after is None:
        continue
      book = outcome.contents[0].parted
      parted |= {i: book[self.locals[i]] for i in changed if self.locals[i] in book}
      values = {_VALUE: outcome.value, **{i: outcome.after[i] for i in changed if i not in parted}}
      with outcome.graph.as_default(), self._as_left(outcome):
        found.append({i: _forms.form_of(_unfrozen(value), self) for i, value in values.items()})
    joined = {
      i: self._joined(i, [one[i] for one in found], parted)
      for i in (_VALUE, *changed)
      if i not in parted
    }
    return [form for i, form in joined.items() if i not in parted], parted

  def _joined(
    self, position: int, forms: list[_forms.BaseForm], parted: dict[int, str]
  ) -> _forms.BaseForm:
    """Returns the form that two branches have in common; notes it of a container that has none."""
    is_step = self.conversion.is_step
    try:
      form = functools.reduce(self.join, forms)
      # A container stays what it is; a branch of a step may be left out instead.
      is_kept = position != _VALUE and isinstance(form, _forms.MadeForm)
      if len(forms) > 1 and (is_kept or (is_step and _forms.has_made(form))):
        raise _forms.Mismatch(" and ".join(map(_forms.describe, forms)))
      return form
    except _forms.Mismatch as error:
      text = f"The branches give {error}, which no graph value can be."
      if position != _VALUE and isinstance(self.locals[position], Container) and not is_step:
        parted[position] = text
        return forms[0]
      raise self.refuse(Reason.KINDS_DIFFER, text) from None

  def _are_met(self, outcome: _Outcome) -> tf.Tensor:
    """Returns whether all demands of a branch are met, in its graph."""
    with outcome.graph.as_default():
      met = tfi.constant(outcome.after is not None, tf.bool)
      for ok in outcome.layer.demands if outcome.after is not None else ():
        met = tf.logical_and(met, ok)
      return met

  def _outputs(
    self, outcome: _Outcome, changed: list[int], forms: list[_forms.BaseForm]
  ) -> list[tf.Tensor]:
    """Returns a branch's outputs, and demands what it computes without using it."""
    with outcome.graph.as_default():
      if outcome.after is None:
        return self.failing(forms)
      with self._as_left(outcome):
        values = [outcome.value, *(outcome.after[i] for i in changed)]
        outputs = [
          tensor
          for value, form in zip(values, forms, strict=True)
          for tensor in _forms.flatten(_unfrozen(value), form, self)
        ]
        self._demand_unused(outputs)
        return outputs

  @contextlib.contextmanager
  def _as_left(self, outcome: _Outcome) -> Iterator[None]:
    """Puts the containers back to what they were at the end of a branch, and undoes that."""
    now = self.snapshot()
    self.restore(outcome.contents[: len(now)])
    self._layers.append(outcome.layer)
    try:
      yield
    finally:
      outcome.contents[0] = self.sharing.snapshot()  # Lists that became rows are pinned.
      for i in range(len(now)):
        if self.locals[i].is_trace:
          outcome.contents[i] = self.locals[i].snapshot()
      self._layers.pop()
      self.restore(now)

  def failing(self, forms: Iterable[_forms.BaseForm]) -> list[tf.Tensor]:
    """Returns tensors of these forms that nobody will see, since the run fails."""
    tensors = []
    for form in forms:
      for spec in _forms.specs(form):
        rank = spec.shape.rank
        shape = [] if rank is None else [1 if s is None else s for s in spec.shape.as_list()]
        tensors.append(tf.zeros(shape, spec.dtype))
    return tensors


def _without(
  refusal: ConversionRefused, site: Site | None, value: bool | None
) -> ConversionRefused:
  """Returns a refusal that says which conditional's branch could be left out."""
  if site is not None and refusal.without is None:
    refusal.without = site, value
  return refusal


def _leave() -> object:
  raise Bottom


def _does_something(graph: tfi.Graph) -> bool:
  """Tells whether a graph has ops that do more than compute, as conditionals with such are."""
  ops = graph.get_operations()
  return any(tfi.is_stateful(op) for op in ops)


class _Frozen:
  """The content of a container at the end of a branch."""

  def __init__(self, is_list: bool, parts: Any):
    self.is_list = is_list
    self.parts = parts


def _frozen(content: object, local: Local) -> _Frozen:
  return _Frozen(isinstance(local, LocalList), content)


def _unfrozen(value: object) -> object:
  if not isinstance(value, _Frozen):
    return value
  return LocalList(value.parts) if value.is_list else LocalDict(value.parts)


def _thaw(value: object) -> object:
  """Returns the content that a container gets back."""
  if isinstance(value, LocalList):
    return value.content
  assert isinstance(value, LocalDict)  # All others are frozen as dicts.
  return Update(value.items)


def _changed_names(local: Scope, old: _Frozen, new: list[_Frozen]) -> set[str]:
  names = set(old.parts).union(*(content.parts for content in new))
  gone = object()
  return {
    name
    for name in names
    if any(content.parts.get(name, gone) is not old.parts.get(name, gone) for content in new)
  }
