"""Bodies are cut where frames have to wait, and nowhere else."""

import tensorflow as tf

import recursive_tf as rtf


def tree_program(scheduler="batched"):
  """Returns a SubGraph with a state and a loss: what goes up first, and what can wait."""
  weights = tf.Variable(tf.ones([4, 2]))
  left, right = tf.constant([1, -1, -1]), tf.constant([2, -1, -1])
  with rtf.SubGraph("tree", scheduler=scheduler, outputs=specs()) as f:
    i = f.input(tf.int32)

    def leaf():
      return tf.ones([1, 2]), tf.zeros([])

    def inner():
      (a, a_loss), (b, b_loss) = f(left[i]), f(right[i])
      return tf.tanh(tf.matmul(tf.concat([a, b], 1), weights)), a_loss + b_loss

    state, below = tf.cond(left[i] < 0, leaf, inner)
    f.output((state, below + tf.reduce_sum(tf.square(state))))
  return f


def specs():
  return tf.TensorSpec([1, 2]), tf.TensorSpec([])


def ops_of(explanation):
  return {block.name: block.ops for block in explanation.blocks}


def test_losses_do_not_hold_up_states():
  ops = ops_of(tree_program().explain())
  cell = next(found for found in ops.values() if "MatMul" in found)
  assert "AddV2" not in cell
  head = next(found for found in ops.values() if "Square" in found)
  assert "AddV2" not in head and "Tanh" not in head


def test_constants_are_no_blocks():
  with rtf.SubGraph("constants") as f:
    x = f.input(tf.float32)
    f.output(x * tf.constant(2.0) * tf.exp(tf.constant(3.0)))
  (block,) = f.explain().blocks
  assert block.ops == ("Mul", "Mul")


def test_what_a_later_block_needs_of_a_table_is_read_there():
  table = tf.ones([3, 5])
  with rtf.SubGraph("late", outputs=tf.TensorSpec([1, 5])) as f:
    i = f.input(tf.int32, [1])
    row = tf.gather(table, i)
    below = tf.cond(i[0] > 0, lambda: f(i - 1), lambda: tf.zeros([1, 5]))
    f.output(below + row)
  ops = ops_of(f.explain())
  assert "GatherV2" in next(found for found in ops.values() if "AddV2" in found)


def test_explain_names_serial_ops_with_place_and_reason():
  with rtf.SubGraph("noisy") as f:
    x = f.input(tf.float32, [3])
    f.output(x * 2.0 + tf.random.normal([3]))
  explanation = f.explain()
  assert explanation.scheduler == "batched"
  (op,) = explanation.serial_ops
  assert op.type == "RandomStandardNormal"
  assert op.location.startswith("test_cut.py:")
  assert "frame" in op.reason
  assert "test_cut.py:" in str(explanation)


def test_explain_says_why_a_body_is_not_batched():
  with rtf.SubGraph("lists", outputs=tf.TensorSpec([])) as f:
    n = f.input(tf.int32)

    def inner():
      array = tf.TensorArray(tf.float32, 2)
      _, array = tf.while_loop(
        lambda i, a: i < 2, lambda i, a: (i + 1, a.write(i, f(n - 1))), (0, array)
      )
      return tf.reduce_sum(array.stack())

    f.output(tf.cond(n > 0, inner, lambda: 1.0))
  explanation = f.explain()
  assert explanation.scheduler == "concurrent"
  assert "TensorArray" in explanation.reason and "test_cut.py:" in explanation.reason
  assert float(f(3)) == 8.0


def test_explain_says_what_was_asked_for():
  explanation = tree_program("concurrent").explain()
  assert explanation.scheduler == "concurrent"
  assert "asked" in explanation.reason
