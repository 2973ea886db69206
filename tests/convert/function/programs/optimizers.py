"""Optimizers by hand and Keras': schedules, clipping, slots, swapped and changed between calls."""

import tensorflow as tf

from tests.convert.function.programs._values import x as _x

_XS = [(_x(0.5, 1),), (_x(1, -1),), (_x(2, 0),), (_x(-1, 3),), (_x(0, 0.1),), (_x(1, 1),)]


def _keras(optimizer, is_built=True):
  ws = [tf.keras.Variable([1.0, 2.0], name="a"), tf.keras.Variable([[3.0, 4.0]], name="b")]
  if is_built:
    optimizer.build(ws)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((ws[0] * x + ws[1]) ** 2)
    gradients = tape.gradient(loss, [w.value for w in ws])
    optimizer.apply_gradients(zip(gradients, ws))
    return loss

  return step, _XS, lambda: [ws, optimizer]


def sgd():
  return _keras(tf.keras.optimizers.SGD(0.01))


def sgd_not_built():
  return _keras(tf.keras.optimizers.SGD(0.01), is_built=False)


def momentum():
  return _keras(tf.keras.optimizers.SGD(0.01, momentum=0.9))


def nesterov():
  return _keras(tf.keras.optimizers.SGD(0.01, momentum=0.9, nesterov=True))


def adam():
  return _keras(tf.keras.optimizers.Adam(0.01))


def adam_not_built():
  return _keras(tf.keras.optimizers.Adam(0.01), is_built=False)


def amsgrad():
  return _keras(tf.keras.optimizers.Adam(0.01, amsgrad=True))


def adamw_with_ema():
  return _keras(tf.keras.optimizers.AdamW(0.01, use_ema=True, ema_overwrite_frequency=2))


def rmsprop():
  return _keras(tf.keras.optimizers.RMSprop(0.01, momentum=0.5, centered=True))


def adagrad():
  return _keras(tf.keras.optimizers.Adagrad(0.01))


def exponential_schedule():
  schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5, staircase=True)
  return _keras(tf.keras.optimizers.SGD(schedule))


def piecewise_schedule():
  schedule = tf.keras.optimizers.schedules.PiecewiseConstantDecay([1, 3], [0.1, 0.01, 0.001])
  return _keras(tf.keras.optimizers.Adam(schedule))


def cosine_schedule():
  schedule = tf.keras.optimizers.schedules.CosineDecay(0.1, 4, warmup_target=0.2, warmup_steps=2)
  return _keras(tf.keras.optimizers.SGD(schedule))


def schedule_of_ones_own():
  class Halving(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
      return 0.1 / (1.0 + tf.cast(step, tf.float32))

  return _keras(tf.keras.optimizers.SGD(Halving()))


def global_clipnorm():
  return _keras(tf.keras.optimizers.Adam(0.01, global_clipnorm=1.0))


def clipvalue():
  return _keras(tf.keras.optimizers.SGD(0.01, clipvalue=0.5))


def clipnorm():
  return _keras(tf.keras.optimizers.SGD(0.01, clipnorm=0.5))


def gradient_accumulation_of_keras():
  return _keras(tf.keras.optimizers.SGD(0.01, gradient_accumulation_steps=2))


def learning_rate_is_changed():
  optimizer = tf.keras.optimizers.SGD(0.01)
  step, xs, state = _keras(optimizer)

  def smaller():
    optimizer.learning_rate = 0.001

  def larger():
    optimizer.learning_rate.assign(0.05)

  return step, [xs[0], xs[1], smaller, xs[2], larger, xs[3], smaller, xs[4]], state


def optimizer_is_swapped():
  ws = [tf.keras.Variable([1.0, 2.0])]
  first, second = tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.Adam(0.1)

  class Trainer:
    def __init__(self):
      self.optimizer = first

    def step(self, x):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum((ws[0] * x - 1.0) ** 2)
      self.optimizer.apply_gradients(zip(tape.gradient(loss, [ws[0].value]), ws))
      return loss

  trainer = Trainer()

  def use(optimizer):
    def change():
      trainer.optimizer = optimizer

    return change

  x = (_x(1, 2),)
  return (
    trainer.step,
    [x, x, use(second), x, x, use(first), x, use(second), x],
    lambda: [ws, first, second],
  )


def optimizer_as_argument():
  ws = [tf.keras.Variable([1.0, 2.0])]
  a, b = tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.Adam(0.1)
  a.build(ws)
  b.build(ws)

  def step(optimizer, x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((ws[0] * x - 1.0) ** 2)
    optimizer.apply(tape.gradient(loss, [ws[0].value]), ws)
    return loss, optimizer.iterations + 0

  x = _x(1, 2)
  return step, [(a, x), (b, x), (a, x), (b, x), (b, x)], lambda: [ws, a, b]


def some_gradients_are_none():
  ws = [tf.keras.Variable([1.0, 2.0], name="used"), tf.keras.Variable([1.0], name="unused")]
  optimizer = tf.keras.optimizers.SGD(0.1)
  optimizer.build(ws)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((ws[0] * x - 1.0) ** 2)
    gradients = tape.gradient(loss, [w.value for w in ws])
    pairs = [(g, w) for g, w in zip(gradients, ws) if g is not None]
    optimizer.apply_gradients(pairs)
    return loss

  return step, _XS, lambda: [ws, optimizer]


def minimize():
  w = tf.keras.Variable([1.0, 2.0])
  optimizer = tf.keras.optimizers.Adam(0.1)
  optimizer.build([w])

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((w * x - 1.0) ** 2)
    optimizer.apply(tape.gradient(loss, [w.value]))
    return loss

  return step, _XS, lambda: [w, optimizer]


def momentum_by_hand():
  class Momentum:
    def __init__(self, rate, decay):
      self.rate, self.decay = rate, decay
      self.slots = {}

    def apply(self, pairs):
      for i, (g, w) in enumerate(pairs):
        if i not in self.slots:
          self.slots[i] = tf.zeros_like(w)
        self.slots[i] = self.decay * self.slots[i] + g
        w.assign_sub(self.rate * self.slots[i])

  optimizer = Momentum(0.1, 0.9)
  ws = [tf.Variable([1.0, 2.0]), tf.Variable([0.5, 0.5])]

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((ws[0] * x - ws[1]) ** 2)
    optimizer.apply(zip(tape.gradient(loss, ws), ws))
    return loss

  def halve():
    optimizer.rate *= 0.5

  return step, [*_XS[:3], halve, *_XS[3:]], lambda: [ws, optimizer.slots]


def adam_by_hand():
  class Adam:
    def __init__(self, variables):
      self.m = [tf.Variable(tf.zeros_like(v)) for v in variables]
      self.v = [tf.Variable(tf.zeros_like(v)) for v in variables]
      self.t = 0

    def apply(self, gradients, variables):
      self.t += 1
      for g, w, m, v in zip(gradients, variables, self.m, self.v):
        m.assign(0.9 * m + 0.1 * g)
        v.assign(0.999 * v + 0.001 * g * g)
        m_hat = m / (1.0 - 0.9**self.t)
        v_hat = v / (1.0 - 0.999**self.t)
        w.assign_sub(0.01 * m_hat / (tf.sqrt(v_hat) + 1e-7))

  ws = [tf.Variable([1.0, 2.0]), tf.Variable([0.5, 0.5])]
  optimizer = Adam(ws)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((ws[0] * x - ws[1]) ** 2)
    optimizer.apply(tape.gradient(loss, ws), ws)
    return loss

  return step, _XS, lambda: [ws, optimizer.m, optimizer.v, optimizer.t]


def gradients_accumulated_in_a_list():
  w = tf.Variable([1.0, 2.0])

  class Trainer:
    def __init__(self):
      self.sums, self.count = None, 0

    def step(self, x):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w * x - 1.0) ** 2)
      g = tape.gradient(loss, w)
      self.sums = g if self.sums is None else self.sums + g
      self.count += 1
      if self.count == 3:
        w.assign_sub(0.1 * self.sums / self.count)
        self.sums, self.count = None, 0
      return loss

  trainer = Trainer()
  return trainer.step, [*_XS, *_XS], lambda: [w, trainer.sums, trainer.count]


def warm_up_by_a_python_number():
  w = tf.Variable([1.0, 2.0])

  class Trainer:
    def __init__(self):
      self.steps = 0

    @property
    def rate(self):
      return 0.1 * min(1.0, (self.steps + 1) / 4)

    def step(self, x):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w * x - 1.0) ** 2)
      w.assign_sub(self.rate * tape.gradient(loss, w))
      self.steps += 1
      return loss, self.rate

  trainer = Trainer()
  return trainer.step, _XS, lambda: [w, trainer.steps]


def weight_decay_and_target_network():
  w, target = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])

  def step(x, tau=0.1):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((w * x - target) ** 2) + 0.01 * tf.nn.l2_loss(w)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    target.assign(tau * w + (1.0 - tau) * target)
    return loss

  x = _x(1, 2)
  return step, [(x,), (x, 0.5), (x,), (x, 1.0), (x, 0.5)], lambda: [w, target]


def skips_steps_that_are_not_finite():
  w = tf.Variable([1.0, 2.0])
  skipped = tf.Variable(0)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(tf.sqrt(w * x))
    g = tape.gradient(loss, w)
    if tf.reduce_all(tf.math.is_finite(g)):
      w.assign_sub(0.1 * g)
    else:
      skipped.assign_add(1)
    return loss

  return (
    step,
    [(_x(1, 1),), (_x(-1, 1),), (_x(2, 2),), (_x(0, 0),), (_x(1, 2),)],
    lambda: [
      w,
      skipped,
    ],
  )


def two_optimizers_one_variable():
  w = tf.keras.Variable([1.0, 2.0])
  a, b = tf.keras.optimizers.SGD(0.1, momentum=0.9), tf.keras.optimizers.Adam(0.05)
  a.build([w])
  b.build([w])

  def step(x):
    for optimizer in (a, b, a):
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum((w * x - 1.0) ** 2)
      optimizer.apply_gradients([(tape.gradient(loss, w.value), w)])
    w.assign(w * 0.99)
    return loss

  return step, _XS, lambda: [w, a, b]
