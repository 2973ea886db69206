"""`@rtf.function`: steps that write variables, all or nothing, in one graph."""

import contextlib
import functools
import gc
import threading
import time
import types
import weakref

import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason


def _model():
  keras.utils.set_random_seed(3)
  model = keras.Sequential(
    [
      keras.layers.Input((4,)),
      keras.layers.Dense(8, activation="tanh"),
      keras.layers.BatchNormalization(),
      keras.layers.Dropout(0.25, seed=5),
      keras.layers.Dense(1),
    ]
  )
  optimizer = keras.optimizers.Adam(0.05)
  optimizer.build(model.trainable_variables)
  return model, optimizer


def _train(model, optimizer, x, y):
  with tf.GradientTape() as tape:
    loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
  gradients = tape.gradient(loss, model.trainable_variables)
  optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
  return loss


def _batches(sizes):
  rng = np.random.default_rng(0)
  return [
    (rng.normal(size=[n, 4]).astype("float32"), rng.normal(size=[n, 1]).astype("float32"))
    for n in sizes
  ]


@pytest.mark.parametrize("verify", [False, True])
def test_training_leaves_what_eager_execution_leaves(verify):
  batches = _batches([6, 6, 5, 7, 6])
  plain_model, plain_optimizer = _model()
  expected = [float(_train(plain_model, plain_optimizer, *map(tf.constant, b))) for b in batches]
  model, optimizer = _model()
  step = rtf.function(_train, strict=True, verify=verify)
  found = [float(step(model, optimizer, *map(tf.constant, b))) for b in batches]
  np.testing.assert_allclose(found, expected, rtol=1e-5)
  for mine, other in zip(model.weights, plain_model.weights, strict=True):
    np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=1e-4, atol=1e-6)
  assert int(optimizer.iterations) == 5
  assert step.stats.num_graphs == 2  # [6, 4], then [None, 4].


def test_the_call_that_builds_is_plain_python():
  model = keras.Sequential([keras.layers.Dense(2), keras.layers.Dense(1)])
  optimizer = keras.optimizers.SGD(0.1)
  step = rtf.function(_train)
  for x, y in _batches([3, 3, 3, 3]):
    step(model, optimizer, tf.constant(x), tf.constant(y))
  assert step.stats.num_converted_runs >= 1
  assert int(optimizer.iterations) == 4


def _writes_then_fails(count, weight, matrix):
  count.assign_add(1.0)
  weight.assign(weight * 2.0)
  return count * tf.linalg.inv(matrix)


def test_a_run_that_fails_writes_nothing_and_python_does_it():
  count, weight = tf.Variable(0.0), tf.Variable(1.0)
  step = rtf.function(_writes_then_fails, verify=False)
  step(count, weight, tf.eye(2))
  with pytest.raises(tf.errors.InvalidArgumentError):
    step(count, weight, tf.zeros([2, 2]))
  # As Python leaves it: it wrote before it failed, once.
  assert (float(count), float(weight)) == (2.0, 4.0)
  step(count, weight, tf.eye(2))
  assert (float(count), float(weight)) == (3.0, 8.0)
  assert step.stats.num_converted_runs == 2


def test_what_fails_after_the_run_is_raised_and_nothing_is_written_twice(monkeypatch):
  count = tf.Variable(0)

  class Box:
    seen = 0

  box = Box()

  @rtf.function(verify=False)
  def step(x):
    count.assign_add(1)
    box.seen += 1
    return x

  step(tf.constant(1.0))
  assert (int(count), box.seen) == (1, 1)

  def fail(self):
    raise AttributeError("no such place")

  monkeypatch.setattr("recursive_tf.convert.effects._commit.Outcome.commit", fail)
  with pytest.raises(AttributeError, match="no such place"):
    step(tf.constant(1.0))
  assert (int(count), box.seen) == (2, 1)


def test_nothing_is_written_before_everything_is_there():
  written, needed = tf.Variable(0.0), tf.Variable([[1.0]])

  @rtf.function(verify=False)
  def step(x):
    written.assign(x)
    with contextlib.suppress(ValueError):
      return tf.linalg.inv(needed * x)

  step(tf.constant(1.0))
  graph = next(iter(step._programs)).graphs()[frozenset()].keep.get_concrete_function().graph
  (write,) = [op for op in graph.get_operations() if op.type == "AssignVariableOp"]
  before, agenda = set(), [write]
  while agenda:
    op = agenda.pop()
    new = {*(t.op for t in op.inputs), *op.control_inputs} - before
    before |= new
    agenda += new
  assert "MatrixInverse" in {op.type for op in before}


@pytest.mark.parametrize("takes_first", [True, False])
def test_writes_in_a_branch_that_the_run_chooses(takes_first):
  a, b = tf.Variable(1.0), tf.Variable(10.0)

  @rtf.function(strict=True, verify=False)
  def step(x):
    if x > 0.0:
      a.assign_add(x)
    else:
      b.assign_sub(x)
      a.assign(a + b)
    return a * 2.0

  for value in (1.0, -1.0, 2.0) if takes_first else (-1.0, -3.0, 2.0):
    before = float(a), float(b)
    found = float(step(tf.constant(value)))
    expected = (before[0] + value, before[1])
    if value <= 0.0:
      expected = before[0] + before[1] - value, before[1] - value
    assert (float(a), float(b)) == expected
    assert found == 2.0 * expected[0]


class _Cell(tf.Module):
  """Keeps a state from call to call."""

  def __init__(self):
    self.weight = tf.Variable(0.5)
    self.state = None
    self.num_calls = 0
    self.seen = []

  @rtf.function(strict=True)
  def __call__(self, x):
    self.num_calls += 1
    if self.state is None:
      self.state = tf.zeros_like(x)
    self.state = tf.tanh(self.state + self.weight * x)
    return self.state * self.num_calls


class _Dense(tf.Module):
  def __init__(self):
    super().__init__()
    self.kernel = tf.Variable([[1.0], [2.0]])


class _Layer(keras.layers.Layer):
  def build(self, shape):
    self.kernel = self.add_weight(shape=(shape[-1], 1), initializer="ones")

  def call(self, x):
    return x @ self.kernel


@pytest.mark.parametrize("kind", [_Dense, _Layer])
def test_variables_of_modules_and_layers_of_ones_own(kind):
  model = kind()
  x = tf.constant([[1.0, 2.0]])
  if kind is _Layer:
    model(x)

  @rtf.function(strict=True, verify=False)
  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(x @ model.kernel)
    variables = model.trainable_variables
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
      variable.assign(variable - 0.5 * gradient)
    return loss

  before = tf.convert_to_tensor(model.kernel).numpy()
  step(x)
  np.testing.assert_allclose(tf.convert_to_tensor(model.kernel).numpy(), before - [[0.5], [1.0]])


def test_state_in_attributes_is_one_graph():
  cell, state = _Cell(), 0.0
  for number in range(1, 12):
    state = np.tanh(state + 0.5 * number)
    found = cell(tf.constant(float(number)))
    np.testing.assert_allclose(float(found), state * number, rtol=1e-6)
    assert cell.num_calls == number
  assert _Cell.__call__.stats.num_graphs <= 3


def test_one_graph_for_many_lengths_and_rates():
  weight = tf.Variable([1.0, 2.0])

  @rtf.function(strict=True, verify=False)
  def step(xs, rate):
    total = tf.zeros([2])
    for i in range(xs.shape[0]):
      total = total * 0.5 + xs[i] * weight
    weight.assign_sub(rate * total)
    return total

  expected = np.array([1.0, 2.0])
  for length in range(1, 25):
    xs = np.arange(2 * length, dtype="float32").reshape([length, 2]) / length
    total = np.zeros(2)
    for x in xs:
      total = total * 0.5 + x * expected
    expected = expected - total / (100 + length)
    step(tf.constant(xs), 1.0 / (100 + length))
    np.testing.assert_allclose(weight.numpy(), expected, rtol=1e-4)
  assert step.stats.num_graphs == 3  # Of 1, of 2, and of any other number of rows.


def test_numbers_that_tensorflow_wants_as_such_are_constants():
  @rtf.function(strict=True, verify=False)
  def step(x, axis, least):
    return tf.maximum(tf.stack([x, x], axis=axis), least)

  x = tf.constant([1.0, 2.0, 3.0])
  for axis, least in ((0, 2), (1, 2), (0, 3)):
    found, expected = step(x, axis, least), step.python(x, axis, least)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)
  assert step.stats.num_graphs == 3


def test_zero_and_minus_zero_are_two_constants():
  step = rtf.function(lambda x, slope: tf.nn.leaky_relu(x, slope), strict=True, verify=False)
  for slope in (0.0, -0.0, 0.0):
    found = step(tf.constant([-1.0]), slope).numpy()
    np.testing.assert_array_equal(np.signbit(found), np.signbit([-1.0 * slope]))


def test_tapes():
  weight, other = tf.Variable(2.0), tf.Variable(3.0)

  @rtf.function(strict=True, verify=False)
  def step(x):
    with tf.GradientTape(persistent=True) as tape:
      with tf.GradientTape() as inner:
        y = weight**3 * x
      slope = inner.gradient(y, weight)
      with tape.stop_recording():
        hidden = other * x
      z = slope * other + hidden
    found = tape.gradient(slope, weight), tape.gradient(z, other)
    del tape
    return found

  for x in (1.0, 2.0):
    first, second = step(tf.constant(x))
    assert float(first) == 6 * 2.0 * x
    assert float(second) == 3 * 4.0 * x


def test_a_tape_outside_sees_the_run():
  weight = tf.Variable(2.0)
  f = rtf.function(lambda x: weight * x * x, strict=True, verify=False)
  for _ in range(2):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
      tape.watch(x)
      y = f(x)
    assert [float(g) for g in tape.gradient(y, [x, weight])] == [12.0, 9.0]


def test_a_gradient_that_is_none_in_python_is_left_to_it():
  weights = [tf.Variable(1.0), tf.Variable(2.0)]

  @rtf.function(verify=False)
  def step(x):
    with tf.GradientTape() as tape:
      y = weights[0] * x if x > 0.0 else weights[1] * x
    return tape.gradient(y, weights)

  assert [g is None for g in step(tf.constant(1.0))] == [False, True]
  assert [g is None for g in step(tf.constant(-1.0))] == [True, False]


def test_the_same_tensor_by_two_names_is_left_to_python():
  @rtf.function(verify=False)
  def slope(x, y):
    with tf.GradientTape() as tape:
      tape.watch(x)
      z = x * y
    return tape.gradient(z, x)

  one, two = tf.constant(3.0), tf.constant(3.0)
  assert [float(slope(one, two)), float(slope(one, one)), float(slope(two, one))] == [3.0, 6.0, 3.0]
  assert slope.stats.fallbacks == {Reason.SHARED_CONTAINER: 1}


class _Node:
  def __init__(self, value, left=None, right=None):
    self.value, self.left, self.right = value, left, right


def _encode(weight, node):
  if node.left is None:
    return weight * node.value
  return tf.tanh(_encode(weight, node.left) + _encode(weight, node.right))


def test_recursion_trains_inside_a_step():
  trees = [_Node(0.3), _Node(0.0, _Node(0.5), _Node(0.0, _Node(-0.4), _Node(0.9)))] * 3

  def train(weight, node):
    with tf.GradientTape() as tape:
      loss = (_encode(weight, node) - 1.0) ** 2
    weight.assign_sub(0.1 * tape.gradient(loss, weight))
    return loss

  plain, mine = tf.Variable(0.5), tf.Variable(0.5)
  step = rtf.function(train, strict=True, verify=False)
  for tree in trees:
    np.testing.assert_allclose(float(step(mine, tree)), float(train(plain, tree)), rtol=1e-5)
    np.testing.assert_allclose(mine.numpy(), plain.numpy(), rtol=1e-5)
  assert "SubGraph" in str(step.explain())


def test_a_variable_that_a_branch_hands_on_is_not_written_too():
  a, b = tf.Variable(1.0), tf.Variable(2.0)

  @rtf.function(verify=False)
  def step(x):
    chosen = a if x > 0.0 else b
    a.assign_add(1.0)
    return chosen + 0.0

  assert [float(step(tf.constant(1.0))) for _ in range(3)] == [2.0, 3.0, 4.0]
  assert step.stats.fallbacks == {Reason.STATEFUL_OP: 3}


def test_what_acts_outside_is_refused(tmp_path):
  path = str(tmp_path / "note")

  @rtf.function(verify=False)
  def f(x):
    tf.io.write_file(path, tf.strings.as_string(x))
    return x

  f(tf.constant(5))
  assert (tmp_path / "note").read_text() == "5"
  assert f.stats.fallbacks == {Reason.STATEFUL_OP: 1}


def test_a_difference_is_found_and_python_stands(monkeypatch):
  weight = tf.Variable(1.0)

  @rtf.function(verify=True)
  def step(x):
    weight.assign(weight + x)
    return x

  step(tf.constant(1.0))
  assert float(weight) == 2.0
  (program,) = step._programs
  graph = program.graphs()[frozenset()]

  right = graph.run

  def wrong(tensors):
    found = right(tensors)
    weight.assign(weight + 1.0)
    return found

  graph.run = wrong
  step(tf.constant(1.0))
  assert float(weight) == 3.0
  assert step.stats.fallbacks == {Reason.VERIFICATION_FAILED: 1}


def test_fresh_steps_give_eager_results_each_time():
  """A write that overtakes those who still use what was read gives another loss now and then."""
  x = tf.constant(np.linspace(-1.0, 1.0, 24).reshape([6, 4]).astype("float32"))
  start = [np.full([4, 8], 0.1, "float32"), np.full([8, 1], 0.2, "float32")]

  def penalised(weights, x):
    with tf.GradientTape() as tape:
      with tf.GradientTape() as inner:
        inner.watch(x)
        score = tf.nn.tanh(x @ weights[0]) @ weights[1]
      slope = inner.gradient(score, x)
      loss = tf.reduce_mean(score) + tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2)
    for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
      weight.assign_sub(0.1 * gradient)
    return loss, tf.reduce_sum(weights[0] * 2.0)

  plain = [tf.Variable(w) for w in start]
  expected = [float(v) for v in penalised(plain, x)]
  mine = [tf.Variable(w) for w in start]
  step = rtf.function(penalised, strict=True, verify=False)
  for _ in range(200):
    for weight, value in zip(mine, start, strict=True):
      weight.assign(value)
    np.testing.assert_allclose([float(v) for v in step(mine, x)], expected, rtol=1e-5)
    for a, b in zip(mine, plain, strict=True):
      np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5)


def test_threads_share_one_function():
  total = tf.Variable(0)

  @rtf.function(verify=False)
  def add(x):
    total.assign_add(x)
    return x + 1

  def work():
    for _ in range(25):
      assert int(add(tf.constant(2))) == 3

  threads = [threading.Thread(target=work) for _ in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert int(total) == 200


def test_inside_a_tf_function_it_is_plain_python():
  weight = tf.Variable(1.0)

  @rtf.function
  def step(x):
    weight.assign_add(x)
    return weight * 2.0

  outer = tf.function(lambda x: step(x) + 1.0, autograph=False)
  assert [float(outer(tf.constant(1.0))) for _ in range(2)] == [5.0, 7.0]


def test_arguments_do_not_stay():
  f = rtf.function(lambda batch: batch["x"] + batch["y"], strict=True, verify=False)
  kept = []
  for i in range(3):
    x, y = tf.constant([float(i)] * 100), tf.constant([1.0] * 100)
    kept.append(weakref.ref(x))
    f({"x": x, "y": y})
  del x
  gc.collect()
  assert sum(ref() is not None for ref in kept) <= 1  # The last conversion's, if any.


def _taped(function, variable, xs):
  found = []
  for x in xs:
    with tf.GradientTape() as tape:
      tape.watch(x)
      result = function(x)
    gradients = tape.gradient(result, [variable, x])
    found.append([None if g is None else g.numpy().tolist() for g in gradients])
  return found


def _clipped(variable, x):
  variable.assign(tf.clip_by_value(variable, -1.5, 1.5))
  return tf.reduce_sum(variable * x)


def _subtracted(variable, x):
  variable.assign_sub(x)
  return tf.reduce_sum(variable)


def _scattered(variable, x):
  variable.scatter_nd_update([[0]], x[:1])
  return tf.reduce_sum(variable * x)


def _only_after(variable, x):
  loss = tf.reduce_sum(variable * x)
  variable.assign_sub(0.1 * x)
  return loss


@pytest.mark.parametrize("update", [_clipped, _subtracted, _scattered, _only_after])
@pytest.mark.parametrize("verify", [None, False])
def test_a_tape_outside_sees_the_variable_and_not_what_was_written(update, verify):
  xs = [tf.constant([1.0, 2.0])] * 3
  plain, variable = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
  expected = _taped(lambda x: update(plain, x), plain, xs)
  function = rtf.function(lambda x: update(variable, x), verify=verify)
  assert _taped(function, variable, xs) == expected
  assert (function.stats.num_converted_runs == 3) == (update is _only_after)


@pytest.mark.parametrize("kind", ["layer", "variable"])
def test_a_tape_around_a_keras_layer_is_no_difference(kind):
  keras.utils.set_random_seed(3)
  layer = keras.layers.Dense(2)
  layer.build([None, 2])

  @rtf.function
  def forward(x):
    return tf.reduce_sum(layer(x) ** 2 if kind == "layer" else x @ layer.kernel)

  for x in ([[1.0, 2.0]], [[0.5, -1.0]]):
    _taped(forward, layer.kernel.value, [tf.constant(x)])
  assert forward.stats.num_converted_runs == 2
  assert forward.stats.num_verified_runs >= 1


def test_what_the_graph_prints_is_printed_once(tmp_path):
  path = tmp_path / "printed"
  stream = f"file://{path}"
  count = tf.Variable(0.0)

  @rtf.function(verify=True)
  def step(x):
    count.assign_add(x)
    tf.print(count, output_stream=stream)
    return x

  for _ in range(3):
    step(tf.constant(1.0))
  assert path.read_text().split() == ["1", "2", "3"]
  assert step.stats.num_converted_runs == 3

  @rtf.function(verify=False)
  def both(x):
    print("first")
    tf.print("second", output_stream=stream)
    return x

  both(tf.constant(1.0))
  assert Reason.EFFECT_ORDER in both.stats.fallbacks


_MSE = keras.losses.MeanSquaredError()


@pytest.mark.parametrize(
  "loss, shapes",
  [
    (
      _MSE,
      [[(4, 3), (4, 3)], [(2, 3), (2, 3)], [(5, 3), (5, 3)], [(0, 3), (0, 3)], [(1, 3), (1, 3)]],
    ),
    (_MSE, [[(4, 1), (4, 1)], [(4,), (4, 1)], [(3, 2), (3, 2)], [(3,), (3, 1)]]),
    (keras.losses.cosine_similarity, [[(2, 3), (2, 3)], [(4, 2), (4, 2)], [(4,), (4, 1)]]),
    (
      lambda y, p: _MSE(y[y > 0.5], p[y > 0.5]),  # Of as many as the run selects, also none.
      [[(3,), (3,)], [(5,), (5,)], [(1,), (1,)], [(2,), (2,)]],
    ),
  ],
)
def test_sizes_by_which_keras_decides_are_not_left_open(loss, shapes):
  rng = np.random.default_rng(3)
  function = rtf.function(lambda y, p: loss(y, p), verify=False)
  for pair in shapes:
    y, p = (tf.constant(rng.uniform(size=shape), tf.float32) for shape in pair)
    for labels in (y, y * 0.0):
      expected, found = loss(labels, p), function(labels, p)
      assert found.shape == expected.shape
      np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_checked_runs_compare_variables_of_strings():
  text = tf.Variable(["a", "b"])

  @rtf.function
  def step(x):
    text.assign([x, "c"])
    return x

  step(tf.constant("z"))
  assert step.stats.num_converted_runs == step.stats.num_verified_runs == 1


class _State:
  def __init__(self, h):
    self.h = h


def test_a_branch_that_no_graph_can_have_is_left_out_and_told():
  lines, weight = [], tf.Variable(0.0)

  @rtf.function(verify=False)
  def step(x):
    weight.assign_add(x)
    if weight > 5.0:
      lines.append(f"{weight.numpy():.0f}")
      weight.assign(0.0)
    return weight + 1.0

  assert [float(step(tf.constant(2.0))) for _ in range(7)] == [3, 5, 1, 3, 5, 1, 3]
  assert lines == ["6", "6"] and float(weight) == 2.0
  assert (step.stats.num_converted_runs, step.stats.num_fallback_runs) == (5, 2)
  assert step.stats.num_graphs == 1
  assert "left out, and checked by each run:" in str(step.explain())


def test_two_branches_that_do_not_fit_are_two_graphs():
  first = _State(tf.zeros([]))
  model = types.SimpleNamespace(state=first)

  @rtf.function(verify=False)
  def step(x):
    if x > 0.0:
      model.state = _State(model.state.h + x)
    return model.state.h

  assert [float(step(tf.constant(x))) for x in (-1.0, -1.0)] == [0, 0]
  assert model.state is first  # Not another one that looks like it.
  assert [float(step(tf.constant(x))) for x in (1.0, -1.0, 2.0)] == [1, 1, 3]
  assert model.state is not first
  assert step.stats.num_graphs <= 3 and step.stats.num_fallback_runs == 0


def test_a_branch_left_out_that_is_always_taken_is_given_up():
  seen = []

  @rtf.function(verify=False)
  def step(x):
    if x > 0.0:
      repr(x)  # Of which a graph knows nothing.
      seen.append(float(x))
    return x * 2.0

  for i in range(1, 13):
    assert float(step(tf.constant(float(i)))) == 2.0 * i
  assert seen == [float(i) for i in range(1, 13)]
  assert step.stats.num_converted_runs == 0
  assert float(step(tf.constant(-1.0))) == -2.0


def test_a_branch_that_makes_its_variable_at_first_is_part_of_the_graph_from_then_on():
  model = types.SimpleNamespace(total=None)

  @rtf.function(verify=False)
  def step(x):
    if x > 0.0:
      return x * 2.0
    if model.total is None:
      model.total = tf.Variable(0.0)
    model.total.assign_add(x)
    return model.total * 1.0

  found = [float(step(tf.constant(x))) for x in (1.0, -1.0, -2.0, 3.0, -4.0)]
  assert found == [2, -1, -3, 6, -7]
  assert (step.stats.num_converted_runs, step.stats.num_fallback_runs) == (4, 1)


def test_two_branches_of_which_one_is_built_later_are_two_graphs():
  layer = tf.keras.layers.Dense(1, kernel_initializer="ones")

  @rtf.function(verify=False)
  def step(x):
    return [x, layer(x)] if tf.reduce_sum(x) > 0.0 else x

  inputs = [tf.fill([1, 1], x) for x in (-1.0, 1.0, 2.0, -1.0, 3.0)]
  found = [np.ravel(step(x)).tolist() for x in inputs]
  assert found == [[-1], [1, 1], [2, 2], [-1], [3, 3]]
  assert (step.stats.num_converted_runs, step.stats.num_fallback_runs) == (4, 1)


def test_strict_raises_where_a_branch_is_left_out_and_taken():
  seen = []

  @rtf.function(strict=True, verify=False)
  def step(x):
    if x > 0.0:
      repr(x)  # Of which a graph knows nothing.
      seen.append(float(x))
    return x * 2.0

  assert float(step(tf.constant(-1.0))) == -2.0
  with pytest.raises(rtf.ConversionRefused) as refused:
    step(tf.constant(1.0))
  assert refused.value.reason is not Reason.CHECK_FAILED
  assert seen == []  # As where there is no graph at all: Python has not run either.


@pytest.mark.slow
def test_a_loop_whose_only_end_no_graph_can_have_is_refused_soon():
  lines = []

  @rtf.function(verify=False)
  def step(x):
    while True:
      x = x * 2.0
      if tf.reduce_sum(x) > 100.0:
        lines.append(f"{x.numpy()}")
        return x

  begin = time.process_time()
  assert [float(step(tf.constant([1.0]))[0]) for _ in range(2)] == [128.0] * 2
  assert time.process_time() - begin < 5.0  # Unrolled, with an end left out a turn: half a minute.
  assert step.stats.num_fallback_runs == 2 and len(lines) == 2


def test_a_left_out_branch_is_compared_with_plain_python():
  weight = tf.Variable(1.0)
  parts = {"a": 0}

  @rtf.function(verify=True)
  def step(x):
    weight.assign(weight * x)
    if x > 2.0:
      repr(x)  # Of which a graph knows nothing.
      parts["a"] += int(x)
    return weight * 1.0

  assert [float(step(tf.constant(x))) for x in (2.0, 3.0, 2.0)] == [2, 6, 12]
  assert parts == {"a": 3} and float(weight) == 12.0
  assert step.stats.num_verified_runs == 2


def test_a_loss_that_begins_as_a_number_has_gradients_through_a_loop_of_the_graph():
  weights = tf.Variable(tf.eye(3) * 0.5)

  def step(xs):
    with tf.GradientTape() as tape:
      h, loss = tf.zeros([2, 3]), 0.0
      for t in range(xs.shape[0]):
        h = tf.tanh(xs[t] + h @ weights)
        loss += tf.reduce_sum(h)
    return tape.gradient(loss, weights)

  function = rtf.function(step, strict=True, verify=False)
  for length in (3, 2, 4, 5):
    xs = tf.ones([length, 2, 3])
    np.testing.assert_allclose(function(xs), step(xs), rtol=1e-5)
  assert function.stats.num_graphs == 2


def test_a_loop_that_may_end_early_may_leave_a_tape_behind():
  weight = tf.Variable(1.0)

  def learn(limit):
    for _ in range(3):
      with tf.GradientTape() as tape:
        loss = weight**2
      if loss < limit:
        break
      weight.assign_sub(0.25 * tape.gradient(loss, weight))
    return loss

  function = rtf.function(learn, strict=True, verify=False)
  for limit in (0.0, 0.1, 2.0):
    weight.assign(1.0)
    expected = learn(tf.constant(limit)), weight.numpy()
    weight.assign(1.0)
    np.testing.assert_allclose((function(tf.constant(limit)), weight), expected, rtol=1e-6)


@pytest.mark.parametrize("verify", [False, True])
def test_a_tuple_in_an_attribute_of_a_module(verify):
  class Stack(tf.Module):
    def __init__(self):
      super().__init__()
      self.weights = tf.Variable([1.0]), tf.Variable([2.0])  # tf.Module makes a proxy of it.

    @rtf.function(strict=True, verify=verify)
    def __call__(self, x):
      for weight in self.weights:
        x = x * weight
      self.weights[0].assign_add([1.0])
      return x

  stack = Stack()
  assert [float(stack(tf.ones([1]))[0]) for _ in range(3)] == [2.0, 4.0, 6.0]


def test_tf_nest_keeps_the_order_of_dicts_and_calls():
  def step(a, b):
    seen = []

    def double(x):
      seen.append(x)
      return x * 2.0

    batch = {"z": a, "b": [b, (a + b, {})], "a": 3}
    found = tf.nest.map_structure(double, batch)
    return found, seen, tf.nest.flatten(batch), list(found)

  args = tf.constant([1.0]), tf.constant([2.0])
  found = rtf.function(step, strict=True, verify=True)(*args)
  expected = step(*args)
  tf.nest.assert_same_structure(found, expected)
  described = [[np.asarray(v).tolist() for v in tf.nest.flatten(one)] for one in (found, expected)]
  assert described[0] == described[1]
  assert found[3] == ["z", "b", "a"]


def test_tf_nest_of_a_list_that_the_function_changes_is_python():
  def step(x):
    xs = [x, x + 1.0]

    def grow(y):
      xs.append(y)
      return y

    return tf.nest.map_structure(grow, xs)

  f = rtf.function(step, verify=False)
  with pytest.raises(ValueError):  # As Python has it: more leaves than it began with.
    f(tf.ones([1]))
  assert f.stats.num_converted_runs == 0


def test_a_partial_function():
  w = tf.Variable([1.0])

  def step(scale, x, shift=0.0):
    w.assign_add(x * scale)
    return w + shift

  partial = functools.partial(step, 2.0, shift=1.0)
  f = rtf.function(partial, strict=True, verify=True)
  found = [float(f(tf.ones([1]))[0]), float(f(tf.ones([1]), shift=5.0)[0])]
  partial.keywords["shift"] = 3.0  # Of Python's partial, too, this is what the next call is given.
  found.append(float(f(tf.ones([1]))[0]))
  assert (found, float(w[0]), f.__name__) == ([4.0, 10.0, 10.0], 7.0, "step")
  assert f.python is partial


def test_a_refused_function_calls_decorated_ones_as_graphs():
  inner = rtf.function(lambda x: tf.tanh(x) * 2.0, verify=False)

  @rtf.function
  def outer(x):
    class Unsupported:
      pass

    return inner(x) + inner(x + 1.0)

  for _ in range(3):
    outer(tf.ones([2]))
  assert (outer.stats.num_converted_runs, outer.stats.num_fallback_runs) == (0, 3)
  assert (inner.stats.num_converted_runs, inner.stats.num_fallback_runs) == (6, 0)
