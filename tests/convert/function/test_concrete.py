"""`f.concrete(...)`: programs by themselves, saved and loaded, or refused at once."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import ConversionRefused
from recursive_tf.convert.program._graph import Graph


def _model():
  keras.utils.set_random_seed(4)
  return keras.Sequential(
    [
      keras.layers.Input((3,)),
      keras.layers.Dense(4, activation="tanh"),
      keras.layers.BatchNormalization(),
      keras.layers.Dense(2),
    ]
  )


def _scores(model, x, scale=2.0):
  found = model(x, training=False) * scale
  return {"scores": found, "best": tf.argmax(found, axis=-1)}


def _loaded(program, path):
  tf.saved_model.save(program, str(path))
  return tf.saved_model.load(str(path))


def _assert_same(found, expected):
  tf.nest.assert_same_structure(found, expected)
  for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
    assert a.dtype == b.dtype
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


def test_a_model_is_saved_and_loaded(tmp_path):
  model, x = _model(), tf.random.normal([5, 3])
  f = rtf.function(_scores, strict=True)
  program = f.concrete(model, tf.TensorSpec([None, 3]), 3.0)
  _assert_same(program(x, 3.0), _scores(model, x, 3.0))
  loaded = _loaded(program, tmp_path)
  for size in (1, 2, 5):
    _assert_same(loaded(x[:size], 0.5), _scores(model, x[:size], 0.5))
  served = loaded.signatures["serving_default"](x=x, scale=tf.constant(0.5, tf.float64))
  _assert_same(served, _scores(model, x, 0.5))


def test_a_training_step_is_saved_and_trains_where_it_is_loaded(tmp_path):
  model = _model()
  optimizer = keras.optimizers.Adam(0.01)
  optimizer.build(model.trainable_variables)

  def step(model, x, y):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss

  x, y = tf.random.normal([6, 3]), tf.random.normal([6, 2])
  before = [v.numpy() for v in model.weights]
  program = rtf.function(step, strict=True).concrete(model, x, y)
  for variable, value in zip(model.weights, before, strict=True):
    np.testing.assert_array_equal(variable.numpy(), value)  # It was compared, and put back.
  loaded = _loaded(program, tmp_path)
  found = [float(loaded(x, y)) for _ in range(4)]
  assert int(optimizer.iterations) == 0  # The loaded one has variables of its own.
  np.testing.assert_allclose(found, [float(step(model, x, y)) for _ in range(4)], rtol=1e-5)
  assert found[-1] < found[0]


class _Counter(tf.Module):
  def __init__(self):
    super().__init__()
    self.table = tf.Variable(tf.zeros([4]))

  @rtf.function(strict=True)
  def add(self, batch):
    self.table.scatter_nd_add(batch["at"][:, tf.newaxis], batch["by"])
    return self.table * 1.0, tf.reduce_sum(batch["by"])


def test_a_method_with_a_nest_and_a_variable_that_is_read_after_it_was_written(tmp_path):
  counter = _Counter()
  batch = {"by": tf.constant([1.0, 2.0]), "at": tf.constant([3, 1])}
  program = counter.add.concrete(batch)
  loaded = _loaded(program, tmp_path)
  for _ in range(2):
    _assert_same(tuple(loaded(batch)), tuple(program(batch)))
  assert counter.table.numpy().tolist() == [0.0, 4.0, 0.0, 2.0]


def _raise_to(x, n):
  def power(n):
    return tf.ones([]) if n <= 0 else power(n - 1) * x

  return power(n)


def test_recursion_is_saved(tmp_path):
  program = rtf.function(_raise_to, strict=True).concrete(tf.constant(2.0), tf.constant(3))
  loaded = _loaded(program, tmp_path)
  assert [float(loaded(tf.constant(2.0), tf.constant(n))) for n in (0, 1, 10)] == [1.0, 2.0, 1024.0]


def test_what_was_constant_stays_so():
  class Box:
    def __init__(self):
      self.w, self.scale = tf.Variable([2.0]), 3.0

  box = Box()
  f = rtf.function(lambda box, x: box.w * x * box.scale, strict=True)
  program = f.concrete(box, tf.ones([1]))
  box.scale = 5.0
  box.w.assign([4.0])
  assert float(program(tf.ones([1]))[0]) == 12.0
  assert float(f(box, tf.ones([1]))[0]) == 20.0


class _State:
  def __init__(self):
    self.w, self.count, self.last, self.log = tf.Variable(1.0), 0, None, []


def _writes_an_attribute(state, x):
  state.last = x * state.w
  return x


def _writes_a_list(state, x):
  state.log.append(x)
  return x


def _prints(state, x):
  print("x is", x)
  return x * state.w


def _reads_a_number(state, x):
  return x * state.w * state.count


def _leaves_a_branch(state, x):
  if tf.reduce_sum(x) > 100:
    open("/nowhere/to/write", "w").close()
  return x * state.w


def _returns_an_object(state, x):
  return state


def _returns_none(state, x):
  state.w.assign_add(x)


def _stacks_one_twice(state, x):
  return tf.stack([tf.unstack(tf.stack([x, x * state.w]))[1]] * 2)


def _stacks_in_a_branch(state, x):
  y = x * state.w
  return tf.stack([y, y]) if x > 0 else tf.stack([y, x])


@pytest.mark.parametrize(
  ("function", "text"),
  [
    (_writes_an_attribute, "it writes 'last'"),
    (_writes_a_list, "it writes"),
    (_prints, "it prints"),
    (_reads_a_number, "it reads 'count' anew"),
    (_leaves_a_branch, "is left out"),
    (_returns_an_object, "it returns"),
    (_returns_none, "it returns"),
    (_stacks_one_twice, "it stacks one tensor"),
    (_stacks_in_a_branch, "it stacks one tensor"),
  ],
)
def test_what_needs_python_is_refused_at_once(function, text):
  f, state = rtf.function(function, verify=False), _State()
  for count in range(3):
    state.count = count
    f(state, tf.constant(1.0))
  assert f.stats.num_converted_runs, f.explain()
  with pytest.raises(ConversionRefused, match=text):
    f.concrete(state, tf.constant(1.0))


def test_objects_that_are_read_are_refused():
  class Leaf:
    def __init__(self, x):
      self.x = x

  f = rtf.function(lambda leaf, x: leaf.x * x, strict=True)
  with pytest.raises(ConversionRefused, match="it reads objects"):
    f.concrete(Leaf(2.0), tf.ones([2]))


def test_a_table_is_refused():
  keys, values = tf.constant([1, 2]), tf.constant([3, 4])
  table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), 0)
  f = rtf.function(lambda x: table.lookup(x), strict=True)
  assert int(f(tf.constant(2))) == 4
  with pytest.raises(ConversionRefused, match="neither a variable nor a constant"):
    f.concrete(tf.constant(2))


def test_a_program_that_differs_from_python_is_not_given_out(monkeypatch):
  weight = tf.Variable([2.0])
  f = rtf.function(lambda x: x * weight)
  assert float(f.concrete(tf.ones([1]))(tf.ones([1]))[0]) == 2.0
  assert (f.stats.num_verified_runs, f.stats.num_converted_runs) == (1, 0)
  right = Graph.run
  monkeypatch.setattr(Graph, "run", lambda *args: [found + 1.0 for found in right(*args)])
  with pytest.raises(ConversionRefused, match="does not do what plain Python does"):
    rtf.function(lambda x: x * weight).concrete(tf.ones([1]))


def test_what_python_raises_is_raised():
  def f(x, flag):
    if flag == "bad":
      raise KeyError("no such flag")
    return x

  with pytest.raises(ConversionRefused):
    rtf.function(f).concrete(tf.ones([1]), "bad")


def test_a_gradient_through_what_was_written_is_an_error():
  counter = _Counter()
  batch = {"at": tf.constant([3]), "by": tf.constant([1.0])}
  program = counter.add.concrete(batch)
  with tf.GradientTape(), pytest.raises(LookupError, match="Open the tape inside"):
    program(batch)


def test_a_list_that_is_changed_and_a_constant_in_a_dict_are_refused():
  def append(xs):
    xs.append(xs[0] + 1.0)
    return xs[-1]

  f = rtf.function(append, strict=True)
  f([tf.ones([1])])
  with pytest.raises(ConversionRefused, match="Pass tensors"):
    f.concrete([tf.ones([1])])
  f = rtf.function(lambda d: d["x"] if d["flag"] is None else d["x"] + 1.0, strict=True)
  with pytest.raises(ConversionRefused, match="Pass tensors"):
    f.concrete({"x": tf.ones([1]), "flag": None})


def test_open_axes_are_those_of_calls():
  f = rtf.function(lambda x: tf.reduce_sum(x, axis=1), strict=True)
  f(tf.ones([2, 3]))
  f(tf.ones([4, 3]))
  assert f.concrete(tf.ones([5, 3]))(tf.ones([7, 3])).shape == [7]
  with pytest.raises(ValueError, match="number of axes"):
    f.concrete(tf.TensorSpec(None))


_SHIFT, _TWO = tf.Variable([1.0, 2.0]), np.float32(2.0)


def _scaled(x, scale=2.0, flag=True, *, bias=1.0, by=None, times=3):
  y = x * _SHIFT * scale + bias if flag else x
  return y * times if by is None else y * by


@pytest.mark.parametrize("given", [{}, {"scale": 0.5}, {"bias": 0.5, "times": 2}, {"times": 1}])
def test_what_the_function_has_by_default_may_be_left_out(given, tmp_path):
  x = tf.ones([3, 2])
  program = rtf.function(_scaled, strict=True).concrete(tf.TensorSpec([None, 2]), **given)
  loaded = _loaded(program, tmp_path)
  for call in (program, loaded):
    _assert_same(call(x), _scaled(x))
    _assert_same(call(x, 0.25), _scaled(x, 0.25))
    _assert_same(call(x, bias=4.0), _scaled(x, bias=4.0))
    _assert_same(call(x, times=5), _scaled(x, times=5))
  served = loaded.signatures["serving_default"]  # All by name, as TensorFlow has it.
  numbers = {
    "times": tf.constant(2, tf.int64),
    "scale": tf.constant(3.0, tf.float64),
    "bias": tf.constant(2.0, tf.float64),
  }
  _assert_same(served(x=x, **numbers)["output_0"], _scaled(x, 3.0, bias=2.0, times=2))


@pytest.mark.parametrize(
  ("function", "given", "optional"),
  [
    # An int by default is no float, nor a number a tensor: Python would compute something else.
    (lambda x, a=1, b=2.0: x * a * b, {"a": 2.0}, {"b": 2.0}),
    (lambda x, a=1, b=2.0: x * a * b, {"b": 2}, {}),
    (lambda x, a=1, b=2.0: x * a * b, {"b": tf.ones([])}, {}),
    (lambda x, a=1, *, b: x * a * b, {"b": 2}, {}),
    (lambda x, a=1, b=None: x * a, {}, {"a": 1}),
    (lambda x, a=1, b=None: x * a * b, {"b": tf.ones([])}, {}),
    (lambda x, a=_TWO: x * a, {}, {"a": _TWO}),
    (functools.partial(lambda x, a, b: x * a * b, a=1, b=2), {}, {"a": 1, "b": 2}),
  ],
)
def test_a_default_of_another_kind_is_none(function, given, optional):
  program = rtf.function(function, strict=True).concrete(tf.ones([2]), **given)
  parameters = vars(program)["__call__"].function_spec.fullargspec
  names = parameters.args[len(parameters.args) - len(parameters.defaults or ()) :]
  assert dict(zip(names, parameters.defaults or (), strict=True)) == optional
  if function(tf.ones([2]), **given) is not None and optional:
    given = {name: value for name, value in given.items() if name not in optional}
    _assert_same(program(tf.ones([2]), **given), function(tf.ones([2]), **given))


def test_a_default_is_that_of_the_time():
  def f(x, a=1.0):
    return x * a

  made = rtf.function(f, strict=True)
  made(tf.ones([2]))
  f.__defaults__ = (3.0,)
  program = made.concrete(tf.ones([2]))
  f.__defaults__ = (5.0,)
  assert program(tf.ones([2])).numpy().tolist() == [3.0, 3.0]


def test_a_program_is_a_signature_of_another_module(tmp_path):
  model, x = _Counter(), tf.ones([2, 4])
  f = rtf.function(lambda model, x: x + model.table, strict=True)
  program = f.concrete(model, tf.TensorSpec([None, 4]))
  with pytest.raises(ValueError, match=r"pass its get_concrete_function\(\)"):
    tf.saved_model.save(model, str(tmp_path), signatures={"add": program})
  tf.saved_model.save(model, str(tmp_path), signatures={"add": program.get_concrete_function()})
  loaded = tf.saved_model.load(str(tmp_path))
  _assert_same(loaded.signatures["add"](x)["output_0"], f(model, x))


def test_a_loss_of_keras_takes_two_rows_or_more(tmp_path):
  loss = keras.losses.MeanAbsoluteError(reduction="none")
  f = rtf.function(lambda y, x: loss(y, x), strict=True)
  program = f.concrete(tf.TensorSpec([None]), tf.TensorSpec([None, None]))
  y, x = (
    tf.constant([1.0, 2.0, 4.0]),
    tf.constant([[5.0, 3.0, 1.0], [2.0, 0.0, 7.0], [1.0, 1.0, 2.0]]),
  )
  for call in (program, _loaded(program, tmp_path)):
    _assert_same(call(y, x), loss(y, x))
    # Keras takes the axis of 1 away, and does not see that an open one is 1.
    with pytest.raises(tf.errors.InvalidArgumentError, match="two rows or more"):
      call(y, x[:, :1])
  program = f.concrete(tf.TensorSpec([None, 3]), tf.TensorSpec([None, 3]))
  _assert_same(program(x[:1], x[1:2]), loss(x[:1], x[1:2]))
