"""`index` and `count` of lists and tuples that are known, for what only the run knows."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import CONVERTED, Node, agrees, root

WORDS = ["a", "b", "<unk>", "r"]
KINDS = ("r", "b", "a")
NUMBERS = [1, 2.0, True, 3]


class Labels:
  names = ["r", "a"]

  def __init__(self):
    self.kinds = ("b", "a")


LABELS = Labels()

ASKED = {
  "list": lambda n: WORDS.index(n.name),
  "tuple": lambda n: KINDS.index(n.name),
  "number": lambda n: NUMBERS.index(n.v),
  "flag": lambda n: NUMBERS.count(n.flag),
  "count": lambda n: KINDS.count(n.name),
  "class": lambda n: Labels.names.count(n.name),
  "attribute": lambda n: LABELS.kinds.index(n.name) if n.name in LABELS.kinds else 9,
}


@pytest.mark.parametrize("name", ASKED)
def test_index_of_what_is_known(name):
  def build(recursive):
    ask = ASKED[name]

    @recursive
    def f(n):
      return ask(n) + 10 * sum([f(kid) for kid in n.kids])

    return f

  agrees(build, lambda: [(root(),), (Node(2, False, "b"),), (root(),)], expect=CONVERTED)


def test_what_is_not_there_raises():
  def build(recursive):
    @recursive
    def f(n):
      return WORDS.index(n.name) + sum([f(kid) for kid in n.kids])

    return f

  agrees(build, lambda: [(root(),), (Node(2, False, "zz", root()),), (root(),)])


def test_the_list_grows_between_calls():
  words = ["a", "b", "r"]

  @rtf.recursive
  def f(n):
    return words.index(n.name) + 10 * sum([f(kid) for kid in n.kids])

  assert f(root()) == 2 + 10 * (0 + 1)
  words.insert(0, "new")
  assert f(root()) == 3 + 10 * (1 + 2)
  assert f(Node(1, True, "new")) == 0


def test_rows_of_an_embedding():
  table = tf.Variable(np.arange(12.0).reshape(4, 3).astype(np.float32))

  def build(recursive):
    @recursive
    def f(n):
      word = n.name if n.name in WORDS else "<unk>"
      return tf.tanh(table[WORDS.index(word)] + sum([f(kid) for kid in n.kids]))

    return f

  agrees(build, lambda: [(root(),), (Node(2, False, "zz", root()),)], expect=CONVERTED)
