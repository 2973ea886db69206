"""Readers against damaged files: each gives what it read, or a DataError that names the place.

    make fuzz                      ten minutes; FUZZ_ARGS="--seconds 60 --seed 3"

A file that reaches lines of the readers that none before it reached is kept, and damaged further:
the search is guided by coverage. Nothing has to be installed for it.
"""

import argparse
import gzip
import io
import pathlib
import random
import sys
import tarfile
import tempfile
import time
import warnings

import recursive_tf.datasets as datasets
from recursive_tf._errors import DataError
from recursive_tf.datasets import (
  PackedNaryTrees,
  PackedPairs,
  PackedRelations,
  PackedTrees,
  ReadReport,
  Vocabulary,
  conllu,
  load_sick_split,
  parse_brackets,
  read_ptb,
  read_vectors,
)

WORDS = Vocabulary(["the", "film", "dogs"])
_FOLDER = str(pathlib.Path(datasets.__file__).resolve().parent)

_TREES = [
  b"(3 (2 not) (4 (_ very) (2 good)))\n\n(1 (2 it) (0 \xc3\xa9))\n",
  b"\xef\xbb\xbf(2 a)\r\n(0 (1 -LRB-) (2 b\xc2\xa0c))",
  b"(S (NP it) (VP (VBZ is) (JJ good)))\n(not (very good))\n",
]
_CONLLU = [
  b"# text = They can't go\n1\tThey\tthey\tPRON\tPRP\tCase=Nom|Number=Plur\t4\tnsubj\t_\t_\n"
  b"2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_\n2\tca\tcan\tAUX\tMD\t_\t4\taux\t_\t_\n"
  b"3\tn't\tnot\tPART\tRB\t_\t4\tadvmod:x\t_\t_\n4\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"
  b"4.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_\n\n1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\r\n"
]
_VECTORS = [
  b"the 0.1 -2 3e-1\nof 1 1 1\nfilm 4 5 6\n",
  b"\xef\xbb\xbf2 2\nthe 1 2\nNew York 3 4\n",
  b"film 1e-300\n\xff 2\nthe 3\n",
]
_SICK = {
  "a.toks": "Two dogs sleep\nNobody sings\n",
  "a.parents": "2 3 0\n2 0\n",
  "a.rels": "num nsubj root\nnsubj root\n",
  "b.toks": "Dogs sleep\nA man sings\n",
  "b.parents": "2 0\n2 3 0\n",
  "b.rels": "nsubj root\ndet nsubj root\n",
  "sim.txt": "4.7\n3\n",
  "id.txt": "12\n40\n",
}


def _archive(texts):
  buffer = io.BytesIO()
  with tarfile.open(fileobj=buffer, mode="w") as archive:
    for split in ("train", "dev", "test"):
      for name, text in texts.items():
        member = tarfile.TarInfo(f"sick/{split}/{name}")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text.encode()))
  return buffer.getvalue()


def _read_trees(path):
  for binary in (True, False):
    trees = read_ptb(path, binary=binary)
    PackedNaryTrees.pack(trees, WORDS)
    if binary:
      PackedTrees.pack(trees, WORDS)


def _read_bracketed(path):
  lines = path.read_bytes().decode("utf-8", "replace").split("\n")[:-1]
  for number, line in enumerate(lines, 1):
    PackedNaryTrees.pack([parse_brackets(line, source=str(path), line_number=number)], WORDS)


def _read_conllu(path):
  PackedRelations.pack(conllu.read_conllu(path), WORDS)


def _read_vectors(path):
  assert read_vectors(path, WORDS).vectors.shape[0] == WORDS.size


def _read_sick(path):
  PackedPairs.pack(load_sick_split(path.parent, "dev"), WORDS)


# What reads a file of this name, and well-formed contents of it.
READERS = {
  "trees": (_read_trees, "trees.txt", _TREES[:2]),
  "brackets": (_read_bracketed, "brackets.txt", _TREES[2:]),
  "conllu": (_read_conllu, "a.conllu", _CONLLU),
  "vectors": (_read_vectors, "v.txt", _VECTORS),
  # All columns of a split in one file, so that each can be damaged.
  "sick": (_read_sick, "sick_dep.tar.gz", [_archive(_SICK)]),
}
_PIECES = [
  *(b"(", b")", b" ", b"\t", b"\n", b"\r\n", b"0", b"1", b"5", b"-1", b"_", b"the", b"root"),
  *(b"\x00", b"\x1b", b"\xff", b"\xc3", b"\xef\xbb\xbf", b"PK\x03\x04", b"\x1f\x8b", b"(" * 3000),
  *(b"9" * 30, b"1.5", b"nan", b"1e400", b"1_0", b"|", b"=", b"#", b"2-3", b"4.1"),
  *("\u00a0".encode(), "\u2028".encode(), "\u0085".encode(), "\u0663".encode()),
  *(b"3 100000000000\n", b"9" * 5000 + b" 3\n"),
]


def damage(content, random_number):
  """Returns `content` damaged in one place; `random_number(n)` is one of 0 .. n - 1."""
  at = random_number(len(content) + 1)
  length = min((0, 1, 2, 8, 60)[random_number(5)], len(content) - at)
  end = at + length
  kind = random_number(7)
  if kind == 0:
    return content[:at] + content[end:]
  if kind == 1:  # Twice.
    return content[:end] + content[at:]
  if kind == 2:  # Another byte.
    return content[:at] + bytes([random_number(256)]) + content[at + 1 :]
  if kind == 3:
    return content[:at]
  if kind == 4:  # A piece of it, elsewhere.
    start = random_number(len(content) + 1)
    return content[:start] + content[at:end] + content[start:]
  if kind == 5 and random_number(10) == 0:
    packed = gzip.compress(content, mtime=0)
    return packed[: len(packed) - random_number(3)]
  piece = _PIECES[random_number(len(_PIECES))]
  return content[:at] + piece + content[end:]


def check(name, content, folder):
  """Reads `content`; returns the error's text, or an empty one.

  Raises:
    AssertionError: If an error is none of ours, or does not say where it is.
  """
  read, file_name, _ = READERS[name]
  path = pathlib.Path(folder) / file_name
  path.write_bytes(content)
  try:
    with warnings.catch_warnings():
      warnings.simplefilter("error")
      read(path)
  except DataError as error:
    text = str(error)
    if name in ("trees", "conllu"):
      _check_skipping(name, path)
    assert text.startswith(str(path)), f"{name}: {text!r} does not begin with the file"
    assert len(text) < 1500 and len(text.splitlines()) <= 5, f"{name}: {text!r} is too long"
    assert all(c.isprintable() or c == "\n" for c in text), f"{name}: {text!r} is not printable"
    return text
  return ""


def _check_skipping(name, path):
  """Malformed places are left out and counted, where the file can be read at all."""
  report = ReadReport()
  read = conllu.read_conllu if name == "conllu" else read_ptb
  try:
    read(path, skip_bad=True, report=report)
  except DataError as error:
    assert "gzip" in str(error), f"{name}: skip_bad does not help: {error}"


def _traced(name, content, folder):
  """Returns the lines of the readers that reading `content` reaches."""
  lines = set()

  def local(frame, event, argument):
    lines.add((frame.f_code, frame.f_lineno))
    return local

  def trace(frame, event, argument):
    return local if frame.f_code.co_filename.startswith(_FOLDER) else None

  sys.settrace(trace)
  try:
    check(name, content, folder)
  finally:
    sys.settrace(None)
  return lines


def fuzz(name, seconds, seed, folder):
  """Damages files for some time; returns (how many, how many were kept, lines reached)."""
  draw = random.Random(seed)
  corpus, reached, count = [], set(), 0
  for content in READERS[name][2]:
    corpus.append(content)
    reached |= _traced(name, content, folder)
  end = time.monotonic() + seconds
  while time.monotonic() < end:
    content = draw.choice(corpus)
    for _ in range(draw.randint(1, 4)):
      content = damage(content, draw.randrange)
    count += 1
    try:
      new = _traced(name, content, folder) - reached
    except BaseException:
      print(f"{name}: seed {seed}, file {count}: {content!r}", file=sys.stderr)
      raise
    if new and len(content) < 20_000:
      corpus.append(content)
      reached |= new
  return count, len(corpus), len(reached)


def main():
  """Fuzzes all readers, each for its share of the time."""
  parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
  parser.add_argument("--seconds", type=float, default=600.0, help="of all readers together (600)")
  parser.add_argument("--seed", type=int, default=0)
  args = parser.parse_args()
  for name in READERS:
    with tempfile.TemporaryDirectory() as folder:
      count, kept, lines = fuzz(name, args.seconds / len(READERS), args.seed, folder)
    print(f"{name}: {count:,} files, {kept} kept, {lines} lines reached, no failure", flush=True)


if __name__ == "__main__":
  main()
