"""Models of images as people write them: Inception-v3 and pix2pix.

Inception-v3 trains on synthetic images; pix2pix on pairs of the facades data set.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf

from benchmarks.peers import real_data
from benchmarks.peers.program import Missing, Program

_NUM_BATCHES = 4
_VALIDATE_EVERY = 4
_NUM_CLASSES = {"small": 10, "large": 1_000}


class Conv(keras.layers.Layer):
  """A convolution, batch normalization and a ReLU."""

  def __init__(self, filters, size, strides=1, padding="same"):
    super().__init__()
    self.conv = keras.layers.Conv2D(filters, size, strides, padding, use_bias=False)
    self.norm = keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-3, scale=False)

  def call(self, x, training=False):
    return tf.nn.relu(self.norm(self.conv(x), training=training))


class Module(keras.layers.Layer):
  """Some chains of convolutions side by side, and one of what pools; their channels are joined."""

  def __init__(self, *chains, pool, after_pool=None):
    super().__init__()
    self.chains = chains
    self.pool = pool
    self.after_pool = after_pool

  def call(self, x, training=False):
    outputs = []
    for chain in self.chains:
      y = x
      for conv in chain:
        y = conv(y, training=training)
      outputs.append(y)
    y = self.pool(x)
    if self.after_pool is not None:
      y = self.after_pool(y, training=training)
    return tf.concat([*outputs, y], axis=-1)


class WideModule(keras.layers.Layer):
  """The module of the last grid, whose chains end in two convolutions each."""

  def __init__(self, conv):
    super().__init__()
    self.single = conv(320, 1)
    self.short, self.short_ends = conv(384, 1), [conv(384, (1, 3)), conv(384, (3, 1))]
    self.first, self.second = conv(448, 1), conv(384, 3)
    self.long_ends = [conv(384, (1, 3)), conv(384, (3, 1))]
    self.pool = keras.layers.AveragePooling2D(3, 1, "same")
    self.after_pool = conv(192, 1)

  def call(self, x, training=False):
    short = self.short(x, training=training)
    long = self.second(self.first(x, training=training), training=training)
    outputs = [self.single(x, training=training)]
    outputs += [end(short, training=training) for end in self.short_ends]
    outputs += [end(long, training=training) for end in self.long_ends]
    return tf.concat([*outputs, self.after_pool(self.pool(x), training=training)], axis=-1)


class Inception(keras.Model):
  """Inception-v3 (Szegedy et al. 2016), with the auxiliary classifier while it trains."""

  def __init__(self, classes, scale=1.0, repeats=(3, 4, 2)):
    """Makes it.

    Args:
      classes: how many.
      scale: the share of the channels of the paper.
      repeats: modules on each of the three grids.
    """
    super().__init__()

    def conv(filters, size, strides=1, padding="same"):
      return Conv(max(4, int(filters * scale)), size, strides, padding)

    def average():
      return keras.layers.AveragePooling2D(3, 1, "same")

    self.stem = [
      conv(32, 3, 2, "valid"),
      conv(32, 3, 1, "valid"),
      conv(64, 3),
      keras.layers.MaxPool2D(3, 2),
      conv(80, 1, 1, "valid"),
      conv(192, 3, 1, "valid"),
      keras.layers.MaxPool2D(3, 2),
    ]
    first = [
      Module(
        [conv(64, 1)],
        [conv(48, 1), conv(64, 5)],
        [conv(64, 1), conv(96, 3), conv(96, 3)],
        pool=average(),
        after_pool=conv(filters, 1),
      )
      for filters in (32, 64, 64)[: repeats[0]]
    ]
    to_second = Module(
      [conv(384, 3, 2, "valid")],
      [conv(64, 1), conv(96, 3), conv(96, 3, 2, "valid")],
      pool=keras.layers.MaxPool2D(3, 2),
    )
    second = [
      Module(
        [conv(192, 1)],
        [conv(c, 1), conv(c, (1, 7)), conv(192, (7, 1))],
        [conv(c, 1), conv(c, (7, 1)), conv(c, (1, 7)), conv(c, (7, 1)), conv(192, (1, 7))],
        pool=average(),
        after_pool=conv(192, 1),
      )
      for c in (128, 160, 160, 192)[: repeats[1]]
    ]
    to_third = Module(
      [conv(192, 1), conv(320, 3, 2, "valid")],
      [conv(192, 1), conv(192, (1, 7)), conv(192, (7, 1)), conv(192, 3, 2, "valid")],
      pool=keras.layers.MaxPool2D(3, 2),
    )
    self.blocks = [*first, to_second, *second]
    self.last_blocks = [to_third, *(WideModule(conv) for _ in range(repeats[2]))]
    self.pool = keras.layers.GlobalAveragePooling2D()
    self.head = keras.layers.Dense(classes)
    self.side = conv(128, 1)
    self.side_head = keras.layers.Dense(classes)
    self.is_training = True

  def call(self, images, training=False):
    x = images
    for layer in self.stem:
      x = layer(x, training=training) if isinstance(layer, Conv) else layer(x)
    for block in self.blocks:
      x = block(x, training=training)
    side = None
    if training:
      side = self.side_head(self.pool(self.side(x, training=training)))
    for block in self.last_blocks:
      x = block(x, training=training)
    return self.head(self.pool(x)), side


def inception(size: str) -> Program:
  """Inception-v3 on synthetic images of 107 x 107, an eighth as wide, or whole, of 299 x 299.

  Every fourth step is one of validation: the model's own flag says so, as users have it. Where a
  graph keeps the flag that it was traced with, the losses tell.
  """
  scale, repeats, side, batch = {
    "small": (1 / 8, (1, 1, 1), 107, 4),
    "large": (1.0, (3, 4, 2), 299, 2),
  }[size]
  classes = _NUM_CLASSES[size]
  rng = np.random.default_rng(0)
  batches = [
    (
      tf.constant(rng.normal(size=[batch, side, side, 3]), tf.float32),
      tf.constant(rng.integers(0, classes, batch)),
    )
    for _ in range(_NUM_BATCHES)
  ]
  net = Inception(classes, scale, repeats)
  net(batches[0][0], training=True)  # Makes the weights.
  loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
  optimizer = keras.optimizers.RMSprop(1e-3, rho=0.9, epsilon=1.0)
  optimizer.build(net.trainable_variables)
  num_steps = 0

  def step(images, labels):
    if not net.is_training:
      return loss_of(labels, net(images, training=False)[0])
    with tf.GradientTape() as tape:
      logits, side_logits = net(images, training=True)
      loss = loss_of(labels, logits) + 0.3 * loss_of(labels, side_logits)
    gradients = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
    return loss

  def graph_step(images, labels, is_training):
    net.is_training = is_training  # Of the trace.
    return step(images, labels)

  def around(decorate, step):
    run = decorate(step)
    is_told = step is graph_step

    def turn(images, labels):
      nonlocal num_steps
      num_steps += 1
      net.is_training = num_steps % _VALIDATE_EVERY != 0
      return run(images, labels, net.is_training) if is_told else run(images, labels)

    return turn

  def reset():
    nonlocal num_steps
    num_steps = 0

  return Program(step, batches, graph_step, net.trainable_variables, reset, around, _VALIDATE_EVERY)


def pix2pix(size: str) -> Program:
  """Pix2pix (Isola et al. 2017) on facades: a U-Net, a critic of patches, two tapes.

  64 x 64 with an eighth of the channels, or 128 x 128 with all of them; batches of one.
  """
  side, scale = {"small": (64, 1 / 8), "large": (128, 1.0)}[size]
  generator, critic = _u_net(side, scale), _patches(side, scale)
  optimizers = [keras.optimizers.Adam(2e-4, beta_1=0.5) for _ in range(2)]
  for optimizer, model in zip(optimizers, (generator, critic), strict=True):
    optimizer.build(model.trainable_variables)
  cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)

  def step(labels, photo):
    with tf.GradientTape() as of_generator, tf.GradientTape() as of_critic:
      made = generator(labels, training=True)
      on_real = critic([labels, photo], training=True)
      on_made = critic([labels, made], training=True)
      fooled = cross_entropy(tf.ones_like(on_made), on_made)
      generator_loss = fooled + 100 * tf.reduce_mean(tf.abs(photo - made))
      real_loss = cross_entropy(tf.ones_like(on_real), on_real)
      critic_loss = real_loss + cross_entropy(tf.zeros_like(on_made), on_made)
    for tape, loss, model, optimizer in (
      (of_generator, generator_loss, generator, optimizers[0]),
      (of_critic, critic_loss, critic, optimizers[1]),
    ):
      gradients = tape.gradient(loss, model.trainable_variables)
      optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return generator_loss + critic_loss

  variables = generator.trainable_variables + critic.trainable_variables
  return Program(step, facades(side), step, variables)


def _u_net(side: int, scale: float) -> Any:
  """Returns the generator: down to 1 x 1 and up again, with a link on each level."""
  widths = [max(4, int(width * scale)) for width in (64, 128, 256, 512, 512, 512, 512, 512)]
  depth = side.bit_length() - 1
  x = inputs = keras.layers.Input((side, side, 3))
  links = []
  for level, width in enumerate(widths[:depth]):
    x = keras.layers.Conv2D(width, 4, 2, "same", use_bias=False)(x)
    if 0 < level < depth - 1:  # One image of 1 x 1 has no variance.
      x = keras.layers.BatchNormalization()(x)
    x = keras.layers.LeakyReLU()(x)
    links.append(x)
  for level, width in enumerate(reversed(widths[: depth - 1])):
    x = keras.layers.Conv2DTranspose(width, 4, 2, "same", use_bias=False)(x)
    x = keras.layers.BatchNormalization()(x)
    if level < 3:
      x = keras.layers.Dropout(0.5)(x)
    x = keras.layers.Concatenate()([keras.layers.ReLU()(x), links[-2 - level]])
  return keras.Model(inputs, keras.layers.Conv2DTranspose(3, 4, 2, "same", activation="tanh")(x))


def _patches(side: int, scale: float) -> Any:
  """Returns the critic, which judges pieces of an image."""
  inputs = [keras.layers.Input((side, side, 3)) for _ in range(2)]
  x = keras.layers.Concatenate()(inputs)
  for level, width in enumerate((64, 128, 256)):
    x = keras.layers.Conv2D(max(4, int(width * scale)), 4, 2, "same", use_bias=False)(x)
    if 0 < level:
      x = keras.layers.BatchNormalization()(x)
    x = keras.layers.LeakyReLU()(x)
  return keras.Model(inputs, keras.layers.Conv2D(1, 4, padding="same")(x))


def facades(side: int) -> list[tuple[tf.Tensor, tf.Tensor]]:
  """Returns pairs (labels, photo), each float [1, side, side, 3] in [-1, 1].

  Raises:
    Missing: If the images are not there.
  """
  folder = real_data.folder_of("facades")
  paths = [] if folder is None else sorted((folder / "pairs").glob("*.jpg"))[:_NUM_BATCHES]
  if not paths:
    raise Missing("no images of facades; RECURSIVE_TF_DATA names the folder of `facades`")
  found = []
  for path in paths:
    pair = tf.cast(tf.io.decode_jpeg(tf.io.read_file(str(path)), 3), tf.float32) / 127.5 - 1
    width = pair.shape[1] // 2
    photo, labels = pair[None, :, :width], pair[None, :, width:]
    found.append(tuple(tf.image.resize(half, [side, side], "area") for half in (labels, photo)))
  return found
