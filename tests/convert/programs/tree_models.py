"""Recursive networks as people publish them: cells over tree objects."""

import tensorflow as tf

from tests.convert import trees
from tests.convert.programs.registry import Case, D, program


@program("closure", "binary", "property")
def tree_rnn(w):
  """Shows the plain TreeRNN over node objects; the issue's example, Socher et al. 2011."""
  table, mix, bias = w.embedding(), w.weight(2 * D, D), w.weight(D)

  @w.recursive
  def encode(node):
    if node.is_leaf:
      return tf.nn.embedding_lookup(table, [node.word])
    both = tf.concat([encode(node.left), encode(node.right)], axis=1)
    return tf.tanh(both @ mix + bias)

  return Case(encode, trees.binary(w.rng))


@program("class", "tuple result", "early return")
def tree_lstm(w):
  """Shows a binary Tree-LSTM as a class with `forward(self, node)`, after PyTorch tutorials."""

  class TreeLSTM:
    def __init__(self):
      self.table = w.embedding()
      self.wx, self.u, self.b = w.weight(D, 3 * D), w.weight(2 * D, 5 * D), w.weight(5 * D)

    def leaf(self, word):
      i, o, u = tf.split(self.table[word][tf.newaxis] @ self.wx, 3, axis=1)
      c = tf.sigmoid(i) * tf.tanh(u)
      return tf.sigmoid(o) * tf.tanh(c), c

    def inner(self, left, right):
      (hl, cl), (hr, cr) = left, right
      gates = tf.concat([hl, hr], 1) @ self.u + self.b
      i, fl, fr, o, u = tf.split(gates, 5, axis=1)
      c = tf.sigmoid(i) * tf.tanh(u) + tf.sigmoid(fl) * cl + tf.sigmoid(fr) * cr
      return tf.sigmoid(o) * tf.tanh(c), c

    @w.recursive
    def forward(self, node):
      if node.left is None and node.right is None:
        return self.leaf(node.word)
      return self.inner(self.forward(node.left), self.forward(node.right))

  return Case(TreeLSTM().forward, trees.binary(w.rng))


@program("writes", "class", "range", "zip(*map)", "list children")
def child_sum_tree_lstm(w):
  """Shows states kept on the tree and read back, after dasguptar's treelstm.pytorch."""

  class ChildSumTreeLSTM(tf.Module):
    def __init__(self):
      super().__init__()
      self.ioux, self.iouh = w.dense(D, 3 * D), w.dense(D, 3 * D)
      self.fx, self.fh = w.dense(D), w.dense(D)
      self.table = w.embedding()

    def node_forward(self, inputs, child_c, child_h):
      child_h_sum = tf.reduce_sum(child_h, axis=0, keepdims=True)
      iou = self.ioux(inputs) + self.iouh(child_h_sum)
      i, o, u = tf.split(iou, 3, axis=1)
      f = tf.sigmoid(self.fh(child_h) + tf.repeat(self.fx(inputs), tf.shape(child_h)[0], axis=0))
      fc = tf.multiply(f, child_c)
      c = tf.sigmoid(i) * tf.tanh(u) + tf.reduce_sum(fc, axis=0, keepdims=True)
      h = tf.sigmoid(o) * tf.tanh(c)
      return c, h

    @w.recursive
    def forward(self, tree):
      for idx in range(tree.num_children):
        self.forward(tree.children[idx])
      if tree.num_children == 0:
        child_c, child_h = tf.zeros([1, D]), tf.zeros([1, D])
      else:
        child_c, child_h = zip(*map(lambda x: x.state, tree.children))  # noqa: B905
        child_c, child_h = tf.concat(child_c, axis=0), tf.concat(child_h, axis=0)
      tree.state = self.node_forward(self.table[tree.word][tf.newaxis], child_c, child_h)
      return tree.state

  return Case(ChildSumTreeLSTM().forward, trees.nary(w.rng))


@program("comprehension", "tf.add_n", "list children")
def child_sum_by_comprehension(w):
  """Shows list comprehensions over recursive results; child-sum units as TF 2 ports write them."""
  table, u, f = w.embedding(), w.dense(D), w.dense(D)

  @w.recursive
  def encode(node):
    x = table[node.word][tf.newaxis]
    if not node.children:
      return tf.tanh(u(x))
    states = [encode(child) for child in node.children]
    gates = [tf.sigmoid(f(x + h)) for h in states]
    return tf.tanh(u(x) + tf.add_n([g * h for g, h in zip(gates, states, strict=True)]))

  return Case(encode, trees.nary(w.rng))


@program("writes", "loss at every node", "float64")
def socher_rntn(w):
  """Shows a tensor network that leaves `hidden` and `probs` on its nodes; Stanford's CS224d."""
  table = w.embedding(dtype=tf.float64)
  v, mix = w.weight(D, 2 * D, 2 * D, dtype=tf.float64), w.weight(2 * D, D, dtype=tf.float64)
  ws = w.weight(D, 2, dtype=tf.float64)

  class RNTN:
    @w.recursive
    def forward_prop(self, node):
      cost = tf.constant(0.0, tf.float64)
      if node.is_leaf:
        node.hidden = table[node.word]
      else:
        left_cost = self.forward_prop(node.left)
        right_cost = self.forward_prop(node.right)
        cost = cost + left_cost + right_cost
        lr = tf.concat([node.left.hidden, node.right.hidden], 0)
        quadratic = tf.einsum("i,dij,j->d", lr, v, lr)
        node.hidden = tf.tanh(quadratic + tf.linalg.matvec(mix, lr, transpose_a=True))
      node.probs = tf.nn.softmax(tf.linalg.matvec(ws, node.hidden, transpose_a=True))
      return cost - tf.math.log(node.probs[node.label % 2])

  return Case(RNTN().forward_prop, trees.binary(w.rng))


@program("nltk", "isinstance", "vocabulary dict", "accessor method")
def nltk_encoder(w):
  """Shows an encoder of `nltk.Tree` as it is, words through a dict; blog posts on SST."""
  vocabulary = {word: index for index, word in enumerate(trees.WORDS)}
  tags = {"NP": 0, "VP": 1, "PP": 2, "W": 3}
  table, tag_table, mix = w.embedding(), w.weight(4, D), w.dense(2 * D)

  @w.recursive
  def encode(tree):
    if isinstance(tree, str):
      return tf.gather(table, [vocabulary[tree]])
    if len(tree) == 1:
      return encode(tree[0])
    left, right = encode(tree[0]), encode(tree[1])
    return tf.tanh(mix(tf.concat([left, right], 1)) + tag_table[tags[tree.label()]])

  return Case(encode, trees.phrases(w.rng))


@program("tuple result", "accumulated loss")
def recursive_autoencoder(w):
  """Shows (vector, loss so far) passed up; Socher et al., semi-supervised autoencoders."""
  table = w.embedding()
  enc, dec = w.dense(2 * D, activation="tanh"), w.dense(D, 2 * D)

  @w.recursive
  def fold_up(node):
    if node.is_leaf:
      return tf.expand_dims(table[node.word], 0), 0.0 * tf.reduce_sum(table[node.word])
    left, left_loss = fold_up(node.left)
    right, right_loss = fold_up(node.right)
    pair = tf.concat([left, right], axis=-1)
    parent = enc(pair)
    loss = tf.reduce_mean(tf.square(dec(parent) - pair))
    return parent, left_loss + right_loss + loss

  return Case(fold_up, trees.binary(w.rng))


@program("threaded state", "several arguments", "tensor argument")
def spinn_tracker(w):
  """Shows a tracker LSTM's state threaded left to right through the tree; SPINN, Bowman 2016."""
  table, reduce, track = w.embedding(), w.dense(3 * D), w.dense(2 * D)

  @w.recursive
  def parse(node, tracker):
    if node.is_leaf:
      h = table[node.word][tf.newaxis]
    else:
      left, tracker = parse(node.left, tracker)
      right, tracker = parse(node.right, tracker)
      h = tf.tanh(reduce(tf.concat([left, right, tracker], 1)))
    tracker = tf.tanh(track(tf.concat([h, tracker], 1)))
    return h, tracker

  return Case(parse, [(tree, tf.zeros([1, D])) for tree in trees.binary(w.rng)])


@program("attention", "tf.stack", "list children", "helper")
def attention_over_children(w):
  """Shows softmax attention over a varying number of children; attentive Tree-LSTMs."""
  table, query, mix = w.embedding(), w.weight(D), w.weight(D, D)

  def attend(states):
    scores = tf.linalg.matvec(states, query)
    return tf.linalg.matvec(states, tf.nn.softmax(scores), transpose_a=True)

  @w.recursive
  def encode(node):
    own = table[node.word]
    if len(node.children) == 0:
      return own
    states = tf.stack([encode(child) for child in node.children])
    return tf.tanh(own + tf.linalg.matvec(mix, attend(states)))

  return Case(encode, trees.nary(w.rng))


@program("pooling", "tf.stack", "nested tuples", "isinstance int")
def max_pool_children(w):
  """Shows max-pooling over stacked children, nested tuples with integer leaves as trees."""
  table, mix = w.embedding(), w.dense(D, activation="relu")

  @w.recursive
  def pool(tree):
    if isinstance(tree, int):
      return table[tree]
    rows = tf.stack([pool(sub) for sub in tree])
    return tf.reduce_max(rows, axis=0) + mix(rows)[0]

  return Case(pool, [(tree,) for tree in trees.tuples(w.rng)])


@program("tuple result", "matrix states")
def matrix_vector_rnn(w):
  """Shows a vector and a matrix per node; MV-RNN, Socher et al. 2012."""
  vectors, matrices = w.embedding(), w.weight(trees.VOCABULARY, D, D)
  wv, wm = w.weight(2 * D, D), w.weight(2 * D, D)

  @w.recursive
  def compose(node):
    if node.is_leaf:
      return vectors[node.word], matrices[node.word]
    (a, big_a), (b, big_b) = compose(node.left), compose(node.right)
    crossed = tf.concat([tf.linalg.matvec(big_b, a), tf.linalg.matvec(big_a, b)], 0)
    p = tf.tanh(tf.linalg.matvec(wv, crossed, transpose_a=True))
    return p, tf.matmul(wm, tf.concat([big_a, big_b], 0), transpose_a=True)

  return Case(compose, trees.binary(w.rng))


@program("keras layer", "method", "keyword argument")
def keras_layer_encoder(w):
  """Shows a method of a Keras layer that owns its sublayers; keras forum answers."""

  class TreeEncoder(tf.keras.layers.Layer):
    def __init__(self):
      super().__init__()
      self.project = w.dense(2 * D, activation="tanh")
      self.embedding = tf.keras.layers.Embedding(trees.VOCABULARY, D)
      self.embedding.build((None,))
      self.embedding.set_weights([w.rng.normal(size=(trees.VOCABULARY, D))])
      w.variables.append(self.embedding.trainable_weights[0].value)

    @w.recursive
    def encode(self, node, scale=1.0):
      if node.word is not None:
        return self.embedding(tf.constant([node.word])) * scale
      left = self.encode(node.left, scale=scale)
      right = self.encode(node.right, scale=scale)
      return self.project(tf.concat([left, right], axis=-1))

  return Case(TreeEncoder().encode, trees.binary(w.rng))


@program("tf.Module", "__call__")
def module_call(w):
  """Shows recursion through `self(node)` of a tf.Module, Sonnet's style."""

  class Encoder(tf.Module):
    def __init__(self, name=None):
      super().__init__(name=name)
      self.table, self.mix = w.embedding(), w.weight(2 * D, D)

    @w.recursive
    def __call__(self, node):
      if node.is_leaf:
        return self.table[node.word][tf.newaxis]
      return tf.nn.relu(tf.concat([self(node.left), self(node.right)], 1) @ self.mix)

  return Case(Encoder().__call__, trees.binary(w.rng))


@program("int in result", "tuple result", "tensor comparison")
def sentiment_with_accuracy(w):
  """Shows loss as a tensor beside a count in Python ints; SST training loops."""
  table, mix, out = w.embedding(), w.dense(2 * D), w.dense(D, 3)

  @w.recursive
  def run(node):
    if node.is_leaf:
      h, loss, nodes = table[node.word][tf.newaxis], tf.zeros([]), 0
    else:
      left, loss_l, n_l = run(node.left)
      right, loss_r, n_r = run(node.right)
      h, loss, nodes = tf.tanh(mix(tf.concat([left, right], 1))), loss_l + loss_r, n_l + n_r
    logits = out(h)
    loss += tf.reduce_sum(
      tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[node.label], logits=logits)
    )
    return h, loss, nodes + 1

  return Case(run, trees.binary(w.rng))


@program("string table", "for loop", "accumulator", "tf.gather")
def dependency_relations(w):
  """Shows a matrix per relation name, found through a dict; dependency-tree RNNs, 2014."""
  table, matrices = w.embedding(), w.weight(3, D, D)
  relation = {"NP": 0, "VP": 1, "PP": 2}

  @w.recursive
  def embed(node):
    h = table[node.word]
    for child in node.children:
      h = h + tf.linalg.matvec(tf.gather(matrices, relation[child.tag]), embed(child))
    return tf.tanh(h)

  return Case(embed, trees.nary(w.rng))


@program("two functions", "tensor argument", "list result")
def inside_outside(w):
  """Shows a pass up that leaves `inside` and a pass down that reads it; DIORA, Drozdov 2019."""
  table, up, down = w.embedding(), w.dense(2 * D), w.dense(2 * D)

  def inside(node):
    if node.is_leaf:
      node.inside = table[node.word][tf.newaxis]
    else:
      inside(node.left)
      inside(node.right)
      node.inside = tf.tanh(up(tf.concat([node.left.inside, node.right.inside], 1)))

  def outside(node, context):
    node.outside = context
    if node.is_leaf:
      return
    outside(node.left, tf.tanh(down(tf.concat([context, node.right.inside], 1))))
    outside(node.right, tf.tanh(down(tf.concat([context, node.left.inside], 1))))

  @w.recursive
  def both(root):
    inside(root)
    outside(root, tf.ones([1, D]))
    return root.inside

  def loss(result, root):
    total, agenda = tf.reduce_sum(result), [root]
    while agenda:
      node = agenda.pop()
      total += tf.reduce_sum(node.outside * node.inside)
      agenda += [] if node.is_leaf else [node.left, node.right]
    return total

  return Case(both, trees.binary(w.rng), loss=loss)
