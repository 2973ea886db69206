"""Dicts that the program makes by known keys, looked into by what the run finds."""

import operator

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, of_one

WEIGHT = tf.Variable(2.0)


class Node:
  def __init__(self, op, *kids, v=None):
    self.op, self.kids, self.v = op, list(kids), v

  def scaled(self, x):
    return x * (self.v or 4.0)


def leaf(v):
  return Node("leaf", v=v)


def calls():
  """Returns trees with operators that all dicts have, that some have, and None."""
  yield (Node("+", leaf(1.0), Node("*", leaf(2.0), leaf(3.0))),)
  yield (Node("*", Node("-", leaf(1.0), leaf(5.0)), Node("+", leaf(2.0), leaf(3.0))),)
  yield (leaf(4.0),)
  yield (Node("%", leaf(1.0), leaf(2.0)),)
  yield (Node(None, leaf(1.0), leaf(2.0)),)
  yield (Node("-", leaf(2.5)),)


def lambdas(f, n):
  ops = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "-": operator.sub}
  return WEIGHT * n.v if n.op == "leaf" else ops[n.op](f(n.kids[0]), f(n.kids[-1]))


def with_a_default(f, n):
  ops = {"+": lambda a, b: a + b, "*": tf.multiply}
  if n.op == "leaf":
    return WEIGHT * n.v
  return ops.get(n.op, lambda a, b: a - b)(f(n.kids[0]), f(n.kids[-1]))


def asked_for(f, n):
  ops = {"+": operator.add, "*": operator.mul}
  fn = ops.get(n.op)
  if fn is None:
    return n.v if n.v is not None else 7.0
  return fn(f(n.kids[0]), f(n.kids[1]))


def by_membership(f, n):
  ops = {"+": operator.add, "*": operator.mul}
  if n.op not in ops:
    return n.v if n.v is not None else 7.0
  return ops[n.op](*[f(k) for k in n.kids])


def nested_functions(f, n):
  if n.op == "leaf":
    return n.v

  def add():
    return f(n.kids[0]) + f(n.kids[-1])

  def sub():
    return f(n.kids[0]) - f(n.kids[-1])

  return {"+": add, "-": sub, "*": lambda: f(n.kids[0]) * f(n.kids[1])}[n.op]()


def filled(f, n):
  ops = dict(zip("+*", (sum, max), strict=True))
  ops["-"] = min
  return n.v if n.op == "leaf" else ops[n.op]([f(k) for k in n.kids])


def in_tuples(f, n):
  if n.op == "leaf":
    return n.v
  table = {"+": (1, operator.add), "*": (2, operator.mul), "-": (3, operator.sub)}
  rank, fn = table[n.op]
  return fn(f(n.kids[0]), f(n.kids[-1])) + rank


def closures_and_methods(f, n):
  def scaled(c):
    return lambda x: x * c

  ops = {"+": scaled(2.0), "*": scaled(n.v or 3.0), "-": n.scaled}
  return n.v if n.op == "leaf" else ops[n.op](f(n.kids[0]))


def with_effects(f, n):
  log = []

  def one(x):
    log.append("one")
    return x + 1

  def two(x):
    log.append("two")
    return x * 2

  if n.op == "leaf":
    return [str(n.v)]
  found = {"+": one, "*": two, "-": one}[n.op](len(n.kids))
  return [*log, str(found), *f(n.kids[0])]


def by_length(f, n):
  ops = {1: lambda a: -a, 2: lambda a, b: a * b}
  return n.v if n.op == "leaf" else ops[len(n.kids)](*[f(k) for k in n.kids])


def values_of_kinds(f, n):
  table = {"+": 1, "*": 2.5, "-": "x", None: None}
  return "leaf" if n.op == "leaf" else table[n.op]


def keys_of_kinds(f, n):
  table = {1: 10, "leaf": 20, 2: 30}
  key = n.op if n.op == "leaf" else len(n.kids)
  return [table[key], *(x for k in n.kids for x in f(k))]


def by_a_bool(f, n):
  table = {True: "yes", False: "no"}
  return table[n.op == "leaf"] + "".join(f(k) for k in n.kids)


def by_equal_numbers(f, n):
  table = {True: 1, 0: 2, 2.5: 3}
  return table.get(n.v, 5) + table[len(n.kids) // 2] + sum(f(k) for k in n.kids)


def changed_later(f, n):
  table = {"+": 1, "*": 2.5}
  found = table.get(n.op, 0)
  table["q"] = 3
  return found + len(table) + sum(f(k) for k in n.kids)


WHOLLY = [with_a_default, asked_for, by_membership, by_length, keys_of_kinds, by_a_bool]
WHOLLY += [by_equal_numbers, changed_later]
RAISES = [lambdas, nested_functions, filled, in_tuples, closures_and_methods, with_effects]
RAISES += [values_of_kinds]


def agree(program, expect):
  agrees(of_one(program), lambda: list(calls()), expect)


@pytest.mark.parametrize("program", WHOLLY)
def test_an_item_is_chosen(program):
  agree(program, CONVERTED)


@pytest.mark.parametrize("program", RAISES)
def test_a_missing_key_is_an_error(program):
  agree(program, Reason.CHECK_FAILED)
