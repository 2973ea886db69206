"""The functions of `operator`, called, and in tables of the program."""

import operator

import pytest

from tests.convert.agreement import CONVERTED, agrees

ARITHMETIC = {
  "+": operator.add,
  "-": operator.sub,
  "*": operator.mul,
  "/": operator.truediv,
  "//": operator.floordiv,
  "%": operator.mod,
  "**": operator.pow,
}
COMPARISONS = {
  "==": operator.eq,
  "!=": operator.ne,
  "<": operator.lt,
  "<=": operator.le,
  ">": operator.gt,
  ">=": operator.ge,
}
BITWISE = {
  "&": operator.and_,
  "|": operator.or_,
  "^": operator.xor,
  "<<": operator.lshift,
  ">>": operator.rshift,
}
UNARY = {
  "-": operator.neg,
  "+": operator.pos,
  "~": operator.invert,
  "not": operator.not_,
  "truth": operator.truth,
}


class Node:
  def __init__(self, op, left=None, right=None, value=0):
    self.op, self.left, self.right, self.value = op, left, right, value


def number(value):
  return Node("number", value=value)


@pytest.mark.parametrize("op", [*ARITHMETIC, *COMPARISONS, *BITWISE])
def test_functions_of_operator(op):
  apply = {**ARITHMETIC, **COMPARISONS, **BITWISE}[op]

  def build(recursive):
    @recursive
    def visit(n):
      if n.left is None:
        return n.value
      found = apply(visit(n.left), visit(n.right))
      return 1 if found is True else 0 if found is False else int(found)

    return visit

  def calls():
    inner = Node(op, number(7), number(2))
    return [(Node(op, inner, number(3)),), (number(4),), (Node(op, number(5), number(0)),)]

  agrees(build, calls)


def test_a_table_of_operators():
  table = {name: ARITHMETIC[name] for name in ("+", "-", "*")}

  def build(recursive):
    @recursive
    def value(n):
      if n.left is None:
        return n.value
      return table[n.op](value(n.left), value(n.right))

    return value

  inner = Node("-", number(7), Node("*", number(2), number(5)))
  agrees(build, lambda: [(Node("+", inner, number(3)),), (number(4),)], CONVERTED)


def test_an_operator_that_is_not_in_the_table():
  def build(recursive):
    @recursive
    def value(n):
      if n.left is None:
        return n.value
      return ARITHMETIC.get(n.op, lambda a, b: a * 100 + b)(value(n.left), value(n.right))

    return value

  agrees(build, lambda: [(Node("?", number(7), number(2)),), (Node("+", number(1), number(2)),)])


@pytest.mark.parametrize("op", UNARY)
@pytest.mark.parametrize("value", [3, 0, 2.5, True])
@pytest.mark.filterwarnings("ignore:Bitwise inversion:DeprecationWarning")
def test_functions_of_one_operand(op, value):
  apply = UNARY[op]

  def build(recursive):
    @recursive
    def visit(n):
      if n.left is None:
        return apply(n.value)
      return visit(n.left), visit(n.right), apply(value)

    return visit

  agrees(build, lambda: [(Node(op, number(value), number(value)),), (number(value),)])


@pytest.mark.parametrize("is_same", [operator.is_, operator.is_not])
def test_identity_by_a_function(is_same):
  def build(recursive):
    @recursive
    def visit(n):
      if is_same(n.left, None):
        return n.value
      return visit(n.left) + (visit(n.right) if is_same(n.left, n.right) else 10)

    return visit

  twice = number(3)
  agrees(build, lambda: [(Node("", twice, twice),), (Node("", twice, number(4)),), (twice,)])


def by_test(op, a, b):
  if op is None:
    raise ValueError("unknown operator")
  return op(a, b)


def by_truth(op, a, b):
  return op(a, b) if op else a * 100 + b


def by_call(op, a, b):
  return op(a, b)


@pytest.mark.parametrize("use", [by_test, by_truth, by_call])
def test_a_table_that_may_have_no_operator(use):
  def build(recursive):
    log = []

    @recursive
    def value(n):
      log.append(n.value)
      if n.left is None:
        return n.value
      op = ARITHMETIC.get(n.op)
      return use(op, value(n.left), value(n.right))

    return value, [log]

  inner = Node("-", number(7), Node("*", number(2), number(5)))
  known, unknown = Node("+", inner, number(3)), Node("+", Node("?", number(1), number(2)), inner)
  agrees(build, lambda: [(known,), (number(4),), (unknown,), (known,)])
