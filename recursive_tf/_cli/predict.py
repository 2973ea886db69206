"""`recursive-tf predict`: what a trained model says about sentences and trees.

Here of models that classify phrases; of those that have learnt from dependency trees in
`predict_dependencies`.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from recursive_tf._cli.output_file import check_writable, write_output
from recursive_tf._cli.predict_dependencies import predict_dependencies
from recursive_tf._cli.progress import warn
from recursive_tf._cli.threads import check_threads, set_threads
from recursive_tf._errors import CheckpointError, ConfigError, DataError
from recursive_tf.datasets.brackets import is_bracketed
from recursive_tf.datasets.ptb import BYTE_ORDER_MARK, ReadReport, decode_line, read_bytes
from recursive_tf.datasets.structure import Binarised
from recursive_tf.display import ShownTree
from recursive_tf.display.layout import Picture, make_picture
from recursive_tf.display.page import page
from recursive_tf.display.svg import svg
from recursive_tf.display.text import Style, brief_text, tree_text
from recursive_tf.training.labelling import Labelling
from recursive_tf.training.prediction import TrainedRun, describe_unknown, read_run
from recursive_tf.training.problem import Problem
from recursive_tf.training.registry import problem_of
from recursive_tf.training.relatedness import Relatedness
from recursive_tf.training.runs import load_run
from recursive_tf.training.tree_prediction import TreePrediction, tree_of_text

_PICTURES = ("svg", "png", "html")
_SIGNS = "├─…⇄−○"


class _Input:
  """Reads the trees to predict on, and notes what was done to them."""

  def __init__(self, structure: str | None, skip_bad: bool):
    self._structure = structure or "right"
    self._skip_bad = skip_bad
    self.report = ReadReport()
    self.num_plain = self.num_split = self.num_collapsed = 0

  def read(self, line: str | bytes, source: str, number: int = 1) -> Binarised | None:
    """Returns the tree of a line, None if it is a bad one that is left out.

    Raises:
      DataError: If it is bad.
    """
    try:
      text = line if isinstance(line, str) else decode_line(line, pathlib.Path(source), number)
      tree = tree_of_text(text, self._structure, source, number)
    except DataError as error:
      if not self._skip_bad:
        raise
      self.report.skip(error)
      return None
    self.num_plain += not is_bracketed(text)
    self.num_split += tree.num_split
    self.num_collapsed += tree.num_collapsed
    return tree

  def notes(self, words: Sequence[str]) -> list[str]:
    """Returns what a reader of the results has to know, `words` being those not known."""
    notes = []
    kind = {"right": "right-branching", "left": "left-branching"}.get(self._structure, "balanced")
    if self.num_plain:
      texts = "The text has" if self.num_plain == 1 else f"{self.num_plain:,} texts have"
      notes.append(
        f"{texts} no parse: a {kind} binary tree was assumed (--structure right, left or "
        "balanced; or give brackets)."
      )
    if self.num_split:
      notes.append(f"{_nodes(self.num_split)} with more than two children: split, {kind}.")
    if self.num_collapsed:
      notes.append(f"{_nodes(self.num_collapsed)} with one child: left out.")
    if words:
      unknown = describe_unknown(words)
      notes.append(f"{unknown[0].upper()}{unknown[1:]}.")
    if self.report.note:
      notes.append(self.report.note)
    return notes


def _nodes(count: int) -> str:
  return "1 node" if count == 1 else f"{count:,} nodes"


def predict(args: argparse.Namespace) -> int:
  """Runs the command; returns the exit status."""
  check_threads(args.threads)
  paths = {name: pathlib.Path(p) for name in _PICTURES if (p := getattr(args, name)) is not None}
  for name, path in paths.items():
    check_writable(path, f"--{name}")
  _check_different(paths, args.file)
  if args.trees and args.file is not None:
    raise ConfigError("Give the trees as arguments or as --file, not both.")
  problem = _problem(args.run)
  if isinstance(problem, Relatedness | Labelling):
    _be_lenient_with_output()
    return predict_dependencies(args, isinstance(problem, Relatedness), make_style(args.color))
  found = _Input(args.structure, args.skip_bad)
  if not args.trees and args.file is None and sys.stdin.isatty() and not paths:
    return _converse(args, found)
  trees = list(_read(args, found))  # All, before anything is computed: errors come first.
  if not trees:
    for note in found.notes(()):
      warn(note)
    raise DataError(f"{_source(args)}: there is no tree or sentence to predict on.")
  set_threads(args.threads)
  run = _load(args.run)
  predictions = run.predict_binarised(trees)
  shown = [prediction.shown() for prediction in predictions]
  notes = found.notes(predictions.unknown_words)
  # Before anything is printed: `| head` ends the process.
  written = _save(paths, shown, f"{run.config.model} ({run.directory})", notes)
  write = _writer(args)
  for prediction, tree in zip(predictions, shown, strict=True):
    write(prediction, tree)
  sys.stdout.flush()
  for note in [*notes, *written]:
    warn(note)
  return 0


def _check_different(paths: dict[str, pathlib.Path], source: str | None) -> None:
  """Checks that no output is written over another one, or over the trees.

  Raises:
    ConfigError: If one would be.
  """
  taken = {} if source is None else {pathlib.Path(source).resolve(): "--file"}
  for name, path in paths.items():
    other = taken.setdefault(path.resolve(), f"--{name}")
    if other != f"--{name}":
      raise ConfigError(f"--{name} {path}: this is the file of {other}. Give another name.")


def _problem(directory: str) -> Problem | None:
  """Returns what a run has learnt; None if there is no run, which is said later."""
  try:
    return problem_of(load_run(pathlib.Path(directory)))
  except CheckpointError:
    return None


def _load(directory: str) -> TrainedRun:
  run = read_run(directory)
  for note in run.restored.notes:
    warn(note)
  return run


def _converse(args: argparse.Namespace, found: _Input) -> int:
  """Answers line by line what a person types, errors included."""
  set_threads(args.threads)
  run = _load(args.run)
  warn("One sentence, or tree in brackets, a line. Ctrl-D ends.")
  write = _writer(args)
  for number, line in enumerate(sys.stdin, 1):
    if not line.strip():
      continue
    found = _Input(args.structure, args.skip_bad)
    try:
      tree = found.read(line.rstrip("\n"), "<stdin>", number)
    except DataError as error:
      warn(str(error))
      continue
    predictions = run.predict_binarised([tree] if tree else [])
    for prediction in predictions:
      write(prediction, prediction.shown())
    sys.stdout.flush()
    for note in found.notes(predictions.unknown_words):
      warn(note)
  return 0


def _source(args: argparse.Namespace) -> str:
  return args.file if args.file is not None else "<stdin>"


def _read(args: argparse.Namespace, found: _Input) -> Iterator[Binarised]:
  """Yields the trees of arguments, file or standard input."""
  if args.trees:
    lines = [_argument(text, number) for number, text in enumerate(args.trees, 1)]
  else:
    lines = list(_lines(_source(args), args.file is None))
  for text, source, number in lines:
    tree = found.read(text, source, number)
    if tree is not None:
      yield tree


def _argument(text: str, number: int) -> tuple[str | bytes, str, int]:
  """Returns (text, source, 1) of an argument."""
  source = f"<argument {number}>"
  try:
    text.encode("utf-8")
  except UnicodeEncodeError:  # Bytes that are no text in this locale.
    return os.fsencode(text), source, 1
  return text, source, 1


def _lines(source: str, is_stdin: bool) -> Iterator[tuple[str | bytes, str, int]]:
  """Yields (line, source, number) of the lines that are not blank."""
  content = sys.stdin.buffer.read() if is_stdin else read_bytes(pathlib.Path(source))
  for number, line in enumerate(content.removeprefix(BYTE_ORDER_MARK).split(b"\n"), 1):
    if line.strip():
      yield line.removesuffix(b"\r"), source, number


def _writer(args: argparse.Namespace) -> Callable[[TreePrediction, ShownTree], None]:
  """Returns what writes one prediction to standard output."""
  _be_lenient_with_output()
  if args.json:
    return lambda prediction, tree: print(json.dumps(as_json(prediction, tree)))
  if args.brief:
    return lambda prediction, tree: print(brief_text(tree))
  style = make_style(args.color)
  return lambda prediction, tree: print(tree_text(tree, style) + "\n")


def _be_lenient_with_output() -> None:
  """Lets standard output have words in other scripts, in a C locale, too."""
  if hasattr(sys.stdout, "reconfigure"):
    sys.stdout.reconfigure(errors="backslashreplace")


def make_style(color: str) -> Style:
  """Returns how to write to standard output; `color` is "auto", "always" or "never"."""
  is_terminal = sys.stdout.isatty()
  is_plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
  is_colored = color == "always" or (color == "auto" and is_terminal and not is_plain)
  try:
    _SIGNS.encode(sys.stdout.encoding or "ascii")
    is_ascii = False
  except UnicodeEncodeError:
    is_ascii = True
  return Style(is_colored, is_ascii, shutil.get_terminal_size().columns if is_terminal else None)


def as_json(prediction: TreePrediction, tree: ShownTree) -> dict[str, Any]:
  """Returns a prediction as what JSON has; nodes in post-order, `children` are their places."""
  names = prediction.class_names
  nodes = []
  for place, (node, own) in enumerate(zip(tree.nodes, prediction.tree.post_order(), strict=True)):
    row = prediction.probabilities[place]
    nodes.append(
      {
        "text": tree.text_of(node),
        "span": [node.start, node.end],
        "children": list(node.children),
        "label": own.label if own.label >= 0 else None,
        "class": names[node.predicted],
        "probabilities": {name: float(p) for name, p in zip(names, row, strict=True)},
        "flips": node.is_flip,
        "known": not node.is_unknown,
      }
    )
  root = nodes[-1]
  return {
    "text": root["text"],
    "tree": str(prediction.tree),
    "class": root["class"],
    "probabilities": root["probabilities"],
    "unknown_words": list(prediction.unknown_words),
    "nodes": nodes,
  }


def _save(
  paths: dict[str, pathlib.Path], trees: list[ShownTree], title: str, notes: list[str]
) -> list[str]:
  """Writes the pictures and the page that were asked for; returns what is to be said about them."""
  if not paths:
    return []
  pictures = [make_picture(tree) for tree in trees]
  # First, since it alone may be too large to be made.
  has_all_characters = "png" not in paths or _save_png(pictures, paths["png"])
  if "svg" in paths:
    text = svg(pictures)
    write_output(paths["svg"], "--svg", lambda part: part.write_text(text, "utf-8"))
  if "html" in paths:
    html = page(trees, title, notes)
    write_output(paths["html"], "--html", lambda part: part.write_text(html, "utf-8"))
  written = [f"written: {path}" for path in paths.values()]
  if not has_all_characters:
    written.append(
      f"{paths['png']}: the fonts here lack some characters, drawn as boxes. --svg has them all."
    )
  return written


def _save_png(pictures: list[Picture], path: pathlib.Path) -> bool:
  """Writes a picture; returns whether the fonts have all its characters."""
  # Here, because Matplotlib takes a second to import.
  from recursive_tf.display.png import save_png

  complete: list[bool] = []
  write_output(path, "--png", lambda part: complete.append(save_png(pictures, part)))
  return all(complete)
