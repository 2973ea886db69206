"""A trained model as a program that runs without Python: a SavedModel, its words and classes.

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

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from recursive_tf._errors import CheckpointError, ConfigError
from recursive_tf.training.files import system_reason
from recursive_tf.training.prediction import TrainedRun
from recursive_tf.training.programs import Program, program_of

PROGRAM_NAME = "saved_model.pb"
EXTRA = "assets.extra"
_FORMAT = 1
_UNICODE_END = 0x110000


def export_run(run: TrainedRun, target: str | os.PathLike[str], *, force: bool = False) -> None:
  """Writes a trained model as a program, completely or not at all.

  Args:
    run: of a model that has classes: of phrases, of words' relations, or scores of pairs.
    target: a directory that is not there, or empty.
    force: replace what an earlier export wrote to `target`.

  Raises:
    ConfigError: If the model has no classes, or `target` holds something, or cannot be written.
    CheckpointError: If weights are not finite.
  """
  path = pathlib.Path(target)
  check_target(path, force)
  program = program_of(run.model, f"{run.directory}: {run.config.model} ({run.config.task})")
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
      _write_program(program, partial)
      _write_extra(run, program, partial / EXTRA)
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


def _write_program(program: Program, folder: pathlib.Path) -> None:
  tf.saved_model.save(program, str(folder), signatures=program.signatures())


def _write_extra(run: TrainedRun, program: Program, folder: pathlib.Path) -> None:
  folder.mkdir()
  names = run.class_names
  _write_text(folder / "classes.txt", "".join(f"{name}\n" for name in names))
  run.vocabulary.save(folder / "vocabulary.txt")
  if run.config.lowercase:
    _write_text(folder / "lowercase.txt", lowercase_table())
  _write_text(folder / "tensors.txt", _tensor_table(folder.parent / PROGRAM_NAME))
  about = {
    "format": _FORMAT,
    "model": run.config.model,
    "task": run.config.task,
    "classes": list(names),
    "words": run.vocabulary.size,
    "lowercase": run.config.lowercase,
    "inputs": program.inputs,
    "signatures": program.outputs(len(names)),
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
