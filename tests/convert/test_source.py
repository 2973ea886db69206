"""Reading a function back: the right node, its own lines, or a refusal that says why."""

import ast
import functools
import importlib.util
import inspect
import linecache
import os
import sys

import pytest

from recursive_tf.convert._refusal import ConversionRefused, Reason
from recursive_tf.convert.syntax.source import _parse, source_of


def decorated(function):
  return function


@decorated
@functools.partial(
  lambda function: function,
)
def with_decorators(x: int, /, y: "str" = 2, *args: int, z=3, **rest) -> int:
  """Has a docstring."""
  total = x  # This line is looked for.
  inner = [k for k in args]
  return total, inner


def closing_over(limit, unused=1):
  count = 0

  def inner(x):
    nonlocal count
    count += 1
    return x < limit

  return inner


add, subtract, twice = (lambda x, y: x + y), (lambda x, y: x - y), (lambda x: lambda y: x + y)
ones = [
  lambda: 1,
  lambda: 1.0,
  lambda: True,
  lambda: (1,),
  lambda: (1.0,),
  lambda: -0.0,
  lambda: 0.0,
]


class Base:
  def read(self):
    return 1


class _Tree(Base):
  def __init__(self, value):
    self.__value = value

  def read(self, __more=0):
    def __inner():
      return self.__value + __more + super().read()

    return __inner()

  @staticmethod
  def static(x):
    return x + 1

  @classmethod
  def of_class(cls, x):
    return cls(x)

  @property
  def value(self):
    return self.__value

  shifted = lambda self, by: self.__value + by  # noqa: E731


def returned(source):
  """Returns the code of the last statement."""
  return ast.unparse(source.node.body[-1])


def line_of(text):
  """Returns the number of the first line of this file that contains `text`."""
  lines = inspect.getsource(sys.modules[__name__]).splitlines()
  return next(number for number, line in enumerate(lines, 1) if text in line)


def test_a_definition_is_bare_and_at_its_own_lines():
  source = source_of(with_decorators)
  assert ast.unparse(source.node).startswith("def with_decorators(x, /, y, *args, z, **rest):\n")
  assert source.node.decorator_list == [] and source.node.returns is None
  line = line_of("# This line is looked for.")
  assert source.node.body[1].lineno == line
  origin = source.origin(source.node.body[1])
  assert (origin.line, origin.function) == (line, "with_decorators")
  assert origin.file == __file__
  assert origin.text == "total = x  # This line is looked for."


def test_names_globals_and_signature():
  source = source_of(with_decorators)
  assert source.name == "with_decorators" and source.function is with_decorators
  assert source.globals is globals() and source.cells == {}
  assert source.local_names == {"x", "y", "z", "args", "rest", "total", "inner"}
  bound = source.signature.bind(1)
  bound.apply_defaults()
  assert bound.arguments == {"x": 1, "y": 2, "args": (), "z": 3, "rest": {}}


def test_a_closure_gives_its_cells():
  inner = closing_over(3)
  source = source_of(inner)
  assert set(source.cells) == {"count", "limit"}
  assert source.cells["limit"].cell_contents == 3
  inner(1)
  assert source.cells["count"].cell_contents == 1
  assert source.local_names == {"x"} and not source.uses_class_cell


def test_lambdas_on_one_line_are_told_apart():
  assert [returned(source_of(f)) for f in (add, subtract)] == ["return x + y", "return x - y"]
  assert returned(source_of(twice)) == "return lambda y: x + y"
  assert returned(source_of(twice(1))) == "return x + y"
  values = [source_of(f).node.body[0].value for f in ones]
  assert [repr(ast.literal_eval(v)) for v in values] == [repr(f()) for f in ones]
  source = source_of(add)
  assert source.name == "<lambda>" and source.node.name.isidentifier()
  assert source.origin(source.node).line == line_of("add, subtract, twice")


def test_methods_of_all_kinds():
  tree = _Tree(4)
  assert source_of(tree.read).function is _Tree.read
  assert list(source_of(tree.read).signature.parameters) == ["self", "_Tree__more"]
  assert returned(source_of(_Tree.static)) == "return x + 1"
  assert returned(source_of(_Tree.__dict__["static"])) == "return x + 1"
  assert source_of(_Tree.of_class).signature.parameters.keys() == {"cls", "x"}
  assert source_of(_Tree.value.fget).name == "value"


def test_private_names_are_spelled_out():
  assert returned(source_of(_Tree.value.fget)) == "return self._Tree__value"
  assert returned(source_of(_Tree.shifted)) == "return self._Tree__value + by"
  source = source_of(_Tree.read)
  assert source.local_names == {"self", "_Tree__more", "_Tree__inner"}
  assert "self._Tree__value + _Tree__more" in ast.unparse(source.node)
  assert source.uses_class_cell and source.cells["__class__"].cell_contents is _Tree


def test_wrappers_are_read_themselves():
  @functools.wraps(add)
  def wrapper(*args):
    return add(*args)

  source = source_of(wrapper)
  assert returned(source) == "return add(*args)"
  assert list(source.signature.parameters) == ["args"]


def test_asserts_that_pytest_rewrote_do_not_hide_a_function():
  def asserting(x):
    def inner(y):
      assert y, "inner"

    assert x > 1, x
    return inner

  source = source_of(asserting)
  assert source.local_names == {"x", "inner"}
  assert ast.unparse(source.node.body[1]) == "assert x > 1, x"
  assert source_of(asserting(2)).name == "inner"


def test_one_file_is_parsed_once(monkeypatch):
  calls = []
  parse = ast.parse
  monkeypatch.setattr(ast, "parse", lambda *args: calls.append(args) or parse(*args))
  _parse.cache_clear()
  for function in (add, with_decorators, _Tree.read):
    source_of(function)
  assert len([args for args in calls if args[-1] == __file__]) == 1


def test_the_node_is_a_copy():
  source_of(with_decorators).node.body.clear()
  assert source_of(with_decorators).node.body


def from_file(path, text, time):
  """Writes a module and imports it."""
  path.write_text(text)
  os.utime(path, (time, time))
  spec = importlib.util.spec_from_file_location("module_for_test", path)
  module = importlib.util.module_from_spec(spec)
  spec.loader.exec_module(module)
  return module


@pytest.mark.parametrize(
  "edited",
  [
    "def f(x):\n  return x + 2\n",
    "\n\ndef f(x):\n  return x + 1\n",
    "def f(y):\n  return y + 1\n",
    "def g(x):\n  return x + 1\n",
    "def f(x:\n",
    "",
  ],
)
def test_a_file_edited_after_its_import_is_refused(tmp_path, edited):
  path = tmp_path / "module.py"
  module = from_file(path, "def f(x):\n  return x + 1\n", time=1000)
  assert returned(source_of(module.f)) == "return x + 1"
  path.write_text(edited)
  linecache.clearcache()
  with pytest.raises(ConversionRefused, match="source-missing") as caught:
    source_of(module.f)
  assert caught.value.reason is Reason.SOURCE_MISSING
  assert str(path) in str(caught.value)


def test_a_file_edited_and_imported_again_is_read_again(tmp_path):
  path = tmp_path / "module.py"
  first = from_file(path, "def f(x):\n  return x + 1\n", time=1000)
  source_of(first.f)
  second = from_file(path, "# Longer.\ndef f(x):\n  return x + 2\n", time=2000)
  assert returned(source_of(second.f)) == "return x + 2"


def test_future_imports_of_the_file_are_known(tmp_path):
  text = "from __future__ import annotations\ndef f(x: Unknown) -> Unknown:\n  return x\n"
  assert returned(source_of(from_file(tmp_path / "m.py", text, time=1000).f)) == "return x"


@pytest.mark.filterwarnings("error")
def test_warnings_of_the_compiler_are_not_given_again(tmp_path):
  with pytest.warns(SyntaxWarning):
    module = from_file(tmp_path / "m.py", "def f(x):\n  return x is 1, lambda: 2\n", time=1000)
  assert returned(source_of(module.f)) == "return (x is 1, lambda: 2)"


async def _coroutine():
  return 1


async def _async_generator():
  yield 1


@pytest.mark.parametrize(
  ("function", "kind"),
  [
    (_coroutine, "an async function"),
    (_async_generator, "an async generator"),
  ],
)
def test_coroutines_are_refused(function, kind):
  with pytest.raises(ConversionRefused, match=f"{function.__name__} is {kind}") as caught:
    source_of(function)
  assert caught.value.reason is Reason.SYNTAX
  assert caught.value.origin.line == function.__code__.co_firstlineno


def _from_exec():
  namespace = {}
  exec("def f(x):\n  return x\n", namespace)
  return namespace["f"]


@pytest.mark.parametrize(
  ("function", "explanation"),
  [
    (len, "len is written in C"),
    ([].append, "list.append is written in C"),
    (dict.get, "dict.get is a method_descriptor"),
    (_Tree, "_Tree is a class"),
    (functools.partial(add, 1), "partial is a partial, not a function"),
    (_from_exec(), "made by exec"),
  ],
)
def test_what_has_no_source_is_refused(function, explanation):
  with pytest.raises(ConversionRefused, match=explanation) as caught:
    source_of(function)
  assert caught.value.reason is Reason.SOURCE_MISSING
