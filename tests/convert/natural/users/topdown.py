"""Top-down models, attention over children, decoders."""
import numpy as np
import tensorflow as tf


def weights(seed, *shape, scale=0.4):
  return tf.Variable(np.random.RandomState(seed).randn(*shape).astype("float32") * scale)


class Node:
  def __init__(self, label, *children):
    self.label = label
    self.children = list(children)
    self.parent = None
    for c in children:
      c.parent = self


def calls(state):
  t = Node(1, Node(2), Node(3, Node(0), Node(4), Node(2, Node(1))))
  yield (t,)
  yield (Node(3),)
  t.children[0].children.append(Node(4, Node(0)))
  yield (t,)
  yield (t.children[1],)


# 1 down pass with parent's state, stores on nodes, returns nothing
def build_down_store(recursive):
  E, W = weights(0, 6, 3), weights(1, 3, 3)

  @recursive
  def down(node, h=None):
    x = E[node.label]
    if h is None:
      h = tf.zeros(3)
    node.h = tf.tanh(x + tf.linalg.matvec(W, h))
    for c in node.children:
      down(c, node.h)

  return down, [E, W]


# 2 bidirectional: up, then down, then collects
def build_bidirectional(recursive):
  E, U, D = weights(2, 6, 3), weights(3, 3, 3), weights(4, 6, 3)

  def up(node):
    h = E[node.label][None]
    if node.children:
      h = h + tf.add_n([up(c) for c in node.children]) @ U
    node.up = tf.tanh(h)
    return node.up

  def down(node, context):
    node.down = tf.tanh(tf.concat([node.up, context], axis=-1) @ D)
    out = [node.down]
    for c in node.children:
      out.extend(down(c, node.down))
    return out

  @recursive
  def encode(root):
    up(root)
    states = down(root, tf.zeros([1, 3]))
    return tf.concat(states, axis=0)

  return encode, [E, U, D]


# 3 attention over children
def build_child_attention(recursive):
  E, W, a = weights(5, 6, 3), weights(6, 3, 3), weights(7, 3, 1)

  @recursive
  def enc(node):
    x = E[node.label]
    if len(node.children) == 0:
      return x
    H = tf.stack([enc(c) for c in node.children])
    scores = tf.squeeze(tf.matmul(tf.tanh(H @ W + x), a), -1)
    alpha = tf.nn.softmax(scores)
    return x + tf.reduce_sum(alpha[:, None] * H, axis=0)

  return enc, [E, W, a]


# 4 attention that returns weights too in a list of all nodes
def build_attention_weights(recursive):
  E, a = weights(8, 6, 3), weights(9, 3)

  @recursive
  def enc(node, attns):
    x = E[node.label]
    if not node.children:
      return x
    hs = [enc(c, attns) for c in node.children]
    scores = tf.stack([tf.reduce_sum(a * h) for h in hs])
    p = tf.nn.softmax(scores)
    attns.append(p)
    return x + sum(p[i] * hs[i] for i in range(len(hs)))

  return enc, [E, a]


def calls_attention_weights(state):
  for (t,) in calls(state):
    yield (t, [])


# 5 multi-head attention with Keras
def build_mha(recursive):
  E = weights(10, 6, 4)
  mha = tf.keras.layers.MultiHeadAttention(2, 2, kernel_initializer=tf.keras.initializers.GlorotUniform(3))
  mha(E[None, :2], E[None, :2])

  @recursive
  def enc(node):
    q = E[node.label][None, None]
    if not node.children:
      return q
    kids = tf.concat([enc(c) for c in node.children], axis=1)
    return q + mha(q, kids)

  return enc, [E]


# 6 path-encoding from parent pointers (recursion upward)
def build_upward(recursive):
  E, W = weights(11, 6, 3), weights(12, 3, 3)

  @recursive
  def path_state(node):
    if node.parent is None:
      return E[node.label]
    return tf.tanh(tf.linalg.matvec(W, path_state(node.parent)) + E[node.label])

  return path_state, [E, W]


def calls_upward(state):
  t = Node(1, Node(2), Node(3, Node(0), Node(4)))
  yield (t.children[1].children[0],)
  yield (t,)
  yield (t.children[0],)


# 7 decoder that grows a tree of dicts until a stop decision
def build_tree_decoder(recursive):
  Wl, Wr, stop, emit = weights(13, 3, 3), weights(14, 3, 3), weights(15, 3), weights(16, 3, 4)

  @recursive
  def decode(h, depth):
    word = tf.argmax(tf.linalg.matvec(emit, h, transpose_a=True))
    if depth >= 4 or tf.reduce_sum(stop * h) > 0.3:
      return {"word": word, "children": []}
    left = decode(tf.tanh(tf.linalg.matvec(Wl, h)), depth + 1)
    right = decode(tf.tanh(tf.linalg.matvec(Wr, h)), depth + 1)
    return {"word": word, "children": [left, right]}

  return decode, []


def calls_tree_decoder(state):
  yield (tf.constant([1.0, -0.5, 0.3]), 0)
  yield (tf.constant([-1.0, 2.0, 0.3]), 0)
  yield (tf.constant([-1.0, 2.0, 0.3]), 4)


# 8 decoder, generates flat list of words
def build_sentence_decoder(recursive):
  Wl, Wr, emit = weights(17, 3, 3), weights(18, 3, 3), weights(19, 3, 4)
  vocab = ["a", "b", "c", "d"]

  @recursive
  def generate(h, depth=0):
    probs = tf.nn.softmax(tf.linalg.matvec(emit, h, transpose_a=True))
    if depth > 3 or tf.reduce_max(probs) > 0.4:
      return [tf.argmax(probs)]
    return generate(tf.tanh(tf.linalg.matvec(Wl, h)), depth + 1) + generate(tf.tanh(tf.linalg.matvec(Wr, h)), depth + 1)

  return generate, []


def calls_sentence_decoder(state):
  yield (tf.constant([1.0, -0.5, 0.3]),)
  yield (tf.constant([-2.0, 2.0, 0.3]),)
  yield (tf.constant([0.1, 0.1, 0.1]), 2)


# 9 hierarchical softmax: walk down path to the leaf with the word
class Inner:
  def __init__(self, index, left, right):
    self.index, self.left, self.right = index, left, right
    self.words = left.words | right.words


class Leaf:
  def __init__(self, word):
    self.word = word
    self.words = {word}


def build_hsoftmax(recursive):
  V = weights(20, 4, 3)

  @recursive
  def logprob(node, word, h):
    if isinstance(node, Leaf):
      return tf.constant(0.0)
    score = tf.tensordot(V[node.index], h, axes=1)
    if word in node.left.words:
      return tf.math.log_sigmoid(score) + logprob(node.left, word, h)
    return tf.math.log_sigmoid(-score) + logprob(node.right, word, h)

  return logprob, [V]


def calls_hsoftmax(state):
  t = Inner(0, Inner(1, Leaf("a"), Leaf("b")), Inner(2, Leaf("c"), Inner(3, Leaf("d"), Leaf("e"))))
  h = tf.constant([0.5, -1.0, 0.25])
  for w in ("a", "d", "e", "c"):
    yield (t, w, h)


# 10 hierarchical softmax: all words' log probabilities, as a dict
def build_all_logprobs(recursive):
  V = weights(21, 4, 3)

  @recursive
  def logprobs(node, h, acc=0.0):
    if isinstance(node, Leaf):
      return {node.word: acc}
    s = tf.tensordot(V[node.index], h, axes=1)
    out = logprobs(node.left, h, acc + tf.math.log_sigmoid(s))
    out.update(logprobs(node.right, h, acc + tf.math.log_sigmoid(-s)))
    return out

  return logprobs, [V]


def calls_all_logprobs(state):
  h = tf.constant([0.5, -1.0, 0.25])
  yield (Inner(0, Inner(1, Leaf("a"), Leaf("b")), Leaf("c")), h)
  yield (Leaf("z"), h)
  yield (Inner(2, Leaf("c"), Inner(3, Leaf("d"), Leaf("e"))), h)


# 11 recursive attention hops: pointer chasing on graph embedding
def build_hops(recursive):
  M = weights(22, 5, 3)

  @recursive
  def hop(query, hops):
    if hops == 0:
      return query
    att = tf.nn.softmax(tf.linalg.matvec(M, query))
    return hop(query + tf.linalg.matvec(M, att, transpose_a=True), hops - 1)

  return hop, [M]


def calls_hops(state):
  yield (tf.constant([1.0, 0.0, 0.0]), 3)
  yield (tf.constant([0.0, 1.0, 0.0]), 0)
  yield (tf.constant([0.0, 1.0, 2.0]), 6)


# 12 Beam decode over a fixed number of steps
def build_beam(recursive):
  T = tf.nn.log_softmax(weights(23, 4, 4, scale=1.0))

  @recursive
  def beam_search(beams, steps):
    if steps == 0:
      return beams[0]
    candidates = []
    for seq, score in beams:
      for nxt in range(4):
        candidates.append((seq + [nxt], score + T[seq[-1], nxt]))
    candidates.sort(key=lambda x: -float(x[1]))
    return beam_search(candidates[:2], steps - 1)

  return beam_search, []


def calls_beam(state):
  yield ([([0], tf.constant(0.0))], 3)
  yield ([([2], tf.constant(0.0))], 0)
  yield ([([1], tf.constant(0.0)), ([3], tf.constant(-1.0))], 2)
