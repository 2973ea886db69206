"""Small random recursive programs equal the oracle: results and every gradient."""

import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

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


@given(base_cases, recursive_cases, st.integers(0, 3), st.sampled_from(["eager", "function"]))
@settings(max_examples=40 if CI else 500)
def test_results_and_gradients_equal_the_oracle(base, inner, n, way):
  program = make_program(base, inner, WEIGHTS, TABLE)
  x = tf.random.stateless_normal([1, WIDTH], [4, 2], dtype=tf.float64)
  check(program, [COUNT, ROW], [n, x], [*WEIGHTS, TABLE], way=way, outputs=ROW)
