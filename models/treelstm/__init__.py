"""Binary constituency Tree-LSTM."""

from recursive_tf.models.treelstm.model import TreeLSTM as TreeLSTM
from recursive_tf.models.treelstm.model import TreeLSTMConfig as TreeLSTMConfig
