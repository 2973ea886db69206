"""The logits behind Keras' softmax and sigmoid: an attribute of the tensor, which its losses read.

A tensor that leaves a branch, a loop, a list or a call of a graph is another one, without it. So it
is noted when such a tensor is brought there, and what comes from there is then kept from losses,
and from leaving the program: what Keras would read of it in Python, it would not find.
"""

from __future__ import annotations

import types

import keras
import tensorflow as tf

LOGITS = "_keras_logits"
_EAGER = tf.__internal__.EagerTensor
# What a value that was brought somewhere is there, or behind it. All other ops make tensors anew,
# in Python, too, which has no logits then.
_PASSING = frozenset(
  """If StatelessIf Case StatelessCase While StatelessWhile Switch Merge Identity IdentityN
  EnsureShape Select SelectV2 GatherV2 GatherNd Slice StridedSlice Unpack Split Squeeze Reshape
  TensorListGetItem TensorListStack TensorListGather TensorListPopBack TensorArrayReadV3
  PartitionedCall StatefulPartitionedCall""".split()
)
_STORING = frozenset("Pack ConcatV2 TensorScatterUpdate TensorListFromTensor ScatterNd".split())
_OURS = "RecursiveTf>"


def has_logits(tensor: object) -> bool:
  """Tells whether Keras has left logits with a tensor."""
  # To ask an eager tensor for what it does not have takes two microseconds.
  return LOGITS in tensor.__dict__ if type(tensor) is _EAGER else hasattr(tensor, LOGITS)


def may_have_lost(tensor: tf.Tensor, is_stored: bool = False) -> bool:
  """Tells whether a tensor may be one that had logits and was brought somewhere.

  Args:
    tensor: the tensor; of what is none, the answer is no.
    is_stored: whether it may be several such in one.
  """
  if not tf.is_symbolic_tensor(tensor) or has_logits(tensor) or not tensor.dtype.is_floating:
    return False
  kind = tensor.op.type
  if kind == "Placeholder":  # What the program is given has none.
    return isinstance(tensor.graph, tf.Graph) and _is_inner(tensor.graph)
  return kind in _PASSING or kind.startswith(_OURS) or (is_stored and kind in _STORING)


def _is_inner(graph: object) -> bool:
  return getattr(getattr(graph, "outer_graph", None), "building_function", False)


def reads_logits(function: object) -> bool:
  """Tells whether a function of Keras' may read logits: a loss, a metric, what is made of them."""
  owner = getattr(function, "__self__", function)
  if isinstance(owner, keras.layers.Layer):
    return function is not owner and getattr(function, "__name__", "") not in ("__call__", "call")
  if isinstance(owner, types.FunctionType):
    return "crossentropy" in owner.__name__
  return not isinstance(owner, type)
