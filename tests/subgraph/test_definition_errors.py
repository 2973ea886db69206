"""Wrong definitions: each error names the SubGraph and the user's line, and says what to do."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

HERE = "(test_definition_errors.py:"
SCALAR = tf.TensorSpec([], tf.int32)


def message_of(define, error_type=rtf.DefinitionError):
  with pytest.raises(error_type) as error:
    define()
  return str(error.value)


def test_output_missing(mode):
  @mode
  def define():
    with rtf.SubGraph("silent") as f:
      f.input(tf.int32)

  message = message_of(define)
  assert "SubGraph 'silent' has no output: call silent.output(...)" in message
  assert HERE in message


def test_output_twice_names_both_lines(mode):
  @mode
  def define():
    with rtf.SubGraph("twice") as f:
      n = f.input(tf.int32)
      f.output(n)
      f.output(n)

  message = message_of(define)
  first = int(message.split("at test_definition_errors.py:")[1].split()[0])
  assert f"at test_definition_errors.py:{first + 1}" in message
  assert "SubGraph 'twice' has two outputs" in message and "tuple" in message


def test_output_in_a_branch(mode):
  @mode
  def define():
    with rtf.SubGraph("branchy") as f:
      n = f.input(tf.int32)

      def branch():
        f.output(n)
        return n

      tf.cond(n == 0, branch, lambda: n)

  message = message_of(define)
  assert "branchy.output is called inside a conditional or loop" in message and HERE in message


@pytest.mark.parametrize("nothing", [(), [], {}])
def test_output_of_nothing(nothing, mode):
  @mode
  def define():
    with rtf.SubGraph("empty") as f:
      f.output(nothing)

  assert "empty.output" in message_of(define)


@pytest.mark.parametrize("what", ["input", "output"])
def test_input_and_output_outside_the_body(what, mode):
  @mode
  def define():
    with rtf.SubGraph("done") as f:
      f.output(f.input(tf.int32))
    getattr(f, what)(tf.int32)

  message = message_of(define)
  assert f"done.{what} is called outside the body of SubGraph 'done'" in message
  assert HERE in message


def test_a_second_body(mode):
  @mode
  def define():
    with rtf.SubGraph("again") as f:
      f.output(1)
    with f:
      f.output(2)

  assert "SubGraph 'again' already has a body" in message_of(define)


def test_a_call_from_outside_before_the_body_is_complete(mode):
  @mode
  def define():
    f = rtf.SubGraph("unborn", outputs=SCALAR)
    return f(1)

  message = message_of(define)
  assert "SubGraph 'unborn' is called at test_definition_errors.py:" in message
  assert "before its body is complete" in message


def test_a_callee_without_a_body(mode):
  @mode
  def define():
    g = rtf.SubGraph("hollow", outputs=SCALAR)
    with rtf.SubGraph("caller") as f:
      f.output(g(f.input(tf.int32)))
    return f(1)

  message = message_of(define)
  assert "'hollow'" in message and "'caller'" in message and "no body" in message


def test_a_body_that_calls_itself_on_every_path(mode):
  @mode
  def define():
    with rtf.SubGraph("endless", outputs=SCALAR) as f:
      f.output(f(f.input(tf.int32) - 1))

  message = message_of(define)
  assert "SubGraph 'endless' has no base case: it calls itself on every path" in message
  assert "tf.cond" in message


def test_bodies_that_call_each_other_on_every_path(mode):
  @mode
  def define():
    f = rtf.SubGraph("ping", outputs=SCALAR)
    g = rtf.SubGraph("pong", outputs=SCALAR)
    with f:
      f.output(g(f.input(tf.int32)))
    with g:
      g.output(f(g.input(tf.int32)))
    return f(1)

  message = message_of(define)
  assert "has no base case" in message and ("'ping'" in message or "'pong'" in message)


def test_a_body_that_calls_itself_in_every_branch_is_an_error(mode):
  @mode
  def define():
    with rtf.SubGraph("branches", outputs=SCALAR) as f:
      n = f.input(tf.int32)
      f.output(tf.cond(n > 0, lambda: f(n - 1), lambda: f(n + 1)))
    return f(1)

  assert "SubGraph 'branches' has no base case" in message_of(define)


@pytest.mark.parametrize("depth", [0, -1])
def test_a_depth_limit_that_allows_nothing(depth):
  message = message_of(lambda: rtf.SubGraph("shallow", max_depth=depth))
  assert "SubGraph 'shallow'" in message and f"max_depth={depth}" in message


def test_an_unknown_policy():
  message = message_of(lambda: rtf.SubGraph("f", policy="random"))
  assert "'random'" in message and "deepest_first, fifo" in message


def test_an_error_in_the_body_is_the_users_and_leaves_nothing_behind(mode):
  @mode
  def define(fail):
    with rtf.SubGraph("failing") as f:
      if fail:
        raise KeyError("mine")
      f.output(f.input(tf.int32))
    return f(4)

  with pytest.raises(KeyError, match="mine"):
    define(True)
  assert define(False).numpy() == 4
  assert tf.executing_eagerly()


def test_all_errors_have_one_root_and_a_familiar_type():
  for error, builtin in [
    (rtf.DefinitionError, ValueError),
    (rtf.GraphScopeError, ValueError),
    (rtf.SignatureError, ValueError),
    (rtf.UnsupportedGradientError, NotImplementedError),
  ]:
    assert issubclass(error, rtf.RecursiveTFError) and issubclass(error, builtin)


def test_a_loop_of_calls_may_end_by_running_no_times(mode):
  @mode
  def run(n):
    with rtf.SubGraph("tree", outputs=SCALAR) as f:
      m = f.input(tf.int32)
      f.output(tf.while_loop(lambda i, _: i < m, lambda i, total: (i + 1, total + f(i)), (0, 1))[1])
    return f(n)

  assert run(tf.constant(4)).numpy() == 16


def test_a_caller_of_an_endless_pair_is_not_blamed(mode):
  @mode
  def define():
    f = rtf.SubGraph("ping", outputs=SCALAR)
    g = rtf.SubGraph("pong", outputs=SCALAR)
    with f:
      f.output(g(f.input(tf.int32)))
    with g:
      n = g.input(tf.int32)
      g.output(tf.cond(n == 0, lambda: f(n), lambda: f(n - 1)))
    with rtf.SubGraph("innocent") as h:
      h.output(f(h.input(tf.int32)))
    return h(1)

  message = message_of(define)
  assert "innocent" not in message.split("\n")[-1] and "a SubGraph that calls it" in message
