"""Defining SubGraphs and calling them: one, several, nested calls, mutual recursion."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


def define_factorial(name="factorial"):
  with rtf.SubGraph(name) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 1, lambda: 1, lambda: n * f(n - 1)))
  return f


def define_fibonacci(name="fibonacci"):
  with rtf.SubGraph(name) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n < 2, lambda: n, lambda: f(n - 1) + f(n - 2)))
  return f


def define_ackermann():
  with rtf.SubGraph("ackermann") as f:
    m, n = f.input(tf.int32), f.input(tf.int32)

    def inner():
      return tf.cond(n == 0, lambda: f(m - 1, 1), lambda: f(m - 1, f(m, n - 1)))

    f.output(tf.cond(m == 0, lambda: n + 1, inner))
  return f


def define_even_and_odd():
  even = rtf.SubGraph("even", outputs=tf.TensorSpec([], tf.bool))
  odd = rtf.SubGraph("odd", outputs=tf.TensorSpec([], tf.bool))
  with even:
    n = even.input(tf.int32)
    even.output(tf.cond(n == 0, lambda: True, lambda: odd(n - 1)))
  with odd:
    n = odd.input(tf.int32)
    odd.output(tf.cond(n == 0, lambda: False, lambda: even(n - 1)))
  return even, odd


def test_a_subgraph_calls_itself(mode):
  @mode
  def run(n):
    return define_factorial()(n)

  assert run(tf.constant(5)).numpy() == 120
  assert run(tf.constant(1)).numpy() == 1


def test_a_frame_can_call_twice(mode):
  @mode
  def run(n):
    return define_fibonacci()(n)

  assert run(tf.constant(12)).numpy() == 144


def test_the_argument_of_a_call_can_be_a_call(mode):
  @mode
  def run(m, n):
    return define_ackermann()(m, n)

  assert run(tf.constant(2), tf.constant(3)).numpy() == 9


def test_a_body_without_calls_is_a_function(mode):
  @mode
  def run(x):
    with rtf.SubGraph("double") as f:
      f.output(2 * f.input(tf.int32))
    return f(f(x))

  assert run(tf.constant(3)).numpy() == 12


def test_a_subgraph_can_do_without_inputs(mode):
  count = tf.Variable(3)

  @mode
  def run():
    with rtf.SubGraph("countdown") as f:
      left = count.assign_sub(1)
      f.output(tf.cond(left <= 0, lambda: 0, lambda: 1 + f()))
    return f()

  assert run().numpy() == 2
  assert count.numpy() == 0


def test_two_subgraphs_call_each_other(mode):
  @mode
  def run(n):
    even, odd = define_even_and_odd()
    return even(n), odd(n), odd.map(tf.range(4))

  is_even, is_odd, first = run(tf.constant(7))
  assert not is_even.numpy() and is_odd.numpy()
  assert first.numpy().tolist() == [False, True, False, True]


def test_three_subgraphs_call_each_other_in_a_ring(mode):
  @mode
  def run(n):
    ring = [rtf.SubGraph(f"r{i}", outputs=tf.TensorSpec([], tf.int32)) for i in range(3)]
    for i, (f, following) in enumerate(zip(ring, ring[1:] + ring[:1], strict=True)):
      with f:
        n_left = f.input(tf.int32)
        f.output(
          tf.cond(
            n_left == 0,
            lambda i=i: tf.constant(i),
            lambda n_left=n_left, g=following: g(n_left - 1),
          )
        )
    return ring[0](n)

  assert [run(tf.constant(n)).numpy() for n in (0, 1, 2, 3, 100)] == [0, 1, 2, 0, 1]


def test_a_body_calls_a_subgraph_that_is_complete(mode):
  @mode
  def run(n):
    factorial = define_factorial()
    with rtf.SubGraph("sum_of_factorials") as f:
      n_left = f.input(tf.int32)
      f.output(tf.cond(n_left == 0, lambda: 0, lambda: factorial(n_left) + f(n_left - 1)))
    return f(n)

  assert run(tf.constant(4)).numpy() == 1 + 2 + 6 + 24


def test_several_subgraphs_live_in_one_graph(mode):
  @mode
  def run(n):
    return define_factorial()(n) + define_fibonacci()(n), define_factorial()(n)

  total, factorial = run(tf.constant(6))
  assert (total.numpy(), factorial.numpy()) == (720 + 8, 720)


def test_subgraphs_of_one_name_do_not_mix(mode):
  @mode
  def run(n):
    f, g = define_factorial("same"), define_fibonacci("same")
    return f(n), g(n)

  assert [value.numpy() for value in run(tf.constant(6))] == [720, 8]


@pytest.mark.parametrize("name", ["f", "a name", "Ünï/cøde", "7up", "a.b:c"])
def test_any_name_will_do(name, mode):
  assert mode(lambda n: define_factorial(name)(n))(tf.constant(4)).numpy() == 24


def test_python_numbers_and_arrays_are_arguments(mode):
  @mode
  def run():
    f = define_factorial()
    return f(4), f(np.int32(3)), f.map(np.array([1, 2, 3], np.int32))

  four, three, many = run()
  assert (four.numpy(), three.numpy(), many.numpy().tolist()) == (24, 6, [1, 2, 6])


def test_one_call_site_runs_again_with_other_values():
  f = define_factorial()
  run = tf.function(f, input_signature=[tf.TensorSpec([], tf.int32)])
  assert [run(n).numpy() for n in (1, 2, 3, 4)] == [1, 2, 6, 24]


@pytest.mark.parametrize("policy", ["deepest_first", "fifo"])
def test_both_orders_of_ready_work_give_the_same(policy, mode):
  @mode
  def run(n):
    with rtf.SubGraph("fibonacci", policy=policy) as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m < 2, lambda: m, lambda: f(m - 1) + f(m - 2)))
    return f(n)

  assert run(tf.constant(13)).numpy() == 233


def test_repr_names_the_subgraph():
  assert repr(define_factorial("tree")) == "<SubGraph 'tree'>"


def test_several_results_are_a_tuple():
  with rtf.SubGraph("two") as f:
    n = f.input(tf.int32)
    f.output(n + 1, n + 2)
  assert [int(result) for result in f(3)] == [4, 5]
