"""Python programs as recursive graphs: the decorator is `convert.recursive.recursive`."""

from recursive_tf import _tf_internals as _tfi
from recursive_tf.convert._refusal import ConversionRefused as ConversionRefused
from recursive_tf.convert._refusal import Reason as Reason

_tfi.keep_out_of_autograph("recursive_tf.convert")
