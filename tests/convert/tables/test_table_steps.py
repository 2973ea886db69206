"""Training steps of models whose weights are entries of tables: weights and losses are eager's."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.fuzz.runner import load
from tests.convert.tables.source import generate

_VALUES = ("variable", "shapes", "tuple", "layer", "layer_and_weight", "object")
_KEYS = ("length", "pair", "put_together", "name")


def _world(path, **options):
  module = load(path)
  visit, _ = module.build(lambda function: function)
  weights = module.weights()
  optimizer = tf.keras.optimizers.SGD(0.05)
  optimizer.build(weights)

  def step(tree):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(visit(tree) ** 2)
    gradients = tape.gradient(loss, weights)
    pairs = [(g, w) for g, w in zip(gradients, weights, strict=True) if g is not None]
    optimizer.apply_gradients(pairs)
    return loss

  return module, weights, rtf.function(step, **options) if options else step


@pytest.mark.parametrize("read", ["item", "get_none"])
@pytest.mark.parametrize("key", _KEYS)
@pytest.mark.parametrize("value", _VALUES)
def test_a_step_trains_what_it_finds_in_a_table(value, key, read, tmp_path):
  path = tmp_path / "model.py"
  path.write_text(generate(key, "dict", value, read, "none"))
  plain, plain_weights, plain_step = _world(path)
  module, weights, step = _world(path, verify=False)
  for name in ("tree", "tree", "leaf", "tree"):
    expected, got = plain_step(getattr(plain, name)()), step(getattr(module, name)())
    np.testing.assert_allclose(expected, got, rtol=1e-4, err_msg=name)
    for number, (a, b) in enumerate(zip(plain_weights, weights, strict=True)):
      np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-3, atol=1e-5, err_msg=str(number))
  codes = {reason.code for reason in step.stats.fallbacks}
  # An object found by an attribute is one of the heap, of which a step reads no variables.
  expected = {"check-failed", *(["stateful-op"] if (value, key) == ("object", "name") else [])}
  assert codes <= expected or read == "get_none", step.explain()
