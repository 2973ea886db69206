"""Which class answers for a value."""

import collections
import enum
import types

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf.convert.semantics import kinds
from recursive_tf.convert.semantics.kinds import _containers, _known, _numbers, _of_run
from recursive_tf.convert.values._abstract import LocalList, Maybe, Scope, Undefined
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Endless, Shape
from recursive_tf.convert.values._text import Text

Pair = collections.namedtuple("Pair", "a b")


class Texts(str, enum.Enum):
  A = "a"


class Table(dict):
  pass


class Claims:
  """Says that it is a list."""

  @property
  def __class__(self):
    return list


def _kept(value):
  """Returns a value as a module of TensorFlow's keeps it."""
  module = tf.Module()
  module.value = value
  return module.value


@pytest.mark.parametrize(
  "value, kind",
  [
    (1, _known.Known),
    (None, _known.Known),
    (b"a", _known.Known),
    (dict, _known.Known),
    (np.float64(1), _known.Known),
    ("a", _known.OfString),
    (Texts.A, _known.OfString),
    ((1, 2), _known.OfTuple),
    (Pair(1, 2), _known.OfTuple),
    (_kept((1, 2)), _known.OfTuple),
    ([1], _known.OfListOrDict),
    (_kept([1]), _known.OfListOrDict),
    (Table(), _known.OfListOrDict),
    (_kept({"a": 1}), _known.OfListOrDict),
    (Claims(), _known.OfListOrDict),
    ({1}, _known.OfSet),
    (frozenset(), _known.OfFrozenSet),
    (range(2), _known.OfSequence),
    (np.ones(2), _known.OfNumpy),
    (tf.TensorShape([2]), _known.OfShape),
    (tf.constant(1), _numbers.OfTensor),
    (Number(tf.constant(1), int), _numbers.OfNumber),
    (LocalList([]), _containers.OfList),
    (Text(("a",)), _of_run.OfText),
    (Shape((1, 2)), _of_run.OfRunShape),
    (Endless(0, 1), _of_run.OfAbstract),
    (Maybe(None, tf.constant(True)), _of_run.OfMaybe),
    (Undefined("x"), _of_run.OfRun),
    (Scope({}, None, None), _of_run.OfRun),
  ],
)
def test_the_class_of_a_value_or_its_nearest_base_answers(value, kind):
  ip = types.SimpleNamespace(frame=None)
  assert type(kinds.kind_of(ip, value)) is kind


def test_a_variable_answers_as_one():
  ip = types.SimpleNamespace(frame=None)
  assert type(kinds.kind_of(ip, tf.Variable(1))) is _known.OfVariable
