"""The iterative version of the papers: tf.while_loop over topologically sorted nodes, in a graph.

Jeong et al., EuroSys 2018, compare with it: the nodes of a tree are put in an order in which
children come first, and a loop computes one cell in each iteration, its children's states read from
those of earlier iterations. With B trees in a batch, iteration t computes node t of each of the B
trees as one cell on [B, D]; shorter trees are padded.

What runs: numpy puts each tree's leaves first and its inner nodes after them, so that there are two
loops, of leaf cells and of inner cells, and no iteration computes a cell of the wrong kind; padding
is at the end of both. Word vectors are gathered once, before the loops. States are kept in what was
measured to be fastest for their width: wide ones row by row in a tensor list, of which no iteration
copies the whole; narrow ones in one dense tensor with scatter updates. The softmax layer and the
loss run once, after the loops. All of it is one tf.function with the gradient and fused Adagrad
kernels, traced once for all batches.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

from benchmarks.peers import tf_cells
from benchmarks.peers.peer import Peer
from benchmarks.peers.trees import Sentence, sentences

_WIDEST_DENSE = 64  # 25: dense is 1.1 to 1.6 times faster; 300: the list is, up to 1.5 times.


@dataclasses.dataclass(frozen=True)
class Plan:
  """Which node each iteration computes; slot t * B + b holds node t of tree b.

  Attributes:
    words: int32 [L, B], words of the leaves; 0 where padded.
    children: int32 [M, 2 B], slots of the left children of iteration L + t, then of the right ones.
    labels: int32 [(L + M) * B], by slot; -1 where padded.
    roots: int32 [B], slots of the roots.
  """

  words: np.ndarray
  children: np.ndarray
  labels: np.ndarray
  roots: np.ndarray


def make_plan(trees: list[Sentence]) -> Plan:
  """Plans the iterations for a batch."""
  batch = len(trees)
  num_leaves = max(len(tree.words) for tree in trees)
  words = np.zeros((num_leaves, batch), np.int32)
  # A padded node reads its tree's first leaf: any finite state will do.
  children = np.tile(np.arange(batch, dtype=np.int32), (num_leaves - 1, 2))
  labels = np.full((2 * num_leaves - 1, batch), -1, np.int32)
  roots = np.zeros(batch, np.int32)
  for b, tree in enumerate(trees):
    own = len(tree.words)
    is_leaf = tree.left < 0
    step = np.where(is_leaf, np.cumsum(is_leaf) - 1, num_leaves + np.cumsum(~is_leaf) - 1)
    inner = ~is_leaf
    words[:own, b] = tree.words
    labels[step, b] = tree.labels
    children[: own - 1, b] = step[tree.left[inner]] * batch + b
    children[: own - 1, batch + b] = step[tree.right[inner]] * batch + b
    roots[b] = step[-1] * batch + b
  return Plan(words, children, labels.reshape(-1), roots)


class WhileLoop(Peer):
  """A model as a loop over sorted nodes."""

  def __init__(self, model: str, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray]):
    super().__init__()
    self._model = tf_cells.Model(model, weights)
    self._optimizer = tf_cells.optimizer(self._model)
    self._sentences = sentences(packed)
    words = tf.TensorSpec([None, None], tf.int32)
    flat = tf.TensorSpec([None], tf.int32)
    self._train = tf.function(self._train_step, input_signature=[words, words, flat])
    self._infer = tf.function(self._classes, input_signature=[words, words, flat])
    self._gradients = tf.function(self._loss_and_gradients, input_signature=[words, words, flat])

  def train(self, indices):
    plan = make_plan([self._sentences[i] for i in indices])
    self._train(plan.words, plan.children, plan.labels).numpy()

  def infer(self, indices):
    plan = make_plan([self._sentences[i] for i in indices])
    return self._infer(plan.words, plan.children, plan.roots).numpy()

  def loss_and_gradients(self, indices):
    plan = make_plan([self._sentences[i] for i in indices])
    loss, gradients = self._gradients(plan.words, plan.children, plan.labels)
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def _train_step(self, words, children, labels):
    with tf.GradientTape() as tape:
      loss = self._loss(words, children, labels)
    gradients = tape.gradient(loss, self._optimizer.variables_to_train)
    self._optimizer.apply(gradients, tf.constant(1.0))
    return loss

  def _loss_and_gradients(self, words, children, labels):
    with tf.GradientTape() as tape:
      loss = self._loss(words, children, labels)
    return loss, tape.gradient(loss, self._model.variables)

  def _classes(self, words, children, roots):
    h = tf.gather(self._states(words, children), roots)[:, : self._model.width]
    return tf.argmax(self._model.logits(h), 1)

  def _loss(self, words, children, labels):
    nodes = tf.where(labels >= 0)[:, 0]
    h = tf.gather(self._states(words, children), nodes)[:, : self._model.width]
    logits = self._model.logits(h)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(labels, nodes), logits)
    return tf.reduce_sum(losses) / tf.cast(tf.shape(words)[1], tf.float32)

  def _states(self, words, children):
    """Returns the states of all slots, float [(L + M) * B, parts * D]."""
    model = self._model
    num_leaves, batch, num_inner = tf.shape(words)[0], tf.shape(words)[1], tf.shape(children)[0]
    vectors = tf.TensorArray(tf.float32, num_leaves).unstack(
      tf.gather(model.variables["embedding"], words)
    )
    width = model.num_parts * model.width
    store = ListStore if width > _WIDEST_DENSE else DenseStore
    states = store.empty((num_leaves + num_inner) * batch, width)

    def slots(t):
      return t * batch + tf.range(batch)

    def leaf_step(t, states):
      x = tf.ensure_shape(vectors.read(t), [None, model.variables["embedding"].shape[1]])
      return t + 1, store.write(states, slots(t), tf.concat(model.leaf(x), 1))

    def inner_step(t, states):
      rows = tf.ensure_shape(store.read(states, children[t]), [None, width])
      left, right = (tf.split(half, model.num_parts, 1) for half in tf.split(rows, 2))
      rows = tf.concat(model.inner(left, right), 1)
      return t + 1, store.write(states, slots(num_leaves + t), rows)

    _, states = tf.while_loop(lambda t, _: t < num_leaves, leaf_step, (0, states))
    _, states = tf.while_loop(lambda t, _: t < num_inner, inner_step, (0, states))
    return store.all(states)


class ListStore:
  """States row by row in a tensor list."""

  @staticmethod
  def empty(size, width):
    return tf.TensorArray(tf.float32, size, clear_after_read=False, element_shape=[width])

  @staticmethod
  def read(states, rows):
    return states.gather(rows)

  @staticmethod
  def write(states, rows, values):
    return states.scatter(rows, values)

  @staticmethod
  def all(states):
    return states.stack()


class DenseStore:
  """States in one tensor [rows, width]."""

  @staticmethod
  def empty(size, width):
    return tf.zeros([size, width])

  @staticmethod
  def read(states, rows):
    return tf.gather(states, rows)

  @staticmethod
  def write(states, rows, values):
    return tf.tensor_scatter_nd_update(states, rows[:, tf.newaxis], values)

  @staticmethod
  def all(states):
    return states
