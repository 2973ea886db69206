"""Bottom-up tree models."""
import collections
import dataclasses
import typing

import numpy as np
import tensorflow as tf
from nltk import Tree


def weights(seed, *shape, scale=0.4):
  return tf.Variable(np.random.RandomState(seed).randn(*shape).astype("float32") * scale)


def dense(units, seed, **kw):
  return tf.keras.layers.Dense(units, kernel_initializer=tf.keras.initializers.GlorotUniform(seed), **kw)


PARSES = [
  "(S (NP (DT the) (NN cat)) (VP (VB sat)))",
  "(NN cat)",
  "(S (NP (DT the) (NN dog)) (VP (VB saw) (NP (DT the) (NN cat))))",
  "(S (NP (NP (DT a) (NN dog)) (PP (IN on) (NP (DT the) (NN mat)))) (VP (VB sat)))",
]
BINARY = ["(3 (2 the) (4 (4 great) (2 film)))", "(1 bad)", "(2 (1 (0 awful) (1 bad)) (4 (2 the) (4 great)))"]
WORDS = {w: i for i, w in enumerate(["<unk>", "the", "a", "cat", "dog", "mat", "sat", "saw", "on", "great", "film", "bad"])}


def parse_calls(state):
  for p in PARSES:
    yield (Tree.fromstring(p),)


def binary_calls(state):
  for p in BINARY:
    yield (Tree.fromstring(p),)


class Node:
  def __init__(self, label=None, word=None, children=()):
    self.label = label
    self.word = word
    self.children = list(children)

  @property
  def is_leaf(self):
    return len(self.children) == 0


def some_tree():
  return Node(1, None, [Node(0, 3), Node(2, None, [Node(1, 4), Node(0, 5), Node(1, 2)])])


def calls(state):
  t = some_tree()
  yield (t,)
  yield (Node(2, 7),)
  t.children[1].children.append(Node(0, None, [Node(1, 1), Node(2, 6)]))
  yield (t,)
  yield (Node(0, None, [t, Node(1, 3)]),)


# 1. Socher's RNN over nltk trees, numpy-ish style, plain functions
def build_socher_rnn(recursive):
  L = weights(0, len(WORDS), 4)
  W = weights(1, 8, 4)
  b = weights(2, 4)

  @recursive
  def compose(tree):
    if tree.height() == 2:
      idx = WORDS.get(tree[0].lower(), WORDS["<unk>"])
      return tf.expand_dims(L[idx], 0)
    left = compose(tree[0])
    right = compose(tree[1])
    return tf.tanh(tf.matmul(tf.concat([left, right], 1), W) + b)

  return compose, [L, W, b]
calls_socher_rnn = binary_calls


# 2. RNTN as tf.Module, with loss summed over all nodes
class RNTN(tf.Module):
  def __init__(self, d=3, classes=5):
    super().__init__()
    self.d = d
    self.embed = weights(3, len(WORDS), d)
    self.V = weights(4, d, 2 * d, 2 * d)
    self.W = weights(5, d, 2 * d)
    self.Ws = weights(6, d, classes)

  def tensor_product(self, a, b):
    ab = tf.concat([a, b], axis=0)
    quad = tf.einsum("i,kij,j->k", ab, self.V, ab)
    return tf.tanh(quad + tf.linalg.matvec(self.W, ab))

  def node_loss(self, vec, label):
    logits = tf.matmul(vec[None, :], self.Ws)
    return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[label], logits=logits))


def build_rntn_module(recursive):
  model = RNTN()

  @recursive
  def forward(tree):
    label = int(tree.label())
    if isinstance(tree[0], str):
      vec = model.embed[WORDS.get(tree[0], 0)]
      return vec, model.node_loss(vec, label)
    (l, ll), (r, rl) = [forward(c) for c in tree]
    vec = model.tensor_product(l, r)
    return vec, ll + rl + model.node_loss(vec, label)

  return forward, [model]
calls_rntn_module = binary_calls


# 3. Child-sum TreeLSTM as Keras layer, children as list, states as tuples
class ChildSumCell(tf.keras.layers.Layer):
  def __init__(self, units):
    super().__init__()
    self.units = units
    self.W_iou = dense(3 * units, 1)
    self.U_iou = dense(3 * units, 2, use_bias=False)
    self.W_f = dense(units, 3)
    self.U_f = dense(units, 4, use_bias=False)

  def call(self, x, child_h, child_c):
    if not child_h:
      h_tilde = tf.zeros([1, self.units])
      fc = tf.zeros([1, self.units])
    else:
      h_tilde = tf.add_n(child_h)
      fc = tf.zeros([1, self.units])
      for h, c in zip(child_h, child_c):
        f = tf.sigmoid(self.W_f(x) + self.U_f(h))
        fc += f * c
    i, o, u = tf.split(self.W_iou(x) + self.U_iou(h_tilde), 3, axis=-1)
    c = tf.sigmoid(i) * tf.tanh(u) + fc
    return tf.sigmoid(o) * tf.tanh(c), c


def build_childsum_keras(recursive):
  cell = ChildSumCell(3)
  E = weights(7, 10, 2)
  cell(E[:1], [tf.zeros([1, 3])], [tf.zeros([1, 3])])
  pad = tf.zeros([1, 2])

  @recursive
  def encode(node):
    states = [encode(child) for child in node.children]
    x = E[node.word][tf.newaxis] if node.word is not None else pad
    return cell(x, [h for h, _ in states], [c for _, c in states])

  return encode, [cell, E]


# 4. N-ary (binary) TreeLSTM, method of a Keras model, with dropout off & dataclass nodes
@dataclasses.dataclass
class BNode:
  value: int
  left: typing.Optional["BNode"] = None
  right: typing.Optional["BNode"] = None


class BinaryTreeLSTM(tf.keras.Model):
  def __init__(self, hidden=3):
    super().__init__()
    self.hidden = hidden
    self.emb = tf.keras.layers.Embedding(10, 2, embeddings_initializer=tf.keras.initializers.RandomUniform(seed=5))
    self.gates = dense(5 * hidden, 6)
    self.leaf = dense(hidden, 7)
    self.out = dense(2, 8)

  def node_forward(self, node):
    if node is None:
      return tf.zeros((1, self.hidden)), tf.zeros((1, self.hidden))
    h_l, c_l = self.node_forward(node.left)
    h_r, c_r = self.node_forward(node.right)
    x = self.emb(tf.constant([node.value]))
    i, f_l, f_r, o, g = tf.split(self.gates(tf.concat([x, h_l, h_r], -1)), 5, -1)
    c = tf.sigmoid(i) * tf.tanh(g) + tf.sigmoid(f_l) * c_l + tf.sigmoid(f_r) * c_r
    h = tf.sigmoid(o) * tf.tanh(c)
    return h, c

  def call(self, root):
    h, _ = self.node_forward(root)
    return self.out(h)


def build_binary_treelstm(recursive):
  model = BinaryTreeLSTM()
  model.gates.build((1, 8)); model.out.build((1, 3)); model.emb.build(None)

  def node_forward(node):
    return model.node_forward(node)

  BinaryTreeLSTM.node_forward = recursive(BinaryTreeLSTM.node_forward)
  return node_forward_of(model), [model]


def node_forward_of(model):
  return model.node_forward


def calls_binary_treelstm(state):
  t = BNode(1, BNode(2), BNode(3, BNode(4), None))
  yield (t,)
  yield (BNode(5),)
  t.left.left = BNode(6, None, BNode(7))
  yield (t,)
  yield (None,)


# 5. tree as nested tuples, words at leaves
def build_tuple_rnn(recursive):
  vocab = {"i": 0, "like": 1, "tea": 2, "green": 3}
  E = weights(8, 4, 3)
  W = weights(9, 6, 3)

  @recursive
  def encode(t):
    if isinstance(t, str):
      return tf.reshape(tf.gather(E, vocab[t]), [1, 3])
    l, r = t
    return tf.nn.relu(tf.concat([encode(l), encode(r)], axis=1) @ W)

  return encode, [E, W]


def calls_tuple_rnn(state):
  yield (("i", ("like", "tea")),)
  yield ("tea",)
  yield (("i", ("like", ("green", "tea"))),)
  yield ((("green", "tea"), ("like", "i")),)


# 6. dependency tree RNN with relation specific matrices in dict
def build_dep_rnn(recursive):
  rel = {"root": weights(10, 3, 3), "nsubj": weights(11, 3, 3), "dobj": weights(12, 3, 3), "det": weights(13, 3, 3)}
  E = weights(14, 8, 3)

  class Tok:
    def __init__(self, idx, dep, *kids):
      self.idx = idx
      self.dep = dep
      self.kids = kids

  @recursive
  def embed(tok):
    v = E[tok.idx]
    for k in tok.kids:
      v = v + tf.linalg.matvec(rel[k.dep], embed(k))
    return tf.tanh(v / (1 + len(tok.kids)))

  embed.tok = Tok
  return embed, [E, rel, Tok]


def calls_dep_rnn(state):
  Tok = state[2]
  yield (Tok(0, "root", Tok(1, "nsubj", Tok(2, "det")), Tok(3, "dobj")),)
  yield (Tok(4, "root"),)
  yield (Tok(0, "root", Tok(1, "nsubj", Tok(2, "det")), Tok(3, "dobj", Tok(5, "det"), Tok(6, "nsubj"))),)


# 7. mean / max pooling over children with GRU
def build_gru_pool(recursive):
  gru = tf.keras.layers.GRUCell(3, kernel_initializer=tf.keras.initializers.GlorotUniform(1),
                                recurrent_initializer=tf.keras.initializers.Orthogonal(seed=2))
  gru.build((1, 2))
  E = weights(15, 10, 2)

  @recursive
  def up(node):
    if node.is_leaf:
      h0 = tf.zeros([1, 3])
    else:
      kids = tf.concat([up(c) for c in node.children], 0)
      h0 = tf.reduce_max(kids, axis=0, keepdims=True)
    x = tf.nn.embedding_lookup(E, [node.word or 0])
    out, _ = gru(x, [h0])
    return out

  return up, [E]


# 8. matrix-vector RNN (MV-RNN): each node has vector and matrix
MV = collections.namedtuple("MV", "vec mat")
def build_mv_rnn(recursive):
  vecs = weights(16, 12, 2)
  mats = weights(17, 12, 2, 2)
  W = weights(18, 2, 4)
  WM = weights(19, 2, 4)

  @recursive
  def run(t):
    if len(t) == 1 and isinstance(t[0], str):
      i = WORDS.get(t[0], 0)
      return MV(vecs[i], mats[i])
    a, b = run(t[0]), run(t[1])
    v = tf.tanh(tf.linalg.matvec(W, tf.concat([tf.linalg.matvec(b.mat, a.vec), tf.linalg.matvec(a.mat, b.vec)], 0)))
    m = tf.matmul(WM, tf.concat([a.mat, b.mat], 0))
    return MV(vec=v, mat=m)

  return run, [vecs, mats, W, WM]
calls_mv_rnn = binary_calls


# 9. recursive autoencoder, reconstruction loss in a running total on self
class RAE:
  def __init__(self):
    self.enc = weights(20, 6, 3)
    self.dec = weights(21, 3, 6)
    self.emb = weights(22, 10, 3)
    self.loss = 0.0
    self.nodes = 0

  def encode(self, node):
    if not node.children:
      return self.emb[node.word][None]
    h = self.encode(node.children[0])
    for child in node.children[1:]:
      pair = tf.concat([h, self.encode(child)], 1)
      h = tf.tanh(pair @ self.enc)
      rec = h @ self.dec
      self.loss += tf.reduce_sum((rec - pair) ** 2)
      self.nodes += 1
    return h


def build_rae(recursive):
  class Model(RAE):
    encode = recursive(RAE.encode)
  m = Model()
  return m.encode, [m]


# 10. predicting at each node; store predictions on nodes, collect losses in list
def build_annotating(recursive):
  E, W, C = weights(23, 10, 3), weights(24, 3, 3), weights(25, 3, 4)
  losses = []

  @recursive
  def annotate(node):
    if node.is_leaf:
      node.state = E[node.word]
    else:
      total = sum(annotate(c) for c in node.children)
      node.state = tf.tanh(tf.linalg.matvec(W, total))
    node.logits = tf.tensordot(node.state, C, 1)
    losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=node.label, logits=node.logits))
    return node.state

  return annotate, [losses, E, W, C]


# 11. Universal: two mutually recursive encoders (word vs phrase)
def build_word_phrase(recursive):
  E = weights(26, len(WORDS), 3)
  W = {n: weights(30 + n, 3 * n, 3) for n in (1, 2, 3)}
  tags = {}
  for i, t in enumerate(["S", "NP", "VP", "PP", "DT", "NN", "VB", "IN"]):
    tags[t] = weights(40 + i, 1, 3)

  def encode_word(w):
    return E[WORDS.get(w, 0)][tf.newaxis, :]

  @recursive
  def encode_phrase(tree):
    parts = []
    for child in tree:
      if isinstance(child, Tree):
        parts.append(encode_phrase(child))
      else:
        parts.append(encode_word(child))
    x = tf.concat(parts, axis=1)
    return tf.tanh(tf.matmul(x, W[len(tree)]) + tags[tree.label()])

  return encode_phrase, [E]
calls_word_phrase = parse_calls


# 12. Highway/residual on depth, passes depth & uses layer norm
def build_depth_scaled(recursive):
  E = weights(50, 10, 4)
  W = weights(51, 4, 4)
  ln = tf.keras.layers.LayerNormalization()
  ln.build((1, 4))

  @recursive
  def enc(node, depth=0):
    x = tf.gather(E, [node.label])
    if node.children:
      kids = [enc(c, depth + 1) for c in node.children]
      agg = tf.reduce_mean(tf.stack(kids), axis=0)
      x = ln(x + tf.nn.gelu(agg @ W))
    return x * 0.9 ** depth

  return enc, [E, W]
