"""Fixtures of the autodiff tests."""

import pytest

from tests.autodiff.vjp import WAYS


@pytest.fixture(params=WAYS)
def way(request):
  """Takes gradients in each way that TensorFlow has: see `vjp.value_and_gradients`."""
  return request.param
