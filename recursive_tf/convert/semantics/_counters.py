"""`collections.Counter` and `defaultdict` that the program makes: dicts that give what is missing.

What they do beyond a dict of keys that only the run knows (`_tables.py`) is done by Python that
stands for it, at the end.
"""

from __future__ import annotations

import ast
import collections
import operator
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.semantics import _opened, _tables, _written
from recursive_tf.convert.semantics._in_python import run_written
from recursive_tf.convert.values import _forms
from recursive_tf.convert.values._abstract import (
  Closure,
  Literally,
  LocalTable,
  Made,
  Raises,
  Rows,
  named,
)
from recursive_tf.convert.values._numbers import Number

Counter = collections.Counter
_SECOND = operator.itemgetter(1)


def to_counter(ip: Host, value: object = None, /) -> LocalTable:
  """Does `collections.Counter(value)`."""
  counter = ip.frame.new(LocalTable(Counter, Rows(tf.constant(0), (), None)))
  _change(ip, counter, value, _written.added_to_counts, _written.tallied)
  return counter


def to_defaultdict(ip: Host, factory: object = None, /, *more: object) -> LocalTable:
  """Does `collections.defaultdict(factory)`."""
  if more:
    text = "A defaultdict that is made with items. Put them in afterwards."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  if isinstance(factory, Closure):
    factory = _literally(ip, factory)
  elif factory is not None and not isinstance(factory, (type, types.FunctionType)):
    text = f"A defaultdict that calls a {named(factory)} for what is missing."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  rows = Rows(tf.constant(0), (), None)
  return ip.frame.new(LocalTable(collections.defaultdict, rows, factory))


def method(ip: Host, counter: LocalTable, name: str, args: Sequence[object]) -> object:
  """Calls a method of a `Counter`."""
  if name in ("update", "subtract"):
    if len(args) > 1:
      raise Raises
    of_items, of_elements = (
      (_written.added_to_counts, _written.tallied)
      if name == "update"
      else (_written.taken_off_counts, _written.taken_off)
    )
    _change(ip, counter, args[0] if args else None, of_items, of_elements)
    return None
  if name == "most_common":
    if len(args) > 1:
      raise Raises
    items = ip.method(counter, "items", [], {})
    found = run_written(ip, _written.ranked, items=items, second=_SECOND)
    count = ip.frame.resolve(args[0]) if args else None
    return found if count is None else run_written(ip, _written.first_of, values=found, count=count)
  if name == "total" and not args:
    return ip.call(sum, [ip.method(counter, "values", [], {})], {})
  if name in ("elements", "fromkeys"):
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, f"Counter.{name}.")
  if name == "__delitem__" and len(args) == 1:
    return _tables.method(ip, counter, "pop", [args[0], None]) and None
  return _tables.method(ip, counter, name, args)


def binary(ip: Host, op: type[ast.operator], left: LocalTable, right: object) -> LocalTable:
  """Returns `left op right` of counters: what is more than nothing."""
  written = _OPERATORS.get(op)
  if written is None or not is_counter(right):
    raise _unsupported(ip, op, left, right)
  counter = to_counter(ip)
  run_written(ip, written, counter=counter, first=left, second=right)
  return counter


def in_place(ip: Host, op: type[ast.operator], counter: LocalTable, other: object) -> LocalTable:
  """Does `counter op= other`."""
  written = _IN_PLACE.get(op)
  if written is None or not is_counter(other) or other is counter:
    raise _unsupported(ip, op, counter, other)
  run_written(ip, written, counter=counter, other=other)
  return counter


def is_counter(value: object) -> TypeGuard[LocalTable]:
  """Tells whether a value is a `Counter` that the program makes."""
  return isinstance(value, LocalTable) and value.type is Counter


def _unsupported(ip: Host, op: type[ast.operator], left: object, right: object) -> Exception:
  text = f"{op.__name__} of {named(left)} and {named(right)}."
  return ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)


def _change(
  ip: Host,
  counter: LocalTable,
  value: object,
  of_items: Callable[..., None],
  of_elements: Callable[..., None],
) -> None:
  """Counts what has items by these, all else by its elements."""
  value = ip.frame.resolve(value)
  if value is None:
    return
  if isinstance(value, Made):
    _opened.for_each(ip, value, lambda one: _change(ip, counter, one, of_items, of_elements))
    return
  items = _items(ip, value)
  if items is None:
    run_written(ip, of_elements, counter=counter, values=value)
    return
  form = _forms.part_of(items.rows, 1).form
  are_ints = isinstance(form, _forms.RefForm) and form.types == {int}
  if form is not None and _forms.number_type(form) is not int and not are_ints:
    text = "Counts that are no ints are added to a Counter as a whole. Add them one by one."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  run_written(ip, of_items, counter=counter, items=ip.method(items, "items", [], {}))


def _items(ip: Host, value: object) -> LocalTable | None:
  """Returns the items of a dict, in one of its own; None of what is none."""
  is_dict = ip.kind_of(value).is_instance((Mapping,))
  if isinstance(is_dict, Number):
    raise ip.frame.refuse(Reason.OPAQUE_READ, "What may be a dict or something else is counted.")
  if not is_dict:
    return None
  items = _tables.make(ip, dict)
  _tables.update(ip, items, value)
  return items


def _literally(ip: Host, function: Closure) -> Literally:
  """Returns what a lambda gives that reads nothing."""
  found = function.node.body[-1]
  value = found.value if isinstance(found, ast.Return) and len(function.node.body) == 1 else None
  arguments = function.node.args
  if value is None or arguments.args or arguments.vararg or arguments.kwarg:
    value = None
  elif _is_infinity(value) and ip.lookup("float", function.scope) is float:
    return Literally("1e999")
  if value is None or not _is_literal(value):
    text = "A defaultdict with a function that the program defines, but `lambda: 0` and the like."
    raise ip.frame.refuse(Reason.UNSUPPORTED_OPERATION, text)
  return Literally(ast.unparse(value))


def _is_literal(node: ast.expr) -> bool:
  if isinstance(node, (ast.List, ast.Tuple)):
    return all(map(_is_literal, node.elts))
  if isinstance(node, ast.UnaryOp):
    return isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
  return isinstance(node, ast.Constant)


def _is_infinity(node: ast.expr) -> bool:
  return ast.unparse(node) == "float('inf')"


_OPERATORS: dict[type[ast.operator], Callable[..., None]] = {
  ast.Add: _written.sum_of_counts,
  ast.Sub: _written.difference_of_counts,
  ast.BitOr: _written.union_of_counts,
  ast.BitAnd: _written.intersection_of_counts,
}
_IN_PLACE: dict[type[ast.operator], Callable[..., None]] = {
  ast.Add: _written.summed_in_place,
  ast.Sub: _written.subtracted_in_place,
}
