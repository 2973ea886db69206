"""Programs of `@rtf.recursive` functions over objects, as layers run them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf._errors import DataError, DefinitionError
from recursive_tf.convert import ConversionRefused
from recursive_tf.convert.program._packed import Packed, PackedType
from recursive_tf.datasets.pipeline import epoch_order, num_batches
from recursive_tf.keras._same_program import identity_of

_INTS = {2: tf.int16, 4: tf.int32, 8: tf.int64}


class _Kind:
  """Programs that compute the same of the same columns: any of them runs what one is fed.

  A frozen layer or loaded weights make another program of a function, though not another graph.

  Attributes:
    types: of what is packed for them, the newest last.
    identity: of their graph.
    mark: columns end with one of this size, if others before have columns of the same types. Graphs
      of Keras models are made for types of columns, and are to be made anew for another program.
    specs: of the columns.
  """

  def __init__(self, type_: PackedType, identity: object, mark: int):
    self.types = [type_]
    self.identity = identity
    self.mark = mark
    self.specs = _specs_as_fed(type_)
    self._of_mark: tuple[tf.Tensor, ...] = ()
    if mark:
      self.specs += (tf.TensorSpec([None, mark], tf.int32),)
      with tf.init_scope():
        self._of_mark = (tf.zeros([1, mark], tf.int32),)

  def columns(self, packed: Packed) -> tuple[tf.Tensor, ...]:
    """Returns the columns of what is packed for one of its programs, for a model."""
    found = [_bits(tensor, _as_fed(tensor.dtype)) for tensor in packed.tensors]
    return (*found, *self._of_mark)

  def own_columns(self, packed: Packed) -> tuple[tf.Tensor, ...]:
    """Returns the same for the layer itself, through which gradients flow to parts of objects."""
    return packed.tensors + self._of_mark

  def packed(self, columns: Sequence[tf.Tensor]) -> Packed:
    """Returns columns as what is packed for the newest program."""
    type_ = self.types[-1]  # There may be one column more.
    pairs = zip(columns, type_.specs, strict=False)
    return Packed([_bits(column, spec.dtype) for column, spec in pairs], type_)

  def takes(self, columns: Sequence[Any]) -> bool:
    """Tells whether columns are of these types."""
    return len(columns) == len(self.specs) and all(
      spec.dtype == _as_fed(column.dtype) and spec.shape.is_compatible_with(column.shape)
      for spec, column in zip(self.specs, columns, strict=True)
    )


def _specs_as_fed(type_: PackedType) -> tuple[tf.TensorSpec, ...]:
  return tuple(tf.TensorSpec(spec.shape, _as_fed(spec.dtype)) for spec in type_.specs)


def _as_fed(dtype: Any) -> tf.DType:
  """Returns the type in which models are fed: Keras casts floats to the one it computes in."""
  dtype = tf.as_dtype(dtype)
  return _INTS[dtype.size] if dtype.is_floating else dtype


def _bits(tensor: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
  return tensor if tensor.dtype == dtype else tf.bitcast(tensor, dtype)


class ObjectProgram:
  """A recursive function, and the program of it that a layer runs.

  Which columns are read of objects is found out from objects: `adapt` shows it some. All that are
  given later have to be of that kind. Where the function or the layers that it calls have changed
  since, there is another program from then on; graphs that were made before go on with theirs.
  """

  def __init__(self, function: Any):
    self._function = function
    self._kinds: list[_Kind] = []
    self._current: _Kind | None = None
    self._lock = threading.RLock()  # Data sets read objects in a thread of their own.

  @property
  def is_adapted(self) -> bool:
    """Whether there is a program yet."""
    return self._current is not None

  @property
  def specs(self) -> tuple[tf.TensorSpec, ...]:
    """Types and shapes of the columns."""
    return self._known().specs

  def adapt(self, objects: Sequence[Any]) -> None:
    """Makes the program that reads these objects, and any of their kind."""
    with self._lock:
      self._current = self._kind_of(self._pack(objects).type)

  def pack(self, objects: Sequence[Any], is_own: bool = False) -> tuple[tf.Tensor, ...]:
    """Reads objects into columns; adapts the program to them if that was not done.

    Args:
      objects: to be read.
      is_own: whether they are for the layer itself, not for a model.

    Raises:
      ConversionRefused: If the function cannot be converted.
      DataError: If they are of another kind than those it was adapted to.
    """
    self._check(objects)
    with self._lock:
      packed = None if self._current is None else self._packed_as(self._current, objects)
      if packed is None:
        packed = self._pack(objects)
        self._current = self._kind_of(packed.type)
      assert self._current is not None
      return self._current.own_columns(packed) if is_own else self._current.columns(packed)

  def unpacked(self, packed: Packed) -> tuple[tf.Tensor, ...]:
    """Returns the columns of what `f.pack` returned; errors as `pack`."""
    with self._lock:
      kind = self._kind_of(packed.type, is_kept=self._current is None)
      if self._current is None:
        self._current = kind
      if kind not in self._kinds:
        raise DataError(
          f"{self._function.__name__}: these objects were packed for another program than the"
          " layer's: they have other classes, attributes or shapes than those that it was adapted"
          " to, or it has changed since. Give the objects themselves to the layer's `pack`; where"
          " they are of other kinds, to its `adapt` before."
        )
      return kind.own_columns(packed)

  def run(self, columns: Any) -> Any:
    """Runs the program on columns, in any graph."""
    known = self._known()
    fitting = [kind for kind in reversed(self._kinds) if kind.takes(columns)]
    kind = known if known in fitting or not fitting else fitting[0]
    return self._function.map(kind.packed(tuple(columns)))

  def dataset(
    self,
    objects: Sequence[Any],
    targets: Any,
    batch_size: int,
    shuffle: bool | None,
    seed: int,
  ) -> tf.data.Dataset:
    """Returns batches (columns, targets), or (columns,); with `shuffle` in ever other orders.

    None is for targets alone: without them it is `predict` that wants the objects.
    """
    if not hasattr(objects, "__len__"):
      objects = list(objects)  # They are read anew in each pass.
    if batch_size < 1:
      raise DataError(f"dataset: batch_size must be at least 1, got {batch_size}.")
    if not len(objects):
      raise DataError("dataset: no objects; give at least one.")
    kind = self._kind_for(objects)
    labels = None if targets is None else np.asarray(targets)
    if labels is not None and len(labels) != len(objects):
      raise DataError(f"dataset: {len(objects)} objects, but {len(labels)} targets.")
    shuffle = targets is not None if shuffle is None else shuffle
    epochs = iter(range(2**31))

    def generate() -> Iterator[Any]:
      order = np.arange(len(objects))
      if shuffle:
        order = epoch_order(len(objects), seed, next(epochs))
      for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        columns = self._columns_of(kind, [objects[i] for i in chosen])
        # Columns in a tuple: Keras takes a bare pair for inputs and targets.
        yield (columns,) if labels is None else (columns, labels[chosen])

    signature: tuple[Any, ...] = (kind.specs,)
    if labels is not None:
      signature += (tf.TensorSpec([None, *labels.shape[1:]], labels.dtype),)
    found = tf.data.Dataset.from_generator(generate, output_signature=signature)
    count = num_batches(len(objects), batch_size)
    return found.apply(tf.data.experimental.assert_cardinality(count)).prefetch(1)

  def _known(self) -> _Kind:
    if self._current is None:
      raise DefinitionError(
        f"{self._function.__name__} has no program yet: which columns it reads is found out from"
        " objects. Call the layer's `adapt(objects)`, or `dataset(objects, ...)`, before it is"
        " used in a model."
      )
    return self._current

  def _kind_for(self, objects: Sequence[Any]) -> _Kind:
    """Returns the kind of the program as it is now; adapts it if that has to be done."""
    with self._lock:
      if self._current is None or self._packed_as(self._current, [objects[0]]) is None:
        self.adapt(objects)
      return self._known()

  def _columns_of(self, kind: _Kind, objects: Sequence[Any]) -> tuple[tf.Tensor, ...]:
    """Reads a batch of a data set, whose columns stay of one kind."""
    with self._lock:
      packed = self._packed_as(kind, objects)
      if packed is None:
        packed = self._pack(objects)
        now = self._kind_of(packed.type)
        if now is not kind:
          raise DataError(
            f"{self._function.__name__} has changed since the data set was made, or what it reads"
            " outside of the objects has: this needs another program. Make the data set anew."
          )
      return kind.columns(packed)

  def _packed_as(self, kind: _Kind, objects: Sequence[Any]) -> Packed | None:
    """Reads objects for a program of a kind; None if what the programs rely on has changed."""
    for type_ in reversed(kind.types):
      try:
        packed: Packed | None = self._function.pack_as(type_, objects)
      except DataError as error:
        raise DataError(
          f"{error} No such thing was among the objects that the layer was adapted to. Mend the"
          " object; if such objects belong there, call `adapt` with objects of all kinds first."
        ) from None
      if packed is not None:
        return packed
    return None

  def _kind_of(self, type_: PackedType, is_kept: bool = True) -> _Kind:
    """Returns the kind of a program; a new one, which is kept or not, if there is none like it."""
    for kind in self._kinds:
      if any(type_ is known for known in kind.types):
        return kind
    identity = identity_of(self._function.graph_of(type_))
    # A graph that is fed ints takes bits of floats for ints: these are alike, too.
    fed = _specs_as_fed(type_)
    alike = [kind for kind in self._kinds if _specs_as_fed(kind.types[0]) == fed]
    for kind in alike:
      if kind.types[0].specs == type_.specs and kind.identity == identity:
        kind.types.append(type_)
        return kind
    made = _Kind(type_, identity, len(alike))
    if is_kept:
      self._kinds.append(made)
    return made

  def _check(self, objects: Sequence[Any]) -> None:
    if not len(objects):
      raise DataError(f"{self._function.__name__}: no objects; give at least one.")

  def _pack(self, objects: Sequence[Any]) -> Packed:
    self._check(objects)
    objects = list(objects)
    not_run = iter(objects)
    has_run = False
    while True:
      try:
        return self._function.pack(objects)
      except ConversionRefused as refusal:
        if refusal.unbuilt is None and has_run:
          raise
        # Layers that have no weights yet make them in a plain run; that is the only cure there is.
        if not self._is_built_by(not_run, refusal.unbuilt):
          raise
        has_run = True

  def _is_built_by(self, objects: Iterator[Any], layer: Any) -> bool:
    """Runs plain Python over objects until a layer has weights; over one if no layer is known."""
    function = getattr(self._function, "__func__", self._function)
    for one in objects:
      function._run_plain(lambda one=one: self._function.python(one))
      if layer is None or layer.built:
        return True
    return False
