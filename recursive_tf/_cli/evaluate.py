"""`recursive-tf eval`: accuracy of a trained model."""

from __future__ import annotations

import argparse
import dataclasses
import pathlib

from recursive_tf._cli.progress import warn
from recursive_tf._cli.report import describe_scores
from recursive_tf._cli.threads import set_threads
from recursive_tf.datasets import ReadReport
from recursive_tf.training.checkpoint import restore_weights
from recursive_tf.training.config import RunConfig
from recursive_tf.training.data import VOCABULARY_NAME, load_vocabulary
from recursive_tf.training.evaluate import Evaluator
from recursive_tf.training.registry import entry_named
from recursive_tf.training.runs import make_model


def evaluate(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  set_threads(args.threads)
  directory = pathlib.Path(args.run)
  config = RunConfig.load(directory)
  data = args.data or config.data
  vocabulary = load_vocabulary(directory / VOCABULARY_NAME, config.lowercase)
  report = ReadReport()
  limit = config.limit if args.limit is None else args.limit
  tested = dataclasses.replace(
    config, data=data, limit=limit, skip_bad=args.skip_bad or config.skip_bad
  )
  problem = entry_named(config.model).problem
  packed = problem.load_split(tested, args.split, vocabulary, report)
  if report.num_skipped:
    warn(f"Skipped {report.num_skipped} malformed lines; the first: {report.errors[0]}")
  model = make_model(config, vocabulary.size)
  restore_weights(directory, model)
  loss, metrics = Evaluator(model)(packed)
  print(f"{config.model} ({directory}) on {data}, split {args.split}: {len(packed)} sentences")
  print(f"  {'loss of a sentence':<22}{loss:>7.3f}")
  paper_data = data if args.split == "test" and not limit else ""
  print(describe_scores(metrics, config.model, paper_data, config.task))
  return 0
