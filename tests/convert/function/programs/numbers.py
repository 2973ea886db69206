"""Python's numbers as arguments and state: size, kind, sign, rounding, division, precision."""

import math

import tensorflow as tf

from tests.convert.function.programs._values import Box as _Box
from tests.convert.function.programs._values import x as _x


def counters_beyond_64_bits():
  box = _Box(n=1)

  def step(x):
    box.n = box.n * 70000 + 1
    return x, box.n, box.n % 10

  return step, [(_x(1),)] * 7, lambda: box


def congruential_generator():
  box = _Box(seed=12345)

  def step(x):
    box.seed = (box.seed * 6364136223846793005 + 1442695040888963407) % 2**64
    return x * (box.seed / 2**64), box.seed >> 33

  return step, [(_x(1),)] * 6, lambda: box


def congruential_generator_of_31_bits():
  box = _Box(seed=12345)

  def step(x):
    box.seed = (box.seed * 1103515245 + 12345) & 0x7FFFFFFF
    return x * (box.seed / 0x7FFFFFFF), box.seed

  return step, [(_x(1),)] * 6, lambda: box


def double_precision_of_attributes():
  box = _Box(rate=0.1, total=0.0)

  def step(x):
    box.rate *= 0.95
    box.total += box.rate / 3
    return x * box.rate, box.total

  return step, [(_x(1),)] * 8, lambda: box


def float_argument_keeps_its_digits():
  def step(x, f):
    return x * f, f * 3, f + 1e-12, tf.constant(f, tf.float64) * 2.0

  return step, [(_x(1), f) for f in (0.1, 0.2, 1 / 3, 1e-300, 1e300, math.pi)], None


def negative_exponents():
  def step(x, n, k):
    return x, n**k, 2**k, (-n) ** 2, n**0.5

  return step, [(_x(1), n, k) for n, k in [(2, 3), (2, -1), (3, 0), (5, -2), (2, 10)]], None


def floor_division_and_remainder_of_negatives():
  def step(x, a, b):
    return a // b, a % b, -a // b, -a % b, a / b, divmod(a, b), x

  pairs = [(7, 2), (-7, 2), (7, -2), (7.5, 2), (-7.5, -2), (6, 3)]
  return step, [(a, b) if False else (_x(1), a, b) for a, b in pairs], None


def division_by_zero():
  box = _Box(n=0)

  def step(x, a, b):
    box.n += 1
    return x * (a / b), a // b

  pairs = [(1, 2), (1, 0), (0.0, 0.0), (3, 4), (1.0, 0), (5, 1)]
  return step, [(_x(1), a, b) for a, b in pairs], lambda: box


def rounding():
  def step(x, f):
    return round(f), int(f), round(f, 1), math.floor(f), math.ceil(f), abs(f), x * int(f)

  return step, [(_x(1), f) for f in (0.5, 1.5, 2.5, -0.5, -1.7, 3.0, 1e10)], None


def math_functions():
  def step(x, f):
    return x * math.sqrt(f), math.exp(-f), math.log(f + 1), math.sin(f), math.pow(f, 2)

  return step, [(_x(1), f) for f in (1.0, 2.5, 4, 0.0, 9)], None


def math_error():
  box = _Box(n=0)

  def step(x, f):
    box.n += 1
    return x * math.sqrt(f), math.log(f)

  return step, [(_x(1), f) for f in (1.0, 2.5, -4.0, 0.0, 9)], lambda: box


def min_and_max_keep_the_kind():
  def step(x, a, b):
    return min(a, b), max(a, b), max(a, b, 2), sum([a, b]), sum([a, b], 0.5), x

  return step, [(_x(1), a, b) for a, b in [(1, 1.0), (1.0, 1), (2, 3), (2.0, 2), (-1, 0.5)]], None


def not_a_number_and_infinity():
  box = _Box(best=float("inf"))

  def step(x, f):
    better = f < box.best
    if better:
      box.best = f
    return x * f, better, f == f, min(f, 1.0), max(1.0, f)

  nan, inf = float("nan"), float("inf")
  return step, [(_x(1), f) for f in (3.0, nan, 2.0, -inf, inf, nan)], lambda: box


def booleans_are_numbers():
  box = _Box(flag=True, n=0)

  def step(x, b):
    box.n += b
    box.flag = box.flag and b
    return b + 1, True * 3, x * float(b), not b, b is True, sum([b, True, False])

  return step, [(_x(1), b) for b in (True, False, True, True, 1, 0)], lambda: box


def int_becomes_float_and_back():
  box = _Box(n=0)

  def step(x, by):
    box.n = box.n + by
    return x * float(box.n), box.n, isinstance(box.n, int), type(box.n).__name__

  return step, [(_x(1), n) for n in (1, 2, 0.5, 1, 3)], lambda: box


def bits():
  def step(x, n):
    return n & 6, n | 1, n ^ 5, n << 3, n >> 1, ~n, x

  return step, [(_x(1), n) for n in (5, 12, -3, 0, 2**40)], None


def large_shift():
  def step(x, n):
    return 1 << n, x

  return step, [(_x(1), n) for n in (3, 10, 62, 64, 100)], None


def large_arguments():
  def step(x, n):
    return n + 1, n * 2, x * float(n), n // 3

  return step, [(_x(1), n) for n in (3, 2**31, 2**40, 2**62, 2**63, 2**70, 5)], None


def number_used_as_a_shape():
  def step(x, n):
    return tf.zeros([n]), tf.reshape(x, [n, -1]), tf.tile(x, [n]), x[:n], tf.one_hot(n, 5)

  return step, [(tf.ones([4]), n) for n in (1, 2, 4, 1, 3, 2)], None


def number_used_as_an_axis():
  def step(x, axis):
    return tf.reduce_sum(x, axis=axis), tf.concat([x, x], axis=axis), tf.stack([x, x], axis=axis)

  return step, [(tf.ones([2, 3]), axis) for axis in (0, 1, -1, 0, 2)], None


def number_as_a_list_index():
  items = [_x(1), _x(2), _x(3)]

  def step(i):
    return items[i], items[-i], items[: i + 1], items[i % 2]

  return step, [(i,) for i in (0, 1, 2, 1, -1, 3)], None


def range_with_a_step():
  def step(x, n):
    return [x * i for i in range(n, 0, -2)], list(range(n)), sum(range(n)), x * sum(range(1, n, 3))

  return step, [(_x(1), n) for n in (3, 4, 0, 7)], None


def attribute_as_a_shape():
  box = _Box(n=1)

  def step(x):
    box.n += 1
    return tf.fill([box.n], 2.0), tf.reduce_sum(x) * tf.ones([box.n, 2])

  return step, [(_x(1),)] * 5, lambda: box


def float_and_int_of_the_same_value():
  table = {1: "one", 2: "two"}

  def step(x, n):
    return x * n, n == 1, n in table, table.get(n)

  return step, [(_x(1), n) for n in (1, 1.0, True, 2, 2.0, 3)], None


def weak_types_of_numbers():
  def step(x, n):
    return x * n, x + n, n - x, tf.maximum(x, n), tf.add(x, n), tf.convert_to_tensor(n)

  i, f, d = tf.constant([1, 2]), _x(1, 2), tf.constant([1.0], tf.float64)
  return step, [(f, 2), (i, 2), (d, 2.5), (i, 2.5), (f, True), (f, 2), (d, 3), (i, 2**31)], None


def strings_of_numbers():
  def step(x, n):
    print(f"{n} and {n + 1}", n)
    return x, str(n), f"step {n}", "x" * n

  return step, [(_x(1), n) for n in (1, 2, 10, 0)], None


def moving_average_of_a_loss_as_a_tensor():
  box = _Box(average=0.0)

  def step(x):
    loss = tf.reduce_sum(x)
    box.average = 0.9 * box.average + 0.1 * loss
    return box.average

  return step, [(_x(n),) for n in (1, 2, 3, 4)], lambda: box


def number_from_a_loop_decided_by_tensors():
  def step(x, n):
    f = n
    while tf.reduce_sum(x) > 1.0:
      x = x * 0.5
      f = f * 2
    return f, x

  return step, [(_x(n), k) for n, k in [(3, 1), (5, 1.5), (0, 2), (9, 2**40), (2**20, 2**50)]], None


def number_joined_with_a_float():
  def step(x, n):
    y = 1
    if tf.reduce_sum(x) > 1.0:
      y = n
    return y, y * 2, x * y

  return step, [(_x(v), n) for v, n in [(3, 1), (0, 0.5), (3, 0.5), (0, 2), (5, 2**60)]], None
