"""Results of children in one list: of one shape that only the run knows, or of several."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees
from tests.convert.found.collected import collector


class Node:
  """A node with a matrix of `rows` rows."""

  def __init__(self, rows, v, *kids):
    self.x, self.v, self.kids = tf.fill([rows, 2], float(v)), v, list(kids)


def tree(rows):
  inner = Node(rows, 2, Node(rows, 4), Node(rows, 5))
  return Node(rows, 1, inner, Node(rows, 3))


def trees():
  """Returns trees of which each has one shape, all through."""
  return [(tree(rows),) for rows in (1, 3, 2)]


same, of_one_shape = collector()
ragged, of_several_shapes = collector()


@of_one_shape(CONVERTED, trees)
def own_row_before(recursive):
  @recursive
  def f(node):
    return tf.add_n([node.x] + [f(kid) for kid in node.kids])

  return f


@of_one_shape(CONVERTED, trees)
def own_row_behind(recursive):
  @recursive
  def f(node):
    return tf.add_n([f(kid) for kid in node.kids] + [node.x])

  return f


@of_one_shape(CONVERTED, trees)
def own_row_among_others(recursive):
  @recursive
  def f(node):
    rows = [f(kid) for kid in node.kids]
    rows.append(node.x)
    rows += [node.x * 2.0 for kid in node.kids]
    return tf.reduce_sum(tf.stack(rows), 0)

  return f


@of_one_shape(CONVERTED, trees)
def rows_with_more_in_them(recursive):
  @recursive
  def f(node):
    pairs = [(node.x, node.v)] + [f(kid) for kid in node.kids]
    return tf.add_n([x for x, _ in pairs]), sum(v for _, v in pairs)

  return f


@of_several_shapes(CONVERTED, lambda: [(tree(1),)] * 3)
def rows_of_all(recursive):
  @recursive
  def f(node):
    return tf.concat([node.x] + [f(kid) for kid in node.kids], 0)

  return f


@of_several_shapes(CONVERTED, lambda: [(tree(1),)] * 3)
def rows_of_children(recursive):
  @recursive
  def f(node):
    if not node.kids:
      return node.x
    rows = tf.concat([f(kid) for kid in node.kids], 0)
    return rows / len(rows)

  return f


@of_several_shapes(CONVERTED, lambda: [(tree(1),)] * 3)
def rows_kept_in_a_list(recursive):
  @recursive
  def f(node):
    found = [node.x]
    for kid in node.kids:
      found.append(f(kid))
    return tf.concat(found, 0)

  return f


@pytest.mark.parametrize(("build", "expect", "calls"), same)
def test_a_shape_that_only_the_run_knows(build, expect, calls):
  function = agrees(build, calls, expect)
  assert function.stats.num_conversions <= 3


@pytest.mark.parametrize(("build", "expect", "calls"), ragged)
def test_several_shapes_are_objects_of_the_run_from_the_first_call(build, expect, calls):
  function = agrees(build, calls, expect)
  assert function.stats.num_conversions <= 2  # Once more with such elements as objects of the run.


def test_several_shapes_are_one_reason_at_the_first_call():
  def build(recursive):
    @recursive
    def f(node):
      rows = [node.x] + [f(kid) for kid in node.kids]
      return tf.concat(rows, 0) if len(rows) == 1 else tf.ragged.stack(rows).to_tensor()[0]

    return f

  function = agrees(build, lambda: [(tree(1),)] * 3, Reason.DYNAMIC_LIST)
  assert function.stats.num_conversions <= 3
  fresh = build(lambda f: rtf.recursive(f, verify=False))
  fresh(tree(1))
  fresh(tree(1))
  walked = fresh.stats.walked_objects
  fresh(tree(1))
  assert fresh.stats.walked_objects == walked  # Not run as a graph again.
