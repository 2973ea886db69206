"""rtf.prepare: the numbers, variables, gradients and errors of the function itself."""

import threading

import numpy as np
import pytest
import tensorflow as tf

import recursive_tf as rtf
from recursive_tf import SignatureError

NUMBER = tf.TensorSpec([], tf.int32)
NUMBERS = tf.TensorSpec([None], tf.int32)


def powers(weight):
  """A SubGraph of weight ** n."""
  with rtf.SubGraph("powers") as f:
    n = f.input(tf.int32)
    f.output(tf.cond(n <= 0, lambda: 1.0, lambda: weight * f(n - 1)))
  return f


def test_it_gives_what_the_function_gives():
  f = powers(tf.constant(3.0))
  assert float(rtf.prepare(f, NUMBER)(4)) == 81.0
  mapped = rtf.prepare(f.map, NUMBERS)
  assert mapped([0, 1, 2]).numpy().tolist() == [1.0, 3.0, 9.0]
  assert mapped(tf.constant([3])).numpy().tolist() == [27.0]
  assert mapped(np.zeros([0], np.int32)).shape == [0]


@pytest.mark.parametrize("is_traced", [False, True])
def test_a_nest_of_results_comes_back(is_traced):
  f = powers(tf.constant(2.0))

  def run(n, x):
    return {"power": f(n), "both": (x, [f(n) + x])}

  call = rtf.prepare(tf.function(run) if is_traced else run, NUMBER, tf.TensorSpec([2]))
  found = call(3, [1.0, 2.0])
  assert float(found["power"]) == 8.0
  assert found["both"][0].numpy().tolist() == [1.0, 2.0]
  assert found["both"][1][0].numpy().tolist() == [9.0, 10.0]


def test_variables_are_read_and_written_at_each_call():
  weight, count = tf.Variable(2.0), tf.Variable(0)
  f = powers(weight)

  def run(n):
    count.assign_add(1)
    return f(n)

  call = rtf.prepare(run, NUMBER)
  assert (float(call(3)), int(count)) == (8.0, 1)
  weight.assign(3.0)
  assert (float(call(3)), int(count)) == (27.0, 2)


def test_variables_live_as_long_as_the_prepared_function():
  call = rtf.prepare(powers(tf.Variable(2.0)), NUMBER)
  assert float(call(5)) == 32.0


def test_tapes_differentiate_it():
  weight = tf.Variable(2.0)
  call = rtf.prepare(lambda n, x: powers(weight)(n) * x, NUMBER, tf.TensorSpec([]))
  x = tf.constant(5.0)
  with tf.GradientTape() as tape:
    tape.watch(x)
    y = call(3, x)
  by_weight, by_x = tape.gradient(y, [weight, x])
  assert (float(by_weight), float(by_x)) == (5 * 3 * 2.0**2, 8.0)


def test_other_graphs_call_it():
  call = rtf.prepare(powers(tf.Variable(2.0)), NUMBER)
  assert float(tf.function(lambda n: call(n) + call(n + 1))(tf.constant(2))) == 12.0


def test_threads_share_it():
  call = rtf.prepare(powers(tf.constant(2.0)).map, NUMBERS)
  found = {}
  threads = [
    threading.Thread(target=lambda k=k: found.update({k: call([k, k + 1]).numpy().tolist()}))
    for k in range(4)
  ]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert found == {k: [2.0**k, 2.0 ** (k + 1)] for k in range(4)}


@pytest.mark.parametrize(
  ("args", "message"),
  [
    ((), "structure"),
    (([1], [2]), "structure"),
    ((tf.constant([1.0]),), "type float32, expected int32"),
    (([1.5],), "cannot be made a tensor of type int32"),
    ((tf.constant(1),), r"shape \(\), expected \(None,\)"),
    ((tf.constant([[1]]),), r"shape \(1, 1\), expected \(None,\)"),
  ],
)
def test_other_arguments_are_refused(args, message):
  call = rtf.prepare(powers(tf.constant(2.0)).map, NUMBERS)
  with pytest.raises(SignatureError, match=message):
    call(*args)


def test_sizes_that_were_given_are_held_to():
  call = rtf.prepare(lambda x: tf.reduce_sum(x), tf.TensorSpec([2, None]))
  assert float(call(tf.ones([2, 3]))) == 6.0
  with pytest.raises(SignatureError, match="shape"):
    call(tf.ones([3, 2]))


def test_a_spec_that_is_none_is_refused():
  with pytest.raises(SignatureError, match="no tf.TensorSpec"):
    rtf.prepare(lambda x: x, tf.int32)


def test_it_says_what_it_takes():
  call = rtf.prepare(lambda x, y: x, NUMBERS, tf.TensorSpec([2]))
  assert repr(call) == "<prepared function of (int32(None,), float32(2,))>"
