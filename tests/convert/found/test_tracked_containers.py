"""Lists, tuples and dicts that are attributes of a tf.Module, which makes them its own classes.

What its functions make of them is of these classes, too: gradients of `self.weights`, say.
"""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.compare import Comparison

X = tf.constant([1.0, 2.0])


class Model(tf.Module):
  def __init__(self, kind):
    self.w, self.b = tf.Variable([2.0, 1.0]), tf.Variable(1.0)
    both = {"w": self.w, "b": self.b}
    self.has_names = kind is dict
    self.weights = both if kind is dict else kind(both.values())
    self.optimizer = tf.keras.optimizers.SGD(0.1)

  def values(self):
    return self.weights.values() if self.has_names else self.weights

  def loss(self, x):
    return tf.reduce_sum(self.w * x) * self.b


def optimized(model, x):
  with tf.GradientTape() as tape:
    loss = model.loss(x)
  grads = tape.gradient(loss, list(model.values()) if model.has_names else model.weights)
  model.optimizer.apply_gradients(zip(grads, model.values(), strict=True))
  return loss


def by_hand(model, x):
  with tf.GradientTape() as tape:
    loss = model.loss(x)
  for v, g in zip(model.values(), tape.gradient(loss, list(model.values())), strict=True):
    v.assign_sub(0.1 * g)
  return loss


def clipped(model, x):
  with tf.GradientTape() as tape:
    loss = model.loss(x)
  grads, norm = tf.clip_by_global_norm(tape.gradient(loss, model.values()), 1.0)
  model.optimizer.apply_gradients(zip(grads, model.values(), strict=True))
  return loss, norm


def returned(model, x):
  with tf.GradientTape() as tape:
    loss = model.loss(x)
  return tape.gradient(loss, model.weights)


def returned_in_a_tuple(model, x):
  with tf.GradientTape() as tape:
    loss = model.loss(x)
  return loss, [tape.gradient(loss, model.weights)]


def mapped(model, x):
  return tf.nest.map_structure(lambda v: v * 2.0, model.weights)


def counted(model, x):
  with tf.GradientTape() as tape:
    loss = model.loss(x)
  grads = tape.gradient(loss, model.weights)
  return len(grads), isinstance(grads, (tuple, list, dict)), type(grads).__name__, loss


def of_what_class(model, x):
  return type(model.weights).__name__, type(model.weights) is dict, x


def held(model, x):
  model.kept = [x, {"all": model.weights}]
  return x * 2.0


def handed_over(model, x):
  return tf.add_n([tf.reduce_sum(v) for v in list(model.values())]), model.weights


def stepped_and_handed_over(model, x):
  for v in list(model.values()):
    v.assign_sub(0.5 * tf.ones_like(v))
  return model.weights


STEPS = [
  optimized,
  by_hand,
  clipped,
  returned,
  returned_in_a_tuple,
  mapped,
  counted,
  of_what_class,
  held,
  handed_over,
  stepped_and_handed_over,
]


def shown(value):
  """Returns the parts of a result with the names of their classes."""
  if isinstance(value, dict):
    return type(value).__name__, {key: shown(part) for key, part in value.items()}
  if isinstance(value, (list, tuple)):
    return type(value).__name__, [shown(part) for part in value]
  return value


@pytest.mark.parametrize("kind", [list, tuple, dict])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_containers_of_a_module(step, kind):
  models = Model(kind), Model(kind)
  converted = rtf.function(verify=False)(step)
  for number in range(4):
    expected, got = shown(step(models[0], X)), shown(converted(models[1], X))
    weights = [[v.numpy() for v in model.trainable_variables] for model in models]
    kept = [shown(getattr(model, "kept", None)) for model in models]
    Comparison().check(
      (expected, kept[0], weights[0]), (got, kept[1], weights[1]), f"call {number}"
    )
  faults = {Reason.INTERNAL_ERROR, Reason.GRAPH_ERROR, Reason.VERIFICATION_FAILED}
  assert not faults & converted.stats.fallbacks.keys(), converted.explain()
  if step in (optimized, by_hand, clipped):
    assert converted.stats.num_converted_runs, converted.explain()
