"""Decision trees, forests, graphs, games."""
import numpy as np
import tensorflow as tf


class Split:
  def __init__(self, feature, threshold, left, right):
    self.feature, self.threshold, self.left, self.right = feature, threshold, left, right


class Leaf:
  def __init__(self, value):
    self.value = value


def dtree():
  return Split(0, 0.5, Split(1, -1.0, Leaf(1.0), Leaf(2.0)), Split(2, 0.0, Leaf(3.0), Split(0, 2.0, Leaf(4.0), Leaf(5.0))))


XS = [[0.2, 0.0, 1.0], [3.0, 0.0, 1.0], [1.0, -5.0, -1.0]]


def build_predict_numpy(recursive):
  @recursive
  def predict(node, x):
    if isinstance(node, Leaf):
      return node.value
    if x[node.feature] <= node.threshold:
      return predict(node.left, x)
    return predict(node.right, x)
  return predict
def calls_predict_numpy(state):
  t = dtree()
  for x in XS:
    yield (t, np.array(x))
  yield (Leaf(9.0), np.array(XS[0]))


def build_predict_tensor(recursive):
  @recursive
  def predict(node, x):
    if isinstance(node, Leaf):
      return tf.constant(node.value)
    return predict(node.left, x) if x[node.feature] <= node.threshold else predict(node.right, x)
  return predict
def calls_predict_tensor(state):
  t = dtree()
  for x in XS:
    yield (t, tf.constant(x))
  yield (Leaf(9.0), tf.constant(XS[0]))


def build_soft_tree(recursive):
  W = tf.Variable(np.random.RandomState(0).randn(3, 3).astype("float32"))

  @recursive
  def soft(node, x):
    if hasattr(node, "value"):
      return tf.constant([node.value])
    p = tf.sigmoid(tf.reduce_sum(W[node.feature] * x) - node.threshold)
    return p * soft(node.left, x) + (1 - p) * soft(node.right, x)
  return soft, [W]
calls_soft_tree = calls_predict_tensor


def build_forest(recursive):
  @recursive
  def vote(node, x):
    if isinstance(node, Leaf):
      return node.value
    branch = node.left if x[node.feature] <= node.threshold else node.right
    return vote(branch, x)
  def forest(trees, x):
    return sum(vote(t, x) for t in trees) / len(trees)
  return forest
def calls_forest(state):
  f = [dtree(), Split(1, 0.0, Leaf(0.0), Leaf(7.0)), Leaf(2.5)]
  for x in XS:
    yield (f, x)


def build_fit_cart(recursive):
  def gini(y):
    if not y:
      return 0.0
    p = sum(y) / len(y)
    return p * (1 - p)

  @recursive
  def fit(X, y, depth):
    if depth == 0 or len(set(y)) <= 1:
      return {"leaf": sum(y) / len(y)}
    best = None
    for f in range(len(X[0])):
      for row in X:
        l = [t for r, t in zip(X, y) if r[f] <= row[f]]
        r_ = [t for r, t in zip(X, y) if r[f] > row[f]]
        if not l or not r_:
          continue
        score = len(l) * gini(l) + len(r_) * gini(r_)
        if best is None or score < best[0]:
          best = (score, f, row[f])
    if best is None:
      return {"leaf": sum(y) / len(y)}
    _, f, thr = best
    L = [(r, t) for r, t in zip(X, y) if r[f] <= thr]
    R = [(r, t) for r, t in zip(X, y) if r[f] > thr]
    return {"f": f, "thr": thr, "left": fit([r for r, _ in L], [t for _, t in L], depth - 1),
            "right": fit([r for r, _ in R], [t for _, t in R], depth - 1)}
  return fit
def calls_fit_cart(state):
  yield ([[0, 1], [1, 1], [2, 0], [3, 0]], [0, 0, 1, 1], 2)
  yield ([[0, 1]], [1], 3)
  yield ([[0, 1], [1, 0], [2, 1]], [0, 1, 0], 2)


class Vertex:
  def __init__(self, name, value=0.0):
    self.name, self.value, self.adj, self.visited = name, value, [], False


def graph():
  a, b, c, d, e = [Vertex(n, float(i)) for i, n in enumerate("abcde")]
  a.adj = [b, c]; b.adj = [d]; c.adj = [d, a]; d.adj = [b]
  return a, e


def build_dfs_flag(recursive):
  @recursive
  def dfs(v, order):
    v.visited = True
    order.append(v.name)
    for w in v.adj:
      if not w.visited:
        dfs(w, order)
  return dfs
def calls_dfs_flag(state):
  a, e = graph()
  yield (a, [])
  yield (a, [])
  yield (e, [])
  yield (graph()[0].adj[1], [])


def build_adj_dict(recursive):
  @recursive
  def dfs(graph, u, seen):
    seen.append(u)
    for v in graph[u]:
      if v not in seen:
        dfs(graph, v, seen)
    return seen
  return dfs
def calls_adj_dict(state):
  g = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
  yield (g, "a", [])
  yield (g, "d", [])
  yield (g, "c", [])


def build_topological(recursive):
  class Task:
    def __init__(self, name, deps=()):
      self.name, self.deps, self.state = name, list(deps), "new"

  @recursive
  def visit(task, out):
    if task.state == "done":
      return
    if task.state == "active":
      raise ValueError("cycle at " + task.name)
    task.state = "active"
    for d in task.deps:
      visit(d, out)
    task.state = "done"
    out.append(task.name)
  return visit, [Task]
def calls_topological(state):
  Task = state[0]
  a = Task("a"); b = Task("b", [a]); c = Task("c", [a, b])
  yield (c, [])
  yield (c, [])
  x = Task("x"); y = Task("y", [x]); x.deps.append(y)
  yield (y, [])


def build_message_passing(recursive):
  W = tf.Variable(np.random.RandomState(1).randn(2, 2).astype("float32"))

  @recursive
  def embed(v, hops):
    h = tf.stack([v.value, 1.0])
    if hops == 0:
      return h
    msgs = [embed(w, hops - 1) for w in v.adj]
    if msgs:
      h = h + tf.linalg.matvec(W, tf.reduce_mean(msgs, axis=0))
    return tf.nn.relu(h)
  return embed, [W]
def calls_message_passing(state):
  a, e = graph()
  yield (a, 2)
  yield (e, 3)
  yield (a, 4)
  yield (a, 0)


# ---- games
class State:
  def __init__(self, score=0, moves=(), name=""):
    self.score, self.moves, self.name = score, list(moves), name


def game():
  return State(0, [State(0, [State(3), State(5)]), State(0, [State(2), State(9)]), State(0, [State(0), State(-1)])])


def build_minimax(recursive):
  @recursive
  def minimax(s, maximizing):
    if not s.moves:
      return s.score
    if maximizing:
      return max(minimax(m, False) for m in s.moves)
    return min(minimax(m, True) for m in s.moves)
  return minimax
def calls_minimax(state):
  g = game()
  yield (g, True)
  yield (g, False)
  yield (State(4), True)


def build_alphabeta(recursive):
  @recursive
  def alphabeta(s, depth, alpha, beta, maximizing):
    if depth == 0 or not s.moves:
      return s.score
    if maximizing:
      value = -1000
      for m in s.moves:
        value = max(value, alphabeta(m, depth - 1, alpha, beta, False))
        alpha = max(alpha, value)
        if alpha >= beta:
          break
      return value
    value = 1000
    for m in s.moves:
      value = min(value, alphabeta(m, depth - 1, alpha, beta, True))
      beta = min(beta, value)
      if beta <= alpha:
        break
    return value
  return alphabeta
def calls_alphabeta(state):
  g = game()
  yield (g, 4, -1000, 1000, True)
  yield (g, 1, -1000, 1000, False)
  yield (State(4), 3, -1000, 1000, True)


def build_negamax_inf(recursive):
  nodes = 0

  @recursive
  def negamax(s, color):
    nonlocal nodes
    nodes += 1
    if not s.moves:
      return color * s.score, []
    best, line = -float("inf"), None
    for i, m in enumerate(s.moves):
      v, rest = negamax(m, -color)
      if -v > best:
        best, line = -v, [i] + rest
    return best, line
  return negamax, [lambda: nodes]
def calls_negamax_inf(state):
  g = game()
  yield (g, 1)
  yield (State(4), -1)
  g.moves[0].moves.append(State(20))
  yield (g, -1)


def build_nim(recursive):
  @recursive
  def wins(n):
    if n == 0:
      return False
    return any(not wins(n - k) for k in (1, 2, 3) if k <= n)
  return wins
def calls_nim(state):
  for n in (5, 0, 8):
    yield (n,)


def build_value_net(recursive):
  W = tf.Variable(np.random.RandomState(2).randn(3).astype("float32"))

  @recursive
  def expectimax(s, depth):
    if depth == 0 or len(s.moves) == 0:
      return tf.tanh(tf.reduce_sum(W * tf.constant([1.0, 0.5, 0.1])) * s.score)
    vals = [expectimax(m, depth - 1) for m in s.moves]
    return tf.reduce_max(vals) if depth % 2 == 0 else tf.reduce_mean(vals)
  return expectimax, [W]
def calls_value_net(state):
  g = game()
  yield (g, 2)
  yield (g, 1)
  yield (State(4), 3)


def build_flood_fill(recursive):
  @recursive
  def fill(grid, r, c, old, new):
    if r < 0 or c < 0 or r >= len(grid) or c >= len(grid[0]) or grid[r][c] != old:
      return 0
    grid[r][c] = new
    n = 1
    for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
      n += fill(grid, r + dr, c + dc, old, new)
    return n
  return fill
def calls_flood_fill(state):
  g = [[1, 1, 0], [0, 1, 0], [1, 0, 1]]
  yield (g, 0, 0, 1, 2)
  yield (g, 2, 2, 1, 3)
  yield (g, 0, 0, 9, 3)


def build_nqueens(recursive):
  @recursive
  def place(n, row, cols):
    if row == n:
      return 1
    count = 0
    for c in range(n):
      ok = True
      for r, c2 in enumerate(cols):
        if c == c2 or abs(c - c2) == row - r:
          ok = False
          break
      if ok:
        count += place(n, row + 1, cols + [c])
    return count
  return place
def calls_nqueens(state):
  for n in (4, 1, 5):
    yield (n, 0, [])
