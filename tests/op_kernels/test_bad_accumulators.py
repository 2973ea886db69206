"""Accumulators, products and optimizer steps that do not fit are errors, none ends the process."""

import pytest
import tensorflow as tf

from recursive_tf._ops import kernels
from tests.op_kernels import raw

INVALID = tf.errors.InvalidArgumentError
LARGE = 1 << 40
PAIR = tf.TensorSpec([2], tf.float32)


def accumulate(slot=0, capture=None, **attributes):
  """Adds [1, 1] to accumulator `slot` of a backward run with one for a [2] capture."""
  capture = tf.zeros([2]) if capture is None else capture
  forward = raw.body(lambda frame, x, c: x + 1.0, raw.FLOAT, tf.TensorSpec(None, capture.dtype))
  run = raw.launch([forward], captures=[capture], num_captures=[1], keeps_residuals=True).run

  def backward(frame, dy):
    add = kernels.recursive_tf_accumulate_dense(frame, tf.ones([2]), slot=slot)
    with tf.control_dependencies([add]):
      return tf.identity(dy)

  defaults = {"num_slots": [1], "slot_kinds": ["dense"], "slot_captures": [0]}
  defaults |= {"slot_shapes": [raw.ANY], "Tslots": [tf.float32]}
  return raw.launch_backward(run, [raw.body(backward)], **defaults | attributes)


def test_an_accumulator_works_as_it_is_called_here():
  assert accumulate().slots[0].numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
  "arguments, message",
  [
    ({"slot": -1}, "accumulator -1 of 1"),
    ({"slot": 1}, "accumulator 1 of 1"),
    ({"slot_captures": [9]}, "gradient of capture 9 of 1"),
    ({"slot_captures": [-1]}, "gradient of capture -1 of 1"),
    ({"Tslots": [tf.int32]}, "not a dense accumulator"),
    ({"slot_kinds": ["slices"], "Tslots": [tf.float32, tf.int64]}, "not a dense accumulator"),
    ({"slot_kinds": ["heap"]}, "accumulator kind 'heap'"),
    ({"capture": tf.zeros([3])}, "must have the reference's"),
  ],
)
def test_an_accumulator_that_is_not_there_is_an_error(arguments, message):
  with pytest.raises((INVALID, tf.errors.InternalError), match=message):
    accumulate(**arguments)


@pytest.mark.parametrize("kind, types", [("dense", [tf.string]), ("slices", [tf.float32] * 2)])
def test_nothing_added_is_no_zero_of_a_type_without_one(kind, types):
  types = [tf.string if kind == "slices" else types[0], *types[1:]]
  with pytest.raises(tf.errors.UnimplementedError, match="gradients of type string"):
    raw.launch_backward(
      raw.trained(),
      num_slots=[1],
      slot_kinds=[kind],
      slot_captures=[0],
      slot_shapes=[tf.TensorShape([2])],
      Tslots=types,
    )


def test_a_variable_of_unknown_shape_is_one_handle():
  variable = tf.Variable([1.0, 2.0])
  with pytest.raises(INVALID, match="a variable is one handle"):
    accumulate(capture=tf.stack([variable.handle, variable.handle]))


@pytest.mark.parametrize("rows", [2, LARGE])
def test_products_too_large_for_a_shape_are_errors(rows):
  with pytest.raises(INVALID):
    kernels.recursive_tf_weight_mat_mul(tf.zeros([LARGE, 0]), tf.zeros([0, LARGE]), [])
  with pytest.raises(INVALID):
    kernels.recursive_tf_row_product(tf.zeros([0, LARGE]), tf.zeros([0, LARGE]))
  empty = kernels.recursive_tf_weight_mat_mul(tf.zeros([rows, 0]), tf.zeros([0, 0]), [])
  assert empty.shape[1] == 0


def test_gates_with_several_biases_are_an_error_in_graphs_too():
  @tf.function
  def gradients():
    one = tf.zeros([2, 1])
    return kernels.recursive_tf_lstm_gates_grad(tf.zeros([2, 4]), [one], one, one, one, 2)

  with pytest.raises(INVALID, match="more than one bias"):
    gradients()


@pytest.mark.parametrize("index", [-1, 1, 1 << 40])
def test_a_row_that_is_not_there_is_an_error_and_nothing_is_written(index):
  weights, sums = tf.Variable([[1.0, 2.0]]), tf.Variable([[1.0, 2.0]])
  index = tf.constant([0, index], tf.int64)
  with pytest.raises(INVALID, match="is not in"):
    kernels.recursive_tf_apply_adagrad_rows(
      weights.handle, sums.handle, 1.0, 1.0, tf.ones([2, 2]), index
    )
  assert weights.numpy().tolist() == [[1.0, 2.0]]


def test_no_handle_is_an_error():
  variable = tf.Variable([1.0])
  none = tf.stack([variable.handle])[:0]
  with pytest.raises(INVALID, match="(?i)empty resource handle"):
    kernels.recursive_tf_apply_adagrad(none, variable.handle, 1.0, 1.0, 0.0, [1.0])
