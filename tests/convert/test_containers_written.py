"""Items of containers on the heap that a program writes."""

import recursive_tf as rtf
from recursive_tf.convert import Reason


def tree():
  """Returns nested dicts."""
  return {"word": 1, "left": {"word": 2, "left": None}, "sum": 0}


def test_items_are_written_and_read_back():
  @rtf.recursive(strict=True)
  def total(node):
    if node["left"] is None:
      return node["word"]
    node["sum"] = node["word"] + total(node["left"])
    return node["sum"]

  root = tree()
  assert total(root) == 3
  assert root["sum"] == 3


def test_membership_sees_what_was_written():
  @rtf.recursive(strict=True)
  def total(node):
    if node["left"] is None:
      before = "sum" in node
      node["sum"] = node["word"]
      return 10 * before + ("sum" in node)
    return total(node["left"])

  root, expected = tree(), tree()
  assert total(root) == total.python(expected) == 1
  assert root == expected


def test_a_container_whose_items_change_is_not_read_as_a_whole():
  @rtf.recursive
  def total(node):
    if node["left"] is None:
      node["sum"] = node["word"]
      return len(node)
    return len(node) + total(node["left"])

  root, expected = tree(), tree()
  assert total(root) == total.python(expected)
  assert root == expected
  assert Reason.EFFECT_ORDER in total.stats.fallbacks
