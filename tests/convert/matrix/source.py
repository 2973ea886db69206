"""Makes the source of a row's program, in the form that the runner of random programs takes."""

import re

from tests.convert.matrix import further, loops
from tests.convert.matrix.kinds import Kinds
from tests.convert.matrix.places import Place
from tests.convert.matrix.trees import Trees
from tests.convert.matrix.uses import Use

_MODULES = "collections", "dataclasses", "enum", "functools", "itertools", "operator"
_IMPORTS = {
  **{f"import {name}\n": f"{name}." for name in _MODULES},
  "from typing import NamedTuple\n": "NamedTuple",
  "\nimport numpy as np\n": "np.", "import tensorflow as tf\n": "tf.",
}  # fmt: skip
_CLASSES = {
  "Box": "class Box:\n  def __init__(self, x):\n    self.x = x\n",
  "Bag": "class Bag:\n  def __init__(self, items):\n    self.items = items\n",
  "Pair": "class Pair(NamedTuple):\n  a: object\n  b: object\n",
  "Item": "@dataclasses.dataclass\nclass Item:\n  a: object\n  b: object\n",
  "Holder": "class Holder:\n  items = []\n",
  "Other": "class Other:\n  items = []\n",
}
_ENUMS = ("enum.Enum", '1, 2, "m"'), ("enum.IntEnum", "1, 5, 9"), (
  "str, enum.Enum", '"add", "neg", "mul"'
)  # fmt: skip
_TABLES = {
  "Op": "class Op({base}):\n  ADD, NEG, MUL = {values}\n",
  "CODES_OF": "CODES_OF = {Op.ADD: 1, Op.NEG: 2, Op.MUL: 3}\n",
  "ENVIRONMENT": 'ENVIRONMENT = {"a": 3, "x": 4, "l": 5}\n',
  "MEMO": "MEMO = {}\n",
  "LOG": "LOG = []\n",
  "note": "def note(n):\n  LOG.append(n)\n  return n\n",
  "TABLE": "TABLE = [lambda n: n + 1, lambda n: n * 2, int]\n",
}
_GLOBALS = {
  "SCALE": "SCALE = 2\n",
  "adjust": "def adjust(n):\n  return n * 2\n",
  "KEPT": "KEPT = {}\n",
  "STORE": "STORE = EMPTY\n",
}
# What the program keeps from call to call: its lines in `build`, and how the state is read.
_KEPT = {
  "weight": ("weight = tf.Variable(0.5)", "weight"),
  "store": ("store = EMPTY", "(lambda: store)"),
  "holder": ("holder = Bag(EMPTY)", "holder"),
  "keeper": ("keeper = Box(None)", "keeper"),
  "kept(": ("def kept(acc=[]):\n    return acc", "kept.__defaults__"),
}


def generate(row):
  """Returns the source of the program of a `Row`."""
  return _Program(row).source()


class _Program:
  def __init__(self, row):
    self.row, self.kinds = row, Kinds(row)
    self.place = Place(row, self.kinds)
    self.use = Use(row, self.kinds.counted(), self.place)
    self.carried = further.carried(row)
    self.extras = [*dict.fromkeys([*self.place.extras, *self.use.extras])]

  def source(self):
    """Returns the whole file."""
    empty = self.place.empty
    body = _render(self._body(), 2)
    helpers = self._helpers(body)
    build = self._build(body, body + helpers)
    trees = Trees(self.row, build + helpers, empty, self.place.given)
    program = [helpers, trees.nodes(), build, trees.calls()]
    used = "\n\n".join(program)
    used += "LOG " if _has(used, "note") else "Op." if _has(used, "CODES_OF") else ""
    shared = [text for name, text in (_GLOBALS | _CLASSES).items() if _has(used, name)]
    base, values = self.row.pick("enumeration", _ENUMS)
    shared += [
      text.format(base=base, values=values) if name == "Op" else text
      for name, text in _TABLES.items()
      if _has(used, name)
    ]
    if "fresh" in self.place.parameter:  # A default value: it is made before.
      shared, program = [*shared, helpers], program[1:]
    text = "\n\n".join(filter(None, [*shared, *program])).replace("EMPTY", empty)
    head = "".join(line for line, name in _IMPORTS.items() if name in text)
    text = f'"""{self.row.label}: {self.row}."""\n\n{head}\n\n{text}'
    return re.sub(r"\n{4,}", "\n\n\n", text)

  def _helpers(self, body):
    pick, of = self.row.pick, ".items" if self.place.field else ""
    fresh = ["return EMPTY", "return EMPTY", "return STORE"]
    fresh += ["return node.items"] if self.row["collect"] != "default" else []
    texts = {
      "both": self.place.helper() if "both(" in body else "",
      "both_all": f"def both_all(a, b, more):\n  a{of}.extend(more)\n  b{of} += more\n",
      "put": self.place.put_helper() if "put(" in body else "",
      "fresh": f"def fresh(node):\n  {pick('fresh', fresh)}\n",
      "new_box": f"def new_box(node):\n  return {pick('new', ('Bag([])', 'node.box'))}\n",
      "class_of": f"def class_of(node):\n  return {pick('of', ('type(node)', 'node.__class__'))}\n",
    }
    used = body + self.place.parameter
    return "\n\n".join(text for name, text in texts.items() if f"{name}(" in used)

  def _build(self, body, used):
    down = f"down={self.carried.first}" if self.carried else ""
    parameters = ", ".join(p for p in ("node", self.place.parameter, down) if p)
    kept = {name: found for name, found in _KEPT.items() if _has(body, re.escape(name))}
    lines = [f"  {line}\n" for line, _ in kept.values()]
    state = [read for _, read in kept.values()]
    lines += ["  holder.box = Bag([])\n"] if "holder.box" in body else []
    state += [name for name in ("KEPT", "STORE", "MEMO") if _has(used, name)]
    state += ["LOG"] if _has(body, "note") else []
    state += [f"(lambda: {n}.items)" for n in ("Holder", "Other") if _has(body, n)]
    if _has(body, "cls"):
      owner = "Node" if self.row["source"] == "call" else "Holder"
      state.append(f"(lambda: {owner}.items)")
    head = f"def build(recursive):\n{''.join(lines)}\n  @recursive\n  def visit({parameters}):\n"
    return f"{head}{body}\n  return visit, [{', '.join(state)}]\n"

  def _body(self):
    lines = [*self.place.begin(), *self._base_case(), *self._collecting()]
    lines += [*self.place.end(), *self.use.lines(), *further.inside(self.row)]
    if self.carried:
      lines += [*self.carried.lines, f"u = u + {self.carried.read}"]
    assigned = re.search(r"^\s*store ([+|]?=)", _render(lines), re.M)
    lines = [*(["nonlocal store"] if assigned else []), *lines]
    return [*lines, f"return {self._returned(self.kinds.damped('u'))}"]

  def _returned(self, number, own=False):
    result = self.kinds.result(number, "node")
    extras = [self.kinds.own("node") if own and e == "stacked" else e for e in self.extras]
    if not extras:
      return result
    if self._is_dict():
      entries = "".join(f', "e{i}": {extra}' for i, extra in enumerate(extras))
      return f'{{"r": {result}{entries}}}'
    return f"({result}, {', '.join(extras)})"

  def _is_dict(self):
    return self.row.pick("extras", (True, False, False))

  def _base_case(self):
    if "stacked" in self.extras or self.row.pick("base case", (True, False)):
      return []
    return ["if not node.kids:", [f"return {self._returned(self.kinds.own('node'))}"]]

  def _call(self, kid):
    down = f"down={self.carried.passed}" if self.carried else ""
    call = f"visit({', '.join(filter(None, [kid, self.place.passed, down]))})"
    if not self.extras:
      return call
    return f'{call}["r"]' if self._is_dict() else f"{call}[0]"

  def _item(self, kid, result, extra):
    """Returns the expression of what is collected: the result itself, or one made of it."""
    if self.row.pick("item", (True, False)) and not extra:
      return result
    number = self.kinds.combined(self.kinds.kind.number(result), kid, extra)
    return self.kinds.result(number, kid)

  def _collecting(self):
    def turn(kid, result, extra):
      return [*self.place.turn(kid), *self.place.collect(self._item(kid, result, extra), kid)]

    def put(kid, result):
      return self.place.put(self._item(kid, result, ""), kid)

    if self.row["collect"] in ("comprehension", "together"):
      return loops.at_once(self.row, self._item, self._call, self._collect_all)
    return loops.statements(self.row, turn, self._call, put)

  def _collect_all(self, comprehension):
    chosen = self.place.turn("node")
    return [*chosen, *self.place.collect_all(comprehension)]


def _has(text, name):
  return bool(re.search(rf"(?<![\w.\"]){name}(?!\w)", text))


def _render(lines, indent=0):
  """Returns the text of lines, where a list in a list is an indented block."""
  text = ""
  for line in lines:
    text += _render(line, indent + 1) if isinstance(line, list) else f"{'  ' * indent}{line}\n"
  return text
