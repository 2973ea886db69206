"""Lists that a comprehension makes, put together: `chain.from_iterable`, `chain(*...)` and `sum`.

A list of lists of which only the run knows lengths is no value of the graph. But where such lists
are made only to be put together, `for x in make(k)` inside of `for k in kids` does the same.
"""

from __future__ import annotations

import ast
import itertools
import types

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _lazy
from recursive_tf.convert.values._abstract import (
  LocalList,
  Missing,
  Raises,
  Ref,
  Scope,
  has_changed,
  named,
)

_ELEMENT = "_rtf_element"


def flattened(ip: Host, function: object, node: ast.Call, scope: Scope) -> object:
  """Returns what a call gives that puts the lists of a comprehension together; None of others."""
  if node.keywords:
    return None
  is_builtin = isinstance(function, types.BuiltinFunctionType)  # Not what `==` computes with.
  if is_builtin and function == itertools.chain.from_iterable and len(node.args) == 1:
    return _chained(ip, node.args[0], scope)
  if function is itertools.chain and any(isinstance(arg, ast.Starred) for arg in node.args):
    return _chained_with(ip, node.args, scope)
  if function is sum and len(node.args) == 2 and ast.unparse(node.args[1]) == "[]":
    return _added(ip, node.args[0], scope)
  return None


def _chained(ip: Host, lists: ast.expr, scope: Scope) -> object:
  if isinstance(lists, ast.GeneratorExp):
    return ip.eval(_flat(lists), scope)  # As lazy as the chain of it.
  if isinstance(lists, ast.ListComp):
    return _lazy.made_by(ip, lambda: _at_once(ip, lists, scope), (), ())
  return None


def _chained_with(ip: Host, args: list[ast.expr], scope: Scope) -> object:
  """Returns `chain(a, *[...])`."""
  *others, last = args
  lists = last.value if isinstance(last, ast.Starred) else None
  if not isinstance(lists, (ast.GeneratorExp, ast.ListComp)):
    return None
  if any(isinstance(other, ast.Starred) for other in others):
    return None
  first = [ip.eval(other, scope) for other in others]
  before = ip.frame.snapshot()

  def make() -> object:
    found = ip.frame.new(LocalList([]))
    more = _at_once(ip, lists, scope)
    for part in (*first, more):
      ip.extend(found, part)
    return found

  found = _lazy.made_by(ip, make, (), tuple(first))
  if first and has_changed(before, ip.frame.snapshot()):
    text = "Lists are put together while others are made, which changes something."
    raise ip.frame.refuse(Reason.EFFECT_ORDER, text)
  return found


def _added(ip: Host, lists: ast.expr, scope: Scope) -> object:
  """Returns `sum(..., [])`: anything but lists raises a TypeError."""
  if isinstance(lists, ast.GeneratorExp):
    return ip.call(list, [ip.eval(_flat(lists, is_sum=True), scope)], {})
  if isinstance(lists, ast.ListComp):
    return _at_once(ip, lists, scope, is_sum=True)
  return None


def _at_once(
  ip: Host, lists: ast.ListComp | ast.GeneratorExp, scope: Scope, is_sum: bool = False
) -> object:
  """Returns the elements of lists that are all made first; refused if making one changes anything.

  It might change one that is made already.
  """
  before = ip.frame.snapshot()
  found = ip.call(list, [ip.eval(_flat(lists, is_sum), scope)], {})
  if has_changed(before, ip.frame.snapshot()):
    text = "Lists are made and then put together; making them changes something."
    raise ip.frame.refuse(Reason.EFFECT_ORDER, text)
  return found


def as_list(ip: Host, value: object) -> object:
  """Returns a list, which may be added to a list."""
  value = ip.frame.resolve(value)
  is_list = isinstance(value, LocalList) and value.type is list and not value.is_iterator
  if is_list or (isinstance(value, Ref) and ip.frame.types_of(value) - {Missing} == {list}):
    return value
  if isinstance(value, (tuple, str)) or value is None:
    raise Raises  # A TypeError: these cannot be added to a list.
  raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"sum() of a {named(value)} and a list.")


def _flat(lists: ast.ListComp | ast.GeneratorExp, is_sum: bool = False) -> ast.GeneratorExp:
  """Returns `(x for ... for x in element)` of `(element for ...)`; the same one each time."""
  made = getattr(lists, "_rtf_flat", None)
  if made is None:
    inner: ast.expr = lists.elt
    if is_sum:
      inner = ast.Call(ast.Constant(as_list), [inner], [])  # type: ignore[arg-type]
    target, value = ast.Name(_ELEMENT, ast.Store()), ast.Name(_ELEMENT, ast.Load())
    more = ast.comprehension(target, inner, [], 0)
    made = ast.GeneratorExp(value, [*lists.generators, more])
    for part in ast.walk(made):
      if not hasattr(part, "lineno"):
        ast.copy_location(part, lists)
    lists._rtf_flat = made  # type: ignore[union-attr]
  return made
