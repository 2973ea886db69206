"""More models: variants, decoding, collecting with nets."""
import dataclasses
import functools

import numpy as np
import tensorflow as tf
from nltk import Tree


def rnd(seed, *shape):
  return tf.Variable(np.random.RandomState(seed).randn(*shape).astype("float32") * 0.4)


def dense(units, seed, inputs, **kw):
  d = tf.keras.layers.Dense(units, kernel_initializer=tf.keras.initializers.GlorotUniform(seed), **kw)
  d.build((1, inputs))
  return d


class Node:
  def __init__(self, token, *children, label=0):
    self.token, self.children, self.label = token, list(children), label


def tr():
  return Node(1, Node(2), Node(3, Node(4), Node(5, Node(0)), label=2), label=1)


def calls(state):
  t = tr()
  yield (t,)
  yield (Node(6),)
  t.children[0].children = [Node(1), Node(2, label=1)]
  yield (t,)


@dataclasses.dataclass
class LSTMState:
  h: tf.Tensor
  c: tf.Tensor


# 1 state dataclass, child-sum with per child forget via vectorised stack
def build_state_dataclass(recursive):
  E = rnd(0, 8, 3)
  wx, wh, wf = dense(9, 1, 3), dense(9, 2, 3, use_bias=False), dense(3, 3, 3)

  @recursive
  def lstm(node):
    states = [lstm(c) for c in node.children]
    if states:
      hs = tf.concat([s.h for s in states], 0)
      cs = tf.concat([s.c for s in states], 0)
    else:
      hs = tf.zeros([1, 3])
      cs = tf.zeros([1, 3])
    x = tf.gather(E, [node.token])
    iou = wx(x) + wh(tf.reduce_sum(hs, 0, keepdims=True))
    i, o, u = tf.split(iou, 3, 1)
    f = tf.sigmoid(wf(hs))
    c = tf.sigmoid(i) * tf.tanh(u) + tf.reduce_sum(f * cs, 0, keepdims=True)
    return LSTMState(h=tf.sigmoid(o) * tf.tanh(c), c=c)
  return lstm, [E]


# 2 N-ary with position-specific forget weights
def build_nary_positions(recursive):
  E = rnd(1, 8, 3)
  U = [rnd(10 + k, 3, 3) for k in range(3)]
  F = [[rnd(20 + 3 * k + l, 3, 3) for l in range(3)] for k in range(3)]

  @recursive
  def enc(node):
    x = E[node.token][None]
    kids = [enc(c) for c in node.children]
    u = x
    for k, (h, _) in enumerate(kids):
      u = u + h @ U[k]
    c = tf.tanh(u)
    for k, (_, ck) in enumerate(kids):
      f = x
      for l, (hl, _) in enumerate(kids):
        f = f + hl @ F[k][l]
      c = c + tf.sigmoid(f) * ck
    return tf.tanh(c), c
  return enc, [E, U, F]


# 3 code2vec like path contexts: all leaf representations with paths
def build_leaf_vectors(recursive):
  E, W = rnd(2, 8, 3), rnd(3, 3, 3)

  @recursive
  def leaves(node, path):
    path = tf.tanh(tf.linalg.matvec(W, path) + E[node.token])
    if not node.children:
      return [path]
    return sum((leaves(c, path) for c in node.children), [])
  return leaves, [E, W]
def calls_leaf_vectors(state):
  for (t,) in calls(state):
    yield (t, tf.zeros(3))


# 4 all node vectors to matrix with index on node
def build_node_matrix(recursive):
  E, W = rnd(4, 8, 3), rnd(5, 3, 3)

  def walk(node, out):
    h = E[node.token]
    for c in node.children:
      h = h + tf.linalg.matvec(W, walk(c, out))
    node.index = len(out)
    out.append(tf.tanh(h))
    return out[-1]

  @recursive
  def matrix(root):
    out = []
    walk(root, out)
    return tf.stack(out)
  return matrix, [E, W]


# 5 sibling LSTM: children processed sequentially by GRU cell (recursive over sequence)
def build_children_sequence(recursive):
  E = rnd(6, 8, 3)
  cell = tf.keras.layers.SimpleRNNCell(3, kernel_initializer=tf.keras.initializers.GlorotUniform(1), recurrent_initializer=tf.keras.initializers.Orthogonal(seed=1))
  cell.build((1, 3))

  @recursive
  def enc(node):
    state = [tf.gather(E, [node.token])]
    for child in node.children:
      _, state = cell(enc(child), state)
    return state[0]
  return enc, [E]


# 6 first-child next-sibling
class FCNS:
  def __init__(self, v, child=None, sib=None):
    self.v, self.child, self.sib = v, child, sib


def build_fcns(recursive):
  E, A, B = rnd(7, 8, 3), rnd(8, 3, 3), rnd(9, 3, 3)
  zero = tf.zeros([3])

  @recursive
  def enc(n):
    a = enc(n.child) if n.child else zero
    b = enc(n.sib) if n.sib else zero
    return tf.tanh(E[n.v] + tf.linalg.matvec(A, a) + tf.linalg.matvec(B, b))
  return enc, [E, A, B]
def calls_fcns(state):
  t = FCNS(1, FCNS(2, None, FCNS(3, FCNS(4))), None)
  yield (t,)
  yield (FCNS(5),)
  t.sib = FCNS(6, FCNS(7))
  yield (t,)


# 7 adaptive depth (PonderNet-like) with tensor halting
def build_ponder(recursive):
  W, w = rnd(30, 3, 3), rnd(31, 3)

  @recursive
  def ponder(x, h, budget=1.0, n=0):
    h = tf.tanh(tf.linalg.matvec(W, h) + x)
    p = tf.sigmoid(tf.tensordot(w, h, 1))
    if n >= 5 or budget - p < 0.1:
      return budget * h
    return p * h + ponder(x, h, budget - p, n + 1)
  return ponder, [W, w]
def calls_ponder(state):
  yield (tf.constant([1.0, 2.0, 3.0]), tf.zeros(3))
  yield (tf.constant([0.0, -2.0, 0.5]), tf.ones(3))
  yield (tf.constant([0.0, -2.0, 0.5]), tf.ones(3), 0.2)


# 8 train & dropout flag
def build_training_flag(recursive):
  E, W = rnd(32, 8, 3), rnd(33, 3, 3)
  bn = tf.keras.layers.BatchNormalization()
  bn.build((1, 3))

  @recursive
  def enc(node, training=False):
    h = E[node.token][None]
    if node.children:
      h = h + tf.add_n([enc(c, training=training) for c in node.children]) @ W
    return tf.tanh(bn(h, training=training))
  return enc, [E, W]
def calls_training_flag(state):
  for (t,) in calls(state):
    yield (t, False)


# 9 tree convolution (continuous binary tree, TBCNN)
def build_tbcnn(recursive):
  E, Wt, Wl, Wr = rnd(34, 8, 3), rnd(35, 3, 3), rnd(36, 3, 3), rnd(37, 3, 3)
  features = []

  @recursive
  def conv(node):
    y = tf.linalg.matvec(Wt, E[node.token])
    n = len(node.children)
    for i, c in enumerate(node.children):
      r = i / (n - 1) if n > 1 else 0.5
      y += (1 - r) * tf.linalg.matvec(Wl, E[c.token]) + r * tf.linalg.matvec(Wr, E[c.token])
    features.append(tf.nn.relu(y))
    for c in node.children:
      conv(c)
  return conv, [features, E, Wt, Wl, Wr]


# 10 similarity of two trees (tree kernel)
def build_tree_kernel(recursive):
  @recursive
  def kernel(a, b, lam=0.5):
    if a.token != b.token or len(a.children) != len(b.children):
      return 0.0
    k = lam
    for x, y in zip(a.children, b.children):
      k *= 1 + kernel(x, y, lam)
    return k
  return kernel
def calls_tree_kernel(state):
  t = tr()
  yield (t, tr())
  yield (t, Node(1))
  t.children[1].token = 9
  yield (tr(), t)


# 11 siamese difference with tensors
def build_siamese(recursive):
  E, W = rnd(38, 8, 3), rnd(39, 3, 3)

  def enc(n):
    return tf.tanh(E[n.token] + functools.reduce(lambda acc, c: acc + tf.linalg.matvec(W, enc(c)), n.children, tf.zeros(3)))

  @recursive
  def score(pair):
    a, b = pair
    d = enc(a) - enc(b)
    return tf.exp(-tf.reduce_sum(tf.abs(d)))
  return score, [E, W]
def calls_siamese(state):
  t = tr()
  yield ((t, tr()),)
  yield ((t, Node(1)),)
  yield ((Node(3), t.children[1]),)


# 12 predicted labels as nested list / Tree of predictions
def build_predict_tree(recursive):
  E, C = rnd(40, 12, 3), rnd(41, 3, 3)
  words = {w: i for i, w in enumerate("the cat sat on mat".split(), 1)}

  @recursive
  def predict(tree):
    if isinstance(tree[0], str):
      h = E[words.get(tree[0], 0)]
      kids = [tree[0]]
    else:
      results = [predict(c) for c in tree]
      h = tf.add_n([r[0] for r in results])
      kids = [r[1] for r in results]
    label = int(tf.argmax(tf.linalg.matvec(C, h)))
    return h, Tree(str(label), kids)
  return predict, [E, C]
def calls_predict_tree(state):
  yield (Tree.fromstring("(S (NP (DT the) (NN cat)) (VP sat))"),)
  yield (Tree.fromstring("(S cat)"),)
  yield (Tree.fromstring("(S (X dog) (Y on) (Z mat))"),)


# 13 set label in place on nltk
def build_relabel(recursive):
  E, C = rnd(42, 12, 3), rnd(43, 3, 3)
  names = ["neg", "neu", "pos"]
  words = {w: i for i, w in enumerate("the cat sat on mat".split(), 1)}

  @recursive
  def relabel(tree):
    if len(tree) == 1 and not isinstance(tree[0], Tree):
      h = E[words.get(tree[0], 0)]
    else:
      h = tf.reduce_mean(tf.stack([relabel(c) for c in tree]), axis=0)
    tree.set_label(names[int(tf.argmax(tf.linalg.matvec(C, h)))])
    return h
  return relabel, [E, C]
calls_relabel = calls_predict_tree


# 14 Keras model with call recursive on itself, list of trees (batch) in call
def build_keras_call(recursive):
  class M(tf.keras.Model):
    def __init__(self):
      super().__init__()
      self.emb = tf.keras.layers.Embedding(8, 3, embeddings_initializer=tf.keras.initializers.RandomUniform(seed=3))
      self.emb.build(None)
      self.comb = dense(3, 5, 6, activation="tanh")
      self.out = dense(2, 6, 3)

    @recursive
    def encode(self, node):
      x = self.emb(tf.constant(node.token))
      if not node.children:
        return tf.expand_dims(x, 0)
      kids = tf.reduce_mean(tf.concat([self.encode(c) for c in node.children], 0), 0, keepdims=True)
      return self.comb(tf.concat([x[None], kids], -1))

    def logits(self, trees):
      return self.out(tf.concat([self.encode(t) for t in trees], 0))
  m = M()
  return m.logits, [m]
def calls_keras_call(state):
  t = tr()
  yield ([t, Node(2), tr()],)
  t.children.pop()
  yield ([t],)


# 15 numpy only model
def build_numpy_rnn(recursive):
  E = np.random.RandomState(50).randn(8, 3)
  W = np.random.RandomState(51).randn(3, 3)

  @recursive
  def enc(node):
    h = E[node.token]
    for c in node.children:
      h = h + W @ enc(c)
    return np.tanh(h)
  return enc


# 16 tree positional encoding (stack of branch choices)
def build_tree_positions(recursive):
  out = {}

  @recursive
  def positions(node, code):
    out[node.token] = code
    for i, c in enumerate(node.children):
      branch = tf.one_hot(i, 3)
      positions(c, tf.concat([branch, code[:-3]], 0))
  return positions, [out]
def calls_tree_positions(state):
  for (t,) in calls(state):
    yield (t, tf.zeros(9))


# 17 sampling beam per node: top-k of products
def build_topk_merge(recursive):
  S = rnd(60, 8, 4)

  @recursive
  def topk(node, k=2):
    scores = S[node.token]
    for c in node.children:
      best = topk(c, k)
      scores = tf.reshape(scores[:, None] + best[None, :], [-1])
    return tf.sort(scores, direction="DESCENDING")[:k]
  return topk, [S]


# 18 viterbi on a tree
def build_tree_viterbi(recursive):
  unary, trans = rnd(61, 8, 3), rnd(62, 3, 3)

  @recursive
  def viterbi(node):
    score = unary[node.token]
    backs = []
    for c in node.children:
      child_score, child_back = viterbi(c)
      m = trans + child_score[None, :]
      backs.append((tf.argmax(m, axis=1), child_back))
      score = score + tf.reduce_max(m, axis=1)
    return score, backs
  return viterbi, [unary, trans]


# 19 belief propagation: log partition function, with label marginals by gradient
def build_log_partition(recursive):
  unary, trans = rnd(63, 8, 3), rnd(64, 3, 3)

  def message(node):
    s = unary[node.token]
    for c in node.children:
      s += tf.reduce_logsumexp(trans + message(c), axis=-1)
    return s

  @recursive
  def log_z(root):
    return tf.reduce_logsumexp(message(root))
  return log_z, [unary, trans]
