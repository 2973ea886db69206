"""Arrays of all kinds, and how what comes of them is compared."""

import math
import random
import warnings

import numpy as np
import tensorflow as tf

KINDS = {
  "float64": np.float64,
  "float32": np.float32,
  "int64": np.int64,
  "int32": np.int32,
  "bool": np.bool_,
}
SHAPES = {"vector": (3,), "matrix": (3, 3), "empty": (0,), "one": (1,), "number": ()}
# Where the arrays come from.
PLACES = {
  "attribute": "def f(n, a, b):\n  x, y = n.a, n.b\n  return {}\n",
  "argument": "def f(n, x, y):\n  return {}\n",
  "of unknown length": "def f(n, a, b):\n  x, y = (a[: n.k + 5], b[: n.k + 5])\n  return {}\n",
  "copy": "def f(n, a, b):\n  x, y = n.a.copy(), n.b.copy()\n  return {}\n",
  "returned": (
    "def last(n, k):\n  return n.a * 1 if k == 0 else last(n, k - 1)\n"
    "def f(n, a, y):\n  x = last(n, 2)\n  return {}\n"
  ),
}
_FLOATS = [0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.7, -7.2, 2.0, 8.0, 0.1]
_WILD = [*_FLOATS, -0.0, math.nan, math.inf, -math.inf, 1e300, 1e-300]
_INTS = [0, 1, -1, 2, 2, 3, 7, -7, 5, 40, -3]


class Node:
  """A node with two arrays, a tensor, numbers and children."""


def array(draw, kind, shape, wild):
  """Returns an array of a kind; a scalar of NumPy for no axes."""
  count = math.prod(shape)
  if kind is np.bool_:
    found = [draw.random() < 0.5 for _ in range(count)]
  elif issubclass(kind, np.integer):
    found = [draw.choice(_INTS) for _ in range(count)]
  else:
    found = [draw.choice(_WILD if wild else _FLOATS) for _ in range(count)]
  with np.errstate(all="ignore"):
    return np.array(found).astype(kind).reshape(shape)[()]


def node(seed, kind, shape, wild=False, other=None, has_kids=True):
  """Returns a node with arrays of one kind and shape, the second of another if that is given."""
  draw = random.Random(seed)
  n = Node()
  n.a, n.b = array(draw, kind, shape, wild), array(draw, other or kind, shape, wild)
  n.x = tf.constant(array(draw, kind, shape, wild))
  n.k, n.f = draw.choice([1, 2, 2]), draw.choice([0.5, 1.5, 2.0])
  n.flag = draw.random() < 0.5
  n.kids = [node(f"{seed}{i}", kind, shape, wild, other, False) for i in (1, 2) if has_kids]
  return n


def outcome(function, *args):
  """Returns what a call gives, or the exception that it raises."""
  with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
      return function(*args)
    except Exception as error:
      return error


def is_same(a, b):
  """Tells whether two results are of one type, shape and value, but for the last digits."""
  if isinstance(a, BaseException) or type(a) is not type(b):
    return type(a) is type(b)
  if isinstance(a, (list, tuple)):
    return len(a) == len(b) and all(is_same(*pair) for pair in zip(a, b, strict=True))
  if tf.is_tensor(a):
    return is_same(a.numpy(), b.numpy())
  if not isinstance(a, (np.ndarray, np.generic, float)):
    return a == b
  a, b = np.asarray(a), np.asarray(b)
  if a.dtype != b.dtype or a.shape != b.shape:
    return False
  if a.dtype.kind != "f":
    return np.array_equal(a, b)
  are_zeros = (a == 0) & (b == 0)
  near = np.isclose(a, b, rtol=1e-5 if a.dtype == np.float32 else 1e-12, atol=1e-14, equal_nan=True)
  return bool(np.all(np.where(are_zeros, np.signbit(a) == np.signbit(b), near)))
