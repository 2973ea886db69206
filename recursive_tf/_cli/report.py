"""Accuracies as a table, beside the paper's where it has any."""

from __future__ import annotations

from recursive_tf.models import Metrics
from recursive_tf.training.registry import entry_named

_ROWS = (
  ("5 classes, root", "root", "num_roots"),
  ("5 classes, all nodes", "node", "num_nodes"),
  ("binary, root", "binary_root", "binary_num_roots"),
  ("binary, all nodes", "binary_node", "binary_num_nodes"),
)


def describe_accuracies(metrics: Metrics, model: str, data: str, task: str) -> str:
  """Returns a table of accuracies with the number of examples.

  Args:
    metrics: the counts.
    model: name of the model.
    data: what was tested; beside "sst", the paper's figures are shown.
    task: name of the task; in the binary one there are no figures for 5 classes.
  """
  entry = entry_named(model)
  accuracies = metrics.accuracies()
  lines = []
  for title, name, count in _ROWS:
    if task == "binary" and not name.startswith("binary"):
      continue
    line = f"  {title:<22}{accuracies[name]:>7.1%} of {getattr(metrics, count)}"
    key = name.removeprefix("binary_") if task == "binary" else name
    figure = entry.figures.get((task, key)) if data == "sst" else None
    lines.append(f"{line:<48}{figure}% ({entry.paper})" if figure else line)
  return "\n".join(lines)
