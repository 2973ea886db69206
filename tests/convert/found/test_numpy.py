"""Arrays and scalars of NumPy stay what they are, or the program is refused."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, root

ZERO = np.zeros(2, np.float32)
TABLE = np.arange(12, dtype=np.float32).reshape(6, 2)
HALF = np.float32(0.5)
WEIGHT = tf.Variable([1.0, 2.0])


def arrays():
  """Returns the root of a tree whose nodes have values of NumPy, tensors and variables."""
  tree = root()
  for n in [tree, *tree.kids]:
    n.a, n.double = np.float32([n.v, 1]), np.float64([n.v, 1])
    n.half, n.number, n.row = np.float32(n.v / 2), np.float64(n.v), np.int64(n.v)
    n.t, n.w = tf.constant([1.0, n.v]), tf.Variable([1.0, n.v])
    n.either = n.a if n.flag else n.t
    n.some = None if n.kids else n.a
    n.zero_d, n.ids = np.array(3.0), np.int32([n.v, 2])
  return tree


def check(function, expect=CONVERTED):
  """Compares two calls of a recursive function of one node."""
  agrees(lambda recursive: recursive(function), lambda: [(arrays(),), (arrays(),)], expect)


def fold(own):
  """Returns a recursive function that adds up what `own` gives for each node."""

  def total(n):
    h = own(n)
    for k in n.kids:
      h = h + total(k)
    return h

  return total


# --- What TensorFlow takes


@pytest.mark.parametrize(
  "own",
  [
    lambda n: tf.constant(n.a) + n.a,
    lambda n: n.a * WEIGHT + WEIGHT * n.a,
    lambda n: n.t * n.double + n.double * n.t + n.ids * n.t,
    lambda n: tf.matmul(n.a[None], tf.ones([2, 2]))[0],
    lambda n: tf.concat([n.a, n.t, n.a[:1]], 0),
    lambda n: n.half * n.t * HALF + n.number * n.t,
    lambda n: tf.gather(tf.range(10.0), n.ids) * TABLE[n.row, 1],
    lambda n: tf.convert_to_tensor(n.a * 2.0 + n.a - ZERO) / tf.reduce_sum(n.w * 2.0),
    lambda n: tf.identity(TABLE[n.v]) + TABLE[0] * n.t,
    lambda n: tf.reduce_sum(n.some) if n.some is not None else tf.constant(1.0),
    lambda n: tf.reduce_sum(n.either) * 2.0,
    lambda n: -n.w + abs(n.w) - abs(n.w if n.flag else n.t),
    lambda n: tf.add_n([tf.ones(2), *[x * n.t for x in n.a]]),
  ],
)
def test_tensorflow_takes_values_of_numpy(own):
  check(fold(own))


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize(
  "scalars",
  [
    lambda n: [np.sin(n.v), np.cos(n.v)],
    lambda n: [np.sin(n.v), 1.0],
    lambda n: [2, np.sin(n.v * 1.0), n.number],
    lambda n: (n.half, n.number, 0.1),
    lambda n: [[n.half, n.v], (1e30, n.number)],
    lambda n: [np.float64(0.1), n.number * 1e30],
    lambda n: [HALF, np.tanh(n.number)],
  ],
)
def test_lists_of_scalars_are_rounded_to_the_type_that_is_asked_for(scalars, dtype):
  check(fold(lambda n: tf.constant(scalars(n), dtype=dtype)))


def test_arrays_of_children_are_stacked():
  def total(n):
    h = tf.reduce_sum(tf.stack([k.a for k in n.kids])) if n.kids else tf.constant(1.0)
    return h + sum(total(k) for k in n.kids)

  check(total)


def test_an_array_is_an_argument():
  def build(recursive):
    @recursive
    def total(n, x):
      found = tf.reduce_sum(x) if isinstance(x, np.ndarray) else -tf.reduce_sum(x)
      return found + sum(total(k, x) for k in n.kids)

    return total

  calls = [(root(), np.ones(2)), (root(), np.float64(3)), (root(), tf.ones(2, tf.float64))]
  agrees(build, lambda: calls * 2, CONVERTED)


def test_arrays_of_a_mapped_call():
  @rtf.recursive
  def kind(x):
    return (1, x * 2.0) if isinstance(x, np.ndarray) else (2, x + 0.0)

  for values in (np.ones([2, 3]), np.ones(3), tf.ones([2, 3]), [np.ones(2), np.ones(2)]):
    kinds, _ = kind.map(values)
    assert kinds == [kind.python(value)[0] for value in values]


# --- What they are


def what(n):
  x, y, z, v = n.a, n.number, n.half, n.v
  found = [isinstance(x, np.ndarray), isinstance(y, float), isinstance(z, float)]
  found += [tf.is_tensor(x), tf.is_tensor(v), tf.is_tensor(n.t), tf.is_tensor(n.name)]
  found += [isinstance(x, tf.Tensor), isinstance(n.row, int), type(x) is np.ndarray]
  found += [isinstance(n.w, tf.Variable), isinstance(ZERO, np.ndarray)]
  return found + [tf.executing_eagerly()]


def conversions(n):
  found = float(n.half) + int(n.row) + float(n.a[0]) + int(n.number)
  return found + float(TABLE[n.v, 1]) + len(n.a)


def decisions(n):
  return (1 if n.half > 2 else 0) + (2 if n.row == 2 else 0) + (4 if n.a[0] < HALF else 0)


def attributes(n):
  return n.a.shape, n.a.ndim, n.a.dtype, TABLE.shape


@pytest.mark.parametrize("function", [what, conversions, decisions, attributes])
def test_they_are_known_for_what_they_are(function):
  check(function)


@pytest.mark.parametrize(
  "function",
  [
    lambda n: n.half,
    lambda n: n.number * 2.0,
    lambda n: n.a * 2.0 + n.a,
    lambda n: {"half": n.half + 1.0, "new": 1.0 / n.a},
    lambda n: n.a[0],
    lambda n: n.zero_d * 2.0,
    lambda n: n.a > 1.0,
    lambda n: [x for x in n.a],
    lambda n: TABLE[n.v, 0] * n.half,
    lambda n: np.zeros(2) if n.flag else np.array([1.0, 2.0]),
    lambda n: np.sum([n.a], axis=0) if n.kids else np.zeros(2, np.float32),
  ],
)
def test_results_of_numpy_are_of_numpy(function):
  check(function)


def test_values_of_numpy_are_printed_and_kept():
  def show(n):
    print(n.a, n.half, n.number, f"{n.half:.2f}", n.a * 2.0)
    n.kept = n.half * 2.0
    for k in n.kids:
      show(k)

  check(show)


@pytest.mark.parametrize(
  "function",
  [
    lambda n: n.a,  # The same object as the node's.
    lambda n: ZERO,
    lambda n: n.either,
    lambda n: [k.a for k in n.kids],
    lambda n: n.zero_d,
    lambda n: n.w,
    lambda n: WEIGHT,
    lambda n: n.a if n.flag else n.t,
  ],
)
def test_what_is_there_is_given_back(function):
  check(function)


def test_an_array_may_be_kept():
  def keep(n):
    n.kept = n.a
    return 0

  check(keep)


# --- What is refused


@pytest.mark.parametrize(
  "function",
  [
    lambda n: TABLE[n.v],
    lambda n: (n.a * 2.0, n.a * 3.0),
    lambda n: np.asarray(ZERO),
    lambda n: n.a[:1],
    lambda n: n.a.T,
    lambda n: n.a.reshape(-1),
  ],
)
def test_arrays_that_python_would_return_are_refused(function):
  check(function, Reason.UNSUPPORTED_OPERATION)


def test_other_functions_of_numpy_are_refused():
  check(lambda n: np.isscalar(n.v), Reason.OPAQUE_CALL)
  check(lambda n: np.shape(n.t), Reason.UNSUPPORTED_OPERATION)
  check(lambda n: np.cross(n.a, n.a), Reason.OPAQUE_CALL)
  check(lambda n: np.sum(n.a, out=n.a), Reason.OPAQUE_CALL)
  check(lambda n: n.a.partition(1), Reason.UNSUPPORTED_OPERATION)


def test_arrays_in_a_list_that_is_passed_in_are_refused():
  def build(recursive):
    @recursive
    def collect(n, found):
      row = n.a * 2.0
      found.append(row)
      found.append(row)
      for k in n.kids:
        collect(k, found)
      return found[0] + 1.0

    return collect

  agrees(build, lambda: [(arrays(), []), (arrays(), [])], Reason.UNSUPPORTED_OPERATION)


def accumulated(n):
  h = n.a
  for k in n.kids:
    h += accumulated(k)
  return h


def written(n):
  n.a += 1.0
  return 0


def item_written(n):
  n.a[0] = 5.0
  return 0


def item_added(n):
  h = n.a
  h[0] += 1.0
  return 0


@pytest.mark.parametrize("function", [accumulated, written, item_written, item_added])
def test_arrays_that_change_in_place_are_refused(function):
  check(function, {Reason.UNSUPPORTED_WRITE, Reason.DYNAMIC_LIST})


def test_a_tensor_added_in_place_makes_a_tensor():
  def total(n):
    h = n.a
    for k in n.kids:
      h += total(k)
    return tf.identity(h)

  check(total)
