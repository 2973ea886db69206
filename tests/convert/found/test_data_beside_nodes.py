"""What TensorFlow takes is a number or a list of numbers in some nodes, and a node in others.

`tf.constant(e[1])` under `if e[0] == "num"` reads item 1 of nodes that have a list there elsewhere.
Where it is no number the run fails, and Python does the call.
"""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


def _num(x):
  return ["num", x]


def _tagged(f, e):
  if e[0] == "num":
    return tf.constant(e[1]) * 2.0
  if e[0] == "neg":
    return -f(e[1])
  return f(e[1]) + f(e[2])


def _exponent(f, e):
  if e[0] == "num":
    return tf.exp(e[1])
  return f(e[1]) * f(e[2])


def _by_length(f, t):
  """A leaf is `[label, vector]`, an inner node `[label, left, right]`."""
  label = t[0]
  if len(t) == 2:
    h = tf.convert_to_tensor(t[1])
  else:
    h = tf.tanh(f(t[1])[0] - f(t[2])[0])
  return h, tf.tensor_scatter_nd_add(tf.zeros([3, 2]), [[label, 1]], [1.0])


def _by_class(f, t):
  if isinstance(t[0], float):
    return tf.convert_to_tensor(t)
  return tf.tanh(f(t[0]) + f(t[1]))


def _by_key(f, t):
  if t["kind"] == "leaf":
    return tf.constant(t["value"], tf.float32)
  return tf.add_n([f(c) for c in t["value"]])


def _rows_of_a_table(f, t):
  if len(t) == 2:
    return tf.gather(_TABLE, t[1])
  return f(t[1]) - f(t[2])


_TABLE = tf.reshape(tf.range(12.0), [4, 3])
_LEAF = [1, [0.5, 1.5]]
_PROGRAMS = {
  "tagged": (_tagged, [_num(1.0), ["+", _num(1.5), ["neg", _num(2.0)]], ["neg", _num(3.0)]]),
  "exponent": (_exponent, [_num(0.5), ["*", _num(0.25), ["*", _num(1.0), _num(2.0)]]]),
  "by_length": (_by_length, [_LEAF, [2, _LEAF, [0, [1, [0.5, 2.5]], _LEAF]]]),
  "by_class": (_by_class, [[0.5, 1.0], [[0.5, 1.0], [[1.5, 2.0], [0.25, 3.0]]]]),
  "by_key": (
    _by_key,
    [
      {"kind": "leaf", "value": [1.0, 2.0]},
      {"kind": "node", "value": [{"kind": "leaf", "value": [1.0, 2.0]}] * 2},
    ],
  ),
  "rows": (_rows_of_a_table, [("NN", 1), ("S", ("NN", 1), ("VP", ("V", 2), ("NN", 3)))]),
}


def _decorated(program, **options):
  @rtf.recursive(verify=False, **options)
  def f(e):
    return program(f, e)

  return f


def _assert_same(found, wanted):
  for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
    assert one.dtype == other.dtype
    np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize("name", _PROGRAMS)
def test_data_is_read_where_a_test_has_found_it(name):
  program, arguments = _PROGRAMS[name]
  f = _decorated(program, strict=True)
  for argument in [*arguments, *arguments]:
    _assert_same(f(argument), f.python(argument))


@pytest.mark.parametrize(
  "other", ["word", None, [1.0, 2.0], [[1.0, 2.0], [3.0, 4.0]], _num(2.0), (), True, 3]
)
def test_other_data_is_what_python_makes_of_it(other):
  f = _decorated(_tagged)
  tree = ["+", _num(1.5), ["neg", _num(2.0)]]
  _assert_same(f(tree), f.python(tree))
  try:
    wanted = f.python(_num(other))
  except Exception as error:
    with pytest.raises(type(error)):
      f(_num(other))
  else:
    _assert_same(f(_num(other)), wanted)
  _assert_same(f(tree), f.python(tree))


def test_a_constant_of_a_list_with_tensors_raises_as_in_python():
  """The graph made one tensor of them."""

  class Node:
    def __init__(self, v, *kids):
      self.v, self.kids = v, kids

  @rtf.recursive(verify=False)
  def f(n):
    return tf.reduce_sum(tf.constant([n.v, n.v])) + sum(f(kid) for kid in n.kids)

  with pytest.raises(ValueError, match="no `len"):
    f(Node(tf.constant(1.0), Node(tf.constant(2.0))))


def test_tensors_beside_words_are_added_where_a_flag_says_which_they_are():
  class Item:
    def __init__(self, value, is_text=False):
      self.value, self.is_text = value, is_text

  @rtf.recursive(strict=True, verify=False)
  def total(items):
    return sum([tf.reduce_sum(item.value) for item in items if not item.is_text], 0.0)

  assert float(total([Item(tf.ones([2])), Item("x", True), Item(tf.fill([2], 3.0))])) == 8.0
