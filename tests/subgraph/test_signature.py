"""Nests of tensors go in and out of calls as they are; what does not fit is named."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


class Pair(NamedTuple):
  first: tf.Tensor
  second: tf.Tensor


@dataclasses.dataclass
class Point:
  """Takes part in `tf.nest` by its protocol."""

  x: tf.Tensor
  y: tf.Tensor

  def __tf_flatten__(self):
    return (), (self.x, self.y)

  @classmethod
  def __tf_unflatten__(cls, metadata, components):
    return cls(*components)


class Interval(tf.experimental.ExtensionType):
  low: tf.Tensor
  high: tf.Tensor


def rotate(mode, swap, value, spec, n=3):
  """Calls a SubGraph that swaps the two parts of a nest n times."""

  @mode
  def run(value, n):
    with rtf.SubGraph("rotate") as f:
      nest, left = f.input(spec), f.input(tf.int32)
      f.output(tf.cond(left == 0, lambda: nest, lambda: f(swap(nest), left - 1)))
    return f(value, n)

  return run(value, tf.constant(n))


ONE, TWO = tf.constant(1), tf.constant([2.0, 3.0])
SCALAR = tf.TensorSpec([], tf.int32)


@pytest.mark.parametrize(
  "make, parts",
  [
    (lambda a, b: (a, b), lambda v: v),
    (lambda a, b: [a, b], lambda v: v),
    (lambda a, b: {"z": a, "b": b}, lambda v: (v["z"], v["b"])),
    (Pair, lambda v: (v.first, v.second)),
    (Point, lambda v: (v.x, v.y)),
    (Interval, lambda v: (v.low, v.high)),
    (lambda a, b: {"deep": [(a,), {"er": b}]}, lambda v: (v["deep"][0][0], v["deep"][1]["er"])),
  ],
  ids=["tuple", "list", "dict", "NamedTuple", "dataclass", "ExtensionType", "nested"],
)
def test_nests_go_in_and_come_back_as_they_are(make, parts, mode):
  def swap(nest):
    first, second = parts(nest)
    return make(second, first)

  a, b = tf.constant(1), tf.constant(2)
  if make is Interval:
    spec = tf.type_spec_from_value(Interval(a, b))
  else:
    spec = make(SCALAR, SCALAR)
  result = rotate(mode, swap, make(a, b), spec)
  assert type(result) is type(make(a, b))
  assert [part.numpy() for part in parts(result)] == [2, 1]


def test_composite_tensors_go_in_and_out(mode):
  @mode
  def run(rows):
    with rtf.SubGraph("widen") as f:
      ragged = f.input(tf.RaggedTensorSpec([None, None], tf.int32))
      wide = ragged.nrows() > 4
      f.output(tf.cond(wide, lambda: ragged, lambda: f(tf.concat([ragged, ragged], 0))))
    return f(rows)

  result = run(tf.ragged.constant([[1, 2], [3]]))
  assert isinstance(result, tf.RaggedTensor)
  assert result.to_list() == [[1, 2], [3]] * 4


def test_types_other_than_numbers_go_through(mode):
  @mode
  def run(word, flag):
    with rtf.SubGraph("repeat") as f:
      text, again = f.input(tf.string), f.input(tf.bool)
      f.output(tf.cond(again, lambda: f(text + text, False), lambda: (text, again)))
    return f(word, flag)

  text, again = run(tf.constant("ab"), tf.constant(True))
  assert text.numpy() == b"abab" and not again.numpy()


def test_python_lists_stand_for_tensors(mode):
  @mode
  def run():
    with rtf.SubGraph("dot") as f:
      x, y = f.input(tf.float32, [None]), f.input({"y": tf.TensorSpec([2], tf.float32)})
      f.output(tf.reduce_sum(x * y["y"]))
    return f([1, 2], {"y": [3.0, 4.0]}), f.map([[1, 2], [0, 1]], {"y": [[3, 4], [5, 6]]})

  one, many = run()
  assert one.numpy() == 11 and many.numpy().tolist() == [11, 6]


def test_tensor_arrays_stay_within_a_body(mode):
  @mode
  def run(n):
    with rtf.SubGraph("squares") as f:
      m = f.input(tf.int32)
      array = tf.TensorArray(tf.int32, size=2).write(0, m).write(1, m * m)
      f.output(tf.cond(m == 0, lambda: 0, lambda: array.read(1) + f(m - 1)))
    return f(n)

  assert run(tf.constant(4)).numpy() == 30


def test_unknown_dimensions_vary_from_frame_to_frame(mode):
  @mode
  def run(xs):
    with rtf.SubGraph("merge_sort", outputs=tf.TensorSpec([None], tf.int32)) as f:
      x = f.input(tf.int32, [None])
      half = tf.size(x) // 2

      def merge():
        return tf.sort(tf.concat([f(x[:half]), f(x[half:])], 0))

      f.output(tf.cond(tf.size(x) <= 1, lambda: x, merge))
    return f(xs)

  xs = tf.constant([5, 3, 9, 1, 4, 7])
  assert run(xs).numpy().tolist() == [1, 3, 4, 5, 7, 9]


def test_unknown_rank_is_allowed(mode):
  @mode
  def run(x):
    with rtf.SubGraph("squeeze", outputs=tf.TensorSpec(None, tf.float32)) as f:
      y = f.input(tf.TensorSpec(None, tf.float32))
      f.output(tf.cond(tf.rank(y) == 0, lambda: y, lambda: f(tf.reduce_sum(y, 0))))
    return f(x)

  assert run(tf.ones([2, 3, 4])).numpy() == 24


def test_static_shapes_of_results_are_known_at_call_sites():
  @tf.function
  def run(x):
    with rtf.SubGraph("f") as f:
      y = f.input(tf.float32, [2, None])
      f.output({"matrix": y, "n": tf.constant(0)})
    one, many = f(x), f.map(x[tf.newaxis])
    assert one["matrix"].shape.as_list() == [2, None] and one["n"].shape == []
    assert many["matrix"].shape.as_list() == [1, 2, None]
    return one

  assert run(tf.ones([2, 3]))["matrix"].shape == [2, 3]


def define_sum_of_pair():
  with rtf.SubGraph("sum_of_pair") as f:
    pair = f.input({"a": SCALAR, "b": tf.TensorSpec([None, 2], tf.float32)})
    f.output(tf.cast(pair["a"], tf.float32) + tf.reduce_sum(pair["b"]))
  return f


GOOD = {"a": 1, "b": np.ones([3, 2], np.float32)}


def test_a_call_converts_python_values_to_the_declared_types(mode):
  assert mode(lambda: define_sum_of_pair()(GOOD))().numpy() == 7


@pytest.mark.parametrize(
  "args, message",
  [
    ((), "0 arguments, expected 1"),
    ((GOOD, GOOD), "2 arguments, expected 1"),
    (({"a": 1},), r"structure.*expected.*'a': 'int32\(\)', 'b': 'float32\(None, 2\)'"),
    (([1, 2],), "structure"),
    (({**GOOD, "a": "one"},), "argument 0 cannot be made a tensor of type int32"),
    (({**GOOD, "a": tf.constant(1.0)},), "argument 0 has type float32, expected int32"),
    (
      ({**GOOD, "b": tf.ones([3, 5])},),
      r"argument 1 has shape \(3, 5\), expected \(None, 2\)",
    ),
    (({**GOOD, "b": tf.ones([2])},), r"argument 1 has shape \(2,\), expected \(None, 2\)"),
    (({**GOOD, "a": None},), "argument"),
  ],
  ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_argument_that_does_not_fit_is_named_with_the_users_line(args, message, mode):
  @mode
  def run():
    return define_sum_of_pair()(*args)

  with pytest.raises(rtf.SignatureError, match=message) as error:
    run()
  code = (run if mode.is_eager else run.python_function).__code__
  line = code.co_firstlineno
  assert "SubGraph 'sum_of_pair' call site" in str(error.value)
  assert f"({__file__.rsplit('/', 1)[1]}:{line + 2})" in str(error.value)


@pytest.mark.parametrize(
  "wrong, message",
  [
    (lambda f, n: f(1.5), "argument 0 cannot be made a tensor of type int32"),
    (lambda f, n: f(n, n), "2 arguments, expected 1"),
    (lambda f, n: f([n]), r"argument 0 has shape \(1,\), expected \(\)"),
    (lambda f, n: f({"n": n}), "structure"),
    (lambda f, n: f(tf.stack([n, n])), r"argument 0 has shape \(2,\), expected \(\)"),
    (lambda f, n: f.map(n), r"argument 0 has shape \(\), expected \(None,\)"),
  ],
)
def test_a_recursive_call_that_does_not_fit_is_named_with_the_users_line(wrong, message, mode):
  @mode
  def run():
    with rtf.SubGraph("recursive") as f:
      n = f.input(tf.int32)
      f.output(tf.cond(n == 0, lambda: 0, lambda: wrong(f, n)))
    return f(3)

  with pytest.raises(rtf.SignatureError, match=message) as error:
    run()
  assert f"SubGraph 'recursive' call site ({__file__.rsplit('/', 1)[1]}:" in str(error.value)


def test_a_result_that_differs_from_the_declaration_is_named(mode):
  @mode
  def run():
    with rtf.SubGraph("declared", outputs=tf.TensorSpec([3], tf.float32)) as f:
      n = f.input(tf.int32)
      f.output(tf.ones([4]) * tf.cast(n, tf.float32))

  with pytest.raises(rtf.SignatureError) as error:
    run()
  message = str(error.value)
  assert "SubGraph 'declared' output" in message and __file__.rsplit("/", 1)[1] in message
  assert "(4,)" in message and "(3,)" in message and "outputs=" in message


def test_a_declared_type_that_differs_is_named(mode):
  @mode
  def run():
    with rtf.SubGraph("declared", outputs=tf.TensorSpec([], tf.float32)) as f:
      f.output(f.input(tf.int32))

  with pytest.raises(rtf.SignatureError, match="type int32, expected float32"):
    run()


@pytest.mark.parametrize("spec", ["no type", 3.5, object()])
def test_an_input_that_is_no_type_is_an_error(spec):
  with pytest.raises((rtf.SignatureError, TypeError)):
    with rtf.SubGraph("f") as f:
      f.output(f.input(spec))
