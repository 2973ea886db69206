"""Lists of tensors that a filter has freed of None, given to TensorFlow; None among them raises."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees
from tests.convert.found.kept import by_append


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def by_filter(visit, node):
  return [one for one in [visit(kid) for kid in node.kids] if one is not None]


def with_none(visit, node):
  return [visit(kid) for kid in node.kids]


REDUCED = {
  "add_n": tf.add_n,
  "stack": lambda found: tf.reduce_max(tf.stack(found), 0),
  "concat": lambda found: tf.reduce_sum(tf.concat(found, 0), keepdims=True),
  "mean": lambda found: tf.reduce_mean(found, 0),
  "sum": sum,
}


def trees():
  inner = Node(2.0, Node(1.5), Node(0.0), Node(3.0))
  return [(Node(1.0, inner, Node(0.0)),), (Node(0.0),), (Node(0.0, Node(0.0, Node(2.0))),)]


@pytest.mark.parametrize("name", REDUCED)
@pytest.mark.parametrize("collect", [by_append, by_filter, with_none])
def test_tensors_that_may_be_none(name, collect):
  def build(recursive):
    reduced = REDUCED[name]

    @recursive
    def visit(node):
      found = collect(visit, node)
      if not found:
        return tf.constant([node.v]) if node.v else None
      return reduced(found)

    return visit

  agrees(build, trees, expect=None if collect is with_none else CONVERTED)
