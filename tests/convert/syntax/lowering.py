"""Runs prepared functions: annotations become plain Python that fails where one is wrong."""

import ast
import itertools
import linecache
import types

from recursive_tf.convert.syntax import scopes
from recursive_tf.convert.syntax.annotations import Annotation, annotation
from recursive_tf.convert.syntax.context import located
from recursive_tf.convert.syntax.pipeline import prepare
from recursive_tf.convert.syntax.source import source_of

_COUNT = itertools.count()


def defined(text, **names):
  """Returns the function `f` that `text` defines, with its text where Python looks for it."""
  return defined_in(dict(names), text)


def defined_in(namespace, text):
  """Returns the function `f` that `text` defines in a namespace, as `defined` does."""
  filename = f"<program {next(_COUNT)}>"
  linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
  exec(compile(text, filename, "exec"), namespace)
  return namespace["f"]


def prepared(function):
  """Returns the function's core Python, every pass verified."""
  return prepare(source_of(function), verify=True)


def prepared_text(text, **names):
  """Returns the code that the passes make of the function `f` in `text`."""
  return ast.unparse(prepared(defined(text, **names)).node)


def lowered(function):
  """Returns the function that the passes' result computes, with its annotations taken seriously.

  Locals that are not LIVE_AFTER a statement, or not CARRIED by a loop or a block, are deleted, so
  that reading them raises. A slot has no value before its flag is set. A map loop first runs all
  its passes, then takes their outputs.
  """
  source = prepared(function)
  node = source.node
  for inner in scopes.functions_of(node):
    own = sorted(scopes.local_names(inner) - scopes.parameters(inner))
    bindings = _parsed(f"if 0: {' = '.join([*own, 'None'])}", inner) if own else []
    declared = [s for s in inner.body if isinstance(s, ast.Global | ast.Nonlocal)]
    body = _Lowering(inner).block(inner.body[len(declared) :])
    inner.body = [*declared, *bindings, *body]
  cells = [name for name in source.cells if name.isidentifier()]
  outer = ast.parse(f"def outer({', '.join(cells)}): pass").body[0]
  outer.body = [node]
  module = ast.Module([outer], [])
  for part in ast.walk(module):
    located(part, at=node)
  code = compile(ast.fix_missing_locations(module), source.filename, "exec")
  (code,) = [c for c in code.co_consts if isinstance(c, types.CodeType)]
  (code,) = [c for c in code.co_consts if isinstance(c, types.CodeType)]
  result = types.FunctionType(
    code,
    source.globals,
    source.name,
    source.function.__defaults__,
    tuple(source.cells[name] for name in code.co_freevars),
  )
  result.__kwdefaults__ = source.function.__kwdefaults__
  return result


class _Lowering:
  """Lowers one function's blocks; functions inside are lowered by themselves."""

  def __init__(self, function):
    self.locals = scopes.local_names(function)

  def block(self, statements):
    return [new for statement in statements for new in self.statement(statement)]

  def statement(self, node):
    if annotation(node, Annotation.RETURN_SLOT):
      return self.forgotten([node.targets[0].id], node)
    if not isinstance(node, ast.If | ast.For | ast.While | ast.With):
      return [node]
    dead = self.locals - annotation(node, Annotation.LIVE_AFTER)
    after = self.forgotten(dead, node)
    if isinstance(node, ast.With):
      own = annotation(node, Annotation.ASSIGNED) - annotation(node, Annotation.CARRIED)
      node.body = [*self.forgotten(own, node), *self.block(node.body), *self.forgotten(own, node)]
      return [node, *after]
    if annotation(node, Annotation.MAP_LOOP):
      return [*self.map_loop(node), *after]
    node.body = self.block(node.body)
    node.orelse = self.block(node.orelse)
    if not isinstance(node, ast.If):
      carried = annotation(node, Annotation.CARRIED)
      node.body += self.forgotten(annotation(node, Annotation.ASSIGNED) - carried, node)
      flag = annotation(node, Annotation.UNTIL)
      if flag:
        node.body += _parsed(f"if {flag}: break", node)
    return [node, *after]

  def map_loop(self, node):
    loop = annotation(node, Annotation.MAP_LOOP)
    values = ast.Tuple([output.value for output in loop.outputs], ast.Load())
    node.body = self.block(loop.assignments)
    node.body += _parsed("_rows.append(None)", node)
    node.body[-1].value.args = [values]
    node.body += self.forgotten(
      annotation(node, Annotation.ASSIGNED) - annotation(node, Annotation.CARRIED), node
    )
    taken = _parsed("for _row in _rows: pass", node)
    taken[0].body = []
    for index, output in enumerate(loop.outputs):
      form = {"append": "{0}.append(_row[{1}])", "+": "{0} = {0} + _row[{1}]"}[output.kind]
      taken[0].body += _parsed(form.format(output.name, index), output.node)
    return [*_parsed("_rows = []", node), node, *taken]

  def forgotten(self, names, at):
    """Makes the statements that unbind names, whether they were bound or not."""
    return [new for name in sorted(names) for new in _parsed(f"{name} = 0\ndel {name}", at)]


def _parsed(text, at):
  statements = ast.parse(text).body
  for statement in statements:
    for part in ast.walk(statement):
      if "lineno" in part._attributes:
        ast.copy_location(part, at)
  return statements


def outcome(function, *args):
  """Returns what a call does: its result, or its exception with the lines it came through."""
  try:
    return "returned", function(*args)
  except Exception as error:  # noqa: BLE001 - whatever it is, both must raise it
    lines, traceback = [], error.__traceback__
    while traceback is not None:
      if traceback.tb_frame.f_code.co_filename == function.__code__.co_filename:
        lines.append(traceback.tb_lineno)
      traceback = traceback.tb_next
    return "raised", type(error), str(error), lines
