"""The top-down Tree-LSTM without recursion: tf.while_loop over nodes, in a graph.

Three ways to take the nodes of B trees, with the same program:

- by "one": an iteration computes one node, all trees one after the other.
- by "node": an iteration computes one node of each tree.
- by "level": an iteration computes all nodes of all trees at one depth. It is what one would write
  by hand for speed; the graph no longer says what a tree is.

What runs, in training: numpy sorts the nodes of each iteration by the edge that leads to them, so
that an iteration makes one product for each of the four kinds of edges, on just the rows that
belong there, and nothing is padded. Word vectors are gathered once, before the loop; the softmax
layers and the loss run once, after it.

What runs, generating: by one or by node, a stack for each tree holds the states of nodes still to
come, and an iteration takes the top of one stack, or of each, that is not empty; by level, the rows
that an iteration makes are what the next one takes. The softmax layers are in the loop, because
their results decide on what comes next. States are kept row by row in a tensor list, of which no
iteration copies the whole.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import tensorflow as tf

from benchmarks.peers import tf_cells, top_down_cells
from benchmarks.peers.peer import Peer
from benchmarks.peers.while_loop import ListStore
from recursive_tf.datasets import PackedDependencies
from recursive_tf.datasets import dependencies as dep

MAX_NODES = 1000  # As in the model's `generate`.
# Depth of a stack: a node leaves up to three others and takes its own place.
_MAX_STACK = 128


@dataclasses.dataclass(frozen=True)
class Plan:
  """Which nodes each iteration computes. Slots count nodes in the order of computation.

  Attributes:
    splits: int32 [T + 1], iteration t computes slots splits[t] up to splits[t + 1]; the first one
      those of the roots.
    counts: int32 [T, 4], how many of them are reached over each edge.
    before: int32 [N], slot of the node that each node is reached from; 0 for roots.
    word: int32 [N].
    exists, allowed: bool [N, 4], edges that a node has, and could have.
    condition: int32 [B, S].
  """

  splits: np.ndarray
  counts: np.ndarray
  before: np.ndarray
  word: np.ndarray
  exists: np.ndarray
  allowed: np.ndarray
  condition: np.ndarray


def make_plan(arrays: dict[str, np.ndarray], by: str) -> Plan:
  """Plans the iterations for a batch, given as `PackedDependencies.batch_arrays` has it."""
  edges, roots = arrays["edges"], arrays["root"]
  num_nodes = len(edges)
  sources, kinds = np.nonzero(edges >= 0)
  targets = edges[sources, kinds]
  before = np.zeros(num_nodes, np.int64)
  kind = np.full(num_nodes, -1)
  before[targets], kind[targets] = sources, kinds
  if by == "one":  # But for the roots, whose states cost nothing.
    step = np.cumsum(kind >= 0) * (kind >= 0)
  elif by == "node":  # Pre-order, in which the nodes are.
    step = np.arange(num_nodes) - np.repeat(roots, np.diff([*roots, num_nodes]))
  else:
    step = np.zeros(num_nodes, np.int64)
    level = roots
    while len(level):
      below = edges[level]
      step[below[below >= 0]] = step[level[0]] + 1
      level = below[below >= 0]
  order = np.lexsort((kind, step))
  slot = np.empty(num_nodes, np.int64)
  slot[order] = np.arange(num_nodes)
  num_steps = step.max() + 1
  counts = np.zeros((num_steps, len(dep.EDGES)), np.int32)
  inner = kind >= 0
  np.add.at(counts, (step[inner], kind[inner]), 1)
  splits = np.concatenate([[0], np.cumsum(np.bincount(step))])
  return Plan(
    splits=splits.astype(np.int32),
    counts=counts,
    before=slot[before[order]].astype(np.int32),
    word=arrays["word"][order],
    exists=edges[order] >= 0,
    allowed=top_down_cells.ALLOWED[arrays["side"][order]],
    condition=arrays["condition"],
  )


class TopDownWhileLoop(Peer):
  """The model as a loop.

  `infer` returns the fingerprint of each generated tree in place of a class.
  """

  def __init__(
    self, weights: dict[str, np.ndarray], packed: dict[str, np.ndarray], by: str = "node"
  ):
    super().__init__()
    self._by = by
    self._packed = PackedDependencies(**packed)
    self._model = top_down_cells.TopDownModel(weights)
    self._optimizer = top_down_cells.optimizer(self._model.variables)
    ints, flags = tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 4], tf.bool)
    table = tf.TensorSpec([None, None], tf.int32)
    plan = [ints, tf.TensorSpec([None, 4], tf.int32), ints, ints, flags, flags, table]
    self._train = tf.function(self._train_step, input_signature=plan, autograph=False)
    self._gradients = tf.function(self._loss_and_gradients, input_signature=plan, autograph=False)
    generate = self._generate_by_level if by == "level" else self._generate_by_node
    self._infer = tf.function(generate, input_signature=[table], autograph=False)

  def train(self, indices):
    self._train(*self._plan(indices)).numpy()

  def infer(self, indices):
    return self._infer(self._packed.condition[np.asarray(indices)]).numpy()

  def loss_and_gradients(self, indices):
    loss, gradients = self._gradients(*self._plan(indices))
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def _plan(self, indices) -> list[np.ndarray]:
    plan = make_plan(self._packed.batch_arrays(indices), self._by)
    return [getattr(plan, field.name) for field in dataclasses.fields(plan)]

  def _train_step(self, *plan):
    with tf.GradientTape() as tape:
      loss = self._loss(*plan)
    gradients = tape.gradient(loss, self._optimizer.variables_to_train)
    self._optimizer.apply(gradients, tf.constant(1.0))
    return loss

  def _loss_and_gradients(self, *plan):
    with tf.GradientTape() as tape:
      loss = self._loss(*plan)
    return loss, tape.gradient(loss, self._model.variables)

  def _loss(self, splits, counts, before, word, exists, allowed, condition):
    model = self._model
    x = tf.gather(model.variables["embedding"], word)
    x_before = tf.gather(x, before)
    roots = tf.range(splits[1])
    states = ListStore.empty(tf.shape(word)[0], 2 * model.width)
    root_states = tf.concat(model.root_states(condition), 1)
    states = ListStore.write(states, roots, root_states)

    def step(t, states, level):
      slots = tf.range(splits[t], splits[t + 1])
      sources = before[splits[t] : splits[t + 1]]
      if self._by == "level":
        # From the level before. Two nodes may follow one: the gradient of a list's gather, unlike
        # that of a tensor's, does not add up what comes back for one row.
        rows = tf.gather(level, sources - splits[t - 1])
      else:
        rows = ListStore.read(states, sources)
      rows = tf.ensure_shape(rows, [None, 2 * model.width])
      inputs = tf.concat([x_before[splits[t] : splits[t + 1]], rows[:, : model.width]], 1)
      parts = zip(
        tf.split(inputs, counts[t], num=4),
        tf.split(rows[:, model.width :], counts[t], num=4),
        strict=True,
      )
      made = [tf.concat(model.step(edge, *part), 1) for edge, part in enumerate(parts)]
      made = tf.concat(made, 0)
      return t + 1, ListStore.write(states, slots, made), made if self._by == "level" else level

    num_steps = tf.shape(counts)[0]
    rows = root_states if self._by == "level" else tf.zeros([0, 2 * model.width])
    _, states, _ = tf.while_loop(
      lambda t, states, level: t < num_steps,
      step,
      (1, states, rows),
      shape_invariants=(
        tf.TensorShape([]),
        tf.TensorShape(None),
        tf.TensorShape([None, 2 * model.width]),
      ),
    )
    h = ListStore.all(states)[:, : model.width]
    losses = model.losses(h, x, word, exists, allowed)
    return losses / tf.cast(splits[1], tf.float32)

  def _generate_by_node(self, condition):
    batch = tf.shape(condition)[0]
    states = ListStore.empty(batch * _MAX_STACK, 2 * self._model.width)
    bottoms = tf.range(batch) * _MAX_STACK
    root_states = tf.concat(self._model.root_states(condition), 1)
    states = ListStore.write(states, bottoms, root_states)
    marks = tf.scatter_nd(
      bottoms[:, tf.newaxis], _root_marks(batch), tf.stack([batch * _MAX_STACK, 3])
    )

    def step(states, marks, heights, found):
      trees = tf.where(heights > 0)[: 1 if self._by == "one" else None, 0]
      tops = tf.gather(bottoms, trees) + tf.gather(heights, trees) - 1
      rows = ListStore.read(states, tops)
      made, sources, places, new_marks, prints, num_new = self._expand(rows, tf.gather(marks, tops))
      # The first of a node's new neighbours takes its place on the stack.
      slots = tf.gather(tops, sources) + places
      heights = tf.tensor_scatter_nd_add(heights, trees[:, tf.newaxis], num_new - 1)
      with tf.control_dependencies([tf.debugging.assert_less(heights, _MAX_STACK)]):
        states = ListStore.write(states, slots, made)
      marks = tf.tensor_scatter_nd_update(marks, slots[:, tf.newaxis], new_marks)
      found = tf.tensor_scatter_nd_add(found, trees[:, tf.newaxis], prints)
      return states, marks, heights, found

    heights, found = tf.ones([batch], tf.int32), tf.zeros([batch], tf.int64)
    *_, found = tf.while_loop(
      lambda states, marks, heights, found: tf.reduce_any(heights > 0),
      step,
      (states, marks, heights, found),
    )
    return dep.join_fingerprints(found)

  def _generate_by_level(self, condition):
    batch = tf.shape(condition)[0]
    width = self._model.width

    def step(rows, marks, trees, found):
      made, sources, _, new_marks, prints, _ = self._expand(rows, marks)
      found = tf.tensor_scatter_nd_add(found, trees[:, tf.newaxis], prints)
      return made, new_marks, tf.gather(trees, sources), found

    *_, found = tf.while_loop(
      lambda rows, marks, trees, found: tf.shape(rows)[0] > 0,
      step,
      (
        tf.concat(self._model.root_states(condition), 1),
        _root_marks(batch),
        tf.range(batch),
        tf.zeros([batch], tf.int64),
      ),
      shape_invariants=(
        tf.TensorShape([None, 2 * width]),
        tf.TensorShape([None, 3]),
        tf.TensorShape([None]),
        tf.TensorShape([None]),
      ),
    )
    return dep.join_fingerprints(found)

  def _expand(self, rows, marks):
    """Generates n nodes and the states of those that follow.

    Args:
      rows: float [n, 2 D], h and c.
      marks: int64 [n, 3], side, share of MAX_NODES, and key.

    Returns:
      For the m nodes that follow: rows, [m] which of the n they follow, [m] which of those that
      follow the same one, marks; for the n nodes: fingerprints, and how many follow each.
    """
    model = self._model
    rows = tf.ensure_shape(rows, [None, 2 * model.width])
    side, share, key = tf.unstack(marks, 3, axis=1)
    h, c = tf.split(rows, 2, 1)
    word = tf.argmax(model.words(h), 1, tf.int32)
    inputs = tf.concat([tf.gather(model.variables["embedding"], word), h], 1)
    wanted = (model.edges(inputs) > 0) & tf.gather(top_down_cells.ALLOWED, side)
    count = tf.reduce_sum(tf.cast(wanted, tf.int64), 1)
    below = (share - 1) // tf.maximum(count, 1)
    goes_on = wanted & (below > 0)[:, tf.newaxis]
    order = tf.cumsum(tf.cast(goes_on, tf.int32), 1, exclusive=True)
    made, sources, places, new_marks = [], [], [], []
    for edge in range(len(dep.EDGES)):
      source = tf.where(goes_on[:, edge])[:, 0]
      made.append(tf.concat(model.step(edge, tf.gather(inputs, source), tf.gather(c, source)), 1))
      sources.append(source)
      places.append(tf.gather(order[:, edge], source))
      keys = dep.child_key(tf.gather(key, source), edge)
      sides = tf.fill(tf.shape(source), tf.constant(dep.SIDE_OF_EDGE[edge], tf.int64))
      new_marks.append(tf.stack([sides, tf.gather(below, source), keys], 1))
    prints = dep.node_fingerprint(key, tf.cast(word, tf.int64))
    num_new = tf.reduce_sum(tf.cast(goes_on, tf.int32), 1)
    joined = (tf.concat(part, 0) for part in (made, sources, places, new_marks))
    return *joined, prints, num_new


def _root_marks(batch):
  root = tf.constant([[0, MAX_NODES, dep.ROOT_KEY]], tf.int64)
  return tf.tile(root, [batch, 1])
