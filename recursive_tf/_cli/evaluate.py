"""`recursive-tf eval`: accuracy of a trained model."""

from __future__ import annotations

import argparse
import math

from recursive_tf._cli.report import describe_scores
from recursive_tf._cli.tested import load_tested
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import CheckpointError
from recursive_tf.training.evaluate import Evaluator


def evaluate(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  check_threads(args.threads)
  set_threads(args.threads)
  tested = load_tested(args)
  loss, metrics = Evaluator(tested.model)(tested.packed)
  if not math.isfinite(loss):
    raise CheckpointError(
      f"{tested.restored.path}: the loss with these weights is {loss}. Train anew with a lower "
      "--learning-rate and another --out."
    )
  print(tested.description)
  print(f"  {f'loss of a {tested.example}':<22}{loss:>7.3f}")
  on = tested.on
  paper_data = on.data if tested.split == "test" and not on.limit else ""
  print(describe_scores(metrics, tested.config.model, paper_data, tested.config.task))
  return 0
