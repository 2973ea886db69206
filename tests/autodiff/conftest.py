"""Fixtures of the autodiff tests."""

import pytest
import tensorflow as tf

from tests.autodiff.vjp import WAYS, normal


@pytest.fixture(params=WAYS)
def way(request):
  """Takes gradients in each way that TensorFlow has: see `vjp.value_and_gradients`."""
  return request.param


@pytest.fixture
def w():
  """A weight that gradients are taken of, float64 [3, 3]."""
  return tf.Variable(0.5 * normal(3, 3))
