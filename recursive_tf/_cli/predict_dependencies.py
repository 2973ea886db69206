"""`recursive-tf predict` where a model has learnt from dependency trees: of pairs, or of words."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from recursive_tf._cli.progress import count, warn
from recursive_tf._cli.threads import set_threads
from recursive_tf._errors import ConfigError, DataError
from recursive_tf.datasets import UD_RELATIONS, DependencyTree, ReadReport, load_sick_split
from recursive_tf.datasets.conllu import is_conllu, parse_conllu
from recursive_tf.datasets.ptb import BYTE_ORDER_MARK, decode_line, read_bytes
from recursive_tf.display.text import Style, printable
from recursive_tf.training.dependency_prediction import (
  ROOT,
  SCORES,
  PairPrediction,
  RelationPrediction,
  sentence_tree,
)
from recursive_tf.training.prediction import TrainedRun, describe_unknown, read_run

_TAKEN_FOR = {
  "right": "each word depends on the one before it",
  "left": "each word depends on the one after it",
  "balanced": "the middle word is the root, and so on in both halves",
}
# Nearest to parses on SICK's dev split: docs/predict.md has the figures.
_DEFAULT = "balanced"
_STDIN = "<stdin>"


class _Given(NamedTuple):
  """What to predict on.

  Attributes:
    trees: sentences; of pairs, both of a pair in turn.
    expected: the relatedness of each pair, where it is known.
  """

  trees: list[DependencyTree]
  expected: list[float]


class _Reader:
  """Reads sentences, and notes what was done to them."""

  def __init__(self, args: argparse.Namespace, of_pairs: bool):
    self._structure = args.structure or _DEFAULT
    self._skip_bad = args.skip_bad
    self._of_pairs = of_pairs
    self._num_plain = 0
    self.report = ReadReport()

  def read(self, args: argparse.Namespace) -> _Given:
    """Reads arguments, file, folder of SICK's, or standard input.

    Raises:
      ConfigError, DataError: If there is nothing to predict on, or it is malformed.
    """
    if args.trees:
      return _Given(self._arguments(args.trees), [])
    source = _STDIN if args.file is None else args.file
    if args.file is not None and pathlib.Path(source).is_dir():
      return self._folder(pathlib.Path(source))
    is_stdin = args.file is None
    content = sys.stdin.buffer.read() if is_stdin else read_bytes(pathlib.Path(source))
    if is_conllu(content):
      trees = parse_conllu(content, source, skip_bad=self._skip_bad, report=self.report)
    else:
      trees = self._lines(content, source)
    if not trees:
      what = "pair" if self._of_pairs else "sentence"
      raise DataError(f"{source}: there is no {what} to predict on.")
    if self._of_pairs and len(trees) % 2:
      raise DataError(
        f"{source}: expected pairs of sentences, one after the other, got {len(trees):,} sentences."
      )
    return _Given(trees, [])

  def notes(self, words: Sequence[str]) -> list[str]:
    """Returns what a reader of the results has to know, `words` being those not known."""
    notes = []
    if self._num_plain:
      have = "1 sentence has" if self._num_plain == 1 else f"{self._num_plain:,} sentences have"
      notes.append(
        f"{have} no parse: a tree was assumed in which {_TAKEN_FOR[self._structure]} (--structure "
        "right, left or balanced; or give CoNLL-U)."
      )
    if words:
      unknown = describe_unknown(words)
      notes.append(f"{unknown[0].upper()}{unknown[1:]}.")
    if self.report.note:
      notes.append(self.report.note)
    return notes

  def _plain(self, text: str, source: str, number: int) -> DependencyTree:
    tree = sentence_tree(text, self._structure, source, number)
    self._num_plain += 1
    return tree

  def _arguments(self, texts: Sequence[str]) -> list[DependencyTree]:
    if not self._of_pairs:
      raise _needs_heads("<argument 1>")
    if len(texts) % 2:
      raise DataError(f"Expected pairs of sentences, got {count(len(texts), 'argument')}.")
    found = []
    for number, text in enumerate(texts, 1):
      source = f"<argument {number}>"
      text = decode_line(os.fsencode(text), pathlib.Path(source), 1)
      found.append(self._plain(text, source, 1))
    return found

  def _folder(self, folder: pathlib.Path) -> _Given:
    """Reads one split of SICK, a folder of eight files."""
    if not self._of_pairs:
      raise DataError(f"{folder}: expected a file of CoNLL-U, got a directory.")
    if self._skip_bad:
      raise ConfigError("--skip-bad: the files of SICK have a line for each pair. Leave it out.")
    pairs = load_sick_split(folder.resolve().parent, folder.resolve().name)
    if not pairs:
      raise DataError(f"{folder}: there is no pair to predict on.")
    trees = [tree for pair in pairs for tree in (pair.a, pair.b)]
    return _Given(trees, [pair.relatedness for pair in pairs])

  def _lines(self, content: bytes, source: str) -> list[DependencyTree]:
    """Reads two sentences a line, with a tab between."""
    found = []
    for number, line in enumerate(content.removeprefix(BYTE_ORDER_MARK).split(b"\n"), 1):
      if not line.strip():
        continue
      if not self._of_pairs:
        raise _needs_heads(f"{source}:{number}")
      try:
        text = decode_line(line.removesuffix(b"\r"), pathlib.Path(source), number, "pair")
        parts = text.split("\t")
        if len(parts) != 2:
          got = count(len(parts), "part")
          raise DataError(
            f"{source}:{number}: expected two sentences with a tab between, or CoNLL-U; got {got}."
          )
        found += [self._plain(part, source, number) for part in parts]
      except DataError as error:
        if not self._skip_bad:
          raise
        self.report.skip(error)
    return found


def predict_dependencies(args: argparse.Namespace, of_pairs: bool, style: Style) -> int:
  """Runs the command for a run of `Relatedness`, or of `Labelling`; returns the exit status."""
  for name in ("svg", "png", "html"):
    if getattr(args, name) is not None:
      raise ConfigError(
        f"--{name}: pictures are of trees of phrases; {args.run} has learnt from dependency trees. "
        "Leave it out, or use --json."
      )
  if not args.trees and args.file is None and sys.stdin.isatty():
    what = "Two sentences a line, with a tab between, or CoNLL-U" if of_pairs else "CoNLL-U"
    warn(f"{what}. Ctrl-D ends.")
  reader = _Reader(args, of_pairs)
  given = reader.read(args)  # All, before anything is computed: errors come first.
  set_threads(args.threads)
  run = read_run(args.run)
  for note in run.restored.notes:
    warn(note)
  lines, words = (_pairs if of_pairs else _relations)(run, given, args, style)
  for line in lines:
    print(line)
  sys.stdout.flush()
  for note in reader.notes(words):
    warn(note)
  return 0


def _needs_heads(place: str) -> DataError:
  return DataError(
    f"{place}: expected CoNLL-U, ten columns with tabs between: the model labels the relation of "
    "each word to its head, so the heads (column 7) have to be given. As --file, or standard input."
  )


def _pairs(
  run: TrainedRun, given: _Given, args: argparse.Namespace, style: Style
) -> tuple[Iterable[str], Sequence[str]]:
  """Returns what to print about pairs, and the words that the model does not know."""
  found = run.predict_parsed_pairs(list(zip(given.trees[::2], given.trees[1::2], strict=True)))
  expected: Sequence[float | None] = given.expected or [None] * len(found)
  make = _form(args, pair_as_json, _brief_pair, lambda pair, score: _pair_text(pair, score, style))
  lines = (make(pair, score) for pair, score in zip(found, expected, strict=True))
  return lines, _distinct(found)


def _relations(
  run: TrainedRun, given: _Given, args: argparse.Namespace, style: Style
) -> tuple[Iterable[str], Sequence[str]]:
  """Returns what to print about sentences, and the words that the model does not know."""
  found = run.predict_parsed_relations(given.trees)
  make = _form(args, relations_as_json, _brief_relations, lambda each: _table(each, style))
  return map(make, found), _distinct(found)


def _form(args: argparse.Namespace, as_json: Any, brief: Any, text: Any) -> Callable[..., str]:
  if args.json:
    return lambda *found: json.dumps(as_json(*found))
  return brief if args.brief else text


def _distinct(found: Iterable[PairPrediction | RelationPrediction]) -> tuple[str, ...]:
  return tuple(dict.fromkeys(word for each in found for word in each.unknown_words))


def pair_as_json(pair: PairPrediction, expected: float | None) -> dict[str, Any]:
  """Returns a prediction as what JSON has; heads are numbers of words, 0 of the root."""
  sides = {
    side: {"words": list(tree.words), "heads": [head + 1 for head in tree.heads]}
    for side, tree in (("a", pair.a), ("b", pair.b))
  }
  return {
    "relatedness": pair.relatedness,
    "expected": expected,
    "probabilities": dict(zip(SCORES, map(float, pair.probabilities), strict=True)),
    **sides,
    "unknown_words": list(pair.unknown_words),
  }


def relations_as_json(found: RelationPrediction) -> dict[str, Any]:
  """Returns a prediction as what JSON has, a word each; `given` is the file's own relation."""
  words = []
  tree = found.tree
  for place, relation in enumerate(found.relations):
    row = found.probabilities[place]
    is_root = tree.heads[place] < 0
    words.append(
      {
        "word": tree.words[place],
        "head": tree.heads[place] + 1,
        "relation": relation,
        "probabilities": None if is_root else dict(zip(UD_RELATIONS, map(float, row), strict=True)),
        "given": _given_relation(tree, place),
        "known": not found.is_unknown[place],
      }
    )
  return {"text": str(tree), "words": words, "unknown_words": list(found.unknown_words)}


def _given_relation(tree: DependencyTree, place: int) -> str | None:
  """Returns the relation that the file has, if it has one, without what divides it further."""
  name = tree.relations[place].partition(":")[0] if tree.relations else ""
  return name if name in (*UD_RELATIONS, ROOT) else None


def _brief_pair(pair: PairPrediction, expected: float | None) -> str:
  return "\t".join([f"{pair.relatedness:.3f}", _line(pair.a), _line(pair.b)])


def _pair_text(pair: PairPrediction, expected: float | None, style: Style) -> str:
  people = "" if expected is None else f", people {expected:.2f}"
  shares = ", ".join(
    f"{score}: {share:.0%}" for score, share in zip(SCORES, pair.probabilities, strict=True)
  )
  value = _bold(f"{pair.relatedness:.2f}", style)
  return f"{value} of 5{people}  ({shares})\n  {_line(pair.a)}\n  {_line(pair.b)}\n"


def _brief_relations(found: RelationPrediction) -> str:
  words = map(_clean, found.tree.words)
  return " ".join(f"{word}/{name}" for word, name in zip(words, found.relations, strict=True))


def _table(found: RelationPrediction, style: Style) -> str:
  """Returns a line for each word: number, word, relation, probability, head."""
  tree, words = found.tree, [_clean(word) for word in found.tree.words]
  width, digits = max(map(len, words)), len(str(len(words)))
  longest = max(map(len, found.relations))
  lines = [" ".join(words)]
  for place, (word, relation) in enumerate(zip(words, found.relations, strict=True)):
    head = tree.heads[place]
    line = f"  {place + 1:>{digits}}  {word:<{width}}  {_bold(relation.ljust(longest), style)}"
    if head >= 0:
      line += f"  {np.max(found.probabilities[place]):>4.0%}  of {head + 1} {words[head]}"
    given = _given_relation(tree, place)
    notes = [f"given as {given}"] if given not in (None, relation) else []
    notes += ["unknown word"] if found.is_unknown[place] else []
    lines.append((line + (f"  ({', '.join(notes)})" if notes else "")).rstrip())
  return "\n".join([*lines, ""])


def _line(tree: DependencyTree) -> str:
  return " ".join(map(_clean, tree.words))


def _clean(word: str) -> str:
  """Returns a word without what a terminal, or a table, would take for commands."""
  return printable(word.replace("\n", " "))


def _bold(text: str, style: Style) -> str:
  return f"\x1b[1m{text}\x1b[0m" if style.is_colored else text
