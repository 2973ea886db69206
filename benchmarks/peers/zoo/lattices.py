"""Sentences as lattices: characters without spaces, and the words of a lexicon found in them.

Packed: `char` int32 [N], `label` int32 [N], 1 where a word begins; `node_splits` int64 [T + 1].
`word_splits` int64 [N + 1]: the words that end at character n are those from `word_splits[n]` up to
`word_splits[n + 1]` of `words` int32 [W, 2], ids and lengths, in characters. Characters and words
share the ids.
"""

from __future__ import annotations

import collections

import numpy as np

from benchmarks.options import Options
from benchmarks.peers.zoo.trees import parsed_sentences
from benchmarks.treebanks import Packed

MAX_LENGTH = 6  # Of a word in the lexicon.
_LEXICON = 2_000
_MAX_CHARS = 128


def unspaced_sentences(options: Options, num_sentences: int) -> tuple[Packed, int]:
  """Returns sentences of at most 128 characters, in lower case; and how many ids there are.

  The lexicon is the commonest words of two to six characters.
  """
  sentences = [[word.lower() for word in tree.words] for tree in parsed_sentences(options)]
  sentences = [words for words in sentences if sum(map(len, words)) <= _MAX_CHARS]
  counts = collections.Counter(word for words in sentences for word in words)
  known = sorted((w for w in counts if 2 <= len(w) <= MAX_LENGTH), key=lambda w: (-counts[w], w))
  chars = sorted({char for word in counts for char in word})
  ids = {text: i for i, text in enumerate([*chars, *known[:_LEXICON]])}
  chosen = np.random.default_rng(options.seed).permutation(len(sentences))[:num_sentences]
  char, label, words, splits, word_splits = [], [], [], [0], [0]
  for index in chosen:
    text = "".join(sentences[index])
    starts = np.cumsum([0, *map(len, sentences[index])])[:-1]
    label += np.isin(np.arange(len(text)), starts).astype(int).tolist()
    for end in range(len(text)):
      char.append(ids[text[end]])
      for length in range(2, min(MAX_LENGTH, end + 1) + 1):
        piece = text[end + 1 - length : end + 1]
        if piece in ids:
          words.append((ids[piece], length))
      word_splits.append(len(words))
    splits.append(len(char))
  return {
    "char": np.array(char, np.int32),
    "label": np.array(label, np.int32),
    "node_splits": np.array(splits, np.int64),
    "words": np.array(words, np.int32).reshape(-1, 2),
    "word_splits": np.array(word_splits, np.int64),
  }, len(ids)
