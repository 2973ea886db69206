"""What one statement or expression reads, and what it surely binds, in the order of evaluation."""

from __future__ import annotations

import ast
import dataclasses

from recursive_tf.convert.syntax import scopes


@dataclasses.dataclass(frozen=True)
class Effect:
  """The names that evaluating something touches.

  Attributes:
    reads: names read before the same evaluation has surely bound them.
    binds: names that are surely bound afterwards, unless it raises.
  """

  reads: frozenset[str]
  binds: frozenset[str]


def effect_of(*nodes: ast.AST) -> Effect:
  """Returns the effect of evaluating the nodes in order; no `If`, `For`, `While`."""
  order = _Order()
  for node in nodes:
    order.visit(node)
  return Effect(frozenset(order.reads), frozenset(order.binds))


class _Order(ast.NodeVisitor):
  """Visits in Python's order of evaluation, which is that of the fields for most nodes."""

  def __init__(self) -> None:
    self.reads: set[str] = set()
    self.binds: set[str] = set()

  def _read(self, names: frozenset[str]) -> None:
    self.reads |= names - self.binds

  def visit_Name(self, node: ast.Name) -> None:
    if isinstance(node.ctx, ast.Load):
      self._read(frozenset([node.id]))
    else:
      self.binds.add(node.id)

  def visit_Assign(self, node: ast.Assign) -> None:
    self.visit(node.value)
    for target in node.targets:
      self.visit(target)

  def visit_AugAssign(self, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
      self._read(frozenset([node.target.id]))
    else:
      self.visit(node.target)
    self.visit(node.value)
    self.visit(node.target)

  def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
    self.visit(node.value)
    self.visit(node.target)

  def visit_BoolOp(self, node: ast.BoolOp) -> None:
    self.visit(node.values[0])
    sure = set(self.binds)
    for value in node.values[1:]:  # Each runs only after all before it.
      self.visit(value)
    self.binds = sure

  def visit_Compare(self, node: ast.Compare) -> None:
    self.visit(node.left)
    self.visit(node.comparators[0])
    sure = set(self.binds)
    for comparator in node.comparators[1:]:
      self.visit(comparator)
    self.binds = sure

  def visit_IfExp(self, node: ast.IfExp) -> None:
    self.visit(node.test)
    before = set(self.binds)
    self.visit(node.body)
    after_body, self.binds = self.binds, set(before)
    self.visit(node.orelse)
    self.binds &= after_body

  def visit_Assert(self, node: ast.Assert) -> None:
    self.visit(node.test)
    sure = set(self.binds)
    if node.msg is not None:
      self.visit(node.msg)
    self.binds = sure

  def visit_Dict(self, node: ast.Dict) -> None:
    for key, value in zip(node.keys, node.values, strict=True):
      if key is not None:
        self.visit(key)
      self.visit(value)

  def visit_Lambda(self, node: ast.Lambda) -> None:
    self._made(node)

  def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
    self._made(node)
    self.binds.add(node.name)

  def _made(self, node: scopes.Scope) -> None:
    for default in [*node.args.defaults, *node.args.kw_defaults]:
      if default is not None:
        self.visit(default)
    self._read(scopes.free_names(node))

  def visit_alias(self, node: ast.alias) -> None:
    self.binds.add(node.asname or node.name.partition(".")[0])

  def visit_ListComp(self, node: ast.ListComp) -> None:
    self._comprehension(node, node.elt)

  def visit_SetComp(self, node: ast.SetComp) -> None:
    self._comprehension(node, node.elt)

  def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
    self._comprehension(node, node.elt)

  def visit_DictComp(self, node: ast.DictComp) -> None:
    self._comprehension(node, node.key, node.value)

  def _comprehension(self, node: scopes.Comprehension, *elements: ast.expr) -> None:
    self.visit(node.generators[0].iter)
    # There may be no element at all, so nothing inside is surely bound.
    sure = set(self.binds)
    for index, generator in enumerate(node.generators):
      if index:
        self.visit(generator.iter)
      self.visit(generator.target)
      for condition in generator.ifs:
        self.visit(condition)
    for element in elements:
      self.visit(element)
    self.binds = sure
