"""Fused operations for the cells of recursive models; each works with any number of rows."""

from recursive_tf.nn._dropout import dropout_mask as dropout_mask
from recursive_tf.nn._lstm_gates import lstm_gates as lstm_gates
from recursive_tf.nn._matmul import matmul as matmul
from recursive_tf.nn._precision import has_bfloat16_products as has_bfloat16_products
