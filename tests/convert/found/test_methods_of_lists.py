"""`sort`, `count` and `index` of lists that a run makes, and `math.isclose`."""

import itertools
import math

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, Node, agrees, bushy, lopsided, root


def trees():
  return [(Node(7, True, "l"),), (root(),), (lopsided(),), (bushy(),)]


_LISTS = {
  "numbers": lambda n: [k.v % 2 for k in n.kids],
  "made": lambda n: [k.v * 0.5 for k in n.kids] + [n.v * 0.5],
  "names": lambda n: [k.name for k in n.kids],
  "one string": lambda n: ["a" for _ in n.kids],
  "flags": lambda n: [k.flag for k in n.kids],
  "nodes": lambda n: list(n.kids),
  "known": lambda n: [n.v, 2, 3, n.v],
  "heap": lambda n: n.kids,
}
_SOUGHT = {
  "int": lambda n: 1,
  "float": lambda n: n.v * 0.5,
  "name": lambda n: n.name,
  "constant": lambda n: "a",
  "flag": lambda n: n.flag,
  "node": lambda n: n.kids[0] if n.kids else n,
  "number": lambda n: n.v,
}


def counted(xs, x):
  return xs.count(x)


def first(xs, x):
  return xs.index(x) if x in xs else -1


@pytest.mark.parametrize("kind, sought", list(itertools.product(_LISTS, _SOUGHT)))
def test_elements_are_counted_and_found(kind, sought):
  def build(recursive):
    @recursive
    def visit(n):
      xs, x = _LISTS[kind](n), _SOUGHT[sought](n)
      return counted(xs, x) * 100 + first(xs, x) + sum([visit(k) for k in n.kids])

    return visit

  alike = [("numbers", "int"), ("made", "float"), ("names", "name"), ("nodes", "node")]
  agrees(build, trees, expect=CONVERTED if (kind, sought) in alike else None)


def test_what_is_not_there_has_no_index():
  def build(recursive):
    @recursive
    def visit(n):
      return [k.v for k in n.kids].index(3) + sum([visit(k) for k in n.kids if k.kids])

    return visit

  agrees(build, trees)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("key", [None, lambda x: -x, lambda x: x % 3])
def test_lists_are_sorted(key, reverse):
  def build(recursive):
    @recursive
    def visit(n):
      xs = [n.v * 2 % 5] + [k.v for k in n.kids]
      ys = xs
      if key is None:
        xs.sort(reverse=reverse)
      else:
        xs.sort(key=key, reverse=reverse)
      return ys + [v for k in n.kids for v in visit(k)]

    return visit

  agrees(build, trees, expect=CONVERTED)


def test_a_key_that_uses_the_list():
  def build(recursive):
    @recursive
    def visit(n):
      xs = [k.v for k in n.kids]
      xs.sort(key=lambda x: x * (len(xs) - 1))
      return xs + [v for k in n.kids for v in visit(k)]

    return visit

  agrees(build, trees, expect=Reason.EFFECT_ORDER)


@pytest.mark.parametrize("a", [0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-12, 3])
@pytest.mark.parametrize("options", [{}, {"rel_tol": 0.5}, {"abs_tol": 1e-9}, {"rel_tol": -1.0}])
def test_what_is_close(a, options):
  def build(recursive):
    @recursive
    def visit(n):
      return [math.isclose(a, n.v, **options)] + [u for k in n.kids for u in visit(k)]

    return visit

  others = [0.0, 1.0 + 1e-12, -1.5, math.inf, -math.inf, math.nan, 3.0]
  agrees(build, lambda: [(Node(b, True, "", Node(0.25, True, "")),) for b in others])


def test_states_are_accumulated():
  def build(recursive):
    @recursive
    def encode(n):
      own = tf.fill([2], float(n.v))
      return own + tf.math.accumulate_n([encode(k) for k in n.kids]) if n.kids else own

    return encode

  agrees(build, trees, expect=CONVERTED)
