"""A gradient that is NaN or infinite at one entry is that of this entry alone."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import Node

READS = {
  "item": lambda x, v: x[v] * x[v],
  "gather": lambda x, v: tf.gather(x, v) ** 2,
  "gather_one": lambda x, v: tf.reduce_sum(tf.gather(x, [v]) ** 2),
  "gather_more": lambda x, v: tf.reduce_sum(tf.gather(x, [v, 1, v]) ** 2),
  "slice": lambda x, v: tf.reduce_sum(x[v : v + 1] ** 2),
}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2.0])
@pytest.mark.parametrize("read", READS)
def test_entries_beside_one_that_is_no_number_have_their_own_gradients(read, value):
  def build(decorator):
    own = READS[read]

    @decorator
    def visit(node, x):
      return own(x, node.v) + sum([visit(kid, x) for kid in node.kids])

    return visit

  tree = Node(0, False, "a", Node(1, False, "b"), Node(0, False, "c"))
  found = []
  for decorator in (lambda function: function, rtf.recursive(strict=True, verify=False)):
    x = tf.constant([value, 1.0, -1.0])
    with tf.GradientTape() as tape:
      tape.watch(x)
      result = build(decorator)(tree, x)
    found.append(tf.convert_to_tensor(tape.gradient(result, x)).numpy())
  np.testing.assert_array_equal(*found)
  assert np.isfinite(found[0][1:]).all()
