"""Programs that give back what something holds, a variable or an array, or make it, by levels."""

import textwrap

DIMENSIONS = {
  "what": ("variable", "two_variables", "variable_or_array", "array", "by_class"),
  "where": (
    "global", "closure", "self", "node", "node_or_none", "dict", "list", "passed_in", "tuple",
  ),
  "other": ("made", "tensor_of_node", "another", "none", "argument", "made_of_call"),
  "how": (
    "ternary", "if_else", "early_return", "loop", "handed_on", "unpacked", "helper", "default",
  ),
  "result": (
    "plain", "tuple", "list", "dict", "object", "named", "nested", "appended", "kept", "memo",
    "longest", "beside_depth",
  ),
  "use": (
    "add", "product", "stack", "item", "isinstance", "length", "in_place", "compared", "size",
    "not_used", "reduced",
  ),
}  # fmt: skip

_HEADER = """
import collections
import dataclasses
import numpy as np
import tensorflow as tf

class Node:
  def __init__(self, v, flag, *kids, w=None, x=None):
    self.v, self.flag, self.kids, self.w, self.x, self.kept = v, flag, list(kids), w, x, None

@dataclasses.dataclass
class State:
  h: object
  depth: int

Pair = collections.namedtuple("Pair", "h depth")

def vector(i):
  return [0.5 * i, -0.25, 1.0 + i]

{held}

def tensor(i):
  return tf.constant(vector(i)) * 0.5

def tree():
  a, b, c, d = (HELD[i % len(HELD)] for i in range(4))
  left = Node(1, True, Node(2, False, w=b, x=tensor(2)), w=a, x=tensor(1))
  right = Node(3, True, Node(4, True, w=d, x=tensor(4)), Node(0, False, w=a, x=tensor(0)), w=c,
               x=tensor(3))
  return Node(1, False, left, right, w=d, x=tensor(5))

def leaf(i=0, flag=True):
  return Node(i, flag, w=HELD[i % len(HELD)], x=tensor(i))

def calls():
  yield tree()
  for i in range(3):
    yield leaf(i)
    yield leaf(i, False)
  chain = leaf(1)
  for i in range(4):
    chain = Node(i, i % 3 == 0, chain, w=HELD[(i + 1) % len(HELD)], x=tensor(i))
  yield chain
"""
_HELD = {
  "variable": "HELD = [tf.Variable(vector(1))]",
  "two_variables": "HELD = [tf.Variable(vector(1)), tf.Variable(vector(2))]",
  "variable_or_array": (
    "HELD = [tf.Variable(vector(1)), np.array(vector(2), np.float32), tf.Variable(vector(0))]"
  ),
  "array": "HELD = [np.array(vector(1)), np.array(vector(2))]",
  "by_class": (
    "class Weight(tf.Module):\n  def __init__(self, w):\n    self.w = w\n"
    "HELD = [tf.Variable(vector(1)), tf.constant(vector(2)), tf.Variable(vector(0))]"
  ),
}
_WHERE = {  # An expression for what is held, of the node `n`.
  "global": "HELD[0]",
  "closure": "held",
  "self": "model.w",
  "node": "n.w",
  "node_or_none": "(n.w if n.w is not None else held)",
  "dict": "TABLE[n.v % len(HELD)]",
  "list": "HELD[n.v % len(HELD)]",
  "passed_in": "given",
  "tuple": "PARTS[1]",
}
_OTHER = {
  "made": "{made}",
  "tensor_of_node": "n.x",
  "another": "HELD[-1]",
  "none": "None",
  "argument": "last",
  "made_of_call": "double({made})",
}
_HOW = {  # How `h` becomes what is held, or the other.
  "ternary": "h = {a} if n.flag else {b}",
  "if_else": "if n.v > 1:\n  h = {a}\nelse:\n  h = {b}",
  "early_return": "if n.flag and not n.kids:\n  {give_a}\nh = {b}",
  "loop": "h = {a}\nfor k in n.kids:\n  if k.flag:\n    h = {b}",
  "handed_on": "h = {a} if n.flag else last",
  "unpacked": "h, g = ({a}, {b}) if n.flag else ({b}, {a})",
  "helper": "h = choose(n, given, last)",
  "default": "h = {a}\nif n.kids:\n  h = {b}",
}
_GIVE = {  # How `{}` leaves the function; and how a caller takes it out again.
  "plain": ("return {}", "r"),
  "tuple": ("return {}, n.v", "r[0]"),
  "list": ("return [{}]", "r[0]"),
  "dict": ("return {{'h': {}, 'v': n.v}}", "r['h']"),
  "object": ("return State({}, n.v)", "r.h"),
  "named": ("return Pair({}, n.v)", "r.h"),
  "nested": ("return ({}, n.v), [n.v]", "r[0][0]"),
  "appended": ("LOG.append({})\nreturn LOG[-1]", "r"),
  "kept": ("n.kept = {}\nreturn n.kept", "r"),
  "memo": ("MEMO[n.v] = {}\nreturn MEMO[n.v]", "r"),
  "longest": ("return [*found, {}]", "r[-1]"),
  "beside_depth": ("return n.v, {}", "r[1]"),
}
_USE = {
  "add": "h = h + below",
  "product": "h = h * below * 0.5",
  "stack": "h = tf.reduce_max(tf.stack([h, below]), 0)",
  "item": "h = h * below[1]",
  "isinstance": "h = h if isinstance(below, tf.Variable) else h + 1.0",
  "length": "h = h * len(below)",
  "in_place": "h += below",
  "compared": "h = below if tf.reduce_sum(below) > tf.reduce_sum(h) else h",
  "size": "h = h * below.shape[0]",
  "not_used": "h = h if n.flag else below",
  "reduced": "h = h + tf.reduce_mean(below)",
}


def generate(what, where, other, how, result, use):
  """Returns the source of a module: `build(recursive)` gives the function, `calls()` nodes."""
  a = _WHERE[where]
  made = "np.array(vector(n.v))" if what == "array" else "tf.constant(vector(n.v))"
  b = _OTHER[other].format(made=made)
  give, take = _GIVE[result]
  choice = _HOW[how].format(a=a, b=b, give_a=give.format(a).replace("\n", "\n  "))
  return f"""{_HEADER.format(held=_HELD[what])}
TABLE = dict(enumerate(HELD))
PARTS = (0.5, HELD[-1])
LOG, MEMO = [tensor(0)], {{}}

class Model:
  pass

def double(x):
  return x * 2.0

def build(recursive):
  held, model = HELD[0], Model()
  model.w = HELD[-1]

  def choose(n, given, last):
    if n.flag:
      return {a}
    return {b}

  @recursive
  def visit(n, given, last):
    found = []
    h = None
{textwrap.indent(choice, "    ")}
    for k in n.kids:
      r = visit(k, given, h)
      below = {take}
      if h is not None and below is not None:
        {_USE[use]}
      else:
        h = below
{textwrap.indent(give.format("h"), "    ")}

  return visit
"""
