"""Recursive neural networks: plain (TreeRNN), with a tensor (RNTN), with matrices (MVRNN)."""

from recursive_tf.models.treernn.model import MVRNN as MVRNN
from recursive_tf.models.treernn.model import RNTN as RNTN
from recursive_tf.models.treernn.model import MVRNNConfig as MVRNNConfig
from recursive_tf.models.treernn.model import RNTNConfig as RNTNConfig
from recursive_tf.models.treernn.model import TreeRNN as TreeRNN
from recursive_tf.models.treernn.model import TreeRNNConfig as TreeRNNConfig
