"""rtf.prepare: the numbers, variables, gradients and errors of the function itself."""

import copy
import pickle
import threading

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import SignatureError

NUMBER = tf.TensorSpec([], tf.int32)
NUMBERS = tf.TensorSpec([None], tf.int32)


def powers(weight):
  """A SubGraph of weight ** n."""
  with rtf.SubGraph("powers") as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: 1.0, lambda: weight * f(n - 1)))
  return f


def test_it_gives_what_the_function_gives():
  f = powers(tf.constant(3.0))
  assert float(rtf.prepare(f, NUMBER)(4)) == 81.0
  mapped = rtf.prepare(f.map, NUMBERS)
  assert mapped([0, 1, 2]).numpy().tolist() == [1.0, 3.0, 9.0]
  assert mapped(tf.constant([3])).numpy().tolist() == [27.0]
  assert mapped(np.zeros([0], np.int32)).shape == [0]


class OwnArray(np.ndarray):
  """A subclass, which may be another thing than its memory says."""


@pytest.mark.parametrize(
  "array",
  [
    np.array([3, 0, 2], np.int32),
    np.arange(6, dtype=np.int32)[::-2],
    np.array([3, 1], ">i4"),
    np.array([3, 1], np.int32).view(OwnArray),
    np.zeros([0], np.int32),
    np.array([3, 1], np.int64),
  ],
)
def test_arrays_are_taken_as_tensors_of_them_are(array):
  call = rtf.prepare(powers(tf.constant(2.0)).map, NUMBERS)
  expected = call(tf.constant(np.asarray(array).tolist(), tf.int32)).numpy().tolist()
  assert call(array).numpy().tolist() == expected


@pytest.mark.parametrize("spec", [tf.float32, tf.bfloat16, tf.bool, tf.string, tf.qint8])
def test_arrays_of_any_type_are_taken(spec):
  call = rtf.prepare(tf.function(tf.identity), tf.TensorSpec([None], spec))
  array = (
    np.array([b"a", b"b"], object) if spec == tf.string else np.zeros([2], spec.as_numpy_dtype)
  )
  taken = call(array)
  assert taken.dtype == spec
  assert taken.numpy().tolist() == tf.convert_to_tensor(array, spec).numpy().tolist()


def test_an_array_that_changes_after_a_call_changes_no_result():
  call = rtf.prepare(tf.function(lambda x: x + 1), NUMBERS)
  array = np.array([1, 2], np.int32)
  result = call(array)
  array[:] = 7
  assert result.numpy().tolist() == [2, 3]
  assert call(array).numpy().tolist() == [8, 8]


def test_arrays_of_other_sizes_are_refused():
  call = rtf.prepare(tf.function(tf.identity), tf.TensorSpec([2], tf.int32))
  for array in (np.zeros([3], np.int32), np.zeros([2, 1], np.int32)):
    with pytest.raises(SignatureError):
      call(array)


@pytest.mark.parametrize("is_traced", [False, True])
def test_a_nest_of_results_comes_back(is_traced):
  f = powers(tf.constant(2.0))

  def run(n, x):
    return {"power": f(n), "both": (x, [f(n) + x])}

  call = rtf.prepare(tf.function(run) if is_traced else run, NUMBER, tf.TensorSpec([2]))
  found = call(3, [1.0, 2.0])
  assert float(found["power"]) == 8.0
  assert found["both"][0].numpy().tolist() == [1.0, 2.0]
  assert found["both"][1][0].numpy().tolist() == [9.0, 10.0]


def test_variables_are_read_and_written_at_each_call():
  weight, count = tf.Variable(2.0), tf.Variable(0)
  f = powers(weight)

  def run(n):
    count.assign_add(1)
    return f(n)

  call = rtf.prepare(run, NUMBER)
  assert (float(call(3)), int(count)) == (8.0, 1)
  weight.assign(3.0)
  assert (float(call(3)), int(count)) == (27.0, 2)


def test_variables_live_as_long_as_the_prepared_function():
  call = rtf.prepare(powers(tf.Variable(2.0)), NUMBER)
  assert float(call(5)) == 32.0


def test_tapes_differentiate_it():
  weight = tf.Variable(2.0)
  call = rtf.prepare(lambda n, x: powers(weight)(n) * x, NUMBER, tf.TensorSpec([]))
  x = tf.constant(5.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = call(3, x)
  by_weight, by_x = tape.gradient(y, [weight, x])
  assert (float(by_weight), float(by_x)) == (5 * 3 * 2.0**2, 8.0)


def test_other_graphs_call_it():
  call = rtf.prepare(powers(tf.Variable(2.0)), NUMBER)
  assert float(tf.function(lambda n: call(n) + call(n + 1))(tf.constant(2))) == 12.0


def test_threads_share_it():
  call = rtf.prepare(powers(tf.constant(2.0)).map, NUMBERS)
  found = {}
  threads = [
    threading.Thread(target=lambda k=k: found.update({k: call([k, k + 1]).numpy().tolist()}))
    for k in range(4)
  ]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert found == {k: [2.0**k, 2.0 ** (k + 1)] for k in range(4)}


@pytest.mark.parametrize(
  ("args", "message"),
  [
    ((), r"0 arguments, expected 1: \(int32\(None,\)\)"),
    (([1], [2]), r"\(test_prepare.py:\d+\): 2 arguments, expected 1"),
    ((memoryview(b"ab"),), r"structure \('memoryview',\), expected \('int32\(None,\)',\)"),
    ((memoryview(np.ones([1, 2], np.int32)),), "structure"),
    ((tf.constant([1.0]),), "type float32, expected int32"),
    (([1.5],), "cannot be made a tensor of type int32"),
    ((tf.constant(1),), r"shape \(\), expected \(None,\)"),
    ((tf.constant([[1]]),), r"shape \(1, 1\), expected \(None,\)"),
  ],
)
def test_other_arguments_are_refused(args, message):
  call = rtf.prepare(powers(tf.constant(2.0)).map, NUMBERS)
  with pytest.raises(SignatureError, match=message):
    call(*args)


def test_sizes_that_were_given_are_held_to():
  call = rtf.prepare(lambda x: tf.reduce_sum(x), tf.TensorSpec([2, None]))
  assert float(call(tf.ones([2, 3]))) == 6.0
  with pytest.raises(SignatureError, match="shape"):
    call(tf.ones([3, 2]))


def test_a_spec_that_is_none_is_refused():
  with pytest.raises(SignatureError, match="no tf.TensorSpec"):
    rtf.prepare(lambda x: x, tf.int32)


def test_it_says_what_it_takes():
  call = rtf.prepare(lambda x, y: x, NUMBERS, tf.TensorSpec([2]))
  assert repr(call) == "<prepared function of (int32(None,), float32(2,))>"


def test_arguments_by_name_are_refused():
  call = rtf.prepare(lambda n, x: n, NUMBER, NUMBER)
  with pytest.raises(SignatureError, match="got x by name, but its arguments have no names"):
    call(1, x=2)
  with pytest.raises(SignatureError, match="SubGraph 'powers' call site .*got n by name"):
    powers(tf.constant(2.0))(n=2)


def test_arguments_without_a_spec_have_their_defaults():
  assert int(rtf.prepare(lambda n, factor=3: n * factor, NUMBER)(2)) == 6


def test_a_function_of_other_arguments_is_refused():
  with pytest.raises(SignatureError, match=r"\(n, x\) does not take 1 argument: missing .*'x'"):
    rtf.prepare(lambda n, x: n, NUMBER)


@pytest.mark.parametrize("what", [3, None, NUMBER])
def test_what_is_no_function_is_refused(what):
  with pytest.raises(SignatureError, match="is no function. Give a SubGraph"):
    rtf.prepare(what, NUMBER)


def test_python_on_tensors_is_refused_with_the_way_out():
  def clip(n):
    return n if n < 3 else tf.constant(3)

  with pytest.raises(tf.errors.OperatorNotAllowedInGraphError) as error:
    rtf.prepare(clip, NUMBER)
  assert str(error.value).startswith("rtf.prepare traces Python without AutoGraph.")
  assert "prepare tf.function(function)" in str(error.value)
  assert int(rtf.prepare(tf.function(clip), NUMBER)(7)) == 3


def define_limited():
  with rtf.SubGraph("limited", max_depth=5) as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: 0, lambda: f(n - 1)))
  return f


def assert_small(n):
  with tf.control_dependencies([tf.debugging.Assert(n < 3, ["too tall:", n])]):
    return tf.identity(n)


def map_unevenly(n):
  with rtf.SubGraph("uneven") as f:
    f.output(f.input(tf.int32) + f.input(tf.int32))
  return f.map(tf.range(n), [1, 2, 3])


@pytest.mark.parametrize(
  ("function", "message"),
  [
    (lambda n: define_limited()(n), "SubGraph 'limited': the recursion is deeper than max_depth=5"),
    (tf.function(lambda n: define_limited()(n)), "SubGraph 'limited': the recursion is deeper"),
    (tf.function(assert_small), "assertion failed: [too tall:] [9]"),
    (assert_small, "assertion failed: [too tall:] [9]"),
    (lambda n: map_unevenly(n), "f.map: argument 1 has shape [3], argument 0 has shape [9]"),
  ],
)
def test_errors_of_a_run_begin_with_what_went_wrong(function, message):
  call = rtf.prepare(function, NUMBER)
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    call(9)
  assert str(error.value).startswith(message)
  assert "/recursive_tf/subgraph/" not in str(error.value)
  assert "Graph execution error" not in str(error.value)


def test_an_error_of_a_run_has_the_users_lines_below():
  call = rtf.prepare(assert_small, NUMBER)
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    call(9)
  told, _, lines = str(error.value).partition("Detected at node ")
  assert "File" not in told
  assert 'test_prepare.py", line ' in lines and "in assert_small" in lines


def test_an_error_of_a_call_begins_with_what_went_wrong():
  with pytest.raises(tf.errors.InvalidArgumentError) as error:
    define_limited()(9)
  assert str(error.value).startswith("SubGraph 'limited': the recursion is deeper than max_depth=5")


@pytest.mark.parametrize("copied", [pickle.dumps, copy.deepcopy, copy.copy])
def test_what_holds_a_graph_is_not_copied(copied):
  for graph in (powers(tf.constant(2.0)), rtf.prepare(lambda n: n, NUMBER), rtf.subgraph(powers)):
    with pytest.raises(rtf.CopyError, match="cannot be pickled or copied: .* save its weights"):
      copied(graph)


def test_xla_around_a_prepared_function_is_refused():
  call = rtf.prepare(powers(tf.constant(2.0)), NUMBER)
  with pytest.raises(rtf.GraphScopeError, match="prepared function is called at test_prepare.py:"):
    tf.function(lambda n: call(n), jit_compile=True)(tf.constant(3))


def test_vectorized_map_is_refused():
  f = powers(tf.constant(2.0))
  for call in (f, rtf.prepare(f, NUMBER)):
    with pytest.raises(
      rtf.GraphScopeError, match="SubGraph 'powers' .*in tf.vectorized_map.*f.map"
    ):
      tf.vectorized_map(lambda n, call=call: call(n), tf.range(3))
    assert tf.map_fn(call, tf.range(3), tf.float32).numpy().tolist() == [1.0, 2.0, 4.0]


def test_a_graph_of_tensorflow_1_is_refused_what_was_made_eagerly():
  f, number = powers(tf.Variable(2.0)), tf.constant(3)
  plain = powers(2.0)
  calls = [(f, 3), (f.map, [3]), (plain, number), (rtf.prepare(f, NUMBER), 3)]
  with tf.Graph().as_default():
    for call, argument in calls:
      with pytest.raises(rtf.GraphScopeError, match="in a tf.Graph, which cannot use"):
        call(argument)
    result = plain(3)
    with tf.compat.v1.Session() as session:
      assert session.run(result) == 8.0
