"""What special methods may return: where Python raises, the program does."""

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, visiting


def classes(name, method):
  """Returns a class of nodes with a special method of its own, and one of other objects."""

  class Own:
    def __init__(self, v, *kids):
      self.v, self.kids, self.flag = v, list(kids), v > 0

  class Other:
    def __init__(self, node):
      self.node, self.v, self.kids, self.flag = node, node.v, node.kids, node.flag

  setattr(Own, name, method)
  setattr(Other, name, method)
  return Own, Other


BOOLS = {
  "bool": lambda self: self.v > 2,
  "attribute": lambda self: self.flag,
  "constant": lambda self: False,
  "int": lambda self: 1,
  "int of the run": lambda self: self.v,
  "none": lambda self: None,
  "list": lambda self: self.kids,
  "text": lambda self: "yes",
  "list or bool": lambda self: self.kids and True,
  "length": lambda self: len(self.kids),
  "tensor": lambda self: tf.constant(True),
  "numpy": lambda self: np.bool_(True),
}
LENGTHS = {
  "int": lambda self: 2,
  "int of the run": lambda self: self.v + 1,
  "of children": lambda self: len(self.kids),
  "bool": lambda self: self.flag,
  "negative": lambda self: -1,
  "negative in the run": lambda self: self.v - 2,
  "float": lambda self: 1.5,
  "float of the run": lambda self: self.v / 2,
  "text": lambda self: "ab",
  "none": lambda self: None,
}


def check(name, method, ask, of_nodes, expect=None):
  own, other = classes(name, method)

  def tree():
    return own(3, own(1), own(4, own(2), own(0)))

  def ask_one(n, visit):
    return ask(n if of_nodes else other(n))

  agrees(visiting(ask_one), lambda: [(tree(),), (own(5),), (tree(),)], expect)


@pytest.mark.parametrize("of_nodes", [True, False])
@pytest.mark.parametrize("method", BOOLS)
def test_a_truth_is_a_bool(method, of_nodes):
  expect = CONVERTED if method in ("bool", "attribute", "constant") else None
  check("__bool__", BOOLS[method], lambda n: 1 if n else 2, of_nodes, expect)


@pytest.mark.parametrize("of_nodes", [True, False])
@pytest.mark.parametrize("ask", [len, lambda n: 1 if not n else 2])
@pytest.mark.parametrize("method", LENGTHS)
def test_a_length_is_an_int_and_not_negative(method, ask, of_nodes):
  expect = CONVERTED if method in ("int", "int of the run", "of children", "bool") else None
  check("__len__", LENGTHS[method], ask, of_nodes, expect)


@pytest.mark.parametrize("result", [None, 0, "x"])
def test_what_makes_an_object_returns_none(result):
  class Box:
    def __init__(self, v):
      self.v = v
      return result

  def build(recursive):
    @recursive
    def visit(n):
      return Box(n.v).v + sum(visit(kid) for kid in n.kids)

    return visit

  agrees(build)
