"""Prints, context managers, exceptions and finally, random generators: effects and their order."""

import contextlib
import sys

import numpy as np
import tensorflow as tf

from tests.convert.function.programs._values import XS as _XS
from tests.convert.function.programs._values import Box as _Box
from tests.convert.function.programs._values import x as _x


def prints_each_time():
  def step(x, n):
    print("step", n, n / 2, f"n={n}", True, None, sep="|")
    return x * 2.0

  return step, [(_x(1), n) for n in (1, 2, 3, 5, 8)], None


def prints_in_branches_and_loops():
  def step(x, n):
    for i in range(n):
      if i % 2:
        print("odd", i)
      else:
        print("even", i, end=";")
    if tf.reduce_sum(x) > 2.0:
      print("large")
    return x

  return step, [(_x(1), 2), (_x(3), 1), (_x(1), 0), (_x(4), 3), (_x(2), 2)], None


def prints_a_tensor():
  def step(x):
    print("x is", x)
    return x + 1.0

  return step, _XS, None


def tensorflow_prints():
  def step(x):
    tf.print("sum", tf.reduce_sum(x), output_stream=sys.stdout)
    return x + 1.0

  return step, _XS, None


def prints_of_both_kinds_in_order():
  def step(x):
    print("before")
    tf.print("middle", x, output_stream=sys.stdout)
    print("after")
    return x + 1.0

  return step, _XS, None


def tensorflow_prints_around_writes():
  v = tf.Variable([1.0, 2.0])

  def step(x):
    tf.print("was", v, output_stream=sys.stdout)
    v.assign_add(x)
    tf.print("is", v, output_stream=sys.stdout)
    return v * 2.0

  return step, _XS, lambda: v


def context_manager_of_ones_own():
  class Timer:
    def __init__(self):
      self.entered, self.left, self.active = 0, 0, False

    def __enter__(self):
      self.entered += 1
      self.active = True
      return self

    def __exit__(self, kind, value, traceback):
      self.left += 1
      self.active = False

  timer = Timer()

  def step(x):
    with timer as t:
      y = x * float(t.entered)
      active = t.active
    return y, active, timer.active

  return step, _XS, lambda: timer


def nested_managers_in_order():
  log = []

  class Scope:
    def __init__(self, name):
      self.name = name

    def __enter__(self):
      log.append("enter " + self.name)

    def __exit__(self, *details):
      log.append("leave " + self.name)

  def step(x):
    with Scope("a"), Scope("b"):
      with Scope("c"):
        y = x * 2.0
      log.append("between")
    return y

  return step, _XS, lambda: log


def return_out_of_a_with():
  box = _Box(depth=0, left=0)

  class Scope:
    def __enter__(self):
      box.depth += 1

    def __exit__(self, *details):
      box.depth -= 1
      box.left += 1

  def step(x, early):
    with Scope():
      if early:
        return x * 2.0
      y = x + 1.0
    return y

  return step, [(_x(1), e) for e in (True, False, True, False, False)], lambda: box


def return_out_of_a_with_if_a_tensor_says_so():
  box = _Box(depth=0, left=0)

  class Scope:
    def __enter__(self):
      box.depth += 1

    def __exit__(self, *details):
      box.depth -= 1
      box.left += 1

  def step(x):
    with Scope():
      if tf.reduce_sum(x) > 3.0:
        return x * 2.0
      y = x + 1.0
    return y

  return step, _XS, lambda: box


def manager_that_swallows():
  class Swallow:
    def __init__(self):
      self.kinds = []

    def __enter__(self):
      return self

    def __exit__(self, kind, value, traceback):
      self.kinds.append(None if kind is None else kind.__name__)
      return kind is ValueError

  swallow = Swallow()

  def step(x, n):
    y = x
    with swallow:
      y = x * 2.0
      if n < 0:
        raise ValueError("negative")
      if n > 5:
        raise KeyError("large")
      y = x * 3.0
    return y

  return step, [(_x(1), n) for n in (1, -1, 2, 9, 3, -2)], lambda: swallow


def suppress():
  def step(x, names):
    y = x
    with contextlib.suppress(KeyError):
      y = y * names["scale"]
      y = y + names["shift"]
    return y

  calls = [(_x(1), {"scale": 2.0, "shift": 1.0}), (_x(1), {"scale": 2.0}), (_x(1), {"shift": 3.0})]
  return step, [*calls, *calls], None


def contextmanager_generator():
  log = []

  @contextlib.contextmanager
  def scope(name):
    log.append(name)
    try:
      yield len(log)
    finally:
      log.append("end")

  def step(x):
    with scope("s") as n:
      return x * float(n)

  return step, _XS, lambda: log


def name_scope_and_device():
  v = tf.Variable([1.0, 2.0])

  def step(x):
    with tf.name_scope("outer"), tf.device("/cpu:0"):
      v.assign_add(x)
      with contextlib.nullcontext(3.0) as three:
        return v * three

  return step, _XS, lambda: v


def try_nothing_raised():
  box = _Box(log=[])

  def step(x):
    try:
      y = x * 2.0
    except ValueError:
      y = x
    else:
      box.log.append("else")
    finally:
      box.log.append("finally")
    return y

  return step, _XS, lambda: box


def try_raised_by_python():
  box = _Box(count=0, failed=0)

  def step(x, n):
    box.count += 1
    try:
      if n == 0:
        raise ZeroDivisionError("none")
      y = x / float(n)
    except ZeroDivisionError as error:
      box.failed += 1
      y = x * float(len(str(error)))
    return y

  return step, [(_x(1), n) for n in (1, 0, 2, 0, 3)], lambda: box


def try_raised_by_an_op():
  v = tf.Variable([[1.0, 0.0], [0.0, 1.0]])
  box = _Box(failed=0)

  def step(m):
    v.assign_add(m)
    try:
      y = tf.linalg.inv(v)
    except tf.errors.InvalidArgumentError:
      box.failed += 1
      y = tf.zeros([2, 2])
    v.assign_sub(m)
    return y

  good, bad = tf.ones([2, 2]), tf.constant([[-1.0, 0.0], [0.0, -1.0]])
  return step, [(good,), (bad,), (good,), (bad,), (good,)], lambda: [v, box]


def op_error_after_writes_is_raised():
  v = tf.Variable([[1.0, 0.0], [0.0, 1.0]])
  box = _Box(count=0, log=[])

  def step(m):
    box.count += 1
    v.assign_add(m)
    box.log.append("before")
    print("before")
    y = tf.linalg.inv(v)
    box.log.append("after")
    v.assign(y)
    return y

  good, bad = tf.eye(2), -tf.eye(2)
  undo = lambda: v.assign(tf.eye(2))  # noqa: E731
  return step, [(good,), undo, (bad,), undo, (good,), undo, (bad,), undo, (good,)], lambda: [v, box]


def python_error_after_writes():
  v = tf.Variable([1.0])
  items = []

  def step(x, limit):
    v.assign_add(x)
    items.append(x)
    if len(items) > limit:
      raise RuntimeError(f"too many: {len(items)}")
    return v * 2.0

  return step, [(_x(1), n) for n in (9, 1, 9, 2, 9)], lambda: [v, items]


def error_if_a_tensor_says_so():
  v = tf.Variable([1.0])

  def step(x):
    v.assign_add(x)
    if tf.reduce_sum(v) > 3.0:
      raise ValueError("too large")
    return v * 2.0

  reset = lambda: v.assign([0.0])  # noqa: E731
  return step, [(_x(1),), (_x(5),), (_x(-6),), reset, (_x(9),), reset, (_x(1),)], lambda: v


def finally_writes():
  v = tf.Variable([1.0])
  box = _Box(done=0)

  def step(x, n):
    try:
      v.assign_add(x)
      if n < 0:
        raise ValueError("negative")
      y = v * float(n)
    finally:
      box.done += 1
      v.assign(v * 0.5)
    return y

  return step, [(_x(1), n) for n in (1, -1, 2, 3, -2)], lambda: [v, box]


def key_error_and_index_error():
  table = {"a": 1.0}
  items = [_x(1), _x(2)]

  def step(name, i):
    try:
      y = items[i] * table[name]
    except KeyError:
      return _x(-1)
    except (IndexError, TypeError) as error:
      return _x(-2), type(error).__name__
    return y

  calls = [("a", 0), ("b", 0), ("a", 5), ("a", 1), ("b", 9)]
  return step, calls, None


def shape_error_of_an_op():
  def step(x, y):
    try:
      return x + y
    except tf.errors.InvalidArgumentError:
      return tf.concat([x, y], axis=0)

  calls = [
    (_x(1, 2), _x(3, 4)),
    (_x(1, 2), _x(3, 4, 5)),
    (_x(1), _x(3, 4, 5)),
    (_x(1, 2), _x(1, 1)),
  ]
  return step, calls, None


def debugging_assertions():
  v = tf.Variable(0.0)

  def step(x):
    v.assign_add(1.0)
    tf.debugging.assert_positive(x)
    tf.debugging.assert_equal(tf.shape(x)[0], 2)
    v.assign_add(10.0)
    return tf.math.log(x)

  return step, [(_x(1, 2),), (_x(-1, 2),), (_x(1, 3),), (_x(1, 2, 3),), (_x(2, 2),)], lambda: v


def check_numerics():
  v = tf.Variable(0.0)

  def step(x):
    v.assign_add(1.0)
    y = tf.debugging.check_numerics(tf.sqrt(x), "bad")
    v.assign_add(10.0)
    return y

  return step, [(_x(1, 2),), (_x(-1, 2),), (_x(1, 3),), (_x(-1, -2),), (_x(2, 2),)], lambda: v


def raise_from_a_helper_through_two_frames():
  box = _Box(log=[])

  def inner(n):
    box.log.append(n)
    if n == 2:
      raise LookupError("two")
    return float(n)

  def middle(n):
    try:
      return inner(n)
    finally:
      box.log.append("middle")

  def step(x, n):
    try:
      return x * middle(n)
    except LookupError as error:
      raise ValueError("from step") from error

  return step, [(_x(1), n) for n in (1, 2, 3, 2, 4)], lambda: box


def random_generator():
  generator = tf.random.Generator.from_seed(7)

  def step(n, x):
    noise = generator.normal([n, 2])
    if tf.reduce_sum(noise) > 0.0:
      noise = noise + generator.uniform([n, 2])
    return x + noise, generator.uniform([], maxval=10, dtype=tf.int32)

  return step, [(n, _x(0, 0)) for n in (2, 2, 3, 1, 2, 2)], lambda: generator


def random_generator_is_reset():
  generator = tf.random.Generator.from_seed(7)

  def step(x):
    return x + generator.normal([2])

  def reset():
    generator.reset_from_seed(3)

  return step, [*_XS[:2], reset, *_XS[:3], reset, _XS[0]], lambda: generator


def stateless_random_with_a_counter():
  box = _Box(seed=0)

  def step(x):
    box.seed += 1
    return x + tf.random.stateless_normal([2], seed=[box.seed, 1])

  return step, _XS, lambda: box


def stateless_split():
  box = _Box(key=tf.constant([1, 2]))

  def step(x):
    box.key, use = tf.unstack(tf.random.split(box.key, 2))
    return x + tf.random.stateless_uniform([2], seed=use)

  return step, _XS, lambda: box


def keras_seed_generator():
  seeds = tf.keras.random.SeedGenerator(5)

  def step(x):
    y = x + tf.keras.random.normal([2], seed=seeds)
    return y, tf.keras.random.uniform([2], seed=seeds)

  return step, _XS, lambda: seeds.state


def python_random_numbers():
  import random

  def step(x):
    return x * random.random()

  return step, _XS, None


def numpy_random_numbers():
  rng = np.random.default_rng(3)

  def step(x):
    return x + rng.normal(size=2).astype("float32")

  return step, _XS, None


def numpy_function():
  seen = []

  def record(array):
    seen.append(array.tolist())
    return array * 2.0

  def step(x):
    return tf.numpy_function(record, [x], tf.float32) + 1.0

  return step, _XS, lambda: seen


def reads_numpy_of_a_tensor():
  box = _Box(history=[])

  def step(x):
    loss = tf.reduce_sum(x)
    box.history.append(float(loss))
    return loss.numpy() > 1.0, box.history[-1]

  return step, _XS, lambda: box
