"""Random bodies with effects equal the oracle: results, gradients, and what they leave behind.

RECURSIVE_TF_TEST_BODIES=500 tries more of them, RECURSIVE_TF_TEST_FIRST_BODY=60 others; without
`pytest -m ''`, one in three of those.
"""

import os

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import value_and_gradients
from tests.property.bodies import COUNT, ROW, WIDTH, Store, make_program
from tests.reference import Unrolled, as_subgraph, assert_same

NUM_BODIES = int(os.environ.get("RECURSIVE_TF_TEST_BODIES", "60"))
FIRST = int(os.environ.get("RECURSIVE_TF_TEST_FIRST_BODY", "0"))
STORE = Store()
SIGNATURE = [COUNT, COUNT, ROW]
# Why a body may be refused by the batched scheduler.
REFUSALS = ("an op with an effect", "among uses of a variable that the frame writes")


def outcome(call, args, way):
  """Returns results, gradients, and what the variables are afterwards."""
  STORE.reset()
  found = value_and_gradients(call, args, [STORE.weights, STORE.rows], way)
  return found, [variable.numpy() for variable in STORE.state]


def outcome_under(scheduler, body, args):
  # As a condition, TensorFlow's own conditionals take a bool only.
  program = make_program(body, STORE, counts_as_bool=scheduler == "batched")
  f = as_subgraph(program, SIGNATURE, ROW, scheduler=scheduler)
  try:
    return outcome(f.map, args, "function")
  except rtf.DefinitionError as error:
    assert any(reason in str(error) for reason in REFUSALS), error
  f = as_subgraph(make_program(body, STORE, counts_as_bool=False), SIGNATURE, ROW)
  assert any(reason in f.explain().reason for reason in REFUSALS)
  return outcome(f.map, args, "function")


def check_body(body, *schedulers):
  """Compares a body, by seed or statements, under some schedulers with the oracle."""
  x = tf.random.stateless_normal([3, 1, WIDTH], [5, 2], dtype=tf.float64)
  args = [tf.constant([2, 0, 1]), tf.constant([1, 2, 3]), x]
  oracle = Unrolled(make_program(body, STORE, counts_as_bool=True), SIGNATURE, ROW)
  expected, expected_state = outcome(oracle.map, args, "eager")
  for scheduler in schedulers:
    found, state = outcome_under(scheduler, body, args)
    assert_same(found, expected)
    for variable, wanted in zip(state, expected_state, strict=True):
      np.testing.assert_allclose(variable, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(FIRST, FIRST + NUM_BODIES))
def test_a_body_equals_the_oracle(seed):
  check_body(seed, "concurrent", "batched")
