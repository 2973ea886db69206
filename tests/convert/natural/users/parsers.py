"""Parsers over token lists with indices; DP with memo."""
import functools
from collections import Counter, defaultdict

import numpy as np
import tensorflow as tf
from nltk import Tree


# 1 recursive descent parser returning (value, pos)
def build_parse_expr(recursive):
  def parse_term(tokens, i):
    v, i = parse_factor(tokens, i)
    while i < len(tokens) and tokens[i] in ("*", "/"):
      op = tokens[i]
      w, i = parse_factor(tokens, i + 1)
      v = v * w if op == "*" else v / w
    return v, i

  def parse_factor(tokens, i):
    if tokens[i] == "(":
      v, i = parse_expr(tokens, i + 1)
      return v, i + 1
    if tokens[i] == "-":
      v, i = parse_factor(tokens, i + 1)
      return -v, i
    return float(tokens[i]), i + 1

  @recursive
  def parse_expr(tokens, i=0):
    v, i = parse_term(tokens, i)
    while i < len(tokens) and tokens[i] in ("+", "-"):
      op = tokens[i]
      w, i = parse_term(tokens, i + 1)
      v = v + w if op == "+" else v - w
    return v, i
  return parse_expr
def calls_parse_expr(state):
  yield (["1", "+", "2", "*", "(", "3", "-", "4", ")"],)
  yield (["7"],)
  yield ("2 * ( 3 + - 1 ) / 4".split(),)


# 2 parse s-expression to nested lists
def build_parse_sexpr(recursive):
  @recursive
  def parse(tokens):
    tok = tokens.pop(0)
    if tok == "(":
      out = []
      while tokens[0] != ")":
        out.append(parse(tokens))
      tokens.pop(0)
      return out
    return tok
  return parse
def calls_parse_sexpr(state):
  yield ("( S ( NP the cat ) ( VP sat ) )".split(),)
  yield (["x"],)
  yield ("( )".split(),)


# 3 shift style: compose vectors along a bracketed token list, class parser with self.pos
class Parser:
  def __init__(self, tokens):
    self.tokens = tokens
    self.pos = 0

  def peek(self):
    return self.tokens[self.pos]

  def next(self):
    t = self.tokens[self.pos]
    self.pos += 1
    return t


def build_parser_class(recursive):
  class P(Parser):
    @recursive
    def value(self):
      t = self.next()
      if t == "(":
        total = 0
        while self.peek() != ")":
          total += self.value()
        self.next()
        return total
      return int(t)
  return lambda tokens: P(tokens).value()
def calls_parser_class(state):
  yield ("( 1 ( 2 3 ) 4 )".split(),)
  yield (["5"],)
  yield ("( ( ( 1 ) ) 2 )".split(),)


# 4 reverse polish / prefix with ints
def build_prefix_ints(recursive):
  @recursive
  def prefix(code, i):
    # 0: add, 1: mul, >=10: number + 10
    c = code[i]
    if c >= 10:
      return c - 10, i + 1
    a, i = prefix(code, i + 1)
    b, i = prefix(code, i)
    if c == 0:
      return a + b, i
    return a * b, i
  return prefix
def calls_prefix_ints(state):
  yield ([0, 1, 12, 13, 15], 0)
  yield ([11], 0)
  yield ([0, 0, 11, 12, 1, 13, 14], 0)


# 5 shift-reduce encoding: span [i, j), split by given split points, tensors
def build_span_encode(recursive):
  E = tf.Variable(np.random.RandomState(0).randn(8, 3).astype("float32"))
  W = tf.Variable(np.random.RandomState(1).randn(6, 3).astype("float32"))

  @recursive
  def encode(words, i, j):
    if j - i == 1:
      return E[words[i]][None, :]
    m = (i + j) // 2
    return tf.tanh(tf.concat([encode(words, i, m), encode(words, m, j)], 1) @ W)
  return encode, [E, W]
def calls_span_encode(state):
  yield ([1, 2, 3, 4, 5], 0, 5)
  yield ([1], 0, 1)
  yield ([7, 6, 0], 0, 3)


# 6 slices
def build_slices(recursive):
  @recursive
  def total(xs):
    if len(xs) == 0:
      return 0
    if len(xs) == 1:
      return xs[0]
    mid = len(xs) // 2
    return total(xs[:mid]) + total(xs[mid:])
  return total
def calls_slices(state):
  yield ([1, 2, 3, 4, 5],)
  yield ([],)
  yield ([4],)


# 7 fib memo dict default
def build_fib_memo(recursive):
  memo = {}

  @recursive
  def fib(n):
    if n in memo:
      return memo[n]
    if n < 2:
      return n
    memo[n] = fib(n - 1) + fib(n - 2)
    return memo[n]
  return fib, [memo]
def calls_fib_memo(state):
  yield (10,)
  yield (1,)
  yield (15,)


# 8 edit distance with memo table in dict by tuple
def build_edit_distance(recursive):
  @recursive
  def dist(a, b, i, j, memo):
    if i == 0:
      return j
    if j == 0:
      return i
    if (i, j) in memo:
      return memo[i, j]
    cost = 0 if a[i - 1] == b[j - 1] else 1
    d = min(dist(a, b, i - 1, j, memo) + 1, dist(a, b, i, j - 1, memo) + 1, dist(a, b, i - 1, j - 1, memo) + cost)
    memo[i, j] = d
    return d
  return dist
def calls_edit_distance(state):
  for a, b in (("kit", "sits"), ("", "ab"), ("abc", "abc")):
    yield (a, b, len(a), len(b), {})


# 9 memo on objects: DAG cost with cache by id
class Dag:
  def __init__(self, cost, *deps):
    self.cost, self.deps = cost, list(deps)


def dag():
  a = Dag(1)
  b = Dag(2, a)
  c = Dag(3, a, b)
  return Dag(4, b, c, a)


def build_dag_cache(recursive):
  @recursive
  def critical_path(n, cache):
    if n in cache:
      return cache[n]
    cache[n] = n.cost + max((critical_path(d, cache) for d in n.deps), default=0)
    return cache[n]
  return critical_path
def calls_dag_cache(state):
  yield (dag(), {})
  yield (Dag(5), {})
  d = dag()
  d.deps.append(Dag(10, d.deps[0]))
  yield (d, {})


# 10 functools.lru_cache
def build_lru(recursive):
  @recursive
  @functools.lru_cache(maxsize=None)
  def catalan(n):
    if n <= 1:
      return 1
    return sum(catalan(i) * catalan(n - 1 - i) for i in range(n))
  return catalan
def calls_lru(state):
  yield (3,)
  yield (0,)
  yield (6,)


# 11 knapsack / coin change
def build_coin_change(recursive):
  @recursive
  def ways(amount, coins, k):
    if amount == 0:
      return 1
    if amount < 0 or k == len(coins):
      return 0
    return ways(amount - coins[k], coins, k) + ways(amount, coins, k + 1)
  return ways
def calls_coin_change(state):
  yield (10, [1, 2, 5], 0)
  yield (0, [1], 0)
  yield (7, [3, 4, 2], 0)


# 12 house robber III : pair of results
class TN:
  def __init__(self, val, left=None, right=None):
    self.val, self.left, self.right = val, left, right


def build_rob(recursive):
  @recursive
  def rob(node):
    if not node:
      return (0, 0)
    left, right = rob(node.left), rob(node.right)
    return (node.val + left[1] + right[1], max(left) + max(right))
  return rob
def calls_rob(state):
  yield (TN(3, TN(2, None, TN(3)), TN(3, None, TN(1))),)
  yield (None,)
  yield (TN(4),)


# 13 label histogram with Counter
def build_counter(recursive):
  counts = Counter()

  @recursive
  def count(tree):
    counts[tree.label()] += 1
    for child in tree:
      if isinstance(child, Tree):
        count(child)
  return count, [counts]
def calls_counter(state):
  yield (Tree.fromstring("(S (NP (DT the) (NN cat)) (VP (VB sat)))"),)
  yield (Tree.fromstring("(NN cat)"),)
  yield (Tree.fromstring("(S (S (NN cat)) (NP (NN cat) (NP (NN x))))"),)


# 14 production rules with defaultdict(list)
def build_productions(recursive):
  rules = defaultdict(int)

  @recursive
  def collect(tree):
    if isinstance(tree, str):
      return
    rhs = " ".join(c if isinstance(c, str) else c.label() for c in tree)
    rules[(tree.label(), rhs)] += 1
    for c in tree:
      collect(c)
  return collect, [rules]
calls_productions = calls_counter


# 15 sizes histogram via list indices
def build_size_hist(recursive):
  hist = [0] * 10

  @recursive
  def size(t):
    n = 1 + sum(size(c) for c in t if isinstance(c, Tree))
    hist[min(n, 9)] += 1
    return n
  return size, [hist]
calls_size_hist = calls_counter


# 16 CKY style inside algorithm with memo over spans
def build_inside(recursive):
  rules = tf.Variable(np.random.RandomState(2).rand(3, 3, 3).astype("float32"))
  lex = tf.Variable(np.random.RandomState(3).rand(5, 3).astype("float32"))

  @recursive
  def inside(sent, i, j):
    if j == i + 1:
      return lex[sent[i]]
    total = tf.zeros(3)
    for k in range(i + 1, j):
      total += tf.einsum("abc,b,c->a", rules, inside(sent, i, k), inside(sent, k, j))
    return total
  return inside, [rules, lex]
def calls_inside(state):
  yield ([0, 3, 2, 4], 0, 4)
  yield ([1], 0, 1)
  yield ([2, 1, 1, 0], 1, 4)


# 17 HMM forward recursion
def build_hmm(recursive):
  A = tf.nn.softmax(tf.Variable(np.random.RandomState(4).randn(3, 3).astype("float32")))
  B = tf.nn.softmax(tf.Variable(np.random.RandomState(5).randn(3, 4).astype("float32")))

  @recursive
  def alpha(obs, t):
    if t == 0:
      return B[:, obs[0]] / 3.0
    return B[:, obs[t]] * tf.linalg.matvec(A, alpha(obs, t - 1), transpose_a=True)
  return alpha
def calls_hmm(state):
  yield ([0, 1, 3], 2)
  yield ([2], 0)
  yield ([1, 1, 0, 3, 2], 4)
