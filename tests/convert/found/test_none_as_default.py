"""An argument of TensorFlow's that is None, its default, in some objects and a number in others."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.compiled import compiled

T = tf.constant([[1.0, 2.0], [3.0, 0.5]])
_FAULTS = Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED
_EXPRESSIONS = {
  "argmax": "tf.argmax(T, n.x)",
  "by name": "tf.argmax(T, axis=n.x)",
  "sum": "tf.reduce_sum(T, n.x)",
  "normalized": "tf.math.l2_normalize(T, n.x)",
  "range": "tf.range(3, n.x)",
  "of a local": "tf.reduce_max(T, None if n.x == 0 else n.x)",
  "none is no default": "tf.cumsum(T, n.x)",
}


class Node:
  """A node with a number or None."""

  def __init__(self, x, *kids):
    self.x, self.kids = x, list(kids)


CALLS = [
  lambda: Node(1),
  lambda: Node(None),
  lambda: Node(0, Node(None)),
  lambda: Node(None, Node(1), Node(0)),
  lambda: Node(4, Node(None), Node(5)),
  lambda: Node(None, Node(None)),
  lambda: Node(1, Node(True), Node(None)),
  lambda: Node(5, Node(1.5), Node(None)),
]


def _plain(value):
  return list(map(_plain, value)) if isinstance(value, list) else value.numpy().tolist()


def _outcome(function, node):
  try:
    return _plain(function(node))
  except Exception as error:  # noqa: BLE001
    return type(error)


@pytest.mark.parametrize("expression", _EXPRESSIONS)
def test_none_is_the_default(expression):
  source = f"def f(n):\n  return [{_EXPRESSIONS[expression]}] + [f(k) for k in n.kids]\n"
  plain, given = (compiled(source, "f", tf=tf, T=T) for _ in range(2))
  function = rtf.recursive(given, verify=False)
  for call in CALLS:
    assert _outcome(function, call()) == _outcome(plain, call())
  assert not any(function.stats.fallbacks.get(fault) for fault in _FAULTS), function.explain()
  if expression == "argmax":
    assert function.stats.num_converted_runs > 2, function.explain()
