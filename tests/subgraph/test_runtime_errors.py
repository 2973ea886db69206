"""Errors while a body runs surface once, soon, with op, SubGraph and depth; then all is well.

Soon is a matter of processor time: the machine may be busy with other things.
"""

import re
import time

import pytest
import tensorflow as tf

import recursive_tf as rtf

pytestmark = pytest.mark.usefixtures("scheduler")

DEPTH = 10_000


def define_walk(name="walk", **options):
  """Walks n frames down and reads table[i] in the deepest one."""
  table = tf.constant([10, 20, 30])
  with rtf.SubGraph(name, **options) as f:
    n, i = f.input(tf.int32), f.input(tf.int32)
    f.output(tf.cond(n == 0, lambda: tf.gather(table, i, name="look_up"), lambda: 1 + f(n - 1, i)))
  return f


def fail(call, error_type=tf.errors.InvalidArgumentError):
  """Returns the message of a call that fails, and the processor seconds that it took."""
  start = time.process_time()
  with pytest.raises(error_type) as error:
    call()
  return str(error.value), time.process_time() - start


@pytest.mark.parametrize("policy", ["deepest_first", "fifo"])
def test_a_bad_index_in_the_deepest_frame_surfaces_once_and_soon(policy, mode):
  f = define_walk(policy=policy)
  run = mode(lambda n, i: f(n, i))
  good = tf.constant(DEPTH), tf.constant(2)
  assert run(*good).numpy() == DEPTH + 30
  start = time.process_time()
  run(*good)
  descent = time.process_time() - start
  message, seconds = fail(lambda: run(tf.constant(DEPTH), tf.constant(7)))
  assert seconds < 2 + 2 * descent  # Going down there is not the error's.
  assert len(re.findall(r"indices(\[0\])? = 7 is not in \[0, 3\)", message)) == 1
  assert "look_up" in message
  assert f"[SubGraph 'walk', frame at depth {DEPTH + 1}]" in message
  assert message.count("SubGraph 'walk'") == 1
  assert len(message) < 20_000
  assert run(*good).numpy() == DEPTH + 30


def test_an_assertion_in_the_deepest_frame_surfaces_with_its_message(mode):
  @mode
  def run(n):
    with rtf.SubGraph("checked") as f:
      m = f.input(tf.int32)

      def leaf():
        with tf.control_dependencies([tf.debugging.Assert(n < 1000, ["too tall:", n])]):
          return tf.constant(0)

      f.output(tf.cond(m == 0, leaf, lambda: 1 + f(m - 1)))
    return f(n)

  assert run(tf.constant(5)).numpy() == 5
  message, seconds = fail(lambda: run(tf.constant(2000)))
  assert seconds < 10  # Tracing included.
  assert "too tall:" in message and "[SubGraph 'checked', frame at depth 2001]" in message


def test_an_error_in_many_frames_at_once_surfaces_once(mode):
  f = define_walk()
  run = mode(lambda n, i: f.map(n, i))
  n, i = tf.fill([500], 3), tf.fill([500], 9)
  message, seconds = fail(lambda: run(n, i))
  assert seconds < 4
  assert message.count("[SubGraph 'walk', frame at depth 4]") == 1
  assert run(n, 0 * i).numpy().tolist() == [13] * 500


def test_an_error_in_a_python_function_of_a_body_carries_its_message(mode):
  def refuse(m):
    raise ValueError("no thank you")

  @mode
  def run(n):
    with rtf.SubGraph("polite") as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m == 0, lambda: tf.py_function(refuse, [m], tf.int32), lambda: f(m - 1)))
    return f(n)

  message, _ = fail(lambda: run(tf.constant(50)), tf.errors.InvalidArgumentError)
  assert "no thank you" in message and "[SubGraph 'polite', frame at depth 51]" in message


def test_an_error_in_the_backward_pass_names_the_subgraph(mode):
  @tf.custom_gradient
  def fragile(x):
    def gradient(dy):
      with tf.control_dependencies([tf.debugging.Assert(dy > 1e9, ["broken gradient"])]):
        return tf.identity(dy)

    return tf.identity(x), gradient

  @mode
  def run(x):
    with rtf.SubGraph("backwards") as f:
      n, z = f.input(tf.int32), f.input(tf.float32)
      f.output(tf.cond(n == 0, lambda: fragile(tf.identity(z)), lambda: 1.5 * f(n - 1, z)))
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(20, x)
    return tape.gradient(y, x)

  message, _ = fail(lambda: run(tf.constant(1.0)))
  assert "broken gradient" in message
  assert "[SubGraph 'backwards" in message and "frame at depth 21]" in message


def test_a_failing_frame_stops_the_others():
  counter = tf.Variable(0)
  with rtf.SubGraph("explosion") as f:
    n = f.input(tf.int32)
    counter.assign_add(1)

    def inner():
      return f(n - 1) + f(n - 1)

    f.output(tf.cond(n == 0, lambda: tf.gather([1], n + 5), inner))
  fail(lambda: f(18))  # Half a million frames, were it to go on.
  assert counter.numpy() < 2**18


def test_a_nan_check_in_a_body_fires():
  with rtf.SubGraph("numeric") as f:
    n, x = f.input(tf.int32), f.input(tf.float32)

    def inner():
      return tf.debugging.check_numerics(f(n - 1, tf.math.log(x - 1)), "not finite")

    f.output(tf.cond(n == 0, lambda: x, inner))
  fail(lambda: f(30, 3.0))
