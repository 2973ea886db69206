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


class Node:
  def __init__(self, op, left=None, right=None, value=0):
    self.op, self.left, self.right, self.value = op, left, right, value


def number(value):
  return Node("number", value=value)


@pytest.mark.parametrize("op", [*ARITHMETIC, *COMPARISONS])
def test_functions_of_operator(op):
  apply = {**ARITHMETIC, **COMPARISONS}[op]

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
