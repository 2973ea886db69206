"""Gradients that do not have the shape of what they are the gradient of are refused."""

import pytest
import tensorflow as tf

import recursive_tf as rtf

SCHEDULERS = ["batched", "concurrent"]


def doubled(scheduler, row):
  with rtf.SubGraph("double", scheduler=scheduler) as f:
    x = f.input(tf.TensorSpec(row))
    f.output(x * 2.0)
  return f


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("row", [[3], [1, 3], [3, 1]])
@pytest.mark.parametrize("num_rows", [0, 1, 3])
def test_output_gradients_need_as_many_rows_as_results(scheduler, row, num_rows):
  f = doubled(scheduler, row)
  x = tf.ones([2, *row])
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f.map(x)
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    tape.gradient(y, x, output_gradients=tf.ones([num_rows, *row]))
  shapes = [str(shape).replace(" ", "") for shape in ([2, *row], [num_rows, *row])]
  wanted = f"the gradient given for a result of shape {shapes[0]} has shape {shapes[1]}"
  assert wanted in str(error.value) and "'double'" in str(error.value)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("shape", [[3, 2], [6], [2, 3, 1], [2, 1]])
def test_output_gradients_need_the_shape_of_the_results(scheduler, shape):
  f = doubled(scheduler, [3])
  x = tf.ones([2, 3])
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f.map(x)
  with pytest.raises(tf.errors.InvalidArgumentError, match=r"a result of shape \[2,3\]"):
    tape.gradient(y, x, output_gradients=tf.ones(shape))


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("row", [[], [1], [1, 3]])
def test_so_do_those_of_a_single_call(scheduler, row):
  f = doubled(scheduler, row)
  x = tf.ones(row)
  with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = f(x)
  found = tape.gradient(y, x, output_gradients=3 * tf.ones(row))
  assert found.numpy().tolist() == (6 * x).numpy().tolist()
  with pytest.raises(tf.errors.InvalidArgumentError, match="the gradient given for a result"):
    tape.gradient(y, x, output_gradients=tf.ones([2, *row]))


def wrong(shape):
  """A function whose gradient has a shape that is none of its argument's."""

  @tf.custom_gradient
  def function(x):
    return x * 2.0, lambda _: tf.ones(shape)

  return function


@pytest.mark.parametrize("shape", [[3], [1], [0]])
def test_a_wrong_custom_gradient_of_a_calls_result_is_told_from_it(shape):
  with rtf.SubGraph("tree", outputs=tf.TensorSpec([None])) as f:
    n, x = f.input(tf.int32), f.input(tf.TensorSpec([None]))
    f.output(tf.cond(n <= 0, lambda: x * 1.0, lambda: wrong(shape)(f(n - 1, x))))
  x = tf.ones([2])
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(2, x)
  with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \[2\] has shape.*custom_grad"):
    tape.gradient(y, x)


@pytest.mark.parametrize("num_rows", [0, 1, 3])
def test_a_wrong_custom_gradient_of_a_mapped_calls_result_is_told_from_it(num_rows):
  with rtf.SubGraph("tree", outputs=tf.TensorSpec([])) as f:
    n, x = f.input(tf.int32), f.input(tf.TensorSpec([None]))

    def inner():
      rows = f.map(tf.fill([2], n - 1), tf.stack([x, x]))
      return tf.reduce_sum(wrong([num_rows])(tf.ensure_shape(rows, [None])))

    f.output(tf.cond(n <= 0, lambda: tf.reduce_sum(x), inner))
  x = tf.ones([2])
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(1, x)
  with pytest.raises(tf.errors.InvalidArgumentError, match="a result of 2 rows has shape"):
    tape.gradient(y, x)


@pytest.mark.parametrize("num_frames", [1, 3])
def test_a_wrong_custom_gradient_of_a_variable_is_told_from_it(num_frames):
  weight = tf.Variable([1.0, 2.0], shape=[None])
  with rtf.SubGraph("tree", outputs=tf.TensorSpec([])) as f:
    n = f.input(tf.int32)
    own = tf.reduce_sum(wrong([3])(weight.read_value()))
    f.output(own + tf.cond(n <= 1, lambda: 0.0, lambda: f(n - 1)))
  with tf.GradientTape() as tape:
    y = f(num_frames)
  with pytest.raises(tf.errors.InvalidArgumentError, match=r"of shape \[2\] has shape \[3\]"):
    tape.gradient(y, weight)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("shape", [None, [None], [None, 2]])
@pytest.mark.parametrize("depth", [0, 2])
def test_variables_of_unknown_shape_have_gradients(scheduler, shape, depth):
  values = [[1.0, 2.0], [3.0, 4.0]] if shape is None or len(shape) == 2 else [1.0, 2.0]
  weight = tf.Variable(values, shape=shape)
  with rtf.SubGraph("tree", scheduler=scheduler) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: 0.0, lambda: tf.reduce_sum(weight) * 2.0 + f(n - 1)))
  with tf.GradientTape() as tape:
    y = f(depth)
  gradient = tape.gradient(y, weight)
  assert tf.reduce_all(gradient == 2.0 * depth) and gradient.shape == weight.read_value().shape


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("depth", [0, 2])
def test_rows_and_products_of_variables_of_unknown_shape_have_gradients(scheduler, depth):
  weight = tf.Variable([[1.0, 2.0], [3.0, 4.0]], shape=[None, None])
  with rtf.SubGraph("tree", scheduler=scheduler, outputs=tf.TensorSpec([None, None])) as f:
    n, x = f.input(tf.int32), f.input(tf.TensorSpec([None, None]))
    f.output(
      tf.cond(
        n <= 0, lambda: x, lambda: tf.matmul(f(n - 1, x), weight) + tf.gather(weight, [n % 2])
      )
    )

  def plain(n, x):
    return x if n <= 0 else tf.matmul(plain(n - 1, x), weight) + tf.gather(weight, [n % 2])

  x = tf.constant([[1.0, -1.0]])
  found = []
  for function in (f, plain):
    with tf.GradientTape() as tape:
      y = function(depth, x)
    found.append(tape.gradient(y, weight, unconnected_gradients="zero"))
  assert tf.convert_to_tensor(found[0]).numpy().tolist() == found[1].numpy().tolist()


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("shape", [[2], [None], None], ids=str)
@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_gradients_of_mapped_calls_of_no_rows(scheduler, shape, depth):
  spec = tf.TensorSpec([], tf.float64)
  with rtf.SubGraph("f", outputs=spec, scheduler=scheduler) as f:
    n, v = f.input(tf.int32), f.input(tf.TensorSpec(shape, tf.float64))

    def call():
      count = n % 2
      below = f.map(tf.fill([count], n - 1), tf.stack([v, 2.0 * v])[:count])
      return tf.reduce_sum(v) + tf.reduce_sum(below)

    f.output(tf.cond(n <= 0, lambda: tf.reduce_sum(v), call))

  x = tf.constant([1.0, 2.0], tf.float64)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f(depth, x)
  expected = {0: 1.0, 1: 2.0, 2: 1.0, 3: 2.0}[depth]
  assert tape.gradient(y, x).numpy().tolist() == [expected, expected]


def test_a_part_of_a_constant_is_passed_to_an_input_of_unknown_rank():
  constant = tf.constant([1.0, 2.0, 3.0])
  with rtf.SubGraph("f", scheduler="batched") as f:
    n, v = f.input(tf.int32), f.input(tf.TensorSpec(None, tf.float32))

    def call():
      part = lambda: f(n - 1, tf.split(constant, [2, 1])[1])  # noqa: E731
      return tf.cond(n % 2 < 1, part, lambda: tf.reduce_sum(v) * 2.0)

    f.output(tf.cond(n <= 0, lambda: tf.reduce_sum(v), call))
  assert f(2, [1.0, 2.0, 3.0]).numpy() == 6.0
  assert f(1, [1.0, 2.0, 3.0]).numpy() == 12.0
