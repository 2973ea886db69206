"""Scores as a table, beside the paper's where it has any."""

from __future__ import annotations

from typing import Any

from recursive_tf.training.registry import entry_for


def describe_scores(metrics: Any, model: str, data: str, task: str) -> str:
  """Returns a table of scores with the number of examples.

  Args:
    metrics: the counts.
    model: name of the model.
    data: what was tested; beside what the paper's figures are of, these are shown.
    task: name of the task.
  """
  entry = entry_for(model, task)
  values = metrics.scores()
  lines = []
  for score in entry.problem.table(task):
    if score.name not in values:
      continue
    count = int(getattr(metrics, score.count))
    line = f"  {score.title:<22}{score.text(values[score.name]):>7} of {count}"
    key = score.name.removeprefix("binary_") if task == "binary" else score.name
    figure = entry.figures.get((task, key)) if data == entry.benchmark else None
    if figure:
      shown = f"{figure}%" if score.is_share else f"{figure:.4f}"
      line = f"{line:<48}{shown} ({entry.paper})"
    lines.append(line)
  return "\n".join(lines)
