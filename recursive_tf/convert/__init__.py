"""Python programs as recursive graphs."""

from recursive_tf import _tf_internals as _tfi
from recursive_tf.convert._refusal import ConversionRefused as ConversionRefused
from recursive_tf.convert._refusal import Reason as Reason
from recursive_tf.convert.recursive._function import RecursionDepthError as RecursionDepthError
from recursive_tf.convert.recursive._function import recursive as recursive

_tfi.keep_out_of_autograph("recursive_tf.convert")
