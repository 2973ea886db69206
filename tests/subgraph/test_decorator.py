"""`@rtf.subgraph`: Python functions as SubGraphs, traced by signature and by graph."""

from typing import NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


@rtf.subgraph
def factorial(n):
  return tf.cond(n <= 1, lambda: 1, lambda: n * factorial(n - 1))


@rtf.subgraph
def factorial_inner_first(n):
  return tf.cond(n > 1, lambda: n * factorial_inner_first(n - 1), lambda: 1)


@rtf.subgraph
def is_even(n):
  return tf.cond(n == 0, lambda: True, lambda: is_odd(n - 1))


@rtf.subgraph
def is_odd(n):
  return tf.cond(n == 0, lambda: False, lambda: is_even(n - 1))


class State(NamedTuple):
  h: tf.Tensor
  c: tf.Tensor


@pytest.mark.parametrize("fn", [factorial, factorial_inner_first])
def test_a_decorated_function_calls_itself(fn, mode):
  run = mode(lambda n: (fn(n), fn.map(tf.range(1, n))))
  one, several = run(tf.constant(5))
  assert one.numpy() == 120 and several.numpy().tolist() == [1, 2, 6, 24]


def test_a_decorated_function_uses_python_if(mode):
  @rtf.subgraph
  def fibonacci(n):
    if n < 2:
      return n
    return fibonacci(n - 1) + fibonacci(n - 2)

  assert mode(lambda n: fibonacci(n))(tf.constant(10)).numpy() == 55


def test_python_if_with_the_recursion_first_and_several_variables(mode):
  @rtf.subgraph
  def collatz_steps(n):
    if n > 1:
      if n % 2 == 0:
        following = n // 2
      else:
        following = 3 * n + 1
      steps = 1 + collatz_steps(following)
    else:
      steps = 0
    return steps

  assert mode(lambda n: collatz_steps(n))(tf.constant(27)).numpy() == 111


def test_decorated_functions_call_each_other(mode):
  run = mode(lambda n: (is_even(n), is_odd(n)))
  assert [value.numpy() for value in run(tf.constant(7))] == [False, True]
  assert [value.numpy() for value in run(tf.constant(0))] == [True, False]


def test_a_decorated_function_is_traced_once_for_each_signature():
  traces = []

  @rtf.subgraph
  def halve(x):
    traces.append((x.dtype, x.shape))
    return x / 2

  for value in (1.0, 2.0, 3.0):
    halve(tf.constant(value))
  halve.map(tf.constant([1.0, 2.0]))
  assert traces == [(tf.float32, [])]
  halve(tf.constant(1.0, tf.float64))
  halve(tf.constant([1.0, 2.0]))
  assert traces[1:] == [(tf.float64, []), (tf.float32, [2])]


def test_an_input_signature_gives_one_trace_for_many_shapes(mode):
  @rtf.subgraph(inputs=[tf.TensorSpec([None], tf.float32)])
  def total(xs):
    return tf.cond(tf.size(xs) == 0, lambda: tf.constant(0.0), lambda: xs[0] + total(xs[1:]))

  run = mode(lambda xs: total(xs))
  assert run(tf.constant([1.0, 2.0, 3.0])).numpy() == 6
  assert run(tf.constant([5.0])).numpy() == 5


def test_shapes_that_change_on_the_way_down_make_their_own_subgraphs_or_relax(mode):
  @rtf.subgraph
  def countdown(n):  # The base case returns [0], the recursion longer vectors.
    return tf.cond(
      n == 0,
      lambda: tf.zeros([1], tf.int32),
      lambda: tf.concat([countdown(n - 1), [n]], 0),
    )

  result = mode(lambda n: countdown(n))(tf.constant(4))
  assert result.numpy().tolist() == [0, 1, 2, 3, 4]
  assert countdown(tf.constant(0)).numpy().tolist() == [0]


def test_nests_go_in_and_out(mode):
  @rtf.subgraph
  def advance(state, n):
    return tf.cond(
      n == 0,
      lambda: state,
      lambda: advance(State(state.c, state.h + state.c), n - 1),
    )

  result = mode(lambda n: advance(State(tf.constant(0), tf.constant(1)), n))(tf.constant(10))
  assert isinstance(result, State)
  assert (result.h.numpy(), result.c.numpy()) == (55, 89)


def test_keywords_and_defaults_are_arguments(mode):
  @rtf.subgraph
  def power(x, n=3):
    return tf.cond(n == 0, lambda: tf.ones_like(x), lambda: x * power(x, n=n - 1))

  run = mode(lambda x: (power(x), power(n=2, x=x)))
  assert [value.numpy() for value in run(tf.constant(2.0))] == [8, 4]


def test_the_wrapper_looks_like_the_function():
  @rtf.subgraph
  def documented(n):
    """Says what it does."""
    return n

  assert documented.__name__ == "documented"
  assert documented.__doc__ == "Says what it does."


def test_one_decorated_function_serves_eager_code_and_several_functions():
  first, second = tf.function(factorial), tf.function(lambda n: 2 * factorial(n))
  for n in (3, 4):
    expected = {3: 6, 4: 24}[n]
    assert first(tf.constant(n)).numpy() == expected
    assert second(tf.constant(n)).numpy() == 2 * expected
    assert factorial(tf.constant(n)).numpy() == expected


def test_a_decorated_method_in_a_function_uses_local_tensors(mode):
  @mode
  def run(table, n):
    @rtf.subgraph
    def total(i):
      return tf.cond(i < 0, lambda: 0.0, lambda: table[i] + total(i - 1))

    return total(n)

  assert run(tf.constant([1.0, 2.0, 4.0]), tf.constant(2)).numpy() == 7


def test_a_body_that_fails_can_be_tried_again():
  broken = [True]

  @rtf.subgraph
  def sometimes(n):
    if broken:
      raise RuntimeError("not yet")
    return n

  with pytest.raises(RuntimeError, match="not yet"):
    sometimes(tf.constant(1))
  broken.clear()
  assert sometimes(tf.constant(1)).numpy() == 1


def test_results_that_never_agree_are_an_error_of_signature():
  @rtf.subgraph
  def confused(n):
    return tf.cond(n == 0, lambda: 1.0, lambda: tf.cast(confused(n - 1), tf.float32) and 1)

  with pytest.raises((rtf.SignatureError, TypeError)):
    confused(tf.constant(1))


@pytest.mark.parametrize(
  "rows",
  [[1, 2, 3], (1, 2, 3), [np.int32(1), np.int32(2), np.int32(3)]],
  ids=["list", "tuple", "np"],
)
def test_a_list_of_numbers_is_rows_of_a_mapped_call(rows):
  @rtf.subgraph
  def double(n):
    return 2 * n

  assert double.map(rows).numpy().tolist() == [2, 4, 6]

  @rtf.subgraph
  def both(x, y=1.0, *, z):
    return tf.reduce_sum(x) + y + z["a"]

  found = both.map([[1.0, 2.0], [3.0, 4.0]], z={"a": [10.0, 20.0]})
  assert found.numpy().tolist() == [14.0, 28.0]


def test_lists_that_are_nests_stay_nests_in_mapped_calls():
  @rtf.subgraph
  def add(pair):
    return pair[0] + pair[1]

  assert add.map([tf.constant([1, 2]), tf.constant([3, 4])]).numpy().tolist() == [4, 6]

  spec = tf.TensorSpec([], tf.int32)

  @rtf.subgraph(inputs=[[spec, spec]])
  def add_known(pair):
    return pair[0] + pair[1]

  assert add_known.map([[1, 2], [3, 4]]).numpy().tolist() == [4, 6]
