"""Blocks that are alike have one graph, function and gradient; each has its own captures."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.batching._plan import plan_for

ROW = tf.TensorSpec([1, 2])
DEPTHS = [0, 1, 2, 3]


def weights(count):
  rng = np.random.default_rng(5)
  return [tf.Variable(tf.constant(0.7 * rng.normal(size=(2, 2)), tf.float32)) for _ in range(count)]


def calls_in_turn(steps, scheduler):
  """Returns a recursion that calls itself after each of some steps: each is a block of its own."""
  with rtf.SubGraph("in_turn", scheduler=scheduler, outputs=ROW) as f:
    n, x = f.input(tf.int32), f.input(ROW)

    def inner():
      y = x
      for step in steps:
        y = f(n - 1, step(y, n))
      return y

    f.output(tf.cond(n <= 0, lambda: tf.tanh(x), inner))
  return f


def numbers(steps, variables, scheduler):
  """Returns the results and gradients of a call for each depth."""
  f = calls_in_turn(steps, scheduler)
  x = tf.constant([[[0.3, -0.4]]] * len(DEPTHS))
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f.map(tf.constant(DEPTHS), x)
  return [y.numpy(), *(tf.convert_to_tensor(g).numpy() for g in tape.gradient(y, [x, *variables]))]


def num_graphs(steps):
  """Returns how many blocks there are and how many graphs."""
  plan = plan_for([calls_in_turn(steps, "batched")._body])
  functions = plan.functions.values()
  graphs = {id(function.graph) for function in functions}
  assert len({id(f) for f in plan.runtime_functions}) == len(graphs)
  assert len({id(f) for f in plan.training_functions()}) <= len(plan.functions)
  return len(functions), len(graphs)


def assert_agree(steps, variables=()):
  found = numbers(steps, variables, "batched")
  for ours, expected in zip(found, numbers(steps, variables, "concurrent"), strict=True):
    np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)


def products(variables):
  return [lambda y, n, w=w: tf.matmul(y, w) for w in variables]


def test_blocks_that_differ_in_their_weights_only_have_one_graph():
  variables = weights(4)
  num_blocks, count = num_graphs(products(variables))
  assert num_blocks >= count + 2
  assert num_graphs(products(weights(6)))[1] == count
  assert_agree(products(variables), variables)


@pytest.mark.parametrize(
  "steps",
  [
    [lambda y, n: y * 0.5, lambda y, n: y * 0.25, lambda y, n: y * 0.125, lambda y, n: y * 0.0625],
    [lambda y, n: tf.tanh(y), lambda y, n: tf.sin(y), lambda y, n: tf.exp(y)],
    [lambda y, n, k=k: tf.reduce_sum(y, k, keepdims=True) + y for k in (0, 1)],
    [lambda y, n, k=k: tf.concat([y[:, k:], y[:, :k]], 1) for k in (0, 1, 2)],
    [lambda y, n, k=k: y + tf.cast(n // k, tf.float32) for k in (1, 2, 3)],
    [lambda y, n: y - tf.transpose(tf.transpose(y)), lambda y, n: y + y, lambda y, n: y - y * 2.0],
  ],
  ids=["constants", "types", "axes", "slices", "ints", "uses"],
)
def test_blocks_that_differ_otherwise_compute_their_own(steps):
  assert_agree(steps)
  num_blocks, count = num_graphs([*steps, *steps])
  assert count + len(steps) - 1 <= num_blocks  # The first is with what comes before it.


def test_large_constants_are_not_compared():
  table = np.arange(2 * 2000, dtype=np.float32).reshape(2000, 2) / 4000
  steps = [lambda y, n, k=k: y + tf.gather(tf.constant(table + k), [n]) for k in (0.0, 1.0)]
  assert_agree(steps)


def test_blocks_that_are_alike_draw_from_states_of_their_own():
  steps = [lambda y, n: y * 0.0 + tf.random.uniform([1, 2], seed=3)] * 3
  with rtf.SubGraph("random", scheduler="batched", outputs=(ROW, ROW)) as f:
    n, x = f.input(tf.int32), f.input(ROW)

    def inner():
      first, _ = f(n - 1, steps[0](x, n))
      second, _ = f(n - 1, steps[1](first, n))
      return first, second

    f.output(tf.cond(n <= 0, lambda: (x, x), inner))
  first, second = f(1, tf.zeros([1, 2]))
  np.testing.assert_array_equal(first.numpy(), second.numpy())  # Of one seed, the first of each.


def test_ops_that_the_user_named_are_told_by_their_own_names():
  def named(name):
    return lambda y, n: tf.tanh(y, name=name)

  same = [named("a"), named("a"), named("a")]
  assert num_graphs([named("a"), named("b"), named("c")])[1] == num_graphs(same)[1] + 1


def test_a_plan_that_is_cut_again_makes_no_block_twice(monkeypatch):
  from recursive_tf.batching import _functions

  made = []
  emission = _functions._Emission

  def noted(block):
    made.append(_functions.Description(block).key)
    return emission(block)

  monkeypatch.setattr(_functions, "_Emission", noted)
  serial = [lambda y, n, k=k: y + tf.cast(tf.range(n + k)[-1], tf.float32) for k in (1, 2, 3)]
  plan = plan_for([calls_in_turn([*products(weights(4)), *serial], "batched")._body])
  assert plan.serial_ops
  assert len(set(made)) == len(made)
