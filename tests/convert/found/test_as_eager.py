"""Lists, bools and floats that a graph would take, and eager execution takes otherwise or not."""

import array
import itertools

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

_VALUES = {
  "True": True,
  "1": 1,
  "1.5": 1.5,
  "int64": np.int64(2),
  "int32": np.int32(2),
  "float64": np.float64(2.5),
  "float32": np.float32(2.5),
  "uint8": np.uint8(2),
  "bool": np.bool_(True),
  "tensor int32": tf.constant(2),
  "tensor int64": tf.constant(2, tf.int64),
  "tensor float32": tf.constant(2.5),
  "tensor bool": tf.constant(True),
  "tensor uint8": tf.constant(2, tf.uint8),
}
_FUNCTIONS = {
  "stack": lambda a, b: tf.stack([a, b]),
  "constant": lambda a, b: tf.constant([a, b]),
  "constant of floats": lambda a, b: tf.constant([a, b], dtype=tf.float32),
  "constant of doubles": lambda a, b: tf.constant([[a], (b,)], tf.float64),
  "constant of ints": lambda a, b: tf.constant([a, b], tf.int32),
  "reduce_sum": lambda a, b: tf.reduce_sum([a, b]),
  "list + ints": lambda a, b: [a, b] + tf.constant([1, 2]),
  "floats + list": lambda a, b: tf.constant([1.0, 2.0]) + [a, b],
  "zeros": lambda a, b: tf.zeros([a, b]),
  "fill": lambda a, b: tf.fill([a], b),
  "tile": lambda a, b: (tf.tile([1, 2], [a]), b),
  "reshape": lambda a, b: tf.reshape(tf.range(4), [a, b]),
  "cast": lambda a, b: tf.cast([a, b], tf.float32),
  "add": lambda a, b: a + b,
  "ge": lambda a, b: a >= b,
  "pow": lambda a, b: a**b,
  "maximum": lambda a, b: tf.maximum(a, b),
  "equal": lambda a, b: tf.equal(a, b),
  "range": lambda a, b: tf.range(a, b),
  "eye": lambda a, b: (tf.eye(a), b),
  "int and float": lambda a, b: (int(a), float(b)),
}
_PAIRS = list(itertools.product(_VALUES, _VALUES))


def _outcome(function, *args):
  try:
    found = function(*args)
  except Exception as error:
    return type(error).__name__
  parts = found if isinstance(found, tuple) else (found,)
  return [
    (type(part), getattr(part, "dtype", None), np.asarray(part).astype(np.float64).tolist())
    for part in parts
  ]


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("name", _FUNCTIONS)
def test_pairs_are_taken_as_in_eager_execution(name, part):
  function = _FUNCTIONS[name]
  differing = []
  for pair in _PAIRS[part::4]:
    values = [_VALUES[kind] for kind in pair]
    plain = _outcome(function, *values)
    ours = _outcome(rtf.function(function, verify=False), *values)
    if plain != ours and not (isinstance(plain, str) and isinstance(ours, str)):
      differing.append((*pair, plain, ours))
  assert not differing


def _stacked_iterator(x):
  return tf.stack(reversed([x, x * 2.0]))


def _list_after_iterator(x):
  return reversed([1, 2]) + [2, 1]


def _class_of_iterator(x):
  return isinstance(map(str, [1]), list), type(zip([1], [1], strict=True)) is list


def _view_as_tensor(x):
  return tf.convert_to_tensor({"a": x}.values())


def _view_and_list(x):
  return {"a": x}.values() + [x]


def _length_of_iterator(x):
  return len(reversed([1, 2]))


def _item_of_iterator(x):
  return reversed([x, x * 2.0])[0]


def _whole_tensor_with_an_axis(x):
  return int(x[:1])


def _truth_of_text(x):
  return 1 if tf.constant("a") else 2


def _slice_by_tensor(x):
  return [5, 6, 7][: x[0]]


def _text_by_tuple(x):
  text = "ab"
  return text[..., 0]


@pytest.mark.parametrize(
  "function",
  [
    _stacked_iterator,
    _list_after_iterator,
    _class_of_iterator,
    _view_as_tensor,
    _view_and_list,
    _length_of_iterator,
    _item_of_iterator,
    _whole_tensor_with_an_axis,
    _truth_of_text,
    _slice_by_tensor,
    _text_by_tuple,
  ],
)
@pytest.mark.parametrize("decorator", [rtf.function, rtf.recursive])
def test_what_python_refuses_is_refused(function, decorator):
  x = tf.constant([1.0, 2.0])
  ours = decorator(function, verify=False)
  assert _outcome(ours, x) == _outcome(function, x)
  assert not any(reason.code == "internal-error" for reason in ours.stats.fallbacks)


def test_iterators_are_taken_where_python_takes_them():
  weight = tf.Variable([1.0, 2.0])
  optimizer = tf.keras.optimizers.SGD(0.5)
  optimizer.build([weight])

  @rtf.function(strict=True)
  def step(x):
    with tf.GradientTape() as tape:
      loss = sum(a * b for a, b in zip([1.0, 2.0], [tf.reduce_sum(weight * x), x[0]], strict=True))
    optimizer.apply_gradients(zip(tape.gradient(loss, [weight]), [weight], strict=True))
    totals = tf.add_n(part for part in [x, x]), tf.add_n({"a": x}.values())
    return loss, totals, list(reversed([1, 2])), sorted(zip([2, 1], [3, 4], strict=True))

  loss, totals, backwards, pairs = step(tf.constant([1.0, 2.0]))
  assert (float(loss), backwards, pairs) == (7.0, [2, 1], [(1, 4), (2, 3)])
  np.testing.assert_array_equal(totals[0], [2.0, 4.0])
  np.testing.assert_array_equal(weight, [0.5, 1.0])


def test_a_printed_variable_looks_as_in_python(capsys):
  variable = tf.Variable(2)

  def show(x):
    print("v", variable, f"{variable}")
    return x

  show(1)
  expected = capsys.readouterr().out
  rtf.function(show, verify=False)(1)
  assert capsys.readouterr().out == expected


def test_and_or_of_variables_give_the_variables():
  variable, other = tf.Variable(2.0), tf.Variable(0.0)
  function = rtf.function(lambda x: (variable or 7, other and x, x and variable), verify=False)
  first, second, third = function(tf.constant(1.0))
  assert first is variable and second is other and third is variable


def test_a_tape_watches_no_number():
  def watch(n, x):
    with tf.GradientTape() as tape:
      tape.watch(n)
      y = n * x
    return y

  with pytest.raises(ValueError, match="not tf.Tensor"):
    rtf.function(watch, verify=False)(3, tf.constant(2.0))


@pytest.mark.parametrize("reduce", [tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_any])
@pytest.mark.parametrize("x", [[1, 2], [[1, 2], [3, 4]]])
def test_an_axis_that_a_tensor_does_not_have_is_an_error(reduce, x):
  x = tf.cast(x, tf.bool if reduce is tf.reduce_any else tf.float32)

  def step(x, axis):
    return reduce(x, axis=axis), reduce(x, axis), reduce(input_tensor=x, axis=axis)

  ours = rtf.function(step, verify=False)
  for axis in (0, -1, 1, 2, -3):
    assert _outcome(lambda v, axis=axis: ours(v, axis), x) == _outcome(
      lambda v, axis=axis: step(v, axis), x
    )


@pytest.mark.parametrize(
  "loss",
  [
    tf.keras.losses.BinaryCrossentropy(),
    tf.keras.losses.categorical_crossentropy,
    tf.keras.losses.MeanSquaredError(),
    lambda y, p: tf.keras.losses.binary_crossentropy(y_true=y, y_pred=p),
  ],
)
def test_a_loss_of_one_row_beside_several_is_what_it_is_in_eager_execution(loss):
  def step(y, p):
    return tf.reduce_mean(loss(y, p))

  ours = rtf.function(step, verify=False)
  for rows in ((5, 5), (3, 3), (4, 4), (1, 3), (3, 1), (1, 1), (1, 4), (2, 4)):
    y, p = tf.ones([rows[0], 2]), tf.fill([rows[1], 2], 0.7)
    assert _outcome(lambda v, p=p: ours(v, p), y) == _outcome(lambda v, p=p: step(v, p), y), rows


@pytest.mark.parametrize(
  "value",
  [
    *(bytearray(b"ab"), memoryview(b"ab"), array.array("d", [1.0]), array.array("i", [1])),
    *([np.array(1.0)], [np.array(1)], [np.array([1.0])], [1, 1j], [1j, 2j]),
  ],
  ids=lambda value: f"{type(value).__name__}-{np.asarray(value).dtype}",
)
@pytest.mark.parametrize(
  "function", [tf.constant, tf.convert_to_tensor, tf.stack, tf.reduce_sum, tf.size]
)
def test_what_a_graph_takes_for_another_type(function, value):
  def call(x):
    return function(value), x

  converted = rtf.function(call, verify=False)
  for _ in range(2):
    assert _outcome_of(converted) == _outcome_of(call)


def _outcome_of(function):
  try:
    found, _ = function(tf.constant(1.0))
  except Exception as error:
    return type(error).__name__
  return found.dtype, found.numpy().tolist()
