"""Tree-shaped neural networks."""

from typing import NamedTuple

import tensorflow as tf

from tests.convert.natural.neural_trees import D, Tree, binary, calls, v, wide_calls  # noqa: F401 - the runner calls them


def child_sum_parts():
  return v(5, D), v(D, 3 * D), v(D, 3 * D, seed=1), v(D, D), v(D, D, seed=1)


def build_treernn_loss_list(recursive):
  E, W, U = v(5, D), v(2 * D, D), v(D, 4)

  @recursive
  def encode(node, losses):
    if node.is_leaf:
      h = tf.gather(E, [node.word])
    else:
      h = tf.tanh(tf.concat([encode(c, losses) for c in node.children], 1) @ W)
    logits = h @ U
    losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits([node.label], logits))
    return h

  def loss(tree):
    losses = []
    encode(tree, losses)
    return tf.add_n(losses)

  return loss, [E, W, U]


def build_treernn_loss_attr(recursive):
  E, W, U = v(5, D), v(2 * D, D), v(D, 4)

  class Model:
    def __init__(self):
      self.losses = []

    @recursive
    def encode(self, node):
      if node.is_leaf:
        h = tf.gather(E, [node.word])
      else:
        h = tf.tanh(tf.concat([self.encode(node.left), self.encode(node.right)], 1) @ W)
      self.losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits([node.label], h @ U))
      return h

    def loss(self, tree):
      self.losses = []
      self.encode(tree)
      return tf.reduce_mean(tf.concat(self.losses, 0))

  model = Model()
  return model.loss, [E, W, U, model]


def build_treelstm_binary(recursive):
  E, U, W = v(5, D), v(2 * D, 5 * D), v(D, 5 * D)

  @recursive
  def encode(node):
    if node.is_leaf:
      z = tf.gather(E, [node.word]) @ W
      i, _, _, o, u = tf.split(z, 5, 1)
      c = tf.sigmoid(i) * tf.tanh(u)
      return tf.sigmoid(o) * tf.tanh(c), c
    hl, cl = encode(node.left)
    hr, cr = encode(node.right)
    i, fl, fr, o, u = tf.split(tf.concat([hl, hr], 1) @ U, 5, 1)
    c = tf.sigmoid(i) * tf.tanh(u) + tf.sigmoid(fl) * cl + tf.sigmoid(fr) * cr
    return tf.sigmoid(o) * tf.tanh(c), c

  return encode, [E, U, W]


def build_childsum_append(recursive):
  E, W, U, Wf, Uf = params = child_sum_parts()

  @recursive
  def encode(node):
    states = []
    for child in node.children:
      states.append(encode(child))
    x = tf.gather(E, [node.word]) if node.word is not None else tf.zeros([1, D])
    h_sum = tf.zeros([1, D])
    for h, c in states:
      h_sum += h
    i, o, u = tf.split(x @ W + h_sum @ U, 3, 1)
    c_new = tf.sigmoid(i) * tf.tanh(u)
    for h, c in states:
      f = tf.sigmoid(x @ Wf + h @ Uf)
      c_new += f * c
    return tf.sigmoid(o) * tf.tanh(c_new), c_new

  return encode, list(params)


calls_childsum_append = wide_calls


def build_childsum_index(recursive):
  E, W, U, Wf, Uf = params = child_sum_parts()

  @recursive
  def encode(node):
    x = tf.zeros([1, D]) if node.word is None else tf.gather(E, [node.word])
    states = [encode(child) for child in node.children]
    h_sum = tf.add_n([s[0] for s in states]) if states else tf.zeros([1, D])
    i, o, u = tf.split(x @ W + h_sum @ U, 3, 1)
    c = tf.sigmoid(i) * tf.tanh(u)
    for s in states:
      c = c + tf.sigmoid(x @ Wf + s[0] @ Uf) * s[1]
    return tf.sigmoid(o) * tf.tanh(c), c

  return encode, list(params)


calls_childsum_index = wide_calls


def build_childsum_zip(recursive):
  E, W, U, Wf, Uf = params = child_sum_parts()

  @recursive
  def encode(node):
    if node.is_leaf:
      x = tf.gather(E, [node.word])
      hs, cs = tf.zeros([1, D]), tf.zeros([1, D])
    else:
      x = tf.zeros([1, D])
      hs, cs = zip(*[encode(c) for c in node.children])
      hs, cs = tf.concat(hs, 0), tf.concat(cs, 0)
    i, o, u = tf.split(x @ W + tf.reduce_sum(hs, 0, keepdims=True) @ U, 3, 1)
    c = tf.sigmoid(i) * tf.tanh(u) + tf.reduce_sum(
      tf.sigmoid(x @ Wf + hs @ Uf) * cs, 0, keepdims=True
    )
    return tf.sigmoid(o) * tf.tanh(c), c

  return encode, list(params)


calls_childsum_zip = wide_calls


def build_childsum_namedtuple(recursive):
  class State(NamedTuple):
    h: tf.Tensor
    c: tf.Tensor

  E, W, U, Wf, Uf = params = child_sum_parts()

  @recursive
  def encode(node):
    x = tf.gather(E, [node.word or 0])
    below = []
    for child in node.children:
      below.append(encode(child))
    h_sum = sum([s.h for s in below], tf.zeros([1, D]))
    i, o, u = tf.split(x @ W + h_sum @ U, 3, 1)
    c = tf.sigmoid(i) * tf.tanh(u)
    for s in below:
      c += tf.sigmoid(x @ Wf + s.h @ Uf) * s.c
    return State(tf.sigmoid(o) * tf.tanh(c), c)

  return encode, list(params)


calls_childsum_namedtuple = wide_calls


def build_childsum_dict(recursive):
  E, W, U, Wf, Uf = params = child_sum_parts()

  @recursive
  def encode(node):
    x = tf.gather(E, [node.word]) if node.is_leaf else tf.zeros([1, D])
    below = [encode(c) for c in node.children]
    h_sum = tf.reduce_sum(tf.stack([b["h"] for b in below]), 0) if below else tf.zeros([1, D])
    i, o, u = tf.split(x @ W + h_sum @ U, 3, 1)
    c = tf.sigmoid(i) * tf.tanh(u)
    for b in below:
      c += tf.sigmoid(x @ Wf + b["h"] @ Uf) * b["c"]
    return {"h": tf.sigmoid(o) * tf.tanh(c), "c": c}

  return encode, list(params)


calls_childsum_dict = wide_calls


def build_childsum_on_nodes(recursive):
  E, W, U, Wf, Uf = params = child_sum_parts()

  @recursive
  def encode(node):
    for child in node.children:
      encode(child)
    x = tf.gather(E, [node.word]) if node.word is not None else tf.zeros([1, D])
    h_sum = tf.zeros([1, D])
    for child in node.children:
      h_sum = h_sum + child.h
    i, o, u = tf.split(x @ W + h_sum @ U, 3, 1)
    c = tf.sigmoid(i) * tf.tanh(u)
    for child in node.children:
      c = c + tf.sigmoid(x @ Wf + child.h @ Uf) * child.c
    node.c = c
    node.h = tf.sigmoid(o) * tf.tanh(c)

  return encode, list(params)


calls_childsum_on_nodes = wide_calls


def build_childsum_keras(recursive):
  class ChildSum(tf.keras.Model):
    def __init__(self):
      super().__init__()
      init = lambda seed: tf.keras.initializers.RandomNormal(stddev=0.5, seed=seed)
      self.embed = tf.keras.layers.Embedding(5, D, embeddings_initializer=init(1))
      self.iou = tf.keras.layers.Dense(3 * D, kernel_initializer=init(2))
      self.f = tf.keras.layers.Dense(D, kernel_initializer=init(3))

    @recursive
    def encode(self, node):
      states = [self.encode(c) for c in node.children]
      x = self.embed(tf.constant([node.word])) if node.is_leaf else tf.zeros([1, D])
      h_sum = tf.add_n([h for h, c in states]) if states else tf.zeros([1, D])
      i, o, u = tf.split(self.iou(tf.concat([x, h_sum], 1)), 3, 1)
      c = tf.sigmoid(i) * tf.tanh(u)
      for hk, ck in states:
        c += tf.sigmoid(self.f(tf.concat([x, hk], 1))) * ck
      return tf.sigmoid(o) * tf.tanh(c), c

  model = ChildSum()
  model.embed(tf.constant([0]))
  model.iou(tf.zeros([1, 2 * D]))
  model.f(tf.zeros([1, 2 * D]))
  return model.encode, [model]


calls_childsum_keras = wide_calls


def build_nary_zip(recursive):
  E = v(5, D)
  Ws = [v(D, D, seed=i) for i in range(4)]

  @recursive
  def encode(node):
    if not node.children:
      return tf.gather(E, [node.word])
    return tf.tanh(sum(encode(child) @ w for child, w in zip(node.children, Ws)))

  return encode, [E, *Ws]


calls_nary_zip = wide_calls


def build_rntn(recursive):
  E, V, W = v(5, D), v(2 * D, 2 * D, D), v(2 * D, D)

  @recursive
  def encode(node):
    if node.is_leaf:
      return E[node.word]
    x = tf.concat([encode(node.left), encode(node.right)], 0)
    quadratic = tf.einsum("i,ijk,j->k", x, V, x)
    return tf.tanh(quadratic + tf.linalg.matvec(W, x, transpose_a=True))

  return encode, [E, V, W]


def build_mvrnn(recursive):
  E, M, W, WM = v(5, D), v(5, D, D), v(2 * D, D), v(D, 2 * D)

  @recursive
  def encode(node):
    if node.is_leaf:
      return E[node.word], M[node.word]
    a, A = encode(node.left)
    b, B = encode(node.right)
    x = tf.concat([tf.linalg.matvec(B, a), tf.linalg.matvec(A, b)], 0)
    vector = tf.tanh(tf.linalg.matvec(W, x, transpose_a=True))
    matrix = WM @ tf.concat([A, B], 0)
    return vector, matrix

  return encode, [E, M, W, WM]


def build_tree_gru(recursive):
  E, Wz, Wr, Wh = v(5, D), v(2 * D, D), v(2 * D, D, seed=1), v(2 * D, D, seed=2)

  @recursive
  def encode(node):
    if node.is_leaf:
      return tf.gather(E, [node.word])
    h = tf.zeros([1, D])
    for child in node.children:
      x = encode(child)
      xh = tf.concat([x, h], 1)
      z, r = tf.sigmoid(xh @ Wz), tf.sigmoid(xh @ Wr)
      candidate = tf.tanh(tf.concat([x, r * h], 1) @ Wh)
      h = (1.0 - z) * h + z * candidate
    return h

  return encode, [E, Wz, Wr, Wh]


calls_tree_gru = wide_calls


def build_autoencoder_decode(recursive):
  E, We, Wd = v(5, D), v(2 * D, D), v(D, 2 * D)

  def encode(node):
    if node.is_leaf:
      return tf.gather(E, [node.word])
    return tf.tanh(tf.concat([encode(node.left), encode(node.right)], 1) @ We)

  def decode(node, h):
    if node.is_leaf:
      return tf.reduce_sum(tf.square(h - tf.gather(E, [node.word])))
    l, r = tf.split(tf.tanh(h @ Wd), 2, 1)
    return decode(node.left, l) + decode(node.right, r)

  @recursive
  def loss(tree):
    return decode(tree, encode(tree))

  return loss, [E, We, Wd]
