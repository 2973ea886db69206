"""A method that only some classes have: `getattr(self, "visit_" + type(x).__name__, None)`."""

import pytest

from tests.convert.agreement import CONVERTED, agrees


class Item:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


class Num(Item):
  pass


class Add(Item):
  pass


class Seq(Item):
  pass


class Neg(Item):
  pass


def of_class(ask):
  """Returns a builder of a visitor that does `ask(self, node)` to find the method."""

  def build(recursive):
    class Visitor:
      def __init__(self):
        self.count = 0

      @recursive
      def visit(self, node):
        self.count += 1
        method = ask(self, node)
        if method is None:
          return sum(self.visit(kid) for kid in node.kids)
        return method(node)

      def visit_Num(self, node):
        return node.v

      def visit_Add(self, node):
        return self.visit(node.kids[0]) + self.visit(node.kids[1])

    visitor = Visitor()

    @recursive
    def run(node):
      return visitor.visit(node), visitor.count

    return run

  return build


def by_getattr(self, node):
  return getattr(self, "visit_" + type(node).__name__, None)


def by_format(self, node):
  return getattr(self, f"visit_{type(node).__name__}", None)


def by_table(self, node):
  return {Num: self.visit_Num, Add: self.visit_Add}.get(type(node))


def trees():
  return [
    (Num(3),),
    (Seq(0),),
    (Add(0, Num(1), Num(2)),),
    (Seq(0, Add(0, Num(3), Neg(1, Num(4))), Num(5), Seq(1)),),
  ]


@pytest.mark.parametrize("ask", [by_getattr, by_format])
def test_a_method_or_none(ask):
  agrees(of_class(ask), trees, CONVERTED)


def test_a_method_or_none_of_a_table():
  agrees(of_class(by_table), trees)


def test_what_has_no_method_raises():
  def build(recursive):
    class Visitor:
      @recursive
      def visit(self, node):
        method = getattr(self, "visit_" + type(node).__name__, None)
        if method is None:
          raise SyntaxError(type(node).__name__)
        return method(node)

      def visit_Num(self, node):
        return node.v

      def visit_Seq(self, node):
        return [self.visit(kid) for kid in node.kids]

    return Visitor().visit

  agrees(build, lambda: [(Num(1),), (Seq(0, Num(2)),), (Seq(0, Num(2), Neg(3)),), (Num(4),)])


def test_none_is_called_as_in_python():
  def build(recursive):
    class Visitor:
      @recursive
      def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__, None)(node)

      def visit_Num(self, node):
        return node.v

      def visit_Neg(self, node):
        return -self.visit(node.kids[0])

    return Visitor().visit

  agrees(
    build, lambda: [(Num(1),), (Neg(0, Num(2)),), (Neg(0, Seq(1)),), (Neg(0, Neg(0, Num(1))),)]
  )
