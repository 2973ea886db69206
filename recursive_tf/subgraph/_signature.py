"""Signatures: the nests of tensors that a SubGraph takes and returns, and their checks."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import tensorflow as tf

from recursive_tf import _tf_internals as tfi
from recursive_tf._errors import SignatureError

_OUR_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_TF_FOLDER = os.path.dirname(os.path.abspath(tf.__file__))
_NOT_THE_USERS = (_OUR_FOLDER, _TF_FOLDER, "<")
_GENERATED_FILE = "__autograph_generated_file"  # What AutoGraph makes of a user's function.


def is_the_users(path: str) -> bool:
  """Tells whether a file is neither recursive_tf's nor TensorFlow's, nor made by them."""
  is_generated = os.path.basename(path).startswith(_GENERATED_FILE)
  return not path.startswith(_NOT_THE_USERS) and not is_generated


def user_location() -> str:
  """Returns `file:line` of the innermost stack frame outside recursive_tf and TensorFlow."""
  frame: FrameType | None = sys._getframe(1)
  while frame is not None:
    path = frame.f_code.co_filename
    if os.path.basename(path).startswith(_GENERATED_FILE):
      return _location_before_autograph()
    if not path.startswith(_NOT_THE_USERS):
      return f"{os.path.basename(path)}:{frame.f_lineno}"
    frame = frame.f_back
  return "unknown"


def _location_before_autograph() -> str:
  for entry in reversed(tfi.extract_stack()):
    if is_the_users(entry.filename):
      return f"{os.path.basename(entry.filename)}:{entry.lineno}"
  return "unknown"


def location_of(op: tfi.Operation) -> str:
  """Returns `file:line` of the user's code that made an op."""
  for entry in reversed(getattr(op, "traceback", None) or []):
    if is_the_users(entry.filename):
      return f"{os.path.basename(entry.filename)}:{entry.lineno}"
  return "unknown"


@dataclasses.dataclass(frozen=True)
class Signature:
  """A nest of tensors by structure and specs.

  Attributes:
    structure: the nest, with a `tf.TensorSpec` or composite spec at each leaf.
    specs: the flat tensor specs, composites expanded.
  """

  structure: Any
  specs: tuple[tf.TensorSpec, ...]

  @classmethod
  def of(cls, nest: Any) -> Signature:
    """Returns the signature of a nest of tensors or specs."""
    structure = tf.nest.map_structure(_spec_of, nest)
    flat = tf.nest.flatten(structure, expand_composites=True)
    return cls(structure, tuple(_anonymous(spec) for spec in flat))

  @property
  def dtypes(self) -> list[tf.DType]:
    """The flat types."""
    return [spec.dtype for spec in self.specs]

  @property
  def shapes(self) -> list[tf.TensorShape]:
    """The flat shapes."""
    return [spec.shape for spec in self.specs]

  def mapped_shapes(self) -> list[tf.TensorShape]:
    """The flat shapes behind one unknown leading dimension."""
    return [tf.TensorShape([None]).concatenate(shape) for shape in self.shapes]

  def refined_by(self, tensors: list[tf.Tensor]) -> Signature:
    """Returns this signature with what the shapes of `tensors`, which have it, say beyond it."""
    specs = [
      tf.TensorSpec(spec.shape.merge_with(tensor.shape), spec.dtype)
      for spec, tensor in zip(self.specs, tensors, strict=True)
    ]
    return Signature(self.structure, tuple(specs))

  def pack(self, tensors: list[tf.Tensor]) -> Any:
    """Returns flat `tensors` in the structure of this signature."""
    return tf.nest.pack_sequence_as(self.structure, tensors, expand_composites=True)

  def flatten(
    self,
    values: Any,
    what: str,
    fix: str,
    mapped: bool = False,
    positions: Sequence[int] | None = None,
  ) -> list[tf.Tensor]:
    """Converts a nest of values to flat tensors of this signature.

    In a graph less may be known of a tensor's shape than this signature says. Then the run checks
    it, by an op that is named after the value, as TensorFlow's error is.

    Args:
      values: the nest.
      what: names the values in messages, such as "SubGraph 'f' call site (m.py:3): argument".
      fix: ends each message: what to do about a mismatch.
      mapped: whether each value has one leading dimension more.
      positions: what messages call the flat values; None for their own places.

    Returns:
      The flat tensors.

    Raises:
      SignatureError: If structure, types or shapes differ.
    """
    named = range(len(self.specs)) if positions is None else positions
    tensors = self._convert(values, what, fix, mapped, named)
    shapes = self.mapped_shapes() if mapped else self.shapes
    return [
      tensor if tensor.shape.is_subtype_of(shape) else _checked(tensor, shape, f"{what} {position}")
      for position, tensor, shape in zip(named, tensors, shapes, strict=True)
    ]

  def check(self, values: Any, what: str, fix: str, mapped: bool = False) -> None:
    """Checks a nest of tensors of a complete graph, in which no op can check them any more.

    Args:
      values: the nest.
      what: as for `flatten`.
      fix: as for `flatten`.
      mapped: as for `flatten`.

    Raises:
      SignatureError: If structure, types or shapes differ, or shapes may.
    """
    tensors = self._convert(values, what, fix, mapped, range(len(self.specs)))
    shapes = self.mapped_shapes() if mapped else self.shapes
    for position, (tensor, shape) in enumerate(zip(tensors, shapes, strict=True)):
      if not tensor.shape.is_subtype_of(shape):
        raise SignatureError(
          f"{what} {position} has shape {tensor.shape}, which may be another than {shape}. {fix}"
        )

  def _convert(
    self, values: Any, what: str, fix: str, mapped: bool, positions: Sequence[int]
  ) -> list[tf.Tensor]:
    """Returns `flatten`'s tensors; of their shapes is checked what is known."""
    try:
      flat = self._flat_values(values)
    except (ValueError, TypeError, NotImplementedError) as error:  # The last of a memoryview.
      raise SignatureError(
        f"{what} has structure {_describe(values)}, expected {_describe(self.structure)}. {fix}"
      ) from error
    tensors = []
    for position, value, spec in zip(positions, flat, self.specs, strict=True):
      name = f"{what} {position}"
      try:
        tensor = tf.convert_to_tensor(value, dtype=None if _is_tensor(value) else spec.dtype)
      except (ValueError, TypeError, tf.errors.InvalidArgumentError) as error:
        raise SignatureError(
          f"{name} cannot be made a tensor of type {spec.dtype.name}: {error}. {fix}"
        ) from error
      shape = tf.TensorShape([None]).concatenate(spec.shape) if mapped else spec.shape
      if tensor.dtype != spec.dtype:
        raise SignatureError(
          f"{name} has type {tensor.dtype.name}, expected {spec.dtype.name}. {fix}"
        )
      if not tensor.shape.is_compatible_with(shape):
        raise SignatureError(f"{name} has shape {tensor.shape}, expected {shape}. {fix}")
      tensors.append(tensor)
    return tensors

  def _flat_values(self, values: Any) -> list[Any]:
    try:
      tf.nest.assert_same_structure(self.structure, values, expand_composites=True)
      return tf.nest.flatten(values, expand_composites=True)
    except (ValueError, TypeError, NotImplementedError):
      pass  # A Python list may stand for a tensor; `flatten_up_to` knows no dataclasses.
    flat: list[Any] = []
    leaves = tf.__internal__.nest.flatten_up_to(self.structure, values)
    for spec, leaf in zip(tf.nest.flatten(self.structure), leaves, strict=True):
      if tf.nest.is_nested(leaf) and not isinstance(leaf, (list, tuple)):
        raise TypeError(f"a {type(leaf).__name__} cannot stand for a tensor")
      flat += [leaf] if isinstance(spec, tf.TensorSpec) else _components(leaf, spec)
    return flat

  def relaxed_to(self, other: Signature) -> Signature | None:
    """Returns the most specific signature that covers both, None if there is none."""
    try:
      tf.nest.assert_same_structure(self.structure, other.structure, expand_composites=True)
    except (ValueError, TypeError):
      return None
    if self.dtypes != other.dtypes:
      return None
    specs = [
      tf.TensorSpec(_common_shape(a.shape, b.shape), a.dtype)
      for a, b in zip(self.specs, other.specs, strict=True)
    ]
    return Signature(self.structure, tuple(specs))


def num_arguments(number: int) -> str:
  """Returns how many arguments there are, in words of messages."""
  return "1 argument" if number == 1 else f"{number} arguments"


def _checked(tensor: tf.Tensor, shape: tf.TensorShape, name: str) -> tf.Tensor:
  """Returns `tensor`, of which a run fails that finds another shape; `name` is in the error."""
  op_name = re.sub(r"[^A-Za-z0-9.]+", "_", name).strip("_")  # What may be in the name of an op.
  return tf.ensure_shape(tensor, shape, name=op_name)


def _common_shape(a: tf.TensorShape, b: tf.TensorShape) -> tf.TensorShape:
  if a.rank is None or b.rank is None or a.rank != b.rank:
    return tf.TensorShape(None)
  return tf.TensorShape([m if m == n else None for m, n in zip(a, b, strict=True)])


def _components(value: Any, spec: tf.TypeSpec) -> list[tf.Tensor]:
  """Returns the tensors of a composite value."""
  tf.nest.assert_same_structure(spec, value, expand_composites=True)
  return tf.nest.flatten(value, expand_composites=True)


def _is_tensor(value: Any) -> bool:
  return isinstance(value, (tf.Tensor, tf.Variable))


def _spec_of(value: Any) -> Any:
  if isinstance(value, tf.TypeSpec):
    return value
  if not isinstance(value, tf.__internal__.CompositeTensor):
    value = tf.convert_to_tensor(value)
  return tf.type_spec_from_value(value)


def _anonymous(spec: tf.TensorSpec) -> tf.TensorSpec:
  return tf.TensorSpec(spec.shape, spec.dtype)


def _describe(nest: Any) -> str:
  def leaf(value: Any) -> str:
    shape: Any = getattr(value, "shape", None)
    dtype: Any = getattr(value, "dtype", None)
    return f"{dtype.name}{shape}" if hasattr(dtype, "name") else type(value).__name__

  try:
    return str(tf.nest.map_structure(leaf, nest))
  except (ValueError, TypeError, NotImplementedError):  # A sequence to Python, not to TensorFlow.
    return str(tuple(type(value).__name__ for value in nest))
