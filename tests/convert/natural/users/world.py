"""The world changes between calls; dunder methods; configuration."""
import dataclasses
import types

import numpy as np
import tensorflow as tf


class Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, list(kids)


def t():
  return Node(2, Node(3, Node(1)), Node(4), Node(0, Node(5)))


SCALE = 2.0
CONFIG = {"op": "sum", "depth": 2}
VOCAB = {"a": 0, "b": 1}
STOP = ["x"]


def build_global_scale(recursive):
  @recursive
  def f(n):
    return n.v * SCALE + sum([f(k) for k in n.kids])
  return f
def calls_global_scale(state):
  global SCALE
  yield (t(),)
  SCALE = 3.5
  yield (t(),)
  SCALE = 4
  yield (t(),)
  SCALE = tf.constant(2.0)
  yield (t(),)


def build_global_dict(recursive):
  @recursive
  def f(n, d=0):
    if d >= CONFIG["depth"]:
      return n.v
    vals = [f(k, d + 1) for k in n.kids]
    if CONFIG["op"] == "sum":
      return n.v + sum(vals)
    return max(vals + [n.v])
  return f
def calls_global_dict(state):
  yield (t(),)
  CONFIG["op"] = "max"
  yield (t(),)
  CONFIG["depth"] = 1
  yield (t(),)
  CONFIG["depth"] = 0
  yield (t(),)


class W:
  def __init__(self, word, *kids):
    self.word, self.kids = word, kids


def build_vocab_grows(recursive):
  E = np.arange(12).reshape(4, 3).astype("float32")
  table = tf.Variable(E)

  @recursive
  def f(n):
    h = table[VOCAB.get(n.word, 3)]
    for k in n.kids:
      h = h * 0.5 + f(k)
    return h
  return f, [table]
def calls_vocab_grows(state):
  x = W("a", W("b"), W("c", W("a")))
  yield (x,)
  VOCAB["c"] = 2
  yield (x,)
  del VOCAB["a"]
  yield (x,)
  state[0].assign(state[0] * 2)
  yield (x,)


def build_vocab_written(recursive):
  vocab = {}

  @recursive
  def index(n):
    if n.word not in vocab:
      vocab[n.word] = len(vocab)
    n.id = vocab[n.word]
    for k in n.kids:
      index(k)
  return index, [vocab]
def calls_vocab_written(state):
  x = W("a", W("b"), W("c", W("a")))
  yield (x,)
  yield (W("d", W("b")),)


def build_stop_words(recursive):
  @recursive
  def count(n):
    c = 0 if n.word in STOP else 1
    return c + sum(count(k) for k in n.kids)
  return count
def calls_stop_words(state):
  x = W("a", W("b"), W("x", W("a")))
  yield (x,)
  STOP.append("a")
  yield (x,)
  STOP.clear()
  yield (x,)


class Counted:
  instances = 0
  weight = 1.5
  def __init__(self, *kids):
    self.kids = kids
  def cost(self):
    return self.weight + sum([k.cost() for k in self.kids])


class Heavy(Counted):
  weight = 4.0


class Doubled(Counted):
  def cost(self):
    return 2 * super().cost()


def build_class_attribute(recursive):
  @recursive
  def cost(n):
    return n.cost()
  return cost
def calls_class_attribute(state):
  x = Counted(Heavy(), Doubled(Heavy(), Counted()))
  yield (x,)
  Heavy.weight = 10.0
  yield (x,)
  x.kids[0].weight = 0.25
  yield (x,)
  Doubled.cost = lambda self: 1.0
  yield (x,)


def build_new_subclass(recursive):
  @recursive
  def size(n):
    if isinstance(n, Heavy):
      return 10 + sum(size(k) for k in n.kids)
    return 1 + sum(size(k) for k in n.kids)
  return size
def calls_new_subclass(state):
  yield (Counted(Heavy(), Counted()),)
  class Sub(Heavy):
    pass
  yield (Counted(Sub(), Counted(Sub(), Heavy())),)
  ns = types.SimpleNamespace(kids=[Sub()])
  yield (ns,)


class Bag:
  """a container node"""
  def __init__(self, *items): self.items = list(items)
  def __len__(self): return len(self.items)
  def __getitem__(self, i): return self.items[i]
  def __iter__(self): return iter(self.items)
  def __contains__(self, x): return x in self.items


def build_dunder_len(recursive):
  @recursive
  def count(b):
    if not isinstance(b, Bag):
      return 1
    if not b:
      return 0
    return sum(count(x) for x in b)
  return count
def calls_dunder_len(state):
  b = Bag(Bag(), Bag(5, 6), 7)
  yield (b,)
  yield (Bag(),)
  b[0].items.append(9)
  yield (b,)


def build_dunder_index(recursive):
  @recursive
  def total(b):
    if isinstance(b, int):
      return b
    return sum(total(b[i]) for i in range(len(b)))
  return total
calls_dunder_index = calls_dunder_len


class Maybe:
  def __init__(self, ok, kid=None): self.ok, self.kid = ok, kid
  def __bool__(self): return self.ok


def build_dunder_bool(recursive):
  @recursive
  def depth(m):
    return 1 + depth(m.kid) if m else 0
  return depth
def calls_dunder_bool(state):
  yield (Maybe(True, Maybe(True, Maybe(False, Maybe(True)))),)
  yield (Maybe(False),)
  yield (Maybe(True, None),)


@dataclasses.dataclass
class P:
  x: int
  y: int


@dataclasses.dataclass
class Item:
  pos: P
  kids: list = dataclasses.field(default_factory=list)


def build_dataclass_eq(recursive):
  @recursive
  def contains(n, target):
    return n.pos == target or any(contains(k, target) for k in n.kids)
  return contains
def calls_dataclass_eq(state):
  x = Item(P(0, 0), [Item(P(1, 2)), Item(P(3, 4), [Item(P(5, 6))])])
  yield (x, P(5, 6))
  yield (x, P(9, 9))
  x.kids[0].pos = P(9, 9)
  yield (x, P(9, 9))


class Vec:
  def __init__(self, x, y): self.x, self.y = x, y
  def __add__(self, o): return Vec(self.x + o.x, self.y + o.y)
  def __mul__(self, s): return Vec(self.x * s, self.y * s)
  def norm(self): return (self.x ** 2 + self.y ** 2) ** 0.5


class Joint:
  def __init__(self, off, *kids): self.off, self.kids = off, kids


def build_operator_overload(recursive):
  @recursive
  def center(j):
    v = j.off
    for k in j.kids:
      v = v + center(k) * 0.5
    return v
  return lambda j: (lambda v: (v.x, v.y))(center(j)), []
def calls_operator_overload(state):
  yield (Joint(Vec(1.0, 2.0), Joint(Vec(3.0, 4.0)), Joint(Vec(0.0, -1.0), Joint(Vec(1.0, 1.0)))),)
  yield (Joint(Vec(1.0, 2.0)),)


def build_shared_dag_write(recursive):
  @recursive
  def bump(n):
    n.v += 1
    for k in n.kids:
      bump(k)
    return n.v
  return bump
def calls_shared_dag_write(state):
  s = Node(10)
  x = Node(0, s, Node(1, s), s)
  yield (x,)
  yield (s,)
  yield (x,)


def build_memo_attr(recursive):
  @recursive
  def fib_like(n):
    if hasattr(n, "cache") and n.cache is not None:
      return n.cache
    n.cache = n.v + sum(fib_like(k) for k in n.kids)
    return n.cache
  return fib_like
def calls_memo_attr(state):
  s = Node(10, Node(1))
  x = Node(0, s, Node(1, s), s)
  yield (x,)
  s.cache = None
  s.v = 100
  yield (x,)
  x.cache = None
  yield (x,)


def build_swap_model(recursive):
  class M:
    def __init__(self):
      self.w = tf.Variable([1.0, 2.0])
      self.act = tf.tanh
      self.layers = [tf.Variable([[0.5, 0.0], [0.1, 0.2]])]
    @recursive
    def enc(self, n):
      h = self.w * float(n.v)
      for k in n.kids:
        c = self.enc(k)
        for l in self.layers:
          c = tf.linalg.matvec(l, c)
        h += c
      return self.act(h)
  m = M()
  return m.enc, [m]
def calls_swap_model(state):
  m = state[0]
  yield (t(),)
  m.act = tf.nn.relu
  yield (t(),)
  m.layers.append(tf.Variable([[1.0, 1.0], [0.0, 1.0]]))
  yield (t(),)
  m.w = tf.Variable([3.0, -1.0])
  yield (t(),)
  m.w.assign([0.0, 0.5])
  yield (t(),)


def build_closure_counter(recursive):
  calls_made = [0]
  seen = []

  @recursive
  def f(n):
    calls_made[0] += 1
    seen.append(n)
    return sum(f(k) for k in n.kids) + calls_made[0]
  return f, [calls_made, seen]
def calls_closure_counter(state):
  x = t()
  yield (x,)
  state[0][0] = 100
  yield (x,)
  yield (Node(1),)


def build_tree_of_tensors(recursive):
  @recursive
  def total(n):
    s = tf.reduce_sum(n.v)
    for k in n.kids:
      s += total(k)
    return s
  return total
def calls_tree_of_tensors(state):
  yield (Node(tf.ones([2]), Node(tf.ones([2]) * 3)),)
  yield (Node(tf.ones([4]), Node(tf.ones([5]) * 3)),)
  yield (Node(tf.ones([2, 2]), Node(tf.ones([2]) * 3)),)
  yield (Node(np.ones([2], "float32"), Node(np.ones([2], "float32"))),)
  yield (Node(tf.ones([2], tf.float64), Node(tf.ones([2], tf.float64) * 3)),)


def build_mode_argument(recursive):
  @recursive
  def reduce(n, mode="sum", *, start=0):
    vals = [n.v + start] + [reduce(k, mode, start=start) for k in n.kids]
    if mode == "sum":
      return sum(vals)
    if mode == "max":
      return max(vals)
    if mode == "mean":
      return sum(vals) / len(vals)
    raise ValueError("unknown mode: " + mode)
  return reduce
def calls_mode_argument(state):
  yield (t(),)
  yield (t(), "max")
  yield (t(), "mean")
  yield (t(), "min")


def build_callback(recursive):
  @recursive
  def fold(n, fn, init):
    acc = init
    for k in n.kids:
      acc = fn(acc, fold(k, fn, init))
    return fn(acc, n.v)
  return fold
def calls_callback(state):
  yield (t(), lambda a, b: a + b, 0)
  yield (t(), lambda a, b: a * 2 - b, 1)
  yield (t(), max, -100)
  import operator
  yield (t(), operator.mul, 1)


def build_inner_helper(recursive):
  @recursive
  def total(root):
    result = []
    def walk(n, depth):
      if depth % 2 == 0:
        result.append(n.v)
      for k in n.kids:
        walk(k, depth + 1)
    walk(root, 0)
    return result
  return total
def calls_inner_helper(state):
  x = t()
  yield (x,)
  yield (Node(9),)
  x.kids[0].kids[0].kids.append(Node(7, Node(8)))
  yield (x,)


def build_while_stack(recursive):
  @recursive
  def total(n):
    stack = [n]
    s = 0
    while stack:
      cur = stack.pop()
      s = s * 2 + cur.v
      stack.extend(cur.kids)
    return s
  return total
calls_while_stack = calls_inner_helper


def build_linked_list(recursive):
  class Cons:
    def __init__(self, head, tail=None): self.head, self.tail = head, tail
  @recursive
  def reverse(node, prev=None):
    if node is None:
      return prev
    rest = node.tail
    node.tail = prev
    return reverse(rest, node)
  return reverse, [Cons]
def calls_linked_list(state):
  C = state[0]
  l = C(1, C(2, C(3)))
  yield (l,)
  yield (l,)
  yield (None,)


def build_merge_lists(recursive):
  class L:
    def __init__(self, val, next=None): self.val, self.next = val, next
  @recursive
  def merge(a, b):
    if not a or not b:
      return a or b
    if a.val < b.val:
      a.next = merge(a.next, b)
      return a
    b.next = merge(a, b.next)
    return b
  return merge, [L]
def calls_merge_lists(state):
  L = state[0]
  yield (L(1, L(4, L(6))), L(2, L(3, L(9))))
  yield (None, L(1))
  yield (None, None)
  yield (L(1), L(1))
