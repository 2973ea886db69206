"""Deep recursion, forward and backward: depth lives on the heap."""

import json
import subprocess
import sys

import pytest
import tensorflow as tf

from tests.reference import as_subgraph

pytestmark = pytest.mark.usefixtures("scheduler")

CHAIN = """
import json, resource, sys
import tensorflow as tf
import recursive_tf as rtf

depth = int(sys.argv[1])
w = tf.Variable(1.0, dtype=tf.float64)
with rtf.SubGraph("chain") as f:
  n, x = f.input(tf.int32), f.input(tf.float64)
  f.output(tf.cond(n == 0, lambda: x, lambda: w * f(n - 1, x) + 1))

@tf.function
def run(n, x):
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(n, x)
  return y, *tape.gradient(y, [x, w])

values = [float(v) for v in run(tf.constant(depth - 1), tf.constant(2.0, tf.float64))]
stats = rtf.last_run_stats()
mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([values, stats.frames, stats.live_stash_entries, mib]))
"""


def test_a_chain_of_100_000_frames_runs_forward_and_backward():
  depth = 100_000
  process = subprocess.run(
    [sys.executable, "-c", CHAIN, str(depth)], capture_output=True, text=True, check=False
  )
  assert process.returncode == 0, process.stderr[-2000:]
  (y, of_x, of_w), frames, left, mib = json.loads(process.stdout)
  n = depth - 1
  # y = w^n x + w^(n-1) + ... + 1 at w = 1, x = 2.
  assert y == n + 2
  assert of_x == 1
  assert of_w == 2 * n + n * (n - 1) / 2
  assert (frames, left) == (depth, 0)
  assert mib < 8192


@pytest.mark.parametrize("depth", [1, 2, 1000, 10_000])
def test_a_chain_has_the_gradient_of_its_closed_form(depth, mode):
  w = tf.Variable(0.999, dtype=tf.float64)
  f = as_subgraph(
    lambda f, n, x: tf.cond(n == 0, lambda: x, lambda: w * f(n - 1, x)),
    [tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float64)],
  )

  @mode
  def run(n, x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(n, x)
    return y, *tape.gradient(y, [x, w])

  n = depth - 1
  y, of_x, of_w = (v.numpy() for v in run(tf.constant(n), tf.constant(2.0, tf.float64)))
  assert y == pytest.approx(2 * 0.999**n, rel=1e-9)
  assert of_x == pytest.approx(0.999**n, rel=1e-9)
  assert of_w == pytest.approx(2 * n * 0.999 ** (n - 1), rel=1e-9)


def test_a_list_summed_by_splitting_is_as_deep_as_its_logarithm(mode):
  f = as_subgraph(
    lambda f, x: tf.cond(
      tf.size(x) <= 1,
      lambda: tf.reduce_sum(x * x),
      lambda: f(x[: tf.size(x) // 2]) + f(x[tf.size(x) // 2 :]),
    ),
    [tf.TensorSpec([None], tf.float64)],
  )

  @mode
  def run(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(x)
    return y, tape.gradient(y, x)

  x = tf.range(1000, dtype=tf.float64)
  y, gradient = run(x)
  assert y.numpy() == sum(i * i for i in range(1000))
  assert (gradient.numpy() == 2 * x.numpy()).all()
