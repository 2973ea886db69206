"""Keras' generator that all share is another one after a new seed: what draws from it follows."""

import keras
import pytest
import tensorflow as tf

import recursive_tf as rtf

_X = tf.zeros([2])


def _draw(x):
  return keras.random.uniform([2]) + x


def _draw_in_a_branch(x):
  return keras.random.normal([2]) if tf.reduce_sum(x) > -1.0 else x


def _drop(x):
  return keras.random.dropout(x + 1.0, 0.5) + keras.random.uniform([2])


@pytest.mark.parametrize("renew", [keras.utils.set_random_seed, keras.utils.clear_session])
@pytest.mark.parametrize("function", [_draw, _draw_in_a_branch, _drop])
def test_seeds_that_change(function, renew):
  def run(call):
    found = []
    for seed in (7, 9, 9):
      if renew is keras.utils.clear_session:
        renew()
      keras.utils.set_random_seed(seed)
      found += [call(_X).numpy().tolist() for _ in range(3)]
    return found

  converted = rtf.function(function, verify=0)
  assert run(converted) == run(function)
  assert converted.stats.num_converted_runs > 0
