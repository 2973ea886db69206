"""Expressions, tries, search trees, decision trees."""

import dataclasses
import operator

import tensorflow as tf


@dataclasses.dataclass
class Num:
  value: float


@dataclasses.dataclass
class Var:
  name: str


@dataclasses.dataclass
class Bin:
  op: str
  left: object
  right: object


def expression():
  return Bin("+", Bin("*", Num(2.0), Var("x")), Bin("-", Var("y"), Num(3.0)))


class TrieNode:
  def __init__(self):
    self.children, self.end = {}, False


def trie(words=("car", "cat", "dog", "do")):
  root = TrieNode()
  for w in words:
    n = root
    for ch in w:
      n = n.children.setdefault(ch, TrieNode())
    n.end = True
  return root


class BST:
  def __init__(self, key, left=None, right=None):
    self.key, self.left, self.right = key, left, right


def bst():
  return BST(8, BST(3, BST(1), BST(6, BST(4), BST(7))), BST(10, None, BST(14, BST(13))))


@dataclasses.dataclass
class Split:
  feature: int
  threshold: float
  low: object
  high: object


@dataclasses.dataclass
class LeafValue:
  value: float
  count: int = 1


def forest():
  return Split(0, 0.5, LeafValue(1.0), Split(1, 2.0, LeafValue(-1.0, 3), LeafValue(4.0, 2)))


def calls_bst():
  yield (bst(),)
  yield (BST(1),)
  t = bst()
  t.left.right = None
  yield (t,)
  yield (None,)


def calls_decision_rules():
  yield (forest(),)
  yield (LeafValue(2.0),)


def build_evaluate_env(recursive):
  @recursive
  def evaluate(e, env):
    if isinstance(e, Num):
      return e.value
    if isinstance(e, Var):
      return env[e.name]
    a, b = evaluate(e.left, env), evaluate(e.right, env)
    if e.op == "+":
      return a + b
    if e.op == "-":
      return a - b
    return a * b

  return evaluate


def calls_evaluate_env():
  yield (expression(), {"x": 1.5, "y": 2.0})
  yield (expression(), {"x": -1.0, "y": 0.0})
  yield (Bin("/", Var("z"), Num(1.0)), {"x": 1.0})


def build_evaluate_ops(recursive):
  ops = {"+": operator.add, "-": operator.sub, "*": operator.mul}
  env = {"x": 3.0, "y": 4.0}

  @recursive
  def evaluate(e):
    if isinstance(e, Num):
      return e.value
    if isinstance(e, Var):
      return env[e.name]
    return ops[e.op](evaluate(e.left), evaluate(e.right))

  return evaluate, [env]


def calls_evaluate_ops(state):
  yield (expression(),)
  state[0]["x"] = 10.0
  yield (expression(),)
  yield (Num(1.0),)


def build_differentiate(recursive):
  @recursive
  def d(e, name):
    if isinstance(e, Num):
      return Num(0.0)
    if isinstance(e, Var):
      return Num(1.0 if e.name == name else 0.0)
    if e.op in "+-":
      return Bin(e.op, d(e.left, name), d(e.right, name))
    return Bin("+", Bin("*", d(e.left, name), e.right), Bin("*", e.left, d(e.right, name)))

  return d


def calls_differentiate():
  yield (expression(), "x")
  yield (expression(), "y")
  yield (Num(1.0), "x")


def build_boolean_logic(recursive):
  trace = []

  def leaf(name, env):
    trace.append(name)
    return env[name]

  @recursive
  def evaluate(e, env):
    if isinstance(e, Var):
      return leaf(e.name, env)
    if e.op == "and":
      return evaluate(e.left, env) and evaluate(e.right, env)
    return evaluate(e.left, env) or evaluate(e.right, env)

  return evaluate, [trace]


def calls_boolean_logic():
  e = Bin("or", Bin("and", Var("a"), Var("b")), Var("c"))
  yield (e, {"a": True, "b": False, "c": True})
  yield (e, {"a": False, "b": True, "c": False})
  yield (e, {"a": True, "b": True, "c": False})


def build_expression_methods(recursive):
  class Const:
    def __init__(self, v):
      self.v = v

    def eval(self, x):
      return self.v

    def size(self):
      return 1

  class X:
    def eval(self, x):
      return x

    def size(self):
      return 1

  class Add:
    def __init__(self, a, b):
      self.a, self.b = a, b

    def eval(self, x):
      return self.a.eval(x) + self.b.eval(x)

    def size(self):
      return 1 + self.a.size() + self.b.size()

  class Mul(Add):
    def eval(self, x):
      return self.a.eval(x) * self.b.eval(x)

  @recursive
  def run(e, x):
    return e.eval(x), e.size()

  def start(x):
    return run(Add(Mul(X(), Const(2.0)), Add(X(), Mul(X(), X()))), x)

  return start


def calls_expression_methods():
  yield (2.0,)
  yield (tf.constant([1.0, 2.0]),)


def build_lisp(recursive):
  @recursive
  def run(form, env):
    if isinstance(form, str):
      return env[form]
    if isinstance(form, (int, float)):
      return form
    head = form[0]
    if head == "if":
      return run(form[2], env) if run(form[1], env) else run(form[3], env)
    if head == "+":
      return sum(run(f, env) for f in form[1:])
    if head == "*":
      out = 1
      for f in form[1:]:
        out *= run(f, env)
      return out
    return run(form[1], env) < run(form[2], env)

  return run


def calls_lisp():
  yield (["+", 1, ["*", 2, "x"], 4], {"x": 5})
  yield (["if", ["<", "x", 3], ["+", 1, 2], "x"], {"x": 7})
  yield (3, {})


def build_trie_words(recursive):
  @recursive
  def words(node, prefix=""):
    out = [prefix] if node.end else []
    for ch, child in node.children.items():
      out.extend(words(child, prefix + ch))
    return out

  return words


def calls_trie_words():
  yield (trie(),)
  yield (trie(["a"]),)
  yield (trie(), "x")


def build_trie_insert(recursive):
  @recursive
  def insert(node, word):
    if not word:
      node.end = True
      return
    if word[0] not in node.children:
      node.children[word[0]] = TrieNode()
    insert(node.children[word[0]], word[1:])

  return insert


def calls_trie_insert():
  t = trie()
  for w in ("cow", "dot", "car"):
    yield (t, w)


def build_bst_insert(recursive):
  @recursive
  def insert(node, key):
    if node is None:
      return BST(key)
    if key < node.key:
      node.left = insert(node.left, key)
    elif key > node.key:
      node.right = insert(node.right, key)
    return node

  return insert


def calls_bst_insert():
  t = bst()
  for k in (5, 9, 8, 20):
    yield (t, k)
  yield (None, 3)


def build_bst_range(recursive):
  @recursive
  def between(node, lo, hi, out):
    if node is None:
      return out
    if node.key > lo:
      between(node.left, lo, hi, out)
    if lo <= node.key <= hi:
      out.append(node.key)
    if node.key < hi:
      between(node.right, lo, hi, out)
    return out

  return between


def calls_bst_range():
  yield (bst(), 4, 10, [])
  yield (bst(), 0, 2, [])


def build_bst_vertical(recursive):
  columns = {}

  @recursive
  def visit(node, col=0, row=0):
    if node is None:
      return
    if col not in columns:
      columns[col] = []
    columns[col].append((row, node.key))
    visit(node.left, col - 1, row + 1)
    visit(node.right, col + 1, row + 1)

  return visit, [columns]


calls_bst_vertical = calls_bst


def build_bst_greater_sum(recursive):
  class Solver:
    def __init__(self):
      self.total = 0

    @recursive
    def convert(self, node):
      if node is not None:
        self.convert(node.right)
        self.total += node.key
        node.key = self.total
        self.convert(node.left)
      return node

  solver = Solver()
  return solver.convert, [solver]


calls_bst_greater_sum = calls_bst


def build_decision_tensor(recursive):
  @recursive
  def predict(node, x):
    if isinstance(node, LeafValue):
      return node.value
    if x[node.feature] <= node.threshold:
      return predict(node.low, x)
    return predict(node.high, x)

  return predict


def calls_decision_tensor():
  yield (forest(), tf.constant([0.2, 3.0]))
  yield (forest(), tf.constant([0.9, 3.0]))


def build_decision_importance(recursive):
  importance = {}

  @recursive
  def count(node):
    if isinstance(node, LeafValue):
      return node.count
    n = count(node.low) + count(node.high)
    importance[node.feature] = importance.get(node.feature, 0) + n
    return n

  return count, [importance]


calls_decision_importance = calls_decision_rules
