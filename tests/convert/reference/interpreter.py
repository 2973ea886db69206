"""The reference interpreter: runs the normal form on Python's own objects, by the rules of
`docs/design/0010-store.md`.

It believes what the passes say: what is not live after a statement, or not carried by a loop, is
unbound, a slot has no value before its flag is set, a map loop hands its outputs out after its last
turn. So it shows whether the normal form still means what the program means, and what the converter
may take from it.
"""

import ast
import builtins
import functools
import inspect
import operator
import types

from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.convert.heap._libraries import is_library
from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.syntax.pipeline import prepare
from recursive_tf.convert.syntax.source import source_of
from recursive_tf.convert.values._abstract import is_middle
from tests.convert.reference import parts

_NORMAL = {}  # The normal forms of functions.
_FELL = object()  # What a block gives that returns nothing.


def reference(function):
  """Returns a function, interpreted; the function itself if it has no normal form.

  A generator has one for each way to consume it, so that Python's own is taken.
  """
  if inspect.isgeneratorfunction(function):
    return function
  if function not in _NORMAL:
    try:
      source = source_of(function)
      # A normal form assumes that nothing is raised; handlers are Python's.
      has_handlers = any(isinstance(node, ast.Try) for node in ast.walk(source.node))
      _NORMAL[function] = None if has_handlers else prepare(source)
    except ConversionRefused:
      _NORMAL[function] = None
  source = _NORMAL[function]
  if source is None:
    return function
  defaults = function.__defaults__, function.__kwdefaults__
  return _made(source.node, Frame(None, source), *defaults)


def _made(node, frame, defaults, keyword_defaults):
  """Returns the function of a definition: Python binds the arguments, we run the body."""
  args = ast.parse(f"lambda {ast.unparse(node.args)}: 0", mode="eval").body.args
  args.defaults = [ast.Constant(None) for _ in defaults or ()]
  given = [arg.arg in (keyword_defaults or ()) for arg in args.kwonlyargs]
  args.kw_defaults = [ast.Constant(None) if is_given else None for is_given in given]
  bound = ast.Expression(ast.Lambda(args, ast.parse("locals()", mode="eval").body))
  arguments = eval(compile(ast.fix_missing_locations(bound), "<arguments>", "eval"))
  arguments.__defaults__, arguments.__kwdefaults__ = defaults, keyword_defaults

  own = scopes.local_names(node)

  def function(*args, **kwargs):
    inner = Frame(frame, frame.source, own)
    inner.names.update(arguments(*args, **kwargs))
    result = inner.block(node.body)
    generator = annotation(node, Annotation.GENERATOR)
    if generator is not None:  # Of those inside of others none changes what its consumer sees.
      return iter(inner.names[generator[1]])
    return None if result is _FELL else result

  for one in (arguments, function):
    one.__name__ = one.__qualname__ = node.name
  return function


class Frame:
  """The variables of one call, or of one comprehension: names that refer to objects.

  Attributes:
    outer: the frame that its definition was run in, None around the function of a file.
    source: of that function: its cells and globals.
    locals: the names that belong to it, bound or not.
    names: those that are bound.
  """

  def __init__(self, outer, source, own=frozenset(), is_comprehension=False):
    self.outer, self.source, self.locals = outer, source, own
    self.names, self.is_comprehension = {}, is_comprehension
    self.global_names = set()

  # --- Variables

  def lookup(self, name):
    frame = self
    while frame is not None and name not in self.global_names:
      if name in frame.names:
        return frame.names[name]
      if name in frame.locals:
        exec(f"def f():\n  {name}\n  {name} = 0\nf()")  # Python's own error.
      if frame.is_comprehension and frame.outer is not None:
        return frame.outer.lookup(name)  # Its own declarations count.
      frame = frame.outer
    if name in self.source.cells and name not in self.global_names:
      return self.source.cells[name].cell_contents
    if name in self.source.globals:
      return self.source.globals[name]
    try:
      return getattr(builtins, name)
    except AttributeError:
      raise NameError(f"name '{name}' is not defined") from None

  def bind(self, name, value):
    frame = self
    while frame is not None and name not in self.global_names:
      if name in frame.locals:
        frame.names[name] = value
        return
      frame = frame.outer
    if name in self.source.cells and name not in self.global_names:
      self.source.cells[name].cell_contents = value
    else:
      self.source.globals[name] = value

  def forget(self, names):
    for name in names:
      self.names.pop(name, None)

  # --- Statements

  def block(self, statements):
    for node in statements:
      do = getattr(self, f"do_{type(node).__name__}", self.run)
      result = do(node)
      if result is not _FELL:
        return result
    return _FELL

  def run(self, node):
    """Does what Python does for a statement without others in it."""
    parts.execute(node, self)
    return _FELL

  def eval(self, node):
    return parts.evaluate(node, self)

  def assign(self, target, value):
    parts.assign(target, value, self)

  def do_Nonlocal(self, node):
    return _FELL

  def do_Return(self, node):
    return self.eval(node.value)

  def do_If(self, node):
    result = self.block(node.body if self.eval(node.test) else node.orelse)
    self.forget(self.locals - annotation(node, Annotation.LIVE_AFTER))
    return result

  def do_With(self, node):
    (item,) = node.items
    with self.eval(item.context_expr) as value:
      if item.optional_vars is not None:
        self.assign(item.optional_vars, value)
      return self.block(node.body)

  def do_While(self, node):
    return self.loop(node, iter(lambda: bool(self.eval(node.test)), False), lambda _: None)

  def do_For(self, node):
    return self.loop(
      node, iter(self.eval(node.iter)), lambda value: self.assign(node.target, value)
    )

  def loop(self, node, turns, begin):
    flag = annotation(node, Annotation.UNTIL)
    carried = annotation(node, Annotation.CARRIED)
    map_loop = annotation(node, Annotation.MAP_LOOP)
    if map_loop is not None and any(map(self._changes, map_loop.outputs)):
      map_loop = None
    rows = []
    for turn in turns:
      begin(turn)
      if map_loop is None:
        self.block(node.body)
      else:
        self.block(map_loop.assignments)
        rows.append([self.eval(output.value) for output in map_loop.outputs])
      is_over = flag is not None and self.names[flag]
      self.forget(annotation(node, Annotation.ASSIGNED) - carried)
      if is_over:
        break
    for row in rows:
      for output, value in zip(map_loop.outputs, row, strict=True):
        if output.kind == "append":
          self.lookup(output.name).append(value)
        else:
          add = operator.iadd if isinstance(output.node, ast.AugAssign) else operator.add
          self.bind(output.name, add(self.lookup(output.name), value))
    self.forget(self.locals - annotation(node, Annotation.LIVE_AFTER))
    return _FELL

  def _changes(self, output):
    """Tells whether an output's `+=` changes what it adds to, which each turn may see."""
    is_in_place = output.kind == "+" and isinstance(output.node, ast.AugAssign)
    return is_in_place and hasattr(self.names.get(output.name), "__iadd__")

  def do_Assign(self, node):
    return _FELL if annotation(node, Annotation.RETURN_SLOT) is not None else self.run(node)

  def do_FunctionDef(self, node):
    self.bind(node.name, self.made(node))
    return _FELL

  def do_Import(self, node):
    names = {}
    exec(compile(ast.Module([node], []), "<import>", "exec"), dict(self.source.globals), names)
    self.names.update(names)
    return _FELL

  do_ImportFrom = do_Import

  def do_Global(self, node):
    self.global_names.update(node.names)
    return _FELL

  # --- What expressions ask for

  def made(self, node):
    args = node.args
    defaults = tuple(map(self.eval, args.defaults))
    keywords = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    given = {arg.arg: self.eval(value) for arg, value in keywords if value is not None}
    return _made(node, self, defaults, given)

  def walrus(self, name, value):
    frame = self
    while frame.is_comprehension and not is_middle(name):
      frame = frame.outer
    frame.bind(name, value)
    return value

  def generated(self, node):
    names = scopes.assigned_names([ast.Assign([g.target for g in node.generators], node)])
    middles = [n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
    own = names - {*middles} | {*filter(is_middle, middles)}
    inner = Frame(self, self.source, own, is_comprehension=True)
    inner.global_names = self.global_names
    first = iter(self.eval(node.generators[0].iter))  # At once; all else when it is asked for.

    def turns(number, values):
      generator = node.generators[number]
      for value in values:
        inner.assign(generator.target, value)
        if not all(inner.eval(condition) for condition in generator.ifs):
          continue
        if number + 1 < len(node.generators):
          yield from turns(number + 1, inner.eval(node.generators[number + 1].iter))
        elif isinstance(node, ast.DictComp):
          yield inner.eval(node.key), inner.eval(node.value)
        else:
          yield inner.eval(node.elt)

    return turns(0, first)

  def callee(self, function):
    return _callee(function)

  def own_super(self):
    frame = self
    while frame.outer.outer is not None:
      frame = frame.outer
    return super(self.source.cells["__class__"].cell_contents, next(iter(frame.names.values())))


def _callee(function):
  """Returns what a call runs: of the user's functions and methods their normal form."""
  if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
    return functools.partial(_callee(function.__func__), function.__self__)
  is_users = inspect.isfunction(function) and not is_library(function)
  return reference(function) if is_users and function.__module__ != __name__ else function
