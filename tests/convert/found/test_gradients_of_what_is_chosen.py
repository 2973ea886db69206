"""What a list of the run, `sorted`, or `max` and `min` by a key have not chosen has no gradient."""

import pytest
import tensorflow as tf

import recursive_tf as rtf


def _sum(tensor):
  return float(tf.reduce_sum(tensor))


_CHOICES = {
  "max": lambda found: max(found, key=_sum),
  "min": lambda found: min(found, key=_sum),
  "sorted": lambda found: sorted(found, key=_sum)[0],
  "item": lambda found: found[int(tf.reduce_sum(found[1]) > 1.0)],
  "negative item": lambda found: found[-1 - int(tf.reduce_sum(found[1]) > 1.0)],
  "dict": lambda found: dict(enumerate(found))[int(tf.reduce_sum(found[1]) > 1.0)],
}


@pytest.mark.parametrize("name", list(_CHOICES))
def test_what_is_not_chosen_has_no_gradient(name):
  choose, weights = _CHOICES[name], tf.Variable([[0.2, 0.5], [0.1, 0.3]])

  def gradient(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(tf.tanh(choose([tf.linalg.matvec(weights, x), x])) ** 2)
    return tape.gradient(loss, weights)

  ours = rtf.function(gradient, verify=False)
  seen = set()
  for x in ([0.1, 0.2], [-1.0, -2.0], [3.0, 4.0], [0.2, 0.2]):
    found, plain = ours(tf.constant(x)), gradient(tf.constant(x))
    seen.add(plain is None)
    assert (found is None) == (plain is None)
    if plain is not None:
      assert found.numpy() == pytest.approx(plain.numpy(), rel=1e-5)
  assert seen == {True, False}


def test_what_tensorflow_gathers_has_zeros():
  weights = tf.Variable([0.2, 0.5])

  @rtf.function(strict=True, verify=False)
  def gradient(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(tf.gather(tf.stack([weights * x, x]), tf.cast(x[0] > 0, tf.int32)))
    return tape.gradient(loss, weights)

  assert gradient(tf.constant([1.0, 2.0])).numpy().tolist() == [0.0, 0.0]
  assert gradient(tf.constant([-1.0, 2.0])).numpy().tolist() == [-1.0, 2.0]
