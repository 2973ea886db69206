"""Random expressions as Python source, well-typed by construction, mostly."""

from tests.convert.random_trees import TAGS
from tests.convert.source_writer import SourceWriter

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


class ExpressionWriter(SourceWriter):
  """Writes expressions of the variables that are known.

  Args:
    random: a `random.Random`.
  """

  def __init__(self, random):
    super().__init__(random)
    self.is_binary, self.has_vector = self.chance(0.6), self.chance(0.3)
    self.is_method = self.chance(0.25)
    self.result = self.pick(MAIN_RESULTS)
    self.functions = ["f", "g"] if self.chance(0.25) else ["f"]
    self.has_effects = self.chance(0.5)
    self.is_leaf = False

  # --- Expressions

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
      simple += [
        lambda: "getattr(node, 'mark', 2)",
        lambda: self.pick(
          ["node.mark", "total", "model.count", "len(seen)", "counts.get(node.tag, 0)"]
        ),
      ]
    if depth == 0:
      return simple
    return simple + [
      op,
      op,
      call,
      lambda: (
        f"{self.expr('int', depth - 1)} {self.pick(['//', '%'])} {self.pick([2, 3, -2])}".join("()")
      ),
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
      lambda: (
        f"({self.expr('float', depth - 1)} {self.pick('+-*')} {self.expr('float', depth - 1)})"
      ),
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
      lambda: self._pair("bool", ["and", "or"], depth),
      lambda: f"(not {self.expr('bool', depth - 1)})",
      lambda: f"({self.expr('int', depth - 1)} {self.pick(ops)} {self.expr('int', depth - 1)})",
      lambda: self._pair("int", ops, 1)[:-1] + f" {self.pick(ops)} {self.expr('int', 0)})",
      lambda: (
        f"({self.expr('float', depth - 1)} {self.pick(ops[:4])} {self.expr('float', depth - 1)})"
      ),
      lambda: (
        f"(tf.reduce_sum({self.expr('tensor', depth - 1)}) > {self.pick([0.137, -0.291, 0.713])})"
      ),
    ]

  def _pair(self, kind, operators, depth):
    left, right = self.expr(kind, depth - 1), self.expr(kind, depth - 1)
    return f"({left} {self.pick(operators)} {right})"

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

    def one():
      return self.expr("tensor", depth - 1)

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
