import numpy as np
import pytest
import tensorflow as tf

from recursive_tf.models.optimizer import Adagrad, ParameterGroup, linear_decay

RATE, L2, SUM, EPSILON = 0.2, 0.01, 0.05, 1e-3
ONE = tf.constant(1.0)


def make(values, l2=0.0):
  variable = tf.Variable(tf.constant(values, tf.float64))
  group = ParameterGroup((variable,), RATE, l2)
  return variable, Adagrad([group], initial_sum=SUM, epsilon=EPSILON)


def test_dense_steps_follow_the_formula(mode):
  start = np.random.uniform(-1, 1, [3, 4])
  variable, optimizer = make(start, L2)
  apply = mode(optimizer.apply)
  weights, total = start.copy(), np.full_like(start, SUM)
  for step in range(3):
    gradient = np.random.uniform(-1, 1, start.shape)
    apply([tf.constant(gradient)], tf.constant(1.0 - 0.25 * step))
    regularised = gradient + L2 * weights
    total += regularised**2
    weights -= (1.0 - 0.25 * step) * RATE * regularised / (np.sqrt(total) + EPSILON)
  np.testing.assert_allclose(variable, weights, rtol=1e-6)


def test_sparse_rows_move_as_a_dense_gradient_moves_them(mode):
  start = np.random.uniform(-1, 1, [6, 2])
  sparse, sparse_optimizer = make(start)
  dense, dense_optimizer = make(start)
  apply = mode(sparse_optimizer.apply)
  for rows in ([1, 4, 1, 1], [4, 0]):  # Row 1 occurs three times: it is one gradient.
    slices = tf.IndexedSlices(
      tf.constant(np.random.uniform(-1, 1, [len(rows), 2])), tf.constant(rows), tf.constant([6, 2])
    )
    apply([slices], ONE)
    dense_optimizer.apply([tf.convert_to_tensor(slices)], ONE)
  np.testing.assert_allclose(sparse, dense, rtol=1e-12)
  touched = (sparse.numpy() != start).any(axis=1)
  assert touched.tolist() == [True, True, False, False, True, False]


def test_a_sparse_step_without_rows_changes_nothing():
  variable, optimizer = make(np.ones([3, 2]))
  empty = tf.IndexedSlices(tf.zeros([0, 2], tf.float64), tf.zeros([0], tf.int32))
  optimizer.apply([empty], ONE)
  np.testing.assert_array_equal(variable, np.ones([3, 2]))


def test_groups_have_their_own_rates():
  slow, fast = tf.Variable([1.0]), tf.Variable([1.0])
  groups = [ParameterGroup((slow,), 0.01), ParameterGroup((fast,), 0.1)]
  optimizer = Adagrad(groups, initial_sum=0.0)
  optimizer.apply([tf.constant([2.0]), tf.constant([2.0])], ONE)
  np.testing.assert_allclose([slow[0], fast[0]], [0.99, 0.9], rtol=1e-5)


def test_a_checkpoint_holds_the_sums(tmp_path):
  variable, optimizer = make(np.ones([2, 2]))
  optimizer.apply([tf.ones([2, 2], tf.float64)], ONE)
  path = tf.train.Checkpoint(optimizer=optimizer).save(str(tmp_path / "c"))
  _, fresh = make(np.ones([2, 2]))
  tf.train.Checkpoint(optimizer=fresh).restore(path).assert_existing_objects_matched()
  np.testing.assert_allclose(fresh.sums[0], 1.0 + SUM)


@pytest.mark.parametrize("step, factor", [(0, 1.0), (50, 0.55), (100, 0.1), (150, 0.1)])
def test_learning_rates_fall_linearly(step, factor):
  np.testing.assert_allclose(linear_decay(tf.constant(step), 100.0, 0.1), factor, rtol=1e-6)
