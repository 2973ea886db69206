"""Branches that fit no graph, or no graph together: what a run does that takes one or the other."""

import collections
import json
import math

import tensorflow as tf

from tests.convert.function.programs._values import XS as _XS
from tests.convert.function.programs._values import Box as _Box
from tests.convert.function.programs._values import v as _v
from tests.convert.function.programs._values import x as _x

_MANY = [*_XS, *_XS, *_XS[2:]]


class _State:
  def __init__(self, h, n=0):
    self.h, self.n = h, n


class _Other(_State):
  pass


def state_replaced_in_one_branch():
  box = _Box(state=_State(_x(0, 0)))
  first = box.state

  def step(x):
    if tf.reduce_sum(x) > 3.5:
      box.state = _State(box.state.h + x, box.state.n + 1)
    return box.state.h

  return step, _MANY, lambda: [box.state, first, box.state is first]


def state_replaced_in_both_branches():
  box = _Box(state=_State(_x(0, 0)))

  def step(x):
    if tf.reduce_sum(x) > 3.5:
      box.state = _State(box.state.h + x)
    else:
      box.state = _Other(box.state.h * 0.5, 7)
    return box.state.n

  return step, _MANY, lambda: [box.state, type(box.state).__name__]


def state_reset_when_done():
  box = _Box(state=_State(_x(0, 0)), best=None)

  def step(x, done):
    box.state = _State(tf.tanh(box.state.h + x))
    total = tf.reduce_sum(box.state.h)
    if box.best is None or total > tf.reduce_sum(box.best.h):
      box.best = box.state
    if done:
      box.state = _State(tf.zeros(2))
    return total

  calls = [(x, i % 4 == 3) for i, (x,) in enumerate(_MANY)]
  return step, calls, lambda: [box.state, box.best]


def file_written_now_and_then():
  lines = []
  box = _Box(n=0, last=None)
  weight = _v(1, 2)

  def report(text):
    lines.append(json.dumps({"text": text, "log": math.log(2.0)}))

  def step(x):
    box.n += 1
    weight.assign_add(x)
    if box.n % 3 == 0:
      report(f"step {box.n}")
      box.last = weight.numpy().tolist()
    return tf.reduce_sum(weight)

  return step, _MANY, lambda: [lines, box, weight]


def variable_written_before_a_branch_of_python():
  weight, seen = _v(0, 0), []

  def step(x):
    weight.assign_add(x)
    if tf.reduce_sum(weight) > 6.0:
      seen.append(float(weight[0].numpy()))
      weight.assign_sub(x * 2.0)
    weight.assign(weight * 1.5)
    return weight + 0.0

  return step, _MANY, lambda: [weight, seen]


def results_of_other_kinds():
  def step(x):
    if tf.reduce_sum(x) > 3.5:
      return {"a": x}
    if x[0] > 0.5:
      return x, [x * 2.0]
    return None

  return step, _MANY, None


def lists_of_other_lengths():
  def step(x):
    parts = [x] if tf.reduce_sum(x) > 3.5 else [x, tf.zeros(3)]
    return len(parts), parts

  return step, _MANY, None


def two_conditionals_of_one_line():
  def step(x):
    return {"p": x} if x[0] > 1.5 else [x], (x,) if x[1] > 1.5 else {"q": x, "r": 1}

  return step, [(_x(i, j),) for i in (1, 2, 1) for j in (2, 1, 2)], None


def one_conditional_in_a_loop_that_is_unrolled():
  def step(x):
    found = None
    for i in range(2):
      if x[i] > 1.5:
        found = {"at": i}
      elif found is not None:
        found = [found]
    return found

  return step, [(_x(i, j),) for i in (1, 2) for j in (2, 1, 2)], None


def one_conditional_in_a_function_called_twice():
  def kind_of(x):
    return ("big", x) if x > 1.5 else {"small": x}

  def step(x):
    return kind_of(x[0]), kind_of(x[1])

  return step, [(_x(i, j),) for i in (1, 2) for j in (2, 1, 2)], None


def branch_that_raises_in_python():
  box = _Box(n=0)

  def step(x):
    box.n += 1
    if tf.reduce_sum(x) > 4.5:
      raise ValueError("too large: " + json.dumps(float(tf.reduce_sum(x))))
    return x * 2.0

  return step, _MANY, lambda: box


def gradient_around_a_branch_of_python():
  weight, kept = _v(1, 2), collections.deque(maxlen=3)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(weight * x) ** 2
    gradient = tape.gradient(loss, weight)
    if tf.norm(gradient) > 40.0:
      kept.append(float(tf.norm(gradient)))
      gradient = tf.clip_by_norm(gradient, 1.0)
    weight.assign_sub(0.01 * gradient)
    return loss

  return step, _MANY, lambda: [weight, list(kept)]


def print_before_a_branch_of_python():
  notes = set()

  def step(x):
    print("step", x)
    if tf.reduce_sum(x) > 3.5:
      notes.add(int(tf.reduce_sum(x)))
      print("kept", len(notes))
    return x + 1.0

  return step, _MANY, lambda: sorted(notes)


def branch_with_a_shape_that_tensorflow_refuses():
  def step(x):
    if tf.reduce_sum(x) > 100.0:
      return tf.matmul(x, x)
    return x + 1.0

  return step, _MANY, None


def object_or_none_or_new():
  box = _Box(best=None)

  def step(x, node):
    if node is not None and x[0] > 1.5:
      box.best = node
    elif x[1] > 1.5:
      box.best = _State(x)
    return x if box.best is None else box.best.h

  nodes = [_State(_x(7, 7)), None, _State(_x(8, 8))]
  return step, [(x, nodes[i % 3]) for i, (x,) in enumerate(_MANY)], lambda: box


def generator_state_before_a_branch_of_python():
  generator, seen = tf.random.Generator.from_seed(3), []

  def step(x):
    noise = generator.normal([2])
    if noise[0] > 0.0:
      seen.append(bool(noise[0] > 0.5))
      noise += generator.uniform([2])
    return x + noise

  return step, _MANY, lambda: [seen, generator.state]
