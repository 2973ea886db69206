"""Calls inside and around TensorFlow's control flow: conditionals, loops and functions."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

SCALAR = tf.TensorSpec([], tf.int32)


def define_sum_to():
  with rtf.SubGraph("sum_to") as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: 0, lambda: n + f(n - 1)))
  return f


def test_calls_around_a_cond(mode):
  @mode
  def run(n):
    f = define_sum_to()
    return tf.cond(n > 2, lambda: f(n), lambda: -f(n)), f(tf.cond(n > 2, lambda: n, lambda: -n))

  assert [value.numpy() for value in run(tf.constant(3))] == [6, 6]
  assert [value.numpy() for value in run(tf.constant(2))] == [-3, 0]


def test_calls_in_nested_conds_of_a_body(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)

      def odd():
        return tf.cond(m % 3 == 0, lambda: 10 + f(m - 3), lambda: 1 + f(m - 1))

      f.output(tf.cond(m <= 0, lambda: 0, lambda: tf.cond(m % 2 == 0, lambda: f(m - 1), odd)))
    return f(n)

  def oracle(m):
    if m <= 0:
      return 0
    if m % 2 == 0:
      return oracle(m - 1)
    return 10 + oracle(m - 3) if m % 3 == 0 else 1 + oracle(m - 1)

  for n in (0, 1, 7, 10, 20):
    assert run(tf.constant(n)).numpy() == oracle(n)


def test_several_conds_in_one_body_call_side_by_side(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f", outputs=SCALAR) as f:
      m = f.input(tf.int32)
      left = tf.cond(m > 0, lambda: f(m - 1), lambda: 1)
      right = tf.cond(m > 1, lambda: f(m - 2), lambda: 1)
      f.output(left + right)
    return f(n)

  def oracle(m):
    return (oracle(m - 1) if m > 0 else 1) + (oracle(m - 2) if m > 1 else 1)

  assert run(tf.constant(8)).numpy() == oracle(8)


def test_a_body_calls_from_a_case(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f", outputs=SCALAR) as f:
      m = f.input(tf.int32)
      f.output(
        tf.case(
          [(m <= 0, lambda: 0), (m % 2 == 0, lambda: 2 + f(m - 2))], default=lambda: 1 + f(m - 1)
        )
      )
    return f(n)

  assert [run(tf.constant(n)).numpy() for n in (0, 4, 7)] == [0, 4, 7]


def test_a_body_calls_from_a_switch_case(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f", outputs=SCALAR) as f:
      m = f.input(tf.int32)
      f.output(
        tf.switch_case(
          tf.where(m <= 0, 0, 1 + m % 2), [lambda: 0, lambda: 100 + f(m - 1), lambda: 1 + f(m - 1)]
        )
      )
    return f(n)

  assert run(tf.constant(5)).numpy() == 203


def test_a_body_calls_from_a_while_loop(mode):
  @mode
  def run(n):
    with rtf.SubGraph("leaves", outputs=SCALAR) as f:
      m = f.input(tf.int32)

      def loop():
        return tf.while_loop(lambda i, _: i < m, lambda i, total: (i + 1, total + f(i)), (0, 0))[1]

      f.output(tf.cond(m == 0, lambda: 1, loop))
    return f(n)

  assert run(tf.constant(6)).numpy() == 32


def test_a_while_loop_calls_from_outside(mode):
  @mode
  def run(n):
    f = define_sum_to()
    return tf.while_loop(lambda i, _: i < n, lambda i, s: (i + 1, s + f(i)), (0, 0))[1]

  assert run(tf.constant(5)).numpy() == 0 + 1 + 3 + 6 + 10


def test_parallel_iterations_do_not_mix(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f", outputs=SCALAR) as f:
      m = f.input(tf.int32)

      def loop():
        array = tf.TensorArray(tf.int32, size=m)
        _, array = tf.while_loop(
          lambda i, _: i < m,
          lambda i, a: (i + 1, a.write(i, f(i))),
          (0, array),
          parallel_iterations=8,
        )
        return tf.reduce_sum(array.stack() * tf.range(1, m + 1))

      f.output(tf.cond(m == 0, lambda: 1, loop))
    return f(n)

  def oracle(m):
    return 1 if m == 0 else sum((i + 1) * oracle(i) for i in range(m))

  assert run(tf.constant(6)).numpy() == oracle(6)


def test_autograph_for_calls_from_outside():
  @tf.function
  def run(n):
    f = define_sum_to()
    total = 0
    for i in tf.range(n):
      total += f(i)
    return total

  assert run(tf.constant(5)).numpy() == 20


def test_a_nested_function_calls_from_outside(mode):
  f = define_sum_to()
  inner = tf.function(lambda n: 2 * f(n))
  assert mode(lambda n: inner(n) + f(n))(tf.constant(3)).numpy() == 18


def test_a_body_calls_a_function_that_does_not_call_back(mode):
  double = tf.function(lambda x: 2 * x)

  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m == 0, lambda: 1, lambda: double(f(m - 1))))
    return f(n)

  assert run(tf.constant(10)).numpy() == 1024


def test_a_function_in_a_body_calls_back(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f", outputs=SCALAR) as f:
      m = f.input(tf.int32)
      step = tf.function(lambda k: f(k) + k + 1, input_signature=[SCALAR])
      f.output(tf.cond(m == 0, lambda: 0, lambda: step(m - 1)))
    return f(n)

  assert run(tf.constant(4)).numpy() == 10


def test_a_function_in_a_body_runs_another_subgraph(mode):
  sum_to = define_sum_to()
  step = tf.function(lambda n: sum_to(n))

  @mode
  def run(n):
    with rtf.SubGraph("outer") as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m == 0, lambda: 0, lambda: step(m) + f(m - 1)))
    return f(n)

  assert run(tf.constant(3)).numpy() == 1 + 3 + 6


def test_control_dependencies_hold_in_a_body(mode):
  count = tf.Variable(0)

  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)
      with tf.control_dependencies([count.assign_add(1)]):
        f.output(tf.cond(m == 0, lambda: 0, lambda: f(m - 1) + 1))
    return f(n)

  assert run(tf.constant(9)).numpy() == 9
  assert count.numpy() == 10


def test_map_fn_and_vectorized_code_around_calls(mode):
  @mode
  def run(ns):
    f = define_sum_to()
    return tf.map_fn(lambda n: f(n), ns)

  assert run(tf.constant([1, 2, 3])).numpy().tolist() == [1, 3, 6]


def test_datasets_call_subgraphs():
  f = define_sum_to()
  numbers = tf.data.Dataset.range(5).map(lambda n: f(tf.cast(n, tf.int32)), num_parallel_calls=2)
  assert [value.numpy() for value in numbers] == [0, 1, 3, 6, 10]


def test_py_function_calls_subgraphs(mode, request):
  if request.config.getoption("--inter-op-threads") == 1:
    pytest.skip("the py_function holds the only thread: docs/limits.md")
  f = define_sum_to()
  run = mode(lambda n: tf.py_function(lambda m: f(m), [n], tf.int32))
  assert run(tf.constant(4)).numpy() == 10


@pytest.mark.parametrize("relax", [True, False])
def test_a_function_that_calls_is_traced_again_for_other_shapes(relax):
  @tf.function(reduce_retracing=relax)
  def run(xs):
    with rtf.SubGraph("last") as f:
      i = f.input(tf.int32)
      f.output(tf.cond(i + 1 >= tf.size(xs), lambda: xs[i], lambda: f(i + 1)))
    return f(0)

  for n in (3, 5, 7):
    assert run(tf.range(n)).numpy() == n - 1
  assert run(tf.constant([1.0, 2.5])).numpy() == 2.5
