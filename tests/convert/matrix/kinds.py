"""What the results of the matrix's programs are, as Python expressions."""

import copy

from tests.convert.fuzz.values import Kind

# By what numbers are: the number that a node has by itself.
_OWN = {"int": "v", "float": "w", "tensor": "x", "array": "array"}
_DAMPED = {
  "int": "{} % 11", "float": "{} * 0.5", "tensor": "tf.tanh({} * weight)",
  "array": "{} * 0.5",
}  # fmt: skip
_SIMPLE = ("number", "string", "bool", "node", "enum")


class Kinds:
  """Expressions in terms of a row.

  Attributes:
    base: what numbers are: a key of `_OWN`.
    kind: the `Kind` of the results.
    is_simple: whether they can be compared with `==` and printed.
  """

  def __init__(self, row):
    self.row = row
    self.base = row.pick("base", self._bases())
    self.kind = row.pick("kind", self._kinds_with_global())
    self.is_simple = row["what"] in _SIMPLE or self.base in ("int", "float")

  def _bases(self):
    what = self.row["what"]
    if what in ("tensor", "array"):
      return (what,)
    if what in ("string", "bool", "node", "enum"):
      return ("int",)
    return ("int", "int", "float") if what == "number" else ("int", "tensor", "tensor", "float")

  def own(self, node):
    """Returns the number that a node has by itself."""
    return f"{node}.{_OWN[self.base]}"

  def damped(self, number):
    """Returns the number made so small that it stays small in deep trees."""
    if self.row["change"] == "new_global":
      number = self.row.pick("global", (f"{number} * SCALE", f"adjust({number})"))
    return _DAMPED[self.base].format(number)

  def combined(self, number, kid, extra):
    """Returns a number of a result's number, a kid and an int (or "")."""
    more = f" + {extra}" if extra and self.base in ("int", "float") else ""
    ways = [f"{number} + {self.own(kid)}{more}", f"{self.own(kid)} - {number}{more}"]
    return self.row.pick("combined", ways)

  def result(self, number, node):
    """Returns the expression of a result that holds a number."""
    return self.kind.make(number, node)

  def counted(self):
    """Returns the same of what is collected: its numbers, if it is counted."""
    if self.row["collect"] != "count":
      return self
    found = copy.copy(self)
    found.kind, found.is_simple = Kind(lambda m, k: m, "{}".format), self.base in ("int", "float")
    return found

  def number_of_parts(self):
    """Returns the number in a result that was unpacked as `p, q`."""
    found = self.kind.number("(p, q)")
    for whole, part in {"(p, q)[0]": "p", "(p, q)[1]": "q", "(p, q).a": "p"}.items():
      found = found.replace(whole, part)
    return found

  def _kinds_with_global(self):
    """Returns the kinds to choose from: if a global changes, those that depend on the number."""
    kinds = self._kinds()[self.row["what"]]
    needs_number = self.row["change"] == "new_global"
    return [kind for kind in kinds if not needs_number or "<m>" in kind.make("<m>", "k")]

  def _kinds(self):
    same, none = lambda m, k: m, f"({self.own('node')} if {{0}} is None else {{0}})"
    first, second = "{}[0]".format, "{}[1]".format
    a, x, length = "{}.a".format, "{}.x".format, "len({})".format

    def add_to(field):
      return lambda it: f"{it}{field} = {it}{field} + 1"

    def either(m, k):
      return f"({k}.kids[0] if {k}.kids and ({m}) % 2 == 0 else {k})"

    return {
      "tensor": [Kind(same, "{}".format)],
      "array": [Kind(same, "{}".format), Kind(lambda m, k: f"{k}.array * 2.0", "{}".format)],
      "number": [Kind(same, "{}".format)],
      "tuple": [
        Kind(lambda m, k: f"({m}, {k}.name)", first, None, 2),
        Kind(lambda m, k: f"({k}.v, {m})", second, None, 2),
        Kind(lambda m, k: f"({m}, ({k}.v, {m}))", "{}[1][1]".format, None, 2),
        Kind(lambda m, k: f"({m}, {m})", first, None, 2),
      ],
      "named": [Kind(lambda m, k: f"Pair({m}, {k}.v)", a, None, 2)],
      "dict": [Kind(lambda m, k: f'{{"a": {m}, "v": {k}.v}}', '{}["a"]'.format, add_to('["a"]'))],
      "data": [Kind(lambda m, k: f"Item({m}, {k}.v)", a, add_to(".a"))],
      "list": [
        Kind(lambda m, k: f"[{m}, {k}.v]", first, "{}.append(1)".format, 2),
        Kind(lambda m, k: f"[{m}, {m}]", second, add_to("[0]"), 2),
      ],
      "string": [
        Kind(lambda m, k: f'({k}.name if ({m}) % 2 == 0 else "odd")', length),
        Kind(lambda m, k: f'{k}.name + "!"', length),
        Kind(lambda m, k: f'f"<{{{k}.name}}>"', length),
      ],
      "bool": [
        Kind(lambda m, k: f"({m}) % 2 == 0", "(1 if {} else 0)".format),
        Kind(lambda m, k: f"{k}.flag and ({m}) > 2", "int({})".format),
      ],
      "none": [Kind(lambda m, k: f"(None if {k}.flag else {m})", none.format)],
      "node": [Kind(either, "{}.v".format, add_to(".v")), Kind(lambda m, k: k, "{}.v".format)],
      "enum": [
        Kind(lambda m, k: f"(Op.ADD if ({m}) % 2 == 0 else Op.NEG)", "CODES_OF[{}]".format),
        Kind(
          lambda m, k: f"({k}.op if ({m}) > 1 else Op.MUL)", "(2 if {} is Op.ADD else 1)".format
        ),
      ],
      "object": [Kind(lambda m, k: f"Box({m})", x, add_to(".x"))],
    }
