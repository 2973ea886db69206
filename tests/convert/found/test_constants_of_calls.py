"""What is a constant among the arguments of a call over objects is that of this call.

Constants of every kind, those of classes derived from strings among them, in turn, by place, by
name and as the first argument.
"""

import collections
import enum
import functools
import types

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


class Text(str):
  pass


class Marked(str):
  """A string that has an attribute: equal ones differ."""

  def __new__(cls, text, mark):
    made = super().__new__(cls, text)
    made.mark = mark
    return made


class Same(str):
  """A string that equals all others."""

  def __eq__(self, other):
    return True

  def __hash__(self):
    return 1


class Bytes(bytes):
  pass


class Kind(str, enum.Enum):
  A = "a"
  B = "bc"


class Number(int):
  pass


class Scale:
  def __init__(self, factor):
    self.factor = factor


def _module(size):
  made = types.ModuleType("made")
  made.size = size
  return made


# By name: two or more constants, and what is computed of one, `c`, and a number.
CONSTANTS = {
  "texts": ([Text("a"), Text("bc"), Text("")], lambda c: len(c)),
  "marked": ([Marked("a", 1), Marked("a", 2)], lambda c: c.mark),
  "equal": ([Same("a"), Same("bc")], lambda c: len(c)),
  "bytes": ([Bytes(b"a"), Bytes(b"bc")], lambda c: len(c)),
  "members": (list(Kind), lambda c: len(c.value)),
  "strings": (["a", "bc"], lambda c: len(c)),
  "numbers": ([Number(1), Number(2)], lambda c: c * 2),
  "modules": ([_module(1), _module(2)], lambda c: c.size),
  "optimizers": ([tf.keras.optimizers.SGD(k) for k in (0.5, 2.0)], lambda c: c.learning_rate),
  "types": ([tf.float32, tf.float64], lambda c: c.size),
  "types of numpy": ([np.dtype("int8"), np.dtype("int64")], lambda c: c.itemsize),
  "functions": ([abs, float], lambda c: c(-1)),
  "classes": ([Text, Bytes], lambda c: c is Text),
  "partials": ([functools.partial(max, k) for k in (3, 5)], lambda c: c(1)),
  "objects": ([Scale(1), Scale(2)], lambda c: c.factor),
  "counters": ([collections.Counter("a"), collections.Counter("bb")], lambda c: c.get("b", 0)),
  "shapes": ([tf.TensorShape([1]), tf.TensorShape([2])], lambda c: c[0]),
  "slices": ([slice(1), slice(2)], lambda c: len([1, 2, 3][c])),
  "ranges": ([range(1), range(2)], lambda c: len(c)),
  "complex": ([1j, 2j], lambda c: abs(c)),
}


class Node:
  def __init__(self, number):
    self.number = number


def _outcome(function, *args, **kwargs):
  try:
    return repr(function(*args, **kwargs))
  except Exception as error:
    return type(error).__name__


PLACES = {
  "second": lambda f, c: _outcome(f, Node(3), c),
  "by name": lambda f, c: _outcome(f, n=Node(3), c=c),
  "first": lambda f, c: _outcome(f, c, Node(3)),
}


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", CONSTANTS)
def test_a_constant_is_that_of_the_call(kind, place, decorate):
  constants, use = CONSTANTS[kind]
  if place == "first":
    plain = lambda c, n: (use(c), n.number)  # noqa: E731
  else:
    plain = lambda n, c: (use(c), n.number)  # noqa: E731
  converted = decorate(plain, verify=False)
  for constant in [*constants, *constants, constants[0], *reversed(constants)]:
    assert PLACES[place](converted, constant) == PLACES[place](plain, constant)


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize("kind", ["texts", "marked", "equal", "bytes", "members", "strings"])
def test_a_constant_alone_is_that_of_the_call(kind, decorate):
  constants, use = CONSTANTS[kind]
  converted = decorate(lambda c: (use(c), c), verify=False)
  for constant in [*constants, *constants, constants[0]]:
    assert _outcome(converted, constant) == _outcome(lambda c: (use(c), c), constant)


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
def test_many_new_texts_are_each_their_own(decorate):
  converted = decorate(lambda c: (len(c), c), verify=False)
  for i in range(40):
    assert repr(converted(Text("x" * i))) == repr((i, "x" * i))
