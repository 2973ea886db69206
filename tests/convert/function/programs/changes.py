"""What changes between calls: functions, classes, broadcast shapes, containers, modules."""

import functools
import itertools
import os
import random
import time
import types

import numpy as np
import tensorflow as tf

from tests.convert.function.programs._values import Box as _Box
from tests.convert.function.programs._values import v as _v
from tests.convert.function.programs._values import x as _x

_XS = [(_x(1, 2),), (_x(3, 4),), (_x(0, -1),), (_x(2, 2),), (_x(5, 0),)]
_FACTOR = 2.0


def _scaled(x):
  return x * _FACTOR


def global_function_is_replaced():
  global _scaled
  original = _scaled

  def step(x):
    return _scaled(x) + 1.0

  def replace():
    global _scaled
    _scaled = lambda x: x * 100.0  # noqa: E731

  def restore():
    global _scaled
    _scaled = original

  return step, [*_XS[:2], replace, *_XS[:2], restore, *_XS[:2]], None


def global_of_a_helper_changes():
  global _FACTOR
  _FACTOR = 2.0

  def step(x):
    return _scaled(x) + 1.0

  def change():
    global _FACTOR
    _FACTOR += 1.0

  return step, [_XS[0], change, _XS[0], change, _XS[0], change, _XS[0]], None


def function_of_a_module_is_replaced():
  module = types.ModuleType("settings")
  module.rate, module.activation = 0.5, tf.tanh

  def step(x):
    return module.activation(x) * module.rate

  def change():
    module.rate = 3.0

  def change_again():
    module.activation = tf.nn.relu

  return step, [*_XS[:2], change, *_XS[:2], change_again, *_XS[:2]], None


def default_values_are_replaced():
  def helper(x, scale=2.0, *, shift=1.0):
    return x * scale + shift

  def step(x):
    return helper(x)

  def change():
    helper.__defaults__ = (5.0,)

  def change_again():
    helper.__kwdefaults__["shift"] = 9.0

  return step, [*_XS[:2], change, *_XS[:2], change_again, *_XS[:2]], None


def code_of_a_helper_is_replaced():
  def helper(x):
    return x * 2.0

  def other(x):
    return x * 3.0

  def step(x):
    return helper(x)

  def change():
    helper.__code__ = other.__code__

  return step, [*_XS[:2], change, *_XS[:2]], None


def class_of_an_object_changes():
  class A:
    def scale(self):
      return 2.0

  class B:
    def scale(self):
      return 3.0

  box = A()

  def step(x):
    return x * box.scale(), isinstance(box, B)

  def change():
    box.__class__ = B

  def back():
    box.__class__ = A

  return step, [*_XS[:2], change, *_XS[:2], back, *_XS[:2]], None


def instance_is_replaced_by_one_of_another_class():
  class Relu:
    def __call__(self, x):
      return tf.nn.relu(x)

  class Scale:
    def __init__(self, by):
      self.by = by

    def __call__(self, x):
      return x * self.by

  box = _Box(layer=Relu())

  def step(x):
    return box.layer(x)

  def use(layer):
    def change():
      box.layer = layer

    return change

  calls = [*_XS[:2], use(Scale(2.0)), *_XS[:2], use(Scale(7.0)), *_XS[:2], use(Relu()), _XS[2]]
  return step, calls, None


def list_of_layers_grows():
  make = lambda n: tf.Variable(tf.eye(2) * n)  # noqa: E731
  box = _Box(layers=[make(1.0)])

  def step(x):
    with tf.GradientTape() as tape:
      y = x[None]
      for w in box.layers:
        y = tf.tanh(y @ w)
      loss = tf.reduce_sum(y)
    for w, g in zip(box.layers, tape.gradient(loss, box.layers)):
      w.assign_sub(0.1 * g)
    return loss

  def grow():
    box.layers.append(make(2.0))

  def shrink():
    del box.layers[0]

  return step, [*_XS[:2], grow, *_XS[:2], grow, shrink, *_XS[:2], shrink, _XS[3]], lambda: box


def array_is_changed_in_place():
  table = np.ones([2, 2], np.float32)

  def step(x):
    return (
      tf.matmul(x[None], table),
      tf.constant(table),
      tf.linalg.matvec(tf.convert_to_tensor(table), x),
    )

  def change():
    table[0, 0] += 5.0

  return step, [*_XS[:2], change, *_XS[:2], change, _XS[2]], None


def list_of_numbers_is_changed_in_place():
  weights = [1.0, 2.0]

  def step(x):
    return x * tf.constant(weights), tf.stack(weights), x + weights, sum(weights)

  def change():
    weights[0] += 5.0

  return step, [*_XS[:2], change, *_XS[:2], change, _XS[2]], None


def nested_settings_change():
  settings = {"model": {"layers": [1, 2], "rate": 0.5}, "name": "a"}

  def step(x):
    for n in settings["model"]["layers"]:
      x = x * float(n)
    return x * settings["model"]["rate"], settings["name"]

  def change():
    settings["model"]["layers"].append(3)

  def change_again():
    settings["model"]["rate"] = 7.0
    settings["name"] = "b"

  return step, [*_XS[:2], change, *_XS[:2], change_again, *_XS[:2], change, _XS[0]], None


def property_depends_on_hidden_state():
  class Model:
    def __init__(self):
      self._table = {"k": 1.0}

    @property
    def scale(self):
      return self._table["k"] * len(self._table)

  model = Model()

  def step(x):
    return x * model.scale

  def change():
    model._table["other"] = 2.0

  def change_again():
    model._table["k"] = 5.0

  return step, [*_XS[:2], change, *_XS[:2], change_again, *_XS[:2]], None


def getattr_hook():
  class Lazy:
    def __init__(self):
      self.data = {"scale": 2.0}

    def __getattr__(self, name):
      return self.__dict__["data"][name]

  lazy = Lazy()

  def step(x):
    return x * lazy.scale

  def change():
    lazy.data["scale"] = 5.0

  def shadow():
    lazy.scale = 11.0

  return step, [*_XS[:2], change, *_XS[:2], shadow, *_XS[:2]], None


def setattr_hook():
  class Watched:
    def __init__(self):
      object.__setattr__(self, "sets", 0)
      self.value = 0

    def __setattr__(self, name, value):
      object.__setattr__(self, "sets", self.sets + 1)
      object.__setattr__(self, name, value)

  watched = Watched()

  def step(x):
    watched.value = watched.value + 1
    return x * float(watched.value)

  return step, _XS, lambda: watched


def setattr_and_getattr_by_name():
  box = _Box(a=1.0, b=2.0)

  def step(x, name):
    setattr(box, name, getattr(box, name) * 2.0)
    return x * getattr(box, name, 0.0), hasattr(box, "c")

  def add():
    box.c = 3.0

  x = _x(1)
  return step, [(x, "a"), (x, "b"), (x, "a"), add, (x, "c"), (x, "a")], lambda: box


def cached_helper():
  calls = []

  @functools.lru_cache
  def table(n):
    calls.append(n)
    return float(n * 10)

  def step(x, n):
    return x * table(n)

  return step, [(_x(1), n) for n in (1, 2, 1, 3, 2)], lambda: calls


def cached_property():
  class Model:
    def __init__(self):
      self.computed = 0

    @functools.cached_property
    def scale(self):
      self.computed += 1
      return 3.0

    def step(self, x):
      return x * self.scale

  model = Model()

  def forget():
    del model.__dict__["scale"]

  return model.step, [*_XS[:2], forget, *_XS[:2]], lambda: model


def iterator_from_outside():
  numbers = itertools.count(1)

  def step(x):
    return x * float(next(numbers))

  return step, _XS, None


def iterator_of_a_list():
  rows = iter([1.0, 2.0, 3.0])

  def step(x):
    return x * next(rows, 100.0)

  return step, _XS, None


def data_set_iterator():
  data = iter(tf.data.Dataset.range(10))

  def step(x):
    return x * tf.cast(next(data), tf.float32)

  return step, _XS, None


def clock_moves():
  box = _Box(last=0.0)

  def step(x):
    now = time.perf_counter()
    moved = now > box.last
    box.last = now
    return x, moved

  return step, _XS, lambda: None


def environment_variable():
  os.environ["RTF_TEST_SCALE"] = "2"

  def step(x):
    return x * float(os.environ["RTF_TEST_SCALE"]), os.environ.get("RTF_TEST_NONE")

  def change():
    os.environ["RTF_TEST_SCALE"] = "5"

  return step, [*_XS[:2], change, *_XS[:2]], None


def random_choices():
  def step(xs):
    random.shuffle(xs)
    return random.choice(xs) * 1.0, np.random.rand() < 2.0, random.randint(0, 10)

  return step, [([_x(i) for i in range(5)],) for _ in range(4)], None


def numpy_global_random():
  def step(x):
    return x * np.random.rand(2).astype(np.float32)

  return step, _XS, None


def sizes_that_broadcast():
  w = _v(1)

  def step(x, y):
    with tf.GradientTape() as tape:
      tape.watch([x, y])
      z = tf.reduce_sum(x * y + w)
    return z, tape.gradient(z, [x, y, w])

  shapes = [(3, 1), (1, 3), (1, 1), (3, 3), (2, 1), (1, 5)]
  return step, [(tf.ones([a]) * 2.0, tf.ones([b]) * 3.0) for a, b in shapes], None


def rows_that_broadcast():
  def step(x, y):
    with tf.GradientTape() as tape:
      tape.watch([x, y])
      z = tf.reduce_sum((x - y) ** 2)
    return z, tape.gradient(z, [x, y])

  shapes = [([2, 3], [3]), ([2, 3], [1, 3]), ([1, 3], [4, 1]), ([2, 1], [1]), ([5, 3], [5, 3])]
  calls = [(tf.ones(a) * 2.0, tf.ones(b) * 3.0) for a, b in shapes]
  return step, calls, None


def squeezed_dimensions():
  def step(x):
    return tf.squeeze(x), tf.squeeze(x).shape.rank

  return step, [(tf.ones(s),) for s in ([1, 3], [2, 3], [1, 1], [3, 1], [1, 4])], None


def branches_on_shapes():
  def step(x, y):
    if x.shape == y.shape:
      return x + y
    if x.shape[0] > y.shape[0]:
      return x[: y.shape[0]] * y
    return tf.reduce_sum(x) - y

  pairs = [(2, 2), (3, 3), (3, 2), (2, 3), (4, 4), (1, 4)]
  return step, [(tf.ones([a]), tf.ones([b])) for a, b in pairs], None


def empty_batches():
  dense = tf.keras.layers.Dense(2)
  dense.build([None, 3])

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(dense(x)) / tf.cast(tf.maximum(tf.shape(x)[0], 1), tf.float32)
    return loss, tape.gradient(loss, dense.trainable_variables), tf.reduce_mean(x)

  return step, [(tf.ones([n, 3]),) for n in (2, 0, 3, 0, 1)], lambda: dense.variables


def structure_of_a_batch_changes():
  def step(batch):
    if isinstance(batch, dict):
      return batch["x"] * 2.0
    if isinstance(batch, tuple):
      return batch[0] + batch[1]
    if isinstance(batch, list):
      return tf.add_n(batch)
    return batch * 10.0

  x = _x(1, 2)
  calls = [
    ({"x": x},),
    ((x, x),),
    ([x, x, x],),
    (x,),
    (3.0,),
    ((x, _x(5, 5)),),
    ({"x": x, "y": x},),
  ]
  return step, calls, None


def many_lengths():
  def step(xs):
    return tf.add_n(xs) * float(len(xs)), xs[-1]

  return step, [([_x(i, n) for i in range(n)],) for n in (1, 2, 3, 4, 5, 6, 7, 3, 9)], None


def many_names():
  counts = {}

  def step(name, x):
    counts[name] = counts.get(name, 0) + 1
    return x * float(len(name)), name + "!"

  names = ["a", "bb", "ccc", "a", "dddd", "e", "ff", "ggg", "a", "hh", "i", "jjj"]
  return step, [(n, _x(1)) for n in names], lambda: counts


def many_flags():
  def step(x, a, b, mode):
    y = x * 2.0 if a else x
    y = y + 1.0 if b else y
    return -y if mode == "neg" else y

  calls = [
    (_x(1), a, b, mode) for a in (True, False) for b in (True, False) for mode in ("neg", "pos")
  ]
  return step, [*calls, *calls], None


def activity_of_a_layer_is_configured():
  class Gate(tf.keras.layers.Layer):
    def __init__(self):
      super().__init__()
      self.slope, self.kind, self.history = 0.5, "leaky", []

    def call(self, x):
      if self.kind == "leaky":
        return tf.maximum(x, x * self.slope)
      return tf.nn.elu(x)

  gate = Gate()
  gate.build([None])

  def step(x):
    return gate(x - 1.0)

  def change():
    gate.slope = 0.1

  def change_again():
    gate.kind = "elu"

  return step, [*_XS[:3], change, *_XS[:3], change_again, *_XS[:3]], None


def keras_settings_of_layers_change():
  drop = tf.keras.layers.Dropout(0.5, seed=1)
  norm = tf.keras.layers.BatchNormalization(momentum=0.9)
  norm.build([None, 2])

  def step(x):
    return norm(drop(x[None], training=True), training=True)

  def change():
    drop.rate = 0.0

  def change_again():
    norm.momentum = 0.1
    norm.epsilon = 0.5

  return step, [*_XS[:2], change, *_XS[:2], change_again, *_XS[:2]], lambda: norm.variables


def optimizer_settings_change():
  w = tf.keras.Variable([1.0, 2.0])
  optimizer = tf.keras.optimizers.Adam(0.1)
  optimizer.build([w])

  def step(x):
    optimizer.apply([x], [w])
    return w + 0.0

  def change():
    optimizer.beta_1 = 0.1

  def change_again():
    optimizer.global_clipnorm = 0.5

  return step, [*_XS[:2], change, *_XS[:2], change_again, *_XS[:2]], lambda: [w, optimizer]


def policy_of_a_new_layer():
  def step(x):
    return tf.keras.layers.Activation("relu")(x)

  def change():
    tf.keras.config.set_dtype_policy("float64")

  def back():
    tf.keras.config.set_dtype_policy("float32")

  return step, [*_XS[:2], change, _XS[0], back, *_XS[:2]], None


def epsilon_of_keras_changes():
  def step(x):
    return x + tf.keras.config.epsilon(), tf.keras.losses.binary_crossentropy([0.0, 1.0], x)

  def change():
    tf.keras.config.set_epsilon(0.25)

  def back():
    tf.keras.config.set_epsilon(1e-7)

  return step, [(_x(0, 1),), change, (_x(0, 1),), back, (_x(0, 1),)], None


def function_gets_an_attribute():
  def helper(x):
    return x * helper.scale

  helper.scale = 2.0

  def step(x):
    step.calls += 1
    return helper(x)

  step.calls = 0

  def change():
    helper.scale = 9.0

  return step, [*_XS[:2], change, *_XS[:2]], lambda: [step.calls, helper.scale]


def objects_made_in_the_call_count_themselves():
  class Item:
    made = 0

    def __init__(self, x):
      Item.made += 1
      self.number = Item.made
      self.x = x

  def step(x):
    items = [Item(x * float(i)) for i in range(2)]
    return items[1].x * float(items[1].number)

  return step, _XS, lambda: Item.made


def equality_and_truth_of_ones_own():
  class Money:
    def __init__(self, amount):
      self.amount = amount

    def __eq__(self, other):
      return self.amount == other.amount

    def __hash__(self):
      return 1

    def __bool__(self):
      return self.amount > 0

    def __lt__(self, other):
      return self.amount < other.amount

    def __contains__(self, n):
      return n <= self.amount

    def __iter__(self):
      return iter(range(self.amount))

  def step(x, a, b):
    if a == b:
      x = x * 10.0
    if a and not b:
      x = x + 1.0
    return x, a < b, 2 in a, a != b, [i for i in b]

  pairs = [(1, 1), (2, 0), (0, 3), (3, 3), (5, 2)]
  return step, [(_x(1), Money(a), Money(b)) for a, b in pairs], None


def list_methods():
  box = _Box(items=[_x(0), _x(1)])

  def step(x, n):
    items = box.items
    items.append(x)
    items.extend([x * 2.0])
    if n == 1:
      items.reverse()
    if n == 2:
      items.clear()
    if n == 3:
      items[1:2] = []
    if n == 4:
      del items[0]
    return len(items)

  return step, [(_x(i), n) for i, n in enumerate((0, 1, 2, 3, 0, 4))], lambda: box


def list_changes_while_it_is_read():
  items = [1, 2, 3]

  def step(x):
    total = 0
    for i in items:
      if i == 2 and len(items) < 6:
        items.append(10)
      total += i
    return x * float(total), len(items)

  return step, _XS, lambda: items


def dict_methods():
  table = {"a": 1.0}

  def step(x, name):
    old = table.setdefault(name, 5.0)
    table[name] = old + 1.0
    gone = table.pop("a", None)
    table.update({"z": 0.0} if gone is None else {})
    return x * old, list(table), sorted(table.items())

  return step, [(_x(1), n) for n in ("a", "b", "a", "c", "b")], lambda: table


def order_of_a_dict():
  table = {}

  def step(x, name):
    if name in table:
      del table[name]
    table[name] = x
    return list(table)

  return step, [(_x(i), n) for i, n in enumerate("abcab")], lambda: table


def sets_and_frozen_sets():
  seen = set()

  def step(x, name):
    is_new = name not in seen
    seen.add(name)
    return x if is_new else -x, len(seen), name in frozenset(["a"])

  return step, [(_x(1), n) for n in ("a", "b", "a", "c", "b")], lambda: seen


def deletions():
  box = _Box(a=1, b=2)

  def step(x):
    y = x * 2.0
    z = y
    del y
    if hasattr(box, "a"):
      del box.a
      return z
    return z * 3.0

  def again():
    box.a = 1

  return step, [*_XS[:2], again, *_XS[:2]], lambda: box
