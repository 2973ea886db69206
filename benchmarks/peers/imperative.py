"""Training steps as people write them for eager execution, after table 3.4 of JANUS (NSDI 2019).

Each program has fresh weights by the seed, `step(*batch)` as its user wrote it, and `batches`.
Where the step keeps its state in Python, `graph_step` is the same by the hand of somebody who knows
`tf.function`: state in variables. LeNet and the adversarial network see MNIST's digits, the
language model reads the Penn Treebank (random ones where these are not there); images of the
residual networks and of Inception-v3, sequences of the LSTM and episodes of A3C are synthetic.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from benchmarks.peers import real_data
from benchmarks.peers.imperative_agents import ppo
from benchmarks.peers.imperative_images import inception, pix2pix
from benchmarks.peers.imperative_trees import treelstm, treernn
from benchmarks.peers.program import Missing as Missing
from benchmarks.peers.program import Program

_NUM_BATCHES = 4


def lenet(size: str) -> Program:
  """LeNet (LeCun et al. 1998) on images of 28 x 28 of ten classes, SGD with momentum."""
  model = keras.Sequential(
    [
      keras.layers.Input((28, 28, 1)),
      keras.layers.Conv2D(6, 5, padding="same", activation="relu"),
      keras.layers.MaxPool2D(),
      keras.layers.Conv2D(16, 5, activation="relu"),
      keras.layers.MaxPool2D(),
      keras.layers.Flatten(),
      keras.layers.Dense(120, activation="relu"),
      keras.layers.Dense(84, activation="relu"),
      keras.layers.Dense(10),
    ]
  )
  batch = {"small": 8, "large": 50}[size]
  found = real_data.digits(batch * _NUM_BATCHES)
  if found is None:
    return _classifier(model, _random_images(batch, (28, 28, 1)))
  images, labels = found[0][..., None].astype(np.float32), found[1].astype(np.int64)
  parts = zip(np.split(images, _NUM_BATCHES), np.split(labels, _NUM_BATCHES), strict=True)
  return _classifier(model, [tuple(map(tf.constant, part)) for part in parts])


def resnet(size: str) -> Program:
  """Residual networks with batch normalization (He et al. 2016): one of two blocks, ResNet50."""
  if size == "large":
    model = keras.applications.ResNet50(weights=None, input_shape=(64, 64, 3), classes=10)
    logits = keras.Model(model.inputs, keras.layers.Dense(10)(model.layers[-2].output))
    return _classifier(logits, _random_images(4, (64, 64, 3)), rate=1e-3)
  inputs = keras.layers.Input((32, 32, 3))
  x = keras.layers.Conv2D(16, 3, padding="same", use_bias=False)(inputs)
  for block in range(2):
    y = keras.layers.BatchNormalization()(x)
    y = keras.layers.Conv2D(16, 3, padding="same", use_bias=False)(keras.layers.ReLU()(y))
    y = keras.layers.BatchNormalization()(y)
    y = keras.layers.Conv2D(16, 3, padding="same", use_bias=False)(keras.layers.ReLU()(y))
    x = keras.layers.Add(name=f"add_{block}")([x, y])
  outputs = keras.layers.Dense(10)(keras.layers.GlobalAveragePooling2D()(x))
  return _classifier(keras.Model(inputs, outputs), _random_images(4, (32, 32, 3)))


def _random_images(batch: int, shape: tuple[int, ...]) -> list[tuple[tf.Tensor, ...]]:
  """Returns batches of images and of their classes, of which there are ten."""
  rng = np.random.default_rng(0)
  return [
    (
      tf.constant(rng.normal(size=[batch, *shape]), tf.float32),
      tf.constant(rng.integers(0, 10, batch)),
    )
    for _ in range(_NUM_BATCHES)
  ]


def _classifier(model: Any, batches: list[tuple[tf.Tensor, ...]], rate: float = 0.01) -> Program:
  optimizer = keras.optimizers.SGD(rate, momentum=0.9)
  optimizer.build(model.trainable_variables)
  loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

  def step(images, labels):
    with tf.GradientTape() as tape:
      loss = loss_of(labels, model(images, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss

  return Program(step, batches, step, model.trainable_variables)


class _Recurrent(tf.Module):
  """An LSTM by hand, its weights, and what it carries from one piece of a text to the next."""

  def __init__(self, width: int, inputs: int):
    super().__init__()
    init = tf.keras.initializers.GlorotUniform(1)
    self.kernel = tf.Variable(init([inputs + width, 4 * width]))
    self.bias = tf.Variable(tf.zeros([4 * width]))
    self.width = width

  def cell(self, x, h, c):
    gates = tf.concat([x, h], 1) @ self.kernel + self.bias
    i, f, o, g = tf.split(gates, 4, 1)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


def lstm(size: str) -> Program:
  """An LSTM over sequences of 20 vectors, in a Python loop."""
  batch, width = {"small": (4, 32), "large": (20, 200)}[size]
  net = _Recurrent(width, width)
  rng = np.random.default_rng(0)
  batches = [
    (tf.constant(rng.normal(size=[batch, 20, width]), tf.float32),) for _ in range(_NUM_BATCHES)
  ]

  def step(xs):
    with tf.GradientTape() as tape:
      h = c = tf.zeros([xs.shape[0], width])
      loss = 0.0
      for t in range(xs.shape[1]):
        h, c = net.cell(xs[:, t], h, c)
        loss += tf.reduce_mean((h - xs[:, t]) ** 2)
    for variable, gradient in zip(
      net.trainable_variables, tape.gradient(loss, net.trainable_variables), strict=True
    ):
      variable.assign_sub(0.1 * gradient)
    return loss

  return Program(step, batches, step, net.trainable_variables)


def lm(size: str) -> Program:
  """A language model whose state goes on from one piece of the text to the next, in attributes."""
  batch, width, words = {"small": (4, 32, 50), "large": (20, 200, 1_000)}[size]
  net = _Recurrent(width, width)
  rng = np.random.default_rng(0)
  net.embedding = tf.Variable(tf.constant(rng.normal(size=[words, width]) * 0.1, tf.float32))
  net.state = None
  length = 10 * _NUM_BATCHES + 1
  text = real_data.text(batch * length, words)
  text = rng.integers(0, words, batch * length) if text is None else text
  streams = text.reshape(batch, length)  # Pieces go on where those before them have ended.
  batches = [(tf.constant(streams[:, i : i + 11]),) for i in range(0, length - 1, 10)]
  start = tf.zeros([batch, width])
  held = [tf.Variable(start, trainable=False) for _ in range(2)]

  def loss_of(text, h, c):
    loss = 0.0
    for t in range(text.shape[1] - 1):
      h, c = net.cell(tf.gather(net.embedding, text[:, t]), h, c)
      logits = h @ tf.transpose(net.embedding)
      loss += tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=text[:, t + 1], logits=logits)
      )
    return loss, h, c

  def update(loss, tape):
    variables = [net.kernel, net.bias, net.embedding]
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
      variable.assign_sub(0.1 * tf.convert_to_tensor(gradient))

  def step(text):
    h, c = (start, start) if net.state is None else net.state
    with tf.GradientTape() as tape:
      loss, h, c = loss_of(text, h, c)
    update(loss, tape)
    net.state = (tf.stop_gradient(h), tf.stop_gradient(c))
    return loss

  def graph_step(text):
    with tf.GradientTape() as tape:
      loss, h, c = loss_of(text, held[0].read_value(), held[1].read_value())
    update(loss, tape)
    held[0].assign(h)
    held[1].assign(c)
    return loss

  def reset():
    net.state = None
    for variable in held:
      variable.assign(start)

  return Program(step, batches, graph_step, [net.kernel, net.bias, net.embedding], reset)


def a3c(size: str) -> Program:
  """The update of an actor and critic after an episode, whose rewards are Python's numbers."""
  width, length = {"small": (16, 8), "large": (128, 32)}[size]
  init = tf.keras.initializers.GlorotUniform(2)
  body, policy, value = (tf.Variable(init(shape)) for shape in ([4, width], [width, 2], [width, 1]))
  rng = np.random.default_rng(0)
  batches = [
    (
      tf.constant(rng.normal(size=[length, 4]), tf.float32),
      tf.constant(rng.integers(0, 2, length)),
      tf.constant(rng.uniform(size=length), tf.float32),
    )
    for _ in range(_NUM_BATCHES)
  ]
  variables = [body, policy, value]

  def step(observations, actions, rewards):
    returns = []
    total = tf.constant(0.0)
    for reward in reversed(range(length)):
      total = rewards[reward] + 0.99 * total
      returns.insert(0, total)
    with tf.GradientTape() as tape:
      hidden = tf.tanh(observations @ body)
      advantage = tf.stack(returns) - (hidden @ value)[:, 0]
      chosen = tf.nn.log_softmax(hidden @ policy) * tf.one_hot(actions, 2)
      gain = tf.reduce_sum(chosen, 1) * tf.stop_gradient(advantage)
      loss = tf.reduce_mean(advantage**2) - tf.reduce_mean(gain)
    for variable, gradient in zip(variables, tape.gradient(loss, variables), strict=True):
      variable.assign_sub(0.01 * gradient)
    return loss

  return Program(step, batches, step, variables)


def an(size: str) -> Program:
  """An adversarial network (Goodfellow et al. 2014): two tapes, two optimizers, one step."""
  batch, width = {"small": (8, 32), "large": (64, 256)}[size]
  pixels = 28 * 28
  keras.utils.set_random_seed(0)
  generator = keras.Sequential(
    [
      keras.layers.Input((16,)),
      keras.layers.Dense(width, activation="relu"),
      keras.layers.Dense(pixels, activation="sigmoid"),
    ]
  )
  critic = keras.Sequential(
    [
      keras.layers.Input((pixels,)),
      keras.layers.Dense(width, activation="relu"),
      keras.layers.Dense(1),
    ]
  )
  optimizers = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)
  for optimizer, model in zip(optimizers, (generator, critic), strict=True):
    optimizer.build(model.trainable_variables)
  rng = np.random.default_rng(0)
  found = real_data.digits(batch * _NUM_BATCHES)
  images = rng.uniform(size=[batch * _NUM_BATCHES, pixels]) if found is None else found[0]
  batches = [
    (tf.constant(real, tf.float32), tf.constant(rng.normal(size=[batch, 16]), tf.float32))
    for real in images.reshape(_NUM_BATCHES, batch, pixels)
  ]

  def cross_entropy(logits, is_real):
    labels = tf.ones_like(logits) if is_real else tf.zeros_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))

  def step(real, noise):
    with tf.GradientTape() as of_generator, tf.GradientTape() as of_critic:
      fake = generator(noise, training=True)
      logits = critic(fake, training=True)
      generator_loss = cross_entropy(logits, True)
      critic_loss = cross_entropy(critic(real, training=True), True) + cross_entropy(logits, False)
    losses = (generator_loss, critic_loss)
    for tape, loss, model, optimizer in zip(
      (of_generator, of_critic), losses, (generator, critic), optimizers, strict=True
    ):
      variables = model.trainable_variables
      optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return generator_loss + critic_loss

  variables = generator.trainable_variables + critic.trainable_variables
  return Program(step, batches, step, variables)


PROGRAMS = {
  "lenet": lenet,
  "resnet": resnet,
  "inception": inception,
  "lstm": lstm,
  "lm": lm,
  "treernn": treernn,
  "treelstm": treelstm,
  "a3c": a3c,
  "ppo": ppo,
  "an": an,
  "pix2pix": pix2pix,
}


def make(name: str, size: str) -> Program:
  """Returns a program with fresh weights, the same each time."""
  keras.utils.set_random_seed(0)
  return PROGRAMS[name](size)
