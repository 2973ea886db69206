"""`recursive-tf plot`: pictures of how a model was trained, and of where it is right."""

from __future__ import annotations

import argparse
import pathlib
from collections.abc import Callable, Sequence

from recursive_tf._cli.answer_plots import save_accuracy, save_confusion
from recursive_tf._cli.output_file import check_writable, write_output
from recursive_tf._cli.tested import Tested, load_tested
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import ConfigError
from recursive_tf.datasets import PackedTrees
from recursive_tf.models import TreeClassifier
from recursive_tf.training.breakdown import Answers, answer
from recursive_tf.training.curves import save_curves
from recursive_tf.training.history import read_history
from recursive_tf.training.registry import problem_of

_CURVES, _ACCURACY, _CONFUSION = "curves.png", "accuracy.png", "confusion.png"


def plot(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  check_threads(args.threads)
  if args.out == "":
    raise ConfigError("--out is empty. Give a directory, or leave the option out.")
  folder = pathlib.Path(args.run) / "plots" if args.out is None else pathlib.Path(args.out)
  set_threads(args.threads)
  tested = load_tested(args)
  check_writable(folder / _CURVES, "--out")
  pictures = _curves(tested)
  print(tested.description)
  if isinstance(tested.model, TreeClassifier) and isinstance(tested.packed, PackedTrees):
    pictures |= _answers(tested, answer(tested.model, tested.packed), tested.model.task.class_names)
  else:
    print(f"{tested.config.model} has no classes: its curves only.")
  for name, draw in pictures.items():
    write_output(folder / name, "--out", draw)
    print(f"written: {folder / name}")
  return 0


_Pictures = dict[str, Callable[[pathlib.Path], object]]


def _curves(tested: Tested) -> _Pictures:
  """Returns what draws the record, if there is one; the epoch is marked whose weights are used."""
  rows = read_history(tested.directory)
  if not rows:
    print(f"{tested.directory} has no record yet: no curves.")
    return {}
  best = next((int(row["epoch"]) for row in rows if row["step"] == tested.restored.step), None)
  panels, title = problem_of(tested.config).panels, tested.config.title
  return {_CURVES: lambda path: save_curves(rows, path, panels, best, title)}


def _answers(tested: Tested, answers: Answers, names: Sequence[str]) -> _Pictures:
  """Returns what draws the answers of a classifier, whose classes are `names`, on the split."""
  name = pathlib.Path(tested.on.data).name or tested.on.data
  is_file = pathlib.Path(tested.on.data).is_file()
  title = f"{tested.config.model} on {name}" + ("" if is_file else f", split {tested.split}")
  return {
    _ACCURACY: lambda path: save_accuracy(answers, path, title),
    _CONFUSION: lambda path: save_confusion(answers, names, path, title),
  }
