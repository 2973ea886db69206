"""recursive_tf: the zoo's models over trees, each a recursion whose frames are the nodes.

What runs: the treebank is a constant of the graph, a batch is the numbers of its roots. One
SubGraph for training returns a state and the loss below; inference has one without losses.
"""

from __future__ import annotations

import abc

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers.zoo.ours import Ours
from recursive_tf.models.treelstm.nary_cell import NaryCell
from recursive_tf.models.treernn.cell import MVRNNCell


class Trees(Ours):
  """A model whose loss is at every node, and which predicts the class of the root."""

  def prepare(self, packed):
    """Counts children and roots in the whole treebank."""
    splits = packed["node_splits"]
    shift = np.repeat(splits[:-1], np.diff(splits)).astype(np.int32)[:, None]
    return {
      "nodes": np.stack([packed["word"], packed["label"]], 1),
      "children": np.where(packed["children"] < 0, -1, packed["children"] + shift),
      "roots": (splits[1:] - 1).astype(np.int32),
    }

  @abc.abstractmethod
  def encode(self, roots: tf.Tensor, has_loss: bool):
    """Returns (states, losses) of roots [B]: h first, [B, 1, D]; losses of all nodes, [B, 1]."""

  def losses(self, indices):
    """The sum of all nodes' losses."""
    return self.encode(tf.gather(self.data["roots"], indices), True)[1]

  def predict(self, indices):
    """The root's class."""
    (h, *_), _ = self.encode(tf.gather(self.data["roots"], indices), False)
    return tf.argmax(self.logits(tf.squeeze(h, 1)), 1)

  def loss_of(self, h: tf.Tensor, label: tf.Tensor, below: tf.Tensor, has_loss: bool) -> tf.Tensor:
    """Returns the loss of a node, added to what is `below` it, float [1]."""
    return below + self.cross_entropy(h, label) if has_loss else below


class TreeGRU(Trees):
  """Binary TreeGRU: words at the leaves."""

  def encode(self, roots, has_loss):
    v, data = self.weights, self.data
    width = v["bias"].shape[0]
    state, loss = tf.TensorSpec([1, width]), tf.TensorSpec([1])
    with rtf.SubGraph("tree_gru", outputs=((state,), loss)) as f:
      node = f.input(tf.int32, [1])
      word, label = tf.unstack(tf.gather(data["nodes"], node), num=2, axis=1)

      def leaf():
        x = tf.gather(v["embedding"], word)
        z, u = tf.split(rtf.nn.matmul(x, v["leaf_weights"]) + v["leaf_bias"], 2, axis=1)
        return (1 - tf.sigmoid(z)) * tf.tanh(u), tf.zeros([1])

      def inner():
        left, right = tf.split(tf.gather(data["children"], node), 2, axis=1)
        (h_left,), loss_left = f(left[0])
        (h_right,), loss_right = f(right[0])
        both = tf.concat([h_left, h_right], 1)
        gates = tf.sigmoid(rtf.nn.matmul(both, v["gate_weights"]) + v["gate_bias"])
        r, z = tf.split(gates, 2, axis=1)
        kept = tf.concat([r * h_left, r * h_right], 1)
        u = tf.tanh(rtf.nn.matmul(kept, v["weights"]) + v["bias"])
        return z * (h_left + h_right) + (1 - z) * u, loss_left + loss_right

      h, below = tf.cond(word[0] >= 0, leaf, inner)
      f.output(((h,), self.loss_of(h, label, below, has_loss)))
    return f.map(roots[:, tf.newaxis])


class NaryTreeLSTM(Trees):
  """N-ary TreeLSTM over at most five children, words at all nodes; the package's cell."""

  def encode(self, roots, has_loss):
    v, data = self.weights, self.data
    cell = NaryCell(*(tf.convert_to_tensor(v[n]) for n in ("word_weights", "weights", "bias")))
    with rtf.SubGraph("nary", outputs=(cell.state_spec, tf.TensorSpec([1]))) as f:
      node = f.input(tf.int32, [1])
      word, label = tf.unstack(tf.gather(data["nodes"], node), num=2, axis=1)
      gates = cell.gates(tf.gather(v["embedding"], word))
      children = tf.gather(data["children"], node)[0]
      count = tf.reduce_sum(tf.cast(children >= 0, tf.int32))

      def leaf():
        return cell.leaf(gates), tf.zeros([1])

      def inner():
        states, losses = f.map(children[:count, tf.newaxis])
        return cell.inner(gates, states), tf.reduce_sum(losses, 0)

      state, below = tf.cond(count > 0, inner, leaf)
      f.output((state, self.loss_of(state.h, label, below, has_loss)))
    return f.map(roots[:, tf.newaxis])


class MVRNN(Trees):
  """Matrix-vector network: a vector and a matrix at each node; the package's cell."""

  def encode(self, roots, has_loss):
    v, data = self.weights, self.data
    cell = MVRNNCell(*(tf.convert_to_tensor(v[n]) for n in ("weights", "bias", "matrix_weights")))
    with rtf.SubGraph("mv_rnn", outputs=(cell.state_spec, tf.TensorSpec([1]))) as f:
      node = f.input(tf.int32, [1])
      word, label = tf.unstack(tf.gather(data["nodes"], node), num=2, axis=1)

      def leaf():
        return cell.leaf(tf.gather(v["embedding"], word)), tf.zeros([1])

      def inner():
        left, right = tf.split(tf.gather(data["children"], node), 2, axis=1)
        state_left, loss_left = f(left[0])
        state_right, loss_right = f(right[0])
        return cell.inner(state_left, state_right), loss_left + loss_right

      state, below = tf.cond(word[0] >= 0, leaf, inner)
      f.output((state, self.loss_of(state[0], label, below, has_loss)))
    return f.map(roots[:, tf.newaxis])
