import gzip
import hashlib

import pytest

from recursive_tf._errors import DataError
from recursive_tf.datasets import sst
from recursive_tf.datasets.ptb import ReadReport
from recursive_tf.datasets.ptb_syntax import parse_line

CONTENT = {"train": b"(2 train)\n", "dev": b"(3 dev)\n", "test": b"(4 test)\n"}
TREES = {split: [parse_line(line.decode().strip())] for split, line in CONTENT.items()}


def fill(directory):
  directory.mkdir(parents=True)
  for split, content in CONTENT.items():
    (directory / f"{split}.txt").write_bytes(content)
  return directory


@pytest.fixture
def empty_home(tmp_path, monkeypatch):
  """A user without data, and a source that does not exist."""
  monkeypatch.delenv("RECURSIVE_TF_DATA", raising=False)
  monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
  monkeypatch.setattr(sst, "SOURCE", (tmp_path / "source").as_uri())
  sums = {split: hashlib.sha256(content).hexdigest() for split, content in CONTENT.items()}
  monkeypatch.setattr(sst, "SHA256", sums)
  return tmp_path


def test_a_path_is_read_and_the_environment_ignored(empty_home, monkeypatch):
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(empty_home / "elsewhere"))
  assert sst.load_sst(fill(empty_home / "mine")) == TREES


def test_plain_and_gzipped_files_may_be_mixed(empty_home):
  directory = fill(empty_home / "mine")
  (directory / "dev.txt").unlink()
  (directory / "dev.txt.gz").write_bytes(gzip.compress(CONTENT["dev"]))
  assert sst.load_sst(str(directory)) == TREES


def test_the_data_variable_goes_before_the_cache(empty_home, monkeypatch):
  fill(empty_home / "data" / "sst")
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(empty_home / "data"))
  assert sst.load_sst() == TREES
  assert not (empty_home / "cache").exists()


def test_a_download_fills_the_cache_once(empty_home):
  source = fill(empty_home / "source")
  assert sst.load_sst() == TREES
  for split in CONTENT:
    (source / f"{split}.txt").unlink()
  assert sst.load_sst() == TREES
  assert sst.load_sst(download=False) == TREES
  cache = empty_home / "cache" / "recursive_tf" / "sst"
  assert sorted(p.name for p in cache.iterdir()) == ["dev.txt", "test.txt", "train.txt"]


def test_a_damaged_cache_is_downloaded_again(empty_home):
  fill(empty_home / "source")
  cache = fill(empty_home / "cache" / "recursive_tf" / "sst")
  (cache / "test.txt").write_bytes(b"(4 te")
  assert sst.load_sst() == TREES
  assert (cache / "test.txt").read_bytes() == CONTENT["test"]


def test_wrong_bytes_from_the_source_are_refused_and_not_kept(empty_home):
  (fill(empty_home / "source") / "dev.txt").write_bytes(b"<html>")
  with pytest.raises(DataError, match="dev.txt: expected SHA-256"):
    sst.load_sst()
  cache = empty_home / "cache" / "recursive_tf" / "sst"
  assert [p.name for p in cache.iterdir()] == ["train.txt"]


@pytest.mark.parametrize("download", [True, False])
def test_without_data_the_error_says_which_file_to_put_where(empty_home, download):
  with pytest.raises(DataError) as caught:
    sst.load_sst(download=download)
  message = str(caught.value)
  for split in CONTENT:
    assert f"{sst.SOURCE}/{split}.txt" in message
  assert str(empty_home / "cache" / "recursive_tf" / "sst") in message
  assert "set RECURSIVE_TF_DATA" in message and "--data DIR" in message
  assert ("download=False" in message) is (not download)


def test_an_incomplete_data_directory_is_named_in_the_error(empty_home, monkeypatch):
  (fill(empty_home / "data" / "sst") / "dev.txt").unlink()
  monkeypatch.setenv("RECURSIVE_TF_DATA", str(empty_home / "data"))
  with pytest.raises(DataError, match=str(empty_home / "data" / "sst")):
    sst.load_sst()


def test_skip_bad_and_its_report_reach_every_split(empty_home):
  directory = fill(empty_home / "mine")
  for split in CONTENT:
    with open(directory / f"{split}.txt", "ab") as file:
      file.write(b"(oops\n")
  report = ReadReport()
  assert sst.load_sst(directory, skip_bad=True, report=report) == TREES
  assert (report.num_trees, report.num_skipped) == (3, 3)


def test_the_real_treebank_has_its_published_size(data_dir):
  splits = sst.load_sst(data_dir / "sst")
  assert {k: len(v) for k, v in splits.items()} == {"train": 8544, "dev": 1101, "test": 2210}
  assert {k: sum(t.num_nodes for t in v) for k, v in splits.items()} == {
    "train": 318582,
    "dev": 41447,
    "test": 82600,
  }
  words = {word for tree in splits["train"] for word in tree.words()}
  assert len(words) == 18280
  assert sum("\u00a0" in word for tree in splits["train"] for word in tree.words()) == 3
  assert sum(tree.label != 2 for tree in splits["test"]) == 1821


def test_the_checksums_are_those_of_the_real_files(data_dir):
  for split, expected in sst.SHA256.items():
    content = gzip.decompress((data_dir / "sst" / f"{split}.txt.gz").read_bytes())
    assert hashlib.sha256(content).hexdigest() == expected
