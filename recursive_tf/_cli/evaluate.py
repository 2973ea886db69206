"""`recursive-tf eval`: accuracy of a trained model."""

from __future__ import annotations

import argparse
import math
import pathlib
from typing import Any

from recursive_tf._cli.progress import print_json
from recursive_tf._cli.report import describe_scores
from recursive_tf._cli.tested import Tested, load_tested
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import CheckpointError
from recursive_tf.training.evaluate import Evaluator
from recursive_tf.training.trainer import summarize


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
  if args.json:
    print_json(_as_json(tested, loss, metrics))
    return 0
  print(tested.description)
  print(f"  {f'loss of a {tested.example}':<22}{loss:>7.3f}")
  on = tested.on
  paper_data = on.data if tested.split == "test" and not on.limit else ""
  print(describe_scores(metrics, tested.config.model, paper_data, tested.config.task))
  return 0


def _as_json(tested: Tested, loss: float, metrics: Any) -> dict[str, Any]:
  """Returns the scores as what JSON has, named as in test.json of a run."""
  is_file = pathlib.Path(tested.on.data).is_file()
  return {
    "run": str(tested.directory),
    "model": tested.config.model,
    **summarize(tested.on, metrics),
    "split": None if is_file else tested.split,
    "examples": len(tested.packed),
    "step": tested.restored.step,
    "loss": loss,
  }
