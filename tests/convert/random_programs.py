"""Random recursive programs as Python source.

A program is well-typed by construction, mostly: reads that may be None are guarded most of the
time, and some branches raise. What is written takes a `random.Random`: Hypothesis's, so that a
failing program is made smaller, or an own one.
"""

import dataclasses

from tests.convert.random_expressions import RESULTS, ExpressionWriter


@dataclasses.dataclass(frozen=True)
class Program:
  """A program.

  Attributes:
    text: a module that defines `make(recursive)`; it returns a dict of `function`, `variables`
      and `state`.
    is_binary: what trees it is for.
    has_vector: whether it takes a tensor as its second argument.
    result: what it returns, of `RESULTS`.
  """

  text: str
  is_binary: bool
  has_vector: bool
  result: str


HEAD = """\
import tensorflow as tf

from tests.convert.random_trees import Binary, Leaf, Nary


def make(recursive):
  table = tf.Variable([[0.3, -0.2, 0.5], [0.9, 0.1, -0.7], [-0.4, 0.6, 0.2], [0.8, -0.5, -0.1]])
  mix = tf.Variable([[0.2, 0.5, -0.3], [-0.6, 0.1, 0.4], [0.3, -0.2, 0.7]])
  seen, cache, counts, total, best = [], {}, {}, 0, 0.0

  class Model:
    def __init__(self):
      self.count, self.last, self.rate = 0, tf.zeros([3]), 0.5

  model = Model()

  def helper(x, y=1):
    if x > 2:
      return x - y
    return x + 2 * y

  def push(items, value):
    if value is not None:
      items.append(value)
    return items

  def combine(a, b, *, scale=0.5):
    c = tf.tanh(a + b) * scale
    return c if scale > 0 else -c

"""


class Writer(ExpressionWriter):
  """Writes one program."""

  # --- Statements

  def statements(self, count):
    """Writes up to `count` statements."""
    for _ in range(self._random.randrange(count + 1)):
      self.statement()

  def statement(self):
    """Writes a statement."""
    kinds = ["assign"] * 3 + ["change", "change", "branch", "branch", "local_list", "loop", "check"]
    if self.has_effects:
      kinds += ["effect"] * 7 + ["shown"]
    getattr(self, f"do_{self.pick(kinds)}")()

  def do_assign(self):
    kind = self.pick(["int", "float", "tensor", "tensor", "bool", "int"])
    value, name = self.expr(kind, 3), self.name()
    self.line(f"{name} = {value}")
    self.define(kind, name)

  def _variables(self):
    return [
      (kind, name)
      for kind in ("int", "float", "tensor")
      for name in self._scope.get(kind, [])
      if name.isidentifier() and name[0] == "x"
    ]

  def do_change(self):
    if not self._variables():
      return self.do_assign()
    kind, name = self.pick(self._variables())
    op = self.pick(["=", "+=", "-=", "*="])
    self.line(f"{name} {op} {self.expr(kind, 2)}")

  def do_branch(self):
    with self.block(f"if {self.cond()}:"):
      self.do_change() if self._variables() else self.do_assign()
      self.statements(1)
    if self.chance(0.3):
      with self.block(f"elif {self.cond()}:"):
        self.statements(2)
    if self.chance(0.5):
      with self.block("else:"):
        self.statements(2)

  def do_local_list(self):
    name, kind = self.name("l"), self.pick(["int", "tensor"])
    self.line(f"{name} = [{self.expr(kind, 1)}]")
    if self.chance(0.5):
      with self.block(f"if {self.cond()}:"):
        self.line(f"{name}.append({self.expr(kind, 1)})")
    else:
      self.line(f"{name}.append({self.expr(kind, 1)})")
    if self.chance(0.3):
      other = self.name("l")
      self.line(f"{other} = push({name}, {self.expr(kind, 1)})")
      self.line(f"{other}.append({self.expr(kind, 1)})")
    self.aggregates(name, kind)

  def aggregates(self, name, kind):
    """Notes what can be read of a list of these elements."""
    self.define("int", f"len({name})")
    if kind == "int":
      self.define("int", f"sum({name})")
      self.define("int", f"max({name}, default=1)")
      self.define("bool", f"any(v > 1 for v in {name})")
      self.define("bool", f"all([v != 2 for v in {name}])")
    elif kind == "tensor":
      self.define("tensor", f"(tf.add_n({name}) if {name} else table[2])")
      self.define("tensor", f"(sum({name}) + table[0])")
      self.define(
        "tensor", f"(tf.reduce_max(tf.stack({name}), 0) if len({name}) > 0 else table[3])"
      )
    elif kind == "float":
      self.define("float", f"sum({name})")
      self.define("float", f"(min({name}) if {name} else 0.25)")
    elif kind == "bool":
      self.define("bool", f"any({name})")
      self.define("int", f"sum(1 for v in {name} if v)")

  def do_loop(self):
    if not self._variables():
      self.do_assign()
    with self.block(f"for i in range({self.pick(['2', '3', 'node.label', 'depth'])}):"):
      self.define("int", "i")
      self.do_change()
      if self.chance(0.3):
        with self.block(f"if {self.cond()}:"):
          self.line(self.pick(["break", "continue"]))
        self.do_change()

  def do_check(self):
    rare = self.pick(
      ["depth > 3", "node.label == 9", "node.scale > 2.0", "depth > 2 and node.flag"]
    )
    if self.chance(0.5):
      self.line(f"assert not ({rare}), f'no {{node.label}} {{depth}}'")
    else:
      with self.block(f"if {rare}:"):
        self.line("raise ValueError(f'bad {node.tag} at {depth}')")

  def do_effect(self):
    key = self.pick(["node.label", "node.tag", f"{self.expr('int', 0)} % 3"])
    writes = [
      lambda: f"node.mark = {self.expr('int', 1)}",
      lambda: f"node.state = {self.expr('tensor', 1)}",
      lambda: f"node.note = {self.expr('float', 1)}",
      lambda: f"node.label += {self.pick([1, 2])}",
      lambda: f"node.extra = {self.pick(['None', 'node.label', '3'])}",
      lambda: f"seen.append({self.expr('int', 1)})",
      lambda: "model.count += 1",
      lambda: f"model.last = {self.expr('tensor', 1)}",
      lambda: f"model.rate = {self.expr('float', 1)}",
      lambda: "total += node.label",
      lambda: f"best = max(best, {self.expr('float', 0)})",
      lambda: "counts[node.tag] = counts.get(node.tag, 0) + 1",
      lambda: f"cache[{key}] = {self.expr('tensor', 1)}",
    ]
    index = self._random.randrange(len(writes))
    self.line(writes[index]())
    if index < 3:
      kind = ("int", "tensor", "float")[index]
      self.define(kind, ("node.mark", "node.state", "node.note")[index])
    if index == len(writes) - 1:
      self.define("tensor", f"cache[{key}]") if key.startswith("node") else None

  def do_shown(self):
    kind = self.pick(["int", "float", "str", "tensor"])
    value = self.expr(kind, 1)
    texts = [
      f"print('at', {value})",
      f"print(f'{{node.tag}}: {{{value}}}')",
      f"print({value}, depth, sep='/')",
    ]
    text = self.pick(texts if "'" not in value and '"' not in value else texts[::2])
    self.line(text)

  # --- Functions

  def returned(self):
    """Returns an expression of the program's result."""
    kind = self.result
    if kind in ("int", "float", "bool", "tensor"):
      return self.expr(kind, 3)
    return {
      "pair": lambda: f"({self.expr('tensor')}, {self.expr('int')})",
      "dict": lambda: f'{{"h": {self.expr("tensor")}, "x": {self.expr("float")}}}',
      "list": lambda: f"[{self.expr('tensor')}, {self.expr('tensor')}]",
      "words": lambda: self.pick([f"[{self.expr('int')}]", "[]", f"[{self.expr('int')}, depth]"]),
      "maybe": lambda: self.pick(["None", self.expr("tensor")]),
      "node": lambda: "node",
      "none": lambda: "None",
    }[kind]()

  def call(self, child):
    """Returns a recursive call."""
    vector = f", {self.expr('tensor', 1)}" if self.has_vector else ""
    name = self.pick(self.functions)
    owner = "self." if self.is_method else ""
    depth = self.pick([", depth + 1", ", depth=depth + 1"])
    return f"{owner}{name}({child}{vector}{depth})"

  def take(self, name):
    """Notes what a recursive result in a variable can be read as."""
    for kind, text in RESULTS[self.result]:
      self.define(kind, text.format(name))

  def exit(self):
    """Writes an early return."""
    with self.block(f"if {self.cond()}:"):
      if self.has_effects and self.chance(0.4):
        self.do_effect()
      self.line(f"return {self.returned()}")

  def function(self, name):
    """Writes one recursive function."""
    self._scope = {}
    parameters = ["node"] + ["x"] * self.has_vector + ["depth=0"]
    if self.is_method:
      parameters.insert(0, "self")
    if name == "f" or self.is_method:
      self.line("@recursive") if name == "f" else None
    with self.block(f"def {name}({', '.join(parameters)}):"):
      self.line("nonlocal total, best")
      if self.has_vector:
        self.define("tensor", "x")
      self.statements(1)
      if self.is_binary:
        self._binary()
      else:
        self._nary()
    self.line("")

  def _binary(self):
    test = self.pick(["node.left is None", "node.is_leaf", "not node.left", "node.right is None"])
    self.is_leaf = True
    with self.block(f"if {test}:"):
      self.statements(2)
      self.line(f"return {self.returned()}")
    self.is_leaf = False
    if self.chance(0.25):
      self.exit()
    for child in ["left", "right"]:
      if self.chance(0.1):
        with self.block(f"if {self.cond()}:"):
          self.line(self.call(f"node.{child}"))
        continue
      name = self.name("r")
      self.line(f"{name} = {self.call(f'node.{child}')}")
      self.take(name)
      self._words = [*getattr(self, "_words", []), name] if child == "right" else [name]
      self.statements(1)
    self.statements(2)
    self._end()

  def _end(self):
    results = [n for n in getattr(self, "_words", [])]
    if self.result == "words" and results:
      self.line(f"return {' + '.join(results)} + [{self.expr('int')}]")
    elif self.result in ("maybe", "node") and results and self.chance(0.5):
      self.line(f"return {results[0]} if {self.cond()} else {self.returned()}")
    else:
      self.line(f"return {self.returned()}")

  def _nary(self):
    self._words = []
    if self.chance(0.5):
      with self.block(
        f"if {self.pick(['not node.children', 'len(node.children) == 0', 'node.is_leaf'])}:"
      ):
        self.statements(1)
        self.line(f"return {self.returned()}")
    if self.chance(0.2):
      self.exit()
    (self._comprehension if self.chance(0.4) else self._for_children)()
    self.statements(2)
    self._end()

  def _comprehension(self):
    name = self.name("l")
    where = (
      f" if {self.pick(['child.flag', 'child.label > 0', 'child.children'])}"
      if self.chance(0.3)
      else ""
    )
    self.line(f"{name} = [{self.call('child')} for child in node.children{where}]")
    for kind, text in RESULTS[self.result]:
      if text == "{}":
        self.aggregates(name, kind)
      elif "[0]" in text or '"h"' in text:
        self.define(kind, f"(sum({text.format('r')} for r in {name}) + table[1])")
      elif kind == "int":
        self.define(kind, f"sum({text.format('r')} for r in {name})")

  def _for_children(self):
    for kind in {"tensor", "int", self.pick(["float", "int"])}:
      if self.chance(0.7):
        name = self.name()
        self.line(f"{name} = {self.expr(kind, 1)}")
        self.define(kind, name)
    words = None
    if self.result == "words":
      words = self.name("w")
      self.line(f"{words} = []")
    kept = None
    if self.chance(0.3):
      kept = self.name("l")
      self.line(f"{kept} = []")
    head = "for child in node.children:"
    if self.chance(0.2):
      head = "for i, child in enumerate(node.children):"
    with self.block(head):
      if "i," in head:
        self.define("int", "i")
      self.define("int", "child.label")
      self.define("bool", "child.flag")
      if self.chance(0.2):
        with self.block(f"if {self.cond()}:"):
          self.line(self.pick(["continue", "break"]))
      name = self.name("r")
      self.line(f"{name} = {self.call('child')}")
      self.take(name)
      if words:
        self.line(self.pick([f"{words} += {name}", f"{words}.extend({name})"]))
      for _ in range(2):
        if self._variables():
          self.do_change()
      self.statements(1)
      kind = self.pick(["int", "tensor"])
      if kept:
        self.line(f"{kept}.append({self.expr(kind, 1)})")
      if self.chance(0.2):
        self.exit() if self.chance(0.5) else self._break()
    if kept:
      self.aggregates(kept, kind)
    self._words = [words] if words else []

  def _break(self):
    with self.block(f"if {self.cond()}:"):
      self.line("break")
    if self._variables():
      self.do_change()

  def program(self):
    """Writes a program and returns it."""
    if self.is_method:
      with self.block("class Net:"):
        for name in self.functions:
          self.function(name)
      self.line("function = Net().f")
    else:
      for name in self.functions[::-1]:
        self.function(name)
      self.line("function = f")
    state = "lambda: [seen, cache, counts, total, best, vars(model)]"
    self.line(f'return {{"function": function, "variables": [table, mix], "state": {state}}}')
    text = HEAD + "\n".join(self.lines) + "\n"
    return Program(text, self.is_binary, self.has_vector, self.result)


def program(random):
  """Returns a random `Program`."""
  return Writer(random).program()
