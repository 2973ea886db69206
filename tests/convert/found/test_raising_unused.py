"""What raises an exception in Python does so whatever becomes of its value.

Every expression that may raise in every place where nothing, or only one branch, needs its value,
by both decorators and both schedulers, without the net.
"""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.compiled import compiled

TABLE = {"a": 1}
WEIGHTS = tf.Variable([1, 2])


class Node:
  """A node with numbers, children, a string and another object."""

  def __init__(self, number, items, kids=(), text="a", **more):
    self.number, self.items, self.kids, self.text = number, list(items), list(kids), text
    self.other = None
    self.__dict__.update(more)

  def item(self):
    """Returns an item, if there is one."""
    return self.items[self.number]


GOOD = {"mark": 1, "table": {"a": 1}, "tensor": tf.ones([2])}
# By name: the expression of a node `n`, and what makes it raise.
EXPRESSIONS = {
  "item": ("n.items[n.number]", {"number": 3}),
  "last item": ("n.items[1]", {"items": [1]}),
  "item of a global": ("TABLE[n.text]", {"text": "z"}),
  "item of a dict": ("n.table['a']", {"table": {}}),
  "division": ("6 // (n.number - 1)", {}),
  "attribute": ("n.mark", None),
  "attribute of None": ("n.other.number", {"other": None}),
  "child": ("n.kids[0].number", {"kids": []}),
  "character": ("len(n.text[n.number])", {"text": "a", "number": 2}),
  "method": ("n.item()", {"number": 3}),
  "row": ("WEIGHTS[n.number]", {"number": 3}),
  "maximum": ("max(n.items)", {"items": []}),
  "shapes": ("tf.ones([2]) + n.tensor", {"tensor": tf.ones([3])}),
}
# By name: statements in which nothing, or not every path, needs X, whose value is a number.
CONTEXTS = {
  "statement": ["X"],
  "name": ["k = X"],
  "overwritten": ["k = X", "if n.number: k = 3", "total += k"],
  "one branch": ["k = X", "if n.number: total += 1", "else: total = k"],
  "list": ["bool([X])"],
  "length": ["total += len([X, X])"],
  "dict": ["total += len(dict(a=X))"],
  "other item": ["total += (n.number, X)[0]"],
  "test": ["total += 1 if X is None or True else 2"],
  "any": ["total += any(q for q in (True, X))"],
  "helper": ["total += ignores(X)"],
  "loop": ["for m in range(2): X"],
  "overwritten in a loop": ["k = 0", "for m in range(n.number):", "  k = X", "  if m >= 0: k = 4"],
  "comprehension": ["total += len([X for m in n.items])"],
  "other of a comprehension": ["total += sum([(X, m)[1] for m in n.items])"],
  "filter": ["total += sum(1 for m in (1, 2) if X is None or True)"],
  "augmented": ["k = 0", "k += X", "total += n.number"],
}


def ignores(_):
  """Returns a number, whatever it is given."""
  return 1


def _node(changes):
  kid = Node(1, [1, 1])
  given = {"number": 2, "items": [1, 1, 1], "kids": [kid], "text": "aaa"}
  given["other"] = Node(1, [1])
  given |= GOOD
  if changes is None:
    del given["mark"]
  return Node(**(given | (changes or {})))


def _function(expression, context):
  text = "\n  ".join(CONTEXTS[context]).replace("X", f"({EXPRESSIONS[expression][0]})")
  source = f"def f(n):\n  total = 0\n  {text}\n  return total\n"
  return compiled(source, "f", TABLE=TABLE, WEIGHTS=WEIGHTS, tf=tf, ignores=ignores)


def _outcome(function, node):
  try:
    return "returns", int(function(node))
  except Exception as error:  # noqa: BLE001
    return "raises", type(error).__name__


@pytest.mark.parametrize("decorator", ["recursive", "function"])
@pytest.mark.parametrize("scheduler", ["batched", "concurrent"])
@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_exception_is_raised_though_the_value_is_not_used(
  expression, context, scheduler, decorator, monkeypatch
):
  monkeypatch.setenv("RECURSIVE_TF_SCHEDULER", scheduler)
  plain = _function(expression, context)
  converted = getattr(rtf, decorator)(plain, verify=False)
  bad = EXPRESSIONS[expression][1]
  if expression == "division":
    bad = {"number": 1}
  for changes in ({}, {}, {}, {}, bad, {}, bad):
    node = _node(changes)
    assert _outcome(converted, node) == _outcome(plain, node)
