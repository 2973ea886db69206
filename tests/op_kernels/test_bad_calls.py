"""Concurrent calls as no SubGraph makes them: each is an error, none ends the process.

A kernel that trusts such an op reads or writes memory that is not its own: the tests that expect an
error would not report a failure but be killed.
"""

import pytest
import tensorflow as tf

from tests.op_kernels import raw

INVALID = tf.errors.InvalidArgumentError
OVER = tf.errors.FailedPreconditionError
FAR_TOO_MANY_ROWS = 1 << 40
TWO_FLOATS = tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.float32)


def refused(message, error=INVALID):
  return pytest.raises(error, match=message)


def test_the_ops_work_as_they_are_called_here():
  launched = raw.launch(keeps_residuals=True)
  assert launched.results[0] == 2.0
  assert raw.launch_backward(launched.run).arg_gradients[0] == 2.0
  assert raw.launch_with_caller(lambda frame, x: raw.invoke(frame, x)[0]) == 2.0


@pytest.mark.parametrize(
  "attributes, message",
  [
    ({"num_captures": [3]}, r"malformed RecursiveTf>Launch op: num_captures is \[3\]"),
    ({"num_captures": [-1]}, r"num_captures is \[-1\]"),
    ({"num_captures": []}, "num_captures|minimum"),
    ({"num_captures": [0, 0]}, r"num_captures is \[0, 0\], for 1 bodies"),
    ({"num_results": [1, 1]}, "2 num_results, 1 bodies"),
    ({"num_results": [5], "keeps_residuals": True}, "has 1 outputs, num_results says 5"),
    ({"num_results": [-1]}, "num_results says -1"),
    ({"Tresults": [tf.float32] * 3}, "1 results for 3 outputs"),
    ({"Tresults": [tf.complex128]}, "result 0 has type float, declared complex128"),
    ({"output_shapes": [raw.ANY] * 2}, "2 output_shapes for 1 results"),
    ({"entry": "nobody_1"}, "no body 'nobody_1'"),
    ({"body_keys": ["f_0", "g_1"]}, "1 bodies, 2 body keys"),
    ({"max_depth": -1}, "deeper than max_depth=-1"),
  ],
)
def test_a_launch_whose_counts_do_not_fit_is_refused(attributes, message):
  with refused(message, (INVALID, ValueError)):
    raw.launch(**attributes)


@pytest.mark.parametrize(
  "attributes, message",
  [
    ({"Tresults": [tf.float32] * 3}, "1 results for 3 outputs"),
    ({"Tresults": [tf.complex128]}, "result 0 has type float, declared complex128"),
    ({"Tresults": [tf.string]}, "result 0 has type float, declared string"),
  ],
)
def test_rows_of_other_results_are_not_stacked(attributes, message):
  with refused(message):
    raw.launch(args=([1.0, 2.0],), mapped=True, **attributes)


def test_more_rows_than_frames_are_refused_where_rows_take_no_memory():
  with refused(f"have {FAR_TOO_MANY_ROWS} rows; one call may have"):
    raw.launch(args=(tf.zeros([FAR_TOO_MANY_ROWS, 0]),), mapped=True)


def test_an_argument_of_another_type_is_refused():
  with refused("int32"):
    raw.launch(args=(1,))


@pytest.mark.parametrize(
  "call, message",
  [
    (lambda f, x: raw.invoke(f, x, "g_7")[0], "SubGraph 'g_7' is called"),
    (lambda f, x: raw.invoke(f, x, dtypes=[tf.float32] * 2)[1], "1 results for 2 outputs"),
    (lambda f, x: raw.invoke(f, x, dtypes=[tf.float64])[0], "has type float, declared double"),
    (lambda f, x: raw.invoke(tf.stack([f, f]), x)[0], "expected a frame"),
    (lambda f, x: raw.invoke(f, [x], mapped=True, dtypes=[tf.float32] * 3)[2], "1 results for 3"),
    (lambda f, x: raw.invoke(f, [x], mapped=True, dtypes=[tf.string])[0], "declared string"),
    (lambda f, x: raw.invoke(f, [x], mapped=True, dtypes=[tf.complex128])[0], "declared complex"),
    (lambda f, x: raw.invoke(f, x, mapped=True)[0], "same leading dimension"),
    (
      lambda f, x: raw.invoke(f, [x], mapped=True, shapes=[raw.ANY] * 2)[0],
      "2 output_shapes for 1 results",
    ),
    (
      lambda f, x: raw.invoke(f, tf.zeros([FAR_TOO_MANY_ROWS, 0]), mapped=True)[0],
      "rows; one call may have",
    ),
  ],
)
def test_a_call_that_does_not_fit_its_callee_is_refused(call, message):
  def caller(frame, x):
    result = call(frame, x)
    if result.dtype == tf.string:
      return tf.strings.to_number(tf.reshape(result, [-1])[0])
    return tf.reduce_sum(tf.cast(result, tf.float32))

  with refused(message, (INVALID, tf.errors.NotFoundError)):
    raw.launch_with_caller(caller)


@pytest.mark.parametrize("mapped", [False, True])
def test_a_frame_cannot_be_called_after_its_run_although_the_run_is_kept(mapped):
  leaking = raw.body(lambda frame, x: (x + 1.0, frame))
  launched = raw.launch(
    [leaking], Tresults=[tf.float32, tf.variant], num_results=[2], keeps_residuals=True
  )
  with refused("run has ended", OVER):
    raw.invoke(launched.results[1], tf.ones([1] if mapped else []), mapped=mapped)


def test_a_run_is_no_frame_and_a_frame_of_the_backward_pass_no_forward_one():
  with refused("expected a frame"):
    raw.invoke(raw.trained(), tf.constant(1.0))
  calls_forward = raw.body(lambda frame, dy: raw.invoke(frame, dy)[0])
  with refused("expected a frame"):
    raw.launch_backward(raw.trained(), [calls_forward])


@pytest.mark.parametrize(
  "run",
  [
    lambda: tf.stack([raw.trained()]),
    lambda: tf.stack([raw.trained()])[:0],
    lambda: tf.stack([raw.trained(), raw.trained()]),
    raw.trained_batched,
    lambda: tf.raw_ops.EmptyTensorList(
      element_shape=-1, max_num_elements=0, element_dtype=tf.float32
    ),
  ],
)
def test_only_the_run_of_a_launch_has_its_gradient(run):
  with refused("expected the run that the forward call has returned"):
    raw.launch_backward(run())


def test_a_run_without_residuals_says_so():
  with refused("kept no residuals", OVER):
    raw.launch_backward(raw.launch().run)


TAKES_ONE_MORE = raw.body(lambda frame, dy, extra: dy * extra, *TWO_FLOATS)


@pytest.mark.parametrize(
  "attributes, message",
  [
    ({"num_capture_inputs": [2], "capture_inputs": [0]}, r"num_capture_inputs is \[2\]"),
    ({"num_capture_inputs": [-1]}, r"num_capture_inputs is \[-1\]"),
    ({"num_capture_inputs": [1], "capture_inputs": [7]}, "takes capture 7 of 0"),
    ({"num_capture_inputs": [1], "capture_inputs": [-7]}, "takes capture -7 of 0"),
    ({"num_extras": [1]}, r"num_extras is \[1\]"),
    ({"num_slots": [1]}, r"num_slots is \[1\]"),
    ({"num_slots": [-1]}, r"num_slots is \[-1\]"),
    ({"slot_kinds": ["dense"]}, "1 slot_kinds, 0 slot_captures"),
    ({}, "body takes 3 inputs, was given 2"),
    ({"gradients": ()}, "0 gradients for 1 results|minimum"),
    ({"gradients": ([1.0, 2.0],)}, "must have the result's"),
    ({"output_shapes": []}, "0 output_shapes for 1 results"),
  ],
)
def test_a_gradient_whose_counts_do_not_fit_is_refused(attributes, message):
  with refused(message, (INVALID, tf.errors.InternalError)):
    raw.launch_backward(raw.trained(), [TAKES_ONE_MORE], **attributes)


def test_layouts_are_there_for_all_bodies():
  twice = [raw.body(lambda frame, dy: dy)] * 2
  with refused(r"num_extras is \[0\], for 2 bodies"):
    raw.launch_backward(raw.trained(), twice, body_keys=["g_1", "f_0"], num_extras=[0])


@pytest.mark.parametrize("key", [[1, 2], [], [[1]]])
def test_the_key_of_a_call_is_a_scalar(key):
  backward = raw.body(lambda frame, dy: raw.invoke_backward(frame, key, dy))
  with refused("key of a call is a scalar"):
    raw.launch_backward(raw.trained(), [backward])


@pytest.mark.parametrize(
  "keys, rows, message",
  [
    ([1], 1, r"keys of a mapped call are \[2\]"),
    ([[1], [1]], 1, r"keys of a mapped call are \[2\]"),
    ([1, -5], 1, "result of -5 rows"),
    ([1, FAR_TOO_MANY_ROWS], FAR_TOO_MANY_ROWS, "one call may have"),
    ([99, 1], 1, "frame 99 has no residuals"),
  ],
)
def test_the_keys_of_a_mapped_call_are_checked(keys, rows, message):
  def backward(frame, dy):
    gradient = tf.zeros([rows] if rows == 1 else [rows, 0])
    return dy + tf.reduce_sum(raw.invoke_backward(frame, keys, gradient, mapped=True))

  with refused(message, (INVALID, tf.errors.InternalError)):
    raw.launch_backward(raw.trained(), [raw.body(backward)])


def test_a_mapped_gradient_has_a_shape_for_each_result():
  def backward(frame, dy):
    gradient = raw.invoke_backward(
      frame, [1, 0], tf.zeros([0]), mapped=True, dtypes=[tf.float32] * 2, shapes=[]
    )
    return dy + tf.reduce_sum(gradient)

  with refused("0 output_shapes for 2 results"):
    raw.launch_backward(raw.trained(), [raw.body(backward)])
