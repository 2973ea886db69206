"""Loops, branches, while, comprehension, recursion, matching, on Python values and on tensors."""

import tensorflow as tf

from tests.convert.function.programs._values import x as _x


def loop_over_a_dict():
  def step(batch):
    total, names = 0.0, []
    for name, x in batch.items():
      total += tf.reduce_sum(x)
      names.append(name)
    return total, names

  calls = [
    ({"a": _x(1), "b": _x(2)},),
    ({"b": _x(1), "a": _x(2)},),
    ({"a": _x(3)},),
    ({"a": _x(1, 2), "b": _x(2), "c": _x(0)},),
    ({},),
    ({"b": _x(1), "a": _x(2)},),
  ]
  return step, calls, None


def loop_with_enumerate_and_zip():
  def step(xs, ys):
    out = []
    for i, (x, y) in enumerate(zip(xs, ys), start=1):
      out.append(x * float(i) + y)
    return out

  def batch(n):
    return [_x(i, 1) for i in range(n)], [_x(2, i) for i in range(n)]

  return step, [batch(n) for n in (2, 3, 2, 1, 0, 2)], None


def loop_over_rows_of_unknown_number():
  def step(x):
    total = tf.zeros([2])
    last = tf.zeros([2])
    for i, row in enumerate(x):
      total += row * tf.cast(i, tf.float32)
      last = row
    return total, last

  return step, [(tf.reshape(tf.range(2.0 * n), [n, 2]),) for n in (1, 3, 2, 7, 3)], None


def loop_over_no_rows():
  def step(x):
    total = tf.constant(0.0)
    for row in x:
      total += tf.reduce_sum(row)
    return total

  return step, [(tf.ones([n, 2]),) for n in (0, 2, 0, 3, 0)], None


def variable_of_the_loop_after_it():
  def step(x):
    for i in range(3):
      y = x * float(i)
    return y, i

  return step, [(_x(i),) for i in range(5)], None


def while_on_a_tensor():
  def step(x):
    n = 0
    while tf.norm(x) > 1.0:
      x = x * 0.5
      n += 1
    return x, n

  return step, [(_x(3, 4),), (_x(0, 0.5),), (_x(30, 4),), (_x(1, 1),), (_x(100, 0),)], None


def while_with_break():
  def step(x):
    n = 0
    while True:
      x = x * 0.5
      n += 1
      if tf.norm(x) < 1.0:
        break
    return x, n

  return step, [(_x(3, 4),), (_x(0, 0.5),), (_x(30, 4),), (_x(1, 1),)], None


def for_with_continue_and_else():
  def step(xs):
    total = tf.constant(0.0)
    for x in xs:
      if x < 0.0:
        continue
      if x > 10.0:
        break
      total += x
    else:
      total = total * 100.0
    return total

  return step, [(_x(1, -2, 3),), (_x(1, 20, 3),), (_x(-1, -1, 4, 5),), (_x(11, 1, 1),)], None


def return_from_a_loop():
  def step(xs, limit):
    for i, x in enumerate(xs):
      if x > limit:
        return i, x
    return -1, tf.constant(0.0)

  return step, [(_x(1, 2, 3), n) for n in (1.5, 5.0, 0.0, 2.5, 9.0)], None


def early_returns_on_tensors():
  def step(x):
    s = tf.reduce_sum(x)
    if s > 10.0:
      return x * 0.1
    if s < 0.0:
      return -x
    y = x + 1.0
    if s > 5.0:
      return y * 2.0
    return y

  return step, [(_x(20, 1),), (_x(-2, 1),), (_x(6, 1),), (_x(1, 1),), (_x(5, 6),)], None


def one_branch_only():
  def step(x, flag):
    y = x * 2.0
    if flag:
      z = y + 1.0
    if tf.reduce_sum(x) > 2.0:
      y = y * 10.0
    return y if not flag else z

  return step, [(_x(1, 1), True), (_x(2, 1), False), (_x(2, 1), True), (_x(0), False)], None


def variable_set_in_one_branch_only():
  def step(x):
    if tf.reduce_sum(x) > 0.0:
      y = x * 2.0
    return y

  return step, [(_x(1),), (_x(2),), (_x(-1),), (_x(3),), (_x(-3),)], None


def fibonacci():
  def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

  def step(x, n):
    return x * float(fib(n)), fib(n)

  return step, [(_x(1), n) for n in (5, 7, 5, 1, 8)], None


def recursive_function_on_tensors():
  def halve(x, depth):
    if depth == 0:
      return x
    return halve(tf.tanh(x) * 0.5, depth - 1) + x

  def step(x, depth):
    return halve(x, depth)

  return step, [(_x(1), 2), (_x(1), 3), (_x(2), 2), (_x(1), 0), (_x(1), 5)], None


def collatz():
  def step(n):
    steps = 0
    while n != 1:
      if n % 2 == 0:
        n = n // 2
      else:
        n = 3 * n + 1
      steps += 1
    return steps

  return step, [(n,) for n in (6, 7, 1, 27, 8)], None


def collatz_of_a_tensor():
  def step(n):
    steps = tf.constant(0)
    while n != 1:
      if n % 2 == 0:
        n = n // 2
      else:
        n = 3 * n + 1
      steps += 1
    return steps

  return step, [(tf.constant(n),) for n in (6, 7, 1, 27, 8)], None


def list_that_grows_in_a_tensor_loop():
  def step(x):
    states = []
    h = tf.zeros([2])
    for row in x:
      h = tf.tanh(h + row)
      states.append(h)
    return tf.stack(states), len(states)

  return step, [(tf.reshape(tf.range(2.0 * n), [n, 2]),) for n in (1, 3, 2, 4)], None


def loops_in_loops():
  def step(x, rows, columns):
    out = []
    for i in range(rows):
      line = []
      for j in range(columns):
        if (i + j) % 2:
          line.append(x * float(i))
        else:
          line.append(x - float(j))
      out.append(tf.stack(line))
    return tf.stack(out)

  calls = [(_x(1, 2), *shape) for shape in [(2, 3), (2, 3), (3, 2), (1, 1), (2, 2)]]
  return step, calls, None


def range_over_a_tensor():
  def step(n):
    total = tf.constant(1)
    for i in tf.range(n):
      total = total * (i + 1)
    return total

  return step, [(tf.constant(n),) for n in (3, 5, 0, 4, 1)], None


def match_statement():
  def step(mode, x):
    match mode:
      case "double":
        return x * 2.0
      case "half" | "split":
        return x / 2.0
      case None:
        return x
      case _:
        return -x

  modes = ["double", "half", None, "other", "split", "double"]
  return step, [(mode, _x(1, 2)) for mode in modes], None


def chained_comparisons_and_ternaries():
  def step(x, low, high):
    s = tf.reduce_sum(x)
    inside = low < s < high
    y = x if inside else -x
    return y, (1 if low < high else 2), not low

  calls = [(_x(1, 2), a, b) for a, b in [(0, 5), (0, 2), (3, 1), (2.5, 3.5), (-1.0, 9)]]
  return step, calls, None


def and_or_of_tensors():
  def step(x, y):
    a, b = tf.reduce_sum(x) > 0.0, tf.reduce_sum(y) > 0.0
    if a and not b:
      return x
    if b or a:
      return y
    return x * y

  pairs = [(1, -1), (1, 1), (-1, 1), (-1, -1), (2, -3)]
  return step, [(_x(a), _x(b)) for a, b in pairs], None


def walrus_and_unpacking():
  def step(xs):
    first, *rest = xs
    if (n := len(rest)) > 1:
      first = first * float(n)
    *_, last = xs
    return first + last, rest

  return step, [([_x(i, n) for i in range(n)],) for n in (1, 2, 3, 2, 4)], None


def dict_and_set_comprehensions():
  def step(batch):
    squares = {k.upper(): v**2 for k, v in batch.items() if k != "skip"}
    return squares, sorted({len(k) for k in batch})

  calls = [
    ({"a": _x(1), "bb": _x(2)},),
    ({"a": _x(1), "skip": _x(2)},),
    ({"ccc": _x(1)},),
    ({"a": _x(3), "bb": _x(4)},),
  ]
  return step, calls, None


def beam_of_two():
  scores = tf.reshape(tf.sin(tf.range(12.0)), [3, 4])

  def step(start):
    beams = [([start], tf.constant(0.0))]
    for t in range(3):
      grown = []
      for path, score in beams:
        top = tf.math.top_k(scores[t] + tf.cast(path[-1], tf.float32) * 0.1, k=2)
        for k in range(2):
          grown.append(([*path, top.indices[k]], score + top.values[k]))
      values = tf.stack([score for _, score in grown])
      order = tf.argsort(values, direction="DESCENDING")[:2]
      paths = tf.stack([tf.stack(path) for path, _ in grown])
      beams = [
        (tf.unstack(tf.gather(paths, order[i]), num=t + 2), tf.gather(values, order[i]))
        for i in range(2)
      ]
    return tf.stack(beams[0][0]), beams[0][1]

  return step, [(tf.constant(i),) for i in range(4)], None


def newton_iteration():
  def step(a, tolerance):
    x = a
    while abs(x * x - a) > tolerance:
      x = 0.5 * (x + a / x)
    return x

  calls = [(tf.constant(2.0), 1e-3), (tf.constant(9.0), 1e-3), (2.0, 1e-6), (tf.constant(2.0), 0.1)]
  return step, [*calls, (16.0, 1e-6)], None


def assert_that_holds_or_not():
  def step(x, n):
    assert n > 0, f"n is {n}"
    assert tf.reduce_all(x >= 0.0), "negative"
    return tf.sqrt(x) / float(n)

  return step, [(_x(1), 1), (_x(4), 2), (_x(4), 0), (_x(-1), 1), (_x(9), 3)], None


def loop_over_python_list_of_pairs_with_tensor_break():
  def step(x):
    used = 0
    for scale, shift in [(0.5, 1.0), (2.0, -1.0), (3.0, 0.0)]:
      x = x * scale + shift
      used += 1
      if tf.reduce_max(x) > 4.0:
        break
    return x, used

  return step, [(_x(1, 2),), (_x(7, 0),), (_x(3, 1),), (_x(2, 2),), (_x(-9, 0),)], None


def flag_and_none_arguments():
  def step(x, mask=None, training=False):
    if mask is not None:
      x = x * mask
    return x * 0.5 if training else x

  x, mask = _x(1, 2), _x(0, 1)
  calls = [(x,), (x, mask), (x, None, True), (x, mask, True), (x, mask, False), (x, None)]
  return step, calls, None
