"""Runs a user's function on abstract values: statements and expressions.

It does what Python would, in Python's order, except that a test whose outcome only the run knows
becomes a conditional, a recursive call an Invoke, and a loop over a list of unknown length a map or
a loop of the graph.
"""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterator

import keras
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from recursive_tf.convert.frame._frame import Frame
from recursive_tf.convert.frame._host import FELL, Consumer, Conversion
from recursive_tf.convert.semantics import (
  _attributes,
  _calls,
  _comparison,
  _comprehensions,
  _containers,
  _dispatch,
  _flattening,
  _generators,
  _items,
  _iteration,
  _lazy,
  _list_methods,
  _loops,
  _managers,
  _matching,
  _membership,
  _native,
  _opened,
  _operators,
  _spread,
  _tables,
  _text,
  _truth,
  kinds,
)
from recursive_tf.convert.semantics._protocols import as_index, may_be_bool
from recursive_tf.convert.semantics._signatures import function_of_lambda
from recursive_tf.convert.semantics.builtins import _iterables, _table
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.syntax.source import FunctionSource
from recursive_tf.convert.values._abstract import (
  Bottom,
  Closure,
  Container,
  LocalDict,
  LocalList,
  LocalTable,
  Made,
  Maybe,
  MaybeUnbound,
  Raises,
  Ref,
  Rows,
  Scope,
  Undefined,
  Unset,
  has_changed,
  is_middle,
)
from recursive_tf.convert.values._forms import Mismatch
from recursive_tf.convert.values._numbers import Number
from recursive_tf.convert.values._operands import Endless, Slice, Spread

# Expressions that may raise an exception when their parts have not.
_Call = Callable[[object, list[object], dict[str, object]], object]
_MAY_RAISE = (ast.Attribute, ast.BinOp, ast.Call, ast.Compare, ast.Subscript, ast.UnaryOp)


class Interpreter:
  """Runs functions in one frame.

  Attributes:
    frame: the body being made.
    conversion: the conversion that it is part of.
    active: the definitions that are being run, outermost first: a call of one is a recursion.
  """

  def __init__(self, frame: Frame, conversion: Conversion):
    self.frame = frame
    self.conversion = conversion
    self.budget = conversion.budget
    self.active: list[ast.AST] = []
    self.source: FunctionSource | None = None  # Of the function that is being run.
    self.consumer: Consumer | None = None  # Of the generator that is called next.
    self.changing_guards: set[tuple[int, str]] = set()  # Of patterns, by scopes.

  # --- The operations, from below: `Host` says what they do.

  kind_of = kinds.kind_of
  attribute = _dispatch.read
  write_attribute = _dispatch.write
  item = _dispatch.item
  write_item = _dispatch.write_item
  rows_of = _iteration.rows_of
  fixed_items = _iteration.fixed_items
  extend = _containers.extend
  method = _list_methods.method
  method_of_heap = _list_methods.method_of_heap
  contains = _membership.contains
  binary = _dispatch.binary
  compare = _dispatch.compare
  same_or_equal = _dispatch.same_or_equal
  truth = _truth.truth
  negated = _truth.negated
  both = _truth.both
  call = _dispatch.call
  value_of_class = _dispatch.value_of_class
  call_function = _calls.call_function
  native = _native.native

  # --- Statements

  def run(self, node: ast.FunctionDef, scope: Scope) -> object:
    """Runs a function's body and returns its result."""
    self.active.append(node)
    scope.local_names = annotation(node, Annotation.LOCALS, frozenset())
    origin, source, here = self.frame.origin, self.source, self.budget.here
    self.source = scope.source
    try:
      result = self.block(node.body, scope)
    finally:
      self.active.pop()
      self.source = source
    self.frame.origin = origin
    self.budget.here = here
    names = annotation(node, Annotation.GENERATOR)
    if names is not None and scope.names[names[0]] is None:
      return scope.names[names[1]]  # What it yields.
    return None if result is FELL else result

  def block(self, statements: list[ast.stmt], scope: Scope) -> object:
    """Runs statements; returns what they return, or FELL."""
    for position, statement in enumerate(statements):
      if scope.source.is_users or self.frame.origin is None:  # Else it is the line of the call.
        self.frame.origin = scope.source.origin(statement)
      self.budget.statement(statement, scope.source)
      try:
        if isinstance(statement, ast.Assert):
          return self._assert(statement, statements[position + 1 :], scope)
        result = getattr(self, f"do_{type(statement).__name__}")(statement, scope)
      except Mismatch as error:
        raise self.frame.refuse(Reason.KINDS_DIFFER, f"Values meet that are {error}.") from None
      if result is not FELL:
        return result
    return FELL

  def do_Return(self, node: ast.Return, scope: Scope) -> object:
    return None if node.value is None else self.keep(self.eval(node.value, scope))

  def do_Expr(self, node: ast.Expr, scope: Scope) -> object:
    _lazy.check_at_once(self, self.eval(node.value, scope))  # Python does not run an iterator.
    return FELL

  def do_Pass(self, node: ast.Pass, scope: Scope) -> object:
    return FELL

  def do_Raise(self, node: ast.Raise, scope: Scope) -> object:
    raise Raises

  def do_If(self, node: ast.If, scope: Scope) -> object:
    pred = self.test(node.test, scope)
    live = annotation(node, Annotation.LIVE_AFTER)
    return self.frame.cond(
      pred,
      lambda: self.block(node.body, scope),
      lambda: self.block(node.orelse, scope),
      None if live is None else (scope, live),
    )

  def _assert(self, node: ast.Assert, rest: list[ast.stmt], scope: Scope) -> object:
    def fail() -> object:
      raise Raises

    pred = self.test(node.test, scope)
    return self.frame.cond(pred, lambda: self.block(rest, scope), fail)

  def do_For(self, node: ast.For, scope: Scope) -> object:
    return _loops.do_for(self, node, scope)

  def do_Delete(self, node: ast.Delete, scope: Scope) -> object:
    for target in node.targets:
      if isinstance(target, ast.Subscript):
        owner = self.eval(target.value, scope)
        _items.delete_item(self, owner, self.eval(target.slice, scope))
        continue
      assert isinstance(target, ast.Name)  # What the fence lets through.
      if target.id in scope.outer_names:
        raise self.frame.refuse(Reason.UNSUPPORTED_WRITE, f"del of {target.id!r}, of around it.")
      self.lookup(target.id, scope)
      scope.names.pop(target.id, None)
    return FELL

  def do_With(self, node: ast.With, scope: Scope) -> object:
    return _managers.do_with(self, node, scope)

  def do_While(self, node: ast.While, scope: Scope) -> object:
    return _loops.do_while(self, node, scope)

  def do_Assign(self, node: ast.Assign, scope: Scope) -> object:
    (target,) = node.targets
    guard = annotation(node, Annotation.AGAIN)
    if guard is not None and _matching.is_bound(self, target, guard, scope):
      return FELL
    is_slot = annotation(node, Annotation.RETURN_SLOT) is not None
    is_apart = isinstance(target, (ast.Tuple, ast.List))
    evaluate = self.elements if is_apart else self.eval
    value = Unset() if is_slot else evaluate(node.value, scope)
    self.assign(target, value, scope)
    return FELL

  def do_AugAssign(self, node: ast.AugAssign, scope: Scope) -> object:
    _operators.augmented(self, node, scope)
    return FELL

  def do_FunctionDef(self, node: ast.FunctionDef, scope: Scope) -> object:
    self.bind(node.name, self.closure(node, scope), scope)
    return FELL

  def do_Import(self, node: ast.Import, scope: Scope) -> object:
    for alias in node.names:
      module = __import__(alias.name)
      if alias.asname:
        for part in alias.name.split(".")[1:]:
          module = getattr(module, part)
      self.bind(alias.asname or alias.name.partition(".")[0], module, scope)
    return FELL

  def do_ImportFrom(self, node: ast.ImportFrom, scope: Scope) -> object:
    package = scope.source.globals.get("__package__")
    names = [alias.name for alias in node.names]
    module = __import__(node.module or "", {"__package__": package}, None, names, node.level)
    for alias in node.names:
      found = self.conversion.guards.attribute(module, alias.name)
      self.bind(alias.asname or alias.name, found, scope)
    return FELL

  def do_Nonlocal(self, node: ast.Nonlocal, scope: Scope) -> object:
    scope.outer_names |= frozenset(node.names)
    return FELL

  def do_Global(self, node: ast.Global, scope: Scope) -> object:
    scope.outer_names |= frozenset(node.names)
    return FELL

  def assign(self, target: ast.expr, value: object, scope: Scope) -> None:
    """Binds a target to a value."""
    if isinstance(target, ast.Name):
      self.bind(target.id, value, scope)
    elif isinstance(target, ast.Attribute):
      owner = self.eval(target.value, scope)
      self.write_attribute(owner, target.attr, value)
    elif isinstance(target, ast.Subscript):
      owner = self.eval(target.value, scope)
      self.write_item(owner, self.eval(target.slice, scope), value)
    elif isinstance(target, ast.Starred):
      self.assign(target.value, value, scope)
    else:
      assert isinstance(target, (ast.Tuple, ast.List))  # What the passes leave.
      self._unpack(target.elts, value, scope)

  def _items_of_dict(self, value: object) -> dict[object, object]:
    """Returns the items of what stands behind `**`."""
    items = _containers.items_of_dict(self, value)
    if items is None:
      raise self.frame.refuse(Reason.UNSUPPORTED_OPERATION, "** of something else than a dict.")
    return items

  def keep(self, value: object) -> object:
    """Returns a value that may be used more than once.

    Raises:
      ConversionRefused: If it is an iterator, which is computed later and empty the second time.
    """
    if isinstance(value, Endless) or (isinstance(value, LocalList) and value.is_iterator):
      raise self.frame.refuse(
        Reason.UNSUPPORTED_OPERATION, "An iterator is kept. Make it a list where it is made."
      )
    return value

  def bind(self, name: str, value: object, scope: Scope) -> None:
    """Sets a variable where Python would."""
    self.keep(value)
    if isinstance(value, Container) and value.called is None:
      value.called = name
    if name not in scope.outer_names:
      scope.names[name] = value
      return
    found = scope.outer.owner(name) if scope.outer is not None else None
    if found is not None:
      if found.is_given and name not in found.names:  # Its caller would not see it.
        text = f"{name!r}, of around it, which is not set before, in a function that calls itself."
        raise self.frame.refuse(Reason.UNSUPPORTED_WRITE, text)
      found.names[name] = value
      return
    outermost = scope
    while outermost.outer is not None:
      outermost = outermost.outer
    source = outermost.source
    effects = self.conversion.effects
    if name in source.cells:
      effects.write_variable(self, source.cells[name], name, value)
    else:
      effects.write_variable(self, source.globals, name, value)

  def _unpack(self, targets: list[ast.expr], value: object, scope: Scope) -> None:
    starred = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
    if not starred:
      _lazy.note_early_end(self, value)  # If there are too many.
    if starred:
      (first,) = starred
      items = _iteration.unpacked(self, value, first, len(targets) - first - 1)
    else:
      items = self.fixed_items(value, len(targets))
    if len(items) != len(targets):
      raise Raises
    for target, item in zip(targets, items, strict=True):
      self.assign(target, item, scope)

  # --- Tests

  def test(self, node: ast.expr, scope: Scope) -> object:
    """Returns the truth of an expression: a bool, or a bool `Number`."""
    if isinstance(node, ast.BoolOp):
      pred = self.test(node.values[0], scope)
      guard = annotation(node, Annotation.AGAIN)
      before = None if guard is None else self.frame.snapshot()
      if len(node.values) > 2 and any(map(_binds_middle, node.values)):
        # Of a chain the third comparison reads what the second one binds, if it is evaluated.
        rest = ast.copy_location(ast.BoolOp(node.op, node.values[1:]), node)
        return self.both(pred, isinstance(node.op, ast.And), lambda: self.test(rest, scope))
      for value in node.values[1:]:
        is_and = isinstance(node.op, ast.And)
        pred = self.both(pred, is_and, functools.partial(self.test, value, scope))
      if before is not None and has_changed(before, self.frame.snapshot()):
        self.changing_guards.add((id(scope), guard))
      return pred
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
      return self.negated(self.test(node.operand, scope))
    return self.truth(self.eval(node, scope))

  # --- Expressions

  def eval(self, node: ast.expr, scope: Scope) -> object:
    """Returns the value of an expression."""
    self.budget.step()
    self.frame.column = getattr(node, "col_offset", self.frame.column)
    found = getattr(self, f"eval_{type(node).__name__}", self._unsupported)(node, scope)
    if isinstance(node, _MAY_RAISE):
      self.frame.compute(found)
    return found

  def _unsupported(self, node: ast.expr, scope: Scope) -> object:
    raise self.frame.refuse(Reason.SYNTAX, f"{type(node).__name__} expressions are not converted.")

  def eval_Constant(self, node: ast.Constant, scope: Scope) -> object:
    return node.value

  def eval_Name(self, node: ast.Name, scope: Scope) -> object:
    value = self.frame.by_number(self.lookup(node.id, scope))
    return _opened.told(self, value) if isinstance(value, Made) else value

  def lookup(self, name: str, scope: Scope) -> object:
    """Returns what a name stands for."""
    found = scope.owner(name)
    if found is not None:
      if name not in found.names:
        raise Raises  # An UnboundLocalError, or a NameError of a scope around it.
      value = found.names[name]
      if isinstance(value, Undefined):
        raise self.frame.refuse(
          Reason.KINDS_DIFFER, f"{name!r} may not be set on every path that leads here."
        )
      if isinstance(value, MaybeUnbound):  # Where it is not, Python raises UnboundLocalError.
        self.frame.demand(value.is_bound)
        return value.value
      return value
    outermost = scope
    while outermost.outer is not None:
      outermost = outermost.outer
    source = outermost.source
    conversion = self.conversion
    for owner, guard in (
      (source.cells.get(name), conversion.guards.cell),
      (source.globals if name in source.globals else None, conversion.guards.name),
    ):
      if owner is not None:
        state = conversion.effects.read_variable(self, owner, name)
        return guard(owner, name) if state is None else state.value
    return conversion.guards.builtin(source, name)

  def eval_Attribute(self, node: ast.Attribute, scope: Scope) -> object:
    owner = self.eval(node.value, scope)
    with _matching.changing_nothing(self.frame, node):
      return self.attribute(owner, node.attr)

  def eval_Subscript(self, node: ast.Subscript, scope: Scope) -> object:
    return self.item(self.eval(node.value, scope), self.eval(node.slice, scope))

  def eval_Slice(self, node: ast.Slice, scope: Scope) -> object:
    parts = [
      None if part is None else self.eval(part, scope)
      for part in (node.lower, node.upper, node.step)
    ]
    if any(isinstance(part, (tf.Variable, keras.Variable)) for part in parts):
      raise self.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A slice by a variable.")
    parts = [None if part is None else self.frame.resolve(part) for part in parts]
    if any(isinstance(part, tf.Tensor) and not part.dtype.is_integer for part in parts):
      raise self.frame.refuse(Reason.UNSUPPORTED_OPERATION, "A slice by a tensor of no integers.")
    lower, upper, step = (self._bound(part) for part in parts)
    return Slice(lower, upper, step, any(map(self._may_be_bool, parts)))

  def _may_be_bool(self, part: object) -> bool:
    if not isinstance(part, Made):
      return may_be_bool(self, part)
    kinds = _opened.exact_classes(self, part)
    return kinds is None or bool in kinds

  def _bound(self, part: object) -> object:
    if isinstance(part, Made):
      return _opened.for_each(self, part, self._bound)
    found = as_index(self, part)
    if found is not None and _items.is_no_index(self, found):
      raise Raises  # A TypeError.
    return int(found) if isinstance(found, bool) else found

  def eval_Tuple(self, node: ast.Tuple, scope: Scope) -> object:
    if any(isinstance(part, ast.Starred) for part in node.elts):
      return self.call(tuple, [self.eval_List(node, scope)], {})
    return tuple(self.eval(part, scope) for part in node.elts)

  def eval_List(self, node: ast.List | ast.Tuple, scope: Scope) -> object:
    found = self.frame.new(LocalList([]))
    for part in node.elts:
      if isinstance(part, ast.Starred):
        self.extend(found, self.elements(part.value, scope))
      else:
        self.method(found, "append", [self.eval(part, scope)], {})
    return found

  def eval_Dict(self, node: ast.Dict, scope: Scope) -> object:
    table = _tables.make(self, dict) if _tables.is_wanted(self, node) else None
    items: dict[object, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
      if key is None:
        other = self.eval(value, scope)
        is_of_run = isinstance(other, (LocalTable, Made, Ref))
        if is_of_run and table is None and self.conversion.note_table(node):
          raise Bottom  # The next attempt makes it so.
        if table is not None and is_of_run:
          _tables.update(self, table, other)
          continue
        known = self._items_of_dict(other)
        items.update(known)
        if table is not None:
          _tables.update(self, table, LocalDict(known))
        continue
      name = self.frame.resolve(self.eval(key, scope))
      if table is None:
        items[_items.static_key(self, name, node)] = self.eval(value, scope)
      else:
        _tables.write_item(self, table, name, self.eval(value, scope))
    return self.frame.new(LocalDict(items, node)) if table is None else table

  def eval_Set(self, node: ast.Set, scope: Scope) -> object:
    table = _tables.make(self, set)
    if all(isinstance(part, ast.Constant) for part in node.elts):
      self.conversion.note_unordered()  # Python may make it of one that it keeps.
    for part in node.elts:
      if isinstance(part, ast.Starred):
        _tables.update(self, table, self.elements(part.value, scope))
      else:
        self.method(table, "add", [self.eval(part, scope)], {})
    return table

  def eval_BinOp(self, node: ast.BinOp, scope: Scope) -> object:
    inner = node.left
    if isinstance(node.op, ast.Mod) and isinstance(inner, ast.BinOp):
      if isinstance(inner.op, ast.Mult):
        factors = self.eval(inner.left, scope), self.eval(inner.right, scope)
        return _operators.product_mod(self, *factors, lambda: self.eval(node.right, scope))
    left = self.eval(node.left, scope)
    return self.binary(type(node.op), left, self.eval(node.right, scope))

  def eval_UnaryOp(self, node: ast.UnaryOp, scope: Scope) -> object:
    if isinstance(node.op, ast.Not):
      return self.negated(self.test(node.operand, scope))
    return _operators.unary_value(self, type(node.op), self.eval(node.operand, scope))

  def eval_BoolOp(self, node: ast.BoolOp, scope: Scope) -> object:
    return self._bool_value(isinstance(node.op, ast.And), node.values, scope)

  def _bool_value(self, is_and: bool, values: list[ast.expr], scope: Scope) -> object:
    left = self.eval(values[0], scope)
    if isinstance(left, (tf.Variable, keras.Variable)):
      raise self.frame.refuse(
        Reason.UNSUPPORTED_OPERATION, "`and` or `or` gives a variable itself, not what it holds."
      )
    if not isinstance(left, Maybe):
      left = self.frame.resolve(left)
    if len(values) == 1:
      return left
    pred = self.truth(left)

    def rest() -> object:
      return self._bool_value(is_and, values[1:], scope)

    if isinstance(left, (bool, Number)) and pred is left:
      return self._both_values(pred, is_and, rest)
    if is_and:
      return self.frame.cond(pred, rest, lambda: left)
    # What is true is not None.
    return self.frame.cond(pred, lambda: left.value if isinstance(left, Maybe) else left, rest)

  def _both_values(self, left: object, is_and: bool, rest: Callable[[], object]) -> object:
    if not isinstance(left, Number):
      return rest() if left is is_and else left
    if is_and:
      return self.frame.cond(left, rest, lambda: False)
    return self.frame.cond(left, lambda: True, rest)

  def eval_Compare(self, node: ast.Compare, scope: Scope) -> object:
    left = self.eval(node.left, scope)
    is_among = isinstance(node.ops[0], (ast.In, ast.NotIn))
    right = (self.elements if is_among else self.eval)(node.comparators[0], scope)
    if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
      are_sure = [self._is_of_program(part, scope) for part in (node.left, node.comparators[0])]
      _comparison.check_which_value(self, left, right, are_sure)
    with _matching.changing_nothing(self.frame, node):
      return self.compare(type(node.ops[0]), left, right)

  def _is_of_program(self, node: ast.expr, scope: Scope) -> bool:
    """Tells whether an expression is a name of the program's module, or of what it closes over."""
    if not isinstance(node, ast.Name) or scope.owner(node.id) is not None:
      return False
    while scope.outer is not None:
      scope = scope.outer
    owner: object = scope.source.cells.get(node.id, scope.source.globals)
    return self.conversion.effects.read_variable(self, owner, node.id) is None

  def eval_IfExp(self, node: ast.IfExp, scope: Scope) -> object:
    return self.frame.cond(
      self.test(node.test, scope),
      lambda: self.eval(node.body, scope),
      lambda: self.eval(node.orelse, scope),
    )

  def eval_NamedExpr(self, node: ast.NamedExpr, scope: Scope) -> object:
    value = self.eval(node.value, scope)
    # Not in a comprehension's own scope, unless it is what desugar made of `a < b() < c`.
    while scope.is_comprehension and scope.outer is not None and not is_middle(node.target.id):
      scope = scope.outer
    self.bind(node.target.id, value, scope)
    return value

  def eval_Lambda(self, node: ast.Lambda, scope: Scope) -> object:
    return self.closure(function_of_lambda(node), scope)

  def eval_JoinedStr(self, node: ast.JoinedStr, scope: Scope) -> object:
    return _text.formatted(self, node, scope)

  def eval_ListComp(self, node: ast.ListComp, scope: Scope) -> object:
    return _comprehensions.comprehension(self, node.elt, node.generators, scope)

  def eval_GeneratorExp(self, node: ast.GeneratorExp, scope: Scope) -> object:
    return _lazy.made_by(
      self,
      lambda: _comprehensions.comprehension(self, node.elt, node.generators, scope),
      _lazy.reads_of_expression(node, scope),
      (),
    )

  def eval_DictComp(self, node: ast.DictComp, scope: Scope) -> object:
    pair = getattr(node, "_rtf_pair", None)
    if pair is None:
      pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
      node._rtf_pair = pair  # type: ignore[attr-defined]
    pairs = _comprehensions.comprehension(self, pair, node.generators, scope)
    if isinstance(pairs.content, Rows):
      return _tables.of_pairs(self, pairs.content)
    known = [self.fixed_items(pair, 2) for pair in pairs.content]
    if _tables.is_wanted(self, node):
      table = _tables.make(self, dict)
      for key, value in known:
        _tables.write_item(self, table, key, value)
      return table
    items = {_items.static_key(self, self.frame.resolve(key), node): value for key, value in known}
    return self.frame.new(LocalDict(items))

  def eval_SetComp(self, node: ast.SetComp, scope: Scope) -> object:
    members = _comprehensions.comprehension(self, node.elt, node.generators, scope)
    return _tables.of_elements(self, members)

  def eval_Starred(self, node: ast.Starred, scope: Scope) -> object:
    raise self.frame.refuse(Reason.SYNTAX, "* is only converted in calls, lists and tuples.")

  def eval_Call(self, node: ast.Call, scope: Scope) -> object:
    if annotation(node, Annotation.DELEGATED):
      return _generators.hand_on(self, node, scope)
    with _matching.changing_nothing(self.frame, node):
      found = self._called(node, scope, self._call_or_suspend)
    if isinstance(found, _generators.Suspended):
      raise _generators.kept(self)
    return found

  def iterable(self, node: ast.expr, scope: Scope) -> object:
    """Returns what an expression gives to iterate over: a call of a generator is not run yet."""
    return self._suspended_or_value(node, scope, self._call_or_suspend)

  def manager(self, node: ast.expr, scope: Scope) -> object:
    """Returns what an expression gives to enter: a call of a generator's is not run yet."""
    call = functools.partial(_managers.call_or_suspend, self)
    return self._suspended_or_value(node, scope, call)

  def _suspended_or_value(self, node: ast.expr, scope: Scope, call: _Call) -> object:
    if not isinstance(node, ast.Call):
      return self.eval(node, scope)
    self.budget.step()
    found = self._called(node, scope, call)
    if not isinstance(found, _generators.Suspended):
      self.frame.compute(found)
    return found

  def elements(self, node: ast.expr, scope: Scope) -> object:
    """Returns the value of an expression of which the elements are taken at once."""
    return _generators.listed(self, self.iterable(node, scope))

  def _call_or_suspend(
    self, function: object, args: list[object], kwargs: dict[str, object]
  ) -> object:
    if _generators.is_generator(function) and not any(isinstance(arg, Spread) for arg in args):
      return _generators.Suspended(function, args, kwargs)
    return self.call(function, args, kwargs)

  @contextlib.contextmanager
  def generating(self, consumer: Consumer | None) -> Iterator[None]:
    """Says what the generator that is called next is called for."""
    outer, self.consumer = self.consumer, consumer
    try:
      yield
    finally:
      self.consumer = outer

  def _called(
    self,
    node: ast.Call,
    scope: Scope,
    call: _Call,
  ) -> object:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
      return _attributes.super_of(self, scope)
    function = self.eval(node.func, scope)
    if (function is any or function is all) and len(node.args) == 1 and not node.keywords:
      (iterable,) = node.args
      if isinstance(iterable, ast.GeneratorExp):
        return _comprehensions.search(self, iterable, function is all, scope)
    if function is next and _comprehensions.is_first_of_generator(self, node, scope):
      return _comprehensions.first_of_generator(self, node, scope)
    flat = _flattening.flattened(self, function, node, scope)
    if flat is not None:
      return flat
    order = _lazy.Order(self)
    takes_elements = _generators.takes_elements(function) or _table.takes_elements(function)
    evaluate = self.elements if takes_elements else self.eval
    args = list(self._arguments(node.args, scope, order, evaluate))
    kwargs: dict[str, object] = {}
    for keyword in node.keywords:
      value = order.evaluate(self.eval, keyword.value, scope)
      is_last = keyword.arg is None and keyword is node.keywords[-1]
      if function is dict and is_last and isinstance(value, LocalTable):
        order.check()
        return _iterables.dict_with(self, args, kwargs, value)
      given = self._items_of_dict(value) if keyword.arg is None else {keyword.arg: value}
      for name, part in given.items():
        if not isinstance(name, str) or name in kwargs:
          raise Raises  # A TypeError.
        kwargs[name] = part
    order.check()
    origin = self.frame.origin
    result = call(function, _spread.in_one(self, args), kwargs)
    self.frame.origin = origin
    return result

  def _arguments(
    self,
    nodes: list[ast.expr],
    scope: Scope,
    order: _lazy.Order,
    evaluate: Callable[[ast.expr, Scope], object],
  ) -> Iterator[object]:
    for node in nodes:
      if not isinstance(node, ast.Starred):
        yield order.evaluate(evaluate, node, scope)
        continue
      value = order.evaluate(self.elements, node.value, scope)
      rows = self.rows_of(value)
      if rows is not None:
        yield Spread(rows)
      else:
        yield from self.fixed_items(value)

  def closure(self, node: ast.FunctionDef, scope: Scope) -> Closure:
    """Makes the function that a definition inside a function makes."""
    args = node.args
    named = [*args.posonlyargs, *args.args]
    defaults = {
      arg.arg: self.eval(value, scope)
      for arg, value in zip(named[len(named) - len(args.defaults) :], args.defaults, strict=True)
    }
    defaults |= {
      arg.arg: self.eval(value, scope)
      for arg, value in zip(args.kwonlyargs, args.kw_defaults, strict=True)
      if value is not None
    }
    return Closure(node, scope, defaults, scope.source)


def _binds_middle(node: ast.expr) -> bool:
  """Tells whether an expression binds the middle of a chained comparison."""
  return any(isinstance(n, ast.NamedExpr) and is_middle(n.target.id) for n in ast.walk(node))
