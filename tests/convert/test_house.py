"""Values and forms answer for themselves: few functions ask what they are, few lines say `Any`."""

import ast
import re

import pytest

# How many kinds of values and forms a function may tell apart.
KINDS = 3

# How many lines of the converter say `Any`.
ANY = 100


def _kinds_of_values(folder):
  """Returns the names of the classes of abstract values and forms."""
  trees = [ast.parse(path.read_text()) for path in (folder / "values").rglob("*.py")]
  found = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
  return found | {"Tensor"}


def _tested(node):
  """Yields the expressions of classes that a part of a function tests for."""
  if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
    yield from ast.walk(node.args[-1])
  elif isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("type("):
    for other in node.comparators:
      yield from ast.walk(other)
  elif isinstance(node, ast.MatchClass):
    yield node.cls


def switches(text, kinds):
  """Returns how many of these kinds each function of a module tests for, by its name."""
  found = {}

  def visit(node, name):
    for part in ast.iter_child_nodes(node):
      if not isinstance(part, (ast.FunctionDef, ast.ClassDef)):
        visit(part, name)
        continue
      inner = f"{name}.{part.name}" if name else part.name
      if isinstance(part, ast.FunctionDef):
        classes = {ast.unparse(e).split(".")[-1] for n in ast.walk(part) for e in _tested(n)}
        found[inner] = len(classes & kinds)
      visit(part, inner)

  visit(ast.parse(text), "")
  return found


def test_no_function_switches_on_many_kinds_of_values(repository):
  folder = repository / "recursive_tf" / "convert"
  kinds = _kinds_of_values(folder)
  assert {"Number", "NestForm", "Text"} <= kinds
  found = {}
  for path in sorted(folder.rglob("*.py")):
    for name, count in switches(path.read_text(), kinds).items():
      if count > KINDS:
        found[f"{path.relative_to(folder)}: {name}"] = count
  assert found == {}, "make it a method of the class of the value, or of its form"


def test_the_converter_says_any_seldom(repository):
  folder = repository / "recursive_tf" / "convert"
  texts = [path.read_text() for path in folder.rglob("*.py")]
  found = sum(
    bool(re.search(r"\bAny\b", line))
    for text in texts
    for line in text.splitlines()
    if "import" not in line
  )
  assert found <= ANY, "say what it is: a protocol, a form, a kind of value, or object"
  assert found > ANY - 20, f"lower ANY to {found}"


@pytest.mark.one_in(1)
@pytest.mark.parametrize(
  "test, count",
  [
    ("isinstance(x, A)", 1),
    ("isinstance(x, (A, values.B)) and isinstance(x, A)", 2),
    ("isinstance(x, (int, dict))", 0),
    ("type(x) is A or type(x) in (B, C)", 3),
    ("[y for y in x if isinstance(y, C)]", 1),
  ],
)
def test_kinds_that_are_told_apart_are_counted(test, count):
  text = f"class Of:\n  def f(self, x):\n    return {test}\n"
  assert switches(text, {"A", "B", "C"}) == {"Of.f": count}


def test_cases_of_classes_are_counted():
  text = "def f(x):\n  match x:\n    case A() | B(value=C()):\n      return 1\n"
  assert switches(text, {"A", "B", "C"}) == {"f": 3}
