"""Tapes: nested, persistent, several, watched, stopped; second order, clipping, parts of graphs."""

import tensorflow as tf

from tests.convert.function.programs._values import v as _v
from tests.convert.function.programs._values import x as _x

_XS = [(_x(0.5, 1),), (_x(1, -1),), (_x(2, 0),), (_x(-1, 3),), (_x(0, 0.1),)]


def descent():
  w = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((w * x - 1.0) ** 2)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss

  return step, _XS, lambda: w


def second_order():
  w = _v(1, 2)

  def step(x):
    with tf.GradientTape() as outer:
      with tf.GradientTape() as inner:
        y = tf.reduce_sum(w**3 * x)
      g = inner.gradient(y, w)
      penalty = tf.reduce_sum(g**2)
    h = outer.gradient(penalty, w)
    w.assign_sub(0.001 * h)
    return y, g, h

  return step, _XS, lambda: w


def third_order_of_a_tensor():
  def step(x):
    with tf.GradientTape() as a:
      a.watch(x)
      with tf.GradientTape() as b:
        b.watch(x)
        with tf.GradientTape() as c:
          c.watch(x)
          y = tf.sin(x) * x**3
        d1 = c.gradient(y, x)
      d2 = b.gradient(d1, x)
    return d1, d2, a.gradient(d2, x)

  return step, _XS, None


def persistent_tape_two_losses():
  v, w = _v(1, 2), _v(3, 4)

  def step(x):
    with tf.GradientTape(persistent=True) as tape:
      a = tf.reduce_sum(v * w * x)
      b = tf.reduce_sum(tf.square(v - w))
    gv, gw = tape.gradient(a, v), tape.gradient(b, w)
    gb = tape.gradient(b, [v, w])
    del tape
    v.assign_sub(0.1 * gv)
    w.assign_sub(0.1 * gw)
    return gv, gw, gb

  return step, _XS, lambda: [v, w]


def two_tapes_at_once():
  v, w = _v(1, 2), _v(3, 4)

  def step(x):
    with tf.GradientTape() as a, tf.GradientTape() as b:
      la = tf.reduce_sum(v * w * x)
      lb = la * 2.0 + tf.reduce_sum(w)
    ga, gb = a.gradient(la, v), b.gradient(lb, w)
    v.assign_sub(0.01 * ga)
    w.assign_sub(0.01 * gb)
    return la, lb

  return step, _XS, lambda: [v, w]


def assignment_between_tapes():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      first = tf.reduce_sum(v * v * x)
    v.assign_sub(0.1 * tape.gradient(first, v))
    with tf.GradientTape() as tape:
      second = tf.reduce_sum(v * v * x)
    v.assign_sub(0.1 * tape.gradient(second, v))
    return first - second

  return step, _XS, lambda: v


def assignment_inside_a_tape():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      a = v * x
      v.assign_add(x)
      b = v * a
      loss = tf.reduce_sum(b)
    g = tape.gradient(loss, v)
    return loss, g

  return step, _XS, lambda: v


def gradient_taken_after_assignment():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(v**3 * x)
    v.assign(x * 100.0)
    return tape.gradient(loss, v)

  return step, _XS, lambda: v


def stop_recording():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      a = v * x
      with tape.stop_recording():
        b = v * v
      loss = tf.reduce_sum(a * b)
    return tape.gradient(loss, v), b

  return step, _XS, lambda: v


def watch_only_some():
  v, w = _v(1, 2), _v(3, 4)

  def step(x):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
      tape.watch(w)
      loss = tf.reduce_sum(v * w * x)
    return tape.gradient(loss, [v, w])

  return step, _XS, lambda: [v, w]


def watched_tensor_in_the_middle():
  v = _v(1, 2)

  def step(x):
    h = v * x
    with tf.GradientTape() as tape:
      tape.watch(h)
      loss = tf.reduce_sum(tf.exp(h * 0.1))
    return tape.gradient(loss, h)

  return step, _XS, lambda: v


def unconnected_is_none():
  v, w = _v(1, 2), _v(3, 4)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(v * x)
    gs = tape.gradient(loss, [v, w])
    if gs[1] is None:
      w.assign_add([1.0, 1.0])
    return gs

  return step, _XS, lambda: [v, w]


def unconnected_zeros():
  v, w = _v(1, 2), _v(3, 4)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(v * x)
    return tape.gradient(loss, {"v": v, "w": w}, unconnected_gradients="zero")

  return step, _XS, lambda: [v, w]


def output_gradients():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      y = v * v * x
    return tape.gradient(y, v, output_gradients=x * 2.0)

  return step, _XS, lambda: v


def several_targets():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      a, b = v * x, v * v
    return tape.gradient([a, b], v)

  return step, _XS, lambda: v


def gradients_of_a_gather_are_sparse():
  table = tf.Variable(tf.reshape(tf.range(8.0), [4, 2]))

  def step(i):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(tf.gather(table, i) ** 2)
    g = tape.gradient(loss, table)
    table.scatter_sub(tf.IndexedSlices(0.1 * g.values, g.indices))
    return loss

  return step, [(tf.constant(i),) for i in ([0, 1], [1], [2, 2], [3, 0, 1], [1])], lambda: table


def gradient_that_is_zeros_beside_numbers_of_python():
  weight, bias = _v(1, 2), _v(3)

  def step(x, rate):
    with tf.GradientTape() as tape:
      mixed = rate * x + (1 - rate) * weight
      loss = tf.reduce_sum(mixed + bias) - tf.reduce_sum(x + bias)
    gradients = tape.gradient(loss, [weight, bias])
    for variable, gradient in zip([weight, bias], gradients, strict=True):
      variable.assign_sub(0.1 * gradient)
    return loss, gradients

  return step, [(_x(1, 2), 0.3 * i) for i in range(4)], lambda: [weight, bias]


def sparse_gradient_returned():
  table = tf.Variable(tf.reshape(tf.range(8.0), [4, 2]))

  def step(i):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(tf.gather(table, i) ** 2)
    return tape.gradient(loss, table)

  return step, [(tf.constant(i),) for i in ([0, 1], [1, 2], [2, 2], [3, 0])], lambda: table


def clip_by_global_norm():
  ws = [_v(1, 2), _v(3, 4)]

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((ws[0] * x + ws[1]) ** 2)
    gradients, norm = tf.clip_by_global_norm(tape.gradient(loss, ws), 1.0)
    for w, g in zip(ws, gradients):
      w.assign_sub(0.5 * g)
    return norm

  return step, _XS, lambda: ws


def clip_each_by_hand():
  ws = [_v(1, 2), _v(3, 4)]

  def step(x, limit):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((ws[0] * x + ws[1]) ** 2)
    for w, g in zip(ws, tape.gradient(loss, ws)):
      norm = tf.norm(g)
      if norm > limit:
        g = g * (limit / norm)
      w.assign_sub(0.5 * g)
    return loss

  return step, [(_x(1, 2), n) for n in (1.0, 0.5, 100.0, 1.0, 2.0)], lambda: ws


def jacobian():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      y = tf.stack([v[0] * x[0], v[1] ** 2, v[0] * v[1]])
    return tape.jacobian(y, v)

  return step, _XS, lambda: v


def hessian_row_by_row():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape(persistent=True) as outer:
      with tf.GradientTape() as inner:
        y = tf.reduce_sum(v**3 * x) + v[0] * v[1]
      g = inner.gradient(y, v)
      parts = [g[0], g[1]]
    return tf.stack([outer.gradient(p, v) for p in parts])

  return step, _XS, lambda: v


def gradient_penalty():
  w = tf.Variable([[0.5, -1.0], [2.0, 0.3]])

  def step(x):
    with tf.GradientTape() as tape:
      with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.reduce_sum(tf.tanh(x @ w))
      slope = tf.norm(inner.gradient(y, x))
      loss = y + (slope - 1.0) ** 2
    w.assign_sub(0.05 * tape.gradient(loss, w))
    return loss, slope

  return step, [(tf.ones([n, 2]) * 0.1 * n,) for n in (1, 2, 3, 2, 4)], lambda: w


def tape_as_a_local_helper():
  w = _v(1, 2)

  def value_and_gradient(f, *variables):
    with tf.GradientTape() as tape:
      value = f()
    return value, tape.gradient(value, variables)

  def step(x):
    loss, (g,) = value_and_gradient(lambda: tf.reduce_sum(w * w * x), w)
    w.assign_sub(0.1 * g)
    return loss

  return step, _XS, lambda: w


def tape_passed_to_a_helper():
  w = _v(1, 2)

  def update(tape, loss):
    w.assign_sub(0.1 * tape.gradient(loss, w))

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(w * w * x)
    update(tape, loss)
    return loss

  return step, _XS, lambda: w


def steps_inside_a_loop():
  w = _v(1, 2)

  def step(x, n):
    losses = []
    for _ in range(n):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w * x - 1.0) ** 2)
      w.assign_sub(0.05 * tape.gradient(loss, w))
      losses.append(loss)
    return losses

  x = _x(1, 2)
  return step, [(x, 3), (x, 3), (x, 1), (x, 5), (x, 3)], lambda: w


def steps_inside_a_tensor_loop():
  w = _v(1, 2)

  def step(xs):
    total = 0.0
    for x in xs:
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w * x - 1.0) ** 2)
      w.assign_sub(0.05 * tape.gradient(loss, w))
      total += loss
    return total

  return step, [(tf.ones([n, 2]) * 0.3,) for n in (2, 3, 1, 4, 3)], lambda: w


def tape_in_a_branch():
  w = _v(1, 2)

  def step(x, train):
    if not train:
      return tf.reduce_sum(w * x)
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(w * w * x)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss

  x = _x(1, 2)
  return step, [(x, True), (x, False), (x, True), (x, True), (x, False)], lambda: w


def loss_with_a_branch_inside_the_tape():
  w = _v(1, -2)

  def step(x):
    with tf.GradientTape() as tape:
      y = w * x
      if tf.reduce_sum(y) > 0.0:
        loss = tf.reduce_sum(y**2)
      else:
        loss = tf.reduce_sum(tf.abs(y)) * 3.0
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss

  return step, _XS, lambda: w


def loss_with_a_loop_inside_the_tape():
  w = _v(0.5, -0.2)

  def step(xs):
    with tf.GradientTape() as tape:
      h = tf.zeros([2])
      for x in xs:
        h = tf.tanh(h * w + x)
      loss = tf.reduce_sum(h)
    g = tape.gradient(loss, w)
    w.assign_sub(0.1 * g)
    return loss, g

  return step, [(tf.ones([n, 2]) * 0.3,) for n in (2, 3, 1, 4, 3)], lambda: w


def custom_gradient():
  w = _v(0.5, -0.2)

  @tf.custom_gradient
  def clipped(x):
    def grad(upstream):
      return tf.clip_by_value(upstream, -0.1, 0.1)

    return x * 1.0, grad

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(clipped(w * x) ** 2)
    return tape.gradient(loss, w)

  return step, _XS, lambda: w


def stop_gradient():
  w = _v(0.5, -0.2)

  def step(x):
    with tf.GradientTape() as tape:
      target = tf.stop_gradient(w * 2.0)
      loss = tf.reduce_sum((w * x - target) ** 2)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss

  return step, _XS, lambda: w


def gradient_twice_from_one_tape():
  w = _v(0.5, -0.2)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(w * x)
    w.assign_add(tape.gradient(loss, w))
    return tape.gradient(loss, w)

  return step, _XS, lambda: w


def tape_reset_and_watched_variables():
  v, w = _v(1, 2), _v(3, 4)

  def step(x):
    with tf.GradientTape() as tape:
      y = v * x
      tape.reset()
      loss = tf.reduce_sum(w * y)
      count = len(tape.watched_variables())
    return tape.gradient(loss, [v, w]), count

  return step, _XS, lambda: [v, w]


def tape_without_with():
  w = _v(1, 2)

  def step(x):
    tape = tf.GradientTape()
    with tape:
      loss = tf.reduce_sum(w * w * x)
    with tape:
      loss = loss * 2.0 + tf.reduce_sum(w)
    return tape.gradient(loss, w)

  return step, _XS, lambda: w


def gradients_of_trainable_only():
  v = tf.Variable([1.0, 2.0])
  w = tf.Variable([3.0, 4.0], trainable=False)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(v * w * x)
    return tape.gradient(loss, [v, w])

  return step, _XS, lambda: [v, w]
