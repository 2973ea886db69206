"""The trees that benchmarks run on, as the arrays of a `PackedTrees`."""

from __future__ import annotations

import numpy as np

from benchmarks.options import Options

Packed = dict[str, np.ndarray]


def load_trees(options: Options, num_trees: int) -> tuple[Packed, int]:
  """Returns `num_trees` trees as the arrays of a `PackedTrees`, and the vocabulary's size.

  They are drawn by the seed from the training trees; the vocabulary is that of all of these.
  """
  from recursive_tf.datasets import Vocabulary

  trees = _training_trees(options)
  chosen = np.random.default_rng(options.seed).permutation(len(trees))[:num_trees]
  vocabulary = Vocabulary.from_trees(trees)
  return _arrays([trees[i] for i in chosen], vocabulary), vocabulary.size


def load_lines(options: Options, num_trees: int) -> list[str]:
  """Returns the trees that `load_trees` draws as text, in brackets; fewer begin anew."""
  trees = _training_trees(options)
  chosen = np.random.default_rng(options.seed).permutation(len(trees))
  return [str(trees[i]) for i in np.resize(chosen, num_trees)]


def trees_by_length(options: Options, lengths: list[int], count: int) -> tuple[Packed, int]:
  """Returns `count` trees of each length in words, one length after the other.

  Where there are too few of just this length, those of the nearest are taken, longer or shorter.
  """
  from recursive_tf.datasets import Vocabulary

  trees = _training_trees(options)
  words = np.array([_num_words(tree) for tree in trees])
  ties = np.random.default_rng(options.seed).permutation(len(trees))
  chosen = []
  for length in lengths:
    chosen += [trees[i] for i in np.lexsort((ties, abs(words - length)))[:count]]
  vocabulary = Vocabulary.from_trees(trees)
  return _arrays(chosen, vocabulary), vocabulary.size


def reshaped_trees(options: Options, shape: str, lengths: list[int]) -> tuple[Packed, int]:
  """Returns synthetic trees of one shape ("balanced", "moderate", "linear"), of these lengths."""
  from recursive_tf.datasets import Vocabulary, synthetic_tree

  num_words = 1_000
  trees = [
    synthetic_tree(length, shape, options.seed + i, num_words=num_words)
    for i, length in enumerate(lengths)
  ]
  vocabulary = Vocabulary.from_trees(trees)
  return _arrays(trees, vocabulary), vocabulary.size


def lengths_of(packed: Packed) -> list[int]:
  """Returns the number of words of each tree."""
  return ((np.diff(packed["node_splits"]) + 1) // 2).tolist()


def joined(*parts: Packed) -> Packed:
  """Returns several treebanks as one, the trees of the first part first."""
  packed = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
  sizes = np.concatenate([np.diff(part["node_splits"]) for part in parts])
  packed["node_splits"] = np.concatenate([[0], np.cumsum(sizes)])
  return packed


def _training_trees(options: Options) -> list:
  # In functions, because this imports TensorFlow, which `--list` and `--help` do not need.
  from recursive_tf.datasets import load_sample, load_sst, load_treebank

  named = {"sst": load_sst, "sample": load_sample}
  load = named.get(options.data, lambda: load_treebank(options.data))
  return load()["train"]


def _num_words(tree) -> int:
  return sum(not node.children for node in tree.post_order())


def _arrays(trees: list, vocabulary) -> Packed:
  from recursive_tf.datasets import PackedTrees

  packed = PackedTrees.pack(trees, vocabulary)
  names = ("word", "label", "left", "right", "node_splits")
  return {name: np.array(getattr(packed, name)) for name in names}
