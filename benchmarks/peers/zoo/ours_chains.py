"""recursive_tf: the zoo's models over sequences and grids, as recursions along them."""

from __future__ import annotations

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
  """DAG-RNN over a grid, towards one corner: a frame is a diagonal, G rows, one for each row of it.

  A recursion from the corner back to the predecessors would compute a node once for each way that
  leads to it. So the states of the last two diagonals are handed on.

  A diagonal's row before the first column of the grid has to be zeros, for the node beside it reads
  it. It is: all that it reads is zeros, too, and its patch has none of the 1 that the bias is
  multiplied with. Rows behind the last column are read by no node.
  """

  def prepare(self, packed):
    patches = packed["patches"]
    num, side, _, size = patches.shape
    diagonals = np.zeros([num, 2 * side - 1, side, size + 1], np.float32)
    for row in range(side):
      diagonals[:, row : row + side, row, :size] = patches[:, row]
      diagonals[:, row : row + side, row, size] = 1
    return {"patches": diagonals, "label": packed["label"]}

  def losses(self, indices):
    return self.cross_entropy(self._corners(indices), tf.gather(self.data["label"], indices))

  def predict(self, indices):
    return tf.argmax(self.logits(self._corners(indices)), 1)

  def _corners(self, indices):
    """Returns the states of the last nodes, [B, D]."""
    v = self.weights
    _, num, side, size = self.data["patches"].shape
    patches = tf.reshape(self.data["patches"], [-1, side, size])
    width = v["bias"].shape[0]
    weights = tf.concat([v["weights"], v["input_weights"], v["bias"][tf.newaxis]], 0)
    zeros = tf.zeros([1, width])

    with rtf.SubGraph("dag_rnn") as f:
      place = f.input(tf.int32)
      near, far = f.input(tf.float32, [side, width]), f.input(tf.float32, [side, width])
      x = tf.stop_gradient(tf.gather(patches, place))
      above = tf.concat([zeros, (near + far)[:-1]], 0)
      h = tf.tanh(rtf.nn.matmul(tf.concat([near + above, x], 1), weights))
      is_last = tf.equal(tf.math.floormod(place, num), num - 1)
      f.output(tf.cond(is_last, lambda: h[-1:], lambda: f(place + 1, h, near)))
    start = tf.zeros([tf.size(indices), side, width])
    return tf.squeeze(f.map(num * indices, start, start), 1)
