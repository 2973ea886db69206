"""Small training steps, losses and samplers with state, and what they read from around them."""

import contextlib
import dataclasses
import enum
import functools

import numpy as np
import tensorflow as tf

RATE = 0.5
TABLE = {"sum": 1.0, "mean": 2.0}
SCALES = [1.0, 2.0]
OFFSETS = np.array([1.0, 2.0], np.float32)


def rows():
  return tf.constant([[1.0, 2.0], [3.0, -4.0]])


def two_calls():
  yield (rows(),)
  yield (rows() + 1.0,)


class Dense:
  """A layer of one's own."""

  bias = 0.5

  def __init__(self, seed, activation=tf.tanh):
    self.w = tf.Variable([[0.5 + seed, -0.25], [0.125, 1.0]])
    self.activation, self.scale, self.frozen = activation, 2.0, False

  def __call__(self, x):
    return self.activation(x @ self.w * self.scale + self.bias)

  @property
  def weights(self):
    return [] if self.frozen else [self.w]


class Wide(Dense):
  """One that does more, and asks its base."""

  def __call__(self, x):
    return super().__call__(x) + self.extra(x)

  def extra(self, x, factor=3.0):
    return factor * x


class Model:
  """Layers in a list, and what a run leaves."""

  def __init__(self):
    self.layers = [Dense(0.0), Wide(0.5, activation=tf.nn.relu)]
    self.training, self.count, self.last = True, 0, None

  def forward(self, x):
    for layer in self.layers:
      x = layer(x)
    return x * 0.5 if self.training else x

  @property
  def weights(self):
    return [w for layer in self.layers for w in layer.weights]


def _values(model):
  return [layer.w.numpy() for layer in model.layers if hasattr(layer, "w")]


calls_descent = two_calls


def build_descent(decorate):
  model = Model()

  @decorate
  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean(model.forward(x) ** 2)
    for w, g in zip(model.weights, tape.gradient(loss, model.weights), strict=True):
      w.assign_sub(RATE * g)
    model.count += 1
    model.last = loss
    return loss

  return step, [lambda: [_values(model), model.count, model.last]]


calls_optimizer = two_calls


def build_optimizer(decorate):
  model = Model()
  optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
  optimizer.build(model.weights)

  @decorate
  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(model.forward(x))
    gradients = tape.gradient(loss, model.weights)
    optimizer.apply_gradients(zip(gradients, model.weights, strict=True))
    return loss

  return step, [lambda: [_values(model), optimizer.iterations.numpy()]]


@dataclasses.dataclass
class Config:
  rate: float = 0.1
  mode: str = "sum"
  clip: float = 100.0
  weights: dict = dataclasses.field(default_factory=lambda: {"a": 1.0, "b": 0.5})


calls_config = two_calls


def build_config(decorate):
  config = Config()

  @decorate
  def loss_of(x):
    total = tf.reduce_sum(x) if config.mode == "sum" else tf.reduce_mean(x)
    total = tf.minimum(total, config.clip)
    for name, weight in config.weights.items():
      total += weight * (1.0 if name == "a" else 2.0)
    return total * config.rate * TABLE[config.mode]

  return loss_of, [config]


class Phase(enum.Enum):
  TRAIN = 1
  TEST = 2


calls_phase = two_calls


def build_phase(decorate):
  names, phases, seen = ["loss", "norm"], {"now": Phase.TRAIN}, {"calls": 0}

  @decorate
  def step(x):
    if phases["now"] is Phase.TRAIN:
      x = x * 2.0
    elif phases["now"] == Phase.TEST:
      x = x - 1.0
    seen["calls"] += 1
    return {name: tf.reduce_sum(x) * len(name) for name in names}

  return step, [seen]


class Average:
  """A metric of one's own, with a list of what it has seen, and a count of all of its kind."""

  made = 0

  def __init__(self):
    self.values, self.best = [], None

  def add(self, value):
    self.values.append(value)
    Average.made += 1
    self.best = value

  def __len__(self):
    return len(self.values)


calls_average = two_calls


def build_average(decorate):
  average = Average()

  @decorate
  def step(x):
    average.add(tf.reduce_sum(x))
    return average.best + len(average)

  return step, [average, lambda: Average.made]


def by_two(x, factor=2.0):
  return x * factor


def clipped(x, *, most=1.5):
  return tf.minimum(x, most)


calls_helpers = two_calls


def build_helpers(decorate):
  scaled = functools.partial(by_two, factor=3.0)
  stages = {"first": by_two, "second": clipped, "third": scaled}
  shift = 1.0

  def shifted(x):
    return x + shift + OFFSETS

  @decorate
  def step(x, times=2):
    for _ in range(times):
      x = shifted(x)
    for name, stage in stages.items():
      x = stage(x) + len(name)
    return x * SCALES[0] + SCALES[1]

  return step, [SCALES]


calls_method = two_calls


class Counter:
  """Counts in each place that a method knows."""

  total = 0
  rate = 0.5

  def __init__(self):
    self.seen = 0
    self.history = {}

  def step(self, x):
    self.seen += 1
    type(self).total += 1
    self.history["last"] = x
    return self._scaled(x) * self.rate

  @classmethod
  def _scaled(cls, x):
    return x * cls.total

  @staticmethod
  def unused(x):
    return x


def build_method(decorate):
  counter = Counter()

  @decorate
  def step(x):
    return counter.step(x)

  return step, [lambda: [counter.seen, counter.total, counter.history]]


class Timer(contextlib.AbstractContextManager):
  """A context of one's own."""

  def __init__(self):
    self.entered, self.depth = 0, 0

  def __enter__(self):
    self.entered += 1
    self.depth += 1
    return self

  def __exit__(self, *_):
    self.depth -= 1
    return False


calls_context = two_calls


def build_context(decorate):
  timer = Timer()

  @decorate
  def step(x):
    with timer as t:
      x = x * t.depth
    try:
      return x + timer.entered
    finally:
      timer.entered += 1

  return step, [timer]


calls_errors = two_calls


def build_errors(decorate):
  limits = {"most": 100.0}
  failures = []

  def checked(x):
    if tf.reduce_sum(x) > limits["most"]:
      raise ValueError("too large")
    return x

  @decorate
  def step(x):
    try:
      return checked(x)
    except ValueError:
      failures.append(1)
      return tf.zeros_like(x)

  return step, [failures]


class Leaf:
  def __init__(self, v):
    self.v = v


class Branch:
  gate = 0.5

  def __init__(self, left, right):
    self.left, self.right = left, right


def calls_recursion():
  for v in (1.0, 2.0):
    yield (Branch(Branch(Leaf(v), Leaf(2.0)), Leaf(3.0)),)


def build_recursion(decorate):
  weight = tf.Variable([[0.5, 0.25]])

  def encode(n):
    if isinstance(n, Leaf):
      return weight * n.v
    return tf.tanh(encode(n.left) + n.gate * encode(n.right))

  @decorate
  def step(tree):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(encode(tree))
    weight.assign_sub(0.1 * tape.gradient(loss, weight))
    return loss

  return step, [lambda: weight.numpy()]


def calls_arguments():
  model = Model()
  for _ in range(2):
    yield (model, {"x": rows(), "scale": 2.0}, [rows(), rows()], "sum")


def build_arguments(decorate):
  @decorate
  def step(model, batch, more, mode):
    y = model.forward(batch["x"]) * batch["scale"]
    for x in more:
      y += x
    if mode in TABLE:
      y *= TABLE[mode]
    return y, len(more)

  return step


class Early:
  """Stops where there was no better loss for a while."""

  patience = 2

  def __init__(self):
    self.best, self.waited, self.stopped = float("inf"), 0, False

  def update(self, loss):
    if loss < self.best:
      self.best, self.waited = loss, 0
    else:
      self.waited += 1
    self.stopped = self.waited >= self.patience


def calls_early():
  for v in (3.0, 4.0, 2.0):
    yield (tf.constant(v),)


def build_early(decorate):
  early = Early()

  @decorate
  def step(loss):
    early.update(float(loss))
    return early.stopped

  return step, [early]


calls_layers = two_calls


def build_layers(decorate):
  tf.keras.utils.set_random_seed(1)
  inner = tf.keras.layers.Dense(2, activation="tanh")
  norm = tf.keras.layers.BatchNormalization()
  for layer in (inner, norm):
    layer.build((None, 2))

  @decorate
  def step(x):
    return norm(inner(x), training=True)

  return step, [lambda: [v.numpy() for v in (*inner.variables, *norm.variables)]]


calls_random = two_calls


def build_random(decorate):
  generator = tf.random.Generator.from_seed(3)
  settings = {"rate": 0.5, "shape": (2, 2)}

  @decorate
  def step(x):
    noise = generator.uniform(settings["shape"])
    return tf.where(noise < settings["rate"], tf.zeros_like(x), x / (1.0 - settings["rate"]))

  return step, [lambda: generator.state.numpy()]
