"""Methods of ever new objects that hold tensors, variables and functions: models made anew."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

TREES = [1, (1, 2), ((1, 2), (3, (4, 5)))]


def random(seed, *shape):
  return tf.random.stateless_normal(shape, [seed, 7])


def of_tensors(wrap):
  class Model:
    def __init__(self, seed):
      self.weight, self.calls = random(seed, 2, 2), 0

    @wrap
    def encode(self, tree):
      self.calls += 1
      if isinstance(tree, int):
        return self.weight[0] * float(tree)
      return tf.linalg.matvec(self.weight, self.encode(tree[0]) + self.encode(tree[1]))

  return Model


def of_variables(wrap):
  class Model:
    def __init__(self, seed):
      self.weight = tf.Variable(random(seed, 2, 2))
      self.functions = {"tanh": tf.tanh, "relu": tf.nn.relu}

    @wrap
    def encode(self, tree):
      if isinstance(tree, int):
        return tf.constant([1.0, 2.0]) * float(tree)
      joined = self.encode(tree[0]) + self.encode(tree[1])
      return self.functions["tanh"](tf.linalg.matvec(self.weight, joined))

  return Model


def module(wrap):
  class Model(tf.Module):
    def __init__(self, seed):
      super().__init__()
      self.weight, self.activation = tf.Variable(random(seed, 2, 2)), tf.nn.softsign

    @wrap
    def encode(self, tree):
      if isinstance(tree, int):
        return tf.constant([1.0, 2.0]) * float(tree)
      joined = self.encode(tree[0]) + self.encode(tree[1])
      return self.activation(tf.linalg.matvec(self.weight, joined))

  return Model


def of_several_kinds(wrap):
  class Model:
    def __init__(self, seed):
      self.weight = random(seed, 2 + seed % 2, 2) if seed % 3 else None
      self.scale = [2, 0.5, None][seed % 3]

    @wrap
    def encode(self, tree):
      if isinstance(tree, int):
        return tf.constant([1.0, 2.0]) * float(tree)
      joined = self.encode(tree[0]) + self.encode(tree[1])
      if self.weight is not None:
        joined = tf.reduce_sum(self.weight) * joined
      return joined * float(self.scale) if self.scale is not None else joined

  return Model


@pytest.mark.parametrize("make", [of_tensors, of_variables, module, of_several_kinds])
def test_values_gradients_and_attributes(make):
  plain, converted = make(lambda function: function), make(rtf.recursive(verify=False))
  known = []
  for seed in range(14):
    known.append((plain(seed), converted(seed)))
    for one, other in {known[-1], known[seed // 2]}:  # An earlier one again, too.
      found = []
      for model in (one, other):
        watched = [v for v in vars(model).values() if tf.is_tensor(v)]
        with tf.GradientTape() as tape:
          tape.watch([v for v in watched if not isinstance(v, tf.Variable)])
          value = model.encode(TREES[seed % 3])
        zero = tf.UnconnectedGradients.ZERO
        gradients = tape.gradient(value, watched, unconnected_gradients=zero)
        found.append(([value, *gradients], getattr(model, "calls", None)))
      (wanted, calls), (got, other_calls) = found
      assert calls == other_calls
      for a, b in zip(wanted, got, strict=True):
        tf.debugging.assert_near(a, b, rtol=1e-4, atol=1e-5)
  if make is not of_several_kinds:
    assert converted.encode.stats.num_fallback_runs == 0
