"""Tree-LSTMs: of binary trees, of trees of any kind, and top-down, to generate dependency trees."""

from recursive_tf.models.treelstm.model import TreeLSTM as TreeLSTM
from recursive_tf.models.treelstm.model import TreeLSTMConfig as TreeLSTMConfig
from recursive_tf.models.treelstm.nary import ChildSumTreeLSTM as ChildSumTreeLSTM
from recursive_tf.models.treelstm.nary import NaryTreeEncoder as NaryTreeEncoder
from recursive_tf.models.treelstm.nary import NaryTreeLSTM as NaryTreeLSTM
from recursive_tf.models.treelstm.nary import NaryTreeLSTMConfig as NaryTreeLSTMConfig
from recursive_tf.models.treelstm.relatedness import NaryRelatednessConfig as NaryRelatednessConfig
from recursive_tf.models.treelstm.relatedness import (
  NaryRelatednessTreeLSTM as NaryRelatednessTreeLSTM,
)
from recursive_tf.models.treelstm.relatedness import RelatednessConfig as RelatednessConfig
from recursive_tf.models.treelstm.relatedness import RelatednessMetrics as RelatednessMetrics
from recursive_tf.models.treelstm.relatedness import RelatednessTreeLSTM as RelatednessTreeLSTM
from recursive_tf.models.treelstm.relations import NaryRelationConfig as NaryRelationConfig
from recursive_tf.models.treelstm.relations import NaryRelationTreeLSTM as NaryRelationTreeLSTM
from recursive_tf.models.treelstm.relations import RelationConfig as RelationConfig
from recursive_tf.models.treelstm.relations import RelationMetrics as RelationMetrics
from recursive_tf.models.treelstm.relations import RelationTreeLSTM as RelationTreeLSTM
from recursive_tf.models.treelstm.top_down import GeneratedTrees as GeneratedTrees
from recursive_tf.models.treelstm.top_down import TopDownTreeLSTM as TopDownTreeLSTM
from recursive_tf.models.treelstm.top_down import TopDownTreeLSTMConfig as TopDownTreeLSTMConfig
from recursive_tf.models.treelstm.top_down_metrics import GenerationMetrics as GenerationMetrics
