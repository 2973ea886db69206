"""Effects, random numbers and fallbacks: each frame of a batched run is a call of its own."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.autodiff.vjp import normal
from tests.live_runs import alive

COUNT = tf.TensorSpec([], tf.int32)
ROW = tf.TensorSpec([1, 3])


def test_each_frame_draws_its_own_random_numbers():
  num_frames = 2000
  with rtf.SubGraph("noisy", scheduler="batched") as f:
    x = f.input(tf.float32, [4])
    f.output(x + tf.random.normal([4]))
  found = f.map(tf.zeros([num_frames, 4])).numpy().reshape(-1)
  assert len(np.unique(found)) > 0.99 * len(found)
  assert abs(found.mean()) < 5 / np.sqrt(len(found))
  assert abs(found.std() - 1) < 0.05


def test_dropout_drops_other_elements_in_each_frame_and_has_their_gradient():
  with rtf.SubGraph("dropout", scheduler="batched") as f:
    x = f.input(ROW)
    f.output(tf.nn.dropout(x, 0.5))
  x = tf.ones([500, 1, 3])
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = f.map(x)
  np.testing.assert_allclose(tape.gradient(y, x), y)
  kept = (y.numpy() > 0).reshape(-1)
  assert 0.4 < kept.mean() < 0.6


def test_a_stateless_draw_is_that_of_its_seed():
  with rtf.SubGraph("seeded", scheduler="batched") as f:
    seed = f.input(tf.int32)
    f.output(tf.random.stateless_normal([3], [seed, 1]))
  expected = [tf.random.stateless_normal([3], [i, 1]).numpy() for i in [3, 5, 3]]
  np.testing.assert_array_equal(f.map(tf.constant([3, 5, 3])), expected)


@pytest.mark.parametrize("scheduler", ["batched", "concurrent"])
def test_an_assignment_happens_once_a_frame(scheduler):
  total = tf.Variable(0)
  with rtf.SubGraph("counted", scheduler=scheduler) as f:
    n = f.input(tf.int32)
    total.assign_add(n)
    f.output(tf.cond(n <= 0, lambda: 0, lambda: f(n - 1) + 1))
  assert f.map(tf.constant([3, 0, 2])).numpy().tolist() == [3, 0, 2]
  assert total.numpy() == 3 + 2 + 1 + 2 + 1


@pytest.mark.parametrize("scheduler", ["batched", "concurrent"])
def test_an_assignment_in_a_loop_happens_once_a_turn(scheduler):
  total = tf.Variable(0)

  with rtf.SubGraph("counted", scheduler=scheduler) as f:
    n = f.input(tf.int32)

    def turn(i):
      total.assign_add(i)
      return i + 1

    f.output(tf.while_loop(lambda i: i < n, turn, (0,))[0])
  assert f.map(tf.constant([3, 0, 2])).numpy().tolist() == [3, 0, 2]
  assert total.numpy() == (0 + 1 + 2) + (0 + 1)


@pytest.mark.parametrize("scheduler", ["batched", "concurrent"])
def test_a_print_happens_once_a_frame(scheduler, capfd):
  with rtf.SubGraph("loud", scheduler=scheduler) as f:
    n = f.input(tf.int32)
    tf.print("frame", n)
    f.output(tf.cond(n <= 0, lambda: 0, lambda: f(n - 1)))
  f.map(tf.constant([2, 1]))
  lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("frame")]
  assert sorted(lines) == ["frame 0", "frame 0", "frame 1", "frame 1", "frame 2"]


@pytest.mark.parametrize("wrap", ["plain", "group", "constant"])
def test_what_waits_for_an_assertion_does_wait(wrap):
  with rtf.SubGraph("checked", scheduler="batched") as f:
    n = f.input(tf.int32)
    check = tf.debugging.Assert(n > 0, ["not positive", n])
    with tf.control_dependencies([tf.group(check) if wrap == "group" else check]):
      f.output(100 // n if wrap == "constant" else tf.constant(100) // tf.identity(n))
  assert f.map(tf.constant([1, 2])).numpy().tolist() == [100, 50]
  with pytest.raises(tf.errors.InvalidArgumentError, match="not positive"):
    f.map(tf.constant([1, 0]))


def test_a_failing_row_among_many_is_named_once():
  with rtf.SubGraph("look_up", scheduler="batched") as f:
    i = f.input(tf.int32)
    f.output(tf.gather(tf.constant([1.0, 2.0]), i) * 2.0)
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    f.map(tf.constant([0, 1, 7, 1]))
  assert str(error.value).count("[SubGraph 'look_up', frame at depth 1]") == 1
  assert "7 is not in [0, 2)" in str(error.value)


def test_what_cannot_be_batched_keeps_nothing_alive():
  @tf.custom_gradient
  def double(x):
    return 2.0 * x, lambda dy: 2.0 * dy

  def run():
    with tf.GradientTape() as tape:
      with rtf.SubGraph("custom") as f:
        f.output(double(f.input(ROW)))
      x = tf.ones([1, 3])
      tape.watch(x)
      y = f(x)
      assert f.explain().scheduler == "concurrent"
    subgraphs.append(f)
    return y

  subgraphs = []
  run()
  assert alive() == (0, 0)


def custom_gradient(f, n, x):
  return tf.custom_gradient(lambda z: (2.0 * z, lambda dy: dy))(x)


def effect_in_conditional_in_loop(f, n, x):
  def turn(i, z):
    return i + 1, tf.cond(z[0, 0] > 0, lambda: z + tf.random.normal([1, 3]), lambda: f(n - 1, z))

  return tf.while_loop(lambda i, _: i < n, turn, (0, x))[1]


def list_in_loop_around_call(f, n, x):
  array = tf.TensorArray(tf.float32, 2, element_shape=[1, 3])
  array = tf.while_loop(
    lambda i, _: i < n, lambda i, a: (i + 1, a.write(i, f(n - 1, x))), (0, array)
  )[1]
  return tf.reduce_sum(array.stack(), 0)


def list_handed_to_a_branch(f, n, x):
  array = tf.TensorArray(tf.float32, 1, element_shape=[1, 3]).write(0, x)
  return tf.cond(n > 0, lambda: array.read(0), lambda: array.write(0, 2.0 * x).read(0))


def map_of_unknown_shape(f, n, x):
  return tf.cond(n <= 0, lambda: x, lambda: tf.reshape(f.map([n - 1], x[tf.newaxis]), [-1, 3]))


@pytest.mark.parametrize(
  "program, reason",
  [
    (custom_gradient, "tf.custom_gradient"),
    (effect_in_conditional_in_loop, "an op with an effect, RandomStandardNormal, in a tf.cond in"),
    (list_in_loop_around_call, "carries a TensorArray or a list"),
    (list_handed_to_a_branch, "variant"),
    (map_of_unknown_shape, "no static shape"),
  ],
  ids=lambda p: getattr(p, "__name__", ""),
)
def test_a_fallback_says_why_and_where(program, reason):
  result = tf.TensorSpec([None, 3] if program is map_of_unknown_shape else [1, 3])

  def define(scheduler):
    with rtf.SubGraph("fallback", scheduler=scheduler, outputs=result) as f:
      f.output(program(f, f.input(COUNT), f.input(result)))
    return f

  explanation = define("auto").explain()
  assert explanation.scheduler == "concurrent"
  assert reason in explanation.reason
  assert "test_reliability.py:" in explanation.reason
  assert explanation.reason in str(explanation)
  with pytest.raises(rtf.DefinitionError, match="scheduler='batched' cannot run it") as error:
    define("batched")(1, tf.ones([1, 3]))
  assert "test_reliability.py:" in str(error.value)


@pytest.mark.parametrize(
  "make, op_type, reason",
  [
    (lambda x: x + tf.random.normal([1, 3]), "RandomStandardNormal", "effect, or is random"),
    (
      lambda x: x + tf.random.stateless_normal([1, 3], tf.cast(x[0, :2], tf.int32)),
      "StatelessRandomNormalV2",
      "something else",
    ),
    (lambda x: tf.py_function(lambda z: z, [x], tf.float32), "EagerPyFunc", "effect"),
  ],
  ids=["random", "stateless", "python"],
)
def test_a_serial_op_has_its_place_and_reason(make, op_type, reason):
  with rtf.SubGraph("serial") as f:
    x = f.input(ROW)
    f.output(tf.ensure_shape(make(x), [1, 3]) * 2.0)
  found = {op.type: op for op in f.explain().serial_ops}
  assert op_type in found
  assert reason in found[op_type].reason
  assert found[op_type].location.startswith("test_reliability.py:")


@pytest.mark.parametrize("is_mapped", [False, True])
def test_a_persistent_tape_may_be_asked_twice(is_mapped):
  w = tf.Variable(normal(3, 3))
  with rtf.SubGraph("tree", scheduler="batched", outputs=tf.TensorSpec([1, 3], tf.float64)) as f:
    n, x = f.input(tf.int32), f.input(tf.float64, [1, 3])
    f.output(tf.cond(n <= 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ w) + f(n - 2, x)))
  with tf.GradientTape(persistent=True) as tape:
    y = f.map([4, 2], normal(2, 1, 3)) if is_mapped else f(4, normal(1, 3))
  first, second = tape.gradient(y, w), tape.gradient(y, w)
  np.testing.assert_allclose(first, second)
  del tape
  assert alive() == (0, 0)


@pytest.mark.parametrize(
  "dtype, expected",
  [(tf.int32, [-1, 1, 1, 1]), (tf.int64, [-1, 1, 1, 1]), (tf.float64, [-1, 1, 1, 1])],
  ids=["int32", "int64", "float64"],
)
def test_a_number_is_a_condition_as_in_tensorflow(dtype, expected):
  values = tf.cast([0, 1, 2, -1], dtype)
  assert [tf.cond(x, lambda: 1, lambda: -1) for x in values] == expected
  with rtf.SubGraph("signs", scheduler="batched") as f:
    x = f.input(dtype)
    f.output(tf.cond(x, lambda: 1, lambda: -1))
  assert f.map(values).numpy().tolist() == expected


def test_a_number_goes_on_with_a_loop_around_calls():
  with rtf.SubGraph("powers", scheduler="batched", outputs=COUNT) as f:
    n = f.input(tf.int32)
    f.output(tf.while_loop(lambda i, _: i, lambda i, sum: (i - 1, sum + f(i - 1)), (n, 1))[1])
  assert f.map(tf.constant([0, 1, 2, 3])).numpy().tolist() == [1, 2, 4, 8]


def test_a_condition_that_is_a_string_is_refused():
  with rtf.SubGraph("text", scheduler="batched") as f:
    text = f.input(tf.string)
    f.output(tf.cond(text, lambda: 1, lambda: -1))
  with pytest.raises(rtf.DefinitionError, match="a condition of type string .*test_reliability"):
    f("a")


def unused_conditional(x, total, rows):
  tf.cond(x > 0, lambda: total.read_value() * 2.0, lambda: x)
  total.assign_add(1.0)


def unused_read_of_another(x, total, rows):
  tf.cond(x > 0, lambda: rows.read_value() * 2.0, lambda: rows.read_value())
  total.assign_add(1.0)


def unused_result_of_effects(x, total, rows):
  tf.cond(x > 0, lambda: total.assign_add(1.0) + 0.0, lambda: x)
  tf.cond(x > 1, lambda: total.assign_add(x), lambda: total.read_value())
  total.assign_add(2.0)


def unused_assertion(x, total, rows):
  tf.cond(x > 0, lambda: tf.debugging.check_numerics(x, "never"), lambda: x)
  tf.debugging.Assert(x > -9.0, [x])
  total.assign_add(x)
  total.read_value()


def parts_in_a_conditional(x, total, rows):
  add = lambda i, row: lambda: rows.scatter_nd_add([[i]], [row])  # noqa: E731
  tf.cond(x > 0, add(1, [x, 1.0]), add(0, [1.0, x]))


def parts_in_a_loop_in_a_conditional(x, total, rows):
  def turn(i):
    rows.scatter_nd_add([[i]], [[x, 1.0]])
    return [i + 1]

  tf.cond(x > 0, lambda: tf.while_loop(lambda i: i < 2, turn, [0])[0], lambda: 0)


def parts_in_loops(x, total, rows):
  def turn(i):
    def inner(j):
      add = lambda: rows.scatter_nd_add([[j]], [[x, 1.0]])  # noqa: E731
      tf.cond(i > j, add, lambda: rows[2].assign([7.0, 8.0]))
      return [j + 1]

    return [i + tf.while_loop(lambda j: j < 2, inner, [0])[0]]

  tf.while_loop(lambda i: i < 3, turn, [0])


# Not "batched": conditionals among uses of a variable that is written run concurrently.
@pytest.mark.parametrize("scheduler", ["auto", "concurrent"])
@pytest.mark.parametrize(
  "effects",
  [
    unused_conditional,
    unused_read_of_another,
    unused_result_of_effects,
    unused_assertion,
    parts_in_a_conditional,
    parts_in_a_loop_in_a_conditional,
    parts_in_loops,
  ],
  ids=lambda f: f.__name__,
)
def test_effects_happen_whoever_uses_what_they_return(effects, scheduler):
  total, rows = tf.Variable(0.0), tf.Variable(tf.zeros([3, 2]))
  numbers, weight = tf.constant([1.0, -1.0, 2.0]), tf.Variable(2.0)
  for x in numbers:
    effects(x, total, rows)
  expected = total.numpy(), rows.numpy().tolist()
  total.assign(0.0)
  rows.assign(tf.zeros([3, 2]))
  with rtf.SubGraph("effects", scheduler=scheduler) as f:
    x = f.input(tf.float32)
    effects(x, total, rows)
    f.output(x * weight)
  with tf.GradientTape() as tape:
    results = f.map(numbers)
  assert tape.gradient(results, weight).numpy() == 2.0
  assert (total.numpy(), rows.numpy().tolist()) == expected
