"""The trees of the matrix's programs, and what happens between the calls, as source text."""

import re

# By attribute: what a node has there, in terms of `make`'s parameters, and how it is changed.
_FIELDS = {
  "v": ("v", "node.v += by"),
  "w": ("v * 0.5 + 0.25", "node.w += by"),
  "flag": ("flag", "node.flag = not node.flag"),
  "name": ("name", 'node.name = node.name + "c"'),
  "x": ("tf.constant([v * 0.5, 1.0 - v * 0.25])", "node.x = node.x + by"),
  "array": ("np.array([v * 0.5, 1.0 - v * 0.25], np.float32)", "node.array += np.float32(by)"),
  "nums": ("[v + i for i in range(len(kids) + 1)]", "node.nums.append(by)"),
  "op": ("Op.ADD if flag else Op.NEG", "node.op = Op.MUL"),
  "items": ("EMPTY", ""),
  "box": ("Bag([])", ""),
  "owner": ("Holder", ""),
  "kids": ("list(kids)", ""),
  "kept": ("None", ""),
}
# How a node gets values of other types.
_RETYPED = {
  "v": "node.v = node.v + 0.5",
  "w": "node.w = int(node.w)",
  "x": "node.x = tf.concat([node.x, [1.0]], 0)",
  "array": "node.array = node.array.astype(np.float64)",
  "flag": "node.flag = int(node.flag)",
  "kids": "node.kids = tuple(node.kids)",
}


class Trees:
  """Makes the source of nodes and of `calls`, with the attributes that the program reads."""

  def __init__(self, row, body, empty, given):
    """Takes the row, the program's source, an empty collection and the calls' last argument."""
    self.row, self.given = row, given
    self._has_environment = "ENVIRONMENT" in body
    read = set(re.findall(r"\.(\w+)\b", body)) | {"kids"}
    fields = {name: (value.replace("EMPTY", empty), by) for name, (value, by) in _FIELDS.items()}
    self.fields = {name: found for name, found in fields.items() if name in read}

  def nodes(self):
    """Returns the source of the class, of `make` and of what changes nodes."""
    names = ", ".join(self.fields)
    assigned = "".join(f"    self.{name} = {name}\n" for name in self.fields)
    values = ", ".join(value for value, _ in self.fields.values())
    in_class = "  items = []\n\n" if self._is_of_node_class() else ""
    return (
      f"class Node:\n{in_class}  def __init__(self, {names}):\n{assigned}\n\n"
      f"def make(v, flag, name, *kids):\n  return Node({values})\n"
    )

  def _is_of_node_class(self):
    return self.row["collect"] == "class_attribute" and self.row["source"] == "call"

  def calls(self):
    """Returns the source of `calls` and its helpers."""
    change = self.row["change"]
    lines = [
      '  leaf, one = make(1, False, "a"), make(4, True, "o", make(2, False, "p"))',
      '  small = make(3, True, "r", make(1, False, "a"), make(2, True, "b"))',
      '  left = make(4, True, "l", make(1, True, "x"), make(6, False, "y", make(2, False, "z")))',
      '  right = make(7, True, "n", make(0, False, "o"))',
      '  deeper = make(5, False, "t", left, make(3, True, "m"), right)',
    ]
    first = self.row.pick(
      "first", (["leaf", "small", "deeper"], ["small", "deeper", "leaf"], ["deeper", "leaf", "one"])
    )
    first = ["leaf", "one", "small"] if change == "deeper" else first
    lines += [self._call(tree) for tree in first]
    lines += getattr(self, f"_{change}")()
    return self._helpers("\n".join(lines)) + "def calls(state):\n" + "\n".join(lines) + "\n"

  def _call(self, tree):
    return f"  yield ({tree}, {self.given})" if self.given else f"  yield ({tree},)"

  def _helpers(self, calls):
    texts = {
      "walk": "def walk(node):\n  yield node\n  for kid in node.kids:\n    yield from walk(kid)\n",
      "alter": self._function("alter(node, by)", [by for _, by in self.fields.values()]),
      "retype": self._function("retype(node)", [_RETYPED.get(name, "") for name in self.fields]),
    }
    return "".join(f"{text}\n\n" for name, text in texts.items() if f"{name}(" in calls)

  def _function(self, head, lines):
    return f"def {head}:\n" + "".join(f"  {line}\n" for line in lines if line) or "  pass\n"

  def _new_tree(self):
    wide = ", ".join(f'make({i}, {i % 3 == 0}, "w{i % 4}")' for i in range(5))
    same = 'make(6, False, "q", make(5, True, "a"), make(9, False, "a"))'
    return [self._call(same), self._call(f'make(2, True, "w", {wide})'), self._call("small")]

  def _mutated_tree(self):
    return [
      "  alter(small, 4)", self._call("small"), "  alter(small.kids[-1], 3)", self._call("small"),
      '  small.kids.append(make(8, True, "c", make(4, False, "d")))', self._call("small"),
      "  small.kids.pop(0)", self._call("small"), "  small.kids.clear()", self._call("small"),
    ]  # fmt: skip

  def _new_type(self):
    return [
      "  for node in walk(small):", "    retype(node)", self._call("small"), self._call("deeper"),
      self._call("small"),
    ]  # fmt: skip

  def _new_global(self):
    environment = ['  ENVIRONMENT["r"] = 7', '  ENVIRONMENT.pop("a", None)']
    return [
      *(environment if self._has_environment else []),
      "  global SCALE, adjust", "  SCALE, adjust = 5, lambda n: n * 4 - n",
      self._call("small"), "  SCALE, adjust = 2.5, lambda n: n * 0.5",
      self._call("small"), self._call("deeper"),
    ]  # fmt: skip

  def _deeper(self):
    return [
      self._call("deeper"), "  for i in range(9):",
      '    deeper = make(i, i % 2 == 0, f"c{i}", deeper, make(i + 1, i % 3 == 0, "e"))',
      self._call("deeper"), self._call("leaf"),
    ]  # fmt: skip
