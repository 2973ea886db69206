"""Loops of the graph: what they carry from turn to turn, and in which forms."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import rows_of_items
from recursive_tf.convert.frame._sharing import Book, Carried
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Bottom,
  Container,
  Local,
  LocalDict,
  LocalList,
  Rows,
  Scope,
  Undefined,
  Update,
  named,
  same_content,
)
from recursive_tf.convert.values._forms.base import BaseForm

_Place = tuple[Local, object]  # A container as a whole (None), or a name of it or of a scope.
_Test = Callable[[tf.Tensor], object] | None

_GROWING = 2  # Rounds after which a form that gets deeper has no end.
_MAX_ROUNDS = 6  # Until the forms of what a loop carries settle.


def row(ip: Host, rows: Rows, index: tf.Tensor) -> object:
  assert rows.form is not None  # There is an element.
  axis = tfi.constant(0, tf.int32)
  tensors = iter([tf.gather(tensor, index, axis=axis) for tensor in rows.tensors])
  return ip.frame.adopt(_forms.unflatten(rows.form, tensors))


class ChangingTest(Exception):  # noqa: N818 - control flow, never reaches the user
  """The test of a loop changes something, which the test of a loop of the graph cannot."""


def run_loop(
  ip: Host,
  node: ast.AST,
  scope: Scope,
  test: Callable[[tf.Tensor], object],
  body: Callable[[tf.Tensor], object],
  may_change: bool = False,
) -> None:
  """Runs `body` as a loop of the graph while `test` holds; it may change containers.

  Raises:
    ChangingTest: If `may_change` and the test changes anything.
  """
  frame = ip.frame
  frame.partial()
  frame.number_early()
  kept = annotation(node, Annotation.CARRIED, frozenset()) | annotation(
    node, Annotation.LIVE_AFTER, frozenset()
  )
  facts = Carried()
  try:
    carried = _settle(ip, node, scope, kept, facts, test if may_change else None, body)
  except Bottom:  # The body raises, or waits for a result: there must be no turn.
    frame.demand(tf.logical_not(test(tf.constant(0))))
    return
  for name in annotation(node, Annotation.ASSIGNED, frozenset()) - kept:
    scope.names.pop(name, None)
  # What notes the things that are made comes last: bringing all else into its form makes some.
  carried = dict(sorted(carried.items(), key=lambda place: place[0][0].is_trace))

  def flat() -> list[tf.Tensor]:
    return [
      tensor
      for (owner, key), form in carried.items()
      for tensor in _forms.flatten(_get(owner, key), form, frame)
    ]

  def load(tensors: list[tf.Tensor]) -> None:
    source = iter(tensors)
    for place, form in carried.items():
      _load(ip, node, scope, place, form, source)
    facts.apply(frame.sharing, _values(carried))

  def in_layer(function: Callable[[], object], tensors: list[tf.Tensor]) -> object:
    def trace() -> object:
      load(tensors)
      return function()

    return frame.isolated(trace)

  is_demanding = False

  def one_turn(index: tf.Tensor, *tensors: tf.Tensor) -> object:
    def turn() -> object:
      nonlocal is_demanding
      body(index)
      is_demanding |= frame.is_demanding
      outputs = frame.tied([index + 1, *flat()], is_turn=True)
      ip.conversion.budget.done(tf.compat.v1.get_default_graph())
      return outputs

    return in_layer(turn, list(tensors))

  def goes_on(index: tf.Tensor, *tensors: tf.Tensor) -> tf.Tensor:
    def ask() -> tf.Tensor:
      nonlocal is_demanding
      asked = test(index)
      (checked,) = frame.tied([asked])
      is_demanding |= checked is not asked
      return checked

    return in_layer(ask, list(tensors))

  specs = [spec for form in carried.values() for spec in _forms.specs(form)]
  found = tfi.while_loop(
    goes_on,
    one_turn,
    frame.gated([tf.constant(0), *flat()]),
    shape_invariants=[tf.TensorShape([]), *(spec.shape for spec in specs)],
  )
  frame.compute(tuple(found))
  if is_demanding:
    frame.demand_done(found[0])
  load(list(found[1:]))


def _settle(
  ip: Host,
  node: ast.AST,
  scope: Scope,
  kept: frozenset[str],
  facts: Carried,
  test: _Test,
  body: Callable[[tf.Tensor], object],
) -> dict[_Place, BaseForm]:
  """Returns what the body changes, (container, name or None) -> form, by trying it out.

  What it finds out of containers that may be one object is added to `facts`, and to the frame.

  A test that might change something is tried out, too.
  """
  frame = ip.frame
  forms: dict[_Place, BaseForm] = {}
  before = {local for local in frame.locals if isinstance(local, Container)}
  for number in range(_MAX_ROUNDS):
    graph = tfi.OwnGraph("loop")
    facts.see(frame.sharing, _values(forms), before)
    known = kept, forms, facts, before
    one_round = functools.partial(_one_round, ip, node, scope, *known, test, body)
    with graph.as_default():
      changed, is_new, book = frame.isolated(one_round)
    is_new |= frame.sharing.book.add(book.of(before))
    ip.conversion.budget.done(graph)
    joined = dict(forms)
    try:
      for place, form in changed.items():
        if place not in joined:
          value = _get(*place)
          if place[0] is scope:
            frame.note_origin((node, place[1]), value)
          initial = _forms.form_of(value, frame)
          joined[place] = frame.join(initial, form)
        else:
          joined[place] = frame.join(joined[place], form)
      if any(key is None and form == _forms.MadeForm() for (_, key), form in joined.items()):
        raise _forms.Mismatch("a list of elements of other forms")  # It would be another list.
      if number >= _GROWING:
        joined = {place: _ended(forms, place, form) for place, form in joined.items()}
    except _forms.Mismatch as error:
      raise frame.refuse(
        Reason.KINDS_DIFFER, f"A loop carries {error} from turn to turn."
      ) from None
    if joined == forms and not is_new:
      return forms
    made = [p for p, form in joined.items() if form == _forms.MadeForm() and forms.get(p) != form]
    if made:
      _show_first(ip, made)
    forms = joined
  raise ConversionRefused.of(
    Reason.NOT_SETTLED, "What the loop carries keeps changing its form.", frame.origin
  )


def _show_first(ip: Host, places: Sequence[_Place]) -> None:
  """Shows what variables are before a loop that makes numbers of them: its test asks for that."""

  def show() -> None:
    for place in places:
      _forms.flatten(_get(*place), _forms.MadeForm(), ip.frame)

  with tfi.OwnGraph("before").as_default():
    ip.frame.isolated(show)


def _ended(forms: Mapping[_Place, BaseForm], place: _Place, form: BaseForm) -> BaseForm:
  """Returns the form of what a loop carries; of one without end that of objects that runs make."""
  is_deeper = place in forms and _forms.depth(form) > _forms.depth(forms[place])
  if not is_deeper or not _forms.can_be_made(form):
    return form
  if place[1] is not None:
    return _forms.MadeForm()
  return _forms.RowsForm(_forms.MadeForm()) if isinstance(form, _forms.RowsForm) else form


def _one_round(
  ip: Host,
  node: ast.AST,
  scope: Scope,
  kept: frozenset[str],
  forms: Mapping[_Place, BaseForm],
  facts: Carried,
  outer: Set[Container],
  test: _Test,
  body: Callable[[tf.Tensor], object],
) -> tuple[dict[_Place, BaseForm], bool, Book]:
  """Runs the body once on placeholders.

  Returns:
    The forms of what it changed; whether it found more of what may be one object; and the book.
  """
  frame = ip.frame
  for place, form in forms.items():
    tensors = [tfi.placeholder(s.dtype, s.shape, "carried") for s in _forms.specs(form)]
    _load(ip, node, scope, place, form, iter(tensors))
  facts.apply(frame.sharing, _values(forms))
  count = len(frame.locals)
  places: dict[_Place, BaseForm] = {}
  before = frame.snapshot()
  index = tf.compat.v1.placeholder(tf.int32, [])
  if test is not None and frame.changes(lambda: test(index))[1]:
    raise ChangingTest
  body(index)
  for local, old in zip(frame.locals[:count], before, strict=False):
    if local is frame.sharing:
      continue
    if isinstance(local, LocalList):
      new = local.snapshot()
      if not same_content(new, old):
        places[(local, None)] = _forms.form_of(local, frame)
      continue
    names = local.snapshot()
    if isinstance(local, Container) and list(names) != list(old):
      # Without a turn nothing changes, and a form has all its keys, in their order.
      if isinstance(local, LocalDict) and ip.conversion.note_table(local.site):
        raise Bottom  # The next attempt makes such dicts in the run.
      text = f"A loop puts other keys into a {named(local)}, or takes some away."
      raise frame.refuse(Reason.KINDS_DIFFER, text)
    for name, value in names.items():
      if local is scope and name not in kept:
        continue
      if old.get(name, _NOTHING) is not value:
        if local is scope:
          frame.note_origin((node, name), value)
        places[(local, name)] = _forms.form_of(value, frame)
  for place, form in places.items():
    if place in forms and _forms.join(forms[place], form) == forms[place]:
      _forms.flatten(_get(*place), forms[place], frame)  # What becomes an element is pinned.
  for local, old in zip(frame.locals[:count], before, strict=False):
    if local.is_trace and not same_content(local.snapshot(), old):
      places |= {(local, n): _forms.form_of(v, frame) for n, v in local.snapshot().items()}
  is_new = facts.see(frame.sharing, _values({**forms, **places}), outer)
  return places, is_new, frame.sharing.snapshot()


def _values(places: Iterable[_Place]) -> dict[_Place, object]:
  return {place: _get(*place) for place in places}


_NOTHING = object()


def _get(owner: Local, key: object) -> object:
  if key is None:
    return owner
  names = owner.snapshot()
  return names[key] if key in names else Undefined(str(key))


def _load(
  ip: Host, node: ast.AST, scope: Scope, place: _Place, form: BaseForm, tensors: Iterator[tf.Tensor]
) -> None:
  """Puts what a loop carries into its place."""
  owner, key = place
  value = ip.frame.adopt(_forms.unflatten(form, tensors))
  _set(owner, key, ip.frame.from_source((node, key), value) if owner is scope else value)


def _set(owner: Local, key: object, value: object) -> None:
  if key is not None:
    owner.restore(Update({key: value}))
    return
  assert isinstance(value, LocalList)  # All others have keys.
  owner.restore(value.content)


def one_by_one(ip: Host, rows: Rows, call: Callable[[object], object]) -> Rows:
  """Returns `call` of each of the rows, in their order: what the calls write may matter."""
  frame = ip.frame
  found = frame.new(LocalList([]))

  def body(index: tf.Tensor) -> None:
    result = call(row(ip, rows, index))
    ip.method(found, "append", [result], {})

  scope = Scope({}, None, ip.source)
  run_loop(ip, ast.Pass(), scope, lambda index: index < rows.length, body)
  if isinstance(found.content, Rows):
    return found.content
  return rows_of_items(ip.frame, found.content)
