"""Recursion in Keras 3: layers that call SubGraphs, and the tree models as Keras models.

`Recursive(function)` makes a layer of a function that builds or calls a SubGraph, of a SubGraph, or
of an `@rtf.recursive` function. Write bigger layers and models by subclassing `Layer` and `Model`.
"""

from recursive_tf.keras._classifier import MVRNN as MVRNN
from recursive_tf.keras._classifier import RNTN as RNTN
from recursive_tf.keras._classifier import TreeClassifier as TreeClassifier
from recursive_tf.keras._classifier import TreeEncoder as TreeEncoder
from recursive_tf.keras._classifier import TreeLSTM as TreeLSTM
from recursive_tf.keras._classifier import TreeRNN as TreeRNN
from recursive_tf.keras._inputs import as_batch as as_batch
from recursive_tf.keras._inputs import as_inputs as as_inputs
from recursive_tf.keras._inputs import nary_inputs as nary_inputs
from recursive_tf.keras._inputs import root_labels as root_labels
from recursive_tf.keras._inputs import tree_inputs as tree_inputs
from recursive_tf.keras._layer import Layer as Layer
from recursive_tf.keras._layer import Model as Model
from recursive_tf.keras._nary import ChildSumTreeLSTM as ChildSumTreeLSTM
from recursive_tf.keras._nary import NaryTreeEncoder as NaryTreeEncoder
from recursive_tf.keras._nary import NaryTreeLSTM as NaryTreeLSTM
from recursive_tf.keras._optimizer import Adagrad as Adagrad
from recursive_tf.keras._optimizer import LinearDecay as LinearDecay
from recursive_tf.keras._recursive import Recursive as Recursive
