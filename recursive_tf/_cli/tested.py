"""A trained model and the data to test it on, as options of a command name them."""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
from typing import Any

from recursive_tf._cli.progress import count, warn
from recursive_tf._errors import ConfigError
from recursive_tf.datasets import ReadReport
from recursive_tf.datasets.pipeline import Packed
from recursive_tf.training.checkpoint import Restored, restore_weights
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import VOCABULARY_NAME, QuietReport, load_vocabulary
from recursive_tf.training.registry import problem_of
from recursive_tf.training.runs import check_ranges, load_run, make_model


@dataclasses.dataclass(frozen=True)
class Tested:
  """A trained model and what it is tested on.

  Attributes:
    directory: of the run.
    config: the run.
    on: the run, but with the data to test on.
    split: which part of that data.
    packed: the trees.
    model: with the weights of the best epoch.
    restored: the checkpoint they are from.
  """

  directory: pathlib.Path
  config: RunConfig
  on: RunConfig
  split: str
  packed: Packed
  model: Any
  restored: Restored

  @property
  def description(self) -> str:
    """What was tested on what, in one line."""
    is_file = pathlib.Path(self.on.data).is_file()
    what = self.on.data if is_file else f"{self.on.data}, split {self.split}"
    size = count(len(self.packed), self.example)
    return f"{self.config.model} ({self.directory}) on {what}: {size}"

  @property
  def example(self) -> str:
    """What the data consists of, such as "sentence"."""
    return problem_of(self.config).example


def load_tested(args: argparse.Namespace) -> Tested:
  """Loads what `--data`, `--split`, `--limit` and `--skip-bad` name; says what was left out.

  Raises:
    CheckpointError: If there is no run, or one of its files is missing or damaged.
    ConfigError: If options contradict each other.
    DataError: If the data is missing or malformed.
  """
  directory = pathlib.Path(args.run)
  config = load_run(directory)
  on, split = _what_to_test(args, config)
  vocabulary = load_vocabulary(directory / VOCABULARY_NAME, config)
  report = QuietReport() if getattr(args, "quiet", False) else ReadReport()
  packed = problem_of(config).load_test(on, split, vocabulary, report, config)
  if report.note:
    warn(report.note)
  model = make_model(config, vocabulary.size)
  restored = restore_weights(directory, model)
  for note in restored.notes:
    warn(note)
  return Tested(directory, config, on, split, packed, model, restored)


def _what_to_test(args: argparse.Namespace, config: RunConfig) -> tuple[RunConfig, str]:
  """Returns the run with the data to test on, and the split of it.

  The run's --limit is one of its own data.
  """
  limit = args.limit
  if limit is None:
    limit = config.limit if args.data is None else 0
  check_ranges({"limit": limit})
  data = config.data if args.data is None else args.data
  if args.split and pathlib.Path(data).is_file():
    raise ConfigError(f"--split {args.split}: --data {data} is a single file. Leave --split out.")
  skip_bad = args.skip_bad or config.skip_bad
  tested = dataclasses.replace(config, data=data, limit=limit, skip_bad=skip_bad)
  return tested, args.split or "test"
