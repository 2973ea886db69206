"""Subscripts of tensors, variables and arrays: new axes, all other axes, slices, numbers, mixed."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import Reason
from tests.convert.agreement import CONVERTED, agrees, root

CUBE = tf.reshape(tf.range(24.0), [2, 3, 4])
NUMBERS = CUBE.numpy()


def tree():
  """Returns the root of a tree whose nodes have a tensor, a variable, an array and a mask."""
  found = root()
  for n in [found, *found.kids]:
    n.t, n.w, n.a = CUBE * float(n.v), tf.Variable(CUBE * float(n.v)), NUMBERS * np.float32(n.v)
    n.mask = tf.constant([True, n.flag])
  return found


def described(found):
  """Returns a number that another shape, or other elements or places of them, would change."""
  flat = tf.reshape(tf.convert_to_tensor(found), [-1])
  shape = tf.shape(found)
  sizes = tf.reduce_sum(shape * tf.range(3, 3 + tf.size(shape)))
  places = tf.range(1.0, tf.cast(tf.size(flat), tf.float32) + 1.0)
  return tf.reduce_sum(flat * places) + 1000.0 * tf.cast(sizes, tf.float32)


def check(own, expect=CONVERTED):
  """Compares a fold of what `own` gives for each node, which is a list."""

  def build(recursive):
    @recursive
    def total(n):
      h = tf.stack([described(x) for x in own(n)])
      for k in n.kids:
        h = h + total(k)
      return h

    return total

  agrees(build, lambda: [(tree(),), (tree(),)], expect)


@pytest.mark.parametrize(
  "own",
  [
    lambda n: [n.t[...], n.t[..., 0], n.t[0, ...], n.t[..., None], n.t[None, ...], n.t[..., 1:]],
    lambda n: [n.t[tf.newaxis], n.t[None, 1:, ...], n.t[..., None, 0], n.t[1, None], n.t[1:, None]],
    lambda n: [n.t[0, ..., n.v % 3], n.t[..., -n.v], n.t[None, n.v % 2], n.t[..., ::-1]],
    lambda n: [n.t[..., : n.v], n.t[: n.v, ..., None], n.t[:, n.v % 3, None, ..., None]],
    lambda n: [n.w[..., 0], n.w[None, 1:], n.w[0, ..., None], n.w[..., n.v % 2], n.w[..., : n.v]],
    lambda n: [CUBE[..., 0], CUBE[None, 1:, ...], CUBE[..., n.v % 2], CUBE[..., : n.v, None]],
    lambda n: [n.a[..., 0], n.a[None, 1:, ...], n.a[..., n.v % 2, None], NUMBERS[..., 1] * n.v],
  ],
)
def test_new_axes_and_all_other_axes(own):
  check(own)


def test_an_item_of_an_array_by_all_other_axes_is_an_array():
  @rtf.recursive(verify=False)
  def kinds(n):
    found = n.a[0, 0, 0], n.a[0, 0, 0, ...], n.a[...]
    return [isinstance(x, np.ndarray) for x in found]

  for _ in range(2):
    assert kinds(tree()) == kinds.python(tree()) == [False, True, True]
  assert kinds.stats.num_converted_runs == 2, kinds.explain()


@pytest.mark.parametrize(
  "own, reason",
  [
    (lambda n: [n.t[..., ...]], Reason.TENSORFLOW_ERROR),
    (lambda n: [n.t[..., n.v + 2]], Reason.CHECK_FAILED),
    (lambda n: [n.t[n.mask]], None),
  ],
)
def test_what_raises_or_takes_a_mask(own, reason):
  check(own, reason)


@pytest.mark.parametrize("decorate", [rtf.recursive, rtf.function])
@pytest.mark.parametrize(
  "own",
  [
    lambda n: range(n.v)[1:2],
    lambda n: range(n.v)[::-1],
    lambda n: list(range(n.v)[1:]),
    lambda n: list(range(n.v))[1:],
    lambda n: range(n.v + 1)[-1],
  ],
)
def test_a_slice_of_a_range_is_a_range(own, decorate):
  converted = decorate(lambda node: own(node), verify=False)
  for v in (2, 3, 4):
    node = tree()
    node.v = v
    assert repr(converted(node)) == repr(own(node))
