"""Lists with numbers of the run as TensorFlow takes them: none is rounded twice, or overflows."""

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, of_one

_DOUBLES = tf.constant([0.1, 0.7], tf.float64)
_HALVES = tf.constant([0.1, 0.7], tf.float16)
_LONGS = tf.constant([1, 2**40], tf.int64)

# What takes a list of two numbers: `a` and `b`.
_TAKES = {
  "constant": lambda a, b: tf.constant([a, b]),
  "constant of doubles": lambda a, b: tf.constant([a, b], tf.float64),
  "constant of halves": lambda a, b: tf.constant([a, b], dtype=tf.float16),
  "constant of bfloats": lambda a, b: tf.constant([a, b], tf.bfloat16),
  "constant of longs": lambda a, b: tf.constant([a, b], tf.int64),
  "nested": lambda a, b: tf.constant([[a], (b,)]),
  "convert": lambda a, b: tf.convert_to_tensor([a, b]),
  "convert to doubles": lambda a, b: tf.convert_to_tensor([a, b], tf.float64),
  "convert to doubles by name": lambda a, b: tf.convert_to_tensor((a, b), dtype="float64"),
  "convert to halves": lambda a, b: tf.convert_to_tensor([a, b], tf.float16),
  "convert to longs": lambda a, b: tf.convert_to_tensor([a, b], tf.int64),
  "hint of doubles": lambda a, b: tf.convert_to_tensor([a, b], dtype_hint=tf.float64),
  "stack": lambda a, b: tf.stack([a, b]),
  "stack with doubles": lambda a, b: tf.stack([a, _DOUBLES[0]]),
  "concat with doubles": lambda a, b: tf.concat([[a], _DOUBLES, [b]], 0),
  "concat with halves": lambda a, b: tf.concat([[a, b], _HALVES], 0),
  "concat with longs": lambda a, b: tf.concat([[a, b], _LONGS], 0),
  "doubles + list": lambda a, b: _DOUBLES + [a, b],
  "list * doubles": lambda a, b: [a, b] * _DOUBLES,
  "halves - list": lambda a, b: _HALVES - [a, b],
  "longs + list": lambda a, b: _LONGS + [a, b],
  "add": lambda a, b: tf.add(_DOUBLES, [a, b]),
  "maximum": lambda a, b: tf.maximum([a, b], _DOUBLES),
  "where": lambda a, b: tf.where([True, False], [a, b], _DOUBLES),
  "tensordot": lambda a, b: tf.tensordot(_DOUBLES, [a, b], 1),
  "sum": lambda a, b: tf.reduce_sum([a, b]),
  "cast": lambda a, b: tf.cast([a, b], tf.float64),
  "cast to halves": lambda a, b: tf.cast([a, b], tf.float16),
  "one number": lambda a, b: (tf.convert_to_tensor(a, tf.float64), _DOUBLES * a, tf.fill([1], b)),
}
# The second number, beside one that only the run knows.
_BESIDE = {
  "of the run": lambda n: n.v,
  "one": lambda n: 1,
  "half": lambda n: 0.3,
  "long": lambda n: 2**40,
  "too long": lambda n: 2**63,
  "negative": lambda n: -(2**31) - 1,
  "large": lambda n: 1e40,
  "infinite": lambda n: float("inf"),
}
# What nodes have.
_VALUES = {
  "floats": (0.1, 2.7, 1 / 3),
  "ints": (1, 2, 7),
  "long ints": (1, 2**33, -(2**40)),
  "large floats": (1.0, 1e39, -1e300),
}


@pytest.mark.parametrize("values", _VALUES)
@pytest.mark.parametrize("beside", _BESIDE)
@pytest.mark.parametrize("takes", _TAKES)
def test_two_numbers_are_taken_as_in_eager_execution(takes, beside, values):
  take, other = _TAKES[takes], _BESIDE[beside]

  def both(f, n):
    return [take(n.v, other(n)), [f(k) for k in n.kids]]

  first, *rest = _VALUES[values]
  agrees(of_one(both), lambda: [(Node(first, True, "r", *(Node(v, True, "k") for v in rest)),)])


@pytest.mark.parametrize("values", _VALUES)
@pytest.mark.parametrize("dtype", [None, tf.float32, tf.float64, tf.float16])
@pytest.mark.parametrize("takes", [tf.constant, tf.convert_to_tensor])
def test_as_many_as_there_are_children(takes, dtype, values):
  def all_of(f, n):
    return [takes([k.v for k in n.kids], dtype), [f(k) for k in n.kids if k.kids]]

  first, *rest = _VALUES[values]
  agrees(of_one(all_of), lambda: [(Node(first, True, "r", *(Node(v, True, "k") for v in rest)),)])


def test_they_are_converted():
  def both(f, n):
    return [tf.constant([n.v, 0.3], tf.float64), tf.constant([n.v, 1]), [f(k) for k in n.kids]]

  tree = Node(0.1, True, "r", Node(0.7, True, "k"))
  agrees(of_one(both), lambda: [(tree,)], CONVERTED)


def test_numpys_largest_number_does_not_fit():
  """The greatest float32, and the first double beyond that is no float32."""
  most = float(np.finfo(np.float32).max)

  def both(f, n):
    return [
      tf.constant([n.v, most]),
      tf.constant([n.v, most * (1 + 2**-25)]),
      tf.constant([most * 2]),
    ]

  agrees(of_one(both), lambda: [(Node(0.5, True, "r"),)])
