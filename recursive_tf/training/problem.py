"""What a model learns: from which data it loads, and how its scores are shown."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any

from recursive_tf.datasets import ReadReport, Vocabulary, WordVectors
from recursive_tf.datasets.pipeline import Packed
from recursive_tf.training.config import RunConfig


@dataclasses.dataclass(frozen=True)
class Splits:
  """The packed splits of a treebank.

  Attributes:
    train, dev, test: trees of each split.
    vocabulary: words of the training trees.
    vectors: pretrained ones, which a run begins with.
  """

  train: Packed
  dev: Packed
  test: Packed
  vocabulary: Vocabulary
  vectors: WordVectors | None = None


@dataclasses.dataclass(frozen=True)
class Curve:
  """One line of a plot: a column of the record."""

  column: str
  label: str
  style: str = "-"
  color: str | None = None


@dataclasses.dataclass(frozen=True)
class Panel:
  """One plot by epoch.

  Attributes:
    title: what its values are.
    curves: its lines; those without values are left out.
    is_share: whether values in 0..1 are drawn as percents.
    is_log: whether the axis is logarithmic.
  """

  title: str
  curves: tuple[Curve, ...]
  is_share: bool = False
  is_log: bool = False


@dataclasses.dataclass(frozen=True)
class Score:
  """A score as people read it.

  Attributes:
    title: its name in a table.
    name: its name in the counts' `scores()`.
    count: the field of the counts that says how many examples it is of.
    is_share: whether it is shown as percents.
  """

  title: str
  name: str
  count: str
  is_share: bool = True

  def text(self, value: float) -> str:
    """Returns `value` as it is shown."""
    return f"{value:.1%}" if self.is_share else f"{value:.3f}"


class Problem(abc.ABC):
  """One kind of data and scores; models of a kind share it.

  Attributes:
    tasks: names of what can be learnt from the data.
    default_data: what is trained on if nothing is said.
    example: what its data consists of: "sentence".
    train_scores, dev_scores: names of the scores in the record of an epoch.
    shown: scores in progress bars and lines, where they are counted.
    panels: the plots.
  """

  tasks: tuple[str, ...]
  default_data: str
  example: str = "sentence"
  train_scores: tuple[str, ...]
  dev_scores: tuple[str, ...]
  shown: tuple[Score, ...]
  panels: tuple[Panel, ...]

  @abc.abstractmethod
  def load_splits(
    self, config: RunConfig, vocabulary: Vocabulary | None, report: ReadReport
  ) -> Splits:
    """Loads and packs the data of a run.

    Args:
      config: the run.
      vocabulary: gives the ids, instead of one made of the training trees.
      report: counts of the reader are added to it.
    """

  @abc.abstractmethod
  def load_test(
    self,
    config: RunConfig,
    split: str,
    vocabulary: Vocabulary,
    report: ReadReport,
    trained_on: RunConfig,
  ) -> Packed:
    """Loads and packs what a model is evaluated on.

    Args:
      config: the run, but with the data to evaluate on: here a single file, too.
      split: which part of it, if it is not a single file.
      vocabulary: gives the ids.
      report: counts of the reader are added to it.
      trained_on: the run.
    """

  def precisions(self) -> tuple[str, ...]:
    """Returns those in which products with weights can be computed; see `rtf.nn.matmul`."""
    return ("float32",)

  @abc.abstractmethod
  def make_model(self, config: RunConfig, model: Any, hyperparameters: Any, vocab_size: int) -> Any:
    """Returns `model`, a class, made with `hyperparameters`, an object of its config class."""

  @abc.abstractmethod
  def table(self, task: str) -> tuple[Score, ...]:
    """Returns the scores that a test reports."""

  def defaults(self, data: str) -> dict[str, Any]:
    """Returns values of a run's options that are other than usual on `data`."""
    return {}

  def knows(self, data: str) -> bool:
    """Tells whether `data`, a name or a directory, looks like data of this kind."""
    return data == self.default_data
