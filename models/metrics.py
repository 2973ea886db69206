"""Counts of right answers, at all nodes and at the roots."""

from __future__ import annotations

from typing import Any, NamedTuple


class Metrics(NamedTuple):
  """Counts over any number of trees; they add up. Tensors int64 [], or plain integers.

  Attributes:
    num_nodes, correct_nodes: nodes that have a class in the model's task, and the right ones.
    num_roots, correct_roots: the same for roots.
    binary_*: the same for negative against positive; neutral nodes have no class there.
  """

  num_nodes: Any
  correct_nodes: Any
  num_roots: Any
  correct_roots: Any
  binary_num_nodes: Any
  binary_correct_nodes: Any
  binary_num_roots: Any
  binary_correct_roots: Any

  @classmethod
  def zeros(cls) -> Metrics:
    """Returns counts of nothing, as integers."""
    return cls(*[0] * len(cls._fields))

  def plus(self, other: Metrics) -> Metrics:
    """Returns the counts of both together."""
    return Metrics(*(a + b for a, b in zip(self, other, strict=True)))

  def numpy(self) -> Metrics:
    """Returns the counts as integers."""
    return Metrics(*(int(count) for count in self))

  def scores(self) -> dict[str, float]:
    """Returns shares of right answers in 0..1: "root", "node", "binary_root", "binary_node"."""
    return {
      "root": _share(self.correct_roots, self.num_roots),
      "node": _share(self.correct_nodes, self.num_nodes),
      "binary_root": _share(self.binary_correct_roots, self.binary_num_roots),
      "binary_node": _share(self.binary_correct_nodes, self.binary_num_nodes),
    }


def _share(correct: Any, total: Any) -> float:
  return int(correct) / int(total) if int(total) else 0.0
