"""Rows of tables that are read in loops and branches of a step, by optimizers that tell rows apart."""

import tensorflow as tf

_WORDS = [
  (tf.constant(words, tf.int32),)
  for words in ([0, 1, 2, 1], [3, 3], [1], [], [4, 4, 4, 0, 2], [2, 1, 2], [0])
]


class _Model:
  def __init__(self, optimizer, shape=(5, 2), dtype="float32"):
    size = tf.reduce_prod(shape)
    numbers = tf.range(tf.cast(size, tf.float64)) * 0.1 - 0.4
    self.table = tf.Variable(tf.cast(tf.reshape(numbers, shape), dtype))
    self.weight = tf.Variable(tf.cast([[0.3, -0.2], [0.5, 0.7]], dtype))
    self.optimizer = optimizer
    optimizer.build([self.table, self.weight])

  def state(self):
    return [self.table, self.weight, self.optimizer]

  def update(self, tape, loss, variables):
    gradients = tape.gradient(loss, variables)
    self.optimizer.apply_gradients(zip(gradients, variables))


def _adam(**options):
  return tf.keras.optimizers.Adam(0.05, **options)


def words_of_a_loop():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape() as tape:
      h = tf.zeros([1, 2])
      for word in words:
        h = tf.tanh(h @ model.weight + tf.nn.embedding_lookup(model.table, [word]) + 0.1)
      loss = tf.reduce_sum(h * h + h)
    model.update(tape, loss, [model.table, model.weight])
    return loss

  return step, _WORDS, model.state


def clipped_by_the_norm_of_all():
  model = _Model(_adam(global_clipnorm=0.1))

  def step(words):
    with tf.GradientTape() as tape:
      h = tf.zeros([1, 2]) + 0.1
      for word in words:
        h = tf.tanh(h @ model.weight + tf.gather(model.table, [word]))
      loss = tf.reduce_sum(h * h + h)
    model.update(tape, loss, [model.table, model.weight])
    return loss

  return step, _WORDS, model.state


def rows_of_many_numbers():
  model = _Model(tf.keras.optimizers.Adagrad(0.2), (5, 2, 3), "float64")

  def step(words):
    with tf.GradientTape() as tape:
      h = tf.zeros([2, 3], tf.float64)
      for word in words:
        both = tf.gather(model.table, tf.cast([word, word], tf.int64))
        h = tf.tanh(h * 0.3 + both[0] + tf.gather(model.table, [[word]])[0, 0])
      loss = tf.reduce_sum(h**2)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  return step, _WORDS, model.state


def rows_that_are_numbers():
  model = _Model(_adam(), (6,))

  def step(words):
    with tf.GradientTape() as tape:
      h = tf.constant(0.1)
      for word in words:
        h = tf.tanh(h + tf.gather(model.table, word) * 2.0)
    model.optimizer.apply_gradients([(tape.gradient(h, model.table), model.table)])
    return h

  return step, _WORDS, model.state


def branches_in_a_loop():
  model = _Model(_adam())

  def step(words, least):
    with tf.GradientTape() as tape:
      loss = tf.constant(0.0)
      for word in words:
        row = tf.gather(model.table, word)
        if tf.reduce_sum(row) > least:
          loss += tf.reduce_sum(row * row)
        else:
          loss += tf.reduce_sum(tf.gather(model.table, 0) * tf.gather(model.table, word)) * 0.5
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  calls = [(*words, tf.constant(least)) for words in _WORDS for least in (-0.3, 0.3, 9.0)]
  return step, calls, model.state


def read_in_vain():
  model = _Model(tf.keras.optimizers.RMSprop(0.05))

  def step(words, least):
    with tf.GradientTape() as tape:
      loss = tf.constant(0.0)
      for word in words:
        row = tf.gather(model.table, word)
        if tf.reduce_sum(row) > least:
          loss += tf.reduce_sum(row * row + row)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  some = [words for words in _WORDS if len(words[0])]
  return step, [(*words, tf.constant(least)) for words in some for least in (-0.3, -9.0)], None


def loops_in_loops():
  model = _Model(_adam())

  def step(words, others):
    with tf.GradientTape() as tape:
      loss = tf.constant(0.0)
      for word in words:
        h = tf.zeros([2])
        for other in others:
          h = tf.tanh(h + tf.gather(model.table, word) * tf.gather(model.table, other))
        loss += tf.reduce_sum(h)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  calls = [(*words, other) for words in _WORDS for (other,) in (_WORDS[1], _WORDS[5], _WORDS[0])]
  return step, calls, model.state


def rows_that_leave_the_loop():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape() as tape:
      last = tf.gather(model.table, 1)
      loss = tf.constant(0.0)
      for word in words:
        loss += tf.reduce_sum(last * tf.gather(model.table, word))
        last = tf.gather(model.table, word)
      loss += tf.reduce_sum(last**2)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  return step, _WORDS, model.state


def a_layer_inside_and_outside_of_a_loop():
  layer = tf.keras.layers.Embedding(5, 2)
  layer.build([None])
  layer.embeddings.assign(tf.reshape(tf.range(10.0) * 0.1 - 0.3, [5, 2]))
  optimizer = _adam()
  optimizer.build(layer.trainable_variables)

  def step(words):
    with tf.GradientTape() as tape:
      h = layer(tf.constant([1, 1]))[0]
      for word in words:
        h = tf.tanh(h + layer(tf.reshape(-word, [1]))[0])
      loss = tf.reduce_sum(h)
    variables = layer.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss

  return step, _WORDS, lambda: [layer, optimizer]


def two_tables_by_name():
  model = _Model(_adam())
  other = tf.Variable(tf.ones([4, 2]) * 0.3)
  optimizer = _adam()
  optimizer.build([model.table, other])

  def step(words):
    with tf.GradientTape() as tape:
      h = tf.zeros([2])
      for word in words:
        h = tf.tanh(h + tf.gather(model.table, word) * tf.gather(other, word % 4))
      loss = tf.reduce_sum(h + h * h)
    found = tape.gradient(loss, {"first": model.table, "others": [other]})
    optimizer.apply_gradients([(found["first"], model.table), (found["others"][0], other)])
    return loss

  return step, _WORDS, lambda: [model.table, other, optimizer]


def a_persistent_tape_and_two_losses():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape(persistent=True) as tape:
      h, energy = tf.zeros([2]), tf.constant(0.0)
      for word in words:
        h = tf.tanh(h + tf.gather(model.table, word))
        energy += tf.reduce_sum(tf.gather(model.table, word) ** 2)
      loss = tf.reduce_sum(h * h + h)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    model.optimizer.apply_gradients([(tape.gradient(energy, model.table), model.table)])
    return loss

  return step, _WORDS, model.state


def a_persistent_tape_and_loops_in_loops():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape(persistent=True) as tape:
      h = tf.zeros([2])
      for word in words:
        for other in words:
          h = tf.tanh(h + tf.gather(model.table, other))
        h = tf.tanh(h * 0.5 + tf.gather(model.table, word))
      loss = tf.reduce_sum(h * h + h)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  return step, _WORDS, model.state


def two_steps_in_a_call():
  model = _Model(_adam())

  def step(words):
    for _ in range(2):
      with tf.GradientTape() as tape:
        h = tf.zeros([2])
        for word in words:
          h = tf.tanh(h + tf.gather(model.table, word))
        loss = tf.reduce_sum(h * h + h)
      model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  return step, _WORDS, model.state


def a_tape_that_is_stopped_for_some_rows():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape() as tape:
      h = tf.zeros([2])
      for word in words:
        with tape.stop_recording():
          known = tf.gather(model.table, word)
        h = tf.tanh(h + tf.gather(model.table, word) + known)
      loss = tf.reduce_sum(h * h + h)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  return step, _WORDS, model.state


def rows_read_before_and_after_the_tape():
  model = _Model(_adam())

  def step(words):
    before = tf.gather(model.table, 1)
    with tf.GradientTape() as tape:
      h = before
      for word in words:
        h = tf.tanh(h + tf.gather(model.table, word))
      loss = tf.reduce_sum(h * h + h)
    after = tf.gather(model.table, 2)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss, after, tf.gather(model.table, 2)

  return step, _WORDS, model.state


def a_table_that_is_written_first():
  model = _Model(_adam())

  def step(words):
    model.table.assign_add(tf.ones([5, 2]) * 0.01)
    with tf.GradientTape() as tape:
      h = tf.zeros([2])
      for word in words:
        h = tf.tanh(h + tf.gather(model.table, word))
      loss = tf.reduce_sum(h * h + h)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  return step, _WORDS, model.state


def rows_are_taken_away_by_hand():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape() as tape:
      h = tf.zeros([2])
      for word in words:
        h = tf.tanh(h + tf.gather(model.table, word))
      loss = tf.reduce_sum(h * h + h)
    model.table.scatter_sub(tape.gradient(loss, model.table))
    return loss

  return step, _WORDS, model.state


def the_order_of_rows_is_seen():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape() as tape:
      loss = tf.constant(0.0)
      for word in words:
        loss = loss * 0.5 + tf.reduce_sum(tf.gather(model.table, word) ** 2)
    gradient = tape.gradient(loss, model.table)
    return gradient.values, gradient.indices

  return step, _WORDS, model.state


def while_rows_are_small():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape() as tape:
      i, h = tf.constant(0), tf.zeros([2])
      while i < tf.size(words) and tf.reduce_sum(tf.gather(model.table, words[i])) < 0.2:
        h = tf.tanh(h + tf.gather(model.table, words[i]))
        i += 1
      loss = tf.reduce_sum(h * h + h)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss, i

  return step, _WORDS, model.state


def an_accumulator_without_a_floor():
  model = _Model(tf.keras.optimizers.Adagrad(0.2, initial_accumulator_value=0.1))

  def step(words):
    with tf.GradientTape() as tape:
      loss = tf.constant(0.0)
      for word in words:
        row = tf.gather(model.table, word)
        if word > 1:
          loss += tf.reduce_sum(row * row + row)
    model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
    return loss

  some = [_WORDS[0], _WORDS[4], _WORDS[5]]
  calls = [*some, *some, lambda: setattr(model.optimizer, "epsilon", 0.0), *some]
  return step, calls, model.state


def a_table_that_is_not_trained():
  model = _Model(_adam())
  fixed = tf.Variable(model.table, trainable=False)

  def step(words):
    with tf.GradientTape() as tape:
      h = tf.zeros([1, 2]) + 0.1
      for word in words:
        h = tf.tanh(h @ model.weight + tf.gather(fixed, [word]))
      loss = tf.reduce_sum(h * h + h)
    gradients = tape.gradient(loss, [model.weight, fixed])
    model.optimizer.apply_gradients([(gradients[0], model.weight)])
    return loss, gradients[1] is None

  return step, _WORDS, model.state


def a_table_that_is_watched():
  model = _Model(_adam())

  def step(words):
    with tf.GradientTape(watch_accessed_variables=False) as tape:
      tape.watch(model.weight)
      h = tf.zeros([1, 2]) + 0.1
      for word in words:
        h = tf.tanh(h @ model.weight + tf.gather(model.table, [word]))
      loss = tf.reduce_sum(h * h + h)
    gradients = tape.gradient(loss, [model.weight, model.table])
    model.optimizer.apply_gradients([(gradients[0], model.weight)])
    return loss, gradients[1] is None

  return step, _WORDS, model.state


def a_step_for_each_word():
  model = _Model(_adam())

  def step(words):
    total = tf.constant(0.0)
    for word in words:
      with tf.GradientTape() as tape:
        h = tf.zeros([2])
        for other in words:
          h = tf.tanh(h + tf.gather(model.table, other) * tf.gather(model.table, word))
        loss = tf.reduce_sum(h * h + h)
      model.optimizer.apply_gradients([(tape.gradient(loss, model.table), model.table)])
      total += loss
    return total

  return step, _WORDS, model.state
