"""What holds on one path through a body, and what truth values say."""

from __future__ import annotations

import dataclasses
from typing import TypeVar

import tensorflow as tf

from recursive_tf.convert.values._abstract import Local, Made, Ref, Weak
from recursive_tf.convert.values._scalars import Scalar

T = TypeVar("T")
LocalT = TypeVar("LocalT", bound=Local)
# What a value's types are, or an object that is of the same class.
Fact = tuple[Ref | Scalar | Weak | Made, frozenset[type] | Ref]


@dataclasses.dataclass
class Layer:
  """What holds in one branch.

  Attributes:
    memo: values read already.
    narrowed: types that a test has narrowed.
    expected: the same of what is read again, by what it was computed under.
    alike: pairs of objects that are of one class.
    demands: bools that must all be true, or the run fails, whatever becomes of other values.
    computed: what the program computed, used or not.
    reads: what the program read that may not be there, used or not.
    checked: keys of the reads that are checked, once they are used.
    items: the owner of items that are written, and their keys, by what reads the owner.
  """

  memo: dict[object, object] = dataclasses.field(default_factory=dict)
  narrowed: dict[tuple[int, object], frozenset[type]] = dataclasses.field(default_factory=dict)
  expected: dict[object, frozenset[type]] = dataclasses.field(default_factory=dict)
  alike: list[tuple[Ref, Ref]] = dataclasses.field(default_factory=list)
  demands: list[tf.Tensor] = dataclasses.field(default_factory=list)
  computed: list[tf.Tensor] = dataclasses.field(default_factory=list)
  reads: list[Ref] = dataclasses.field(default_factory=list)
  checked: set[object] = dataclasses.field(default_factory=set)
  items: dict[object, tuple[Ref, set[object]]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Meaning:
  """What a truth value says about types, if true and if false."""

  number: object
  if_true: list[Fact]
  if_false: list[Fact]
