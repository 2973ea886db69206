"""Programs that choose a function or class by what the run finds, and use it, by levels."""

import textwrap

DIMENSIONS = {
  "what": (
    "max_min", "math", "operator", "plain", "logging", "defaults", "class", "dataclass", "kind",
    "layer", "method", "many", "lambda", "same", "none",
  ),
  "how": (
    "ternary", "if_else", "if_only", "elif", "helper", "loop", "handed_on", "argument", "attribute",
    "unpacked", "node",
  ),
  "use": (
    "call", "twice", "inside_loop", "mapped", "compared", "named", "in_list", "in_tuple", "in_dict",
    "in_object", "enclosed", "returned", "written", "given", "under_condition", "reduced",
  ),
}  # fmt: skip

_HEADER = """
import dataclasses
import functools
import math
import operator
import tensorflow as tf

class Node:
  def __init__(self, v, flag, *kids):
    self.v, self.flag, self.kids, self.kept = v, flag, list(kids), None

def leaf(v=1.0, flag=True):
  return Node(v, flag)

def tree():
  left, right = Node(0.5, False, leaf(2.0), leaf(3.0, False)), Node(2.0, True, leaf(0.25))
  return Node(1.0, True, left, leaf(4.0, False), right)

def deep(n):
  node = leaf(0.5)
  for i in range(n):
    node = Node(i * 0.25, i % 3 == 0, node)
  return node

LOG = []

def twice(x):
  return x * 2.0

def half(x):
  return x / 2.0

def third(x):
  return x / 3.0

def log_a(x):
  LOG.append(("a", x))
  return x + 1.0

def log_b(x):
  LOG.append(("b", x))
  return x - 1.0

def by_default(x, k=3.0):
  return x * k

def more_defaults(x, k=2.0, j=1.0):
  return x * k + j

class One:
  def __init__(self, v):
    self.v = v
  def value(self):
    return self.v + 1.0

class Two:
  def __init__(self, v):
    self.v, self.w = v, v * 2.0
  def value(self):
    return self.v + self.w

@dataclasses.dataclass
class Three:
  v: float
  def value(self):
    return self.v

@dataclasses.dataclass
class Four:
  v: float
  w: float = 5.0
  def value(self):
    return self.v * self.w

class Model:
  def __init__(self):
    self.scale = 2.0
  def up(self, x):
    return x * self.scale
  def down(self, x):
    return x / self.scale

MODEL = Model()

def dense(i):
  layer = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.Constant(0.1 * (i + 1)))
  layer.build((None, 1))
  return layer

LAYERS = [dense(0), dense(1), dense(2)]

def of_layer(layer, x):
  return layer(tf.reshape(tf.cast(x, tf.float32), [1, 1]))[0, 0]
"""

# What is chosen, three of them, and what is computed with one and `x`.
_WHAT = {
  "max_min": (("max", "min", "max"), "{f}(x, 1.5)"),
  "math": (("math.sin", "math.cos", "math.exp"), "{f}(x)"),
  "operator": (("operator.add", "operator.mul", "operator.sub"), "{f}(x, 2.0)"),
  "plain": (("twice", "half", "third"), "{f}(x)"),
  "logging": (("log_a", "log_b", "twice"), "{f}(x)"),
  "defaults": (("by_default", "more_defaults", "twice"), "{f}(x)"),
  "class": (("One", "Two", "One"), "{f}(x).value()"),
  "dataclass": (("Three", "Four", "Two"), "{f}(x).value()"),
  "kind": (("int", "float", "str"), "float({f}(x))"),
  "layer": (("LAYERS[0]", "LAYERS[1]", "LAYERS[2]"), "of_layer({f}, x)"),
  "method": (("MODEL.up", "MODEL.down", "MODEL.up"), "{f}(x)"),
  "many": (("abs", "twice", "math.sqrt"), "{f}(x)"),
  "lambda": (("(lambda x: x + 1.0)", "(lambda x: x * k)", "half"), "{f}(x)"),
  "same": (("half", "half", "half"), "{f}(x)"),
  "none": (("math.cos", "None", "half"), "(x if {f} is None else {f}(x))"),
}
_HOW = {  # How `f` becomes one of a, b and c.
  "ternary": "f = {a} if n.flag else {b}",
  "if_else": "if n.v > 1.0:\n  f = {a}\nelse:\n  f = {b}",
  "if_only": "f = {a}\nif n.flag:\n  f = {b}",
  "elif": "if n.flag:\n  f = {a}\nelif n.v > 1.0:\n  f = {b}\nelse:\n  f = {c}",
  "helper": "f = choose(n)",
  "loop": (
    "f = {a}\nfor kid in n.kids:\n  if kid.flag:\n    f = {b}\n  elif kid.v > 3.0:\n    f = {c}"
  ),
  "handed_on": "f = {a} if n.flag else handed",
  "argument": "f = take({a} if n.flag else {b})",
  "attribute": "box = Box()\nbox.f = {a} if n.flag else {b}\nf = box.f",
  "unpacked": "f, g = ({a}, {b}) if n.flag else ({b}, {c})",
  "node": "f = n.kids[0].kept if n.kids and n.kids[0].kept else {a}",
}
_USE = {
  "call": "return x + {use}",
  "twice": "y = {use}\nx = y + 1.0\nreturn y + {use}",
  "inside_loop": "for _ in n.kids:\n  x = x + {use}\nreturn x",
  "mapped": "return x + sum([{use} for x in [k.v for k in n.kids]])",
  "compared": "return {use} if f is {a} else x + (1.0 if f == {b} else 0.0)",
  "named": "LOG.append(getattr(f, '__name__', '?'))\nreturn x",
  "in_list": "fs = [f, {a}]\nreturn x + {use_0}",
  "in_tuple": "pair = (x, f)\nx, g = pair\nreturn x + {use_g}",
  "in_dict": "d = {{'f': f, 'x': x}}\nf = d['f']\nreturn {use}",
  "in_object": "box = Box()\nbox.f = f\nreturn apply(box, x)",
  "enclosed": "def inner(x):\n  return {use}\nreturn inner(x) + inner(x + 1.0)",
  "returned": "return pick_last(n, f)",
  "written": "n.kept = f\nreturn x",
  "given": "return given(f, x)",
  "under_condition": "if x > 1.0:\n  x = {use}\nreturn x",
  "reduced": "return x + sum(given(f, k.v) for k in n.kids)",
}


def generate(what, how, use):
  """Returns the source of a module for `fuzz.runner`."""
  (a, b, c), text = _WHAT[what]
  names = {"a": a, "b": b, "c": c}
  uses = {"use": text.format(f="f"), "use_0": text.format(f="fs[0]"), "use_g": text.format(f="g")}
  body = f"k = n.v\n{_HOW[how].format(**names)}\n{_USE[use].format(**names, **uses)}"
  handed = ", handed=" + c if how == "handed_on" else ""
  hand_on = ", f" if how == "handed_on" else ""
  call = f"visit(k{', ' + (b if use == 'returned' else a) if hand_on else ''})"
  add = "x = x + 0.5 * one" if use != "returned" else "last = one"
  return f"""{_HEADER}
class Box:
  pass

def take(f):
  return f

def apply(box, x):
  return {text.format(f="box.f")}

def given(f, x):
  return {text.format(f="f")}

def pick_last(n, f):
  return f if n.v < 3.0 else {c}

def build(recursive):
  del LOG[:]
  k = 2.0

  def choose(n):
    if n.flag:
      return {a}
    return {b}

  @recursive
  def visit(n{handed}):
    x = n.v
    for k in n.kids:
      one = {call}
      {add}
{textwrap.indent(body, "    ")}

  return visit, [LOG, MODEL]

def calls():
  t = tree()
  yield (t,)
  yield (leaf(2.0),)
  yield (deep(4),)
  t.kids[0].flag, t.kids[1].v = True, 0.125
  yield (t,)
"""
