"""Trees classified from their text: by the C++ program of `examples/serve_cpp`, and by Python."""

from __future__ import annotations

import subprocess
import warnings

import numpy as np
import tensorflow as tf

from benchmarks.worker import Workload
from recursive_tf._ops import KERNELS_PATH
from recursive_tf.datasets import NODE_COLUMNS, PackedTrees
from recursive_tf.training.prediction import read_run
from recursive_tf.training.tree_prediction import tree_of_text


class Served(Workload):
  """Calls (arm, batch): all lines, `batch` at a time, each batch answered before the next is sent.

  - "C++": one process for each size of batch, that runs on; lines go to it and answers come back
    through pipes.
  - "predict": `load_run(...).predict` of the lines, which answers for all nodes.
  - "SavedModel": the signature "roots" of the export, called from Python on the tables that this
    package makes of the lines.
  - "SavedModel, tables": the same, of tables that are there already.
  """

  def __init__(self, run, export, program, lines, batches, threads_of_program):
    super().__init__()
    # "These words were not in the training data": said once for each batch, which is not the topic.
    warnings.simplefilter("ignore", UserWarning)
    self._run = read_run(run)
    self._roots = tf.saved_model.load(export).signatures["roots"]
    self._num_classes = len(self._run.class_names)
    self._processes = {}
    for batch in batches:
      command = [program, export, str(KERNELS_PATH), "--batch", str(batch)]
      self._processes[batch] = subprocess.Popen(
        [*command, "--threads", str(threads_of_program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
      )
      parts = [lines[start : start + batch] for start in range(0, len(lines), batch)]
      if len(parts[-1]) != batch:
        raise AssertionError(f"{len(lines)} lines: the program waits for {batch} of them.")
      tables = [self._tables(part) for part in parts]
      for arm, answer, given in (
        ("C++", self._by_program, parts),
        ("predict", self._by_predict, parts),
        ("SavedModel", self._by_saved_model, parts),
        ("SavedModel, tables", self._by_tables, tables),
      ):
        self.calls[f"{arm}, {batch}"] = lambda answer=answer, given=given, batch=batch: [
          answer(part, batch) for part in given
        ]

  def probabilities(self) -> dict[str, np.ndarray]:
    """Returns what each call gives for the roots, float [trees, classes]."""
    return {name: np.concatenate(call()) for name, call in self.calls.items()}

  def stop(self) -> None:
    """Ends the programs."""
    for process in self._processes.values():
      with process:  # Closes the pipes, and waits.
        process.stdin.close()

  def _by_program(self, lines, batch):
    process = self._processes[batch]
    process.stdin.write("".join(f"{line}\n" for line in lines).encode())
    process.stdin.flush()
    answers = [process.stdout.readline() for _ in lines]
    if not answers[-1]:
      raise RuntimeError(f"The program ended with status {process.wait()}.")
    found = np.array([answer.split(b"\t")[2:] for answer in answers], np.float32)
    return found.reshape(len(lines), self._num_classes)

  def _by_predict(self, lines, batch):
    return self._run.predict(lines, batch_size=batch).root_probabilities

  def _by_saved_model(self, lines, batch):
    return self._by_tables(self._tables(lines), batch)

  def _by_tables(self, tables, batch):
    root, nodes = tables
    found = self._roots(root=tf.constant(root), nodes=tf.constant(nodes))
    return found["root_probabilities"].numpy()

  def _tables(self, lines):
    """Returns lines as the program takes them, read by this package."""
    trees = [tree_of_text(line, None, "<line>").tree for line in lines]
    arrays = PackedTrees.pack(trees, self._run.vocabulary).batch_arrays(range(len(trees)))
    return arrays["root"], np.stack([arrays[name] for name in NODE_COLUMNS], axis=1)
