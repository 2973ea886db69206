"""Whole training programs: GANs, actor-critic, trees, attention, sequences, as people write."""

import random

import numpy as np
import tensorflow as tf

from tests.convert.function.programs._values import x as _x


def _matrix(n, m, scale=0.1):
  return tf.Variable(tf.reshape(tf.sin(tf.range(float(n * m))), [n, m]) * scale)


def gan():
  g, d = _matrix(2, 3, 0.5), _matrix(3, 1, 0.5)
  generator_losses = []

  def step(noise, real):
    with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
      fake = tf.tanh(noise @ g)
      real_score, fake_score = real @ d, fake @ d
      g_loss = tf.reduce_mean(tf.nn.softplus(-fake_score))
      d_loss = tf.reduce_mean(tf.nn.softplus(-real_score) + tf.nn.softplus(fake_score))
    g.assign_sub(0.1 * g_tape.gradient(g_loss, g))
    d.assign_sub(0.1 * d_tape.gradient(d_loss, d))
    generator_losses.append(g_loss)
    return g_loss, d_loss

  calls = [(tf.ones([n, 2]) * 0.3, tf.ones([n, 3])) for n in (2, 2, 3, 1, 2)]
  return step, calls, lambda: [g, d, generator_losses]


def keras_gan_with_steps_in_turn():
  layers = tf.keras.layers
  generator = tf.keras.Sequential([layers.Dense(4, activation="relu"), layers.Dense(2)])
  critic = tf.keras.Sequential([layers.Dense(4, activation="tanh"), layers.Dense(1)])
  generator(tf.zeros([1, 3]))
  critic(tf.zeros([1, 2]))

  class Trainer:
    def __init__(self):
      self.g_optimizer = tf.keras.optimizers.Adam(0.01)
      self.c_optimizer = tf.keras.optimizers.RMSprop(0.01)
      self.g_optimizer.build(generator.trainable_variables)
      self.c_optimizer.build(critic.trainable_variables)
      self.turn = 0

    def step(self, noise, real):
      self.turn += 1
      with tf.GradientTape() as tape:
        c_loss = tf.reduce_mean(critic(generator(noise))) - tf.reduce_mean(critic(real))
      ws = critic.trainable_variables
      self.c_optimizer.apply_gradients(zip(tape.gradient(c_loss, ws), ws))
      for w in ws:
        w.assign(tf.clip_by_value(w, -0.5, 0.5))
      if self.turn % 2:
        return c_loss, None
      with tf.GradientTape() as tape:
        g_loss = -tf.reduce_mean(critic(generator(noise)))
      ws = generator.trainable_variables
      self.g_optimizer.apply_gradients(zip(tape.gradient(g_loss, ws), ws))
      return c_loss, g_loss

  trainer = Trainer()
  calls = [(tf.ones([n, 3]) * 0.3, tf.ones([n, 2])) for n in (2, 2, 3, 1, 2, 2)]
  return (
    trainer.step,
    calls,
    lambda: [
      generator.variables,
      critic.variables,
      trainer.g_optimizer.variables,
      trainer.c_optimizer.variables,
      trainer.turn,
    ],
  )


def actor_critic():
  actor, critic = _matrix(3, 2), _matrix(3, 1)
  rewards, actions = [], []
  rng = random.Random(0)

  def update(states, taken, discounted, beta):
    with tf.GradientTape(persistent=True) as tape:
      logits, values = states @ actor, tf.squeeze(states @ critic, 1)
      log_p = tf.nn.log_softmax(logits)
      chosen = tf.reduce_sum(log_p * tf.one_hot(taken, 2), axis=1)
      advantage = discounted - tf.stop_gradient(values)
      entropy = -tf.reduce_sum(tf.exp(log_p) * log_p)
      a_loss = -tf.reduce_sum(chosen * advantage) - beta * entropy
      c_loss = tf.reduce_sum((discounted - values) ** 2)
    actor.assign_sub(0.1 * tape.gradient(a_loss, actor))
    critic.assign_sub(0.1 * tape.gradient(c_loss, critic))
    return a_loss, c_loss

  def episode(n):
    total, out = 0.0, []
    for _ in range(n):
      total = rng.random() + 0.9 * total
      out.append(total)
    states = tf.reshape(tf.cos(tf.range(3.0 * n)), [n, 3])
    return states, [rng.randrange(2) for _ in range(n)], tf.constant(out), 0.01 * n

  return update, [episode(n) for n in (3, 4, 3, 2, 5)], lambda: [actor, critic, rewards, actions]


def policy_gradient_with_python_numbers():
  w = _matrix(2, 2)
  box = {"baseline": 0.0, "episodes": 0}

  def step(state, action, reward):
    with tf.GradientTape() as tape:
      log_p = tf.nn.log_softmax(state @ w)[0, action]
      loss = -log_p * (reward - box["baseline"])
    w.assign_sub(0.1 * tape.gradient(loss, w))
    box["baseline"] = 0.9 * box["baseline"] + 0.1 * reward
    box["episodes"] += 1
    return loss

  numbers = [(0, 1.0), (1, 0.5), (0, -1.0), (1, 2), (1, 0.0), (0, 3)]
  return step, [(tf.ones([1, 2]), a, r) for a, r in numbers], lambda: [w, box]


def q_learning_with_target_updates():
  class Agent:
    def __init__(self):
      self.q, self.target = _matrix(3, 2), _matrix(3, 2)
      self.steps, self.epsilon = 0, 1.0

    def learn(self, s, a, r, after, done):
      best = tf.reduce_max(after @ self.target, axis=1)
      goal = r + 0.9 * best * (1.0 - done)
      with tf.GradientTape() as tape:
        q = tf.reduce_sum(s @ self.q * tf.one_hot(a, 2), axis=1)
        loss = tf.reduce_mean(tf.keras.losses.huber(goal, q))
      self.q.assign_sub(0.1 * tape.gradient(loss, self.q))
      self.steps += 1
      self.epsilon = max(0.1, self.epsilon * 0.9)
      if self.steps % 3 == 0:
        self.target.assign(self.q)
      return loss

  agent = Agent()

  def batch(n):
    s = tf.reshape(tf.sin(tf.range(3.0 * n)), [n, 3])
    return s, tf.range(n) % 2, tf.ones([n]), s + 0.1, tf.cast(tf.range(n) == 0, tf.float32)

  return agent.learn, [batch(n) for n in (2, 2, 3, 2, 4, 2, 2)], lambda: vars(agent)


def rnn_over_a_list():
  w, u = _matrix(2, 3), _matrix(3, 3)

  class Model:
    def __init__(self):
      self.state = tf.zeros([1, 3])

    def step(self, xs):
      with tf.GradientTape() as tape:
        h = self.state
        losses = []
        for x in xs:
          h = tf.tanh(x @ w + h @ u)
          losses.append(tf.reduce_mean(h**2))
        loss = tf.add_n(losses) / float(len(xs))
      gw, gu = tape.gradient(loss, [w, u])
      w.assign_sub(0.5 * gw)
      u.assign_sub(0.5 * gu)
      self.state = h
      return loss

  model = Model()
  calls = [([tf.ones([1, 2]) * i for i in range(1, n)],) for n in (3, 3, 5, 2, 4, 6, 7)]
  return model.step, calls, lambda: [w, u, model.state]


def lstm_by_hand_with_carried_state():
  class LSTM(tf.Module):
    def __init__(self):
      super().__init__()
      self.w, self.b = _matrix(5, 12, 0.5), tf.Variable(tf.zeros([12]))

    def __call__(self, x, state):
      h, c = state
      i, f, g, o = tf.split(tf.concat([x, h], 1) @ self.w + self.b, 4, axis=1)
      c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
      return (tf.sigmoid(o) * tf.tanh(c), c)

  cell = LSTM()
  carried = {"state": None}

  def step(xs, is_first):
    if is_first or carried["state"] is None:
      carried["state"] = (tf.zeros([1, 3]), tf.zeros([1, 3]))
    with tf.GradientTape() as tape:
      state, loss = carried["state"], 0.0
      for t in range(xs.shape[0]):
        state = cell(xs[t : t + 1], state)
        loss += tf.reduce_sum(state[0] ** 2)
    for w, g in zip(cell.trainable_variables, tape.gradient(loss, cell.trainable_variables)):
      w.assign_sub(0.1 * g)
    carried["state"] = state
    return loss

  calls = [(tf.ones([n, 2]), first) for n, first in [(2, True), (3, False), (2, False), (2, True)]]
  return step, calls, lambda: [cell.w, cell.b, carried]


def attention_with_a_cache():
  wq, wk, wv = _matrix(3, 3), _matrix(3, 3), _matrix(3, 3)
  cache = {"k": None, "v": None}

  def step(x):
    q, k, v = x @ wq, x @ wk, x @ wv
    if cache["k"] is not None:
      k = tf.concat([cache["k"], k], axis=0)
      v = tf.concat([cache["v"], v], axis=0)
    cache["k"], cache["v"] = k, v
    return tf.nn.softmax(q @ tf.transpose(k) / 3.0**0.5) @ v

  def reset():
    cache["k"] = cache["v"] = None

  x = (tf.ones([1, 3]),)
  return step, [x, x, (tf.ones([2, 3]),), x, reset, x, x], lambda: cache


def attention_over_heads():
  heads = [[_matrix(4, 2), _matrix(4, 2), _matrix(4, 2)] for _ in range(2)]
  out = _matrix(4, 4)

  def attend(x, q, k, v, mask):
    scores = (x @ q) @ tf.transpose(x @ k) / 2.0**0.5
    if mask is not None:
      scores = scores + (1.0 - mask) * -1e9
    return tf.nn.softmax(scores) @ (x @ v)

  def step(x, mask=None):
    ws = [w for head in heads for w in head] + [out]
    with tf.GradientTape() as tape:
      y = tf.concat([attend(x, *head, mask) for head in heads], axis=1) @ out
      loss = tf.reduce_mean((x - y) ** 2)
    for w, g in zip(ws, tape.gradient(loss, ws)):
      w.assign_sub(0.1 * g)
    return loss

  def causal(n):
    return tf.linalg.band_part(tf.ones([n, n]), -1, 0)

  def x(n):
    return tf.reshape(tf.sin(tf.range(4.0 * n)), [n, 4])

  calls = [(x(2),), (x(3), causal(3)), (x(2), causal(2)), (x(4),), (x(2),)]
  return step, calls, lambda: [heads, out]


class _Tree:
  def __init__(self, word=None, children=(), label=0):
    self.word, self.children, self.label = word, list(children), label


def _trees():
  leaf = [_Tree(i, label=i % 2) for i in range(4)]
  a = _Tree(children=[leaf[0], leaf[1]], label=1)
  b = _Tree(children=[a, leaf[2], leaf[3]])
  return [b, a, leaf[1], _Tree(children=[b, a]), _Tree(children=[leaf[3]], label=1)]


def tree_training():
  table, mix, head = _matrix(4, 3, 1.0), _matrix(3, 3, 0.5), _matrix(3, 2)

  def encode(tree):
    if not tree.children:
      return table[tree.word]
    return tf.tanh(tf.linalg.matvec(mix, tf.add_n([encode(c) for c in tree.children])))

  def step(tree):
    ws = [table, mix, head]
    with tf.GradientTape() as tape:
      logits = encode(tree)[tf.newaxis] @ head
      loss = tf.nn.sparse_softmax_cross_entropy_with_logits([tree.label], logits)[0]
    for w, g in zip(ws, tape.gradient(loss, ws)):
      if g is not None:
        w.assign_sub(0.1 * tf.convert_to_tensor(g))
    return loss

  return step, [(t,) for t in _trees()], lambda: [table, mix, head]


def tree_training_with_losses_at_nodes():
  table, mix, head = _matrix(4, 3, 1.0), _matrix(6, 3, 0.5), _matrix(3, 2)
  box = {"nodes": 0}

  def walk(tree):
    if not tree.children:
      h, loss = tf.gather(table, [tree.word]), 0.0
    else:
      h, loss = walk(tree.children[0])
      for child in tree.children[1:]:
        h2, loss2 = walk(child)
        h, loss = tf.tanh(tf.concat([h, h2], 1) @ mix), loss + loss2
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits([tree.label], h @ head)
    return h, loss + tf.reduce_sum(entropy)

  def step(tree):
    ws = [table, mix, head]
    with tf.GradientTape() as tape:
      _, loss = walk(tree)
    box["nodes"] += 1
    for w, g in zip(ws, tape.gradient(loss, ws, unconnected_gradients="zero")):
      w.assign_sub(0.1 * tf.convert_to_tensor(g))
    return loss

  return step, [(t,) for t in _trees()], lambda: [table, mix, head, box]


def recursive_evaluation_with_counts():
  counts = {"nodes": 0}
  w = tf.Variable([1.0, 2.0])

  def depth(tree):
    counts["nodes"] += 1
    return 1 + max([depth(c) for c in tree.children], default=0)

  def step(tree):
    d = depth(tree)
    w.assign_add([float(d), 0.5])
    return w * float(d), d

  return step, [(t,) for t in _trees()], lambda: [counts, w]


def variational_autoencoder():
  encoder, decoder = _matrix(4, 4), _matrix(2, 4)
  generator = tf.random.Generator.from_seed(1)

  def step(x, beta):
    with tf.GradientTape() as tape:
      mean, log_var = tf.split(x @ encoder, 2, axis=1)
      z = mean + tf.exp(0.5 * log_var) * generator.normal(tf.shape(mean))
      kl = 0.5 * tf.reduce_sum(tf.exp(log_var) + mean**2 - 1.0 - log_var)
      loss = tf.reduce_sum((z @ decoder - x) ** 2) + beta * kl
    ge, gd = tape.gradient(loss, [encoder, decoder])
    encoder.assign_sub(0.05 * ge)
    decoder.assign_sub(0.05 * gd)
    return loss, kl

  calls = [(tf.ones([n, 4]), b) for n, b in [(2, 0.1), (3, 0.1), (2, 0.5), (2, 1)]]
  return step, calls, lambda: [encoder, decoder, generator]


def meta_learning_step():
  w = tf.Variable([1.0, -1.0])

  def step(tasks):
    with tf.GradientTape() as outer:
      total = 0.0
      for x, y in tasks:
        with tf.GradientTape() as inner:
          inner.watch(w)
          loss = tf.reduce_mean((x * w - y) ** 2)
        fast = w - 0.1 * inner.gradient(loss, w)
        total += tf.reduce_mean((x * fast - y) ** 2)
    w.assign_sub(0.1 * outer.gradient(total, w))
    return total

  def tasks(n):
    return [(_x(i, 1), _x(1, i)) for i in range(1, n + 1)]

  return step, [(tasks(n),) for n in (1, 2, 2, 3)], lambda: w


def adversarial_examples():
  w = tf.Variable([[1.0], [-2.0]])

  def attack(x, y, epsilon, steps):
    delta = tf.zeros_like(x)
    for _ in range(steps):
      with tf.GradientTape() as tape:
        tape.watch(delta)
        loss = tf.reduce_mean(((x + delta) @ w - y) ** 2)
      delta = tf.clip_by_value(delta + 0.5 * tf.sign(tape.gradient(loss, delta)), -epsilon, epsilon)
    return x + delta

  def step(x, y, epsilon=0.1, steps=2):
    bad = attack(x, y, epsilon, steps)
    with tf.GradientTape() as tape:
      loss = tf.reduce_mean((bad @ w - y) ** 2)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss, bad

  def batch(n):
    return tf.reshape(tf.sin(tf.range(2.0 * n)), [n, 2]), tf.ones([n, 1])

  return step, [batch(2), batch(3), (*batch(2), 0.5), (*batch(2), 0.1, 3), batch(2)], lambda: w


def distillation_with_ema_teacher():
  layers = tf.keras.layers
  student = tf.keras.Sequential([layers.Dense(3, activation="relu"), layers.Dense(2)])
  teacher = tf.keras.Sequential([layers.Dense(3, activation="relu"), layers.Dense(2)])
  student(tf.zeros([1, 2]))
  teacher(tf.zeros([1, 2]))
  teacher.set_weights(student.get_weights())
  optimizer = tf.keras.optimizers.SGD(0.1)
  optimizer.build(student.trainable_variables)

  def step(x, y):
    target = tf.nn.softmax(teacher(x) / 2.0)
    with tf.GradientTape() as tape:
      logits = student(x, training=True)
      hard = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
      soft = tf.nn.softmax_cross_entropy_with_logits(target, logits)
      loss = tf.reduce_mean(hard + 0.5 * soft)
    gradients = tape.gradient(loss, student.trainable_variables)
    optimizer.apply_gradients(zip(gradients, student.trainable_variables))
    for t, s in zip(teacher.variables, student.variables):
      t.assign(0.9 * t + 0.1 * s)
    return loss

  calls = [(tf.ones([n, 2]) * n, tf.range(n) % 2) for n in (2, 3, 2, 1)]
  return step, calls, lambda: [student.variables, teacher.variables]


def early_stopping_trainer():
  class Trainer:
    def __init__(self):
      self.w = tf.Variable([3.0, -3.0])
      self.best, self.wait, self.stopped = None, 0, False
      self.best_w = None
      self.log = []

    def step(self, x):
      if self.stopped:
        return None
      with tf.GradientTape() as tape:
        loss = tf.reduce_sum((self.w * x) ** 2)
      self.w.assign_sub(0.3 * tape.gradient(loss, self.w))
      self.log.append(loss)
      if self.best is None or loss < self.best:
        self.best, self.best_w, self.wait = loss, self.w.read_value(), 0
      else:
        self.wait += 1
        if self.wait >= 2:
          self.stopped = True
          self.w.assign(self.best_w)
      return loss

  trainer = Trainer()
  calls = [(_x(n, 1),) for n in (1, 0.5, 3, 4, 1, 2)]
  return trainer.step, calls, lambda: vars(trainer)


def word_embeddings_with_negative_sampling():
  words, contexts = _matrix(6, 3, 1.0), _matrix(6, 3, 1.0)
  rng = np.random.default_rng(0)

  def step(center, context, negatives):
    with tf.GradientTape() as tape:
      c = tf.gather(words, center)
      positive = tf.reduce_sum(c * tf.gather(contexts, context), axis=-1)
      negative = tf.einsum("bd,bnd->bn", c, tf.gather(contexts, negatives))
      loss = -tf.reduce_sum(tf.math.log_sigmoid(positive))
      loss -= tf.reduce_sum(tf.math.log_sigmoid(-negative))
    for w, g in zip([words, contexts], tape.gradient(loss, [words, contexts])):
      w.scatter_sub(tf.IndexedSlices(0.1 * g.values, g.indices))
    return loss

  def batch(n):
    return rng.integers(6, size=n), rng.integers(6, size=n), rng.integers(6, size=(n, 2))

  return step, [batch(n) for n in (2, 3, 2, 4)], lambda: [words, contexts]


def mixture_of_experts():
  experts = [_matrix(2, 2, 1.0) for _ in range(3)]
  gate = _matrix(2, 3, 1.0)
  used = [0, 0, 0]

  def step(x, k):
    with tf.GradientTape() as tape:
      weights = tf.nn.softmax(x @ gate)
      top, _ = tf.math.top_k(weights, k=k)
      weights = tf.where(weights >= top[:, -1:], weights, 0.0)
      y = tf.add_n([weights[:, i : i + 1] * (x @ e) for i, e in enumerate(experts)])
      loss = tf.reduce_mean((y - x) ** 2)
    ws = [*experts, gate]
    for w, g in zip(ws, tape.gradient(loss, ws)):
      w.assign_sub(0.1 * g)
    used[k - 1] += 1
    return loss

  calls = [(tf.ones([n, 2]) * n, k) for n, k in [(1, 1), (2, 1), (2, 2), (1, 3), (2, 1)]]
  return step, calls, lambda: [experts, gate, used]


def gibbs_chain():
  w = _matrix(3, 2, 1.0)
  box = {"v": None}

  def step(data, steps):
    v = data if box["v"] is None else box["v"]
    for i in range(steps):
      u = tf.random.stateless_uniform([1, 2], seed=[i, steps])
      h = tf.cast(tf.sigmoid(v @ w) > u, tf.float32)
      v = tf.sigmoid(h @ tf.transpose(w))
    box["v"] = v
    positive = tf.transpose(data) @ tf.sigmoid(data @ w)
    negative = tf.transpose(v) @ tf.sigmoid(v @ w)
    w.assign_add(0.1 * (positive - negative))
    return tf.reduce_mean(tf.abs(data - v))

  calls = [(tf.ones([1, 3]), n) for n in (1, 1, 3, 2, 1)]
  return step, calls, lambda: [w, box]


def dynamic_computation_by_halting():
  w = _matrix(2, 2, 1.0)
  halt = tf.Variable([[0.4], [0.3]])

  def step(x, limit):
    with tf.GradientTape() as tape:
      h, total, used = x, tf.constant(0.0), 0
      while total < 1.0 and used < limit:
        h = tf.tanh(h @ w) + x
        total += tf.reduce_mean(tf.sigmoid(h @ halt))
        used += 1
      loss = tf.reduce_sum(h**2) + 0.01 * total
    gw, gh = tape.gradient(loss, [w, halt])
    w.assign_sub(0.1 * gw)
    halt.assign_sub(0.1 * gh)
    return loss, used

  calls = [(tf.ones([1, 2]) * n, k) for n, k in [(1, 5), (0.1, 5), (-3, 3), (0.5, 1), (-2, 6)]]
  return step, calls, lambda: [w, halt]
