"""`recursive-tf export`: a trained model as a program that runs without Python."""

from __future__ import annotations

import argparse
import pathlib

from recursive_tf._cli.progress import warn
from recursive_tf._cli.threads import set_threads
from recursive_tf._ops import KERNELS_PATH
from recursive_tf.training.export import EXTRA, check_target, export_run
from recursive_tf.training.prediction import read_run


def export(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  target = pathlib.Path(args.out)
  check_target(target, args.force)
  set_threads(1)
  run = read_run(args.run)
  for note in run.restored.notes:
    warn(note)
  export_run(run, target, force=args.force)
  print(
    f"{run.config.model} ({run.directory}), step {run.restored.step}: {run.vocabulary.size:,} "
    f"words, classes {', '.join(run.class_names)}\nwritten: {target}\n"
    f"It runs where these kernels are loaded: {KERNELS_PATH}\n"
    f"words and classes: {target / EXTRA}"
  )
  return 0
