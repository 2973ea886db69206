"""Attributes that are a number in some objects and a tensor in others."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Leaf:
  def __init__(self, mean, *kids):
    self.mean, self.kids = mean, list(kids)


def trees():
  tensor = Leaf(tf.constant(2.0), Leaf(0.5))
  return [
    (Leaf(1.5),),
    (tensor,),
    (Leaf(3.0, tensor, Leaf(tf.constant(0.25))),),
    (Leaf(4, tensor),),
  ]


X = tf.constant([1.0, 2.0])


def _build(ask):
  def build(recursive):
    @recursive
    def f(n):
      total = ask(n)
      for k in n.kids:
        total = total + f(k)
      return total

    return f

  return build


_CONVERTED = {
  "exp": lambda n: tf.exp(n.mean) + X,
  "minus": lambda n: X - n.mean,
  "scaled": lambda n: (X - n.mean) / n.mean,
  "turned": lambda n: n.mean - X,
  "negative": lambda n: -n.mean * X,
  "greatest": lambda n: tf.maximum(X, n.mean),
  "stacked": lambda n: tf.stack([n.mean, 1.0]),
  "square": lambda n: n.mean**2 * X,
}
_OTHERS = {
  "twice": lambda n: n.mean * 2,
  "both": lambda n: n.mean + n.mean,
  "itself": lambda n: n.mean,
  "compared": lambda n: X if n.mean > 1.0 else -X,
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", _CONVERTED)
def test_operators_and_functions_take_both(name):
  agrees(_build(_CONVERTED[name]), lambda: trees()[:3], expect=CONVERTED)


@pytest.mark.parametrize("name", _OTHERS)
def test_what_a_number_becomes_is_a_number(name):
  agrees(_build(_OTHERS[name]), trees)


def trees_of_variables():
  variable = Leaf(tf.Variable(2.0), Leaf(0.5))
  return [
    (Leaf(1.5, variable),),
    (variable,),
    (Leaf(3.0, variable, Leaf(tf.constant(0.25))),),
    (Leaf(tf.Variable(4.0), Leaf(tf.Variable(0.5)), Leaf(2)),),
  ]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", _CONVERTED)
def test_variables_are_beside_both(name):
  agrees(_build(_CONVERTED[name]), trees_of_variables)


@pytest.mark.parametrize("is_kept", [False, True])
def test_variables_of_nodes_have_gradients_beside_numbers(is_kept):
  """Lengths of branches: some are learnt, others given."""
  kept = tf.Variable(0.5)

  def build(recursive):
    @recursive
    def f(n):
      total = tf.exp(X * n.mean)
      for k in n.kids:
        total = total * f(k)
      return total

    return f

  def calls():
    own = kept if is_kept else tf.Variable(0.5)
    return [(Leaf(0.1, Leaf(own), Leaf(own, Leaf(0.25))),), (Leaf(own, Leaf(own), Leaf(0.5)),)]

  agrees(build, calls, expect=CONVERTED, variables=lambda f, state: [kept])
