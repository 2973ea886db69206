"""Dependency trees of sentences in flat arrays, laid out for top-down recursion.

The nodes of a tree are its words. A word's dependents hang from it in two chains, one a side: the
word points at its first dependent on the left and on the right, the nearest ones, and each
dependent at the next one further out. These four pointers are the *edges* by which a node is
reached: left, right, next_left, next_right.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import tensorflow as tf

from recursive_tf._errors import DataError
from recursive_tf.datasets.vocabulary import Vocabulary

EDGES = ("left", "right", "next_left", "next_right")
# On which side of its head a node stands, by the edge that leads to it: 0 root, 1 left, 2 right.
SIDE_OF_EDGE = (1, 2, 1, 2)
NUM_ALTERNATIVES = 5  # Of the MSR sentence completion challenge: one right word among five.

# Fingerprints are sums modulo a prime that is small enough for products to fit into an int64.
_PRIME = 2**31 - 1
ROOT_KEY = 1_234_567


def child_key(key: Any, edge: int) -> Any:
  """Returns a number for the place that `edge` leads to from the place `key`, in 0 .. 2^31 - 2.

  Works on integers, numpy arrays and int64 tensors alike, as do the functions below.
  """
  return (key * 48_271 + 1_000_003 * (edge + 1)) % _PRIME


def node_fingerprint(key: Any, word: Any) -> Any:
  """Returns a number for the word at the place `key`."""
  return (key * (word + 16_807)) % _PRIME


def join_fingerprints(total: Any) -> Any:
  """Returns the fingerprint of nodes from the sum of theirs."""
  return total % _PRIME


@dataclasses.dataclass(frozen=True)
class DependencyTree:
  """A sentence with its dependency tree, as a CoNLL file has it.

  Attributes:
    words: the words in their order.
    heads: position of each word's head, -1 for the root, of which there is one.
    tags: class of each word, such as its part of speech; words of one class can be exchanged.
    condition: what the sentence has to say, as numbers; the same count in all trees of a treebank.
    relations: of each word to its head, such as "nsubj" or "acl:relcl"; empty where not known, as
      are the two below.
    xpos: the language's own part of speech of each word, such as "VBZ".
    features: (name, value) pairs of each word, such as ("Number", "Sing").
  """

  words: tuple[str, ...]
  heads: tuple[int, ...]
  tags: tuple[int, ...]
  condition: tuple[int, ...] = (0,)
  relations: tuple[str, ...] = ()
  xpos: tuple[str, ...] = ()
  features: tuple[tuple[tuple[str, str], ...], ...] = ()

  def __post_init__(self) -> None:
    for name in ("relations", "xpos", "features"):
      count = len(getattr(self, name))
      if count not in (0, len(self.words)):
        raise DataError(f"DependencyTree: {count} {name} for {len(self.words)} words.")
    if not len(self.words) == len(self.heads) == len(self.tags):
      raise DataError(
        f"DependencyTree: `words`, `heads` and `tags` must be equally long, got {len(self.words)}, "
        f"{len(self.heads)} and {len(self.tags)}."
      )
    roots = [i for i, head in enumerate(self.heads) if head == -1]
    if len(roots) != 1:
      raise DataError(f"DependencyTree: expected one root (head -1), got {len(roots)}: {self}")
    for start in range(len(self.heads)):
      position, steps = start, 0
      while position != roots[0]:
        is_known = 0 <= self.heads[position] < len(self.heads)
        if not is_known or steps > len(self.heads):
          raise DataError(f"DependencyTree: word {start} does not lead up to the root: {self}")
        position, steps = self.heads[position], steps + 1

  def __str__(self) -> str:
    return " ".join(self.words)

  def edges(self) -> np.ndarray:
    """Returns where the edges of each word lead, int32 [N, 4] in EDGES' order; -1: nowhere."""
    edges = np.full((len(self.words), len(EDGES)), -1, np.int32)
    # Going outwards: the last place on each side of a head, where the next dependent is hung.
    for side, order in ((0, range(len(self.words) - 1, -1, -1)), (1, range(len(self.words)))):
      last: dict[int, int] = {}
      for position in order:
        head = self.heads[position]
        if head >= 0 and (position > head) == bool(side):
          if head in last:
            edges[last[head], 2 + side] = position
          else:
            edges[head, side] = position
          last[head] = position
    return edges

  @property
  def root(self) -> int:
    """Position of the root."""
    return self.heads.index(-1)


def pre_order(edges: np.ndarray, root: int) -> list[tuple[int, int, int]]:
  """Returns (position, side, key) of each node, parents first, edges in the order of EDGES."""
  order, stack = [], [(root, 0, ROOT_KEY)]
  while stack:
    position, side, key = stack.pop()
    order.append((position, side, key))
    for edge in reversed(range(len(EDGES))):
      if edges[position, edge] >= 0:
        stack.append((int(edges[position, edge]), SIDE_OF_EDGE[edge], child_key(key, edge)))
  return order


class DependencyBatch(tf.experimental.ExtensionType):
  """B dependency trees with N nodes in all, flat: pre-order within each tree, trees back to back.

  Attributes:
    word: int32 [N], vocabulary ids.
    side: int32 [N], 0 at roots, 1 for what stands left of its head, 2 for what stands right.
    edges: int32 [N, 4], where each edge of EDGES leads in these arrays; -1: nowhere.
    root: int32 [B], index of each root.
    condition: int32 [B, S].
    fingerprint: int64 [B], equal only for equal trees (but for one pair in about 2^31).
    blank: int32 [B], the node that a completion has to find the word of.
    alternatives: int32 [B, 5], what may stand there: the right word first.
  """

  word: tf.Tensor
  side: tf.Tensor
  edges: tf.Tensor
  root: tf.Tensor
  condition: tf.Tensor
  fingerprint: tf.Tensor
  blank: tf.Tensor
  alternatives: tf.Tensor

  @classmethod
  def field_specs(cls) -> dict[str, tf.TensorSpec]:
    """Returns the types of the fields of any batch: N, B and S unknown."""
    shapes = {"edges": [None, len(EDGES)], "condition": [None, None]}
    shapes["alternatives"] = [None, NUM_ALTERNATIVES]
    names = ("word", "side", "edges", "root", "condition", "fingerprint", "blank", "alternatives")
    return {
      name: tf.TensorSpec(shapes.get(name, [None]), tf.int64 if name == "fingerprint" else tf.int32)
      for name in names
    }

  @classmethod
  def spec(cls) -> tf.TypeSpec:
    """Returns the type of any batch."""
    return cls.Spec(**cls.field_specs())

  @property
  def num_trees(self) -> tf.Tensor:
    """B, int32 []."""
    return tf.shape(self.root)[0]

  @property
  def num_nodes(self) -> tf.Tensor:
    """N, int32 []."""
    return tf.shape(self.word)[0]

  def __tf_tracing_type__(self, context: Any) -> Any:
    # As in TreeBatch: one trace for all sizes.
    return DependencyBatch.spec().__tf_tracing_type__(context)


@dataclasses.dataclass(frozen=True, eq=False)
class PackedDependencies:
  """T dependency trees with N nodes in all; pre-order within each tree, trees back to back.

  Attributes:
    word, side: int32 [N], as in `DependencyBatch`.
    edges: int32 [N, 4], counted within the tree; -1: nowhere.
    position: int32 [N], where in its sentence each word stands.
    node_splits: int64 [T + 1], tree t is nodes `node_splits[t]` up to `node_splits[t + 1]`.
    condition: int32 [T, S].
    fingerprint: int64 [T].
    blank: int32 [T], counted within the tree.
    alternatives: int32 [T, 5].
  """

  word: np.ndarray
  side: np.ndarray
  edges: np.ndarray
  position: np.ndarray
  node_splits: np.ndarray
  condition: np.ndarray
  fingerprint: np.ndarray
  blank: np.ndarray
  alternatives: np.ndarray

  batch_class: ClassVar[type[DependencyBatch]] = DependencyBatch

  @classmethod
  def pack(
    cls,
    trees: Sequence[DependencyTree],
    vocabulary: Vocabulary,
    distractors: Sequence[Sequence[str]] = (),
    seed: int = 0,
  ) -> PackedDependencies:
    """Packs `trees` and makes a completion of each.

    A word of the sentence is blanked; beside it stand four other words of its class.

    Args:
      trees: T trees.
      vocabulary: gives the ids; words it does not hold become 0.
      distractors: for each class, words to draw from; one listed twice is drawn twice as often.
        Words whose class has fewer than five are not blanked. Without any: no completions, that is
        `alternatives` of zeros.
      seed: decides what is blanked and drawn.

    Raises:
      DataError: If conditions are of different lengths.
    """
    if len({len(tree.condition) for tree in trees}) > 1:
      raise DataError("PackedDependencies.pack: conditions have different lengths.")
    words, sides, edges, positions, splits, prints = [], [], [], [], [0], []
    blanks = np.zeros(len(trees), np.int32)
    alternatives = np.zeros((len(trees), NUM_ALTERNATIVES), np.int32)
    pools = _Pools(distractors, vocabulary, seed)
    for index, tree in enumerate(trees):
      own_edges = tree.edges()
      order = pre_order(own_edges, tree.root)
      place = np.full(len(order) + 1, -1, np.int32)  # The last, -1, stays: nowhere.
      place[[position for position, _, _ in order]] = np.arange(len(order))
      ids = [vocabulary.lookup(tree.words[position]) for position, _, _ in order]
      words += ids
      sides += [side for _, side, _ in order]
      positions += [position for position, _, _ in order]
      edges.append(place[own_edges[[position for position, _, _ in order]]])
      pairs = zip(order, ids, strict=True)
      prints.append(join_fingerprints(sum(node_fingerprint(k, w) for (_, _, k), w in pairs)))
      tags = [tree.tags[position] for position, _, _ in order]
      blanks[index], alternatives[index] = pools.draw(ids, tags)
      splits.append(len(words))
    return cls(
      word=np.array(words, np.int32),
      side=np.array(sides, np.int32),
      edges=np.concatenate([np.zeros((0, len(EDGES)), np.int32), *edges]),
      position=np.array(positions, np.int32),
      node_splits=np.array(splits, np.int64),
      condition=np.array([tree.condition for tree in trees], np.int32),
      fingerprint=np.array(prints, np.int64),
      blank=blanks,
      alternatives=alternatives,
    )

  def __len__(self) -> int:
    return len(self.node_splits) - 1

  @property
  def num_nodes(self) -> int:
    """Number of nodes of all trees."""
    return len(self.word)

  @property
  def has_completions(self) -> bool:
    """Whether there is a word to complete in any tree."""
    return bool(self.alternatives.any())

  def batch_arrays(self, indices: Sequence[int] | np.ndarray) -> dict[str, np.ndarray]:
    """Returns the fields of `batch(indices)` as numpy arrays; no Python work per node.

    Args:
      indices: int [B], trees to take; repeats are allowed.

    Raises:
      DataError: If an index is not in 0 .. T - 1.
    """
    indices = np.asarray(indices, np.int64).reshape(-1)
    if indices.size and not (0 <= indices.min() and indices.max() < len(self)):
      raise DataError(f"PackedDependencies: a tree index is not in 0..{len(self) - 1}: {indices}")
    starts = self.node_splits[indices]
    lengths = self.node_splits[indices + 1] - starts
    roots = np.cumsum(lengths) - lengths
    nodes = np.arange(lengths.sum()) + np.repeat(starts - roots, lengths)
    edges = self.edges[nodes]
    offsets = np.repeat(roots, lengths).astype(np.int32)[:, np.newaxis]
    return {
      "word": self.word[nodes],
      "side": self.side[nodes],
      "edges": np.where(edges < 0, edges, edges + offsets),
      "root": roots.astype(np.int32),
      "condition": self.condition[indices],
      "fingerprint": self.fingerprint[indices],
      "blank": (self.blank[indices] + roots).astype(np.int32),
      "alternatives": self.alternatives[indices],
    }

  def batch(self, indices: Sequence[int] | np.ndarray) -> DependencyBatch:
    """Returns the trees at `indices` [B] as one batch; arguments and errors as `batch_arrays`."""
    return DependencyBatch(**self.batch_arrays(indices))


class _Pools:
  """Draws completions; what it draws is a function of the seed and the calls before."""

  def __init__(self, distractors: Sequence[Sequence[str]], vocabulary: Vocabulary, seed: int):
    self._pools = [[vocabulary.lookup(word) for word in words] for words in distractors]
    self._is_usable = [len(set(pool) - {0}) >= NUM_ALTERNATIVES for pool in self._pools]
    self._bits = np.random.PCG64(np.random.SeedSequence([seed, 5]))

  def draw(self, words: list[int], tags: list[int]) -> tuple[int, list[int]]:
    """Returns (node, alternatives): zeros if no word has enough others of its class."""
    usable = [
      node
      for node, (word, tag) in enumerate(zip(words, tags, strict=True))
      if word and tag < len(self._pools) and self._is_usable[tag]
    ]
    if not usable:
      return 0, [0] * NUM_ALTERNATIVES
    node = usable[self._below(len(usable))]
    pool = self._pools[tags[node]]
    chosen = [words[node]]
    while len(chosen) < NUM_ALTERNATIVES:
      word = pool[self._below(len(pool))]
      if word and word not in chosen:
        chosen.append(word)
    return node, chosen

  def _below(self, limit: int) -> int:
    return int(self._bits.random_raw() % limit)


def words_by_tag(trees: Sequence[DependencyTree]) -> list[list[str]]:
  """Returns the words of each class as often as they occur in `trees`, for `pack`."""
  num_tags = 1 + max((tag for tree in trees for tag in tree.tags), default=-1)
  pools: list[list[str]] = [[] for _ in range(num_tags)]
  for tree in trees:
    for word, tag in zip(tree.words, tree.tags, strict=True):
      pools[tag].append(word)
  return pools


def decode(codes: np.ndarray, vocabulary: Vocabulary) -> DependencyTree:
  """Makes a tree of codes as a model returns them: 16 (word + 1) + bits of its edges, pre-order.

  Args:
    codes: int [K]; zeros after the last node.
    vocabulary: the words.

  Returns:
    The tree, all of class 0. Of a tree with more than K nodes, the first K.
  """
  # Pairs of (word, edge) open from here on: what the next code hangs from.
  texts: list[str] = []
  left: list[list[int]] = []
  right: list[list[int]] = []
  heads: list[int] = []
  stack = [(-1, -1)]
  for code in codes:
    if code == 0 or not stack:
      break
    before, edge = stack.pop()
    node = len(texts)
    texts.append(vocabulary.words[int(code) // 16 - 1])
    left.append([])
    right.append([])
    heads.append(-1 if edge < 0 else before if edge < 2 else heads[before])
    if edge >= 0:
      (left if SIDE_OF_EDGE[edge] == 1 else right)[heads[node]].append(node)
    stack += [(node, e) for e in reversed(range(len(EDGES))) if int(code) >> e & 1]
  order: list[int] = []
  todo: list[tuple[int, bool]] = [(0, False)] if texts else []
  while todo:
    node, is_opened = todo.pop()
    if is_opened:
      order.append(node)
    else:
      todo += [(child, False) for child in reversed(right[node])]
      todo.append((node, True))
      todo += [(child, False) for child in left[node]]
  place = {node: position for position, node in enumerate(order)}
  return DependencyTree(
    tuple(texts[node] for node in order),
    tuple(place.get(heads[node], -1) for node in order),
    (0,) * len(order),
  )
