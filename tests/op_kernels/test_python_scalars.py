"""Scalars whose kind only the run knows: each operator of each two, as Python computes them."""

import itertools
import math
import operator
import struct

import pytest
import tensorflow as tf

from recursive_tf._ops import kernels

KINDS = (bool, int, float, str)
VALUES = (
  *(False, True, 0, 1, -1, 2, 3, -7, 62, 2**31, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)),
  *(0.0, -0.0, 0.5, -1.5, 2.0, 3.0, 1e16, 2.0**53, 1e308, 5e-324, math.inf, -math.inf, math.nan),
  *("", "a", "ab", "B", "é", "\U0001f600", "\uffff"),
)
BINARY = {
  **{"Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv},
  **{"FloorDiv": operator.floordiv, "Mod": operator.mod, "Pow": operator.pow},
  **{"LShift": operator.lshift, "RShift": operator.rshift},
  **{"BitAnd": operator.and_, "BitOr": operator.or_, "BitXor": operator.xor},
  **{"Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le},
  **{"Gt": operator.gt, "GtE": operator.ge, "Min": min, "Max": max},
}
UNARY = {
  **{"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert, "Abs": abs},
  **{"Truth": bool, "Trunc": int, "Cast": float, "Round": round},
}


def parts(values):
  """Returns scalars as tensors of their kinds, bits and texts."""
  kinds, bits, texts = [], [], []
  for value in values:
    kinds.append(KINDS.index(type(value)))
    is_float = isinstance(value, float)
    number = struct.unpack("<q", struct.pack("<d", value))[0] if is_float else 0
    bits.append(number if is_float or isinstance(value, str) else int(value))
    texts.append(value if isinstance(value, str) else "")
  return tf.constant(kinds, tf.int32), tf.constant(bits, tf.int64), tf.constant(texts, tf.string)


def value_of(kind, bits, text):
  """Returns a scalar of its parts."""
  found = KINDS[int(kind)]
  if found is str:
    return text.numpy().decode()
  bits = int(bits)
  return struct.unpack("<d", struct.pack("<q", bits))[0] if found is float else found(bits)


def shown(value):
  """Returns what tells apart all values, their types and signs."""
  return type(value).__name__, repr(value)


def by_python(function, *values):
  """Returns what Python gives; None if it raises, or if the result is none that is done."""
  try:
    found = function(*values)
  except (TypeError, ValueError, ArithmeticError):
    return None
  if type(found) not in KINDS or (type(found) is int and not -(2**63) <= found < 2**63):
    return None  # Complex, or beyond 64 bits.
  return found


def by_kernel(op, name, *values):
  tensors = [tensor[0] for value in values for tensor in parts([value])]
  try:
    return value_of(*op(*tensors, op=name))
  except tf.errors.InvalidArgumentError as error:
    assert "check failed" in error.message
    return None


def is_left_out(name, values):
  """Tells whether Python gives something that the op refuses to give."""
  are_ints = all(isinstance(value, int) for value in values)
  if name == "Div" and are_ints:
    return any(abs(value) > 2**53 for value in values)  # Its own way of rounding.
  if name == "Mod":
    return isinstance(values[0], str)  # Formatting.
  return name == "Invert" and isinstance(values[0], bool)  # Python warns.


def takes_long(name, first, second):
  """Tells whether Python makes very large ints or strings."""
  if name in ("Pow", "LShift"):
    return isinstance(first, int) and isinstance(second, int) and second > 100
  counts = [v for v in (first, second) if isinstance(v, int)]
  is_repeated = len(counts) == 1 and str in (type(first), type(second))
  return name == "Mult" and is_repeated and counts[0] > 100


@pytest.mark.parametrize("name", BINARY)
def test_two_scalars_give_what_python_gives(name):
  for pair in itertools.product(VALUES, VALUES):
    if takes_long(name, *pair):
      continue
    found = by_kernel(kernels.recursive_tf_python_scalar_binary, name, *pair)
    expected = None if is_left_out(name, pair) else by_python(BINARY[name], *pair)
    assert shown(found) == shown(expected), (name, pair)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.filterwarnings("ignore:Bitwise inversion")
def test_one_scalar_gives_what_python_gives(name):
  for value in VALUES:
    if isinstance(value, str) and name in ("Trunc", "Cast"):
      continue  # These are parsed elsewhere.
    found = by_kernel(kernels.recursive_tf_python_scalar_unary, name, value)
    expected = None if is_left_out(name, [value]) else by_python(UNARY[name], value)
    assert shown(found) == shown(expected), (name, value)


def test_rows_are_computed_one_by_one_and_a_scalar_with_each():
  row = ["a", "b", "a"]
  one = [tensor[0] for tensor in parts(["a"])]
  found = kernels.recursive_tf_python_scalar_binary(*parts(row), *one, op="Eq")
  assert found[1].numpy().tolist() == [1, 0, 1]


@pytest.mark.parametrize(
  "values",
  [
    [3, True, 1.0, 2.5, 0, False, -0.0, 2**53 + 1, 2.0**53],
    ["b", "a", "", "ab", "\U0001f600", "\uffff", "a"],
    [],
    [7],
  ],
)
def test_ranks_are_those_of_sorted(values):
  ranks = kernels.recursive_tf_python_scalar_ranks(*parts(values)).numpy().tolist()
  distinct = sorted(set(values))
  assert ranks == [distinct.index(value) for value in values]


@pytest.mark.parametrize("values", [[1, "a"], [1.0, math.nan]])
def test_what_has_no_order_fails(values):
  with pytest.raises(tf.errors.InvalidArgumentError, match="check failed: order"):
    kernels.recursive_tf_python_scalar_ranks(*parts(values))
