"""Programs over Python's own syntax trees: `ast.iter_child_nodes`, `ast.walk` and visitors."""

import ast

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, of_one

_FUNCTION = "def g(a, b=2):\n  return a * b + g(a - 1)\n"
_TEXTS = ["x", "f(x, 1) + y", _FUNCTION, "", "[x for x in y if x]"]


def _trees():
  return [(ast.parse(text),) for text in _TEXTS]


def counted(f, n):
  return 1 + sum(f(child) for child in ast.iter_child_nodes(n))


def shown(f, n):
  return f"{type(n).__name__}({', '.join([f(child) for child in ast.iter_child_nodes(n)])})"


def deepest(f, n):
  depth = 0
  for child in ast.iter_child_nodes(n):
    depth = max(depth, f(child))
  return depth + 1


def any_call(f, n):
  return any(isinstance(child, ast.Call) or f(child) for child in ast.iter_child_nodes(n))


def first_of_all(f, n):
  for child in ast.iter_child_nodes(n):
    return type(child).__name__
  return None


def first_expression(f, n):
  for number, child in enumerate(ast.iter_child_nodes(n)):
    if isinstance(child, ast.expr):
      return number, type(child).__name__
    if (found := f(child)) is not None:
      return found
  return None


def next_or_itself(f, n):
  return type(next(ast.iter_child_nodes(n), n)).__name__


def nodes_are_those_of_the_tree(f, n):
  return list(ast.iter_child_nodes(n))


def names_by_walk(f, n):
  return [node.id for node in ast.walk(n) if isinstance(node, ast.Name)]


def kinds_by_walk(f, n):
  return [type(node).__name__ for node in ast.walk(n)]


def by_two_names(f, n):
  children = [*ast.iter_child_nodes(n), *reversed(list(ast.iter_child_nodes(n)))]
  return len(children) + sum([f(child) for child in children[: len(children) // 2]])


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
  "program",
  [
    counted,
    shown,
    deepest,
    any_call,
    first_of_all,
    first_expression,
    next_or_itself,
    nodes_are_those_of_the_tree,
    names_by_walk,
    kinds_by_walk,
    by_two_names,
  ],
)
def test_children_are_pythons(program):
  agrees(of_one(program), _trees, expect=CONVERTED)


class Names(ast.NodeVisitor):
  """Notes names, and counts calls and what is in them."""

  def __init__(self):
    self.names = []
    self.num_calls = 0

  def visit_Name(self, node):
    self.names.append(node.id)

  def visit_Call(self, node):
    self.num_calls += 1
    self.generic_visit(node)


class Counter(Names):
  """Counts all nodes as well, whatever is done with them."""

  def __init__(self):
    super().__init__()
    self.num_nodes = 0

  def generic_visit(self, node):
    super().generic_visit(node)
    self.num_nodes += 1


class Evaluator(ast.NodeVisitor):
  """Computes sums and products."""

  def visit_Expression(self, node):
    return self.visit(node.body)

  def visit_BinOp(self, node):
    left, right = self.visit(node.left), self.visit(node.right)
    return left + right if isinstance(node.op, ast.Add) else left * right

  def visit_UnaryOp(self, node):
    return -self.visit(node.operand)

  def visit_Constant(self, node):
    return node.value


def noted(f, n):
  visitor = Names()
  visitor.visit(n)
  return visitor.names, visitor.num_calls


def counted_by_visitor(f, n):
  visitor = Counter()
  visitor.visit(n)
  return visitor.num_nodes, visitor.num_calls, visitor.names


LONG = pytest.param(counted_by_visitor, marks=pytest.mark.slow)


@pytest.mark.parametrize("program", [noted, LONG])
def test_visitors_are_pythons(program):
  agrees(of_one(program), _trees, expect=CONVERTED)


def test_a_visitor_of_the_program_keeps_what_it_has_noted():
  def build(recursive):
    visitor = Names()

    @recursive
    def f(n):
      visitor.visit(n)
      return len(visitor.names)

    return f, [visitor]

  agrees(build, _trees, expect=CONVERTED)


class OldNames(Names):
  """Has a visitor of numbers alone, which Python warns of."""

  def visit_Num(self, node):
    self.num_calls += 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_visitors_of_old_names_are_left_to_python():
  def noted(f, n):
    visitor = OldNames()
    visitor.visit(n)
    return visitor.num_calls

  agrees(of_one(noted), _trees)


def test_expressions_are_evaluated():
  texts = ["1", "1 + 2 * -3", "-(4 + 5) * 6", "2 * 3 + 4"]
  calls = lambda: [(ast.parse(text, mode="eval"),) for text in texts]  # noqa: E731
  agrees(of_one(lambda f, n: Evaluator().visit(n)), calls, expect=CONVERTED)


def renamed(f, n):
  for child in ast.iter_child_nodes(n):
    if isinstance(child, ast.Name):
      child.id += "_"
    f(child)


def numbered(f, n):
  for number, child in enumerate(ast.iter_child_nodes(n)):
    child.lineno = number
    f(child)


def added_to(f, n):
  count = 0
  for child in ast.iter_child_nodes(n):
    count += f(child)
  if isinstance(n, ast.Module) and n.body:
    n.body.append(n.body[0])
  return count + 1


def made(f, n):
  return counted_once(ast.Expr(ast.Name("x", ast.Load()))) if isinstance(n, ast.Module) else 0


def counted_once(n):
  return len(list(ast.iter_child_nodes(n)))


def of_none(f, n):
  return len(list(ast.iter_child_nodes(None)))


@pytest.mark.one_in(1)
@pytest.mark.parametrize("program", [renamed, numbered, added_to, made, of_none])
def test_what_is_changed_or_made_is_pythons(program):
  agrees(of_one(program), _trees)


class Own(ast.Name):
  """A class of nodes that says itself what is in it."""

  _fields = ("others",)


def test_classes_of_the_user_s_are_left_to_python():
  trees = lambda: [(Own(others=[ast.Name("a"), ast.Name("b")]),), (ast.Name("c"),)]  # noqa: E731
  reasons = {Reason.UNSUPPORTED_OPERATION}
  agrees(of_one(counted), trees, expect=reasons)


def test_a_tree_that_has_changed_is_read_anew():
  @rtf.recursive
  def f(n):
    return 1 + sum(f(child) for child in ast.iter_child_nodes(n))

  tree = ast.parse("x + y")
  before = f(tree)
  tree.body[0].value.left = ast.parse("f(a, b)", mode="eval").body
  tree.body.append(ast.Pass())
  assert (before, f(tree)) == (len([*ast.walk(ast.parse("x + y"))]), len([*ast.walk(tree)]))
  assert f.stats.num_converted_runs == 2


def test_gradients_of_embedded_nodes():
  def build(recursive):
    table = tf.Variable(tf.random.stateless_normal([4, 3], [1, 2]))
    names = ["Module", "Name", "BinOp"]

    @recursive
    def f(n):
      kind = type(n).__name__
      found = table[names.index(kind) if kind in names else 3]
      for child in ast.iter_child_nodes(n):
        if isinstance(child, ast.expr_context):
          continue
        found = tf.tanh(found + 0.5 * f(child))
      return found

    return f, [table]

  agrees(build, _trees, expect=CONVERTED, variables=lambda f, state: state)
