"""What a program computes and does not use raises what plain Python raises there."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

TABLE, BY_TAG = [1, 2, 3], {"NP": 1}
ERRORS = (ArithmeticError, LookupError, ValueError, AttributeError, tf.errors.OpError)
WEIGHTS = tf.Variable(tf.ones([3, 2]))


class Node:
  """A node with two children or none; a mark only where it is given."""

  def __init__(self, label, *children, tag="NP", **more):
    self.label, self.tag, self.children = label, tag, list(children)
    self.left, self.right = children or (None, None)
    self.extra = None
    self.__dict__.update(more)


def item_of_a_list(node):
  if node.left is None:
    _ = TABLE[node.label]
    return 1
  return item_of_a_list(node.left) + item_of_a_list(node.right)


def item_of_a_dict(node):
  _ = BY_TAG[node.tag]
  if node.left is None:
    return 1
  return item_of_a_dict(node.left) + item_of_a_dict(node.right)


def division(node):
  _ = 1 // node.label
  if node.left is None:
    return 1
  return division(node.left) + division(node.right)


def row_of_a_tensor(node):
  _ = WEIGHTS[node.label]
  if node.left is None:
    return 1
  return row_of_a_tensor(node.left) + row_of_a_tensor(node.right)


def choice(node):
  _ = [0, 1][node.label] if node.label > 0 else node.mark
  if node.left is None:
    return 1
  return choice(node.left) + choice(node.right)


def type_of_a_missing_attribute(node):
  _ = isinstance(node.mark, int) if node.tag == "VP" else node.label
  if node.left is None:
    return 1
  return type_of_a_missing_attribute(node.left) + type_of_a_missing_attribute(node.right)


def dropped_call(node):
  if node.label == 7:
    raise ValueError("seven")
  if node.left is not None:
    dropped_call(node.left)
    _ = dropped_call(node.right) + 1
  return 2


def dropped_calls_of_a_list(node):
  if node.label == 7:
    raise ValueError("seven")
  _ = [dropped_calls_of_a_list(child) for child in node.children]
  return 2


def good():
  """Returns a tree for which nothing raises."""
  return Node(1, Node(1), Node(1))


@pytest.mark.parametrize(
  ("function", "bad"),
  [
    (item_of_a_list, Node(1, Node(1), Node(7))),
    (item_of_a_dict, Node(1, Node(1), Node(1, tag="XX"))),
    (division, Node(1, Node(0), Node(1))),
    (row_of_a_tensor, Node(1, Node(7), Node(1))),
    (choice, Node(1, Node(7), Node(1))),
    (choice, Node(1, Node(0), Node(1))),
    (dropped_call, Node(1, Node(1), Node(7))),
    (dropped_call, Node(1, Node(7), Node(1))),
    (dropped_calls_of_a_list, Node(1, Node(1), Node(7))),
    (type_of_a_missing_attribute, Node(1, Node(1, mark=1, tag="VP"), Node(1, tag="VP"))),
  ],
  ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_unused_value_raises_where_python_raises(function, bad):
  converted = rtf.recursive(function)
  for _ in range(2):
    assert converted(good()) == function(good())
    with pytest.raises(ERRORS) as expected:
      function(bad)
    with pytest.raises(type(expected.value)) as got:
      converted(bad)
    assert str(got.value) == str(expected.value)
  assert converted.stats.num_converted_runs >= 2


def test_a_list_of_a_branch_is_returned():
  @rtf.recursive(strict=True)
  def words(node):
    found = [] if node.left is None else words(node.left) + words(node.right)
    assert node.label < 100
    return found + [node.label if node.tag == "NP" else 0]

  assert words(good()) == [1, 1, 1] and words(Node(3)) == [3]


def test_a_written_attribute_that_may_be_none_is_read():
  @rtf.recursive(strict=True)
  def walk(node):
    if node.left is None:
      node.extra = 3
      return isinstance(node.extra, int), node.extra or 2
    first, _ = walk(node.left)
    was = isinstance(node.right.extra, int)
    return first and not was, node.right.extra or 4

  for tree in (good(), Node(1), good()):
    found = walk(tree)
    assert found == ((True, 4) if tree.left is not None else (True, 3))
    assert tree.left is None or tree.left.extra == 3


def test_map_keeps_lists_of_numbers_row_by_row():
  @rtf.recursive(strict=True)
  def pairs(node):
    if node.left is not None:
      pairs(node.left)
    return [node.label, 2]

  @rtf.recursive(strict=True)
  def nothing(node):
    if node.left is not None:
      nothing(node.left)
    return []

  assert pairs.map([Node(1), Node(5), good()]) == [[1, 2], [5, 2], [1, 2]]
  assert nothing.map([Node(1), good()]) == [[], []]
