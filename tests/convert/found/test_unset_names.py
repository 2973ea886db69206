"""Variables that only some paths set: where one is read that is not, Python raises."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids, self.h = v, list(kids), tf.constant([float(v), 1.0])


class Box:
  def __init__(self, x):
    self.x = x


def trees():
  """Returns trees whose nodes set the variable (v > 2, and kids), and some of which do not."""
  full = Node(5, Node(4, Node(7)), Node(3))
  return [(full,), (Node(4, full, Node(6)),), (Node(5, Node(1), Node(3)),), (full,), (Node(2),)]


WHAT = {
  "int": lambda n: n.v * 2,
  "constant": lambda n: 3,
  "int or float": lambda n: n.v if n.v > 4 else 0.5,
  "bool": lambda n: n.v > 4,
  "tensor": lambda n: n.h * 2.0,
  "array of the node": lambda n: n.h,
  "node": lambda n: n,
  "node or None": lambda n: n.kids[0] if n.kids else None,
  "tuple": lambda n: (n.v, n.h),
  "string": lambda n: "a",
  "list": lambda n: [n.v],
  "list of the node": lambda n: n.kids,
  "object": lambda n: Box(n.v),
  "function": lambda n: len,
  "None": lambda n: None,
}


def shown(x):
  """Returns something to compare of what a variable is."""
  if isinstance(x, Node):
    return x.v
  if isinstance(x, Box):
    return x.x
  return x


def by_if(n, make):
  if n.v > 2:
    x = make(n)
  return x


def by_chain(n, make):
  if n.v > 6:
    x = make(n)
  elif n.v > 2:
    x = make(n.kids[0] if n.kids else n)
  return x


def by_loop(n, make):
  for kid in [n, *n.kids]:
    if kid.v > 2:
      x = make(kid)
  return x


def by_loop_variable(n, make):
  for kid in n.kids:  # noqa: B007 - read after the loop
    pass
  return make(kid) if n.kids else make(n)


def by_while(n, make):
  i = 2
  while i < n.v:
    x = make(n)
    i += 1
  return x


def by_two_tests(n, make):
  if n.v > 2:
    x = make(n)
  y = 1
  if n.v > 3:
    y = x
  return y if n.v > 3 else 0 if n.v < 3 else x


def by_closure(n, make):
  if n.v > 2:
    x = make(n)

  def inner():
    return x

  return inner()


def by_walrus(n, make):
  if n.v > 2 and (x := make(n)) is not n.kids:
    pass
  return x


HOW = [by_if, by_chain, by_loop, by_loop_variable, by_while, by_two_tests, by_closure, by_walrus]


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("is_returned", [True, False])
def test_a_variable_that_may_not_be_set(how, what, is_returned):
  make = WHAT[what]

  def build(recursive):
    log = []

    @recursive
    def visit(n):
      log.append(n.v)
      found = [visit(kid) for kid in n.kids]
      log.append(shown(how(n, make)) is None)
      log.append(len(found))
      return n.v + sum(found)

    @recursive
    def first(n):
      if n.kids:
        log.append(first(n.kids[0]) is None)
      return shown(how(n, make))

    return (first if is_returned else visit), [log]

  agrees(build, trees)


def test_what_is_set_wherever_it_is_read():
  def build(recursive):
    @recursive
    def value(n):
      if n.kids:
        best = max([value(kid) for kid in n.kids])
        last = n.kids[-1]
      if n.v > 4:
        bonus = 0.5
      found = best + last.v if n.kids else n.v
      return found + bonus if n.v > 4 else float(found)

    return value

  agrees(build, trees, CONVERTED)


def test_a_chain_without_else():
  def build(recursive):
    weight = tf.Variable([2.0, 3.0])

    @recursive
    def state(n):
      below = [state(kid) for kid in n.kids]
      if not n.kids:
        h = n.h
      elif len(n.kids) == 1:
        h = tf.tanh(below[0]) + n.h * weight
      elif len(n.kids) == 2:
        h = below[0] * below[1]
      return h

    return state, [weight]

  agrees(build, lambda: trees()[:4], CONVERTED, variables=lambda function, state: state)


@pytest.mark.parametrize("op", ["add", "append"])
def test_a_variable_is_changed_that_may_not_be_set(op):
  def build(recursive):
    log = []

    @recursive
    def count(n):
      for kid in n.kids:
        if kid.v > 3:
          total = count(kid)
        else:
          total += 1
        log.append(total)
      return n.v + (total if n.kids else 0)

    @recursive
    def listed(n):
      if n.v > 2:
        found = [n.v]
      for kid in n.kids:
        listed(kid)
        found.append(kid.v)
        log.append(len(found))
      return n.v

    return count if op == "add" else listed, [log]

  agrees(build, trees)
