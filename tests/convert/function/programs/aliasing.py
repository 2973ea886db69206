"""One thing under two names, read before and after it is written under the other one."""

import tensorflow as tf

from tests.convert.function.programs._values import XS as _XS
from tests.convert.function.programs._values import Box as _Box
from tests.convert.function.programs._values import v as _v
from tests.convert.function.programs._values import x as _x


def keras_variable_and_what_it_wraps():
  outer = tf.keras.Variable([1.0, 2.0])
  inner = outer.value

  def step(x):
    inner.assign_add(x)
    a = outer * 1.0
    outer.assign(outer + a)
    b = inner * 1.0
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(outer * inner * x)
    inner.assign_sub(0.1 * tape.gradient(loss, inner))
    return a, b, outer + 0.0

  return step, _XS, lambda: [outer, inner]


def weight_of_a_layer_by_hand_and_by_the_layer():
  dense = tf.keras.layers.Dense(2, use_bias=False)
  dense.build([None, 2])
  kernel = dense.kernel

  def step(x):
    a = dense(x[None])
    kernel.assign(kernel * 0.5)
    b = dense(x[None])
    dense.kernel.assign_add(tf.ones([2, 2]))
    c = dense(x[None])
    dense.weights[0].assign(-dense.trainable_variables[0])
    return a, b, c, x[None] @ kernel

  return step, _XS, lambda: dense.variables


def lstm_whose_weights_are_written_in_between():
  rnn = tf.keras.layers.LSTM(2)
  rnn(tf.zeros([1, 2, 2]))

  def step(x):
    x = tf.stack([x, x])[None]
    a = rnn(x)
    for w in rnn.trainable_variables:
      w.assign(w * 0.5)
    b = rnn(x)
    rnn.cell.bias.assign_add(tf.ones([8]))
    return a, b, rnn(x)

  return step, _XS, lambda: rnn.variables


def tied_embedding():
  embed = tf.keras.layers.Embedding(3, 2)
  embed.build(None)
  optimizer = tf.keras.optimizers.SGD(0.5, momentum=0.5)
  optimizer.build(embed.trainable_variables)

  def step(ids):
    with tf.GradientTape() as tape:
      h = embed(ids)
      logits = tf.matmul(h, embed.embeddings, transpose_b=True)
      loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(ids, logits))
    g = tape.gradient(loss, embed.trainable_variables)
    optimizer.apply_gradients(zip(g, embed.trainable_variables))
    return loss

  return (
    step,
    [(tf.constant(i),) for i in ([0, 1], [2], [1, 1, 2], [0])],
    lambda: [
      embed.variables,
      optimizer,
    ],
  )


def tied_embedding_sparse_only():
  embed = tf.keras.layers.Embedding(3, 2)
  embed.build(None)
  optimizer = tf.keras.optimizers.Adam(0.5)
  optimizer.build(embed.trainable_variables)

  def step(ids):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(embed(ids) ** 2)
    g = tape.gradient(loss, embed.trainable_variables)
    optimizer.apply_gradients(zip(g, embed.trainable_variables))
    return loss

  return (
    step,
    [(tf.constant(i),) for i in ([0, 1], [2], [1, 1, 2], [0])],
    lambda: [
      embed.variables,
      optimizer,
    ],
  )


def snapshots_stay_what_they_were():
  v = _v(1, 2)
  box = _Box(snapshots=[], last=None)

  def step(x):
    box.last = v.read_value()
    box.snapshots.append(v.read_value())
    v.assign_add(x)
    box.snapshots.append(tf.identity(v))
    v.assign_add(x)
    return v.value()

  return step, _XS, lambda: [v, box]


def snapshot_of_an_optimizer_that_updates_in_place():
  w = tf.keras.Variable([1.0, 2.0])
  optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
  optimizer.build([w])
  history = []

  def step(x):
    history.append(tf.convert_to_tensor(w))
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(w * w * x)
    optimizer.apply_gradients([(tape.gradient(loss, w.value), w)])
    return tf.convert_to_tensor(w), optimizer.momentums[0] + 0.0

  return step, _XS, lambda: [w, history, optimizer]


def list_of_variables_appears_twice():
  a, b = _v(1, 1), _v(2, 2)
  box = _Box(first=[a, b], second=[b, a, a])

  def step(x):
    for v, w in zip(box.first, box.second):
      v.assign(v + w * x)
    for v in box.second:
      v.assign_add(box.first[0])
    return a - b

  return step, _XS, lambda: [a, b]


def variable_as_argument_and_closure():
  v, w = _v(1, 1), _v(2, 2)

  def step(a, x):
    before = v * 1.0
    a.assign_add(x)
    after = v * 1.0
    v.assign(v * 2.0)
    return before, after, a * 1.0

  return (
    step,
    [(v, _x(1, 2)), (w, _x(1, 2)), (v, _x(1, 2)), (w, _x(0, 1)), (w, _x(1, 1))],
    lambda: [
      v,
      w,
    ],
  )


def variable_in_nested_arguments():
  v, w = _v(1, 1), _v(2, 2)

  def step(batch, x):
    batch["vs"][0].assign_add(x)
    batch["other"].assign(batch["vs"][0] * 2.0)
    return batch["vs"][-1] + 0.0

  calls = [
    ({"vs": [v, w], "other": w}, _x(1, 1)),
    ({"vs": [v, w], "other": v}, _x(1, 1)),
    ({"vs": [w], "other": w}, _x(1, 1)),
    ({"vs": [v, w], "other": w}, _x(2, 1)),
  ]
  return step, calls, lambda: [v, w]


def tensor_and_attribute_are_one():
  box = _Box(a=_x(1, 2))
  box.b = box.a

  def step(x):
    box.a = box.a + x
    y = box.b - box.a
    box.b = box.a
    return y, box.a is box.b

  return step, _XS, lambda: box


def same_tensor_as_two_arguments():
  def step(x, y):
    with tf.GradientTape() as tape:
      tape.watch(x)
      z = tf.reduce_sum(x * y)
    return tape.gradient(z, x), z

  a, b = _x(1, 2), _x(3, 4)
  return step, [(a, a), (a, b), (b, a), (b, b), (a, a)], None


def aliased_list_is_extended_in_place():
  box = _Box(items=[], other=None)
  box.other = box.items

  def step(x):
    local = box.items
    local += [x]
    box.items = box.items + [x * 2.0]
    return len(box.items), len(box.other), len(local), local is box.other

  return step, _XS, lambda: box


def list_held_across_replacement():
  box = _Box(items=[_x(0, 0)])

  def step(x):
    old = box.items
    box.items = [x]
    old.append(x * 2.0)
    return len(old), old[-1], box.items[0]

  return step, _XS, lambda: box


def object_held_across_replacement():
  box = _Box(inner=_Box(value=_x(1, 1)))

  def step(x):
    old = box.inner
    box.inner = _Box(value=x)
    old.value = old.value + 1.0
    return old.value, box.inner.value, old is box.inner

  return step, _XS, lambda: box


def two_arguments_may_be_one_object():
  a, b = _Box(value=_x(1, 1), n=1), _Box(value=_x(2, 2), n=2)

  def step(p, q, x):
    p.value = p.value + x
    first = q.value * 2.0
    q.n += 1
    return first, p.n, q.n, p is q

  x = _x(1, 2)
  return step, [(a, b, x), (a, a, x), (b, a, x), (b, b, x), (a, b, x), (a, a, x)], lambda: [a, b]


def two_lists_may_be_one():
  a, b = [_x(1)], [_x(2)]

  def step(p, q, x):
    p.append(x)
    return len(q), q[-1] + p[0]

  x = _x(9)
  return step, [(a, b, x), (a, a, x), (b, a, x), (b, b, x), (a, b, x), (a, a, x)], lambda: [a, b]


def two_attributes_may_be_one_variable():
  v, w = _v(1), _v(2)
  box = _Box(a=v, b=w)

  def step(x):
    box.a.assign_add(x)
    y = box.b * 10.0
    box.b.assign_add(y)
    return y, box.a + box.b

  def join():
    box.b = v

  def swap():
    box.a, box.b = w, v

  x = (_x(1),)
  return step, [x, x, join, x, x, swap, x, x, join, x], lambda: [v, w]


def late_binding_closures():
  def step(x):
    fs = [lambda y: y * float(i) for i in range(3)]  # noqa: B023
    gs = [lambda y, i=i: y * float(i) for i in range(3)]
    return [f(x) for f in fs], [g(x) for g in gs]

  return step, _XS, None


def inner_function_writes_what_the_outer_holds():
  def step(x):
    total, items = x, []

    def add(y):
      nonlocal total
      total = total + y
      items.append(total)
      return total

    a = add(x)
    held = total
    b = add(a)
    return a, b, held, total, len(items)

  return step, _XS, None


def shared_optimizer_of_two_models():
  make = tf.keras.layers.Dense
  a, b = make(1), make(1)
  a.build([None, 2])
  b.build([None, 2])
  optimizer = tf.keras.optimizers.Adam(0.1)
  optimizer.build(a.trainable_variables + b.trainable_variables)

  def step(x, which):
    ws = a.trainable_variables + b.trainable_variables
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum((a if which else b)(x[None]) ** 2 + b(x[None]))
    g = tape.gradient(loss, ws, unconnected_gradients="zero")
    optimizer.apply_gradients(zip(g, ws))
    return loss

  calls = [(x, i % 2 == 0) for i, (x,) in enumerate(_XS)]
  return step, calls, lambda: [a.variables, b.variables, optimizer]


def metric_shared_by_two_names():
  mean = tf.keras.metrics.Mean()
  both = {"train": mean, "test": mean}

  def step(x, which):
    both[which].update_state(x)
    first = both["test"].result()
    both["train"].update_state(first)
    return first, mean.result()

  names = ["train", "test", "test", "train", "test"]
  return step, [(x, n) for (x,), n in zip(_XS, names)], lambda: mean.variables


def gradient_of_two_names():
  v = _v(1, 2)
  box = _Box(w=v)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(v * box.w * x)
    return tape.gradient(loss, [v, box.w, v])

  return step, _XS, lambda: v


def gradient_of_what_was_read():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      read = v.read_value()
      other = tf.identity(v)
      loss = tf.reduce_sum(read**2 * x + other * v)
    return tape.gradient(loss, [read, v, other])

  return step, _XS, lambda: v


def gradient_of_the_result_of_an_assignment():
  v = _v(1, 2)

  def step(x):
    with tf.GradientTape() as tape:
      updated = v.assign_add(x)
      loss = tf.reduce_sum(updated**2)
      v.assign(v * 0.5)
      loss += tf.reduce_sum(updated * x)
    return tape.gradient(loss, v), loss

  return step, _XS, lambda: v


def assigned_from_another_under_a_tape():
  v, w = _v(1, 2), _v(3, 4)

  def step(x):
    with tf.GradientTape() as tape:
      v.assign(w * x)
      loss = tf.reduce_sum(v**2)
    return tape.gradient(loss, [v, w])

  return step, _XS, lambda: [v, w]


def two_attributes_become_one_tensor():
  box = _Box(a=_x(1, 2), b=_x(5, 6))

  def step(scale):
    with tf.GradientTape() as tape:
      tape.watch(box.a)
      loss = tf.reduce_sum(box.a * box.b * scale)
    return tape.gradient(loss, box.a)

  def other():
    box.b = _x(7, 6)

  def join():
    box.b = box.a

  return step, [(1.0,), other, (2.0,), join, (1.0,), (2.0,), other, (1.0,)], lambda: box


def attribute_keeps_the_argument():
  box = _Box(last=_x(7, 6))

  def step(x):
    with tf.GradientTape() as tape:
      tape.watch(x)
      loss = tf.reduce_sum(x * box.last)
    box.last = x
    return tape.gradient(loss, x)

  z = _x(3, 4)
  return step, [*_XS[:3], (z,), (z,), (z,), *_XS[:2]], lambda: box
