"""Checks what each pass promises; run between passes in tests. A failure is a bug of ours."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from recursive_tf.convert.syntax import fence, scopes
from recursive_tf.convert.syntax.annotations import Annotation, annotation

_Check = Callable[[ast.FunctionDef], None]


class BrokenPassError(AssertionError):
  """A pass left something that its docstring rules out."""


def verify(node: ast.FunctionDef, passes: list[str]) -> None:
  """Checks the promises of all passes that have run, and that every node has a place.

  Args:
    node: the function as the last pass left it.
    passes: the names of the passes so far, in order.

  Raises:
    BrokenPassError: At the first broken promise; it names the last pass.
  """
  try:
    _has_places(node)
    for name in passes:
      _CHECKS[name](node)
  except BrokenPassError as error:
    raise BrokenPassError(f"after {passes[-1]}: {error}\n{ast.unparse(node)}") from error


def _require(condition: bool, node: ast.AST, promise: str) -> None:
  if not condition:
    raise BrokenPassError(f"line {getattr(node, 'lineno', '?')}: {promise}")


def _has_places(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    if "lineno" in node._attributes:
      line = getattr(node, "lineno", 0)
      inside = root.lineno <= line <= (root.end_lineno or line)
      _require(inside, node, f"{type(node).__name__} has no place in the user's function.")


def _without_yields(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    is_yield = isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield | ast.YieldFrom)
    _require(not is_yield, node, "no yield is left.")


def _without_match(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    _require(not isinstance(node, ast.Match), node, "no match is left.")


def _fenced(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    _require(type(node).__name__ not in fence.REFUSED, node, "this syntax is fenced off.")


def _with_locals(root: ast.FunctionDef) -> None:
  for function in scopes.functions_of(root):
    noted = annotation(function, Annotation.LOCALS)
    _require(isinstance(noted, frozenset), function, "it has LOCALS.")
    _require(noted <= scopes.local_names(function), function, "a local stays local.")


def _desugared(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    _require(not isinstance(node, ast.AnnAssign), node, "no annotated assignment.")
    if isinstance(node, ast.Assign):
      _require(len(node.targets) == 1, node, "an assignment has one target.")
    if isinstance(node, ast.Compare):
      _require(len(node.ops) == 1, node, "a comparison has one operator.")
    if isinstance(node, ast.FunctionDef):
      _require(not node.decorator_list, node, "no decorators.")
      _require(node.returns is None, node, "no annotations.")
      late = [s for s in scopes.own_nodes(node.body) if isinstance(s, ast.Global | ast.Nonlocal)]
      _require(late == [s for s in node.body[: len(late)] if s in late], node, "declared first.")
    if isinstance(node, ast.arg):
      _require(node.annotation is None, node, "no annotations.")


def _managed(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    _require(not isinstance(node, ast.Try), node, "no try is left.")
    if isinstance(node, ast.With):
      _require(len(node.items) == 1, node, "a with has one context manager.")
      exits = [part for part in scopes.own_nodes(node.body) if isinstance(part, ast.Return)]
      _require(not exits, node, "no return in a with.")


def _without_loop_exits(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    if isinstance(node, ast.For | ast.While):
      _require(not node.orelse, node, "loops have no else.")
    _require(not isinstance(node, ast.Break | ast.Continue), node, "no break, no continue.")
    if isinstance(node, ast.For | ast.While):
      returns = [part for part in scopes.own_nodes(node.body) if isinstance(part, ast.Return)]
      _require(not returns, node, "no return in a loop.")
  for block in _blocks(root):
    for index, statement in enumerate(block):
      is_last = index + 1 == len(block)
      is_exit = isinstance(statement, ast.Return | ast.Raise)
      _require(is_last or not is_exit, statement, "nothing follows an exit.")
      flag = annotation(statement, Annotation.UNTIL)
      if flag is not None:
        starts = [part for part in block[:index] if _starts_flag(part, flag)]
        _require(bool(starts), statement, f"{flag} is False before the loop.")
        body = statement.body if isinstance(statement, ast.For | ast.While) else []
        _require(flag in scopes.assigned_names(body), statement, f"the loop sets {flag}.")


def _starts_flag(node: ast.stmt, flag: str) -> bool:
  return (
    isinstance(node, ast.Assign)
    and isinstance(node.targets[0], ast.Name)
    and node.targets[0].id == flag
    and isinstance(node.value, ast.Constant)
    and node.value.value is False
  )


def _blocks(root: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
  for node in ast.walk(root):
    if isinstance(node, ast.FunctionDef | ast.If | ast.For | ast.While | ast.With):
      _require(bool(node.body), node, "no empty block.")
      yield node.body
      yield getattr(node, "orelse", [])


def _with_single_exits(root: ast.FunctionDef) -> None:
  for function in scopes.functions_of(root):
    tails = list(_tails(function.body))
    for tail in tails:
      _require(
        isinstance(tail, ast.Return | ast.Raise), tail, "every way ends in a return or a raise."
      )
    found = [part for part in scopes.own_nodes(function) if isinstance(part, ast.Return)]
    for node in found:
      _require(any(node is tail for tail in tails), node, "a return is the end of its way.")
      _require(node.value is not None, node, "a return has a value.")


def _tails(block: list[ast.stmt]) -> Iterator[ast.stmt]:
  last = block[-1]
  if isinstance(last, ast.If) and last.orelse:
    yield from _tails(last.body)
    yield from _tails(last.orelse)
  else:
    yield last


def _with_liveness(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    if not isinstance(node, ast.If | ast.For | ast.While):
      continue
    live = annotation(node, Annotation.LIVE_AFTER)
    assigned = annotation(node, Annotation.ASSIGNED)
    _require(isinstance(live, frozenset), node, "it has LIVE_AFTER.")
    _require(isinstance(assigned, frozenset), node, "it has ASSIGNED.")
    if not isinstance(node, ast.If):
      carried = annotation(node, Annotation.CARRIED)
      _require(isinstance(carried, frozenset), node, "it has CARRIED.")
      _require(carried <= assigned, node, "a loop carries only what it binds.")
      _require(live & assigned <= carried, node, "a loop carries what is read after it.")
      flag = annotation(node, Annotation.UNTIL)
      _require(flag is None or flag in carried, node, "a loop carries its flag.")


def _with_map_loops(root: ast.FunctionDef) -> None:
  for node in ast.walk(root):
    loop = annotation(node, Annotation.MAP_LOOP)
    if loop is None:
      continue
    _require(isinstance(node, ast.For), node, "a map loop is a for.")
    whole = [*loop.assignments, *(output.node for output in loop.outputs)]
    body = node.body if isinstance(node, ast.For) else []
    _require(
      len(whole) == len(body) and all(map(lambda a, b: a is b, whole, body)),
      node,
      "a map loop's assignments and outputs are its body.",
    )


_CHECKS: dict[str, _Check] = {
  "generators": _without_yields,
  "fence": _fenced,
  "matches": _without_match,
  "bindings": _with_locals,
  "desugar": _desugared,
  "named_attributes": _desugared,
  "choices": _desugared,
  "records": _desugared,
  "managed": _managed,
  "loop_exits": _without_loop_exits,
  "single_exit": _with_single_exits,
  "liveness": _with_liveness,
  "append_loops": _with_map_loops,
}
