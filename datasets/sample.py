"""The bundled sample treebank: small trees of our own making, for first steps and tests."""

from __future__ import annotations

import pathlib

from recursive_tf.datasets.ptb import read_ptb
from recursive_tf.datasets.tree import Tree
from recursive_tf.datasets.treebank import SPLITS

_DATA = pathlib.Path(__file__).parent / "data"


def sample_path(split: str) -> pathlib.Path:
  """Returns the file of a split: "train", "dev" or "test"."""
  return _DATA / f"sample_{split}.txt"


def load_sample() -> dict[str, list[Tree]]:
  """Loads the sample treebank, made by `sample_grammar`.

  Returns:
    {"train": trees, "dev": trees, "test": trees}: binary, with a label 0..4 on every node.
  """
  return {split: read_ptb(sample_path(split)) for split in SPLITS}
