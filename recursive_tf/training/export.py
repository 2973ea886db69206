"""A trained classifier as a program that runs without Python: a SavedModel, its words and classes.

    OUT/saved_model.pb, variables/     the program
    OUT/assets.extra/classes.txt       a class a line, in their order
    OUT/assets.extra/vocabulary.txt    a word a line, in the order of the ids; the first is unknown
    OUT/assets.extra/lowercase.txt     characters that words are looked up with: "É", a tab, "é"
    OUT/assets.extra/tensors.txt       inputs and outputs: signature, name, name of the tensor
    OUT/assets.extra/model.json        all that is to be known about it

TensorFlow loads nothing of `assets.extra`; it is there for who calls the program.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import tempfile
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.datasets import NODE_COLUMNS, TreeBatch
from recursive_tf.models import TreeClassifier
from recursive_tf.training.files import system_reason
from recursive_tf.training.prediction import TrainedRun

PROGRAM_NAME = "saved_model.pb"
EXTRA = "assets.extra"
_FORMAT = 1
_UNICODE_END = 0x110000


ROOT = tf.TensorSpec([None], tf.int32, "root")
NODES = tf.TensorSpec([None, len(NODE_COLUMNS)], tf.int32, "nodes")


class TreeProgram(tf.Module):
  """What is saved: functions from packed trees to probabilities, which check what they are given.

  Both take `root`, int32 [B], the rows of `nodes` that are roots; and `nodes`, int32 [N, 4], a row
  of NODE_COLUMNS for each node, children before their parent. `word` is an id at leaves; `left` and
  `right` are rows, or -1 at leaves; `label` is not used.
  """

  def __init__(self, net: TreeClassifier):
    super().__init__()
    self.net = net

  @tf.function(input_signature=[ROOT, NODES], autograph=False)
  def classify(self, root: tf.Tensor, nodes: tf.Tensor) -> dict[str, tf.Tensor]:
    """Returns "probabilities" of the K classes at all nodes, float [N, K], and those of roots."""
    probabilities = tf.nn.softmax(self.net.node_logits(self._batch(root, nodes)))
    roots = tf.gather(probabilities, root)
    return {"probabilities": probabilities, "root_probabilities": roots}

  @tf.function(input_signature=[ROOT, NODES], autograph=False)
  def classify_roots(self, root: tf.Tensor, nodes: tf.Tensor) -> dict[str, tf.Tensor]:
    """Returns "root_probabilities" alone, float [B, K], which takes a fraction of the time."""
    return {"root_probabilities": tf.nn.softmax(self.net.logits(self._batch(root, nodes)))}

  def _batch(self, root: tf.Tensor, nodes: tf.Tensor) -> TreeBatch:
    columns = dict(zip(NODE_COLUMNS, tf.unstack(nodes, axis=1), strict=True))
    with tf.control_dependencies(_checks(root, columns, self.net.embedding.shape[0])):
      columns = {name: tf.identity(column) for name, column in columns.items()}
    return TreeBatch(**columns, is_leaf=columns["left"] < 0, root=root)


def _checks(root: tf.Tensor, columns: dict[str, tf.Tensor], num_words: int) -> list[Any]:
  """Returns assertions that the rows are trees: others would get numbers that mean nothing."""
  word, left, right = (columns[name] for name in ("word", "left", "right"))
  row = tf.range(tf.shape(word)[0])
  is_leaf = left < 0
  children = tf.concat([tf.boolean_mask(c, ~is_leaf) for c in (left, right)], 0)
  below = tf.concat([children, root], 0)
  is_row = (below >= 0) & (below < tf.size(row))
  num_uses = tf.math.unsorted_segment_sum(
    tf.ones_like(below), tf.where(is_row, below, -1), tf.size(row)
  )
  checks = {
    f"the word of a leaf is in 0..{num_words - 1}": ~is_leaf | ((word >= 0) & (word < num_words)),
    "a node has both children or none": tf.equal(is_leaf, right < 0),
    "children come before their parent": is_leaf | ((left < row) & (right < row)),
    "a child or root is the number of a row": is_row,
    "each row is the child of one node, or a root, once": tf.equal(num_uses, 1),
  }
  return [
    tf.debugging.Assert(tf.reduce_all(holds), [f"nodes: expected that {what}."])
    for what, holds in checks.items()
  ]


def export_run(run: TrainedRun, target: str | os.PathLike[str], *, force: bool = False) -> None:
  """Writes a trained classifier as a program, completely or not at all.

  Args:
    run: of a classifier.
    target: a directory that is not there, or empty.
    force: replace what an earlier export wrote to `target`.

  Raises:
    ConfigError: If the model is no classifier, or `target` holds something, or cannot be written.
    CheckpointError: If weights are not finite.
  """
  path = pathlib.Path(target)
  check_target(path, force)
  names = run.class_names
  for variable in run.model.variables:
    if not np.isfinite(variable.numpy()).all():
      raise CheckpointError(
        f"{run.restored.path}: weights of {variable.name} are not finite. Train anew with a lower "
        "--learning-rate and another --out."
      )
  try:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = pathlib.Path(tempfile.mkdtemp(prefix=f".{path.name}.partial-", dir=path.parent))
    try:
      partial.chmod(0o755)  # As a folder that is made otherwise.
      _write_program(run, partial)
      _write_extra(run, names, partial / EXTRA)
      _put(partial, path)
    finally:
      shutil.rmtree(partial, ignore_errors=True)
  except (OSError, tf.errors.OpError) as error:
    raise ConfigError(
      f"{path}: cannot be written: {system_reason(error)}. Make room, or give another directory."
    ) from error


def check_target(path: pathlib.Path, force: bool) -> None:
  """Checks, before anything is computed, that an export may go to `path`; errors as there."""
  if not path.name or path.is_symlink() or (path.exists() and not path.is_dir()):
    raise ConfigError(f"{path}: expected the name of a directory to write to.")
  if not path.is_dir() or not any(path.iterdir()):
    return
  if not (path / PROGRAM_NAME).is_file():
    raise ConfigError(
      f"{path}: this directory holds something else than an export. Give another one."
    )
  if not force:
    raise ConfigError(f"{path}: there is an export already. Add --force to replace it.")


def _write_program(run: TrainedRun, folder: pathlib.Path) -> None:
  program = TreeProgram(run.model)
  signatures = {"serving_default": program.classify, "roots": program.classify_roots}
  tf.saved_model.save(program, str(folder), signatures=signatures)


def _write_extra(run: TrainedRun, names: tuple[str, ...], folder: pathlib.Path) -> None:
  folder.mkdir()
  _write_text(folder / "classes.txt", "".join(f"{name}\n" for name in names))
  run.vocabulary.save(folder / "vocabulary.txt")
  if run.config.lowercase:
    _write_text(folder / "lowercase.txt", lowercase_table())
  _write_text(folder / "tensors.txt", _tensor_table(folder.parent / PROGRAM_NAME))
  nodes, roots = (f"float32 [{count}, {len(names)}]" for count in "NB")
  about = {
    "format": _FORMAT,
    "model": run.config.model,
    "task": run.config.task,
    "classes": list(names),
    "words": run.vocabulary.size,
    "lowercase": run.config.lowercase,
    "inputs": {"root": "int32 [B]", "nodes": "int32 [N, 4]: word, left, right, label"},
    "signatures": {
      "serving_default": {"probabilities": nodes, "root_probabilities": roots},
      "roots": {"root_probabilities": roots},
    },
    "step": run.restored.step,
  }
  _write_text(folder / "model.json", json.dumps(about, indent=2) + "\n")


def lowercase_table() -> str:
  """Returns a line for each character that has another lower case: it, a tab, its lower case."""
  pairs = ((c, c.lower()) for c in map(chr, range(_UNICODE_END)))
  return "".join(f"{c}\t{lower}\n" for c, lower in pairs if c != lower)


def _tensor_table(program: pathlib.Path) -> str:
  """Returns a line for each input and output: callers in C need no protocol buffers then."""
  saved = saved_model_pb2.SavedModel.FromString(program.read_bytes())
  rows = [
    f"{signature}\t{name}\t{tensor.name}\n"
    for signature, definition in saved.meta_graphs[0].signature_def.items()
    for tensors in (definition.inputs, definition.outputs)
    for name, tensor in tensors.items()
    if not signature.startswith("__")
  ]
  return "".join(sorted(rows))


def _write_text(path: pathlib.Path, text: str) -> None:
  path.write_text(text, encoding="utf-8", newline="\n")


def _put(made: pathlib.Path, path: pathlib.Path) -> None:
  """Gives a complete directory its name; what was there is kept until then."""
  if not path.exists() or not any(path.iterdir()):
    made.rename(path)
    return
  before = pathlib.Path(tempfile.mkdtemp(prefix=f".{path.name}.before-", dir=path.parent))
  path.rename(before)
  try:
    made.rename(path)
  except OSError:
    before.rename(path)
    raise
  shutil.rmtree(before, ignore_errors=True)
