"""The grammar that makes the bundled sample treebank.

Every sentence is a film review with a sentiment in -2..2 on every node (label = sentiment + 2),
which follows from the sentiments of the two children and from the function word that joins them:

    very X, truly X        stronger: +-1 becomes +-2
    slightly X, rather X   weaker: +-2 becomes +-1
    not X, never X,        turned round and weakened: good 1 -> -1, brilliant 2 -> -1,
    nobody says that X     bad -1 -> 1, awful -2 -> 1
    X but Y                Y decides
    although X , Y         Y decides
    Y although X           Y decides
    X and Y                the stronger of the two; equal and opposite ones cancel

So the same words in another order have the opposite sentiment ("dull but moving", "moving but
dull"), and a bag of words cannot tell them apart. Everything is drawn from one seed:

    python -m recursive_tf.datasets.sample_grammar DIRECTORY

writes the files of `datasets/data` again, byte for byte.
"""

from __future__ import annotations

import pathlib
import random
import sys
from collections.abc import Sequence
from typing import TypeVar

from recursive_tf.datasets.ptb import write_ptb
from recursive_tf.datasets.tree import Tree

SEED = 2018
NUM_TREES = {"train": 480, "dev": 120, "test": 200}

_NEUTRAL = 2
_SUBJECTS = ("film", "story", "script", "cast", "ending", "music", "dialogue", "hero")
_ADJECTIVES = {
  -2: ("awful", "dreadful", "unbearable"),
  -1: ("dull", "bad", "clumsy", "silly"),
  0: ("long", "french", "recent"),
  1: ("good", "moving", "witty", "clever"),
  2: ("brilliant", "superb", "magnificent"),
}
_VERBS = {
  -2: ("appals",),
  -1: ("bores", "annoys"),
  1: ("charms", "amuses"),
  2: ("enchants",),
}
_INTENSIFIERS = ("very", "truly")
_DIMINISHERS = ("slightly", "rather")
_REPORTERS = ("critics", "viewers")

_Item = TypeVar("_Item")


class _Draw:
  """Random choices that stay the same in every Python version.

  Python keeps only `random()` itself unchanged, not what `choice` makes of it.
  """

  def __init__(self, seed: int):
    self._random = random.Random(seed)

  def chance(self, probability: float) -> bool:
    return self._random.random() < probability

  def choice(self, items: Sequence[_Item]) -> _Item:
    return items[int(self._random.random() * len(items))]


def negate(label: int) -> int:
  """Returns the label of "not X": the other side, and never strong."""
  return _NEUTRAL - _sign(label)


def intensify(label: int) -> int:
  """Returns the label of "very X"."""
  return _NEUTRAL + 2 * _sign(label)


def diminish(label: int) -> int:
  """Returns the label of "slightly X"."""
  return _NEUTRAL + _sign(label)


def conjoin(left: int, right: int) -> int:
  """Returns the label of "X and Y": the stronger one, neutral where they cancel."""
  a, b = left - _NEUTRAL, right - _NEUTRAL
  if a == -b:
    return _NEUTRAL
  return _NEUTRAL + (a if abs(a) >= abs(b) else b)


def generate(num_trees: int, seed: int = SEED) -> list[Tree]:
  """Generates trees of different sentences, a pure function of the arguments."""
  draw = _Draw(seed)
  trees: dict[str, Tree] = {}
  while len(trees) < num_trees:
    clause = _sentence(draw)
    tree = _join(clause.label, clause, _word("."))
    # Another bracketing of the same words would let a split leak into another.
    trees.setdefault(" ".join(tree.words()), tree)
  return list(trees.values())


def write_sample(directory: pathlib.Path) -> None:
  """Writes the files of the sample treebank into `directory`."""
  trees = generate(sum(NUM_TREES.values()))
  start = 0
  for split, count in NUM_TREES.items():
    write_ptb(directory / f"sample_{split}.txt", trees[start : start + count])
    start += count


def _sign(label: int) -> int:
  return (label > _NEUTRAL) - (label < _NEUTRAL)


def _word(word: str, label: int = _NEUTRAL) -> Tree:
  return Tree(label, word)


def _join(label: int, left: Tree, right: Tree) -> Tree:
  return Tree(label, None, (left, right))


def _sentence(draw: _Draw) -> Tree:
  """X | X but Y | although X , Y | Y although X | X and Y."""
  first = _embedded(draw)
  if draw.chance(0.4):
    return first
  second = _embedded(draw)
  form = draw.choice(("but", "but", "although first", "although last", "and"))
  if form == "but":
    comma = _join(first.label, first, _word(","))
    return _join(second.label, comma, _join(second.label, _word("but"), second))
  if form == "although first":
    concession = _join(first.label, _word("although"), first)
    comma = _join(first.label, concession, _word(","))
    return _join(second.label, comma, second)
  if form == "although last":
    return _join(first.label, first, _join(second.label, _word("although"), second))
  right = _join(second.label, _word("and"), second)
  return _join(conjoin(first.label, second.label), first, right)


def _embedded(draw: _Draw) -> Tree:
  """CLAUSE | nobody says that CLAUSE | critics say that CLAUSE."""
  clause = _clause(draw)
  if not draw.chance(0.25):
    return clause
  that = _join(clause.label, _word("that"), clause)
  if draw.chance(0.5):
    label = negate(clause.label)
    return _join(label, _word("nobody"), _join(clause.label, _word("says"), that))
  report = _join(clause.label, _word("say"), that)
  return _join(clause.label, _word(draw.choice(_REPORTERS)), report)


def _clause(draw: _Draw) -> Tree:
  """The SUBJECT PREDICATE."""
  subject = _join(_NEUTRAL, _word("the"), _word(draw.choice(_SUBJECTS)))
  predicate = _verb_phrase(draw) if draw.chance(0.3) else _copula(draw)
  return _join(predicate.label, subject, predicate)


def _verb_phrase(draw: _Draw) -> Tree:
  """VERB us | never VERB us."""
  sentiment = draw.choice(tuple(_VERBS))
  verb = _word(draw.choice(_VERBS[sentiment]), _NEUTRAL + sentiment)
  phrase = _join(verb.label, verb, _word("us"))
  if draw.chance(0.45):
    return _join(negate(phrase.label), _word("never"), phrase)
  return phrase


def _copula(draw: _Draw) -> Tree:
  """Is ADJECTIVE, with a degree word before it or not, and "not" before both or not."""
  sentiment = draw.choice((-2, -1, -1, 0, 1, 1, 2))
  phrase = _word(draw.choice(_ADJECTIVES[sentiment]), _NEUTRAL + sentiment)
  if draw.chance(0.25):
    phrase = _join(intensify(phrase.label), _word(draw.choice(_INTENSIFIERS)), phrase)
  elif draw.chance(0.25):
    phrase = _join(diminish(phrase.label), _word(draw.choice(_DIMINISHERS)), phrase)
  if draw.chance(0.45):
    phrase = _join(negate(phrase.label), _word("not"), phrase)
  return _join(phrase.label, _word("is"), phrase)


if __name__ == "__main__":
  write_sample(pathlib.Path(sys.argv[1]))
