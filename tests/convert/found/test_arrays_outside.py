"""Arrays of NumPy outside of the tree stay arrays when they change between calls."""

import types

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from tests.convert.agreement import root
from tests.convert.compare import Comparison


def new_numbers(h):
  h.a[0] = 9.0


def longer(h):
  h.a = np.arange(5.0)


def other_type(h):
  h.a = np.float32([1, 2, 3])


def a_tensor(h):
  h.a = tf.constant([4.0, 5.0, 6.0])


def an_array_again(h):
  h.a = np.arange(3.0)


CHANGES = (None, new_numbers, longer, other_type, a_tensor, an_array_again)


@pytest.mark.parametrize(
  "own",
  [
    lambda n, h: [isinstance(h.a, np.ndarray), isinstance(h.a, tf.Tensor), tf.is_tensor(h.a)],
    lambda n, h: [type(h.a).__name__, h.a.shape[0], len(h.a), h.a.dtype == np.float64],
    lambda n, h: (1, h.a * 2.0 + h.a) if isinstance(h.a, np.ndarray) else (2, h.a + 1.0),
    lambda n, h: [h.a[0] * 2.0, h.a[n.v % 3], h.a[0] > 1.0],
    lambda n, h: tf.reduce_sum(tf.cast(h.a, tf.float32) * float(n.v)),
    lambda n, h: [x * 2.0 for x in h.a] if len(h.a) < 4 else [],
  ],
)
def test_an_array_of_an_object_is_what_it_is_now(own):
  def visiting(h):
    def visit(n):
      for k in n.kids:
        visit(k)
      return own(n, h)

    return visit

  holders = (
    types.SimpleNamespace(a=np.arange(1.0, 4.0)),
    types.SimpleNamespace(a=np.arange(1.0, 4.0)),
  )
  plain, f = visiting(holders[0]), rtf.recursive(visiting(holders[1]), verify=False)
  for change in CHANGES:
    for h in holders if change is not None else ():
      change(h)
    Comparison().check(plain(root()), f(root()), f"after {change}")
  assert f.stats.num_converted_runs >= 2, f.explain()
