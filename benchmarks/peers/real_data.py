"""MNIST's digits, the Penn Treebank's text and facades: real data that are no treebanks.

They are looked for in $RECURSIVE_TF_DATA, else in ../shared/data.
"""

from __future__ import annotations

import gzip
import pathlib

import numpy as np

from recursive_tf.datasets import _locations


def folder_of(name: str) -> pathlib.Path | None:
  """Returns the folder of a data set; None if it is not there."""
  beside = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
  folder = (_locations.data_directory() or beside) / name
  return folder if folder.is_dir() else None


def digits(num_images: int) -> tuple[np.ndarray, np.ndarray] | None:
  """Returns MNIST's first training images [N, 28, 28], in 0 to 1, and their digits [N]."""
  folder = folder_of("mnist")
  if folder is None:
    return None
  with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
    file.read(16)
    pixels = np.frombuffer(file.read(num_images * 28 * 28), np.uint8)
  with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
    file.read(8)
    labels = np.frombuffer(file.read(num_images), np.uint8)
  return pixels.reshape(-1, 28, 28) / 255.0, labels


def text(num_words: int, vocabulary: int) -> np.ndarray | None:
  """Returns the first words of the Penn Treebank's training text, as numbers by frequency [N].

  Args:
    num_words: how many, ends of sentences among them.
    vocabulary: how many words are told apart; all rarer ones are one.
  """
  folder = folder_of("ptb")
  if folder is None:
    return None
  with gzip.open(folder / "ptb.train.txt.gz", "rt") as file:
    words = file.read().replace("\n", " <eos> ").split()
  found, counts = np.unique(words, return_counts=True)
  order = found[np.argsort(-counts, kind="stable")][: vocabulary - 1]
  numbers = {word: number for number, word in enumerate(order)}
  return np.array([numbers.get(word, vocabulary - 1) for word in words[:num_words]])
