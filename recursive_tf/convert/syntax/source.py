"""Reads a Python function back as syntax, with the names and cells that it closes over.

The file is parsed whole and compiled whole, and a function counts as found only where the compiled
code is the code that runs. So line numbers are the file's own, lambdas on one line are told apart,
and a file that was edited after its import is refused instead of read as something else.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import copy
import dataclasses
import functools
import inspect
import linecache
import operator
import pathlib
import types
import warnings
from collections.abc import Callable, Iterator

from recursive_tf.convert._refusal import ConversionRefused, Origin, Reason
from recursive_tf.convert.syntax import scopes

_FUTURE_FLAGS = sum(
  getattr(__future__, name).compiler_flag for name in __future__.all_feature_names
)
_LAMBDA_NAME = "_rtf_lambda"
_PACKAGE = str(pathlib.Path(__file__).parents[1])  # Of the converter.

_DefNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclasses.dataclass(frozen=True, eq=False)
class FunctionSource:
  """A function and the syntax it was compiled from.

  Attributes:
    name: the function's own name, "<lambda>" for a lambda.
    node: its definition, without decorators, annotations and default values (these are in
      `signature`); a lambda is a definition with one `return`. Private names (`__x` in a class)
      are already mangled. Nobody may change it in place.
    function: the plain function: of a method, the one that takes `self`.
    filename: the file it is in.
    lines: that file's lines.
    globals: the module's namespace, the live one.
    cells: the cells of the closure by name; `__class__` is there if the function says `super()`.
    signature: its parameters with their default values; of a method, with `self`.
    local_names: the names bound in the function: parameters and all that is assigned.
    has_handlers: whether it catches exceptions.
    catches_depth: whether one of them may be a RecursionError.
  """

  name: str
  node: ast.FunctionDef
  function: types.FunctionType
  filename: str
  lines: tuple[str, ...] = dataclasses.field(repr=False)
  globals: dict[str, object] = dataclasses.field(repr=False)
  cells: dict[str, types.CellType] = dataclasses.field(repr=False)
  signature: inspect.Signature
  local_names: frozenset[str]
  has_handlers: bool = False
  catches_depth: bool = False

  @property
  def uses_class_cell(self) -> bool:
    """Whether it says `super()` or `__class__`, so that it belongs to one class."""
    return "__class__" in self.cells

  @property
  def is_users(self) -> bool:
    """Whether it is none of the converter's, as Python that stands for a builtin is."""
    return not self.filename.startswith(_PACKAGE)

  def origin(self, node: ast.AST) -> Origin:
    """Returns the user's line that `node` is on."""
    line = getattr(node, "lineno", self.node.lineno)
    return _origin(self.filename, self.lines, line, self.name)


@dataclasses.dataclass(frozen=True)
class _File:
  """One parsed and compiled file. `tree` is never changed."""

  lines: tuple[str, ...]
  tree: ast.Module
  codes: tuple[types.CodeType, ...]

  @functools.cached_property
  def definitions(self) -> dict[tuple[int, str], list[tuple[_DefNode, str]]]:
    """Its definitions by first line and name, each with the class that it is in."""
    found: dict[tuple[int, str], list[tuple[_DefNode, str]]] = {}
    for node, class_name in _definitions(self.tree):
      key = _first_line(node), getattr(node, "name", "<lambda>")
      found.setdefault(key, []).append((node, class_name))
    return found


def _file_of(function: types.FunctionType) -> _File | None:
  """Returns the file that a function is in, None if it has no text or does not compile."""
  code = function.__code__
  # The globals let a loader give the text of a module that is in no plain file.
  lines = tuple(linecache.getlines(code.co_filename, function.__globals__))
  return _parse(lines, code.co_filename, code.co_flags & _FUTURE_FLAGS)


def source_of(function: Callable[..., object]) -> FunctionSource:
  """Reads a function's syntax.

  Args:
    function: a function defined by `def` or `lambda`, at any depth, or a method of any kind.

  Returns:
    The function's source; of a method, that of the function behind it.

  Raises:
    ConversionRefused: SOURCE_MISSING if there is no text, or it is not the text of the code that
      runs; SYNTAX for an async function.
  """
  plain = _plain_function(function)
  code = plain.__code__
  file = _file_of(plain)
  found = _find(file, code) if file else None
  if found is None:
    # The text in linecache is the imported one or an older one; the disk may have the right one.
    linecache.checkcache(code.co_filename)
    file = _file_of(plain)
    found = _find(file, code) if file else None
  if file is None or found is None:
    raise _missing(plain, file)
  node, class_name = found
  origin = _origin(code.co_filename, file.lines, _first_line(node), plain.__name__)
  _refuse_async(code, origin)
  definition = _definition(node, class_name)
  return FunctionSource(
    name=plain.__name__,
    node=definition,
    function=plain,
    filename=code.co_filename,
    lines=file.lines,
    globals=plain.__globals__,
    cells=dict(zip(code.co_freevars, plain.__closure__ or (), strict=True)),
    signature=_signature(plain),
    local_names=scopes.local_names(definition),
  )


def _plain_function(function: Callable[..., object]) -> types.FunctionType:
  plain: object = function
  while isinstance(plain, types.MethodType | staticmethod | classmethod):
    plain = plain.__func__
  if isinstance(plain, types.FunctionType):
    return plain
  name = getattr(plain, "__qualname__", type(plain).__qualname__)
  if isinstance(plain, type):
    what = "a class"
  elif getattr(plain, "__module__", None) == builtins.__name__ or inspect.isbuiltin(plain):
    what = "written in C"
  else:
    what = f"a {type(plain).__qualname__}, not a function"
  raise ConversionRefused.of(Reason.SOURCE_MISSING, f"{name} is {what}: it has no Python source.")


@functools.lru_cache(maxsize=8)  # Most functions of a program are in few files.
def _parse(lines: tuple[str, ...], filename: str, flags: int) -> _File | None:
  if not lines:
    return None
  try:
    with warnings.catch_warnings():
      warnings.simplefilter("ignore")  # They were given when the file was imported.
      tree = ast.parse("".join(lines), filename)
      code = _compile(tree, filename, flags)
  except (SyntaxError, ValueError):  # Edited since, or no Python: there is nothing to find in it.
    return None
  return _File(lines, tree, tuple(_all_codes(code)))


def _compile(tree: ast.Module, filename: str, flags: int) -> types.CodeType:
  # Notebook cells may await at the top level; this changes nothing else.
  flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
  return compile(tree, filename, "exec", flags=flags, dont_inherit=True)


def _all_codes(code: types.CodeType) -> Iterator[types.CodeType]:
  agenda = [code]
  while agenda:
    code = agenda.pop()
    yield code
    agenda.extend(const for const in code.co_consts if isinstance(const, types.CodeType))


def _find(file: _File, code: types.CodeType) -> tuple[_DefNode, str] | None:
  """Returns the definition that compiles to `code` and the class it is in, "" for none."""
  same = [c for c in file.codes if c.co_firstlineno == code.co_firstlineno and _is_same(c, code)]
  if not same:
    return None
  nodes = file.definitions.get((code.co_firstlineno, code.co_name), [])
  if len(nodes) > 1:  # Lambdas on one line.
    return _told_apart(file, nodes, code)
  return nodes[0] if nodes else None


def _told_apart(
  file: _File, nodes: list[tuple[_DefNode, str]], code: types.CodeType
) -> tuple[_DefNode, str] | None:
  """Returns the one of several definitions on one line that compiles to `code`.

  Each gets a first line of its own beyond the file's end, in a copy, and shows it in its code. Of
  two that compile to the same code either will do.
  """
  wanted = {id(node) for node, _ in nodes}
  originals = [node for node in ast.walk(file.tree) if id(node) in wanted]
  tree = copy.deepcopy(file.tree)
  # Both walks go in the same order; copies of the wanted nodes are those at the same places.
  copies = [
    twin
    for node, twin in zip(ast.walk(file.tree), ast.walk(tree), strict=True)
    if id(node) in wanted
  ]
  by_marker: dict[int, tuple[_DefNode, str]] = {}
  classes = {id(node): class_name for node, class_name in nodes}
  for marker, (node, twin) in enumerate(
    zip(originals, copies, strict=True), start=len(file.lines) + 1
  ):
    assert isinstance(node, _DefNode) and isinstance(twin, _DefNode)
    twin.lineno = twin.end_lineno = marker
    by_marker[marker] = node, classes[id(node)]
  with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    marked = _compile(tree, code.co_filename, code.co_flags & _FUTURE_FLAGS)
  for candidate in _all_codes(marked):
    if candidate.co_firstlineno in by_marker and _is_same(candidate, code):
      return by_marker[candidate.co_firstlineno]
  return None


def _definitions(tree: ast.AST) -> Iterator[tuple[_DefNode, str]]:
  """Yields every definition with the name of the innermost class around it."""
  agenda: list[tuple[ast.AST, str]] = [(tree, "")]
  while agenda:
    node, class_name = agenda.pop()
    if isinstance(node, _DefNode):
      yield node, class_name
    inner = node.name if isinstance(node, ast.ClassDef) else class_name
    agenda.extend((child, inner) for child in ast.iter_child_nodes(node))


def _first_line(node: _DefNode) -> int:
  decorators = getattr(node, "decorator_list", [])
  return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _is_same(ours: types.CodeType, theirs: types.CodeType) -> bool:
  """Says whether two codes do the same; first lines are not compared."""
  if ours.co_name != theirs.co_name or _parameters(ours) != _parameters(theirs):
    return False
  if "@pytest_ar" in theirs.co_names:
    # pytest rewrote its asserts, nothing else: the names must agree all the same.
    return set(ours.co_varnames) <= set(theirs.co_varnames)
  return (
    # `==` on codes looks into caches on some Pythons, and at lines always.
    ours.co_code == theirs.co_code
    and ours.co_names == theirs.co_names
    and ours.co_varnames == theirs.co_varnames
    and ours.co_cellvars == theirs.co_cellvars
    and ours.co_freevars == theirs.co_freevars
    and len(ours.co_consts) == len(theirs.co_consts)
    and all(map(_is_same_constant, ours.co_consts, theirs.co_consts))
  )


def _parameters(code: types.CodeType) -> tuple[object, ...]:
  variadic = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
  count = code.co_argcount + code.co_kwonlyargcount + variadic.bit_count()
  counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, variadic
  return counts, code.co_varnames[:count]


def _is_same_constant(ours: object, theirs: object) -> bool:
  if isinstance(ours, types.CodeType):
    return isinstance(theirs, types.CodeType) and _is_same(ours, theirs)
  # repr tells 1 from True and 0.0 from -0.0, at every depth; frozensets have no fixed order.
  if isinstance(ours, frozenset):
    return ours == theirs
  return type(ours) is type(theirs) and repr(ours) == repr(theirs)


def _refuse_async(code: types.CodeType, origin: Origin) -> None:
  for flag, kind in (
    (inspect.CO_ASYNC_GENERATOR, "an async generator"),
    (inspect.CO_COROUTINE, "an async function"),
  ):
    if code.co_flags & flag:
      raise suspended(code.co_name, kind, origin)


def suspended(name: str, kind: str, origin: Origin) -> ConversionRefused:
  """Returns the refusal of a function whose calls can be suspended."""
  text = f"{name} is {kind}: a graph has no suspended calls."
  return ConversionRefused.of(Reason.SYNTAX, text, origin)


def _definition(node: _DefNode, class_name: str) -> ast.FunctionDef:
  """Returns `node` as a bare definition: what the call does, not what the `def` does."""
  node = copy.deepcopy(node)
  definition = ast.parse("def f(): pass").body[0]
  assert isinstance(definition, ast.FunctionDef)
  if isinstance(node, ast.Lambda):
    definition.name = _LAMBDA_NAME
    definition.body = [ast.copy_location(ast.Return(node.body), node.body)]
  else:
    definition.name = node.name
    definition.body = node.body
  ast.copy_location(definition, node)
  definition.args = node.args
  definition.args.defaults = []
  definition.args.kw_defaults = [None] * len(node.args.kwonlyargs)
  for argument in ast.walk(definition.args):
    if isinstance(argument, ast.arg):
      argument.annotation = None
  if class_name.strip("_"):
    _Mangle(class_name).visit(definition)
  return definition


class _Mangle(ast.NodeTransformer):
  """Spells private names out, as the compiler does for code inside a class."""

  def __init__(self, class_name: str):
    self._prefix = "_" + class_name.lstrip("_")

  def _mangled(self, name: str) -> str:
    is_private = name.startswith("__") and not name.endswith("__") and "." not in name
    return self._prefix + name if is_private else name

  def visit_Name(self, node: ast.Name) -> ast.AST:
    node.id = self._mangled(node.id)
    return node

  def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
    self.generic_visit(node)
    node.attr = self._mangled(node.attr)
    return node

  def visit_arg(self, node: ast.arg) -> ast.AST:
    node.arg = self._mangled(node.arg)
    return node

  def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
    self.generic_visit(node)
    node.name = self._mangled(node.name)
    return node

  def visit_alias(self, node: ast.alias) -> ast.AST:
    if node.asname:
      node.asname = self._mangled(node.asname)
    else:
      mangled = self._mangled(node.name)
      node.asname = mangled if mangled != node.name else None
    return node

  def _visit_names(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
    node.names = [self._mangled(name) for name in node.names]
    return node

  visit_Global = _visit_names
  visit_Nonlocal = _visit_names

  def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
    return node  # Mangles by its own name; the fence refuses it anyway.


def _signature(function: types.FunctionType) -> inspect.Signature:
  # A copy: `__signature__` and `__wrapped__` say what others should think of the function.
  bare = types.FunctionType(
    function.__code__,
    function.__globals__,
    function.__name__,
    function.__defaults__,
    function.__closure__,
  )
  bare.__kwdefaults__ = function.__kwdefaults__
  return inspect.signature(bare)


def _missing(function: types.FunctionType, file: _File | None) -> ConversionRefused:
  code = function.__code__
  where = f"{function.__qualname__} ({code.co_filename}:{code.co_firstlineno})"
  if file is None:
    explanation = f"the source of {where} cannot be read: made by exec, or its file is gone."
    return ConversionRefused.of(Reason.SOURCE_MISSING, explanation)
  explanation = (
    f"the file of {where} does not have the code that runs: it was edited after its import (import"
    " it again), or something rewrote the code."
  )
  origin = _origin(code.co_filename, file.lines, code.co_firstlineno, function.__name__)
  return ConversionRefused.of(Reason.SOURCE_MISSING, explanation, origin)


def _origin(filename: str, lines: tuple[str, ...], line: int, function: str) -> Origin:
  text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
  return Origin(filename, line, text, function)


class LiveSignature:
  """The signature of a function as it is at each call: default values may be replaced."""

  def __init__(self, function: Callable[..., object]):
    self._function = function
    self._state: tuple[object, ...] | None = None
    self._known = self._own()
    self._names: tuple[inspect.Signature, tuple[str, ...] | None] | None = None

  def names(self) -> tuple[str, ...] | None:
    """Returns the parameters in order, if all may be given by place and by name; else None."""
    now = self._now()
    if self._names is None or self._names[0] is not now:
      kinds = {parameter.kind for parameter in now.parameters.values()}
      is_plain = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
      self._names = now, tuple(now.parameters) if is_plain else None
    return self._names[1]

  def _now(self) -> inspect.Signature:
    function: object = self._function
    if isinstance(function, types.FunctionType):
      known, named = self._state, function.__kwdefaults__ or {}
      # All of these are kept, so that `is` is enough.
      code, defaults = function.__code__, function.__defaults__
      if known and known[0] is code and known[1] is defaults and not named and len(known) == 2:
        return self._known  # As below, in a third of the time.
      state = (code, defaults, *named, *named.values())
      if known is None or len(known) != len(state) or not all(map(operator.is_, known, state)):
        self._state, self._known = state, self._own()
    return self._known

  def _own(self) -> inspect.Signature:
    """Returns the signature, not that of a function that it is wrapped around."""
    is_function = isinstance(self._function, types.FunctionType)
    return inspect.signature(self._function, follow_wrapped=not is_function)

  def defaults(self) -> dict[str, object]:
    """Returns the default values by parameter."""
    parameters = self._now().parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}

  def keywords(self) -> str | None:
    """Returns the name of the parameter `**keywords`; None if there is none."""
    parameters = self._now().parameters.values()
    return next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None)

  def positional(self) -> str | None:
    """Returns the name of `*args` where it stands for parameters of a function that is wrapped."""
    if not hasattr(self._function, "__wrapped__"):
      return None
    parameters = self._now().parameters.values()
    return next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)

  def bind(self, /, *args: object, **kwargs: object) -> inspect.BoundArguments:
    """Returns the arguments of a call by parameter; see `inspect.Signature.bind`."""
    return self._now().bind(*args, **kwargs)

  def bind_partial(self, /, *args: object, **kwargs: object) -> inspect.BoundArguments:
    """Does the same where some are left out; see `inspect.Signature.bind_partial`."""
    return self._now().bind_partial(*args, **kwargs)
