"""Reads Python objects into columns; kernels/python is the source.

A *walk* visits every object that handle and items columns reach from the roots, gives each a row,
and fills its columns. A *handle* is a row number; -1 stands for None and -2 for missing, which
says that Python would raise AttributeError, IndexError, KeyError or TypeError there; or, where a
str is read as a number or its methods are called, ValueError or OverflowError. Objects are
told apart by identity: a shared object has one row, and a cycle ends.

A column is `(kind, index, path, *more)`:

| kind     | value                      | goes to                                               |
|----------|----------------------------|-------------------------------------------------------|
| `handle` | object of a listed type    | int column `index`: its handle                        |
| `items`  | list or tuple of such      | int columns `index`, `index + 1`: start and length of |
|          |                            | a range of `items`; no range has length -1 or -2      |
| `int`    | exact int within int32     | int column `index`                                    |
| `bool`   | exact bool                 | int column `index`: 0 or 1                            |
| `float`  | exact float                | float column `index`                                  |
| `str`    | exact str                  | string column `index`                                 |
| `tensor` | anything                   | tensor column `index`, a list of different objects;   |
|          |                            | `more[0]` is the int column for the place in it       |
| `types`  | object of one of the exact | nowhere: another one is a surprise; `index` is 0,     |
|          | types                      | `more[0]` a tuple of types, `NoneType` among them     |
|          |                            | unless None is a surprise                             |
| `item    | list or tuple of such; of  | nowhere, as `types`                                   |
| types`   | others nothing is asked    |                                                       |

Value kinds (from `int` on) may end in `?`: the last of `more` is then an int column for the status,
0 ok, 1 None, 2 missing. Without it, None and missing are a surprise. `types?` is not surprised by
missing, and has no status. Rows of a type that does not
list a column have there what missing has: -2, length -2, status 2, and 0, 0.0, "" or place -1. An
int column must hold the same for all types.

A path is a tuple of steps, each applied to what the one before gave, the first to the object. Paths
of a type that begin alike share these reads. On missing every step gives missing.

| step                        | gives                                                             |
|-----------------------------|-------------------------------------------------------------------|
| `("attr", name)`            | `getattr`; of None, missing                                       |
| `("item", key)`             | item of a list, tuple or dict, by the builtin's own `__getitem__` |
|                             | also in types derived from it, or of a str; of None, missing      |
| `("len",)`                  | length of a builtin container, derived types as above             |
| `("isinstance", classes)`   | whether the type is one of a tuple of classes, or derived         |
| `("truth",)`                | `bool(value)` of what does not define its own                     |
| `("eq", constant)`          | `value == constant`; both str, int, bool, float or None           |
| `("lookup", dict)`          | `dict[value]`                                                     |
| `("lookup", dict, default)` | `dict.get(value, default)`                                        |
| `("in", container)`         | `value in container`: dict, set, frozenset, tuple or list         |
| `("call", name, *args)`     | a method of str; arguments are str, int, bool, float or None      |
| `("int",)`, `("float",)`    | `int(value)`, `float(value)` of a str, int, bool or float         |
| `("id",)`                   | `id(value)`; of None, missing                                     |
| `("keys",)`, `("values",)`  | a list of a dict's, by the builtin's own method; of None, missing |
| `("children", cls)`         | what `ast.iter_child_nodes` gives of a node, which is a `cls`, as |
|                             | a list; of None, missing                                          |
| `("method", name, found)`   | True if `getattr` gives what the class has for the name, `found`, |
|                             | bound to the object; else missing                                 |

Other exceptions than the four named, raised by what the walk reads, come out of `walk`.
"""

from collections.abc import Sequence
from typing import Any, final

from _typeshed import structseq

@final
class Rows(structseq[Any], tuple[Any, ...]):
  """What a walk found: N rows with K int, F float columns, M items in all, R roots.

  Attributes:
    ints: int32 [N, K].
    floats: float64 [N, F].
    strings: per string column a list of N.
    tensors: per tensor column its different objects, in the order they came.
    items: int32 [M], handles; items columns are ranges of it.
    objects: the N objects in the order they were met: one root is done before the next begins,
      and of what was met the last is read first.
    roots: int32 [R], handles.
  """

  @property
  def ints(self) -> bytearray: ...
  @property
  def floats(self) -> bytearray: ...
  @property
  def strings(self) -> list[list[str]]: ...
  @property
  def tensors(self) -> list[list[Any]]: ...
  @property
  def items(self) -> bytearray: ...
  @property
  def objects(self) -> list[Any]: ...
  @property
  def roots(self) -> bytearray: ...

@final
class Surprise(structseq[Any], tuple[Any, ...]):
  """The first read that is not what the columns say; the walk stopped there.

  Attributes:
    reason: "type", no columns are known for the exact type of `value`; "missing"; "none"; "kind",
      `value` is of another type than the column; "range", an int outside int32; "unsupported",
      a step would have to run code of `value`'s type; "fresh", reads gave more objects that nothing
      else holds than a walk takes (2**19): each may give further ones without end.
    object: the object that was read; None if a root is the surprise.
    path: the path of the column, with a last step `("item", i)` for an element of an items column.
    column: the place in the columns of the object's type; -1 if a root is the surprise.
    value: what was found, for "unsupported" what the step was applied to; None if missing.
  """

  @property
  def reason(self) -> str: ...
  @property
  def object(self) -> Any: ...
  @property
  def path(self) -> tuple[tuple[Any, ...], ...]: ...
  @property
  def column(self) -> int: ...
  @property
  def value(self) -> Any: ...

@final
class Walker:
  """Reads objects of known types. Keeps its memory from one walk to the next.

  May be used by several threads, and by the code that a read attribute runs.
  """

  def __new__(
    cls,
    types: Sequence[tuple[type, Sequence[tuple[Any, ...]]]],
    num_int_columns: int,
    num_float_columns: int,
    num_string_columns: int,
    num_tensor_columns: int,
  ) -> Walker:
    """Compiles the columns of each type.

    Raises:
      ValueError: A column or a step is none, or two do not fit together.
      TypeError: An argument has the wrong type.
    """

  def walk(self, roots: Sequence[Any], /) -> Rows | Surprise:
    """Visits what is reachable from the roots and fills the columns."""

class Identities:
  """What was found at places, to compare by identity with what is there later.

  Of what it compares it runs no code, but for `attribute`, which reads as `getattr` does, and for
  keys and `__dict__` of classes that have code of their own for them.
  """

  def __new__(cls, entries: tuple[tuple[Any, ...], ...]) -> Identities:
    """Takes over what is to be found.

    Args:
      entries: each one of
        `("elements", list, elements)`,
        `("items", dict, keys, values)`, in its order,
        `("attributes", object, type, size, names, values)`: the exact type, how many attributes its
        `__dict__` has, and what those of the names are,
        `("names", dict, size, names, values)`: how many items it has, negative if that may change;
        what is under the first names; the others are not there,
        `("attribute", object, name, value)`,
        `("type", object, type)`, exactly.
        All elements, keys, names and values but the last two's are tuples.

    Raises:
      TypeError: An entry is none of these.
      Exception: What reading an object's `__dict__` raises.
    """

  def first_other(self, start: int, /) -> int:
    """Returns the number of the first entry from `start` on that does not hold; -1 if all do.

    Raises:
      BaseException: What reading raises that is no Exception; one says that it does not hold.
    """
