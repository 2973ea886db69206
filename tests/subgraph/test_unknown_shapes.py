"""Where a graph does not know a shape that was declared, the run checks it, and says what of."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

ROW = tf.TensorSpec([1, 2])
UNKNOWN = [None, [None, 2], [None, None], [1, None]]


def define_scale():
  """A SubGraph of x * 2 ** n, x float32 [1, 2]."""
  with rtf.SubGraph("scale") as f:
    n, x = f.input(tf.int32), f.input(tf.float32, [1, 2])
    f.output(tf.cond(n <= 0, lambda: x, lambda: 2.0 * f(n - 1, x)))
  return f


def wrong_for(shape):
  """Returns a tensor that fits `shape`, but not ROW."""
  return tf.ones([1, 3] if shape in (None, [1, None], [None, None]) else [3, 2])


CALLS = {
  "once": (lambda f: lambda x: f(3, x), "argument_1"),
  "map": (lambda f: lambda x: f.map([3], x[tf.newaxis])[0], "argument_1"),
  "prepared": (lambda f: rtf.prepare(lambda x: f(3, x), ROW), "argument_0"),
}


@pytest.mark.parametrize("way", CALLS)
@pytest.mark.parametrize("shape", UNKNOWN, ids=str)
def test_a_shape_that_only_the_run_knows_is_checked_there(way, shape):
  make, name = CALLS[way]
  call = tf.function(make(define_scale()), input_signature=[tf.TensorSpec(shape)])
  assert call(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[8.0, 16.0]]
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    call(wrong_for(shape))
  message = str(error.value)
  assert f"{name}" in message and "test_unknown_shapes.py" in message
  found = "3,2" if shape == [None, 2] else "1,3"
  assert f"{found}] is not compatible with expected shape [" in message
  if way == "once":
    assert "SubGraph_scale_call_site_test_unknown_shapes.py_" in message


@pytest.mark.parametrize("way", CALLS)
def test_a_size_that_was_taken_as_known_is_checked(way):
  with rtf.SubGraph("size") as f:
    n, x = f.input(tf.int32), f.input(tf.float32, [1, 2])
    f.output(tf.size(x) + n)
  call = f if way == "prepared" else CALLS[way][0](f)
  if way == "prepared":
    call = rtf.prepare(lambda x: tf.size(x), ROW)
  run = tf.function(call, input_signature=[tf.TensorSpec(None)])
  assert int(run(tf.ones([1, 2]))) == (2 if way == "prepared" else 5)
  with pytest.raises(tf.errors.InvalidArgumentError, match="3] is not compatible"):
    run(tf.ones([1, 3]))


@pytest.mark.parametrize("way", CALLS)
def test_gradients_pass_through_the_check(way):
  make, _ = CALLS[way]

  @tf.function(input_signature=[tf.TensorSpec(None)])
  def gradient(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = tf.reduce_sum(call(x))
    return tape.gradient(y, x)

  call = make(define_scale())
  assert gradient(tf.ones([1, 2])).numpy().tolist() == [[8.0, 8.0]]


@pytest.mark.parametrize("shape", [[1, 2], [2]], ids=str)
def test_what_is_known_costs_nothing(shape):
  with rtf.SubGraph("known") as f:
    x = f.input(tf.float32, [None] * len(shape))
    f.output(2.0 * x)
  prepared = rtf.prepare(f, tf.TensorSpec(shape))

  @tf.function(input_signature=[tf.TensorSpec(shape)])
  def run(x):
    return f(x) + prepared(x) + f.map(x[tf.newaxis])[0]

  graph = run.get_concrete_function().graph
  assert not [op.name for op in graph.get_operations() if op.type == "EnsureShape"]


def define_growing(how, length):
  """Calls itself with n + 1 numbers where `length` are declared; of these `how` is unknown."""
  with rtf.SubGraph("growing", outputs=tf.TensorSpec([])) as f:
    n, x = f.input(tf.int32), f.input(tf.float32, [length])
    numbers = tf.range(tf.cast(n + 1, tf.float32))
    if how == "rank":
      numbers = tf.reshape(numbers, tf.ones([tf.abs(n) - tf.abs(n) + 1], tf.int32) * (n + 1))
    f.output(tf.cond(n <= 1, lambda: tf.reduce_sum(x), lambda: f(n - 1, numbers)))
  return f


@pytest.mark.usefixtures("scheduler")
@pytest.mark.parametrize("how", ["size", "rank"])
def test_a_recursive_call_is_checked(how, mode):
  f = define_growing(how, 3)
  run = mode(lambda n, x: f(n, x))
  assert float(run(tf.constant(2), tf.ones([3]))) == 3.0
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    run(tf.constant(3), tf.ones([3]))
  message = str(error.value)
  assert "SubGraph_growing_call_site_test_unknown_shapes.py_" in message
  assert "4] is not compatible with expected shape [" in message and "argument_1" in message


@pytest.mark.usefixtures("scheduler")
def test_a_size_that_a_body_takes_as_known_is_checked():
  with rtf.SubGraph("sizes") as f:
    n, x = f.input(tf.int32), f.input(tf.float32, [3])
    numbers = tf.range(tf.cast(n + 1, tf.float32))
    f.output(tf.cond(n <= 1, lambda: tf.size(x), lambda: f(n - 1, numbers)))
  assert int(f(2, tf.ones([3]))) == 3
  with pytest.raises(tf.errors.InvalidArgumentError, match="4] is not compatible"):
    f(3, tf.ones([3]))


@pytest.mark.usefixtures("scheduler")
def test_rows_of_a_map_are_checked():
  f = define_growing("size", 3)
  assert f.map([2, 2], tf.ones([2, 3])).numpy().tolist() == [3.0, 3.0]
  with pytest.raises(tf.errors.InvalidArgumentError, match="4] is not compatible"):
    f.map([2, 3], tf.ones([2, 3]))


@pytest.mark.usefixtures("scheduler")
def test_a_result_is_what_was_declared():
  with rtf.SubGraph("declared", outputs=tf.TensorSpec([2])) as f:
    n = f.input(tf.int32)
    f.output(tf.range(tf.cast(n, tf.float32)))
  assert f(2).numpy().tolist() == [0.0, 1.0]
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    f(3)
  assert "SubGraph_declared_output_test_unknown_shapes.py_" in str(error.value)
  assert "3] is not compatible with expected shape [" in str(error.value)


def define_pair(**declared):
  """Of two functions the first calls the second, before its body, with n numbers where 2 go."""
  second = rtf.SubGraph("second", outputs=tf.TensorSpec([]), **declared)
  with rtf.SubGraph("first") as first:
    n = first.input(tf.int32)
    first.output(second(tf.range(tf.cast(n, tf.float32))))
  with second:
    second.output(tf.reduce_sum(second.input(tf.float32, [2])))
  return first


def test_a_call_before_the_body_has_to_be_sure_of_its_shapes():
  with pytest.raises(rtf.SignatureError, match=r"may be another than \(2,\).*inputs="):
    define_pair()


def test_a_call_before_the_body_is_checked_where_inputs_are_declared():
  first = define_pair(inputs=[tf.TensorSpec([2])])
  assert float(first(2)) == 1.0
  with pytest.raises(tf.errors.InvalidArgumentError, match=r"3\] is not compatible"):
    first(3)
