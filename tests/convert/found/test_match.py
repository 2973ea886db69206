"""`match`: patterns of values, classes and attributes, with guards."""

import dataclasses

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees
from tests.convert.found.collected import collector

programs, program = collector()


@dataclasses.dataclass
class Num:
  v: int


@dataclasses.dataclass
class Add:
  left: object
  right: object


class Neg:
  __match_args__ = ("inner",)

  def __init__(self, inner):
    self.inner = inner


class Bin:
  def __init__(self, op, left, right):
    self.op, self.left, self.right = op, left, right


class Counting:
  """Counts how often its attribute is read."""

  def __init__(self, v, log):
    self._v, self.log, self.reads = v, log, 0

  @property
  def v(self):
    self.reads += 1
    return self._v


def expression():
  deep = Bin("*", Num(0), Add(Num(5), Bin("+", Num(-2), Num(7))))
  return Add(Num(3), Neg(Bin("-", deep, Add(Num(1), Neg(Num(9))))))


def calls():
  return [(expression(),), (Num(4),), (Add(Num(1), Num(2)),), (Neg(Bin("/", Num(1), Num(0))),)]


@program(CONVERTED, calls)
def classes_and_their_attributes(recursive):
  @recursive
  def value(e):
    match e:
      case Num(v):
        return v
      case Add(left, right):
        return value(left) + value(right)
      case Neg(inner=x):
        return -value(x)
      case Bin(op="*", left=a, right=b):
        return value(a) * value(b)
      case Bin():
        return value(e.left) - value(e.right)

  return value


@program(CONVERTED, calls)
def nested_patterns_and_guards(recursive):
  @recursive
  def value(e):
    match e:
      case Bin(op="*", left=Num(v=0)):
        return 0
      case Num(v=x) if x > 4:
        return 100 + x
      case Num():
        return e.v
      case Add(left=Num(a), right=Num(b) as whole):
        return a * 10 + b + whole.v
      case Add(a, b):
        return value(a) + value(b)
      case Neg(x):
        return value(x) + 1
      case other:
        return value(other.left) + value(other.right)

  return value


@program(CONVERTED, calls)
def values_and_alternatives(recursive):
  @recursive
  def value(e):
    match e:
      case Num():
        return e.v
      case Neg():
        return value(e.inner)
      case Add():
        return value(e.left) + value(e.right)
    match e.op:
      case "+" | "-":
        factor = 1
      case "*":
        factor = 2
      case _:
        factor = 3
    return factor + value(e.left) * value(e.right)

  return value


@program(CONVERTED, calls)
def alternatives_of_classes(recursive):
  @recursive
  def size(e):
    match e:
      case Num(v=0) | Num(v=1) | Neg(inner=Num()):
        return 1
      case Num() | Neg():
        return 2
      case Add(left=a, right=b) if size(a) > 1:
        return 10 * size(b)
      case Add(left=a) | Bin(left=a) if size(a) > 5:
        return 7
      case _:
        return size(e.left) + size(e.right)

  return size


@program(CONVERTED, calls)
def names_in_alternatives(recursive):
  @recursive
  def size(e):
    match e:
      case Num():
        return 1
      case Neg(inner=x):
        return size(x)
      case Add(left=a, right=b) | Bin(left=a, right=b):
        return size(a) + size(b)

  return size


@program(CONVERTED, lambda: [(tree, n) for n in (0, 3, 7) for tree in (Num(n), expression())])
def numbers_none_and_truths(recursive):
  @recursive
  def value(e, n):
    match n:
      case 0:
        found = 5
      case 1 | 2 | 3:
        found = 6
      case int(k) if k > 6:
        found = k
      case _:
        found = 8
    match e:
      case Num(v=v):
        return found + v
      case Neg(x):
        return value(x, n)
      case _:
        return value(e.left, n) + found

  return value


@program(CONVERTED, calls)
def names_are_bound_though_the_guard_fails(recursive):
  @recursive
  def value(e):
    found = -1
    match e:
      case Num(v=found) if found > 3:
        found += 100
      case Neg(inner=x):
        found = value(x)
      case Add(a, b):
        found = value(a) * 2 + value(b)
    return found

  return value


@program(CONVERTED, calls)
def no_case_matches(recursive):
  @recursive
  def count(e):
    total = 1
    match e:
      case Add(a, b):
        total += count(a) + count(b)
      case Neg(x):
        total += count(x)
    return total

  return count


@program(CONVERTED, lambda: [(Counting(2, []),), (Counting(-3, []),)])
def each_attribute_is_read_once(recursive):
  @recursive
  def value(e):
    match e:
      case Counting(v=2):
        return 20
      case Counting(v=x) if x < 0:
        return x
      case Counting(v=x):
        return x * 2
    return 0

  return value


@program(CONVERTED, calls)
def match_in_a_loop_and_in_a_match(recursive):
  @recursive
  def total(e):
    found = 0
    for part in (e,):
      match part:
        case Num(v):
          match v:
            case 0:
              found += 1000
            case _:
              found += v
          continue
        case Neg(x):
          found -= total(x)
        case Add(a, b) | Bin(left=a, right=b):
          found += total(a) + total(b)
    return found

  return total


weight = tf.Variable([[0.5, -0.25], [0.125, 1.0]])


@program(CONVERTED, calls)
def states_of_nodes(recursive):
  @recursive
  def encode(e):
    match e:
      case Num(v=v):
        return tf.fill([1, 2], float(v))
      case Neg(x):
        return -encode(x)
      case _:
        return tf.tanh(encode(e.left) @ weight + encode(e.right))

  return encode


@program(CONVERTED, calls)
def names_in_alternatives_of_a_part(recursive):
  @recursive
  def value(e):
    match e:
      case Num(v):
        return v
      case Add(left=Num(x) | Neg(x), right=Num(v=2)):
        return 100
      case Neg(x):
        return value(x)
      case _:
        return value(e.left) + value(e.right)

  return value


@program(CONVERTED, calls)
def sequences(recursive):
  @recursive
  def value(e):
    match (e, 1):
      case (Num(v), 1):
        return v
      case _:
        return 0

  return value


@pytest.mark.parametrize(("build", "expect", "calls"), programs)
def test_a_match_is_pythons(build, expect, calls):
  agrees(build, calls, expect)
