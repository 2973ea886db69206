"""Lists of tensors, variables and arrays of several ranks and dtypes: the parameters of a tree."""

import re

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import agrees, of_text

WRAPS = {"tensors": tf.constant, "variables": tf.Variable, "arrays": np.asarray}


class Inner:
  def __init__(self, w, b, left, right):
    self.w, self.b, self.left, self.right = w, b, left, right


class Leaf:
  def __init__(self, logits):
    self.logits = logits


def tree(depth, wrap, seed=1.0):
  if not depth:
    return Leaf(wrap(np.array([[seed, 2.0, 3.0]], np.float32)))
  w, b = (wrap(np.array(value, np.float32)) for value in ([seed, 0.5], seed * 3.0))
  return Inner(w, b, tree(depth - 1, wrap, 2 * seed), tree(depth - 1 - depth // 3, wrap, seed + 1))


COLLECTED = {
  "displays": """
def f(n):
  if isinstance(n, Leaf):
    return [n.logits]
  return [n.w, n.b] + f(n.left) + f(n.right)
""",
  "appended": """
def f(n):
  out = []
  if isinstance(n, Leaf):
    out.append(n.logits)
    return out
  out.append(n.w)
  out.append(n.b)
  out.extend(f(n.left))
  out += f(n.right)
  return out
""",
  "one_at_a_time": """
def f(n):
  if isinstance(n, Leaf):
    return [n.logits]
  return [*f(n.left), n.w, *f(n.right), n.b]
""",
  "pairs": """
def f(n):
  if isinstance(n, Leaf):
    return [("logits", n.logits)]
  return [("w", n.w), ("b", n.b)] + f(n.left) + f(n.right)
""",
  "nested": """
def f(n):
  if isinstance(n, Leaf):
    return [n.logits]
  return [[n.w, n.b], f(n.left), f(n.right)]
""",
  "tuples": """
def f(n):
  if isinstance(n, Leaf):
    return (n.logits,)
  return (n.w, n.b) + f(n.left) + f(n.right)
""",
  "by_name": """
def f(n, path="root"):
  if isinstance(n, Leaf):
    return {path + ".logits": n.logits}
  own = {path + ".w": n.w, path + ".b": n.b}
  return {**own, **f(n.left, path + ".l"), **f(n.right, path + ".r")}
""",
}


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("how", COLLECTED)
def test_collected(how, wrap):
  depths = 0, 1, 2, 4, 1
  agrees(
    of_text(COLLECTED[how], Leaf=Leaf), lambda: [(tree(depth, WRAPS[wrap]),) for depth in depths]
  )


def test_collected_in_a_list_that_is_passed_in():
  text = """
def f(n, out):
  if isinstance(n, Leaf):
    out.append(n.logits)
    return
  out.append(n.w)
  out.append(n.b)
  f(n.left, out)
  f(n.right, out)
"""
  agrees(of_text(text, Leaf=Leaf), lambda: [(tree(d, tf.Variable), []) for d in (0, 1, 2, 3)])


MADE = {
  "doubled": "[2.0 * n.w, n.b + 1.0]",
  "reduced": "[n.w, tf.reduce_sum(n.w)]",
  "cast": "[tf.cast(n.w, tf.int32), n.b]",
  "outer": "[n.w[:, None] * n.w, n.w]",
  "as_read": "[n.w, n.b]",
  "number_beside": "[n.w, 1.0]",
  "none_beside": "[n.w, None, n.b]",
  "string_beside": "[n.w, 'b', n.b]",
  "of_no_elements": "[n.w[:0], n.b]",
}
USES = {
  "returned": "parts",
  "length": "len(parts)",
  "sizes": "[tf.size(x) for x in parts]",
  "sums": "sum(tf.reduce_sum(tf.cast(x, tf.float32)) for x in parts)",
  "last": "parts[-1]",
  "by_index": "parts[len(parts) // 2]",
  "squares": "[x * x for x in parts]",
  "shapes": "[x.shape.rank for x in parts]",
  "reversed": "parts[::-1]",
  "stacked": "tf.stack(parts)",
  "in_pairs": "[(i, x) for i, x in enumerate(parts)]",
  "filtered": "[x for x in parts if x is not None]",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("made", MADE)
def test_made_and_used(made, use):
  text = f"""
def collect(n):
  if isinstance(n, Leaf):
    return [n.logits]
  return {MADE[made]} + collect(n.left) + collect(n.right)

def f(n):
  parts = collect(n)
  if isinstance(n, Leaf):
    return {USES[use]}
  return [{USES[use]}, f(n.left)]
"""
  calls = 0, 1, 3, 2
  agrees(of_text(text, Leaf=Leaf, tf=tf), lambda: [(tree(d, tf.constant),) for d in calls])


@pytest.mark.slow
@pytest.mark.parametrize("how", ["displays", "appended", "tuples", "one_at_a_time"])
def test_gradients(how):
  collect = re.sub(r"\bf\(", "collect(", COLLECTED[how])
  text = f"""{collect}
def f(n):
  total = 0.0
  for i, x in enumerate(collect(n)):
    total += tf.reduce_sum(x * x) * (i + 1.0)
  return total
"""

  def weights(n):
    if isinstance(n, Leaf):
      return [n.logits]
    return [n.w, n.b, *weights(n.left), *weights(n.right)]

  trees = [tree(depth, tf.Variable) for depth in (0, 1, 2, 3)]
  everything = [w for n in trees for w in weights(n)]
  agrees(
    of_text(text, Leaf=Leaf, tf=tf),
    lambda: [(n,) for n in trees],
    variables=lambda function, state: everything,
  )


def test_one_of_some_with_a_tensor_of_any_rank():
  """What a read gives that is of several ranks has no sizes to look at."""
  text = """
def f(n):
  parts = [n.w, tf.cast(n.b, tf.int32)]
  return parts[len(n.kids) % 2], [f(k) for k in n.kids]
"""

  class Node:
    def __init__(self, w, b, *kids):
      self.w, self.b, self.kids = w, b, list(kids)

  def calls():
    for rank in (1, 0, 3, 2):
      leaf = Node(tf.constant([[1.0, 2.0]]), tf.ones([1] * rank))
      yield (Node(tf.constant([[1.0, 2.0]]), tf.constant([1.0, 2.0]), leaf),)

  agrees(of_text(text, tf=tf), calls)
