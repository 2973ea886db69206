"""`@rtf.subgraph` and `rtf.SubGraph` inside of what is converted: plain Python calls them."""

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf.convert._refusal import ConversionRefused, Reason


def _power_of(w):
  @rtf.subgraph
  def power(n, x):
    if n <= 0:
      return x
    return w * power(n - 1, x)

  return power


class _Model:
  def __init__(self):
    self.w = tf.Variable(2.0)

  @rtf.subgraph
  def power(self, n, x):
    if n <= 0:
      return x
    return self.w * self.power(n - 1, x)


with rtf.SubGraph("factorial") as _FACTORIAL:
  _n = _FACTORIAL.input(tf.int32)
  _FACTORIAL.output(tf.cond(_n <= 1, lambda: 1, lambda: _n * _FACTORIAL(_n - 1)))


def _call(w, power, model):
  return lambda n, x: power(n, x) + 1.0


def _gradient(w, power, model):
  def step(n, x):
    with tf.GradientTape() as tape:
      y = power(n, x)
    gradient = tape.gradient(y, w)
    w.assign_sub(0.01 * gradient)
    return y, gradient

  return step


def _map(w, power, model):
  return lambda n, x: power.map(n + tf.range(3), x * tf.ones([3]))


def _method(w, power, model):
  return lambda n, x: model.power(n, x)


def _declared(w, power, model):
  return lambda n, x: _FACTORIAL(n)


def _declared_map(w, power, model):
  return lambda n, x: _FACTORIAL.map(n + tf.range(3))


def _in_a_branch(w, power, model):
  return lambda n, x: power(n, x) if x > 0 else x


_CASES = [_call, _gradient, _map, _method, _declared, _declared_map, _in_a_branch]


@pytest.mark.parametrize("decorate", [rtf.function, rtf.recursive])
@pytest.mark.parametrize("make", _CASES)
def test_plain_python_calls_it_and_the_refusal_says_so(make, decorate):
  def outcome(decorate):
    w, model = tf.Variable(2.0), _Model()
    function = decorate(make(w, _power_of(w), model))
    found = [function(tf.constant(n), tf.constant(1.0)) for n in (3, 1)]
    return tf.nest.map_structure(np.asarray, [found, w]), function

  expected, _ = outcome(lambda f: f)
  found, function = outcome(decorate)
  tf.nest.map_structure(np.testing.assert_array_equal, found, expected)
  assert function.stats.num_converted_runs == 0
  if decorate is rtf.function or make is not _gradient:
    assert {*function.stats.fallbacks} == {Reason.OPAQUE_CALL}
    assert "is a SubGraph already" in str(function.explain())


def test_its_plain_function_becomes_one():
  w = tf.Variable(2.0)

  def power(n, x):
    if n <= 0:
      return x
    return w * power(n - 1, x)

  function = rtf.function(lambda n, x: power(n, x) + 1.0, strict=True)
  assert float(function(tf.constant(3), tf.constant(1.0))) == 9.0
  with pytest.raises(ConversionRefused, match="power is a SubGraph already"):
    made = _power_of(w)
    rtf.function(lambda n, x: made(n, x), strict=True)(tf.constant(3), tf.constant(1.0))


def test_a_converted_function_in_a_subgraph_is_plain_python_that_is_traced():
  w = tf.Variable(2.0)

  @rtf.function
  def scaled(x):
    return w * x

  @rtf.subgraph
  def power(n, x):
    if n <= 0:
      return x
    return scaled(power(n - 1, x))

  assert float(power(3, 1.0)) == 8.0
  w.assign(3.0)
  assert float(power(2, 1.0)) == 9.0
  assert {*scaled.stats.fallbacks} == {Reason.INSIDE_FUNCTION}
