"""State in attributes, closures, globals, lists and dicts: numbers, tensors, None, then others."""

import collections
import dataclasses

import tensorflow as tf

from tests.convert.function.programs._values import XS as _XS
from tests.convert.function.programs._values import Box as _Box
from tests.convert.function.programs._values import x as _x

_COUNT = 0
_SCALE = 1.0
_HISTORY = []
_SETTINGS = {}


def counter_in_an_attribute():
  box = _Box(count=0)

  def step(x):
    box.count += 1
    return x * float(box.count), box.count

  return step, _XS, lambda: box


def counter_changed_from_outside():
  box = _Box(count=0)

  def step(x):
    box.count += 1
    return x * box.count

  def reset():
    box.count = 100

  def to_float():
    box.count = 0.5

  return step, [_XS[0], _XS[1], reset, _XS[2], _XS[3], to_float, _XS[4], _XS[0]], lambda: box


def tensor_in_an_attribute():
  box = _Box(state=tf.zeros([2]))

  def step(x):
    box.state = tf.tanh(box.state + x)
    return box.state * 2.0

  return step, _XS, lambda: box


def none_then_tensor():
  box = _Box(state=None)

  def step(x):
    if box.state is None:
      box.state = tf.zeros_like(x)
    box.state = box.state * 0.5 + x
    return box.state

  def forget():
    box.state = None

  return step, [*_XS[:3], forget, *_XS], lambda: box


def tensor_then_none():
  box = _Box(pending=None, done=0)

  def step(x):
    if box.pending is None:
      box.pending = x
      return None
    y = box.pending - x
    box.pending = None
    box.done += 1
    return y

  return step, [*_XS, *_XS], lambda: box


def attribute_changes_its_shape():
  box = _Box(state=tf.zeros([1]))

  def step(x):
    box.state = tf.concat([box.state, x], axis=0)
    return tf.reduce_sum(box.state)

  return step, _XS, lambda: box


def attribute_changes_its_type():
  box = _Box(value=1)

  def step(x):
    y = x * float(box.value)
    box.value = box.value * 1.5
    return y

  return step, _XS, lambda: box


def attribute_is_made_by_the_call():
  box = _Box()

  def step(x):
    if not hasattr(box, "mean"):
      box.mean = x
    else:
      box.mean = 0.5 * (box.mean + x)
    return box.mean

  return step, _XS, lambda: box


def string_attribute():
  box = _Box(mode="a", log="")

  def step(x):
    y = x * (2.0 if box.mode == "a" else 3.0)
    box.log += box.mode
    box.mode = "b" if box.mode == "a" else "a"
    return y

  return step, [*_XS, *_XS], lambda: box


def flag_flips_each_call():
  box = _Box(flag=False)

  def step(x):
    box.flag = not box.flag
    return x if box.flag else -x

  return step, [*_XS, *_XS], lambda: box


def history_in_a_list():
  history = []

  def step(x):
    history.append(tf.reduce_sum(x))
    return tf.add_n(history), len(history)

  return step, [*_XS, *_XS], lambda: history


def list_is_appended_only():
  history = []

  def step(x):
    loss = tf.reduce_sum(x)
    history.append(loss)
    return loss

  return step, [*_XS, *_XS], lambda: history


def list_with_a_window():
  box = _Box(window=[])

  def step(x):
    box.window.append(x)
    if len(box.window) > 3:
      box.window.pop(0)
    return tf.add_n(box.window) / float(len(box.window))

  return step, [*_XS, *_XS], lambda: box


def list_insert_and_pop():
  items = [_x(0, 0)]

  def step(x):
    items.insert(0, x)
    if len(items) > 3:
      last = items.pop()
      return last - items[0]
    return items[-1]

  return step, [*_XS, *_XS[:2]], lambda: items


def list_items_are_written():
  items = [_x(0, 0), _x(1, 1), _x(2, 2)]

  def step(x, i):
    items[i] = items[i] + x
    items[-1], items[0] = items[0], items[-1]
    return items[1]

  return step, [(x, i) for (x,), i in zip(_XS, [0, 1, 2, 0, 1])], lambda: items


def list_is_replaced_from_outside():
  box = _Box(losses=[])

  def step(x):
    box.losses.append(tf.reduce_sum(x))
    return len(box.losses)

  def replace():
    box.losses = []

  return step, [*_XS[:2], replace, *_XS[:3], replace, _XS[0]], lambda: box


def list_known_by_two_names():
  a = []
  box = _Box(items=a)

  def step(x):
    a.append(x)
    box.items.append(x * 2.0)
    return len(a), len(box.items), a[-1]

  def part():
    box.items = []

  return step, [*_XS[:2], part, *_XS], lambda: [a, box]


def list_is_argument_and_attribute():
  box = _Box(items=[])
  other = []

  def step(items, x):
    items.append(x)
    box.items.append(x * 10.0)
    return len(items), len(box.items), items[-1]

  x = _x(1, 2)
  calls = [(box.items, x), (other, x), (box.items, x), (other, x), (other, x), (box.items, x)]
  return step, calls, lambda: [box, other]


def argument_list_is_changed():
  lists = [[], [_x(1, 1)], []]

  def step(items, x):
    items.append(x)
    return tf.add_n(items)

  x = _x(1, 2)
  return step, [(lists[i], x) for i in (0, 1, 2, 0, 1, 0)], lambda: lists


def argument_dict_is_changed():
  batch = {"x": _x(1, 2)}

  def step(batch):
    batch["x"] = batch["x"] * 2.0
    batch["y"] = batch["x"] + 1.0
    return batch["y"]

  return step, [(batch,), (batch,), ({"x": _x(0, 1)},), (batch,)], lambda: batch


def dict_counts_by_name():
  counts = {}

  def step(name, x):
    counts[name] = counts.get(name, 0) + 1
    return x * float(counts[name])

  return step, [(n, _x(1)) for n in ("a", "b", "a", "a", "c", "b")], lambda: counts


def dict_of_tensors():
  memory = {}

  def step(name, x):
    if name in memory:
      memory[name] = 0.9 * memory[name] + 0.1 * x
    else:
      memory[name] = x
    return memory[name]

  return step, [(n, _x(i)) for i, n in enumerate(("a", "b", "a", "a", "c", "b"))], lambda: memory


def dict_is_updated_and_popped():
  memory = {"old": _x(1)}

  def step(x):
    memory.update(new=x)
    y = memory.pop("old")
    memory["old"] = memory["new"] + y
    return y

  return step, [(_x(i),) for i in range(5)], lambda: memory


def default_dict():
  sums = collections.defaultdict(float)

  def step(name, x):
    sums[name] += 0.5
    return x * sums[name]

  return step, [(n, _x(1)) for n in ("a", "b", "a", "a", "c", "b")], lambda: sums


def nonlocal_numbers():
  count, mean = 0, 0.0

  def step(x):
    nonlocal count, mean
    count += 1
    mean = mean + (float(count) - mean) / count
    return x * mean

  return step, _XS, lambda: [count, mean]


def nonlocal_tensor():
  state = tf.zeros([2])

  def step(x):
    nonlocal state
    state = state * 0.5 + x
    return state - x

  return step, _XS, lambda: state


def global_numbers():
  global _COUNT, _SCALE
  _COUNT, _SCALE = 0, 1.0

  def step(x):
    global _COUNT
    _COUNT += 1
    return x * _SCALE + float(_COUNT)

  def change():
    global _SCALE
    _SCALE = 3.0

  return step, [*_XS[:2], change, *_XS], lambda: [_COUNT, _SCALE]


def global_containers():
  _HISTORY.clear()
  _SETTINGS.clear()
  _SETTINGS.update(rate=0.5, on=True)

  def step(x):
    if _SETTINGS["on"]:
      x = x * _SETTINGS["rate"]
    _HISTORY.append(x)
    return x

  def change():
    _SETTINGS["rate"] = 2.0

  def off():
    _SETTINGS["on"] = False

  calls = [*_XS[:2], change, *_XS[:2], off, *_XS[:2]]
  return step, calls, lambda: [list(_HISTORY), dict(_SETTINGS)]


def closure_function_is_replaced():
  def activation(x):
    return tf.tanh(x)

  def step(x):
    return activation(x) * 2.0

  def change():
    nonlocal activation

    def activation(x):
      return tf.nn.relu(x)

  def change_again():
    nonlocal activation
    activation = tf.sigmoid

  return step, [*_XS[:2], change, *_XS[:2], change_again, *_XS[:2]], None


def function_in_a_dict_is_replaced():
  table = {"f": tf.tanh, "g": lambda x: x * 2.0}

  def step(x):
    return table["g"](table["f"](x))

  def change():
    table["f"] = tf.sin

  def change_again():
    table["g"] = lambda x: x - 1.0

  return step, [*_XS[:2], change, *_XS[:2], change_again, *_XS[:2]], None


def method_is_replaced():
  class Model:
    def scale(self, x):
      return x * 2.0

    def step(self, x):
      return self.scale(x) + 1.0

  model = Model()

  def change_class():
    Model.scale = lambda self, x: x * 3.0

  def change_instance():
    model.scale = lambda x: x * 5.0

  return model.step, [*_XS[:2], change_class, *_XS[:2], change_instance, *_XS[:2]], None


def class_attribute_changes():
  class Model:
    rate = 0.1
    calls = 0

    def step(self, x):
      return x * self.rate * Model.rate

  model = Model()

  def change_class():
    Model.rate = 0.5

  def change_instance():
    model.rate = 7.0

  return (
    model.step,
    [*_XS[:2], change_class, *_XS[:2], change_instance, *_XS[:2]],
    lambda: [
      Model.rate,
      vars(model),
    ],
  )


def dataclass_state():
  @dataclasses.dataclass
  class State:
    step: int
    mean: tf.Tensor
    best: float = 0.0

  box = _Box(state=State(0, tf.zeros([2])))

  def step(x):
    state = box.state
    box.state = State(state.step + 1, 0.5 * (state.mean + x), best=state.best + 0.5)
    return box.state.mean

  return step, _XS, lambda: box


def dataclass_is_updated_in_place():
  @dataclasses.dataclass
  class State:
    step: int
    mean: tf.Tensor

  state = State(0, tf.zeros([2]))

  def step(s, x):
    s.step += 1
    s.mean = s.mean + x / float(s.step)
    return s.mean

  return step, [(state, x) for (x,) in _XS], lambda: state


def frozen_dataclass_replaced():
  @dataclasses.dataclass(frozen=True)
  class Config:
    rate: float
    name: str = "x"

  box = _Box(config=Config(0.5))

  def step(x):
    config = dataclasses.replace(box.config, rate=box.config.rate * 2.0)
    box.config = config
    return x * config.rate

  return step, _XS, lambda: box


def named_tuple_state():
  State = collections.namedtuple("State", "h c")

  box = _Box(state=State(tf.zeros([2]), tf.ones([2])))

  def step(x):
    h, c = box.state
    c = c + x
    box.state = State(h=tf.tanh(c), c=c)
    return box.state

  return step, _XS, lambda: box


def objects_of_objects():
  root = _Box(left=_Box(value=_x(1, 1)), right=_Box(value=_x(2, 2)), count=0)

  def step(x):
    root.left.value = root.left.value + x
    root.left, root.right = root.right, root.left
    root.count += 1
    return root.left.value - root.right.value

  return step, _XS, lambda: root


def two_objects_share_one():
  shared = _Box(total=_x(0, 0))
  a, b = _Box(to=shared), _Box(to=shared)

  def step(x):
    a.to.total = a.to.total + x
    first = b.to.total * 1.0
    b.to.total = b.to.total * 2.0
    return first, a.to.total

  def part():
    b.to = _Box(total=_x(9, 9))

  return step, [*_XS[:3], part, *_XS[:3]], lambda: [a, b]


def properties_with_setters():
  class Model:
    def __init__(self):
      self._rate = 1.0

    @property
    def rate(self):
      return self._rate * 2.0

    @rate.setter
    def rate(self, value):
      self._rate = value + 1.0

    def step(self, x):
      y = x * self.rate
      self.rate = 0.5 * self.rate
      return y

  model = Model()
  return model.step, _XS, lambda: model


def slots():
  class Model:
    __slots__ = ("count", "total")

    def __init__(self):
      self.count, self.total = 0, tf.zeros([2])

    def step(self, x):
      self.count += 1
      self.total = self.total + x
      return self.total / float(self.count)

  model = Model()
  return model.step, _XS, lambda: model


def result_is_the_state():
  box = _Box(out={})

  def step(x):
    box.out = {"x": x * 2.0}
    return box.out

  return step, _XS, lambda: box


def same_list_twice_in_the_result():
  def step(x):
    items = [x * 2.0]
    return items, items, {"items": items}

  return step, _XS, None


def argument_is_returned():
  def step(x, items, names):
    return x, items, names, x

  calls = [
    (_x(1), [_x(2)], {"a": 1}),
    (_x(1), [_x(2), _x(3)], {"a": 2}),
    (_x(1), [_x(5)], {"b": 1}),
  ]
  return step, calls, None


def python_numbers_come_out_as_they_are():
  box = _Box(i=3, f=0.5, b=True)

  def step(n, x):
    box.i, box.f = box.i * n, box.f / n
    return n + 1, n / 2, n // 2, n % 2, n > 2, box.i, box.f, box.b, -n, x

  return step, [(n, _x(1)) for n in (1, 2, 2.5, 4, 7)], lambda: box


def swap_of_attributes_by_a_condition():
  box = _Box(best=_x(0, 0), best_loss=1e9, patience=0)

  def step(x):
    loss = tf.reduce_sum((x - 2.0) ** 2)
    if loss < box.best_loss:
      box.best, box.best_loss, box.patience = x, loss, 0
    else:
      box.patience += 1
    return box.patience

  return step, [*_XS, *_XS], lambda: box


def replay_buffer():
  class Buffer:
    def __init__(self, size):
      self.items, self.size, self.next = [], size, 0

    def add(self, item):
      if len(self.items) < self.size:
        self.items.append(item)
      else:
        self.items[self.next] = item
      self.next = (self.next + 1) % self.size

  buffer = Buffer(3)

  def step(x):
    buffer.add((x, tf.reduce_sum(x)))
    return tf.stack([s for _, s in buffer.items])

  return step, [*_XS, *_XS[:3]], lambda: buffer
