"""TensorFlow's ops that fail by their values do so whatever becomes of what they give.

Eager execution raises for some values of a node; the run has to fail there, too, where nothing uses
the result, where its shape alone is used, and within `try`.
"""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.compiled import compiled

T, M = tf.constant([1.0, 2.0, 4.0]), tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
V = tf.Variable([1.0, 2.0, 4.0])
_FAULTS = Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED

# An expression of a node `n`, and its numbers `n.j` that are good and bad; `n.t` is the vector
# 1, 2, ..., j.
_OF_INTS = """tf.reshape(T, [n.j])|3|5
tf.reshape(T, [n.j, 1])|3|5
tf.reshape(T, (n.j, -1))|3|2
tf.reshape(M, [n.j, 2])|3|5
tf.reshape(T, [int(n.j)])|3|5
tf.reshape(T, tf.stack([n.j]))|3|5
tf.reshape(T, tf.constant([3]) * n.j // 3)|3|6
tf.reshape(n.t, [3])|3|5
tf.cast(tf.reshape(T, [n.j]), tf.int32) + 1|3|5
tf.slice(T, [n.j], [1])|2|3
tf.split(T, [n.j, 1])|2|3
tf.split(n.t, 3)|3|4
tf.stack([T, n.t])|3|4
tf.concat([M, n.t[None]], 0)|3|4
tf.concat([M, M], n.j)|1|2
tf.concat([T, T], n.j)|0|1
tf.broadcast_to(T, [n.j])|3|4
tf.matmul(M, n.t[:, None])|3|4
tf.linalg.matvec(M, n.t)|3|4
tf.tensordot(T, n.t, 1)|3|4
tf.ensure_shape(n.t, [3])|3|4
tf.one_hot(1, n.j)|2|-1
tf.range(0, 5, n.j)|2|0
tf.range(n.j, 5)|2|7
tf.fill([n.j], 1.0)|2|-1
tf.zeros([n.j])|2|-1
tf.scatter_nd([[n.j]], [1.0], [3])|2|3
tf.tensor_scatter_nd_add(T, [[n.j]], [1.0])|2|3
tf.math.segment_sum(T, [0, 0, n.j])|1|-1
tf.math.unsorted_segment_sum(T, [0, 0, n.j], 2)|1|3
T[n.j]|2|3
M[:, n.j]|1|4
T[::n.j]|1|0
tf.expand_dims(T, n.j)|1|2
tf.squeeze(n.t[:, None], 0)|1|3
tf.tile(T, [n.j])|2|-1
tf.pad(T, [[n.j, 1]])|2|-1
tf.boolean_mask(n.t, [True, False, True])|3|4
tf.boolean_mask(M, n.t[None] > 1, axis=0)|3|4
tf.boolean_mask(n.t[None], [True, False, True], axis=1)|3|4
tf.boolean_mask(T, [True, True, True], axis=n.j)|0|1
tf.strings.substr("abc", n.j, 1)|0|9
tf.debugging.assert_equal(n.j, 3)|3|4
tf.gather(T, n.j)|2|3
tf.gather(V, [n.j])|2|3
tf.gather_nd(M, [n.j, 1])|1|2
tf.transpose(M, [n.j, 0])|1|0
tf.transpose(T, [n.j])|0|1
tf.reverse(M, [n.j])|1|2
tf.cumsum(T, n.j)|0|1
tf.reduce_sum(M, n.j)|1|2
tf.reduce_max(T, n.j, keepdims=True)|0|1
tf.argmax(M, n.j)|0|2
tf.math.top_k(T, n.j)|2|4
tf.constant(6) // n.j|1|0
tf.constant(2) ** n.j|1|-1
T + n.t|3|4
tf.where(n.t > 0, T, T)|3|4
tf.add_n([T, n.t])|3|4
tf.unstack(n.t, 3)|3|4
tf.sequence_mask([1, 2], n.j)|2|-1
tf.repeat(T, n.j)|2|-1
tf.nn.softmax_cross_entropy_with_logits(T, n.t)|3|4
tf.nn.bias_add(M, n.t)|3|4
tf.nn.dropout(T, n.j / 10)|3|20
tf.eye(n.j)|2|-1
tf.reverse_sequence(M, [n.j, 1], 1)|2|4
tf.dynamic_partition(T, [0, 1, n.j], 2)|1|2
tf.einsum("i,i->", T, n.t)|3|4
tf.linalg.cross(n.t, T)|3|4
tf.ragged.constant([[1.0]]).to_tensor(shape=[n.j, 1])|1|-1
tf.image.flip_left_right(tf.reshape(T, [1, n.j, 1]))|3|5"""
# By a float `n.x` too large for float32, which is a tensor of that.
_OF_FLOATS = """tf.rank([n.x, 1.0])
tf.shape([n.x, 1.0])
tf.size([n.x, 1.0])
tf.zeros_like([n.x, 1.0])
tf.zeros_like([n.x, 1.0], tf.int32)
tf.ones_like([[n.x], [1.0]])
tf.zeros_like((n.x * 2, n.x))
tf.rank(n.x)
tf.shape(n.x)
tf.size(input=n.x)
tf.ones_like(n.x)
tf.size([n.x for _ in range(n.j)])
tf.rank([k.x for k in n.kids] + [n.x])
tf.shape(tf.stack([n.x, 1.0]))
tf.identity([n.x, 1.0])
tf.constant([n.x, 1.0])
tf.broadcast_to(n.x, [2])"""
_CASES = [line.split("|") for line in _OF_INTS.splitlines()]
_CASES += [[line, "1", "1e39"] for line in _OF_FLOATS.splitlines()]
_USES = {
  "unused": "  {}\n  return 1 + sum(f(k) for k in n.kids)\n",
  "in try": (
    "  try: {}\n  except tf.errors.InvalidArgumentError: return -1\n"
    "  return 1 + sum(f(k) for k in n.kids)\n"
  ),
  "shape": "  x = tf.shape({})\n  return [tf.size(x)] + [f(k) for k in n.kids]\n",
  "used": "  return [{}] + [f(k) for k in n.kids]\n",
}


class Node:
  """A node with an int, a float, a vector and children."""

  def __init__(self, number, *kids):
    self.x, self.kids = float(number), list(kids)
    self.j = int(number) if number != "1e39" else 1
    self.t = tf.range(1, abs(self.j) + 1, dtype=tf.float32)


def _plain(value):
  if isinstance(value, (list, tuple)):
    return list(map(_plain, value))
  return np.asarray(value).tolist()


def _outcome(function, number, inner):
  try:
    return _plain(function(Node(number, Node(inner))))
  except Exception as error:  # noqa: BLE001
    return type(error)


@pytest.mark.parametrize("use", _USES)
@pytest.mark.parametrize(("expression", "good", "bad"), _CASES)
def test_what_raises_by_its_values_does_so_whatever_it_is_for(expression, good, bad, use):
  source = "def f(n):\n" + _USES[use].format(expression)
  plain, given = (compiled(source, "f", tf=tf, T=T, M=M, V=V) for _ in range(2))
  function = rtf.recursive(given, verify=False)
  is_random = "dropout" in expression
  for inner in (good, good, bad, good, bad):
    expected, found = (_outcome(one, good, inner) for one in (plain, function))
    assert found == expected or (is_random and isinstance(found, list)), (inner, expected, found)
    assert inner == good or isinstance(expected, type) or use == "in try", expected
  assert not any(function.stats.fallbacks.get(fault) for fault in _FAULTS), function.explain()


def test_most_of_it_is_a_graph():
  chosen = "tf.reshape(T, [n.j])", "tf.boolean_mask(n.t, [True, False, True])"
  for expression in (*chosen, "tf.zeros_like([n.x, 1.0])", "tf.concat([T, T], n.j - 3)"):
    source = "def f(n):\n" + _USES["unused"].format(expression)
    function = rtf.recursive(compiled(source, "f", tf=tf, T=T), verify=False)
    assert function(Node("3", Node("3"))) == 2
    assert function.stats.num_converted_runs == 1, function.explain()
