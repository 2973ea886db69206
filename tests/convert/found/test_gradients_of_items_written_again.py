"""Gradients through what a call has written into a dict of the tree, equal to what was there."""

import pytest
import tensorflow as tf

import recursive_tf as rtf


class Cell:
  def __init__(self):
    self.items = {}
    self.x = tf.constant([1.0, 2.0])
    self.name = "a"


def updated(n, w):
  n.items.update({n.name: tf.tanh(n.x * w)})
  return n.x


def by_key(n, w):
  n.items[n.name] = tf.tanh(n.x * w)
  return n.x


def with_a_number(n, w):
  n.items.update({n.name: (tf.tanh(n.x * w), 1)})
  return n.x


def summed_at_once(n, w):
  n.items[n.name] = tf.tanh(n.x * w)
  return sum([x for x in n.items.values() if tf.is_tensor(x)], tf.zeros([2]))


def taken_out_before(n, w):
  n.items.pop(n.name, None)
  n.items[n.name] = tf.tanh(n.x * w)
  return n.x


def left_as_it_is(n, w):
  n.items["count"] = tf.reduce_sum(n.x) * 0.0
  return n.x * w


def gradients(function, is_kept):
  """Returns the gradient of each of four calls, and the dict's keys then."""
  w, n, found = tf.Variable([0.5, -0.25]), Cell(), []
  for _ in range(4):
    with tf.GradientTape() as tape:
      if is_kept:
        n.items["kept"] = w * 3.0  # The call leaves it as it is.
      total = tf.reduce_sum(function(n, w))
      for x in tf.nest.flatten([*n.items.values()]):
        total += tf.reduce_sum(x) if tf.is_tensor(x) else 0.0
    gradient = tape.gradient(total, w, unconnected_gradients="zero")
    found.append(([*n.items], gradient.numpy().tolist()))
  return found


@pytest.mark.one_in(12)
@pytest.mark.parametrize("is_kept", [False, True], ids=["alone", "beside another"])
@pytest.mark.parametrize(
  "program",
  [updated, by_key, with_a_number, summed_at_once, taken_out_before, left_as_it_is],
  ids=lambda f: f.__name__,
)
def test_an_equal_tensor_is_another_one_to_a_tape(program, is_kept):
  converted = rtf.recursive(program, verify=False)
  plain, graph = gradients(program, is_kept), gradients(converted, is_kept)
  assert [keys for keys, _ in plain] == [keys for keys, _ in graph]
  for (_, one), (_, other) in zip(plain, graph, strict=True):
    assert one == pytest.approx(other, abs=1e-5)
  assert converted.stats.num_converted_runs or is_kept
