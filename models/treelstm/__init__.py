"""Binary constituency Tree-LSTM, and the top-down Tree-LSTM that generates dependency trees."""

from recursive_tf.models.treelstm.model import TreeLSTM as TreeLSTM
from recursive_tf.models.treelstm.model import TreeLSTMConfig as TreeLSTMConfig
from recursive_tf.models.treelstm.nary import ChildSumTreeLSTM as ChildSumTreeLSTM
from recursive_tf.models.treelstm.nary import NaryTreeEncoder as NaryTreeEncoder
from recursive_tf.models.treelstm.nary import NaryTreeLSTM as NaryTreeLSTM
from recursive_tf.models.treelstm.nary import NaryTreeLSTMConfig as NaryTreeLSTMConfig
from recursive_tf.models.treelstm.top_down import GeneratedTrees as GeneratedTrees
from recursive_tf.models.treelstm.top_down import TopDownTreeLSTM as TopDownTreeLSTM
from recursive_tf.models.treelstm.top_down import TopDownTreeLSTMConfig as TopDownTreeLSTMConfig
from recursive_tf.models.treelstm.top_down_metrics import GenerationMetrics as GenerationMetrics
