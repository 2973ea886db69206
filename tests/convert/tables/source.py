"""Programs that look weights, layers and functions up by what the run finds, by levels."""

import textwrap

DIMENSIONS = {
  "key": ("length", "number", "name", "enum", "pair", "mixed", "put_together", "length_pair"),
  "holder": ("dict", "global", "module", "keras_model", "list"),
  "value": (
    "variable", "shapes", "tensor", "array", "number", "string", "tuple", "layer", "function",
    "logging", "object", "method", "property", "layer_and_weight", "same",
  ),
  "read": ("item", "missing", "get", "get_none", "if_in", "twice"),
  "change": ("none", "assigned", "replaced", "added", "removed", "node", "attribute"),
}  # fmt: skip

_HEADER = """
import enum
import numpy as np
import tensorflow as tf

class Kind(enum.Enum):
  A = 1
  B = 2
  C = 3

class Node:
  def __init__(self, v, name, kind, *kids):
    self.v, self.name, self.kind, self.kids = v, name, kind, list(kids)

def leaf(v=1):
  return Node(v, "c", Kind.C)

def tree():
  left, right = Node(0, "b", Kind.B, leaf(0), leaf()), Node(2, "c", Kind.A, leaf())
  return Node(1, "a", Kind.A, left, leaf(2), right)

def rnd(seed, *shape):
  return tf.random.stateless_uniform(shape, [seed, 3], -1.0, 1.0)

class Cell:
  def __init__(self, i):
    self.w, self.scale = tf.Variable(rnd(i, 3)), float(i + 1)
  def __call__(self, x):
    return x * self.w * self.scale
  def step(self, x):
    LOG.append("step")
    return self(x) + 1.0
  @property
  def weight(self):
    LOG.append("weight")
    return self.w

class Holder(tf.Module):
  pass

class Model(tf.keras.Model):
  pass

def dense(i):
  layer = tf.keras.layers.Dense(3, kernel_initializer=tf.keras.initializers.Constant(0.1 * (i + 1)))
  layer.build((None, 3))
  return layer

def logging(i):
  def apply(x):
    LOG.append(i)
    return x * (i + 1.0)
  return apply

def plain(i):
  return lambda x: x * (i + 1.0)

LOG, TABLE = [], {}
E = tf.Variable(rnd(99, 4, 3))
"""

_KEYS = {  # What the keys are, and how the program asks for one.
  "length": ("[0, 1, 2, 3]", "len(n.kids)"),
  "number": ("[0, 1, 2, 3]", "n.v"),
  "name": ("['a', 'b', 'c', 1]", "n.name"),
  "enum": ("[Kind.A, Kind.B, Kind.C]", "n.kind"),
  "pair": ("[(a, b) for a in 'abc' for b in 'abc']", "n.name, n.kids[0].name if n.kids else 'c'"),
  "mixed": ("[(k, v, 'x') for k in Kind for v in range(3)]", "n.kind, n.v, 'x'"),
  "put_together": (
    "[f'{a}{b}' for a in 'abc' for b in range(4)]",
    "f'{n.name}{len(n.kids)}'",
  ),
  "length_pair": ("[(a, b) for a in range(4) for b in 'abc']", "len(n.kids), n.name"),
}
_LIST_KEYS = {"length": "len(n.kids)", "number": "n.v"}  # Else the number of children, too.
_VALUES = {  # What an entry is, and what is done with one.
  "variable": ("tf.Variable(rnd(i, 3))", "h * {x}"),
  "shapes": ("tf.Variable(rnd(i, 1 + i % 3, 3))", "h * tf.reduce_sum({x}, 0)"),
  "tensor": ("rnd(i, 3)", "h * {x}"),
  "array": ("rnd(i, 3).numpy()", "h * {x}"),
  "number": ("i + 0.5", "h * {x}"),
  "string": ("'w' * (i % 3)", "h * float(len({x}))"),
  "tuple": ("(tf.Variable(rnd(i, 3)), tf.Variable(rnd(i + 50, 3)))", "pair({x}, h)"),
  "layer": ("dense(i)", "{x}(h[None])[0]"),
  "function": ("plain(i)", "{x}(h)"),
  "logging": ("logging(i)", "{x}(h)"),
  "object": ("Cell(i)", "{x}(h) + {x}.w"),
  "method": ("Cell(i)", "{x}.step(h)"),
  "property": ("Cell(i)", "{x}.weight * h"),
  "layer_and_weight": ("(dense(i), tf.Variable(rnd(i, 3)))", "both({x}, h)"),
  "same": ("SAME", "{x}(h)"),
}
_OTHER = {  # What stands for an entry that is not there.
  "variable": "OTHER",
  "shapes": "OTHER[None]",
  "tensor": "OTHER",
  "array": "OTHER",
  "number": "2.0",
  "string": "'other'",
  "tuple": "(OTHER, OTHER)",
  "layer": "LAYER",
  "layer_and_weight": "(LAYER, OTHER)",
  "object": "CELL",
  "method": "CELL",
  "property": "CELL",
}
_READS = {
  "item": "return {use}",
  "missing": "return {use}",
  "get": "w = {table}.get(({key}), {other})\nreturn {use_w}",
  "get_none": "w = {table}.get(({key}))\nif w is None:\n  return h - 1.0\nreturn {use_w}",
  "if_in": "if ({key}) in {table}:\n  return {use}\nreturn h - 1.0",
  "twice": "w = {table}[{key}]\nh = {use_w}\nreturn h + {use_w}",
}
_CHANGES = {
  "none": "pass",
  "assigned": "[v.assign(v + 1.0) for v in weights()]",
  "replaced": "TABLE[first] = TABLE[last]",
  "added": "TABLE[{new}] = TABLE[first]",
  "removed": "del TABLE[last]",
  "node": "t.name, t.v, t.kind = 'c', 2, Kind.C\n  t.kids[1].kids.append(leaf())",
  "attribute": "[setattr(cell, 'scale', 7.0) for cell in cells()]",
}


def generate(key, holder, value, read, change):
  """Returns the source of a module for `fuzz.runner`."""
  is_list = holder == "list"
  keys, asked = _KEYS[key]
  asked = _LIST_KEYS.get(key, "len(n.kids) % 3") if is_list else asked
  entry, use = _VALUES[value]
  table = {"global": "TABLE", "module": "m.table", "keras_model": "m.table"}.get(holder, "table")
  got = f"{table}[{asked}]"
  names = {"table": table, "key": asked, "other": _OTHER.get(value, "plain(3)")}
  names |= {"use": use.format(x=got), "use_w": use.format(x="w")}
  # Lists have no `get`, and are asked for what is there.
  is_whole = not is_list or read in ("item", "missing", "twice")
  body = _READS[read if is_whole else "item"].format(**names)
  keys = "range(4)" if is_list else keys
  made = (
    f"[{entry} for i in {keys}]" if is_list else f"{{k: {entry} for i, k in enumerate({keys})}}"
  )
  lines = [
    f"made = {made}",
    "made.pop()" if is_list else "",
    "TABLE.clear()" if not is_list else "",
    "TABLE.update(made)" if not is_list else "TABLE = made",
    "if " + repr(read in ("missing", "get", "get_none", "if_in")) + ":",
    "  TABLE.pop()" if is_list else "  TABLE.pop([*TABLE][1])",
  ]
  setup = textwrap.indent("\n".join(line for line in lines if line), "  ")
  kept = {
    "module": "  m = Holder()\n  m.table = TABLE\n  TABLE = m.table\n",
    "keras_model": "  m = Model()\n  m.table = TABLE\n  TABLE = m.table\n",
  }.get(holder, "  table = TABLE\n")
  level, change = change, _CHANGES[change].format(new="'new'" if key == "name" else "99")
  if is_list:
    change = _CHANGES[level].format(new=99)
    change = "TABLE.append(TABLE[0])" if level == "added" else change
  return f"""{_HEADER}
SAME = plain(1)
OTHER = tf.Variable(rnd(77, 3))
LAYER = dense(5)
CELL = Cell(6)

def pair(x, h):
  w, b = x
  return h * w + b

def both(x, h):
  return x[0](h[None])[0] * x[1]

def weights():
  found = [OTHER, E, CELL.w, *LAYER.trainable_variables]
  values = TABLE.values() if isinstance(TABLE, dict) else TABLE
  for value in values:
    for part in value if isinstance(value, tuple) else (value,):
      part = getattr(part, "w", part)
      if isinstance(part, tf.keras.layers.Layer):
        found += part.trainable_variables
      if isinstance(part, tf.Variable):
        found.append(part)
  return [v if isinstance(v, tf.Variable) else v.value for v in found]

def cells():
  return [v for v in (TABLE.values() if isinstance(TABLE, dict) else TABLE) if isinstance(v, Cell)]

def build(recursive):
  global TABLE
{setup}
{kept}
  @recursive
  def visit(n):
    h = tf.gather(E, n.v)
    for k in n.kids:
      h += visit(k)
{textwrap.indent(body, "    ")}

  return visit, [LOG, *weights()]

def calls():
  first, last = (0, -1) if isinstance(TABLE, list) else ([*TABLE][0], [*TABLE][-1])
  t = tree()
  yield (t,)
  yield (leaf(2),)
  yield (t,)
  {change}
  yield (t,)
  yield (leaf(),)
"""
