"""Reading objects in a body: columns, and types that tests have narrowed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Origin, Reason
from recursive_tf.convert.frame._conditions import Conditions
from recursive_tf.convert.frame._gathering import Gathering
from recursive_tf.convert.frame._ground import Ground
from recursive_tf.convert.frame._kinds import ARRAYS, are_values, is_plain_sequence
from recursive_tf.convert.frame._layers import Fact, Layer, LocalT, Meaning, T
from recursive_tf.convert.frame._sharing import Sharing, Slot, containers
from recursive_tf.convert.heap import _columns, _libraries
from recursive_tf.convert.heap._columns import MISSING, NONE, path_text
from recursive_tf.convert.heap._profile import Profile
from recursive_tf.convert.values import _forms, _unused
from recursive_tf.convert.values._abstract import (
  Array,
  Base,
  Bottom,
  Container,
  Dear,
  IntOrFloat,
  Local,
  Made,
  Maybe,
  Missing,
  Provenance,
  Ref,
  Rows,
  Weak,
  has_changed,
  is_static,
  shown,
)
from recursive_tf.convert.values._forms import NoneType
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByType
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import Text
from recursive_tf.convert.values._value import Value

_NO_NUMBERS = frozenset([str, tuple, list, dict])


class Reading(Conditions):
  """What a body knows on each path while it is made, and what it reads of objects.

  Attributes:
    conversion: the conversion that it is part of.
    origin: the place in the user's program that is being converted.
    key: of the function instance; None outside of all.
    stores: what is known of the places that the program writes, by the place's key.
    parameters: handles of arguments that are objects.
    given: the containers among the arguments, which stay the caller's own.
    sharing: which of the containers may be the same object.
    locals: all scopes and containers that the program made in this body, and `sharing`.
  """

  def __init__(self, conversion: Ground, key: object = None):
    super().__init__()
    self.conversion = conversion
    self.key = key
    self.stores: dict[object, Any] = {}
    self.parameters: dict[str | tuple[int, str], tf.Tensor] = {}
    self.given: dict[Slot, Container] = {}
    self.origin: Origin | None = None
    self.column = 0  # In that line, of the last expression.
    self.sharing = Sharing(self)
    self.locals: list[Local] = [self.sharing]
    self._gathering = Gathering(self)
    self._meanings: dict[int, Meaning] = {}
    self._memoized: dict[object, tuple[Ref, object]] = {}  # Reads, and what they are under.
    self._results: dict[int, tf.Tensor] = {}  # Of operations of the program itself.
    # Numbers that were read, and where.
    self._sources: dict[int, tuple[Number | IntOrFloat, Ref]] = {}

  # --- Errors

  def refuse(self, reason: Reason, explanation: str) -> ConversionRefused:
    """Returns the refusal of what is being converted; raise it."""
    return ConversionRefused.of(reason, explanation, self.origin)

  @property
  def line(self) -> int:
    """The line that is being converted."""
    return self.origin.line if self.origin else 0

  def new(self, container: LocalT) -> LocalT:
    """Registers a container that the program makes, and returns it."""
    self.locals.append(container)
    if isinstance(container, Container):
      container.sharing = self.sharing
    return container

  def tried(self, trace: Callable[[], object]) -> object:
    """Returns what `trace` gives; None, and nothing is done, if not all of it may be done here.

    That is the case if it may fail, costs more than a few numbers, or changes anything. An outer
    trial ends, too, then, so that nothing is traced more than twice.
    """
    before, count, origin = self.snapshot(), self.num_partial, self.origin
    self._layers.append(Layer())
    self.num_trials += 1
    try:
      found = trace()
      is_fine = self.num_partial == count and not has_changed(before, self.snapshot())
    except (Dear, Bottom, ConversionRefused):
      is_fine = False
    finally:
      self.num_trials -= 1
      self._layers.pop()
      self.restore(before)
    self.origin = origin
    if not is_fine and self.num_trials:
      raise Dear
    return found if is_fine else None

  def changes(self, trace: Callable[[], T]) -> tuple[T, bool]:
    """Returns what `trace` gives, and whether it changes anything; nothing is changed."""
    before = self.snapshot()
    after: list[object] = []

    def run() -> T:
      found = trace()
      after.extend(self.snapshot())
      return found

    found = self.isolated(run)
    return found, has_changed(before, after)

  # --- What is known

  def types_of(self, ref: Ref) -> frozenset[type]:
    """Returns the exact types that a read can give, `NoneType` and `Missing` among them."""
    narrowed = self.narrowed(ref)
    if narrowed is not None:
      return narrowed
    types = self.types_at(ref)
    for type_ in types:
      self.conversion.guards.methods(type_)
    return types

  def types_at(self, ref: Ref) -> frozenset[type]:
    """Returns the types of all that a read may find, those that are ruled out here among them."""
    if not ref.path:
      return ref.base.types
    return self.profile.facts(self._gathering.base_types(ref), ref.path).types

  def narrowed(self, ref: Ref | Scalar | Weak | Made) -> frozenset[type] | None:
    for layer in reversed(self._layers):
      if ref.key in layer.narrowed:
        return layer.narrowed[ref.key]
    return None

  def narrow(self, facts: Iterable[Fact]) -> None:
    """Notes types that are sure from here to the end of the branch."""
    for ref, types in facts:
      if isinstance(types, Ref):
        assert isinstance(ref, Ref)
        self._layers[-1].alike.append((ref, types))
        self._narrow_alike(ref, self.types_of(ref))
        self._narrow_alike(types, self.types_of(types))
        continue
      self._layers[-1].narrowed[ref.key] = types
      if ref.key in self._memoized:
        self._layers[-1].expected[self._memoized[ref.key][1]] = types
      if isinstance(ref, Ref):
        self._narrow_alike(ref, types)

  def _narrow_alike(self, ref: Ref, types: frozenset[type]) -> None:
    """Notes what the types of an object say of those that are of the same class."""
    pairs = [pair for layer in self._layers for pair in layer.alike]
    for one, other in [*pairs, *(pair[::-1] for pair in pairs)]:
      if one.key == ref.key:
        before = self.types_of(other)
        common = before & (types - {Missing})
        if common and common != before:
          self.narrow([(other, common)])

  def note(self, number: Number, if_true: list[Fact], if_false: list[Fact]) -> Number:
    """Notes what a truth value says about types, and returns it."""
    self._meanings[id(number)] = Meaning(number, if_true, if_false)
    return number

  def meaning(self, number: object) -> Meaning:
    """Returns what a truth value says about types."""
    return self._meanings.get(id(number), Meaning(number, [], []))

  # --- Reading objects

  def memo(self, key: object, make: Callable[[], object]) -> Any:
    """Returns what this branch or one around it computed under `key`, computing it if need be."""
    for layer in reversed(self._layers):
      if key in layer.memo:
        return layer.memo[key]
    made = self._layers[-1].memo[key] = make()
    if isinstance(made, Ref):  # A test that read it in a branch of its own has said what it is.
      self._memoized[made.key] = made, key
      expected = next((la.expected[key] for la in self._layers[::-1] if key in la.expected), None)
      if expected is not None:
        self.narrow([(made, expected)])
    return made

  def note_item(self, ref: Ref, key: object) -> frozenset[object]:
    """Notes that an item of an object is written; returns those that surely were, before it."""
    known = [layer.items[ref.key][1] for layer in self._layers if ref.key in layer.items]
    before = frozenset[object]().union(*known)
    # The owner is kept, so that no other one is read by what has its number.
    self._layers[-1].items.setdefault(ref.key, (ref, set()))[1].add(key)
    return before

  def compute(self, value: object) -> None:
    """Notes that the program computes a value here: where Python would raise, the run fails."""
    if isinstance(value, Ref):
      types = self.types_of(value)
      if types == {Missing}:
        raise Bottom
      if Missing in types:
        self._layers[-1].reads.append(value)
    else:
      self._layers[-1].computed += _unused.tensors_in(value)

  def resolve(self, value: object) -> Any:
    """Returns a read that gives a number or an array as what it is; all else as it is."""
    if isinstance(value, Maybe):
      return self.there(value)
    if not isinstance(value, Ref):
      return self._resolved(value)
    self.settle(value)
    types = self.types_of(value)
    there = types - {Missing}
    if not there:
      raise Bottom
    if there == {NoneType}:
      if Missing in types:
        there_too = self.is_there(value)
        self.demand(there_too.tensor if isinstance(there_too, Number) else tf.constant(there_too))
      return None
    found = self._value(value, there)
    return value if found is None else found

  def _resolved(self, value: object) -> object:
    """Returns what is no read as what it is."""
    if isinstance(value, Scalar):
      return self.view(value)
    if isinstance(value, Weak):
      return self._known_weak(value)
    if isinstance(value, ByType):
      return self.memo(("by class", id(value)), lambda: (value, value.chosen(value)))[1]
    return value.value() if isinstance(value, tf.Variable) else value

  def _known_weak(self, weak: Weak) -> object:
    """Returns what is a tensor or a number as what a test has found it to be."""
    kinds = self.narrowed(weak)
    if kinds is None:
      return weak
    if kinds != {weak.type}:
      return weak.tensor
    return self.memo(("number", weak.key), lambda: (weak, weak.number()))[1]

  def _value(self, ref: Ref, kinds: frozenset[type]) -> object:
    """Returns a read as the number or array that it is by its types; None if it is an object."""
    if kinds == {int, float}:
      return self._int_or_float(ref)
    if not are_values(kinds):
      return None
    if kinds <= set(_forms.NUMBERS):
      return self.number(ref)
    return _as_read(self.array(ref), kinds, ref)

  def _demand_numbers(self, ref: Ref) -> frozenset[type]:
    """Lets the run fail where a read is no number; returns the types that it is of then.

    Not before reads are told apart by where they come from: that may know which it is.
    """
    types = self.types_of(ref)
    numbers = types & {int, float}
    is_known = self.conversion.origins is not None and types - numbers <= _NO_NUMBERS
    if not numbers or not is_known:
      return types
    self._demand_types(ref, numbers)
    return numbers

  def _demand_types(self, ref: Ref, types: frozenset[type]) -> None:
    self.demand(self.number(ref.step("isinstance", tuple(sorted(types, key=repr)))).tensor)
    self.narrow([(ref, types)])

  def concrete(self, value: object) -> object:
    """Returns an operand: what may be None is used as the value that it is where it is not."""
    value = self.resolve(value)
    if isinstance(value, Ref) and NoneType in self.types_of(value):
      found = self._value(value, self.types_of(value) - {NoneType, Missing})
      return value if found is None else found
    return value

  def optional(self, value: object) -> object:
    """Returns a read of a number or array or None as a `Maybe`; all else as it is."""
    if not isinstance(value, Ref) or NoneType not in self.types_of(value):
      return value
    kinds = self.types_of(value) - {NoneType, Missing}
    if not kinds:
      return self.resolve(value)
    return self.or_none(value, kinds) if are_values(kinds) else value

  def or_none(self, value: Ref, kinds: frozenset[type]) -> Maybe:
    """Returns a read of a value of some types, or None."""
    is_none = self.is_none(value)
    there = tf.logical_not(is_none.tensor) if isinstance(is_none, Number) else tf.constant(True)

    def read() -> object:
      self.narrow([(value, kinds)])
      one = self._of_one_kind(value)
      if not one.path:  # There is no row for None: any other row is read in its place.
        one = Ref(Base(tf.maximum(one.base.handle, 0), kinds))
      if one.path and all(issubclass(kind, ARRAYS) for kind in kinds):
        return self.array_or_any(one)
      if kinds == {str}:
        return Text((self.string(one),))
      return self.resolve(one) if are_values(kinds) else self.read_scalar(one, kinds)

    return Maybe(self.isolated(read), there)

  def number(self, ref: Ref) -> Number:
    """Returns a read as the Python number that it is."""
    types = self.types_of(ref) - {NoneType, Missing}
    if len(types) != 1 or not types <= set(_forms.NUMBERS):
      raise self.mixed(ref, "a number")
    if self._is_of_none(ref):
      return self._number_or_of_none(ref)
    ref = self._of_one_kind(ref)
    (type_,) = types
    is_wide = self.is_wide(ref, type_)

    def read() -> Number:
      if is_wide:
        return Number(self.wide(self.number(ref.step("float")).tensor), int)
      return Number(self._gathering.number(ref, type_), type_)

    found = self.memo(("number", *ref.key, self._gathering.is_sure(ref)), read)
    if ref.path[-1:] != (("len",),):  # Elements that are read say it, too, and by no such read.
      self._sources[id(found)] = found, ref
    return found

  def _of_one_kind(self, ref: Ref) -> Ref:
    """Returns a read of what a test has narrowed, as that of an object of its own.

    Of objects that hold others there, no column has all.
    """
    if not ref.path:
      return ref
    found = self.profile.facts(self._gathering.base_types(ref), ref.path).types
    none = {NoneType, Missing}
    return ref if found - none <= self.types_of(ref) else Ref(self.base(ref))

  def is_wide(self, ref: Ref, type_: type) -> bool:
    """Tells whether ints of a read may be beyond 32 bits: they are read as floats, then."""
    facts = self.profile.facts(self._gathering.base_types(ref), ref.path)
    if not facts.is_wide or type_ is not int:
      return False
    if facts.types & {NoneType, Missing}:
      text = f"{path_text(ref.path)} has ints beyond 32 bits, and None or nothing."
      raise self.refuse(Reason.MIXED_ATTRIBUTE, text)
    return True

  def wide(self, floats: tf.Tensor) -> tf.Tensor:
    """Returns ints that were read as floats; the run fails beyond 53 bits."""
    self.partial()
    return tf.cast(_forms.checked_ints(floats), tf.int64)

  def numbers(self, handles: tf.Tensor, types: frozenset[type]) -> list[tf.Tensor]:
    """Returns numbers of the heap: [N] of one type, or of ints and floats [N], and which are ints.

    Args:
      handles: theirs, int32 [N].
      types: their exact types, which are those of numbers.
    """
    ref = Ref(Base(handles, types))
    if types != {int, float}:
      (type_,) = types
      if self.is_wide(ref, type_):
        return [self.wide(self._gathering.numbers(ref.step("float"), float))]
      return [self._gathering.numbers(ref, type_)]
    is_int = self._gathering.numbers(ref.step("isinstance", (int,)), bool)
    value = self._gathering.numbers(ref.step("float"), float)
    return [_forms.checked_ints(value, is_int), is_int]

  def tensors(self, handles: tf.Tensor, spec: tf.TensorSpec) -> tf.Tensor:
    """Returns tensors of the heap as one, [N, ...], of which each has to be of a spec."""
    ref = Ref(Base(handles, frozenset([_forms.EAGER_TENSOR])))
    found = self.profile.facts(ref.base.types, ref.path).spec
    if found is None or found.dtype != spec.dtype or not found.shape.is_fully_defined():
      raise _forms.Mismatch("tensors of several kinds")
    if _forms.join_shapes(found.shape, spec.shape).as_list() != spec.shape.as_list():
      raise _forms.Mismatch(f"tensors of shape {found.shape} and of shape {spec.shape}")
    return self._gathering.arrays(ref, found)

  def elements_of(self, rows: Rows, kinds: frozenset[type]) -> Rows:
    """Returns elements of the heap that are of some of their types; the run fails of any other.

    Args:
      rows: the elements.
      kinds: some of their types, of which none of the others is a subclass.
    """
    assert isinstance(rows.form, _forms.RefForm)  # They are of the heap.
    (handles,) = rows.tensors
    is_there = tf.greater_equal(handles, 0)  # None has no row.
    ok = tf.constant(True) if NoneType in kinds else tf.reduce_all(is_there)
    ref = Ref(Base(tf.maximum(handles, 0), rows.form.types - {NoneType}))
    if ref.base.types != kinds - {NoneType}:
      step = ref.step("isinstance", tuple(sorted(kinds - {NoneType}, key=repr)))
      is_one = self._gathering.numbers(step, bool)
      ok = tf.logical_and(ok, tf.reduce_all(is_one | ~is_there))
    self.partial()
    form = _forms.RefForm(kinds, rows.form.origin)
    return Rows(rows.length, (self.assume(handles, ok, "an element"),), form)

  def _int_or_float(self, ref: Ref) -> IntOrFloat:
    value = self.number(ref.step("float"))
    is_int = self.number(ref.step("isinstance", (int,))).tensor
    self.partial()
    found = IntOrFloat(Number(_forms.checked_ints(value.tensor, is_int), float), is_int)
    self._sources[id(found)] = found, ref
    return found

  def view(self, scalar: Scalar) -> object:
    """Returns a scalar as what it is here: a number or a string, if there is one kind only."""
    raise NotImplementedError  # `ScalarReading` does.

  def read_scalar(self, ref: Ref, kinds: frozenset[type]) -> object:
    """Returns a read of what is no None as a scalar of some kinds, or any where it is None."""
    raise NotImplementedError  # `ScalarReading` does.

  def _is_of_none(self, ref: Ref) -> bool:
    """Tells whether a read is what is also known of None, of an object that may be None."""
    is_step = len(ref.path) == 1 and ref.path[0][0] in ("truth", "eq", "in", "isinstance")
    return is_step and NoneType in self.types_of(Ref(ref.base))

  def _number_or_of_none(self, ref: Ref) -> Number:
    """Returns such a read: None has no row, any other row is read in its place."""
    ((name, *operands),) = ref.path
    if name == "in":
      of_none = None in operands[0].value
    else:
      of_none = name == "isinstance" and NoneType in operands[0]

    def read() -> Number:
      types = self.types_of(Ref(ref.base)) - {NoneType}
      found = self.number(Ref(Base(tf.maximum(ref.base.handle, 0), types), ref.path))
      return Number(tf.where(tf.equal(ref.base.handle, NONE), of_none, found.tensor), bool)

    return self.memo(("of none", *ref.key), read)

  def place(self, index: object, length: tf.Tensor, message: str) -> tf.Tensor:
    """Returns an index of Python's as int32 [], from 0; the run fails where there is no element."""
    wide, length = (tf.cast(t, tf.int64) for t in (_forms.as_number(index).tensor, length))
    wide = tf.where(wide < 0, wide + length, wide)  # As int32 it might come out within again.
    return tf.cast(self.check(wide, (wide >= 0) & (wide < length), message), tf.int32)

  def count(self, number: Number) -> tf.Tensor:
    """Returns how often something is repeated, int32 []; the run fails beyond."""
    wide = tf.maximum(tf.cast(number.tensor, tf.int64), 0)
    found = self.check(wide, wide < 2**31, "more repetitions than a tensor has elements")
    return tf.cast(found, tf.int32)

  def source(self, value: object) -> Ref | None:
    """Returns the read that gave a number."""
    found = self._sources.get(id(value))
    return found[1] if found is not None and isinstance(value, (Number, IntOrFloat)) else None

  def array(self, ref: Ref, any_row: bool = False) -> tf.Tensor:
    """Returns a read as the tensor that it is, or that TensorFlow makes of it.

    Args:
      ref: the read.
      any_row: whether it gives any array of its type where there is none.
    """
    ref = self._of_one_kind(ref)
    facts = self.profile.facts(self._gathering.base_types(ref), ref.path)
    spec = facts.spec
    if self.conversion.is_step and any(issubclass(t, tf.Variable) for t in self.types_of(ref)):
      text = f"{path_text(ref.path)} is a variable, of which a step has what it held at first."
      raise self.refuse(Reason.STATEFUL_OP, text)
    if spec is None or spec.dtype == tf.variant:
      raise self.mixed(ref, "an array of one type")
    key = ("array", *ref.key, any_row or self._gathering.is_sure(ref), any_row)
    return self.memo(key, lambda: self._gathering.array(ref, spec, any_row))

  def array_or_any(self, ref: Ref) -> tf.Tensor | Array:
    """Returns a read of an array; where there is none, where the run uses none, any one."""
    kinds = self.types_of(ref) - {NoneType, Missing}
    return _as_read(self.array(ref, any_row=True), kinds, ref)

  def note_result(self, value: object) -> None:
    """Notes what an operation of the program has given."""
    if isinstance(value, tf.Tensor):
      self._results[id(value)] = value

  def is_result(self, value: object) -> bool:
    """Tells whether an operation of the program has given a tensor, which is that object, then."""
    return id(value) in self._results

  def string(self, ref: Ref) -> tf.Tensor:
    """Returns a read as the string tensor that TensorFlow makes of it."""
    if self.types_of(ref) - {NoneType, Missing} != {str}:
      raise self.mixed(ref, "a string")
    ref = self._of_one_kind(ref)
    key = ("string", *ref.key, self._gathering.is_sure(ref))
    return self.memo(key, lambda: self._gathering.string(ref))

  def mixed(self, ref: Ref, wanted: str) -> Exception:
    """Returns what ends the path on which a read would be used as what it is not; raise it."""
    types = self.types_of(ref)
    if types <= {Missing}:
      return Bottom("no such object is known yet, or Python raises")
    names = ", ".join(sorted(t.__name__ for t in types))
    text = f"{path_text(ref.path)} is {names} here, and used as {wanted}."
    refusal = self.refuse(Reason.MIXED_ATTRIBUTE, text)
    refusal.mixed = types, ref.path
    return refusal

  def base(self, value: object) -> Base:
    """Returns the object behind a value, with its handle."""
    if value is None:
      return Base(tf.constant(NONE), frozenset([NoneType]))
    value = self.source(value) or value
    if not isinstance(value, Ref):
      if not _forms.is_heap_object(value):
        raise self.refuse(
          Reason.KINDS_DIFFER, f"{shown(value)} and an object of the heap meet here."
        )
      return self.conversion.constant_root(value)
    if not value.path:
      return dataclasses.replace(value.base, types=self.types_of(value), is_before=False)
    key = ("handle", *value.key, self._gathering.is_sure(value))
    handle = self.memo(key, lambda: self._gathering.checked_handle(value))
    origin = None if value.base.origin is None else value.base.origin.read(value.path)
    return Base(handle, self.types_of(value) - {Missing}, origin=origin)

  def array_number(self, value: object) -> tf.Tensor:
    """Returns the number of an array or a variable; `NONE` of tensors and of what the run makes."""
    if isinstance(value, tf.Variable) or (
      isinstance(value, np.ndarray) and not self.is_new_array(value)
    ):
      return self.conversion.constant_root(value).handle
    value = self.resolve(value)
    number = value.number if isinstance(value, Array) else None
    if isinstance(number, Ref):
      return self._number_of_object(number)
    return tf.constant(NONE) if number is None else number

  def _number_of_object(self, ref: Ref) -> tf.Tensor:
    """Returns the number of what a read gives, `NONE` of tensors, which have no identity."""
    kinds = self.types_of(ref) - {NoneType, Missing}
    handle = self._gathering.handle(ref) if ref.path else ref.base.handle
    if _forms.EAGER_TENSOR not in kinds:
      return handle
    asked = ref.step("isinstance", (_forms.EAGER_TENSOR,))
    if self.types_of(asked) <= {Missing}:  # None is there yet.
      return handle
    return tf.where(self.number(asked).tensor, NONE, handle)

  def are_of(
    self, handles: tf.Tensor, types: frozenset[type], wanted: frozenset[type]
  ) -> tf.Tensor:
    """Tells of objects of the heap, [N], which are exactly of some types, bool [N].

    Args:
      handles: theirs, int32 [N].
      types: all that they may be of.
      wanted: some of them, of which no other one of these is a subclass.
    """
    ref = Ref(Base(handles, types)).step("isinstance", tuple(sorted(wanted, key=repr)))
    return self._gathering.numbers(ref, bool)

  def note_copied(self, variable: object) -> None:
    """Notes that what a variable holds goes on in its place."""
    self.conversion.note_copied(variable)

  def note_logits(self) -> None:
    """Notes that a tensor with logits of Keras' goes on as another one, without them."""
    self.conversion.note_logits()

  def is_new_array(self, value: object) -> bool:
    """Tells whether a known array of NumPy is one that each call makes anew."""
    return self.conversion.guards.is_new(value)

  def is_made_string(self, ref: Ref) -> bool:
    """Tells whether a read makes a string of another one, which is no object of the heap."""
    return self._gathering.is_made_string(ref)

  def may_be_missing(self, ref: Ref) -> bool:
    """Tells whether a read of an attribute or item gives an object in some runs only."""
    return bool(ref.path) and {Missing} < self.types_of(ref)

  def unchecked(self, ref: Ref) -> Ref:
    """Returns the object behind a read, for what fails by itself where the object is missing."""
    return Ref(Base(self._gathering.handle(ref), self.types_of(ref) - {Missing}))

  def elements(self, ref: Ref) -> Rows:
    """Returns the elements of a list on the heap."""
    kinds = self.types_of(ref) - {Missing, NoneType}
    if not kinds or not all(is_plain_sequence(kind) for kind in kinds):
      raise self.mixed(ref, "a list")
    ref = self._of_one_kind(ref)
    return self.memo(("items", *ref.key), lambda: self._settled(self._gathering.elements(ref)))

  def _settled(self, rows: Rows) -> Rows:
    """Returns elements as what those of their origin are; the run fails where others come."""
    origins, form = self.conversion.origins, rows.form
    if origins is None or not isinstance(form, _forms.RefForm) or form.origin is None:
      return rows
    wanted = _narrower(form.types, origins.types(form.origin, ()))
    return rows if wanted is None else self.elements_of(rows, wanted)

  def note_origin(self, source: Hashable, value: object) -> None:
    """Notes where an object comes from that a parameter, or what a loop carries, becomes."""
    origins = self.conversion.origins
    if origins is None or value is None:
      return
    ref = value if isinstance(value, Ref) else self.source(value)
    if ref is None:
      if is_static(value) and _forms.is_heap_object(value):  # All else is not read as an object.
        origins.pass_on(source, self.conversion.origin_of(value))
      return
    origin = ref.base.origin
    if origin is not None:
      narrowed = self.narrowed(ref)
      origin = origin.read(ref.path)
      origin = origin if narrowed is None else origin.only(narrowed)
    origins.pass_on(source, origin)

  def from_source(self, source: Hashable, value: T) -> T | Ref:
    """Returns a value; an object is one from that source, if anybody asks."""
    if self.conversion.origins is None or not isinstance(value, Ref):
      return value
    return Ref(dataclasses.replace(value.base, origin=Provenance(source)), value.path)

  def settle(self, ref: Ref) -> None:
    """Lets a read be of the types that reads of its origin are; the run fails where it is not."""
    origins = self.conversion.origins
    if origins is None or ref.base.origin is None:
      return
    types = self.types_of(ref)
    if types & {NoneType, Missing}:
      return
    wanted = _narrower(types, origins.types(ref.base.origin, ref.path))
    if wanted is not None:
      self._demand_types(ref, wanted)

  def length(self, ref: Ref) -> Number:
    """Returns the length of a container or string on the heap."""
    if ("items", *ref.key) in self._layers[-1].memo or (
      (_columns.ITEMS, ref.path) in self.conversion.columns.all
      and all(is_plain_sequence(t) for t in self.types_of(ref))
    ):
      return Number(self.elements(ref).length, int)
    return self.number(ref.step("len"))

  def is_none(self, ref: Ref) -> Number | bool:
    """Tells whether a read gives None."""
    types = self.types_of(ref)
    if NoneType not in types:
      return False
    if types == {NoneType}:
      return True
    others = types - {NoneType, Missing}
    state = self._gathering.state(ref) if ref.path else None
    if state is not None:
      if Missing in types:
        state = self.check(state, tf.not_equal(state, _columns.IS_MISSING), "it is not there")
      found = Number(tf.equal(state, _columns.IS_NONE), bool)
    elif ref.path and all(issubclass(t, (str, *ARRAYS)) for t in others):
      return self.number(ref.step("eq", None))
    else:
      found = Number(tf.equal(self.base(ref).handle, NONE), bool)
    return self.note(found, [(ref, frozenset([NoneType]))], [(ref, types - {NoneType})])

  def is_there(self, ref: Ref) -> Number | bool:
    """Tells whether a read gives anything, where Python's would not raise."""
    types = self.types_of(ref)
    if Missing not in types:
      return True
    if types == {Missing}:
      return False
    state = self._gathering.state(ref)
    if state is not None:
      there = Number(tf.not_equal(state, _columns.IS_MISSING), bool)
    else:
      there = Number(tf.not_equal(self._gathering.handle(ref), MISSING), bool)
    return self.note(there, [(ref, types - {Missing})], [])

  @property
  def profile(self) -> Profile:
    """What is known of the user's objects."""
    return self.conversion.profile

  def tensor(self, value: object) -> Any:
    """Returns a value as TensorFlow would take it: a tensor, or the Python object it is."""
    value = self.resolve(value)
    if isinstance(value, Ref):
      kinds = self.types_of(value)
      there = kinds - {NoneType, Missing}
      found = None if there == {str} else self._value(value, there)
      if there != {str} and found is None:
        there = self._demand_numbers(value)
        found = self._value(value, there)
        if found is None:
          raise self.mixed(value, "a tensor")
      taken = self.string(value) if found is None else self.tensor(found)
      if kinds != there:  # Whoever takes it may look at its shape alone, which None has not.
        self.compute(taken)
      return taken
    if isinstance(value, np.ndarray):
      if value.dtype.kind == "O" and not all(isinstance(one, (str, bytes)) for one in value.flat):
        text = "An array of NumPy's of objects is used, of which TensorFlow has none."
        raise self.refuse(Reason.UNSUPPORTED_OPERATION, text)
      return self.conversion.volatile(value)
    why = _libraries.why_no_tensor(value)
    if why is not None:
      raise self.refuse(Reason.UNSUPPORTED_OPERATION, why)
    return value.taken(self) if isinstance(value, Value) else value

  def there(self, value: Maybe, message: str = "None where a value is needed") -> object:
    """Returns what may be None, failing the run where it is."""
    if any(True for _ in containers(value.value)):
      self.demand(value.is_there)
      return value.value  # The container itself: it may be changed.
    form = _forms.form_of(value.value, self)
    tensors = _forms.flatten(value.value, form, self)
    if not tensors:  # A constant.
      self.demand(value.is_there)
    checked = [self.check(t, value.is_there, message) for t in tensors]
    return self.adopt(_forms.unflatten(form, iter(checked)))

  def strong(self, value: Weak) -> tf.Tensor:
    """Returns the tensor of a value that the run must find to be one."""
    return value.taken(self)

  def handle(self, value: object) -> tf.Tensor:
    """Returns the number of a value, int32 []; one that is none of the heap's becomes an object."""
    raise NotImplementedError  # `Making` does.

  def has_handle(self, container: object) -> bool:
    """Tells whether a container has a number already."""
    raise NotImplementedError  # `Making` does.

  def handles_of_rows(
    self, form: _forms.BaseForm, tensors: list[tf.Tensor], length: tf.Tensor
  ) -> tf.Tensor:
    """Returns the numbers of values without identity, each of which becomes an object."""
    raise NotImplementedError  # `Making` does.

  def scalar(self, value: object) -> Scalar:
    """Returns what is a Python bool, int, float or string, known or not, as one of any kind."""
    raise NotImplementedError  # `ScalarReading` does.

  def as_scalar(self, value: object) -> Scalar | None:
    """Returns what is a Python bool, int, float or string as a `Scalar`; None of all else."""
    raise NotImplementedError  # `ScalarReading` does.

  def scalars(
    self, handles: tf.Tensor, kinds: frozenset[type]
  ) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Returns scalars of the heap, of one handle or of [N]: their kinds, bits and texts."""
    raise NotImplementedError  # `ScalarReading` does.

  def scalar_or_none(self, value: object) -> object:
    """Returns a read of a scalar or None as a `Maybe`; all else as it is."""
    raise NotImplementedError  # `ScalarReading` does.

  def join(self, a: _forms.BaseForm, b: _forms.BaseForm) -> _forms.BaseForm:
    """Returns the form that two values of one place have in common.

    Raises:
      Mismatch: If there is none.
    """
    return self.conversion.made_kinds.join(a, b)

  def note_old(self, types: Iterable[type]) -> None:
    """Notes of which types the old objects are that are known by their numbers."""
    self.conversion.made_kinds.note(types)

  # --- Containers

  def snapshot(self) -> list[Any]:
    """Returns the contents of all scopes and containers."""
    return [local.snapshot() for local in self.locals]

  def restore(self, contents: list[object]) -> None:
    """Puts contents back; what was made since is forgotten."""
    del self.locals[len(contents) :]
    for local, content in zip(self.locals, contents, strict=True):
      local.restore(content)

  def isolated(self, trace: Callable[[], T], layer: Layer | None = None) -> T:
    """Runs `trace` with a layer of its own; what it did to containers is undone."""
    before = self.snapshot()
    self._layers.append(layer or Layer())
    try:
      return trace()
    finally:
      self._layers.pop()
      self.restore(before)

  def pin(self, value: object, holder: object) -> None:
    """Notes that the containers in a value become elements of a list of unknown length."""
    self.sharing.pin(value, "it is an element of a list whose length only the run knows", holder)

  def adopt(self, value: T) -> T:
    """Registers the containers in a value that was made of tensors, and returns it."""
    self.locals += [container for _, container in containers(value)]
    self.sharing.adopt(value)
    return value


def _narrower(types: frozenset[type], found: frozenset[type] | None) -> frozenset[type] | None:
  """Returns those of a read's types that were found there; None if these are all, or numbers.

  Subclasses of what is left are no others: a test by class would take them for these.
  """
  kinds = types - {NoneType, Missing}
  wanted = kinds & (found or kinds)
  if not wanted or wanted == kinds or kinds <= {int, float, bool}:
    return None
  if any(issubclass(other, tuple(wanted)) for other in kinds - wanted):
    return None
  return wanted | (types & {NoneType})


def _as_read(tensor: tf.Tensor, kinds: frozenset[type], ref: Ref) -> tf.Tensor | Array:
  """Returns what was read as a tensor as what Python has there."""
  if kinds <= {_forms.EAGER_TENSOR}:
    return tensor
  are_scalars = all(issubclass(kind, np.generic) for kind in kinds)  # They have no identity.
  return Array(tensor, kinds, False, None if are_scalars else ref)
