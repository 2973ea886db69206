"""The workers that `benchmarks.distributed` measures.

`python -m benchmarks.distributed_worker JSON` starts all of them, so that they share a network.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any

import numpy as np
import tensorflow as tf

from recursive_tf.datasets import ReadReport, make_dataset
from recursive_tf.distribute.addresses import Addresses, local_addresses
from recursive_tf.distribute.workers import Cluster
from recursive_tf.models import Adagrad
from recursive_tf.training.registry import entry_named
from recursive_tf.training.runs import make_model, make_run_config
from recursive_tf.training.step import make_shared_step, make_train_step

_WARM_UP = 3
_LIMIT = 3000  # Sentences: enough for the steps, and read quickly.


def load(model: str, data: str, seed: int, limit: int = _LIMIT) -> tuple[Any, Any]:
  """Returns configuration and splits as `recursive-tf train` has them."""
  config = make_run_config(model, data, seed=seed, limit=limit)
  return config, entry_named(model).problem.load_splits(config, None, ReadReport())


def _bytes_sent() -> int:
  """Returns what went through the loopback device: each byte is sent and received there once."""
  for line in pathlib.Path("/proc/net/dev").read_text().splitlines():
    name, _, rest = line.strip().partition(":")
    if name == "lo":
      return int(rest.split()[8])
  raise RuntimeError("/proc/net/dev has no lo.")


def _ideal_bytes(model: Any, optimizer: Adagrad, words: np.ndarray, num_workers: int) -> float:
  """Returns the least that one worker has to send in a step.

  Of the dense gradients 2 (N - 1) / N of their size, as any reduction in a ring; of its rows, those
  of distinct words with their index, a copy for each other worker.
  """
  shapes = [v.shape for v in optimizer.variables_to_train if v is not model.embedding]
  dense = sum(shape.num_elements() for shape in shapes)
  sparse = len(np.unique(words[words >= 0])) * (model.embedding.shape[1] + 1)
  return 4 * (2 * (num_workers - 1) / num_workers * dense + (num_workers - 1) * sparse)


def work(given: dict[str, Any], addresses: Addresses) -> dict[str, float]:
  """Takes steps as one of the workers; returns figures of a step."""
  num_workers, num_steps = given["num_workers"], given["num_steps"]
  tf.config.threading.set_intra_op_parallelism_threads(1)
  tf.config.threading.set_inter_op_parallelism_threads(1)
  cluster = Cluster(addresses, 120.0) if num_workers > 1 else None
  config, splits = load(given["model"], given["data"], given["seed"])
  model = make_model(config, splits.vocabulary.size)
  optimizer = Adagrad(model.parameter_groups())
  batch_size = min(given["trees"] * num_workers, len(splits.train))
  trees = splits.train
  if cluster is not None:
    trees = cluster.share(trees, keeps_nodes=bool(config.hyperparameters["dropout"]))
    spec = trees.batch_class.spec()
    take_shared = make_shared_step(model, optimizer, 1e4, 0, cluster, spec)
  else:
    take_alone = make_train_step(model, optimizer, 1e4, 0)
  num_epochs = -(-(num_steps + _WARM_UP) * batch_size // len(trees)) + 1
  dataset = make_dataset(trees, batch_size, epochs=num_epochs, drop_remainder=True, prefetch=False)
  batches = list(dataset.take(num_steps + _WARM_UP))

  def step(number: int) -> float:
    index = tf.constant(number, tf.int64)
    if cluster is None:
      take_alone(batches[number], index)[0].numpy()
      return 0.0
    found = take_shared(batches[number], index, tf.constant(batch_size), tf.constant(False))
    return float(found.seconds)

  for number in range(_WARM_UP):
    step(number)
  if cluster is not None:
    cluster.any_of(False)
  sent, processor, began = _bytes_sent(), time.process_time(), time.perf_counter()
  collective = [step(number) for number in range(_WARM_UP, _WARM_UP + num_steps)]
  processor, wall = time.process_time() - processor, time.perf_counter() - began
  sent = _bytes_sent() - sent
  words = [_words(batch) for batch in batches[_WARM_UP:]]
  ideal = [_ideal_bytes(model, optimizer, each, num_workers) for each in words]
  if cluster is not None:
    cluster.any_of(False)  # Whoever is done first would be missed.
  return {
    "processor": processor / num_steps,
    "wall": wall / num_steps,
    "sent": sent / num_workers / num_steps,
    "ideal": float(np.mean(ideal)),
    "collective": float(np.mean(collective)),
  }


def _words(batch: Any) -> np.ndarray:
  """Returns the words below the roots: there may be rows of other workers in the batch."""
  columns = {name: getattr(batch, name).numpy() for name in ("word", "left", "right", "root")}
  agenda, found = columns["root"].tolist(), []
  while agenda:
    node = agenda.pop()
    found.append(columns["word"][node])
    if columns["left"][node] >= 0:
      agenda += [columns["left"][node], columns["right"][node]]
  return np.array(found)


def main() -> int:
  """Starts the workers, or is one of them; returns the exit status."""
  given = json.loads(sys.argv[1])
  if len(sys.argv) > 2:
    index = int(sys.argv[2])
    found = work(given, Addresses(tuple(json.loads(sys.argv[3])), index))
    pathlib.Path(f"{given['out']}-{index}").write_text(json.dumps(found))
    os._exit(0)
  addresses = json.dumps(local_addresses(given["num_workers"]))
  command = [sys.executable, "-m", "benchmarks.distributed_worker", sys.argv[1]]
  processes = [
    subprocess.Popen([*command, str(index), addresses]) for index in range(given["num_workers"])
  ]
  return max(abs(process.wait()) for process in processes)


if __name__ == "__main__":
  sys.exit(main())
