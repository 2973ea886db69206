"""The plain TreeLSTM under `rtf.recursive` from its first call on, on trees that are always new."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import nltk
import tensorflow as tf

import recursive_tf as rtf
from benchmarks import environment
from benchmarks.peers import plain_programs, tf_cells
from benchmarks.peers import weights as w

# SST's sentences have 19 words on average.
_MOST_WORDS = 38
_VOCABULARY = 1_000
# As in text that was not seen before: some words are in no vocabulary.
_SHARE_UNKNOWN = 0.02
# What the nodes of trees are, by which those that are alive are counted.
_CLASSES = {"node": plain_programs.Node, "nltk": nltk.Tree}


class Conversion:
  """A program that has not been called yet, and trees for it."""

  def __init__(self, objects: str, sizes: dict[str, int], batch_size: int, seed: int):
    """Makes the weights and wraps the program; nothing is converted yet.

    Args:
      objects: "node" or "nltk".
      sizes: of word vectors and states, see `make_weights`.
      batch_size: trees in a call.
      seed: decides weights and trees.
    """
    model = tf_cells.Model("treelstm", w.make_weights("treelstm", _VOCABULARY, sizes, seed))
    program = plain_programs.program(model, objects)
    self._encode = rtf.recursive(program.encode, strict=True)
    self._encode_and_score = rtf.recursive(program.encode_and_score, strict=True)
    self._variables = list(model.variables.values())
    self._class = _CLASSES[objects]
    self._batch_size = batch_size
    make_leaf, make_inner = {"node": (_node_leaf, _node), "nltk": (_nltk_leaf, _nltk)}[objects]
    self._trees = _fresh_trees(random.Random(seed), make_leaf, make_inner)
    self._num_nodes = 0  # Of the batch made last.

  def call_seconds(self, mode: str, count: int) -> list[tuple[float, int]]:
    """Calls the program on `count` new batches; returns seconds and nodes of each call."""
    step = {"train": self._train, "infer": self._infer}[mode]
    calls = []
    for _ in range(count):
      trees = self._batch()
      start = time.perf_counter()
      step(trees)
      calls.append((time.perf_counter() - start, self._num_nodes))
    return calls

  def walk(self, count: int) -> tuple[float, int, int]:
    """Trains on `count` new batches; returns the seconds of all walks, nodes, objects met."""
    stats = self._encode_and_score.stats
    seconds, objects, nodes = stats.walk_seconds, stats.walked_objects, 0
    for _ in range(count):
      self._train(self._batch())
      nodes += self._num_nodes
    stats = self._encode_and_score.stats
    return stats.walk_seconds - seconds, nodes, stats.walked_objects - objects

  def train(self, num_trees: int) -> None:
    """Computes gradients for `num_trees` new trees, batch by batch, and drops the trees."""
    for _ in range(0, num_trees, self._batch_size):
      self._train(self._batch())

  def state(self) -> dict[str, int]:
    """Returns what must not grow: resident bytes, graphs, conversions, objects that are alive."""
    gc.collect()
    tracked = gc.get_objects()
    stats = self._encode_and_score.stats
    return {
      "resident_bytes": environment.resident_bytes(),
      "num_graphs": stats.num_graphs,
      "num_conversions": stats.num_conversions,
      "num_fallback_runs": stats.num_fallback_runs,
      "objects": len(tracked),
      # By `type`: isinstance would call into proxies of all kinds.
      "tree_nodes": sum(type(each) is self._class for each in tracked),
    }

  def _batch(self) -> list[Any]:
    self._num_nodes = 0
    trees = []
    for _ in range(self._batch_size):
      tree, num_nodes = next(self._trees)
      trees.append(tree)
      self._num_nodes += num_nodes
    return trees

  def _train(self, trees: list[Any]) -> None:
    with tf.GradientTape() as tape:
      _, losses = self._encode_and_score.map(trees)
      loss = tf.reduce_sum(losses)
    # The numbers, so that the work is done before the clock stops.
    float(loss), float(tape.gradient(loss, self._variables)[-1][0])

  def _infer(self, trees: list[Any]) -> None:
    float(self._encode.map(trees)[0][0, 0, 0])


def _fresh_trees(
  rng: random.Random,
  make_leaf: Callable[[int, int], Any],
  make_inner: Callable[[int, list[Any]], Any],
) -> Iterator[tuple[Any, int]]:
  """Yields random trees and their numbers of nodes; keeps none of them."""
  number = _VOCABULARY
  while True:
    num_words = rng.randint(1, _MOST_WORDS)
    parts = []
    for _ in range(num_words):
      number += 1
      is_unknown = rng.random() < _SHARE_UNKNOWN
      word = number if is_unknown else rng.randrange(1, _VOCABULARY)
      parts.append(make_leaf(rng.randrange(w.NUM_CLASSES), word))
    while len(parts) > 1:
      at = rng.randrange(len(parts) - 1)
      parts[at : at + 2] = [make_inner(rng.randrange(w.NUM_CLASSES), parts[at : at + 2])]
    # Without a name: this frame would keep the tree until the next one is asked for.
    yield parts.pop(), 2 * num_words - 1


def _node_leaf(label: int, word: int) -> plain_programs.Node:
  return plain_programs.Node(label, word if word < _VOCABULARY else 0)


def _node(label: int, children: list[plain_programs.Node]) -> plain_programs.Node:
  return plain_programs.Node(label, None, *children)


def _nltk_leaf(label: int, word: int) -> nltk.Tree:
  return nltk.Tree(str(label), [f"w{word}"])


def _nltk(label: int, children: list[nltk.Tree]) -> nltk.Tree:
  return nltk.Tree(str(label), children)
