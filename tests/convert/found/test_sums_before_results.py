"""What is taken for a result while little is known yet: sums of no results, rows by None."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, of_one

E = tf.Variable(tf.reshape(tf.range(24.0) / 10.0, [6, 4]))


def _tree():
  return Node(2, True, "t", Node(1, True, "q"), Node(3, True, "l", Node(4, False, "z")))


def _trees():
  yield (_tree(),)
  yield (Node(5, False, "m"),)


def _kept(f, n):
  n.name = E[n.v] if not n.kids else tf.tanh(sum(f(c) for c in n.kids) / len(n.kids))
  return n.name


def _kept_afterwards(f, n):
  h = E[n.v] if not n.kids else tf.tanh(sum([f(c) for c in n.kids]) / len(n.kids))
  n.name = h
  return h


def _in_a_list(f, n):
  h = E[n.v] if not n.kids else sum(f(c) for c in n.kids) * 0.5
  rows = [h, E[0]]
  return tf.reduce_sum(rows, 0)


def _without_a_test_for_leaves(f, n):
  return tf.tanh(E[n.v] + sum(f(c) for c in n.kids))


def _in_a_loop(f, n):
  total = E[n.v]
  for c in n.kids:
    total = total * 0.5 + f(c)
  return total


def _of_nothing(f, n):
  return E[n.v] + sum([f(c) for c in n.kids if c.v > 100])


PROGRAMS = [
  _kept,
  _kept_afterwards,
  _in_a_list,
  _without_a_test_for_leaves,
  _in_a_loop,
  _of_nothing,
]


def _labels(f, n):
  if not n.kids:
    return E[n.name], [n.name]
  total, path = tf.zeros(4), []
  for c in n.kids:
    h, labels = f(c)
    total += h + E[n.kids[0].v]
    path = path + labels
  return total, path + [int(tf.argmax(total))]


def test_only_leaves_have_what_a_row_is_looked_up_by():
  def leaf(v):
    return Node(v, True, v)

  def trees():
    yield (Node(2, True, None, leaf(1), Node(3, True, None, leaf(4), leaf(0))),)
    yield (leaf(5),)

  agrees(of_one(_labels), trees, expect=CONVERTED)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__[1:])
def test_what_is_summed_is_known_in_time(program):
  agrees(of_one(program), _trees, expect=CONVERTED)
