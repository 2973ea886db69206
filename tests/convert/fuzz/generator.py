"""Makes the source of a random program from a `Spec`."""

import re

from tests.convert.fuzz.gather import Gather
from tests.convert.fuzz.loops import Loops
from tests.convert.fuzz.steps import Steps
from tests.convert.fuzz.trees import Calls, node_source
from tests.convert.fuzz.uses import Uses
from tests.convert.fuzz.values import Values

_CLASSES = {
  "Box": "class Box:\n  def __init__(self, x):\n    self.x = x\n",
  "Pair": "class Pair(NamedTuple):\n  a: object\n  b: object\n",
  "Item": "@dataclasses.dataclass\nclass Item:\n  a: object\n  b: object\n",
  "Made": "class Made:\n  def __init__(self, x, kids):\n    self.x, self.kids = x, kids\n",
  "Op": "class Op({enum}):\n  ADD = {values[0]}\n  NEG = {values[1]}\n  MUL = {values[2]}\n",
  "Holder": "class Holder:\n  items = EMPTY\n  total = 0\n",
}
_GLOBALS = {
  "SCALE": "SCALE = 2\n",
  "STORE": "STORE = EMPTY\n",
  "KEPT": "KEPT = {}\n",
  "LOG": "LOG = []\n",
  "ENVIRONMENT": 'ENVIRONMENT = {"a": 3, "x": 4, "l": 5}\n',
  "MEMO": "MEMO = {}\n",
  "CODES": "CODES = {1: 4, 3: 2}\n",
  "TABLE": "TABLE = [lambda n: n + 1, lambda n: n * 2, int]\n",
}
# By members of an enumeration.
_TABLES = {
  "OPS": "OPS = {Op.ADD: 1, Op.NEG: 3}\n",
  "CODES_OF": "CODES_OF = {Op.ADD: 1, Op.NEG: 2, Op.MUL: 3}\n",
}
_ENUMS = ("enum.Enum", (1, 2, "\"m\"")), ("enum.IntEnum", (1, 5, 9)), (
  "str, enum.Enum", ("\"add\"", "\"neg\"", "\"mul\"")
)  # fmt: skip
_MODULES = "collections", "dataclasses", "enum", "functools", "itertools", "math", "operator"
_NOTES = {
  "none": ["return n"],
  "print": ['print("note", n)', "return n"],
  "append": ["LOG.append(n)", "return n"],
  "nonlocal": ["nonlocal count_notes", "count_notes += 1", "return n"],
  "attribute": ["holder.total += n", "return n"],
  "class_attribute": ["Holder.total += n", "return n"],
  "node": ["{seen} = n", "return n"],
}
_HELPERS = {
  "put": "def put(xs, item):\n  xs.append(item)\n",
  "both": "def both(xs, ys, item):\n  xs.append(item)\n  ys.append(item)\n",
  "known": "def known(value, instead):\n  return instead if value is None else value\n",
  "pair": "def pair(a, b):\n  return a * 2 + b\n",
  "count_of": "def count_of(xs, ys):\n  return len(xs) - len(ys[1:])\n",
}


def generate(spec):
  """Returns the source of the program of a `Spec`."""
  return _Program(spec).source()


class _Program:
  def __init__(self, spec):
    self.spec, self.values = spec, Values(spec)
    self.kind = self.values.what()
    self.collection = Gather(spec, self.values, self.kind)
    self.carried = self.values.carried()
    self.steps, self.loops = Steps(spec, self.values), Loops(spec, self.values)
    self.uses = Uses(spec, self.values, self.kind, self.collection)
    form = spec["form"]
    self.form = "closure" if form == "node_method" and spec["node"] == "dict" else form

  def source(self):
    """Returns the whole file."""
    empty = self.collection.empty
    build = _render(self._build())
    body = build + self._helpers(build)
    further = f", {empty}" if self.spec["source"] == "argument" else ""
    calls = Calls(self.spec, self.values, further, body).source()
    node = node_source(self.spec["node"], body + calls, empty)
    used = body + calls + node + empty
    used += "Op." if any(re.search(rf"\b{name}\b", used) for name in _TABLES) else ""
    base, values = self.spec.random("enumeration").choice(_ENUMS)
    parts = [
      text.format(enum=base, values=values) if name == "Op" else text
      # First the class of what globals hold.
      for name, text in ({"Box": _CLASSES["Box"]} | _GLOBALS | _CLASSES | _TABLES).items()
      if re.search(rf"\b{name}\b", used)
    ]
    source = "\n\n".join([*parts, node, self._helpers(build), build, calls]).replace("EMPTY", empty)
    imports = {
      **{f"import {name}\n": f"{name}." for name in _MODULES},
      "from typing import NamedTuple\n": "NamedTuple",
      "\nimport numpy as np\n": "np.", "import tensorflow as tf\n": "tf.",
    }  # fmt: skip
    head = "".join(line for line, name in imports.items() if name in source)
    return re.sub(r"\n{4,}", "\n\n\n", f'"""{self.spec}."""\n\n{head}\n\n{source}')

  def _helpers(self, build):
    helpers = dict(_HELPERS)
    number = self.kind.number("x").replace(self.values.own("node"), "1")
    helpers["weight_of"] = (
      f"def weight_of(x):\n  return x.x if isinstance(x, Made) else {self.values.own('x')}\n"
    )
    loop = f"  for x in xs:\n    total = total + {number}\n"
    helpers["measure"] = f"def measure(xs):\n  total = 0\n{loop}  return total\n"
    helpers["fresh"] = self.spec.random("fresh").choice(
      [
        "def fresh(node):\n  return EMPTY\n",
        "def fresh(node):\n  return STORE\n"
        if self.collection.container != "tuple"
        else "def fresh(node):\n  return EMPTY\n",
      ]
    )
    found = [text for name, text in helpers.items() if re.search(rf"\b{name}[(,]", build)]
    return "\n\n".join(found)

  def _build(self):
    state, lines, used = [], [], _render(self._body("visit({})"))
    form = self.form
    if self.values.is_tensor:
      lines.append(
        "weight = tf.Variable([0.5, -0.25])"
        if self.spec["between"] != "wider"
        else "weight = tf.Variable([0.5])"
      )
      state.append("weight")
    if "store" in used:
      lines.append("store = EMPTY")
      state.append("store" if self.collection.container != "tuple" else "lambda: store")
    note = self._note()
    if "holder" in used + _render(note):
      lines += ["holder = Holder()", "holder.items = EMPTY", "holder.total = 0"]
      state.append("holder")
    if "note(" in used:
      lines += ["count_notes = 0"] if self.spec["effect"] == "nonlocal" else []
      lines += note
    whole = used + _render(note)
    state += [name for name in ("STORE", "KEPT", "LOG", "MEMO") if re.search(rf"\b{name}\b", whole)]
    if "fresh(" in whole and self.collection.container != "tuple":
      state.append("STORE")
    state += [f"lambda: Holder.{name}" for name in ("items", "total") if f"Holder.{name}" in whole]
    if "count_notes" in whole:
      state.append("lambda: count_notes")
    lines += getattr(self, f"_{form}")()
    called = "model.visit" if form == "method" else "start" if form == "node_method" else "visit"
    reads = [s for s in state if s.startswith("lambda")]
    lines.append(
      f"return {called}, [{', '.join(s for s in state if s not in reads)}"
      f"{', ' if len(state) > len(reads) and reads else ''}{', '.join(f'({r})' for r in reads)}]"
    )
    return ["def build(recursive):", lines]

  def _note(self):
    seen = self.values.get("node", "seen")
    return ["def note(node, n):", [line.format(seen=seen) for line in _NOTES[self.spec["effect"]]]]

  def _parameters(self):
    down = f"down={self.carried[0]}" if self.carried else ""
    return ", ".join(p for p in ("node", self.collection.parameter(), down) if p)

  def _closure(self):
    return ["@recursive", f"def visit({self._parameters()}):", self._body("visit({})")]

  def _method(self):
    body = self._body("self.visit({})")
    method = ["@recursive", f"def visit(self, {self._parameters()}):", body]
    return ["class Model:", method, "model = Model()"]

  def _node_method(self):
    more = ", *more" if self.spec["source"] == "argument" else ""
    return [
      "@recursive", f"def visit({self._parameters()}):", self._body("{}.visit()"),
      "Node.visit = visit", f"def start(node{more}):", [f"return node.visit({more[2:]})"],
    ]  # fmt: skip

  def _inner(self):
    passed = self.collection.parameter().split("=")[0] if self.spec["source"] == "argument" else ""
    inner = [f"def walk({self._parameters()}):", self._body("walk({})")]
    first = "node, acc" if passed else "node"
    return ["@recursive", f"def visit({first}):", [*inner, f"return walk({first})"]]

  def _mutual(self):
    passed = ["acc"] if self.collection.parameter() else []
    arguments = ", ".join(["node", *passed, *(["down"] if self.carried else [])])
    return [
      "@recursive", f"def visit({self._parameters()}):", self._body("again({})"),
      f"def again({self._parameters()}):", [f"return visit({arguments})"],
    ]  # fmt: skip

  def _keyword(self):
    return ["@recursive", f"def visit({self._parameters()}):", self._body("visit(node={})")]

  def _recur(self, template, kid):
    call, passed = template.format(kid), self.collection.passed()
    further = [f"acc={passed}"] if passed else []
    further += [f"down={self.carried[1]}"] if self.carried else []
    if not further:
      return call
    has_arguments = not call.endswith("()")
    return f"{call[:-1]}{', ' if has_arguments else ''}{', '.join(further)})"

  def _body(self, call):
    """Returns the function's lines; `call` is the format of a recursive call."""
    spec, collection = self.spec, self.collection
    effect = self.steps.effect()
    lines = collection.declarations() + self._base_case()
    is_early = spec.random("early").random() < 0.5
    lines += (effect if is_early else []) + collection.begin()
    lines += ["made = []"] if self._makes_tree else []
    lines += self._collecting(call)
    lines += [] if is_early else effect
    lines += collection.end() + self.uses.lines()
    lines += ["u = u + e"] if effect else []
    lines += self.values.carried_lines()
    lines += [f"u = u + {self.carried[2]}"] if self.carried else []
    result = self._result("u", collection.extras)
    return [*lines, f"return {result}"]

  def _result(self, number, extras=(), made="made"):
    result = self.values.result(number, extras).replace("{items}", self.collection.name)
    return result.replace("{made}", made)

  def _base_case(self):
    kids = self.values.get("node", "kids")
    is_natural = self.spec.random("base").random() < 0.5
    if self.spec["result"] == "items" or self.spec["alias"] in ("in_result", "copy") or is_natural:
      return []
    return [f"if not {kids}:", [f"return {self._result(self.values.own('node'), made='[]')}"]]

  def _collecting(self, call):
    values, rng = self.values, self.spec.random("collecting")

    def item(kid, number):
      return self.kind.make(values.combined(number, kid, "item"), kid)

    if self.collection.is_at_once:
      clauses = self.loops.clauses()
      number = values.number_of(self._recur(call, "k"))
      if rng.random() < 0.5:
        clauses, number = f"{clauses} for m in [{number}]", "m"
      return self.collection.collect_at_once(item("k", number), clauses, "k")

    def turn(kid, extra):
      lines = [f"r = {self._recur(call, kid)}"]
      number = values.number_of("r")
      if self.spec["result"] == "tuple" and not self.collection_in_result and rng.random() < 0.5:
        lines, number = [f"m, v = {self._recur(call, kid)}"], "m"
      if self._makes_tree:
        lines += ["made.append(r)"]
      if extra:
        lines, number = [*lines, f"m = {number} + {extra}"], "m"
      return lines + self.collection.collect(item(kid, number), kid)

    return self.loops.statement(turn)

  @property
  def _makes_tree(self):
    return self.spec["result"] in ("tree", "tree_or_node")

  @property
  def collection_in_result(self):
    return self.spec["alias"] in (
      "in_result",
      "copy",
      "chosen",
      "chosen_statement",
      "chosen_kid",
      "swapped",
    )


def _render(lines, indent=0):
  """Returns the text of lines, where a list in a list is an indented block."""
  text = ""
  for line in lines:
    text += _render(line, indent + 1) if isinstance(line, list) else f"{'  ' * indent}{line}\n"
  return text
