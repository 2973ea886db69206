"""Values answer for themselves: a class for each kind, with all that a program can do with it.

What a value is asked here has been resolved before: see `frame/_kind.py`. A kind of value that is
not in the table below is a Python object, known at conversion.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._kind import Kind
from recursive_tf.convert.semantics._attributes import Super
from recursive_tf.convert.semantics.kinds import _containers, _heap, _known, _numbers, _of_run
from recursive_tf.convert.values._abstract import (
  Abstract,
  Array,
  BoundMethod,
  Builtin,
  Closure,
  IntOrFloat,
  Local,
  LocalDict,
  LocalList,
  LocalObject,
  LocalTable,
  Made,
  Maybe,
  MaybeUnbound,
  Ref,
  Rows,
  Undefined,
  Weak,
)
from recursive_tf.convert.values._either import PythonOrNumpy
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import ByKey, ByType, RowGradient, Shape, Slice
from recursive_tf.convert.values._scalars import Scalar
from recursive_tf.convert.values._text import Text
from recursive_tf.convert.values._value import nearest

# By class of the value, or the nearest of its bases.
_KINDS = types.MappingProxyType[type, type[_known.Known[Any]]](
  {
    Number: _numbers.OfNumber,
    IntOrFloat: _numbers.OfIntOrFloat,
    Weak: _numbers.OfWeak,
    Scalar: _numbers.OfScalar,
    Array: _numbers.OfArray,
    PythonOrNumpy: _numbers.OfEither,
    tf.Tensor: _numbers.OfTensor,
    Ref: _heap.OfRef,
    Rows: _containers.OfRows,
    LocalList: _containers.OfList,
    LocalDict: _containers.OfDict,
    LocalTable: _containers.OfTable,
    LocalObject: _containers.OfObject,
    Closure: _of_run.OfClosure,
    BoundMethod: _of_run.OfMethod,
    Builtin: _of_run.OfBuiltin,
    Super: _of_run.OfSuper,
    Maybe: _of_run.OfMaybe,
    Made: _of_run.OfMade,
    Text: _of_run.OfText,
    Shape: _of_run.OfRunShape,
    Slice: _of_run.OfSlice,
    ByKey: _of_run.OfEntry,
    ByType: _of_run.OfByType,
    RowGradient: _of_run.OfRowGradient,
    Abstract: _of_run.OfAbstract,
    Local: _of_run.OfRun,
    Undefined: _of_run.OfRun,
    MaybeUnbound: _of_run.OfRun,
    tuple: _known.OfTuple,
    str: _known.OfString,
    range: _known.OfSequence,
    list: _known.OfListOrDict,
    dict: _known.OfListOrDict,
    set: _known.OfSet,
    frozenset: _known.OfFrozenSet,
    np.ndarray: _known.OfNumpy,
    tf.TensorShape: _known.OfShape,
    tf.Variable: _known.OfVariable,
    object: _known.Known,
  }
)


def kind_of(ip: Host, value: object) -> Kind:
  """Returns a value as what answers for it."""
  if isinstance(value, Ref):
    ip.frame.settle(value)
  return nearest(_KINDS, value)(ip, value)
