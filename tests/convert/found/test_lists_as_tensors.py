"""Lists of numbers that objects of the tree hold, and lists of such, as TensorFlow takes them."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, of_one

POINT = tf.constant([1.0, -2.0])


class Part:
  """Of a scene: what it is moved by, how it is turned, how heavy its corners are."""

  def __init__(self, offset, weights, *kids):
    self.offset, self.weights, self.kids = offset, weights, list(kids)
    self.turn = [[0.0, 1.0], [-1.0, 0.0]]


def trees():
  leaf = Part([1, 0.5], [3.0])
  return [
    (leaf,),
    (Part([2.5, -1.0], [1.0, 2.0], leaf),),
    (Part((0.25, 4), [2.0], leaf, Part([1.5, 1.5], [0.5, 0.25, 7.0])),),
    (Part([2.5, -1.0], [1.0, 2.0], Part([0.0, 1e-3], [1.0], leaf)),),
  ]


def moved(f, n):
  return sum([f(k) for k in n.kids], (POINT - n.offset) * 2.0)


def moved_back(f, n):
  return sum([f(k) for k in n.kids], n.offset - POINT)


def moved_in_place(f, n):
  p = POINT
  p -= n.offset
  for k in n.kids:
    p *= f(k)
  return p


def turned(f, n):
  return sum([f(k) for k in n.kids], tf.linalg.matvec(n.turn, POINT))


def turned_by_operator(f, n):
  return sum([f(k) for k in n.kids], POINT[None] @ n.turn)


def turned_twice(f, n):
  return sum([f(k) for k in n.kids], tf.matmul(n.turn, n.turn))


def as_constants(f, n):
  return sum([f(k) for k in n.kids], tf.constant(n.turn) + tf.constant([n.offset, n.offset]))


def as_rows(f, n):
  return sum([f(k) for k in n.kids], POINT[None] - [n.offset])


def in_doubles(f, n):
  found = tf.constant(n.turn, tf.float64) - tf.constant([n.offset], tf.float64)
  return sum([f(k) for k in n.kids], found)


def of_the_last(f, n):
  weights = tf.constant([n.weights[-2:]], tf.float32)
  return sum([f(k) for k in n.kids], tf.reduce_sum(weights))


def stacked(f, n):
  found = tf.stack([n.offset, POINT, tf.maximum(POINT, n.offset)])
  return sum([f(k) for k in n.kids], found)


def joined(f, n):
  found = tf.concat([n.weights, POINT], 0)
  return sum([f(k) for k in n.kids], tf.reduce_sum(found * found))


def of_all_kids(f, n):
  found = tf.constant([k.offset for k in n.kids] + [n.offset], tf.float32)
  return sum([f(k) for k in n.kids], tf.reduce_sum(found, 0))


def compared(f, n):
  found = tf.where(POINT > n.offset, POINT, n.offset)
  return sum([f(k) for k in n.kids], found)


def flat(f, n):
  return sum([f(k) for k in n.kids], tf.reshape(n.turn, [-1]))


_CONVERTED = (moved, moved_back, moved_in_place, turned, turned_by_operator, turned_twice)
_CONVERTED += (
  as_rows,
  as_constants,
  in_doubles,
  of_the_last,
  stacked,
  joined,
  of_all_kids,
  compared,
  flat,
)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("program", _CONVERTED, ids=lambda f: f.__name__)
def test_a_list_is_the_tensor_that_tensorflow_makes_of_it(program):
  agrees(of_one(program), trees, expect=CONVERTED)


def ragged():
  part = Part([1.0, 2.0], [1.0])
  part.turn = [[1.0, 2.0], [3.0]]
  return [(Part([1.0, 2.0], [1.0]),), (part,), (Part([1.0, 2.0], [1.0]),)]


def of_other_lengths():
  return [(Part([1.0, 2.0], [1.0]),), (Part([1.0, 2.0, 3.0], [1.0]),), (Part([], [1.0]),)]


@pytest.mark.parametrize("program", [turned, as_constants, flat], ids=lambda f: f.__name__)
def test_lists_of_several_lengths_are_no_tensor(program):
  agrees(of_one(program), ragged)


@pytest.mark.parametrize("program", [moved, stacked, compared], ids=lambda f: f.__name__)
def test_shapes_that_do_not_fit_raise(program):
  agrees(of_one(program), of_other_lengths)


def changed(f, n):
  n.offset[0] = n.offset[0] + 1.0
  found = POINT - n.offset
  n.weights.append(2.0)
  return sum([f(k) for k in n.kids], found) * tf.reduce_sum(tf.constant(n.weights))


def test_lists_are_read_as_the_program_has_left_them():
  agrees(of_one(changed), trees)


def beside_ints(f, n):
  return sum([f(k) for k in n.kids], tf.constant([1, 2]) * n.offset)


def beside_doubles(f, n):
  return sum([f(k) for k in n.kids], tf.constant([1.0, 2.0], tf.float64) * n.offset)


def beside_halves(f, n):
  return sum([f(k) for k in n.kids], tf.constant([1.0, 2.0], tf.float16) * n.offset)


def of_ints_alone(f, n):
  return sum([f(k) for k in n.kids], tf.constant([len(k.kids) for k in [n]]) + tf.size(n.weights))


def beyond_floats(f, n):
  return sum([f(k) for k in n.kids], POINT * [1e300, n.offset[0]])


def numbers():
  return [
    (Part(offset, [1.0]),)
    for offset in ([1, 2], [1.5, 2], [2**30, 1.0], [1e300, 1.0], [0.1, 2**40], [float("nan"), -0.0])
  ]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("program", [moved, beside_ints, beside_doubles])
@pytest.mark.parametrize("other", [of_ints_alone, beyond_floats, compared, stacked])
def test_numbers_become_what_they_do_in_tensorflow(program, other):
  agrees(of_one(program), numbers)
  agrees(of_one(other), numbers)


def test_short_floats_are_pythons():
  agrees(of_one(beside_halves), trees)
