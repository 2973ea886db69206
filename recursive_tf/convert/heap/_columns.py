"""The columns of a program: what it reads of objects, and where in the run's tensors it lies.

A row is an object, a column a path of reads from there. Integers, handles and positions share one
int32 matrix, so that a frame reads all it needs of an object in one gather.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import tensorflow as tf

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.values._abstract import Path
from recursive_tf.convert.values._forms import join_shapes

NONE, MISSING = -1, -2  # Handles of what is no object.
# Kinds of columns and how many ints each takes; "?" adds one that says whether a value is there.
HANDLE, ITEMS, INT, BOOL, FLOAT, STR, TENSOR = (
  "handle",
  "items",
  "int",
  "bool",
  "float",
  "str",
  "tensor",
)
PRESENT, IS_NONE, IS_MISSING = 0, 1, 2


@dataclasses.dataclass
class Column:
  """One column.

  Attributes:
    kind: one of the kinds above, with "?" if it may be None or missing.
    path: the reads.
    index: its first place among its kind's own: ints, floats or strings.
    state: its place in the ints that says whether a value is there; None without "?".
    pointer: for tensors, its place in the ints that numbers the distinct arrays.
    types: the exact types of objects that are read this way.
    spec: of tensors, what is stacked.
  """

  kind: str
  path: Path
  index: int
  state: int | None = None
  pointer: int | None = None
  types: set[type] = dataclasses.field(default_factory=set)
  spec: tf.TensorSpec | None = None


class Columns:
  """All columns of a program, in the order in which they were asked for.

  Attributes:
    are_final: whether what a run is fed is settled, so that there can be no further column.
  """

  def __init__(self) -> None:
    self.all: dict[tuple[str, Path], Column] = {}
    self.num_ints = 0
    self.num_floats = 0
    self.num_strings = 0
    self.tensors: list[Column] = []
    self.uses_items = False
    self.are_final = False

  def column(
    self, kind: str, path: Path, types: Iterable[type], spec: tf.TensorSpec | None = None
  ) -> Column:
    """Returns the column of a kind and path, making it if need be, for objects of these types.

    Raises:
      ConversionRefused: If there is none, and they are final.
    """
    found = self.all.get((kind, path))
    if found is None:
      self.check_open()
      found = self.all[(kind, path)] = self._make(kind, path)
    found.types |= set(types)
    if spec is not None:
      shape = spec.shape if found.spec is None else join_shapes(found.spec.shape, spec.shape)
      found.spec = tf.TensorSpec(shape, spec.dtype)
    return found

  def check_open(self) -> None:
    """Refuses a program that is to be fed what its trial did not ask for."""
    if self.are_final:
      raise ConversionRefused.of(Reason.NOT_SETTLED, "The program differs from its trial.")

  def _make(self, kind: str, path: Path) -> Column:
    plain = kind.removesuffix("?")
    if plain == FLOAT:
      column = Column(kind, path, self.num_floats)
      self.num_floats += 1
    elif plain == STR:
      column = Column(kind, path, self.num_strings)
      self.num_strings += 1
    elif plain == TENSOR:
      column = Column(kind, path, len(self.tensors), pointer=self._int())
      self.tensors.append(column)
    else:
      column = Column(kind, path, self._int())
      if plain == ITEMS:
        self._int()
        self.uses_items = True
    if kind.endswith("?"):
      column.state = self._int()
    return column

  def _int(self) -> int:
    self.num_ints += 1
    return self.num_ints - 1

  def signature(self) -> tuple[object, ...]:
    """Returns what two programs with the same layout have in common."""
    return tuple(
      (column.kind, column.path, frozenset(column.types), column.spec and str(column.spec))
      for column in self.all.values()
    )


def path_text(path: Path) -> str:
  """Returns a path as the user wrote it, from `object` on."""
  text = "object"
  for step in path:
    if step[0] == "attr":
      text += f".{step[1]}"
    elif step[0] in ("item", "lookup"):
      text += f"[{step[1]!r}]" if step[0] == "item" else "[...]"
    else:
      text += f".{step[0]}"
  return text
