"""A vocabulary: words to ids and back."""

from __future__ import annotations

import collections
import os
import pathlib
from collections.abc import Iterable

from recursive_tf._errors import DataError
from recursive_tf.datasets.tree import Tree

UNKNOWN = "<unk>"


class Vocabulary:
  """Maps words to ids; id 0 stands for every word it does not hold. Immutable.

  Attributes:
    words: tuple of str, the word of each id; `words[0]` is `UNKNOWN`.
  """

  def __init__(self, words: Iterable[str]):
    """Gives the ids 1, 2, ... to `words` in their order; `UNKNOWN` among them is passed over.

    Raises:
      DataError: If a word is given twice.
    """
    self.words: tuple[str, ...] = (UNKNOWN, *(word for word in words if word != UNKNOWN))
    self._ids = {word: index for index, word in enumerate(self.words)}
    if len(self._ids) != len(self.words):
      word, count = collections.Counter(self.words).most_common(1)[0]
      raise DataError(f"Vocabulary: word {word!r} is given {count} times. Pass each word once.")

  @classmethod
  def from_trees(cls, trees: Iterable[Tree], min_count: int = 1) -> Vocabulary:
    """Collects the words of `trees` that occur at least `min_count` times.

    Ids follow frequency, equal ones the alphabet, so equal trees give equal vocabularies.
    """
    counts = collections.Counter(
      node.word for tree in trees for node in tree.post_order() if node.word is not None
    )
    kept = [item for item in counts.items() if item[1] >= min_count]
    return cls(word for word, _ in sorted(kept, key=lambda item: (-item[1], item[0])))

  @property
  def size(self) -> int:
    """Number of ids, the unknown word's included: the number of rows of an embedding."""
    return len(self.words)

  def __len__(self) -> int:
    return self.size

  def __contains__(self, word: str) -> bool:
    return word in self._ids

  def __eq__(self, other: object) -> bool:
    return isinstance(other, Vocabulary) and self.words == other.words

  def __hash__(self) -> int:
    return hash(self.words)

  def __repr__(self) -> str:
    return f"<Vocabulary of {self.size} words>"

  def lookup(self, word: str) -> int:
    """Returns the word's id, 0 for an unknown word."""
    return self._ids.get(word, 0)

  def save(self, path: str | os.PathLike[str]) -> None:
    """Writes one word a line in the order of the ids, UTF-8.

    Raises:
      DataError: If a word holds a line feed.
    """
    for word in self.words:
      if "\n" in word:
        raise DataError(
          f"Vocabulary.save: word {word!r} holds a line feed, which ends a word in the file. "
          "Remove it from the data."
        )
    text = "".join(f"{word}\n" for word in self.words)
    pathlib.Path(path).write_bytes(text.encode("utf-8"))

  @classmethod
  def load(cls, path: str | os.PathLike[str]) -> Vocabulary:
    """Reads what `save` wrote.

    Raises:
      DataError: If the file cannot be read or is no vocabulary.
    """
    try:
      text = pathlib.Path(path).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
      reason = getattr(error, "strerror", None) or error
      raise DataError(f"{path}: cannot read the vocabulary: {reason}.") from error
    # Not splitlines: it also splits inside words, at U+0085 and others.
    words = text.split("\n")
    if words[0] != UNKNOWN:
      raise DataError(
        f"{path}:1: expected {UNKNOWN!r} on the first line, got {words[0]!r}. Write the file with "
        "Vocabulary.save."
      )
    if words[-1] != "":
      raise DataError(
        f"{path}:{len(words)}: expected a line feed after the last word, {words[-1]!r}. Is the "
        "file cut short? Write it with Vocabulary.save."
      )
    return cls(words[1:-1])
