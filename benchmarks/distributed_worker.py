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

from benchmarks.network import DEVICE
from recursive_tf.datasets import ReadReport, make_dataset
from recursive_tf.distribute.addresses import Addresses, local_addresses
from recursive_tf.distribute.traffic import gathers_dense
from recursive_tf.distribute.workers import Cluster
from recursive_tf.models import Adagrad
from recursive_tf.training.registry import problem_of
from recursive_tf.training.runs import make_model, make_run_config
from recursive_tf.training.step import make_shared_step, make_train_step

_WARM_UP = 3
_LIMIT = 3000  # Sentences: enough for the steps, and read quickly.
_OWN_GROUP = 1_000_001  # Of collective ops that belong to no step.


def load(model: str, data: str, seed: int, limit: int = _LIMIT) -> tuple[Any, Any]:
  """Returns configuration and splits as `recursive-tf train` has them."""
  config = make_run_config(model, data, seed=seed, limit=limit)
  return config, problem_of(config).load_splits(config, None, ReadReport())


def _bytes_sent(device: str) -> int:
  """Returns what this network has sent through a device, `lo` or that of a host of its own."""
  for line in pathlib.Path("/proc/net/dev").read_text().splitlines():
    name, _, rest = line.strip().partition(":")
    if name == device:
      return int(rest.split()[8])
  raise RuntimeError(f"/proc/net/dev has no {device}.")


def work(given: dict[str, Any], addresses: Addresses) -> list[dict[str, Any]]:
  """Takes steps as one of the workers; returns figures of a step of each model and batch size."""
  tf.config.threading.set_intra_op_parallelism_threads(1)
  tf.config.threading.set_inter_op_parallelism_threads(1)
  cluster = None
  if given["together"]:
    cluster = Cluster(addresses, 120.0)
    if given["bytes_per_message"] is not None:
      cluster.collectives.bytes_per_message = given["bytes_per_message"]
  found = []
  for name in given["models"]:
    config, splits = load(name, given["data"], given["seed"])
    model = make_model(config, splits.vocabulary.size)
    stepper = _Stepper(model, config, splits.train, cluster, bool(given["hosts"]))
    for trees in given["trees"]:
      figures = stepper.measure(trees, given["num_steps"], given["num_blocks"])
      found.append({"model": name, "trees": trees, **figures})
  return found


class _Stepper:
  """Takes the steps of one model."""

  def __init__(
    self, model: Any, config: Any, trees: Any, cluster: Cluster | None, has_own_host: bool
  ):
    self._model = model
    self._device = DEVICE if has_own_host else "lo"
    # Workers that share a network count what all have sent.
    self._num_senders = 1 if has_own_host or cluster is None else cluster.num_workers
    self._cluster = cluster
    self._trees = trees
    optimizer = Adagrad(model.parameter_groups())
    if cluster is None:
      self._take_alone = make_train_step(model, optimizer, 1e4, 0)
    else:
      has_dropout = bool(config.hyperparameters.get("dropout"))
      self._trees = cluster.share(trees, with_places=has_dropout)
      spec = self._trees.batch_class.spec()
      self._take_shared = make_shared_step(model, optimizer, 1e4, 0, cluster, spec)
    shapes = [v.shape for v in optimizer.variables_to_train if v is not model.embedding]
    self._dense_bytes = 4 * sum(shape.num_elements() for shape in shapes)

  def measure(self, trees: int, num_steps: int, num_blocks: int) -> dict[str, Any]:
    """Measures `num_blocks` times `num_steps` steps with so many trees for each worker."""
    num_workers = self._cluster.num_workers if self._cluster else 1
    batch_size = min(trees * num_workers, len(self._trees))
    num_batches = num_steps * num_blocks + _WARM_UP
    epochs = -(-num_batches * batch_size // len(self._trees)) + 1
    dataset = make_dataset(
      self._trees, batch_size, epochs=epochs, drop_remainder=True, prefetch=False
    )
    batches = list(dataset.take(num_batches))
    for batch in batches[:_WARM_UP]:
      self._step(batch, batch_size)
    self._wait()
    taken, processor, collective = batches[_WARM_UP:], [], []
    sent, began = _bytes_sent(self._device), time.perf_counter()
    for first in range(0, len(taken), num_steps):
      before = time.process_time()
      collective += [self._step(batch, batch_size) for batch in taken[first : first + num_steps]]
      processor.append((time.process_time() - before) / num_steps)
    wall = time.perf_counter() - began
    sent = _bytes_sent(self._device) - sent
    self._wait()  # Whoever is done first would be missed.
    num_rows = np.mean([len(np.unique(batch.word[batch.word >= 0])) for batch in taken])
    messages = self._measure_messages(float(num_rows), num_steps, num_blocks)
    return {
      "processor": processor,
      "messages": messages,
      "wall": wall / len(taken),
      "collective": float(np.mean(collective)),
      "nodes": float(np.mean([len(batch.word) for batch in taken])),
      "sent": sent / self._num_senders / len(taken),
      "dense_bytes": self._dense_bytes,
      "row_bytes": 4 * float(num_rows) * (self._model.embedding.shape[1] + 1),
    }

  def _measure_messages(self, num_rows: float, num_steps: int, num_blocks: int) -> list[float]:
    """Measures the collective ops of a step with nothing beside them: what no step goes below."""
    if self._cluster is None:
      return [0.0] * num_blocks
    num_workers = self._cluster.num_workers
    num_rows = round(self._cluster.total([num_rows])[0] / num_workers)
    dense = tf.zeros([self._dense_bytes // 4])
    rows = tf.zeros([num_rows, self._model.embedding.shape[1] + 1])
    ops = {"group_size": num_workers, "group_key": _OWN_GROUP, "communication_hint": "ring"}
    ops |= {"ordering_token": [], "timeout_seconds": 0.0}

    @tf.function(autograph=False)
    def exchange() -> list[tf.Tensor]:
      if gathers_dense(num_workers, self._dense_bytes):
        message = tf.concat([dense, tf.reshape(rows, [-1])], 0)[tf.newaxis]
        key = 2 * message.shape[1]  # One key has one shape.
        return [tf.raw_ops.CollectiveGatherV2(input=message, instance_key=key, **ops)]
      summed = tf.raw_ops.CollectiveReduceV2(
        input=dense, instance_key=1, merge_op="Add", final_op="Id", **ops
      )
      with tf.control_dependencies([summed]):
        return [
          summed,
          tf.raw_ops.CollectiveGatherV2(input=rows, instance_key=2 * num_rows, **ops),
        ]

    for _ in range(_WARM_UP):
      exchange()[0].numpy()
    self._wait()
    processor = []
    for _ in range(num_blocks):
      before = time.process_time()
      for _ in range(num_steps):
        exchange()[-1].numpy()
      processor.append((time.process_time() - before) / num_steps)
    self._wait()
    return processor

  def _step(self, batch: Any, batch_size: int) -> float:
    """Takes a step; returns the seconds in collective ops."""
    number = tf.constant(0, tf.int64)
    if self._cluster is None:
      self._take_alone(batch, number)[0].numpy()
      return 0.0
    found = self._take_shared(batch, number, tf.constant(batch_size), tf.constant(False))
    return float(found.seconds)

  def _wait(self) -> None:
    if self._cluster is not None:
      self._cluster.any_of(False)


def main() -> int:
  """Starts the workers, or is one of them; returns the exit status."""
  given = json.loads(sys.argv[1])
  if len(sys.argv) > 2:
    index = int(sys.argv[2])
    found = work(given, Addresses(tuple(json.loads(sys.argv[3])), index))
    pathlib.Path(f"{given['out']}-{index}").write_text(json.dumps(found))
    os._exit(0)
  count = given["num_workers"]
  prefixes = [host["prefix"] for host in given["hosts"]] or [[]] * count
  addresses = [host["address"] for host in given["hosts"]] or local_addresses(count)
  command = [sys.executable, "-m", "benchmarks.distributed_worker", sys.argv[1]]
  processes = [
    subprocess.Popen([*prefix, *command, str(index), json.dumps(addresses)])
    for index, prefix in enumerate(prefixes)
  ]
  return max(abs(process.wait()) for process in processes)


if __name__ == "__main__":
  sys.exit(main())
