"""Containers outside of the function that a call finds empty."""

import tensorflow as tf

from tests.convert.agreement import Node, agrees


def test_a_dict_kept_empty_by_the_call_before_is_filled():
  def build(recursive):
    kept = {}

    @recursive
    def visit(node, acc):
      for k in node.kids:
        visit(k, {})
        acc.setdefault(k.flag, []).append(tf.ones([2]) * k.v)
      kept["last"] = acc
      return node.v

    return visit, [kept]

  def calls():
    return [(Node(1, True, "a"), {}), (Node(1, True, "r", Node(2, True, "a")), {})]

  agrees(build, calls)
