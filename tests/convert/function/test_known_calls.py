"""`@rtf.function`: calls that look like ones before take their program, and no other."""

import gc
import weakref

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


class _Model(tf.Module):
  def __init__(self, first=1.0):
    super().__init__()
    self.w, self.rate = tf.Variable([first, 2.0]), 0.5


def _counted(function, **options):
  """Returns a function, and the list of the names of its calls that were classified."""
  found = rtf.function(function, strict=True, verify=False, **options)
  classified = []
  inner = found._classify
  found._classify = lambda values: (classified.append(tuple(values)), inner(values))[1]
  return found, classified


def test_calls_that_look_the_same_are_not_classified_again():
  model = _Model()
  step, classified = _counted(lambda model, x, n, flag: model.w * x * n + (1.0 if flag else 2.0))
  for n in range(1, 5):
    found = step(model, tf.constant([1.0, float(n)]), n, True)
    assert found.numpy().tolist() == [1.0 * n + 1.0, 2.0 * n * n + 1.0]
  assert len(classified) == 1
  assert step(model, tf.constant([1.0, 1.0]), 2, False).numpy().tolist() == [4.0, 6.0]
  assert step(model, np.array([1.0, 1.0], np.float32), 2, False).numpy().tolist() == [4.0, 6.0]
  assert len(classified) == 3


def test_what_compares_equal_and_is_another_type_is_another_call():
  kind, classified = _counted(lambda x, k: x * 0.0 + (3.0 if isinstance(k, bool) else k / 2))
  x = tf.constant([1.0])
  for _ in range(2):
    found = [kind(x, k).numpy().tolist() for k in (True, 1, 1.0, False, 0, -0.0)]
    assert found == [[3.0], [0.5], [0.5], [3.0], [0.0], [0.0]]
  assert len(classified) == 4  # The bools, ints, floats.
  text, _ = _counted(lambda x, k: x if k == "1" else x * 0.0 + len(k))
  assert [text(x, k).numpy().tolist() for k in ("1", b"1", "11", "1")] == [
    [1.0],
    [1.0],
    [2.0],
    [1.0],
  ]


def test_what_is_relied_on_is_compared_in_calls_that_look_the_same():
  model = _Model()
  step, classified = _counted(lambda model, x: model.w * x * model.rate)
  x = tf.constant([1.0, 1.0])
  assert step(model, x).numpy().tolist() == [0.5, 1.0]
  assert step(model, x).numpy().tolist() == [0.5, 1.0]
  model.rate = 2.0
  assert step(model, x).numpy().tolist() == [2.0, 4.0]
  model.w = tf.Variable([3.0, 3.0])
  assert step(model, x).numpy().tolist() == [6.0, 6.0]
  count = len(classified)
  for rate in (1.0, 3.0):
    model.rate = rate
    assert step(model, x).numpy().tolist() == [3.0 * rate] * 2
  assert len(classified) == count


@pytest.mark.slow
def test_another_object_at_the_address_of_one_that_is_gone_is_another_call():
  step, _ = _counted(lambda model, x: model.w * x * model.rate)
  x = tf.constant([1.0, 1.0])
  seen = set()
  for number in range(60):
    model = _Model(float(number))
    came_again = id(model) in seen
    seen.add(id(model))
    for _ in range(20):
      assert step(model, x).numpy().tolist() == [0.5 * number, 1.0]
    if came_again:
      return
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None
  pytest.skip(
    "No address came again: Python's memory is scattered after the tests before this one."
  )


def test_shapes_that_were_there_before_take_the_graph_of_open_shapes():
  step, classified = _counted(lambda x: tf.reduce_sum(x) * 2.0)
  for size in (3, 3, 4, 5, 3, 4):
    assert float(step(tf.ones([size]))) == 2.0 * size
  assert step.stats.num_graphs == 2
  assert len({program.layout.arguments[0].shape[0] for program in step._programs}) == 2
  count = len(classified)
  for size in (3, 4, 5):
    step(tf.ones([size]))
  assert len(classified) == count


def test_a_list_that_no_longer_holds_variables_is_another_call():
  @rtf.function(verify=False)
  def total(parts, x):
    for part in parts:
      x = x + part
    return x

  parts, x = [tf.Variable(1.0), tf.Variable(2.0)], tf.constant(0.0)
  assert [float(total(parts, x)) for _ in range(3)] == [3.0] * 3
  parts[:] = [tf.constant(5.0)]
  assert [float(total(parts, x)) for _ in range(3)] == [5.0] * 3
  parts[:] = [4.0, 3.0]
  assert [float(total(parts, x)) for _ in range(3)] == [7.0] * 3


class _Node:
  def __init__(self):
    self.rate, self.child = 2.0, None

  @rtf.function(verify=False)
  def scaled(self, x):
    return x * self.rate + (0.0 if self.child is None else self.child.rate)


def test_an_owner_that_becomes_a_node_is_another_call():
  node, x = _Node(), tf.constant([1.0])
  assert [node.scaled(x).numpy().tolist() for _ in range(3)] == [[2.0]] * 3
  node.child = _Node()
  assert [node.scaled(x).numpy().tolist() for _ in range(3)] == [[4.0]] * 3
  node.child.rate = 7.0
  assert [node.scaled(x).numpy().tolist() for _ in range(3)] == [[9.0]] * 3
  node.child = None
  assert [node.scaled(x).numpy().tolist() for _ in range(3)] == [[2.0]] * 3


def test_one_tensor_under_two_names_is_plain_python_in_calls_that_look_the_same():
  @rtf.function(verify=False)
  def gradient(x, y):
    with tf.GradientTape() as tape:
      tape.watch(x)
      found = x * y
    return tape.gradient(found, x)

  x, y = tf.constant(3.0), tf.constant(4.0)
  assert [float(gradient(x, y)) for _ in range(3)] == [4.0] * 3
  assert gradient.stats.num_fallback_runs == 0
  assert float(gradient(x, x)) == 6.0
  assert gradient.stats.num_fallback_runs == 1


@pytest.mark.parametrize("is_recorded", [False, True])
def test_a_run_that_fails_in_a_call_that_looks_the_same_is_plain_python(is_recorded):
  model = _Model()

  @rtf.function(verify=False)
  def step(model, x):
    model.w.assign_add([1.0, 1.0])
    return tf.linalg.inv(x)

  good, bad = tf.eye(2), tf.zeros([2, 2])
  for _ in range(2):
    step(model, good)
  with pytest.raises(tf.errors.InvalidArgumentError):
    if is_recorded:
      with tf.GradientTape():
        step(model, bad)
    else:
      step(model, bad)
  assert model.w.numpy().tolist() == [4.0, 5.0]  # Python's own call has written it once.


def test_a_number_beyond_64_bits_in_a_call_that_looks_the_same():
  @rtf.function(verify=False)
  def last_digit(x, n):
    return x + tf.cast(n % 10, tf.float32)

  x = tf.constant(0.0)
  assert [float(last_digit(x, n)) for n in (12, 2**63 - 1, 2**64 + 3, -(2**63))] == [2, 7, 9, 2]


class _Box:
  def __init__(self, x):
    self.x = x


@pytest.mark.parametrize("kind", [list, tuple, dict])
@pytest.mark.parametrize("order", ["data first", "variables first"])
def test_lists_of_objects_are_read_as_they_are_now(kind, order):
  def total(boxes):
    found = tf.constant(0.0)
    for box in boxes.values() if kind is dict else boxes:
      found += box.x * 2.0
    return found

  def given(*boxes):
    return dict(enumerate(boxes)) if kind is dict else kind(boxes)

  variable = tf.Variable(3.0)
  data = given(_Box(tf.constant(1.0)), _Box(tf.constant(2.0)))
  state = given(_Box(variable), _Box(variable))
  mixed = given(_Box(tf.constant(4.0)), _Box(variable))
  calls = [data, state, mixed, data, state]
  if order == "variables first":
    calls.reverse()
  function = rtf.function(total, verify=False)
  for boxes in [*calls, *calls]:
    variable.assign_add(1.0)
    first = next(iter(data.values() if kind is dict else data))
    first.x = first.x + 1.0
    assert float(function(boxes)) == float(total(boxes))
