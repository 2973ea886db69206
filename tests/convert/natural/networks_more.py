"""More tree-shaped networks: states in containers, training steps, control by tensors."""

import dataclasses

import numpy as np
import tensorflow as tf

from tests.convert.natural.neural_trees import D, Tree, binary, calls, v, wide_calls  # noqa: F401 - the runner calls them


def build_tree_attention(recursive):
  E, q, W = v(5, D), v(D, 1), v(D, D)

  @recursive
  def encode(node):
    if node.is_leaf:
      return tf.gather(E, [node.word])
    hs = tf.concat([encode(c) for c in node.children], 0)
    weights = tf.nn.softmax(hs @ q, 0)
    node.attention = weights
    return tf.tanh(tf.reduce_sum(weights * hs, 0, keepdims=True) @ W)

  return encode, [E, q, W]


calls_tree_attention = wide_calls


def build_hidden_all(recursive):
  E, W = v(5, D), v(2 * D, D)

  @recursive
  def encode(node):
    if node.is_leaf:
      h = tf.gather(E, [node.word])
      return h, [h]
    hl, al = encode(node.left)
    hr, ar = encode(node.right)
    h = tf.tanh(tf.concat([hl, hr], 1) @ W)
    return h, al + ar + [h]

  return encode, [E, W]


def build_hidden_dict(recursive):
  E, W = v(5, D), v(2 * D, D)
  hidden = {}

  @recursive
  def encode(node, path="r"):
    if node.is_leaf:
      h = tf.gather(E, [node.word])
    else:
      h = tf.tanh(tf.concat([encode(node.left, path + "l"), encode(node.right, path + "r")], 1) @ W)
    hidden[path] = h
    return h

  return encode, [E, W, hidden]


def build_predictions(recursive):
  E, W, U = v(5, D), v(2 * D, D), v(D, 3)

  @recursive
  def predict(node, out):
    if node.is_leaf:
      h = tf.gather(E, [node.word])
    else:
      h = tf.tanh(tf.concat([predict(c, out) for c in node.children], 1) @ W)
    out.append((node.label, tf.argmax(h @ U, 1)[0]))
    return h

  def run(tree):
    out = []
    predict(tree, out)
    return out

  return run, [E, W, U]


def build_node_dataclass(recursive):
  @dataclasses.dataclass
  class Out:
    h: object
    loss: object
    nodes: int

  E, W, U = v(5, D), v(2 * D, D), v(D, 4)

  def classify(h, label):
    return tf.nn.sparse_softmax_cross_entropy_with_logits([label], h @ U)

  @recursive
  def encode(node):
    if node.is_leaf:
      h = tf.gather(E, [node.word])
      return Out(h, classify(h, node.label), 1)
    l, r = encode(node.left), encode(node.right)
    h = tf.tanh(tf.concat([l.h, r.h], 1) @ W)
    return Out(h, l.loss + r.loss + classify(h, node.label), l.nodes + r.nodes + 1)

  return encode, [E, W, U]


def build_gated_choice(recursive):
  E, W = v(5, D), v(D, D)

  @recursive
  def encode(node):
    if node.is_leaf:
      return tf.gather(E, [node.word])
    l, r = encode(node.left), encode(node.right)
    if tf.reduce_sum(l) > tf.reduce_sum(r):
      return l @ W
    return r @ W + l

  return encode, [E, W]


def build_training_losses(recursive):
  W, U = v(2 * D, D), v(D, 4)
  E = v(5, D)
  opt = tf.keras.optimizers.Adam(0.1)

  class Model:
    def __init__(self):
      self.losses, self.steps = [], 0

    @recursive
    def encode(self, node):
      if node.is_leaf:
        h = tf.gather(E, [node.word])
      else:
        h = tf.tanh(tf.concat([self.encode(c) for c in node.children], 1) @ W)
      self.losses.append(tf.nn.sparse_softmax_cross_entropy_with_logits([node.label], h @ U)[0])
      return h

    def step(self, tree):
      self.losses = []
      with tf.GradientTape() as tape:
        self.encode(tree)
        loss = tf.add_n(self.losses)
      opt.apply_gradients(zip(tape.gradient(loss, [E, W, U]), [E, W, U]))
      self.steps += 1
      return loss, len(self.losses)

  model = Model()
  return model.step, [model, lambda: W.numpy()]


def calls_training_losses():
  for _ in range(10):
    yield (binary(),)


def build_module(recursive):
  class Cell(tf.Module):
    def __init__(self):
      super().__init__()
      self.W, self.b = v(2 * D, D), v(D)

    def __call__(self, l, r):
      return tf.tanh(tf.concat([l, r], 1) @ self.W + self.b)

  class Model(tf.Module):
    def __init__(self):
      super().__init__()
      self.E, self.cell = v(5, D), Cell()

    @recursive
    def encode(self, node):
      if node.is_leaf:
        return tf.gather(self.E, [node.word])
      return self.cell(self.encode(node.left), self.encode(node.right))

  model = Model()
  return model.encode, [model]


def build_lstm_cell_state(recursive):
  init = tf.keras.initializers.RandomNormal(stddev=0.5, seed=3)
  cell = tf.keras.layers.LSTMCell(D, kernel_initializer=init, recurrent_initializer=init)
  cell(tf.zeros([1, D]), [tf.zeros([1, D]), tf.zeros([1, D])])
  E = v(5, D)

  @recursive
  def encode(node):
    if node.is_leaf:
      return tf.gather(E, [node.word])
    state = [tf.zeros([1, D]), tf.zeros([1, D])]
    for child in node.children:
      out, state = cell(encode(child), state)
    return out

  return encode, [E, cell]


calls_lstm_cell_state = wide_calls


def build_vocab_list_tree(recursive):
  vocab = {"the": 0, "cat": 1, "sat": 2}
  E, W = v(4, D), v(D, D)

  @recursive
  def encode(node):
    if isinstance(node, str):
      return tf.gather(E, [vocab.get(node, 3)])
    h = tf.zeros([1, D])
    for child in node:
      h = tf.tanh(h @ W + encode(child))
    return h

  return encode, [E, W]


def calls_vocab_list_tree():
  yield (["the", ["cat", "sat"]],)
  yield ([["the", "dog"], "and", ["cat", ["sat"]]],)
  yield (["the"],)


def build_numpy_states_stored(recursive):
  @recursive
  def encode(node):
    h = np.full([2], float(node.word if node.word is not None else 0), np.float32)
    for c in node.children:
      h += encode(c) * 0.5
    node.h = h
    return h

  return encode


calls_numpy_states_stored = wide_calls


def build_cached_on_node(recursive):
  E, W = v(5, D), v(2 * D, D)

  @recursive
  def encode(node):
    if getattr(node, "cache", None) is not None:
      return node.cache
    if node.is_leaf:
      h = tf.gather(E, [node.word])
    else:
      h = tf.tanh(tf.concat([encode(node.left), encode(node.right)], 1) @ W)
    node.cache = h
    return h

  return encode, [E, W]


def build_cky(recursive):
  E, W, u = v(5, D), v(2 * D, D), v(D, 1)

  @recursive
  def span(words, i, j):
    if j - i == 1:
      return tf.gather(E, [words[i]]), tf.zeros([1, 1])
    hs, ss = [], []
    for k in range(i + 1, j):
      hl, sl = span(words, i, k)
      hr, sr = span(words, k, j)
      h = tf.tanh(tf.concat([hl, hr], 1) @ W)
      hs.append(h)
      ss.append(sl + sr + h @ u)
    scores = tf.nn.softmax(tf.concat(ss, 1), 1)
    return scores @ tf.concat(hs, 0), tf.reduce_sum(scores * tf.concat(ss, 1), 1, keepdims=True)

  return span, [E, W, u]


def calls_cky():
  yield ([1, 2, 3], 0, 3)
  yield ([1, 4], 0, 2)
  yield ([3, 2, 1, 0], 0, 4)


def build_first_and_rest(recursive):
  E, W = v(5, D), v(D, D)

  @recursive
  def encode(node):
    if node.is_leaf:
      return tf.gather(E, [node.word])
    first, *rest = [encode(c) for c in node.children]
    for r in rest:
      first = first @ W + r
    return first

  return encode, [E, W]


calls_first_and_rest = wide_calls


def build_queue_shift_reduce(recursive):
  E, W = v(5, D), v(2 * D, D)

  @recursive
  def run(actions, words, stack):
    if not actions:
      return stack[0]
    if actions[0] == "s":
      return run(actions[1:], words[1:], stack + [tf.gather(E, [words[0]])])
    return run(actions[1:], words, stack[:-2] + [tf.tanh(tf.concat(stack[-2:], 1) @ W)])

  return run, [E, W]


def calls_queue_shift_reduce():
  yield ("ssrsr", [1, 2, 3], [])


def build_while_reduce(recursive):
  E, W = v(5, D), v(2 * D, D)

  @recursive
  def encode(node):
    if node.is_leaf:
      return tf.gather(E, [node.word])
    hs = [encode(c) for c in node.children]
    while len(hs) > 1:
      a = hs.pop(0)
      b = hs.pop(0)
      hs.append(tf.tanh(tf.concat([a, b], 1) @ W))
    return hs[0]

  return encode, [E, W]


calls_while_reduce = wide_calls


def build_len_tensor(recursive):
  E = v(5, D)

  @recursive
  def encode(node):
    if node.is_leaf:
      return tf.gather(E, [node.word])
    x = tf.concat([encode(c) for c in node.children], 0)
    return x / len(x)

  return encode, [E]


calls_len_tensor = wide_calls
