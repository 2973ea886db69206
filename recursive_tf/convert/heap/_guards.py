"""What a program relies on outside of the objects it walks: closures, globals, attributes.

Everything that conversion took from there is compared before each run. A number that changed is
from then on an input of the run; anything else that changed makes a new program.
"""

from __future__ import annotations

import dataclasses
import operator
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import keras
import numpy as np
import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._config import config
from recursive_tf.convert._refusal import ConversionRefused, Origin, Reason
from recursive_tf.convert.heap import _identities, _libraries
from recursive_tf.convert.heap._fingerprint import (
  ClassPart,
  Fingerprint,
  FunctionPart,
  MemberPart,
  content_of,
  is_leaf,
  is_special,
)
from recursive_tf.convert.heap._identities import AtOnce, Entries, Known, Part
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values._abstract import Array, Raises
from recursive_tf.convert.values._forms import same_static
from recursive_tf.convert.values._numbers import Number

CONTENT = object()  # All elements of a container, or how many there are.
_CONTENTS = ("elements", "items", "len")
_TYPE = ("type",)
_GONE = object()
_NO_METHOD = object()  # Where a class says that it has none, by None.
_ABSENT = content_of(types.CellType())
_Key = TypeVar("_Key")
_Watched = ClassPart | Fingerprint | FunctionPart | MemberPart


def _denied(kind: type, name: str) -> ConversionRefused:
  return ConversionRefused.of(Reason.OPAQUE_READ, f"{kind.__name__}.{name} is None.")


@dataclasses.dataclass(frozen=True)
class Name:
  """A way to what a program relies on.

  Attributes:
    key: tells it from others.
    owner: the object that reading starts from.
    read: reads it.
  """

  key: tuple[int, object]
  owner: object
  read: Callable[[], object]


class Guards:
  """The comparisons of one program.

  Attributes:
    changing: places whose numbers change from run to run, by (id of the owner, name); kept from
      program to program of one function.
  """

  def __init__(
    self,
    changing: dict[tuple[int, object], object],
    as_input: Callable[..., object],
    stand_ins: dict[int, object],
    where: Callable[[], Origin | None] = lambda: None,
  ):
    """Makes them.

    Args:
      changing: see above.
      as_input: makes an input of a place whose number changes.
      stand_ins: what the program knew first, by the number of what is in its place now.
      where: gives the user's line that is converted.
    """
    self._where = where
    # Of the lines that rely on something first.
    self._origins: dict[tuple[int, object], Origin | None] = {}
    self.changing = changing
    self._as_input = as_input
    self._stand_ins = stand_ins
    self._is_open = "specialize" not in config().optimizations  # Numbers are no constants.
    self._identified: dict[int, object] = {}
    self._checks: dict[tuple[int, object], tuple[object, Known]] = {}
    self._watched: dict[tuple[int, object], tuple[object, _Watched]] = {}
    self._inputs: dict[tuple[int, object], object] = {}  # Owners of what is read anew in each run.
    self._at_once: AtOnce | None = None  # Of all that is compared by now.
    self._last_changed: list[tuple[tuple[int, object], object]] = []
    self._run: set[int] = set()  # The numbers of those whose code a library may run.
    self._settings = settings_now()
    self._in_proxies: dict[int, object] = {}
    self._made: dict[int, np.ndarray] = {}  # Arrays that the program makes anew in each run.
    self._new: dict[int, object] = {}  # Those of them that are no views of others.

  @property
  def is_training(self) -> bool:
    """Whether the program begins where layers of Keras are called for training."""
    return bool(self._settings[-1])

  def settings(self) -> None:
    """Guards what layers and functions of Keras go by, beside what they are given."""
    known = Known(settings_now, self._settings, same_static)
    self._compare((id(keras), "settings"), keras, known)

  def seed_generator(self) -> None:
    """Guards what functions of Keras draw from that are given no seed: a new seed makes another."""
    read = tfi.keras_seed_generator
    self._compare((id(keras), "seed"), keras, Known(read, read(), operator.is_))

  def note_made(self, array: np.ndarray) -> None:
    """Notes an array that the program makes, and that nobody else has."""
    self._made[id(array)] = array

  def note_new(self, array: object) -> None:
    """Notes what NumPy gives, for each call another array that shares its memory with no other."""
    self._new[id(array)] = array

  def is_new(self, array: object) -> bool:
    """Tells whether each call of the program has another array in place of this one."""
    return id(array) in self._new

  def is_made(self, array: np.ndarray) -> bool:
    """Tells whether the program makes an array itself."""
    return id(array) in self._made

  def cell(self, cell: types.CellType, name: str) -> object:
    """Returns and guards a variable of an enclosing function.

    Raises:
      Raises: If it is not set.
    """

    def entries(value: object) -> Entries:
      return None if value is _ABSENT else [("attribute", cell, "cell_contents", value)]

    found = self._guard(cell, name, lambda: content_of(cell), entries)
    if found is _ABSENT:
      raise Raises
    return found

  def name(self, namespace: dict[str, object], name: str) -> object:
    """Returns and guards a global variable."""
    return self._guard(namespace, name, *_of_item(namespace, name))

  def builtin(self, source: FunctionSource, name: str) -> object:
    """Returns and guards what a name that is no variable stands for.

    Raises:
      Raises: If it stands for nothing.
    """
    self.name(source.globals, name)
    builtins: dict[str, object] = getattr(source.function, "__builtins__", {})
    found = self._guard(builtins, name, *_of_item(builtins, name))
    if found is _GONE:
      raise Raises
    return found

  def attribute(self, owner: object, name: str) -> Any:
    """Returns and guards an attribute."""

    def read() -> object:
      value: object = getattr(owner, name, _GONE)
      # A tf.Module keeps dicts in proxies, which pass all through to the dict itself.
      if type(value).__name__ != "_DictWrapper":
        return value
      inside: object = getattr(value, "__wrapped__", None)
      self._in_proxies[id(inside)] = value
      return inside

    def entries(value: object) -> Entries:
      return None if value is _GONE else _identities.of_attribute(owner, name, value)

    return self._guard(owner, name, read, entries)

  def is_in_proxy(self, value: object) -> bool:
    """Tells whether an attribute's value is a proxy of TensorFlow's around this dict."""
    return id(value) in self._in_proxies

  def lacks(self, owner: object, name: str) -> None:
    """Guards that an attribute is not there."""
    self._guard(owner, name, lambda: getattr(owner, name, _GONE))

  def has(self, owner: object, name: str) -> None:
    """Guards that an attribute is there, whatever it is."""
    self._guard(owner, ("has", name), lambda: hasattr(owner, name))

  def own(self, owner: object, name: str) -> None:
    """Guards that an object has no attribute of its own that hides its class's."""
    self._guard(
      owner,
      ("own", name),
      lambda: getattr(owner, "__dict__", {}).get(name, _GONE),
      lambda value: _identities.of_own(owner, name, value, value is not _GONE),
    )

  def of_class(self, kind: type, name: str) -> object:
    """Returns and guards what a class has under a name, itself or inherited; None if nothing."""

    def read() -> object:
      for base in kind.__mro__:
        if name in base.__dict__:
          found = base.__dict__[name]
          return _NO_METHOD if found is None and is_special(name) else found
      return None

    found = self._guard(
      kind,
      ("class", name),
      read,
      lambda value: _identities.of_class(kind, name, value, value is not None),
    )
    if found is _NO_METHOD and name != "__hash__":
      raise _denied(kind, name)
    return None if found is _NO_METHOD else found

  def names(self, owner: object, start: str) -> tuple[str, ...]:
    """Returns and guards the names of an object's own attributes that begin with a string."""
    found = self._guard(
      owner, ("names", start), lambda: _beginning(getattr(owner, "__dict__", {}), start)
    )
    return tuple(found)

  def names_of_class(self, kind: type, start: str) -> tuple[str, ...]:
    """Returns and guards the names of what a class has, itself or inherited, of such names."""

    def read() -> tuple[str, ...]:
      return tuple(dict.fromkeys(n for k in kind.__mro__ for n in _beginning(vars(k), start)))

    return tuple(self._guard(kind, ("class names", start), read))

  def elements(self, container: Iterable[object]) -> list[object]:
    """Returns and guards all elements of a list, set, or keys of a dict."""
    self._guard(
      container,
      "elements",
      lambda: tuple(container),
      lambda value: _identities.of_elements(container, value),
    )
    return list(container)

  def items(self, container: dict[_Key, object]) -> dict[_Key, object]:
    """Returns and guards all items of a dict."""

    def entries(pairs: tuple[tuple[object, object], ...]) -> Entries:
      keys, values = (tuple(pair[i] for pair in pairs) for i in range(2))
      return _identities.of_items(container, keys, values) if type(container) is dict else None

    self._guard(container, "items", lambda: tuple(container.items()), entries)
    return dict(container)

  def entry(self, container: dict[object, object], key: object) -> object:
    """Returns and guards one item of a dict."""
    return self._guard(container, ("item", key), *_of_item(container, key))

  def length(self, container: Any) -> int:
    """Returns and guards a length."""
    return self._guard(container, "len", lambda: len(container))

  def type_of(self, owner: object) -> type:
    """Returns and guards the class of an object, with the methods it has."""
    kind = self._guard(owner, _TYPE, lambda: type(owner), lambda value: [("type", owner, value)])
    self.methods(kind)
    assert isinstance(kind, type)  # It is what `type` returned.
    return kind

  def is_subclass(self, kind: type, of: type) -> bool:
    """Returns and guards whether a class counts as another's, which may register it any time."""
    if type(of).__subclasscheck__ is type.__subclasscheck__:
      self.methods(kind)  # And the classes that it derives from.
      return issubclass(kind, of)
    return bool(self._guard(of, ("subclass", kind), lambda: issubclass(kind, of)))

  def methods(self, kind: type) -> None:
    """Guards the methods of a class of the user's.

    Raises:
      ConversionRefused: If it says by None that it has none of a name.
    """
    key = id(kind), "methods"
    if key not in self._watched and kind.__module__ != "builtins":
      if not _libraries.is_library(kind):
        part = ClassPart(kind)
        self._watch(key, kind, part)
        self._note_origin(key)
        denied = part.denied()
        if denied is not None:
          raise _denied(kind, denied)

  def function(self, function: object) -> None:
    """Guards the code and the default values of a function of the user's."""
    key = id(function), "function"
    if key not in self._watched and isinstance(function, types.FunctionType):
      self._watch(key, function, FunctionPart(function))
      self._note_origin(key)

  def member(self, kind: type, name: str) -> object:
    """Returns and guards what a class has under a name, as code sees it that a library runs."""
    key = id(kind), f"member {name}"
    if key not in self._watched:
      self._watch(key, kind, MemberPart(kind, name))
    part = self._watched[key][1]
    assert isinstance(part, MemberPart)  # The key says so.
    return part.values()[0]

  def watch(self, value: object) -> None:
    """Guards all that an object holds, which is handed to a library as it is.

    Raises:
      TooLarge: If there is too much in it.
    """
    key = id(value), "content"
    if key not in self._watched and not is_leaf(value):
      self._watch(key, value, Fingerprint(value))
      self._note_origin(key)

  def newly_run(self, value: object) -> tuple[object, ...]:
    """Returns what a watched object holds, of which a library may run code; once for each."""
    _, found = self._watched.get((id(value), "content"), (None, None))
    if not isinstance(found, Fingerprint) or id(value) in self._run:
      return ()
    self._run.add(id(value))
    return found.holds

  def _guard(
    self,
    owner: object,
    name: object,
    read: Callable[[], object],
    entries: Callable[..., Entries] = lambda _: None,
  ) -> Any:
    """Returns and guards what `read` finds; `entries` says of it what `Part.entries` does."""
    value = read()
    why = _libraries.why_no_tensor(value)
    if why is not None:
      raise ConversionRefused.of(Reason.UNSUPPORTED_OPERATION, why)
    value = self._stand_ins.get(id(value), value)
    key = id(owner), name
    if key not in self._checks:
      self._tuple_classes(value)
    is_open = self._is_open and name not in _CONTENTS
    if key in self.changing or is_open:
      kind = type(value)
      if kind in (int, float) or isinstance(value, (tf.Tensor, np.ndarray)):
        self._inputs[key] = owner
        return self._as_input(key, owner, read, value)
    self._compare(key, owner, Known(read, value, same_static, entries))
    self._note_origin(key)
    return value

  def _compare(self, key: tuple[int, object], owner: object, known: Known) -> None:
    """Has a place compared from now on, if it is not."""
    if key not in self._checks:
      self._checks[key] = owner, known
      self._at_once = None

  def _watch(self, key: tuple[int, str], owner: object, part: _Watched) -> None:
    """Has what is in an object compared from now on."""
    self._watched[key] = owner, part
    self._at_once = None

  def _tuple_classes(self, value: object) -> None:
    """Guards the methods of named tuples, of which else the elements alone are looked at."""
    agenda = [value]
    while agenda:
      found = agenda.pop()
      if isinstance(found, tuple) and tuple in type(found).__mro__:  # No proxy of one.
        self.methods(type(found))
        agenda.extend(tuple.__iter__(found))

  def _note_origin(self, key: tuple[int, object]) -> None:
    if key not in self._origins:
      self._origins[key] = self._where()

  def reliances(self) -> Iterator[tuple[tuple[int, object], object, object, Origin | None]]:
    """Yields each place that is compared: its key, owner, what was found there, the user's line.

    What was found is CONTENT of all that an object holds.
    """
    for key, (owner, known) in self._checks.items():
      yield key, owner, known.value, self._origins.get(key)
    for key, (owner, _) in self._watched.items():
      yield key, owner, CONTENT, self._origins.get(key)

  def reliance(self, key: tuple[int, object]) -> tuple[object, Origin | None] | None:
    """Returns what was found at a place, and the user's line, as `reliances` yields them."""
    if key in self._checks:
      return self._checks[key][1].value, self._origins.get(key)
    return (CONTENT, self._origins.get(key)) if key in self._watched else None

  def identify(self, value: object) -> None:
    """Notes that it makes a difference to the program which object this is."""
    self._identified[id(value)] = value

  def mentioned(self) -> set[int]:
    """Returns the numbers of the objects that are relied on, but for those behind a single name."""
    found = set(self._identified)
    agenda: list[object] = []
    for (_, name), (owner, known) in self._checks.items():
      agenda += [] if name == _TYPE else [owner]
      agenda.extend(known.value if isinstance(known.value, tuple) else ())
    for owner, part in self._watched.values():
      agenda += [owner, *(part.holds if isinstance(part, Fingerprint) else part.values())]
    while agenda:
      value = agenda.pop()
      found.add(id(value))
      agenda.extend(value if isinstance(value, tuple) else ())
    return found

  def direct(self) -> set[int]:
    """Returns the numbers of what single names stand for."""
    return {id(known.value) for _, known in self._checks.values()}

  def release(self, value: object) -> list[Name]:
    """Returns the names that stand for an object, and compares them no more."""
    found = {key: one for key, one in self._checks.items() if one[1].value is value}
    self._at_once = None
    for key in found:
      del self._checks[key]
    return [Name(key, owner, known.read) for key, (owner, known) in found.items()]

  def variables(self) -> Iterator[object]:
    """Yields the handles of the variables in all that is handed to libraries."""
    for _, part in self._watched.values():
      if isinstance(part, Fingerprint):
        for value in part.leaves():
          value = value.value if isinstance(value, keras.Variable) else value
          if isinstance(value, tf.Variable) and hasattr(value, "handle"):
            yield value.handle

  def all_variables(self, given: Iterable[object]) -> Iterator[tf.Variable]:
    """Yields the variables among what is relied on, by name or in what libraries are given.

    Args:
      given: constants of the program that are looked at, too.
    """
    agenda = [*given, *(known.value for _, known in self._checks.values())]
    agenda += self._identified.values()
    for _, part in self._watched.values():
      agenda += part.leaves() if isinstance(part, Fingerprint) else ()
    while agenda:
      value = agenda.pop()
      value = value.value if isinstance(value, keras.Variable) else value
      if isinstance(value, tf.Variable):
        yield value
      agenda.extend(value if isinstance(value, tuple) else ())

  def tensors(self) -> dict[int, object]:
    """Returns the tensors and arrays that names stand for, or that are watched, by number."""
    agenda = [known.value for _, known in self._checks.values()]
    agenda += self._identified.values()
    found = {}
    while agenda:
      value = agenda.pop()
      if isinstance(value, (tf.Tensor, np.ndarray)):
        found[id(value)] = value
      agenda.extend(value if isinstance(value, tuple) else ())
    return found

  def known(self) -> set[int]:
    """Returns the numbers of the objects of which something is relied on, or which they are."""
    return {id(owner) for owner, _ in self._checks.values()} | set(self._identified)

  def relied(self) -> Iterator[tuple[object, object]]:
    """Yields each place of which something is relied on: its owner, and what of it.

    Containers whose content is relied on, by themselves or as a part of more, come with CONTENT.
    """
    for (_, name), (owner, _) in self._checks.items():
      yield owner, CONTENT if name in _CONTENTS else name
    for (_, name), owner in self._inputs.items():
      yield owner, name
    for _, part in self._watched.values():
      if isinstance(part, Fingerprint):
        yield from part.places()
        for owner in part.holds:
          yield owner, CONTENT

  def changed(self) -> list[tuple[tuple[int, object], object]]:
    """Returns the places, with their owners, that are no longer what conversion saw."""
    self._at_once = self._at_once or AtOnce(self._parts())
    if self._at_once.are_same():
      return []
    found = [(key, owner) for key, (owner, part) in self._all() if not part.is_same()]
    self._last_changed = found or self._last_changed
    return found

  def _parts(self) -> Iterator[Part]:
    """Yields all that is compared."""
    for _, (_, part) in self._all():
      if isinstance(part, Fingerprint):
        yield from part.parts
      else:
        yield part

  def _all(self) -> Iterator[tuple[tuple[int, object], tuple[object, Known | _Watched]]]:
    """Yields the key, the owner and the part of all that is compared."""
    yield from self._checks.items()
    yield from self._watched.items()

  def still_changed(self) -> list[tuple[tuple[int, object], object]]:
    """Returns a place that `changed` has found last and that still is not what it was, if any.

    A program that fits every other call is told by these, without all that it relies on.
    """
    # Single names come before all that an object holds, which is compared where there are none.
    names = [(key, owner) for key, owner in self._last_changed if key in self._checks]
    for key, owner in names or self._last_changed:
      if self._is_changed(key):
        return [(key, owner)]
    return []

  def _is_changed(self, key: tuple[int, object]) -> bool:
    found = self._checks.get(key) or self._watched.get(key)
    return found is not None and not found[1].is_same()


def _beginning(names: Iterable[str], start: str) -> tuple[str, ...]:
  return tuple(name for name in names if name.startswith(start))


def _of_item(
  container: dict[_Key, object], key: _Key
) -> tuple[Callable[[], object], Callable[[object], Entries]]:
  """Returns what reads an item of a dict, and what says where it is."""

  def entries(value: object) -> Entries:
    return _identities.of_item(container, key, value, value is not _GONE)

  return lambda: container.get(key, _GONE), entries


def settings_now() -> tuple[object, ...]:
  """Returns the settings of Keras, last whether an outer layer is called for training."""
  config = keras.config
  settings = config.epsilon(), config.floatx(), config.image_data_format()
  return (*settings, config.dtype_policy().name, tfi.training_of_call())


def number(value: object, tensor: tf.Tensor) -> object:
  """Returns an input as what it is: a number, a tensor, or an array of NumPy."""
  if isinstance(value, np.ndarray):
    return Array(tensor, frozenset([type(value)]), is_new=False)
  return Number(tensor, type(value)) if type(value) in (int, float) else tensor
