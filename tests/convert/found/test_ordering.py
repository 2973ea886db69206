"""`sorted`, `max` and `min` with a key, and methods that change the order of a list."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, Node, agrees, root
from tests.convert.found.collected import collector

PROGRAMS, program = collector()


def trees():
  many = [Node(v, v % 2 == 0, name) for v, name in zip([3, 1, 2, 3, 1], "abcde", strict=True)]
  return [(root(),), (Node(9, True, "r", *many),), (Node(4, False, "x"),), (many[0],)]


@pytest.mark.parametrize(("build", "expect", "calls"), PROGRAMS)
def test_order_is_as_in_python(build, expect, calls):
  agrees(build, trees, expect=expect)


@program(CONVERTED)
def children_by_a_number(recursive):
  @recursive
  def f(n):
    total = 0
    for k in sorted(n.kids, key=lambda k: k.v):
      total = total * 10 + k.v * 2 + k.flag
    return total + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def equal_ones_stay_in_order_backwards(recursive):
  @recursive
  def f(n):
    found = sorted(n.kids, key=lambda k: k.v, reverse=True)
    for k in n.kids:
      f(k)
    total = len(found)
    for k in found:
      total = total * 10 + k.v * 2 + k.flag
    return total

  return f


@program(CONVERTED)
def by_what_the_call_gives(recursive):
  @recursive
  def f(n):
    scores = sorted([(f(k), k.v) for k in n.kids], key=lambda pair: -pair[0])
    total = n.v
    for score, v in scores:
      total = total * 3 + score - v
    return total

  return f


@program(CONVERTED)
def tensors_by_a_float(recursive):
  @recursive
  def f(n):
    rows = sorted([(k.v / 2, tf.ones([2]) * k.v) for k in n.kids], key=lambda pair: pair[0])
    total = tf.zeros([2])
    for weight, row in rows:
      total = total * 2.0 + row * weight
    for k in n.kids:
      total += f(k)
    return total

  return f


@program(CONVERTED)
def the_first_of_the_largest(recursive):
  @recursive
  def f(n):
    if not n.kids:
      return n.v
    best = max(n.kids, key=lambda k: k.v)
    worst = min(n.kids, key=lambda k: k.v)
    return f(best) * 100 + f(worst) + len(best.name)

  return f


@program(None)
def of_nothing(recursive):
  @recursive
  def f(n):
    for k in n.kids:
      f(k)
    return max(n.kids, key=lambda k: k.v).v

  return f


@program(None)
def by_strings(recursive):
  @recursive
  def f(n):
    return [k.name for k in sorted(n.kids, key=lambda k: k.name)], [f(k) for k in n.kids]

  return f


@program(CONVERTED)
def constants_by_a_key(recursive):
  @recursive
  def f(n):
    total = n.v
    for i, w in sorted([(1, "b"), (0, "a"), (2, "b")], key=lambda pair: pair[1], reverse=True):
      total = total * 2 + i + len(w)
    return total + sum(f(k) for k in n.kids)

  return f


@program(CONVERTED)
def a_local_list_is_turned_and_emptied(recursive):
  @recursive
  def f(n):
    xs = []
    for k in n.kids:
      xs.append(f(k))
    same = xs.copy()
    xs.reverse()
    xs.insert(0, 5)
    xs.insert(-1, 6)
    xs.insert(100, 7)
    xs.insert(-100, 8)
    total = n.v
    for x in xs:
      total = total * 3 + x
    xs.clear()
    xs.append(total % 1000)
    return xs[0] + len(xs) + len(same)

  return f


@program(CONVERTED)
def a_list_outside_is_turned(recursive):
  seen = []

  @recursive
  def f(n):
    for k in n.kids:
      f(k)
      seen.append(k.v)
    if len(seen) > 1:
      seen.reverse()
    return seen[0] if seen else 0

  return f, [seen]


@program(CONVERTED)
def a_list_outside_is_emptied(recursive):
  class Holder:
    pass

  holder = Holder()
  holder.seen = [tf.ones([2])]
  kept = holder.seen

  @recursive
  def f(n):
    holder.seen.clear()
    for k in n.kids:
      f(k)
      holder.seen += [tf.ones([2]) * k.v]
    return len(holder.seen)

  return f, [holder, kept]


@program(CONVERTED)
def a_list_outside_is_added_to(recursive):
  seen = [1]

  @recursive
  def f(n):
    nonlocal seen
    seen += [k.v for k in n.kids]
    seen += (n.v,)
    for k in n.kids:
      f(k)
    return len(seen)

  return f, [seen]


@pytest.mark.parametrize("order", [max, min, sorted])
def test_an_order_by_truths(order):
  def build(recursive):
    log = []

    @recursive
    def pick(n):
      if not n.kids:
        return n.v
      found = order(n.kids, key=lambda kid: kid.v > 2)
      first = found[0] if order is sorted else found
      log.append(first.v)
      return first.v + sum([pick(kid) for kid in n.kids])

    return pick, [log]

  agrees(build)
