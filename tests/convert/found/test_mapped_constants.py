"""`f.map` where a list has one constant for all rows, or a number comes by keyword for all."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


class Node:
  def __init__(self, value, kids=()):
    self.value, self.kids = value, list(kids)
    self.tag = "untouched"


def trees():
  return [Node(1), Node(2, [Node(3)])]


@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("row", [None, "a", True, len, tf.float32], ids=str)
def test_plain_python_is_given_the_constant_of_its_row(row, verify, capsys):
  def plain(node, constant):
    node.tag = constant
    print(node.value, constant is None)
    for kid in node.kids:
      plain(kid, constant)
    return constant, node.value

  @rtf.recursive(verify=verify)
  def written(node, constant):
    node.tag = constant
    print(node.value, constant is None)
    for kid in node.kids:
      written(kid, constant)
    return constant, node.value

  expected, found = trees(), trees()
  plain(expected[0], row), plain(expected[1], row)
  text = capsys.readouterr().out
  written.map(found, [row, row])
  assert capsys.readouterr().out == text
  assert [node.tag for node in found] == [row, row]
  assert found[1].kids[0].tag == row
  assert not [code for code in written.stats.fallbacks if code.value[0] == "verification-failed"]


@pytest.mark.parametrize("first", ["list", "call", "pack", None])
def test_a_number_for_all_rows_may_come_by_keyword(first):
  @rtf.recursive(strict=True)
  def scaled(node, scale):
    return node.value * scale + sum([scaled(kid, scale) for kid in node.kids])

  if first == "list":
    assert scaled.map(trees(), [1.0, 2.0]) == [1.0, 10.0]
  elif first == "call":
    assert scaled(trees()[1], 2.0) == 10.0
  elif first == "pack":
    np.testing.assert_allclose(scaled.map(scaled.pack(trees(), [1.0, 2.0])), [1.0, 10.0])
  assert scaled.map(trees(), scale=3.0) == [3.0, 15.0]
  np.testing.assert_allclose(scaled.map(scaled.pack(trees(), scale=4.0)), [4.0, 20.0])
  assert scaled.map(trees(), [1.0, 2.0]) == [1.0, 10.0]
