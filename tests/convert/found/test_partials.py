"""`functools.partial` made in the run, with keywords."""

import functools

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, of_one

WEIGHT = tf.Variable(2.0)


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)

  def scaled(self, x, by=2.0, *, plus=0.0):
    return self.v * x * by + plus


def scaled(x, by=1.0, *, plus=0.0):
  return x * by + plus


def calls():
  yield (Node(1.0, Node(2.0), Node(3.0, Node(0.5))),)
  yield (Node(2.0),)
  yield (Node(0.0, Node(1.0, Node(2.0, Node(3.0)))),)


def by_keyword(f, n):
  weighted = functools.partial(scaled, by=n.v)
  return tf.add_n([weighted(WEIGHT), *map(f, n.kids)])


def of_a_method(f, n):
  plus_one = functools.partial(n.scaled, plus=1.0)
  return plus_one(2.0) + sum(map(f, n.kids), 0.0)


def of_another(f, n):
  first = functools.partial(scaled, 1.0, plus=n.v)
  second = functools.partial(first, plus=5.0)
  third = functools.partial(second, 3.0)
  found = [third(), second(by=2.0), first(4.0, plus=1.0)]
  return found + [x for k in n.kids for x in f(k)]


def key_of_max(f, n):
  def negated(node, by=1.0):
    return node.v * by

  return f(max(n.kids, key=functools.partial(negated, by=-1.0))) if n.kids else n.v


def keywords_of_a_dict(f, n):
  keywords = {"by": n.v}
  found = functools.partial(scaled, **keywords)
  keywords["by"] = 100.0
  return found(1.0) + sum(f(k) for k in n.kids)


def unknown_keyword(f, n):
  return functools.partial(scaled, bye=n.v)(1.0)


def of_no_function(f, n):
  functools.partial(n.v, by=1.0)
  return 1.0


def agree(program, expect):
  agrees(of_one(program), lambda: list(calls()), expect)


@pytest.mark.parametrize(
  "program", [by_keyword, of_a_method, of_another, key_of_max, keywords_of_a_dict]
)
def test_is_what_it_is_in_python(program):
  agree(program, CONVERTED)


def test_it_may_be_an_argument_of_the_recursion():
  def build(recursive):
    @recursive
    def f(n, then=None):
      then = then or functools.partial(scaled, by=1.0)
      return then(n.v) + sum([f(k, functools.partial(scaled, by=n.v, plus=1.0)) for k in n.kids])

    return f

  agrees(build, lambda: list(calls()), CONVERTED)


@pytest.mark.parametrize("program", [unknown_keyword, of_no_function])
def test_what_python_refuses_is_an_error(program):
  agree(program, Reason.NO_BASE_CASE)
