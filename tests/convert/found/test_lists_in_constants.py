"""`tf.constant` of lists around lists of numbers that objects hold."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Item:
  def __init__(self, feats, *kids):
    self.feats, self.kids = feats, list(kids)


ASKED = {
  "one": lambda n: tf.constant(n.feats),
  "row": lambda n: tf.constant([n.feats]),
  "rows": lambda n: tf.constant([n.feats, n.feats]),
  "beside": lambda n: tf.constant([n.feats, [1.0, 2.0]]),
  "deeper": lambda n: tf.constant([[n.feats]])[0],
  "wide": lambda n: tf.cast(tf.constant([n.feats], tf.float64), tf.float32),
  "alone_wide": lambda n: tf.cast(tf.constant(n.feats, dtype=tf.float64), tf.float32),
  "tuple": lambda n: tf.constant(((0.5, 1.0), n.feats)),
}


def tree(first, second, third):
  return Item(first, Item(second), Item(third, Item(first)))


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("numbers", [(0.1, 2.5), (1, -7)], ids=["floats", "ints"])
def test_lists_of_numbers(name, numbers):
  def build(recursive):
    ask = ASKED[name]

    @recursive
    def f(n):
      total = tf.reduce_sum(tf.cast(ask(n), tf.float32), 0)
      for kid in n.kids:
        total += f(kid)
      return total

    return f

  first, second = [*numbers], [*reversed(numbers)]
  expect = CONVERTED if numbers[0] == 0.1 or name not in ("beside", "tuple") else None
  agrees(build, lambda: [(tree(first, second, first),), (Item(second),)], expect=expect)


@pytest.mark.parametrize("feats", [[], [1, 2.5], [True, False], ["a", "b"], [None, 1.0], [[1.0]]])
def test_lists_of_other_things(feats):
  def build(recursive):
    @recursive
    def f(n):
      made = tf.constant([n.feats])
      return [made, *[one for kid in n.kids for one in f(kid)]]

    return f

  agrees(build, lambda: [(Item(feats, Item(feats)),), (Item([0.5, 1.0], Item(feats)),)])
