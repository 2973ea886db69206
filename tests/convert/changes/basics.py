"""Small programs with all that programs read from around them, of every kind of place."""

import collections
import dataclasses
import enum
import functools
import math
import typing

import tensorflow as tf

SCALE = 2
TABLE = {"a": 1.0, "b": 2.0}
W = tf.Variable([[1.0, 2.0], [3.0, 4.0]])


class Kind(enum.Enum):
  LEAF = 1
  NODE = 2


class Node:
  weight = 3

  def __init__(self, v, left=None, right=None, kind=Kind.LEAF):
    self.v, self.left, self.right, self.kind = v, left, right, kind

  def value(self):
    return self.v * self.weight

  @property
  def is_leaf(self):
    return self.left is None

  @staticmethod
  def twice(x):
    return 2 * x

  @classmethod
  def bias(cls):
    return cls.weight + 1


def tree():
  return Node(1, Node(2), Node(3, Node(4), Node(5), Kind.NODE), Kind.NODE)


@dataclasses.dataclass
class Data:
  v: float
  kids: list = dataclasses.field(default_factory=list)
  name: str = "a"


def data():
  return Data(1.0, [Data(2.0, name="b"), Data(3.0, [Data(4.0)], "b")])


class Pair(collections.namedtuple("Pair", "v left right")):
  __slots__ = ()

  def total(self):
    return self.v + 1


def pair():
  return Pair(1, Pair(2, None, None), Pair(3, None, Pair(4, None, None)))


class Slotted:
  __slots__ = ("v", "next")

  def __init__(self, v, next=None):
    self.v, self.next = v, next


def calls_methods():
  yield (tree(),)
  yield (tree(),)


def build_methods(recursive):
  @recursive
  def f(n):
    if n.is_leaf:
      return n.value() + Node.twice(n.v) + n.bias()
    return n.value() * SCALE + f(n.left) + f(n.right)

  return f


def calls_kinds():
  yield (tree(),)
  yield (tree(),)


def build_kinds(recursive):
  @recursive
  def f(n):
    if n.kind is Kind.LEAF:
      return n.v + n.kind.value
    if n.kind == Kind.NODE:
      return f(n.left) + f(n.right) + len(n.kind.name)
    return 0

  return f


def calls_kids():
  yield (data(),)
  yield (data(),)


def build_kids(recursive):
  @recursive
  def f(n, factor=1.5):
    return TABLE[n.name] * n.v * factor + sum(f(k) for k in n.kids)

  return f


def calls_truth():
  yield (tree(),)
  yield (tree(),)


def build_truth(recursive):
  @recursive
  def f(n):
    if not n:
      return 0
    return n.v + f(n.left) + f(n.right)

  return f


def calls_made():
  yield (tree(),)
  yield (tree(),)


def build_made(recursive):
  @recursive
  def f(n):
    if n is None:
      return None
    return Node(n.v + 1, f(n.left), f(n.right))

  return f


def calls_made_inside():
  yield (tree(),)
  yield (tree(),)


def build_made_inside(recursive):
  @recursive
  def f(n):
    if n is None:
      return 0
    m = Node(n.v + 1)
    m.v += 1
    return m.value() + m.twice(1) + f(n.left) + f(n.right)

  return f


def calls_pairs():
  yield (pair(),)
  yield (pair(),)


def build_pairs(recursive):
  @recursive
  def f(p):
    if p is None:
      return 0
    v, left, _ = p
    return p.total() + f(left) + f(p.right)

  return f


def calls_chain():
  yield (Slotted(1, Slotted(2, Slotted(3))),)
  yield (Slotted(1, Slotted(2, Slotted(3))),)


def build_chain(recursive):
  @recursive
  def f(s):
    if s is None:
      return 0
    return s.v + f(s.next)

  return f


def calls_types():
  yield (tree(),)
  yield (data(),)


def build_types(recursive):
  @recursive
  def f(n):
    if isinstance(n, Data):
      return n.v + sum([f(k) for k in n.kids])
    if isinstance(n, Node):
      return n.v + f(n.left) + f(n.right)
    return 0

  return f


def calls_vectors():
  yield (tree(),)
  yield (tree(),)


def build_vectors(recursive):
  @recursive
  def f(n):
    if n.left is None:
      return tf.tanh(W[n.v % 2] * math.sqrt(n.v))
    return tf.linalg.matvec(W, f(n.left)) + f(n.right)

  return f, [W]


def calls_changes():
  yield (tree(),)
  yield (tree(),)


def build_changes(recursive):
  seen = []

  @recursive
  def f(n):
    if n is None:
      return 0
    n.v = n.v + 1
    n.depth = max(f(n.left), f(n.right)) + 1
    seen.append(n.v)
    return n.depth

  return f, [seen]


def calls_getters():
  yield (tree(),)
  yield (tree(),)


def build_getters(recursive):
  @recursive
  def f(n):
    if n is None:
      return 0
    extra = getattr(n, "extra", 1)
    if hasattr(n, "more"):
      extra += 10
    return n.v + extra + f(n.left) + f(n.right)

  return f


def build_equal(recursive):
  root = Node(5)

  @recursive
  def f(n, other):
    if n is None:
      return 0
    hit = 1 if n == other else 0
    return hit + f(n.left, other) + f(n.right, other)

  return f, [root]


def calls_equal():
  t = tree()
  yield (t, t.left)
  t = tree()
  yield (t, t.right)


class Rates(typing.NamedTuple):
  """A named tuple with a default, a method and a property."""

  slow: float = 0.5
  fast: float = 2.0

  def mean(self):
    return (self.slow + self.fast) / 2

  @property
  def total(self):
    return self.slow + self.fast


def calls_tuples():
  yield (tree(),)
  yield (tree(),)


def build_tuples(recursive):
  rates = Rates(0.25)

  @recursive
  def f(n):
    if n is None:
      return 0.0
    made = Rates(n.v)
    slow, fast = made
    found = made.mean() + made.total + rates.mean() + rates.fast + slow * fast + made[1]
    return found + (1 if made == rates else 2) + (3 if made else 4) + len(made) + f(n.left)

  return f, [lambda: rates]


def calls_partial():
  yield (tree(),)
  yield (tree(),)


def build_partial(recursive):
  def scaled(x, by=2):
    return x * by

  triple = functools.partial(scaled, by=3)

  @recursive
  def f(n):
    return 0 if n is None else triple(n.v) + f(n.left) + f(n.right)

  return f
