"""A tensor on some paths and a number on others: what it is, and what only a tensor has."""

import pytest
import tensorflow as tf

from tests.convert.agreement import CONVERTED, agrees, bushy, lopsided, root

NUMBERS = {"float": 1.5, "int": 2, "zero": 0, "not_of_float32": 0.1}
TENSORS = {"scalar": tf.constant(2.0), "ints": tf.constant(3), "vector": tf.constant([1.0, 2.0])}

# What a test finds out. The first few are converted wherever the number can be one.
ASKS = {
  "float": lambda x: isinstance(x, float),
  "number": lambda x: isinstance(x, (int, float)),
  "tensor": lambda x: isinstance(x, tf.Tensor),
  "is_tensor": tf.is_tensor,
  "object": lambda x: isinstance(x, object),
  "none": lambda x: x is None,
  "branch": lambda x: tf.reduce_sum(x) + 1 if tf.is_tensor(x) else -1,
  "branch_of_number": lambda x: x * 2 if isinstance(x, (int, float)) else "t",
}
# What a number does not have, or has another value of.
READS = {
  "shape": lambda x: x.shape,
  "dtype": lambda x: x.dtype,
  "rank": lambda x: x.shape.rank,
  "has_shape": lambda x: hasattr(x, "shape"),
  "length": len,
  "elements": list,
  "item": lambda x: x[0],
  "size": tf.size,
  "shape_op": tf.shape,
  "rank_op": tf.rank,
  "zeros": lambda x: tf.shape(tf.zeros_like(x)),
  "converted": lambda x: tf.convert_to_tensor(x).dtype,
  "stacked": lambda x: tf.stack([x, x]).shape,
  "type": lambda x: type(x).__name__,
}


def by_branch(recursive, number, tensor, ask):
  @recursive
  def f(n):
    x = number if n.flag else tensor
    return [ask(x), *[f(kid) for kid in n.kids]]

  return f


def by_call(recursive, number, tensor, ask):
  @recursive
  def f(n):
    if not n.kids:
      return number
    x = f(n.kids[0])
    return tensor if ask(x) is not None else number

  return f


def by_loop(recursive, number, tensor, ask):
  @recursive
  def f(n):
    x = number
    for kid in n.kids:
      x = tensor if kid.flag else x
    return [ask(x), *[f(kid) for kid in n.kids]]

  return f


def trees():
  return [(root(),), (lopsided(),), (bushy(),)]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("tensor", TENSORS)
@pytest.mark.parametrize("make", [by_branch, by_call, by_loop])
@pytest.mark.parametrize("ask", [*ASKS, *READS])
def test_a_tensor_or_a_number(number, tensor, make, ask):
  asked = {**ASKS, **READS}[ask]

  def build(recursive):
    return make(recursive, NUMBERS[number], TENSORS[tensor], asked)

  agrees(build, trees)


@pytest.mark.parametrize("ask", list(ASKS)[:6])
def test_what_it_is_is_known_in_the_run(ask):
  agrees(
    lambda recursive: by_branch(recursive, 1.5, TENSORS["scalar"], ASKS[ask]), trees, CONVERTED
  )


@pytest.mark.parametrize("value", [1.5, "a", tf.constant(2.0)], ids=["float", "string", "tensor"])
@pytest.mark.parametrize("read", ["size", "shape_op", "rank_op", "zeros"])
@pytest.mark.parametrize("is_called", [True, False])
def test_none_has_no_shape(value, read, is_called):
  def build(recursive):
    def given(n):
      return None if n.kids else value

    @recursive
    def f(n):
      x = given(n) if is_called else None if n.kids else value
      return READS[read](x)

    return f

  agrees(build, lambda: [(bushy().kids[1],), (root(),)])
