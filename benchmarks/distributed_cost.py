"""What a step of one worker costs, as a function of the number of workers.

  seconds = fixed + per_node * nodes                 of the model, as in one process
          + together                                 of every step of several workers
          + per_message * (N - 1)
          + per_byte * (N - 1) * (dense + rows)      dense gradients gathered with the rows

Where they are reduced, which large ones are:

          + per_message * 3 (N - 1)                  2 (N - 1) of the reduction, N - 1 of the gather
          + per_byte * (2 (N - 1) / N * dense + (N - 1) * rows)

Both collective ops go round a ring, so these counts are what TensorFlow sends.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from recursive_tf.distribute.traffic import gathers_dense


@dataclasses.dataclass(frozen=True)
class Configuration:
  """What decides the cost of a step.

  Attributes:
    model: its name.
    num_workers: N.
    nodes: of one worker's trees.
    dense_bytes: of the gradients that are not rows of a table.
    row_bytes: of one worker's rows, with their indices.
  """

  model: str
  num_workers: int
  nodes: float
  dense_bytes: float
  row_bytes: float

  @property
  def gathers(self) -> bool:
    """Whether dense gradients are gathered with the rows."""
    return gathers_dense(self.num_workers, self.dense_bytes)

  @property
  def num_messages(self) -> int:
    """How many messages a worker sends in a step."""
    return (1 if self.gathers else 3) * (self.num_workers - 1)

  @property
  def num_bytes(self) -> float:
    """How many bytes a worker sends in a step, at least."""
    others = self.num_workers - 1
    each_dense = 1 if self.gathers else 2 / self.num_workers
    return others * (each_dense * self.dense_bytes + self.row_bytes)


class CostModel:
  """Processor seconds of one worker's step, fitted to measurements."""

  def __init__(self, configurations: Sequence[Configuration], seconds: Sequence[float]):
    """Fits by least squares of the relative errors; no coefficient is negative."""
    self._models = sorted({each.model for each in configurations})
    measured = np.asarray(seconds, np.float64)
    terms = np.stack([self._terms(each) for each in configurations]) / measured[:, np.newaxis]
    scale = np.abs(terms).max(0)
    scale[scale == 0] = 1.0
    left = list(range(terms.shape[1]))
    while True:
      fitted = np.linalg.lstsq(terms[:, left] / scale[left], np.ones(len(measured)), rcond=None)[0]
      if (fitted >= 0).all():
        break
      del left[int(np.argmin(fitted))]
    self._coefficients = np.zeros(terms.shape[1])
    self._coefficients[left] = fitted / scale[left]

  @property
  def coefficients(self) -> dict[str, float]:
    """The coefficients by name, in seconds."""
    names = [f"{model}, {name}" for model in self._models for name in ("fixed", "per node")]
    names += ["together", "per message", "per byte"]
    return dict(zip(names, self._coefficients.tolist(), strict=True))

  def seconds(self, configuration: Configuration) -> float:
    """Returns the processor seconds of a step of one worker."""
    return float(self._terms(configuration) @ self._coefficients)

  def scale_factor(self, configuration: Configuration) -> float:
    """Returns processor time per sentence of one worker over that of N workers."""
    alone = dataclasses.replace(configuration, num_workers=1)
    return self.seconds(alone) / self.seconds(configuration)

  def trees_for(
    self, goal: float, configuration: Configuration, trees: float, row_growth: float
  ) -> float:
    """Returns how many trees of a worker a scale factor takes, infinity if none are enough.

    Args:
      goal: the scale factor.
      configuration: with `trees` trees.
      trees: of a worker.
      row_growth: 0 to 1; the number of different words grows with this power of that of the trees.
    """
    for doublings in np.arange(0.0, 20.0, 0.25):
      times = 2.0**doublings
      more = dataclasses.replace(
        configuration,
        nodes=configuration.nodes * times,
        row_bytes=configuration.row_bytes * times**row_growth,
      )
      if self.scale_factor(more) >= goal:
        return trees * times
    return float("inf")

  def _terms(self, configuration: Configuration) -> np.ndarray:
    own = np.zeros((len(self._models), 2))
    own[self._models.index(configuration.model)] = 1.0, configuration.nodes
    together = float(configuration.num_workers > 1)
    shared = [together, configuration.num_messages, configuration.num_bytes]
    return np.concatenate([own.reshape(-1), shared])
