"""Class hierarchies, visitors, properties; losses in attributes and lists."""
import abc
import enum
import typing

import numpy as np
import tensorflow as tf


def rnd(seed, *shape):
  return tf.Variable(np.random.RandomState(seed).randn(*shape).astype("float32") * 0.4)


# ---------- methods on the nodes themselves
class Shape(abc.ABC):
  @abc.abstractmethod
  def area(self): ...


class Circle(Shape):
  def __init__(self, r): self.r = r
  def area(self): return 3.14159 * self.r ** 2


class Rect(Shape):
  def __init__(self, w, h): self.w, self.h = w, h
  def area(self): return self.w * self.h


class Group(Shape):
  def __init__(self, *parts): self.parts = list(parts)
  def area(self): return sum(p.area() for p in self.parts)


def build_shape_areas(recursive):
  @recursive
  def total_area(shape):
    return shape.area()
  return total_area
def calls_shape_areas(state):
  g = Group(Circle(1.0), Rect(2.0, 3.0), Group(Rect(1.0, 1.0)))
  yield (g,)
  yield (Circle(2.0),)
  g.parts[2].parts.append(Circle(0.5))
  yield (g,)
  yield (Group(),)


def build_method_decorated(recursive):
  class Expr:
    pass
  class Const(Expr):
    def __init__(self, v): self.v = v
    def ev(self): return self.v
  class Add(Expr):
    def __init__(self, a, b): self.a, self.b = a, b
    @recursive
    def ev(self): return self.a.ev() + self.b.ev()
  class Mul(Expr):
    def __init__(self, a, b): self.a, self.b = a, b
    def ev(self): return self.a.ev() * self.b.ev()
  def top(e):
    return e.ev()
  top.classes = None
  return Add.ev, [Const, Add, Mul]
def calls_method_decorated(state):
  Const, Add, Mul = state
  yield (Add(Const(1.0), Mul(Const(2.0), Add(Const(3.0), Const(4.0)))),)
  yield (Add(Const(1.0), Const(2.0)),)


# ---------- file system
class Entry:
  def __init__(self, name, size=0):
    self.name = name
    self._size = size
    self.parent = None

  @property
  def size(self):
    return self._size

  @property
  def path(self):
    if self.parent is None:
      return self.name
    return self.parent.path + "/" + self.name


class Folder(Entry):
  def __init__(self, name, *entries):
    super().__init__(name)
    self.entries = list(entries)
    for e in entries:
      e.parent = self

  @property
  def size(self):
    return sum(e.size for e in self.entries)

  def __iter__(self):
    return iter(self.entries)

  def __len__(self):
    return len(self.entries)


def fs():
  return Folder("/", Folder("usr", Entry("a", 10), Folder("lib", Entry("b", 5))), Entry("c", 7))


def build_folder_size(recursive):
  @recursive
  def du(e):
    return e.size
  return du
def calls_folder_size(state):
  f = fs()
  yield (f,)
  yield (Entry("q", 3),)
  f.entries[0].entries[0]._size = 100
  yield (f,)


def build_folder_du_print(recursive):
  @recursive
  def du(e, depth=0):
    size = e.size if not isinstance(e, Folder) else 0
    if isinstance(e, Folder):
      for child in e:
        size += du(child, depth + 1)
    print("  " * depth + e.name, size)
    return size
  return du
calls_folder_du_print = calls_folder_size


def build_folder_path(recursive):
  @recursive
  def find(e, name):
    if e.name == name:
      return e.path
    if isinstance(e, Folder):
      for c in e.entries:
        p = find(c, name)
        if p:
          return p
    return None
  return find
def calls_folder_path(state):
  f = fs()
  yield (f, "b")
  yield (f, "zz")
  yield (f, "c")


def build_largest(recursive):
  @recursive
  def largest(e):
    if not isinstance(e, Folder):
      return e
    best = None
    for c in e.entries:
      cand = largest(c)
      if best is None or cand.size > best.size:
        best = cand
    return best
  return largest
calls_largest = calls_folder_size


# ---------- visitor pattern
class Num:
  def __init__(self, n): self.n = n
  def accept(self, visitor): return visitor.visit_num(self)
class Add:
  def __init__(self, l, r): self.l, self.r = l, r
  def accept(self, visitor): return visitor.visit_add(self)
class Neg:
  def __init__(self, x): self.x = x
  def accept(self, visitor): return visitor.visit_neg(self)


class Evaluator:
  def visit_num(self, n): return n.n
  def visit_add(self, n): return n.l.accept(self) + n.r.accept(self)
  def visit_neg(self, n): return -n.x.accept(self)


class Counter:
  def __init__(self): self.count = 0
  def visit_num(self, n): self.count += 1
  def visit_add(self, n):
    self.count += 1
    n.l.accept(self)
    n.r.accept(self)
  def visit_neg(self, n):
    self.count += 1
    n.x.accept(self)


def ex():
  return Add(Num(1), Neg(Add(Num(2), Num(3))))


def calls_visit(state):
  e = ex()
  yield (e,)
  yield (Num(4),)
  e.l = Neg(Num(9))
  yield (e,)


def build_visitor_eval(recursive):
  v = Evaluator()
  @recursive
  def run(e):
    return e.accept(v)
  return run
calls_visitor_eval = calls_visit


def build_visitor_count(recursive):
  v = Counter()
  @recursive
  def run(e):
    e.accept(v)
    return v.count
  return run, [v]
calls_visitor_count = calls_visit


def build_getattr_dispatch(recursive):
  class Visitor:
    @recursive
    def visit(self, node):
      method = getattr(self, "visit_" + type(node).__name__)
      return method(node)
    def visit_Num(self, n): return n.n
    def visit_Add(self, n): return self.visit(n.l) + self.visit(n.r)
    def visit_Neg(self, n): return -self.visit(n.x)
  v = Visitor()
  return v.visit, []
calls_getattr_dispatch = calls_visit


def build_dispatch_table(recursive):
  def num(n): return n.n
  def add(n): return run(n.l) + run(n.r)
  def neg(n): return -run(n.x)
  TABLE = {Num: num, Add: add, Neg: neg}
  @recursive
  def run(n):
    return TABLE[type(n)](n)
  return run
calls_dispatch_table = calls_visit


# ---------- enums, NamedTuple, slots
class Kind(enum.Enum):
  LEAF = 1
  SUM = 2
  PROD = 3


class K(typing.NamedTuple):
  kind: Kind
  weight: float = 1.0
  kids: tuple = ()


def build_sum_product(recursive):
  @recursive
  def spn(n):
    if n.kind is Kind.LEAF:
      return n.weight
    if n.kind == Kind.SUM:
      return sum(n.weight * spn(k) for k in n.kids) / len(n.kids)
    out = 1.0
    for k in n.kids:
      out *= spn(k)
    return out
  return spn
def calls_sum_product(state):
  L = lambda w: K(Kind.LEAF, w)
  yield (K(Kind.SUM, 0.5, (L(0.2), K(Kind.PROD, 1.0, (L(0.5), L(0.25))))),)
  yield (L(0.75),)
  yield (K(Kind.PROD, 1.0, (K(Kind.SUM, 2.0, (L(1.0),)), L(3.0))),)


class Slotted:
  __slots__ = ("v", "kids", "grad")
  def __init__(self, v, *kids):
    self.v, self.kids, self.grad = v, kids, 0.0


def build_backprop_manual(recursive):
  @recursive
  def backward(n, g):
    n.grad += g
    for k in n.kids:
      backward(k, g * k.v)
  return backward
def calls_backprop_manual(state):
  s = Slotted(2.0, Slotted(3.0), Slotted(4.0, Slotted(5.0)))
  yield (s, 1.0)
  yield (s, 2.0)
  shared = Slotted(1.5)
  yield (Slotted(1.0, shared, Slotted(2.0, shared)), 1.0)


# ---------- autograd style operators
class Value:
  def __init__(self, data, children=(), op=""):
    self.data, self.grad, self.children, self.op = data, 0.0, tuple(children), op


def build_micrograd_eval(recursive):
  @recursive
  def forward(v):
    kids = [forward(c) for c in v.children]
    if v.op == "+":
      v.data = kids[0] + kids[1]
    elif v.op == "*":
      v.data = kids[0] * kids[1]
    elif v.op == "tanh":
      v.data = tf.tanh(kids[0])
    return v.data
  return forward
def calls_micrograd_eval(state):
  a, b = Value(tf.constant(2.0)), Value(tf.constant(-1.0))
  m = Value(tf.constant(0.0), (a, b), "*")
  yield (Value(tf.constant(0.0), (Value(tf.constant(0.0), (m, a), "+"),), "tanh"),)
  yield (a,)
  a.data = tf.constant(0.5)
  yield (m,)


# ---------- losses
class SNode:
  def __init__(self, label, word=None, kids=()):
    self.label, self.word, self.kids = label, word, list(kids)


def st():
  return SNode(1, None, [SNode(0, 2), SNode(2, None, [SNode(1, 0), SNode(0, 3)])])


def calls_s(state):
  t = st()
  yield (t,)
  yield (SNode(2, 1),)
  t.kids[0].label = 2
  t.kids[1].kids.append(SNode(1, 1))
  yield (t,)


class LossModel(tf.Module):
  def __init__(self):
    self.E, self.W, self.C = rnd(0, 5, 3), rnd(1, 3, 3), rnd(2, 3, 3)
    self.total_loss = tf.constant(0.0)
    self.num_nodes = 0
    self.correct = 0

  def forward(self, node):
    if node.word is not None:
      h = tf.nn.embedding_lookup(self.E, node.word)
    else:
      h = tf.zeros([3])
      for k in node.kids:
        h += self.forward(k)
      h = tf.tanh(tf.linalg.matvec(self.W, h))
    logits = tf.linalg.matvec(self.C, h)
    self.total_loss += tf.nn.sparse_softmax_cross_entropy_with_logits(labels=node.label, logits=logits)
    self.num_nodes += 1
    if tf.argmax(logits) == node.label:
      self.correct += 1
    return h


def build_loss_attr(recursive):
  class M(LossModel):
    forward = recursive(LossModel.forward)
  m = M()
  return m.forward, [m]
calls_loss_attr = calls_s


def build_loss_list_return(recursive):
  E, W, C = rnd(3, 5, 3), rnd(4, 3, 3), rnd(5, 3, 3)

  def losses_of(node):
    if node.word is not None:
      h, ls = E[node.word], []
    else:
      results = [losses_of(k) for k in node.kids]
      h = tf.tanh(tf.linalg.matvec(W, tf.add_n([r[0] for r in results])))
      ls = [l for r in results for l in r[1]]
    ls.append(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[node.label], logits=tf.linalg.matvec(C, h)[None])[0])
    return h, ls

  @recursive
  def loss(tree):
    _, ls = losses_of(tree)
    return tf.add_n(ls) / len(ls)
  return loss, [E, W, C]
calls_loss_list_return = calls_s


def build_loss_discount(recursive):
  E, W, C = rnd(6, 5, 3), rnd(7, 3, 3), rnd(8, 3, 3)

  @recursive
  def visit(node, weight=1.0, decay=0.5):
    loss = 0.0
    if node.kids:
      below = [visit(k, weight * decay, decay=decay) for k in node.kids]
      h = tf.reduce_max(tf.stack([h for h, _ in below]), 0)
      loss += sum(l for _, l in below)
    else:
      h = E[node.word]
    logits = tf.linalg.matvec(C, tf.nn.relu(tf.linalg.matvec(W, h)))
    onehot = tf.one_hot(node.label, 3)
    loss += weight * tf.nn.softmax_cross_entropy_with_logits(onehot, logits)
    return h, loss
  return visit, [E, W, C]
calls_loss_discount = calls_s


def build_batch_mean(recursive):
  E, W = rnd(9, 5, 2), rnd(10, 2, 2)

  @recursive
  def enc(n):
    if n.word is not None:
      return E[n.word]
    return tf.nn.swish(tf.linalg.matvec(W, tf.math.accumulate_n([enc(k) for k in n.kids])))
  def batch_loss(trees):
    return tf.reduce_mean(tf.stack([tf.reduce_sum(enc(t)) for t in trees]))
  return batch_loss, [E, W]
def calls_batch_mean(state):
  yield ([st(), SNode(1, 2), st()],)
  yield ([SNode(1, 2)],)


def build_confusion(recursive):
  E = rnd(11, 5, 3)
  conf = [[0] * 3 for _ in range(3)]

  @recursive
  def evaluate(n):
    pred = n.label
    if n.word is not None:
      pred = int(tf.argmax(E[n.word]))
    conf[n.label][pred] += 1
    for k in n.kids:
      evaluate(k)
  return evaluate, [conf]
calls_confusion = calls_s


def build_accuracy_dict(recursive):
  E = rnd(12, 5, 3)

  @recursive
  def evaluate(n, stats):
    h = E[n.word] if n.word is not None else tf.add_n([evaluate(k, stats) for k in n.kids])
    stats["total"] += 1
    if tf.argmax(h, output_type=tf.int32) == n.label:
      stats["correct"] += 1
    return h
  return evaluate, [E]
def calls_accuracy_dict(state):
  for (t,) in calls_s(state):
    yield (t, {"total": 0, "correct": 0})
