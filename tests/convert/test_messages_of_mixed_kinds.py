"""Refusals of reads that give several kinds of values say where these are."""

from __future__ import annotations

import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import Node


def explanation(function, *args):
  converted = rtf.recursive(verify=False)(function)
  converted(*args)
  (refusal,) = converted.explain().fallbacks
  return str(refusal)


class Item:
  def __init__(self, value, is_text=False):
    self.value = value
    self.is_text = is_text

  @property
  def asked(self):
    raise AssertionError("a message reads no property")


def total(items):
  return sum([tf.reduce_sum(item.value) for item in items if not item.is_text], 0.0)


def test_an_attribute_is_named_with_its_place():
  text = explanation(total, [Item(tf.ones([2])), Item("x", True), Item(2.5, True)])
  assert "object.value is EagerTensor, float, str here" in text
  assert "items[0].value is EagerTensor and items[2].value is float" in text
  assert "items[1].value is str" in text


def of_a_dict(n, weights):
  return tf.reduce_sum(weights[n.name]) + sum([of_a_dict(k, weights) for k in n.kids], 0.0)


def test_an_item_of_a_dict_is_named():
  tree = Node(0, False, "a", Node(1, False, "a"))
  text = explanation(of_a_dict, tree, {"a": tf.ones([2]), "name": "text", "n": 2.5})
  assert "weights['a'] is EagerTensor and weights['n'] is float" in text
  assert "weights['name'] is str" in text
