"""Numbers and shapes that only the run knows: repeating, unpacking, comparing, deciding."""

import pytest
import tensorflow as tf

from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, root


def shaped(*lengths):
  """Returns a root with two leaves, each with a matrix of so many rows."""
  tree = root()
  for node, length in zip([tree, *tree.kids], lengths, strict=True):
    node.x = tf.reshape(tf.range(length * 2.0), [length, 2])
  return tree


def check(own, expect=CONVERTED, combine=lambda total, part: total + part):
  """Compares a fold over trees of one shape, and of several, of what `own` gives for a node."""

  def build(recursive):
    @recursive
    def fold(n):
      result = own(n)
      for k in n.kids:
        result = combine(result, fold(k))
      return result

    return fold

  agrees(build, lambda: [(shaped(2, 2, 2),), (shaped(4, 4, 4),), (shaped(2, 3, 5),)], expect)


# --- Repeating


def lists(n):
  return len([1.5] * n.v) + len(n.v * [0]) + len([n.x] * n.v) + len([n] * (n.v - 2))


def content(n):
  return sum([n.v] * n.v) + tf.reduce_sum(tf.stack([n.x[0, 1]] * n.v))


def of_a_slice(n):
  return len(n.kids[:1] * n.v) + len([1, 2] * -n.v) + len([] * n.v)


def tuples(n):
  return len((1,) * n.v) + sum((1, 2) * n.v) + len(n.v * (n.x, n.x)) + len(tuple(n.kids) * n.v)


def in_place(n):
  h = [1, 2]
  h *= n.v
  return len(h)


@pytest.mark.parametrize("own", [lists, content, of_a_slice, tuples, in_place])
def test_a_list_is_repeated(own):
  check(own)


@pytest.mark.parametrize(
  "own",
  [
    lambda n: len(b"ab" * n.v),
    lambda n: len([[1], [2]] * n.v),
  ],
)
def test_what_cannot_be_repeated_is_refused(own):
  check(own, expect={Reason.UNSUPPORTED_OPERATION, Reason.DYNAMIC_LIST})


def test_a_repeated_tuple_is_no_tensor():
  def build(recursive):
    return recursive(lambda n: ((1, 2) * n.v, [n.name] * n.v))

  agrees(build, expect=CONVERTED)


@pytest.mark.parametrize("own", [lambda n: len("ab" * n.v), lambda n: len("abcdef"[: n.v])])
def test_strings_of_the_run_are_looked_into(own):
  check(own, expect=CONVERTED)


# --- Shapes


def truth(n):
  return 1 if n.x.shape[0] and n.x.shape[0] > 3 else 10


def is_none(n):
  return 5 if n.x.shape[0] is None else 1


def unpacked(n):
  b, d = n.x.shape
  return b * d


def through_containers(n):
  return tuple(n.x.shape)[0] + list(n.x.shape)[-2] + n.x.shape.as_list()[0] + n.x.get_shape()[0]


def compared(n):
  return (1 if n.x.shape == (3, 2) else 2) + (4 if (5, 2) != n.x.shape else 8)


def compared_with_each_other(n):
  return sum(1 if k.x.shape == n.x.shape else 2 for k in n.kids)


def ranks(n):
  return n.x.shape.rank + n.x.shape.ndims + len(n.x.shape) + n.x.ndim + len(n.x)


def known(n):
  return (1 if n.x.shape.is_fully_defined() else 2) + (4 if n.x.shape else 8)


def counted(n):
  product = n.x.shape.num_elements()
  for size in n.x.shape:
    product *= size
  return product


def of_a_slice_of_it(n):
  return n.x.shape[1:][0] + n.x.shape[:1][0] + max(n.x.shape) + min(n.x.shape[0], 3)


def in_ranges(n):
  return sum(i for i in range(n.x.shape[0])) + len([0] * n.x.shape[0])


def of_something_computed(n):
  h = tf.concat([n.x, n.x], 0)
  return h.shape[0] if h[1:].shape[0] > 5 else -h.shape[0]


SHAPES = [truth, is_none, unpacked, through_containers, compared, compared_with_each_other, ranks]
SHAPES += [known, counted, of_a_slice_of_it, in_ranges, of_something_computed]


@pytest.mark.parametrize("own", SHAPES)
def test_a_dimension_is_a_number_of_the_run(own):
  check(own)


@pytest.mark.parametrize(
  "own",
  [
    lambda n: tf.reduce_sum(tf.ones([n.x.shape[0], 3])),
    lambda n: tf.reduce_sum(tf.ones(n.x.shape)),
    lambda n: tf.reduce_sum(tf.ones([2] + n.x.shape) + tf.ones(n.x.shape[:1] + [2])),
    lambda n: tf.reshape(n.x, [n.x.shape[0] * n.x.shape[1]])[0],
    lambda n: tf.reduce_sum(tf.reshape(n.x, [-1, n.x.shape[0]])[0]),
  ],
)
def test_tensorflow_takes_such_shapes(own):
  check(own)


@pytest.mark.parametrize(
  "own",
  [
    lambda n: 1 if n.x.shape.is_compatible_with([3, 2]) else 2,
    lambda n: n.x.shape.dims[0].value,
    lambda n: 1 if 3 in n.x.shape else 2,
  ],
)
def test_what_cannot_be_said_of_a_shape_is_refused(own):
  check(own, expect={Reason.NEEDS_VALUE, Reason.UNSUPPORTED_OPERATION})


def test_a_shape_is_returned():
  def build(recursive):
    return recursive(lambda n: n.x.shape)

  agrees(build, lambda: [(shaped(2, 2, 2),)] * 2, expect=CONVERTED)
  # Sizes that change are not passed on: each has its own program.
  agrees(build, lambda: [(shaped(2, 2, 2),), (shaped(3, 2, 2),)], expect=CONVERTED)


# --- Arithmetic


def ints(n):
  v = n.v
  return v // 2 + v % 2 + -v // 2 + -v % 3 + v**2 + 2**v + (v << 2) + ~v + (v & 1) + v * 10**9


def floats(n):
  return n.v / 2 + round(n.v / 2) + int(-n.v / 2) + 7.5 // n.v + 7.5 % -n.v + n.v**-1


def flags(n):
  f = n.flag
  return True + f + f * 3 + (f & True) + (f | False) - f + (not f) + (f == 1) + int(f)


def counts(n):
  return len(list(range(n.v, -2, -1))) + sum(range(0, 10, n.v)) + sum(divmod(7, n.v))


@pytest.mark.parametrize("own", [ints, floats, flags, counts])
def test_arithmetic_is_pythons(own):
  check(own)


def test_ints_beyond_64_bits_are_left_to_python():
  check(lambda n: (n.v * 2**40) * 2**40, expect=Reason.CHECK_FAILED)
