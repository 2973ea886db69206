"""What looks at the shape of its argument alone, and is given None in some calls."""

import pytest
import tensorflow as tf

from tests.convert.agreement import Node, agrees, of_text

ASKED = ["tf.rank(n.v)", "tf.shape(n.v)", "tf.size(n.v)", "tf.zeros_like(n.v)", "tf.ones_like(n.v)"]
BEFORE = {"int": [0], "int and bool": [0, True], "int and float": [1, 0.5], "all": [True, 0, None]}
BODIES = {
  "returned": "return {asked}, [f(kid) for kid in n.kids]",
  "unused": "{asked}\n  return [f(kid) for kid in n.kids]",
  "caught": """
  try:
    found = {asked}
  except ValueError:
    found = None
  return found, [f(kid) for kid in n.kids]""",
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("before", BEFORE)
@pytest.mark.parametrize("asked", ASKED)
def test_none_raises_as_in_python(asked, before, body):
  def node(v, *kids):
    return Node(v, True, "n", *kids)

  def calls():
    first = BEFORE[before][0]
    trees = [node(v) for v in BEFORE[before]]
    return [(one,) for one in [*trees, node(first, node(None), node(first)), node(None)]]

  text = f"def f(n):\n  {BODIES[body].format(asked=asked)}\n"
  agrees(of_text(text, tf=tf), calls)
