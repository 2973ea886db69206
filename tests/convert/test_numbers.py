"""Numbers known only in the run are Python's: value and type, or the run fails where Python would.

Python itself is the oracle. A failed check is right where Python raises an exception or its result
is beyond 64 bits, and at the few places that `may_fail` names.
"""

import ast
import math
import operator

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import recursive_tf as rtf
from recursive_tf.batching._plan import plan_for
from recursive_tf.convert.values import _numbers as numbers
from recursive_tf.convert.values._checks import is_check_failure
from recursive_tf.convert.values._numbers import Number

BINARY = {
  ast.Add: operator.add,
  ast.Sub: operator.sub,
  ast.Mult: operator.mul,
  ast.Div: operator.truediv,
  ast.FloorDiv: operator.floordiv,
  ast.Mod: operator.mod,
  ast.Pow: operator.pow,
  ast.LShift: operator.lshift,
  ast.RShift: operator.rshift,
  ast.BitAnd: operator.and_,
  ast.BitOr: operator.or_,
  ast.BitXor: operator.xor,
}
COMPARISONS = {
  ast.Eq: operator.eq,
  ast.NotEq: operator.ne,
  ast.Lt: operator.lt,
  ast.LtE: operator.le,
  ast.Gt: operator.gt,
  ast.GtE: operator.ge,
}
LIMIT = 2**63
EDGES = [0, 1, -1, 2, 62, 63, 64, 2**31, 2**53, 2**53 + 1, LIMIT - 1, -LIMIT, -(2**31) - 1]

ints = (
  st.integers(-LIMIT, LIMIT - 1)
  | st.integers(-70, 70)
  | st.sampled_from(EDGES)
  | st.integers(2**53 - 4, 2**53 + 4)
)
floats = (
  st.floats()
  | st.sampled_from([0.1, -0.1, 1.5, -2.5, 2.0**53, 2.0**63, -(2.0**63), 5e-324, 1e300, 0.5, 2.0])
  | ints.map(float)
)
values = ints | floats | st.booleans()
forms = st.sampled_from(["wide", "narrow", "constant"])


def number_of(value, form="wide"):
  """Makes a Number as a column ("narrow") or as arithmetic gives it; or leaves a constant."""
  if form == "constant":
    return value
  if isinstance(value, int) and not isinstance(value, bool) and form == "narrow":
    if -(2**31) <= value < 2**31:
      return Number(tf.constant(value, tf.int32), int)
  return numbers.constant(value)


def outcome(function, *args):
  """Returns what a Python function gives, or the exception."""
  try:
    return function(*args)
  except (ArithmeticError, TypeError, ValueError, MemoryError) as error:
    return error


def assert_same(found, expected):
  """Compares a Number with Python's result: type, and bits up to those of NaN."""
  assert found.type is type(expected)
  assert found.tensor.shape == []
  assert (
    found.tensor.dtype
    in {int: (tf.int32, tf.int64), float: (tf.float64,), bool: (tf.bool,)}[found.type]
  )
  value = found.tensor.numpy().item()
  if isinstance(expected, float) and not math.isnan(expected):
    assert value == expected
    assert math.copysign(1.0, value) == math.copysign(1.0, expected)
  elif isinstance(expected, float):
    assert math.isnan(value)
  else:
    assert value == expected


def may_fail(op, expected, *args):
  """Tells whether a failed check is right."""
  if isinstance(expected, (Exception, complex)):
    return True
  if type(expected) is int and not -LIMIT <= expected < LIMIT:
    return True
  if op is ast.Pow and type(expected) is float and float not in map(type, args):
    return True
  return op is ast.Div and float not in map(type, args) and max(map(abs, args)) > 2**53


def assert_python(op, function, compute, *args):
  """Compares `compute()`, a Number, None or a failed check, with `function(*args)`."""
  expected = outcome(function, *args)
  try:
    found = compute()
  except tf.errors.InvalidArgumentError as error:
    assert is_check_failure(error)
    assert may_fail(op, expected, *args)
    return
  if found is None:
    assert isinstance(expected, TypeError)
  else:
    assert_same(found, expected)


@settings(max_examples=1500)
@given(st.sampled_from(list(BINARY)), values, values, forms, forms)
@example(ast.FloorDiv, 1.0, 0.1, "wide", "wide")
@example(ast.FloorDiv, -LIMIT, -1, "wide", "narrow")
@example(ast.Mod, -LIMIT, -1, "wide", "constant")
@example(ast.Pow, 0.0, -math.inf, "wide", "wide")
@example(ast.Pow, -8.0, 0.5, "wide", "constant")
@example(ast.Pow, 2, -1, "wide", "constant")
@example(ast.Pow, 2, -1, "wide", "wide")
@example(ast.LShift, -1, 63, "wide", "wide")
@example(ast.Mult, 5e-324, 1.0, "wide", "wide")
def test_binary_operators_are_pythons(op, a, b, first, second):
  assume("constant" not in (first, second) or first != second)
  if op is ast.LShift and isinstance(b, int):
    assume(b < 10_000)
  if op is ast.Pow and isinstance(a, int) and isinstance(b, int):
    assume(abs(b) < 1000 or abs(a) < 2)
  x, y = number_of(a, first), number_of(b, second)
  assert_python(op, BINARY[op], lambda: numbers.binary(op, x, y), a, b)


@settings(max_examples=500)
@given(st.sampled_from(list(COMPARISONS)), values, values, forms, st.booleans())
@example(ast.Eq, 2**53 + 1, 2.0**53, "wide", False)
@example(ast.Lt, LIMIT - 1, 2.0**63, "wide", False)
@example(ast.Gt, 5e-324, 0, "wide", False)
def test_comparisons_are_pythons(op, a, b, form, is_equal):
  if is_equal:  # Or nearly, as a float.
    b = type(b)(a) if math.isfinite(a) else a
    assume(not isinstance(b, int) or b in range(-LIMIT, LIMIT))
  found = numbers.compare(op, number_of(a), number_of(b, form))
  assert_same(found, COMPARISONS[op](a, b))
  assert_same(numbers.compare(op, number_of(b, form), number_of(a)), COMPARISONS[op](b, a))


UNARY = {
  "usub": (operator.neg, lambda a: numbers.unary(ast.USub, a)),
  "uadd": (operator.pos, lambda a: numbers.unary(ast.UAdd, a)),
  "not": (operator.not_, lambda a: numbers.unary(ast.Not, a)),
  "abs": (abs, numbers.absolute),
  "int": (int, numbers.to_int),
  "floor": (math.floor, numbers.floor),
  "ceil": (math.ceil, numbers.ceil),
  "round": (round, numbers.rounded),
  "float": (float, numbers.to_float),
  "bool": (bool, numbers.to_bool),
}


@pytest.mark.parametrize("name", UNARY)
@settings(max_examples=100)
@given(value=values, form=st.sampled_from(["wide", "narrow"]))
@example(value=-LIMIT, form="wide")
@example(value=-(2**31), form="narrow")
@example(value=-0.0, form="wide")
@example(value=5e-324, form="wide")
@example(value=0.49999999999999994, form="wide")
def test_functions_of_one_number_are_pythons(name, value, form):
  function, compute = UNARY[name]
  assert_python(None, function, lambda: compute(number_of(value, form)), value)


@pytest.mark.parametrize("name", sorted(numbers.MATH_FUNCTIONS))
@settings(max_examples=100)
@given(value=values, form=st.sampled_from(["wide", "narrow"]))
@example(value=0, form="wide")
@example(value=-0.0, form="wide")
@example(value=1.0, form="wide")
@example(value=-1.0, form="wide")
@example(value=math.inf, form="wide")
@example(value=-math.inf, form="wide")
@example(value=710.0, form="wide")
@example(value=5e-324, form="wide")
def test_functions_of_math_are_pythons(name, value, form):
  function = getattr(math, name)
  assert_python(None, function, lambda: numbers.math_function(name, number_of(value, form)), value)


@given(ints)
def test_invert_is_pythons_for_ints(value):
  assert_same(numbers.unary(ast.Invert, number_of(value)), ~value)
  assert numbers.unary(ast.Invert, number_of(True)) is None  # Python warns.
  assert numbers.unary(ast.Invert, number_of(1.0)) is None


@settings(max_examples=200)
@given(st.lists(ints, min_size=2, max_size=4) | st.lists(floats, min_size=2, max_size=4), forms)
@example([0.0, -0.0], "wide")
@example([math.nan, 1.0], "wide")
@example([1.0, math.nan], "wide")
@example([True, False], "wide")
def test_minimum_and_maximum_are_pythons(xs, form):
  operands = [number_of(x, form if i else "wide") for i, x in enumerate(xs)]
  assert_same(numbers.minimum(*operands), min(*xs))
  assert_same(numbers.maximum(*operands), max(*xs))
  assert numbers.maximum(number_of(1), 1.0) is None
  assert numbers.maximum(number_of(True), 1) is None
  assert numbers.maximum(number_of(1)) is None


# --- To and from tensors


@settings(max_examples=200)
@given(values)
def test_a_tensor_is_what_tensorflow_makes_of_the_number(value):
  expected = outcome(tf.convert_to_tensor, value)
  try:
    found = numbers.as_tensor(number_of(value))
  except tf.errors.InvalidArgumentError as error:
    assert is_check_failure(error)
    assert isinstance(expected, Exception) or expected.dtype == tf.int64
    return
  assert found.dtype == expected.dtype
  np.testing.assert_array_equal(found, expected)


DTYPES = [tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64]
DTYPES += [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128, tf.bool]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
@settings(max_examples=60)
@given(value=values, form=st.sampled_from(["wide", "narrow"]))
@example(value=2**60 + 2**36 + 1, form="wide")
@example(value=300, form="narrow")
def test_beside_a_tensor_it_is_what_its_operators_make_of_it(dtype, value, form):
  add = operator.or_ if dtype == tf.bool else operator.add
  zero = tf.zeros([], dtype)
  assume(dtype != tf.uint64 or value >= 0 or type(value) is not int)  # TensorFlow may crash.
  try:
    expected = add(zero, value)
  except (tf.errors.InvalidArgumentError, AttributeError, TypeError, ValueError, SystemError) as e:
    expected = e
  try:
    found = numbers.as_tensor(number_of(value, form), dtype)
  except TypeError:
    assert isinstance(expected, Exception) or dtype == tf.complex64
    return
  except tf.errors.InvalidArgumentError as error:
    assert is_check_failure(error)
    is_wrapped = dtype.is_integer and value not in range(dtype.min, dtype.max + 1)
    assert isinstance(expected, Exception) or is_wrapped or np.isinf(expected)
    return
  assert not isinstance(expected, Exception)
  assert found.dtype == dtype
  results = [add(zero, found), expected]
  if dtype == tf.bfloat16:  # NumPy's functions do not know it.
    results = [tf.cast(result, tf.float32) for result in results]
  np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("kind", [int, float, bool])
@given(st.integers(0, 100) | st.floats(width=32), st.sampled_from(DTYPES))
def test_a_number_of_a_tensor_is_pythons(kind, value, dtype):
  assume(not dtype.is_complex and (dtype.is_floating or math.isfinite(value)))
  tensor = tf.cast(value, dtype)
  found = outcome(lambda: kind(tensor))
  try:
    number = numbers.from_tensor(kind, tensor)
  except tf.errors.InvalidArgumentError as error:
    assert is_check_failure(error)
    assert isinstance(found, Exception) or abs(found) >= LIMIT
    return
  if number is not None:
    assert_same(number, found)


def test_a_number_of_a_tensor_has_no_gradient():
  x = tf.constant(2.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * numbers.as_tensor(numbers.from_tensor(float, x))
  assert tape.gradient(y, x).numpy() == 2.0


def test_types_join_only_if_they_are_the_same():
  narrow, wide = number_of(3, "narrow"), number_of(2**40)
  assert numbers.join(narrow, 5) is int
  assert numbers.join(narrow, 5.0) is numbers.join(narrow, True) is None
  assert numbers.join(narrow, "text") is None
  first, second = numbers.unify(narrow, wide)
  assert first.tensor.dtype == second.tensor.dtype == tf.int64
  assert numbers.unify(narrow, 1.0) is None
  assert numbers.unify(narrow, 2**70) is None


def test_what_is_no_plain_number_is_refused():
  a = number_of(3)
  assert numbers.binary(ast.Add, a, "text") is None
  assert numbers.binary(ast.Add, a, np.int32(3)) is None
  assert numbers.binary(ast.Add, a, 2**63) is None
  assert numbers.binary(ast.MatMult, a, 2) is None
  assert numbers.binary(ast.BitAnd, a, 2.0) is None
  assert numbers.compare(ast.Is, a, 3) is None


# --- In bodies


@pytest.mark.usefixtures("scheduler")
def test_in_bodies_rows_are_pythons_and_one_bad_row_fails_the_run(mode):
  def python(n, x):
    return x if n == 0 else python(n - 1, (x // 0.1) % 7.5 - x) + (n * 3) / (n - 4)

  with rtf.SubGraph("f") as f:
    n, x = f.input(tf.int32), f.input(tf.float64)
    count, scale = Number(n, int), Number(x, float)

    def inner():
      less = numbers.binary(ast.Sub, count, 1)
      part = numbers.binary(ast.FloorDiv, scale, 0.1)
      part = numbers.binary(ast.Sub, numbers.binary(ast.Mod, part, 7.5), scale)
      rest = Number(f(numbers.as_tensor(less), part.tensor), float)
      over = numbers.binary(ast.Sub, count, 4)
      share = numbers.binary(ast.Div, numbers.binary(ast.Mult, count, 3), over)
      return numbers.binary(ast.Add, rest, share).tensor

    f.output(tf.cond(numbers.compare(ast.Eq, count, 0).tensor, lambda: x, inner))

  run = mode(lambda n, x: f.map(n, x))
  rows = [(3, 1.0), (0, 5e-324), (2, -0.3), (1, 5e-324)]
  n, x = (list(column) for column in zip(*rows, strict=True))
  found = run(tf.constant(n), tf.constant(x, tf.float64)).numpy().tolist()
  assert found == [python(*row) for row in rows]
  with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero") as error:
    run(tf.constant([3, 5, 2]), tf.constant([1.0, 1.0, 1.0], tf.float64))
  assert is_check_failure(error.value)


@pytest.mark.usefixtures("scheduler")
def test_very_small_floats_are_not_zero_in_the_run(mode):
  with rtf.SubGraph("f") as f:
    x = f.input(tf.float64)
    scale = Number(x, float)
    half = numbers.binary(ast.Mult, scale, 0.5)
    f.output((half.tensor, numbers.to_bool(scale).tensor))
  halves, are_true = mode(lambda x: f.map(x))(tf.constant([2e-310, 0.0, 1.0], tf.float64))
  assert halves.numpy().tolist() == [1e-310, 0.0, 0.5]
  assert are_true.numpy().tolist() == [True, False, True]


def test_one_operator_is_one_op_for_many_frames():
  with rtf.SubGraph("f") as f:
    n = Number(f.input(tf.int32), int)
    f.output(numbers.binary(ast.Add, numbers.unary(ast.USub, n), 3).tensor)
  plan = plan_for([f._body])
  assert not plan.serial_ops
  (function,) = plan.functions.values()
  types = [op.type for op in function.graph.get_operations()]
  assert sum(type_.startswith("RecursiveTf>Python") for type_ in types) == 2
  assert "Cast" not in types


@pytest.mark.usefixtures("scheduler")
def test_a_division_in_the_branch_not_taken_does_not_run(mode):
  @mode
  def run(n, outer):
    with rtf.SubGraph("f") as f:
      m, divisor = f.input(tf.int32), Number(outer, int)
      f.output(
        tf.cond(
          numbers.compare(ast.Eq, divisor, 0).tensor,
          lambda: tf.constant(-1, tf.int64),
          lambda: (
            numbers.binary(ast.FloorDiv, Number(m, int), divisor).tensor
            + numbers.binary(ast.FloorDiv, 7, divisor).tensor
          ),
        )
      )
    return f.map(n)

  assert run(tf.constant([3, 4]), tf.constant(0)).numpy().tolist() == [-1, -1]
  assert run(tf.constant([3, 4]), tf.constant(2)).numpy().tolist() == [4, 5]
