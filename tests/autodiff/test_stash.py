"""The stash: what a tape holds, who frees it, and that nothing is ever left behind."""

import gc
import resource

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import normal
from tests.live_runs import alive
from tests.reference import as_subgraph

pytestmark = pytest.mark.usefixtures("scheduler")
F64 = tf.float64
COUNT = tf.TensorSpec([], tf.int32)
ROW = tf.TensorSpec([1, 3], F64)


@pytest.fixture
def f(w):
  """A tree of 2^(n + 1) - 1 frames; fails in the deepest frame if x[0, 0] is above 100."""

  def body(f, n, x):
    def leaf():
      check = tf.debugging.assert_less(x[0, 0], tf.constant(100.0, F64), "leaf too large")
      with tf.control_dependencies([check] if check is not None else []):
        return tf.identity(x)

    return tf.cond(n == 0, leaf, lambda: tf.tanh((f(n - 1, x) + f(n - 1, -x)) @ w) + x)

  return as_subgraph(body, [COUNT, ROW])


def num_entries(scheduler, num_frames):
  """Returns how many entries the last run has: one a frame; or, batched, one a step."""
  if scheduler == "concurrent":
    return num_frames
  stats = rtf.last_run_stats()
  assert stats.frames == num_frames
  assert 0 < stats.steps <= stats.rows
  return stats.steps


@pytest.fixture(autouse=True)
def _nothing_left():
  assert alive() == (0, 0)
  yield
  assert alive() == (0, 0)


def test_is_empty_after_the_backward_pass(f, w, mode, scheduler):
  @mode
  def run(x):
    with tf.GradientTape() as tape:
      y = tf.reduce_sum(f(4, x))
    return tape.gradient(y, w)

  run(normal(1, 3))
  assert alive() == (0, 0)
  assert rtf.last_run_stats().stash_entries == num_entries(scheduler, 31)


def test_is_held_by_the_tape_and_freed_when_it_is_dropped_unused(f, scheduler):
  with tf.GradientTape() as tape:
    y = f(4, normal(1, 3))
  expected = (1, num_entries(scheduler, 31))
  assert alive(expected) == expected
  del tape
  gc.collect()
  assert alive() == (0, 0)
  del y


def test_is_freed_by_the_only_gradient_of_a_tape(f, w):
  with tf.GradientTape() as tape:
    y = tf.reduce_sum(f(4, normal(1, 3)))
  tape.gradient(y, w)
  assert alive() == (0, 0)


def test_is_kept_for_a_persistent_tape_until_that_is_dropped(f, w, scheduler):
  with tf.GradientTape(persistent=True) as tape:
    y = tf.reduce_sum(f(4, normal(1, 3)))
  for _ in range(3):
    tape.gradient(y, w)
    expected = (1, num_entries(scheduler, 31))
    assert alive(expected) == expected
  del tape
  gc.collect()
  assert alive() == (0, 0)


def test_is_empty_when_no_gradient_is_asked_for_in_a_function(f):
  @tf.function
  def run(x):
    with tf.GradientTape():
      y = tf.reduce_sum(f(4, x))
    return y

  run(normal(1, 3))
  stats = rtf.last_run_stats()
  assert (stats.stash_entries, stats.stash_peak_bytes) == (0, 0)


def test_each_row_of_a_map_stashes_its_frames(f, w, scheduler):
  with tf.GradientTape() as tape:
    y = tf.reduce_sum(f.map([1, 0, 2], normal(3, 1, 3)))
  expected = (1, num_entries(scheduler, 3 + 1 + 7))
  assert alive(expected) == expected
  tape.gradient(y, w)
  assert alive() == (0, 0)


def test_is_empty_after_an_error_in_the_forward_pass(f, w, mode):
  @mode
  def run(x):
    with tf.GradientTape() as tape:
      y = tf.reduce_sum(f(4, x))
    return tape.gradient(y, w)

  with pytest.raises(tf.errors.InvalidArgumentError, match="leaf too large"):
    run(1000 + normal(1, 3))
  gc.collect()
  assert alive() == (0, 0)
  assert run(normal(1, 3)) is not None


def test_is_empty_after_an_error_in_the_backward_pass(w, mode):
  @tf.custom_gradient
  def fragile(x):
    def gradient(dy):
      with tf.control_dependencies([tf.debugging.Assert(tf.reduce_sum(x) > 1e9, ["broken"])]):
        return tf.identity(dy)

    return tf.identity(x), gradient

  def body(f, n, x):
    return tf.cond(n == 0, lambda: fragile(tf.identity(x)), lambda: f(n - 1, x) @ w)

  f = as_subgraph(body, [COUNT, ROW])

  @mode
  def run(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = tf.reduce_sum(f(20, x))
    return tape.gradient(y, x)

  with pytest.raises(tf.errors.InvalidArgumentError, match="broken"):
    run(normal(1, 3))
  gc.collect()
  assert alive() == (0, 0)


def test_memory_stays_flat_over_many_steps(f, w):
  @tf.function
  def step(x):
    with tf.GradientTape() as tape:
      y = tf.reduce_sum(f(5, x))
    w.assign_sub(1e-6 * tape.gradient(y, w))

  def resident_mib():
    with open("/proc/self/statm") as file:
      return int(file.read().split()[1]) * resource.getpagesize() / 2**20

  x = normal(1, 3)
  for _ in range(100):
    step(x)
  before = resident_mib()
  for _ in range(300):
    step(x)
  assert resident_mib() - before < 0.02 * before


def test_memory_stays_flat_over_many_eager_steps(f, w):
  def step(x):
    with tf.GradientTape() as tape:
      y = tf.reduce_sum(f(3, x))
    return tape.gradient(y, w)

  x = normal(1, 3)
  step(x)
  gc.collect()
  for _ in range(50):
    step(x)
  assert alive() == (0, 0)
  tf_functions = sum(1 for o in gc.get_objects() if type(o).__name__ == "ConcreteFunction")
  for _ in range(50):
    step(x)
  gc.collect()
  assert sum(1 for o in gc.get_objects() if type(o).__name__ == "ConcreteFunction") == tf_functions
