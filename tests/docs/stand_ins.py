"""Small data under the names that pages use: commands run as they are printed, in little time."""

from recursive_tf.datasets.sample import sample_path
from recursive_tf.datasets.treebank import SPLITS
from tests.cli.dependency_data import make_pairs, make_treebank

FEW_TREES = 60


def write(data, folder):
  """Writes what `RECURSIVE_TF_DATA` has, and the files that commands name.

  Args:
    data: a new folder: sst, sick and ud, small ones of our own.
    folder: where the commands run: vectors, parses and texts.
  """
  (data / "sst").mkdir(parents=True)
  for split in SPLITS:
    lines = sample_path(split).read_text().splitlines(keepends=True)
    (data / "sst" / f"{split}.txt").write_text("".join(lines[:FEW_TREES]))
  make_pairs(data / "sick", FEW_TREES)
  make_treebank(data / "ud_ewt", FEW_TREES)
  (folder / "parsed.conllu").write_bytes((data / "ud_ewt" / "x-test.conllu").read_bytes())
  rows = [f"{word} {' '.join(['0.5', '-0.25'] * 5)}\n" for word in ("the", "not", "good")]
  (folder / "glove.840B.300d.txt").write_text("".join(rows))
  texts = [f"The film is {word} .\n" for word in ("good", "not good")]
  (folder / "reviews.txt").write_text("".join(texts))
