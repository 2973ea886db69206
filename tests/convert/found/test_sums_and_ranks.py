"""Sums of what has no sum, tensors of several ranks beside numbers, and rows that are tuples."""

import typing

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, agrees


class N:
  def __init__(self, x, *kids):
    self.x, self.kids = x, list(kids)


def in_a_loop(decorate):
  @decorate
  def total(n):
    s = n.x
    for k in n.kids:
      s = s + total(k)
    return s

  return total


def from_a_start(decorate):
  @decorate
  def total(n):
    return sum([total(k) for k in n.kids], n.x)

  return total


def tree_of(make):
  return N(make(1), N(make(2)), N(make(3), N(make(4)), N(make(5))))


@pytest.mark.parametrize("function", [in_a_loop, from_a_start])
@pytest.mark.parametrize(
  "make",
  [
    lambda v: tf.constant([str(v)]),
    lambda v: tf.constant([str(v), "x"]),
    lambda v: tf.constant(v, tf.uint8),
    lambda v: tf.constant(v, tf.complex64),
  ],
)
def test_tensors_are_added_as_python_adds_them(function, make):
  agrees(function, lambda: [(tree_of(make),)], expect=CONVERTED)


def test_bools_have_no_sum():
  with pytest.raises(tf.errors.InvalidArgumentError):
    in_a_loop(rtf.recursive)(tree_of(lambda v: tf.constant(v > 1)))


def of_several_ranks(n):
  return n.x[-1, ::-1] + n.x[0] + (tf.add_n([of_several_ranks(k) for k in n.kids]) if n.kids else 0)


def test_a_number_beside_tensors_of_several_ranks_is_no_error_of_ours():
  tree = N(tf.ones([2, 2]), N(tf.ones([2, 2])))
  converted = rtf.recursive(of_several_ranks)
  converted(tree)
  tree.kids[0].x = tf.ones([1, 2, 2])
  assert converted(tree).numpy().tolist() == of_several_ranks(tree).numpy().tolist()
  assert "internal-error" not in str(converted.explain())


def mean_of_several_ranks(decorate):
  @decorate
  def mean(n):
    if not n.kids:
      return n.x
    return tf.reduce_sum(tf.stack([tf.reduce_mean(mean(k)) for k in n.kids]))

  return mean


def test_tensors_of_several_ranks_are_found_while_a_program_is_made():
  def calls():
    return [(N(tf.ones([1, 2]), N(tf.ones([2])), N(tf.ones([]), N(tf.ones([1, 1, 1])))),)]

  agrees(mean_of_several_ranks, calls, expect=CONVERTED)


class Pair(typing.NamedTuple):
  a: typing.Any


def its_own_or_new(n):
  if n.x is not None:
    return n.x
  return Pair(its_own_or_new(n.kids[0]).a + its_own_or_new(n.kids[1]).a)


def its_own(n):
  return n.x if n.x is not None else its_own(n.kids[0])


@pytest.mark.parametrize("function", [its_own_or_new, its_own])
def test_tuples_of_the_tree_are_stacked_as_new_ones_are(function):
  one, two = N(Pair(tf.constant([1.0]))), N(Pair(tf.constant([2.0])))
  converted = rtf.recursive(function, verify=False)
  found = converted.map([N(None, one, two), two, N(None, two, two)])
  assert type(found) is Pair
  expected = [function(n).a.numpy().tolist() for n in (N(None, one, two), two, N(None, two, two))]
  assert found.a.numpy().tolist() == expected
  assert converted.stats.num_fallback_runs == 0


def quicksort(decorate):
  @decorate
  def sort(xs):
    if len(xs) <= 1:
      return xs
    pivot, rest = xs[0], xs[1:]
    return sort([x for x in rest if x < pivot]) + [pivot] + sort([x for x in rest if x >= pivot])

  return sort


@pytest.mark.parametrize("numbers", [[3, 1, 2, 5, 4, 3], [1], [1.5, -2.0, 0.0]])
def test_lists_of_the_tree_are_put_together_with_numbers_read_from_them(numbers):
  agrees(quicksort, lambda: [(list(numbers),), (numbers[:2],)], expect=CONVERTED)


def truths(decorate):
  @decorate
  def count(n):
    own = 1 if n.x is True else 10 if n.x is not False else 100
    return own + sum(count(k) for k in n.kids)

  return count


def test_a_value_of_many_classes_is_or_is_not_true():
  def calls():
    odd = N("a", N(None), N(0.0), N(False))
    return [(N(1, N(True), N(0), odd),), (N(True),), (N(1.0, N(False)),)]

  agrees(truths, calls, expect=CONVERTED)


@pytest.mark.parametrize("start", [0.0, [0.5, 1.0], [[1.0]]])
@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_floats_are_added_to_a_tensor(start, dtype):
  def build(recursive):
    begin = tf.constant(start, dtype)

    @recursive
    def mass(n):
      total = begin
      for x in n.x:
        total += x
      for kid in n.kids:
        total += mass(kid)
      return total

    return mass

  def calls():
    return [(N([0.1, 2.5], N([]), N([0.25])),), (N([]),)]

  agrees(build, calls, expect=CONVERTED)
