"""Chains of writes and reads: through Keras, by hand, raw ops, in branches, loops, failures."""

import tensorflow as tf

from tests.convert.function.programs._values import XS as _XS
from tests.convert.function.programs._values import Box as _Box
from tests.convert.function.programs._values import v as _v
from tests.convert.function.programs._values import x as _x


def raw_ops():
  v = _v(1, 2)

  def step(x):
    tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=x)
    a = tf.raw_ops.ReadVariableOp(resource=v.handle, dtype=tf.float32)
    tf.raw_ops.AssignVariableOp(resource=v.handle, value=a * 2.0)
    tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=0.5, delta=x)
    return a, v + 0.0

  return step, _XS, lambda: v


def compat_v1_assignments():
  v = _v(1, 2)

  def step(x):
    tf.compat.v1.assign(v, v * 2.0)
    tf.compat.v1.assign_add(v, x)
    y = v * 1.0
    tf.compat.v1.scatter_update(v, [0], [7.0])
    return y, v + 0.0

  return step, _XS, lambda: v


def unusual_scatters():
  v = tf.Variable(tf.zeros([4]))

  def step(i, x):
    v.scatter_max(tf.IndexedSlices(x, i))
    a = v * 1.0
    v.scatter_update(tf.IndexedSlices(x * 2.0, i))
    v.scatter_mul(tf.IndexedSlices(x, i))
    b = v.sparse_read(i)
    v.scatter_nd_sub(i[:, None], x)
    return a, b, v.gather_nd(i[:, None])

  return step, [(tf.constant([k % 4, 3]), _x(k, 1)) for k in range(5)], lambda: v


def assign_without_reading_back():
  v = _v(1, 2)

  def step(x):
    a = v.assign_add(x, read_value=False)
    b = v.assign(v * 2.0, read_value=False)
    v.assign_sub(x, use_locking=True)
    return a is None, b is None, v + 0.0

  return step, _XS, lambda: v


def table_lookup_and_insert():
  table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)

  def step(words):
    before = table.lookup(words)
    table.insert(words, tf.range(tf.size(words, out_type=tf.int64)))
    return before, table.lookup(words), table.size()

  batches = [["a", "b"], ["b", "c"], ["a"], ["d", "a", "c"]]
  return step, [(tf.constant(b),) for b in batches], lambda: table.export()


def queue():
  queue = tf.queue.FIFOQueue(10, [tf.float32], [[2]])

  def step(x):
    queue.enqueue(x)
    queue.enqueue(x * 2.0)
    return queue.dequeue(), queue.size()

  return step, _XS, None


def layers_then_hand_then_layers():
  norm = tf.keras.layers.BatchNormalization(momentum=0.5)
  norm.build([None, 2])

  def step(x):
    x = tf.stack([x, -x, x * 2.0])
    a = norm(x, training=True)
    norm.moving_mean.assign(norm.moving_mean * 2.0)
    b = norm(x, training=False)
    c = norm(x + 1.0, training=True)
    norm.gamma.assign_add([1.0, 1.0])
    return a, b, c, norm(x, training=False)

  return step, _XS, lambda: norm.variables


def optimizer_iterations_in_conditions():
  w = tf.keras.Variable([1.0, 2.0])
  optimizer = tf.keras.optimizers.SGD(0.1)
  optimizer.build([w])

  def step(x):
    if optimizer.iterations % 2 == 0:
      x = x * 10.0
    optimizer.apply([x], [w])
    if optimizer.iterations > 3:
      optimizer.learning_rate.assign(optimizer.learning_rate * 0.5)
    return optimizer.iterations + 0, w + 0.0

  return step, [*_XS, *_XS], lambda: [w, optimizer]


def learning_rate_is_set_inside():
  w = tf.keras.Variable([1.0, 2.0])
  optimizer = tf.keras.optimizers.SGD(0.1)
  optimizer.build([w])
  box = _Box(n=0)

  def step(x):
    box.n += 1
    optimizer.learning_rate = 0.1 / box.n
    optimizer.apply([x], [w])
    return w + 0.0

  return step, _XS, lambda: [w, optimizer]


def learning_rate_is_assigned_inside():
  w = tf.keras.Variable([1.0, 2.0])
  optimizer = tf.keras.optimizers.Adam(0.1)
  optimizer.build([w])

  def step(x, rate):
    optimizer.learning_rate.assign(rate)
    optimizer.apply([x], [w])
    optimizer.learning_rate.assign(rate * 0.5)
    optimizer.apply([x], [w])
    return w + 0.0

  calls = [(x, r) for (x,), r in zip(_XS, (0.1, 0.2, 0.1, 0.5, 1.0))]
  return step, calls, lambda: [w, optimizer]


def metric_reset_between_updates():
  mean = tf.keras.metrics.Mean()

  def step(x):
    mean.update_state(x)
    a = mean.result()
    mean.reset_state()
    mean.update_state(x * 2.0)
    b = mean.result()
    if b > 3.0:
      mean.reset_state()
    return a, b, mean.result()

  return step, _XS, lambda: mean.variables


def generator_draws_in_branches():
  generator = tf.random.Generator.from_seed(1)

  def step(x):
    a = generator.normal([2])
    if tf.reduce_sum(x) > 3.0:
      b = generator.normal([2])
    else:
      b = generator.uniform([2])
    for _ in range(2):
      b += generator.normal([2])
    return a, b, generator.normal([1])

  return step, _XS, lambda: generator


def generator_draws_in_tensor_loops():
  generator = tf.random.Generator.from_seed(1)

  def step(xs):
    out = tf.zeros([2])
    for x in xs:
      out = out * x + generator.normal([2])
    return out, generator.normal([1])

  return step, [(tf.ones([n, 2]),) for n in (1, 3, 2, 4)], lambda: generator


def keras_dropout_without_a_seed():
  drop = tf.keras.layers.Dropout(0.5)

  def step(x):
    return drop(x, training=True) + drop(x, training=True)

  return step, [(tf.ones([3, 3]),)] * 4, lambda: drop.seed_generator.state


def keras_random_without_a_seed():
  def step(x):
    return x + tf.keras.random.normal([2]), tf.keras.random.uniform([2])

  return step, _XS, None


def keras_initializer_without_a_seed():
  def step(x):
    return x * tf.keras.initializers.GlorotUniform()([2, 2])

  return step, _XS, None


def keras_initializer_held():
  initializer = tf.keras.initializers.RandomNormal(seed=3)
  other = tf.keras.initializers.RandomNormal(seed=tf.keras.random.SeedGenerator(3))

  def step(x):
    return x * initializer([2, 2]), other([2]) - x

  return step, _XS, lambda: other.seed.state


def dropout_in_a_tensor_branch():
  drop = tf.keras.layers.Dropout(0.5, seed=2)

  def step(x):
    if tf.reduce_sum(x) > 3.0:
      x = drop(x, training=True)
    return drop(x, training=True)

  return step, _XS, lambda: drop.seed_generator.state


def prints_between_writes_in_tensor_loops():
  v = _v(0)
  log = []

  def step(xs):
    for i, x in enumerate(xs):
      v.assign_add([x])
      log.append(v.read_value())
      print("turn", i)
      if v[0] > 5.0:
        v.assign([0.0])
        print("reset")
        break
    return len(log)

  return step, [(_x(1, 2),), (_x(4, 1, 1),), (_x(1),), (_x(9, 9, 9),)], lambda: [v, log]


def attribute_counts_turns_of_a_tensor_while():
  box = _Box(turns=0, last=None)

  def step(x):
    while tf.norm(x) > 1.0:
      x = x * 0.5
      box.turns += 1
      box.last = x
    return x, box.turns

  return step, [*_XS, (_x(100, 100),)], lambda: box


def write_in_a_nested_branch_of_a_loop():
  v, w = _v(0), _v(100)

  def step(xs, flag):
    for x in xs:
      if x > 0.0:
        if flag:
          v.assign_add([x])
        else:
          w.assign_sub(v)
      else:
        v.assign(v * 0.5)
        w.assign(w + [x])
    return v + w

  calls = [(_x(1, -2, 3), True), (_x(1, -2), False), (_x(-1, 5, 5, -1), True), (_x(4), False)]
  return step, calls, lambda: [v, w]


def early_return_before_a_write():
  v = _v(0, 0)

  def step(x):
    v.assign_add([1.0, 1.0])
    if tf.reduce_sum(x) > 3.0:
      return v * 1.0
    v.assign(v * 2.0)
    if tf.reduce_sum(v) > 10.0:
      return v * 2.0
    v.assign_add(x)
    return v * 3.0

  return step, [*_XS, *_XS], lambda: v


def failing_op_after_many_kinds_of_writes():
  v = _v(1, 2)
  kv = tf.keras.Variable([1.0])
  generator = tf.random.Generator.from_seed(1)
  mean = tf.keras.metrics.Mean()
  box = _Box(n=0, items=[], table={})

  def step(x, m):
    v.assign_add(x)
    kv.assign(kv * 2.0)
    noise = generator.normal([2])
    mean.update_state(x)
    box.n += 1
    box.items.append(x)
    box.table["x"] = x
    print("now", box.n)
    y = tf.linalg.inv(m)
    v.assign_sub(x)
    kv.assign_add([1.0])
    generator.normal([3])
    box.n += 10
    box.items.append(noise)
    print("then")
    return y

  good, bad = tf.eye(2), tf.zeros([2, 2])
  calls = [(x, m) for (x,), m in zip(_XS, (good, bad, good, bad, good))]
  return step, calls, lambda: [v, kv, generator, mean.variables, box]


def assign_of_a_wrong_shape():
  v, w = _v(1, 2), _v(0)

  def step(x):
    w.assign_add([1.0])
    v.assign(x)
    w.assign_add([1.0])
    return v + 0.0

  return step, [(_x(1, 1),), (_x(1, 1, 1),), (_x(2, 2),), (_x(1),), (_x(3, 3),)], lambda: [v, w]


def gather_out_of_range():
  v = tf.Variable([[1.0], [2.0]])
  box = _Box(n=0)

  def step(i):
    box.n += 1
    y = tf.gather(v, i)
    v.assign(v * 2.0)
    return y

  return step, [(tf.constant(i),) for i in (0, 1, 5, 1, -1, 0)], lambda: [v, box]


def integer_division_by_zero():
  v = tf.Variable(1)

  def step(n):
    v.assign_add(1)
    y = v // n
    v.assign_add(1)
    return y

  return step, [(tf.constant(i),) for i in (1, 2, 0, 3, 0, 1)], lambda: v


def python_division_by_zero_in_a_branch():
  v = _v(0)

  def step(x, n):
    v.assign_add([1.0])
    if tf.reduce_sum(x) > 3.0:
      return x * (1.0 / n)
    return x

  calls = [(_x(1, 1), 1), (_x(1, 1), 0), (_x(3, 1), 2), (_x(3, 1), 0), (_x(0, 1), 0)]
  return step, calls, lambda: v


def error_caught_after_a_write_in_a_loop():
  v = _v(0)
  box = _Box(bad=0)

  def step(numbers):
    for n in numbers:
      try:
        v.assign_add([1.0])
        if n < 0:
          raise ValueError(n)
        v.assign_add([float(n)])
      except ValueError:
        box.bad += 1
      finally:
        v.assign(v * 2.0)
    return v + 0.0

  return step, [([1, 2],), ([1, -2, 3],), ([],), ([-1, -1],), ([4, 4],)], lambda: [v, box]


def exit_raises():
  box = _Box(n=0)

  class Manager:
    def __enter__(self):
      box.n += 1

    def __exit__(self, *details):
      box.n += 10
      if box.n > 25:
        raise RuntimeError("at exit")

  def step(x):
    with Manager():
      box.n += 1
    return x

  return step, _XS, lambda: box


def return_in_finally():
  box = _Box(n=0)

  def step(x, n):
    try:
      if n > 1:
        raise ValueError("n")
      return x * 2.0
    finally:
      box.n += 1
      if n > 2:
        return x  # noqa: B012

  return step, [(_x(1), n) for n in (0, 2, 3, 1, 3)], lambda: box


def updates_through_a_tf_function_and_by_hand():
  v = _v(0, 0)
  calls = []

  @tf.function
  def add(x):
    calls.append("traced")
    if tf.reduce_sum(x) > 3.0:
      v.assign_add(x)
    return v.read_value()

  def step(x):
    v.assign(v * 0.5)
    a = add(x)
    v.assign_add([1.0, 1.0])
    b = add(x * 2.0)
    return a, b, v + 0.0

  return step, _XS, lambda: v


def gradient_through_a_tf_function():
  v = _v(1, 2)

  @tf.function
  def loss_of(x):
    return tf.reduce_sum(v * v * x)

  def step(x):
    with tf.GradientTape() as tape:
      loss = loss_of(x)
    v.assign_sub(0.1 * tape.gradient(loss, v))
    return loss, loss_of(x)

  return step, _XS, lambda: v


def sum_of_writes_in_expressions():
  v = _v(1)

  def step(x):
    return v.assign_add(x) + v.assign_add(x) * v, {"a": v.assign_add(x) + 0.0, "b": v * 1.0}

  return step, [(_x(i),) for i in range(5)], lambda: v


def augmented_assignment_of_a_variable():
  box = _Box(v=_v(1, 2))

  def step(x):
    box.v += x
    return box.v * 1.0

  return step, _XS, lambda: box


def truth_of_variables():
  flag, n = tf.Variable(True), tf.Variable(3)

  def step(x):
    if flag:
      x = x + 1.0
    flag.assign(not flag)
    while n > 1:
      n.assign_sub(1)
      x = x * 2.0
    n.assign_add(2)
    return x if flag else -x, bool(tf.constant(True))

  return step, _XS, lambda: [flag, n]
