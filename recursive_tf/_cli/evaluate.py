"""`recursive-tf eval`: accuracy of a trained model."""

from __future__ import annotations

import argparse
import dataclasses
import math
import pathlib

from recursive_tf._cli.progress import warn
from recursive_tf._cli.report import describe_scores
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.datasets import ReadReport
from recursive_tf.training.checkpoint import restore_weights
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import VOCABULARY_NAME, load_vocabulary
from recursive_tf.training.evaluate import Evaluator
from recursive_tf.training.registry import entry_named
from recursive_tf.training.runs import check_ranges, load_run, make_model


def evaluate(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  check_threads(args.threads)
  directory = pathlib.Path(args.run)
  config = load_run(directory)
  tested, split = _what_to_test(args, config)
  vocabulary = load_vocabulary(directory / VOCABULARY_NAME, config)
  report = ReadReport()
  set_threads(args.threads)
  problem = entry_named(config.model).problem
  packed = problem.load_test(tested, split, vocabulary, report, config)
  if report.num_skipped:
    warn(f"Skipped {report.num_skipped} malformed lines; the first: {report.errors[0]}")
  model = make_model(config, vocabulary.size)
  restored = restore_weights(directory, model)
  for note in restored.notes:
    warn(note)
  loss, metrics = Evaluator(model)(packed)
  if not math.isfinite(loss):
    raise CheckpointError(
      f"{restored.path}: the loss with these weights is {loss}. Train anew with a lower "
      "--learning-rate and another --out."
    )
  what = tested.data if pathlib.Path(tested.data).is_file() else f"{tested.data}, split {split}"
  print(f"{config.model} ({directory}) on {what}: {len(packed)} sentences")
  print(f"  {'loss of a sentence':<22}{loss:>7.3f}")
  paper_data = tested.data if split == "test" and not tested.limit else ""
  print(describe_scores(metrics, config.model, paper_data, config.task))
  return 0


def _what_to_test(args: argparse.Namespace, config: RunConfig) -> tuple[RunConfig, str]:
  """Returns the run with the data to evaluate on, and the split of it.

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
