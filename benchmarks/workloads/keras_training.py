"""Epochs of a model by the trainer's own loop, and by `fit` of the same model in Keras."""

from __future__ import annotations

import pathlib
import tempfile
import time

import tensorflow as tf

from benchmarks.worker import Workload


class KerasTraining(Workload):
  """Calls: "trainer", "fit", and "fit, 8 steps at once"; each trains one epoch.

  And "batches", which takes those of an epoch and does nothing with them; "batches, ready" takes
  such as were kept. Each has weights of its own, of the same sizes. Batches are made as in
  training, by `make_dataset`; there is no progress bar, no checkpoint, no evaluation.
  """

  def __init__(self, model, packed, vocab_size, batch_size, sizes):
    super().__init__()
    import recursive_tf.keras as rtf_keras
    from recursive_tf import datasets
    from recursive_tf.training.problem import Splits
    from recursive_tf.training.registry import entry_for
    from recursive_tf.training.runs import make_run_config
    from recursive_tf.training.trainer import Trainer

    trees = datasets.PackedTrees(**packed)
    self._folder = tempfile.TemporaryDirectory()
    vocabulary = datasets.Vocabulary(f"w{k}" for k in range(vocab_size - 1))
    config = make_run_config(model, batch_size=batch_size, **sizes)
    splits = Splits(trees, trees, trees, vocabulary)
    trainer = Trainer(config, splits, pathlib.Path(self._folder.name))
    dataset = datasets.make_dataset(trees, batch_size, seed=config.seed)
    names = {"treelstm": "TreeLSTM", "treernn": "TreeRNN", "rntn": "RNTN"}

    def train():
      trainer.state.start_epoch()
      for batch in dataset:
        trainer._run_step(batch, _Silent())

    self.calls["trainer"] = train
    self._models = {}
    hyperparameters = entry_for(model, config.task).config(**config.hyperparameters)
    for name, steps in (("fit", 1), ("fit, 8 steps at once", 8)):
      made = getattr(rtf_keras, names[model])(vocabulary.size, hyperparameters, config.task)
      num_steps = config.decay_epochs * len(trees) / batch_size
      made.compile(rtf_keras.Adagrad.of(made, num_steps), steps_per_execution=steps)
      self._models[name] = made
      self.calls[name] = lambda made=made: made.fit(dataset, verbose=0)
    ready = dataset.cache()
    self.calls["batches"] = lambda: _take_all(dataset, len(dataset))
    self.calls["batches, ready"] = lambda: _take_all(ready, len(dataset))
    self._trainer, self._trees = trainer, trees

  def processor(self, name):
    """Returns the seconds of processor that a call takes: other programs lengthen them less."""
    start = time.process_time()
    self.calls[name]()
    return time.process_time() - start

  def losses(self):
    """Returns the loss of all trees by the weights of each call, without dropout."""
    from recursive_tf.training.evaluate import Evaluator

    found = {"trainer": Evaluator(self._trainer.model)(self._trees)[0]}
    for name, model in self._models.items():
      found[name] = Evaluator(model.net)(self._trees)[0]
    return found


def _take_all(dataset, count):
  _take(iter(dataset), tf.constant(count))


@tf.function
def _take(batches, count):
  """Takes so many batches in a graph, as `fit` does."""
  for _ in tf.range(count):
    batches.get_next()


class _Silent:
  """A reporter that shows nothing."""

  def step(self, num_trees, loss, metrics):
    """Is called after a step."""
