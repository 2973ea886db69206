"""The trees of random programs, and what happens to the world between calls, as source text."""

import re

# By attribute: what a node has there, in terms of `make`'s parameters.
_FIELDS = {
  "v": "v",
  "w": "v * 0.5 + 0.25",
  "flag": "flag",
  "name": "name",
  "x": "tf.constant([v * 0.5, 1.0 - v * 0.25])",
  "array": "np.array([v * 0.5, 1.0 - v * 0.25], np.float32)",
  "box": "Box(v)",
  "op": "Op.ADD if flag else Op.NEG",
  "nums": "[v + i for i in range(len(kids))]",
  "items": "EMPTY",
  "kids": "list(kids)",
  "named": "{k.name: k for k in kids}",
  "left": "kids[0] if kids else None",
  "right": "kids[1] if len(kids) > 1 else None",
  "kept": "None",
  "seen": "0",
}


def node_source(kind, body, empty):
  """Returns the source of the class of nodes and of `make`, with the attributes that `body` reads.

  Args:
    kind: the level of the dimension "node".
    body: the program's source.
    empty: the expression of an empty collection.
  """
  fields = {f: _FIELDS[f] for f in _FIELDS if re.search(rf'\.{f}\b|"{f}"\]', body)}
  if "named" in fields:
    fields.setdefault("name", "name")
    get = '{k["name"]: k for k in kids}' if kind == "dict" else "{k.name: k for k in kids}"
    fields["named"] = get
  if "items" in fields:
    fields["items"] = empty
  signature = "def make(v, flag, name, *kids):"
  if kind == "dict":
    entries = ", ".join(f'"{name}": {value}' for name, value in fields.items())
    return f"{signature}\n  return {{{entries}}}\n"
  arguments = ", ".join(f"{name}={value}" for name, value in fields.items())
  make = f"\n\n{signature}\n  return Node({arguments})\n"
  if kind == "dataclass":
    lines = "\n".join(f"  {name}: object" for name in fields)
    return f"@dataclasses.dataclass(eq=False)\nclass Node:\n{lines}\n{make}"
  slots = f"  __slots__ = {tuple(fields)!r}\n\n" if kind == "slots" else ""
  assigned = "\n".join(f"    self.{name} = {name}" for name in fields)
  return f"class Node:\n{slots}  def __init__(self, {', '.join(fields)}):\n{assigned}\n{make}"


_LEAF = 'make(1, False, "a")'
_SMALL = 'make(3, True, "r", make(1, False, "a"), make(2, True, "b"))'
_DEEPER = (
  'make(5, False, "t", make(4, True, "l", make(1, True, "x"), make(6, False, "y", '
  'make(2, False, "z"))), make(3, True, "m"), make(7, True, "n", make(0, False, "o")))'
)


class Calls:
  """Makes the source of `calls`."""

  def __init__(self, spec, values, further, body):
    """Takes the spec, its values, the further arguments ("" or ", []") and the program's source."""
    self.spec, self.get, self.further, self.body = spec, values.get, further, body

  def source(self):
    """Returns the function that yields the arguments of each call."""
    first = ["leaf", "small", "deeper"]
    self.spec.random("calls").shuffle(first)
    lines = [
      "def calls(state):",
      f"  leaf, small = {_LEAF}, {_SMALL}",
      f"  deeper = {_DEEPER}",
      *[f"  yield {self._arguments(tree)}" for tree in first],
      *[f"  {line}" for line in self._between()],
    ]
    return "\n".join(lines) + "\n"

  def _arguments(self, tree):
    return f"({tree}{self.further})" if self.further else f"({tree},)"

  def _has(self, name):
    return bool(re.search(rf'\.{name}\b|"{name}"\]', self.body))

  def _between(self):
    level, get = self.spec["between"], self.get
    again = f"yield {self._arguments('small')}"
    kids = get("small", "kids")
    kid = f"{kids}[0]" if self._has("kids") else "small"
    changes = {
      "same": [],
      "new": [f"small = {_SMALL.replace('3, True', '6, False')}"],
      "value": [f"{get('small', 'v')} += 4", f"{get(kid, 'v')} = 9"] if self._has("v") else [],
      "shape": [
        f'{kids}.append(make(8, True, "c", make(4, False, "d")))',
        f"{kids}.pop(0)",
      ] if self._has("kids") else [],
      "type": [f"small = {_SMALL.replace('2, True', '2.5, True')}"],
      "global": ["global SCALE", again, "SCALE = 5"],
      "shared": [
        'one = make(2, True, "s")',
        'small = make(3, True, "r", one, make(1, False, "i", one), one)',
      ],
      "missing": [f"{get(kid, 'flag')} = None"] if self._has("flag") else [f"{get(kid, 'v')} = 0"],
      "wider": [f"{get('node', 'x')} = tf.constant([1.0, 2.0, 3.0])".replace("node", "small")]
      if self._has("x") else [],
      "subclass": ["class Sub(Node):", "  pass", f"{kid}.__class__ = Sub"]
      if self.spec["node"] in ("class", "dataclass") else [],
      "replaced": [f"{kids} = tuple({kids})"] if self._has("kids") else [],
      "kind": [f"{get(kid, 'op')} = Op.MUL", again, f"{get('small', 'op')} = Op.NEG"]
      if self._has("op") else [f"{get('small', 'flag')} = False"] if self._has("flag") else [],
      "environment": [
        'ENVIRONMENT["r"] = 7', again, 'del ENVIRONMENT["x"]', again, 'ENVIRONMENT["a"] = 0.5',
      ] if re.search(r"\bENVIRONMENT\b", self.body) else [],
      "equal_names": [
        'small = make(3, True, "r", make(1, True, "a"), make(2, True, "a"), make(2, False, "a"))'
      ],
      "deeper": [
        "for i in range(8):",
        '  small = make(i, i % 2 == 0, f"d{i}", small, make(i + 1, i % 3 == 0, "e"))',
      ],
    }[level]  # fmt: skip
    return [*changes, again, *([again] if level in ("same", "value", "shape") else [])]
