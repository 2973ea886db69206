"""What can wait does, where there is work in it: it is then done for all frames at once."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf

_LEFT, _RIGHT = [1, 3, -1, -1, -1], [2, 4, -1, -1, -1]  # Two levels: 0 -> (1 -> (3, 4), 2).


def tree_program(summand, scheduler="batched"):
  """Returns a SubGraph that computes states and their losses side by side, in each branch.

  Args:
    summand: what a node adds to the loss, of its state [1, 2].
    scheduler: the scheduler.
  """
  weights = tf.constant([[0.5, -0.25], [0.125, 1.0], [0.75, 0.5], [-0.5, 0.25]])
  left, right = tf.constant(_LEFT), tf.constant(_RIGHT)
  specs = tf.TensorSpec([1, 2]), tf.TensorSpec([])
  with rtf.SubGraph("tree", scheduler=scheduler, outputs=specs) as f:
    i = f.input(tf.int32)
    x = f.input(tf.float32, [1, 2])

    def leaf():
      state = tf.tanh(x)
      return state, summand(state)

    def inner():
      (a, a_loss), (b, b_loss) = f(tf.gather(left, i), x * 0.5), f(tf.gather(right, i), x)
      state = tf.tanh(tf.matmul(tf.concat([a, b], 1), weights))
      return state, a_loss + b_loss + summand(state)

    f.output(tf.cond(tf.gather(left, i) < 0, leaf, inner))
  return f


def head(state):
  return tf.reduce_sum(tf.square(tf.matmul(state, tf.constant([[1.0, 0.5], [0.25, 2.0]]))))


def nothing(state):
  return tf.squeeze(state[:, :1])


def ops_of(f):
  return {block.name: block.ops for block in f.explain().blocks}


def test_a_head_beside_the_cell_is_a_block_of_its_own():
  ops = ops_of(tree_program(head))
  cell = next(found for name, found in ops.items() if "ConcatV2" in found)
  assert "Square" not in cell and "AddV2" not in cell
  above = next(found for name, found in ops.items() if "Square" in found and "true" not in name)
  assert "AddV2" not in above and "MatMul" in above


def test_the_head_of_all_inner_nodes_is_one_step():
  f = tree_program(head)
  name = next(n for n, found in ops_of(f).items() if "Square" in found and "true" not in n)
  with rtf.record_schedule() as schedule:
    f(0, tf.ones([1, 2]))
  steps = [step for step in schedule.steps if step.block == name]
  assert [step.num_rows for step in steps] == [2]


def test_losses_of_children_and_of_the_node_are_added_in_one_block():
  found = [ops for ops in ops_of(tree_program(head)).values() if "AddV2" in ops]
  assert found == [("AddV2", "AddV2")]


def test_without_work_that_can_wait_there_is_one_block():
  ops = ops_of(tree_program(nothing))
  assert sum("AddV2" in found for found in ops.values()) == 1
  assert "ConcatV2" in next(found for found in ops.values() if "AddV2" in found)


@pytest.mark.parametrize("summand", [head, nothing])
def test_values_and_gradients_are_the_same(summand):
  found = []
  for scheduler in ("batched", "concurrent"):
    f = tree_program(summand, scheduler)
    x = tf.constant([[0.3, -0.7]])
    with tf.GradientTape() as tape:
      tape.watch(x)
      state, loss = f(0, x)
      total = tf.reduce_sum(state) + 2.0 * loss
    found.append([state.numpy(), loss.numpy(), tape.gradient(total, x).numpy()])
  for a, b in zip(*found, strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-6)
    assert np.abs(b).max() > 1e-3
