"""Batches are made several at once; each is the one that is made alone, bit for bit."""

import functools
import gc
import os

import numpy as np
import pytest
import tensorflow as tf

from recursive_tf.datasets import (
  DependencyTree,
  PackedDependencies,
  PackedNaryTrees,
  PackedTrees,
  Vocabulary,
  make_dataset,
  synthetic_tree,
)
from recursive_tf.datasets.pairs import PackedPairs
from recursive_tf.datasets.pipeline import epoch_order
from recursive_tf.datasets.relations import PackedRelations
from recursive_tf.datasets.sick import SickPair
from recursive_tf.distribute.sharding import share_of

# Batches of two: more in an epoch than are made at once.
NUM_TREES, BATCH_SIZE = 81, 2
VOCABULARY = Vocabulary(f"w{k}" for k in range(9))


def sentence(number):
  """Chains and stars of 1 to 7 words."""
  length = 1 + number % 7
  heads = tuple(k - 1 if number % 2 else min(k, 1) - 1 for k in range(length))
  words = tuple(f"w{(number + k) % 11}" for k in range(length))
  relations = ("root", *(["nsubj", "obj", "det"] * 3)[: length - 1])
  return DependencyTree(words, heads, (0,) * length, (number, number % 3), relations)


@functools.cache
def packed_of(kind):
  binary = [synthetic_tree(1 + n % 9, "random", n, num_words=9) for n in range(NUM_TREES)]
  sentences = [sentence(n) for n in range(NUM_TREES)]
  if kind == "nary":
    return PackedNaryTrees.pack(binary, VOCABULARY)
  if kind == "dependencies":
    return PackedDependencies.pack(sentences, VOCABULARY)
  if kind == "relations":
    return PackedRelations.pack(sentences, VOCABULARY)
  if kind == "pairs":
    pairs = [
      SickPair(n, sentences[n], sentences[-n - 1], 1 + n / NUM_TREES) for n in range(NUM_TREES)
    ]
    return PackedPairs.pack(pairs, VOCABULARY)
  packed = PackedTrees.pack(binary, VOCABULARY)
  return share_of(packed, 2, 1, with_places=True) if kind == "a worker's" else packed


KINDS = ["trees", "nary", "dependencies", "relations", "pairs", "a worker's"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_batch_is_the_one_that_is_made_alone(kind):
  packed = packed_of(kind)
  start, epochs = 3, 2
  dataset = make_dataset(packed, BATCH_SIZE, seed=4, epochs=epochs, epoch=7, start_batch=start)
  assert dataset.element_spec == packed.batch_class.spec()
  orders = [epoch_order(NUM_TREES, 4, 7 + k) for k in range(epochs)]
  chosen = [
    order[first : first + BATCH_SIZE]
    for order in orders
    for first in range(0, NUM_TREES, BATCH_SIZE)
  ]
  count = 0
  for batch, indices in zip(dataset, chosen[start:], strict=True):
    for name, expected in packed.batch_arrays(indices).items():
      found = getattr(batch, name).numpy()
      assert found.dtype == expected.dtype and found.shape == expected.shape, name
      np.testing.assert_array_equal(found, expected, err_msg=name)
    count += 1
  assert count == 79


@pytest.mark.parametrize("parts", [[[3, 0], [5], [5, 5, 1]], [[], [2], []], [[]]])
def test_several_batches_are_cut_out_of_what_is_made_together(parts):
  packed = packed_of("trees")
  fields, splits = packed.batches_arrays([np.array(part, np.int64) for part in parts])
  for number, part in enumerate(parts):
    for name, expected in packed.batch_arrays(part).items():
      found = fields[name][splits[name][number] : splits[name][number + 1]]
      np.testing.assert_array_equal(found, expected, err_msg=name)
  assert all(len(fields[name]) == splits[name][-1] for name in fields)


def test_a_field_that_is_not_made_is_an_error_of_the_run():
  class Broken:
    batch_class = PackedTrees.batch_class

    def __len__(self):
      return 4

    def batch_arrays(self, indices):
      raise OSError("the disk is gone")

  with pytest.raises(tf.errors.OpError, match="the disk is gone"):
    list(make_dataset(Broken(), 2))


def test_iterators_that_are_dropped_leave_no_threads():
  def take_some(count):
    for seed in range(count):
      iterator = iter(make_dataset(packed_of("trees"), BATCH_SIZE, seed=seed))
      next(iterator)
      del iterator
    gc.collect()

  take_some(5)
  before = len(os.listdir("/proc/self/task"))
  take_some(20)
  assert len(os.listdir("/proc/self/task")) < before + 10
