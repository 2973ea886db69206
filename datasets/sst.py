"""The Stanford Sentiment Treebank: phrases of film reviews with a sentiment on every node.

Socher et al., "Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank",
EMNLP 2013. Labels 0..4 run from very negative to very positive; trees are strictly binary.
"""

from __future__ import annotations

import os
import pathlib

from recursive_tf._errors import DataError
from recursive_tf.datasets import _download, _locations
from recursive_tf.datasets.ptb import Reader, ReadReport
from recursive_tf.datasets.tree import Tree
from recursive_tf.datasets.treebank import SPLITS, find_splits, load_treebank

SOURCE = (
  "https://raw.githubusercontent.com/neubig/nn4nlp-code/"
  "970d91a51664b3d91a9822b61cd76abea20218cb/data/trees"
)
SHA256 = {
  "train": "e2f3f41b0b1e6d4dddc0effe3bfc2d27ed8928079aa9a03d652311614fc5feb7",
  "dev": "0e9336aed6e4730e19f58d00a77b3f0297efdb755f7b5e598c98a05e3f97ea40",
  "test": "6e54806dee95cf80cd918e7dfb3f6770f6df24bf826f289a4d1f709e1c8f6761",
}


def load_sst(
  path: str | os.PathLike[str] | None = None,
  *,
  download: bool = True,
  reader: Reader = "fast",
  skip_bad: bool = False,
  progress: bool = False,
  report: ReadReport | None = None,
) -> dict[str, list[Tree]]:
  """Loads the treebank.

  It is looked for, in this order, in `path` (and then nowhere else), in `$RECURSIVE_TF_DATA/sst`,
  and in the cache (`~/.cache/recursive_tf/sst`, or below XDG_CACHE_HOME), whose files are
  downloaded when they are missing or do not have the right checksum.

  Args:
    path: directory with train, dev and test, each as .txt or .txt.gz.
    download: whether missing files may be downloaded.
    reader: "fast" or "nltk", as in `read_ptb`.
    skip_bad: leave malformed lines out and count them, instead of raising at the first.
    progress: show bars for what takes long, where stderr is a terminal.
    report: counts are added to it.

  Returns:
    {"train": 8544 trees, "dev": 1101, "test": 2210}.

  Raises:
    DataError: If the files are neither there nor can be had, or one is malformed.
  """
  directory = pathlib.Path(path) if path is not None else _find(download, progress)
  return load_treebank(
    directory, reader=reader, skip_bad=skip_bad, progress=progress, report=report
  )


def _find(may_download: bool, progress: bool) -> pathlib.Path:
  data = _locations.data_directory()
  if data is not None and len(find_splits(data / "sst")) == len(SPLITS):
    return data / "sst"
  cache = _locations.cache_directory() / "sst"
  missing = [s for s in SPLITS if not _download.has_checksum(cache / f"{s}.txt", SHA256[s])]
  reason = "download=False" if missing and not may_download else None
  try:
    for split in missing if may_download else ():
      url, target = f"{SOURCE}/{split}.txt", cache / f"{split}.txt"
      _download.download(url, target, SHA256[split], progress=progress)
  except DataError as error:
    raise DataError(_explain(cache, data, str(error))) from error
  if reason:
    raise DataError(_explain(cache, data, reason))
  return cache


def _explain(cache: pathlib.Path, data: pathlib.Path | None, reason: str) -> str:
  """Says which files to put where."""
  variable = _locations.DATA_VARIABLE
  looked = f"{data / 'sst'} (${variable}/sst)" if data else f"${variable} (not set)"
  return (
    "The Stanford Sentiment Treebank is not on this machine and could not be downloaded.\n"
    f"  reason: {reason}\n"
    f"  looked in: {looked}; {cache}\n"
    "Without a network, get these three files on a machine that has one:\n"
    + "".join(f"  {SOURCE}/{split}.txt\n" for split in SPLITS)
    + "and put them (as .txt or .txt.gz) into a directory DIR, then do one of these:\n"
    f"  copy them to {cache} (as .txt);\n"
    f"  name DIR `sst` and set {variable} to the directory that holds it;\n"
    "  pass the path: load_sst('DIR'), or on the command line --data DIR."
  )
