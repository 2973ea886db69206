"""The plain programs under `rtf.recursive`: the same functions, and not a line more.

What runs: `Recursive` calls `.map` on a list of trees under an eager GradientTape, then Adagrad as
one tf.function. `RecursivePacked` packs the trees into tensors, and one tf.function computes loss,
gradients and Adagrad from those, called by what `rtf.prepare` makes of it. Both walk over the
objects of the batch anew in every step. `RecursivePackedOnce` packs all trees once, and a batch is
their numbers, as it is to the hand-written models.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import tensorflow as tf

import recursive_tf as rtf
from benchmarks.peers import plain_programs, tf_cells
from benchmarks.peers.peer import Peer
from benchmarks.peers.prepared import SAMPLES


class Recursive(Peer):
  """A plain program, converted; the tape is eager."""

  def __init__(
    self,
    model: str,
    weights: dict[str, np.ndarray],
    packed: dict[str, np.ndarray],
    objects: str = "node",
    fused: bool = False,
  ):
    super().__init__()
    self._model = (plain_programs.FusedModel if fused else tf_cells.Model)(model, weights)
    program = plain_programs.program(self._model, objects)
    self._encode = rtf.recursive(program.encode, strict=True)
    self._encode_and_score = rtf.recursive(program.encode_and_score, strict=True)
    self._optimizer = tf_cells.optimizer(self._model)
    self._trees = plain_programs.trees(packed, objects)
    # Sparse gradients have as many rows as the batch has words.
    self._apply = tf.function(
      lambda gradients: self._optimizer.apply(gradients, 1.0), reduce_retracing=True
    )
    self._classify = tf.function(self._classes, reduce_retracing=True)

  def train(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(self._choose(indices))
    self._apply(tape.gradient(loss, self._optimizer.variables_to_train))

  def infer(self, indices):
    return self._classify(self._encode.map(self._choose(indices))[0]).numpy()

  def loss_and_gradients(self, indices):
    with tf.GradientTape() as tape:
      loss = self._loss(self._choose(indices))
    gradients = tape.gradient(loss, self._model.variables)
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def stats(self) -> dict:
    """Returns the counters of the function that is trained."""
    return dataclasses.asdict(self._encode_and_score.stats)

  def _choose(self, indices) -> list:
    return [self._trees[i] for i in indices]

  def _loss(self, trees) -> tf.Tensor:
    """Returns the loss of a batch, given as a list or packed."""
    _, losses = self._encode_and_score.map(trees)
    return tf.reduce_mean(losses)  # [B, 1]

  def _classes(self, h: tf.Tensor) -> tf.Tensor:
    return tf.argmax(self._model.logits(tf.squeeze(h, 1)), 1)


class RecursivePacked(Recursive):
  """A plain program, converted; one prepared function takes the packed trees."""

  def __init__(self, *args, **kwargs):
    super().__init__(*args, **kwargs)
    self._gradients = tf.function(self._loss_and_gradients, reduce_retracing=True)

  def train(self, indices):
    self._prepared_train(self._encode_and_score.pack(self._choose(indices)))

  def infer(self, indices):
    return self._prepared_classes(self._encode.pack(self._choose(indices))).numpy()

  @functools.cached_property
  def _prepared_train(self):
    return rtf.prepare(self._step, self._encode_and_score.pack(self._trees[:1]))

  @functools.cached_property
  def _prepared_classes(self):
    return rtf.prepare(self._classes_of, self._encode.pack(self._trees[:1]))

  def loss_and_gradients(self, indices):
    packed = self._encode_and_score.pack(self._choose(indices))
    loss, gradients = self._gradients(packed)
    return float(loss), {name: tf_cells.dense(value) for name, value in gradients.items()}

  def _step(self, packed) -> None:
    with tf.GradientTape() as tape:
      loss = self._loss(packed)
    self._optimizer.apply(tape.gradient(loss, self._optimizer.variables_to_train), 1.0)

  def _classes_of(self, packed) -> tf.Tensor:
    return self._classes(self._encode.map(packed)[0])

  def _loss_and_gradients(self, packed):
    with tf.GradientTape() as tape:
      loss = self._loss(packed)
    return loss, tape.gradient(loss, self._model.variables)


class RecursivePackedOnce(RecursivePacked):
  """A plain program, converted; trees are packed before the first step."""

  def train(self, indices):
    self._prepared_train(np.asarray(indices, np.int32))

  def infer(self, indices):
    return self._prepared_classes(np.asarray(indices, np.int32)).numpy()

  @functools.cached_property
  def _prepared_train(self):
    trees = self._encode_and_score.pack(self._trees)
    return rtf.prepare(lambda indices: self._step(trees.take(indices)), SAMPLES)

  @functools.cached_property
  def _prepared_classes(self):
    trees = self._encode.pack(self._trees)
    return rtf.prepare(lambda indices: self._classes_of(trees.take(indices)), SAMPLES)
