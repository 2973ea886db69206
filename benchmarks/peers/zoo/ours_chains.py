"""recursive_tf: the zoo's models over sequences and grids, as recursions along them."""

from __future__ import annotations

import math

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers.zoo.ours import Ours


class Tagger(Ours):
  """Bidirectional LSTM tagger: one LSTM on the way down the sentence, the other on the way up.

  A frame is a word. It is called with the state of the words before it, and returns the state of
  those from it on; between the two it has both, and tags.
  """

  def prepare(self, packed):
    splits = packed["node_splits"]
    lengths = np.diff(splits)
    place = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    left = np.repeat(lengths, lengths) - place - 1
    columns = [packed["word"], packed["label"], place, left]
    return {"words": np.stack(columns, 1).astype(np.int32), "starts": splits.astype(np.int32)}

  def losses(self, indices):
    return self._run(indices, lambda h, label, place: self.cross_entropy(h, label), tf.zeros([1]))

  def predict(self, indices):
    begin, end = (
      tf.gather(self.data["starts"], indices),
      tf.gather(self.data["starts"], indices + 1),
    )
    longest = tf.reduce_max(end - begin)

    def tag(h, label, place):
      best = tf.argmax(self.logits(h), 1, tf.int32)
      return best * tf.one_hot(place, longest, dtype=tf.int32)[0]

    tags = self._run(indices, tag, tf.zeros([longest], tf.int32))
    return tf.boolean_mask(tags, tf.sequence_mask(end - begin))

  def _run(self, indices, value, nothing):
    """Returns the sum of `value(h, label, place)` over the words of each sentence."""
    v, data = self.weights, self.data
    start = tf.zeros([1, v["forward_weights"].shape[0]])

    def step(direction, x, h, c):
      gates = rtf.nn.matmul(x, v[f"{direction}_words"])
      gates += rtf.nn.matmul(h, v[f"{direction}_weights"])
      return rtf.nn.lstm_gates(gates, [c], v[f"{direction}_bias"])

    with rtf.SubGraph("tagger") as f:
      i, h, c = (
        f.input(tf.int32, [1]),
        f.input(start.dtype, start.shape),
        f.input(start.dtype, start.shape),
      )
      word, label, place, left = tf.unstack(tf.gather(data["words"], i), num=4, axis=1)
      x = tf.gather(v["embedding"], word)
      h, c = step("forward", x, h, c)
      h_after, c_after, after = tf.cond(
        left[0] == 0, lambda: (start, start, nothing), lambda: f(i + 1, h, c)
      )
      h_back, c_back = step("backward", x, h_after, c_after)
      own = value(tf.concat([h, h_back], 1), label, place)
      f.output((h_back, c_back, after + own))
    starts = tf.gather(data["starts"], indices)[:, tf.newaxis]
    states = tf.repeat(start[tf.newaxis], tf.size(indices), axis=0)
    return f.map(starts, states, states)[2]


class DagRNN(Ours):
  """DAG-RNN over a grid, towards one corner: a frame is a diagonal, a row for each of its nodes.

  A recursion from the corner back to the predecessors would compute a node once for each way that
  leads to it. So the states of the last two diagonals are handed on, in as many rows as the next
  one has nodes, and one more of the last: a node's predecessors are two rows beside each other of
  the last diagonal, and one of that before. Where a diagonal is longer than the last, at both ends
  of which the grid ends, rows of zeros are put there.
  """

  def prepare(self, packed):
    """Nodes in the order of diagonals, each with a 1 that the bias is multiplied with."""
    patches = packed["patches"]
    _, side, _, size = patches.shape
    row, column = np.indices([side, side]).reshape(2, -1)
    order = np.lexsort([row, row + column])
    nodes = patches[:, row[order], column[order]]
    nodes = np.pad(nodes, [(0, 0), (0, 0), (0, 1)], constant_values=1)
    return {"nodes": nodes, "label": packed["label"]}

  def losses(self, indices):
    return self.cross_entropy(self._corners(indices), tf.gather(self.data["label"], indices))

  def predict(self, indices):
    return tf.argmax(self.logits(self._corners(indices)), 1)

  def _corners(self, indices):
    """Returns the states of the last nodes, [B, D]."""
    v = self.weights
    _, num_nodes, size = self.data["nodes"].shape
    nodes = tf.reshape(self.data["nodes"], [-1, size])
    last, width = math.isqrt(num_nodes) - 1, v["bias"].shape[0]
    weights = tf.concat([v["weights"], v["input_weights"], v["bias"][tf.newaxis]], 0)

    with rtf.SubGraph("dag_rnn", outputs=tf.TensorSpec([1, width])) as f:
      first, diagonal = f.input(tf.int32), f.input(tf.int32)
      near, far = f.input(tf.float32, [None, width]), f.input(tf.float32, [None, width])
      count = tf.shape(far)[0]
      x = tf.stop_gradient(tf.gather(nodes, first + tf.range(count)))
      before = tf.add_n([near[1:], near[:-1], far])
      h = tf.tanh(rtf.nn.matmul(tf.concat([before, x], 1), weights))
      after = first + count, diagonal + 1

      def longer():
        return f(*after, tf.pad(h, [[1, 1], [0, 0]]), near)

      def shorter():
        return f(*after, h, near[1:-1])

      def corner():
        return tf.ensure_shape(h, [1, width])

      f.output(tf.switch_case(diagonal // last, [longer, shorter, corner]))
    num = tf.size(indices)
    near, far = tf.zeros([num, 2, width]), tf.zeros([num, 1, width])
    return tf.squeeze(f.map(num_nodes * indices, tf.zeros_like(indices), near, far), 1)
