"""Small random recursive programs equal the oracle: results and every gradient."""

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

import recursive_tf as rtf
from tests.autodiff.vjp import check
from tests.property.strategies import (
  NUM_WEIGHTS,
  VOCABULARY,
  WIDTH,
  base_cases,
  make_program,
  recursive_cases,
)

CI = settings.default.max_examples < 100
WEIGHTS = [
  tf.Variable(tf.random.stateless_normal([WIDTH, WIDTH], [i, 0], dtype=tf.float64))
  for i in range(NUM_WEIGHTS)
]
TABLE = tf.Variable(tf.random.stateless_normal([VOCABULARY, WIDTH], [9, 0], dtype=tf.float64))
ROW = tf.TensorSpec([1, WIDTH], tf.float64)
COUNT = tf.TensorSpec([], tf.int32)


# Why a program may be refused; docs/batching.md has them, too.
REFUSALS = ("a tf.custom_gradient", "TensorArray", "an op with an effect", "no static shape")


def check_unless_refused(*args, **options):
  """Compares with the oracle; a program that cannot be batched runs under "auto"."""
  try:
    check(*args, **options, scheduler="batched")
  except rtf.DefinitionError as error:
    assert any(reason in str(error) for reason in REFUSALS), error
    options.pop("policy", None)
    check(*args, **options, scheduler="auto")


@pytest.mark.parametrize("scheduler", ["batched", "concurrent"])
@given(base_cases, recursive_cases, st.integers(0, 3), st.sampled_from(["eager", "function"]))
@settings(max_examples=25 if CI else 500)
def test_results_and_gradients_equal_the_oracle(scheduler, base, inner, n, way):
  program = make_program(base, inner, WEIGHTS, TABLE)
  x = tf.random.stateless_normal([1, WIDTH], [4, 2], dtype=tf.float64)
  args, options = ([COUNT, ROW], [n, x], [*WEIGHTS, TABLE]), {"way": way, "outputs": ROW}
  if scheduler == "batched":
    check_unless_refused(program, *args, **options)
  else:
    check(program, *args, **options, scheduler=scheduler)


@given(base_cases, recursive_cases, st.sampled_from(["look_ahead", "agenda", "depth"]))
@settings(max_examples=15 if CI else 500)
def test_many_frames_at_once_equal_the_oracle(base, inner, policy):
  program = make_program(base, inner, WEIGHTS, TABLE)
  x = tf.random.stateless_normal([4, 1, WIDTH], [4, 2], dtype=tf.float64)
  args = [COUNT, ROW], [tf.constant([0, 3, 1, 2]), x], [*WEIGHTS, TABLE]
  options = {"mapped": True, "policy": policy, "way": "function", "outputs": ROW}
  check_unless_refused(program, *args, **options)
