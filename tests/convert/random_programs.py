"""Random recursive programs as Python source, and random trees for them.

A program is well-typed by construction, mostly: reads that may be None are guarded most of the
time, and some branches raise. `Writer` takes a `random.Random`: Hypothesis's, so that a failing
program is made smaller, or an own one.
"""

import contextlib
import dataclasses

import numpy as np
import tensorflow as tf

D = 3
TAGS = ("NP", "VP", "PP")
RESULTS = {  # What the recursive function returns: how a result's parts are read, by type.
  "int": [("int", "{}")],
  "float": [("float", "{}")],
  "bool": [("bool", "{}")],
  "tensor": [("tensor", "{}")],
  "pair": [("tensor", "{}[0]"), ("int", "{}[1]")],
  "dict": [("tensor", '{}["h"]'), ("float", '{}["x"]')],
  "list": [("tensor", "{}[0]"), ("tensor", "{}[1]")],
  "words": [("int", "len({})"), ("int", "sum({})")],
  "maybe": [("tensor", "({0} if {0} is not None else table[1])")],
  "node": [("int", "{}.label"), ("str", "{}.tag"), ("float", "{}.scale")],
  "none": [],
}
MAIN_RESULTS = ("tensor", "tensor", "pair", "int", *RESULTS)


class Node:
  """A node of a binary tree, or of one with lists of children."""

  def __init__(self, rng, children=None):
    self.label, self.tag = int(rng.integers(4)), TAGS[int(rng.integers(3))]
    self.flag, self.scale = bool(rng.integers(2)), float(np.round(rng.normal(), 2))
    self.extra = int(rng.integers(3)) if rng.integers(2) else None
    self.vector = rng.normal(size=D).astype(np.float32)

  @property
  def is_leaf(self):
    """Whether it has no children."""
    return not self.kids()

  def size(self):
    """Returns a number that depends on its kind."""
    return self.label + 2


class Binary(Node):
  """A node with two children or none."""

  def __init__(self, rng, children=()):
    super().__init__(rng)
    self.left, self.right = children or (None, None)
    self.word = None if children else int(rng.integers(6))

  def kids(self):
    """Returns the children."""
    return [] if self.left is None else [self.left, self.right]


class Leaf(Binary):
  """Another class of leaves."""

  def size(self):
    """Returns a number that depends on its kind."""
    return 1


class Nary(Node):
  """A node with a list of children."""

  def __init__(self, rng, children=()):
    super().__init__(rng)
    self.children, self.word = list(children), int(rng.integers(6))

  def kids(self):
    """Returns the children."""
    return self.children


def tree(rng, is_binary, size):
  """Returns a random tree with `size` leaves, or `size` nodes where not binary."""
  if not is_binary:
    children, left = [], size - 1
    while left > 0:
      part = int(rng.integers(1, left + 1))
      children.append(tree(rng, False, part))
      left -= part
    return Nary(rng, children)
  if size == 1:
    return Leaf(rng) if rng.integers(3) == 0 else Binary(rng)
  split = int(rng.integers(1, size))
  return Binary(rng, (tree(rng, True, split), tree(rng, True, size - split)))


def mutate(rng, root):
  """Changes a tree in place: values, a new subtree, a shared one."""
  nodes = [root]
  for node in nodes:
    nodes += node.kids()
  node = nodes[int(rng.integers(len(nodes)))]
  node.label, node.flag, node.scale = int(rng.integers(4)), not node.flag, node.scale + 0.5
  node.extra = int(rng.integers(3)) if node.extra is None else None
  inner = [node for node in nodes if node.kids()]
  if not inner:
    return
  host = inner[int(rng.integers(len(inner)))]
  choice = int(rng.integers(3))
  if isinstance(host, Nary):
    host.children.append(tree(rng, False, 2) if choice else host.children[0])
  elif choice:
    host.left = tree(rng, True, choice)
  else:
    host.right = host.left


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

from tests.convert.random_programs import Binary, Leaf, Nary


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

  def combine(a, b, *, scale=0.5):
    c = tf.tanh(a + b) * scale
    return c if scale > 0 else -c

"""


class Writer:
  """Writes one program.

  Args:
    random: a `random.Random`.
  """

  def __init__(self, random):
    self._random = random
    self.lines, self._indent, self._count = [], 1, 0
    self._scope = {}
    self.is_binary, self.has_vector = self.chance(0.6), self.chance(0.3)
    self.is_method = self.chance(0.25)
    self.result = self.pick(MAIN_RESULTS)
    self.functions = ["f", "g"] if self.chance(0.25) else ["f"]
    self.has_effects = self.chance(0.5)
    self.is_leaf = False

  # --- Choices and lines

  def pick(self, options):
    """Returns one of the options."""
    return options[self._random.randrange(len(options))]

  def chance(self, share):
    """Returns True in this share of cases."""
    return self._random.randrange(100) >= 100 - 100 * share

  def line(self, text):
    """Writes a line."""
    self.lines.append("  " * self._indent + text)

  @contextlib.contextmanager
  def block(self, head):
    """Writes a head, and what follows inside; variables made inside are forgotten."""
    self.line(head)
    scope, self._scope = self._scope, {k: list(v) for k, v in self._scope.items()}
    self._indent += 1
    before = len(self.lines)
    yield
    if len(self.lines) == before:
      self.line("pass")
    self._indent -= 1
    self._scope = scope

  def name(self, prefix="x"):
    """Returns a new name."""
    self._count += 1
    return f"{prefix}{self._count}"

  def define(self, kind, text):
    """Notes that from here on `text` is a value of this type."""
    self._scope.setdefault(kind, []).append(text)

  # --- Expressions

  def expr(self, kind, depth=2):
    """Returns an expression of a type."""
    known = self._scope.get(kind, [])
    if known and (depth <= 0 or self.chance(0.4)):
      return self.pick(known)
    if depth > 0 and self.chance(0.08) and kind != "bool":
      return f"({self.expr(kind, depth - 1)} if {self.cond()} else {self.expr(kind, depth - 1)})"
    return self.pick(getattr(self, f"_{kind}s")(max(depth, 0)))()

  def cond(self):
    """Returns a condition."""
    return self.expr("bool", 1)

  def _ints(self, depth):
    def op():
      text = f"{self.expr('int', depth - 1)} {self.pick('+-*')} {self.expr('int', depth - 1)}"
      return f"({text})"

    def call():
      return f"{self.pick(['max', 'min'])}({self.expr('int', depth - 1)}, {self.expr('int', 0)})"

    simple = [
      lambda: str(self.pick([0, 1, 2, 3, -1])),
      lambda: "depth",
      lambda: "node.label",
      lambda: "node.label",
      lambda: self.word(),
      lambda: "len(node.tag)",
      lambda: "(node.extra if node.extra is not None else 7)",
      lambda: "(node.extra or 2)",
    ]
    if not self.is_binary:
      simple += [lambda: "len(node.children)"]
    if self.has_effects:
      simple += [lambda: "getattr(node, 'mark', 2)", lambda: self.pick(["node.mark", "total", "model.count", "len(seen)", "counts.get(node.tag, 0)"])]
    if depth == 0:
      return simple
    return simple + [op, op, call,
      lambda: f"{self.expr('int', depth - 1)} {self.pick(['//', '%'])} {self.pick([2, 3, -2])}".join("()"),
      lambda: f"(-{self.expr('int', depth - 1)})",
      lambda: f"abs({self.expr('int', depth - 1)})",
      lambda: f"int({self.expr('bool', depth - 1)})",
      lambda: f"int({self.expr('float', depth - 1)})",
      lambda: f"helper({self.expr('int', depth - 1)})",
      lambda: f"helper({self.expr('int', depth - 1)}, y={self.expr('int', 0)})",
      lambda: "node.size()",
    ]

  def word(self):
    """Returns a read of the word, guarded where it may be None, mostly."""
    if not self.is_binary or self.is_leaf or self.chance(0.03):
      return "node.word"
    return "(0 if node.word is None else node.word)"

  def _floats(self, depth):
    simple = [lambda: self.pick(["0.5", "-1.5", "2.0"]), lambda: "node.scale", lambda: "node.scale"]
    if self.has_effects:
      simple += [lambda: self.pick(["best", "model.rate"])]
    if depth == 0:
      return simple
    return simple + [
      lambda: f"({self.expr('float', depth - 1)} {self.pick('+-*')} {self.expr('float', depth - 1)})",
      lambda: f"({self.expr('float', depth - 1)} {self.pick('+-*')} {self.expr('int', depth - 1)})",
      lambda: f"({self.expr('int', depth - 1)} / {self.pick([2, 3, 4.0])})",
      lambda: f"float({self.expr('int', depth - 1)})",
      lambda: f"abs({self.expr('float', depth - 1)})",
      lambda: f"max({self.expr('float', depth - 1)}, {self.expr('float', 0)})",
    ]

  def _bools(self, depth):
    ops = ["<", "<=", ">", ">=", "==", "!="]
    simple = [
      lambda: "node.flag",
      lambda: "node.is_leaf",
      lambda: f"node.tag {self.pick(['==', '!='])} {self.pick(TAGS)!r}",
      lambda: "node.extra is None",
      lambda: f"node.label > {self.pick([0, 1, 2])}",
      lambda: "hasattr(node, 'mark')",
      lambda: f"depth {self.pick(ops)} {self.pick([0, 1, 2])}",
      lambda: self.pick(["node.tag in ('NP', 'PP')", "isinstance(node, Leaf)", "node.extra"]),
      lambda: "isinstance(node.extra, int)",
      lambda: "node.extra is not None and node.extra > 0",
    ]
    simple += [lambda: "node.left is None"] if self.is_binary else [lambda: "not node.children"]
    if depth == 0:
      return [lambda make=make: f"({make()})" for make in simple]
    return [
      *(lambda make=make: f"({make()})" for make in simple),
      lambda: f"({self.expr('bool', depth - 1)} {self.pick(['and', 'or'])} {self.expr('bool', depth - 1)})",
      lambda: f"(not {self.expr('bool', depth - 1)})",
      lambda: f"({self.expr('int', depth - 1)} {self.pick(ops)} {self.expr('int', depth - 1)})",
      lambda: f"({self.expr('int', 0)} {self.pick(ops)} {self.expr('int', 0)} {self.pick(ops)} {self.expr('int', 0)})",
      lambda: f"({self.expr('float', depth - 1)} {self.pick(ops[:4])} {self.expr('float', depth - 1)})",
      lambda: f"(tf.reduce_sum({self.expr('tensor', depth - 1)}) > {self.pick([0.137, -0.291, 0.713])})",
    ]

  def _strs(self, depth):
    return [lambda: "node.tag", lambda: repr(self.pick(TAGS))]

  def _tensors(self, depth):
    simple = [
      lambda: f"table[{self.expr('int', 0)} % 4]",
      lambda: f"table[{self.expr('int', 0)} % 4]",
      lambda: "tf.constant(node.vector)",
      lambda: "node.vector * table[0]",
      lambda: self.pick(["tf.ones([3])", "mix[1]"]),
    ]
    if self.has_effects:
      simple += [lambda: "model.last"]
    if depth == 0:
      return simple
    one = lambda: self.expr("tensor", depth - 1)
    return simple + [
      lambda: f"({one()} {self.pick('+-*')} {one()})",
      lambda: f"({one()} {self.pick('+-*')} {one()})",
      lambda: f"tf.tanh({one()})",
      lambda: f"tf.linalg.matvec(mix, {one()})",
      lambda: f"({self.expr('float', depth - 1)} * {one()})",
      lambda: f"({one()} {self.pick('+*')} {self.expr('int', depth - 1)})",
      lambda: f"combine({one()}, {self.expr('tensor', 0)})",
      lambda: f"combine({one()}, {self.expr('tensor', 0)}, scale={self.expr('float', 0)})",
      lambda: f"tf.where({one()} > 0.1, {self.expr('tensor', 0)}, 0.5)",
      lambda: f"tf.add_n([{one()}, {self.expr('tensor', 0)}])",
      lambda: f"tf.reduce_sum(tf.stack([{one()}, {self.expr('tensor', 0)}]), 0)",
      lambda: f"(lambda q: q * {self.expr('float', 0)})({one()})",
    ]

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
      self.define("tensor", f"(tf.reduce_max(tf.stack({name}), 0) if len({name}) > 0 else table[3])")
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
    rare = self.pick(["depth > 3", "node.label == 9", "node.scale > 2.0", "depth > 2 and node.flag"])
    if self.chance(0.5):
      self.line(f"assert not ({rare}), f'no {{node.label}} {{depth}}'")
    else:
      with self.block(f"if {rare}:"):
        self.line(f"raise ValueError(f'bad {{node.tag}} at {{depth}}')")

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
    texts = [f"print('at', {value})", f"print(f'{{node.tag}}: {{{value}}}')", f"print({value}, depth, sep='/')"]
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
      with self.block(f"if {self.pick(['not node.children', 'len(node.children) == 0', 'node.is_leaf'])}:"):
        self.statements(1)
        self.line(f"return {self.returned()}")
    if self.chance(0.2):
      self.exit()
    (self._comprehension if self.chance(0.4) else self._for_children)()
    self.statements(2)
    self._end()

  def _comprehension(self):
    name = self.name("l")
    where = f" if {self.pick(['child.flag', 'child.label > 0', 'child.children'])}" if self.chance(0.3) else ""
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


def vector():
  """Returns the tensor argument of programs that take one."""
  return tf.constant([0.1, -0.4, 0.7])
