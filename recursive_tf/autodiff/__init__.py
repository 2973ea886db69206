"""Automatic differentiation: importing this package registers the gradients of all ops."""

from recursive_tf.autodiff._connectivity import connected_args as connected_args
from recursive_tf.autodiff._dense import DenseRows as DenseRows
from recursive_tf.autodiff._gradients import argument_gradients as argument_gradients
from recursive_tf.autodiff._gradients import capture_gradients as capture_gradients
from recursive_tf.autodiff._gradients import result_gradients as result_gradients
from recursive_tf.autodiff._gradients import second_order as second_order
from recursive_tf.autodiff._gradients import static_shape as static_shape
from recursive_tf.autodiff._gradients import switch_to_training as switch_to_training
from recursive_tf.autodiff._made import BlockGradientGraph as BlockGradientGraph
from recursive_tf.autodiff._made import reads_made as reads_made
from recursive_tf.autodiff._made import trace_made as trace_made
from recursive_tf.autodiff._tapped_rows import TappedRows as TappedRows
from recursive_tf.autodiff._tapped_rows import gives_rows as gives_rows
from recursive_tf.autodiff._taps import Slot as Slot
from recursive_tf.autodiff._taps import product_kind as product_kind
from recursive_tf.autodiff._taps import terms_of as terms_of
