"""Automatic differentiation: importing this package registers the gradients of all ops."""

from recursive_tf.autodiff import _gradients as _gradients
