"""Trees of nodes with names and numbers, for programs that collect by name."""

import tensorflow as tf


class V:
  def __init__(self, name, val, *adj):
    self.name, self.val, self.adj = name, val, list(adj)


W = tf.Variable([1.0, 2.0])


def trees():
  d = V("d", 4)
  yield V("a", 1, V("b", 2, d), V("c", 3, d, V("b", 5)))
  yield V("q", 0)
  yield V("a", 3, V("a", 3, V("a", 2)), V("b", 1), V("b", 2))
  yield V("z", 2, V("b", 2, V("c", 3), V("d", 2), V("e", 1)), V("c", 2, V("zz", 7)))
  changed = V("a", 1, V("b", 2), V("c", 3))
  yield changed
  changed.adj[0].adj.append(V("c", 6))
  yield changed
