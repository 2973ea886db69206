"""Abstract values: what a name of the user's program stands for while its graph is made.

A Python object that is none of these stands for itself: it is known at conversion, and guarded. A
`tf.Tensor` of the graph is a tensor known in the run. The rest is here, and `Number` in
`_numbers.py`.
"""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._paths import Held as Held
from recursive_tf.convert.values._paths import Path as Path
from recursive_tf.convert.values._paths import Provenance as Provenance
from recursive_tf.convert.values._paths import Step as Step
from recursive_tf.convert.values._paths import plain_path as plain_path
from recursive_tf.convert.values._snapshots import Update as Update
from recursive_tf.convert.values._snapshots import is_middle as is_middle
from recursive_tf.convert.values._snapshots import merged as merged
from recursive_tf.convert.values._snapshots import same_content as same_content
from recursive_tf.convert.values._tuples import has_more as has_more
from recursive_tf.convert.values._tuples import is_named_tuple as is_named_tuple
from recursive_tf.convert.values._tuples import makes_its_own as makes_its_own
from recursive_tf.convert.values._tuples import tuple_of as tuple_of
from recursive_tf.convert.values._value import Checks, Ours, Value

if TYPE_CHECKING:
  from recursive_tf.convert.syntax.source import FunctionSource
  from recursive_tf.convert.values._forms.base import BaseForm


class Missing:
  """The type of what is not there: the read would raise in Python. Never instantiated."""


@dataclasses.dataclass(frozen=True, eq=False)
class Base(Ours):
  """A heap object whose row of columns can be read.

  Attributes:
    handle: int32 [], its row; -1 for None, -2 for what is missing.
    types: the exact types it can have, `NoneType` and `Missing` among them.
    is_before: whether reads from it give what there was before the run, whatever it has written.
    origin: where it comes from, a `Provenance`; None if that is not known, or nobody asks.
  """

  handle: tf.Tensor
  types: frozenset[type]
  is_before: bool = False
  origin: Provenance | None = None


@dataclasses.dataclass(frozen=True, eq=False)
class Ref(Value):
  """Something on the Python heap, read when it is needed.

  Attributes:
    base: the object that reading starts from.
    path: the primitive steps from there.
  """

  base: Base
  path: Path = ()

  def step(self, *step: object) -> Ref:
    """Returns what one more step gives."""
    return Ref(self.base, (*self.path, step))

  @property
  def key(self) -> tuple[int, Path]:
    """Returns what two reads of the same have in common."""
    return id(self.base.handle), self.path

  def named(self) -> str:
    return " or ".join(sorted(kind.__name__ for kind in self.base.types)) or "object"

  def is_lowered(self) -> bool:
    return True


class Local(Value):
  """Base of containers that the program itself makes and may change while it runs.

  Attributes:
    is_trace: whether it only notes what is made, also where values are brought into other forms.
  """

  is_trace = False

  def snapshot(self) -> Any:
    """Returns the content as it is now."""
    raise NotImplementedError

  def restore(self, content: Any) -> None:
    """Puts back the content of a snapshot."""
    raise NotImplementedError


@dataclasses.dataclass(frozen=True, eq=False)
class Rows(Value):
  """Elements of one form, as many as the run finds.

  Attributes:
    length: int32 [].
    tensors: the elements' tensors, stacked to [length, ...].
    form: what the elements have in common, from `_forms`.
    type: tuple if they are a tuple of the program by themselves; None if they are the content of a
      `LocalList`, or a range or a view of a dict.
  """

  length: tf.Tensor
  tensors: tuple[tf.Tensor, ...]
  form: BaseForm | None
  type: type | None = None

  def restore_parted(self, part: Parted) -> None:
    self._content = (part,)

  def named(self) -> str:
    return "list"

  def within(self) -> Iterable[object]:
    return (self.length, *self.tensors)


class Keys(Rows):
  """What a dict of the heap shows of its keys, each of which is there once.

  Only while it has no type of its own: of what is made of it, as a tuple, it says no more.
  """

  @property
  def is_view(self) -> bool:
    """Tells whether it is still what the dict shows."""
    return self.type is None


class Keeper(Protocol):
  """What a container asks about itself: the frame's book of what may be one object."""

  def check_readable(self, container: Container) -> None:
    """Refuses to read what may have been changed under another name."""

  def change(self, container: Container, content: object) -> None:
    """Notes that the content is about to be this."""


class Container(Local):
  """A list, dict or object that the program makes: an object of its own, with other names.

  Each read and each change of the content asks the frame, which knows what may be the same object.

  Attributes:
    sharing: what the frame knows of its containers; None for one that no program sees.
    called: the first variable that it was kept in, for messages.
  """

  sharing: Keeper | None = None
  called: str | None = None
  _content: object

  def _check_readable(self) -> None:
    if self.sharing is not None:
      self.sharing.check_readable(self)

  def _change(self, content: object) -> None:
    if self.sharing is not None:
      self.sharing.change(self, content)
    self._content = content

  def snapshot(self) -> object:
    """Returns the content; it is never changed, only replaced."""
    return self._content

  def restore_parted(self, part: Parted) -> None:
    """Puts a part that has no form in place of the content, which nobody can read any more."""
    self._content = {"parted": part}

  def mapped(self, function: Callable[[object], object]) -> Container:
    """Returns a copy of what is known of its parts, with what the function gives of each."""
    raise NotImplementedError


VIEWS = {name: type(getattr({}, name)()) for name in ("keys", "values", "items")}


class LocalList(Container):
  """A list that the program makes, or what a dict shows of itself.

  Attributes:
    type: list, or the class of a view of a dict.
    is_iterator: whether Python would give an iterator, such as `zip`, which is empty afterwards.
    lazy: of an iterator whose elements code of the program makes, how; see `_lazy.py`.
    of_heap: of a view of a dict of the heap that may change, which one.
  """

  is_new = True
  type: type = list
  is_iterator = False
  lazy: object = None
  of_heap: Ref | None = None
  _content: tuple[object, ...] | Rows

  def __init__(self, content: Iterable[object] | Rows):
    self.restore(content)

  @property
  def content(self) -> tuple[object, ...] | Rows:
    """The elements, or `Rows` where only the run knows how many there are."""
    self._check_readable()
    return self._content

  @content.setter
  def content(self, content: Iterable[object] | Rows) -> None:
    self._change(content if isinstance(content, Rows) else tuple(content))

  @property
  def items(self) -> tuple[Any, ...] | None:
    """The elements, None if only the run knows how many there are."""
    content = self.content
    return None if isinstance(content, Rows) else content

  def snapshot(self) -> tuple[object, ...] | Rows:
    """Returns the elements; they are never changed, only replaced."""
    return self._content

  def restore(self, content: Iterable[object] | Rows) -> None:
    """Puts back the content."""
    self._content = content if isinstance(content, Rows) else tuple(content)

  def named(self) -> str:
    return "list"

  def within(self) -> Iterable[object]:
    content = self.content
    return (content,) if isinstance(content, Rows) else content

  def mapped(self, function: Callable[[object], object]) -> Container:
    content = self.content
    if self.is_iterator:
      return self  # It has no form, which says why.
    copy = LocalList(content if isinstance(content, Rows) else map(function, content))
    copy.type = self.type
    return copy


@dataclasses.dataclass(frozen=True)
class Literally:
  """What a `lambda` gives that takes nothing and reads nothing: `lambda: 0`, `lambda: [0, 0]`.

  Attributes:
    text: the expression.
  """

  text: str


SETS = frozenset([set, frozenset])


class LocalTable(LocalList):
  """A dict whose keys only the run knows, or a set, that the program makes.

  Its content is rows: pairs of keys and values, or keys. What takes it for a list ends there.

  Attributes:
    type: dict, set, frozenset, `collections.Counter` or `collections.defaultdict`.
    factory: what a `defaultdict` calls for what is missing; a `Literally` is no Python object.
  """

  has_operators = False

  def __init__(self, kind: type, rows: Rows, factory: object = None):
    super().__init__(rows)
    self.type = kind
    self.factory = factory

  @property
  def rows(self) -> Rows:
    """The pairs, or the keys, in the order in which they were added."""
    content = self.content
    assert isinstance(content, Rows)  # It is never known at conversion.
    return content

  @property
  def items(self) -> tuple[object, ...] | None:
    """Refuses: what the keys are is not known."""
    raise ConversionRefused.of(
      Reason.DYNAMIC_LIST, f"The content of a {self.type.__name__} whose keys only the run knows."
    )

  def named(self) -> str:
    return self.type.__name__

  def within(self) -> Iterable[object]:
    return (self.content,)

  def mapped(self, function: Callable[[object], object]) -> Container:
    return LocalTable(self.type, self.rows, self.factory)


def has_changed(before: list[object], after: list[object]) -> bool:
  """Tells whether a part of the program changed a scope or container, by all their snapshots.

  What the part made itself does not count, nor does the middle of a chained comparison, which is
  read in the same expression only.
  """
  for old, new in zip(before, after, strict=False):
    if not isinstance(old, (dict, list, tuple, Rows)) or same_content(old, new):
      continue  # The book of what is shared only follows the containers.
    if isinstance(old, dict) and isinstance(new, dict):
      old, new = ({k: v for k, v in d.items() if not is_middle(k)} for d in (old, new))
    if not same_content(old, new):
      return True
  return False


class LocalDict(Container):
  """A dict with keys known at conversion.

  Attributes:
    site: the expression that made it; None where that is not known.
  """

  is_new = True
  has_operators = False

  _content: dict[object, object]

  def __init__(self, items: Mapping[Any, object], site: object = None):
    self._content = dict(items)
    self.site = site

  @property
  def items(self) -> Mapping[object, object]:
    """The items by key."""
    self._check_readable()
    return types.MappingProxyType(self._content)

  @items.setter
  def items(self, items: Mapping[object, object]) -> None:
    self._change(dict(items))

  def restore(self, content: dict[object, object]) -> None:
    """Puts back the items."""
    self._content = merged(self._content, content)

  def named(self) -> str:
    return "dict"

  def within(self) -> Iterable[object]:
    return self.items.values()

  def mapped(self, function: Callable[[object], object]) -> Container:
    return LocalDict({key: function(part) for key, part in self.items.items()})


class LocalObject(Container):
  """An instance of a dataclass or of another small class of the user's, made by the program.

  Attributes:
    type: its class.
  """

  is_new = True
  _content: dict[str, object]

  def __init__(self, type_: type, fields: Mapping[str, object]):
    self.type = type_
    self._content = dict(fields)

  @property
  def fields(self) -> Mapping[str, object]:
    """The attributes by name."""
    self._check_readable()
    return types.MappingProxyType(self._content)

  @fields.setter
  def fields(self, fields: Mapping[str, object]) -> None:
    self._change(dict(fields))

  def restore(self, content: dict[str, object]) -> None:
    """Puts back the attributes."""
    self._content = merged(self._content, content)

  def named(self) -> str:
    return self.type.__name__

  def within(self) -> Iterable[object]:
    return self.fields.values()

  def mapped(self, function: Callable[[object], object]) -> Container:
    return LocalObject(self.type, {name: function(part) for name, part in self.fields.items()})


@dataclasses.dataclass(frozen=True, eq=False)
class Weak(Value):
  """A tensor on some paths, a Python number on others: what `sum` makes, or `loss = 0.0` begins.

  Attributes:
    tensor: the value either way, in the tensor's shape.
    is_number: bool [].
    type: type of the number, int or float.
  """

  has_identity = False
  tensor: tf.Tensor
  is_number: tf.Tensor
  type: type

  def named(self) -> str:
    return self.type.__name__

  def within(self) -> Iterable[object]:
    return (self.tensor,)

  def is_lowered(self) -> bool:
    return True

  @property
  def key(self) -> tuple[int, str]:
    """Returns what tells it from others, where a test says which of the two it is."""
    return id(self.is_number), "weak"

  def number(self) -> Number:
    """Returns it as the number that the run has to find; the tensor holds that exactly."""
    dtype = tf.float64 if self.type is float else tf.int64
    return Number(tf.cast(tf.reshape(self.tensor, [-1])[0], dtype), self.type)

  def taken(self, checks: Checks) -> tf.Tensor:
    # Whoever takes it may look at its shape or type alone, which are a tensor's.
    ok = tf.logical_not(self.is_number)
    return checks.check(self.tensor, ok, "a Python number where a tensor is needed")


@dataclasses.dataclass(frozen=True, eq=False)
class Maybe(Value):
  """None on some paths, on others a value.

  Attributes:
    value: the value; made of anything where it is None.
    is_there: bool [], whether it is not None.
  """

  has_identity = False
  value: object
  is_there: tf.Tensor

  def named(self) -> str:
    return f"{named(self.value)} or None"

  def within(self) -> Iterable[object]:
    return (self.value,)

  def is_lowered(self) -> bool:
    return True


class Scope(Local):
  """The variables of one activation of a Python function, and the scope around it.

  Attributes:
    names: the variables.
    outer: the scope around it.
    source: the `FunctionSource` it lies in.
    outer_names: the names that it declares `nonlocal` or `global`.
    local_names: those that are its own, bound or not; of what is no function, none but the bound.
    is_comprehension: whether it is a comprehension's, to which `:=` does not bind.
    is_given: whether it is one that a call was given, and not the caller's own.
  """

  is_comprehension = is_given = False

  def __init__(self, names: dict[str, Any], outer: Scope | None, source: Any):
    self.names = names
    self.outer = outer
    self.source = source
    self.outer_names: frozenset[str] = frozenset()
    self.local_names: frozenset[str] = frozenset()

  def owner(self, name: str) -> Scope | None:
    """Returns the innermost scope of which the variable is one, bound or not."""
    scope: Scope | None = self
    while scope is not None and name not in scope.names and name not in scope.local_names:
      scope = scope.outer
    return scope

  def find(self, name: str) -> Scope | None:
    """Returns the innermost scope of which the variable is one, if it is bound there."""
    scope = self.owner(name)
    return scope if scope is not None and name in scope.names else None

  def snapshot(self) -> dict[str, object]:
    """Returns the variables."""
    return dict(self.names)

  def restore(self, content: dict[str, object]) -> None:
    """Puts back the variables."""
    self.names = merged(self.names, content)


@dataclasses.dataclass(frozen=True, eq=False)
class Closure(Value):
  """A function or lambda that the program defines while it runs.

  Attributes:
    node: its `ast.FunctionDef`, after the passes.
    scope: the variables it sees.
    defaults: values of default arguments, by name.
    source: the `FunctionSource` it lies in.
  """

  is_new = True
  has_operators = False
  node: ast.FunctionDef
  scope: Scope
  defaults: dict[str, object]
  source: FunctionSource

  def named(self) -> str:
    return "function"


@dataclasses.dataclass(frozen=True, eq=False)
class BoundMethod(Value):
  """A method of the user's with the object it belongs to."""

  has_operators = False
  function: object
  owner: object

  def named(self) -> str:
    return "function"


class Partial(BoundMethod):
  """What `functools.partial` gives of a function with one more argument, the owner."""


@dataclasses.dataclass(frozen=True, eq=False)
class Builtin(Value):
  """A method of an abstract value, done by the converter.

  Attributes:
    name: for messages.
    call: takes the abstract arguments and returns the abstract result.
    functions: those of the user's of which it calls one.
    owner: the list or dict that it is a method of; None where that is not known.
  """

  has_operators = False
  name: str
  call: Callable[..., object]
  functions: tuple[object, ...] = ()
  owner: object = None

  def named(self) -> str:
    return "function"


@dataclasses.dataclass(frozen=True, eq=False)
class Undefined(Value):
  """A variable that only one branch defined."""

  name: str


@dataclasses.dataclass(frozen=True, eq=False)
class MaybeUnbound(Value):
  """A variable that only some paths defined.

  Attributes:
    name: the variable.
    value: what it is; made of anything where it is not defined.
    is_bound: bool [], whether it is defined.
  """

  name: str
  value: object
  is_bound: tf.Tensor


class Abstract(Value):
  """Base of further values that only the run knows, which can be used in one way only.

  Attributes:
    description: what messages call it.
  """

  has_identity = False
  description = ""
  has_operators = False

  def named(self) -> str:
    description = self.description or "value of the run"
    return description.removeprefix("An ").removeprefix("A ")

  def is_lowered(self) -> bool:
    return True


class Parted(Abstract):
  """What stands in a container that branches have left in forms with nothing in common."""

  description = "What branches have made of a list, dict or object"


@dataclasses.dataclass(frozen=True, eq=False)
class IntOrFloat(Abstract):
  """A Python number that is an int in some runs, or on some paths, and a float in others.

  Attributes:
    value: it as a float, which says the same: such ints have 53 bits at most, and are not -0.0.
    is_int: bool [].
  """

  value: Number
  is_int: tf.Tensor
  description = "An int or a float"

  def within(self) -> Iterable[object]:
    return (self.value, self.is_int)

  def taken(self, checks: Checks) -> tf.Tensor:
    ok = tf.logical_not(self.is_int)
    found = checks.check(self.value.tensor, ok, "an int among floats")
    return Number(found, float).taken(checks)


@dataclasses.dataclass(frozen=True, eq=False)
class Array(Abstract):
  """An array or a scalar of NumPy, or a variable of an object: TensorFlow takes it as a tensor.

  Attributes:
    tensor: its numbers.
    types: the exact types it can have; that of eager tensors among them if it is one on some paths.
    is_new: whether the program computes it, so that nobody else has the same object.
    number: what says which object of the heap it is, if that is known: the read that gave it, or
      its number, int32 [], which is `NONE` of tensors and of what the run makes.
    may_be_new: whether it may be an array that the program computes, if it has a number.
  """

  tensor: tf.Tensor
  types: frozenset[type]
  is_new: bool
  number: Ref | tf.Tensor | None = None
  may_be_new: bool = False
  description = "An array of NumPy"

  def within(self) -> Iterable[object]:
    return (self.tensor,)

  def taken(self, checks: Checks) -> tf.Tensor:
    return self.tensor


@dataclasses.dataclass(frozen=True, eq=False)
class Made(Abstract):
  """Anything, of which only the run knows what it is: an object that it made, or one of the heap.

  Attributes:
    handle: float64 []; of an object of the heap as in `Base`, of one that the run made below those.
      Gradients of what is read of the object go back through it.
    type: the class of one that the run made, where a test has found it; it stays what it is.
  """

  handle: tf.Tensor
  type: type | None = None
  description = "An old or a new object, as only the run knows"

  @property
  def key(self) -> tuple[int, str]:
    """Returns what tells it from others, where a test says which class it has."""
    return id(self.handle), "made"

  def within(self) -> Iterable[object]:
    return (self.handle,)


class Unset(Ours):
  """The value of a variable that is read only after it has been set."""


class Bottom(Exception):  # noqa: N818 - control flow, never reaches the user
  """No value on this path: it raises, or waits for a result that is not known yet."""


class Dear(Exception):  # noqa: N818 - control flow, never reaches the user
  """What is tried out may fail, costs more than a few numbers, or changes something."""


class Raises(Bottom):
  """The program raises an exception on this path."""


ABSTRACT = (tf.Tensor, Value)


def as_rows(value: object) -> Rows | None:
  """Returns the rows of a list of unknown length; None of all else."""
  content = None if isinstance(value, LocalTable) else getattr(value, "content", value)
  return content if isinstance(content, Rows) else None


def is_static(value: object) -> bool:
  """Tells whether a value is known at conversion, all through."""
  if isinstance(value, tuple):
    return all(is_static(item) for item in value)
  if isinstance(value, tf.Tensor):
    return tf.executing_eagerly() or hasattr(value, "numpy")
  return not isinstance(value, ABSTRACT)


def named(value: object) -> str:
  """Returns what messages call a value: by its Python type, none of which is ours."""
  if isinstance(value, Ours):
    return value.named()
  return "tensor" if isinstance(value, tf.Tensor) else type(value).__name__


def shown(value: object) -> str:
  """Returns what messages show of a value: itself if it is a plain constant, else its kind."""
  if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
    parts = ", ".join(map(shown, value))
    return f"({parts})" if isinstance(value, tuple) else f"[{parts}]"
  if value is None or isinstance(value, (str, int, float, bool, bytes, type)):
    return repr(value)
  name = named(value)
  return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
