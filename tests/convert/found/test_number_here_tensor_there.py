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
