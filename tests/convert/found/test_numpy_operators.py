"""Operators of a NumPy value and a tensor: each type beside each, as eager execution has them."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.compiled import compiled

NUMPY = """bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64
complex128""".split()
TENSORS = [*NUMPY, "bfloat16"]
FEW = ["bool", "uint8", "int32", "float32"]
OPERATORS = "+ - * / // % ** == != < <= > >= & | ^ << >> @".split()
DECORATORS = {"function": rtf.function, "recursive": rtf.recursive}


def written(operator, is_left):
  """Returns `number op tensor`, or `tensor op number`, as a user writes it."""
  expression = f"number {operator} tensor" if is_left else f"tensor {operator} number"
  source = f"def apply(number, tensor):\n  return {expression}\n"
  return compiled(source, "apply")


def outcome(function, *args):
  """Returns what a call gives, type and all, or the class of what it raises."""
  try:
    found = function(*args)
  except Exception as error:
    return type(error)
  if tf.is_tensor(found):
    return "tensor", found.dtype, found.shape, str(found.numpy().tolist())
  return type(found), str(found)


def check(decorator, operator, pairs):
  """Compares both sides of an operator."""
  num_converted = 0
  for is_left in (True, False):
    plain = written(operator, is_left)
    for of_number, of_tensor in pairs:
      number = np.array(1 if of_number == "bool" else 3).astype(of_number)[()]
      tensor = tf.cast(tf.constant([2, 1]), of_tensor)
      function = decorator(plain, verify=False)
      with np.errstate(all="ignore"):
        expected = outcome(plain, number, tensor)
        assert outcome(function, number, tensor) == expected, (operator, of_number, of_tensor)
      num_converted += function.stats.num_converted_runs
  return num_converted


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_bool_of_numpys_beside_tensors(operator):
  check(rtf.function, operator, [("bool", other) for other in FEW])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("decorator", DECORATORS)
def test_a_bool_of_numpys_times_each_tensor(decorator):
  assert check(DECORATORS[decorator], "*", [("bool", other) for other in TENSORS])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", NUMPY)
def test_products_of_each_scalar_with_tensors(number):
  assert check(rtf.function, "*", [(number, other) for other in FEW])
