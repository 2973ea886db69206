"""Recursive models of trees, and what it takes to train them.

`TreeLSTM(vocab_size)`, `TreeRNN`, `RNTN` and `MVRNN` predict a class at every node of a
`TreeBatch`: `loss, metrics = model.loss_and_metrics(batch)`, in a `tf.function`.
`ChildSumTreeLSTM(vocab_size)` and `NaryTreeLSTM(vocab_size)` encode trees with any number of
children and words at any node: `model.encode(batch)`, of a `NaryBatch`.
`RelatednessTreeLSTM(vocab_size)` compares two sentences, `RelationTreeLSTM(vocab_size)` labels
the relations of words to their heads, both with a Child-Sum Tree-LSTM; `NaryRelatednessTreeLSTM`
and `NaryRelationTreeLSTM` do with an N-ary one.
`TopDownTreeLSTM(vocab_size)` generates trees: `model.generate(condition)`.
"""

from recursive_tf.models.classifier import TreeClassifier as TreeClassifier
from recursive_tf.models.labels import BINARY as BINARY
from recursive_tf.models.labels import FINE as FINE
from recursive_tf.models.labels import Task as Task
from recursive_tf.models.metrics import Metrics as Metrics
from recursive_tf.models.optimizer import Adagrad as Adagrad
from recursive_tf.models.trainable import Trainable as Trainable
from recursive_tf.models.treelstm import ChildSumTreeLSTM as ChildSumTreeLSTM
from recursive_tf.models.treelstm import GeneratedTrees as GeneratedTrees
from recursive_tf.models.treelstm import GenerationMetrics as GenerationMetrics
from recursive_tf.models.treelstm import NaryRelatednessConfig as NaryRelatednessConfig
from recursive_tf.models.treelstm import NaryRelatednessTreeLSTM as NaryRelatednessTreeLSTM
from recursive_tf.models.treelstm import NaryRelationConfig as NaryRelationConfig
from recursive_tf.models.treelstm import NaryRelationTreeLSTM as NaryRelationTreeLSTM
from recursive_tf.models.treelstm import NaryTreeEncoder as NaryTreeEncoder
from recursive_tf.models.treelstm import NaryTreeLSTM as NaryTreeLSTM
from recursive_tf.models.treelstm import NaryTreeLSTMConfig as NaryTreeLSTMConfig
from recursive_tf.models.treelstm import RelatednessConfig as RelatednessConfig
from recursive_tf.models.treelstm import RelatednessMetrics as RelatednessMetrics
from recursive_tf.models.treelstm import RelatednessTreeLSTM as RelatednessTreeLSTM
from recursive_tf.models.treelstm import RelationConfig as RelationConfig
from recursive_tf.models.treelstm import RelationMetrics as RelationMetrics
from recursive_tf.models.treelstm import RelationTreeLSTM as RelationTreeLSTM
from recursive_tf.models.treelstm import TopDownTreeLSTM as TopDownTreeLSTM
from recursive_tf.models.treelstm import TopDownTreeLSTMConfig as TopDownTreeLSTMConfig
from recursive_tf.models.treelstm import TreeLSTM as TreeLSTM
from recursive_tf.models.treelstm import TreeLSTMConfig as TreeLSTMConfig
from recursive_tf.models.treernn import MVRNN as MVRNN
from recursive_tf.models.treernn import RNTN as RNTN
from recursive_tf.models.treernn import MVRNNConfig as MVRNNConfig
from recursive_tf.models.treernn import RNTNConfig as RNTNConfig
from recursive_tf.models.treernn import TreeRNN as TreeRNN
from recursive_tf.models.treernn import TreeRNNConfig as TreeRNNConfig
