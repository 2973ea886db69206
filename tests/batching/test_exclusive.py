"""Each frame reads what the one before it has written: variables that a body reads and writes."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

ROWS = 64
SCHEDULERS = ["auto", "concurrent"]
pytestmark = pytest.mark.parametrize("scheduler", SCHEDULERS)


def subgraph_of(scheduler, body, *specs, **options):
  """Returns a SubGraph of `body`, which takes the SubGraph and its arguments."""
  with rtf.SubGraph("f", scheduler=scheduler, **options) as f:
    f.output(body(f, *[f.input(spec) for spec in specs]))
  return f


INT = tf.TensorSpec([], tf.int32)


def test_each_frame_draws_its_own_dropout_mask(scheduler):
  dropout = keras.layers.Dropout(0.5, seed=1)
  f = subgraph_of(
    scheduler, lambda f, x: dropout(x, training=True), tf.TensorSpec([1, 64], tf.float32)
  )
  masks = f.map(tf.ones([ROWS, 1, 64])).numpy().reshape(ROWS, -1)
  assert len(np.unique(masks, axis=0)) == ROWS


def test_each_frame_of_a_recursion_draws_its_own_numbers(scheduler):
  seeds = keras.random.SeedGenerator(3)

  def body(f, n):
    draw = keras.random.uniform([], seed=seeds)
    rest = tf.cond(n <= 0, lambda: tf.zeros([0]), lambda: tf.concat([f(n - 1), f(n - 2)], 0))
    return tf.concat([draw[tf.newaxis], rest], 0)

  f = subgraph_of(scheduler, body, INT, outputs=tf.TensorSpec([None]))
  found = f(6).numpy()
  assert len(found) == 33 + 8 and len(np.unique(found)) == len(found)
  assert f.explain().scheduler == ("batched" if scheduler == "auto" else "concurrent")


def test_no_update_is_lost(scheduler):
  counter = tf.Variable(0)

  def body(f, n):
    before = counter.read_value()
    counter.assign(before + 1)
    return before * tf.sign(n)

  f = subgraph_of(scheduler, body, INT)
  for _ in range(3):
    counter.assign(0)
    assert sorted(f.map(tf.ones([ROWS], tf.int32)).numpy()) == list(range(ROWS))
    assert counter.numpy() == ROWS


def test_what_is_between_read_and_write_belongs_to_the_frame(scheduler):
  state = tf.Variable([0.0, 0.0])

  def body(f, x):
    before = state.read_value()
    after = tf.tanh(before * 0.5) + tf.concat([x[:1], before[:1] + 1.0], 0)
    state.assign(after)
    return tf.stack([before, after])

  f = subgraph_of(scheduler, body, tf.TensorSpec([2]))
  steps = f.map(tf.random.normal([ROWS, 2])).numpy()
  starts = {tuple(row) for row in steps[:, 0]}
  ends = {tuple(row) for row in steps[:, 1]}
  assert len(starts) == ROWS and len(starts & ends) == ROWS - 1
  assert starts - ends == {(0.0, 0.0)} and ends - starts == {tuple(state.numpy())}


def test_a_frame_reads_what_it_has_written_itself(scheduler):
  last = tf.Variable(0)

  def body(f, n):
    last.assign(n * 2)
    return last + n

  f = subgraph_of(scheduler, body, INT)
  assert f.map(tf.range(ROWS)).numpy().tolist() == [3 * n for n in range(ROWS)]


def test_two_writes_of_a_frame_are_not_mixed_with_others(scheduler):
  total = tf.Variable(0)

  def body(f, n):
    total.assign(n)
    total.assign_add(tf.cast(tf.exp(0.0 * tf.cast(n, tf.float32)), tf.int32))
    return total.read_value()

  f = subgraph_of(scheduler, body, INT)
  assert f.map(tf.range(ROWS)).numpy().tolist() == list(range(1, ROWS + 1))
  assert 1 <= total.numpy() <= ROWS


def test_updates_after_calls_and_in_branches(scheduler):
  leaves, inner = tf.Variable(0), tf.Variable(0)

  def leaf():
    before = leaves.read_value()
    leaves.assign(before + 1)
    return 1

  def body(f, n):
    def node():
      below = f(n - 1) + f(n - 1)
      inner.assign(inner + below)
      return below

    return tf.cond(n <= 0, leaf, node)

  f = subgraph_of(scheduler, body, INT)
  assert f(6).numpy() == 64
  assert leaves.numpy() == 64 and inner.numpy() == 6 * 64


def test_one_variable_in_both_branches(scheduler):
  counter = tf.Variable(0)

  def tick():
    before = counter.read_value()
    counter.assign(before * 1 + 1)
    return before[tf.newaxis]

  def body(f, n):
    return tf.cond(n <= 0, tick, lambda: tf.concat([tick(), f(n - 1), f(n - 2)], 0))

  f = subgraph_of(scheduler, body, INT, outputs=tf.TensorSpec([None], tf.int32))
  assert sorted(f(6).numpy()) == list(range(41))


def test_check_then_act(scheduler):
  used = tf.Variable(0)

  def body(f, n):
    return tf.cond(used < 10, lambda: used.assign_add(1) * 0 + n, lambda: -1)

  f = subgraph_of(scheduler, body, INT)
  assert (f.map(tf.range(ROWS)).numpy() >= 0).sum() == 10 and used.numpy() == 10
  if scheduler == "auto":
    assert "a tf.cond among uses of a variable that the frame writes" in f.explain().reason
    assert "test_exclusive.py:" in f.explain().reason


def test_large_conditionals_and_functions_between_read_and_write(scheduler):
  counter = tf.Variable(0)
  weights = [tf.Variable(float(i)) for i in range(20)]

  @tf.function
  def write(before, n):
    return tf.cond(n >= 0, lambda: counter.assign(before + 1), lambda: counter.assign(before))

  def body(f, n):
    before = counter.read_value()
    written = tf.cond(
      n >= 0,
      lambda: write(before, n) + 0 * tf.cast(sum(w.read_value() for w in weights), tf.int32),
      lambda: 0,
    )
    return before + 0 * written

  f = subgraph_of(scheduler, body, INT)
  assert sorted(f.map(tf.range(ROWS)).numpy()) == list(range(ROWS)) and counter.numpy() == ROWS


def count_in_a_loop(counter, n):
  return tf.while_loop(lambda i: i < n, lambda i: [i + 0 * counter.assign(counter + 1) + 1], [0])[0]


def count_in_the_test(counter, n):
  def go_on(i):
    return counter.assign(counter + 1) * 0 + i < n - 1

  return tf.while_loop(go_on, lambda i: [i + 1], [0])[0]


def count_in_nested_loops(counter, n):
  def turn(i):
    inner = tf.while_loop(lambda j: j < 1, lambda j: [j + 0 * counter.assign(counter + 1) + 1], [0])
    return [i + inner[0]]

  return tf.while_loop(lambda i: i < n, turn, [0])[0]


def count_in_a_function(counter, n):
  return tf.function(lambda: count_in_a_loop(counter, n))()


def count_in_a_loop_and_behind_it(counter, n):
  found = count_in_a_loop(counter, n - 1)
  counter.assign(counter + 1)
  return found


def count_over_tensor_array(counter, n):
  return tf.reduce_sum(tf.map_fn(lambda i: counter.assign(counter + 1) * 0 + i, tf.range(n)))


def count_in_a_scatter(counter, n):
  def turn(i):
    return [i + 0 * counter.assign(tf.tensor_scatter_nd_add(counter, [[0]], [1]))[0] + 1]

  return tf.while_loop(lambda i: i < n, turn, [0])[0]


def count_by_python(counter, n):
  def count(times):
    for _ in range(int(times)):
      counter.assign(counter + 1)
    return 0

  return tf.reshape(tf.py_function(count, [n], tf.int32), [])


def count_by_numpy_in_a_loop(counter, n):
  def count():
    counter.assign(counter.numpy() + 1)
    return np.int32(0)

  def turn(i):
    return [i + 1 + tf.reshape(tf.numpy_function(count, [], tf.int32), [])]

  return tf.while_loop(lambda i: i < n, turn, [0])[0]


@pytest.mark.parametrize(
  ("count", "shape"),
  [
    (count_in_a_loop, []),
    (count_in_nested_loops, []),
    (count_in_a_function, []),
    (count_in_a_loop_and_behind_it, []),
    (count_over_tensor_array, []),
    (count_in_a_scatter, [1]),
    (count_by_python, []),
    (count_by_numpy_in_a_loop, []),
    (count_in_the_test, []),
  ],
)
def test_no_update_is_lost_in(count, shape, scheduler):
  counter = tf.Variable(tf.zeros(shape, tf.int32))
  f = subgraph_of(scheduler, lambda f, n: count(counter, n), INT)
  for _ in range(20):  # Without the order one run of two loses updates.
    counter.assign(tf.zeros(shape, tf.int32))
    f.map(tf.range(1, 20))
    assert counter.numpy().sum() == sum(range(1, 20))


def test_python_reads_what_the_graph_writes(scheduler):
  counter = tf.Variable(0)

  def body(f, n):
    before = tf.reshape(tf.py_function(counter.numpy, [], tf.int32), [])
    after = before * 2 - before + n
    counter.assign(after)
    return after

  f = subgraph_of(scheduler, body, INT)
  assert sorted(f.map(tf.ones([ROWS], tf.int32)).numpy()) == list(range(1, ROWS + 1))


def test_python_writes_what_the_graph_reads(scheduler):
  counter = tf.Variable(0)

  def write(value):
    counter.assign(value)
    return value

  def body(f, n):
    after = counter.read_value() * 3 + n
    return tf.reshape(tf.py_function(write, [after // 3 + n], tf.int32), [])

  f = subgraph_of(scheduler, body, INT)
  assert sorted(f.map(tf.ones([ROWS], tf.int32)).numpy()) == list(range(1, ROWS + 1))


def test_a_handle_that_a_loop_gives(scheduler):
  counter = tf.Variable(0)

  def body(f, n):
    _, handle = tf.while_loop(lambda i, _: i < 1, lambda i, h: [i + 1, h], [0, counter.handle])
    before = tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int32)
    counter.assign(before * 2 - before + n)
    return before

  f = subgraph_of(scheduler, body, INT)
  f.map(tf.ones([ROWS], tf.int32))
  assert counter.numpy() == ROWS
  if scheduler == "auto":
    assert "a variable's handle that an op gives" in f.explain().reason


def loop_with_calls(f, n, go_on, turn, *state):
  """Returns the first variable of a loop whose turns call `f`, which ends at numbers below 1."""
  return tf.cond(n <= 0, lambda: n, lambda: tf.while_loop(go_on, turn, [0, *state])[0])


def test_a_loop_with_calls_that_tests_what_it_writes(scheduler):
  counter = tf.Variable(0)

  def body(f, n):
    return loop_with_calls(
      f, n, lambda i: counter < 5, lambda i: [counter.assign_add(1) * 0 + i + 1 + f(0)]
    )

  f = subgraph_of(scheduler, body, INT)
  f.map(tf.range(20))
  assert counter.numpy() == 5


def test_a_loop_with_calls_that_hands_on_what_it_read(scheduler):
  counter = tf.Variable(0)

  def body(f, n):
    def turn(i, before):
      counter.assign(before + 1)
      return [i + 1 + f(0), counter.read_value()]

    return loop_with_calls(f, n, lambda i, _: i < n, turn, counter.read_value())

  f = subgraph_of(scheduler, body, INT)
  f.map(tf.range(20))
  assert counter.numpy() == sum(range(20))


def test_a_loop_with_calls_whose_going_on_depends_on_what_it_wrote(scheduler):
  counter = tf.Variable(0)

  def body(f, n):
    def turn(i, _):
      return [i + 1 + f(0), counter.assign_add(1) < 30]

    return loop_with_calls(f, n, lambda _, goes_on: goes_on, turn, True)

  f = subgraph_of(scheduler, body, INT)
  f.map(tf.range(20))
  assert counter.numpy() == 30 + 18  # Each of the other frames makes one turn.


def test_a_loop_with_calls_whose_turns_stand_alone_stays_batched(scheduler):
  dropout = keras.layers.Dropout(0.5, seed=1)

  def body(f, n, x):
    def turn(i, x):
      return [i + 1, dropout(f(0, x), training=True)]

    return tf.cond(n <= 0, lambda: x, lambda: tf.while_loop(lambda i, _: i < n, turn, [0, x])[1])

  f = subgraph_of(scheduler, body, INT, tf.TensorSpec([1, 64]))
  masks = f.map(tf.ones([ROWS], tf.int32), tf.ones([ROWS, 1, 64])).numpy().reshape(ROWS, -1)
  assert len(np.unique(masks, axis=0)) == ROWS
  assert f.explain().scheduler == ("batched" if scheduler == "auto" else "concurrent")


def test_tables_that_grow(scheduler):
  table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, default_value=0)

  def body(f, key):
    table.insert(key, table.lookup(key) + 1)
    return key

  f = subgraph_of(scheduler, body, tf.TensorSpec([], tf.int64))
  f.map(tf.range(ROWS, dtype=tf.int64) % 3)
  assert table.lookup(tf.range(3, dtype=tf.int64)).numpy().tolist() == [22, 21, 21]


def test_gradients_through_what_was_read(scheduler):
  scale = tf.Variable(1.0)
  weight = tf.Variable(2.0)

  def body(f, x):
    before = scale.read_value()
    scale.assign(before * 2.0)
    return before * weight * x

  f = subgraph_of(scheduler, body, tf.TensorSpec([]))
  x = tf.ones([5])
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f.map(x)
  by_x, by_weight = tape.gradient(y, [x, weight])
  assert sorted(by_x.numpy()) == [2.0, 4.0, 8.0, 16.0, 32.0] and by_weight.numpy() == 31.0


def test_explain_says_what_runs_frame_by_frame(scheduler):
  counter = tf.Variable(0)

  def body(f, n):
    counter.assign(counter + 1)
    return tf.square(n)

  f = subgraph_of(scheduler, body, INT)
  reasons = {(op.type, op.reason) for op in f.explain().serial_ops}
  why = "it lies between a frame's uses of a variable that the frame writes"
  assert ("ReadVariableOp", why) in reasons and ("AssignVariableOp", why) in reasons
  assert "Square" not in {op.type for op in f.explain().serial_ops}


def test_variables_that_are_only_read_or_only_written_stay_as_they_were(scheduler):
  weight, visits = tf.Variable(2.0), tf.Variable(0)

  def body(f, x):
    visits.assign_add(1)
    return weight * x

  f = subgraph_of(scheduler, body, tf.TensorSpec([]))
  assert f.map(tf.ones([ROWS])).numpy().tolist() == [2.0] * ROWS and visits.numpy() == ROWS
  assert "ReadVariableOp" not in {op.type for op in f.explain().serial_ops}
