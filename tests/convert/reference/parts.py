"""What the reference interpreter leaves to Python: statements without others in them, expressions.

Their code asks a frame for variables, functions, comprehensions and what is called. All else, the
order in which it is done and the errors among it, is Python's own.
"""

import ast
import copy

_CODES = {}  # Of statements and expressions, with what they take that cannot be written down.


def evaluate(node, frame):
  """Returns the value of an expression."""
  return _computed(node, frame, "eval", ast.Expression)


def execute(node, frame):
  """Does a statement that has no others in it."""
  _computed(node, frame, "exec", lambda tree: ast.Module([tree], []))


def assign(target, value, frame):
  """Binds a target of any kind to a value."""
  if not hasattr(target, "_assigned"):
    target._assigned = ast.Assign([target], ast.Constant(_Value))
  _computed(target._assigned, frame, "exec", lambda tree: ast.Module([tree], []), value)


def _computed(node, frame, mode, whole, value=None):
  if node not in _CODES:
    opened = _Opened()
    tree = ast.fix_missing_locations(whole(opened.visit(node)))
    _CODES[node] = compile(tree, "<part>", mode), opened.parts
  code, parts = _CODES[node]
  return eval(code, {"frame": frame, "names": _Names(frame), "parts": parts, "value": value})


class _Names:
  """The variables of a frame as attributes, each with an underscore before its name."""

  __slots__ = ("frame",)

  def __init__(self, frame):
    object.__setattr__(self, "frame", frame)

  def __getattr__(self, name):
    return self.frame.lookup(name[1:])

  def __setattr__(self, name, value):
    self.frame.bind(name[1:], value)

  def __delattr__(self, name):
    self.frame.lookup(name[1:])
    self.frame.forget({name[1:]})


class _Value:
  """Stands for what is assigned."""


class _Opened(ast.NodeTransformer):
  """Has code ask its frame for variables, functions and comprehensions: all else is Python's."""

  def __init__(self):
    self.parts = []

  def _part(self, value):
    self.parts.append(value)
    number = ast.Constant(len(self.parts) - 1)
    return ast.Subscript(ast.Name("parts", ast.Load()), number, ast.Load())

  def _asked(self, method, *args):
    return ast.Call(ast.Attribute(ast.Name("frame", ast.Load()), method, ast.Load()), [*args], [])

  def generic_visit(self, node):
    own = copy.copy(node)  # A normal form has some nodes in several places.
    for name, value in ast.iter_fields(node):
      setattr(own, name, [*value] if isinstance(value, list) else value)
    return super().generic_visit(own)

  def visit_Name(self, node):
    return ast.Attribute(ast.Name("names", ast.Load()), f"_{node.id}", node.ctx)

  def visit_Constant(self, node):
    if node.value is _Value:
      return ast.Name("value", ast.Load())
    is_plain = node.value is None or isinstance(node.value, (str, bytes, int, float, complex))
    return node if is_plain else self._part(node.value)

  def visit_NamedExpr(self, node):
    return self._asked("walrus", ast.Constant(node.target.id), self.visit(node.value))

  def visit_Lambda(self, node):
    made = ast.FunctionDef("<lambda>", node.args, [ast.Return(node.body)], [])
    return self._asked("made", self._part(made))

  def visit_GeneratorExp(self, node):
    return self._asked("generated", self._part(node))

  def visit_ListComp(self, node):
    return ast.List([ast.Starred(self.visit_GeneratorExp(node), ast.Load())], ast.Load())

  def visit_SetComp(self, node):
    return ast.Set([ast.Starred(self.visit_GeneratorExp(node), ast.Load())])

  def visit_DictComp(self, node):
    return ast.Call(self._part(dict), [self.visit_GeneratorExp(node)], [])

  def visit_Call(self, node):
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
      return self._asked("own_super")
    made = self.generic_visit(node)
    made.func = self._asked("callee", made.func)
    return made
