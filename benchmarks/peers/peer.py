"""What an arm of the throughput benchmark is: a model, resident trees, a step and a prediction."""

from __future__ import annotations

import abc
from collections.abc import Sequence

import numpy as np

from benchmarks.worker import Workload


class Peer(Workload, abc.ABC):
  """One way to run one model.

  Trees are in memory in whatever form suits the peer; all that depends on which of them make up a
  batch (slicing, padding, planning) is done in `train` and `infer`, within the time measured.
  """

  @abc.abstractmethod
  def train(self, indices: Sequence[int]) -> float | None:
    """Takes one Adagrad step on the trees at `indices`, the loss being at every node.

    The loss is the sum of cross-entropies over all nodes, divided by the number of trees. No
    dropout, no L2. Returns when the step is done; where the loss is at hand, with the loss.
    """

  @abc.abstractmethod
  def infer(self, indices: Sequence[int]) -> np.ndarray:
    """Returns the class of each tree's root, int [B]."""

  @abc.abstractmethod
  def loss_and_gradients(self, indices: Sequence[int]) -> tuple[float, dict[str, np.ndarray]]:
    """Returns the loss, and dense gradients by name of the weight, without taking a step."""

  def check(self, indices: Sequence[int]) -> dict[str, object]:
    """Returns what must be the same in all arms: loss, gradient norms, classes of the roots."""
    loss, gradients = self.loss_and_gradients(indices)
    norms = {name: float(np.linalg.norm(value)) for name, value in sorted(gradients.items())}
    classes = np.concatenate([self.infer(indices[i : i + 1]) for i in range(len(indices))])
    return {
      "loss": loss,
      "norms": norms,
      "classes": self.infer(indices).tolist(),
      "classes one by one": classes.tolist(),
    }

  def set_up_seconds(self) -> dict[str, float]:
    """Returns what took long before the first step, by name, such as compiling."""
    return {}

  def add(self, name: str, mode: str, batches: Sequence[Sequence[int]]) -> None:
    """Adds a call `name` that runs `mode` ("train" or "infer") on each of `batches`."""
    step = {"train": self.train, "infer": self.infer}[mode]

    def call():
      for batch in batches:
        step(batch)

    self.calls[name] = call
