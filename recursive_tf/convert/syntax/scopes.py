"""Which names a function binds, declares, captures: Python's scope rules, read off the syntax.

A scope is a `FunctionDef` or a `Lambda`; a comprehension's loop variables are names of its own,
but what it assigns with `:=` belongs to the function around it.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator

from recursive_tf.convert.syntax.annotations import Annotation, annotation

Scope = ast.FunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclasses.dataclass(frozen=True)
class Captures:
  """What the functions made inside a function share with it.

  Attributes:
    read: names of the function that functions inside may read at any later time.
    written: those that functions inside declare `nonlocal`, so that any call may change them.
  """

  read: frozenset[str]
  written: frozenset[str]


def functions_of(root: ast.FunctionDef) -> list[ast.FunctionDef]:
  """Returns all definitions in `root`, inner ones before those around them, `root` last."""
  found = [node for node in ast.walk(root) if isinstance(node, ast.FunctionDef)]
  return found[::-1]


def with_bodies(
  root: ast.FunctionDef, rewritten: Callable[[list[ast.stmt]], list[ast.stmt]]
) -> ast.FunctionDef:
  """Returns `root`, of which each function's body is rewritten in place, inner ones first."""
  for function in functions_of(root):
    function.body = rewritten(function.body)
  return root


def own_nodes(scope: Scope | list[ast.stmt]) -> Iterator[ast.AST]:
  """Yields the nodes that run in this scope: not the bodies of functions inside.

  Default values and decorators of the functions inside do run here. Comprehensions are yielded
  with all that is in them, their own loop variables too.
  """
  if isinstance(scope, list):
    agenda: list[ast.AST] = list(scope)
  else:
    agenda = [scope.body] if isinstance(scope, ast.Lambda) else list(scope.body)
  while agenda:
    node = agenda.pop()
    yield node
    if isinstance(node, Scope):
      agenda.extend(_outside_parts(node))
    else:
      agenda.extend(ast.iter_child_nodes(node))


def _outside_parts(node: Scope) -> list[ast.AST]:
  defaults = [default for default in node.args.kw_defaults if default is not None]
  return [*node.args.defaults, *defaults, *getattr(node, "decorator_list", [])]


def parameters(scope: Scope) -> frozenset[str]:
  """Returns the names of the parameters."""
  return frozenset(node.arg for node in ast.walk(scope.args) if isinstance(node, ast.arg))


def declared(scope: Scope) -> frozenset[str]:
  """Returns the names that the scope declares `global` or `nonlocal`."""
  nodes = [n for n in own_nodes(scope) if isinstance(n, ast.Global | ast.Nonlocal)]
  return frozenset(name for node in nodes for name in node.names)


def assigned_names(statements: list[ast.stmt]) -> frozenset[str]:
  """Returns the names that these statements may bind in their function, not in ones inside."""
  return frozenset(_bindings(statements))


def local_names(scope: Scope) -> frozenset[str]:
  """Returns the names that belong to the scope: Python's local variables."""
  body = [ast.Expr(scope.body)] if isinstance(scope, ast.Lambda) else scope.body
  noted: frozenset[str] = annotation(scope, Annotation.LOCALS, frozenset())
  return (parameters(scope) | assigned_names(list(body)) | noted) - declared(scope)


def num_bindings(scope: ast.FunctionDef, name: str) -> int:
  """Returns in how many places of its body a scope binds a name, those of functions inside too."""
  inner = [node for node in ast.walk(scope) if isinstance(node, ast.FunctionDef)]
  return sum(one == name for node in inner for one in _bindings(node.body))


def _bindings(statements: list[ast.stmt]) -> Iterator[str]:
  agenda: list[ast.AST] = list(statements)
  while agenda:
    node = agenda.pop()
    if isinstance(node, Scope):
      if isinstance(node, ast.FunctionDef):
        yield node.name
      agenda.extend(_outside_parts(node))
      continue
    if isinstance(node, Comprehension):
      yield from (n.target.id for n in own_nodes([ast.Expr(node)]) if isinstance(n, ast.NamedExpr))
      continue
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
      yield node.id
    elif isinstance(node, ast.ExceptHandler) and node.name:
      yield node.name
    elif isinstance(node, ast.alias):
      yield node.asname or node.name.partition(".")[0]
    agenda.extend(ast.iter_child_nodes(node))


def free_names(scope: Scope) -> frozenset[str]:
  """Returns the names that the scope, or one inside it, takes from the scopes around it.

  A comprehension's loop variables count as free if they are read outside of it too; and names that
  turn out to be global or builtin count as well.
  """
  reads: set[str] = set()
  body = [ast.Expr(scope.body)] if isinstance(scope, ast.Lambda) else scope.body
  for statement in body:
    reads |= _free_reads(statement)
  nonlocals = [n for n in own_nodes(scope) if isinstance(n, ast.Nonlocal)]
  reads |= {name for node in nonlocals for name in node.names}
  return frozenset(reads - local_names(scope))


def _free_reads(node: ast.AST) -> set[str]:
  """Returns the names read in `node`, those of functions inside only where they are free there."""
  if isinstance(node, ast.Name):
    return {node.id} if isinstance(node.ctx, ast.Load) else set()
  reads: set[str] = set()
  if isinstance(node, Scope):
    for part in _outside_parts(node):
      reads |= _free_reads(part)
    return reads | free_names(node)
  if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
    reads.add(node.target.id)
  for child in ast.iter_child_nodes(node):
    reads |= _free_reads(child)
  if isinstance(node, Comprehension):
    # The first iterable is read outside of the comprehension, so by its own variables' rules.
    reads -= comprehension_targets(node.generators)
    reads |= _free_reads(node.generators[0].iter)
  return reads


def comprehension_targets(generators: list[ast.comprehension]) -> frozenset[str]:
  """Returns the variables of a comprehension's loops."""
  parts = [part for generator in generators for part in ast.walk(generator.target)]
  names = [part for part in parts if isinstance(part, ast.Name)]
  return frozenset(name.id for name in names if isinstance(name.ctx, ast.Store))


def captures(scope: ast.FunctionDef, exhausting: frozenset[str]) -> Captures:
  """Finds what the functions inside `scope` share with it.

  A generator expression is a function too, except where it is the one argument of a builtin that
  runs it to its end.

  Args:
    scope: the function.
    exhausting: the names of such builtins.
  """
  read: set[str] = set()
  written: set[str] = set()
  at_once = {
    id(node.args[0])
    for node in own_nodes(scope)
    if isinstance(node, ast.Call)
    and isinstance(node.func, ast.Name)
    and node.func.id in exhausting
    and len(node.args) == 1
  }
  for node in own_nodes(scope):
    if isinstance(node, Scope):
      read |= free_names(node)
      written |= _outer_writes(node)
    elif isinstance(node, ast.GeneratorExp) and id(node) not in at_once:
      read |= lazy_reads(node)
  own = local_names(scope) | declared(scope)
  return Captures(frozenset(read) & own, frozenset(written) & own)


def lazy_reads(node: ast.GeneratorExp) -> set[str]:
  """Returns what a generator expression reads of the function while it runs, not when made."""
  parts: list[ast.AST] = [node.elt]
  for index, generator in enumerate(node.generators):
    parts += [generator.target, *generator.ifs, *([generator.iter] if index else [])]
  reads = {name for part in parts for name in _free_reads(part)}
  return reads - comprehension_targets(node.generators)


def _outer_writes(scope: Scope) -> set[str]:
  """Returns the names around `scope` that it, or a function inside it, declares `nonlocal`."""
  names: set[str] = set()
  for node in own_nodes(scope):
    if isinstance(node, ast.Nonlocal):
      names |= set(node.names)
    elif isinstance(node, Scope):
      names |= _outer_writes(node)
  return names - local_names(scope)


def names_in(node: ast.AST) -> tuple[set[str], set[str]]:
  """Returns the names bound anywhere in `node`, and the names read anywhere in it."""
  bound: set[str] = set()
  read: set[str] = set()
  for part in ast.walk(node):
    if isinstance(part, ast.Name):
      (read if isinstance(part.ctx, ast.Load) else bound).add(part.id)
    elif isinstance(part, ast.arg):
      bound.add(part.arg)
    elif isinstance(part, ast.FunctionDef):
      bound.add(part.name)
    elif isinstance(part, ast.ExceptHandler) and part.name:
      bound.add(part.name)
    elif isinstance(part, ast.alias):
      bound.add(part.asname or part.name.partition(".")[0])
  return bound, read
