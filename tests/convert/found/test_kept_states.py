"""States that nodes and models keep: None or 0.0 at first, then what the children's states give."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Node:
  """A node with a row and a state."""

  def __init__(self, v, *kids):
    self.v, self.kids, self.state = v, list(kids), None
    self.x = tf.constant([float(v), 1.0])


class Model:
  """A model with weights and what it adds up."""

  def __init__(self):
    self.w = tf.Variable([0.5, 2.0])
    self.loss, self.nodes, self.last = 0.0, 0, None


def tree():
  return Node(1, Node(2), Node(3, Node(4), Node(5, Node(6))))


def loss_of_all(model):
  def visit(n):
    model.loss += tf.reduce_sum(n.x * model.w) ** 2
    model.nodes += 1
    for kid in n.kids:
      visit(kid)
    return n.v

  return visit


def loss_of_some(model):
  def visit(n):
    h = n.x * model.w
    for kid in n.kids:
      h = tf.tanh(h + visit(kid))
    if n.v > 2:
      model.loss = model.loss + tf.reduce_sum(h)
    return h

  return visit


def last_state(model):
  def visit(n):
    h = n.x * model.w
    for kid in n.kids:
      h = h + visit(kid)
    model.last = h
    return h

  return visit


def one_tensor(model):
  def visit(n):
    h = n.x * model.w
    for kid in n.kids:
      visit(kid)
      h = tf.tanh(h + kid.state)
    n.state = h
    return n.state

  return visit


def pair(model):
  def visit(n):
    h, c = n.x * model.w, n.x
    for kid in n.kids:
      visit(kid)
      h, c = tf.tanh(h + kid.state[0]), c + kid.state[1]
    n.state = (h, c)

  return visit


def pair_of_sums(model):
  def visit(n):
    if not n.kids:
      n.state = (n.x * model.w, n.x)
      return n.state
    for kid in n.kids:
      visit(kid)
    h = sum([kid.state[0] for kid in n.kids])
    c = sum([kid.state[1] for kid in n.kids])
    n.state = (tf.tanh(h), c)
    return n.state

  return visit


def plain_sums(model):
  def visit(n):
    if not n.kids:
      n.state = (n.x * model.w, n.x)
      return n.state
    found = [visit(kid) for kid in n.kids]
    h = sum([state[0] for state in found])
    c = sum([kid.state[1] for kid in n.kids])
    n.state = (h, c)
    return n.state

  return visit


def pair_or_number(model):
  def visit(n):
    n.state = (n.x * model.w, n.v)
    total = n.v
    for kid in n.kids:
      visit(kid)
      total += kid.state[1]
    n.state = (n.state[0] * 2.0, total)
    return total

  return visit


@pytest.mark.parametrize(
  "make",
  [
    loss_of_all, loss_of_some, last_state, one_tensor, pair, pair_of_sums, plain_sums,
    pair_or_number,
  ],
)  # fmt: skip
@pytest.mark.parametrize("is_fresh", [True, False])
def test_states_are_kept(make, is_fresh):
  def build(recursive):
    model = Model()
    return recursive(make(model)), [model]

  def reset(model):
    if is_fresh:
      model.loss = 0.0

  agrees(
    build,
    lambda: [(tree(),), (Node(7),), (Node(8, tree()),), (tree(),)],
    CONVERTED,
    variables=lambda function, state: [state[0].w],
    before=reset,
  )
