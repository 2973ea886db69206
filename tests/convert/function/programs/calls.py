"""How functions are called: methods, callables, defaults, stars, partials, batches, dtypes."""

import collections
import dataclasses
import functools
import operator

import numpy as np
import tensorflow as tf

from tests.convert.function.harness import Call
from tests.convert.function.programs._values import XS as _XS
from tests.convert.function.programs._values import x as _x


def bound_method():
  class Model:
    def __init__(self):
      self.w = tf.Variable([1.0, 2.0])
      self.calls = 0

    def step(self, x, scale=1.0):
      self.calls += 1
      self.w.assign_add(x * scale)
      return self.w * 2.0

  model = Model()
  calls = [
    Call(_x(1, 1)),
    Call(_x(1, 1), 2.0),
    Call(x=_x(1, 1), scale=3.0),
    Call(_x(0, 1), scale=2),
  ]
  return model.step, calls, lambda: [model.w, model.calls]


def callable_object():
  class Net:
    def __init__(self):
      self.w = tf.Variable([1.0, 2.0])

    def __call__(self, x):
      self.w.assign_add(x)
      return self.w * x

  net = Net()
  return net.__call__, _XS, lambda: net.w


def module_with_submodules():
  class Linear(tf.Module):
    def __init__(self, n, m):
      super().__init__()
      self.w = tf.Variable(tf.ones([n, m]) * 0.1)
      self.b = tf.Variable(tf.zeros([m]))

    def __call__(self, x):
      return x @ self.w + self.b

  class Net(tf.Module):
    def __init__(self):
      super().__init__()
      self.layers = [Linear(2, 3), Linear(3, 3), Linear(3, 1)]

    def __call__(self, x):
      for layer in self.layers[:-1]:
        x = tf.nn.tanh(layer(x))
      return self.layers[-1](x)

  net = Net()

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean(net(x) ** 2)
    for w, g in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
      w.assign_sub(0.1 * g)
    return loss

  return step, [(tf.ones([n, 2]) * n,) for n in (1, 2, 3, 2)], lambda: list(net.trainable_variables)


def defaults_and_keywords():
  def step(x, a=2.0, *, b=3, name="n", flip=False):
    y = x * a + float(b)
    return {name: -y if flip else y}

  calls = [
    Call(_x(1)),
    Call(_x(1), 5.0),
    Call(_x(1), b=4),
    Call(_x(1), name="m"),
    Call(b=7, x=_x(2)),
    Call(_x(1), flip=True),
    Call(_x(1), a=1, flip=False),
  ]
  return step, calls, None


def star_arguments():
  def step(*xs, **named):
    total = tf.add_n(list(xs)) if xs else _x(0)
    for name in sorted(named):
      total = total * named[name]
    return total, len(xs), sorted(named)

  calls = [
    Call(_x(1), _x(2)),
    Call(_x(1)),
    Call(),
    Call(_x(1), scale=2.0),
    Call(_x(1), b=_x(3), a=2.0),
    Call(_x(1), _x(2), scale=3.0),
  ]
  return step, calls, None


def mutable_default():
  def step(x, seen=[]):  # noqa: B006
    seen.append(x)
    return len(seen), seen[-1] - seen[0]

  return step, [*_XS, (_x(1, 1), []), _XS[0]], lambda: step.__defaults__


def partial():
  w = tf.Variable([1.0, 2.0])

  def step(scale, x, shift=0.0):
    w.assign_add(x * scale)
    return w + shift

  calls = [(_x(1, 1),), (_x(2, 1),), Call(_x(1, 0), shift=5.0), (_x(1, 1),)]
  return functools.partial(step, 2.0, shift=1.0), calls, lambda: w


def partial_inside():
  def scale(x, by, then=0.0):
    return x * by + then

  def step(x, by):
    f = functools.partial(scale, by=by)
    return f(x), f(x, then=1.0), functools.reduce(operator.add, [f(x), x, x])

  return step, [(_x(1), 2.0), (_x(1), 3.0), (_x(2), 2.0), (_x(2), 5)], None


def decorated_helper():
  def twice(f):
    @functools.wraps(f)
    def wrapped(*args, **kwargs):
      return f(f(*args, **kwargs))

    return wrapped

  @twice
  def square(x):
    return x * x

  def step(x):
    return square(x)

  return step, _XS, None


def lambdas_and_maps():
  def step(xs):
    halves = list(map(lambda x: x / 2.0, xs))
    big = [x for x in xs if x.shape[0] > 1]
    return halves, big, max(xs, key=lambda x: x.shape[0])

  calls = [([_x(1), _x(1, 2)],), ([_x(1)],), ([_x(3), _x(4, 5)],), ([_x(1, 2, 3), _x(1)],)]
  return step, calls, None


def dict_batches():
  w = tf.Variable([1.0, 2.0])

  def step(batch):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean((batch["x"] * w - batch["y"]) ** 2 * batch.get("weight", 1.0))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return {"loss": loss, "size": len(batch)}

  def batch(n, **more):
    return ({"x": tf.ones([n, 2]), "y": tf.ones([n, 2]) * n, **more},)

  calls = [batch(2), batch(3), batch(2, weight=tf.constant(0.5)), batch(1), batch(2, weight=2.0)]
  return step, calls, lambda: w


def nested_batches():
  def step(batch):
    (x, y), extra = batch
    return x["a"] + y[0], [extra, {"b": (x["a"], y)}]

  def batch(n):
    return (({"a": tf.ones([n])}, [tf.ones([n]) * 2.0]), tf.constant(n))

  return step, [(batch(n),) for n in (1, 2, 2, 3)], None


def dataclass_batches():
  @dataclasses.dataclass
  class Batch:
    x: tf.Tensor
    y: tf.Tensor
    weight: float = 1.0
    name: str = "train"

  def step(batch):
    return tf.reduce_sum((batch.x - batch.y) ** 2) * batch.weight, batch.name == "train"

  calls = [
    (Batch(_x(1, 2), _x(0, 0)),),
    (Batch(_x(1, 2), _x(3, 0), 2.0),),
    (Batch(_x(1, 2, 3), _x(0, 0, 0)),),
    (Batch(_x(1, 2), _x(0, 0), 0.5, "test"),),
    (Batch(_x(1, 2), _x(0, 0)),),
  ]
  return step, calls, None


def dataclass_results():
  @dataclasses.dataclass
  class Output:
    loss: tf.Tensor
    parts: list
    step: int = 0

  def step(x, n):
    return Output(tf.reduce_sum(x), [x * float(i) for i in range(n)], step=n)

  return step, [(_x(1, 2), n) for n in (1, 2, 1, 3, 0)], None


def named_tuples():
  Pair = collections.namedtuple("Pair", "first second")

  def step(pair):
    first, second = pair
    return Pair(second * 2.0, first), pair._replace(first=pair.second), pair.first

  calls = [
    (Pair(_x(1), _x(2)),),
    (Pair(_x(3), _x(4, 5)),),
    (Pair(_x(1), _x(2)),),
    (Pair(_x(0), _x(7)),),
  ]
  return step, calls, None


def numpy_arguments():
  def step(x, n):
    return x * 2.0, tf.reduce_sum(x) + n, tf.convert_to_tensor(x)[0]

  calls = [
    (np.float32([1, 2]), np.float32(3)),
    (np.float32([1, 2, 3]), np.float32(4)),
    (np.float64([1, 2]), np.float64(3)),
    (np.float32([5, 2]), np.float32(1)),
    (np.float32([[5, 2]]), np.float32(1)),
  ]
  return step, calls, None


def numpy_constants():
  table = np.arange(6, dtype=np.float32).reshape(3, 2)
  scale = np.float64(0.5)

  def step(i, x):
    return table[i] * x, tf.gather(table, [i]), x * scale

  def change():
    table[0] = 100.0

  return step, [(0, _x(1, 2)), (2, _x(1, 2)), change, (0, _x(1, 2)), (1, _x(1, 1)), change], None


def dtypes_change():
  def step(x):
    return x + x, x * 2, tf.cast(x, tf.float32) / 3.0

  return (
    step,
    [
      (tf.constant([1, 2]),),
      (tf.constant([1.0, 2.0]),),
      (tf.constant([1, 2], tf.int64),),
      (tf.constant([1.0, 2.0], tf.float64),),
      (tf.constant([3, 4]),),
      (tf.constant([1.0], tf.bfloat16),),
    ],
    None,
  )


def ranks_change():
  def step(x):
    return tf.reduce_sum(x, axis=-1), x.shape.rank, len(x.shape), tf.rank(x)

  return step, [(tf.ones(s),) for s in ([2], [2, 3], [3], [2, 2, 2], [4, 3])], None


def static_shapes_are_numbers():
  def step(x):
    n, m = x.shape
    return tf.reshape(x, [n * m]), n, m, float(n) / m, x.shape[0] == 2, x.shape.as_list()

  return step, [(tf.ones(s),) for s in ([2, 3], [4, 3], [2, 1], [2, 3], [5, 5])], None


def numbers_change_kind():
  def step(x, n):
    return x * float(n), n * 2, n / 2

  return step, [(_x(1), n) for n in (1, 2.0, 3, True, 2.5, np.int64(3), np.float32(0.5))], None


def none_and_tensor_arguments():
  def step(x, y=None):
    if y is None:
      y = tf.zeros_like(x)
    return x - y, y is None

  return step, [(_x(1),), (_x(1), _x(2)), (_x(1), None), (_x(1, 2),), (_x(1), _x(3))], None


def tensor_or_number():
  def step(x, scale):
    return x * scale, scale + 1

  return (
    step,
    [(_x(1), s) for s in (2.0, tf.constant(2.0), 3, np.float32(4), tf.constant(5.0))],
    None,
  )


def wrong_arguments():
  def step(x, y):
    return x + y

  return (
    step,
    [
      (_x(1), _x(2)),
      (_x(1),),
      (_x(1), _x(2), _x(3)),
      Call(_x(1), z=_x(2)),
      Call(_x(1), x=_x(2)),
      (_x(1), _x(5)),
      (_x(1), "text"),
      (_x(1), None),
    ],
    None,
  )


def einsum_gather_where():
  def step(x, i):
    y = tf.einsum("ij,kj->ik", x, x)
    z = tf.gather(y, i, axis=1)
    return tf.where(z > 1.0, z, -z), tf.gather_nd(y, [[0, 0]]), tf.one_hot(i, 3)

  def batch(n):
    return tf.reshape(tf.range(2.0 * n), [n, 2]) * 0.3, tf.range(n)

  return step, [batch(n) for n in (2, 3, 2, 1, 4)], None


def tensor_scatter_and_segments():
  def step(x, i):
    y = tf.tensor_scatter_nd_add(tf.zeros([4]), i[:, None], x)
    return y, tf.math.unsorted_segment_sum(x, i, 4), tf.scatter_nd(i[:, None], x, [4])

  return step, [(tf.range(float(n)), tf.range(n) % 4) for n in (2, 5, 2, 3)], None


def slices_and_masks():
  def step(x, k):
    y = x[k:], x[:-1], x[::2], x[..., tf.newaxis], x[-1]
    return y, tf.boolean_mask(x, x > 1.0), x[x > 2.0]

  return step, [(tf.range(float(n)), k) for n, k in [(4, 1), (4, 2), (5, 0), (3, 1), (4, 1)]], None


def sorting_and_top_k():
  def step(x, k):
    values, indices = tf.math.top_k(x, k=k)
    return values, indices, tf.sort(x), tf.argsort(-x), tf.unique(x).y

  return step, [(_x(3, 1, 2), 2), (_x(5, 5, 1, 0), 2), (_x(1, 2, 3), 1), (_x(9, 8, 7), 2)], None


def strings():
  def step(words):
    lower = tf.strings.lower(words)
    return tf.strings.join([lower, words], "-"), tf.strings.length(words), lower == words

  batches = [["A", "b"], ["Cc"], ["x", "Y", "z"], ["A", "b"]]
  return step, [(tf.constant(b),) for b in batches], None


def complex_numbers():
  def step(x):
    z = tf.complex(x, x * 2.0)
    return tf.abs(z), tf.math.conj(z), tf.signal.fft(z)

  return step, _XS, None


def tensor_methods_and_operators():
  def step(x, y):
    return x // y, x % y, x**y, -x, abs(x - y), x @ tf.transpose(x), divmod(7, 2), x != y, x >= y

  def batch(n):
    return tf.ones([n, 2]) * 3.0, tf.ones([n, 2]) * 2.0

  return step, [batch(n) for n in (1, 2, 1, 3)], None


def linear_algebra():
  def step(m):
    q, r = tf.linalg.qr(m)
    return r * r, tf.linalg.det(m), tf.linalg.solve(m, tf.ones_like(m)), tf.linalg.trace(q @ r)

  return step, [(tf.eye(n) * 2.0 + 0.1,) for n in (2, 3, 2, 4)], None


def map_fn_scan_and_while_loop():
  w = tf.Variable([0.5, 0.5])

  def step(xs):
    with tf.GradientTape() as tape:
      mapped = tf.map_fn(lambda x: x * w, xs)
      scanned = tf.scan(lambda a, x: tf.tanh(a * w + x), xs)
      loss = tf.reduce_sum(mapped) + tf.reduce_sum(scanned)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return mapped, scanned

  return step, [(tf.ones([n, 2]),) for n in (2, 3, 2, 1)], lambda: w


def tf_cond_by_hand():
  v = tf.Variable([0.0])

  def step(x):
    return tf.cond(tf.reduce_sum(x) > 1.0, lambda: v.assign_add(x) * 1.0, lambda: x * 2.0)

  return step, [(_x(n),) for n in (1, 2, 3, 0, 5)], lambda: v


def calls_a_tf_function():
  v = tf.Variable([0.0])

  @tf.function
  def inner(x):
    v.assign_add(x)
    return v * 2.0

  def step(x):
    a = inner(x)
    v.assign(v * 2.0)
    return a + inner(x)

  return step, [(_x(n),) for n in (1, 2, 3, 0, 5)], lambda: v


def tensor_array():
  def step(xs):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in range(3):
      array = array.write(i, xs * float(i))
    return array.stack(), array.size()

  return step, _XS, None


def tf_nest():
  def step(batch):
    doubled = tf.nest.map_structure(lambda x: x * 2.0, batch)
    return doubled, tf.add_n(tf.nest.flatten(batch))

  calls = [
    ({"a": _x(1), "b": [_x(2), _x(3)]},),
    ({"a": _x(1), "b": [_x(2)]},),
    ({"a": _x(1), "b": []},),
  ]
  return step, [*calls, calls[0]], None


def ragged_argument():
  def step(x):
    return tf.reduce_sum(x, axis=1), x * 2.0

  rows = [[[1.0], [2.0, 3.0]], [[1.0, 2.0]], [[], [1.0], [2.0]]]
  return step, [(tf.ragged.constant(r),) for r in rows], None


def variable_as_argument():
  a, b = tf.Variable([1.0]), tf.Variable([2.0, 3.0])

  def step(v, x):
    v.assign_add(x)
    return v * 2.0

  return step, [(v, _x(1)) for v in (a, b, a, a, b)], lambda: [a, b]


def function_as_argument():
  def double(x):
    return x * 2.0

  def step(f, x):
    return f(x) + 1.0

  functions = [double, tf.tanh, lambda x: x - 1.0, double, tf.tanh]
  return step, [(f, _x(1, 2)) for f in functions], None


def model_as_argument():
  class Net:
    def __init__(self, scale):
      self.w, self.scale = tf.Variable([1.0, 2.0]), scale

    def __call__(self, x):
      return self.w * x * self.scale

  a, b = Net(1.0), Net(2.0)

  def step(net, x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((net(x) - 1.0) ** 2)
    net.w.assign_sub(0.05 * tape.gradient(loss, net.w))
    return loss

  def change():
    a.scale = 3.0

  x = _x(1, 2)
  return step, [(a, x), (b, x), (a, x), change, (a, x), (b, x), (a, x)], lambda: [a.w, b.w]


def generator_inside():
  def numbers(n):
    for i in range(n):
      yield float(i)

  def step(x, n):
    return sum(x * i for i in numbers(n)), list(numbers(n))

  return step, [(_x(1), n) for n in (2, 3, 1, 2)], None


def list_of_a_generator_function():
  def step(x, n):
    for i in range(n):
      yield x * float(i)

  def make_list(x, n):
    return list(step(x, n))

  return make_list, [(_x(1), n) for n in (2, 3, 1, 2)], None


def helper_with_type_checks():
  def flat(value):
    if isinstance(value, dict):
      return [y for k in sorted(value) for y in flat(value[k])]
    if isinstance(value, (list, tuple)):
      return [y for v in value for y in flat(v)]
    return [value]

  def step(batch):
    return tf.add_n(flat(batch))

  calls = [
    ([_x(1), {"a": _x(2)}],),
    ((_x(1), [_x(2), _x(3)]),),
    ({"z": _x(4)},),
    ([_x(1), {"a": _x(2)}],),
  ]
  return step, calls, None


def super_and_class_methods():
  class Base:
    scale = 2.0

    @classmethod
    def scaled(cls, x):
      return x * cls.scale

    @staticmethod
    def shifted(x):
      return x + 1.0

    def forward(self, x):
      return self.scaled(x)

  class Derived(Base):
    scale = 3.0

    def forward(self, x):
      return self.shifted(super().forward(x))

  objects = [Base(), Derived()]

  def step(which, x):
    return objects[which].forward(x)

  return step, [(i, _x(1, 2)) for i in (0, 1, 0, 1, 1)], None


def operators_of_a_class():
  class Dual:
    def __init__(self, value, slope):
      self.value, self.slope = value, slope

    def __add__(self, other):
      return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
      return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __getitem__(self, i):
      return (self.value, self.slope)[i]

    def __len__(self):
      return 2

  def step(x):
    d = Dual(x, tf.ones_like(x))
    y = d * d + d
    return y[0], y[1], len(y), y.slope

  return step, _XS, None
