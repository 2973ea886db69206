"""recursive_tf: the zoo's model with a stack, which is the stack of the calls."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers.zoo.ours_trees import Trees


class Spinn(Trees):
  """SPINN over given parses: a frame is a transition, called with the stack's top and the tracker.

  The left child is called with the stack as it is, the right one with the left on top.
  """

  def prepare(self, packed):
    front = []
    for begin, end in zip(packed["node_splits"][:-1], packed["node_splits"][1:], strict=True):
      word = packed["word"][begin:end]
      front.append(np.append(word[word >= 0], -1)[packed["front"][begin:end]])
    arrays = super().prepare(packed)
    arrays["front"] = np.concatenate(front).astype(np.int32)
    return arrays

  def encode(self, roots, has_loss):
    v, data = self.weights, self.data
    width, tracker_width = v["word_bias"].shape[0], v["tracker_bias"].shape[0] // 4
    state, tracker = tf.TensorSpec([1, width]), tf.TensorSpec([1, tracker_width])
    outputs = ((state, state), (tracker, tracker), tf.TensorSpec([1]))

    with rtf.SubGraph("spinn", outputs=outputs) as f:
      node = f.input(tf.int32, [1])
      first, second = f.input(tf.float32, [1, width]), f.input(tf.float32, [1, width])
      h, c = f.input(tf.float32, [1, tracker_width]), f.input(tf.float32, [1, tracker_width])
      word, label = tf.unstack(tf.gather(data["nodes"], node), num=2, axis=1)
      front = tf.gather(data["front"], node)
      x = tf.gather(v["embedding"], tf.maximum(front, 0))
      ahead = rtf.nn.matmul(x, v["word_weights"]) + v["word_bias"]
      ahead *= tf.cast(front >= 0, tf.float32)[:, tf.newaxis]

      def track(first, second, h, c):
        gates = rtf.nn.matmul(tf.concat([first, second, h], 1), v["tracker_weights"])
        gates += rtf.nn.matmul(ahead, v["front_weights"])
        return rtf.nn.lstm_gates(gates, [c], v["tracker_bias"])

      def shift():
        memory = rtf.nn.matmul(x, v["memory_weights"]) + v["memory_bias"]
        return (ahead, memory), track(first, second, h, c), tf.zeros([1])

      def reduce():
        left, right = tf.split(tf.gather(data["children"], node), 2, axis=1)
        (h_left, c_left), seen, loss_left = f(left[0], first, second, h, c)
        (h_right, c_right), seen, loss_right = f(right[0], h_left, first, *seen)
        seen = track(h_right, h_left, *seen)
        gates = rtf.nn.matmul(tf.concat([h_left, h_right, seen[0]], 1), v["weights"])
        made = rtf.nn.lstm_gates(gates, [c_left, c_right], v["bias"])
        return tuple(made), tuple(seen), loss_left + loss_right

      own, seen, below = tf.cond(word[0] >= 0, shift, reduce)
      f.output((own, seen, self.loss_of(own[0], label, below, has_loss)))
    empty = tf.zeros([tf.size(roots), 1, width])
    start = tf.zeros([tf.size(roots), 1, tracker_width])
    states, _, losses = f.map(roots[:, tf.newaxis], empty, empty, start, start)
    return states, losses
