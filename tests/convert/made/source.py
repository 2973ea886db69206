"""Programs that make objects of recursive form, by levels: of which parts, where, how shared."""

import textwrap

DIMENSIONS = {
  "what": (
    "own", "slots", "dataclass", "frozen", "named_tuple", "tuple", "list", "dict", "nested_dict"
  ),
  "part": (
    "number", "float", "string", "made_string", "tensor", "old_node", "old_list", "new_node",
    "none", "maybe", "mixed_list", "both_kinds",
  ),
  "where": ("comprehension", "loop", "attribute", "binary", "argument", "chain", "closure"),
  "end": ("plain", "old", "none", "number", "string", "early", "expression"),
  "shared": ("no", "twice", "in_list", "beside", "with_old", "kept", "in_two", "passed"),
}  # fmt: skip

HEADER = """
import collections
import dataclasses
import tensorflow as tf

class Own:
  def __init__(self, part, kids=None):
    self.part = part
    self.kids = [] if kids is None else kids

class Slots:
  __slots__ = ("part", "kids")
  def __init__(self, part, kids=()):
    self.part = part
    self.kids = kids

@dataclasses.dataclass
class Data:
  part: object
  kids: object = None

@dataclasses.dataclass(frozen=True)
class Frozen:
  part: object
  kids: object = None

Named = collections.namedtuple("Named", "part kids")
W = tf.constant([1.0, 2.0])
"""

_WHAT = {
  "own": "Own({p}, {k})",
  "slots": "Slots({p}, {k})",
  "dataclass": "Data({p}, {k})",
  "frozen": "Frozen({p}, {k})",
  "named_tuple": "Named({p}, {k})",
  "tuple": "({p}, {k})",
  "list": "[{p}, {k}]",
  "dict": "{{'part': {p}, 'kids': {k}}}",
  "nested_dict": "{{'in': {{'part': {p}}}, 'kids': ({k}, 1)}}",
}
_PART = {
  "number": "n.v * 2 + 1",
  "float": "n.v / 2",
  "string": "n.name",
  "made_string": "n.name + '/' + str(n.v)",
  "tensor": "W * n.v",
  "old_node": "n",
  "old_list": "n.kids",
  "new_node": "Own(n.v)",
  "none": "None",
  "maybe": "(n.v if n.flag else None)",
  "mixed_list": "[n, Own(n.v), None]",
  "both_kinds": "(n if n.flag else Own(n.name))",
}
_END = {
  "plain": "",
  "old": "if n.flag:\n  return n",
  "none": "if n.flag:\n  return None",
  "number": "if n.flag:\n  return n.v",
  "string": "if n.flag:\n  return n.name",
  "early": "if n.v % 3 == 0:\n  return {leaf}",
  "expression": "",
}
_WHERE = {
  "comprehension": "kids = [make(k) for k in n.kids]",
  "loop": "kids = []\nfor k in n.kids:\n  kids.append(make(k))",
  "attribute": "kids = [make(k) for k in n.kids if k.v != 2]",
  "binary": "kids = (make(n.left), make(n.right))",
  "argument": "kids = [make(k, {extra}) for k in n.kids]",
  "chain": "kids = None\nfor k in n.kids:\n  kids = {link}",
  "closure": "def inner(k):\n  return make(k)\nkids = [inner(k) for k in n.kids]",
}
_SHARED = {
  "no": "return {made}",
  "twice": "x = {other}\nreturn {twice}",
  "in_list": "x = {other}\nreturn {in_list}",
  "beside": "x = {other}\ny = {made}\nreturn {beside}",
  "with_old": "x = {other} if n.flag else n\nreturn {twice}",
  "kept": "x = {made}\nn.made = x\nreturn x",
  "in_two": "x = {other}\na = {one}\nb = {one}\nreturn {pair}",
  "passed": "x = {other}\nreturn wrap(n, x)",
}


def generate(what, part, where, end, shared):
  """Returns the source of a module with the function `make`."""

  def made(p, k):
    return _WHAT[what].format(p=p, k=k)

  part = _PART[part]
  names = {
    "leaf": made(part, "None"),
    "link": made("k.v", "kids"),
    "made": made(part, "kids"),
    "other": made(part, "None"),
    "twice": made("x", "(x, kids)"),
    "in_list": made("[x, x]", "kids"),
    "beside": "[x, [y, x], y]",
    "one": made("x", "None"),
    "pair": made("(a, b)", "kids"),
    "extra": made("n.v", "None"),
  }
  lines = []
  if where == "binary":
    lines += ["if n is None:", "  return None"]
  lines += _END[end].format(**names).splitlines()
  lines += _WHERE[where].format(**names).splitlines()
  tail = _SHARED[shared].format(**names).splitlines()
  if end == "expression":
    tail[-1] = tail[-1].replace("return ", "return n if n.flag else ", 1)
  lines += tail
  parameters = "n, extra=None" if where == "argument" else "n"
  source = HEADER + f"\ndef make({parameters}):\n" + textwrap.indent("\n".join(lines), "  ") + "\n"
  return source + f"\ndef wrap(n, x):\n  return {made('x', '(x, n)')}\n"
