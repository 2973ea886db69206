"""A bool is an int to Python's sequences, and no bound of a slice to TensorFlow's eager tensors.

In a graph TensorFlow takes it for an int; slices of tensors by bools were converted like that.
"""

import itertools

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.compare import Comparison

VARIABLE = tf.Variable([1.0, 2.0, 3.0])
VARIABLES = {"a": VARIABLE, "b": tf.Variable([4.0, 5.0, 6.0])}
TENSORS = {"a": tf.constant([1.0, 2.0, 3.0]), "b": tf.constant([4.0, 5.0, 6.0])}
ARRAY = np.array([1.0, 2.0, 3.0])


class Node:
  def __init__(self, by):
    self.by, self.tag, self.x, self.items = by, "a", tf.constant([1.0, 2.0, 3.0]), [1, 2, 3]
    self.flag = tf.constant(bool(by))


OWNERS = {
  "a variable": lambda n: VARIABLE,
  "a variable of a table": lambda n: VARIABLES[n.tag],
  "a tensor of a table": lambda n: TENSORS[n.tag],
  "a tensor of an object": lambda n: n.x,
  "a tensor that is computed": lambda n: n.x * 2.0,
  "an array": lambda n: ARRAY,
  "a list": lambda n: n.items,
  "a list that is made": lambda n: [n.by, 2, 3],
  "a tuple": lambda n: (1, 2, 3),
  "a string": lambda n: "abc",
}
KEYS = {
  "from": lambda xs, n: xs[n.by :],
  "to": lambda xs, n: xs[: n.by],
  "by": lambda xs, n: xs[0 : 3 : n.by],
  "at": lambda xs, n: xs[n.by],
  "from a comparison": lambda xs, n: xs[n.by > 0 :],
  "from what is not": lambda xs, n: xs[(not n.by) :],
  "from a tensor": lambda xs, n: xs[n.flag :],
  "one of several": lambda xs, n: xs[1 : 2 + n.by, ...] if hasattr(xs, "ndim") else xs[n.by :],
}


def outcome(function, by):
  try:
    return "returns", function(Node(by))
  except Exception as error:
    return "raises", type(error).__name__


@pytest.mark.parametrize("decorator", [rtf.recursive, rtf.function], ids=["recursive", "function"])
@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("owner", OWNERS, ids=str)
def test_bools_as_bounds(owner, key, decorator):
  get, take = OWNERS[owner], KEYS[key]

  def plain(n):
    return take(get(n), n)

  converted = decorator(verify=False)(plain)
  bounds = (1, True, 1, False, 2, True, np.int64(1), np.True_)
  for number, by in enumerate(itertools.chain(bounds, bounds)):
    Comparison().check(outcome(plain, by), outcome(converted, by), f"call {number}, by {by!r}")
  faults = {Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED}
  assert not faults & converted.stats.fallbacks.keys(), converted.explain()
