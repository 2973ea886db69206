"""Python's functions and operators ask objects what they are, each time, by the right method."""

import math

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf


class _Own:
  """An object with methods of its own, all of which read its number."""

  def __init__(self, v):
    self.v = v

  def __float__(self):
    return float(self.v)

  def __int__(self):
    return int(self.v)

  def __index__(self):
    return int(self.v) % 3

  def __abs__(self):
    return self.v + 12

  def __round__(self, digits=0):
    return self.v + 13

  def __ceil__(self):
    return int(self.v) + 20

  def __floor__(self):
    return int(self.v) + 30

  def __trunc__(self):
    return int(self.v) + 40

  def __divmod__(self, other):
    return self.v, self.v

  def __bool__(self):
    return self.v > 2

  def __len__(self):
    return 1  # Fewer than there are.

  def __getitem__(self, key):
    return 100.0

  def __iter__(self):
    return iter([self.v, self.v + 1])

  def __reversed__(self):
    return iter([self.v + 7])

  def __contains__(self, value):
    return self.v > value

  def __eq__(self, other):
    return abs(self.v - (other.v if isinstance(other, _Own) else other)) < 0.5

  def __ne__(self, other):
    return abs(self.v - (other.v if isinstance(other, _Own) else other)) < 1.5

  __hash__ = None

  def __lt__(self, other):
    return self.v < (other.v if isinstance(other, _Own) else other)

  def __gt__(self, other):
    return self.v > (other.v if isinstance(other, _Own) else other) + 1

  def __iadd__(self, other):
    self.v = self.v + 1.0
    return self

  def __add__(self, other):
    return -1.0


class _Sequence:
  def __init__(self, v):
    self.v = v

  def __len__(self):
    return 2

  def __getitem__(self, key):
    if key >= 3:
      raise IndexError
    return self.v + key


class _Node:
  def __init__(self, v, *kids):
    self.v, self.kids = v, kids


_OWN, _OTHER, _SEQUENCE = _Own(1.0), _Own(2.0), _Sequence(1.0)


def _in_place(n):
  total = _OWN
  total += n
  return [total is _OWN, total.v + n]


_USES = {
  "abs": lambda n: abs(_OWN) + n,
  "ceil": lambda n: math.ceil(_OWN) + n,
  "compared with a number": lambda n: [_OWN == n, _OWN != n],
  "compared": lambda n: [_OWN == _OTHER, _OWN < _OTHER, _OWN > n],
  "contains": lambda n: [1.5 in _OWN, n],
  "divmod": lambda n: [*divmod(_OWN, 2), n],
  "enumerate": lambda n: [a * n + i for i, a in enumerate(_OWN)],
  "float": lambda n: float(_OWN) + n,
  "floor": lambda n: math.floor(_OWN) + n,
  "index": lambda n: [[10, 20, 30][_OWN], n],
  "int": lambda n: int(_OWN) + n,
  "in a list": lambda n: [n in [_OWN, _OTHER], n],
  "in place": _in_place,
  "iter": lambda n: [a * n for a in _OWN],
  "iter of items": lambda n: [a * n for a in _SEQUENCE],
  "list": lambda n: [*list(_OWN), n],
  "max": lambda n: max([_OWN, _OTHER]).v + n,
  "min": lambda n: min(_OTHER, _OWN).v + n,
  "range": lambda n: [i + n for i in range(_OWN)],
  "reversed": lambda n: [*reversed(_OWN), n],
  "round": lambda n: round(_OWN) + n,
  "slice": lambda n: [[1, 2, 3, 4][:_OWN], n],
  "sorted": lambda n: [a.v + n for a in sorted([_OTHER, _OWN])],
  "sqrt": lambda n: math.sqrt(_OWN) + n,
  "truth": lambda n: n if _OWN else -n,
  "trunc": lambda n: math.trunc(_OWN) + n,
  "zip": lambda n: [a * n for a, _ in zip(_OWN, [1, 2], strict=False)],
}


def _outcomes(call, numbers):
  found = []
  for k, number in enumerate(numbers):
    _OWN.v = _SEQUENCE.v = float(1 + k * k)
    found.append(tf.nest.map_structure(lambda x: np.asarray(x).tolist(), call(number)))
    found.append(_OWN.v)
  return found


@pytest.mark.parametrize("use", _USES)
@pytest.mark.parametrize("is_tensor", [False, True])
def test_python_asks_objects_each_time(use, is_tensor):
  function = _USES[use]
  numbers = [tf.constant(float(k)) if is_tensor else k for k in (1, 2, 5, 10)]
  expected = _outcomes(function, numbers)
  assert _outcomes(rtf.function(function, verify=False), numbers) == expected


@pytest.mark.parametrize("use", _USES)
def test_python_asks_objects_each_time_in_recursions(use):
  function = _USES[use]

  def first(node):
    for kid in node.kids:
      first(kid)
    return function(node.v)

  plain = first
  trees = [_Node(k, _Node(k)) for k in (1, 2, 5, 10)]
  expected = _outcomes(plain, trees)
  first = rtf.recursive(plain, verify=False)
  assert _outcomes(first, trees) == expected


def test_an_object_of_the_run_says_what_it_equals():
  @rtf.function(verify=False)
  def equals(x, n):
    made = _Own(x)
    return [made == n, n == 3]

  assert [equals(2, n)[0] for n in (1, 2, 3)] == [False, True, False]


def test_iter_of_a_module_is_looked_at_again():
  class Chain(tf.Module):
    def __init__(self):
      super().__init__()
      self.factors, self.order = [2.0, 3.0], [1, 0]

    def __len__(self):
      return 2

    def __getitem__(self, index):
      return self.factors[index]

    def __iter__(self):
      return iter([self.factors[i] for i in self.order])

  chain = Chain()

  def apply(x):
    for factor in chain:
      x = x * factor + 1.0
    return x

  function = rtf.function(apply, verify=False)
  for order in ([1, 0], [1, 0], [0, 1], [1, 0]):
    chain.order = order
    assert float(function(tf.constant(5.0))) == float(apply(tf.constant(5.0)))


class _Config(dict):
  __getattr__ = dict.__getitem__


def test_a_dict_whose_items_are_attributes_is_no_internal_error():
  config = _Config(rate=0.5)
  function = rtf.function(lambda x: x * config["rate"], strict=True, verify=False)
  assert float(function(tf.constant(4.0))) == 2.0


def test_slices_of_tuples_are_tuples():
  class Pair:
    def __init__(self, t):
      self.t = t

  function = rtf.function(lambda o: (o.t[1:], isinstance(o.t[1:], tuple)), verify=False)
  for parts in ((1, 2), (1, 2, 3), (4, 5)):
    assert function(Pair(parts)) == (parts[1:], True)
  doubled = rtf.function(lambda x: x * 2, verify=False)((tf.constant(1.0), 2))
  assert [type(part) for part in doubled[1::2]] == [int, int]


def test_what_is_no_number_for_python():
  for call in (lambda x: divmod(x, 2), lambda x: int(tf.stack([x]).numpy())):
    with pytest.raises((TypeError, AttributeError)):
      rtf.function(call, verify=False)(tf.constant(7.0))
  assert rtf.recursive(lambda n: callable(n.kids), verify=False)(_Node(1)) is False
