"""Programs that validate their input, and raise."""
import numpy as np
import tensorflow as tf


class Node:
  def __init__(self, v=0, kids=(), word=None):
    self.v, self.kids, self.word = v, list(kids), word
    self.seen = 0


def t():
  return Node(2, [Node(1, word="a"), Node(4, [Node(3, word="b"), Node(5, word="c")])])


VOCAB = {"a": 0, "b": 1, "c": 2}
E = np.arange(12).reshape(4, 3).astype("float32")


def build_factorial_checked(recursive):
  @recursive
  def factorial(n):
    if not isinstance(n, int) or n < 0:
      raise ValueError(f"factorial() not defined for {n}")
    return 1 if n <= 1 else n * factorial(n - 1)
  return factorial
def calls_factorial_checked(state):
  yield (5,)
  yield (-3,)
  yield (1,)


def build_countdown(recursive):
  @recursive
  def countdown(n):
    print(n)
    if n < 0:
      raise ValueError("negative")
    if n != 0:
      countdown(n - 1)
  return countdown
def calls_countdown(state):
  yield (3,)
  yield (-1,)
  yield (0,)


def build_unknown_word(recursive):
  emb = tf.Variable(E)

  @recursive
  def enc(n):
    if n.word is not None:
      return emb[VOCAB[n.word]]
    return tf.reduce_mean([enc(k) for k in n.kids], axis=0)
  return enc, [emb]
def calls_unknown_word(state):
  x = t()
  yield (x,)
  x.kids[1].kids[0].word = "unknown"
  yield (x,)
  x.kids[1].kids[0].word = "c"
  yield (x,)


def build_index_error(recursive):
  @recursive
  def leftmost(n, i):
    if n.word is not None:
      return n.word
    return leftmost(n.kids[i], i)
  return leftmost
def calls_index_error(state):
  yield (t(), 0)
  yield (t(), 1)
  yield (t(), 2)
  yield (Node(1), 0)


def build_zero_division(recursive):
  @recursive
  def ratio(n):
    if not n.kids:
      return 1.0 / n.v
    return sum([ratio(k) for k in n.kids]) / n.v
  return ratio
def calls_zero_division(state):
  x = t()
  yield (x,)
  x.kids[1].v = 0
  yield (x,)
  x.kids[1].v = 2
  yield (x,)


def build_validate_tree(recursive):
  class InvalidTree(Exception):
    def __init__(self, node, why):
      super().__init__(why)
      self.why = why

  @recursive
  def validate(n, parent=None):
    if n.word is not None and n.kids:
      raise InvalidTree(n, "leaf with children")
    if parent is not None and n.v == parent.v:
      raise InvalidTree(n, f"same value {n.v} as parent")
    n.seen += 1
    count = 1
    for k in n.kids:
      count += validate(k, n)
    return count
  return validate
def calls_validate_tree(state):
  x = t()
  yield (x,)
  x.kids[1].kids[0].v = 4
  yield (x,)
  x.kids[1].kids[0].v = 3
  x.kids[0].kids.append(Node(8))
  yield (x,)


def build_assert_sorted(recursive):
  @recursive
  def check(n, lo, hi):
    assert lo <= n.v <= hi, f"{n.v} not in [{lo}, {hi}]"
    for k in n.kids:
      check(k, lo, hi)
    return True
  return check
def calls_assert_sorted(state):
  yield (t(), 0, 5)
  yield (t(), 0, 3)
  yield (Node(7), 0, 3)


def build_not_implemented(recursive):
  class Base:
    def kids_of(self):
      raise NotImplementedError
  class A(Base):
    def __init__(self, *k): self.k = list(k)
    def kids_of(self): return self.k
  class B(Base):
    pass
  @recursive
  def size(n):
    return 1 + sum(size(k) for k in n.kids_of())
  return size, [A, B]
def calls_not_implemented(state):
  A, B = state
  yield (A(A(), A(A())),)
  yield (A(),)
  yield (A(A(), B()),)


def build_max_depth_guard(recursive):
  @recursive
  def depth(n, limit=3):
    if limit == 0:
      raise RecursionError("tree is too deep")
    return 1 + max((depth(k, limit - 1) for k in n.kids), default=0)
  return depth
def calls_max_depth_guard(state):
  x = t()
  yield (x,)
  x.kids[0].kids.append(Node(1, [Node(2, [Node(3)])]))
  yield (x,)
  yield (x, 10)


def build_cycle_guard(recursive):
  @recursive
  def walk(n, steps):
    if steps > 20:
      raise RuntimeError("cycle detected")
    total = n.v
    for k in n.kids:
      total += walk(k, steps + 1)
    return total
  return walk
def calls_cycle_guard(state):
  x = t()
  yield (x, 0)
  x.kids[0].kids.append(x)
  yield (x, 0)


def build_try_parse(recursive):
  @recursive
  def to_number(s):
    if isinstance(s, list):
      return [to_number(x) for x in s]
    try:
      return int(s)
    except ValueError:
      return None
  return to_number
def calls_try_parse(state):
  yield (["1", ["x", "2"]],)
  yield ("7",)
  yield ("q",)


def build_collatz(recursive):
  @recursive
  def collatz(n, steps=0):
    if n < 1:
      raise ValueError("n must be positive")
    if n == 1:
      return steps
    if n % 2:
      return collatz(3 * n + 1, steps + 1)
    return collatz(n // 2, steps + 1)
  return collatz
def calls_collatz(state):
  yield (7,)
  yield (1,)
  yield (0,)


def build_binary_search(recursive):
  @recursive
  def search(xs, x, lo, hi):
    if lo > hi:
      raise KeyError(x)
    mid = (lo + hi) // 2
    if xs[mid] == x:
      return mid
    if xs[mid] < x:
      return search(xs, x, mid + 1, hi)
    return search(xs, x, lo, mid - 1)
  return search
def calls_binary_search(state):
  xs = [1, 3, 5, 7, 9, 11]
  yield (xs, 7, 0, 5)
  yield (xs, 1, 0, 5)
  yield (xs, 4, 0, 5)
  yield (xs, 12, 0, 5)


def build_tensor_nan_check(recursive):
  W = tf.Variable(np.eye(3, dtype="float32") * 0.5)

  @recursive
  def enc(n):
    h = tf.constant([1.0, 2.0, 3.0]) / float(n.v)
    if n.kids:
      h = h + tf.linalg.matvec(W, tf.add_n([enc(k) for k in n.kids]))
    if tf.reduce_any(tf.math.is_nan(h)) or tf.reduce_any(tf.math.is_inf(h)):
      raise FloatingPointError("nan in state")
    return h
  return enc, [W]
def calls_tensor_nan_check(state):
  x = t()
  yield (x,)
  x.kids[0].v = 0
  yield (x,)


def build_matrix_shape_error(recursive):
  @recursive
  def product(n, mats):
    m = mats[n.v]
    for k in n.kids:
      m = m @ product(k, mats)
    return m
  return product
def calls_matrix_shape_error(state):
  mats = [tf.eye(2) * i for i in range(6)]
  yield (t(), mats)
  yield (Node(3), mats)
  yield (Node(1, [Node(9)]), mats)


def build_none_attribute(recursive):
  class L:
    def __init__(self, v, nxt=None): self.v, self.next = v, nxt
  @recursive
  def last(l):
    if l.next.v < 0:
      return l.v
    return last(l.next)
  return last, [L]
def calls_none_attribute(state):
  L = state[0]
  yield (L(1, L(2, L(-1))),)
  yield (L(1, L(2, L(3))),)
  yield (L(1),)
