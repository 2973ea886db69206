"""Python's builtin functions, and TensorFlow's functions of lists, on abstract values."""

from __future__ import annotations

import ast
import bisect
import collections
import dataclasses
import functools
import heapq
import inspect
import itertools
import math
import operator
import posixpath
from collections.abc import Callable, Iterable, Mapping

import keras
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._host import Host
from recursive_tf.convert.frame._rows import all_there
from recursive_tf.convert.semantics import (
  _as_eager,
  _class_comparison,
  _counters,
  _flattening,
  _generators,
  _made_comparison,
  _operators,
  _sequence_comparison,
  _shapes,
  _spread,
  _tables,
  _tensor_lists,
  _text,
  _written,
)
from recursive_tf.convert.semantics.builtins import (
  _arithmetic,
  _iterables,
  _itertools,
  _nests,
  _objects,
  _patterns,
  _queues,
  _repr,
  _syntax_trees,
)
from recursive_tf.convert.syntax import managed, matches
from recursive_tf.convert.values import _forms, _numbers, _stand_ins
from recursive_tf.convert.values._abstract import Bottom, LocalList
from recursive_tf.convert.values._forms import part_of
from recursive_tf.convert.values._operands import Spread


def knows(function: object) -> bool:
  """Tells whether a builtin is done here."""
  return _tensor_lists.is_hashable(function) and function in _TABLE


def implementation(function: object) -> Callable[..., object]:
  """Returns what does a builtin here; it takes the interpreter first."""
  return _TABLE[function]


def takes_elements(function: object) -> bool:
  """Tells whether a builtin takes the elements of iterators that it is given."""
  return knows(function) and function in _CONSUMERS and function not in (bool, next)


def takes(function: Callable[..., object], names: Iterable[str]) -> bool:
  """Tells whether Python's own takes arguments by these names: here they may have others."""
  kinds = inspect.Parameter
  try:
    parameters = [*inspect.signature(function).parameters.values()]
  except ValueError:  # Of those that do not say, names are given to what has no place.
    parameters = [
      one
      for one in inspect.signature(_TABLE[function]).parameters.values()
      if one.kind != kinds.POSITIONAL_OR_KEYWORD or function in _BY_NAME
    ]
  if any(one.kind == kinds.VAR_KEYWORD for one in parameters):
    return True
  named = {one.name for one in parameters if one.kind != kinds.POSITIONAL_ONLY}
  return named.issuperset(names)


def call(
  ip: Host, function: Callable[..., object], args: list[object], kwargs: dict[str, object]
) -> object:
  """Calls a builtin."""
  assert ip.consumer is None, function  # A loop's body would be lost that waits for a generator.
  if function not in _CONSUMERS and any(map(_as_eager.is_iterator, args)):
    raise ip.frame.refuse(
      Reason.UNSUPPORTED_OPERATION, f"{function.__name__}() of an iterator. Make it a list."
    )
  if function in _OF_ELEMENTS and len(args) == 1:
    args = [_generators.listed(ip, _generators.iterable(ip, args[0]))]
  if function in _IN_ANY_ORDER and not kwargs:
    args = [*map(_tables.unordered, args)]
  return _TABLE[function](ip, *args, **kwargs)


def call_spread(
  ip: Host, function: object, args: list[object], kwargs: Mapping[str, object]
) -> object:
  """Calls a function with `*rows` among its arguments."""
  if function is itertools.product and kwargs.keys() <= {"repeat"}:
    return _itertools.product_of_all(ip, args, **kwargs)
  if kwargs:
    raise ip.frame.refuse(
      Reason.DYNAMIC_LIST, "* of a list whose length only the run knows, beside arguments by name."
    )
  first = args[0] if args else None
  if isinstance(first, Spread) and first.rows.form is None:
    raise Bottom  # What the elements are is not known yet.
  only = first.rows if isinstance(first, Spread) and len(args) == 1 else None
  if function is zip and only is not None:
    rows = all_there(ip.frame, only)
    forms = _forms.parts_of_form(rows.form)
    if forms is not None:
      parts = [part_of(rows, i) for i in range(len(forms))]
      return ip.frame.new(LocalList([_iterables.checked_rows(ip, rows, part) for part in parts]))
  if function is itertools.chain and only is not None:
    return _itertools.chain_from_iterable(ip, only)
  last = args[-1] if args else None
  if function in (max, min) and isinstance(last, Spread):
    *others, _ = args
    ip.frame.demand(last.rows.length + len(others) > 1)  # One alone would be gone through.
    values = ip.frame.new(LocalList(others or last.rows))
    if others:
      ip.extend(values, ip.frame.new(LocalList(last.rows)))
    return call(ip, function, [values], {})
  parameters = _all_needed(function)
  if parameters is None:
    raise ip.frame.refuse(Reason.DYNAMIC_LIST, "* of a list whose length only the run knows.")
  return _spread.by_name(ip, parameters, args, kwargs, lambda given: ip.call(function, given, {}))


def _all_needed(function: object) -> inspect.Signature | None:
  """Returns those parameters of a library's function that it cannot do without, by position."""
  try:
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
  except (TypeError, ValueError):
    return None  # A builtin function which does not say.
  if any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
    return None
  return inspect.Signature([one for one in parameters if one.default is inspect.Parameter.empty])


def _binary(op: type[ast.operator]) -> Callable[..., object]:
  return lambda ip, left, right: ip.binary(op, left, right)


def _unary(op: type[ast.unaryop]) -> Callable[..., object]:
  return lambda ip, value: _operators.unary_value(ip, op, value)


def _comparison(op: type[ast.cmpop]) -> Callable[..., object]:
  return lambda ip, left, right: ip.compare(op, left, right)


# What gives the same whatever the order of the elements is; numbers that are keys are ints.
_IN_ANY_ORDER = frozenset([sorted, min, max, sum, any, all])
# What takes the elements of an iterator.
_OF_ELEMENTS = frozenset(
  [
    *(
      collections.Counter,
      collections.deque,
      list,
      tuple,
      set,
      frozenset,
      sum,
      max,
      min,
      sorted,
      any,
      all,
    ),
    *(enumerate, zip),
  ]
)
_BY_NAME = (collections.deque, itertools.repeat)  # Which take their arguments by name, too.
_CONSUMERS = frozenset(
  [
    *(
      list,
      tuple,
      dict,
      set,
      frozenset,
      collections.Counter,
      collections.deque,
      enumerate,
      zip,
      reversed,
      sum,
      max,
      min,
      any,
      all,
      map,
      iter,
      next,
      sorted,
      bool,
    ),
    *(filter, functools.reduce, math.prod, itertools.accumulate, itertools.chain),
    *(itertools.chain.from_iterable, itertools.combinations, itertools.dropwhile),
    *(itertools.filterfalse, itertools.islice, itertools.pairwise, itertools.permutations),
    *(itertools.product, itertools.starmap, itertools.takewhile, itertools.zip_longest),
  ]
)
_TABLE: dict[object, Callable[..., object]] = {
  len: _iterables.length,
  keras.ops.shape: _shapes.of_value,
  isinstance: _objects.is_instance,
  issubclass: _objects.is_subclass,
  int: _arithmetic.conversion(int),
  float: _arithmetic.conversion(float),
  bool: _arithmetic.conversion(bool),
  str: _repr.to_string,
  repr: _repr.to_repr,
  ord: _arithmetic.code,
  chr: _arithmetic.character,
  format: _text.format_of,
  list: _iterables.to_list,
  tuple: _iterables.to_tuple,
  dict: _iterables.to_dict,
  set: _iterables.to_set,
  frozenset: _iterables.to_frozenset,
  collections.Counter: _counters.to_counter,
  collections.defaultdict: _counters.to_defaultdict,
  collections.deque: _queues.to_deque,
  range: _iterables.range_of,
  enumerate: _iterables.iterating(_iterables.enumerated),
  zip: _iterables.iterating(_itertools.zipped),
  _flattening.as_list: _flattening.as_list,
  filter: _itertools.filtered(_written.kept),
  functools.reduce: _itertools.reduce,
  math.prod: _itertools.prod,
  itertools.accumulate: _itertools.accumulate,
  itertools.chain: _itertools.chain,
  itertools.chain.from_iterable: _itertools.chain_from_iterable,
  itertools.combinations: _itertools.arranged("combinations"),
  itertools.count: _itertools.count,
  itertools.dropwhile: _itertools.filtered(_written.dropped_while),
  itertools.filterfalse: _itertools.filtered(_written.dropped),
  itertools.islice: _itertools.islice,
  itertools.pairwise: _itertools.pairwise,
  itertools.permutations: _itertools.arranged("permutations"),
  itertools.product: _itertools.product,
  itertools.repeat: _itertools.repeat,
  itertools.starmap: _itertools.starmap,
  itertools.takewhile: _itertools.filtered(_written.taken_while, ends_early=True),
  itertools.zip_longest: _itertools.zip_longest,
  reversed: _iterables.iterating(_iterables.backwards),
  ast.iter_child_nodes: _syntax_trees.children,
  ast.NodeVisitor.generic_visit: _queues.by(_stand_ins.generic_visit),
  ast.NodeVisitor.visit_Constant: _syntax_trees.visit_constant,
  sum: _arithmetic.total_of,
  max: _iterables.extreme("max"),
  min: _iterables.extreme("min"),
  any: _iterables.any_or_all("any"),
  all: _iterables.any_or_all("all"),
  abs: _arithmetic.absolute,
  round: _arithmetic.rounded,
  getattr: _objects.get_attribute,
  hasattr: _objects.has_attribute,
  setattr: _objects.set_attribute,
  type: _objects.type_of,
  map: _iterables.iterating(_iterables.mapped),
  print: _objects.show,
  callable: _objects.is_callable,
  id: _objects.identity,
  divmod: _arithmetic.divided,
  math.isclose: _arithmetic.is_close,
  iter: _iterables.to_iterator,
  next: _iterables.first,
  sorted: _iterables.in_order,
  heapq.nlargest: _iterables.best(True),
  heapq.nsmallest: _iterables.best(False),
  heapq.heapify: _queues.of_heap("heapify"),
  heapq.heappop: _queues.of_heap("pop"),
  heapq.heappush: _queues.of_heap("push"),
  heapq.heappushpop: _queues.of_heap("pushpop"),
  heapq.heapreplace: _queues.of_heap("replace"),
  bisect.bisect_left: _queues.by(_stand_ins.bisect_left),
  bisect.bisect_right: _queues.by(_stand_ins.bisect_right),
  bisect.insort_left: _queues.by(_stand_ins.insort_left),
  bisect.insort_right: _queues.by(_stand_ins.insort_right),
  posixpath.join: _queues.by(_stand_ins.path_join),
  posixpath.basename: _queues.by(_stand_ins.path_basename),
  posixpath.dirname: _queues.by(_stand_ins.path_dirname),
  posixpath.splitext: _queues.by(_stand_ins.path_splitext),
  tf.is_tensor: _objects.is_tensor,
  keras.ops.is_tensor: _objects.is_tensor,
  tf.executing_eagerly: lambda ip: True,
  functools.partial: _objects.partial,
  dataclasses.replace: _objects.replaced,
  tf.constant: _tensor_lists.constant,
  tf.unstack: _tensor_lists.unstack,
  tf.nest.flatten: _nests.flatten,
  tf.nest.map_structure: _nests.map_structure,
  list.__getitem__: _iterables.item,
  tuple.__getitem__: _iterables.item,
  dict.__getitem__: _iterables.item,
  list.__len__: _iterables.length_of_builtin,
  managed.has_item: _objects.has_item,
  managed.parses: _arithmetic.parses,
  matches.is_sequence: _patterns.is_sequence,
  matches.is_mapping: _patterns.is_mapping,
  matches.has_read: _patterns.has_read,
  matches.without: _patterns.without,
  operator.add: _binary(ast.Add),
  operator.sub: _binary(ast.Sub),
  operator.mul: _binary(ast.Mult),
  operator.truediv: _binary(ast.Div),
  operator.floordiv: _binary(ast.FloorDiv),
  operator.mod: _binary(ast.Mod),
  operator.pow: _binary(ast.Pow),
  operator.matmul: _binary(ast.MatMult),
  operator.and_: _binary(ast.BitAnd),
  operator.or_: _binary(ast.BitOr),
  operator.xor: _binary(ast.BitXor),
  operator.lshift: _binary(ast.LShift),
  operator.rshift: _binary(ast.RShift),
  operator.neg: _unary(ast.USub),
  operator.pos: _unary(ast.UAdd),
  operator.invert: _unary(ast.Invert),
  operator.not_: lambda ip, value: ip.negated(ip.truth(value)),
  operator.truth: lambda ip, value: ip.truth(value),
  operator.eq: _comparison(ast.Eq),
  operator.ne: _comparison(ast.NotEq),
  operator.lt: _comparison(ast.Lt),
  operator.le: _comparison(ast.LtE),
  operator.gt: _comparison(ast.Gt),
  operator.ge: _comparison(ast.GtE),
  operator.attrgetter: _itertools.getter(operator.attrgetter),
  operator.itemgetter: _itertools.getter(operator.itemgetter),
  _class_comparison.told_apart: _class_comparison.tell_apart,
  _made_comparison.told_in_turn: _made_comparison.tell_in_turn,
  _sequence_comparison.told_of_dicts: _sequence_comparison.tell_of_dicts,
  _written.same_or_equal: lambda ip, one, other: ip.same_or_equal(one, other),
  operator.is_: _comparison(ast.Is),
  operator.is_not: _comparison(ast.IsNot),
  **{
    getattr(math, name): _arithmetic.math_of(name)
    for name in (
      *sorted(_numbers.MATH_FUNCTIONS | _numbers.MATH_OF_TWO),
      "ceil",
      "degrees",
      "fabs",
      "floor",
      "isfinite",
      "isinf",
      "isnan",
      "pow",
      "radians",
      "trunc",
    )
  },
}
