"""Keras' own steps, questions about eager execution, tapes in odd places, builtins on tensors."""

import tensorflow as tf

from tests.convert.function.programs._values import XS as _XS
from tests.convert.function.programs._values import v as _v
from tests.convert.function.programs._values import x as _x


def _rows(n, width=3):
  return tf.reshape(tf.sin(tf.range(float(n * width))), [n, width])


def train_step_of_a_keras_model():
  class Model(tf.keras.Model):
    def __init__(self):
      super().__init__()
      self.dense = tf.keras.layers.Dense(1)
      self.loss_tracker = tf.keras.metrics.Mean(name="loss")

    def call(self, x, training=False):
      return self.dense(x) * (2.0 if training else 1.0)

    def train_step(self, data):
      x, y = data
      with tf.GradientTape() as tape:
        loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
      gradients = tape.gradient(loss, self.trainable_variables)
      self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
      self.loss_tracker.update_state(loss)
      return {"loss": self.loss_tracker.result()}

  model = Model()
  model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), run_eagerly=True)
  model(_rows(2))
  model.optimizer.build(model.trainable_variables)
  calls = [((_rows(n), tf.ones([n, 1])),) for n in (2, 3, 2, 4)]
  return model.train_step, calls, lambda: [model.variables, model.optimizer]


def default_train_step_of_keras():
  model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
  model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"], run_eagerly=True)
  model(_rows(2))
  model.optimizer.build(model.trainable_variables)
  calls = [((_rows(n), tf.ones([n, 1])),) for n in (2, 3, 2, 4)]
  return model.train_step, calls, lambda: [model.variables, model.optimizer]


def asks_whether_it_is_eager():
  def step(x):
    if tf.executing_eagerly():
      x = x * 2.0
    if tf.inside_function():
      x = x * 100.0
    return x, tf.is_tensor(x), isinstance(x, tf.Tensor), hasattr(x, "numpy"), type(x).__name__

  return step, _XS, None


def asks_a_tensor_for_its_device():
  def step(x):
    return x * 2.0, "CPU" in x.device, x.dtype.name, x.dtype == tf.float32, x.shape.ndims

  return step, _XS, None


def tensor_compared_with_none():
  def step(x, y=None):
    return x is None, y is None, x is not None and y is not None, x if y is None else x * y

  return step, [(_x(1),), (_x(1), _x(2)), (_x(1), None), (_x(1), 3.0), (_x(2), _x(2))], None


def builtins_on_tensors():
  def step(xs):
    total = sum(xs)
    return total, max(xs), min(xs[0], xs[-1]), abs(-total), pow(total, 2), any(x > 2.0 for x in xs)

  def batch(n):
    return ([tf.constant(float((7 * i) % 5)) for i in range(1, n + 1)],)

  return step, [batch(n) for n in (2, 3, 2, 1, 4)], None


def any_and_all_stop_early():
  log = []

  def test(x):
    log.append(1)
    return x > 0.0

  def step(x):
    a = any(test(x) for _ in range(3))
    b = all(test(y) for y in [x, -x, x])
    return a, b, len(log)

  return step, [(tf.constant(v),) for v in (1.0, -1.0, 2.0, 0.0)], lambda: log


def sorted_and_reversed():
  def step(xs, table):
    out = [x * float(i) for i, x in enumerate(reversed(xs))]
    named = [(k, v) for k, v in sorted(table.items(), reverse=True)]
    return out, named, sorted([3, 1, 2], key=lambda n: -n)

  calls = [
    ([_x(1), _x(2)], {"a": 1, "b": 2}),
    ([_x(1)], {"c": 3}),
    ([_x(1), _x(5)], {"b": 1, "a": 9}),
  ]
  return step, calls, None


def gradient_inside_the_tape():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape(persistent=True) as tape:
      a = tf.reduce_sum(v**2 * x)
      g = tape.gradient(a, v)
      b = tf.reduce_sum(g**2)
    return g, tape.gradient(b, v)

  return step, _XS, lambda: v


def early_return_inside_a_tape():
  v = _v(1, 2)

  def step(x, flag):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(v * x)
      if flag:
        return loss
      loss = loss * loss
    v.assign_sub(0.01 * tape.gradient(loss, v))
    return loss

  return step, [(_x(1, 2), f) for f in (True, False, False, True, False)], lambda: v


def gradient_of_a_branch_not_taken():
  v, w = _v(1, 2), _v(3, 4)

  def step(x):
    with tf.GradientTape() as tape:
      if tf.reduce_sum(x) > 3.0:
        loss = tf.reduce_sum(v * x)
      else:
        loss = tf.reduce_sum(w * x)
    gs = tape.gradient(loss, [v, w], unconnected_gradients="zero")
    for p, g in zip([v, w], gs):
      p.assign_sub(0.1 * g + 0.01 * p)
    return loss

  return step, _XS, lambda: [v, w]


def gradient_of_a_flag_not_set():
  v, w = tf.keras.Variable([1.0, 2.0]), tf.keras.Variable([3.0, 4.0])
  optimizer = tf.keras.optimizers.Adam(0.1)
  optimizer.build([v, w])

  def step(x, flag):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((v if flag else w) * x)
    gs = tape.gradient(loss, [v.value, w.value])
    kept = [(g, p) for g, p in zip(gs, [v, w]) if g is not None]
    optimizer.apply_gradients(kept)
    return loss, [g is None for g in gs]

  calls = [(x, f) for (x,), f in zip(_XS, (True, True, False, True, False))]
  return step, calls, lambda: [v, w, optimizer]


def loss_of_no_turns():
  v = _v(1, 2)

  def step(xs):
    with tf.GradientTape() as tape:
      loss = 0.0
      for x in xs:
        loss += tf.reduce_sum(v * x)
    g = tape.gradient(loss, v)
    return loss, g

  return step, [([_x(1, 2)],), ([_x(1, 2), _x(3, 4)],), ([],), ([_x(5, 5)],)], lambda: v


def rebound_name_under_a_tape():
  def step(x):
    with tf.GradientTape(persistent=True) as tape:
      tape.watch(x)
      first = x
      x = x * 2.0
      y = x**3
    return tape.gradient(y, x), tape.gradient(y, first)

  return step, _XS, None


def attribute_replaced_under_a_tape():
  class Box:
    state = _x(1, 1)

  box = Box()

  def step(x):
    with tf.GradientTape() as tape:
      tape.watch(box.state)
      old = box.state
      box.state = tf.tanh(box.state * x)
      loss = tf.reduce_sum(box.state)
    return tape.gradient(loss, [old, box.state])

  return step, _XS, lambda: box


def integer_variables_have_no_gradient():
  v, n = _v(1, 2), tf.Variable([1, 2])

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(v * x * tf.cast(n, tf.float32))
    g = tape.gradient(loss, [v, n])
    n.assign_add([1, 0])
    return g

  return step, _XS, lambda: [v, n]


def tapes_in_turns():
  v = _v(1, 2)

  def step(x):
    a, b = tf.GradientTape(), tf.GradientTape()
    with a:
      y = v * x
      with b:
        b.watch(y)
        z = tf.reduce_sum(y**2)
      dy = b.gradient(z, y)
      total = tf.reduce_sum(dy * v)
    return dy, a.gradient(total, v)

  return step, _XS, lambda: v


def gradient_of_a_structure():
  params = {"w": _v(1, 2), "layers": [_v(3, 4), (_v(5, 6),)]}

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(params["w"] * params["layers"][0] * params["layers"][1][0] * x)
    return tape.gradient(loss, params)

  return step, _XS, lambda: params


def gradients_of_while_and_list():
  v = _v(0.5, 0.6)

  def step(x, limit):
    with tf.GradientTape() as tape:
      states, n = [x], 0
      while tf.norm(states[-1]) > limit and n < 5:
        states.append(tf.tanh(states[-1] * v))
        n += 1
      loss = tf.add_n(states)
    return tape.gradient(loss, v, unconnected_gradients="zero"), n

  return step, [(_x(3, 4), limit) for limit in (1.0, 0.5, 0.1, 9.0, 0.3)], lambda: v


def random_ops_of_a_generator():
  generator = tf.random.Generator.from_seed(2)

  def step(x):
    seeds = generator.make_seeds(2)
    return (
      x + generator.truncated_normal([2]),
      seeds,
      generator.uniform_full_int([2], tf.int32),
      generator.binomial([2], counts=5.0, probs=0.5),
      generator.split(2)[0].normal([2]),
    )

  return step, _XS, lambda: generator


def layers_of_time_and_wrappers():
  layers = tf.keras.layers
  both = layers.Bidirectional(layers.GRU(2, return_sequences=True))
  each = layers.TimeDistributed(layers.Dense(1))
  x = tf.zeros([1, 2, 3])
  each(both(x))

  def step(x):
    return each(both(x))

  def batch(n, t):
    return (tf.reshape(_rows(n * t), [n, t, 3]),)

  return step, [batch(1, 2), batch(2, 3), batch(1, 4), batch(2, 2)], None


def reshaping_layers():
  layers = tf.keras.layers
  stack = [layers.Reshape((3, 2)), layers.Permute((2, 1)), layers.UpSampling1D(2), layers.Flatten()]
  more = [layers.RepeatVector(2), layers.GlobalAveragePooling1D(), layers.Softmax()]

  def step(x):
    shapes = []
    for layer in [*stack, *more]:
      x = layer(x)
      shapes.append(x.shape.rank)
    return x, shapes

  return step, [(_rows(n, 6),) for n in (1, 2, 1, 3)], None


def merging_layers():
  layers = tf.keras.layers

  def step(x, y):
    a = layers.add([x, y])
    b = layers.concatenate([x, y], axis=-1)
    return a, b, layers.Dot(axes=1)([x, y]), layers.Maximum()([x, y])

  return step, [(_rows(n), _rows(n) * 2.0) for n in (1, 2, 1, 3)], None


def augmentation_layers():
  flip = tf.keras.layers.RandomFlip("horizontal", seed=1)

  def step(x):
    return flip(x, training=True)

  return step, [(tf.reshape(_rows(n * 4), [n, 2, 2, 3]),) for n in (1, 2, 1, 3)], None


def numpy_of_the_result_is_used_in_the_next_call():
  v = _v(1, 2)
  last = {"loss": 1.0}

  def step(x, scale):
    v.assign_add(x * scale)
    return tf.reduce_sum(v)

  def feedback():
    last["loss"] = float(v.numpy().sum())

  calls = []
  for i in range(4):
    calls += [(_x(1, i), 0.5 + i / 10), feedback]
  return step, calls, lambda: [v, last]


def enum_arguments():
  import enum

  class Mode(enum.Enum):
    UP = 1
    DOWN = 2

  def step(x, mode):
    if mode is Mode.UP:
      return x + 1.0, mode.name, mode.value
    return x - 1.0, mode.name, mode == Mode.DOWN

  return step, [(_x(1), m) for m in (Mode.UP, Mode.DOWN, Mode.UP, Mode.DOWN)], None
