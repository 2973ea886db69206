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


def test_a_list_that_is_changed_is_not_a_part_of_an_object_too():
  class Box:
    def __init__(self, items, inner=None):
      self.items, self.inner = items, inner

  log = [1]

  @rtf.recursive
  def fill(box):
    log.append(2)
    if box.inner is None:
      return len(box.items)
    return len(box.items) + fill(box.inner)

  assert fill(Box([5], Box(log))) == 1 + 3
  assert log == [1, 2, 2]
  assert fill.stats.fallbacks == {Reason.EFFECT_ORDER: 1}
