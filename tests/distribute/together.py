"""What several workers compute in tests: a program for each, and the same for one.

`python -m tests.distribute.together OUT.npz` is one worker of the cluster of TF_CONFIG.
"""

import collections
import os
import sys

import numpy as np
import tensorflow as tf

from recursive_tf import models
from recursive_tf._config import tf_config
from recursive_tf._errors import ConfigError, DataError
from recursive_tf.datasets import (
  PackedTrees,
  Vocabulary,
  load_grammar,
  make_dataset,
  synthetic_tree,
)
from recursive_tf.datasets.dependencies import PackedDependencies
from recursive_tf.datasets.grammar_sentences import NUM_CONDITIONS
from recursive_tf.distribute.addresses import parse_tf_config
from recursive_tf.distribute.workers import Cluster
from recursive_tf.training.step import make_shared_step, make_train_step

BATCH_SIZE = 4
NUM_STEPS = 3
WORDS = Vocabulary(f"w{k}" for k in range(9))


def cases():
  """Returns (name, model, trees) of the models, in float64; four batches of one epoch each."""
  leaves = (1, 4, 9, 6, 12, 3, 7, 8, 5)  # Nine: the last batch has one tree.
  trees = [synthetic_tree(n, "random", seed, num_words=9) for seed, n in enumerate(leaves)]
  packed = PackedTrees.pack(trees, WORDS)
  tree_lstm = models.TreeLSTMConfig(embedding_size=6, state_size=5, dropout=0.5)
  yield "treelstm", models.TreeLSTM(WORDS.size, tree_lstm, seed=1, dtype=tf.float64), packed
  rntn = models.RNTN(WORDS.size, models.RNTNConfig(state_size=4), seed=1, dtype=tf.float64)
  yield "rntn", rntn, packed
  sentences = load_grammar()["train"][:9]
  words = Vocabulary(sorted({word for tree in sentences for word in tree.words}))
  config = models.TopDownTreeLSTMConfig(
    embedding_size=6, state_size=5, num_conditions=NUM_CONDITIONS
  )
  top_down = models.TopDownTreeLSTM(words.size, config, seed=1, dtype=tf.float64)
  yield "top_down", top_down, PackedDependencies.pack(sentences, words)


def train(model, packed, cluster=None):
  """Trains for an epoch; returns losses and counts by step, and the weights after it."""
  optimizer = models.Adagrad(model.parameter_groups())
  with_places = bool(getattr(model, "dropout", 0))
  if cluster is None:
    take_step, trees = make_train_step(model, optimizer, 10.0, 7), packed
  else:
    trees = cluster.share(packed, with_places)
    spec = trees.batch_class.spec()
    take_step = make_shared_step(model, optimizer, 10.0, 7, cluster, spec)
  found = []
  for step, batch in enumerate(make_dataset(trees, BATCH_SIZE, seed=2)):
    if cluster is None:
      loss, counts = take_step(batch, tf.constant(step, tf.int64))
    else:
      num_trees = min(BATCH_SIZE, len(packed) - BATCH_SIZE * step)
      arguments = tf.constant(step, tf.int64), tf.constant(num_trees), tf.constant(False)
      loss, counts, _, _ = take_step(batch, *arguments)
    found.append(np.array([loss.numpy(), *counts.numpy()], np.float64))
  return take_step, np.stack(found), [variable.numpy() for variable in model.variables]


def results(cluster=None):
  """Returns arrays by name."""
  found = {}
  for name, model, packed in cases():
    take_step, steps, weights = train(model, packed, cluster)
    found[f"{name} steps"] = steps
    found |= {f"{name} {index}": weight for index, weight in enumerate(weights)}
    if cluster is not None:
      found[f"{name} ops"] = np.array(sorted(collective_ops(take_step).items()))
  return found


def collective_ops(function):
  graph = function.get_concrete_function().graph
  types = collections.Counter(op.type for op in graph.get_operations())
  for definition in graph.as_graph_def().library.function:
    types.update(node.op for node in definition.node_def)
  return {name: count for name, count in types.items() if name.startswith("Collective")}


def what_workers_tell(cluster):
  """Returns what comes of messages, by name."""
  found = {"total": np.array(cluster.total([1.5, cluster.index]))}
  found["from chief"] = np.array(cluster.from_chief("é" * (cluster.index + 1) * 9))
  found["any"] = np.array([cluster.any_of(cluster.index == 1), cluster.any_of(False)])
  variables = [tf.Variable(cluster.index + np.arange(4, dtype=t)) for t in (np.int64, np.float32)]
  scalar = tf.Variable(-float("inf") if cluster.is_chief else 3.0, dtype=tf.float64)
  cluster.broadcast([*variables, scalar])
  found |= {f"variable {k}": v.numpy() for k, v in enumerate([*variables, scalar])}

  def fail():
    if cluster.index == 1:
      raise DataError("line 3 is bad")
    return "good"

  try:
    cluster.agree(fail)
  except (ConfigError, DataError) as error:
    found["disagreed"] = np.array(f"{type(error).__name__}: {error}")
  found["agreed"] = np.array(cluster.agree(lambda: cluster.index))
  return found


def num_threads_after(act, counts):
  """Returns how many threads this process has after so many times in all."""
  found, done = [], 0
  for count in counts:
    for _ in range(count - done):
      act()
    done = count
    found.append(len(os.listdir("/proc/self/task")))
  return found


def main():
  tf.config.threading.set_intra_op_parallelism_threads(1)
  tf.config.threading.set_inter_op_parallelism_threads(1)
  cluster = Cluster(parse_tf_config(tf_config()), 60.0)
  found = {**what_workers_tell(cluster), **results(cluster)}
  cluster.collectives.bytes_per_message = -1  # As for large gradients of many workers.
  found |= {f"reduced {name}": array for name, array in results(cluster).items()}
  found["threads"] = np.array(num_threads_after(lambda: cluster.any_of(False), (1, 41)))
  np.savez(f"{sys.argv[1]}-{cluster.index}.npz", **found)
  cluster.leave()  # Nobody leaves before all have what they need.
  os._exit(0)


if __name__ == "__main__":
  main()
