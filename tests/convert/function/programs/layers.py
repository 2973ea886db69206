"""Keras' layers, metrics and losses, and models by hand: training flags, states, names, dtypes."""

import numpy as np
import tensorflow as tf

layers = tf.keras.layers


def _rows(n, width=3, scale=0.1):
  return tf.reshape(tf.range(float(n * width)), [n, width]) * scale - 0.5


def _trainer(model, make_x, loss_of=lambda y: tf.reduce_mean(y**2), rate=0.1):
  model(make_x(2))
  optimizer = tf.keras.optimizers.SGD(rate)
  optimizer.build(model.trainable_variables)

  def step(x, training=True):
    with tf.GradientTape() as tape:
      loss = loss_of(model(x, training=training))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss

  return step, lambda: [model.variables, optimizer.variables]


def dense_model():
  model = tf.keras.Sequential([layers.Dense(4, activation="relu"), layers.Dense(1)])
  step, state = _trainer(model, _rows)
  return step, [(_rows(n),) for n in (2, 2, 3, 5, 2, 4)], state


def batch_norm_with_changing_flag():
  model = tf.keras.Sequential([layers.Dense(4), layers.BatchNormalization(), layers.Dense(1)])
  step, state = _trainer(model, _rows)
  flags = [True, False, True, True, False, True]
  return step, [(_rows(i + 2), flag) for i, flag in enumerate(flags)], state


def batch_norm_called_directly():
  norm = layers.BatchNormalization(momentum=0.5)
  norm.build([None, 3])

  def step(x, training):
    y = norm(x, training=training)
    z = norm(x * 2.0, training=training)
    return y, z, norm(x, training=False)

  flags = [True, False, True, False, True]
  return step, [(_rows(i + 2), flag) for i, flag in enumerate(flags)], lambda: norm.variables


def batch_norm_is_frozen_later():
  norm = layers.BatchNormalization()
  norm.build([None, 3])

  def step(x):
    return norm(x, training=True), len(norm.trainable_variables)

  def freeze():
    norm.trainable = not norm.trainable

  x = (_rows(4),)
  return step, [x, x, freeze, x, x, freeze, x], lambda: norm.variables


def layer_trainable_changes():
  model = tf.keras.Sequential([layers.Dense(4, activation="tanh"), layers.Dense(1)])
  model(_rows(2))

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean(model(x) ** 2)
    ws = model.trainable_variables
    for w, g in zip(ws, tape.gradient(loss, ws)):
      w.assign_sub(0.1 * g)
    return loss, len(ws)

  def toggle():
    model.layers[0].trainable = not model.layers[0].trainable

  x = (_rows(3),)
  return step, [x, x, toggle, x, x, toggle, x, toggle, x], lambda: model.variables


def dropout_with_a_seed():
  model = tf.keras.Sequential([layers.Dense(8), layers.Dropout(0.5, seed=3), layers.Dense(1)])
  step, state = _trainer(model, _rows)
  flags = [True, True, False, True, True]
  return step, [(_rows(3), flag) for flag in flags], state


def dropout_twice_in_a_call():
  drop = layers.Dropout(0.5, seed=1)

  def step(x):
    return drop(x, training=True), drop(x, training=True), drop(x, training=False)

  return step, [(tf.ones([4, 4]),)] * 5, lambda: drop.seed_generator.state


def gaussian_noise():
  noise = layers.GaussianNoise(0.5, seed=1)

  def step(x):
    return noise(x, training=True) * 2.0

  return step, [(tf.ones([2, 2]),)] * 4, lambda: noise.seed_generator.state


def lstm():
  model = tf.keras.Sequential([layers.LSTM(4), layers.Dense(1)])

  def make_x(n):
    return tf.reshape(_rows(n * 4), [n, 4, 3])

  step, state = _trainer(model, make_x)
  return step, [(make_x(n),) for n in (2, 2, 3, 2, 1)], state


def gru_of_varying_lengths():
  gru = layers.GRU(4, return_sequences=True, return_state=True)
  gru(tf.zeros([2, 3, 3]))

  def step(x):
    with tf.GradientTape() as tape:
      y, last = gru(x)
      loss = tf.reduce_mean(y**2) + tf.reduce_mean(last)
    ws = gru.trainable_variables
    for w, g in zip(ws, tape.gradient(loss, ws)):
      w.assign_sub(0.1 * g)
    return y, last

  xs = [tf.reshape(_rows(2 * n), [2, n, 3]) for n in (3, 5, 2, 3, 4)]
  return step, [(x,) for x in xs], lambda: gru.variables


def lstm_with_a_mask():
  embed, rnn = layers.Embedding(5, 3, mask_zero=True), layers.LSTM(2)
  model = tf.keras.Sequential([embed, rnn])
  model(tf.constant([[1, 2, 0]]))

  def step(ids):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(model(ids) ** 2)
    ws = model.trainable_variables
    gradients = tape.gradient(loss, ws)
    for w, g in zip(ws, gradients):
      w.assign_sub(0.1 * tf.convert_to_tensor(g))
    return loss

  batches = [[[1, 2, 0]], [[1, 0, 0], [2, 3, 4]], [[4, 4, 0, 0]], [[1, 2, 3]]]
  return step, [(tf.constant(b),) for b in batches], lambda: model.variables


def stateful_lstm():
  rnn = layers.LSTM(2, stateful=True)
  rnn(tf.zeros([2, 3, 3]))

  def step(x, reset):
    if reset:
      rnn.reset_states()
    return rnn(x)

  x = tf.reshape(_rows(6), [2, 3, 3])
  return step, [(x, False), (x, False), (x, True), (x, False), (x, True)], lambda: rnn.variables


def rnn_cell_by_hand_over_python_time():
  cell = layers.LSTMCell(4)
  cell.build([None, 3])

  def step(x):
    h = c = tf.zeros([x.shape[0], 4])
    outputs = []
    for t in range(x.shape[1]):
      h, (h, c) = cell(x[:, t], [h, c])
      outputs.append(h)
    return tf.stack(outputs, axis=1), c

  xs = [tf.reshape(_rows(2 * n), [2, n, 3]) for n in (3, 3, 2, 4, 3)]
  return step, [(x,) for x in xs], lambda: cell.variables


def convolutions():
  model = tf.keras.Sequential(
    [
      layers.Conv2D(2, 3, padding="same", activation="relu"),
      layers.MaxPool2D(),
      layers.Flatten(),
      layers.Dense(1),
    ]
  )

  def make_x(n):
    return tf.reshape(_rows(n * 16, 1, 0.01), [n, 4, 4, 1])

  step, state = _trainer(model, make_x)
  return step, [(make_x(n),) for n in (2, 3, 1, 2, 2)], state


def depthwise_and_transposed():
  a = layers.DepthwiseConv2D(3, padding="same")
  b = layers.Conv2DTranspose(1, 2, strides=2)
  c = layers.Conv1D(2, 2)
  a.build([None, 4, 4, 2])
  b.build([None, 4, 4, 2])
  c.build([None, 8, 8])

  def step(x):
    y = b(a(x))
    return y, c(y[..., 0])

  return step, [(tf.reshape(_rows(32 * n, 1, 0.01), [n, 4, 4, 2]),) for n in (1, 2, 1, 3)], None


def embedding_and_attention():
  embed = layers.Embedding(6, 4)
  attend = layers.MultiHeadAttention(2, 2)
  norm = layers.LayerNormalization()
  x = embed(tf.zeros([1, 2], tf.int32))
  norm(attend(x, x))
  ws = embed.variables + attend.trainable_variables + norm.variables

  def step(ids):
    with tf.GradientTape() as tape:
      x = embed(ids)
      y = norm(x + attend(x, x, use_causal_mask=True))
      loss = tf.reduce_mean(y[:, -1] * tf.constant([1.0, 2.0, -1.0, 0.5]))
    for w, g in zip(ws, tape.gradient(loss, ws)):
      w.assign_sub(0.1 * tf.convert_to_tensor(g))
    return loss

  batches = [[[1, 2]], [[1, 2, 3], [3, 4, 5]], [[0, 5]], [[1, 1, 1, 1]], [[2, 3]]]
  return step, [(tf.constant(b),) for b in batches], lambda: ws


def group_and_unit_normalization():
  stack = [layers.GroupNormalization(2), layers.UnitNormalization(), layers.PReLU()]
  for layer in stack:
    layer.build([None, 4])

  def step(x):
    for layer in stack:
      x = layer(x)
    return x

  return step, [(_rows(n, 4),) for n in (2, 3, 2, 1)], None


def spectral_normalization():
  layer = layers.SpectralNormalization(layers.Dense(2))
  layer.build([None, 3])

  def step(x, training):
    return layer(x, training=training)

  x = _rows(2)
  return step, [(x, True), (x, False), (x, True), (x, True)], lambda: layer.variables


def metrics():
  mean, accuracy = tf.keras.metrics.Mean(), tf.keras.metrics.SparseCategoricalAccuracy()

  def step(logits, labels, reset):
    if reset:
      mean.reset_state()
      accuracy.reset_state()
    mean.update_state(tf.reduce_max(logits, axis=-1))
    accuracy.update_state(labels, logits)
    return mean.result(), accuracy.result()

  def batch(n):
    return _rows(n), tf.range(n) % 3

  calls = [(*batch(n), reset) for n, reset in [(2, False), (3, False), (2, True), (4, False)]]
  return step, calls, lambda: [mean.variables, accuracy.variables]


def more_metrics():
  found = [
    tf.keras.metrics.AUC(num_thresholds=5),
    tf.keras.metrics.Precision(),
    tf.keras.metrics.MeanAbsoluteError(),
    tf.keras.metrics.BinaryAccuracy(),
  ]

  def step(y, p):
    for metric in found:
      metric.update_state(y, p)
    return [metric.result() for metric in found]

  def batch(n):
    return tf.cast(tf.range(n) % 2, tf.float32), tf.linspace(0.1, 0.9, n)

  return step, [batch(n) for n in (2, 3, 2, 5)], lambda: [m.variables for m in found]


def metric_called_as_a_function():
  mean = tf.keras.metrics.Mean()

  def step(x, weight=None):
    return mean(x, sample_weight=weight)

  x = tf.constant([1.0, 2.0])
  calls = [(x,), (x * 2.0, x), (x,), (x, tf.constant([0.0, 1.0])), (x,)]
  return step, calls, lambda: mean.variables


def losses():
  mse, huber = tf.keras.losses.MeanSquaredError(), tf.keras.losses.Huber()
  entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

  def step(x, y, labels):
    return mse(y, x), huber(y, x), entropy(labels, x), tf.keras.losses.cosine_similarity(y, x)

  calls = [(_rows(n), _rows(n, scale=-0.2), tf.range(n) % 3) for n in (2, 3, 2, 4)]
  return step, calls, None


def regularization_losses():
  model = tf.keras.Sequential(
    [layers.Dense(2, kernel_regularizer="l2", activity_regularizer="l1"), layers.Dense(1)]
  )
  model(_rows(2))

  def step(x):
    with tf.GradientTape() as tape:
      y = model(x, training=True)
      loss = tf.reduce_mean(y**2) + tf.add_n(model.losses)
    ws = model.trainable_variables
    for w, g in zip(ws, tape.gradient(loss, ws)):
      w.assign_sub(0.1 * g)
    return loss

  return step, [(_rows(n),) for n in (2, 3, 2, 4)], lambda: model.variables


def subclassed_model():
  class Net(tf.keras.Model):
    def __init__(self):
      super().__init__()
      self.inner = [layers.Dense(4) for _ in range(3)]
      self.head = layers.Dense(1)
      self.skip = True

    def call(self, x, training=False):
      for layer in self.inner:
        y = tf.nn.relu(layer(x))
        x = x + y if self.skip and x.shape[-1] == 4 else y
      if training:
        x = x * 2.0
      return self.head(x)

  net = Net()
  step, state = _trainer(net, _rows, rate=0.01)

  def toggle():
    net.skip = not net.skip

  x = _rows(3)
  return step, [(x,), (x, False), toggle, (x,), (x,), toggle, (x,), (x, False)], state


def layer_of_ones_own_with_state():
  class Counter(layers.Layer):
    def __init__(self):
      super().__init__()
      self.seen = self.add_weight(shape=(), initializer="zeros", trainable=False)
      self.scale = self.add_weight(shape=(3,), initializer="ones")

    def call(self, x):
      self.seen.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
      return x * self.scale / self.seen

  layer = Counter()

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_sum(layer(x) + layer(x * 2.0))
    g = tape.gradient(loss, layer.trainable_variables)
    layer.scale.assign_sub(0.1 * g[0])
    return loss, layer.seen + 0.0

  return step, [(_rows(n),) for n in (1, 2, 2, 3, 1)], lambda: layer.variables


def functional_model():
  a = tf.keras.Input([3])
  h = layers.Dense(4, activation="tanh")(a)
  model = tf.keras.Model(a, [layers.Dense(1)(h), layers.Dense(2)(h)])

  def step(x):
    with tf.GradientTape() as tape:
      y, z = model(x, training=True)
      loss = tf.reduce_mean(y**2) + tf.reduce_mean(z)
    ws = model.trainable_variables
    gradients = tape.gradient(loss, ws)
    for w, g in zip(ws, gradients):
      w.assign_sub(0.1 * g)
    return {"y": y, "z": z}

  return step, [(_rows(n),) for n in (2, 3, 2, 1)], lambda: model.variables


def functional_model_with_dict_inputs():
  a, b = tf.keras.Input([3], name="a"), tf.keras.Input([3], name="b")
  model = tf.keras.Model({"a": a, "b": b}, layers.Dense(1)(a - b))

  def step(batch):
    return model(batch)

  calls = [({"a": _rows(n), "b": _rows(n, scale=0.3)},) for n in (2, 3, 2, 1)]
  return step, calls, lambda: model.variables


def same_layer_twice():
  dense = layers.Dense(3, activation="tanh")
  model = tf.keras.Sequential([dense, dense, layers.Dense(1)])
  step, state = _trainer(model, _rows)
  return step, [(_rows(n),) for n in (2, 3, 2, 1)], state


def model_is_swapped():
  class Holder:
    pass

  def make(units):
    model = tf.keras.Sequential([layers.Dense(units), layers.Dense(1)])
    model(_rows(2))
    return model

  holder = Holder()
  models = [make(2), make(3)]
  holder.model = models[0]

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean(holder.model(x) ** 2)
    ws = holder.model.trainable_variables
    for w, g in zip(ws, tape.gradient(loss, ws)):
      w.assign_sub(0.1 * g)
    return loss

  def swap():
    holder.model = models[0] if holder.model is models[1] else models[1]

  x = (_rows(2),)
  return step, [x, swap, x, x, swap, x, swap, x], lambda: [m.variables for m in models]


def weights_set_from_outside():
  model = tf.keras.Sequential([layers.Dense(2)])
  model(_rows(2))

  def step(x):
    return model(x)

  def change():
    model.set_weights([w * 2.0 for w in model.get_weights()])

  x = (_rows(2),)
  return step, [x, change, x, x, change, x], lambda: model.variables


def activation_is_replaced():
  dense = layers.Dense(2)
  dense.build([None, 3])

  def step(x):
    return dense(x)

  def change():
    dense.activation = tf.nn.relu

  def change_again():
    dense.activation = lambda x: x * 10.0

  x = (_rows(2),)
  return step, [x, x, change, x, change_again, x, x, change, x], lambda: dense.variables


def layers_made_by_the_first_call():
  model = tf.keras.Sequential([layers.Dense(2), layers.LayerNormalization(), layers.Dense(1)])
  optimizer = tf.keras.optimizers.Adam(0.1)

  def step(x):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean(model(x, training=True) ** 2)
    ws = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, ws), ws))
    return loss

  return (
    step,
    [(_rows(n),) for n in (2, 3, 2, 4, 2)],
    lambda: [
      model.variables,
      optimizer.variables,
    ],
  )


def mixed_precision_layer():
  dense = layers.Dense(2, dtype="mixed_float16")
  dense.build([None, 3])

  def step(x):
    with tf.GradientTape() as tape:
      y = dense(x)
      loss = tf.reduce_sum(tf.cast(y, tf.float32))
    g = tape.gradient(loss, dense.trainable_variables)
    for w, d in zip(dense.trainable_variables, g):
      w.assign_sub(0.125 * d)
    return y

  return step, [(tf.ones([n, 3]),) for n in (1, 2, 1, 3)], lambda: dense.variables


def dtype_policy_changes():
  def step(x):
    y = tf.keras.ops.cast(x, tf.keras.config.floatx())
    return y * 2

  def wide():
    tf.keras.config.set_floatx("float64")

  def narrow():
    tf.keras.config.set_floatx("float32")

  x = (tf.constant([1, 2]),)
  return step, [x, wide, x, narrow, x, wide, x, narrow], None


def keras_ops():
  ops = tf.keras.ops

  def step(x):
    y = ops.softmax(ops.matmul(x, ops.transpose(x)))
    return ops.mean(y, axis=0), ops.where(y > 0.3, y, 0.0), ops.shape(y)

  return step, [(_rows(n),) for n in (2, 3, 2, 1)], None


def greatest_of_nothing():
  pool = layers.GlobalMaxPooling1D()

  def step(x, limit):
    kept = tf.boolean_mask(x, x[:, 0] > limit)
    return pool(x[None]), tf.keras.ops.min(kept)

  limits = [-1.0, -1.0, 0.0, 9.0, -1.0]
  return step, [*((_rows(3), limit) for limit in limits), (_rows(0), 0.0)], None


def numpy_inputs():
  model = tf.keras.Sequential([layers.Dense(2)])
  model(_rows(2))

  def step(x, y):
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean((model(x) - y) ** 2)
    ws = model.trainable_variables
    for w, g in zip(ws, tape.gradient(loss, ws)):
      w.assign_sub(0.1 * g)
    return loss

  rng = np.random.default_rng(0)
  shapes = (2, 2, 3, 1, 2)
  calls = [
    (rng.normal(size=(n, 3)).astype("float32"), rng.normal(size=(n, 2)).astype("float32"))
    for n in shapes
  ]
  return step, calls, lambda: model.variables


def compiled_model_train_on_batch():
  model = tf.keras.Sequential([layers.Dense(1)])
  model.compile(tf.keras.optimizers.SGD(0.1), "mse", run_eagerly=True)
  model(_rows(2))

  def step(x, y):
    return model.train_on_batch(x, y)

  return (
    step,
    [(_rows(n).numpy(), np.ones([n, 1], "float32")) for n in (2, 2, 3)],
    lambda: model.variables,
  )
