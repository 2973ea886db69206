"""Lists of a length that the run finds, given to TensorFlow: an empty one is a tensor of floats.

Its shape is [0], whatever the elements of other runs are: a sum of no states is a scalar.
"""

import pytest
import tensorflow as tf

from tests.convert.agreement import Node, agrees

W = tf.Variable([0.5, -1.0])
ELEMENTS = {
  "ints": lambda k: k.v,
  "truths": lambda k: k.v > 1,
  "floats": lambda k: k.v + 0.5,
  "tensors": lambda k: W * float(k.v),
  "matrices": lambda k: W[None] * float(k.v),
  "scalars": lambda k: tf.reduce_sum(W) * float(k.v),
}
USES = {
  "constant": tf.constant,
  "convert": tf.convert_to_tensor,
  "sum": tf.reduce_sum,
  "sum of rows": lambda xs: tf.reduce_sum(xs, axis=0),
  "sigmoid of a sum": lambda xs: tf.sigmoid(tf.reduce_sum(xs, axis=0)),
  "max": tf.reduce_max,
  "mean": lambda xs: tf.reduce_mean(xs, 0),
  "all": tf.reduce_all,
  "reshape": lambda xs: tf.reshape(xs, [-1]),
  "identity": tf.identity,
  "cast": lambda xs: tf.cast(xs, tf.float32),
  "square": tf.square,
  "stack": tf.stack,
  "largest": tf.argmax,
  "smallest of rows": lambda xs: tf.argmin(xs, axis=0),
  "chosen": lambda xs: int(tf.argmax([tf.reduce_sum(tf.cast(x, tf.float32)) for x in xs])),
  "sorted": tf.sort,
  "order": tf.argsort,
  "top": lambda xs: tf.math.top_k(xs, 1)[0],
  "products": tf.math.cumprod,
  "log of sum": tf.math.reduce_logsumexp,
  "deviation": tf.math.reduce_std,
  "variance": tf.math.reduce_variance,
  "normed": tf.math.l2_normalize,
  "squares": tf.nn.l2_loss,
  "log softmax": tf.nn.log_softmax,
  "relu": tf.nn.relu,
  "abs": tf.abs,
  "negative": tf.negative,
  "sigmoid": tf.sigmoid,
  "tanh": tf.tanh,
  "clipped": lambda xs: tf.clip_by_value(xs, 0.0, 2.0),
  "expanded": lambda xs: tf.expand_dims(xs, 0),
  "reversed": lambda xs: tf.reverse(xs, [0]),
  "transposed": tf.transpose,
  "shape": tf.shape,
  "size": tf.size,
}
COLLECT = {
  "comprehension": lambda kids, of: [of(k) for k in kids],
  "filter": lambda kids, of: [of(k) for k in kids if k.v > 2],
  "append": lambda kids, of: _appended(kids, of),
  "tuple": lambda kids, of: tuple([of(k) for k in kids]),
}


def _appended(kids, of):
  found = []
  for k in kids:
    found.append(of(k))
  return found


def _trees():
  pair = Node(2, True, "t", Node(1, True, "q"), Node(3, True, "l"))
  one = Node(3, True, "o", Node(4, True, "p"))
  for tree in (pair, Node(5, False, "m"), one, Node(2, True, "d", one, pair), Node(5, False, "m")):
    yield (tree,)


@pytest.mark.parametrize("collect", COLLECT)
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_an_empty_list(element, use, collect):
  of, take, gather = ELEMENTS[element], USES[use], COLLECT[collect]

  def build(recursive):
    @recursive
    def f(n):
      return take(gather(n.kids, of))

    return f

  agrees(build, _trees)
