"""Programs in the manner of what people port: cs224d, TreeLSTMs, SPINN, ASTs, XML, arrays."""
import ast
import collections
import xml.etree.ElementTree as ET

import numpy as np
import tensorflow as tf


def rnd(seed, *shape):
  return tf.Variable(np.random.RandomState(seed).randn(*shape).astype("float32") * 0.4)


# ---- cs224d
class CNode:
  def __init__(self, label, word=None):
    self.label = label
    self.word = word
    self.parent = None
    self.left = None
    self.right = None
    self.isLeaf = False
    self.probs = None
    self.hActs1 = None


class CTree:
  def __init__(self, s):
    self.root = self.parse(s.replace("(", " ( ").replace(")", " ) ").split())

  def parse(self, tokens, parent=None):
    node = CNode(int(tokens[1]))
    node.parent = parent
    if tokens[2] != "(":
      node.word = tokens[2].lower()
      node.isLeaf = True
      return node
    count, split = 0, 2
    while True:
      if tokens[split] == "(": count += 1
      if tokens[split] == ")": count -= 1
      split += 1
      if count == 0: break
    node.left = self.parse(tokens[2:split], node)
    node.right = self.parse(tokens[split:-1], node)
    return node


def ctrees(state):
  for s in ("(3 (2 the) (4 (4 great) (2 film)))", "(1 bad)", "(0 (1 (2 not) (3 good)) (2 (2 at) (2 all)))"):
    yield (CTree(s),)
calls = ctrees


def build_cs224d_rnn(recursive):
  vocab = {w: i for i, w in enumerate("the great film bad not good at all".split())}
  emb, W1, b1, U, bs = rnd(0, 8, 3), rnd(1, 6, 3), rnd(2, 1, 3), rnd(3, 3, 5), rnd(4, 1, 5)

  def add_model(node):
    if node.isLeaf:
      rep = tf.expand_dims(tf.gather(emb, vocab[node.word]), 0)
    else:
      children = tf.concat([add_model(node.left), add_model(node.right)], 1)
      rep = tf.nn.relu(tf.matmul(children, W1) + b1)
    node.hActs1 = rep
    return rep

  @recursive
  def inference(tree):
    return tf.matmul(add_model(tree.root), U) + bs
  return inference, [emb, W1, b1, U, bs]


def build_cs224d_all_nodes(recursive):
  vocab = {w: i for i, w in enumerate("the great film bad not good at all".split())}
  emb, W1, U = rnd(5, 8, 3), rnd(6, 6, 3), rnd(7, 3, 5)

  def forward(node):
    node_tensors = collections.OrderedDict()
    if node.isLeaf:
      curr = tf.expand_dims(emb[vocab[node.word]], 0)
    else:
      node_tensors.update(forward(node.left))
      node_tensors.update(forward(node.right))
      curr = tf.nn.relu(tf.concat([node_tensors[node.left], node_tensors[node.right]], 1) @ W1)
    node_tensors[node] = curr
    return node_tensors

  @recursive
  def loss(tree):
    tensors = forward(tree.root)
    logits = tf.concat([tf.matmul(h, U) for h in tensors.values()], 0)
    labels = [n.label for n in tensors.keys()]
    return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels))
  return loss, [emb, W1, U]


def build_cs224d_cost(recursive):
  vocab = {w: i for i, w in enumerate("the great film bad not good at all".split())}
  L, W, Ws = rnd(8, 3, 8), rnd(9, 3, 6), rnd(10, 5, 3)

  class Model:
    @recursive
    def forwardProp(self, node):
      cost = correct = 0.0
      total = 0
      if node.isLeaf:
        h = L[:, vocab[node.word]]
      else:
        c1, k1, t1, h1 = self.forwardProp(node.left)
        c2, k2, t2, h2 = self.forwardProp(node.right)
        cost += c1 + c2
        correct += k1 + k2
        total += t1 + t2
        h = tf.nn.relu(tf.linalg.matvec(W, tf.concat([h1, h2], 0)))
      probs = tf.nn.softmax(tf.linalg.matvec(Ws, h))
      cost -= tf.math.log(probs[node.label])
      if tf.argmax(probs) == node.label:
        correct += 1.0
      return cost, correct, total + 1, h
  m = Model()
  return lambda t: m.forwardProp(t.root), [L, W, Ws]


# ---- Kai Sheng Tai / dasguptar port
class DTree:
  def __init__(self, idx):
    self.parent = None
    self.num_children = 0
    self.children = list()
    self.idx = idx
    self.state = None
  def add_child(self, child):
    child.parent = self
    self.num_children += 1
    self.children.append(child)
  def size(self):
    count = 1
    for i in range(self.num_children):
      count += self.children[i].size()
    return count


def dtree(parents):
  nodes = [DTree(i) for i in range(len(parents))]
  root = None
  for i, p in enumerate(parents):
    if p < 0: root = nodes[i]
    else: nodes[p].add_child(nodes[i])
  return root


def dtree_calls(state):
  x = tf.constant(np.random.RandomState(0).randn(6, 2).astype("float32"))
  yield (dtree([1, -1, 1, 2, 2]), x)
  yield (dtree([-1]), x)
  yield (dtree([1, 2, 3, -1]), x)


def build_tai_treelstm(recursive):
  class ChildSumTreeLSTM(tf.Module):
    def __init__(self):
      super().__init__()
      self.mem = 3
      self.ioux, self.iouh = rnd(11, 2, 9), rnd(12, 3, 9)
      self.fx, self.fh = rnd(13, 2, 3), rnd(14, 3, 3)

    def node_forward(self, inputs, child_c, child_h):
      child_h_sum = tf.reduce_sum(child_h, axis=0, keepdims=True)
      iou = inputs @ self.ioux + child_h_sum @ self.iouh
      i, o, u = tf.split(iou, 3, axis=1)
      i, o, u = tf.sigmoid(i), tf.sigmoid(o), tf.tanh(u)
      f = tf.sigmoid(child_h @ self.fh + tf.repeat(inputs @ self.fx, tf.shape(child_h)[0], axis=0))
      fc = tf.multiply(f, child_c)
      c = tf.multiply(i, u) + tf.reduce_sum(fc, axis=0, keepdims=True)
      h = tf.multiply(o, tf.tanh(c))
      return c, h

    def forward(self, tree, inputs):
      for idx in range(tree.num_children):
        self.forward(tree.children[idx], inputs)
      if tree.num_children == 0:
        child_c = tf.zeros([1, self.mem])
        child_h = tf.zeros([1, self.mem])
      else:
        child_c, child_h = zip(*map(lambda x: x.state, tree.children))
        child_c, child_h = tf.concat(child_c, axis=0), tf.concat(child_h, axis=0)
      tree.state = self.node_forward(inputs[tree.idx][None], child_c, child_h)
      return tree.state
  class Sub(ChildSumTreeLSTM):
    pass
  Sub.forward = recursive(ChildSumTreeLSTM.forward)
  m = Sub()
  return m.forward, [m]
calls_tai_treelstm = dtree_calls


def build_tai_return(recursive):
  W, U = rnd(15, 2, 3), rnd(16, 3, 3)

  @recursive
  def forward(tree, inputs):
    states = []
    for i in range(tree.num_children):
      states.append(forward(tree.children[i], inputs))
    h = inputs[tree.idx] @ W if False else tf.linalg.matvec(W, inputs[tree.idx], transpose_a=True)
    for s in states:
      h += tf.linalg.matvec(U, s)
    tree.state = tf.tanh(h)
    return tree.state
  return forward, [W, U]
calls_tai_return = dtree_calls


def build_tai_size(recursive):
  DT = type("DT", (DTree,), {})
  @recursive
  def size(tree, inputs):
    return tree.size()
  return size
calls_tai_size = dtree_calls


# ---- SPINN transitions
def build_spinn(recursive):
  E, W = rnd(17, 6, 3), rnd(18, 6, 3)

  @recursive
  def spinn(buf, transitions, stack):
    if not transitions:
      return stack[-1]
    if transitions[0] == "S":
      return spinn(buf[1:], transitions[1:], stack + [E[buf[0]]])
    top = tf.tanh(tf.linalg.matvec(W, tf.concat([stack[-2], stack[-1]], 0), transpose_a=True))
    return spinn(buf, transitions[1:], stack[:-2] + [top])
  return spinn, [E, W]
def calls_spinn(state):
  yield ([1, 2, 3], ["S", "S", "R", "S", "R"], [])
  yield ([4], ["S"], [])
  yield ([1, 2, 3], ["S", "S", "S", "R", "R"], [])


# ---- Python's ast
def build_ast_depth(recursive):
  @recursive
  def depth(node):
    return 1 + max([depth(c) for c in ast.iter_child_nodes(node)], default=0)
  return depth
def calls_ast_depth(state):
  for s in ("x + 2 * y", "f(a)(b)", "1"):
    yield (ast.parse(s),)


def build_ast_eval(recursive):
  @recursive
  def ev(node, x):
    if isinstance(node, ast.Expression):
      return ev(node.body, x)
    if isinstance(node, ast.Constant):
      return node.value
    if isinstance(node, ast.Name):
      return x
    if isinstance(node, ast.UnaryOp):
      return -ev(node.operand, x)
    if isinstance(node, ast.BinOp):
      l, r = ev(node.left, x), ev(node.right, x)
      if isinstance(node.op, ast.Add):
        return l + r
      if isinstance(node.op, ast.Mult):
        return l * r
      if isinstance(node.op, ast.Sub):
        return l - r
    raise SyntaxError("unsupported")
  return ev
def calls_ast_eval(state):
  for s in ("x + 2 * y", "-x * (3 - x)", "1", "x / 2"):
    yield (ast.parse(s, mode="eval"), 5)


# ---- XML
def build_xml_count(recursive):
  @recursive
  def count(elem, tag):
    return (1 if elem.tag == tag else 0) + sum(count(c, tag) for c in elem)
  return count
def calls_xml_count(state):
  yield (ET.fromstring("<a><b/><c><b/><b/></c></a>"), "b")
  yield (ET.fromstring("<a/>"), "b")
  yield (ET.fromstring("<b><b/></b>"), "b")


# ---- trees in arrays
def build_array_tree(recursive):
  E, W = rnd(19, 6, 3), rnd(20, 6, 3)

  @recursive
  def enc(i, left, right, word):
    if left[i] < 0:
      return E[word[i]]
    return tf.tanh(tf.linalg.matvec(W, tf.concat([enc(left[i], left, right, word), enc(right[i], left, right, word)], 0), transpose_a=True))
  return enc, [E, W]
def calls_array_tree(state):
  yield (0, [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, 1, 0, 2, 3])
  yield (0, [-1], [-1], [5])
  yield (2, [1, -1, 3, -1, -1], [2, -1, 4, -1, -1], [0, 1, 0, 2, 3])


def build_tensor_tree(recursive):
  E, W = rnd(21, 6, 3), rnd(22, 6, 3)

  @recursive
  def enc(i, left, right, word):
    if left[i] < 0:
      return tf.gather(E, word[i])
    return tf.tanh(tf.linalg.matvec(W, tf.concat([enc(left[i], left, right, word), enc(right[i], left, right, word)], 0), transpose_a=True))
  return enc, [E, W]
def calls_tensor_tree(state):
  for args in calls_array_tree(state):
    yield (tf.constant(args[0]),) + tuple(tf.constant(a) for a in args[1:])


def build_numpy_tree(recursive):
  E, W = rnd(23, 6, 3), rnd(24, 6, 3)

  @recursive
  def enc(i, children, word):
    h = E[word[i]]
    for c in children[i]:
      if c >= 0:
        h = tf.tanh(h + enc(c, children, word))
    return h
  return enc, [E, W]
def calls_numpy_tree(state):
  yield (0, np.array([[1, 2], [-1, -1], [3, -1], [-1, -1]]), np.array([0, 1, 2, 3]))
  yield (3, np.array([[1, 2], [-1, -1], [3, -1], [-1, -1]]), np.array([0, 1, 2, 3]))
  yield (0, np.array([[-1, 1], [-1, -1]]), np.array([4, 5]))


def build_adjacency_heads(recursive):
  # dependency heads, children found by scanning
  E, W = rnd(25, 6, 3), rnd(26, 3, 3)

  @recursive
  def enc(heads, words, i):
    h = E[words[i]]
    for j, head in enumerate(heads):
      if head == i:
        h = h + tf.linalg.matvec(W, enc(heads, words, j))
    return tf.nn.elu(h)
  return enc, [E, W]
def calls_adjacency_heads(state):
  yield ([1, -1, 1, 2], [0, 1, 2, 3], 1)
  yield ([-1], [4], 0)
  yield ([2, 0, -1], [1, 1, 5], 2)


# ---- list-of-lists binary tree with numbers at the leaves
def build_huffman_cost(recursive):
  @recursive
  def cost(t, depth=0):
    if isinstance(t, (int, float)):
      return t * depth
    return sum(cost(c, depth + 1) for c in t)
  return cost
def calls_huffman_cost(state):
  yield ([[1, 2], [3, [4, 5]]],)
  yield (7,)
  yield ([[1.5, 2.5], 3.5],)


# ---- NodeMixin
class Mixin:
  @property
  def children(self):
    return tuple(getattr(self, "_children", ()))
  @property
  def is_leaf(self):
    return not self.children
  @property
  def height(self):
    return 0 if self.is_leaf else 1 + max(c.height for c in self.children)


class MNode(Mixin):
  def __init__(self, name, parent=None):
    self.name = name
    self._children = []
    self._parent = parent
    if parent is not None:
      parent._children.append(self)


def build_mixin_height(recursive):
  @recursive
  def total_height(n):
    return n.height + sum(total_height(c) for c in n.children)
  return total_height
def calls_mixin_height(state):
  a = MNode("a"); b = MNode("b", a); c = MNode("c", a); d = MNode("d", c)
  yield (a,)
  yield (b,)
  MNode("e", d)
  yield (a,)
