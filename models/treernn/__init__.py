"""Recursive neural network (TreeRNN) and recursive neural tensor network (RNTN)."""

from recursive_tf.models.treernn.model import RNTN as RNTN
from recursive_tf.models.treernn.model import RNTNConfig as RNTNConfig
from recursive_tf.models.treernn.model import TreeRNN as TreeRNN
from recursive_tf.models.treernn.model import TreeRNNConfig as TreeRNNConfig
