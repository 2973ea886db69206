"""Functions of libraries that read or change what a run does not see are not called for a graph."""

import collections

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, root

NUMBERS = np.arange(4.0)


def visiting(own):
  """Returns `build` for `agrees`: a program that does `own(n)` at each node."""

  def build(recursive):
    @recursive
    def visit(n):
      own(n)
      for k in n.kids:
        visit(k)
      return n.v

    return visit

  return build


def state():
  """Returns the settings that the functions below change."""
  options, errors = np.get_printoptions(), np.geterr()
  return tf.keras.config.epsilon(), options["precision"], errors["divide"], NUMBERS.tolist()


@pytest.fixture
def settings():
  """Puts the settings back to what they were."""
  epsilon, precision, divide, numbers = state()
  yield
  tf.keras.config.set_epsilon(epsilon)
  np.set_printoptions(precision=precision)
  np.seterr(divide=divide)
  NUMBERS[:] = numbers


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize(
  "own, undo",
  [
    (lambda n: tf.keras.config.set_epsilon(1e-3), lambda: tf.keras.config.set_epsilon(1e-7)),
    (lambda n: tf.keras.backend.set_epsilon(1e-3), lambda: tf.keras.backend.set_epsilon(1e-7)),
    (lambda n: np.set_printoptions(precision=3), lambda: np.set_printoptions(precision=8)),
    (lambda n: np.seterr(divide="ignore"), lambda: np.seterr(divide="warn")),
    (lambda n: np.copyto(NUMBERS, 3.0), lambda: np.copyto(NUMBERS, np.arange(4.0))),
    (lambda n: np.add(NUMBERS, 1.0, out=NUMBERS), lambda: np.copyto(NUMBERS, np.arange(4.0))),
    (lambda n: np.add(NUMBERS, 1.0, NUMBERS), lambda: np.copyto(NUMBERS, np.arange(4.0))),
    (lambda n: np.fill_diagonal(NUMBERS[None], 9.0), lambda: np.copyto(NUMBERS, np.arange(4.0))),
  ],
)
def test_what_changes_settings_or_arrays_is_done_at_each_call(own, undo):
  @rtf.recursive(verify=False)
  def visit(n):
    own(n)
    for k in n.kids:
      visit(k)
    return n.v

  visit.python(root())
  after = state()
  for _ in range(3):
    undo()
    visit(root())
    undo()
    visit.python(root())
    expected = state()
    undo()
    visit(root())
    assert state() == expected
  assert after is not None and not visit.stats.num_converted_runs, visit.explain()


@pytest.mark.parametrize(
  "own",
  [
    lambda n: tf.random.set_seed(3),
    lambda n: tf.keras.utils.set_random_seed(3),
    lambda n: tf.keras.backend.get_uid("x"),
    lambda n: tf.io.gfile.exists("/"),
    lambda n: tf.io.gfile.GFile("/nothing/there"),
    lambda n: tf.config.list_physical_devices(),
    lambda n: tf.config.functions_run_eagerly(),
    lambda n: tf.summary.scalar("x", 1.0, step=1),
    lambda n: tf.inside_function(),
    lambda n: tf.get_static_value(tf.constant(n.v)),
    lambda n: tf.TensorArray(tf.float32, 1).write(0, 1.0),
    lambda n: tf.data.Dataset.range(3),
    lambda n: tf.train.latest_checkpoint("/nothing/there"),
    lambda n: np.empty(2),
    lambda n: np.geterr(),
    lambda n: tf.keras.metrics.Mean(),
  ],
)
def test_what_reads_or_changes_the_process_is_refused(own):
  agrees(visiting(own), lambda: [(root(),), (root(),)], Reason.OPAQUE_CALL)


LOG = []


def noting(x):
  """Has an effect, in a function that a library calls."""
  LOG.append(1)
  return x * 2.0


def noting_by_another(x):
  return noting(x) + 1.0


def doubled(x):
  return x * 2.0 * tf.cast(len(LOG) < 10**6, tf.float32)


@pytest.mark.parametrize("function", [noting, noting_by_another])
def test_a_function_with_effects_that_a_library_calls_is_refused(function):
  def total(n):
    h = tf.reduce_sum(tf.map_fn(function, tf.fill([2], float(n.v))))
    for k in n.kids:
      h = h + total(k)
    return h

  LOG.clear()
  expected = total(root())
  count = len(LOG)
  f = rtf.recursive(total, verify=False)
  for i in range(2):
    np.testing.assert_allclose(f(root()), expected)
    assert len(LOG) == (i + 2) * count
  assert f.stats.fallbacks == {Reason.OPAQUE_CALL: 2}
  LOG.clear()


def test_a_function_without_effects_that_a_library_calls_is_converted():
  def build(recursive):
    @recursive
    def total(n):
      h = tf.reduce_sum(tf.map_fn(doubled, tf.fill([2], float(n.v))))
      for k in n.kids:
        h = h + total(k)
      return h

    return total

  agrees(build, lambda: [(root(),), (root(),)], CONVERTED)


@pytest.mark.parametrize("make", [collections.deque, lambda xs: {x: x for x in xs}.values()])
def test_the_length_of_what_is_no_list_is_the_one_at_the_call(make):
  many = make([1, 2])

  @rtf.recursive(verify=False)
  def count(n):
    return len(many) + sum([count(k) for k in n.kids])

  assert count(root()) == count(root()) == 6
  if isinstance(many, collections.deque):
    many.append(3)
    assert count(root()) == 9


def test_arrays_that_the_program_makes():
  def build(recursive):
    @recursive
    def total(n):
      h = tf.reduce_sum(np.ones([2, 3]) * n.v) + tf.reduce_sum(np.full(3, 2.0))
      for k in n.kids:
        h = h + total(k)
      return h

    return total

  agrees(build, lambda: [(root(),), (root(),)])
