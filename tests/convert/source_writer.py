"""Writes random Python source: lines, blocks, names, and what is known where."""

import contextlib


class SourceWriter:
  """Writes lines, and notes which expressions of which types can be read there.

  Those who inherit have a method for each type, `_ints(depth)` for `int`, that returns functions
  which give an expression of it.

  Args:
    random: a `random.Random`.
  """

  def __init__(self, random):
    self._random = random
    self.lines, self._indent, self._count = [], 1, 0
    self._scope = {}

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
