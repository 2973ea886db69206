"""`is` of what a node holds and of an object that the program knows."""

import enum
import functools
import math
import operator

import numpy as np
import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees


class Node:
  def __init__(self, v, held=None, *kids):
    self.v, self.held, self.kids = v, held, list(kids)


class Kind(enum.Enum):
  A = 1
  B = 2


def one(x):
  return x


def two(x):
  return x


PAIRS = {  # An object that the program asks for, and another one like it.
  "class": (Node, Kind),
  "builtin class": (int, str),
  "function": (one, two),
  "builtin function": (len, max),
  "function of operator": (operator.add, operator.sub),
  "lambda": (lambda x: x, lambda x: x),
  "bound method": (Node(1).__init__, Node(2).__init__),
  "partial": (functools.partial(one), functools.partial(two)),
  "dtype": (tf.float32, tf.int32),
  "layer": (tf.keras.layers.Dense(2), tf.keras.layers.Dense(2)),
  "module": (math, operator),
  "member": (Kind.A, Kind.B),
  "node": (Node(1), Node(1)),
  "object": (object(), object()),
  "ellipsis": (..., NotImplemented),
  "list": ([1], [1]),
  "tuple": ((1, 2), (1, 3)),
}

ARRAYS = {
  "tensor": (tf.constant([1.0]), tf.constant([1.0])),
  "variable": (tf.Variable([1.0]), tf.Variable([1.0])),
  "array": (np.array([1.0]), np.array([1.0])),
  "NumPy scalar": (np.float32(1), np.float32(1)),
}


def held(wanted):
  def ask(recursive):
    @recursive
    def count(n):
      found = 1 if n.held is wanted else 10
      return found + sum([count(kid) for kid in n.kids])

    return count

  return ask


def held_not(wanted):
  def ask(recursive):
    @recursive
    def count(n):
      found = 0
      if n.held is not wanted:
        found += n.v
      return found + sum([count(kid) for kid in n.kids])

    return count

  return ask


def argument(wanted):
  def ask(recursive):
    @recursive
    def count(n, looked_for):
      found = 1 if looked_for is n.held else 10
      return found + sum([count(kid, looked_for) for kid in n.kids])

    return count

  return ask


def looked_up(wanted):
  table = {1: wanted, 2: wanted, 3: None, 4: wanted}

  def ask(recursive):
    @recursive
    def count(n):
      found = 1 if table[n.v] is wanted else 10
      found += 100 if table[n.v] is n.held else 1000
      return found + sum([count(kid) for kid in n.kids])

    return count

  return ask


def result(wanted):
  def ask(recursive):
    @recursive
    def find(n):
      if not n.kids:
        return wanted
      return n.v if find(n.kids[0]) is wanted else -n.v

    return find

  return ask


@pytest.mark.parametrize("ask", [held, held_not, argument, looked_up, result])
@pytest.mark.parametrize("kind", [*PAIRS, *ARRAYS])
def test_is_agrees(kind, ask):
  wanted, other = {**PAIRS, **ARRAYS}[kind]
  more = (wanted,) if ask is argument else ()

  def calls():
    return [
      (Node(1, wanted, Node(2, other), Node(3, wanted, Node(4, other))), *more),
      (Node(2, other), *more),
      (Node(3, wanted, Node(4), Node(2, other)), *more),
    ]

  agrees(ask(wanted), calls, CONVERTED if ask is held and kind in PAIRS else None)
