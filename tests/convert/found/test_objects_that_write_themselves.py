"""`str(x)`, `repr(x)` and f-strings of objects whose classes say what is written of them."""

import dataclasses

import pytest

from tests.convert.agreement import CONVERTED, agrees, of_one


class Const:
  def __init__(self, value):
    self.value = value

  def __str__(self):
    return f"{self.value}"


class Symbol:
  def __init__(self, name):
    self.name = name

  def __repr__(self):
    return self.name


class Sum:
  def __init__(self, left, right):
    self.left, self.right = left, right

  def __str__(self):
    return f"({self.left} + {self.right})"


class Counted:
  """Each time it is written it is another one."""

  def __init__(self, value):
    self.value = value

  def __str__(self):
    self.value += 1
    return "c" * self.value


def terms():
  """Returns arguments of five calls."""
  one, x = Const(1), Symbol("x")
  return [(one,), (x,), (Sum(one, x),), (Sum(Sum(x, Const(2)), one),), (Sum(Counted(1), x),)]


def shown(f, n):
  if isinstance(n, Sum):
    return f"[{f(n.left)} {f(n.right)}]"
  return str(n)


def rebuilt(f, n):
  return f"{Sum(n, Const(3)) if isinstance(n, Symbol) else n}", n is n


@pytest.mark.parametrize(("program", "expect"), [(shown, CONVERTED), (rebuilt, None)])
def test_what_classes_write(program, expect):
  agrees(of_one(program), terms, expect)


def test_a_string_is_one_of_when_it_was_made():
  def written(f, n):
    before = str(n)
    if isinstance(n, Const):
      n.value = n.value + 5
    return before, f"{n}", str(n) == before

  agrees(of_one(written), lambda: [(Const(1),), (Const(7),), (Symbol("y"),)], CONVERTED)


def test_a_class_that_gives_no_string_raises():
  class Broken(Const):
    def __str__(self):
      return self.value

  agrees(of_one(lambda f, n: str(n)), lambda: [(Const(1),), (Broken(2),), (Broken("s"),)])


class Visitor:
  def visit_const(self, node):
    return str(node.value)

  def visit_symbol(self, node):
    return node.name

  def visit_sum(self, node):
    return f"{self.visit(node.left)} + {self.visit(node.right)}"

  def visit(self, node):
    return getattr(self, "visit_" + type(node).__name__.lower())(node)


def test_methods_by_names_of_classes_in_small_letters():
  visitor = Visitor()
  agrees(of_one(lambda f, n: visitor.visit(n)), lambda: terms()[:4], CONVERTED)


@dataclasses.dataclass(frozen=True)
class Unit:
  def __str__(self):
    return "unit"


@dataclasses.dataclass(frozen=True)
class Arrow:
  left: object
  right: object

  def __str__(self):
    return f"({self.left} -> {self.right})"


def test_what_is_made_of_several_classes_is_written_in_strings():
  """Parts of what a run makes may be of one class or of another."""

  def typed(f, n):
    if isinstance(n, Sum):
      return Arrow(f(n.left), f(n.right))
    return Unit() if isinstance(n, Symbol) else Arrow(Unit(), Unit())

  def build(recursive):
    infer = of_one(typed)(lambda function: function)

    @recursive
    def check(n):
      return f"{infer(n)}", "ok: " + str(infer(n))

    return check

  agrees(build, lambda: terms()[:4], CONVERTED)
