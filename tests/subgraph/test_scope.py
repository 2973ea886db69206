"""Where a SubGraph and its tensors may be used, and what the errors say about the rest."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

HERE = "test_scope.py:"
# TensorFlow notices these; graphs are named after their SubGraph, so its message names it.
LEAK_ERRORS = (rtf.GraphScopeError, TypeError, ValueError)


def define_countdown(name="countdown"):
  with rtf.SubGraph(name) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n == 0, lambda: 0, lambda: f(n - 1)))
  return f


def test_use_outside_its_graph_names_the_subgraph_the_line_and_the_way_out():
  kept = []

  @tf.function
  def define(n):
    kept.append(define_countdown())
    return kept[0](n)

  define(tf.constant(1))
  for use in (lambda: kept[0](1), tf.function(lambda: kept[0](1)), lambda: kept[0].map([1])):
    with pytest.raises(rtf.GraphScopeError) as error:
      use()
    message = str(error.value)
    assert "SubGraph 'countdown' is called at " + HERE in message
    assert "outside the graph it was defined in ('define" in message
    assert "outside of any tf.function" in message


def test_a_subgraph_of_a_function_is_used_in_functions_inside_it():
  @tf.function
  def outer(n):
    f = define_countdown()
    inner = tf.function(lambda m: f(m) + 1)
    return inner(n) + tf.cond(n > 0, lambda: f(n) + 1, lambda: 0)

  assert outer(tf.constant(3)).numpy() == 2


def test_a_body_in_another_graph_than_its_declaration_is_an_error():
  f = rtf.SubGraph("early")

  @tf.function
  def define():
    with f:
      f.output(1)

  with pytest.raises(rtf.GraphScopeError, match="SubGraph 'early' was declared in another graph"):
    define()


def test_a_tensor_that_leaks_out_of_the_body_is_refused(mode):
  leaked = []

  @mode
  def run(n):
    with rtf.SubGraph("leaky") as f:
      m = f.input(tf.int32)
      leaked.append(m + 1)
      f.output(tf.cond(m == 0, lambda: 0, lambda: f(m - 1)))
    return f(n) + leaked[-1]

  with pytest.raises(LEAK_ERRORS) as error:
    run(tf.constant(2))
  message = str(error.value)
  assert "defined in FuncGraph(name=leaky" in message and "out of scope" in message
  assert "test_scope.py" in message  # Where the tensor was made.


def test_a_tensor_of_one_body_is_refused_in_another(mode):
  @mode
  def run(n):
    with rtf.SubGraph("first") as f:
      m = f.input(tf.int32)
      f.output(m)
    with rtf.SubGraph("second") as g:
      k = g.input(tf.int32)
      g.output(k + m)
    return f(n) + g(n)

  with pytest.raises(LEAK_ERRORS, match="defined in FuncGraph.name=first"):
    run(tf.constant(2))


def test_a_tensor_of_a_branch_is_refused_in_the_body(mode):
  @mode
  def run(n):
    with rtf.SubGraph("f") as f:
      m = f.input(tf.int32)
      leaked = []

      def branch():
        leaked.append(m + 1)
        return leaked[0]

      tf.cond(m == 0, lambda: 0, branch)
      f.output(leaked[0])
    return f(n)

  with pytest.raises(LEAK_ERRORS, match="out of scope"):
    run(tf.constant(2))


def test_a_subgraph_defined_in_a_body_is_called_by_that_body(mode):
  @mode
  def run(n):
    with rtf.SubGraph("outer") as f:
      m = f.input(tf.int32)
      with rtf.SubGraph("inner") as g:
        k = g.input(tf.int32)
        g.output(tf.cond(k == 0, lambda: 0, lambda: m + g(k - 1)))
      f.output(tf.cond(m == 0, lambda: 0, lambda: g(m) + f(m - 1)))
    return f(n)

  assert run(tf.constant(3)).numpy() == 9 + 4 + 1


def test_an_inner_subgraph_that_calls_the_outer_one_is_an_error_that_says_why(mode):
  @mode
  def run(n):
    with rtf.SubGraph("outer", outputs=tf.TensorSpec([], tf.int32)) as f:
      m = f.input(tf.int32)
      with rtf.SubGraph("inner") as g:
        k = g.input(tf.int32)
        g.output(tf.cond(k == 0, lambda: 0, lambda: f(k - 1)))
      f.output(g(m))
    return f(n)

  with pytest.raises(rtf.GraphScopeError, match="Define 'inner.*' beside 'outer"):
    run(tf.constant(1))


def test_functions_made_in_a_loop_each_have_their_own():
  results = []
  for factor in (1, 2, 3):

    @tf.function
    def run(n, factor=factor):
      with rtf.SubGraph("f") as f:
        m = f.input(tf.int32)
        f.output(tf.cond(m == 0, lambda: 0, lambda: factor + f(m - 1)))
      return f(n)

    results.append(run(tf.constant(4)).numpy())
  assert results == [4, 8, 12]


def test_a_v1_graph_and_session_run_subgraphs():
  with tf.Graph().as_default():
    n = tf.compat.v1.placeholder(tf.int32, [])
    with rtf.SubGraph("factorial") as f:
      m = f.input(tf.int32)
      f.output(tf.cond(m <= 1, lambda: 1, lambda: m * f(m - 1)))
    result = f(n)
    with tf.compat.v1.Session() as session:
      assert session.run(result, {n: 5}) == 120
      assert session.run(result, {n: 3}) == 6


def test_a_concrete_function_keeps_what_it_needs_alive():
  import gc

  def make():
    f = define_countdown()
    return tf.function(lambda n: f(n) + 7).get_concrete_function(tf.TensorSpec([], tf.int32))

  concrete = make()
  gc.collect()
  assert concrete(tf.constant(3)).numpy() == 7
