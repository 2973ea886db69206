"""How related are two sentences? A Child-Sum Tree-LSTM on the dependency parses of SICK.

Tai, Socher and Manning, ACL 2015, sections 4.2 and 5.2: one Tree-LSTM encodes both sentences, and a
distribution over the scores 1 to 5 is made of the product and the distance of their states.

    python examples/sick_relatedness.py --data DIR        # the folder that holds sick_dep.tar.gz
    python examples/sick_relatedness.py --data DIR --vectors glove.840B.300d.txt
"""

import argparse
import sys

import numpy as np
import tensorflow as tf

from recursive_tf import RecursiveTFError, datasets, models
from recursive_tf.training.data import LowercaseVocabulary, take_sample

BATCH_SIZE, HIDDEN, L2 = 25, 50, 1e-4


class Relatedness(tf.Module):
  """Makes logits of the scores 1 to 5, float [B, 5], of two batches of B trees."""

  def __init__(self, vocab_size, word_size, seed):
    super().__init__()
    config = models.NaryTreeLSTMConfig(embedding_size=word_size, state_size=150)
    self.encoder = models.ChildSumTreeLSTM(vocab_size, config, seed)
    tf.keras.utils.set_random_seed(seed)
    self.hidden = tf.keras.layers.Dense(HIDDEN, activation="sigmoid")
    self.scores = tf.keras.layers.Dense(5)
    self.hidden.build([None, 2 * 150])
    self.scores.build([None, HIDDEN])

  def __call__(self, a, b):
    """Returns the logits."""
    a, b = self.encoder.encode(a), self.encoder.encode(b)
    return self.scores(self.hidden(tf.concat([a * b, abs(a - b)], axis=1)))

  def groups(self):
    """Returns what is trained, word vectors apart."""
    words = self.encoder.embedding
    layers = [v.value for layer in (self.hidden, self.scores) for v in layer.trainable_variables]
    own = [v for v in self.encoder.trainable_variables if v is not words]
    return [
      models.optimizer.ParameterGroup((*own, *layers), 0.05, L2),
      models.optimizer.ParameterGroup((words,), 0.1),
    ]


class Split:
  """The pairs of a split, packed."""

  def __init__(self, pairs, vocabulary):
    self.a = datasets.PackedNaryTrees.pack([pair.a for pair in pairs], vocabulary)
    self.b = datasets.PackedNaryTrees.pack([pair.b for pair in pairs], vocabulary)
    self.scores = np.array([pair.relatedness for pair in pairs], np.float32)
    self.targets = datasets.relatedness_distribution(self.scores)

  def batches(self, order):
    """Yields (a, b, targets) of BATCH_SIZE pairs."""
    for start in range(0, len(order), BATCH_SIZE):
      chosen = order[start : start + BATCH_SIZE]
      yield self.a.batch(chosen), self.b.batch(chosen), tf.constant(self.targets[chosen])


def scores_of(predicted, expected):
  """Returns Pearson's r, Spearman's rho and the mean squared error."""

  def ranks(values):
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count - 1) / 2)[place]

  return {
    "Pearson": float(np.corrcoef(predicted, expected)[0, 1]),
    "Spearman": float(np.corrcoef(ranks(predicted), ranks(expected))[0, 1]),
    "MSE": float(np.mean((predicted - expected) ** 2)),
  }


def main(argv=None):
  """Trains and tests; returns the scores on test."""
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--data", help="folder of sick_dep.tar.gz ($RECURSIVE_TF_DATA/sick)")
  parser.add_argument("--vectors", help="pretrained word vectors, in GloVe's or word2vec's format")
  parser.add_argument("--epochs", type=int, default=8)
  parser.add_argument(
    "--limit", type=int, default=0, help="a sample of so many pairs of each split"
  )
  parser.add_argument("--seed", type=int, default=0)
  args = parser.parse_args(argv)

  whole = datasets.load_sick(args.data)
  pairs = {name: take_sample(part, args.limit) for name, part in whole.items()}
  words = {w.lower() for pair in pairs["train"] for tree in (pair.a, pair.b) for w in tree.words}
  vocabulary = LowercaseVocabulary(sorted(words))
  splits = {name: Split(part, vocabulary) for name, part in pairs.items()}
  vectors = datasets.read_vectors(args.vectors, vocabulary) if args.vectors else None
  model = Relatedness(vocabulary.size, vectors.size if vectors else 300, args.seed)
  if vectors:
    print(vectors)
    found = np.flatnonzero(vectors.is_found)
    model.encoder.embedding.scatter_nd_update(found[:, np.newaxis], vectors.vectors[found])
  optimizer = models.Adagrad(model.groups())

  @tf.function
  def train_step(a, b, targets):
    with tf.GradientTape() as tape:
      losses = tf.nn.softmax_cross_entropy_with_logits(targets, model(a, b))
      loss = tf.reduce_mean(losses)
    optimizer.apply(tape.gradient(loss, optimizer.variables_to_train), tf.constant(1.0))
    return loss

  @tf.function
  def predict(a, b):
    return tf.linalg.matvec(tf.nn.softmax(model(a, b)), tf.range(1.0, 6.0))

  def test(split):
    batches = split.batches(np.arange(len(split.scores)))
    predicted = np.concatenate([predict(a, b).numpy() for a, b, _ in batches])
    return scores_of(predicted, split.scores)

  best, result = -1.0, {}
  for epoch in range(args.epochs):
    order = datasets.epoch_order(len(splits["train"].scores), args.seed, epoch)
    loss = np.mean([train_step(*batch).numpy() for batch in splits["train"].batches(order)])
    dev = test(splits["dev"])
    text = ", ".join(f"{name} {value:.4f}" for name, value in dev.items())
    print(f"epoch {epoch + 1}/{args.epochs}  loss {loss:.4f}  dev {text}", flush=True)
    if dev["Pearson"] > best:
      best, result = dev["Pearson"], test(splits["test"])
  text = ", ".join(f"{name} {value:.4f}" for name, value in result.items())
  print(f"test, with the weights of the best epoch on dev: {text}")
  return result


if __name__ == "__main__":
  try:
    main()
  except RecursiveTFError as error:  # Data or vectors that cannot be read.
    sys.exit(f"sick_relatedness.py: error: {error}")
