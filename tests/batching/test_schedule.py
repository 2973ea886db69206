"""What a recorded schedule says about the frames of each step."""

import tensorflow as tf

import recursive_tf as rtf

COUNTS = (3, 0, 5, 1)


def powers():
  """A SubGraph that multiplies x [1, 2] with a matrix n times; and the matrix."""
  weights = tf.Variable([[0.5, 0.1], [0.2, 0.5]])
  with rtf.SubGraph("powers") as f:
    n, x = f.input(tf.int32), f.input(tf.float32, [1, 2])
    f.output(tf.cond(n <= 0, lambda: x, lambda: tf.tanh(f(n - 1, x) @ weights)))
  return f, weights


def call(f):
  return tf.reduce_sum(f.map(tf.constant(COUNTS), tf.ones([len(COUNTS), 1, 2])))


def frames(step):
  return step.block, step.trees.tolist(), step.depths.tolist()


def test_a_step_of_the_backward_pass_is_of_the_frames_of_the_step_that_it_goes_back():
  f, weights = powers()
  with rtf.record_schedule() as schedule, tf.GradientTape() as tape:
    y = call(f)
    tape.gradient(y, weights)
  trees = []
  for shard in {step.shard for step in schedule.steps}:
    own = [step for step in schedule.steps if step.shard == shard]
    # All multiplications, the last ones first: what takes no part in the gradient has no step.
    products = [frames(s) for s in own if s.block == "powers.false:2" and not s.is_backward]
    backward = [frames(s) for s in own if s.is_backward]
    assert products and list(reversed(products)) == backward
    trees += [tree for _, found, _ in backward for tree in found]
  assert sorted(trees) == sorted(tree for tree, n in enumerate(COUNTS) for _ in range(n))


def test_what_was_recorded_before_is_not_there_again():
  f, weights = powers()
  with rtf.record_schedule() as before, tf.GradientTape() as tape:
    y = call(f)
  with rtf.record_schedule() as nothing:
    pass
  with rtf.record_schedule() as backward:
    tape.gradient(y, weights)
  assert before.steps and not nothing.steps and not backward.steps


def test_the_backward_pass_of_another_run_is_not_added():
  f, weights = powers()
  with rtf.SubGraph("other") as g:
    x = g.input(tf.float32, [2])
    g.output(tf.tanh(x))
  with tf.GradientTape() as tape:
    y = call(f)
  with rtf.record_schedule() as schedule:
    g.map(tf.ones([3, 2]))
    tape.gradient(y, weights)
  # Of which the blocks would have the names of this one's.
  assert {step.block for step in schedule.steps} == {"other"}
  assert not any(step.is_backward for step in schedule.steps)
