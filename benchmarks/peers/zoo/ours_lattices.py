"""recursive_tf: the zoo's lattice LSTM, a recursion along the characters."""

from __future__ import annotations

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers.zoo.lattices import MAX_LENGTH
from benchmarks.peers.zoo.ours import Ours


class Lattice(Ours):
  """Lattice LSTM: a frame is a character, called with the states of the last, the latest first.

  All words that end at a character are rows of one product.
  """

  def prepare(self, packed):
    splits, word_splits = packed["node_splits"], packed["word_splits"]
    lengths = np.diff(splits)
    place = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    left = np.repeat(lengths, lengths) - place - 1
    columns = [packed["char"], packed["label"], place, left, word_splits[:-1], np.diff(word_splits)]
    return {
      "chars": np.stack(columns, 1).astype(np.int32),
      "words": packed["words"],
      "starts": splits.astype(np.int32),
    }

  def losses(self, indices):
    return self._run(indices, lambda h, label, place: self.cross_entropy(h, label), tf.zeros([1]))

  def predict(self, indices):
    begin, end = (tf.gather(self.data["starts"], indices + k) for k in (0, 1))
    longest = tf.reduce_max(end - begin)

    def tag(h, label, place):
      best = tf.argmax(self.logits(h), 1, tf.int32)
      return best * tf.one_hot(place, longest, dtype=tf.int32)[0]

    tags = self._run(indices, tag, tf.zeros([longest], tf.int32))
    return tf.boolean_mask(tags, tf.sequence_mask(end - begin))

  def _run(self, indices, value, nothing):
    """Returns the sum of `value(h, label, place)` over the characters of each sentence."""
    v, data = self.weights, self.data
    width = v["link_bias"].shape[0]
    window = tf.zeros([MAX_LENGTH - 1, width])
    with rtf.SubGraph("lattice") as f:
      n = f.input(tf.int32, [1])
      hs, cs = f.input(tf.float32, window.shape), f.input(tf.float32, window.shape)
      row = tf.unstack(tf.gather(data["chars"], n), num=6, axis=1)
      char, label, place, left, first, count = row
      x = tf.gather(v["embedding"], char)
      gates = rtf.nn.matmul(x, v["char_weights"]) + rtf.nn.matmul(hs[:1], v["weights"])
      i, o, forget, u = tf.split(gates + v["bias"], 4, axis=1)
      i, u = tf.sigmoid(i), tf.tanh(u)

      def alone():
        return tf.sigmoid(forget) * cs[:1] + i * u

      def mixed():
        word, length = tf.unstack(
          tf.gather(data["words"], first + tf.range(count[0])), num=2, axis=1
        )
        y = tf.gather(v["embedding"], word)
        gates = rtf.nn.matmul(y, v["word_weights"]) + v["word_bias"]
        gates += rtf.nn.matmul(tf.gather(hs, length - 2), v["start_weights"])
        i_word, f_word, u_word = tf.split(gates, 3, axis=1)
        kept = tf.sigmoid(f_word) * tf.gather(cs, length - 2)
        memory = kept + tf.sigmoid(i_word) * tf.tanh(u_word)
        link = rtf.nn.matmul(memory, v["memory_weights"]) + v["link_bias"]
        link += rtf.nn.matmul(x, v["link_weights"])
        shares = tf.exp(tf.concat([i, tf.sigmoid(link)], 0))
        parts = shares * tf.concat([u, memory], 0)
        return tf.reduce_sum(parts, 0, True) / tf.reduce_sum(shares, 0, True)

      c = tf.cond(count[0] > 0, mixed, alone)
      h = tf.sigmoid(o) * tf.tanh(c)
      after = tf.cond(
        left[0] == 0,
        lambda: nothing,
        lambda: f(n + 1, tf.concat([h, hs[:-1]], 0), tf.concat([c, cs[:-1]], 0)),
      )
      f.output(after + value(h, label, place))
    starts = tf.gather(data["starts"], indices)[:, tf.newaxis]
    windows = tf.repeat(window[tf.newaxis], tf.size(indices), axis=0)
    return f.map(starts, windows, windows)
