"""What a recursive call returns is known before the body is complete: found, or declared."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

SCALAR = tf.TensorSpec([], tf.int32)


def test_found_from_the_base_case_in_the_first_branch(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m == 0, lambda: (0, 1.0), lambda: (f(m - 1)[0] + m, 2 * f(m - 1)[1])))
    return f(n)

  total, power = run(tf.constant(4))
  assert (total.numpy(), power.numpy()) == (10, 16)


def test_found_from_the_base_case_in_the_second_branch(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m > 0, lambda: {"s": f(m - 1)["s"] + m}, lambda: {"s": 0}))
    return f(n)

  assert run(tf.constant(4))["s"].numpy() == 10


def test_the_base_case_is_traced_apart_without_trace(mode):
  calls = []

  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)

      def base():
        calls.append(1)
        return tf.constant(0)

      f.output(tf.cond(m > 0, lambda: f(m - 1) + m, base))
    return f(n)

  assert run(tf.constant(3)).numpy() == 6
  assert len(calls) == 2  # Once as a probe that is thrown away, once in earnest.


def test_found_through_a_cond_in_a_cond(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)

      def inner():
        return tf.cond(m % 2 == 0, lambda: f(m // 2) + 1, lambda: f(m - 1) + 1)

      f.output(tf.cond(m > 0, inner, lambda: 0))
    return f(n)

  assert run(tf.constant(10)).numpy() == 5  # 10, 5, 4, 2, 1, 0.


def test_found_in_an_inner_cond_where_the_other_outer_branch_calls_too(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)

      def even():
        return tf.cond(m > 0, lambda: f(m - 1) + 2, lambda: 0)

      f.output(tf.cond(m % 2 == 0, even, lambda: f(m - 1) + 1))
    return f(n)

  assert run(tf.constant(5)).numpy() == 1 + 2 + 1 + 2 + 1


def test_a_base_case_behind_two_calls_has_to_be_declared_and_the_error_says_how(mode):
  def define(**options):
    with rtf.SubGraph("chain", **options) as f:
      m = f.input(tf.int32)

      def otherwise():
        return tf.cond(m > 0, lambda: f(m - 1) + 2, lambda: 0)

      f.output(tf.cond(m % 2 == 1, lambda: f(m - 1) + 1, otherwise))
    return f

  with pytest.raises(rtf.SignatureError, match=r"SubGraph\('chain', outputs="):
    mode(lambda n: define()(n))(tf.constant(4))
  declared = mode(lambda n: define(outputs=SCALAR)(n))
  assert declared(tf.constant(4)).numpy() == 2 + 1 + 2 + 1


def test_found_by_autograph_conditionals_in_a_function_body():
  @tf.function
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)
      if m <= 1:
        result = 1
      else:
        result = m * f(m - 1)
      f.output(result)
    return f(n)

  assert run(tf.constant(5)).numpy() == 120


def test_found_by_autograph_with_the_recursion_first():
  @tf.function
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)
      if m > 1:
        result = m * f(m - 1)
      else:
        result = 1
      f.output(result)
    return f(n)

  assert run(tf.constant(5)).numpy() == 120


def test_a_call_outside_conditionals_has_to_be_declared_and_the_error_says_how(mode):
  @mode
  def run(n):
    with rtf.SubGraph("plain") as f:
      m = f.input(tf.int32)
      before = f(m - 1)
      f.output(tf.cond(m == 0, lambda: 0, lambda: before))
    return f(n)

  with pytest.raises(rtf.SignatureError) as error:
    run(tf.constant(2))
  message = str(error.value)
  assert "SubGraph 'plain' call site (test_forward_declaration.py:" in message
  assert "SubGraph('plain', outputs=tf.TensorSpec(shape, dtype))" in message


def test_declared_outputs_let_a_call_stand_outside_conditionals(mode):
  @mode
  def run(n):
    with rtf.SubGraph("clamped", outputs=SCALAR) as f:
      m = f.input(tf.int32)
      below = f.map(tf.range(m))  # No row where m is 0: the base case.
      f.output(1 + tf.reduce_sum(below))
    return f(n)

  assert run(tf.constant(5)).numpy() == 32


def test_a_wrong_assumption_about_shapes_is_an_error_that_says_what_to_declare(mode):
  @mode
  def run(n):
    with rtf.SubGraph("growing") as f:
      m = f.input(tf.int32)
      f.output(
        tf.cond(m == 0, lambda: tf.zeros([1]), lambda: tf.concat([f(m - 1), tf.zeros([1])], 0))
      )
    return f(n)

  with pytest.raises(rtf.SignatureError) as error:
    run(tf.constant(2))
  message = str(error.value)
  assert "SubGraph 'growing' output" in message and "outputs=" in message


def test_declared_general_shapes_make_growing_results_legal(mode):
  @mode
  def run(n):
    with rtf.SubGraph("growing", outputs=tf.TensorSpec([None], tf.float32)) as f:
      m = f.input(tf.int32)
      f.output(
        tf.cond(m == 0, lambda: tf.zeros([1]), lambda: tf.concat([f(m - 1), tf.ones([1])], 0))
      )
    return f(n)

  assert run(tf.constant(3)).numpy().tolist() == [0, 1, 1, 1]


def test_calls_before_the_body_are_checked_when_it_is_there(mode):
  @mode
  def run(n):
    g = rtf.SubGraph("later", outputs=SCALAR)
    with rtf.SubGraph("first") as f:
      f.output(g(f.input(tf.int32), 2))
    with g:
      g.output(g.input(tf.int32))
    return f(n)

  with pytest.raises(rtf.SignatureError, match="'later'.*2 arguments, expected 1"):
    run(tf.constant(1))


def test_declared_inputs_are_checked_at_once(mode):
  @mode
  def run(n):
    g = rtf.SubGraph("later", inputs=[tf.TensorSpec([], tf.float32)], outputs=SCALAR)
    with rtf.SubGraph("first") as f:
      f.output(g(f.input(tf.int32)))

  with pytest.raises(rtf.SignatureError, match="'later'.*type int32, expected float32"):
    run(tf.constant(1))


def test_mutual_recursion_without_declaration_says_how_to_declare(mode):
  @mode
  def run(n):
    g = rtf.SubGraph("undeclared")
    with rtf.SubGraph("first") as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m == 0, lambda: g(m), lambda: g(m - 1)))

  with pytest.raises(rtf.SignatureError, match=r"SubGraph\('undeclared', outputs="):
    run(tf.constant(1))
