"""Batched programs of many kinds equal the oracle: results, and gradients of all they use."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import check, normal, value_and_gradients
from tests.reference import Unrolled, assert_same

F64 = tf.float64
COUNT = tf.TensorSpec([], tf.int32)
ROW = tf.TensorSpec([1, 3], F64)
W = tf.Variable(0.5 * normal(3, 3))
TABLE = tf.Variable(normal(6, 3, seed=1))
COUNTS = tf.constant([3, 0, 2, 1, 4])
ROWS = normal(5, 1, 3, seed=2)


def case(f, n, x):
  return tf.case(
    [(n <= 0, lambda: x), (n % 2 == 0, lambda: tf.tanh(f(n - 1, x) @ W))],
    default=lambda: f(n - 2, x) + f(n - 1, tf.sin(x)),
  )


def switch_case(f, n, x):
  return tf.cond(
    n <= 0,
    lambda: x,
    lambda: tf.switch_case(
      n % 3, [lambda: f(n - 1, x) @ W, lambda: tf.sin(f(n - 1, -x)), lambda: f(n - 2, x) + x]
    ),
  )


def out_of_range(f, n, x):
  return tf.switch_case(n - 2, [lambda: f(n - 1, x) @ W, lambda: f(n - 2, x), lambda: x])


def loop_around_calls(f, n, x):
  def turns():
    return tf.while_loop(
      lambda i, _: i < n, lambda i, z: (i + 1, tf.tanh(f(i, z) @ W)), (0, tf.identity(x))
    )[1]

  return tf.cond(n <= 0, lambda: tf.sin(x), turns)


def conditional_in_loop_in_conditional(f, n, x):
  def turn(i, z):
    return i + 1, tf.cond(i % 2 == 0, lambda: f(n - 1 - i, z) @ W, lambda: tf.tanh(z) + x)

  def turns():
    return tf.while_loop(lambda i, _: i < n, turn, (0, tf.identity(x)))[1]

  return tf.cond(n <= 0, lambda: tf.sin(x), turns)


def loop_in_conditional_in_loop(f, n, x):
  def outer(i, z):
    def inner():
      return tf.while_loop(
        lambda k, _: k < 2, lambda k, y: (k + 1, f(i - 1, tf.tanh(y @ W))), (0, tf.identity(z))
      )[1]

    return i + 1, tf.cond(i > 0, inner, lambda: z + x)

  def turns():
    return tf.while_loop(lambda i, _: i < n, outer, (0, tf.identity(x)))[1]

  return tf.cond(n <= 0, lambda: tf.sin(x), turns)


def call_in_loop_that_some_turns_need(f, n, x):
  """A turn whose own result needs no call is over while the call still runs."""

  def turn(i, z):
    def inner():
      below = f(n - 1 - i, z)
      return tf.cond(i % 2 == 0, lambda: z + 0.1, lambda: tf.tanh(below @ W))

    return i + 1, tf.cond(n - i > 0, inner, lambda: z)

  def turns():
    return tf.while_loop(lambda i, _: i < 4, turn, (0, tf.identity(x)))[1]

  return tf.cond(n <= 0, lambda: tf.sin(x), turns)


def serial_op_in_loop_that_some_turns_need(f, n, x):
  def turn(i, z):
    def inner():
      rows = tf.reduce_sum(tf.repeat(z, i + 1, 0), 0, keepdims=True)
      return tf.cond((n + i) % 3 == 1, lambda: tf.tanh(rows @ W) + f(n - 2, z), lambda: z + 0.1)

    return i + 1, tf.cond(i != 1, inner, lambda: -z)

  def turns():
    return tf.while_loop(lambda i, _: i < 5, turn, (0, tf.identity(x)))[1]

  return tf.cond(n <= 0, lambda: tf.sin(x), turns)


def loop_that_reads_variables(f, n, x):
  def turn(i, z):
    row = lambda: tf.nn.embedding_lookup(TABLE, [n])  # noqa: E731
    return i + 1, tf.tanh(z @ W) + tf.cond(i % 2 == 0, row, lambda: z)

  return tf.while_loop(lambda i, _: i < n, turn, (0, tf.identity(x)))[1]


def loop_over_a_tensor_array(f, n, x):
  def turn(i, array):
    return i + 1, array.write(i, tf.tanh(x @ W) * tf.cast(i, F64))

  array = tf.TensorArray(F64, 3, element_shape=[1, 3])
  array = tf.while_loop(lambda i, _: i < 3, turn, (0, array))[1]
  return tf.cond(n <= 0, lambda: x, lambda: f(n - 1, tf.reduce_sum(array.stack(), 0)))


def dynamic_map(f, n, x):
  def rows():
    children = tf.range(n)
    found = f.map(children, tf.repeat(x[tf.newaxis], n, 0) * 0.5)
    return tf.tanh(tf.reduce_sum(found, 0) @ W) + x

  return tf.cond(n > 5, lambda: x, rows)


def hoisted(f, n, x):
  transposed = tf.transpose(W) * 2.0
  norm = tf.reduce_sum(tf.square(W))
  return tf.cond(
    n <= 0, lambda: x / norm, lambda: tf.tanh(f(n - 1, x) @ transposed) + tf.exp(W)[:1]
  )


@tf.function
def _helper(x):
  return tf.tanh(x @ W)


def function_in_body(f, n, x):
  return tf.cond(n <= 0, lambda: _helper(x), lambda: _helper(f(n - 1, x)) + _helper(x))


def dropout(f, n, x):
  kept = tf.random.stateless_uniform([1, 3], [n, 7], dtype=F64) > 0.5
  dropped = tf.where(kept, 2.0 * x, tf.zeros_like(x))
  return tf.cond(n <= 0, lambda: dropped, lambda: tf.tanh(f(n - 1, dropped) @ W) + x)


def variable_shapes(f, n, x):
  """Rows of frames differ in what [?, 3] is inside."""
  repeated = tf.repeat(x, n % 2 + 1, 0)
  total = tf.reduce_sum(tf.tanh(repeated @ W), 0, keepdims=True)
  return tf.cond(n <= 0, lambda: total, lambda: f(n - 1, total) + x)


PROGRAMS = [
  case,
  switch_case,
  out_of_range,
  loop_around_calls,
  conditional_in_loop_in_conditional,
  loop_in_conditional_in_loop,
  call_in_loop_that_some_turns_need,
  serial_op_in_loop_that_some_turns_need,
  loop_that_reads_variables,
  loop_over_a_tensor_array,
  dynamic_map,
  hoisted,
  function_in_body,
  dropout,
  variable_shapes,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_a_program_equals_the_oracle(program):
  scheduler = "auto" if program is loop_over_a_tensor_array else "batched"
  options = {"mapped": True, "way": "function", "scheduler": scheduler}
  check(program, [COUNT, ROW], [COUNTS, ROWS], [W, TABLE], outputs=ROW, **options)


@pytest.mark.parametrize("policy", ["look_ahead", "agenda", "depth"])
@pytest.mark.parametrize(
  "program", [case, conditional_in_loop_in_conditional, dynamic_map], ids=lambda p: p.__name__
)
def test_policies_agree(program, policy):
  options = {"mapped": True, "way": "function", "scheduler": "batched", "policy": policy}
  check(program, [COUNT, ROW], [COUNTS, ROWS], [W, TABLE], outputs=ROW, **options)


@pytest.mark.parametrize("way", ["eager", "around", "tf.gradients"])
def test_each_way_to_take_gradients_agrees(way):
  options = {"mapped": True, "way": way, "scheduler": "batched"}
  check(case, [COUNT, ROW], [COUNTS, ROWS], [W, TABLE], outputs=ROW, **options)


def test_mutual_recursion():
  def even(call, n, x):
    return tf.cond(n <= 0, lambda: x, lambda: tf.tanh(call(n - 1, x) @ W))

  def odd(call, n, x):
    return tf.cond(n <= 0, lambda: tf.sin(x), lambda: call(n - 1, x * 0.5) + call(n - 2, x))

  f = rtf.SubGraph("even", outputs=ROW, inputs=[COUNT, ROW], scheduler="batched")
  g = rtf.SubGraph("odd", outputs=ROW, inputs=[COUNT, ROW])
  for this, other, body in [(f, g, even), (g, f, odd)]:
    with this:
      this.output(body(other, this.input(COUNT), this.input(ROW)))
  python_even = lambda n, x: even(python_odd, n, x)  # noqa: E731
  python_odd = lambda n, x: odd(python_even, n, x)  # noqa: E731

  def oracle(counts, rows):
    return tf.stack([python_even(n, x) for n, x in zip(counts, rows, strict=True)])

  args = [COUNTS, ROWS]
  assert_same(
    value_and_gradients(f.map, args, [W], "function"), value_and_gradients(oracle, args, [W])
  )


def test_results_that_nobody_uses():
  def body(f, n, x):
    def inner():
      first, _, third = f(n - 1, x)
      return tf.tanh(first @ W), tf.exp(first), third + 1

    return tf.cond(n <= 0, lambda: (x, x * 2.0, n), inner)

  outputs = (ROW, ROW, COUNT)
  options = {"mapped": True, "way": "function", "scheduler": "batched", "outputs": outputs}
  check(body, [COUNT, ROW], [COUNTS, ROWS], [W], **options)


def test_strings_and_numbers():
  def body(f, n, text):
    def inner():
      below, count = f(n - 1, tf.strings.join([text, "+"]))
      return tf.strings.join([below, tf.strings.as_string(n)]), count + tf.strings.length(below)

    return tf.cond(n <= 0, lambda: (text, tf.strings.length(text)), inner)

  text = tf.TensorSpec([], tf.string)
  with rtf.SubGraph(scheduler="batched", outputs=(text, COUNT)) as f:
    f.output(body(f, f.input(COUNT), f.input(text)))
  args = tf.constant([2, 0, 3]), tf.constant(["a", "bc", ""])
  assert_same(f.map(*args), Unrolled(body, [COUNT, text]).map(*args))


def test_a_layer_in_a_body():
  layer = tf.keras.layers.Dense(3, "tanh", dtype="float64")
  layer.build([1, 3])

  def body(f, n, x):
    return tf.cond(n <= 0, lambda: x, lambda: layer(f(n - 1, x)) + x)

  options = {"mapped": True, "way": "function", "scheduler": "batched"}
  refs = [weight.value for weight in layer.trainable_variables]
  check(body, [COUNT, ROW], [COUNTS, ROWS], refs, outputs=ROW, **options)


def test_no_rows_at_all():
  with rtf.SubGraph(scheduler="batched", outputs=ROW) as f:
    f.output(case(f, f.input(COUNT), f.input(ROW)))
  with tf.GradientTape() as tape:
    rows = f.map(tf.zeros([0], tf.int32), tf.zeros([0, 1, 3], F64))
  assert rows.shape == [0, 1, 3]
  assert np.all(tf.convert_to_tensor(tape.gradient(rows, W)) == 0)


def _turns_of(numbers):
  """A loop whose turns need a call and a serial op in some branches of branches only."""
  every, of, down, factor, most = numbers

  def body(f, n, x):
    def turn(i, z):
      def outer():
        total = tf.reduce_sum(tf.range(z % 5 + i % 2 + 1))

        def inner():
          largest = tf.reduce_max(tf.range(z % 3 + 2))
          return (total * 10 + largest + f(n - down, z)) % 1009

        return tf.cond((n * factor + i) % every == 1, inner, lambda: z + 1)

      return i + 1, tf.cond((i + n) % of != 1, outer, lambda: (z * 3 + 1) % 1009)

    def turns():
      return tf.while_loop(lambda i, _: i < n % 3 + most, turn, (0, tf.identity(x)))[1]

    return tf.cond(n <= 0, lambda: x + 1, turns)

  return body


@pytest.mark.parametrize("seed", range(8))
def test_a_turn_is_over_when_all_that_runs_in_it_is(seed):
  choose = np.random.default_rng(seed).choice
  body = _turns_of([int(choose(of)) for of in ([2, 3], [2, 3, 4], [1, 2], [1, 2, 5], [2, 4])])
  with rtf.SubGraph(scheduler="batched", outputs=COUNT) as f:
    f.output(body(f, f.input(COUNT), f.input(COUNT)))
  args = tf.constant([3, 0, 2, 1, 4, 3, 4]), tf.constant([5, 3, 8, 1, 2, 7, 4])
  assert_same(f.map(*args), Unrolled(body, [COUNT, COUNT]).map(*args))
