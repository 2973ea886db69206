"""`recursive-tf trace`: a picture of which frames ran together at which step."""

from __future__ import annotations

import argparse
import pathlib
from typing import Any

import tensorflow as tf

from recursive_tf._cli.output_file import check_writable, write_output
from recursive_tf._cli.schedule_plot import save_schedule_plot
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import ConfigError
from recursive_tf.batching import Schedule, record_schedule
from recursive_tf.datasets import ReadReport, make_dataset
from recursive_tf.training.registry import problem_of
from recursive_tf.training.runs import check_ranges, make_model, make_run_config

_PICTURES = (".svg", ".png", ".pdf")


def trace(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  check_threads(args.threads)
  check_ranges({"batch_size": args.batch_size})
  path = pathlib.Path(args.out)
  if path.suffix not in (*_PICTURES, ".json"):
    raise ConfigError(
      f"--out {path}: expected a name that ends in {', '.join(_PICTURES)} for a picture, or .json"
      " for a Chrome trace."
    )
  check_writable(path, "--out")
  set_threads(args.threads)
  schedule, num_trees = record(args.model, args.data, args.batch_size, args.backward)
  if not schedule.steps:
    raise ConfigError(
      "Nothing ran under the batched scheduler. Unset RECURSIVE_TF_SCHEDULER, or set it to auto."
    )
  title = f"{args.model}, {num_trees} trees"
  write_output(path, "--out", lambda part: _write(schedule, part, title))
  forward = [step for step in schedule.steps if not step.is_backward]
  backward = [step for step in schedule.steps if step.is_backward]
  for name, steps in (("forward", forward), ("backward", backward)):
    if steps:
      rows = sum(step.num_rows for step in steps)
      print(f"{name}: {len(steps)} steps, {rows / len(steps):.1f} frames in each on average")
  print(f"written: {path}")
  return 0


def _write(schedule: Schedule, path: pathlib.Path, title: str) -> None:
  if path.suffix == ".json":
    schedule.save_chrome_trace(path)
  else:
    save_schedule_plot(schedule, path, title)


def record(name: str, data: str | None, batch_size: int, backward: bool) -> tuple[Schedule, int]:
  """Returns the schedule of one batch of training data, by a model with random weights.

  Returns:
    (schedule, number of trees), these being fewer than `batch_size` where there are no more.
  """
  config = make_run_config(name, data)
  splits = problem_of(config).load_splits(config, None, ReadReport())
  model = make_model(config, splits.vocabulary.size)
  batch = next(iter(make_dataset(splits.train, batch_size, shuffle=False)))

  @tf.function
  def step() -> Any:
    with tf.GradientTape() as tape:
      loss, _ = model.loss_and_metrics(batch, training=backward, seed=tf.constant([0, 0]))
    return (loss, tape.gradient(loss, model.trainable_variables)) if backward else loss

  step()  # Tracing, and the first run's instantiation, are not part of the picture.
  with record_schedule() as schedule:
    step()
  return schedule, int(batch.num_trees)
