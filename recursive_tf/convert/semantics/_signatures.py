"""Parameters of the user's functions, and of functions that are defined in functions."""

from __future__ import annotations

import ast
import inspect

from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.values._abstract import Closure


def signature(ip: Host, function: object) -> inspect.Signature:
  """Returns the parameters of a function of the user's, with their default values."""
  if isinstance(function, Closure):
    return signature_of(function.node, function.defaults)
  return ip.conversion.source(function).signature


def signature_of(node: ast.FunctionDef, defaults: dict[str, object]) -> inspect.Signature:
  """Returns the signature of a function that is defined in a function."""
  kinds = inspect.Parameter
  args = node.args
  parameters = []
  for group, kind in (
    (args.posonlyargs, kinds.POSITIONAL_ONLY),
    (args.args, kinds.POSITIONAL_OR_KEYWORD),
    ([args.vararg] if args.vararg else [], kinds.VAR_POSITIONAL),
    (args.kwonlyargs, kinds.KEYWORD_ONLY),
    ([args.kwarg] if args.kwarg else [], kinds.VAR_KEYWORD),
  ):
    parameters += [
      kinds(arg.arg, kind, default=defaults.get(arg.arg, kinds.empty)) for arg in group
    ]
  return inspect.Signature(parameters)


def function_of_lambda(node: ast.Lambda) -> ast.FunctionDef:
  """Returns a lambda as a definition; the same one each time."""
  made = getattr(node, "_rtf_function", None)
  if made is None:
    result = ast.copy_location(ast.Return(node.body), node)
    made = ast.FunctionDef("<lambda>", node.args, [result], [], lineno=node.lineno)
    made = ast.copy_location(made, node)
    node._rtf_function = made  # type: ignore[attr-defined]
  return made
