import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets.treebank import find_splits, load_treebank


@pytest.fixture
def treebank(tmp_path):
  for split in ("train", "dev", "test"):
    (tmp_path / f"{split}.txt").write_text("(2 a)\n")
  return tmp_path


def test_a_directory_gives_its_three_splits(treebank):
  assert {k: len(v) for k, v in load_treebank(treebank).items()} == {
    "train": 1,
    "dev": 1,
    "test": 1,
  }


def test_plain_text_goes_before_gzip(treebank):
  (treebank / "dev.txt.gz").write_bytes(b"")
  assert find_splits(treebank)["dev"].name == "dev.txt"


def test_missing_files_are_all_named(treebank):
  (treebank / "dev.txt").unlink()
  (treebank / "test.txt").unlink()
  with pytest.raises(DataError, match=r"lacks dev.txt \(or .txt.gz\), test.txt"):
    load_treebank(treebank)


def test_a_missing_directory_is_named(tmp_path):
  with pytest.raises(DataError, match="nowhere: the treebank directory does not exist"):
    load_treebank(tmp_path / "nowhere")


def test_a_split_without_a_tree_is_named(treebank):
  (treebank / "dev.txt").write_text("\n")
  with pytest.raises(DataError, match="dev.txt: holds no tree"):
    load_treebank(treebank)


def test_num_labels_reaches_the_reader(treebank):
  with pytest.raises(DataError, match="a label 0..1 or _, got '2'"):
    load_treebank(treebank, num_labels=2)
