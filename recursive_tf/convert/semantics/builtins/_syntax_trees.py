"""`ast.iter_child_nodes` and visitors, on the nodes of Python's own syntax trees."""

from __future__ import annotations

import ast
from types import NoneType

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _lazy
from recursive_tf.convert.values import _stand_ins
from recursive_tf.convert.values._abstract import LocalList, Missing, Ref, Rows

_CLASSES = frozenset(
  cls for cls in vars(ast).values() if isinstance(cls, type) and issubclass(cls, ast.AST)
)
# Which visitors of constants may have from before there was one class of those.
_OLD_VISITORS = [f"visit_{name}" for name in ("Num", "Str", "Bytes", "NameConstant", "Ellipsis")]
_WRITES = frozenset(("attr", name) for cls in _CLASSES for name in getattr(cls, "_fields", ()))


def children(ip: Host, node: object) -> LocalList:
  """Does `ast.iter_child_nodes(node)`: the walk reads them of what is passed in."""
  node = ip.frame.resolve(node)
  _check_nodes(ip, node)
  return _lazy.made_by(ip, lambda: _read(ip, node), (), (node,))


def _check_nodes(ip: Host, node: object) -> None:
  """Refuses nodes that the program makes, those of other classes, and those that it changes."""
  frame = ip.frame
  kinds = frame.types_of(node) - {NoneType, Missing} if isinstance(node, Ref) else set()
  if not kinds or not _CLASSES.issuperset(kinds):
    raise frame.refuse(
      Reason.UNSUPPORTED_OPERATION,
      "ast.iter_child_nodes() of what is not surely a node of a tree that is passed in.",
    )
  for step in ip.conversion.effects.places:
    if type(step) is tuple and (step[0] in ("item", "content") or step in _WRITES):
      raise frame.refuse(
        Reason.EFFECT_ORDER, "The nodes in an ast node are read while attributes or items change."
      )


def _read(ip: Host, node: object) -> Rows:
  assert isinstance(node, Ref)  # _check_nodes.
  return ip.frame.elements(node.step("children", ast.AST))


def visit_constant(ip: Host, visitor: object, node: object) -> object:
  """Does `ast.NodeVisitor.visit_Constant`."""
  if any(ip.call(hasattr, [visitor, name], {}) is not False for name in _OLD_VISITORS):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, f"A visitor with one of {', '.join(_OLD_VISITORS)}."
    )
  return ip.call(_stand_ins.visit_constant, [visitor, node], {})
