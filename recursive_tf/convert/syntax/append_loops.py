"""Finds the `for` loops whose passes do not depend on each other: maps, and sums over them.

Before: liveness is known.
After: such loops have the annotation MAP_LOOP. The code is as it was.

    hs = []
    for child in node.children:
      h = encode(child)                 # an assignment
      hs.append(h)                      # an output, to the new list
      total += h                        # an output, to a running sum
"""

from __future__ import annotations

import ast

from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.syntax.annotations import (
  Annotation,
  LoopOutput,
  MapLoop,
  annotate,
  annotation,
)
from recursive_tf.convert.syntax.context import PassContext


def transform(node: ast.FunctionDef, ctx: PassContext) -> ast.FunctionDef:
  """Annotates the loops of `node` and of the functions inside it; returns it."""
  for function in scopes.functions_of(node):
    shared = scopes.captures(function, ctx.exhausting)
    seen_elsewhere = shared.read | shared.written | scopes.declared(function)
    _blocks(function.body, seen_elsewhere)
  return node


def _blocks(block: list[ast.stmt], seen_elsewhere: frozenset[str]) -> None:
  for index, statement in enumerate(block):
    if isinstance(statement, ast.For):
      loop = _map_loop(statement, block[:index], seen_elsewhere)
      if loop is not None:
        annotate(statement, Annotation.MAP_LOOP, loop)
    if isinstance(statement, ast.If | ast.For | ast.While | ast.With):
      _blocks(statement.body, seen_elsewhere)
      _blocks(getattr(statement, "orelse", []), seen_elsewhere)


def _map_loop(
  loop: ast.For, before: list[ast.stmt], seen_elsewhere: frozenset[str]
) -> MapLoop | None:
  """Returns what the loop computes if it is a map, None if not."""
  if annotation(loop, Annotation.UNTIL) is not None or not _is_plain_target(loop.target):
    return None
  carried = annotation(loop, Annotation.CARRIED)
  assignments, outputs = _split(loop.body, carried)
  names = [output.name for output in outputs]
  if not outputs or len(set(names)) < len(names) or seen_elsewhere & set(names):
    return None
  if any(o.kind == "append" and not _is_fresh_list(o.name, before) for o in outputs):
    return None
  if not all(map(_is_local_work, assignments)):
    return None
  evaluated = [loop.iter, loop.target, *assignments, *(output.value for output in outputs)]
  mentioned = {n.id for part in evaluated for n in ast.walk(part) if isinstance(n, ast.Name)}
  if mentioned & set(names):
    return None
  # All else that the body binds is made anew in each pass, and gone after it.
  sums = {output.name for output in outputs if output.kind == "+"}
  if carried - sums:
    return None
  return MapLoop(tuple(assignments), tuple(outputs))


def _split(
  body: list[ast.stmt], carried: frozenset[str]
) -> tuple[list[ast.stmt], list[LoopOutput]]:
  """Splits the body before the outputs at its end; adding to what is not carried is none."""
  outputs: list[LoopOutput] = []
  for statement in reversed(body):
    output = _output(statement)
    if output is None or (output.kind == "+" and output.name not in carried):
      break
    outputs.insert(0, output)
  return body[: len(body) - len(outputs)], outputs


def _output(node: ast.stmt) -> LoopOutput | None:
  """Returns what `xs.append(e)`, `s += e` or `s = s + e` hands out, None for another statement."""
  if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
    call = node.value
    function = call.func
    if (
      isinstance(function, ast.Attribute)
      and isinstance(function.value, ast.Name)
      and function.attr == "append"
      and len(call.args) == 1
      and not call.keywords
      and not isinstance(call.args[0], ast.Starred)
    ):
      return LoopOutput(function.value.id, "append", call.args[0], node)
  if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
    if isinstance(node.op, ast.Add):
      return LoopOutput(node.target.id, "+", node.value, node)
  if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
    target, value = node.targets[0], node.value
    if (
      isinstance(target, ast.Name)
      and isinstance(value.op, ast.Add)
      and isinstance(value.left, ast.Name)
      and value.left.id == target.id
    ):
      return LoopOutput(target.id, "+", value.right, node)
  return None


def _is_fresh_list(name: str, before: list[ast.stmt]) -> bool:
  """Says whether the last statement that mentions the name is `name = []`."""
  for statement in reversed(before):
    if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
      return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, ast.List)
        and not statement.value.elts
      )
  return False


def _is_plain_target(target: ast.expr) -> bool:
  if isinstance(target, ast.Tuple | ast.List):
    return all(map(_is_plain_target, target.elts))
  return isinstance(target, ast.Name)


def _is_local_work(node: ast.stmt) -> bool:
  """Says whether a statement does nothing itself but bind names (what it calls may do more)."""
  if isinstance(node, ast.Assign):
    return _is_plain_target(node.targets[0])
  if isinstance(node, ast.AugAssign):
    return isinstance(node.target, ast.Name)
  if isinstance(node, ast.If | ast.While):
    return all(map(_is_local_work, [*node.body, *node.orelse]))
  if isinstance(node, ast.For):
    return _is_plain_target(node.target) and all(map(_is_local_work, node.body))
  return isinstance(node, ast.Pass)
