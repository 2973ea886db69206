"""Batched calls as no SubGraph makes them: each is an error, none ends the process."""

import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.op_kernels import raw

INVALID = tf.errors.InvalidArgumentError
OVER = tf.errors.FailedPreconditionError
FAR_TOO_MANY_ROWS = 1 << 40
FLOATS = tf.TensorSpec([None], tf.float32)


def refused(message, error=INVALID):
  return pytest.raises(error, match=message)


def map_program(dtype=1, shape=()):
  """Body f maps body g, which is raw.PROGRAM's, over its argument."""
  return [
    *[1, 0, 2, 1, 0],
    *[1, 2, 2, 1, 1, 2],
    *[2, 1, 1, 1, 0, 1, 1, 1, dtype, len(shape), *shape],  # map g; its result's type and shape
    *[5, 1, 0, 1, 1, 0, 1, 0, 1, 1],
    *[1, 2, 2, 1, 1, 2],
    *[0, 1, 0, 1, 5, 1, 0, 1, 1, 0, 1, 0, 1, 1],
    *[0, 0, 1, 1, 0, 0, 0, 1, 1, 1],
  ]


def test_the_ops_work_as_they_are_called_here():
  launched = raw.launch_batched(keeps_residuals=True)
  assert launched.results[0] == 2.0
  assert raw.launch_batched_backward(launched.run).arg_gradients[0] == 1.0
  mapped = raw.launch_batched(map_program(), args=([1.0, 2.0],), bodies=2)
  assert mapped.results[0].numpy().tolist() == [2.0, 3.0]
  assert raw.launch_batched(map_program(), args=(tf.zeros([0]),), bodies=2).results[0].shape == [0]


@pytest.mark.parametrize(
  "attributes, message",
  [
    ({"program": raw.PROGRAM[:-1]}, "the program ends too early"),
    ({"program": [2, *raw.PROGRAM[1:]]}, "version is 2"),
    ({"program": [-1] * 40}, "version is -1"),
    ({"args": (1.0, 2.0)}, "the program is of another signature"),
    ({"captures": [tf.constant(1.0)]}, "the program is of another signature"),
    ({"body_names": ["f", "g"]}, "the program is of another signature"),
    ({"merged": [True, False]}, "the program is of another signature"),
    ({"output_shapes": [raw.ANY] * 2}, "2 output_shapes for 1 results"),
    ({"args": (1,)}, "function 0 takes float, the program gives it int32"),
    ({"args": ("text",)}, "function 0 takes float, the program gives it string"),
    ({"Tresults": [tf.string]}, "result 0 has type float, declared string"),
    ({"mapped": True}, "same leading dimension"),
    ({"args": (tf.zeros([FAR_TOO_MANY_ROWS, 0]),), "mapped": True}, "one call may have"),
    ({"max_depth": -1}, "deeper than max_depth=-1"),
  ],
)
def test_a_call_that_does_not_fit_its_program_is_refused(attributes, message):
  with refused(message):
    raw.launch_batched(**attributes)


def test_captures_have_the_types_that_functions_take():
  program = list(raw.PROGRAM)
  program[4] = 1  # Captures of the program,
  program[-4:] = [1, 0, 1, 1, 1]  # and of its block.
  add = raw.concrete(lambda x, y: x + y, FLOATS, tf.TensorSpec(None, tf.float32))
  assert raw.launch_batched(program, add, captures=[tf.constant(2.0)]).results[0] == 3.0
  with refused("function 0 takes float, the program gives it int32"):
    raw.launch_batched(program, add, captures=[tf.constant(2)])


@pytest.mark.parametrize("dtype, shape", [(999, []), (101, []), (0, []), (1, [1] * 300)])
def test_a_mapped_call_declares_results_that_there_are(dtype, shape):
  with refused("a mapped call has no such results"):
    raw.launch_batched(map_program(dtype, shape), args=(tf.zeros([0]),), bodies=2)


def test_more_rows_than_frames_are_refused_inside_of_a_body_too():
  with refused("one call may have"):
    raw.launch_batched(map_program(), args=(tf.zeros([FAR_TOO_MANY_ROWS, 0]),), bodies=2)


@pytest.mark.parametrize("mapped", [False, True])
def test_a_result_that_comes_back_twice_is_an_error(mapped):
  call = [2, 1, 1, 1, 0, 1, 1, 1, 1, 0] if mapped else [1, 1, 1, 1, 0, 1, 1, 1, 1]
  program = [
    *[1, 0, 2, 1, 0],
    *[1, 2, 2, 1, 1, 2, *call, 5, 1, 0, 1, 1, 0, 1, 0, 1, 1],
    *[1, 2, 2, 1, 1, 3, 0, 1, 0, 1, *[5, 1, 0, 1, 1, 0] * 2, 1, 0, 2, 1, 2],  # g returns it twice
    *[0, 0, 1, 1, 0, 0, 0, 1, 1, 1],
  ]
  with refused("came back twice"):
    raw.launch_batched(program, args=([1.0, 2.0] if mapped else 1.0,), bodies=2)


@pytest.mark.parametrize(
  "run",
  [
    lambda: tf.stack([raw.trained_batched()]),
    lambda: tf.stack([raw.trained_batched()])[:0],
    raw.trained,
  ],
)
def test_only_the_run_of_a_batched_launch_has_its_gradient(run):
  with refused("expected the run that the forward call has returned"):
    raw.launch_batched_backward(run())


def test_a_run_without_residuals_says_so():
  with refused("kept no residuals", OVER):
    raw.launch_batched_backward(raw.launch_batched().run)


@pytest.mark.parametrize(
  "attributes, message",
  [
    ({"gradients": ()}, "0 gradients for other results"),
    ({"gradients": (1.0, 1.0)}, "2 gradients for other results"),
    ({"gradients": (1,)}, "of a result of type float has type int32"),
    ({"gradients": ([1.0],)}, "must have the result's"),
    ({"mapped": True}, "only one of the call and its gradient is mapped"),
    ({"mapped": True, "gradients": ([1.0],)}, "only one of the call and its gradient is mapped"),
    ({"arg_positions": [1]}, "argument 1 has no gradient"),
    ({"arg_positions": [-1]}, "argument -1 has no gradient"),
    ({"arg_positions": []}, "0 arg_positions, 1 Targ_gradients"),
    ({"Targ_gradients": [tf.string]}, "argument 0 has no gradient of type string"),
    ({"program": [1, 0]}, "another number of blocks"),
    ({"program": [1, 1, 0, 1, 9, 0, 1, 0, 0]}, "does not fit the block"),
    ({"program": raw.GRADIENT_PROGRAM[:-1]}, "ends too early"),
    (
      {"function": raw.concrete(lambda x: x, tf.TensorSpec([None], tf.int32))},
      "function 0 takes int32, the program gives it float",
    ),
    (
      {"slot_kinds": ["dense"], "slot_captures": [5], "slot_shapes": [raw.ANY]}
      | {"Tslots": [tf.float32]},
      "gradient of capture 5 of 0",
    ),
    ({"slot_kinds": ["dense"]}, "1 slot_kinds, 0 slot_captures"),
  ],
)
def test_a_gradient_that_does_not_fit_the_call_is_refused(attributes, message):
  with refused(message):
    raw.launch_batched_backward(raw.trained_batched(), **attributes)


def test_merged_rows_of_a_call_that_is_not_mapped_have_no_mapped_gradient():
  run = raw.trained_batched(merged=[True])
  with refused("only one of the call and its gradient is mapped"):
    raw.launch_batched_backward(run, gradients=([1.0],), mapped=True)


def test_a_copy_of_a_run_keeps_its_tape():
  @tf.function
  def both():
    copies = tf.unstack(tf.stack([raw.trained_batched()] * 2))  # Elements, each in a buffer.
    return [raw.launch_batched_backward(copy).arg_gradients[0] for copy in copies]

  assert [float(gradient) for gradient in both()] == [1.0, 1.0]


@pytest.mark.parametrize("scheduler", ["concurrent", "batched"])
def test_rows_of_strings_are_read_wherever_they_begin_in_memory(scheduler):
  with rtf.SubGraph("lengths", scheduler=scheduler) as lengths:
    lengths.output(tf.strings.length(lengths.input(tf.string)))
  with rtf.SubGraph("rows", scheduler=scheduler) as rows:
    rows.output(lengths.map(rows.input(tf.string, [None])))
  words = tf.constant([["a", "bb", "ccc"], ["", "ee", "x"], ["long" * 9, "f", "gg"]])

  def both():
    return lengths.map(words[1]), rows.map(words)

  flat, nested = tf.function(both)()
  assert flat.numpy().tolist() == [0, 2, 1]
  assert nested.numpy().tolist() == [[1, 2, 3], [0, 2, 1], [36, 1, 2]]
