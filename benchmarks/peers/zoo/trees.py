"""Trees of the zoo: binary ones of SST, dependency trees of UD with at most five children a node.

Packed, trees stand back to back, the nodes of each in post-order: `word` int32 [N], -1 where a node
has none; `label` int32 [N]; `children` int32 [N, K], counted within the tree, -1 where there are
fewer than K; `node_splits` int64 [T + 1].
"""

from __future__ import annotations

import numpy as np

from benchmarks.options import Options
from benchmarks.treebanks import Packed, load_trees

MAX_CHILDREN = 5


def sentiment_trees(options: Options, num_trees: int) -> tuple[Packed, int]:
  """Returns binary trees with words at their leaves, and the size of the vocabulary."""
  packed, vocab_size = load_trees(options, num_trees)
  children = np.stack([packed["left"], packed["right"]], 1).astype(np.int32)
  names = ("word", "label", "node_splits")
  return {**{name: packed[name] for name in names}, "children": children}, vocab_size


def transitions(options: Options, num_trees: int) -> tuple[Packed, int]:
  """Returns binary trees as `sentiment_trees`, with what a shift-reduce parser sees before a node.

  A leaf is a shift, an inner node a reduction, in post-order. More columns: `front` int32 [N], the
  leaf at the front of the buffer, counted within the tree; `stack` int32 [N, 2], the nodes on top
  of the stack, the topmost first; -1 where there is none.
  """
  packed, vocab_size = sentiment_trees(options, num_trees)
  front, stacks = [], []
  for begin, end in zip(packed["node_splits"][:-1], packed["node_splits"][1:], strict=True):
    num_leaves = (end - begin + 1) // 2
    shifted, stack = 0, []
    for node, (left, _) in enumerate(packed["children"][begin:end].tolist()):
      front.append(shifted if shifted < num_leaves else -1)
      stacks.append([*stack[:-3:-1], -1, -1][:2])
      if left < 0:
        shifted += 1
      else:
        del stack[-2:]
      stack.append(node)
  return {
    **packed,
    "front": np.array(front, np.int32),
    "stack": np.array(stacks, np.int32),
  }, vocab_size


def dependency_trees(options: Options, num_trees: int) -> tuple[Packed, int]:
  """Returns trees of words, their parts of speech as labels, and the size of the vocabulary.

  A head keeps its first five dependents; what follows them hangs on the fifth, so that no word is
  lost.
  """
  from recursive_tf.datasets import Vocabulary

  trees = parsed_sentences(options)
  chosen = np.random.default_rng(options.seed).permutation(len(trees))[:num_trees]
  words = sorted({word for tree in trees for word in tree.words})
  vocabulary = Vocabulary(words)
  word, label, children, splits = [], [], [], [0]
  for index in chosen:
    tree = trees[index]
    order, below = _post_order(tree)
    word += [vocabulary.lookup(tree.words[i]) for i in order]
    label += [tree.tags[i] for i in order]
    children += below
    splits.append(len(word))
  return {
    "word": np.array(word, np.int32),
    "label": np.array(label, np.int32),
    "children": np.array(children, np.int32),
    "node_splits": np.array(splits, np.int64),
  }, vocabulary.size


def tagged_sentences(options: Options, num_sentences: int) -> tuple[Packed, int]:
  """Returns sentences of words with their parts of speech, and the size of the vocabulary."""
  from recursive_tf.datasets import Vocabulary

  trees = parsed_sentences(options)
  chosen = np.random.default_rng(options.seed).permutation(len(trees))[:num_sentences]
  vocabulary = Vocabulary(sorted({word for tree in trees for word in tree.words}))
  words = [vocabulary.lookup(word) for i in chosen for word in trees[i].words]
  return {
    "word": np.array(words, np.int32),
    "label": np.array([tag for i in chosen for tag in trees[i].tags], np.int32),
    "node_splits": np.cumsum([0, *(len(trees[i].words) for i in chosen)]),
  }, vocabulary.size


def parsed_sentences(options: Options) -> list:
  """Returns UD's training sentences; for the bundled sample, its words with heads that are drawn.

  What is no treebank in CoNLL-U has no heads, so that the smallest runs need no file.
  """
  from recursive_tf.datasets import DependencyTree, load_sample, load_ud

  if options.data != "sample":
    return load_ud()["train"]
  rng = np.random.default_rng(0)
  sentences = []
  for tree in load_sample()["dev"][:20]:
    words = [node.word for node in tree.post_order() if node.word is not None]
    heads = [-1, *(int(rng.integers(max(0, i - 3), i)) for i in range(1, len(words)))]
    tags = rng.integers(0, 17, len(words)).tolist()
    sentences.append(DependencyTree(tuple(words), tuple(heads), tuple(tags)))
  return sentences


def _post_order(tree) -> tuple[list[int], list[list[int]]]:
  """Returns the words of a tree in post-order, and the children of each, counted in that order."""
  dependents: list[list[int]] = [[] for _ in tree.words]
  root = -1
  for position, head in enumerate(tree.heads):
    if head >= 0:
      dependents[head].append(position)
    else:
      root = position
  order, agenda = [], [root]
  while agenda:
    position = agenda.pop()
    order.append(position)
    kept, others = dependents[position][:MAX_CHILDREN], dependents[position][MAX_CHILDREN:]
    if others:
      dependents[kept[-1]] += others
    dependents[position] = kept
    agenda += kept
  order.reverse()
  place = {position: i for i, position in enumerate(order)}
  below = [[place[child] for child in dependents[position]] for position in order]
  return order, [row + [-1] * (MAX_CHILDREN - len(row)) for row in below]
