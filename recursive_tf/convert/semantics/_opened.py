"""Reading what may be an object that the run makes, or one of before: each by what it is.

An object that a run has made does not change any more (`frame/_making.py`), so that reading it is
reading its row of the table, whenever that happens. What it is says the kind of the row; an old
object is read as ever.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Sequence

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.frame._access import is_of_all_objects
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import read_numbers, rows_of_items
from recursive_tf.convert.heap._columns import NONE
from recursive_tf.convert.semantics._exactly import is_exactly
from recursive_tf.convert.values import _checks, _forms
from recursive_tf.convert.values._abstract import (
  Base,
  Bottom,
  BoundMethod,
  Builtin,
  Container,
  LocalDict,
  LocalList,
  LocalObject,
  Made,
  Raises,
  Ref,
  Rows,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import Text


class _Apart(Exception):  # noqa: N818 - control flow, never reaches the user
  """What cases give has no form in common, for the reason of a refusal."""

  def __init__(self, refusal: ConversionRefused):
    super().__init__()
    self.refusal = refusal


_Then = Callable[[object], object]
Known = Callable[[frozenset[type]], bool | None]


@dataclasses.dataclass(frozen=True)
class _Option:
  """What a number may be of: whether it is, what reads that, its exact types, if known, a name."""

  is_one: tf.Tensor
  open: Callable[[], object]
  classes: frozenset[type]
  kind: str


@dataclasses.dataclass(frozen=True, eq=False)
class _Case:
  """Something to do: whether it is to be done, what gives its value, and of what kind of object."""

  is_one: tf.Tensor
  then: Callable[[], object]
  kind: str = ""


def unknown(kinds: frozenset[type]) -> None:
  """Says nothing of objects by their types."""


def for_each(
  ip: Host,
  made: Made,
  then: _Then,
  known: Known = unknown,
  needs: Sequence[str] | Callable[[type], bool] = (),
  has_tuples: bool = True,
) -> object:
  """Returns what `then` gives of what the run finds.

  Where that is refused of some of what it may be, a run that finds one of these fails.

  Args:
    ip: the interpreter.
    made: the object.
    then: is given each of what it may be.
    known: returns what `then` would give of all objects of some exact types; None if these do not
      say it. What they do say it of is not read.
    needs: attributes of which it has to have one, or what tells of a type whether it fits: Python
      raises for all else, which is not tried.
    has_tuples: whether tuples of several kinds are each given as what they are, not as one of as
      many elements as the run finds.
  """
  options = _options(ip, made)
  if not has_tuples:
    options = _with_one_tuple(ip, options)
  if not options:
    raise Bottom  # Nothing is known to be made, yet.
  all_options = options
  if needs:
    fits = needs if callable(needs) else functools.partial(_may_have_one, needs)
    options = [one for one in options if not one.classes or any(map(fits, one.classes))]
    if not options:
      raise Raises
  refusals: list[ConversionRefused] = []

  def tried(open_: Callable[[], object]) -> object:
    ip.budget.take(1)  # One operator of objects in objects is many, and none of them a step.
    try:
      return then(open_())
    except ConversionRefused as refusal:
      refusals.append(refusal)
      raise Raises from None

  cases: list[_Case] = []
  answers: dict[bool, tf.Tensor] = {}
  for option in options:
    answer = known(option.classes) if option.classes else None
    if answer is None:
      cases.append(_Case(option.is_one, functools.partial(tried, option.open), option.kind))
    elif answer in answers:
      answers[answer] = tf.logical_or(answers[answer], option.is_one)
    else:
      answers[answer] = option.is_one
  cases += [_Case(is_one, functools.partial(bool, answer)) for answer, is_one in answers.items()]
  if len(cases) == 1 < len(all_options):  # In a branch, so that it is read where it is that one.
    cases.append(_Case(tf.logical_not(cases[0].is_one), _fail))
  try:
    return _chosen(ip, cases)
  except Bottom:
    if len(refusals) == len(options) and not ip.conversion.made_kinds.may_be_early(_place(ip)):
      raise refusals[0] from None
    raise


def _with_one_tuple(ip: Host, options: list[_Option]) -> list[_Option]:
  """Returns what an object may be, all tuples as one, of as many elements as the run finds."""
  tuples = [option for option in options if option.classes == {tuple}]
  if len(tuples) < 2:
    return options

  def of_one(option: _Option) -> object:
    value = option.open()
    rows = ip.rows_of(value)
    if rows is None:
      assert isinstance(value, tuple)  # It has elements that are known, and their number.
      rows = rows_of_items(ip.frame, list(value))
    return dataclasses.replace(rows, type=tuple)

  def open_() -> object:
    cases = [_Case(o.is_one, functools.partial(of_one, o), o.kind) for o in tuples]
    return _chosen(ip, cases)

  is_one = functools.reduce(tf.logical_or, [option.is_one for option in tuples])
  one = _Option(is_one, open_, frozenset([tuple]), "a tuple")
  return [*(option for option in options if option.classes != {tuple}), one]


def _may_have_one(names: Sequence[str], kind: type) -> bool:
  return any(_may_have(kind, name) for name in names)


def _may_have(kind: type, name: str) -> bool:
  """Tells whether an object of a type may have an attribute; a special method is the type's own."""
  if hasattr(kind, name):
    return True
  is_own = name.startswith("__")
  return not is_own and (kind.__dictoffset__ != 0 or hasattr(kind, "__getattr__"))


def _chosen(ip: Host, cases: list[_Case]) -> object:
  """Does what the run finds to be the case.

  Where what they give has no form in common, those are done that have one, those before others
  that runs have found here; a run that finds another one fails, and says which.
  """
  frame, kinds = ip.frame, ip.conversion.made_kinds
  before = frame.snapshot()
  place = _place(ip)
  try:
    found = _met(ip, cases)
  except _Apart as apart:
    frame.restore(before)
    if not kinds.is_wide or ip.conversion.is_step:
      raise apart.refusal from None
    taken = _alike(ip, cases, kinds.preferred.get(place, ()))
    for case in cases:
      if case not in taken:
        message = kinds.leave_out(place, case.kind)
        frame.demand(_checks.check(tf.constant(True), tf.logical_not(case.is_one), message))
    cases = taken
    if len(cases) == 1:  # In a branch, so that it is not read where it is another one.
      cases = [*taken, _Case(tf.logical_not(taken[0].is_one), _fail)]
    found = _met(ip, cases)
    cases = taken
  frame.demand(functools.reduce(tf.logical_or, [case.is_one for case in cases]))
  return found


def _fail() -> object:
  raise Raises


def _place(ip: Host) -> str:
  return f"{ip.frame.line}:{ip.frame.column}"


def _alike(ip: Host, cases: list[_Case], preferred: Sequence[str]) -> list[_Case]:
  """Returns those of some cases that give values of one form, the preferred ones first."""

  def fit(some: list[_Case]) -> bool:
    found: list[bool] = []

    def trace() -> None:
      try:
        _met(ip, some)
      except Bottom:
        pass
      except _Apart:
        found.append(False)

    graph = tfi.begin_branch("tried", lambda: ip.frame.isolated(trace))
    ip.conversion.budget.done(graph)
    return not found

  order = {kind: i for i, kind in enumerate(preferred)}
  taken: list[_Case] = []
  for case in sorted(cases, key=lambda case: order.get(case.kind, len(order))):
    if fit([*taken, case]):
      taken.append(case)
  return taken


def _met(ip: Host, cases: list[_Case]) -> object:
  """Returns the value of the case that the run finds, which is one of some.

  Raises:
    _Apart: If their values have no form in common; nothing has happened then.
  """

  def found(first: int, end: int) -> object:
    if end - first == 1:
      return cases[first].then()
    middle = (first + end) // 2
    is_before = Number(position < middle, bool)
    try:
      return ip.frame.cond(is_before, lambda: found(first, middle), lambda: found(middle, end))
    except ConversionRefused as refusal:
      if refusal.reason is not Reason.KINDS_DIFFER:
        raise
      raise _Apart(refusal) from None

  position = tf.constant(len(cases))
  for i, case in enumerate(cases):
    position = tf.where(case.is_one, i, position)
  return found(0, len(cases))


def _options(ip: Host, made: Made) -> list[_Option]:
  """Returns what an object may be."""
  frame, handle = ip.frame, made.handle
  old, is_none, numbers = _kinds_of(ip, made)
  options: list[_Option] = []
  if old:
    options += _old_options(ip, made, old)
  if is_none:
    is_one = tf.equal(handle, NONE)
    options.append(_Option(is_one, lambda: None, frozenset([NoneType]), "None"))
  if numbers:
    now = ip.conversion.effects.current_made(ip, handle)
    kind = frame.kind_of_made(now)
    for number in numbers:
      open_ = functools.partial(_open, ip, number, now, handle)
      classes = ip.conversion.made_kinds.classes_of(number)
      name = _forms.describe(ip.conversion.made_kinds.forms[number])
      options.append(_Option(tf.equal(kind, number), open_, classes, name))
  return options


def _old_options(ip: Host, made: Made, types: frozenset[type]) -> list[_Option]:
  """Returns what an object of before may be: where dicts change, one of these, or another."""
  frame, handle = ip.frame, made.handle
  dicts = ip.conversion.effects.changed_dicts(types)
  if not dicts or dicts == types:
    read = functools.partial(frame.handle_of_old, handle)
    return [_Option(handle >= 0, lambda: Ref(Base(read(), types)), types, "old")]
  # Of what is none of these the class of another object is read, and not used.
  key = "old or another", id(handle)
  known = frame.memo(key, lambda: (frame.handle_of_old(tf.maximum(handle, 0)), handle))[0]
  ref = Ref(Base(known, types))

  def option(kinds: frozenset[type], name: str) -> _Option:
    def open_() -> Ref:
      frame.narrow([(ref, kinds)])
      return ref

    is_one = tf.logical_and(handle >= 0, is_exactly(ip, ref, kinds).tensor)
    return _Option(is_one, open_, kinds, name)

  return [option(dicts, "old dict"), option(types - dicts, "old")]


def _kinds_of(ip: Host, made: Made) -> tuple[frozenset[type], bool, list[int]]:
  """Returns of what types an old object may be, whether it may be None, and kinds of new ones."""
  kinds = ip.conversion.made_kinds
  old = kinds.types - {NoneType} if made.type is None else frozenset()
  is_none = NoneType in kinds.types and made.type is None
  numbers = [number for number in kinds.known if number not in kinds.hidden]
  if made.type is not None:
    numbers = [number for number in numbers if kinds.class_of(number) is made.type]
  narrowed = ip.frame.narrowed(made)
  if narrowed is not None:
    # What an attempt finds to be made after a test is among what the next one knows there.
    numbers = [number for number in numbers if kinds.class_of(number) in (None, *narrowed)]
    old, is_none = old & narrowed, is_none and NoneType in narrowed
  return old, is_none, numbers


def classes(ip: Host, made: Made) -> frozenset[type]:
  """Returns all classes of what something may be, but of kinds that have several."""
  old, is_none, numbers = _kinds_of(ip, made)
  new = [ip.conversion.made_kinds.class_of(number) for number in numbers]
  found = old | {kind for kind in new if kind is not None}
  return found | {NoneType} if is_none else found


def exact_classes(ip: Host, made: Made) -> frozenset[type] | None:
  """Returns all classes of what something may be, if its number says which object it is.

  None where those of some kind are not known, or a kind is a constant: its rows are one object.
  """
  kinds = ip.conversion.made_kinds
  _, _, numbers = _kinds_of(ip, made)
  if not all(map(kinds.classes_of, numbers)) or any(map(kinds.is_constant, numbers)):
    return None
  return known_classes(ip, made)


def known_classes(ip: Host, made: Made) -> frozenset[type]:
  """Returns the classes of what something may be, as far as they are known."""
  old, is_none, numbers = _kinds_of(ip, made)
  new = [ip.conversion.made_kinds.classes_of(number) for number in numbers]
  return old.union(*new, [NoneType] if is_none else [])


def is_instance(ip: Host, made: Made, wanted: tuple[type, ...]) -> object:
  """Returns `isinstance(made, wanted)`, and notes what that says."""

  def known(kinds: frozenset[type]) -> bool | None:
    if not all(is_of_all_objects(kind, "__class__") for kind in kinds):
      return None
    pairs = [[ip.conversion.guards.is_subclass(kind, one) for one in wanted] for kind in kinds]
    are_instances = {*map(any, pairs)}
    return are_instances.pop() if len(are_instances) == 1 else None

  found = for_each(ip, made, lambda value: ip.kind_of(value).is_instance(wanted), known)
  return noted(ip, made, found, known)


def noted(
  ip: Host, made: Made, found: object, answer: Callable[[frozenset[type]], bool | None]
) -> object:
  """Returns a truth of what something is, and notes which classes that leaves.

  Args:
    ip: the interpreter.
    made: the object.
    found: the truth.
    answer: returns what it is of all objects of some exact types; None if these do not say it.
  """
  if not isinstance(found, Number):
    return found
  all_ = classes(ip, made)
  true, false = (
    frozenset(kind for kind in all_ if answer(frozenset([kind])) is not one)
    for one in (False, True)
  )
  return ip.frame.note(found, [(made, true)], [(made, false)])


def told(ip: Host, made: Made) -> object:
  """Returns what tests have found to be a string or a number as that: it has no identity."""
  kinds = ip.frame.narrowed(made)
  if kinds is None or len(kinds) != 1 or not kinds <= _forms.SCALARS:
    return made

  def value(one: object) -> object:
    if isinstance(one, Scalar):
      ip.frame.demand(one.is_of(kinds))
      ip.frame.narrow([(one, kinds)])
    return ip.frame.resolve(one)

  key = "told", id(made), kinds
  return ip.frame.memo(key, lambda: (made, for_each(ip, made, value)))[1]


def _open(ip: Host, kind: int, now: tf.Tensor, own: tf.Tensor) -> object:
  """Returns an object of the run, to be read as long as no such object is changed."""
  value = ip.frame.opened(kind, now, own)
  if isinstance(value, Container):
    ip.frame.sharing.note_opened(value, ip.conversion.effects.made_as_now(ip))
  return value


def attribute(ip: Host, made: Made, name: str) -> object:
  """Returns an attribute of what may be an object of the run.

  A method asks what the object is when it is called: what it reads of it does not leave a branch.
  """
  if name in CHANGING:
    return method(ip, made, name)
  if not ip.conversion.effects.is_pure:
    return _attribute(ip, made, name)
  is_first: list[bool] = []

  def read() -> tuple[Made, object]:
    is_first.append(True)
    return made, _attribute(ip, made, name)

  value = ip.frame.memo(("attribute of made", id(made), name), read)[1]
  return value if is_first or isinstance(value, _SAME) else _attribute(ip, made, name)


_SAME = (Made, Ref, Number, Text)  # What is the same however often it is read.


def _attribute(ip: Host, made: Made, name: str) -> object:
  """Reads an attribute as `attribute` does."""
  are_methods: list[bool] = []

  def found(value: object) -> object:
    one = ip.attribute(having(value, name), name)
    are_methods.append(_is_method(value, name, one))
    return None if are_methods[-1] else one

  def call(*args: object, **kwargs: object) -> object:
    def of_one(value: object) -> object:
      bound = ip.attribute(having(value, name), name)
      before = ip.frame.snapshot()
      try:
        return ip.call(bound, list(args), dict(kwargs))
      except ConversionRefused as refusal:
        if refusal.reason is not Reason.SHARED_CONTAINER or not _is_own(value, bound):
          raise
      ip.frame.restore(before)  # It changes the object, which then is the one of the run.
      assert isinstance(value, LocalObject) and isinstance(bound, BoundMethod)  # It is its own.
      changed = dataclasses.replace(made, type=value.type)
      return ip.call(BoundMethod(bound.function, changed), list(args), dict(kwargs))

    return for_each(ip, made, of_one, needs=[name])

  value = for_each(ip, made, found, needs=[name])
  if any(are_methods) and not all(are_methods):
    raise ip.frame.refuse(
      Reason.KINDS_DIFFER, f".{name} is a method of some objects and a value that others hold."
    )
  return Builtin(name, call) if any(are_methods) else value


def _is_own(value: object, bound: object) -> bool:
  """Tells whether something is a method of an object that the run has made."""
  return isinstance(value, LocalObject) and isinstance(bound, BoundMethod) and bound.owner is value


def _is_method(owner: object, name: str, found: object) -> bool:
  """Tells whether an attribute of an object is a method, and not what it holds."""
  if isinstance(owner, LocalObject) and name in owner.fields:
    return False
  return isinstance(found, (BoundMethod, Builtin, types.FunctionType, types.BuiltinMethodType))


def having(value: object, name: str) -> object:
  """Returns a value that has an attribute: methods of lists and strings are known when called."""
  if isinstance(value, (LocalList, LocalDict)):
    kind: type = value.type if isinstance(value, LocalList) else dict
    if not hasattr(kind, name):
      raise Raises
  if isinstance(value, Text) and not hasattr(str, name):
    raise Raises
  return value


def change(
  ip: Host,
  made: Made,
  of_old: _Then,
  of_made: Callable[[Container], object],
  needs: Sequence[str] = (),
) -> object:
  """Changes an object, by what the run finds.

  Args:
    ip: the interpreter.
    made: the object.
    of_old: changes one of the heap.
    of_made: changes what an object of the run holds, as a container of its own.
    needs: as of `for_each`.
  """

  def then(value: object) -> object:
    if not isinstance(value, Container):
      return of_old(value)
    copy = ip.frame.new(value.mapped(lambda part: part))
    found = of_made(copy)
    ip.conversion.effects.change_made(ip, made.handle, copy)
    return found

  return for_each(ip, made, then, needs=needs)


def method(ip: Host, made: Made, name: str) -> object:
  """Returns a method that changes lists or dicts, of what may be one."""

  def call(*args: object, **kwargs: object) -> object:
    def of_old(value: object) -> object:
      return ip.call(ip.attribute(having(value, name), name), list(args), dict(kwargs))

    def of_made(container: Container) -> object:
      if not isinstance(container, (LocalList, LocalDict)):
        return of_old(container)
      return ip.method(having(container, name), name, list(args), dict(kwargs))

    return change(ip, made, of_old, of_made, [name])

  return Builtin(name, call)


# Methods that change what they are of; of what else has them they are called as ever.
CHANGING = frozenset(
  """append extend insert remove pop clear sort reverse update setdefault popitem""".split()
)


def old_object(ip: Host, made: Made) -> Ref:
  """Returns the old object that something has to be; the run fails if it is none."""
  old = ip.conversion.made_kinds.types - {NoneType}
  if not old:
    raise Bottom
  handle = ip.frame.check(made.handle, made.handle >= 0, "an object of the run is changed")
  return Ref(Base(ip.frame.handle_of_old(handle), old))


def elements(ip: Host, made: Made, one_by_one: bool) -> tuple[object, ...] | Rows:
  """Returns the elements of what can be iterated over, as the content of a list."""

  def listed(value: object) -> object:
    rows = ip.rows_of(value, one_by_one)
    if rows is None:
      return ip.frame.new(LocalList(ip.fixed_items(value)))
    return ip.frame.new(LocalList(read_numbers(ip.frame, rows)))  # Some are read, others made.

  key = "elements of made", id(made.handle)
  needs = "__iter__", "__getitem__"
  if ip.conversion.effects.changes_made:
    found = for_each(ip, made, listed, needs=needs)
  else:
    found = ip.frame.memo(key, lambda: (made, for_each(ip, made, listed, needs=needs)))[1]
  assert isinstance(found, LocalList)  # As each of them.
  return found.content


def rows(ip: Host, made: Made, one_by_one: bool) -> Rows | None:
  """Returns the elements if only the run knows how many there are."""
  found = elements(ip, made, one_by_one)
  return found if isinstance(found, Rows) else None
