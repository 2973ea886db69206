"""Refusals name what the user wrote, and what to write instead."""

import pytest

import recursive_tf as rtf


class Node:
  def __init__(self, pos, *kids):
    self.pos, self.kids, self.left = pos, list(kids), None


class Keyed(Node):
  __hash__ = Node.__hash__

  def __eq__(self, other):
    return self is other


@rtf.recursive(strict=True)
def by_tuple(node, table):
  return table[node.pos] + sum(by_tuple(kid, table) for kid in node.kids)


@rtf.recursive(strict=True)
def by_parts(node, table):
  return table[node.pos[0], node.pos[1]] + sum(by_parts(kid, table) for kid in node.kids)


@rtf.recursive(strict=True)
def by_node(node, table):
  return table[node] + sum(by_node(kid, table) for kid in node.kids)


@rtf.recursive(strict=True)
def depth(tree):
  if not isinstance(tree, (dict, list)):
    return 0
  children = tree.values() if isinstance(tree, dict) else tree
  return 1 + max((depth(child) for child in children), default=0)


def test_a_tuple_that_is_a_key_is_to_be_written_by_its_parts():
  tree = Node((1, 2), Node((3, 4)))
  table = {(1, 2): 1, (3, 4): 2}
  with pytest.raises(rtf.ConversionRefused, match=r"is a tuple\. .*\(x\[0\], x\[1\]\) in place"):
    by_tuple(tree, table)
  assert by_parts(tree, table) == 3


def test_a_key_with_an_eq_of_its_own_is_named():
  tree = Keyed(1, Keyed(2))
  with pytest.raises(rtf.ConversionRefused, match="is a Keyed.*without its own __eq__"):
    by_node(tree, {tree: 1, tree.kids[0]: 2})
  plain = Node(1, Node(2))
  assert by_node(plain, {plain: 1, plain.kids[0]: 2}) == 3


def test_a_view_of_a_dict_that_meets_a_list_is_called_so():
  with pytest.raises(
    rtf.ConversionRefused, match=r"a range or view of a dict \(of which list\(x\)"
  ):
    depth({"a": [1, {"b": 2}]})


def test_what_may_be_none_is_read_where_it_is_not():
  class Made:
    def __init__(self, key):
      self.key, self.left, self.right = key, None, None

  @rtf.recursive
  def insert(node, key):
    if node is None:
      return Made(key)
    if key < node.key:
      node.left = insert(node.left, key)
    elif key > node.key:
      node.right = insert(node.right, key)
    return node

  root = None
  for key in (5, 3, 8, 3, 9, 1):
    root = insert(root, key)
  assert (root.left.left.key, root.right.right.key) == (1, 9)
  assert not insert.stats.num_fallback_runs, insert.explain()
