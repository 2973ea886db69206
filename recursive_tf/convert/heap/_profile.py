"""What is known of the user's objects: the types and shapes behind each path that is read.

The objects of a call are looked at before its program is converted, along the paths that the
conversion finds the program to read, so that kinds need not be guessed and nothing is run for it.
What is learnt is an assumption (JANUS calls it so: Jeong et al., NSDI 2019, section 4.2): the walk
before each run checks it, and an object that breaks it is added here, which relaxes it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator

import numpy as np
import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.heap._columns import BOOL, FLOAT, INT, ITEMS, STR, TENSOR, Column
from recursive_tf.convert.heap._reference_walk import MISSING, UnsupportedReadError, evaluate
from recursive_tf.convert.values._abstract import Missing, Path, plain_path
from recursive_tf.convert.values._forms import join_shapes

_MAX_OBJECTS = 5_000  # Enough to see what there is; the walk checks all.
_MAX_FUNCTIONS = 32  # Which a call of one of them chooses between.


@dataclasses.dataclass(frozen=True)
class Facts:
  """What the values of one path have in common.

  Attributes:
    types: their exact types; `NoneType`, and `Missing` where the read would raise.
    spec: of arrays and tensors, type and shape.
    is_wide: whether there are ints beyond int32.
  """

  types: frozenset[type] = frozenset()
  spec: tf.TensorSpec | None = None
  is_wide: bool = False

  def join(self, other: Facts) -> Facts:
    """Returns the facts that hold for the values of both."""
    return Facts(
      self.types | other.types, _join_specs(self.spec, other.spec), self.is_wide or other.is_wide
    )


def _join_specs(a: tf.TensorSpec | None, b: tf.TensorSpec | None) -> tf.TensorSpec | None:
  if a is None or b is None:
    return a or b
  dtype = a.dtype if a.dtype == b.dtype else tf.variant  # Two types: no tensor can hold both.
  return tf.TensorSpec(join_shapes(a.shape, b.shape), dtype)


@dataclasses.dataclass(frozen=True)
class Known:
  """What a profile knows at one time; the attributes are those of `Profile`."""

  learnt: dict[tuple[type, Path, bool], Facts]
  follow: dict[tuple[Path, bool], set[type]]
  root_types: set[type]
  families: list[set[type]]


class Profile:
  """The objects seen, and what was learnt of them. Belongs to one decorated function."""

  def __init__(self) -> None:
    self._learnt: dict[tuple[type, Path, bool], Facts] = {}
    self._objects: dict[int, object] = {}
    self._looked_at: dict[tuple[type, Path, bool], int] = {}  # How many of the objects.
    self._follow: dict[tuple[Path, bool], set[type]] = {}
    self._root_types: set[type] = set()
    self._families: list[set[type]] = []  # Of classes; disjoint.
    self._used: dict[tuple[type, Path, bool], Facts] = {}
    self._functions: dict[object, int] = {}
    self._used_data: dict[tuple[frozenset[type], Path], object] = {}
    # Of reads: the types of what is no list of numbers only, and those of the elements of such.
    self._data: dict[tuple[frozenset[type], Path], tuple[frozenset[type], frozenset[type]]] = {}

  def begin(self, roots: Iterable[object]) -> None:
    """Starts a conversion for these objects; what was learnt before stays."""
    self.end()
    self.restart()
    self._add(roots)

  def known(self) -> Known:
    """Returns what is known by now, for `go_back_to`."""
    follow = {key: set(types) for key, types in self._follow.items()}
    families = [set(family) for family in self._families]
    return Known(dict(self._learnt), follow, set(self._root_types), families)

  def go_back_to(self, known: Known) -> None:
    """Forgets what was found out since; what is passed in is not to be used again."""
    self._learnt, self._follow = known.learnt, known.follow
    self._root_types, self._families = known.root_types, known.families

  def restart(self) -> None:
    """Forgets which facts were relied on; the objects and what to follow stay."""
    self._used = {}
    self._used_data = {}

  def add_root(self, obj: object) -> None:
    """Adds an object of the program itself."""
    self._root_types.add(type(obj))
    self._add([obj])

  @property
  def root_types(self) -> frozenset[type]:
    """The types of objects of programs themselves."""
    return frozenset(self._root_types)

  def end(self) -> None:
    """Lets the objects go."""
    self._objects = {}
    self._looked_at = {}

  def facts(self, types: Iterable[type], path: Path) -> Facts:
    """Returns what holds for `path` in objects of these types; it is then relied on."""
    return self._find(types, path, is_items=False)

  def element_facts(self, types: Iterable[type], path: Path) -> Facts:
    """Returns the same of the elements of the lists that `path` leads to."""
    return self._find(types, path, is_items=True)

  def expect(self, types: Iterable[type], path: Path, facts: Facts) -> None:
    """Notes what a later run will find, because this program writes it."""
    for type_ in types:
      key = (type_, path, False)
      self._learnt[key] = self._learnt.get(key, Facts()).join(facts)

  def follow(self, types: Iterable[type], path: Path, is_items: bool = False) -> None:
    """Notes that what `path` leads to, or its elements, are objects that the program reads."""
    known = self._follow.setdefault((path, is_items), set())
    new = set(types) - known
    known |= new
    for found in list(self._objects.values()):
      if type(found) in new:
        self._add(_values(found, path, is_items))

  def followed_types(self) -> frozenset[type]:
    """Returns the types of all that is followed, which need rows though nothing is read of them."""
    found: set[type] = set(self._root_types)
    for path, is_items in self._follow:
      for (_, known, items), facts in self._learnt.items():
        if (known, items) == (path, is_items):
          found |= facts.types
    return frozenset(found - {Missing, type(None)})

  def functions(self, types: Collection[type]) -> dict[object, int] | None:
    """Returns all functions of these types that objects were seen to have, with their numbers.

    None if they are too many. The dict stays the same one until there are more of them.
    """
    known = self._functions
    if len(known) > _MAX_FUNCTIONS:
      return None
    more = [one for one in self._objects.values() if type(one) in types and one not in known]
    if more:
      all_of_them = dict.fromkeys([*known, *more])
      self._functions = {one: number for number, one in enumerate(all_of_them)}
    return self._functions if len(self._functions) <= _MAX_FUNCTIONS else None

  def data(self, types: frozenset[type], path: Path) -> tuple[frozenset[type], frozenset[type]]:
    """Returns what is seen of a read in objects that are no mere lists of numbers.

    It is a guess at what a program means, which no run relies on.

    Args:
      types: of the objects.
      path: the read.

    Returns:
      The types of what is read, and of the elements of lists of numbers among that.
    """
    beside, elements = self._data.get((types, path), (frozenset[type](), frozenset[type]()))
    for obj in self._objects.values():
      if type(obj) not in types or (path and _numbers_in(obj)):
        continue
      for value in _values(obj, path, is_items=False):
        beside |= {type(value)}
        elements |= _numbers_in(value)
    self._data[types, path] = beside, elements
    self._used_data.setdefault((types, path), (beside, elements))
    return beside, elements

  def guards(self, columns: Iterable[Column]) -> Iterator[tuple[type, tuple[object, ...]]]:
    """Yields columns of the walker that check what was relied on, each with the objects' type.

    Args:
      columns: the program's; what they check themselves is left out.
    """
    checked = {
      (type_, column.path)
      for column in columns
      if column.kind in (INT, BOOL, FLOAT, STR)
      for type_ in column.types
    }
    for (type_, path, is_items), facts in self._used.items():
      if is_items:
        yield type_, ("item types", 0, plain_path(path), tuple(facts.types))
      elif (type_, path) not in checked:
        kind = "types?" if Missing in facts.types else "types"
        yield type_, (kind, 0, plain_path(path), tuple(facts.types - {Missing}))

  def reaches(self, containers: Iterable[object], columns: Iterable[Column]) -> bool:
    """Tells whether some read of a known object goes through one of these containers."""
    return reaches(self.objects(), containers, columns)

  def reads(self, columns: Iterable[Column]) -> list[Column]:
    """Returns columns, and as such all else that is relied on of objects, which no column holds."""
    relied = [
      Column(ITEMS if is_items else BOOL, path, -1, types={type_})
      for type_, path, is_items in self._used
    ]
    return [*columns, *relied]

  def objects(self) -> list[object]:
    """Returns the objects that are known."""
    return list(self._objects.values())

  def is_mixed(self) -> bool:
    """Tells whether reads of builtin containers that were relied on give objects of many kinds."""
    none = {Missing, type(None)}
    return any(
      len(facts.types - none) > 1
      for (type_, _, _), facts in self._learnt.items()
      if type_.__module__ == "builtins"
    )

  def is_settled(self) -> bool:
    """Tells whether all that was relied on holds for all objects now known."""
    used, data = dict(self._used), dict(self._used_data)
    return all(
      self._find([type_], path, is_items) == facts
      for (type_, path, is_items), facts in used.items()
    ) and all(self.data(*key) == found for key, found in data.items())

  def family(self, types: frozenset[type]) -> frozenset[type]:
    """Returns types, and those of the user's classes that were seen in the same places.

    Where one of several classes of nodes occurs, another one is likely to occur in later calls.
    """
    own = {type_ for type_ in types if type_ is not Missing and _is_users(type_)}
    if not own:
      return types
    for other in [family for family in self._families if family & own]:
      self._families.remove(other)
      own |= other
    self._families.append(own)
    return types | own

  def _find(self, types: Iterable[type], path: Path, is_items: bool) -> Facts:
    joined = Facts()
    for type_ in types:
      if type_ is Missing:
        continue
      key = (type_, path, is_items)
      found = self._learnt.get(key, Facts())
      objects = list(itertools.islice(self._objects.values(), self._looked_at.get(key, 0), None))
      for obj in objects:
        if type(obj) is type_:
          for value in _values(obj, path, is_items):
            found = found.join(facts_of(value))
      found = dataclasses.replace(found, types=self.family(found.types))
      self._looked_at[key] = self._looked_at.get(key, 0) + len(objects)
      self._learnt[key] = found
      self._used.setdefault(key, found)  # Following it may add objects: what came before is old.
      joined = joined.join(found)
    return joined

  def _add(self, values: Iterable[object]) -> None:
    agenda = list(values)[::-1]
    while agenda and len(self._objects) < _MAX_OBJECTS:
      obj = agenda.pop()
      if obj is None or obj is MISSING or id(obj) in self._objects:
        continue
      check_class(type(obj))
      self._objects[id(obj)] = obj
      for (path, is_items), types in self._follow.items():
        if type(obj) in types:
          agenda += _values(obj, path, is_items)


def reaches(
  objects: Iterable[object],
  containers: Iterable[object],
  columns: Iterable[Column],
  known_by: Callable[[object], object] = lambda value: value,
) -> bool:
  """Tells whether some read of these objects goes through one of these containers.

  Args:
    objects: those that are walked.
    containers: what is looked for.
    columns: the reads.
    known_by: gives what an object is compared by.
  """
  wanted = {id(container) for container in containers}
  paths: dict[type, dict[Path, None]] = {}
  for column in columns:
    is_value = column.kind.removesuffix("?") in (INT, BOOL, FLOAT, STR, TENSOR)
    for end in range(1, len(column.path) + (0 if is_value else 1)):
      for type_ in column.types:
        paths.setdefault(type_, {})[column.path[:end]] = None

  def reached(obj: object) -> Iterator[int]:
    yield id(known_by(obj))
    for path in paths.get(type(obj), ()):
      yield id(known_by(evaluate(obj, plain_path(path))))

  return any(not wanted.isdisjoint(reached(obj)) for obj in objects)


def _values(obj: object, path: Path, is_items: bool) -> Iterator[object]:
  try:
    value = evaluate(obj, plain_path(path))
  except UnsupportedReadError as error:
    raise ConversionRefused.of(Reason.OPAQUE_READ, str(error)) from None
  if not is_items:
    yield value
  elif isinstance(value, (list, tuple)):
    yield from list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value)


def _numbers_in(value: object) -> frozenset[type]:
  """Returns the types of the elements of a list of numbers; none of all else."""
  if type(value) not in (list, tuple) or not isinstance(value, (list, tuple)):
    return frozenset()
  kinds = frozenset(map(type, value))
  return kinds if kinds <= {int, float} else frozenset()


def _is_users(type_: type) -> bool:
  return type_.__module__.partition(".")[0] not in ("builtins", "numpy", "tensorflow", "keras")


def check_class(kind: type) -> None:
  """Refuses classes that are keys of a kind of their own: all that is known is known by class."""
  metaclass = type(kind)
  if metaclass.__eq__ is not type.__eq__ or metaclass.__hash__ is not type.__hash__:
    raise ConversionRefused.of(
      Reason.OPAQUE_READ, f"An object of {kind.__name__}, whose metaclass has its own __eq__."
    )


def facts_of(value: object) -> Facts:
  """Returns the facts of one value."""
  if value is MISSING:
    return Facts(frozenset([Missing]))
  kind = type(value)
  check_class(kind)
  if isinstance(value, (np.ndarray, np.generic)):
    if value.dtype.kind in "OUSMmV":
      return Facts(frozenset([kind]))
    return Facts(frozenset([kind]), tf.TensorSpec(value.shape, tf.as_dtype(value.dtype)))
  if isinstance(value, (tf.Tensor, tf.Variable)):
    return Facts(frozenset([kind]), tf.TensorSpec(value.shape, value.dtype))
  is_wide = type(value) is int and not -(2**31) <= value < 2**31
  return Facts(frozenset([kind]), is_wide=is_wide)
