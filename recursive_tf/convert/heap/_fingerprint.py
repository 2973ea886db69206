"""What an object holds, all through, to compare with later: attributes, elements, functions.

Library objects, such as layers of Keras, and containers that are handed to a library are used as
they are when a program is made. Nobody sees what the library reads of them, so all of it counts,
apart from bookkeeping that calls do not read.

Each part says at which places it shows that nothing has changed, by the identity of what is there
(`_identities.py`), and looks closer only where that is another.
"""

from __future__ import annotations

import dis
import enum
import functools
import inspect
import operator
import threading
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import keras
import numpy as np
import tensorflow as tf

from recursive_tf.convert.heap import _identities, _libraries
from recursive_tf.convert.heap._identities import AtOnce, Entries, Part
from recursive_tf.convert.values._forms import same_static

_MAX_PARTS = 5_000
_MAX_BYTES = 1 << 22  # Of arrays, which are compared byte by byte.
_GONE = object()

# What Keras and TensorFlow keep with a layer and do not read in its call.
_BOOKKEEPING = frozenset(
  """_tracker _auto_config _saved_model_inputs_spec _saved_model_arg_spec _tracked name _path
  _parent_path _inbound_nodes _outbound_nodes _called supports_jit _losses _loss_ids
  _losses_override _build_shapes_dict _metrics _call_signature call_signature_parameters
  _call_context_args _call_has_context_arg optimizer loss compiled history stop_training
  train_function test_function predict_function _compile_loss _compile_metrics _compile_config
  _loss_tracker _eval_epoch_iterator _initial_epoch _compute_loss_has_training_arg
  steps_per_execution unrolled_steps_per_execution _run_eagerly _jit_compile _distribute_strategy
  _compiled_trainable_state _nodes _nodes_by_depth _operations _operations_by_depth _inputs _outputs
  _inputs_struct _outputs_struct quantize build _setattr_tracking _name_scope""".split()
)
# What libraries do with a variable beside computing with its value.
_OF_VARIABLES = "_constraint _regularizer _trainable _overwrite_with_gradient _autocast".split()
_VARIABLES = (tf.Variable, keras.Variable)
_ORDERED = (list, tuple, deque, set, frozenset, bytearray)
# Of such names, too.
_PREFIX, _SUFFIXES = "_self_", ("_initializer", "_regularizer", "_constraint")
_LEAVES = (
  type(None),
  bool,
  int,
  float,
  complex,
  str,
  bytes,
  range,
  slice,
  type,
  enum.Enum,
  types.ModuleType,
  types.BuiltinFunctionType,
  types.CodeType,
  property,
  inspect.Signature,
  weakref.ReferenceType,
  threading.local,
  tf.Tensor,
  tf.Variable,
  tf.DType,
  tf.TensorShape,
  tf.TypeSpec,
  tf.IndexedSlices,
  tf.GradientTape,
  tf.Graph,
  tf.types.experimental.PolymorphicFunction,
  keras.DTypePolicy,
  keras.InputSpec,
  keras.Variable,
  keras.KerasTensor,
  np.generic,
  np.dtype,
  np.ufunc,
)


class TooLarge(Exception):  # noqa: N818 - control flow, becomes a refusal where the place is known
  """There is more to compare than is worth it."""


class _Compared(Part, Protocol):
  """What one object holds, and may hold no more at another time."""

  def values(self) -> tuple[object, ...]:
    """Returns what it holds."""


class Fingerprint:
  """What an object held when this was made.

  Args:
    root: the object.

  Attributes:
    holds: all objects that it reaches, itself among them.

  Raises:
    TooLarge: If there is too much in it.
  """

  def __init__(self, root: object):
    self._all: list[_Compared | FixedPart] = []
    self._at_once: AtOnce | None = None
    seen: dict[int, object] = {}
    variables: dict[int, AttributesPart] = {}
    agenda = [root]
    while agenda:
      value = agenda.pop()
      if id(value) in seen or id(value) in variables:
        continue
      if isinstance(value, _VARIABLES) and hasattr(value, "__dict__"):
        attributes = AttributesPart(value)
        variables[id(value)] = attributes
        agenda += attributes.values()
      if is_leaf(value):
        continue
      seen[id(value)] = value
      if len(seen) > _MAX_PARTS:
        raise TooLarge(f"it holds more than {_MAX_PARTS} objects")
      if isinstance(value, (tuple, frozenset)) and type(value) in (tuple, frozenset):
        agenda += value
        continue
      for part in _parts_of(value):
        self._all.append(part)
        agenda += part.values()
    self._all += variables.values()
    self.holds = tuple(seen.values())

  @property
  def parts(self) -> list[Part]:
    """What it compares."""
    return [part for part in self._all if not isinstance(part, FixedPart)]

  def leaves(self) -> Iterator[object]:
    """Yields what its objects hold that is not looked into: numbers, variables, and others."""
    for part in self._all:
      yield from filter(is_leaf, part.values())

  def places(self) -> Iterator[tuple[object, str]]:
    """Yields the attributes and variables that it compares: the owner and the name."""
    for part in self._all:
      if isinstance(part, (AttributesPart, NamesPart)):
        yield from part.places()

  def is_same(self) -> bool:
    """Tells whether the object holds now what it held then."""
    self._at_once = self._at_once or AtOnce(self.parts)
    return self._at_once.are_same()


def is_leaf(value: object) -> bool:
  """Tells whether an object stays what it is, or may change without being another to a program.

  The content of a variable is read in each run.
  """
  if isinstance(value, _LEAVES):
    return True
  return isinstance(value, types.FunctionType) and _libraries.is_library(value)


def _parts_of(value: Any) -> Iterator[_Compared | FixedPart]:
  if isinstance(value, np.ndarray):
    yield ArrayPart(value)
  elif isinstance(value, types.FunctionType):
    yield FunctionPart(value)
    yield NamesPart(value)
  elif isinstance(value, types.MethodType):
    yield FixedPart((value.__func__, value.__self__))
  elif isinstance(value, functools.partial):
    yield ElementsPart(value, lambda p: (p.func, *p.args, *_flat(p.keywords)))
  elif type(value).__name__ == "_DictWrapper":  # Of tf.Module: a proxy of the dict inside.
    yield ElementsPart(value.__wrapped__, _flat)
  elif type(value).__name__ == "_TupleWrapper":
    yield FixedPart(tuple(value.__wrapped__))
  elif type(value).__name__ == "ListWrapper":  # A list that keeps its elements in another one.
    yield ElementsPart(value, iter)
  else:
    bases = type(value).__mro__
    if (kind := next((k for k in _ORDERED if k in bases), None)) is not None:
      if kind in (tuple, frozenset):
        yield FixedPart(tuple(kind.__iter__(value)))
      else:
        yield ElementsPart(value, kind.__iter__)
    elif dict in bases:
      yield ElementsPart(value, _flat)
    is_container = kind is not None or dict in bases
    # What a library's own kind of list has beside its elements is how it tells of changes.
    if hasattr(value, "__dict__") and not (is_container and _libraries.is_library(type(value))):
      yield AttributesPart(value)
    if not _libraries.is_library(type(value)) and type(value).__module__ != "builtins":
      yield ClassPart(type(value))


def _flat(items: dict[object, object]) -> tuple[object, ...]:
  return (*dict.keys(items), *dict.values(items))


def _are_same(now: Sequence[object], then: Sequence[object]) -> bool:
  return len(now) == len(then) and all(map(operator.is_, now, then))


def _look_same(now: Sequence[object], then: Sequence[object]) -> bool:
  return len(now) == len(then) and all(map(same_static, then, now))


class AttributesPart:
  """The attributes that an object has itself."""

  def __init__(self, owner: object):
    self._owner = owner
    self._type = type(owner)
    self._take(vars(owner))

  def _take(self, found: dict[str, object]) -> None:
    self._size = len(found)
    self._names = _relevant(self._owner, found)
    self._get = _getter(self._names)
    self._values = self._get(found)

  def values(self) -> tuple[object, ...]:
    """Returns the attributes' values."""
    return self._values

  def places(self) -> Iterator[tuple[object, str]]:
    """Yields the object with the name of each."""
    return ((self._owner, name) for name in self._names)

  def entries(self) -> Entries:
    """Returns the places that prove `is_same`."""
    return [("attributes", self._owner, self._type, self._size, self._names, self._values)]

  def is_same(self) -> bool:
    """Tells whether they are what they were."""
    owner = self._owner
    found = owner.__dict__
    if type(owner) is not self._type:
      return False
    try:
      if len(found) == self._size and all(map(operator.is_, self._get(found), self._values)):
        return True
    except KeyError:
      return False
    if _relevant(owner, found) != self._names or not _look_same(self._get(found), self._values):
      return False
    self._take(found)
    return True


def _relevant(owner: object, found: dict[str, object]) -> tuple[str, ...]:
  if isinstance(owner, _VARIABLES):
    return tuple(name for name in _OF_VARIABLES if name in found)
  if not isinstance(owner, (keras.Operation, tf.Module)) and not _libraries.is_library(type(owner)):
    return tuple(sorted(found))
  return tuple(sorted(name for name in found if not is_bookkeeping(name)))


def is_bookkeeping(name: str) -> bool:
  """Tells whether an attribute of a layer or module is none that its call reads."""
  if name == "activity_regularizer":  # Called with what the layer gives.
    return False
  return name in _BOOKKEEPING or name.startswith(_PREFIX) or name.endswith(_SUFFIXES)


def _getter(names: tuple[str, ...]) -> Callable[..., tuple[object, ...]]:
  if len(names) > 1:
    return operator.itemgetter(*names)
  return lambda found: tuple(found[name] for name in names)


class FixedPart:
  """What an object holds for good: a method, a tuple of a class of its own."""

  def __init__(self, values: tuple[object, ...]):
    self._values = values

  def values(self) -> tuple[object, ...]:
    """Returns what it holds."""
    return self._values


class ElementsPart:
  """The elements of a container, in their order."""

  def __init__(self, owner: object, elements: Callable[[Any], Iterable[object]]):
    self._owner = owner
    self._elements = elements
    self._values = tuple(elements(owner))

  def values(self) -> tuple[object, ...]:
    """Returns the elements."""
    return self._values

  def entries(self) -> Entries:
    """Returns the places that prove `is_same`; None of a set and the like."""
    owner, values = self._owner, self._values
    if self._elements is list.__iter__ and isinstance(owner, list):
      return [("elements", owner, values)]
    if self._elements is _flat and isinstance(owner, dict):
      return _identities.of_items(owner, values[: len(values) // 2], values[len(values) // 2 :])
    return _identities.of_elements(owner, values) if self._elements is iter else None

  def is_same(self) -> bool:
    """Tells whether they are what they were."""
    now = tuple(self._elements(self._owner))
    if _are_same(now, self._values):
      return True
    if not _look_same(now, self._values):
      return False
    self._values = now
    return True


class ArrayPart:
  """The numbers of an array of NumPy, which may be written in place."""

  def __init__(self, owner: np.ndarray):
    if owner.nbytes > _MAX_BYTES:
      raise TooLarge(f"an array in it has more than {_MAX_BYTES} bytes")
    self._owner = owner
    self._values = self._now()

  def _now(self) -> object:
    array = self._owner
    return array.shape, array.dtype, array.tolist() if array.dtype.hasobject else array.tobytes()

  def values(self) -> tuple[object, ...]:
    """Returns what is in them to look into: nothing."""
    return ()

  def entries(self) -> Entries:
    """Returns no places: the numbers are compared."""
    return None

  def is_same(self) -> bool:
    """Tells whether they are what they were."""
    return self._now() == self._values


class FunctionPart:
  """The code and the default values of a function."""

  def __init__(self, owner: types.FunctionType):
    self._owner = owner
    self._values = self._now()

  def _now(self) -> tuple[object, ...]:
    owner = self._owner
    named = owner.__kwdefaults__
    first = (owner.__code__, owner.__defaults__)
    return first if not named else (*first, *named, *named.values())

  def values(self) -> tuple[object, ...]:
    """Returns the code and the default values."""
    return self._values

  def entries(self) -> Entries:
    """Returns the places that prove `is_same`."""
    owner, (code, defaults, *named) = self._owner, self._values
    found = owner.__kwdefaults__
    places = [
      ("attribute", owner, "__code__", code),
      ("attribute", owner, "__defaults__", defaults),
      ("attribute", owner, "__kwdefaults__", found),
    ]
    keys, values = tuple(named[: len(named) // 2]), tuple(named[len(named) // 2 :])
    if found is None:
      return None if keys else places
    items = _identities.of_items(found, keys, values)  # Of an empty dict, too, which may be filled.
    return None if items is None else [*places, *items]

  def is_same(self) -> bool:
    """Tells whether they are what they were."""
    now = self._now()
    return _are_same(now, self._values) or _look_same(now, self._values)


class NamesPart:
  """What the names in a function stand for, in closures and globals."""

  def __init__(self, owner: types.FunctionType):
    self._owner = owner
    codes = [owner.__code__]
    for code in codes:
      codes += [const for const in code.co_consts if isinstance(const, types.CodeType)]
    self._names = sorted({name for code in codes for name in _global_names(code)})
    self._values = self._now()

  def _spaces(self) -> tuple[dict[str, object], dict[str, object]]:
    # The types that come with mypy do not know `__builtins__`.
    return self._owner.__globals__, getattr(self._owner, "__builtins__", {})

  def _now(self) -> tuple[object, ...]:
    space, builtins = self._spaces()
    cells = [content_of(cell) for cell in self._owner.__closure__ or ()]
    return (*cells, *(space.get(name, builtins.get(name, _GONE)) for name in self._names))

  def values(self) -> tuple[object, ...]:
    """Returns what they stand for."""
    return self._values

  def entries(self) -> Entries:
    """Returns the places that prove `is_same`."""
    space, builtins = self._spaces()
    cells = self._owner.__closure__ or ()
    found: list[Entries] = []
    for cell, value in zip(cells, self._values, strict=False):
      found.append(None if value is _GONE else [("attribute", cell, "cell_contents", value)])
    for name, value in zip(self._names, self._values[len(cells) :], strict=True):
      found.append(_identities.of_item(space, name, value, name in space))
      if name not in space:
        found.append(_identities.of_item(builtins, name, value, value is not _GONE))
    known = [each for each in found if each is not None]
    return [place for each in known for place in each] if len(known) == len(found) else None

  def places(self) -> Iterator[tuple[object, str]]:
    """Yields where the variables are: cells and the module's namespace, with the names."""
    owner = self._owner
    yield from zip(owner.__closure__ or (), owner.__code__.co_freevars, strict=True)
    yield from ((owner.__globals__, name) for name in self._names)

  def is_same(self) -> bool:
    """Tells whether they stand for what they did."""
    now = self._now()
    return _are_same(now, self._values) or _look_same(now, self._values)


def _global_names(code: types.CodeType) -> Iterator[str]:
  """Yields the names that code looks up outside of itself; those of attributes are none."""
  for instruction in dis.get_instructions(code):
    if "GLOBAL" in instruction.opname or instruction.opname == "LOAD_NAME":
      yield instruction.argval


class ClassPart:
  """The methods of a class of the user's and of those it derives from; plain data is not looked at.

  Methods that a class gets later count, too.
  """

  def __init__(self, owner: type):
    self._owner = owner
    self._mro = owner.__mro__
    self._bases = [base for base in self._mro if is_users(base)]
    self._take()

  def _take(self) -> None:
    self._sizes = [len(vars(base)) for base in self._bases]
    self._names = [_methods(base) for base in self._bases]
    self._getters = [_getter(names) for names in self._names]
    self._values = self._now()

  def _now(self) -> list[tuple[object, ...]]:
    return [get(vars(base)) for get, base in zip(self._getters, self._bases, strict=True)]

  def values(self) -> tuple[object, ...]:
    """Returns what is in them to look into: nothing, for methods are looked at when called."""
    return ()

  def denied(self) -> str | None:
    """Returns a method that a class says by None not to have, whatever it derives from.

    What has no hash is no such class: Python itself says so of each that has an `__eq__`.
    """
    for names, values in zip(self._names, self._values, strict=True):
      for name, value in zip(names, values, strict=True):
        if value is None and name != "__hash__":
          return name
    return None

  def entries(self) -> Entries:
    """Returns the places that prove `is_same`."""
    parts = zip(self._bases, self._sizes, self._names, self._values, strict=True)
    return [
      ("attribute", self._owner, "__mro__", self._mro),
      *(("names", _identities.dict_of(base), *each) for base, *each in parts),
    ]

  def is_same(self) -> bool:
    """Tells whether the methods are what they were."""
    if self._owner.__mro__ is not self._mro:
      return False
    has_size = True
    parts = zip(self._bases, self._getters, self._values, self._sizes, strict=True)
    try:
      for base, get, values, size in parts:
        found = base.__dict__
        if not all(map(operator.is_, get(found), values)):
          return False
        has_size = has_size and len(found) == size
    except KeyError:
      return False
    if not has_size:
      if [_methods(base) for base in self._bases] != self._names:
        return False
      self._take()
    return True


class MemberPart:
  """What a class has under a name, itself or inherited."""

  def __init__(self, owner: type, name: str):
    self._owner = owner
    self._name = name
    self._value = self._now()

  def _now(self) -> object:
    return next((vars(b)[self._name] for b in self._owner.__mro__ if self._name in vars(b)), _GONE)

  def values(self) -> tuple[object, ...]:
    """Returns it."""
    return (self._value,)

  def entries(self) -> Entries:
    """Returns the places that prove `is_same`."""
    is_there = self._value is not _GONE
    return _identities.of_class(self._owner, self._name, self._value, is_there)

  def is_same(self) -> bool:
    """Tells whether it is what it was."""
    return same_static(self._value, self._now())


def _methods(base: type) -> tuple[str, ...]:
  return tuple(
    sorted(
      name
      for name, value in vars(base).items()
      if hasattr(type(value), "__get__") or (value is None and is_special(name))
    )
  )


_DATA = frozenset(["__doc__", "__module__", "__annotations__", "__slots__", "__match_args__"])


def is_special(name: str) -> bool:
  """Tells whether Python asks a class by a name for what its objects do."""
  return name.startswith("__") and name.endswith("__") and name not in _DATA


def is_users(base: type) -> bool:
  """Tells whether a class is the user's."""
  return base.__module__ != "builtins" and not _libraries.is_library(base)


def content_of(cell: types.CellType) -> object:
  """Returns what a variable of a closure is; a mark of its own if it is not set."""
  try:
    return cell.cell_contents
  except ValueError:
    return _GONE
